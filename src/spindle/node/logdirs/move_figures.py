"""Figures of the moves between log directories: bytes copied and left, rates, blocked appends.

Counts what the moves tell, and names it for the metrics page. Belongs to `moves`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from spindle.core.logdirs.durations import Durations
from spindle.core.logdirs.move import LogDirMove
from spindle.core.logdirs.rates import RateMeter
from spindle.core.logdirs.slots import Pair
from spindle.model.statistics import Sample

PREFIX: Final = "kafka_server_alterlogdirsreplication_"
QUANTILES: Final = (0.5, 0.99, 1.0)


class MoveFigures:
    """What the moves of this run of the broker have done."""

    def __init__(self) -> None:
        self.copied_bytes = 0
        self.blocked = Durations()
        """Seconds for which each swap blocked the appends of its partition."""
        self.ended: dict[str, int] = {}
        """Moves by how they ended."""
        self._pairs: dict[Pair, RateMeter] = {}

    def copied(self, now: float, move: LogDirMove, size: int) -> None:
        """A move has copied so many bytes more."""
        self.copied_bytes += size
        move.copied += size
        self._pairs.setdefault((move.source, move.target), RateMeter()).add(now, size)

    def end(self, how: str) -> None:
        """A move has ended."""
        self.ended[how] = self.ended.get(how, 0) + 1

    def statistics(
        self, now: float, moves: list[LogDirMove], left: Callable[[LogDirMove], int]
    ) -> Iterator[Sample]:
        """All figures. `left`: the bytes that a move has still to copy."""
        yield Sample(
            PREFIX + "bytes_total",
            self.copied_bytes,
            "bytes copied by moves between log directories",
        )
        todo: dict[Pair, int] = {}
        for move in moves:
            labels = {
                "topic": move.name.topic,
                "partition": str(move.name.partition),
                "source": move.source,
                "target": move.target,
                "state": move.state.name.lower(),
            }
            rest = left(move)
            pair = (move.source, move.target)
            todo[pair] = todo.get(pair, 0) + rest
            yield Sample(PREFIX + "movebytesdone", move.size, "bytes of a move's copy", labels)
            yield Sample(PREFIX + "movebytesleft", rest, "bytes that a move has to copy", labels)
            yield Sample(PREFIX + "moveshare", move.share, "of its time that a move copies", labels)
        for pair in {**dict.fromkeys(self._pairs), **dict.fromkeys(todo)}:
            rate = self._pairs.get(pair, RateMeter())
            labels = {"source": pair[0], "target": pair[1]}
            yield Sample(PREFIX + "pairbytes_total", rate.total, "bytes copied", labels)
            yield Sample(PREFIX + "pairbytesleft", todo.get(pair, 0), "bytes to copy", labels)
            yield Sample(PREFIX + "pairbytespersecond", rate.per_second(now), "bytes/s", labels)
        yield from self._endings()

    def _endings(self) -> Iterator[Sample]:
        for how, count in self.ended.items():
            yield Sample(PREFIX + "moves_total", count, "moves that have ended", {"end": how})
        for share in QUANTILES:
            yield Sample(
                PREFIX + "blockedseconds",
                self.blocked.quantile(share),
                "seconds for which a swap blocked appends, of the last 1000",
                {"quantile": str(share)},
            )
        yield Sample(PREFIX + "blockedseconds_count", self.blocked.count, "swaps")
        yield Sample(PREFIX + "blockedseconds_sum", self.blocked.total, "seconds")
