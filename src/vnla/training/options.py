"""The options of a training: from what a person gives to a configuration, and back.

Most options are fields of `RunConfig` and `TrainingConfig`. The classes here declare those that a configuration keeps inside
its parts: the advisor, the help teacher, the help policy imitation.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vnla.agents.config import AgentConfig
from vnla.common.errors import InputError
from vnla.common.options import OWN, fields_from, flag_of, option, options_in, refuse
from vnla.common.registry import build, name_of
from vnla.training.config import RunConfig, TrainingConfig

if TYPE_CHECKING:
    from vnla.assistance.advisor import Advisor

ADVISOR_KINDS = {"indirect": (False, True), "direct": (True, True), "silent": (True, False)}
"""Kind of the paper's advisor → whether it acts for the agent, and whether it speaks."""
IMITATION = "imitation"


@dataclass(frozen=True)
class AdvisorOptions:
    """The paper's advisor of some kind, one of that kind that speaks otherwise, or anybody's."""

    k: int = option(4, "Actions that a subgoal describes.", min=1, max=8)
    advisor: str = option(
        "indirect", "indirect, direct, or silent: direct without subgoals; or package.module:Class.", metavar="KIND"
    )
    advisor_language: str = option(
        "template", "How the advisor speaks: template, as in the paper; grammar or speaker, as people do.", metavar="NAME"
    )
    advisor_option: dict[str, Any] = option(
        dict, "An option of the grammar, of the speaker, or of an advisor of your own; may be repeated.", metavar=OWN
    )
    easy: bool = option(False, "Subgoals with one phrase an action.")

    def make(self) -> Advisor:
        """Return the advisor."""
        from vnla.assistance.advisor import Advisor, TemplateAdvisor
        from vnla.language.registry import advisor_named, for_training

        if self.advisor not in ADVISOR_KINDS:
            known = dict.fromkeys(ADVISOR_KINDS, TemplateAdvisor)
            return for_training(build("advisor", self.advisor, known, self.advisor_option, Advisor))
        direct, speaks = ADVISOR_KINDS[self.advisor]
        if self.advisor_language != "template":
            if self.easy:
                raise InputError(f"--easy: belongs to the language template, not to {self.advisor_language}")
            role = {"k": self.k, "direct": direct, "speaks": speaks}
            return for_training(advisor_named(self.advisor_language, self.advisor_option, **role))
        if self.advisor_option:
            raise InputError("--advisor-option: is for advisors of one's own; the paper's has --k and --easy")
        return TemplateAdvisor(self.k, direct, speaks, not self.easy)

    @classmethod
    def of(cls, advisor: Advisor) -> AdvisorOptions:
        """Return the options that make an advisor."""
        from vnla.language.registry import ADVISORS

        language = kind = name_of(advisor, ADVISORS)
        if isinstance(advisor, tuple(ADVISORS.values())):
            kinds = {acts: name for name, acts in ADVISOR_KINDS.items()}
            kind = kinds.get((advisor.direct, advisor.speaks), language)
        return cls(advisor.k, kind, language, vars(advisor), not getattr(advisor, "aggregate", True))


@dataclass(frozen=True)
class TeacherOptions:
    """The fields of `vnla.assistance.help_teacher.HelpTeacher`, which is imported late."""

    rules: str = option("abcde", "Rules of the help teacher.", metavar="LETTERS")
    deviation: float = option(8.0, "δ of rule (a), metres.", min=0)
    uncertainty: float = option(1.0, "ε of rule (b), nats.")
    non_moving: int = option(9, "μ of rule (c), steps.", min=1)


@dataclass(frozen=True)
class ImitationOptions:
    """What the help policy imitation has."""

    beta: float = option(0.5, "How often the teacher acts under 'imitation'.", min=0, max=1)


CONFIGURED = (RunConfig, TrainingConfig, AgentConfig, AdvisorOptions, TeacherOptions, ImitationOptions)
"""All that a run keeps of the options of a command."""


def config_from(values: Mapping[str, Any], given: Set[str]) -> RunConfig:
    """Return the configuration that options ask for, but for help policy and seed.

    `given` are those that a person gave.
    """
    from vnla.agents.registry import AGENTS
    from vnla.assistance.help_teacher import HelpTeacher
    from vnla.vision.encoders import DEFAULT
    from vnla.vision.views import default_features

    agent, advisor = values["agent"], values["advisor"]
    sizes = fields_from(AgentConfig, values)
    if agent not in AGENTS:
        refuse(given & {*sizes}, f": belongs to the agents {' and '.join(AGENTS)}, not to {agent}; try --agent-option")
        sizes = {}
    if advisor not in ADVISOR_KINDS:
        others = given & {"k", "easy", "advisor_language"}
        refuse(others, f": belongs to the paper's advisor, not to {advisor}; try --advisor-option")
    chosen = fields_from(RunConfig, values)
    features, sensors = _declared(agent, default_features(Path(values["world"])) if values["world"] else DEFAULT)
    if sizes:
        sizes = {"hidden": sizes["hidden"], "help_hidden": sizes["hidden"], **sizes}
    chosen["agent_options"] = sizes | chosen["agent_options"]
    chosen["features"] = chosen["features"] or features
    if "sensor" not in given:
        chosen["sensors"] = sensors
    return RunConfig(
        **chosen,
        training=TrainingConfig(**fields_from(TrainingConfig, values)),
        advisor=AdvisorOptions(**fields_from(AdvisorOptions, values)).make(),
        teacher=HelpTeacher(**fields_from(TeacherOptions, values)),
    )


def _declared(agent: str, usual: str) -> tuple[str, str]:
    """Return the features and the sensors that an agent declares, the usual ones if it does not."""
    from vnla.agents.observing import features_for, sensors_for
    from vnla.agents.registry import class_of

    kind = class_of(agent)
    return features_for(kind, usual), sensors_for(kind)


FREE = {"world", "tasks", "iterations"}
"""Options that a run which is there may be given anew."""


def kept_options(config: RunConfig) -> dict[str, Any]:
    """Return the options that a run keeps, with their values in its configuration."""
    sizes = {each.name: config.agent_options.get(each.field, each.default) for each in options_in(AgentConfig)}
    parts: tuple[tuple[type[Any], Any], ...] = (
        (RunConfig, config),
        (TrainingConfig, config.training),
        (AdvisorOptions, AdvisorOptions.of(config.advisor)),
        (TeacherOptions, config.teacher),
    )
    kept = {each.name: getattr(part, each.field) for kind, part in parts for each in options_in(kind)}
    return {**kept, **sizes, "beta": config.help_options.get("beta")}


def config_to_go_on(path: Path, saved: RunConfig, wanted: RunConfig, given: Set[str]) -> RunConfig:
    """Return the configuration of a run that goes on: its own, with what may be given anew."""
    had, asked = kept_options(saved), kept_options(wanted)
    for name in (name for name in had if name in given - FREE and had[name] != asked[name]):
        raise InputError(f"{path}: {flag_of(name)}: this run has {had[name]}, you gave {asked[name]}; give a new folder")
    iterations = (wanted if "iterations" in given else saved).training.iterations
    return replace(
        saved,
        world=wanted.world or saved.world,
        tasks=wanted.tasks or saved.tasks,
        training=replace(saved.training, iterations=iterations),
    )


Policies = Mapping[str, dict[str, Any]]
"""Help policy → its options."""


def policies_from(values: Mapping[str, Any]) -> Policies:
    """Return the help policies that options name, with their options."""
    own = next(each for each in options_in(RunConfig) if each.field == "help_options").read(values["help_option"])
    names = values["help_policy"].split(",")
    if own and len(names) > 1:
        raise InputError("--help-option: is for one help policy; train them one after the other")
    return {name: {**({"beta": values["beta"]} if name == IMITATION else {}), **own} for name in names}
