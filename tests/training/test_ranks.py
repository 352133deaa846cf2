"""Several processes that train one agent: the same result as one, and what happens when one is wrong or gone."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import pytest
import torch
from safetensors.torch import load_file
from torch import Tensor
from torch import distributed as dist

from cottage_run import write_cottage
from rank_work import config_of, work
from vnla.agents.layers.dropout import BatchPart, Dropout, dropout_seeded, part_of_batch
from vnla.common.errors import InputError
from vnla.common.stopping import Stop
from vnla.training.checkpoints import LAST, LOG, done_in
from vnla.training.config import RunConfig
from vnla.training.context import make_agent, make_context, make_practice
from vnla.training.data import RunData
from vnla.training.objectives.objective import ImitationObjective
from vnla.training.ranks import ENVIRONMENT, Ranks, SaidAlreadyError
from vnla.training.run import DivergedError
from vnla.training.split import SplitTrainer
from vnla.training.together import train, train_runs
from vnla.training.trainer import Trainer

TESTS = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return write_cottage(tmp_path_factory.mktemp("cottage"))


@pytest.fixture(scope="module")
def data(folders: tuple[Path, Path]) -> RunData:
    return RunData.load(config_of(*folders, 3))


HALLS: list[Hall] = []


class Hall:
    """Where threads meet that stand for processes."""

    def __init__(self, size: int) -> None:
        self.size, self.store, self.given = size, dist.HashStore(), [torch.empty(0)] * size
        self.barrier = threading.Barrier(size, timeout=60)
        HALLS.append(self)


@dataclass
class Among(Ranks):
    """A thread among others."""

    hall: Hall = field(default_factory=lambda: Hall(1))

    def add_up(self, values: Tensor) -> None:
        """Everybody's, in turn."""
        self.hall.given[self.rank] = values.clone()
        self.hall.barrier.wait()
        total = torch.stack(self.hall.given).sum(dim=0)
        self.hall.barrier.wait()
        values.copy_(total)

    def agree(self, stop: Stop, going: bool) -> bool:  # noqa: ARG002
        """They go on together."""
        self.hall.barrier.wait()
        return going


def several(size: int) -> list[Among]:
    hall = Hall(size)
    return [Among(rank, size, rank, hall.store, hall=hall) for rank in range(size)]


def at_once(work: Callable[[Any], object], given: Sequence[Any]) -> list[object]:
    """What the work gives for each, done in threads."""
    found: list[object] = [None] * len(given)

    def do(place: int) -> None:
        try:
            found[place] = work(given[place])
        except InputError as error:
            found[place] = error
        except BaseException:
            for each in HALLS:
                each.barrier.abort()
            raise

    threads = [threading.Thread(target=do, args=(place,)) for place in range(len(given))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


OBJECTIVES: dict[str, dict[str, Any]] = {
    "imitation": {},
    "layers": {"agent_options": {"hidden": 16, "help_hidden": 16, "word_embedding": 8, "layers": 2}},
    "worth": {"help_policy": "valued", "objective": "worth"},
    "mistakes": {"help_policy": "threshold", "objective": "mistakes"},
    "asking": {"help_policy": "threshold", "objective": "asking"},
    "reward": {"objective": "reward"},
    "practice": {"practice": 2},
}


@pytest.mark.parametrize("name", OBJECTIVES)
def test_one_two_and_four_learn_the_same(folders: tuple[Path, Path], data: RunData, name: str) -> None:
    """One process bit for bit as without others. With dropout, requests, and episodes that end at different steps."""
    config = replace(config_of(*folders, 3), **OBJECTIVES[name])

    def trainer(ranks: Ranks | None) -> Trainer:
        kind: Callable[..., Trainer] = Trainer if ranks is None else SplitTrainer
        agent = make_agent(config, data)
        return kind(
            make_context(config, data, agent, training=True), data.training_tasks(timed=config.aim.timed), config.training,
            learns_to_ask=True, objective=config.aim, practice=make_practice(config, data, agent),
            **({} if ranks is None else {"ranks": ranks}),
        )  # fmt: skip

    def learn(each: Trainer) -> list[Tensor]:
        losses = [each.iterate().both().clone() for _ in range(2)]
        return [*losses, *(value.detach() for part in each.parts.values() for value in part.parameters())]

    alone = learn(trainer(None))
    for size in (1, 2, 4):
        found: list[Any] = at_once(learn, [trainer(ranks) for ranks in several(size)])
        for values in found:
            assert all(torch.equal(*pair) for pair in zip(values, found[0], strict=True)), "all take the same steps"
        for ours, theirs in zip(found[0], alone, strict=True):
            if size == 1:
                assert torch.equal(ours, theirs)
            torch.testing.assert_close(ours, theirs, rtol=2e-3, atol=2e-5)


def test_gradients_lie_where_a_gpus_optimiser_rounds_as_for_one_process(folders: tuple[Path, Path], data: RunData) -> None:
    """At multiples of 16 bytes, as tensors of their own do, though some parameters have no multiple of four numbers."""
    config = config_of(*folders, 3)
    context = make_context(config, data, make_agent(config, data), training=True)
    trainer = SplitTrainer(context, data.training_tasks(), config.training, learns_to_ask=True, ranks=several(1)[0])
    trainer.iterate()
    parameters = list(context.agent.parameters())
    first = min(each.grad.data_ptr() for each in parameters if each.grad is not None)
    assert any(each.numel() % 4 for each in parameters)
    assert all((each.grad.data_ptr() - first) % 16 == 0 for each in parameters if each.grad is not None)


def test_dropout_is_each_rows_own() -> None:
    """Whoever else is there, and in whatever order."""
    dropout, values, seeds = Dropout(0.5), torch.ones(6, 10), torch.arange(6) * 7919
    with dropout_seeded(seeds, 3, 1):
        first, second = dropout(values), dropout(values)
    assert not torch.equal(first, second) and len({tuple(row.tolist()) for row in first}) == 6
    some = torch.tensor([4, 0, 3])
    with dropout_seeded(seeds[some], 3, 1):
        assert torch.equal(dropout(values[some]), first[some]) and torch.equal(dropout(values[some]), second[some])
    with dropout_seeded(seeds, 4, 1):
        assert not torch.equal(dropout(values), first)


def test_a_gpu_draws_for_the_whole_batch_and_takes_its_part() -> None:
    """Rows that are all episodes twice, of which two processes have three and two."""
    from vnla.agents.fast.gpu.tape import Kept

    def drawn(part: BatchPart | None, batch: int) -> Kept:
        torch.manual_seed(4)
        with part_of_batch(part):
            shapes: list[tuple[int, ...]] = [
                (2, batch, 3), (2, 2, batch, 3), (2, 2, batch, 3), (batch, 2, 3), (batch, 2, 3), (2 * batch, 2, 3),
                (2 * batch, 2, 3),
            ]  # fmt: skip
            return Kept.draw(0.5, shapes, torch.device("cpu"))

    whole, parts = drawn(None, 5), [drawn(BatchPart(0, 3, 5), 3), drawn(BatchPart(3, 2, 5), 2)]
    assert all(torch.equal(torch.cat([each[0] for each in parts], 1), whole[0]) for _ in (0,))
    for place in (1, 2):
        assert torch.equal(torch.cat([each[place] for each in parts], 2), whole[place])
    for place in (3, 4):
        assert torch.equal(torch.cat([each[place] for each in parts]), whole[place])
    for place in (5, 6):
        rows = [each[place].view(2, -1, 2, 3) for each in parts]
        assert torch.equal(torch.cat(rows, 1).flatten(0, 1), whole[place])


def test_parts_are_the_whole_batch() -> None:
    parts = [ranks.part(10) for ranks in several(4)]
    assert [part.first for part in parts] == [0, 2, 5, 7] and sum(part.count for part in parts) == 10
    with pytest.raises(InputError, match="a batch of 3 cannot be shared by 4 processes"):
        several(4)[1].part(3)


@dataclass(frozen=True)
class Other(ImitationObjective):
    divisible: ClassVar[bool] = False


def test_an_objective_that_does_not_say_what_it_divides_by_is_refused(folders: tuple[Path, Path], data: RunData) -> None:
    config = config_of(*folders, 3)
    context = make_context(config, data, make_agent(config, data), training=True)
    with pytest.raises(InputError, match="objective Other: does not say what its losses divide by"):
        SplitTrainer(
            context, data.training_tasks(), config.training, learns_to_ask=True, objective=Other(), ranks=several(1)[0]
        )


def test_several_runs_and_several_processes_exclude_each_other(folders: tuple[Path, Path], tmp_path: Path) -> None:
    runs: list[tuple[Path, RunConfig | None]] = [(tmp_path / name, config_of(*folders, 3)) for name in "ab"]
    first, other = at_once(lambda ranks: train_runs(runs, lambda _: pytest.fail("loaded"), ranks=ranks), several(2))
    said = "several runs are trained side by side by one process; with torchrun give one run at a time"
    assert type(first) is InputError and type(other) is SaidAlreadyError and str(first) == said


def test_a_run_that_diverges_is_said_once_by_the_first(folders: tuple[Path, Path], data: RunData, tmp_path: Path) -> None:
    config = config_of(*folders, 3)
    wild = replace(config, validate_every=2, training=replace(config.training, learning_rate=1e30))
    first, other = at_once(lambda ranks: train_runs([(tmp_path / "run", wild)], lambda _: data, ranks=ranks), several(2))
    assert type(first) is DivergedError and "at iteration 2 or before its losses are no longer numbers" in str(first)
    assert type(other) is SaidAlreadyError
    assert not [*(tmp_path / "run").glob("*.safetensors")]


def test_what_differs_is_said_once_by_the_first() -> None:
    def meet(ranks: Among) -> None:
        with ranks.alike({"PyTorch": "2.9" if ranks.rank == 2 else "2.13", "done": "5"}):
            pass

    first, *others = at_once(meet, several(3))
    assert isinstance(first, InputError) and not isinstance(first, SaidAlreadyError)
    host = re.escape(socket.gethostname())
    assert re.fullmatch(
        rf"process 2 on {host} has PyTorch 2.9, but process 0 on {host} has 2.13; all have to be alike", str(first)
    )
    assert all(isinstance(each, SaidAlreadyError) for each in others)


def test_what_is_wrong_with_some_is_said_by_the_first_of_them() -> None:
    def meet(ranks: Among) -> None:
        with ranks.alike({}):
            if ranks.rank:
                raise InputError("worlds/small: no such directory")

    found = at_once(meet, several(3))
    assert [type(each) for each in found] == [SaidAlreadyError, InputError, SaidAlreadyError]


def free_port() -> int:
    with socket.socket() as each:
        each.bind(("127.0.0.1", 0))
        return int(each.getsockname()[1])


def environment(rank: int, size: int, port: int) -> dict[str, str]:
    return dict(zip(ENVIRONMENT, (str(rank), str(size), "127.0.0.1", str(port)), strict=True)) | {"OMP_NUM_THREADS": "1"}


def with_paths(**more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path]), **more}


@pytest.mark.slow
def test_two_processes_end_as_one_and_one_goes_on_where_two_were(
    folders: tuple[Path, Path], data: RunData, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """This process and another one, through gloo: three iterations together, then three more alone."""
    train(tmp_path / "one", config_of(*folders, 6), data)
    port, run = free_port(), tmp_path / "two"
    program = [sys.executable, str(TESTS / "rank_work.py"), str(run), *map(str, folders), "3", "cpu"]
    other = subprocess.Popen(program, env=with_paths(**environment(1, 2, port)), stderr=subprocess.PIPE)
    for name, value in environment(0, 2, port).items():
        monkeypatch.setenv(name, value)
    work(run, *folders, 3)
    assert other.wait(60) == 0, other.stderr.read().decode() if other.stderr else ""
    assert done_in(run) == 3 and len((run / LOG).read_text().splitlines()) == 2
    train(run, replace(config_of(*folders, 3), training=config_of(*folders, 6).training), data)
    ours, theirs = (load_file(tmp_path / name / LAST) for name in ("two", "one"))
    assert ours.keys() == theirs.keys()
    for name in ours:
        torch.testing.assert_close(ours[name], theirs[name], rtol=2e-3, atol=2e-5, msg=name)


def test_a_stop_is_everybodys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: ARG001
    """One process alone with its group: what it was told comes back."""
    from vnla.training.ranks import joined

    for name, value in environment(0, 1, free_port()).items():
        monkeypatch.setenv(name, value)
    with joined("cpu") as ranks:
        assert ranks is not None
        stop = Stop()
        assert ranks.agree(stop, True) and stop.number is None and not ranks.agree(stop, False)
        stop.number = signal.SIGTERM
        ranks.agree(stop, True)
        assert stop.number == signal.SIGTERM


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_one_process_with_nccl_is_bit_for_bit_the_plain_one(
    folders: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three graphs with NCCL between them, and one graph."""
    config = config_of(*folders, 30)
    train(tmp_path / "plain", config, RunData.load(config, "cuda"))
    for name, value in environment(0, 1, free_port()).items():
        monkeypatch.setenv(name, value)
    work(tmp_path / "split", *folders, 30, "cuda")
    ours, theirs = (load_file(tmp_path / name / LAST) for name in ("split", "plain"))
    assert ours.keys() == theirs.keys() and all(torch.equal(ours[name], theirs[name]) for name in ours)


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_one_that_is_killed_ends_the_others_and_the_same_command_goes_on(
    folders: tuple[Path, Path], tmp_path: Path, how: signal.Signals
) -> None:
    """By `torchrun`: killed, there is one line; stopped politely, all save and leave. Then more processes go on."""
    run, options = tmp_path / "run", "--features symbolic --batch 6 --hidden 16 --validate-every 2000 --iterations"

    def command(size: int, iterations: int) -> list[str]:
        places = ["--world", str(folders[0]), "--tasks", str(folders[1])]
        started = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(size)]
        return [*started, "-m", "vnla", "train", str(run), *places, *options.split(), str(iterations)]

    there = with_paths(OMP_NUM_THREADS="1")
    process = subprocess.Popen(command(2, 100_000), env=there, stderr=subprocess.PIPE, text=True)
    try:
        deadline = time.monotonic() + 600
        while not (run / LOG).exists() or not (run / LOG).read_text():
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.1)
        workers = subprocess.run(
            ["pgrep", "-P", str(process.pid)], capture_output=True, text=True, check=True
        ).stdout.split()
        began = time.monotonic()
        os.kill(int(workers[-1]) if how == signal.SIGKILL else process.pid, how)
        said = process.communicate(timeout=60)[1]
        assert time.monotonic() - began < 60
    finally:
        process.kill()
    lines = [line for line in said.splitlines() if "vnla: error" in line or "stopped by" in line]
    if how == signal.SIGKILL:
        assert len(lines) == 1 and "another process of this training is gone" in lines[0], said
    else:
        assert len(lines) == 1 and "and saved" in lines[0] and done_in(run) > 0, said
    further = done_in(run) + 3
    again = subprocess.run(command(3, further), env=there, capture_output=True, text=True, check=False)
    assert again.returncode == 0 and done_in(run) == further, again.stderr
