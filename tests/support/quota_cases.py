"""Changes of quotas and questions about them, right and wrong, for tests beside Apache Kafka.

`ALTERATIONS` and `QUESTIONS` are by name. They are asked in this order, so that the later ones find
what the earlier ones have set.
"""

from __future__ import annotations

import select
import socket
import struct
from collections import deque
from typing import Any, Final, Self

from spindle.wire.codec import Request
from spindle.wire.framing import request_frame, response_in
from spindle.wire.messages import alter_client_quotas_request as alter
from spindle.wire.messages import describe_client_quotas_request as describe

Entity = dict[str, str | None]
Ops = dict[str, float | None]


def altered(*entries: tuple[Entity, Ops], dry: bool = False) -> alter.AlterClientQuotasRequest:
    """A request that changes each entity's quotas; None removes one."""
    return alter.AlterClientQuotasRequest(
        entries=tuple(
            alter.EntryData(
                entity=tuple(
                    alter.EntityData(entity_type=kind, entity_name=name)
                    for kind, name in entity.items()
                ),
                ops=tuple(
                    alter.OpData(key=key, value=value or 0.0, remove=value is None)
                    for key, value in ops.items()
                ),
            )
            for entity, ops in entries
        ),
        validate_only=dry,
    )


def asked(
    *components: tuple[str, int, str | None], strict: bool = False
) -> describe.DescribeClientQuotasRequest:
    """A question, by (type, match type, match)."""
    return describe.DescribeClientQuotasRequest(
        components=tuple(
            describe.ComponentData(entity_type=kind, match_type=how, match=match)
            for kind, how, match in components
        ),
        strict=strict,
    )


ANN: Final[Entity] = {"user": "ann"}
BOTH: Final[Entity] = {"user": "ann", "client-id": "app"}
_REPEATED = altered((ANN, {"producer_byte_rate": 1.0})).entries[0]

ALTERATIONS: Final = {
    "a user": altered((ANN, {"producer_byte_rate": 1000.0, "request_percentage": 12.5})),
    "both": altered((BOTH, {"consumer_byte_rate": 2000.0})),
    "defaults": altered(
        ({"user": None}, {"producer_byte_rate": 5.0}),
        ({"client-id": None}, {"controller_mutation_rate": 0.5}),
        ({"user": None, "client-id": None}, {"request_percentage": 200.0}),
        ({"user": "ann", "client-id": None}, {"request_percentage": 100.0}),
        ({"ip": None}, {"connection_creation_rate": 1000.0}),
    ),
    "an address": altered(({"ip": "127.0.0.9"}, {"connection_creation_rate": 3.0})),
    "again the same": altered((ANN, {"producer_byte_rate": 1000.0})),
    "validate only": altered(({"user": "dry"}, {"producer_byte_rate": 1.0}), dry=True),
    "one is removed": altered((ANN, {"request_percentage": None, "consumer_byte_rate": None})),
    "some are wrong": altered(
        ({"user": "eve"}, {"producer_byte_rate": 9.0}),
        ({"user": "bob"}, {"nonsense": 1.0}),
        ({"user": "bob", "ip": "127.0.0.1"}, {"connection_creation_rate": 1.0}),
    ),
    "no entity": altered(({}, {"producer_byte_rate": 1.0})),
    "an unknown type": altered(({"group": "g"}, {"producer_byte_rate": 1.0})),
    "an empty user": altered(({"user": ""}, {"producer_byte_rate": 1.0})),
    "an empty client id": altered(({"client-id": ""}, {"producer_byte_rate": 1.0})),
    "an empty address": altered(({"ip": ""}, {"connection_creation_rate": 1.0})),
    "no address": altered(({"ip": "no such host.invalid"}, {"connection_creation_rate": 1.0})),
    "a fraction of a byte": altered((ANN, {"producer_byte_rate": 1.5})),
    "a fraction of a connection": altered(({"ip": None}, {"connection_creation_rate": 1.5})),
    "nothing at all": altered((ANN, {"consumer_byte_rate": 0.0})),
    "less than nothing": altered((ANN, {"request_percentage": -1.0})),
    "far too many bytes": altered((ANN, {"consumer_byte_rate": 1e19})),
    "far too many connections": altered(({"ip": None}, {"connection_creation_rate": 3e9})),
    "a client's quota for an address": altered(({"ip": None}, {"producer_byte_rate": 1.0})),
    "an address's quota for a user": altered((ANN, {"connection_creation_rate": 1.0})),
    "an entity twice": alter.AlterClientQuotasRequest(
        entries=(_REPEATED, _REPEATED), validate_only=True
    ),
    "a quota twice": alter.AlterClientQuotasRequest(
        entries=(alter.EntryData(entity=_REPEATED.entity, ops=tuple(_REPEATED.ops) * 2),),
        validate_only=True,
    ),
    "a quota of both twice": alter.AlterClientQuotasRequest(
        entries=(
            alter.EntryData(
                entity=altered((BOTH, {})).entries[0].entity, ops=tuple(_REPEATED.ops) * 2
            ),
        ),
        validate_only=True,
    ),
    "none": altered(),
}  # fmt: skip

QUESTIONS: Final = {
    "everything": asked(),
    "everything, strictly": asked(strict=True),
    "a user": asked(("user", 0, "ann")),
    "a user alone": asked(("user", 0, "ann"), strict=True),
    "the default of users": asked(("user", 1, None), strict=True),
    "any user": asked(("user", 2, None)),
    "any user alone": asked(("user", 2, None), strict=True),
    "both": asked(("user", 0, "ann"), ("client-id", 0, "app"), strict=True),
    "any of both": asked(("user", 2, None), ("client-id", 2, None), strict=True),
    "client ids": asked(("client-id", 2, None)),
    "addresses": asked(("ip", 2, None)),
    "nobody": asked(("user", 0, "nobody")),
    "an empty type": asked(("", 0, "ann")),
    "a type twice": asked(("user", 0, "ann"), ("user", 1, None)),
    "an unknown type": asked(("group", 0, "g")),
    "an unknown match type": asked(("user", 7, None)),
    "no name": asked(("user", 0, None)),
    "a name for the default": asked(("user", 1, "ann")),
    "a name for any": asked(("user", 2, "ann")),
    "an address and a user": asked(("ip", 2, None), ("user", 2, None)),
}


class QuotaLink:
    """A client with one connection, which sends requests and sees when their answers come."""

    def __init__(self, port: int, client_id: str, host: str = "127.0.0.1") -> None:
        self.client_id = client_id
        self._sock = socket.create_connection(("127.0.0.1", port), 30, (host, 0))
        self._sent: deque[tuple[Request[Any], int]] = deque()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._sock.close()

    def send(self, request: Request[Any], version: int) -> None:
        """Send a request."""
        self._sent.append((request, version))
        self._sock.sendall(request_frame(request, version, 7, self.client_id))

    def answered(self, seconds: float) -> bool:
        """Whether anything comes within so many seconds."""
        return bool(select.select([self._sock], [], [], seconds)[0])

    def take(self) -> Any:
        """The answer to the oldest request that has none."""
        request, version = self._sent.popleft()
        (size,) = struct.unpack(">i", self._take(4))
        return response_in(self._take(size), request, version)

    def ask(self, request: Request[Any], version: int) -> Any:
        """Send a request and take its answer."""
        self.send(request, version)
        return self.take()

    def _take(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            more = self._sock.recv(size - len(data))
            assert more, "the connection was closed"
            data += more
        return data
