"""When each broker was last heard, and how far it had read the metadata then.

Soft state of the active controller alone: not in the log, built by each new controller. A broker's
session is valid for `timeout` seconds after its last heartbeat.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from spindle.core.standstills import Standstills
from spindle.model import metadata_records as r
from spindle.model.ids import DirectoryId, NodeId

LOOK_EVERY_MAX: Final = 0.5


@dataclass(slots=True)
class BrokerSession:
    """A broker of one epoch. Times in s."""

    epoch: int
    heard_at: float
    adopted: bool = False
    """This controller has not heard it yet: a controller before it did."""
    metadata_offset: int = -1
    """Highest offset that the broker says it has applied."""
    shutdown_offset: int | None = None
    """All others must have applied this before the broker may stop; None: not stopping."""
    stopped: bool = False
    """The controller has let it shut down: a late heartbeat must not bring it back."""
    odd_dirs: dict[DirectoryId, None] = field(default_factory=dict)
    """Offline directories it named that were never registered; reported to the operator once."""


class BrokerSessions:
    """The sessions of all registered brokers."""

    def __init__(self, timeout: float) -> None:
        self.timeout = timeout
        self.look_every = min(LOOK_EVERY_MAX, timeout / 4)
        """s between two looks for sessions that have run out."""
        self._standstills = Standstills()
        self._of: dict[NodeId, BrokerSession] = {}

    def adopt(self, registration: r.RegisterBroker, offset: int, now: float) -> None:
        """A new controller gives a broker it has not heard yet the benefit of the doubt."""
        if registration.fenced:
            return
        stopping = offset if registration.in_controlled_shutdown else None
        self._of[registration.broker_id] = BrokerSession(
            registration.broker_epoch, now, adopted=True, shutdown_offset=stopping
        )

    def touch(self, broker: NodeId, epoch: int, now: float) -> BrokerSession:
        """The broker is heard."""
        session = self._of.get(broker)
        if session is None or session.epoch != epoch:
            session = self._of[broker] = BrokerSession(epoch, now)
        session.heard_at, session.adopted = now, False
        return session

    def expect_look(self, due: float) -> None:
        """The controller is to look for sessions that have run out at `due`."""
        self._standstills.expect(due)

    def on_look(self, now: float) -> None:
        """It looks now. If it stood still before, what brokers said meanwhile is still unread."""
        stood_still = self._standstills.on_look(now)
        if stood_still:
            for session in self._of.values():
                session.heard_at = min(now, session.heard_at + stood_still)

    def forget(self, broker: NodeId) -> None:
        """The broker is unregistered."""
        self._of.pop(broker, None)

    def is_valid(self, broker: NodeId, epoch: int, now: float) -> bool:
        """Whether a broker of this epoch was heard of late, and has not taken its leave."""
        session = self._of.get(broker)
        return (
            session is not None
            and session.epoch == epoch
            and not session.stopped
            and now < session.heard_at + self.timeout
        )

    def is_adopted(self, broker: NodeId) -> bool:
        """Whether a session is only known from the controller before this one."""
        session = self._of.get(broker)
        return session is not None and session.adopted

    def offset_of(self, broker: NodeId) -> int:
        """How far a broker has read, -1 where it has not said."""
        session = self._of.get(broker)
        return session.metadata_offset if session is not None else -1
