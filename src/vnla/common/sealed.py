"""A checksum within a file: the SHA-256 of all of it, written where the file had zeros when it was computed."""

from __future__ import annotations

import hashlib
from pathlib import Path

from vnla.common.files import MEGABYTE

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
