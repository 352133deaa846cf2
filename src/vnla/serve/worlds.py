"""Where a server keeps what can be made again, and what it says when nobody has to wait any more."""

from __future__ import annotations

from pathlib import Path

from vnla.common.files import user_cache

WARM = "ready for many"
"""What a server says in the terminal when nobody has to wait for anything that can be done beforehand."""


def cache_folder() -> Path:
    """Return the user's own folder for what can be made again."""
    return user_cache() / "serve"
