"""A walk of the agent that comes with the package: something to look at while agents are being trained."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape

from vnla.common.errors import InputError

if TYPE_CHECKING:
    from vnla.report.story import Story

AGENT = "pretrained"
SPLIT, EPISODE = "test_unseen", "8846830934062441_0"
"""A short episode in a house that the agent does not know, in which it asks for help."""
DELAY = 2.0
"""Seconds before the walk is prepared: by then a command that was given something wrong has ended."""
PATIENCE = 20.0
"""Seconds for which a command that is done waits for the walk."""


@contextmanager
def beside_first_walk(console: Console) -> Iterator[None]:
    """Tell the walk on a console while the block goes on, unless that ends at once."""
    over = Event()
    thread = Thread(target=_tell, args=(console, over), daemon=True)
    thread.start()
    try:
        yield
        thread.join(PATIENCE)
    finally:
        over.set()


def _tell(console: Console, over: Event) -> None:
    if over.wait(DELAY):
        return
    try:
        story = first_walk()
    except InputError as error:
        console.print(f"no first walk: {escape(str(error))}", highlight=False)
        return
    console.rule(f"meanwhile, a walk of the {AGENT} agent", characters="-")
    console.print(story)
    console.rule(characters="-")


def first_walk(split: str = SPLIT, episode: str = EPISODE) -> Story:
    """Return the story of an episode of the agent in the small world, both as they come with the package."""
    from vnla.evaluation.evaluate import SEEDS, run_task, task_named
    from vnla.experiments.embedded import embedded_world
    from vnla.report.story import tell
    from vnla.training.context import make_context
    from vnla.training.trained import open_trained

    world, tasks = embedded_world()
    trained = open_trained(Path(AGENT), world=world, tasks=tasks)
    context = make_context(trained.config, trained.material, trained.agent_for(split), training=False)
    task_set = trained.material.evaluation_tasks(split)
    task = task_named(task_set, episode)
    house = next(each for each in trained.material.folder.houses if each.name == task.house)
    ratio = trained.config.help(training=False).ratio
    return tell(run_task(context, task_set, episode, seed=SEEDS[0], ratio=ratio), 0, house, task, context.advisor)
