"""Fetch (1) on a broker's listener, versions 4-18.

Behaviour:
- Consumers read up to the high watermark, followers (replica id, from 15 with their broker epoch)
  up to the log's end; what a follower asks for is what it has.
- Waits up to `max_wait` for `min_bytes`; at most `max_bytes`, and `partition_max_bytes` of each
  partition, but the first batch that there is comes whole (KIP-74).
- Keeps fetch sessions (KIP-227): an incremental answer names what has news.
- Where `replica.selector.class` says so, a consumer of another rack gets the id of an in-sync
  replica in its own rack, and no records (KIP-392).
- A reader whose log has parted from ours gets the diverging epoch, and no records.

Version notes: 7 sessions; 9 leader epochs; 11 consumers may read from followers; 12 divergence by
last fetched epoch; 13 topic ids; 15 replica state; 16 endpoints of new leaders; 17 directory ids
and 18 high watermarks of followers, both of use only for the metadata log.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spindle.model.errors import Error
from spindle.node.replicas.delayed_fetch import refusal
from spindle.node.request_context import LATER, Later, RequestContext
from spindle.wire.messages.fetch_request import FetchRequest
from spindle.wire.messages.fetch_response import FetchResponse

if TYPE_CHECKING:
    from spindle.node.broker import Broker


def on_broker(
    broker: Broker, request: FetchRequest, context: RequestContext[FetchResponse]
) -> Later:
    """Serve a consumer or a follower."""
    broker.replicas.fetches.on_fetch(request, context)
    return LATER


def refuse(
    request: FetchRequest, context: RequestContext[FetchResponse], error: Error, message: str
) -> FetchResponse:
    """An error for the request as a whole."""
    return refusal(request, context, error)
