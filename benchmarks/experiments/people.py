"""How well people are understood: the table of language.md, from the sentences that were written by hand.

    python benchmarks/experiments/people.py worlds/written
    python benchmarks/experiments/people.py worlds/written people.json    # also a file with what came of every walk
    python benchmarks/experiments/people.py worlds/given given.json given/sentences.jsonl    # what visitors of a page gave

The world of their houses is made if it is not there, and looked at, which takes long the first time.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from vnla.camera import HEADINGS, VIEWS
from vnla.common.files import write_text
from vnla.common.machine import commit, machine_words
from vnla.language.grounding import denote
from vnla.language.handwritten import Written, handwritten, read_written, written_world
from vnla.language.parser import parse
from vnla.language.surroundings import Surroundings
from vnla.world.actions import Nav

Row = tuple[bool, bool, bool, bool]
COLUMNS = ("exact actions", "end pose", "same viewpoint", "and within 30 degrees")


class Houses:
    """The houses of the walks, each looked at once."""

    def __init__(self, place: Path, lines: Sequence[Written] = ()) -> None:
        self._folder = written_world(place, lines=lines)
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


def rows(place: Path, lines: Sequence[Written]) -> Iterator[tuple[str, list[Row]]]:
    """Each row of the table: what is heard, and what came of it in every walk."""
    houses = Houses(place, lines)
    others = [*lines[len(lines) // 2 :], *lines[: len(lines) // 2]]
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
    if not of_four:
        return
    yield f"the same, the {len(of_four)} walks of four actions", of_four


def record(found: dict[str, list[Row]], lines: Sequence[Written], command: str) -> dict[str, object]:
    """Everything that was found, for a file: what was heard, and for every walk the four columns as digits."""
    walks = [f"{line.house_name} {line.viewpoint} {line.view}: {line.sentence}" for line in lines]
    return {
        "command": command,
        "commit": commit(),
        "machine": machine_words(),
        "columns": COLUMNS,
        "walks": walks,
        "heard": {what: ["".join(str(int(column)) for column in row) for row in walked] for what, walked in found.items()},
    }


def main(place: Path, out: Path | None = None, sentences: Path | None = None) -> None:
    """Print the table, a row as soon as it is known, and write the file if there is to be one."""
    found: dict[str, list[Row]] = {}
    lines = handwritten() if sentences is None else read_written(sentences)
    sys.stdout.write(f"| heard | {' | '.join(COLUMNS)} |\n| --- |{' --- |' * len(COLUMNS)}\n")
    for what, walks in rows(place, lines):
        found[what] = walks
        shares = (f"{100 * sum(column) / len(walks):.1f}" for column in zip(*walks, strict=True))
        sys.stdout.write(f"| {what} | {' | '.join(shares)} |\n")
        sys.stdout.flush()
    if out:
        command = " ".join(["python benchmarks/experiments/people.py", *map(str, filter(None, (place, out, sentences)))])
        write_text(out, json.dumps(record(found, lines, command), indent=1) + "\n")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:4]))
