"""How often a thing or a room alone tells the way in what the grammar says, and how often somebody can follow who sees only
what is in view: the numbers of language.md.

python benchmarks/experiments/landmarks.py worlds/small
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from vnla.camera import VIEWS
from vnla.houses.folder import read_world
from vnla.language.frames import Enter, Leave, Reach, Through, said
from vnla.language.grammar import Grammar
from vnla.language.speaker.training import Ground, OwnWords, ground_of
from vnla.language.speech import ComposedSentences, PlanBatch, Speech, landmarks_alone, plan_of, tell
from vnla.language.wayfinding import Wayfinding
from vnla.world.actions import Nav

K, WALKS = 4, 4000


def found(ground: Ground, finding: list[Wayfinding], plan: PlanBatch, told: ComposedSentences, row: int) -> bool:
    """Whether every turn of a sentence is said, or what one goes to is seen to be on that side."""
    for at, what in enumerate(told.what[row].tolist()):
        if what < 0:
            continue
        end = int(told.end[row, at])
        place, view = divmod(int(plan.poses[row, at]), VIEWS)
        house = int(np.searchsorted(ground.world.first.numpy(), place, side="right")) - 1
        first, own = int(ground.world.first[house]), finding[house]
        here, there = place - first, int(plan.poses[row, end]) // VIEWS - first
        match said(what, int(told.side[row, at]), Nav(int(plan.actions[row, at])), end - at):
            case Reach(landmark, _):
                good = own.to_thing(here, there, landmark.thing)
            case Enter(side=side) | Leave(side=side):
                seen, then = own.to_room(here, there)
                good = seen if side is None else then
            case Through():
                _, good = own.to_room(here, there)
            case _:
                continue
        if not good[view]:
            return False
    return True


def shares(ground: Ground, says: str) -> tuple[float, float]:
    """Of sentences about random walks in the houses of training."""
    grammar, now = Grammar(), ground.agents(WALKS, 3)
    plan, told = plan_of(now, K), tell(now, Speech.of(grammar, OwnWords(grammar.words), says, K), ground.knowledge, K)
    finding = [Wayfinding(each) for each in ground.houses]
    by_sight = np.mean([found(ground, finding, plan, told, row) for row in range(WALKS)])
    return float(landmarks_alone(plan, told).any(dim=1).float().mean()), float(by_sight)


if __name__ == "__main__":
    houses = ground_of(read_world(Path(sys.argv[1])), "train")
    for name in ("usual", "landmarks"):
        alone, by_sight = shares(houses, name)
        sys.stdout.write(f"{name}: {alone:.1%} by a landmark alone, {by_sight:.1%} to be followed by sight, of {WALKS}\n")
