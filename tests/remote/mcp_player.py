"""A client of `vnla mcp` for tests: it calls tools by the SDK's own client, and follows the advisor."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from mcp import Client
from mcp_types import CallToolResult

from vnla.assistance.phrases import read_subgoal
from vnla.remote.mcp_server.kept import KeptEpisodes
from vnla.remote.mcp_server.sessions import ToolSessions
from vnla.remote.mcp_server.setting import EpisodeTerms, OfferedTasks
from vnla.remote.mcp_server.tools import make_server
from vnla.world.actions import Nav


class Player:
    """Calls tools; `session` is given with every call where `start` replied one."""

    def __init__(self, client: Client) -> None:
        self.client, self.session = client, None
        self.replies: list[str] = []

    async def call(self, tool: str, **given: Any) -> CallToolResult:
        named = {"session": self.session} if self.session is not None else {}
        reply = await self.client.call_tool(tool, {**named, **given})
        assert isinstance(reply, CallToolResult)
        self.replies.append(json.dumps([each.model_dump() for each in reply.content]) + json.dumps(reply.structured_content))
        return reply

    async def do(self, tool: str, **given: Any) -> dict[str, Any]:
        """The values of a reply that is no error."""
        reply = await self.call(tool, **given)
        assert not reply.is_error, reply.content
        assert reply.structured_content is not None
        return reply.structured_content

    async def start(self, task: str | None = None, **given: Any) -> dict[str, Any]:
        begun = await self.do("start", **given, **({} if task is None else {"task": task}))
        self.session = begun["session"]
        return begun

    async def refused(self, tool: str, **given: Any) -> str:
        """The one line of a reply that is an error."""
        reply = await self.call(tool, **given)
        assert reply.is_error and reply.structured_content is None, reply
        (content,) = reply.content
        assert content.type == "text" and "\n" not in content.text and "Traceback" not in content.text
        return content.text

    async def follow(self) -> dict[str, Any]:
        """Do what the advisor says until the episode has ended, and stop when no request is left; the score."""
        over = False
        while not over:
            may_ask = (await self.do("status"))["may_ask"]
            plan = read_subgoal((await self.do("ask"))["advice"]) if may_ask else [Nav.STOP]
            for action in plan:
                over = (await self.do("act", action=action.name.lower()))["status"]["over"]
        return await self.do("score")


def in_cottage(**terms: Any) -> OfferedTasks:
    return OfferedTasks.of_cottage(EpisodeTerms(**terms))


@asynccontextmanager
async def playing(offered: OfferedTasks, kept: KeptEpisodes | None = None) -> AsyncIterator[Player]:
    """A client in this process, with a server of its own."""
    async with Client(make_server(ToolSessions(offered, kept), once=kept is not None)) as client:
        yield Player(client)
