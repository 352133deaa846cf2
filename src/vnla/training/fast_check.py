"""Holds the mind that an agent learns with against the plain one, before anything is learned.

A fast mind contains the agent's equations once more. Whether they are still the same is not left to trust: a few episodes
are walked with the plain mind, without dropout, and what it decided in every step is decided again by the other one from the
same views, actions and words. If they differ, the training does not begin.

On a GPU that takes seconds. That it went well is kept on disk, beside the kernels that were compared, for as long as nothing
changes: neither this program's code nor the agent's layers, nor PyTorch, the GPU and the precision.
"""

from __future__ import annotations

import json
from contextlib import suppress
from functools import partial
from pathlib import Path

import torch

from vnla.agents.policy_state import PolicyState
from vnla.assistance.words import Utterance
from vnla.bcui import bcui, begin, feature_dropout_of, log_distribution, seen
from vnla.common import checksums, files
from vnla.common.errors import InputError
from vnla.common.returned import check_finite, check_tensor
from vnla.common.selection import take_rows
from vnla.common.strangers import called, is_ours
from vnla.episode import StepContext
from vnla.rollout import Rollout, RolloutContext, Transition
from vnla.tasks.task_set import TaskSet
from vnla.world.actions import NAV_ACTIONS, NAV_START, ask_action

EPISODES = 8
"""Walked for the comparison."""
TOLERANCE = {"float32": 1e-3, "tf32": 0.1}
"""Precision → how far the logarithms of two probabilities may be apart."""


def check_fast(context: RolloutContext, tasks: TaskSet, precision: str, kept: Path | None) -> None:
    """Compare them, unless that has been done and is in the folder of what is `kept`."""
    if kept is None or not is_ours(context.agent):  # the checksum is of our code alone
        compare_fast(context, tasks, precision)
        return
    about = {
        "program": checksums.of_program(),
        "agent": repr(context.agent),
        "torch": torch.__version__,
        "device": _name(tasks.key.device),
        "precision": precision,
    }
    file = kept / "minds" / f"{checksums.of_json(about)}.json"
    if _is_kept(file, about):
        return
    difference = compare_fast(context, tasks, precision)
    with suppress(OSError):  # it will be compared again
        file.parent.mkdir(parents=True, exist_ok=True)
        files.write_text(file, json.dumps({"compared": about, "difference": difference}, indent=1))


def _name(device: torch.device) -> str:
    return torch.cuda.get_device_name(device) if device.type == "cuda" else device.type


def _is_kept(file: Path, about: dict[str, str]) -> bool:
    """Whether a file says that these were compared; where they differ none is written."""
    try:
        told = files.read_json(file, "a comparison")
    except InputError:
        return False
    return isinstance(told, dict) and told.get("compared") == about


def compare_fast(context: RolloutContext, tasks: TaskSet, precision: str = "float32") -> float:
    """The largest difference between what the plain mind and the learning one decide; refused where it is too large.

    Where both are of one kind there is nothing to compare, and the difference is 0. Of an agent that is not ours it is seen
    to, either way, that it decides at all.
    """
    episodes = tasks.episodes(torch.arange(min(EPISODES, len(tasks)), device=tasks.key.device), seed=0)
    training = context.agent.training
    context.agent.eval()
    try:
        learning = begin(episodes, context).policy_state
        with torch.no_grad():
            if not is_ours(context.agent):
                _check_decisions(context, bcui(episodes, context, longest=2))
            if type(begin(episodes, context).policy_state) is type(learning):
                return 0.0
            difference = max(_differences(context, bcui(episodes, context), learning), default=0.0)
    finally:
        context.agent.train(training)
    if not difference <= TOLERANCE[precision]:
        who = type(context.agent).__name__
        raise InputError(
            f"agent {who}: the mind it would learn with and the plain one differ by {difference:.3g} in the logarithm of a"
            " probability; the equations in vnla.agents.fast are not those of the agent"
        )
    return difference


def _check_decisions(context: RolloutContext, rollout: Rollout) -> None:
    """Whether what a stranger's agent decided in its first steps are probabilities of the six actions."""
    who = called("agent", context.agent)
    for transition in rollout.transitions:
        check_tensor(who, "the policy state's decide", transition.final, (len(transition.row), NAV_ACTIONS), torch.float32)
        check_finite(
            who,
            "the policy state's decide",
            transition.final.nan_to_num(torch.nan, None, 0.0),
            f" at step {transition.step}",
        )


def _differences(context: RolloutContext, rollout: Rollout, policy_state: PolicyState) -> list[float]:
    """How far `policy_state` is from what was decided, moment by moment, when it is led through the same walk."""
    environment = rollout.episodes.environment
    row = torch.arange(len(rollout.episodes), device=rollout.episodes.key.device)
    nav = torch.full_like(row, NAV_START)
    feature_dropout, found = feature_dropout_of(rollout.episodes, context), []
    for transition in rollout.transitions:
        rest = torch.searchsorted(row, transition.row)
        if len(rest) < len(row):
            policy_state = take_rows(policy_state, rest)
        nav, row = nav[rest], transition.row
        answer = policy_state.read(transition.request, partial(Utterance, transition.heard, transition.phrases))
        view = seen(_situation(transition, rollout), context, take_rows(feature_dropout, transition.row))
        for name, values in view.items():
            who, method = (f"sense {name}", "__call__") if name in context.sensors else (f"features {name}", "a view")
            check_finite(who, method, values, f" at step {transition.step}")
        policy_state = policy_state.see(view, nav)
        policy_state = policy_state.hear(transition.request & context.advisor.speaks, answer)
        decision, policy_state = policy_state.decide(ask_action(transition.request & context.help_policy.invited))
        nav = transition.nav
        again = log_distribution(decision.logits, environment.blocked(transition.pose))
        apart = torch.where(again == transition.final, 0.0, (again - transition.final).abs())  # both may be infinite
        found.append(float(apart.nan_to_num(torch.inf).max()))
    return found


def _situation(transition: Transition, rollout: Rollout) -> StepContext:
    """What there was to see at a moment."""
    return StepContext(
        take_rows(rollout.episodes, transition.row), transition.step, transition.pose, transition.unmoved, transition.budget,
        transition.tentative, transition.tentative[:, :0], since_request=transition.since_request, past=transition.past,
    )  # fmt: skip
