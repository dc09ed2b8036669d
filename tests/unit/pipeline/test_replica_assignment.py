"""The metadata of a plan: replicas, others' reassignments, and topics that the user may not see."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.support.fake_broker import FakeBroker
from tools.messages.entities import make

from spindle.client.admin import AdminClient
from spindle.model.errors import Error, Unusable
from spindle.pipeline.replica_assignment import assigned, check_hidden
from spindle.wire.apis import Key

pytestmark = pytest.mark.usefixtures("only_idle_time")


def metadata(codes: dict[str, Error]) -> Any:
    """Answers Metadata: each topic has a partition on brokers 1, 2 and 3, or an error."""

    def answer(request: Any, types: Any) -> Any:
        topics = [
            make(
                types.MetadataResponseTopic, name=name, error_code=code,
                partitions=() if code else (
                    make(types.MetadataResponsePartition, partition_index=0, leader_id=1,
                         replica_nodes=(1, 2, 3), isr_nodes=(1,)),
                ),
            )
            for name, code in codes.items()
        ]  # fmt: skip
        return make(types.MetadataResponse, topics=tuple(topics))

    return answer


def reassignments(request: Any, types: Any) -> Any:
    """`t-0` goes from broker 3 to broker 2."""
    partition = make(
        types.OngoingPartitionReassignment,
        partition_index=0, replicas=(1, 2, 3), adding_replicas=(2,), removing_replicas=(3,),
    )  # fmt: skip
    topic = make(types.OngoingTopicReassignment, name="t", partitions=(partition,))
    return make(types.ListPartitionReassignmentsResponse, topics=(topic,))


@pytest.mark.spec("V-04")
def test_replicas_and_what_another_party_moves() -> None:
    async def scenario() -> None:
        async with FakeBroker(1) as broker:
            broker.on(Key.METADATA, metadata({"t": Error.NONE}))
            broker.on(Key.LIST_PARTITION_REASSIGNMENTS, reassignments)
            async with AdminClient(broker.bootstrap) as admin:
                found = await assigned(admin)
                assert found.replicas == {("t", 0): (1, 2, 3)}
                assert found.going == {("t", 0): (1, 2)}
                assert found.brokers == (1, 2, 3)
                assert (await assigned(admin, {("t", 0)})).going == {}

    asyncio.run(scenario())


@pytest.mark.spec("V-04", "V-08")
def test_a_plan_for_a_user_that_may_not_see_a_topic_is_refused() -> None:
    async def scenario() -> None:
        async with FakeBroker(1) as broker:
            codes = {
                "new": Error.NONE,
                "gone": Error.UNKNOWN_TOPIC_OR_PARTITION,
                "secret": Error.TOPIC_AUTHORIZATION_FAILED,
            }
            broker.on(Key.METADATA, metadata(codes))
            async with AdminClient(broker.bootstrap) as admin:
                await check_hidden(admin, ())
                with pytest.raises(Unusable, match=r"may not see 1 topic .*\(secret\).*Describe"):
                    await check_hidden(admin, list(codes))
                del codes["secret"]
                await check_hidden(admin, list(codes))

    asyncio.run(scenario())
