"""Pages that only the site has: the reference of the public names, and the source files that pages link to."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import vnla
from vnla.api import options
from vnla.common.files import write_text

TITLE = re.compile(r"^(?:## |)(?P<title>[A-Z].*)$|^\| `(?P<name>\w+)` \| .+ \|$", re.MULTILINE)
LINK = re.compile(r"\]\((?:\.\./)*((?:src/vnla|examples|benchmarks|tests)(?:/\w+)*(?:\.py)?)\)")
"""A link of a page to one of our files in Python, or to a folder of them."""


def public_names(page: str) -> dict[str, list[str]]:
    """Title → the names below it, from the tables of docs/python.md, so that page and reference have one order."""
    found: dict[str, list[str]] = {}
    title = ""
    for line in TITLE.finditer(page.partition("\n## Names\n")[2]):
        if line["title"]:
            title = line["title"].partition(",")[0].rstrip(":.")
        elif inspect.ismodule(getattr(vnla, line["name"])) or line["name"].startswith("_"):
            continue  # their pages say what is in them
        else:
            found.setdefault(title or "Worlds, training, evaluation, scores", []).append(line["name"])
    return found


def reference(page: str) -> str:
    """The reference of every public name, by docstrings."""
    lines = [*headed("Reference of the public names", "="), "`import vnla` gives them. All else is internal.", ""]
    for title, names in public_names(page).items():
        lines += headed(title, "-")
        for name in names:
            lines += [f".. auto{'class' if inspect.isclass(getattr(vnla, name)) else 'function'}:: vnla.{name}", ""]
    lines += [*headed("Options of the functions", "-"), "Their meaning is that of the commands' options.", ""]
    lines += [f".. autoclass:: vnla.api.options.{name}\n" for name in vars(options) if name.endswith("Options")]
    return "\n".join(lines)


def headed(title: str, underline: str) -> list[str]:
    """A heading."""
    return [title, underline * len(title), ""]


def linked(pages: Iterable[Path], root: Path) -> Iterator[str]:
    """Our files that pages link to."""
    for page in pages:
        for target in LINK.findall(page.read_text(encoding="utf-8")):
            if (file := source_file(root, target)) is not None:
                yield file


def source_file(root: Path, target: str) -> str | None:
    """The file that a link leads to; of a package that is its `__init__.py`."""
    file = target if target.endswith(".py") else f"{target}/__init__.py"
    return file if (root / file).is_file() else None


def source_page(file: str) -> str:
    """Name of the page that shows a file, below the folder of the reference."""
    return file.removesuffix(".py").replace("/", ".")


def write_reference(root: Path, pages: Iterable[Path], out: Path) -> None:
    """Write the reference, and a page for each file that pages link to; pages that are of no use any more are removed."""
    written = {"index": reference((root / "docs" / "python.md").read_text(encoding="utf-8"))}
    for file in sorted(set(linked(pages, root))):
        shown = [
            ":orphan:",
            ":nosearch:",
            "",
            *headed(file, "="),
            f".. literalinclude:: /{file}",
            "   :language: python",
            "",
        ]
        written[source_page(file)] = "\n".join(shown)
    out.mkdir(exist_ok=True)
    for path in out.glob("*.rst"):
        if path.stem not in written:
            path.unlink()
    for name, text in written.items():
        path = out / f"{name}.rst"
        if not path.is_file() or path.read_text(encoding="utf-8") != text:  # Sphinx reads again what is newer
            write_text(path, text)
