"""Processes that make the images of viewpoints, and their features where the encoder can come along.

Python runs one thread at a time, so threads that build houses and light them would wait for each other: each process works
alone, in one thread. What it makes it leaves in memory that it shares with the process that started it, of which there is so
much that it can go on while the last piece is taken. That memory has no name in the file system: nothing stays behind,
however the processes end.

The module and what is sent here stay free of PyTorch, which takes longer to load than a house to draw.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import traceback
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from vnla.common.errors import InputError
from vnla.vision.encoders.base import Encoder, Size
from vnla.world.views import VIEWS

Images = Callable[[str, str], NDArray[np.uint8]]
"""(house, viewpoint id) → the viewpoint's 36 views as RGB (36, height, width, 3)."""

SLOTS = 2
"""Pieces that a process may have in hand: one that it makes and one that is taken from it."""

# New processes inherit nothing, so that threads and signal handlers of this one do no harm.
_CONTEXT = multiprocessing.get_context("spawn")
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(frozen=True)
class Job:
    """What is made of a viewpoint: images of a size, or features if there is an encoder."""

    images: Images
    size: Size
    encoder: Encoder | None = None

    @property
    def kind(self) -> np.dtype[Any]:
        """The type of what is made of one viewpoint, with its shape."""
        if self.encoder is None:
            return np.dtype((np.uint8, (VIEWS, self.size.height, self.size.width, 3)))
        return np.dtype((np.float32, (VIEWS, self.encoder.dimension)))

    def make(self, house: str, viewpoint: str) -> NDArray[Any]:
        """What is made of one viewpoint."""
        images = fitted(house, viewpoint, self.images(house, viewpoint), self.size)
        return images if self.encoder is None else self.encoder.encode(images)


def fitted(house: str, viewpoint: str, images: NDArray[np.uint8], size: Size) -> NDArray[np.uint8]:
    """A viewpoint's images, checked, and scaled where they are not of the encoder's size."""
    if images.dtype != np.uint8 or images.ndim != 4 or len(images) != VIEWS or images.shape[3] != 3:
        raise InputError(
            f"viewpoint {viewpoint} of house {house}: images of {images.dtype} and shape {images.shape};"
            f" expected bytes of shape ({VIEWS}, height, width, 3)"
        )
    if images.shape[1:3] == (size.height, size.width):
        return images
    return np.stack([np.asarray(Image.fromarray(each).resize(size, Image.Resampling.BILINEAR)) for each in images])


class Order(NamedTuple):
    """Viewpoints of a house, and where to put what is made of them."""

    slot: int
    house: str
    viewpoints: tuple[str, ...]


class Outcome(NamedTuple):
    """An order was carried out, if there is no `error`; `details` are for whoever mends it."""

    slot: int
    error: str = ""
    details: str = ""


class Worker:
    """A process as seen by the one that started it."""

    def __init__(self, kind: np.dtype[Any], most: int) -> None:
        """An order may be for at most `most` viewpoints. Before the first one it has to `learn` its job."""
        memory = _CONTEXT.RawArray("B", SLOTS * most * kind.itemsize)
        self._slots = _slots(memory, kind, most)
        self.pipe, theirs = _CONTEXT.Pipe()
        self._process = _CONTEXT.Process(target=_work, args=(theirs, memory, most), name="vnla images", daemon=True)
        self._process.start()
        theirs.close()

    def learn(self, job: bytes) -> None:
        """Tell it its job, packed as a pipe packs it."""
        try:
            self.pipe.send_bytes(job)
        except (BrokenPipeError, ConnectionResetError):
            raise self._lost() from None

    def begin(self, order: Order) -> None:
        """Have an order carried out."""
        try:
            self.pipe.send(order)
        except (BrokenPipeError, ConnectionResetError):
            raise self._lost() from None

    def outcome(self) -> Outcome:
        """The outcome of the oldest order in hand; waits for it."""
        try:
            outcome: Outcome = self.pipe.recv()
        except (EOFError, ConnectionResetError):
            raise self._lost() from None
        if outcome.error:
            raise InputError(outcome.error) from RuntimeError(outcome.details)
        return outcome

    def made(self, slot: int, count: int) -> NDArray[Any]:
        """What was made of an order's viewpoints, (count, …); the next order with this slot overwrites it."""
        made: NDArray[Any] = self._slots[slot, :count]
        return made

    def end(self) -> None:
        """End the process, whatever it does."""
        self.pipe.close()
        self._process.terminate()
        self._process.join()

    def _lost(self) -> InputError:
        self._process.join()
        code = self._process.exitcode or 0
        how = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"left with status {code}"
        return InputError(f"a process that makes images {how}; the same command goes on where it was")


@contextmanager
def crew(job: Job, most: int, count: int) -> Iterator[list[Worker]]:
    """So many workers, gone when the block ends."""
    packed = bytes(ForkingPickler.dumps(job))  # a world is megabytes: packed once for all
    with ExitStack() as ends:
        workers = []
        with _one_thread_each():
            for _ in range(count):
                worker = Worker(job.kind, most)
                ends.callback(worker.end)
                workers.append(worker)
        for worker in workers:  # all are on their way by now
            worker.learn(packed)
        yield workers


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Libraries in processes that are started in the block use one thread."""
    before = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _slots(memory: Any, kind: np.dtype[Any], most: int) -> NDArray[Any]:
    """Shared memory as slots: (SLOTS, most, …)."""
    slots: NDArray[Any] = np.frombuffer(memory, dtype=kind.base).reshape(SLOTS, most, *kind.shape)
    return slots


def _work(pipe: Connection, memory: Any, most: int) -> None:
    # Ctrl-C reaches all processes of a terminal; the one that started this one ends it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        job: Job = pipe.recv()
        slots = _slots(memory, job.kind, most)
        while True:
            order = pipe.recv()
            pipe.send(_carry_out(order, job, slots[order.slot]))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        pass  # there is nobody left to work for


def _carry_out(order: Order, job: Job, slot: NDArray[Any]) -> Outcome:
    try:
        for place, viewpoint in enumerate(order.viewpoints):
            slot[place] = job.make(order.house, viewpoint)
    except InputError as error:
        return Outcome(order.slot, str(error), traceback.format_exc())
    except Exception as error:
        reason = f"{type(error).__name__}: {' '.join(str(error).split())}"
        return Outcome(order.slot, f"house {order.house}: no features could be made ({reason})", traceback.format_exc())
    return Outcome(order.slot)
