"""Lines on long work."""

from __future__ import annotations

from vnla.common.lines import Lines


def test_a_line_has_the_time_and_the_share() -> None:
    said: list[str] = []
    lines = Lines(said.append, every=0.0)
    assert lines.due
    lines.say(0.125, "loading")
    assert said == ["  0:00   12%  loading"]
    assert not Lines(said.append).due
