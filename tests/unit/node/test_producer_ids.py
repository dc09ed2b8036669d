"""Producer ids in blocks, and InitProducerId."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tests.support.broker_context import context
from tests.support.cluster_image import three_brokers
from tests.support.desk import Desk, request
from tools.messages.entities import make, response_types

from spindle.model.errors import Error, PeerFailed
from spindle.node.handlers import BROKER
from spindle.node.transactions.producer_id_manager import WAITING_MAX, ProducerIdManager
from spindle.wire.apis import Key


class Broker:
    """A broker whose controller is the test."""

    def __init__(self) -> None:
        self.asked: list[tuple[Any, Callable[[Any], None]]] = []
        ground = context(image=three_brokers(), ask=self._ask)
        self.image, self.out = ground.image, ground.out
        self.producer_ids = ProducerIdManager(ground)
        self.desk = Desk(BROKER, self, self.out)

    def _ask(
        self, channel: str, entity: Any, version: int, then: Callable[[Any], None], timeout: float
    ) -> None:
        assert channel == "producer-ids"
        self.asked.append((entity, then))

    def give(self, start: int, length: int = 1_000, error: Error = Error.NONE) -> None:
        """The controller answers the oldest question."""
        _, then = self.asked.pop(0)
        cls = response_types(Key.ALLOCATE_PRODUCER_IDS, 0).AllocateProducerIdsResponse
        then(make(cls, error_code=error, producer_id_start=start, producer_id_len=length))

    def take(self) -> list[int | Error]:
        found: list[int | Error] = []
        self.producer_ids.take(found.append)
        return found


@pytest.fixture
def broker() -> Broker:
    return Broker()


@pytest.mark.parametrize("version", range(6))
def test_a_producer_gets_an_id_with_epoch_0(broker: Broker, version: int) -> None:
    broker.desk.send(request(Key.INIT_PRODUCER_ID, version, transactional_id=None, producer_id=7))
    assert broker.desk.answers() == []
    (asked, _) = broker.asked[0]
    assert (asked.broker_id, asked.broker_epoch) == (1, 10)
    broker.give(5_000)
    (answer,) = broker.desk.answers()
    assert (answer.error_code, answer.producer_id, answer.producer_epoch) == (0, 5_000, 0)


def test_the_next_block_is_asked_for_before_this_one_ends(broker: Broker) -> None:
    first = broker.take()
    broker.give(0, 20)
    assert first == [0]
    ids = [broker.take()[0] for _ in range(16)]
    assert ids == list(range(1, 17))
    assert broker.asked == []
    assert broker.take() == [17]
    assert len(broker.asked) == 1
    assert [broker.take() for _ in range(2)] == [[18], [19]]
    late = broker.take()
    assert late == []
    broker.give(100, 20)
    assert late == [100]
    assert broker.take() == [101]
    assert broker.asked == []


@pytest.mark.parametrize("failure", ["refused", "silent"])
def test_while_the_controller_gives_none_clients_must_ask_again(
    broker: Broker, failure: str
) -> None:
    waiting = [broker.take(), broker.take()]
    assert len(broker.asked) == 1
    if failure == "refused":
        broker.give(-1, 0, Error.STALE_BROKER_EPOCH)
    else:
        broker.asked.pop()[1](PeerFailed("no answer"))
    assert waiting == [[Error.COORDINATOR_LOAD_IN_PROGRESS]] * 2
    assert broker.take() == [Error.COORDINATOR_LOAD_IN_PROGRESS]
    assert broker.asked == []
    broker.out.now += 0.2
    again = broker.take()
    broker.give(7)
    assert again == [7]


def test_before_it_is_registered_a_broker_has_none(broker: Broker) -> None:
    broker.image.brokers.clear()
    assert broker.take() == [Error.COORDINATOR_LOAD_IN_PROGRESS]


def test_only_so_many_may_wait(broker: Broker) -> None:
    for _ in range(WAITING_MAX):
        assert broker.take() == []
    assert broker.take() == [Error.COORDINATOR_LOAD_IN_PROGRESS]
