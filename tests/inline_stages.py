"""Stages that are run in the process of the tests, which has PyTorch loaded: for tests of what stages make."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, cast

import pytest

from vnla.pipeline import executor
from vnla.pipeline.executor import LocalExecutor, StageCall, StageEvent
from vnla.pipeline.stages import Stage


class InlineFuture:
    """A call that is over when it has begun, and what was told of it."""

    def __init__(self) -> None:
        self.told: list[StageEvent] = []

    def send(self, event: StageEvent) -> None:
        """Keep it until somebody asks."""
        self.told.append(event)

    def stop(self) -> None:
        """It is over."""


class InlineExecutor(LocalExecutor):
    """One worker: this process."""

    def begin(self, call: StageCall, stage: Stage) -> Any:  # noqa: ARG002
        future = InlineFuture()
        future.send(executor._run(call, cast(Any, future)))
        return future

    def events(self, futures: Sequence[Any], seconds: float) -> list[tuple[Any, StageEvent]]:  # noqa: ARG002
        found = [(future, event) for future in futures for event in future.told]
        for future in futures:
            future.told.clear()
        return found

    def close(self, *, at_once: bool) -> None:
        """Nobody was started."""


@contextmanager
def inline_stages() -> Iterator[None]:
    """Stages that are run in the block are run in this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("vnla.pipeline.scheduler.LocalExecutor", InlineExecutor)
        yield
