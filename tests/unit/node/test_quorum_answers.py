"""What a node of the quorum makes of answers that are errors, and what its log says of them."""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable

import pytest
from tests.unit.node.quorum_hosts import CLUSTER_ID

from spindle.core.raft.raft_values import Ballot, VoteAnswer
from spindle.model.config import node_config
from spindle.model.errors import Error, PeerFailed
from spindle.model.offsets import OffsetAndEpoch
from spindle.model.outbox import Outbox
from spindle.node.peers import Peers, R
from spindle.node.quorum.metadata_log import MetadataLog
from spindle.node.quorum.quorum_io import QuorumIO
from spindle.node.quorum.raft_wire import RaftIdentity
from spindle.wire.codec import Request
from spindle.wire.messages.vote_response import VoteResponse

SETTINGS = {
    "node.id": "1",
    "process.roles": "controller",
    "listeners": "CONTROLLER://host-1:9001",
    "log.dirs": "/meta",
    "controller.quorum.voters": "1@host-1:9001,2@host-2:9002",
}


class Answering(Peers):
    """Answers every request at once, and in the same way."""

    def __init__(self, out: Outbox, answer: VoteResponse) -> None:
        super().__init__(out, "q1")
        self.answer = answer

    def ask(
        self,
        host: str,
        port: int,
        channel: str,
        request: Request[R],
        version: int,
        then: Callable[[R | PeerFailed], None],
        timeout: float = 30.0,
    ) -> None:
        then(self.answer)  # type: ignore[arg-type]


def voted(answer: VoteResponse) -> tuple[list[VoteAnswer | None], list[tuple[str, str, object]]]:
    """What a Vote comes to, and the lines of the log."""
    out = Outbox(random.Random(1))
    config = node_config(SETTINGS)
    identity = RaftIdentity(CLUSTER_ID, 1, uuid.UUID(int=1 << 100))
    peers = Answering(out, answer)
    io = QuorumIO(
        config, out, peers, MetadataLog("/meta", out, durable=True), identity, lambda _: None
    )
    found: list[VoteAnswer | None] = []
    io.ask_vote(2, Ballot(1, 1, OffsetAndEpoch(0, 0), False), found.append)
    ready = out.take()
    lines = [] if ready is None else ready.log_lines
    return found, [(line.level, line.event, line.fields.get("reason")) for line in lines]


def test_a_controller_that_starts_is_no_reason_for_a_warning() -> None:
    assert voted(VoteResponse(error_code=Error.BROKER_NOT_AVAILABLE)) == (
        [None],
        [("debug", "controller is starting or stopping", None)],
    )


@pytest.mark.parametrize(
    ("answer", "event", "reason"),
    [
        (
            VoteResponse(error_code=Error.CLUSTER_AUTHORIZATION_FAILED),
            "controller refuses a request",
            "VoteResponse says CLUSTER_AUTHORIZATION_FAILED",
        ),
        (
            VoteResponse(),
            "malformed response from the controller",
            "VoteResponse without the metadata partition",
        ),
    ],
)
def test_the_log_says_what_is_wrong_with_an_answer(
    answer: VoteResponse, event: str, reason: str
) -> None:
    assert voted(answer) == ([None], [("warning", event, reason)])
