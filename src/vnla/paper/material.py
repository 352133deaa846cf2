"""The first stages: houses, features, data sets. Each does what the command of that name does (`vnla world make` …)."""

from __future__ import annotations

from pathlib import Path

from vnla.houses.generate.world import Preset as Houses
from vnla.paper.stages import Report


def make_world(out: Path, name: str, houses: Houses, seed: int, cores: int, report: Report) -> None:
    """Generate houses."""
    from vnla.houses.folder import write_world
    from vnla.houses.generate.world import as_extra, make_houses, recipes, splits

    wanted = recipes(houses, seed)
    made = []
    for house in make_houses(wanted, cores):
        made.append(house)
        report(len(made), len(wanted), "houses")
    write_world(out, made, source="generated", splits=splits(houses, wanted), extra=as_extra(name, seed, wanted))


def encode_views(world: Path, encoder: str, reduced: int | None, device: str, cores: int, report: Report) -> None:
    """Draw and encode every view of a world, and reduce the features if that is wanted; goes on where it was."""
    from vnla.houses.folder import read_world
    from vnla.vision.encoders import Options, make_encoder
    from vnla.vision.making import make_features
    from vnla.vision.reduce import reduce_features
    from vnla.world.compiled import World

    folder = read_world(world)
    compiled = World.compile(folder.houses)
    done = 0

    def advance(count: int) -> None:
        nonlocal done
        done += count
        report(done, len(compiled.ids), "viewpoints")

    make_features(folder, compiled, make_encoder(encoder, Options(device=device)), advance, workers=cores)
    if reduced is not None:
        reduce_features(folder, encoder, reduced)


def make_tasks(
    world: Path, out: Path, name: str, seed: int, least: int | None, fewest: int, most_train: int | None, report: Report
) -> None:
    """Make AskNav or NoRoom."""
    from vnla.houses.folder import read_world
    from vnla.tasks.making import make_dataset
    from vnla.tasks.recipes import RECIPES

    report(0, 1, "points")
    make_dataset(read_world(world), out, RECIPES[name], seed=seed, size=least, fewest=fewest, most_train=most_train or 0)
