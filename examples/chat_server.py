"""Chat completions without a model, to try `vnla evaluate --agent openai:MODEL`. In one terminal, and then in another:

    python examples/chat_server.py --port 8001
    vnla evaluate --agent openai:scripted --base-url http://localhost:8001/v1 --observe text-around \\
        --world worlds/small --tasks tasks/small

A script reads the prompt as a model would: it does what it was told, asks where it may, and goes where it was not before.
As an advisor (`--advisor-language openai:scripted --advisor-option base_url=…`) it says the first true sentence it is shown.
"""

from __future__ import annotations

import argparse
import json
import re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from vnla import read_subgoal


def answer(prompt: str) -> dict[str, Any]:
    """What a prompt of `--observe text-around` is answered with: an action, a candidate or a request."""
    lines = prompt.partition("So far:\n")[2].partition("\n\n")[0].splitlines()
    heard = [(number, said) for number, line in enumerate(lines) for said in re.findall('asked and heard: "(.*)"', line)]
    if plan := read_subgoal(heard[-1][1])[len(lines) - heard[-1][0] - 1 :] if heard else ():
        return {"action": plan[0].name.lower()}
    if re.search(r"Requests left: [1-9]\d*\.", prompt):
        return {"request": True}
    thing = re.sub(r"(Your task: find (an? |the )?)|( in .*)", "", prompt.partition("\n")[0])
    if re.search(rf"\b{re.escape(thing)}, (0\.\d|1(\.[0-6])?) m", prompt):
        return {"action": "stop"}
    new = re.findall(r"^(\d+): (?!.*, you )", prompt.partition("Candidates:\n")[2], re.MULTILINE)
    return {"go": int(new[0]) if new else 1}


class Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:  # /v1/chat/completions
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        content = request["messages"][-1]["content"]  # text, or texts and pictures, of which the last text is of now
        texts = [each["text"] for each in content if each["type"] == "text"] if isinstance(content, list) else [content]
        sentence = texts[-1].partition("Ways to say it that are true:\n- ")[2].partition("\n")[0]  # as an advisor
        ((name, value),) = ({"says": sentence} if sentence else answer(texts[-1])).items()
        message: dict[str, Any] = {"role": "assistant", "content": sentence or json.dumps({name: value})}
        if "tools" in request:  # functions are offered: one is called
            calls = {"action": ("act", {"action": value}), "go": ("go", {"number": value}), "request": ("request", {})}
            message["tool_calls"] = [{"function": {"name": calls[name][0], "arguments": json.dumps(calls[name][1])}}]
        body = json.dumps({"model": "scripted", "choices": [{"message": message}]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None: ...


if __name__ == "__main__":
    (parser := argparse.ArgumentParser(description=__doc__)).add_argument("--port", type=int, default=8001)
    ThreadingHTTPServer(("localhost", parser.parse_args().port), Handler).serve_forever()
