"""What must be settled before any test is imported: without a GPU, Triton runs its kernels in Python.

It decides so when it is imported, and `torch.compile` imports it, too. Who only hands tests out to workers, which wait for
that one to begin, imports neither. And no example of a property is wrong for being slow: the machine may be busy. Ctrl-C is
what it is in a terminal, though a shell has it ignored in the background. Garbage is looked for less often: among all that
is imported here, that takes a thirtieth of the time. And the command is here, which tests of every kind run.
"""

from __future__ import annotations

import gc
import signal
from importlib.util import find_spec

import pytest
from hypothesis import settings

from command import Answer, Vnla
from once import share

settings.register_profile("busy", deadline=None, max_examples=30)
settings.load_profile("busy")
gc.set_threshold(20_000)
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure(config: pytest.Config) -> None:
    hands_out = config.getoption("dist", "no") != "no" and not hasattr(config, "workerinput")
    if hands_out or find_spec("triton") is None:
        return
    import torch

    if not torch.cuda.is_available():
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("TRITON_INTERPRET", "1")
            __import__("triton")


@pytest.fixture(scope="session", autouse=True)
def shared(tmp_path_factory: pytest.TempPathFactory) -> None:
    """What takes long is made by one of the processes for all."""
    share(tmp_path_factory)


@pytest.fixture
def vnla(capfd: pytest.CaptureFixture[str]) -> Vnla:
    """The command, run in this process."""
    from vnla.cli import main

    def run(*arguments: object) -> Answer:
        with pytest.raises(SystemExit) as left:
            main([str(argument) for argument in arguments])
        captured = capfd.readouterr()
        assert isinstance(left.value.code, int)
        return Answer(left.value.code, captured.out, captured.err)

    return run
