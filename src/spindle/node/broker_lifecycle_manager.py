"""The broker before the controller: registration, heartbeats, failed directories, controlled stop.

One request is under way at a time. Knows nothing of logs: `LogDirs` says when they are settled
(`ready`) and which directories fail or come back. Used by all parts that need our broker epoch.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Final

from spindle.core.lifecycle import BrokerState, DirectoryReports, Event, step
from spindle.core.logdirs.placement import DirectoryCapacities
from spindle.model.errors import Error, PeerFailed, error_name
from spindle.model.feature_rules import (
    CORDONED_DIRECTORIES,
    SUPPORTED,
)
from spindle.model.ids import DirectoryId, id_to_text
from spindle.model.image import Delta
from spindle.model.outbox import Timer
from spindle.node.broker_context import BrokerContext
from spindle.node.directory_capacities import RoomFields, to_fields
from spindle.wire.codec import ErrorCode
from spindle.wire.messages.broker_heartbeat_request import BrokerHeartbeatRequest
from spindle.wire.messages.broker_heartbeat_response import BrokerHeartbeatResponse
from spindle.wire.messages.broker_registration_request import (
    BrokerRegistrationRequest,
    Feature,
    Listener,
)
from spindle.wire.messages.broker_registration_response import BrokerRegistrationResponse

CHANNEL: Final = "heartbeat"
REGISTRATION_VERSION: Final = 4
HEARTBEAT_VERSION: Final = 2
STARTING_INTERVAL: Final = 0.01
STOPPING_INTERVAL: Final = 0.1
BACKOFF_FIRST: Final = 0.1
UNHEARD_STOP_LIMIT: Final = 10.0
"""A controlled stop waits this long (s) for a controller that does not answer."""
LEADERLESS_STOP_LIMIT: Final = 3.0
"""And this long without a leader of the quorum: most of it may have stopped before us."""
HOPELESS_STOP_LIMIT: Final = 1.0
"""And this long where connections to a majority of the controllers are refused."""
STOP_CHECK: Final = 0.2
STOP_LIMIT: Final = 300.0
"""And this long in all, as Apache Kafka does."""
NO_EPOCH: Final = -1
_IN_WORDS: Final = {
    Error.DUPLICATE_BROKER_REGISTRATION: (
        "another process runs as broker {id}; this one waits until the session of that one has run"
        " out. If it never does, two brokers have node.id={id}: stop one, or give it another id"
    ),
    Error.INCONSISTENT_CLUSTER_ID: (
        "the controller belongs to another cluster than this broker, {cluster}"
    ),
}
"""What an operator has to know of an answer, where its name does not tell."""


class BrokerLifecycleManager:
    """Registration, fencing and stopping of this broker."""

    def __init__(
        self, context: BrokerContext, rooms: Callable[[], DirectoryCapacities[DirectoryId]]
    ) -> None:
        """`rooms`: what our directories have to offer to new replicas, asked before heartbeats."""
        self._context = context
        self._rooms = rooms
        self._out = context.out
        settings = context.settings
        self._interval: float = settings.seconds("broker.heartbeat.interval.ms")
        self._timeout: float = settings.seconds("broker.session.timeout.ms")
        self.state = BrokerState.NOT_RUNNING
        self.epoch = NO_EPOCH
        """Our broker epoch: what every request to the controller or a leader proves itself by."""
        self.is_fenced = True
        """Whether the controller keeps us out of leadership and ISRs, as far as we know."""
        self._directories = DirectoryReports(settings.seconds("log.dir.failure.timeout.ms"))
        self._cordoned: tuple[DirectoryId, ...] = ()
        self._rooms_told = -math.inf
        self._incarnation = context.out.new_id()
        self._previous_epoch = NO_EPOCH
        self._registered = False
        self._ready = False
        self._in_flight = False
        self._again = False
        self._failures = 0
        self._last_error = "the controller did not answer"
        self._turned_away = ""
        """The controller's last answer, if it says that another process has our id."""
        self._heard_at = 0.0
        self._led_at = 0.0
        self._hoped_at = 0.0
        self._next: Timer | None = None
        self._on_stopped: list[Callable[[], None]] = []
        context.metadata.listen(self._on_metadata)

    # --- for the other parts ------------------------------------------------------------------

    def start(self, directory_ids: Iterable[DirectoryId], previous_broker_epoch: int) -> None:
        """Register with these online directories; then send heartbeats until the end.

        `previous_broker_epoch`: of the clean shutdown before, or -1.
        """
        self._directories.on_start(directory_ids)
        self._previous_epoch = previous_broker_epoch
        self._move(Event.START)
        timeout: float = self._context.settings.seconds("initial.broker.registration.timeout.ms")
        self._out.after(timeout, lambda: self._on_registration_timeout(timeout))
        self._send()

    def ready(self) -> None:
        """Our logs are loaded and where the metadata has them: ask to be unfenced (K858-13)."""
        if not self._ready:
            self._ready = True
            self._send()

    def on_directory_failed(self, directory_id: DirectoryId) -> None:
        """A directory has failed: tell the controller now, and do not live on unheard."""
        if self._directories.on_failed(directory_id, self._out.now):
            timeout = self._context.settings.seconds("log.dir.failure.timeout.ms")
            self._out.after(timeout, lambda: self._check_heard(directory_id))
            self._send()

    def on_directory_back(self, directory_id: DirectoryId) -> None:
        """A directory serves again (B-13): register again, with it among the online ones."""
        self._directories.on_back(directory_id)
        self._register_again()

    def set_cordoned(self, directory_ids: Iterable[DirectoryId]) -> None:
        """These directories are to get no new replicas (KIP-1066)."""
        cordoned = tuple(sorted(directory_ids))
        if cordoned != self._cordoned:
            self._cordoned = cordoned
            self._send()

    def shut_down(self, then: Callable[[], None]) -> None:
        """Have our leaderships moved away, then stop heartbeats; `then` once, in the end."""
        self._on_stopped.append(then)
        self._heard_at = self._led_at = self._hoped_at = self._out.now
        self._move(Event.STOP)
        if self.state == BrokerState.PENDING_CONTROLLED_SHUTDOWN:
            if not self._context.settings.flag("controlled.shutdown.enable"):
                self._may_stop()
                return
            self._out.after(STOP_LIMIT, self._may_stop)
            self._await_controller()
            self._send()
        elif self.state == BrokerState.SHUTTING_DOWN:
            self._end()

    # --- requests ---------------------------------------------------------------------------

    def _send(self) -> None:
        """Send what is due now: a registration or a heartbeat; after the one under way, if any."""
        if self.state in (BrokerState.NOT_RUNNING, BrokerState.SHUTTING_DOWN):
            return
        if self._in_flight:
            self._again = True
            return
        if self._next is not None:
            self._next.cancel()
            self._next = None
        self._in_flight = True
        self._again = False
        if self._registered:
            self._beat()
        else:
            self._register()

    def _register(self) -> None:
        context = self._context
        online = self._directories.online
        listeners = tuple(
            Listener(
                name=e.name,
                host=e.host or "localhost",
                port=e.port,
                security_protocol=e.security_protocol,
            )
            for e in context.config.advertised
            if e.name not in context.config.controller_listeners
        )
        features = tuple(
            Feature(
                name=name,
                min_supported_version=range.min,
                max_supported_version=range.max,
            )
            for name, range in SUPPORTED.items()
        )
        request = BrokerRegistrationRequest(
            broker_id=context.node_id,
            cluster_id=context.cluster_id,
            incarnation_id=self._incarnation,
            listeners=listeners,
            features=features,
            rack=context.config.rack,
            log_dirs=online,
            previous_broker_epoch=self._previous_epoch,
        )

        def on_answer(answer: BrokerRegistrationResponse | PeerFailed) -> None:
            if self._answered(answer, "registration"):
                assert not isinstance(answer, PeerFailed)
                self._registered = online == self._directories.online
                self.epoch = answer.broker_epoch
                self._out.say("info", "broker registered", epoch=self.epoch)
                self._send()

        context.controller.ask(CHANNEL, request, REGISTRATION_VERSION, on_answer, self._timeout)

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
        context = self._context
        failed = self._directories.failed
        request = self._heartbeat(
            want_fence=not self._ready,
            want_shut_down=self.state == BrokerState.PENDING_CONTROLLED_SHUTDOWN,
            rooms=self._rooms_to_tell(),
        )

        def on_answer(answer: BrokerHeartbeatResponse | PeerFailed) -> None:
            if self._answered(answer, "heartbeat"):
                assert not isinstance(answer, PeerFailed)
                self._directories.on_heard(failed)
                self._on_beat(answer)

        context.controller.ask(CHANNEL, request, HEARTBEAT_VERSION, on_answer, self._timeout)

    def _cordoned_to_tell(self) -> tuple[DirectoryId, ...] | None:
        """At the latest when it asks to be unfenced: new replicas come as soon as that is met."""
        is_read = self._ready or self.state >= BrokerState.RECOVERY
        known = is_read and self._context.level >= CORDONED_DIRECTORIES
        return self._cordoned if known else None

    def _rooms_to_tell(self) -> RoomFields:
        """Once in each interval, however often heartbeats go: figures cost a look at every log.

        Never along with a failure that the controller is to hear of now.
        """
        due = self._out.now >= self._rooms_told + self._interval / 2
        if not self._ready or not due or not self._directories.all_heard:
            return {}
        self._rooms_told = self._out.now
        return to_fields(self._rooms())

    def _answered(
        self,
        answer: BrokerRegistrationResponse | BrokerHeartbeatResponse | PeerFailed,
        what: str,
    ) -> bool:
        """Whether a request was met; if not, the next one is arranged."""
        self._in_flight = False
        if self.state == BrokerState.SHUTTING_DOWN:
            return False
        if isinstance(answer, PeerFailed):
            error: ErrorCode = Error.NETWORK_EXCEPTION
            name = str(answer)
        else:
            error = answer.error_code
            name = error_name(error)
            if isinstance(error, Error) and error in _IN_WORDS:
                context = self._context
                words = _IN_WORDS[error].format(id=context.node_id, cluster=context.cluster_id)
                name = f"{words} ({name})"
            if error != Error.NOT_CONTROLLER:
                self._heard_at = self._out.now
                duplicate = error == Error.DUPLICATE_BROKER_REGISTRATION
                self._turned_away = name if duplicate else ""
        if error == Error.NONE:
            self._failures = 0
            return True
        # Logged once: the same refusal comes again and again.
        expected = error in (Error.NOT_CONTROLLER, Error.NETWORK_EXCEPTION)
        level = "debug" if expected or name == self._last_error else "warning"
        self._last_error = name
        epoch = {} if self.epoch == NO_EPOCH else {"epoch": self.epoch}
        self._out.say(level, f"controller refused the {what}", reason=name, **epoch)
        if error in (Error.STALE_BROKER_EPOCH, Error.BROKER_ID_NOT_REGISTERED):
            self._registered = False
            self.is_fenced = True
            if self.state == BrokerState.PENDING_CONTROLLED_SHUTDOWN:
                self._may_stop()  # No other node counts on us any more.
                return False
        self._failures += 1
        step = BACKOFF_FIRST * (1 << min(self._failures - 1, 6))
        self._schedule(min(step, self._interval) * (0.8 + 0.4 * self._out.rng.random()))
        return False

    def _on_beat(self, answer: BrokerHeartbeatResponse) -> None:
        if answer.is_fenced != self.is_fenced:
            self.is_fenced = answer.is_fenced
            event = "broker is fenced" if self.is_fenced else "broker is unfenced"
            self._out.say("info", event, epoch=self.epoch)
        if answer.is_caught_up:
            self._move(Event.CAUGHT_UP)
        if not answer.is_fenced:
            self._move(Event.UNFENCED)
        if answer.should_shut_down and self.state == BrokerState.PENDING_CONTROLLED_SHUTDOWN:
            self._may_stop()
            return
        if self._again or not self._registered:
            self._send()
        elif self.state == BrokerState.STARTING or (self._ready and self.is_fenced):
            self._schedule(min(STARTING_INTERVAL, self._interval))
        elif self.state == BrokerState.PENDING_CONTROLLED_SHUTDOWN:
            self._schedule(min(STOPPING_INTERVAL, self._interval))
        else:
            self._schedule(self._interval)

    def _schedule(self, delay: float) -> None:
        if self._next is not None:
            self._next.cancel()
        self._next = self._out.after(delay, self._send)

    # --- directories --------------------------------------------------------------------------

    def _check_heard(self, directory_id: DirectoryId) -> None:
        """Stop if partitions that we lead are in a directory whose failure is not reported."""
        if self.state == BrokerState.SHUTTING_DOWN:
            return
        if not self._directories.overdue(directory_id, self._out.now):
            return
        if self._leads_in(directory_id):
            timeout = self._context.settings.whole("log.dir.failure.timeout.ms")
            self._out.halt(
                f"directory {id_to_text(directory_id)} has failed with partitions that this broker "
                f"leads, and the controller could not be informed within {timeout} ms: "
                f"{self._last_error}"
            )
        else:
            self._out.after(self._interval, lambda: self._check_heard(directory_id))

    def _leads_in(self, directory_id: DirectoryId) -> bool:
        image, me = self._context.image, self._context.node_id
        return any(
            partition.leader == me and image.directory_of(partition, me) == directory_id
            for _, partition in image.partitions()
        )

    def _register_again(self) -> None:
        self._registered = False
        self._send()

    def _on_metadata(self, delta: Delta) -> None:
        """The cluster can speak of directories now, but our registration does not (K858-19)."""
        if not delta.features or not self._registered:
            return
        own = self._context.image.brokers.get(self._context.node_id)
        if own is not None and not own.log_dirs and self._context.speaks_of_directories:
            self._register_again()

    # --- stopping -----------------------------------------------------------------------------

    def _on_registration_timeout(self, timeout: float) -> None:
        if self.epoch != NO_EPOCH or self.state != BrokerState.STARTING:
            return
        why = self._last_error
        if self._turned_away:
            # The controller's session timeout counts; ours is what an operator has set for both.
            why = (
                f"{self._turned_away}. Was this broker restarted? A session lasts for"
                f" broker.session.timeout.ms, {self._timeout:g} s: start it again after that, or"
                " raise initial.broker.registration.timeout.ms above it"
            )
        self._out.halt(
            f"no controller has registered this broker within {timeout:g} s"
            f" (initial.broker.registration.timeout.ms): {why}",
            unusable=True,
        )

    def _await_controller(self) -> None:
        """Do not wait for a controller that is not there."""
        if self.state != BrokerState.PENDING_CONTROLLED_SHUTDOWN:
            return
        now, controller = self._out.now, self._context.controller
        if controller.is_known:
            self._led_at = now
        if not controller.is_hopeless:
            self._hoped_at = now
        controller.sound_out()
        why = None
        if now >= self._hoped_at + HOPELESS_STOP_LIMIT:
            why = "most controllers refuse connections: none can be elected"
        elif now >= self._led_at + LEADERLESS_STOP_LIMIT:
            why = "no controller has been elected"
        elif now >= self._heard_at + UNHEARD_STOP_LIMIT:
            why = self._last_error
        if why is not None:
            self._out.say("warning", "stopping without the controller", reason=why)
            self._may_stop()
        else:
            self._out.after(STOP_CHECK, self._await_controller)

    def _may_stop(self) -> None:
        self._move(Event.MAY_STOP)
        if self.state == BrokerState.SHUTTING_DOWN:
            self._end()

    def _end(self) -> None:
        if self._next is not None:
            self._next.cancel()
        waiting, self._on_stopped = self._on_stopped, []
        for then in waiting:
            then()

    def _move(self, event: Event) -> None:
        after = step(self.state, event)
        if after != self.state:
            self._out.say("info", "broker state", before=self.state.name, after=after.name)
            self.state = after
