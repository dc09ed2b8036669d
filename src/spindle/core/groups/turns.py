"""One thing after the other: what happens to a group while batches of it are written.

What happens becomes records; they are appended as one batch, count once that is committed, and are
answered only then. While a batch is under way the next ones wait: nothing is decided on what may
not come to be. The base of groups of KIP-848 and of share groups; knows no records.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from spindle.core.groups.group_values import CoordinatorRecord
from spindle.model.errors import Error, Refusal
from spindle.model.outbox import Outbox, Timer

AppendSurely: TypeAlias = Callable[[list[CoordinatorRecord], Callable[[int | Error], None]], None]
"""Append one batch; the continuation gets what has become of it, however long that takes."""

PATIENCE: Final = 5.0
"""Seconds after which a client that waits for a batch gets COORDINATOR_NOT_AVAILABLE."""


@dataclass(slots=True, eq=False)
class GroupTurn:
    """What is to happen to the group. `refuse`: its client hears this instead; None: no more."""

    act: Callable[[GroupTurn], None]
    refuse: Callable[[Refusal], None] | None
    timer: Timer | None = None

    def fail(self, refusal: Refusal) -> None:
        """Its client hears an error, if it has not heard anything yet."""
        then = self.take()
        if then is not None:
            then(refusal)

    def take(self) -> Callable[[Refusal], None] | None:
        """The client's place, which is empty from now on; None where it was."""
        then, self.refuse = self.refuse, None
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None
        return then


class TurnTaking:
    """A group to which one thing happens at a time."""

    def __init__(self, out: Outbox, append: AppendSurely) -> None:
        self._out = out
        self._append = append
        self._turns: deque[GroupTurn] = deque()
        self._current: GroupTurn | None = None
        self._closed: Error | None = None

    @property
    def is_writing(self) -> bool:
        """A batch is under way, so what the group is may be about to change."""
        return self._current is not None

    @property
    def is_idle(self) -> bool:
        """Nothing is under way."""
        return self._current is None and not self._turns

    def _stop(self, error: Error) -> None:
        """The group is led elsewhere: answer all that wait, and stop."""
        self._closed = error
        current, turns = self._current, tuple(self._turns)
        self._current = None
        self._turns.clear()
        for turn in (current, *turns):
            if turn is not None:
                turn.fail(Refusal(error, "the group is coordinated elsewhere"))

    def when_settled(
        self, act: Callable[[], None], refuse: Callable[[Refusal], None] | None
    ) -> None:
        """Do something once no batch is under way, so that the group is what `metadata` says."""

        def now(turn: GroupTurn) -> None:
            then = turn.take()
            try:
                act()
            except Refusal as refusal:
                if then is None:
                    raise
                then(refusal)

        self._enqueue(GroupTurn(now, refuse))

    def _write(
        self,
        records: list[CoordinatorRecord],
        turn: GroupTurn,
        then: Callable[[int], None],
        undo: Callable[[], None] = lambda: None,
    ) -> None:
        """Append a batch in this turn; the next turn waits for it. `then`: it is committed, from
        this offset on."""
        assert self._current is None
        self._current = turn
        if turn.refuse is not None and turn.timer is None:
            turn.timer = self._out.after(PATIENCE, lambda: self._on_late(turn))

        def done(result: int | Error) -> None:
            if self._closed is not None:
                return
            self._current = None
            if isinstance(result, Error):
                undo()
                turn.fail(Refusal(result, ""))
            else:
                then(result)
            self._go_on()

        self._append(records, done)

    def _enqueue(self, turn: GroupTurn) -> None:
        if self._closed is not None:
            turn.fail(Refusal(self._closed, "the group is coordinated elsewhere"))
            return
        self._turns.append(turn)
        if self._current is not None and turn.refuse is not None:
            turn.timer = self._out.after(PATIENCE, lambda: self._on_late(turn))
        self._go_on()

    def _on_late(self, turn: GroupTurn) -> None:
        turn.timer = None
        if turn in self._turns:
            self._turns.remove(turn)
        turn.fail(Refusal(Error.COORDINATOR_NOT_AVAILABLE, "the log does not take records now"))

    def _go_on(self) -> None:
        while self._turns and self._current is None and self._closed is None:
            turn = self._turns.popleft()
            turn.act(turn)
