"""Names of data sets."""

from __future__ import annotations

import re

_OTHER = re.compile(r"[^a-z0-9]+")


def slug(*parts: str) -> str:
    """Words as every program takes them in a name: lower-case letters and digits with hyphens between."""
    words = _OTHER.sub("-", "-".join(parts).lower()).strip("-")
    return words or "episodes"
