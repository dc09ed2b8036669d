"""ShareFetch (78), versions 1-2 (KIP-932).

Behaviour:
- A member of a share group acquires records of partitions that are led here, and says what has
  become of those it has. What it says is answered once the share coordinator keeps it.
- Waits up to `max_wait` for `min_bytes` of free records; at most `max_bytes`, shared among the
  partitions that have some, but the first batch that there is comes whole. `max_records`: no more
  batches once there are so many. `batch_size`: acquired ranges are cut where batches of the log
  begin, about so many records apart.
- A member over its quota for consumers (S-07) acquires nothing; the answer says how long it waits.
- Sessions: epoch 0 begins one, -1 ends it, and what the member has comes back. Where there are
  too many, SHARE_SESSION_LIMIT_REACHED comes after `max_wait`: clients ask again at once.
- Where the cluster's share.version is 0, UNSUPPORTED_VERSION.

Version notes: 2 has a strict limit of records (KIP-1206) and acknowledgements that ask for more
time (KIP-1222).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from spindle.core.share.share_sessions import FINAL, INITIAL, ShareSession
from spindle.model.errors import Error, Refusal
from spindle.model.ids import PartitionId
from spindle.node.handlers._share_fetch_answer import fetch_answer
from spindle.node.handlers._shares import (
    check_shares,
    fetched,
    partition_of,
    readable,
    speaker,
)
from spindle.node.replicas.fetch_manager import AROUND_RECORDS
from spindle.node.request_context import LATER, Later, RequestContext
from spindle.node.share.delayed_share_fetch import (
    DelayedShareFetch,
    SharedRecords,
    ShareFetchParams,
    wait_of,
)
from spindle.node.share.share_partition_manager import Acknowledged
from spindle.wire.messages.share_fetch_request import ShareFetchRequest
from spindle.wire.messages.share_fetch_response import ShareFetchResponse

if TYPE_CHECKING:
    from spindle.node.broker import Broker


def on_broker(
    broker: Broker, request: ShareFetchRequest, context: RequestContext[ShareFetchResponse]
) -> Later:
    """Serve a member."""
    check_shares(broker)
    key = speaker(request.group_id, request.member_id)
    named, said = fetched(request)
    _check_renewal(request)
    try:
        session = _session(broker, request, context, named, bool(said))
    except Refusal as refusal:
        if refusal.error is not Error.SHARE_SESSION_LIMIT_REACHED:
            raise
        late = refuse(request, context, refusal.error, str(refusal))
        broker.out.after(wait_of(request), lambda: context.answer(late))
        return LATER
    shares, refused = broker.shares, readable(broker, context.permits)
    renews = request.is_renew_ack

    def on_acknowledged(told: Acknowledged) -> None:
        if request.share_session_epoch == FINAL:
            admits(0)
            shares.end(session, lambda: respond({}, told))
            return
        limit = broker.settings.whole("fetch.max.bytes")
        most = None if context.charge is None else context.charge.fetch_most
        params = ShareFetchParams.of(request, key, limit, most)
        if renews or not params.asks or context.gone():
            admits(0)
            respond({}, told)
        else:
            then = partial(respond, told=told)
            DelayedShareFetch(shares, params, session.rotated(), refused, admits, then).begin()

    def admits(size: int) -> bool:
        """Whether records may go out: the client is there, and within its quota."""
        charge = context.charge
        within = charge is None or charge.admits_fetched(size + AROUND_RECORDS)
        return within and not context.gone()

    def respond(found: dict[PartitionId, SharedRecords], told: Acknowledged) -> None:
        lock = int(shares.settings(key.group_id).limits.lock_seconds * 1000)
        context.answer(fetch_answer(broker, context.listener, found, told, lock))

    shares.acknowledge(key, said, renews, refused, on_acknowledged)
    return LATER


def refuse(
    request: ShareFetchRequest,
    context: RequestContext[ShareFetchResponse],
    error: Error,
    message: str,
) -> ShareFetchResponse:
    """The error, and why."""
    return ShareFetchResponse(error_code=error, error_message=message)


def _check_renewal(request: ShareFetchRequest) -> None:
    asks = request.max_wait_ms, request.min_bytes, request.max_bytes, request.max_records
    if request.is_renew_ack and any(asks):
        raise Refusal(
            Error.INVALID_REQUEST, "A request with renewals asks for no records at the same time."
        )


def _session(
    broker: Broker,
    request: ShareFetchRequest,
    context: RequestContext[ShareFetchResponse],
    named: list[PartitionId],
    acknowledges: bool,
) -> ShareSession:
    """The request's session, with the partitions that it adds and takes away."""
    sessions, key = broker.shares.sessions, speaker(request.group_id, request.member_id)
    if request.share_session_epoch == INITIAL:
        if acknowledges:
            raise Refusal(
                Error.INVALID_REQUEST, "A first request of a session can acknowledge nothing."
            )
        return sessions.open(key, context.connection, named)
    session = sessions.take(key, request.share_session_epoch)
    if request.share_session_epoch != FINAL:
        session.partitions.update(dict.fromkeys(named))
        for topic in request.forgotten_topics_data:
            for number in topic.partitions:
                session.partitions.pop(partition_of(topic.topic_id, number), None)
    return session
