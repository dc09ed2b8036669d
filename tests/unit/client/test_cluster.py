"""Finding the cluster, agreeing on versions, trying again."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest
from tests.support.fake_broker import HANG_UP, FakeBroker
from tools.messages.entities import make

from spindle.client.addresses import Address, parse_bootstrap
from spindle.client.admin import AdminClient
from spindle.client.cluster import Cluster, NobodyThere, NoSuchBroker
from spindle.client.deadline import Deadline
from spindle.client.failures import AuthenticationFailed, Refused, Unreachable
from spindle.model.errors import Error, Unusable
from spindle.wire.apis import Key
from spindle.wire.messages.describe_log_dirs_request import DescribeLogDirsRequest
from spindle.wire.messages.metadata_request import MetadataRequest

pytestmark = pytest.mark.usefixtures("only_idle_time")
METADATA = MetadataRequest(topics=None)


def cluster_of(*brokers: FakeBroker) -> Cluster:
    addresses = [Address("127.0.0.1", broker.port) for broker in brokers]
    return Cluster(addresses, client_id="test")


def test_bootstrap_servers_are_read() -> None:
    assert parse_bootstrap(" a:1, b:2 ,a:1") == (Address("a", 1), Address("b", 2))
    assert parse_bootstrap("[::1]:9092") == (Address("::1", 9092),)


@pytest.mark.parametrize("text", ["", "host", "host:", ":9092", "host:x", "host:70000", " , "])
def test_what_is_no_address_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(Unusable, match="host:port"):
        parse_bootstrap(text)


def test_an_old_broker_is_asked_in_a_version_that_it_knows() -> None:
    async def scenario() -> None:
        async with FakeBroker(1) as broker:
            broker.versions[Key.API_VERSIONS] = (0, 2)
            broker.versions[Key.METADATA] = (0, 5)
            seen: list[int] = []

            def answer(request: Any, types: Any) -> Any:
                seen.append(int(request.__version__))
                return make(types.MetadataResponse)

            broker.on(Key.METADATA, answer)
            cluster = cluster_of(broker)
            await cluster.ask_node(1, METADATA, Deadline(5))
            assert seen == [5]
            cluster.close()

    asyncio.run(scenario())


def test_an_api_which_the_broker_lacks_is_refused_by_name() -> None:
    async def scenario() -> None:
        async with FakeBroker(1) as broker:
            del broker.versions[Key.METADATA]
            cluster = cluster_of(broker)
            with pytest.raises(Refused, match="does not serve it") as refused:
                await cluster.ask_node(1, METADATA, Deadline(5))
            assert refused.value.error == Error.UNSUPPORTED_VERSION
            assert "Metadata" in str(refused.value)
            cluster.close()

    asyncio.run(scenario())


@pytest.mark.spec("V-01")
def test_a_broker_before_2_8_is_found_by_its_metadata() -> None:
    async def scenario() -> None:
        async with FakeBroker(1) as broker:
            del broker.versions[Key.DESCRIBE_CLUSTER]
            broker.versions[Key.METADATA] = (0, 9)

            def answer(request: Any, types: Any) -> Any:
                assert request.topics == (), "no topic is asked for"
                node = make(
                    types.MetadataResponseBroker,
                    node_id=1, host="127.0.0.1", port=broker.port, rack="r1",
                )  # fmt: skip
                return make(
                    types.MetadataResponse, brokers=(node,), cluster_id="old", controller_id=1
                )

            broker.on(Key.METADATA, answer)
            async with AdminClient(broker.bootstrap) as admin:
                found = await admin.describe_cluster()
                assert (found.cluster_id, found.controller_id) == ("old", 1)
                assert [(n.node_id, n.rack) for n in found.brokers.values()] == [(1, "r1")]
                assert await admin.registered_brokers() is None, "it cannot say"

    asyncio.run(scenario())


def test_an_unknown_broker_is_named_beside_those_there_are() -> None:
    async def scenario() -> None:
        async with FakeBroker(1) as broker, FakeBroker(2, broker.peers):
            cluster = cluster_of(broker)
            with pytest.raises(
                NoSuchBroker, match="no broker 9, or it is down; those that serve: 1, 2"
            ):
                await cluster.ask_node(9, METADATA, Deadline(5))
            cluster.close()

    asyncio.run(scenario())


def test_the_second_bootstrap_server_helps_when_the_first_is_down(port: int) -> None:
    async def scenario() -> None:
        async with FakeBroker(1) as broker:
            cluster = Cluster(
                [Address("127.0.0.1", port), Address("127.0.0.1", broker.port)], client_id="test"
            )
            await cluster.refresh(Deadline(5))
            assert list(cluster.nodes) == [1]
            cluster.close()

    asyncio.run(scenario())


def test_absent_brokers_are_reported_within_seconds_with_all_addresses(port: int) -> None:
    async def scenario() -> None:
        cluster = Cluster(
            [Address("127.0.0.1", port), Address("no-such-host.invalid", 9092)], client_id="test"
        )
        async with asyncio.timeout(8):
            with pytest.raises(NobodyThere) as nobody:
                await cluster.refresh(Deadline(30))
        text = str(nobody.value)
        assert f"127.0.0.1:{port}: Connection refused" in text
        assert "no-such-host.invalid:9092" in text
        assert "check the address" in text

    asyncio.run(scenario())


def test_a_broken_connection_is_opened_again_and_the_question_repeated() -> None:
    async def scenario() -> None:
        async with FakeBroker(1) as broker:
            moods: Iterator[bool] = iter([True, False])
            broker.on(
                Key.METADATA,
                lambda request, types: HANG_UP if next(moods) else make(types.MetadataResponse),
            )
            cluster = cluster_of(broker)
            await cluster.ask_node(1, METADATA, Deadline(5))
            assert broker.count(Key.METADATA) == 2
            cluster.close()

    asyncio.run(scenario())


def test_not_controller_is_repeated_and_other_errors_are_not() -> None:
    async def scenario() -> None:
        async with FakeBroker(1) as broker:
            codes = iter([Error.NOT_CONTROLLER, Error.NONE, Error.INVALID_REQUEST])
            broker.on(
                Key.DESCRIBE_LOG_DIRS,
                lambda request, types: make(types.DescribeLogDirsResponse, error_code=next(codes)),
            )

            ask = DescribeLogDirsRequest(topics=None)
            cluster = cluster_of(broker)
            await cluster.ask_controller(ask, Deadline(5))
            assert broker.count(Key.DESCRIBE_LOG_DIRS) == 2
            with pytest.raises(Refused, match="INVALID_REQUEST"):
                await cluster.ask_controller(ask, Deadline(5))
            assert broker.count(Key.DESCRIBE_LOG_DIRS) == 3
            cluster.close()

    asyncio.run(scenario())


@pytest.mark.spec("V-06")
def test_where_the_broker_that_speaks_for_the_controller_is_not_reached_another_is_asked(
    port: int,
) -> None:
    async def scenario() -> None:
        peers: list[FakeBroker] = []
        async with FakeBroker(2, peers) as well:
            gone = FakeBroker(1, peers)  # It does not listen, and answers name it as controller.
            gone.port = port
            well.on(
                Key.DESCRIBE_LOG_DIRS,
                lambda request, types: make(types.DescribeLogDirsResponse),
            )
            cluster = cluster_of(well)
            ask = DescribeLogDirsRequest(topics=None)
            await cluster.ask_controller(ask, Deadline(5))
            assert well.count(Key.DESCRIBE_LOG_DIRS) == 1
            peers.remove(well)
            cluster.close()
            await cluster.refresh(Deadline(5))
            with pytest.raises(Unreachable, match=rf"broker 1 .*{port}"):
                await cluster.ask_controller(ask, Deadline(1))
            cluster.close()

    asyncio.run(scenario())


def test_a_cluster_without_a_broker_that_serves_is_asked_again_until_it_has_one() -> None:
    """All brokers of a cluster may be fenced for a moment: the answer names none."""

    async def scenario() -> None:
        peers: list[FakeBroker] = []
        async with FakeBroker(1, peers) as broker:
            broker.on(
                Key.DESCRIBE_LOG_DIRS,
                lambda request, types: make(types.DescribeLogDirsResponse),
            )
            peers.remove(broker)
            cluster, ask = cluster_of(broker), DescribeLogDirsRequest(topics=None)
            with pytest.raises(Unreachable, match="no broker of the cluster is registered"):
                await cluster.ask_controller(ask, Deadline(0.3))
            asked = asyncio.create_task(cluster.ask_controller(ask, Deadline(10)))
            before = broker.count(Key.DESCRIBE_CLUSTER)
            while broker.count(Key.DESCRIBE_CLUSTER) == before:
                await asyncio.sleep(0.01)
            peers.append(broker)
            await asked
            cluster.close()

    asyncio.run(scenario())


def test_a_controllers_port_is_called_what_it_is() -> None:
    async def scenario() -> None:
        async with FakeBroker(1) as controller:
            controller.on(
                Key.DESCRIBE_CLUSTER,
                lambda request, types: make(
                    types.DescribeClusterResponse, error_code=Error.MISMATCHED_ENDPOINT_TYPE
                ),
            )
            cluster = cluster_of(controller)
            with pytest.raises(Unusable, match=r"is a controller: give the address of a broker"):
                await cluster.ask_any(METADATA, Deadline(5))
            cluster.close()

    asyncio.run(scenario())


def test_a_broker_that_has_moved_is_found_at_its_new_address() -> None:
    async def scenario() -> None:
        async with FakeBroker(1) as guide:
            async with FakeBroker(2, guide.peers) as old:
                cluster = cluster_of(guide)
                await cluster.refresh(Deadline(5))
                assert cluster.nodes[2].port == old.port
            guide.peers.remove(old)
            async with FakeBroker(2, guide.peers) as new:
                new.on(Key.METADATA, lambda request, types: make(types.MetadataResponse))
                await cluster.ask_node(2, METADATA, Deadline(5))
                assert cluster.nodes[2].port == new.port
            cluster.close()

    asyncio.run(scenario())


# -- what is no broker --------------------------------------------------------------------------


Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


async def _silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """An HTTP server: it waits for a whole line, and answers requests alone."""
    line = await reader.readline()
    if line.startswith(b"HEAD "):
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
    writer.close()


async def _alert(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """A TLS listener: what is no handshake gets an alert."""
    await reader.read(5)
    writer.write(b"\x15\x03\x03\x00\x02\x02\x46")
    writer.close()


@pytest.mark.spec("N-06")
@pytest.mark.parametrize(
    ("serve", "words"), [(_silent, "this port speaks HTTP"), (_alert, "this port speaks TLS")]
)
def test_what_is_no_broker_is_called_by_its_name(serve: Serve, words: str) -> None:
    async def scenario() -> None:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(Unreachable, match=words):
            async with AdminClient(f"127.0.0.1:{port}", timeout=15):
                pass
        server.close()

    asyncio.run(scenario())


@pytest.mark.spec("N-06")
def test_a_listener_that_hangs_up_after_its_versions_wants_sasl() -> None:
    async def scenario() -> None:
        async with FakeBroker(1) as broker:
            broker.on(Key.DESCRIBE_CLUSTER, lambda request, types: HANG_UP)
            broker.on(
                Key.SASL_HANDSHAKE,
                lambda request, types: make(
                    types.SaslHandshakeResponse,
                    error_code=Error.UNSUPPORTED_SASL_MECHANISM,
                    mechanisms=("PLAIN", "GSSAPI"),
                ),
            )
            with pytest.raises(AuthenticationFailed, match=r"wants SASL \(PLAIN, GSSAPI\)"):
                async with AdminClient(broker.bootstrap, timeout=5):
                    pass

    asyncio.run(scenario())


@pytest.mark.spec("N-06")
def test_a_url_and_a_name_without_an_address_are_refused_at_once() -> None:
    with pytest.raises(Unusable, match="is a URL: write host:port alone"):
        parse_bootstrap("http://localhost:9092")

    async def scenario() -> None:
        async with asyncio.timeout(30):
            with pytest.raises(Unreachable, match=r"kafka-1\.prod\.internal\.invalid"):
                async with AdminClient("kafka-1.prod.internal.invalid:9092", timeout=60):
                    pass

    asyncio.run(scenario())
