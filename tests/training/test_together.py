"""Trainings side by side: each ends as if it had been alone."""

from __future__ import annotations

import os
import shutil
import signal
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from cottage_run import write_cottage
from vnla.common import stopping
from vnla.common.device_stream import HostStream
from vnla.common.errors import InputError
from vnla.training import run as training_run
from vnla.training.checkpoints import LAST, LOG, done_in, is_finished
from vnla.training.config import WORDS, RunConfig, TrainingConfig
from vnla.training.data import RunData
from vnla.training.run import DivergedError, Run, RunCallbacks
from vnla.training.together import TrainingCallbacks, _LoadedData, train, train_runs, train_together

SIZES = {"hidden": 16, "help_hidden": 16, "word_embedding": 8}
WRITTEN = (LAST, LOG, "best_val_seen.safetensors", "best_val_unseen.safetensors", "config.json")


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return write_cottage(tmp_path_factory.mktemp("cottage"))


def config_of(folders: tuple[Path, Path], policy: str, seed: int = 0, iterations: int = 4) -> RunConfig:
    training = TrainingConfig(iterations=iterations, batch=4, learning_rate=1e-2, seed=seed)
    return RunConfig(
        world=str(folders[0]), tasks=str(folders[1]), features="symbolic", help_policy=policy, validate_every=2,
        training=training, agent_options=SIZES,
    )  # fmt: skip


def configs_of(folders: tuple[Path, Path], iterations: int = 3) -> dict[str, RunConfig]:
    return {
        "none": config_of(folders, "none", iterations=iterations),
        "learned": config_of(folders, "learned", iterations=iterations + 1),
        "other": config_of(folders, "learned", seed=5, iterations=iterations),
    }


def test_a_run_trained_with_others_ends_as_if_alone(folders: tuple[Path, Path], tmp_path: Path) -> None:
    configs = configs_of(folders)
    assert train_together([(tmp_path / "together" / name, config) for name, config in configs.items()], "cpu") is None
    for name, config in configs.items():
        alone = tmp_path / "alone" / name
        assert train(alone, config, RunData.load(config)) is None
        for file in WRITTEN:
            assert (tmp_path / "together" / name / file).read_bytes() == (alone / file).read_bytes(), (name, file)


def test_learning_to_ask_does_not_change_how_an_agent_learns_to_walk(folders: tuple[Path, Path], tmp_path: Path) -> None:
    configs = {name: config_of(folders, name) for name in ("learned", "teacher")}
    assert train_together([(tmp_path / name, config) for name, config in configs.items()], "cpu") is None
    learned, teacher = (load_file(tmp_path / name / LAST) for name in configs)
    walking = [name for name in learned if name.startswith("agent.navigation.")]
    assert walking and all(torch.equal(learned[name], teacher[name]) for name in walking)
    assert any(not torch.equal(learned[name], teacher[name]) for name in learned if name.startswith("agent.help."))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_so_it_is_on_a_gpu(folders: tuple[Path, Path], tmp_path: Path) -> None:
    configs = configs_of(folders)
    train_together([(tmp_path / "together" / name, config) for name, config in configs.items()], "cuda")
    for name, config in configs.items():
        train_together([(tmp_path / "alone" / name, config)], "cuda")
        for file in WRITTEN:
            assert (tmp_path / "together" / name / file).read_bytes() == (tmp_path / "alone" / name / file).read_bytes()


@pytest.mark.slow
def test_runs_go_on_together_after_a_polite_stop(folders: tuple[Path, Path], tmp_path: Path) -> None:
    configs = configs_of(folders, 12)
    runs = [(tmp_path / "stopped" / name, config) for name, config in configs.items()]
    asked = threading.Event()

    def stop_once(_: object) -> None:
        if not asked.is_set():
            asked.set()
            os.kill(os.getpid(), signal.SIGTERM)

    assert train_together(runs, "cpu", TrainingCallbacks(lambda _: RunCallbacks(report=stop_once))) == signal.SIGTERM
    assert all((path / LAST).exists() for path, _ in runs)
    # No configuration: what is in the folders is what goes on.
    assert train_together([(path, None) for path, _ in runs], "cpu") is None
    assert train_together([(tmp_path / "whole" / name, config) for name, config in configs.items()], "cpu") is None
    for name in configs:
        for file in WRITTEN:
            assert (tmp_path / "stopped" / name / file).read_bytes() == (tmp_path / "whole" / name / file).read_bytes()


def wild_of(config: RunConfig) -> RunConfig:
    """The same, but it diverges in its first iterations."""
    return replace(config, training=replace(config.training, learning_rate=1e30))


def test_of_runs_side_by_side_only_the_one_that_diverges_ends(folders: tuple[Path, Path], tmp_path: Path) -> None:
    configs = {name: each for name, each in configs_of(folders).items() if name != "other"}
    wild = tmp_path / "together" / "wild"
    runs = [(wild, wild_of(configs["learned"])), *((tmp_path / "together" / name, each) for name, each in configs.items())]
    told: list[tuple[Path, str]] = []
    with pytest.raises(DivergedError, match=r"wild: at iteration 2 or before its losses are no longer numbers") as error:
        train_together(runs, "cpu", TrainingCallbacks(diverged=lambda path, line: told.append((path, line))))
    assert told == [(wild, str(error.value))] and error.value.lines == dict(told)
    assert not [*wild.glob("*.safetensors")]
    for name, config in configs.items():
        alone = tmp_path / "alone" / name
        train(alone, config, RunData.load(config))
        for file in WRITTEN:
            assert (tmp_path / "together" / name / file).read_bytes() == (alone / file).read_bytes(), (name, file)


def test_several_that_diverge_are_one_line(folders: tuple[Path, Path], tmp_path: Path) -> None:
    config = wild_of(config_of(folders, "none"))
    runs: list[tuple[Path, RunConfig | None]] = [(tmp_path / name, config) for name in "ab"]
    said = "2 runs have ended because their losses are no longer numbers: .*a, .*b; begin anew with a lower --learning-rate$"
    with pytest.raises(DivergedError, match=said) as error:
        train_together(runs, "cpu")
    assert all(f"{path}: at iteration 2 or before" in error.value.lines[path] for path, _ in runs)


def test_a_run_that_is_found_to_have_diverged_when_all_are_saved_leaves_the_others_theirs(
    folders: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped at once; that one of them has diverged is known only when it is waited for."""
    runs: list[tuple[Path, RunConfig | None]] = [(tmp_path / name, config_of(folders, "none")) for name in ("good", "wild")]
    saved, receive = Run.save, Run._receive

    def save(run: Run) -> None:
        with monkeypatch.context() as patch:
            patch.setattr(Run, "_receive", lambda *_: None)  # nothing has arrived yet
            saved(run)

    def late(run: Run, wait: bool = False) -> None:
        if run.path.name == "wild" and wait and run._awaited:
            raise run._diverged(run.done)
        receive(run, wait)

    monkeypatch.setattr(Run, "save", save)
    monkeypatch.setattr(Run, "_receive", late)
    began = TrainingCallbacks(began=lambda _: send(signal.SIGTERM))
    assert train_together(runs, "cpu", began) == signal.SIGTERM
    assert (tmp_path / "good" / LAST).exists() and not (tmp_path / "wild" / LAST).exists()


def send(number: int) -> None:
    os.kill(os.getpid(), number)


@pytest.mark.parametrize("split", [pytest.param("val_seen", marks=pytest.mark.slow), "val_unseen"])
def test_a_validation_that_was_cut_off_is_done_when_the_run_goes_on(
    folders: tuple[Path, Path], tmp_path: Path, split: str
) -> None:
    """Stopped in the validation of iteration 2, then in that of iteration 5, the last."""
    config = config_of(folders, "learned", iterations=5)
    material = RunData.load(config)
    train(tmp_path / "whole", config, material)
    recorded: list[int] = []

    def stop(which: str, done: int, of: int) -> None:
        if which == split:
            assert done < of, "the validation went on to its end"
            send(signal.SIGINT)

    def go_on(progress: RunCallbacks) -> int | None:
        return train(tmp_path / "cut", config, material, progress)

    for iteration in (2, 5):
        if iteration == 5:
            assert go_on(RunCallbacks(validated=lambda _: send(signal.SIGTERM))) == signal.SIGTERM  # after iteration 2's
            assert go_on(RunCallbacks(validated=lambda _: send(signal.SIGTERM))) == signal.SIGTERM  # after iteration 4's
        cut = RunCallbacks(validating=stop, validated=lambda record: recorded.append(record["iteration"]))
        assert go_on(cut) == signal.SIGINT
        assert done_in(tmp_path / "cut") == iteration
        assert not is_finished(tmp_path / "cut", config)
    assert recorded == []
    assert go_on(RunCallbacks()) is None
    for file in WRITTEN:
        assert (tmp_path / "cut" / file).read_bytes() == (tmp_path / "whole" / file).read_bytes(), file


def test_a_second_signal_ends_it_without_a_checkpoint_and_without_harm(
    folders: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stopping, "AT_ONCE", 0.0)
    monkeypatch.setattr(training_run, "REPORT_EVERY", 3)
    config = config_of(folders, "none")
    material = RunData.load(config)
    heard: list[int] = []

    def twice(_: object) -> None:
        while not (tmp_path / "run" / LAST).exists():  # it is written beside training
            time.sleep(0.01)
        send(signal.SIGINT)
        send(signal.SIGTERM)

    audience = TrainingCallbacks(lambda _: RunCallbacks(report=twice), stopping=lambda stop: heard.append(stop.times))
    assert train_runs([(tmp_path / "run", config)], lambda _: material, audience) == signal.SIGTERM
    assert heard == [1, 2]
    assert done_in(tmp_path / "run") == 2  # the first report is at 3
    assert train(tmp_path / "run", None, material) is None
    train(tmp_path / "whole", config, material)
    for file in WRITTEN:
        assert (tmp_path / "run" / file).read_bytes() == (tmp_path / "whole" / file).read_bytes(), file


def test_a_signal_while_loading_ends_it_at_once_and_leaves_nothing(folders: tuple[Path, Path], tmp_path: Path) -> None:
    def material_of(_: RunConfig) -> RunData:
        send(signal.SIGTERM)
        raise AssertionError("loading went on")

    assert train_runs([(tmp_path / "run", config_of(folders, "none"))], material_of) == signal.SIGTERM
    assert not (tmp_path / "run").exists()


def test_nothing_is_written_before_all_runs_are_checked(folders: tuple[Path, Path], tmp_path: Path) -> None:
    good = config_of(folders, "none")
    for wrong in (replace(good, world=str(tmp_path / "no")), replace(good, tasks=str(tmp_path / "no"))):
        with pytest.raises(InputError, match="no such directory"):
            train_together([(tmp_path / "good", good), (tmp_path / "wrong", wrong)], "cpu")
    assert list(tmp_path.iterdir()) == []


def test_two_cannot_train_one_run(folders: tuple[Path, Path], tmp_path: Path) -> None:
    """Neither while it is being trained nor where both begin it: the second to be ready is told so."""
    config = config_of(folders, "none", iterations=1)
    material = RunData.load(config)
    refused: list[str] = []

    def again(_: object) -> None:
        with pytest.raises(InputError, match="another process is at work there") as error:
            train(tmp_path / "run", None, material)
        refused.append(str(error.value))

    train(tmp_path / "run", config, material, RunCallbacks(report=again))
    assert len(refused) == 1

    def overtaken(_: RunConfig) -> RunData:
        train(tmp_path / "both", config, material)
        return material

    with pytest.raises(InputError, match="another process has begun this run meanwhile"):
        train_runs([(tmp_path / "both", config)], overtaken)


def test_a_run_that_was_killed_as_it_began_can_begin_again(folders: tuple[Path, Path], tmp_path: Path) -> None:
    config = config_of(folders, "none", iterations=1)
    (tmp_path / "run").mkdir()
    remains = [tmp_path / "run" / name for name in (".config.json.part-abcd1234", ".last.safetensors.part-abcd1234")]
    for path in remains:
        path.write_text("half of it")
    train(tmp_path / "run", config, RunData.load(config))
    assert not any(path.exists() for path in remains)
    assert done_in(tmp_path / "run") == 1


def test_a_run_given_more_iterations_ends_as_one_begun_with_them(folders: tuple[Path, Path], tmp_path: Path) -> None:
    """Where the learning rate does not fall; and 2 iterations end with a validation that is due anyway."""
    short, longer = config_of(folders, "learned", iterations=2), config_of(folders, "learned", iterations=4)
    material = RunData.load(short)
    train(tmp_path / "longer", longer, material)
    train(tmp_path / "extended", short, material)
    train(tmp_path / "extended", longer, material)
    for file in set(WRITTEN) - {LOG}:
        assert (tmp_path / "extended" / file).read_bytes() == (tmp_path / "longer" / file).read_bytes(), file


def test_another_data_set_is_not_taken_for_one_that_was_moved(folders: tuple[Path, Path], tmp_path: Path) -> None:
    config = config_of(folders, "none", iterations=1)
    train_together([(tmp_path / "run", config)], "cpu")
    before = (tmp_path / "run" / "config.json").read_text()
    shutil.copytree(folders[1], tmp_path / "tasks")
    moved = replace(config, tasks=str(tmp_path / "tasks"), training=replace(config.training, iterations=2))
    for file in (tmp_path / "tasks").iterdir():
        file.write_text(file.read_text().replace("Find", "Fetch").replace("find", "fetch"))
    with pytest.raises(InputError, match=r"has other words than the data set that .*run was begun with"):
        train_together([(tmp_path / "run", moved)], "cpu")
    assert (tmp_path / "run" / "config.json").read_text() == before


def test_the_world_is_loaded_once(folders: tuple[Path, Path], tmp_path: Path) -> None:
    materials = _LoadedData("cpu")
    config = config_of(folders, "none")
    material = materials.of(config)
    assert materials.of(config_of(folders, "learned", seed=3)) is material
    shutil.copytree(folders[1], tmp_path / "tasks")
    other = materials.of(replace(config, tasks=str(tmp_path / "tasks")))
    assert other.views is material.views and other.world is material.world and other.dataset is not material.dataset
    for name in ("one", "two"):  # agents with the same words may begin any number of runs
        (tmp_path / name).mkdir()
        (tmp_path / name / WORDS).write_text(material.dataset.vocabulary.text())
    first, second = (materials.of(replace(config, begins_with=str(tmp_path / name))) for name in ("one", "two"))
    assert first is second and first.views is material.views


def test_one_run_twice_is_refused(folders: tuple[Path, Path], tmp_path: Path) -> None:
    config = config_of(folders, "none")
    with pytest.raises(InputError, match="given twice"):
        train_together([(tmp_path / "run", config), (tmp_path / "run", config)], "cpu")


def test_runs_that_are_done_are_left_alone(folders: tuple[Path, Path], tmp_path: Path) -> None:
    config = config_of(folders, "none", iterations=3)
    train_together([(tmp_path / "run", config)], "cpu")
    before = (tmp_path / "run" / LAST).stat().st_mtime_ns
    time.sleep(0.01)
    longer = replace(config, help_policy="first")
    assert train_together([(tmp_path / "run", None), (tmp_path / "more", longer)], "cpu") is None
    assert (tmp_path / "run" / LAST).stat().st_mtime_ns == before
    assert (tmp_path / "more" / LAST).exists()


def test_what_a_lane_draws_follows_from_its_seed_alone() -> None:
    first, second = HostStream(), HostStream()
    with first.drawing(1):
        expected = torch.rand(3)
    with second.drawing(2):
        torch.rand(5)
    with first.drawing(1):
        assert torch.equal(torch.rand(3), expected)
