"""A cluster as a client sees it: its nodes, their addresses, and the versions that each one knows.

Finds the brokers through any one bootstrap server, keeps one link to each, negotiates versions
(ApiVersions), and repeats what may be repeated until the caller's deadline. Knows the meaning
of the few requests that it needs itself, and of no other. Called by `admin` and its rooms.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeVar

from spindle.client.connector import Connector, OpenLink
from spindle.client.failures import (
    AuthenticationFailed,
    OutOfTime,
    Refused,
    Unreachable,
    Unresolved,
)
from spindle.client.link import api_name
from spindle.model.errors import Error, PeerFailed, Unusable
from spindle.model.ids import NodeId
from spindle.security.client_properties import UNSECURED, ClientSecurity
from spindle.wire.codec import Request, Response
from spindle.wire.messages.describe_cluster_request import DescribeClusterRequest
from spindle.wire.messages.metadata_request import MetadataRequest

T = TypeVar("T")
R = TypeVar("R", bound=Response)

TIMEOUT_S: Final = 30.0
"""Seconds for one call, over all its attempts."""
CONNECT_LIMIT_S: Final = 5.0
"""Seconds for one connection."""
FIND_LIMIT_S: Final = 10.0
"""Seconds to find any server that answers, however many there are to try."""
FIND_AGAIN_S: Final = 2.0
"""Seconds during which servers that refuse are tried again: one may just be starting."""
MUTE_S: Final = 10.0
"""Seconds during which a server that gave no answer is asked after all others."""
BACKOFF_FIRST_S, BACKOFF_LAST_S = 0.1, 1.0
_BROKERS, _CONTROLLERS = 1, 2
_TELLS_CONTROLLERS = 1
_TELLS_CLUSTER_ID = 2
"""Version of Metadata from which it has the cluster's id."""
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


class _Told(NamedTuple):
    """The cluster as one server describes it."""

    cluster_id: str | None
    leader_id: NodeId
    nodes: list[Node]


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
        self,
        bootstrap: Sequence[Address],
        *,
        client_id: str,
        controllers: bool = False,
        timeout: float = TIMEOUT_S,
        security: ClientSecurity = UNSECURED,
    ) -> None:
        """`timeout`: seconds for each call that names none itself."""
        assert bootstrap
        self._timeout = timeout
        self.bootstrap = tuple(bootstrap)
        self.controllers = controllers
        self.cluster_id: str | None = None
        self.nodes: dict[NodeId, Node] = {}
        self.leader_id: NodeId | None = None
        """The active controller where `controllers`, else the broker that speaks for it."""
        self._connector = Connector(client_id, security)
        self._links: dict[Address, OpenLink] = {}
        self._opening: dict[Address, asyncio.Lock] = {}
        self._mute: dict[Address, float] = {}
        """When a server last gave no answer."""

    def deadline(self, timeout: float | None) -> Deadline:
        """The deadline of a call that begins now; None: the call names no time of its own."""
        return Deadline(self._timeout if timeout is None else timeout)

    # -- asking --------------------------------------------------------------------------------

    async def ask_node(self, node_id: NodeId, request: Request[R], deadline: Deadline) -> R:
        """Ask one node by its id; Unreachable names the nodes there are when it is unknown."""

        async def attempt() -> R:
            if node_id not in self.nodes:
                await self.refresh(deadline)
            node = self.nodes.get(node_id)
            if node is None:
                there = ", ".join(str(n) for n in sorted(self.nodes)) or "none"
                raise NoSuchBroker(f"there is no broker {node_id}; the brokers are: {there}")
            return await self._ask(node.address, str(node), request, deadline)

        return await self.repeat(attempt, deadline)

    async def ask_controller(self, request: Request[R], deadline: Deadline, *, since: int = 0) -> R:
        """Ask the active controller, directly or through a broker that passes the request on.

        Refused (UNSUPPORTED_VERSION) where the other side has no version from `since` on.
        """

        async def attempt() -> R:
            if not self.nodes:
                await self.refresh(deadline)
            node = await self._reached_speaker(deadline)
            return await self._ask(node.address, str(node), request, deadline, since)

        return await self.repeat(attempt, deadline)

    async def ask_any(self, request: Request[R], deadline: Deadline, *, since: int = 0) -> R:
        """Ask any node that answers, all of the cluster's in turn. `since` as above."""

        async def attempt() -> R:
            if not self.nodes:
                await self.refresh(deadline)
            return await self._ask_first(self._known_addresses(), request, deadline, since)

        return await self.repeat(attempt, deadline)

    async def repeat(self, attempt: Callable[[], Awaitable[T]], deadline: Deadline) -> T:
        """Run `attempt` until it succeeds, fails for good, or time is up; wait in between.

        Repeated are broken connections and the errors in RETRIABLE; the last one is raised.
        """
        pause = BACKOFF_FIRST_S
        while True:
            try:
                return await attempt()
            except (NoSuchBroker, OutOfTime, NobodyThere, Unresolved, AuthenticationFailed):
                raise
            except (Unreachable, Refused) as failure:
                if isinstance(failure, Refused) and failure.error not in RETRIABLE:
                    raise
                if deadline.left <= pause:
                    raise
            await asyncio.sleep(pause * random.uniform(0.8, 1.2))
            pause = min(pause * 2, BACKOFF_LAST_S)
            await self._forget_and_refresh(deadline)

    # -- the servers ---------------------------------------------------------------------------

    async def refresh(self, deadline: Deadline) -> None:
        """Ask for the nodes of the cluster; NobodyThere where no server answers in time."""
        limit = Deadline(min(FIND_LIMIT_S, deadline.left))
        again = Deadline(min(FIND_AGAIN_S, deadline.left))
        pause = BACKOFF_FIRST_S
        while True:
            try:
                told = await self._described(limit)
                break
            except AuthenticationFailed:
                raise
            except (Unreachable, OutOfTime) as failure:
                if again.left <= pause or isinstance(failure, Unresolved):
                    raise NobodyThere(self._nobody(failure)) from None
            except Refused as refused:
                if self.controllers and refused.error == Error.UNSUPPORTED_VERSION:
                    raise Unusable(
                        "these controllers are too old to be asked directly: ask a broker"
                    ) from None
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
        self.cluster_id, self.leader_id, nodes = told
        self.nodes = {node.node_id: node for node in sorted(nodes, key=lambda node: node.node_id)}

    async def registered(self, deadline: Deadline) -> list[int] | None:
        """Ids of all brokers, dead ones too; None where the other side cannot say (KIP-1073)."""
        request = DescribeClusterRequest(endpoint_type=_BROKERS, include_fenced_brokers=True)
        try:
            answer = await self.ask_any(request, deadline, since=_TELLS_FENCED)
        except Refused as refused:
            if refused.error != Error.UNSUPPORTED_VERSION:
                raise
            return None
        return sorted(int(b.broker_id) for b in answer.brokers)

    def close(self) -> None:
        """Hang up everywhere."""
        for opened in self._links.values():
            opened.link.close()
        self._links.clear()

    async def _described(self, limit: Deadline) -> _Told:
        """What one server says of the cluster: brokers before 2.8 (KIP-700) by their metadata."""
        addresses = self._known_addresses()
        kind, since = (_CONTROLLERS, _TELLS_CONTROLLERS) if self.controllers else (_BROKERS, 0)
        try:
            answer = await self._ask_first(
                addresses, DescribeClusterRequest(endpoint_type=kind), limit, since
            )
        except Refused as refused:
            if self.controllers or refused.error != Error.UNSUPPORTED_VERSION:
                raise
            old = await self._ask_first(
                addresses, MetadataRequest(topics=()), limit, _TELLS_CLUSTER_ID
            )
            nodes = [Node(NodeId(b.node_id), b.host, b.port, b.rack) for b in old.brokers]
            return _Told(old.cluster_id, NodeId(old.controller_id), nodes)
        return _Told(
            answer.cluster_id,
            answer.controller_id,
            [Node(b.broker_id, b.host, b.port, b.rack, b.is_fenced) for b in answer.brokers],
        )

    def _speaker(self) -> Node:
        node = self.nodes.get(-1 if self.leader_id is None else self.leader_id)
        if node is not None:
            return node
        if self.controllers:
            raise Unreachable("the controllers have no leader at this moment")
        if not self.nodes:
            raise Unreachable("no broker of the cluster is registered and serves at this moment")
        return random.choice(list(self.nodes.values()))

    async def _reached_speaker(self, deadline: Deadline) -> Node:
        """That one, or where no connection to it opens another broker: each passes requests on.

        Nothing was asked until then, so nothing happens twice.
        """
        first = self._speaker()
        others = [] if self.controllers else [n for n in self.nodes.values() if n != first]
        failures: list[PeerFailed] = []
        for node in sorted((first, *others), key=lambda node: self._is_mute(node.address)):
            try:
                await self._link(node.address, str(node), deadline)
            except AuthenticationFailed:
                raise  # The others would refuse us as well.
            except (Unreachable, OutOfTime) as failure:
                self._mute[node.address] = time.monotonic()
                failures.append(failure)
            else:
                return node
        raise failures[0]

    def _known_addresses(self) -> list[Address]:
        linked = [a for a, opened in self._links.items() if opened.link.alive]
        known = [n.address for n in self.nodes.values() if not n.fenced]
        return sorted(dict.fromkeys([*linked, *known, *self.bootstrap]), key=self._is_mute)

    def _is_mute(self, address: Address) -> bool:
        since = self._mute.get(address)
        return since is not None and time.monotonic() - since < MUTE_S

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
        self, addresses: Sequence[Address], request: Request[R], deadline: Deadline, since: int
    ) -> R:
        failures: list[PeerFailed] = []
        for address in addresses:
            try:
                return await self._ask(address, str(address), request, deadline, since)
            except AuthenticationFailed:
                raise  # The others would refuse us as well.
            except (Unreachable, OutOfTime) as failure:
                failures.append(failure)
                if not deadline.left:
                    break
        if len(failures) == 1:
            raise failures[0]
        raise Unreachable("; ".join(map(str, failures)))

    async def _ask(
        self, address: Address, name: str, request: Request[R], deadline: Deadline, since: int = 0
    ) -> R:
        try:
            opened = await self._link(address, name, deadline)
            version = self._version(opened, name, request, since)
            answer = await self._answer(opened, address, request, version, deadline)
        except (Unreachable, OutOfTime):
            self._mute[address] = time.monotonic()
            raise
        self._mute.pop(address, None)
        if code := getattr(answer, "error_code", 0):
            words = getattr(answer, "error_message", None) or ""
            raise Refused(code, api_name(request), name, words)
        return answer

    async def _answer(
        self, opened: OpenLink, address: Address, request: Request[R], version: int, left: Deadline
    ) -> R:
        try:
            return await opened.link.ask(request, version, _some(left))
        except Unreachable as failure:
            raise await self._connector.diagnosed(opened, address.port, failure) from None

    @staticmethod
    def _version(opened: OpenLink, name: str, request: Request[Response], since: int) -> int:
        ours = request.VERSIONS[max(0, since - request.VERSIONS[0]) :]
        low, high = opened.versions.get(request.KEY, (0, -1))
        best = min(high, ours[-1])
        if best < max(low, ours[0]):
            theirs = f"its versions are {low} to {high}" if high >= 0 else "it does not serve it"
            raise Refused(
                Error.UNSUPPORTED_VERSION,
                api_name(request),
                name,
                f"{theirs}, ours are {ours[0]} to {ours[-1]}",
            )
        return best

    async def _link(self, address: Address, name: str, deadline: Deadline) -> OpenLink:
        limit = min(CONNECT_LIMIT_S, _some(deadline))
        async with self._opening.setdefault(address, asyncio.Lock()):
            opened = self._links.get(address)
            if opened is None or not opened.link.alive:
                opened = await self._connector.open(*address, name, limit)
                self._links[address] = opened
            elif not opened.usable:
                try:
                    await self._connector.authenticate(opened, limit)
                except BaseException:
                    opened.link.close()
                    raise
            opened.link.name = name
            return opened


class NoSuchBroker(Unreachable):
    """A broker id that the cluster does not have."""


class NobodyThere(Unreachable):
    """None of the bootstrap servers and known brokers answers."""


def _some(deadline: Deadline) -> float:
    """Seconds left, at least a few milliseconds so that a spent deadline fails by its own rule."""
    return max(deadline.left, 0.005)
