"""What AlterConfigs and IncrementalAlterConfigs share: resources, and what a broker checks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar

from spindle.core.controller.config_resources import (
    Alteration,
    ConfigOperation,
    ConfigResource,
)
from spindle.core.controller.configs import parts
from spindle.core.controller.controller_state import check_records
from spindle.core.controller.own_cordons import OwnCordons
from spindle.model import cordons
from spindle.model.errors import Error, Refusal, Unusable
from spindle.model.image import BROKER_RESOURCE
from spindle.model.settings import together
from spindle.model.settings.typed_settings import Settings
from spindle.node.parts import SIZE
from spindle.node.request_context import RequestContext
from spindle.wire.codec import changed
from spindle.wire.messages import alter_configs_request as whole
from spindle.wire.messages import incremental_alter_configs_request as incremental
from spindle.wire.messages.alter_configs_response import AlterConfigsResourceResponse as WholeAnswer
from spindle.wire.messages.alter_configs_response import AlterConfigsResponse
from spindle.wire.messages.incremental_alter_configs_response import (
    AlterConfigsResourceResponse as IncrementalAnswer,
)
from spindle.wire.messages.incremental_alter_configs_response import (
    IncrementalAlterConfigsResponse,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker

A = TypeVar("A", WholeAnswer, IncrementalAnswer)
Q = TypeVar("Q", whole.AlterConfigsRequest, incremental.IncrementalAlterConfigsRequest)
R = TypeVar("R", bound=AlterConfigsResponse | IncrementalAlterConfigsResponse)
Resource: TypeAlias = whole.AlterConfigsResource | incremental.AlterConfigsResource
Asked: TypeAlias = tuple[ConfigResource, list[Alteration]]


@dataclass(frozen=True, slots=True)
class AlterApi(Generic[Q, R, A]):
    """What one of the two answers with."""

    answer: type[R]
    outcome: type[A]
    refuse: Callable[[Q, RequestContext[R], Error, str], R]


def asked(resource: Resource) -> Asked:
    """What becomes of a resource. Refusal POLICY_VIOLATION for far more settings than exist."""
    check_records(len(resource.configs))
    return (
        ConfigResource(resource.resource_type, resource.resource_name),
        [Alteration(c.name, _operation(c), c.value) for c in resource.configs],
    )


def _operation(setting: whole.AlterableConfig | incremental.AlterableConfig) -> int:
    if isinstance(setting, incremental.AlterableConfig):
        return setting.config_operation
    return ConfigOperation.SET


def told(
    kind: type[A],
    resources: Iterable[Resource],
    outcomes: Iterable[tuple[Error, str | None]],
) -> tuple[A, ...]:
    """The answers, where the outcomes stand in the order of the request's resources."""
    return tuple(
        kind(
            error_code=error,
            error_message=message,
            resource_type=resource.resource_type,
            resource_name=resource.resource_name,
        )
        for resource, (error, message) in zip(resources, outcomes, strict=True)
    )


def hand_on(
    broker: Broker,
    request: Q,
    context: RequestContext[R],
    api: AlterApi[Q, R, A],
    resources: Iterator[Resource],
) -> None:
    """Hand on to the controller what this broker can live with, once all of it was looked at.

    A part of the resources is looked at in a turn. `resources`: those of the request that are left.
    """
    own = broker.image.config(BROKER_RESOURCE, str(broker.node_id)).get(cordons.SETTING)
    current = broker.settings.names(cordons.SETTING) if own is None else parts(own)
    mine = OwnCordons(broker.node_id, broker.context.config.log_dirs, current)
    part = tuple(islice(resources, SIZE))
    try:
        for resource in part:
            if resource.resource_type == BROKER_RESOURCE:
                if (named := resource.resource_name) not in ("", str(broker.node_id)):
                    raise Refusal(Error.INVALID_REQUEST, not_ours(str(broker.node_id), named))
                mine.check(*asked(resource))
                _check_together(broker, resource)
        if len(part) == SIZE:
            broker.out.in_turn(partial(hand_on, broker, request, context, api, resources))
        else:
            broker.forwarding.forward(context, partial(api.refuse, request, context))
    except Refusal as refusal:
        outcome = (refusal.error, refusal.message)
        broker.slices.answer(
            request,
            context,
            (told(api.outcome, (resource,), (outcome,))[0] for resource in request.resources),
            lambda found: changed(api.answer(), responses=found),
        )


def not_ours(mine: str, named: str) -> str:
    """Why a broker refuses the settings of another, in Kafka's words."""
    if not (named.removeprefix("-").isascii() and named.removeprefix("-").isdecimal()):
        return f"Node id must be an integer, but it is: {named}"
    return f"Unexpected broker id, expected {mine}, but received {named}"


def _check_together(broker: Broker, resource: Resource) -> None:
    """Refusal where our settings would not go together any more, as a start would refuse them.

    As Apache Kafka's broker: also where all brokers share the setting.
    """
    target, alterations = asked(resource)
    own = str(broker.node_id)
    if together.DYNAMIC.isdisjoint(a.name for a in alterations):
        return
    values = {name: dict(broker.image.config(BROKER_RESOURCE, name)) for name in ("", own)}
    wanted = values[target.name]
    if isinstance(resource, whole.AlterConfigsResource):
        wanted.clear()
    for alteration in alterations:
        if alteration.operation == ConfigOperation.DELETE:
            wanted.pop(alteration.name, None)
        elif alteration.value is not None:
            wanted[alteration.name] = alteration.value
    settings = Settings(broker.settings.given)
    settings.set_dynamic({**values[""], **values[own]})
    try:
        together.check(settings)
    except Unusable as unusable:
        raise Refusal(Error.INVALID_REQUEST, str(unusable)) from None
