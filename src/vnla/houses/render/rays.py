"""Rays against the parts of a scene: what they meet first, and whether anything stands between two points.

Parts are met as the solids they are, not as triangles: there are twenty times fewer of them, and a ray that leaves a convex
solid cannot meet it again. They hang in a tree of boxes that is halved at the median, level by level, so that node `i` has
the children `2i + 1` and `2i + 2` and needs no pointers. A tapered part is taken as wide as it is in the middle.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vnla.common.native import compiled, inlined
from vnla.common.threads import on_threads
from vnla.houses.render.mesh import BOX, CYLINDER, Floats, Ints, Solids

NOTHING = -1
"""The patch of a ray that meets nothing."""
FAR = 1e9

_CHUNK = 16384


class Tree(NamedTuple):
    """Parts in a tree of boxes. Leaves are the last nodes; an empty one has the part -1."""

    low: Floats
    high: Floats
    part: Ints  # over leaves
    solids: Solids
    clear: NDArray[np.bool_]  # over parts: whether light passes through


class Hits(NamedTuple):
    """For each ray the patch that it meets first (or NOTHING) and how far away that is."""

    patch: Ints
    distance: Floats


def build_tree(solids: Solids, clear: NDArray[np.bool_]) -> Tree:
    """The tree over all parts; `clear` ones stop no light but are met."""
    low, high = _bounds(solids)
    parts = len(low)
    depth = max(int(np.ceil(np.log2(max(parts, 2)))), 1)
    leaves = 1 << depth
    order = np.full(leaves, -1, np.int64)
    order[:parts] = np.arange(parts)
    middle = np.full((leaves, 3), FAR)
    middle[:parts] = (low + high) / 2
    for level in range(depth):
        groups = order.reshape(1 << level, -1)
        points = middle[groups]
        inside = (groups >= 0)[..., None]
        spread = np.where(inside, points, -FAR).max(axis=1) - np.where(inside, points, FAR).min(axis=1)
        axis = spread.argmax(axis=1)
        key = np.take_along_axis(points, axis[:, None, None], axis=2)[..., 0]
        key = np.where(groups >= 0, key, FAR)
        order = np.take_along_axis(groups, key.argsort(axis=1, kind="stable"), axis=1).ravel()
    filled = (order >= 0)[:, None]
    lows, highs = [np.where(filled, low[order], FAR)], [np.where(filled, high[order], -FAR)]
    while len(lows[0]) > 1:
        lows.insert(0, np.minimum(lows[0][::2], lows[0][1::2]))
        highs.insert(0, np.maximum(highs[0][::2], highs[0][1::2]))
    bottom, top = np.concatenate(lows), np.concatenate(highs)
    # A box turned inside out would be met by every ray; a point far away is met by none.
    top = np.where(bottom > top, bottom, top)
    return Tree(bottom.astype(np.float32), top.astype(np.float32), order.astype(np.int32), solids, clear)


def _bounds(solids: Solids) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
    """The lowest and highest corner of a box along the axes around each part."""
    half = solids.half * np.maximum((1 + solids.taper[:, None]) / 2, 1.0)
    cosine, sine = np.abs(solids.cosine), np.abs(solids.sine)
    reach = np.stack([half[:, 0] * cosine + half[:, 1] * sine, half[:, 0] * sine + half[:, 1] * cosine, half[:, 2]], axis=1)
    return solids.centre - reach - 1e-4, solids.centre + reach + 1e-4


def first_hits(tree: Tree, origin: Floats, direction: Floats, own: Ints, workers: int = 1) -> Hits:
    """What rays from `origin` meet, the part `own` that each begins on aside."""
    hits = Hits(np.empty(len(origin), np.int32), np.empty(len(origin), np.float32))

    def work(chunk: slice) -> None:
        _first(tree, origin[chunk], direction[chunk], own[chunk], hits.patch[chunk], hits.distance[chunk])

    _spread(work, len(origin), workers)
    return hits


def blocked(tree: Tree, origin: Floats, towards: Floats, own: Ints, workers: int = 1) -> NDArray[np.bool_]:
    """Whether anything that is not clear stands between each `origin` and the point `towards` it is looking at."""
    result = np.empty(len(origin), np.bool_)

    def work(chunk: slice) -> None:
        _blocked(tree, origin[chunk], towards[chunk], own[chunk], result[chunk])

    _spread(work, len(origin), workers)
    return result


def containing(tree: Tree, points: Floats, own: Ints) -> Ints:
    """The part, other than `own` and not clear, that each point lies in, or NOTHING."""
    result = np.empty(len(points), np.int32)
    _containing(tree, points, own, result)
    return result


def _spread(work: Callable[[slice], None], count: int, workers: int) -> None:
    """Do `work` on all of `count` rays, on several threads if there are many."""
    chunks = [slice(start, start + _CHUNK) for start in range(0, count, _CHUNK)]
    on_threads(work, chunks, workers if len(chunks) > 1 else 1)


@compiled
def _first(tree, origin, direction, own, patch, distance):  # type: ignore[no-untyped-def]
    stack, begins = np.empty(64, np.int32), np.empty(64, np.float32)  # nodes to look at, and where the ray enters them
    inner = tree.low.shape[0] - tree.part.size
    for ray in range(origin.shape[0]):
        ox, oy, oz = origin[ray, 0], origin[ray, 1], origin[ray, 2]
        dx, dy, dz = direction[ray, 0], direction[ray, 1], direction[ray, 2]
        ix, iy, iz = _inverse(dx), _inverse(dy), _inverse(dz)
        best, met, side = np.float32(FAR), -1, 0
        top = 1
        stack[0], begins[0] = 0, np.float32(0)
        while top > 0:
            top -= 1
            if begins[top] >= best:
                continue
            node = stack[top]
            while node < inner:
                node = 2 * node + 1
                other = node + 1
                a = _entry(tree, node, ox, oy, oz, ix, iy, iz)
                b = _entry(tree, other, ox, oy, oz, ix, iy, iz)
                if a > b:
                    node, other, a, b = other, node, b, a
                if b < best:
                    stack[top], begins[top] = other, b
                    top += 1
                if a >= best:
                    node = -1
                    break
            if node < 0:
                continue
            part = tree.part[node - inner]
            if part < 0 or part == own[ray]:
                continue
            enter, leave, face = _through(tree.solids, part, ox, oy, oz, dx, dy, dz)
            if enter > leave or leave <= 0 or enter >= best:
                continue
            if enter <= 0 and tree.clear[part]:
                continue
            best, met, side = max(enter, np.float32(0)), part, face
        distance[ray] = best
        patch[ray] = tree.solids.patches[met, side] if met >= 0 else NOTHING


@compiled
def _blocked(tree, origin, towards, own, result):  # type: ignore[no-untyped-def]
    stack = np.empty(64, np.int32)
    inner = tree.low.shape[0] - tree.part.size
    one = np.float32(1)
    last_met = 0  # where something was met last: neighbours mostly have the same in their way, so it is looked at first
    for ray in range(origin.shape[0]):
        ox, oy, oz = origin[ray, 0], origin[ray, 1], origin[ray, 2]
        dx, dy, dz = towards[ray, 0] - ox, towards[ray, 1] - oy, towards[ray, 2] - oz
        ix, iy, iz = _inverse(dx), _inverse(dy), _inverse(dz)
        hit = False
        stack[0], stack[1] = 0, last_met
        top = 2 if last_met > 0 else 1
        while top > 0 and not hit:
            top -= 1
            node = stack[top]
            while node >= 0 and node < inner:
                left = 2 * node + 1
                a = _entry(tree, left, ox, oy, oz, ix, iy, iz)
                b = _entry(tree, left + 1, ox, oy, oz, ix, iy, iz)
                node = left if a < one else -1
                if b < one:
                    if node < 0:
                        node = left + 1
                    else:
                        stack[top] = left + 1
                        top += 1
            if node < 0:
                continue
            part = tree.part[node - inner]
            if part < 0 or part == own[ray] or tree.clear[part]:
                continue
            enter, leave, _ = _through(tree.solids, part, ox, oy, oz, dx, dy, dz)
            hit = enter <= leave and leave > 0 and enter < 1
            last_met = node if hit else last_met
        result[ray] = hit


@compiled
def _containing(tree, points, own, result):  # type: ignore[no-untyped-def]
    stack = np.empty(64, np.int32)
    inner = tree.low.shape[0] - tree.part.size
    up = np.float32(1)
    for point in range(points.shape[0]):
        x, y, z = points[point, 0], points[point, 1], points[point, 2]
        result[point] = NOTHING
        top = 1
        stack[0] = 0
        while top > 0:
            top -= 1
            node = stack[top]
            if (
                x < tree.low[node, 0] or x > tree.high[node, 0]
                or y < tree.low[node, 1] or y > tree.high[node, 1]
                or z < tree.low[node, 2] or z > tree.high[node, 2]
            ):  # fmt: skip
                continue
            if node < inner:
                stack[top] = 2 * node + 2
                stack[top + 1] = 2 * node + 1
                top += 2
                continue
            part = tree.part[node - inner]
            if part == own[point] or tree.clear[part]:
                continue
            enter, leave, _ = _through(tree.solids, part, x, y, z, up - up, up - up, up)
            if enter <= leave and enter < 0 and leave > 0:
                result[point] = part
                break


@inlined
def _inverse(component):  # type: ignore[no-untyped-def]
    return np.float32(1) / component if abs(component) > np.float32(1e-9) else np.float32(FAR)


@inlined
def _entry(tree, node, ox, oy, oz, ix, iy, iz):  # type: ignore[no-untyped-def]
    """How far along a ray a node's box begins; FAR if it is missed."""
    a, b = (tree.low[node, 0] - ox) * ix, (tree.high[node, 0] - ox) * ix
    enter, leave = min(a, b), max(a, b)
    a, b = (tree.low[node, 1] - oy) * iy, (tree.high[node, 1] - oy) * iy
    enter, leave = max(enter, min(a, b)), min(leave, max(a, b))
    a, b = (tree.low[node, 2] - oz) * iz, (tree.high[node, 2] - oz) * iz
    enter, leave = max(enter, min(a, b)), min(leave, max(a, b))
    return max(enter, np.float32(0)) if enter <= leave and leave > 0 else np.float32(FAR)


@inlined
def _through(solids, part, ox, oy, oz, dx, dy, dz):  # type: ignore[no-untyped-def]
    """Where a ray enters and leaves a part, and through which side it enters; it misses where it enters after leaving."""
    cosine, sine = solids.cosine[part], solids.sine[part]
    hx, hy, hz = solids.half[part, 0], solids.half[part, 1], solids.half[part, 2]
    px, py, pz = ox - solids.centre[part, 0], oy - solids.centre[part, 1], oz - solids.centre[part, 2]
    px, py = cosine * px + sine * py, cosine * py - sine * px
    ex, ey, ez = cosine * dx + sine * dy, cosine * dy - sine * dx, dz
    shape, wide = solids.shape[part], np.float32(0.5) + np.float32(0.5) * solids.taper[part]
    if shape == BOX:
        enter, leave, side = _slab(px, ex, hx * wide, np.float32(-FAR), np.float32(FAR), 0, 0)
        enter, leave, side = _slab(py, ey, hy * wide, enter, leave, side, 2)
        return _slab(pz, ez, hz, enter, leave, side, 4)
    if shape == CYLINDER:
        axis = solids.order[part, 2]
        if axis == 0:
            px, py, pz, ex, ey, ez, hx, hy, hz = py, pz, px, ey, ez, ex, hy, hz, hx
        elif axis == 1:
            px, py, pz, ex, ey, ez, hx, hy, hz = pz, px, py, ez, ex, ey, hz, hx, hy
        enter, leave = _ball(px, py, np.float32(0), ex, ey, np.float32(0), hx * wide, hy * wide, np.float32(1))
        enter, leave, side = _slab(pz, ez, hz, enter, leave, 0, 1)
        return enter, leave, side
    enter, leave = _ball(px, py, pz, ex, ey, ez, hx, hy, hz)
    return enter, leave, 0


@inlined
def _slab(p, e, half, enter, leave, side, number):  # type: ignore[no-untyped-def]
    """A ray's way through a solid, cut down to where one coordinate lies within ± `half`."""
    over = _inverse(e)
    a, b = (-half - p) * over, (half - p) * over
    if a < b:
        if a > enter:
            enter, side = a, number + 1
        return enter, min(leave, b), side
    if b > enter:
        enter, side = b, number
    return enter, min(leave, a), side


@inlined
def _ball(px, py, pz, ex, ey, ez, hx, hy, hz):  # type: ignore[no-untyped-def]
    hx, hy, hz = max(hx, np.float32(1e-5)), max(hy, np.float32(1e-5)), max(hz, np.float32(1e-5))
    px, py, pz, ex, ey, ez = px / hx, py / hy, pz / hz, ex / hx, ey / hy, ez / hz
    a = max(ex * ex + ey * ey + ez * ez, np.float32(1e-12))
    b = px * ex + py * ey + pz * ez
    c = px * px + py * py + pz * pz - np.float32(1)
    root = b * b - a * c
    if root < 0:
        return np.float32(FAR), np.float32(-FAR)
    root = np.float32(np.sqrt(root))
    return (-b - root) / a, (-b + root) / a
