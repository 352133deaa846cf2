"""Agents that learn nothing, evaluated beside those that do: a scripted walker, and a planner by room statistics.

They are told in symbols what is in view, objects by their right names, so they need not recognise anything
(`vnla.vision.symbols`). What they show is how far walking and asking sensibly leads without learning to see.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from vnla.experiments.paper.evaluations import write_folder
from vnla.experiments.paper.trainings import ASKNAV
from vnla.houses.folder import read_world
from vnla.pipeline.stages import Report
from vnla.remote.episode import EvaluationRules
from vnla.remote.evaluation import evaluate_policy
from vnla.remote.observer import WorldObserver
from vnla.remote.registry import policy_named
from vnla.tasks.dataset import read_dataset
from vnla.world.compiled import World

PEERS = {"scripted": "SCRIPTED", "planner": "PLANNER"}
"""Who they are, and what tables call them."""
NOTE = (
    "SCRIPTED and PLANNER learn nothing and are not in the paper: they walk by rules, PLANNER with statistics of the"
    " training houses, and are told by name what is in view, which the others have to recognise."
)


def peer_on(peer: str, tasks: str) -> str:
    """What the evaluation of one of them on a data set is called."""
    return peer if tasks == ASKNAV else f"{tasks}-{peer}"


@dataclass(frozen=True)
class Visit:
    """One evaluation of one of them."""

    peer: str
    world: Path
    tasks: Path
    split: str
    seeds: Sequence[int]


def evaluate_peer(out: Path, visit: Visit, report: Report) -> None:
    """Carry out an evaluation and write the new folder `out`, as that of a trained agent."""
    report(0, 1, "")
    folder, dataset = read_world(visit.world), read_dataset(visit.tasks)
    world = World.compile(folder.houses)
    guest = policy_named(visit.peer, {}, folder)
    done = evaluate_policy(
        guest,
        EvaluationRules.of(world, dataset, visit.split),
        WorldObserver(guest.declaration, folder, world),
        seeds=visit.seeds,
        progress=lambda count, of: report(count, of, "episodes"),
    )
    write_folder(out, done.evaluation)
