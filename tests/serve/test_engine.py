"""Walks for visitors are those of an evaluation, until a person says something."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from cottage_players import VOCABULARY
from cottage_run import write_cottage
from vnla import cli
from vnla.agents.layers.cells import LSTMCell
from vnla.agents.paper import PaperAgent
from vnla.assistance.advisor import TemplateAdvisor
from vnla.bcui import bcui
from vnla.common.batching import Batching
from vnla.common.errors import InputError
from vnla.evaluation.evaluate import run_task
from vnla.language.advisor import GrammarAdvisor
from vnla.report.story import follow
from vnla.serve.agent_walk import END_MARK, AgentWalk
from vnla.serve.engine import EpisodeEngine, EpisodeRequest, Waiting, walk_all
from vnla.serve.hearing import PersonsVoice, Spoken
from vnla.serve.places import PlaceNames, VisitorWorld
from vnla.serve.walk_events import walk_events
from vnla.tasks.task import Task
from vnla.training.trained import Trained, open_trained

SEEDS = (0, 123)


@pytest.fixture(params=["first", "learned", "teacher", "none"])
def policies(request: pytest.FixtureRequest, trained: Trained) -> EpisodeEngine:
    """The agent under several help policies."""
    return EpisodeEngine(replace(trained, config=trained.config.asking(request.param)))


def tasks(engine: EpisodeEngine) -> list[Task]:
    return list(engine.goals.offered)


def walk(engine: EpisodeEngine, task: Task, spoken: Spoken, seed: int = 0) -> AgentWalk:
    return engine.walk(EpisodeRequest(task, seed, spoken)).result(timeout=60)


def same(one: AgentWalk, other: AgentWalk, until: int | None = None) -> bool:
    """Whether two walks are the same up to a step, but for the last digits of numbers."""

    def exact(walked: AgentWalk) -> list[object]:
        return [(s.pose, s.requests_left, s.asked, s.advice, s.by_person, s.action, s.pose_after) for s in walked.steps][
            :until
        ]

    def numbers(walked: AgentWalk) -> list[torch.Tensor]:
        return [torch.tensor([*s.before, *s.after, *(w for _, w in s.attention)]) for s in walked.steps][:until]

    return exact(one) == exact(other) and all(
        len(a) == len(b) and torch.allclose(a, b, atol=1e-5) for a, b in zip(numbers(one), numbers(other), strict=True)
    )


def test_without_a_word_a_walk_is_that_of_an_evaluation(policies: EpisodeEngine) -> None:
    compiled = policies.trained.material.evaluation_tasks("test_unseen")
    for seed in SEEDS:
        for task in tasks(policies)[:2]:
            rollout = run_task(policies.context, compiled, task.id, seed=seed, ratio=policies.ratio)
            account = follow(rollout, 0, policies.goals.houses[task.house], task, policies.context.advisor)
            walked = walk(policies, task, {}, seed)
            assert [beat.action for beat in account.steps] == [step.action for step in walked.steps]
            assert [beat.said for beat in account.steps] == [step.advice for step in walked.steps]
            assert account.metres_left == pytest.approx(walked.metres)
            assert account.help_budget == walked.requests
            for own, step in zip(account.steps, walked.steps, strict=True):
                assert own.tentative == pytest.approx(step.before, abs=1e-5)
                assert own.final == pytest.approx(step.after, abs=1e-5)


def test_a_word_changes_nothing_before_it(engine: EpisodeEngine) -> None:
    errands = [EpisodeRequest(task, 0, {}) for task in tasks(engine)[:2]]
    for errand, plain in zip(errands, walk_all(engine, errands), strict=True):
        steps = range(len(plain.steps))
        told = [errand._replace(spoken={step: text}) for step in steps for text in ("turn left", None, "stop")]
        for other, walked in zip(told, walk_all(engine, told), strict=True):
            assert same(plain, walked, until=next(iter(other.spoken)))


def test_whoever_asks_hears_the_person(engine: EpisodeEngine) -> None:
    plain, at = walk(engine, tasks(engine)[0], {}), 0
    assert plain.steps[at].asked
    told = walk(engine, plain.task, {at: "look up, turn right"})
    assert (told.steps[at].advice, told.steps[at].by_person, told.steps[at].asked) == ("look up, turn right", True, True)
    assert [word for word, _ in told.steps[at].attention][:6] == ["look", "up", ",", "turn", "right", "."]
    assert told.steps[at].after != pytest.approx(plain.steps[at].after, abs=1e-6)


def test_no_answer_costs_a_request_and_is_as_if_nothing_had_been_said(engine: EpisodeEngine) -> None:
    plain, at = walk(engine, tasks(engine)[0], {}), 0
    assert plain.steps[at].asked
    told = walk(engine, plain.task, {at: None})
    assert (told.steps[at].advice, told.steps[at].by_person) == ("", True)
    assert told.steps[at + 1].requests_left == told.steps[at].requests_left - 1
    assert [word for word, _ in told.steps[at].attention] == [*plain.task.end_goal.split(), END_MARK]


def test_who_speaks_unasked_is_heard_and_takes_no_request(trained: Trained) -> None:
    silent = EpisodeEngine(replace(trained, config=trained.config.asking("none")))
    for task in tasks(silent)[:2]:
        plain = walk(silent, task, {})
        told = walk(silent, task, {1: "turn right"})
        assert (told.steps[1].advice, told.steps[1].by_person, told.steps[1].asked) == ("turn right", True, False)
        assert {step.requests_left for step in told.steps} == {plain.requests}
        assert told.steps[1].after != pytest.approx(plain.steps[1].after, abs=1e-7)
        assert [word for word, _ in told.steps[2].attention][:3] == ["turn", "right", "."]


def test_all_of_the_attention_is_on_the_words_and_the_end_mark(policies: EpisodeEngine) -> None:
    said: list[Spoken] = [{}, {0: "turn left, go forward 2 steps", 5: "look down"}, {0: None, 3: "stop"}]
    errands = [EpisodeRequest(task, 0, spoken) for task in tasks(policies)[:2] for spoken in said]
    for walked in walk_all(policies, errands):
        for step in walked.steps:
            assert step.attention[-1][0] == END_MARK
            assert sum(weight for _, weight in step.attention) == pytest.approx(1, abs=1e-5)


def test_attention_goes_with_the_words_wherever_they_stand(trained: Trained) -> None:
    """An agent that forgets each word at the next finds the same in a word wherever it stands."""
    engine = EpisodeEngine(trained)
    agent = engine.context.agent
    assert isinstance(agent, PaperAgent)
    with torch.no_grad():
        for cell in agent.navigation.encoder.cells:
            assert isinstance(cell, LSTMCell)
            cell.recurrent.weight.zero_()
            cell.recurrent.bias.view(4, -1)[1] = -1e4  # the forget gate is shut
    task, said = tasks(engine)[0], "turn left, look up"
    backwards = replace(task, end_goal=" ".join(reversed(task.end_goal.split())))
    plain, other, swapped = walk_all(
        engine,
        [
            EpisodeRequest(task, 0, {0: said}),
            EpisodeRequest(backwards, 0, {0: said}),
            EpisodeRequest(task, 0, {0: "up look, left turn"}),
        ],
    )
    weights = [each.steps[0].attention for each in (plain, other, swapped)]
    for moved in weights[1:]:
        assert [word for word, _ in moved] != [word for word, _ in weights[0]]
        assert sorted(word for word, _ in moved) == sorted(word for word, _ in weights[0])
        assert dict(moved) == pytest.approx(dict(weights[0]), abs=1e-6)
    assert len({round(weight, 6) for weight in dict(weights[0]).values()}) == len(dict(weights[0]))


def test_the_advisors_own_answer_by_a_person_is_the_same_walk(engine: EpisodeEngine) -> None:
    plain, at = walk(engine, tasks(engine)[0], {}), 0
    assert plain.steps[at].asked
    told = walk(engine, plain.task, {at: plain.steps[at].advice})
    assert [step.action for step in told.steps] == [step.action for step in plain.steps]


def test_a_batch_of_visitors_is_each_alone(engine: EpisodeEngine) -> None:
    said: list[Spoken] = [
        {},
        {0: "turn left, go forward 2 steps"},
        {1: "look down"},
        {0: None},
        {9: "turn 90 degrees right"},
    ]
    errands = [EpisodeRequest(task, SEEDS[1], spoken) for task in tasks(engine)[:2] for spoken in said]
    together = walk_all(engine, errands)
    for errand, walked in zip(errands, together, strict=True):
        assert same(walked, walk_all(engine, [errand])[0])


def test_who_waits_walks_only_to_the_first_request_without_an_answer(policies: EpisodeEngine) -> None:
    """What is told of it is the same as of the whole walk."""
    scene = VisitorWorld(policies.trained.material.world, PlaceNames(policies.goals.houses.values()))
    said: list[Spoken] = [{}, {0: "turn left"}, {0: None, 1: "look up, turn right"}, {2: "go forward"}]
    errands = [EpisodeRequest(task, SEEDS[1], spoken) for task in tasks(policies)[:3] for spoken in said]
    whole, short = walk_all(policies, errands), walk_all(policies, [each._replace(waits=True) for each in errands])
    for one, other in zip(whole, short, strict=True):
        assert list(walk_events(one, scene, waits=True)) == list(walk_events(other, scene, waits=True))
        waits = [i for i, step in enumerate(one.steps) if step.asked and not step.by_person]
        assert len(other.steps) == (waits[0] + 1 if waits else len(one.steps))


def test_who_answers_goes_on_as_if_all_had_been_walked_anew(trained: Trained, monkeypatch: pytest.MonkeyPatch) -> None:
    kept, anew = (EpisodeEngine(replace(trained, config=trained.config.asking("first"))) for _ in range(2))
    whole = {task: walk(kept, task, {}) for task in tasks(kept)[:2]}

    def nobody(*_: object) -> None:
        raise AssertionError("nothing has to be walked anew")

    answered = 0
    for task, walked in whole.items():
        spoken: dict[int, str | None] = {}
        while (step := next((i for i, each in enumerate(walked.steps) if each.asked and i not in spoken), None)) is not None:
            spoken = {**spoken, step: ("turn left", None, "go forward , go forward")[answered % 3]}
            with monkeypatch.context() as alone:
                alone.setattr("vnla.bcui.begin", nobody)
                walked = kept.walk(EpisodeRequest(task, 0, spoken, waits=True)).result(timeout=60)
            [again] = walk_all(anew, [EpisodeRequest(task, 0, spoken, waits=True)])
            assert same(walked, again), (task, spoken)
            answered += 1
    assert answered > len(whole), "some ask twice"


@pytest.mark.parametrize(
    ("policy", "together"), [pytest.param("first", True, marks=pytest.mark.slow), ("teacher", True), ("random", False)]
)
def test_who_are_answered_at_once_go_on_together_each_from_its_own_step(
    policy: str, together: bool, trained: Trained, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, anew = (EpisodeEngine(replace(trained, config=trained.config.asking(policy))) for _ in range(2))
    errands = []
    for number, task in enumerate(tasks(kept)):
        errand = EpisodeRequest(task, number, {})
        for answer in ("turn left", None)[: 1 + number % 2]:
            walked = kept.walk(errand).result(timeout=60)
            step = next((i for i, each in enumerate(walked.steps) if each.asked and i not in errand.spoken), None)
            if step is not None:
                errand = EpisodeRequest(task, number, {**errand.spoken, step: answer}, waits=True)
        if errand.spoken:
            errands.append(errand)
    assert len({max(errand.spoken) for errand in errands}) > 1, "at different steps"

    monkeypatch.setattr("vnla.bcui.begin", lambda *_: pytest.fail("nothing has to be walked anew"))
    batches = []
    monkeypatch.setattr(
        "vnla.serve.engine.bcui", lambda episodes, *a, **k: (batches.append(len(episodes)), bcui(episodes, *a, **k))[1]
    )
    waiting = [Waiting(errand, Future()) for errand in errands]
    kept._serve(waiting)
    assert batches[0] == len(errands) if together else batches == [1] * len(errands)
    monkeypatch.undo()
    for errand, future, _ in waiting:
        [again] = walk_all(anew, [errand])
        assert same(future.result(timeout=0), again), errand


def test_more_than_a_mind_has_room_for_is_walked_anew(engine: EpisodeEngine) -> None:
    task = tasks(engine)[0]
    step = next(i for i, each in enumerate(walk(engine, task, {}).steps) if each.asked)
    spoken = {step: " , ".join(["turn left"] * 40)}
    [again] = walk_all(engine, [EpisodeRequest(task, 0, spoken)])
    assert same(walk(engine, task, spoken), again)


def test_sizes_that_stay_fixed_as_on_a_gpu_change_nothing(trained: Trained, engine: EpisodeEngine) -> None:
    fixed = EpisodeEngine(trained)
    fixed.context = replace(fixed.context, batching=Batching(fixed=True))
    said: list[Spoken] = [{}, {0: "turn left, go forward 2 steps", 7: "look down", 8: "look up"}, {1: None}]
    errands = [
        EpisodeRequest(task, 0, spoken, waits) for task in tasks(engine)[:3] for spoken in said for waits in (False, True)
    ]
    assert all(same(one, other) for one, other in zip(walk_all(engine, errands), walk_all(fixed, errands), strict=True))


def test_words_that_it_does_not_know_are_refused_and_harm_nobody(engine: EpisodeEngine) -> None:
    with pytest.raises(InputError, match="'fly'"):
        engine.walk(EpisodeRequest(tasks(engine)[0], 0, {0: "fly away"}))
    assert walk(engine, tasks(engine)[0], {}).steps


def test_a_walk_that_fails_fails_alone(engine: EpisodeEngine) -> None:
    good, strange = tasks(engine)[0], replace(tasks(engine)[0], house="nowhere")
    bad, fine = (engine.walk(EpisodeRequest(task, 0, {})) for task in (strange, good))
    assert fine.result(timeout=60).steps
    with pytest.raises(InputError, match="nowhere"):
        bad.result(timeout=60)


def test_an_end_goal_in_words_is_a_task_of_the_house(engine: EpisodeEngine) -> None:
    house = next(iter(engine.goals.houses))
    known = engine.goals.known(house)
    assert known
    for each in known:
        task = engine.goals.task(house, each, seed=3)
        assert (task.end_goal, task.house) == (each, house)
        assert task.goals
    assert walk(engine, task, {}).steps
    with pytest.raises(InputError, match="nothing in this house"):
        engine.goals.task(house, "find a unicorn .", seed=0)


OTHERS = {
    "agent": ["--agent", "examples.agent:GruAgent", "--agent-option", "hidden=8", "--agent-option", "embedding=8"],
    "advisor": ["--advisor", "examples.advisor:Warmer", "--hidden", "8"],
    "sensor": ["--sensor", "requests,advice,examples.sensor:Homing", "--hidden", "8"],
}


@pytest.mark.parametrize("other", OTHERS)
def test_parts_of_ones_own_walk_and_hear_as_ours(other: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).parents[2])
    world, data = write_cottage(tmp_path)
    places = ["--world", world, "--tasks", data, "--features", "symbolic", "--help-policy", "first", *OTHERS[other]]
    with pytest.raises(SystemExit):
        cli.main([str(each) for each in ["train", tmp_path / "run", *places, "--iterations", 1, "--batch", 4, "--seed", 7]])
    engine = EpisodeEngine(open_trained(tmp_path / "run"))
    compiled = engine.trained.material.evaluation_tasks("test_unseen")
    for task in tasks(engine)[:2]:
        rollout = run_task(engine.context, compiled, task.id, seed=0, ratio=engine.ratio)
        account = follow(rollout, 0, engine.goals.houses[task.house], task, engine.context.advisor)
        plain, told = walk_all(
            engine, [EpisodeRequest(task, 0, {}), EpisodeRequest(task, 0, {0: "turn left, turn left, turn left"})]
        )
        assert [beat.action for beat in account.steps] == [step.action for step in plain.steps]
        assert [beat.said for beat in account.steps] == [step.advice for step in plain.steps]
        assert told.steps[0].advice == "turn left, turn left, turn left"
        assert told.steps[0].after != pytest.approx(plain.steps[0].after, abs=1e-9)


def test_a_voice_that_gives_way_to_a_person_remembers_what_the_advisor_behind_it_does() -> None:
    """Or else the advisor would be asked without the past that it looks at."""
    words = VOCABULARY.with_words(GrammarAdvisor().words())
    voices = (TemplateAdvisor().ready(words), GrammarAdvisor().ready(words))
    assert [PersonsVoice(each, (), words).remembers for each in voices] == [False, True]


def test_houses_that_are_ready_are_entered_before_others(engine: EpisodeEngine) -> None:
    names = ["one", "two", "three"]
    try:
        engine.ready = frozenset({"two"})
        assert {engine.enter(names) for _ in range(9)} == {"two"}
        assert engine.enter(["one"]) == "one"
    finally:
        engine.ready = frozenset()
