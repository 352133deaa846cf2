"""`vnla serve`: a page in the browser to watch an agent, help it and beat it."""

from __future__ import annotations

import ipaddress
import socket
import threading
import webbrowser
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vnla.cli.console import telling
from vnla.cli.embedded import places_or_embedded
from vnla.cli.options import DeviceOption, HostOption, NoOpenOption, PortOption, RunArgument, takes_options
from vnla.common.errors import InputError
from vnla.common.options import option
from vnla.common.progress import Tell

if TYPE_CHECKING:
    from fastapi import FastAPI

    from vnla.serve.engine import EpisodeEngine
    from vnla.serve.limits import Limits
    from vnla.serve.on_demand import OnDemandFeatures
    from vnla.serve.other_agents import Maker
    from vnla.serve.site import Say, Site, SiteLoader

LOOPBACK = "127.0.0.1"
OWN_NAMES = ("localhost", LOOPBACK, "::1")
OWN_ADDRESSES = (LOOPBACK, "::1")
EVERYWHERE = ("0.0.0.0", "::")
KEEP = 30.0
"""Days that sessions of the public are kept."""
_DAY = 86_400.0

ANSWER = 10.0
"""Seconds for one try of a call of an agent behind an address; visitors wait."""
DAYS = "days"
"""Where the tables of the tasks of the day are, among the sessions."""
_NEEDS = ("fastapi", "uvicorn", "websockets")


@dataclass(frozen=True)
class HostingOptions:
    """Who is answered, and for how long a session is kept."""

    public: bool = option(
        False,
        "For the internet, behind a proxy: needs --name, opens no browser, lets sessions expire (docs/hosting.md).",
    )
    name: list[str] | None = option(
        None, "Host name under which visitors reach this server, such as example.org; may be repeated.", metavar="HOST"
    )
    proxy: list[str] | None = option(
        None,
        "Address or network of a proxy whose X-Forwarded-For and -Proto are trusted; may be repeated. "
        "[default: with --public at a loopback address, this machine]",
        metavar="ADDRESS",
    )
    visitors: int = option(500, "Number of visitors who may be connected at once.", min=1)
    per_address: int = option(50, "Number of visitors who may be connected from one address.", min=1)
    keep: float | None = option(
        None, "Days after which a session that nobody has used expires. [default: never; with --public 30]",
        metavar="DAYS", min=0,
    )  # fmt: skip

    def names(self, host: str) -> tuple[str, ...]:
        """Return the names that the server goes by."""
        if self.public and not self.name:
            raise InputError(
                "--public: say under which host name visitors reach this server, for example: --name example.org"
            )
        return names_of(host, self.name or ())

    def proxies(self, host: str) -> tuple[str, ...]:
        """Return the addresses of proxies that are believed."""
        for each in self.proxy or ():
            if not _is_network(each):
                raise InputError(f"--proxy {each}: is no address or network, such as 10.0.0.2 or 10.0.0.0/8")
        return tuple(self.proxy or (OWN_ADDRESSES if self.public and host in OWN_NAMES else ()))

    def limits(self) -> Limits:
        """Return the limits of the server."""
        from vnla.serve.limits import Limits

        days = self.keep if self.keep is not None or not self.public else KEEP
        return Limits(
            connections=self.visitors, address_connections=self.per_address, keep=None if days is None else days * _DAY
        )


@takes_options()
def serve(
    run: RunArgument = Path("pretrained"),
    world: Annotated[Path | None, typer.Option(metavar="DIR", help="World. [default: the run's, or the small one]")] = None,
    tasks: Annotated[Path | None, typer.Option(metavar="DIR", help="Data set. [default: that of the world]")] = None,
    host: HostOption = LOOPBACK,
    port: PortOption = 8000,
    record: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder for visitors' sessions. [default: in the user's cache]")
    ] = None,
    collect_advice: Annotated[
        bool,
        typer.Option(
            "--collect-advice", help="Ask visitors whether what they type may be kept as data, for vnla advice export."
        ),
    ] = False,
    beside: Annotated[
        list[str] | None,
        typer.Option(
            metavar="AGENT",
            help="Another agent to watch beside it and to compete with: a run, scripted, planner, module:Class, http://…;"
            " may be repeated. [default: pretrained-panorama and planner, for pretrained]",
        ),
    ] = None,
    no_open: NoOpenOption = False,
    device: DeviceOption = None,
    *,
    options: HostingOptions,
) -> None:
    """Open a page in the browser: watch the agent, be its advisor, or do its tasks yourself and compare.

    Nothing has to be prepared: without --world it uses the small world that comes with vnla, whose houses are there at
    once. The houses of other worlds are drawn when somebody enters them.

    Example: vnla serve

    Example: vnla serve runs/learned --port 8080 --record sessions

    Example: vnla serve --public --name example.org --record sessions
    """
    check_installed()
    _begin_unpacking(run, world, tasks)
    from vnla.common.lock import alone_in
    from vnla.common.machine import device_named
    from vnla.serve.app import make_app
    from vnla.serve.contributions.collecting import Contributions
    from vnla.serve.contributions.store import ContributionStore
    from vnla.serve.sessions import Sessions
    from vnla.serve.site import SiteLoader
    from vnla.serve.worlds import cache_folder

    names, proxies, limits = options.names(host), options.proxies(host), options.limits()
    chosen, folder = device_named(device), record or cache_folder() / "sessions"
    with listening(host, port) as listener, alone_in(folder, private=True), telling() as tell:
        sessions = Sessions(folder, limits, keeps=record is not None)
        loader = SiteLoader(lambda say: _open(run, world, tasks, sessions.secret, chosen, tell, say, folder / DAYS, beside))
        given = Contributions(ContributionStore(folder, sessions.secret)) if collect_advice else None
        app = make_app(loader, sessions, names, limits, given)
        tell_names(host, names)
        answer(app, loader, listener, host, limits, proxies, opens=not (no_open or options.public))


def _begin_unpacking(run: Path, world: Path | None, tasks: Path | None) -> None:
    """Unpack the small world beside all that has to be imported, if it will be needed."""
    from vnla.agents import pretrained
    from vnla.experiments.embedded import embedded_world

    if pretrained.is_meant(run) and world is None and tasks is None:
        threading.Thread(target=embedded_world, name="unpacking", daemon=True).start()


def check_installed() -> None:
    """Refuse where what a server needs is not installed."""
    missing = [name for name in _NEEDS if find_spec(name) is None]
    if missing:
        raise InputError(f"a server needs {missing[0]}; install it with: pip install 'vnla[serve]'")


def names_of(host: str, more: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the names that a server at an address goes by, and `more`. Besides, it answers by the address itself."""
    from vnla.serve.guard import NAME

    for each in more:
        if not each or not NAME.fullmatch(each):
            raise InputError(f"--name {each}: is no name of a server; give it without scheme and port, such as example.org")
    own = (socket.gethostname(),) if host in EVERYWHERE else (host,)
    return tuple(dict.fromkeys((*OWN_NAMES, *own, *(each.strip("[]") for each in more))))


def tell_names(host: str, names: Sequence[str]) -> None:
    """Say who is answered, where that is not only this machine."""
    if host not in OWN_NAMES:
        further = ", ".join(name for name in names if name not in OWN_NAMES)
        typer.echo(f"it asks for no password, and answers by its own address and as {further}; --name adds a name", err=True)


def answer(
    app: FastAPI, loader: SiteLoader, listener: socket.socket, host: str, limits: Limits, proxies: Sequence[str] = (), *,
    opens: bool,
) -> None:  # fmt: skip
    """Serve until Ctrl-C or until the site cannot be opened; the browser opens by itself if that is wanted."""
    import torch

    from vnla.serve.http_server import patient_server

    torch.set_num_threads(1)  # walks are small, and share the cores with visitors and with what is drawn
    address = f"http://{_shown(host)}:{listener.getsockname()[1]}/"
    typer.echo(f"vnla is at {address} (Ctrl-C ends it)")
    if opens:
        threading.Timer(0.5, webbrowser.open, (address,)).start()
    server = patient_server(app, limits, proxies)
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
    from vnla.serve.worlds import cache_folder
    from vnla.training.trained import open_trained

    if beside is None:
        beside = [pretrained.PANORAMA, "planner"] if str(run) == pretrained.NAME and world is None else []
    tell(f"loading {run}")
    say("loading the agent")
    if pretrained.is_meant(run):
        world, tasks = places_or_embedded(f"the {run} agent", world, tasks)
    features = OnDemandFeatures(device)
    trained = open_trained(run, world=world, tasks=tasks, device=device, source=features.source)
    site = Site(trained, cache_folder() / "pictures", secret, features, days)
    for name in beside:
        site.service.other_agents.add(name, other_agent_maker(name, site.engine, features, device))
    tell("ready" if site.can_walk() else "the page is open; houses are drawn for the agent when they are first entered")
    threading.Thread(target=_warm, args=(site, tell), name="warming", daemon=True).start()
    return site


def other_agent_maker(name: str, engine: EpisodeEngine, features: OnDemandFeatures, device: str) -> Maker:
    """Return what makes another agent for the world of an engine; a name that means nothing is refused at once."""
    from vnla.agents import pretrained
    from vnla.cli.guests import AskedOptions, guest_in
    from vnla.serve.engine import EpisodeEngine
    from vnla.serve.other_agents import OtherPolicyAgent, OtherTrainedAgent
    from vnla.training.checkpoints import CONFIG
    from vnla.training.trained import open_trained

    material, config = engine.trained.material, engine.trained.config
    if pretrained.is_meant(name) or (Path(name) / CONFIG).is_file():

        def trained() -> OtherTrainedAgent:
            world, tasks = Path(config.world), Path(config.tasks)
            found = open_trained(Path(name), world=world, tasks=tasks, device=device, source=features.source)
            return OtherTrainedAgent(EpisodeEngine(found, features=features))

        return trained
    agent, _ = guest_in(name, AskedOptions(timeout=ANSWER, retries=1), material.folder, None)
    return lambda: OtherPolicyAgent(engine, agent)


def _warm(site: Site, tell: Tell) -> None:
    from vnla.serve.worlds import WARM

    site.warm()
    tell(WARM)
    site.draw_others()


def listening(host: str, port: int) -> socket.socket:
    """A socket that is bound already, so that whoever is told the address finds somebody there."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # named, or asyncio leaves Nagle's delay on
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(1024)
        return listener
    except OSError as error:
        raise InputError(f"{host} port {port}: cannot be opened ({error.strerror}); try another --port") from None
    except (TypeError, ValueError):  # no text that an address can have
        raise InputError(f"--host {host!r}: is no address") from None


def _is_network(text: str) -> bool:
    try:
        return bool(ipaddress.ip_network(text))
    except ValueError:
        return False


def _shown(host: str) -> str:
    name = "localhost" if host in EVERYWHERE else host
    return f"[{name}]" if ":" in name else name
