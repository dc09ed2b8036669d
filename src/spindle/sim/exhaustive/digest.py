"""What a situation is, as a short digest: two that can do the same have the same one.

Walks the objects themselves, continuations included, and leaves out what only counts or names:
tickets, random ids (numbered as they are met), and the clock (times are taken relative to now).
Objects that are met again are named by when they were met first.
"""

from __future__ import annotations

import hashlib
import random
import re
import uuid
from collections import OrderedDict, deque
from enum import Enum
from functools import partial
from itertools import count
from types import BuiltinMethodType, FunctionType, MethodType, ModuleType
from typing import Any, Final

NEAR: Final = 1e5
"""Seconds: what lies nearer to the clock than this is a time."""
SOON: Final = 2.0
_UNIQUE: Final = re.compile(r"[0-9a-f]{32}")
_PLAIN: Final = (int, bytes, bool, type(None), type, ModuleType, BuiltinMethodType)


class Digest:
    """Collects one situation. `now`: the clock, from which times are counted."""

    def __init__(self, now: float, leave_out: frozenset[str]) -> None:
        self._hash = hashlib.blake2b(digest_size=16)
        self._now = now
        self._leave_out = leave_out
        self._met: dict[int, int] = {}
        self._kept: list[object] = []
        self._names: dict[str, int] = {}

    def value(self) -> bytes:
        """The digest of all that was added."""
        return self._hash.digest()

    def add(self, thing: Any) -> None:
        """Take in a thing and all that it refers to."""
        put = self._hash.update
        if isinstance(thing, Enum):
            put(b"e" + thing.name.encode())
        elif isinstance(thing, str):
            put(b"s" + _UNIQUE.sub(self._number, thing).encode("utf-8", "surrogateescape"))
        elif isinstance(thing, uuid.UUID):
            put(b"u" + (str(thing.int) if thing.int < 1 << 64 else self._name(thing.hex)).encode())
        elif isinstance(thing, float):
            put(b"f" + self._time(thing) if abs(thing - self._now) < NEAR else b"f%.3f" % thing)
        elif isinstance(thing, _PLAIN):
            put(repr(thing).encode())
        elif isinstance(thing, random.Random | count):
            put(b"r")
        elif id(thing) in self._met:
            put(b"@%d" % self._met[id(thing)])
        else:
            self._met[id(thing)] = len(self._met)
            self._kept.append(thing)  # An id may not be given to another thing meanwhile.
            self._add_parts(thing)

    def _add_parts(self, thing: Any) -> None:
        self._hash.update(type(thing).__name__.encode())
        if isinstance(thing, dict | OrderedDict):
            for key, value in thing.items():
                self.add(key)
                self.add(value)
        elif isinstance(thing, list | tuple | deque):
            for part in thing:
                self.add(part)
        elif isinstance(thing, set | frozenset):
            for part in sorted(thing, key=repr):
                self.add(part)
        elif isinstance(thing, bytearray | memoryview):
            self.add(bytes(thing))
        elif isinstance(thing, partial):
            self.add((thing.func, thing.args, thing.keywords))
        elif isinstance(thing, MethodType):
            self.add((thing.__func__.__qualname__, thing.__self__))
        elif isinstance(thing, FunctionType):
            self.add(thing.__qualname__)
            self.add([cell.cell_contents for cell in thing.__closure__ or ()])
        else:
            self._add_attributes(thing)
        self._hash.update(b")")

    def _add_attributes(self, thing: Any) -> None:
        kind_name = type(thing).__name__
        names = list(getattr(thing, "__dict__", ()))
        for kind in type(thing).__mro__:
            slots = kind.__dict__.get("__slots__", ())
            names += [slots] if isinstance(slots, str) else slots
        for name in names:
            if f"{kind_name}.{name}" not in self._leave_out and hasattr(thing, name):
                self._hash.update(name.encode())
                self.add(getattr(thing, name))

    def _time(self, at: float) -> bytes:
        """Past, soon (how soon), or later: no machine here minds how long ago or how much later."""
        left = at - self._now
        return b"past" if left <= 0 else b"later" if left > SOON else b"%.3f" % left

    def _number(self, found: re.Match[str]) -> str:
        return self._name(found[0])

    def _name(self, unique: str) -> str:
        return f"#{self._names.setdefault(unique, len(self._names))}"


def digest(now: float, leave_out: frozenset[str], *things: Any) -> bytes:
    """The digest of these things."""
    whole = Digest(now, leave_out)
    for thing in things:
        whole.add(thing)
    return whole.value()
