"""Walks through the records of clients' batches, off the event loop where it may take long (S-08).

A few kilobytes on the wire may hold millions of records, and a thread that walks through them takes
the interpreter from the loop. So it goes in steps, one batch of each partition in turn; the busier
the loop is with others, the longer it rests in between. Batches of a partition come out in the
order in which they went in. Used by `node.produce`; knows nothing of offsets.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable
from functools import partial
from typing import Final, NamedTuple

from spindle.model.computing import CheckRecords, SteppedWork
from spindle.model.errors import Error, Failure, Refusal
from spindle.model.ids import PartitionId
from spindle.model.outbox import Outbox
from spindle.node.replicas.hosted import HostedPartition

STEP: Final = 600
"""Records of one step: a third of a millisecond of a thread."""
RATE: Final = 50_000.0
"""Records in a second where the loop has no time to spare: about a twentieth of what a thread can
look at."""
BURST_SECONDS: Final = 1.0
"""So much of the rate may be used at once."""

Checked = Callable[[Refusal | None], None]


class _Waiting(NamedTuple):
    hosted: HostedPartition
    walk: SteppedWork | None
    """None: it only waits for those before it."""
    then: Checked


class Checking:
    """Batches that are being looked at."""

    def __init__(self, out: Outbox) -> None:
        self._out = out
        self._queues: OrderedDict[PartitionId, deque[_Waiting]] = OrderedDict()
        self._busy = False
        self._paid_until = 0.0

    @property
    def waiting(self) -> int:
        """How many batches wait for it."""
        return sum(map(len, self._queues.values()))

    def check(self, hosted: HostedPartition, walk: SteppedWork | None, then: Checked) -> None:
        """Check a batch's records if there is a `walk`; `then` gets the refusal, or None.

        At once where there is little to do and no batch of the partition waits; else later.
        """
        if hosted.id not in self._queues:
            if walk is None:
                then(None)
                return
            if walk.brief:
                then(_here(walk))
                return
        self._queues.setdefault(hosted.id, deque()).append(_Waiting(hosted, walk, then))
        self._go_on()

    def _go_on(self) -> None:
        """One more step, of the partition whose turn it is; now, or after a rest."""
        if self._busy or not self._queues:
            return
        self._busy = True
        rest = self._paid_until - self._out.now - BURST_SECONDS
        if rest > 0:
            self._out.after(rest, self._step)
        else:
            self._step()

    def _step(self) -> None:
        id = next(iter(self._queues))
        self._queues.move_to_end(id)
        first = self._queues[id][0]
        assert first.walk is not None, "what only waits does not come first"
        job = CheckRecords(first.hosted.directory, first.walk, STEP)
        self._out.run(job, partial(self._on_stepped, id, first.walk))

    def _on_stepped(
        self, id: PartitionId, walk: SteppedWork, result: bool | Refusal | Failure
    ) -> None:
        self._busy = False
        price = walk.take_seen() * self._out.strain / RATE
        self._paid_until = max(self._paid_until, self._out.now) + price
        if isinstance(result, Failure):
            result = Refusal(Error.KAFKA_STORAGE_ERROR, str(result))
        if result is not False:
            for waiting in self._taken(id):
                waiting.then(result if isinstance(result, Refusal) else None)
                result = True  # Those behind it only waited.
        self._go_on()

    def _taken(self, id: PartitionId) -> list[_Waiting]:
        """The first of a partition, and those behind it which only waited for it."""
        queue = self._queues[id]
        taken = [queue.popleft()]
        while queue and queue[0].walk is None:
            taken.append(queue.popleft())
        if not queue:
            del self._queues[id]
        return taken


def _here(walk: SteppedWork) -> Refusal | None:
    try:
        while not walk.step(STEP):
            pass
    except Refusal as refusal:
        return refusal
    return None
