"""Whether anything accepts connections at an address: real sockets."""

from __future__ import annotations

import asyncio
import socket

import pytest

from spindle.model.outbox import KnockAsked, Knocked
from spindle.runtime.knocking import Knocks


async def knock(host: str, port: int, seconds: float = 5.0) -> object:
    loop = asyncio.get_running_loop()
    told: asyncio.Future[tuple[int, object]] = loop.create_future()
    knocks = Knocks(loop, lambda ticket, outcome: told.set_result((ticket, outcome)))
    knocks.begin(KnockAsked(7, host, port, seconds))
    ticket, outcome = await told
    assert ticket == 7
    return outcome


@pytest.mark.spec("B-29")
def test_a_port_that_is_listened_on_opens_and_another_one_refuses() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert asyncio.run(knock("127.0.0.1", port)) is Knocked.OPENED
        assert asyncio.run(knock("localhost", port)) is Knocked.OPENED
    assert asyncio.run(knock("127.0.0.1", port)) is Knocked.REFUSED


@pytest.mark.spec("B-29")
def test_a_full_backlog_and_a_name_that_is_not_known_are_silent() -> None:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(0)
        port = server.getsockname()[1]
        links = []
        for _ in range(8):  # No process accepts: what does not fit waits.
            link = socket.socket()
            link.setblocking(False)
            link.connect_ex(("127.0.0.1", port))
            links.append(link)
        assert asyncio.run(knock("127.0.0.1", port, 0.2)) is Knocked.SILENT
        for link in links:
            link.close()
    assert asyncio.run(knock("no-such-host.invalid", 1)) is Knocked.SILENT


def test_what_is_under_way_is_given_up_in_the_end() -> None:
    async def run() -> list[object]:
        told: list[object] = []
        knocks = Knocks(asyncio.get_running_loop(), lambda *said: told.append(said))
        knocks.begin(KnockAsked(1, "127.0.0.1", 1, 5.0))
        knocks.close()
        await asyncio.sleep(0.05)
        return told

    assert asyncio.run(run()) == []
