"""Throttles that another party has set are not lifted: each is compared with its own kind."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.support.fake_broker import FakeBroker, Script
from tools.messages.entities import make

from spindle.cli.balance.run_throttles import RunThrottles
from spindle.cli.reassign.limits import no_higher
from spindle.cli.reassign.reassign_journal import ChangedSetting, Journal
from spindle.cli.reassign.reassignment_plan import ReassignmentPlan
from spindle.cli.reassign.throttles import FOLLOWER_RATE, LEADER_RATE, MOVE_RATE
from spindle.client.admin import AdminClient
from spindle.client.results import Replica, Resource, ResourceType
from spindle.model.ids import TopicPartition
from spindle.wire.apis import Key

pytestmark = pytest.mark.usefixtures("only_idle_time")
PLAN = ReassignmentPlan({TopicPartition("t", 0): (1,)}, {Replica("t", 0, 1): "/d2"})
BROKER = Resource(ResourceType.BROKER, "1")
_DYNAMIC_BROKER = 2
Rates = tuple[int | None, int | None]


def held(standing: Mapping[str, str], rates: Rates) -> tuple[Rates, list[str]]:
    """(rates that lift none of these limits of broker 1, what is said)."""
    said: list[str] = []

    async def scenario() -> Rates:
        async with FakeBroker(1) as broker:
            broker.on(Key.DESCRIBE_CONFIGS, configs_of(standing))
            async with AdminClient(broker.bootstrap) as admin:
                return await no_higher(admin, PLAN, rates, said.append)

    return asyncio.run(scenario()), said


def configs_of(standing: Mapping[str, str]) -> Script:
    """Answers that broker 1 has these limits."""

    def configs(request: Any, types: Any) -> Any:
        settings = tuple(
            make(types.DescribeConfigsResourceResult, name=name, value=value,
                 config_source=_DYNAMIC_BROKER)
            for name, value in standing.items()
        )  # fmt: skip
        result = make(
            types.DescribeConfigsResult, resource_type=int(ResourceType.BROKER), resource_name="1",
            configs=settings,
        )  # fmt: skip
        return make(types.DescribeConfigsResponse, results=(result,))

    return configs


def reassigned(request: Any, types: Any) -> Any:
    """Another party is reassigning u-0."""
    partition = make(types.OngoingPartitionReassignment, partition_index=0, replicas=(1,))
    topic = make(types.OngoingTopicReassignment, name="u", partitions=(partition,))
    return make(types.ListPartitionReassignmentsResponse, topics=(topic,))


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPINDLE_STATE_DIR", str(tmp_path))


@pytest.mark.spec("V-05", "K113-22")
def test_a_limit_between_brokers_does_not_slow_moves_between_directories() -> None:
    theirs = {LEADER_RATE: "30", FOLLOWER_RATE: "20"}
    assert held(theirs, (None, 100)) == ((None, 100), [])
    line = "a limit of 20 B/s between brokers stands for another party: it counts here"
    assert held(theirs, (100, 100)) == ((20, 100), [line])
    assert held({MOVE_RATE: "7"}, (100, 100))[0] == (100, 7)
    assert held({MOVE_RATE: "700"}, (100, 100)) == ((100, 100), [])


@pytest.mark.spec("V-05", "K113-22")
def test_what_the_run_has_set_itself_is_no_limit_of_others() -> None:
    """The pace of a run that is under way can be raised, up to what stood there before."""
    settings = [
        ChangedSetting(BROKER, MOVE_RATE, None, "7"),
        ChangedSetting(BROKER, LEADER_RATE, "50", "7"),
    ]
    Journal("fake").write(PLAN, settings)
    assert held({MOVE_RATE: "7", LEADER_RATE: "7"}, (100, 100))[0] == (50, 100)
    assert held({MOVE_RATE: "6"}, (None, 100))[0] == (None, 6), "another party's by now"


@pytest.mark.spec("V-05", "K113-22")
@pytest.mark.parametrize("others", [True, False])
def test_a_rehearsal_tells_the_limit_that_will_slow_the_run_and_sets_nothing(others: bool) -> None:
    said: list[str] = []

    async def scenario() -> Rates:
        async with FakeBroker(1) as broker:
            broker.on(Key.DESCRIBE_CONFIGS, configs_of({MOVE_RATE: "7"}))
            nothing = lambda _, types: make(types.ListPartitionReassignmentsResponse)  # noqa: E731
            broker.on(Key.LIST_PARTITION_REASSIGNMENTS, reassigned if others else nothing)
            async with AdminClient(broker.bootstrap) as admin:
                rates = await RunThrottles(admin, PLAN, False, said.append).rates(100)
            assert broker.count(Key.INCREMENTAL_ALTER_CONFIGS) == 0
            return rates

    line = "a limit of 7 B/s between directories stands for another party: it counts here"
    assert asyncio.run(scenario()) == ((None, 7) if others else (None, 100))
    assert said == ([line] if others else [])
