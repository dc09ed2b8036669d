"""A node that is frozen accepts connections and answers nothing: what waits for it, and how long.

Each test ends because a question was given up or went elsewhere; the calls' own time is minutes.
"""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.support.fake_broker import FakeBroker
from tools.messages.entities import make

from spindle.client import node_links
from spindle.client.addresses import Address
from spindle.client.cluster import Cluster
from spindle.client.deadline import Deadline
from spindle.client.failures import OutOfTime
from spindle.wire.apis import Key
from spindle.wire.messages.create_topics_request import CreateTopicsRequest
from spindle.wire.messages.describe_log_dirs_request import DescribeLogDirsRequest
from spindle.wire.messages.metadata_request import MetadataRequest

pytestmark = [pytest.mark.spec("V-06"), pytest.mark.usefixtures("only_idle_time")]
METADATA = MetadataRequest(topics=None)
LOG_DIRS = DescribeLogDirsRequest(topics=None)
MINUTES = 600.0


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same order of waits as in life, quicker."""
    monkeypatch.setattr(node_links, "CONNECT_LIMIT_S", 0.2)
    monkeypatch.setattr(node_links, "CONNECT_SHARE", 0.0)
    monkeypatch.setattr(node_links, "AGAIN_S", 0.05)
    monkeypatch.setattr(node_links, "FRESH_S", -1.0)  # No sign of life is fresh, not even one now.
    monkeypatch.setattr("spindle.client.connector.LIMIT_S", 0.2)
    monkeypatch.setattr("spindle.client.strangers.LIMIT_S", 0.2)
    monkeypatch.setattr("spindle.client.connector.STRANGE_S", 0.05)


def cluster_of(*brokers: FakeBroker) -> Cluster:
    addresses = [Address("127.0.0.1", broker.port) for broker in brokers]
    return Cluster(addresses, client_id="test", patience=0.05)


def freeze(broker: FakeBroker) -> None:
    """From now on it takes every question and answers none."""
    for key in (*Key,):
        broker.on(key, lambda request, types: None)


def answer_metadata(broker: FakeBroker) -> None:
    broker.on(Key.METADATA, lambda request, types: make(types.MetadataResponse))


def test_what_any_broker_answers_is_asked_of_a_second_one() -> None:
    async def scenario() -> None:
        async with FakeBroker(1) as frozen, FakeBroker(2, frozen.peers) as well:
            answer_metadata(well)
            cluster = cluster_of(frozen, well)
            await cluster.refresh(Deadline(MINUTES))
            freeze(frozen)
            await cluster.ask_any(METADATA, Deadline(MINUTES))
            assert frozen.count(Key.METADATA) == well.count(Key.METADATA) == 1
            await cluster.ask_any(METADATA, Deadline(MINUTES))
            assert frozen.count(Key.METADATA) == 1, "it is asked last for a while"
            cluster.close()

    asyncio.run(scenario())


def test_a_frozen_bootstrap_server_is_passed_over() -> None:
    async def scenario() -> None:
        async with FakeBroker(1) as frozen, FakeBroker(2, frozen.peers) as well:
            freeze(frozen)
            cluster = cluster_of(frozen, well)
            await cluster.refresh(Deadline(MINUTES))
            assert sorted(cluster.nodes) == [1, 2]
            assert well.count(Key.DESCRIBE_CLUSTER) == 1
            cluster.close()

    asyncio.run(scenario())


def test_an_order_for_the_controller_is_sent_once_to_a_broker_that_gives_a_sign_of_life() -> None:
    async def scenario() -> None:
        async with FakeBroker(1) as frozen, FakeBroker(2, frozen.peers) as well:
            well.on(Key.CREATE_TOPICS, lambda request, types: make(types.CreateTopicsResponse))
            cluster = cluster_of(frozen, well)
            await cluster.refresh(Deadline(MINUTES))
            freeze(frozen)
            await cluster.ask_controller(
                CreateTopicsRequest(topics=(), timeout_ms=1000), Deadline(MINUTES)
            )
            assert frozen.count(Key.CREATE_TOPICS) == 0
            assert well.count(Key.CREATE_TOPICS) == 1
            cluster.close()

    asyncio.run(scenario())


def test_a_broker_that_freezes_while_its_answer_is_due_is_given_up() -> None:
    async def scenario() -> None:
        async with FakeBroker(1) as broker:
            cluster = cluster_of(broker)
            await cluster.refresh(Deadline(MINUTES))
            freeze(broker)
            deadline = Deadline(MINUTES)
            with pytest.raises(OutOfTime, match=r"broker 1 .* did not answer DescribeLogDirs"):
                await cluster.ask_node(1, LOG_DIRS, deadline)
            assert deadline.left > MINUTES / 2
            cluster.close()

    asyncio.run(scenario())


def test_an_answer_may_take_its_time_where_the_broker_answers_others() -> None:
    async def scenario() -> None:
        async with FakeBroker(1) as broker:
            signs = 0

            def versions(request: Any, types: Any) -> Any:
                nonlocal signs
                signs += 1
                return broker._api_versions(request, types)

            cluster = cluster_of(broker)
            await cluster.refresh(Deadline(MINUTES))
            broker.on(Key.API_VERSIONS, versions)
            held = asyncio.Event()
            broker.on(Key.DESCRIBE_LOG_DIRS, lambda request, types: held.set())
            asked = asyncio.create_task(cluster.ask_node(1, LOG_DIRS, Deadline(MINUTES)))
            await held.wait()
            while not signs:
                await asyncio.sleep(0.01)
            assert not asked.done(), "it is not given up"
            asked.cancel()
            cluster.close()

    asyncio.run(scenario())


def test_all_that_want_a_link_wait_for_one_opening_and_it_goes_on_without_them() -> None:
    async def scenario() -> None:
        async with FakeBroker(1) as guide, FakeBroker(2, guide.peers) as slow:
            slow.on(Key.API_VERSIONS, lambda request, types: None)
            slow.on(
                Key.DESCRIBE_LOG_DIRS, lambda request, types: make(types.DescribeLogDirsResponse)
            )
            cluster = cluster_of(guide)
            await cluster.refresh(Deadline(MINUTES))
            told = await asyncio.gather(
                *(cluster.ask_node(2, LOG_DIRS, Deadline(MINUTES)) for _ in range(5)),
                return_exceptions=True,
            )
            assert all(isinstance(failure, OutOfTime) for failure in told), told
            assert slow.count(Key.API_VERSIONS) == 1, "one opening"
            cluster.close()

    asyncio.run(scenario())
