"""A client's request on its way through the node: where it came from, and how it is answered.

Pure: an answer goes out as buffers through the sink that the router gives. Used by the router and
by every handler.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final, Generic, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

from spindle.model.batches import Buffer
from spindle.model.errors import Error
from spindle.model.kafka_principal import ANONYMOUS, KafkaPrincipal
from spindle.model.security_protocol import SecurityProtocol
from spindle.node.authorization.permits import EVERYTHING, Permits
from spindle.node.quotas.client_throttles import Charge
from spindle.wire.codec import Message, Request, Response, Whole
from spindle.wire.framing import RequestHeader, response_frame

R = TypeVar("R", bound=Response)
Q = TypeVar("Q", bound=Request[Response])
A = TypeVar("A", bound=Response, contravariant=True)
T = TypeVar("T", contravariant=True)

Sink = Callable[[list[Buffer]], None]


class _Later(Enum):
    LATER = 0


Later: TypeAlias = Literal[_Later.LATER]
LATER: Final = _Later.LATER
"""What a handler returns whose answer is given later, through the context."""


class Survey(Protocol[T]):
    """Looks at a request that is served in parts (`node.parts`), before any part is served."""

    def take(self, target: T, request: Whole) -> None:
        """Look at some of the request's things. `target`: the broker or the controller."""


class Origin(NamedTuple):
    """Where a request comes from: what authorization, quotas and logs go by."""

    listener: str
    """Where it came in."""
    host: str
    """The sender's address; of one that a broker has forwarded, the client's."""
    security_protocol: SecurityProtocol = SecurityProtocol.PLAINTEXT
    """How that listener is secured."""
    principal: KafkaPrincipal = ANONYMOUS
    """The sender; of one that a broker has forwarded, the broker's client."""


class Admission:
    """What the check of a request has found: of one that is not checked, nothing to refuse."""

    __slots__ = ("merge", "part", "permits")

    def __init__(self) -> None:
        self.permits: Permits = EVERYTHING
        """What the sender may do."""
        self.merge: Callable[[Response], Response] | None = None
        """Adds to an answer what was taken out of the request."""
        self.part: Callable[[Message], Message | None] | None = None
        """What the sender may see of one thing in an answer; None: it is left out."""


@dataclass(frozen=True, eq=False)
class ServedApis:
    """The APIs that a listener serves, key -> (min, max): made once, so that what is derived from
    it can be kept by it."""

    ranges: Mapping[int, tuple[int, int]]


NOTHING_SERVED: Final = ServedApis({})
"""For a request that came by no listener."""


class RequestContext(Generic[A]):
    """One request's header and origin, and the way to answer it: once, now or later.

    `raw` is the request's header and body as they came (for forwarding); `forwarded` tells an
    Envelope's inner request; `served`: what this listener serves.
    """

    __slots__ = (
        "_sink",
        "admission",
        "began",
        "charge",
        "connection",
        "forwarded",
        "gone",
        "header",
        "origin",
        "raw",
        "served",
        "survey",
    )

    def __init__(
        self,
        header: RequestHeader,
        raw: Buffer,
        connection: int,
        origin: Origin,
        served: ServedApis,
        sink: Sink,
        forwarded: bool = False,
        gone: Callable[[], bool] = lambda: False,
    ) -> None:
        """`gone`: whether the client has left, so that no more work need be done for it."""
        self.header = header
        self.raw = raw
        self.connection = connection
        self.origin = origin
        self.served = served
        self.forwarded = forwarded
        self.gone = gone
        self.began: float | None = None
        """When (s, monotonic) the request began that this is a part of; None: this is all of it."""
        self.survey: object = None
        """What looked at all parts of the request that this is a part of."""
        self.admission = Admission()
        self.charge: Charge | None = None
        """What it is charged; None: no quota counts."""
        self._sink: Sink | None = sink

    @property
    def key(self) -> int:
        """The API's key."""
        return self.header.api_key

    @property
    def version(self) -> int:
        """The version that the client speaks."""
        return self.header.version

    @property
    def client_id(self) -> str:
        """What the client calls itself."""
        return self.header.client_id or ""

    @property
    def listener(self) -> str:
        """The listener at which the request came in."""
        return self.origin.listener

    @property
    def host(self) -> str:
        """The client's address."""
        return self.origin.host

    @property
    def security_protocol(self) -> SecurityProtocol:
        """How the listener is secured."""
        return self.origin.security_protocol

    @property
    def principal(self) -> KafkaPrincipal:
        """The sender; of one that a broker has forwarded, the broker's client."""
        return self.origin.principal

    @property
    def answered(self) -> bool:
        """Whether the answer has been given."""
        return self._sink is None

    def answer(self, response: A) -> None:
        """Give the answer, in the client's version."""
        self.answer_buffers(response_frame(self.header, self.told(self.merged(response))))

    def merged(self, response: Response) -> Response:
        """An answer with what the check of the request has taken out."""
        merge = self.admission.merge
        return response if merge is None else merge(response)

    def told(self, response: Response) -> Response:
        """An answer with what it says of quotas, where that stands not at its beginning."""
        return response if self.charge is None else self.charge.told(response)

    def take_mutations(self, count: int, strict_from: int) -> None:
        """So many partitions are made or deleted. Refusal THROTTLING_QUOTA_EXCEEDED where that is
        too many for now, from version `strict_from` on (KIP-599)."""
        if self.charge is not None:
            self.charge.take_mutations(count, self.version >= strict_from)

    @property
    def permits(self) -> Permits:
        """What the sender may do."""
        return self.admission.permits

    def answer_buffers(self, buffers: list[Buffer]) -> None:
        """Give the answer as bytes (length, header and body)."""
        if self.charge is not None:
            buffers = self.charge.on_answer(buffers)
        self._give(buffers)

    def _give(self, buffers: list[Buffer]) -> None:
        assert self._sink is not None, f"{self.header} was answered twice"
        sink, self._sink = self._sink, None
        sink(buffers)

    def answer_nothing(self) -> None:
        """The client wants no answer (acks=0)."""
        self.answer_buffers([])


class Serving(ABC, Generic[T]):
    """A handler of whichever API."""

    __slots__ = ()

    @property
    @abstractmethod
    def module(self) -> str:
        """The name of the module that serves it."""

    @property
    @abstractmethod
    def refuses(self) -> bool:
        """Whether it has an answer for a request that is refused as a whole."""

    @property
    @abstractmethod
    def request(self) -> type[Request[Response]]:
        """The class of its requests."""

    @abstractmethod
    def serve(
        self, target: T, request: Whole, context: RequestContext[Response]
    ) -> Response | Later:
        """Serve a request, which is one of its class."""

    @abstractmethod
    def refused(
        self, request: Whole, context: RequestContext[Response], error: Error, why: str
    ) -> Response:
        """What the response says where the request as a whole is refused."""


class Handler(Serving[T], Generic[T, Q, R]):
    """One API on one kind of listener: the class of its requests, what serves them, and what its
    response says where the request as a whole is refused (None: the connection ends).
    """

    __slots__ = ("_refuse", "_request", "handle")

    def __init__(
        self,
        request: type[Q],
        handle: Callable[[T, Q, RequestContext[R]], R | Later],
        refuse: Callable[[Q, RequestContext[R], Error, str], R] | None = None,
    ) -> None:
        self._request = request
        self.handle = handle
        self._refuse = refuse

    @property
    def module(self) -> str:
        """The name of the module that serves it."""
        return self.handle.__module__

    @property
    def refuses(self) -> bool:
        """Whether it has an answer for a request that is refused as a whole."""
        return self._refuse is not None

    @property
    def request(self) -> type[Request[Response]]:
        """The class of its requests."""
        return self._request

    def serve(
        self, target: T, request: Whole, context: RequestContext[Response]
    ) -> Response | Later:
        """Serve a request, which is one of its class."""
        assert isinstance(request, self._request)
        return self.handle(target, request, context)

    def refused(
        self, request: Whole, context: RequestContext[Response], error: Error, why: str
    ) -> Response:
        """What the response says where the request as a whole is refused."""
        assert isinstance(request, self._request)
        assert self._refuse is not None
        return self._refuse(request, context, error, why)
