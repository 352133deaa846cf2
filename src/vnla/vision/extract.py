"""Features of the views of many viewpoints: processes make images, and the encoder, here or in each, features of them.

A house is costly to make ready, so a process keeps to one as long as there is something to do in it, and in its mirror image
if there is one, place by place: what was drawn for one is flipped for the other. The largest come first,
so that all processes end at about the same time; near the end those without a house help where much is left.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import cycle, zip_longest
from multiprocessing.connection import wait

import numpy as np
from numpy.typing import NDArray

from vnla.common.machine import workers_for
from vnla.common.progress import Count, unheard
from vnla.houses.mirror import mirrors_of
from vnla.vision.encoders.base import Encoder
from vnla.vision.store import Place, StoreWriter
from vnla.vision.workers import SLOTS, ImageOrder, Images, ImageWorker, Job, encoded, images_of, process_pool

WORTH_HELPING = 24
"""Viewpoints that must be left in a house before a second process makes it ready as well."""


def extract(
    images: Images,
    viewpoints: Sequence[Place],
    encoder: Encoder,
    store: StoreWriter,
    progress: Count = unheard,
    *,
    readying: Callable[[Sequence[str]], None] = lambda _: None,
    house: str | None = None,
    batch: int | None = None,
    workers: int | None = None,
    before: Sequence[Callable[[], None]] = (),
) -> None:
    """Encode what the store still lacks, with so many processes, as many as there are cores unless told.

    `viewpoints` are the store's, in its order; with a `house`, only what is missing of that is made. At most `batch` images
    go to the encoder at once. `images` is sent to the processes, and the encoder as well if it can travel; their number
    changes nothing in the result. `progress` counts viewpoints. What is to be done `before` they begin, functions of
    modules, is called all at once, the first here and the others by them; `readying` then, with the houses that are being
    made ready, each time they change.
    """
    views = store.header.view_count
    if tuple(viewpoints) != store.header.viewpoints or encoder.dimension != store.header.dimension:
        raise ValueError("the store is of other viewpoints, or of an encoder of another dimension")
    most = max(1, (batch or encoder.batch) // images_of(encoder, views))
    plan = PendingRows(viewpoints, _of(house, viewpoints, store.pending), most)
    with process_pool(Job.of(images, encoder, views), most, min(workers_for(workers), len(plan))) as started:
        _call(before, started)
        hands = [_Hand(worker, plan) for worker in started]
        for slot in range(SLOTS):
            for hand in hands:
                hand.take(slot)
        announced: list[str] | None = None
        while busy := {hand.worker.pipe: hand for hand in hands if hand.rows}:
            new = sorted({hand.house for hand in busy.values() if hand.is_readying})
            if new != announced:
                readying(announced := new)
            for ready in wait(list(busy)):
                hand = busy[ready]  # type: ignore[index]
                slot = hand.worker.outcome().slot
                rows = hand.done(slot)
                made = hand.worker.made(slot, len(rows))  # (viewpoints, views or 1, …)
                features = made if encoder.travels else encoded(encoder, made.reshape(-1, *made.shape[2:]), views)
                store.write(rows[0], features)
                hand.take(slot)
                progress(len(rows))


def _call(functions: Sequence[Callable[[], None]], workers: Sequence[ImageWorker]) -> None:
    """Call functions, the first here and the others by workers, and wait until all is done."""
    called = list(zip(cycle(workers), functions[1:], strict=False))
    for worker, function in called:
        worker.call(function)
    for function in functions[:1]:
        function()
    for worker, _ in called:
        worker.outcome()


def _of(house: str | None, viewpoints: Sequence[Place], rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """The rows of a house, or all."""
    return rows if house is None else np.array([row for row in rows.tolist() if viewpoints[row][0] == house], dtype=np.int64)


class PendingRows:
    """What is still to be made: the rows of each house that are missing, in runs of neighbours. A house and its mirror image
    (`vnla.houses.mirror`) are one, of which the runs take turns."""

    def __init__(self, viewpoints: Sequence[Place], pending: NDArray[np.int64], most: int) -> None:
        self._viewpoints = viewpoints
        self._mirrors = mirrors_of(house for house, _ in viewpoints)
        found: dict[str, dict[str, list[list[int]]]] = {}
        for rows in _groups(viewpoints, pending, most):
            found.setdefault(self.house(rows), {}).setdefault(viewpoints[rows[0]][0], []).append(rows)
        self._left = {house: _in_turn(list(each.values())) for house, each in found.items()}
        self._begun: set[str] = set()

    def __len__(self) -> int:
        return sum(len(groups) for groups in self._left.values())

    def next(self, house: str | None) -> tuple[str, list[int]] | None:
        """Rows to make, and their house, for a process that was in `house` last; None if there are none for it."""
        if house is None or not self._left[house]:
            new = [name for name in self._left if name not in self._begun]
            begun = [name for name in self._begun if self.missing(name) >= WORTH_HELPING]
            house = max(new or begun, key=self.missing, default=None)
        if house is None:
            return None
        self._begun.add(house)
        return house, self._left[house].popleft()

    def missing(self, house: str) -> int:
        """How many viewpoints of a house nobody has in hand."""
        return sum(len(rows) for rows in self._left[house])

    def house(self, rows: Sequence[int]) -> str:
        """The house of some rows, or the house that it mirrors."""
        house = self._viewpoints[rows[0]][0]
        return self._mirrors.get(house, house)

    def order(self, slot: int, rows: Sequence[int]) -> ImageOrder:
        """The order for some rows of a house."""
        return ImageOrder(slot, self._viewpoints[rows[0]][0], tuple(self._viewpoints[row][1] for row in rows))


class _Hand:
    """A worker, and for each of its slots the rows that it has in hand."""

    def __init__(self, worker: ImageWorker, plan: PendingRows) -> None:
        self.worker = worker
        self.rows: dict[int, list[int]] = {}
        self.house = ""
        """Where it takes its rows from."""
        self._plan = plan
        self._ready = ""

    @property
    def is_readying(self) -> bool:
        """Whether nothing of its house has come from it yet."""
        return self.house != self._ready

    def take(self, slot: int) -> None:
        """Put something into a slot, if there is something left."""
        found = self._plan.next(self.house or None)
        if found is not None:
            self.house, self.rows[slot] = found
            self.worker.begin(self._plan.order(slot, self.rows[slot]))

    def done(self, slot: int) -> list[int]:
        """The rows of a slot, which have been made."""
        rows = self.rows.pop(slot)
        self._ready = self._plan.house(rows)
        return rows


def _in_turn(houses: Sequence[list[list[int]]]) -> deque[list[int]]:
    """The first runs of all, then the second, and so on."""
    return deque(rows for turn in zip_longest(*houses) for rows in turn if rows is not None)


def _groups(viewpoints: Sequence[Place], pending: NDArray[np.int64], most: int) -> Iterator[list[int]]:
    """Pending rows in runs of neighbours in one house, at most `most` together."""
    group: list[int] = []
    for row in pending.tolist():
        if group and (row != group[-1] + 1 or len(group) == most or viewpoints[row][0] != viewpoints[group[0]][0]):
            yield group
            group = []
        group.append(row)
    if group:
        yield group
