"""Adds the JavaScript that the page contains to a bill of materials, which tools for Python do not see: `make sbom`.

python release/page_parts.py build/sbom.json
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any
from urllib.parse import quote

LOCK = Path(__file__).parents[1] / "web" / "package-lock.json"


def inside() -> dict[str, dict[str, Any]]:
    """Name → what the lock file says of it, of all packages that are built into the page."""
    packages = json.loads(LOCK.read_text(encoding="utf-8"))["packages"]
    found = {name.removeprefix("node_modules/"): each for name, each in packages.items() if name}
    return {name: each for name, each in sorted(found.items()) if not (each.get("dev") or each.get("optional"))}


def parts() -> list[dict[str, Any]]:
    """The same as CycloneDX has it."""
    return [
        {
            "bom-ref": (purl := f"pkg:npm/{quote(name)}@{each['version']}"),
            "type": "library",
            "name": name,
            "version": each["version"],
            "purl": purl,
            "licenses": [{"license": {"id": each["license"]}}],
        }
        for name, each in inside().items()
    ]


def add(bill: dict[str, Any]) -> dict[str, Any]:
    """A bill with the page's parts in it, once."""
    known = {part["bom-ref"] for part in parts()}
    others = [each for each in bill.get("components", []) if each.get("bom-ref") not in known]
    return {**bill, "components": [*others, *parts()]}


if __name__ == "__main__":
    path = Path(sys.argv[1])
    path.write_text(json.dumps(add(json.loads(path.read_text(encoding="utf-8"))), indent=2) + "\n", encoding="utf-8")
