"""The benchmark's houses and data sets: made where they are missing, and held against the checksums of the definition.

::

    FOLDER/quick-1/base                  houses in which agents may be trained: world, asknav, noroom
    FOLDER/quick-1/common                test houses that are the same for everybody
    FOLDER/quick-1/fresh-SEED            test houses of one entry, drawn by the digest of its artefact

Tasks of test houses ask for what is frequent in the base, and have its words and its time budgets. Everything follows from
the definition and, for fresh houses, from the seed, so anybody makes the same.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from vnla.common.checksums import of_json
from vnla.common.errors import InputError
from vnla.common.progress import Tell
from vnla.experiments.benchmark.definition import COMMON, FRESH, SPLIT, BenchmarkDefinition, BenchmarkPreset, Condition
from vnla.experiments.material import encode_views, make_tasks, make_test_tasks, make_world
from vnla.houses.folder import WorldFolder, read_world
from vnla.houses.generate.world import GENERATOR, SplitSizes
from vnla.tasks.dataset import Dataset, read_dataset
from vnla.tasks.making import identity
from vnla.tasks.task_set import TaskSet
from vnla.vision.store import FeatureStore, store_path
from vnla.world.budgets import help_budget
from vnla.world.compiled import World

BASE = "base"
WORLD, BUDGETS = "world", "budgets"


@dataclass(frozen=True)
class HouseSet:
    """Houses with their data sets, on disk."""

    path: Path
    seed: int

    @property
    def world(self) -> Path:
        """The world folder."""
        return self.path / WORLD

    def tasks(self, name: str) -> Path:
        """The folder of a data set."""
        return self.path / name


def draw_seed(definition: BenchmarkDefinition, preset: BenchmarkPreset, artefact: str, beacon: str) -> int:
    """Return the seed of the fresh houses of an entry.

    `artefact` is the digest of what is submitted. `beacon` is text that nobody could know when the artefact was frozen, such
    as what a board draws when it registers the digest; without one it is empty, and an author could have tried several
    artefacts until the houses were easy.
    """
    text = "\n".join((definition.called, preset.name, artefact, beacon))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6])


@dataclass(frozen=True)
class BenchmarkHouses:
    """Houses of one preset, kept in a folder."""

    definition: BenchmarkDefinition
    preset: BenchmarkPreset
    folder: Path
    cores: int = 1

    def base(self, tell: Tell) -> HouseSet:
        """Return the houses in which agents may be trained."""
        preset, made = self.preset, HouseSet(self._place / BASE, self.preset.base_seed)
        self._make_world(made, preset.base_sizes, tell)
        for name in preset.points:
            if not made.tasks(name).exists():
                tell(f"making {name} of the {BASE} houses")
                most = preset.training_points[name]
                make_tasks(made.world, made.tasks(name), name, 0, None, preset.fewest, most, _unheard)
        self._check(BASE, made)
        return made

    def common(self, tell: Tell) -> HouseSet:
        """Return the test houses that are the same for everybody."""
        made = self._test_houses(COMMON, self.preset.common_seed, tell)
        self._check(COMMON, made)
        return made

    def fresh(self, seed: int, tell: Tell) -> HouseSet:
        """Return the test houses of this seed."""
        return self._test_houses(f"{FRESH}-{seed}", seed, tell)

    def of(self, houses: str, seed: int, tell: Tell) -> HouseSet:
        """Return the common houses, or the fresh ones of a seed."""
        return self.common(tell) if houses == COMMON else self.fresh(seed, tell)

    @property
    def _place(self) -> Path:
        return self.folder / f"{self.preset.name}-{self.definition.version}"

    def _test_houses(self, name: str, seed: int, tell: Tell) -> HouseSet:
        base = self.base(tell)
        made = HouseSet(self._place / name, seed)
        self._make_world(made, SplitSizes(0, 0, self.preset.test_houses), tell)
        for task, points in self.preset.points.items():
            if not made.tasks(task).exists():
                tell(f"making {task} of the {name} houses")
                like = base.tasks(task)
                make_test_tasks(made.world, made.tasks(task), like, base.world, 0, points, self.preset.fewest, _unheard)
        return made

    def _make_world(self, made: HouseSet, sizes: SplitSizes, tell: Tell) -> None:
        if self.definition.generator != GENERATOR:
            raise InputError(
                f"{self.definition.called}: needs generator {self.definition.generator} of houses, and this vnla has"
                f" generator {GENERATOR}; install a vnla that has it"
            )
        if not made.world.exists():
            what = f"making {sum(sizes)} houses for {made.path.name}"
            make_world(
                made.world, self.preset.houses, self.preset.world, made.seed, sizes, self.cores,
                lambda done, of, _: tell(what, int(done), int(of)),
            )  # fmt: skip

    def _check(self, name: str, made: HouseSet) -> None:
        """Refuse houses and tasks that are not those of the definition."""
        for part, found in self.checksums(name, made).items():
            wanted = self.preset.sha256.get(f"{name}/{part}")
            if wanted is not None and wanted != found:
                raise InputError(
                    f"{made.path}: {part} has the checksum {found[:12]}, but {self.definition.called} {self.preset.name} has"
                    f" {wanted[:12]}; remove the folder to have it made again, with a vnla of this version of the benchmark"
                )

    def checksums(self, name: str, made: HouseSet) -> dict[str, str]:
        """Return what identifies houses, each data set, and, of test houses, all help budgets."""
        world = read_world(made.world)
        data = {task: read_dataset(made.tasks(task)) for task in self.preset.points}
        found = {
            WORLD: str(identity(world)["sha256"]),
            **{task: of_json(each.manifest["sha256"]) for task, each in data.items()},
        }
        if name != BASE:
            conditions = [each for each in self.definition.conditions(self.preset) if each.houses == COMMON]
            found[BUDGETS] = of_json({each.name: self.budgets(world, data[each.task], each) for each in conditions})
        return found

    def encode(self, name: str, made: HouseSet, encoder: str, device: str, tell: Tell) -> tuple[str, str | None]:
        """Encode the views of houses, and return the checksum of the features and the published one, if there is one.

        Processors may round differently, so other features than the published ones are no reason to refuse anything.
        """
        what = f"encoding the views of {made.path.name}"
        encode_views(made.world, encoder, None, None, device, self.cores, lambda done, of, _: tell(what, int(done), int(of)))
        return FeatureStore.open(store_path(made.world, encoder)).sha256, self.preset.sha256.get(f"{name}/{encoder}")

    def budgets(self, world: WorldFolder, data: Dataset, condition: Condition) -> list[list[int]]:
        """Return the time and the help budget of each task under a condition."""
        tasks = TaskSet.compile(World.compile(world.houses), data.split(SPLIT), data.budgets)
        helped = help_budget(
            tasks.time_budget, tasks.key, ratio=condition.ratio, k=self.definition.k, seed=self.definition.seed
        )
        return [list(each) for each in zip(tasks.time_budget.tolist(), helped.tolist(), strict=True)]


def _unheard(_done: float, _of: float, _what: str) -> None:
    """Nobody waits for these few seconds."""
