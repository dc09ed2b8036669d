"""A group's members: their identities, their offers, and the protocol that suits them all.

Knows no state and no clock. Used by `core.groups.group`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from spindle.core.groups.group_values import Join, JoinAnswer, StoredMember, SyncAnswer
from spindle.model.errors import Error

JoinThen = Callable[[JoinAnswer], None]
SyncThen = Callable[[SyncAnswer], None]


@dataclass(slots=True)
class ClassicGroupMember:
    """A member. `deadline` (s, monotonic): when its session ends unless it is heard of.

    `joining`/`syncing`: the answer it waits for. `is_new`: it has never had an answer to its
    join, so it cannot beat, and only a long deadline of its own limits it.
    """

    member_id: str
    instance_id: str | None
    client_id: str
    client_host: str
    session_timeout: int
    rebalance_timeout: int
    protocols: tuple[tuple[str, bytes], ...]
    assignment: bytes = b""
    is_new: bool = False
    deadline: float = 0.0
    joining: JoinThen | None = None
    syncing: SyncThen | None = None

    @property
    def is_waiting(self) -> bool:
        """We owe it an answer, so its silence says nothing (unless it is new)."""
        return not self.is_new and (self.joining is not None or self.syncing is not None)

    def metadata(self, protocol: str | None) -> bytes:
        """What it said with a protocol; empty where it does not speak it."""
        return next((data for name, data in self.protocols if name == protocol), b"")

    def update(self, ask: Join) -> None:
        """Take over what a new join says."""
        self.client_id = ask.client_id
        self.client_host = ask.client_host
        self.session_timeout = ask.session_timeout
        self.rebalance_timeout = ask.rebalance_timeout
        self.protocols = ask.protocols

    def answer_join(self, answer: JoinAnswer) -> None:
        """Answer its join, if it waits for that."""
        then, self.joining = self.joining, None
        if then is not None:
            then(answer)

    def answer_sync(self, answer: SyncAnswer) -> None:
        """Answer its sync, if it waits for that."""
        then, self.syncing = self.syncing, None
        if then is not None:
            then(answer)

    def stored(self, protocol: str | None, assignment: bytes) -> StoredMember:
        """As it is written to `__consumer_offsets`."""
        return StoredMember(
            member_id=self.member_id,
            instance_id=self.instance_id,
            client_id=self.client_id,
            client_host=self.client_host,
            rebalance_timeout=self.rebalance_timeout,
            session_timeout=self.session_timeout,
            subscription=self.metadata(protocol),
            assignment=assignment,
        )


def new_member(ask: Join, member_id: str, then: JoinThen) -> ClassicGroupMember:
    """A member as it joins for the first time."""
    return ClassicGroupMember(
        member_id=member_id,
        instance_id=ask.instance_id,
        client_id=ask.client_id,
        client_host=ask.client_host,
        session_timeout=ask.session_timeout,
        rebalance_timeout=ask.rebalance_timeout,
        protocols=ask.protocols,
        is_new=True,
        joining=then,
    )


def restored_member(stored: StoredMember, protocol: str | None) -> ClassicGroupMember:
    """A member as it was stored. Of its protocols only the chosen one is known."""
    return ClassicGroupMember(
        member_id=stored.member_id,
        instance_id=stored.instance_id,
        client_id=stored.client_id,
        client_host=stored.client_host,
        session_timeout=stored.session_timeout,
        rebalance_timeout=(
            stored.rebalance_timeout if stored.rebalance_timeout >= 0 else stored.session_timeout
        ),
        protocols=((protocol or "", stored.subscription),),
        assignment=stored.assignment,
    )


class Roster:
    """The members by id, in the order they came, and by instance id where they are static."""

    def __init__(self) -> None:
        self._by_id: dict[str, ClassicGroupMember] = {}
        self._statics: dict[str, str] = {}

    def __len__(self) -> int:
        return len(self._by_id)

    def __iter__(self) -> Iterator[ClassicGroupMember]:
        return iter(tuple(self._by_id.values()))

    def __contains__(self, member_id: str) -> bool:
        return member_id in self._by_id

    def get(self, member_id: str) -> ClassicGroupMember | None:
        """A member by its id."""
        return self._by_id.get(member_id)

    def static(self, instance_id: str) -> ClassicGroupMember | None:
        """A member by its instance id."""
        member_id = self._statics.get(instance_id)
        return None if member_id is None else self._by_id[member_id]

    def add(self, member: ClassicGroupMember) -> None:
        """A member more."""
        assert member.member_id not in self._by_id, f"member {member.member_id} is there already"
        self._by_id[member.member_id] = member
        if member.instance_id is not None:
            self._statics[member.instance_id] = member.member_id

    def remove(self, member: ClassicGroupMember) -> None:
        """A member less."""
        del self._by_id[member.member_id]
        if member.instance_id is not None:
            del self._statics[member.instance_id]

    def rename(self, member: ClassicGroupMember, member_id: str) -> None:
        """A static member has come back: same place in the order, new id."""
        assert member.instance_id is not None
        old, member.member_id = member.member_id, member_id
        self._by_id = {(member_id if k == old else k): m for k, m in self._by_id.items()}
        self._statics[member.instance_id] = member_id

    def identify(self, member_id: str, instance_id: str | None) -> ClassicGroupMember | Error:
        """The member that speaks; FENCED_INSTANCE_ID if another took its instance's place."""
        if instance_id is not None:
            holder = self._statics.get(instance_id)
            if holder is None:
                return Error.UNKNOWN_MEMBER_ID
            if holder != member_id:
                return Error.FENCED_INSTANCE_ID
        member = self._by_id.get(member_id)
        return Error.UNKNOWN_MEMBER_ID if member is None else member

    def common_protocols(self) -> tuple[str, ...]:
        """Protocols that every member speaks, in the first member's order."""
        members = list(self._by_id.values())
        if not members:
            return ()
        sets = [{name for name, _ in m.protocols} for m in members[1:]]
        return tuple(
            dict.fromkeys(n for n, _ in members[0].protocols if all(n in names for names in sets))
        )

    def chosen_protocol(self) -> str:
        """The common protocol that most members like best; ties go to the first member's order."""
        common = self.common_protocols()
        assert common, "members were let in that share no protocol"
        votes = dict.fromkeys(common, 0)
        for member in self._by_id.values():
            votes[next(name for name, _ in member.protocols if name in votes)] += 1
        return max(common, key=lambda name: votes[name])

    def can_speak(self, names: list[str]) -> bool:
        """Whether one with these protocols could join the others."""
        common = self.common_protocols()
        return not self._by_id or any(name in common for name in names)
