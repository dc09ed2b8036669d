"""AlterUserScramCredentials (51), version 0, both listeners.

Behaviour: credentials of SCRAM are made, replaced and deleted (KIP-554), each user's as a whole; a
user that the request names twice is refused, and so is a request for very many. Clients send
salted passwords; the records have StoredKey and ServerKey. On the broker listener the request is
forwarded.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from spindle.core.controller import scram_credentials
from spindle.core.controller.controller_state import ControllerResult, ControllerState
from spindle.core.controller.scram_credentials import AlteredUser, ScramDeletion, ScramUpsertion
from spindle.model.errors import Error
from spindle.node.request_context import Later, RequestContext
from spindle.wire.messages.alter_user_scram_credentials_request import (
    AlterUserScramCredentialsRequest,
)
from spindle.wire.messages.alter_user_scram_credentials_response import (
    AlterUserScramCredentialsResponse,
    AlterUserScramCredentialsResult,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker
    from spindle.node.controller import Controller


def on_broker(
    broker: Broker,
    request: AlterUserScramCredentialsRequest,
    context: RequestContext[AlterUserScramCredentialsResponse],
) -> Later:
    """Hand on to the controller."""
    return broker.forwarding.forward(context, partial(refuse, request, context))


def on_controller(
    controller: Controller,
    request: AlterUserScramCredentialsRequest,
    context: RequestContext[AlterUserScramCredentialsResponse],
) -> Later:
    """Change credentials."""

    def decide(state: ControllerState) -> ControllerResult[list[AlteredUser]]:
        scram_credentials.check_count(len(request.deletions) + len(request.upsertions))
        deletions = [ScramDeletion(one.name, one.mechanism) for one in request.deletions]
        upsertions = [
            ScramUpsertion(
                one.name, one.mechanism, one.iterations, bytes(one.salt), bytes(one.salted_password)
            )
            for one in request.upsertions
        ]
        return scram_credentials.alter(state, deletions, upsertions)

    return controller.serve(context, decide, _respond, partial(refuse, request, context))


def refuse(
    request: AlterUserScramCredentialsRequest,
    context: RequestContext[AlterUserScramCredentialsResponse],
    error: Error,
    message: str,
) -> AlterUserScramCredentialsResponse:
    """The same error for each user, as Apache Kafka tells it."""
    users = dict.fromkeys(one.name for one in request.deletions)
    users |= dict.fromkeys(one.name for one in request.upsertions)
    return _respond([AlteredUser(user, error, message) for user in users])


def _respond(outcomes: list[AlteredUser]) -> AlterUserScramCredentialsResponse:
    return AlterUserScramCredentialsResponse(
        results=tuple(
            AlterUserScramCredentialsResult(
                user=one.user, error_code=one.error, error_message=one.message
            )
            for one in outcomes
        )
    )
