"""The public names: what `import vnla` gives and costs, that pages and examples need nothing else, and that functions do as
commands do."""

from __future__ import annotations

import ast
import inspect
import json
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import vnla
from cottage_run import write_cottage
from pages import PAGES, ROOT
from vnla.cli import evaluate, train, world
from vnla.cli.asking import asked
from vnla.houses.folder import write_manifest

SOURCE = Path(vnla.__file__).parents[1]
PAGE = ROOT / "docs" / "python.md"
PYTHON = re.compile(r"^( *)```python\n(.*?)^\1```$", re.DOTALL | re.MULTILINE)


def test_importing_it_loads_next_to_nothing() -> None:
    program = "import json, sys; before = {*sys.modules}; import vnla; print(json.dumps(sorted({*sys.modules} - before)))"
    environment = {"PYTHONPATH": str(SOURCE)}
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment)
    loaded = json.loads(answer.stdout)
    assert [name for name in loaded if name.startswith(("torch", "numpy", "typer", "vnla."))] == []
    assert len(loaded) < 40


class TestNames:
    @pytest.mark.parametrize("name", [name for name in vnla.__all__ if name != "__version__"])
    def test_each_is_there_and_says_what_it_is(self, name: str) -> None:
        found = getattr(vnla, name)
        assert (found.__doc__ or "").strip()
        assert not inspect.isclass(found) or found.__name__ == name
        assert name in dir(vnla)

    def test_type_checkers_see_the_same(self) -> None:
        tree = ast.parse((SOURCE / "vnla" / "__init__.py").read_text(encoding="utf-8"))
        [checked] = [node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
        seen = {alias.name: node.module for node in checked.body if isinstance(node, ast.ImportFrom) for alias in node.names}
        assert seen == {**vnla._HOMES, "gym": "vnla", "mattersim": "vnla"}
        assert sorted(vnla.__all__) == sorted({*seen, "__version__"})

    def test_the_page_has_a_line_on_each(self) -> None:
        rows = re.findall(r"^\| `(\w+)` \| .+ \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
        assert sorted(rows) == sorted(vnla.__all__)

    def test_what_is_not_there_is_told(self) -> None:
        with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
            vnla.nothing  # noqa: B018


ENOUGH = {"vnla", "vnla.gym", "vnla.mattersim"}
INTERNAL = {
    "examples/agent_server.py": ("the wire protocol, read and written", "vnla.remote."),
    "examples/guide.py": ("frames, what an advisor says of a house", "vnla.language. vnla.camera vnla.world.compiled"),
    "examples/bcui_single_file.py": ("Algorithm 1 beside the package's own", "vnla."),
    "docs/answers.md": ("how many agents step at once in the compiled world", "vnla.world.compiled"),
    "docs/task.md": ("the compiled world and what the advisor says in it", "vnla.world.compiled vnla.assistance.advisor"),
    "docs/ceilings.md": ("what is left to win", "vnla.evaluation.ceilings."),
    "docs/episodes.md": ("recordings, batch by batch", "vnla.recordings."),
    "docs/scores.md": ("the teacher's walks, which it scores", "vnla.recordings."),
    "docs/language.md": ("how sentences are understood", "vnla.language."),
    "docs/mattersim.md": ("files of Matterport3D", "vnla.houses.matterport"),
    "docs/remote.md": ("a view in words", "vnla.vision.symbols"),
    "docs/vision.md": ("the feature store", "vnla.vision. vnla.world.compiled"),
}
"""Page or example → what it is about that is internal, and the modules that it may therefore import."""


def shown() -> dict[str, list[str]]:
    """Page or example → the Python in it."""
    found = {str(path.relative_to(ROOT)): [path.read_text(encoding="utf-8")] for path in (ROOT / "examples").glob("*.py")}
    for page in PAGES:
        blocks = [textwrap.dedent(text) for _, text in PYTHON.findall(page.read_text(encoding="utf-8"))]
        if blocks:
            found[str(page.relative_to(ROOT))] = blocks
    cells = json.loads((ROOT / "examples" / "notebook.ipynb").read_text(encoding="utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    found["examples/notebook.ipynb"] = [each for each in code if not each.startswith("%")]
    return found


def imported(text: str) -> Iterator[str]:
    """The modules of ours that a program imports, also one that it writes to a file."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.partition(".")[0] == "vnla")
        elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "vnla":
            inside = [f"vnla.{alias.name}" for alias in node.names if alias.name not in vnla.__all__]
            yield from inside if node.module == "vnla" else [str(node.module)]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and "\nfrom vnla" in node.value:
            yield from imported(node.value)


@pytest.mark.parametrize("name", shown())
def test_pages_and_examples_import_public_names(name: str) -> None:
    allowed = tuple(INTERNAL[name][1].split()) if name in INTERNAL else ()
    deep = {module for text in shown()[name] for module in imported(text)} - ENOUGH
    assert [module for module in sorted(deep) if not module.startswith(allowed or "-")] == []
    assert deep or name not in INTERNAL, f"{name} is no exception any more"


class Somebody:
    """A class in a module."""


class TestAsking:
    def test_values_are_what_a_person_would_type(self) -> None:
        given = asked(
            train.train, ["run"],
            {"seed": [0, 1], "help_policy": ["none", Somebody], "agent_option": {"hidden": 8, "name": "1"}, "easy": True,
             "fold": "-2/5", "timed": False, "features": None},
        )  # fmt: skip
        assert given["run"] == [Path("run")]
        assert (given["seed"], given["fold"], given["easy"], given["timed"]) == ("0,1", "-2/5", True, False)
        assert given["help_policy"] == f"none,{Somebody.__module__}:Somebody"
        assert given["agent_option"] == ["hidden=8", 'name="1"']
        assert asked(world.make, ["out"], {"storeys": (1, 2)})["storeys"] == "1..2"
        assert asked(evaluate.evaluate, [], {"split": ["val_seen", "val_unseen"]})["split"] == ["val_seen", "val_unseen"]

    def test_an_option_may_have_its_older_name(self) -> None:
        given = asked(train.train, ["run"], {"sense": ["clock", "been"], "veil": 0.25, "tau": 0.5})
        assert (given["sensor"], given["feature_dropout"], given["ratio"]) == ("clock,been", 0.25, 0.5)

    @pytest.mark.parametrize(
        ("given", "said"),
        [
            ({"iteration": 3}, r"^train: has no option iteration; did you mean iterations\?$"),
            ({"iterations": -1}, r"'--iterations'"),
            ({"hidden": "wide"}, r"'--hidden'"),
            ({"easy": 1}, r"^--easy: takes True or False, not 1$"),
            ({"rules": {"a": 1}}, r"^--rules: takes no mapping; its value is LETTERS$"),
            ({"shard": "1/2"}, r"^train: has no option shard"),
        ],
    )
    def test_what_is_wrong_is_one_line(self, tmp_path: Path, given: Any, said: str) -> None:
        with pytest.raises(vnla.InputError, match=said):
            vnla.train(tmp_path / "run", **given)
        assert not (tmp_path / "run").exists()

    def test_a_class_that_no_run_could_find_again_is_refused(self, tmp_path: Path) -> None:
        class Hidden:
            pass

        with pytest.raises(vnla.InputError, match="move it into a module of yours"):
            vnla.train(tmp_path / "run", agent=Hidden)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    """A folder with runs/none and runs/learned, the cottage, and its tasks."""
    folder = tmp_path_factory.mktemp("trained")
    place, data = write_cottage(folder)
    small: Any = {"world": place, "tasks": data, "features": "symbolic", "hidden": 8, "batch": 6, "iterations": 2}
    for policy in ("none", "learned"):
        assert vnla.train(folder / "runs" / policy, help_policy=policy, **small) == [folder / "runs" / policy]
    return folder, place, data


class TestFunctions:
    def test_a_run_goes_on_and_keeps_what_it_was(self, tmp_path: Path) -> None:
        place, data = write_cottage(tmp_path)
        small: Any = {"features": "symbolic", "hidden": 8, "batch": 6}
        vnla.train(tmp_path / "run", world=place, tasks=data, iterations=1, **small)
        vnla.train(tmp_path / "run", iterations=2)
        assert json.loads((tmp_path / "run" / "config.json").read_text())["training"]["iterations"] == 2
        with pytest.raises(vnla.InputError, match="--hidden: this run has 8, you gave 16; give a new folder"):
            vnla.train(tmp_path / "run", hidden=16)

    def test_results_are_scored_and_compared(self, trained: tuple[Path, Path, Path], tmp_path: Path) -> None:
        folder, place, data = trained
        for policy in ("none", "learned"):
            found = vnla.evaluate(folder / "runs" / policy, split="test_seen", seeds=2, results=tmp_path / policy)
            assert list(found) == ["test_seen"]
            assert found["test_seen"].scores.success.shape == (2, 6)
            entry = vnla.score(tmp_path / policy / "test_seen.json", place, data)
            assert entry.split in ("test_seen", "test_unseen")  # the cottage has the same tasks in each
            assert entry.figure("success_rate").value == found["test_seen"].figure("success_rate").each[0]
        compared = vnla.compare(tmp_path / "none", tmp_path / "learned", world=place, tasks=data, out=tmp_path / "report")
        assert [entry.name for entry in compared.entries] == ["none", "learned"]
        assert compared.difference("success_rate").value == compared.pairs[0].difference("success_rate").value
        assert (tmp_path / "report" / "report.html").exists()
        with pytest.raises(vnla.InputError, match="figure luck: these episodes do not tell it; they tell success_rate"):
            found["test_seen"].figure("luck")

    def test_a_loaded_agent_walks_and_is_evaluated_as_its_run(self, trained: tuple[Path, Path, Path]) -> None:
        run = trained[0] / "runs" / "learned"
        loaded = vnla.load_agent(run, checkpoint="last")
        walk = loaded.walk(split="test_seen", episode="2_0")
        assert walk.task == loaded.tasks("test_seen")[2]
        assert walk.steps
        ours, its = (
            vnla.evaluate(each, split="test_seen", seeds=1, checkpoint="last")["test_seen"] for each in (loaded, run)
        )
        assert ours.as_dict() == its.as_dict()
        assert loaded.as_policy().name == "learned"  # type: ignore[attr-defined]

    def test_who_is_no_run_is_evaluated_too(self, trained: tuple[Path, Path, Path]) -> None:
        _, place, data = trained
        found = vnla.evaluate(agent="scripted", world=place, tasks=data, split="test_seen", subset=2)
        assert found["test_seen"].scores.success.shape == (1, 2)
        with pytest.raises(vnla.InputError, match="--agent: say which --tasks goes with --world, or leave both out"):
            vnla.evaluate(agent="scripted", world=place)
        with pytest.raises(vnla.InputError, match="say which run to evaluate, or which agent"):
            vnla.evaluate()

    def test_several_runs_are_evaluated_one_by_one(self, trained: tuple[Path, Path, Path]) -> None:
        with pytest.raises(vnla.InputError, match="holds several runs; evaluate them one by one"):
            vnla.evaluate(trained[0] / "runs")

    def test_worlds_are_brought_in(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.syspath_prepend(ROOT / "examples")
        Hotels = import_module("world_source").Hotels  # noqa: N806
        hotels = vnla.import_world(Hotels(rooms=4), tmp_path / "hotels")
        assert [len(house.rooms) for house in hotels.houses] == [5, 5, 5]
        named = vnla.import_world(Hotels, tmp_path / "named", option={"rooms": 4})
        assert named.houses == hotels.houses
        assert vnla.import_world("cottage", tmp_path / "cottage").houses[0].name == "cottage"
        plain = vnla.import_world(ROOT / "examples" / "world.json", tmp_path / "plain")
        assert vnla.load_world(plain).houses == plain.houses
        made = vnla.make_tasks(hotels, tmp_path / "tasks", fewest=1, size=2)
        assert vnla.load_tasks(made).split("train") == made.split("train")
        with pytest.raises(vnla.InputError, match="import_json: has no option scans"):
            vnla.import_world("some.json", tmp_path / "other", scans="scans")
        with pytest.raises(vnla.InputError, match="exists"):
            vnla.import_world("cottage", tmp_path / "cottage")

    def test_houses_are_made_as_the_command_makes_them(self, tmp_path: Path) -> None:
        with pytest.raises(vnla.InputError, match="preset large: unknown; choose from small, paper"):
            vnla.make_world(tmp_path / "world", preset="large")
        assert not list(tmp_path.iterdir())

    def test_features_are_made_once(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.syspath_prepend(ROOT / "examples")
        place = vnla.import_world("cottage", tmp_path / "cottage")
        write_manifest(place.choosing(pictures={"source": "pictures:Painted", "options": {}}))
        made = vnla.make_features(place, encoder="pixels", workers=1)
        assert made.header.encoder == "pixels"
        assert vnla.make_features(place, encoder="pixels").sha256 == made.sha256

    def test_parts_are_found_by_name(self) -> None:
        assert vnla.find_part("help-policies", "learned").__name__ in dir(import_module("vnla.assistance.help_policies"))
        assert vnla.find_part("sensors", f"{Somebody.__module__}:Somebody") is sys.modules[Somebody.__module__].Somebody
        assert "paper" in [each["name"] for each in vnla.list_parts("agents")["agents"]]
        for ask in (vnla.list_parts, lambda kind: vnla.find_part(kind, "paper")):
            with pytest.raises(vnla.InputError, match="agent: no such kind of part; choose from agents, advisors"):
                ask("agent")


def test_the_environments_are_known_once_they_are_used() -> None:
    import gymnasium

    assert vnla.gym.ASK_NAV in gymnasium.registry


@pytest.mark.slow
def test_the_example_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a script: what it starts must not run it again."""
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.setenv("PYTHONPATH", str(SOURCE))
    [(_, text)] = PYTHON.findall(PAGE.read_text(encoding="utf-8"))
    (tmp_path / "script.py").write_text(text, encoding="utf-8")
    answer = subprocess.run([sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    assert [line.split()[0] for line in answer.stdout.splitlines()][:2] == ["none", "learned"]
    assert (tmp_path / "results" / "learned" / "test_unseen.json").exists()
