"""`vnla beyond`: agents that go past the paper, each beside LEARNED."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer
from rich.console import Console

from vnla.cli.console import LARGEST_SEED, hint_if_busy
from vnla.cli.paper import (
    ClusterOption,
    DeviceOption,
    EverythingArgument,
    FeaturesOption,
    OwnWorldOption,
    PeersOption,
    PrecisionOption,
    ThreadsOption,
    ValidateEveryOption,
    WaitOption,
    WorkersOption,
    device_of,
    is_whole,
    print_found,
    resumable,
    sharing_of,
)
from vnla.cli.sharing import ShardOption


def beyond(
    out: EverythingArgument,
    preset: Annotated[
        str, typer.Option(metavar="NAME", help="small: on two cores; paper: the paper's sizes, on a GPU.")
    ] = "small",
    arm: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Only this agent, and learned; may be repeated: tuned, senses, reward, best, valued; with one sense clock,"
            " requests, advice, been, spotted; or another one of docs/beyond.md. [default: the first five]",
        ),
    ] = None,
    trainings: Annotated[int, typer.Option(min=1, help="Of each agent, with seeds one after the other.")] = 1,
    iterations: Annotated[int | None, typer.Option(min=1, help="Of each agent, in all. [default: the preset's]")] = None,
    validate_every: ValidateEveryOption = None,
    precision: PrecisionOption = None,
    world: OwnWorldOption = None,
    features: FeaturesOption = None,
    fresh: Annotated[
        int | None, typer.Option(min=0, help="Further houses to test agents in. [default: small 0, paper 200]")
    ] = None,
    sweep: Annotated[bool, typer.Option("--sweep/--no-sweep", help="Measure success against help.")] = True,
    ceilings: Annotated[bool, typer.Option("--ceilings/--no-ceilings", help="Look for what is left to win.")] = True,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Tasks on which that is looked for. [default: the preset's]")
    ] = None,
    peers: PeersOption = True,
    seed: Annotated[
        int, typer.Option(min=0, max=LARGEST_SEED, help="Seed of houses, data sets and the first training.")
    ] = 0,
    device: DeviceOption = None,
    workers: WorkersOption = None,
    threads: ThreadsOption = None,
    beside: Annotated[int, typer.Option(min=1, help="On a GPU: at most so many trainings side by side.")] = 8,
    cluster: ClusterOption = "local",
    shard: ShardOption = None,
    wait: WaitOption = 0,
) -> None:
    """Train agents with senses, by reward, and by what a request is worth, compare them with LEARNED, and write a report:
    OUT/report.html, with tables and figures beside it.

    What is done is kept: stop it at any time, and the same command goes on where it was. Machines share the work as with
    `vnla paper`.

    Example: vnla beyond out --preset small

    Example: vnla beyond out --preset paper --trainings 3 --device cuda --precision tf32
    """
    from vnla.experiments.beyond.arms import chosen_arms, scale_of
    from vnla.experiments.beyond.comparison_stages import run_comparison
    from vnla.experiments.beyond.plan import ComparisonPlan

    scale = scale_of(preset)
    own = scale.preset.given(iterations=iterations, validate_every=validate_every, precision=precision, features=features)
    scale = replace(scale, preset=own, limit=limit or scale.limit)
    plan = ComparisonPlan(
        scale,
        chosen_arms(scale, arm or ()),
        trainings=trainings,
        fresh=scale.fresh if fresh is None else fresh,
        sweeps=sweep,
        ceilings=ceilings,
        peers=peers,
        seed=seed,
    )
    given = {
        "--trainings": trainings,
        "--iterations": iterations,
        "--validate-every": validate_every,
        "--precision": precision,
        "--world": world,
        "--features": features,
        "--fresh": fresh,
        "--limit": limit,
        "--seed": seed or None,
    }
    command = " ".join(
        [
            f"vnla beyond {out} --preset {preset}",
            *(f"{option} {value}" for option, value in given.items() if value is not None),
            *(f"--arm {name}" for name in arm or ()),
            *(f"--no-{part}" for part, there in (("sweep", sweep), ("ceilings", ceilings), ("peers", peers)) if not there),
        ]
    )
    chosen, sharing = device_of(device, cluster), sharing_of(shard, wait)
    with resumable():
        source = run_comparison(
            out,
            plan,
            command=command,
            console=Console(stderr=True),
            world=world,
            device=chosen,
            cores=workers,
            threads=threads,
            beside=beside,
            begins=hint_if_busy,
            sharing=sharing,
            cluster=cluster,
        )
    if is_whole(sharing):
        print_found(source.tables(), source.layout.report)
