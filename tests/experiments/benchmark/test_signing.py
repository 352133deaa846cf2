"""Signatures: one holder of a key made the entry, and nothing has changed since."""

from __future__ import annotations

import base64
import json
import shutil
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

from tiny_benchmark import edit_manifest
from vnla.common.errors import InputError
from vnla.experiments.benchmark.entry import open_entry
from vnla.experiments.benchmark.signing import make_key, read_signature, sign


@pytest.fixture
def copied(entry: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(entry, tmp_path / "entry"))


@pytest.fixture
def key(tmp_path: Path) -> Path:
    make_key(tmp_path / "key.pem")
    return tmp_path / "key.pem"


def test_signed_and_read_again(copied: Path, key: Path) -> None:
    assert read_signature(open_entry(copied)) is None
    made = sign(copied, key)
    assert read_signature(open_entry(copied)) == made
    sizes = [len(base64.b64decode(each)) for each in (made.public_key, made.signature)]
    assert (sizes, len(made.fingerprint)) == ([32, 64], 16)
    assert sign(copied, key) == made  # ed25519 draws nothing


def test_a_key_is_its_owners_and_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "keys" / "key.pem"
    public = make_key(path)
    before = path.read_bytes()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert public != make_key(tmp_path / "other.pem")
    with pytest.raises(InputError, match="never overwritten"):
        make_key(path)
    assert path.read_bytes() == before


def test_entries_of_one_key_have_one_fingerprint(copied: Path, key: Path, tmp_path: Path) -> None:
    another = Path(shutil.copytree(copied, tmp_path / "another"))
    edit_manifest(another, lambda value: value.update(name="Another"))
    assert sign(copied, key).fingerprint == sign(another, key).fingerprint
    make_key(tmp_path / "other.pem")
    assert sign(copied, key).fingerprint != sign(another, tmp_path / "other.pem").fingerprint


def test_a_manifest_that_changed_after_it_was_signed(copied: Path, key: Path) -> None:
    sign(copied, key)
    edit_manifest(copied, lambda value: value.update(name="Better"))
    with pytest.raises(InputError, match="changed after it was signed"):
        read_signature(open_entry(copied))


def test_one_space_is_a_change(copied: Path, key: Path) -> None:
    sign(copied, key)
    path = copied / "manifest.json"
    path.write_bytes(path.read_bytes() + b"\r")
    with pytest.raises(InputError, match="changed after it was signed"):
        read_signature(open_entry(copied))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"signature": base64.b64encode(bytes(64)).decode()}, "is not the signature of manifest.json"),
        ({"public_key": base64.b64encode(bytes(32)).decode()}, "is not the signature of manifest.json"),
        ({"signature": "AAAA"}, "expected base64 of 64 bytes"),
        ({"signature": 7}, "expected base64 of 64 bytes"),
        ({"public_key": "¤" * 44}, "expected base64 of 32 bytes"),
        ({"public_key": None}, "expected base64 of 32 bytes"),
        ({"algorithm": "none"}, "is not signature.json"),
        ({"format": []}, "is not signature.json"),
        ({"version": 2}, "reads version 1"),
        ({"more": "x" * 20_000}, "is too large"),
    ],
)
def test_forged_signatures_are_one_line(copied: Path, key: Path, changes: dict[str, Any], message: str) -> None:
    sign(copied, key)
    place = copied / "signature.json"
    place.write_text(json.dumps({**json.loads(place.read_text()), **changes}))
    with pytest.raises(InputError, match=message) as refused:
        read_signature(open_entry(copied))
    assert len(str(refused.value)) < 500


def test_an_entry_with_other_files_is_not_signed(copied: Path, key: Path) -> None:
    (copied / "card.md").write_text("another")
    with pytest.raises(InputError, match="has changed since the manifest was written"):
        sign(copied, key)
    assert not (copied / "signature.json").exists()


def test_what_is_no_key(copied: Path, tmp_path: Path) -> None:
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    pem, form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    curve = generate_private_key(SECP256R1()).private_bytes(pem, form, serialization.NoEncryption())
    locked = Ed25519PrivateKey.generate().private_bytes(pem, form, serialization.BestAvailableEncryption(b"secret"))
    for data, message in ((b"no key", "cannot be read"), (curve, "another algorithm"), (locked, "without a password")):
        (tmp_path / "key.pem").write_bytes(data)
        with pytest.raises(InputError, match=message):
            sign(copied, tmp_path / "key.pem")


def test_without_the_package_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("cryptography.hazmat.primitives")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "cryptography", None)
    with pytest.raises(InputError, match=r"pip install 'vnla\[benchmark\]'"):
        make_key(tmp_path / "key.pem")
    assert not (tmp_path / "key.pem").exists()
