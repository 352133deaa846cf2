"""The example of an MCP client prints the session that docs/mcp.md shows."""

from __future__ import annotations

import asyncio
import io
import re
import runpy
import shlex
from pathlib import Path

import pytest

from vnla.cli.mcp import McpOptions
from vnla.remote.mcp_server.sessions import ToolSessions
from vnla.remote.mcp_server.tools import make_server

ROOT = Path(__file__).parents[2]
SHOWN = re.compile(
    r"^```\nprintf '%s\\n' (.*) \| python (examples/mcp_client\.py)\n```\n\n```text\n(.*?)```$", re.DOTALL | re.MULTILINE
)


def test_the_session_that_the_page_shows_is_what_is_printed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a server in this process; a client that starts one is tried in tests/remote/test_mcp_command.py."""
    ((calls, program, printed),) = SHOWN.findall((ROOT / "docs" / "mcp.md").read_text(encoding="utf-8"))
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(shlex.split(calls.replace("\\\n", " "))) + "\n"))
    server = make_server(ToolSessions(McpOptions().offered()), once=False)
    asyncio.run(runpy.run_path(str(ROOT / program))["talk"](server))
    assert capsys.readouterr().out == printed
