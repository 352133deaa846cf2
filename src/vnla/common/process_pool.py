"""Processes that work for this one: how they are started, spoken with through a pipe, and ended.

    with process_pool(lambda: Member(work, given, name="vnla images", threads=1), count=4) as members:
        members[0].send(order)         # in the other process `work(pipe, given)` receives it
        answer = members[0].receive()

A process inherits nothing but the environment, so that threads and signal handlers of this one do no harm. Ctrl-C reaches
all processes of a terminal, but only the one that a person started takes it: the others never see it, from their first
moment, and are ended by whoever started them. They leave by themselves when that one is gone, however it went. What goes
wrong in them comes back as a `Failure`.

The module stays free of PyTorch, which takes longer to load than many a pool works.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from types import ModuleType
from typing import Any, TypeVar

from vnla.common.errors import InputError
from vnla.common.machine import lower_priority, threads_of_processes
from vnla.common.stopping import held_up

CONTEXT = multiprocessing.get_context("spawn")

GONE = (EOFError, BrokenPipeError, ConnectionResetError)
"""What a pipe raises when the process at its other end is gone."""

Given = TypeVar("Given")
Made = TypeVar("Made")


@dataclass(frozen=True)
class Failure:
    """What went wrong in another process: a line for people, and details for whoever mends it."""

    error: str
    details: str
    is_fault: bool
    """Whether it is our fault, and not that of what a person gave us."""

    @classmethod
    def of(cls, error: Exception) -> Failure:
        """Return the exception that is being handled, as it can be sent."""
        words, is_fault = " ".join(str(error).split()), not isinstance(error, InputError)
        return cls(f"{type(error).__name__}: {words}" if is_fault else words, traceback.format_exc(), is_fault)


class Member:
    """A process as seen by the one that started it."""

    def __init__(
        self, work: Callable[..., None], *given: Any, name: str, threads: int | None = None, daemon: bool = True
    ) -> None:
        """Starts a process that calls `work(pipe, *given)`, a function of a module, and leaves when it returns.

        Libraries in it use so many `threads`. It may start processes of its own if it is no `daemon`; whoever started it
        then has to end it.
        """
        self.pipe, theirs = CONTEXT.Pipe()
        self.process: BaseProcess = CONTEXT.Process(target=_begin, args=(work, theirs, given), name=name, daemon=daemon)
        with undisturbed(), threads_of_processes(threads), _without_program(work, *given):
            self.process.start()
        theirs.close()

    def send(self, what: object) -> None:
        """Send it something; raises one of `GONE` if it is gone."""
        self.pipe.send(what)

    def receive(self) -> Any:
        """Return what it sends next; waits for it, and raises one of `GONE` if it is gone."""
        return self.pipe.recv()

    def fate(self) -> str:
        """Return what became of a process that is gone, in words."""
        self.process.join()
        code = self.process.exitcode or 0
        return f"was killed by {signal.Signals(-code).name}" if code < 0 else f"left with status {code}"

    def leave(self, seconds: float) -> None:
        """Let it go: one that waits for orders leaves by itself, and what is still there after some seconds is killed."""
        self.pipe.close()
        self.leave_in(seconds)

    def leave_in(self, seconds: float) -> None:
        """Wait until it has left; what is still there after some seconds is killed."""
        self.process.join(seconds)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()

    def end(self) -> None:
        """End it at once, whatever it does."""
        self.dismiss()
        self.process.join()

    def dismiss(self) -> None:
        """Have it end, without waiting until it has."""
        self.pipe.close()
        self.process.terminate()


AnyMember = TypeVar("AnyMember", bound=Member)


@contextmanager
def _without_program(*given: object) -> Iterator[None]:
    """A process that is started in the block does not import the program that runs here, unless it is given a part of it.

    It needs functions of modules alone, and a script without `if __name__ == "__main__"` would begin anew in it.
    """
    program = sys.modules["__main__"]
    if not any("__main__" in (getattr(each, "__module__", ""), type(each).__module__) for each in given):
        sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = program


@contextmanager
def process_pool(start: Callable[[], AnyMember], count: int) -> Iterator[list[AnyMember]]:
    """So many processes, gone when the block ends."""
    members: list[AnyMember] = []
    try:
        with undisturbed():
            for _ in range(count):
                members.append(start())
        yield members
    finally:
        for member in members:
            member.dismiss()
        for member in members:
            member.end()


def mapped(function: Callable[[Given], Made], given: Sequence[Given], count: int, *, name: str) -> Iterator[Made]:
    """Return what `map(function, given)` gives, in that order, made by so many processes of one thread each."""
    made: dict[int, Made] = {}
    waiting = iter(enumerate(given))
    with process_pool(lambda: Member(_answer, function, name=name, threads=1), min(count, len(given))) as members:
        busy = {member.pipe: member for member in members}
        for member in members:
            member.send(next(waiting))
        for number in range(len(given)):
            while number not in made:
                for pipe in wait(list(busy)):
                    member = busy[pipe]  # type: ignore[index]
                    done, outcome = _received(member)
                    made[done] = outcome
                    following = next(waiting, None)
                    if following is None:
                        del busy[member.pipe]
                    else:
                        member.send(following)
            yield made.pop(number)


def in_background(
    function: Callable[[Given], Made], given: Sequence[Given], take: Callable[[Made], None], *, name: str
) -> None:
    """Call `take` with what `function` returns for each, in that order, when a process of low priority has made it. That
    process takes neither a core nor Python's lock from other work.

    It inherits its priority from a thread that starts it, and so has it from its first moment. Nobody waits for that thread
    when the program ends."""
    failed: list[InputError] = []

    def make() -> None:
        lower_priority()
        try:
            for made in mapped(function, given, 1, name=name):
                take(made)
        except InputError as error:
            failed.append(error)

    thread = threading.Thread(target=make, name="background", daemon=True)
    thread.start()
    thread.join()
    for error in failed:
        raise error


def _received(member: Member) -> tuple[int, Any]:
    try:
        number, outcome = member.receive()
    except GONE:
        raise InputError(f"a process ({member.process.name}) {member.fate()}; run the command again") from None
    return number, sound(outcome)


def sound(outcome: Made | Failure) -> Made:
    """Return what another process has made; raises what went wrong there instead."""
    if isinstance(outcome, Failure):
        raise RuntimeError(outcome.details) if outcome.is_fault else InputError(outcome.error)
    return outcome


def told(pipe: Connection, work: Callable[..., None], *given: object) -> None:
    """In the other process: `work(pipe, *given)`, and what is wrong with what it was given."""
    try:
        work(pipe, *given)
    except InputError as error:
        pipe.send(Failure.of(error))


def _answer(pipe: Connection, function: Callable[[Any], Any]) -> None:
    """In the other process: the function of everything that comes."""
    while True:
        number, given = pipe.recv()
        try:
            outcome = function(given)
        except Exception as error:
            outcome = Failure.of(error)
        pipe.send((number, outcome))


@contextmanager
def undisturbed() -> Iterator[None]:
    """Signals to stop wait until the block is over, and Ctrl-C never reaches a process that is started in it.

    A signal that is blocked stays blocked in a process that is started, until that says otherwise (`_begin`). Blocking alone
    would not hold it up here, where libraries have threads that take it.
    """
    resource_tracker.ensure_running()  # it is started with the first process, and would unblock what is blocked
    with held_up(signal.SIGINT, signal.SIGTERM):
        mask = _blocked() if hasattr(signal, "pthread_sigmask") else None
        try:
            yield
        finally:
            if mask is not None:
                signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _blocked() -> set[signal.Signals | int]:
    """Block Ctrl-C; what was blocked before."""
    return set(signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}))


def _begin(work: Callable[..., None], pipe: Connection, given: tuple[Any, ...]) -> None:
    """What a new process does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    with suppress(*GONE):  # there is nobody left to work for
        work(pipe, *given)


def _leave_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os.kill(os.getpid(), signal.SIGTERM)
