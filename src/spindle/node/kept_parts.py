"""Parts of answers that are bytes already, and those of them that are kept (S-08).

A topic is described the same in all answers of an API, a version and a listener, until one of its
partitions or a broker changes. So it is encoded once, and an answer about thousands of topics is
their bytes in a row: after a change of one topic one is encoded again. Whatever else a description
tells, such as what a client may do, is in the name by which it is kept. Knows no metadata and no
API. Used by the handlers that describe many things, and by `slices`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from itertools import groupby
from operator import is_
from typing import Final, NamedTuple, TypeAlias

from spindle.wire.codec import Message, put_all

PARTS_MAX: Final = 16 << 20
"""Bytes of parts that are kept."""
_EACH, _MADE_OF = 500, 8
"""Bytes that a part takes besides its own, and for each thing that it is made of."""


class EncodedPart(NamedTuple):
    """A part of an answer: an element of its outermost array, as bytes."""

    head: Message
    """The part for a check of what a client may see: what it consists of may be missing."""
    raw: bytes


_Kept: TypeAlias = tuple[Sequence[object], EncodedPart]


class PartsOfKind:
    """The parts of one API, version and listener."""

    __slots__ = ("_kept", "_owner", "basis", "size")

    def __init__(self, owner: KeptParts, basis: object) -> None:
        self._owner = owner
        self._kept: dict[Hashable, _Kept] = {}
        self.basis = basis
        self.size = 0

    def find(self, name: Hashable, made_of: Sequence[object]) -> EncodedPart | None:
        """What is kept by this name, if it was made of these very objects, which do not change."""
        found = self._kept.get(name)
        if found is None:
            return None
        before, part = found
        return part if len(before) == len(made_of) and all(map(is_, before, made_of)) else None

    def put(self, name: Hashable, made_of: Sequence[object], part: EncodedPart) -> None:
        """Keep a part in the place of what was kept by its name."""
        if (before := self._kept.get(name)) is not None:
            self.size -= _size(before)
        self._kept[name] = made_of, part
        self.size += _size((made_of, part))
        self._owner.make_room()

    def forget(self) -> None:
        """Keep nothing."""
        self._kept.clear()
        self.size = 0


class KeptParts:
    """Parts by kind."""

    __slots__ = ("_kinds",)

    def __init__(self) -> None:
        self._kinds: dict[Hashable, PartsOfKind] = {}
        """Those that were asked for last are the last."""

    def of(self, kind: Hashable, basis: object) -> PartsOfKind:
        """The parts of a kind. `basis`: what all of them rest on; none is kept that rests on
        anything else."""
        found = self._kinds.pop(kind, None)
        if found is None or found.basis != basis:
            found = PartsOfKind(self, basis)
        self._kinds[kind] = found
        return found

    def make_room(self) -> None:
        """Let go of what takes too much: first of the kinds that were not asked for lately."""
        over = sum(kind.size for kind in self._kinds.values()) - PARTS_MAX
        for kind in self._kinds.values():
            if over <= 0:
                return
            over -= kind.size
            kind.forget()


def _size(kept: _Kept) -> int:
    made_of, part = kept
    return len(part.raw) + _MADE_OF * len(made_of) + _EACH


def _is_encoded(part: Message | EncodedPart) -> bool:
    return type(part) is EncodedPart


def put_parts(parts: Iterable[Message | EncodedPart], version: int) -> bytes:
    """Parts of one answer as bytes, in their order."""
    pieces: list[bytes] = []
    for _, run in groupby(parts, _is_encoded):
        plain: list[Message] = []
        for part in run:
            if isinstance(part, EncodedPart):
                pieces.append(part.raw)
            else:
                plain.append(part)
        pieces.append(put_all(plain, version))
    return b"".join(pieces)
