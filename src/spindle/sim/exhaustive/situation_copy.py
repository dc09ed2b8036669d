"""A copy of a situation with all that it refers to, continuations included.

`copy.deepcopy` takes functions as they are, and what they have closed over would be shared between
the copies: here a closure is made again over the copies of its cells. What cannot change is shared.
`state_space` uses it to take every way on from a situation without playing it again.
"""

from __future__ import annotations

import random
import re
import uuid
from array import array
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, MutableMapping
from copy import copy as shallow
from enum import Enum
from functools import partial
from itertools import count
from types import (
    BuiltinFunctionType,
    CellType,
    FunctionType,
    GenericAlias,
    MappingProxyType,
    MethodType,
    ModuleType,
)
from typing import Any, Final, TypeVar
from weakref import WeakKeyDictionary

T = TypeVar("T")

# A mapping that is a view of another is a constant of a module with us.
_SHARED: Final = (
    int, float, str, bytes, bool, type(None), type(Ellipsis), type, ModuleType, uuid.UUID, Enum,
    re.Pattern, property, BaseException,
    MappingProxyType, GenericAlias,
)  # fmt: skip
_PLAIN: Final = frozenset({int, float, str, bytes, bool, type(None), uuid.UUID})
"""The most frequent of them."""
_UNSET: Final = object()


def copied(thing: T) -> T:
    """The copy."""
    return _Copier().copy(thing)


class _Copier:
    """One copy under way: what was copied already, by the id of the original."""

    def __init__(self) -> None:
        self._done: dict[int, Any] = {}
        self._kept: list[object] = []
        """Originals that live for this walk only: an id may not be given to another meanwhile."""

    def copy(self, thing: T) -> T:
        """The copy of a part."""
        kind = type(thing)
        how = _HOW.get(kind)
        if how is None:
            how = _HOW[kind] = _how(kind)
        if how is _share:
            return thing
        found = self._done.get(id(thing), self)
        new: T = how(self, thing) if found is self else found
        return new

    def put(self, thing: object, new: T) -> T:
        """Remember a copy, before its parts are made: they may refer to it."""
        self._done[id(thing)] = new
        return new

    def cell(self, cell: CellType) -> CellType:
        """A variable that functions have closed over; those of one scope share it."""
        found: CellType | None = self._done.get(id(cell))
        if found is None:
            self._kept.append(cell)
            found = self.put(cell, CellType())
            found.cell_contents = self.copy(cell.cell_contents)
        return found


_How = Callable[[_Copier, Any], Any]


def _share(_: _Copier, thing: object) -> object:
    return thing


def _list(copier: _Copier, thing: list[object]) -> object:
    new = copier.put(thing, type(thing)())
    copy = copier.copy
    new.extend([part if type(part) in _PLAIN else copy(part) for part in thing])
    return new


def _deque(copier: _Copier, thing: deque[object]) -> object:
    new: deque[object] = copier.put(thing, deque(maxlen=thing.maxlen))
    new.extend([copier.copy(part) for part in thing])
    return new


def _dict(copier: _Copier, thing: MutableMapping[object, object]) -> object:
    new = copier.put(thing, type(thing)())
    copy = copier.copy
    for key, value in thing.items():
        new[copy(key)] = value if type(value) in _PLAIN else copy(value)
    return new


def _set(copier: _Copier, thing: set[object] | frozenset[object]) -> object:
    return copier.put(thing, type(thing)([copier.copy(part) for part in thing]))


def _tuple(copier: _Copier, thing: tuple[object, ...]) -> object:
    parts = [copier.copy(part) for part in thing]
    if all(new is old for new, old in zip(parts, thing, strict=True)):
        return copier.put(thing, thing)
    return copier.put(thing, tuple.__new__(type(thing), parts))


def _flat(copier: _Copier, thing: object) -> object:
    return copier.put(thing, shallow(thing))


def _count(copier: _Copier, thing: count[int]) -> object:
    # Since Python 3.14 iterators have no copies; what this one shows is where it stands.
    return copier.put(thing, count(int(repr(thing).removeprefix("count(").removesuffix(")"))))


def _random(copier: _Copier, thing: random.Random) -> object:
    new = copier.put(thing, random.Random())
    new.setstate(thing.getstate())
    return new


def _view(copier: _Copier, thing: memoryview) -> object:
    return thing if thing.readonly else copier.put(thing, memoryview(bytearray(thing)))


def _partial(copier: _Copier, thing: partial[object]) -> object:
    arguments = [copier.copy(a) for a in thing.args]
    named = {name: copier.copy(a) for name, a in thing.keywords.items()}
    return copier.put(thing, partial(copier.copy(thing.func), *arguments, **named))


def _method(copier: _Copier, thing: MethodType) -> object:
    return copier.put(thing, MethodType(thing.__func__, copier.copy(thing.__self__)))


def _built_in(copier: _Copier, thing: BuiltinFunctionType) -> object:
    owner = thing.__self__
    if owner is None or isinstance(owner, ModuleType | type):
        return thing
    return getattr(copier.copy(owner), thing.__name__)


def _function(copier: _Copier, thing: FunctionType) -> object:
    if thing.__closure__ is None and thing.__defaults__ is None and thing.__kwdefaults__ is None:
        return thing
    cells = tuple(copier.cell(cell) for cell in thing.__closure__ or ())
    defaults = copier.copy(thing.__defaults__)
    new = FunctionType(
        thing.__code__, thing.__globals__, thing.__name__, defaults, cells if cells else None
    )
    new.__qualname__ = thing.__qualname__
    new.__kwdefaults__ = copier.copy(thing.__kwdefaults__)
    return copier.put(thing, new)


def _object(copier: _Copier, thing: object) -> object:
    kind = type(thing)
    new = copier.put(thing, kind.__new__(kind))
    copy, put = copier.copy, object.__setattr__
    for name in _slots(kind):
        value = getattr(thing, name, _UNSET)
        if value is not _UNSET:
            put(new, name, value if type(value) in _PLAIN else copy(value))
    if (values := getattr(thing, "__dict__", None)) is not None:
        own = new.__dict__
        for name, value in values.items():
            own[name] = value if type(value) in _PLAIN else copy(value)
    return new


_SLOTS: dict[type, tuple[str, ...]] = {}


def _slots(kind: type) -> tuple[str, ...]:
    found = _SLOTS.get(kind)
    if found is None:
        names: list[str] = []
        for base in kind.__mro__:
            slots = base.__dict__.get("__slots__", ())
            names += [slots] if isinstance(slots, str) else slots
        found = _SLOTS[kind] = tuple(n for n in names if n not in ("__dict__", "__weakref__"))
    return found


_HOW: dict[type, _How] = {
    list: _list,
    bytearray: _flat,
    array: _flat,
    count: _count,
    deque: _deque,
    dict: _dict,
    OrderedDict: _dict,
    Counter: _dict,
    set: _set,
    frozenset: _set,
    random.Random: _random,
    memoryview: _view,
    WeakKeyDictionary: _dict,
    partial: _partial,
    MethodType: _method,
    BuiltinFunctionType: _built_in,
    FunctionType: _function,
    object: _share,
}
"""How each type is copied; learned for those that are met."""


def _how(kind: type) -> _How:
    # Of `typing` there are only types: objects of a generic class keep theirs.
    if issubclass(kind, _SHARED) or kind.__module__ == "typing":
        return _share
    if issubclass(kind, tuple):
        return _tuple
    if kind.__module__ in ("builtins", "itertools", "collections", "functools", "weakref"):
        raise TypeError(f"no rule says how to copy a {kind.__name__}")
    return _object
