"""The one error that is meant for the person at the keyboard."""

from __future__ import annotations


class InputError(ValueError):
    """Something given to us is wrong: a file, a record, an option.

    The message is one line that says what is wrong, where, and what to do. Commands print it and leave with status 2.
    """

    def __init__(self, message: str = "") -> None:
        super().__init__(" ".join(message.splitlines()))  # a name that it quotes may have several


INTERRUPTED = 130
"""Exit status of a command that Ctrl-C has ended, as shells have it."""
INTERRUPTION = "vnla: interrupted\n"
"""What such a command says."""
