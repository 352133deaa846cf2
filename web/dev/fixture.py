"""Something to show while the page is being written: a house of a demo and a few walks through it, as the server tells them.

python web/dev/fixture.py demo/runs/learned web/dev/data
"""

from __future__ import annotations

import hashlib
import json
import struct
import sys
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from vnla.evaluation.evaluate import run_task
from vnla.houses.pictures import GeneratedPictures
from vnla.houses.scene import NO_OBJECT
from vnla.report.plan import storeys
from vnla.report.story import Account, follow
from vnla.training.context import make_context
from vnla.training.trained import open_trained
from vnla.world.actions import Nav

FACE = 512
WANTED = 4


def main(run: Path, out: Path) -> None:
    trained = open_trained(run)
    players = make_context(trained.config, trained.material, trained.agent("val_unseen"), training=False)
    tasks = trained.material.evaluation_tasks("test_unseen")
    found: list[Account] = []
    for task in tasks.tasks:
        house = next(each for each in trained.material.folder.houses if each.name == task.house)
        if found and found[0].house.name != house.name:
            continue
        account = follow(run_task(players, tasks, task.id), 0, house, task, players.advisor)
        stays = {beat.viewpoint for beat in account.beats}
        if (account.success or found) and account.requests >= 2 and len(stays) >= 4 and len(account.beats) < 24:
            found.append(account)
        if len(found) == WANTED:
            break
    house = found[0].house
    names = {i: _name(house.name, each.id) for i, each in enumerate(house.viewpoints)}
    name = _name(house.name, "")
    source = GeneratedPictures(trained.material.folder)
    stage = source.stage(house)
    out.mkdir(parents=True, exist_ok=True)
    _write(out / "walks.json", [_events(each, name, names, k=players.advisor.k) for each in found])
    plan = _plan(house, name, names, stage.mesh.scene)
    _write(out / f"plan-{name}.json", plan)
    (out / f"mesh-{name}.glb").write_bytes(_glb(stage.mesh.position, stage.mesh.triangles))
    pictures = {}
    for i, stand in enumerate(house.viewpoints):
        if stand.included:
            pictures[names[i]] = [f"/face/{names[i]}{face}.webp" for face in range(6)]
            for face, pixels in enumerate(source.faces(house, stand, FACE)):
                Image.fromarray(pixels).save(out / f"{names[i]}{face}.webp", quality=82, method=4)
    _write(out / f"pictures-{name}.json", pictures)
    first = _events(found[0], name, names, k=players.advisor.k)
    _write(out / "first.json", {"events": first, "plan": plan, "pictures": pictures})
    known = {"objects": sorted({each.label for each in house.objects}), "rooms": sorted({each.name for each in house.rooms})}
    _write(out / "houses.json", [{"house": name, "name": "a cottage", "rooms": len(house.rooms), "known": known}])


def _name(house: str, viewpoint: str) -> str:
    return hashlib.sha256(f"{house}/{viewpoint}".encode()).hexdigest()[:8]


def _write(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value), encoding="utf-8")


def _events(account: Account, house: str, names: dict[int, str], k: int) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = []

    def add(kind: str, **fields: Any) -> None:
        events.append({"number": len(events) + 1, "kind": kind, **fields})

    def pose(viewpoint: int, view: int) -> dict[str, Any]:
        return {"viewpoint": names[viewpoint], "heading": view % 12, "row": view // 12}

    begin = account.beats[0]
    add(
        "begun",
        mode="watch",
        episode=_name(account.task.id, ""),
        house=house,
        sentence=account.end_goal + ".",
        time=account.time_budget,
        requests=account.help_budget,
        k=k,
        start=pose(begin.viewpoint, begin.view),
        link="eyJ0YXNrIjoiMSJ9",
    )
    left = account.help_budget
    after = [*((beat.viewpoint, beat.view) for beat in account.beats[1:]), account.last]
    for beat, then in zip(account.beats, after, strict=True):
        ahead = [names[i] for i in account.house.neighbours[beat.viewpoint]]
        place = pose(beat.viewpoint, beat.view)
        add(
            "stood",
            step=beat.number,
            pose=place,
            steps_left=account.time_budget - beat.number,
            requests_left=left,
            ahead=ahead,
        )
        words = [*(beat.said or "").replace(",", " ,").split(), *account.task.end_goal.split()]
        weights = np.random.default_rng(beat.number).dirichlet(np.full(len(words), 0.4)).round(3).tolist()
        add(
            "thought",
            before=[round(each, 4) for each in beat.tentative],
            after=[round(each, 4) for each in beat.final],
            ask=0.8 if beat.asks else 0.2,
            attention=list(zip(words, weights, strict=True)),
        )
        if beat.asks:
            left -= 1
            add("asked", step=beat.number, by="agent")
            add("advised", by="advisor", text=beat.said, understood=beat.said, parts=[])
        add("acted", action=Nav(beat.action).name.lower(), pose=pose(*then))
    add(
        "ended",
        reason="stopped" if account.stopped else "time",
        success=account.success,
        metres=round(account.metres_left, 2),
        goals=[names[goal] for goal in account.goals],
        walk=None,
        its_success=None,
        score=None,
        link=None,
    )
    return events


def _plan(house: Any, name: str, names: dict[int, str], scene: Any) -> dict[str, Any]:
    floors = []
    for storey in storeys(house):
        low = min(each.box.low[2] for each in storey.rooms if each.box)
        eye = low + 1.5
        walls = [
            _corners(part)
            for part, owner in zip(scene.parts, scene.owner, strict=True)
            if owner == NO_OBJECT
            and part.shape == "box"
            and part.centre[2] - part.size[2] / 2 < eye < part.centre[2] + part.size[2] / 2
        ]
        rooms = [{"label": each.name, "polygon": _rectangle(each.box)} for each in storey.rooms if each.box]
        floors.append({"name": storey.name, "rooms": rooms, "walls": walls})
    at = {i: number for number, storey in enumerate(storeys(house)) for i in storey.viewpoints}
    stands = {
        names[i]: {"at": [round(v, 3) for v in each.position], "storey": at[i]}
        for i, each in enumerate(house.viewpoints)
        if each.included
    }
    return {"house": name, "storeys": floors, "viewpoints": stands, "edges": [[names[i], names[j]] for i, j in house.edges]}


def _rectangle(box: Any) -> list[list[float]]:
    (west, south), (east, north) = box.low[:2], box.high[:2]
    return [[west, south], [east, south], [east, north], [west, north]]


def _corners(part: Any) -> list[list[float]]:
    cos, sin = np.cos(part.turn), np.sin(part.turn)
    x, y = part.size[0] / 2, part.size[1] / 2
    turned = [(cos * a - sin * b, sin * a + cos * b) for a, b in ((-x, -y), (x, -y), (x, y), (-x, y))]
    return [[round(part.centre[0] + a, 3), round(part.centre[1] + b, 3)] for a, b in turned]


def _glb(position: Any, triangles: Any) -> bytes:
    """Bare triangles in the axes of GLB files: y is up."""
    points = np.ascontiguousarray(position[:, [0, 2, 1]] * [1, 1, -1], np.float32)
    corners = np.ascontiguousarray(triangles, np.uint32)
    views = [
        {"buffer": 0, "byteOffset": 0, "byteLength": points.nbytes, "target": 34962},
        {"buffer": 0, "byteOffset": points.nbytes, "byteLength": corners.nbytes, "target": 34963},
    ]
    accessors = [
        {
            "bufferView": 0,
            "componentType": 5126,
            "count": len(points),
            "type": "VEC3",
            "min": points.min(0).tolist(),
            "max": points.max(0).tolist(),
        },
        {"bufferView": 1, "componentType": 5125, "count": corners.size, "type": "SCALAR"},
    ]
    model = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": accessors,
        "bufferViews": views,
        "buffers": [{"byteLength": points.nbytes + corners.nbytes}],
    }
    text = json.dumps(model).encode()
    text += b" " * (-len(text) % 4)
    binary = points.tobytes() + corners.tobytes()
    chunks = struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(binary), 0x004E4942) + binary
    return struct.pack("<III", 0x46546C67, 2, 12 + len(chunks)) + chunks


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
