"""Complete records: what was said in them is what a known advisor says there, and their walks have an end.

A results file for the field may have walks alone. Where a benchmark has drawn the help budgets and its own advisor has
answered, nothing may be missing: a record names its actions, its requests, its help budget and what the agent was told, and
the walk goes on until the agent stops or its time is over. Otherwise an agent could be told more than the advisor knows, or
a walk could be cut off where it passes the goal.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from vnla import episode
from vnla.assistance.advisor import BoundAdvisor
from vnla.common.outside import shown
from vnla.common.selection import take_rows
from vnla.episode import Episodes
from vnla.evaluation.replay import RecordedWalks
from vnla.evaluation.results import Result, subgoal_words
from vnla.world.actions import NO_ACTION, Nav

NEEDED = ("agent_nav", "agent_ask", "subgoals", "help_budget")
"""Fields that a complete record has besides its walk."""


def incomplete_records(
    rows: Sequence[int],
    episodes: Episodes,
    walks: RecordedWalks,
    results: Sequence[Result],
    advisor: BoundAdvisor,
    k: int,
) -> dict[int, str]:
    """Return what is missing or wrong in records whose walks keep to the rules, those numbered `rows`.

    `episodes` have the help budgets that agents had; `k` is how many actions a subgoal has.
    """
    times, budgets = episodes.time_budget.tolist(), episodes.help_budget.tolist()
    found = {}
    for row in rows:
        what = _missing(results[row], budgets[row]) or _unfinished(walks, row, times[row])
        if what is not None:
            found[row] = what
    whole = [row for row in rows if row not in found]
    return found | _other_words(whole, episodes, walks, results, advisor, k)


def _missing(result: Result, budget: int) -> str | None:
    for name in NEEDED:
        if getattr(result, name) is None:
            return f"has no field {name}; a complete record has {', '.join(NEEDED)}"
    if result.help_budget != budget:
        return f"field help_budget is {result.help_budget}, but this task has {budget}"
    return None


def _unfinished(walks: RecordedWalks, row: int, time: int) -> str | None:
    length = int(walks.length[row])
    if length >= time or (length and int(walks.nav[row, length - 1]) == Nav.STOP):
        return None
    return f"the walk breaks off after step {length} without stop, and the time budget is {time} steps"


def _other_words(
    rows: Sequence[int],
    episodes: Episodes,
    walks: RecordedWalks,
    results: Sequence[Result],
    advisor: BoundAdvisor,
    k: int,
) -> dict[int, str]:
    """Return where agents were told something else than the advisor says there."""
    found: dict[int, str] = {}
    device, steps = episodes.start.device, walks.nav.shape[1]
    state = episode.start(episodes, k, memory=steps)
    here = torch.zeros(len(results), dtype=torch.bool)
    here[list(rows)] = True
    for step in range(steps):
        asks = here & walks.request[:, step] & (step < walks.length)
        asking = asks.nonzero().flatten()
        if len(asking):
            now = episode.step_context(take_rows(state, asking.to(device)), step, k=k)
            heard = advisor.say(now)
            for row, index in zip(asking.tolist(), heard.index.tolist(), strict=True):
                right, said = subgoal_words(heard.table.text(index)), (results[row].subgoals or ())[step]
                if said != right:
                    told = "nothing" if said is None else shown(said)
                    found.setdefault(row, f"step {step + 1}: was told {told}, but the advisor says {right!r} there")
        nav = walks.nav[:, step].to(device)
        state = episode.act(episode.request(state, asks.to(device)), step, nav.clamp(min=0), waits=nav == NO_ACTION)
    return found
