"""A broker that leads share partitions, and a member of a share group that asks it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from spindle.core.share.share_values import ShareOutcome, ShareState
from spindle.model.client_quotas import CONSUMER_BYTE_RATE, QuotaTable, quota_entity
from spindle.model.ids import PartitionId
from spindle.node.handlers import BROKER
from spindle.node.quotas.client_throttles import ClientThrottles
from spindle.node.request_context import NOTHING_SERVED, Origin, RequestContext
from spindle.node.router import serve
from spindle.node.share.share_partition_manager import SharePartitionManager
from spindle.wire.apis import Key
from spindle.wire.framing import RequestHeader
from spindle.wire.messages import share_fetch_request as m
from tests.support.replica_world import TOPIC, Answer, World

BIG = 1 << 20


class Keeper:
    """Stands for the share coordinator: it keeps all that is written."""

    def read(self, key: Any, epoch: int, then: Any) -> None:
        then(ShareOutcome(state=ShareState(start_offset=0)))

    def write(self, key: Any, write: Any, then: Any) -> None:
        then(ShareOutcome())


class ShareWorld:
    """A broker that leads the partitions of a topic, and a member that asks it."""

    def __init__(
        self,
        partitions: int = 1,
        quota: float | None = None,
        settings: dict[str, str] | None = None,
        nodes: int = 1,
    ) -> None:
        self.world = World(nodes, settings, partitions)
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
        given: dict[str, Any] = {
            "group_id": "g",
            "member_id": "m",
            "share_session_epoch": self.epoch,
            "min_bytes": 1,
            "max_bytes": BIG,
            "max_records": 500,
            "batch_size": 500,
        }
        request = m.ShareFetchRequest(topics=(topic,), **(given | fields))
        self.epoch += 1
        answer = Answer(Key.SHARE_FETCH, 2)
        header = RequestHeader(Key.SHARE_FETCH, 2, 7, "client")
        context: RequestContext[Any] = RequestContext(
            header,
            b"",
            1,
            Origin("PLAINTEXT", "h"),
            NOTHING_SERVED,
            answer.take,
            gone=lambda: self.gone,
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
    """The bytes of all records in an answer."""
    return sum(len(p.records or b"") for t in answer.entity.responses for p in t.partitions)
