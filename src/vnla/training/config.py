"""Everything that determines a training, as one file in its folder.

The fields are the options of `vnla train`, with their help texts (`vnla.common.options`). So that the command line can read
them at once, what a configuration names is imported when it is looked up, not with this module.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vnla.common import files
from vnla.common.errors import InputError
from vnla.common.options import OWN, option
from vnla.common.outside import check_fields
from vnla.common.registry import build, name_of
from vnla.world.forward import INFORMED, check_forward

if TYPE_CHECKING:
    from vnla.assistance.advisor import Advisor
    from vnla.assistance.help_policies import Help, HelpPolicy
    from vnla.assistance.help_teacher import HelpTeacher
    from vnla.training.objectives.objective import Objective

SYMBOLIC = "symbolic"

WORDS = "vocab.txt"
"""In the folder of a run: the words that its agent knows."""

PLACES = ("world", "tasks", "begins_with")
"""What of a configuration is somewhere on the disk."""

PRECISIONS = ("float32", "tf32", "bfloat16")
LARGEST_BATCH = 1_000_000
MOST_PRACTICE = 1_000


EARLIER = {"sensors": "senses", "feature_dropout": "veil"}
"""Field → its earlier name, which files and records of that time have."""


@dataclass(frozen=True)
class TrainingConfig:
    """How to train, with the values of the paper's hyperparameter table."""

    iterations: int = option(
        100_000,
        "Number of batches to train on; 0 leaves the agent as it is. An existing run continues up to this number, and its"
        " cooldown moves to the new end.",
        min=0,
    )
    batch: int = option(100, "Episodes in a batch.", min=1)
    learning_rate: float = option(1e-4, "Learning rate of Adam.")
    weight_decay: float = option(5e-4, "Weight of the L2 norm.")
    """It is added to the gradient."""
    ratio: float = option(0.4, "τ: share of the time with assistance.", "--ratio", "--tau", min=0, max=1)
    """τ of the help budgets (`vnla.world.budgets.HELP_RATIO`)."""
    seed: int = option(0, "Seed of everything random. Separate several by commas.", metavar="NUMBERS", several=True)
    precision: str = option("float32", "float32, bfloat16, or tf32 on a GPU.", metavar="NAME")
    """With "bfloat16" products are in mixed precision; with "tf32", on a GPU, those of float32 are rounded to 10 bits."""
    cooldown: float = option(
        0.0, "Share of the iterations in which the learning rate falls to zero at the end.", min=0, max=1
    )
    """The rate falls in a straight line. The paper has none; short trainings with a high rate end better with it."""

    def __post_init__(self) -> None:
        check_fields(self, iterations=(0, 10**12), batch=(1, LARGEST_BATCH), ratio=(0, 1), cooldown=(0, 1))
        if not 0 < self.learning_rate < math.inf:
            raise InputError(f"learning rate {self.learning_rate}: must be a number above 0")
        if not 0 <= self.weight_decay < math.inf:
            raise InputError(f"weight decay {self.weight_decay}: must be 0 or a number above it")
        if not 0 <= self.seed < 2**63:
            raise InputError(f"seed {self.seed}: must be a whole number from 0 to 2^63 - 1")
        if self.precision not in PRECISIONS:
            raise InputError(f"precision {self.precision}: unknown; choose from {', '.join(PRECISIONS)}")

    def rate(self, iteration: int) -> float:
        """The learning rate of an iteration."""
        falling = self.cooldown * self.iterations
        left = self.iterations - iteration
        return self.learning_rate * (min(1.0, left / falling) if falling else 1.0)

    def share(self, iteration: int) -> float:
        """Which share of the training is done before an iteration: 0 at the first one, 1 at the last."""
        return min(1.0, iteration / max(1, self.iterations - 1))


@dataclass(frozen=True)
class RunConfig:
    """Everything that determines a run."""

    world: str = option(
        "", "World folder; for a run to continue, where that folder is now.", "--world", metavar="DIR", is_place=True
    )
    tasks: str = option(
        "",
        "Data set folder, made by `vnla tasks make`; for a run to continue, where that folder is now.",
        "--tasks",
        metavar="DIR",
        is_place=True,
    )
    features: str = option(
        "efficientnet-lite0",
        "Features of the world, symbolic, or text. Separate several by commas. [default: what the agent declares, or the"
        " world's choice]",
        metavar="NAME",
        unset=True,
    )
    help_policy: str = option(
        "learned",
        "none, first, random, learned, teacher; spaced, entropy, if-wrong; valued, threshold; cloning, imitation; or"
        " package.module:Class. Separate several by commas.",
        metavar="NAMES",
        several=True,
    )
    help_options: dict[str, Any] = option(
        dict, "An option of the help policy; may be repeated.", "--help-option", metavar=OWN, several=True
    )
    """Fields of the help policy that differ from its own."""
    keeps_ended: bool = option(False, "Keep ended episodes in the loss, as the authors' code does.")
    validate_every: int = option(1000, "Iterations between two validations.", min=1)
    keeps_checkpoints: bool = False
    """Whether the agent of every validation is kept, to compare agents at equal success (Table 3)."""
    training: TrainingConfig = field(default_factory=TrainingConfig)
    advisor: Advisor = field(default_factory=lambda: _default_advisor())
    teacher: HelpTeacher = field(default_factory=lambda: _default_teacher())
    agent: str = option("paper", "paper, panorama, listener, or package.module:Class.", metavar="NAME")
    agent_options: dict[str, Any] = option(dict, "An option of the agent; may be repeated.", "--agent-option", metavar=OWN)
    """Of the paper's agent the fields of `AgentConfig` that differ from the paper's."""
    sensors: str = option(
        "",
        "Its sensors beside the view: clock, requests, advice, been, spotted; panorama, panorama-all, spotted-around,"
        " exits, places, objects (vnla list sensors explains them); or package.module:Class. Separate several by commas.",
        "--sensor",
        "--sense",
        "--senses",
        metavar="NAMES",
    )
    """By names with commas between (`vnla.agents.sensors`)."""
    feature_dropout: float = option(
        0.0,
        "Share of each view's features that is hidden during an episode of training.",
        "--feature-dropout",
        "--veil",
        min=0,
        max=0.95,
    )
    """It hides the same numbers for the whole episode (`RolloutContext.feature_dropout`)."""
    fold: str = option(
        "",
        "Train in some of the houses: 2/5 is the second fifth, -2/5 all but that fifth, first:61 the first 61.",
        metavar="PART",
    )
    timed: bool = option(False, "Train with the time budgets of evaluation.")
    """An agent that knows the time must not learn from it how long the way is."""
    objective: str = option(
        "imitation",
        "imitation, as in the paper; practice: the agent learns from practice walks alone; worth: the help module alone"
        " learns what a request is worth; mistakes: the help module alone learns where the next action is wrong; asking: the"
        " help module alone learns from how episodes end; reward: the agent learns from how they end; or"
        " package.module:Class.",
        metavar="NAME",
    )
    objective_options: dict[str, Any] = option(
        dict, "An option of the objective; may be repeated.", "--objective-option", metavar=OWN
    )
    """Fields of the objective that differ from its own."""
    following: bool = option(
        False, "The agent learns to follow subgoals: as training goes on, it follows more and more of them itself."
    )
    """How it learns to is in `vnla.assistance.following`."""
    practice: int = option(
        0,
        "Add N short practice walks to each episode, from which the agent learns what sentences mean.",
        metavar="N",
        min=0,
        max=MOST_PRACTICE,
    )
    """The walks are in `vnla.training.practice`."""
    strange: float = option(
        0.0, "Share of the words in these walks that the agent does not know, or knows by their spelling only.", min=0, max=1
    )
    """Which words are strange is in `vnla.training.practice.Strange`."""
    anywhere: float = option(
        0.0, "Share of these walks that lead to any place of the house instead of the goal.", min=0, max=1
    )
    contrast: float = option(
        0.0,
        "Share of these walks from places where a thing or a room that is named alone tells the way; with the advisor"
        " language grammar.",
        min=0,
        max=1,
    )
    """Where they begin is in `vnla.training.contrasts`."""
    forward: str = option(
        INFORMED,
        "Where the action forward leads. informed, as in the paper: to the next viewpoint on the shortest path if that is in"
        " the middle of the view; plain: to the viewpoint nearest to the centre.",
        metavar="NAME",
    )
    """One of `vnla.world.forward.FORWARDS`."""
    begins_with: str = option(
        "",
        "Start from the last agent of another run, or from a checkpoint.",
        "--begins-with",
        metavar="RUN",
        is_place=True,
    )

    def __post_init__(self) -> None:
        from vnla.agents.sensor_registry import sensors_named
        from vnla.tasks.sampling import Fold

        check_fields(self, validate_every=(1, math.inf), practice=(0, MOST_PRACTICE))
        check_forward(self.forward)
        for name in ("help_options", "agent_options", "objective_options"):
            if not isinstance(getattr(self, name), dict):
                raise InputError(f"{name.replace('_', ' ')}: must be names with values")
        if not 0 <= self.feature_dropout < 1:
            raise InputError(f"feature dropout {self.feature_dropout}: must be 0 or more, and less than 1")
        if not 0 <= self.strange <= 1:
            raise InputError(f"strange {self.strange}: is a share of words, between 0 and 1")
        for name, share in (("anywhere", self.anywhere), ("contrast", self.contrast)):
            if not 0 <= share <= 1:
                raise InputError(f"{name} {share}: is a share of walks, between 0 and 1")
            if share and not self.practice:
                raise InputError(f"{name}: is about practice walks; give --practice, too")
        if self.strange and not self.practice:
            raise InputError("strange words: are met in practice; give --practice, too")
        if self.practice and not self.advisor.speaks:
            raise InputError("practice: is about what the advisor says, but it says nothing")
        if not self.practice and not self.aim.runs_episodes:
            raise InputError(f"objective {self.objective}: learns from practice walks alone; give --practice, too")
        if self.practice and not self.aim.navigates:
            raise InputError(f"practice: teaches to navigate, but with the objective {self.objective} the navigator stays")
        if self.following and self.advisor.direct:
            raise InputError("following: is to learn to act on what is said, but a direct advisor acts itself")
        # A name or an option that is wrong is noticed here.
        _ = self.policy, self.aim, sensors_named(self.sensors), Fold.of_text(self.fold)

    @property
    def policy(self) -> HelpPolicy:
        """The help policy, with its options."""
        from vnla.assistance.registry import help_policy

        return help_policy(self.help_policy, self.help_options)

    @property
    def aim(self) -> Objective:
        """The objective, with its options."""
        from vnla.training.objectives.registry import objective

        return objective(self.objective, self.objective_options)

    def asking(self, name: str, options: Mapping[str, Any] | None = None) -> RunConfig:
        """The same with another help policy."""
        return replace(self, help_policy=name, help_options=dict(options or {}))

    def with_ratio(self, ratio: float | None) -> RunConfig:
        """The same with help for another share of the time, if one is given."""
        return self if ratio is None else replace(self, training=replace(self.training, ratio=ratio))

    def help(self, *, training: bool) -> Help:
        """Who helps, and for which share of the time: the configuration's, unless the help policy knows better."""
        from vnla.assistance.help_policies import Help

        return self.policy.help(Help(self.advisor, self.training.ratio), training=training)

    def stored(self) -> dict[str, Any]:
        """Return all values as records of stages have them: by earlier names, so that what was made before is still found.

        What there was no other of at first is left out: the paper's `forward`, and practice that leads to goals.
        """
        kept = {name: each for name, each in asdict(self).items() if (name, each) not in _AT_FIRST}
        kept["advisor"] = {name: each for name, each in kept["advisor"].items() if (name, each) not in _AT_FIRST}
        return {EARLIER.get(name, name): each for name, each in kept.items()}

    def text(self, folder: Path) -> str:
        """What is written to the run's folder."""
        from vnla.language.registry import ADVISORS

        value = _current(self.stored())
        value |= {name: seen_from(folder, value[name]) for name in PLACES}
        value["advisor"] = {"name": name_of(self.advisor, ADVISORS), **value["advisor"]}
        return json.dumps(value, indent=2) + "\n"

    @classmethod
    def read(cls, path: Path) -> RunConfig:
        """The configuration in a run's folder."""
        from vnla.assistance.advisor import Advisor
        from vnla.assistance.help_teacher import HelpTeacher
        from vnla.language.registry import ADVISORS, for_training

        value = files.read_json(path, "the configuration of a run")
        if not isinstance(value, dict):
            raise InputError(f"{path}: is not the configuration of a run; expected an object")
        try:
            value = _renewed(value)
            value |= {name: found_from(path.parent, value[name]) for name in PLACES if name in value}
            training, advisor, teacher = (value.pop(name) for name in ("training", "advisor", "teacher"))
            return cls(
                **value,
                training=TrainingConfig(**training),
                advisor=for_training(build("advisor", advisor.pop("name"), ADVISORS, advisor, Advisor)),
                teacher=HelpTeacher(**teacher),
            )
        except (TypeError, AttributeError, KeyError, ValueError) as error:
            raise InputError(f"{path}: is not the configuration of a run ({error})") from None


_AT_FIRST: tuple[tuple[str, Any], ...] = (
    ("forward", INFORMED),
    ("anywhere", 0.0),
    ("contrast", 0.0),
    ("landmarks", 0.0),
)


def _default_advisor() -> Advisor:
    from vnla.assistance.advisor import TemplateAdvisor

    return TemplateAdvisor()


def _default_teacher() -> HelpTeacher:
    from vnla.assistance.help_teacher import HelpTeacher

    return HelpTeacher()


def _current(value: dict[str, Any]) -> dict[str, Any]:
    """The same values by the names that fields have now."""
    fields = {earlier: name for name, earlier in EARLIER.items()}
    return {fields.get(name, name): each for name, each in value.items()}


def _renewed(value: dict[str, Any]) -> dict[str, Any]:
    """A configuration as it is written now, from one of any age: the agent, the advisor and β once had no names."""
    value = _current(value)
    if isinstance(value["agent"], dict):
        value["agent"], value["agent_options"] = "paper", value["agent"]
    value["advisor"] = {"name": "template", **value["advisor"]}
    beta = value.pop("beta", None)
    if beta is not None and value["help_policy"] == "imitation":
        value["help_options"] = {"beta": beta}
    return value


def seen_from(folder: Path, place: str) -> str:
    """How a run in `folder` notes where something is: from there if one folder holds both, so that they may be moved
    together; else from the root of the file system."""
    if not place:
        return place
    here, there = folder.resolve(), Path(place).resolve()
    shared = [each for each in here.parents if each in there.parents]
    if not shared or shared[0] == Path(here.anchor):
        return str(Path(place).absolute())
    return os.path.relpath(there, here)


def found_from(folder: Path, noted: str) -> str:
    """Where something is that a run in `folder` has noted."""
    return os.path.normpath(folder.resolve() / noted) if noted else noted
