"""Worlds, tasks and features: made, brought in, and opened."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from vnla.api.options import FeatureOptions, ImportOptions, Place, TaskOptions, WorldOptions

if TYPE_CHECKING:
    from vnla.houses.folder import WorldFolder
    from vnla.houses.sources import WorldSource
    from vnla.tasks.dataset import Dataset
    from vnla.vision.store import FeatureStore


def make_world(out: Place, **options: Unpack[WorldOptions]) -> WorldFolder:
    """Generate houses into the new folder `out`, with the options of `vnla world make`; the world.

    A call that was ended continues where it was.
    """
    from vnla.cli import world
    from vnla.cli.asking import asked
    from vnla.cli.options import made_from
    from vnla.common.files import vacant

    given = asked(world.make, [out], options, WorldOptions.__annotations__)
    order = made_from(world.HouseOptions, given).order()
    vacant(given["out"])
    world.build_world(order, given["out"], given["workers"])
    return load_world(out)


def load_world(path: Place) -> WorldFolder:
    """The world in a world folder, or in a folder of Matterport3D files."""
    from vnla.houses.folder import read_world

    return read_world(Path(path))


def import_world(
    source: Place | WorldSource | type[WorldSource], out: Place, **options: Unpack[ImportOptions]
) -> WorldFolder:
    """Bring houses into the new folder `out`, with the options of `vnla world import`; the world.

    A source is a folder of Matterport3D files, a plain JSON file, or a `WorldSource`: one that was made, its class, or its
    name, such as cottage or package.module:Class.
    """
    from vnla.cli import world
    from vnla.cli.asking import asked
    from vnla.common.registry import name_of, options_of
    from vnla.houses.sources import WORLDS, JsonHouses, WorldSource, world_source

    target = Path(out)
    if isinstance(source, WorldSource):
        asked(world.import_from, [name_of(source, WORLDS), out], options, ())
        world.bring_houses(source, target, name_of(source, WORLDS))
    elif not isinstance(source, type) and Path(source).is_dir():
        among = ("connectivity", "scans", "scan")
        given = asked(world.import_matterport, [source, out], options, among)
        world.bring_buildings(given["source"], target, *(given[name] for name in among))
    elif not isinstance(source, type) and Path(source).suffix == ".json":
        given = asked(world.import_json, [source, out], options, ("pictures", "strict"))
        world.bring_houses(JsonHouses(str(source), str(given["pictures"] or ""), given["strict"]), target, "json")
    else:
        given = asked(world.import_from, [source, out], options, ("option",))
        chosen = world_source(given["source"], options_of(given["option"] or (), "--option"))
        world.bring_houses(chosen, target, given["source"])
    return load_world(out)


def make_tasks(world: Place, out: Place, **options: Unpack[TaskOptions]) -> Dataset:
    """Make AskNav or NoRoom for a world into the new folder `out`, with the options of `vnla tasks make`; the data set."""
    from vnla.cli import tasks
    from vnla.cli.asking import asked
    from vnla.cli.console import progress_bar
    from vnla.cli.options import made_from
    from vnla.common.files import vacant

    given = asked(tasks.make, [world, out], options, TaskOptions.__annotations__)
    vacant(given["out"])
    with progress_bar() as progress:
        made_from(tasks.DatasetOptions, given).make(load_world(world), given["out"], progress)
    return load_tasks(out)


def load_tasks(path: Place, task: str | None = None) -> Dataset:
    """The data set in a folder; `task` says which one, asknav or noroom, where it has both."""
    from vnla.tasks.dataset import read_dataset

    return read_dataset(Path(path), task)


def make_features(world: Place, **options: Unpack[FeatureOptions]) -> FeatureStore:
    """Encode every view of a world, with the options of `vnla features make`; the features.

    They are kept in the world folder. A call that was ended continues where it was, and what is there is not made again.
    """
    from vnla.cli import features
    from vnla.cli.asking import asked
    from vnla.cli.options import made_from
    from vnla.vision.store import FeatureStore

    given = asked(features.make, [world], options, FeatureOptions.__annotations__)
    path, _, _ = made_from(features.FeatureMakeOptions, given).encode(given["world"])
    return FeatureStore.open(path)
