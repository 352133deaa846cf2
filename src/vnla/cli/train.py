"""`vnla train`: train an agent or several, or go on with trainings."""

from __future__ import annotations

import itertools
import signal
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from vnla.common.errors import InputError

if TYPE_CHECKING:
    from vnla.training.config import RunConfig


def train(
    run: Annotated[
        list[Path], typer.Argument(metavar="RUN...", help="Folder of a new run, or of runs that are there: they go on.")
    ],
    world: Annotated[Path | None, typer.Option(metavar="DIR", help="World folder.")] = None,
    tasks: Annotated[Path | None, typer.Option(metavar="DIR", help="Data set folder, made by `vnla tasks make`.")] = None,
    features: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Features of the world, or symbolic. [default: the world's, efficientnet-lite0]"),
    ] = None,
    help_policy: Annotated[
        str,
        typer.Option(
            metavar="NAMES", help="none, first, random, learned, teacher; cloning, imitation. Several with commas between."
        ),
    ] = "learned",
    iterations: Annotated[int, typer.Option(min=1, help="How many batches to train on.")] = 100_000,
    batch: Annotated[int, typer.Option(min=1, help="Episodes in a batch.")] = 100,
    learning_rate: Annotated[float, typer.Option(help="Adam's.")] = 1e-4,
    cooldown: Annotated[
        float,
        typer.Option(min=0, max=1, help="Share of the iterations in which the learning rate falls to zero at the end."),
    ] = 0.0,
    weight_decay: Annotated[float, typer.Option(help="Weight of the L2 norm.")] = 5e-4,
    dropout: Annotated[float, typer.Option(min=0, max=0.95, help="Dropout ratio.")] = 0.5,
    hidden: Annotated[int, typer.Option(min=1, help="Hidden size of LSTMs and help module.")] = 512,
    layers: Annotated[int, typer.Option(min=1, help="LSTM layers.")] = 1,
    ratio: Annotated[float, typer.Option(min=0, max=1, help="τ: share of the time with assistance.")] = 0.4,
    k: Annotated[int, typer.Option(min=1, max=7, help="Actions that a subgoal describes.")] = 4,
    advisor: Annotated[
        str, typer.Option(metavar="KIND", help="indirect, direct, or silent: direct without subgoals.")
    ] = "indirect",
    easy: Annotated[bool, typer.Option("--easy", help="Subgoals with one phrase an action.")] = False,
    rules: Annotated[str, typer.Option(metavar="LETTERS", help="Rules of the help teacher.")] = "abcde",
    deviation: Annotated[float, typer.Option(min=0, help="δ of rule (a), metres.")] = 8.0,
    uncertainty: Annotated[float, typer.Option(help="ε of rule (b), nats.")] = 1.0,
    non_moving: Annotated[int, typer.Option(min=1, help="μ of rule (c), steps.")] = 9,
    beta: Annotated[float, typer.Option(min=0, max=1, help="How often the teacher acts under 'imitation'.")] = 0.5,
    keeps_ended: Annotated[
        bool, typer.Option("--keeps-ended", help="Ended episodes stay in the loss, as in the authors' code.")
    ] = False,
    validate_every: Annotated[int, typer.Option(min=1, help="Iterations between two validations.")] = 1000,
    precision: Annotated[str, typer.Option(metavar="NAME", help="float32, bfloat16, or tf32 on a GPU.")] = "float32",
    seed: Annotated[
        str, typer.Option(metavar="NUMBERS", help="Seed of everything random. Several with commas between.")
    ] = "0",
    device: Annotated[str | None, typer.Option(help="cpu, cuda. [default: a GPU if there is one]")] = None,
    eager: Annotated[bool, typer.Option("--eager", help="On a GPU: operation by operation, not as one graph.")] = False,
) -> None:
    """Train an agent with I3L-BCUI (Algorithm 1). The defaults are the paper's hyperparameters.

    Ctrl-C saves and leaves; the same command, or just `vnla train RUN`, goes on where it was. Several policies or seeds are
    trained side by side, each in a folder of its own in RUN; so are several RUNs that are there.

    Example: vnla train runs/learned --world worlds/small --tasks tasks/small --iterations 2000

    Example: vnla train runs/policies --help-policy none,random,learned --world worlds/small --tasks tasks/small
    """
    from vnla.roles.advisor import Advisor
    from vnla.roles.help_teacher import HelpTeacher
    from vnla.training.checkpoints import runs_in
    from vnla.training.config import RunConfig, TrainingConfig
    from vnla.vision.views import default_features

    kinds = {"indirect": (False, True), "direct": (True, True), "silent": (True, False)}
    if advisor not in kinds:
        raise InputError(f"advisor {advisor}: unknown; choose from {', '.join(kinds)}")
    direct, speaks = kinds[advisor]
    if world is None and tasks is None:
        _run([(path, None) for each in run for path in runs_in(each)], device, eager=eager)
        return
    if world is None or tasks is None:
        raise InputError("a new run needs both --world and --tasks")
    if len(run) > 1:
        raise InputError("give one folder for new runs; with several policies or seeds each gets a folder in it")
    features = features or default_features(world)
    wanted = RunConfig(
        world=str(world.absolute()),
        tasks=str(tasks.absolute()),
        features=features,
        beta=beta,
        keeps_ended=keeps_ended,
        validate_every=validate_every,
        training=TrainingConfig(iterations, batch, learning_rate, weight_decay, ratio, 0, precision, cooldown),
        advisor=Advisor(k, direct, speaks, not easy),
        teacher=HelpTeacher(rules, deviation, uncertainty, non_moving),
        agent={"hidden": hidden, "help_hidden": hidden, "layers": layers, "dropout": dropout},
    )
    _run(_variants(run[0], wanted, help_policy.split(","), _numbers(seed)), device, eager=eager)


def _variants(
    folder: Path, config: RunConfig, policies: Sequence[str], seeds: Sequence[int]
) -> list[tuple[Path, RunConfig | None]]:
    """A run for each policy and seed: the folder itself if there is one, else folders in it, named by what differs."""
    runs: list[tuple[Path, RunConfig | None]] = []
    for policy, seed in itertools.product(policies, seeds):
        differs = [policy] * (len(policies) > 1) + [f"seed{seed}"] * (len(seeds) > 1)
        variant = replace(config, help_policy=policy, training=replace(config.training, seed=seed))
        runs.append((folder / "-".join(differs) if differs else folder, variant))
    return runs


def _numbers(text: str) -> list[int]:
    numbers = [int(each) for each in text.split(",") if each.strip().isdecimal()]
    if len(numbers) != len(text.split(",")):
        raise InputError(f"--seed {text}: give whole numbers, not negative, with commas between several")
    return numbers


def _run(runs: Sequence[tuple[Path, RunConfig | None]], device: str | None, *, eager: bool) -> None:
    """Train, with a bar for each run."""
    import torch

    from vnla.training import run as running
    from vnla.training.together import train_together

    configs = {path: running.open_run(path, wanted) for path, wanted in runs}
    names = _names(list(configs))
    console = Console(stderr=True)
    with _bar(console) as bar:
        tasks = {
            path: bar.add_task(names[path] or "training", total=config.training.iterations, speed="", loss="loading …")
            for path, config in configs.items()
        }

        def progress(path: Path) -> running.Progress:
            return running.Progress(_reporter(bar, tasks[path]), _validated(console, names[path]))

        device = device or ("cuda" if torch.cuda.is_available() else "cpu")
        ended = train_together(runs, device, progress, eager=eager)
    if ended is not None:
        name = signal.Signals(ended).name
        again = " ".join(str(path) for path in configs)
        typer.echo(f"stopped by {name} and saved; `vnla train {again}` goes on where it was", err=True)
        raise typer.Exit(128 + ended)


def _names(runs: Sequence[Path]) -> dict[Path, str]:
    """What to call each run: as little as tells them apart."""
    if len(runs) == 1:
        return {runs[0]: ""}
    alike = len({run.name for run in runs}) < len(runs)
    return {run: str(run) if alike else run.name for run in runs}


def _reporter(bar: Progress, task: Any) -> Any:
    def report(record: dict[str, Any]) -> None:
        loss = f"navigation {record['nav_loss']:.2f} ask {record['ask_loss']:.2f}"
        bar.update(task, completed=record["iteration"], speed=f"{record['iterations_a_second']:.2f} it/s", loss=loss)

    return report


def _validated(console: Console, name: str) -> Any:
    def validated(record: dict[str, Any]) -> None:
        rates = "   ".join(
            f"{split}: success {figures['success_rate']:.1f}%, room {figures['room_success_rate']:.1f}%, "
            f"error {figures['nav_error']:.2f} m, {figures['requests']:.1f} requests"
            for split, figures in record.items()
            if split != "iteration"
        )
        console.print(f"{name:9s} iteration {record['iteration']:,}   {rates}".lstrip(), highlight=False, soft_wrap=True)

    return validated


def _bar(console: Console) -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[speed]}"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[loss]}"),
        console=console,
        disable=not console.is_terminal,
    )
