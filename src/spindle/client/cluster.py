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

from spindle.client.addresses import Address
from spindle.client.connector import Connector, OpenLink
from spindle.client.deadline import Deadline
from spindle.client.failures import (
    AuthenticationFailed,
    OutOfTime,
    Refused,
    Unreachable,
    Unresolved,
)
from spindle.client.link import api_name
from spindle.client.node_links import NodeLinks
from spindle.client.outlasting import Outlasting, is_passing, lacking
from spindle.client.race import PATIENCE_S, Race, first_answer
from spindle.model.errors import Error, Unusable
from spindle.model.ids import NodeId
from spindle.security.client_properties import UNSECURED, ClientSecurity
from spindle.wire.codec import Request, Response
from spindle.wire.messages.describe_cluster_request import DescribeClusterRequest
from spindle.wire.messages.metadata_request import MetadataRequest

T = TypeVar("T")
R = TypeVar("R", bound=Response)

TIMEOUT_S: Final = 30.0
"""Seconds for one call, over all its attempts."""
FIND_LIMIT_S: Final = 10.0
"""Seconds to find any server that answers, however many there are to try."""
FIND_AGAIN_S: Final = 2.0
"""Seconds during which servers that refuse are tried again: one may just be starting."""
BACKOFF_FIRST_S, BACKOFF_LAST_S = 0.1, 1.0
_CONTROLLER: Final = "a controller"
"""What is waited for."""
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
        patience: float = PATIENCE_S,
        outlasting: Outlasting | None = None,
    ) -> None:
        """`timeout`: seconds for each call that names none itself.

        `patience`: seconds until a question that any node can answer goes to another one, too.
        `outlasting`: how long it is asked again while there is no controller; None: not at all.
        """
        assert bootstrap
        self._timeout = timeout
        self._patience = patience
        self._outlasting = outlasting
        self.bootstrap = tuple(bootstrap)
        self.controllers = controllers
        self.cluster_id: str | None = None
        self.nodes: dict[NodeId, Node] = {}
        self.leader_id: NodeId | None = None
        """The active controller where `controllers`, else the broker that speaks for it."""
        self._links = NodeLinks(Connector(client_id, security))

    def deadline(self, timeout: float | None) -> Deadline:
        """The deadline of a call that begins now; None: the call names no time of its own."""
        return Deadline(self._timeout if timeout is None else timeout)

    # -- asking --------------------------------------------------------------------------------

    async def ask_node(
        self, node_id: NodeId, request: Request[R], deadline: Deadline, *, since: int = 0
    ) -> R:
        """Ask one node by its id; Unreachable names the nodes there are when it is unknown.

        `since`: the oldest version that will do.
        """

        async def attempt() -> R:
            if node_id not in self.nodes:
                await self.refresh(deadline)
            node = self.nodes.get(node_id)
            if node is None:
                there = ", ".join(str(n) for n in sorted(self.nodes)) or "none"
                what = "controller" if self.controllers else "broker"
                raise NoSuchBroker(
                    f"there is no {what} {node_id}, or it is down; those that serve: {there}"
                )
            return await self._ask(node.address, str(node), request, deadline, since)

        return await self.repeat(attempt, deadline)

    async def ask_controller(self, request: Request[R], deadline: Deadline, *, since: int = 0) -> R:
        """Ask the active controller, directly or through a broker that passes the request on.

        Refused (UNSUPPORTED_VERSION) where the other side has no version from `since` on.
        """

        async def ask(limit: Deadline) -> R:
            async def attempt() -> R:
                if not self.nodes:
                    await self.refresh(limit)
                node = await self._reached_speaker(limit)
                return await self._ask(node.address, str(node), request, limit, since)

            return await self.repeat(attempt, limit)

        return await self.outlast(ask, deadline)

    async def outlast(
        self,
        ask: Callable[[Deadline], Awaitable[R]],
        deadline: Deadline,
        failures: tuple[type[Exception], ...] = (Unreachable, OutOfTime, Refused),
    ) -> R:
        """What a controller answers, asked again while there is none, as far as that is wanted.

        `failures`: those that may be for want of a controller.
        """
        outlasting = self._outlasting
        if outlasting is None:
            return await ask(deadline)
        while True:
            began = time.monotonic()
            try:
                answer = await ask(deadline)
            except failures as failure:
                passing = is_passing(failure)
                if not (passing and await outlasting.goes_on(_CONTROLLER, began, str(failure))):
                    raise
            else:
                why = lacking(answer)
                if not (why and await outlasting.goes_on(_CONTROLLER, began, why)):
                    if not why:
                        outlasting.on_answer(_CONTROLLER)
                    return answer
            deadline = Deadline(deadline.seconds)

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
        self._links.close()

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
        """That one, or where it gives no sign of life another broker: each passes requests on.

        Nothing was asked until then, so nothing happens twice.
        """
        first = self._speaker()
        others = [] if self.controllers else [n for n in self.nodes.values() if n != first]
        by_address = {node.address: node for node in (first, *others)}

        async def reach(address: Address) -> Node:
            node = by_address[address]
            try:
                await self._links.sign_of_life(address, str(node), deadline)
            except (Unreachable, OutOfTime):
                self._links.failed(address)
                raise
            return node

        return await self._first(list(by_address), reach)

    async def _first(
        self, addresses: Sequence[Address], ask: Callable[[Address], Awaitable[T]]
    ) -> T:
        """The first answer of servers that may all be asked: see `race`."""
        race = Race(sorted(addresses, key=self._links.is_mute), self._patience)
        return await first_answer(race, ask, self._links.overtaken)

    def _known_addresses(self) -> list[Address]:
        known = [n.address for n in self.nodes.values() if not n.fenced]
        return list(dict.fromkeys([*self._links.linked, *known, *self.bootstrap]))

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
        async def ask(address: Address) -> R:
            return await self._ask(address, str(address), request, deadline, since)

        return await self._first(addresses, ask)

    async def _ask(
        self, address: Address, name: str, request: Request[R], deadline: Deadline, since: int = 0
    ) -> R:
        try:
            opened = await self._links.opened(address, name, deadline)
            version = self._version(opened, name, request, since)
            answer = await self._links.ask(opened, address, request, version, deadline)
        except (Unreachable, OutOfTime):
            self._links.failed(address)
            raise
        self._links.answered(address)
        if code := getattr(answer, "error_code", 0):
            words = getattr(answer, "error_message", None) or ""
            raise Refused(code, api_name(request), name, words)
        return answer

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


class NoSuchBroker(Unreachable):
    """An id that no broker (or controller) of the cluster has."""


class NobodyThere(Unreachable):
    """None of the bootstrap servers and known brokers answers."""
