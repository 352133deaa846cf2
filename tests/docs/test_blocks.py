"""What the pages show works: blocks of Python run, page by page, and every `vnla …` is a command with such options."""

from __future__ import annotations

import re
import runpy
import shlex
import shutil
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vnla.mattersim
from cottage_run import write_cottage
from pages import PAGES, ROOT
from vnla import cli
from vnla.camera import VIEWS
from vnla.houses.folder import read_world
from vnla.vision.encoders.base import Size
from vnla.vision.store import Header, StoreWriter, store_path, viewpoints_of, world_checksum
from vnla.world.compiled import World

BLOCK = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.DOTALL | re.MULTILINE)
INLINE = re.compile(r"(?<!`)`(vnla [^`]+)`(?!`)")
COMMENT = re.compile(r"\s+#.*| {2,}.*")
PLACEHOLDERS = {"…", "...", "COMMAND"}
VNLA = cli.command()


def blocks(page: Path, language: str) -> list[str]:
    return [textwrap.dedent(text) for _, name, text in BLOCK.findall(page.read_text(encoding="utf-8")) if name == language]


def named(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder where `worlds/small`, with features, and `tasks/small` are those of the cottage."""
    folder = tmp_path_factory.mktemp("pages")
    (folder / "made").mkdir()
    for part, written in zip(("worlds", "tasks"), write_cottage(folder / "made"), strict=True):
        (folder / part).mkdir()
        written.rename(folder / part / "small")
    world = read_world(folder / "worlds" / "small")
    places = viewpoints_of(World.compile(world.houses))
    header = Header("efficientnet-lite0", "", 1280, Size(224, 168), 60.0, world_checksum(world), places)
    with StoreWriter(store_path(world.path, header.encoder), header) as store:
        store.write(0, np.zeros((len(places), VIEWS, header.dimension), np.float32))
        store.finish()
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """In a copy of it, whatever a page does there, to `sys.path` and to the simulator."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield
    sys.modules.pop("MatterSim", None)
    vnla.mattersim.set_renderer(None)


EXTENSIONS = {
    "agent": "simple_agent.py",
    "one-at-a-time": "one_at_a_time.py",
    "advisor": "advisor.py",
    "help-policy": "help_policy.py",
    "sensor": "sensor.py",
    "objective": "objective.py",
    "metric": "metric.py",
    "encoder": "encoder.py",
    "pictures": "pictures.py",
    "world": "world_source.py",
}
"""Page of a kind of extension → the example that it begins with."""


def test_every_kind_of_extension_has_a_page_that_begins_with_the_whole_example() -> None:
    pages = {page.stem: page for page in (ROOT / "docs" / "extending").glob("*.md")}
    assert set(pages) == {*EXTENSIONS, "packages"}
    for name, example in EXTENSIONS.items():
        begins = re.match(r"# .+\n\n```python\n(.*?)```\n", pages[name].read_text(encoding="utf-8"), re.DOTALL)
        shown = begins and begins[1]
        assert shown == (ROOT / "examples" / example).read_text(encoding="utf-8"), f"{name}: copy examples/{example} to it"
    assert re.match(r"# .+\n\n```toml\n", pages["packages"].read_text(encoding="utf-8"))


def test_worlds_of_ones_own_begin_with_the_whole_example() -> None:
    section = (ROOT / "docs" / "worlds.md").read_text(encoding="utf-8").partition("## Worlds of your own\n\n")[2]
    assert section.startswith(f"```json\n{(ROOT / 'examples' / 'world.json').read_text(encoding='utf-8')}```\n")


RUN = [page for page in PAGES if blocks(page, "python") and page.stem not in {*EXTENSIONS, "python"}]
"""The examples themselves are tried elsewhere, and so is the one that begins with nothing (`tests/test_api.py`)."""


@pytest.mark.parametrize("page", RUN, ids=named)
@pytest.mark.usefixtures("folder")
def test_python_runs(page: Path) -> None:
    names: dict[str, Any] = {"__name__": "page"}
    for block in blocks(page, "python"):
        exec(compile(block, named(page), "exec"), names)


def command_lines(page: Path) -> Iterator[str]:
    """Lines of blocks that begin with `vnla`, without what is said about them."""
    for language in ("sh", ""):
        for block in blocks(page, language):
            for line in re.sub(r" *\\\n *", " ", block).splitlines():
                if line.startswith("vnla "):
                    yield COMMENT.sub("", line)


def find(words: list[str]) -> tuple[Any, list[str]]:
    """The command that words name, and the words that are left."""
    command: Any = VNLA
    words = words[1:]
    while words and words[0] in getattr(command, "commands", {}):
        command, words = command.commands[words[0]], words[1:]
    if words and hasattr(command, "default"):  # one of its commands need not be named
        command = command.commands[command.default]
    return command, words


def options_of(command: Any) -> set[str]:
    return {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}


@pytest.mark.parametrize("page", [page for page in PAGES if any(command_lines(page))], ids=named)
def test_command_lines_are_understood(page: Path, made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(made)
    for line in command_lines(page):
        command, words = find(shlex.split(line))
        if command is VNLA and words and {*words} <= options_of(VNLA):  # of the program itself, which would act at once
            continue
        assert not hasattr(command, "commands"), f"{line}: no such command"
        command.make_context(line, words)  # Typer's own complaint names what is wrong


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_commands_in_sentences_exist(page: Path) -> None:
    for line in INLINE.findall(BLOCK.sub("", page.read_text(encoding="utf-8"))):
        command, words = find(shlex.split(line))
        options = {*options_of(command), "--help"}
        unknown = [word for word in words if word.startswith("--") and word.partition("=")[0] not in options]
        assert not unknown, line
        if hasattr(command, "commands"):  # a group alone, all of its verbs at once, or a placeholder
            verbs = re.split(r"[|/]", words[0]) if words else []
            assert all(verb in command.commands or verb in PLACEHOLDERS or verb.startswith("--") for verb in verbs), line


def test_the_walk_on_the_front_page_asks_five_times() -> None:
    walk = runpy.run_path(str(ROOT / "benchmarks" / "experiments" / "pictures.py"))["walk"]()
    assert walk[-1].action == "stop"
    assert sum(step.said is not None for step in walk) == 5


def test_targets_of_make_exist() -> None:
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    texts = [page.read_text(encoding="utf-8") for page in PAGES]
    shown = {target for text in texts for target in re.findall(r"(?:^|`)make ([\w-]+)", text, re.MULTILINE)}
    assert shown <= targets
    assert {"demo", "test"} <= shown
