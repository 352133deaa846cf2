"""A run: one training from configuration to checkpoints, in a folder.

::

    config.json                     everything that determines the run
    vocab.txt                       the words that its agent knows
    log.jsonl                       a line for every report and every validation
    last.safetensors                the state to go on from
    best_val_seen.safetensors       the agent with the best success rate on that split; also best_val_unseen
    checkpoints/1000.safetensors    the agent at each validation, if the run keeps them
    tensorboard/                    curves

`vnla train` on a folder that has a `config.json` goes on where the run was. A checkpoint is a safetensors file: the agent's
parameters as `agent.*`, and notes in its header; in a state to go on from also Adam's moments as `adam.*`, and a critic, if
one learns beside the agent, as `critic.*`. One of the notes is the checksum of the whole file, so that one with a changed
bit is refused; those of earlier versions have none. They are read and written here alone. What is read is held against what
it is read for, its shapes, its types and that it is numbers, before anything is done with it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor, nn
from torch.optim import Optimizer

from vnla.agents.agent import Agent
from vnla.common import files
from vnla.common.checksums import CHECKSUM, UNSEALED, is_sealed_with, sealed
from vnla.common.errors import InputError
from vnla.common.lock import LOCK
from vnla.common.outside import from_json, real
from vnla.training.config import WORDS, RunConfig
from vnla.training.context import make_agent
from vnla.training.data import RunData

CONFIG, LOG, LAST = "config.json", "log.jsonl", "last.safetensors"
TUNED = "asking.json"
"""In the folder of a run: the help policy that was chosen for it with its options, and what was tried for them."""
VALIDATION = ("val_seen", "val_unseen")
KEPT = "checkpoints"

AGENT, CRITIC, ADAM = "agent.", "critic.", "adam."
MOMENTS = ("step", "exp_avg", "exp_avg_sq")

Tensors = dict[str, Tensor]
CheckpointNotes = dict[str, str]


def is_begun(run: Path) -> bool:
    """Return whether a run is in this folder."""
    return (run / CONFIG).exists()


def left_over(run: Path) -> list[Path]:
    """Unfinished files of runs that were killed."""
    files_here = files.left_over(run, CONFIG, WORDS, LOG, "*.safetensors")
    return [*files_here, *files.left_over(run / KEPT, "*.safetensors")]


def is_vacant(run: Path) -> bool:
    """Whether a new run can begin in this folder: nothing is there but what a run leaves that was killed as it began."""
    if not run.exists():
        return True
    return run.is_dir() and set(run.iterdir()) <= {run / LOCK, *left_over(run)}


def checkpoint(run: Path, which: str | int) -> Path:
    """Return where an agent is: the "last", the best by a validation split, or that of an iteration, if they were kept."""
    if str(which).isdecimal():
        return run / KEPT / f"{which}.safetensors"
    return run / (LAST if which == "last" else f"best_{which}.safetensors")


def chosen_by(split: str) -> str:
    """Return the validation split that decides which agent of a run is tried on a split: that of the same kind of houses."""
    return "val_unseen" if split.endswith("unseen") else "val_seen"


def checkpoints_of(run: Path) -> list[str]:
    """Return the checkpoints that a run has, by the names that `checkpoint` takes."""
    kept = sorted(int(path.stem) for path in (run / KEPT).glob("*.safetensors") if path.stem.isdecimal())
    named = [which for which in (*VALIDATION, "last") if checkpoint(run, which).exists()]
    return [*named, *map(str, kept)]


def load_agent(run: Path, config: RunConfig, material: RunData, which: str | int = "val_unseen") -> Agent:
    """The agent of a finished or running training: its best by a validation split, the last, or that of an iteration."""
    path = checkpoint(run, which)
    if not path.is_file():
        has = ", ".join(checkpoints_of(run))
        known = f"it has {has}" if has else "it has none yet; `vnla train` makes one at its first validation"
        raise InputError(f"{run}: has no checkpoint {which}; {known}")
    agent = make_agent(config, material)
    load_part_tensors({AGENT: agent}, read_checkpoint(path)[0], path)
    return agent.eval()


def as_tuned(run: Path, config: RunConfig) -> RunConfig:
    """Return a run's configuration with the help policy that was chosen for it and its options, if one was."""
    path, what = run / TUNED, "the help policy that was chosen for a run"
    if not path.exists():
        return config
    with files.taken_apart(path, what):
        found = files.read_json(path, what)
        policy, options = str(found["help_policy"]), dict(found["help_options"])
        chosen = {str(name): real(value, f"{path}: option {name}") for name, value in options.items()}
    return config.asking(policy, {**(config.help_options if policy == config.help_policy else {}), **chosen})


def first_agent(config: RunConfig) -> Path:
    """Return the file with the agent that a run begins with: the last of another run, or a checkpoint itself."""
    place = Path(config.begins_with)
    path = checkpoint(place, "last") if place.is_dir() else place
    if not path.is_file():
        raise InputError(f"{place}: holds no agent to begin with; give a run that was trained, or one of its checkpoints")
    return path


def runs_in(folder: Path) -> list[Path]:
    """Return the run in a folder, or the runs in its folders if it holds several; the folder itself if there is none."""
    if is_begun(folder) or not folder.is_dir():
        return [folder]
    return sorted(path.parent for path in folder.glob(f"*/{CONFIG}")) or [folder]


def read_checkpoint(path: Path) -> tuple[Tensors, CheckpointNotes]:
    """Return the tensors in a checkpoint, on the host, and its notes."""
    with _readable(path) as file:
        notes = _notes(file)
        if CHECKSUM in notes and not is_sealed_with(path, notes[CHECKSUM]):
            raise InputError(f"{path}: is damaged: it is not what its checksum says; go on from another checkpoint")
        return {name: file.get_tensor(name) for name in file.keys()}, notes  # noqa: SIM118


def read_notes(path: Path) -> CheckpointNotes:
    """Return the notes of a checkpoint alone; it is not held against its checksum."""
    with _readable(path) as file:
        return _notes(file)


def checkpoint_file(tensors: Tensors, notes: Mapping[str, str]) -> bytes:
    """A checkpoint. The notes are under one name in the header, because the format keeps several in no particular order."""
    return sealed(save(tensors, {"notes": json.dumps({**notes, CHECKSUM: UNSEALED}, sort_keys=True)}))


def iterations_done(path: Path, notes: Mapping[str, str]) -> int:
    """Return how many iterations had been done when the checkpoint `path` with these notes was written."""
    if (done := _count(notes.get("done", ""))) is None:
        raise InputError(f"{path}: cannot be read as a checkpoint (it does not say how many iterations were done)")
    return done


def validated_at(notes: Mapping[str, str], done: int) -> int:
    """Return the iteration of the last validation; a checkpoint without a word on it was made after the one that was due."""
    found = _count(notes.get("validated", "").removeprefix("-"))
    return done if found is None else -found if notes["validated"].startswith("-") else found


def best_rates(path: Path, notes: Mapping[str, str]) -> dict[str, float]:
    """Return the best success rate on each validation split when the checkpoint `path` with these notes was written."""
    try:
        return {str(split): real(rate, "a rate", 0, 100) for split, rate in from_json(notes.get("best", "{}")).items()}
    except (ValueError, TypeError, AttributeError):
        what = "its best success rates are no numbers from 0 to 100"
        raise InputError(f"{path}: cannot be read as a checkpoint ({what})") from None


def _count(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else None


def part_tensors(parts: Mapping[str, nn.Module]) -> Tensors:
    """Return what a checkpoint keeps of the parts that learn: the agent, perhaps a critic."""
    return {
        f"{part}{name}": value.contiguous() for part, module in parts.items() for name, value in module.state_dict().items()
    }


def load_part_tensors(parts: Mapping[str, nn.Module], tensors: Mapping[str, Tensor], where: Path) -> None:
    """Give parts the parameters in a checkpoint, which was read from the file `where`."""
    for part, module in parts.items():
        own = {name.removeprefix(part): value for name, value in tensors.items() if name.startswith(part)}
        for name, value in module.state_dict().items():
            if name in own:
                real = own[name].is_floating_point() and value.is_floating_point()  # parameters may be kept with fewer bits
                _check_numbers(where, f"{part}{name}", own[name], own[name].dtype if real else value.dtype)
        try:
            module.load_state_dict(own)
        except RuntimeError as error:
            reason = str(error).splitlines()[-1].strip()
            raise InputError(f"{where}: does not fit the run's configuration: {reason}") from None


def optimiser_tensors(parts: Mapping[str, nn.Module], optimiser: Optimizer) -> Tensors:
    """Return what a checkpoint keeps of the optimiser of the parts."""
    return {
        f"{ADAM}{moment}.{name}": value.reshape(1) if value.dim() == 0 else value
        for name, parameter in _optimised(parts)
        for moment, value in optimiser.state.get(parameter, {}).items()
    }


def load_optimiser_tensors(
    parts: Mapping[str, nn.Module], optimiser: Optimizer, tensors: Mapping[str, Tensor], where: Path
) -> None:
    """Give the optimiser of the parts the moments in a checkpoint, read from the file `where`, that has them."""
    for name, parameter in _optimised(parts):
        saved = {moment: tensors[key] for moment in MOMENTS if (key := f"{ADAM}{moment}.{name}") in tensors}
        if not saved:  # it has not learned yet
            continue
        shapes = dict.fromkeys(MOMENTS, tuple(parameter.shape)) | {"step": ()}
        for moment, shape in shapes.items():
            if moment not in saved or tuple(saved[moment].shape) != (shape or (1,)):  # as `optimiser_tensors` has them
                raise InputError(f"{where}: does not fit the run's configuration: the optimiser's state of {name}")
            dtype = torch.float32 if moment == "step" else parameter.dtype
            _check_numbers(where, f"{ADAM}{moment}.{name}", saved[moment], dtype, least=None if moment == "exp_avg" else 0)
        steps, *others = (saved[moment].reshape(shape) for moment, shape in shapes.items())
        optimiser.state[parameter] = {
            "step": steps.to(parameter.device) if parameter.is_cuda else steps,
            **{moment: value.to(parameter.device) for moment, value in zip(MOMENTS[1:], others, strict=True)},
        }


def _check_numbers(where: Path, name: str, value: Tensor, dtype: torch.dtype, least: float | None = None) -> None:
    """Refuse a tensor of a checkpoint that is of another type than it should be, or has values that nothing can begin
    with."""
    if value.dtype != dtype:
        found, expected = (str(each).removeprefix("torch.") for each in (value.dtype, dtype))
        raise InputError(f"{where}: does not fit the run's configuration: {name} is {found}, expected {expected}")
    if not value.isfinite().all() or (least is not None and not (value >= least).all()):
        what = "that are no numbers" if least is None else f"that are below {least:g} or no numbers"
        raise InputError(f"{where}: is damaged: {name} has values {what}; go on from another checkpoint")


def optimised(part: nn.Module) -> Iterator[Tensor]:
    """Return what of a part the optimiser changes."""
    return (each for each in part.parameters() if each.requires_grad)


def _optimised(parts: Mapping[str, nn.Module]) -> Iterator[tuple[str, Tensor]]:
    """Their parameters with the names of their moments; the agent's have no prefix."""
    for part, module in parts.items():
        prefix = "" if part == AGENT else part
        yield from ((f"{prefix}{name}", each) for name, each in module.named_parameters() if each.requires_grad)


def _notes(file: Any) -> CheckpointNotes:
    notes = from_json((file.metadata() or {}).get("notes", "{}"))
    if not isinstance(notes, dict) or not all(isinstance(each, str) for each in notes.values()):
        raise ValueError("its notes are no texts")
    return notes


@contextmanager
def _readable(path: Path) -> Iterator[Any]:
    """The checkpoint as an open file; whatever is wrong with it is one line."""
    try:
        with safe_open(path, framework="pt") as file:
            yield file
    except InputError:
        raise
    except (OSError, SafetensorError, TypeError, ValueError, AttributeError, RuntimeError, RecursionError) as error:
        reason = str(error).strip() or type(error).__name__
        raise InputError(f"{path}: cannot be read as a checkpoint ({reason})") from None


def open_run(path: Path, config: RunConfig | None) -> RunConfig:
    """Return the configuration of a run to begin or to go on with; nothing is written.

    A run that exists keeps the one it has. Only where its world and data set are may be said anew, and how many iterations
    it is to have in all: no fewer than it has done.
    """
    if not is_begun(path):
        if config is None:
            raise InputError(f"{path}: there is no run yet; say which --world and --tasks to train on")
        if not is_vacant(path):
            raise InputError(f"{path}: is not empty and holds no run; give a new folder")
        return config
    saved = RunConfig.read(path / CONFIG)
    wanted = config or saved
    for name, has, given in _differences(saved, wanted):
        raise InputError(f"{path}: this run has {name} {has}, not {given}; give a new folder")
    if wanted.training.iterations < (done := done_in(path)):
        raise InputError(f"{path}: has done {done:,} iterations; --iterations {wanted.training.iterations} is fewer")
    check_places(path, saved, world=wanted.world == saved.world, tasks=wanted.tasks == saved.tasks)
    return wanted


def check_places(path: Path, saved: RunConfig, *, world: bool, tasks: bool) -> None:
    """Whether the world and the data set that a run has noted are there, if they are wanted."""
    for wanted, option, place in ((world, "--world", saved.world), (tasks, "--tasks", saved.tasks)):
        if wanted and not Path(place).exists():
            raise InputError(f"{path}: was trained on {place}, which is not there; say where it is now with {option}")


def _differences(saved: RunConfig, wanted: RunConfig) -> Iterator[tuple[str, Any, Any]]:
    """Return what a run may not change: name, what it has, what is wanted."""
    free = {"world", "tasks", "iterations"}
    has, given = ({**asdict(each), **asdict(each.training)} for each in (saved, wanted))
    return ((name, has[name], given[name]) for name in has if name not in {*free, "training"} and has[name] != given[name])


def done_in(path: Path) -> int:
    """Return how many iterations a run has done."""
    file = path / LAST
    return iterations_done(file, read_notes(file)) if file.exists() else 0


def is_finished(path: Path, config: RunConfig) -> bool:
    """Whether a run has nothing left to do: its iterations are done, and the validation that belongs to the last of them."""
    file = path / LAST
    if not file.exists():
        return False
    notes = read_notes(file)
    done = iterations_done(file, notes)
    return done >= config.training.iterations and validated_at(notes, done) >= done


def check_words(path: Path, config: RunConfig, words: str) -> None:
    """The data set of a run that goes on may be elsewhere, and has to be the same."""
    file = path / WORDS
    if file.exists() and files.read_text(file, "the words of a run") != words:
        raise InputError(f"{config.tasks}: has other words than the data set that {path} was begun with; give that one")
