"""Serves fetches: of consumers and followers, with their sessions.

A fetch looks at the partitions that may have news. Where those are not worth an answer yet, it
waits in the purgatory, which wakes it. Batches are read from the tail in memory where it has them,
else by a job on the directory's thread. What a follower asks for is what it has: that moves the ISR
and the high watermark.
"""

from __future__ import annotations

from functools import partial
from math import inf
from typing import Final

from spindle.core.replica.fetch_sessions import (
    FINAL,
    INITIAL,
    Cursor,
    FetchSession,
    FetchSessionCache,
    Key,
    Reader,
)
from spindle.core.replica.partition import Offline, PartitionLeader
from spindle.core.replica.replica_selector import SELECTOR, followers_with, nearest
from spindle.model.acl import AclOperation, AclResourceType
from spindle.model.errors import Error, Failure, Refusal
from spindle.model.ids import ZERO_ID, NodeId
from spindle.model.jobs import Read, ReadResult
from spindle.node.broker_context import BrokerContext
from spindle.node.replicas.broker_topic_stats import BrokerTopicStats
from spindle.node.replicas.delayed_fetch import (
    AT_ONCE,
    CONSUMER,
    DEBUGGER,
    FOLLOWERS_SERVE_FROM,
    NO_REPLICA,
    DelayedFetch,
    FetchedPartition,
    FetchLook,
    FetchParams,
    Steps,
    charged,
)
from spindle.node.replicas.fetch_purgatory import FetchPurgatory
from spindle.node.replicas.hosted import HostedPartition
from spindle.node.replicas.hosted_partitions import HostedPartitions
from spindle.node.replicas.state_changes import StateChanges
from spindle.node.replicas.throttling import ReplicationThrottle
from spindle.node.request_context import RequestContext
from spindle.wire.messages.fetch_request import FetchRequest
from spindle.wire.messages.fetch_response import FetchResponse

_END: Final = object()
AROUND_RECORDS: Final = 64
"""Bytes that an answer has without records, or so: a client with a quota pays for them, too."""

SWEEP: Final = 30.0
"""Seconds between looks for sessions that no client uses any more."""
HURRY: Final = 1.0
"""Seconds after a leader change in which followers are not kept waiting for long ..."""
HURRIED_WAIT: Final = 0.02
"""... but for so many seconds at most: they may have partitions to add to their next fetch."""


class FetchManager:
    """The consumers and followers that read here, and their fetches."""

    def __init__(
        self,
        context: BrokerContext,
        partitions: HostedPartitions,
        purgatory: FetchPurgatory,
        changes: StateChanges,
        stats: BrokerTopicStats,
    ) -> None:
        self._context = context
        self._partitions = partitions
        self._purgatory = purgatory
        self._changes = changes
        self._stats = stats
        self._throttle = ReplicationThrottle(context, "leader")
        self._out = context.out
        settings = context.settings
        self._max_bytes: int = settings.whole("fetch.max.bytes")
        self._sessions = FetchSessionCache(
            settings.whole("max.incremental.fetch.session.cache.slots"), self._on_closed
        )
        self._names_nearest = settings.text("replica.selector.class") == SELECTOR
        self._hurry_until = 0.0
        self.at = -inf
        """When a log was read last: what was asked for was not in memory."""
        self._out.after(SWEEP, self._sweep)

    # --- requests -----------------------------------------------------------------------------

    def on_fetch(self, request: FetchRequest, context: RequestContext[FetchResponse]) -> None:
        """A consumer or a follower asks for records."""
        params = FetchParams.of(request, context.version, self._out.now, self._max_bytes)
        if context.charge is not None:
            params = charged(params, context)
        if params.replica >= 0:
            self._stats.followers.add(context.connection)
        fetch = DelayedFetch(request, context, params, self._resume)
        self._run(fetch, self._serve(fetch))

    def _run(self, fetch: DelayedFetch, steps: Steps[None]) -> None:
        """Go on with a fetch until it rests or ends.

        It does not queue up with the pieces of long work, which rest under strain: a follower that
        is kept waiting leaves the ISR.
        """
        if fetch.context.answered:
            steps.close()  # Its client has given up on it.
        elif next(steps, _END) is not _END:
            self._out.after(0.0, partial(self._run, fetch, steps))

    def _serve(self, fetch: DelayedFetch) -> Steps[None]:
        id, epoch = fetch.request.session_id, fetch.request.session_epoch
        if epoch in (INITIAL, FINAL):
            if id:
                self._sessions.close(id)
            yield from self._begin(fetch, remember=epoch == INITIAL)
        else:
            session = self._sessions.take(id, epoch, fetch.by_id, self._out.now)
            if not isinstance(session, FetchSession):
                fetch.refuse(session)
                return
            yield from self._go_on(fetch, session)
        fetch.reader.committed = fetch.params.committed
        yield from self._look(fetch)

    def _begin(self, fetch: DelayedFetch, remember: bool) -> Steps[None]:
        cursors: dict[Key, Cursor] = {}
        for count, (key, cursor) in enumerate(fetch.cursors(), 1):
            cursors[key] = cursor
            if count % AT_ONCE == 0:
                yield
        follower = fetch.params.replica >= 0
        session = None
        if remember and cursors:
            session = self._sessions.open(
                cursors, fetch.by_id, follower, self._out.now, self._out.rng
            )
        reader = Reader(cursors, {}, follower) if session is None else session
        reader.due = {}
        reader.to_end = fetch.params.replica != CONSUMER
        fetch.reader, reader.parked = reader, fetch

    def _go_on(self, fetch: DelayedFetch, session: FetchSession) -> Steps[None]:
        before: DelayedFetch | None = session.parked
        if before is not None:
            # The client has given up on its last request; it will not read the answer.
            if not before.is_parked:
                session.due = dict(session.cursors)  # It had taken what was due.
            self._purgatory.leave(before)
            before.context.answer_nothing()
        fetch.full = False
        fetch.reader, session.parked = session, fetch
        for count, key in enumerate(fetch.forgotten(), 1):
            gone = session.cursors.pop(key, None)
            if gone is not None:
                session.due.pop(key, None)
                self._purgatory.unwatch(session, gone)
            if count % AT_ONCE == 0:
                yield
        for count, (key, cursor) in enumerate(fetch.cursors(), 1):
            known = session.cursors.get(key)
            if known is not None:
                cursor.watching = known.watching
                if not session.follower:
                    # A follower that names a partition again may have dropped the marks it got
                    # (its log was in another state by then): it gets them once more.
                    cursor.mark_sent, cursor.start_sent = known.mark_sent, known.start_sent
                if cursor.watching is not None:
                    cursor.watching.watchers[session] = cursor
            session.cursors[key] = session.due[key] = cursor
            if count % AT_ONCE == 0:
                yield

    # --- looking --------------------------------------------------------------------------------

    def _look(self, fetch: DelayedFetch) -> Steps[None]:
        """Look at what may have news, each partition as it is when its turn comes (S-08)."""
        reader = fetch.reader
        due, reader.due = reader.due, {}
        cursors = tuple((reader.cursors if fetch.full else due).values())
        look = fetch.look = FetchLook(fetch.params.max_bytes)
        fetch.news = 0
        for count, cursor in enumerate(cursors, 1):
            outcome = self._outcome(fetch, cursor)
            look.outcomes.append(outcome)
            if not look.some or look.left > 0:
                self._read(fetch, outcome)
            if count % AT_ONCE == 0:
                yield
        fetch.is_fresh = False
        look.reading -= 1
        if look.reading == 0:
            yield from self._conclude(fetch)

    def _read(self, fetch: DelayedFetch, outcome: FetchedPartition) -> None:
        """Take records of one partition, from memory or by a job; they count for the others."""
        cursor, hosted, look = outcome.cursor, outcome.hosted, fetch.look
        if outcome.limit <= cursor.offset or outcome.is_urgent or hosted is None:
            return
        first, size = not look.some, min(cursor.max_bytes, look.left)
        found, committed = None, False
        if fetch.reader.committed:
            known = hosted.partition.log.transactions.aborted(cursor.offset, outcome.limit)
            outcome.aborted, committed = known, known is None
        if not committed:
            found = hosted.tail.read(cursor.offset, outcome.limit, size, first)
        if found is not None:
            outcome.buffers, outcome.size = found
            look.left -= outcome.size
            look.some = look.some or outcome.size > 0
        else:
            most = max(size, 0)
            where = partial(Read, key=hosted.key, offset=cursor.offset, limit=outcome.limit)
            job = partial(where, max_bytes=most, at_least_one=first, committed=committed)
            look.reading += 1
            self.at = self._out.now
            hosted.jobs.run(job, partial(self._on_read, fetch, outcome))
            look.left -= size
            look.some = True

    def _outcome(self, fetch: DelayedFetch, cursor: Cursor) -> FetchedPartition:
        if not self._may_read(fetch, cursor):
            return FetchedPartition(cursor, Error.TOPIC_AUTHORIZATION_FAILED)
        hosted = cursor.watching
        if hosted is None or hosted.gone:
            found = self._partitions.locate(*cursor.key)
            if not isinstance(found, HostedPartition):
                return self._lost(fetch, FetchedPartition(cursor, found))
            hosted = found
            self._purgatory.watch(fetch.reader, cursor, hosted)
        self._stats.of(hosted.name.topic).fetch_requests += 1
        outcome = FetchedPartition(cursor)
        outcome.hosted = hosted
        outcome.error = self._check(fetch, cursor, hosted, outcome)
        if outcome.error == Error.NONE:
            log, committed = hosted.partition.log, fetch.params.committed
            outcome.mark, outcome.start = log.high_watermark, log.start
            outcome.stable = log.stable
            if self._names_nearest and fetch.params.rack:
                outcome.preferred = self._nearest(fetch, cursor, hosted)
                if outcome.preferred != NO_REPLICA:
                    return outcome  # Without records: the consumer gets them there.
            if committed:
                outcome.aborted = ()
            if outcome.diverging is None and not self._holds_back(fetch, outcome, hosted):
                if fetch.reader.to_end:
                    outcome.limit = log.end
                else:
                    outcome.limit = outcome.stable if committed else outcome.mark
            return outcome
        return self._lost(fetch, outcome)

    def _nearest(self, fetch: DelayedFetch, cursor: Cursor, hosted: HostedPartition) -> NodeId:
        """The follower in the consumer's rack that has what it asks for, or NO_REPLICA."""
        brokers = self._context.image.brokers
        views = {view.broker: view for view in followers_with(hosted.partition, cursor.offset)}
        reached = self._context.reached(fetch.context.listener, views)
        racked = [(brokers[broker].rack, views[broker]) for broker, _ in reached]
        own = brokers.get(self._context.node_id)
        found = nearest(fetch.params.rack, None if own is None else own.rack, racked)
        return NO_REPLICA if found is None else found

    def _may_read(self, fetch: DelayedFetch, cursor: Cursor) -> bool:
        """Whether the reader may have this topic now, whatever it could when the session began."""
        permits = fetch.context.permits
        if permits.view is None:
            return True
        if fetch.reader.follower:
            return permits.may_cluster(AclOperation.CLUSTER_ACTION)
        topic = cursor.key[0]
        if not isinstance(topic, str):
            state = self._context.image.topics.get(topic or ZERO_ID)
            if state is None:
                return True  # No topic has this id, and the reader will hear just that.
            topic = state.name
        return permits.may(AclOperation.READ, AclResourceType.TOPIC, topic)

    def _holds_back(
        self, fetch: DelayedFetch, outcome: FetchedPartition, hosted: HostedPartition
    ) -> bool:
        """Whether a replica that is out of sync has to wait, because too much was sent (KIP-73)."""
        cursor = outcome.cursor
        cursor.held = (
            fetch.reader.follower
            and hosted.name.partition in hosted.topic.throttled_as_leader
            and fetch.params.replica not in hosted.partition.isr
            and cursor.offset < hosted.partition.log.end
            and self._throttle.is_exceeded
        )
        return cursor.held

    def _lost(self, fetch: DelayedFetch, outcome: FetchedPartition) -> FetchedPartition:
        hosted = outcome.hosted
        if (
            hosted is not None
            and hosted.is_offline
            and fetch.is_patient(self._out.now)
            and self._partitions.successors.may_wait(hosted.id)
        ):
            outcome.error, outcome.limit = Error.NONE, -1  # No news until the next leader is known.
            outcome.mark, outcome.stable, outcome.start = hosted.marks
        if outcome.error in (Error.NOT_LEADER_OR_FOLLOWER, Error.FENCED_LEADER_EPOCH):
            outcome.hint = self._partitions.leader_hint(*outcome.cursor.key)
        return outcome

    def _check(
        self,
        fetch: DelayedFetch,
        cursor: Cursor,
        hosted: HostedPartition,
        outcome: FetchedPartition,
    ) -> Error:
        machine, params, follower = hosted.partition, fetch.params, fetch.reader.follower
        role, log = machine.role, machine.log
        if not isinstance(role, PartitionLeader):
            if isinstance(role, Offline):
                return self._partitions.offline(hosted)
            version = fetch.context.version
            old = params.replica in (CONSUMER, DEBUGGER) and version < FOLLOWERS_SERVE_FROM
            if follower or old:
                return Error.NOT_LEADER_OR_FOLLOWER
        error = machine.check_epoch(cursor.leader_epoch)
        if error != Error.NONE:
            return error
        if follower and isinstance(role, PartitionLeader):
            if params.replica not in role.followers.by_broker:
                return Error.UNKNOWN_LEADER_EPOCH  # The metadata that adds it is not here yet.
            if fetch.params.is_stale(self._context.image):
                return Error.NOT_LEADER_OR_FOLLOWER
        if cursor.offset < log.start:
            return Error.OFFSET_OUT_OF_RANGE
        if cursor.last_epoch >= 0:
            try:
                outcome.diverging = log.divergence(cursor.offset, cursor.last_epoch)
            except Refusal as refusal:
                return refusal.error
            if outcome.diverging is not None:
                return Error.NONE
        if cursor.offset > log.next:
            # Up to `next` all will be there in a moment: a leader may still be writing what it
            # had accepted as a follower and what others have written already.
            return Error.OFFSET_OUT_OF_RANGE
        if follower and fetch.is_fresh:
            self._on_follower(fetch, cursor, hosted)
        return Error.NONE

    def _on_follower(self, fetch: DelayedFetch, cursor: Cursor, hosted: HostedPartition) -> None:
        replica, epoch = fetch.params.replica, fetch.params.broker_epoch
        advance = hosted.partition.on_follower_fetch(
            replica, cursor.offset, cursor.start, epoch, self._out.now
        )
        if advance is not None:
            self._changes.settle(hosted, advance)
        if hosted.delayed.at_start:
            hosted.settle_starts()

    def _on_read(
        self, fetch: DelayedFetch, outcome: FetchedPartition, result: ReadResult | Failure
    ) -> None:
        assert outcome.hosted is not None
        if isinstance(result, Failure):
            self._stats.of(outcome.hosted.name.topic).failed_fetch += 1
            self._changes.on_failure(outcome.hosted, result)
            outcome.error = Error.KAFKA_STORAGE_ERROR
            outcome.mark = outcome.stable = outcome.start = -1
            self._lost(fetch, outcome)
        elif result.data:
            outcome.buffers, outcome.size = [result.data], len(result.data)
            if fetch.params.committed and outcome.aborted is None:
                outcome.aborted = result.aborted
        elif outcome.cursor.offset < result.start:
            outcome.error = Error.OFFSET_OUT_OF_RANGE  # Deleted just before the read.
        fetch.look.reading -= 1
        if fetch.look.reading == 0:
            self._run(fetch, self._conclude(fetch))

    # --- answering, or waiting --------------------------------------------------------------------

    def _conclude(self, fetch: DelayedFetch) -> Steps[None]:
        reader, params, outcomes = fetch.reader, fetch.params, fetch.look.outcomes
        size = sum([o.size for o in outcomes])
        if (
            size < params.min_bytes
            and reader.cursors
            and not fetch.timed_out
            and self._out.now < params.deadline
            and not any(o.is_urgent for o in outcomes)
        ):
            yield from _put_back(fetch)
            if fetch.news:
                yield from self._look(fetch)
                return
            fetch.need = params.min_bytes - size
            fetch.look.outcomes = []
            self._purgatory.park(fetch, self._patience(fetch))
            return
        if reader.follower:
            self._throttle.record_sent((o.hosted, o.size) for o in outcomes if o.hosted)
        charge = fetch.context.charge
        if charge is not None and not charge.admits_fetched(size + AROUND_RECORDS):
            yield from self._answer_later(fetch)
            return
        if size:
            self._stats.on_sent(outcomes, reader.follower)
        response = yield from fetch.respond(self._context.reached)
        yield from _put_back(fetch)  # Now that what the answer says is no longer news.
        if not isinstance(reader, FetchSession):
            yield from self._leave(reader)
        reader.parked = None
        fetch.context.answer(response)

    def _answer_later(self, fetch: DelayedFetch) -> Steps[None]:
        """Answer without records: the client is over its quota, and will ask again."""
        reader = fetch.reader
        yield from _put_back(fetch)
        reader.parked = None
        id = 0
        if isinstance(reader, FetchSession):
            if fetch.full:  # As Apache Kafka: a session does not begin with nothing.
                self._sessions.close(reader.id)
            else:
                id = reader.id
        else:
            yield from self._leave(reader)
        fetch.context.answer(FetchResponse(session_id=id))

    def _patience(self, fetch: DelayedFetch) -> float:
        wait = fetch.params.deadline - self._out.now
        if fetch.reader.follower and self._out.now < self._hurry_until:
            return min(wait, HURRIED_WAIT)
        return wait

    def _resume(self, fetch: DelayedFetch) -> None:
        """Look again for a fetch that was parked."""
        self._purgatory.leave(fetch)
        self._run(fetch, self._look(fetch))

    # --- sessions -------------------------------------------------------------------------------

    def on_leading(self) -> None:
        """A partition is led here from now on: its followers do not sit in older polls.

        A follower can name the partition only in its next fetch; until it has, nothing that is
        appended with acks=all is committed.
        """
        hurried = self._out.now < self._hurry_until
        self._hurry_until = self._out.now + HURRY
        if hurried:
            return
        for session in self._sessions.followers():
            if session.parked is not None:
                session.parked.timed_out = True
                self._purgatory.wake_later(session.parked)

    def _sweep(self) -> None:
        self._out.after(SWEEP, self._sweep)
        self._sessions.expire(self._out.now)

    def _leave(self, reader: Reader) -> Steps[None]:
        """This reader is gone: take its cursors from the purgatory."""
        for count, cursor in enumerate(reader.cursors.values(), 1):
            self._purgatory.unwatch(reader, cursor)
            if count % AT_ONCE == 0:
                yield

    def _on_closed(self, session: FetchSession) -> None:
        for _ in self._leave(session):
            pass
        if session.parked is not None:
            session.parked.timed_out = True
            session.parked.resume()

    @property
    def session_count(self) -> int:
        """Fetch sessions that are remembered now."""
        return len(self._sessions)


def _put_back(fetch: DelayedFetch) -> Steps[None]:
    # What has got something goes behind what has not: each has its turn.
    due, outcomes = fetch.reader.due, fetch.look.outcomes
    for count, outcome in enumerate(outcomes, 1):
        if outcome.stays_due and not outcome.size:
            due[outcome.cursor.key] = outcome.cursor
        if count % AT_ONCE == 0:
            yield
    for outcome in outcomes:
        if outcome.size:
            due.pop(outcome.cursor.key, None)
            due[outcome.cursor.key] = outcome.cursor
