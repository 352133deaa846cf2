"""What a run of the paper's experiments is made of: houses, features, data sets, sizes, training.

`SMALL` runs whole on two cores while one has lunch; `PAPER` has the paper's numbers of houses and tasks and its
hyperparameters (Table 6). All trainings of a preset have the same configuration but for what they compare.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from vnla.common.errors import InputError
from vnla.evaluation.evaluate import SEEDS
from vnla.experiments.embedded import NAME, SEED
from vnla.houses.generate.world import PRESETS as WORLDS
from vnla.houses.generate.world import WorldPreset as Houses
from vnla.tasks.buckets import FEWEST
from vnla.tasks.statistics import PAPER as PAPER_SIZES
from vnla.training.config import TrainingConfig
from vnla.vision.encoders import DEFAULT
from vnla.vision.reduce import reduced_name

SHARED = "learned"
"""The training that others may continue."""
BEGINNING = "shared"
"""Names the run of the iterations that they share."""


@dataclass(frozen=True)
class ExperimentPreset:
    """Everything that the experiments have in common."""

    name: str
    houses: Houses
    training: TrainingConfig
    validate_every: int
    agent: Mapping[str, Any] = field(default_factory=dict)
    """Sizes that differ from the paper's: fields of `AgentConfig`."""
    features: str = "efficientnet-lite0"
    """An encoder, or "symbolic"."""
    reduced: int | None = None
    """Numbers to which the features of a view are reduced (`vnla.vision.reduce`); None leaves them as they are."""
    most_train: Mapping[str, int | None] = field(default_factory=dict)
    """Data set → how many training points are kept at most."""
    least: int | None = None
    """Points of each dev and test set, at least; 5,000 or in a small world fewer, if it is not said."""
    fewest: int = FEWEST
    """Labels that occur less often are left out."""
    makes_features: bool = False
    """Whether views are drawn and encoded even where their features come with the package."""
    seeds: tuple[int, ...] = SEEDS
    """Of the help budgets, in evaluation."""
    continuing: tuple[str, ...] = ()
    """Trainings that begin with the agent that LEARNED is at its first validation, and have only the iterations that are
    left. LEARNED and NONE are never among them, so these two are what they would be without it."""
    frequent: int = 50
    """Objects and rooms with more tasks than this are compared."""

    @property
    def store(self) -> str:
        """The name of the features that agents are trained on."""
        return reduced_name(self.features, self.reduced) if self.reduced else self.features

    def has_features(self, seed: int) -> bool:
        """Return whether the features of its houses come with the package, and are to be taken from there."""
        small = self.name == NAME and self.houses == WORLDS[NAME] and seed == SEED
        return small and self.features == DEFAULT and not self.makes_features

    def given(
        self,
        *,
        iterations: int | None = None,
        validate_every: int | None = None,
        precision: str | None = None,
        features: str | None = None,
    ) -> ExperimentPreset:
        """The same but for what is given."""
        training = self.training
        training = replace(training, iterations=iterations or training.iterations, precision=precision or training.precision)
        own = replace(self, training=training, validate_every=validate_every or self.validate_every)
        return own if features is None else replace(own, features=features, reduced=None)


SMALL = ExperimentPreset(
    name="small",
    houses=WORLDS["small"],
    training=TrainingConfig(iterations=450, batch=100, learning_rate=3e-3, cooldown=0.5),
    validate_every=150,
    agent={"hidden": 128, "help_hidden": 128, "word_embedding": 128, "dropout": 0.2},
    reduced=128,
)
"""The demo's configuration: agents of a quarter of the paper's width that learn fast, for a few minutes each."""

DEMO = replace(SMALL, validate_every=225, continuing=("first", "random"))
"""The same for `vnla demo`. FIRST and RANDOM share the first half of the iterations with LEARNED, until the learning rate
begins to fall: in two trainings of each they succeeded as often as with all iterations of their own
(`benchmarks/experiments/sharing_trainings.py`). NONE succeeded less often so, and has its own."""

PAPER = ExperimentPreset(
    name="paper",
    houses=WORLDS["paper"],
    training=TrainingConfig(),
    validate_every=1000,
    most_train={task: sizes["train"].points for task, sizes in PAPER_SIZES.items()},
)
"""The paper's."""

PRESETS = {preset.name: preset for preset in (SMALL, PAPER)}


def preset_of(name: str) -> ExperimentPreset:
    """The preset of that name."""
    if name not in PRESETS:
        raise InputError(f"preset {name}: unknown; choose from {', '.join(PRESETS)}")
    return PRESETS[name]
