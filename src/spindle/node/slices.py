"""Large answers: made a slice at a time, and large parts turned into bytes beside the loop (S-08).

A description of ten thousand partitions takes longer than others may wait. What it is made of may
change between two slices: each topic is told as it is when its turn comes. However many ask, one
slice is made in a turn of the loop, and those who ask the same thing before the answer is begun
share it. What a slice has found is turned into bytes at once: a million objects would take hundreds
of megabytes, and a tenth of a second to let go of. Used by handlers that describe many things.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

from spindle.model.batches import Buffer
from spindle.model.computing import Compute
from spindle.model.errors import Failure
from spindle.model.ids import LogDir
from spindle.model.outbox import Outbox
from spindle.node.calls import Call
from spindle.wire.apis import Key
from spindle.wire.entities import in_pieces
from spindle.wire.framing import with_header
from spindle.wire.writers import Packed, put_all

REST: Final = object()
"""What a maker of parts gives after each `REST_AFTER` things of one part."""
ONE: Final = object()
"""What a maker of parts gives after a single thing of one part."""
REST_AFTER: Final = 100
SLICE: Final = 500
"""Things (partitions, settings) made before others have their turn: some milliseconds."""
LARGE: Final = 2 * SLICE
"""Parts of so many things are turned into bytes beside the loop."""
ANSWER_MAX: Final = 256 << 20
"""Bytes of an answer from which on its client is hung up on: it asked for far too much."""
SENT: Final = 50
"""Clients that get an answer which they share, before others have their turn."""

Respond = Callable[[Any], Any]
_Question = tuple[int, int, str, Any]


class Slices:
    """Makes the large answers of a node.

    `directory`: one beside which something may be computed.
    """

    def __init__(self, out: Outbox, directory: LogDir) -> None:
        self.out = out
        self.directory = directory
        self.waiting: dict[_Question, _Answer] = {}
        """Answers that are not begun yet."""

    def answer(self, call: Call, parts: Iterator[Any], respond: Respond) -> None:
        """Answer with `respond(parts)`, the parts as an array: at once where there are few and no
        other answer is being made. `parts` must not raise Refusals.

        Each part counts as one thing, as does each ONE in between, and each REST as `REST_AFTER`.
        """
        # The answer may depend on these and the cluster only: not on who asks.
        question = (call.key, call.version, call.listener, call.body)
        if (same := self.waiting.get(question)) is not None:
            same.calls.append(call)
            return
        self.waiting[question] = answer = _Answer(self, question, call, parts, respond)
        self.out.in_turn(answer.begin, at_once=True)


class _Answer:
    """One answer in the making.

    An object and no closures: functions that call one another are a cycle, which keeps all that the
    answer was made of until the collector comes. It then held the loop for a quarter of a second.
    """

    __slots__ = (
        "_found",
        "_packed",
        "_parts",
        "_question",
        "_respond",
        "_slices",
        "_told",
        "_total",
        "calls",
    )

    def __init__(
        self,
        slices: Slices,
        question: _Question,
        call: Call,
        parts: Iterator[Any],
        respond: Respond,
    ) -> None:
        self._slices = slices
        self._question = question
        self._parts = parts
        self._respond = respond
        self._found: list[Any] = []
        self._packed = Packed()
        self._total = 0
        self._told = 0  # of these: what is bytes already
        self.calls = [call]

    def begin(self) -> None:
        """Make the first slice. Whoever asks from now on is told what is true from now on."""
        del self._slices.waiting[self._question]
        self._go_on()

    def _go_on(self) -> None:
        if all(call.gone() for call in self.calls):
            return
        most = self._total + SLICE
        for part in self._parts:
            if part is REST:
                self._total += REST_AFTER
            else:
                self._total += 1
                if part is not ONE:
                    self._found.append(part)
            if self._total >= most:
                if self._found:
                    self._pack(self._rest)
                else:
                    self._rest()
                return
        if self._total < SLICE and len(self.calls) == 1:
            self.calls[0].answer(self._respond(tuple(self._found)))
        else:
            self._pack(self._finish)

    def _rest(self) -> None:
        if self._packed.size > ANSWER_MAX:
            self._give_up()
        else:
            self._slices.out.in_turn(self._go_on)

    def _pack(self, then: Callable[[], None]) -> None:
        """Turn what was found into bytes: beside the loop, if it is much."""
        found, self._found = self._found, []
        things, self._told = self._total - self._told, self._total
        if things < LARGE:
            self._packed.add(len(found), put_all(found))
            then()
        else:
            job = Compute(self._slices.directory, partial(put_all, found))
            self._slices.out.run(job, partial(self._on_packed, found, then))

    def _on_packed(
        self, found: list[Any], then: Callable[[], None], result: bytes | Failure
    ) -> None:
        if isinstance(result, Failure):  # Its directory has failed: that is none of the call's.
            result = put_all(found)
        self._packed.add(len(found), result)
        then()

    def _give_up(self) -> None:
        out = self._slices.out
        for call in self.calls:
            api = f"{Key(call.key).name} v{call.version}"
            why = f"the answer takes more than {ANSWER_MAX} bytes; ask for less at a time"
            out.say("warning", "connection closed", host=call.host, api=api, reason=why)
            out.hang_up(call.connection)

    def _finish(self) -> None:
        entity = self._respond(self._packed)
        self._send(entity, in_pieces(entity))

    def _send(self, entity: Any, body: list[Buffer]) -> None:
        for call in self.calls[:SENT]:
            call.answer_buffers(with_header(call.header, entity, body))
        del self.calls[:SENT]
        if self.calls:
            self._slices.out.in_turn(partial(self._send, entity, body))
