"""Features of every view of many viewpoints: images are made in the background while the encoder works on earlier ones."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from vnla.errors import InputError
from vnla.views import VIEWS
from vnla.vision.encoders.base import Encoder, Size
from vnla.vision.store import Place, StoreWriter

Images = Callable[[str, str], NDArray[np.uint8]]
"""(house, viewpoint id) → the viewpoint's 36 views as RGB (36, height, width, 3)."""
Report = Callable[[int], None]
"""Called with a number of viewpoints when that many more are stored."""

WORKERS = 2


def extract(
    images: Images,
    viewpoints: Sequence[Place],
    encoder: Encoder,
    store: StoreWriter,
    progress: Report = lambda _: None,
    *,
    batch: int | None = None,
    pool: Executor | None = None,
    ahead: int = 8,
) -> None:
    """Encode what the store still lacks. `viewpoints` are the store's, in its order.

    At most `batch` images go to the encoder at once, and those of at most `ahead` viewpoints more are kept waiting. Images
    are made in two threads, or in `pool`, which may be one of processes if `images` can be sent there.
    """
    if tuple(viewpoints) != store.header.viewpoints or encoder.dimension != store.header.dimension:
        raise ValueError("the store is of other viewpoints, or of an encoder of another dimension")
    most = max(1, (batch or encoder.batch) // VIEWS)
    own = ThreadPoolExecutor(WORKERS, thread_name_prefix="images")
    groups = list(_groups(store.pending, most))
    try:
        rows = (row for group in groups for row in group)
        made = _in_order(pool or own, images, (viewpoints[row] for row in rows), most + ahead)
        for group in groups:
            pictures = [fitted(*next(made), encoder.size) for _ in group]
            features = encoder.encode(np.concatenate(pictures) if len(pictures) > 1 else pictures[0])
            store.write(group[0], features.reshape(len(group), VIEWS, encoder.dimension))
            progress(len(group))
    finally:
        own.shutdown(cancel_futures=True)


def _groups(pending: NDArray[np.int64], most: int) -> Iterator[list[int]]:
    """Pending rows in runs of neighbours, at most `most` together."""
    group: list[int] = []
    for row in pending.tolist():
        if group and (row != group[-1] + 1 or len(group) == most):
            yield group
            group = []
        group.append(row)
    if group:
        yield group


def _in_order(
    pool: Executor, images: Images, places: Iterable[Place], ahead: int
) -> Iterator[tuple[Place, NDArray[np.uint8]]]:
    """The images of `places` in their order, with up to `ahead` of them being made or waiting."""
    waiting: deque[tuple[Place, Future[NDArray[np.uint8]]]] = deque()
    try:
        for place in places:
            waiting.append((place, pool.submit(images, *place)))
            if len(waiting) > ahead:
                first, future = waiting.popleft()
                yield first, future.result()
        while waiting:
            first, future = waiting.popleft()
            yield first, future.result()
    finally:
        for _, future in waiting:
            future.cancel()


def fitted(place: Place, images: NDArray[np.uint8], size: Size) -> NDArray[np.uint8]:
    """A viewpoint's images, checked, and scaled where they are not of the encoder's size."""
    if images.dtype != np.uint8 or images.ndim != 4 or len(images) != VIEWS or images.shape[3] != 3:
        house, viewpoint = place
        raise InputError(
            f"viewpoint {viewpoint} of house {house}: images of {images.dtype} and shape {images.shape};"
            f" expected bytes of shape ({VIEWS}, height, width, 3)"
        )
    if images.shape[1:3] == (size.height, size.width):
        return images
    return np.stack([np.asarray(Image.fromarray(each).resize(size, Image.Resampling.BILINEAR)) for each in images])
