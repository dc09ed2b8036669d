"""Spindle's tagged fields on Kafka's messages, which all others step over (KIP-482; B-25).

The table at the end names them; classes that have one are made again from kio's, and so are those
that hold such a class. A default says that the other side does not know the field. Their tags are
far above those that Apache Kafka gives out, one by one from 0. Called by `entities`.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import MISSING, field, fields, is_dataclass, make_dataclass
from functools import cache
from types import GenericAlias, ModuleType, UnionType
from typing import Any, Final, get_args, get_origin

from kio.static.constants import EntityType

from spindle.wire.apis import Key
from tools.messages.private import Part

FIRST_TAG: Final = 10_000
_TYPES: Final[dict[str, Any]] = {
    "bool": bool,
    "uuid": uuid.UUID | None,
    "int32": int,
    "int64": int,
}
_CLASS_VARIABLES: Final = (
    "__type__",
    "__version__",
    "__flexible__",
    "__api_key__",
    "__header_schema__",
)


def knows(key: int, struct: str, name: str) -> bool:
    """Whether we have given a message's struct such a field."""
    return any(
        part.name == name
        for direction in (EntityType.request, EntityType.response)
        for part in ADDITIONS.get((key, direction), {}).get(struct, ())
    )


def with_additions(module: ModuleType, key: int, direction: EntityType) -> ModuleType:
    """kio's module, or one like it whose classes have our fields too."""
    added = ADDITIONS.get((key, direction))
    if added is None or not _is_flexible(module):
        return module
    return _extended(module, key, direction)


@cache
def _extended(module: ModuleType, key: int, direction: EntityType) -> ModuleType:
    added = ADDITIONS[key, direction]
    made = ModuleType(module.__name__)
    anew: dict[Any, Any] = {}
    for name, cls in _own(module).items():
        parts: list[Any] = [
            (f.name, _replaced(f.type, anew), _copy(f))
            for f in fields(cls)  # kio's order: what is nested stands before what holds it
        ]
        for part in added.get(name, ()):
            assert part.tag is not None
            metadata = {"kafka_type": part.kind.lstrip("?[]"), "tag": part.tag}
            parts.append(
                (part.name, _annotation(part), field(metadata=metadata, default=part.default))
            )
        namespace = {v: getattr(cls, v) for v in _CLASS_VARIABLES if hasattr(cls, v)}
        anew[cls] = make_dataclass(
            name, parts, frozen=True, slots=True, kw_only=True, namespace=namespace
        )
        anew[cls].__module__ = cls.__module__  # Python 3.12 and later name the module that calls.
        setattr(made, name, anew[cls])
    assert set(added) <= set(vars(made)), f"{module.__name__} has not all of {list(added)}"
    return made


def _own(module: ModuleType) -> dict[str, Any]:
    """The message classes that a kio module defines, in its order."""
    return {
        name: cls
        for name, cls in vars(module).items()
        if is_dataclass(cls) and getattr(cls, "__module__", "") == module.__name__
    }


def _is_flexible(module: ModuleType) -> bool:
    return all(cls.__flexible__ for cls in _own(module).values())


def _copy(given: Any) -> Any:
    if given.default is MISSING:
        return field(metadata=dict(given.metadata))
    return field(metadata=dict(given.metadata), default=given.default)


def _annotation(part: Part) -> Any:
    one = _TYPES[part.kind.removeprefix("[]")]
    return GenericAlias(tuple, (one, ...)) if part.kind.startswith("[]") else one


def _replaced(found: Any, anew: Mapping[Any, Any]) -> Any:
    """An annotation with the new classes in the place of the old ones."""
    if isinstance(found, UnionType):
        first, *rest = (_replaced(part, anew) for part in get_args(found))
        for part in rest:
            first = first | part
        return first
    if get_origin(found) is tuple:
        return GenericAlias(tuple, tuple(_replaced(part, anew) for part in get_args(found)))
    return anew.get(found, found) if isinstance(found, type) else found


# --- the table -----------------------------------------------------------------------------------

ADDITIONS: Final[Mapping[tuple[int, EntityType], Mapping[str, tuple[Part, ...]]]] = {
    # Whether the answer may have our field: some clients cannot step over a tag.
    (Key.DESCRIBE_LOG_DIRS, EntityType.request): {
        "DescribeLogDirsRequest": (
            Part("with_directory_ids", "bool", tag=FIRST_TAG, default=False),
        ),
    },
    # The id of each directory, as the metadata names it (KIP-858's future work).
    (Key.DESCRIBE_LOG_DIRS, EntityType.response): {
        "DescribeLogDirsResult": (Part("directory_id", "uuid", tag=FIRST_TAG),),
    },
    # What the directories that take new replicas have to offer, side by side
    # (`node.directory_capacities`).
    (Key.BROKER_HEARTBEAT, EntityType.request): {
        "BrokerHeartbeatRequest": (
            Part("room_directories", "[]uuid", tag=FIRST_TAG, default=()),
            Part("room_left", "[]int64", tag=FIRST_TAG + 1, default=()),
            Part("room_rates", "[]int64", tag=FIRST_TAG + 2, default=()),
            Part("room_logs", "[]int32", tag=FIRST_TAG + 3, default=()),
            Part("room_share", "int64", tag=FIRST_TAG + 4, default=-1),
            Part("room_grown", "int64", tag=FIRST_TAG + 5, default=-1),
            Part("room_devices", "[]int32", tag=FIRST_TAG + 6, default=()),
        ),
    },
    # What a client's change is in, so that its broker can answer once it acts on it itself.
    (Key.ENVELOPE, EntityType.response): {
        "EnvelopeResponse": (Part("metadata_offset", "int64", tag=FIRST_TAG, default=-1),),
    },
    # The directory of each replica, in their order; the zero id: wherever the broker likes.
    (Key.ALTER_PARTITION_REASSIGNMENTS, EntityType.request): {
        "ReassignablePartition": (Part("directories", "[]uuid", tag=FIRST_TAG, default=()),),
    },
    # The same as the controller has taken it into account.
    (Key.ALTER_PARTITION_REASSIGNMENTS, EntityType.response): {
        "ReassignablePartitionResponse": (
            Part("directories", "[]uuid", tag=FIRST_TAG, default=()),
        ),
    },
}
"""Our fields by API, direction and class."""
