"""How long who asks the controller waits for a decision. Used by the handlers of such APIs."""

from __future__ import annotations

from spindle.model.errors import Error, Refusal
from spindle.node.calls import Call
from spindle.wire.entities import to_ms


def check_patience(call: Call) -> None:
    """Refusal(REQUEST_TIMED_OUT) for a request without any time, as Apache Kafka answers it.

    The controller decides a request as it comes, so a request with any time at all is in time;
    what is decided waits for its commit for as long as that takes, since it can still happen.
    """
    limit = to_ms(call.body.timeout)
    if limit <= 0:
        raise Refusal(
            Error.REQUEST_TIMED_OUT,
            f"nothing was changed: the request's timeout of {limit} ms leaves no time to decide",
        )
