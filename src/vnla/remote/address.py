"""An agent behind an address that speaks our protocol: `vnla evaluate --agent http://HOST:PORT`."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from vnla.common.errors import InputError
from vnla.observation import Observation
from vnla.remote.caller import Caller
from vnla.remote.evaluated_agent import Answer, EvaluatedAgent, Fault
from vnla.remote.protocol import (
    BASE64,
    in_batch,
    observation_json,
    parsed,
    read_answer,
    read_answers,
    read_declaration,
    reset_json,
    reset_path,
)


class Addressed(EvaluatedAgent):
    """Asks a server."""

    concurrent = True

    def __init__(self, caller: Caller) -> None:
        """It says at once what it is."""
        self._call = caller
        where = f"{caller.address}/agent"
        reply = caller("/agent")
        if isinstance(reply, Fault):
            raise InputError(f"{where}: no agent answers there ({reply.value})")
        try:
            self.declaration = read_declaration(parsed(reply), where)
        except ValueError as error:
            raise error if isinstance(error, InputError) else InputError(f"{where}: is not JSON ({error})") from None

    def start(self, observations: Sequence[Observation]) -> Sequence[Fault | None]:
        """Say that episodes begin. What it replies does not matter."""
        values = [reset_json(each, self.declaration) for each in observations]
        value = values[0] if self._takes_one else in_batch("episodes", values, self.declaration)
        reply = self._call(reset_path(self.declaration), value, most=len(values))
        return [reply if isinstance(reply, Fault) else None] * len(values)

    def act(self, observations: Sequence[Observation]) -> Sequence[Answer | Fault]:
        """Ask for answers."""
        values = [observation_json(each, self.declaration) for each in observations]
        noted = [_noted(each) for each in values]
        value, recorded = (
            each[0] if self._takes_one else in_batch("observations", each, self.declaration) for each in (values, noted)
        )
        reply = self._call("/act", value, recorded=recorded, most=len(values))
        if isinstance(reply, Fault):
            return [reply] * len(values)
        try:
            found = parsed(reply)
        except ValueError:
            return [Fault.MALFORMED] * len(values)
        return [read_answer(found)] if self._takes_one else read_answers(found, len(values))

    @property
    def _takes_one(self) -> bool:
        return self.declaration.batch == 1


def _noted(value: dict[str, Any]) -> dict[str, Any]:
    """What is written down of an observation: a picture and features as their checksums; the pose tells what they were."""
    noted = value | {key: checksum(value[key]) for key in BASE64 if key in value}
    if "features" in value:  # of version 1
        noted["features"] = {name: checksum(each) for name, each in value["features"].items()}
    return noted


def checksum(text: str | list[str]) -> str:
    """What stands for a long text, or for several, in a record."""
    return f"sha256:{hashlib.sha256(''.join(text).encode()).hexdigest()}"
