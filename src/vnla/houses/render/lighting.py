"""Light on the surfaces of a house, computed once: lamps, sun, sky through the windows, and what the walls throw back.

At every light sample of a mesh
1. lamps within reach, window panes and the sun are looked for; each that nothing hides adds its light;
2. sixteen rays are sent out. What they meet decides how much light comes back from there (twice: light that falls on a
   surface is passed on by it in its own colour) and how closed-in the place is, which darkens corners and contacts.

Samples that lie inside of a wall take their light from their neighbours. All is deterministic: the "random" points on lamps
and panes and the rays' directions come from low-discrepancy sequences.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vnla.common.threads import both
from vnla.houses.render.mesh import BOX, Floats, Ints, Mesh
from vnla.houses.render.rays import NOTHING, Tree, blocked, build_tree, containing, first_hits
from vnla.houses.render.textures import mean_colour
from vnla.houses.scene import NO_OBJECT, Light

REACH = 8.0
"""Metres that a lamp's light is followed."""
PANE_REACH = 7.0
RAYS = 16
LIFT = 0.008
"""Metres that rays begin above the surface."""
BOUNCES = 3
CLOSED_IN = 0.9
"""Metres within which something nearby darkens a surface."""
AMBIENT = 0.1
SUN, SKY = 2.6, 2.2
MIDDLE = 0.64
"""What the light of a house is brought to, on average."""

UNDERNEATH = 0.35
"""Share of its surroundings' light that a surface has under an object."""

_GOLDEN = np.array([0.7548776662466927, 0.5698402909980532])
"""The golden ratio's kin in two dimensions: whole multiples of it, less their whole parts, spread evenly."""

_LAMP_POINTS = 3
_SUN_POINTS = 2


class Baked(NamedTuple):
    """Light at each sample, and for each patch the lamp that shines most on it, or -1."""

    light: Floats
    lamp: Ints


class _Place(NamedTuple):
    """Where light is collected: arrays over the samples that are not inside of something."""

    origin: Floats
    normal: Floats
    own: Ints  # the part that the sample is on
    patch: Ints
    turn: Ints  # which of four sets of directions it looks in; neighbours take different ones


def bake(mesh: Mesh, workers: int = 1) -> Baked:
    """Light at every sample of a mesh."""
    tree = build_tree(mesh.solids, np.array([m.glow > 0 for m in mesh.materials])[mesh.solids.material])
    place, hidden = _places(tree, mesh)
    (direct, strongest), gathered = both(
        lambda: _direct(tree, place, mesh, workers), lambda: _gathered(tree, place, mesh, workers), workers
    )
    around = _neighbours(mesh)
    measured = hidden < 0
    spread, indirect = (np.zeros((len(hidden), 3), np.float32) for _ in range(2))
    spread[measured] = direct
    outdoors = np.zeros(len(hidden), np.float32)
    indirect[measured], outdoors[measured] = _indirect(place, direct, gathered), gathered.outdoors
    part = mesh.patches.part[mesh.samples.patch]
    spread, indirect = (_filled(light, measured, around, part) for light in (spread, indirect))
    light = _smoothed(spread, around, 0.15) + _smoothed(indirect, around, 0.5)
    light[(hidden >= 0) & (mesh.solids.owner[hidden] != NO_OBJECT)] *= UNDERNEATH
    building = measured & (mesh.solids.owner[part] == NO_OBJECT)
    return Baked(_exposed(light, building, outdoors), _patch_lamp(mesh, place, strongest))


def darkness(mesh: Mesh) -> Baked:
    """No light anywhere."""
    return Baked(np.zeros((len(mesh.samples.patch), 3), np.float32), np.full(len(mesh.patches.part), -1, np.int32))


def _places(tree: Tree, mesh: Mesh) -> tuple[_Place, Ints]:
    """Where light is collected, and for each sample of the mesh the part that hides it (or -1).

    A sample inside of another part is moved to the nearest of a few places that are not: along its surface towards the
    middle, which gets it out of a wall that meets its own, or straight out, through a rug or the picture in a frame.
    """
    samples = mesh.samples
    own = np.ascontiguousarray(mesh.patches.part[samples.patch])
    origin = samples.position + np.float32(LIFT) * samples.normal
    count = np.bincount(samples.patch, minlength=len(mesh.patches.part))
    middle = np.stack([np.bincount(samples.patch, samples.position[:, k]) for k in range(3)], axis=1) / count[:, None]
    inward = middle[samples.patch] - samples.position
    inward /= np.maximum(np.linalg.norm(inward, axis=1, keepdims=True), 1e-6)
    within = containing(tree, origin, own)
    for along, out in ((0.1, 0.0), (0.2, 0.0), (0.0, 0.03), (0.0, 0.07), (0.0, 0.13)):
        stuck = np.flatnonzero(within >= 0)
        moved = (origin[stuck] + along * inward[stuck] + out * samples.normal[stuck]).astype(np.float32)
        inside = containing(tree, moved, own[stuck])
        freed = inside < 0
        origin[stuck[freed]] = moved[freed]
        within[stuck[freed]] = -1
    row, column = np.divmod(np.arange(len(own)) - mesh.patches.grid[samples.patch, 0], mesh.patches.grid[samples.patch, 1])
    turn = (column % 2 + 2 * (row % 2)).astype(np.int32)
    free = within < 0
    return _Place(origin[free], samples.normal[free], own[free], samples.patch[free], turn[free]), within


def window_panes(mesh: Mesh) -> frozenset[int]:
    """The materials of window panes: thin upright boxes that glow, neither screens nor lamps."""
    return frozenset(int(mesh.solids.material[part]) for part in _panes(mesh))


def _panes(mesh: Mesh) -> NDArray[np.int64]:
    solids = mesh.solids
    # Lamps are warm where glass is not.
    glass = [m.glow > 0 and m.pattern == "plain" and m.colour[2] >= m.colour[0] for m in mesh.materials]
    thin, wide = solids.half[:, :2].min(axis=1), solids.half[:, :2].max(axis=1)
    pane = (
        np.array(glass)[solids.material]
        & (solids.shape == BOX)
        & (thin < 0.06)
        & (4 * wide * solids.half[:, 2] > 0.2)
        & (wide > 4 * thin)
    )
    return np.flatnonzero(pane)


def _spots(count: int, shift: int) -> NDArray[np.float64]:
    """Points (count, 2) in the unit square, evenly spread (the R2 sequence)."""
    spots: NDArray[np.float64] = (np.arange(1 + shift, count + shift + 1)[:, None] * _GOLDEN + 0.5) % 1.0
    return spots


def _direct(tree: Tree, place: _Place, mesh: Mesh, workers: int) -> tuple[Floats, NDArray[np.float32]]:
    """Light from lamps, sky and sun that nothing hides, and for each sample the lamp that gives most of it."""
    lamps, strongest = _lamp_light(tree, place, mesh.scene.lights, workers)
    return lamps + _pane_light(tree, place, mesh, workers) + _sun_light(tree, place, mesh, workers), strongest


def _lamp_light(tree: Tree, place: _Place, lights: tuple[Light, ...], workers: int) -> tuple[Floats, NDArray[np.float32]]:
    """Light from all lamps, and for each sample the lamp that gives most of it: (samples, 2), lamp and amount."""
    light = np.zeros_like(place.origin)
    strongest = np.zeros((len(light), 2), np.float32)
    strongest[:, 0] = -1
    for number, lamp in enumerate(lights):
        offset = np.array(lamp.position, np.float32) - place.origin
        square = np.einsum("ij,ij->i", offset, offset)
        lit = np.flatnonzero((square < REACH**2) & (np.einsum("ij,ij->i", offset, place.normal) > 0))
        if not lit.size:
            continue
        share = np.zeros(lit.size, np.float32)
        for k in range(_LAMP_POINTS):
            # Each sample looks at other points of the lamp: shadows get soft edges instead of copies.
            angle = 2 * math.pi * (lit * 0.618034 + k / _LAMP_POINTS)
            point = np.array(lamp.position, np.float32) + 0.12 * np.stack(
                [np.cos(angle), np.sin(angle), np.zeros_like(angle)], axis=1
            ).astype(np.float32)
            share += ~blocked(tree, place.origin[lit], point.astype(np.float32), place.own[lit], workers)
        distance = np.sqrt(square[lit])
        cosine = np.einsum("ij,ij->i", offset[lit], place.normal[lit]) / distance
        fading = np.clip(1.5 * (1 - distance / REACH), 0, 1)
        amount = share / _LAMP_POINTS * cosine * lamp.power * fading / np.maximum(square[lit], 0.3)
        light[lit] += amount[:, None] * np.array(lamp.colour, np.float32) ** 2.2
        more = amount > strongest[lit, 1]
        strongest[lit[more]] = np.column_stack([np.full(more.sum(), number), amount[more]])
    return light, strongest


def _pane_light(tree: Tree, place: _Place, mesh: Mesh, workers: int) -> Floats:
    """Light of the sky through window panes, each seen from points all over it."""
    light = np.zeros_like(place.origin)
    solids = mesh.solids
    colour = np.array(mesh.scene.sky, np.float32) ** 2.2 * np.float32(SKY)
    for pane in _panes(mesh):
        half, cosine, sine = solids.half[pane], solids.cosine[pane], solids.sine[pane]
        across = np.array((cosine, sine, 0)) * half[0] if half[0] > half[1] else np.array((-sine, cosine, 0)) * half[1]
        outward = np.array((across[1], -across[0], 0), np.float32) / np.linalg.norm(across)
        offset = solids.centre[pane] - place.origin
        square = np.einsum("ij,ij->i", offset, offset)
        reach = PANE_REACH + half.max()
        near = np.flatnonzero((square < reach**2) & (np.einsum("ij,ij->i", offset, place.normal) > -half.max()))
        area = 4 * half[2] * np.linalg.norm(across)
        points = int(np.clip(2 * area, 4, 12))
        for s, t in _spots(points, int(pane) % 7) * 2 - 1:
            point = (solids.centre[pane] + s * across + t * np.array((0, 0, half[2]))).astype(np.float32)
            ray = point - place.origin[near]
            distance = np.sqrt(np.einsum("ij,ij->i", ray, ray))
            leaving = np.abs(ray @ outward) / distance
            arriving = np.einsum("ij,ij->i", ray, place.normal[near]) / distance
            fading = np.clip(2 * (1 - distance / reach), 0, 1)
            amount = area * leaving * np.maximum(arriving, 0) * fading / (math.pi * np.maximum(distance**2, 0.15) * points)
            worth = np.flatnonzero(amount > 0.002)
            lit = near[worth]
            target = np.tile(point, (lit.size, 1))  # of the shape that the kernel is compiled for
            free = ~blocked(tree, place.origin[lit], target, place.own[lit], workers)
            light[lit[free]] += amount[worth[free], None] * colour
    return light


def _sun_light(tree: Tree, place: _Place, mesh: Mesh, workers: int) -> Floats:
    light = np.zeros_like(place.origin)
    sun = np.array(mesh.scene.sun, np.float32)
    sun /= np.linalg.norm(sun)
    lit = np.flatnonzero(place.normal @ sun > 0)
    if sun[2] <= 0 or not lit.size:
        return light
    size = float(np.ptp(mesh.position, axis=0).max()) * 2 + 10
    share = np.zeros(lit.size, np.float32)
    for k in range(_SUN_POINTS):
        wobble = _spots(lit.size, k * 7919).astype(np.float32) - np.float32(0.5)
        away = (sun + 0.06 * np.column_stack([wobble, np.zeros(lit.size)])) * size
        share += ~blocked(tree, place.origin[lit], (place.origin[lit] + away).astype(np.float32), place.own[lit], workers)
    colour = np.array(mesh.scene.sun_colour, np.float32) ** 2.2 * np.float32(SUN)
    light[lit] = (share / _SUN_POINTS * (place.normal[lit] @ sun))[:, None] * colour
    return light


class _Gathered(NamedTuple):
    """What the rays meet that are sent out from each sample, whatever the light."""

    patch: Ints  # (samples, RAYS)
    fixed: Floats  # light from outside, and from everywhere a little
    outdoors: Floats  # the share of open sky
    albedo: Floats  # over patches


def _gathered(tree: Tree, place: _Place, mesh: Mesh, workers: int) -> _Gathered:
    """Send out the rays of all samples."""
    normal = place.normal
    count = len(normal)
    spots = np.stack([(_spots(RAYS, 0) + turn * np.array([0.25, 0.125])) % 1.0 for turn in range(4)])  # (4, RAYS, 2)
    radius, angle = np.sqrt(spots[..., 0]), 2 * math.pi * spots[..., 1]
    local = np.stack([radius * np.cos(angle), radius * np.sin(angle), np.sqrt(1 - spots[..., 0])], axis=-1).astype(
        np.float32
    )
    helper = np.where(np.abs(normal[:, 2:]) < 0.9, [[0, 0, 1]], [[1, 0, 0]]).astype(np.float32)
    first = np.cross(helper, normal)
    first /= np.linalg.norm(first, axis=1, keepdims=True)
    frame = np.stack([first, np.cross(normal, first), normal], axis=1)  # (samples, 3, 3)
    direction = np.matmul(local[place.turn], frame).reshape(-1, 3)
    hits = first_hits(tree, np.repeat(place.origin, RAYS, axis=0), direction, np.repeat(place.own, RAYS), workers)

    patch, distance = hits.patch.reshape(count, RAYS), hits.distance.reshape(count, RAYS)
    albedo = np.array([mean_colour(m) for m in mesh.materials], np.float32)[mesh.patches.material]
    clear = np.append(np.array([m.glow > 0 for m in mesh.materials])[mesh.patches.material], False)
    sky = np.array(mesh.scene.sky, np.float32) ** 2.2 * np.float32(SKY)
    ground = np.array(mesh.scene.ground, np.float32) ** 2.2
    nothing, upwards = patch == NOTHING, (direction[:, 2] > 0).reshape(count, RAYS)
    beyond = np.stack([np.zeros(3, np.float32), sky, ground])
    outside = _mean(beyond, nothing * (np.int32(2) - upwards))
    openness = np.where(clear[patch], 1.0, np.minimum(distance / CLOSED_IN, 1.0) ** 0.7)
    ambient = AMBIENT * openness.mean(axis=1, keepdims=True)
    fixed = (outside + ambient).astype(np.float32)
    return _Gathered(patch, fixed, nothing.mean(axis=1).astype(np.float32), albedo)


def _indirect(place: _Place, direct: Floats, gathered: _Gathered) -> Floats:
    """Light that comes from the open sky, from other surfaces, and from everywhere a little."""
    patch, fixed, _, albedo = gathered
    light: Floats = fixed
    per_patch = np.maximum(np.bincount(place.patch, minlength=len(albedo)), 1)
    for _ in range(BOUNCES):
        sums = [np.bincount(place.patch, (direct + light)[:, c], len(albedo)) for c in range(3)]
        thrown = np.stack(sums, axis=1) / per_patch[:, None] * albedo
        by_patch: Floats = np.concatenate([thrown, np.zeros((1, 3))]).astype(np.float32)  # NOTHING is the last one
        light = fixed + _mean(by_patch, patch)
    return light


def _mean(values: Floats, which: NDArray[np.integer]) -> Floats:
    """`values[which].mean(axis=1)`, to the last bit: (rows, 3). Ray by ray is several times as fast as all at once."""
    total = np.zeros((len(which), 3), np.float32)
    for each in np.ascontiguousarray(which.T):
        total += values[each]
    return total / np.float32(which.shape[1])


def _neighbours(mesh: Mesh) -> NDArray[np.int64]:
    """The four samples beside each one in its patch (samples, 4); itself where there is none."""
    grid = mesh.patches.grid[mesh.samples.patch].astype(np.int64)
    here = np.arange(len(grid))
    columns, rows = grid[:, 1], grid[:, 2]
    row, column = np.divmod(here - grid[:, 0], columns)
    return np.stack(
        [
            np.where(column > 0, here - 1, here),
            np.where(column < columns - 1, here + 1, here),
            np.where(row > 0, here - columns, here),
            np.where(row < rows - 1, here + columns, here),
        ],
        axis=1,
    )


def _filled(light: Floats, measured: NDArray[np.bool_], around: NDArray[np.int64], part: Ints) -> Floats:
    """Light with that of neighbours where it is not known, spreading from where it is.

    A patch that is covered as a whole, of which a rim may show, gets what its part has on other sides.
    """
    light, missing = light.copy(), ~measured
    for _ in range(24):
        gaps = np.flatnonzero(missing)
        sources = ~missing[around[gaps]]
        count = sources.sum(axis=1)
        fill = count > 0
        if not fill.any():
            break
        total = (light[around[gaps]] * sources[..., None]).sum(axis=1)
        light[gaps[fill]] = total[fill] / count[fill, None]
        missing[gaps[fill]] = False
    count = np.maximum(np.bincount(part[measured], minlength=int(part.max()) + 1), 1)
    elsewhere = (
        np.stack([np.bincount(part[measured], light[measured, c], len(count)) for c in range(3)], axis=1) / count[:, None]
    )
    light[missing] = elsewhere[part[missing]]
    return light


def _smoothed(light: Floats, around: NDArray[np.int64], share: float) -> Floats:
    """Light mixed with a share of that of its neighbours, along rows and then along columns.

    With a share of a half, neighbours' four sets of directions count the same everywhere.
    """
    for pair in (around[:, :2], around[:, 2:]):
        light = np.float32(1 - share) * light + np.float32(share / 2) * (light[pair[:, 0]] + light[pair[:, 1]])
    return light


def _exposed(light: Floats, building: NDArray[np.bool_], outdoors: Floats) -> Floats:
    """Light brought to `MIDDLE` on average on the building's surfaces, indoors and outdoors each on its own.

    So a house with weak lamps is not a dark one, and its garden is not glaring. Most of the lamps' own colour is taken out
    too. Eyes do both.
    """
    inside, outside = building & (outdoors < 0.2), building & (outdoors >= 0.2)
    gains = [_gain(light[chosen] if chosen.any() else light) for chosen in (inside, outside)]
    share = outdoors[:, None]
    exposed: Floats = light * (gains[0] * (1 - share) + gains[1] * share)
    return exposed.astype(np.float32)


def _gain(light: Floats) -> Floats:
    """What brings some light to `MIDDLE` and nearer to white."""
    level, tint = np.clip(light.mean(axis=1), 1e-3, 3.0), light.mean(axis=0)
    gain = np.clip(MIDDLE / np.exp(np.log(level).mean()), 0.2, 8.0)
    balanced: Floats = (gain * (tint.mean() / np.maximum(tint, 1e-6)) ** 0.7).astype(np.float32)
    return balanced


def _patch_lamp(mesh: Mesh, place: _Place, strongest: NDArray[np.float32]) -> Ints:
    """For each patch the lamp that shines most on its brightest sample."""
    order = np.argsort(strongest[:, 1], kind="stable")
    lamp = np.full(len(mesh.patches.part), -1, np.int32)
    lamp[place.patch[order]] = strongest[order, 0].astype(np.int32)
    return lamp
