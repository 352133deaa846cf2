"""Entries as a board lists them: under names that are safe to show, by size and track, with all that they differ by."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from vnla.common.errors import InputError
from vnla.evaluation.confidence import Interval, houses_note
from vnla.experiments.benchmark.artefact import PEOPLE
from vnla.experiments.benchmark.definition import COMMON, FRESH, SETS, BenchmarkPreset
from vnla.experiments.benchmark.entry import SHOWN, BenchmarkTrack, Manifest
from vnla.experiments.benchmark.figures import FIGURES, BenchmarkFigure, CurvePoint, curve, difference, overfit
from vnla.experiments.benchmark.verification import VerifiedEntry
from vnla.report.printing import harmless
from vnla.world.forward import FORWARDS

LONGEST_NAME = 60
"""Characters of a name that a table shows."""
BOARD, OWN, NONE = "board", "other", "none"
"""Who drew the beacon of an entry: this board, somebody else, or nobody."""
BEACONS = {BOARD: "drawn by the board", OWN: "not this board's", NONE: "none (self-drawn)"}
"""What tables call it."""
UNKNOWN_FIGURE = Interval(math.nan, math.nan, math.nan)


@dataclass(frozen=True)
class ListedEntry:
    """A verified entry and what the board knows of it."""

    verified: VerifiedEntry
    page: str
    """The name of its page, without its ending; no other entry has it."""
    beacon: str
    """One of `BEACONS`."""

    @property
    def manifest(self) -> Manifest:
        """What it says of itself: untrusted text, to be escaped and shortened."""
        return self.verified.entry.manifest

    @property
    def name(self) -> str:
        """Its name in one line that is no longer than a table bears."""
        return one_line(self.manifest.name, LONGEST_NAME)

    @property
    def is_people(self) -> bool:
        """Whether people did it."""
        return self.manifest.artefact.kind == PEOPLE

    @cached_property
    def sets(self) -> tuple[str, ...]:
        """The sets of houses that it was in: a reference line may have been in the common ones alone."""
        there = {each.condition.houses for each in self.verified.conditions.values()}
        return tuple(houses for houses in SETS if houses in there)

    def houses(self, houses: str) -> int:
        """Return in how many houses of a set it was."""
        if houses not in self.sets:
            return 0
        definition = self.verified.entry.definition
        return len(set(self.verified.of(houses, definition.swept, definition.ratio).houses.tolist()))

    def figure(self, name: str, houses: str) -> Interval:
        """Return one of the benchmark's figures; no number where it was not in these houses."""
        return FIGURES[name].of(self.verified, houses) if houses in self.sets else UNKNOWN_FIGURE

    def overfit(self, figure: BenchmarkFigure) -> Interval:
        """Return how much more of a figure it has in the common houses than in its fresh ones."""
        return overfit(self.verified, figure) if self.sets == SETS else UNKNOWN_FIGURE

    def curve(self, houses: str) -> tuple[CurvePoint, ...]:
        """Return success and requests at each τ, nothing where it was not in these houses."""
        return curve(self.verified, houses) if houses in self.sets else ()

    @cached_property
    def success(self) -> Interval:
        """Success in fresh houses, by which a board is ordered."""
        return self.figure("success", FRESH)


@dataclass(frozen=True)
class BoardPart:
    """All entries of one size of the benchmark and of one track: these can be compared."""

    preset: BenchmarkPreset
    track: BenchmarkTrack
    entries: tuple[ListedEntry, ...]
    """Those that could be built, the most successful in fresh houses first."""
    people: tuple[ListedEntry, ...]
    references: tuple[ListedEntry, ...]
    """Lines that know what no agent can know, or that walked in the common houses alone."""

    @property
    def everybody(self) -> tuple[ListedEntry, ...]:
        """All rows, in the order of the table."""
        return (*self.entries, *self.people, *self.references)

    @property
    def title(self) -> str:
        """What a heading says."""
        track = one_line(str(self.track), LONGEST_NAME)
        return track[:1].upper() + track[1:]

    @property
    def slug(self) -> str:
        """For anchors and names of figures."""
        return slug(f"{self.preset.name} {self.track}")

    @property
    def note(self) -> str:
        """What stands beside a table of its figures."""
        return houses_note(*(each.houses(houses) for each in self.everybody for houses in each.sets))

    def compared(self) -> tuple[ListedEntry, ...]:
        """Return those between which differences are told."""
        return (*self.entries, *self.people)

    def letters(self) -> dict[str, str]:
        """Page of an entry → the letter that stands for it in this part."""
        return {each.page: _letter(number) for number, each in enumerate(self.compared())}

    @cached_property
    def differences(self) -> Mapping[tuple[str, str, str], Interval]:
        """(page, page of another, houses) → by how many points the first succeeds more often."""
        found = {}
        for one, other in _pairs(self.compared()):
            for houses in SETS:
                gain = difference(one.verified, other.verified, FIGURES["success"], houses)
                found[one.page, other.page, houses] = gain
                found[other.page, one.page, houses] = gain.scaled(-1)
        return found

    def not_told_apart(self, entry: ListedEntry, houses: str) -> list[ListedEntry]:
        """Return the entries of which nobody can tell whether they are better or worse than this one."""
        others = [each for each in self.compared() if each.page != entry.page]
        return [each for each in others if not is_told(self.differences[entry.page, each.page, houses])]


def is_told(gain: Interval) -> bool:
    """Whether a difference can be told from chance: its whole interval lies on one side of zero."""
    return gain.low > 0 or gain.high < 0


def listed(entries: Iterable[VerifiedEntry], beacons: Mapping[str, str]) -> list[ListedEntry]:
    """Return entries as the board lists them; `beacons` are those that it drew, by digest."""
    found = [ListedEntry(each, _page(each), _beacon(each, beacons)) for each in entries]
    pages = [each.page for each in found]
    for each in found:
        if pages.count(each.page) > 1:
            raise InputError(f"{each.verified.entry.path}: stands among the entries twice; give each entry once")
    return found


def parts(entries: Sequence[ListedEntry]) -> list[BoardPart]:
    """Return the parts of a board, the largest size of the benchmark first."""
    groups: dict[tuple[str, BenchmarkTrack], list[ListedEntry]] = {}
    for each in entries:
        groups.setdefault((each.verified.entry.preset.name, each.manifest.track), []).append(each)
    return [_part(groups[key]) for key in sorted(groups, key=lambda key: _order(groups[key][0]))]


def _part(entries: Sequence[ListedEntry]) -> BoardPart:
    ranked = sorted(entries, key=_rank)
    references = tuple(each for each in ranked if each.manifest.reference)
    people = tuple(each for each in ranked if each.is_people and not each.manifest.reference)
    rest = tuple(each for each in ranked if each not in references and each not in people)
    first = entries[0]
    return BoardPart(first.verified.entry.preset, first.manifest.track, rest, people, references)


def _rank(entry: ListedEntry) -> tuple[float, str, str]:
    """Return what orders the rows: success in fresh houses; whoever was not there stands last."""
    found = entry.success.value
    return (-found if math.isfinite(found) else 1.0, entry.name, entry.page)


def _order(entry: ListedEntry) -> tuple[int, ...]:
    track, sizes = entry.manifest.track, list(entry.verified.entry.definition.presets)
    size = sizes.index(entry.verified.entry.preset.name)
    return (-size, SHOWN.index(track.shown), track.around, list(FORWARDS).index(track.forward))


def _pairs(entries: Sequence[ListedEntry]) -> Iterator[tuple[ListedEntry, ListedEntry]]:
    for place, one in enumerate(entries):
        for other in entries[place + 1 :]:
            yield one, other


def _page(entry: VerifiedEntry) -> str:
    """Return a name for a file, of letters and digits alone, which the manifest decides."""
    digest = hashlib.sha256(entry.entry.text.encode(errors="replace")).hexdigest()
    return f"{slug(entry.entry.manifest.name[:40]) or 'entry'}-{digest[:8]}"


def _beacon(entry: VerifiedEntry, beacons: Mapping[str, str]) -> str:
    manifest = entry.entry.manifest
    if not manifest.beacon:
        return NONE
    return BOARD if beacons.get(manifest.artefact.digest) == manifest.beacon else OWN


def one_line(text: str, most: int) -> str:
    """Return untrusted text in one line, cut, and without characters that do more than stand there."""
    line = " ".join(harmless(text).split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def slug(text: str) -> str:
    """Return text as lower-case letters and digits with hyphens between them."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def _letter(number: int) -> str:
    turn, letter = divmod(number, 26)
    return f"{chr(ord('a') + letter)}{turn + 1 if turn else ''}"


def common_minus_fresh_note() -> str:
    """Return what the difference between the two sets of houses says."""
    return (
        f"{COMMON.capitalize()} − {FRESH}: how much more success there is in the houses that everybody knows than in those"
        " that were drawn after the artefact was frozen. Where the whole interval is above zero, the agent may have been"
        " fitted to the common houses."
    )
