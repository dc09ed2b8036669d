"""Apache Kafka's brokers with an offline directory get no moves between their directories."""

from __future__ import annotations

import asyncio

import pytest
from tests.support.fake_broker import FakeBroker
from tests.support.made_samples import directory

from spindle.cli.balance.barred_brokers import BarredBrokers, barred_brokers
from spindle.client.admin import AdminClient
from spindle.pipeline.proposal import PlanRequest
from spindle.wire.apis import Key

pytestmark = pytest.mark.usefixtures("only_idle_time")
HALF_DEAD = (directory("/a", {}), directory("/b", {}, online=False), directory("/c", {}))


def found(*, apache: bool, online: bool = False) -> BarredBrokers:
    """What is said of broker 1."""

    async def scenario() -> BarredBrokers:
        async with FakeBroker(1) as broker:
            if apache:
                del broker.versions[Key.DESCRIBE_LOG_DIR_STATES]
            async with AdminClient(broker.bootstrap) as admin:
                return await barred_brokers(admin, {1: HALF_DEAD[:1] if online else HALF_DEAD})

    return asyncio.run(scenario())


@pytest.mark.spec("V-05")
def test_nothing_is_planned_into_the_directories_that_are_left_and_a_line_says_why() -> None:
    barred = found(apache=True)
    assert barred == BarredBrokers({1: ("/b",)}, ("1:/a", "1:/c"))
    assert barred.sparing(PlanRequest(exclude=("1:/c",))).exclude == ("1:/c", "1:/a")
    (note,) = barred.notes()
    assert note.startswith("broker 1: /b is offline, and Apache Kafka then refuses moves between")
    assert "Replace the disk" in note


@pytest.mark.spec("V-05")
def test_spindles_brokers_and_those_whose_disks_work_take_moves() -> None:
    for barred in (found(apache=False), found(apache=True, online=True)):
        assert barred == BarredBrokers({}, ())
        assert list(barred.notes()) == []
        assert barred.sparing(PlanRequest()) == PlanRequest()
