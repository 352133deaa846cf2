"""A training iteration as one GPU graph.

An iteration is thousands of small kernels in a fixed order; launching each from Python takes longer than running it.
Captured once and replayed, they cost one launch. What changes from one iteration to the next goes in through two tensors
that stay in place, and the losses come out the same way; dropout draws from the device's generator, which a replay advances
and which `torch.manual_seed` sets as usual. What is captured is the plain function: the algorithm has no second copy.

The functions marked `fused` are compiled for a graph (`torch.compile`), each into a kernel or two; elsewhere they run as
they are.
"""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache, wraps
from importlib import import_module
from pathlib import Path
from typing import Any, Generic, ParamSpec, TypeVar

import torch
from torch import Tensor

from vnla.common.errors import InputError
from vnla.common.files import user_cache

Outcome = TypeVar("Outcome", bound=tuple[Tensor, ...])
Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

_MOST_VARIANTS = 64  # of one compiled function, for trainings that follow each other in one process

_OPTIONS: dict[str, str | int | bool | Callable[..., object]] = {
    "combo_kernels": True,  # functions of different inputs in one kernel, too
    "online_softmax": False,  # over six actions it would take two kernels
    "assert_indirect_indexing": False,
    "realize_reads_threshold": 128,  # a softmax over six actions is to be one kernel
    "realize_opcount_threshold": 60,
}

CACHES = ("TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR")
"""Where PyTorch and Triton are told to keep what they compile."""

_here = threading.local()


def fused(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """A function of tensors, and objects that hold some, that few kernels compute while a graph is made.

    Numbers among its arguments arrive as tensors then, so that one compilation serves all steps.
    """

    @wraps(function)
    def either(*arguments: Parameters.args, **named: Parameters.kwargs) -> Result:
        device: torch.device | None = getattr(_here, "device", None)
        if device is None:
            return function(*arguments, **named)
        plain = [_number(each, device) if isinstance(each, int) else each for each in arguments]
        result: Result = _compiled(function)(*plain, **named)
        return result

    return either


@cache
def _compiled(function: Callable[..., object]) -> Callable[..., Any]:
    return torch.compile(function, dynamic=False, options=_OPTIONS)


@cache
def _number(value: int, device: torch.device) -> Tensor:
    return torch.full((), value, device=device)


@contextmanager
def beside(stream: torch.cuda.Stream | None) -> Iterator[None]:
    """What is in the block goes to another stream, after what was asked for before; without a stream it goes nowhere else.

    In a graph that is a branch. `join` ends it.
    """
    if stream is None:
        yield
        return
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        yield


def join(stream: torch.cuda.Stream | None) -> None:
    """What comes next waits for the other stream."""
    if stream is not None:
        torch.cuda.current_stream().wait_stream(stream)


def second_stream(device: torch.device, *, urgent: bool = False) -> torch.cuda.Stream | None:
    """A new stream of a device that has some; what is in an `urgent` one goes before what waits elsewhere."""
    if device.type != "cuda":
        return None
    return torch.cuda.Stream(device, priority=-1 if urgent else 0)  # type: ignore[no-untyped-call]


def keep_kernels() -> Path | None:
    """Have compiled kernels kept where a person's programs keep such things, unless the environment names a place: the usual
    one is emptied when the machine starts. To be called before PyTorch's compilers are loaded, which then choose a place;
    the folder, if there is one."""
    place = user_cache() / "kernels"
    inductor, triton = CACHES
    if inductor not in os.environ:
        try:
            place.mkdir(parents=True, exist_ok=True)
        except OSError:  # nobody's home
            return None
    kept = os.environ.setdefault(inductor, str(place))
    os.environ.setdefault(triton, str(Path(kept) / "triton"))
    return Path(kept)


def load_compilers() -> None:
    """Load what `torch.compile` would load when it is first needed; it takes seconds. What it makes is kept."""
    if "CC" not in os.environ and not any(map(shutil.which, ("gcc", "clang"))):
        raise InputError(
            "kernels for a GPU are compiled here, and there is no C compiler: install gcc, or give --device cpu"
        )
    keep_kernels()
    import_module("torch._inductor.compile_fx")
    threading.Thread(target=_sum_compilers, daemon=True).start()


def _sum_compilers() -> None:
    """Have PyTorch take the check sums of its compilers, by which it finds what they made before. It keeps them, and most of
    it is reading large files, while others go on."""
    with suppress(Exception):  # whoever needs them asks again
        import_module("torch._inductor.codecache").torch_key()
        import_module("torch._inductor.runtime.triton_compat").triton_key()


@contextmanager
def fusing(device: torch.device) -> Iterator[None]:
    """In the block, and in this thread, functions marked `fused` are compiled."""
    keep_kernels()
    import torch._dynamo  # takes a second

    # Gradients that come from another stream than their parameter's are meant, and waited for; PyTorch would warn of them.
    getattr(torch.autograd.graph, "set_warn_on_accumulate_grad_stream_mismatch", lambda _: None)(False)
    with torch._dynamo.config.patch(recompile_limit=_MOST_VARIANTS):
        _here.device = device
        try:
            yield
        finally:
            _here.device = None


class Captured(Generic[Outcome]):
    """A function of (which, seed) that trains: captured at its first call, replayed from then on.

    Capturing asks for a run beforehand, which makes all that is made at first use: compiled functions, the workspaces of
    libraries, the optimiser's moments. One is enough. PyTorch's recipe has three, for algorithms that are chosen by trying,
    and eleven for `DistributedDataParallel`; there is neither here. What the run changes in the parameters, the optimiser
    and the random state is put back, so that the first call too is one iteration.
    """

    def __init__(
        self,
        function: Callable[[Tensor, Tensor], Outcome],
        batch: int,
        device: torch.device,
        optimiser: torch.optim.Optimizer,
        further: Sequence[tuple[Callable[[], None], Callable[[], Outcome]]] = (),
    ) -> None:
        """`further` stages may follow the function, each a graph of its own: what is done before it at every call, outside
        of any graph, and the stage. What the last one gives is the outcome."""
        self._function, self._further = function, further
        self._which = torch.zeros(batch, dtype=torch.int64, device=device)
        self._seed = torch.zeros(batch, dtype=torch.int64, device=device)
        self._optimiser = optimiser
        # Libraries keep a workspace for each stream, and graphs that are replayed side by side must not share one.
        self._aside = _stream_of_its_own(device)
        self._replay: tuple[list[torch.cuda.CUDAGraph], Outcome] | None = None

    def __call__(self, which: Tensor, seed: Tensor) -> Outcome:
        """What the function gives; the next call overwrites its tensors."""
        self._which.copy_(which)
        self._seed.copy_(seed)
        if self._replay is None:
            with fusing(self._which.device):
                with _undone(self._optimiser):
                    self._warm_up()
                self._replay = self._capture()
        graphs, outcome = self._replay
        graphs[0].replay()
        for graph, (between, _) in zip(graphs[1:], self._further, strict=True):
            between()
            graph.replay()
        return outcome

    def _capture(self) -> tuple[list[torch.cuda.CUDAGraph], Outcome]:
        """The graphs of all stages. They are replayed in turn, so each may use the memory of those before."""
        first = torch.cuda.CUDAGraph()
        with torch.cuda.graph(first, stream=self._aside):
            outcome = self._function(self._which, self._seed)
        graphs = [first]
        for _, stage in self._further:
            graphs.append(torch.cuda.CUDAGraph())
            with torch.cuda.graph(graphs[-1], pool=first.pool(), stream=self._aside):
                outcome = stage()
        return graphs, outcome

    def _warm_up(self) -> None:
        self._aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self._aside):
            self._function(self._which, self._seed)
            for between, stage in self._further:
                between()
                stage()
        torch.cuda.current_stream().wait_stream(self._aside)


def _stream_of_its_own(device: torch.device) -> torch.cuda.Stream:
    """The stream that the caller works in; a new one if that is the one all share, where nothing can be captured."""
    current = torch.cuda.current_stream(device)
    is_shared = current == torch.cuda.default_stream(device)
    return torch.cuda.Stream(device) if is_shared else current  # type: ignore[no-untyped-call]


@contextmanager
def _undone(optimiser: torch.optim.Optimizer) -> Iterator[None]:
    """Whatever happens to parameters, optimiser and random numbers in the block is undone after it."""
    parameters = [each for group in optimiser.param_groups for each in group["params"]]
    values = [each.detach().clone() for each in parameters]
    moments = [{name: part.clone() for name, part in optimiser.state.get(each, {}).items()} for each in parameters]
    random = torch.cuda.get_rng_state()
    yield
    with torch.no_grad():
        for parameter, value, before in zip(parameters, values, moments, strict=True):
            parameter.copy_(value)
            parameter.grad = None
            for name, part in optimiser.state[parameter].items():
                part.copy_(before[name]) if before else part.zero_()
    torch.cuda.set_rng_state(random)
