"""Large answers: made a slice at a time, and turned into bytes beside the event loop (S-08).

A description of ten thousand partitions takes longer than others may wait. What it is made of may
change between two slices: each topic is told as it is when its turn comes. However many ask, one
slice is made in a turn of the loop, and those who ask the same thing before the answer is begun
share it. Used by handlers that describe many things at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

from spindle.model.computing import Compute
from spindle.model.errors import Failure
from spindle.model.ids import LogDir
from spindle.model.outbox import Outbox
from spindle.node.calls import Call
from spindle.wire.framing import encode_body, with_header

REST: Final = object()
"""What a maker of parts gives after each `REST_AFTER` things of one part."""
ONE: Final = object()
"""What a maker of parts gives after a single thing of one part."""
REST_AFTER: Final = 100
SLICE: Final = 500
"""Things (partitions, settings) made before others have their turn: some milliseconds."""
LARGE: Final = 1_000
"""From so many things on the bytes are made beside the loop."""
SENT: Final = 50
"""Clients that get an answer which they share, before others have their turn."""

Respond = Callable[[tuple[Any, ...]], Any]
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
        """Answer with `respond(parts)`: at once where there are few and no other answer is being
        made. `parts` must not raise Refusals.

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

    __slots__ = ("_found", "_parts", "_question", "_respond", "_slices", "_total", "calls")

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
        self._total = 0
        self.calls = [call]

    def begin(self) -> None:
        """Make the first slice. Whoever asks from now on is told what is true from now on."""
        del self._slices.waiting[self._question]
        self._go_on()

    def _go_on(self) -> None:
        most = self._total + SLICE
        for part in self._parts:
            if part is REST:
                self._total += REST_AFTER
            else:
                self._total += 1
                if part is not ONE:
                    self._found.append(part)
            if self._total >= most:
                self._slices.out.in_turn(self._go_on)
                return
        self._finish()

    def _finish(self) -> None:
        entity = self._respond(tuple(self._found))
        if self._total >= LARGE:
            job = Compute(self._slices.directory, partial(encode_body, entity))
            self._slices.out.run(job, partial(self._on_encoded, entity))
        elif len(self.calls) == 1:
            self.calls[0].answer(entity)
        else:
            self._send(entity, encode_body(entity))

    def _on_encoded(self, entity: Any, result: bytes | Failure) -> None:
        if isinstance(result, Failure):  # Its directory has failed: that is none of the call's.
            result = encode_body(entity)
        self._send(entity, result)

    def _send(self, entity: Any, body: bytes) -> None:
        for call in self.calls[:SENT]:
            call.answer_buffers(with_header(call.header, entity, body))
        del self.calls[:SENT]
        if self.calls:
            self._slices.out.in_turn(partial(self._send, entity, body))
