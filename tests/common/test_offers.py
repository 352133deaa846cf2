"""Parts of other packages, by entry points: a real package, with its description beside it, on the path."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from vnla import cli
from vnla.agents.agent import Sizes
from vnla.agents.policy_agent import PolicyAgent
from vnla.agents.registry import agent_named
from vnla.assistance.help_policies import HelpPolicy, Never
from vnla.assistance.registry import HELP_POLICIES, help_policy
from vnla.common.errors import InputError
from vnla.common.registry import GROUPS, build, find, offers
from vnla.evaluation.metrics import metrics_named
from vnla.houses.sources import world_source
from vnla.training.objectives.registry import objective
from vnla.vision.encoders import make_encoder

MODULE = '''
from dataclasses import dataclass
import numpy as np
import torch
from vnla.agents.sensors import Sensor
from vnla.evaluation.metrics import METRICS
from vnla.houses.sources import Cottage
from vnla.assistance.advisor import TemplateAdvisor
from vnla.assistance.help_policies import AtFirst
from vnla.training.objectives.objective import ImitationObjective
from vnla.vision.encoders import Encoder, Size


class Walker(torch.nn.Module):
    """Walks. It does nothing else."""

    def __init__(self, sizes, stride: int = 2, name: str = "Ann"):
        super().__init__()
        self.stride = stride

    def reset(self, instructions): ...

    def act(self, seen, state): ...


@dataclass(frozen=True)
class Eager(AtFirst):
    """Asks at once."""

    times: int = 3


@dataclass(frozen=True)
class Chatty(TemplateAdvisor):
    """Talks."""


class Nose(Sensor):
    """Smells."""

    size = 1

    def __call__(self, situation):
        return situation.pose[:, None].float()


class Blind(Encoder):
    """Sees nothing."""

    dimension, size = 1, Size(16, 12)

    def _encode(self, images):
        return np.zeros((len(images), 1), np.float32)


Rare, Village, luck = ImitationObjective, Cottage, METRICS["spl"]
'''
ENTRIES = """
[vnla.agents]
walker = other_of_a_test.parts:Walker
paper = other_of_a_test.parts:Walker
gone = other_of_a_test.nothing:Walker
broken = other_of_a_test.broken:Walker

[vnla.help_policies]
eager = other_of_a_test.parts:Eager
wrong = other_of_a_test.parts:Walker
twice = other_of_a_test.parts:Eager

[vnla.advisors]
chatty = other_of_a_test.parts:Chatty

[vnla.sensors]
nose = other_of_a_test.parts:Nose

[vnla.senses]
nostril = other_of_a_test.parts:Nose

[vnla.encoders]
blind = other_of_a_test.parts:Blind

[vnla.metrics]
luck = other_of_a_test.parts:luck

[vnla.objectives]
rare = other_of_a_test.parts:Rare

[vnla.worlds]
village = other_of_a_test.parts:Village
"""


def write_package(folder: Path, name: str, entries: str) -> None:
    """A package as an installer leaves it."""
    described = folder / f"{name}-1.2.dist-info"
    described.mkdir(parents=True)
    (described / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name.replace('_', '-')}\nVersion: 1.2\n")
    (described / "entry_points.txt").write_text(entries)


@pytest.fixture
def other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two packages on the path."""
    site = tmp_path / "site"
    write_package(site, "other_of_a_test", ENTRIES)
    write_package(site, "third_of_a_test", "[vnla.help_policies]\ntwice = third_of_a_test:Eager\n")
    package = site / "other_of_a_test"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "parts.py").write_text(MODULE)
    (package / "broken.py").write_text("raise RuntimeError('no\\nluck')\n")
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.setattr(sys, "path", [*sys.path])
    for name in [name for name in sys.modules if name.startswith("other_of_a_test")]:
        monkeypatch.delitem(sys.modules, name)
    return site


@pytest.mark.usefixtures("other")
def test_every_kind_is_found_by_its_short_name() -> None:
    assert isinstance(agent_named("walker", {"stride": 3}, Sizes(9, {"a": 2})), PolicyAgent)
    assert help_policy("eager", {"times": 4}).times == 4  # type: ignore[attr-defined]
    assert make_encoder("blind").dimension == 1
    assert "luck" in metrics_named(["luck"])
    assert type(objective("rare")).__name__ == "ImitationObjective"
    assert len(list(world_source("village", {}).houses())) == 1
    assert find("sensor", "nose", {}).size == find("sensor", "nostril", {}).size == 1  # type: ignore[attr-defined]


@pytest.mark.usefixtures("other")
def test_nobody_takes_the_place_of_ours() -> None:
    assert help_policy("none") == Never()
    assert not isinstance(agent_named("paper", {"hidden": 4, "help_hidden": 4}, Sizes(9, {"a": 2})), PolicyAgent)


@pytest.mark.usefixtures("other")
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("gone", r"agent gone: cannot be imported from other-of-a-test 1\.2 \(ModuleNotFoundError: No module named"),
        (
            "broken",
            r"agent broken: cannot be imported from other-of-a-test 1\.2 \(RuntimeError: no luck, broken\.py line",
        ),
        (
            "nobody",
            "agent nobody: unknown; choose from paper, panorama, listener, broken, gone, walker, or name your own",
        ),
    ],
)
def test_what_cannot_be_imported_is_one_line_and_harms_no_other(name: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as error:
        agent_named(name, {}, Sizes(9, {"a": 2}))
    assert "\n" not in str(error.value)
    assert isinstance(agent_named("walker", {}, Sizes(9, {"a": 2})), PolicyAgent)


@pytest.mark.usefixtures("other")
def test_one_name_for_two_things_and_things_of_another_kind_are_refused() -> None:
    with pytest.raises(InputError, match=r"help policy twice: is offered by other-of-a-test 1\.2 .* and third-of-a-test"):
        help_policy("twice")
    with pytest.raises(InputError, match="help policy wrong: is not a class made from"):
        build("help policy", "wrong", HELP_POLICIES, {}, HelpPolicy)


def test_nothing_is_read_for_a_name_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: object) -> None:
        raise AssertionError("nobody asked for it")

    monkeypatch.setattr("vnla.common.registry.entry_points", refuse)
    assert help_policy("none") == Never()
    with pytest.raises(AssertionError):
        offers("agent")
    assert offers("hat") == [] and "hat" not in GROUPS


Vnla = Callable[..., str]


@pytest.fixture
def vnla(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Vnla:
    monkeypatch.setenv("COLUMNS", "160")

    def run(*arguments: str) -> str:
        with pytest.raises(SystemExit) as left:
            cli.main(list(arguments))
        said = capsys.readouterr()
        assert left.value.code == 0, said.err
        return said.out

    return run


@pytest.mark.usefixtures("other")
def test_the_list_has_ours_and_theirs_with_options(vnla: Vnla) -> None:
    listed = {
        each["name"]: each for each in json.loads(vnla("list", "agents", "--json"))["agents"] if each["source"] != "vnla"
    }
    assert listed["walker"] == {
        "name": "walker", "source": "other-of-a-test 1.2", "about": "Walks.", "options": {"stride": 2, "name": "Ann"},
        "problem": None,
    }  # fmt: skip
    assert listed["paper"]["problem"] == "hidden by vnla's own; choose it as other_of_a_test.parts:Walker"
    assert (
        listed["broken"]["problem"]
        == "cannot be imported from other-of-a-test 1.2 (RuntimeError: no luck, broken.py line 1)"
    )
    shown = vnla("list", "help-policies")
    assert "eager" in shown and "times=3" in shown and "offered twice" in shown and "learned" in shown
    assert json.loads(vnla("list", "senses", "--json")).keys() == {"sensors"}  # by its earlier name
    everything = json.loads(vnla("list", "--json"))
    assert set(everything) == {
        "agents", "advisors", "help-policies", "sensors", "objectives", "metrics", "encoders", "pictures", "worlds",
    }  # fmt: skip
    assert all(each["name"] and isinstance(each["options"], dict) for kind in everything.values() for each in kind)
    assert all(each["about"] for kind in everything.values() for each in kind if each["source"] == "vnla")


def test_the_real_process_finds_them(other: Path) -> None:
    program = [sys.executable, "-m", "vnla", "list", "hats"]
    source = Path(cli.__file__).parents[2]
    environment = {"PYTHONPATH": f"{source}:{other}", "OMP_NUM_THREADS": "1"}
    refused = subprocess.run(program, capture_output=True, text=True, env=environment, check=False)
    assert refused.returncode == 2 and refused.stderr.startswith(
        "vnla: error: hats: no such kind of part; choose from agents"
    )
    program[-1] = "sensors"
    listed = subprocess.run(program, capture_output=True, text=True, env=environment, check=True)
    assert "nose" in listed.stdout and "Smells." in listed.stdout
