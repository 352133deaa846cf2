"""What a chat model replies, and how it is asked to: by a call of a function, as an object of a JSON Schema, or in text.

A reply is untrusted text: it is parsed as JSON and looked at field by field. Whatever a server says as a chat completion
is an answer of the model, also a refusal, an empty list of choices or no text at all; those are wrong answers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from vnla.common.outside import is_whole, unique_names
from vnla.remote.evaluated_agent import ACTIONS, Answer, Fault
from vnla.remote.protocol import parsed, read_answer

PATH = "/chat/completions"
AUTO, TOOLS, JSON_SCHEMA, WRITTEN = "auto", "tools", "json-schema", "text"
REPLIES = {
    AUTO: "the first of tools, json-schema and text that the server has",
    TOOLS: "a call of one of the functions act, go and request",
    JSON_SCHEMA: "an object with one action of a list, by response_format",
    WRITTEN: "a JSON object somewhere in the text",
}
"""How a model may be asked to reply."""
RESERVED = frozenset({"model", "messages", "stream"})
"""Fields of a request that nobody gives as options."""
FORMS = frozenset({"tools", "tool_choice", "response_format"})
"""Fields with which a request says of what form its reply is to be; whoever gives one as an option has text read."""
_LONGEST = 1 << 16
_OBJECTS = 50
_THINKING = re.compile(r"<(/?)think(?:ing)?>", re.IGNORECASE)
_GOES = re.compile(r"go[ _:]*([0-9]{1,9})", re.IGNORECASE)


@dataclass(frozen=True)
class GoTo:
    """A model's answer that it walks to a candidate, which takes several actions."""

    number: int
    """Of the candidate, from 1."""


Choice = Answer | GoTo | Fault


def format_of(kind: str, candidates: int) -> dict[str, Any]:
    """What a request says of the form of its reply, where there are so many candidates to go to."""
    if kind == TOOLS:
        return {"tools": _functions(candidates), "tool_choice": "required"}
    if kind == JSON_SCHEMA:
        choices = [*ACTIONS, "request", *(f"go {number}" for number in range(1, candidates + 1))]
        schema = {
            "type": "object",
            "properties": {"action": {"type": "string", "enum": choices}},
            "required": ["action"],
            "additionalProperties": False,
        }
        return {
            "response_format": {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": schema}}
        }
    return {}


def note_on(kind: str, candidates: int) -> str:
    """What is said after a prompt, which speaks of JSON objects; nothing where it is to be as it says."""
    if kind == TOOLS:
        go = "go with its number, " if candidates else ""
        return f"Do not write the JSON object: call one function in its place, act with the action, {go}or request."
    if kind == JSON_SCHEMA:
        go = ' and {"action": "go 3"} to go to candidate 3' if candidates else ""
        return f'The object has the one field "action": write {{"action": "request"}} to ask{go}.'
    return ""


def _functions(candidates: int) -> list[dict[str, Any]]:
    action = {"type": "string", "enum": [*ACTIONS]}
    number = {"type": "integer", "minimum": 1, "maximum": max(candidates, 1)}
    found = [_function("act", "Do one of the six actions.", {"action": action})]
    if candidates:
        found.append(_function("go", "Walk to a candidate.", {"number": number}))
    return [*found, _function("request", "Ask the advisor, who says what to do next.", {})]


def _function(name: str, description: str, values: Mapping[str, Any]) -> dict[str, Any]:
    parameters = {"type": "object", "properties": dict(values), "required": [*values], "additionalProperties": False}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


def is_completion(reply: str) -> bool:
    """Whether a server's reply is a chat completion, whatever the model says in it."""
    try:
        return isinstance(parsed(reply)["choices"], list)
    except (ValueError, LookupError, TypeError):
        return False


def keeps_to(kind: str, reply: str) -> bool:
    """Whether a reply is of the form that was asked for: the server has it."""
    message = _message(reply)
    if kind == TOOLS:
        return _called(message) is not None
    if kind == JSON_SCHEMA:
        try:
            return isinstance(message.get("refusal"), str) or isinstance(parsed(said(reply) or ""), dict)
        except ValueError:
            return False
    return True


def read_completion(reply: str, candidates: int = 0) -> Choice:
    """What a chat completion answers: its first call of a function, else what it says."""
    called = _called(_message(reply))
    if called is not None:
        return _read_call(*called, candidates)
    words = said(reply)
    return Fault.MALFORMED if words is None else read_reply(words, candidates)


def said(reply: str) -> str | None:
    """The words of a chat completion, after its reasoning; None if it has none, or none but reasoning without an end."""
    content = _message(reply).get("content")
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text"]
        texts = [part for part in parts if isinstance(part, str)]
        content = "".join(texts) if parts and len(texts) == len(parts) else None
    return _after_thinking(content) if isinstance(content, str) else None


def _after_thinking(text: str) -> str | None:
    """What stands after the last `</think>`; None where a `<think>` has no end."""
    marks = list(_THINKING.finditer(text))
    if not marks:
        return text[:_LONGEST]
    return text[marks[-1].end() :][:_LONGEST] if marks[-1][1] else None


def _message(reply: str) -> dict[str, Any]:
    """The message of a completion; empty if there is none."""
    try:
        message = parsed(reply)["choices"][0]["message"]
    except (ValueError, LookupError, TypeError):
        return {}
    return message if isinstance(message, dict) else {}


def _called(message: Mapping[str, Any]) -> tuple[Any, Any] | None:
    """The name and the arguments of the first function that is called."""
    calls = message.get("tool_calls")
    if not isinstance(calls, list) or not calls:
        return None
    function = calls[0].get("function") if isinstance(calls[0], dict) else None
    return (function.get("name"), function.get("arguments")) if isinstance(function, dict) else (None, None)


def _read_call(name: Any, arguments: Any, candidates: int) -> Choice:
    if not isinstance(name, str):
        return Fault.MALFORMED
    if name not in ("act", "go", "request"):
        return Fault.UNKNOWN_ACTION
    try:
        given = parsed(arguments) if isinstance(arguments, str) and arguments.strip() else arguments or {}
    except ValueError:
        return Fault.MALFORMED
    if not isinstance(given, dict):
        return Fault.MALFORMED
    if name == "go":
        return _candidate(given.get("number"), candidates)
    return Answer(None) if name == "request" else read_answer(_tidy({"action": given.get("action")}))


def read_reply(text: str, candidates: int = 0) -> Choice:
    """The first JSON object with an answer in what a model said; it may say something around it. It may go to one of so many
    candidates."""
    names = {"action", "request", "go"} if candidates else {"action", "request"}
    decoder, place = json.JSONDecoder(object_pairs_hook=unique_names), 0
    for _ in range(_OBJECTS):
        place = text.find("{", place)
        if place < 0:
            break
        try:
            value, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            place += 1
            continue
        if isinstance(value, dict) and names & set(value):
            return _read_object(value, candidates)
        place = end
    return Fault.MALFORMED


def _read_object(value: dict[str, Any], candidates: int) -> Choice:
    """Candidates are named by `go`, or by the action "go 3"."""
    number, action = value.get("go"), value.get("action")
    named = _GOES.fullmatch(action.strip()) if candidates and isinstance(action, str) else None
    if named is not None and number is None:
        number, value = int(named[1]), {**value, "action": None}
    if candidates and number is not None:
        alone = value.get("action") is None and value.get("request") in (None, False)
        return _candidate(number, candidates) if alone else Fault.MALFORMED
    return read_answer(_tidy(value))


def _candidate(number: Any, candidates: int) -> Choice:
    if isinstance(number, str) and re.fullmatch(r"\d{1,9}", number.strip(), re.ASCII):
        number = int(number)
    if not is_whole(number):
        return Fault.MALFORMED
    return GoTo(number) if 1 <= number <= candidates else Fault.UNKNOWN_ACTION


def _tidy(value: dict[str, Any]) -> dict[str, Any]:
    """Models write an action in capitals, or as "request"; nothing else is forgiven."""
    action = value.get("action")
    action = action.strip().lower() if isinstance(action, str) else action
    return {"request": True} if action == "request" else {"action": action, "request": value.get("request")}
