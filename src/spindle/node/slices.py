"""Large answers: made a slice at a time, and turned into bytes beside the event loop (S-08).

A description of ten thousand partitions takes longer than others may wait. What it is made of may
change between two slices: each topic is told as it is when its turn comes. However many ask, one
slice is made in a turn of the loop. Used by handlers that describe many things at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
    found: list[Any] = []
    total = 0

    def go_on() -> None:
        nonlocal total
        most = total + SLICE
        for part in parts:
            if part is REST:
                total += REST_AFTER
            elif part is ONE:
                total += 1
            else:
                total += 1
                found.append(part)
            if total >= most:
                host.out.in_turn(go_on)
                return
        finish()

    def finish() -> None:
        entity = respond(tuple(found))
        if total < LARGE:
            call.answer(entity)
            return

        def encoded(result: Any) -> None:
            if isinstance(result, Failure):  # Its directory has failed: that is none of the call's.
                call.answer(entity)
            else:
                call.answer_buffers(result)

        job = Compute(host.any_directory, lambda: encode_response(call.header, entity))
        host.out.run(job, encoded)

    host.out.in_turn(go_on, at_once=True)
