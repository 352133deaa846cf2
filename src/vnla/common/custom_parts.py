"""Error messages about custom parts: classes from outside this package that return something wrong, or raise an error.

A custom part is named on a command line or in a file (`vnla.common.registry`). Whatever is wrong with it is one line
that names the class and the method. `vnla.common.returned` holds tensors against what was expected.
"""

from __future__ import annotations

import importlib
import traceback
from pathlib import Path

OURS = __name__.partition(".")[0]
_PACKAGE, _IMPORTING = Path(__file__).parents[1], Path(importlib.__file__).parent

_named: dict[str, dict[str, str]] = {}
"""Module → the parts in it that were named → what lines call them."""


def is_ours(part: object) -> bool:
    """Return whether the class of a part belongs to this package."""
    return type(part).__module__.partition(".")[0] == OURS


def called(kind: str, part: object) -> str:
    """Return how a part is named in a line: its kind and its class, as one would name it on the command line."""
    own = type(part)
    return f"{kind} {own.__module__}:{own.__qualname__}"


def note(kind: str, name: str, target: str, part: object) -> None:
    """Remember that a part was named, found at `target`, so that errors in its module can name it."""
    for module in (target.partition(":")[0], getattr(part, "__module__", "")):
        if module and module.partition(".")[0] != OURS:
            _named.setdefault(module, {})[target.rpartition(":")[2]] = f"{kind} {name}"


def blamed(error: BaseException) -> str | None:
    """One line on an error that was raised in a custom part, or in what it called; None where none was involved."""
    frames = traceback.walk_tb(error.__traceback__)  # from the outermost to the innermost
    theirs = [(frame, line) for frame, line in frames if frame.f_globals.get("__name__") in _named]
    if not theirs:
        return None
    entry, (last, line) = theirs[0][0], theirs[-1]
    parts, method = _named[entry.f_globals["__name__"]], entry.f_code.co_qualname
    who = parts.get(method.partition(".")[0]) or next(iter(parts.values()))  # a bound advisor belongs to its advisor, say
    return f"{who}: {method} raised {error_line(error)} ({Path(last.f_code.co_filename).name}, line {line})"


def why(error: BaseException) -> str:
    """Return what went wrong in a custom part's module, in one line, and in which line of which file where there is one."""
    frames = traceback.extract_tb(error.__traceback__)
    theirs = [each for each in frames if not each.filename.startswith("<") and not _is_ours(Path(each.filename))]
    place = f", {Path(theirs[-1].filename).name} line {theirs[-1].lineno}" if theirs else ""
    return error_line(error) + place


def _is_ours(file: Path) -> bool:
    return file.is_relative_to(_PACKAGE) or file.is_relative_to(_IMPORTING)


def error_line(error: BaseException) -> str:
    """Return an error in one line: its class and what it says."""
    return " ".join(f"{type(error).__name__}: {error}".removesuffix(": ").split())
