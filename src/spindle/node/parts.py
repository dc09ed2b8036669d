"""Large requests about many things, served a part at a time (S-08).

Each thing of such a request has its answer whatever the others are, so the handler is given some of
them, in a request of their own, and what it answers is put together again as if it had been asked
once. Only for requests that were too large to be read at once; used by the router alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Any, Final, NamedTuple

from spindle.model.outbox import Outbox
from spindle.node.calls import Call
from spindle.wire.apis import Key
from spindle.wire.entities import in_pieces
from spindle.wire.framing import with_header
from spindle.wire.writers import Packed, put_all

SIZE: Final = 500
"""Things in a part: some milliseconds."""


class Names(NamedTuple):
    """The fields that hold the things: of the request, of its elements, and those of the answer."""

    asked: str
    asked_inner: str | None
    told: str
    told_inner: str | None


_PARTITIONS: Final = Names("topics", "partitions", "topics", "partitions")
PARTED: Final = {
    Key.LIST_OFFSETS: _PARTITIONS,
    Key.OFFSET_FOR_LEADER_EPOCH: _PARTITIONS,
    Key.DELETE_RECORDS: _PARTITIONS,
    Key.OFFSET_COMMIT: _PARTITIONS,
    Key.TXN_OFFSET_COMMIT: _PARTITIONS,
    Key.DESCRIBE_PRODUCERS: Names("topics", "partition_indexes", "topics", "partitions"),
    Key.DESCRIBE_TRANSACTIONS: Names("transactional_ids", None, "transaction_states", None),
    Key.FIND_COORDINATOR: Names("coordinator_keys", None, "coordinators", None),
    Key.DESCRIBE_GROUPS: Names("groups", None, "groups", None),
}
"""The APIs whose requests may be parted, in the versions that have these fields."""


def may_be_parted(call: Call) -> bool:
    """Whether a large request can be served in parts."""
    names = PARTED.get(Key(call.key))
    return names is not None and getattr(call.body, names.asked, None) is not None


Serve = Callable[[Call], None]


class Parting:
    """One request that is served in parts, one after the other."""

    def __init__(
        self, out: Outbox, call: Call, serve: Serve, over: Callable[[], None] = lambda: None
    ) -> None:
        """`serve` handles a call; its refusals are answers. `over`: the last part was served."""
        self._out = out
        self._call = call
        self._serve = serve
        self._over = over
        self._names = PARTED[Key(call.key)]
        self._parts = _parts(call.body, self._names)
        self._told = Packed()
        self._open: Any = None
        """The answer's element whose things are in two parts or more."""
        self._inner = Packed()

    def go_on(self) -> None:
        """Serve the next part, or answer."""
        if self._call.gone():
            return
        part = next(self._parts)
        self._serve(_Part(self._call, part.body, lambda entity: self._on_told(part, entity)))
        if part.last:
            self._over()

    def _on_told(self, part: _Asked, entity: Any) -> None:
        told = list(getattr(entity, self._names.told))
        inner = self._names.told_inner or ""
        if part.continues:
            first = getattr(told.pop(0), inner)
            self._inner.add(len(first), put_all(first))
        if self._open is not None and (told or not part.goes_on):
            whole = replace(self._open, **{inner: self._inner})
            self._told.add(1, put_all([whole]))
            self._open, self._inner = None, Packed()
        if part.goes_on and told:
            self._open = told.pop()
            first = getattr(self._open, inner)
            self._inner.add(len(first), put_all(first))
        self._told.add(len(told), put_all(told))
        if not part.last:
            self._out.in_turn(self.go_on)
            return
        answer = replace(entity, **{self._names.told: self._told})
        self._call.answer_buffers(with_header(self._call.header, answer, in_pieces(answer)))


class _Part(Call):
    """A part of a call: what it is answered goes to the whole."""

    __slots__ = ("_then",)

    def __init__(self, whole: Call, body: Any, then: Callable[[Any], None]) -> None:
        super().__init__(
            whole.header, body, b"", whole.connection, whole.listener, whole.host, whole.served,
            lambda buffers: None, whole.forwarded, whole.gone,
        )  # fmt: skip
        self._then = then

    def answer(self, entity: Any) -> None:
        """A part is answered."""
        self.answer_nothing()
        self._then(entity)


class _Asked(NamedTuple):
    body: Any
    continues: bool
    """Its first element is the last one of the part before."""
    goes_on: bool
    """Its last element is the first one of the next part, too."""
    last: bool


def _parts(body: Any, names: Names) -> Iterator[_Asked]:
    some: list[Any] = []
    room, continues = SIZE, False
    for element in getattr(body, names.asked):
        if names.asked_inner is None:
            pieces: Iterator[tuple[Any, bool]] = iter([(element, False)])
            size = 1
        else:
            pieces = _pieces(element, names.asked_inner)
            size = 1 + len(getattr(element, names.asked_inner))
        if some and size > room:
            yield _Asked(replace(body, **{names.asked: tuple(some)}), continues, False, False)
            some, room, continues = [], SIZE, False
        for piece, more in pieces:
            some.append(piece)
            if more:
                yield _Asked(replace(body, **{names.asked: tuple(some)}), continues, True, False)
                some, room, continues = [], SIZE, True
        room -= min(size, SIZE)
    yield _Asked(replace(body, **{names.asked: tuple(some)}), continues, False, True)


def _pieces(element: Any, inner: str) -> Iterator[tuple[Any, bool]]:
    """An element with a piece of its things each, and whether more of them follow."""
    things = getattr(element, inner)
    if len(things) <= SIZE:
        yield element, False
        return
    left, rest = iter(things), len(things)
    while rest > 0:
        rest -= SIZE
        yield replace(element, **{inner: tuple(islice(left, SIZE))}), rest > 0
