"""Looks at brokers side by side: one that is silent delays the others once, and is reported."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.support.fake_broker import FakeBroker
from tools.messages.entities import make

from spindle.cli.balance.broker_looks import BrokerLooks, answered_soon
from spindle.client.admin import AdminClient
from spindle.client.failures import OutOfTime
from spindle.wire.apis import Key

pytestmark = pytest.mark.usefixtures("only_idle_time")


def directory(request: Any, types: Any) -> Any:
    result = make(types.DescribeLogDirsResult, log_dir="/d", total_bytes=100, usable_bytes=50)
    return make(types.DescribeLogDirsResponse, results=(result,))


@pytest.mark.spec("V-05")
def test_a_silent_broker_is_waited_for_once_reported_and_heard_again() -> None:
    async def scenario() -> None:
        said: list[str] = []
        async with FakeBroker(1) as one, FakeBroker(2, one.peers) as two:
            one.on(Key.DESCRIBE_LOG_DIRS, directory)
            two.on(Key.DESCRIBE_LOG_DIRS, lambda request, types: None)
            async with AdminClient(one.bootstrap) as admin:
                looks = BrokerLooks(admin, said.append, lambda: {1, 2, 3}, 0.05)
                for _ in range(3):
                    told = await looks.ask([1, 2], [])
                    assert not isinstance(told[1], Exception)
                    assert isinstance(told[2], OutOfTime)
                    assert looks.silent == {2}
                assert one.count(Key.DESCRIBE_LOG_DIRS) == 3
                assert two.count(Key.DESCRIBE_LOG_DIRS) == 1, "its question stays open"
                assert len(said) == 1
                assert "broker 2 gives no answer (nothing within 0.05 s)" in said[0]
                two.on(Key.DESCRIBE_LOG_DIRS, directory)
                two.close_connection()  # The client asks again.
                while looks.silent:
                    told = await looks.ask([1, 2], [])
                    await asyncio.sleep(0.01)
                assert not isinstance(told[2], Exception)
                assert said[1:] == ["broker 2 answers again"]
                await looks.ask([1, 2, 3], [])
                assert looks.silent == {3}
                assert "broker 3 gives no answer (there is no broker 3, or it is down" in said[2]
                await looks.ask([1, 2, 4], [])
                assert (looks.silent, len(said)) == ({3}, 3), "no replica goes to broker 4"

    asyncio.run(scenario())


@pytest.mark.spec("V-05")
def test_what_any_broker_knows_is_asked_of_another_where_one_is_silent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("spindle.cli.balance.broker_looks.LOOK_SECONDS", 0.05)

    async def scenario() -> None:
        async with FakeBroker(1) as one, FakeBroker(2, one.peers) as two:
            one.on(Key.METADATA, lambda request, types: None)
            two.on(Key.METADATA, lambda request, types: make(types.MetadataResponse))
            async with AdminClient(one.bootstrap) as admin:
                for _ in range(2):
                    found = await answered_soon(lambda seconds: admin.list_topics(timeout=seconds))
                    assert not found
                assert one.count(Key.METADATA) == 1
                assert two.count(Key.METADATA) == 2

    asyncio.run(scenario())
