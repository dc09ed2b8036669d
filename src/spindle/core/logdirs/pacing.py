"""How fast moves copy while clients are served: by how long their appends take (B-10, B-32).

What an append takes is compared with what appends to the same directory take at rest, while nothing
is copied. One that takes more than half as long again as 99 of 100 at rest is felt. As long as one
in a hundred is felt at most, a pair of disks copies faster, step by step; as soon as more are, it
copies slower at once (AIMD, as TCP does with losses). A disk's load changes, so all copying rests
for a moment now and then, and the figures at rest are taken once more.

Pure: the time is handed in, in seconds. Knows neither jobs nor disks. Beside it, `Yielding` sees to
it that each move ends.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from math import ceil, inf
from typing import Final

from spindle.core.logdirs.copy_limits import Pair
from spindle.model.copying_jobs import CopyPace
from spindle.model.ids import LogDir

FELT_TIMES: Final = 1.5
"""An append is felt if it takes so many times the 99th percentile at rest (B-32)."""
FELT_LEAST: Final = 0.001
"""Seconds more than at rest that are not felt, however little an append takes there."""
FELT_SHARE: Final = 0.01
"""The share of appends that may be felt: so the 99th percentile keeps its bound."""

REST_APPENDS: Final = 500
"""Appends at rest that are remembered, of each directory."""
REST_AGE: Final = 60.0
"""Seconds after which they count no more."""
REST_LEAST: Final = 20
"""Of fewer appends no limit is made."""
SETTLE: Final = 0.05
"""Seconds after a copy before appends count as at rest: what it left in queues is worked off."""

WINDOW_APPENDS: Final = 100
WINDOW_LEAST: Final = 0.2
WINDOW_MOST: Final = 2.0
"""A window is judged after so many appends, in so many seconds at least and at most."""

BEGIN: Final = 0.3
"""The share with which a pair begins, and keeps to where clients only read."""
STEP: Final = 0.05
"""What the share grows by after a window that was well."""
LESS: Final = 0.7
MUCH_LESS: Final = 0.5
"""What the share is multiplied by after a window that was not; the latter where many felt it."""
LOWEST: Final = 0.01
"""The lowest share that is tried, whatever the operator's least share is."""
IDLE: Final = 10.0
"""Seconds without copying after which a pair begins as if for the first time."""

LISTEN_EVERY: Final = 10.0
LISTEN, LISTEN_LOOK = 0.5, 0.1
"""All copying rests for so long, so often, if nothing was heard at rest for as long."""
LISTEN_HURT: Final = 2.0
"""The same where clients feel a copy: it may be something else that they feel."""
LISTEN_APPENDS: Final = 200
"""Where so many come sooner, that is enough; it is looked for every `LISTEN_LOOK` seconds."""

MIB: Final = 1 << 20
PART_MOST, PART_LEAST = MIB, MIB // 4
"""Bytes copied at a time beside clients: an append may wait for one part."""
PART_WHOLE: Final = 4 * MIB
"""The part that a share of 1 would have; less where that is more than beside clients is right."""
PART_ALIGNED: Final = 4096


def pace_of(share: float) -> CopyPace:
    """How a move copies for this share of its time beside clients: if slower, in smaller parts."""
    part = int(PART_WHOLE * share) // PART_ALIGNED * PART_ALIGNED
    return CopyPace(share, max(PART_LEAST, min(PART_MOST, part)))


class RestTimes:
    """What appends to one directory took of late, while nothing was copied."""

    def __init__(self) -> None:
        self._last: deque[tuple[float, float]] = deque(maxlen=REST_APPENDS)

    def add(self, now: float, seconds: float) -> None:
        """An append took so long."""
        self._last.append((now, seconds))

    def limit(self, now: float) -> float:
        """Seconds from which an append is felt; infinite while too little is known."""
        while self._last and self._last[0][0] < now - REST_AGE:
            self._last.popleft()
        if len(self._last) < REST_LEAST:
            return inf
        times = sorted(seconds for _, seconds in self._last)
        usual = times[ceil(0.99 * len(times)) - 1]
        return max(usual * FELT_TIMES, usual + FELT_LEAST)


class Pacer:
    """The share of one pair of disks: grows while appends are well, falls when they are not."""

    def __init__(self) -> None:
        self.share = BEGIN
        self.hurts = False
        """Whether clients felt the copying in the last window."""
        self._doubles = True
        """It has not been too fast yet, and looks for the right pace in large steps."""
        self._seen = self._felt = 0
        self._since = -inf

    def begin(self, idle: float) -> None:
        """A copy begins after so many seconds without one."""
        if idle >= IDLE:
            self.share, self.hurts, self._doubles = min(self.share, BEGIN), False, True
        if idle >= WINDOW_MOST:
            self.look_again()

    def look_again(self) -> None:
        """What is usual may be another thing now: a window begins."""
        self._seen = self._felt = 0

    def on_append(self, now: float, felt: bool) -> None:
        """An append beside the copy has come back."""
        if not self._seen:
            self._since = now
        self._seen += 1
        self._felt += felt
        took = now - self._since
        if took >= WINDOW_MOST or (self._seen >= WINDOW_APPENDS and took >= WINDOW_LEAST):
            self._judge()
            self.look_again()

    def _judge(self) -> None:
        allowed = FELT_SHARE * self._seen
        self.hurts = self._felt > max(1, allowed)  # One alone can be by chance.
        if self.hurts:
            many = self._felt > 5 * max(1, allowed)
            self.share = max(LOWEST, self.share * (MUCH_LESS if many else LESS))
            self._doubles = False
        else:
            self.share = min(1.0, self.share * 2 if self._doubles else self.share + STEP)


class CopiedPair:
    """The copies between one pair of disks."""

    def __init__(self) -> None:
        self.pacer = Pacer()
        self.under_way = 0
        self.paced = 0
        """Those under way that give way to clients."""
        self.ended_at = -inf
        self.limits: dict[LogDir, float] = {}
        """Seconds from which an append is felt, in this step."""


class CopyPacing:
    """The paces of a broker's moves."""

    def __init__(self) -> None:
        self._rest: dict[LogDir, RestTimes] = {}
        self._pairs: dict[Pair, CopiedPair] = {}
        self._ended_at = self._heard_at = self._listened_at = -inf
        self._rests_until = -inf
        self._heard = 0
        """Appends at rest since it was begun to listen."""

    # --- what is copied ---------------------------------------------------------------------

    def pace(self, pair: Pair, least: float) -> CopyPace:
        """How the next step between two disks copies beside clients: `least` is its least share."""
        return pace_of(max(least, self._of(pair).pacer.share))

    def is_slowest(self, pair: Pair, least: float) -> bool:
        """Whether clients feel the copies between two disks, and they may not be slower."""
        pacer = self._of(pair).pacer
        return pacer.hurts and pacer.share <= least

    def rests_until(self, now: float) -> float:
        """When to ask again, or `now`: the next step beside clients may begin.

        Until then it is heard what is at rest.
        """
        if now < self._rests_until and self._heard >= LISTEN_APPENDS:
            self._rests_until = now
        elif now >= self._rests_until and now - self._known_at >= self._listens_every(now):
            self._listened_at, self._heard = now, 0
            self._rests_until = now + LISTEN
            for copying in self._pairs.values():
                copying.pacer.look_again()
        return max(now, min(now + LISTEN_LOOK, self._rests_until))

    def _listens_every(self, now: float) -> float:
        pairs = self._pairs.values()
        hurts = any(pair.pacer.hurts and now - pair.ended_at < LISTEN_HURT for pair in pairs)
        return LISTEN_HURT if hurts else LISTEN_EVERY

    @property
    def _known_at(self) -> float:
        return max(self._heard_at, self._listened_at)

    def begin(self, pair: Pair, now: float, paced: bool) -> None:
        """A job on a future log begins. `paced`: it gives way to clients."""
        copying = self._of(pair)
        if not copying.under_way:
            copying.limits.clear()
            copying.pacer.begin(now - copying.ended_at)
        copying.under_way += 1
        copying.paced += paced

    def end(self, pair: Pair, now: float, paced: bool) -> None:
        """It has come back."""
        copying = self._of(pair)
        copying.under_way -= 1
        copying.paced -= paced
        copying.ended_at = self._ended_at = now

    def _of(self, pair: Pair) -> CopiedPair:
        return self._pairs.setdefault(pair, CopiedPair())

    # --- what clients feel ------------------------------------------------------------------

    def on_append(self, directory: LogDir, began: float, now: float) -> None:
        """An append to a directory that was asked for at `began` has come back."""
        at_work = [pair for pair, copying in self._pairs.items() if copying.under_way]
        if not at_work:
            if began >= self._ended_at + SETTLE:
                self._heard_at = now
                self._heard += 1
                rest = self._rest.get(directory)
                if rest is None:
                    rest = self._rest[directory] = RestTimes()
                rest.add(now, now - began)
            return
        for copying in self._felt_from(directory, at_work):
            limit = copying.limits.get(directory)
            if limit is None:
                known = self._rest.get(directory)
                limit = copying.limits[directory] = inf if known is None else known.limit(now)
            copying.pacer.on_append(now, now - began > limit)

    def _felt_from(self, directory: LogDir, at_work: list[Pair]) -> Iterator[CopiedPair]:
        """Whose doing it can be: a copy's on this disk; if there is none, that of each copy."""
        here = [pair for pair in at_work if directory in pair]
        for pair in here or at_work:
            if self._pairs[pair].paced:
                yield self._pairs[pair]


GAIN_LEAST: Final = 0.25
"""Of the bytes that are copied; if what is left shrinks by less, the move has to be faster."""
GAIN_MUCH: Final = 0.5
"""If it shrinks by more, the move may be slower: half as fast, it still loses nothing."""


class Yielding:
    """The least share of one move: it ends, however much is appended to its log meanwhile."""

    def __init__(self) -> None:
        self._least = 0.0
        self._left: int | None = None
        self.is_reported = False
        """It was said that it cannot be slower, and that clients feel it."""

    def least(self, asked: float) -> float:
        """The least share of its time that the next piece takes; `asked`: by the operator."""
        return max(asked, self._least)

    def on_copied(self, share: float, copied: int, left: int) -> None:
        """A piece is copied with this share, and so many bytes are left."""
        before, self._left = self._left, left
        if before is None or not copied:
            return
        gained = before - left
        if gained < copied * GAIN_LEAST:
            self._least = min(1.0, share * 2)
        elif gained > copied * GAIN_MUCH:
            self._least /= 2
