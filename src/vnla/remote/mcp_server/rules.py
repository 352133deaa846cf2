"""The rules of the task in words, as a client is told them."""

from __future__ import annotations

from vnla.evaluation.scores import SUCCESS_RADIUS
from vnla.observation import PICTURES, TEXT, TEXT_AROUND
from vnla.remote.mcp_server.setting import OfferedTasks

URI = "vnla://rules"

_ROUND = """\
You walk through a house to find something. Call start: it gives a task and shows what is in front of you. Then look, act and
ask until the episode ends, and call score. Read the resource {uri} for all rules."""
_SESSION = " Where start replies a session, give that session with every other call."

NEXT_TASK = """\
Do the next task: call start, then look, act and ask until the episode has ended, then score, and tell me how it went. Plan
your time steps and requests. Do not read files of this machine that tell about the house."""
"""What a person has their model do who chooses the prompt of this name."""
_RULES = """\
# Rules

You walk through a house that you do not know, to find something in it, such as "{example}".

- You stand at one of the places of the house and look in one direction. {shown} The view is about 80 degrees wide and 60
  high: what is beside or behind you is not in it.
- An episode has a number of time steps, and each action takes one. left and right turn by 30 degrees. up and down tilt the
  view by 30 degrees. forward walks to the place to go to that is nearest to the middle of the view. stop ends the episode.
  An action that is not possible changes nothing and takes its time step all the same.
- An advisor knows the way. ask requests help: a limited number of times in an episode, once in a time step, and without
  taking time. The advisor says what to do next, {k} actions at most, from where you stand and look.
- look, status and list_tasks take no time.
- Stop when you are within {radius:g} metres of what you seek, in the right room: nothing can be done after it. The episode
  also ends when the time is over. What counts is where you are then.
- Nothing tells how far away it is, or whether you have found it, before the episode has ended. Then score does.
- {once}
"""
_ONCE = """\
Each task can be started once. One that is given up, or left for long, counts as it stands, as if the rest of its time had
  passed without action."""
_AGAIN = "Nothing is kept: a task can be started again, for practice."


def instructions(*, sessionless: bool) -> str:
    """What a client tells its model of the server, in a few lines; clients may come without a session."""
    return _ROUND.format(uri=URI) + (_SESSION if sessionless else "")


def rules_of(offered: OfferedTasks, *, once: bool) -> str:
    """All rules, in Markdown; whether each task can be started `once` alone."""
    kinds = " and ".join(name for name, key in (("in words", TEXT), ("as a picture", PICTURES)) if offered.shows(key))
    around = " look with around also tells what is all around, with the exits." if offered.shows(TEXT_AROUND) else ""
    return _RULES.format(
        example=offered.tasks[0].end_goal,
        shown=f"You are shown what is in view {kinds}.{around}",
        k=offered.rules.advisor.k,
        radius=SUCCESS_RADIUS,
        once=_ONCE if once else _AGAIN,
    )
