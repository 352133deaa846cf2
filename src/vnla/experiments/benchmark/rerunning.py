"""Have the agent of an entry walk some tasks again, and tell where its walks are other than those in the entry."""

from __future__ import annotations

from vnla.common.errors import InputError
from vnla.common.progress import Tell
from vnla.experiments.benchmark.contestants import Contestant
from vnla.experiments.benchmark.houses import BenchmarkHouses
from vnla.experiments.benchmark.verification import VerifiedEntry, compare_again


def rerun_entry(
    verified: VerifiedEntry, contestant: Contestant, houses: BenchmarkHouses, tasks: int, tell: Tell
) -> list[str]:
    """Return in words what differs on so many tasks of each condition, the same for everybody."""
    entry = verified.entry
    ours, theirs = contestant.artefact.digest, entry.manifest.artefact.digest
    if ours != theirs:
        raise InputError(
            f"{entry.path}: is of the artefact {theirs[:12]}, and this agent is {ours[:12]}; give the agent, the options and"
            " the version of vnla that made the entry"
        )
    base, differ = houses.base(tell), []
    for condition in entry.conditions:
        place = houses.of(condition.houses, entry.manifest.fresh_seed, tell)
        contestant.ready(place, base, tell)
        again = contestant.walk(place, condition, houses.definition, tell, chosen=tasks)
        differ += [f"{condition.name}: {line}" for line in compare_again(verified.results(condition.name), again.results)]
    return differ
