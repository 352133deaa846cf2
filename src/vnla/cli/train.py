"""`vnla train`: train an agent or several, or go on with trainings."""

from __future__ import annotations

import itertools
import os
import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from vnla.cli.console import LARGEST_SEED
from vnla.cli.options import DeviceOption, EagerOption, made_from, takes_options
from vnla.cli.sharing import ShardOption, say_part
from vnla.cli.variants import AskedTraining, variants_of
from vnla.common.errors import InputError
from vnla.common.options import option, refuse
from vnla.training.options import CONFIGURED, IMITATION, Policies, config_from, config_to_go_on, policies_from

if TYPE_CHECKING:
    from vnla.cli.train_view import TrainingView
    from vnla.common.tables import Room
    from vnla.training.config import RunConfig
    from vnla.training.ranks import Ranks


@dataclass(frozen=True)
class TrainCommandOptions:
    """How to train, on which no result depends, and several trainings by one command."""

    variant: list[str] | None = option(
        None,
        'Also train a run in RUN/NAME with these options, such as "clock=--sensor clock"; may be repeated.',
        metavar="NAME=OPTIONS",
    )
    feature_cache: str | None = option(
        None,
        "Keep features on disk and at most this much in memory, such as 4GB; or host: in the host's memory, from which a GPU"
        " fetches them: host. [default: all in memory]",
        metavar="SIZE",
    )
    device: DeviceOption = None
    eager: EagerOption = False
    threads: int | None = option(None, "CPU threads. [default: as many as PyTorch takes]", min=0)
    shard: ShardOption = None


@takes_options(*CONFIGURED, TrainCommandOptions)
def train(
    context: typer.Context,
    run: Annotated[
        list[Path], typer.Argument(metavar="RUN...", help="Folder of a new run, or folders of runs to continue.")
    ],
    **values: Any,
) -> None:
    """Train an agent with I3L-BCUI (Algorithm 1). The defaults are the paper's hyperparameters.

    Ctrl-C saves and exits; the same command, or just `vnla train RUN`, continues from there. For a run that exists, only
    --iterations may change, and --world and --tasks if those folders were moved; all other options must stay the same.
    Several policies, seeds or variants are trained side by side, each in its own folder in RUN, and so are several existing
    RUNs. With --shard i/n only a share of them is trained; --shard merge checks that all are finished. Under torchrun
    several processes train one run, each with a part of every batch.

    Example: vnla train runs/learned --world worlds/small --tasks tasks/small --iterations 2000

    Example: vnla train runs/learned --iterations 4000

    Example: torchrun --nproc-per-node 4 -m vnla train runs/learned --world worlds/small --tasks tasks/small

    Example: vnla train runs/policies --help-policy none,random,learned --world worlds/small --tasks tasks/small

    Example: vnla train runs/both --variant none= --variant "clock=--sensor clock" --world worlds/small --tasks tasks/small
    """
    _, status = train_all(context, run, values)
    if status:
        raise typer.Exit(status)


def train_all(context: typer.Context, folders: Sequence[Path], values: Mapping[str, Any]) -> tuple[list[Path], int]:
    """Train what the options of the command ask for; return the folders of the runs, and the status to leave with."""
    from vnla.common.machine import device_named, loading, use_threads

    with loading("torch"):
        from vnla.common.tables import room_in
        from vnla.training.ranks import alike, joined, leaving_at_once

    options = made_from(TrainCommandOptions, values)
    device = device_named(options.device)
    use_threads(options.threads)
    with leaving_at_once(), joined(device) as ranks:
        with alike(ranks):
            asked = variants_of(context, values, folders, options.variant or [], shared=TrainCommandOptions)
            runs = {path: config for each in asked for path, config in _runs(each).items()}
            cache = None if options.feature_cache is None else room_in(options.feature_cache)
        how = How(device, options.eager, ranks, cache)
        status = _run(runs, how) if options.shard is None else _share(folders, runs, options.shard, how)
    return list(runs), status


def _runs(asked: AskedTraining) -> dict[Path, RunConfig | None]:
    """Return the runs that are asked for, with what to begin or to go on with."""
    config, policies = config_from(asked.values, asked.given), policies_from(asked.values)
    variants = _variants(asked.folders, config, policies, _numbers(asked.values["seed"]))
    return {path: _config(path, variant, asked) for path, variant in variants}


def _config(path: Path, wanted: RunConfig, asked: AskedTraining) -> RunConfig | None:
    """Return the configuration to begin a run with, or to go on with where there is one."""
    from vnla.training.checkpoints import CONFIG, is_begun
    from vnla.training.config import RunConfig

    given = asked.given
    saved = RunConfig.read(path / CONFIG) if is_begun(path) else None
    if saved and "help_policy" not in given:
        beta = {"beta": asked.values["beta"]} if "beta" in given and saved.help_policy == IMITATION else {}
        wanted = wanted.asking(saved.help_policy, saved.help_options | beta | wanted.help_options)
    if wanted.help_policy != IMITATION:
        refuse(given & {"beta"}, ": belongs to the help policy imitation")
    if saved is not None:
        return config_to_go_on(path, saved, wanted, given)
    if bool(wanted.world) != bool(wanted.tasks):
        raise InputError(f"{path}: a new run needs both --world and --tasks")
    return wanted if wanted.world else None


def _variants(
    folders: Sequence[Path], config: RunConfig, policies: Policies, seeds: Sequence[int]
) -> list[tuple[Path, RunConfig]]:
    """A run for each policy and seed, in folders named by what differs; with one of each the runs that the folders hold."""
    from vnla.training.checkpoints import is_begun, runs_in

    variants = [
        ([policy] * (len(policies) > 1) + [f"seed{seed}"] * (len(seeds) > 1), policy, seed)
        for policy, seed in itertools.product(policies, seeds)
    ]
    one = len(variants) == 1
    paths = [path for folder in folders for path in runs_in(folder)] if one else list(folders)
    if len(folders) > 1 and not (one and (not config.world or all(map(is_begun, paths)))):
        raise InputError("give one folder for new runs; with several policies or seeds each gets a folder in it")
    return [
        (
            path / "-".join(differs) if differs else path,
            replace(config.asking(policy, policies[policy]), training=replace(config.training, seed=seed)),
        )
        for path in paths
        for differs, policy, seed in variants
    ]


def _numbers(text: str) -> list[int]:
    numbers = [int(each) for each in text.split(",") if each.strip().isdecimal()]
    if len(numbers) != len(text.split(",")) or max(numbers) > LARGEST_SEED:
        raise InputError(f"--seed {text}: give whole numbers from 0 to {LARGEST_SEED}, with commas between several")
    return numbers


@dataclass(frozen=True)
class How:
    """How runs are trained, which nothing depends on."""

    device: str
    eager: bool
    ranks: Ranks | None
    cache: Room | None


def _share(folders: Sequence[Path], wanted: Mapping[Path, RunConfig | None], which: str, how: How) -> int:
    """Train the runs of a shard, or see that all are finished; the status to leave with."""
    from vnla.pipeline.shards.shard import MERGE, Shard
    from vnla.pipeline.shards.trainings import check_finished, share_of, training_parts

    if how.ranks is not None:
        raise InputError("--shard: several processes train one run together; give each shard a process of its own")
    runs = {path: config for path, config in wanted.items() if config is not None}
    if len(folders) > 1 or len(runs) < len(wanted):
        raise InputError("--shard: give one RUN, with --world and --tasks, and several policies, seeds or variants to share")
    parts = training_parts(folders[0], runs)
    if which == MERGE:
        check_finished(runs, len(parts.complete()))
        parts.remove()
        typer.echo(f"{folders[0]}: all {len(runs)} runs are finished")
        return 0
    shard = Shard.parse(which)
    mine = share_of(shard, runs)
    with parts.making(shard):  # also where it was finished: a run may have been removed since
        status = _run(mine, how)
    if not status:
        say_part(parts, shard, {"runs": len(mine)}, new=True)
    return status


def _run(wanted: Mapping[Path, RunConfig | None], how: How) -> int:
    """Train what is not finished, and show it; the status to leave with."""
    from vnla.cli.train_view import shown
    from vnla.training.checkpoints import open_run
    from vnla.training.ranks import alike
    from vnla.training.run import DivergedError

    ranks = how.ranks
    quiet = ranks is not None and not ranks.writes
    with alike(ranks):
        over = {path: config for path, config in wanted.items() if config is not None and _is_over(path, config)}
        runs = {path: open_run(path, config) for path, config in wanted.items() if path not in over}
    for path, config in over.items() if not quiet else ():
        typer.echo(f"{path}: has done its {config.training.iterations:,} iterations; --iterations N goes further")
    if not runs:
        return 0
    train_together = _trainer(how)
    with shown(runs, Console(stderr=True, quiet=quiet)) as view:
        try:
            ended = train_together(
                list(runs.items()), how.device, view.audience(), eager=how.eager, ranks=ranks, cache=how.cache
            )
        except DivergedError as error:
            view.ends(diverged=error.lines)
            raise
        if ended is None:
            view.ends()
    if ended is not None:
        if not quiet:
            typer.echo(_farewell(signal.Signals(ended).name, view), err=True)
        if view.signals > 1:  # at once: neither a file that is being written nor Python's tidying up is waited for
            os._exit(128 + ended)
    return 128 + ended if ended is not None else 0


def _trainer(how: How) -> Callable[..., int | None]:
    """What trains; for a GPU, which gets ready meanwhile, with what compiles."""
    from vnla.common.machine import awaken, loading

    with loading("torch._dynamo"):
        from vnla.common.capture import load_compilers
        from vnla.training.together import allow_many_streams, train_together

        if how.device != "cpu" and not how.eager:
            allow_many_streams()
            if how.ranks is None:
                awaken(how.device)
            load_compilers()
    return train_together


def _is_over(path: Path, config: RunConfig) -> bool:
    """Whether a run is finished, and nothing about it was said anew."""
    from vnla.training.checkpoints import CONFIG, is_begun, is_finished
    from vnla.training.config import RunConfig

    return is_begun(path) and is_finished(path, config) and RunConfig.read(path / CONFIG) == config


def _farewell(name: str, view: TrainingView) -> str:
    again = "`vnla train " + " ".join(str(path) for path in view.runs) + "`"
    if not view.loaded:
        return f"stopped by {name} while loading; nothing was written"
    if view.signals > 1:
        return f"stopped by {name} at once; {again} goes on from the last checkpoint"
    return f"stopped by {name} and saved; {again} continues where it was"
