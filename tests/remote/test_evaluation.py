"""Guests behind a real server, right and wrong: what they do is scored, what is wrong is counted, nothing is lost."""

from __future__ import annotations

import json
import math
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from cottage_players import TASKS, WORLD
from fake_servers import AGENT, Say, agent, serving
from remote.cottage_rules import rules, showing
from vnla.common.errors import InputError
from vnla.evaluation.allowance import Allowance
from vnla.evaluation.checked import check
from vnla.evaluation.contest import ScoringData, enter
from vnla.evaluation.evaluation_file import write_evaluation
from vnla.evaluation.results import results_of, write_results
from vnla.remote.address import Addressed
from vnla.remote.caller import Address, Caller, Manner, NobodyAnswersError
from vnla.remote.episode import EpisodeRecord, EvaluationRules
from vnla.remote.evaluated_agent import Fault
from vnla.remote.evaluation import PolicyEvaluation, evaluate_policy
from vnla.remote.folder import EPISODES, SETTINGS, EvaluationFolder, read_record
from vnla.tasks.dataset import Dataset
from vnla.world.forward import INFORMED

QUICK = Manner(timeout=1.5, retries=0, give_up=0, largest=1000)
PATIENT = Manner(timeout=30, retries=0, give_up=0, largest=10_000)
"""For agents that answer whatever the machine is busy with."""
FORWARD = Say.json({"action": "forward"})
STOP = Say.json({"action": "stop"})


def visited(
    url: str,
    manner: Manner = QUICK,
    folder: EvaluationFolder | None = None,
    by: EvaluationRules | None = None,
    seeds: tuple[int, ...] = (123,),
    **options: Any,
) -> PolicyEvaluation:
    guest = Addressed(Caller(Address.of(url), manner))
    by = by or rules()
    return evaluate_policy(guest, by, showing(guest.declaration), seeds=seeds, folder=folder, **options)


def turner(value: Any) -> Say:
    """Turns, and stops after seven steps."""
    return STOP if value["step"] == 7 else Say.json({"action": "left"})


@pytest.mark.parametrize(
    ("wrong", "kind"),
    [
        (Say(b"{"), Fault.MALFORMED),
        (Say(b"\xff\xfe"), Fault.MALFORMED),
        (Say(b"[" * 900), Fault.MALFORMED),
        (Say.json({"act": "left"}), Fault.MALFORMED),
        (Say(b""), Fault.MALFORMED),
        (Say.json({"action": "teleport"}), Fault.UNKNOWN_ACTION),
        (Say(b" " * 1001), Fault.TOO_LARGE),
        (Say(after=4), Fault.LATE),
        (Say(status=500), Fault.HTTP_ERROR),
        (Say(drops=True), Fault.NO_ANSWER),
    ],
)
def test_a_wrong_answer_is_counted_as_what_it_is(wrong: Say, kind: Fault) -> None:
    """One wrong answer an episode; the rest is as it would be."""
    with serving(agent(lambda value: wrong if value["step"] == 2 else turner(value))) as server:
        visit = visited(server.url, at_once=6)
    assert visit.errors == Counter({kind.value: len(TASKS)})
    assert visit.evaluation.trace.length.tolist() == [8] * len(TASKS)
    assert visit.answers == 8 * len(TASKS)


def test_errors_are_steps_like_others_in_every_format(tmp_path: Path) -> None:
    """A guest that errs is scored, compared and exported; a step in which nothing was done is null in a results file."""
    with serving(agent(lambda value: Say(b"{") if value["step"] in (0, 2) else turner(value))) as server:
        evaluation = visited(server.url).evaluation
    write_results(tmp_path / "mine.json", results_of(evaluation))
    assert [record["agent_nav"][:3] for record in json.loads((tmp_path / "mine.json").read_text())] == [
        [None, [0, -1, 0], None]
    ] * len(TASKS)
    checked = check(tmp_path / "mine.json", TASKS, Allowance(ratio=0.32, seed=123))
    write_evaluation(tmp_path / "evaluation.npz", evaluation)
    dataset = Dataset(Path("tasks"), "asknav", {"test_unseen": Path("none")}, {})
    dataset._read["test_unseen"] = TASKS.tasks
    entry = enter(
        tmp_path / "evaluation.npz",
        ScoringData(WORLD, dataset, Allowance(ratio=0.32), _compiled={("test_unseen", INFORMED): TASKS}),
    )
    for scores in (checked.scores, entry.scores):
        for name in ("success", "nav_error", "steps", "requests", "path_length"):
            assert scores[name].ravel().tolist() == evaluation.scores[name].ravel().tolist(), name


def test_requests_without_budget_and_twice_in_a_step() -> None:
    with serving(agent(lambda value: STOP if value["step"] == 3 else Say.json({"request": True}))) as server:
        visit = visited(server.url)
    assert set(visit.errors) == {"asked_twice", "no_budget"}
    assert visit.evaluation.scores.requests[0].tolist() == visit.evaluation.trace.help_budget.tolist()


def test_an_agent_that_never_answers() -> None:
    with serving(agent(lambda _: Say(drops=True))) as server:
        visit = visited(server.url)
        assert visit.errors == Counter(no_answer=visit.answers)
        assert visit.answers == int(TASKS.time_budget.sum())
        with pytest.raises(NobodyAnswersError, match="no answer to 4 calls in a row"):
            visited(server.url, Manner(timeout=1.5, retries=0, give_up=4))


def test_one_that_is_not_there_or_says_nonsense_of_itself() -> None:
    with serving(lambda *_: Say(b"<html>")) as server, pytest.raises(InputError, match="/agent: is not JSON"):
        visited(server.url)
    with (
        serving(lambda *_: Say(status=404)) as server,
        pytest.raises(InputError, match=r"no agent answers there \(http_err"),
    ):
        visited(server.url)
    with (
        serving(agent(turner, AGENT | {"picture_width": 3})) as server,
        pytest.raises(InputError, match="picture_width is 3"),
    ):
        visited(server.url)


def test_errors_of_beginning_count_too() -> None:
    def answers(path: str, value: Any) -> Say:
        return Say(status=500) if path == "/reset" else agent(turner)(path, value)

    with serving(answers) as server:
        assert visited(server.url).errors == Counter(http_error=len(TASKS))


def test_many_at_once_and_in_batches_is_the_same() -> None:
    def follower(value: Any) -> Say:
        if "observations" in value:
            return Say.json({"answers": [json.loads(follower(each).body) for each in value["observations"]]})
        if value["may_request"]:
            return Say.json({"request": True})
        return Say.json({"action": "forward" if value["may_go_forward"] and value["step"] % 3 else "right"})

    found = []
    for declared, at_once in ((AGENT, 1), (AGENT, 8), (AGENT | {"batch": 4}, 1), (AGENT | {"batch": 5}, 3)):
        with serving(agent(follower, declared)) as server:
            visit = visited(server.url, PATIENT, at_once=at_once, seeds=(123, 435))
            assert not visit.errors
            found.append(visit.evaluation.trace)
    assert all(each.pose.tolist() == found[0].pose.tolist() and each.texts == found[0].texts for each in found)


def test_agents_that_speak_version_1_are_spoken_to_in_version_1() -> None:
    """They see the keys of old, and do the same."""

    def old(value: Any) -> Say:
        shown = {"text", "symbols", "features", "senses", "view", "sensors", "pictures", "has_requested", "last_action"}
        assert value["version"] == 1 and shown & {*value} == {"features", "senses"}
        assert [*value["features"]] == ["symbolic"] and len(value["senses"]["clock"]) == 26
        return turner(value)

    declared = {"version": 1, "name": "old", "observes": ["features:symbolic", "sense:clock"]}
    with serving(agent(old, declared)) as server:
        first = visited(server.url, PATIENT)
        begun = next(value for path, value, _ in server.seen if path == "/begin")
    assert {"time", "requests", "instruction"} < {*begun}
    with serving(agent(turner, AGENT | {"observes": ["view:symbolic", "sensor:clock"]})) as server:
        second = visited(server.url, PATIENT)
        assert {"view", "sensors", "last_action"} < {*server.seen[-1][1]}
    assert not first.errors and first.evaluation.trace.nav.tolist() == second.evaluation.trace.nav.tolist()


def test_a_batch_with_one_answer_too_few() -> None:
    with serving(agent(lambda _: Say.json({"answers": []}), AGENT | {"batch": 6})) as server:
        visit = visited(server.url)
        assert visit.errors == Counter(malformed=visit.answers)


def test_calls_are_made_at_the_same_time() -> None:
    together, most, lock = 0, 0, threading.Lock()

    def act(_value: Any) -> Say:
        nonlocal together, most
        with lock:
            together += 1
            most = max(most, together)
        time.sleep(0.05)
        with lock:
            together -= 1
        return STOP

    with serving(agent(act)) as server:
        visited(server.url, at_once=4)
    assert most > 1


def kept(place: Path, **settings: Any) -> EvaluationFolder:
    return EvaluationFolder(place, {"agent": "fake", **settings})


def test_it_goes_on_where_it_was(tmp_path: Path) -> None:
    """The server breaks down in the middle; what was done is not done again, and the outcome is the same."""
    left = [20]

    def failing(value: Any) -> Say:
        left[0] -= 1
        return turner(value) if left[0] > 0 else Say(drops=True)

    with serving(agent(turner)) as server:
        visited(server.url, folder=kept(tmp_path / "whole"))
    with serving(agent(failing)) as server, pytest.raises(NobodyAnswersError):
        visited(server.url, Manner(timeout=1.5, retries=0, give_up=20), folder=kept(tmp_path / "broken"))
    before = (tmp_path / "broken" / EPISODES).read_bytes()
    assert 0 < before.count(b"\n") < len(TASKS)
    with serving(agent(turner)) as server:
        visit = visited(server.url, folder=kept(tmp_path / "broken"))
        begun = {value["episode"] for path, value, _ in server.seen if path == "/reset"}
    assert len(begun) == len(TASKS) - before.count(b"\n")
    assert not visit.errors
    assert (tmp_path / "broken" / EPISODES).read_bytes() == (tmp_path / "whole" / EPISODES).read_bytes()


def test_episodes_at_whose_end_nobody_answered_are_kept_only_if_somebody_is_there(tmp_path: Path) -> None:
    """Episodes of two steps end before it is given up; that is not the agent's fault yet."""

    def gone(path: str, _value: Any) -> Say:
        return Say.json(AGENT) if path == "/agent" else Say(drops=True)

    short = rules()
    short.tasks.time_budget.clamp_(max=2)
    try:
        with serving(gone) as server, pytest.raises(NobodyAnswersError):
            visited(server.url, Manner(timeout=1.5, retries=0, give_up=7), folder=kept(tmp_path), by=short)
        assert not (tmp_path / EPISODES).exists()
        with serving(gone) as server:
            assert visited(server.url, folder=kept(tmp_path), by=short).errors == Counter(no_answer=3 * len(TASKS))
        assert (tmp_path / EPISODES).read_bytes().count(b"\n") == 6
    finally:
        short.tasks.time_budget.fill_(25)


def test_a_line_that_was_not_finished_is_cut_off(tmp_path: Path) -> None:
    with serving(agent(turner)) as server:
        visited(server.url, folder=kept(tmp_path))
        whole = (tmp_path / EPISODES).read_bytes()
        for end in (len(whole) - 1, len(whole) - 40, whole.index(b"\n") + 1, 5, 0):
            (tmp_path / EPISODES).write_bytes(whole[:end])
            visited(server.url, folder=kept(tmp_path))
            assert (tmp_path / EPISODES).read_bytes() == whole


@pytest.mark.parametrize(
    ("edit", "complaint"),
    [
        (lambda line: line.replace(b'"left"', b'"fly"', 1), "line 1: is not the record of an episode"),
        (lambda line: b"{\n" + line, "line 1"),
        (lambda line: line + line, "line 2: task 0 with seed 123 is not to be there, or not twice"),
        (lambda line: line.replace(b'"seed":123', b'"seed":5', 1), "task 0 with seed 5 is not to be there"),
        (lambda line: line.replace(b'["entryway",21]', b'["entryway",99]', 1), "line 1: is not the record"),
        (lambda line: line.replace(b'["entryway",21]', b'["attic",1]', 1), "of another world"),
        (lambda _: b"[]\n", "line 1: is not the record of an episode"),
        (lambda line: line.replace(b'["entryway",21]', b'["entryway",-1]', 1), "a view is -1; expected a whole number"),
    ],
)
def test_an_edited_file_is_refused(edit: Callable[[bytes], bytes], complaint: str, tmp_path: Path) -> None:
    with serving(agent(turner)) as server:
        visited(server.url, folder=kept(tmp_path))
        first, _, rest = (tmp_path / EPISODES).read_bytes().partition(b"\n")
        changed = edit(first + b"\n")
        assert changed != first + b"\n"
        (tmp_path / EPISODES).write_bytes(changed + rest)
        with pytest.raises(InputError, match=complaint):
            visited(server.url, folder=kept(tmp_path))


ODD = [None, True, 1.5, -1, 10**30, 10**400, math.nan, math.inf, "x", "\ud800", [], [1], [[]], [None, {}], {}, {"a": [1]}]


@pytest.mark.parametrize("name", [each.name for each in fields(EpisodeRecord)])
def test_odd_values_in_the_record_of_an_episode(name: str) -> None:
    """Every field, and every entry of those that are lists."""
    right = {
        "task": "0", "seed": 123, "help_budget": 3, "path": [["entryway", 21], ["entryway", 22]], "actions": ["right"],
        "said": ["turn right ."], "teacher": ["deviate"], "errors": [[0, "late"]],
    }  # fmt: skip
    assert read_record(right, "there").actions == ("right",)
    texts = ["x", "\ud800"]  # may be said; which tasks and viewpoints there are others know
    for odd in ODD:
        views = [["entryway", 22]]
        entries = [[odd], [[odd, 21], *views], [["entryway", odd], *views], [[0, odd]], [[odd, "late"]]]
        fine = {"seed": [-1], "task": texts, "errors": [[]], "path": [[[odd, 21], *views]] if odd in texts else []}
        fine |= {"said": [[None], *([each] for each in texts)], "actions": [[None]], "teacher": [[None]]}
        for value in (odd, *entries) if isinstance(right[name], list) else (odd,):
            if value not in fine.get(name, []):
                with pytest.raises(InputError, match=r"^there: is not the record of an episode \(.*; remove the line"):
                    read_record(right | {name: value}, "there")
    for value in ({**right, "more": 1}, {each: right[each] for each in right if each != name}, *ODD):
        with pytest.raises(InputError, match="is not the record of an episode"):
            read_record(value, "there")


@pytest.mark.parametrize("odd", [each for each in ODD if each != {}])
def test_odd_settings_of_an_evaluation_that_was_begun(odd: Any, tmp_path: Path) -> None:
    kept(tmp_path)
    place = tmp_path / SETTINGS
    right = json.loads(place.read_text())
    for value in (odd, right | {"settings": odd}, right | {"version": odd}, right | {"settings": {"agent": odd}}):
        place.write_text(json.dumps(value))
        with pytest.raises(InputError, match="give another --out"):
            kept(tmp_path)
    for text in ("[" * 100_000, "9" * 5000, "", "{"):
        place.write_text(text)
        with pytest.raises(InputError, match=SETTINGS):
            kept(tmp_path)


def test_another_evaluation_is_not_mixed_with_it(tmp_path: Path) -> None:
    kept(tmp_path, ratio=0.4)
    kept(tmp_path, ratio=0.4)
    with pytest.raises(InputError, match=r"was begun with ratio '0.4', not '0.3'; give another --out"):
        kept(tmp_path, ratio=0.3)
    with pytest.raises(InputError, match=r"was begun with subset 'None', not '5'"):
        kept(tmp_path, ratio=0.4, subset=5)
