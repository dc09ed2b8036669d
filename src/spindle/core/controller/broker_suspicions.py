"""Which brokers are dead: a lost connection, then refusals where one was accepted (B-29).

The system of a machine closes the connections of a process that is killed, and refuses new ones at
its ports. So a broker is dead whose connection to the controller was lost, and whose every address
that this controller has once reached refuses connections, twice in a row, with no heartbeat in
between. One that is slow, stopped in mid-air, or cut off refuses nothing: its session decides. An
address that was never reached proves nothing either: a firewall refuses in a living broker's name.

    state     | lost connection  | all refuse              | one opens, or is silent    | heartbeat
    ----------+------------------+-------------------------+----------------------------+----------
    trusted   | suspected: knock | -                       | -                          | trusted
    suspected | suspected        | again; dead at `PROOFS` | again; trusted at `ROUNDS` | trusted

A system closes what a killed process had open one by one: its port may be there for a moment after
its connection is not. So a suspect is asked again and again, until its next heartbeat is due.

Pure. Belongs to `BrokerDeathWatch`, which knocks; one of each controller, active or not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Final, TypeAlias

from spindle.model.ids import NodeId
from spindle.model.outbox import Knocked

Address: TypeAlias = tuple[str, int]

PROOFS: Final = 2
"""Rounds in a row in which every address refuses, until a broker counts as dead."""
ROUNDS: Final = 30
"""Rounds after which a suspect is trusted, if the last ones were no proof."""


class Suspicion(Enum):
    """What a knock's outcome means."""

    NONE = auto()
    """Nothing yet, or nothing any more."""
    AGAIN = auto()
    """Knock once more, after a rest."""
    DEAD = auto()
    """The process is dead."""


@dataclass(slots=True)
class _Broker:
    epoch: int
    reached: set[Address] = field(default_factory=set)
    """Where a connection was opened in this epoch."""
    rounds: int | None = None
    """Rounds of knocks behind us; None: it is trusted."""
    proofs: int = 0
    """In how many of the last ones every address refused."""
    asked: set[Address] = field(default_factory=set)
    """Whose outcome of this round is still to come."""
    refuse: bool = True
    """So far all refuse in this round."""


class BrokerSuspicions:
    """All brokers that serve, of one epoch each."""

    def __init__(self) -> None:
        self._of: dict[NodeId, _Broker] = {}

    def on_serving(self, broker: NodeId, epoch: int) -> bool:
        """The broker is registered and not fenced; whether it is to be reached for the first time
        in this epoch."""
        known = self._of.get(broker)
        if known is not None and known.epoch == epoch:
            return False
        self._of[broker] = _Broker(epoch)
        return True

    def is_serving(self, broker: NodeId, epoch: int) -> bool:
        """Whether the broker still serves in this epoch."""
        return self._known(broker, epoch) is not None

    def on_reached(self, broker: NodeId, epoch: int, address: Address) -> None:
        """A connection was opened there."""
        if (known := self._known(broker, epoch)) is not None:
            known.reached.add(address)

    def forget(self, broker: NodeId) -> None:
        """It is fenced, or not registered any more."""
        self._of.pop(broker, None)

    def on_heard(self, broker: NodeId) -> None:
        """It has sent a heartbeat."""
        if (known := self._of.get(broker)) is not None:
            _trust(known)

    @property
    def serving(self) -> Sequence[tuple[NodeId, int]]:
        """All brokers that serve, with their epochs."""
        return [(broker, known.epoch) for broker, known in self._of.items()]

    def suspect(self, broker: NodeId, epoch: int) -> Sequence[Address]:
        """Its connection was lost; where to knock: nowhere, if it is suspected already, or if no
        refusal of it would prove anything."""
        known = self._known(broker, epoch)
        if known is None or known.rounds is not None or not known.reached:
            return ()
        known.rounds = known.proofs = 0
        return self._round(known)

    def again(self, broker: NodeId, epoch: int) -> Sequence[Address]:
        """The rest after a round is over; where to knock: nowhere, if it is trusted by now."""
        known = self._known(broker, epoch)
        return () if known is None or known.rounds is None else self._round(known)

    def on_knock(self, broker: NodeId, epoch: int, address: Address, outcome: Knocked) -> Suspicion:
        """What came of a knock at a suspect's address."""
        known = self._known(broker, epoch)
        if known is None or known.rounds is None or address not in known.asked:
            return Suspicion.NONE
        known.asked.discard(address)
        known.refuse = known.refuse and outcome is Knocked.REFUSED
        if known.asked:
            return Suspicion.NONE
        known.rounds += 1
        known.proofs = known.proofs + 1 if known.refuse else 0
        if known.proofs >= PROOFS:
            return Suspicion.DEAD
        if known.rounds >= ROUNDS:
            _trust(known)
            return Suspicion.NONE
        return Suspicion.AGAIN

    def _round(self, known: _Broker) -> Sequence[Address]:
        known.asked, known.refuse = set(known.reached), True
        return sorted(known.asked)

    def _known(self, broker: NodeId, epoch: int) -> _Broker | None:
        known = self._of.get(broker)
        return known if known is not None and known.epoch == epoch else None


def _trust(known: _Broker) -> None:
    known.rounds = None
    known.asked.clear()
