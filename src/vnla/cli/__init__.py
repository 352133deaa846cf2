"""The `vnla` command. Each verb lives in a module of its own and is registered here by one line.

Whatever is wrong with what a person gave us ends as one line on stderr and exit status 2. Commands import what is heavy
(torch above all) inside their functions, so that `vnla --help` answers at once.
"""

from __future__ import annotations

import contextlib
import os
import sys
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any

import typer
import typer.main

from vnla import __version__
from vnla.cli import (
    advice,
    bench,
    benchmark,
    beyond,
    calibrate,
    ceilings,
    compare,
    demo,
    episodes,
    evaluate,
    features,
    listen,
    mcp,
    paper,
    parts,
    score,
    serve,
    speaker,
    study,
    tasks,
    train,
    tune,
    walk,
    watch,
    world,
)
from vnla.cli.help import CommandGroup, help_width
from vnla.common.custom_parts import blamed
from vnla.common.errors import INTERRUPTED, INTERRUPTION, InputError
from vnla.report.printing import harmless, make_printable

BAD_INPUT = 2
LONGEST = 1500
"""Characters of a complaint."""


class _InterruptError(Exception):
    """Ctrl-C, as it comes through Typer, whose own answer to it differs from version to version and says nothing."""


class _Verbs(CommandGroup):
    def make_context(self, *given: Any, **options: Any) -> Any:
        with _interruptions():
            return super().make_context(*given, **options)

    def invoke(self, ctx: Any) -> Any:
        with _interruptions():
            return super().invoke(ctx)


@contextlib.contextmanager
def _interruptions() -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        raise _InterruptError from None


app = typer.Typer(
    cls=_Verbs,
    help="Agents that find things in a house by sight and ask for help in language.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # help is text: Rich would take [default: …] for markup, and cut words in narrow terminals
)

# One line a verb.
app.command("demo")(demo.demo)
app.add_typer(world.app, name="world", cls=CommandGroup)
app.add_typer(features.app, name="features", cls=CommandGroup)
app.add_typer(tasks.app, name="tasks", cls=CommandGroup)
app.command("train")(train.train)
app.command("evaluate")(evaluate.evaluate)
app.command("score")(score.score)
app.command("compare")(compare.compare)
app.add_typer(benchmark.app, name="benchmark", cls=CommandGroup)
app.add_typer(episodes.app, name="episodes", cls=CommandGroup)
app.command("ceilings")(ceilings.ceilings)
app.command("calibrate")(calibrate.calibrate)
app.command("tune")(tune.tune)
app.command("watch")(watch.watch)
app.add_typer(advice.app, name="advice", cls=advice.AdviceGroup)
app.command("speaker")(speaker.speaker)
app.command("listen")(listen.listen)
app.command("serve")(serve.serve)
app.command("mcp")(mcp.mcp)
app.add_typer(study.app, name="study", cls=CommandGroup)
app.command("paper")(paper.paper)
app.command("beyond")(beyond.beyond)
app.command("walk")(walk.walk)
app.command("list")(parts.list_)
bench.register(app)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"vnla {__version__}")
        raise typer.Exit


@dataclass
class _Shown:
    """What is shown of errors."""

    traceback: bool = False


_shown = _Shown()


@app.callback()
def _options(
    version: Annotated[  # noqa: ARG001
        bool, typer.Option("--version", help="Print the version and exit.", callback=_version, is_eager=True)
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show the traceback of an error in a part of your own, not just one line.")
    ] = False,
) -> None:
    _shown.traceback = debug


@cache
def command() -> Any:
    """The commands as Typer makes them of our functions: once in a process, for it takes a good part of a second."""
    return typer.main.get_command(app)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave with its exit status."""
    _open_streams()
    make_printable(sys.stdout)
    make_printable(sys.stderr)
    sys.exit(_run(arguments))


def _open_streams() -> None:
    """Where the shell has closed a stream (`>&-`), what is written to it goes nowhere, and not into the next file."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode, encoding="utf-8"))


def _run(arguments: Sequence[str] | None) -> int:
    try:
        status = command()(args=arguments, prog_name="vnla", standalone_mode=False, terminal_width=help_width())
        sys.stdout.flush()
        return status if isinstance(status, int) else 0
    except InputError as error:
        return _complain(str(error), error.__cause__)
    except (_InterruptError, KeyboardInterrupt):
        with contextlib.suppress(BrokenPipeError):
            sys.stderr.write(INTERRUPTION)
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has left; nothing may be written when Python closes the stream.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        return _complain(f"{error.filename}: {error.strerror}" if error.filename else str(error))
    except Exception as error:
        return _refuse(error)


def _refuse(error: Exception) -> int:
    """Say what Typer says about the options, or that a part raised an error that is not ours; any other error is a fault of
    ours and goes on as it is.

    Typer's class for these has had several names, what it can do has stayed.
    """
    if not hasattr(error, "format_message"):
        line = blamed(error)
        if line is None:
            raise error
        return _complain(line if _shown.traceback else f"{line}; vnla --debug shows the traceback", error)
    message: str = error.format_message()
    context = getattr(error, "ctx", None)
    if context and "\n" in message and message == context.get_help():  # a command was named without its verb
        typer.echo(message)
        return BAD_INPUT
    end = "" if message.endswith((".", "?")) else "."
    return _complain(f"{message}{end} See {context.command_path if context else 'vnla'} --help")


def _complain(message: str, raised: BaseException | None = None) -> int:
    line = harmless(" ".join(message.split()))
    with contextlib.suppress(OSError):
        if raised is not None and _shown.traceback:
            sys.stderr.write("".join(map(harmless, traceback.format_exception(raised))))
        sys.stderr.write(f"vnla: error: {line if len(line) <= LONGEST else f'{line[:LONGEST]} …'}\n")
    return BAD_INPUT
