"""Large answers: made a slice at a time, and turned into bytes beside the event loop (S-08).

A description of ten thousand partitions takes longer than others may wait. What it is made of may
change between two slices: each topic is told as it is when its turn comes. However many ask, one
slice is made in a turn of the loop. Used by handlers that describe many things at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final, Protocol

from spindle.model.computing import Compute
from spindle.model.errors import Failure
from spindle.model.ids import LogDir
from spindle.model.outbox import Outbox
from spindle.node.calls import Call
from spindle.wire.framing import encode_response

REST: Final = object()
"""What a maker of parts gives after each `REST_AFTER` things of one part."""
ONE: Final = object()
"""What a maker of parts gives after a single thing of one part."""
REST_AFTER: Final = 100
SLICE: Final = 500
"""Things (partitions, settings) made before others have their turn: some milliseconds."""
LARGE: Final = 1_000
"""From so many things on the bytes are made beside the loop."""


class Host(Protocol):
    """Whose handler it is: asked for more only where an answer is large."""

    @property
    def out(self) -> Outbox:
        """What we wish of the world."""

    @property
    def any_directory(self) -> LogDir:
        """A directory beside which something may be computed."""


def answer_in_slices(
    host: Host, call: Call, parts: Iterator[Any], respond: Callable[[tuple[Any, ...]], Any]
) -> None:
    """Answer with `respond(parts)`: at once where there are few and no other answer is being made.
    `parts` must not raise Refusals.

    Each part counts as one thing, as does each ONE in between, and each REST as `REST_AFTER`.
    """
    _Answer(host, call, parts, respond).begin()


class _Answer:
    """One answer in the making.

    An object and no closures: functions that call one another are a cycle, which keeps all that the
    answer was made of until the collector comes. It then held the loop for a quarter of a second.
    """

    __slots__ = ("_call", "_found", "_host", "_parts", "_respond", "_total")

    def __init__(
        self,
        host: Host,
        call: Call,
        parts: Iterator[Any],
        respond: Callable[[tuple[Any, ...]], Any],
    ) -> None:
        self._host = host
        self._call = call
        self._parts = parts
        self._respond = respond
        self._found: list[Any] = []
        self._total = 0

    def begin(self) -> None:
        self._host.out.in_turn(self._go_on, at_once=True)

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
                self._host.out.in_turn(self._go_on)
                return
        self._finish()

    def _finish(self) -> None:
        entity = self._respond(tuple(self._found))
        if self._total < LARGE:
            self._call.answer(entity)
            return
        job = Compute(self._host.any_directory, partial(encode_response, self._call.header, entity))
        self._host.out.run(job, partial(self._on_encoded, entity))

    def _on_encoded(self, entity: Any, result: Any) -> None:
        if isinstance(result, Failure):  # Its directory has failed: that is none of the call's.
            self._call.answer(entity)
        else:
            self._call.answer_buffers(result)
