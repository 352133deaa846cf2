"""A trained agent behind an address, to start from for a server of one's own. In one terminal, and then in another:

    python examples/agent_server.py pretrained --world worlds/small --tasks tasks/small --port 8000
    vnla evaluate --agent http://localhost:8000 --world worlds/small --tasks tasks/small --split test_unseen

Three addresses are all there is to it: GET /agent, POST /begin and POST /act (docs/remote.md).
"""

from __future__ import annotations

import argparse
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from vnla import Guest, load_agent
from vnla.remote.guest import Answer
from vnla.remote.protocol import VERSION, answer_json, read_beginning, read_observation


def server(guest: Guest, port: int = 0) -> ThreadingHTTPServer:
    class Handler(BaseHTTPRequestHandler):
        protocol_version, disable_nagle_algorithm = "HTTP/1.1", True  # connections are kept, replies sent at once

        def do_GET(self) -> None:  # /agent: what it is called and wants to be shown
            self.reply({"version": VERSION, "name": guest.declared.name, "observes": guest.declared.observes})

        def do_POST(self) -> None:
            value = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if self.path == "/begin":  # an episode begins; nobody looks at the reply
                guest.begin([read_beginning(value)])
                self.reply({})
            else:  # /act: what there is to see, and what to do
                (answer,) = guest.act([read_observation(value)])
                assert isinstance(answer, Answer)
                self.reply(answer_json(answer))

        def reply(self, value: dict[str, Any]) -> None:
            body = json.dumps(value).encode()
            self.send_response(200)
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
    server(load_agent(given.run, world=given.world, tasks=given.tasks).as_guest(), given.port).serve_forever()
