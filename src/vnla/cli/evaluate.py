"""`vnla evaluate`: how well a trained agent does (`vnla.cli.trial`), somebody else's (`vnla.cli.guests`), or people
(`vnla.cli.recorded`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vnla.cli.console import is_given
from vnla.cli.options import CheckpointOption, DeviceOption, EpisodesOption, OtherTasksOption, RatioOption, ThreadsOption
from vnla.cli.outcome import Output, check_places
from vnla.cli.recorded import score_recorded_file
from vnla.cli.sharing import ShardOption
from vnla.cli.trial import Speaking, Trial, try_runs
from vnla.common.errors import InputError
from vnla.common.registry import options_of

if TYPE_CHECKING:
    from vnla.cli.guests import Invitation

TESTS = ("test_seen", "test_unseen")


def evaluate(
    context: typer.Context,
    run: Annotated[
        Path | None,
        typer.Argument(
            metavar="RUN", help="Folder of a run or of several, or: pretrained. Or give --agent.", show_default=False
        ),
    ] = None,
    agent: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Not a run: http://HOST:PORT, openai:MODEL, scripted, planner or yours, a.b:C."),
    ] = None,
    split: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="val_seen, …, test_unseen; may be repeated.")
    ] = None,
    seeds: Annotated[
        int | None, typer.Option(min=1, max=5, help="How many of the authors' five seeds. [default: 5; with --agent 1]")
    ] = None,
    subset: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="N tasks of a split, the same for everybody. [default: all]")
    ] = None,
    help_policy: Annotated[
        str | None, typer.Option(metavar="NAME", help="none, first, random, teacher or learned. [default: the run's]")
    ] = None,
    ratio: RatioOption = None,
    k: Annotated[int | None, typer.Option(min=1, max=8, help="Actions a subgoal describes. [default: the run's]")] = None,
    advisor_language: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The advisor: template, grammar, speaker or yours, a.b:C. [default: the run's]"),
    ] = None,
    advisor_option: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="An option of that advisor, e.g. says=synonyms; may be repeated."),
    ] = None,
    checkpoint: CheckpointOption = None,
    tasks: OtherTasksOption = None,
    world: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="World for --agent and for pretrained, or where the run's has moved to."),
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A metric of your own, package.module:name; may be repeated."),
    ] = None,
    results: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write results files in the authors' format here.")
    ] = None,
    sweep: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Also evaluate with more and less help (τ from 0 to 1) and draw it into DIR."),
    ] = None,
    as_json: Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Write the summary to this file.")] = None,
    as_csv: EpisodesOption = None,
    npz: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write all that happened here, an evaluation.npz for each split.")
    ] = None,
    recorded: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Score instead what people did: a results file, of vnla study export, say."),
    ] = None,
    device: DeviceOption = None,
    threads: ThreadsOption = None,
    shard: ShardOption = None,
    agent_option: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="With --agent: what it is made with; may be repeated.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="With --agent: episodes and calls, to go on from. [default: evaluations/NAME]"),
    ] = None,
    on_error: Annotated[
        str, typer.Option(metavar="WHAT", help="With --agent: a wrong answer costs a step (stay), or ends all (stop).")
    ] = "stay",
    concurrency: Annotated[int, typer.Option(min=1, max=256, help="With --agent: calls at a time.")] = 8,
    timeout: Annotated[float, typer.Option(min=0.01, help="With --agent: seconds for one try of a call.")] = 60,
    retries: Annotated[int, typer.Option(min=0, max=20, help="With --agent: tries after the first.")] = 3,
    give_up: Annotated[
        int, typer.Option(min=0, help="With --agent: leave after so many calls in a row without an answer; 0: never.")
    ] = 20,
    key_variable: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="With --agent: variable that holds a key. [default: OPENAI_API_KEY for openai:]"),
    ] = None,
    base_url: Annotated[
        str | None, typer.Option(metavar="URL", help="With openai: where it is, such as http://localhost:8000/v1.")
    ] = None,
    observe: Annotated[str, typer.Option(metavar="WHAT", help="With openai: picture, text or both.")] = "picture",
    prompt: Annotated[
        Path | None, typer.Option(metavar="FILE", help="With openai: a prompt. [default: the package's]")
    ] = None,
    max_calls: Annotated[int | None, typer.Option(min=0, help="With openai: no more calls than this.")] = None,
    max_tokens: Annotated[int | None, typer.Option(min=0, help="With openai: no more tokens than this.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="With openai: say what it may cost, and leave.")] = False,
) -> None:
    """Success rate, room-finding, navigation error and more, with 95% intervals over the seeds of the help budgets.

    With --shard i/n a part of the evaluations of --npz DIR is carried out, and kept in DIR.shards; with --shard merge all
    are put together, and everything is printed and written as without it.

    Example: vnla evaluate runs/learned --split test_seen --split test_unseen --sweep pictures

    Example: vnla evaluate runs/policies --csv episodes.csv --metric examples.metric:steps_after_help

    Example: vnla evaluate pretrained --world worlds/small --tasks tasks/small

    Example: vnla evaluate --recorded data/results.json --world worlds/small --tasks tasks/small

    Example: vnla evaluate --agent http://localhost:8000 --world worlds/small --tasks tasks/small --subset 200
    """
    from vnla.cli.guests import tell_of
    from vnla.common.machine import use_threads
    from vnla.evaluation.metrics import metrics_named

    given = {name: value for name, value in locals().items() if name in context.params}
    use_threads(threads)
    if recorded is not None:
        if any(is_given(context, name) for name in given if name not in _OF_RECORDED):
            raise InputError(
                "--recorded scores what was done; it takes only --world, --tasks, --split, --metric, --json and --csv"
            )
        score_recorded_file(recorded, run, world, tasks, split or (), metrics_named(metric or ()), as_json, as_csv)
        return
    if agent is not None:
        invitation, output = invitation_of(context, given), Output("", results, npz, None)
        check_places([*output.places(invitation.splits), as_json, as_csv])
        tell_of(invitation, output, as_json, as_csv)
        return
    trial = trial_of(context, given)
    if run is None:
        raise InputError("say which RUN to evaluate, or which --agent, or which --recorded FILE to score")
    outputs = {"results": results, "npz": npz, "sweep": sweep, "as_json": as_json, "as_csv": as_csv}
    try_runs(run, trial, splits_of(split), shard=shard, **outputs)


def splits_of(given: Sequence[str] | None) -> list[str]:
    """The splits to evaluate on, each once."""
    return list(dict.fromkeys(given or TESTS))


def trial_of(context: typer.Context, options: Mapping[str, Any]) -> Trial:
    """How runs are to be evaluated by the options of the command."""
    from vnla.common.machine import device_named
    from vnla.evaluation.evaluate import SEEDS
    from vnla.evaluation.metrics import metrics_named

    _refuse(context, False, _OF_GUESTS, "needs --agent")
    wants = SimpleNamespace(**options)
    speaking = Speaking(wants.advisor_language, options_of(wants.advisor_option or [], "--advisor-option"), wants.k)
    return Trial(
        SEEDS[: wants.seeds or len(SEEDS)], wants.help_policy, wants.ratio, speaking, wants.checkpoint,
        metrics_named(wants.metric or ()), wants.world, wants.tasks, device_named(wants.device), wants.subset,
    )  # fmt: skip


def invitation_of(context: typer.Context, options: Mapping[str, Any]) -> Invitation:
    """Who that is not a run is to be evaluated by the options of the command, and how."""
    from vnla.cli.guests import Invitation, Spending
    from vnla.evaluation.evaluate import SEEDS
    from vnla.evaluation.metrics import metrics_named
    from vnla.remote.caller import Manner
    from vnla.remote.episode import ON_ERROR
    from vnla.world.budgets import HELP_RATIO

    wants = SimpleNamespace(**options)
    _refuse(context, wants.run is not None, _OF_RUNS, f"is for runs; --agent {wants.agent} decides by itself")
    return Invitation(
        wants.agent, wants.world, wants.tasks, splits_of(wants.split), SEEDS[: wants.seeds or 1],
        metrics_named(wants.metric or ()), HELP_RATIO if wants.ratio is None else wants.ratio,
        Speaking(wants.advisor_language, options_of(wants.advisor_option or [], "--advisor-option"), wants.k), wants.subset,
        wants.out, _one_of("--on-error", wants.on_error, ON_ERROR), wants.concurrency,
        Manner(wants.timeout, wants.retries, give_up=wants.give_up), wants.base_url, wants.observe, wants.prompt,
        wants.key_variable, options_of(wants.agent_option or [], "--agent-option"),
        Spending(wants.max_calls, wants.max_tokens, wants.dry_run),
    )  # fmt: skip


_OF_RECORDED = (
    "recorded", "run", "world", "tasks", "split", "metric", "as_json", "as_csv", "device", "threads",
)  # fmt: skip
_OF_RUNS = ("help_policy", "checkpoint", "sweep", "shard")
_OF_GUESTS = (
    "agent_option", "out", "on_error", "concurrency", "timeout", "retries", "give_up", "key_variable", "base_url", "observe",
    "prompt", "max_calls", "max_tokens", "dry_run",
)  # fmt: skip


def _refuse(context: typer.Context, both: bool, options: Sequence[str], why: str) -> None:
    """Refuse what belongs to the other kind of agent."""
    given = [name for name in options if is_given(context, name)]
    if both or given:
        raise InputError(f"{'RUN' if both else '--' + given[0].replace('_', '-')} {why}")


def _one_of(option: str, value: str, choices: Sequence[str]) -> str:
    if value not in choices:
        raise InputError(f"{option} {value}: choose from {', '.join(choices)}")
    return value
