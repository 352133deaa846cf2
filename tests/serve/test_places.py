"""Names of houses and viewpoints: the same every time, for nothing else, and back again."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace

import pytest

from furnished import small_houses
from vnla.common.errors import InputError
from vnla.houses.cottage import cottage
from vnla.serve.places import PlaceNames, fingerprint

HOUSES = [cottage(), *small_houses(3)]


def test_names_lead_back_and_are_unlike_each_other() -> None:
    places = PlaceNames(HOUSES)
    names = [places.name(house) for house in HOUSES]
    stands = [(house, i, name) for house in HOUSES for i, name in places.viewpoints(house).items()]
    assert [places.house(name) for name in names] == HOUSES
    assert [places.viewpoint(name) for *_, name in stands] == [(house, i) for house, i, _ in stands]
    assert len({*names, *(name for *_, name in stands)}) == len(names) + len(stands)
    assert len(stands) == sum(len(house.viewpoints) for house in HOUSES)


def test_names_tell_nothing() -> None:
    places = PlaceNames(HOUSES)
    for house in HOUSES:
        for name in (places.name(house), *places.viewpoints(house).values()):
            assert len(name) == 12 and set(name) <= set("0123456789abcdef")


def test_names_are_the_same_in_another_process() -> None:
    program = "from vnla.houses.cottage import cottage; from vnla.serve.places import PlaceNames;"
    program += "places = PlaceNames([cottage()]);"
    program += "import json; print(json.dumps([places.name(cottage()), list(places.viewpoints(cottage()).values())]))"
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    places = PlaceNames(HOUSES)
    assert json.loads(answer.stdout) == [places.name(cottage()), list(places.viewpoints(cottage()).values())]


def test_another_house_has_other_names() -> None:
    house = cottage()
    moved = replace(house.viewpoints[0], position=(9.0, 9.0, 1.5))
    other = replace(house, viewpoints=(moved, *house.viewpoints[1:]))
    assert fingerprint(other) != fingerprint(house)
    assert not set(PlaceNames([other]).viewpoints(other).values()) & set(PlaceNames([house]).viewpoints(house).values())


def test_nobody_stands_at_an_excluded_viewpoint() -> None:
    house = cottage()
    without = replace(house, viewpoints=(replace(house.viewpoints[0], included=False), *house.viewpoints[1:]))
    assert list(PlaceNames([without]).viewpoints(without)) == list(range(1, len(house.viewpoints)))


@pytest.mark.parametrize("name", ["", "house000", "../../etc/passwd", "0" * 12])
def test_an_unknown_name_is_refused(name: str) -> None:
    places = PlaceNames(HOUSES)
    with pytest.raises(InputError, match="there is no such house here"):
        places.house(name)
    with pytest.raises(InputError, match="there is no such place here"):
        places.viewpoint(name)
