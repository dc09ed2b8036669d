"""News of what became of single replicas as AlterReplicaState (K589-01, K589-03).

A controller that lacks the API, such as Apache Kafka's, is told the same by an assignment to LOST
and back (K589-05): `logdirs` does that once it hears of it here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from spindle.core.logdirs.events import Post, ReplicaChanged
from spindle.core.logdirs.report_queue import ReportBatch, ReportQueue, StateChange, is_like
from spindle.model.errors import Error
from spindle.model.ids import PartitionId, TopicId
from spindle.node.broker_context import BrokerContext
from spindle.node.logdirs.report_sender import ReportSender
from spindle.wire.apis import Key
from spindle.wire.messages.alter_replica_state_request import (
    AlterReplicaStateRequest,
    TopicData,
)
from spindle.wire.messages.alter_replica_state_response import AlterReplicaStateResponse

OFFLINE: Final = 1
ONLINE: Final = 2
REASON_MAX: Final = 1_000
"""Characters of a request's reason."""


class ReplicaStateSender(ReportSender[StateChange, AlterReplicaStateResponse]):
    """Which of our replicas are bad, and which are well again."""

    channel = "replica-states"
    needs = Key.ALTER_REPLICA_STATE

    def __init__(
        self,
        context: BrokerContext,
        epoch: Callable[[], int],
        state_of: Callable[[PartitionId], StateChange | None],
        post: Post,
    ) -> None:
        """`state_of`: what is to be said."""
        super().__init__(context.out, context.controller, epoch, ReportQueue(is_like))
        self._context = context
        self._state_of = state_of
        self._post = post

    def is_relevant(self, id: PartitionId, word: StateChange) -> bool:
        """Whether the metadata still thinks otherwise.

        Also where we have heard meanwhile that this controller lacks the API: `on_unserved` then
        has it told in the other way.
        """
        now = self._state_of(id)
        return now is not None and now.online == word.online

    def on_unserved(self, ids: Iterable[PartitionId]) -> None:
        """The controller is none of ours: it is told in its own words."""
        for id in ids:
            self._post(ReplicaChanged(id))

    def encode(self, epoch: int, batch: ReportBatch[StateChange]) -> AlterReplicaStateRequest:
        """The request: all entries of a batch are alike."""
        topics: dict[TopicId, list[int]] = {}
        for id in batch.entries:
            topics.setdefault(id.topic_id, []).append(id.partition)
        words = list(batch.entries.values())
        reasons = dict.fromkeys(word.reason for word in words if word.reason)
        return AlterReplicaStateRequest(
            broker_id=self._context.node_id,
            broker_epoch=epoch,
            new_state=ONLINE if words[0].online else OFFLINE,
            damaged=words[0].damaged,
            reason="; ".join(reasons)[:REASON_MAX],
            topics=tuple(
                TopicData(
                    name=self._name(topic_id),
                    topic_id=topic_id,
                    partitions=tuple(indexes),
                )
                for topic_id, indexes in topics.items()
            ),
        )

    def _name(self, topic_id: TopicId) -> str:
        found = self._context.image.topics.get(topic_id)
        return found.name if found is not None else ""

    def decode(
        self, batch: ReportBatch[StateChange], answer: AlterReplicaStateResponse
    ) -> dict[PartitionId, Error | int]:
        """The error code of each replica: the answer names topics in the request's order."""
        topics = dict.fromkeys(id.topic_id for id in batch.entries)
        return {
            PartitionId(topic_id, p.partition_index): p.error_code
            for topic_id, topic in zip(topics, answer.topics, strict=False)
            for p in topic.partitions
        }
