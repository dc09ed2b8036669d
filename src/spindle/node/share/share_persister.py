"""The way of a share partition's state to its coordinator, here or on another broker (KIP-932).

Kafka's DefaultStatePersister. What is asked for one share partition arrives in the order in which
it was asked; what no coordinator takes now is asked again for a while. Used by the leaders of
partitions and by group coordinators.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple, TypeAlias, TypeVar

from spindle.core.groups.share_group import ErrorsThen, ShareStates
from spindle.core.groups.share_group_values import InitializeOrder
from spindle.core.share.share_coordinator_shard import ShareCoordinatorShard
from spindle.core.share.share_values import (
    OutcomeThen,
    ShareOutcome,
    SharePartitionKey,
    ShareState,
    ShareWrite,
    StateBatch,
)
from spindle.model.errors import Error, PeerFailed, Refusal
from spindle.model.ids import TopicId
from spindle.node.broker_context import BrokerContext
from spindle.node.share.share_coordinator_service import ShareCoordinatorService
from spindle.wire.codec import Request, Response
from spindle.wire.messages import delete_share_group_state_request as deleting
from spindle.wire.messages import initialize_share_group_state_request as initializing
from spindle.wire.messages import read_share_group_state_request as reading
from spindle.wire.messages import read_share_group_state_summary_request as summing
from spindle.wire.messages import write_share_group_state_request as writing
from spindle.wire.messages.delete_share_group_state_response import DeleteShareGroupStateResponse
from spindle.wire.messages.initialize_share_group_state_response import (
    InitializeShareGroupStateResponse,
)
from spindle.wire.messages.read_share_group_state_response import ReadShareGroupStateResponse
from spindle.wire.messages.read_share_group_state_summary_response import (
    ReadShareGroupStateSummaryResponse,
)
from spindle.wire.messages.write_share_group_state_response import WriteShareGroupStateResponse

R = TypeVar("R", bound=Response)

CHANNEL: Final = "share-state"
PATIENCE: Final = 15.0
"""Seconds for which a coordinator is looked for."""
PAUSES: Final = (0.02, 0.05, 0.1, 0.2, 0.5)
"""Seconds before the next attempts; the last one counts from then on."""
TIMEOUT: Final = 30.0
_AGAIN: Final = (
    Error.NOT_COORDINATOR,
    Error.COORDINATOR_NOT_AVAILABLE,
    Error.COORDINATOR_LOAD_IN_PROGRESS,
    Error.NETWORK_EXCEPTION,
    Error.REQUEST_TIMED_OUT,
)

Here: TypeAlias = Callable[[ShareCoordinatorShard, OutcomeThen], None]
There: TypeAlias = Callable[[str, int, OutcomeThen], None]


class _Errand(NamedTuple):
    """Something that is asked of the coordinator of one share partition."""

    key: SharePartitionKey
    here: Here
    there: There
    then: OutcomeThen
    until: float


class SharePersister:
    """All that is under way to share coordinators."""

    def __init__(self, context: BrokerContext, coordinators: ShareCoordinatorService) -> None:
        self._context = context
        self._coordinators = coordinators
        self._queues: dict[SharePartitionKey, deque[_Errand]] = {}

    @property
    def states(self) -> ShareStates:
        """What group coordinators ask for."""
        return ShareStates(self.initialize_all, self.delete_all)

    # --- what is asked --------------------------------------------------------------------------

    def read(self, key: SharePartitionKey, leader_epoch: int, then: OutcomeThen) -> None:
        """Get the state, and fence older leaders."""
        request = reading.ReadShareGroupStateRequest(
            group_id=key.group_id,
            topics=(
                reading.ReadStateData(
                    topic_id=key.topic_id,
                    partitions=(
                        reading.PartitionData(partition=key.partition, leader_epoch=leader_epoch),
                    ),
                ),
            ),
        )
        self._ask(
            key,
            lambda shard, told: shard.read(key, leader_epoch, told),
            self._way(request, 0, _of_read),
            then,
        )

    def write(self, key: SharePartitionKey, write: ShareWrite, then: OutcomeThen) -> None:
        """Keep what has changed."""
        data = writing.PartitionData(
            partition=key.partition,
            state_epoch=write.state_epoch,
            leader_epoch=write.leader_epoch,
            start_offset=write.start_offset,
            delivery_complete_count=write.complete,
            state_batches=tuple(
                writing.StateBatch(
                    first_offset=batch.first,
                    last_offset=batch.last,
                    delivery_state=batch.state,
                    delivery_count=batch.deliveries,
                )
                for batch in write.batches
            ),
        )
        request = writing.WriteShareGroupStateRequest(
            group_id=key.group_id,
            topics=(writing.WriteStateData(topic_id=key.topic_id, partitions=(data,)),),
        )
        self._ask(
            key,
            lambda shard, told: shard.write(key, write, told),
            self._way(request, 1, _of_write),
            then,
        )

    def initialize(
        self, key: SharePartitionKey, state_epoch: int, start_offset: int, then: OutcomeThen
    ) -> None:
        """Make a state."""
        data = initializing.PartitionData(
            partition=key.partition, state_epoch=state_epoch, start_offset=start_offset
        )
        request = initializing.InitializeShareGroupStateRequest(
            group_id=key.group_id,
            topics=(initializing.InitializeStateData(topic_id=key.topic_id, partitions=(data,)),),
        )
        self._ask(
            key,
            lambda shard, told: shard.initialize(key, state_epoch, start_offset, told),
            self._way(request, 0, _of_initialize),
            then,
        )

    def delete(self, key: SharePartitionKey, then: OutcomeThen) -> None:
        """Forget a state."""
        data = deleting.PartitionData(partition=key.partition)
        request = deleting.DeleteShareGroupStateRequest(
            group_id=key.group_id,
            topics=(deleting.DeleteStateData(topic_id=key.topic_id, partitions=(data,)),),
        )
        self._ask(
            key,
            lambda shard, told: shard.delete(key, told),
            self._way(request, 0, _of_delete),
            then,
        )

    def summary(self, key: SharePartitionKey, then: OutcomeThen) -> None:
        """Get the summary of a state."""
        data = summing.PartitionData(partition=key.partition, leader_epoch=-1)
        request = summing.ReadShareGroupStateSummaryRequest(
            group_id=key.group_id,
            topics=(summing.ReadStateSummaryData(topic_id=key.topic_id, partitions=(data,)),),
        )
        self._ask(
            key,
            lambda shard, told: told(shard.summary(key, -1)),
            self._way(request, 1, _of_summary),
            then,
        )

    # --- for group coordinators -----------------------------------------------------------------

    def initialize_all(self, order: InitializeOrder, then: ErrorsThen) -> None:
        """Make states; `then` once each is there or was refused."""
        keys = {
            SharePartitionKey(order.group_id, topic_id, number): offset
            for topic_id, offsets in order.offsets.items()
            for number, offset in offsets.items()
        }
        gathered = _Gathered(tuple(keys), then)
        for key, offset in keys.items():
            self.initialize(key, order.state_epoch, offset, partial(gathered.settle, key))

    def delete_all(
        self, group_id: str, partitions: Mapping[TopicId, Sequence[int]], then: ErrorsThen
    ) -> None:
        """Forget states; `then` once each is gone or that was refused."""
        keys = tuple(
            SharePartitionKey(group_id, topic_id, number)
            for topic_id, numbers in partitions.items()
            for number in numbers
        )
        gathered = _Gathered(keys, then)
        for key in keys:
            self.delete(key, partial(gathered.settle, key))

    # --- the way --------------------------------------------------------------------------------

    def _way(self, request: Request[R], version: int, read: Callable[[R], ShareOutcome]) -> There:
        def there(host: str, port: int, then: OutcomeThen) -> None:
            def on_reply(reply: R | PeerFailed) -> None:
                if isinstance(reply, PeerFailed):
                    then(ShareOutcome(Error.NETWORK_EXCEPTION, str(reply)))
                else:
                    then(read(reply))

            self._context.peers.ask(host, port, CHANNEL, request, version, on_reply, TIMEOUT)

        return there

    def _ask(self, key: SharePartitionKey, here: Here, there: There, then: OutcomeThen) -> None:
        errand = _Errand(key, here, there, then, self._context.out.now + PATIENCE)
        queue = self._queues.setdefault(key, deque())
        queue.append(errand)
        if len(queue) == 1:
            self._try(errand, 0)

    def _try(self, errand: _Errand, attempt: int) -> None:
        told = partial(self._on_told, errand, attempt)
        leader = self._coordinators.leader_for(errand.key.text)
        where = None if leader is None else self._context.address(leader)
        if leader == self._context.node_id:
            try:
                shard = self._coordinators.coordinator(errand.key.text)
            except Refusal as refusal:
                told(ShareOutcome(refusal.error, refusal.message))
            else:
                errand.here(shard, told)
        elif where is None:
            told(ShareOutcome(Error.COORDINATOR_NOT_AVAILABLE, "its partition has no leader now"))
        else:
            errand.there(*where, told)

    def _on_told(self, errand: _Errand, attempt: int, outcome: ShareOutcome) -> None:
        out = self._context.out
        if outcome.error in _AGAIN and out.now < errand.until:
            pause = PAUSES[min(attempt, len(PAUSES) - 1)]
            out.after(pause, partial(self._try, errand, attempt + 1))
            return
        queue = self._queues[errand.key]
        assert queue.popleft() is errand
        if not queue:
            del self._queues[errand.key]
        errand.then(outcome)
        if queue:
            self._try(queue[0], 0)


class _Gathered:
    """What has become of several share partitions of one group."""

    def __init__(self, keys: Sequence[SharePartitionKey], then: ErrorsThen) -> None:
        self._left = dict.fromkeys(keys)
        self._errors: dict[tuple[TopicId, int], tuple[Error, str | None]] = {}
        self._then = then
        if not keys:
            then({})

    def settle(self, key: SharePartitionKey, outcome: ShareOutcome) -> None:
        """One is settled."""
        self._errors[key.topic_id, key.partition] = (outcome.error, outcome.message)
        del self._left[key]
        if not self._left:
            self._then(self._errors)


_SILENT: Final = ShareOutcome(Error.UNKNOWN_SERVER_ERROR, "the coordinator's answer is empty")


def _of_read(answer: ReadShareGroupStateResponse) -> ShareOutcome:
    for topic in answer.results:
        for told in topic.partitions:
            if told.error_code:
                return ShareOutcome(Error(told.error_code), told.error_message)
            batches = tuple(
                StateBatch(b.first_offset, b.last_offset, b.delivery_state, b.delivery_count)
                for b in told.state_batches
            )
            return ShareOutcome(
                state=ShareState(
                    state_epoch=told.state_epoch, start_offset=told.start_offset, batches=batches
                )
            )
    return _SILENT


def _of_summary(answer: ReadShareGroupStateSummaryResponse) -> ShareOutcome:
    for topic in answer.results:
        for told in topic.partitions:
            if told.error_code:
                return ShareOutcome(Error(told.error_code), told.error_message)
            return ShareOutcome(
                state=ShareState(
                    state_epoch=told.state_epoch,
                    leader_epoch=told.leader_epoch,
                    start_offset=told.start_offset,
                    complete=told.delivery_complete_count,
                )
            )
    return _SILENT


def _of_write(answer: WriteShareGroupStateResponse) -> ShareOutcome:
    for topic in answer.results:
        for told in topic.partitions:
            return ShareOutcome(Error(told.error_code), told.error_message)
    return _SILENT


def _of_initialize(answer: InitializeShareGroupStateResponse) -> ShareOutcome:
    for topic in answer.results:
        for told in topic.partitions:
            return ShareOutcome(Error(told.error_code), told.error_message)
    return _SILENT


def _of_delete(answer: DeleteShareGroupStateResponse) -> ShareOutcome:
    for topic in answer.results:
        for told in topic.partitions:
            return ShareOutcome(Error(told.error_code), told.error_message)
    return _SILENT
