"""What AlterConfigs and IncrementalAlterConfigs share: resources, and what a broker checks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from spindle.core.controller.configs import Alteration, ConfigOperation, ConfigResource, parts
from spindle.core.controller.controller_state import check_records
from spindle.core.controller.own_cordons import OwnCordons
from spindle.model import cordons
from spindle.model.errors import Error, Refusal, Unusable
from spindle.model.image import BROKER_RESOURCE
from spindle.model.settings import together
from spindle.model.settings.typed_settings import Settings
from spindle.node.parts import SIZE
from spindle.node.request_context import R, RequestContext
from spindle.wire.messages import alter_configs_request as whole
from spindle.wire.messages import incremental_alter_configs_request as incremental
from spindle.wire.messages.alter_configs_response import AlterConfigsResourceResponse as WholeAnswer
from spindle.wire.messages.incremental_alter_configs_response import (
    AlterConfigsResourceResponse as IncrementalAnswer,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker

A = TypeVar("A", WholeAnswer, IncrementalAnswer)
Resource: TypeAlias = whole.AlterConfigsResource | incremental.AlterConfigsResource
Asked: TypeAlias = tuple[ConfigResource, list[Alteration]]


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
    context: RequestContext[R],
    resources: Iterator[Resource],
    refuse: Callable[[Error, str], R],
) -> None:
    """Hand on to the controller what this broker can live with, once all of it was looked at.

    A part of the resources is looked at in a turn.
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
            broker.out.in_turn(partial(hand_on, broker, context, resources, refuse))
        else:
            broker.forwarding.forward(context, refuse)
    except Refusal as refusal:
        context.answer(refuse(refusal.error, refusal.message))


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
    changed = values[target.name]
    if isinstance(resource, whole.AlterConfigsResource):
        changed.clear()
    for alteration in alterations:
        if alteration.operation == ConfigOperation.DELETE:
            changed.pop(alteration.name, None)
        elif alteration.value is not None:
            changed[alteration.name] = alteration.value
    settings = Settings(broker.settings.given)
    settings.set_dynamic({**values[""], **values[own]})
    try:
        together.check(settings)
    except Unusable as unusable:
        raise Refusal(Error.INVALID_REQUEST, str(unusable)) from None
