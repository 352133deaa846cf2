"""`vnla list`: what parts there are to choose from, ours and those that other packages offer."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from importlib import import_module
from typing import Annotated, Any

import typer

from vnla.cli.console import plain, print_json
from vnla.cli.help import first_sentence
from vnla.common.errors import InputError
from vnla.common.registry import Offer, offers
from vnla.report.printing import Table

OURS = "vnla"


@dataclass(frozen=True)
class PartKind:
    """A kind of part."""

    name: str
    """What `vnla.common.registry` calls it."""
    ours: str | Callable[[], Mapping[str, Any]]
    """Where ours stand by name: a dictionary in a module, or what gives one."""
    chosen: str
    """How one is chosen."""
    given: frozenset[str] = frozenset()
    """What it is made with that is no option."""
    configured: Mapping[str, str] = field(default_factory=dict)
    """Those of ours whose options are the fields of another class."""

    def parts(self) -> Mapping[str, Any]:
        """Ours."""
        if not isinstance(self.ours, str):
            return self.ours()
        parts: Mapping[str, Any] = _found(self.ours)
        return parts

    def maker(self, name: str, part: Any) -> Any:
        """What the options of one of ours are taken from."""
        return _found(self.configured[name]) if name in self.configured else part


def _found(target: str) -> Any:
    module, _, name = target.partition(":")
    return getattr(import_module(module), name)


def _advisors() -> Mapping[str, Any]:
    """The paper's goes by what it does."""
    from vnla.assistance.advisor import TemplateAdvisor
    from vnla.language.registry import ADVISORS, CHAT, advisor_class
    from vnla.training.options import ADVISOR_KINDS

    others = {name: part for name, part in ADVISORS.items() if part is not TemplateAdvisor} | {CHAT: advisor_class(CHAT)}
    return {**dict.fromkeys(ADVISOR_KINDS, TemplateAdvisor), **others}


KINDS = {
    "agents": PartKind(
        "agent",
        "vnla.agents.registry:AGENTS",
        "vnla train --agent",
        frozenset({"sizes", "words", "view_size"}),
        {
            "paper": "vnla.agents.config:AgentConfig",
            "panorama": "vnla.agents.panorama_agent:PanoramaConfig",
            "listener": "vnla.agents.listener.agent:ListenerConfig",
        },
    ),
    "advisors": PartKind("advisor", _advisors, "vnla train --advisor", frozenset({"direct", "speaks", "model"})),
    "help-policies": PartKind("help policy", "vnla.assistance.registry:HELP_POLICIES", "vnla train --help-policy"),
    "sensors": PartKind(
        "sensor",
        "vnla.agents.sensor_registry:SENSORS",
        "vnla train --sensor",
        frozenset({"table", "tables", "keys", "chances"}),  # what a world is compiled to
    ),
    "objectives": PartKind("objective", "vnla.training.objectives.registry:OBJECTIVES", "vnla train --objective"),
    "metrics": PartKind("metric", "vnla.evaluation.metrics:METRICS", "vnla evaluate --metric"),
    "encoders": PartKind(
        "encoder", "vnla.vision.encoders:ENCODERS", "vnla features make --encoder", frozenset({"name", "options"})
    ),
    "pictures": PartKind("pictures", "vnla.houses.pictures:SOURCES", "vnla world set --pictures", frozenset({"world"})),
    "worlds": PartKind("world", "vnla.houses.sources:WORLDS", "vnla world import from"),
}
EARLIER_NAMES = {"senses": "sensors"}
"""Earlier name of a kind → its name now."""


def kind_named(name: str) -> str:
    """Return the name of a kind of part, which may be given by its earlier one."""
    found = EARLIER_NAMES.get(name, name)
    if found not in KINDS:
        raise InputError(f"{name}: no such kind of part; choose from {', '.join(KINDS)}")
    return found


@dataclass(frozen=True)
class PartLine:
    """What is told of a part."""

    name: str
    source: str
    """The package that it comes from."""
    about: str
    options: dict[str, Any] = field(default_factory=dict)
    """With their defaults; one that has to be given has None."""
    problem: str | None = None
    """Why it cannot be chosen by its name, if it cannot."""


def list_(
    kind: Annotated[str | None, typer.Argument(metavar="KIND", help=f"{', '.join(KINDS)}. [default: all]")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """List the parts that can be chosen by name: those of vnla, and those that other installed packages offer.

    Example: vnla list agents

    Example: vnla list --json
    """
    kind = None if kind is None else kind_named(kind)
    found = {name: list(lines(each)) for name, each in KINDS.items() if kind in (None, name)}
    if as_json:
        print_json({name: [asdict(each) for each in listed] for name, listed in found.items()})
        return
    console = plain()
    for name, listed in found.items():
        title = f"{name}: {KINDS[name].chosen} NAME"
        table = Table("name", "from", "what it is", "options", title=title, title_justify="left")
        table.columns[0].no_wrap = True
        for each in listed:
            about = each.about if each.problem is None else f"{each.problem}. {each.about}".strip()
            table.add_row(each.name, each.source, about, ", ".join(_option(*pair) for pair in each.options.items()))
        console.print(table)


def lines(kind: PartKind) -> Iterator[PartLine]:
    """Ours, then those that packages offer."""
    ours = kind.parts()
    for each, part in ours.items():
        yield PartLine(
            f"{each}…" if each.endswith(":") else each, OURS, about(part), options(kind.maker(each, part), kind.given)
        )
    offered = offers(kind.name)
    for offer in offered:
        yield _line(offer, kind, ours, [each.name for each in offered].count(offer.name) > 1)


def _line(offer: Offer, kind: PartKind, ours: Mapping[str, Any], twice: bool) -> PartLine:
    """What a package offers; whatever is wrong with it is told of it alone."""
    problem = f"hidden by vnla's own; choose it as {offer.target}" if offer.name in ours else None
    problem = f"offered twice; choose it as {offer.target}" if twice and problem is None else problem
    try:
        part = offer.load()
    except InputError as error:
        return PartLine(offer.name, offer.package, "", problem=str(error).partition(": ")[2])
    return PartLine(offer.name, offer.package, about(part), options(part, kind.given), problem)


def about(part: Any) -> str:
    """The first sentence of what is written on a part."""
    if not isinstance(part, type) and not inspect.isroutine(part):
        unit = getattr(part, "unit", None)
        return "" if unit is None else f"in {unit}{', lower is better' if part.lower_is_better else ''}"
    note = getattr(part, "note", "")
    said = first_sentence(inspect.getdoc(part) or "")
    return f"{said} Note: {note}." if isinstance(note, str) and note else said


def options(part: Any, given: frozenset[str]) -> dict[str, Any]:
    """What a part can be made with, and what it is made with if nobody says."""
    if not (isinstance(part, type) or inspect.isroutine(part)):
        return {}
    try:
        parameters = list(inspect.signature(part).parameters.values())
    except (TypeError, ValueError):
        return {}
    named = [each for each in parameters if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)]
    return {each.name: _plain(each.default) for each in named if each.name not in given}


def _option(name: str, default: Any) -> str:
    return name if default is None else f"{name}={default}"


def _plain(value: Any) -> Any:
    """A default as JSON has it."""
    if value is inspect.Parameter.empty or value is dataclasses.MISSING:
        return None
    return value if isinstance(value, str | int | float | bool | None) else str(value)
