"""The controller in its node: answers wait for commits, leadership comes and goes, time passes."""

from __future__ import annotations

import pytest
from tests.support.controller_desk import BOOTSTRAP, ControllerDesk, places
from tests.support.desk import request

from spindle.core.controller.controller_state import BATCH_RECORDS_MAX, ControllerResult
from spindle.model import metadata_records as r
from spindle.model.errors import Error, PeerFailed, Refusal
from spindle.model.ids import NO_LEADER, Endpoint
from spindle.node import controller as module
from spindle.node.controller_registration_manager import ControllerRegistrationManager
from spindle.wire.apis import Key


def allocate(desk: ControllerDesk, broker: int = 1) -> None:
    epoch = desk.quorum.metadata.image.brokers[broker].broker_epoch
    desk.send(request(Key.ALLOCATE_PRODUCER_IDS, 0, broker_id=broker, broker_epoch=epoch))


def test_an_empty_log_begins_with_the_bootstrap_records_and_ourselves() -> None:
    desk = ControllerDesk()
    first, second = desk.quorum.batches[:2]
    floor = r.DynamicConfig(resource_type=4, resource_name="", key="min.insync.replicas", value="1")
    assert first == (
        1,
        [r.BeginTransaction(name="Bootstrap records"), *BOOTSTRAP, floor, r.EndTransaction()],
    )
    (registration,) = second[1]
    assert isinstance(registration, r.RegisterController)
    assert registration.endpoints == (Endpoint("CONTROLLER", "localhost", 9093),)
    desk.resign()
    desk.lead(2)
    assert len(desk.quorum.batches) == 2, "all of that is there already"


def test_without_bootstrap_records_the_newest_level_is_taken() -> None:
    desk = ControllerDesk(active=False)
    desk.controller.on_leading(1, desk.quorum.metadata.image.__class__(), ())
    assert module.DEFAULT_BOOTSTRAP[0] in desk.quorum.batches[0][1]


def test_an_answer_waits_for_its_commit_and_for_those_before() -> None:
    desk = ControllerDesk()
    desk.start(1)
    allocate(desk)
    allocate(desk)
    desk.send(request(Key.LIST_PARTITION_REASSIGNMENTS, 0, topics=None))
    assert desk.answers() == []
    desk.quorum.commit(1)
    (first,) = desk.answers()
    assert first.producer_id_start == 0
    desk.quorum.commit(1)
    second, listed = desk.answers()
    assert second.producer_id_start == 1000
    assert listed.error_code == Error.NONE
    desk.send(request(Key.LIST_PARTITION_REASSIGNMENTS, 0, topics=None))
    assert len(desk.answers()) == 1, "nothing is under way"


def test_a_refusal_waits_too() -> None:
    desk = ControllerDesk()
    desk.start(1)
    allocate(desk)
    desk.send(request(Key.UNREGISTER_BROKER, 0, broker_id=77))
    assert desk.answers() == []
    desk.quorum.commit()
    assert [a.error_code for a in desk.answers()] == [
        Error.NONE,
        Error.BROKER_ID_NOT_REGISTERED,
    ]


def test_without_leadership_nothing_is_decided() -> None:
    desk = ControllerDesk(active=False)
    desk.send(request(Key.UNREGISTER_BROKER, 0, broker_id=1))
    (answer,) = desk.answers()
    assert answer.error_code == Error.NOT_CONTROLLER
    assert desk.quorum.batches == []


def test_what_is_not_committed_is_forgotten_with_leadership() -> None:
    desk = ControllerDesk()
    desk.start(1)
    allocate(desk)
    held = desk.quorum._waiting[0][1]
    desk.resign()
    (answer,) = desk.answers()
    assert answer.error_code == Error.NOT_CONTROLLER
    assert not desk.controller.active
    assert held is not None
    held(99)  # too late: it changes nothing
    desk.quorum.batches.pop()
    desk.lead(2)
    epoch = desk.quorum.metadata.image.brokers[1].broker_epoch
    again = desk.call(Key.ALLOCATE_PRODUCER_IDS, 0, broker_id=1, broker_epoch=epoch)
    assert again.producer_id_start == 0


def test_too_many_waiting_requests_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "DEFERRED_MAX", 2)
    desk = ControllerDesk()
    desk.start(1)
    for _ in range(3):
        allocate(desk)
    desk.quorum.commit()
    codes = [a.error_code for a in desk.answers()]
    assert codes == [Error.NONE, Error.NONE, Error.REQUEST_TIMED_OUT]


def test_large_decisions_are_cut_and_answered_after_the_last_batch() -> None:
    desk = ControllerDesk()
    noops = (r.NoOp(),) * (BATCH_RECORDS_MAX + 1)
    answers: list[str | Refusal] = []
    desk.controller.submit(lambda _: ControllerResult(noops, "done", atomic=False), answers.append)
    assert [len(b) for _, b in desk.quorum.batches[-2:]] == [BATCH_RECORDS_MAX, 1]
    desk.quorum.commit(1)
    assert answers == []
    desk.quorum.commit(1)
    assert answers == ["done"]


def test_a_silent_broker_is_fenced() -> None:
    desk = ControllerDesk()
    desk.start(1, 2)
    desk.create("t", (1, 2))
    image = desk.quorum.metadata.image
    desk.pass_time(6)
    desk.beat(2)
    desk.pass_time(2.9)
    assert not image.brokers[1].fenced
    desk.pass_time(1.0)
    assert image.brokers[1].fenced
    (topic,) = image.topics.values()
    assert (topic.partitions[0].leader, topic.partitions[0].isr) == (2, (2,))
    desk.pass_time(9)
    assert topic.partitions[0].leader == NO_LEADER


def test_idle_time_is_marked() -> None:
    desk = ControllerDesk(metadata_max_idle_interval_ms="500")
    before = len(desk.quorum.batches)
    desk.pass_time(2.1)
    # The first look finds that we have just written something.
    assert [b for _, b in desk.quorum.batches[before:]] == [[r.NoOp()]] * 3
    none = ControllerDesk(metadata_max_idle_interval_ms="0")
    before = len(none.quorum.batches)
    none.pass_time(5)
    assert len(none.quorum.batches) == before


def test_leadership_returns_to_first_replicas_by_itself() -> None:
    desk = ControllerDesk(leader_imbalance_check_interval_seconds="5")
    desk.start(1, 2)
    desk.create("t", (1, 2))
    (topic,) = desk.quorum.metadata.image.topics.values()
    change = r.PartitionChange(partition_id=0, topic_id=topic.topic_id, leader=2)
    desk.controller.submit(lambda _: ControllerResult((change,), None), lambda _: None)
    desk.quorum.commit()
    assert topic.partitions[0].leader == 2
    desk.pass_time(5)
    assert topic.partitions[0].leader == 1


def test_timers_end_with_leadership() -> None:
    desk = ControllerDesk()
    desk.start(1)
    desk.resign()
    before = len(desk.quorum.batches)
    desk.pass_time(60)
    assert len(desk.quorum.batches) == before


def test_a_controller_that_follows_makes_itself_known() -> None:
    desk = ControllerDesk(active=False)
    ControllerRegistrationManager(desk.controller)
    desk.quorum.leader_id = 8
    desk.quorum.metadata.image.apply(BOOTSTRAP[0])
    desk.pass_time(1.1)
    ready = desk.out.take()
    assert ready is not None
    (asked,) = ready.frames
    assert (asked.host, asked.port) == ("leader", 9093)
    # The leader takes it over.
    leader = ControllerDesk()
    leader.router.on_frame(leader.connection, asked.frame[4:])
    leader.quorum.commit()
    assert leader.quorum.metadata.image.controllers[9] == desk.controller.registration()
    # It is sent again until it shows.
    desk.out.done(asked.ticket, PeerFailed("it hung up"))
    desk.pass_time(1.1)
    ready = desk.out.take()
    assert ready is not None
    assert len(ready.frames) == 1
    desk.out.done(ready.frames[0].ticket, PeerFailed("it hung up"))
    desk.quorum.metadata.image.apply(desk.controller.registration())
    desk.pass_time(5)
    ready = desk.out.take()
    assert ready is None or not ready.frames


def test_a_new_controller_elects_for_partitions_without_a_leader() -> None:
    desk = ControllerDesk()
    desk.start(1)
    desk.create("t", (1,))
    (topic,) = desk.quorum.metadata.image.topics.values()
    change = r.PartitionChange(partition_id=0, topic_id=topic.topic_id, leader=NO_LEADER)
    desk.controller.submit(lambda _: ControllerResult((change,), None), lambda _: None)
    desk.quorum.commit()
    desk.resign()
    desk.lead(2)
    assert topic.partitions[0].leader == 1
    assert places(1)[0] in desk.quorum.metadata.image.brokers[1].log_dirs


@pytest.mark.spec("B-29")
def test_a_controller_that_stood_still_fences_no_broker_for_that() -> None:
    """What brokers said meanwhile is unread when the timer runs; a dead one is fenced later."""
    desk = ControllerDesk()
    desk.start(1, 2)
    image = desk.quorum.metadata.image
    desk.pass_time(2)
    desk.out.now += 600
    desk.out.tick()
    assert not image.brokers[1].fenced
    assert not image.brokers[2].fenced
    desk.beat(2)
    desk.pass_time(6)
    desk.beat(2)
    assert not image.brokers[1].fenced
    desk.pass_time(1.5)
    assert image.brokers[1].fenced
    assert not image.brokers[2].fenced


def test_brokers_that_fall_silent_together_are_fenced_a_turn_each() -> None:
    """Between two of them the node hears other voters, and brokers that live after all."""
    desk = ControllerDesk()
    desk.start(1, 2, 3)
    image = desk.quorum.metadata.image
    session = desk.controller.sessions.timeout
    desk.pass_time(session - 0.25)
    desk.out.now += 0.25
    fenced: list[list[int]] = []
    while len(fenced) < 3:
        desk.out.tick()
        desk.quorum.commit()
        fenced.append([broker for broker in (1, 2, 3) if image.brokers[broker].fenced])
        assert len(fenced) < 9
    assert fenced == [[1], [1, 2], [1, 2, 3]]
