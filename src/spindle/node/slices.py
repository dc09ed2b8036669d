"""Large answers: made a slice at a time, and large parts turned into bytes beside the loop (S-08).

A description of ten thousand partitions takes longer than others may wait. What it is made of may
change between two slices: each topic is described as it is at its turn. However many ask, one
slice is made in a turn of the loop, and requests for the same thing before the answer is begun
share it. What a slice has found is turned into bytes at once: a million objects would take hundreds
of megabytes, and a tenth of a second to let go of. Used by handlers that describe many things.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from functools import partial
from typing import Final, Generic, Never, TypeAlias, TypeVar

from spindle.model.batches import Buffer
from spindle.model.computing import Compute
from spindle.model.errors import Failure
from spindle.model.ids import LogDir
from spindle.model.outbox import Outbox
from spindle.node.kept_parts import EncodedPart, KeptParts, put_parts
from spindle.node.request_context import LATER, Later, Q, R, RequestContext
from spindle.wire.apis import Key
from spindle.wire.codec import Message, Packed, Response, in_pieces
from spindle.wire.framing import response_around

P = TypeVar("P", bound=Message)
"""A part of an answer: an element of its outermost array."""


class Pause(Enum):
    """What a maker of parts gives while it is at one part."""

    ONE = 1
    REST = 2


ONE: Final = Pause.ONE
"""After a single thing of one part."""
REST: Final = Pause.REST
"""After each `REST_AFTER` things of one part."""
REST_AFTER: Final = 100
SLICE: Final = 500
"""Things (partitions, settings) made before others have their turn: some milliseconds."""
LARGE: Final = 2 * SLICE
"""Parts of so many things are turned into bytes beside the loop."""
ANSWER_MAX: Final = 256 << 20
"""Bytes of an answer from which on its client is hung up on: it asked for far too much."""
KEPT_MAX: Final = 8 << 20
"""Bytes of answers that are kept."""
SENT: Final = 50
"""Clients that get an answer which they share, before others have their turn."""
SENT_BYTES: Final = 256 << 10
"""And no more bytes than that: the kernel copies them."""
BULKY: Final = 16 << 10
"""Bytes of an answer from which on it is long work to send, even where none was to make: after it
others have their turn. Else clients that ask again and again get all of the node's time."""

_Question: TypeAlias = tuple[int, int, str, Message, tuple[str, str] | None, int]


class Slices:
    """Makes the large answers of a node.

    `directory`: one beside which something may be computed.
    """

    def __init__(self, out: Outbox, directory: LogDir) -> None:
        self.out = out
        self.directory = directory
        self.waiting: dict[_Question, list[RequestContext[Never]]] = {}
        """The contexts of answers that are not begun yet."""
        self.parts = KeptParts()
        self._kept = KeptAnswers()
        self._again: dict[_Question, list[RequestContext[Never]]] = {}
        """The contexts that wait for their turn to get an answer that is kept."""

    def answer(
        self,
        request: Q,
        context: RequestContext[R],
        parts: Iterator[P | EncodedPart | Pause],
        respond: Callable[[Sequence[P]], R],
        as_of: object = None,
    ) -> Later:
        """Answer with `respond(parts)`, the parts as an array: at once where there are few and no
        other answer is being made. `parts` must not raise Refusals.

        Each part counts as one thing, as does each ONE in between, and each REST as `REST_AFTER`.
        `as_of`: the revision of the metadata, where the answer depends on that alone. It is kept
        then, and `give_again` gives it, until the metadata has changed.
        """
        question = _question(request, context)
        if context.admission.merge is not None:
            as_of = None
        if (same := self.waiting.get(question)) is not None:
            same.append(context)
            return LATER
        keep = None if as_of is None else partial(self._kept.put, as_of, question)
        answer = _Answer(self, question, context, parts, respond, keep)
        self.waiting[question] = answer.contexts
        self.out.in_turn(answer.begin, at_once=True)
        return LATER

    def give_again(self, request: Q, context: RequestContext[R], as_of: object) -> bool:
        """Answer with what `answer` has kept for the same question, if there is such an answer and
        the metadata is as it was at the revision `as_of`."""
        if context.admission.merge is not None:
            return False
        question = _question(request, context)
        found = self._kept.find(as_of, question)
        if found is None:
            return False
        if _size(found[1]) < BULKY:
            context.answer_buffers(response_around(context.header, *found))
        elif (same := self._again.get(question)) is not None:
            same.append(context)
        else:
            self._again[question] = [context]
            self.out.in_turn(partial(self._give, question, *found), at_once=True)
        return True

    def _give(self, question: _Question, response: Response, body: list[Buffer]) -> None:
        self.send(self._again.pop(question), response, body)

    def send(
        self, contexts: list[RequestContext[Never]], response: Response, body: list[Buffer]
    ) -> None:
        """Send an answer to all clients that share it, a part of them in each turn."""
        size = _size(body)
        now = max(1, min(SENT, SENT_BYTES // max(1, size)))
        for context in contexts[:now]:
            context.answer_buffers(response_around(context.header, response, body))
        del contexts[:now]
        if contexts:
            self.out.in_turn(partial(self.send, contexts, response, body))
        elif size >= BULKY:
            self.out.in_turn(_pause)


def _pause() -> None:
    """A turn in which nothing is done: what comes next waits as long as after long work."""


def _size(body: list[Buffer]) -> int:
    return sum(map(len, body))


def _question(request: Message, context: RequestContext[R]) -> _Question:
    """All that an answer may depend on besides the cluster: not on the client, but for what it may
    see. Where something was refused, the answer has what this request asked for."""
    own = 0 if context.admission.merge is None else id(context)
    header, view = context.header, context.permits.view
    return (header.api_key, header.version, context.origin.listener, request, view, own)


class KeptAnswers:
    """Answers that hold until the metadata changes, as bytes."""

    __slots__ = ("_answers", "_as_of", "_size")

    def __init__(self) -> None:
        self._as_of: object = None
        self._answers: dict[_Question, tuple[Response, list[Buffer]]] = {}
        self._size = 0

    def find(self, as_of: object, question: _Question) -> tuple[Response, list[Buffer]] | None:
        """An answer, if it is there and the metadata is as it was."""
        if as_of is not self._as_of:
            self._as_of, self._size = as_of, 0
            self._answers.clear()
            return None
        return self._answers.get(question)

    def put(
        self, as_of: object, question: _Question, response: Response, body: list[Buffer]
    ) -> None:
        """Keep an answer that was begun when the metadata was so, if that was asked for last.

        If it has changed since then, what was made in part before cannot be asked for any more.
        """
        if as_of is not self._as_of:
            return
        self._size += _size(body)
        if self._size > KEPT_MAX:
            self._size = 0
            self._answers.clear()
        else:
            self._answers[question] = (response, body)


class _Answer(Generic[P, R]):
    """One answer in the making.

    An object and no closures: functions that call one another are a cycle, which keeps all that the
    answer was made of until the collector comes. It then held the loop for a quarter of a second.
    """

    __slots__ = (
        "_first",
        "_found",
        "_keep",
        "_packed",
        "_parts",
        "_question",
        "_respond",
        "_slices",
        "_told",
        "_total",
        "_version",
        "contexts",
    )

    def __init__(
        self,
        slices: Slices,
        question: _Question,
        context: RequestContext[R],
        parts: Iterator[P | EncodedPart | Pause],
        respond: Callable[[Sequence[P]], R],
        keep: Callable[[Response, list[Buffer]], None] | None,
    ) -> None:
        self._slices = slices
        self._keep = keep
        self._question = question
        self._parts = parts
        self._respond = respond
        self._found: list[P | EncodedPart] = []
        self._packed = Packed()
        self._version = context.version
        self._total = 0
        self._told = 0  # of these: what is bytes already
        self._first = context
        self.contexts: list[RequestContext[Never]] = [context]

    def begin(self) -> None:
        """Make the first slice. A client that asks from now on gets a newer state."""
        del self._slices.waiting[self._question]
        self._go_on()

    def _go_on(self) -> None:
        if all(context.gone() for context in self.contexts):
            return
        most = self._total + SLICE
        for part in map(self._seen, self._parts):
            if part is REST:
                self._total += REST_AFTER
            else:
                self._total += 1
                if isinstance(part, EncodedPart):
                    self._told = self._total
                if part is not ONE:
                    self._found.append(part)
            if self._total >= most:
                if self._found:
                    self._pack(self._rest)
                else:
                    self._rest()
                return
        plain = [part for part in self._found if not isinstance(part, EncodedPart)]
        is_small = self._total < SLICE and len(plain) == len(self._found)
        if is_small and len(self.contexts) == 1 and self._keep is None:
            self._first.answer(self._respond(tuple(plain)))
        else:
            self._pack(self._finish)

    def _seen(self, part: P | EncodedPart | Pause) -> P | EncodedPart | Pause:
        """A part as the client may see it."""
        see = self._first.admission.part
        if isinstance(part, Pause) or see is None:
            return part
        if isinstance(part, EncodedPart):
            seen = see(part.head)
            assert seen is None or seen is part.head, "what is bytes already is seen, or is not"
            return ONE if seen is None else part
        seen = see(part)
        if seen is None:
            return ONE
        assert isinstance(seen, type(part))
        return seen

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
            self._packed.add(len(found), put_parts(found, self._version))
            then()
        else:
            job = Compute(self._slices.directory, partial(put_parts, found, self._version))
            self._slices.out.run(job, partial(self._on_packed, found, then))

    def _on_packed(
        self, found: list[P | EncodedPart], then: Callable[[], None], result: bytes | Failure
    ) -> None:
        if isinstance(result, Failure):  # Its directory has failed: no answer depends on that.
            result = put_parts(found, self._version)
        self._packed.add(len(found), result)
        then()

    def _give_up(self) -> None:
        out = self._slices.out
        for context in self.contexts:
            api = f"{Key(context.key).name} v{context.version}"
            why = f"the answer takes more than {ANSWER_MAX} bytes; ask for less at a time"
            out.say("warning", "connection closed", host=context.host, api=api, reason=why)
            out.close_connection(context.connection)

    def _finish(self) -> None:
        response = self._first.merged(self._respond(self._packed))
        body = in_pieces(response, self._version)
        if self._keep is not None:
            self._keep(response, body)
        self._slices.send(self.contexts, response, body)
