"""Signals as something to look at."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from vnla.common import stopping
from vnla.common.stopping import Interrupted, Stop, signals_noted


def send(number: int) -> None:
    os.kill(os.getpid(), number)


def test_a_signal_is_noted_and_stops_nothing() -> None:
    heard: list[tuple[int | None, int]] = []
    with signals_noted(lambda stop: heard.append((stop.number, stop.times))) as stop:
        assert stop.number is None
        send(signal.SIGTERM)
        assert stop.number == signal.SIGTERM
    assert heard == [(signal.SIGTERM, 1)]
    with pytest.raises(KeyboardInterrupt):
        send(signal.SIGINT)


def test_the_same_signal_sent_twice_in_one_breath_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    with signals_noted() as stop:
        send(signal.SIGTERM)
        send(signal.SIGTERM)
        assert stop.times == 1
        monkeypatch.setattr(stopping, "AT_ONCE", 0.0)
        send(signal.SIGINT)
        assert (stop.number, stop.times) == (signal.SIGINT, 2)


def test_what_is_raised_is_raised_where_the_work_is() -> None:
    def refuse(stop: Stop) -> None:
        raise Interrupted(stop.number or 0)

    with signals_noted(refuse), pytest.raises(Interrupted, match="SIGINT"):
        send(signal.SIGINT)


def test_another_thread_than_the_main_one_hears_nothing_and_works() -> None:
    found: list[int | None] = []

    def work() -> None:
        with signals_noted() as stop:
            found.append(stop.number)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [None]
