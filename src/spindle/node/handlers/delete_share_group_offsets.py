"""DeleteShareGroupOffsets (92), version 0 (KIP-932).

Behaviour: an empty share group forgets its states in topics, once the share coordinator has.
NON_EMPTY_GROUP, GROUP_ID_NOT_FOUND; topics of which nothing is kept are
UNKNOWN_TOPIC_OR_PARTITION. Where the cluster's share.version is 0, UNSUPPORTED_VERSION.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from spindle.model.acl import AclOperation, AclResourceType
from spindle.model.errors import Error, Refusal
from spindle.model.ids import ZERO_ID, TopicId
from spindle.node.handlers._shares import check_shares
from spindle.node.request_context import LATER, Later, RequestContext
from spindle.wire.messages.delete_share_group_offsets_request import (
    DeleteShareGroupOffsetsRequest,
)
from spindle.wire.messages.delete_share_group_offsets_response import (
    DeleteShareGroupOffsetsResponse,
    DeleteShareGroupOffsetsResponseTopic,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker

_HIDDEN: Final = (Error.TOPIC_AUTHORIZATION_FAILED, None)
_UNKNOWN: Final = (
    Error.UNKNOWN_TOPIC_OR_PARTITION,
    "This server does not host this topic-partition.",
)
_NOTHING_KEPT: Final = (
    Error.UNKNOWN_TOPIC_OR_PARTITION,
    "There is no offset information to delete.",
)


def on_broker(
    broker: Broker,
    request: DeleteShareGroupOffsetsRequest,
    context: RequestContext[DeleteShareGroupOffsetsResponse],
) -> Later:
    """Forget offsets."""
    check_shares(broker)
    group = broker.groups.named(request.group_id).shares.named(request.group_id)
    names = [topic.topic_name for topic in request.topics]
    allowed = context.permits.allowed(AclOperation.READ, AclResourceType.TOPIC, names)
    ids = {name: broker.image.topic_ids.get(name) for name in names}

    def on_told(told: Mapping[TopicId, tuple[Error, str | None]]) -> None:
        def outcome(name: str) -> tuple[Error, str | None]:
            topic_id = ids[name]
            if name not in allowed:
                return _HIDDEN
            return _UNKNOWN if topic_id is None else told.get(topic_id, _NOTHING_KEPT)

        context.answer(
            DeleteShareGroupOffsetsResponse(
                responses=tuple(
                    DeleteShareGroupOffsetsResponseTopic(
                        topic_name=name,
                        topic_id=(name in allowed and ids[name]) or ZERO_ID,
                        error_code=outcome(name)[0],
                        error_message=outcome(name)[1],
                    )
                    for name in names
                )
            )
        )

    def on_refused(refusal: Refusal) -> None:
        context.answer(refuse(request, context, refusal.error, refusal.message))

    wanted = [id for name, id in ids.items() if id is not None and name in allowed]
    group.delete_offsets(wanted, on_told, on_refused)
    return LATER


def refuse(
    request: DeleteShareGroupOffsetsRequest,
    context: RequestContext[DeleteShareGroupOffsetsResponse],
    error: Error,
    message: str,
) -> DeleteShareGroupOffsetsResponse:
    """Nothing is forgotten."""
    return DeleteShareGroupOffsetsResponse(error_code=error, error_message=message)
