"""Fit what it costs to take a sentence in one way, `src/vnla/language/data/costs.txt`, to the sentences to develop on.

    python -m benchmarks.experiments.fit_reader worlds/development
    python -m benchmarks.experiments.fit_reader worlds/development loose onward    # these costs as well: slow

Costs at the end of a sentence are tried on the ways to take it that are left there, which are found once. Other costs are
made smaller and larger one after the other, and every sentence is taken anew. A value is kept if more of two in three
sentences, heard without the number of actions, then lead where their walk ends; every third takes no part, and is told.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.experiments.people import Houses
from vnla.camera import VIEWS
from vnla.common.files import write_text
from vnla.language.costs import COSTS
from vnla.language.grounding import at_the_end, unpriced
from vnla.language.handwritten import Written, development
from vnla.language.parser import parse
from vnla.language.relaxed_matching import GroundingContext
from vnla.world.actions import Nav

FILE = Path(__file__).parents[2] / "src" / "vnla" / "language" / "data" / "costs.txt"
AT_THE_END = ("more", "more_or_less", "detour", "forbidden")
VALUES = (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.8)
FACTORS = (0.5, 2.0)


class Choice(NamedTuple):
    """One way to take a sentence: its cost but for the end, what is known there, and whether it leads to the right pose."""

    cost: float
    amounts: dict[str, float]
    good: bool


def choices(line: Written, houses: Houses) -> Iterator[Choice]:
    """The ways to take the sentence of a walk."""
    around, parsed = houses.around(line.house_name), parse(line.sentence)
    pose = around.graph.ids.index(line.viewpoint) * VIEWS + line.view
    place = GroundingContext(around, around.after)

    def end(plan: Sequence[Nav]) -> int:
        there = pose
        for action in plan:
            there = around.after(there, action)
        return there

    wanted = end(line.plan)
    for way in unpriced(parsed, place, pose):
        yield Choice(way.cost, at_the_end(way, parsed, place), end(way.plan) == wanted)


def right(sentences: Sequence[list[Choice]]) -> list[bool]:
    """Whether the cheapest way to take each sentence is the right one."""
    return [
        min(each, key=lambda way: way.cost + sum(getattr(COSTS, name) * much for name, much in way.amounts.items())).good
        for each in sentences
    ]


def told(name: str, sentences: Sequence[list[Choice]]) -> int:
    """How many sentences that take part are right; printed, with those that do not."""
    good = right(sentences)
    fitted = [each for number, each in enumerate(good) if number % 3 != 2]
    others = good[2::3]
    shares = (f"{100 * sum(each) / len(each):.1f}" for each in (fitted, others))
    sys.stdout.write(f"{name} {getattr(COSTS, name):g}: end pose, %: {' and of the others '.join(shares)}\n")
    return sum(fitted)


def fit(name: str, values: Sequence[float], sentences: Sequence[list[Choice]] | None, houses: Houses) -> None:
    """Give a cost the best of some values; what stands if none is better. Without `sentences` they are taken anew."""
    lines, results = development(), {}
    for value in (getattr(COSTS, name), *values):
        setattr(COSTS, name, value)
        results[value] = told(name, sentences or [list(choices(line, houses)) for line in lines])
    setattr(COSTS, name, max(results, key=lambda value: results[value]))


def main(place: Path, names: Sequence[str]) -> None:
    """Fit the costs at the end, then those that are named, and write the file."""
    houses = Houses(place, development())
    sentences = [list(choices(line, houses)) for line in development()]
    for name in (*AT_THE_END, *AT_THE_END):
        fit(name, VALUES, sentences, houses)
    for name in names:
        fit(name, [round(getattr(COSTS, name) * factor, 4) for factor in FACTORS], None, houses)
    text = FILE.read_text(encoding="utf-8")
    write_text(FILE, re.sub(r"^(\w+): [\d.]+", lambda found: f"{found[1]}: {getattr(COSTS, found[1])}", text, flags=re.M))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
