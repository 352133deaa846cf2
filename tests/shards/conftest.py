"""The command, run in this process."""

from __future__ import annotations

import pytest

from command import Answer, Vnla
from vnla.cli import main


@pytest.fixture
def vnla(capfd: pytest.CaptureFixture[str]) -> Vnla:
    def run(*arguments: object) -> Answer:
        with pytest.raises(SystemExit) as left:
            main([str(argument) for argument in arguments])
        captured = capfd.readouterr()
        assert isinstance(left.value.code, int)
        return Answer(left.value.code, captured.out, captured.err)

    return run
