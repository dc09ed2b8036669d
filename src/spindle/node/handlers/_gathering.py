"""Answers that wait for several results. Used by the handlers whose things are settled one by one.

Knows nothing of what the results are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

K = TypeVar("K")
T = TypeVar("T")


class Gathering(Generic[K, T]):
    """Results by key, which come in any order: `then` gets all of them in the order of the keys."""

    def __init__(self, keys: Iterable[K], then: Callable[[dict[K, T]], None]) -> None:
        """`keys`: each once. Without any, `then` is called at once."""
        self._keys = list(keys)
        self._results: dict[K, T] = {}
        self._then = then
        if not self._keys:
            then({})

    def settle(self, key: K, result: T) -> None:
        """One result has come; each does so once."""
        self._results[key] = result
        if len(self._results) == len(self._keys):
            self._then({key: self._results[key] for key in self._keys})
