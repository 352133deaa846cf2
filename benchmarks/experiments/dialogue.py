"""What a question back is worth: sentences of the grammar without the sides, ordinals and colours that tell things apart.

    python benchmarks/experiments/dialogue.py worlds/small --count 1000 --out results/language/dialogue.json

Agents have wandered about the houses of a world (`vnla.report.advice.wandering`). The advisor grammar describes the next k
actions to each, and says every side; then what tells things apart is left out where the rest is still understood. The reader
takes the cheapest reading, or it asks back where another is close, and the answer chooses. Beside that stands one request
more that is spent on a second such sentence about the same actions: the reader takes the reading that both allow best.
Counted is how many end where the plan does.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch

from vnla.assistance.advisor import NONE_OF_THEM
from vnla.assistance.phrases import until_stop
from vnla.camera import VIEWS
from vnla.common.files import write_text
from vnla.evaluation.confidence import over_houses
from vnla.houses.folder import read_world
from vnla.language.advisor import GrammarAdvisor
from vnla.language.asking import meant_by
from vnla.language.dialogue import Asking, ask_back, choice_of, without_what_tells_apart
from vnla.language.grounding import TakenWay
from vnla.language.readings import readings
from vnla.language.speaker.composing import stepping
from vnla.language.surroundings import Surroundings
from vnla.report.advice import wandering
from vnla.tasks.vocabulary import SPECIAL, Vocabulary
from vnla.world.actions import Nav
from vnla.world.compiled import World

MARGINS = (0.15, 0.3, 0.6, 1.0)
_ABSENT = 5.0  # for a reading that only one of two sentences has


class Told(NamedTuple):
    """A sentence, and another about the same plan, both without what tells things apart."""

    around: Surroundings
    whole: str
    bare: str
    second: str
    plan: tuple[Nav, ...]
    poses: list[int]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("world", type=Path)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--k", type=int, default=4)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    found = {}
    told = list(sentences(given.world, given.count, given.k, given.seed))
    for name, count in (("k known", given.k), ("k unknown", None)):
        found[name] = measured(told, count)
    summary = {"walks": given.count, "k": given.k, "seed": given.seed, "shortened": len(told), "found": found}
    text = json.dumps(summary, indent=2) + "\n"
    print(text)
    if given.out is not None:
        write_text(given.out, text)


def sentences(world_path: Path, count: int, k: int, seed: int) -> Iterator[Told]:
    """Yield the sentences from which something can be left out."""
    folder = read_world(world_path)
    world = World.compile(folder.houses)
    now = wandering(world, count, seed)
    advisor = GrammarAdvisor(k=k, sides=1.0)
    voice = advisor.ready_in(folder, world, Vocabulary((*SPECIAL, *advisor.words())))
    actions, ways = now.episodes.environment.taught_way(now.pose, now.episodes.goals, k)
    heard = [voice.say(each) for each in (now, replace(now, step=now.step + 1))]
    texts = [[each.table.text(row) for row in each.index.tolist()] for each in heard]
    houses = {house.name: Surroundings.of(folder, house) for house in folder.houses}
    for row, (plan, way) in enumerate(zip(torch.stack(actions, 1).tolist(), torch.stack(ways, 1).tolist(), strict=True)):
        bare, second = (without_what_tells_apart(each[row]) for each in texts)
        if bare != texts[0][row]:
            house = int(torch.searchsorted(world.first, torch.tensor(way[0] // VIEWS), right=True)) - 1
            first = int(world.first[house]) * VIEWS
            done = until_stop(plan)
            poses = [pose - first for pose in way[: len(done) + 1]]
            yield Told(houses[world.houses[house]], texts[0][row], bare, second, done, poses)


def measured(told: Sequence[Told], count: int | None) -> dict[str, object]:
    """Return how many end in the right place, in per cent with an interval over houses, and how many questions that took."""
    found: dict[str, list[bool]] = {}
    for each in told:
        for name, right in outcomes(each, count):
            found.setdefault(name, []).append(right)
    houses = [each.around.house.name for each in told]
    return {
        name: over_houses(100 * np.array(values, np.float64), houses=np.array(houses), whole=100).as_dict()
        for name, values in found.items()
    }


def outcomes(each: Told, count: int | None) -> Iterator[tuple[str, bool]]:
    """Yield what becomes of a sentence, by what is done with it."""
    whole, bare, second = (_read(each, text, count) for text in (each.whole, each.bare, each.second))
    yield "the whole sentence", _right(each, whole)
    yield "shortened", _right(each, bare)
    yield "shortened: the right reading is among all", any(one.pose == each.poses[-1] for one in bare)
    yield "two shortened sentences", _right(each, both(bare, second))
    for margin in MARGINS:
        question = ask_back(bare, each.around, each.poses[0], Asking(margin=margin))
        right = None if question is None else question.right(each.plan, each.poses[-1])
        meant, again = bare, bare
        if question is not None:
            choice = choice_of(NONE_OF_THEM if right is None else question.choices[right], question)
            meant, again = [meant_by(question, choice)], both(bare, second)
        yield f"margin {margin}: asked back", question is not None
        yield f"margin {margin}: asked back, and no choice was right", question is not None and right is None
        yield f"margin {margin}: right after the answer", _right(each, meant)
        yield f"margin {margin}: right with one request more in its place", _right(each, again)


def _read(each: Told, text: str, count: int | None) -> list[TakenWay]:
    step = stepping(each.around, each.plan, each.poses)
    return readings(text, each.around, each.poses[0], step, count=count, guided=True)


def _right(each: Told, found: Sequence[TakenWay]) -> bool:
    return bool(found) and found[0].pose == each.poses[-1]


def both(one: Sequence[TakenWay], other: Sequence[TakenWay]) -> list[TakenWay]:
    """Return the readings of two sentences about the same plan, those first that both allow best."""
    costs = [{each.plan: each.cost for each in found} for found in (one, other)]
    every = {each.plan: each for each in (*one, *other)}
    return sorted(every.values(), key=lambda each: sum(found.get(each.plan, _ABSENT) for found in costs))


if __name__ == "__main__":
    main()
