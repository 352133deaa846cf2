"""Parts that are not ours: what they forgot to say or give wrongly is one line, before a run begins, and never a silence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import pytest
import torch
from torch import Tensor

from cottage_run import write_cottage
from vnla.agents.sensors import Sensor
from vnla.assistance.advisor import BoundAdvisor, Lexicon, TemplateAdvisor, TemplateVoice
from vnla.assistance.help_policies import AtFirst, HelpPolicy, Learned, Never
from vnla.assistance.words import Utterance
from vnla.bcui import bcui
from vnla.common.errors import InputError
from vnla.episode import Episodes, StepContext
from vnla.rollout import Rollout, RolloutContext
from vnla.training.config import RunConfig, TrainingConfig
from vnla.training.context import make_agent, make_context
from vnla.training.data import RunData
from vnla.training.objectives.objective import ImitationObjective, Judged
from vnla.training.trainer import Trainer

HERE = __name__


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> RunConfig:
    world, tasks = write_cottage(tmp_path_factory.mktemp("cottage"))
    sizes = {"hidden": 8, "help_hidden": 8, "word_embedding": 4}
    return RunConfig(str(world), str(tasks), "symbolic", training=TrainingConfig(batch=4), agent_options=sizes)


@pytest.fixture(scope="module")
def data(config: RunConfig) -> RunData:
    return RunData.load(config)


@pytest.fixture
def made(config: RunConfig, data: RunData) -> Callable[..., RolloutContext]:
    """Players with a stranger among them, as a command line would name it."""

    def make(*, training: bool = True, **parts: Any) -> RolloutContext:
        ours = replace(config, **parts)
        return make_context(ours, data, make_agent(ours, data), training=training)

    return make


def trained(context: RolloutContext, data: RunData) -> Rollout:
    """The episodes of an iteration."""
    return bcui(data.training_tasks().episodes(torch.arange(4), seed=1), context)


class Looking(HelpPolicy):
    """Looks at one thing, late in an episode, and has said nothing of it."""

    at: ClassVar[str] = "tentative"

    def __call__(self, situation: StepContext) -> Tensor:
        if situation.step < 2:  # type: ignore[operator]
            return situation.budget > 0
        return self.found(getattr(situation, self.at))

    def found(self, value: Any) -> Tensor:
        return value.sum(dim=1) > 2


class Pupil(Looking):
    at = "teacher_request"

    def found(self, value: Any) -> Tensor:
        return value


class Consulting(Looking):
    at = "ask"
    deliberates = True

    def found(self, value: Any) -> Tensor:
        return value()[:, 1] > 0


class Backward(Looking):
    at = "past"

    def found(self, value: Any) -> Tensor:
        return (value >= 0).sum(dim=1) > 3


class Thoughtful(Looking):
    deliberates = True


class Mindful(Backward):
    remembers = True


class Undeclared(Learned):
    """Inherits all that it has to say."""


class Halfhearted(HelpPolicy):
    deliberates = consults = True

    def __call__(self, situation: StepContext) -> Tensor:
        assert situation.ask is not None
        return situation.ask()[:, 1] > 0


class Denying(HelpPolicy):
    asks = False

    def __call__(self, situation: StepContext) -> Tensor:
        return situation.budget > 0


class Awake(Never):
    """Made from one that never asks; this one does."""

    def __call__(self, situation: StepContext) -> Tensor:
        return situation.budget > 0


class Scored(AtFirst):
    def __call__(self, situation: StepContext) -> Tensor:
        return situation.budget.float()


class Alone(AtFirst):
    def __call__(self, situation: StepContext) -> Tensor:
        return (situation.budget > 0).any()


class Planless(AtFirst):
    def plan(self, episodes: Episodes) -> Tensor:
        return torch.zeros(len(episodes) + 1, 2)


class Nose(Sensor):
    size = 2

    def __call__(self, situation: StepContext) -> Tensor:
        return self.smelled(situation)

    def smelled(self, situation: StepContext) -> Tensor:
        return torch.stack([situation.pose, situation.unmoved], dim=1).float()


class Wide(Nose):
    def smelled(self, situation: StepContext) -> Tensor:
        return torch.zeros(len(situation.pose), 3, dtype=torch.float64)


class Stuffy(Nose):
    def smelled(self, situation: StepContext) -> Tensor:
        one = situation.steps_left.float()[:, None].expand(-1, 2)
        return one * (torch.nan if situation.step == 2 else 1.0)


class Nostalgic(Nose):
    def smelled(self, situation: StepContext) -> Tensor:
        return (situation.past >= 0).float()[:, :2]


class Foreboding(Nose):
    def smelled(self, situation: StepContext) -> Tensor:
        return situation.tentative[:, :2]


class Sizeless(Sensor):
    def __call__(self, situation: StepContext) -> Tensor:
        return situation.pose[:, None].float()


@dataclass(frozen=True)
class Speaking(TemplateVoice):
    def say(self, now: StepContext) -> Utterance:
        return self.said(now)

    def said(self, now: StepContext) -> Utterance:
        return super().say(now)


class Beyond(Speaking):
    def said(self, now: StepContext) -> Utterance:
        return Utterance(torch.full_like(now.pose, len(self.phrases.words.length)), self.phrases)


class Fractions(Speaking):
    def said(self, now: StepContext) -> Utterance:
        return Utterance(now.pose.float(), self.phrases)


class Bare(Speaking):
    def said(self, now: StepContext) -> Utterance:
        return now.pose  # type: ignore[return-value]


class Musing(Speaking):
    def said(self, now: StepContext) -> Utterance:
        return Utterance((now.past >= 0).sum(dim=1), self.phrases)


@dataclass(frozen=True)
class Talker(TemplateAdvisor):
    """An advisor with one of these voices."""

    bound_advisor: type[Speaking] = Speaking

    def ready(self, lexicon: Lexicon, device: object = "cpu") -> BoundAdvisor:
        usual = super().ready(lexicon, str(device))
        return self.bound_advisor(usual.advisor, usual.phrases) if self.bound_advisor is not Speaking else None  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        (Looking, r"looks at the tentative decision \(situation\.tentative\), .* `deliberates = True`"),
        (Pupil, r"Pupil\.__call__ looks at situation\.teacher_request, .* `deliberates = True`"),
        (Consulting, r"Consulting\.found looks at the agent's help module .* `deliberates = consults = True`"),
        (Backward, r"Backward\.found looks at the poses before this step .* `remembers = True`"),
        (Halfhearted, r"goes by the help module .* say so with `learns = True` or `learns = False`"),
        (Denying, r"asks at step 0, but its class says `asks = False`"),
        (Scored, r"help policy \S+:Scored: __call__ returned float32 \(4,\); expected bool \(4,\)"),
        (Alone, r"help policy \S+:Alone: __call__ returned bool \(\); expected bool \(4,\)"),
        (Planless, r"help policy \S+:Planless: plan returned float32 \(5, 2\); expected a tensor \(4, …\)"),
    ],
)
def test_a_help_policy_is_refused_in_one_line(made: Callable[..., RolloutContext], policy: type, message: str) -> None:
    with pytest.raises(InputError, match=message):
        made(help_policy=f"{HERE}:{policy.__name__}")


@pytest.mark.parametrize("policy", [Thoughtful, Mindful, Undeclared, Awake])
def test_a_help_policy_that_says_what_it_looks_at_asks(
    made: Callable[..., RolloutContext], data: RunData, policy: type
) -> None:
    rollout = trained(made(help_policy=f"{HERE}:{policy.__name__}"), data)
    assert any(bool(transition.request.any()) for transition in rollout.transitions)


@pytest.mark.parametrize(
    ("sensor", "message"),
    [
        (Wide, r"^sensor \S+:Wide: __call__ returned float64 \(4, 3\); expected float32 \(4, 2\)$"),
        (Stuffy, r"^sensor \S+:Stuffy: __call__ returned nan at step 2; expected finite numbers$"),
        (Nostalgic, r"^Nostalgic\.smelled looks at the poses before this step .* `remembers = True`$"),
        (Foreboding, r"^Foreboding\.smelled looks at the tentative decision"),
        (Sizeless, r"^sensor \S+:Sizeless: size is None; expected how many numbers it gives, 1 or more$"),
    ],
)
def test_a_sensor_is_refused_in_one_line(made: Callable[..., RolloutContext], sensor: type, message: str) -> None:
    with pytest.raises(InputError, match=message):
        made(sensors=f"{HERE}:{sensor.__name__}")


@pytest.mark.parametrize(
    ("bound_advisor", "message"),
    [
        (Beyond, r"^advisor \S+:Talker: Beyond\.say returned row 1297 of a table that has rows 0 to 1296$"),
        (Fractions, r"Fractions\.say\(\)\.index returned float32 \(4,\); expected int64 \(4,\)$"),
        (Bare, r"Bare\.say returned int64 \(4,\); expected a vnla\.assistance\.words\.Utterance$"),
        (Musing, r"^Musing\.said looks at the poses before this step .* `remembers = True`$"),
        (Speaking, r"^advisor \S+:Talker: ready returned nothing; expected a vnla\.assistance\.advisor\.BoundAdvisor$"),
    ],
)
def test_an_advisor_is_refused_in_one_line(
    made: Callable[..., RolloutContext], bound_advisor: type[Speaking], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        made(advisor=Talker(bound_advisor=bound_advisor))


def test_a_sensor_that_is_wrong_later_is_blamed_itself(config: RunConfig, data: RunData) -> None:
    """The agents of the comparison walk other ways than the navigation teacher."""
    context = make_context(
        replace(config, sensors="clock"), data, make_agent(replace(config, sensors="clock"), data), training=True
    )
    late = replace(context, sensors={"clock": _Late()})
    trainer = Trainer(late, data.training_tasks(), config.training, learns_to_ask=True)
    with pytest.raises(InputError, match=r"^sensor clock: __call__ returned nan at step 1; expected finite numbers$"):
        trainer.iterate()


class _Late(Sensor):
    size = 26

    def __call__(self, situation: StepContext) -> Tensor:
        return torch.full((len(situation.pose), self.size), torch.nan if situation.step else 0.0)


@dataclass(frozen=True)
class Losing(ImitationObjective):
    """An objective that gives something else than a loss."""

    loss: Any = None

    def nav_loss(self, rollout: Rollout, judged: Judged | None) -> Tensor:
        return self.loss(super().nav_loss(rollout, judged))


@pytest.mark.parametrize(
    ("loss", "message"),
    [
        (lambda loss: loss.expand(4), r"objective \S+:Losing: nav_loss returned float32 \(4,\); expected float32 \(\)"),
        (lambda loss: loss.item(), r"objective \S+:Losing: nav_loss returned a float; expected float32 \(\)"),
        (lambda loss: loss.detach(), r"objective \S+:Losing: nav_loss returned a number that does not depend on the agent"),
    ],
)
def test_an_objective_is_refused_in_one_line(
    config: RunConfig, data: RunData, loss: Callable[[Tensor], object], message: str
) -> None:
    context = make_context(config, data, make_agent(config, data), training=True)
    trainer = Trainer(context, data.training_tasks(), config.training, learns_to_ask=True, objective=Losing(loss))
    with pytest.raises(InputError, match=message):
        trainer.iterate()


def test_parts_of_ours_are_not_tried_out(config: RunConfig, data: RunData, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr("vnla.training.part_checks._some_tasks", refuse)
    make_context(replace(config, sensors="clock,been"), data, make_agent(config, data), training=True)


def test_a_policy_with_a_plan_cannot_be_tried_out(config: RunConfig, data: RunData) -> None:
    worth = replace(config, objective="worth", help_policy="random")
    with pytest.raises(InputError, match="help policy AtRandom: plans its requests ahead"):
        make_context(worth, data, make_agent(config, data), training=True)
