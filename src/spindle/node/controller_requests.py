"""What a broker keeps about its requests to the controller: turns, answers, how it registers.

Used by `broker_lifecycle_manager`, which decides what is asked.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from spindle.model.errors import Error, PeerFailed, error_name
from spindle.model.feature_rules import SUPPORTED
from spindle.model.ids import DirectoryId
from spindle.model.outbox import Outbox, Timer
from spindle.node.broker_context import BrokerContext
from spindle.wire.codec import ErrorCode
from spindle.wire.messages.broker_heartbeat_response import BrokerHeartbeatResponse
from spindle.wire.messages.broker_registration_request import (
    BrokerRegistrationRequest,
    Feature,
    Listener,
)
from spindle.wire.messages.broker_registration_response import BrokerRegistrationResponse

NO_EPOCH: Final = -1
BACKOFF_FIRST_SECONDS: Final = 0.1
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


class RequestSchedule:
    """One request at a time, and when the next one goes."""

    def __init__(self, out: Outbox, interval: float, timeout: float) -> None:
        self._out = out
        self.interval = interval
        """Seconds between two heartbeats at most."""
        self.timeout = timeout
        """Seconds that a request may take."""
        self.is_wanted_again = False
        """Whether another request became due while one was under way."""
        self._in_flight = False
        self._failures = 0
        self._timer: Timer | None = None

    def begin(self) -> bool:
        """A request is due; whether it may go now, or else after the one under way."""
        if self._in_flight:
            self.is_wanted_again = True
            return False
        self.cancel()
        self._in_flight = True
        self.is_wanted_again = False
        return True

    def on_answer(self) -> None:
        """The request under way has ended, with an answer or without."""
        self._in_flight = False

    def on_success(self) -> None:
        """The controller did what was asked."""
        self._failures = 0

    def after_failure(self, send: Callable[[], None]) -> None:
        """Send again, a little later each time."""
        self._failures += 1
        step = BACKOFF_FIRST_SECONDS * (1 << min(self._failures - 1, 6))
        self._set(min(step, self.interval) * (0.8 + 0.4 * self._out.rng.random()), send)

    def on_other_controller(self, send: Callable[[], None]) -> None:
        """Another controller leads: what failed at the one before goes to it now."""
        if self._failures and not self._in_flight:
            self._failures = 0
            self._set(0.0, send)

    def after(self, delay: float, send: Callable[[], None]) -> None:
        """Send the next request in `delay` seconds, or in an interval where that is shorter."""
        self._set(min(delay, self.interval), send)

    def cancel(self) -> None:
        """No request is to go by time alone."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _set(self, delay: float, send: Callable[[], None]) -> None:
        self.cancel()
        self._timer = self._out.after(delay, send)


class ControllerAnswers:
    """What the controller last answered, in words for an operator."""

    def __init__(self, context: BrokerContext) -> None:
        self._context = context
        self.last_error = "the controller did not answer"
        self.turned_away = ""
        """The controller's last answer, if it says that another process has our id."""

    def take(
        self,
        answer: BrokerRegistrationResponse | BrokerHeartbeatResponse | PeerFailed,
        what: str,
        epoch: int,
    ) -> ErrorCode:
        """The error of an answer, NETWORK_EXCEPTION where none came; says what was refused."""
        if isinstance(answer, PeerFailed):
            error: ErrorCode = Error.NETWORK_EXCEPTION
            name = str(answer)
        else:
            error = answer.error_code
            name = self._in_words(error)
            if error != Error.NOT_CONTROLLER:
                duplicate = error == Error.DUPLICATE_BROKER_REGISTRATION
                self.turned_away = name if duplicate else ""
        if error != Error.NONE:
            # Logged once: the same refusal comes again and again.
            expected = error in (Error.NOT_CONTROLLER, Error.NETWORK_EXCEPTION)
            level = "debug" if expected or name == self.last_error else "warning"
            self.last_error = name
            fields = {} if epoch == NO_EPOCH else {"epoch": epoch}
            self._context.out.say(level, f"controller refused the {what}", reason=name, **fields)
        return error

    def _in_words(self, error: ErrorCode) -> str:
        name = error_name(error)
        if isinstance(error, Error) and error in _IN_WORDS:
            context = self._context
            words = _IN_WORDS[error].format(id=context.node_id, cluster=context.cluster_id)
            return f"{words} ({name})"
        return name


class BrokerRegistration:
    """How this process presents itself to the controller."""

    def __init__(self, context: BrokerContext) -> None:
        self._context = context
        self._incarnation = context.out.new_id()
        self.previous_epoch = NO_EPOCH
        """The broker epoch before a clean shutdown."""
        self.is_current = False
        """Whether the controller has registered us as we are now."""

    def request(self, online: tuple[DirectoryId, ...]) -> BrokerRegistrationRequest:
        """A registration with these directories."""
        context = self._context
        listeners = tuple(
            Listener(
                name=e.name,
                host=e.host or "localhost",
                port=e.port,
                security_protocol=e.security_protocol,
            )
            for e in context.config.advertised
            if e.name not in context.config.quorum.listeners
        )
        features = tuple(
            Feature(name=name, min_supported_version=range.min, max_supported_version=range.max)
            for name, range in SUPPORTED.items()
        )
        return BrokerRegistrationRequest(
            broker_id=context.node_id,
            cluster_id=context.cluster_id,
            incarnation_id=self._incarnation,
            listeners=listeners,
            features=features,
            rack=context.config.rack,
            log_dirs=online,
            previous_broker_epoch=self.previous_epoch,
        )
