"""Content that is served by GET: the built page, the recorded first episode, and JSON, with checksums and compression."""

from __future__ import annotations

import gzip
import hashlib
import json
import mimetypes
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from vnla.serve.meshes import mesh_file
from vnla.serve.shipped import FOLDER as FIRST
from vnla.serve.shipped import shipped_files

JSON = "application/json"
FOREVER = "public, max-age=31536000, immutable"
"""For content whose address is made from it."""
ASK_AGAIN = "no-cache"
"""For content that may change under its address."""

ASSETS = Path(__file__).parent / "assets"
INDEX = "index.html"
FIRST_EVENTS = "first.json"

_LEAST = 1_000
_COMPRESSED = (JSON, "text/", "image/svg")
_NOT_BUILT = b"<!doctype html><title>vnla</title><p>The page has not been built; in a checkout of vnla run: make web"


@dataclass(frozen=True)
class Content:
    """Bytes of a media type."""

    body: bytes
    kind: str
    lasting: str = ASK_AGAIN

    @classmethod
    def of_json(cls, value: object) -> Content:
        """Return a value as JSON."""
        return cls(json.dumps(value, separators=(",", ":")).encode(), JSON)

    def marked(self, name: str) -> Content:
        """Return a page with a mark in its head, by which its scripts know what to show."""
        return replace(self, body=self.body.replace(b"<head>", f'<head><meta name="{name}">'.encode()))

    @cached_property
    def _tag(self) -> str:
        return f'"{hashlib.sha256(self.body).hexdigest()[:32]}"'

    @cached_property
    def _compressed(self) -> bytes | None:
        """The compressed body, where compression is worth it."""
        worth = len(self.body) >= _LEAST and self.kind.startswith(_COMPRESSED)
        return gzip.compress(self.body, mtime=0) if worth else None

    def answer(self, request: Request) -> Response:
        """Return the response to a client that may have this content already."""
        headers = {"ETag": self._tag, "Cache-Control": self.lasting, "Vary": "Accept-Encoding"}
        if self._tag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        if self._compressed is not None and "gzip" in request.headers.get("accept-encoding", ""):
            return Response(self._compressed, headers={**headers, "Content-Encoding": "gzip"}, media_type=self.kind)
        return Response(self.body, headers=headers, media_type=self.kind)


@cache
def assets() -> dict[str, Content]:
    """Return the files of the built page by name. All names but that of the index change with what is in the file."""
    found = {path.name: _asset(path) for path in sorted(ASSETS.glob("*")) if path.is_file()}
    return {INDEX: Content(_NOT_BUILT, "text/html"), **found}


def _asset(path: Path) -> Content:
    kind = "text/javascript" if path.suffix == ".js" else mimetypes.guess_type(path.name)[0]
    return Content(path.read_bytes(), kind or "application/octet-stream", ASK_AGAIN if path.name == INDEX else FOREVER)


@dataclass(frozen=True)
class FirstEpisode:
    """The episode that the page plays before anything is loaded, if there is one; its pictures and meshes by name."""

    events: Content | None
    faces: dict[str, Content]
    meshes: dict[str, Content]


@cache
def first_episode() -> FirstEpisode:
    """Return the episode that is shipped with the package. `web/dev/first.py` records another one."""
    path = FIRST / FIRST_EVENTS
    if not path.is_file():
        return FirstEpisode(None, {}, {})
    recorded, shipped = json.loads(path.read_bytes()), shipped_files()
    addresses = {Path(each).stem for six in recorded["pictures"].values() for each in six}
    faces = {each: shipped[f"{each}.webp"] for each in addresses}
    houses = {recorded["events"][0]["house"]}
    meshes = {each: shipped[mesh_file(each)] for each in houses}
    return FirstEpisode(
        Content(path.read_bytes(), JSON),
        {each: Content(file.read_bytes(), "image/webp", FOREVER) for each, file in faces.items()},
        {each: Content(file.read_bytes(), "model/gltf-binary") for each, file in meshes.items()},
    )
