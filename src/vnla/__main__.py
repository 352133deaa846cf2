"""The `vnla` command, as `python -m vnla` and as the console script.

It takes a moment to load. Ctrl-C ends it at once meanwhile, because nothing has begun, and does nothing any more when it is
over; between the two it reaches the command. Processes that the command starts import this module as well, so it loads
nothing by itself.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from importlib.machinery import ExtensionFileLoader, ModuleSpec, PathFinder
from types import FrameType, ModuleType
from typing import NoReturn

from vnla.common.errors import INTERRUPTED, INTERRUPTION
from vnla.common.stopping import held_up

_MOMENT = 0.02
"""Seconds."""


def main() -> None:
    """Run the command line and leave with its exit status."""
    # In the background a shell has Ctrl-C ignored, and so it stays.
    taken = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if taken:
        signal.signal(signal.SIGINT, _leave)
    from vnla.cli import main as command

    try:
        if taken:
            sys.unraisablehook = _heard_again
            _hold_up_while_loading()
            signal.signal(signal.SIGINT, signal.default_int_handler)
        command()
    except KeyboardInterrupt:
        _leave()
    except SystemExit as left:
        if left.code == INTERRUPTED:
            _leave_at_once()  # Python would go on to end by itself, and by SIGINT if that met a piece of text being run
        raise
    finally:
        if taken:
            signal.signal(signal.SIGINT, signal.SIG_IGN)


def _heard_again(lost: sys.UnraisableHookArgs) -> None:
    """Ctrl-C that came while something was being tidied up, where Python drops what is raised, comes again soon."""
    if issubclass(lost.exc_type, KeyboardInterrupt):
        threading.Timer(_MOMENT, os.kill, (os.getpid(), signal.SIGINT)).start()
    else:
        sys.__unraisablehook__(lost)


class _HeldUpLoader(ExtensionFileLoader):
    """Loads a compiled module; Ctrl-C waits until it is loaded, for one made by Cython drops whatever is raised then."""

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the module that `spec` describes."""
        with _held_up():
            return super().create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """Fill in `module`."""
        with _held_up():
            super().exec_module(module)


class _Finder(PathFinder):
    """Finds modules as Python does, and has compiled ones loaded by `_HeldUpLoader`."""

    @classmethod
    def find_spec(
        cls, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return where a module is and how it is loaded."""
        spec = super().find_spec(fullname, path, target)
        if spec is not None and type(spec.loader) is ExtensionFileLoader:
            spec.loader = _HeldUpLoader(spec.loader.name, spec.loader.path)
        return spec


def _hold_up_while_loading() -> None:
    """Put our finder in the place of Python's, from which importlib takes distributions, too."""
    if PathFinder in sys.meta_path:
        sys.meta_path[sys.meta_path.index(PathFinder)] = _Finder


def _held_up() -> AbstractContextManager[None]:
    return held_up(signal.SIGINT) if signal.getsignal(signal.SIGINT) is signal.default_int_handler else nullcontext()


def _leave_at_once() -> NoReturn:
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):
            stream.flush()
    os._exit(INTERRUPTED)


def _leave(_number: int = signal.SIGINT, _frame: FrameType | None = None) -> NoReturn:
    os.write(2, INTERRUPTION.encode())
    os._exit(INTERRUPTED)


if __name__ == "__main__":
    main()
