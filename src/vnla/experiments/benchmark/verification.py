"""Verification: everything that an entry says is computed again from its walks, by the rules of an episode.

    verified = verify_entry(Path("entry"), Path("benchmark"))
    print(verified.of("common", "asknav", 0.4).scores.success.mean())

The houses, the tasks, the time and help budgets and the seed of the fresh houses follow from the definition and from the
digest of the artefact; an entry chooses none of them. Every walk is walked again, with every request, and every word of the
advisor is said again (`vnla.evaluation.checked`). A task without a record, or with one that cannot be, counts against the
entry in every score; it is counted and named. An entry without any record that can be believed is refused.

What this cannot tell: whether the agent of the artefact has taken these walks. A walk that somebody made up, within all
rules, looks like one. Who has the agent lets it walk again (`compare_again`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vnla.assistance.advisor import BoundAdvisor, TemplateAdvisor
from vnla.camera import HEADINGS, TURN
from vnla.common import files
from vnla.common.errors import InputError
from vnla.common.outside import shown
from vnla.common.progress import Tell, untold
from vnla.evaluation.allowance import Allowance
from vnla.evaluation.checked import LARGEST, LARGEST_RECORD, Checked, Claim, check
from vnla.evaluation.results import WHAT, Result, read_result
from vnla.evaluation.scores import Array, Scores
from vnla.evaluation.trace import Trace
from vnla.experiments.benchmark.definition import SPLIT, Condition
from vnla.experiments.benchmark.entry import MANIFEST, EntryFolder, open_entry, results_name
from vnla.experiments.benchmark.houses import BenchmarkHouses, draw_seed
from vnla.experiments.benchmark.signing import Signature, read_signature
from vnla.houses.folder import read_world
from vnla.report.printing import harmless
from vnla.tasks.dataset import Dataset, read_dataset
from vnla.tasks.task_set import TaskSet
from vnla.world.compiled import World

FAILED = ("success", "room_success", "oracle_success", "spl", "ndtw")
"""Scores that are 0 for a task without a record that can be believed."""
_NAMED = 100
"""Wrong records and missing tasks that a JSON file names."""


@dataclass(frozen=True)
class VerifiedCondition:
    """What an agent did under one condition, as far as it can be believed."""

    condition: Condition
    tasks: TaskSet
    """All tasks of the condition, in the order of the split."""
    trace: Trace
    """A row for each task; without a record that can be believed the agent stays where it began."""
    scores: Scores
    """Of the shape (tasks,). Without such a record a task has failed, with all its requests made."""
    sound: NDArray[np.bool_]
    """Whether each task has a record that can be believed."""
    wrong: tuple[str, ...]
    """What is wrong with records, a line each."""
    missing: tuple[str, ...]
    """Tasks without a record."""
    claims: tuple[str, ...]
    """Where records say something else of themselves than was found; nothing was counted by what they say."""

    @cached_property
    def houses(self) -> NDArray[np.str_]:
        """The house of each task."""
        return np.array([task.house for task in self.tasks.tasks])

    @property
    def asked(self) -> int:
        """Requests in all walks together."""
        return int(self.trace.request.sum())

    @property
    def steps(self) -> int:
        """Actions in all walks together."""
        return int(self.trace.length.sum())

    def as_dict(self) -> dict[str, Any]:
        """For a JSON file."""
        return {
            "tasks": len(self.tasks),
            "houses": len(set(self.houses.tolist())),
            "sound": int(self.sound.sum()),
            "success": int(self.scores.success.sum()),
            "requests": self.asked,
            "steps": self.steps,
            "wrong": len(self.wrong),
            "missing": len(self.missing),
            "first_wrong": list(self.wrong[:_NAMED]),
            "first_missing": list(self.missing[:_NAMED]),
            "claims": list(self.claims),
        }


@dataclass(frozen=True)
class VerifiedEntry:
    """An entry of which everything was computed again."""

    entry: EntryFolder
    signature: Signature | None
    """None: nobody has signed it, so anybody may have made or changed it."""
    conditions: Mapping[str, VerifiedCondition]
    """By the names of the conditions, in the order of the definition."""

    def of(self, houses: str, task: str, ratio: float) -> VerifiedCondition:
        """Return what was done in these houses, on a data set, with τ of the help budgets."""
        return self.conditions[Condition(houses, task, ratio).name]

    def results(self, name: str) -> dict[str, Result]:
        """Return the records of a condition that can be believed, by their tasks; its file is read again."""
        done = self.conditions[name]
        sound = {task.id for task, right in zip(done.tasks.tasks, done.sound.tolist(), strict=True) if right}
        found: dict[str, Result] = {}
        for record in _records(self.entry, done.condition, len(done.tasks)):
            task = record.get("instr_id") if isinstance(record, dict) else None
            if isinstance(task, str) and task in sound and task not in found:
                try:
                    found[task] = read_result(record, results_name(done.condition))
                except InputError:
                    continue  # a later record of the task is the one that was right
        return found

    @property
    def wrong(self) -> int:
        """Records that cannot be, under all conditions."""
        return sum(len(each.wrong) for each in self.conditions.values())

    @property
    def missing(self) -> int:
        """Tasks without a record, under all conditions."""
        return sum(len(each.missing) for each in self.conditions.values())

    def as_dict(self) -> dict[str, Any]:
        """For a JSON file."""
        return {
            "manifest": self.entry.manifest.as_dict(),
            "artefact": self.entry.manifest.artefact.digest,
            "signature": None if self.signature is None else self.signature.as_dict(),
            "wrong": self.wrong,
            "missing": self.missing,
            "conditions": {name: each.as_dict() for name, each in self.conditions.items()},
        }


def verify_entry(path: Path, houses: Path, *, cores: int = 1, tell: Tell = untold) -> VerifiedEntry:
    """Compute everything in the entry of a folder again, with the benchmark's houses in `houses`, made where missing."""
    entry = open_entry(path)
    signature = read_signature(entry)
    _check_draw(entry)
    made = BenchmarkHouses(entry.definition, entry.preset, houses, cores)
    conditions: dict[str, VerifiedCondition] = {}
    for material in _materials(entry, made, tell):
        condition = material.condition
        tell(f"walking again: {condition.name}", len(conditions), len(entry.conditions))
        conditions[condition.name] = _verified(entry, material)
    tell("walking again", len(conditions), len(entry.conditions))
    if not any(each.sound.any() for each in conditions.values()):
        wrong = next((each.wrong[0] for each in conditions.values() if each.wrong), "it has no records")
        raise InputError(f"{path}: none of its records can be believed; the first thing wrong: {wrong}")
    return VerifiedEntry(entry, signature, conditions)


def _check_draw(entry: EntryFolder) -> None:
    """Refuse fresh houses that the artefact has not drawn."""
    manifest = entry.manifest
    drawn = draw_seed(entry.definition, entry.preset, manifest.artefact.digest, manifest.beacon)
    if manifest.fresh_seed != drawn:
        raise InputError(
            f"{entry.path / MANIFEST}: field fresh_seed is {manifest.fresh_seed}, but artefact and beacon draw {drawn}"
        )


@dataclass(frozen=True)
class _Material:
    """A condition with what its records are held against."""

    condition: Condition
    tasks: TaskSet
    advisor: BoundAdvisor


def _materials(entry: EntryFolder, made: BenchmarkHouses, tell: Tell) -> Iterator[_Material]:
    """Return all conditions in the order of the definition; houses and data sets are compiled once."""
    forward, conditions = entry.manifest.track.forward, entry.conditions
    advisor = TemplateAdvisor(k=entry.definition.k)
    for houses in entry.manifest.sets:
        folder = made.of(houses, entry.manifest.fresh_seed, tell)
        world = World.compile(read_world(folder.world).houses, forward=forward)
        for name in entry.preset.points:
            data = read_dataset(folder.tasks(name))
            tasks = TaskSet.compile(world, data.split(SPLIT), data.budgets)
            bound = _bound(advisor, data)
            for condition in conditions:
                if (condition.houses, condition.task) == (houses, name):
                    yield _Material(condition, tasks, bound)


def _bound(advisor: TemplateAdvisor, data: Dataset) -> BoundAdvisor:
    return advisor.ready(data.vocabulary.with_words(advisor.words()))


def _records(entry: EntryFolder, condition: Condition, tasks: int) -> list[Any]:
    """Return what is in the file of a condition, nothing where there is none."""
    name = results_name(condition)
    if name not in entry.manifest.files:
        return []
    place = entry.path / name
    limit = min(LARGEST, files.MEGABYTE + LARGEST_RECORD * tasks)
    records = files.parse_json(files.read_gzip(place, WHAT, limit), place, WHAT)
    if not isinstance(records, list):
        raise InputError(f"{place}: is not a list; expected {WHAT}")
    if len(records) > tasks:
        raise InputError(f"{place}: has {len(records):,} records of {tasks:,} tasks; expected one each")
    return records


def _verified(entry: EntryFolder, material: _Material) -> VerifiedCondition:
    condition, definition = material.condition, entry.definition
    allowance = Allowance(condition.ratio, definition.k, definition.seed, material.advisor)
    records = _records(entry, condition, len(material.tasks))
    where = Path(results_name(condition))  # within the entry, wherever that lies
    found = check(where, material.tasks, allowance, lenient=True, records=records, least=0)
    sound = np.array(found.sound, dtype=np.bool_)
    return VerifiedCondition(
        condition,
        found.tasks,
        found.trace,
        _counted(found, sound),
        sound,
        tuple(map(harmless, found.wrong)),
        found.missing,
        tuple(_claim_line(where, each) for each in found.claims if each.differ),
    )


def _counted(found: Checked, sound: NDArray[np.bool_]) -> Scores:
    """Return the scores, those of failed tasks such that leaving out a record is never worth it."""
    scores = found.scores
    lost: dict[str, Array] = {name: np.where(sound, scores[name], 0).astype(scores[name].dtype) for name in FAILED}
    requests = np.where(sound, scores.requests, scores.help_budget)
    return scores | {**lost, "requests": requests}


def _claim_line(where: Path, claim: Claim) -> str:
    return harmless(f"{where}: field {claim.field} is wrong in {claim.differ:,} of {claim.said:,} records: {claim.first}")


def compare_again(recorded: Mapping[str, Result], again: Sequence[Result]) -> list[str]:
    """Return where walks that an agent took again first differ from those that were recorded, a line for each task.

    An agent that is drawn by lot, or a model behind an address, may differ in good faith; weights and code may not.
    """
    return [line for each in again if (line := _difference(recorded.get(each.instr_id), each)) is not None]


def _difference(before: Result | None, again: Result) -> str | None:
    task = f"task {harmless(again.instr_id)}"
    if before is None:
        return f"{task}: has no record that can be believed"
    for step, (was, now) in enumerate(zip(_steps(before), _steps(again), strict=False)):
        for what, one, other in zip(("is at", "asks", "is told"), was, now, strict=True):
            if one != other:
                return f"{task}: step {step}: {what} {shown(other)} when walked again, {shown(one)} in the record"
    lengths = len(before.trajectory) - 1, len(again.trajectory) - 1
    if lengths[0] != lengths[1]:
        return f"{task}: takes {lengths[1]} steps when walked again, {lengths[0]} in the record"
    return None


def _steps(result: Result) -> Iterator[tuple[str, bool, str]]:
    """Return where an agent was before each action and after the last, whether it asked there, and what it was told."""
    asked, said = result.agent_ask or (), result.subgoals or ()
    for step, (viewpoint, heading, elevation) in enumerate(result.trajectory):
        view = f"{viewpoint}, heading {round(heading / TURN) % HEADINGS * 30}°, elevation {round(elevation / TURN) * 30}°"
        yield view, step < len(asked) and bool(asked[step]), (said[step] or "") if step < len(said) else ""
