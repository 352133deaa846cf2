"""Answers to GET requests: with a checksum, so that nothing is sent twice, and compressed where that helps."""

from __future__ import annotations

import gzip
import hashlib
import json
from dataclasses import dataclass
from functools import cached_property

from starlette.requests import Request
from starlette.responses import Response

JSON = "application/json"
FOREVER = "public, max-age=31536000, immutable"
"""For what an address names by its content."""
ASK_AGAIN = "no-cache"
"""For what may change under its address."""

_LEAST = 1_000
_COMPRESSED = (JSON, "text/", "image/svg")


@dataclass(frozen=True)
class Content:
    """Bytes of a kind."""

    body: bytes
    kind: str
    lasting: str = ASK_AGAIN

    @classmethod
    def of_json(cls, value: object) -> Content:
        """A value as JSON."""
        return cls(json.dumps(value, separators=(",", ":")).encode(), JSON)

    @cached_property
    def _tag(self) -> str:
        return f'"{hashlib.sha256(self.body).hexdigest()[:32]}"'

    @cached_property
    def _small(self) -> bytes | None:
        """The body compressed, where that is worth it."""
        worth = len(self.body) >= _LEAST and self.kind.startswith(_COMPRESSED)
        return gzip.compress(self.body, mtime=0) if worth else None

    def answer(self, request: Request) -> Response:
        """To somebody who may have it already."""
        headers = {"ETag": self._tag, "Cache-Control": self.lasting, "Vary": "Accept-Encoding"}
        if self._tag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        if self._small is not None and "gzip" in request.headers.get("accept-encoding", ""):
            return Response(self._small, headers={**headers, "Content-Encoding": "gzip"}, media_type=self.kind)
        return Response(self.body, headers=headers, media_type=self.kind)
