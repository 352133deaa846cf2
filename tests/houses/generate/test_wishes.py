"""Houses by wish: they have what was wished, can be made again from the folder, and a making that was ended goes on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from vnla import cli
from vnla.common.errors import InputError
from vnla.houses.folder import read_world
from vnla.houses.generate.build import generate_house
from vnla.houses.generate.unfinished import Unfinished, unfinished
from vnla.houses.generate.wishes import STYLES, Wishes, range_of
from vnla.houses.generate.world import PRESETS, HouseRecipe, SplitSizes, as_extra, recipe_of, recipes


@pytest.mark.parametrize(
    "wishes",
    [
        Wishes(storeys=(3, 3)),
        Wishes(storeys=(2, 2), rooms=(12, 14), programme="home"),
        Wishes(rooms=(9, 9)),
        Wishes(area=(150, 180), styles=("rustic",)),
        Wishes(programme="workplace", rooms=(10, 16)),
    ],
)
def test_a_house_is_as_it_was_wished(wishes: Wishes) -> None:
    for recipe in recipes(PRESETS["small"], 4, SplitSizes(1, 1, 1), wishes)[:2]:
        plan = generate_house(recipe.name, recipe.seed, recipe.viewpoints, wishes).plan
        if wishes.storeys:
            assert wishes.storeys[0] <= len(plan.levels) <= wishes.storeys[1]
        assert wishes.met_by(plan)
        labels = {room.label for room in plan.rooms}
        assert wishes.programme is None or ("l" in labels) is (wishes.programme == "home")


def test_sizes_are_spread_over_the_range() -> None:
    made = recipes(PRESETS["small"], 0, SplitSizes(20, 1, 1), Wishes(rooms=(10, 40)))
    rooms = sorted(round(recipe.viewpoints / 5.3) for recipe in made)
    assert rooms[0] < 14 and rooms[-1] > 36


def test_without_wishes_all_is_as_before() -> None:
    plain = recipes(PRESETS["small"], 3)
    assert all(recipe.wishes is None for recipe in plain) and "wishes" not in as_extra("small", 3, plain)
    assert [(each.seed, each.viewpoints) for each in recipes(PRESETS["small"], 3, None, Wishes(styles=("modern",)))] == [
        (each.seed, each.viewpoints) for each in plain
    ], "who wishes for a style has the same houses otherwise"


@pytest.mark.parametrize(
    ("wish", "message"),
    [
        ({"storeys": (0, 1)}, r"--storeys 0\.\.1: houses can have 1 to 3"),
        ({"rooms": (2, 4)}, r"--rooms 2\.\.4: houses can have 8 to 80"),
        ({"area": (10, 5000)}, r"--area 10\.\.5000: houses can have 90 to 1000"),
        ({"storeys": (3, 3), "rooms": (8, 12)}, "--storeys 3: such a house has 15 rooms or more; --rooms allows 12"),
        ({"styles": ("baroque",)}, f"--style baroque: unknown; choose from {STYLES[0]}"),
        ({"programme": "castle"}, "--programme castle: unknown; choose from home, workplace"),
    ],
)
def test_what_cannot_be_is_one_line(wish: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Wishes(**wish)  # type: ignore[arg-type]


def test_ranges_as_people_type_them() -> None:
    assert range_of("1..3", "--storeys") == (1, 3) and range_of("2", "--storeys") == (2, 2)
    assert range_of(None, "--storeys") is None
    for wrong in ("3..1", "a", "1..", "..3", "1-3", "", "1...3"):
        with pytest.raises(InputError, match=r"--storeys .*: expected a whole number, or two as in"):
            range_of(wrong, "--storeys")


def make(*arguments: object, code: int = 0) -> None:
    with pytest.raises(SystemExit) as left:
        cli.main(["world", "make", *map(str, arguments)])
    assert left.value.code == code


WISHED = ("--houses", 3, "--workers", 1, "--storeys", "1..2", "--style", "modern,art deco", "--seed", 5)


def test_a_world_of_wishes_can_be_made_again(tmp_path: Path) -> None:
    make(tmp_path / "world", *WISHED)
    folder = read_world(tmp_path / "world")
    assert folder.manifest["extra"]["wishes"] == {"storeys": [1, 2], "styles": ["modern", "art deco"]}
    for house in folder.houses[:2]:
        recipe = recipe_of(folder, house.name)
        assert recipe is not None and recipe.make().house == house
    folder.manifest["extra"]["wishes"] = {"storeys": 3}
    with pytest.raises(InputError, match=r"is damaged .*; expected what was wished of its houses"):
        recipe_of(folder, folder.houses[0].name)


def test_a_making_that_was_ended_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ended in its third house, it has two; these are not made again, and the world is the same to the byte."""
    whole, cut = tmp_path / "whole" / "world", tmp_path / "cut" / "world"
    make(whole, *WISHED)
    real, made = HouseRecipe.make, list[str]()

    def noted(recipe: HouseRecipe, most: int = 99) -> object:
        if len(made) >= most:
            raise KeyboardInterrupt
        made.append(recipe.name)
        return real(recipe)

    monkeypatch.setattr(HouseRecipe, "make", lambda recipe: noted(recipe, 2))
    make(cut, *WISHED, code=130)
    assert len(made) == 2 and not cut.exists()
    monkeypatch.setattr(HouseRecipe, "make", noted)
    capsys.readouterr()
    make(cut, *WISHED)
    assert "2 of 3 houses are there already" in capsys.readouterr().err
    assert len(made) == 3 and sorted(path.name for path in cut.parent.iterdir()) == ["world"]
    for one in sorted(path for path in whole.rglob("*") if path.is_file()):
        assert one.read_bytes() == (cut / one.relative_to(whole)).read_bytes(), one


def test_other_wishes_begin_anew_and_damage_is_made_again(tmp_path: Path) -> None:
    wanted = recipes(PRESETS["small"], 1, SplitSizes(1, 1, 1))
    with pytest.raises(ZeroDivisionError), unfinished(tmp_path / "world", wanted) as begun:
        first = next(begun.make(wanted, 1))
        raise ZeroDivisionError
    folder = tmp_path / ".world.unfinished"
    (house,) = (path for path in folder.iterdir() if path.is_dir())
    assert json.loads((folder / "making.json").read_text())["wishes"] is None
    next((house / "v1").rglob("*.house")).write_text("nonsense")
    assert next(Unfinished(folder).make(wanted, 1)) == first
    wished = recipes(PRESETS["small"], 1, SplitSizes(1, 1, 1), Wishes(styles=("modern",)))
    with unfinished(tmp_path / "world", wished) as begun:
        assert not any(map(begun.has, wished))
    assert not folder.exists()


def test_nothing_is_left_where_no_house_was_finished(tmp_path: Path) -> None:
    wanted = recipes(PRESETS["small"], 1, SplitSizes(1, 1, 1))
    with pytest.raises(ZeroDivisionError), unfinished(tmp_path / "deep" / "world", wanted):
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []
