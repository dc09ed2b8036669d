"""Controllers of another cluster: named, and halted for where they are what the node has."""

from __future__ import annotations

import random
from typing import Any

import pytest
from tools.messages.entities import make, response_class
from tools.messages.frames import encode_response

from spindle.model.config import NodeConfig, node_config
from spindle.model.errors import Error, PeerGone
from spindle.model.outbox import Outbox, Ready
from spindle.node.peers import Peers
from spindle.node.quorum.foreign_controllers import Strangers
from spindle.wire.apis import Key
from spindle.wire.framing import RequestHeader

ONE, TWO = ("h1", 1), ("h2", 2)


def config(*voters: int) -> NodeConfig:
    """A broker of these voters."""
    return node_config(
        {
            "node.id": "9",
            "process.roles": "broker",
            "controller.quorum.voters": ",".join(f"{n}@h{n}:{n}" for n in voters),
        }
    )


class Desk:
    """Strangers, and their orders."""

    def __init__(self, *voters: int) -> None:
        self.out = Outbox(random.Random(1))
        self.strangers = Strangers(config(*voters), "OURS", self.out, Peers(self.out, "9"))

    def refused(self, address: tuple[str, int], answer: Any = None) -> Ready | None:
        """What is ordered once a controller has refused us and said (or not) whose it is."""
        self.strangers.on_refused(address)
        ready = self.out.take()
        if ready is None:
            return None
        (asked,) = ready.frames
        assert (asked.host, asked.port) == address
        self.out.done(asked.ticket, reply(answer) if answer else PeerGone("gone"))
        return self.out.take()


def reply(cluster: str) -> bytes:
    """A controller's DescribeCluster answer."""
    answer = make(
        response_class(Key.DESCRIBE_CLUSTER, 1),
        error_code=Error.NONE,
        error_message=None,
        cluster_id=cluster,
    )
    header = RequestHeader(Key.DESCRIBE_CLUSTER, 1, 1, None)
    return b"".join(map(bytes, encode_response(header, answer)))[4:]


@pytest.mark.parametrize(("told", "named"), [("THEIRS", "THEIRS"), (None, "another one")])
def test_the_only_controller_is_another_clusters(told: str | None, named: str) -> None:
    ready = Desk(1).refused(ONE, told)
    assert ready is not None
    assert ready.halt is not None
    assert ready.unusable
    assert ready.halt.startswith(
        f"this broker belongs to cluster OURS, the controller at h1:1 to cluster {named}: correct"
        " controller.quorum.voters, or"
    )


def test_one_of_three_is_reported_and_two_of_three_halt_the_node() -> None:
    desk = Desk(1, 2, 3)
    ready = desk.refused(ONE, "THEIRS")
    assert ready is not None
    assert ready.halt is None
    assert [said.event for said in ready.log_lines] == ["a controller of another cluster"]
    assert desk.refused(ONE, "THEIRS") is None, "it is reported once"
    ready = desk.refused(TWO, "THEIRS")
    assert ready is not None
    assert ready.unusable


def test_a_node_that_was_accepted_goes_on() -> None:
    desk = Desk(1)
    desk.strangers.on_accepted()
    ready = desk.refused(ONE, "THEIRS")
    assert ready is not None
    assert ready.halt is None
    assert len(ready.log_lines) == 1
