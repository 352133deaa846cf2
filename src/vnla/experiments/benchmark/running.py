"""Try a contestant under every condition, and write its entry; a run that is ended continues where it was.

What is done is kept beside the entry, in `OUT.unfinished`, until all is there.
"""

from __future__ import annotations

import gzip
import json
import shutil
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from vnla import __version__
from vnla.common import files
from vnla.common.checksums import of_program
from vnla.common.errors import InputError
from vnla.common.lock import alone_in
from vnla.common.machine import commit, machine_words
from vnla.common.progress import Tell
from vnla.evaluation.checked import LARGEST
from vnla.evaluation.results import WHAT as RESULTS_FILE
from vnla.experiments.benchmark.artefact import Artefact
from vnla.experiments.benchmark.contestants import AskedContestant, Contestant, Walked
from vnla.experiments.benchmark.definition import COMMON, SETS, Condition, definition_checksum
from vnla.experiments.benchmark.entry import (
    CARD,
    JOURNALS,
    BenchmarkTrack,
    Manifest,
    packed_results,
    results_name,
    write_entry,
)
from vnla.experiments.benchmark.houses import BenchmarkHouses, draw_seed

STATE = "state.json"
_WHAT = "state.json, how far an entry is"


@dataclass(frozen=True)
class EntryDescription:
    """What an author says of an entry."""

    name: str
    authors: tuple[str, ...]
    summary: str
    trained: str
    command: str
    card: str = ""
    beacon: str = ""


def make_entry(
    out: Path,
    contestant: Contestant,
    about: EntryDescription,
    houses: BenchmarkHouses,
    tell: Tell,
    *,
    device: str = "cpu",
    sets: tuple[str, ...] = SETS,
) -> Manifest:
    """Walk all that is not walked yet, and write the new folder `out`; return its manifest.

    An entry that is a reference line may have the common houses alone (`sets`); what it lacks counts as failures.
    """
    files.vacant(out)
    definition, preset = houses.definition, houses.preset
    seed = draw_seed(definition, preset, contestant.artefact.digest, about.beacon)
    unfinished = unfinished_of(out)
    with alone_in(unfinished):
        _settle(unfinished, {"artefact": contestant.artefact.digest, "beacon": about.beacon, "preset": preset.name,
            "definition": definition_checksum()})  # fmt: skip
        base = houses.base(tell)
        for name in sets:
            place = houses.of(name, seed, tell)
            contestant.ready(place, base, tell)
            for condition in (each for each in definition.conditions(preset) if each.houses == name):
                if not _state_file(unfinished, condition).exists():
                    begun = time.monotonic()
                    _keep(unfinished, condition, contestant.walk(place, condition, definition, tell), begun)
        manifest = _manifest(contestant, about, houses, seed, unfinished, sets, device)
        contents = _contents(contestant, unfinished)
        write_entry(out, manifest, contents if not about.card else {**contents, CARD: about.card.encode()})
    shutil.rmtree(unfinished, ignore_errors=True)
    return manifest


def unfinished_of(out: Path) -> Path:
    """Return the folder in which what is done is kept until the entry is whole."""
    return out.with_name(f"{out.name}.unfinished")


def _settle(unfinished: Path, settings: Mapping[str, str]) -> None:
    """Refuse to go on with another entry than the one that was begun."""
    place = unfinished / STATE
    if place.exists() and files.read_json(place, _WHAT) != settings:
        raise InputError(f"{unfinished}: was begun with another artefact, beacon or preset; remove it, or give another OUT")
    files.write_text(place, json.dumps(settings, indent=2) + "\n")


def _state_file(unfinished: Path, condition: Condition) -> Path:
    return unfinished / "done" / f"{condition.name}.json"


def _keep(unfinished: Path, condition: Condition, walked: Walked, begun: float) -> None:
    """Keep what came of a condition; its state is written last."""
    files.write_bytes(unfinished / "files" / results_name(condition), packed_results(walked.results))
    for name, data in walked.journals.items():
        files.write_bytes(unfinished / "files" / JOURNALS / name, data)
    state = {"answers": walked.answers, "errors": dict(walked.errors), "seconds": round(time.monotonic() - begun, 2)}
    files.write_text(_state_file(unfinished, condition), json.dumps(state) + "\n")


def _contents(contestant: Contestant, unfinished: Path) -> dict[str, bytes]:
    kept = unfinished / "files"
    found = {path.relative_to(kept).as_posix(): path.read_bytes() for path in sorted(kept.rglob("*")) if path.is_file()}
    if isinstance(contestant, AskedContestant):
        found |= {f"{JOURNALS}/{name}": data for name, data in contestant.calls().items()}
    return found


def _manifest(
    contestant: Contestant,
    about: EntryDescription,
    houses: BenchmarkHouses,
    seed: int,
    unfinished: Path,
    sets: tuple[str, ...],
    device: str,
) -> Manifest:
    conditions = [each for each in houses.definition.conditions(houses.preset) if each.houses in sets]
    states: dict[str, Any] = {
        each.name: files.read_json(_state_file(unfinished, each), "what came of a condition") for each in conditions
    }
    manifest = _said(about, houses, contestant.artefact, contestant.track, seed, device)
    return replace(
        manifest,
        observes=contestant.observes,
        sensors=contestant.sensors,
        reference=contestant.reference or sets == (COMMON,),
        answers={name: state["answers"] for name, state in states.items() if state["answers"] is not None},
        errors={name: state["errors"] for name, state in states.items() if state["errors"]},
        seconds=round(sum(state["seconds"] for state in states.values()), 1),
        sets=sets,
    )


def _said(
    about: EntryDescription,
    houses: BenchmarkHouses,
    artefact: Artefact,
    track: BenchmarkTrack,
    seed: int,
    device: str = "cpu",
) -> Manifest:
    """Return the manifest with what does not depend on the walks."""
    return Manifest(
        name=about.name,
        authors=about.authors,
        summary=about.summary,
        command=about.command,
        benchmark=houses.definition.version,
        definition=definition_checksum(),
        preset=houses.preset.name,
        track=track,
        observes=(),
        sensors=(),
        reference=False,
        trained=about.trained,
        artefact=artefact,
        beacon=about.beacon,
        fresh_seed=seed,
        code={"vnla": __version__, "commit": commit(), "program": of_program(), "machine": machine_words(device)},
        answers={},
        errors={},
        made=datetime.now(UTC).isoformat(timespec="seconds"),
        seconds=0.0,
    )


def pack_entry(
    out: Path, results: Path, artefact: Artefact, track: BenchmarkTrack, about: EntryDescription, houses: BenchmarkHouses
) -> Manifest:
    """Write the new folder `out` for results files that were written elsewhere; return its manifest.

    They are called common/asknav-0.40.json and so on, or …json.gz. What is missing counts as failures.
    """
    files.existing_folder(results, "a folder of results files")
    contents = {}
    for condition in houses.definition.conditions(houses.preset):
        plain = results / f"{condition.name}.json"
        packed = results / f"{condition.name}.json.gz"
        if plain.is_file():
            text = files.read_text(plain, RESULTS_FILE, LARGEST)
        elif packed.is_file():
            text = files.read_gzip(packed, RESULTS_FILE, LARGEST)
        else:
            continue
        contents[results_name(condition)] = gzip.compress(text.encode(), mtime=0)
    if not contents:
        first = houses.definition.conditions(houses.preset)[0]
        raise InputError(f"{results}: has no results file of the benchmark, such as {first.name}.json")
    seed = draw_seed(houses.definition, houses.preset, artefact.digest, about.beacon)
    manifest = _said(about, houses, artefact, track, seed)
    write_entry(out, manifest, {**contents, CARD: about.card.encode()} if about.card else contents)
    return manifest
