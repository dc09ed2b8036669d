"""The broker before the controller: registration, heartbeats, failed directories, controlled stop.

One request is under way at a time. Knows nothing of logs: `LogDirManager` says when they are
settled (`ready`) and which directories fail or come back. Used by all parts that need our broker
epoch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Final

from spindle.core.lifecycle import BrokerState, DirectoryReports, Event, ShutdownPatience, step
from spindle.core.logdirs.placement import DirectoryCapacities
from spindle.model.errors import Error, PeerFailed
from spindle.model.feature_rules import CORDONED_DIRECTORIES
from spindle.model.ids import DirectoryId, id_to_text
from spindle.model.image import Delta
from spindle.node.broker_context import BrokerContext
from spindle.node.controller_requests import (
    NO_EPOCH,
    BrokerRegistration,
    ControllerAnswers,
    RequestSchedule,
)
from spindle.node.directory_capacities import CapacityReports, RoomFields
from spindle.wire.messages.broker_heartbeat_request import BrokerHeartbeatRequest
from spindle.wire.messages.broker_heartbeat_response import BrokerHeartbeatResponse
from spindle.wire.messages.broker_registration_response import BrokerRegistrationResponse

CHANNEL: Final = "heartbeat"
REGISTRATION_VERSION: Final = 4
HEARTBEAT_VERSION: Final = 2
STARTING_INTERVAL: Final = 0.01
STOPPING_INTERVAL: Final = 0.1
STOP_CHECK: Final = 0.2
STOP_LIMIT: Final = 300.0
"""A controlled stop takes this long (s) at most, as Apache Kafka's does."""


class BrokerLifecycleManager:
    """Registration, fencing and stopping of this broker."""

    def __init__(
        self, context: BrokerContext, rooms: Callable[[], DirectoryCapacities[DirectoryId]]
    ) -> None:
        """`rooms`: what our directories have to offer to new replicas, asked before heartbeats."""
        self._context = context
        settings = context.settings
        self.state = BrokerState.NOT_RUNNING
        self.epoch = NO_EPOCH
        """Our broker epoch: what every request to the controller or a leader proves itself by."""
        self.is_fenced = True
        """Whether the controller keeps us out of leadership and ISRs, as far as we know."""
        self._is_ready = False
        interval: float = settings.seconds("broker.heartbeat.interval.ms")
        timeout: float = settings.seconds("broker.session.timeout.ms")
        self._requests = RequestSchedule(context.out, interval, timeout)
        self._answers = ControllerAnswers(context)
        self._registration = BrokerRegistration(context)
        self._directories = DirectoryReports(settings.seconds("log.dir.failure.timeout.ms"))
        self._capacities = CapacityReports(rooms, interval / 2)
        self._patience = ShutdownPatience()
        self._on_stopped: list[Callable[[], None]] = []
        context.metadata.listen(self._on_metadata)
        context.controller.on_other_controller = partial(
            self._requests.on_other_controller, self._send
        )

    # --- for the other parts ------------------------------------------------------------------

    def start(self, directory_ids: Iterable[DirectoryId], previous_broker_epoch: int) -> None:
        """Register with these online directories; then send heartbeats until the end.

        `previous_broker_epoch`: of the clean shutdown before, or -1.
        """
        self._directories.on_start(directory_ids)
        self._registration.previous_epoch = previous_broker_epoch
        self._move(Event.START)
        timeout: float = self._context.settings.seconds("initial.broker.registration.timeout.ms")
        self._context.out.after(timeout, lambda: self._on_registration_timeout(timeout))
        self._send()

    def ready(self) -> None:
        """Our logs are loaded and where the metadata has them: ask to be unfenced (K858-13)."""
        if not self._is_ready:
            self._is_ready = True
            self._send()

    def on_directory_failed(self, directory_id: DirectoryId) -> None:
        """A directory has failed: tell the controller now, and do not live on unheard."""
        if self._directories.on_failed(directory_id, self._context.out.now):
            timeout = self._context.settings.seconds("log.dir.failure.timeout.ms")
            self._context.out.after(timeout, lambda: self._check_heard(directory_id))
            self._send()

    def on_directory_back(self, directory_id: DirectoryId) -> None:
        """A directory serves again (B-13): register again, with it among the online ones."""
        self._directories.on_back(directory_id)
        self._register_again()

    def set_cordoned(self, directory_ids: Iterable[DirectoryId]) -> None:
        """These directories are to get no new replicas (KIP-1066)."""
        if self._directories.set_cordoned(directory_ids):
            self._send()

    def shut_down(self, then: Callable[[], None]) -> None:
        """Have our leaderships moved away, then stop heartbeats; `then` once, in the end."""
        self._on_stopped.append(then)
        self._patience.begin(self._context.out.now)
        self._move(Event.STOP)
        if self.state == BrokerState.PENDING_CONTROLLED_SHUTDOWN:
            if not self._context.settings.flag("controlled.shutdown.enable"):
                self._may_stop()
                return
            self._context.out.after(STOP_LIMIT, self._may_stop)
            self._await_controller()
            self._send()
        elif self.state == BrokerState.SHUTTING_DOWN:
            self._end()

    # --- requests ---------------------------------------------------------------------------

    def _send(self) -> None:
        """Send what is due now: a registration or a heartbeat; after the one under way, if any."""
        if self.state in (BrokerState.NOT_RUNNING, BrokerState.SHUTTING_DOWN):
            return
        if not self._requests.begin():
            return
        if self._registration.is_current:
            self._beat()
        else:
            self._register()

    def _register(self) -> None:
        online = self._directories.online
        request = self._registration.request(online)

        def on_answer(answer: BrokerRegistrationResponse | PeerFailed) -> None:
            if self._answered(answer, "registration"):
                assert not isinstance(answer, PeerFailed)
                self._registration.is_current = online == self._directories.online
                self.epoch = answer.broker_epoch
                self._context.out.say("info", "broker registered", epoch=self.epoch)
                self._send()

        self._context.controller.ask(
            CHANNEL, request, REGISTRATION_VERSION, on_answer, self._requests.timeout
        )

    def last_heartbeat(self) -> BrokerHeartbeatRequest:
        """What a broker that stops at once says: fence me and let me go (B-30). Changes nothing."""
        return self._heartbeat(want_fence=True, want_shut_down=True, rooms={})

    def _heartbeat(
        self, *, want_fence: bool, want_shut_down: bool, rooms: RoomFields
    ) -> BrokerHeartbeatRequest:
        return BrokerHeartbeatRequest(
            broker_id=self._context.node_id,
            broker_epoch=self.epoch,
            current_metadata_offset=self._context.metadata.told,
            offline_log_dirs=self._directories.failed,
            cordoned_log_dirs=self._cordoned_to_tell(),
            want_fence=want_fence,
            want_shut_down=want_shut_down,
            **rooms,
        )

    def _beat(self) -> None:
        failed = self._directories.failed
        request = self._heartbeat(
            want_fence=not self._is_ready,
            want_shut_down=self.state == BrokerState.PENDING_CONTROLLED_SHUTDOWN,
            rooms=self._rooms_to_tell(),
        )

        def on_answer(answer: BrokerHeartbeatResponse | PeerFailed) -> None:
            if self._answered(answer, "heartbeat"):
                assert not isinstance(answer, PeerFailed)
                self._directories.on_heard(failed)
                self._on_beat(answer)

        self._context.controller.ask(
            CHANNEL, request, HEARTBEAT_VERSION, on_answer, self._requests.timeout
        )

    def _cordoned_to_tell(self) -> tuple[DirectoryId, ...] | None:
        """At the latest when it asks to be unfenced: new replicas come as soon as that is met."""
        is_read = self._is_ready or self.state >= BrokerState.RECOVERY
        known = is_read and self._context.level >= CORDONED_DIRECTORIES
        return self._directories.cordoned if known else None

    def _rooms_to_tell(self) -> RoomFields:
        """Once in each interval, however often heartbeats go: figures cost a look at every log.

        Never along with a failure that the controller is to hear of now.
        """
        if not self._is_ready or not self._directories.all_heard:
            return {}
        return self._capacities.take(self._context.out.now)

    def _answered(
        self, answer: BrokerRegistrationResponse | BrokerHeartbeatResponse | PeerFailed, what: str
    ) -> bool:
        """Whether a request was met; if not, the next one is arranged."""
        self._requests.on_answer()
        if self.state == BrokerState.SHUTTING_DOWN:
            return False
        error = self._answers.take(answer, what, self.epoch)
        if not isinstance(answer, PeerFailed) and error != Error.NOT_CONTROLLER:
            self._patience.on_heard(self._context.out.now)
        if error == Error.NONE:
            self._requests.on_success()
            return True
        if error in (Error.STALE_BROKER_EPOCH, Error.BROKER_ID_NOT_REGISTERED):
            self._registration.is_current = False
            self.is_fenced = True
            if self.state == BrokerState.PENDING_CONTROLLED_SHUTDOWN:
                self._may_stop()  # No other node counts on us any more.
                return False
        self._requests.after_failure(self._send)
        return False

    def _on_beat(self, answer: BrokerHeartbeatResponse) -> None:
        if answer.is_fenced != self.is_fenced:
            self.is_fenced = answer.is_fenced
            event = "broker is fenced" if self.is_fenced else "broker is unfenced"
            self._context.out.say("info", event, epoch=self.epoch)
        if answer.is_caught_up:
            self._move(Event.CAUGHT_UP)
        if not answer.is_fenced:
            self._move(Event.UNFENCED)
        if answer.should_shut_down and self.state == BrokerState.PENDING_CONTROLLED_SHUTDOWN:
            self._may_stop()
            return
        if self._requests.is_wanted_again or not self._registration.is_current:
            self._send()
        elif self.state == BrokerState.STARTING or (self._is_ready and self.is_fenced):
            self._requests.after(STARTING_INTERVAL, self._send)
        elif self.state == BrokerState.PENDING_CONTROLLED_SHUTDOWN:
            self._requests.after(STOPPING_INTERVAL, self._send)
        else:
            self._requests.after(self._requests.interval, self._send)

    # --- directories --------------------------------------------------------------------------

    def _check_heard(self, directory_id: DirectoryId) -> None:
        """Stop if partitions that we lead are in a directory whose failure is not reported."""
        if self.state == BrokerState.SHUTTING_DOWN:
            return
        if not self._directories.overdue(directory_id, self._context.out.now):
            return
        if self._leads_in(directory_id):
            timeout = self._context.settings.whole("log.dir.failure.timeout.ms")
            self._context.out.halt(
                f"directory {id_to_text(directory_id)} has failed with partitions that this broker "
                f"leads, and the controller could not be informed within {timeout} ms: "
                f"{self._answers.last_error}"
            )
        else:
            self._context.out.after(
                self._requests.interval, lambda: self._check_heard(directory_id)
            )

    def _leads_in(self, directory_id: DirectoryId) -> bool:
        image, me = self._context.image, self._context.node_id
        return any(
            partition.leader == me and image.directory_of(partition, me) == directory_id
            for _, partition in image.partitions()
        )

    def _register_again(self) -> None:
        self._registration.is_current = False
        self._send()

    def _on_metadata(self, delta: Delta) -> None:
        """The cluster can speak of directories now, but our registration does not (K858-19)."""
        if not delta.features or not self._registration.is_current:
            return
        own = self._context.image.brokers.get(self._context.node_id)
        if own is not None and not own.log_dirs and self._context.speaks_of_directories:
            self._register_again()

    # --- stopping -----------------------------------------------------------------------------

    def _on_registration_timeout(self, timeout: float) -> None:
        if self.epoch != NO_EPOCH or self.state != BrokerState.STARTING:
            return
        why = self._answers.last_error
        if self._answers.turned_away:
            session = self._requests.timeout
            # The controller's session timeout counts; ours is what an operator has set for both.
            why = (
                f"{self._answers.turned_away}. Was this broker restarted? A session lasts for"
                f" broker.session.timeout.ms, {session:g} s: start it again after that, or"
                " raise initial.broker.registration.timeout.ms above it"
            )
        self._context.out.halt(
            f"no controller has registered this broker within {timeout:g} s"
            f" (initial.broker.registration.timeout.ms): {why}",
            unusable=True,
        )

    def _await_controller(self) -> None:
        """Do not wait for a controller that is not there."""
        if self.state != BrokerState.PENDING_CONTROLLED_SHUTDOWN:
            return
        controller = self._context.controller
        controller.sound_out()
        why = self._patience.look(
            self._context.out.now,
            is_led=controller.is_known,
            is_hopeless=controller.is_hopeless,
            last_error=self._answers.last_error,
        )
        if why is not None:
            self._context.out.say("warning", "stopping without the controller", reason=why)
            self._may_stop()
        else:
            self._context.out.after(STOP_CHECK, self._await_controller)

    def _may_stop(self) -> None:
        self._move(Event.MAY_STOP)
        if self.state == BrokerState.SHUTTING_DOWN:
            self._end()

    def _end(self) -> None:
        self._requests.cancel()
        waiting, self._on_stopped = self._on_stopped, []
        for then in waiting:
            then()

    def _move(self, event: Event) -> None:
        after = step(self.state, event)
        if after != self.state:
            self._context.out.say("info", "broker state", before=self.state.name, after=after.name)
            self.state = after
