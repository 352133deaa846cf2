"""Whether navigation teachers arrive where `forward` is plain: the one made for the paper's rule, and the one that turns on.

    python benchmarks/experiments/plain_teacher.py paper 18 plain_teacher.json

The last houses of a world of the preset are generated (seed 0). In each every viewpoint is the goal once, and the teacher
begins at every other viewpoint in all twelve headings, the camera level.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import torch
from torch import Tensor

from vnla.camera import HEADINGS, LEVEL_ROW, VIEWS
from vnla.common.files import write_text
from vnla.common.machine import commit, machine_words
from vnla.houses.generate.world import PRESETS, make_houses, recipes
from vnla.houses.house import House
from vnla.world.actions import STOP
from vnla.world.compiled import NOWHERE, Environment, World, view_of, viewpoint_of
from vnla.world.forward import PLAIN

DOUBLINGS = 12
"""So that 2^12 actions are followed, more than any house has poses on one way."""


def arrivals(world: World) -> tuple[Tensor, Tensor]:
    """Whether each walk arrives, and how many actions it takes without the `stop`: (goals, poses)."""
    environment = Environment.compile(world, [(world.houses[0], [each]) for each in world.ids])
    pose = torch.arange(len(world.ids) * VIEWS)
    arrived, actions = [], []
    for goal in range(len(world.ids)):
        goals = torch.full_like(pose, goal)
        action = environment.nav_teacher(pose, goals)
        after, count = environment.step(pose, action, goals), (action != STOP).long()
        for _ in range(DOUBLINGS):
            count, after = count + count[after], after[after]
        arrived.append(viewpoint_of(after) == goal)
        actions.append(count)
    return torch.stack(arrived), torch.stack(actions)


def counts(house: House) -> dict[str, int]:
    """How many walks there are in a house, and how many of each teacher arrive."""
    world = World.compile([house])
    plain = world.with_forward(PLAIN)
    untaught = replace(world, arrive=torch.full_like(world.arrive, NOWHERE))  # plain, but the teacher's table is the paper's
    usual, unaware, aware = (arrivals(each) for each in (world, untaught, plain))
    view, here = view_of(torch.arange(len(world.ids) * VIEWS)), viewpoint_of(torch.arange(len(world.ids) * VIEWS))
    counted = (view // HEADINGS == LEVEL_ROW) & (here != torch.arange(len(world.ids))[:, None]) & usual[0]
    both = counted & aware[0]
    return {
        "walks": int(counted.sum()),
        "arrives_unaware": int((counted & unaware[0]).sum()),
        "arrives_aware": int(both.sum()),
        "actions_informed": int(usual[1][both].sum()),
        "actions_plain": int(aware[1][both].sum()),
        "edges": len(world.source),
        "edges_that_plain_forward_never_takes": int((~_taken(plain)).sum()),
    }


def _taken(world: World) -> Tensor:
    ahead = world.ahead.reshape(-1, VIEWS)
    return (ahead[world.source] == world.target[:, None]).any(dim=1)


def main(preset: str, houses: str, out: str) -> None:
    """Print shares, and write the counts of every house."""
    found = {house.name: counts(house) for house in make_houses(recipes(PRESETS[preset], 0)[-int(houses) :], 1)}
    total = {name: sum(each[name] for each in found.values()) for name in next(iter(found.values()))}
    for name in ("arrives_unaware", "arrives_aware"):
        sys.stdout.write(f"{name}: {100 * total[name] / total['walks']:.1f}% of {total['walks']:,} walks\n")
    for name in ("actions_informed", "actions_plain"):
        sys.stdout.write(f"{name}: {total[name] / total['arrives_aware']:.2f} on average\n")
    sys.stdout.write(f"edges that are never taken: {total['edges_that_plain_forward_never_takes']} of {total['edges']}\n")
    record = {
        "command": f"python benchmarks/experiments/plain_teacher.py {preset} {houses} {out}",
        "commit": commit(),
        "machine": machine_words(),
        "total": total,
        "houses": found,
    }
    write_text(Path(out), json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
