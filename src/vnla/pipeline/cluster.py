"""Stages on the machines of a Ray cluster.

    with RayExecutor("ray://head:10001") as executor:
        run_stages(stages, out, callbacks, executor.machine_cores, executor=executor)

What travels are calls: functions by name, paths, configurations, and back a word on how it went. What stages make they
leave in the folder of the run, which all machines see at the same path. On each machine a process of our own does the work,
as it would at home, and Ray does what it is good at: it finds room, and notices when a machine is gone. A stage whose
machine is gone is begun again elsewhere by the scheduler, which first removes what it left, or lets it go on with it.

Only addresses that begin with ray:// are taken, so that nobody's cluster is joined by accident; and a program that is
connected this way outlives its cluster, and can say so.
"""

from __future__ import annotations

import atexit
import logging
import platform
import signal
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from vnla.common.errors import InputError
from vnla.common.process_pool import GONE, Failure
from vnla.pipeline.executor import Executor, StageCall, StageEvent, StageProgress, StageResult, StageWorker, WorkerLost
from vnla.pipeline.shards.parts import code, first_difference
from vnla.pipeline.stages import Stage

SCHEME = "ray://"
LOCAL = "local"
"""The cluster that is this machine alone."""
TRIES = 3
PROGRESS_SECONDS = 1.0
"""Between two looks at how far stages are."""
POLL_SECONDS = 0.1
SAVE_SECONDS = 110.0
"""How long a stage that was told to stop may take to save what it has."""
BOARD_SECONDS = 10.0
"""How long an answer on how far stages are is waited for; without it the bars stand still, and nothing else does."""


class UnreachableError(InputError):
    """The cluster does not answer."""


@dataclass(eq=False)
class _RayFuture:
    """A call that Ray has."""

    number: int
    answer: Any
    cancel: Callable[..., None]
    stopped: bool = False

    def stop(self) -> None:
        """Have it save and end, once."""
        if not self.stopped:
            self.stopped = True
            self.cancel(self.answer, force=False, recursive=False)


class RayExecutor(Executor):
    """The machines of a Ray cluster, for the length of a `with` block."""

    tries = TRIES

    def __init__(self, address: str, cores: int | None = None) -> None:
        """A stage that takes a whole machine takes so many cores, those of the smallest machine unless it is said."""
        if not address.startswith(SCHEME):
            raise InputError(f"--cluster {address}: give {SCHEME}HOST:PORT, or local for this machine")
        self._address, self._wanted = address, cores
        self._ray: Any = None
        self._count = 0
        self._looked = 0.0

    def __enter__(self) -> RayExecutor:
        self._ray = _ray()
        logging.getLogger("ray").setLevel(logging.ERROR)
        try:
            self._connect()
            nodes = [each["Resources"] for each in self._ray.nodes() if each["Alive"]]
            self._board = self._ray.remote(num_cpus=0, max_restarts=-1)(ProgressBoard).remote()
            self._run = self._ray.remote(max_retries=0)(run_on_node)
        except Exception as error:  # Ray has many, and says in none of them what to do
            self._disconnect()
            raise InputError(
                f"{self._address}: no Ray cluster that can be used answers there ({_words(error)}); on its first machine"
                " run: ray start --head --ray-client-server-port 10001"
            ) from None
        machines = [each for each in nodes if each.get("CPU", 0) >= 1]
        if not machines:
            self._disconnect()
            raise InputError(f"{self._address}: none of its machines has a core to work on")
        self.machines = len(machines)
        self._all = sum(each["CPU"] for each in machines)
        self._gpus = int(sum(each.get("GPU", 0) for each in machines))
        smallest = int(min(each["CPU"] for each in machines))
        if self._wanted is not None and self._wanted > smallest:
            self._disconnect()
            raise InputError(f"--workers {self._wanted}: the smallest machine of {self._address} has {smallest} cores")
        self.machine_cores = self._wanted or smallest
        return self

    def __exit__(self, *_: object) -> None:
        self._disconnect()

    def fits(self, stage: Stage, running: Sequence[Stage], taken: float) -> bool:
        """Whether somewhere enough cores are free, and a GPU where one is needed."""
        if stage.device and not self._gpus:
            raise InputError(f"{self._address}: none of its machines has a GPU; give --device cpu")
        if stage.device and not self.devices(running):
            return False
        return not running or taken + self.cores(stage) <= self._all

    def devices(self, running: Sequence[Stage]) -> int:
        """Return how many GPUs are free."""
        return self._gpus - sum(1 for each in running if each.device)

    def begin(self, call: StageCall, stage: Stage) -> _RayFuture:
        """Have it carried out wherever there is room."""
        self._count += 1
        with self._reaching():
            options = {"num_cpus": self.cores(stage), "num_gpus": 1 if stage.device else 0, "scheduling_strategy": "SPREAD"}
            answer = self._run.options(**options).remote(call, self._count, self._board, code())
        return _RayFuture(self._count, answer, self._ray.cancel)

    def events(self, futures: Sequence[_RayFuture], seconds: float) -> list[tuple[_RayFuture, StageEvent]]:
        """What has come back, and how far the others are."""
        with self._reaching():
            by_answer = {each.answer: each for each in futures}
            ready, _ = self._ray.wait(list(by_answer), num_returns=len(by_answer), timeout=seconds)
            ended: list[tuple[_RayFuture, StageEvent]] = [(by_answer[each], self._outcome(each)) for each in ready]
            return [*self._progress({each.number: each for each in futures}), *ended]

    def close(self, *, at_once: bool) -> None:
        """Nobody is sent home here: whoever has nothing to do takes no room, and the rest ends with the connection."""

    def _outcome(self, answer: Any) -> StageEvent:
        failures = self._ray.exceptions
        try:
            outcome: StageEvent = self._ray.get(answer)
            return outcome
        except failures.TaskCancelledError:
            return WorkerLost("it was stopped")
        except failures.RayTaskError as error:
            return StageResult(
                Failure(_words(error.cause if isinstance(error.cause, Exception) else error), str(error), True)
            )
        except (failures.RaySystemError, failures.RpcError):
            raise
        except failures.RayError as error:
            return WorkerLost(f"its machine is gone, or its process there ({type(error).__name__})")

    def _progress(self, futures: dict[int, _RayFuture]) -> Iterator[tuple[_RayFuture, StageEvent]]:
        """How far stages are, now and then; those that have ended since are passed over."""
        if time.monotonic() - self._looked < PROGRESS_SECONDS:
            return
        self._looked = time.monotonic()
        failures = self._ray.exceptions
        try:
            found = self._ray.get(self._board.take.remote(), timeout=BOARD_SECONDS)
        except (failures.RayActorError, failures.GetTimeoutError):
            return
        yield from ((futures[number], each) for number, each in found if number in futures)

    @contextmanager
    def _reaching(self) -> Iterator[None]:
        try:
            yield
        except InputError:
            raise
        except Exception as error:
            raise UnreachableError(
                f"{self._address}: the connection to the cluster is lost ({_words(error)}); what is done is kept, and the"
                " same command continues where it was"
            ) from None

    def _connect(self) -> None:
        """A cluster that has much to do may be too slow at first to start what speaks with us."""
        for left in reversed(range(TRIES)):
            try:
                with warnings.catch_warnings(action="ignore"):  # it warns of what it is about to raise
                    self._ray.init(self._address, log_to_driver=False, logging_level=logging.ERROR)
                return
            except ConnectionAbortedError:
                if not left:
                    raise

    def _disconnect(self) -> None:
        try:
            self._ray.shutdown()
        except Exception as error:  # it is lost anyway
            logging.getLogger(__name__).debug("while leaving the cluster: %s", error)


class ProgressBoard:
    """Where machines write how far their stages are, for whoever waits for them."""

    def __init__(self) -> None:
        self._progress: dict[tuple[int, int], StageProgress] = {}

    def note(self, number: int, progress: StageProgress) -> None:
        """How far one of the stages of a call is."""
        self._progress[number, progress.which] = progress

    def take(self) -> list[tuple[int, StageProgress]]:
        """All that was written since it was taken last."""
        written, self._progress = self._progress, {}
        return [(number, each) for (number, _), each in written.items()]


_workers: list[StageWorker] = []
"""The process that works for this one, on a machine of the cluster; it has PyTorch and the world in memory."""


def run_on_node(call: StageCall, number: int, board: Any, expected: dict[str, str]) -> StageEvent:
    """On a machine of the cluster: have a call made by a process of ours, as at home."""
    if difference := first_difference(expected, code()):
        error = f"the machine {platform.node()} has another version ({difference}); install the same on all machines"
        return StageResult(Failure(error, error, False))
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where a shell began Ray in the background
    if not _workers or not _workers[0].process.is_alive():
        _workers[:] = [StageWorker()]
        atexit.register(_workers[0].leave, 0.0)
    worker = _workers[0]
    try:
        worker.send(call)
        while True:
            if worker.pipe.poll(POLL_SECONDS):
                event = worker.receive()
                if isinstance(event, StageResult):
                    return event
                board.note.remote(number, event)
    except GONE:
        return WorkerLost(f"its process on {platform.node()} {worker.fate()}")
    except KeyboardInterrupt:  # Ray's way to say that it is to stop
        worker.stop()
        worker.leave_in(SAVE_SECONDS)
        _workers.clear()
        return WorkerLost("it was stopped")


def _ray() -> Any:
    try:
        import ray
    except ImportError:
        raise InputError("--cluster: needs Ray, which is not installed: pip install 'vnla[ray]'") from None
    return ray


def _words(error: BaseException) -> str:
    """An error of Ray's in a few words: they come with pages of traces."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    details = [line.partition("=")[2].strip(' "') for line in lines if line.startswith("details =")]
    text = ": ".join([type(error).__name__, *(details or lines[-1:])[:1]])
    return text if len(text) <= 200 else f"{text[:197]}…"
