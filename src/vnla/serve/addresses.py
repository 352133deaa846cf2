"""What each address that visitors come from uses of a server: connections, requests and new sessions.

An address stands for one visitor, or for a class behind one router; of IPv6 the first 64 bits stand for one. This machine's
own addresses are not limited: what comes from there is its owner's browser, or a proxy that has not said for whom it asks.
"""

from __future__ import annotations

import ipaddress
import time
from collections import OrderedDict
from collections.abc import Callable

from vnla.serve.limits import Limits, TokenBucket

MOST = 20_000
"""Addresses that are remembered, those that came last; one with open connections is not forgotten."""
_ROUNDS = 4
"""How many are looked at for one that comes: more than one, so that those who are here do not stay in the way."""
_IPV6_PREFIX = 64
_UNLIMITED = 1e9


class AddressUse:
    """What one address uses."""

    def __init__(self, limits: Limits, clock: Callable[[], float]) -> None:
        self.connections = 0
        """WebSockets that are open."""
        self.most = limits.address_connections
        self.requests = TokenBucket(limits.address_requests, limits.address_requests_burst, clock)
        self.new = TokenBucket(limits.address_new, limits.address_crowd, clock)
        """New sessions."""


class Addresses:
    """The addresses that visitors come from."""

    def __init__(self, limits: Limits, clock: Callable[[], float] = time.monotonic) -> None:
        self._limits, self._clock = limits, clock
        self._known: OrderedDict[str, AddressUse] = OrderedDict()
        self._own = AddressUse(_unlimited(), clock)

    def of(self, host: str | None) -> AddressUse:
        """Return what an address uses."""
        name = network_of(host)
        if name is None:
            return self._own
        if name not in self._known:
            self._known[name] = AddressUse(self._limits, self._clock)
        self._known.move_to_end(name)
        for _ in range(min(_ROUNDS, len(self._known) - MOST)):
            self._forget_oldest()
        return self._known[name]

    def _forget_oldest(self) -> None:
        """Forget the address that has not come for longest; one with open connections is here."""
        name, use = self._known.popitem(last=False)
        if use.connections:
            self._known[name] = use


def network_of(host: str | None) -> str | None:
    """Return what stands for one visitor in an address; None for this machine's own."""
    try:
        address = ipaddress.ip_address(host or "")
    except ValueError:
        return host or None
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is None:
            return None if address.is_loopback else str(ipaddress.ip_network((int(address), _IPV6_PREFIX), strict=False))
        address = address.ipv4_mapped
    return None if address.is_loopback else str(address)


def _unlimited() -> Limits:
    return Limits(
        address_connections=int(_UNLIMITED),
        address_requests=_UNLIMITED, address_requests_burst=_UNLIMITED, address_new=_UNLIMITED, address_crowd=_UNLIMITED,
    )  # fmt: skip
