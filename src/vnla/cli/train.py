"""`vnla train`: train an agent or several, or go on with trainings."""

from __future__ import annotations

import itertools
import os
import signal
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from vnla.cli.console import LARGEST_SEED
from vnla.cli.options import AgentOption, BatchOption, DeviceOption, EagerOption
from vnla.cli.sharing import ShardOption, say_part
from vnla.cli.variants import Asked, variants_of
from vnla.common.errors import InputError
from vnla.common.registry import build, options_of

if TYPE_CHECKING:
    from vnla.assistance.advisor import Advisor
    from vnla.cli.train_view import View
    from vnla.common.tables import Room
    from vnla.training.config import RunConfig
    from vnla.training.ranks import Ranks

KINDS = {"indirect": (False, True), "direct": (True, True), "silent": (True, False)}
"""Kind of the paper's advisor → whether it acts for the agent, and whether it speaks."""


def train(
    context: typer.Context,
    run: Annotated[
        list[Path], typer.Argument(metavar="RUN...", help="Folder of a new run, or of runs that are there: they go on.")
    ],
    world: Annotated[
        Path | None, typer.Option(metavar="DIR", help="World folder; for a run that is there, where it is now.")
    ] = None,
    tasks: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Data set folder, made by `vnla tasks make`; likewise.")
    ] = None,
    features: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Features of the world, symbolic, or text. Several with commas between. [default: what the agent declares,"
            " or the world's choice]",
        ),
    ] = None,
    help_policy: Annotated[
        str,
        typer.Option(
            metavar="NAMES",
            help="none, first, random, learned, teacher; valued; cloning, imitation; or package.module:Class. Several with"
            " commas between.",
        ),
    ] = "learned",
    help_option: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="An option of the help policy; may be repeated.")
    ] = None,
    agent: AgentOption = "paper",
    agent_option: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="What the agent is made with; may be repeated.")
    ] = None,
    sense: Annotated[
        str,
        typer.Option(
            metavar="NAMES",
            help="What else the agent notices: clock, requests, advice, been, spotted; or package.module:Class. Several with"
            " commas between.",
        ),
    ] = "",
    veil: Annotated[
        float, typer.Option(min=0, max=0.95, help="Share of each view's numbers that an episode of training hides.")
    ] = 0.0,
    fold: Annotated[
        str, typer.Option(metavar="PART", help="Train in a part of the houses, e.g. 2/5, or in all but it, -2/5.")
    ] = "",
    timed: Annotated[bool, typer.Option("--timed", help="Train with the time that evaluation gives.")] = False,
    objective: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="imitation, as in the paper; worth: the help module learns what a request is worth, the rest stays; reward:"
            " learn from how episodes end; or package.module:Class.",
        ),
    ] = "imitation",
    objective_option: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="An option of the objective; may be repeated.")
    ] = None,
    begins_with: Annotated[
        Path | None,
        typer.Option(metavar="RUN", help="Begin with the agent of another run, its last, or with a checkpoint of one."),
    ] = None,
    iterations: Annotated[
        int,
        typer.Option(
            min=0,
            help="How many batches to train on; 0 for an agent as it is. A run that is there goes on to that many; its"
            " cooldown is at the new end.",
        ),
    ] = 100_000,
    batch: BatchOption = 100,
    learning_rate: Annotated[float, typer.Option(help="Adam's.")] = 1e-4,
    cooldown: Annotated[
        float,
        typer.Option(min=0, max=1, help="Share of the iterations in which the learning rate falls to zero at the end."),
    ] = 0.0,
    weight_decay: Annotated[float, typer.Option(help="Weight of the L2 norm.")] = 5e-4,
    dropout: Annotated[float, typer.Option(min=0, max=0.95, help="Dropout ratio.")] = 0.5,
    hidden: Annotated[int, typer.Option(min=1, help="Hidden size of LSTMs and help module.")] = 512,
    layers: Annotated[int, typer.Option(min=1, help="LSTM layers.")] = 1,
    ratio: Annotated[float, typer.Option(min=0, max=1, help="τ: share of the time with assistance.")] = 0.4,
    k: Annotated[int, typer.Option(min=1, max=8, help="Actions that a subgoal describes.")] = 4,
    advisor: Annotated[
        str,
        typer.Option(metavar="KIND", help="indirect, direct, or silent: direct without subgoals; or package.module:Class."),
    ] = "indirect",
    advisor_language: Annotated[
        str,
        typer.Option(metavar="NAME", help="How it speaks: template, as in the paper; grammar or speaker, as people do."),
    ] = "template",
    advisor_option: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE", help="An option of one's own advisor, of the grammar or the speaker; may be repeated."
        ),
    ] = None,
    easy: Annotated[bool, typer.Option("--easy", help="Subgoals with one phrase an action.")] = False,
    following: Annotated[
        bool,
        typer.Option("--following", help="Subgoals are followed by the agent itself, ever more of them, and it learns to."),
    ] = False,
    practice: Annotated[
        int,
        typer.Option(
            min=0, max=1000, metavar="N", help="N short walks beside each episode, in which the agent learns what is said."
        ),
    ] = 0,
    strange: Annotated[
        float,
        typer.Option(min=0, max=1, help="Share of the words there that are strange: known by their spelling, or none."),
    ] = 0.0,
    rules: Annotated[str, typer.Option(metavar="LETTERS", help="Rules of the help teacher.")] = "abcde",
    deviation: Annotated[float, typer.Option(min=0, help="δ of rule (a), metres.")] = 8.0,
    uncertainty: Annotated[float, typer.Option(help="ε of rule (b), nats.")] = 1.0,
    non_moving: Annotated[int, typer.Option(min=1, help="μ of rule (c), steps.")] = 9,
    beta: Annotated[float, typer.Option(min=0, max=1, help="How often the teacher acts under 'imitation'.")] = 0.5,
    keeps_ended: Annotated[
        bool, typer.Option("--keeps-ended", help="Ended episodes stay in the loss, as in the authors' code.")
    ] = False,
    validate_every: Annotated[int, typer.Option(min=1, help="Iterations between two validations.")] = 1000,
    precision: Annotated[str, typer.Option(metavar="NAME", help="float32, bfloat16, or tf32 on a GPU.")] = "float32",
    seed: Annotated[
        str, typer.Option(metavar="NUMBERS", help="Seed of everything random. Several with commas between.")
    ] = "0",
    variant: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=OPTIONS",
            help='Train one in RUN/NAME that has these options too, such as "clock=--sense clock"; may be repeated.',
        ),
    ] = None,
    feature_cache: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="Leave features on disk, with at most so much in memory, e.g. 4GB; or in the memory of the host, from which"
            " a GPU fetches them: host. [default: all in memory]",
        ),
    ] = None,
    device: DeviceOption = None,
    eager: EagerOption = False,
    threads: Annotated[int | None, typer.Option(min=0, help="Of the CPU. [default: as many as PyTorch takes]")] = None,
    shard: ShardOption = None,
) -> None:
    """Train an agent with I3L-BCUI (Algorithm 1). The defaults are the paper's hyperparameters.

    Ctrl-C saves and leaves; the same command, or just `vnla train RUN`, goes on where it was. Of a run that is there only
    --iterations may change, and --world and --tasks if they were moved; any other option has to be what it was. Several
    policies, seeds or variants are trained side by side, each in a folder of its own in RUN; so are several RUNs that are
    there. With --shard i/n some of them are trained, and --shard merge sees that all are finished. Under torchrun several
    processes train one run, each with a part of every batch.

    Example: vnla train runs/learned --world worlds/small --tasks tasks/small --iterations 2000

    Example: vnla train runs/learned --iterations 4000

    Example: torchrun --nproc-per-node 4 -m vnla train runs/learned --world worlds/small --tasks tasks/small

    Example: vnla train runs/policies --help-policy none,random,learned --world worlds/small --tasks tasks/small

    Example: vnla train runs/senses --variant none= --variant "clock=--sense clock" --world worlds/small --tasks tasks/small
    """
    options = {name: value for name, value in locals().items() if name in context.params}
    _, status = carry_out(context, options)
    if status:
        raise typer.Exit(status)


def carry_out(context: typer.Context, options: Mapping[str, Any]) -> tuple[list[Path], int]:
    """Train what is asked for by the options of the command; the folders of the runs, and the status to leave with."""
    from vnla.common.machine import device_named, loading, use_threads

    with loading("torch"):
        from vnla.common.tables import room_in
        from vnla.training.ranks import alike, joined, leaving_at_once

    wants = SimpleNamespace(**options)
    device = device_named(wants.device)
    use_threads(wants.threads)
    with leaving_at_once(), joined(device) as ranks:
        with alike(ranks):
            asked = variants_of(context, options, wants.run, wants.variant or [])
            runs = {path: config for each in asked for path, config in _runs(each).items()}
            cache = None if wants.feature_cache is None else room_in(wants.feature_cache)
        how = How(device, wants.eager, ranks, cache)
        status = _run(runs, how) if wants.shard is None else _share(wants.run, runs, wants.shard, how)
    return list(runs), status


def _runs(asked: Asked) -> dict[Path, RunConfig | None]:
    """The runs that are asked for, with what to begin or to go on with."""
    wants, given = asked.options, asked.given
    policies = _policies(wants.help_policy.split(","), wants.beta, options_of(wants.help_option or [], "--help-option"))
    variants = _variants(asked.folders, _wanted(wants, given), policies, _numbers(wants.seed))
    return {path: _config(path, variant, given, wants.beta) for path, variant in variants}


def _wanted(wants: Any, given: Set[str]) -> RunConfig:
    """The configuration that options ask for, but for policy and seed."""
    from vnla.assistance.help_teacher import HelpTeacher
    from vnla.training.config import RunConfig, TrainingConfig
    from vnla.vision.encoders import DEFAULT
    from vnla.vision.views import default_features

    if wants.agent != "paper":
        _refuse(
            given & {"hidden", "layers", "dropout"},
            f"belongs to the paper's agent, not to {wants.agent}; try --agent-option",
        )
    if wants.advisor not in KINDS:
        _refuse(
            given & {"k", "easy", "advisor_language"},
            f"belongs to the paper's advisor, not to {wants.advisor}; try --advisor-option",
        )
    sizes = {"hidden": wants.hidden, "help_hidden": wants.hidden, "layers": wants.layers, "dropout": wants.dropout}
    seen, noticed = _declared(wants.agent, default_features(Path(wants.world)) if wants.world else DEFAULT)
    advised = options_of(wants.advisor_option or [], "--advisor-option")
    return RunConfig(
        world=_absolute(wants.world),
        tasks=_absolute(wants.tasks),
        features=wants.features or seen,
        keeps_ended=wants.keeps_ended,
        validate_every=wants.validate_every,
        training=TrainingConfig(
            wants.iterations,
            wants.batch,
            wants.learning_rate,
            wants.weight_decay,
            wants.ratio,
            0,
            wants.precision,
            wants.cooldown,
        ),
        advisor=_advisor(wants.advisor, wants.advisor_language, wants.k, wants.easy, advised),
        teacher=HelpTeacher(wants.rules, wants.deviation, wants.uncertainty, wants.non_moving),
        agent=wants.agent,
        agent_options={
            **(sizes if wants.agent == "paper" else {}),
            **options_of(wants.agent_option or [], "--agent-option"),
        },
        senses=wants.sense if "sense" in given else noticed,
        timed=wants.timed,
        fold=wants.fold,
        veil=wants.veil,
        following=wants.following,
        practice=wants.practice,
        strange=wants.strange,
        objective=wants.objective,
        objective_options=options_of(wants.objective_option or [], "--objective-option"),
        begins_with=_absolute(wants.begins_with),
    )


def _absolute(path: Path | str | None) -> str:
    return str(Path(path).absolute()) if path else ""


def _declared(agent: str, usual: str) -> tuple[str, str]:
    """The features and the senses that an agent declares to see, the usual ones if it does not."""
    from vnla.agents.observing import features_for, senses_for
    from vnla.agents.registry import class_of

    if agent == "paper":
        return usual, ""
    kind = class_of(agent)
    return features_for(kind, usual), senses_for(kind)


def _refuse(options: Set[str], why: str) -> None:
    """Options that would be ignored are not taken."""
    for name in sorted(options):
        raise InputError(f"--{name.replace('_', '-')}: {why}")


def _advisor(kind: str, language: str, k: int, easy: bool, options: Mapping[str, Any]) -> Advisor:
    """The paper's advisor of a kind, one of that kind that speaks otherwise, or anybody's."""
    from vnla.assistance.advisor import Advisor, TemplateAdvisor
    from vnla.language.registry import advisor_named

    if kind in KINDS and language != "template":
        _refuse({"easy"} if easy else set(), f"belongs to the language template, not to {language}")
        direct, speaks = KINDS[kind]
        return advisor_named(language, options, k=k, direct=direct, speaks=speaks)
    if kind in KINDS:
        _refuse({"advisor_option"} if options else set(), "is for advisors of one's own; the paper's has --k and --easy")
        return TemplateAdvisor(k, *KINDS[kind], not easy)
    kinds: dict[str, Callable[..., Advisor]] = dict.fromkeys(KINDS, TemplateAdvisor)
    return build("advisor", kind, kinds, options, Advisor)


def _policies(names: Sequence[str], beta: float, options: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Policy → its options."""
    if options and len(names) > 1:
        raise InputError("--help-option: is for one help policy; train them one after the other")
    return {name: {**({"beta": beta} if name == "imitation" else {}), **options} for name in names}


KEPT: dict[str, Callable[[RunConfig], Any]] = {
    "features": lambda config: config.features,
    "help_policy": lambda config: config.help_policy,
    "help_option": lambda config: config.help_options,
    "agent": lambda config: config.agent,
    "agent_option": lambda config: config.agent_options,
    "sense": lambda config: config.senses,
    "timed": lambda config: config.timed,
    "fold": lambda config: config.fold,
    "veil": lambda config: config.veil,
    "following": lambda config: config.following,
    "practice": lambda config: config.practice,
    "strange": lambda config: config.strange,
    "objective": lambda config: config.objective,
    "objective_option": lambda config: config.objective_options,
    "begins_with": lambda config: config.begins_with,
    "batch": lambda config: config.training.batch,
    "learning_rate": lambda config: config.training.learning_rate,
    "cooldown": lambda config: config.training.cooldown,
    "weight_decay": lambda config: config.training.weight_decay,
    "dropout": lambda config: _size(config, "dropout"),
    "hidden": lambda config: _size(config, "hidden"),
    "layers": lambda config: _size(config, "layers"),
    "ratio": lambda config: config.training.ratio,
    "k": lambda config: config.advisor.k,
    "advisor": lambda config: _kind(config.advisor),
    "advisor_language": lambda config: _language(config.advisor),
    "advisor_option": lambda config: vars(config.advisor),
    "easy": lambda config: not getattr(config.advisor, "aggregate", True),
    "rules": lambda config: config.teacher.rules,
    "deviation": lambda config: config.teacher.deviation,
    "uncertainty": lambda config: config.teacher.uncertainty,
    "non_moving": lambda config: config.teacher.non_moving,
    "beta": lambda config: config.help_options.get("beta"),
    "keeps_ended": lambda config: config.keeps_ended,
    "validate_every": lambda config: config.validate_every,
    "precision": lambda config: config.training.precision,
    "seed": lambda config: config.training.seed,
}
"""The options that a run keeps: where its configuration has them."""

FREE = {"run", "world", "tasks", "iterations", "variant", "feature_cache", "device", "eager", "threads", "shard"}
"""Those that may be given anew."""


def _size(config: RunConfig, name: str) -> Any:
    from vnla.agents.config import AgentConfig

    return config.agent_options.get(name, getattr(AgentConfig, name))


def _kind(advisor: Advisor) -> str:
    """What the option calls an advisor."""
    from vnla.common.registry import name_of
    from vnla.language.registry import ADVISORS

    if not isinstance(advisor, tuple(ADVISORS.values())):
        return name_of(advisor, ADVISORS)
    return next(name for name, kind in KINDS.items() if kind == (advisor.direct, advisor.speaks))


def _language(advisor: Advisor) -> str:
    """What the option calls how an advisor speaks."""
    from vnla.common.registry import name_of
    from vnla.language.registry import ADVISORS

    return name_of(advisor, ADVISORS)


def _config(path: Path, wanted: RunConfig, given: Set[str], beta: float) -> RunConfig | None:
    """The configuration to begin a run with, or to go on with where there is one: its own, with what may be given anew."""
    from vnla.training.checkpoints import CONFIG, is_begun
    from vnla.training.config import RunConfig

    saved = RunConfig.read(path / CONFIG) if is_begun(path) else None
    if saved and "help_policy" not in given:
        wanted = wanted.asking(saved.help_policy, _own_options(saved, given, beta) | wanted.help_options)
    if wanted.help_policy != "imitation":
        _refuse(given & {"beta"}, "belongs to the help policy imitation")
    if saved is None:
        if bool(wanted.world) != bool(wanted.tasks):
            raise InputError(f"{path}: a new run needs both --world and --tasks")
        return wanted if wanted.world else None
    for name, value in KEPT.items():
        if name in given and value(saved) != value(wanted):
            option = "--" + name.replace("_", "-")
            raise InputError(f"{path}: {option}: this run has {value(saved)}, you gave {value(wanted)}; give a new folder")
    iterations = (wanted if "iterations" in given else saved).training.iterations
    return replace(
        saved,
        world=wanted.world or saved.world,
        tasks=wanted.tasks or saved.tasks,
        training=replace(saved.training, iterations=iterations),
    )


def _own_options(saved: RunConfig, given: Set[str], beta: float) -> dict[str, Any]:
    """The options of a run's help policy where no other policy is named, with what was given anew."""
    return {**saved.help_options, **({"beta": beta} if "beta" in given and saved.help_policy == "imitation" else {})}


def _variants(
    folders: Sequence[Path], config: RunConfig, policies: Mapping[str, Mapping[str, Any]], seeds: Sequence[int]
) -> list[tuple[Path, RunConfig]]:
    """A run for each policy and seed, in folders named by what differs; with one of each the runs that the folders hold.

    `policies` are the options of each.
    """
    from vnla.training.checkpoints import is_begun, runs_in

    variants = [
        ([policy] * (len(policies) > 1) + [f"seed{seed}"] * (len(seeds) > 1), policy, seed)
        for policy, seed in itertools.product(policies, seeds)
    ]
    one = len(variants) == 1
    paths = [path for folder in folders for path in runs_in(folder)] if one else list(folders)
    if len(folders) > 1 and not (one and (not config.world or all(map(is_begun, paths)))):
        raise InputError("give one folder for new runs; with several policies or seeds each gets a folder in it")
    return [
        (
            path / "-".join(differs) if differs else path,
            replace(config.asking(policy, policies[policy]), training=replace(config.training, seed=seed)),
        )
        for path in paths
        for differs, policy, seed in variants
    ]


def _numbers(text: str) -> list[int]:
    numbers = [int(each) for each in text.split(",") if each.strip().isdecimal()]
    if len(numbers) != len(text.split(",")) or max(numbers) > LARGEST_SEED:
        raise InputError(f"--seed {text}: give whole numbers from 0 to {LARGEST_SEED}, with commas between several")
    return numbers


@dataclass(frozen=True)
class How:
    """How runs are trained, which nothing depends on."""

    device: str
    eager: bool
    ranks: Ranks | None
    cache: Room | None


def _share(folders: Sequence[Path], wanted: Mapping[Path, RunConfig | None], which: str, how: How) -> int:
    """Train the runs of a shard, or see that all are finished; the status to leave with."""
    from vnla.pipeline.shards.shard import MERGE, Shard
    from vnla.pipeline.shards.trainings import check_finished, share_of, training_parts

    if how.ranks is not None:
        raise InputError("--shard: several processes train one run together; give each shard a process of its own")
    runs = {path: config for path, config in wanted.items() if config is not None}
    if len(folders) > 1 or len(runs) < len(wanted):
        raise InputError("--shard: give one RUN, with --world and --tasks, and several policies, seeds or variants to share")
    parts = training_parts(folders[0], runs)
    if which == MERGE:
        check_finished(runs, len(parts.complete()))
        parts.remove()
        typer.echo(f"{folders[0]}: all {len(runs)} runs are finished")
        return 0
    shard = Shard.parse(which)
    mine = share_of(shard, runs)
    with parts.making(shard):  # also where it was finished: a run may have been removed since
        status = _run(mine, how)
    if not status:
        say_part(parts, shard, {"runs": len(mine)}, new=True)
    return status


def _run(wanted: Mapping[Path, RunConfig | None], how: How) -> int:
    """Train what is not finished, and show it; the status to leave with."""
    from vnla.cli.train_view import shown
    from vnla.training.checkpoints import open_run
    from vnla.training.ranks import alike
    from vnla.training.run import DivergedError

    ranks = how.ranks
    quiet = ranks is not None and not ranks.writes
    with alike(ranks):
        over = {path: config for path, config in wanted.items() if config is not None and _is_over(path, config)}
        runs = {path: open_run(path, config) for path, config in wanted.items() if path not in over}
    for path, config in over.items() if not quiet else ():
        typer.echo(f"{path}: has done its {config.training.iterations:,} iterations; --iterations N goes further")
    if not runs:
        return 0
    train_together = _trainer(how)
    with shown(runs, Console(stderr=True, quiet=quiet)) as view:
        try:
            ended = train_together(
                list(runs.items()), how.device, view.audience(), eager=how.eager, ranks=ranks, cache=how.cache
            )
        except DivergedError as error:
            view.ends(diverged=error.lines)
            raise
        if ended is None:
            view.ends()
    if ended is not None:
        if not quiet:
            typer.echo(_farewell(signal.Signals(ended).name, view), err=True)
        if view.told > 1:  # at once: neither a file that is being written nor Python's tidying up is waited for
            os._exit(128 + ended)
    return 128 + ended if ended is not None else 0


def _trainer(how: How) -> Callable[..., int | None]:
    """What trains; for a GPU, which gets ready meanwhile, with what compiles."""
    from vnla.common.machine import awaken, loading

    with loading("torch._dynamo"):
        from vnla.common.capture import load_compilers
        from vnla.training.together import train_together, use_lanes

        if how.device != "cpu" and not how.eager:
            use_lanes()
            if how.ranks is None:
                awaken(how.device)
            load_compilers()
    return train_together


def _is_over(path: Path, config: RunConfig) -> bool:
    """Whether a run is finished, and nothing about it was said anew."""
    from vnla.training.checkpoints import CONFIG, is_begun, is_finished
    from vnla.training.config import RunConfig

    return is_begun(path) and is_finished(path, config) and RunConfig.read(path / CONFIG) == config


def _farewell(name: str, view: View) -> str:
    again = "`vnla train " + " ".join(str(path) for path in view.runs) + "`"
    if not view.loaded:
        return f"stopped by {name} while loading; nothing was written"
    if view.told > 1:
        return f"stopped by {name} at once; {again} goes on from the last checkpoint"
    return f"stopped by {name} and saved; {again} goes on where it was"
