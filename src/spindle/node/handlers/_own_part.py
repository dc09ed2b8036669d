"""A broker's part of AlterConfigs and IncrementalAlterConfigs.

It refuses other brokers' settings, which only they can judge, and the second of these requests sets
the levels of its own loggers (KIP-412). What else a request asks for goes on to the controller as a
request of its own, and the two answers become one, in the order of the request.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeGuard

from spindle.model.acl import CLUSTER_NAME, AclOperation, AclResourceType
from spindle.model.batches import Buffer
from spindle.model.errors import Error
from spindle.model.image import BROKER_RESOURCE
from spindle.node.authorization.sifting import Sifted
from spindle.node.handlers._configs import A, AlterApi, Q, R, Resource, hand_on, not_ours, told
from spindle.node.handlers._loggers import LOGGER_RESOURCE, alter
from spindle.node.parts import SIZE
from spindle.node.request_context import RequestContext
from spindle.wire.codec import Message, changed, encode
from spindle.wire.framing import LARGE_FRAME, LENGTH_SIZE, decode_header, response_in
from spindle.wire.messages import incremental_alter_configs_request as incremental

if TYPE_CHECKING:
    from spindle.node.broker import Broker


def answer_own_part(
    broker: Broker, request: Q, context: RequestContext[R], api: AlterApi[Q, R, A]
) -> bool:
    """Answer what is ours to answer, and hand on what else is asked for; False where none is.

    A large request, which would hold the loop, is handed on as it is: the controller refuses
    loggers, and `hand_on` refuses all of it for another broker's settings.
    """
    if len(context.raw) >= LARGE_FRAME or len(request.resources) > SIZE:
        return False
    mine = str(broker.node_id)

    def is_handed_on(resource: Resource) -> bool:
        if resource.resource_type == BROKER_RESOURCE:
            return resource.resource_name in ("", mine)
        return not _is_logger(resource)

    others: Sifted[Resource] = Sifted(request.resources, is_handed_on)
    if others.is_whole:
        return False
    named = Counter((r.resource_type, r.resource_name) for r in request.resources)
    may = context.permits.may(AclOperation.ALTER_CONFIGS, AclResourceType.CLUSTER, CLUSTER_NAME)

    def altered(resource: Resource) -> A:
        outcome: tuple[Error, str | None] = (Error.CLUSTER_AUTHORIZATION_FAILED, None)
        if named[resource.resource_type, resource.resource_name] > 1:
            outcome = (Error.INVALID_REQUEST, "Each resource must appear at most once.")
        elif may and _is_logger(resource):
            outcome = alter(broker.out, broker.node_id, resource, request.validate_only)
        elif may:
            outcome = Error.INVALID_REQUEST, not_ours(mine, resource.resource_name)
        return told(api.outcome, (resource,), (outcome,))[0]

    def woven(rest: R) -> R:
        answers: Sequence[Message] = rest.responses
        return changed(rest, responses=others.woven(answers, altered, context.version))

    if others.is_empty:
        context.answer(woven(api.answer()))
    else:
        rest = changed(request, resources=others.kept)
        inner = _inner(context, rest, api.answer, lambda answer: context.answer(woven(answer)))
        hand_on(broker, rest, inner, api, iter(others.kept))
    return True


def _is_logger(resource: Resource) -> TypeGuard[incremental.AlterConfigsResource]:
    """AlterConfigs knows no loggers: the controller refuses them."""
    is_incremental = isinstance(resource, incremental.AlterConfigsResource)
    return is_incremental and resource.resource_type == LOGGER_RESOURCE


def _inner(
    context: RequestContext[R], request: Q, kind: type[R], then: Callable[[R], None]
) -> RequestContext[R]:
    """A part of a request as one of its own, which the controller can answer."""

    def on_answer(buffers: list[Buffer]) -> None:
        frame = b"".join(buffers)[LENGTH_SIZE:]
        answer = response_in(frame, request, context.version)
        assert isinstance(answer, kind)
        then(answer)

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
