"""Requests to other nodes whose replies do not come."""

from __future__ import annotations

import asyncio

import pytest

from spindle.model.errors import PeerFailed
from spindle.model.outbox import FrameAsked
from spindle.runtime.net import listen, scratch
from spindle.runtime.outgoing import OutgoingConnections

pytestmark = pytest.mark.usefixtures("only_idle_time")
REQUEST = b"\0\0\0\4\0\0\0\1"
LONG, SHORT = 50.0, 0.05


async def asked(*rounds: tuple[float, ...]) -> dict[int, object]:
    """What became of requests of one connection with these timeouts, by ticket.

    All but those of the last round get a reply before the next round begins.
    """
    found: dict[int, object] = {}
    news = asyncio.Event()
    loop = asyncio.get_running_loop()

    def reply(ticket: int, result: object) -> None:
        found[ticket] = result
        news.set()

    with listen("127.0.0.1", 0) as door:
        host, port = door.getsockname()
        peers = OutgoingConnections(loop, 1 << 20, scratch(), reply, 60.0)
        tickets = 0
        for timeouts in rounds:
            for timeout in timeouts:
                peers.send(FrameAsked(tickets, host, port, "test", REQUEST, timeout))
                tickets += 1
            if tickets == len(timeouts):
                client, _ = await loop.sock_accept(door)
            if timeouts is not rounds[-1]:
                await loop.sock_sendall(client, REQUEST * len(timeouts))
            while len(found) < tickets:
                await asyncio.wait_for(news.wait(), 60)
                news.clear()
        peers.close()
        client.close()
    return found


def test_a_connection_is_given_up_at_the_first_reply_that_is_overdue() -> None:
    """Whichever of its requests that is: their order is lost."""
    found = asyncio.run(asked((LONG, SHORT, LONG)))
    assert len(found) == 3
    for failure in found.values():
        assert isinstance(failure, PeerFailed)
        assert f"no reply within {SHORT:g} s" in str(failure)


def test_a_reply_is_waited_for_as_long_as_its_own_request_says() -> None:
    """Not as long as those before it said, which have theirs."""
    found = asyncio.run(asked((LONG, LONG), (LONG,), (SHORT,)))
    assert not any(isinstance(found[ticket], PeerFailed) for ticket in range(3))
    assert f"no reply within {SHORT:g} s" in str(found[3])
