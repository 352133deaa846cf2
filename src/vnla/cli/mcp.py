"""`vnla mcp`: the world as tools of the Model Context Protocol."""

from __future__ import annotations

import re
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from vnla.cli.console import LARGEST_SEED, telling
from vnla.cli.options import takes_options
from vnla.common.errors import InputError
from vnla.common.options import option
from vnla.common.registry import options_of

if TYPE_CHECKING:
    from vnla.remote.mcp_server.kept import KeptEpisodes
    from vnla.remote.mcp_server.setting import EpisodeTerms, OfferedTasks

_ADDRESS = re.compile(r"(?P<host>\[[0-9a-fA-F:.]+\]|[\w.-]{1,253}):(?P<port>\d{1,5})")


@dataclass(frozen=True)
class McpOptions:
    """What may be said of what is offered, and of how clients come."""

    world: Path | None = option(None, "World. [default: the embedded cottage]", metavar="DIR")
    tasks: Path | None = option(None, "Data set of that world.", metavar="DIR")
    split: str = option("test_unseen", "With --tasks: val_seen, …, test_unseen.", metavar="NAME")
    subset: int | None = option(None, "Only N tasks of the split, always the same ones. [default: all]", metavar="N", min=1)
    seed: int = option(123, "Seed of the help budgets.", min=0, max=LARGEST_SEED)
    observe: str | None = option(
        None, "text, picture, both, around or all. [default: both where there are pictures, else text]", metavar="WHAT"
    )
    picture_width: int = option(224, "Pixels; pictures are 4:3.")
    ratio: float = option(0.4, "τ of the help budgets.", min=0, max=1)
    k: int | None = option(None, "Actions a subgoal describes. [default: 4]", min=1, max=8)
    advisor_language: str | None = option(
        None, "The advisor: template, grammar, speaker or yours, a.b:C. [default: template]", metavar="NAME"
    )
    advisor_option: list[str] | None = option(
        None, "An option of that advisor, e.g. says=synonyms; may be repeated.", metavar="NAME=VALUE"
    )
    forward: str = option("informed", "Where forward goes: informed, as in the paper, or plain.", metavar="NAME")
    out: Path | None = option(
        None, "Folder for episodes, from which the command can continue. [default: nothing is kept]", metavar="DIR"
    )
    http: str | None = option(None, "Serve over HTTP at this address instead of stdio.", metavar="HOST:PORT")
    allow_host: list[str] | None = option(
        None, "With --http: another host name under which clients may reach the server; may be repeated.", metavar="NAME"
    )

    def terms(self) -> EpisodeTerms:
        """Return what determines the episodes."""
        from vnla.assistance.advisor import TemplateAdvisor
        from vnla.cli.outcome import Speaking
        from vnla.remote.mcp_server.setting import OBSERVES, EpisodeTerms
        from vnla.remote.protocol import WIDTHS, is_width
        from vnla.world.budgets import SUBGOAL_ACTIONS
        from vnla.world.forward import FORWARDS

        if self.observe is not None and self.observe not in OBSERVES:
            raise InputError(f"--observe {self.observe}: choose from {', '.join(OBSERVES)}")
        if not is_width(self.picture_width):
            raise InputError(f"--picture-width {self.picture_width}: expected {WIDTHS}")
        if self.forward not in FORWARDS:
            raise InputError(f"--forward {self.forward}: choose from {', '.join(FORWARDS)}")
        speaking = Speaking(self.advisor_language, options_of(self.advisor_option or [], "--advisor-option"), self.k)
        return EpisodeTerms(
            seed=self.seed, subset=self.subset, observe=self.observe, picture_width=self.picture_width, ratio=self.ratio,
            advisor=speaking.advisor(TemplateAdvisor(k=self.k or SUBGOAL_ACTIONS)),
            advisor_settings=tuple(speaking.as_dict().items()), forward=self.forward,
        )  # fmt: skip

    def offered(self) -> OfferedTasks:
        """Return the tasks that clients may do."""
        from vnla.remote.mcp_server.setting import OfferedTasks

        if (self.world is None) is not (self.tasks is None):
            raise InputError("--world and --tasks: give both, or none for the embedded cottage")
        if self.world is None or self.tasks is None:
            return OfferedTasks.of_cottage(self.terms())
        with telling() as tell:
            tell(f"loading {self.world}")
            return OfferedTasks.of_world(self.world, self.tasks, self.split, self.terms())

    def address(self) -> tuple[str, int] | None:
        """Return the host and the port to serve at; None for stdio."""
        if self.http is None:
            if self.allow_host:
                raise InputError("--allow-host needs --http")
            return None
        found = _ADDRESS.fullmatch(self.http)
        if found is None or int(found["port"]) > 65535:
            raise InputError(f"--http {self.http}: expected HOST:PORT, such as localhost:8765")
        return found["host"].strip("[]"), int(found["port"])


@takes_options()
def mcp(*, options: McpOptions) -> None:
    """Offer the tasks to clients of the Model Context Protocol: tools to start, look, act, ask the advisor, and be scored.

    Clients start this command themselves and talk to it over stdin and stdout; with --http they connect to an address.
    With --out each task can be started once only, and its outcome is kept for `vnla score`.

    Example: vnla mcp

    Example: vnla mcp --world worlds/small --tasks tasks/small --split test_unseen --subset 50 --out evaluations/mine

    Example: vnla mcp --http localhost:8765
    """
    if find_spec("mcp") is None:
        raise InputError(
            "clients of the Model Context Protocol need the package mcp; install it with: pip install 'vnla[mcp]'"
        )
    from vnla.common.machine import use_threads

    use_threads(1)
    address = options.address()
    _serve(options, options.offered(), address)


def _serve(options: McpOptions, offered: OfferedTasks, address: tuple[str, int] | None) -> None:
    """Serve until the client leaves, or until Ctrl-C; what is under way then is abandoned."""
    from vnla.common.lock import alone_in
    from vnla.remote.mcp_server.kept import KeptEpisodes
    from vnla.remote.mcp_server.serving import serve_http, serve_stdio
    from vnla.remote.mcp_server.sessions import IDLE, ToolSessions
    from vnla.remote.mcp_server.tools import make_server

    with ExitStack() as stack:
        kept = None
        if options.out is not None:
            stack.enter_context(alone_in(options.out))
            kept = KeptEpisodes(options.out, offered)
            stack.callback(kept.close)
            _tell_kept(options.out, kept, offered)
        sessions = ToolSessions(offered, kept, idle=None if address is None else IDLE)
        stack.callback(sessions.close)
        server = make_server(sessions, once=kept is not None, sessionless=address is not None)
        if address is None:
            serve_stdio(server)
            return
        from vnla.cli.serve import EVERYWHERE, OWN_NAMES, listening
        from vnla.remote.mcp_server.serving import PATH

        host, port = address
        listener = stack.enter_context(listening(host, port))
        names = tuple(dict.fromkeys((*OWN_NAMES, host, *(options.allow_host or ()))))
        shown = "localhost" if host in EVERYWHERE else f"[{host}]" if ":" in host else host
        typer.echo(f"vnla mcp is at http://{shown}:{listener.getsockname()[1]}{PATH} (Ctrl-C ends it)")
        if host not in OWN_NAMES:
            typer.echo("it asks for no password: whoever reaches this address can walk", err=True)
        serve_http(server, listener, names)


def _tell_kept(out: Path, kept: KeptEpisodes, offered: OfferedTasks) -> None:
    """Say on stderr, which clients show to people, what the folder has."""
    given_up = f", of which {kept.abandoned} had been left under way" if kept.abandoned else ""
    typer.echo(f"{out}: {len(kept)} of {len(offered.tasks)} tasks have ended{given_up}", err=True)
