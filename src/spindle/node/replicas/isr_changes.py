"""Asks the controller for the ISRs that leaders here propose (AlterPartition, KIP-497).

One request at a time with all that is wanted, one proposal at a time for each partition; repeated
with a growing delay until the controller has answered or the metadata has decided otherwise.
Knows no fetches: `core.replica.partition` decides what is proposed. Called by `replicas`.
"""

from __future__ import annotations

from typing import Final

from spindle.core.replica.isr import PendingIsrChange
from spindle.model.errors import Error, PeerFailed
from spindle.model.ids import ZERO_ID, PartitionId, TopicId
from spindle.node.broker_context import BrokerContext
from spindle.node.replicas.hosted import HostedPartition
from spindle.node.replicas.ports import HostedPartitions
from spindle.wire.messages.alter_partition_request import (
    AlterPartitionRequest,
    BrokerState,
    PartitionData,
    TopicData,
)
from spindle.wire.messages.alter_partition_response import AlterPartitionResponse
from spindle.wire.messages.alter_partition_response import PartitionData as Told

VERSION: Final = 3
CHANNEL: Final = "alter-partition"
RETRY_FIRST: Final = 0.05
RETRY_MAX: Final = 1.0
"""Seconds until a request that failed is repeated: doubled each time, up to this."""
PARTITIONS_MAX: Final = 2000
"""Partitions of one request."""

# The controller will not commit such a proposal. The metadata that made it refuse settles the
# matter when it gets here; until then both ISRs bind the leader.
_METADATA_DECIDES: Final = frozenset(
    {
        Error.UNKNOWN_TOPIC_OR_PARTITION,
        Error.UNKNOWN_TOPIC_ID,
        Error.FENCED_LEADER_EPOCH,
        Error.INVALID_UPDATE_VERSION,
        Error.INVALID_REQUEST,
        Error.NEW_LEADER_ELECTED,
    }
)
_DROPPED: Final = frozenset({Error.INELIGIBLE_REPLICA, Error.OPERATION_NOT_ATTEMPTED})


class IsrChanges:
    """The proposals under way."""

    def __init__(self, context: BrokerContext, owner: HostedPartitions) -> None:
        self._context = context
        self._owner = owner
        self._offered: dict[PartitionId, None] = {}
        self._asking = False
        self._scheduled = False
        self._failures = 0

    def offer(self, hosted: HostedPartition) -> None:
        """A partition has a proposal that was not sent; it leaves with this moment's others."""
        self._offered[hosted.id] = None
        self._schedule(0.0)

    def _schedule(self, delay: float) -> None:
        if not self._asking and not self._scheduled:
            self._scheduled = True
            self._context.out.after(delay, self._send)

    def _send(self) -> None:
        self._scheduled = False
        sent: dict[PartitionId, PendingIsrChange] = {}
        for id in list(self._offered)[:PARTITIONS_MAX]:
            del self._offered[id]
            hosted = self._owner.find(id)
            proposal = hosted.partition.take_proposal() if hosted else None
            if proposal is not None:
                sent[id] = proposal
        if not sent:
            return
        self._asking = True
        self._context.controller.ask(
            CHANNEL, self._request(sent), VERSION, lambda answer: self._on_answer(sent, answer)
        )

    def _request(self, sent: dict[PartitionId, PendingIsrChange]) -> AlterPartitionRequest:
        topics: dict[TopicId, list[PartitionData]] = {}
        for id, proposal in sent.items():
            members = tuple(
                BrokerState(broker_id=b, broker_epoch=e)
                for b, e in zip(proposal.isr, proposal.broker_epochs, strict=True)
            )
            topics.setdefault(id.topic_id, []).append(
                PartitionData(
                    partition_index=id.partition,
                    leader_epoch=proposal.leader_epoch,
                    new_isr_with_epochs=members,
                    partition_epoch=proposal.partition_epoch,
                )
            )
        return AlterPartitionRequest(
            broker_id=self._context.node_id,
            broker_epoch=self._context.broker_epoch,
            topics=tuple(
                TopicData(topic_id=topic_id, partitions=tuple(partitions))
                for topic_id, partitions in topics.items()
            ),
        )

    def _on_answer(
        self, sent: dict[PartitionId, PendingIsrChange], answer: AlterPartitionResponse | PeerFailed
    ) -> None:
        self._asking = False
        if isinstance(answer, PeerFailed) or answer.error_code != Error.NONE:
            why = str(answer) if isinstance(answer, PeerFailed) else f"error {answer.error_code}"
            self._context.out.say("warning", "ISR change not answered, will retry", reason=why)
            self._repeat(sent)
            return
        self._failures = 0
        told = {
            PartitionId(topic.topic_id or ZERO_ID, partition.partition_index): partition
            for topic in answer.topics
            for partition in topic.partitions
        }
        again: dict[PartitionId, PendingIsrChange] = {}
        for id, proposal in sent.items():
            if id not in told or not self._settled(id, proposal, told[id]):
                again[id] = proposal
        if again:
            self._repeat(again)
        elif self._offered:
            self._schedule(0.0)

    def _settled(self, id: PartitionId, proposal: PendingIsrChange, told: Told) -> bool:
        hosted = self._owner.find(id)
        if hosted is None:
            return True
        now = self._context.out.now
        error = told.error_code
        if error in _METADATA_DECIDES:
            return True
        if error != Error.NONE and error not in _DROPPED:
            return False
        before = hosted.partition.high_watermark
        if error == Error.NONE:
            hosted.partition.on_isr_committed(proposal, tuple(told.isr), told.partition_epoch, now)
        else:
            hosted.partition.on_isr_refused(proposal, now)
        self._owner.settle(hosted, before)
        return True

    def _repeat(self, sent: dict[PartitionId, PendingIsrChange]) -> None:
        for id, proposal in sent.items():
            hosted = self._owner.find(id)
            if hosted is not None:
                hosted.partition.repeat(proposal)
                self._offered[id] = None
        self._failures = min(self._failures + 1, 16)  # Enough to reach the longest pause.
        self._schedule(min(RETRY_FIRST * 2 ** (self._failures - 1), RETRY_MAX))
