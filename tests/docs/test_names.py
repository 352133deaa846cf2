"""What README, docs and docstrings name is there: modules and what is in them, files, pages, and the plan of the house."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from functools import cache
from pathlib import Path

from in_turn import in_turn
from pages import PAGES, ROOT
from vnla.common.registry import EARLIER_GROUPS, GROUPS

SOURCE = ROOT / "src" / "vnla"
MODULES = sorted(SOURCE.rglob("*.py"))

DOTTED = re.compile(r"(?<![\w./-])vnla(?:\.[A-Za-z_]\w*)+")
FILE = re.compile(r"(?<![\w./*<>-])((?:[\w-]+/)*[\w-]+\.(?:py|css|csv|json|txt|toml))(?![\w/*<>-])")
LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)")
CALL = re.compile(r"`(?:\w+=)?([A-Z]\w+)\(((?:\w+=[^`]*)?)\)`")
MEMBER = re.compile(r"`([A-Z][a-z]\w*)\.([a-z]\w*)`")
FOLDER = re.compile(r"`((?:src/vnla|tests|docs|results|examples)(?:/[\w-]+)*/)`")


def shown(path: Path) -> str:
    return str(path.relative_to(ROOT))


def text_of(path: Path) -> str:
    """A page, or the docstrings and comments of a module."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        return text
    documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    docs = [ast.get_docstring(node) or "" for node in ast.walk(ast.parse(text)) if isinstance(node, documented)]
    comments = [line.partition("# ")[2] for line in text.splitlines() if "# " in line]
    return "\n".join([*docs, *comments])


@cache
def exists(name: str) -> bool:
    """Whether a dotted name is a module, or something in one."""
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        path = SOURCE.parent.joinpath(*parts[:end])
        if path.is_dir() or path.with_suffix(".py").is_file():
            found: object = importlib.import_module(".".join(parts[:end])) if end < len(parts) else None
            for part in parts[end:]:
                if not hasattr(found, part):
                    return False
                found = getattr(found, part)
            return True
    return False


@in_turn("path", [*PAGES, *MODULES], shown)
def test_dotted_names_exist(path: Path) -> None:
    names = set(DOTTED.findall(text_of(path))) - {*GROUPS.values(), *EARLIER_GROUPS.values()}
    assert [name for name in sorted(names) if not exists(name)] == []


@in_turn("page", PAGES, shown)
def test_files_and_links_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    words = re.sub(r"\[[^\]]*\]\([^)]*\)", "", prose)
    sources = [name for name in FILE.findall(words) if name.endswith(".py") or name.startswith(("src/", "tests/"))]
    missing = [name for name in sources if not any((base / name).is_file() for base in (ROOT, SOURCE))]
    missing += [name for name in FOLDER.findall(prose) if not (ROOT / name).is_dir()]
    missing += [link for link in LINK.findall(prose) if not (page.parent / link).exists()]
    assert missing == []


@cache
def classes() -> dict[str, list[str]]:
    """Name of a class of ours → the modules that have one of that name."""
    found: dict[str, list[str]] = {}
    for path in MODULES:
        module = ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts).removesuffix(".__init__")
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, []).append(module)
    return found


def has(name: str, options: set[str], members: set[str]) -> bool:
    """Whether a class of ours of that name can be made with these options and has these members."""
    for module in classes().get(name, []):
        found = getattr(importlib.import_module(module), name)
        there = {*dir(found), *getattr(found, "__annotations__", {})}
        if options <= set(inspect.signature(found).parameters) and members <= there:
            return not (options and inspect.isabstract(found))
    return False


@in_turn("page", PAGES, shown)
def test_classes_are_as_they_are_written(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    calls = [(name, set(re.findall(r"(\w+)=", options))) for name, options in CALL.findall(text)]
    assert [(name, options) for name, options in calls if not has(name, options, set())] == []
    members = [pair for pair in MEMBER.findall(text) if pair[0] in classes()]
    assert [(name, member) for name, member in members if not has(name, set(), {member})] == []


def test_the_plan_of_the_house_has_every_part() -> None:
    plan = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8").partition("## Modules")[2].partition("\n## ")[0]
    named = set(DOTTED.findall(plan))
    assert named
    assert all(map(exists, named))
    parts = {path.stem for path in SOURCE.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()}
    parts -= {"__init__", "__main__"}
    assert sorted(part for part in parts if not any(f"{name}.".startswith(f"vnla.{part}.") for name in named)) == []
