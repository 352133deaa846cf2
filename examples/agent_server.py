"""A trained agent over HTTP, as a starting point for a server of your own. In one terminal, and then in another:

    python examples/agent_server.py pretrained --world worlds/small --tasks tasks/small --port 8000
    vnla evaluate --agent http://localhost:8000 --world worlds/small --tasks tasks/small --split test_unseen

Three addresses are all there is to it: GET /agent, POST /reset and POST /act (docs/remote.md).
"""

from __future__ import annotations

import argparse
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from vnla import load_agent
from vnla.remote.evaluated_agent import LocalPolicy, UnknownEpisodeError
from vnla.remote.protocol import VERSION, answer_json, parsed, read_observation


def server(agent: LocalPolicy, port: int = 0) -> ThreadingHTTPServer:
    class Handler(BaseHTTPRequestHandler):
        protocol_version, disable_nagle_algorithm = "HTTP/1.1", True  # connections are kept, replies sent at once

        def do_GET(self) -> None:  # /agent: what it is called and wants to observe
            self.reply({"version": VERSION, "name": agent.declaration.name, "observes": agent.declaration.observes})

        def do_POST(self) -> None:
            try:
                observation = read_observation(parsed(self.rfile.read(int(self.headers["Content-Length"]))))
                if self.path == "/reset":  # an episode begins; nobody looks at the reply
                    agent.start([observation])
                    return self.reply({})
                self.reply(answer_json(*agent.act([observation])))  # type: ignore[arg-type]  # /act: what to do
            except (ValueError, TypeError, LookupError, AttributeError) as error:  # nothing that we can read
                self.reply({"error": str(error)}, 404 if isinstance(error, UnknownEpisodeError) else 400)

        def reply(self, value: dict[str, Any], status: int = 200) -> None:
            body = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None: ...

    return ThreadingHTTPServer(("localhost", port), Handler)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path)
    for option in ("--world", "--tasks"):
        parser.add_argument(option, type=Path)
    parser.add_argument("--port", type=int, default=8000)
    given = parser.parse_args()
    policy = load_agent(given.run, world=given.world, tasks=given.tasks).as_policy()
    server(LocalPolicy(policy), given.port).serve_forever()
