"""How the documentation becomes a site: `make docs`.

The source folder is the repository itself, so the pages are the same Markdown that reads well without a site, with the same
links. What a site needs beside it is made here: its list of pages, from docs/README.md, a reference of the public
names, from
docstrings, the source files that pages link to, and the texts that the search shows excerpts of.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "docs"), str(ROOT / "src")]

from docstrings import as_rst
from reference import LINK, source_file, source_page, write_reference

from vnla import __version__

project, author, copyright = "vnla", "The vnla authors", "2026, the vnla authors"
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx_copybutton"]
root_doc = "README"
include_patterns = [
    "*.md",
    "docs/**.md",
    "docs/api/*.rst",
    "results/README.md",
    "results/*/README.md",
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
html_static_path = ["site.css", "excerpts.js"]
html_css_files = ["site.css"]

ALT = re.compile(r"!\[([^\]]*)\]\(")
ENTRY = re.compile(r"\[[^\]]+\]\(([^)#]+\.md)\)")
ITEM = re.compile(r"\n(?= *- )")
ARTICLE = re.compile(r'<article role="main"[^>]*>.*?</article>', re.DOTALL)
EXCERPTS = "_static/pages.js"
MORE = {"Internals": ["docs/api/index", "docs/README"]}
"""Heading → pages that are below it on the site and are not in the list: the reference, and the list itself."""


def pages() -> dict[str, dict[str, list[str]]]:
    """Heading of docs/README.md → page → the pages that are indented below it, as Sphinx names them."""
    found: dict[str, dict[str, list[str]]] = {}
    seen: set[str] = set()
    for section in (ROOT / "docs" / "README.md").read_text(encoding="utf-8").split("\n## ")[1:]:
        heading, _, text = section.partition("\n")
        below = found.setdefault(heading, {})
        for entry in ITEM.split(text):  # a link may go on in the next line
            names = [named(link) for link in ENTRY.findall(entry)]
            for name in (name for name in names if name not in seen):
                seen.add(name)
                if entry.startswith("  - "):
                    below[[*below][-1]].append(name)
                else:
                    below[name] = []
        below.update({name: [] for name in MORE.get(heading, [])})
    return found


def named(link: str) -> str:
    """A page that docs/README.md links to, as Sphinx names it."""
    return str((ROOT / "docs" / link).resolve().relative_to(ROOT).with_suffix(""))


def toctree(names: list[str], *options: str) -> str:
    """A list of pages that shows at the side alone, as Sphinx wants it written."""
    return "\n".join(["```{toctree}", ":hidden:", *options, "", *(f"/{name}" for name in names), "```"])


def contents(name: str) -> str:
    """What a page adds to the list at the side: the front page the headings, any other one the pages below it."""
    if name == root_doc:
        return "\n\n".join(toctree([*names], f":caption: {heading}") for heading, names in pages().items())
    below = [inner for names in pages().values() for inner in names.get(name, [])]
    return toctree(below) if below else ""


def prepare(app: Any, name: str, text: list[str]) -> None:
    """A page as Sphinx reads it: links to our files lead to pages that show them, and lists of pages are added.

    What a picture shows is one line, since words at the ends of lines would be run together.
    """
    text[0] = ALT.sub(lambda found: f"![{' '.join(found[1].split())}](", text[0])
    text[0] = LINK.sub(to_source, text[0])
    if added := contents(name):
        app.env.note_dependency(str(ROOT / "docs" / "README.md"), docname=name)
        text[0] += f"\n\n{added}\n"


def to_source(link: re.Match[str]) -> str:
    """A link to one of our files, as one to the page that shows it."""
    file = source_file(ROOT, link[1])
    return link[0] if file is None else f"](/docs/api/{source_page(file)}.rst)"


def tell(_app: Any, _what: str, _name: str, _thing: object, _options: object, lines: list[str]) -> None:
    """Docstrings are written as the pages are, and autodoc wants another markup."""
    lines[:] = as_rst(lines)


def search_page(app: Any, name: str, _template: str, _context: object, _doctree: object) -> None:
    """The page of the search has what it shows excerpts of beside it."""
    if name == "search":
        for script in (EXCERPTS.removeprefix("_static/"), "excerpts.js"):
            app.add_js_file(script)


def finish(app: Any, error: Exception | None) -> None:
    """A browser that is given the folder looks for index.html; one that opens a file may not read others for the search."""
    if error is None:
        out = Path(app.outdir)
        shutil.copyfile(out / "README.html", out / "index.html")
        texts = {}
        for name in sorted(app.env.found_docs):
            article = ARTICLE.search((out / f"{name}.html").read_text(encoding="utf-8"))
            if article and "nosearch" not in app.env.metadata[name]:
                texts[f"{name}.html"] = article[0]
        (out / EXCERPTS).write_text(f"const PAGES = {json.dumps(texts, ensure_ascii=False)};\n", encoding="utf-8")


def setup(app: Any) -> None:
    """Sphinx calls this before it looks for pages."""
    written = [
        path for pattern in include_patterns for path in ROOT.glob(pattern.replace("**", "**/*")) if path.suffix == ".md"
    ]
    write_reference(ROOT, written, ROOT / "docs" / "api")
    app.connect("source-read", prepare)
    app.connect("autodoc-process-docstring", tell)
    app.connect("html-page-context", search_page)
    app.connect("build-finished", finish)
