"""The first stages: houses, features, data sets. Each does what the command of that name does (`vnla world make` …)."""

from __future__ import annotations

from pathlib import Path

from vnla.houses.generate.world import Parts
from vnla.houses.generate.world import Preset as Houses
from vnla.paper.stages import Report


def make_world(out: Path, name: str, houses: Houses, seed: int, parts: Parts | None, cores: int, report: Report) -> None:
    """Generate houses: the preset's numbers of them unless `parts` says so."""
    from vnla.houses.folder import write_world
    from vnla.houses.generate.world import as_extra, make_houses, recipes, splits

    wanted = recipes(houses, seed, parts)
    made = []
    for house in make_houses(wanted, cores):
        made.append(house)
        report(len(made), len(wanted), "houses")
    write_world(out, made, source="generated", splits=splits(houses, wanted, parts), extra=as_extra(name, seed, wanted))


def encode_views(
    world: Path, encoder: str, reduced: int | None, like: Path | None, device: str, cores: int, report: Report
) -> None:
    """Draw and encode every view of a world, and reduce the features if that is wanted; goes on where it was.

    They are reduced as those of the world `like`, if there is one.
    """
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
        reduce_features(folder, encoder, reduced, read_world(like) if like else None)


def make_tasks(
    world: Path, out: Path, name: str, seed: int, least: int | None, fewest: int, most_train: int | None, report: Report
) -> None:
    """Make AskNav or NoRoom."""
    from vnla.houses.folder import read_world
    from vnla.tasks.making import make_dataset
    from vnla.tasks.recipes import RECIPES

    report(0, 1, "points")
    make_dataset(read_world(world), out, RECIPES[name], seed=seed, size=least, fewest=fewest, most_train=most_train or 0)


def make_test_tasks(
    world: Path, out: Path, like: Path, known: Path, seed: int, size: int, fewest: int, report: Report
) -> None:
    """Make a test set in all houses of a world, with the words and times of the data set `like` of the world `known`."""
    from vnla.houses.folder import read_world
    from vnla.tasks.dataset import read_dataset
    from vnla.tasks.making import make_tests

    report(0, 1, "points")
    make_tests(read_world(world), out, read_dataset(like), read_world(known), seed=seed, size=size, fewest=fewest)
