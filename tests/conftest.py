"""What must be settled before any test is imported: without a GPU, Triton runs its kernels in Python.

It decides so when it is imported, and `torch.compile` imports it, too. And no example of a property is wrong for being slow:
the machine may be busy.
"""

from __future__ import annotations

from importlib.util import find_spec

import pytest
import torch
from hypothesis import settings

settings.register_profile("busy", deadline=None, max_examples=50)
settings.load_profile("busy")
if find_spec("triton") and not torch.cuda.is_available():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRITON_INTERPRET", "1")
        __import__("triton")
