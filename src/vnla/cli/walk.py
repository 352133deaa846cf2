"""`vnla walk`: the teacher walks through a house, with the advisor's words along the way."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape

from vnla.cli.embedded import embedded_places, is_small
from vnla.cli.options import BudgetSeedOption
from vnla.common.errors import InputError

if TYPE_CHECKING:
    from vnla.houses.house import House
    from vnla.report.plan import Step
    from vnla.tasks.task import Task
    from vnla.tasks.task_set import TaskSet
    from vnla.world.compiled import World


def walk(
    world: Annotated[
        Path | None,
        typer.Argument(metavar="WORLD", help="A world, or: small. [default: the cottage]", show_default=False),
    ] = None,
    tasks: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Data set of tasks. [default: made for this house]", show_default=False),
    ] = None,
    house: Annotated[
        str | None, typer.Option(metavar="ID", help="House to walk in. [default: the first]", show_default=False)
    ] = None,
    task: Annotated[int, typer.Option(min=0, help="Which task of the house, from 0.")] = 0,
    seed: BudgetSeedOption = 0,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the pictures.")] = Path("walk"),
) -> None:
    """Walk through a house with the navigation teacher, and draw the map in the terminal and as a PNG file.

    Example: vnla walk --task 2

    Example: vnla walk worlds/small --tasks tasks/small --house house003
    """
    from vnla.report.maps import draw_house
    from vnla.report.terminal import house_text
    from vnla.tasks.task_set import TaskSet

    if world is None and tasks is not None:
        raise InputError("--tasks: belong to a world; name its folder: vnla walk WORLD --tasks DIR")
    if is_small(world):
        world, tasks = embedded_places()
    chosen, compiled, offered = _tasks_in(world, tasks, house)
    if task >= len(offered):
        raise InputError(f"--task {task}: {chosen.name} has {len(offered):,} tasks, numbered from 0")
    one = TaskSet.compile(compiled, [offered[task]])
    steps = _teacher_walk(one, seed)
    goals = [chosen.number[goal] for goal in one.tasks[0].goals]
    end_goal = one.tasks[0].end_goal.removesuffix(" .").capitalize()
    console = Console()
    console.print(house_text(chosen, walk=steps, goals=goals))
    console.print(f"\n[bold]{escape(end_goal)}[/bold]: the teacher takes {len(steps)} actions.")
    for number, step in enumerate(steps, start=1):
        if step.said:
            place = escape(chosen.viewpoints[step.viewpoint].id)
            console.print(f"  {number:2d}  [cyan]advisor, asked at {place}:[/cyan] “{escape(step.said)}”")
        console.print(f"  {number:2d}  {step.action}")
    picture = out / f"{chosen.name}-{task}.png"
    draw_house(chosen, picture, walk=steps, goals=goals, title=end_goal)
    console.print(f"\nMap: {escape(str(picture))}", soft_wrap=True)


def _tasks_in(world: Path | None, tasks: Path | None, name: str | None) -> tuple[House, World, list[Task]]:
    """Return a house, the world with it alone, and its tasks: the cottage's, those of a data set, or some that are made."""
    from vnla.houses.cottage import cottage
    from vnla.houses.folder import read_world
    from vnla.tasks.cottage import cottage_tasks
    from vnla.tasks.dataset import read_dataset
    from vnla.world.compiled import World

    houses = [cottage()] if world is None else list(read_world(world).houses)
    dataset = None if tasks is None else read_dataset(tasks)
    known = [] if dataset is None else [each for split in reversed(dataset.paths) for each in dataset.split(split)]
    if name is None and known:
        name = known[0].house
    chosen = next((each for each in houses if name in (None, each.name)), None)
    if chosen is None:
        raise InputError(f"--house {name}: is not in {world or 'the cottage'}; there is {', '.join(_some(houses))}")
    compiled = World.compile([chosen])
    if world is None:
        return chosen, compiled, cottage_tasks(compiled)
    offered = list(_made(chosen)) if dataset is None else [each for each in known if each.house == chosen.name]
    if not offered:
        why = "its rooms and objects give none" if dataset is None else f"{tasks} has none there"
        raise InputError(f"{world}: no task in {chosen.name}: {why}; try another --house")
    return chosen, compiled, offered


def _some(houses: list[House]) -> Iterator[str]:
    """Yield the names of a few houses."""
    yield from (each.name for each in houses[:5])
    if len(houses) > 5:
        yield "…"


def _made(house: House) -> Iterator[Task]:
    """Yield a task for each kind of thing in each kind of room, by the rules of AskNav where every label counts."""
    from vnla.tasks.buckets import Filters
    from vnla.tasks.points import house_points
    from vnla.tasks.recipes import ASKNAV
    from vnla.tasks.records import RecordMaker
    from vnla.tasks.task import tasks_of

    points = house_points(house, Filters.of([house], rooms=ASKNAV.rooms, fewest=1), ASKNAV, seed=0)
    record, buckets = RecordMaker(points, ASKNAV), points.bucket.tolist()
    for bucket in dict.fromkeys(buckets):
        yield from tasks_of(record(buckets.index(bucket)), house.name)


def _teacher_walk(tasks: TaskSet, seed: int) -> list[Step]:
    """The teacher's episode, asking for help as the random help policy does to show what the advisor says."""
    import torch

    from vnla.assistance.advisor import TemplateAdvisor
    from vnla.assistance.help_policies import AtRandom
    from vnla.camera import VIEWS
    from vnla.episode import StepContext
    from vnla.report.plan import Step
    from vnla.world.actions import Nav

    episodes = tasks.episodes(torch.tensor([0]), seed=seed)
    environment, goals, advisor = episodes.environment, episodes.goals, TemplateAdvisor()
    policy = AtRandom()
    plan = policy.plan(episodes)
    pose, budget, walk = episodes.start, episodes.help_budget, list[Step]()
    for step in range(int(episodes.time_budget)):
        action = environment.nav_teacher(pose, goals)
        sure = torch.nn.functional.one_hot(action, len(Nav)).float()
        asks = bool(policy(StepContext(episodes, step, pose, torch.zeros_like(budget), budget, sure, plan)))
        said = advisor.text(int(advisor(environment, pose, goals).subgoal)) if asks else None
        viewpoint, view = divmod(int(pose), VIEWS)
        walk.append(Step(viewpoint, view, said, Nav(int(action)).name.lower()))
        pose = environment.step(pose, action, goals)
    return walk
