"""Asking if and only if the next action is wrong, over whole episodes of an agent that has learned nothing."""

from __future__ import annotations

import torch

from cottage_players import FOLLOWING, TASKS, context
from vnla.assistance.if_wrong import AskIfWrong
from vnla.bcui import bcui
from vnla.episode import start, step_context
from vnla.evaluation.evaluate import greedy
from vnla.world.actions import NAV_ACTIONS, Nav

EVERY = torch.arange(len(TASKS))


def test_it_asks_exactly_where_the_most_probable_action_is_not_the_teachers() -> None:
    """As long as it may. The agent would stop everywhere, and is led along the teacher's way: only the goal is right."""
    taking_part = context(FOLLOWING, AskIfWrong())
    with greedy(taking_part.agent):
        rollout = bcui(TASKS.episodes(EVERY, seed=7, ratio=0.32), taking_part)
    wrong = rollout.every("tentative").argmax(dim=1) != rollout.every("taught")
    assert torch.equal(rollout.every("request"), wrong & (rollout.every("budget") > 0))
    assert rollout.every("request").any() and (wrong & (rollout.every("budget") == 0)).any() and not wrong.all()


def test_whoever_would_turn_left_with_the_teacher_does_not_ask() -> None:
    """Task 1 begins in the west of the living room, looking south, and ends in the kitchen, to the east."""
    episodes = TASKS.episodes(EVERY[1:2].expand(NAV_ACTIONS), seed=7)
    taught = episodes.environment.nav_teacher(episodes.start, episodes.goals)
    asks = AskIfWrong()(step_context(start(episodes, k=4), 0, torch.eye(NAV_ACTIONS)))
    assert asks.tolist() == [action != taught[0] for action in Nav]
    assert Nav(int(taught[0])) is Nav.LEFT
