"""Where episodes come from: a trained agent, the navigation teacher, a results file, people in a study.

A source gives its episodes in batches that fit into memory, always the same ones in the same order.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, is_dataclass, replace
from math import ceil
from pathlib import Path
from typing import Any

import torch

from vnla.assistance.phrases import COMMA
from vnla.common.errors import InputError
from vnla.common.outside import is_whole
from vnla.common.registry import name_of
from vnla.evaluation.checked import forward_of, read_records, recorded
from vnla.evaluation.contest import RESULTS, ScoringData
from vnla.evaluation.evaluate import SEEDS, fitting_batch, run_greedy
from vnla.evaluation.trace import NOTHING, Trace
from vnla.houses.folder import WorldFolder, read_world
from vnla.language.registry import ADVISORS
from vnla.recordings.recording import About, Batch
from vnla.tasks.dataset import Dataset, read_dataset
from vnla.tasks.sampling import some
from vnla.tasks.task_set import TaskSet
from vnla.tasks.vocabulary import Vocabulary
from vnla.training.config import WORDS
from vnla.training.context import make_context, vocabulary_of
from vnla.training.trained import Trained, open_trained
from vnla.world.actions import Nav
from vnla.world.budgets import HELP_RATIO, LONGEST_EPISODE, SUBGOAL_ACTIONS
from vnla.world.compiled import World
from vnla.world.forward import FORWARDS, INFORMED

BATCH = 128
"""Episodes in a batch; so many are in memory at a time."""
TEACHER = "teacher"


@dataclass(frozen=True)
class EpisodeSource:
    """Episodes of somebody."""

    name: str
    """A short one."""
    what: str
    """Whose they are, in a sentence."""
    split: str
    count: int
    folder: WorldFolder
    world: World
    dataset: Dataset
    vocabulary: Vocabulary
    batches: Callable[[], Iterator[Batch]]
    environment: Mapping[str, Any]
    """The arguments of the Gymnasium environment in which these episodes can be played again."""
    budgets_known: bool = True
    """Whether the budgets of all episodes are known, and such as that environment can have."""


def of_run(
    run: Path,
    *,
    split: str = "test_unseen",
    limit: int | None = None,
    seed: int = 123,
    ratio: float | None = None,
    checkpoint: str | None = None,
    world: Path | None = None,
    tasks: Path | None = None,
    device: str = "cpu",
    forward: str | None = None,
) -> EpisodeSource:
    """Return what a trained agent does on the tasks of a split, or on some of them."""
    trained = open_trained(run, world=world, tasks=tasks, device=device, forward=forward)
    config, material = trained.config, trained.material
    context = make_context(config, material, trained.agent_for(split, checkpoint), training=False)
    chosen = material.evaluation_tasks(split, limit)
    share = config.with_ratio(ratio).help(training=False).ratio
    steps = int(chosen.time_budget.max())
    size = min(BATCH, fitting_batch(context, chosen.end_goals, steps))

    def batches() -> Iterator[Batch]:
        for first in range(0, len(chosen), size):
            which = torch.arange(first, min(first + size, len(chosen)), device=chosen.key.device)
            episodes = chosen.episodes(which, seed=seed, ratio=share, k=context.advisor.k)
            trace = Trace.of(run_greedy(episodes, context, steps), steps).to("cpu")
            yield Batch(chosen.rows(which.tolist()), trace, [About("agent", seed)] * len(which))

    advisor = context.advisor
    environment = {
        **_environment(material.folder, material.dataset, split, config.forward),
        "ratio": share,
        "advisor": name_of(advisor, ADVISORS),
        "advisor_options": asdict(advisor) if is_dataclass(advisor) else {},
        **_words_of(trained),
    }
    what = f"A trained agent, help policy {config.help_policy}, τ = {share:g}, seed {seed} of the help budgets."
    what += _walked(config.forward)
    words = vocabulary_of(config, material)
    name = run.absolute().name
    return EpisodeSource(
        name, what, split, len(chosen), material.folder, material.world, material.dataset, words, batches, environment
    )


def _environment(folder: WorldFolder, dataset: Dataset, split: str, forward: str) -> dict[str, Any]:
    """The arguments that open these folders again, for episodes with evaluation's time budgets."""
    return {
        "world": str(folder.path.absolute()),
        "tasks": str(dataset.path.absolute()),
        "split": split,
        "budgets": "evaluation",
        "longest": max(LONGEST_EPISODE, dataset.budgets.longest),
        "forward": forward,
    }


def _words_of(trained: Trained) -> dict[str, Any]:
    """Where the words of an agent lie that are others than those of the data set."""
    words, file = trained.material.dataset.words, trained.folder / WORDS
    own = words is None or words == read_dataset(trained.material.dataset.path).vocabulary or not file.is_file()
    return {} if own else {"vocabulary": str(file.absolute())}


def of_teacher(
    world: Path,
    tasks: Path,
    *,
    split: str = "train",
    limit: int | None = None,
    seed: int = SEEDS[0],
    forward: str = INFORMED,
) -> EpisodeSource:
    """The navigation teacher's way from each start to the nearest goal: in training as long as an episode can be, else in
    the time that an agent has. It could ask as often as an agent under that seed, and never does."""
    folder, dataset = read_world(world), read_dataset(tasks)
    compiled = World.compile(folder.houses, forward=forward)
    found = dataset.split(split)
    chosen = found if limit is None else some(found, limit)

    def batches() -> Iterator[Batch]:
        for first in range(0, len(chosen), BATCH):
            part = TaskSet.compile(compiled, chosen[first : first + BATCH], dataset.budgets)
            if split == "train":
                part = replace(part, time_budget=torch.full_like(part.time_budget, LONGEST_EPISODE))
            yield Batch(part, _taught(part, seed), [About(TEACHER, seed)] * len(part))

    environment = _environment(folder, dataset, split, forward)
    if split == "train":
        environment |= {"budgets": "longest", "longest": LONGEST_EPISODE}
    what = f"The navigation teacher, which takes the shortest way to the nearest goal and never asks.{_walked(forward)}"
    return EpisodeSource(
        TEACHER, what, split, len(chosen), folder, compiled, dataset, dataset.vocabulary, batches, environment
    )


def _taught(tasks: TaskSet, seed: int) -> Trace:
    """Return what the navigation teacher does."""
    actions, poses = tasks.environment.taught_way(tasks.start, tasks.goals, LONGEST_EPISODE)
    nav = torch.stack(actions, dim=1)
    length = torch.minimum((nav != Nav.STOP).sum(dim=1) + 1, tasks.time_budget)
    pose = torch.stack(poses, dim=1)
    place = torch.minimum(torch.arange(LONGEST_EPISODE + 1), length[:, None])
    nav = nav.masked_fill(place[:, 1:] == place[:, :-1], NOTHING)
    nobody = torch.zeros_like(nav, dtype=torch.bool)
    nothing = torch.full_like(nav, NOTHING)
    help_budget = tasks.episodes(torch.arange(len(tasks)), seed=seed).help_budget
    return Trace(pose.gather(1, place), length, nav, nobody, nobody, nothing, nothing, help_budget)


def of_results(
    path: Path, world: Path, tasks: Path, *, split: str | None = None, limit: int | None = None, seed: int | None = None
) -> EpisodeSource:
    """Return the episodes of a results file, or of people in the export of a study: of a task there may be many."""
    file = path / RESULTS if path.is_dir() else path
    records = read_records(file)
    records = records if limit is None else some(records, limit)
    if not records:
        raise InputError(f"{file}: has no records")
    folder, dataset = read_world(world), read_dataset(tasks)
    forward = forward_of(records)
    compiled = World.compile(folder.houses, forward=forward)
    material = ScoringData(compiled, dataset, split=split)
    ids = [record["instr_id"] for record in records if isinstance(record, dict) and isinstance(record.get("instr_id"), str)]
    split = material.split_of(file, ids)
    every = material.tasks(split, forward)

    def batches() -> Iterator[Batch]:
        for first in range(0, len(records), BATCH):
            part = records[first : first + BATCH]
            rows, trace = recorded(file, part, every, first)
            about = [_about(record, f"{file}: record {place}", seed) for place, record in enumerate(part, start=first)]
            yield Batch(rows, _with_words(trace, part), about)

    people = any(isinstance(record, dict) and record.get("participant") for record in records)
    what = f"What people did, by {file.name}." if people else f"An agent, by the results file {file.name}."
    what += _walked(forward)
    name = path.absolute().name if path.is_dir() else path.stem
    environment = _environment(folder, dataset, split, forward)
    known = not people and all(_budgets_known(record, environment["longest"]) for record in records)
    words = dataset.vocabulary
    return EpisodeSource(
        name, what, split, len(records), folder, compiled, dataset, words, batches, environment, budgets_known=known
    )


def _budgets_known(record: Any, longest: int) -> bool:
    """Whether a record says how often its agent could ask, and is no longer than an episode of the environment can be."""
    if not isinstance(record, dict) or not isinstance(record.get("trajectory"), list):
        return False  # whoever reads it says what is wrong
    most = ceil(longest * HELP_RATIO / SUBGOAL_ACTIONS)
    return is_whole(record.get("help_budget"), 0, most) and len(record["trajectory"]) <= longest + 1


def _walked(forward: str) -> str:
    """A sentence about a `forward` that is not the paper's."""
    return "" if forward == INFORMED else f" Forward is {forward}: it goes {FORWARDS[forward]}."


def _about(record: dict[str, Any], where: str, seed: int | None) -> About:
    for field in ("participant", "condition"):
        if not isinstance(record.get(field), str | None):
            raise InputError(f"{where}: field {field} is {record[field]!r}; expected text")
    participant = record.get("participant") or ""
    return About("person" if participant else "agent", seed, participant, record.get("condition") or "")


def _with_words(trace: Trace, records: Sequence[dict[str, Any]]) -> Trace:
    """Return the trace with what the records say that the advisor said."""
    said = [[_plain(text) for text in record.get("subgoals") or ()] for record in records]
    texts = tuple(sorted({text for row in said for text in row if text}))
    place = {text: number for number, text in enumerate(texts)}
    phrase = trace.phrase.clone()
    for row, each in enumerate(said):
        phrase[row, : len(each)] = torch.tensor([place.get(text, NOTHING) for text in each], dtype=torch.int64)
    return replace(trace, phrase=phrase, texts=texts)


def _plain(subgoal: str | None) -> str:
    """Return a subgoal as it is said, commas after words."""
    return (subgoal or "").replace(f" {COMMA}", COMMA)


_OTHER = re.compile(r"[^a-z0-9]+")


def slug(*parts: str) -> str:
    """Return words as every program takes them in a name: lower-case letters and digits with hyphens between."""
    words = _OTHER.sub("-", "-".join(parts).lower()).strip("-")
    return words or "episodes"
