"""The plan of the house: imports run one way, and neither modules nor the packages that they are in need each other in a
circle.

What a part may know is told of the imports at the head of its modules, also of those under `TYPE_CHECKING`. A circle is one
wherever its imports stand, inside of functions too.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import networkx
import pytest

import vnla

SOURCE = Path(vnla.__file__).parent

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


@cache
def imports(*, late: bool = False) -> dict[str, frozenset[str]]:
    """Module → the modules of ours that it imports; with `late` also inside of functions."""
    paths = {name_of(path): path for path in SOURCE.rglob("*.py")}
    return {name: frozenset(_imports(path, set(paths), late) - {name}) for name, path in paths.items()}


def name_of(path: Path) -> str:
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imports(path: Path, modules: set[str], late: bool) -> set[str]:
    found = set()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree) if late else _heads(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: imports have the whole name of a module"
            inside = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {each if each in modules else str(node.module) for each in inside}
    return found & modules


def _heads(node: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child
        elif not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
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
        (name_of(path), alias.name)
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
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


def definitions(*kinds: type[ast.AST]) -> Iterator[tuple[str, ast.AST]]:
    """Return the nodes of these kinds with their modules."""
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, kinds):
                yield name_of(path), node


def test_the_package_has_few_rooms() -> None:
    assert len([path for path in SOURCE.iterdir() if (path / "__init__.py").is_file()]) <= MOST_ROOMS


def test_a_class_name_stands_for_one_class() -> None:
    homes: dict[str, list[str]] = {}
    for module, node in definitions(ast.ClassDef):
        assert isinstance(node, ast.ClassDef)
        if not node.name.startswith("_"):
            homes.setdefault(node.name, []).append(module)
    assert {name: modules for name, modules in homes.items() if len(modules) > 1} == {}


def test_functions_fit_on_a_screen() -> None:
    found = []
    for module, node in definitions(ast.FunctionDef, ast.AsyncFunctionDef):
        assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno is not None
        length = node.end_lineno - node.lineno + 1
        if length >= LONGEST_FUNCTION and not within(module, KERNELS):
            found.append(f"{module}.{node.name}: {length} lines")
    assert found == []
