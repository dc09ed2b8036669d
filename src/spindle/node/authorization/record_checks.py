"""Checks of the APIs about records and offsets in logs: refused topics have an error at each
partition, and the others are served.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from spindle.model.acl import AclOperation as _O
from spindle.model.acl import AclResourceType as _T
from spindle.model.errors import Error
from spindle.model.ids import ZERO_ID, TopicId
from spindle.model.image import ClusterImage
from spindle.node.authorization.sifting import Sifted, left, merging
from spindle.node.request_context import RequestContext
from spindle.wire.codec import Records, changed
from spindle.wire.messages.delete_records_request import DeleteRecordsRequest, DeleteRecordsTopic
from spindle.wire.messages.delete_records_response import (
    DeleteRecordsPartitionResult,
    DeleteRecordsResponse,
    DeleteRecordsTopicResult,
)
from spindle.wire.messages.describe_producers_request import DescribeProducersRequest, TopicRequest
from spindle.wire.messages.describe_producers_response import (
    DescribeProducersResponse,
    PartitionResponse,
    TopicResponse,
)
from spindle.wire.messages.fetch_request import FetchRequest
from spindle.wire.messages.fetch_response import FetchResponse
from spindle.wire.messages.list_offsets_request import ListOffsetsRequest, ListOffsetsTopic
from spindle.wire.messages.list_offsets_response import (
    ListOffsetsPartitionResponse,
    ListOffsetsResponse,
    ListOffsetsTopicResponse,
)
from spindle.wire.messages.offset_for_leader_epoch_request import (
    OffsetForLeaderEpochRequest,
    OffsetForLeaderTopic,
)
from spindle.wire.messages.offset_for_leader_epoch_response import (
    EpochEndOffset,
    OffsetForLeaderEpochResponse,
    OffsetForLeaderTopicResult,
)
from spindle.wire.messages.produce_request import ProduceRequest, TopicProduceData
from spindle.wire.messages.produce_response import (
    PartitionProduceResponse,
    ProduceResponse,
    TopicProduceResponse,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker

REFUSED: Final = Error.TOPIC_AUTHORIZATION_FAILED
_FLAGS: Final = 22
"""Where in a batch the byte is that has the bit `_OF_TRANSACTION`."""
_OF_TRANSACTION: Final = 0x10
_MAGIC_AT: Final = 16
_MAGIC: Final = 2


def produce(
    broker: Broker, request: ProduceRequest, context: RequestContext[ProduceResponse]
) -> ProduceRequest | ProduceResponse:
    """WRITE on topics; on the transactional id, where records are of a transaction."""
    txn, permits = request.transactional_id, context.permits
    if any(
        _is_transactional(data.records) for t in request.topic_data for data in t.partition_data
    ) and not (txn is not None and permits.may(_O.WRITE, _T.TRANSACTIONAL_ID, txn)):
        if request.acks == 0:
            broker.out.close_connection(context.connection)
            return changed(request, topic_data=())
        return ProduceResponse(
            responses=[
                _unproduced(topic, Error.TRANSACTIONAL_ID_AUTHORIZATION_FAILED)
                for topic in request.topic_data
            ]
        )
    names = {id(t): name_of(broker.image, t.name, t.topic_id) for t in request.topic_data}
    allowed = permits.allowed(_O.WRITE, _T.TOPIC, filter(None, names.values()))
    sifted = Sifted(request.topic_data, lambda t: names[id(t)] in (None, *allowed))
    if sifted.is_whole:
        return request
    if request.acks == 0:
        broker.out.close_connection(
            context.connection
        )  # There is no answer: the client has to look.
    else:
        merging(
            context,
            ProduceResponse,
            lambda told: changed(
                told, responses=sifted.woven(told.responses, _unproduced, context.version)
            ),
        )
        if sifted.is_empty:
            return ProduceResponse()
    return changed(request, topic_data=sifted.kept)


def _unproduced(topic: TopicProduceData, error: Error = REFUSED) -> TopicProduceResponse:
    return TopicProduceResponse(
        name=topic.name,
        topic_id=topic.topic_id,
        partition_responses=[
            PartitionProduceResponse(index=data.index, error_code=error, base_offset=-1)
            for data in topic.partition_data
        ],
    )


def _is_transactional(records: Records | None) -> bool:
    """Whether a partition's first batch has the bit of a transaction."""
    first = next(iter(records), b"") if isinstance(records, list) else records
    if first is None or len(first) <= _FLAGS or first[_MAGIC_AT] != _MAGIC:
        return False  # Older formats have another byte there.
    return bool(first[_FLAGS] & _OF_TRANSACTION)


def name_of(image: ClusterImage, name: str | None, topic_id: TopicId | None) -> str | None:
    """A topic's name, by its id where one is given; None where no topic has this id."""
    if name and not topic_id:
        return name
    topic = image.topics.get(topic_id or ZERO_ID)
    return None if topic is None else topic.name


def fetch(
    broker: Broker, request: FetchRequest, context: RequestContext[FetchResponse]
) -> FetchRequest | FetchResponse:
    """READ on topics, or CLUSTER_ACTION for followers: asked where the partitions of a session are
    known, `node.replicas.fetch_manager`.
    """
    return request


def list_offsets(
    broker: Broker, request: ListOffsetsRequest, context: RequestContext[ListOffsetsResponse]
) -> ListOffsetsRequest | ListOffsetsResponse:
    """DESCRIBE on topics."""
    allowed = context.permits.allowed(_O.DESCRIBE, _T.TOPIC, (t.name for t in request.topics))
    sifted = Sifted(request.topics, lambda topic: topic.name in allowed)

    def refused(topic: ListOffsetsTopic) -> ListOffsetsTopicResponse:
        return ListOffsetsTopicResponse(
            name=topic.name,
            partitions=tuple(
                ListOffsetsPartitionResponse(partition_index=p.partition_index, error_code=REFUSED)
                for p in topic.partitions
            ),
        )

    return left(
        request,
        changed(request, topics=sifted.kept),
        context,
        sifted,
        ListOffsetsResponse,
        lambda told: changed(told, topics=sifted.woven(told.topics, refused, context.version)),
    )


def offset_for_leader_epoch(
    broker: Broker,
    request: OffsetForLeaderEpochRequest,
    context: RequestContext[OffsetForLeaderEpochResponse],
) -> OffsetForLeaderEpochRequest | OffsetForLeaderEpochResponse:
    """CLUSTER_ACTION, else DESCRIBE on topics (KIP-320)."""
    if context.permits.may_cluster(_O.CLUSTER_ACTION, log=False):
        return request
    allowed = context.permits.allowed(_O.DESCRIBE, _T.TOPIC, (t.topic for t in request.topics))
    sifted = Sifted(request.topics, lambda topic: topic.topic in allowed)

    def refused(topic: OffsetForLeaderTopic) -> OffsetForLeaderTopicResult:
        return OffsetForLeaderTopicResult(
            topic=topic.topic,
            partitions=tuple(
                EpochEndOffset(partition=p.partition, error_code=REFUSED) for p in topic.partitions
            ),
        )

    return left(
        request,
        changed(request, topics=sifted.kept),
        context,
        sifted,
        OffsetForLeaderEpochResponse,
        lambda told: changed(told, topics=sifted.woven(told.topics, refused, context.version)),
    )


def delete_records(
    broker: Broker, request: DeleteRecordsRequest, context: RequestContext[DeleteRecordsResponse]
) -> DeleteRecordsRequest | DeleteRecordsResponse:
    """DELETE on topics."""
    allowed = context.permits.allowed(_O.DELETE, _T.TOPIC, (t.name for t in request.topics))
    sifted = Sifted(request.topics, lambda topic: topic.name in allowed)

    def refused(topic: DeleteRecordsTopic) -> DeleteRecordsTopicResult:
        return DeleteRecordsTopicResult(
            name=topic.name,
            partitions=tuple(
                DeleteRecordsPartitionResult(
                    partition_index=p.partition_index, low_watermark=-1, error_code=REFUSED
                )
                for p in topic.partitions
            ),
        )

    return left(
        request,
        changed(request, topics=sifted.kept),
        context,
        sifted,
        DeleteRecordsResponse,
        lambda told: changed(told, topics=sifted.woven(told.topics, refused, context.version)),
    )


def describe_producers(
    broker: Broker,
    request: DescribeProducersRequest,
    context: RequestContext[DescribeProducersResponse],
) -> DescribeProducersRequest | DescribeProducersResponse:
    """READ on topics."""
    allowed = context.permits.allowed(_O.READ, _T.TOPIC, (t.name for t in request.topics))
    sifted = Sifted(request.topics, lambda topic: topic.name in allowed)

    def refused(topic: TopicRequest) -> TopicResponse:
        return TopicResponse(
            name=topic.name,
            partitions=tuple(
                PartitionResponse(
                    partition_index=index,
                    error_code=REFUSED,
                    error_message="Topic authorization failed.",
                )
                for index in topic.partition_indexes
            ),
        )

    return left(
        request,
        changed(request, topics=sifted.kept),
        context,
        sifted,
        DescribeProducersResponse,
        lambda told: changed(told, topics=sifted.woven(told.topics, refused, context.version)),
    )
