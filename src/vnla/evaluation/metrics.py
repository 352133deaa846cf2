"""The figures of an evaluation, by name. Each is a ratio of two sums over episodes, of what a scorer finds in them.

A metric of your own is a `Metric` in any module; `vnla evaluate RUN --metric package.module:name` computes it beside ours.
`examples/metric.py` is one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from vnla.common.errors import InputError
from vnla.common.registry import find
from vnla.evaluation.confidence import Interval, over_episodes, ratio
from vnla.evaluation.scores import Array, Case, Scorer, Scores, asking, ending, stopping, walking
from vnla.evaluation.trace import Trace
from vnla.world.compiled import Environment


def _first(*arrays: Array) -> Array:
    return arrays[0]


def _episodes(*arrays: Array) -> Array:
    return np.ones_like(arrays[0], dtype=np.float64)


@dataclass(frozen=True)
class Metric:
    """A figure as the ratio of two sums over episodes."""

    unit: str
    """Shares have the unit "%" and are told per cent."""
    needs: tuple[str, ...]
    """Names of the arrays that it is computed from."""
    scorer: Scorer
    """Gives those arrays. Metrics that name the same scorer share one call of it."""
    top: Callable[..., Array] = _first
    """What is summed above, a function of the arrays in this order; by itself the first."""
    bottom: Callable[..., Array] = _episodes
    """What is summed below; by itself each episode counts 1, so that the figure is a mean."""
    lower_is_better: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.needs, str) or not self.needs:
            raise InputError(f'metric: needs is {self.needs!r}; expected names of arrays, such as ("success",)')

    def __call__(self, scores: Scores) -> float:
        """The figure over all these episodes."""
        return self.scale * ratio(*self.sums(scores))

    def over_episodes(self, scores: Scores) -> Interval:
        """Return the same with its interval for other tasks in the same houses."""
        return over_episodes(*self.sums(scores), whole=self.whole).scaled(self.scale)

    def sums(self, scores: Scores) -> tuple[Array, Array]:
        """Return what is summed above and below, an entry an episode."""
        missing = [name for name in self.needs if name not in scores]
        if missing:
            raise InputError(f"these episodes have no score {missing[0]}; evaluate the agent again to have it")
        arrays = [scores[name] for name in self.needs]
        return self._summed("top", arrays), self._summed("bottom", arrays)

    def _summed(self, what: str, arrays: Sequence[Array]) -> Array:
        """Return what `top` or `bottom` gives, if it is a number for each episode."""
        terms = np.asarray(getattr(self, what)(*arrays))
        if terms.shape != arrays[0].shape or terms.dtype.kind not in "biuf":
            raise InputError(
                f"metric of {', '.join(self.needs)}: {what} returned {terms.dtype} {terms.shape}; expected numbers"
                f" {arrays[0].shape}, one an episode"
            )
        return terms

    def can_tell(self, scores: Scores) -> bool:
        """Return whether these scores have all that it needs."""
        return all(name in scores for name in self.needs)

    @property
    def scale(self) -> int:
        """What the ratio is multiplied by."""
        return 100 if self.unit == "%" else 1

    @property
    def whole(self) -> float | None:
        """What the ratio is a share of; None where it is no share."""
        return 1.0 if self.unit == "%" else None


METRICS: dict[str, Metric] = {
    "success_rate": Metric("%", ("success",), ending),
    "room_success_rate": Metric("%", ("room_success",), ending),
    "nav_error": Metric("m", ("nav_error",), ending, lower_is_better=True),
    "oracle_rate": Metric("%", ("oracle_success",), walking),
    "oracle_error": Metric("m", ("oracle_error",), walking, lower_is_better=True),
    "spl": Metric("%", ("spl",), walking),
    "ndtw": Metric("%", ("ndtw",), walking),
    "steps": Metric("steps", ("steps",), walking),
    "length": Metric("m", ("path_length",), walking),
    "requests": Metric("requests", ("requests",), asking),
    "budget_used": Metric(
        "%", ("requests", "help_budget"), asking,
        top=lambda requests, budget: np.where(budget < 0, 0, requests),
        bottom=lambda _requests, budget: budget.clip(0),
    ),
    "ask_accuracy": Metric(
        "%", ("ask_both", "ask_neither", "ask_agent_only", "ask_teacher_only"), asking,
        top=lambda both, neither, _agent, _teacher: both + neither,
        bottom=lambda both, neither, agent, teacher: both + neither + agent + teacher,
    ),
    "ask_precision": Metric("%", ("ask_both", "ask_agent_only"), asking, bottom=lambda both, agent: both + agent),
    "ask_recall": Metric("%", ("ask_both", "ask_teacher_only"), asking, bottom=lambda both, teacher: both + teacher),
    "ask_f1": Metric(
        "%", ("ask_both", "ask_agent_only", "ask_teacher_only"), asking,
        top=lambda both, _agent, _teacher: 2 * both,
        bottom=lambda both, agent, teacher: 2 * both + agent + teacher,
    ),
}  # fmt: skip
"""The figures of every summary; the authors' names where they have one."""


def _failure(kind: Callable[[Array, Array, Array], Array]) -> Metric:
    """Return the share of episodes that fail in one way, by a function of three arrays: whether each episode came near a
    goal, ended in a room of a goal's kind, and was stopped by the agent."""

    def failed(success: Array, *how: Array) -> Array:
        return ~success.astype(bool) & kind(*(each.astype(bool) for each in how))

    needs = ("success", "oracle_success", "room_success", "stopped")
    return Metric("%", needs, stopping, top=failed)


ENDINGS: dict[str, Metric] = {
    "left_a_goal": _failure(lambda came, _room, _stopped: came),
    "right_kind_of_room": _failure(lambda came, room, _stopped: ~came & room),
    "stopped_elsewhere": _failure(lambda came, room, stopped: ~came & ~room & stopped),
    "out_of_time": _failure(lambda came, room, stopped: ~came & ~room & ~stopped),
}
"""How episodes that fail end: each in the first way that fits it, so with the success rate they add up to 100%."""
GROUPS: dict[str, Mapping[str, Metric]] = {"endings": ENDINGS}
"""Figures that a summary has only where `--metric` names their group."""


def metrics_named(names: Sequence[str]) -> dict[str, Metric]:
    """Ours, groups of ours by name, and those that people name as `package.module:name`."""
    chosen = dict(METRICS)
    known: dict[str, Any] = {**METRICS, **GROUPS}
    for full_name in names:
        found = find("metric", full_name, known)
        own_name = full_name.replace(":", ".").rpartition(".")[2]
        for name, metric in GROUPS.get(full_name, {own_name: found}).items():
            if not isinstance(metric, Metric):
                raise InputError(f"metric {full_name}: is a {type(metric).__name__}, not a vnla.evaluation.metrics.Metric")
            if chosen.setdefault(name, metric) is not metric:
                raise InputError(f"metric {full_name}: there is another metric called {name}; give yours another name")
    return chosen


def score(trace: Trace, environment: Environment, goals: Tensor, *, metrics: Mapping[str, Metric] = METRICS) -> Scores:
    """Return the scores of episodes with goal sets `goals`."""
    case = Case(trace, environment, goals)
    found: dict[str, Array] = {}
    done: set[Scorer] = set()
    for name, metric in metrics.items():
        if metric.scorer not in done:
            arrays = metric.scorer(case)
            if not isinstance(arrays, Mapping):
                raise InputError(f"metric {name}: its scorer returned a {type(arrays).__name__}; expected tensors by name")
            _add(found, arrays, len(trace), name)
            done.add(metric.scorer)
    for name, metric in metrics.items():
        missing = [each for each in metric.needs if each not in found]
        if missing:
            raise InputError(f"metric {name}: needs {missing[0]}, which its scorer does not give")
    return Scores(found)


def _add(found: dict[str, Array], arrays: Mapping[str, Tensor], episodes: int, metric: str) -> None:
    for name, values in arrays.items():
        try:
            array = torch.as_tensor(values).cpu().numpy()
        except (TypeError, ValueError, RuntimeError):
            kind = type(values).__name__
            raise InputError(f"metric {metric}: its scorer returned a {kind} as {name}; expected a tensor") from None
        if array.shape[:1] != (episodes,):
            raise InputError(f"metric {metric}: {name} has the shape {array.shape}; expected an entry for each episode")
        if name in found:
            raise InputError(f"metric {metric}: another scorer gives {name} too; call yours something else")
        found[name] = array
