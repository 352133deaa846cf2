"""Checkpoints, and what else is in a run's folder."""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
import torch
from safetensors.torch import save
from torch import Tensor

from cottage_run import write_cottage
from vnla.common import files
from vnla.common.errors import InputError
from vnla.training.checkpoints import (
    CONFIG,
    LAST,
    LOG,
    best_rates,
    checkpoint,
    checkpoint_file,
    checkpoints_of,
    is_vacant,
    iterations_done,
    load_agent,
    open_run,
    read_checkpoint,
    read_notes,
)
from vnla.training.config import RunConfig, TrainingConfig
from vnla.training.data import RunData
from vnla.training.log import RunLog
from vnla.training.run import Run
from vnla.training.together import train


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, RunConfig, RunData]:
    folder = tmp_path_factory.mktemp("cottage")
    world, tasks = write_cottage(folder)
    config = RunConfig(
        world=str(world), tasks=str(tasks), features="symbolic", validate_every=1, keeps_checkpoints=True,
        training=TrainingConfig(iterations=2, batch=4), agent_options={"hidden": 8, "help_hidden": 8, "word_embedding": 8},
    )  # fmt: skip
    material = RunData.load(config)
    assert train(folder / "run", config, material) is None
    return folder / "run", config, material


def test_a_checkpoint_that_is_not_there_is_answered_with_those_that_are(run: tuple[Path, RunConfig, RunData]) -> None:
    assert checkpoints_of(run[0]) == ["val_seen", "val_unseen", "last", "1", "2"]
    with pytest.raises(InputError, match=r"run: has no checkpoint nope; it has val_seen, val_unseen, last, 1, 2$"):
        load_agent(*run, "nope")
    assert checkpoint(run[0], "2") == checkpoint(run[0], 2)


def test_a_run_without_any_says_when_there_will_be_one(run: tuple[Path, RunConfig, RunData], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="it has none yet; `vnla train` makes one at its first validation"):
        load_agent(tmp_path, *run[1:])


def test_an_agent_file_that_is_damaged_is_named(run: tuple[Path, RunConfig, RunData], tmp_path: Path) -> None:
    (tmp_path / LAST).write_bytes((run[0] / LAST).read_bytes()[:-10])
    with pytest.raises(InputError, match=r"last\.safetensors: cannot be read as a checkpoint"):
        load_agent(tmp_path, *run[1:], "last")


def test_an_agent_of_another_size_is_named(run: tuple[Path, RunConfig, RunData]) -> None:
    folder, config, material = run
    other = RunConfig(
        world=config.world, tasks=config.tasks, features="symbolic", agent_options={"hidden": 4, "help_hidden": 4}
    )
    with pytest.raises(InputError, match=r"last\.safetensors: does not fit the run's configuration: .*shape"):
        load_agent(folder, other, material, "last")


def test_notes_can_be_read_alone(run: tuple[Path, RunConfig, RunData]) -> None:
    file = run[0] / LAST
    notes = read_notes(file)
    assert notes == read_checkpoint(file)[1]
    assert iterations_done(file, notes) == 2
    with pytest.raises(InputError, match="does not say how many iterations"):
        iterations_done(file, {})


def test_a_folder_with_the_remains_of_a_beginning_is_vacant(tmp_path: Path) -> None:
    run = tmp_path / "run"
    assert is_vacant(run)
    run.mkdir()
    for name in (".lock", f".{CONFIG}.part-a1b2c3d4", ".vocab.txt.part-abcdefg_"):
        (run / name).touch()
    assert is_vacant(run)
    (run / "notes.txt").touch()
    assert not is_vacant(run)
    assert not is_vacant(run / "notes.txt")


def test_a_run_that_could_not_write_its_second_file_can_be_begun_again(
    run: tuple[Path, RunConfig, RunData], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, config, material = run
    places, write = [], files.write_text

    def full(path: Path, text: str) -> None:
        places.append(path)
        if len(places) > 1:
            raise InputError(f"{path}: cannot be written (No space left on device)")
        write(path, text)

    with monkeypatch.context() as patch, pytest.raises(InputError, match="No space left"):
        patch.setattr(files, "write_text", full)
        train(tmp_path / "run", config, material)
    assert len(places) == 2
    assert train(tmp_path / "run", open_run(tmp_path / "run", config), material) is None
    assert (tmp_path / "run" / LAST).read_bytes() == (run[0] / LAST).read_bytes()


def test_what_was_told_of_iterations_is_on_disk_before_they_count(
    run: tuple[Path, RunConfig, RunData], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, config, material = run
    lines: list[int] = []
    synced: list[int] = []
    write = files.write_bytes

    def sync(_: RunLog) -> None:
        synced[:] = [json.loads(line)["iteration"] for line in (tmp_path / "run" / LOG).read_text().splitlines()]

    def written(path: Path, data: bytes) -> None:
        write(path, data)
        if path.name == LAST:
            done = iterations_done(path, read_notes(path))
            lines.append(sum(iteration <= done for iteration in synced))

    monkeypatch.setattr(RunLog, "sync", sync)
    monkeypatch.setattr(files, "write_bytes", written)
    train(tmp_path / "run", config, material)
    assert lines == [1, 3], "a validation; losses, which the last iteration has, and a validation"


def test_one_changed_bit_anywhere_is_noticed(run: tuple[Path, RunConfig, RunData], tmp_path: Path) -> None:
    data = (run[0] / LAST).read_bytes()
    copy = tmp_path / LAST
    copy.write_bytes(data)
    whole, _ = read_checkpoint(copy)
    random = Random(5)
    places = [*random.sample(range(len(data)), 150), *range(len(data) - 8, len(data))]
    for place in places:
        damaged = bytearray(data)
        damaged[place] ^= 1 << random.randrange(8)
        copy.write_bytes(damaged)
        with contextlib.suppress(InputError):
            tensors, notes = read_checkpoint(copy)
            # What is let through has lost the name of its checksum, and nothing else.
            assert "sha256" not in notes and all(tensor.equal(whole[name]) for name, tensor in tensors.items())


def test_checkpoints_of_earlier_versions_have_no_checksum(run: tuple[Path, RunConfig, RunData], tmp_path: Path) -> None:
    tensors, notes = read_checkpoint(run[0] / LAST)
    assert len(notes.pop("sha256")) == 64
    (tmp_path / LAST).write_bytes(save(tensors, {"notes": json.dumps(notes)}))
    assert read_checkpoint(tmp_path / LAST)[1] == notes


@pytest.mark.parametrize(
    "notes",
    [
        '{"done": "1e3"}',
        '{"done": "-1"}',
        '{"done": ""}',
        '{"done": "٣"}',
        '{"done": "' + "9" * 5000 + '"}',
        "{}",
        '{"done": 3}',
    ],
)
def test_notes_that_do_not_say_how_far_it_was_are_refused(tmp_path: Path, notes: str) -> None:
    (tmp_path / LAST).write_bytes(save({}, {"notes": notes}))
    with pytest.raises(InputError, match="cannot be read as a checkpoint"):
        iterations_done(tmp_path / LAST, read_notes(tmp_path / LAST))


@pytest.mark.parametrize("notes", ["[]", "7", '"x"', "[" * 100_000, '{"best": [1]}', "no"])
def test_notes_of_another_kind_are_refused(tmp_path: Path, notes: str) -> None:
    (tmp_path / LAST).write_bytes(save({}, {"notes": notes}))
    with pytest.raises(InputError, match="cannot be read as a checkpoint"):
        read_checkpoint(tmp_path / LAST)


@pytest.mark.parametrize(
    "best",
    [
        "[]", '{"val_seen": "x"}', '{"val_seen": null}', "{", '{"val_seen": NaN}', '{"val_seen": 1e999}', '{"val_seen": -1}',
        '{"val_seen": 1' + "0" * 400 + "}",
    ],
)  # fmt: skip
def test_success_rates_that_are_no_numbers_are_refused(tmp_path: Path, best: str) -> None:
    with pytest.raises(InputError, match="its best success rates are no numbers from 0 to 100"):
        best_rates(tmp_path / LAST, {"best": best})


def test_an_optimiser_of_another_size_is_refused(run: tuple[Path, RunConfig, RunData], tmp_path: Path) -> None:
    tensors, notes = read_checkpoint(run[0] / LAST)
    name = next(each for each in tensors if each.startswith("adam.exp_avg."))
    (tmp_path / LAST).write_bytes(checkpoint_file({**tensors, name: tensors[name][:-1].contiguous()}, notes))
    with pytest.raises(InputError, match=r"last\.safetensors: does not fit the run's configuration: the optimiser's state"):
        Run(tmp_path, run[1], run[2])


BIAS = "navigation.output.bias"
UNFIT, DAMAGED = "does not fit the run's configuration", "is damaged"
STATE = f"{UNFIT}: the optimiser's state of {BIAS}$"
WRONG: dict[str, tuple[str, Callable[[Tensor], Tensor], str]] = {
    "two steps": ("adam.step", lambda each: each.repeat(2), STATE),
    "a step of no dimension": ("adam.step", lambda each: each.reshape(()), STATE),
    "a step for each": ("adam.step", lambda each: each.repeat(6), STATE),
    "a whole step": ("adam.step", Tensor.long, rf"{UNFIT}: adam\.step\.{BIAS} is int64, expected float32"),
    "a step below 0": ("adam.step", torch.neg, rf"{DAMAGED}: adam\.step\.{BIAS} has values that are below 0 or no numbers"),
    "no step": ("adam.step", lambda each: each * math.nan, rf"{DAMAGED}: adam\.step\.{BIAS} has values"),
    "endless steps": ("adam.step", lambda each: each * math.inf, rf"{DAMAGED}: adam\.step\.{BIAS} has values"),
    "one mean": ("adam.exp_avg", lambda each: each[:1], STATE),
    "half a mean": ("adam.exp_avg", Tensor.half, rf"{UNFIT}: adam\.exp_avg\.{BIAS} is float16, expected float32"),
    "no mean": ("adam.exp_avg", lambda each: each * math.nan, rf"{DAMAGED}: adam\.exp_avg\.{BIAS} has values"),
    "a square below 0": ("adam.exp_avg_sq", lambda each: each - 1, rf"{DAMAGED}: adam\.exp_avg_sq\.{BIAS} has values"),
    "whole weights": ("agent", Tensor.int, rf"{UNFIT}: agent\.{BIAS} is int32, expected float32"),
    "no weights": ("agent", lambda each: each * math.inf, rf"{DAMAGED}: agent\.{BIAS} has values that are no numbers"),
}
"""What is wrong → which tensor, how it is changed, and what is said."""


@pytest.mark.parametrize("name", WRONG)
def test_what_nothing_can_go_on_from_is_refused_though_its_checksum_is_right(
    name: str, run: tuple[Path, RunConfig, RunData], tmp_path: Path
) -> None:
    tensors, notes = read_checkpoint(run[0] / LAST)
    part, change, said = WRONG[name]
    key = f"{part}.{BIAS}"
    (tmp_path / LAST).write_bytes(checkpoint_file({**tensors, key: change(tensors[key]).contiguous()}, notes))
    with pytest.raises(InputError, match=rf"last\.safetensors: {said}"):
        Run(tmp_path, run[1], run[2])


def test_a_part_of_the_optimisers_state_is_refused(run: tuple[Path, RunConfig, RunData], tmp_path: Path) -> None:
    tensors, notes = read_checkpoint(run[0] / LAST)
    del tensors[f"adam.exp_avg_sq.{BIAS}"]
    (tmp_path / LAST).write_bytes(checkpoint_file(tensors, notes))
    with pytest.raises(InputError, match=STATE):
        Run(tmp_path, run[1], run[2])
