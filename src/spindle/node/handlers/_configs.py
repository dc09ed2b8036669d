"""What AlterConfigs and IncrementalAlterConfigs share: what a broker checks itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, TypeVar

from spindle.core.controller.configs import (
    Alteration,
    ConfigOperation,
    ConfigResource,
    listed,
    parts,
)
from spindle.core.controller.controller_state import check_records
from spindle.model import cordons
from spindle.model.errors import Error, Refusal, Unusable
from spindle.model.image import BROKER_RESOURCE
from spindle.node.parts import SIZE
from spindle.node.request_context import LATER, Later, R, RequestContext
from spindle.wire.codec import Whole
from spindle.wire.messages import alter_configs_request as whole
from spindle.wire.messages import incremental_alter_configs_request as incremental

if TYPE_CHECKING:
    from spindle.node.broker import Broker
    from spindle.node.controller import Controller

S = TypeVar("S")


class RepeatedResources:
    """How often a request names each resource that is served in parts."""

    def __init__(self) -> None:
        self.named: Counter[ConfigResource] = Counter()

    def take(self, controller: Controller, request: Whole) -> None:
        """Look at some."""
        assert isinstance(
            request, whole.AlterConfigsRequest | incremental.IncrementalAlterConfigsRequest
        )
        self.named.update(
            ConfigResource(r.resource_type, r.resource_name) for r in request.resources
        )


def weigh(_: Controller, resource: object) -> int:
    """How much work a resource is: itself and its settings."""
    assert isinstance(resource, whole.AlterConfigsResource | incremental.AlterConfigsResource)
    return 1 + len(resource.configs)


def hand_on(
    broker: Broker,
    context: RequestContext[R],
    asked: Iterator[Iterable[tuple[ConfigResource, Iterable[Alteration]]]],
    refuse: Callable[[Error, str], R],
) -> Later:
    """Hand on to the controller what this broker can live with, once all of it was looked at.

    `asked`: for each resource the changes that this broker must look at, or none. A part of them is
    looked at in a turn.
    """
    _look_on(broker, context, asked, refuse)
    return LATER


def _look_on(
    broker: Broker,
    context: RequestContext[R],
    asked: Iterator[Iterable[tuple[ConfigResource, Iterable[Alteration]]]],
    refuse: Callable[[Error, str], R],
) -> None:
    try:
        part = tuple(islice(asked, SIZE))
        _check_cordons(broker, chain.from_iterable(part))
        if len(part) == SIZE:
            broker.out.in_turn(partial(_look_on, broker, context, asked, refuse))
        else:
            broker.forwarding.forward(context, refuse)
    except Refusal as refusal:
        context.answer(refuse(refusal.error, refusal.message))


def some(settings: Sequence[S]) -> Sequence[S]:
    """The settings of a resource. Refusal POLICY_VIOLATION where they are far more than exist."""
    check_records(len(settings))
    return settings


def _check_cordons(
    broker: Broker, asked: Iterable[tuple[ConfigResource, Iterable[Alteration]]]
) -> None:
    """Refusal of the whole where a broker's cordons name what it has not (KIP-1066).

    Only the broker itself knows its directories, so another one does not take the change.
    """
    for resource, alterations in asked:
        if not resource.name:
            continue
        for alteration in alterations:
            if (
                alteration.name == cordons.SETTING
                and alteration.operation != ConfigOperation.DELETE
            ):
                _check_cordon(broker, resource.name, alteration.operation, alteration.value)


def _check_cordon(broker: Broker, name: str, operation: int, value: str | None) -> None:
    if name != str(broker.node_id):
        raise Refusal(
            Error.INVALID_REQUEST,
            f"Unexpected broker id, expected {broker.node_id}, but received {name}",
        )
    named = parts(value)
    if operation != ConfigOperation.SET:
        own = broker.image.config(BROKER_RESOURCE, name).get(cordons.SETTING)
        before = broker.settings.names(cordons.SETTING) if own is None else parts(own)
        named = listed(operation, list(before), named)
    try:
        cordons.check(named, broker.context.config.log_dirs)
    except Unusable as unusable:
        raise Refusal(Error.INVALID_REQUEST, f"requirement failed: {unusable}") from None
