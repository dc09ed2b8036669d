"""A classic group with a clock and a log under the test's control."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from spindle.core.groups.group import ClassicGroup
from spindle.core.groups.group_states import GroupState
from spindle.core.groups.group_values import (
    GroupLimits,
    GroupRecord,
    Join,
    JoinAnswer,
    MemberIdentity,
    Sync,
    SyncAnswer,
)
from spindle.model.errors import Error
from spindle.model.outbox import Outbox

RANGE = (("range", b"r"),)


@dataclass
class World:
    """A group, its clock, and a log that answers when the test says (or at once)."""

    limits: GroupLimits = field(default_factory=GroupLimits)
    at_once: bool = True
    records: list[GroupRecord] = field(default_factory=list)
    open: list[Callable[[Error], None]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.out = Outbox(random.Random(1))
        self.group = ClassicGroup("g", self.limits, self.out, self.store)

    def store(self, record: GroupRecord, then: Callable[[Error], None]) -> None:
        self.records.append(record)
        if self.at_once:
            then(Error.NONE)
        else:
            self.open.append(then)

    def wait(self, seconds: float) -> None:
        """Time passes, with every timer at its moment."""
        end = self.out.now + seconds
        while (at := self.out.wake_at) is not None and at <= end:
            self.out.now = max(at, self.out.now)
            self.out.wall_ms = int(self.out.now * 1000)
            self.out.tick()
        self.out.now, self.out.wall_ms = end, int(end * 1000)

    def join(self, member_id: str = "", /, **fields: object) -> list[JoinAnswer]:
        answers: list[JoinAnswer] = []
        ask: dict[str, object] = {
            "group_id": "g",
            "member_id": member_id,
            "client_id": "c",
            "client_host": "/h",
            "session_timeout": 10_000,
            "rebalance_timeout": 60_000,
            "protocol_type": "consumer",
            "protocols": RANGE,
        }
        self.group.join(Join(**(ask | fields)), answers.append)  # type: ignore[arg-type]
        return answers

    def sync(
        self, answer: JoinAnswer, given: tuple[tuple[str, bytes], ...] = (), /, **fields: object
    ) -> list[SyncAnswer]:
        answers: list[SyncAnswer] = []
        ask: dict[str, object] = {
            "group_id": "g",
            "generation": answer.generation,
            "member_id": answer.member_id,
            "assignments": given,
        }
        self.group.sync(Sync(**(ask | fields)), answers.append)  # type: ignore[arg-type]
        return answers

    def beat(self, answer: JoinAnswer, **fields: object) -> Error:
        return self.group.heartbeat(
            MemberIdentity(
                group_id="g",
                generation=answer.generation,
                member_id=answer.member_id,
                **fields,  # type: ignore[arg-type]
            )
        )

    def stable(self, members: int = 2, **fields: object) -> list[JoinAnswer]:
        """A stable group of dynamic members; the first one leads."""
        waiting = [self.join(**fields) for _ in range(members)]
        self.wait(3)
        self.wait(3)
        joined = [answers[0] for answers in waiting]
        given = tuple((a.member_id, b"part of " + a.member_id.encode()) for a in joined)
        for answer in joined:
            self.sync(answer, given if answer.leader == answer.member_id else ())
        assert self.group.metadata.state is GroupState.STABLE
        return joined
