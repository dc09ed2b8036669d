"""Produce (0), versions 3-13.

Behaviour:
- Each partition takes one batch of format 2; its CRC and size are checked, its records are not
  touched (but for keys of compacted topics, `produce.record_check`; LogAppendTime, which stamps the
  header; and compression.type, for which they are compressed again).
- acks: 0 no answer (an error ends the connection, so that the client looks again), 1 once written
  here, -1 once all in-sync replicas have it. Fewer than `min.insync.replicas`: NOT_ENOUGH_REPLICAS
  before, NOT_ENOUGH_REPLICAS_AFTER_APPEND after the append; not in time: REQUEST_TIMED_OUT.
- Idempotent producers: what was appended before is answered with its old offset (KIP-98).
- The first batch of a transaction in a partition waits until the coordinator knows the partition
  as part of it: up to version 11 it is asked, from 12 on it is notified (KIP-890). What cannot be
  found out now is NOT_ENOUGH_REPLICAS: clients try again.

Version notes: 5 log start offset; 7 zstd; 8 record errors and messages; 9 flexible; 10 where the
leader is now; 13 topic ids.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from spindle.model.errors import Error
from spindle.model.ids import NodeId
from spindle.node.produce.delayed_produce import (
    DelayedProduce,
    Named,
    ProducedPartition,
    ProduceParams,
)
from spindle.node.produce.record_check import BadRecords
from spindle.node.request_context import LATER, Later, RequestContext
from spindle.wire.messages.produce_request import ProduceRequest
from spindle.wire.messages.produce_response import (
    DEFAULT_LEADER_ID_AND_EPOCH,
    BatchIndexAndErrorMessage,
    LeaderIdAndEpoch,
    NodeEndpoint,
    PartitionProduceResponse,
    ProduceResponse,
    TopicProduceResponse,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker

IDS_FROM: Final = 13


def on_broker(
    broker: Broker, request: ProduceRequest, context: RequestContext[ProduceResponse]
) -> Later:
    """Append what a producer sends."""
    params = ProduceParams.of(
        context.version,
        request.acks,
        request.timeout_ms,
        request.transactional_id,
        context.client_id,
    )

    def then(shares: list[ProducedPartition]) -> None:
        if params.acks != 0:
            context.answer(_respond(broker, context.listener, shares))
            return
        context.answer_nothing()
        if any(share.error != Error.NONE for share in shares):
            broker.out.close_connection(context.connection)

    by_id = context.version >= IDS_FROM
    enlisting = broker.transactions.enlisting
    DelayedProduce(broker.context, broker.replicas, enlisting, params, then).begin(
        (topic.topic_id if by_id else topic.name, data.index, data.records)
        for topic in request.topic_data
        for data in topic.partition_data
    )
    return LATER


def _respond(broker: Broker, listener: str, shares: list[ProducedPartition]) -> ProduceResponse:
    topics: dict[Named, list[PartitionProduceResponse]] = {}
    leaders: dict[NodeId, None] = {}
    for share in shares:
        topics.setdefault(share.topic, []).append(_told(broker, share, leaders))
    return ProduceResponse(
        responses=[_topic(name, told) for name, told in topics.items()],
        node_endpoints=[
            NodeEndpoint(node_id=node, host=at.host, port=at.port)
            for node, at in broker.context.reached(listener, leaders)
        ],
    )


def _topic(name: Named, told: list[PartitionProduceResponse]) -> TopicProduceResponse:
    if isinstance(name, str):
        return TopicProduceResponse(name=name, partition_responses=told)
    return TopicProduceResponse(topic_id=name, partition_responses=told)


def _told(
    broker: Broker, share: ProducedPartition, leaders: dict[NodeId, None]
) -> PartitionProduceResponse:
    if share.error == Error.NONE:
        assert share.hosted is not None
        return PartitionProduceResponse(
            index=share.index,
            base_offset=share.base,
            log_append_time_ms=share.append_time,
            log_start_offset=share.hosted.partition.log.start,
        )
    current, refusal = DEFAULT_LEADER_ID_AND_EPOCH, share.refusal
    if share.error == Error.NOT_LEADER_OR_FOLLOWER:
        hint = broker.replicas.partitions.leader_hint(share.topic, share.index)
        if hint is not None:
            leaders[hint[0]] = None
            current = LeaderIdAndEpoch(leader_id=hint[0], leader_epoch=hint[1])
    return PartitionProduceResponse(
        index=share.index,
        error_code=share.error,
        base_offset=-1,
        log_append_time_ms=-1,
        error_message=None if refusal is None else refusal.message,
        record_errors=[
            BatchIndexAndErrorMessage(batch_index=i, batch_index_error_message=why)
            for i, why in (refusal.bad if isinstance(refusal, BadRecords) else ())
        ],
        current_leader=current,
    )
