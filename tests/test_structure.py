"""The plan of the house: imports run one way, and neither modules nor the packages that they are in need each other in a
circle.

What a part may know is told of the imports at the head of its modules, also of those under `TYPE_CHECKING`. A circle is one
wherever its imports stand, inside of functions too.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import networkx
import pytest

import vnla

SOURCE = Path(vnla.__file__).parent
BLOCKS = (ast.stmt, ast.ExceptHandler, ast.match_case)
"""What statements can be in; imports are no parts of expressions."""

NEVER = {
    "vnla.houses": ("vnla.world", "vnla.tasks", "vnla.agents", "vnla.training"),
    "vnla.world": ("vnla.assistance", "vnla.agents", "vnla.tasks"),
    "vnla.agents": ("vnla.houses", "vnla.tasks", "vnla.vision"),
    "vnla.evaluation": ("vnla.training",),
    "vnla.bcui": ("vnla.houses", "vnla.vision", "vnla.training", "vnla.cli"),
    "vnla.rollout": ("vnla.houses", "vnla.vision", "vnla.training", "vnla.cli"),
    "vnla.episode": ("vnla.houses", "vnla.vision", "vnla.training", "vnla.cli"),
}
"""Part of the house → what it does not know."""
ONLY = {
    "vnla.common": ("vnla.common",),
    "vnla.camera": ("vnla.camera",),
    "vnla.world": ("vnla.world", "vnla.camera", "vnla.houses.house", "vnla.houses.rooms", "vnla.common"),
}
"""Part of the house → all that it knows."""
MAY_IMPORT_CLI = ("vnla.cli", "vnla.__main__", "vnla.api")
"""`vnla.api` has the options of the commands, and calls what they call."""
FRONT = "vnla"
"""It names what others define, for type checkers, and imports it when it is used. So it is in no circle; in the package
nobody uses these names."""


def within(module: str, parts: tuple[str, ...]) -> bool:
    return any(module == part or module.startswith(f"{part}.") for part in parts)


@dataclass(frozen=True)
class Contents:
    """What the tests need to know of a module."""

    path: Path
    heads: tuple[ast.Import | ast.ImportFrom, ...]
    """The imports outside of functions."""
    imports: tuple[ast.Import | ast.ImportFrom, ...]
    """All imports."""
    classes: tuple[str, ...]
    functions: tuple[tuple[str, int], ...]
    """Name and number of lines."""


@cache
def contents() -> dict[str, Contents]:
    """Module → what is in it; each is parsed once for all tests."""
    return {name_of(path): _read(path) for path in SOURCE.rglob("*.py")}


def _read(path: Path) -> Contents:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    imports, classes, functions = list[ast.Import | ast.ImportFrom](), list[str](), list[tuple[str, int]]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            imports.append(node)
        elif isinstance(node, ast.ClassDef):
            classes.append(node.name)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno is not None
            functions.append((node.name, node.end_lineno - node.lineno + 1))
    return Contents(path, tuple(_heads(tree)), tuple(imports), tuple(classes), tuple(functions))


@cache
def imports(*, late: bool = False) -> dict[str, frozenset[str]]:
    """Module → the modules of ours that it imports; with `late` also inside of functions."""
    return {name: frozenset(_imports(each, late) - {name}) for name, each in contents().items()}


def name_of(path: Path) -> str:
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imports(of: Contents, late: bool) -> set[str]:
    found = set()
    for node in of.imports if late else of.heads:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        else:
            assert node.level == 0, f"{of.path}:{node.lineno}: imports have the whole name of a module"
            inside = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {each if each in contents() else str(node.module) for each in inside}
    return found & contents().keys()


def _heads(node: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child
        elif isinstance(child, BLOCKS) and not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _heads(child)


def circles(pairs: Iterable[tuple[str, str]]) -> list[list[str]]:
    graph = networkx.DiGraph([pair for pair in pairs if pair[0] != pair[1]])
    return [sorted(circle) for circle in networkx.strongly_connected_components(graph) if len(circle) > 1]


def inside() -> Iterator[tuple[str, str]]:
    """Pairs of modules of which one imports the other, wherever it does so."""
    return ((name, other) for name, others in imports(late=True).items() if name != FRONT for other in others)


def package(module: str, depth: int) -> str:
    """`vnla.agents` for all that is in it, at depth 2; `vnla.bcui` for itself."""
    return ".".join(module.split(".")[:depth])


def test_no_circle_of_modules() -> None:
    assert circles(inside()) == []


@pytest.mark.parametrize("depth", [2, 3, 4])
def test_no_circle_of_packages(depth: int) -> None:
    assert circles((package(name, depth), package(other, depth)) for name, other in inside()) == []


def test_nobody_inside_uses_the_names_of_the_front() -> None:
    taken = {
        (name, alias.name)
        for name, each in contents().items()
        for node in each.imports
        if isinstance(node, ast.ImportFrom) and node.module == FRONT
        for alias in node.names
    }
    names = {*vnla.__all__} - {"__version__", "gym", "mattersim"}
    assert [pair for pair in sorted(taken) if pair[1] in names] == []


@pytest.mark.parametrize("part", NEVER)
def test_what_a_part_does_not_know(part: str) -> None:
    found = [(name, other) for name, others in imports().items() if within(name, (part,)) for other in others]
    assert [pair for pair in found if within(pair[1], NEVER[part])] == []
    assert any(within(name, (part,)) for name in imports()), f"{part} is not there"


@pytest.mark.parametrize("part", ONLY)
def test_all_that_a_part_knows(part: str) -> None:
    found = [(name, other) for name, others in imports().items() if within(name, (part,)) for other in others]
    assert [pair for pair in found if not within(pair[1], ONLY[part])] == []


def test_nobody_imports_the_command() -> None:
    found = [(name, other) for name, others in imports().items() if not within(name, MAY_IMPORT_CLI) for other in others]
    assert [pair for pair in found if within(pair[1], ("vnla.cli",))] == []


MOST_ROOMS = 20
LONGEST_FUNCTION = 60
KERNELS = (
    "vnla.agents.layers.panels",
    "vnla.agents.fast.cpu.loops",
    "vnla.agents.fast.gpu.kernels",
    "vnla.houses.render.raster",
)
"""Compiled code, in which a call costs; a function may be longer there."""


def test_the_package_has_few_rooms() -> None:
    assert len([path for path in SOURCE.iterdir() if (path / "__init__.py").is_file()]) <= MOST_ROOMS


def test_a_class_name_stands_for_one_class() -> None:
    homes: dict[str, list[str]] = {}
    for module, each in contents().items():
        for name in each.classes:
            if not name.startswith("_"):
                homes.setdefault(name, []).append(module)
    assert {name: modules for name, modules in homes.items() if len(modules) > 1} == {}


def test_functions_fit_on_a_screen() -> None:
    found = [
        f"{module}.{name}: {length} lines"
        for module, each in contents().items()
        for name, length in each.functions
        if length >= LONGEST_FUNCTION and not within(module, KERNELS)
    ]
    assert found == []
