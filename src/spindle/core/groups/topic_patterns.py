"""Patterns of topics' names, in the syntax of RE2, which Apache Kafka uses, too (KIP-848).

RE2 takes time in proportion to the text, whatever the pattern: a client cannot halt a coordinator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Final

import re2

from spindle.model.errors import Error, Refusal

PATTERN_BYTES_MAX: Final = 1 << 20
"""The memory that a pattern may take."""


@lru_cache(maxsize=256)
def pattern_of(text: str) -> Callable[[str], bool]:
    """Whether a pattern matches all of a text. Refusal INVALID_REGULAR_EXPRESSION: it is none."""
    options = re2.Options()
    options.log_errors = False
    options.max_mem = PATTERN_BYTES_MAX
    try:
        compiled = re2.compile(text, options=options)
    except re2.error as error:
        why = error.args[0] if error.args else "it is not one"
        shown = why.decode(errors="replace") if isinstance(why, bytes) else str(why)
        message = f"SubscribedTopicRegex `{text}` is not a valid regular expression: {shown}."
        raise Refusal(Error.INVALID_REGULAR_EXPRESSION, message) from None
    return lambda name: compiled.fullmatch(name) is not None


def matching(text: str, names: Iterable[str]) -> frozenset[str]:
    """The names that a pattern matches as a whole."""
    return frozenset(filter(pattern_of(text), names))
