"""`vnla speaker`: train a network that says plans as people do."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from vnla.cli.console import counting, hint_if_busy, telling
from vnla.cli.options import CoresOption

SPLITS = ("train", "test")
"""Where it is listened to in the end."""


def speaker(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="File for the speaker: .safetensors.")],
    world: Annotated[
        Path, typer.Option(metavar="DIR", help="World folder; the speaker learns in the houses of its split train.")
    ],
    iterations: Annotated[
        int, typer.Option(min=1, help="Number of batches to learn from; a file that has seen fewer is trained further.")
    ] = 2500,
    batch: Annotated[int, typer.Option(min=1, help="Sentences in a batch.")] = 64,
    learning_rate: Annotated[float, typer.Option(help="Highest learning rate of Adam.")] = 2e-3,
    k: Annotated[int, typer.Option(min=1, max=6, help="Number of actions that a sentence describes.")] = 4,
    width: Annotated[int, typer.Option(min=8, max=1024, help="Size of its layers.")] = 96,
    tried: Annotated[
        int, typer.Option(min=1, help="Number of sentences that a listener tries to follow after the training.")
    ] = 200,
    seed: Annotated[int, typer.Option(help="Seed of its parameters, and of the walks that it learns from.")] = 0,
    threads: CoresOption = None,
    device: Annotated[str | None, typer.Option(help="cpu, cuda, cuda:1. [default: a GPU if there is one]")] = None,
) -> None:
    """Train a speaker, a network that learns from the grammar to describe walks through a world. When it is stopped,
    the same command continues.

    Example: vnla speaker speaker.safetensors --world worlds/small

    Example: vnla train runs/spoken --advisor-language speaker --advisor-option speaker=speaker.safetensors --world …
    """
    from vnla.common.files import writable
    from vnla.common.machine import device_named, use_threads
    from vnla.houses.folder import read_world
    from vnla.language.speaker.composing import TRIES
    from vnla.language.speaker.training import SpeakerSettings, followed, ground_of, train_speaker

    use_threads(threads)
    hint_if_busy(threads)
    writable(file)
    folder, chosen = read_world(world), device_named(device)
    settings = SpeakerSettings(iterations, batch, learning_rate, k, width, seed)
    with telling() as tell:
        look = counting(tell, "looking around in the houses", len(folder.houses))
        ground = ground_of(folder, "train", look, chosen)
        own = train_speaker(file, ground, settings, lambda done, of, _: tell("learning to speak", done, of))
        listened = counting(tell, "listening to what it says", len(SPLITS) * TRIES)
        shares = {split: followed(own, ground_of(folder, split, device=chosen), tried, seed, listened) for split in SPLITS}
    typer.echo(f"written: {file}, after {own.done:,} batches")
    for split, share in shares.items():
        typer.echo(
            f"{split}: a listener finds {share.likeliest:.0%} of the {tried} likeliest sentences true and follows them to"
            f" the right place, and {share.drawn:.0%} of sampled ones; {share.any:.0%} of the plans have such a sentence"
        )
