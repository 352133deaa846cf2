"""What must be settled before any test is imported: without a GPU, Triton runs its kernels in Python.

It decides so when it is imported, and `torch.compile` imports it, too.
"""

from __future__ import annotations

from importlib.util import find_spec

import pytest
import torch

if find_spec("triton") and not torch.cuda.is_available():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRITON_INTERPRET", "1")
        __import__("triton")
