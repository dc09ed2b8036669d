"""What a request to alter settings names, and whether it can be asked for at all (KIP-339).

Apache Kafka's brokers look at a request before they hand it on: a setting that is named twice or
set to null is refused. A controller that a client asks itself (KIP-919) takes the last of those
that are named twice, and removes what is set to null. So do ours. Called by `configs`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from spindle.core.controller.controller_state import Draft
from spindle.core.controller.topic_names import check_name
from spindle.model.errors import Error, Refusal
from spindle.model.image import (
    BROKER_RESOURCE,
    CLIENT_METRICS_RESOURCE,
    GROUP_RESOURCE,
    TOPIC_RESOURCE,
)

_LOGGERS: Final = 8
_KNOWN: Final = (TOPIC_RESOURCE, BROKER_RESOURCE, CLIENT_METRICS_RESOURCE, GROUP_RESOURCE)


class ConfigOperation(IntEnum):
    """What is done to a setting, by its number on the wire."""

    SET = 0
    DELETE = 1
    APPEND = 2
    SUBTRACT = 3


@dataclass(frozen=True, slots=True)
class ConfigResource:
    """What has settings: type 2 a topic, 4 a broker ("" for all of them), 16 a client metrics
    subscription, 32 a group.
    """

    type: int
    name: str


@dataclass(frozen=True, slots=True)
class Alteration:
    """One setting of a request: (name, operation, value)."""

    name: str
    operation: int
    value: str | None

    @property
    def removes(self) -> bool:
        """Whether the setting goes back to its default: a client of a controller may say null."""
        is_set = self.operation == ConfigOperation.SET
        return self.operation == ConfigOperation.DELETE or (is_set and self.value is None)


def distinct(alterations: Sequence[Alteration], direct: bool) -> list[Alteration]:
    """Each setting once. Refusal where a broker has handed on what brokers refuse.

    `direct`: the client asks the controller itself.
    """
    last = {alteration.name: alteration for alteration in alterations}
    if not direct:
        if len(last) < len(alterations):
            raise Refusal(Error.INVALID_REQUEST, "Error due to duplicate config keys")
        check_values(a for a in alterations if a.operation != ConfigOperation.DELETE)
    return list(last.values())


def check_values(alterations: Iterable[Alteration]) -> None:
    """Refusal where these have no value, in Kafka's words."""
    if names := [a.name for a in alterations if a.value is None]:
        raise Refusal(Error.INVALID_REQUEST, f"Null value not supported for : {', '.join(names)}")


def check_type(resource: ConfigResource, direct: bool) -> None:
    """Refusal where resources of a type have no settings; a controller has another code for it."""
    if resource.type in _KNOWN:
        return
    if not direct:
        raise Refusal(Error.INVALID_REQUEST, f"Unknown resource type {resource.type}")
    if resource.type == _LOGGERS:
        raise Refusal(Error.INVALID_REQUEST, "Unexpected resource type BROKER_LOGGER.")
    raise Refusal(Error.UNSUPPORTED_VERSION, f"Unknown resource type {resource.type}.")


def check_once(resource: ConfigResource, named: Mapping[ConfigResource, int], direct: bool) -> None:
    """Refusal where a request names a resource more than once."""
    if named[resource] > 1:
        why = "Duplicate resource." if direct else "Each resource must appear at most once."
        raise Refusal(Error.INVALID_REQUEST, why)


def check_resource(draft: Draft, resource: ConfigResource) -> None:
    """Refusal where there is no such topic or broker, or a name is none."""
    name = resource.name
    if resource.type == TOPIC_RESOURCE:
        if not name:
            raise Refusal(Error.INVALID_REQUEST, "Default topic resources are not allowed.")
        check_name(name)
        if draft.state.image.topic(name) is None:
            raise Refusal(Error.UNKNOWN_TOPIC_OR_PARTITION, f"The topic '{name}' does not exist.")
    elif resource.type == BROKER_RESOURCE:
        if name:
            _check_broker(draft, name)
    elif not name:
        words = "Default group resources are not allowed."
        if resource.type == CLIENT_METRICS_RESOURCE:
            words = "Subscription name can't be empty"
        raise Refusal(Error.INVALID_REQUEST, words)


def _check_broker(draft: Draft, name: str) -> None:
    digits = name.removeprefix("-")
    if not digits.isdecimal() or not digits.isascii():
        why = "Unable to parse broker name as a base 10 number."
        raise Refusal(Error.INVALID_REQUEST, why)
    if digits != name:
        raise Refusal(Error.INVALID_REQUEST, "Invalid negative broker ID.")
    number = int(name)
    if draft.broker(number) is None and number not in draft.state.image.controllers:
        raise Refusal(Error.BROKER_ID_NOT_REGISTERED, f"No node with id {number} found.")
