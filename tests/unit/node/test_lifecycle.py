"""Registration, heartbeats, failed directories and stopping, against a scripted controller."""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from tools.messages.entities import make, response_types

from spindle.core.lifecycle import BrokerState
from spindle.core.logdirs.placement import DirectoryCapacities, DirectoryCapacity
from spindle.model import metadata_records as r
from spindle.model.config import node_config
from spindle.model.errors import Error, PeerFailed
from spindle.model.ids import id_to_text
from spindle.model.outbox import Outbox
from spindle.node.broker_context import BrokerContext
from spindle.node.broker_lifecycle_manager import BrokerLifecycleManager
from spindle.node.metadata import Metadata
from spindle.node.peers import Peers
from spindle.wire.apis import Key

ME = 7
A, B, C = (uuid.UUID(int=1000 + n) for n in range(3))


class Controller:
    """Takes what the broker asks; a test answers it."""

    def __init__(self) -> None:
        self.asked: list[Any] = []
        self.is_known = True
        self.is_hopeless = False
        self.sounded_out = 0
        self.on_other_controller: Callable[[], None] = lambda: None
        self._then: list[Callable[[Any], None]] = []

    def ask(
        self,
        channel: str,
        entity: Any,
        version: int,
        then: Callable[[Any], None],
        timeout: float = 30,
    ) -> None:
        self.asked.append(entity)
        self._then.append(then)

    def sound_out(self) -> None:
        self.sounded_out += 1

    def answer(self, answer: Any) -> None:
        """Answer the request that is under way."""
        self._then.pop(0)(answer)

    @property
    def busy(self) -> bool:
        """Whether a request waits for its answer."""
        return bool(self._then)


class Bench:
    """A life cycle, its clock, and its controller."""

    def __init__(self, **settings: str) -> None:
        self.config = node_config(
            {
                "node.id": str(ME),
                "process.roles": "broker",
                "listeners": "PLAINTEXT://broker-7:9092",
                "log.dirs": "/a,/b,/c",
                "broker.rack": "r1",
                "controller.quorum.voters": "1@host:9093",
                **{name.replace("_", "."): value for name, value in settings.items()},
            }
        )
        self.cluster_id = "AV9P4iMkRQymBdGIGwlqQA"
        self.out = Outbox(random.Random(1))
        self.metadata = Metadata()
        self.controller: Any = Controller()
        self.asked_for_rooms = self.offset = 0
        channel: Any = self.controller
        about = self.config, self.cluster_id, self.out, self.metadata
        context = BrokerContext(*about, Peers(self.out, str(ME)), channel)
        self.lifecycle = BrokerLifecycleManager(context, self.rooms)

    def rooms(self) -> DirectoryCapacities[uuid.UUID]:
        """What the directories offer; counts how often that was asked."""
        self.asked_for_rooms += 1
        return DirectoryCapacities({A: DirectoryCapacity(1 << 30, 5, 7)}, 1 << 20, 1 << 24)

    def commit(self, *records: r.MetadataRecord) -> None:
        """The metadata moves on."""
        self.metadata.on_committed(self.offset, self.offset, 1, records)
        self.offset += 1
        self.metadata.publish()

    def pass_time(self, seconds: float) -> None:
        """Let time pass, timers included."""
        end = self.out.now + seconds
        while (at := self.out.wake_at) is not None and at <= end:
            self.out.now = max(at, self.out.now)
            self.out.tick()
        self.out.now = end

    def registered(self, epoch: int = 5, error: int = 0) -> Any:
        """Answer a registration; the request."""
        request = self.controller.asked[-1]
        assert type(request).__name__ == "BrokerRegistrationRequest"
        t = response_types(Key.BROKER_REGISTRATION, 4)
        answer = make(t.BrokerRegistrationResponse, error_code=error, broker_epoch=epoch)
        self.controller.answer(answer)
        return request

    def beaten(self, caught_up: bool = True, fenced: bool = False, **fields: Any) -> Any:
        """Answer a heartbeat; the request."""
        request = self.controller.asked[-1]
        assert type(request).__name__ == "BrokerHeartbeatRequest"
        t = response_types(Key.BROKER_HEARTBEAT, 2)
        answer = make(
            t.BrokerHeartbeatResponse,
            **{
                "error_code": 0,
                "is_caught_up": caught_up,
                "is_fenced": fenced,
                "should_shut_down": False,
                **fields,
            },
        )
        self.controller.answer(answer)
        return request

    def run(self) -> None:
        """Start and come to RUNNING."""
        self.lifecycle.start([B, A, C], 3)
        self.registered()
        self.beaten(fenced=True)
        self.lifecycle.ready()
        self.beaten()
        assert self.lifecycle.state == BrokerState.RUNNING

    @property
    def halted(self) -> str | None:
        """Why the node must stop at once, if it must."""
        ready = self.out.take()
        return ready.halt if ready is not None else None


def test_a_broker_registers_with_its_sorted_directories_and_its_last_epoch() -> None:
    bench = Bench()
    bench.lifecycle.start([B, A, C], 3)
    request = bench.registered()
    assert request.log_dirs == (A, B, C)
    assert request.previous_broker_epoch == 3
    assert request.cluster_id == bench.cluster_id
    assert request.rack == "r1"
    assert [(n.name, n.host, n.port) for n in request.listeners] == [
        ("PLAINTEXT", "broker-7", 9092)
    ]
    features = {
        f.name: (f.min_supported_version, f.max_supported_version) for f in request.features
    }
    assert features["metadata.version"] == (7, 30)
    assert features["kraft.version"] == (0, 1)
    assert bench.lifecycle.epoch == 5


def test_a_registration_is_repeated_while_the_old_session_lasts() -> None:
    bench = Bench()
    bench.lifecycle.start([A], -1)
    for _ in range(8):
        first = bench.registered(-1, Error.DUPLICATE_BROKER_REGISTRATION)
        bench.pass_time(2.5)
    again = bench.registered()
    assert again.incarnation_id == first.incarnation_id
    assert bench.lifecycle.epoch == 5


def test_a_broker_that_no_controller_registers_gives_up() -> None:
    bench = Bench(initial_broker_registration_timeout_ms="10000")
    bench.lifecycle.start([A], -1)
    for _ in range(20):
        if bench.controller.busy:
            bench.controller.answer(PeerFailed("refused"))
        bench.pass_time(0.5)
    assert "no controller has registered this broker within 10 s" in str(bench.halted)


def test_heartbeats_come_fast_until_caught_up_then_at_their_interval() -> None:
    bench = Bench()
    bench.lifecycle.start([A], -1)
    bench.registered()
    bench.beaten(caught_up=False, fenced=True)
    bench.pass_time(0.011)
    assert bench.controller.busy
    request = bench.beaten(caught_up=True, fenced=True)
    assert request.want_fence
    assert bench.lifecycle.state == BrokerState.RECOVERY
    bench.pass_time(1.9)
    assert not bench.controller.busy
    bench.pass_time(0.2)
    assert bench.controller.busy


@pytest.mark.spec("B-19")
def test_a_ready_broker_asks_at_once_to_be_unfenced_and_tells_its_cordons() -> None:
    bench = Bench()
    bench.commit(r.FeatureLevel(name="metadata.version", level=30))
    bench.lifecycle.set_cordoned([A])
    bench.lifecycle.start([A], -1)
    bench.registered()
    bench.beaten(caught_up=False, fenced=True)
    assert bench.lifecycle.is_fenced
    bench.lifecycle.ready()
    request = bench.beaten(fenced=False)
    assert not request.want_fence
    assert request.cordoned_log_dirs == (A,)
    assert not bench.lifecycle.is_fenced
    assert bench.lifecycle.state == BrokerState.RUNNING


def test_heartbeats_tell_what_metadata_has_been_applied() -> None:
    bench = Bench()
    bench.commit(r.NoOp())
    bench.commit(r.NoOp())
    bench.lifecycle.start([A], -1)
    bench.registered()
    assert bench.beaten(fenced=True).current_metadata_offset == 1


@pytest.mark.spec("K858-05")
def test_a_failed_directory_is_reported_at_once_and_ever_after() -> None:
    bench = Bench()
    bench.run()
    assert not bench.controller.busy
    bench.lifecycle.on_directory_failed(B)
    assert bench.beaten().offline_log_dirs == (B,)
    bench.lifecycle.on_directory_failed(A)
    assert bench.beaten().offline_log_dirs == (A, B)
    bench.pass_time(2.1)
    assert bench.beaten().offline_log_dirs == (A, B)


def test_a_failure_during_a_heartbeat_goes_into_the_next_one_without_a_pause() -> None:
    bench = Bench()
    bench.run()
    bench.pass_time(2.1)
    bench.lifecycle.on_directory_failed(B)
    assert bench.beaten().offline_log_dirs == ()
    assert bench.controller.busy
    assert bench.beaten().offline_log_dirs == (B,)


def leads_in(bench: Bench, *directories: uuid.UUID) -> None:
    """Have the metadata name us as leader of a partition in each of these directories."""
    for n, directory in enumerate(directories):
        id = uuid.UUID(int=5000 + n)
        bench.commit(
            r.Topic(name=f"t{n}", topic_id=id),
            r.PartitionRegistration(
                partition_id=0,
                topic_id=id,
                replicas=(ME,),
                isr=(ME,),
                leader=ME,
                leader_epoch=0,
                partition_epoch=0,
                directories=(directory,),
            ),
        )


def fail_until(bench: Bench, seconds: float) -> None:
    """Let time pass with a controller that does not answer."""
    for _ in range(round(seconds / 0.5)):
        if bench.controller.busy:
            bench.controller.answer(PeerFailed("timed out"))
        bench.pass_time(0.5)


@pytest.mark.spec("K858-09")
def test_a_leader_in_a_failed_directory_that_was_never_reported_stops() -> None:
    bench = Bench(log_dir_failure_timeout_ms="10000")
    bench.run()
    leads_in(bench, B)
    bench.out.take()
    bench.lifecycle.on_directory_failed(B)
    fail_until(bench, 9.5)
    assert bench.halted is None
    fail_until(bench, 1)
    assert "could not be informed within 10000 ms" in str(bench.halted)


@pytest.mark.spec("K858-09")
def test_a_broker_that_leads_nothing_there_lives_on() -> None:
    bench = Bench(log_dir_failure_timeout_ms="10000")
    bench.run()
    leads_in(bench, A)
    bench.lifecycle.on_directory_failed(B)
    fail_until(bench, 60)
    assert bench.halted is None


@pytest.mark.spec("B-22")
def test_each_of_several_failed_directories_has_its_own_time() -> None:
    bench = Bench(log_dir_failure_timeout_ms="10000")
    bench.run()
    leads_in(bench, A, B)
    bench.lifecycle.on_directory_failed(A)
    bench.beaten()  # The controller hears of A; its leadership stays ours in this image.
    fail_until(bench, 8)
    bench.lifecycle.on_directory_failed(B)
    fail_until(bench, 9)
    assert bench.halted is None
    fail_until(bench, 1.5)
    assert id_to_text(B) in str(bench.halted)


@pytest.mark.spec("B-13")
def test_a_directory_that_is_back_is_registered_again() -> None:
    bench = Bench()
    bench.run()
    bench.lifecycle.on_directory_failed(B)
    bench.beaten()
    bench.lifecycle.on_directory_back(B)
    request = bench.registered(9)
    assert request.log_dirs == (A, B, C)
    assert bench.lifecycle.epoch == 9
    assert bench.beaten().offline_log_dirs == ()


def test_a_failure_while_registering_is_not_registered_as_online() -> None:
    bench = Bench()
    bench.lifecycle.start([A, B], -1)
    bench.lifecycle.on_directory_failed(B)
    assert bench.registered(4).log_dirs == (A, B)
    assert bench.registered(5).log_dirs == (A,)
    assert bench.beaten(fenced=True).offline_log_dirs == (B,)


@pytest.mark.parametrize("error", [Error.STALE_BROKER_EPOCH, Error.BROKER_ID_NOT_REGISTERED])
def test_a_broker_that_is_unknown_registers_again(error: Error) -> None:
    bench = Bench()
    bench.run()
    bench.pass_time(2.1)
    bench.beaten(error_code=error)
    assert bench.lifecycle.is_fenced
    bench.pass_time(1)
    bench.registered(8)
    assert bench.lifecycle.epoch == 8
    assert not bench.beaten().want_fence


def test_a_change_of_controllers_is_sat_out() -> None:
    bench = Bench()
    bench.run()
    bench.pass_time(2.1)
    bench.beaten(error_code=Error.NOT_CONTROLLER)
    bench.pass_time(0.3)
    assert bench.beaten().broker_epoch == 5


@pytest.mark.spec("K858-19")
def test_a_broker_tells_its_directories_when_the_cluster_can_speak_of_them() -> None:
    bench = Bench()
    bench.commit(r.FeatureLevel(name="metadata.version", level=16))
    bench.run()
    bench.commit(r.RegisterBroker(broker_id=ME, incarnation_id=C, broker_epoch=5, log_dirs=()))
    assert not bench.controller.busy
    bench.commit(r.FeatureLevel(name="metadata.version", level=17))
    assert bench.registered(11).log_dirs == (A, B, C)


def test_cordoned_directories_are_reported_from_recovery_on_where_the_cluster_knows_them() -> None:
    bench = Bench()
    bench.commit(r.FeatureLevel(name="metadata.version", level=29))
    bench.lifecycle.set_cordoned([B, A])
    bench.lifecycle.start([A, B], -1)
    bench.registered()
    assert bench.beaten(fenced=True).cordoned_log_dirs is None
    bench.lifecycle.ready()
    assert bench.beaten().cordoned_log_dirs is None
    bench.commit(r.FeatureLevel(name="metadata.version", level=30))
    bench.pass_time(2.1)
    assert bench.beaten().cordoned_log_dirs == (A, B)
    bench.lifecycle.set_cordoned([])
    assert bench.beaten().cordoned_log_dirs == ()


# --- stopping ---------------------------------------------------------------------------------


def test_a_controlled_stop_waits_until_the_controller_lets_go() -> None:
    bench = Bench()
    bench.run()
    stopped: list[bool] = []
    bench.lifecycle.shut_down(lambda: stopped.append(True))
    assert bench.beaten().want_shut_down
    bench.pass_time(0.2)
    assert not stopped
    bench.beaten(should_shut_down=True, fenced=True)
    assert stopped == [True]
    bench.pass_time(60)
    assert not bench.controller.busy  # A heartbeat now could unfence us again.


def test_a_stop_does_not_wait_for_a_controller_that_is_gone() -> None:
    bench = Bench()
    bench.run()
    stopped: list[bool] = []
    bench.lifecycle.shut_down(lambda: stopped.append(True))
    fail_until(bench, 9)
    assert not stopped
    fail_until(bench, 3)
    assert stopped == [True]


def test_a_stop_waits_less_where_no_voter_leads_the_quorum() -> None:
    bench = Bench()
    bench.run()
    stopped: list[bool] = []
    bench.lifecycle.shut_down(lambda: stopped.append(True))
    bench.controller.is_known = False
    fail_until(bench, 2)
    assert not stopped
    bench.controller.is_known = True
    fail_until(bench, 2)
    bench.controller.is_known = False
    fail_until(bench, 2)
    assert not stopped, "elections have their time"
    fail_until(bench, 2)
    assert stopped == [True]


def test_a_stop_waits_least_where_no_controller_can_be_elected() -> None:
    bench = Bench()
    bench.run()
    stopped: list[bool] = []
    bench.controller.is_hopeless = True
    bench.lifecycle.shut_down(lambda: stopped.append(True))
    fail_until(bench, 0.5)
    bench.controller.is_hopeless = False
    fail_until(bench, 0.5)
    bench.controller.is_hopeless = True
    fail_until(bench, 0.5)
    assert not stopped, "one that is restarted has a moment"
    fail_until(bench, 1.5)
    assert stopped == [True]
    assert bench.controller.sounded_out > 5


def test_a_broker_that_never_ran_stops_at_once() -> None:
    bench = Bench()
    bench.lifecycle.start([A], -1)
    stopped: list[bool] = []
    bench.lifecycle.shut_down(lambda: stopped.append(True))
    assert stopped == [True]
    bench.registered()
    bench.pass_time(10)
    assert not bench.controller.busy


def test_an_uncontrolled_stop_asks_no_controller() -> None:
    bench = Bench(controlled_shutdown_enable="false")
    bench.run()
    stopped: list[bool] = []
    bench.lifecycle.shut_down(lambda: stopped.append(True))
    assert stopped == [True]


def test_a_broker_that_is_forgotten_while_stopping_may_stop() -> None:
    bench = Bench()
    bench.run()
    stopped: list[bool] = []
    bench.lifecycle.shut_down(lambda: stopped.append(True))
    bench.beaten(error_code=Error.STALE_BROKER_EPOCH)
    assert stopped == [True]


@pytest.mark.spec("B-24")
def test_the_room_in_the_directories_is_reported_once_in_each_interval() -> None:
    bench = Bench()
    bench.lifecycle.start([A, B], -1)
    bench.registered()
    told = bench.beaten()
    assert (told.room_share, told.room_directories) == (-1, ())
    assert bench.asked_for_rooms == 0, "nothing is known before the logs are"
    bench.lifecycle.ready()
    told = bench.beaten(fenced=True)
    assert (told.room_directories, told.room_left, told.room_logs) == ((A,), (1 << 30,), (7,))
    assert (told.room_rates, told.room_share, told.room_grown) == ((5,), 1 << 20, 1 << 24)
    bench.lifecycle.on_directory_failed(B)
    bench.pass_time(0.01)
    assert bench.beaten().room_share == -1
    assert bench.asked_for_rooms == 1
    bench.pass_time(2)
    assert bench.beaten().room_directories == (A,)
