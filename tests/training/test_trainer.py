"""Training: the order of data, checkpoints, and that killed runs end as if nothing had happened."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from command import Vnla
from cottage_run import write_cottage
from lanes import state_file
from vnla.assistance.registry import HELP_POLICIES
from vnla.common.device_stream import PendingTensors
from vnla.common.errors import InputError
from vnla.language.advisor import GrammarAdvisor
from vnla.training.checkpoints import LAST, LOG, load_agent
from vnla.training.config import RunConfig, TrainingConfig
from vnla.training.context import make_agent, make_context, make_practice
from vnla.training.data import RunData
from vnla.training.together import train
from vnla.training.trainer import Trainer, batch_of

SIZES = {"hidden": 16, "help_hidden": 16, "word_embedding": 8}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return write_cottage(tmp_path_factory.mktemp("cottage"))


def config_of(folders: tuple[Path, Path], policy: str = "learned", iterations: int = 6) -> RunConfig:
    return RunConfig(
        world=str(folders[0]),
        tasks=str(folders[1]),
        features="symbolic",
        help_policy=policy,
        validate_every=3,
        training=TrainingConfig(iterations=iterations, batch=4, learning_rate=1e-2, cooldown=0.5),
        agent_options=SIZES,
    )


def test_every_task_comes_once_an_epoch_and_the_order_changes() -> None:
    stream = torch.cat([batch_of(seed=1, tasks=10, batch=4, iteration=i) for i in range(10)])
    epochs = stream.reshape(4, 10)
    assert all(sorted(epoch.tolist()) == list(range(10)) for epoch in epochs)
    assert not torch.equal(epochs[0], epochs[1])
    assert not torch.equal(epochs[0], torch.cat([batch_of(2, 10, 4, i) for i in range(3)])[:10])


def test_a_batch_larger_than_the_data_repeats_it() -> None:
    assert sorted(batch_of(0, tasks=3, batch=6, iteration=0).tolist()) == [0, 0, 1, 1, 2, 2]


@pytest.mark.parametrize("policy", HELP_POLICIES)
def test_every_policy_trains_and_its_agent_can_be_loaded(folders: tuple[Path, Path], tmp_path: Path, policy: str) -> None:
    config = config_of(folders, policy, iterations=4)
    material = RunData.load(config)
    assert train(tmp_path / "run", config, material) is None
    lines = [json.loads(line) for line in (tmp_path / "run" / LOG).read_text().splitlines()]
    assert [line["iteration"] for line in lines if "val_seen" in line] == [3, 4]
    fresh, trained = make_agent(config, material), load_agent(tmp_path / "run", config, material, "last")
    changed = {name for name, value in trained.state_dict().items() if not torch.equal(value, fresh.state_dict()[name])}
    assert any(name.startswith("navigation.") for name in changed)
    assert any(name.startswith("help.") for name in changed) == (policy == "learned")


PRACTISED = {"practice": 2, "strange": 0.2, "agent_options": {**SIZES, "pieces": 64}}

LISTENING: dict[str, Any] = {
    "agent": "listener", "sensors": "objects,exits,advice", "practice": 2, "advisor": GrammarAdvisor(),
    "agent_options": {**SIZES, "width": 8},
}  # fmt: skip


@pytest.mark.parametrize(
    "others",
    [{}, {"following": True}, {"following": True, "advisor": GrammarAdvisor(k=8)}, PRACTISED, LISTENING],
    ids=["", "following", "k8", "practice", "listener"],
)
def test_a_state_restored_goes_on_exactly(folders: tuple[Path, Path], tmp_path: Path, others: dict[str, Any]) -> None:
    config = replace(config_of(folders), **others)
    material = RunData.load(config)

    def trainer() -> Trainer:
        agent = make_agent(config, material)
        context, practice = make_context(config, material, agent, training=True), make_practice(config, material, agent)
        return Trainer(context, material.training_tasks(), config.training, learns_to_ask=True, practice=practice)

    whole = trainer()
    for _ in range(4):
        whole.iterate()
    first = trainer()
    first.iterate()
    first.iterate()
    (tmp_path / "state").write_bytes(state_file(first, note="kept"))
    second = trainer()
    assert second.resume(tmp_path / "state")["note"] == "kept"
    second.iterate()
    second.iterate()
    assert state_file(second) == state_file(whole)


def test_a_damaged_checkpoint_is_named(folders: tuple[Path, Path], tmp_path: Path) -> None:
    config = config_of(folders, iterations=1)
    train(tmp_path / "run", config, RunData.load(config))
    (tmp_path / "run" / LAST).write_bytes(b"not a checkpoint")
    with pytest.raises(InputError, match=r"last\.safetensors: cannot be read as a checkpoint"):
        train(tmp_path / "run", config, RunData.load(config))


def command(run: Path, folders: tuple[Path, Path], iterations: int) -> list[str]:
    options = f"--features symbolic --iterations {iterations} --batch 4 --hidden 16 --validate-every 4 --learning-rate 0.01"
    return [
        sys.executable,
        "-m",
        "vnla",
        "train",
        str(run),
        "--world",
        str(folders[0]),
        "--tasks",
        str(folders[1]),
        *options.split(),
    ]


ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(sys.path)}


def test_the_learning_rate_falls_at_the_end() -> None:
    """Ten iterations, the last four falling: at the sixth there are four left, at the last one."""
    config = TrainingConfig(iterations=10, learning_rate=0.8, cooldown=0.4)
    assert [config.rate(i) for i in range(10)] == pytest.approx([0.8] * 7 + [0.6, 0.4, 0.2])
    assert [TrainingConfig(iterations=10).rate(i) for i in (0, 9)] == [1e-4, 1e-4]


@pytest.mark.slow
def test_a_run_killed_at_random_moments_ends_with_the_same_weights(folders: tuple[Path, Path], tmp_path: Path) -> None:
    iterations, chance = 60, random.Random(5)
    subprocess.run(command(tmp_path / "whole", folders, iterations), env=ENVIRONMENT, check=True, capture_output=True)
    killed = command(tmp_path / "killed", folders, iterations)
    kills = 0
    for _ in range(3):
        process = subprocess.Popen(killed, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        log = tmp_path / "killed" / LOG
        before = log.stat().st_size if log.exists() else 0
        while process.poll() is None and (not log.exists() or log.stat().st_size == before):
            time.sleep(0.02)
        time.sleep(chance.uniform(0, 0.5))
        kills += process.poll() is None
        process.kill()
        process.wait()
    assert kills >= 1, "the run was over before anything was killed"
    subprocess.run(killed, env=ENVIRONMENT, check=True, capture_output=True)
    assert (tmp_path / "killed" / LAST).read_bytes() == (tmp_path / "whole" / LAST).read_bytes()
    logs = [(tmp_path / name / LOG).read_text() for name in ("whole", "killed")]
    assert logs[0] == logs[1]


@pytest.mark.parametrize("sent", [pytest.param(signal.SIGINT, marks=pytest.mark.slow), signal.SIGTERM])
def test_a_polite_signal_saves_and_says_how_to_go_on(
    vnla: Vnla, folders: tuple[Path, Path], tmp_path: Path, sent: signal.Signals
) -> None:
    run, over = tmp_path / "run", threading.Event()

    def send() -> None:
        """As soon as the run has written of an iteration, and so listens to signals."""
        while not (run / LOG).exists() or not (run / LOG).stat().st_size:
            if over.wait(0.02):
                return
        os.kill(os.getpid(), sent)

    sender = threading.Thread(target=send)
    sender.start()
    try:
        answer = vnla(*command(run, folders, 100_000)[3:])
    finally:
        over.set()
        sender.join()
    assert answer.status == 128 + sent
    assert f"{sent.name}: stopping after this iteration and saving" in answer.err
    assert f"stopped by {sent.name} and saved" in answer.err
    assert (run / LAST).exists()


def test_a_training_that_has_lost_its_numbers_stops_and_keeps_nothing_of_it(
    folders: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = config_of(folders)
    wild = replace(config, training=replace(config.training, learning_rate=1e30, cooldown=0.0))
    with pytest.raises(
        InputError, match=r"at iteration \d or before its losses are no longer numbers: .* lower --learning-rate"
    ):
        train(tmp_path / "wild", wild, RunData.load(wild))
    assert not [*(tmp_path / "wild").glob("*.safetensors")]
    train(tmp_path / "run", config, RunData.load(config), iterations=3)
    before = {path.name: path.read_bytes() for path in (tmp_path / "run").glob("*.safetensors")}
    monkeypatch.setattr(Trainer, "finite", lambda _: PendingTensors({"agent.part": torch.tensor(False)}))
    with pytest.raises(InputError, match="at iteration 6 or before"):
        train(tmp_path / "run", config, RunData.load(config))
    assert {path.name: path.read_bytes() for path in (tmp_path / "run").glob("*.safetensors")} == before
