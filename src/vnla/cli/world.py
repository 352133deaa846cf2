"""`vnla world`: make houses, bring them in, take them out, look at them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vnla.cli.console import LARGEST_SEED, plain, print_json, progress_bar
from vnla.cli.embedded import embedded_places
from vnla.cli.help import CommandGroup
from vnla.cli.options import JsonOption, takes_options
from vnla.cli.sharing import ShardOption, say_part
from vnla.common import files
from vnla.common.errors import InputError
from vnla.common.options import option
from vnla.houses.folder import WorldFolder, counts, read_world, write_manifest, write_world
from vnla.houses.house import House
from vnla.houses.matterport import Note, find_buildings, read_building, write_matterport
from vnla.houses.statistics import REAL, Spread, Statistics, world_statistics
from vnla.report.printing import Table

if TYPE_CHECKING:
    from vnla.houses.generate.world import HouseRecipe
    from vnla.houses.generate.world import SplitSizes as HouseCounts
    from vnla.houses.sources import WorldSource
    from vnla.pipeline.shards.parts import ShardParts
    from vnla.pipeline.shards.shard import Shard

app = typer.Typer(help="Houses: make, import, export, show, set, schema.", no_args_is_help=True)


class _Importers(CommandGroup):
    """`vnla world import FILE.json OUT` means `vnla world import json FILE.json OUT`."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Typer calls this."""
        named = args and args[0].endswith(".json") and args[0] not in self.commands
        return super().resolve_command(ctx, ["json", *args] if named else args)


importers = typer.Typer(help="Import houses from files.", no_args_is_help=True)
app.add_typer(importers, name="import", cls=_Importers)

WorldArgument = Annotated[Path, typer.Argument(metavar="WORLD", help="A world folder, or a folder of Matterport3D files.")]


_TOTALS = (
    ("houses", "houses"),
    ("viewpoints", "viewpoints"),
    ("  isolated", "isolated"),
    ("  excluded, not counted above", "excluded"),
    ("edges", "edges"),
    ("rooms", "rooms"),
    ("objects", "objects"),
    ("  outside their room", "objects_outside"),
)
_SPREADS = (
    ("viewpoints\na house", "viewpoints_a_house", 0),
    ("neighbours\nof one", "neighbours", 1),
    ("edge, m\n", "edge_length", 1),
    ("height\nspread, m", "height", 1),
    ("rooms\na house", "rooms_a_house", 0),
)
MOST_HOUSES = 1_000_000
"""So many recipes still fit into memory before the first house is made."""
_DEFAULT = "default"
"""What takes back what was chosen."""
_SPREAD_ROWS = ("least", "mean", *(f"{percent}%" for percent in range(10, 100, 10)), "most")


class ExportFormat(StrEnum):
    """What `vnla world export` can write."""

    matterport = "matterport"


@dataclass(frozen=True)
class WorldOrder:
    """Houses that somebody asked for."""

    wanted: list[HouseRecipe]
    parts: HouseCounts
    splits: Mapping[str, Sequence[str]]
    extra: dict[str, Any]
    """What the world's file says of them."""

    def write(self, out: Path, made: Sequence[House]) -> None:
        """Make a world folder of them."""
        write_world(out, made, source="generated", splits=self.splits, extra=self.extra)


@dataclass(frozen=True)
class HouseOptions:
    """What houses are generated."""

    preset: str = option(
        "small",
        "small: 17 small houses; paper: 61 for training, 11 for development and 18 for test, of real sizes.",
        metavar="NAME",
    )
    seed: int = option(0, "Seed of everything in it.", min=0, max=LARGEST_SEED)
    houses: int | None = option(
        None,
        "Total number of houses, split in the preset's proportions. [default: the preset's]",
        metavar="N",
        max=MOST_HOUSES,
    )
    train: int | None = option(None, "Number of houses for training.", metavar="N", min=1, max=MOST_HOUSES)
    dev: int | None = option(None, "Number of houses for development.", metavar="N", min=1, max=MOST_HOUSES)
    test: int | None = option(None, "Number of houses for test.", metavar="N", min=1, max=MOST_HOUSES)
    storeys: str | None = option(None, "Storeys, 1 to 3. [default: random]", metavar="A..B")
    rooms: str | None = option(None, "Rooms, 8 to 80. [default: the preset's sizes]", metavar="A..B")
    area: str | None = option(None, "Square metres indoors, 90 to 1000. [default: random]", metavar="A..B")
    style: str | None = option(
        None, "Styles, e.g. modern,rustic; docs/worlds.md lists them all. [default: any]", metavar="NAMES"
    )
    programme: str | None = option(None, "home or workplace. [default: mostly homes, some workplaces]", metavar="NAME")
    mirrored: bool = option(False, "Add the mirror image of each house for training.")

    def order(self) -> WorldOrder:
        """Return what these options ask for."""
        from vnla.houses.generate.wishes import Wishes, range_of
        from vnla.houses.generate.world import PRESETS, SplitSizes, as_extra, recipes, splits, with_mirrored

        if self.preset not in PRESETS:
            raise InputError(f"preset {self.preset}: unknown; choose from {', '.join(PRESETS)}")
        chosen = PRESETS[self.preset]
        parts = chosen.parts if self.houses is None else chosen.divided(self.houses)
        parts = SplitSizes(self.train or parts.train, self.dev or parts.dev, self.test or parts.test)
        if self.houses is not None and sum(parts) != self.houses:
            made = f"--train, --dev and --test make it {sum(parts)}"
            raise InputError(f"--houses {self.houses}: {made}; leave one of them out")
        styles = tuple(name.strip() for name in self.style.split(",")) if self.style else ()
        names = ("storeys", "rooms", "area")
        storeys, rooms, area = (range_of(getattr(self, name), f"--{name}") for name in names)
        wishes = Wishes(storeys, rooms, area, styles, self.programme)
        wanted = recipes(chosen, self.seed, parts, None if wishes == Wishes() else wishes)
        wanted = with_mirrored(wanted, parts.train) if self.mirrored else wanted
        return WorldOrder(wanted, parts, splits(chosen, wanted, parts), as_extra(self.preset, self.seed, wanted))


@app.command("make", epilog="Example: vnla world make worlds/small --preset small --seed 0")
@takes_options()
def make(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The world folder to make; it must not exist yet.")],
    *,
    options: HouseOptions,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes. [default: all cores]")] = None,
    shard: ShardOption = None,
    as_json: JsonOption = False,
) -> None:
    """Generate houses: floor plans, furniture, viewpoints. The same seed gives the same world, on any machine.

    A house keeps its name, its appearance and its split, however many houses are made: a larger world contains all
    houses of a smaller one with the same preset, seed and options, and a test house is never a training house of another
    such world. --mirrored adds the mirror image of each training house as NAME-mirrored, with left and right exchanged.

    If it is interrupted, the same command continues. With --shard i/n it makes a share of the houses in OUT.shards;
    --shard merge makes the world from all shares.
    """
    from vnla.pipeline.shards.shard import MERGE, Shard
    from vnla.pipeline.shards.world import houses_of, world_parts

    order = options.order()
    files.vacant(out)
    if shard is None:
        _say_made(out, build_world(order, out, workers), as_json)
        return
    shared = world_parts(out, options.preset, options.seed, order.parts, order.wanted)
    if shard != MERGE:
        _make_part(shared, Shard.parse(shard), order.wanted, workers, as_json)
        return
    with progress_bar() as progress:
        houses_made = houses_of(shared, order.wanted)
        made = list(progress.track(houses_made, len(order.wanted), description="putting together"))
    order.write(out, made)
    shared.remove()
    _say_made(out, made, as_json)


def build_world(order: WorldOrder, out: Path, workers: int | None) -> list[House]:
    """Build what is not there already, and write the world folder; the houses."""
    from vnla.houses.generate.unfinished import unfinished

    wanted = order.wanted
    with unfinished(out, wanted) as begun:
        if there := sum(map(begun.has, wanted)):
            typer.echo(f"{there:,} of {len(wanted):,} houses are there already", err=True)
        with progress_bar() as progress, closing(begun.make(wanted, workers)) as making:
            made = list(progress.track(making, len(wanted), description="building"))
        order.write(out, made)
    return made


def _make_part(parts: ShardParts, shard: Shard, wanted: list[HouseRecipe], workers: int | None, as_json: bool) -> None:
    """Make the houses of a shard."""
    from vnla.pipeline.shards.world import make_part, share_of

    with progress_bar() as progress:
        task = progress.add_task("building", total=share_of(shard, wanted))
        houses, new = make_part(parts, shard, wanted, workers, lambda count: progress.advance(task, count))
    say_part(parts, shard, {"houses": houses}, new, as_json)


def _say_made(out: Path, made: Sequence[House], as_json: bool) -> None:
    if as_json:
        print_json({"out": str(out), **counts(made)})
    else:
        totals = ", ".join(f"{count:,} {name}" for name, count in counts(made).items())
        plain().print(f"written to {out}: {totals}", soft_wrap=True)


@importers.command("matterport", epilog="Example: vnla world import matterport ~/matterport worlds/matterport")
def import_matterport(
    source: Annotated[Path, typer.Argument(metavar="SRC", help="The folder with connectivity files and scans.")],
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The world folder to make; it must not exist yet.")],
    connectivity: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where the *_connectivity.json files are. [default: found in SRC]")
    ] = None,
    scans: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Where the folders <id>/house_segmentations are. [default: found in SRC]"),
    ] = None,
    scan: Annotated[list[str] | None, typer.Option(metavar="ID", help="Take only this building; may be repeated.")] = None,
    verbose: Annotated[bool, typer.Option("--verbose", help="List every note with its file and record.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Import Matterport3D buildings: connectivity graphs with rooms and objects where they are known.

    A damaged file stops the import with a message. Anything odd but usable is kept, and counted in a note.
    """
    houses, notes = bring_buildings(source, out, connectivity, scans, scan)
    _say_import(out, houses, notes, verbose, as_json)


def bring_buildings(
    source: Path, out: Path, connectivity: Path | None, scans: Path | None, scan: Sequence[str] | None
) -> tuple[list[House], list[Note]]:
    """Make a world folder of Matterport3D buildings; the houses, and what is odd about them."""
    files.vacant(out)
    found = find_buildings(source, connectivity=connectivity, scans=scans, only=scan or ())
    with progress_bar() as progress:
        buildings = [read_building(each) for each in progress.track(found, description="reading")]
    houses = [building.house for building in buildings]
    write_world(out, houses, source="matterport")
    return houses, [note for building in buildings for note in building.notes]


@importers.command("json", epilog="Example: vnla world import json examples/world.json worlds/mine")
def import_json(
    source: Annotated[Path, typer.Argument(metavar="FILE", help="A plain JSON file of rooms, viewpoints and objects.")],
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The world folder to make; it must not exist yet.")],
    pictures: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Folder of a panorama for each viewpoint: <house>/<viewpoint>.jpg. [default: none]"
        ),
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Refuse rooms that overlap and objects in no room.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Import houses of your own from a plain JSON file; `vnla world schema` prints its format.

    Viewpoints and edges that are missing from the file are made. Without pictures, agents see symbols or read text.
    """
    from vnla.houses.sources import JsonHouses

    _import(JsonHouses(str(source), str(pictures or ""), strict), out, "json", as_json)


@importers.command("from", epilog="Example: vnla world import from examples.world_source:Hotels worlds/hotels")
def import_from(
    source: Annotated[str, typer.Argument(metavar="NAME", help="json, cottage, or package.module:Class.")],
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The world folder to make; it must not exist yet.")],
    option: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="An option of the source; may be repeated.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Import houses from a source of houses, such as a class of your own."""
    from vnla.common.registry import options_of
    from vnla.houses.sources import world_source

    _import(world_source(source, options_of(option or (), "--option")), out, source, as_json)


def _import(source: WorldSource, out: Path, name: str, as_json: bool) -> None:
    """Make a world folder of what a source gives, and say what came."""
    houses = bring_houses(source, out, name)
    notes = [Note(each.kind, house.name, each.message) for house in houses for each in house.warnings]
    _say_import(out, houses, [*source.notes(), *notes], True, as_json)


def bring_houses(source: WorldSource, out: Path, name: str) -> list[House]:
    """Make a world folder of what a source gives; the houses."""
    files.vacant(out)
    choices = source.choices()
    with progress_bar() as progress:
        houses = list(progress.track(source.houses(), description="reading"))
    write_world(out, houses, source=name, splits=source.splits(), choices=choices)
    return houses


@app.command("schema", epilog="Example: vnla world schema > world.schema.json")
def schema() -> None:
    """Print the JSON Schema of the files that `vnla world import json` reads."""
    from vnla.houses.plain import schema_text

    typer.echo(schema_text(), nl=False)


@app.command("export", epilog="Example: vnla world export worlds/small exported --format matterport")
def export(
    world: WorldArgument,
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The folder to make; it must not exist yet.")],
    form: Annotated[ExportFormat, typer.Option("--format", help="The format to write.")] = ExportFormat.matterport,
    as_json: JsonOption = False,
) -> None:
    """Write a world in the file formats that other programs for Matterport3D read."""
    files.vacant(out)
    houses = _read(world).houses
    with files.new_folder(out) as folder:
        write_matterport(folder, houses)
    if as_json:
        print_json({"out": str(out), "format": form.value, "houses": len(houses)})
    else:
        plain().print(
            f"written to {out} as {form.value} files: {len(houses)} house{'' if len(houses) == 1 else 's'}", soft_wrap=True
        )


@app.command("show", epilog="Example: vnla world show worlds/small --pictures pictures")
def show(
    world: Annotated[
        Path | None, typer.Argument(metavar="WORLD", help="A world folder. [default: the small one]", show_default=False)
    ] = None,
    house: Annotated[str | None, typer.Option(metavar="ID", help="Show only this house.")] = None,
    pictures: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Draw this house, or the first, into this folder: floor plan, views of its rooms, 3-D model."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Print statistics of the houses of a world beside those of the 90 real buildings of Matterport3D."""
    world = world or embedded_places()[0]
    folder = _read(world)
    houses = _chosen(folder, house)
    figures = world_statistics(houses)
    if pictures is not None:
        from vnla.report.house_pictures import draw_pictures

        for picture in draw_pictures(folder, houses[0], pictures):
            typer.echo(f"drawn: {picture}", err=True)
    if as_json:
        print_json({"world": str(world), "statistics": asdict(figures), "real": asdict(REAL)})
    else:
        _print_statistics(world, figures)


@app.command("set", epilog="Example: vnla world set worlds/mp3d --pictures skybox --option scans=/data/matterport/v1/scans")
def set_(
    world: WorldArgument,
    pictures: Annotated[
        str | None,
        typer.Option(
            metavar="SOURCE",
            help="generated, skybox, panoramas, boxes, or your own, package.module:Class; 'default' resets it.",
        ),
    ] = None,
    option: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="An option of the source of pictures; may be repeated.")
    ] = None,
    features: Annotated[
        str | None,
        typer.Option(metavar="NAMES", help="Features that `vnla train` uses by default; 'default' resets them."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Choose where the pictures of a world come from, and which features agents are trained on by default.

    Prints the choice. Features of other pictures cannot be used afterwards and have to be made again.
    """
    from vnla.common.registry import options_of
    from vnla.houses.pictures import picture_source
    from vnla.vision.store import stale_features
    from vnla.vision.views import view_names

    if option and pictures in (None, _DEFAULT):
        raise InputError("--option: belongs to a source of pictures; name one with --pictures SOURCE")
    choices: dict[str, Any] = {}
    if pictures is not None:
        source = {"source": pictures, "options": options_of(option or (), "--option")}
        choices["pictures"] = None if pictures == _DEFAULT else source
    if features is not None:
        choices["features"] = None if features == _DEFAULT else ",".join(view_names(features))
    folder = _read(world).choosing(**choices)
    picture_source(folder)  # what cannot be made is not written
    if choices:
        write_manifest(folder)
    _say_choices(folder, stale_features(folder), as_json)


def _say_choices(folder: WorldFolder, stale: Sequence[str], as_json: bool) -> None:
    if as_json:
        chosen = {name: folder.manifest.get(name) for name in ("pictures", "features")}
        print_json({"world": str(folder.path), **chosen, "stale": list(stale)})
        return
    source, options = folder.pictures or ("as found", {})
    given = ", ".join(f"{name}={value}" for name, value in options.items())
    console = plain()
    console.print(f"pictures: {source}{f' ({given})' if given else ''}", soft_wrap=True)
    console.print(f"features: {folder.features or 'the usual'}", soft_wrap=True)
    if stale:
        console.print(f"features to be made again, because the world has changed: {', '.join(stale)}", soft_wrap=True)


def _read(path: Path) -> WorldFolder:
    with progress_bar() as progress:
        return read_world(path, partial(progress.track, description="reading"))


def _chosen(world: WorldFolder, name: str | None) -> tuple[House, ...]:
    if name is None:
        return world.houses
    chosen = tuple(house for house in world.houses if house.name == name)
    if not chosen:
        raise InputError(f"{world.path}: has no house {name!r}; connectivity/scans.txt lists those it has")
    return chosen


def _say_import(out: Path, houses: Sequence[House], notes: Sequence[Note], verbose: bool, as_json: bool) -> None:
    figures, kinds = world_statistics(houses), Counter(note.kind for note in notes).most_common()
    if as_json:
        names = ("houses", "viewpoints", "excluded", "isolated", "edges", "rooms", "objects")
        report: dict[str, Any] = {"out": str(out), **{name: getattr(figures, name) for name in names}}
        report |= {"objects_outside_their_room": figures.objects_outside, "notes": dict(kinds)}
        print_json(report | ({"all_notes": [note._asdict() for note in notes]} if verbose else {}))
        return
    table = Table("", "count", "of these", title=f"imported into {out}", title_justify="left")
    table.columns[1].justify = "right"
    table.add_row("houses", f"{figures.houses:,}")
    table.add_row(
        "viewpoints", f"{figures.viewpoints:,}", f"{figures.isolated:,} isolated; {figures.excluded:,} more excluded"
    )
    table.add_row("edges", f"{figures.edges:,}")
    table.add_row("rooms", f"{figures.rooms:,}")
    table.add_row("objects", f"{figures.objects:,}", f"{figures.objects_outside:,} outside their room")
    table.add_section()
    table.add_row("notes", f"{len(notes):,}", "" if verbose or not notes else "--verbose lists them")
    for kind, count in kinds:
        table.add_row(f"  {kind}", f"{count:,}")
    console = plain()
    console.print(table)
    for note in notes if verbose else ():
        console.print(str(note), soft_wrap=True)


def _print_statistics(world: Path, figures: Statistics) -> None:
    totals = Table("", "here", "real", title=str(world), title_justify="left")
    for name, field in _TOTALS:
        here, real = getattr(figures, field), getattr(REAL, field)
        totals.add_row(name, f"{here:,}", "" if real is None else f"{real:,}")
    spreads = Table("", title="lowest, mean, deciles and highest: here and in the 90 real buildings", title_justify="left")
    for heading, _, _ in _SPREADS:
        spreads.add_column(f"{heading}\n here  real", justify="right")
    columns = [
        zip(_cells(getattr(figures, field), digits), _cells(getattr(REAL, field), digits), strict=True)
        for _, field, digits in _SPREADS
    ]
    for name, *cells in zip(_SPREAD_ROWS, *columns, strict=True):
        spreads.add_row(name, *(f"{here:>5} {real:>5}" for here, real in cells))
    console = plain()
    for table in (totals, spreads):
        for column in table.columns[1:]:
            column.justify, column.no_wrap = "right", True
        console.print(table)


def _cells(spread: Spread, digits: int) -> list[str]:
    values = (spread.least, spread.mean, *spread.deciles, spread.most)
    return ["·" if value is None else f"{value:.{digits}f}" for value in values]
