"""Where the numbers of a report come from: commands, code, versions, machine and time."""

from __future__ import annotations

import datetime
import importlib.metadata
import platform
from collections.abc import Mapping, Sequence

from vnla import __version__
from vnla.common.machine import commit, machine_words
from vnla.report.document import Provenance

_PACKAGES = ("torch", "numpy", "scipy")


def provenance(
    command: str,
    *,
    seeds: Sequence[int],
    device: str,
    settings: Mapping[str, str],
    seconds: Mapping[str, float] | None = None,
) -> Provenance:
    """What is known here and now, with what only whoever made the numbers knows."""
    return Provenance(
        commands=[command],
        commit=commit(),
        versions={
            "vnla": __version__,
            "Python": platform.python_version(),
            **{name: importlib.metadata.version(name) for name in _PACKAGES},
        },
        seeds=list(seeds),
        seconds=seconds or {},
        machine=f"{machine_words(device)}, {platform.system()}",
        settings=settings,
        made=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    )
