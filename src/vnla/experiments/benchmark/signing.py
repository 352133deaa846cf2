"""Signatures of entries: ed25519, over the bytes of manifest.json, which has a checksum of every other file.

    key = make_key(Path("key.pem"))
    sign(Path("entry"), Path("key.pem"))
    read_signature(open_entry(Path("entry")))

What a signature proves: one holder of a key made all entries that are signed with it, and nothing in them has changed
since. What it does not prove: who that is, or that what the entry says is true. `signature.json` has the public key as
base64 of its 32 bytes, and the signature as base64 of its 64; any program for ed25519 can check it.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vnla.common import files
from vnla.common.errors import InputError
from vnla.common.outside import is_whole, shown
from vnla.experiments.benchmark.entry import LARGEST_MANIFEST, MANIFEST, SIGNATURE, EntryFolder, open_entry

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

FORMAT, VERSION, ALGORITHM = "asknav-open-signature", 1, "ed25519"
PUBLIC_BYTES, SIGNATURE_BYTES = 32, 64
_LARGEST = 1 << 14
_WHAT = "signature.json, the signature of an entry"
_KEY = "a private key: a PEM file made by this program, for ed25519"
_FINGERPRINT = 16


@dataclass(frozen=True)
class Signature:
    """A signature that was found right."""

    public_key: str
    """Base64 of 32 bytes: entries with one key are of one author."""
    signature: str
    """Base64 of 64 bytes."""

    @property
    def fingerprint(self) -> str:
        """What people tell the key by: the first digits of its checksum."""
        return hashlib.sha256(base64.b64decode(self.public_key)).hexdigest()[:_FINGERPRINT]

    def as_dict(self) -> dict[str, str]:
        """For a JSON file."""
        return {"algorithm": ALGORITHM, "public_key": self.public_key, "fingerprint": self.fingerprint}


def make_key(path: Path) -> str:
    """Write a new private key, which its owner alone can read, and return its public key. A file is never overwritten."""
    with _cryptography():
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    key = Ed25519PrivateKey.generate()
    encoding, form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    files.write_secret(path, key.private_bytes(encoding, form, serialization.NoEncryption()))
    return _public(key)


def sign(entry: Path, key: Path) -> Signature:
    """Sign the entry in a folder, whose files have to be what its manifest says; an earlier signature is replaced."""
    folder = open_entry(entry)
    private = _read_key(key)
    made = Signature(_public(private), base64.b64encode(private.sign(_signed_bytes(folder))).decode())
    value = {"format": FORMAT, "version": VERSION, "algorithm": ALGORITHM, **vars(made)}
    files.write_text(entry / SIGNATURE, json.dumps(value, indent=2) + "\n")
    return made


def read_signature(entry: EntryFolder) -> Signature | None:
    """Return the signature of an entry, None where there is none; one that is wrong is one line."""
    place = entry.path / SIGNATURE
    if not place.exists():
        return None
    value = files.read_json(place, _WHAT, _LARGEST)
    if not isinstance(value, dict) or value.get("format") != FORMAT or value.get("algorithm") != ALGORITHM:
        raise InputError(f"{place}: is not {_WHAT}")
    if not is_whole(value.get("version"), VERSION, VERSION):
        raise InputError(f"{place}: field version is {shown(value.get('version'))}; this vnla reads version {VERSION}")
    public = _decoded(value, "public_key", PUBLIC_BYTES, place)
    signature = _decoded(value, "signature", SIGNATURE_BYTES, place)
    with _cryptography():
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, _signed_bytes(entry))
    except (InvalidSignature, ValueError):
        raise InputError(
            f"{place}: is not the signature of {MANIFEST} beside it, which was changed after it was signed, or signed with"
            " another key"
        ) from None
    return Signature(base64.b64encode(public).decode(), base64.b64encode(signature).decode())


def _signed_bytes(entry: EntryFolder) -> bytes:
    return files.read_bytes(entry.path / MANIFEST, "the manifest of an entry", LARGEST_MANIFEST)


def _decoded(value: dict[str, Any], name: str, size: int, place: Path) -> bytes:
    try:
        found = base64.b64decode(value[name], validate=True)
    except (KeyError, TypeError, ValueError):
        found = b""
    if len(found) != size:
        raise InputError(f"{place}: field {name} is {shown(value.get(name))}; expected base64 of {size} bytes")
    return found


def _read_key(path: Path) -> Ed25519PrivateKey:
    with _cryptography():
        from cryptography.exceptions import UnsupportedAlgorithm
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
        from cryptography.hazmat.primitives.serialization import load_pem_private_key
    try:
        key = load_pem_private_key(files.read_bytes(path, _KEY, _LARGEST), password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):  # a key with a password is a TypeError
        raise InputError(f"{path}: cannot be read as {_KEY}, without a password") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise InputError(f"{path}: is a key for another algorithm; expected {_KEY}")
    return key


def _public(key: Ed25519PrivateKey) -> str:
    return base64.b64encode(key.public_key().public_bytes_raw()).decode()


@contextlib.contextmanager
def _cryptography() -> Iterator[None]:
    """While the package is imported: where it is not installed, that is one line."""
    try:
        yield
    except ImportError as error:
        raise InputError(f"signatures need the package cryptography ({error}); pip install 'vnla[benchmark]'") from None
