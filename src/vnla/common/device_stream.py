"""A stream of a device: where one training queues its work, with random numbers of its own.

Trainings that share a GPU each have a stream, so that their kernels run side by side and none draws from another's random
numbers. On a CPU there is nothing to share: the work is done at once, and the seed is PyTorch's.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import Tensor

AHEAD = 16
"""Iterations that may wait on a GPU. They keep it busy while the host validates, and are what a polite stop waits for."""


@dataclass(frozen=True)
class PendingTensors:
    """Tensors on their way from the device, by name."""

    _tensors: dict[str, Tensor]
    _arrival: torch.cuda.Event | None = None

    @property
    def arrived(self) -> bool:
        """Whether they are here."""
        return self._arrival is None or bool(self._arrival.query())  # type: ignore[no-untyped-call]

    def tensors(self) -> dict[str, Tensor]:
        """They, on the host; waits for them."""
        if self._arrival is not None:
            self._arrival.synchronize()
        return self._tensors


class DeviceStream(ABC):
    """How a training uses its device."""

    @abstractmethod
    @contextmanager
    def drawing(self, seed: int) -> Iterator[None]:
        """Work in the block is queued in this stream and draws random numbers that follow from `seed`."""
        yield

    @abstractmethod
    @contextmanager
    def entered(self) -> Iterator[None]:
        """Work in the block is queued in this stream, after all that was queued before."""
        yield

    @abstractmethod
    def read(self, tensors: Mapping[str, Tensor]) -> PendingTensors:
        """Copies of tensors as they will be when all that was queued before is done; nothing waits for them here, and what
        is done later does not change them."""

    @abstractmethod
    def queued(self) -> None:
        """One more iteration has been queued."""

    @abstractmethod
    def has_room(self) -> bool:
        """Whether fewer than `AHEAD` iterations are waiting."""


class HostStream(DeviceStream):
    """Work is done when it is asked for."""

    @contextmanager
    def drawing(self, seed: int) -> Iterator[None]:
        """Work in the block draws what follows from `seed`."""
        torch.default_generator.manual_seed(seed)  # torch.manual_seed takes half a millisecond where there is no GPU
        yield

    @contextmanager
    def entered(self) -> Iterator[None]:
        """Nothing to enter."""
        yield

    def read(self, tensors: Mapping[str, Tensor]) -> PendingTensors:
        """Copies that are there at once."""
        return PendingTensors({name: each.clone() for name, each in tensors.items()})

    def queued(self) -> None:
        """Done already."""

    def has_room(self) -> bool:
        """Always."""
        return True


class CudaStream(DeviceStream):
    """A stream of a GPU and a state of its random numbers.

    A captured graph reads seed and offset from the device, from a place that belongs to the random state it was captured
    with. Graphs of one state would overwrite each other's seeds when they are replayed side by side; so the device's
    generator is lent this stream's state while the stream works, and what is captured meanwhile keeps to that state.
    """

    def __init__(self, device: torch.device) -> None:
        # Urgent: what a training does beside its chain of steps (`vnla.common.capture.beside`) is to wait for the chain.
        self._stream = torch.cuda.Stream(device, priority=-1)  # type: ignore[no-untyped-call]
        self._stream.wait_stream(torch.cuda.current_stream(device))
        self._own = torch.Generator(device)
        self._generator = torch.cuda.default_generators[self._stream.device.index]
        self._waiting: deque[torch.cuda.Event] = deque()

    @contextmanager
    def drawing(self, seed: int) -> Iterator[None]:
        """Work in the block goes to the stream and draws from this stream's state."""
        others = self._generator.graphsafe_get_state()
        self._generator.graphsafe_set_state(self._own)
        self._own.manual_seed(seed)
        try:
            with torch.cuda.stream(self._stream):
                yield
        finally:
            self._generator.graphsafe_set_state(others)

    @contextmanager
    def entered(self) -> Iterator[None]:
        """Work in the block goes to the stream."""
        with torch.cuda.stream(self._stream):
            yield

    def read(self, tensors: Mapping[str, Tensor]) -> PendingTensors:
        """Copies on the host that the stream makes when it comes to them."""
        with self.entered():
            copies = {name: _locked_like(each).copy_(each, non_blocking=True) for name, each in tensors.items()}
        return PendingTensors(copies, self._stream.record_event())

    def queued(self) -> None:
        """Mark the place in the stream."""
        self._waiting.append(self._stream.record_event())

    def has_room(self) -> bool:
        """Whether the stream has come far enough; asks and does not wait."""
        while self._waiting and self._waiting[0].query():  # type: ignore[no-untyped-call]
            self._waiting.popleft()
        return len(self._waiting) < AHEAD


def _locked_like(tensor: Tensor) -> Tensor:
    """Memory of the host for a tensor to be copied to; locked, so that nobody waits for the copy."""
    return torch.empty(tensor.shape, dtype=tensor.dtype, pin_memory=True)


def lane_of(device: torch.device) -> DeviceStream:
    """Return a new stream of a device."""
    return CudaStream(device) if device.type == "cuda" else HostStream()
