"""How long members of a consumer group of KIP-848 may be silent, or late. Decides nothing.

A member of KIP-848 has its session, and its rebalance timeout for giving partitions up. One of the
classic protocol has a session of its own, and its rebalance timeout for joining again once it has
heard that it must, and for asking for its assignment once it has joined. Used by
`core.groups.consumer_group`.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Final

from spindle.core.groups.consumer_values import ConsumerGroupMember, Held, MemberState
from spindle.core.groups.deadlines import Deadlines
from spindle.model.outbox import Outbox

SESSION: Final = "its session expired"
REVOCATION: Final = "it did not give its partitions up in time"
JOIN: Final = "it did not join within its rebalance timeout"
SYNC: Final = "it did not ask for its assignment within its rebalance timeout"


class ConsumerTimers:
    """The deadlines of one group's members; `on_time` is called when one may have come."""

    def __init__(self, out: Outbox, on_time: Callable[[], None]) -> None:
        self._out = out
        self._kinds = {why: Deadlines(out, on_time) for why in (SESSION, REVOCATION, JOIN, SYNC)}
        self._revoking: dict[str, Held] = {}
        """What members are to give up by the time that is kept for it."""

    def heard_of(self, member: ConsumerGroupMember, session: int) -> None:
        """A member is alive. `session`: ms, of members of KIP-848."""
        terms = member.said.classic
        session = session if terms is None else terms.session_timeout
        self._put(SESSION, member, session)

    def must_join(self, member: ConsumerGroupMember) -> None:
        """A member of the classic protocol has heard, perhaps not for the first time, that it must
        join."""
        if member.member_id not in self._kinds[JOIN]:
            self._put(JOIN, member, member.said.rebalance_timeout)

    def joined(self, member: ConsumerGroupMember) -> None:
        """It has joined, and is to ask for its assignment."""
        self._kinds[JOIN].drop(member.member_id)
        self._put(SYNC, member, member.said.rebalance_timeout)

    def synced(self, member: ConsumerGroupMember) -> None:
        """It has asked for its assignment."""
        self._kinds[SYNC].drop(member.member_id)

    def watch_revocation(self, member: ConsumerGroupMember) -> None:
        """A member of KIP-848 that is to give partitions up has so long for it, each time."""
        name = member.member_id
        if member.is_classic or member.stands.state is not MemberState.UNREVOKED_PARTITIONS:
            self._kinds[REVOCATION].drop(name)
            self._revoking.pop(name, None)
        elif self._revoking.get(name) != member.revoking:
            self._revoking[name] = member.revoking
            self._put(REVOCATION, member, member.said.rebalance_timeout)
        if not member.is_classic:
            self._kinds[JOIN].drop(name)
            self._kinds[SYNC].drop(name)

    def keep(self, names: Container[str]) -> None:
        """Watch none that is gone."""
        for deadlines in self._kinds.values():
            deadlines.keep(names)
        self._revoking = {name: held for name, held in self._revoking.items() if name in names}

    def late(self) -> dict[str, str]:
        """Members whose time is over, with the reason."""
        found: dict[str, str] = {}
        for why, deadlines in self._kinds.items():
            found.update({name: why for name in deadlines.due() if name not in found})
        return found

    def wake(self) -> None:
        """Have timers for what comes next."""
        for deadlines in self._kinds.values():
            deadlines.wake()

    def clear(self) -> None:
        """None matters any more."""
        for deadlines in self._kinds.values():
            deadlines.clear()
        self._revoking.clear()

    def _put(self, why: str, member: ConsumerGroupMember, delay: int) -> None:
        self._kinds[why].put(member.member_id, self._out.now + delay / 1000)
