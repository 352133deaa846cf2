"""`vnla train`: train an agent, or go on with a training."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from vnla.errors import InputError

if TYPE_CHECKING:
    from vnla.runs import RunConfig


def train(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Folder of the run; if it has one, that run goes on.")],
    world: Annotated[Path | None, typer.Option(metavar="DIR", help="World folder.")] = None,
    tasks: Annotated[Path | None, typer.Option(metavar="DIR", help="Data set folder, made by `vnla tasks make`.")] = None,
    features: Annotated[
        str, typer.Option(metavar="NAME", help="Feature store of the world, or symbolic.")
    ] = "efficientnet-lite0",
    help_policy: Annotated[
        str, typer.Option(metavar="NAME", help="none, first, random, learned, teacher; cloning, imitation.")
    ] = "learned",
    iterations: Annotated[int, typer.Option(min=1, help="How many batches to train on.")] = 100_000,
    batch: Annotated[int, typer.Option(min=1, help="Episodes in a batch.")] = 100,
    learning_rate: Annotated[float, typer.Option(help="Adam's.")] = 1e-4,
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
    precision: Annotated[str, typer.Option(metavar="NAME", help="float32 or bfloat16.")] = "float32",
    seed: Annotated[int, typer.Option(min=0, help="Seed of everything random.")] = 0,
    device: Annotated[str | None, typer.Option(help="cpu, cuda. [default: a GPU if there is one]")] = None,
) -> None:
    """Train an agent with I3L-BCUI (Algorithm 1). The defaults are the paper's hyperparameters.

    Ctrl-C saves and leaves; the same command, or just `vnla train RUN`, goes on where it was.

    Example: vnla train runs/learned --world worlds/small --tasks tasks/small --iterations 2000
    """
    from vnla.advisor import Advisor
    from vnla.runs import RunConfig
    from vnla.teachers.help import HelpTeacher
    from vnla.training import TrainingConfig

    kinds = {"indirect": (False, True), "direct": (True, True), "silent": (True, False)}
    if advisor not in kinds:
        raise InputError(f"advisor {advisor}: unknown; choose from {', '.join(kinds)}")
    direct, speaks = kinds[advisor]
    wanted: RunConfig | None = None
    if world is not None and tasks is not None:
        wanted = RunConfig(
            world=str(world.absolute()),
            tasks=str(tasks.absolute()),
            features=features,
            help_policy=help_policy,
            beta=beta,
            keeps_ended=keeps_ended,
            validate_every=validate_every,
            training=TrainingConfig(iterations, batch, learning_rate, weight_decay, ratio, seed, precision),
            advisor=Advisor(k, direct, speaks, not easy),
            teacher=HelpTeacher(rules, deviation, uncertainty, non_moving),
            agent={"hidden": hidden, "help_hidden": hidden, "layers": layers, "dropout": dropout},
        )
    elif world is not None or tasks is not None:
        raise InputError("a new run needs both --world and --tasks")
    _run(run, wanted, device)


def _run(run: Path, wanted: RunConfig | None, device: str | None) -> None:
    import torch

    from vnla import running
    from vnla.runs import Material

    config = running.open_run(run, wanted)
    console = Console(stderr=True)
    with console.status("loading …"):
        material = Material.load(config, device or ("cuda" if torch.cuda.is_available() else "cpu"))
    with _bar(console) as bar:
        task = bar.add_task("training", total=config.training.iterations, speed="", loss="")
        ended = running.train(run, config, material, running.Progress(_reporter(bar, task), _validated(console)))
    if ended is not None:
        name = signal.Signals(ended).name
        typer.echo(f"stopped by {name} and saved; `vnla train {run}` goes on where it was", err=True)
        raise typer.Exit(128 + ended)


def _reporter(bar: Progress, task: Any) -> Any:
    def report(record: dict[str, Any]) -> None:
        loss = f"navigation {record['nav_loss']:.2f} ask {record['ask_loss']:.2f}"
        bar.update(task, completed=record["iteration"], speed=f"{record['iterations_a_second']:.2f} it/s", loss=loss)

    return report


def _validated(console: Console) -> Any:
    def validated(record: dict[str, Any]) -> None:
        rates = "   ".join(
            f"{split}: success {figures['success_rate']:.1f}%, room {figures['room_success_rate']:.1f}%, "
            f"error {figures['nav_error']:.2f} m, {figures['requests']:.1f} requests"
            for split, figures in record.items()
            if split != "iteration"
        )
        console.print(f"iteration {record['iteration']:,}   {rates}", highlight=False, soft_wrap=True)

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
