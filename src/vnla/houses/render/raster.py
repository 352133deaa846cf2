"""The picture that a camera sees in a lit mesh: a software rasteriser in two passes.

The first pass finds which triangle is seen at each pixel (a z-buffer of 1/depth, which is linear on the screen). The second
one colours each pixel once: texture, light and gloss of the triangle seen there, whatever lies hidden behind it. With
`samples` = 2 the first pass looks at 2 × 2 points in each pixel, and the second colours each triangle found among them
once, so smooth edges cost little more than rough ones.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vnla.common.native import compiled, inlined
from vnla.houses.render.mesh import Floats, Ints

NEAR = 0.04
"""Metres in front of the camera where the world begins."""
COPLANAR = 2e-5
"""Share of its distance by which a surface must be nearer to hide another: of two in one plane the first one stays."""
SKY = -2
"""Object id where nothing is drawn."""

_TONES = 8192
_TONE_RANGE = 6.0


class Surfaces(NamedTuple):
    """Everything that the compiled loops read: the mesh, its light and its textures, as flat arrays."""

    position: Floats
    normal: Floats
    uv: Floats
    spot: Floats
    triangles: Ints
    patch: Ints
    centre: Floats  # the next three over parts
    radius: Floats
    first: Ints
    owner: Ints  # the next four over patches
    material: Ints
    grid: Ints
    lamp: Ints
    light: Floats  # (samples, 3)
    lamps: Floats  # (lamps, 6): position and colour × power
    texels: NDArray[np.uint64]
    texture_first: Ints
    texture_size: Ints
    finish: Floats  # (materials, 4): gloss, glow, whether it is metal, whether it is a window pane
    sky: Floats  # (4, 3): zenith, horizon, ground, and towards the sun
    tones: NDArray[np.uint8]


class Camera(NamedTuple):
    """A pinhole camera: where it is, its axes in the world, and the tangents of half its fields of view."""

    eye: Floats
    axes: Floats  # rows: right, down, ahead
    tangent_x: float
    tangent_y: float


class RenderedFrame(NamedTuple):
    """What a camera sees: RGB (height, width, 3), object ids (NO_OBJECT for the building, SKY) and depth in metres."""

    rgb: NDArray[np.uint8]
    objects: NDArray[np.int32]
    depth: NDArray[np.float32]


def tone_table() -> NDArray[np.uint8]:
    """sRGB levels of linear light from 0 to `_TONE_RANGE`: mid-tones are kept, highlights roll off, nothing burns out."""
    light = (np.arange(_TONES) + 0.5) * (_TONE_RANGE / _TONES)
    knee = 0.4
    above = np.maximum(light - knee, 0) / (1 - knee)
    rolled = np.minimum(light, knee) + (1 - knee) * above / (1 + above)
    rolled /= rolled[-1]
    encoded = np.where(rolled <= 0.0031308, rolled * 12.92, 1.055 * rolled ** (1 / 2.4) - 0.055)
    levels: NDArray[np.uint8] = np.rint(np.clip(encoded, 0, 1) * 255).astype(np.uint8)
    return levels


def draw(surfaces: Surfaces, camera: Camera, width: int, height: int, samples: int = 1) -> RenderedFrame:
    """The frame of a camera. `samples` is the number of points looked at along each side of a pixel."""
    fine = (height * samples, width * samples)
    near = np.zeros(fine, np.float32)
    seen = np.full(fine, -1, np.int32)
    rgb = np.empty((height, width, 3), np.uint8)
    objects = np.empty((height, width), np.int32)
    depth = np.empty((height, width), np.float32)
    _find(surfaces, camera, near, seen)
    _colour(surfaces, camera, samples, near, seen, rgb, objects, depth)
    return RenderedFrame(rgb, objects, depth)


def draw_objects(surfaces: Surfaces, camera: Camera, width: int, height: int) -> NDArray[np.int32]:
    """The objects of a frame and nothing else, which takes a fraction of the time."""
    near = np.zeros((height, width), np.float32)
    seen = np.full((height, width), -1, np.int32)
    _find(surfaces, camera, near, seen)
    objects, hit = np.full((height, width), SKY, np.int32), seen >= 0
    objects[hit] = surfaces.owner[surfaces.patch[seen[hit]]]
    return objects


@compiled
def _find(surfaces, camera, near, seen):  # type: ignore[no-untyped-def]
    """Fill `seen` with the triangle at each point and `near` with 1/depth there."""
    position, triangles, centre, first = surfaces.position, surfaces.triangles, surfaces.centre, surfaces.first
    height, width = seen.shape
    half_x, half_y = 0.5 * width, 0.5 * height
    across, down = half_x / camera.tangent_x, half_y / camera.tangent_y
    cos_x, cos_y = 1 / math.sqrt(1 + camera.tangent_x**2), 1 / math.sqrt(1 + camera.tangent_y**2)
    sin_x, sin_y = camera.tangent_x * cos_x, camera.tangent_y * cos_y
    eye, axes = camera.eye, camera.axes
    ex, ey, ez = eye[0], eye[1], eye[2]
    corner = np.empty((3, 3), np.float64)
    clipped = np.empty((4, 3), np.float64)
    for part in range(surfaces.radius.size):
        radius = surfaces.radius[part]
        x, y, z = _in_camera(axes, centre[part, 0] - ex, centre[part, 1] - ey, centre[part, 2] - ez)
        if z < NEAR - radius or abs(x) * cos_x - z * sin_x > radius or abs(y) * cos_y - z * sin_y > radius:
            continue
        for triangle in range(first[part], first[part + 1]):
            a, b, c = triangles[triangle, 0], triangles[triangle, 1], triangles[triangle, 2]
            if _faces_away(position, a, b, c, ex, ey, ez):
                continue
            behind = 0
            for k in range(3):
                v = triangles[triangle, k]
                x, y, z = _in_camera(axes, position[v, 0] - ex, position[v, 1] - ey, position[v, 2] - ez)
                corner[k, 0], corner[k, 1], corner[k, 2] = x, y, z
                behind += z < NEAR
            if behind == 3:
                continue
            count = _clip(corner, clipped)
            for k in range(count):
                w = 1 / clipped[k, 2]
                clipped[k, 0] = half_x + clipped[k, 0] * w * across
                clipped[k, 1] = half_y + clipped[k, 1] * w * down
                clipped[k, 2] = w
            _fill(clipped, 1, 2, triangle, near, seen)
            if count == 4:
                _fill(clipped, 2, 3, triangle, near, seen)


@inlined
def _in_camera(axes, x, y, z):  # type: ignore[no-untyped-def]
    """An offset from the eye in the camera's axes."""
    return (
        axes[0, 0] * x + axes[0, 1] * y + axes[0, 2] * z,
        axes[1, 0] * x + axes[1, 1] * y + axes[1, 2] * z,
        axes[2, 0] * x + axes[2, 1] * y + axes[2, 2] * z,
    )


@inlined
def _faces_away(position, a, b, c, ex, ey, ez):  # type: ignore[no-untyped-def]
    ax, ay, az = position[a, 0], position[a, 1], position[a, 2]
    bx, by, bz = position[b, 0] - ax, position[b, 1] - ay, position[b, 2] - az
    cx, cy, cz = position[c, 0] - ax, position[c, 1] - ay, position[c, 2] - az
    nx, ny, nz = by * cz - bz * cy, bz * cx - bx * cz, bx * cy - by * cx
    return nx * (ex - ax) + ny * (ey - ay) + nz * (ez - az) <= 0


@inlined
def _clip(corner, clipped):  # type: ignore[no-untyped-def]
    """The part of a triangle beyond the near plane: 3 or 4 corners. Cuts run from front to back, alike for neighbours."""
    count = 0
    for k in range(3):
        following = (k + 1) % 3
        here, there = corner[k, 2] - NEAR, corner[following, 2] - NEAR
        if here >= 0:
            for i in range(3):
                clipped[count, i] = corner[k, i]
            count += 1
        if (here >= 0) != (there >= 0):
            front, back = (k, following) if here >= 0 else (following, k)
            share = (corner[front, 2] - NEAR) / (corner[front, 2] - corner[back, 2])
            for i in range(3):
                clipped[count, i] = corner[front, i] + (corner[back, i] - corner[front, i]) * share
            clipped[count, 2] = NEAR
            count += 1
    return count


@inlined
def _fill(points, j, k, triangle, near, seen):  # type: ignore[no-untyped-def]
    """Write the triangle of points 0, `j` and `k` where it is nearest.

    An edge that two triangles share is computed alike on both sides, so that nothing shows through between them.
    """
    x0, y0, w0 = points[0, 0], points[0, 1], points[0, 2]
    x1, y1, w1 = points[j, 0], points[j, 1], points[j, 2]
    x2, y2, w2 = points[k, 0], points[k, 1], points[k, 2]
    height, width = seen.shape
    if max(x0, x1, x2) < 0.5 or min(x0, x1, x2) > width - 0.5:
        return
    area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
    if abs(area) < 1e-9:
        return
    slope_x = ((w1 - w0) * (y2 - y0) - (w2 - w0) * (y1 - y0)) / area
    slope_y = ((w2 - w0) * (x1 - x0) - (w1 - w0) * (x2 - x0)) / area
    start = w0 + (0.5 - x0) * slope_x - y0 * slope_y
    if y1 < y0 or (y1 == y0 and x1 < x0):
        x0, y0, x1, y1 = x1, y1, x0, y0
    if y2 < y0 or (y2 == y0 and x2 < x0):
        x0, y0, x2, y2 = x2, y2, x0, y0
    if y2 < y1 or (y2 == y1 and x2 < x1):
        x1, y1, x2, y2 = x2, y2, x1, y1
    first, last = max(0, math.ceil(y0 - 0.5)), min(height, math.ceil(y2 - 0.5))
    if first >= last:
        return
    long = (x2 - x0) / (y2 - y0)
    upper = (x1 - x0) / (y1 - y0) if y1 > y0 else 0.0
    lower = (x2 - x1) / (y2 - y1) if y2 > y1 else 0.0
    step, firm = np.float32(slope_x), np.float32(1 - COPLANAR)
    for row in range(first, last):
        y = row + 0.5
        a = x0 + (y - y0) * long
        b = x0 + (y - y0) * upper if y < y1 else x1 + (y - y1) * lower
        begin = max(0, math.ceil(min(a, b) - 0.5))
        end = min(width, math.ceil(max(a, b) - 0.5))
        w = np.float32(start + y * slope_y)
        for column in range(begin, end):
            here = w + np.float32(column) * step
            better = here * firm > near[row, column]
            near[row, column] = here if better else near[row, column]
            seen[row, column] = triangle if better else seen[row, column]


@compiled
def _colour(surfaces, camera, samples, near, seen, rgb, objects, depth):  # type: ignore[no-untyped-def]
    """Colour every pixel from the triangles seen in it; object and depth are those of its first point."""
    height, width = objects.shape
    plane = np.zeros(19, np.float32)
    one, half = np.float32(1), np.float32(0.5)
    tangent_x, tangent_y = np.float32(camera.tangent_x), np.float32(camera.tangent_y)
    step_x, step_y = (tangent_x + tangent_x) / np.float32(width), (tangent_y + tangent_y) / np.float32(height)
    fine_x, fine_y = step_x / np.float32(samples), step_y / np.float32(samples)
    position, normal, triangles, patches = surfaces.position, surfaces.normal, surfaces.triangles, surfaces.patch
    uv, spot, grid, baked, owner = surfaces.uv, surfaces.spot, surfaces.grid, surfaces.light, surfaces.owner
    texels, lamp, lamps, sky, tones = surfaces.texels, surfaces.lamp, surfaces.lamps, surfaces.sky, surfaces.tones
    eye, axes = camera.eye, camera.axes
    # What is known of the triangle that was coloured last: the next pixel mostly shows the same one.
    last_triangle, patch, start, size, outdoors, owned = -1, 0, 0, 0, True, SKY
    gloss = glow = metal = np.float32(0)
    for row in range(height):
        for column in range(width):
            top, left = row * samples, column * samples
            first = seen[top, left]
            mixed = False
            for i in range(samples):
                for j in range(samples):
                    mixed |= seen[top + i, left + j] != first
            red = green = blue = np.float32(0)
            shown, r, g, b = -2, np.float32(0), np.float32(0), np.float32(0)
            points = samples if mixed else 1
            for i in range(points):
                for j in range(points):
                    triangle = seen[top + i, left + j]
                    if triangle != shown:
                        shown = triangle
                        if mixed:
                            x = (np.float32(left + j) + half) * fine_x - tangent_x
                            y = (np.float32(top + i) + half) * fine_y - tangent_y
                        else:
                            x = (np.float32(column) + half) * step_x - tangent_x
                            y = (np.float32(row) + half) * step_y - tangent_y
                        if triangle != last_triangle:
                            last_triangle = triangle
                            outdoors, owned = True, SKY
                            if triangle >= 0:
                                patch = patches[triangle]
                                owned = owner[patch]
                                material = surfaces.material[patch]
                                start, size = surfaces.texture_first[material], surfaces.texture_size[material]
                                gloss, glow = surfaces.finish[material, 0], surfaces.finish[material, 1]
                                metal, outdoors = surfaces.finish[material, 2], surfaces.finish[material, 3] > 0
                                _prepare(position, uv, spot, triangles, triangle, eye, axes, plane)
                        if outdoors:
                            r, g, b = _sky(sky, axes, x, y)
                        else:
                            over = one / (x * plane[0] + y * plane[1] + plane[2])
                            ur, ug, ub = _texture(texels, start, size, plane, x, y, over, step_x, step_y)
                            lr, lg, lb = _light(baked, grid, patch, plane, x, y, over)
                            r, g, b = ur * (lr + glow), ug * (lg + glow), ub * (lb + glow)
                            if gloss > 0:
                                sr, sg, sb, mirrored = _shine(
                                    position,
                                    normal,
                                    triangles,
                                    lamps,
                                    triangle,
                                    lamp[patch],
                                    eye,
                                    axes,
                                    x,
                                    y,
                                    lr,
                                    lg,
                                    lb,
                                    gloss,
                                )
                                tinted = metal * np.float32(0.8)
                                r += (sr - mirrored * r) * (one - tinted + tinted * ur)
                                g += (sg - mirrored * g) * (one - tinted + tinted * ug)
                                b += (sb - mirrored * b) * (one - tinted + tinted * ub)
                        r, g, b = _tone(tones, r), _tone(tones, g), _tone(tones, b)
                    if i == 0 and j == 0:
                        objects[row, column] = owned
                    red, green, blue = red + r, green + g, blue + b
            share = one / np.float32(points * points)
            rgb[row, column, 0] = np.uint8(np.int32(red * share + half))
            rgb[row, column, 1] = np.uint8(np.int32(green * share + half))
            rgb[row, column, 2] = np.uint8(np.int32(blue * share + half))
            depth[row, column] = one / near[top, left] if first >= 0 else np.float32(np.inf)


@inlined
def _tone(tones, light):  # type: ignore[no-untyped-def]
    level = np.int32(max(light, np.float32(0)) * np.float32(_TONES / _TONE_RANGE))
    return np.float32(tones[min(level, np.int32(_TONES - 1))])


@inlined
def _prepare(position, uv, spot, triangles, triangle, eye, axes, plane):  # type: ignore[no-untyped-def]
    """How texture and light coordinates vary over the screen on one triangle.

    For a ray (x, y, 1) in the camera's axes a coordinate is c0 + (x·c1 + y·c2 + c3) / (x·d1 + y·d2 + d3), where d is the
    triangle's normal and c comes from the planes through the eye and two of its edges. This needs no clipping.
    """
    a, b, c = triangles[triangle, 0], triangles[triangle, 1], triangles[triangle, 2]
    ax, ay, az = np.float64(position[a, 0]), np.float64(position[a, 1]), np.float64(position[a, 2])
    ux, uy, uz = _in_camera(axes, position[b, 0] - ax, position[b, 1] - ay, position[b, 2] - az)
    vx, vy, vz = _in_camera(axes, position[c, 0] - ax, position[c, 1] - ay, position[c, 2] - az)
    px, py, pz = _in_camera(axes, ax - eye[0], ay - eye[1], az - eye[2])
    plane[0], plane[1], plane[2] = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    first_x, first_y, first_z = vy * pz - vz * py, vz * px - vx * pz, vx * py - vy * px
    second_x, second_y, second_z = py * uz - pz * uy, pz * ux - px * uz, px * uy - py * ux
    for k in range(2):
        base, along, beside = uv[a, k], np.float64(uv[b, k]) - uv[a, k], np.float64(uv[c, k]) - uv[a, k]
        plane[3 + 4 * k] = along * first_x + beside * second_x
        plane[4 + 4 * k] = along * first_y + beside * second_y
        plane[5 + 4 * k] = along * first_z + beside * second_z
        plane[6 + 4 * k] = base
        base, along, beside = spot[a, k], np.float64(spot[b, k]) - spot[a, k], np.float64(spot[c, k]) - spot[a, k]
        plane[11 + 4 * k] = along * first_x + beside * second_x
        plane[12 + 4 * k] = along * first_y + beside * second_y
        plane[13 + 4 * k] = along * first_z + beside * second_z
        plane[14 + 4 * k] = base


@inlined
def _texture(texels, first, size, plane, x, y, over, step_x, step_y):  # type: ignore[no-untyped-def]
    """Colour of a texture on the ray (x, y, 1): the mip level that fits a pixel, and four texels of it."""
    if size == 1:
        return _unpacked(texels[first], 0, np.float32(1 / 255))
    u = (x * plane[3] + y * plane[4] + plane[5]) * over
    v = (x * plane[7] + y * plane[8] + plane[9]) * over
    ux, uy = (plane[3] - u * plane[0]) * over * step_x, (plane[4] - u * plane[1]) * over * step_y
    vx, vy = (plane[7] - v * plane[0]) * over * step_x, (plane[8] - v * plane[1]) * over * step_y
    along, beside = ux * ux + vx * vx, uy * uy + vy * vy
    # Between the sharper and the smoother choice on surfaces seen at a slant.
    spread = (np.float32(0.5) * max(along, beside) + np.float32(0.5) * min(along, beside)) * np.float32(size * size)
    while spread > np.float32(2) and size > 1:
        first += size * size
        size >>= 1
        spread *= np.float32(0.25)
    mask = size - 1
    fx, fy = (u + plane[6]) * np.float32(size) - np.float32(0.5), (v + plane[10]) * np.float32(size) - np.float32(0.5)
    column, row = math.floor(fx), math.floor(fy)
    fx, fy = fx - np.float32(column), (fy - np.float32(row)) * np.float32(4096)
    left, top = int(column) & mask, int(row) & mask
    right, bottom = (left + 1) & mask, ((top + 1) & mask) * size + first
    top = top * size + first
    # Four weights in 4096ths that add up to the whole.
    lower, d = np.int32(fy + np.float32(0.5)), np.int32(fx * fy + np.float32(0.5))
    b = np.int32(fx * np.float32(4096) + np.float32(0.5)) - d
    a, c = np.int32(4096) - lower - b, lower - d
    mixed = texels[top + left] * np.uint64(a) + texels[top + right] * np.uint64(b)
    mixed += texels[bottom + left] * np.uint64(c) + texels[bottom + right] * np.uint64(d)
    return _unpacked(mixed, 12, np.float32(1 / 255 / 4096))


@inlined
def _unpacked(mixed, bits, unit):  # type: ignore[no-untyped-def]
    """Linear red, green and blue of a texel, or of texels mixed with weights of so many bits."""
    field = np.uint64((256 << bits) - 1)
    red = np.float32(np.int32(mixed & field)) * unit
    green = np.float32(np.int32(mixed >> np.uint64(21) & field)) * unit
    blue = np.float32(np.int32(mixed >> np.uint64(42) & field)) * unit
    return red * red, green * green, blue * blue


@inlined
def _light(light, grid, patch, plane, x, y, over):  # type: ignore[no-untyped-def]
    """Light on a patch between its samples; held at the outer ones."""
    across = plane[14] + (x * plane[11] + y * plane[12] + plane[13]) * over
    down = plane[18] + (x * plane[15] + y * plane[16] + plane[17]) * over
    first, columns, rows = grid[patch, 0], grid[patch, 1], grid[patch, 2]
    across = min(max(across, np.float32(0)), np.float32(columns - 1))
    down = min(max(down, np.float32(0)), np.float32(rows - 1))
    column, row = int(across), int(down)
    fx, fy = across - np.float32(column), down - np.float32(row)
    i = first + row * columns + column
    j = i + (1 if column + 1 < columns else 0)
    below = columns if row + 1 < rows else 0
    k, l = i + below, j + below  # noqa: E741
    gx, gy = np.float32(1) - fx, np.float32(1) - fy
    a, b, c, d = gx * gy, fx * gy, gx * fy, fx * fy
    return (
        light[i, 0] * a + light[j, 0] * b + light[k, 0] * c + light[l, 0] * d,
        light[i, 1] * a + light[j, 1] * b + light[k, 1] * c + light[l, 1] * d,
        light[i, 2] * a + light[j, 2] * b + light[k, 2] * c + light[l, 2] * d,
    )


@inlined
def _shine(position, normal, triangles, lamps, triangle, lamp, eye, axes, x, y, lr, lg, lb, gloss):  # type: ignore[no-untyped-def]
    """What a glossy surface mirrors: a soft room that is lighter above, and its brightest lamp. With the share mirrored."""
    dx, dy, dz = _in_world(axes, x, y)
    scale = np.float32(1) / np.float32(math.sqrt(dx * dx + dy * dy + dz * dz))
    dx, dy, dz = dx * scale, dy * scale, dz * scale
    a, b, c = triangles[triangle, 0], triangles[triangle, 1], triangles[triangle, 2]
    px, py, pz = position[a, 0] - eye[0], position[a, 1] - eye[1], position[a, 2] - eye[2]
    ux, uy, uz = position[b, 0] - position[a, 0], position[b, 1] - position[a, 1], position[b, 2] - position[a, 2]
    vx, vy, vz = position[c, 0] - position[a, 0], position[c, 1] - position[a, 1], position[c, 2] - position[a, 2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    over = np.float32(1) / (nx * dx + ny * dy + nz * dz)
    distance = (nx * px + ny * py + nz * pz) * over
    second = ((vy * pz - vz * py) * dx + (vz * px - vx * pz) * dy + (vx * py - vy * px) * dz) * over
    third = ((py * uz - pz * uy) * dx + (pz * ux - px * uz) * dy + (px * uy - py * ux) * dz) * over
    first = np.float32(1) - second - third
    nx = normal[a, 0] * first + normal[b, 0] * second + normal[c, 0] * third
    ny = normal[a, 1] * first + normal[b, 1] * second + normal[c, 1] * third
    nz = normal[a, 2] * first + normal[b, 2] * second + normal[c, 2] * third
    facing = min(max(-(dx * nx + dy * ny + dz * nz), np.float32(0)), np.float32(1))
    facing2 = facing + facing
    rx, ry, rz = dx + facing2 * nx, dy + facing2 * ny, dz + facing2 * nz
    grazing = (np.float32(1) - facing) * (np.float32(1) - facing)
    base = gloss * gloss * np.float32(0.9)
    mirrored = base + gloss * np.float32(0.5) * (np.float32(1) - base) * grazing * grazing
    # The better the mirror, the less its own light counts and the more that of a room at large.
    above = min(max(rz * np.float32(2.5) + np.float32(0.5), np.float32(0)), np.float32(1))
    room = (np.float32(0.3) + np.float32(0.4) * above) * mirrored
    lr, lg, lb = (
        lr + (np.float32(0.85) - lr) * gloss,
        lg + (np.float32(0.9) - lg) * gloss,
        lb + (np.float32(0.95) - lb) * gloss,
    )
    glint = np.float32(0)
    if lamp >= 0:
        lx = lamps[lamp, 0] - eye[0] - dx * distance
        ly = lamps[lamp, 1] - eye[1] - dy * distance
        lz = lamps[lamp, 2] - eye[2] - dz * distance
        towards = (lx * rx + ly * ry + lz * rz) / np.float32(math.sqrt(lx * lx + ly * ly + lz * lz))
        if towards > np.float32(0.5):
            sharp = 3 + int(gloss * np.float32(4))  # cos^8 for cloth with a sheen to cos^128 for a mirror
            for _ in range(sharp):
                towards *= towards
            glint = gloss * towards * np.float32(0.6)
    bulb = max(lamp, 0)
    return (
        lr * room + lamps[bulb, 3] * glint,
        lg * room + lamps[bulb, 4] * glint,
        lb * room + lamps[bulb, 5] * glint,
        mirrored,
    )


@inlined
def _in_world(axes, x, y):  # type: ignore[no-untyped-def]
    """The ray (x, y, 1) of the camera in the world's axes."""
    return (
        axes[0, 0] * x + axes[1, 0] * y + axes[2, 0],
        axes[0, 1] * x + axes[1, 1] * y + axes[2, 1],
        axes[0, 2] * x + axes[1, 2] * y + axes[2, 2],
    )


@inlined
def _sky(sky, axes, x, y):  # type: ignore[no-untyped-def]
    """The outdoors along the ray (x, y, 1): sky that deepens upwards, a line of trees, and ground."""
    dx, dy, dz = _in_world(axes, x, y)
    flat = np.float32(math.sqrt(dx * dx + dy * dy)) + np.float32(1e-6)
    rise = dz / flat
    dx, dy = dx / flat, dy / flat
    trees = np.float32(0.05) + np.float32(0.018) * _wave(np.float32(1.4) * dx + np.float32(0.6) * dy)
    trees += np.float32(0.014) * _wave(np.float32(2.7) * dy - np.float32(1.7) * dx)
    trees += np.float32(0.008) * _wave(np.float32(6.5) * dx + np.float32(5.9) * dy)
    if rise > trees:
        blue = min((rise - trees) * np.float32(1.4), np.float32(1))
        share, low, high = blue, 1, 0
        dark = np.float32(1)
    elif rise > 0:
        share, low, high = np.float32(0.25), 2, 1
        dark = np.float32(0.55) + rise * np.float32(2)
    else:
        share, low, high = max(np.float32(0.3) + rise * np.float32(3), np.float32(0)), 2, 1
        dark = np.float32(1)
    rest = np.float32(1) - share
    return (
        np.float32((sky[low, 0] * rest + sky[high, 0] * share) * dark),
        np.float32((sky[low, 1] * rest + sky[high, 1] * share) * dark),
        np.float32((sky[low, 2] * rest + sky[high, 2] * share) * dark),
    )


@inlined
def _wave(turns):  # type: ignore[no-untyped-def]
    """A smooth wave between -1 and 1, much like a sine but cheaper."""
    place = turns - np.float32(math.floor(turns)) - np.float32(0.5)
    return np.float32(16) * place * (np.float32(0.5) - abs(place))
