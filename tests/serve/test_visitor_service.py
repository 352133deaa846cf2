"""What visitors see and hear in the three modes: reloads, several at once, and nothing that gives a goal away."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from serve.visitor import Door, Visitor, words_in
from vnla.serve.episode_spec import EpisodeSpec
from vnla.serve.events import Event, StoodEvent
from vnla.serve.sessions import Session
from vnla.serve.site import Site

PLACES = {"viewpoint", "ahead"}


def test_watching_shows_a_whole_episode_and_its_link_gives_it_again(door: Door, visitor: Visitor) -> None:
    assert visitor.say("watch") is None
    shown = visitor.state
    assert shown["ended"]["reason"] == "time"
    assert len(shown["steps"]) == shown["begun"]["time"]
    other = Visitor(door)
    other.say("watch", link=shown["begun"]["link"])
    assert other.state == shown


def test_helping_waits_for_every_answer(visitor: Visitor) -> None:
    visitor.say("help", task="0_0", seed=0)
    for step in range(visitor.state["begun"]["requests"]):
        assert visitor.state["waits"]["step"] == step
        assert visitor.state["steps"][step]["thought"]["after"] == []
        way = visitor.state["waits"]["way"]
        assert way[0] == visitor.state["steps"][step]["pose"]["viewpoint"]
        assert visitor.say("advise", step=step, choice=visitor.state["waits"]["offer"]) is None
        assert visitor.state["steps"][step]["advised"]["by"] == "visitor"
    assert visitor.state["ended"]
    link = EpisodeSpec.of_link(visitor.state["begun"]["link"])
    assert link.said == ()


def test_the_advisors_own_answers_lead_where_it_would_have(visitor: Visitor) -> None:
    visitor.say("watch", task="0_0", seed=0)
    watched = visitor.state
    visitor.say("help", task="0_0", seed=0)
    while visitor.state["waits"]:
        visitor.say("advise", step=visitor.state["waits"]["step"], choice=visitor.state["waits"]["offer"])
    assert [step["pose"] for step in visitor.state["steps"]] == [step["pose"] for step in watched["steps"]]
    assert visitor.state["ended"]["metres"] == watched["ended"]["metres"]
    helped = visitor.state
    visitor.say("watch", link=helped["ended"]["link"])
    assert visitor.state["steps"] == helped["steps"]


def test_an_answer_comes_at_its_time_or_not_at_all(visitor: Visitor) -> None:
    assert visitor.say("advise", step=0, choice="stop") == "No agent is walking; watch or help one first."
    visitor.say("help", task="0_0", seed=0)
    before = visitor.state
    assert visitor.say("advise", step=3, choice="stop") == "The agent is not waiting for an answer here."
    assert visitor.say("advise", step=0, choice="fly") == "The agent does not know the word 'fly'."
    assert visitor.state == before
    visitor.say("advise", step=0)
    assert visitor.state["steps"][0]["advised"] == {"by": "visitor", "text": "", "understood": None, "parts": []}


def test_words_are_understood_and_shown_as_they_were_typed(visitor: Visitor) -> None:
    visitor.say("help", task="0_0", seed=0)
    visitor.say("advise", step=0, text="turn right and walk two steps, dude")
    advised = visitor.state["steps"][0]["advised"]
    assert advised["text"] == "turn right and walk two steps, dude"
    assert advised["understood"] == "turn 90 degrees right, go forward 2 steps"
    assert [advised["text"][start:end] for start, end, understood in advised["parts"] if not understood] == ["dude"]
    assert "would not understand that" in str(visitor.say("advise", step=1, text="blah blah"))


def test_who_speaks_unasked_changes_the_walk_from_there_on(visitor: Visitor) -> None:
    visitor.say("watch", task="0_0", seed=0)
    before = visitor.state
    assert visitor.say("speak", step=9, text="look down") is None
    after = visitor.state
    assert after["steps"][:9] == before["steps"][:9]
    assert after["steps"][9]["advised"]["understood"] == "look down"
    assert after["steps"][9]["asked"] is None
    assert after["steps"][9]["requests_left"] == after["steps"][10]["requests_left"]
    assert EpisodeSpec.of_link(after["ended"]["link"]).spoken == {9: "look down"}
    assert "has asked here" in str(visitor.say("speak", step=0, text="look down"))


def test_a_wish_in_words_finds_its_house_and_thing(site: Site, visitor: Visitor) -> None:
    house = next(iter(site.places.houses))
    known = site.engine.goals.known(site.places.house(house).name)[0]
    assert visitor.say("watch", house=house, goal=f"please {known}") is None
    assert visitor.state["begun"]["sentence"].lower() == known.replace(" .", ".")
    link, seen = visitor.state["begun"]["link"], visitor.state["steps"]
    visitor.say("help", link=link)
    visitor.say("watch", link=link)
    assert visitor.state["steps"] == seen
    assert "not clear" in str(visitor.say("watch", house=house, goal="find a dragon"))
    assert visitor.say("watch", house="0" * 12, goal="find a towel") == "There is no such house here."
    assert visitor.say("watch", goal="find a towel") == "Say in which house to look for it."
    assert "no such task" in str(visitor.say("watch", task="nope"))


def test_what_if_is_another_walk_and_leaves_the_first(visitor: Visitor) -> None:
    visitor.say("watch", task="0_0", seed=0)
    before = visitor.state
    assert visitor.say("what_if", step=0) is None
    assert visitor.state == before
    kinds = [event["kind"] for event in visitor.second]
    assert (kinds[0], kinds[-1]) == ("begun", "ended")
    assert [event["number"] for event in visitor.second] == list(range(1, len(kinds) + 1))
    assert EpisodeSpec.of_link(visitor.second[0]["link"]).spoken == {0: None}


def test_a_reload_is_exact_and_so_is_a_late_joiner(door: Door, visitor: Visitor) -> None:
    visitor.say("help", task="0_0", seed=0)
    visitor.say("advise", step=0, choice="turn left")
    seen = visitor.state
    late = Visitor(door, visitor.session)
    assert late.state == seen
    visitor.leave()
    visitor.connect()
    assert visitor.state == seen
    late.say("advise", step=1)
    assert late.state["number"] > seen["number"]


def test_a_message_that_is_sent_twice_is_taken_once(visitor: Visitor) -> None:
    visitor.say("beat")
    number = visitor.state["number"]
    visitor.say("act", action="left")
    after = visitor.state
    visitor.say("act", action="left", after=number)
    assert visitor.state == after


@pytest.mark.parametrize("mode", ["help", "beat"])
def test_of_two_tabs_that_speak_at_once_one_is_heard_and_both_are_told(door: Door, visitor: Visitor, mode: str) -> None:
    """A `Visitor` refuses an event that it has heard already, and one that comes after another that it has not."""
    visitor.say(mode, **({"task": "0_0", "seed": 0} if mode == "help" else {}))
    tabs = visitor, Visitor(door, visitor.session)
    assert tabs[1].session == visitor.session and tabs[1].state == visitor.state
    said = 0
    while visitor.state["ended"] is None:
        step = (visitor.state["waits"] or visitor.state["steps"][-1])["step"]
        words = ("turn left", "turn right") if mode == "help" else ("left", "right")
        for tab, word in zip(tabs, words, strict=True):
            if mode == "help":
                tab.send("advise", step=step, text=word)
            else:
                tab.send("act", action=word if step < 5 else "stop")
        assert [tab.hear() for tab in tabs] == [None, None]
        said += 1
        assert tabs[1].state == visitor.state
        advised = sum(each["advised"] is not None and each["advised"]["by"] == "visitor" for each in visitor.state["steps"])
        acted = sum(each["acted"] is not None for each in visitor.state["steps"])
        assert (advised if mode == "help" else acted) == said
    assert said > 1
    assert Visitor(door, visitor.session).state == visitor.state


@pytest.mark.parametrize("wish", ["watch", "help", "beat"])
def test_who_wants_another_episode_gets_it_whatever_happens_meanwhile(visitor: Visitor, wish: str) -> None:
    """As when a visitor answers and turns to another screen at once."""
    visitor.say("help", task="0_0", seed=0)
    before, number = visitor.state["begun"]["episode"], visitor.state["number"]
    visitor.send("advise", step=0, text="turn left")
    visitor.send(wish)
    assert [visitor.hear(), visitor.hear()] == [None, None]
    assert visitor.state["begun"]["episode"] != before and visitor.state["begun"]["mode"] == wish
    now = visitor.state
    if wish == "beat":
        visitor.say("beat", after=number)
        assert visitor.state == now, "this one may be sent twice"


def test_a_server_that_was_killed_has_lost_nothing(site: Site, folder: Path) -> None:
    with Door(site, folder) as door:
        visitor = Visitor(door)
        visitor.say("beat")
        visitor.say("act", action="right")
        visitor.say("ask")
        seen = visitor.state
    log = next(folder.glob("*.jsonl"))
    log.write_bytes(log.read_bytes() + b'{"at": 12.0, "event": {"numb')
    with Door(site, folder) as door:
        again = Visitor(door, visitor.session)
        assert again.state == seen
        assert again.say("ask") == "You may ask once a step."
        again.say("act", action="stop")
        assert again.state["ended"]["reason"] == "stopped"
        assert again.state["ended"]["score"]["tasks"] == 1
    assert all(json.loads(line) for line in log.read_text().splitlines())


def test_an_answer_is_sent_a_few_steps_at_a_time(visitor: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    appended, append = [], Session.append

    async def noted(session: Session, events: Iterable[Event], *spec: Any) -> None:
        appended.append([*events])
        await append(session, appended[-1], *spec)

    visitor.say("help", task="0_0", seed=0)
    monkeypatch.setattr(Session, "append", noted)
    while visitor.state["waits"]:
        visitor.say("advise", step=visitor.state["waits"]["step"], choice=None)
    last = [each[-1].kind for each in appended]
    assert last[-2:] == ["acted", "ended"] and last.count("ended") == 1
    steps = [event.step for each in appended for event in each if isinstance(event, StoodEvent)]
    assert len(steps) == len({*steps}), "none is sent twice"


@pytest.mark.parametrize("speaks", [True, False])
def test_a_walk_of_which_a_part_was_recorded_is_completed(site: Site, folder: Path, *, speaks: bool) -> None:
    with Door(site, folder) as door:
        visitor = Visitor(door)
        visitor.say("help", task="0_0", seed=0)
        while visitor.state["waits"]:
            visitor.say("advise", step=visitor.state["waits"]["step"], choice=visitor.state["waits"]["offer"])
        whole = visitor.state
    log = next(folder.glob("*.jsonl"))
    lines = log.read_bytes().splitlines(keepends=True)
    cut = max(i for i, line in enumerate(lines) if b'"acted"' in line) - 2
    log.write_bytes(b"".join(lines[:cut]))
    with Door(site, folder) as door:
        again = Visitor(door, visitor.session)
        if speaks:
            again.say("what_if", step=0, text=None)
        while not again.state["ended"]:
            again.take(again.line.receive_text())
        assert {**again.state, "number": 0} == {**whole, "number": 0}


def test_beating_it_has_the_agents_time_and_requests(visitor: Visitor) -> None:
    visitor.say("beat")
    begun = visitor.state["begun"]
    asked = 0
    while visitor.say("ask") is None:
        asked += 1
        visitor.say("act", action="up")
    assert asked == begun["requests"]
    while not visitor.state["ended"]:
        assert visitor.say("act", action="down") is None
    assert len(visitor.state["steps"]) == begun["time"]
    assert visitor.state["ended"]["walk"][0] == begun["start"]
    assert visitor.say("act", action="down") == "You have no walk under way."


def test_forward_with_nothing_ahead_is_refused_and_costs_no_step(visitor: Visitor) -> None:
    """As an agent cannot choose it."""
    for _ in range(30):
        visitor.say("beat")
        visitor.say("act", action="up")
        if not visitor.state["steps"][-1]["ahead"]:
            break
        visitor.say("leave")
    before = visitor.state
    assert not before["steps"][-1]["ahead"], "somewhere a look at the ceiling shows no way"
    assert visitor.say("act", action="forward") == "There is nothing ahead to go to."
    assert visitor.state == before


def test_the_score_counts_every_task_that_was_done(visitor: Visitor) -> None:
    for number in range(1, 4):
        visitor.say("beat")
        visitor.say("act", action="stop")
        score = visitor.state["ended"]["score"]
        assert score["tasks"] == number
        assert 0 <= score["yours"] <= number
        assert 0 <= score["its"] <= number
    visitor.say("beat")
    visitor.say("leave")
    ended = visitor.state["ended"]
    assert (ended["reason"], ended["success"]) == ("left", False)
    assert (ended["score"]["tasks"], ended["score"]["yours"]) == (4, score["yours"]), "who gives up has not found it"


def test_a_task_that_somebody_turns_away_from_waits_for_them(site: Site, folder: Path) -> None:
    """Nobody gets another task instead of a bad one: not by another mode, not by asking again, not by a new server."""
    with Door(site, folder) as door:
        visitor = Visitor(door)
        visitor.say("beat")
        visitor.say("ask")
        visitor.say("act", action="left")
        before = visitor.state
        visitor.say("beat")
        assert visitor.state == before
        visitor.say("watch")
        visitor.say("help", task="0_0", seed=0)
    with Door(site, folder) as door:
        again = Visitor(door, visitor.session)
        again.say("watch")
        again.say("beat")
        assert {**again.state, "number": 0} == {**before, "number": 0}
        again.say("act", action="stop")
        assert again.state["ended"]["score"]["tasks"] == 1
        again.say("watch")
        again.say("beat")
        assert again.state["begun"]["episode"] != before["begun"]["episode"]


def test_nothing_that_a_browser_holds_gives_the_goal_away(site: Site, visitor: Visitor) -> None:
    """Before a walk of one's own is over, all that is sent are poses, what is in view, and the advisor's words."""
    session = site.engine.goals
    for _ in range(6):
        visitor.heard.clear()
        visitor.say("beat")
        for action in ("left", "right", "forward", "up", "left", "forward"):
            visitor.say("ask")
            visitor.say("act", action=action)
        visitor.leave()
        visitor.connect()
        sent = "".join(visitor.heard)
        visitor.say("leave")
        goals = visitor.state["ended"]["goals"]
        sentence = visitor.state["begun"]["sentence"]
        house = site.walker_places.house(visitor.state["begun"]["house"])
        assert not [name for name in ('"goals"', '"success"', '"score"', '"walk"') if name in sent]
        assert house.name not in sent
        assert not [stand.id for stand in house.viewpoints if f'"{stand.id}"' in sent]
        assert not [task for task in session.tasks if f'"{task}"' in sent]
        assert not words_in(sent.replace(sentence, ""), {thing.label for thing in house.objects})
        assert not [goal for goal in goals if goal in _without_places(sent)]


def _without_places(sent: str) -> str:
    """What was sent, but where one stood and what was in view."""

    def less(value: object) -> object:
        if isinstance(value, dict):
            return {name: less(each) for name, each in value.items() if name not in PLACES}
        return [less(each) for each in value] if isinstance(value, list) else value

    decoder, values, place = json.JSONDecoder(), [], 0
    while place < len(sent):
        value, place = decoder.raw_decode(sent, place)
        values.append(less(value))
    return json.dumps(values)


def test_a_broken_agent_is_told_in_a_sentence(visitor: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(*_: object) -> None:
        raise RuntimeError("shapes do not match")

    with monkeypatch.context() as patch:
        patch.setattr("vnla.serve.engine._walk_batch", breaks)
        assert visitor.say("watch") == "The agent cannot walk (RuntimeError: shapes do not match)."
        visitor.say("beat")
        assert visitor.say("act", action="stop") is None, "one's own walk ends all the same"
        assert visitor.state["ended"]["reason"] == "stopped" and visitor.state["ended"]["score"] is None
        assert visitor.state["said"] == "The agent cannot walk (RuntimeError: shapes do not match)."
    assert visitor.say("watch") is None


def test_two_visitors_do_not_hear_each_other(door: Door) -> None:
    one, other = Visitor(door), Visitor(door)
    one.say("watch", task="0_0", seed=0)
    other.say("beat")
    assert one.session != other.session
    assert one.state["begun"]["mode"] == "watch"
    assert other.state["begun"]["mode"] == "beat"
    assert other.state["number"] == 2
