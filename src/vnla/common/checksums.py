"""Checksums (SHA-256): of a file, of this program's own code, of what JSON can hold, and within a file.

A checksum within a file is that of all of it, written where the file had zeros when it was computed.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

from vnla.common.files import MEGABYTE


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


CHECKSUM = "sha256"
"""The name of a checksum in the notes of a safetensors file."""
UNSEALED = "0" * 64
"""What stands there before the checksum is known."""


def sealed(data: bytes) -> bytes:
    """A file's bytes with their checksum in the first place where they are unsealed."""
    return data.replace(UNSEALED.encode(), hashlib.sha256(data).hexdigest().encode(), 1)


def is_sealed_with(path: Path, stated: str) -> bool:
    """Whether a safetensors file is what the checksum says that its header states."""
    with path.open("rb") as stream:
        size = stream.read(8)
        header = stream.read(int.from_bytes(size, "little"))
        digest = hashlib.sha256(size + header.replace(stated.encode(), UNSEALED.encode(), 1))
        while piece := stream.read(MEGABYTE):
            digest.update(piece)
    return digest.hexdigest() == stated
