"""What a topic may be called, in Apache Kafka's words. Called where a request names topics."""

from __future__ import annotations

import string
from typing import Final

from spindle.model.errors import Error, Refusal

NAME_LENGTH_MAX: Final = 249
_LEGAL: Final = frozenset(string.ascii_letters + string.digits + "._-")


def check_name(name: str) -> None:
    """Refusal INVALID_TOPIC_EXCEPTION where a name is not one."""
    if not name:
        why = "the empty string is not allowed"
    elif name in (".", ".."):
        why = f"'{name}' is not allowed"
    elif len(name) > NAME_LENGTH_MAX:
        why = f"the length of '{name}' is longer than the max allowed length {NAME_LENGTH_MAX}"
    elif not _LEGAL.issuperset(name):
        why = (
            f"'{name}' contains one or more characters other than ASCII alphanumerics,"
            " '.', '_' and '-'"
        )
    else:
        return
    raise Refusal(Error.INVALID_TOPIC_EXCEPTION, f"Topic name is invalid: {why}")
