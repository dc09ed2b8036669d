"""Checks of the APIs about topics and their settings, and of what they tell of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from spindle.model.acl import AclOperation as _O
from spindle.model.acl import AclResourceType as _T
from spindle.model.errors import Error
from spindle.model.ids import TopicId
from spindle.model.image import ClusterImage
from spindle.node.authorization.permits import Permits
from spindle.node.authorization.record_checks import name_of
from spindle.node.authorization.sifting import Sifted, left, merging, seeing
from spindle.node.request_context import RequestContext
from spindle.wire.codec import changed
from spindle.wire.messages.create_partitions_request import (
    CreatePartitionsRequest,
    CreatePartitionsTopic,
)
from spindle.wire.messages.create_partitions_response import (
    CreatePartitionsResponse,
    CreatePartitionsTopicResult,
)
from spindle.wire.messages.create_topics_request import CreatableTopic, CreateTopicsRequest
from spindle.wire.messages.create_topics_response import CreatableTopicResult, CreateTopicsResponse
from spindle.wire.messages.delete_topics_request import DeleteTopicsRequest, DeleteTopicState
from spindle.wire.messages.delete_topics_response import DeletableTopicResult, DeleteTopicsResponse
from spindle.wire.messages.describe_topic_partitions_request import (
    DescribeTopicPartitionsRequest,
    TopicRequest,
)
from spindle.wire.messages.describe_topic_partitions_response import (
    DescribeTopicPartitionsResponse,
    DescribeTopicPartitionsResponseTopic,
)
from spindle.wire.messages.metadata_request import MetadataRequest, MetadataRequestTopic
from spindle.wire.messages.metadata_response import MetadataResponse, MetadataResponseTopic

if TYPE_CHECKING:
    from spindle.node.broker import Broker
    from spindle.node.controller import Controller

REFUSED: Final = Error.TOPIC_AUTHORIZATION_FAILED
WHY: Final = "Topic authorization failed."
_STATES_FROM: Final = 6
"""The version of DeleteTopics that names topics by id, too (KIP-516)."""


def metadata(
    broker: Broker, request: MetadataRequest, context: RequestContext[MetadataResponse]
) -> MetadataRequest | MetadataResponse:
    """DESCRIBE on topics, and CREATE on the cluster or the topic for one that would be made; where
    all topics are asked for, others are left out.
    """
    permits, asked = context.permits, request.topics
    if asked is None or (context.version == 0 and not asked):

        def seen(topic: MetadataResponseTopic) -> MetadataResponseTopic | None:
            sees = permits.may(_O.DESCRIBE, _T.TOPIC, topic.name or "", log=False)
            return topic if sees else None

        seeing(context, MetadataResponseTopic, seen)
        return request
    image = broker.image
    names = {id(t): name_of(image, t.name, t.topic_id) for t in asked}
    allowed = permits.allowed(_O.DESCRIBE, _T.TOPIC, filter(None, names.values()))
    if request.allow_auto_topic_creation and broker.settings.flag("auto.create.topics.enable"):
        allowed -= _not_to_be_made(permits, {n for n in allowed if image.topic(n) is None})
    sifted = Sifted(asked, lambda t: names[id(t)] in (None, *allowed))
    if sifted.is_whole:
        return request

    def refused(topic: MetadataRequestTopic) -> MetadataResponseTopic:
        if topic.name and not topic.topic_id:
            return MetadataResponseTopic(error_code=REFUSED, name=topic.name)
        return MetadataResponseTopic(error_code=REFUSED, name=None, topic_id=topic.topic_id)

    merging(
        context,
        MetadataResponse,
        lambda told: changed(told, topics=sifted.woven(told.topics, refused, context.version)),
    )
    if sifted.is_empty and context.version == 0:  # No topic at all would mean every topic.
        seeing(context, MetadataResponseTopic, lambda topic: None)
    return changed(request, topics=sifted.kept)


def _not_to_be_made(permits: Permits, missing: set[str]) -> set[str]:
    """The topics that are not there and that this client may not create."""
    if not missing or permits.may_cluster(_O.CREATE, log=False):
        return set()
    return missing - permits.allowed(_O.CREATE, _T.TOPIC, missing)


def describe_topic_partitions(
    broker: Broker,
    request: DescribeTopicPartitionsRequest,
    context: RequestContext[DescribeTopicPartitionsResponse],
) -> DescribeTopicPartitionsRequest | DescribeTopicPartitionsResponse:
    """DESCRIBE on topics; where all topics are asked for, others are left out."""
    permits = context.permits
    if not request.topics:
        every = list(broker.image.topic_ids)
        seen = permits.allowed(_O.DESCRIBE, _T.TOPIC, every, log=False)
        if len(seen) == len(every):
            return request
        if not seen:
            return DescribeTopicPartitionsResponse()
        return changed(request, topics=tuple(TopicRequest(name=name) for name in seen))
    first = request.cursor.topic_name if request.cursor is not None else ""
    asked = [topic for topic in request.topics if topic.name >= first]
    allowed = permits.allowed(_O.DESCRIBE, _T.TOPIC, (topic.name for topic in asked))
    sifted = Sifted(asked, lambda topic: topic.name in allowed)

    def refused(topic: TopicRequest) -> DescribeTopicPartitionsResponseTopic:
        return DescribeTopicPartitionsResponseTopic(error_code=REFUSED, name=topic.name)

    return left(
        request,
        changed(request, topics=sifted.kept),
        context,
        sifted,
        DescribeTopicPartitionsResponse,
        lambda told: changed(told, topics=sifted.woven(told.topics, refused, context.version)),
    )


def create_topics(
    controller: Controller,
    request: CreateTopicsRequest,
    context: RequestContext[CreateTopicsResponse],
) -> CreateTopicsRequest | CreateTopicsResponse:
    """CREATE on the cluster or the topic; the answer has the settings of a new topic with
    DESCRIBE_CONFIGS.
    """
    permits, names = context.permits, [topic.name for topic in request.topics]
    if permits.may_cluster(_O.CREATE, log=False):
        allowed = set(names)
    else:
        allowed = permits.allowed(_O.CREATE, _T.TOPIC, names)
    sifted = Sifted(request.topics, lambda topic: topic.name in allowed)
    known = permits.allowed(_O.DESCRIBE_CONFIGS, _T.TOPIC, names, log=False)

    def refused(topic: CreatableTopic) -> CreatableTopicResult:
        return CreatableTopicResult(
            name=topic.name, error_code=REFUSED, error_message="Authorization failed."
        )

    def merge(told: CreateTopicsResponse) -> CreateTopicsResponse:
        topics = tuple(each if each.name in known else _unknown(each) for each in told.topics)
        return changed(told, topics=sifted.woven(topics, refused, context.version))

    merging(context, CreateTopicsResponse, merge)
    if sifted.is_empty:
        return CreateTopicsResponse()
    return changed(request, topics=sifted.kept)


def _unknown(topic: CreatableTopicResult) -> CreatableTopicResult:
    """What a client learns of a new topic whose settings it may not know."""
    if topic.error_code != Error.NONE:
        return topic
    return changed(
        topic,
        num_partitions=-1,
        replication_factor=-1,
        configs=(),
        topic_config_error_code=REFUSED,
    )


def delete_topics(
    controller: Controller,
    request: DeleteTopicsRequest,
    context: RequestContext[DeleteTopicsResponse],
) -> DeleteTopicsRequest | DeleteTopicsResponse:
    """DELETE on the cluster or the topic; without DESCRIBE nothing tells whether it exists."""
    if context.permits.may_cluster(_O.DELETE, log=False):
        return request
    image = controller.image if controller.state is None else controller.state.image
    if context.version < _STATES_FROM:
        names = request.topic_names
        may = _Deletions(context.permits, image, names, ())
        by_name = Sifted(names, lambda name: may.is_left(name, None))
        return left(
            request,
            changed(request, topic_names=by_name.kept),
            context,
            by_name,
            DeleteTopicsResponse,
            lambda told: changed(
                told,
                responses=by_name.woven(
                    told.responses, lambda name: may.refused(name, None), context.version
                ),
            ),
        )
    named = [topic.name for topic in request.topics if topic.name is not None]
    may = _Deletions(context.permits, image, named, (topic.topic_id for topic in request.topics))
    sifted: Sifted[DeleteTopicState] = Sifted(
        request.topics, lambda topic: may.is_left(topic.name, topic.topic_id)
    )
    return left(
        request,
        changed(request, topics=sifted.kept),
        context,
        sifted,
        DeleteTopicsResponse,
        lambda told: changed(
            told,
            responses=sifted.woven(
                told.responses, lambda t: may.refused(t.name, t.topic_id), context.version
            ),
        ),
    )


class _Deletions:
    """Which topics of a request may be deleted, and which may be known."""

    def __init__(
        self,
        permits: Permits,
        image: ClusterImage,
        names: Sequence[str],
        ids: Iterable[TopicId | None],
    ) -> None:
        self._image = image
        asked = [*names, *filter(None, (name_of(image, None, topic_id) for topic_id in ids))]
        self._known = permits.allowed(_O.DESCRIBE, _T.TOPIC, asked)
        self._deletable = permits.allowed(_O.DELETE, _T.TOPIC, asked)

    def is_left(self, name: str | None, topic_id: TopicId | None) -> bool:
        """Whether the handler may see it: to delete it, or to say that it is not there."""
        if name is None:
            found = name_of(self._image, None, topic_id)
            return found is None or found in self._deletable
        if name not in self._known:
            return False
        return name in self._deletable or self._image.topic(name) is None

    def refused(self, name: str | None, topic_id: TopicId | None) -> DeletableTopicResult:
        """The answer for one that is not deleted."""
        if name is None:
            found = name_of(self._image, None, topic_id)
            name = found if found in self._known else None
        return DeletableTopicResult(
            name=name, topic_id=topic_id, error_code=REFUSED, error_message=WHY
        )


def create_partitions(
    controller: Controller,
    request: CreatePartitionsRequest,
    context: RequestContext[CreatePartitionsResponse],
) -> CreatePartitionsRequest | CreatePartitionsResponse:
    """ALTER on topics."""
    allowed = context.permits.allowed(_O.ALTER, _T.TOPIC, (t.name for t in request.topics))
    sifted = Sifted(request.topics, lambda topic: topic.name in allowed)

    def refused(topic: CreatePartitionsTopic) -> CreatePartitionsTopicResult:
        return CreatePartitionsTopicResult(name=topic.name, error_code=REFUSED)

    return left(
        request,
        changed(request, topics=sifted.kept),
        context,
        sifted,
        CreatePartitionsResponse,
        lambda told: changed(told, results=sifted.woven(told.results, refused, context.version)),
    )
