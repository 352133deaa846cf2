"""The `vnla` command. Each verb lives in a module of its own and is registered here by one line.

Whatever is wrong with what a person gave us ends as one line on stderr and exit status 2. Commands import what is heavy
(torch above all) inside their functions, so that `vnla --help` answers at once.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from vnla import __version__
from vnla.cli import bench, demo, evaluate, features, paper, tasks, train, walk, watch, world
from vnla.common.errors import INTERRUPTED, INTERRUPTION, InputError

BAD_INPUT = 2


class _InterruptError(Exception):
    """Ctrl-C, as it comes through Typer, whose own answer to it differs from version to version and says nothing."""


class _Verbs(TyperGroup):
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
    add_completion=False,
)

# One line a verb.
app.command("demo")(demo.demo)
app.add_typer(world.app, name="world")
app.add_typer(features.app, name="features")
app.add_typer(tasks.app, name="tasks")
app.command("train")(train.train)
app.command("evaluate")(evaluate.evaluate)
app.command("watch")(watch.watch)
app.command("paper")(paper.paper)
app.command("walk")(walk.walk)
app.add_typer(bench.app, name="bench")


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"vnla {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and leave.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    pass


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave with its exit status."""
    sys.exit(_run(arguments))


def _run(arguments: Sequence[str] | None) -> int:
    try:
        status = app(args=arguments, prog_name="vnla", standalone_mode=False)
        sys.stdout.flush()
        return status if isinstance(status, int) else 0
    except InputError as error:
        return _complain(str(error))
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
        usage = _usage(error)
        return _complain(usage) if usage else BAD_INPUT


def _usage(error: Exception) -> str:
    """What Typer says about the options; any other error is a fault of ours and goes on as it is.

    Typer's class for these has had several names, what it can do has stayed.
    """
    if not hasattr(error, "format_message"):
        raise error
    message: str = error.format_message()
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "vnla"
    # The message is empty where a command was named without its verb, and its help has been printed.
    return f"{message} See {command} --help" if message else ""


def _complain(message: str) -> int:
    with contextlib.suppress(BrokenPipeError):
        sys.stderr.write(f"vnla: error: {' '.join(message.split())}\n")
    return BAD_INPUT
