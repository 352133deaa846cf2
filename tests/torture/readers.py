"""Every reader of a file that may be a stranger's, with a small file that it takes.

A reader is given a path and raises nothing but `InputError`, whatever is there. What it needs is imported when it is called:
the others can be tried where that is not installed.
"""

from __future__ import annotations

import gzip
import io
import json
import shutil
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import asdict, replace
from functools import cache, reduce
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from PIL import Image

from cottage_run import cottage_records
from vnla.common.errors import InputError
from vnla.houses.cottage import cottage
from vnla.houses.folder import WorldFolder, read_world, write_world
from vnla.houses.house import House
from vnla.houses.matterport import (
    BuildingFiles,
    TextFile,
    find_buildings,
    read_building,
    read_connectivity,
    read_panorama_to_region,
)
from vnla.tasks.task import read_tasks
from vnla.tasks.vocabulary import Vocabulary

if TYPE_CHECKING:
    from vnla.evaluation.results import Result
    from vnla.pipeline.stages import Stage
    from vnla.tasks.task_set import TaskSet
    from vnla.vision.store import FeatureStore

PLACES = (("one", "a"), ("one", "b"))
EXAMPLE = Path(__file__).parents[2] / "examples" / "world.json"


class Reader(NamedTuple):
    """Makes the file in a folder, and reads it."""

    name: str
    make: Callable[[Path], Path]
    read: Callable[[Path], object]
    packed: str = ""
    """How the file is packed: gzip or zip; what is inside can be changed as well."""


def _in(place: str) -> Any:
    """What is there in a module of ours, which is imported when it is called."""
    module, _, name = place.partition(":")
    return lambda *given: reduce(getattr, name.split("."), import_module(f"vnla.{module}"))(*given)


@cache
def _tasks() -> TaskSet:
    from vnla.tasks.cottage import cottage_tasks
    from vnla.tasks.task_set import TaskSet
    from vnla.world.budgets import TimeBudgets
    from vnla.world.compiled import World

    world = World.compile([cottage()])
    return TaskSet.compile(world, cottage_tasks(world), TimeBudgets())


def _result() -> Result:
    from vnla.evaluation.results import Result

    task = _tasks().tasks[0]
    heading = task.heading * np.pi / 6
    path = ((task.start, heading, 0.0), (task.start, heading + np.pi / 6, 0.0), (task.start, heading + np.pi / 6, 0.0))
    return Result(task.id, task.house, path, agent_nav=((0, 1, 0), (0, 0, 0)), agent_ask=(0, 1), subgoals=(None, "go"))


@cache
def _hut() -> House:
    """Three places of the cottage: as much to read as there are kinds of things in a file."""
    whole, places = cottage(), (0, 1, 2)
    stands = [
        replace(whole.viewpoints[i], visible=tuple(j for j in whole.viewpoints[i].visible if j in places)) for i in places
    ]
    return replace(
        whole,
        viewpoints=tuple(stands),
        edges=((0, 1), (1, 2)),
        rooms=whole.rooms[:2],
        objects=whole.objects[:2],
        levels=whole.levels[:1],
    )


def _cottage(folder: Path) -> Path:
    """A world folder of the hut, and two of the cottage's tasks."""
    write_world(folder / "world", [_hut()], source="drawn", splits={"train": ["cottage"]})
    (folder / "tasks").mkdir()
    (folder / "tasks" / "asknav_train.json").write_text(json.dumps(cottage_records()[:2]))
    return folder


def _in_world(part: str) -> Callable[[Path], Path]:
    return lambda folder: next((_cottage(folder) / "world").rglob(part))


@cache
def _root(path: Path) -> Path:
    return next(each for each in path.parents if (each / "connectivity").is_dir())


def _building(path: Path) -> object:
    return [read_building(each) for each in find_buildings(_root(path))]


@cache
def _found(root: Path) -> tuple[BuildingFiles, ...]:
    return find_buildings(root)


def _house(path: Path) -> object:
    """What is in a house does not change where it lies."""
    return [read_building(each) for each in _found(_root(path))]


def _read_graph(path: Path) -> object:
    from vnla.mattersim.graph import load_graph

    return load_graph(str(path.parent), path.stem.removesuffix("_connectivity"))


def _text(name: str, text: str) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        (folder / name).write_text(text, encoding="utf-8")
        return folder / name

    return make


def _json(name: str, value: object) -> Callable[[Path], Path]:
    return _text(name, json.dumps(value))


def _zipped(folder: Path) -> Path:
    scan = next((_cottage(folder) / "world" / "v1" / "scans").iterdir())
    archive = scan / "house_segmentations.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as stream:
        for path in sorted((scan / "house_segmentations").iterdir()):
            stream.write(path, f"{scan.name}/house_segmentations/{path.name}")
    shutil.rmtree(scan / "house_segmentations")
    return archive


def _generated(folder: Path) -> Path:
    from vnla.houses.generate.world import GENERATOR

    extra = {"generator": GENERATOR, "preset": "small", "seed": 0, "houses": {"cottage": [7, 20]}, "wishes": None}
    write_world(folder / "world", [_hut()], source="generated", extra=extra)
    return folder / "world" / "world.json"


def _read_recipe(path: Path) -> object:
    from vnla.houses.generate.world import recipe_of

    return recipe_of(read_world(path.parent), "cottage")


def _gzipped(folder: Path) -> Path:
    text = (_cottage(folder) / "tasks" / "asknav_train.json").read_bytes()
    (folder / "asknav_train.json.gz").write_bytes(gzip.compress(text, mtime=0))
    return folder / "asknav_train.json.gz"


def _dataset(folder: Path) -> Path:
    tasks = _cottage(folder) / "tasks"
    bounds = [["kitchen", "bathroom", 12.5], ["hallway", "bedroom", 9]]
    value = {
        "format": "vnla-tasks", "version": 1, "task": "asknav", "files": {"train": "asknav_train.json"}, "sha256": {},
        "splits": {}, "time_budgets": {"longest": 25, "bounds": bounds},
    }  # fmt: skip
    (tasks / "manifest.json").write_text(json.dumps(value))
    return tasks / "manifest.json"


def _read_dataset(path: Path) -> object:
    from vnla.tasks.dataset import read_dataset

    found = read_dataset(path.parent)
    return found.budgets[("kitchen", "bathroom")], found.vocabulary, found.split("train")


def _store(folder: Path) -> FeatureStore:
    from vnla.vision.encoders import Size
    from vnla.vision.store import Header, StoreWriter

    header = Header("ours", "v1", 3, Size(32, 24), 60.0, "", PLACES, (("depth", 3),))
    with StoreWriter(folder / "store", header) as writer:
        writer.write(0, np.arange(2 * 36 * 3, dtype=np.float32).reshape(2, 36, 3) / 7)
        return writer.finish()


def _read_store(path: Path) -> object:
    from vnla.vision.store import FeatureStore

    store = FeatureStore.open(path.parent)
    store.verify()
    return store.array.sum()


def _exported(name: str) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        from vnla.vision.exchange import export_features

        export_features(_store(folder), folder / name)
        return folder / name

    return make


def _config(folder: Path) -> Path:
    from vnla.training.config import RunConfig

    (folder / "config.json").write_text(
        RunConfig("w", "t", help_policy="imitation", help_options={"beta": 0.5}).text(folder)
    )
    return folder / "config.json"


def _part() -> torch.nn.Module:
    torch.manual_seed(0)
    return torch.nn.Linear(3, 2)


def _checkpoint(folder: Path) -> Path:
    from vnla.training.checkpoints import checkpoint_file, part_tensors

    notes = {"done": "12", "validated": "10", "best": '{"val_seen": 12.5}'}
    (folder / "last.safetensors").write_bytes(checkpoint_file(part_tensors({"agent.": _part()}), notes))
    return folder / "last.safetensors"


def _read_checkpoint(path: Path) -> object:
    from vnla.training.checkpoints import best_rates, iterations_done, load_part_tensors, read_checkpoint, validated_at

    tensors, notes = read_checkpoint(path)
    done = iterations_done(path, notes)
    load_part_tensors({"agent.": _part()}, tensors, path)
    return best_rates(path, notes), validated_at(notes, done)


def _log(folder: Path) -> Path:
    rates = {"success_rate": 12.5, "nav_error": 3.0}
    lines = [{"iteration": 10, "nav_loss": 1.5, "ask_loss": 0.0}, {"iteration": 10, "val_seen": rates, "val_unseen": rates}]
    (folder / "log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder / "log.jsonl"


def _packed_log(folder: Path) -> Path:
    log = _log(folder)
    packed = log.with_name(f"{log.name}.gz")
    packed.write_bytes(gzip.compress(log.read_bytes(), mtime=0))
    log.unlink()
    return packed


def _results(folder: Path) -> Path:
    from vnla.evaluation.results import write_results

    write_results(folder / "results.json", [_result()])
    return folder / "results.json"


def _read_results(path: Path) -> object:
    from vnla.evaluation.checked import check

    return check(path, _tasks().rows([0]))


def _read_walks(path: Path) -> object:
    from vnla.evaluation.checked import read_records, recorded

    return recorded(path, read_records(path), _tasks())


def _people(folder: Path) -> Path:
    record = {name: value for name, value in asdict(_result()).items() if value is not None}
    (folder / "people.json").write_text(json.dumps([{**record, "participant": "p1", "condition": "alone"}]))
    return folder / "people.json"


def _evaluation(folder: Path) -> Path:
    from vnla.evaluation.evaluate import Evaluation
    from vnla.evaluation.evaluation_file import write_evaluation
    from vnla.evaluation.metrics import score
    from vnla.evaluation.results import trace_of

    rows = _tasks().rows([0])
    trace = trace_of(rows, [("record", _result())])
    scores = score(trace, rows.environment, rows.goals).reshape(1, 1)
    write_evaluation(folder / "evaluation.npz", Evaluation(rows, (123,), trace, scores))
    return folder / "evaluation.npz"


def _read_evaluation(path: Path) -> object:
    from vnla.evaluation.evaluation_file import read_scores, read_trace

    return read_trace(path), read_scores(path)


def _session(folder: Path) -> Path:
    lines = [
        {"at": 1.5, "wanted": {"task": "1_0", "seed": 3}},
        {"at": 2.0, "event": {
            "kind": "begun", "number": 1, "mode": "watch", "episode": "e", "house": "h", "sentence": "s", "time": 9,
            "requests": 2, "k": 4, "start": {"viewpoint": "a", "heading": 3, "row": 1}}},
    ]  # fmt: skip
    (folder / "one.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder / "one.jsonl"


def _read_session(path: Path) -> object:
    from vnla.serve.limits import Limits
    from vnla.serve.sessions import Session

    return Session("one", path, Limits()).read()


def _study(folder: Path) -> Path:
    """The record of somebody who has begun a study and turned once."""
    from vnla.serve.places import PlaceNames
    from vnla.serve.study.records import record_of

    places = PlaceNames(_world().houses)
    [(house, there)] = places.houses.items()
    pose = {"viewpoint": next(iter(places.viewpoints(there).values())), "heading": 3, "row": 1}
    begun = {"kind": "begun", "mode": "beat", "episode": "e", "house": house, "sentence": "s", "time": 9, "requests": 2,
             "k": 4, "start": pose}  # fmt: skip
    stood = {"kind": "stood", "step": 0, "pose": pose, "steps_left": 9, "requests_left": 2, "ahead": []}
    events = [begun, stood, {"kind": "acted", "action": "left", "pose": pose}]
    stamp = {"study": "s", "configuration": "c", "code": "1", "world": "w", "tasks": "t", "checkpoints": {"a": "0"}}
    lines: list[dict[str, object]] = [
        {"stamp": stamp}, {"consent": "v"}, {"heard": {"kind": "next", "at": 1.5}},
        {"trial": {"number": 1, "place": 0, "kind": "task", "condition": "beat"}}, {"wanted": {"task": "1_0", "seed": 3}},
        *({"event": {"number": number, **event}} for number, event in enumerate(events, start=1)),
    ]  # fmt: skip
    path = record_of(folder, "0" * 16)
    path.parent.mkdir()
    path.write_text("".join(json.dumps({"at": 1.5, **line}) + "\n" for line in lines))
    return path


def _export_study(path: Path) -> object:
    from vnla.serve.places import PlaceNames
    from vnla.serve.study import export
    from vnla.serve.study.checked import read_record
    from vnla.serve.study.design import ScheduleEntry, StudyCondition
    from vnla.serve.study.store import Participant

    someone = Participant("0" * 16, 0, "at work", "v", 1.0, 1.5, None)
    place = ScheduleEntry(kind="task", condition=StudyCondition(name="beat", kind="beat", agent="a"), tasks=("1_0",))
    names = PlaceNames(_world().houses)
    lines = read_record(path, [], [place], names)
    episodes = export._episodes(someone, lines)
    return [export._result(each, names) for each in episodes], json.dumps([*export._rows(someone, lines, names)]).encode()


def _bench(folder: Path) -> Path:
    from benchmarks.record import Measured, Measurement, Record

    measured = Measured("x", {"a": 1}, (Measurement("time", 1.5, "s", 2.0, "", True),))
    record = Record({"cores": 2}, {"vnla": "1"}, None, "2026", "vnla bench", (measured,))
    (folder / "bench.json").write_text(record.text())
    return folder / "bench.json"


def _read_bench(path: Path) -> object:
    from benchmarks.record import Record

    return Record.read(path)


def _weights(name: str) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        if name.endswith(".safetensors"):
            from safetensors.torch import save_file

            save_file(_part().state_dict(), folder / name)
        else:
            torch.save(_part().state_dict(), folder / name)
        return folder / name

    return make


def _episodes(folder: Path) -> Path:
    from vnla.remote.folder import EvaluationFolder

    record = {
        "task": "1_0", "seed": 3, "help_budget": 2, "path": [["a", 12], ["b", 13], ["b", 13]], "actions": ["forward", None],
        "said": [None, None], "teacher": ["pass", None], "errors": [[1, "late"]],
    }  # fmt: skip
    EvaluationFolder(folder, {"seed": 1})
    (folder / "episodes.jsonl").write_text(json.dumps(record) + "\n")
    return folder / "episodes.jsonl"


def _read_episodes(path: Path) -> object:
    from vnla.remote.folder import EvaluationFolder

    return EvaluationFolder(path.parent, {"seed": 1}).done(lambda _: True)


def _read_settings(path: Path) -> object:
    from vnla.remote.folder import EvaluationFolder

    return EvaluationFolder(path.parent, {"seed": 1})


def _answers(folder: Path) -> Path:
    from vnla.world.actions import Nav

    chances = {action.name.lower(): float(action is Nav.STOP) for action in Nav}
    return _json("a.json", {"answers": [{"action": "stop", "chances": chances}, {"request": True}]})(folder)


def _read_answers(path: Path) -> object:
    from vnla.remote.protocol import parsed, read_answers

    try:
        return read_answers(parsed(path.read_bytes()), 2)
    except ValueError as error:
        raise InputError(f"{path}: {error}") from None


_KEY = "0" * 64


def _cached(folder: Path) -> Path:
    from vnla.remote.spending import Cache

    said = 'I go. {"action": "left"} {"request": false}'
    Cache(folder).put(_KEY, json.dumps({"choices": [{"message": {"content": said}}], "usage": {"total_tokens": 3}}))
    return next(folder.rglob("*.json"))


def _read_cached(path: Path) -> object:
    from vnla.remote.completions import used
    from vnla.remote.replies import read_completion
    from vnla.remote.spending import Cache

    reply = Cache(path.parents[1]).get(_KEY)
    return reply and read_completion(reply), used(path.read_bytes(), 5)


def _in_view(folder: Path) -> Path:
    from vnla.houses.sightings import by_boxes, keep_arrays

    keep_arrays(replace(_world(), path=folder), "cottage", "this", {"seen": by_boxes(_hut())})
    return folder / "sights" / "cottage.npz"


def _read_in_view(path: Path) -> object:
    from vnla.houses.sightings import _are_of, kept_arrays
    from vnla.language.sights import Sights, _plain
    from vnla.language.surroundings import Surroundings

    kept = kept_arrays(replace(_world(), path=path.parents[1]), "cottage", "this")
    if kept is None or not _are_of(_hut(), kept):
        raise InputError("it is looked at again")
    sights: Sights = _plain(_hut(), kept["seen"])
    return Surroundings(_hut(), sights).visible.sum()


def _facts(folder: Path) -> Path:
    from vnla.language.facts import world_facts

    world = replace(_world(), path=folder)
    list(world_facts(world))
    return folder / "sights" / "cottage.facts.npz"


def _read_facts(path: Path) -> object:
    from vnla.language.facts import _kept
    from vnla.language.speech import Knowledge
    from vnla.world.compiled import World

    world = replace(_world(), path=path.parents[1])
    facts = _kept(world, world.houses[0])
    if facts is None:
        raise InputError("they are made again")
    return Knowledge.of([facts], World.compile(world.houses))


def _speaker(folder: Path) -> Path:
    from vnla.language.speaker.kept import new_speaker, write_speaker

    speaker = new_speaker([".", "go", "left"], 1, 2, 0)
    moments = {"step.gist.bias": torch.ones(1), "exp_avg.gist.bias": torch.ones(2), "exp_avg_sq.gist.bias": torch.ones(2)}
    write_speaker(folder / "s.safetensors", speaker, moments, {"seed": 0})
    return folder / "s.safetensors"


def _old_speaker(folder: Path) -> Path:
    """As earlier versions wrote it: nothing but what is checked stands between a stranger and the network."""
    from safetensors.torch import load_file, save

    path = _speaker(folder)
    notes = {"words": [".", "go", "left"], "k": 1, "width": 2, "done": 3, "seed": 0}
    path.write_bytes(save(load_file(path), {"notes": json.dumps(notes)}))
    return path


def _picture(name: str, size: tuple[int, int]) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        buffer = io.BytesIO()
        Image.new("RGB", size, (10, 200, 30)).save(buffer, "PNG" if name.endswith("png") else "JPEG")
        (folder / name).write_bytes(buffer.getvalue())
        return folder / name

    return make


def _example(folder: Path) -> Path:
    shutil.copy(EXAMPLE, folder / "houses.json")
    return folder / "houses.json"


def _splits(folder: Path) -> Path:
    _json("splits.json", {"train": ["cottage"], "dev": [], "test": []})(_cottage(folder))
    return folder / "splits.json"


def _read_splits(path: Path) -> object:
    from vnla.tasks.building_splits import building_splits

    return building_splits(_world(), path)


@cache
def _world() -> WorldFolder:
    """The cottage as it was read from a folder: of what is read again and again, only the splits are anybody's."""
    with tempfile.TemporaryDirectory() as folder:
        return read_world(_cottage(Path(folder)) / "world")


_PROMPT = "[system]\nGo.\n[user]\n$instruction $$\n"
_SWEEP = [{"ratio": 0.4, "k": 4, "success_rate": [1.5, 0.5]}]


def _packed_pieces(folder: Path) -> Path:
    from vnla.common.files import write_zip
    from vnla.pipeline.stages import StageGraph

    stage = _piece(folder)
    record = {
        **_STAGE,
        "stage": stage.name,
        "fingerprint": StageGraph([stage]).fingerprints[stage.name],
        "commits": ["0123456"],
    }
    (folder / "record.json").write_text(json.dumps(record))
    (folder / "i.json").write_text(json.dumps({"iterations": {"learned": 3}}))
    members = {"stages/evaluate-iterations.json": folder / "record.json", "evaluations/iterations.json": folder / "i.json"}
    write_zip(folder / "pieces.zip", members)
    return folder / "pieces.zip"


def _piece(out: Path) -> Stage:
    from vnla.pipeline.stages import Stage, make_empty

    return Stage("evaluate/iterations", make_empty, (), out / "evaluations" / "iterations.json", config={"seeds": [1]})


def _gather(path: Path) -> object:
    from vnla.experiments.gathering import gather

    with tempfile.TemporaryDirectory() as out:
        return gather(Path(out), [_piece(Path(out))], path)


_STAGE = {"stage": "train/x", "done": True, "seconds": 1.5, "after": [], "config": {}, "fingerprint": "f"}

READERS = (
    Reader("connectivity", _in_world("*_connectivity.json"), read_connectivity),
    Reader("mattersim", _in_world("*_connectivity.json"), _read_graph),
    Reader("house", _in_world("*.house"), _house),
    Reader("panoramas", _in_world("panorama_to_region.txt"), lambda path: read_panorama_to_region(TextFile(path))),
    Reader("scans", _in_world("scans.txt"), _building),
    Reader("zip", _zipped, _building, "zip"),
    Reader("world", _in_world("world.json"), lambda path: read_world(path.parent)),
    Reader("recipe", _generated, _read_recipe),
    Reader("houses", _example, _in("houses.plain.reading:read_plain")),
    Reader("asknav", lambda folder: _cottage(folder) / "tasks" / "asknav_train.json", read_tasks),
    Reader("asknav.gz", _gzipped, read_tasks, "gzip"),
    Reader("data set", _dataset, _read_dataset),
    Reader("vocabulary", _text("vocab.txt", "<PAD>\n<UNK>\n<EOS>\nfind\na\n.\n"), Vocabulary.read),
    Reader("splits", _splits, _read_splits),
    Reader("features", lambda folder: _store(folder).path / "features.json", _read_store),
    Reader("features.f16", lambda folder: _store(folder).path / "features.f16", _read_store),
    Reader("tsv", _exported("a.tsv"), lambda path: list(_in("vision.exchange:read_tsv")(path))),
    Reader("hdf5", _exported("a.h5"), lambda path: list(_in("vision.exchange:read_hdf5")(path, PLACES))),
    Reader("configuration", _config, _in("training.config:RunConfig.read")),
    Reader("checkpoint", _checkpoint, _read_checkpoint),
    Reader("log", _log, lambda path: _in("report.curves:TrainingCurves.read")(path.parent)),
    Reader("log.gz", _packed_log, lambda path: _in("report.curves:TrainingCurves.read")(path.parent), "gzip"),
    Reader("results", _results, _read_results),
    Reader("walks", _results, _read_walks),
    Reader("people", _people, _in("evaluation.recorded:read_recorded")),
    Reader("evaluation", _evaluation, _read_evaluation, "zip"),
    Reader("session", _session, _read_session),
    Reader("study", _session, lambda path: list(_in("serve.sessions:log_lines")(path))),
    Reader("study export", _study, _export_study),
    Reader("bench", _bench, _read_bench),
    Reader("weights.pth", _weights("w.pth"), _in("vision.encoders.network:read_weights"), "zip"),
    Reader("weights.safetensors", _weights("w.safetensors"), _in("vision.encoders.network:read_weights")),
    Reader("prompt", _text("p.txt", _PROMPT), lambda path: _in("remote.prompts:read_prompt")(path, "text")),
    Reader("guest", _episodes, _read_episodes),
    Reader("guest settings", lambda folder: _episodes(folder).with_name("settings.json"), _read_settings),
    Reader("answers", _answers, _read_answers),
    Reader("chat answer", _cached, _read_cached),
    Reader("in view", _in_view, _read_in_view, "zip"),
    Reader("facts", _facts, _read_facts, "zip"),
    Reader("speaker", _speaker, _in("language.speaker.kept:read_with_moments")),
    Reader("old speaker", _old_speaker, _in("language.speaker.kept:read_with_moments")),
    Reader("panorama.png", _picture("p.png", (8, 4)), _in("houses.pictures:_pixels")),
    Reader("skybox.jpg", _picture("s.jpg", (12, 2)), lambda path: _in("houses.skybox:_pixels")(path, "RGB")),
    Reader(
        "iterations",
        _json("i.json", {"iterations": {"learned": 3}}),
        _in("experiments.evaluations:read_iterations"),
    ),
    Reader("sweep", _json("s.json", _SWEEP), _in("experiments.evaluations:read_sweep")),
    Reader("ceilings", _json("c.json", {"success": 1}), _in("experiments.evaluations:read_ceilings")),
    Reader("pieces", _packed_pieces, _gather, "zip"),
    Reader("stage", _json("x.json", _STAGE), lambda path: _in("experiments.reporting:seconds_in")(path.parent)),
)  # fmt: skip
