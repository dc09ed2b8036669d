"""Serves fetches: consumers and followers, their sessions, and those that wait for news.

A reader watches the partitions that it has cursors for. News (the log's end has moved, for
followers; the high watermark, for consumers) marks its cursors as due and, once they are worth it,
wakes the fetch that waits: at the end of the moment, so that one answer takes all that came in it.
Batches are read from the tail in memory where it has them, else by a job on the directory's
thread. What a follower asks for is what it has: that moves the ISR and the high watermark.
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
from spindle.model.errors import Error, Failure, Refusal
from spindle.model.jobs import Read, ReadResult
from spindle.node.broker_context import BrokerContext
from spindle.node.replicas.delayed_fetch import (
    AT_ONCE,
    CONSUMER,
    DEBUGGER,
    DelayedFetch,
    FetchedPartition,
    Steps,
)
from spindle.node.replicas.hosted import HostedPartition
from spindle.node.replicas.ports import HostedPartitions
from spindle.node.replicas.purgatory import Purgatory
from spindle.node.replicas.throttling import ReplicationThrottle
from spindle.node.request_context import RequestContext
from spindle.wire.messages.fetch_request import FetchRequest
from spindle.wire.messages.fetch_response import FetchResponse

_END: Final = object()
FOLLOWERS_SERVE_FROM: Final = 11
"""Version of Fetch from which a consumer knows that it may have reached a follower (KIP-392)."""

SWEEP: Final = 30.0
"""Seconds between looks for sessions that nobody uses any more."""
HURRY: Final = 1.0
"""Seconds after a leader change in which followers are not kept waiting for long ..."""
HURRIED_WAIT: Final = 0.02
"""... but for so many seconds at most: they may have partitions to add to their next fetch."""


class FetchManager:
    """Everybody who reads here."""

    def __init__(self, context: BrokerContext, owner: HostedPartitions, parking: Purgatory) -> None:
        self._context = context
        self._owner = owner
        self._parking = parking
        self._throttle = ReplicationThrottle(context, "leader")
        self._out = context.out
        settings = context.settings
        self._max_bytes: int = settings.whole("fetch.max.bytes")
        self._sessions = FetchSessionCache(
            settings.whole("max.incremental.fetch.session.cache.slots"), self._on_closed
        )
        self._woken: dict[DelayedFetch, None] = {}
        self._hurry_until = 0.0
        self.at = -inf
        """When a log was read last: what was asked for was not in memory."""
        self._out.after(SWEEP, self._sweep)

    # --- requests -----------------------------------------------------------------------------

    def on_fetch(self, request: FetchRequest, context: RequestContext[FetchResponse]) -> None:
        """A consumer or a follower asks for records."""
        fetch = DelayedFetch(request, context, self._out.now, self.resume)
        fetch.max_bytes = min(fetch.max_bytes, self._max_bytes)
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
        fetch.reader.committed = fetch.committed
        yield from self._look(fetch)

    def _begin(self, fetch: DelayedFetch, remember: bool) -> Steps[None]:
        cursors: dict[Key, Cursor] = {}
        for count, (key, cursor) in enumerate(fetch.cursors(), 1):
            cursors[key] = cursor
            if count % AT_ONCE == 0:
                yield
        follower = fetch.replica >= 0
        session = None
        if remember and cursors:
            session = self._sessions.open(
                cursors, fetch.by_id, follower, self._out.now, self._out.rng
            )
        reader = Reader(cursors, {}, follower) if session is None else session
        reader.due = {}
        reader.to_end = fetch.replica != CONSUMER
        fetch.reader, reader.parked = reader, fetch

    def _go_on(self, fetch: DelayedFetch, session: FetchSession) -> Steps[None]:
        before: DelayedFetch | None = session.parked
        if before is not None:
            # The client has given up on its last request; nobody will read the answer.
            if not before.is_parked:
                session.due = dict(session.cursors)  # It had taken what was due.
            self._parking.leave(before)
            self._woken.pop(before, None)
            before.context.answer_nothing()
        fetch.full = False
        fetch.reader, session.parked = session, fetch
        for count, key in enumerate(fetch.forgotten(), 1):
            gone = session.cursors.pop(key, None)
            if gone is not None:
                session.due.pop(key, None)
                self._unwatch(session, gone)
            if count % AT_ONCE == 0:
                yield
        for count, (key, cursor) in enumerate(fetch.cursors(), 1):
            known = session.cursors.get(key)
            if known is not None:
                cursor.watching = known.watching
                if not session.follower:
                    # A follower that names a partition again may have dropped what it was told
                    # (its log was in another state by then): it is told once more.
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
        fetch.news, fetch.outcomes = 0, []
        fetch.left, fetch.some = fetch.max_bytes, False
        fetch.reading = 1  # This look itself.
        for count, cursor in enumerate(cursors, 1):
            outcome = self._outcome(fetch, cursor)
            fetch.outcomes.append(outcome)
            if not fetch.some or fetch.left > 0:
                self._read(fetch, outcome)
            if count % AT_ONCE == 0:
                yield
        fetch.is_fresh = False
        fetch.reading -= 1
        if fetch.reading == 0:
            yield from self._conclude(fetch)

    def _read(self, fetch: DelayedFetch, outcome: FetchedPartition) -> None:
        """Take records of one partition, from memory or by a job; they count for the others."""
        cursor, hosted, reader = outcome.cursor, outcome.hosted, fetch.reader
        if outcome.limit <= cursor.offset or outcome.is_urgent or hosted is None:
            return
        first, size = not fetch.some, min(cursor.max_bytes, fetch.left)
        found, committed = None, False
        if reader.committed:
            known = hosted.partition.transactions.aborted(cursor.offset, outcome.limit)
            outcome.aborted, committed = known, known is None
        if not committed:
            found = hosted.tail.read(cursor.offset, outcome.limit, size, first)
        if found is not None:
            outcome.buffers, outcome.size = found
            fetch.left -= outcome.size
            fetch.some = fetch.some or outcome.size > 0
        else:
            most = max(size, 0)
            where = partial(Read, key=hosted.key, offset=cursor.offset, limit=outcome.limit)
            job = partial(where, max_bytes=most, at_least_one=first, committed=committed)
            fetch.reading += 1
            self.at = self._out.now
            hosted.run(job, partial(self._on_read, fetch, outcome))
            fetch.left -= size
            fetch.some = True

    def _outcome(self, fetch: DelayedFetch, cursor: Cursor) -> FetchedPartition:
        hosted = cursor.watching
        if hosted is None or hosted.gone:
            found = self._owner.locate(*cursor.key)
            if not isinstance(found, HostedPartition):
                return self._lost(FetchedPartition(cursor, found))
            hosted = found
            self._watch(fetch.reader, cursor, hosted)
        outcome = FetchedPartition(cursor)
        outcome.hosted = hosted
        outcome.error = self._check(fetch, cursor, hosted, outcome)
        if outcome.error == Error.NONE:
            machine = hosted.partition
            outcome.mark, outcome.start = machine.high_watermark, machine.start
            outcome.stable = machine.stable
            if fetch.committed:
                outcome.aborted = ()
            if outcome.diverging is None and not self._holds_back(fetch, outcome, hosted):
                if fetch.reader.to_end:
                    outcome.limit = machine.end
                else:
                    outcome.limit = outcome.stable if fetch.committed else outcome.mark
            return outcome
        return self._lost(outcome)

    def _holds_back(
        self, fetch: DelayedFetch, outcome: FetchedPartition, hosted: HostedPartition
    ) -> bool:
        """Whether a replica that is out of sync has to wait, because too much was sent (KIP-73)."""
        cursor = outcome.cursor
        cursor.held = (
            fetch.reader.follower
            and hosted.name.partition in hosted.topic.throttled_as_leader
            and fetch.replica not in hosted.partition.isr
            and cursor.offset < hosted.partition.end
            and self._throttle.is_exceeded
        )
        return cursor.held

    def _lost(self, outcome: FetchedPartition) -> FetchedPartition:
        if outcome.error in (Error.NOT_LEADER_OR_FOLLOWER, Error.FENCED_LEADER_EPOCH):
            outcome.hint = self._owner.leader_hint(*outcome.cursor.key)
        return outcome

    def _check(
        self,
        fetch: DelayedFetch,
        cursor: Cursor,
        hosted: HostedPartition,
        outcome: FetchedPartition,
    ) -> Error:
        machine = hosted.partition
        role = machine.role
        if not isinstance(role, PartitionLeader):
            if isinstance(role, Offline):
                return role.error
            version = fetch.context.version
            old = fetch.replica in (CONSUMER, DEBUGGER) and version < FOLLOWERS_SERVE_FROM
            if fetch.reader.follower or old:
                return Error.NOT_LEADER_OR_FOLLOWER
        error = machine.check_epoch(cursor.leader_epoch)
        if error != Error.NONE:
            return error
        if isinstance(role, PartitionLeader) and fetch.reader.follower:
            if fetch.replica not in role.followers.by_broker:
                return Error.UNKNOWN_LEADER_EPOCH  # The metadata that adds it is not here yet.
            if self._is_stale(fetch):
                return Error.NOT_LEADER_OR_FOLLOWER
        if cursor.offset < machine.start:
            return Error.OFFSET_OUT_OF_RANGE
        if cursor.last_epoch >= 0:
            try:
                outcome.diverging = machine.divergence(cursor.offset, cursor.last_epoch)
            except Refusal as refusal:
                return refusal.error
            if outcome.diverging is not None:
                return Error.NONE
        if cursor.offset > machine.next:
            # Up to `next` all will be there in a moment: a leader may still be writing what it
            # had accepted as a follower and what others have written already.
            return Error.OFFSET_OUT_OF_RANGE
        if fetch.reader.follower and fetch.is_fresh:
            self._on_follower(fetch, cursor, hosted)
        return Error.NONE

    def _is_stale(self, fetch: DelayedFetch) -> bool:
        registered = self._context.image.brokers.get(fetch.replica)
        return (
            fetch.broker_epoch >= 0
            and registered is not None
            and fetch.broker_epoch < registered.broker_epoch
        )

    def _on_follower(self, fetch: DelayedFetch, cursor: Cursor, hosted: HostedPartition) -> None:
        machine = hosted.partition
        before = machine.high_watermark
        machine.on_follower_fetch(
            fetch.replica, cursor.offset, cursor.start, fetch.broker_epoch, self._out.now
        )
        if machine.high_watermark != before or machine.has_proposal:
            self._owner.settle(hosted, before)
        if hosted.at_start:
            hosted.settle_starts()

    def _on_read(
        self, fetch: DelayedFetch, outcome: FetchedPartition, result: ReadResult | Failure
    ) -> None:
        assert outcome.hosted is not None
        if isinstance(result, Failure):
            self._owner.on_failure(outcome.hosted, result)
            outcome.error = Error.KAFKA_STORAGE_ERROR
            outcome.mark = outcome.stable = outcome.start = -1
        elif result.data:
            outcome.buffers, outcome.size = [result.data], len(result.data)
            if fetch.committed and outcome.aborted is None:
                outcome.aborted = result.aborted
        elif outcome.cursor.offset < result.start:
            outcome.error = Error.OFFSET_OUT_OF_RANGE  # Deleted while we were about to read.
        fetch.reading -= 1
        if fetch.reading == 0:
            self._run(fetch, self._conclude(fetch))

    # --- answering, or waiting --------------------------------------------------------------------

    def _conclude(self, fetch: DelayedFetch) -> Steps[None]:
        reader = fetch.reader
        size = sum([o.size for o in fetch.outcomes])
        if (
            size < fetch.min_bytes
            and reader.cursors
            and not fetch.timed_out
            and self._out.now < fetch.deadline
            and not any(o.is_urgent for o in fetch.outcomes)
        ):
            yield from self._put_back(fetch)
            if fetch.news:
                yield from self._look(fetch)
                return
            fetch.need = fetch.min_bytes - size
            fetch.outcomes = []
            fetch.is_parked = True
            self._parking.park(self._patience(fetch), fetch)
            return
        if reader.follower:
            self._throttle.record_sent(
                (outcome.hosted, outcome.size) for outcome in fetch.outcomes if outcome.hosted
            )
        response = yield from fetch.respond(self._context.reached)
        yield from self._put_back(fetch)  # Now that what is told is news no more.
        if not isinstance(reader, FetchSession):
            yield from self._leave(reader)
        reader.parked = None
        fetch.context.answer(response)

    def _patience(self, fetch: DelayedFetch) -> float:
        wait = fetch.deadline - self._out.now
        if fetch.reader.follower and self._out.now < self._hurry_until:
            return min(wait, HURRIED_WAIT)
        return wait

    def _put_back(self, fetch: DelayedFetch) -> Steps[None]:
        # Who has got something goes behind those who have not: everybody has his turn.
        due = fetch.reader.due
        for count, outcome in enumerate(fetch.outcomes, 1):
            if outcome.stays_due and not outcome.size:
                due[outcome.cursor.key] = outcome.cursor
            if count % AT_ONCE == 0:
                yield
        for outcome in fetch.outcomes:
            if outcome.size:
                due.pop(outcome.cursor.key, None)
                due[outcome.cursor.key] = outcome.cursor

    def resume(self, fetch: DelayedFetch) -> None:
        """Look again at a fetch that was parked."""
        if fetch.is_parked:
            fetch.is_parked = False
            self._parking.leave(fetch)
            self._run(fetch, self._look(fetch))

    # --- news -----------------------------------------------------------------------------------

    def on_end(self, hosted: HostedPartition, size: int) -> None:
        """`size` bytes were written at a log's end."""
        for reader, cursor in hosted.watchers.items():
            if cursor.held:
                reader.due[cursor.key] = cursor
            elif reader.to_end:
                self._on_news(reader, cursor, size)

    def on_mark(self, hosted: HostedPartition, before: int) -> None:
        """A high watermark has moved."""
        size = -1
        for reader, cursor in hosted.watchers.items():
            if reader.to_end or (reader.committed and hosted.partition.stable <= cursor.offset):
                reader.due[cursor.key] = cursor
            elif reader.committed:
                stable, new = hosted.partition.stable, 0
                if reader.parked is not None:
                    new = hosted.tail.bytes_between(cursor.offset, stable)
                self._on_news(reader, cursor, max(new, 1))
            else:
                if size < 0:
                    mark = hosted.partition.high_watermark
                    size = max(hosted.tail.bytes_between(before, mark), 1)
                self._on_news(reader, cursor, size)

    def on_start(self, hosted: HostedPartition) -> None:
        """A log start has moved: followers hear of it at once where a deletion waits for them."""
        for reader, cursor in hosted.watchers.items():
            reader.due[cursor.key] = cursor
            if hosted.at_start and reader.follower and reader.parked is not None:
                reader.parked.timed_out = True
                self._on_news(reader, cursor, max(reader.parked.need, 1))

    def on_changed(self, hosted: HostedPartition) -> None:
        """Role, epoch or log have changed: whoever waits shall learn of it now."""
        for reader, cursor in hosted.watchers.items():
            reader.due[cursor.key] = cursor
            if reader.parked is not None:
                reader.parked.timed_out = True
                self._on_news(reader, cursor, max(reader.parked.need, 1))

    def on_leading(self) -> None:
        """A partition is led here from now on: its followers shall not sit in older polls.

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
                self._wake_later(session.parked)

    def _on_news(self, reader: Reader, cursor: Cursor, size: int) -> None:
        reader.due[cursor.key] = cursor
        fetch: DelayedFetch | None = reader.parked
        if fetch is None:
            return
        fetch.news += size
        if fetch.is_parked and fetch.news >= fetch.need:
            self._wake_later(fetch)

    def _wake_later(self, fetch: DelayedFetch) -> None:
        if not self._woken:
            self._out.after(0.0, self._wake)
        self._woken[fetch] = None

    def _wake(self) -> None:
        woken, self._woken = self._woken, {}
        for fetch in woken:
            self.resume(fetch)

    def _sweep(self) -> None:
        self._out.after(SWEEP, self._sweep)
        self._sessions.expire(self._out.now)

    # --- watching -------------------------------------------------------------------------------

    def _watch(self, reader: Reader, cursor: Cursor, hosted: HostedPartition) -> None:
        self._unwatch(reader, cursor)
        cursor.watching = hosted
        hosted.watchers[reader] = cursor

    def _unwatch(self, reader: Reader, cursor: Cursor) -> None:
        if cursor.watching is not None:
            cursor.watching.watchers.pop(reader, None)
            cursor.watching = None

    def _leave(self, reader: Reader) -> Steps[None]:
        """Nobody asks for this reader any more."""
        for count, cursor in enumerate(reader.cursors.values(), 1):
            self._unwatch(reader, cursor)
            if count % AT_ONCE == 0:
                yield

    def _on_closed(self, session: FetchSession) -> None:
        for _ in self._leave(session):
            pass
        if session.parked is not None:
            session.parked.timed_out = True
            self.resume(session.parked)

    @property
    def session_count(self) -> int:
        """Fetch sessions that are remembered now."""
        return len(self._sessions)
