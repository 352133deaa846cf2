"""Work for crews in tests. It is done in other processes, so it is here and not in a test."""

from __future__ import annotations

import os
import signal
import sys
import time
from multiprocessing.connection import Connection

from vnla.common.errors import InputError
from vnla.common.machine import THREADS
from vnla.common.process_pool import Member, mapped, process_pool


def halved(number: int) -> int:
    """Half of an even number; the first of them take longest."""
    time.sleep(0.2 / (1 + number))
    if number % 2:
        raise InputError(f"{number} is odd")
    return number // 2


def divided(number: int) -> float:
    """One by a number."""
    return 1 / number


def die(_number: int) -> None:
    """Be killed."""
    os.kill(os.getpid(), signal.SIGKILL)


def surroundings(pipe: Connection) -> None:
    """Send back what a process is like."""
    ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    blocked = signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())
    pipe.send((ignored, blocked, [os.environ.get(name) for name in THREADS], "torch" in sys.modules))


def sleep(pipe: Connection) -> None:
    """Say who we are, and do nothing for long."""
    pipe.send(os.getpid())
    time.sleep(600)


def slow(number: int) -> int:
    """A number, after a while."""
    time.sleep(0.5)
    return number


def main() -> None:
    """Print the numbers of two sleepers, and wait."""
    with process_pool(lambda: Member(sleep, name="sleeper"), 2) as members:
        print(*(member.receive() for member in members), flush=True)
        time.sleep(600)


def count() -> None:
    """Say that we begin, and print what is mapped by three processes, as it comes."""
    print("begun", flush=True)
    for number in mapped(slow, range(1000), 3, name="slow"):
        print(number, flush=True)


if __name__ == "__main__":
    {"main": main, "count": count}[sys.argv[1]]()
