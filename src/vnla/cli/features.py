"""`vnla features`: images to feature vectors, features in and out, and what can be read from them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer
from rich.console import Console
from rich.progress import ProgressColumn, Task
from rich.text import Text

from vnla.camera import HEADINGS, LEVEL_ROW, VIEWS
from vnla.cli.console import hint_if_busy, plain, progress_bar
from vnla.cli.options import JsonOption, takes_options
from vnla.cli.sharing import ShardOption, say_part
from vnla.common.errors import InputError
from vnla.common.options import option
from vnla.report.printing import Table

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from vnla.houses.folder import WorldFolder
    from vnla.vision.encoders import Encoder
    from vnla.vision.probe import ProbeResult, Visibility
    from vnla.vision.store import Header
    from vnla.world.compiled import World

app = typer.Typer(help="Features of images: make, check, reduce, import, export, probe.", no_args_is_help=True)

WorldArgument = Annotated[Path, typer.Argument(metavar="WORLD", help="A world folder.")]
DEFAULT_ENCODER = "efficientnet-lite0"
ENCODER_HELP = (
    "efficientnet-lite0, efficientnet-lite0-int8, panorama-lite0, resnet152, timm:MODEL, random, pixels, pictures, "
    "or your own, package.module:Class."
)


@dataclass(frozen=True)
class FeatureMakeOptions:
    """Which encoder, and how it works."""

    encoder: str = option(DEFAULT_ENCODER, ENCODER_HELP, metavar="NAME")
    encoder_option: list[str] | None = option(None, "An option of your own encoder; may be repeated.", metavar="NAME=VALUE")
    views: str = option("all", "Which views: all 36, or the 12 that look level.", metavar="all|level")
    name: str | None = option(None, "Name for the features. [default: the encoder's]", metavar="N")
    weights: Path | None = option(None, "Weights, .pth or .safetensors.", metavar="FILE")
    device: str | None = option(None, "cpu, cuda, cuda:1, mps. [default: a GPU if there is one]")
    size: str | None = option(None, "Size of the images. [default: the encoder's]", metavar="WxH")
    batch: int | None = option(None, "Images encoded at once. [default: the device's]", min=1)
    workers: int | None = option(None, "Processes that draw images. [default: one a core]", min=1)
    threads: int | None = option(
        None, "Threads of this process; each process that draws has one. [default: all cores]", min=1
    )
    half: bool = option(False, "Half precision on a GPU.")
    seed: int = option(0, "Seed of the weights of the encoder 'random'.")

    def made(self) -> Encoder:
        """Return the encoder."""
        from vnla.common.machine import use_threads
        from vnla.common.registry import options_of
        from vnla.vision.encoders import EncoderOptions, Size, make_encoder

        use_threads(self.threads)
        options = EncoderOptions(
            self.weights, self.device, None if self.size is None else Size.parse(self.size), self.half, self.seed
        )
        return make_encoder(self.encoder, options, options_of(self.encoder_option or (), "--encoder-option"))

    def encode(self, world: Path) -> tuple[Path, Header, bool]:
        """Make the features of a world; return where they are, what they are, and whether they are new."""
        from vnla.vision.making import make_features

        maker, (folder, compiled) = self.made(), _read(world)
        hint_if_busy(1 if maker.travels else self.threads)  # it then computes in processes of one thread
        with _progress("drawing and encoding", len(compiled.ids)) as bar:
            return make_features(
                folder,
                compiled,
                maker,
                bar.advance,
                name=self.name,
                views=chosen_views(self.views),
                describe=bar.say,
                batch=self.batch,
                workers=self.workers,
            )


@app.command("make", epilog="Example: vnla features make worlds/small --encoder efficientnet-lite0")
@takes_options()
def make(
    world: WorldArgument, *, options: FeatureMakeOptions, shard: ShardOption = None, as_json: JsonOption = False
) -> None:
    """Encode all 36 views of every viewpoint. If it is interrupted, the same command continues.

    With --views level it encodes only the twelve level views, and keeps them beside the others under a name that ends in
    -level. An agent that looks up or down then sees the level view in that direction.

    With --shard i/n it encodes a share of the houses; --shard merge makes the features from all shares.
    """
    if shard is not None:
        _make_shared(world, options, shard, as_json)
        return
    out, header, new = options.encode(world)
    _say(out, header, as_json, "written" if new else "there already")


def chosen_views(text: str) -> str:
    """Return which views a person wants."""
    from vnla.vision.level import ALL, LEVEL

    if text not in (ALL, LEVEL):
        raise InputError(f"--views {text}: unknown; choose {ALL} or {LEVEL}")
    return text


def _make_shared(path: Path, options: FeatureMakeOptions, which: str, as_json: bool) -> None:
    """Encode the houses of a shard, or put all shards together."""
    from vnla.pipeline.shards.features import feature_parts, make_part, merge, share_of
    from vnla.pipeline.shards.shard import MERGE, Shard
    from vnla.vision.level import store_name
    from vnla.vision.making import header_of, is_made
    from vnla.vision.store import store_path

    encoder, (folder, world) = options.made(), _read(path)
    views = chosen_views(options.views)
    header = header_of(folder, world, encoder, views)
    out = store_path(folder.path, options.name or store_name(encoder.name, views))
    parts = feature_parts(out, header)
    if is_made(out, header):
        if which == MERGE and parts.folder.exists():  # it was killed as it ended
            parts.remove()
        _say(out, header, as_json, "there already")
        return
    if which == MERGE:
        with _progress("putting together", len(header.viewpoints)) as bar:
            merge(parts, header, bar.advance)
        parts.remove()
        _say(out, header, as_json, "written")
        return
    shard = Shard.parse(which)
    own = len(share_of(shard, header))
    with _progress("drawing and encoding", own) as bar:
        new = make_part(
            parts,
            shard,
            folder,
            header,
            encoder,
            bar.advance,
            describe=bar.say,
            batch=options.batch,
            workers=options.workers,
        )
    say_part(parts, shard, {"viewpoints": own}, new, as_json)


@app.command("check", epilog="Example: vnla features check worlds/small --encoder efficientnet-lite0")
def check(
    world: WorldArgument,
    encoder: Annotated[str, typer.Option(metavar="NAME", help="Encoder of the features.")] = DEFAULT_ENCODER,
    as_json: JsonOption = False,
) -> None:
    """Check features on disk against their checksums, house by house."""
    from vnla.houses.folder import read_world
    from vnla.vision.store import ARRAY, world_features

    store = world_features(read_world(world), encoder)
    with _progress("reading", len(store.header.viewpoints)) as bar:
        damaged = store.damaged(bar.advance)
    if as_json:
        typer.echo(json.dumps({"features": str(store.path), "damaged": damaged}, indent=2))
    else:
        _say(store.path, store.header, False, "damaged" if damaged else "whole")
    if damaged:
        houses = ", ".join(damaged[:5]) + (f" and {len(damaged) - 5} more" if len(damaged) > 5 else "")
        raise InputError(f"{store.path / ARRAY}: damaged in {houses}; remove that folder and make the features again")


@app.command("reduce", epilog="Example: vnla features reduce worlds/small --size 128")
def reduce(
    world: WorldArgument,
    size: Annotated[int, typer.Option(min=1, help="Number of values to keep for each view.")] = 128,
    encoder: Annotated[str, typer.Option(metavar="NAME", help="Encoder of the features.")] = DEFAULT_ENCODER,
    as_json: JsonOption = False,
) -> None:
    """Project features onto the principal components of the training houses' views, which lets small agents learn faster."""
    from vnla.vision.reduce import reduce_features

    store, kept = reduce_features(_read(world)[0], encoder, size)
    _say(store.path, store.header, as_json, "written")
    if not as_json:
        typer.echo(f"{kept:.0%} of the variance of the training houses' views is kept")


@app.command("import", epilog="Example: vnla features import worlds/matterport ResNet-152-imagenet.tsv --name resnet152")
def import_(
    world: WorldArgument,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A .tsv, .h5 or .hdf5 file of features.")],
    name: Annotated[str, typer.Option(metavar="N", help="Name for the features, used like an encoder's name.")],
    columns: Annotated[
        int | None, typer.Option(min=1, help="Take only the first values of each view. [default: all]")
    ] = None,
    views: Annotated[str, typer.Option(metavar="all|level", help="Which views: all 36, or the 12 that look level.")] = "all",
    as_json: JsonOption = False,
) -> None:
    """Import features that were computed elsewhere. Viewpoints that the world does not have are skipped."""
    from vnla.vision.exchange import import_features
    from vnla.vision.store import store_path, viewpoints_of, world_checksum

    folder, compiled = _read(world)
    viewpoints, out = viewpoints_of(compiled), store_path(world, name)
    with _progress("importing", len(viewpoints)) as bar:
        store = import_features(
            file,
            out,
            viewpoints,
            name=name,
            world=world_checksum(folder),
            columns=columns,
            views=chosen_views(views),
            progress=bar.advance,
        )
    _say(out, store.header, as_json, "written")


@app.command("export", epilog="Example: vnla features export worlds/small --encoder efficientnet-lite0 features.tsv")
def export(
    world: WorldArgument,
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The file to make: .tsv, .h5 or .hdf5.")],
    encoder: Annotated[str, typer.Option(metavar="NAME", help="Encoder of the features.")] = DEFAULT_ENCODER,
    as_json: JsonOption = False,
) -> None:
    """Write features in the file formats that other programs for Matterport3D read."""
    from vnla.vision.exchange import export_features
    from vnla.vision.store import world_features

    store = world_features(_read(world)[0], encoder)
    with _progress("exporting", len(store.header.viewpoints)) as bar:
        export_features(store, out, bar.advance)
    _say(out, store.header, as_json, "written")


@app.command("probe", epilog="Example: vnla features probe worlds/small --encoder efficientnet-lite0 --encoder pixels")
def probe(
    world: WorldArgument,
    encoder: Annotated[list[str], typer.Option(metavar="NAME", help="Encoder of the features; may be repeated.")],
    views: Annotated[
        int, typer.Option(min=100, help="Use at most this many training views, and as many test views.")
    ] = 20_000,
    seed: Annotated[int, typer.Option(help="Seed of the choice of views.")] = 0,
    drawn: Annotated[
        bool,
        typer.Option(
            "--drawn/--listed", help="What decides whether an object is in view: the drawn pixels, or the list of objects."
        ),
    ] = True,
    as_json: JsonOption = False,
) -> None:
    """Measure what a linear probe reads from features in houses it was not trained on: objects and rooms.

    It is trained on the houses of the split "train" and measured on all others; a world without splits is measured on its
    last fifth of the houses. If any of the features are of level views, only level views are measured.
    """
    import numpy as np

    from vnla.vision.level import LEVEL
    from vnla.vision.probe import probe as fit
    from vnla.vision.probe import probe_targets
    from vnla.vision.store import world_features

    folder, compiled = _read(world)
    house = np.repeat(np.arange(len(compiled.houses)), np.diff(compiled.first.numpy()) * VIEWS)  # (views,)
    training = np.isin(house, [compiled.house(name) for name in training_houses(folder)])
    stores = {name: world_features(folder, name) for name in dict.fromkeys(encoder)}
    chosen = _sample(training, views, seed, level=any(store.header.views == LEVEL for store in stores.values()))
    targets = probe_targets(folder.houses, compiled, _visibility(folder, compiled, drawn))
    table = targets.table.reshape(len(house), -1)[chosen]
    results: dict[str, ProbeResult] = {}
    for name, store in stores.items():
        with Console(stderr=True).status(f"probing {name} …"):
            sample = store.at_poses(compiled, chosen)
            masks = (training[chosen], ~training[chosen])
            results[name] = fit(sample, table, *masks, labels=targets.labels, houses=house[chosen])
    if as_json:
        typer.echo(json.dumps({name: result.as_json() for name, result in results.items()}, indent=2))
    else:
        _print_probe(world, results)


def _visibility(folder: WorldFolder, world: World, drawn: bool) -> Visibility:
    """What is in each view, where the source of the pictures knows; of other worlds only the list of objects is known."""
    from vnla.houses.images import world_images
    from vnla.vision.probe import drawn_visibility, listed_visibility

    images = world_images(folder)
    if not drawn or not all(images.source.knows_objects(house) for house in folder.houses):
        return listed_visibility(folder.houses, world)
    with _progress("drawing", len(world.ids)) as bar:
        return drawn_visibility(folder.houses, world, images.sightings, bar.advance)


def training_houses(folder: WorldFolder) -> tuple[str, ...]:
    """Names of the houses to learn from: the split "train", or all but the last fifth."""
    names = [house.name for house in folder.houses]
    if "train" in folder.splits:
        chosen = tuple(folder.splits["train"])
    else:
        chosen = tuple(names[: len(names) - max(1, len(names) // 5)])
    if not chosen or len(chosen) == len(names):
        raise InputError(f"{folder.path}: a probe needs training houses and others; this world has {len(names)} houses")
    return chosen


def _sample(training: NDArray[np.bool_], most: int, seed: int, *, level: bool = False) -> NDArray[np.int64]:
    """Numbers of at most `most` training views and as many others, in rising order, of all or of the `level` ones."""
    import numpy as np

    generator = np.random.default_rng(seed)
    among = np.arange(len(training)) % VIEWS // HEADINGS == LEVEL_ROW if level else np.ones_like(training)
    parts = [np.flatnonzero(training & among), np.flatnonzero(~training & among)]
    return np.sort(np.concatenate([generator.permutation(part)[:most] for part in parts]))


def _print_probe(world: Path, results: dict[str, ProbeResult]) -> None:
    first = next(iter(results.values()))
    title = (
        f"{world}: average precision on unseen houses, {first.train_views:,} training and {first.test_views:,} test views"
    )
    table = Table("label", "views", "chance", *results, title=title, title_justify="left")
    for column in table.columns[1:]:
        column.justify = "right"
    means = [f"{result.mean_precision:.3f}" for result in results.values()]
    table.add_row("mean", "", f"{first.mean_chance:.3f}", *means, end_section=True)
    order = sorted(range(len(first.labels)), key=lambda i: -first.positives[i])
    for i in order:
        if first.measured[i]:
            values = [f"{result.precision[i]:.3f}" for result in results.values()]
            table.add_row(first.labels[i], f"{first.positives[i]:,}", f"{first.chance[i]:.3f}", *values)
    console = plain()
    console.print(table)
    left = int((~first.measured).sum())
    if left:
        console.print(f"{left} labels not measured: not in both the training houses and the others", soft_wrap=True)


def _read(path: Path) -> tuple[WorldFolder, World]:
    from vnla.houses.folder import read_world
    from vnla.world.compiled import World

    folder = read_world(path)
    return folder, World.compile(folder.houses)


def _say(out: Path, header: Header, as_json: bool, what: str) -> None:
    if as_json:
        value = {key: each for key, each in header.as_json().items() if key not in ("houses", "format", "version")}
        typer.echo(json.dumps({"out": str(out), "status": what, **value}, indent=2))
    else:
        views = f"{len(header.viewpoints):,} viewpoints × {header.view_count} views × {header.dimension:,} values"
        plain().print(f"{what}: {out}, {views}", soft_wrap=True)


class _Speed(ProgressColumn):
    """Images a second."""

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed * VIEWS:,.0f} images/s")


class _ViewpointBar(NamedTuple):
    """What moves a bar on, and what changes the words beside it."""

    advance: Callable[[int], None]
    say: Callable[[str], None]


@contextmanager
def _progress(what: str, total: int) -> Iterator[_ViewpointBar]:
    """A bar in viewpoints."""
    with progress_bar(_Speed()) as bar:
        task = bar.add_task(what, total=total)
        yield _ViewpointBar(lambda count: bar.advance(task, count), lambda words: bar.update(task, description=words))
