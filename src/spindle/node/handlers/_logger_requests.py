"""A broker's part of IncrementalAlterConfigs.

It sets the levels of its own loggers (KIP-412), and refuses other brokers' settings, which only
they can judge. What else a request asks for goes on to the controller as a request of its own, and
the two answers become one, in the order of the request.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from spindle.model.acl import CLUSTER_NAME, AclOperation, AclResourceType
from spindle.model.batches import Buffer
from spindle.model.errors import Error
from spindle.model.image import BROKER_RESOURCE
from spindle.node.authorization.sifting import Sifted
from spindle.node.handlers._configs import hand_on, told
from spindle.node.handlers._loggers import LOGGER_RESOURCE, alter
from spindle.node.parts import SIZE
from spindle.node.request_context import RequestContext
from spindle.wire.codec import changed, encode
from spindle.wire.framing import LARGE_FRAME, LENGTH_SIZE, decode_header, response_in
from spindle.wire.messages.incremental_alter_configs_request import (
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from spindle.wire.messages.incremental_alter_configs_response import (
    AlterConfigsResourceResponse,
    IncrementalAlterConfigsResponse,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker

Asked: TypeAlias = IncrementalAlterConfigsRequest
Answer: TypeAlias = IncrementalAlterConfigsResponse
Refuse: TypeAlias = Callable[[Asked, RequestContext[Answer], Error, str], Answer]


def answer_own_part(
    broker: Broker, request: Asked, context: RequestContext[Answer], refuse: Refuse
) -> bool:
    """Answer what is ours to answer, and hand on what else is asked for; False where none is.

    A large request, which would hold the loop, is handed on as it is: loggers are refused there.
    """
    if len(context.raw) >= LARGE_FRAME or len(request.resources) > SIZE:
        return False
    mine = str(broker.node_id)

    def is_handed_on(resource: AlterConfigsResource) -> bool:
        of_broker = resource.resource_type == BROKER_RESOURCE
        of_another = of_broker and resource.resource_name not in ("", mine)
        return resource.resource_type != LOGGER_RESOURCE and not of_another

    others = Sifted(request.resources, is_handed_on)
    if others.is_whole:
        return False
    named = Counter((r.resource_type, r.resource_name) for r in request.resources)
    may = context.permits.may(AclOperation.ALTER_CONFIGS, AclResourceType.CLUSTER, CLUSTER_NAME)

    def altered(resource: AlterConfigsResource) -> AlterConfigsResourceResponse:
        outcome: tuple[Error, str | None] = (Error.CLUSTER_AUTHORIZATION_FAILED, None)
        if named[resource.resource_type, resource.resource_name] > 1:
            outcome = (Error.INVALID_REQUEST, "Each resource must appear at most once.")
        elif may and resource.resource_type == BROKER_RESOURCE:
            outcome = Error.INVALID_REQUEST, _not_ours(mine, resource.resource_name)
        elif may:
            outcome = alter(broker.out, broker.node_id, resource, request.validate_only)
        return told(AlterConfigsResourceResponse, (resource,), (outcome,))[0]

    def woven(rest: Answer) -> Answer:
        return changed(rest, responses=others.woven(rest.responses, altered, context.version))

    if others.is_empty:
        context.answer(woven(IncrementalAlterConfigsResponse()))
    else:
        rest = changed(request, resources=others.kept)
        inner = _inner(context, rest, lambda answer: context.answer(woven(answer)))
        hand_on(broker, inner, iter(others.kept), partial(refuse, rest, inner))
    return True


def _not_ours(mine: str, named: str) -> str:
    if not (named.removeprefix("-").isascii() and named.removeprefix("-").isdecimal()):
        return f"Node id must be an integer, but it is: {named}"
    return f"Unexpected broker id, expected {mine}, but received {named}"


def _inner(
    context: RequestContext[Answer], request: Asked, then: Callable[[Answer], None]
) -> RequestContext[Answer]:
    """A part of a request as one of its own, which the controller can answer."""

    def on_answer(buffers: list[Buffer]) -> None:
        frame = b"".join(buffers)[LENGTH_SIZE:]
        then(response_in(frame, request, context.version))

    head = bytes(context.raw[: decode_header(context.raw)[1]])
    return RequestContext(
        context.header,
        head + encode(request, context.version),
        context.connection,
        context.origin,
        context.served,
        on_answer,
        gone=context.gone,
    )
