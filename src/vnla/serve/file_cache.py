"""A cache of files that take long to make: pictures and meshes of houses.

Whoever asks while something is being made waits for it with the others. A cache holds so many bytes and no more: what nobody
has asked for longest is deleted. What cannot be stored, because the disk is full, is still returned.
"""

from __future__ import annotations

import contextlib
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from types import MappingProxyType

from vnla.common.errors import InputError
from vnla.common.files import MEGABYTE, left_over, write_bytes
from vnla.common.machine import cores_here

ROOM = 1024 * MEGABYTE
KINDS = ("*.webp", "*.glb")
"""Names of the files that a cache may hold; others in its folder are not its own, and stay."""

Makes = Callable[[], Mapping[str, bytes]]
"""Makes some things that belong together: name → bytes."""


class FileCache:
    """Files in a folder, by name, for any number of threads."""

    def __init__(self, folder: Path, room: int = ROOM, shipped: Mapping[str, Path] = MappingProxyType({})) -> None:
        """Files that were `shipped` need not be made, and take no room here."""
        self._folder, self._room, self._shipped = folder, room, shipped
        self._lock = Lock()
        self._making: dict[str, Future[Mapping[str, bytes]]] = {}
        self._makers = ThreadPoolExecutor(cores_here(), "vnla files")
        for rest in left_over(folder, *KINDS):
            rest.unlink(missing_ok=True)
        found = [(path.stat(), path.name) for kind in KINDS for path in folder.glob(f"[!.]{kind}")]
        found.sort(key=lambda each: each[0].st_mtime)
        self._sizes = OrderedDict((name, stat.st_size) for stat, name in found)  # what was asked for last is last

    def has(self, name: str) -> bool:
        """Return whether a file need not be made."""
        with self._lock:
            return name in self._shipped or name in self._sizes

    def get(self, name: str, group: str, make: Makes) -> bytes:
        """Return the file of that name; if it is missing, one of the files that the group's `make` makes."""
        stored = self._read(name)
        return self._made(group, make)[name] if stored is None else stored

    def put(self, made: Mapping[str, bytes]) -> None:
        """Store files that were made, as far as there is room on the disk."""
        with contextlib.suppress(InputError):
            for name, data in made.items():
                self._store(name, data)

    def _read(self, name: str) -> bytes | None:
        with self._lock:
            if name in self._shipped:
                return self._shipped[name].read_bytes()
            if name not in self._sizes:
                return None
            self._sizes.move_to_end(name)
        try:
            return (self._folder / name).read_bytes()
        except OSError:  # thrown away in this moment, or by somebody else
            return None

    def _made(self, group: str, make: Makes) -> Mapping[str, bytes]:
        with self._lock:
            if group not in self._making:
                self._making[group] = self._makers.submit(self._make, group, make)
            making = self._making[group]
        return making.result()

    def _make(self, group: str, make: Makes) -> Mapping[str, bytes]:
        try:
            made = make()
            self.put(made)
            return made
        finally:
            with self._lock:
                del self._making[group]

    def _store(self, name: str, data: bytes) -> None:
        write_bytes(self._folder / name, data)
        with self._lock:
            self._sizes[name] = len(data)
            self._sizes.move_to_end(name)
            while sum(self._sizes.values()) > self._room and len(self._sizes) > 1:
                oldest, _ = self._sizes.popitem(last=False)
                (self._folder / oldest).unlink(missing_ok=True)
