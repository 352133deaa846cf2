"""The board: what strangers wrote stays text, nothing is fetched, and every figure is that of the verified entries."""

from __future__ import annotations

import base64
import csv
import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from serve.e2e.conftest import browser as browser
from tiny_benchmark import Walks, manifest_of, written
from vnla.common.errors import InputError
from vnla.evaluation.confidence import Interval
from vnla.experiments.benchmark.artefact import artefact_of_digest
from vnla.experiments.benchmark.board.listed import BOARD, NONE, OWN, ListedEntry, is_told, listed, parts
from vnla.experiments.benchmark.board.tables import board_table
from vnla.experiments.benchmark.board.walks import common_houses, shown_walk
from vnla.experiments.benchmark.board.writing import write_board
from vnla.experiments.benchmark.definition import COMMON, FRESH, SETS
from vnla.experiments.benchmark.entry import BenchmarkTrack
from vnla.experiments.benchmark.figures import FIGURES, difference, overfit
from vnla.experiments.benchmark.verification import VerifiedEntry, verify_entry

NASTY = (
    "=<script>document.title='ran'</script><img src=x onerror=\"document.title='ran'\"></style></script>&amp;'\u202e`{{7*7}}"
)
CARD = f"# {NASTY}\n\n{NASTY}\n\n[a](javascript:alert(1)) ![b](https://evil.example/x.png) <svg onload=alert(1)>\n"
VOID = {"meta", "img", "br", "input", "image", "path", "circle"}


def with_manifest(entry: VerifiedEntry, **changes: object) -> VerifiedEntry:
    """The same walks under another manifest."""
    folder = entry.entry
    manifest = replace(folder.manifest, **changes)  # type: ignore[arg-type]
    return replace(entry, entry=replace(folder, manifest=manifest, text=repr(manifest)))


def beacon_of(entry: VerifiedEntry) -> dict[str, str]:
    return {entry.entry.manifest.artefact.digest: entry.entry.manifest.beacon}


@pytest.fixture(scope="session")
def nasty(walks: Walks, houses: Path, tmp_path_factory: pytest.TempPathFactory) -> VerifiedEntry:
    """An entry with markup in every text, whose fresh houses are those of the walker and whose walks are fewer."""
    manifest = manifest_of(
        name=NASTY, authors=(NASTY,), summary=NASTY, command=NASTY, observes=(NASTY,), sensors=(NASTY,), trained=NASTY,
        made=NASTY, code={NASTY: NASTY}, answers={NASTY: 3}, errors={NASTY: {NASTY: 2}},
    )  # fmt: skip
    fewer = {name: each[:-2] for name, each in walks.items()}
    path = tmp_path_factory.mktemp("nasty") / "x <b> $(y)"
    return verify_entry(written(path, manifest, fewer, {"card.md": CARD.encode()}), houses)


class Site(NamedTuple):
    folder: Path
    entries: list[ListedEntry]

    def page(self, name: str) -> str:
        return (self.folder / name).read_text(encoding="utf-8")

    def pages(self) -> Iterator[Path]:
        return self.folder.rglob("*.html")

    def of(self, entry: VerifiedEntry) -> Path:
        [page] = [each.page for each in self.entries if each.verified is entry]
        return self.folder / "entries" / f"{page}.html"


@pytest.fixture(scope="session")
def site(verified: VerifiedEntry, nasty: VerifiedEntry, houses: Path, tmp_path_factory: pytest.TempPathFactory) -> Site:
    folder = tmp_path_factory.mktemp("board") / "site"
    assert write_board([verified, nasty], folder, houses=houses, beacons={"f" * 64: ""}) == folder / "index.html"
    return Site(folder, listed([verified, nasty], {}))


class Elements(HTMLParser):
    """Tags with their attributes, texts, and the contents of scripts; complains where tags do not match."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text, self.raw, self._open = "", dict[str, list[str]](script=[], style=[]), list[str]()
        self.feed(text)
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        where = self._open[-1] if self._open else ""
        if where in self.raw:
            self.raw[where].append(data)
        else:
            self.text += data


def checksum(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def test_pages_load_nothing_and_only_our_script_and_style_may_act(site: Site) -> None:
    assert len(list(site.pages())) == 4
    for path in site.pages():
        found = Elements(path.read_text(encoding="utf-8"))
        attributes = {name for _, each in found.tags for name in each}
        assert not [name for name in attributes if name.startswith("on") or name in ("style", "srcdoc")]
        assert not {"iframe", "object", "link", "base", "form"} & {tag for tag, _ in found.tags}
        loaded = [each[name] for tag, each in found.tags if tag != "a" for name in ("src", "href") if name in each]
        assert all(str(each).startswith("data:image/") for each in loaded)
        assert not [each for tag, each in found.tags if tag == "a" and str(each["href"]).startswith("http")]
        [policy] = [str(each["content"]) for _, each in found.tags if each.get("http-equiv") == "Content-Security-Policy"]
        assert policy.startswith("default-src 'none'; img-src data:; style-src 'sha256-")
        assert "unsafe" not in policy
        assert all(checksum(each) in policy for each in (*found.raw["script"], *found.raw["style"]))
        assert len(found.raw["style"]) == 1
        assert len(found.raw["script"]) == (path.parent.name == "entries")


def test_links_within_lead_somewhere(site: Site) -> None:
    for path in site.pages():
        for tag, each in Elements(path.read_text(encoding="utf-8")).tags:
            link = str(each.get("href", ""))
            if tag == "a" and not link.startswith(("#", "data:")):
                assert (path.parent / link).resolve().is_file(), link


def test_what_strangers_wrote_becomes_no_markup(site: Site, nasty: VerifiedEntry, verified: VerifiedEntry) -> None:
    found = Elements(site.of(nasty).read_text(encoding="utf-8"))
    honest = {tag for tag, _ in Elements(site.of(verified).read_text(encoding="utf-8")).tags}
    assert {tag for tag, _ in found.tags} <= honest | {"table", "tr", "td"}
    assert found.text.count("document.title='ran'") >= 10
    assert "{{7*7}}" in found.text
    assert "\u202e" not in site.of(nasty).read_text(encoding="utf-8") + site.page("index.html")
    assert "vnla benchmark verify 'x <b> $(y)'" in found.text


def test_a_spreadsheet_carries_out_nothing(site: Site) -> None:
    rows = list(csv.reader(site.page("board.csv").splitlines()))
    assert any(cell.startswith("'=<script>") for row in rows for cell in row)
    assert not [cell for row in rows for cell in row if cell.startswith(("=", "+", "@"))]


def test_figures_are_those_of_the_entries(site: Site, verified: VerifiedEntry, nasty: VerifiedEntry) -> None:
    data = json.loads(site.page("data.json"))
    assert data["registered"] == {"f" * 64: ""}
    [part] = data["parts"]
    found = {each["page"]: each for each in part["entries"]}[site.of(verified).stem]
    for houses in SETS:
        for name, figure in FIGURES.items():
            assert found["figures"][houses][name] == figure.of(verified, houses).as_dict() | {"unit": figure.unit}
    assert found["overfit"]["success"] == overfit(verified).as_dict()
    gains = {(each["one"], each["other"], each["houses"]): each for each in part["differences"]}
    for houses in SETS:
        gain = difference(verified, nasty, FIGURES["success"], houses)
        there, back = site.of(verified).stem, site.of(nasty).stem
        assert gains[there, back, houses]["value"] == pytest.approx(gain.value)
        assert gains[back, there, houses]["value"] == pytest.approx(-gain.value)
        assert gains[there, back, houses]["told"] is is_told(gain)


@pytest.mark.parametrize(
    ("low", "high", "told"),
    [(0.1, 2, True), (-2, -0.1, True), (-1, 2, False), (0, 2, False), (float("nan"),) * 2 + (False,)],
)
def test_a_difference_is_told_where_its_interval_lies_on_one_side(low: float, high: float, told: bool) -> None:
    assert is_told(Interval(1, low, high)) is told
    assert is_told(Interval(1, low, high).scaled(-1)) is told


def test_rows_are_ordered_and_name_whom_they_cannot_be_told_from(verified: VerifiedEntry, unasking: VerifiedEntry) -> None:
    reference = with_manifest(verified, reference=True, name="knows")
    people = with_manifest(verified, artefact=artefact_of_digest("people", "p"), name="persons")
    other = with_manifest(unasking, track=BenchmarkTrack("pictures", False, "plain"))
    found = parts(listed([reference, unasking, people, verified, other], {}))
    assert [str(part.track) for part in found] == ["text", "pictures, plain forward"]
    part = found[0]
    assert [each.verified for each in part.entries] == [verified, unasking]
    assert verified.of(FRESH, "asknav", 0.4).scores.success.mean() > unasking.of(FRESH, "asknav", 0.4).scores.success.mean()
    table = board_table(part)
    assert [len(rows) for _, rows in table.groups] == [2, 1, 1]
    assert "know what no agent can know" in table.groups[2][0]
    assert part.letters() == {each.page: letter for each, letter in zip((*part.entries, *part.people), "abc", strict=True)}
    place = table.columns.index("Cannot be told from")
    [first, _], [third], [last] = (rows for _, rows in table.groups)
    assert "c" in re.findall(r"\b[a-c]\b", first.cells[place].text)  # people with the very same walks
    assert "a" in re.findall(r"\b[a-c]\b", third.cells[place].text)
    assert (last.letter, last.cells[place].text) == ("", "–")
    alone = board_table(found[1]).groups[0][1][0]
    assert alone.cells[place].text == "nobody to compare with"


def test_a_reference_line_may_have_the_common_houses_alone(verified: VerifiedEntry, houses: Path, tmp_path: Path) -> None:
    some = {name: each for name, each in verified.conditions.items() if each.condition.houses == COMMON}
    alone = with_manifest(replace(verified, conditions=some), reference=True, sets=(COMMON,))
    [part] = parts(listed([alone], {}))
    [row] = board_table(part).groups[0][1]
    assert row.cells[0].text == "–"
    assert row.cells[1].text != "–"
    assert "common" in row.cells[3].margin
    page = write_board([alone], tmp_path / "site", houses=houses)
    assert "3 common" in page.read_text(encoding="utf-8")


def test_whose_beacon_it_is(verified: VerifiedEntry) -> None:
    drawn = with_manifest(verified, beacon="ab" * 16)
    [digest] = beacon_of(drawn)
    assert [each.beacon for each in listed([drawn], beacon_of(drawn))] == [BOARD]
    assert [each.beacon for each in listed([drawn], {digest: "cd" * 16})] == [OWN]
    assert [each.beacon for each in listed([drawn], {digest: ""})] == [OWN]
    assert [each.beacon for each in listed([drawn], {"f" * 64: "ab" * 16})] == [OWN]
    assert [each.beacon for each in listed([verified], {digest: ""})] == [NONE]


def test_the_first_common_task_is_shown_as_it_was_walked(verified: VerifiedEntry, houses: Path) -> None:
    world = common_houses(houses / "tiny-1" / "common" / "world")
    [walk] = [shown_walk(each, world) for each in listed([verified], {})]
    done = verified.of(COMMON, "asknav", 0.4)
    ids = [task.id for task in done.tasks.tasks]
    assert walk.task == min(ids)
    row = ids.index(min(ids))
    assert len(walk.steps) == int(done.trace.length[row]) + 1
    asked = [step.said is not None for step in walk.steps[:-1]]
    assert asked == done.trace.request[row, : len(asked)].tolist()
    assert all(step.said for step in walk.steps if step.said is not None)
    assert walk.success is bool(done.scores.success[row])
    assert walk.steps[-1].metres == pytest.approx(float(done.scores.nav_error[row]), abs=1e-4)
    assert all(0 < step.x < walk.width and 0 < step.y < walk.height for step in walk.steps)
    moved = [now.action for now, after in pairwise(walk.steps) if (now.x, now.y) != (after.x, after.y)]
    assert moved and set(moved) == {"go forward"}


def test_an_earlier_board_is_replaced_and_nothing_else_is(verified: VerifiedEntry, houses: Path, tmp_path: Path) -> None:
    foreign = tmp_path / "mine"
    foreign.mkdir()
    (foreign / "thesis.txt").write_text("years of work", encoding="utf-8")
    with pytest.raises(InputError, match="no board"):
        write_board([], foreign, houses=houses)
    out = tmp_path / "site"
    write_board([verified], out, houses=houses)
    assert len(list((out / "entries").iterdir())) == 1
    assert "no entries yet" in write_board([], out, houses=houses).read_text(encoding="utf-8")
    assert list((out / "entries").iterdir()) == []
    with pytest.raises(InputError, match="twice"):
        write_board([verified, verified], out, houses=houses)


def opened(browser: Browser, path: Path, width: int = 390, **options: bool) -> tuple[Page, list[str]]:
    """A page from the disk, and all that went wrong or was asked for."""
    context = browser.new_context(viewport={"width": width, "height": 844}, **options)
    page, troubles = context.new_page(), list[str]()
    page.on("console", lambda message: troubles.append(message.text))
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("dialog", lambda dialog: troubles.append(dialog.message))
    page.on("request", lambda request: None if request.url == path.as_uri() else troubles.append(request.url[:60]))
    page.goto(path.as_uri())
    return page, [each for each in troubles if not each.startswith("data:")]


def test_no_script_of_a_stranger_runs(browser: Browser, site: Site, nasty: VerifiedEntry) -> None:
    for path in (site.of(nasty), site.folder / "index.html"):
        page, troubles = opened(browser, path)
        assert page.title() != "ran"
        assert troubles == []
        page.evaluate("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"document.title = 1\">')")
        page.wait_for_timeout(50)
        assert page.title() != "1"  # whatever escaping might miss
        page.context.close()


def test_a_walk_can_be_watched_with_keys(browser: Browser, site: Site, verified: VerifiedEntry) -> None:
    page, troubles = opened(browser, site.of(verified))
    now, here = page.locator("[data-now]"), page.locator("[data-here]")
    begun, there = now.inner_text(), here.get_attribute("transform")
    assert begun.startswith("Start: ")
    page.locator("[data-slider]").focus()
    page.keyboard.press("ArrowRight")
    assert now.inner_text().startswith("After 1: ")
    page.keyboard.press("End")
    assert now.inner_text().endswith("The end.")
    assert here.get_attribute("transform") != there
    assert page.locator("[aria-current=step]").count() == 1
    page.get_by_role("button", name="Back").click()
    assert not now.inner_text().endswith("The end.")
    page.keyboard.press("Home")
    assert troubles == []
    page.context.close()


def test_without_script_every_step_is_listed(browser: Browser, site: Site, verified: VerifiedEntry) -> None:
    page, _ = opened(browser, site.of(verified), java_script_enabled=False)
    assert page.locator("[data-step]").first.is_visible()
    assert page.locator("[data-step]").last.is_visible()
    assert not page.locator("[data-controls]").is_visible()
    page.context.close()


@pytest.mark.parametrize("name", ["index", "how", "entry"])
def test_it_fits_a_phone_and_axe_finds_nothing(browser: Browser, site: Site, nasty: VerifiedEntry, name: str) -> None:
    page, _ = opened(browser, site.of(nasty) if name == "entry" else site.folder / f"{name}.html")
    for width, scheme in ((390, "light"), (1280, "dark")):
        page.set_viewport_size({"width": width, "height": 844})
        page.emulate_media(color_scheme=scheme)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        found = Axe().run(page).response["violations"]
        assert not found, [(each["id"], scheme, [node["html"] for node in each["nodes"]]) for each in found]
    page.context.close()
