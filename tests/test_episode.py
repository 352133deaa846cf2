"""One set of rules for everybody: the same actions and requests, in Algorithm 1, in Gymnasium, by a guest, by a person and
through the scorer, lead to the same poses, budgets, times, words and ends, step by step.

The advisor of these tests says what it is told about the episode, so words agree only where everybody tells it the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
import torch
from torch import Tensor

from cottage_players import HOUSE, TASKS, VOCABULARY, WORLD
from cottage_players import context as cottage_context
from vnla.assistance.acting import Acting, most_probable
from vnla.assistance.advisor import Advisor, BoundAdvisor, Lexicon, TemplateAdvisor, tabulated
from vnla.assistance.help_policies import HelpPolicy
from vnla.assistance.words import Phrases, Utterance
from vnla.bcui import bcui
from vnla.episode import Episodes, StepContext, When
from vnla.evaluation.allowance import Allowance
from vnla.evaluation.checked import check
from vnla.evaluation.results import results_of_trace, write_results
from vnla.evaluation.trace import Trace
from vnla.gym import AskNavEnv
from vnla.remote.episode import EvaluationRules
from vnla.remote.evaluated_agent import Answer
from vnla.rollout import RolloutContext
from vnla.serve.persons import PersonsWalk
from vnla.tasks.task_set import TaskSet
from vnla.world.actions import Nav
from vnla.world.budgets import LONGEST_EPISODE, TimeBudgets
from vnla.world.compiled import NOWHERE

RATIO = 0.6
STEPS = LONGEST_EPISODE + 1


class Before(NamedTuple):
    """What is known before an action."""

    pose: int
    requests_left: int
    time_left: int
    said: str | None
    """What the advisor said in this time step, before the action."""


class Walked(NamedTuple):
    """A whole episode."""

    steps: tuple[Before, ...]
    last: int
    """The pose at the end."""


class Script(NamedTuple):
    """What an agent wants: for each time step whether it asks, and what it does."""

    asks: tuple[bool, ...]
    actions: tuple[Nav, ...]


@dataclass(frozen=True)
class Wanted(Acting):
    """Does what is written, or `left` where it says to go forward and nothing is in view."""

    scripts: tuple[Script, ...] = ()

    def __call__(self, chances: Tensor, taught: Tensor, intervened: Tensor, episodes: Episodes, step: When) -> Tensor:
        wanted = torch.tensor([int(each.actions[int(step)]) for each in self._mine(episodes)])
        wanted = torch.where((wanted == Nav.FORWARD) & (chances[:, Nav.FORWARD] == 0), int(Nav.LEFT), wanted)
        return torch.where(intervened, taught, wanted) if self.direct else wanted

    def _mine(self, episodes: Episodes) -> list[Script]:
        return [self.scripts[each] for each in numbers_of(episodes)]


@dataclass(frozen=True)
class Asking(HelpPolicy):
    """Asks where it is written, if it may."""

    scripts: tuple[Script, ...] = ()

    def __call__(self, now: StepContext) -> Tensor:
        return torch.tensor([self.scripts[each].asks[int(now.step)] for each in numbers_of(now.episodes)])


def numbers_of(episodes: Episodes) -> list[int]:
    keys = TASKS.key.tolist()
    return [keys.index(key) for key in episodes.key.tolist()]


@dataclass(frozen=True)
class Reporter(Advisor):
    """Says the step, the requests left, the steps since a request and how many poses are remembered."""

    k: int = 3
    direct: bool = False
    MOST = 40

    def words(self) -> list[str]:
        return sorted({*map(str, range(self.MOST)), "step", "left", "since", "been", "."})

    def ready(self, lexicon: Lexicon, device: torch.device | str = "cpu") -> BoundAdvisor:
        del device
        return ReportersVoice(lexicon)

    def ready_in(self, folder: Any, world: Any, lexicon: Lexicon, device: torch.device | str = "cpu") -> BoundAdvisor:
        del folder, world
        return self.ready(lexicon, device)


class ReportersVoice(BoundAdvisor):
    remembers = True

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._padded = tabulated([["step", "0", "left", "0", "since", "0", "been", "0", "."], []], lexicon, str)
        self.phrases = self._padded

    def say(self, now: StepContext) -> Utterance:
        step = now.step if isinstance(now.step, Tensor) else torch.full_like(now.pose, now.step)
        been = (now.past != NOWHERE).sum(dim=1)
        rows = zip(*(each.tolist() for each in (step, now.budget, now.since_request, been)), strict=True)
        said = [f"step {a} left {b} since {c} been {d}" for a, b, c, d in rows]
        table: Phrases = tabulated([*([*each.split(), "."] for each in said), []], self._lexicon, [*said, ""].__getitem__)
        return Utterance(torch.arange(len(said)), table)


ADVISORS = [TemplateAdvisor(), TemplateAdvisor(k=3, direct=True), Reporter(), Reporter(k=2, direct=True)]


def scripts(seed: int) -> list[Script]:
    """One for each task; shrinking such scripts would tell nothing, so they are drawn and not searched for."""
    draw = Random(seed)
    ways = [*Nav, Nav.FORWARD, Nav.FORWARD, Nav.LEFT, Nav.RIGHT]
    return [
        Script(
            tuple(draw.random() < 0.4 for _ in range(STEPS)),
            tuple(draw.choice(ways[: 5 + draw.randrange(5)]) for _ in range(STEPS)),
        )
        for _ in TASKS.tasks
    ]


def all_players(advisor: Advisor, written: Sequence[Script] = ()) -> RolloutContext:
    return cottage_context(Wanted(most_probable, advisor.direct, tuple(written)), Asking(tuple(written)), advisor)


def by_algorithm(advisor: Advisor, written: Sequence[Script], seed: int) -> tuple[list[Walked], Trace]:
    """All tasks in one batch."""
    everybody = all_players(advisor, written)
    which = torch.arange(len(TASKS))
    episodes = TASKS.episodes(which, seed=seed, ratio=RATIO, k=advisor.k)
    with torch.inference_mode():
        rollout = bcui(episodes, everybody)
    steps: list[list[Before]] = [[] for _ in written]
    for transition in rollout.transitions:
        for place, row in enumerate(transition.row.tolist()):
            asked = bool(transition.request[place])
            said = transition.phrases.text(int(transition.heard[place])) if asked else None
            left = int(episodes.time_budget[row]) - transition.step
            steps[row].append(Before(int(transition.pose[place]), int(transition.budget[place]), left, said))
    walks = [Walked(tuple(each), int(last)) for each, last in zip(steps, rollout.last_pose(), strict=True)]
    return walks, Trace.of(rollout, LONGEST_EPISODE)


def wanted_of(script: Script, step: int, *, may_go: bool) -> Nav:
    action = script.actions[step]
    return Nav.LEFT if action is Nav.FORWARD and not may_go else action


def may_go_at(pose: int) -> bool:
    return not bool(TASKS.environment.blocked(torch.tensor([pose])))


def in_gymnasium(advisor: Advisor, number: int, script: Script, seed: int) -> Walked:
    """One environment."""
    env = AskNavEnv(houses=[HOUSE], tasks=TASKS.tasks, budgets=TimeBudgets(), advisor=advisor, ratio=RATIO)
    observation, info = env.reset(seed=seed, options={"task": number})
    steps, done = [], False
    while not done:
        step, said = len(steps), None
        before = pose_of(info), observation["requests_left"], observation["time_left"]
        if script.asks[step] and observation["may_request"]:
            observation, _, _, _, info = env.step(pair(Nav.LEFT, 1))
            said = info["subgoal"]
        action = wanted_of(script, step, may_go=bool(observation["may_go_forward"]))
        observation, _, terminated, truncated, info = env.step(pair(action, 0))
        steps.append(Before(*before, said))
        done = terminated or truncated
    return Walked(tuple(steps), pose_of(info))


def pair(action: Nav, ask: int) -> Any:
    return torch.tensor([int(action), ask]).numpy()


def pose_of(info: dict[str, Any]) -> int:
    where = info["pose"]
    number = WORLD.viewpoint(where["house"], where["viewpoint"])
    heading, elevation = (round(where[name] / (torch.pi / 6)) for name in ("heading", "elevation"))
    return number * 36 + (elevation + 1) * 12 + heading % 12


def by_a_guest(advisor: Advisor, number: int, script: Script, seed: int) -> Walked:
    words = VOCABULARY.with_words(advisor.words())
    walk = EvaluationRules(TASKS, advisor, advisor.ready(words), RATIO).begin(number, seed)
    steps = []
    while not walk.over:
        step, said, now = len(steps), None, walk.observation()
        before = walk.pose, now["requests_left"], now["time_left"]
        if script.asks[step] and now["may_request"]:
            walk.take(Answer(None))
            now = walk.observation()
            assert now["last"]["outcome"] == "answered" and now["has_requested"]
            said = walk.record().said[step] if len(walk.record().said) > step else now["advice"]
        walk.take(Answer(wanted_of(script, step, may_go=now["may_go_forward"])))
        steps.append(Before(*before, walk.record().said[step] if said is not None else None))
    return Walked(tuple(steps), walk.pose)


def by_a_person(advisor: Advisor, number: int, script: Script, seed: int) -> Walked:
    engine = SimpleNamespace(context=all_players(advisor), ratio=RATIO, compiled=lambda tasks: only(tasks[0].id))
    walk = PersonsWalk(engine, TASKS.tasks[number], seed)  # type: ignore[arg-type]
    steps = []
    while not walk.ended:
        step, said = walk.step, None
        before = walk.pose, walk.requests_left, walk.time - step
        if script.asks[step] and walk.requests_left:
            said = walk.ask()
        walk.act(wanted_of(script, step, may_go=may_go_at(walk.pose)))
        steps.append(Before(*before, said))
    return Walked(tuple(steps), walk.pose)


def only(task: str) -> TaskSet:
    return TASKS.rows([[each.id for each in TASKS.tasks].index(task)])


OTHERS: dict[str, Callable[[Advisor, int, Script, int], Walked]] = {
    "gymnasium": in_gymnasium, "guest": by_a_guest, "person": by_a_person,
}  # fmt: skip


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("advisor", ADVISORS, ids=str)
def test_everybody_walks_by_the_same_rules(advisor: Advisor, seed: int) -> None:
    written = scripts(seed)
    expected, _ = by_algorithm(advisor, written, seed)
    assert sum(len(each.steps) for each in expected) > len(expected), "nobody walked"
    for name, walk in OTHERS.items():
        for number, script in enumerate(written[:4]):
            assert walk(advisor, number, script, seed) == expected[number], (name, number)


@pytest.mark.parametrize("seed", range(6))
def test_the_scorer_believes_what_the_rules_allow(seed: int, tmp_path: Path) -> None:
    advisor = TemplateAdvisor()
    _, trace = by_algorithm(advisor, scripts(seed), seed)
    results = results_of_trace(TASKS, trace, [False] * len(TASKS))
    path = tmp_path / "results.json"
    write_results(path, results)
    checked = check(path, TASKS, Allowance(ratio=RATIO, k=advisor.k, seed=seed))
    assert torch.equal(checked.trace.nav, trace.nav[:, : checked.trace.nav.shape[1]])
    assert torch.equal(checked.trace.pose[:, -1], trace.pose[:, -1])
    assert torch.equal(checked.trace.request, trace.request[:, : checked.trace.request.shape[1]])
