"""Levels of loggers in DescribeConfigs and IncrementalAlterConfigs: resources of type 8 (KIP-412).

Behaviour, as Apache Kafka 4.3: each node knows its own loggers alone and takes changes at once,
each resource as a whole or not at all; nothing is recorded, so a restart forgets them. SET and
DELETE; the root's level cannot be deleted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import Final

from spindle.core.controller.config_resources import ConfigOperation
from spindle.core.controller.controller_state import check_records
from spindle.model.errors import Error, Refusal
from spindle.model.ids import NodeId
from spindle.model.log_levels import LEVELS, LOGGERS, ROOT
from spindle.model.outbox import Outbox
from spindle.wire.messages.describe_configs_response import DescribeConfigsResourceResult
from spindle.wire.messages.incremental_alter_configs_request import (
    AlterableConfig,
    AlterConfigsResource,
)

LOGGER_RESOURCE: Final = 8
"""Kafka's type of the loggers of one node."""
TOO_LARGE: Final = "levels of loggers are changed by smaller requests: ask for them alone"
"""Why a broker's controller gets a request with loggers, which it refuses."""
_SOURCE: Final = 6
_OTHER_OPERATIONS: Final = {ConfigOperation.APPEND: "APPEND", ConfigOperation.SUBTRACT: "SUBTRACT"}


def described(
    out: Outbox, own: NodeId, name: str, names: Collection[str]
) -> tuple[DescribeConfigsResourceResult, ...]:
    """The levels that hold; all, or those of some loggers. Refusal: they are another node's."""
    if not name:
        raise Refusal(Error.INVALID_REQUEST, "Broker id must not be empty")
    _check_node("Broker", own, name, f"Unexpected broker id, expected {own} but received {name}")
    return tuple(
        DescribeConfigsResourceResult(
            name=logger,
            value=out.levels.of(logger),
            read_only=False,
            config_source=_SOURCE,
            documentation="",
        )
        for logger in LOGGERS
        if not names or logger in names
    )


def alter(
    out: Outbox, own: NodeId, resource: AlterConfigsResource, validate_only: bool
) -> tuple[Error, str | None]:
    """Change the levels of loggers; the error that the resource is refused with."""
    try:
        check_records(len(resource.configs))
        name = resource.resource_name
        unexpected = f"Unexpected node id. Expected {own}, but received {name}"
        _check_node("Node", own, name, unexpected)
        _check_names(resource.configs)
        for change in resource.configs:
            _check(change)
    except Refusal as refusal:
        return refusal.error, refusal.message
    if not validate_only:
        for change in resource.configs:
            _apply(out, change)
    return Error.NONE, None


def _check_node(what: str, own: NodeId, name: str, unexpected: str) -> None:
    try:
        asked = int(name)
    except ValueError:
        why = f"{what} id must be an integer, but it is: {name}"
        raise Refusal(Error.INVALID_REQUEST, why) from None
    if asked != own:
        raise Refusal(Error.INVALID_REQUEST, unexpected)


def _check_names(changes: Collection[AlterableConfig]) -> None:
    named = Counter(change.name for change in changes)
    if any(count > 1 for count in named.values()):
        raise Refusal(Error.INVALID_REQUEST, "Error due to duplicate config keys")
    empty = [
        change.name
        for change in changes
        if change.value is None and change.config_operation != ConfigOperation.DELETE
    ]
    if empty:
        raise Refusal(Error.INVALID_REQUEST, f"Null value not supported for : {', '.join(empty)}")


def _check(change: AlterableConfig) -> None:
    operation, name = change.config_operation, change.name
    if operation not in (ConfigOperation.SET, ConfigOperation.DELETE):
        shown = _OTHER_OPERATIONS.get(ConfigOperation(operation)) if 0 <= operation < 4 else None
        what = f"{shown} operation" if shown else f"Unknown operation type {operation}"
        why = f"{what} is not allowed for the BROKER_LOGGER resource"
        raise Refusal(Error.INVALID_REQUEST, why)
    if name not in LOGGERS:
        raise Refusal(Error.INVALID_CONFIG, f"Logger {name} does not exist!")
    if operation == ConfigOperation.DELETE:
        if name == ROOT:
            why = f"Removing the log level of the {ROOT} logger is not allowed"
            raise Refusal(Error.INVALID_REQUEST, why)
    elif change.value not in LEVELS:
        raise Refusal(
            Error.INVALID_CONFIG,
            f"Cannot set the log level of {name} to {change.value} as it is not a supported log"
            f" level. Valid log levels are {', '.join(sorted(LEVELS))}",
        )


def _apply(out: Outbox, change: AlterableConfig) -> None:
    if change.config_operation == ConfigOperation.DELETE:
        out.levels.unset(change.name)
    else:
        assert change.value is not None
        out.levels.set(change.name, change.value)
    level = out.levels.of(change.name)
    out.say("warning", "log level changed", name=change.name, reason=f"it is {level} now")
