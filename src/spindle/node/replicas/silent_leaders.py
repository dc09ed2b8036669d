"""Leaders that have just ceased to answer this broker's fetches, and what clients hear then (B-29).

The system of a machine closes the connections of a process that is killed, those of its followers
as well as those of its clients. A client asks for metadata at once, before the controller can have
fenced the dead leader, and would be sent to it again: librdkafka asks a second later then. So the
broker holds such a question back for a moment, until it is known which broker leads instead.

And the dead broker stays among the brokers for a moment more. librdkafka ends its thread for a
broker that an answer leaves out; where the same answer moves partitions away from that broker, the
thread may end first: the partitions are without a broker then, until it looks for such a second
later. Belongs to `ReplicaFetcherManager`; the handler of Metadata asks here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Set
from functools import partial
from typing import Final

from spindle.model.ids import NodeId
from spindle.model.image import ClusterImage
from spindle.model.outbox import Outbox, Timer

HOLD: Final = 0.3
"""Seconds from the failure on for which questions wait at most: a controller needs 0.1 s to find a
dead process, and some more to agree on new leaders."""
LAST: Final = 1.0
"""Seconds for which a broker that fell silent, and was fenced for it, is still named."""


class SilentLeaders:
    """Those of which neither the controller nor they themselves have said anything since.

    `image`: the committed metadata.
    """

    def __init__(self, out: Outbox, image: Callable[[], ClusterImage]) -> None:
        self._out, self._image = out, image
        self._known: dict[NodeId, int] = {}
        """Those that were waited for, and have not answered since, with their epochs then."""
        self._timers: dict[NodeId, Timer] = {}
        self._held: list[Callable[[], None]] = []
        self._lasting: dict[NodeId, Timer] = {}
        self._revision: tuple[object, object] = (None, None)
        """Of the metadata, and of what clients hear of it."""

    @property
    def lasting(self) -> Set[NodeId]:
        """Brokers that are fenced, and still named among those that clients may ask."""
        return self._lasting.keys()

    @property
    def revision(self) -> object:
        """Another object whenever the metadata or `lasting` has changed."""
        revision = self._image().revision
        if self._revision[0] is not revision:
            self._revision = (revision, object())
        return self._revision[1]

    def on_heard(self, leader: NodeId) -> None:
        """A leader has answered a fetch."""
        self._known.pop(leader, None)
        self._settle(leader)

    def on_silent(self, leader: NodeId) -> None:
        """A leader fails to answer. Each is waited for once, until it answers or registers."""
        registration = self._image().brokers.get(leader)
        if registration is None or registration.fenced:
            return
        if self._known.get(leader) != registration.broker_epoch:
            self._known[leader] = registration.broker_epoch
            self._timers[leader] = self._out.after(HOLD, partial(self._settle, leader))

    def on_brokers(self, brokers: Iterable[NodeId]) -> None:
        """Registrations have changed, and the leaders of a fenced broker's partitions with them."""
        for broker in brokers:
            registration = self._image().brokers.get(broker)
            is_fenced = registration is not None and registration.fenced
            if is_fenced and broker in self._known:
                self._lasting[broker] = self._out.after(LAST, partial(self._let_go, broker))
                self._revision = (None, None)
                del self._known[broker]
            elif not is_fenced:
                self._let_go(broker)
            self._settle(broker)

    def when_known(self, then: Callable[[], None]) -> None:
        """Have something done at once, or, while a leader is silent, once it is known why."""
        if self._timers:
            self._held.append(then)
        else:
            then()

    def _settle(self, leader: NodeId) -> None:
        """It is known how it stands with a leader, or has been waited for long enough."""
        timer = self._timers.pop(leader, None)
        if timer is not None:
            timer.cancel()
        if self._held and not self._timers:
            held, self._held = self._held, []
            for then in held:
                self._out.after(0.0, then)

    def _let_go(self, broker: NodeId) -> None:
        timer = self._lasting.pop(broker, None)
        if timer is not None:
            timer.cancel()
            self._revision = (None, None)
