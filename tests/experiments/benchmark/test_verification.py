"""Verification: an honest entry is scored as it was run, and whoever tampers with one is refused, or counted and named."""

from __future__ import annotations

import copy
import gzip
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tiny_benchmark import CONDITIONS, DEFINITION, Walks, manifest_of, packed, records_of, walked, written
from vnla.common.errors import InputError
from vnla.experiments.benchmark.entry import Manifest
from vnla.experiments.benchmark.figures import FIGURES
from vnla.experiments.benchmark.signing import make_key, sign
from vnla.experiments.benchmark.verification import VerifiedCondition, VerifiedEntry, compare_again, verify_entry

MAIN = "common/asknav-0.40"
FILE = f"results/{MAIN}.json.gz"
Record = dict[str, Any]


def test_an_honest_entry_is_scored_as_it_was_run(verified: VerifiedEntry, walks: Walks) -> None:
    assert list(verified.conditions) == [each.name for each in CONDITIONS]
    assert (verified.wrong, verified.missing, verified.signature) == (0, 0, None)
    for name, each in verified.conditions.items():
        results = {result.instr_id: result for result in walks[name]}
        found = [results[task.id] for task in each.tasks.tasks]
        assert each.sound.all() and each.claims == ()
        assert each.scores.success.tolist() == [result.is_success for result in found]
        assert each.scores.help_budget.tolist() == [result.help_budget for result in found]
        assert each.scores.requests.tolist() == [sum(result.agent_ask or ()) for result in found]
        assert each.asked == each.scores.requests.sum() and each.steps == sum(len(result.trajectory) - 1 for result in found)
    assert verified.conditions[MAIN].scores.success.any()  # or the tests of failures would hold of anything
    assert verified.of("common", "asknav", 0.4) is verified.conditions[MAIN]


def test_what_is_told_of_an_entry_is_json(verified: VerifiedEntry) -> None:
    told = json.loads(json.dumps(verified.as_dict(), allow_nan=False))
    assert told["conditions"][MAIN]["sound"] == told["conditions"][MAIN]["tasks"] == 30
    assert told["artefact"] == verified.entry.manifest.artefact.digest


def test_records_are_given_back(verified: VerifiedEntry, walks: Walks) -> None:
    assert list(verified.results(MAIN).values()) == walks[MAIN]


def test_a_signed_entry_says_by_whom(manifest: Manifest, walks: Walks, houses: Path, tmp_path: Path) -> None:
    path = written(tmp_path / "entry", manifest, {MAIN: walks[MAIN]})
    make_key(tmp_path / "key.pem")
    made = sign(path, tmp_path / "key.pem")
    found = verify_entry(path, houses)
    assert found.signature == made
    assert found.as_dict()["signature"]["fingerprint"] == made.fingerprint


def asking(record: Record) -> int:
    """The step before which a record asks first."""
    return int(record["agent_ask"].index(1))


def teleport(record: Record) -> None:
    record["trajectory"][-1][0] = next(
        pose[0] for pose in ELSEWHERE[record["scan"]] if pose[0] != record["trajectory"][-2][0]
    )


ELSEWHERE: dict[str, list[Any]] = {}
"""House → where agents have been in it."""


def ask_once_more(record: Record) -> None:
    last = len(record["agent_ask"]) - 1
    spare = next(step for step in range(last, -1, -1) if not record["agent_ask"][step])
    record["agent_ask"][spare], record["subgoals"][spare] = 1, "turn left ."


def cut(record: Record) -> None:
    """Ends the walk where the agent passes something, without a word of stopping."""
    for name in ("agent_nav", "agent_ask", "subgoals"):
        record[name] = record[name][:3]
    record["trajectory"] = record["trajectory"][:4]


def prolong(record: Record, steps: int) -> None:
    record["trajectory"] += [record["trajectory"][-1]] * steps
    for name, nothing in (("agent_nav", None), ("agent_ask", 0), ("subgoals", None)):
        record[name] += [nothing] * steps


def whisper(record: Record) -> None:
    record["subgoals"][record["agent_ask"].index(0)] = "the towel is in the bathroom ."


ATTACKS: dict[str, tuple[Callable[[Record], object], str]] = {
    "teleport": (teleport, "does not lead from"),
    "one request more": (ask_once_more, "asks once more than the help budget"),
    "a larger budget": (lambda record: record.update(help_budget=record["help_budget"] + 1), "but seed 123 draws"),
    "a smaller budget": (
        lambda record: record.update(help_budget=record["help_budget"] - 1, agent_ask=[0] * len(record["agent_ask"]),
                                     subgoals=[None] * len(record["subgoals"])),
        "field help_budget is",
    ),
    "other words": (lambda record: record["subgoals"].__setitem__(asking(record), "stop ."), "but the advisor says"),
    "words kept back": (lambda record: record["subgoals"].__setitem__(asking(record), None), "was told nothing, but"),
    "told without asking": (whisper, "was told 'the towel is in the bathroom .' without asking"),
    "an episode cut off": (cut, "breaks off after step 3 without stop"),
    "an episode prolonged": (lambda record: prolong(record, 30), "the time budget of"),
    "a walk of thousands": (lambda record: prolong(record, 5000), "the time budget of"),
    "no actions": (lambda record: record.pop("agent_nav"), "has no field agent_nav"),
    "no words": (lambda record: record.pop("subgoals"), "has no field subgoals"),
    "no requests": (lambda record: (record.pop("agent_ask"), record.pop("subgoals")), "has no field agent_ask"),
    "no budget": (lambda record: record.pop("help_budget"), "has no field help_budget"),
    "no number": (lambda record: record["trajectory"][1].__setitem__(1, float("nan")), "field trajectory"),
    "infinity": (lambda record: record["trajectory"][1].__setitem__(2, float("-inf")), "field trajectory"),
    "a huge angle": (lambda record: record["trajectory"][1].__setitem__(1, 1e300), "field trajectory"),
    "a huge budget": (lambda record: record.update(help_budget=10**400), "is a number of about 400 digits"),
    "another house": (lambda record: record.update(scan="castle"), "field scan is 'castle'"),
    "another rule": (lambda record: record.update(forward="plain"), "field forward says plain"),
    "another task": (lambda record: record.update(instr_id="\x1b[31m7_0"), "is none of the 30 tasks"),
    "no record": (lambda record: record.clear(), "field instr_id is None"),
}  # fmt: skip


@dataclass(frozen=True)
class Attacked:
    """An entry with an attack on a record each."""

    entry: VerifiedEntry
    tasks: dict[str, str]  # attack → the task that it is on

    @property
    def main(self) -> VerifiedCondition:
        return self.entry.conditions[MAIN]


@pytest.fixture(scope="module")
def attacked(manifest: Manifest, walks: Walks, houses: Path, tmp_path_factory: pytest.TempPathFactory) -> Attacked:
    records = records_of(walks[MAIN])
    for each in records:
        ELSEWHERE.setdefault(each["scan"], []).extend(each["trajectory"])
    fit = [each for each in records if each["agent_ask"].count(1) == each["help_budget"] > 0 and len(each["agent_ask"]) > 4]
    victims, tasks = iter(fit), {}
    for name, (change, _) in ATTACKS.items():
        victim = next(victims)
        tasks[name] = victim["instr_id"]
        change(victim)
    path = tmp_path_factory.mktemp("attacked") / "entry"
    written(path, manifest, {"common/asknav-0.00": walks["common/asknav-0.00"]}, {FILE: packed(records)})
    return Attacked(verify_entry(path, houses), tasks)


@pytest.mark.parametrize("name", ATTACKS)
def test_a_record_that_cannot_be_is_a_failure_and_named(attacked: Attacked, name: str) -> None:
    main, (_, message) = attacked.main, ATTACKS[name]
    row = [task.id for task in main.tasks.tasks].index(attacked.tasks[name])
    assert not main.sound[row]
    named = [line for line in main.wrong if message in line]
    assert named, main.wrong
    assert all(line.startswith(f"{FILE}: record ") and line.isprintable() and len(line) < 700 for line in named)
    for score in ("success", "room_success", "oracle_success", "spl", "ndtw"):
        assert main.scores[score][row] == 0
    assert main.scores.requests[row] == main.scores.help_budget[row]
    assert main.trace.length[row] == 0 and attacked.tasks[name] not in attacked.entry.results(MAIN)


def test_others_are_scored_as_before(attacked: Attacked, verified: VerifiedEntry) -> None:
    main, honest = attacked.main, verified.conditions[MAIN]
    assert len(main.wrong) == len(ATTACKS) and main.sound.sum() == 30 - len(ATTACKS)
    for score in ("success", "spl", "requests", "nav_error"):
        assert np.array_equal(main.scores[score][main.sound], honest.scores[score][main.sound])
    unread = [attacked.tasks["another task"], attacked.tasks["no record"]]
    assert set(main.missing) & set(attacked.tasks.values()) >= set(unread)


def test_conditions_without_a_file_are_failures(attacked: Attacked) -> None:
    for name, each in attacked.entry.conditions.items():
        if name not in (MAIN, "common/asknav-0.00"):
            assert not each.sound.any() and not each.scores.success.any() and len(each.missing) == len(each.tasks)
    assert attacked.entry.missing > 300
    json.dumps(attacked.entry.as_dict(), allow_nan=False)


def test_a_claim_of_success_is_not_believed(
    verified: VerifiedEntry, manifest: Manifest, walks: Walks, houses: Path, tmp_path: Path
) -> None:
    claimed = [replace(each, is_success=True) for each in walks[MAIN]]
    found = verify_entry(written(tmp_path / "entry", manifest, {MAIN: claimed}), houses).conditions[MAIN]
    assert np.array_equal(found.scores.success, verified.conditions[MAIN].scores.success)
    (line,) = found.claims
    assert f"field is_success is wrong in {(~found.scores.success).sum()} of 30 records" in line


def test_the_best_of_five_seeds_is_not_the_benchmarks_budget(manifest: Manifest, houses: Path, tmp_path: Path) -> None:
    """Budgets come from the seed of the definition, so a walk under another seed that had another budget is found."""
    main = next(each for each in CONDITIONS if each.name == MAIN)
    seeds = (DEFINITION.seed, 1, 2, 3, 4)
    tried = [walked(houses, manifest, [main], seed=seed, lot=seed)[MAIN] for seed in seeds]
    best = [max(each, key=lambda result: (bool(result.is_success), result.help_budget)) for each in zip(*tried, strict=True)]
    found = verify_entry(written(tmp_path / "entry", manifest, {MAIN: best}), houses).conditions[MAIN]
    other = [one.help_budget != right.help_budget for one, right in zip(best, tried[0], strict=True)]
    assert sum(other) > 5
    assert found.sound.tolist() == [not each for each in other]


def test_leaving_out_failures_is_never_worth_it(
    verified: VerifiedEntry, manifest: Manifest, walks: Walks, houses: Path, tmp_path: Path
) -> None:
    kept = {name: [each for each in results if each.is_success] for name, results in walks.items()}
    found = verify_entry(written(tmp_path / "entry", manifest, kept), houses)
    assert found.missing == sum(not each.is_success for results in walks.values() for each in results)
    for figure in FIGURES.values():
        if figure.name.startswith(("charged", "noroom")) or figure.name in ("success", "spl", "requests", "area", "gain"):
            before, after = (figure.of(each, "common").value for each in (verified, found))
            assert after >= before - 1e-9 if figure.lower_is_better else after <= before + 1e-9, figure.name


def refused(path: Path, houses: Path) -> str:
    with pytest.raises(InputError) as found:
        verify_entry(path, houses)
    message = str(found.value)
    assert len(message.splitlines()) == 1 and len(message) < 900 and message.isprintable()
    return message


def test_another_fresh_seed_is_refused(manifest: Manifest, walks: Walks, houses: Path, tmp_path: Path) -> None:
    easy = replace(manifest, fresh_seed=manifest.fresh_seed + 1)
    message = refused(written(tmp_path / "entry", easy, {MAIN: walks[MAIN]}), houses)
    assert f"field fresh_seed is {easy.fresh_seed}, but artefact and beacon draw {manifest.fresh_seed}" in message


def test_a_beacon_after_the_fact_draws_other_houses(manifest: Manifest, walks: Walks, houses: Path, tmp_path: Path) -> None:
    assert "field fresh_seed" in refused(
        written(tmp_path / "e", replace(manifest, beacon="later"), {MAIN: walks[MAIN]}), houses
    )
    right = manifest_of(beacon="later")
    assert right.fresh_seed != manifest.fresh_seed


def test_a_manifest_edited_after_it_was_signed_is_refused(
    manifest: Manifest, walks: Walks, houses: Path, tmp_path: Path
) -> None:
    path = written(tmp_path / "entry", manifest, {MAIN: walks[MAIN]})
    make_key(tmp_path / "key.pem")
    sign(path, tmp_path / "key.pem")
    place = path / "manifest.json"
    place.write_text(place.read_text().replace('"Walker"', '"Winner"'))
    assert "changed after it was signed" in refused(path, houses)


FILES: dict[str, tuple[Callable[[bytes, list[Record]], bytes], str]] = {
    "cut": (lambda data, _: data[: len(data) // 2], "is damaged or not compressed by gzip"),
    "not compressed": (lambda data, _: gzip.decompress(data), "is damaged or not compressed by gzip"),
    "a bomb": (lambda *_: gzip.compress(b" " * (64 << 20)), "is too large for a results file"),
    "empty": (lambda *_: b"", "is not valid JSON"),
    "no JSON": (lambda *_: gzip.compress(b"[{]"), "is not valid JSON"),
    "no text": (lambda *_: gzip.compress(b"\xff\xfe["), "is not UTF-8"),
    "deep": (lambda *_: gzip.compress(b"[" * 200_000), "nested too deeply"),
    "no list": (lambda *_: packed({"records": []}), "is not a list"),
    "a record twice": (lambda _, records: packed([*records, records[0]]), "has 31 records of 30 tasks; expected one each"),
    "100,000 records": (lambda *_: packed([{"instr_id": "1_0"}] * 100_000), "for a results file"),
    "many small ones": (lambda *_: packed([1] * 100_000), "has 100,000 records of 30 tasks"),
    "all wrong": (
        lambda _, records: packed([{**each, "help_budget": 999} for each in copy.deepcopy(records)]),
        "none of its records can be believed; the first thing wrong: results/common/asknav-0.40.json.gz: record 0: task",
    ),
    "none": (lambda *_: packed([]), "none of its records can be believed; the first thing wrong: it has no records"),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_cannot_be_is_one_line(
    name: str, manifest: Manifest, walks: Walks, houses: Path, tmp_path: Path
) -> None:
    change, message = FILES[name]
    records = records_of(walks[MAIN])
    path = written(tmp_path / "entry", manifest, {}, {FILE: change(packed(records), records)})
    assert message in refused(path, houses)


def test_a_task_twice_in_the_place_of_another(manifest: Manifest, walks: Walks, houses: Path, tmp_path: Path) -> None:
    records = records_of(walks[MAIN])
    records[5] = records[4]
    found = verify_entry(written(tmp_path / "entry", manifest, {}, {FILE: packed(records)}), houses).conditions[MAIN]
    assert found.missing == (walks[MAIN][5].instr_id,)
    (line,) = found.wrong
    assert f"record 5: task {walks[MAIN][4].instr_id}: has a record already" in line


def test_no_entry_without_results(manifest: Manifest, houses: Path, tmp_path: Path) -> None:
    assert "it has no records" in refused(written(tmp_path / "entry", manifest, {}), houses)


def test_walks_that_are_taken_again(verified: VerifiedEntry, manifest: Manifest, walks: Walks, houses: Path) -> None:
    recorded = verified.results(MAIN)
    assert compare_again(recorded, walks[MAIN]) == []
    main = next(each for each in CONDITIONS if each.name == MAIN)
    another = walked(houses, manifest, [main], lot=9)[MAIN]
    lines = compare_again(recorded, another)
    assert 20 < len(lines) <= 30
    assert any("step 0: asks" in line for line in lines) and any("is at" in line for line in lines)
    first = walks[MAIN][0]
    assert compare_again({}, [first]) == [f"task {first.instr_id}: has no record that can be believed"]
    told = replace(first, subgoals=("go home", *(first.subgoals or ())[1:]))
    (line,) = compare_again(recorded, [told])
    assert "step 0: is told 'go home' when walked again" in line
    (line,) = compare_again(recorded, [replace(first, trajectory=first.trajectory[:-1])])
    assert f"takes {len(first.trajectory) - 2} steps when walked again, {len(first.trajectory) - 1} in the record" in line
    turned = replace(first, trajectory=tuple((place, turn + 2 * np.pi, up) for place, turn, up in first.trajectory))
    assert compare_again(recorded, [turned]) == []  # a whole turn is none
