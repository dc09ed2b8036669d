"""Asks the controller for the ISRs that leaders here propose (AlterPartition, KIP-497).

One request at a time with all that is wanted, one proposal at a time for each partition; repeated
with a growing delay until the controller has answered or the metadata has decided otherwise.
Knows no fetches: `core.replica.partition` decides what is proposed. Used by `state_changes`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from spindle.core.replica.isr import PendingIsrChange
from spindle.core.replica.partition import Advance, PartitionLeader
from spindle.model.errors import Error, PeerFailed
from spindle.model.ids import ZERO_ID, PartitionId, TopicId
from spindle.node.broker_context import BrokerContext
from spindle.node.replicas.hosted import HostedPartition
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


Then = Callable[[HostedPartition, Advance | None], None]
"""What the controller's answer has moved in a partition."""


class _Submitted(NamedTuple):
    hosted: HostedPartition
    then: Then


_Sent = tuple[_Submitted, PendingIsrChange]


class IsrChanges:
    """How the proposals of this broker ended, since its start."""

    def __init__(self) -> None:
        self.shrinks = self.expands = self.refused = 0

    def on_committed(self, before: int, now: int) -> None:
        """An ISR of so many replicas has so many now."""
        self.shrinks += now < before
        self.expands += now > before


class AlterPartitionManager:
    """The proposals under way."""

    def __init__(self, context: BrokerContext) -> None:
        self._context = context
        self.changes = IsrChanges()
        self._submitted: dict[PartitionId, _Submitted] = {}
        self._asking = False
        self._scheduled = False
        self._failures = 0

    def submit(self, hosted: HostedPartition, then: Then) -> None:
        """A partition has a proposal that was not sent; it leaves with this moment's others.

        `then` gets what the answer has moved.
        """
        self._submitted[hosted.id] = _Submitted(hosted, then)
        self._schedule(0.0)

    def _schedule(self, delay: float) -> None:
        if not self._asking and not self._scheduled:
            self._scheduled = True
            self._context.out.after(delay, self._send)

    def _send(self) -> None:
        self._scheduled = False
        sent: dict[PartitionId, _Sent] = {}
        for id in list(self._submitted)[:PARTITIONS_MAX]:
            submitted = self._submitted.pop(id)
            proposal = submitted.hosted.partition.take_proposal()
            if proposal is not None:
                sent[id] = submitted, proposal
        if not sent:
            return
        self._asking = True
        self._context.controller.ask(
            CHANNEL, self._request(sent), VERSION, lambda answer: self._on_answer(sent, answer)
        )

    def _request(self, sent: dict[PartitionId, _Sent]) -> AlterPartitionRequest:
        topics: dict[TopicId, list[PartitionData]] = {}
        for id, (_, proposal) in sent.items():
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
        self, sent: dict[PartitionId, _Sent], answer: AlterPartitionResponse | PeerFailed
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
        again: dict[PartitionId, _Sent] = {}
        for id, each in sent.items():
            if id not in told or not self._settled(each, told[id]):
                again[id] = each
        if again:
            self._repeat(again)
        elif self._submitted:
            self._schedule(0.0)

    def _settled(self, sent: _Sent, told: Told) -> bool:
        (hosted, then), proposal = sent
        now, error = self._context.out.now, told.error_code
        self.changes.refused += error != Error.NONE
        if hosted.gone or error in _METADATA_DECIDES:
            return True
        if error == Error.NONE:
            isr, epoch = tuple(told.isr), told.partition_epoch
            self.changes.on_committed(len(proposal.before), len(isr))
            then(hosted, hosted.partition.on_isr_committed(proposal, isr, epoch, now))
        elif error in _DROPPED:
            then(hosted, hosted.partition.on_isr_refused(proposal, now))
        else:
            return False
        return True

    def _repeat(self, sent: dict[PartitionId, _Sent]) -> None:
        for id, (submitted, proposal) in sent.items():
            role = submitted.hosted.partition.role
            if isinstance(role, PartitionLeader):
                role.repeat(proposal)
                self._submitted.setdefault(id, submitted)
        self._failures = min(self._failures + 1, 16)  # Enough to reach the longest pause.
        self._schedule(min(RETRY_FIRST * 2 ** (self._failures - 1), RETRY_MAX))
