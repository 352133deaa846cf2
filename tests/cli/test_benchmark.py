"""`vnla benchmark`, from houses to an entry that is checked: what a person types, and what goes wrong."""

from __future__ import annotations

import gzip
import importlib
import json
import shutil
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from command import Vnla
from cottage_run import write_cottage
from fake_servers import Say, agent, serving
from tiny_benchmark import copied_houses
from vnla.cli import main
from vnla.cli.guests import AskedOptions, guest_in
from vnla.experiments.benchmark.artefact import artefact_of_digest, artefact_of_policy
from vnla.experiments.benchmark.definition import read_definition
from vnla.experiments.benchmark.entry import MANIFEST
from vnla.experiments.benchmark.houses import draw_seed
from vnla.houses.folder import read_world
from vnla.remote.chat import Chat
from vnla.remote.evaluated_agent import LocalPolicy

TINY = read_definition().preset("tiny")
POLICY = '''
class Rover:
    """Asks as soon as it may; walks on where it can, else turns; and stops soon."""

    observes = ("sensor:clock",)
    name = "rover"

    def __init__(self, most=10**9, turn="right"):
        self.most, self.turn, self.turns = most, turn, 0

    def reset(self, instruction):
        return 0

    def act(self, observation, state):
        self.turns += 1
        if self.turns > self.most:
            raise RuntimeError("the battery is empty")
        if observation["time_left"] == 1 or state == 4:
            return ("stop", False), state
        return ("forward" if observation["may_go_forward"] and state % 3 else self.turn, state == 0), state + 1
'''


@pytest.fixture(scope="module")
def houses(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copied_houses(tmp_path_factory)


@pytest.fixture
def rover(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "rovers.py").write_text(POLICY)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "rovers", raising=False)
    return "rovers:Rover"


class Entered(NamedTuple):
    """An entry of the rover that was signed."""

    path: Path
    card: Path
    key: Path


@pytest.fixture(scope="module")
def signed(houses: Path, tmp_path_factory: pytest.TempPathFactory) -> Entered:
    folder = tmp_path_factory.mktemp("signed")
    made = Entered(folder / "entries" / "rover", folder / "card.md", folder / "key.pem")
    made.card.write_text("# Rover\n\nIt roves.\n")
    (folder / "rovers.py").write_text(POLICY)
    told = ("--name", "Rover", "--author", "A. B.", "--summary", "It roves.", "--trained", "not at all", "--card", made.card)
    words = ("run", "rovers:Rover", made.path, "--preset", "tiny", "--houses", houses, *told)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        patch.delitem(sys.modules, "rovers", raising=False)
        for each in (("key", made.key), (*words, "--beacon", "drawn", "--key", made.key)):
            with pytest.raises(SystemExit) as left:
                main(["benchmark", *map(str, each)])
            assert left.value.code == 0, each
    return made


def entered(vnla: Vnla, rover: str, out: Path, houses: Path, *more: Any) -> Any:
    return vnla("benchmark", "run", rover, out, "--preset", "tiny", "--houses", houses, *more)


def manifest_of(entry: Path) -> Any:
    return json.loads((entry / MANIFEST).read_text())


def test_the_houses_are_those_that_were_published(vnla: Vnla, houses: Path, tmp_path: Path) -> None:
    answer = vnla("benchmark", "make", "--preset", "tiny", "--houses", houses, "--json", tmp_path / "sums.json")
    assert answer.status == 0, answer.err
    assert json.loads((tmp_path / "sums.json").read_text())["sha256"] == TINY.sha256


def test_other_houses_are_refused(vnla: Vnla, houses: Path, tmp_path: Path) -> None:
    shutil.copytree(houses, tmp_path / "houses")
    place = tmp_path / "houses" / "tiny-1" / "common"
    shutil.rmtree(place / "asknav")
    shutil.copytree(place / "noroom", place / "asknav")
    answer = vnla("benchmark", "make", "--preset", "tiny", "--houses", tmp_path / "houses")
    assert (answer.status, len(answer.err.splitlines())) == (2, 1)
    assert "common: asknav has the checksum" in answer.err


def test_an_entry_is_made_signed_and_verified(vnla: Vnla, rover: str, signed: Entered, houses: Path, tmp_path: Path) -> None:
    out, found = signed.path, tmp_path / "verified.json"
    manifest = manifest_of(out)
    assert (manifest["name"], manifest["authors"], manifest["beacon"]) == ("Rover", ["A. B."], "drawn")
    assert (manifest["summary"], manifest["trained"]) == ("It roves.", "not at all")
    assert manifest["track"] == {"shown": "view", "around": False, "forward": "informed"}
    assert manifest["sensors"] == ["clock"]
    assert (out / "card.md").read_text() == signed.card.read_text()
    answer = vnla("benchmark", "verify", out, "--houses", houses, "--rerun", 2, "--agent", rover, "--json", found)
    assert answer.status == 0, answer.err
    assert "signed with the key" in answer.out
    assert "walked again by the agent, the same: 2 tasks" in answer.out
    (verified,) = json.loads(found.read_text())
    assert {"low", "high", "value"} <= verified["figures"]["fresh"]["success"].keys()
    assert [point["ratio"] for point in verified["curves"]["common"]] == [0, 0.2, 0.4, 0.6, 0.8, 1]


def test_what_decides_how_a_policy_acts_is_in_its_digest(rover: str, tmp_path: Path) -> None:
    def digest(*files: Path, **options: Any) -> str:
        return artefact_of_policy(sys.modules["rovers"].Rover(), options, files).digest

    importlib.import_module(rover.partition(":")[0])
    weights = tmp_path / "weights.bin"
    weights.write_bytes(b"1")
    found = [digest(), digest(turn="left"), digest(weights)]
    weights.write_bytes(b"2")
    found.append(digest(weights))
    assert digest() == found[0]
    (tmp_path / "rovers.py").write_text(POLICY + "# another\n")
    assert len({*found, digest()}) == 5


def test_a_digest_draws_houses_and_a_beacon_others(vnla: Vnla, houses: Path) -> None:
    drawn = vnla("benchmark", "draw", "sha256:5f2a", "--kind", "container", "--preset", "tiny", "--houses", houses)
    assert drawn.status == 0, drawn.err
    artefact = artefact_of_digest("container", "sha256:5f2a")
    definition = read_definition()
    seeds = [draw_seed(definition, TINY, artefact.digest, beacon) for beacon in ("", "later")]
    assert seeds[0] != seeds[1]
    assert drawn.out.splitlines()[0] == f"artefact {artefact.digest}"
    assert f"fresh houses of seed {seeds[0]}" in drawn.out


@pytest.mark.slow
def test_an_entry_that_was_ended_goes_on_where_it_was(vnla: Vnla, rover: str, houses: Path, tmp_path: Path) -> None:
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    assert entered(vnla, rover, whole, houses).status == 0
    defaults = sys.modules["rovers"].Rover.__init__  # what ends it is not in the source, so it stays the same artefact
    defaults.__defaults__ = (900, "right")
    answer = entered(vnla, rover, cut, houses)
    assert answer.status == 2 and "the battery is empty" in answer.err
    assert not cut.exists() and (tmp_path / "cut.unfinished").is_dir()
    defaults.__defaults__ = (10**9, "right")
    assert entered(vnla, rover, cut, houses, "--beacon", "another").status == 2
    assert entered(vnla, rover, cut, houses).status == 0
    assert manifest_of(cut)["files"] == manifest_of(whole)["files"]
    assert not (tmp_path / "cut.unfinished").exists()


def test_a_reference_line_may_have_the_common_houses_alone(vnla: Vnla, rover: str, houses: Path, tmp_path: Path) -> None:
    assert entered(vnla, rover, tmp_path / "line", houses, "--common-only").status == 0
    manifest = manifest_of(tmp_path / "line")
    assert (manifest["reference"], manifest["sets"]) == (True, ["common"])
    assert all(name.startswith("results/common/") for name in manifest["files"])
    assert vnla("benchmark", "verify", tmp_path / "line", "--houses", houses).status == 0


def test_plain_forward_is_another_track(vnla: Vnla, rover: str, houses: Path, tmp_path: Path) -> None:
    out = tmp_path / "plain"
    assert entered(vnla, rover, out, houses, "--forward", "plain", "--common-only").status == 0
    assert manifest_of(out)["track"]["forward"] == "plain"
    assert vnla("benchmark", "verify", out, "--houses", houses).status == 0


@pytest.mark.slow
def test_results_of_a_container_are_packed(vnla: Vnla, rover: str, houses: Path, tmp_path: Path) -> None:
    assert entered(vnla, rover, tmp_path / "rover", houses).status == 0
    out = tmp_path / "packed"
    words = ("benchmark", "pack", tmp_path / "rover" / "results", out, "--preset", "tiny", "--houses", houses)
    assert "--digest" in vnla(*words).err
    told = ("--digest", "sha256:5f2a", "--kind", "container", "--shown", "text", "--around", "--forward", "plain")
    assert vnla(*words, *told, "--name", "Boxed").status == 0
    manifest = manifest_of(out)
    assert (manifest["name"], manifest["artefact"]["kind"]) == ("Boxed", "container")
    assert manifest["track"] == {"shown": "text", "around": True, "forward": "plain"}
    assert manifest["fresh_seed"] != manifest_of(tmp_path / "rover")["fresh_seed"]


def test_an_agent_behind_an_address_is_asked_and_kept_with_its_replies(
    vnla: Vnla, houses: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It errs now and then; its key is nowhere."""
    monkeypatch.setenv("SECRET", "s3cr3t-of-mine")
    out = tmp_path / "far"

    def act(value: Any) -> Say:
        if value["step"] == 1:
            return Say.json({"action": "fly s3cr3t-of-mine"})
        return Say.json({"action": "right"} if value["step"] == 0 else {"action": "stop"})

    with serving(agent(act, {"version": 2, "name": "far", "observes": ["sensor:clock"]})) as server:
        answer = entered(vnla, server.url, out, houses, "--key-variable", "SECRET", "--common-only")
        assert answer.status == 0, answer.err
    manifest = manifest_of(out)
    assert manifest["artefact"]["kind"] == "address"
    assert manifest["errors"]["common/asknav-0.40"] == {"unknown_action": 30}
    assert manifest["answers"]["common/asknav-0.40"] == 90
    calls = gzip.decompress((out / "journals" / "calls.jsonl.gz").read_bytes())
    assert calls.count(b"/act") == sum(manifest["answers"].values())
    episodes = gzip.decompress((out / "journals" / "common" / "asknav-0.40.episodes.jsonl.gz").read_bytes())
    assert len(episodes.splitlines()) == 30
    everything = calls + episodes + (out / MANIFEST).read_bytes()
    assert b"s3cr3t-of-mine" not in everything
    answer = vnla("benchmark", "verify", out, "--houses", houses)
    assert (answer.status, "counted as a failure" in answer.err) == (0, False), answer.err


def test_the_options_of_a_chat_model_reach_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ITS_KEY", "abc")
    prompt = tmp_path / "prompt.txt"
    prompt.write_text("[system]\nGo.\n[user]\n{text}\n")
    asked = AskedOptions(
        agent_option=["temperature=0.5"], timeout=5, retries=1, give_up=2, max_wait=9, key_variable="ITS_KEY",
        base_url="http://127.0.0.1:9/v1", observe="text", replies="text", prompt=prompt, max_calls=3, max_tokens=99,
    )  # fmt: skip
    guest, journal = guest_in("openai:tiny", asked, read_world(write_cottage(tmp_path / "cottage")[0]), tmp_path / "kept")
    assert isinstance(guest, LocalPolicy) and isinstance(guest.policy, Chat) and journal is not None
    meter, manner = guest.policy.meter, asked.manner()
    assert (meter.max_calls, meter.max_tokens) == (3, 99)
    assert (manner.timeout, manner.retries, manner.give_up, manner.max_wait) == (5, 1, 2, 9)
    usual = guest_in(
        "openai:tiny", AskedOptions(base_url="http://127.0.0.1:9/v1"), read_world(tmp_path / "cottage" / "world"), None
    )
    assert usual[0].settings != guest.settings
    assert "temperature" in str(guest.settings) and guest.declaration.observes == ("text",)


def test_a_wrong_answer_ends_the_episode_where_that_is_wanted(vnla: Vnla, rover: str, houses: Path, tmp_path: Path) -> None:
    assert rover
    with serving(
        agent(lambda _: Say.json({"action": "fly"}), {"version": 2, "name": "x", "observes": ["sensor:clock"]})
    ) as far:
        assert entered(vnla, far.url, tmp_path / "out", houses, "--on-error", "stop", "--common-only").status == 0
    manifest = manifest_of(tmp_path / "out")
    assert manifest["answers"]["common/asknav-0.40"] == 30


def test_entries_become_a_board(vnla: Vnla, signed: Entered, houses: Path, tmp_path: Path) -> None:
    beacons = tmp_path / "beacons.json"
    beacons.write_text("{}")
    answer = vnla(
        "benchmark", "board", signed.path.parent, "--out", tmp_path / "site", "--houses", houses, "--beacons", beacons
    )
    assert answer.status == 0, answer.err
    assert "Rover" in (tmp_path / "site" / "index.html").read_text()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("run", "{run}", "{out}", "--preset", "tiny", "--houses", "{houses}"), "symbolic features"),
        (("run", "rovers:Rover", "{out}", "--help-policy", "first", "--houses", "{houses}"), "decides by itself"),
        (("run", "rovers:Rover", "{out}", "--preset", "huge", "--houses", "{houses}"), "preset huge: unknown"),
        (("run", "rovers:Rover", "{out}", "--on-error", "weep", "--preset", "tiny", "--houses", "{houses}"), "--on-error"),
        (("verify", "{out}"), "no such directory"),
        (("verify", "{houses}"), "manifest.json"),
        (("pack", "{houses}", "{out}", "--digest", "x", "--preset", "tiny", "--houses", "{houses}"), "no results file"),
        (("pack", "{houses}", "{out}", "--digest", "x", "--shown", "smell", "--houses", "{houses}"), "--shown smell"),
        (("pack", "{houses}", "{out}", "--digest", "x", "--kind", "cat", "--houses", "{houses}"), "kind cat"),
    ],
)
def test_what_is_wrong_is_one_line(
    vnla: Vnla, rover: str, houses: Path, cottage_run: Path, tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    assert rover
    given = [each.format(run=cottage_run, out=tmp_path / "out", houses=houses) for each in words]
    answer = vnla("benchmark", *given)
    assert (answer.status, len(answer.err.strip().splitlines())) == (2, 1), answer.err
    assert said in answer.err
    assert not (tmp_path / "out").exists()


@pytest.fixture(scope="module")
def cottage_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from vnla import train

    folder = tmp_path_factory.mktemp("cottage")
    world, tasks = write_cottage(folder)
    train(
        folder / "run", world=world, tasks=tasks, features="symbolic", help_policy="first", iterations=1, batch=2, hidden=8
    )
    return folder / "run"


@pytest.mark.slow
def test_a_trained_agent_enters_with_features_of_its_own_houses(vnla: Vnla, houses: Path, tmp_path: Path) -> None:
    sums, out = tmp_path / "sums.json", tmp_path / "entry"
    words = ("--preset", "tiny", "--houses", houses)
    assert vnla("benchmark", "make", *words, "--encoder", "efficientnet-lite0", "--json", sums).status == 0
    assert {"base/efficientnet-lite0", "common/efficientnet-lite0"} <= json.loads(sums.read_text())["sha256"].keys()
    base, run = houses / "tiny-1" / "base", tmp_path / "run"
    where = ("--world", base / "world", "--tasks", base / "asknav")
    small = ("--hidden", 8, "--batch", 4, "--iterations", 1, "--validate-every", 1)
    assert vnla("train", run, *where, *small, "--features", "efficientnet-lite0").status == 0
    answer = vnla("benchmark", "run", run, out, *words, "--help-policy", "entropy", "--help-option", "threshold=0.5")
    assert answer.status == 0, answer.err
    manifest = manifest_of(out)
    assert manifest["artefact"]["parts"]["help"] == {"policy": "entropy", "options": {"threshold": 0.5}}
    again = ("--rerun", 2, "--agent", run, "--help-policy", "entropy", "--help-option", "threshold=0.5")
    assert vnla("benchmark", "verify", out, "--houses", houses, *again).status == 0
    assert "is of the artefact" in vnla("benchmark", "verify", out, "--houses", houses, *again[:4]).err
