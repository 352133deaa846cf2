"""Checksums (SHA-256): of a file, of this program's own code, of what JSON can hold."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any


def of_file(path: Path) -> str:
    """A file's checksum; it is read piece by piece."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def of_json(value: Any) -> str:
    """That of a value, whatever the order of its keys."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


@cache
def of_program() -> str:
    """What tells this code from any other."""
    source, digest = Path(__file__).parents[1], hashlib.sha256()
    for path in sorted(source.rglob("*.py")):
        digest.update(path.relative_to(source).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()
