"""The two rules of `forward`, from training to anybody's score, in a cottage with a pantry beside its kitchen.

From the south of the hall the kitchen lies at bearing 99.46 and the pantry at 78.69. Facing 90 the kitchen is nearer to the
centre (9.46 against 11.31), facing 60 the pantry (18.69 against 39.46).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import gymnasium
import pytest
import torch

import command
import vnla.gym  # noqa: F401
from cottage_run import SPLITS
from vnla.camera import VIEWS, view_index
from vnla.common.errors import InputError
from vnla.evaluation.allowance import Allowance
from vnla.evaluation.contest import ScoringData, enter
from vnla.evaluation.metrics import METRICS
from vnla.evaluation.recorded import score_recorded
from vnla.houses.cottage import cottage
from vnla.houses.folder import write_world
from vnla.houses.house import House, Viewpoint
from vnla.recordings.sources import of_results, of_teacher
from vnla.tasks.dataset import read_dataset
from vnla.tasks.task import Task
from vnla.tasks.task_set import TaskSet
from vnla.training.config import RunConfig
from vnla.training.trained import open_trained
from vnla.world.actions import Nav
from vnla.world.compiled import World
from vnla.world.forward import FORWARDS, INFORMED, PLAIN

L, F, S = Nav.LEFT, Nav.FORWARD, Nav.STOP
EAST = 3  # heading 90
WALKS = {INFORMED: [F, S], PLAIN: [L, F, S]}
"""What the navigation teacher does from the south of the hall, facing 90, to the pantry."""


def with_pantry() -> House:
    house = cottage()
    pantry = Viewpoint("pantry", (2.5, 0.5, 1.5), 3, visible=(1,))
    hall = replace(house.viewpoints[1], visible=(*house.viewpoints[1].visible, len(house.viewpoints)))
    places = (house.viewpoints[0], hall, *house.viewpoints[2:], pantry)
    return replace(house, viewpoints=places, edges=(*house.edges, (1, len(house.viewpoints))))


TASK = Task(
    "0_0", "cottage", "hall_south", EAST, "find a towel in one of the kitchens .", ("pantry",), (2,), "h", "k", "towel"
)


def tasks_by(forward: str) -> TaskSet:
    return TaskSet.compile(World.compile([with_pantry()], forward=forward), [TASK])


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("pantry")
    write_world(folder / "world", [with_pantry()], source="drawn", splits={"train": ["cottage"]})
    (folder / "tasks").mkdir()
    record = {
        "scan": "cottage", "path_id": 0, "heading": torch.pi / 2, "instructions": [TASK.end_goal],
        "paths": [["hall_south", "pantry"]], "trajectories": [[[0, 1, 0], [0, 0, 0]]],
        "start_region_name": "hallway", "end_region_name": "kitchen", "object_name": "towel",
    }  # fmt: skip
    for split in SPLITS:
        (folder / "tasks" / f"asknav_{split}.json").write_text(json.dumps([record]))
    return folder / "world", folder / "tasks"


def recorded_walk(rule: str, **more: Any) -> dict[str, Any]:
    """What the teacher does under a rule, as a record of a results file."""
    tasks = tasks_by(rule)
    actions, poses = tasks.environment.taught_way(tasks.start, tasks.goals, len(WALKS[rule]))
    assert [Nav(int(each)) for each in actions] == WALKS[rule]
    world, turn = tasks.environment.world, torch.pi / 6
    trajectory = [[world.ids[int(pose) // VIEWS], (int(pose) % VIEWS % 12) * turn, 0.0] for pose in poses]
    return {"instr_id": "0_0", "scan": "cottage", "trajectory": trajectory, **more}


@pytest.mark.parametrize("forward", FORWARDS)
def test_forward_from_the_hall_goes_by_its_rule(forward: str) -> None:
    tasks = tasks_by(forward)
    east = torch.tensor([tasks.environment.world.viewpoint("cottage", "hall_south") * VIEWS + view_index(1, EAST)])
    after = tasks.environment.step(east, torch.tensor([F]), tasks.goals)
    assert tasks.environment.world.ids[int(after) // VIEWS] == {INFORMED: "pantry", PLAIN: "kitchen"}[forward]


def test_a_results_file_says_by_which_rule_it_was_walked(folders: tuple[Path, Path], tmp_path: Path) -> None:
    """Turn left first, or not: a file that says nothing is as in the paper, where forward goes to the pantry at once."""
    world, tasks = folders
    material = ScoringData.load(world, tasks, Allowance(), METRICS, split="test_unseen")

    def entered(record: dict[str, Any]) -> tuple[str, bool]:
        path = tmp_path / "results.json"
        path.write_text(json.dumps([record]))
        entry = enter(path, material)
        return entry.forward, bool(entry.scores.success.all())

    assert entered(recorded_walk(INFORMED)) == (INFORMED, True)
    assert entered(recorded_walk(PLAIN, forward=PLAIN)) == (PLAIN, True)
    with pytest.raises(InputError, match=r"no action leads from hall_south .* to pantry .*; forward leads to kitchen"):
        entered(recorded_walk(INFORMED, forward=PLAIN))
    with pytest.raises(InputError, match="field forward is 'sideways'; expected informed or plain"):
        entered(recorded_walk(PLAIN, forward="sideways"))


def test_a_file_of_two_rules_is_refused(folders: tuple[Path, Path], tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_text(json.dumps([recorded_walk(PLAIN, forward=PLAIN), recorded_walk(INFORMED)]))
    budgets = read_dataset(folders[1]).budgets
    with pytest.raises(InputError, match="some records have forward informed and others plain"):
        score_recorded(path, [with_pantry()], [TASK], budgets)
    with pytest.raises(InputError, match="field forward says informed, but other records say plain"):
        list(of_results(path, *folders).batches())
    path.write_text(json.dumps([recorded_walk(PLAIN, forward=PLAIN)]))
    (found,) = score_recorded(path, [with_pantry()], [TASK], budgets).values()
    assert found.scores.success.all()


@pytest.mark.parametrize("forward", FORWARDS)
def test_recordings_of_the_teacher_go_by_the_rule_and_say_so(
    vnla: Callable[..., command.Answer], folders: tuple[Path, Path], tmp_path: Path, forward: str
) -> None:
    world, tasks = folders
    where = ["--world", world, "--tasks", tasks, "--forward", forward, "--format", "json", "--out", tmp_path / "data"]
    answer = vnla("episodes", "export", "teacher", *where)
    assert answer.status == 0, answer.err
    (record,) = json.loads(next((tmp_path / "data").rglob("*.json")).read_text())
    assert len(record["trajectory"]) == len(WALKS[forward]) + 1 and record.get("forward", INFORMED) == forward
    source = of_teacher(*folders, forward=forward)
    (batch,) = source.batches()
    assert [Nav(each) for each in batch.trace.nav[0].tolist() if each >= 0] == WALKS[forward]
    assert ("Forward is plain" in source.what) == (forward == PLAIN)


@pytest.mark.parametrize("forward", FORWARDS)
def test_the_gymnasium_environment_goes_by_the_rule(forward: str) -> None:
    environment = gymnasium.make("vnla/AskNav-v0", houses=[with_pantry()], tasks=[TASK], forward=forward)
    environment.reset(seed=0)
    rewards = [float(environment.step((int(action), 0))[1]) for action in WALKS[forward]]
    assert rewards == [0.0] * (len(rewards) - 1) + [1.0]


def test_a_run_keeps_its_rule_and_is_evaluated_by_it_or_another(
    vnla: Callable[..., command.Answer], folders: tuple[Path, Path], tmp_path: Path
) -> None:
    world, tasks = folders
    data = ["--world", world, "--tasks", tasks]
    small = ["--features", "symbolic", "--iterations", 2, "--batch", 4, "--hidden", 8, "--validate-every", 2]
    for name, options in {"usual": [], "plain": ["--forward", "plain"]}.items():
        answer = vnla("train", tmp_path / name, *data, *small, *options)
        assert answer.status == 0, answer.err
    saved = {name: json.loads((tmp_path / name / "config.json").read_text()) for name in ("usual", "plain")}
    assert "forward" not in saved["usual"] and saved["plain"]["forward"] == PLAIN
    assert RunConfig.read(tmp_path / "usual" / "config.json").forward == INFORMED
    assert open_trained(tmp_path / "plain").material.world.forward == PLAIN
    assert open_trained(tmp_path / "plain", forward=INFORMED).material.world.forward == INFORMED
    for run, options, expected in (
        ("usual", [], INFORMED), ("plain", [], PLAIN), ("plain", ["--forward", "informed"], INFORMED),
    ):  # fmt: skip
        out = tmp_path / f"{run}{len(options)}"
        where = ["--json", out / "summary.json", "--results", out / "results", "--npz", out / "npz"]
        answer = vnla("evaluate", tmp_path / run, "--split", "test_unseen", "--seeds", 1, *where, *options)
        assert answer.status == 0, answer.err
        assert json.loads((out / "summary.json").read_text())["test_unseen"]["forward"] == expected
        records = json.loads((out / "results" / "test_unseen.json").read_text())
        assert [each.get("forward", INFORMED) for each in records] == [expected]
        for kept in (out / "results" / "test_unseen.json", out / "npz"):
            scored = vnla("score", kept, *data, "--json", out / "score.json")
            assert scored.status == 0, scored.err
            assert json.loads((out / "score.json").read_text())[0]["forward"] == expected
    assert vnla("watch", tmp_path / "usual", "--forward", "plain").status == 0
    for name in ("evaluate", "watch"):
        answer = vnla(name, tmp_path / "usual", "--forward", "sideways")
        assert answer.status == 2 and "forward 'sideways': unknown; choose from informed, plain" in answer.err


def test_agents_that_learn_nothing_are_evaluated_by_either_rule(
    vnla: Callable[..., command.Answer], folders: tuple[Path, Path], tmp_path: Path
) -> None:
    """The scripted walker stays where it can go on with either."""
    world, tasks = folders
    for forward in FORWARDS:
        out = tmp_path / forward
        answer = vnla(
            "evaluate", "--agent", "scripted", "--world", world, "--tasks", tasks, "--forward", forward,
            "--split", "test_unseen", "--out", out,
        )  # fmt: skip
        assert answer.status == 0, answer.err
        kept = json.loads((out / "summary.json").read_text())["test_unseen"]
        assert kept["forward"] == forward
