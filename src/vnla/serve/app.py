"""The server: the page and what it fetches by GET, and one WebSocket a visitor (`vnla.serve.connections`).

Safe by default: only requests to its own hosts are answered, only pages that it has served may open a WebSocket, and all ids
of a request are looked up, so that none reaches the file system.
"""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from functools import cache
from typing import Annotated, Any

import anyio
import anyio.to_thread
from fastapi import FastAPI, Path, Query, Request, Response, WebSocket
from fastapi.responses import JSONResponse
from pydantic import BaseModel

from vnla import __version__
from vnla.common.errors import InputError
from vnla.serve.connections import BROWSER, Connections, NoSessionError, VisitorConnections, browser_of
from vnla.serve.content import FOREVER, INDEX, Content, assets, first_episode
from vnla.serve.contributions.collecting import Contributions
from vnla.serve.daily import LONGEST_TOKEN, Daily
from vnla.serve.episode_spec import LONGEST_TEXT
from vnla.serve.events import Pose
from vnla.serve.guard import Guard
from vnla.serve.limits import Limits, TooFastError
from vnla.serve.reading import Reading, in_turn
from vnla.serve.sessions import Session, Sessions
from vnla.serve.site import SiteLoader

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
_READING: dict[int | str, dict[str, Any]] = {**_ERRORS, 403: {"model": Why}, 429: {"model": Why}}


def make_app(
    loader: SiteLoader,
    sessions: Sessions,
    hosts: Collection[str],
    limits: Limits | None = None,
    contributions: Contributions | None = None,
) -> FastAPI:
    """Return the server of a site. `hosts` are the names that it goes by; any if there are none.

    With `contributions` the page asks visitors whether they give what they type."""
    connections = VisitorConnections(loader, sessions, limits or Limits(), contributions)
    files = assets() if contributions is None else {**assets(), INDEX: assets()[INDEX].marked("contributions")}
    app = bare_app(connections, hosts, files, description="/openapi.json")
    _add_named_routes(app, connections)
    return app


def bare_app(
    connections: Connections, hosts: Collection[str], files: Mapping[str, Content], description: str | None = None
) -> FastAPI:
    """Return a server that names what is in a house nowhere but in its events; `description` is an address for its API."""
    loader = connections.loader

    @contextlib.asynccontextmanager
    async def lasting(_: FastAPI) -> AsyncIterator[None]:
        yield
        loader.close()

    app = FastAPI(
        title="vnla serve",
        version=__version__,
        openapi_url=description,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lasting,
    )
    app.add_middleware(Guard, hosts=hosts, addresses=connections.addresses)

    @app.exception_handler(InputError)
    async def refused(_: Request, error: InputError) -> JSONResponse:
        return JSONResponse({"why": str(error)}, _status(error, ready=loader.site is not None))

    _add_page(app, files)
    _add_houses(app, loader)
    _add_connections(app, connections)
    return app


def _status(error: InputError, *, ready: bool) -> int:
    match error:
        case NoSessionError():
            return 403
        case TooFastError():
            return 429
    return 404 if ready else 503


def _add_page(app: FastAPI, files: Mapping[str, Content]) -> None:
    """Serve the page and its scripts."""

    @app.get("/", response_class=Response)
    async def page(request: Request) -> Response:
        answer = files[INDEX].answer(request)
        if browser_of(request.cookies) is None:
            secure = request.url.scheme == "https"
            answer.set_cookie(BROWSER, secrets.token_hex(16), httponly=True, samesite="strict", secure=secure)
        return answer

    @app.get("/assets/{name}", responses=_ERRORS, response_class=Response)
    async def asset(request: Request, name: str) -> Response:
        if name not in files:
            raise InputError("there is no such file here")
        return files[name].answer(request)


def _add_houses(app: FastAPI, loader: SiteLoader) -> None:
    """Serve what there is to see of houses, without a word."""
    drawing = anyio.CapacityLimiter(DRAWING)

    async def drawn(make: Callable[[], Content]) -> Content:
        """Make what takes long on threads of its own, so that nothing else waits for it."""
        return await anyio.to_thread.run_sync(make, limiter=drawing)

    @cache
    def plan_of(house: str) -> Content:
        return Content.of_json(loader.now().plan(house, bare=True))

    @app.get("/plan/{house}-bare.json", responses=_ERRORS, response_class=JSONResponse)
    def bare_plan(request: Request, house: HouseId) -> Response:
        return plan_of(house).answer(request)

    @app.get("/pictures/{house}.json", responses=_ERRORS, response_class=JSONResponse)
    def pictures(request: Request, house: HouseId) -> Response:
        return Content.of_json(loader.now().addresses(house)).answer(request)

    @app.get("/face/{picture}.webp", responses=_ERRORS, response_class=Response)
    async def face(request: Request, picture: PictureId) -> Response:
        shipped = first_episode().faces.get(picture)
        content = shipped or await drawn(lambda: Content(loader.now().pictures.face(picture), "image/webp", FOREVER))
        return content.answer(request)

    @app.get("/mesh/{house}.glb", responses=_ERRORS | {204: {"description": "No model"}}, response_class=Response)
    async def mesh(request: Request, house: HouseId) -> Response:
        shipped = first_episode().meshes.get(house)
        content = shipped or await drawn(lambda: Content(loader.now().mesh(house), "model/gltf-binary"))
        return content.answer(request) if content.body else Response(status_code=204)


def _add_connections(app: FastAPI, connections: Connections) -> None:
    """Serve visitors' connections, and show how a visitor's advice would be understood."""

    @app.get("/advice", responses=_READING, response_class=JSONResponse)
    async def advice(
        request: Request, text: Typed, viewpoint: PlaceId | None = None, heading: Heading = 0, row: Row = 1
    ) -> Response:
        pose = None if viewpoint is None else Pose(viewpoint=viewpoint, heading=heading, row=row)
        session = connections.session_of(browser_of(request.cookies), pose)
        service = connections.service(session)
        return await _preview(request, session, lambda: service.preview(session, text, pose))

    @app.websocket("/ws")
    async def connect(socket: WebSocket) -> None:
        await connections.serve(socket)


def _add_named_routes(app: FastAPI, connections: Connections) -> None:
    """Serve all that names what is in a house, and the recorded episode."""
    loader = connections.loader

    @cache
    def plan_of(house: str, withheld: frozenset[str]) -> Content:  # noqa: ARG001
        return Content.of_json(loader.now().plan(house, bare=False))

    @cache
    def houses(withheld: frozenset[str]) -> Content:  # noqa: ARG001
        return Content.of_json(loader.now().houses())

    @app.get("/first.json", responses=_ERRORS, response_class=JSONResponse)
    async def first(request: Request) -> Response:
        recorded = first_episode().events
        if recorded is None:
            raise InputError("there is no recorded episode here")
        return recorded.answer(request)

    @app.get("/houses.json", responses=_ERRORS, response_class=JSONResponse)
    def houses_here(request: Request) -> Response:
        return houses(loader.now().withheld).answer(request)

    @app.get("/plan/{house}.json", responses=_ERRORS, response_class=JSONResponse)
    def plan(request: Request, house: HouseId) -> Response:
        return plan_of(house, loader.now().withheld).answer(request)

    @app.get("/agents.json", responses=_ERRORS, response_class=JSONResponse)
    def agents(request: Request) -> Response:
        return Content.of_json([*loader.now().service.other_agents.names]).answer(request)

    @app.get("/today.json", responses=_ERRORS, response_class=JSONResponse)
    def today(request: Request) -> Response:
        return Content.of_json(_daily(loader).table().model_dump()).answer(request)

    @app.get("/today/result.json", responses=_ERRORS, response_class=JSONResponse)
    def result(request: Request, token: Annotated[str, Query(max_length=LONGEST_TOKEN)]) -> Response:
        return Content.of_json(_daily(loader).read_token(token)).answer(request)

    @app.get("/understand", responses=_READING, response_class=JSONResponse)
    async def understand(
        request: Request, text: Typed, house: Annotated[str | None, Query(max_length=64)] = None
    ) -> Response:
        session, site = connections.session_of(browser_of(request.cookies)), loader.now()
        return await _preview(request, session, lambda: site.end_goal(text, house))


def _daily(loader: SiteLoader) -> Daily:
    daily = loader.now().daily
    if daily is None:
        raise InputError("this server has no task of the day")
    return daily


async def _preview(request: Request, session: Session, read: Callable[[], Reading]) -> Response:
    """Answer how a text is understood that somebody is typing, within the limits of their session."""
    if not session.previews.take():
        raise TooFastError
    found = await in_turn(session.reading_time, read)
    return Content.of_json(found.model_dump()).answer(request)
