"""How well people are understood: the table of language.md, from the sentences that were written by hand.

    python docs/people.py worlds/written

The world of their houses is made if it is not there, and looked at, which takes long the first time.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from vnla.camera.views import HEADINGS, VIEWS
from vnla.language.denoting import denote
from vnla.language.handwritten import Written, handwritten, written_world
from vnla.language.parser import parse
from vnla.language.surroundings import Surroundings
from vnla.world.actions import Nav

Row = tuple[bool, bool, bool, bool]
COLUMNS = ("exact actions", "end pose", "same viewpoint", "and within 30 degrees")


class Houses:
    """The houses of the walks, each looked at once."""

    def __init__(self, place: Path) -> None:
        self._folder = written_world(place)
        self._houses = {house.name: house for house in self._folder.houses}

    @cache  # noqa: B019
    def around(self, name: str) -> Surroundings:
        """What there is in a house."""
        return Surroundings.of(self._folder, self._houses[name])

    def heard(self, line: Written, sentence: str, count: int | None) -> Row:
        """What comes of a sentence that is heard where a walk begins; `count` is how many actions are meant."""
        around = self.around(line.house_name)
        pose = around.graph.ids.index(line.viewpoint) * VIEWS + line.view
        plan = denote(parse(sentence), around, pose, around.after, count=count).plan[:count]
        return self._row(around, pose, line.plan, plan)

    def _row(self, around: Surroundings, pose: int, wanted: Sequence[Nav], plan: Sequence[Nav]) -> Row:
        wanted_end = got = pose
        for action in wanted:
            wanted_end = around.after(wanted_end, action)
        for action in plan:
            got = around.after(got, action)
        there = got // VIEWS == wanted_end // VIEWS
        apart = abs(got % HEADINGS - wanted_end % HEADINGS)
        return tuple(plan) == tuple(wanted), got == wanted_end, there, there and min(apart, HEADINGS - apart) <= 1


def rows(place: Path) -> Iterator[tuple[str, list[Row]]]:
    """Each row of the table: what is heard, and what came of it in every walk."""
    houses, lines = Houses(place), handwritten()
    others = lines[len(lines) // 2 :] + lines[: len(lines) // 2]
    yield "nothing", [houses.heard(line, "", None) for line in lines]
    wrong = zip(lines, others, strict=True)
    yield (
        "the sentence of another walk, and how many actions are meant",
        [houses.heard(line, other.sentence, len(line.plan)) for line, other in wrong],
    )
    yield "the sentence", [houses.heard(line, line.sentence, None) for line in lines]
    told = [houses.heard(line, line.sentence, len(line.plan)) for line in lines]
    yield "the sentence, and how many actions are meant", told
    of_four = [row for row, line in zip(told, lines, strict=True) if len(line.plan) == 4]
    yield f"the same, the {len(of_four)} walks of four actions", of_four


if __name__ == "__main__":
    sys.stdout.write(f"| heard | {' | '.join(COLUMNS)} |\n| --- |{' --- |' * len(COLUMNS)}\n")
    for what, found in rows(Path(sys.argv[1])):
        shares = (f"{100 * sum(each) / len(found):.1f}" for each in zip(*found, strict=True))
        sys.stdout.write(f"| {what} | {' | '.join(shares)} |\n")
        sys.stdout.flush()
