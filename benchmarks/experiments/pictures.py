"""Makes the pictures of the documentation: `make pictures`.

The walk is taken in the compiled world with the paper's advisor. Nobody has trained the agent: it does what it is told, and
when the subgoal is used up it goes its own way, forward where there is something ahead, until it asks again.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import torch

from vnla.assistance.advisor import TemplateAdvisor
from vnla.camera import LEVEL_ROW, VIEWS, view_index
from vnla.common.files import write_bytes
from vnla.houses.cottage import cottage
from vnla.houses.folder import read_world, write_world
from vnla.houses.generate.world import PRESETS, as_extra, recipes
from vnla.report.house_pictures import draw_pictures
from vnla.report.maps import Step, draw_house
from vnla.world.actions import Nav
from vnla.world.compiled import Environment, World, view_of, viewpoint_of

GOAL = "bathroom"
START = VIEWS * 4 + view_index(LEVEL_ROW, 6)  # in the living room, facing south
ON_ITS_OWN = 2
"""Actions that the agent takes by itself before it asks again."""
LONGEST = 40


def walk() -> list[Step]:
    """A walk to the goal, step by step."""
    environment = Environment.compile(World.compile([cottage()]), [("cottage", [GOAL])])
    advisor, goals, pose = TemplateAdvisor(), torch.tensor([0]), torch.tensor([START])
    steps: list[Step] = []
    plan: list[Nav] = []
    alone = ON_ITS_OWN
    while len(steps) < LONGEST:
        said = None
        if not plan and alone == ON_ITS_OWN:
            advice = advisor(environment, pose, goals)
            plan, said, alone = list(advisor.plan(int(advice.subgoal))), advisor.text(int(advice.subgoal)), 0
        elif not plan:
            plan, alone = [Nav.RIGHT if bool(environment.blocked(pose)) else Nav.FORWARD], alone + 1
        action = plan.pop(0)
        steps.append(Step(int(viewpoint_of(pose)), int(view_of(pose)), said, action.name.lower()))
        if action == Nav.STOP:
            break
        pose = environment.step(pose, torch.tensor([action]), goals)
    return steps


def draw_rooms(path: Path) -> None:
    """The rooms of one house of the world `vnla world make --preset paper --seed 0`."""
    recipe = recipes(PRESETS["paper"], seed=0)[5]
    with tempfile.TemporaryDirectory() as folder:
        world = Path(folder) / "world"
        write_world(world, [recipe.make().house], source="generated", extra=as_extra("paper", 0, [recipe]))
        read = read_world(world)
        drawn = list(draw_pictures(read, read.houses[0], Path(folder)))
        write_bytes(path, next(each for each in drawn if each.stem.endswith("-rooms")).read_bytes())


def draw_watched(path: Path) -> None:
    """The first unseen task of the embedded world, as the agent that comes with the package does it."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "vnla", "watch", "pretrained", "--out", folder], check=True)
        [strip] = Path(folder).rglob("*.png")
        write_bytes(path, strip.read_bytes())


if __name__ == "__main__":
    goals = [cottage().number[GOAL]]
    images = Path(__file__).parents[2] / "docs" / "images"
    draw_house(cottage(), images / "cottage.png", walk=walk(), goals=goals, title="Find a towel in the bathroom.")
    draw_rooms(images / "rooms.png")
    draw_watched(images / "watch.png")
