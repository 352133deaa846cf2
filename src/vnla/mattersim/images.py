"""Where a simulator's images come from: skybox photographs on disk, or a renderer that somebody has set."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vnla.common.errors import InputError
from vnla.houses.skybox import load_skybox, load_skybox_depth, render_depth, render_view, skybox_files
from vnla.mattersim.agent import SimulatorSettings

Renderer = Callable[[str, str, float, float, int, int, float], "NDArray[np.uint8] | None"]
"""(scan, viewpoint id, heading, elevation, width, height, vfov) → RGB (height, width, 3), or None: not a house of mine."""

_renderer: Renderer | None = None


def set_renderer(renderer: Renderer | None) -> None:
    """Set who draws the views of buildings that have no skybox images; None sets nobody."""
    global _renderer
    _renderer = renderer


def colour_image(
    settings: SimulatorSettings, scan: str, viewpoint: str, rotation: ArrayLike, heading: float, elevation: float
) -> NDArray[np.uint8]:
    """What the camera sees, (height, width, 3), BGR as in the C++ simulator."""
    camera = (heading, elevation, settings.width, settings.height, settings.vfov)
    folder = _folder(settings, scan, viewpoint)
    if folder is not None:
        picture: NDArray[np.uint8] | None = render_view(load_skybox(folder, viewpoint), rotation, *camera)
    else:
        picture = None if _renderer is None else _renderer(scan, viewpoint, *camera)
    if picture is None:
        raise _no_images(settings, scan, viewpoint)
    if picture.shape != (settings.height, settings.width, 3) or picture.dtype != np.uint8:
        raise ValueError(
            f"MatterSim: the renderer gave {picture.dtype}{picture.shape}, not bytes of the camera's resolution"
        )
    return np.ascontiguousarray(picture[:, :, ::-1])


def depth_image(
    settings: SimulatorSettings, scan: str, viewpoint: str, rotation: ArrayLike, heading: float, elevation: float
) -> NDArray[np.uint16]:
    """How far away what the camera sees is, (height, width, 1), in quarters of a millimetre."""
    folder = _folder(settings, scan, viewpoint)
    if folder is None:
        raise _no_images(settings, scan, viewpoint)
    faces = load_skybox_depth(folder, viewpoint)
    return render_depth(faces, rotation, heading, elevation, settings.width, settings.height, settings.vfov)[:, :, None]


def _folders(settings: SimulatorSettings, scan: str) -> tuple[Path, Path]:
    """Where a building's images may be: below the dataset as it is downloaded, or below its folder of scans."""
    root = Path(settings.dataset_path)
    return root / "v1/scans" / scan / "matterport_skybox_images", root / scan / "matterport_skybox_images"


def _folder(settings: SimulatorSettings, scan: str, viewpoint: str) -> Path | None:
    return next((folder for folder in _folders(settings, scan) if skybox_files(folder, viewpoint)), None)


def _no_images(settings: SimulatorSettings, scan: str, viewpoint: str) -> InputError:
    first, second = _folders(settings, scan)
    return InputError(
        f"MatterSim: no skybox images of viewpoint {viewpoint} in {first} or {second}; point setDatasetPath at Matterport3D "
        "(niessner.github.io/Matterport), or call setRenderingEnabled(False) before the simulator is initialised"
    )
