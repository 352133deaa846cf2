"""`vnla benchmark`: AskNav-Open, a benchmark of when to ask, in houses that are generated anew for every entry."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vnla.cli.console import plain, say, telling
from vnla.cli.guests import AskedOptions
from vnla.cli.options import CoresOption, DeviceOption, FiguresOption, ThreadsOption, takes_options
from vnla.common import files
from vnla.common.errors import InputError
from vnla.common.files import writable, write_text
from vnla.common.options import option
from vnla.common.registry import options_of

if TYPE_CHECKING:
    from vnla.experiments.benchmark.contestants import Contestant
    from vnla.experiments.benchmark.houses import BenchmarkHouses
    from vnla.experiments.benchmark.running import EntryDescription
    from vnla.experiments.benchmark.verification import VerifiedCondition, VerifiedEntry
    from vnla.houses.folder import WorldFolder

app = typer.Typer(help="AskNav-Open: a benchmark of when to ask, in houses made for each entry.", no_args_is_help=True)

PLACE = Path("asknav-open")
"""Where the benchmark's houses are kept if nobody says where."""


@app.callback()
def _group() -> None:
    pass


@dataclass(frozen=True)
class HousesOptions:
    """Which houses, and where they are kept."""

    preset: str = option("quick", "Size of the benchmark: quick, full, or tiny for trying things out.", metavar="NAME")
    houses: Path = option(PLACE, "Folder for the benchmark's houses; what is missing is made.", metavar="DIR")
    cores: CoresOption = None

    def made(self) -> BenchmarkHouses:
        """Return the houses of the preset."""
        return _houses(self.preset, self.houses, self.cores)


def _houses(preset: str, folder: Path, cores: int | None) -> BenchmarkHouses:
    from vnla.common.machine import workers_for
    from vnla.experiments.benchmark.definition import read_definition
    from vnla.experiments.benchmark.houses import BenchmarkHouses

    definition = read_definition()
    return BenchmarkHouses(definition, definition.preset(preset), folder, workers_for(cores))


@app.command()
@takes_options()
def make(
    *,
    options: HousesOptions,
    encoder: Annotated[
        str | None, typer.Option(metavar="NAME", help="Also encode the views, for agents that see features.")
    ] = None,
    device: DeviceOption = None,
    as_json: FiguresOption = None,
) -> None:
    """Make the houses and tasks that are the same for all entries, and check them against the published checksums.

    The base houses are for training, the common ones for testing. Fresh houses are made when an entry is.

    Example: vnla benchmark make --preset quick

    Example: vnla benchmark make --encoder efficientnet-lite0
    """
    from vnla.common.machine import device_named
    from vnla.experiments.benchmark.definition import COMMON
    from vnla.experiments.benchmark.houses import BASE
    from vnla.report.document import json_text
    from vnla.report.printing import Table

    if as_json is not None:
        writable(as_json)
    houses = options.made()
    with telling() as tell:
        found = {BASE: houses.base(tell), COMMON: houses.common(tell)}
        sums = {
            f"{name}/{part}": each for name, made in found.items() for part, each in houses.checksums(name, made).items()
        }
        differ = []
        for name, made in found.items() if encoder is not None else ():
            part = f"{name}/{encoder}"
            sums[part], published = houses.encode(name, made, str(encoder), device_named(device), tell)
            differ += [part] if published not in (None, sums[part]) else []
    table = Table("", "SHA-256", title=f"{houses.definition.called}, {houses.preset.name}", title_justify="left")
    for name, each in sums.items():
        table.add_row(name, each[:16] + "…")
    plain().print(table)
    for name, made in found.items():
        say(f"{name}: {made.path}")
    for name in differ:
        say(f"{name}: not the published features, by their checksum; processors may round differently", err=True)
    if as_json is not None:
        write_text(
            as_json, json_text({"benchmark": houses.definition.version, "preset": houses.preset.name, "sha256": sums})
        )


@dataclass(frozen=True)
class AboutOptions:
    """What an author says of an entry."""

    name: str | None = option(None, "Name of the entry on the leaderboard. [default: the name of OUT]", metavar="TEXT")
    author: list[str] | None = option(None, "Who made it; may be repeated. [default: unnamed]", metavar="TEXT")
    summary: str = option("", "One sentence about the agent.", metavar="TEXT")
    trained: str = option("", "What it was trained on, and for how long.", metavar="TEXT")
    card: Path | None = option(None, "A model card in Markdown, which is kept with the entry.", metavar="FILE")
    beacon: str = option("", "Beacon that the leaderboard drew for the artefact's digest. [default: none]", metavar="TEXT")
    key: Path | None = option(None, "Sign the entry with this key from `vnla benchmark key`.", metavar="FILE")

    def description(self, out: Path) -> EntryDescription:
        """Return what is said of the entry in the folder `out`."""
        from vnla.experiments.benchmark.running import EntryDescription

        card = "" if self.card is None else files.read_text(self.card, "a model card", files.MEGABYTE)
        authors = tuple(self.author or ["unnamed"])
        return EntryDescription(self.name or out.name, authors, self.summary, self.trained, _command(), card, self.beacon)


@dataclass(frozen=True)
class ContestantOptions:
    """Who enters, and how it acts."""

    help_policy: str | None = option(None, "For a run: a help policy other than its own.", metavar="NAME")
    help_option: list[str] | None = option(None, "An option of the help policy; may be repeated.", metavar="NAME=VALUE")
    forward: str | None = option(
        None, "Where forward goes: informed or plain. [default: the run's; informed]", metavar="NAME"
    )
    file: list[Path] | None = option(
        None, "Another file of the policy, such as its weights, to include in its digest; may be repeated.", metavar="FILE"
    )
    device: DeviceOption = None
    threads: ThreadsOption = None


@app.command()
@takes_options()
def run(
    agent: Annotated[
        str, typer.Argument(metavar="AGENT", help="A run, pretrained, scripted, planner, a.b:C, http://… or openai:MODEL.")
    ],
    out: Annotated[Path, typer.Argument(metavar="OUT", help="New folder for the entry.")],
    *,
    houses: HousesOptions,
    about: AboutOptions,
    contestant: ContestantOptions,
    asked: AskedOptions,
    common_only: Annotated[
        bool, typer.Option("--common-only", help="Make a reference line: walk in the common houses only.")
    ] = False,
) -> None:
    """Run an agent under every condition of the benchmark, and write its entry.

    The agent's files are frozen first; their digest draws the fresh houses. If it is interrupted, the same command
    continues.

    Example: vnla benchmark run planner entries/planner --summary "Plans by statistics of rooms."

    Example: vnla benchmark run runs/learned entries/learned --trained "100,000 iterations in the base houses"
    """
    from vnla.common.machine import device_named, use_threads
    from vnla.experiments.benchmark.definition import COMMON, SETS
    from vnla.experiments.benchmark.running import make_entry

    use_threads(contestant.threads)
    files.vacant(out)
    said, device = about.description(out), device_named(contestant.device)
    made = houses.made()
    with telling() as tell:
        who = _contestant(agent, out, made, contestant, asked, device)
        sets = (COMMON,) if common_only else SETS
        manifest = make_entry(out, who, said, made, tell, device=device, sets=sets)
    if about.key is not None:
        _sign(out, about.key)
    say(f"artefact {who.artefact.digest[:16]}…, fresh houses of seed {manifest.fresh_seed}; {manifest.seconds:,.0f} s")
    typer.echo(f"entry: {out}")


def _command() -> str:
    """Return what was typed."""
    return shlex.join(["vnla", *sys.argv[1:]])


def _contestant(
    agent: str, out: Path, houses: BenchmarkHouses, own: ContestantOptions, asked: AskedOptions, device: str
) -> Contestant:
    from vnla.experiments.benchmark.contestants import TrainedContestant
    from vnla.remote.registry import POLICIES, is_far

    if is_far(agent) or agent in POLICIES or ":" in agent:
        if own.help_policy or own.help_option:
            raise InputError(f"--help-policy and --help-option: {agent} decides by itself when it asks")
        return _asked(agent, out, houses, own, asked)
    help_options = options_of(own.help_option or [], "--help-option")
    return TrainedContestant(
        Path(agent), own.help_policy, help_options, own.forward, device, houses.cores
    )  # fmt: skip


def _asked(agent: str, out: Path, houses: BenchmarkHouses, own: ContestantOptions, asked: AskedOptions) -> Contestant:
    """Return a contestant that is asked turn by turn. The planner learns from the base houses."""
    from vnla.cli.guests import guest_in
    from vnla.experiments.benchmark.artefact import artefact_of_address, artefact_of_policy
    from vnla.experiments.benchmark.contestants import AskedContestant
    from vnla.experiments.benchmark.running import unfinished_of
    from vnla.remote.episode import ON_ERROR
    from vnla.remote.evaluated_agent import LocalPolicy
    from vnla.remote.registry import is_far
    from vnla.world.forward import INFORMED, check_forward

    forward = own.forward or INFORMED
    check_forward(forward)
    on_error = next((each for each in ON_ERROR if each == asked.on_error), None)
    if on_error is None:
        raise InputError(f"--on-error {asked.on_error}: choose from {', '.join(ON_ERROR)}")
    journal = unfinished_of(out) / "asked" if is_far(agent) else None
    guest, _ = guest_in(agent, asked, _base(houses), journal)
    options = options_of(asked.agent_option or [], "--agent-option")
    if isinstance(guest, LocalPolicy) and not is_far(agent):
        artefact = artefact_of_policy(guest.policy, options, own.file or ())
    else:
        artefact = artefact_of_address(guest.declaration.name, guest.settings, options)
    return AskedContestant(guest, artefact, forward, on_error, asked.concurrency, journal)


def _base(houses: BenchmarkHouses) -> WorldFolder:
    from vnla.houses.folder import read_world

    with telling() as tell:
        return read_world(houses.base(tell).world)


@app.command()
@takes_options()
def pack(
    results: Annotated[
        Path, typer.Argument(metavar="DIR", help="Results files: common/asknav-0.40.json, fresh/… and so on.")
    ],
    out: Annotated[Path, typer.Argument(metavar="OUT", help="New folder for the entry.")],
    *,
    houses: HousesOptions,
    about: AboutOptions,
    kind: Annotated[
        str, typer.Option(metavar="NAME", help="What walked: container, policy, address or people.")
    ] = "container",
    digest: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Digest that identifies the agent, such as that of a container.")
    ] = None,
    shown: Annotated[
        str, typer.Option(metavar="NAME", help="How views were shown to it: view, text, pictures, both, people.")
    ] = ("pictures"),
    around: Annotated[bool, typer.Option("--around", help="It sees all twelve level headings at once.")] = False,
    forward: Annotated[str, typer.Option(metavar="NAME", help="Where forward goes: informed or plain.")] = "informed",
) -> None:
    """Make an entry from results files that were written elsewhere, by a container or by people.

    Before that, `vnla benchmark draw` makes the fresh houses that a digest draws.

    Example: vnla benchmark pack walks entries/mine --kind container --digest sha256:5f2a… --name "Mine"
    """
    from vnla.experiments.benchmark.artefact import artefact_of_digest
    from vnla.experiments.benchmark.entry import BenchmarkTrack
    from vnla.experiments.benchmark.running import pack_entry

    files.vacant(out)
    if not digest:
        raise InputError("--digest: say what names the agent that walked, such as the digest of its container")
    said = about.description(out)
    pack_entry(
        out, results, artefact_of_digest(kind, digest), BenchmarkTrack.of(shown, around, forward), said, houses.made()
    )
    if about.key is not None:
        _sign(out, about.key)
    typer.echo(f"entry: {out}")


@app.command()
@takes_options()
def draw(
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="As for `vnla benchmark run`, or a digest.")],
    *,
    houses: HousesOptions,
    contestant: ContestantOptions,
    asked: AskedOptions,
    kind: Annotated[
        str | None, typer.Option(metavar="NAME", help="AGENT is the digest of a container, or of people.")
    ] = None,
    beacon: Annotated[
        str, typer.Option(metavar="TEXT", help="Beacon that the leaderboard drew for the artefact's digest.")
    ] = "",
) -> None:
    """Print the digest of an agent's artefact, and make the fresh houses that it draws.

    Example: vnla benchmark draw runs/learned

    Example: vnla benchmark draw sha256:5f2a… --kind container
    """
    from vnla.experiments.benchmark.artefact import artefact_of_digest
    from vnla.experiments.benchmark.houses import draw_seed

    made = houses.made()
    if kind is not None:
        artefact = artefact_of_digest(kind, agent)
    else:
        artefact = _contestant(agent, Path("entry"), made, contestant, asked, "cpu").artefact
    seed = draw_seed(made.definition, made.preset, artefact.digest, beacon)
    with telling() as tell:
        place = made.fresh(seed, tell)
    say(f"artefact {artefact.digest}")
    say(f"fresh houses of seed {seed}: {place.path}")


@app.command()
@takes_options()
def verify(
    entries: Annotated[list[Path], typer.Argument(metavar="ENTRY …", help="Folders of entries.")],
    *,
    houses: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the benchmark's houses.")] = PLACE,
    rerun: Annotated[int, typer.Option(min=0, help="Have the agent walk this many tasks again, and compare.")] = 0,
    agent: Annotated[
        str | None,
        typer.Option(metavar="AGENT", help="For --rerun: the agent of the entry, as given to `vnla benchmark run`."),
    ] = None,
    contestant: ContestantOptions,
    asked: AskedOptions,
    as_json: FiguresOption = None,
    cores: CoresOption = None,
) -> None:
    """Check entries: replay every episode by the rules, and compute every figure from the walks.

    Nothing that an entry claims is taken on trust. Tasks without a possible walk count as failures.

    Example: vnla benchmark verify entries/planner

    Example: vnla benchmark verify entries/learned --rerun 20 --agent runs/learned
    """
    from vnla.experiments.benchmark.figures import figures_of
    from vnla.experiments.benchmark.rerunning import rerun_entry
    from vnla.experiments.benchmark.verification import verify_entry
    from vnla.report.document import json_text

    if as_json is not None:
        writable(as_json)
    if rerun and (agent is None or len(entries) != 1):
        raise InputError("--rerun: give one ENTRY, and with --agent the agent that made it")
    found = []
    with telling() as tell:
        for path in entries:
            found.append(verify_entry(path, houses, cores=cores or 1, tell=tell))
    _print_verified(found)
    if rerun and agent is not None:
        made = _houses(found[0].entry.manifest.preset, houses, cores)
        with telling() as tell:
            who = _contestant(agent, Path("rerun"), made, contestant, asked, "cpu")
            differ = rerun_entry(found[0], who, made, rerun, tell)
        for line in differ:
            say(line, err=True)
        if differ:
            raise InputError(f"{entries[0]}: {len(differ):,} walks are not what the agent does here")
        say(f"walked again by the agent, the same: {rerun} tasks of each condition")
    if as_json is not None:
        write_text(as_json, json_text([each.as_dict() | figures_of(each) for each in found]))


MOST_NAMED = 20
"""Faults that are named on the terminal; `--json` has them all."""


def _print_verified(entries: Sequence[VerifiedEntry]) -> None:
    """Print the figures of entries, what counts as a failure in them, and what their intervals are over."""
    from vnla.experiments.benchmark.definition import SETS
    from vnla.experiments.benchmark.figures import FIGURES, note
    from vnla.report.printing import Table

    for entry in entries:
        manifest = entry.entry.manifest
        by = "unsigned" if entry.signature is None else f"signed with the key {entry.signature.fingerprint}"
        sets = [each for each in SETS if each in manifest.sets]
        table = Table(
            "", *(f"{each} houses" for each in sets), title=f"{manifest.name} ({manifest.track}), {by}", title_justify="left"
        )
        for figure in FIGURES.values():
            table.add_row(f"{figure.title}, {figure.unit}", *(str(figure.of(entry, each)) for each in sets))
        plain().print(table)
        faults = [line for each in entry.conditions.values() for line in (*each.wrong, *_missing(each))]
        for line in faults[:MOST_NAMED]:
            say(f"counted as a failure: {line}", err=True)
        if len(faults) > MOST_NAMED:
            say(f"… and {len(faults) - MOST_NAMED:,} more; --json FILE has them all", err=True)
    plain().print(note(*entries))


def _missing(each: VerifiedCondition) -> list[str]:
    return [f"{each.condition.name} has no record of task {task}" for task in each.missing]


@app.command()
@takes_options()
def board(
    entries: Annotated[list[Path], typer.Argument(metavar="ENTRY …", help="Folders of entries, or one folder of them.")],
    *,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the site.")] = Path("board"),
    houses: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the benchmark's houses.")] = PLACE,
    beacons: Annotated[Path | None, typer.Option(metavar="FILE", help="Beacons that the leaderboard has drawn.")] = None,
    cores: CoresOption = None,
) -> None:
    """Verify entries, and write the leaderboard: a site of plain files that needs no server.

    Example: vnla benchmark board results/benchmark/entries --out board
    """
    from vnla.experiments.benchmark.beacons import read_beacons
    from vnla.experiments.benchmark.board.writing import write_board
    from vnla.experiments.benchmark.entry import entries_in
    from vnla.experiments.benchmark.verification import verify_entry

    drawn = None if beacons is None else read_beacons(beacons)
    with telling() as tell:
        found = [verify_entry(path, houses, cores=cores or 1, tell=tell) for path in entries_in(entries)]
        tell(f"writing {out}")
        page = write_board(found, out, houses=houses, beacons=drawn, cores=cores or 1)
    typer.echo(f"board: {page}")


@app.command()
def key(path: Annotated[Path, typer.Argument(metavar="FILE", help="New file for the key; keep it to yourself.")]) -> None:
    """Make a key to sign entries with.

    Example: vnla benchmark key ~/.vnla.key
    """
    from vnla.experiments.benchmark.signing import make_key

    say(f"key {make_key(path)}, kept in {path}: whoever has the file can sign as you")


@app.command()
def sign(
    entry: Annotated[Path, typer.Argument(metavar="ENTRY", help="Folder of an entry.")],
    by: Annotated[Path, typer.Option("--key", metavar="FILE", help="The key from `vnla benchmark key`.")],
) -> None:
    """Sign an entry.

    Example: vnla benchmark sign entries/planner --key ~/.vnla.key
    """
    _sign(entry, by)


def _sign(entry: Path, by: Path) -> None:
    from vnla.experiments.benchmark.signing import sign as sign_entry

    say(f"signed with the key {sign_entry(entry, by).fingerprint}")
