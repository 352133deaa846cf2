"""`vnla watch`: one episode, told step by step."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from vnla.report.printing import Plain


def watch(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run, or: pretrained.")],
    episode: Annotated[str | None, typer.Option(metavar="ID", help="Id of a task. [default: the split's first]")] = None,
    split: Annotated[
        str, typer.Option(metavar="NAME", help="val_seen, val_unseen, test_seen or test_unseen.")
    ] = "test_unseen",
    seed: Annotated[int, typer.Option(help="Seed of the help budget.")] = 123,
    ratio: Annotated[float | None, typer.Option(min=0, max=1, help="τ. [default: the run's]")] = None,
    checkpoint: Annotated[
        str, typer.Option(metavar="NAME", help="val_seen, val_unseen, last, or an iteration.")
    ] = "val_unseen",
    world: Annotated[Path | None, typer.Option(metavar="DIR", help="World. [default: the run's]")] = None,
    tasks: Annotated[Path | None, typer.Option(metavar="DIR", help="Data set. [default: the run's]")] = None,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Draw a film strip and a moving map here.")] = None,
    video: Annotated[bool, typer.Option("--video", help="The moving map as MP4 as well; needs ffmpeg.")] = False,
    device: Annotated[str, typer.Option(help="cpu, cuda.")] = "cpu",
) -> None:
    """Tell one episode: what was asked for, where the agent was, how sure it was, what it heard and did.

    Example: vnla watch runs/learned --split test_unseen --out pictures

    Example: vnla watch pretrained --world worlds/small --tasks tasks/small
    """
    from vnla.common.files import file_name
    from vnla.common.machine import device_named
    from vnla.evaluation.evaluate import run_task
    from vnla.report.animation import write_animation
    from vnla.report.episodes import images_of
    from vnla.report.film import draw_strip
    from vnla.report.story import follow, put_into_words
    from vnla.training.cast import make_players
    from vnla.training.trained import open_trained

    with Console(stderr=True).status("loading …"):
        trained = open_trained(run, world=world, tasks=tasks, device=device_named(device))
        config, material = trained.config, trained.material
        players = make_players(config, material, trained.agent(checkpoint), training=False)
        task_set = material.evaluation_tasks(split)
    name = episode or task_set.tasks[0].id
    share = config.with_ratio(ratio).help(training=False).ratio
    rollout = run_task(players, task_set, name, seed=seed, ratio=share)
    task = next(each for each in task_set.tasks if each.id == name)
    house = next(each for each in material.folder.houses if each.name == task.house)
    account = follow(rollout, 0, house, task, players.advisor)
    Plain().print(put_into_words(account))
    if out is not None:
        images = images_of(material.folder, house, (320, 240))
        stem = out / file_name(name)
        wanted = [stem.with_name(f"{stem.name}.{kind}") for kind in ("png", "gif", *(["mp4"] if video else []))]
        draw_strip(account, wanted[0], images)
        for path in wanted[1:]:
            write_animation(account, path, images)
        for path in wanted:
            typer.echo(f"drawn: {path}")
