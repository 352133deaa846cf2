"""Agents that find things in a house by sight and ask for help in language.

An implementation of *Vision-based Navigation with Language-based Assistance via Imitation Learning with Indirect
Intervention* (Nguyen, Dey, Brockett, Dolan, CVPR 2019).
"""

import os as _os
import platform as _platform

# Threads of PyTorch wait for each other many times in an iteration. By default they do so in circles, which takes the cores
# from whoever else needs them, the slower of these threads included: on a busy x86 machine a training takes several times as
# long. Asleep they lose a few per cent on an idle one. On ARM, where OpenBLAS multiplies matrices and waits in circles of
# its own, nothing would be gained. It has to be said before PyTorch is loaded; what the environment says comes first.
if _platform.machine().lower() not in ("aarch64", "arm64"):
    _os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

__version__ = "0.1.0"
