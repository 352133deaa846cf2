"""Beacons: what a board draws when it registers the digest of an artefact, so that nobody can choose the fresh houses.

    python -m vnla.experiments.benchmark.beacons draw results/benchmark/beacons.json
    python -m vnla.experiments.benchmark.beacons check results/benchmark/beacons.json --since before.json

A registration adds a digest with an empty beacon. The board fills it from randomness once the registration stands, and then
it never changes: the first registration counts. Without a beacon an author could try many artefacts, each of which draws
other houses, until the houses are easy; with one each try is a registration that everybody can see.
"""

from __future__ import annotations

import argparse
import json
import re
import secrets
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from vnla.common import files
from vnla.common.errors import InputError
from vnla.common.outside import from_json, shown

BYTES = 16
"""Of randomness in a beacon."""
MOST = 100_000
"""Registrations in a file."""
WHAT = "beacons: a JSON object with a beacon, or an empty text, for each digest"
_DIGEST = re.compile(r"[0-9a-f]{64}")
_BEACON = re.compile(rf"(?:[0-9a-f]{{{2 * BYTES}}})?")


def read_beacons(path: Path) -> dict[str, str]:
    """Return the beacon of each registered digest; it is empty until the board has drawn it."""
    text = files.read_text(path, WHAT, 16 * files.MEGABYTE)
    try:
        value = from_json(text, unique=True)
    except ValueError as error:
        raise InputError(f"{path}: is not JSON ({error}); expected {WHAT}") from None
    if not isinstance(value, dict) or len(value) > MOST:
        raise InputError(f"{path}: expected {WHAT}, {MOST:,} at most")
    for digest, beacon in value.items():
        _check_digest(digest, str(path))
        if not isinstance(beacon, str) or not _BEACON.fullmatch(beacon):
            raise InputError(
                f"{path}: the beacon of {digest[:12]} is {shown(beacon)}; expected {2 * BYTES} hexadecimal digits, or"
                " nothing until it is drawn"
            )
    return value


def write_beacons(path: Path, beacons: Mapping[str, str]) -> None:
    """Write all beacons, in the order of their digests."""
    files.write_text(path, json.dumps(dict(sorted(beacons.items())), indent=2) + "\n")


def draw_beacon(path: Path, digest: str) -> str:
    """Return the beacon of a digest: that of its first registration, or a new one, which is written to the file."""
    _check_digest(digest, "a digest")
    beacons = read_beacons(path) if path.exists() else {}
    if not beacons.get(digest):
        beacons[digest] = secrets.token_hex(BYTES)
        write_beacons(path, beacons)
    return beacons[digest]


def draw_missing(path: Path) -> list[str]:
    """Draw the beacon of each registered digest that has none; the digests that got one."""
    beacons = read_beacons(path)
    missing = [digest for digest, beacon in beacons.items() if not beacon]
    for digest in missing:
        beacons[digest] = secrets.token_hex(BYTES)
    if missing:
        write_beacons(path, beacons)
    return missing


def check_registrations(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """Return the digests that a change registers; a change that does anything else is refused."""
    for digest, beacon in before.items():
        if after.get(digest) != beacon:
            what = "removes" if digest not in after else "changes"
            raise InputError(f"{what} the registration of {digest[:12]}; a registration is never replaced")
    added = [digest for digest in after if digest not in before]
    for digest in added:
        if after[digest]:
            raise InputError(f"registers {digest[:12]} with a beacon of its own; leave it empty: the board draws it")
    return added


def _check_digest(digest: str, where: str) -> None:
    if not _DIGEST.fullmatch(digest):
        raise InputError(f"{where}: {shown(digest)} is no digest of an artefact; expected 64 hexadecimal digits")


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw beacons, or check a registration, for the workflow of the board."""
    parser = argparse.ArgumentParser(prog="python -m vnla.experiments.benchmark.beacons", description="Beacons of a board.")
    commands = parser.add_subparsers(dest="command", required=True)
    draw = commands.add_parser("draw", help="draw the beacon of each digest that has none")
    check = commands.add_parser("check", help="refuse a change that does more than register digests")
    for each in (draw, check):
        each.add_argument("file", type=Path)
    check.add_argument("--since", type=Path, required=True, help="the file before the change")
    given = parser.parse_args(arguments)
    try:
        if given.command == "draw":
            done, words = draw_missing(given.file), "drew the beacon of"
        else:
            done, words = check_registrations(read_beacons(given.since), read_beacons(given.file)), "registers"
    except InputError as error:
        parser.exit(2, f"error: {error}\n")
    sys.stdout.write(("\n".join(f"{words} {digest}" for digest in done) or "nothing to do") + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
