"""What a request is charged, and what its answer says: by hand, without a node."""

from __future__ import annotations

import random
import struct
from functools import partial
from typing import Any

import pytest

from spindle.model.client_quotas import QuotaTable, quota_entity
from spindle.model.errors import Error, Refusal
from spindle.model.kafka_principal import KafkaPrincipal
from spindle.model.outbox import Outbox
from spindle.model.security_protocol import SecurityProtocol
from spindle.model.settings.typed_settings import Settings
from spindle.node.quotas.client_throttles import ClientThrottles
from spindle.node.request_context import NOTHING_SERVED, Origin, RequestContext
from spindle.wire.apis import Key
from spindle.wire.codec import Response
from spindle.wire.framing import RequestHeader, response_frame, response_in
from spindle.wire.messages.api_versions_request import ApiVersionsRequest
from spindle.wire.messages.api_versions_response import ApiVersionsResponse
from spindle.wire.messages.fetch_request import FetchRequest
from spindle.wire.messages.fetch_response import FetchResponse
from spindle.wire.messages.heartbeat_request import HeartbeatRequest
from spindle.wire.messages.heartbeat_response import HeartbeatResponse
from spindle.wire.messages.metadata_response import MetadataResponse
from spindle.wire.messages.offset_delete_request import OffsetDeleteRequest
from spindle.wire.messages.offset_delete_response import OffsetDeleteResponse
from spindle.wire.messages.produce_request import ProduceRequest
from spindle.wire.messages.produce_response import ProduceResponse

pytestmark = pytest.mark.spec("S-07")
ANN = KafkaPrincipal("User", "ann")


class QuotaDesk:
    """Throttles whose time a test moves, and the answers that have left."""

    def __init__(self, **quotas: float) -> None:
        self.out = Outbox(random.Random(1))
        self.out.now = 50.0
        self.worked = 0.0
        self.out.stopwatch = lambda: self.worked
        self.table = QuotaTable()
        self.throttles = ClientThrottles(
            Settings({}), lambda: self.table, self.out, frozenset({Key.VOTE})
        )
        for key, value in quotas.items():
            self.table.set(quota_entity([("user", "ann")]), key, value)
        self.left: list[list[Any]] = []

    def context(
        self, request: Any, version: int, size: int = 10, forwarded: bool = False
    ) -> RequestContext[Any]:
        header = RequestHeader(request.KEY, version, 7, "app")
        origin = Origin("A", "h", SecurityProtocol.PLAINTEXT, ANN)
        context: RequestContext[Any] = RequestContext(
            header, b"", 3, origin, NOTHING_SERVED, self.left.append, forwarded
        )
        if self.throttles.active:
            connection = None if forwarded else 3
            context.charge = self.throttles.charge(
                header, request.RESPONSE, "ann", connection, size
            )
        return context

    def last(self, request: Any, version: int) -> Any:
        """The answer that left last."""
        return response_in(b"".join(self.left[-1])[4:], request, version)

    @property
    def mutes(self) -> list[tuple[int, float]]:
        ready = self.out.take()
        return [] if ready is None else ready.mutes


def test_without_quotas_nothing_is_charged() -> None:
    desk = QuotaDesk()
    assert not desk.throttles.active
    desk.table.set(quota_entity([("ip", None)]), "connection_creation_rate", 5)
    assert not desk.throttles.active
    context = desk.context(HeartbeatRequest(), 4)
    assert context.charge is None
    context.take_mutations(10**9, 0)
    context.answer(HeartbeatResponse())
    assert desk.last(HeartbeatRequest(), 4).throttle_time_ms == 0
    assert desk.mutes == []


def test_a_change_counts_with_the_next_request() -> None:
    desk = QuotaDesk()
    desk.table.set(quota_entity([("user", "ann")]), "request_percentage", 5)
    assert desk.throttles.active
    desk.table.remove(quota_entity([("user", "ann")]), "request_percentage")
    assert not desk.throttles.active
    desk.table = QuotaTable({quota_entity([("user", None)]): {"producer_byte_rate": 1.0}})
    assert desk.throttles.active, "the image came from a snapshot"


CASES: list[tuple[Any, Response, int]] = [
    *((HeartbeatRequest(), HeartbeatResponse(), v) for v in (1, 3, 4)),
    *((OffsetDeleteRequest(), OffsetDeleteResponse(), v) for v in (0,)),
    *((FetchRequest(), FetchResponse(session_id=9), v) for v in (4, 11, 12, 18)),
    *((ProduceRequest(), ProduceResponse(), v) for v in (3, 8, 9, 13)),
]  # fmt: skip


@pytest.mark.parametrize(("request_", "response", "version"), CASES)
def test_time_over_the_quota_stands_in_every_version(
    request_: Any, response: Response, version: int
) -> None:
    desk = QuotaDesk(request_percentage=1.0)
    context = desk.context(request_, version)
    assert context.charge is not None
    context.charge.begin()
    desk.worked += 0.105  # In ten seconds a tenth may be used.
    context.charge.pause()
    context.answer(response)
    told = desk.last(request_, version)
    assert told.throttle_time_ms == 500
    assert desk.mutes == [(3, 0.5)]


def test_versions_without_a_place_for_it_are_held_back_all_the_same() -> None:
    for request, response in (
        (HeartbeatRequest(), HeartbeatResponse()),
        (ApiVersionsRequest(), ApiVersionsResponse()),
    ):
        desk = QuotaDesk(request_percentage=1.0)
        context = desk.context(request, 0)
        assert context.charge is not None
        context.charge.begin()
        desk.worked += 1.0
        context.answer(response)
        assert desk.last(request, 0) == response
        assert desk.mutes == [(3, 1.0)]


def test_a_producer_waits_for_its_bytes() -> None:
    desk = QuotaDesk(producer_byte_rate=100)
    first = desk.context(ProduceRequest(), 9, 1000)
    first.answer(ProduceResponse())
    assert desk.last(ProduceRequest(), 9).throttle_time_ms == 0
    second = desk.context(ProduceRequest(), 9, 200)
    second.answer(ProduceResponse())
    assert desk.last(ProduceRequest(), 9).throttle_time_ms == 2000
    blind = desk.context(ProduceRequest(), 9, 100)
    blind.answer_nothing()
    assert desk.mutes == [(3, 2.0), (3, 3.0)]
    assert desk.left[-1] == []


def test_a_consumer_over_its_quota_gets_nothing_and_that_does_not_count() -> None:
    desk = QuotaDesk(consumer_byte_rate=100)
    charge = desk.context(FetchRequest(), 12).charge
    assert charge is not None
    assert charge.fetch_most == 1000
    assert charge.admits_fetched(1000)
    for _ in range(2):
        context = desk.context(FetchRequest(), 12)
        assert context.charge is not None
        assert not context.charge.admits_fetched(500)
        context.answer(FetchResponse())
        assert desk.last(FetchRequest(), 12).throttle_time_ms == 5000
    desk.out.now += 11.0
    context = desk.context(FetchRequest(), 12)
    assert context.charge is not None
    assert context.charge.admits_fetched(500)


def test_changes_are_refused_or_the_client_waits() -> None:
    desk = QuotaDesk(controller_mutation_rate=1.0)
    first = desk.context(HeartbeatRequest(), 4)
    first.take_mutations(12, 4)
    with pytest.raises(Refusal, match="The throttling quota has been exceeded") as refused:
        first.take_mutations(1, 4)
    assert refused.value.error is Error.THROTTLING_QUOTA_EXCEEDED
    desk.out.now += 0.25  # The answer waits for a commit.
    first.answer(HeartbeatResponse())
    assert desk.last(HeartbeatRequest(), 4).throttle_time_ms == 750
    older = desk.context(HeartbeatRequest(), 3)
    older.take_mutations(2, 4)
    older.answer(HeartbeatResponse())
    assert desk.last(HeartbeatRequest(), 3).throttle_time_ms == 2750
    assert desk.mutes == [(3, 0.75), (3, 2.75)]


def test_what_the_controller_says_holds_at_the_broker() -> None:
    """The broker hands on bytes; the controller itself mutes no connection of a broker."""
    desk = QuotaDesk(controller_mutation_rate=1.0)
    inner = desk.context(HeartbeatRequest(), 4, forwarded=True)
    inner.take_mutations(13, 4)
    with pytest.raises(Refusal):
        inner.take_mutations(1, 4)
    inner.answer(HeartbeatResponse())
    assert desk.last(HeartbeatRequest(), 4).throttle_time_ms == 2000
    assert desk.mutes == []
    outer = desk.context(HeartbeatRequest(), 4)
    outer.answer_buffers(desk.left[-1])
    assert desk.last(HeartbeatRequest(), 4).throttle_time_ms == 2000
    assert desk.mutes == [(3, 2.0)]


def test_an_answer_in_pieces_says_it_too() -> None:
    desk = QuotaDesk(request_percentage=1.0)
    context = desk.context(HeartbeatRequest(), 4)
    assert context.charge is not None
    context.charge.begin()
    desk.worked += 1.0
    whole = b"".join(response_frame(context.header, HeartbeatResponse()))
    context.answer_buffers([whole[:6], whole[6:]])
    assert desk.last(HeartbeatRequest(), 4).throttle_time_ms == 1000
    assert struct.unpack_from(">i", b"".join(desk.left[-1]))[0] == len(whole) - 4


def test_what_nodes_ask_of_each_other_is_free() -> None:
    desk = QuotaDesk(request_percentage=1.0)
    charge = partial(
        desk.throttles.charge, response=MetadataResponse, user="ann", connection=3, size=1
    )
    assert charge(RequestHeader(Key.WRITE_TXN_MARKERS, 1, 1, None)) is None
    assert charge(RequestHeader(Key.BROKER_HEARTBEAT, 1, 1, None)) is None
    assert charge(RequestHeader(Key.VOTE, 1, 1, None)) is None
    assert charge(RequestHeader(Key.METADATA, 1, 1, None)) is not None


def test_what_clients_use_and_wait_is_shown() -> None:
    desk = QuotaDesk(producer_byte_rate=100)
    assert list(desk.throttles.statistics()) == []
    desk.context(ProduceRequest(), 9, 1500).answer(ProduceResponse())
    shown = {sample.name: sample for sample in desk.throttles.statistics()}
    assert shown["kafka_server_produce_byte_rate"].value == 150.0
    assert shown["kafka_server_produce_throttle_time"].value == 5000.0
    assert shown["kafka_server_produce_byte_rate"].labels == {"user": "ann", "client_id": ""}
    desk.out.now += 11.0
    assert list(desk.throttles.statistics()) == []
