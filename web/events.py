"""The types of `vnla.serve.events` for the page, written to web/src/events.ts: python web/events.py"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from vnla.common.files import write_text
from vnla.serve.events import EVENT

FILE = Path(__file__).parent / "src" / "events.ts"

PLAIN = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}

HEAD = """/** What the server tells. Made by `web/events.py` from `vnla.serve.events`; do not change it by hand. */
"""
TAIL = """
export type Mode = Begun["mode"];
export type Action = Acted["action"];

/** Where a part of a text begins and ends, and whether it was understood. */
export type Part = Advised["parts"][number];
"""


def typescript() -> str:
    """The file."""
    schema = EVENT.json_schema(mode="serialization")
    kinds = [_type(each) for each in schema["oneOf"]]
    interfaces = [_interface(name, each) for name, each in schema["$defs"].items()]
    return "\n".join([HEAD, *interfaces, f"export type Event = {' | '.join(kinds)};", TAIL.rstrip(), ""])


def _interface(name: str, schema: dict[str, Any]) -> str:
    fields = [f"  {field}: {_type(each)};" for field, each in schema["properties"].items()]
    told = schema.get("description", "").splitlines()[0]
    return "\n".join([f"/** {told} */", f"export interface {_name(name)} {{", *fields, "}", ""])


def _name(python: str) -> str:
    """Return the page's name of a class: an event goes without its suffix."""
    return python.removesuffix("Event")


def _type(schema: dict[str, Any]) -> str:
    """One type, as TypeScript writes it."""
    match schema:
        case {"$ref": name}:
            return _name(str(name).rsplit("/", 1)[-1])
        case {"const": value}:
            return f'"{value}"'
        case {"enum": values}:
            return " | ".join(f'"{value}"' for value in values)
        case {"anyOf": options}:
            return " | ".join(map(_type, options))
        case {"prefixItems": parts}:
            return f"[{', '.join(map(_type, parts))}]"
        case {"items": part}:
            inner = _type(part)
            return f"({inner})[]" if "|" in inner else f"{inner}[]"
    return PLAIN[schema["type"]]


if __name__ == "__main__":
    write_text(FILE, typescript())
