"""Small mistakes are made in the code, one at a time: each has to be noticed by the tests of that module.

A mutator of our own: `mutmut` first runs the whole suite to learn which test reaches what, which takes longer here than all
mutants of a module. A mutant runs in a copy of a process that has loaded everything but the module and what imports it, with
the tests named in `MODULES`, until the first of them fails: first those that noticed others, then the quick ones. Words of
messages, docstrings and types are left alone: tests hold what is said elsewhere.
"""

from __future__ import annotations

import ast
import importlib
import importlib.machinery
import json
import os
import resource
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[2]
SOURCE, TESTS = ROOT / "src" / "vnla", ROOT / "tests"

MODULES: dict[str, tuple[str, ...]] = {
    "assistance/help_teacher.py": ("assistance/test_help_teacher.py",),
    "world/budgets.py": ("world/test_budgets.py",),
    "assistance/advisor.py": ("assistance/test_advisor.py",),
    "assistance/phrases.py": ("assistance/test_phrases.py", "assistance/test_advisor.py"),
    "evaluation/scores.py": ("evaluation/test_measures.py", "evaluation/test_scores.py", "evaluation/test_metrics.py"),
    "evaluation/metrics.py": ("evaluation/test_metrics.py", "evaluation/test_measures.py"),
    "common/files.py": ("common/test_files.py",),
    "world/compiled.py": ("world/test_compiled.py",),
    "world/graph.py": ("world/test_graph.py", "world/test_compiled.py"),
    "camera.py": ("camera/test_views.py", "world/test_compiled.py"),
    "world/nav_teacher.py": ("world/test_compiled.py",),
    "world/actions.py": ("world/test_actions.py", "world/test_compiled.py"),
}
"""Of the package → what must notice."""

LEAST = 0.9
"""Of the mutants of a module, those left out that are no mistakes."""

PATIENCE = 3.0
"""A mutant may take so many times the processor time of the module as it is; one that takes more is noticed."""

EQUIVALENT: tuple[tuple[str, str, str], ...] = (
    ("assistance/help_teacher.py", "(dim=-1) without USub", "there are two axes, so the last is number 1"),
    ("assistance/help_teacher.py", "== FORWARD) without USub", "there are two axes, so the last is number 1"),
    ("evaluation/scores.py", "(trace.reason >= 0)", "reason 0 is NO_BUDGET, which is left out already"),
    ("evaluation/metrics.py", "np.where(budget < 0, 0, requests)", "who has no budget makes no request"),
    ("assistance/advisor.py", "def ready(self", "a default of a method that has no body"),
    ("common/files.py", "stream.readline(longest + 1)", "one character too many is refused like two"),
    ("common/files.py", "stream.read(limit + 1)", "one byte too many is refused like two"),
    ("common/files.py", "mask = os.umask(0)", "it is asked for and put back under a lock"),
    ("world/graph.py", "reshape(-1, 2)", "NumPy takes any negative number so"),
    ("world/nav_teacher.py", "→ 'X", "a name that only people read"),
    ("world/nav_teacher.py", "strict=True", "each case is a pair"),
    ("world/compiled.py", "strict=True", "they were made from the same houses"),
    ("world/compiled.py", "NOWHERE = -1 1 → 2", "any negative number is no viewpoint"),
    ("world/compiled.py", "NO_ROOM = -1 1 → 2", "any negative number is no room"),
    ("world/compiled.py", "np.append(target, 0)", "who is to stay never arrives"),
    ("world/nav_teacher.py", "np.where(bearing < 0", "0 and 360 degrees are the same bearing"),
    ("world/nav_teacher.py", "return ((heading > bearing)", "who looks there has it in view"),
)  # fmt: skip
"""Module, a part of the line or of what was changed, and why nothing changes."""

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
            if _is_for_types(each):
                continue
            yield each
            yield from _code(each)


def _is_for_types(node: ast.AST) -> bool:
    """`if TYPE_CHECKING:` and `TypeVar(…)`."""
    told = node.test if isinstance(node, ast.If) else node.func if isinstance(node, ast.Call) else None
    return isinstance(told, ast.Name) and told.id in ("TYPE_CHECKING", "TypeVar")


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


class Known(NamedTuple):
    """What a run of a module's tests has told."""

    loaded: list[str]
    """All modules, in the order in which they were loaded."""
    seconds: dict[str, float]
    """Of each test."""
    failed: list[str]
    took: float
    """Of the processor, in all."""


class _Watch:
    """Of pytest: runs the quick tests first, and says what came of them."""

    def __init__(self, first: Sequence[str], seconds: dict[str, float]) -> None:
        self.first, self.known = {name: place for place, name in enumerate(first)}, seconds
        self.seconds: dict[str, float] = {}
        self.failed: list[str] = []

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        items.sort(key=lambda item: (self.first.get(item.nodeid, len(self.first)), self.known.get(item.nodeid, 0.0)))

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.seconds[report.nodeid] = self.seconds.get(report.nodeid, 0.0) + report.duration
        if report.failed:
            self.failed.append(report.nodeid)


class Trial:
    """A module's tests, run with one source of it after the other."""

    def __init__(self, module: str, tests: Sequence[str], work: Path) -> None:
        """Runs them with the module as it is, and loads what does not depend on it."""
        self.module, self.tests = SOURCE / module, [str(TESTS / each) for each in tests]
        self._said = work / "mutant.json"
        self._first: list[str] = []
        self._known = Known([], {}, [], 600 / PATIENCE)
        self._known = self._run(self.module.read_text(encoding="utf-8")) or self._known
        if self._known.failed or not self._known.seconds:
            raise RuntimeError(f"{module}: its tests fail as it is: {self._known.failed}")
        _load(self._known.loaded, "vnla." + module.removesuffix(".py").replace("/", "."))

    def notices(self, source: str) -> bool:
        """Whether the tests fail with another source of the module."""
        known = self._run(source)
        for name in known.failed if known else ():
            self._first = [name, *(each for each in self._first if each != name)]
        return known is None or bool(known.failed) or not known.seconds

    def _run(self, source: str) -> Known | None:
        """What a copy of this process has found out; None if it was killed."""
        self._said.unlink(missing_ok=True)
        process = os.fork()
        if not process:
            self._be(source)
        deadline = time.monotonic() + 30 + 10 * PATIENCE * self._known.took
        while not os.waitpid(process, os.WNOHANG)[0]:
            if time.monotonic() > deadline:  # it waits for something, or else its time of the processor would be over
                os.kill(process, signal.SIGKILL)
            time.sleep(0.005)
        if self._said.exists():
            return Known(*json.loads(self._said.read_text(encoding="utf-8")))
        return None

    def _be(self, source: str) -> None:
        try:
            os.setsid()
            most = int(5 + PATIENCE * self._known.took)
            resource.setrlimit(resource.RLIMIT_CPU, (most, most))
            resource.setrlimit(resource.RLIMIT_DATA, (4 << 30, 4 << 30))
            nowhere = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(nowhere, stream)
            _put_in_place(self.module, source)
            import pytest

            os.chdir(ROOT)
            watch = _Watch(self._first, self._known.seconds)
            options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:randomly"]
            status = int(pytest.main([*options, *self.tests], plugins=[watch]))
            failed = watch.failed or ([] if status == 0 else ["collecting"])
            known = Known([*sys.modules], watch.seconds, failed, time.process_time())
            self._said.write_text(json.dumps(known), encoding="utf-8")
        finally:
            os._exit(0)


def _put_in_place(module: Path, source: str) -> None:
    """Have a module loaded from another source."""
    usual = importlib.machinery.SourceFileLoader.get_code

    def get_code(self: importlib.machinery.SourceFileLoader, name: str) -> Any:
        return compile(source, self.path, "exec") if self.path == str(module) else usual(self, name)

    importlib.machinery.SourceFileLoader.get_code = get_code  # type: ignore[method-assign]


class _MissingError(Exception):
    """A module that is not to be loaded."""


class _Without:
    """Finds no module of that name."""

    def __init__(self, name: str) -> None:
        self._name = name

    def find_spec(self, name: str, _path: object = None, _target: ModuleType | None = None) -> None:
        if name == self._name:
            raise _MissingError(name)


def _load(names: Sequence[str], but: str) -> None:
    """Load modules, but not one of them, nor those that need it."""
    without = _Without(but)
    sys.meta_path.insert(0, without)
    for name in names:
        if name.partition(".")[0] != "tests":
            try:
                importlib.import_module(name)
            except (Exception, SystemExit):  # it needs the module, or is a test, which pytest loads by its path
                continue
    sys.meta_path.remove(without)


def mutants(work: Path, seed: int, most: int | None, only: Sequence[str] = ()) -> Iterator[dict[str, Any]]:
    """A report on each module: all mutants, or `most` of them drawn by the seed."""
    work.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("TRITON_INTERPRET", "1")
    _prepare()
    for module, tests in MODULES.items():
        if only and module not in only:
            continue
        said = work / f"mutants of {module.replace('/', '-')}.json"
        said.unlink(missing_ok=True)
        process = os.fork()  # what does not depend on this module is loaded in it, and nowhere else
        if not process:
            try:
                said.write_text(json.dumps(_report(module, tests, work, seed, most)), encoding="utf-8")
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(0)
        os.waitpid(process, 0)
        if not said.exists():
            raise RuntimeError(f"{module}: could not be tried")
        yield json.loads(said.read_text(encoding="utf-8"))


def _prepare() -> None:
    """Load what all tests need; Hypothesis does not look for the smallest example, nor keeps any."""
    sys.path[:0] = [path for path in (str(ROOT / "src"), str(TESTS)) if path not in sys.path]
    for name in ("torch", "numpy", "scipy.sparse.csgraph", "pytest", "networkx", "rich.console"):
        importlib.import_module(name)
    from hypothesis import Phase, settings

    settings.register_profile(
        "mutants", phases=[Phase.explicit, Phase.generate], database=None, derandomize=True, deadline=None
    )
    settings.load_profile("mutants")


def _report(module: str, tests: Sequence[str], work: Path, seed: int, most: int | None) -> dict[str, Any]:
    source = (SOURCE / module).read_text(encoding="utf-8")
    trial = Trial(module, tests, work)
    every = mutants_of(source)
    chosen = every if most is None or most >= len(every) else Random(f"{seed} {module}").sample(every, most)
    survivors = []
    for mutant in sorted(chosen):
        if not trial.notices(mutant.source):
            survivors.append(_survivor(module, mutant, source.splitlines()[mutant.line - 1].strip()))
            print(f"{module}:{mutant.line}: {mutant.what}: {survivors[-1]['code']}", file=sys.stderr, flush=True)
    equivalent = sum(bool(each["reason"]) for each in survivors)
    share = 1 - (len(survivors) - equivalent) / max(1, len(chosen) - equivalent)
    return {
        "module": module,
        "mutants": len(chosen),
        "of": len(every),
        "killed": len(chosen) - len(survivors),
        "equivalent": equivalent,
        "survivors": survivors,
        "wrong": [{"wrong": f"{share:.0%} are noticed"}] if share < LEAST else [],
    }


def _survivor(module: str, mutant: Mutant, code: str) -> dict[str, Any]:
    reason = next((why for place, part, why in EQUIVALENT if place == module and part in f"{code} {mutant.what}"), "")
    return {"line": mutant.line, "what": mutant.what, "code": code, "reason": reason}
