"""Tiny entries of the benchmark: a walker in three little houses, under every condition."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from once import shared_folder
from vnla.assistance.advisor import TemplateAdvisor
from vnla.episode import actions_since_request
from vnla.evaluation.results import Result, result_line, results_of_trace
from vnla.evaluation.scores import is_success
from vnla.evaluation.trace import NOTHING, Trace
from vnla.experiments.benchmark.artefact import artefact_of_digest
from vnla.experiments.benchmark.definition import SETS, SPLIT, Condition, definition_checksum, read_definition
from vnla.experiments.benchmark.entry import BenchmarkTrack, Manifest, packed_results, write_entry
from vnla.experiments.benchmark.houses import BenchmarkHouses, draw_seed
from vnla.houses.folder import read_world
from vnla.stepper import EpisodeStepper, Said
from vnla.tasks.dataset import read_dataset
from vnla.tasks.task_set import TaskSet
from vnla.tasks.vocabulary import Vocabulary
from vnla.world.actions import Nav
from vnla.world.compiled import World

DEFINITION = read_definition()
PRESET = DEFINITION.preset("tiny")
CONDITIONS = DEFINITION.conditions(PRESET)
ANYWHERE = (int(Nav.LEFT), int(Nav.FORWARD), int(Nav.FORWARD))
"""Also forward where nothing is ahead."""
Walks = dict[str, list[Result]]
"""Condition → what the walker did."""


def silent(_what: str, _done: int = 0, _of: int | None = None, /) -> None:
    """Nobody waits for it."""


def copied_houses(factory: pytest.TempPathFactory) -> Path:
    """A folder of its own with the base houses, the common ones and the walker's fresh ones, which are made once for all
    processes of the tests."""
    with shared_folder("benchmark-houses") as folder:
        made = BenchmarkHouses(DEFINITION, PRESET, folder)
        made.common(silent)
        made.fresh(manifest_of().fresh_seed, silent)
    return Path(shutil.copytree(folder, factory.mktemp("houses") / "houses"))


def manifest_of(frozen: str = "a walker", **changes: Any) -> Manifest:
    """What an entry of the walker says of itself."""
    artefact = artefact_of_digest("container", frozen)
    beacon = changes.pop("beacon", "")
    given: dict[str, Any] = {
        "name": "Walker",
        "authors": ("Somebody",),
        "summary": "It does what it is told.",
        "command": "vnla benchmark run walker",
        "benchmark": DEFINITION.version,
        "definition": definition_checksum(),
        "preset": PRESET.name,
        "track": BenchmarkTrack("text", False, "informed"),
        "observes": ("symbols",),
        "sensors": (),
        "reference": False,
        "trained": "not at all",
        "artefact": artefact,
        "beacon": beacon,
        "fresh_seed": draw_seed(DEFINITION, PRESET, artefact.digest, beacon),
        "code": {"version": "0"},
        "answers": {},
        "errors": {},
        "made": "2026-01-01T00:00:00Z",
        "seconds": 1.0,
    }
    return Manifest(**{**given, **changes})


def walked(houses: Path, manifest: Manifest, conditions: Sequence[Condition] = CONDITIONS, **how: Any) -> Walks:
    """What a walker does under these conditions: it asks by lot, does what it is told, and goes anywhere else."""
    made, walks = BenchmarkHouses(DEFINITION, PRESET, houses), Walks()
    for name in SETS:
        place = made.of(name, manifest.fresh_seed, silent)
        world = World.compile(read_world(place.world).houses)
        for each in conditions:
            if each.houses == name:
                data = read_dataset(place.tasks(each.task))
                tasks = TaskSet.compile(world, data.split(SPLIT), data.budgets)
                walks[each.name] = _walked(tasks, data.vocabulary, each.ratio, **how)
    return walks


def _walked(
    tasks: TaskSet,
    vocabulary: Vocabulary,
    ratio: float,
    *,
    asks: float = 0.5,
    lot: int = 0,
    seed: int = DEFINITION.seed,
) -> list[Result]:
    advisor, luck, count = TemplateAdvisor(), torch.Generator().manual_seed(lot), len(tasks)
    episodes = tasks.episodes(torch.arange(count), seed=seed, ratio=ratio)
    stepper = EpisodeStepper(episodes, advisor, advisor.ready(vocabulary.with_words(advisor.words())))
    poses, done, said = [stepper.state.pose], list[Tensor](), list[Said]()
    while bool(stepper.active.any()):
        active = stepper.active
        said.append(stepper.request(active & (torch.rand(count, generator=luck) < asks)))
        follows = actions_since_request(stepper.state) < advisor.k
        taught = episodes.environment.nav_teacher(stepper.state.pose, episodes.goals)
        anywhere = torch.tensor(ANYWHERE)[torch.randint(len(ANYWHERE), (count,), generator=luck)]
        stepper.act(nav := torch.where(follows, taught, anywhere), active)
        done.append(torch.where(active, nav, NOTHING))
        poses.append(stepper.state.pose)
    texts = sorted({text for each in said for text in each if text is not None})
    nothing = torch.full((count, len(done)), NOTHING)
    trace = Trace(
        pose=torch.stack(poses, dim=1),
        length=stepper.step,
        nav=torch.stack(done, dim=1),
        request=torch.tensor([[text is not None for text in each] for each in said]).T,
        teacher_request=nothing > 0,
        reason=nothing,
        phrase=torch.tensor([[NOTHING if text is None else texts.index(text) for text in each] for each in said]).T,
        help_budget=episodes.help_budget,
        texts=tuple(texts),
    )
    left = tasks.environment.distance_left(poses[-1], tasks.goals)
    return results_of_trace(tasks, trace, is_success(left).tolist())


def written(
    path: Path, manifest: Manifest, walks: Mapping[str, Sequence[Result]], more: Mapping[str, bytes] | None = None
) -> Path:
    """An entry with these walks, and with more files or other ones; conditions without any have no file."""
    contents = {f"results/{name}.json.gz": packed_results(each) for name, each in walks.items()}
    write_entry(path, manifest, {**contents, "card.md": b"# Walker\n", **(more or {})})
    return path


def records_of(results: Sequence[Result]) -> list[dict[str, Any]]:
    """The records of a results file, to be changed."""
    return [json.loads(result_line(each)) for each in results]


def packed(value: object) -> bytes:
    """A results file with anything in it."""
    return gzip.compress(json.dumps(value).encode(), mtime=0)


def edit_manifest(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change the manifest of an entry, whatever that breaks."""
    place = path / "manifest.json"
    value = json.loads(place.read_text())
    change(value)
    place.write_text(json.dumps(value, indent=2))
