"""Calls to one address over HTTP: bounded in time and size, tried again with back-off and jitter, each one recorded.

Nothing that a server does is an error of ours: whatever comes of a call is its bytes or a `Fault`.
"""

from __future__ import annotations

import contextlib
import email.utils
import http.client
import json
import math
import random
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from vnla.common.errors import InputError
from vnla.common.outside import check_fields
from vnla.remote.folder import Journal
from vnla.remote.participant import Fault
from vnla.remote.redaction import Secret

LARGEST = 1 << 16
"""Bytes of an answer of one episode."""
AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504})
"""HTTP statuses that another try may change."""
LONGEST_WAIT = 300.0
"""Seconds; a server that wants to be left alone for longer is asked again then."""
_LONGEST_TIMEOUT = 1e6  # seconds; the system's clocks count no further than some years
_SHOWN = 300


class UnreachableError(InputError):
    """So many calls in a row had no answer that nobody seems to be there."""


@dataclass(frozen=True)
class Manner:
    """How to call."""

    timeout: float = 60.0
    """Seconds for one try, from the first byte sent to the last one read."""
    retries: int = 3
    """Tries after the first."""
    back_off: float = 0.5
    """Seconds before the second try; twice as many before each other one."""
    give_up: int = 20
    """Calls in a row without an answer after which it is no use to go on; 0: never."""
    largest: int = LARGEST

    def __post_init__(self) -> None:
        check_fields(
            self, timeout=(0.001, _LONGEST_TIMEOUT), retries=(0, 1000), back_off=(0, LONGEST_WAIT), give_up=(0, math.inf)
        )


class Address(NamedTuple):
    """Where to call."""

    secure: bool
    host: str
    port: int | None
    path: str

    @classmethod
    def of(cls, url: str) -> Address:
        """An address as people write it."""
        try:
            found = urlsplit(url)
            port = found.port
        except ValueError as error:
            raise InputError(f"address {url}: {error}") from None
        if found.scheme not in ("http", "https") or not found.hostname:
            raise InputError(f"address {url}: expected http://HOST:PORT or https://HOST")
        if found.username is not None or found.password is not None:
            raise InputError("address: it has a password in it, which would be written down; put a key into the environment")
        if found.query or found.fragment:
            raise InputError(f"address {url}: expected it without ? and #")
        return cls(found.scheme == "https", found.hostname, port, found.path.rstrip("/"))

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http{'s' * self.secure}://{host}{f':{self.port}' if self.port else ''}{self.path}"


class _Failure(Exception):  # noqa: N818
    def __init__(self, fault: Fault, why: str, *, again: bool = True, wait: float = 0.0) -> None:
        super().__init__(why)
        self.fault, self.again, self.wait = fault, again, wait


class Caller:
    """Calls an address, from any thread, over connections that are kept."""

    def __init__(
        self, address: Address, manner: Manner | None = None, journal: Journal | None = None, key: str | None = None
    ) -> None:
        """Every try is noted in the journal. `key` goes into a header, and nowhere else: where a server repeats it, it is
        taken out of the reply."""
        self.address, self.manner, self._journal, self._key = address, manner or Manner(), journal, key
        self._secret = Secret(key) if key else None
        if self.is_secret_in(str(address)):
            raise InputError("address: it has the key in it, which would be written down; the key is sent in a header")
        self._kept = threading.local()
        self._lock, self._in_a_row = threading.Lock(), 0

    def __call__(
        self,
        path: str,
        value: Any = None,
        *,
        recorded: Any = None,
        before: Callable[[], None] = lambda: None,
        after: Callable[[bytes | Fault], dict[str, Any]] = lambda _: {},
        most: int = 1,
    ) -> bytes | Fault:
        """POST a value as JSON, or GET where there is none; the reply's bytes. `most` answers may be in it.

        `recorded` stands for the value in the journal. `before` is called before every try, `after` with what came of it:
        what it gives is noted too.
        """
        body = None if value is None else json.dumps(value).encode()
        fault, why = Fault.NO_ANSWER, ""
        for attempt in range(self.manner.retries + 1):
            before()
            began = time.monotonic()
            note = {"path": path, "attempt": attempt + 1, "request": value if recorded is None else recorded}
            try:
                reply = self._try(path, body, most)
            except _Failure as failure:
                fault, why = failure.fault, self._hidden(str(failure))
                self._note(note | {"fault": fault.value, "reply": why} | after(fault), began)
                if not failure.again or attempt == self.manner.retries:
                    break
                time.sleep(max(failure.wait, self._wait(attempt)))
                continue
            self._note(note | {"reply": reply.decode("utf-8", "replace")} | after(reply), began)
            self._in_a_row = 0
            return reply
        self._missed(fault, why)
        return fault

    def _wait(self, attempt: int) -> float:
        """Seconds before another try; not the same for all who try."""
        return min(LONGEST_WAIT, self.manner.back_off * 2.0**attempt) * random.uniform(0.5, 1.0)

    def _missed(self, fault: Fault, why: str) -> None:
        if fault is Fault.TOO_LARGE:
            return
        with self._lock:
            self._in_a_row += 1
            if self.manner.give_up and self._in_a_row >= self.manner.give_up:
                raise UnreachableError(
                    f"{self.address}: no answer to {self._in_a_row} calls in a row ({why[:_SHOWN]}); what is "
                    "done is kept: run the same command again when it answers, or with --give-up 0 to count them all"
                )

    def _note(self, note: dict[str, Any], began: float) -> None:
        if self._journal is not None:
            said = {name: self._hidden(note[name]) for name in ("request", "reply")}
            self._journal.add(note | said | {"seconds": round(time.monotonic() - began, 3)}, at_once=False)

    def is_secret_in(self, value: Any) -> bool:
        """Whether the key stands in what is to be written down."""
        return self._secret is not None and self._secret.is_in(value)

    def _hidden(self, value: Any) -> Any:
        """The same without the key, which a server might repeat."""
        return value if self._secret is None else self._secret.out_of(value)

    def _try(self, path: str, body: bytes | None, most: int) -> bytes:
        """One try; an old connection that the server has closed meanwhile does not count."""
        old = getattr(self._kept, "connection", None) is not None
        try:
            return self._exchange(path, body, most)
        except _Failure as failure:
            if not (old and failure.fault is Fault.NO_ANSWER):
                raise
        return self._exchange(path, body, most)

    def _exchange(self, path: str, body: bytes | None, most: int) -> bytes:
        connection = getattr(self._kept, "connection", None) or self._connection()
        self._kept.connection = None  # put back when all went well
        late = threading.Event()

        def end() -> None:
            late.set()
            with contextlib.suppress(OSError, AttributeError, ValueError):
                connection.sock.shutdown(socket.SHUT_RDWR)

        alarm = threading.Timer(self.manner.timeout, end)
        alarm.daemon = True
        alarm.start()
        failure: _Failure | None
        try:
            reply, failure = self._talk(connection, path, body, self.manner.largest * most), None
        except _Failure as error:
            failure = error
        except Exception as error:  # whatever a stranger's server makes http.client or ssl stumble over
            failure = _Failure(Fault.NO_ANSWER, f"{type(error).__name__}: {error}")
            if isinstance(error, TimeoutError):
                late.set()
        finally:
            alarm.cancel()
        if late.is_set():  # what was read until then may look whole
            failure = _Failure(Fault.LATE, f"no answer within {self.manner.timeout:g} s")
        if failure is not None:
            connection.close()
            raise failure
        self._kept.connection = connection
        return reply

    def _connection(self) -> http.client.HTTPConnection:
        kind = http.client.HTTPSConnection if self.address.secure else http.client.HTTPConnection
        return kind(self.address.host, self.address.port, timeout=self.manner.timeout)

    def _talk(self, connection: http.client.HTTPConnection, path: str, body: bytes | None, largest: int) -> bytes:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        connection.request("GET" if body is None else "POST", self.address.path + path, body, headers)
        response = connection.getresponse()
        reply = response.read(largest + 1)
        if len(reply) > largest:
            raise _Failure(Fault.TOO_LARGE, f"more than {largest:,} bytes: {self._beginning(reply)}…", again=False)
        if not 200 <= response.status < 300:
            why = f"HTTP {response.status}: {self._beginning(reply)}"
            wait = retry_after(response.getheader("Retry-After"))
            raise _Failure(Fault.HTTP_ERROR, why, again=response.status in AGAIN, wait=wait)
        missing = response.getheader("Content-Length") and int(response.getheader("Content-Length") or 0) - len(reply)
        if missing:
            raise _Failure(Fault.NO_ANSWER, f"the reply broke off {missing:,} bytes before its end")
        return reply if self._secret is None else self._secret.out_of_reply(reply)

    def _beginning(self, reply: bytes) -> str:
        """How a reply begins. The key is taken out first: of one that is cut in two nobody would find the first half."""
        text: str = self._hidden(reply.decode("utf-8", "replace"))
        return text[:_SHOWN]


def retry_after(value: str | None) -> float:
    """Seconds that a server asks to wait, which it may say as a number or as a date."""
    try:
        seconds = float(value or 0)
    except ValueError:
        seconds = _seconds_until(value or "")
    return min(max(seconds, 0.0), LONGEST_WAIT) if seconds == seconds else 0.0


def _seconds_until(date: str) -> float:
    """From now until a date; 0 where it is none, or one that no clock shows."""
    try:
        return email.utils.parsedate_to_datetime(date).timestamp() - time.time()
    except (TypeError, ValueError, OverflowError, OSError):
        return 0.0
