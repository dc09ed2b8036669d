"""A cluster as a client sees it: who is in it, how to reach each node, what each one speaks.

Finds the brokers through any one bootstrap server, keeps one link to each, negotiates versions
(ApiVersions), and repeats what may be repeated until the caller's deadline. Knows no meaning of
any request but the three it needs itself. Called by `admin` and its rooms.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeVar

import spindle
from spindle.client.failures import OutOfTime, Refused, Unreachable, Unresolved
from spindle.client.link import Link, api_name
from spindle.client.strangers import recognise
from spindle.model.errors import Error, PeerFailed, Unusable
from spindle.model.ids import NodeId
from spindle.wire.apis import Key
from spindle.wire.entities import make, request_class, versions
from spindle.wire.private import SOFTWARE

T = TypeVar("T")
Build = Callable[[int], Any]
"""Makes a request entity of the version that is given."""

CONNECT_LIMIT_S: Final = 5.0
"""Seconds for one connection."""
FIND_LIMIT_S: Final = 10.0
"""Seconds to find any server that answers, however many there are to try."""
FIND_AGAIN_S: Final = 2.0
"""Seconds during which servers that refuse are tried again: one may just be starting."""
BACKOFF_FIRST_S, BACKOFF_LAST_S = 0.1, 1.0
_BROKERS, _CONTROLLERS = 1, 2
_TELLS_FENCED = 2
"""Version of DescribeCluster from which fenced brokers can be asked for."""

RETRIABLE: Final = frozenset(
    {
        Error.NOT_CONTROLLER,
        Error.BROKER_NOT_AVAILABLE,
        Error.COORDINATOR_LOAD_IN_PROGRESS,
        Error.LEADER_NOT_AVAILABLE,
        Error.NETWORK_EXCEPTION,
        Error.THROTTLING_QUOTA_EXCEEDED,
    }
)
"""Errors of a whole request after which the same request may succeed in a moment."""


class Address(NamedTuple):
    """Where a node is."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Node:
    """A broker (or controller) of the cluster."""

    node_id: NodeId
    host: str
    port: int
    rack: str | None = None
    fenced: bool = False

    @property
    def address(self) -> Address:
        """Where it is reached."""
        return Address(self.host, self.port)

    def __str__(self) -> str:
        return f"broker {self.node_id} ({self.address})"


class Deadline:
    """A point in time by which a call must have ended, however many attempts it makes."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """Seconds left, 0 when there are none."""
        return max(0.0, self._end - time.monotonic())


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


class Cluster:
    """The nodes of one cluster and our links to them.

    With `controllers` the bootstrap servers are controllers and every request goes to the active
    one; else they are brokers, which pass on to the controller what is the controller's.
    """

    def __init__(
        self, bootstrap: Sequence[Address], *, client_id: str, controllers: bool = False
    ) -> None:
        assert bootstrap
        self.bootstrap = tuple(bootstrap)
        self.controllers = controllers
        self.cluster_id: str | None = None
        self.nodes: dict[NodeId, Node] = {}
        self.leader_id: NodeId | None = None
        """The active controller where `controllers`, else the broker that speaks for it."""
        self._client_id = client_id
        self._links: dict[Address, Link] = {}
        self._opening: dict[Address, asyncio.Lock] = {}
        self._spoken: dict[Address, dict[int, tuple[int, int]]] = {}

    # -- asking --------------------------------------------------------------------------------

    async def ask_node(self, node_id: NodeId, key: Key, build: Build, deadline: Deadline) -> Any:
        """Ask one node by its id; Unreachable names the nodes there are when it is unknown."""

        async def attempt() -> Any:
            if node_id not in self.nodes:
                await self.refresh(deadline)
            node = self.nodes.get(node_id)
            if node is None:
                there = ", ".join(str(n) for n in sorted(self.nodes)) or "none"
                raise NoSuchBroker(f"there is no broker {node_id}; the brokers are: {there}")
            return await self._ask(node.address, str(node), key, build, deadline)

        return await self.repeat(attempt, deadline)

    async def ask_controller(self, key: Key, build: Build, deadline: Deadline) -> Any:
        """Ask whoever decides: the active controller, or a broker that passes the request on."""

        async def attempt() -> Any:
            if not self.nodes:
                await self.refresh(deadline)
            node = self._speaker()
            return await self._ask(node.address, str(node), key, build, deadline)

        return await self.repeat(attempt, deadline)

    async def ask_any(self, key: Key, build: Build, deadline: Deadline) -> Any:
        """Ask any node that answers, all of the cluster's in turn."""

        async def attempt() -> Any:
            if not self.nodes:
                await self.refresh(deadline)
            return await self._ask_first(self._known_addresses(), key, build, deadline)

        return await self.repeat(attempt, deadline)

    async def repeat(self, attempt: Callable[[], Awaitable[T]], deadline: Deadline) -> T:
        """Run `attempt` until it succeeds, fails for good, or time is up; wait in between.

        Repeated are broken connections and the errors in RETRIABLE; the last one is raised.
        """
        pause = BACKOFF_FIRST_S
        while True:
            try:
                return await attempt()
            except (NoSuchBroker, OutOfTime, NobodyThere, Unresolved):
                raise
            except (Unreachable, Refused) as failure:
                if isinstance(failure, Refused) and failure.error not in RETRIABLE:
                    raise
                if deadline.left <= pause:
                    raise
            await asyncio.sleep(pause * random.uniform(0.8, 1.2))
            pause = min(pause * 2, BACKOFF_LAST_S)
            await self._forget_and_refresh(deadline)

    # -- who is there --------------------------------------------------------------------------

    async def refresh(self, deadline: Deadline) -> None:
        """Ask who is in the cluster; NobodyThere where no server answers in time."""
        limit = Deadline(min(FIND_LIMIT_S, deadline.left))
        again = Deadline(min(FIND_AGAIN_S, deadline.left))
        pause = BACKOFF_FIRST_S
        while True:
            try:
                answer = await self._ask_first(
                    self._known_addresses(), Key.DESCRIBE_CLUSTER, self._describe, limit
                )
                break
            except (Unreachable, OutOfTime) as failure:
                if again.left <= pause or isinstance(failure, Unresolved):
                    raise NobodyThere(self._nobody(failure)) from None
            except Refused as refused:
                if refused.error != Error.MISMATCHED_ENDPOINT_TYPE:
                    raise
                there, wanted = (
                    ("broker", "controller") if self.controllers else ("controller", "broker")
                )
                raise Unusable(
                    f"{refused.where} is a {there}: give the address of a {wanted}"
                ) from None
            await asyncio.sleep(pause)
            pause = min(pause * 2, BACKOFF_LAST_S)
        self.cluster_id = answer.cluster_id
        self.leader_id = answer.controller_id
        self.nodes = {
            b.broker_id: Node(b.broker_id, b.host, b.port, b.rack, getattr(b, "is_fenced", False))
            for b in sorted(answer.brokers, key=lambda b: int(b.broker_id))
        }

    async def registered(self, deadline: Deadline) -> list[int] | None:
        """Ids of all brokers, dead ones too; None where the other side cannot say (KIP-1073)."""
        spoken = 0

        def build(version: int) -> Any:
            nonlocal spoken
            spoken = version
            types = request_class(Key.DESCRIBE_CLUSTER, version)
            return make(types, endpoint_type=_BROKERS, include_fenced_brokers=True)

        answer = await self.ask_any(Key.DESCRIBE_CLUSTER, build, deadline)
        if spoken < _TELLS_FENCED:
            return None
        return sorted(int(b.broker_id) for b in answer.brokers)

    def close(self) -> None:
        """Hang up everywhere."""
        for link in self._links.values():
            link.close()
        self._links.clear()

    def _describe(self, version: int) -> Any:
        if self.controllers and version < 1:
            raise Unusable("these controllers are too old to be asked directly: ask a broker")
        return make(
            request_class(Key.DESCRIBE_CLUSTER, version),
            endpoint_type=_CONTROLLERS if self.controllers else _BROKERS,
        )

    def _speaker(self) -> Node:
        node = self.nodes.get(-1 if self.leader_id is None else self.leader_id)
        if node is not None:
            return node
        if self.controllers:
            raise Unreachable("the controllers have no leader at this moment")
        return random.choice(list(self.nodes.values()))

    def _known_addresses(self) -> list[Address]:
        linked = [a for a, link in self._links.items() if link.alive]
        known = [n.address for n in self.nodes.values() if not n.fenced]
        return list(dict.fromkeys([*linked, *known, *self.bootstrap]))

    async def _forget_and_refresh(self, deadline: Deadline) -> None:
        if deadline.left:
            try:
                await self.refresh(deadline)
            except NobodyThere:
                pass  # the attempt that follows says so itself, if it is still true

    def _nobody(self, last: Exception) -> str:
        what = "controller" if self.controllers else "broker"
        servers = ", ".join(map(str, self.bootstrap))
        return (
            f"no {what} answers at {servers} ({last}); check the address and that the {what} runs"
        )

    # -- links ---------------------------------------------------------------------------------

    async def _ask_first(
        self, addresses: Sequence[Address], key: Key, build: Build, deadline: Deadline
    ) -> Any:
        failures: list[PeerFailed] = []
        for address in addresses:
            try:
                return await self._ask(address, str(address), key, build, deadline)
            except (Unreachable, OutOfTime) as failure:
                failures.append(failure)
                if not deadline.left:
                    break
        if len(failures) == 1:
            raise failures[0]
        raise Unreachable("; ".join(map(str, failures)))

    async def _ask(
        self, address: Address, name: str, key: Key, build: Build, deadline: Deadline
    ) -> Any:
        link = await self._link(address, name, deadline)
        request = build(self._version(address, name, key))
        answer = await link.ask(request, _some(deadline))
        if code := getattr(answer, "error_code", 0):
            words = getattr(answer, "error_message", None) or ""
            raise Refused(code, api_name(request), name, words)
        return answer

    def _version(self, address: Address, name: str, key: Key) -> int:
        ours = versions(key)
        low, high = self._spoken[address].get(key, (0, -1))
        best = min(high, ours[-1])
        if best < max(low, ours[0]):
            theirs = f"its versions are {low} to {high}" if high >= 0 else "it does not serve it"
            raise Refused(
                Error.UNSUPPORTED_VERSION,
                key.name.title().replace("_", ""),
                name,
                f"{theirs}, ours are {ours[0]} to {ours[-1]}",
            )
        return best

    async def _link(self, address: Address, name: str, deadline: Deadline) -> Link:
        async with self._opening.setdefault(address, asyncio.Lock()):
            link = self._links.get(address)
            if link is None or not link.alive:
                link = await Link.connect(
                    *address,
                    name=name,
                    client_id=self._client_id,
                    seconds=min(CONNECT_LIMIT_S, _some(deadline)),
                )
                try:
                    self._spoken[address] = await self._negotiate(link, deadline)
                except (Unreachable, OutOfTime):
                    link.close()
                    if not link.heard and (stranger := await recognise(*address)):
                        raise Unreachable(f"{name}: {stranger}") from None
                    raise
                except BaseException:
                    link.close()
                    raise
                self._links[address] = link
            link.name = name
            return link

    async def _negotiate(self, link: Link, deadline: Deadline) -> dict[int, tuple[int, int]]:
        """Ask what the node speaks: in our newest version, else in the oldest (KIP-511)."""
        limit = min(CONNECT_LIMIT_S, _some(deadline))
        answer: Any = None
        for version in (versions(Key.API_VERSIONS)[-1], 0):
            request = make(
                request_class(Key.API_VERSIONS, version),
                client_software_name=SOFTWARE,
                client_software_version=spindle.__version__,
            )
            answer = await link.ask(request, limit)
            if answer.error_code != Error.UNSUPPORTED_VERSION:
                break
        if answer.error_code:
            raise Refused(answer.error_code, "ApiVersions", link.name)
        return {int(k.api_key): (int(k.min_version), int(k.max_version)) for k in answer.api_keys}


class NoSuchBroker(Unreachable):
    """A broker id that the cluster does not have."""


class NobodyThere(Unreachable):
    """None of the bootstrap servers and known brokers answers."""


def _some(deadline: Deadline) -> float:
    """Seconds left, at least a few milliseconds so that a spent deadline fails by its own rule."""
    return max(deadline.left, 0.005)
