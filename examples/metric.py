"""A metric of your own: how many steps the agent takes after its last request, of those agents that asked at all.

An agent that spends its help early walks the rest of the way alone; a large figure says so. From the folder above this one:

    vnla evaluate runs/learned --metric examples.metric:steps_after_help --csv episodes.csv

It stands in the printed table, in the summary (`--json`), and in the files with every episode (`--csv`, `--npz`).
"""

from __future__ import annotations

import torch
from torch import Tensor

from vnla import Case, Metric


def after_help(case: Case) -> dict[str, Tensor]:
    """For each episode the steps from its last request to its end, and whether there was one.

    The request is made before the action of the same step, so that action counts. `case.trace` has all that happened,
    `case.environment` the compiled houses with their distances, `case.goals` where the agent should have gone.
    """
    request = case.trace.request  # (episodes, steps)
    step = torch.arange(request.shape[1], device=request.device)
    last = torch.where(request, step, -1).amax(dim=1)  # (episodes,), -1 where there was none
    asked = last >= 0
    return {"after_help": torch.where(asked, case.trace.length - last, 0), "has_asked": asked}


# A figure is the ratio of two sums over episodes: here of all those steps to all episodes in which was asked.
steps_after_help = Metric(
    unit="steps",
    needs=("after_help", "has_asked"),
    scorer=after_help,
    top=lambda steps, _asked: steps,
    bottom=lambda _steps, asked: asked,
)
