"""Every field of a request that we serve is read by the code that serves it, or stands here.

What Apache Kafka 4.3 honours is honoured or refused; what stands here as unread it does not use
either, or it concerns something that we do not have and refuse by name elsewhere.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tests.support import trees
from tools.messages.entities import request_types

import spindle
from spindle.node.handlers import BROKER, CONTROLLER
from spindle.node.request_context import Serving
from spindle.wire.apis import TABLE, Key

ELSEWHERE: dict[Key, tuple[str, ...]] = {
    Key.FETCH: ("node/replicas/fetch_manager.py", "node/replicas/delayed_fetch.py"),
    Key.ADD_PARTITIONS_TO_TXN: ("node/handlers/_requested_transactions.py",),
    Key.CREATE_DELEGATION_TOKEN: ("node/authorization/token_checks.py",),
    Key.DESCRIBE_ACLS: ("node/handlers/_acl_filters.py",),
    Key.CREATE_ACLS: ("node/handlers/_acl_filters.py",),
    Key.DELETE_ACLS: ("node/handlers/_acl_filters.py",),
    Key.ALTER_CONFIGS: ("node/handlers/_configs.py",),
    Key.INCREMENTAL_ALTER_CONFIGS: ("node/handlers/_configs.py",),
    Key.OFFSET_COMMIT: ("node/handlers/_offsets.py",),
    Key.TXN_OFFSET_COMMIT: ("node/handlers/_offsets.py",),
    Key.BEGIN_QUORUM_EPOCH: ("node/handlers/_quorum.py",),
    Key.END_QUORUM_EPOCH: ("node/handlers/_quorum.py",),
    Key.BROKER_HEARTBEAT: ("node/directory_capacities.py",),
    Key.SHARE_FETCH: ("node/handlers/_shares.py", "node/share/delayed_share_fetch.py"),
    Key.SASL_HANDSHAKE: ("node/sasl_authenticator.py",),
    Key.SASL_AUTHENTICATE: ("node/sasl_authenticator.py",),
}  # fmt: skip
"""What a handler gives its request to."""

UNREAD: dict[Key, dict[str, str]] = {
    # Kafka waits so long for a remote storage only; no log of Spindle has one.
    Key.LIST_OFFSETS: {"timeout": "ListOffsetsRequest"},
    # Kafka's leaders answer consumers and followers alike.
    Key.OFFSET_FOR_LEADER_EPOCH: {"replica_id": "OffsetForLeaderEpochRequest"},
    # Kafka 4 knows no ZooKeeper and records false, whatever the request says.
    Key.CONTROLLER_REGISTRATION: {"zk_migration_ready": "ControllerRegistrationRequest"},
    # A successor is known by its id: a node has one metadata directory at a time.
    Key.END_QUORUM_EPOCH: {"candidate_directory_id": "ReplicaInfo"},
}  # fmt: skip
"""Fields that no code reads, with the class that has them, and why."""

KEYS = [Key(key) for key in sorted({*BROKER, *CONTROLLER})]


@cache
def read_in(path: Path) -> frozenset[str]:
    """The names of all attributes that a module reads, `getattr` included."""
    found = set()
    for node in trees.nodes(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            found.add(node.attr)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)
    return frozenset(found)


def handlers(key: Key) -> Iterator[ModuleType]:
    tables: tuple[dict[int, Serving[Any]], ...] = (BROKER, CONTROLLER)
    for table in tables:
        if key in table:
            yield sys.modules[table[key].module]


def sources(key: Key) -> Iterator[Path]:
    root = Path(spindle.__file__).parent
    for module in handlers(key):
        assert module.__file__ is not None
        yield Path(module.__file__)
    for name in ELSEWHERE.get(key, ()):
        yield root / name


def fields_of(key: Key) -> Iterator[tuple[str, str]]:
    """(field, class) of all versions that we read."""
    api = TABLE[key]
    for version in range(api.readable_from, api.max + 1):
        types = request_types(key, version)
        for name, cls in vars(types).items():
            if is_dataclass(cls) and getattr(cls, "__module__", "") == types.__name__:
                yield from ((field.name, name) for field in fields(cls))


@pytest.mark.spec("N-01")
@pytest.mark.parametrize("key", KEYS, ids=lambda key: key.name)
def test_every_field_of_a_request_is_read(key: Key) -> None:
    read = frozenset[str]().union(*map(read_in, sources(key)))
    unread = {field: name for field, name in fields_of(key) if not {field, f"{field}_ms"} & read}
    assert unread == UNREAD.get(key, {})


@pytest.mark.spec("N-01")
def test_what_is_given_on_is_read_there() -> None:
    for key, names in ELSEWHERE.items():
        asked = {field for field, _ in fields_of(key)}
        for name in names:
            import_module("spindle." + name.removesuffix(".py").replace("/", "."))
            (path,) = (p for p in sources(key) if p.as_posix().endswith(name))
            assert asked & read_in(path), f"{name} reads nothing of {key.name}"
