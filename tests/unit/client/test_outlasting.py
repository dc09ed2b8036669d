"""A client that outlasts a cluster without a controller: it asks again, says so, and gives up."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.support.fake_broker import HANG_UP, FakeBroker
from tools.messages.entities import make

from spindle.client.admin import AdminClient
from spindle.client.failures import OutOfTime, Refused
from spindle.client.outlasting import Outlasting
from spindle.client.results import Change, ConfigChange, Resource, ResourceType
from spindle.model.errors import Error
from spindle.wire.apis import Key

pytestmark = [pytest.mark.usefixtures("only_idle_time"), pytest.mark.spec("V-06")]
LIST, ALTER = Key.LIST_PARTITION_REASSIGNMENTS, Key.INCREMENTAL_ALTER_CONFIGS


class Lost:
    """A broker's controller, which is not there for the first so many questions."""

    def __init__(self, questions: int, how: Any) -> None:
        self.questions, self.how = questions, how

    def __call__(self, request: Any, types: Any) -> Any:
        self.questions -= 1
        if self.questions >= 0 and not isinstance(self.how, Error):
            return self.how
        error = self.how if self.questions >= 0 else Error.NONE
        return make(types.ListPartitionReassignmentsResponse, error_code=error, topics=())


def client(broker: FakeBroker, seconds: float, said: list[str]) -> AdminClient:
    return AdminClient(broker.bootstrap, timeout=8, outlasting=Outlasting(seconds, said.append))


@pytest.mark.parametrize("how", [Error.REQUEST_TIMED_OUT, Error.NOT_CONTROLLER, None, HANG_UP])
def test_it_asks_again_until_a_controller_answers(how: Any) -> None:
    async def scenario() -> None:
        said: list[str] = []
        async with FakeBroker(1) as broker:
            broker.on(LIST, Lost(40 if how is HANG_UP else 15, how))
            async with client(broker, 500, said) as admin:
                assert await admin.list_partition_reassignments() == {}
        assert said[0].startswith("waits for a controller, "), said
        assert "of 500 s at most: " in said[0]
        assert said[-1].startswith("a controller answers again, after "), said
        assert all("at most" not in line for line in said[1:])

    asyncio.run(scenario())


def test_a_short_failover_is_no_news() -> None:
    async def scenario() -> None:
        said: list[str] = []
        async with FakeBroker(1) as broker:
            broker.on(LIST, Lost(1, Error.REQUEST_TIMED_OUT))
            async with client(broker, 60, said) as admin:
                await admin.list_partition_reassignments()
        assert said == []

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("how", "failure"), [(Error.REQUEST_TIMED_OUT, Refused), (None, OutOfTime)]
)
def test_it_gives_up_when_its_time_is_over(how: Any, failure: type[Exception]) -> None:
    async def scenario() -> None:
        said: list[str] = []
        loop = asyncio.get_running_loop()
        async with FakeBroker(1) as broker:
            broker.on(LIST, Lost(10_000, how))
            async with client(broker, 60, said) as admin:
                began = loop.time()
                with pytest.raises(failure):
                    await admin.list_partition_reassignments()
                assert 59 < loop.time() - began < 75
                with pytest.raises(failure):  # What puts something back at the end asks once.
                    await admin.list_partition_reassignments()
                assert loop.time() - began < 90
        assert 3 <= len(said) <= 7

    asyncio.run(scenario())


def test_what_says_no_is_not_asked_again() -> None:
    async def scenario() -> None:
        async with FakeBroker(1) as broker:
            broker.on(LIST, Lost(10, Error.CLUSTER_AUTHORIZATION_FAILED))
            async with client(broker, 60, []) as admin:
                with pytest.raises(Refused):
                    await admin.list_partition_reassignments()
            assert broker.count(LIST) == 1

    asyncio.run(scenario())


@pytest.mark.parametrize(
    "resource", [Resource(ResourceType.BROKER, "1"), Resource(ResourceType.TOPIC, "t")]
)
def test_changes_of_settings_that_a_broker_cannot_hand_on(resource: Resource) -> None:
    async def scenario() -> None:
        left = 3

        def answer(request: Any, types: Any) -> Any:
            nonlocal left
            left -= 1
            one = make(
                types.AlterConfigsResourceResponse,
                error_code=Error.REQUEST_TIMED_OUT if left >= 0 else Error.NONE,
                resource_type=int(resource.type), resource_name=resource.name,
            )  # fmt: skip
            return make(types.IncrementalAlterConfigsResponse, responses=(one,))

        async with FakeBroker(1) as broker:
            broker.on(ALTER, answer)
            async with client(broker, 60, []) as admin:
                change = ConfigChange("a", Change.SET, "b")
                await admin.incremental_alter_configs({resource: [change]})[resource]
            assert broker.count(ALTER) == 4

    asyncio.run(scenario())
