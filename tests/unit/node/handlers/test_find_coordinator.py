"""FindCoordinator: the leader of the group's partition, and what is not coordinated here."""

from __future__ import annotations

import pytest
from tests.support.group_broker import GroupBroker

from spindle.model import metadata_records as r
from spindle.model.errors import Error, Refusal
from spindle.wire.apis import TABLE, Key


def versions(key: Key, least: int = 0) -> range:
    return range(max(TABLE[key].min, least), TABLE[key].max + 1)


@pytest.fixture
def broker() -> GroupBroker:
    return GroupBroker()


@pytest.mark.parametrize("version", versions(Key.FIND_COORDINATOR))
def test_finding_the_coordinator(broker: GroupBroker, version: int) -> None:
    answer = broker.ask(
        Key.FIND_COORDINATOR, version, key="g", key_type=0, coordinator_keys=("g", "h")
    )
    found = answer.coordinators if version >= 4 else (answer,)
    assert len(found) == (2 if version >= 4 else 1)
    for place in found:
        assert (place.error_code, place.node_id) == (Error.NONE, 1)
        assert (place.host, place.port) == ("host1", 9001)
    assert broker.wanted == []


@pytest.mark.parametrize("version", versions(Key.FIND_COORDINATOR))
def test_the_offsets_topic_is_made_when_first_needed(version: int) -> None:
    broker = GroupBroker(with_topic=False)
    answer = broker.ask(Key.FIND_COORDINATOR, version, key="g", key_type=0, coordinator_keys=("g",))
    (place,) = answer.coordinators if version >= 4 else (answer,)
    assert (place.error_code, place.node_id) == (Error.COORDINATOR_NOT_AVAILABLE, -1)
    assert broker.wanted == ["__consumer_offsets"]
    with pytest.raises(Refusal) as refused:
        broker.groups.coordinator("g")
    assert refused.value.error is Error.NOT_COORDINATOR


@pytest.mark.parametrize("version", versions(Key.FIND_COORDINATOR, 1))
def test_share_groups_have_no_coordinator(broker: GroupBroker, version: int) -> None:
    answer = broker.ask(Key.FIND_COORDINATOR, version, key="x", key_type=2, coordinator_keys=("x",))
    (place,) = answer.coordinators if version >= 4 else (answer,)
    assert place.error_code == Error.INVALID_REQUEST
    assert place.error_message


def test_a_partition_without_a_live_leader_has_no_coordinator(broker: GroupBroker) -> None:
    broker.image.apply(r.BrokerRegistrationChange(broker_id=1, broker_epoch=10, fenced=1))
    answer = broker.ask(Key.FIND_COORDINATOR, 2, key="g", key_type=0)
    assert (answer.error_code, answer.node_id) == (Error.COORDINATOR_NOT_AVAILABLE, -1)
    assert broker.wanted == []
