"""The server: the page and what it fetches by GET, and one WebSocket a visitor (`vnla.serve.lines`).

Safe by default: only hosts that it was told of are answered, only pages that it has served may open a WebSocket, and all ids
of a request are looked up, so that none reaches the file system.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable, Collection
from functools import cache
from typing import Annotated, Any

import anyio
import anyio.to_thread
from fastapi import FastAPI, Path, Query, Request, Response, WebSocket
from fastapi.responses import JSONResponse
from pydantic import BaseModel

from vnla import __version__
from vnla.common.errors import InputError
from vnla.serve.answers import FOREVER, Content
from vnla.serve.events import Pose
from vnla.serve.first import first_episode
from vnla.serve.guard import Guard
from vnla.serve.limits import Limits
from vnla.serve.lines import Lines
from vnla.serve.page import INDEX, assets
from vnla.serve.sessions import Sessions
from vnla.serve.site import Opening
from vnla.serve.wanted import LONGEST_TEXT

DRAWING = 16
"""Requests for pictures and meshes that are worked on at once."""

Typed = Annotated[str, Query(max_length=LONGEST_TEXT)]
PlaceId = Annotated[str, Query(pattern="^[0-9a-f]{12}$")]
Heading = Annotated[int, Query(ge=0, le=11)]
Row = Annotated[int, Query(ge=0, le=2)]
HouseId = Annotated[str, Path(pattern="^[0-9a-f]{12}$")]
PictureId = Annotated[str, Path(pattern="^[0-9a-f]{16}$")]


class Why(BaseModel):
    """Why there is no answer."""

    why: str


_ERRORS: dict[int | str, dict[str, Any]] = {404: {"model": Why}, 503: {"model": Why}}


def make_app(opening: Opening, sessions: Sessions, hosts: Collection[str], limits: Limits | None = None) -> FastAPI:
    """The server of a site. `hosts` are the names that it goes by; any if there are none."""
    return app_with(Lines(opening, sessions, limits or Limits()), hosts)


def app_with(lines: Lines, hosts: Collection[str], index: Content | None = None) -> FastAPI:
    """The server with lines of a kind of their own, and a page of its own if there is one."""
    opening = lines.opening

    @contextlib.asynccontextmanager
    async def lasting(_: FastAPI) -> AsyncIterator[None]:
        yield
        opening.close()

    app = FastAPI(title="vnla serve", version=__version__, docs_url=None, redoc_url=None, lifespan=lasting)
    files = assets() | ({} if index is None else {INDEX: index})
    drawing = anyio.CapacityLimiter(DRAWING)
    app.add_middleware(Guard, hosts=hosts)

    async def drawn(make: Callable[[], Content]) -> Content:
        """What takes long, on threads of its own, so that nothing else waits for it."""
        return await anyio.to_thread.run_sync(make, limiter=drawing)

    @cache
    def plan_of(house: str, bare: bool) -> Content:
        return Content.of_json(opening.now().plan(house, bare=bare))

    @cache
    def houses() -> Content:
        return Content.of_json(opening.now().houses())

    @app.exception_handler(InputError)
    async def refused(_: Request, error: InputError) -> JSONResponse:
        return JSONResponse({"why": str(error)}, 404 if opening.site else 503)

    @app.get("/", response_class=Response)
    async def page(request: Request) -> Response:
        return files[INDEX].answer(request)

    @app.get("/assets/{name}", responses=_ERRORS, response_class=Response)
    async def asset(request: Request, name: str) -> Response:
        if name not in files:
            raise InputError("there is no such file here")
        return files[name].answer(request)

    @app.get("/first.json", responses=_ERRORS, response_class=JSONResponse)
    async def first(request: Request) -> Response:
        recorded = first_episode().events
        if recorded is None:
            raise InputError("there is no recorded episode here")
        return recorded.answer(request)

    @app.get("/houses.json", responses=_ERRORS, response_class=JSONResponse)
    def houses_here(request: Request) -> Response:
        return houses().answer(request)

    @app.get("/plan/{house}-bare.json", responses=_ERRORS, response_class=JSONResponse)
    def bare_plan(request: Request, house: HouseId) -> Response:
        return plan_of(house, True).answer(request)

    @app.get("/plan/{house}.json", responses=_ERRORS, response_class=JSONResponse)
    def plan(request: Request, house: HouseId) -> Response:
        return plan_of(house, False).answer(request)

    @app.get("/pictures/{house}.json", responses=_ERRORS, response_class=JSONResponse)
    def pictures(request: Request, house: HouseId) -> Response:
        return Content.of_json(opening.now().addresses(house)).answer(request)

    @app.get("/face/{picture}.webp", responses=_ERRORS, response_class=Response)
    async def face(request: Request, picture: PictureId) -> Response:
        kept = first_episode().faces.get(picture)
        content = kept or await drawn(lambda: Content(opening.now().pictures.face(picture), "image/webp", FOREVER))
        return content.answer(request)

    @app.get("/mesh/{house}.glb", responses=_ERRORS | {204: {"description": "No model"}}, response_class=Response)
    async def mesh(request: Request, house: HouseId) -> Response:
        kept = first_episode().meshes.get(house)
        content = kept or await drawn(lambda: Content(opening.now().mesh(house), "model/gltf-binary"))
        return content.answer(request) if content.body else Response(status_code=204)

    @app.get("/understand", responses=_ERRORS, response_class=JSONResponse)
    def understand(request: Request, text: Typed, house: Annotated[str | None, Query(max_length=64)] = None) -> Response:
        return Content.of_json(opening.now().end_goal(text, house).model_dump()).answer(request)

    @app.get("/advice", responses=_ERRORS, response_class=JSONResponse)
    def advice(
        request: Request, text: Typed, viewpoint: PlaceId | None = None, heading: Heading = 0, row: Row = 1
    ) -> Response:
        pose = None if viewpoint is None else Pose(viewpoint=viewpoint, heading=heading, row=row)
        return Content.of_json(opening.now().advice(text, pose).model_dump()).answer(request)

    @app.websocket("/ws")
    async def line(socket: WebSocket) -> None:
        await lines.talk(socket)

    return app
