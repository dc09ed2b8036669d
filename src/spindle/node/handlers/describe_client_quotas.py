"""DescribeClientQuotas (48), versions 0-1.

Behaviour: tells the quotas of the entities that a filter means (KIP-546), as this broker knows
them. INVALID_REQUEST where no entity can be meant.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from spindle.core.quotas.quota_filter import QuotaComponent, QuotaFilter
from spindle.model.client_quotas import QuotaTable
from spindle.model.errors import Error
from spindle.node.request_context import Later, RequestContext
from spindle.wire.messages.describe_client_quotas_request import DescribeClientQuotasRequest
from spindle.wire.messages.describe_client_quotas_response import (
    DescribeClientQuotasResponse,
    EntityData,
    EntryData,
    ValueData,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker


def on_broker(
    broker: Broker,
    request: DescribeClientQuotasRequest,
    context: RequestContext[DescribeClientQuotasResponse],
) -> Later:
    """Tell quotas."""
    wanted = QuotaFilter(
        (QuotaComponent(c.entity_type, c.match_type, c.match) for c in request.components),
        request.strict,
    )
    return broker.slices.answer(
        request,
        context,
        _told(broker.image.quotas, wanted),
        lambda found: DescribeClientQuotasResponse(error_message="", entries=found),
    )


def _told(table: QuotaTable, wanted: QuotaFilter) -> Iterator[EntryData]:
    for entity, quotas in list(wanted.found(table)):
        yield EntryData(
            entity=tuple(EntityData(entity_type=type, entity_name=name) for type, name in entity),
            values=tuple(ValueData(key=key, value=value) for key, value in quotas.items()),
        )


def refuse(
    request: DescribeClientQuotasRequest,
    context: RequestContext[DescribeClientQuotasResponse],
    error: Error,
    message: str,
) -> DescribeClientQuotasResponse:
    """Nothing but the reason."""
    return DescribeClientQuotasResponse(error_code=error, error_message=message)
