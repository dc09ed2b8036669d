"""What a ShareFetch asks for: bytes, records, batches, time; and what a quota admits (KIP-932)."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from tests.support.replica_world import TOPIC, Answer, World, values_of

from spindle.core.share.share_values import ShareOutcome, ShareState
from spindle.model.client_quotas import CONSUMER_BYTE_RATE, QuotaTable, quota_entity
from spindle.model.ids import PartitionId
from spindle.model.metric_tables import led_groups as of
from spindle.node.handlers import BROKER
from spindle.node.quotas.client_throttles import ClientThrottles
from spindle.node.request_context import Origin, RequestContext
from spindle.node.router import serve
from spindle.node.share.share_partition_manager import SharePartitionManager
from spindle.wire.apis import Key
from spindle.wire.framing import RequestHeader
from spindle.wire.messages import share_fetch_request as m

pytestmark = [pytest.mark.spec("C-04")]
BIG = 1 << 20


class Keeper:
    """Stands for the share coordinator: it keeps all that is written."""

    def read(self, key: Any, epoch: int, then: Any) -> None:
        then(ShareOutcome(state=ShareState(start_offset=0)))

    def write(self, key: Any, write: Any, then: Any) -> None:
        then(ShareOutcome())


class ShareWorld:
    """One broker that leads the partitions of a topic, and a member that asks it."""

    def __init__(
        self,
        partitions: int = 1,
        quota: float | None = None,
        settings: dict[str, str] | None = None,
    ) -> None:
        self.world = World(1, settings, partitions)
        self.node = self.world.nodes[1]
        broker = self.node.broker
        keeper: Any = Keeper()
        broker.shares = self.shares = SharePartitionManager(
            broker.context, self.node.replicas, keeper
        )
        broker.groups = SimpleNamespace(serves_shares=True)
        self.partitions = partitions
        self.epoch = 0
        self.gone = False
        table = QuotaTable()
        if quota is not None:
            table.set(quota_entity([("user", "ann")]), CONSUMER_BYTE_RATE, quota)
        self.throttles = ClientThrottles(broker.settings, lambda: table, self.node.out)

    def ask(self, *said: m.AcknowledgementBatch, **fields: Any) -> Answer:
        """Ask for all partitions; `said` of the first one."""
        topic = m.FetchTopic(
            topic_id=TOPIC,
            partitions=[
                m.FetchPartition(partition_index=p, acknowledgement_batches=said if p == 0 else ())
                for p in range(self.partitions)
            ],
        )
        given = {"min_bytes": 1, "max_bytes": BIG, "max_records": 500, "batch_size": 500} | fields
        request = m.ShareFetchRequest(
            group_id="g",
            member_id="m",
            share_session_epoch=self.epoch,
            topics=(topic,),
            **given,
        )
        self.epoch += 1
        answer = Answer(Key.SHARE_FETCH, 2)
        header = RequestHeader(Key.SHARE_FETCH, 2, 7, "client")
        context: RequestContext[Any] = RequestContext(
            header, b"", 1, Origin("PLAINTEXT", "h"), {}, answer.take, gone=lambda: self.gone
        )
        if self.throttles.active:
            context.charge = self.throttles.charge(header, request.RESPONSE, "ann", 1, 10)
        serve(BROKER[Key.SHARE_FETCH], self.node.broker, request, context)
        self.world.step()
        return answer

    def produce(self, *values: bytes, partition: int = 0) -> None:
        """One batch."""
        self.world.produce(1, *values, partition=partition)

    @property
    def free(self) -> int:
        """The first record of partition 0 that a member could get."""
        shared = self.shares.find("g", PartitionId(TOPIC, 0))
        return shared.machine.next  # type: ignore[union-attr]


def acquired(answer: Answer) -> dict[int, list[tuple[int, int, int]]]:
    """(first, last, deliveries) by partition."""
    return {
        p.partition_index: [
            (a.first_offset, a.last_offset, a.delivery_count) for a in p.acquired_records
        ]
        for topic in answer.entity.responses
        for p in topic.partitions
    }


def size_of(answer: Answer) -> int:
    return sum(len(p.records or b"") for t in answer.entity.responses for p in t.partitions)


def test_it_waits_for_min_bytes_and_acquires_nothing_before() -> None:
    world = ShareWorld()
    world.produce(b"a" * 100)
    answer = world.ask(min_bytes=400, max_wait_ms=5000)
    assert not answer.there
    assert world.free == 0
    world.produce(b"b" * 100)
    assert not answer.there
    world.produce(b"c" * 100)
    assert acquired(answer) == {0: [(0, 2, 1)]}


def test_what_there_is_goes_out_when_the_time_is_up() -> None:
    world = ShareWorld()
    world.produce(b"a")
    answer = world.ask(min_bytes=BIG, max_wait_ms=500)
    world.world.wait(0.4)
    assert not answer.there
    world.world.wait(0.2)
    assert acquired(answer) == {0: [(0, 0, 1)]}
    assert acquired(world.ask(min_bytes=BIG, max_wait_ms=0)) == {}


def test_bytes_of_all_partitions_count_together() -> None:
    world = ShareWorld(partitions=2)
    world.produce(b"a" * 100)
    answer = world.ask(min_bytes=300, max_wait_ms=5000)
    assert not answer.there
    world.produce(b"b" * 100, partition=1)
    assert acquired(answer) == {0: [(0, 0, 1)], 1: [(0, 0, 1)]}


def test_without_min_bytes_it_is_answered_at_once() -> None:
    world = ShareWorld()
    assert acquired(world.ask(min_bytes=0, max_wait_ms=5000)) == {}
    world.produce(b"a")
    assert acquired(world.ask(min_bytes=0, max_wait_ms=5000)) == {0: [(0, 0, 1)]}


def test_an_acknowledgement_is_answered_with_the_records_that_are_waited_for() -> None:
    world = ShareWorld()
    world.produce(b"a")
    world.ask()
    accepted = m.AcknowledgementBatch(first_offset=0, last_offset=0, acknowledge_types=(1,))
    answer = world.ask(accepted, max_wait_ms=500)
    assert not answer.there
    world.produce(b"b")
    assert acquired(answer) == {0: [(1, 1, 1)]}
    late = world.ask(max_wait_ms=500)
    world.world.wait(0.6)
    assert acquired(late) == {}


def test_max_bytes_are_shared_among_partitions_but_the_first_batch_comes_whole() -> None:
    world = ShareWorld(partitions=2)
    for partition in (0, 1):
        for _ in range(4):
            world.produce(b"a" * 100, partition=partition)
    answer = world.ask(max_bytes=800)
    assert acquired(answer) == {0: [(0, 1, 1)], 1: [(0, 1, 1)]}
    assert size_of(answer) <= 800
    assert acquired(world.ask(max_bytes=10)) in ({0: [(2, 2, 1)]}, {1: [(2, 2, 1)]})
    assert acquired(world.ask(max_bytes=0, max_wait_ms=5000)) == {}


def test_the_brokers_own_limit_of_bytes_counts_too() -> None:
    world = ShareWorld(settings={"fetch.max.bytes": "1024"})
    for _ in range(4):
        world.produce(b"a" * 400)
    assert acquired(world.ask()) == {0: [(0, 1, 1)]}


@pytest.mark.parametrize(("mode", "last"), [(0, 5), (1, 3)])
def test_records_are_counted_by_batches_or_strictly(mode: int, last: int) -> None:
    world = ShareWorld()
    for _ in range(3):
        world.produce(b"a", b"b", b"c")
    answer = world.ask(max_records=4, share_acquire_mode=mode)
    assert acquired(answer) == {0: [(0, last, 1)]}
    (told,) = answer.entity.responses[0].partitions
    assert len(values_of(told)) == 6  # Whole batches of the log, as Apache Kafka.


def test_a_batch_size_cuts_ranges_where_batches_of_the_log_begin() -> None:
    world = ShareWorld()
    for _ in range(4):
        world.produce(b"a", b"b", b"c")
    assert acquired(world.ask(batch_size=4)) == {0: [(0, 5, 1), (6, 11, 1)]}


def test_a_strict_fetch_has_one_range_whatever_the_size_of_a_batch() -> None:
    world = ShareWorld()
    for _ in range(3):
        world.produce(b"a", b"b", b"c")
    answer = world.ask(batch_size=1, max_records=7, share_acquire_mode=1)
    assert acquired(answer) == {0: [(0, 6, 1)]}


def test_enough_records_of_one_partition_leave_the_others_alone() -> None:
    world = ShareWorld(partitions=2)
    for partition in (0, 1):
        world.produce(b"a", b"b", partition=partition)
    assert sum(len(found) for found in acquired(world.ask(max_records=2)).values()) == 1


@pytest.mark.spec("S-07")
def test_a_client_over_its_quota_acquires_nothing_and_is_held_back() -> None:
    world = ShareWorld(quota=100.0)
    world.produce(b"a" * 500)
    assert acquired(world.ask()) == {0: [(0, 0, 1)]}
    for _ in range(3):
        world.produce(b"b" * 500)
    answer = world.ask()
    assert answer.entity.throttle_time
    assert not answer.entity.responses
    assert world.free == 1
    world.world.wait(20.0)
    later = world.ask()
    assert not later.entity.throttle_time
    assert acquired(later) == {0: [(1, 1, 1)]}  # As if it had not been delivered before.


@pytest.mark.spec("S-07")
def test_acknowledgements_count_though_the_client_is_held_back() -> None:
    world = ShareWorld(quota=100.0)
    world.produce(b"a" * 600)
    world.produce(b"b" * 600)
    world.ask(max_bytes=10)
    accepted = m.AcknowledgementBatch(first_offset=0, last_offset=0, acknowledge_types=(1,))
    answer = world.ask(accepted)
    assert answer.entity.throttle_time
    ((told,),) = (topic.partitions for topic in answer.entity.responses)
    assert (told.acknowledge_error_code, told.acquired_records) == (0, ())


def test_nothing_is_acquired_for_a_client_that_has_left() -> None:
    world = ShareWorld()
    world.ask(max_wait_ms=5000)
    world.gone = True
    world.produce(b"a")
    assert world.free == 0


def test_sessions_records_in_flight_and_acknowledgements_are_counted() -> None:
    world = ShareWorld(partitions=2, settings={"metrics.partitions.enable": "true"})
    world.produce(b"a", b"b", b"c")
    world.ask()

    def figures() -> dict[Any, float]:
        return {(s.name, *s.labels.values()): s.value for s in world.shares.statistics()}

    now = figures()
    assert now[of.SHARE_SESSIONS.name,] == 1
    assert now[of.SHARE_SESSION_PARTITIONS.name,] == 2
    assert now[of.SHARE_IN_FLIGHT.name, "g", "t", "0"] == 3
    said = m.AcknowledgementBatch(first_offset=0, last_offset=2, acknowledge_types=(1, 1, 3))
    world.ask(said)
    now = figures()
    assert now[of.SHARE_ACKNOWLEDGEMENTS.name, "Accept"] == 2
    assert now[of.SHARE_ACKNOWLEDGEMENTS.name, "Reject"] == 1
    assert now[of.SHARE_ACKNOWLEDGEMENTS.name, "Release"] == 0
    assert now[of.SHARE_IN_FLIGHT.name, "g", "t", "0"] == 0
