"""A world in the making: its finished houses wait beside where it will be, so that a command that was ended goes on.

::

    .NAME.unfinished/making.json                   by which generator, and what was wished
    .NAME.unfinished/house000-SEED-VIEWPOINTS/     a house, as Matterport3D files
"""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path

from vnla.common import files
from vnla.common.errors import InputError
from vnla.common.lock import alone_in
from vnla.houses.generate.world import GENERATOR, HouseRecipe, make_houses
from vnla.houses.house import House
from vnla.houses.matterport import find_buildings, read_building, write_matterport

MAKING = "making.json"


class Unfinished:
    """The houses that are finished of a world that is not. Whoever has it is alone at that."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def has(self, recipe: HouseRecipe) -> bool:
        """Whether a house is finished."""
        return self._place(recipe).is_dir()

    def make(self, wanted: Sequence[HouseRecipe], workers: int | None = None) -> Generator[House]:
        """The houses in order: those that are finished, and the others as they are made."""
        missing = [recipe for recipe in wanted if not self.has(recipe)]
        with contextlib.closing(make_houses(missing, workers) if missing else _none()) as making:
            for recipe in wanted:
                if self.has(recipe):
                    yield self._read_or_made(recipe)
                    continue
                house = next(making)
                with files.new_folder(self._place(recipe)) as folder:
                    write_matterport(folder, [house])
                yield house

    def read(self, recipe: HouseRecipe) -> House:
        """A house that is finished."""
        return read_building(find_buildings(self._place(recipe))[0]).house

    def _read_or_made(self, recipe: HouseRecipe) -> House:
        try:
            return self.read(recipe)
        except (InputError, IndexError):  # damaged: made again
            return recipe.make().house

    def _place(self, recipe: HouseRecipe) -> Path:
        return self.folder / f"{recipe.name}-{recipe.seed}-{recipe.viewpoints}"


@contextlib.contextmanager
def unfinished(out: Path, wanted: Sequence[HouseRecipe]) -> Iterator[Unfinished]:
    """What is finished of the world `out`; it is forgotten when the block ends well, or if other houses are wanted."""
    folder = out.absolute().parent / f".{out.absolute().name}.unfinished"
    wishes = wanted[0].wishes
    making = json.dumps({"generator": GENERATOR, "wishes": None if wishes is None else wishes.as_json()}) + "\n"
    missing = [parent for parent in folder.parents if not parent.exists()]
    try:
        with alone_in(folder):
            file = folder / MAKING
            if not file.is_file() or file.read_text(encoding="utf-8") != making:
                for each in folder.iterdir():
                    if each.is_dir():
                        shutil.rmtree(each)
                files.write_text(file, making)
            yield Unfinished(folder)
            shutil.rmtree(folder)
    except OSError as error:
        raise InputError(f"{error.filename or folder}: cannot be written ({error.strerror})") from None
    finally:
        _tidy(folder, missing)


def _tidy(folder: Path, missing: Sequence[Path]) -> None:
    """Leave no folder where no house was finished."""
    with contextlib.suppress(OSError):
        if not any(each.is_dir() for each in folder.iterdir()):
            shutil.rmtree(folder)
    for parent in missing:
        with contextlib.suppress(OSError):
            parent.rmdir()


def _none() -> Generator[House]:
    yield from ()
