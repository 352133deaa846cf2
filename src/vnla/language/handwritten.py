"""The walks with advice written by hand (`vnla/language/data/README.md`), for tests alone: nothing learns from them.

lines = handwritten()
folder = written_world(Path("written"))
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from vnla.assistance.phrases import COMMA, FULL_STOP
from vnla.camera import HEADINGS, VIEWS, view_index
from vnla.common.errors import InputError
from vnla.common.files import read_lines
from vnla.common.progress import Count, unheard
from vnla.houses.folder import WorldFolder, read_world, write_world
from vnla.houses.generate.world import GENERATOR, PRESETS, HouseRecipe, as_extra, recipe_of, recipes
from vnla.world.actions import Nav
from vnla.world.compiled import World

NAME = "handwritten"
OWN = "house"
"""Stands for a preset where the house is in none: `seed` is its own then, `number` how many viewpoints were asked for."""
DEVELOPMENT = ("development", "development-2")


class Written(NamedTuple):
    """A walk and what somebody would say to it."""

    house: tuple[str, int, int]  # preset, seed of the world, number
    viewpoint: str
    view: int
    plan: tuple[Nav, ...]
    sentence: str

    @property
    def house_name(self) -> str:
        """What `written_world` calls the house."""
        preset, seed, number = self.house
        return f"{preset}-{seed}-{number}"

    def pose(self, world: World) -> int:
        """Where it begins."""
        return world.viewpoint(self.house_name, self.viewpoint) * VIEWS + self.view


def handwritten() -> list[Written]:
    """All walks."""
    return _read(NAME)


def development() -> list[Written]:
    """Other walks, in other houses: what the parser was made better on."""
    return [line for name in DEVELOPMENT for line in _read(name)]


def _read(name: str) -> list[Written]:
    text = (files("vnla.language") / "data" / f"{name}.jsonl").read_text(encoding="utf-8")
    return [_written(json.loads(line)) for line in text.splitlines()]


def _written(line: dict[str, object]) -> Written:
    house, plan = line["house"], line["plan"]
    assert isinstance(house, dict) and isinstance(plan, list)
    if house["generator"] != GENERATOR:
        raise InputError(f"the handwritten walks: are in houses of generator {house['generator']}, but this is {GENERATOR}")
    view = view_index(int(str(line["row"])), int(str(line["heading"])))
    actions = tuple(Nav[name.upper()] for name in plan)
    return Written(
        (house["preset"], house["seed"], house["number"]), str(line["viewpoint"]), view, actions, str(line["sentence"])
    )


def written_world(path: Path, progress: Count = unheard, lines: Sequence[Written] = ()) -> WorldFolder:
    """The world of the houses of some walks, or of all, in a folder, made if it is not there."""
    wanted = list({line.house_name: recipe_of_line(line) for line in lines or handwritten()}.values())
    if not path.exists():
        houses = []
        for recipe in wanted:
            houses.append(recipe.make().house)
            progress(1)
        names = [house.name for house in houses]
        write_world(path, houses, source="generated", splits={NAME: names}, extra=as_extra(NAME, 0, wanted))
    folder = read_world(path)
    if {house.name for house in folder.houses} != {recipe.name for recipe in wanted}:
        raise InputError(f"{path}: is another world than that of the handwritten walks; name a folder that is not there yet")
    return folder


def recipe_of_line(line: Written) -> HouseRecipe:
    """What makes the house of a walk."""
    preset, seed, number = line.house
    if preset == OWN:
        return HouseRecipe(line.house_name, seed, number)
    return replace(recipes(PRESETS[preset], seed)[number], name=line.house_name)


def read_written(path: Path) -> list[Written]:
    """Walks in a file of the same form, such as the sentences that visitors gave (`vnla advice export`)."""
    found = []
    for number, line in read_lines(path, "walks with sentences"):
        try:
            found.append(_written(json.loads(line)))
        except (ValueError, LookupError, TypeError, AssertionError, RecursionError):
            raise InputError(f"{path}: line {number} is no walk with a sentence; export it again") from None
    return found


def written_line(house: dict[str, object], viewpoint: str, view: int, plan: Sequence[str], sentence: str) -> str:
    """A line of such a file."""
    row, heading = divmod(view, HEADINGS)
    fields = {"house": house, "viewpoint": viewpoint, "heading": heading, "row": row, "plan": [*plan], "sentence": sentence}
    return json.dumps(fields, ensure_ascii=False)


def house_key(folder: WorldFolder, name: str) -> dict[str, object] | None:
    """By what a house of a world is made again, as a line names it; None where it was not generated, or was wished for."""
    recipe = recipe_of(folder, name)
    if recipe is None or recipe.wishes is not None or recipe.mirrored:
        return None
    return {"generator": GENERATOR, "preset": OWN, "seed": recipe.seed, "number": recipe.viewpoints}


_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*|[^\w\s]")


def words_of(sentence: str) -> list[str]:
    """A sentence as agents hear it: words and digits in lower case, marks inside of it as commas, a full stop at its end."""
    words: list[str] = []
    for match in _WORD.findall(sentence.lower().replace("’", "'")):
        if match == "?" or match[0].isalnum():
            words.append(match)
        elif match in ".,;:!…–—" and words and words[-1] != COMMA:
            words.append(COMMA)
    while words and words[-1] == COMMA:
        words.pop()
    return [*words, FULL_STOP]
