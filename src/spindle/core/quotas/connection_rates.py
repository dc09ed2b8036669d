"""How many new connections a second a node lets in: in all, by listener, and by address (KIP-612).

Measured as Apache Kafka's ConnectionQuotas does. A listener over its rate, or the node's, accepts
nothing for a while; an address over its rate is turned away. Pure; asked by the listeners.
"""

from __future__ import annotations

from math import inf

from spindle.core.quotas.sampled_rate import SampledRate, Windows


class ConnectionRates:
    """The new connections of a node, and whether they came too fast."""

    def __init__(self, windows: Windows) -> None:
        self._windows = windows
        self._node = SampledRate(windows)
        self._listeners: dict[str, SampledRate] = {}
        self._hosts: dict[str, SampledRate] = {}
        self._swept_at = -inf

    def on_accepted(self, listener: str, of_listener: float, of_node: float, now: float) -> float:
        """One has come by a listener; for how long (s) the listener has to rest now.

        `of_node`: the rate for all of them; inf where a listener is not counted among them.
        """
        wait = 0.0
        if of_listener != inf:
            rate = self._listeners.get(listener)
            if rate is None:
                rate = self._listeners[listener] = SampledRate(self._windows)
            wait = self._recorded(rate, of_listener, now)
        if of_node != inf:
            wait = max(wait, self._recorded(self._node, of_node, now))
        return wait

    def on_host(self, host: str, limit: float, now: float) -> float:
        """One has come from an address: 0 if it may stay; else for how long (s) others may not."""
        self._sweep(now)
        rate = self._hosts.get(host)
        if rate is None:
            rate = self._hosts[host] = SampledRate(self._windows)
        wait = self._recorded(rate, limit, now)
        if wait > 0.0:
            rate.record(-1.0, now)  # It does not count: it is not let in.
        return wait

    def take_back(self, listener: str, now: float) -> None:
        """The last one by a listener was turned away."""
        for rate in (self._listeners.get(listener), self._node):
            if rate is not None and rate.used_at > -inf:
                rate.record(-1.0, now)

    def _recorded(self, rate: SampledRate, limit: float, now: float) -> float:
        rate.record(1.0, now)
        return min(rate.throttle(limit, now), self._windows.seconds)

    def _sweep(self, now: float) -> None:
        if now - self._swept_at >= self._windows.total:
            self._swept_at, old = now, now - self._windows.total
            self._hosts = {host: rate for host, rate in self._hosts.items() if rate.used_at > old}
