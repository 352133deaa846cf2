"""Encoders that are ONNX graphs, run by onnxruntime on the CPU.

A graph takes images of any size as bytes, normalises them itself, and never touches the disk. The module stays free of
PyTorch: processes that are sent an encoder need not load it.
"""

from __future__ import annotations

import importlib.util
import os
from functools import cached_property
from importlib import import_module
from typing import Any

import numpy as np

from vnla.vision.encoders.base import Encoder, Float32, Images, Size

PIECE = 4
"""Images that a core takes at once: the activations of more leave its cache, and 36 take a quarter longer."""


def available() -> bool:
    """Whether both packages are installed: one builds the graph, the other runs it."""
    return all(importlib.util.find_spec(package) is not None for package in ("onnx", "onnxruntime"))


class OnnxEncoder(Encoder):
    """A graph from `images` to `features`: on all cores, or sent to other processes, on one in each."""

    travels = True

    def __init__(
        self, name: str, graph: bytes, dimension: int, size: Size, *, weights: str, panoramic: bool = False
    ) -> None:
        self.name, self.dimension, self.size, self.weights, self.panoramic = name, dimension, size, weights, panoramic
        self.batch = self.images
        self._graph = graph
        self._threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_session"} | {"_threads": 1}

    @cached_property
    def _session(self) -> Any:
        onnxruntime: Any = import_module("onnxruntime")
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self._threads
        # Threads that spin while they wait would take the cores from those that make the next images.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        return onnxruntime.InferenceSession(self._graph, options, providers=["CPUExecutionProvider"])

    def _encode(self, images: Images) -> Float32:
        piece = 1 if self.panoramic else PIECE * self._threads
        pieces = np.split(images, range(piece, len(images), piece))
        return np.concatenate([self._session.run(["features"], {"images": piece})[0] for piece in pieces])
