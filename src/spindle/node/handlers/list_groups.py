"""ListGroups (16), versions 0-5.

Behaviour: the groups that this broker coordinates. COORDINATOR_LOAD_IN_PROGRESS while some of its
partitions of `__consumer_offsets` are still being read.

Version notes: 4 has states and a filter for them (KIP-518); 5 has types and a filter (KIP-848):
all our groups are "classic". Filters do not mind case.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from spindle.core.groups.group_values import GroupView
from spindle.model.errors import Error
from spindle.node.request_context import RequestContext
from spindle.wire.messages.list_groups_request import ListGroupsRequest
from spindle.wire.messages.list_groups_response import ListedGroup, ListGroupsResponse

if TYPE_CHECKING:
    from spindle.node.broker import Broker

TYPE: Final = "classic"


def on_broker(
    broker: Broker, request: ListGroupsRequest, context: RequestContext[ListGroupsResponse]
) -> ListGroupsResponse:
    """List groups."""
    states = {s.lower() for s in request.states_filter}
    types = {t.lower() for t in request.types_filter}
    views: list[GroupView] = broker.groups.views() if not types or TYPE in types else []
    loading = broker.groups.is_loading
    return ListGroupsResponse(
        error_code=Error.COORDINATOR_LOAD_IN_PROGRESS if loading else Error.NONE,
        groups=tuple(
            ListedGroup(
                group_id=view.group_id,
                protocol_type=view.protocol_type,
                group_state=view.state,
                group_type=TYPE,
            )
            for view in views
            if not states or view.state.lower() in states
        ),
    )
