"""What a situation is, as a short digest: two that can do the same have the same one.

Walks the objects themselves, continuations included, and leaves out what only counts or names:
tickets, random ids (numbered as they are met), and the clock (times are taken relative to now).
Objects that may change and are met again are named by when they were met first.
"""

from __future__ import annotations

import hashlib
import marshal
import random
import re
import uuid
from array import array
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import is_dataclass
from enum import Enum
from functools import partial
from itertools import count
from operator import attrgetter
from types import BuiltinMethodType, FunctionType, GenericAlias, MethodType, ModuleType
from typing import Any, Final

from spindle.wire.codec import Message

NEAR: Final = 5e5
"""Seconds: what lies nearer to the clock than this is a time."""
NEVER: Final = 0.0
"""What times are before anything has happened: as long ago as anything."""
SOON: Final = 2.0
AT_ONCE: Final = 0.2
"""Seconds: what comes later than this is distinguished to a tenth."""
_LONG: Final = 32
_UNIQUE: Final = re.compile(r"[0-9a-f]{32}")
_PLAIN: Final = frozenset({int, bytes, bool, type(None)})
"""Types of values that are what they are."""
_UNSET: Final = "not set"


class Digest:
    """Collects one situation. `now`: the clock, from which times are counted."""

    def __init__(self, now: float, leave_out: frozenset[str]) -> None:
        self._parts: list[object] = []
        self._now = now
        self._leave_out = leave_out
        self._shapes = _SHAPES.setdefault(leave_out, {})
        self._met: dict[int, int] = {}
        self._names: dict[str, int] = {}

    def value(self) -> bytes:
        """The digest of all that was added."""
        # Version 0 writes equal values equally, whichever objects they are.
        return hashlib.blake2b(marshal.dumps(self._parts, 0), digest_size=16).digest()

    def add(self, thing: object) -> None:
        """Take in a thing and all that it refers to."""
        kind = type(thing)
        if kind in _PLAIN:
            self._parts.append(thing)
            return
        known = _WAYS.get(kind)
        if known is None:
            known = _WAYS[kind] = _way(kind)
        is_whole, way = known
        if is_whole:
            way(self, thing)
        elif (met := self._met.get(id(thing))) is not None:
            self._parts.append(("@", met))
        else:
            self._met[id(thing)] = len(self._met)
            self._parts.append(kind.__name__)
            way(self, thing)
            self._parts.append(")")

    # --- things that are looked at as a whole --------------------------------------------------

    def named(self, thing: object) -> None:
        """What its text says."""
        self._parts.append(repr(thing))

    def text(self, thing: str) -> None:
        """With random parts numbered."""
        self._parts.append(thing if len(thing) < _LONG else _UNIQUE.sub(self._number, thing))

    def member(self, thing: Enum) -> None:
        """Of an enumeration."""
        self._parts.append(thing.name)

    def id(self, thing: uuid.UUID) -> None:
        """Ids that are made up here are small; random ones are numbered."""
        self._parts.append(thing.int if thing.int < 1 << 64 else self._name(thing.hex))

    def number(self, thing: float) -> None:
        """A time, if it is near the clock."""
        is_time = thing == NEVER or abs(thing - self._now) < NEAR
        self._parts.append(self._time(thing) if is_time else round(thing, 3))

    def chance(self, _: object) -> None:
        """Random sources and counters make no difference."""
        self._parts.append("by chance")

    # --- things with parts ----------------------------------------------------------------------

    def mapping(self, thing: Mapping[object, object]) -> None:
        """Keys and values in their order."""
        add, put = self.add, self._parts.append
        for key, value in thing.items():
            add(key)
            put(value) if type(value) in _PLAIN else add(value)

    def sequence(self, thing: Iterable[object]) -> None:
        """Its items."""
        add, put = self.add, self._parts.append
        for part in thing:
            put(part) if type(part) in _PLAIN else add(part)

    def unordered(self, thing: Iterable[object]) -> None:
        """Its items, in the order of their texts."""
        self.sequence(sorted(thing, key=repr))

    def constant(self, thing: object) -> None:
        """Whether it is this one or its equal makes no difference."""
        self._parts.append(type(thing).__name__)
        self.sequence(thing) if isinstance(thing, tuple) else self.attributes(thing)
        self._parts.append(")")

    def buffer(self, thing: bytearray | memoryview | array[int]) -> None:
        """Bytes that may change."""
        self._parts.append(bytes(thing))

    def partial(self, thing: partial[object]) -> None:
        """What is called, and with what."""
        self.sequence((thing.func, thing.args, thing.keywords))

    def method(self, thing: MethodType) -> None:
        """Whose, and which: Python makes another object at each access, so its id says nothing."""
        self.text(thing.__func__.__qualname__)
        self.add(thing.__self__)

    def function(self, thing: FunctionType) -> None:
        """Which, and what it has closed over."""
        self.text(thing.__qualname__)
        self.sequence([cell.cell_contents for cell in thing.__closure__ or ()])
        self.sequence(thing.__defaults__ or ())

    def attributes(self, thing: object) -> None:
        """What an object consists of."""
        kind = type(thing)
        shape = self._shapes.get(kind)
        if shape is None:
            shape = self._shapes[kind] = _Shape(kind, self._leave_out)
        add, put = self.add, self._parts.append
        for value in shape.slots(thing):
            put(value) if type(value) in _PLAIN else add(value)
        if not shape.is_open:
            return
        own = thing.__dict__
        names = tuple(own)
        known = shape.kept.get(names)
        if known is None:
            known = shape.kept[names] = shape.keep(names)
        mark, kept = known
        put(mark)
        for value in own.values() if kept is None else [own[name] for name in kept]:
            put(value) if type(value) in _PLAIN else add(value)

    def _time(self, at: float) -> str | float:
        """Past, soon (how soon), or later: no machine here minds how long ago or how much later."""
        left = at - self._now
        if left <= 0:
            return "past"
        return "later" if left > SOON else round(left, 1 if left > AT_ONCE else 3)

    def _number(self, found: re.Match[str]) -> str:
        return self._name(found[0])

    def _name(self, unique: str) -> str:
        return f"#{self._names.setdefault(unique, len(self._names))}"


_Way = tuple[bool, Callable[[Digest, Any], None]]
_WAYS: dict[type, _Way] = {}
"""How each type is taken in, as a whole or part by part; learned for those that are met."""


def _way(kind: type) -> _Way:
    for kinds, whole, way in (
        (Enum, True, Digest.member),
        (str, True, Digest.text),
        (uuid.UUID, True, Digest.id),
        (float, True, Digest.number),
        ((int, bytes, type, ModuleType, BuiltinMethodType, GenericAlias), True, Digest.named),
        ((random.Random, count), True, Digest.chance),
        (tuple, True, Digest.constant),
        (dict, False, Digest.mapping),
        ((list, deque), False, Digest.sequence),
        ((set, frozenset), False, Digest.unordered),
        ((bytearray, memoryview, array), False, Digest.buffer),
        (partial, False, Digest.partial),
        (MethodType, True, Digest.method),
        (FunctionType, False, Digest.function),
    ):
        if issubclass(kind, kinds):
            return whole, way
    if kind.__module__ == "typing":
        return True, Digest.named
    if issubclass(kind, Message):
        return True, Digest.constant
    if is_dataclass(kind) and kind.__dataclass_params__.frozen:  # type: ignore[attr-defined]
        return True, Digest.constant
    return False, Digest.attributes


class _Shape:
    """Which attributes of a type count, and how its slots are read."""

    def __init__(self, kind: type, leave_out: frozenset[str]) -> None:
        prefix = kind.__name__ + "."
        self._left_out = {n.removeprefix(prefix) for n in leave_out if n.startswith(prefix)}
        names: list[str] = []
        for base in kind.__mro__:
            slots = base.__dict__.get("__slots__", ())
            names += [slots] if isinstance(slots, str) else slots
        self._names = [name for name in names if name not in self._left_out]
        self._all = attrgetter(*self._names) if len(self._names) > 1 else None
        self.is_open = bool(kind.__dictoffset__)
        self.kept: dict[tuple[str, ...], tuple[bytes, tuple[str, ...] | None]] = {}
        """For the names of all attributes: a mark for them; those that count, None for all."""

    def slots(self, thing: object) -> tuple[object, ...]:
        """The values of the slots."""
        if self._all is not None:
            with suppress(AttributeError):
                found: tuple[object, ...] = self._all(thing)
                return found
        return tuple([getattr(thing, name, _UNSET) for name in self._names])

    def keep(self, names: tuple[str, ...]) -> tuple[bytes, tuple[str, ...] | None]:
        """What is to be known of an object that has these attributes."""
        kept = tuple(name for name in names if name not in self._left_out)
        mark = hashlib.blake2b("/".join(kept).encode(), digest_size=8).digest()
        return mark, None if kept == names else kept


_SHAPES: dict[frozenset[str], dict[type, _Shape]] = {}
"""By what is left out: searches in one process may leave out different things."""


def digest(now: float, leave_out: frozenset[str], *things: object) -> bytes:
    """The digest of these things."""
    whole = Digest(now, leave_out)
    for thing in things:
        whole.add(thing)
    return whole.value()
