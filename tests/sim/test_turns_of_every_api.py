"""One large request of every API with an array is served in small turns (S-08).

Generated from the tables of handlers. What one input does is counted in calls of functions, which
is the same on every machine: a request of four times as many things must not take more of them at
once. Reading a request is not counted here.
"""

from __future__ import annotations

import sys
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
from tools.messages.entities import request_class
from tools.messages.frames import encode_message
from tools.messages.layout import Field, Layout, layout_of

from spindle import wire
from spindle.node.handlers import BROKER, CONTROLLER
from spindle.node.node import Node
from spindle.sim.host import Host
from spindle.sim.sim_cluster import Shape, SimCluster, SimNode
from spindle.sim.world import World
from spindle.wire.apis import TABLE, Key

FEW, MANY = 1_000, 4_000
GROWTH: Final = 2.2
"""How much more one input may do for four times as many things: their hashes, their copies."""
LITTLE: Final = 20_000
"""Calls that no client notices: two milliseconds or so."""


class AtOnce(NamedTuple):
    """A request that is served in one turn, however large, and what that turn takes."""

    why: str
    each: int
    """Calls for each of its things, at most: a turn must not become dearer in silence."""
    ms: float
    """Processor time of the longest turn for 4,000 things, best of three, as it was measured."""


IN_ONE: Final = {
    ("broker", Key.SHARE_FETCH): AtOnce("a session takes in its partitions, all at once", 13, 34.3),
    ("controller", Key.BROKER_HEARTBEAT): AtOnce(
        "a broker tells of its directories, all at once", 7, 8.4
    ),
    ("controller", Key.BROKER_REGISTRATION): AtOnce(
        "a broker tells of its directories and listeners, all at once", 7, 11.9
    ),
    ("controller", Key.CONTROLLER_REGISTRATION): AtOnce(
        "a controller tells of its listeners, all at once", 26, 23.8
    ),
}
"""What is still served at once, by the kind of node: 4,000 things take less than 50 ms of it."""


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


TABLES: Final[dict[str, Iterable[int]]] = {"broker": BROKER, "controller": CONTROLLER}
ASKED: Final = [
    pytest.param(kind, Key(key), id=f"{kind}-{Key(key).name}")
    for kind, table in TABLES.items()
    for key in table
    if has_arrays(layout_of(request_class(key, TABLE[Key(key)].max)))
]


class Scene:
    """A broker and a controller, and connections to them."""

    def __init__(self) -> None:
        self.world = Counting(1)
        self.cluster = SimCluster(self.world, Shape(brokers=1))
        self.cluster.start()
        self.cluster.until(self.cluster.serves)
        self.connections = 1_000

    def largest(self, kind: str, key: Key, outer: int, inner: int) -> int:
        """The most calls in an input of a request."""
        version = TABLE[key].max
        body = made(layout_of(request_class(key, version)), outer, inner)
        frame = encode_message(body, 1, "one")
        member = self._member(kind)
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
        self.world.time.run(self.world.time.now + 8.0)
        assert not member.host.halted
        return self.world.most

    def _member(self, kind: str) -> SimNode:
        for member in self.cluster.members.values():
            if member.config.is_controller == (kind == "controller"):
                return member
        raise AssertionError("there is no such node")


@pytest.mark.spec("S-08")
@pytest.mark.parametrize(("kind", "key"), ASKED)
@pytest.mark.parametrize("wide", [True, False], ids=["many", "one-that-holds-many"])
def test_a_large_request_is_served_in_small_turns(kind: str, key: Key, wide: bool) -> None:
    scene = Scene()
    few, many = (
        scene.largest(kind, key, *((count, 1) if wide else (1, count))) for count in (FEW, MANY)
    )
    if (at_once := IN_ONE.get((kind, key))) is not None:
        assert many <= at_once.each * MANY, at_once.why
    else:
        assert many <= max(GROWTH * few, LITTLE)


@pytest.mark.spec("S-08")
@pytest.mark.parametrize(("kind", "key"), IN_ONE)
def test_what_is_said_to_be_served_at_once_is_so(kind: str, key: Key) -> None:
    scene = Scene()

    def grows(*shapes: tuple[int, int]) -> bool:
        few, many = (scene.largest(kind, key, *shape) for shape in shapes)
        return many > max(GROWTH * few, LITTLE)

    large = grows((FEW, 1), (MANY, 1)), grows((1, FEW), (1, MANY))
    assert any(large), "it is served in parts now: no row is needed"
