"""Stages that machines share: who does which, in any order, and what the merge makes of it; stages begun again elsewhere."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest

import tiny_paper
from stage_work import diary, make
from vnla.common.errors import InputError
from vnla.pipeline.executor import Executor, StageCall, StageEvent, StageResult, WorkerLost
from vnla.pipeline.scheduler import StageCallbacks, WaitingError, run_stages
from vnla.pipeline.shards.shard import Shard
from vnla.pipeline.sharing import Sharing, divided
from vnla.pipeline.stages import Stage, StageGraph, StageRecords

NAMES = (
    "ground",
    "cut/1",
    "cut/2",
    "cut",
    "train/a",
    "train/b",
    "train/c",
    "choose",
    "eval/a",
    "eval/b",
    "eval/c",
    "report",
)


def experiments(out: Path, pieces: int = 2, config: int = 1) -> list[Stage]:
    """A graph like that of the paper: ground, something cut into pieces, trainings, a choice among two, a report."""

    def stage(name: str, *after: str, apart: bool = False, piece_of: str = "") -> Stage:
        made = out / name.replace("/", "-")
        return Stage(name, make, (out, made.name), made, after, config, apart=apart, piece_of=piece_of)

    cuts = [f"cut/{number + 1}" for number in range(pieces)]
    trained = [f"train/{name}" for name in "abc"]
    evaluated = [stage("eval/a", "train/a", "choose"), stage("eval/b", "train/b"), stage("eval/c", "train/c")]
    stages = [
        stage("ground"),
        *(stage(name, "ground", apart=True, piece_of="cut") for name in cuts),
        stage("cut", "ground", *cuts),
        *(stage(name, "cut", apart=True) for name in trained),
        stage("choose", "train/a", "train/b"),
        *evaluated,
    ]
    return [*stages, stage("report", *(each.name for each in stages))]


def share(stages: Sequence[Stage], out: Path, text: str, minutes: float = 0, command: str = "vnla paper OUT") -> None:
    sharing = Sharing.asked_for(text, minutes)
    assert sharing is not None
    with sharing.taking(stages, out, command, 1, "cpu") as own:
        run_stages(stages, out, StageCallbacks(), 1, only=own, patience=sharing.patience)


def test_who_does_what() -> None:
    owners = divided(StageGraph(experiments(Path("out"))), 2)
    assert owners == {
        "ground": 1, "cut/1": 1, "cut/2": 2, "cut": 1,
        "train/a": 2,  # the first has made the ground and put the pieces together
        "train/b": 2, "train/c": 1,
        "choose": 2, "eval/a": 2, "eval/b": 2, "eval/c": 1,
        "report": None,
    }  # fmt: skip


@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_however_much_is_cut_the_same_machine_trains_the_same(count: int) -> None:
    found = [divided(StageGraph(experiments(Path("out"), pieces)), count) for pieces in (0, 2, count)]
    assert all({name: each[name] for name in found[0]} == found[0] for each in found)


def test_pieces_are_no_part_of_a_fingerprint() -> None:
    whole, cut = (StageGraph(experiments(Path("out"), pieces)) for pieces in (0, 3))
    assert whole.fingerprint == cut.fingerprint
    assert {name: cut.fingerprints[name] for name in ("cut", "train/a")} == {
        name: whole.fingerprints[name] for name in ("cut", "train/a")
    }


def test_shards_go_on_in_rounds_and_the_merge_writes_the_report(tmp_path: Path) -> None:
    stages, out = experiments(tmp_path / "out"), tmp_path / "out"
    with pytest.raises(WaitingError, match=r"6 stages wait for what others do \(ground.*same command goes on"):
        share(stages, out, "2/2")
    assert diary(out) == []
    with pytest.raises(WaitingError, match=r"cut/2"):
        share(stages, out, "1/2")
    with pytest.raises(InputError, match=r"shards 1/2, 2/2 are missing or unfinished"):
        share(stages, out, "merge")
    with pytest.raises(WaitingError, match="cut"):
        share(stages, out, "2/2")
    share(stages, out, "1/2")
    share(stages, out, "2/2")
    assert "report" not in diary(out)
    share(experiments(out, pieces=0), out, "merge")  # the merge does not know how many pieces there were
    assert diary(out)[-1] == "report" and sorted(diary(out)) == sorted(name.replace("/", "-") for name in NAMES)
    run_stages(experiments(out, pieces=0), out, StageCallbacks(), 1)  # and one machine has nothing left to do
    assert len(diary(out)) == len(NAMES)
    assert not out.with_name("out.shards").exists()


@pytest.mark.slow
def test_experiments_by_shards_end_with_the_bytes_of_one_machine(tmp_path: Path) -> None:
    tiny_paper.run_table(tmp_path / "one")
    left, rounds = [Sharing(Shard(number, 2)) for number in (1, 2)], 0
    while left:
        rounds += 1
        assert rounds < 9, "they wait for each other for ever"
        for sharing in list(left):
            with suppress(WaitingError):
                tiny_paper.run_table(tmp_path / "many", sharing=sharing)
                left.remove(sharing)
    tiny_paper.run_table(tmp_path / "many", sharing=Sharing(None))
    one, other = (tiny_paper.contents_of(tmp_path / name) for name in ("one", "many"))
    assert one.keys() == other.keys() and "world/features/pixels/features.f16" in one
    assert [name for name in one if one[name] != other[name]] == []


def test_shards_wait_for_each_other_where_they_are_told_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vnla.pipeline.scheduler.LOOK_SECONDS", 0.05)
    monkeypatch.setattr("vnla.pipeline.scheduler.TICK_SECONDS", 0.05)
    stages, out = experiments(tmp_path / "out"), tmp_path / "out"
    others = threading.Thread(target=share, args=(stages, out, "2/2", 1))
    others.start()
    share(stages, out, "1/2", 1)
    others.join()
    share(stages, out, "merge")
    assert sorted(diary(out)) == sorted(name.replace("/", "-") for name in NAMES)


def test_another_configuration_is_told_at_the_beginning(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(WaitingError):
        share(experiments(out), out, "2/2")
    with pytest.raises(InputError, match=r"something else \(command vnla paper OUT there, vnla paper OUT --seed 1 here"):
        share(experiments(out, config=2), out, "1/2", command=f"vnla paper {out} --seed 1")
    assert diary(out) == []


def test_the_merge_notices_what_was_removed(tmp_path: Path) -> None:
    stages, out = experiments(tmp_path / "out", pieces=0), tmp_path / "out"
    share(stages, out, "1/1")
    (out / "train-b").unlink()
    with pytest.raises(InputError, match="train/b is not done; run the same command with --shard 1/1"):
        share(stages, out, "merge")


def test_waiting_belongs_to_shards() -> None:
    with pytest.raises(InputError, match="--wait: is for --shard"):
        Sharing.asked_for(None, 5)


class Failing(Executor):
    """An executor that runs stages in this process, but loses whoever has a stage so many times at first."""

    tries, machine_cores = 3, 1

    def __init__(self, losses: int) -> None:
        self.losses, self.waiting = losses, list[StageCall]()

    def fits(self, _stage: Stage, running: Sequence[Stage], _taken: float) -> bool:
        return not running

    def begin(self, call: StageCall, _stage: Stage) -> StageCall:  # type: ignore[override]
        self.waiting.append(call)
        return call

    def events(self, futures: Sequence[StageCall], _seconds: float) -> list[tuple[StageCall, StageEvent]]:
        (call,) = futures
        call.work(*call.given, lambda *_: None)
        if self.losses:
            self.losses -= 1
            return [(call, WorkerLost("its machine is gone"))]
        return [(call, StageResult())]

    def close(self, *, at_once: bool) -> None:
        assert not at_once


def test_what_was_lost_is_begun_again_from_nothing(tmp_path: Path) -> None:
    from stage_work import make_new

    stage = Stage("a", make_new, (tmp_path, "a"), tmp_path / "a")  # refuses to work where something was left
    run_stages([stage], tmp_path, StageCallbacks(), 1, executor=Failing(2))
    assert diary(tmp_path) == ["a", "a", "a"]
    assert StageRecords(tmp_path / "stages", StageGraph([stage])).is_done(stage)


def test_what_is_lost_again_and_again_has_failed(tmp_path: Path) -> None:
    stage = Stage("a", make, (tmp_path, "a"), tmp_path / "a")
    with pytest.raises(InputError, match="stage a: its machine is gone; the same command continues where it was"):
        run_stages([stage], tmp_path, StageCallbacks(), 1, executor=Failing(3))


def test_stages_done_together_are_divided_among_devices(tmp_path: Path) -> None:
    from stage_work import make_all

    class Three(Failing):
        def fits(self, _stage: Stage, running: Sequence[Stage], _taken: float) -> bool:
            return len(running) < 3

        def devices(self, running: Sequence[Stage]) -> int:
            return 3 - len(running)

        def events(self, futures: Sequence[StageCall], _seconds: float) -> list[tuple[StageCall, StageEvent]]:
            for call in futures:
                call.work(*call.given, lambda *_: None)
            return [(call, StageResult()) for call in futures]

    stages = [Stage(name, make, (tmp_path, name), tmp_path / name, device="cuda", joint=make_all) for name in "abcdefg"]
    run_stages(stages, tmp_path, StageCallbacks(), 1, executor=Three(0))
    assert diary(tmp_path) == ["a+b+c", "d+e", "f+g"]
