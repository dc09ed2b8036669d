"""ListGroups (16), versions 0-5.

Behaviour: the groups that this broker coordinates. COORDINATOR_LOAD_IN_PROGRESS while some of its
partitions of `__consumer_offsets` are still being read.

Version notes: 4 has states and a filter for them (KIP-518); 5 has types and a filter (KIP-848):
"classic" and "consumer". Filters do not mind case.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from spindle.model.errors import Error
from spindle.node.request_context import Later, RequestContext
from spindle.node.slices import ONE, Pause
from spindle.wire.messages.list_groups_request import ListGroupsRequest
from spindle.wire.messages.list_groups_response import ListedGroup, ListGroupsResponse

if TYPE_CHECKING:
    from spindle.node.broker import Broker


def on_broker(
    broker: Broker, request: ListGroupsRequest, context: RequestContext[ListGroupsResponse]
) -> Later:
    """List groups."""
    began_loading = broker.groups.is_loading

    def respond(groups: Sequence[ListedGroup]) -> ListGroupsResponse:
        loading = began_loading or broker.groups.is_loading
        error = Error.COORDINATOR_LOAD_IN_PROGRESS if loading else Error.NONE
        return ListGroupsResponse(error_code=error, groups=groups)

    return broker.slices.answer(request, context, _listed(broker, request), respond)


def _listed(broker: Broker, request: ListGroupsRequest) -> Iterator[ListedGroup | Pause]:
    states = {s.lower() for s in request.states_filter}
    types = {t.lower() for t in request.types_filter}
    for view in broker.groups.views():
        if (states and view.state.lower() not in states) or (types and view.kind not in types):
            yield ONE
        else:
            yield ListedGroup(
                group_id=view.group_id,
                protocol_type=view.protocol_type,
                group_state=view.state,
                group_type=view.kind,
            )
