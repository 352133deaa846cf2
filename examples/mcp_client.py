"""A client of `vnla mcp` for the terminal: each line that is typed is a call of a tool, and what is replied is printed.

    python examples/mcp_client.py                             # in the embedded cottage
    python examples/mcp_client.py --world worlds/small --tasks tasks/small
    python examples/mcp_client.py http://localhost:8765/mcp   # of a server that runs: vnla mcp --http localhost:8765

`start`, `ask`, `act left 3` and `look around=true` are lines; an empty one ends. In other clients a language model stands in
the place of the person at the keyboard. Pictures are written to `picture.png`.
"""
# ruff: noqa: T201

from __future__ import annotations

import asyncio
import base64
import os
import sys
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters


def arguments(names: list[str], words: list[str]) -> dict[str, Any]:
    """What is given to a tool: NAME=VALUE, or values in the order of its schema."""
    given = [word.partition("=") if "=" in word else (name, "=", word) for name, word in zip(names, words, strict=False)]
    return {name: int(value) if value.isdecimal() and name != "task" else value for name, _, value in given}


async def talk(server: str | StdioServerParameters) -> None:
    """Call what is typed until nothing is."""
    async with Client(server) as client:
        names = {tool.name: list(tool.input_schema["properties"]) for tool in (await client.list_tools()).tools}
        print("tools:", ", ".join(names))
        session: dict[str, Any] = {}
        while words := (await asyncio.to_thread(sys.stdin.readline)).split():
            print("\n>", *words)
            reply = await client.call_tool(words[0], session | arguments(names.get(words[0], []), words[1:]))
            for content in reply.content:
                if content.type == "text":
                    print(f"error: {content.text}" if reply.is_error else content.text)
                elif content.type == "image":
                    Path("picture.png").write_bytes(base64.b64decode(content.data))
            key = (reply.structured_content or {}).get("session")  # where the connection itself is none
            session = {"session": key} if key else session


if __name__ == "__main__":
    words = sys.argv[1:]
    program = StdioServerParameters(command=sys.executable, args=["-m", "vnla", "mcp", *words], env=dict(os.environ))
    asyncio.run(talk(words[0] if words and words[0].startswith("http") else program))
