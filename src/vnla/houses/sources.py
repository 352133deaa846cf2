"""Sources of worlds, by name: where houses come from that are neither generated nor Matterport3D's.

`vnla world import from NAME OUT` makes a world folder of what a source gives. Anybody's is named as `package.module:Class`,
or as an installed package offers it (`vnla.common.registry`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from vnla.common.errors import InputError
from vnla.common.registry import build
from vnla.houses.cottage import cottage
from vnla.houses.house import House
from vnla.houses.matterport.notes import Note
from vnla.houses.pictures import BOXES, PANORAMAS
from vnla.houses.plain import PlainWorld, read_plain


class WorldSource(ABC):
    """Houses from somewhere. Its options are the fields of its dataclass, or whatever its class is called with."""

    @abstractmethod
    def houses(self) -> Iterable[House]:
        """The houses, one after the other."""

    def splits(self) -> Mapping[str, Sequence[str]]:
        """Which of them are for train, dev and test, by name; nothing leaves it to whoever makes tasks."""
        return {}

    def notes(self) -> Sequence[Note]:
        """What is odd about the houses and may be meant; what `House.warnings` says of each need not be there."""
        return ()

    def choices(self) -> Mapping[str, Any]:
        """What `world.json` is to say of `pictures` and `features`, as `vnla world set` would."""
        return {}


@dataclass(frozen=True)
class JsonHouses(WorldSource):
    """A plain JSON file of rooms, viewpoints and objects (`vnla world schema`), and a folder of pictures if there is one."""

    file: str
    pictures: str = ""
    strict: bool = False
    """Whether what is odd is refused."""

    def houses(self) -> Iterable[House]:
        """Those of the file."""
        odd = self._world.notes
        if self.strict and odd:
            raise InputError(f"{self.file}: {odd[0]}" + (f" (and {len(odd) - 1} more of another kind)" if odd[1:] else ""))
        return self._world.houses

    def notes(self) -> Sequence[Note]:
        """Of rooms that overlap and objects outside every room."""
        return self._world.notes

    def splits(self) -> Mapping[str, Sequence[str]]:
        """The file's own."""
        return self._world.splits

    def choices(self) -> Mapping[str, Any]:
        """Its pictures; where there are none agents are shown symbols, and views are drawn of boxes for who wants them."""
        if not self.pictures:
            return {"features": "symbolic", "pictures": {"source": BOXES, "options": {}}}
        folder = Path(self.pictures).absolute()
        if not folder.is_dir():
            raise InputError(f"{folder}: no such folder; expected pictures as <house>/<viewpoint>.jpg")
        return {"pictures": {"source": PANORAMAS, "options": {"folder": str(folder)}}}

    @cached_property
    def _world(self) -> PlainWorld:
        return read_plain(Path(self.file))


@dataclass(frozen=True)
class Cottage(WorldSource):
    """The small house that comes with the package, drawn by hand."""

    def houses(self) -> Iterable[House]:
        """One."""
        return [cottage()]

    def splits(self) -> Mapping[str, Sequence[str]]:
        """For training."""
        return {"train": [cottage().name]}

    def choices(self) -> Mapping[str, Any]:
        """It has no pictures."""
        return {"features": "symbolic"}


WORLDS: dict[str, Callable[..., WorldSource]] = {"json": JsonHouses, "cottage": Cottage}
"""By the name that commands give them."""


def world_source(name: str, options: Mapping[str, Any]) -> WorldSource:
    """The source of that name, with options."""
    return build("world", name, WORLDS, options, WorldSource)
