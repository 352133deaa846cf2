"""Tables of numbers on disk, larger than memory, that are indexed like tensors.

The rows of a table come in groups, those of a building say, and whoever uses it says beforehand which groups will be
needed. On a CPU the file is mapped (`DiskTable`): what is touched is read by the system, ahead of time if it was expected,
and let go when it is more than the limit. On a GPU as many groups as fit are kept on the device (`DeviceTable`), copied
there in the order in which work is queued, so that nothing waits for anything but the copy. What is indexed is the same to
the last bit as if all were in memory.

A GPU may also be lent what is in the host's memory (`lend`): it fetches the rows that it looks at, and no others. Where the
host has room for a table and the device has not, that is faster than any copying of groups.
"""

from __future__ import annotations

import mmap
import os
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vnla.common.errors import InputError

WINDOW = 1 << 16
"""Bytes that a system maps at once around what is touched."""
SMALLEST = 64 * 10**6
"""The least that a table may have in memory, in bytes."""

_MOST_DIGITS = 12

HOST: Literal["host"] = "host"
Room = int | Literal["host"]
"""Where a table is, if not all in a device's memory: on disk with so many bytes in memory, or in the host's memory."""


class RepeatedTable:
    """Rows in memory of which places show some more than once: (places, size) to whoever indexes it.

    Each page of the table has `page` rows and as many places as `shown` has numbers, each the row of its page that it shows.
    """

    def __init__(self, rows: Tensor, page: int, shown: Sequence[int]) -> None:
        self.shown = tuple(shown)
        self._rows, self._at = rows, _RowsShown(page, self.shown, rows.device)
        self.shape = (len(rows) // page * len(self.shown), rows.shape[1])

    def __getitem__(self, places: Tensor) -> Tensor:
        """What some places show, (…, size)."""
        return self._rows[self._at(places)]

    @property
    def device(self) -> torch.device:
        """Where rows are given."""
        return self._rows.device

    def is_floating_point(self) -> bool:
        """As of a tensor."""
        return self._rows.is_floating_point()


class _RowsShown:
    """The row of a table that each place shows."""

    def __init__(self, page: int, shown: Sequence[int], device: torch.device) -> None:
        self._page, self._places = page, len(shown)
        self._shown = torch.tensor(shown, device=device)

    def __call__(self, places: Tensor) -> Tensor:
        """Return the rows of some places."""
        page = torch.div(places, self._places, rounding_mode="floor")
        return page * self._page + self._shown[torch.remainder(places, self._places)]


class FeatureTable(ABC):
    """Half-precision numbers (rows, size) in a file, and nothing else in it.

    `first` (groups + 1) is the page at which each group begins, and the number of pages; a page is `page` rows. Where places
    show some rows more than once, or some never, `shown` is as of a `RepeatedTable`.
    """

    selective: ClassVar[bool]
    """Whether what is not needed may not be there."""

    def __init__(
        self,
        path: Path,
        size: int,
        first: Tensor,
        page: int,
        limit: int,
        shown: Sequence[int] = (),
        device: torch.device | str = "cpu",
    ) -> None:
        if limit < SMALLEST:
            raise InputError(f"a feature cache of {limit / 10**6:,g} MB is too small; give {SMALLEST / 10**6:g}MB or more")
        self._first: list[int] = first.tolist()
        self._page, self.limit = page, limit
        self.page_bytes = page * size * 2
        self.shown = tuple(shown)
        self._at = _RowsShown(page, self.shown, torch.device(device))
        self.shape = (self._first[-1] * (len(self.shown) or page), size)
        self._file = path.open("rb")
        self._reader = ThreadPoolExecutor(1, thread_name_prefix="features")

    @abstractmethod
    def __getitem__(self, rows: Tensor) -> Tensor:
        """Some rows, (…, size)."""

    def _rows_of(self, places: Tensor) -> Tensor:
        """Return the rows that places show."""
        return self._at(places) if self.shown else places

    @property
    @abstractmethod
    def device(self) -> torch.device:
        """Where rows are given."""

    @abstractmethod
    def need(self, groups: Sequence[int]) -> None:
        """Only rows of these groups will be indexed until the next call."""

    @abstractmethod
    def expect(self, groups: Sequence[int]) -> None:
        """These groups will be needed soon."""

    @abstractmethod
    def fits(self, groups: Sequence[int]) -> bool:
        """Return whether these groups can be needed at a time."""

    def is_floating_point(self) -> bool:
        """As of a tensor."""
        return True

    def pages(self, group: int) -> range:
        """Return the pages of a group."""
        return range(self._first[group], self._first[group + 1])

    def bytes_of(self, groups: Sequence[int]) -> int:
        """Return how large some groups are."""
        return sum(len(self.pages(group)) for group in groups) * self.page_bytes


class DiskTable(FeatureTable):
    """A file that is mapped into memory, of which at most about `limit` bytes are there at a time."""

    selective: ClassVar[bool] = False

    def __init__(self, path: Path, size: int, first: Tensor, page: int, limit: int, shown: Sequence[int] = ()) -> None:
        super().__init__(path, size, first, page, limit, shown)
        self._map = mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_COPY)  # PyTorch wants what could be written on
        self._rows = torch.frombuffer(self._map, dtype=torch.float16).view(-1, size)
        self._touched = 0
        self._read: OrderedDict[int, None] = OrderedDict()

    @property
    def device(self) -> torch.device:
        """The CPU."""
        return torch.device("cpu")

    def __getitem__(self, rows: Tensor) -> Tensor:
        """Some rows; what the system maps for them is counted, by what it can be at most."""
        touched = rows.numel() * (self.shape[1] * 2 + WINDOW)
        self._touched += touched
        if self._touched > self.limit:
            self._let_go()
            self._touched = touched
        return self._rows[self._rows_of(rows)]

    def need(self, groups: Sequence[int]) -> None:
        """The system fetches what is touched."""

    def expect(self, groups: Sequence[int]) -> None:
        """Have the system read what it has not read lately, beside what goes on."""
        new = [group for group in dict.fromkeys(groups) if group not in self._read]
        for group in groups:
            self._read[group] = None
            self._read.move_to_end(group)
        while self.bytes_of(list(self._read)) > max(self.limit, self.bytes_of(groups)):
            self._read.popitem(last=False)
        if new:
            self._reader.submit(self._advise, new)

    def fits(self, groups: Sequence[int]) -> bool:  # noqa: ARG002
        """Always: they need not be there as a whole."""
        return True

    def _advise(self, groups: Sequence[int]) -> None:
        for group in groups:
            pages = self.pages(group)
            with suppress(AttributeError, OSError):  # a system or a file system that does not take advice
                start, length = pages.start * self.page_bytes, len(pages) * self.page_bytes
                os.posix_fadvise(self._file.fileno(), start, length, os.POSIX_FADV_WILLNEED)

    def _let_go(self) -> None:
        """All that is mapped; the system keeps it as long as it has room, and maps it again when it is touched."""
        with suppress(AttributeError, OSError):
            self._map.madvise(mmap.MADV_DONTNEED)


class DeviceTable(FeatureTable):
    """Groups on a device, at most `limit` bytes of them; those that were not needed for longest make room."""

    selective: ClassVar[bool] = True

    def __init__(
        self,
        path: Path,
        size: int,
        first: Tensor,
        page: int,
        limit: int,
        shown: Sequence[int] = (),
        device: torch.device | str = "cpu",
    ) -> None:
        super().__init__(path, size, first, page, limit, shown, device)
        pages = self._first[-1]
        self.capacity = min(limit // self.page_bytes, pages)
        self._file_rows = np.memmap(path, dtype=np.float16, mode="r", shape=(pages, page * size))
        self._held = torch.zeros(self.capacity, page * size, dtype=torch.float16, device=device)
        self._shift = torch.zeros(pages, dtype=torch.int64, device=device)
        self._places: OrderedDict[int, list[int]] = OrderedDict()
        self._free = list(range(self.capacity))
        self._coming: dict[int, Future[Tensor]] = {}

    @property
    def device(self) -> torch.device:
        """Of what is held."""
        return self._held.device

    def __getitem__(self, rows: Tensor) -> Tensor:
        """Some rows, of groups that are there."""
        rows = self._rows_of(rows)
        here = rows + self._shift[torch.div(rows, self._page, rounding_mode="floor")]
        return self._held.view(-1, self.shape[1])[here]

    def need(self, groups: Sequence[int]) -> None:
        """Copy what is missing into the place of what was not needed for longest."""
        wanted = list(dict.fromkeys(groups))
        if not self.fits(wanted):
            raise InputError(
                f"the houses of one batch have {self.bytes_of(wanted) / 1e6:,.0f} MB of features; give a larger"
                f" --feature-cache than {self.limit / 1e6:,.0f} MB, or a smaller --batch"
            )
        for group in wanted:
            if group in self._places:
                self._places.move_to_end(group)
        missing = [group for group in wanted if group not in self._places]
        while len(self._free) * self.page_bytes < self.bytes_of(missing):
            self._free.extend(self._places.popitem(last=False)[1])
        for group in missing:
            self._hold(group)

    def expect(self, groups: Sequence[int]) -> None:
        """Read from disk, beside what goes on, what is not there."""
        for group in dict.fromkeys(groups):
            if group not in self._places and group not in self._coming:
                self._coming[group] = self._reader.submit(self._read, group)

    def fits(self, groups: Sequence[int]) -> bool:
        """Return whether there is room for all of them."""
        return sum(len(self.pages(group)) for group in groups) <= self.capacity

    def _hold(self, group: int) -> None:
        pages = self.pages(group)
        coming = self._coming.pop(group, None)
        rows = self._read(group) if coming is None else coming.result()
        places = [self._free.pop() for _ in pages]
        there = torch.tensor(places)
        shift = (there - torch.arange(pages.start, pages.stop)) * self._page
        there, rows, shift = (each.to(self.device, non_blocking=True) for each in (there, rows, shift))
        self._held.index_copy_(0, there, rows)
        self._shift[pages.start : pages.stop] = shift
        self._places[group] = places

    def _read(self, group: int) -> Tensor:
        pages = self.pages(group)
        rows = torch.from_numpy(np.array(self._file_rows[pages.start : pages.stop]))
        return rows.pin_memory() if self.device.type == "cuda" else rows


ViewTable = Tensor | FeatureTable | RepeatedTable
"""What there is to see at every pose of a world: (poses, size)."""


def lend(rows: NDArray[np.float16], device: torch.device) -> Tensor:
    """Return rows in the host's memory as a tensor of a GPU, which fetches from there what it is indexed with."""
    if device.type != "cuda":
        raise InputError(f"--feature-cache {HOST}: is for a GPU; on a CPU features are in the host's memory anyway")
    return torch.as_tensor(_Lent(rows), device=device)


class _Lent:
    """Memory that the system does not move, under the address that a GPU knows it by; as long as there is a tensor of it."""

    def __init__(self, rows: NDArray[np.float16]) -> None:
        self._rows = np.ascontiguousarray(rows)
        self._runtime: Any = torch.cuda.cudart()  # type: ignore[no-untyped-call]
        status = self._runtime.cudaHostRegister(self._rows.ctypes.data, self._rows.nbytes, 0)
        if int(status):
            size = self._rows.nbytes / 1e9
            raise InputError(f"{size:,.1f} GB of features cannot be lent to the GPU: the system locks no more memory")
        self.__cuda_array_interface__ = {**self._rows.__array_interface__, "stream": None, "version": 3}

    def __del__(self) -> None:
        if hasattr(self, "__cuda_array_interface__"):
            self._runtime.cudaHostUnregister(self._rows.ctypes.data)


def stretches(groups: Sequence[int], tables: Sequence[FeatureTable], most: int) -> Iterator[slice]:
    """Return rows with these groups, one after the other, in stretches of at most `most` whose groups fit all tables."""
    first, there = 0, set[int]()
    for place, group in enumerate(groups):
        more = there | {group}
        full = place - first == most or (len(more) > len(there) and not all(each.fits(list(more)) for each in tables))
        if full and place > first:
            yield slice(first, place)
            first, more = place, {group}
        there = more
    if first < len(groups):
        yield slice(first, len(groups))


def room_in(text: str) -> Room:
    """Return what a person wrote of where features are to be: host, or a size."""
    return HOST if text.strip().lower() == HOST else size_in_bytes(text)


def size_in_bytes(text: str) -> int:
    """Return a size such as 500MB or 4GB."""
    units = {"GB": 10**9, "MB": 10**6, "G": 10**9, "M": 10**6}
    word = text.strip().upper()
    unit = next((each for each in units if word.endswith(each)), "")
    number = word.removesuffix(unit).strip()
    digits = number.replace(".", "", 1)
    if not unit or not digits.isascii() or not digits.isdecimal() or len(digits) > _MOST_DIGITS:
        raise InputError(f"size {text[:40]}: expected a number of MB or GB, such as 4GB")
    return int(float(number) * units[unit])


def share_of(limit: int, tables: int) -> int:
    """Return how many bytes each of so many tables may have of a feature cache of all of them."""
    share = limit // max(tables, 1)
    if share < SMALLEST <= limit:
        raise InputError(
            f"a feature cache of {limit / 10**6:,g} MB is too small for {tables} features on disk; give"
            f" {tables * SMALLEST / 10**6:g}MB or more"
        )
    return share
