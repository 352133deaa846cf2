"""The tools, and the server that has them.

What a client did wrong is an error of its call, in one line. A client whose connection is a session (stdio, and HTTP before
protocol 2026-07-28) need not name one; over HTTP without sessions it gives the key that `start` replied.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal, Protocol

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp.server.mcpserver.tools import Tool
from mcp.server.mcpserver.utilities.types import Image
from mcp_types import CallToolResult, InputRequiredResult, TextContent, ToolAnnotations
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from pydantic import Field, ValidationError

from vnla import __version__
from vnla.common.errors import InputError
from vnla.common.outside import shown
from vnla.observation import EXITS, PICTURES, Observation
from vnla.remote.mcp_server.replies import (
    ActReply,
    AskReply,
    EpisodeStatus,
    LookReply,
    ScoreReply,
    StartReply,
    TaskEntry,
    TaskList,
)
from vnla.remote.mcp_server.rules import NEXT_TASK, URI, instructions, rules_of
from vnla.remote.mcp_server.sessions import ToolSession, ToolSessions
from vnla.remote.protocol import png

SESSION_HEADER = "mcp-session-id"
MOST_LISTED = 200
MOST_TIMES = 12
"""How often one call may repeat an action: all around."""
_LONGEST = 200

ActionName = Literal["left", "right", "up", "down", "forward", "stop"]
SessionKey = Annotated[
    str | None,
    Field(max_length=_LONGEST, description="The session that start replied, if it replied one. Else leave it out."),
]


class _InWords(Protocol):
    def in_words(self) -> str: ...

    def model_dump(self, *, mode: str = ...) -> dict[str, Any]: ...


class VnlaTools:
    """The tools as methods; what a model reads of them are their docstrings."""

    def __init__(self, sessions: ToolSessions) -> None:
        self._sessions, self._offered = sessions, sessions.offered

    def list_tasks(
        self,
        context: Context[Any, Any],
        first: Annotated[int, Field(ge=0, le=1_000_000, description="Place of the first task to list, from 0.")] = 0,
        count: Annotated[int, Field(ge=1, le=MOST_LISTED, description="How many to list at most.")] = 50,
        session: SessionKey = None,
    ) -> Annotated[CallToolResult, TaskList]:
        """List tasks with their ids, what is to be found, and whether they were started. start without an id begins the next
        one, so this need not be called."""
        every = self._offered.tasks
        known = session is not None or self._connection(context) is not None
        with self._session(context, session) if known else self._sessions.nobody() as mine:
            listed = [
                TaskEntry.model_validate({"id": each.id, "instruction": each.end_goal, "state": mine.state_of(each.id)})
                for each in every[first : first + count]
            ]
        return _reply(TaskList(tasks=listed, first=first, of=len(every)))

    def start(
        self,
        context: Context[Any, Any],
        task: Annotated[
            str | None, Field(max_length=_LONGEST, description="Id of a task. Without it the next one that was not started.")
        ] = None,
        give_up: Annotated[
            bool, Field(description="Give up the task that is under way: the rest of its time passes without action.")
        ] = False,
        session: SessionKey = None,
    ) -> Annotated[CallToolResult, StartReply]:
        """Start a task. Replies what to find, how many time steps and requests for help there are, and what is in view."""
        if session is None and self._connection(context) is None:
            mine, now = self._sessions.begin(task)
            session = mine.key
        else:
            with self._session(context, session) as mine:
                now = mine.start(task, give_up=give_up)
        return _reply(StartReply(**LookReply.of(now, over=False).model_dump(), session=session), now)

    def look(
        self,
        context: Context[Any, Any],
        around: Annotated[
            bool, Field(description="Tell all that is around as well, with the exits, where the server has it.")
        ] = False,
        session: SessionKey = None,
    ) -> Annotated[CallToolResult, LookReply]:
        """Look at what is in view. Takes no time. start and act reply the view as well, so this need not follow them."""
        if around and not self._offered.shows(EXITS):
            raise InputError("around: this server shows what is in front of you alone; turn to see more")
        with self._session(context, session) as mine:
            now = mine.look()
            return _reply(LookReply.of(now, over=not mine.under_way, around=around), now)

    def act(
        self,
        context: Context[Any, Any],
        action: Annotated[
            ActionName,
            Field(
                description="left, right: turn by 30 degrees. up, down: tilt by 30. forward: walk. stop: end the episode."
            ),
        ],
        times: Annotated[
            int,
            Field(ge=1, le=MOST_TIMES, description="How often; each takes a time step. Ends early where nothing changes."),
        ] = 1,
        session: SessionKey = None,
    ) -> Annotated[CallToolResult, ActReply]:
        """Act. Each action takes a time step. Replies what became of it, and what is in view then. stop ends the episode for
        good."""
        with self._session(context, session) as mine:
            steps, now = mine.act(action, times)
            return _reply(ActReply.after(steps, now, over=not mine.under_way), now)

    def ask(self, context: Context[Any, Any], session: SessionKey = None) -> Annotated[CallToolResult, AskReply]:
        """Ask the advisor, who knows the way, what to do next. Takes no time, but only a few requests are answered in an
        episode, and one in a time step; a call that cannot be answered costs nothing."""
        with self._session(context, session) as mine:
            now = mine.ask()
        return _reply(AskReply(advice=now["advice"] or "", status=EpisodeStatus.of(now, over=False)))

    def status(self, context: Context[Any, Any], session: SessionKey = None) -> Annotated[CallToolResult, EpisodeStatus]:
        """Tell how the episode stands: the task, what the advisor said last, time steps and requests left. Takes no time."""
        with self._session(context, session) as mine:
            return _reply(EpisodeStatus.of(mine.episode.observation(), over=not mine.under_way))

    def score(self, context: Context[Any, Any], session: SessionKey = None) -> Annotated[CallToolResult, ScoreReply]:
        """Tell how the last episode of this session ended: whether it was a success, and how far from the goal. It can be
        called when the episode has ended, and not before."""
        with self._session(context, session) as mine:
            if mine.under_way:
                raise InputError(f"task {mine.episode.task.id} is under way; score tells how it went when it has ended")
            if not mine.ended:
                raise InputError("no episode has ended in this session; call start")
            return _reply(ScoreReply.of(mine))

    def _session(self, context: Context[Any, Any], key: str | None) -> ToolSession:
        """The session that a call is of."""
        if key is not None:
            return self._sessions.of_key(key)
        connection = self._connection(context)
        if connection is not None:
            return self._sessions.of_connection(connection)
        raise InputError("session: this connection has none of its own; give the session that start replied")

    @staticmethod
    def _connection(context: Context[Any, Any]) -> str | None:
        """The name of the session that a connection is; None where it is none."""
        headers = context.headers
        if headers is None:  # no HTTP: one client for all of the process
            return "stdio"
        # Where the protocol has sessions, the transport has found this one among its own before it calls a tool.
        return headers.get(SESSION_HEADER) if context.protocol_version in HANDSHAKE_PROTOCOL_VERSIONS else None


def _reply(value: _InWords, now: Observation | None = None) -> CallToolResult:
    """A reply in words and as values, with the picture that is observed."""
    content: list[Any] = [TextContent(type="text", text=value.in_words())]
    if now is not None and PICTURES in now:
        content.append(Image(data=png(now[PICTURES]), format="png").to_image_content())
    return CallToolResult(content=content, structured_content=value.model_dump(mode="json"))


class VnlaServer(MCPServer[Any]):
    """The server. What a client did wrong is told in one line."""

    async def call_tool(
        self, name: str, arguments: dict[str, Any], *more: Any, **named: Any
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool, and reply an error of the client in one line; any other error goes on as it is."""
        tool = self._tool_manager.get_tool(name)
        try:
            if tool is None:
                known = ", ".join(each.name for each in self._tool_manager.list_tools())
                raise InputError(f"{shown(name)}: there is no such tool; there are {known}")
            _check_names(tool, arguments)
            return await super().call_tool(name, arguments, *more, **named)
        except InputError as error:
            return _refusal(str(error))
        except ToolError as error:
            cause = error.__cause__
            if isinstance(cause, ValidationError):
                return _refusal(_wrong_argument(name, cause))
            if isinstance(cause, InputError):
                return _refusal(str(cause))
            if isinstance(error, UnexpectedToolError):
                raise
            return _refusal(str(error))


def _check_names(tool: Tool, arguments: dict[str, Any]) -> None:
    """An argument that is not known is refused: whoever gave it expects something of it."""
    known = tool.parameters["properties"]
    for name in arguments:
        if name not in known:
            raise InputError(f"{tool.name}: takes no {shown(name)}; it takes {', '.join(known)}")


def _wrong_argument(tool: str, error: ValidationError) -> str:
    first = error.errors(include_url=False, include_context=False)[0]
    name = ".".join(map(str, first["loc"]))
    if first["type"] == "missing":
        return f"{tool}: needs {name}"
    return f"{tool}: {name} is {shown(first['input'])}; {first['msg'][:1].lower()}{first['msg'][1:]}"


def _refusal(line: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=" ".join(line.split()))], is_error=True)


def make_server(sessions: ToolSessions, *, once: bool, sessionless: bool = False) -> MCPServer[Any]:
    """The server of these sessions. Each task can be started `once` alone, or again; clients may come without a session."""
    tools = VnlaTools(sessions)
    reads = ToolAnnotations(read_only_hint=True, open_world_hint=False)
    does = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False)
    made = [
        _tool(tools.list_tasks, "List tasks", reads),
        _tool(tools.start, "Start a task", does),
        _tool(tools.look, "Look", reads),
        _tool(tools.act, "Act", does),
        _tool(tools.ask, "Ask the advisor", does),
        _tool(tools.status, "Status", reads),
        _tool(tools.score, "Score", reads),
    ]
    server = VnlaServer(
        "vnla",
        title="Find things in a house",
        instructions=instructions(sessionless=sessionless),
        version=__version__,
        tools=made,
        log_level="ERROR",
    )
    rules = rules_of(sessions.offered, once=once)

    @server.resource(
        URI, name="rules", title="Rules of the task", description="All rules, in Markdown.", mime_type="text/markdown"
    )
    def read_rules() -> str:
        return rules

    @server.prompt(name="next_task", title="Do the next task", description="Have the model do the next task to its end.")
    def next_task() -> str:
        return NEXT_TASK

    return server


def _tool(method: Callable[..., Any], title: str, annotations: ToolAnnotations) -> Tool:
    tool = Tool.from_function(
        method, title=title, description=" ".join((method.__doc__ or "").split()), annotations=annotations
    )
    tool.parameters["additionalProperties"] = False
    return tool
