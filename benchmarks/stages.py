"""What it costs to have a stage carried out that does nothing: by processes of this machine, and by a cluster.

An entry of `vnla bench scale`.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

from benchmarks.measure import Measurement
from benchmarks.sizes import Scale
from vnla.pipeline.cluster import LOCAL, RayExecutor
from vnla.pipeline.executor import Executor
from vnla.pipeline.scheduler import StageCallbacks, run_stages
from vnla.pipeline.stages import Stage, make_empty

COUNT = 1_000
"""Stages."""
AT_FIRST = 20
"""Stages that are not counted: processes begin with them."""


def bench_stages(scale: Scale) -> Iterator[Measurement]:
    """From one stage's end to the next one's, here, and then on the cluster, if one is named."""
    with nullcontext() if scale.cluster == LOCAL else RayExecutor(scale.cluster) as cluster:
        here = _handed_out(scale, None)
        yield Measurement("a stage handed out", here, "s", note=f"of {COUNT:,} that do nothing, {scale.processes} at a time")
        if cluster is not None:
            yield Measurement("  by the cluster", _handed_out(scale, cluster), "s", here, "× here")


def _handed_out(scale: Scale, executor: Executor | None) -> float:
    with tempfile.TemporaryDirectory(dir=scale.folder or None) as folder:
        out, watch = Path(folder), _Watch()
        stages = [Stage(f"stage{number}", make_empty, (out / f"{number}",), out / f"{number}") for number in range(COUNT)]
        run_stages(stages, out, watch, scale.processes, executor=executor)
    counted = watch.ends[AT_FIRST:]
    return (counted[-1] - counted[0]) / (len(counted) - 1)


class _Watch(StageCallbacks):
    """Who notes when stages end, and nothing else."""

    def __init__(self) -> None:
        self.ends: list[float] = []

    def ended(self, stage: Stage, seconds: float) -> None:  # noqa: ARG002
        """Now."""
        self.ends.append(time.monotonic())
