"""A guest behind an address that speaks our protocol: `vnla evaluate --agent http://HOST:PORT`."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, ClassVar

from vnla.common.errors import InputError
from vnla.remote.caller import Caller
from vnla.remote.guest import Answer, Beginning, Fault, Guest, Observation
from vnla.remote.protocol import (
    beginning_json,
    in_batch,
    observation_json,
    parsed,
    read_answer,
    read_answers,
    read_declared,
)


class Addressed(Guest):
    """Asks a server."""

    at_once: ClassVar[bool] = True

    def __init__(self, caller: Caller) -> None:
        """It says at once what it is."""
        self._call = caller
        where = f"{caller.address}/agent"
        reply = caller("/agent")
        if isinstance(reply, Fault):
            raise InputError(f"{where}: no agent answers there ({reply.value})")
        try:
            self.declared = read_declared(parsed(reply), where)
        except ValueError as error:
            raise error if isinstance(error, InputError) else InputError(f"{where}: is not JSON ({error})") from None

    def begin(self, beginnings: Sequence[Beginning]) -> Sequence[Fault | None]:
        """What it replies does not matter."""
        values = [beginning_json(each) for each in beginnings]
        value = values[0] if self._alone else in_batch("episodes", values)
        reply = self._call("/begin", value, most=len(values))
        return [reply if isinstance(reply, Fault) else None] * len(values)

    def act(self, observations: Sequence[Observation]) -> Sequence[Answer | Fault]:
        """Its answers."""
        values = [observation_json(each) for each in observations]
        noted = [_noted(each) for each in values]
        value, recorded = (each[0] if self._alone else in_batch("observations", each) for each in (values, noted))
        reply = self._call("/act", value, recorded=recorded, most=len(values))
        if isinstance(reply, Fault):
            return [reply] * len(values)
        try:
            found = parsed(reply)
        except ValueError:
            return [Fault.MALFORMED] * len(values)
        return [read_answer(found)] if self._alone else read_answers(found, len(values))

    @property
    def _alone(self) -> bool:
        return self.declared.batch == 1


def _noted(value: dict[str, Any]) -> dict[str, Any]:
    """What is written down of an observation: a picture and features as their checksums; the pose tells what they were."""
    noted = dict(value)
    if "picture" in value:
        noted["picture"] = checksum(value["picture"])
    if "features" in value:
        noted["features"] = {name: checksum(each) for name, each in value["features"].items()}
    return noted


def checksum(text: str) -> str:
    """What stands for a long text in a record."""
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"
