"""Serves the metadata log to its fetchers: other voters, and brokers that observe.

A fetch waits while there is nothing new for it, as long as it is willing to (KIP-595, KIP-1166).
Knows no request classes; `handlers.fetch_metadata` does. Belongs to `quorum`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from spindle.core.raft.machine import Raft
from spindle.core.raft.raft_values import FetchPosition, FetchVerdict, Heard
from spindle.model.batches import Buffer
from spindle.model.errors import Error
from spindle.model.ids import DirectoryId, NodeId
from spindle.model.outbox import Outbox, Timer
from spindle.node.quorum.metadata_log import Cached, MetadataLog, wire_bytes

PARKED_MAX: Final = 10_000
BYTES_MAX: Final = 8 << 20
"""Bytes of one answer, whatever is asked for."""
WAIT_MAX: Final = 10.0
"""Seconds that a fetch may wait at most, whatever it asks for."""


@dataclass(slots=True, frozen=True)
class Served:
    """The answer to a fetch of the metadata log."""

    heard: Heard
    verdict: FetchVerdict
    high_watermark: int
    start: int
    records: Sequence[Buffer] = ()


@dataclass(slots=True)
class _Parked:
    position: FetchPosition
    max_bytes: int
    answer: Callable[[Served], None]
    timer: Timer | None = None


class MetadataFetches:
    """Fetches under way at this node."""

    def __init__(self, raft: Raft, log: MetadataLog, out: Outbox) -> None:
        self._raft = raft
        self._log = log
        self._out = out
        self._parked: dict[int, _Parked] = {}
        self._next = 0

    def on_fetch(
        self,
        replica: NodeId,
        position: FetchPosition,
        max_wait: float,
        max_bytes: int,
        answer: Callable[[Served], None],
        directory: DirectoryId | None = None,
    ) -> None:
        """A node fetches; `answer` is called once, within `max_wait` seconds or soon after."""
        max_wait, max_bytes = min(max_wait, WAIT_MAX), max(1, min(max_bytes, BYTES_MAX))
        verdict = self._raft.leader_log.on_fetch(replica, position, directory)
        waits = max_wait > 0 and len(self._parked) < PARKED_MAX
        if self._has_news(position, verdict) or not waits:
            self._serve(position, max_bytes, answer)
            return
        self._next += 1
        number = self._next
        parked = _Parked(position, max_bytes, answer)
        parked.timer = self._out.after(max_wait, lambda: self._release(number))
        self._parked[number] = parked

    def on_progress(self) -> None:
        """The log, its high watermark, or the leader have changed."""
        for number, parked in list(self._parked.items()):
            if self._has_news(parked.position, self._raft.leader_log.judge_fetch(parked.position)):
                self._release(number)

    def _has_news(self, position: FetchPosition, verdict: FetchVerdict) -> bool:
        log = self._raft.log
        behind = log.end > position.offset or self.high_watermark > position.high_watermark
        return verdict != FetchVerdict() or behind

    @property
    def high_watermark(self) -> int:
        """What we tell others: -1 until our own epoch has committed something."""
        term = self._raft.state.term
        known = term is None or (
            term.start is not None and self._raft.log.high_watermark > term.start
        )
        return self._raft.log.high_watermark if known else -1

    def _release(self, number: int) -> None:
        parked = self._parked.pop(number, None)
        if parked is not None:
            assert parked.timer is not None
            parked.timer.cancel()
            self._serve(parked.position, parked.max_bytes, parked.answer)

    def _serve(
        self, position: FetchPosition, max_bytes: int, answer: Callable[[Served], None]
    ) -> None:
        raft = self._raft
        verdict = raft.leader_log.judge_fetch(position)

        def serve(records: Sequence[Buffer]) -> None:
            answer(
                Served(
                    raft.state.heard(verdict.error),
                    verdict,
                    self.high_watermark if verdict.error == Error.NONE else -1,
                    raft.log.start,
                    records,
                )
            )

        if verdict != FetchVerdict() or raft.log.end <= position.offset:
            serve(())
            return

        def on_read(found: list[Cached]) -> None:
            # While the disk was read, another node may have become the leader.
            if raft.state.refuses_epoch(position.epoch) != Error.NONE:
                self._serve(position, max_bytes, answer)
                return
            serve(wire_bytes(found))

        self._log.read(position.offset, raft.log.end, max_bytes, on_read)
