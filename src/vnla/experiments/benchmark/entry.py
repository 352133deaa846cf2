"""An entry on disk: what an agent did under every condition of the benchmark, and all that is needed to check it.

::

    manifest.json                         who, what artefact, which version of the benchmark, a checksum of every file
    signature.json                        the author's signature of the manifest (`vnla.experiments.benchmark.signing`)
    card.md                               what the agent is, written by its author
    results/common/asknav-0.40.json.gz    a results file for each condition (`vnla.evaluation.results`)
    results/fresh/asknav-0.40.json.gz
    journals/…                            errors and raw replies of agents that were asked, where there are any

Nothing in an entry is believed but what its walks show (`vnla.experiments.benchmark.verification`).
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from vnla.common import checksums, files
from vnla.common.errors import InputError
from vnla.common.outside import is_whole, real, shown
from vnla.evaluation.results import Result, result_line
from vnla.experiments.benchmark.artefact import KINDS, Artefact
from vnla.experiments.benchmark.definition import (
    COMMON,
    SETS,
    BenchmarkDefinition,
    BenchmarkPreset,
    Condition,
    definition_checksum,
    read_definition,
)
from vnla.world.forward import FORWARDS, INFORMED, check_forward

FORMAT, VERSION = "asknav-open-entry", 1
MANIFEST, SIGNATURE, CARD, RESULTS, JOURNALS = "manifest.json", "signature.json", "card.md", "results", "journals"
LARGEST_MANIFEST = files.MEGABYTE
LARGEST_ENTRY = 4 << 30
MOST_FILES = 500
LONGEST_TEXT = 2000
"""Characters of a text in a manifest."""
SHOWN = ("view", "text", "pictures", "both", "people")
"""How an agent is shown a view: by features, in words, as pictures, in words and pictures, or as people see it."""
_WHAT = "manifest.json, the description of an entry"


@dataclass(frozen=True)
class BenchmarkTrack:
    """What an agent observes, and by which rule it walks: entries of one track are compared."""

    shown: str
    """One of `SHOWN`."""
    around: bool
    """Whether it observes all twelve level headings at once."""
    forward: str
    """One of `vnla.world.forward.FORWARDS`."""

    @classmethod
    def of(cls, shown: str, around: bool, forward: str) -> BenchmarkTrack:
        """Return the track that a person named."""
        if shown not in SHOWN:
            raise InputError(f"--shown {shown}: choose from {', '.join(SHOWN)}")
        check_forward(forward)
        return cls(shown, around, forward)

    def __str__(self) -> str:
        what = {"view": "one view", "text": "text", "pictures": "pictures", "both": "text and pictures"}.get(
            self.shown, self.shown
        )
        seen = {"one view": "panorama"}.get(what, f"{what}, all around") if self.around else what
        return seen if self.forward == INFORMED else f"{seen}, {self.forward} forward"


@dataclass(frozen=True)
class Manifest:
    """What an entry says of itself."""

    name: str
    authors: tuple[str, ...]
    summary: str
    """One sentence about the agent."""
    command: str
    """What was typed to make the entry."""
    benchmark: str
    """The version, such as 1."""
    definition: str
    """The checksum of the definition."""
    preset: str
    track: BenchmarkTrack
    observes: tuple[str, ...]
    sensors: tuple[str, ...]
    reference: bool
    """Whether it is a reference line: it knows what no agent can know, or walked in the common houses alone."""
    trained: str
    """What the agent was trained on, and for how long, in words."""
    artefact: Artefact
    beacon: str
    fresh_seed: int
    code: Mapping[str, Any]
    """Version, commit and checksum of the program, and the machine."""
    answers: Mapping[str, int]
    """Condition → how many answers were asked for, where somebody was asked."""
    errors: Mapping[str, Mapping[str, int]]
    """Condition → how often the agent went wrong, by kind."""
    made: str
    """When, in UTC."""
    seconds: float
    """How long the walks took."""
    sets: tuple[str, ...] = SETS
    """The sets of houses that it was tried in: a reference line may have the common ones alone."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Every other file of the entry, but for the signature → its checksum."""

    def as_dict(self) -> dict[str, Any]:
        """For manifest.json."""
        return {"format": FORMAT, "version": VERSION, **asdict(self), "artefact": self.artefact.as_dict()}


@dataclass(frozen=True)
class EntryFolder:
    """An entry that was opened: its manifest can be read, and its files are what the manifest says."""

    path: Path
    manifest: Manifest
    text: str
    """The manifest as it stands in the file, which is what was signed."""

    @property
    def definition(self) -> BenchmarkDefinition:
        """The version of the benchmark."""
        return read_definition()

    @property
    def preset(self) -> BenchmarkPreset:
        """The size of the benchmark."""
        return self.definition.preset(self.manifest.preset)

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """All conditions that the entry is held to, whether it has a file of them or not."""
        return tuple(each for each in self.definition.conditions(self.preset) if each.houses in self.manifest.sets)

    def results(self, condition: Condition) -> Path:
        """The results file of a condition."""
        return self.path / results_name(condition)

    @property
    def card(self) -> str:
        """What its author wrote of the agent, as Markdown; nothing where there is no card."""
        return files.read_text(self.path / CARD, "a card") if CARD in self.manifest.files else ""


def results_name(condition: Condition) -> str:
    """Return the name of the results file of a condition, within an entry."""
    return f"{RESULTS}/{condition.name}.json.gz"


def packed_results(results: Sequence[Result]) -> bytes:
    """Return a results file, compressed, the same bytes for the same results."""
    lines = ",\n".join(map(result_line, results))
    return gzip.compress(f"[\n{lines}\n]\n".encode(), mtime=0)


def write_entry(path: Path, manifest: Manifest, contents: Mapping[str, bytes]) -> None:
    """Write the new folder of an entry, whole or not at all: `contents` are its files by name."""
    with files.new_folder(path) as folder:
        for name, data in contents.items():
            files.write_bytes(folder / name, data)
        sums = {name: checksums.of_file(folder / name) for name in sorted(contents)}
        value = {**manifest.as_dict(), "files": sums}
        files.write_text(folder / MANIFEST, json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def entries_in(paths: Sequence[Path]) -> list[Path]:
    """Return the folders of entries among these paths: each is one, or holds some."""
    found = []
    for path in paths:
        files.existing_folder(path, "an entry of the benchmark, or a folder of entries")
        inside = [path] if (path / MANIFEST).is_file() else sorted(each.parent for each in path.glob(f"*/{MANIFEST}"))
        if not inside:
            raise InputError(f"{path}: is no entry of the benchmark and holds none: there is no {MANIFEST}")
        found += inside
    return found


def open_entry(path: Path) -> EntryFolder:
    """Return the entry in a folder; what is wrong with its manifest or its files is one line."""
    files.existing_folder(path, "an entry of the benchmark")
    place = path / MANIFEST
    text = files.read_text(place, _WHAT, LARGEST_MANIFEST)
    manifest = _manifest(files.parse_json(text, place, _WHAT), place)
    _check_files(path, manifest)
    return EntryFolder(path, manifest, text)


def _manifest(value: Any, place: Path) -> Manifest:
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise InputError(f"{place}: is not {_WHAT}")
    if not is_whole(value.get("version"), VERSION, VERSION):
        raise InputError(f"{place}: field version is {shown(value.get('version'))}; this vnla reads version {VERSION}")
    _check_benchmark(value, place)
    with files.taken_apart(place, _WHAT):
        json.dumps(value, allow_nan=False, ensure_ascii=False).encode()  # no NaN, and no half of a pair of surrogates
        names = {**value}
        del names["format"], names["version"]
        artefact, track = names.pop("artefact"), names.pop("track")
        found = Manifest(
            **{
                **names,
                **{name: _texts(names[name]) for name in ("authors", "observes", "sensors")},
                "track": BenchmarkTrack(_of(SHOWN, track["shown"]), _flag(track["around"]), _of(FORWARDS, track["forward"])),
                "artefact": Artefact(_of(KINDS, artefact["kind"]), _table(artefact["parts"])),
                "reference": _flag(names["reference"]),
                "sets": tuple(_of(SETS, each) for each in names["sets"]),
                "fresh_seed": _whole(names["fresh_seed"]),
                "seconds": real(names["seconds"], "field seconds", 0),
                "code": _table(names["code"]),
                "answers": {_text(name): _whole(count) for name, count in _table(names["answers"]).items()},
                "errors": {
                    _text(name): {_text(kind): _whole(count) for kind, count in _table(each).items()}
                    for name, each in _table(names["errors"]).items()
                },
                "files": {_text(name): _text(each) for name, each in _table(names["files"]).items()},
            }
        )
        for name in ("name", "summary", "command", "trained", "beacon", "made", "preset", "benchmark", "definition"):
            _text(getattr(found, name))
        if not found.name.strip() or not found.authors:
            raise ValueError("it names nobody")
        if found.sets not in (SETS, (COMMON,)) or (found.sets != SETS and not found.reference):
            raise ValueError("an entry has both sets of houses; only a reference line may have the common one alone")
    return found


def _check_benchmark(value: Mapping[str, Any], place: Path) -> None:
    definition = read_definition()
    if value.get("benchmark") != definition.version:
        raise InputError(
            f"{place}: is an entry of version {shown(value.get('benchmark'))} of the benchmark, and this vnla has version"
            f" {definition.version}"
        )
    if value.get("definition") != definition_checksum():
        raise InputError(f"{place}: was made by another definition of {definition.called}, which is not the published one")
    if value.get("preset") not in tuple(definition.presets):
        raise InputError(f"{place}: field preset is {shown(value.get('preset'))}; expected {', '.join(definition.presets)}")


def _check_files(path: Path, manifest: Manifest) -> None:
    """Refuse an entry that has other files than its manifest says, or files that have changed."""
    if len(manifest.files) > MOST_FILES:
        raise InputError(f"{path / MANIFEST}: names {len(manifest.files):,} files; {MOST_FILES} at most")
    there, size = set(), 0
    for number, file in enumerate(path.rglob("*")):
        if file.is_symlink() or not (file.is_file() or file.is_dir()):
            raise InputError(f"{shown(str(file))}: is a link, or no plain file; an entry has plain files only")
        if file.is_file():
            there.add(file.relative_to(path).as_posix())
            size += file.stat().st_size
        if number > 2 * MOST_FILES:
            raise InputError(f"{path}: has more than {MOST_FILES} files")
        if size > LARGEST_ENTRY:
            raise InputError(f"{path}: is larger than {LARGEST_ENTRY >> 30} GB, which no entry is")
    for name in sorted(there - {MANIFEST, SIGNATURE} ^ set(manifest.files)):
        what = "is not in the manifest" if name in there else "is missing"
        raise InputError(f"{path}: the file {shown(name)} {what}")
    for name, wanted in manifest.files.items():
        if checksums.of_file(path / name) != wanted:
            raise InputError(f"{path / name}: has changed since the manifest was written: its checksum is another")


def _text(value: Any) -> str:
    if not isinstance(value, str) or len(value) > LONGEST_TEXT:
        raise ValueError(f"{shown(value)} is no text of at most {LONGEST_TEXT} characters")
    return value


def _texts(values: Any) -> tuple[str, ...]:
    if not isinstance(values, list):
        raise TypeError(f"{shown(values)} is no list")
    return tuple(map(_text, values))


def _of(choices: Collection[str], value: Any) -> str:
    if value not in choices:
        raise ValueError(f"{shown(value)} is none of {', '.join(choices)}")
    return str(value)


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"{shown(value)} is not true or false")
    return value


def _whole(value: Any) -> int:
    if not is_whole(value, 0):
        raise TypeError(f"{shown(value)} is no whole number")
    return value


def _table(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise TypeError(f"{shown(value)} is no object")
    return value
