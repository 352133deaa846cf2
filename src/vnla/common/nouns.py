"""Plurals and articles: inflect, the library that the paper uses."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from inflect import engine


@cache
def nouns() -> engine:
    """Return the library's engine, made when somebody first asks.

    When it is imported, inflect has the arguments of each of its functions checked by typeguard, which rewrites them one by
    one: three seconds of the processor in every process that makes a task. Ours are texts; so it is imported without.
    """
    try:
        import typeguard
    except ImportError:  # another version, which checks nothing
        import inflect

        return inflect.engine()
    checked = typeguard.typechecked
    typeguard.typechecked = _unchecked
    try:
        import inflect

        return inflect.engine()
    finally:
        typeguard.typechecked = checked


def _unchecked(target: Any = None, **_options: Any) -> Any:
    return target if target is not None else _unchecked
