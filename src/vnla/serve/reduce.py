"""The state of a page from the events of its session. `web/src/reduce.ts` is the same function.

Of the present episode a state has one entry a step, with all events of that step. Whatever is in it was in an event, so a
snapshot tells nothing that the events did not.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

State = dict[str, Any]
"""As JSON has it: a snapshot."""

NOTHING: State = {"number": 0, "begun": None, "steps": [], "waits": None, "ended": None, "said": None}
"""Before the first event."""


def reduced(events: Iterable[dict[str, Any]], state: State = NOTHING) -> State:
    """Return the state after some more events, given as JSON has them. One that was seen before changes nothing."""
    for event in events:
        if event["number"] > state["number"]:
            state = {**state, **_change(state, event), "number": event["number"]}
    return state


def _change(state: State, event: dict[str, Any]) -> State:
    fields = {name: value for name, value in event.items() if name not in ("number", "kind")}
    match event["kind"]:
        case "begun":
            return {**NOTHING, "begun": fields}
        case "stood":
            step = {**fields, "thought": None, "asked": None, "advised": None, "acted": None}
            before = [each for each in state["steps"] if each["step"] < fields["step"]]
            return {"steps": [*before, step], "waits": None, "ended": None, "said": None}
        case "thought":
            return {"steps": _with_last(state, thought=fields)}
        case "asked":
            return {"steps": _with_last(state, asked=fields["by"])}
        case "advised" | "acted" as kind:
            return {"steps": _with_last(state, **{kind: fields}), "waits": None}
        case "waits":
            return {"waits": fields}
        case "ended":
            return {"ended": fields, "waits": None}
        case "said":
            return {"said": fields["text"]}
    return {}


def _with_last(state: State, **change: Any) -> list[State]:
    steps: list[State] = state["steps"]
    return [*steps[:-1], {**steps[-1], **change}] if steps else steps
