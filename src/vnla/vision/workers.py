"""Processes that make the images of viewpoints, and their features where the encoder can come along.

Python runs one thread at a time, so threads that build houses and light them would wait for each other: each process works
alone, in one thread. What it makes it leaves in memory that it shares with the process that started it, of which there is so
much that it can go on while the last piece is taken. That memory has no name in the file system: nothing stays behind,
however the processes end.

The module and what is sent here stay free of PyTorch, which takes longer to load than a house to draw.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from vnla.camera import VIEWS
from vnla.common import process_pool as crews
from vnla.common.errors import InputError
from vnla.common.process_pool import CONTEXT, GONE, Failure
from vnla.vision.encoders.base import Encoder, Size
from vnla.vision.level import LEVEL_VIEWS

Images = Callable[[str, str], NDArray[np.uint8]]
"""(house, viewpoint id) → the viewpoint's views as RGB, (36, height, width, 3) or 12, or one picture of them."""

SLOTS = 2
"""Pieces that a process may have in hand: one that it makes and one that is taken from it."""


@dataclass(frozen=True)
class Job:
    """What is made of a viewpoint: so many images of a size, or features of `views` if there is an encoder."""

    images: Images
    count: int
    size: Size
    encoder: Encoder | None = None
    views: int = VIEWS

    @classmethod
    def of(cls, images: Images, encoder: Encoder, views: int = VIEWS) -> Job:
        """What other processes do for an encoder of so many views, with it if it can come along."""
        return cls(images, images_of(encoder, views), encoder.size, encoder if encoder.travels else None, views)

    @property
    def kind(self) -> np.dtype[Any]:
        """The type of what is made of one viewpoint, with its shape."""
        if self.encoder is None:
            return np.dtype((np.uint8, (self.count, self.size.height, self.size.width, 3)))
        return np.dtype((np.float32, (self.views, self.encoder.dimension)))

    def make(self, house: str, viewpoint: str) -> NDArray[Any]:
        """What is made of one viewpoint."""
        images = fitted(house, viewpoint, self.images(house, viewpoint), self.count, self.size)
        return images if self.encoder is None else encoded(self.encoder, images, self.views)[0]


def images_of(encoder: Encoder, views: int) -> int:
    """How many images an encoder needs of a viewpoint for so many views."""
    return encoder.images if encoder.panoramic else views


def encoded(encoder: Encoder, images: NDArray[np.uint8], views: int) -> NDArray[np.float32]:
    """Features (viewpoints, views, dimension) of the images of viewpoints, of which a picture all around has all views."""
    features = encoder.encode(images)
    if encoder.panoramic:
        every = features.reshape(-1, VIEWS, encoder.dimension)
        return every if views == VIEWS else every[:, LEVEL_VIEWS]
    return features.reshape(-1, views, encoder.dimension)


def fitted(house: str, viewpoint: str, images: NDArray[np.uint8], count: int, size: Size) -> NDArray[np.uint8]:
    """A viewpoint's images, checked, and scaled where they are not of the encoder's size."""
    if images.dtype != np.uint8 or images.ndim != 4 or len(images) != count or images.shape[3] != 3:
        raise InputError(
            f"viewpoint {viewpoint} of house {house}: images of {images.dtype} and shape {images.shape};"
            f" expected bytes of shape ({count}, height, width, 3)"
        )
    if images.shape[1:3] == (size.height, size.width):
        return images
    return np.stack([np.asarray(Image.fromarray(each).resize(size, Image.Resampling.BILINEAR)) for each in images])


NO_SLOT = -1
"""Of an outcome that leaves nothing."""


class ImageOrder(NamedTuple):
    """Viewpoints of a house, and where to put what is made of them."""

    slot: int
    house: str
    viewpoints: tuple[str, ...]


class ImageOutcome(NamedTuple):
    """An order was carried out, if there is no `failure`."""

    slot: int
    failure: Failure | None = None


class ImageWorker(crews.Member):
    """A process that makes images or features."""

    def __init__(self, kind: np.dtype[Any], most: int) -> None:
        """An order may be for at most `most` viewpoints. Before the first one it has to `learn` its job."""
        memory = CONTEXT.RawArray("B", SLOTS * most * kind.itemsize)
        self._slots = _slots(memory, kind, most)
        super().__init__(_work, memory, most, name="vnla images", threads=1)

    def learn(self, job: bytes) -> None:
        """Tell it its job, packed as a pipe packs it."""
        try:
            self.pipe.send_bytes(job)
        except GONE:
            raise self._lost() from None

    def begin(self, order: ImageOrder) -> None:
        """Have an order carried out."""
        self._tell(order)

    def call(self, function: Callable[[], None]) -> None:
        """Have a function of a module called; the outcome says when that is done."""
        self._tell(function)

    def _tell(self, what: object) -> None:
        try:
            self.send(what)
        except GONE:
            raise self._lost() from None

    def outcome(self) -> ImageOutcome:
        """The outcome of the oldest order in hand; waits for it."""
        try:
            outcome: ImageOutcome = self.receive()
        except GONE:
            raise self._lost() from None
        if outcome.failure is not None:
            raise InputError(outcome.failure.error) from RuntimeError(outcome.failure.details)
        return outcome

    def made(self, slot: int, count: int) -> NDArray[Any]:
        """What was made of an order's viewpoints, (count, …); the next order with this slot overwrites it."""
        made: NDArray[Any] = self._slots[slot, :count]
        return made

    def _lost(self) -> InputError:
        return InputError(f"a process that makes images {self.fate()}; the same command continues where it was")


@contextmanager
def process_pool(job: Job, most: int, count: int) -> Iterator[list[ImageWorker]]:
    """So many workers, gone when the block ends."""
    packed = bytes(ForkingPickler.dumps(job))  # a world is megabytes: packed once for all
    with crews.process_pool(lambda: ImageWorker(job.kind, most), count) as workers:
        for worker in workers:  # all are on their way by now
            worker.learn(packed)
        yield workers


def _slots(memory: Any, kind: np.dtype[Any], most: int) -> NDArray[Any]:
    """Shared memory as slots: (SLOTS, most, …)."""
    slots: NDArray[Any] = np.frombuffer(memory, dtype=kind.base).reshape(SLOTS, most, *kind.shape)
    return slots


def _work(pipe: Connection, memory: Any, most: int) -> None:
    job: Job = pipe.recv()
    slots = _slots(memory, job.kind, most)
    while True:
        order = pipe.recv()
        pipe.send(_carry_out(order, job, slots[order.slot]) if isinstance(order, ImageOrder) else _called(order))


def _called(function: Callable[[], None]) -> ImageOutcome:
    try:
        function()
    except Exception as error:
        return ImageOutcome(NO_SLOT, Failure.of(error))
    return ImageOutcome(NO_SLOT)


def _carry_out(order: ImageOrder, job: Job, slot: NDArray[Any]) -> ImageOutcome:
    try:
        for place, viewpoint in enumerate(order.viewpoints):
            slot[place] = job.make(order.house, viewpoint)
    except Exception as error:
        failure = Failure.of(error)
        if failure.is_fault:
            failure = replace(failure, error=f"house {order.house}: no features could be made ({failure.error})")
        return ImageOutcome(order.slot, failure)
    return ImageOutcome(order.slot)
