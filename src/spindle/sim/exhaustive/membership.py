"""A group of KIP-848, its coordinator and its members: what may happen next, and what must hold.

Run are the machines of a coordinator (`core.groups`), over a log that takes a batch whenever the
search lets it. A member beats, owns what answers say, gives up what they no longer say and tells
so, as clients do. No time passes in here: no session ends, so that nothing excuses a partition that
two members hold (C-02). A heartbeat that comes after its member has asked again is left out: an
answer that is lost then has said what no other one will say, with Apache Kafka's coordinator, too.
Used by `state_space`.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import partial
from typing import Final

from spindle.core.groups.consumer_values import (
    JOIN_EPOCH,
    LEAVE_EPOCH,
    ConsumerBeat,
    ConsumerBeatAnswer,
)
from spindle.core.groups.coordinator_shard import GroupCoordinatorShard
from spindle.core.groups.group_values import CoordinatorRecord, GroupLimits
from spindle.core.groups.share_group import ShareStates
from spindle.model.errors import Error
from spindle.model.outbox import Outbox
from spindle.sim.exhaustive.digest import digest
from spindle.sim.exhaustive.membership_bounds import (
    TOPIC,
    TOPIC_ID,
    MembershipBounds,
    OneTopic,
)
from spindle.sim.exhaustive.situation import LEAVE_OUT, Broken, Choice
from spindle.sim.script import BUSY, ELSEWHERE

GROUP: Final = "g"
NOT_COUNTED: Final = LEAVE_OUT | {"SentBeat.number", "ConsumerClient.asked"}
Numbers = tuple[int, ...]


@dataclass(slots=True, eq=False)
class ConsumerClient:
    """One client. `holds`: the partitions that it may still use, in order."""

    name: str
    epoch: int = JOIN_EPOCH
    holds: Numbers = ()
    revoking: Numbers = ()
    """Of these, what it is to give up."""
    said: Numbers | None = None
    """What its coordinator has heard that it holds; None: nothing, say all."""
    asked: int = 0
    waits: bool = False
    leaves: bool = False
    is_gone: bool = False


@dataclass(slots=True, eq=False)
class SentBeat:
    """A heartbeat that says what its member holds, and its answer, once there is one."""

    member: ConsumerClient
    number: int
    holds: Numbers
    answer: ConsumerBeatAnswer | None = None


class MembershipSituation:
    """All of it, at some moment."""

    def __init__(self, bounds: MembershipBounds) -> None:
        self.bounds = bounds
        self.now = self.disturbed_at = 1e6
        self.used: Counter[str] = Counter()
        self.topic = OneTopic(bounds.partitions)
        self.members = [ConsumerClient(f"member-{n}") for n in range(bounds.members)]
        self.beats: list[SentBeat] = []
        self.turn = 0
        """The member that beats next if all goes its way."""
        self.log: dict[tuple[object, ...], CoordinatorRecord] = {}
        self.appends: list[tuple[list[CoordinatorRecord], Callable[[int | Error], None]]] = []
        self.shard = self._loaded()

    # --- what may happen ------------------------------------------------------------------------

    def choices(self) -> list[Choice]:
        """All that can happen now, faults within the bounds included."""
        return self._free() + self._faults()

    def _free(self) -> list[Choice]:
        """What happens by itself, sooner or later; what comes of messages first."""
        found = [Choice("answer", m.name) for m in self.members if self._answered(m) is not None]
        found += [Choice("commit")] if self.appends else []
        found += [Choice("give up", m.name) for m in self.members if m.revoking]
        after = self.members[self.turn :] + self.members[: self.turn]
        found += [Choice("beat", m.name) for m in after if not m.waits and not m.is_gone]
        return found

    def _faults(self) -> list[Choice]:
        found = []
        if self._left("losses"):
            found += [Choice("miss", m.name) for m in self.members if self._answered(m) is not None]
        if self._left("coordinators"):
            found += [Choice("coordinate", "without")]
            found += [Choice("coordinate", "with")] if self.appends else []
        if self._left("leaves"):
            found += [
                Choice("leave", m.name)
                for m in self.members
                if m.epoch > JOIN_EPOCH and not m.leaves and not m.waits
            ]
        if self._left("growths"):
            found.append(Choice("grow"))
        return found

    def _left(self, budget: str) -> bool:
        return self.used[budget] < int(getattr(self.bounds, budget))

    def _answered(self, member: ConsumerClient) -> SentBeat | None:
        """The beat of a member whose answer it still waits for, and is there."""
        for beat in self.beats:
            if beat.member is member and beat.number == member.asked and beat.answer is not None:
                return beat
        return None

    def at_rest(self) -> bool:
        """Whether all have heard all, and nothing is under way."""
        return not self.beats and not self.appends and not any(m.revoking for m in self.members)

    def next_by_itself(self) -> Choice:
        """What happens if nothing goes wrong; nothing at all, where no member is left."""
        return next(iter(self._free()), Choice("rest"))

    # --- letting it happen ----------------------------------------------------------------------

    def take(self, choice: Choice) -> None:
        """Let one thing happen. Broken where a promise does not hold afterwards."""
        kind, what = choice
        if kind == "commit":
            self._commit()
        elif kind == "coordinate":
            self._coordinate(kept=what == "with")
        elif kind == "grow":
            self.used["growths"] += 1
            self.topic.partitions += 1
            self.shard.consumers.on_topics_changed(frozenset({TOPIC}))
        elif kind != "rest":
            self._on_member(kind, next(m for m in self.members if m.name == what))
        self._forget_beats()
        self._check()

    def _on_member(self, kind: str, member: ConsumerClient) -> None:
        if kind == "answer":
            self._on_answer(member)
        elif kind == "beat":
            self._beat(member)
        elif kind == "give up":
            member.holds = tuple(n for n in member.holds if n not in member.revoking)
            member.revoking = ()
        elif kind == "leave":
            self.used["leaves"] += 1
            member.leaves, member.holds, member.revoking = True, (), ()
        else:
            self.used["losses"] += 1
            member.waits, member.said = False, None
            member.asked += 1

    def _beat(self, member: ConsumerClient) -> None:
        full, joins = member.said is None, member.epoch == JOIN_EPOCH
        holds = () if joins else member.holds
        request = ConsumerBeat(
            group_id=GROUP,
            member_id=member.name,
            epoch=LEAVE_EPOCH if member.leaves else member.epoch,
            rebalance_timeout=60_000 if full else -1,
            topics=(TOPIC,) if full else None,
            owned={TOPIC_ID: holds} if full or member.said != holds else None,
            client=("client", "/host"),
        )
        member.waits = True
        member.asked += 1
        beat = SentBeat(member, member.asked, holds)
        self.beats.append(beat)
        self.turn = (self.members.index(member) + 1) % len(self.members)
        self.shard.consumers.beat(request, partial(setattr, beat, "answer"))

    def _on_answer(self, member: ConsumerClient) -> None:
        beat = self._answered(member)
        assert beat is not None
        assert beat.answer is not None
        self.beats.remove(beat)
        member.waits = False
        error, answer = beat.answer.error, beat.answer
        if error in ELSEWHERE or error in BUSY:
            member.said = None
        elif member.leaves and error in (Error.NONE, Error.UNKNOWN_MEMBER_ID):
            member.is_gone = True
        elif error is not Error.NONE:
            raise Broken(f"{member.name} was refused: {error.name}: {answer.message}")
        else:
            if answer.epoch < member.epoch:
                raise Broken(f"{member.name} went from epoch {member.epoch} to {answer.epoch}")
            member.epoch, member.said = answer.epoch, beat.holds
            if answer.assignment is not None:
                given = set(answer.assignment.get(TOPIC_ID, ()))
                member.revoking = tuple(n for n in member.holds if n not in given)
                member.holds = tuple(sorted({*member.holds, *given}))

    def _forget_beats(self) -> None:
        """What no member waits for, and no coordinator has under way."""
        self.beats = [
            beat for beat in self.beats if beat.answer is None or beat.number == beat.member.asked
        ]

    # --- the log ----------------------------------------------------------------------------------

    def _append(
        self, records: list[CoordinatorRecord], then: Callable[[int | Error], None]
    ) -> None:
        self.appends.append((records, then))

    def _keep(self, records: list[CoordinatorRecord]) -> None:
        """The log, compacted at once."""
        for record in records:
            key = (type(record), *(getattr(record, name) for name in _key_of(record)))
            self.log.pop(key, None)
            if getattr(record, "value", True) is not None:
                self.log[key] = record

    def _commit(self) -> None:
        records, then = self.appends.pop(0)
        self._keep(records)
        then(0)

    def _coordinate(self, *, kept: bool) -> None:
        """Another broker coordinates; `kept`: what was under way has reached its log."""
        self.used["coordinators"] += 1
        for records, _ in self.appends if kept else ():
            self._keep(records)
        self.appends.clear()
        self.shard.close()
        self.shard = self._loaded()

    def _loaded(self) -> GroupCoordinatorShard:
        out = Outbox(random.Random(1))
        out.now, out.wall_ms = self.now, int(self.now * 1000)
        shard = GroupCoordinatorShard(
            GroupLimits(initial_delay=0),
            out,
            self._append,
            _no_transactions,
            self._append,
            self.topic,
            ShareStates(_no_share_groups, _no_share_groups),
        )
        for record in self.log.values():
            shard.replay(record, 0)
        shard.on_loaded()
        return shard

    # --- promises ---------------------------------------------------------------------------------

    def _check(self) -> None:
        holders: dict[int, str] = {}
        for member in self.members:
            for number in member.holds:
                other = holders.setdefault(number, member.name)
                if other != member.name:
                    raise Broken(f"{other} and {member.name} hold partition {number}")
        if not self.appends and self._described(self.shard) != self._described(self._loaded()):
            raise Broken("another coordinator would find another group in the log")

    @staticmethod
    def _described(shard: GroupCoordinatorShard) -> object:
        found = shard.consumers.find(GROUP)
        return None if found is None else shard.consumers.describe(GROUP)

    def check_at_rest(self) -> None:
        """Each partition has one holder, and all members are where the group is."""
        staying = [m for m in self.members if not m.is_gone]
        if not staying:
            return
        held = sorted(number for member in staying for number in member.holds)
        if held != list(range(self.topic.partitions)):
            raise Broken(f"of {self.topic.partitions} partitions, {held} are held")
        group = self.shard.consumers.describe(GROUP)
        behind = [m.name for m in staying if m.epoch != group.epoch]
        if behind:
            raise Broken(f"{behind} never reach the group's epoch {group.epoch}")

    # --- what it is -------------------------------------------------------------------------------

    def digest(self) -> bytes:
        """Equal for situations in which the same can happen."""
        group = self.shard.consumers.all.get(GROUP)
        return digest(
            self.now, NOT_COUNTED, self.topic.partitions, group, self.members, self.beats,
            [records for records, _ in self.appends], self.turn, sorted(self.used.items()),
        )  # fmt: skip


def _key_of(record: CoordinatorRecord) -> list[str]:
    names = [field.name for field in fields(record)]
    return [name for name in names if name not in ("value", "is_there")]


def _no_transactions(*_: object) -> None:
    raise AssertionError("no offset is committed in here")


def _no_share_groups(*_: object) -> None:
    raise AssertionError("there is no share group in here")
