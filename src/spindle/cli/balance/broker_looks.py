"""Looks at the brokers of a run side by side: one that gives no answer delays no look at another.

Each broker is asked for its directories by itself. A look waits for the answers for a few seconds;
then it goes on without the rest, whose questions stay open, so that a slow broker is heard, too.
Called by `move_rim` and `applying`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence, Set
from typing import Final, NamedTuple, TypeVar

from spindle.client.admin import AdminClient
from spindle.client.failures import OutOfTime, Unreachable
from spindle.client.log_dirs import LogDirs
from spindle.model.errors import PeerFailed
from spindle.model.ids import TopicPartition

LOOK_SECONDS: Final = 5.0
"""How long a look waits for a broker that has answered the look before."""
T = TypeVar("T")


async def answered_soon(ask: Callable[[float | None], Awaitable[T]]) -> T:
    """What any broker answers: where one takes longer than a look waits, another is asked.

    `ask`: asks once, within so many seconds (None: those of the client).
    """
    try:
        return await ask(LOOK_SECONDS)
    except (Unreachable, OutOfTime):
        return await ask(None)  # The client asks one that gave no answer last.


class _Question(NamedTuple):
    """What a broker was asked for, and the answer to come."""

    names: frozenset[TopicPartition]
    answer: asyncio.Future[LogDirs]


class BrokerLooks:
    """The looks of one run."""

    def __init__(
        self,
        admin: AdminClient,
        say: Callable[[str], None],
        receiving: Callable[[], Set[int]],
        seconds: float = LOOK_SECONDS,
    ) -> None:
        """`say`: hears of each broker that falls silent or answers again; `receiving`: the brokers
        that replicas go to. One that only gives replicas away need not answer."""
        self._admin, self._say, self._seconds = admin, say, seconds
        self._receiving = receiving
        self._open: dict[int, _Question] = {}
        self._late: frozenset[int] = frozenset()

    @property
    def silent(self) -> frozenset[int]:
        """The brokers that the run needs and that gave the last look no answer in time."""
        return self._late & self._receiving()

    async def ask(
        self, brokers: Collection[int], names: Sequence[TopicPartition]
    ) -> dict[int, LogDirs | Exception]:
        """The directories of brokers with these partitions, or why they are not known.

        A broker that was silent is asked again, and not waited for.
        """
        wanted = frozenset(names)
        for broker in brokers:
            if broker not in self._open:
                asked = self._admin.describe_log_dirs([broker], partitions=names)
                self._open[broker] = _Question(wanted, asked[broker])
        due = [self._open[b].answer for b in brokers if b not in self._late]
        if due:
            await asyncio.wait(due, timeout=self._seconds)
        told = {broker: self._told(broker, wanted) for broker in brokers}
        # One that refuses has answered.
        silent = {b: found for b, found in told.items() if isinstance(found, PeerFailed)}
        self._note(silent, frozenset(brokers))
        return told

    def _told(self, broker: int, wanted: frozenset[TopicPartition]) -> LogDirs | Exception:
        names, answer = self._open[broker]
        if not answer.done():
            return OutOfTime(f"nothing within {self._seconds:g} s")
        del self._open[broker]
        failure = answer.exception()
        if failure is not None:
            assert isinstance(failure, Exception)
            return failure
        if not wanted <= names:  # It was asked before these partitions moved.
            return OutOfTime("only to an older question")
        return answer.result()

    def _note(self, silent: Mapping[int, PeerFailed], asked: frozenset[int]) -> None:
        for broker in sorted((silent.keys() - self._late) & self._receiving()):
            self._say(
                f"warning: broker {broker} gives no answer ({silent[broker]}): its moves are not "
                "seen and none is started on it until it answers; other brokers go on"
            )
        for broker in sorted((self.silent - silent.keys()) & asked):
            self._say(f"broker {broker} answers again")
        self._late = frozenset(silent.keys() | (self._late - asked))
