"""A drop-in for `MatterSim`, the Python module of the Matterport3D simulator: programs written for it run unchanged.

    python -m vnla.mattersim train.py --its --own --options

runs a program whose `import MatterSim` finds this package instead of the C++ one: no compiler, no OpenGL. From Python,
`vnla.mattersim.install()` does the same for the running process. Both generations of the module are here in one
`Simulator`: one simulator an agent (R2R, VNLA) and one simulator a batch (today's). `docs/mattersim.md` says what differs.

Positions, angles, snapping, the order of the navigable locations and the kinds of errors are those of the C++ simulator.
Deviations on purpose: connectivity files are read once a process and not once a simulator, and a seed gives the same
episodes on every machine but not those of the C++ standard library.
"""

from __future__ import annotations

import sys
from types import ModuleType

from vnla.mattersim.images import Renderer, set_renderer
from vnla.mattersim.simulator import Simulator
from vnla.mattersim.state import SimState, ViewPoint

__all__ = ["Renderer", "SimState", "Simulator", "ViewPoint", "install", "set_renderer"]


def install() -> ModuleType:
    """Make `import MatterSim` mean this package from now on, whatever is on the import path; doing it twice is harmless."""
    module = sys.modules[__name__]
    sys.modules["MatterSim"] = module
    return module
