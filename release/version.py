"""Prints the version, which three files have to agree on."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def versions() -> dict[str, str]:
    """File → the version that it names."""
    source, citation = "src/vnla/__init__.py", "CITATION.cff"
    return {
        "pyproject.toml": tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"],
        source: re.findall(r'^__version__ = "(.+)"$', (ROOT / source).read_text(encoding="utf-8"), re.MULTILINE)[0],
        citation: re.findall(r"^version: (\S+)$", (ROOT / citation).read_text(encoding="utf-8"), re.MULTILINE)[0],
    }


if __name__ == "__main__":
    if len(set(versions().values())) > 1:
        sys.exit(f"files differ in the version: {versions()}")
    sys.stdout.write(versions()["pyproject.toml"] + "\n")
