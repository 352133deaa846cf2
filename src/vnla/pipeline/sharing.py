"""Stages that several machines share without speaking with each other: which are whose, and the merge.

They need a folder that all of them see. Each does its own stages where they would be on one machine, and finds those of
others by their records. Pieces of a stage go round; a training goes where least is to be done so far. What comes before any
training is done by the first, and all else goes with what it builds on. The stage that builds on everything, the report, is
left to the merge.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from vnla.common.errors import InputError
from vnla.pipeline.scheduler import RECORDS
from vnla.pipeline.shards.parts import ShardParts
from vnla.pipeline.shards.shard import MERGE, Shard
from vnla.pipeline.stages import Stage, StageGraph, StageRecords


@dataclass(frozen=True)
class Sharing:
    """A machine's part in stages that several share: a shard, or the merge. It waits for others so many minutes."""

    shard: Shard | None
    patience: float = 0.0

    @classmethod
    def asked_for(cls, text: str | None, minutes: float) -> Sharing | None:
        """What the options `--shard` and `--wait` say."""
        if text is None:
            if minutes:
                raise InputError("--wait: is for --shard i/n, which may have to wait for others")
            return None
        return cls(None if text == MERGE else Shard.parse(text), minutes * 60)

    @property
    def pieces(self) -> int:
        """Into how many pieces large stages are cut."""
        return 1 if self.shard is None else self.shard.count

    @contextmanager
    def taking(self, stages: Sequence[Stage], out: Path, command: str, threads: int, device: str) -> Iterator[list[str]]:
        """The names of the stages to carry out in the block. Others are known to have the same version and configuration."""
        graph = StageGraph(stages)
        config = {
            "command": command.replace(str(out), "OUT"),
            "threads": threads,
            "device": device.partition(":")[0],
            "stages": graph.fingerprint[:16],
        }
        parts = ShardParts(out, "experiments", config)
        if self.shard is not None:
            owners = divided(graph, self.shard.count)
            with parts.making(self.shard):
                yield [name for name, owner in owners.items() if owner == self.shard.number]
            return
        count = len(parts.complete())
        left = [name for name, owner in divided(graph, count).items() if owner is None]
        _check(graph, out, left, count)
        yield left
        parts.remove()


def divided(graph: StageGraph, count: int) -> dict[str, int | None]:
    """The shard of so many, from 1, that does each stage; None for what is left to the merge."""
    followed = {name for stage in graph.stages.values() for name in stage.after}
    load, owner, ground = [0.0] * count, dict[str, int | None](), set[str]()
    pieces = [stage for stage in graph.stages.values() if stage.piece_of]
    for name, stage in graph.stages.items():
        before = {owner[each] for each in stage.after if each not in ground} - {None}
        if stage.piece_of:  # no load: who trains what is the same however much was cut
            owner[name] = pieces.index(stage) % count + 1
            ground.add(name)
            continue
        if stage.apart:
            number = min(range(1, count + 1), key=lambda each: (load[each - 1], each not in before, each))
        elif not before:
            number = 1
            ground.add(name)
        elif len(before) > 1 and name not in followed:
            owner[name] = None
            continue
        else:
            number = max(filter(None, before))
        owner[name] = number
        load[number - 1] += stage.weight
    return owner


def _check(graph: StageGraph, out: Path, left: Sequence[str], count: int) -> None:
    """That all is done that is not left to the merge."""
    records = StageRecords(out / RECORDS, graph)
    for name, owner in divided(graph, count).items():
        stage = graph.stages[name]
        if name not in left and not stage.piece_of and not records.is_done(stage):
            raise InputError(
                f"{out}: {name} is not done; run the same command with --shard {owner}/{count}, and then merge again"
            )
