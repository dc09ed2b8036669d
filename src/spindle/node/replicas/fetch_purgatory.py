"""Fetches that wait for news of the partitions that they read (Kafka's delayed fetches).

A reader watches the partitions that it has cursors for. News (the log's end has moved, for
followers; the high watermark, for consumers) marks its cursors as due and, once they are worth it,
wakes the fetch that waits: at the end of the moment, so that one answer takes all that came in it.
Used by `fetch_manager`, which serves the fetches, and by the parts that change partitions.
"""

from __future__ import annotations

from typing import Final

from spindle.core.replica.fetch_sessions import Cursor, Reader
from spindle.model.outbox import Outbox
from spindle.node.replicas.delayed_fetch import DelayedFetch
from spindle.node.replicas.hosted import HostedPartition
from spindle.node.replicas.purgatory import Purgatory

REST: Final = 0.001
"""How long (s) a follower's fetch is put off for what is being written just now."""
PLENTY: Final = 64 << 10
"""Bytes of news for which it is put off no longer."""


class FetchPurgatory:
    """Which readers watch which partitions, and which fetches are about to be woken."""

    def __init__(self, out: Outbox, deadlines: Purgatory) -> None:
        self._out = out
        self._deadlines = deadlines
        self._woken: dict[DelayedFetch, None] = {}
        self._resting: dict[DelayedFetch, None] = {}
        """Followers' fetches that have news, and for which more is being written."""

    def watch(self, reader: Reader, cursor: Cursor, hosted: HostedPartition) -> None:
        """A reader gets a partition's news from now on."""
        if cursor.watching is not None:
            self.unwatch(reader, cursor)
        cursor.watching = hosted
        hosted.watchers[reader] = cursor

    def unwatch(self, reader: Reader, cursor: Cursor) -> None:
        """It gets them no more."""
        if cursor.watching is not None:
            cursor.watching.watchers.pop(reader, None)
            cursor.watching = None

    def park(self, fetch: DelayedFetch, seconds: float) -> None:
        """A fetch waits for news, for so long at most."""
        fetch.is_parked = True
        self._deadlines.park(seconds, fetch)

    def leave(self, fetch: DelayedFetch) -> None:
        """A fetch waits no longer."""
        fetch.is_parked = False
        self._deadlines.leave(fetch)
        self._woken.pop(fetch, None)
        self._resting.pop(fetch, None)

    # --- news -----------------------------------------------------------------------------------

    def on_end(self, hosted: HostedPartition, size: int) -> None:
        """`size` bytes were written at a log's end.

        Where more is being written, followers hear of all together: each fetch costs leader and
        follower more than the few records of one producer's request.
        """
        more_comes = hosted.jobs.writing > 0
        for reader, cursor in hosted.watchers.items():
            if cursor.held:
                reader.due[cursor.key] = cursor
            elif reader.to_end:
                self._on_news(reader, cursor, size, more_comes)

    def on_mark(self, hosted: HostedPartition, before: int) -> None:
        """A high watermark has moved."""
        size, log = -1, hosted.partition.log
        for reader, cursor in hosted.watchers.items():
            if reader.to_end or (reader.committed and log.stable <= cursor.offset):
                reader.due[cursor.key] = cursor
            elif reader.committed:
                new = 0
                if reader.parked is not None:
                    new = hosted.tail.bytes_between(cursor.offset, log.stable)
                self._on_news(reader, cursor, max(new, 1))
            else:
                if size < 0:
                    size = max(hosted.tail.bytes_between(before, log.high_watermark), 1)
                self._on_news(reader, cursor, size)

    def on_start(self, hosted: HostedPartition) -> None:
        """A log start has moved: followers learn it at once where a deletion waits for them."""
        for reader, cursor in hosted.watchers.items():
            reader.due[cursor.key] = cursor
            if hosted.delayed.at_start and reader.follower:
                self._hurry(reader, cursor)

    def on_changed(self, hosted: HostedPartition) -> None:
        """Role, epoch or log have changed: all fetches that wait are answered now."""
        for reader, cursor in hosted.watchers.items():
            reader.due[cursor.key] = cursor
            self._hurry(reader, cursor)

    def on_failed(self, hosted: HostedPartition) -> None:
        """It cannot serve any more: fetches that wait look again, and some may wait on."""
        for reader, cursor in hosted.watchers.items():
            need = 1 if reader.parked is None else max(reader.parked.need, 1)
            self._on_news(reader, cursor, need)

    def _hurry(self, reader: Reader, cursor: Cursor) -> None:
        if reader.parked is not None:
            reader.parked.timed_out = True
            self._on_news(reader, cursor, max(reader.parked.need, 1))

    def _on_news(self, reader: Reader, cursor: Cursor, size: int, more_comes: bool = False) -> None:
        reader.due[cursor.key] = cursor
        fetch: DelayedFetch | None = reader.parked
        if fetch is None:
            return
        fetch.news += size
        if not fetch.is_parked or fetch.news < fetch.need:
            return
        if more_comes and fetch.news < PLENTY:
            self._put_off(fetch)
        else:
            self.wake_later(fetch)

    def _put_off(self, fetch: DelayedFetch) -> None:
        if not self._resting:
            self._out.after(REST, self._wake_resting)
        self._resting[fetch] = None

    def _wake_resting(self) -> None:
        resting, self._resting = self._resting, {}
        for fetch in resting:
            self.wake_later(fetch)

    def wake_later(self, fetch: DelayedFetch) -> None:
        """Wake a fetch at the end of this moment."""
        if not self._woken:
            self._out.at_last(self._wake)
        self._woken[fetch] = None
        self._resting.pop(fetch, None)

    def _wake(self) -> None:
        woken, self._woken = self._woken, {}
        for fetch in woken:
            fetch.resume()
