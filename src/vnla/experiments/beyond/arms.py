"""Who is compared: LEARNED as the paper has it, and agents that go past it by one thing after the other.

An agent is trained in phases. Each begins with the agent that the phase before it ended with; a phase that several agents
have in common is trained once. All agents have the same number of iterations in all.

A scale says how large a comparison is and how the agents that go past the paper are tuned. LEARNED is trained as its preset
says, for as many iterations as all others have in all.

Where an agent has sensors, episodes have the time in training that they would have in evaluation: a clock that showed the
teacher's time would tell how long the way is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from vnla.agents.sensor_registry import ALL_AROUND, ONE_VIEW, UNTRAINED
from vnla.common.errors import InputError
from vnla.evaluation.ceilings.lines import SCHEDULES
from vnla.experiments.presets import PAPER, SMALL, ExperimentPreset
from vnla.training.config import RunConfig
from vnla.training.objectives.asking import AskingByReward

LEARNED, BEST, PANORAMA = "learned", "best", "panorama"
"""The agent that all are compared with, and those that are to beat it, on the track of one view and on the panorama's."""
LEFT_OUT = "1/5"
"""The part of the training houses that a navigator does not know, where its help module learns when to ask."""


@dataclass(frozen=True)
class Tuning:
    """How a phase of a training is tuned."""

    batch: int
    learning_rate: float
    dropout: float
    cooldown: float = 0.0


@dataclass(frozen=True)
class ComparisonScale:
    """Everything that the agents have in common, and the tuning of each kind of phase."""

    preset: ExperimentPreset
    """Houses, features, sizes; its training is that of LEARNED."""
    begun: Tuning
    """Of the first phase, imitation."""
    begun_share: float
    """Of the iterations."""
    further: Tuning
    """Of the next phase, by reward or by imitation still."""
    worth: Tuning
    """Of a last phase that learns what a request is worth; a batch has twice as many episodes there."""
    worth_share: float
    """Of the iterations; it is taken from the phase before."""
    reward: Mapping[str, Any] = field(default_factory=dict)
    """Options of the objective reward."""
    fresh: int = 0
    """Other houses that agents are tested in."""
    fresh_tasks: int = 25
    """In each of them, about."""
    limit: int = 400
    """Tasks that ceilings are looked for on."""
    schedules: int = SCHEDULES
    """Sets of times to ask that are tried in an episode."""

    @property
    def iterations(self) -> int:
        """Of every agent, in all."""
        return self.preset.training.iterations


SCALES = {
    "small": ComparisonScale(
        preset=SMALL,
        begun=Tuning(batch=100, learning_rate=3e-3, dropout=0.2),
        begun_share=0.5,
        further=Tuning(batch=100, learning_rate=1e-3, dropout=0.2, cooldown=0.5),
        worth=Tuning(batch=50, learning_rate=1e-3, dropout=0.2, cooldown=0.5),
        worth_share=0.2,
        reward={"imitation": 0.1},
        limit=40,
        schedules=100,
    ),
    "paper": ComparisonScale(
        preset=PAPER.given(iterations=25_000),
        begun=Tuning(batch=100, learning_rate=1e-4, dropout=0.5),
        begun_share=0.4,
        further=Tuning(batch=300, learning_rate=2e-4, dropout=0.2, cooldown=0.3),
        worth=Tuning(batch=150, learning_rate=2e-4, dropout=0.2, cooldown=0.3),
        worth_share=0.2,
        reward={"imitation": 0.05},
        fresh=200,
    ),
}
"""By the name of the preset."""


def scale_of(name: str) -> ComparisonScale:
    """The scale of that name."""
    if name not in SCALES:
        raise InputError(f"preset {name}: unknown; choose from {', '.join(SCALES)}")
    return SCALES[name]


@dataclass(frozen=True)
class Phase:
    """One training: what differs from that of LEARNED."""

    name: str
    """Of its runs; of the last phase, the agent's."""
    share: float = 1.0
    """Of the iterations."""
    tuning: Tuning | None = None
    """Another one than the preset's."""
    senses: str = ""
    objective: str = "imitation"
    options: Mapping[str, Any] = field(default_factory=dict)
    """Of the objective."""
    help_policy: str = "learned"
    timed: bool = False
    """Whether episodes have the time of evaluation although there are no sensors."""
    fold: str = ""
    """The part of the training houses that it has, if not all."""
    agent: str = "paper"
    tunes: str = ""
    """The help policy by which the agent then asks, with options that are chosen on the dev set, if there is one."""

    def config(self, base: RunConfig, iterations: int, before: Path | None = None) -> RunConfig:
        """The configuration of a run, from that of LEARNED; it begins with the agent of the run `before`, if any."""
        tuning = self.tuning
        training = replace(base.training, iterations=iterations)
        sizes = dict(base.agent_options)
        if tuning is not None:
            training = replace(training, batch=tuning.batch, learning_rate=tuning.learning_rate, cooldown=tuning.cooldown)
            sizes["dropout"] = tuning.dropout
        return replace(
            base,
            training=training,
            agent_options=sizes,
            help_policy=self.help_policy,
            agent=self.agent,
            sensors=self.senses,
            fold=self.fold,
            timed=self.timed or bool(self.senses),
            objective=self.objective,
            objective_options=dict(self.options),
            begins_with=str(before.resolve()) if before else "",
        )


@dataclass(frozen=True)
class HouseSubset:
    """The first training houses, and their mirror images if these are wanted."""

    count: int
    mirrored: bool = False

    @property
    def name(self) -> str:
        """In names of runs."""
        return f"{self.count}-mirrored" if self.mirrored else f"{self.count}"

    @property
    def fold(self) -> str:
        """As `vnla train --fold` has it."""
        return f"first:{self.count}{',mirrored' if self.mirrored else ''}"

    @property
    def words(self) -> str:
        """In a sentence."""
        return f"{self.count:,} houses{' and their mirror images' if self.mirrored else ''}"


@dataclass(frozen=True)
class Arm:
    """One of those who are compared."""

    name: str
    adds: str
    """What there is to it, in a line."""
    phases: tuple[Phase, ...]
    usual: bool = True
    """Whether it takes part unless others are named."""
    iterations: int | None = None
    """Of all its phases, where it has not as many as the others."""
    houses: HouseSubset | None = None
    """The houses that it is trained in, if not all."""

    def trained_in(self, houses: HouseSubset, name: str | None = None) -> Arm:
        """The same agent trained in some of the houses, under another name."""
        phases = tuple(replace(phase, name=f"{phase.name}-{houses.name}", fold=houses.fold) for phase in self.phases[:-1])
        called = name or f"{self.name}-{houses.name}"
        last = replace(self.phases[-1], name=called, fold=houses.fold)
        return replace(self, name=called, adds=f"{self.adds}, in {houses.words}", phases=(*phases, last), houses=houses)

    @property
    def title(self) -> str:
        """What tables call it."""
        return self.name.upper()

    def lengths(self, iterations: int) -> list[int]:
        """How many of the iterations each phase has; of its own, where it has some."""
        iterations = self.iterations or iterations
        ends = [round(iterations * sum(phase.share for phase in self.phases[: i + 1])) for i in range(len(self.phases))]
        found = [end - first for first, end in zip([0, *ends], ends, strict=False)]
        if min(found) < 1:
            raise InputError(f"{iterations} iterations: too few for the {len(found)} phases of {self.title}")
        return found


def all_arms(scale: ComparisonScale) -> dict[str, Arm]:
    """By name, those first that others build on."""
    lent, every = ",".join(UNTRAINED), ",".join(ONE_VIEW)
    around, seen = f"{lent},panorama", f"{lent},panorama,spotted-around"
    chooses = ",".join(("clock", "requests", "advice", *ALL_AROUND))
    starts = {"": "start", lent: "start-senses", every: "start-spotting", around: "start-panorama", seen: "start-around"}
    rest = 1 - scale.begun_share

    def begun(senses: str, timed: bool = False) -> Phase:
        name = "start-timed" if timed else starts.get(senses, f"start-{senses}")
        return Phase(name, scale.begun_share, scale.begun, senses, timed=timed)

    def rewarded(name: str, senses: str, share: float = rest) -> Phase:
        return Phase(name, share, scale.further, senses, "reward", scale.reward)

    def tuned(name: str, adds: str, senses: str = "", timed: bool = False) -> Arm:
        return Arm(name, adds, (begun(senses, timed), Phase(name, rest, scale.further, senses, timed=timed)))

    def by_reward(name: str, adds: str, senses: str = "") -> Arm:
        return Arm(name, adds, (begun(senses), rewarded(name, senses)))

    short = rewarded("start-valued", lent, rest - scale.worth_share)
    valued = Phase("valued", scale.worth_share, scale.worth, lent, "worth", help_policy="valued")
    usual = [
        Arm(LEARNED, "the paper's agent and training", (Phase(LEARNED),)),
        tuned("tuned", "LEARNED, tuned as those below"),
        tuned("senses", "TUNED with four sensors", lent),
        by_reward("reward", "TUNED, then trained by reward"),
        by_reward(BEST, "four sensors, then trained by reward", lent),
        Arm("valued", "BEST, then taught what a request is worth", (begun(lent), short, valued)),
    ]
    others = [
        *(by_reward(sense, f"REWARD with one sensor, {sense}", sense) for sense in ONE_VIEW),
        tuned("timed", "TUNED, with the time of evaluation", timed=True),
        *(tuned(f"tuned-{sense}", f"TUNED with one sensor, {sense}", sense) for sense in ONE_VIEW),
        tuned("senses-spotted", "SENSES and spotted", every),
        by_reward("best-spotted", "BEST and spotted", every),
        tuned("tuned-panorama", "SENSES and a panorama", around),
        by_reward(PANORAMA, "BEST and a panorama", around),
        by_reward(f"{PANORAMA}-spotted", "PANORAMA, and what it has spotted all around", seen),
        with_agent(PANORAMA, by_reward(f"{PANORAMA}-agent", "an agent that chooses among exits and places", chooses)),
        chosen_threshold("threshold", tuned("tuned", "")),
        chosen_threshold("best-threshold", by_reward(BEST, "", lent)),
        taught_to_ask(scale, "mistaken", "mistakes", tuned("tuned", "")),
        taught_to_ask(scale, "best-mistaken", "mistakes", by_reward(BEST, "", lent)),
        taught_to_ask(scale, "asking", "asking", tuned("tuned", "")),
        taught_to_ask(scale, "best-asking", "asking", by_reward(BEST, "", lent)),
    ]
    return {arm.name: arm for arm in (*usual, *(replace(arm, usual=False) for arm in others))}


def with_agent(agent: str, base: Arm) -> Arm:
    """Return an arm whose phases train another agent than the paper's."""
    first, *others = (replace(phase, agent=agent) for phase in base.phases)
    return replace(base, phases=(replace(first, name=f"start-{base.name}"), *others))


def chosen_threshold(name: str, base: Arm) -> Arm:
    """Return an arm of two phases whose threshold for asking is then chosen on the dev set."""
    first, second = base.phases
    adds = f"{base.title}, with a threshold for asking from the dev set"
    return Arm(name, adds, (first, replace(second, name=name, tunes="threshold")))


TAUGHT_TO_ASK = {
    "mistakes": ("where its next action is wrong", 1),
    "asking": ("by reward when to ask", AskingByReward.samples),
}
"""Objectives of the help module alone: what an arm is taught by one in the end, and how many episodes it runs of a task."""


def taught_to_ask(scale: ComparisonScale, name: str, objective: str, base: Arm) -> Arm:
    """Return an arm of two phases with a part of the houses left out, and a third there for the help module alone."""
    first, second = base.phases
    taught, times = TAUGHT_TO_ASK[objective]
    tuning = replace(scale.further, batch=scale.further.batch // times)
    third = Phase(name, scale.worth_share, tuning, second.senses, objective, help_policy="threshold")
    phases = (
        replace(first, name=f"{first.name}-folded", fold=f"-{LEFT_OUT}"),
        replace(second, name=f"start-{base.name}-folded", share=second.share - scale.worth_share, fold=f"-{LEFT_OUT}"),
        replace(third, fold=LEFT_OUT, tunes="threshold"),
    )
    return Arm(name, f"{base.title}, then taught {taught}", phases)


ALONE = {
    "clock": "the clock",
    "requests": "requests left",
    "advice": "advice in hand",
    "been": "where it has been",
    "spotted": "what it has spotted",
}
"""Sensors that an agent has alone, in words."""
PARTS = (
    ("tuned", LEARNED, "other tuning"),
    ("senses", "tuned", "sensors, under imitation"),
    ("reward", "tuned", "reward, without sensors"),
    (BEST, "reward", "sensors, under reward"),
    (BEST, "senses", "reward, with sensors"),
    (BEST, "tuned", "sensors and reward"),
    ("valued", BEST, "what a request is worth"),
    *((sense, "reward", f"{ALONE[sense]} alone") for sense in ONE_VIEW),
    ("timed", "tuned", "the time of evaluation"),
    ("senses", "timed", "sensors, under imitation, in the same time"),
    *((f"tuned-{sense}", "timed", f"{ALONE[sense]} alone, under imitation") for sense in ONE_VIEW),
    ("senses-spotted", "senses", "what it has spotted, besides all other sensors, under imitation"),
    ("best-spotted", BEST, "what it has spotted, besides all other sensors"),
    ("threshold", "tuned", "a threshold for asking, from the dev set"),
    ("best-threshold", BEST, "a threshold for asking, from the dev set, with sensors and reward"),
    ("mistaken", "tuned", "where the next action is wrong"),
    ("best-mistaken", BEST, "where the next action is wrong, with sensors and reward"),
    ("asking", "tuned", "when to ask, by reward"),
    ("best-asking", BEST, "when to ask, by reward with the navigator frozen"),
    ("tuned-panorama", "senses", "a panorama, under imitation"),
    (PANORAMA, BEST, "a panorama"),
    (f"{PANORAMA}-spotted", PANORAMA, "what it has spotted all around"),
    (f"{PANORAMA}-agent", f"{PANORAMA}-spotted", "choosing among exits and places"),
    (f"{PANORAMA}-spotted", LEARNED, "all of it, on the panorama track"),
    (BEST, LEARNED, "all of it"),
)
"""Who has something more than whom, and what."""


def arms_by_houses(
    scale: ComparisonScale, names: Sequence[str], counts: Sequence[int], *, mirrored: bool = False
) -> list[Arm]:
    """Agents, BEST unless others are named, each trained in several numbers of houses; and LEARNED in the fewest."""
    arms = {arm.name: arm for arm in chosen_arms(scale, names or (BEST,))}
    subsets = [HouseSubset(count, mirror) for mirror in ((False, True) if mirrored else (False,)) for count in counts]
    fewest = arms[LEARNED].trained_in(HouseSubset(min(counts)), LEARNED)
    return [fewest, *(arms[name].trained_in(each) for name in dict.fromkeys(names or (BEST,)) for each in subsets)]


def chosen_arms(scale: ComparisonScale, names: Sequence[str] = ()) -> list[Arm]:
    """Those that are named, or the usual ones; LEARNED is always among them."""
    arms = all_arms(scale)
    for name in names:
        if name not in arms:
            raise InputError(f"arm {name}: unknown; choose from {', '.join(arms)}")
    return [arm for arm in arms.values() if (arm.name in {LEARNED, *names} if names else arm.usual)]
