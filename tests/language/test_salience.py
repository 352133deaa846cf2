"""What a person would notice in a picture: by numbers worked out by hand, and by what becomes of the grammar."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import spoken as it
from vnla.camera import VIEWS
from vnla.houses.house import OrientedBox
from vnla.language.facts import facts_of
from vnla.language.frames import Face, Pass, Reach, Spot, Walk
from vnla.language.salience import Sighting, outline_share, reason, salience


@pytest.mark.parametrize(
    ("share", "across", "whole", "why"),
    [
        (0.009, 0, 1.0, ""),  # just enough in the middle
        (0.008, 0, 1.0, "small"),
        (0.017, 40, 1.0, "at the edge"),  # counts half there
        (0.0181, -40, 1.0, ""),
        (0.02, 0, 0.3, "hidden"),  # (0.3 / 0.5) ** 3 is 0.216
        (0.05, 0, 0.3, ""),
        (0.02, 0, 0.5, ""),
    ],
)
def test_by_hand(share: float, across: float, whole: float, why: str) -> None:
    assert reason(Sighting(share, across, whole)) == why


shares, angles, parts = st.floats(1e-4, 1), st.floats(-40, 40), st.floats(0, 1.5)


@given(shares, angles, parts, st.floats(0, 1))
def test_less_of_anything_is_never_more_salient(share: float, across: float, whole: float, by: float) -> None:
    seen = Sighting(share, across, whole)
    less = (seen._replace(share=share * by), seen._replace(whole=whole * by), seen._replace(across=40.0))
    assert all(salience(each) <= salience(seen) + 1e-12 for each in less)
    assert (reason(seen) == "") == (salience(seen) >= 1)


def test_a_box_fills_what_it_covers() -> None:
    """A cube of 1 m, 5 m away, face on: 1/25 of a steradian but for what is due to its flatness, of 80 by 60 degrees."""
    cube = OrientedBox(centre=(0, 0, 0), axis0=(1, 0, 0), axis1=(0, 1, 0), radii=(0.5, 0.5, 0.5))
    (ahead, corner) = outline_share(cube, np.array([[5.0, 0, 0], [5 / 2**0.5, 5 / 2**0.5, 0]]))
    assert ahead == pytest.approx(0.04 / np.radians(80) / np.radians(60), rel=0.02)
    assert corner == pytest.approx(ahead * 2**0.5, rel=0.02)  # two faces are seen


def test_what_the_grammar_names_would_be_noticed() -> None:
    """In the view where it is named; and nobody is sent to a thing by a way into a room that it is not in."""
    now = it.agents(400, 7)
    told, found = it.voice(4).tell(now), 0
    for row in range(400):
        for frame, pose, end, house in it.clauses(now, told, row):
            around = it.surroundings()[house]
            landmark = getattr(frame, "toward", None) if isinstance(frame, Walk) else getattr(frame, "landmark", None)
            if landmark is None or not isinstance(frame, Face | Spot | Reach | Pass | Walk):
                continue
            here, view = divmod(end if isinstance(frame, Face | Spot) else pose, VIEWS)
            where = here, view, landmark.thing
            assert not reason(Sighting(around.share[where], around.across[where], around.whole[where])), frame
            if isinstance(frame, Reach | Walk):
                rooms = around.room[around.path(pose // VIEWS, end // VIEWS)].tolist()
                assert len(set(rooms)) == 1 or around.house.objects[landmark.thing].room == rooms[-1], frame
            found += 1
    assert found > 100


def test_the_test_takes_something_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """Facts of things are fewer than of all that is in view at all."""
    around = it.surroundings()[0]
    noticed = len(facts_of(around).turn)
    monkeypatch.setitem(around.__dict__, "salient", around.visible)
    assert len(facts_of(around).turn) > noticed
