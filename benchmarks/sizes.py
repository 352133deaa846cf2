"""With what `vnla bench scale` measures."""

from __future__ import annotations

from dataclasses import dataclass

from vnla.common.tables import Room
from vnla.pipeline.cluster import LOCAL


@dataclass(frozen=True)
class Scale:
    """How much of everything, and where."""

    houses: int = 100
    batch: int = 100
    hidden: int = 512
    view_size: int = 1280
    iterations: int = 15
    cache: Room = 1 << 30
    """Bytes of features in memory, where not all are; or where they are instead."""
    processes: int = 2
    folder: str = ""
    """Where files are made, and removed; the system's place for such things if none is given."""
    cluster: str = LOCAL
    """Where stages are handed out besides here, if not `LOCAL`."""
    device: str = "cpu"
    seed: int = 0

    @property
    def where(self) -> str:
        """Where features are, if not all on the device."""
        return "on disk" if isinstance(self.cache, int) else "in the host's memory"
