"""How well people are understood: the table of results/language/README.md, from the sentences that were written by hand.

    python benchmarks/experiments/people.py worlds/written
    python benchmarks/experiments/people.py worlds/written people.json    # also a file with what came of every walk
    python benchmarks/experiments/people.py --boxes boxes.json            # what is in view worked out from boxes

The world of their houses is made if it is not there, and looked at, which takes long the first time. With `--boxes` nothing
is drawn, and every tenth house is looked at, which takes half a minute: `tests/language/test_people.py` holds that.
Sentences that people wrote, as lines like those of `vnla/language/data/handwritten.jsonl`, are heard with `--sentences`.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path

from vnla.camera import HEADINGS, VIEWS
from vnla.common.files import write_text
from vnla.common.machine import commit, cores_here, machine_words
from vnla.language.grounding import denote
from vnla.language.handwritten import Written, handwritten, read_written, recipe_of_line, written_world
from vnla.language.parser import parse
from vnla.language.reader import READER_VERSION
from vnla.language.sights import boxed_sights
from vnla.language.surroundings import Surroundings
from vnla.world.actions import Nav

Row = tuple[bool, bool, bool, bool]
COLUMNS = ("exact actions", "end pose", "same viewpoint", "and within 30 degrees")


class Houses:
    """The houses of the walks, each looked at once."""

    def __init__(self, place: Path | None, lines: Sequence[Written]) -> None:
        """In a world that is drawn, or made as it is needed and not drawn."""
        self._folder = None if place is None else written_world(place, lines=lines)
        self._recipes = {line.house_name: recipe_of_line(line) for line in lines}

    @cache  # noqa: B019
    def around(self, name: str) -> Surroundings:
        """What there is in a house."""
        if self._folder is None:
            made = self._recipes[name].make()
            return Surroundings(made.house, boxed_sights(made))
        return Surroundings.of(self._folder, next(house for house in self._folder.houses if house.name == name))

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
    others = [*lines[len(lines) // 2 :], *lines[: len(lines) // 2]]
    counts = [len(line.plan) for line in lines]
    nobody: list[int | None] = [None] * len(lines)
    sentences = [line.sentence for line in lines]

    def of_four(walks: list[Row]) -> list[Row]:
        return [row for row, count in zip(walks, counts, strict=True) if count == 4]

    written_world(place, lines=lines)
    with ProcessPoolExecutor(cores_here(), initializer=_enter, initargs=(place, lines)) as pool:

        def heard(said: Sequence[str], meant: Sequence[int | None]) -> list[Row]:
            return list(pool.map(_heard, lines, said, meant, chunksize=5))

        yield "nothing", heard([""] * len(lines), nobody)
        alone = heard(sentences, nobody)
        yield "the sentence", alone
        if of_four(alone):
            yield f"the sentence, the {len(of_four(alone))} walks of four actions", of_four(alone)
        told = heard(sentences, counts)
        yield "the sentence, and how many actions are meant", told
        if of_four(told):
            yield f"the same, the {len(of_four(told))} walks of four actions", of_four(told)
        wrong = heard([other.sentence for other in others], counts)
        yield "the sentence of another walk, and how many actions are meant", wrong


_HERE: list[Houses] = []
"""The houses that a process of the pool is in."""


def _enter(place: Path, lines: Sequence[Written]) -> None:
    _HERE[:] = [Houses(place, lines)]


def _heard(line: Written, sentence: str, count: int | None) -> Row:
    return _HERE[0].heard(line, sentence, count)


def held(lines: Sequence[Written]) -> list[Written]:
    """The walks of a few houses, on which a test holds how many sentences are understood."""
    some = sorted({line.house_name for line in lines})[::10]
    return [line for line in lines if line.house_name in some]


def boxed(lines: Sequence[Written]) -> dict[str, str]:
    """Whether each sentence leads to the end pose where what is in view is worked out from boxes: without and with how many
    actions are meant."""
    houses = Houses(None, lines)
    heard = {line: [houses.heard(line, line.sentence, count)[1] for count in (None, len(line.plan))] for line in lines}
    return {_name(line): "".join(str(int(good)) for good in both) for line, both in heard.items()}


def _name(line: Written) -> str:
    return f"{line.house_name} {line.viewpoint} {line.view}: {line.sentence}"


def record(found: dict[str, list[Row]], lines: Sequence[Written]) -> dict[str, object]:
    """Everything that was found, for a file: what was heard, and for every walk the four columns as digits."""
    return {
        "command": "python benchmarks/experiments/people.py worlds/written people.json",
        "reader": READER_VERSION,
        "commit": commit(),
        "machine": machine_words(),
        "columns": COLUMNS,
        "walks": [_name(line) for line in lines],
        "heard": {what: ["".join(str(int(column)) for column in row) for row in walked] for what, walked in found.items()},
    }


def record_boxes(lines: Sequence[Written]) -> dict[str, object]:
    """What came of the sentences in a few houses where what is in view is worked out from boxes, for a file; and how many
    lead to the end pose."""
    found = boxed(held(lines))
    good = {what: sum(row[i] == "1" for row in found.values()) for i, what in enumerate(("without", "with"))}
    return {
        "command": "python benchmarks/experiments/people.py --boxes boxes.json",
        "reader": READER_VERSION,
        "commit": commit(),
        "machine": machine_words(),
        "end pose, without and with the number of actions": good,
        "boxes": found,
    }


def main(place: Path, out: Path | None, sentences: Path | None) -> None:
    """Print the table, a row as soon as it is known, and write the file if there is to be one."""
    lines = read_written(sentences) if sentences else handwritten()
    found: dict[str, list[Row]] = {}
    sys.stdout.write(f"| heard | {' | '.join(COLUMNS)} |\n| --- |{' --- |' * len(COLUMNS)}\n")
    for what, walks in rows(place, lines):
        found[what] = walks
        shares = (f"{100 * sum(column) / len(walks):.1f}" for column in zip(*walks, strict=True))
        sys.stdout.write(f"| {what} | {' | '.join(shares)} |\n")
        sys.stdout.flush()
    if out:
        write_text(out, json.dumps(record(found, lines), indent=1) + "\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("world", type=Path, nargs="?")
    parser.add_argument("out", type=Path, nargs="?")
    parser.add_argument("--sentences", type=Path)
    parser.add_argument("--boxes", type=Path, metavar="FILE")
    given = parser.parse_args()
    if given.boxes:
        record_of = read_written(given.sentences) if given.sentences else handwritten()
        write_text(given.boxes, json.dumps(record_boxes(record_of), indent=1) + "\n")
    elif given.world:
        main(given.world, given.out, given.sentences)
    else:
        parser.error("give the folder of a world, or --boxes")
