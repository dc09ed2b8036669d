"""One connection: many requests on their way, and every way in which it can break."""

from __future__ import annotations

import asyncio
import socket

import pytest
from tests.support.fake_broker import HANG_UP, FakeBroker
from tests.support.idle_time import IdleLoop
from tools.messages.entities import make, response_types
from tools.messages.frames import decode_request, encode_response

from spindle.client.failures import OutOfTime, Unreachable
from spindle.client.link import OPEN_MAX, Link
from spindle.wire.apis import Key
from spindle.wire.messages.metadata_request import MetadataRequest

pytestmark = pytest.mark.usefixtures("only_idle_time")
METADATA = MetadataRequest(topics=None)


async def connect(broker: FakeBroker) -> Link:
    return await Link.connect(
        "127.0.0.1", broker.port, name="broker 1", client_id="test", seconds=5
    )


def test_many_requests_are_on_their_way_at_once_and_each_gets_its_own_answer() -> None:
    async def scenario() -> None:
        async with FakeBroker(1) as broker:
            numbers = iter(range(100))
            broker.on(
                Key.METADATA,
                lambda request, types: make(types.MetadataResponse, cluster_id=str(next(numbers))),
            )
            link = await connect(broker)
            answers = await asyncio.gather(*(link.ask(METADATA, 9, 5) for _ in range(100)))
            assert [a.cluster_id for a in answers] == [str(n) for n in range(100)]
            link.close()

    asyncio.run(scenario())


def test_silence_is_out_of_time_and_names_broker_api_and_limit() -> None:
    async def scenario() -> None:
        async with FakeBroker(1) as broker:
            broker.on(Key.METADATA, lambda request, types: None)
            link = await connect(broker)
            with pytest.raises(OutOfTime, match=r"broker 1 did not answer Metadata within 0\.05 s"):
                await link.ask(METADATA, 9, 0.05)
            assert not link.alive
            with pytest.raises(Unreachable):
                await link.ask(METADATA, 9, 1)

    asyncio.run(scenario())


def test_an_answer_that_came_while_this_process_stood_still_is_in_time() -> None:
    async def scenario() -> str | None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, IdleLoop)
        with socket.create_server(("127.0.0.1", 0)) as server:
            link = await Link.connect(
                *server.getsockname(), name="broker 1", client_id="test", seconds=5
            )
            far, _ = server.accept()
        with far:
            asked = asyncio.create_task(link.ask(METADATA, 9, 5))
            await asyncio.sleep(0)
            request = decode_request(far.recv(1000)[4:])
            answer = make(response_types(Key.METADATA, 9).MetadataResponse, cluster_id="it")
            far.sendall(b"".join(encode_response(request.header, answer)))
            loop.stand(60)
            told = await asked
            assert link.alive
            link.close()
            return told.cluster_id

    assert asyncio.run(scenario()) == "it"


def test_a_broken_connection_fails_all_that_wait() -> None:
    async def scenario() -> None:
        async with FakeBroker(1) as broker:
            broker.on(Key.METADATA, lambda request, types: HANG_UP)
            link = await connect(broker)
            asked = [link.ask(METADATA, 9, 5) for _ in range(3)]
            failures = await asyncio.gather(*asked, return_exceptions=True)
            assert [type(f) for f in failures] == [Unreachable] * 3

    asyncio.run(scenario())


def test_a_cancelled_caller_leaves_the_others_their_answers() -> None:
    async def scenario() -> None:
        async with FakeBroker(1) as broker:
            broker.on(Key.METADATA, lambda request, types: make(types.MetadataResponse))
            link = await connect(broker)
            first = asyncio.create_task(link.ask(METADATA, 9, 5))
            second = asyncio.create_task(link.ask(METADATA, 9, 5))
            await asyncio.sleep(0)
            first.cancel()
            assert (await second).topics == ()
            assert (await link.ask(METADATA, 9, 5)).topics == ()
            link.close()

    asyncio.run(scenario())


def test_no_more_than_so_many_requests_wait_at_once() -> None:
    async def scenario() -> None:
        async with FakeBroker(1) as broker:
            broker.on(Key.METADATA, lambda request, types: None)
            link = await connect(broker)
            waiting = [asyncio.create_task(link.ask(METADATA, 9, 5)) for _ in range(OPEN_MAX)]
            await asyncio.sleep(0)
            with pytest.raises(Unreachable, match=f"{OPEN_MAX} requests are waiting"):
                await link.ask(METADATA, 9, 5)
            link.close()
            failures = await asyncio.gather(*waiting, return_exceptions=True)
            assert {type(f) for f in failures} == {Unreachable}

    asyncio.run(scenario())


@pytest.mark.parametrize(
    "nonsense",
    [
        pytest.param(b"SSH-2.0-OpenSSH_9.6\r\n", id="another protocol"),
        pytest.param(b"\0\0\0\2\0\0", id="a frame without a header"),
        pytest.param(b"\0\0\0\4\0\0\1\0", id="an answer to nothing"),
    ],
)
def test_a_server_which_speaks_nonsense_is_given_up(nonsense: bytes) -> None:
    async def scenario() -> None:
        async def speak(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(nonsense)

        server = await asyncio.start_server(speak, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        link = await Link.connect("127.0.0.1", port, name="it", client_id="test", seconds=5)
        with pytest.raises(Unreachable, match="it: sent something that is no answer"):
            await link.ask(METADATA, 9, 5)
        server.close()

    asyncio.run(scenario())


def test_a_refused_connection_says_so(port: int) -> None:
    async def scenario() -> None:
        with pytest.raises(Unreachable, match="broker 1: Connection refused"):
            await Link.connect("127.0.0.1", port, name="broker 1", client_id="t", seconds=5)

    asyncio.run(scenario())
