"""The navigation teacher (section 6.2): always along the shortest path to the nearest goal.

It turns and tilts the camera until `forward` takes the agent to the next viewpoint of that path, goes forward, and stops at
a goal. What it does depends only on the edge to take and on the view, so the whole teacher is a table; the compiled world
(`vnla.world.compiled`) holds it and finds the edge.

With a plain `forward`, which goes to the viewpoint nearest to the centre of the view, a viewpoint in the middle may be
passed over for another. There the teacher turns on until the one that it wants is the nearest. A viewpoint that is the
nearest in no view cannot be gone to; paths lead round such edges.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vnla.camera import HEADINGS, LEVEL_ROW, ROWS, TURN, VIEWS, Relative, view_angles
from vnla.world.actions import Nav
from vnla.world.graph import Graph


def action_toward(graph: Graph, look: Relative) -> NDArray[np.int8]:
    """The teacher's action for each edge and view, (edges, 36): heading first, then elevation, then forward.

    An end of an edge that is out of view is looked for with a level camera, the short way round.
    """
    row = np.broadcast_to(np.arange(VIEWS) // HEADINGS, look.visible.shape)
    cases = {
        "too far right": (look.visible & (look.heading > TURN), Nav.RIGHT),
        "too far left": (look.visible & (look.heading < -TURN), Nav.LEFT),
        "too high": (look.visible & (look.elevation > TURN) & (row < ROWS - 1), Nav.UP),
        "too low": (look.visible & (look.elevation < -TURN) & (row > 0), Nav.DOWN),
        "in the middle": (look.visible, Nav.FORWARD),
        "out of view, camera down": (row < LEVEL_ROW, Nav.UP),
        "out of view, camera up": (row > LEVEL_ROW, Nav.DOWN),
        "out of view, shorter left": (_shorter_left(graph), Nav.LEFT),
    }
    conditions, actions = zip(*cases.values(), strict=True)
    return np.select(conditions, [np.int8(action) for action in actions], np.int8(Nav.RIGHT))


def plain_action_toward(towards: NDArray[np.int8], leads: NDArray[np.bool_], look: Relative) -> NDArray[np.int8]:
    """The teacher's action for each edge and view where `forward` takes an edge only in the views from which it `leads`
    there, (edges, 36): the fewest turns to such a view, heading first, then forward.

    Of views that are equally near it is the one with the end of the edge nearest to its centre. Edges that `forward` takes
    in no view keep their actions of `towards`.
    """
    row, heading = np.divmod(np.arange(VIEWS), HEADINGS)
    apart = np.abs(heading[:, None] - heading)
    turns = np.minimum(apart, HEADINGS - apart) + np.abs(row[:, None] - row)  # (from, to)
    off_centre = np.sqrt(look.heading**2 + look.elevation**2) / 100  # less than a turn
    cost = turns + np.where(leads, off_centre, np.inf)[:, None, :]  # (edges, from, to)
    best = cost.argmin(axis=2)  # (edges, from)
    right = (heading[best] - heading) % HEADINGS
    cases = {
        "no such view": (~leads.any(axis=1, keepdims=True), towards),
        "there": (best == np.arange(VIEWS), np.int8(Nav.FORWARD)),
        "to the right": ((right > 0) & (right <= HEADINGS // 2), np.int8(Nav.RIGHT)),
        "to the left": (right > 0, np.int8(Nav.LEFT)),
        "up": (row[best] > row, np.int8(Nav.UP)),
    }
    conditions, actions = zip(*cases.values(), strict=True)
    return np.select([np.broadcast_to(each, towards.shape) for each in conditions], actions, np.int8(Nav.DOWN))


def _shorter_left(graph: Graph) -> NDArray[np.bool_]:
    """Whether each view turns to the end of each edge sooner by the left; at exactly 180 degrees it is the right."""
    heading, _ = view_angles()
    here = graph.position[graph.source].astype(np.float32).astype(np.float64)
    offset = graph.position[graph.target] - here
    bearing = np.pi / 2 - np.arctan2(offset[:, 1], offset[:, 0])
    bearing = np.where(bearing < 0, bearing + 2 * np.pi, bearing)[:, None]
    return ((heading > bearing) & (heading - bearing < np.pi)) | ((bearing > heading) & (bearing - heading > np.pi))
