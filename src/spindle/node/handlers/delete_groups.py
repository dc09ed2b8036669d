"""DeleteGroups (42), versions 0-2.

Behaviour: deletes groups without members, with their offsets; each is answered once its tombstones
are committed, and all together. NON_EMPTY_GROUP, GROUP_ID_NOT_FOUND per group.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from spindle.model.errors import Error, Refusal
from spindle.node.handlers._gathering import Gathering
from spindle.node.request_context import LATER, Later, RequestContext
from spindle.wire.messages.delete_groups_request import DeleteGroupsRequest
from spindle.wire.messages.delete_groups_response import DeletableGroupResult, DeleteGroupsResponse

if TYPE_CHECKING:
    from spindle.node.broker import Broker


def on_broker(
    broker: Broker, request: DeleteGroupsRequest, context: RequestContext[DeleteGroupsResponse]
) -> Later:
    """Delete groups."""
    names = tuple(dict.fromkeys(request.groups_names))
    gathering = Gathering[str, Error](names, lambda errors: context.answer(_encode(errors)))
    for name in names:
        try:
            coordinator = broker.groups.coordinator(name)
        except Refusal as refusal:
            gathering.settle(name, refusal.error)
        else:
            coordinator.delete_group(name, partial(gathering.settle, name))
    return LATER


def _encode(errors: dict[str, Error]) -> DeleteGroupsResponse:
    return DeleteGroupsResponse(
        results=tuple(
            DeletableGroupResult(group_id=name, error_code=error) for name, error in errors.items()
        )
    )
