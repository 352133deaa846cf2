"""Commands are told to stop, or killed, at random moments; afterwards the same command ends with the same bytes.

A kill hits the command and all that it has started (SIGKILL to the group), or the command alone, so that what it has started
has to notice. Of a study that is being recorded everything must be there that was told to somebody.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

from torture.commands import COMMANDS, PAPER, Begun, Command, Material, is_there, left_in, load

SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
STUDY = "a study being recorded"
SHARES = {PAPER: 0.05, STUDY: 0.15}
"""Of the kills; the rest is shared by the other commands."""


def kills(work: Path, seed: int, count: int, commands: Sequence[str] = ()) -> Iterator[dict[str, Any]]:
    """A report on each command."""
    load(command for command in COMMANDS if not commands or command.name in commands)
    material = Material(work / "material")
    known = [each for each in (*(command.name for command in COMMANDS), STUDY) if not commands or each in commands]
    usual = [each for each in known if each not in SHARES]
    for name in known:
        random = Random(f"{seed} {name}")
        share = SHARES.get(name, (1 - sum(SHARES.values())) / max(1, len(usual)))
        times = max(1, round(count * (share if not commands else 1 / len(known))))
        folder = work / "kills" / name.replace(" ", "-")
        if name == STUDY:
            yield _recorded(folder, random, times)
        else:
            yield _killed(next(each for each in COMMANDS if each.name == name), material, folder, random, times)


def _begin(command: Command, material: Material, folder: Path) -> Begun:
    arguments = command.arguments(material, folder)
    return Begun(arguments, folder.with_name(f"{folder.name}.said"), command.before)


def _fresh(command: Command, material: Material, folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    command.prepare(material, folder)


def _killed(command: Command, material: Material, folder: Path, random: Random, times: int) -> dict[str, Any]:
    _fresh(command, material, folder)
    whole = _begin(command, material, folder).wait(600)
    if whole.status:
        raise RuntimeError(f"{command.name}: {whole.said}")
    expected = left_in(folder, command.passing)
    wrong: list[dict[str, Any]] = []
    hits = orphans = tries = 0
    usual, new = whole.seconds, True
    _fresh(command, material, folder)
    while hits < times and tries < 4 * times:
        begun = _begin(command, material, folder)
        early = begun.is_over(random.uniform(0, usual))
        number, alone = random.choice(SIGNALS), random.random() < 0.3
        if not early:
            with contextlib.suppress(ProcessLookupError):
                os.kill(begun.process, number) if alone else begun.send(number)
        ended = begun.wait()
        tries += 1
        if ended.status and not early:
            hits += 1
            print(f"{command.name}: {hits} of {times}", end="\r" if hits % 10 else "\n", file=sys.stderr, flush=True)
        if early and new:
            usual = ended.seconds  # other programs leave it more time now
        new = False
        about = {"try": tries, "signal": "none" if early else f"{number.name} to {'it' if alone else 'all'}"}
        if not begun.leaves_nobody():
            orphans += 1
            wrong.append({**about, "wrong": "processes stay"})
        if "Traceback" in ended.said or (early and ended.status and not is_there(ended.said)):
            wrong.append({**about, "wrong": ended.said[-1500:]})
        if random.random() < 0.4 or ended.status == 0:
            wrong += [{**about, "wrong": each} for each in _finished(command, material, folder, expected)]
            _fresh(command, material, folder)
            new = True
    wrong += [{"try": tries, "wrong": each} for each in _finished(command, material, folder, expected)]
    return {"command": command.name, "tries": tries, "hits": hits, "orphans": orphans, "wrong": wrong}


def _finished(command: Command, material: Material, folder: Path, expected: dict[str, str]) -> Iterator[str]:
    """What is wrong when the command is run to its end."""
    ended = _begin(command, material, folder).wait(600)
    if ended.status and not is_there(ended.said):
        yield f"cannot be resumed: {ended.said[-1000:]}"
    found = left_in(folder, command.passing)
    names = sorted(name for name in {*found, *expected} if found.get(name) != expected.get(name))
    if names:
        yield f"other bytes in {', '.join(names)[:500]}"


def _recorded(folder: Path, random: Random, times: int) -> dict[str, Any]:
    """Killed while it records: a session's log and the store of a study."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    wrong, told = [], 0
    for number in range(times):
        place = folder / str(number)
        place.mkdir()
        reader, writer = os.pipe()
        process = os.fork()
        if not process:
            os.close(reader)
            _record(place, writer)
        os.close(writer)
        first = os.read(reader, 1)  # it has begun
        time.sleep(random.uniform(0, 0.4))
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        with os.fdopen(reader) as stream:
            said = [json.loads(line) for line in (first.decode() + stream.read()).split("\n")[:-1]]
        told += len(said)
        wrong += [{"kill": number, "wrong": each} for each in _lost(place, said)]
    return {"command": STUDY, "tries": times, "hits": times, "told": told, "wrong": wrong}


def _store(place: Path) -> Any:
    from vnla.serve.study.store import Store, StudyKey

    return Store(place, StudyKey(b"key"), cells=2, patience=60)


def _record(place: Path, told: int) -> None:
    """Record for ever, and tell what is recorded."""
    from vnla.serve.limits import Limits
    from vnla.serve.sessions import Session

    try:
        store, session = _store(place), Session("one", place / "one.jsonl", Limits())
        somebody = store.join("token", "version")
        for number in range(1, 100_000):
            session._write([{"event": {"number": number}}], durable=number % 5 == 0)
            store.begin(somebody.id, number, f"task {number}")
            store.end(somebody.id, number, passed=bool(number % 2), acknowledged=number)
            os.write(told, (json.dumps([somebody.id, number]) + "\n").encode())
    finally:
        os._exit(1)


def _lost(place: Path, said: list[Any]) -> Iterator[str]:
    from vnla.serve.sessions import log_lines

    if not said:
        return
    who, last = said[-1]
    lines = [line["event"]["number"] for line in log_lines(place / "one.jsonl")]
    if lines != list(range(1, len(lines) + 1)) or len(lines) < last:
        yield f"{last} events were told, {len(lines)} are there"
    tries = _store(place).tries(who)
    ended = [each.number for each in tries if each.passed is not None]
    if len(ended) < last or [each.number for each in tries] != list(range(1, len(tries) + 1)):
        yield f"{last} tries were told, {len(ended)} are there"
