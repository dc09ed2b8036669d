"""Where the servers of a cluster are, as a command line or a node tells it. Knows no connection."""

from __future__ import annotations

from typing import NamedTuple

from spindle.model.errors import Unusable


class Address(NamedTuple):
    """Where a node is."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def parse_bootstrap(text: str) -> tuple[Address, ...]:
    """`host:port,host:port` as addresses; Unusable says which part is not one."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    found = []
    for part in parts:
        host, _, port = part.rpartition(":")
        if "/" in part:
            raise Unusable(f"bootstrap server {part!r} is a URL: write host:port alone")
        if not host or not port.isdigit() or not 0 < int(port) < 65536:
            raise Unusable(f"bootstrap server {part!r}: write host:port, e.g. localhost:9092")
        found.append(Address(host.strip("[]"), int(port)))
    if not found:
        raise Unusable("no bootstrap server is given: write host:port, e.g. localhost:9092")
    return tuple(dict.fromkeys(found))
