"""`vnla walk`: the teacher walks through a small house, with the advisor's words along the way."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from vnla.cli.options import BudgetSeedOption

if TYPE_CHECKING:
    from vnla.report.plan import Step
    from vnla.tasks.task_set import TaskSet


def walk(
    out: Annotated[Path, typer.Argument(help="Folder for the pictures.")] = Path("walk"),
    task: Annotated[int, typer.Option(min=0, max=5, help="Which of the cottage's six tasks.")] = 0,
    seed: BudgetSeedOption = 0,
) -> None:
    """Walk with the navigation teacher through a small house; draw the map here and as a PNG.

    Example: vnla walk --task 2
    """
    from vnla.houses.cottage import cottage
    from vnla.report.maps import draw_house
    from vnla.report.terminal import house_text
    from vnla.tasks.cottage import cottage_tasks
    from vnla.tasks.task_set import TaskSet
    from vnla.world.compiled import World

    house = cottage()
    world = World.compile([house])
    tasks = TaskSet.compile(world, [cottage_tasks(world)[task]])
    steps = _teacher_walk(tasks, seed)
    goals = [house.number[goal] for goal in tasks.tasks[0].goals]
    end_goal = tasks.tasks[0].end_goal.removesuffix(" .").capitalize()
    console = Console()
    console.print(house_text(house, walk=steps, goals=goals))
    console.print(f"\n[bold]{end_goal}[/bold]: the teacher takes {len(steps)} actions.")
    for number, step in enumerate(steps, start=1):
        if step.said:
            console.print(
                f"  {number:2d}  [cyan]advisor, asked at {house.viewpoints[step.viewpoint].id}:[/cyan] “{step.said}”"
            )
        console.print(f"  {number:2d}  {step.action}")
    picture = out / f"{house.name}-{task}.png"
    draw_house(house, picture, walk=steps, goals=goals, title=end_goal)
    console.print(f"\nMap: {picture}", soft_wrap=True)


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
