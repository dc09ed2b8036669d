"""What the answers of groups' heartbeats say beside an error code."""

from __future__ import annotations

from typing import Final

from spindle.model.errors import Error

_UNEXPLAINED: Final = frozenset({
    Error.UNSUPPORTED_VERSION,
    Error.GROUP_AUTHORIZATION_FAILED,
    Error.TOPIC_AUTHORIZATION_FAILED,
})  # fmt: skip


def reason(error: Error, message: str) -> str | None:
    """Why a member was refused. None where the request did not come as far as its coordinator:
    Apache Kafka 4.3 gives no reason then, and clients have their own words for the code."""
    return None if error in _UNEXPLAINED else message
