"""Small mistakes are made in the code, one at a time: each has to be noticed by the tests of that module.

A mutator of our own: `mutmut` first runs the whole suite to learn which test reaches what, which takes longer here than all
mutants of a module. A mutant runs in a copy of a process that has loaded the libraries, with the tests named in `MODULES`,
until the first of them fails. Words of messages, docstrings and types are left alone: tests hold what is said elsewhere.
"""

from __future__ import annotations

import ast
import importlib.machinery
import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[2]
SOURCE, TESTS = ROOT / "src" / "vnla", ROOT / "tests"

MODULES: dict[str, tuple[str, ...]] = {
    "roles/help_teacher.py": ("roles/test_help_teacher.py",),
    "world/budgets.py": ("world/test_budgets.py",),
    "roles/advisor.py": ("roles/test_advisor.py",),
    "roles/phrases.py": ("roles/test_phrases.py", "roles/test_advisor.py"),
    "evaluation/metrics.py": ("evaluation/test_metrics.py", "evaluation/test_scores.py"),
    "evaluation/scorers.py": ("evaluation/test_metrics.py", "evaluation/test_scores.py"),
    "common/files.py": ("common/test_files.py",),
    "world/compiled.py": ("world/test_compiled.py",),
    "world/graph.py": ("world/test_graph.py", "world/test_compiled.py"),
    "world/views.py": ("world/test_graph.py", "world/test_compiled.py"),
    "world/nav_teacher.py": ("world/test_compiled.py", "world/test_graph.py"),
    "world/actions.py": ("world/test_compiled.py", "roles/test_phrases.py"),
}
"""Of the package → what must notice."""

LEAST = 0.9
"""Of the mutants of a module."""

REASONS: tuple[tuple[str, str, str], ...] = ()
"""Module, a part of the line or of what was changed, and why a mutant there may survive."""

_SWAPS: dict[type[ast.AST], type[Any]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.Add: ast.Sub, ast.Sub: ast.Add,
    ast.Mult: ast.Add, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult, ast.Mod: ast.FloorDiv, ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip
_NAMES = {
    "min": "max", "max": "min", "argmin": "argmax", "argmax": "argmin", "any": "all", "all": "any", "floor": "ceil",
    "ceil": "floor", "zeros": "ones", "ones": "zeros", "zeros_like": "ones_like", "ones_like": "zeros_like", "sum": "mean",
    "sin": "cos", "cos": "sin", "amin": "amax", "amax": "amin",
}  # fmt: skip


class Mutant(NamedTuple):
    """A module with one mistake."""

    line: int
    what: str
    source: str


Change = Callable[[], Callable[[], None]]
"""Makes a mistake in a tree; gives what takes it back."""


def mutants_of(source: str) -> list[Mutant]:
    """All that can be made of a module."""
    tree = ast.parse(source)
    found = []
    for line, what, change in _changes(tree):
        back = change()
        found.append(Mutant(line, what, ast.unparse(tree)))
        back()
    return found


def _changes(tree: ast.Module) -> Iterator[tuple[int, str, Change]]:
    for node in _code(tree):
        line = getattr(node, "lineno", 0)
        if isinstance(node, ast.Compare) and type(node.ops[0]) in _SWAPS:
            yield line, _told(node.ops[0]), _set(node.ops, 0, _SWAPS[type(node.ops[0])]())
        elif isinstance(node, ast.BinOp | ast.AugAssign | ast.BoolOp) and type(node.op) in _SWAPS:
            yield line, _told(node.op), _put(node, "op", _SWAPS[type(node.op)]())
        elif isinstance(node, ast.Constant):
            yield from ((line, f"{node.value!r} → {new!r}", _put(node, "value", new)) for new in _others(node.value))
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub | ast.Invert):
            yield line, f"without {_told(node.op)}", _without(node)
        elif isinstance(node, ast.Attribute) and node.attr in _NAMES:
            yield line, f"{node.attr} → {_NAMES[node.attr]}", _put(node, "attr", _NAMES[node.attr])
        elif isinstance(node, ast.Name) and node.id in ("min", "max", "any", "all"):
            yield line, f"{node.id} → {_NAMES[node.id]}", _put(node, "id", _NAMES[node.id])
        elif isinstance(node, ast.If | ast.IfExp | ast.While):
            yield line, "condition turned round", _put(node, "test", ast.UnaryOp(ast.Not(), node.test))
        elif isinstance(node, ast.Return) and node.value is not None and not _is(node.value, None):
            yield line, "return None", _put(node, "value", ast.Constant(None))
        elif isinstance(node, ast.Break | ast.Continue):
            yield (
                line,
                "break ↔ continue",
                _put(node, "__class__", ast.Break if isinstance(node, ast.Continue) else ast.Continue),
            )


def _code(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of a tree that do something: no docstrings, types, decorators or words of messages."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_comment", "type_params", "exc", "bases"):
            continue
        for each in value if isinstance(value, list) else [value]:
            if not isinstance(each, ast.AST) or isinstance(each, ast.JoinedStr | ast.Import | ast.ImportFrom):
                continue
            if isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant):
                continue
            yield each
            yield from _code(each)


def _others(value: object) -> Iterator[object]:
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield value + 1
    elif isinstance(value, float):
        yield value * 2 + 1
    elif isinstance(value, str) and value:
        yield f"X{value}X"


def _put(node: Any, name: str, value: Any) -> Change:
    def change() -> Callable[[], None]:
        before = getattr(node, name)
        setattr(node, name, value)
        return lambda: setattr(node, name, before)

    return change


def _without(node: ast.UnaryOp) -> Change:
    """−x becomes +x, and `not x` or ~x the same twice, which is x."""
    if isinstance(node.op, ast.USub):
        return _put(node, "op", ast.UAdd())
    return _put(node, "operand", ast.UnaryOp(node.op, node.operand))


def _set(values: list[Any], place: int, value: Any) -> Change:
    def change() -> Callable[[], None]:
        before = values[place]
        values[place] = value
        return lambda: values.__setitem__(place, before)

    return change


def _told(operator: ast.AST) -> str:
    return type(operator).__name__


def _is(node: ast.AST, value: object) -> bool:
    return isinstance(node, ast.Constant) and node.value is value


def _survivor(module: str, mutant: Mutant, code: str) -> dict[str, Any]:
    reason = next((why for place, part, why in REASONS if place == module and part in f"{code} {mutant.what}"), "")
    return {"line": mutant.line, "what": mutant.what, "code": code, "reason": reason}


def noticed(module: str, source: str, tests: Sequence[str], seconds: float) -> tuple[bool, float]:
    """Whether the tests fail with a module of that source, and how long they took."""
    began = time.monotonic()
    process = os.fork()
    if not process:
        _test(SOURCE / module, source, [str(TESTS / each) for each in tests])
    while True:
        number, status = os.waitpid(process, os.WNOHANG)
        took = time.monotonic() - began
        if number:
            return status != 0, took
        if took > seconds:
            os.killpg(process, signal.SIGKILL) if os.getpgid(process) == process else os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
            return True, took
        time.sleep(0.02)


def _test(module: Path, source: str, tests: list[str]) -> None:
    """In a process of its own: the tests, with another source of the module."""
    status = 3
    try:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_DATA, (8 << 30, 8 << 30))
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nowhere, stream)
        usual = importlib.machinery.SourceFileLoader.get_code

        def get_code(self: importlib.machinery.SourceFileLoader, name: str) -> Any:
            return compile(source, self.path, "exec") if self.path == str(module) else usual(self, name)

        importlib.machinery.SourceFileLoader.get_code = get_code  # type: ignore[method-assign]
        import pytest

        os.chdir(ROOT)
        status = int(pytest.main(["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:randomly", *tests]))
    except BaseException:
        status = 3
    finally:
        os._exit(status)


def mutants(work: Path, seed: int, most: int | None, only: Sequence[str] = ()) -> Iterator[dict[str, Any]]:
    """A report on each module: all mutants, or `most` of them drawn by the seed."""
    del work
    for name in ("torch", "numpy", "scipy.sparse.csgraph", "hypothesis", "pytest", "networkx", "rich.console"):
        __import__(name)
    os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", "/nonexistent")
    sys.path[:0] = [path for path in (str(ROOT / "src"), str(TESTS)) if path not in sys.path]
    for module, tests in MODULES.items():
        if only and module not in only:
            continue
        source = (SOURCE / module).read_text(encoding="utf-8")
        fails, took = noticed(module, source, tests, 600)
        if fails:
            raise RuntimeError(f"{module}: its tests fail as it is")
        every = mutants_of(source)
        chosen = every if most is None or most >= len(every) else Random(f"{seed} {module}").sample(every, most)
        survivors = [
            _survivor(module, each, source.splitlines()[each.line - 1].strip())
            for each in sorted(chosen)
            if not noticed(module, each.source, tests, 20 + 8 * took)[0]
        ]
        share = 1 - len([each for each in survivors if not each["reason"]]) / max(1, len(chosen))
        yield {
            "module": module,
            "mutants": len(chosen),
            "of": len(every),
            "killed": len(chosen) - len(survivors),
            "survivors": survivors,
            "wrong": [{"wrong": f"{share:.0%} are noticed or have a reason"}] if share < LEAST else [],
        }
