"""One large request of every API of a controller with an array is served in small turns (S-08).

Generated from the table of handlers. What one input does is counted in calls of functions, which
is the same on every machine: a request of four times as many things must not take more of them at
once. Reading a request is not counted here.
"""

from __future__ import annotations

import sys
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest
from tools.messages.entities import request_class
from tools.messages.frames import encode_message

from spindle import wire
from spindle.node.handlers import CONTROLLER
from spindle.node.node import Node
from spindle.sim.cluster import Cluster, Member, Shape
from spindle.sim.host import Host
from spindle.sim.world import World
from spindle.wire.apis import TABLE, Key
from spindle.wire.layout import Field, Layout, layout_of

FEW, MANY = 1_000, 4_000
GROWTH: Final = 2.0
"""How much more one input may do for four times as many things: their hashes, their copies."""
LITTLE: Final = 20_000
"""Calls that nobody notices: two milliseconds or so."""
IN_ONE: Final = {
    Key.BROKER_HEARTBEAT: "a broker tells of its directories, all at once",
    Key.BROKER_REGISTRATION: "a broker tells of its directories and listeners, all at once",
    Key.CONTROLLER_REGISTRATION: "a controller tells of its listeners, all at once",
    Key.DESCRIBE_QUORUM: "there is one topic to describe; it is not parted yet",
    Key.UPDATE_FEATURES: "all features change or none",
}
"""What is still served at once, however large, and what it is."""


WIRE = str(Path(wire.__file__).parent)


class Counting(World):
    """A world that counts the calls of functions of each input of a node."""

    most = 0

    def feed(self, host: Host, happened: Callable[[], None]) -> None:
        """Let something happen, and count what is called for it."""

        def counted() -> None:
            with counting() as calls:
                happened()
            self.most = max(self.most, calls[0])

        super().feed(host, counted)


@contextmanager
def counting() -> Iterator[list[int]]:
    calls = [0]

    def note(frame: Any, event: str, argument: Any) -> None:
        # Reading and writing messages is counted in bytes, elsewhere.
        if event in ("call", "c_call") and WIRE not in frame.f_code.co_filename:
            calls[0] += 1

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        yield calls
    finally:
        sys.setprofile(before)


def made(layout: Layout, outer: int, inner: int, seed: int = 0) -> Any:
    """A message whose arrays have `outer` elements, and those within its elements `inner`."""
    assert layout.cls is not None
    return layout.cls(**{f.name: _field(f, outer, inner, seed) for f in layout.fields})


def _field(field: Field, outer: int, inner: int, seed: int) -> Any:
    if field.array:
        return tuple(_one(field, inner, seed * outer + n) for n in range(outer))
    return _one(field, inner, seed)


def _one(field: Field, inner: int, seed: int) -> Any:
    if field.layout is not None:
        return made(field.layout, inner, 1, seed)
    kind = field.kind
    if kind == "string":
        return f"n-{seed}"
    if kind == "uuid":
        return uuid.UUID(int=1_000 + seed)
    if kind == "bool":
        return False
    if kind == "float64":
        return 0.0
    if kind == "error_code":
        return 0
    if kind.startswith("timedelta"):
        return timedelta(seconds=5)
    if kind == "datetime_i64":
        return datetime(1970, 1, 1, tzinfo=UTC)
    if kind in ("bytes", "records"):
        return b""
    return seed % 100 if kind in ("int8", "uint8") else seed % 30_000


def has_arrays(layout: Layout) -> bool:
    return any(f.array for f in layout.fields)


ASKED: Final = [
    pytest.param(table is CONTROLLER, Key(key), id=f"{name}-{Key(key).name}")
    for name, table in (("controller", CONTROLLER),)
    for key in table
    if key not in IN_ONE and has_arrays(layout_of(request_class(key, TABLE[Key(key)].max)))
]


class Scene:
    """A broker and a controller, and connections to them."""

    def __init__(self) -> None:
        self.world = Counting(1)
        self.cluster = Cluster(self.world, Shape(brokers=1))
        self.cluster.start()
        self.cluster.until(self.cluster.serves)
        self.connections = 1_000

    def largest(self, controller: bool, key: Key, outer: int, inner: int) -> int:
        """The most calls in an input of a request."""
        version = TABLE[key].max
        body = made(layout_of(request_class(key, version)), outer, inner)
        frame = encode_message(body, 1, "one")
        member = self._member(controller)
        listener = member.config.listeners[0].name
        self.connections += 1
        number = self.connections

        def come(node: Node) -> None:
            node.on_connected(number, listener, "127.0.0.1")
            node.on_frame(number, frame)

        self.world.most = 0
        assert member.node is not None
        node = member.node
        self.world.feed(member.host, lambda: come(node))
        self.world.run(self.world.now + 8.0)
        assert not member.host.halted
        return self.world.most

    def _member(self, controller: bool) -> Member:
        for member in self.cluster.members.values():
            if member.config.is_controller == controller:
                return member
        raise AssertionError("there is no such node")


@pytest.mark.spec("S-08")
@pytest.mark.parametrize(("controller", "key"), ASKED)
def test_a_large_request_is_served_in_small_turns(controller: bool, key: Key) -> None:
    scene = Scene()
    few = scene.largest(controller, key, FEW, 1)
    many = scene.largest(controller, key, MANY, 1)
    assert many <= max(GROWTH * few, LITTLE), "of many things"
    few = scene.largest(controller, key, 1, FEW)
    many = scene.largest(controller, key, 1, MANY)
    assert many <= max(GROWTH * few, LITTLE), "of one thing that holds many"
