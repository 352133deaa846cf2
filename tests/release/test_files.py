"""What a release consists of: the files of wheel and sdist, one version, licences that were read, forms and workflows."""

from __future__ import annotations

import re
import runpy
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "vnla"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def program(name: str) -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "release" / f"{name}.py"))


def test_the_wheel_has_every_file_of_the_package_and_nothing_else() -> None:
    found = {file.distribution_path for file in WheelBuilder(str(ROOT)).recurse_included_files()}
    there = [path for path in SOURCE.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    assert found == {str(path.relative_to(SOURCE.parent)) for path in there}
    needed = (
        "py.typed",
        *(
            f"agents/pretrained/{agent}/{name}"
            for agent in ("one_view", "panorama")
            for name in ("best_val_unseen.safetensors", "card.md", "config.json", "vocab.txt")
        ),
        "mattersim/drop_in/MatterSim.py",
    )
    assert {f"vnla/{name}" for name in (*needed, "serve/THIRD-PARTY.txt", "language/data/wordnet-licence.txt")} <= found
    page = (SOURCE / "serve" / "assets" / "index.html").read_text(encoding="utf-8")
    assert {f"vnla/serve{name}" for name in re.findall(r'(?:src|href)="(/assets/[^"]+)"', page)} <= found


def test_the_sdist_has_what_tests_and_pages_need() -> None:
    found = {file.distribution_path for file in SdistBuilder(str(ROOT)).recurse_included_files()}
    needed = (
        "Makefile",
        "benchmarks/commands.py",
        "constraints.txt",
        "docs/conf.py",
        "examples/agent.py",
        "tests/conftest.py",
        "web/package-lock.json",
    )
    assert {*needed, "src/vnla/bcui.py", "results/README.md", ".github/workflows/ci.yml"} <= found
    unwanted = (".venv/", "build/", "dist/", "docs/api/", "web/node_modules/")
    assert [name for name in sorted(found) if name.startswith(unwanted) or "__pycache__" in name] == []


def test_there_is_one_version_and_it_is_told() -> None:
    [version] = set(program("version")["versions"]().values())
    assert re.search(rf"^## {re.escape(version)}\b", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)


def test_pythons_are_those_that_are_tried() -> None:
    named = {each.rpartition(" ")[2] for each in PROJECT["classifiers"] if re.search(r"Python :: 3\.\d+$", each)}
    jobs = {path.stem: yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"] for path in WORKFLOWS}
    assert {*jobs["ci"]["test"]["strategy"]["matrix"]["python"]} == named
    assert {*jobs["release"]["try"]["strategy"]["matrix"]["python"]} == named
    assert PROJECT["requires-python"] == f">={min(named, key=lambda each: int(each[2:]))}"


def test_every_dependency_is_pinned() -> None:
    pins = [ROOT / "constraints.txt", ROOT / "docs" / "constraints.txt"]
    lines = [line for path in pins for line in path.read_text(encoding="utf-8").splitlines() if line[:1].isalpha()]
    pinned = {canonicalize_name(line.partition("==")[0]) for line in lines}
    extras = PROJECT["optional-dependencies"]
    named = [*PROJECT["dependencies"], *(each for extra, names in extras.items() if extra != "timm" for each in names)]
    assert {canonicalize_name(Requirement(each).name) for each in named} - pinned == set()


def test_every_licence_was_read_and_is_listed() -> None:
    licences = program("licences")
    found = {**licences["python"](), **licences["page"]()}
    assert {"torch", "typer", "three"} <= found.keys()
    assert [name for name, licence in found.items() if not licences["allowed"](licence)] == []
    listed = set(
        re.findall(r"^\| (\S+) \| .+ \|$", (ROOT / "docs" / "licences.md").read_text(encoding="utf-8"), re.MULTILINE)
    )
    assert found.keys() - listed == set(), "run make licences"
    notices = (SOURCE / "serve" / "THIRD-PARTY.txt").read_text(encoding="utf-8")
    assert set(re.findall(r"^(\S+)\n-+$", notices, re.MULTILINE)) == licences["page"]().keys()


def test_a_bill_of_materials_has_the_parts_of_the_page_once() -> None:
    add = program("page_parts")["add"]
    bill = add(add({"bomFormat": "CycloneDX", "components": [{"bom-ref": "torch==1", "name": "torch"}]}))
    assert [part["name"] for part in bill["components"]] == [
        "torch",
        "@preact/signals",
        "@preact/signals-core",
        "preact",
        "three",
    ]
    assert bill["components"][1]["purl"].startswith("pkg:npm/%40preact/signals@")


@pytest.mark.parametrize(
    ("expression", "fine"),
    [
        ("MIT", True),
        ("(MIT OR GPL-3.0-only)", False),
        ("Apache-2.0 WITH LLVM-exception", True),
        ("Proprietary", False),
        ("", False),
    ],
)
def test_licences_are_refused_unless_they_were_read(expression: str, fine: bool) -> None:
    assert program("licences")["allowed"](expression) is fine


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_use_exact_actions_and_few_rights(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    used = re.findall(r"uses: (\S+)", text)
    assert used
    assert [each for each in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", each)] == []
    workflow = yaml.safe_load(text)
    assert "permissions" in workflow
    writes = {name for name, job in workflow["jobs"].items() if "id-token" in job.get("permissions", {})}
    assert writes == ({"build", "publish"} if path.stem == "release" else set())
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"run: make ([\w-]+)", text)) <= targets
    assert all((ROOT / name).is_file() for name in re.findall(r"(release/\w+\.py)", text))


def test_forms_and_the_citation_can_be_read() -> None:
    forms = {path.stem: yaml.safe_load(path.read_text(encoding="utf-8")) for path in (ROOT / ".github").rglob("*.yml")}
    for name in ("fault", "idea", "numbers"):
        assert {"name", "description", "body"} <= forms[name].keys()
        identified = [part for part in forms[name]["body"] if part["type"] != "markdown"]
        assert len({part["id"] for part in identified}) == len(identified)
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["preferred-citation"]["year"] == 2019
    assert [each["family-names"] for each in citation["preferred-citation"]["authors"]] == [
        "Nguyen",
        "Dey",
        "Brockett",
        "Dolan",
    ]
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"][0]["hooks"]
    assert all(hook["entry"].startswith(".venv/bin/") for hook in hooks)
