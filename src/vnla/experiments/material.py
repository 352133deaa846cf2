"""The first stages: houses, features, data sets. Each does what the command of that name does (`vnla world make` …)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from vnla.common.progress import Count
from vnla.houses.generate.world import SplitSizes
from vnla.houses.generate.world import WorldPreset as Houses
from vnla.pipeline.shards.shard import Shard
from vnla.pipeline.stages import Report
from vnla.vision.level import encoder_and_views

if TYPE_CHECKING:
    from vnla.houses.folder import WorldFolder
    from vnla.vision.encoders import Encoder
    from vnla.world.compiled import World


def make_world(
    out: Path,
    name: str,
    houses: Houses,
    seed: int,
    parts: SplitSizes | None,
    cores: int,
    report: Report,
    *,
    mirrored: bool = False,
) -> None:
    """Generate houses: the preset's numbers of them unless `parts` says so, and mirror images of those for training."""
    from vnla.houses.folder import write_world
    from vnla.houses.generate.world import as_extra, make_houses, recipes, splits, with_mirrored

    wanted = recipes(houses, seed, parts)
    wanted = with_mirrored(wanted, (parts or houses.parts).train) if mirrored else wanted
    made = []
    for house in make_houses(wanted, cores):
        made.append(house)
        report(len(made), len(wanted), "houses")
    write_world(out, made, source="generated", splits=splits(houses, wanted, parts), extra=as_extra(name, seed, wanted))


def encode_views(
    world: Path, encoder: str, reduced: int | None, like: Path | None, device: str, cores: int, report: Report
) -> None:
    """Draw and encode every view of a world, and reduce the features if that is wanted; continues where it was.

    They are reduced as those of the world `like`, if there is one.
    """
    from vnla.experiments.embedded import withdraw_features
    from vnla.vision.making import make_features

    withdraw_features(world)
    folder, compiled, maker = _with_encoder(world, encoder, device)
    advance = _counted(report, len(compiled.ids), "viewpoints")
    make_features(folder, compiled, maker, advance, views=encoder_and_views(encoder)[1], workers=cores)
    _reduce(folder, encoder, reduced, like)


def place_views(world: Path, reduced: int | None, report: Report) -> None:
    """Take the features of the small world from the package, and reduce them if that is wanted."""
    from vnla.experiments.embedded import place_features
    from vnla.houses.folder import read_world
    from vnla.vision.encoders import DEFAULT

    report(0, 1, "taking the features that come with vnla")
    place_features(world)
    _reduce(read_world(world), DEFAULT, reduced, None)


def encode_piece(world: Path, encoder: str, shard: Shard, device: str, cores: int, report: Report) -> None:
    """Draw and encode the views of some houses of a world; continues where it was."""
    from vnla.pipeline.shards.features import feature_parts, make_part, share_of
    from vnla.vision.making import header_of
    from vnla.vision.store import store_path

    folder, compiled, maker = _with_encoder(world, encoder, device)
    header = header_of(folder, compiled, maker, encoder_and_views(encoder)[1])
    advance = _counted(report, len(share_of(shard, header)), "viewpoints")
    make_part(feature_parts(store_path(world, encoder), header), shard, folder, header, maker, advance, workers=cores)


def join_views(
    world: Path, encoder: str, reduced: int | None, like: Path | None, device: str, _cores: int, report: Report
) -> None:
    """Do what `encode_views` does where all pieces have been encoded."""
    from vnla.pipeline.shards.features import feature_parts, merge
    from vnla.vision.making import header_of, is_made
    from vnla.vision.store import store_path

    folder, compiled, maker = _with_encoder(world, encoder, device)
    header, out = header_of(folder, compiled, maker, encoder_and_views(encoder)[1]), store_path(world, encoder)
    parts = feature_parts(out, header)
    if not is_made(out, header):
        merge(parts, header, _counted(report, len(compiled.ids), "viewpoints"))
    if parts.folder.exists():
        parts.remove()
    _reduce(folder, encoder, reduced, like)


def _with_encoder(world: Path, encoder: str, device: str) -> tuple[WorldFolder, World, Encoder]:
    from vnla.houses.folder import read_world
    from vnla.vision.encoders import EncoderOptions, make_encoder
    from vnla.world.compiled import World

    folder = read_world(world)
    return folder, World.compile(folder.houses), make_encoder(encoder_and_views(encoder)[0], EncoderOptions(device=device))


def _reduce(folder: WorldFolder, encoder: str, reduced: int | None, like: Path | None) -> None:
    from vnla.houses.folder import read_world
    from vnla.vision.reduce import reduce_features

    if reduced is not None:
        reduce_features(folder, encoder, reduced, read_world(like) if like else None)


def _counted(report: Report, of: int, what: str) -> Count:
    """Reports how far it is, by how many more are done."""
    done = 0

    def advance(count: int) -> None:
        nonlocal done
        done += count
        report(done, of, what)

    return advance


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
