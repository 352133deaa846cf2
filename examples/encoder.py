"""An encoder of your own: how often each colour is in a view.

From the folder that holds `examples`:

    vnla features make worlds/small --encoder examples.encoder:Colours --encoder-option bins=4
    vnla train runs/colours --world worlds/small --tasks tasks/small --features examples.encoder:Colours

The features are kept in `worlds/small/features/examples.encoder-Colours`, or under another name with `--name`. Arguments of
the class are its options; they are kept with the features, so that features of other options are never taken for these.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vnla import Encoder, Size


class Colours(Encoder):
    """A view's histogram: red, green and blue in `bins` steps each."""

    size = Size(64, 48)
    """The views are drawn in this size."""
    travels = True
    """It may be sent to the processes that draw. Leave this out if it uses a GPU or threads of its own."""

    def __init__(self, bins: int = 4) -> None:
        if not 1 <= bins <= 16:
            raise ValueError(f"bins is {bins}; choose 1 to 16")
        self.bins, self.dimension = bins, bins**3

    def _encode(self, images: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Features (n, dimension) of images (n, height, width, 3)."""
        step = images.astype(np.int64) * self.bins // 256
        colour = (step @ np.array([self.bins**2, self.bins, 1])).reshape(len(images), -1)  # (n, pixels)
        counts = np.stack([np.bincount(each, minlength=self.dimension) for each in colour])
        shares: NDArray[np.float32] = (counts / colour.shape[1]).astype(np.float32)
        return shares
