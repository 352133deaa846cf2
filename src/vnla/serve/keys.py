"""Secret keys in folders, from which names and codes are made that nobody else can make."""

from __future__ import annotations

import secrets
from pathlib import Path

from vnla.common import files
from vnla.common.errors import InputError

KEY = "secret.key"


def new_key(folder: Path) -> None:
    """Write a new key, for its owner's eyes only."""
    path = folder / KEY
    files.write_text(path, secrets.token_hex(32) + "\n")
    path.chmod(0o600)


def read_key(folder: Path, what: str) -> bytes:
    """Return the key in a folder; `what` says what the folder holds."""
    text = files.read_text(folder / KEY, f"the secret key of {what}", 1000).strip()
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise InputError(f"{folder / KEY}: is no key; put back the one that {what} was made with") from None


def ensure_key(folder: Path, what: str) -> bytes:
    """Return the key in a folder; make it if there is none."""
    if not (folder / KEY).exists():
        new_key(folder)
    return read_key(folder, what)
