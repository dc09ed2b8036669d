"""Connections that send what is no request are closed, and reported now and then (S-08)."""

from __future__ import annotations

import random

import pytest

from spindle.model.outbox import Outbox
from spindle.node.connection import Connection
from spindle.node.router import SAY_SECONDS, Router


@pytest.mark.spec("S-08")
def test_of_many_that_are_refused_one_line_is_said() -> None:
    out = Outbox(random.Random(1))
    router = Router({}, None, out)

    def refused(count: int) -> list[object]:
        for number in range(count):
            router.on_frame(Connection(number, "PLAINTEXT", "here", out), bytes(range(100)))
        ready = out.take()
        assert ready is not None
        assert ready.closes == list(range(count))
        return [said.fields["so_far"] for said in ready.log_lines]

    out.now = 100.0
    assert refused(1_000) == [1]
    out.now += SAY_SECONDS
    assert refused(10) == [1_001]
