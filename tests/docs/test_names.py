"""What README, docs and docstrings name is there: modules and what is in them, files, pages, and the plan of the house."""

from __future__ import annotations

import ast
import importlib
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "vnla"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), ROOT / "results" / "README.md"]
MODULES = sorted(SOURCE.rglob("*.py"))

DOTTED = re.compile(r"(?<![\w./-])vnla(?:\.[A-Za-z_]\w*)+")
FILE = re.compile(r"(?<![\w./*<>-])((?:[\w-]+/)*[\w-]+\.(?:py|css|csv|json|txt|toml))(?![\w/*<>-])")
LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)")
FOLDER = re.compile(r"`((?:src/vnla|tests|docs|results|examples)(?:/[\w-]+)*/)`")


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


@pytest.mark.parametrize("path", [*PAGES, *MODULES], ids=lambda path: str(path.relative_to(ROOT)))
def test_dotted_names_exist(path: Path) -> None:
    assert [name for name in sorted(set(DOTTED.findall(text_of(path)))) if not exists(name)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_and_links_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    words = re.sub(r"\[[^\]]*\]\([^)]*\)", "", prose)
    sources = [name for name in FILE.findall(words) if name.endswith(".py") or name.startswith(("src/", "tests/"))]
    missing = [name for name in sources if not any((base / name).is_file() for base in (ROOT, SOURCE))]
    missing += [name for name in FOLDER.findall(prose) if not (ROOT / name).is_dir()]
    missing += [link for link in LINK.findall(prose) if not (page.parent / link).exists()]
    assert missing == []


def test_the_plan_of_the_house_has_every_part() -> None:
    plan = (ROOT / "README.md").read_text(encoding="utf-8").partition("## How it works")[2].partition("\n## ")[0]
    named = set(DOTTED.findall(plan))
    assert named
    assert all(map(exists, named))
    parts = {path.stem for path in SOURCE.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()}
    parts -= {"__init__", "__main__"}
    assert sorted(part for part in parts if not any(f"{name}.".startswith(f"vnla.{part}.") for name in named)) == []
