"""When a voter need not wait out its fetch timeout: no process serves at the leader's address.

A leader that was killed leaves a closed port behind: the kernel refuses connections at once, long
before a timeout says so. Two fetches in a row that were refused or hung up on are taken for that,
and the voter asks whether it would win (pre-vote). If it is mistaken (something between the two
refuses it), the others still hear the leader and say no: nothing is disturbed, no epoch is spent.

The first among the voters asks first, so that two do not split the votes; each attempt waits
longer than the one before. Arithmetic only; `machine` decides what follows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from spindle.core.raft.raft_values import NO_NODE
from spindle.model.ids import NodeId
from spindle.model.outbox import Rng

GONE_ENOUGH: Final = 2
"""Fetches in a row that were refused or hung up on: one alone may be a connection's own end."""
STEP_SECONDS: Final = 0.05
"""How far apart voters ask at first: enough for an election on a quiet network."""
DOUBLINGS_MAX: Final = 5


class FastElection:
    """What speaks against waiting for the leader of our epoch."""

    def __init__(self) -> None:
        self._gone = 0
        self._tries = 0
        self._leader: NodeId = NO_NODE

    @property
    def is_due(self) -> bool:
        """Whether the leader is taken to be down."""
        return self._gone >= GONE_ENOUGH

    def on_gone(self, leader: NodeId) -> bool:
        """No process served a fetch at the leader's address; whether that made it due."""
        self._leader = leader
        self._gone = min(self._gone + 1, GONE_ENOUGH + 1)
        return self._gone == GONE_ENOUGH

    def forget(self) -> None:
        """A leader has answered, or others went on to another epoch: what was before is void."""
        self._gone = self._tries = 0

    def delay(self, me: NodeId, voters: Sequence[NodeId], rng: Rng) -> float:
        """Seconds until the next attempt."""
        place = [voter for voter in voters if voter != self._leader].index(me)
        step = STEP_SECONDS * (1 << min(self._tries, DOUBLINGS_MAX))
        self._tries += 1
        return step * (place + rng.random())
