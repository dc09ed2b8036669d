"""Large requests about many things, served a part at a time (S-08).

Each thing of such a request has its answer whatever the others are, so the handler is given some of
them, in a request of their own, and what it answers is put together again as if it had been asked
once. Where an answer does depend on the others (a name that comes twice), a `Survey` sees all parts
before the first is served. Used by the router alone; which requests are parted: `node.parted`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Final, Generic, NamedTuple, TypeAlias

from spindle.model.outbox import Outbox
from spindle.node.request_context import RequestContext, Survey, T
from spindle.wire import codec
from spindle.wire.codec import Message, Packed, Response, Whole, changed
from spindle.wire.framing import response_of_pieces

SIZE: Final = 500
"""Things in a part: some milliseconds."""
HEAVY: Final = 4 * SIZE
"""Things from which on a request is parted that is read at once: each takes a byte at least."""

Weigh: TypeAlias = Callable[[T, object], int]


class Names(NamedTuple, Generic[T]):
    """Where the things are: fields of the request, from the outermost array inwards, and of the
    answer. An array in two parts has its answers in one array again.
    """

    asked: tuple[str, ...]
    told: tuple[str, ...]
    weigh: Weigh[T] | None = None
    """How many things an element of the innermost array is worth, given the machine; None: one."""
    small: bool = False
    """Few bytes may ask for much: the weight counts, not the frame's size."""
    survey: Callable[[], Survey[T]] | None = None
    """Makes what looks at all parts first."""
    eager: bool = False
    """A part waits for others, so the next one does not wait for its answer."""
    due: bool = False
    """All of it is carried out, also where nothing is answered or the client has left meanwhile.
    Weighed however many bytes it has: they are records."""
    beside: str = ""
    """Another array of the answer: an element that several parts report appears once."""


Parted: TypeAlias = Mapping[int, tuple[Names[T], ...]]
"""By API key: the fields of some versions, then of others."""
NOTHING_PARTED: Final[Parted[object]] = MappingProxyType({})


def names_of(parted: Parted[T], key: int, request: Whole) -> Names[T] | None:
    """The things of a request that can be served in parts."""
    for names in parted.get(key, ()):
        if getattr(request, names.asked[0]):
            return names
    return None


def is_heavy(names: Names[T], target: T, request: Whole, size: int) -> bool:
    """Whether a request of `size` bytes that is read at once is too much to be served at once."""
    if names.small:
        most = SIZE
    elif size < HEAVY:
        return False
    else:
        most = HEAVY
    return _weighs(_weigher(names, target), request, names.asked, most) > most


Serve = Callable[[Whole, RequestContext[Response]], None]


class Parting(Generic[T]):
    """One request that is served in parts, one after the other."""

    def __init__(
        self,
        out: Outbox,
        request: Whole,
        context: RequestContext[Response],
        names: Names[T],
        target: T,
        serve: Serve,
        over: Callable[[], None] = lambda: None,
    ) -> None:
        """`serve` handles a request; its refusals are answers. `over`: the last part was served."""
        self._out = out
        self._context = context
        self._serve = serve
        self._over = over
        self._names = names
        self._asked = _Request(request, names, target)
        self._answer = _Answer(names, context.version)
        self._began = out.now
        self._served = 0
        self._expected = 0
        self._ready: dict[int, tuple[_Asked, Response | None]] = {}
        """Answers behind one that is still missing, by the number of their part."""

    def go_on(self) -> None:
        """Look at the next part, or serve it."""
        if not self._names.due and (self._context.gone() or self._context.answered):
            return
        if self._asked.look_ahead():
            self._out.in_turn(self.go_on)
            return
        part, number = self._asked.next(), self._served
        self._served += 1
        if self._names.eager and not part.last:
            self._out.in_turn(self.go_on)
        self._serve(
            part.request,
            _Part(
                self._context,
                lambda response: self._on_told(number, part, response),
                self._asked.survey,
                self._began,
            ),
        )
        if part.last:
            self._over()

    def _on_told(self, number: int, part: _Asked, response: Response | None) -> None:
        if self._context.answered:
            return
        if response is None and not self._names.due:
            self._context.answer_nothing()
            if not part.last:
                self._over()
            return
        self._ready[number] = (part, response)
        if number == self._expected:
            self._take()

    def _take(self) -> None:
        """Take the next answer; those behind it in their turns."""
        if self._context.answered:
            return
        part, response = self._ready.pop(self._expected)
        self._expected += 1
        if response is not None:
            self._answer.take(part, response)
        if part.last:
            whole = self._answer.whole()
            if whole is None:
                self._context.answer_nothing()
            else:
                self._context.answer_buffers(
                    response_of_pieces(self._context.header, self._context.told(whole))
                )
        elif self._expected in self._ready:
            self._out.in_turn(self._take)
        elif not self._names.eager:
            self._out.in_turn(self.go_on)


class _Part(RequestContext[Response]):
    """The context of a part: what it is answered goes to the whole."""

    __slots__ = ("_then",)

    def __init__(
        self,
        whole: RequestContext[Response],
        then: Callable[[Response | None], None],
        survey: object,
        began: float,
    ) -> None:
        super().__init__(
            whole.header, b"", whole.connection, whole.origin, whole.served,
            lambda buffers: None, whole.forwarded, whole.gone,
        )  # fmt: skip
        self._then = then
        self.survey = survey
        self.began = began
        self.charge = whole.charge

    def answer(self, response: Response) -> None:
        self._give([])
        self._then(self.merged(response))

    def answer_nothing(self) -> None:
        self._give([])
        self._then(None)


# --- putting the answers together ---------------------------------------------------------------


class _Answer(Generic[T]):
    """The answer to all parts, put together as if they had been asked at once."""

    def __init__(self, names: Names[T], version: int) -> None:
        self._names = names
        self._array = _Array(names.told[1:], version)
        self._head: Response | None = None
        """The answer that has the other fields."""
        self._beside: dict[Message, None] = {}

    def take(self, part: _Asked, response: Response) -> None:
        if self._head is None or not getattr(self._head, "error_code", 0):
            self._head = response
        if self._names.beside:
            self._beside.update(dict.fromkeys(getattr(response, self._names.beside)))
        self._array.take(getattr(response, self._names.told[0]), part.continues, part.goes_on)

    def whole(self) -> Response | None:
        if self._head is None:
            return None
        fields: dict[str, object] = {self._names.told[0]: self._array.whole}
        if self._names.beside:
            fields[self._names.beside] = tuple(self._beside)
        return changed(self._head, **fields)


class _Array:
    """An array of the answer; the element at its end may still be open."""

    def __init__(self, inner: tuple[str, ...], version: int) -> None:
        """`inner`: the fields that hold the arrays within its elements."""
        self._inner = inner
        self._version = version
        self._packed = Packed()
        self._open: Message | None = None
        self._within: _Array | None = None

    @property
    def whole(self) -> Packed:
        assert self._open is None
        return self._packed

    def take(self, told: Iterable[Message], continues: int, goes_on: int) -> None:
        """Take the answer to a part.

        `continues`: of how many arrays, from here inwards, the first element continues the last one
        of the part before; `goes_on`: of how many the last element goes on in the next part.
        """
        found = list(told)
        if not self._inner:
            pass  # What goes on in the request are separate elements here.
        elif continues and self._open is not None:
            if found:
                self._resume(found.pop(0), continues - 1, goes_on - 1 if goes_on else 0)
            if not goes_on:
                self._close()
        elif goes_on and found:
            self._open = found.pop()
            self._within = _Array(self._inner[1:], self._version)
            self._within.take(getattr(self._open, self._inner[0]), 0, goes_on - 1)
        self._add(found)

    def _resume(self, element: Message, continues: int, goes_on: int) -> None:
        assert self._within is not None
        assert self._open is not None
        self._within.take(getattr(element, self._inner[0]), continues, goes_on)
        error = getattr(element, "error_code", 0)
        if error and not getattr(self._open, "error_code", 0):
            self._open = changed(self._open, error_code=error)

    def _close(self) -> None:
        assert self._within is not None
        assert self._open is not None
        self._within.close()
        whole = changed(self._open, **{self._inner[0]: self._within.whole})
        self._open, self._within = None, None
        self._add([whole])

    def close(self) -> None:
        if self._open is not None:
            self._close()

    def _add(self, elements: list[Message]) -> None:
        self._packed.add(len(elements), codec.put_all(elements, self._version))


# --- taking a request apart ---------------------------------------------------------------------


class _Piece(NamedTuple):
    """Some elements of an array; where it is of one element, of a piece of that one perhaps."""

    elements: tuple[object, ...]
    continues: int = 0
    goes_on: int = 0


class _Asked(NamedTuple):
    request: Whole
    continues: int
    """So many arrays, from the outermost, begin with an element that the part before ends with."""
    goes_on: int
    """So many end with an element with which the next part begins."""
    last: bool


class _Request(Generic[T]):
    """A request taken apart, and the survey that sees all parts before the first is served."""

    def __init__(self, request: Whole, names: Names[T], target: T) -> None:
        weigh = _weigher(names, target)
        self._target = target
        self._parts = _parts(request, names.asked, weigh)
        self.survey = names.survey() if names.survey is not None else None
        self._unseen = _parts(request, names.asked, weigh) if self.survey is not None else None

    def look_ahead(self) -> bool:
        """Let the survey see one more part; False if there is none that it has not seen."""
        if self._unseen is None:
            return False
        seen = next(self._unseen)
        assert self.survey is not None
        self.survey.take(self._target, seen.request)
        if seen.last:
            self._unseen = None
        return True

    def next(self) -> _Asked:
        return next(self._parts)


def _weigher(names: Names[T], target: T) -> Callable[[object], int]:
    weigh = names.weigh
    return (lambda element: 1) if weigh is None else (lambda element: weigh(target, element))


def _parts(
    request: Whole, path: tuple[str, ...], weigh: Callable[[object], int]
) -> Iterator[_Asked]:
    for piece, last in _with_last(_pieces(getattr(request, path[0]), path[1:], weigh)):
        asked = changed(request, **{path[0]: piece.elements})
        yield _Asked(asked, piece.continues, piece.goes_on, last)


def _pieces(
    elements: Iterable[object], inner: tuple[str, ...], weigh: Callable[[object], int]
) -> Iterator[_Piece]:
    """An array in pieces of SIZE things at most, as far as its elements can be parted."""
    some: list[object] = []
    room = SIZE
    for element in elements:
        size = _weighs(weigh, element, inner, SIZE)
        if some and size > room:
            yield _Piece(tuple(some))
            some, room = [], SIZE
        if size <= SIZE or not inner:
            some.append(element)
            room -= size
            continue
        assert isinstance(element, Message)
        first = True
        for piece, last in _with_last(_pieces(getattr(element, inner[0]), inner[1:], weigh)):
            yield _Piece(
                (changed(element, **{inner[0]: piece.elements}),),
                0 if first else piece.continues + 1,
                0 if last else piece.goes_on + 1,
            )
            first = False
    if some:
        yield _Piece(tuple(some))


def _weighs(
    weigh: Callable[[object], int], element: object, inner: tuple[str, ...], most: int
) -> int:
    """Things in an element and its arrays, itself included; more than `most` need no counting."""
    if not inner:
        return weigh(element)
    total = 1
    for within in getattr(element, inner[0]) or ():
        total += _weighs(weigh, within, inner[1:], most)
        if total > most:
            break
    return total


def _with_last(pieces: Iterator[_Piece]) -> Iterator[tuple[_Piece, bool]]:
    before = next(pieces)
    for piece in pieces:
        yield before, False
        before = piece
    yield before, True
