"""A scene as triangles, and as patches of surface on which light is collected.

Every part is closed and convex, so triangles face outwards and their backs are never seen. A patch is one side of a part: a
face of a box, the side or an end of a cylinder, a whole ellipsoid. Light varies slowly, so a patch holds it on a coarse
grid of its own (`grid`), however few triangles it has: a bare wall is two triangles and fifty light samples.

Everything is made for all parts of a kind at once, in NumPy; the arrays are what the compiled loops read.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vnla.houses.scene import NO_OBJECT, Material, Part, Scene

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]

BOX, CYLINDER, ELLIPSOID = 0, 1, 2
FILLS_ONCE = ("picture", "screen", "books")
"""Patterns that fill a face once, whatever its size."""
GRAINED = ("wood", "planks", "metal")
"""Patterns that run along the longer side of a face."""

FLOOR_STEP, WALL_STEP, OBJECT_STEP = 0.24, 0.44, 0.28
"""Metres between light samples: closest on floors, where furniture throws its shadows."""
EDGE = 0.03
"""Metres from the edge of a wall to its first light sample."""
MOST_STEPS = 40

# A box's faces: outward normal, and right and down as seen from outside.
_FACES = np.array(
    [
        [(1, 0, 0), (0, 1, 0), (0, 0, -1)],
        [(-1, 0, 0), (0, -1, 0), (0, 0, -1)],
        [(0, 1, 0), (-1, 0, 0), (0, 0, -1)],
        [(0, -1, 0), (1, 0, 0), (0, 0, -1)],
        [(0, 0, 1), (1, 0, 0), (0, -1, 0)],
        [(0, 0, -1), (1, 0, 0), (0, 1, 0)],
    ],
    dtype=np.float64,
)
_CORNERS = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], dtype=np.float64)  # across and down: the four corners of a face
_QUAD = np.array([(0, 3, 2), (0, 2, 1)])

# Position of the (first, second, axial) lengths of a cylinder along x, y or z: cyclic, so that no part is mirrored.
_ORDER = {"x": (1, 2, 0), "y": (2, 0, 1), "z": (0, 1, 2)}


class Solids(NamedTuple):
    """The parts, in the order in which their triangles lie in the mesh: arrays over parts."""

    shape: Ints
    order: Ints  # (parts, 3): which coordinates are a cylinder's first, second and axial ones
    centre: Floats
    half: Floats
    cosine: Floats
    sine: Floats
    taper: Floats
    radius: Floats  # of a sphere about the centre that holds the part
    material: Ints
    owner: Ints
    triangles: Ints  # (parts + 1,): where each part's triangles begin
    patches: Ints  # (parts, 6): the patch on each side of a part


class Patches(NamedTuple):
    """Arrays over patches."""

    part: Ints
    material: Ints
    grid: Ints  # (patches, 3): first light sample, columns, rows


class Samples(NamedTuple):
    """Where light is collected: arrays over samples, patch after patch, row after row."""

    position: Floats
    normal: Floats
    patch: Ints


@dataclass(frozen=True)
class Mesh:
    """A scene ready to be lit: arrays over vertices (`position` to `spot`) and over triangles (`triangles` and `patch`)."""

    position: Floats
    normal: Floats
    uv: Floats
    """Repetitions of the pattern, to the right and down as seen from outside."""
    spot: Floats
    """Column and row in the patch's grid of light samples."""
    triangles: Ints
    patch: Ints
    solids: Solids
    patches: Patches
    samples: Samples
    materials: tuple[Material, ...]
    scene: Scene

    @property
    def owner(self) -> Ints:
        """The object that each triangle belongs to, or NO_OBJECT."""
        owners: Ints = self.solids.owner[self.patches.part[self.patch]]
        return owners

    @property
    def material(self) -> Ints:
        """The number in `materials` of each triangle's material."""
        chosen: Ints = self.patches.material[self.patch]
        return chosen


def build_mesh(scene: Scene) -> Mesh:
    """The triangles and patches of all parts of a scene."""
    if not scene.parts:
        raise ValueError("a scene without parts cannot be drawn")
    materials = tuple(dict.fromkeys(part.material for part in scene.parts))
    numbers = {material: number for number, material in enumerate(materials)}
    groups: dict[tuple[int, int], list[int]] = {}
    for index, part in enumerate(scene.parts):
        groups.setdefault(_kind(part), []).append(index)
    pieces = []
    for (shape, detail), members in sorted(groups.items()):
        batch = _batch([scene.parts[i] for i in members], [scene.owner[i] for i in members], numbers, materials)
        pieces.append(_boxes(batch) if shape == BOX else _round(batch, shape, detail))
    return _joined(pieces, materials, scene)


def _kind(part: Part) -> tuple[int, int]:
    """The shape and how many sides it gets: more for what is larger."""
    if part.shape == "box":
        return BOX, 0
    if part.shape == "cylinder":
        across = max(part.size[i] for i in _ORDER[part.axis][:2])
        return CYLINDER, 20 if across > 0.5 else 16 if across > 0.12 else 12
    across = max(part.size)
    return ELLIPSOID, 14 if across > 0.3 else 10 if across > 0.08 else 8


class _Batch(NamedTuple):
    """Parts of one kind, as arrays over them."""

    centre: NDArray[np.float64]
    size: NDArray[np.float64]
    turn: NDArray[np.float64]
    taper: NDArray[np.float64]
    order: Ints
    material: Ints
    owner: Ints
    scale: NDArray[np.float64]
    fills: NDArray[np.bool_]
    grained: NDArray[np.bool_]

    @property
    def axes(self) -> NDArray[np.float64]:
        """Each part's own x, y and z in the world (parts, 3, 3), as rows."""
        cosine, sine, zero = np.cos(self.turn), np.sin(self.turn), np.zeros_like(self.turn)
        one = np.ones_like(zero)
        rows = [[cosine, sine, zero], [-sine, cosine, zero], [zero, zero, one]]
        return np.moveaxis(np.array(rows), 2, 0)


def _batch(
    parts: Sequence[Part], owners: Sequence[int], numbers: dict[Material, int], materials: Sequence[Material]
) -> _Batch:
    material = np.array([numbers[part.material] for part in parts], dtype=np.int32)
    used = [materials[i] for i in material]
    return _Batch(
        np.array([part.centre for part in parts], dtype=np.float64),  # of whole numbers, the loops would be compiled anew
        np.array([part.size for part in parts], dtype=np.float64),
        np.array([part.turn for part in parts], dtype=np.float64),
        np.array([part.taper for part in parts], dtype=np.float64),
        np.array([_ORDER[part.axis] for part in parts], dtype=np.int32),
        material,
        np.array(owners, dtype=np.int32),
        np.array([max(m.scale, 1e-3) for m in used]),
        np.array([m.pattern in FILLS_ONCE for m in used]),
        np.array([m.pattern in GRAINED for m in used]),
    )


class _Piece(NamedTuple):
    """The mesh of one batch, with indices that count from its own beginning."""

    batch: _Batch
    shape: int
    position: NDArray[np.float64]  # (parts, vertices, 3), as are the next three
    normal: NDArray[np.float64]
    uv: NDArray[np.float64]
    spot: NDArray[np.float64]
    triangles: NDArray[np.int64]  # (triangles of one part, 3)
    side: NDArray[np.int64]  # the side of the part that each of these lies on
    columns: NDArray[np.int64]  # (parts, sides)
    rows: NDArray[np.int64]
    sample_position: NDArray[np.float64]
    sample_normal: NDArray[np.float64]


def _boxes(batch: _Batch) -> _Piece:
    parts = len(batch.size)
    normal, right, down = _FACES[:, 0], _FACES[:, 1], _FACES[:, 2]  # (6, 3)
    across, under = _CORNERS[:, 0] - 0.5, _CORNERS[:, 1] - 0.5
    unit = normal[:, None] / 2 + across[None, :, None] * right[:, None] + under[None, :, None] * down[:, None]  # (6, 4, 3)
    local = np.repeat(unit[None], parts, axis=0)  # (parts, 6, 4, 3)
    upper = (unit[..., 2] > 0)[None, :, :, None]
    local[..., :2] *= np.where(upper, batch.taper[:, None, None, None], 1.0)
    local *= batch.size[:, None, None, :]
    axes = batch.axes
    position = np.einsum("pfci,pij->pfcj", local, axes) + batch.centre[:, None, None]

    outward = np.cross(position[:, :, 1] - position[:, :, 3], position[:, :, 0] - position[:, :, 2])
    length = np.linalg.norm(outward, axis=-1, keepdims=True)
    flat = np.einsum("fi,pij->pfj", normal, axes)
    outward = np.where(length > 1e-9, outward / np.maximum(length, 1e-9), flat)

    # Patterns hang on the world's origin, so that they run on from one piece of wall to the next.
    sides = [np.einsum("fi,pij->pfj", side, axes) for side in (right, down)]
    anchored = np.stack([np.einsum("pfcj,pfj->pfc", position, side) for side in sides], axis=-1)  # (parts, 6, 4, 2), metres
    width, height = batch.size @ np.abs(right).T, batch.size @ np.abs(down).T  # (parts, 6)
    uv = _mapped(batch, anchored, np.broadcast_to(_CORNERS, anchored.shape), height > width)

    step = np.where(normal[None, :, 2] > 0, FLOOR_STEP, WALL_STEP)
    columns, inset_x = _steps(width, step, batch.owner)
    rows, inset_y = _steps(height, step, batch.owner)
    spot = np.stack([_spot(_CORNERS[:, k], *grid) for k, grid in enumerate([(columns, inset_x), (rows, inset_y)])], axis=-1)
    face, column, row = _cells(columns, rows)
    corners = position.reshape(-1, 4, 3)[face]
    s = _place(column, columns.ravel()[face], inset_x.ravel()[face])[:, None]
    t = _place(row, rows.ravel()[face], inset_y.ravel()[face])[:, None]
    sampled = (corners[:, 0] * (1 - s) + corners[:, 1] * s) * (1 - t) + (corners[:, 3] * (1 - s) + corners[:, 2] * s) * t

    triangles = (_QUAD[None] + 4 * np.arange(6)[:, None, None]).reshape(-1, 3)
    vertices = (parts, 24)
    return _Piece(
        batch,
        BOX,
        position.reshape(*vertices, 3),
        np.repeat(outward, 4, axis=1),
        uv.reshape(*vertices, 2),
        spot.reshape(*vertices, 2),
        triangles,
        np.repeat(np.arange(6), 2),
        columns,
        rows,
        sampled,
        outward.reshape(-1, 3)[face],
    )


def _steps(
    length: NDArray[np.float64], step: NDArray[np.float64], owner: Ints
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """How many light samples stand along faces of the given lengths, and the share of the way where the first one stands.

    On the building they begin at the edge, so that light runs on from one piece of wall to the next; on objects, whose
    edges touch other parts, half a step from it.
    """
    building = owner[:, None] == NO_OBJECT
    count = np.rint(length / np.where(building, step, OBJECT_STEP)) + np.where(building & (length > WALL_STEP / 2), 1, 0)
    count = np.clip(count, 1, MOST_STEPS).astype(np.int64)
    return count, np.where(building & (count > 1), EDGE / np.maximum(length, 4 * EDGE), 0.5 / count)


def _place(index: NDArray[np.int64], count: NDArray[np.int64], inset: NDArray[np.float64]) -> NDArray[np.float64]:
    """The share of the way where sample `index` of `count` stands."""
    return inset + index * (1 - 2 * inset) / np.maximum(count - 1, 1)


def _spot(share: NDArray[np.float64], count: NDArray[np.int64], inset: NDArray[np.float64]) -> NDArray[np.float64]:
    """The inverse of `_place`, for shares (corners,) of each face (parts, 6)."""
    index: NDArray[np.float64] = (share - inset[..., None]) * ((count - 1) / np.maximum(1 - 2 * inset, 1e-9))[..., None]
    return index


def _mapped(
    batch: _Batch, metres: NDArray[np.float64], whole: NDArray[np.float64], upright: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Texture coordinates (parts, sides, vertices, 2) from metres on the face or, for some patterns, shares of it."""
    repeated = metres / batch.scale[:, None, None, None]
    turned = (upright & batch.grained[:, None])[..., None, None]
    repeated = np.where(turned, repeated[..., ::-1], repeated)
    return np.where(batch.fills[:, None, None, None], whole, repeated)


def _cells(columns: NDArray[np.int64], rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], ...]:
    """Patch, column and row of every cell of grids of the given sizes."""
    counts = (columns * rows).ravel()
    patch = np.repeat(np.arange(counts.size), counts)
    cell = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    row, column = np.divmod(cell, columns.ravel()[patch])
    return patch, column, row


class _Template(NamedTuple):
    """A round shape of half-lengths 1 about its axis z."""

    unit: NDArray[np.float64]  # (vertices, 3)
    whole: NDArray[np.float64]  # (vertices, 2): shares of the way around and down, or across and down on an end
    vertex_side: NDArray[np.int64]
    triangles: NDArray[np.int64]
    side: NDArray[np.int64]


@lru_cache(maxsize=16)
def _cylinder_template(sides: int) -> _Template:
    angle = np.linspace(0, 2 * math.pi, sides + 1)
    ring = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    ends = [np.column_stack([ring, np.full(sides + 1, height)]) for height in (1.0, -1.0)]
    around = np.arange(sides + 1) / sides
    tube = [np.column_stack([around, np.full(sides + 1, down)]) for down in (0.0, 1.0)]
    caps = [np.column_stack([ring[:, 0] / 2 + 0.5, 0.5 - sign * ring[:, 1] / 2]) for sign in (1, -1)]
    i = np.arange(sides)
    under = i + sides + 1
    walls = np.concatenate([np.column_stack([i, under, under + 1]), np.column_stack([i, under + 1, i + 1])])
    fan = np.arange(1, sides - 1)
    top = np.column_stack([np.zeros_like(fan), fan, fan + 1]) + 2 * (sides + 1)
    bottom = np.column_stack([np.zeros_like(fan), fan + 1, fan]) + 3 * (sides + 1)
    return _Template(
        np.concatenate(ends + ends),
        np.concatenate(tube + caps),
        np.repeat([0, 1, 2], [2 * (sides + 1), sides + 1, sides + 1]),
        np.concatenate([walls, top, bottom]),
        np.repeat([0, 1, 2], [2 * sides, sides - 2, sides - 2]),
    )


@lru_cache(maxsize=16)
def _ellipsoid_template(sides: int) -> _Template:
    belts = sides // 2 + 1
    down, around = np.meshgrid(np.arange(belts + 1) / belts, np.arange(sides + 1) / sides, indexing="ij")
    polar, angle = down * math.pi, around * 2 * math.pi
    unit = np.stack([np.sin(polar) * np.cos(angle), np.sin(polar) * np.sin(angle), np.cos(polar)], axis=-1).reshape(-1, 3)
    unit[np.abs(unit) < 1e-12] = 0
    row, column = (grid.ravel() for grid in np.meshgrid(np.arange(belts), np.arange(sides), indexing="ij"))
    first = row * (sides + 1) + column
    below = first + sides + 1
    left = np.column_stack([first, below, below + 1])[row < belts - 1]
    right = np.column_stack([first, below + 1, first + 1])[row > 0]
    triangles = np.concatenate([left, right])
    whole = np.stack([around, down], axis=-1).reshape(-1, 2)
    return _Template(unit, whole, np.zeros(len(unit), np.int64), triangles, np.zeros(len(triangles), np.int64))


def _round(batch: _Batch, shape: int, detail: int) -> _Piece:
    """Cylinders or ellipsoids, in their own order of coordinates and then turned into the world's."""
    template = _cylinder_template(detail) if shape == CYLINDER else _ellipsoid_template(detail)
    lengths = np.take_along_axis(batch.size, batch.order, axis=1)  # first, second and axial
    columns, rows = _round_grid(lengths, shape)
    side, column, row = _cells(columns, rows)
    part, face = np.divmod(side, columns.shape[1])

    # Light is sampled all around with the seam twice, so that it closes; on an end, inside of its disc.
    around = column / np.maximum(columns.ravel()[side] - 1, 1)
    across, down = (column + 0.5) / columns.ravel()[side], (row + 0.5) / rows.ravel()[side]
    places = _surface(batch, lengths, shape, part, face, np.where(face == 0, around, across), down)
    lone = (columns.ravel()[side] == 1) & (shape == ELLIPSOID)
    places.normal[lone] = np.where(row[lone] == 0, 1.0, -1.0)[:, None] * [0.0, 0.0, 1.0]

    vertices = len(template.unit)
    parts = len(lengths)
    owner = np.repeat(np.arange(parts), vertices)
    whole = np.tile(template.whole, (parts, 1))
    vertex_side = np.tile(template.vertex_side, parts)
    exact = _surface(batch, lengths, shape, owner, vertex_side, whole[:, 0], whole[:, 1], np.tile(template.unit, (parts, 1)))
    sizes = np.stack([columns[owner, vertex_side], rows[owner, vertex_side]], axis=-1)
    spot = whole * sizes - 0.5
    tube = vertex_side == 0
    spot[tube, 0] = whole[tube, 0] * (sizes[tube, 0] - 1)
    return _Piece(
        batch,
        shape,
        exact.position.reshape(parts, vertices, 3),
        exact.normal.reshape(parts, vertices, 3),
        _round_uv(batch, lengths, shape, template).reshape(parts, vertices, 2),
        spot.reshape(parts, vertices, 2),
        template.triangles,
        template.side,
        columns,
        rows,
        places.position,
        places.normal,
    )


class _Points(NamedTuple):
    position: NDArray[np.float64]
    normal: NDArray[np.float64]


def _surface(
    batch: _Batch,
    lengths: NDArray[np.float64],
    shape: int,
    part: NDArray[np.int64],
    side: NDArray[np.int64],
    across: NDArray[np.float64],
    down: NDArray[np.float64],
    unit: NDArray[np.float64] | None = None,
) -> _Points:
    """Points on round parts and the normals there, from shares of the way around (or across an end) and down."""
    angle = across * 2 * math.pi
    if shape == ELLIPSOID:
        polar = down * math.pi
        point = np.stack([np.sin(polar) * np.cos(angle), np.sin(polar) * np.sin(angle), np.cos(polar)], axis=-1)
        point = point if unit is None else unit
        normal = point / np.maximum(lengths[part], 1e-6)
    else:
        sign = np.where(side == 2, -1.0, 1.0)
        disc = np.stack([across * 2 - 1, (1 - down * 2) * sign], axis=-1)
        disc *= np.minimum(1.0, 0.92 / np.maximum(np.linalg.norm(disc, axis=-1, keepdims=True), 1e-9))
        tube = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
        point = np.column_stack([np.where(side[:, None] == 0, tube, disc), np.where(side == 0, 1 - 2 * down, sign)])
        point = point if unit is None else unit
        length = np.maximum(lengths[part], 1e-6)
        slope = (1 - batch.taper[part]) / length[:, 2]
        wall = np.column_stack([point[:, 0] * 2 / length[:, 0], point[:, 1] * 2 / length[:, 1], slope])
        end = np.column_stack([np.zeros_like(sign), np.zeros_like(sign), sign])
        normal = np.where(side[:, None] == 0, wall, end)
        width = 1 + (batch.taper[part] - 1) * (point[:, 2] + 1) / 2
        point = point * np.column_stack([width, width, np.ones_like(width)])
    normal = normal / np.maximum(np.linalg.norm(normal, axis=-1, keepdims=True), 1e-12)
    return _Points(_placed(batch, part, point * lengths[part] / 2) + batch.centre[part], _placed(batch, part, normal))


def _placed(batch: _Batch, part: NDArray[np.int64], vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Vectors in (first, second, axial) coordinates turned into the world's."""
    own = np.empty_like(vectors)
    np.put_along_axis(own, batch.order[part].astype(np.int64), vectors, axis=1)
    turned: NDArray[np.float64] = np.einsum("ki,kij->kj", own, batch.axes[part])
    return turned


def _round_grid(lengths: NDArray[np.float64], shape: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Columns and rows of light samples on each side of round parts: (parts, sides)."""
    across = lengths[:, :2].max(axis=1)
    high = np.clip(np.rint(lengths[:, 2] / OBJECT_STEP), 1, MOST_STEPS)
    around = np.where(across > 0.3, 9, np.where(across > 0.05, 7, 5))
    if shape == ELLIPSOID:
        small = lengths.max(axis=1) < 0.1
        large = lengths.max(axis=1) > 0.3
        columns = np.where(small, 1, np.where(large, 9, 5))[:, None]
        return columns, np.where(small, 2, np.where(large, 5, 3))[:, None]
    end = np.clip(np.rint(lengths[:, :2] / OBJECT_STEP), 1, MOST_STEPS)
    columns = np.stack([around, end[:, 0], end[:, 0]], axis=1).astype(np.int64)
    return columns, np.stack([high, end[:, 1], end[:, 1]], axis=1).astype(np.int64)


def _round_uv(batch: _Batch, lengths: NDArray[np.float64], shape: int, template: _Template) -> NDArray[np.float64]:
    girth = math.pi * lengths[:, :2].mean(axis=1)
    height = lengths[:, 2] * (1.0 if shape == CYLINDER else math.pi / 2)
    # A whole number of repetitions around, so that the pattern meets itself.
    turns = np.maximum(np.rint(girth / batch.scale), 1.0)
    tube = template.whole[None] * np.stack([turns, height / batch.scale], axis=-1)[:, None]
    end = template.whole[None] * (lengths[:, :2] / batch.scale[:, None])[:, None]
    uv = np.where((template.vertex_side == 0)[None, :, None], tube, end)
    along = (batch.grained & (lengths[:, 2] > lengths[:, :2].max(axis=1)))[:, None, None]
    uv = np.where(along & (template.vertex_side == 0)[None, :, None], uv[..., ::-1], uv)
    return np.where(batch.fills[:, None, None], template.whole[None], uv)


def _joined(pieces: Sequence[_Piece], materials: tuple[Material, ...], scene: Scene) -> Mesh:
    solids, patches, triangle, triangle_patch, sample_patch = [], [], [], [], []
    vertices = triangles = patch_count = samples = parts = 0
    for piece in pieces:
        batch, sides = piece.batch, piece.columns.shape[1]
        count, corners = len(batch.size), piece.position.shape[1]
        which = np.arange(count)
        triangle.append((piece.triangles[None] + corners * which[:, None, None]).reshape(-1, 3) + vertices)
        own_patches = which[:, None] * sides + np.arange(sides) + patch_count
        triangle_patch.append(own_patches[:, piece.side].ravel())
        cells = (piece.columns * piece.rows).ravel()
        offset = np.cumsum(cells) - cells + samples
        grid = np.column_stack([offset, piece.columns.ravel(), piece.rows.ravel()])
        patches.append((np.repeat(which + parts, sides), np.repeat(batch.material, sides), grid))
        sample_patch.append(np.repeat(own_patches.ravel(), cells))
        starts = which * len(piece.triangles) + triangles
        solids.append(_solids(piece, starts, own_patches))
        vertices += count * corners
        triangles += count * len(piece.triangles)
        patch_count += count * sides
        samples += int(cells.sum())
        parts += count
    joined = Solids(*(_compact(column) for column in zip(*solids, strict=True)))
    joined = joined._replace(triangles=np.append(joined.triangles, np.int32(triangles)))
    return Mesh(
        _floats([piece.position for piece in pieces], 3),
        _floats([piece.normal for piece in pieces], 3),
        _floats([piece.uv for piece in pieces], 2),
        _floats([piece.spot for piece in pieces], 2),
        np.concatenate(triangle).astype(np.int32),
        np.concatenate(triangle_patch).astype(np.int32),
        joined,
        Patches(*(_compact(column) for column in zip(*patches, strict=True))),
        Samples(
            _floats([piece.sample_position for piece in pieces], 3),
            _floats([piece.sample_normal for piece in pieces], 3),
            np.concatenate(sample_patch).astype(np.int32),
        ),
        materials,
        scene,
    )


def _solids(piece: _Piece, starts: NDArray[np.int64], own_patches: NDArray[np.int64]) -> tuple[NDArray[Any], ...]:
    """The columns of `Solids` for one piece."""
    batch = piece.batch
    # A part whose upper end is the wider one needs a larger sphere.
    radius = np.linalg.norm(batch.size * np.maximum(batch.taper, 1.0)[:, None], axis=1) / 2
    patches = np.repeat(own_patches[:, :1], 6, axis=1)
    patches[:, : own_patches.shape[1]] = own_patches
    return (
        np.full(len(starts), piece.shape),
        batch.order,
        batch.centre,
        batch.size / 2,
        np.cos(batch.turn),
        np.sin(batch.turn),
        batch.taper,
        radius,
        batch.material,
        batch.owner,
        starts,
        patches,
    )


def _compact(arrays: Sequence[NDArray[Any]]) -> Any:
    """Arrays end to end, in 32 bits."""
    joined = np.concatenate(arrays)
    return np.ascontiguousarray(joined, dtype=np.float32 if joined.dtype.kind == "f" else np.int32)


def _floats(arrays: Sequence[NDArray[np.float64]], width: int) -> Floats:
    return np.concatenate([array.reshape(-1, width) for array in arrays]).astype(np.float32)
