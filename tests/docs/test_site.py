"""What the site is made of: written pages are up to date, every page is listed, docstrings become what they mean."""

from __future__ import annotations

import json
import re
import runpy
import subprocess
import sys
import textwrap
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml

import vnla
from pages import PAGES, ROOT

DOCS = ROOT / "docs"
LIST = DOCS / "README.md"
BLOCK = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)")
TRIED = {"python", "sh", "json", "toml", "yaml"}
"""Languages whose blocks are run, or at least read by what would run them."""
SHOWN = {"", "text", "bibtex"}


def blocks(page: Path) -> list[tuple[str, str]]:
    """Language and text of a page's blocks."""
    return [(name, textwrap.dedent(text)) for _, name, text in BLOCK.findall(page.read_text(encoding="utf-8"))]


def test_the_page_of_commands_is_what_they_say() -> None:
    written = (DOCS / "commands.md").read_text(encoding="utf-8")
    assert written == runpy.run_path(str(DOCS / "commands.py"))["commands"](), "run python docs/commands.py"


def test_python_functions_have_the_options_of_commands() -> None:
    """So editors and type checkers know each of them, and `vnla.api.options` is not written by hand."""
    script = runpy.run_path(str(DOCS / "commands.py"))
    assert script["KEYWORDS"].read_text(encoding="utf-8") == script["keywords"](), "run python docs/commands.py"


def test_every_page_is_listed() -> None:
    listed = {(DOCS / link).resolve() for link in LINK.findall(LIST.read_text(encoding="utf-8"))}
    assert [str(page.relative_to(ROOT)) for page in PAGES if page != LIST and page not in listed] == []


def test_the_site_has_every_page_in_its_list() -> None:
    """Also where a link goes on in the next line: a page that is in no list makes `make docs` fail."""
    conf = runpy.run_path(str(DOCS / "conf.py"))
    listed = {name for below in conf["pages"]().values() for page, inner in below.items() for name in (page, *inner)}
    pages = {str(page.relative_to(ROOT).with_suffix("")) for page in PAGES} - {"README"}
    assert {*pages, "src/vnla/language/data/README"} - listed == set()


def headings(page: Path) -> set[str]:
    """Names by which links lead to the headings of a page."""
    lines = re.findall(r"^#+ (.+)$", BLOCK.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", line.lower()).replace(" ", "-") for line in lines}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_to_headings_lead_to_one(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#\s]*)#([^)\s]+)\)", BLOCK.sub("", page.read_text(encoding="utf-8")))
    assert [
        (file, name) for file, name in links if name not in headings((page.parent / file).resolve() if file else page)
    ] == []


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page)], ids=lambda page: str(page.relative_to(ROOT)))
def test_blocks_are_of_languages_that_are_tried(page: Path) -> None:
    found = blocks(page)
    assert {language for language, _ in found} <= TRIED | SHOWN
    for language, text in found:
        if language == "json":
            json.loads(text)
        if language == "toml":
            tomllib.loads(text)
        if language == "yaml":
            assert list(yaml.safe_load_all(text))
    shell = "\n".join(text for language, text in found if language == "sh")
    done = subprocess.run(["sh", "-n"], input=shell, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert {extra for group in re.findall(r"(?:vnla|\.)\[([a-z\d,]+)\]", shell) for extra in group.split(",")} <= set(extras)
    assert all(find_spec(module) for module in re.findall(r"python -m ([\w.]+)", shell))


def as_rst(text: str) -> str:
    return "\n".join(runpy.run_path(str(DOCS / "docstrings.py"))["as_rst"](text.split("\n"))).strip()


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("See `a_b`.", "See \\ ``a_b``\\ ."),
        ("A *word* and 2*3*4 | 5.", "A *word* and 2\\*3\\*4 \\| 5."),
        ("It takes name_ and _name.", "It takes name\\_ and _name."),
        ("Try:\n\n    vnla `x`\n\nEnd.", "Try:\n\n::\n\n    vnla `x`\n\nEnd."),
        ("It is::\n\n    |  |\n    -  -", "It is:\n\n::\n\n    |  |\n    -  -"),
        ("::\n\n    |", "::\n\n    |"),
        ("One of\n- a, which\n  goes on\n- b", "One of\n\n- a, which\n  goes on\n- b"),
        ("First\n    hangs below it.", "First\nhangs below it."),
    ],
)
def test_docstrings_in_the_markup_of_sphinx(written: str, meant: str) -> None:
    assert as_rst(written) == meant


def test_the_reference_has_every_public_name_and_every_file_that_a_page_links_to(tmp_path: Path) -> None:
    script = runpy.run_path(str(DOCS / "reference.py"))
    page = DOCS / "python.md"
    out = tmp_path / "api"
    out.mkdir()
    (out / "src.vnla.gone.rst").write_text("")
    script["write_reference"](ROOT, [DOCS / "architecture.md"], out)
    text = (out / "index.rst").read_text(encoding="utf-8")
    told = set(re.findall(r"auto(?:class|function):: vnla\.(\w+)$", text, re.MULTILINE))
    assert told == {*vnla.__all__} - {"__version__", "gym", "mattersim"}
    assert "vnla.api.options.TrainOptions" in text and page.is_file()
    assert {path.stem for path in out.iterdir()} == {"index", "src.vnla.bcui", "tests.test_structure"}
    before = (out / "index.rst").stat().st_mtime_ns
    script["write_reference"](ROOT, [DOCS / "architecture.md"], out)
    assert (out / "index.rst").stat().st_mtime_ns == before


def test_the_list_at_the_side_nests_what_is_indented() -> None:
    sys.path.insert(0, str(DOCS))  # as Sphinx does
    try:
        listed = runpy.run_path(str(DOCS / "conf.py"))["pages"]()
    finally:
        sys.path.remove(str(DOCS))
    paths = ["Try", "Understand the task", "Reproduce the paper", "Train your own", "Evaluate a model (LLM)"]
    assert [*listed] == [*paths, "Run a user study", "Benchmark", "Internals"]
    assert "docs/extending/sensor" in listed["Train your own"]["docs/extending"]
    assert "docs/asking" in listed["Train your own"]["docs/research"]
    flat = [name for names in listed.values() for name, below in names.items() for name in (name, *below)]
    assert len(flat) == len(set(flat)), "a page stands twice in the list"
