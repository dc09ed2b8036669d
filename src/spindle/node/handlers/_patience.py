"""How long a client waits for a decision of the controller. Used by the handlers of such APIs."""

from __future__ import annotations

from spindle.model.errors import Error, Refusal


def check_timeout(limit: int) -> None:
    """Refusal(REQUEST_TIMED_OUT) for a request without any time, in ms, as Apache Kafka answers it.

    The controller decides a request as it comes, so a request with any time at all is in time;
    what is decided waits for its commit for as long as that takes, since it can still happen.
    """
    if limit <= 0:
        raise Refusal(
            Error.REQUEST_TIMED_OUT,
            f"nothing was changed: the request's timeout of {limit} ms leaves no time to decide",
        )
