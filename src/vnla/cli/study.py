"""`vnla study`: studies with people, from their configuration to their data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vnla.cli.console import plain, telling
from vnla.cli.options import DeviceOption, HostOption, NoOpenOption, PortOption, takes_options
from vnla.cli.serve import LOOPBACK, answer, check_installed, listening, names_of, tell_names
from vnla.common.errors import InputError
from vnla.common.options import option
from vnla.common.progress import Tell

if TYPE_CHECKING:
    from vnla.serve.site import Say
    from vnla.serve.study.app import StudySite
    from vnla.serve.study.design import Design

app = typer.Typer(help="Studies with people: power, new, rehearse, serve, withdraw, export.", no_args_is_help=True)

Folder = Annotated[Path, typer.Argument(metavar="STUDY", help="Folder of the study.")]


class Arrangement(StrEnum):
    """Who goes through which conditions."""

    within = "within"
    between = "between"


@app.command("power", epilog="Example: vnla study power --success 40 --tasks 6 --tasks 12")
def power(
    success: Annotated[float, typer.Option(min=0, max=100, help="Success rate under one condition, in per cent.")] = 50,
    difference: Annotated[
        list[float] | None, typer.Option(metavar="POINTS", help="Difference to be found; may be repeated. [default: 5 … 30]")
    ] = None,
    tasks: Annotated[
        list[int] | None, typer.Option(min=1, help="Tasks per person and condition; may be repeated. [default: 4, 8, 16]")
    ] = None,
    spread: Annotated[
        float, typer.Option(min=0, max=50, help="Standard deviation of success rates between people, in points.")
    ] = 15,
    correlation: Annotated[
        float, typer.Option(min=-1, max=1, help="Correlation of a person's success rates under the two conditions.")
    ] = 0.5,
    level: Annotated[float, typer.Option(min=0.0001, max=0.5, help="Significance level of the two-sided t test.")] = 0.05,
    chance: Annotated[
        float, typer.Option(min=0.1, max=0.999, help="Power: probability of finding the difference if it exists.")
    ] = 0.8,
    cells: Annotated[int, typer.Option(min=1, help="Number of cells, which are filled equally.")] = 2,
) -> None:
    """Compute how many people it takes to find a difference between two conditions, before anybody is asked to take part.

    Example: vnla study power --difference 10 --difference 15
    """
    from vnla.report.printing import Table
    from vnla.serve.study.power import Expected, PowerAnalysis

    sizes, expected = tasks or [4, 8, 16], Expected(success / 100, spread / 100, correlation)
    typer.echo(f"people needed to find a difference from {success:g}%: probability {100 * chance:g}%, level {level:g}")
    for arrangement in Arrangement:
        comparison = PowerAnalysis(arrangement.value, level, chance)
        table = Table("", *(f"{count} tasks" for count in sizes), title=f"{arrangement} people", title_justify="left")
        for points in difference or [5, 10, 15, 20, 25, 30]:
            needed = [comparison.people(points / 100, count, expected, cells) for count in sizes]
            table.add_row(f"{points:+g} points", *("–" if each is None else str(each) for each in needed))
        plain().print(table)


@dataclass(frozen=True)
class NewStudyOptions:
    """What a study is like."""

    conditions: str = option(
        "help:person,beat",
        "help:advisor, help:person, beat, separated by commas; @NAME after one for an agent other than the first.",
        metavar="LIST",
    )
    arrangement: Arrangement = option(Arrangement.within, "Whether each person goes through all conditions or through one.")
    world: Path | None = option(None, "World. [default: the first run's]", metavar="DIR")
    tasks: Path | None = option(None, "Data set. [default: the first run's]", metavar="DIR")
    split: str = option("test_unseen", "Split that the tasks are drawn from.", metavar="NAME")
    each: int = option(4, "Number of tasks per participant and condition.", min=1)
    groups: int = option(1, "Number of groups of tasks, of which a participant gets one.", min=1)
    practice: int = option(3, "Number of tasks for practice.", min=0)
    passes: int = option(1, "Number of practice tasks that have to succeed; 0 if there is no practice.", min=0)
    catch: int | None = option(None, "Number of easy tasks that check attention. [default: one for each condition]", min=0)
    seed: int = option(0, "The same seed draws the same tasks.", min=0)

    def places(self, runs: Sequence[Path]) -> tuple[Path, Path]:
        """Return the world and the data set: those that were given, or those of the first of the runs."""
        from vnla.training.checkpoints import CONFIG
        from vnla.training.config import RunConfig

        configs = [RunConfig.read(run / CONFIG) for run in runs]
        world = self.world or (Path(configs[0].world) if configs else None)
        tasks = self.tasks or (Path(configs[0].tasks) if configs else None)
        if world is None or tasks is None:
            raise InputError("the pretrained agent: say in which --world and on which --tasks the study is done")
        return world, tasks


@app.command("new", epilog="Example: vnla study new studies/help runs/learned --conditions help:advisor,help:person,beat")
@takes_options()
def new(
    folder: Annotated[Path, typer.Argument(metavar="STUDY", help="The folder to make; it must not exist yet.")],
    runs: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[RUN]...", help="Runs of the agents, or: pretrained. [default: pretrained]"),
    ] = None,
    *,
    options: NewStudyOptions,
) -> None:
    """Make a study: a configuration to change as you like, a consent text to fill in, and a README about both.

    Example: vnla study new studies/help --world worlds/small --tasks tasks/small --conditions help:person,beat --each 6
    """
    check_installed()
    from vnla.agents import pretrained
    from vnla.common.files import vacant
    from vnla.serve.study.design import CONSENT, DESIGN
    from vnla.serve.study.making import StudySizes, conditions_of, make_study

    vacant(folder)
    chosen = runs or [Path(pretrained.NAME)]
    ours = set(filter(pretrained.is_meant, chosen))
    agents = {run.absolute().name: run.name if run in ours else str(run.absolute()) for run in chosen}
    if len(agents) < len(chosen):
        raise InputError("two runs have the same name; copy or link one under another")
    world, tasks = options.places([run for run in chosen if run not in ours])
    if options.passes and not options.practice:
        raise InputError("--practice 0: there is nothing to practise with; add --passes 0")
    conditions = conditions_of(options.conditions, agents)
    catch = len(conditions) if options.catch is None else options.catch
    design = make_study(
        folder,
        world=world,
        tasks=tasks,
        agents=agents,
        conditions=conditions,
        arrangement=options.arrangement.value,
        split=options.split,
        sizes=StudySizes(options.each, options.groups, options.practice, options.passes, catch),
        seed=options.seed,
    )
    count = design.blocks * options.each
    typer.echo(f"{folder}: a study with {len(design.conditions)} conditions, {count} tasks per participant")
    typer.echo(f"fill in {folder / CONSENT}, look at {folder / DESIGN}, then: vnla study serve {folder}")


@app.command("serve", epilog="Example: vnla study serve studies/help --port 8080")
def serve(
    folder: Folder,
    host: HostOption = LOOPBACK,
    port: PortOption = 8000,
    name: Annotated[
        list[str] | None,
        typer.Option(metavar="HOST", help="Host name under which participants reach a proxy in front; may be repeated."),
    ] = None,
    no_open: NoOpenOption = False,
    device: DeviceOption = None,
) -> None:
    """Open a study for its participants. It may be stopped and opened again at any time; everybody continues where they
    were.

    Example: vnla study serve studies/help --name study.example.org --no-open
    """
    check_installed()
    from vnla.serve.study.design import DESIGN, Consent, Design

    design = Design.read(folder)
    Consent.read(folder).check_complete(folder)
    from vnla.common.lock import alone_in
    from vnla.common.machine import device_named
    from vnla.serve.limits import Limits
    from vnla.serve.site import SiteLoader
    from vnla.serve.study.app import make_study_app
    from vnla.serve.study.records import Stamp
    from vnla.serve.study.service import StudyService

    limits, chosen = Limits(), device_named(device)
    with listening(host, port) as listener, alone_in(folder), telling() as tell:
        study = StudyService(folder, Stamp.of(design), limits)
        loader = SiteLoader(lambda say: _open(design, study.key.names, chosen, tell, say))
        names = names_of(host, name or ())
        app = make_study_app(loader, study, names, limits)
        tell_names(host, names)
        counts = study.store.counts()
        typer.echo(
            f"{folder / DESIGN}: configuration {design.fingerprint}, {sum(each.completed for each in counts)} completed"
        )
        answer(app, loader, listener, host, limits, opens=not no_open)


@app.command("rehearse", epilog="Example: vnla study rehearse studies/help --out rehearsal")
def rehearse(
    folder: Folder,
    out: Annotated[Path, typer.Option(metavar="DIR", help="New folder for the copy of the study.")],
    people: Annotated[int, typer.Option(min=1, max=400, help="Number of participants.")] = 24,
    seed: Annotated[int, typer.Option(min=0, help="Seed of what they do.")] = 0,
    device: DeviceOption = None,
) -> None:
    """Try out a study on a copy of it: scripted participants with different habits take part through a server.

    Their data can be exported and scored like people's. The study itself is not changed.
    """
    check_installed()
    import asyncio
    from collections import Counter

    from vnla.common.files import new_folder, vacant
    from vnla.common.machine import device_named
    from vnla.report.printing import Table
    from vnla.serve.site import SiteLoader
    from vnla.serve.study.app import make_study_app
    from vnla.serve.study.design import Design
    from vnla.serve.study.records import Stamp
    from vnla.serve.study.rehearsal import LIMITS, copy, serving
    from vnla.serve.study.rehearsal import rehearse as take_part
    from vnla.serve.study.service import StudyService

    vacant(out)
    design, chosen = Design.read(folder), device_named(device)
    with new_folder(out) as new, listening(LOOPBACK, 0) as listener, telling() as tell:
        copy(folder, new)
        study = StudyService(new, Stamp.of(design), LIMITS)
        loader = SiteLoader(lambda say: _open(design, study.key.names, chosen, tell, say))
        loader.start(failed=lambda: None).join()
        loader.now()
        app = make_study_app(loader, study, names_of(LOOPBACK), LIMITS)
        with serving(app, listener) as host:
            ended = asyncio.run(take_part(host, people, seed, partial(tell, "taking part")))
    table = Table("habit", "people", "how it ended", title=f"{out}", title_justify="left")
    for (name, how), count in Counter((habit.name, how) for habit, how in ended).items():
        table.add_row(name, str(count), how)
    plain().print(table)
    typer.echo(f"vnla study export {out} --out {out}-data")


@app.command("withdraw", epilog="Example: vnla study withdraw studies/help 640C-C953-2940")
def withdraw(
    folder: Folder,
    code: Annotated[str, typer.Argument(metavar="CODE", help="Completion code, or id, of the participant.")],
) -> None:
    """Delete everything that was recorded of a participant who asks for it. Stop the server first."""
    check_installed()
    from vnla.common.lock import alone_in
    from vnla.serve.study.design import Design
    from vnla.serve.study.service import withdraw as delete

    Design.read(folder)
    with alone_in(folder):
        typer.echo(f"{folder}: everything recorded of {delete(folder, code)} is deleted; delete copies of your own, too")


@app.command("export", epilog="Example: vnla study export studies/help --out data")
def export(
    folder: Folder,
    out: Annotated[Path, typer.Option(metavar="DIR", help="The folder to make; it must not exist yet.")],
    skip_damaged: Annotated[
        bool, typer.Option("--skip-damaged", help="Leave out damaged records and name them, instead of stopping.")
    ] = False,
) -> None:
    """Write the data of a study: results, episodes, participants and events."""
    check_installed()
    from vnla.common.files import vacant
    from vnla.serve.study.design import Design
    from vnla.serve.study.export import RESULTS, export_study

    design = Design.read(folder)
    vacant(out)
    with telling() as tell:
        exported = export_study(folder, out, partial(tell, "reading records"), skip_damaged=skip_damaged)
    for why in exported.damaged.values():
        typer.echo(f"left out: {why}", err=True)
    typer.echo(f"{out}: {exported.completed} completed the study")
    if exported.completed:
        typer.echo(f"vnla evaluate --recorded {out / RESULTS} --world {design.world} --tasks {design.tasks}")


def _open(design: Design, secret: bytes, device: str, tell: Tell, say: Say) -> StudySite:
    """The world with all agents of the study, each of which can do what its conditions need."""
    from vnla.serve.study.app import StudySite
    from vnla.serve.worlds import cache_folder
    from vnla.training.trained import open_trained
    from vnla.world.forward import INFORMED

    trained = {}
    for name, run in design.agents.items():
        tell(f"loading {run}")
        say("loading the agents")
        # People of all conditions walk by one rule, and what is exported need not name it.
        trained[name] = open_trained(
            Path(run), world=Path(design.world), tasks=Path(design.tasks), device=device, forward=INFORMED
        )
    site = StudySite(trained, cache_folder() / "pictures", secret)
    site.check(design)
    say("making the houses ready")
    site.prepare(design, tell)
    tell("ready")
    return site
