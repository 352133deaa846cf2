"""Parts that are chosen by name: ours by a short one, anybody's as `package.module:Class`, or by the name under which an
installed package offers them. A package says in its `pyproject.toml` what it has::

    [project.entry-points."vnla.agents"]
    memory = "their_package.agents:Memory"

An agent, a help policy, an advisor, a metric, an encoder or a source of pictures is a class that a command line or a file
names. Its options are the fields of its dataclass, or whatever its class is called with; what is wrong with a name or an
option is one line for the person who wrote it.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, TypeVar

from vnla.common.custom_parts import note, why
from vnla.common.errors import InputError
from vnla.common.outside import check_fields, from_json, shown

Part = TypeVar("Part")

GROUPS = {
    "agent": "vnla.agents",
    "advisor": "vnla.advisors",
    "help policy": "vnla.help_policies",
    "sensor": "vnla.sensors",
    "objective": "vnla.objectives",
    "metric": "vnla.metrics",
    "encoder": "vnla.encoders",
    "pictures": "vnla.pictures",
    "world": "vnla.worlds",
}
"""Kind of a part → the group of its entry points."""
EARLIER_GROUPS = {"sensor": "vnla.senses"}
"""Kind of a part → the earlier name of that group, which installed packages may still use."""


@dataclass(frozen=True)
class Offer:
    """A part that a package offers."""

    kind: str
    name: str
    target: str
    """`package.module:Class`."""
    package: str
    """What offers it, with its version where that is known."""
    entry: EntryPoint

    def load(self) -> Any:
        """The part itself. Whatever a third-party package does while it is imported, what is said of it is one line."""
        try:
            return self.entry.load()
        except (Exception, SystemExit) as error:
            raise InputError(f"{self.kind} {self.name}: cannot be imported from {self.package} ({why(error)})") from error


def offers(kind: str) -> list[Offer]:
    """Return what packages offer of a kind, sorted by name; a package that is found twice offers a thing once."""
    if kind not in GROUPS:
        return []
    found: dict[tuple[str, str], Offer] = {}
    groups = [GROUPS[kind], *([EARLIER_GROUPS[kind]] if kind in EARLIER_GROUPS else [])]
    for entry in (entry for group in groups for entry in entry_points(group=group)):
        package = "an unknown package" if entry.dist is None else f"{entry.dist.name} {entry.dist.version}"
        found.setdefault((entry.name, entry.value), Offer(kind, entry.name, entry.value, package, entry))
    return sorted(found.values(), key=lambda offer: (offer.name, offer.target))


def offered(kind: str, name: str) -> Offer | None:
    """What is offered under a name, if anything is; two packages that offer different things under one are refused."""
    found = [offer for offer in offers(kind) if offer.name == name]
    if len(found) > 1:
        sources = " and ".join(f"{offer.package} ({offer.target})" for offer in found)
        raise InputError(f"{kind} {name}: is offered by {sources}; say which, as package.module:Class")
    return found[0] if found else None


def find(kind: str, name: str, known: Mapping[str, Part]) -> Part:
    """The part of that name: one of `known`, which nobody can replace, what a package offers, or `package.module:Class`."""
    if name in known:
        return known[name]
    found: Part
    if ":" in name:
        found = _imported(kind, name)
        note(kind, name, name, found)
        return found
    offer = offered(kind, name)
    if offer is None:
        names = dict.fromkeys([*known, *(each.name for each in offers(kind))])
        raise InputError(f"{kind} {name}: unknown; choose from {', '.join(names)}, or name your own as package.module:Class")
    found = offer.load()
    note(kind, name, offer.target, found)
    return found


def build(
    kind: str, name: str, known: Mapping[str, Callable[..., Part]], options: Mapping[str, Any], base: type, **given: Any
) -> Part:
    """Return a part made with options: `known[name](**given, **options)`, with errors for people about the options.

    Files name parts, perhaps custom ones: whatever is not `known` is called only if it is a class made from `base`.
    """
    maker = find(kind, name, known)
    options = _renamed(f"{kind} {name}", getattr(maker, "RENAMED", {}), options)
    if name not in known and not (isinstance(maker, type) and issubclass(maker, base)):
        raise InputError(f"{kind} {name}: is not a class made from {base.__module__}.{base.__name__}")
    try:
        taken = option_names(maker)
    except (TypeError, ValueError) as error:
        raise InputError(f"{kind} {name}: {error}") from None
    allowed = [each for each in taken if each not in given] if taken is not None else None
    unknown = sorted(each for each in options if each in given or (allowed is not None and each not in allowed))
    if unknown:
        has = f"its options are {', '.join(allowed)}" if allowed else "it has no options"
        raise InputError(f"{kind} {name}: has no option {unknown[0]}; {has}")
    try:
        made = maker(**given, **options)
        if is_dataclass(made):
            check_fields(made)
        return made
    except InputError:
        raise
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{kind} {name}: {error}") from None
    except Exception as error:
        if name in known:
            raise  # a fault of ours
        raise InputError(f"{kind} {name}: cannot be made ({why(error)})") from error


def _renamed(who: str, names: Mapping[str, str], options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options under the names that they have now; files and people may use earlier ones."""
    found: dict[str, Any] = {}
    for name, value in options.items():
        if names.get(name, name) in found:
            raise InputError(f"{who}: has the option {names.get(name, name)} twice; {name} is its earlier or present name")
        found[names.get(name, name)] = value
    return found


def name_of(part: object, known: Mapping[str, object]) -> str:
    """Return the name under which `find` finds the class of a part."""
    kind = type(part)
    ours = next((name for name, each in known.items() if each is kind), None)
    return ours or f"{kind.__module__}:{kind.__qualname__}"


def option_names(maker: Callable[..., object]) -> list[str] | None:
    """Return what can be given to a maker by name; None if anything can."""
    parameters = inspect.signature(maker).parameters.values()
    if any(each.kind is inspect.Parameter.VAR_KEYWORD for each in parameters):
        return None
    return [each.name for each in parameters if each.kind is not inspect.Parameter.POSITIONAL_ONLY]


def options_of(texts: Sequence[str], where: str = "option") -> dict[str, Any]:
    """Options from `name=value` as people type them: numbers, true, false and null are what they look like, else text."""
    options = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip().isidentifier():
            raise InputError(f"{where} {text!r}: expected name=value")
        options[name.strip()] = _value(value.strip())
    return options


def _value(text: str) -> Any:
    try:
        return from_json(text)
    except ValueError:
        return text


def _imported(kind: str, name: str) -> Any:
    """What `package.module:Class` names. Whatever a third-party module does meanwhile, what is said of it is one line."""
    module_name, _, attribute = name.partition(":")
    if not all([*module_name.split("."), *attribute.split(".")]):  # `..module:Class` and the like
        raise InputError(f"{kind} {shown(name)}: is no name; expected package.module:Class")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)  # last: a file of that name in the working folder hides no package
    try:
        found: Any = importlib.import_module(module_name)
    except ImportError as error:
        raise InputError(f"{kind} {name}: module {module_name} cannot be imported ({error})") from None
    except (Exception, SystemExit) as error:  # whatever a third-party module does while it is imported
        raise InputError(f"{kind} {name}: module {module_name} cannot be imported ({why(error)})") from error
    for part in attribute.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            raise InputError(f"{kind} {name}: module {module_name} has no {attribute}") from None
        except Exception as error:  # a module may have a `__getattr__` of its own
            raise InputError(f"{kind} {name}: {attribute} cannot be had ({why(error)})") from error
    return found
