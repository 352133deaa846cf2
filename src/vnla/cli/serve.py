"""`vnla serve`: a page in the browser to watch an agent, help it and beat it."""

from __future__ import annotations

import socket
import threading
import webbrowser
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vnla.cli.console import telling
from vnla.cli.options import DeviceOption, HostOption, NoOpenOption, PortOption, RunArgument
from vnla.common.errors import InputError
from vnla.common.progress import Tell

if TYPE_CHECKING:
    from fastapi import FastAPI

    from vnla.serve.contenders import Maker
    from vnla.serve.engine import EpisodeEngine
    from vnla.serve.limits import Limits
    from vnla.serve.on_demand import OnDemandFeatures
    from vnla.serve.site import Say, Site, SiteLoader

LOOPBACK = "127.0.0.1"
OWN_NAMES = ("localhost", LOOPBACK, "::1")
EVERYWHERE = ("0.0.0.0", "::")

ANSWER = 10.0
"""Seconds for one try of a call of an agent behind an address; visitors wait."""
DAYS = "days"
"""Where the tables of the tasks of the day are, among the sessions."""
_NEEDS = ("fastapi", "uvicorn", "websockets")


def serve(
    run: RunArgument = Path("pretrained"),
    world: Annotated[
        Path | None, typer.Option(metavar="DIR", help="World. [default: the run's; for pretrained one that is made]")
    ] = None,
    tasks: Annotated[Path | None, typer.Option(metavar="DIR", help="Data set. [default: as the world]")] = None,
    host: HostOption = LOOPBACK,
    port: PortOption = 8000,
    record: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Keep visitors' sessions here. [default: in the user's cache]")
    ] = None,
    beside: Annotated[
        list[str] | None,
        typer.Option(
            metavar="AGENT",
            help="Another agent to watch beside it and to beat: a run, scripted, planner, module:Class, http://…; may be"
            " repeated. [default: pretrained-panorama and planner, for pretrained]",
        ),
    ] = None,
    no_open: NoOpenOption = False,
    device: DeviceOption = None,
) -> None:
    """Open a page in the browser: watch the agent, be its advisor, or do its tasks yourself and compare.

    Nothing has to be prepared: where no world is given, a small one is made, once. Houses are drawn when they are entered.

    Example: vnla serve

    Example: vnla serve runs/learned --port 8080 --record sessions
    """
    check_installed()
    from vnla.common.lock import alone_in
    from vnla.common.machine import device_named
    from vnla.serve.app import make_app
    from vnla.serve.limits import Limits
    from vnla.serve.sessions import Sessions
    from vnla.serve.site import SiteLoader
    from vnla.serve.worlds import cache_folder

    chosen, limits, folder = device_named(device), Limits(), record or cache_folder() / "sessions"
    with listening(host, port) as listener, alone_in(folder), telling() as tell:
        sessions = Sessions(folder, limits)
        loader = SiteLoader(lambda say: _open(run, world, tasks, sessions.secret, chosen, tell, say, folder / DAYS, beside))
        app = make_app(loader, sessions, names_of(host), limits)
        answer(app, loader, listener, host, limits, opens=not no_open)


def check_installed() -> None:
    """Refuse where what a server needs is not installed."""
    missing = [name for name in _NEEDS if find_spec(name) is None]
    if missing:
        raise InputError(f"a server needs {missing[0]}; install it with: pip install 'vnla[serve]'")


def names_of(host: str) -> tuple[str, ...]:
    """The names that a server at an address goes by; none for any."""
    return () if host in EVERYWHERE else (*OWN_NAMES, host)


def answer(app: FastAPI, loader: SiteLoader, listener: socket.socket, host: str, limits: Limits, *, opens: bool) -> None:
    """Serve until Ctrl-C or until the site cannot be opened; the browser opens by itself if that is wanted."""
    import torch
    import uvicorn

    torch.set_num_threads(1)  # walks are small, and share the cores with visitors and with what is drawn
    address = f"http://{_shown(host)}:{listener.getsockname()[1]}/"
    typer.echo(f"vnla is at {address} (Ctrl-C ends it)")
    if opens:
        threading.Timer(0.5, webbrowser.open, (address,)).start()
    config = uvicorn.Config(app, log_level="warning", ws_max_size=limits.message, server_header=False)
    config.timeout_graceful_shutdown = 2
    config.ws_per_message_deflate = False  # events are small and many
    server = uvicorn.Server(config)
    loader.start(failed=lambda: setattr(server, "should_exit", True))
    server.run(sockets=[listener])
    if loader.error is not None:
        raise InputError(loader.error)


def _open(
    run: Path,
    world: Path | None,
    tasks: Path | None,
    secret: bytes,
    device: str,
    tell: Tell,
    say: Say,
    days: Path,
    beside: list[str] | None = None,
) -> Site:
    """The site, made ready with words on what is being done, in the terminal and for the page."""
    from vnla.agents import pretrained
    from vnla.serve.on_demand import OnDemandFeatures
    from vnla.serve.site import Site
    from vnla.serve.worlds import cache_folder, small_world
    from vnla.training.trained import open_trained

    def report(what: str, done: float, of: float) -> None:
        tell(what, int(done), int(of))
        say(f"{what}, {done:.0f} of {of:.0f}")

    if beside is None:
        beside = [pretrained.PANORAMA, "planner"] if str(run) == pretrained.NAME and world is None else []
    if pretrained.is_meant(run) and world is None and tasks is None:
        world, tasks = small_world(cache_folder() / "houses", report)
    tell(f"loading {run}")
    say("loading the agent")
    features = OnDemandFeatures(device)
    trained = open_trained(run, world=world, tasks=tasks, device=device, source=features.source)
    site = Site(trained, cache_folder() / "pictures", secret, features, days)
    for name in beside:
        site.service.contenders.add(name, contender_maker(name, site.engine, features, device))
    tell("ready")
    threading.Thread(target=_warm, args=(site, tell), name="warming", daemon=True).start()
    return site


def contender_maker(name: str, engine: EpisodeEngine, features: OnDemandFeatures, device: str) -> Maker:
    """Return what makes another agent for the world of an engine; a name that means nothing is refused at once."""
    from vnla.agents import pretrained
    from vnla.cli.guests import AskedOptions, guest_in
    from vnla.serve.contenders import PolicyContender, TrainedContender
    from vnla.serve.engine import EpisodeEngine
    from vnla.training.checkpoints import CONFIG
    from vnla.training.trained import open_trained

    material, config = engine.trained.material, engine.trained.config
    if pretrained.is_meant(name) or (Path(name) / CONFIG).is_file():

        def trained() -> TrainedContender:
            world, tasks = Path(config.world), Path(config.tasks)
            found = open_trained(Path(name), world=world, tasks=tasks, device=device, source=features.source)
            return TrainedContender(EpisodeEngine(found, features=features))

        return trained
    agent, _ = guest_in(name, AskedOptions(timeout=ANSWER, retries=1), material.folder, None)
    return lambda: PolicyContender(engine, agent)


def _warm(site: Site, tell: Tell) -> None:
    from vnla.serve.worlds import WARM

    site.warm()
    tell(WARM)


def listening(host: str, port: int) -> socket.socket:
    """A socket that is bound already, so that whoever is told the address finds somebody there."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # named, or asyncio leaves Nagle's delay on
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(128)
        return listener
    except OSError as error:
        raise InputError(f"{host} port {port}: cannot be listened at ({error.strerror}); try another --port") from None
    except (TypeError, ValueError):  # no text that an address can have
        raise InputError(f"--host {host!r}: is no address") from None


def _shown(host: str) -> str:
    name = "localhost" if host in EVERYWHERE else host
    return f"[{name}]" if ":" in name else name
