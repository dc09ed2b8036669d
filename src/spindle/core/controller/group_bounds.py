"""A group's own settings lie within what the node's settings allow, as Apache Kafka's must."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from spindle.model.errors import Error, Refusal
from spindle.model.settings.table import NODE_SETTINGS
from spindle.model.settings.typed_settings import Settings

_SESSION: Final = "consumer.session.timeout.ms"
_HEARTBEAT: Final = "consumer.heartbeat.interval.ms"


def check_bounds(own: Mapping[str, str], node: Settings) -> None:
    """Refusal INVALID_CONFIG where a value lies outside the node's bounds, or two do not fit.

    `own`: the group's settings as they would be, each readable. The bounds of
    `consumer.session.timeout.ms` are `group.consumer.min.session.timeout.ms` and `...max...`.
    """
    for name, text in own.items():
        kind, _, rest = name.partition(".")
        least, most = f"group.{kind}.min.{rest}", f"group.{kind}.max.{rest}"
        if least in NODE_SETTINGS and int(text) < node.whole(least):
            raise _refusal(f"{name} must be greater than or equal to {least}")
        if most in NODE_SETTINGS and int(text) > node.whole(most):
            raise _refusal(f"{name} must be less than or equal to {most}")
    session, heartbeat = (
        int(own[name]) if name in own else node.whole(f"group.{name}")
        for name in (_SESSION, _HEARTBEAT)
    )
    if session <= heartbeat:
        raise _refusal(f"{_SESSION} must be greater than {_HEARTBEAT}")


def _refusal(text: str) -> Refusal:
    return Refusal(Error.INVALID_CONFIG, text)
