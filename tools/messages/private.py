"""Messages of our own: what Spindle's nodes and tools ask of each other and Kafka has no API for.

The table at the end declares them; from it come classes as kio has them, so that `entities`,
`framing` and the router treat them like any other. To add one: its key in `apis.Key` (30000 and
above, where Apache Kafka has none), its row in `apis`, its messages here, its handler in
`node.handlers`. ApiVersions tells of these keys only to clients that call themselves `SOFTWARE`;
a sender asks before whether the other side has them. Called by `entities`.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import field, make_dataclass
from functools import cache
from types import GenericAlias, ModuleType
from typing import Any, Final, NamedTuple

from kio.static.constants import EntityType

from spindle.wire.apis import Key

_TYPES: Final[dict[str, Any]] = {
    "bool": bool,
    "int8": int,
    "int16": int,
    "int32": int,
    "int64": int,
    "error_code": int,
    "float64": float,
    "string": str,
    "bytes": bytes,
    "uuid": uuid.UUID,
}


class Part(NamedTuple):
    """A field: a wire type, with `[]` before it for arrays and `?` for null, or `of` a struct.

    `since`: the first version that has it; `tag`: it is a tagged field (then `default` counts).
    """

    name: str
    kind: str
    of: Struct | None = None
    since: int = 0
    tag: int | None = None
    default: Any = None


class Struct(NamedTuple):
    """A message, or a part of one that repeats."""

    name: str
    parts: tuple[Part, ...]


class Message(NamedTuple):
    """A request and its response. All versions are flexible (KIP-482)."""

    newest: int
    request: Struct
    response: Struct


def versions(key: int) -> range:
    """The versions of one of our APIs; empty for any other."""
    message = MESSAGES.get(key)
    return range(message.newest + 1) if message is not None else range(0)


def knows(key: int, struct: str, name: str) -> bool:
    """Whether some version of a message's struct has such a field."""
    message = MESSAGES.get(key)
    return message is not None and any(
        found.name == struct and any(part.name == name for part in found.parts)
        for top in (message.request, message.response)
        for found in _nested(top)
    )


@cache
def module(key: int, version: int, direction: EntityType) -> ModuleType:
    """The classes of one of our messages, as a module like kio's. `key` and `version` are ours."""
    message = MESSAGES[key]
    assert version in versions(key)
    top = message.request if direction is EntityType.request else message.response
    made = ModuleType(f"{__name__}.{top.name}.v{version}")
    _declare(top, direction, made, {"__api_key__": int(key), "__version__": version})
    return made


def _declare(struct: Struct, kind: EntityType, made: ModuleType, common: dict[str, Any]) -> Any:
    """Make a struct's class, and those of its parts; all of them become names of the module."""
    fields = []
    for part in struct.parts:
        if part.since > common["__version__"]:
            continue
        metadata: dict[str, Any] = {"kafka_type": part.kind.lstrip("?[]")}
        options: dict[str, Any] = {"metadata": metadata}
        if part.tag is not None:
            metadata["tag"] = part.tag
            options["default"] = part.default
        fields.append((part.name, _annotation(part, made, common), field(**options)))
    cls = make_dataclass(
        struct.name,
        fields,
        frozen=True,
        slots=True,
        kw_only=True,
        namespace={"__type__": kind, "__flexible__": True, **common},
    )
    cls.__module__ = made.__name__
    setattr(made, struct.name, cls)
    return cls


def _annotation(part: Part, made: ModuleType, common: dict[str, Any]) -> Any:
    kind = part.kind.removeprefix("?")
    if part.of is not None:
        inner = _declare(part.of, EntityType.nested, made, common)
    else:
        inner = _TYPES[kind.removeprefix("[]")]
    if inner is uuid.UUID:
        inner |= None  # the zero id reads as None
    if kind.startswith("[]"):
        inner = GenericAlias(tuple, (inner, ...))
    return inner | None if kind != part.kind else inner


def _nested(struct: Struct) -> list[Struct]:
    return [struct, *(s for part in struct.parts if part.of for s in _nested(part.of))]


# --- the table -----------------------------------------------------------------------------------

_ALTER_REPLICA_STATE: Final = Message(
    newest=0,
    # KIP-589's fields; a topic's id says more than its name where the topic was made again.
    request=Struct(
        "AlterReplicaStateRequest",
        (
            Part("broker_id", "int32"),
            Part("broker_epoch", "int64"),
            Part("new_state", "int8"),
            Part("reason", "string"),
            Part("damaged", "bool", tag=0, default=False),
            Part(
                "topics",
                "[]",
                Struct(
                    "TopicData",
                    (
                        Part("name", "string"),
                        Part("partitions", "[]int32"),
                        Part("topic_id", "uuid", tag=0),
                    ),
                ),
            ),
        ),
    ),
    response=Struct(
        "AlterReplicaStateResponse",
        (
            Part("error_code", "error_code"),
            Part(
                "topics",
                "[]",
                Struct(
                    "TopicData",
                    (
                        Part("name", "string"),
                        Part(
                            "partitions",
                            "[]",
                            Struct(
                                "PartitionData",
                                (
                                    Part("partition_index", "int32"),
                                    Part("error_code", "error_code"),
                                ),
                            ),
                        ),
                    ),
                ),
            ),
            Part("error_message", "?string", tag=0),
        ),
    ),
)

_ALTER_LOG_DIR_STATE: Final = Message(
    newest=1,
    # One directory by its path, and what is wanted of it: node.logdirs.orders.Order. `force`: also
    # where partitions lose their last replica by it.
    request=Struct(
        "AlterLogDirStateRequest",
        (
            Part("log_dir", "string"),
            Part("wanted_state", "int8"),
            Part("force", "bool", since=1),
        ),
    ),
    response=Struct(
        "AlterLogDirStateResponse",
        (
            Part("error_code", "error_code"),
            Part("error_message", "?string"),
            Part("outcome", "string"),
        ),
    ),
)

_DESCRIBE_LOG_DIR_STATES: Final = Message(
    newest=0,
    request=Struct("DescribeLogDirStatesRequest", ()),
    response=Struct(
        "DescribeLogDirStatesResponse",
        (
            Part("error_code", "error_code"),
            Part(
                "log_dirs",
                "[]",
                Struct(
                    "LogDirState",
                    (
                        Part("log_dir", "string"),
                        Part("directory_id", "uuid"),
                        Part("state", "string"),
                        Part("reason", "string"),
                        Part("is_cordoned", "bool"),
                        Part("total_bytes", "int64"),
                        Part("usable_bytes", "int64"),
                        Part("replicas", "int32"),
                        Part("replica_bytes", "int64"),
                        Part("offline_replicas", "int32"),
                        Part("moves_in", "int32"),
                        Part("moves_out", "int32"),
                        Part("stray_bytes", "int64"),
                        Part("kept_bytes", "int64"),
                        Part("call_seconds", "float64"),
                        Part(
                            "events",
                            "[]",
                            Struct("Event", (Part("at_ms", "int64"), Part("text", "string"))),
                        ),
                    ),
                ),
            ),
        ),
    ),
)

_DESCRIBE_BAD_REPLICAS: Final = Message(
    newest=1,
    request=Struct("DescribeBadReplicasRequest", ()),
    response=Struct(
        "DescribeBadReplicasResponse",
        (
            Part("error_code", "error_code"),
            Part(
                "log_dirs",
                "[]",
                Struct(
                    "LogDir",
                    (
                        Part("log_dir", "string"),
                        Part("scrub_rounds", "int32"),
                        Part("scrub_ended_ms", "int64"),
                        Part("scrubbed_bytes", "int64"),
                        Part("scrub_total_bytes", "int64"),
                        Part(
                            "bad_copies",
                            "[]",
                            Struct(
                                "BadCopy",
                                (
                                    Part("name", "string"),
                                    Part("size", "int64"),
                                    Part("since_ms", "int64"),
                                    Part("reason", "string"),
                                ),
                            ),
                        ),
                        Part(
                            "replicas",
                            "[]",
                            Struct(
                                "Replica",
                                (
                                    Part("topic", "string"),
                                    Part("partition_index", "int32"),
                                    Part("reason", "string"),
                                    Part("is_damaged", "bool"),
                                    Part("outlook", "string"),
                                ),
                            ),
                        ),
                        Part(
                            "gaps",
                            "[]",
                            Struct(
                                "Gap",
                                (
                                    Part("topic", "string"),
                                    Part("partition_index", "int32"),
                                    Part("first_offset", "int64"),
                                    Part("next_offset", "int64"),
                                ),
                            ),
                            since=1,
                        ),
                    ),
                ),
            ),
        ),
    ),
)

_REPAIR_REPLICA: Final = Message(
    newest=0,
    # What is wanted: node.logdirs.orders.RescueAction.
    request=Struct(
        "RepairReplicaRequest",
        (Part("topic", "string"), Part("partition_index", "int32"), Part("action", "int8")),
    ),
    response=Struct(
        "RepairReplicaResponse",
        (
            Part("error_code", "error_code"),
            Part("error_message", "?string"),
            Part("outcome", "string"),
        ),
    ),
)

MESSAGES: Final[Mapping[int, Message]] = {
    Key.ALTER_LOG_DIR_STATE: _ALTER_LOG_DIR_STATE,
    Key.DESCRIBE_LOG_DIR_STATES: _DESCRIBE_LOG_DIR_STATES,
    Key.ALTER_REPLICA_STATE: _ALTER_REPLICA_STATE,
    Key.DESCRIBE_BAD_REPLICAS: _DESCRIBE_BAD_REPLICAS,
    Key.REPAIR_REPLICA: _REPAIR_REPLICA,
}
"""Our messages by key."""
