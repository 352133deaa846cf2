"""Calls to one address over HTTP: bounded in time and size, tried again with back-off and jitter, each one recorded.

Nothing that a server does is an error of ours: whatever comes of a call is its bytes or a `Fault`. A server that is busy
has not answered yet: it is waited for, and that is nobody's fault.
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
from vnla.remote.evaluated_agent import Fault
from vnla.remote.folder import Journal
from vnla.remote.redaction import ApiKey

LARGEST = 1 << 16
"""Bytes of an answer of one episode."""
AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504})
"""HTTP statuses that another try may change."""
BUSY = frozenset({429, 503})
"""HTTP statuses of a server that would answer later: too many requests, or too little of itself."""
LONGEST_WAIT = 300.0
"""Seconds; a server that wants to be left alone for longer is asked again then."""
LONGEST_BUSY_WAIT = 30.0
"""Seconds before a busy server that does not say when is asked again."""
_LONGEST_TIMEOUT = 1e6  # seconds; the system's clocks count no further than some years
_SHOWN = 300


class NobodyAnswersError(InputError):
    """So many calls in a row had no answer that nobody seems to be there."""


class BusyError(InputError):
    """A server was busy for longer than it is waited for."""


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
    max_wait: float = 600.0
    """Seconds that a busy server is waited for."""
    largest: int = LARGEST
    options: str = "--"
    """How the options begin that people give these by."""

    def option(self, name: str) -> str:
        """Return what a person types to give one of these: --max-wait, or an option of a part, with its underscore."""
        return f"{self.options}{name if self.options == '--' else name.replace('-', '_')}"

    def __post_init__(self) -> None:
        check_fields(
            self, timeout=(0.001, _LONGEST_TIMEOUT), retries=(0, 1000), back_off=(0, LONGEST_WAIT), give_up=(0, math.inf),
            max_wait=(0, _LONGEST_TIMEOUT),
        )  # fmt: skip


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
    def __init__(self, fault: Fault, why: str, *, again: bool = True, busy: bool = False, wait: float = 0.0) -> None:
        super().__init__(why)
        self.fault, self.again, self.busy, self.wait = fault, again, busy, wait


@dataclass
class _Attempts:
    """The tries of one call."""

    errors: int = 0
    refusals: int = 0
    """By a server that was busy."""
    busy_since: float | None = None
    """When it was busy first, after it had last answered anybody."""


class Caller:
    """Calls an address, from any thread, over connections that are kept."""

    def __init__(
        self, address: Address, manner: Manner | None = None, journal: Journal | None = None, key: str | None = None
    ) -> None:
        """Every try is noted in the journal. `key` goes into a header, and nowhere else: where a server repeats it, it is
        taken out of the reply."""
        self.address, self.manner, self._journal, self._key = address, manner or Manner(), journal, key
        self._secret = ApiKey(key) if key else None
        if self.is_secret_in(str(address)):
            raise InputError("address: it has the key in it, which would be written down; the key is sent in a header")
        self._kept = threading.local()
        self._lock, self._in_a_row = threading.Lock(), 0
        self._answered, self._over = -math.inf, threading.Event()

    def __call__(
        self,
        path: str,
        value: Any = None,
        *,
        recorded: Any = None,
        before: Callable[[], None] = lambda: None,
        after: Callable[[bytes | Fault | None], dict[str, Any]] = lambda _: {},
        most: int = 1,
        counted: bool = True,
    ) -> bytes | Fault:
        """POST a value as JSON, or GET where there is none; the reply's bytes. `most` answers may be in it.

        `recorded` stands for the value in the journal. `before` is called before every try, `after` with what came of it,
        None where the server was busy: what it gives is noted too. A call without an answer that is not `counted` is none of
        those in a row after which it is no use to go on.
        """
        body = None if value is None else json.dumps(value).encode()
        tries = _Attempts()
        while True:
            before()
            began = time.monotonic()
            number = tries.errors + tries.refusals + 1
            note = {"path": path, "attempt": number, "request": value if recorded is None else recorded}
            try:
                reply = self._try(path, body, most)
            except _Failure as failure:
                self._kept.why = why = self._hidden(str(failure))
                came = "busy" if failure.busy else failure.fault.value
                self._note(note | {"fault": came, "reply": why} | after(None if failure.busy else failure.fault), began)
                if failure.busy or (failure.again and tries.errors < self.manner.retries):
                    self._pause(self._wait(tries, failure, why))
                    continue
                if counted:
                    self._missed(failure.fault, why)
                return failure.fault
            self._note(note | {"reply": reply.decode("utf-8", "replace")} | after(reply), began)
            self._in_a_row, self._answered = 0, time.monotonic()
            return reply

    @property
    def why(self) -> str:
        """What was wrong when a call of this thread failed last, without the key."""
        return getattr(self._kept, "why", "")[:_SHOWN]

    def _wait(self, tries: _Attempts, failure: _Failure, why: str) -> float:
        """Seconds before another try; not the same for all who try. Refuses to wait for a busy server for ever."""
        doubled, most = tries.refusals if failure.busy else tries.errors, LONGEST_BUSY_WAIT if failure.busy else LONGEST_WAIT
        back_off = min(most, self.manner.back_off * 2.0 ** min(doubled, 64)) * random.uniform(0.5, 1.0)
        wait = max(failure.wait, back_off)
        if not failure.busy:
            tries.errors += 1
            return wait
        tries.refusals += 1
        now = time.monotonic()
        tries.busy_since = now if tries.busy_since is None else max(tries.busy_since, self._answered)
        if now + wait - tries.busy_since > self.manner.max_wait or self._over.is_set():
            self._over.set()
            raise BusyError(
                f"{self.address}: busy, and {self.manner.option('max-wait')} {self.manner.max_wait:g} seconds are not enough"
                f" ({why[:_SHOWN]}); what is done is kept: run the same command again later, or with a longer"
                f" {self.manner.option('max-wait')}"
            )
        return wait

    def _pause(self, seconds: float) -> None:
        """Wait, but not when it is no use to go on."""
        self._over.wait(seconds)

    def _missed(self, fault: Fault, why: str) -> None:
        if fault is Fault.TOO_LARGE:
            return
        with self._lock:
            self._in_a_row += 1
            if self.manner.give_up and self._in_a_row >= self.manner.give_up:
                raise NobodyAnswersError(
                    f"{self.address}: no answer to {self._in_a_row} calls in a row ({why[:_SHOWN]}); what is "
                    "done is kept: run the same command again when it answers, or with "
                    f"{self.manner.option('give-up')} 0 to count them all"
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
        except Exception as error:  # whatever an unknown server makes http.client or ssl stumble over
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
            busy = response.status in BUSY
            raise _Failure(Fault.HTTP_ERROR, why, again=response.status in AGAIN, busy=busy, wait=wait)
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
