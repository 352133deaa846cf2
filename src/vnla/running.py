"""Carries out a run: iterations, validation, checkpoints, curves; resumes; leaves cleanly when told to.

What is on disk is always a whole state. A killed run goes on from its last checkpoint and ends with the same weights.
"""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from vnla import files
from vnla.errors import InputError
from vnla.evaluation.evaluate import evaluate
from vnla.evaluation.metrics import rooms_of
from vnla.runs import CONFIG, LAST, LOG, VALIDATION, Material, RunConfig, make_agent, make_players
from vnla.training import Trainer, mixed_precision

REPORT_EVERY = 10
"""Iterations between two lines of the log."""
SAVE_SECONDS = 60.0
"""Between two checkpoints; validations save as well."""
VALIDATION_SEED = 123

Record = dict[str, Any]


@dataclass
class Progress:
    """What the caller may show while a run is going on."""

    report: Callable[[Record], None] = lambda _: None
    validated: Callable[[Record], None] = lambda _: None


@dataclass
class Stop:
    """Whether somebody asked to stop, by SIGINT or SIGTERM."""

    asked: int | None = None


def open_run(path: Path, config: RunConfig | None) -> RunConfig:
    """The configuration of a run to begin or to go on with; a run that exists keeps the one it has."""
    saved = path / CONFIG
    if saved.exists():
        found = RunConfig.read(saved)
        if config is not None and config != found:
            raise InputError(f"{path}: this run was begun with another configuration; give a new folder, or no options")
        return found
    if config is None:
        raise InputError(f"{path}: there is no run yet; say which --world and --tasks to train on")
    if path.exists() and any(path.iterdir()):
        raise InputError(f"{path}: is not empty and holds no run; give a new folder")
    files.write_text(saved, config.text())
    return config


def train(
    path: Path, config: RunConfig, material: Material, progress: Progress | None = None, iterations: int | None = None
) -> int | None:
    """Train until `iterations` are done; the signal that ended it earlier, if one did."""
    progress = progress or Progress()
    agent = make_agent(config, material)
    tasks, end_goals = material.training_tasks()
    players = make_players(config, material, agent, training=True)
    trainer = Trainer(
        players, tasks, end_goals, config.for_training().training, learns_to_ask=config.help_policy == "learned"
    )
    best = _resume(path, trainer)
    log = _Log(path, trainer.done)
    last = min(iterations or config.training.iterations, config.training.iterations)
    began, first, saved = time.monotonic(), trainer.done, time.monotonic()
    with _signals() as stop:
        while trainer.done < last and stop.asked is None:
            losses = trainer.iterate()
            if trainer.done % REPORT_EVERY == 0 or trainer.done == last:
                speed = (trainer.done - first) / (time.monotonic() - began)
                record = {"iteration": trainer.done, "nav_loss": float(losses.nav), "ask_loss": float(losses.ask)}
                log.write(record)
                progress.report({**record, "iterations_a_second": speed, "of": last})
            if trainer.done % config.validate_every == 0 or trainer.done == last:
                _validate(path, config, material, trainer, best, log, progress)
            elif time.monotonic() - saved < SAVE_SECONDS:
                continue
            _save(path, trainer, best)
            saved = time.monotonic()
    if stop.asked is not None:
        _save(path, trainer, best)
    log.close()
    return stop.asked


def _validate(
    path: Path,
    config: RunConfig,
    material: Material,
    trainer: Trainer,
    best: dict[str, float],
    log: _Log,
    progress: Progress,
) -> None:
    """Success on the validation splits; the agent is kept where it is better than before."""
    players = make_players(config, material, trainer.players.agent, training=False)
    ratio = 0.0 if config.unaided else config.training.ratio
    rooms = rooms_of(material.world, material.folder.houses)
    record: Record = {"iteration": trainer.done}
    for split in VALIDATION:
        tasks, end_goals = material.evaluation_tasks(split)
        with mixed_precision(config.training.precision, material.world.device):
            figures = evaluate(players, tasks, end_goals, rooms, seeds=(VALIDATION_SEED,), ratio=ratio).summary()
        record[split] = {name: figures[name].mean for name in ("success_rate", "room_success_rate", "nav_error", "requests")}
        if record[split]["success_rate"] > best.get(split, -1.0):
            best[split] = record[split]["success_rate"]
            files.write_bytes(path / f"best_{split}.safetensors", trainer.agent_file())
    log.write(record)
    progress.validated(record)


def _save(path: Path, trainer: Trainer, best: dict[str, float]) -> None:
    files.write_bytes(path / LAST, trainer.state({"best": json.dumps(best)}))


def _resume(path: Path, trainer: Trainer) -> dict[str, float]:
    """Put the trainer where the last checkpoint was, if there is one; the best success rates so far."""
    file = path / LAST
    if not file.exists():
        return {}
    noted = trainer.resume(file)
    found: dict[str, float] = json.loads(noted.get("best", "{}"))
    return found


class _Log:
    """`log.jsonl` and TensorBoard curves, cut back to where a resumed run goes on."""

    def __init__(self, path: Path, done: int) -> None:
        file = path / LOG
        if file.exists():
            kept = [line for line in file.read_text().splitlines() if _iteration(line) <= done]
            files.write_text(file, "".join(f"{line}\n" for line in kept))
        self._stream = file.open("a", buffering=1)
        self._curves = _curves(path, done)

    def write(self, record: Record) -> None:
        self._stream.write(json.dumps(record) + "\n")
        for name, value in _flat(record):
            if self._curves is not None and name != "iteration":
                self._curves.add_scalar(name, value, record["iteration"])

    def close(self) -> None:
        self._stream.close()
        if self._curves is not None:
            self._curves.close()


def _curves(path: Path, done: int) -> Any:
    """TensorBoard's writer, where it is installed."""
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        return None
    return SummaryWriter(str(path / "tensorboard"), purge_step=done + 1)


def _flat(record: Record, prefix: str = "") -> Iterator[tuple[str, float]]:
    for name, value in record.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}/")
        else:
            yield f"{prefix}{name}", value


def _iteration(line: str) -> int:
    """The iteration of a line; a line that was cut off by a crash counts as none that is kept."""
    try:
        return int(json.loads(line)["iteration"])
    except (ValueError, KeyError, TypeError):
        return 1 << 62


@contextmanager
def _signals() -> Iterator[Stop]:
    """SIGINT and SIGTERM end the loop after the iteration in hand instead of the process."""
    stop = Stop()

    def ask(number: int, _: FrameType | None) -> None:
        stop.asked = number

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
