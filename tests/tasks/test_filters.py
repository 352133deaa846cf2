"""Which objects and rooms can be asked for, one rule a test."""

from __future__ import annotations

from dataclasses import replace

import pytest

from vnla.houses.cottage import cottage
from vnla.houses.house import Object, OrientedBox, Viewpoint
from vnla.houses.rooms import ROOM_NAMES
from vnla.tasks.buckets import Exclusion, Filters, label_reason
from vnla.tasks.end_goals import matterport_splits, plain, table

ALL = Filters.of([cottage()], rooms=True, fewest=1)


def reason_for(
    label: str, *, room: int | None = 0, centre: tuple[float, float, float] = (0.0, -2.0, 1.0)
) -> Exclusion | None:
    """What is said of one more thing, which stands in the cottage's entryway unless told otherwise."""
    house = cottage()
    house = replace(house, objects=(*house.objects, Object(99, label, room, OrientedBox(centre))))
    return Filters.of([house], rooms=True, fewest=1).reasons(house)[-1]


@pytest.mark.parametrize(
    ("label", "reason"),
    [
        ("door frame", Exclusion.HARD),
        ("doorframe", Exclusion.HARD),
        ("window frame", Exclusion.HARD),
        ("window", Exclusion.LOW),
        ("shower wall", Exclusion.LOW),
        ("Ceiling", Exclusion.LOW),
        ("floor", Exclusion.LOW),
        ("garage door", Exclusion.LOW),
        ("door", Exclusion.LOW),
        ("unknown", Exclusion.UNKNOWN),
        ("remove", Exclusion.UNKNOWN),
        ("wall / other room", Exclusion.UNKNOWN),
        ("picture /otherroom", Exclusion.UNKNOWN),
        ("bathroom countertop object", Exclusion.UNKNOWN),
        ("???", Exclusion.UNKNOWN),
        ("floor lamp", None),
        ("wall cabinet", None),
        ("ceiling fan", None),
        ("window shade", None),
        ("umbrella", None),
    ],
)
def test_labels_are_left_out_for_a_stated_reason(label: str, reason: Exclusion | None) -> None:
    assert label_reason(plain(label)) == reason
    assert reason_for(label) == reason


def test_objects_outside_their_room_are_ignored() -> None:
    """The entryway's box ends at y = -1.5."""
    assert reason_for("umbrella", centre=(0.0, -1.6, 1.0)) is None
    assert reason_for("umbrella", centre=(0.0, -1.4, 1.0)) is Exclusion.OUTSIDE


def test_objects_without_a_room_are_ignored() -> None:
    assert reason_for("umbrella", room=None) is Exclusion.NO_ROOM


def test_objects_in_rooms_without_a_viewpoint_are_ignored() -> None:
    """Without its one viewpoint the bathroom's three objects cannot be seen from their room; an excluded one is none."""
    house = cottage()
    gone = tuple(replace(each, included=each.id != "bathroom") for each in house.viewpoints)
    for changed in (gone, tuple(replace(each, room=8 if each.id == "none" else each.room) for each in gone)):
        reasons = ALL.reasons(replace(house, viewpoints=changed))
        assert [i for i, each in enumerate(reasons) if each is Exclusion.NO_VIEWPOINT] == [17, 18, 19]


def test_rare_labels_are_left_out_of_the_whole_world() -> None:
    """A cottage has three pictures and two beds, so two cottages have six and four: only pictures reach five."""
    houses = [replace(cottage(), name=name) for name in "ab"]
    filters = Filters.of(houses, rooms=False)
    assert filters.objects == {"picture"}
    assert {house.objects[i].label for house in houses for i, each in enumerate(filters.reasons(house)) if not each} == {
        "picture"
    }


def test_rare_and_unknown_rooms_are_left_out_where_the_room_is_named() -> None:
    """Three cottages have six hallways and six bedrooms, and three of each other kind."""
    houses = [replace(cottage(), name=name) for name in "abc"]
    filters = Filters.of(houses, rooms=True)
    assert filters.rooms == {"h", "b"}
    assert filters.reasons(houses[0])[0] is Exclusion.UNKNOWN_ROOM  # the picture in the entryway
    assert filters.reasons(houses[0])[1] is None  # the picture in the hallway
    assert Filters.of(houses, rooms=False).reasons(houses[0])[0] is None
    relabelled = replace(cottage(), rooms=tuple(replace(room, label="z") for room in cottage().rooms))
    assert Filters.of([relabelled], rooms=True, fewest=1).rooms == frozenset()


def test_viewpoints_of_other_rooms_do_not_count() -> None:
    house = cottage()
    more = replace(house, viewpoints=(*house.viewpoints, Viewpoint("loft", (9.0, 9.0, 4.3))))
    assert ALL.reasons(more) == ALL.reasons(house)


def test_every_entry_of_the_lists_has_its_reason() -> None:
    rows = table("objects_left_out.csv")
    assert all(row["why"] and Exclusion(row["reason"]) in (Exclusion.UNKNOWN, Exclusion.HARD, Exclusion.LOW) for row in rows)
    assert len({row["label"] for row in rows}) == len(rows)
    assert all(row["why"] for row in (*table("word_forms.csv"), *table("rooms_in_goals.csv")))
    assert {row["label"] for row in table("rooms_in_goals.csv")} <= set(ROOM_NAMES)


def test_the_standard_splits_have_the_papers_sizes() -> None:
    splits = matterport_splits()
    assert {part: len(names) for part, names in splits.items()} == {"train": 61, "dev": 11, "test": 18}
    assert len({name for names in splits.values() for name in names}) == 90
