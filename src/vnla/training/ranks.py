"""Several processes that train one agent together, started by `torchrun`: who this one is, and what it tells the others.

Each has a part of every batch. Whatever their losses divide by they add up before, and gradients after, so that all take the
same steps; only the first one writes. They speak through gloo, and about what is on GPUs through NCCL, never inside a graph.

Nothing is pickled: what is not numbers is JSON in the store that `torchrun` provides.
"""

from __future__ import annotations

import json
import os
import platform
import socket
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import torch
from torch import Tensor
from torch import distributed as dist
from torch.distributed.distributed_c10d import PrefixStore, Store
from torch.distributed.rendezvous import rendezvous

import vnla
from vnla.agents.layers.dropout import BatchPart
from vnla.common import checksums
from vnla.common.errors import InputError
from vnla.common.stopping import Interrupted, Stop, signals_noted

ENVIRONMENT = ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")
"""What `torchrun` tells a process that it starts."""

PATIENCE = timedelta(seconds=50)
"""How long one that does not answer is waited for, once all are at work. One that is gone is noticed at once."""
FIRST_PATIENCE = timedelta(minutes=10)
"""The same while they load, compile and capture."""
_FIRST_ROUNDS = 3
_PAUSE = 0.02
_ASKING = 3.0


class LostRankError(InputError):
    """Another process is gone."""


class SaidAlreadyError(InputError):
    """Something is wrong, and another process has said what."""


@dataclass
class Ranks:
    """This process among those that train together."""

    rank: int
    size: int
    local: int
    """Its number on this machine."""
    _store: Store
    _brisk: dist.ProcessGroup | None = field(default=None, repr=False)
    lost: bool = False
    """Whether another one is gone."""
    _rounds: int = 0
    _meetings: int = 0

    @property
    def writes(self) -> bool:
        """Whether this is the one that writes files and says something."""
        return self.rank == 0

    def part(self, batch: int) -> BatchPart:
        """Which episodes of a batch are this one's."""
        if batch < self.size:
            raise InputError(f"a batch of {batch} cannot be shared by {self.size} processes; give a larger --batch")
        first, last = (number * batch // self.size for number in (self.rank, self.rank + 1))
        return BatchPart(first, last - first, batch)

    def add_up(self, values: Tensor) -> None:
        """The sum of everybody's values, in their place. On a GPU it is queued."""
        with self._losses():
            dist.all_reduce(values, group=None if values.is_cuda else self._group)

    def agree(self, stop: Stop, going: bool) -> bool:
        """Before each iteration: whether anybody has something left to do; a `stop` that one was given is everybody's."""
        heard = torch.tensor([stop.number or 0, int(going)])
        with self._losses():
            dist.all_reduce(heard, op=dist.ReduceOp.MAX, group=self._group)
        self._rounds += 1
        number, anybody = heard.tolist()
        if number and stop.number is None:
            stop.number, stop.times = int(number), 1
        return bool(anybody)

    @property
    def _group(self) -> dist.ProcessGroup | None:
        return self._brisk if self._rounds > _FIRST_ROUNDS else None

    @contextmanager
    def alike(self, about: dict[str, str]) -> Iterator[None]:
        """At the end of the block all have come this far, and what they know `about` themselves is the same; if one has
        failed in it, all leave, and the first that did says why."""
        place = f"meeting {self._meetings}"
        self._meetings += 1
        try:
            yield
        except InputError as error:
            self._tell(place, {"error": str(error)})
            told = self._hear(place)
            if any("error" in told[number] for number in range(self.rank)):
                raise SaidAlreadyError(str(error)) from None
            raise
        self._tell(place, {"host": socket.gethostname(), **about})
        told = self._hear(place)
        if any("error" in each for each in told):
            raise SaidAlreadyError("another process has failed")
        self._compare(told)

    def _compare(self, told: list[dict[str, str]]) -> None:
        first = told[0]
        for number, other in enumerate(told):
            for name in other:
                if name != "host" and other[name] != first.get(name):
                    line = (
                        f"process {number} on {other['host']} has {name} {other[name]}, but process 0 on {first['host']} has"
                        f" {first.get(name)}; all have to be alike"
                    )
                    raise InputError(line) if self.writes else SaidAlreadyError(line)

    def _tell(self, place: str, what: Mapping[str, str]) -> None:
        self._store.set(f"{place}/{self.rank}", json.dumps(dict(what)))

    def _hear(self, place: str) -> list[dict[str, str]]:
        """What everybody has told, in turn; waits for it in a way that signals can end."""
        keys = [f"{place}/{number}" for number in range(self.size)]
        deadline = time.monotonic() + FIRST_PATIENCE.total_seconds()
        while not self._store.check(keys):
            if time.monotonic() > deadline:
                raise LostRankError(
                    f"not all of {self.size} processes have begun within {FIRST_PATIENCE}; run the command again"
                )
            time.sleep(_PAUSE)
        return [json.loads(self._store.get(key)) for key in keys]

    @contextmanager
    def _losses(self) -> Iterator[None]:
        """What a collective raises when somebody is gone, in words."""
        try:
            yield
        except RuntimeError as error:  # DistBackendError among them
            self.lost = True
            raise LostRankError(
                "another process of this training is gone or does not answer;"
                " the same command goes on from the last checkpoint"
            ) from error

    def is_first_to_say(self) -> bool:
        """Whether nobody else has said what went wrong, as far as can be known."""
        found: list[int] = []

        def ask() -> None:
            with suppress(Exception):
                found.append(self._store.add("said", 1))

        # The store may be gone with the process that kept it, and then asking it would take long.
        asking = threading.Thread(target=ask, daemon=True)
        asking.start()
        asking.join(_ASKING)
        return not found or found[0] == 1


def is_one_of_several() -> bool:
    """Whether this process was started by `torchrun`, or in the same way."""
    return all(name in os.environ for name in ENVIRONMENT)


@contextmanager
def joined(device: str) -> Iterator[Ranks | None]:
    """This process among those that `torchrun` has started, for the length of the block; None if it is alone."""
    if not is_one_of_several():
        yield None
        return
    local = int(os.environ.get("LOCAL_RANK", "0"))
    on_gpu = device.startswith("cuda")
    if on_gpu:
        _own_gpu(device, local)
    store, rank, size = next(rendezvous("env://", timeout=FIRST_PATIENCE))
    backend = "cpu:gloo,cuda:nccl" if on_gpu else "gloo"
    dist.init_process_group(backend, store=PrefixStore("groups", store), rank=rank, world_size=size, timeout=FIRST_PATIENCE)
    brisk = dist.new_group(backend="gloo", timeout=PATIENCE)
    ranks = Ranks(rank, size, local, PrefixStore("vnla", store), brisk)

    def react(stop: Stop) -> None:
        if not ranks.lost:  # whoever started us ends us when one is gone, but there is still something to say
            raise Interrupted(stop.number or 0)

    try:
        with signals_noted(react):
            try:
                yield ranks
            except LostRankError as error:
                if ranks.is_first_to_say():
                    sys.stderr.write(f"vnla: error: {error}\n")
                    sys.stderr.flush()
                raise SaidAlreadyError(str(error)) from None
    except SaidAlreadyError:
        raise
    except BaseException:
        ranks.is_first_to_say()
        raise
    dist.destroy_process_group()


def alike(ranks: Ranks | None, about: dict[str, str] | None = None) -> AbstractContextManager[None]:
    """`Ranks.alike` where there are several processes."""
    return nullcontext() if ranks is None else ranks.alike({} if about is None else about)


@contextmanager
def leaving_at_once() -> Iterator[None]:
    """A process that leaves since another is gone, or has failed, does not tidy up: what waits for the others on a GPU would
    never end."""
    try:
        yield
    except SaidAlreadyError:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(2)


def _own_gpu(device: str, local: int) -> None:
    there = torch.cuda.device_count()
    if ":" in device:
        raise InputError(f"--device {device}: each process takes a GPU of its own; give --device cuda")
    if local >= there:
        raise InputError(
            f"process {local} of this machine has no GPU: there are {there}; start as many with --nproc-per-node"
        )
    torch.cuda.set_device(local)


def about_software() -> dict[str, str]:
    """What has to be the same in all processes whatever they train."""
    code = f"{vnla.__version__} ({checksums.of_program()[:12]})"
    return {"vnla": code, "PyTorch": torch.__version__, "Python": platform.python_version()}


def short(value: Any) -> str:
    """A few digits of something that can be written as JSON."""
    return checksums.of_json(value)[:12]
