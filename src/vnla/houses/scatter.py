"""Bare graphs of the size of real buildings: viewpoints scattered as a scanner leaves them, without rooms or objects.

For benchmarks and large-scale tests of the simulator, where what the house looks like does not matter.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial import cKDTree
from scipy.spatial.distance import pdist, squareform

from vnla.camera import Float64, Ints
from vnla.houses.house import House, Viewpoint
from vnla.houses.statistics import REAL

REAL_SIZES = tuple(int(decile) for decile in REAL.viewpoints_a_house.deciles if decile is not None)
"""Deciles of the number of viewpoints in the 90 buildings of Matterport3D."""

_SPACING = 2.0  # metres between places of the grid
_REACH = 3.2  # metres up to which neighbours are joined
_STOREY = 2.8


def scattered_house(name: str, viewpoints: int, seed: int) -> House:
    """A connected graph of that many viewpoints on floors of up to 80, about four neighbours each."""
    random = np.random.default_rng([seed, viewpoints])
    floors = 1 + viewpoints // 80
    each = -(-viewpoints // floors)
    side = int(np.ceil(np.sqrt(each)))
    index = np.arange(viewpoints)
    floor, place = np.divmod(index, each)
    flat = np.stack(np.divmod(place, side), axis=1) * _SPACING + random.uniform(-0.7, 0.7, (viewpoints, 2))
    position = np.column_stack([flat, 1.5 + _STOREY * floor + random.uniform(-0.05, 0.05, viewpoints)])
    near = cKDTree(position).query_pairs(_REACH, output_type="ndarray")
    chosen = near[random.random(len(near)) < 0.42]
    edges = {(int(i), int(j)) for i, j in np.sort(np.concatenate([chosen, _spanning(position)]), axis=1)}
    return House(
        name,
        tuple(Viewpoint(f"{name}-{i}", (float(x), float(y), float(z))) for i, (x, y, z) in enumerate(position)),
        tuple(sorted(edges)),
    )


def real_sized_houses(count: int = 90, seed: int = 0) -> list[House]:
    """Houses with as many viewpoints as the real buildings have, spread evenly over their deciles."""
    levels = np.linspace(0, 1, count)
    sizes = np.interp(levels, np.linspace(0, 1, len(REAL_SIZES) + 2), [8, *REAL_SIZES, 348])
    return [scattered_house(f"scatter{i:03d}", int(size), seed + i) for i, size in enumerate(sizes)]


def _spanning(position: Float64) -> Ints:
    """Pairs (…, 2) that join all viewpoints, as short as can be."""
    length = squareform(pdist(position))
    tree = coo_array(minimum_spanning_tree(length))
    return np.column_stack([tree.row, tree.col]).astype(np.int64)
