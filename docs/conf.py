"""How the documentation becomes a site: `make docs`.

The source folder is the repository itself, so the pages are the same Markdown that reads well without a site, with the same
links. What a site needs beside it is made here: its list of pages, from docs/README.md, and a reference of every module,
from docstrings.
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "docs"), str(ROOT / "src")]

from docstrings import as_rst
from reference import write_reference

from vnla import __version__

project, author, copyright = "vnla", "The vnla authors", "2026, the vnla authors"
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.viewcode", "sphinx_copybutton"]
root_doc = "README"
include_patterns = [
    "*.md",
    "docs/**.md",
    "docs/api/*.rst",
    "results/README.md",
    "src/vnla/agents/pretrained/*/card.md",
    "src/vnla/language/data/README.md",
]
exclude_patterns = [".venv", "build", "dist", "web", "tests"]
suppress_warnings = ["ref.python"]  # two modules may have a class of the same name; a link then leads to the first

myst_heading_anchors = 4
highlight_language = "none"
default_role = "code"
copybutton_exclude = ".linenos, .gp"
autodoc_member_order = "bysource"
autodoc_inherit_docstrings = False  # those of others are written in another markup
autodoc_typehints_format = "short"
autodoc_default_options = {"members": True, "undoc-members": True, "show-inheritance": True}
add_module_names = False
python_use_unqualified_type_names = True
toc_object_entries_show_parents = "hide"

html_theme = "furo"
html_title = f"vnla {version}"
html_copy_source = html_show_sourcelink = False
html_static_path = ["site.css"]
html_css_files = ["site.css"]

LINK_TO_SOURCE = re.compile(r"\]\((?:\.\./)*src/(vnla(?:/\w+)*)(?:\.py)?\)")
ALT = re.compile(r"!\[([^\]]*)\]\(")
ENTRY = re.compile(r"\[[^\]]+\]\(([^)#]+\.md)\)")


def pages() -> dict[str, list[str]]:
    """Heading of docs/README.md → the pages that are listed below it, as Sphinx names them."""
    found: dict[str, list[str]] = {}
    for section in (ROOT / "docs" / "README.md").read_text(encoding="utf-8").split("\n## ")[1:]:
        heading, _, text = section.partition("\n")
        files = [(ROOT / "docs" / link).resolve().relative_to(ROOT) for link in ENTRY.findall(text)]
        found[heading] = [str(file.with_suffix("")) for file in dict.fromkeys(files)]
    return found


def contents() -> str:
    """The list of pages at the side, as Sphinx wants it written."""
    lists = []
    for heading, names in {**pages(), "Reference": ["docs/api/index", "docs/README"]}.items():
        entries = [f"/{name}" for name in names]
        lists.append("\n".join(["```{toctree}", ":hidden:", f":caption: {heading}", "", *entries, "```"]))
    return "\n\n".join(lists)


def prepare(app: Any, name: str, text: list[str]) -> None:
    """A page as Sphinx reads it: links to our modules lead to their reference, and the front page has the list.

    What a picture shows is one line, since words at the ends of lines would be run together.
    """
    text[0] = ALT.sub(lambda found: f"![{' '.join(found[1].split())}](", text[0])
    text[0] = LINK_TO_SOURCE.sub(lambda found: f"](#{found[1].replace('/', '.')})", text[0])
    if name == root_doc:
        app.env.note_dependency(str(ROOT / "docs" / "README.md"), docname=name)
        text[0] += f"\n\n{contents()}\n"


def tell(_app: Any, _what: str, _name: str, _thing: object, _options: object, lines: list[str]) -> None:
    """Docstrings are written as the pages are, and autodoc wants another markup."""
    lines[:] = as_rst(lines)


def finish(app: Any, error: Exception | None) -> None:
    """A browser that is given the folder looks for index.html."""
    if error is None:
        shutil.copyfile(Path(app.outdir) / "README.html", Path(app.outdir) / "index.html")


def setup(app: Any) -> None:
    """Sphinx calls this before it looks for pages."""
    write_reference(ROOT / "src" / "vnla", ROOT / "docs" / "api")
    app.connect("source-read", prepare)
    app.connect("autodoc-process-docstring", tell)
    app.connect("build-finished", finish)
