"""A broker's life as one table, and what it owes the controller about its directories.

Knows no requests: `node.broker_lifecycle_manager` sends them and tells what came back. States and
their order are Apache Kafka's (KIP-631); directories follow KIP-858.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum, IntEnum, auto
from typing import Final

from spindle.model.ids import DirectoryId


class BrokerState(IntEnum):
    """Where a broker stands; numbers as in Kafka's BrokerState metric."""

    NOT_RUNNING = 0
    STARTING = 1
    """Registers, and replays the metadata up to its own registration."""
    RECOVERY = 2
    """Knows the metadata; loads and settles its logs."""
    RUNNING = 3
    """Has been unfenced once."""
    PENDING_CONTROLLED_SHUTDOWN = 6
    """Waits until the controller has moved its leaderships away."""
    SHUTTING_DOWN = 7


class Event(Enum):
    """What moves a broker on."""

    START = auto()
    CAUGHT_UP = auto()
    UNFENCED = auto()
    STOP = auto()
    """The operator wants it to stop."""
    MAY_STOP = auto()
    """The controller has nothing against it, or cannot be asked."""


TABLE: Final[dict[tuple[BrokerState, Event], BrokerState]] = {
    (BrokerState.NOT_RUNNING, Event.START): BrokerState.STARTING,
    (BrokerState.NOT_RUNNING, Event.STOP): BrokerState.SHUTTING_DOWN,
    (BrokerState.STARTING, Event.CAUGHT_UP): BrokerState.RECOVERY,
    (BrokerState.STARTING, Event.STOP): BrokerState.SHUTTING_DOWN,
    (BrokerState.RECOVERY, Event.UNFENCED): BrokerState.RUNNING,
    (BrokerState.RECOVERY, Event.STOP): BrokerState.SHUTTING_DOWN,
    (BrokerState.RUNNING, Event.STOP): BrokerState.PENDING_CONTROLLED_SHUTDOWN,
    (BrokerState.PENDING_CONTROLLED_SHUTDOWN, Event.MAY_STOP): BrokerState.SHUTTING_DOWN,
}
"""All steps that there are; any other event leaves the state as it is."""


def step(state: BrokerState, event: Event) -> BrokerState:
    """The state after an event."""
    return TABLE.get((state, event), state)


UNHEARD_STOP_LIMIT: Final = 10.0
"""A controlled stop waits this long (s) for a controller that does not answer."""
LEADERLESS_STOP_LIMIT: Final = 3.0
"""And this long without a leader of the quorum: most of it may have stopped before us."""
HOPELESS_STOP_LIMIT: Final = 1.0
"""And this long where connections to a majority of the controllers are refused."""


class ShutdownPatience:
    """How long a controlled stop waits for a controller that may not be there. Times in seconds."""

    def __init__(self) -> None:
        self._heard_at = self._led_at = self._hoped_at = 0.0

    def begin(self, now: float) -> None:
        """The stop begins: what was before does not count."""
        self._heard_at = self._led_at = self._hoped_at = now

    def on_heard(self, now: float) -> None:
        """The active controller has answered."""
        self._heard_at = now

    def look(self, now: float, *, is_led: bool, is_hopeless: bool, last_error: str) -> str | None:
        """Why to wait no longer, or None. `last_error`: the last refusal or failure, in words."""
        if is_led:
            self._led_at = now
        if not is_hopeless:
            self._hoped_at = now
        if now >= self._hoped_at + HOPELESS_STOP_LIMIT:
            return "most controllers refuse connections: none can be elected"
        if now >= self._led_at + LEADERLESS_STOP_LIMIT:
            return "no controller has been elected"
        return last_error if now >= self._heard_at + UNHEARD_STOP_LIMIT else None


class DirectoryReports:
    """Which directories serve, which have failed, and of which failures the controller knows.

    `failure_timeout` in seconds: how long a failure may go unheard (`log.dir.failure.timeout.ms`),
    counted for each directory by itself (B-22).
    """

    def __init__(self, failure_timeout: float) -> None:
        self._failure_timeout = failure_timeout
        self._online: set[DirectoryId] = set()
        self._failed: dict[DirectoryId, float] = {}
        self._heard: set[DirectoryId] = set()
        self.cordoned: tuple[DirectoryId, ...] = ()
        """Ids of directories that are to get no new replicas (KIP-1066), sorted."""

    @property
    def online(self) -> tuple[DirectoryId, ...]:
        """Ids to register, sorted."""
        return tuple(sorted(self._online))

    @property
    def failed(self) -> tuple[DirectoryId, ...]:
        """Ids for the heartbeat: all that have failed since the start, sorted (K858-05)."""
        return tuple(sorted(self._failed))

    @property
    def all_heard(self) -> bool:
        """Whether the controller knows of every failure."""
        return self._failed.keys() <= self._heard

    def on_start(self, online: Iterable[DirectoryId]) -> None:
        """These directories serve."""
        self._online.update(online)

    def on_failed(self, directory: DirectoryId, now: float) -> bool:
        """A directory has failed; whether that is news."""
        if directory in self._failed:
            return False
        self._online.discard(directory)
        self._failed[directory] = now
        return True

    def set_cordoned(self, directories: Iterable[DirectoryId]) -> bool:
        """These directories are to get no new replicas; whether that is news."""
        before, self.cordoned = self.cordoned, tuple(sorted(directories))
        return self.cordoned != before

    def on_back(self, directory: DirectoryId) -> None:
        """A directory serves again, or for the first time."""
        self._failed.pop(directory, None)
        self._heard.discard(directory)
        self._online.add(directory)

    def on_heard(self, directories: Iterable[DirectoryId]) -> None:
        """The controller has taken a heartbeat that named these."""
        self._heard.update(d for d in directories if d in self._failed)

    def overdue(self, directory: DirectoryId, now: float) -> bool:
        """Whether the controller should have heard of this failure by now (K858-09)."""
        since = self._failed.get(directory)
        late = since is not None and now >= since + self._failure_timeout
        return late and directory not in self._heard
