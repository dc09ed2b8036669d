"""A member of a classic group: joins, shares what there is out if it leads, works, and leaves.

Now and then it stops for longer than its session lasts, and goes on as a zombie. What it does with
what it owns is in `group_client`. Part of the workload; reports to the history what it learned.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Final

from spindle.model.errors import Error
from spindle.model.ids import NodeId, PartitionId, id_from_text, id_to_text
from spindle.model.outbox import Rng
from spindle.sim.client import REQUEST_SECONDS
from spindle.sim.group_client import GroupClient, GroupJob
from spindle.sim.script import GROUP, Steps
from spindle.sim.told_history import History
from spindle.sim.transactor import OUT
from spindle.sim.violation import Violation
from spindle.wire.codec import ErrorCode
from spindle.wire.messages.heartbeat_request import HeartbeatRequest
from spindle.wire.messages.join_group_request import JoinGroupRequest, JoinGroupRequestProtocol
from spindle.wire.messages.join_group_response import JoinGroupResponse
from spindle.wire.messages.leave_group_request import LeaveGroupRequest, MemberIdentity
from spindle.wire.messages.sync_group_request import SyncGroupRequest, SyncGroupRequestAssignment

SESSION: Final = 3.0
REBALANCE: Final = 2.0


@dataclass(frozen=True, slots=True)
class WorkerJob(GroupJob):
    """What a member of a classic group does."""

    rests: float = 0.0
    """Mean s after which it is started again, once another one has taken its place."""
    consumes: bool = False
    """It is a consumer, whose group may become one of KIP-848 (`classic_consumer`)."""


class Worker(GroupClient):
    """One member, and its producer."""

    PROTOCOL: ClassVar = "by the leader"

    def __init__(
        self,
        name: str,
        rng: Rng,
        brokers: dict[NodeId, tuple[str, int]],
        history: History,
        job: WorkerJob,
    ) -> None:
        super().__init__(name, rng, brokers, history, job)
        self._job = job
        self._fenced = False
        """Another one has its place: its process ends, and is started again."""

    def begin(self) -> None:
        """Look for topics, then work."""
        self.refresh_often()
        self.run(self._work())

    def _work(self) -> Steps[None]:
        job = self._job
        if job.transactional_id is not None:
            yield from self.identify()
        while not self._may_end():
            if not job.works_at(self.out.now, self.draining):
                yield from self._go_home()
                continue
            if self._fenced:
                self._fenced = False
                yield self.pausing(self.between(0.0, 2.0) * job.rests)
                continue
            if self._who.generation < 0 or not (yield from self._is_alive()):
                yield from self._join()
                continue
            yield from self._round()
            yield self.pausing(self.between(0.5, 1.5) * job.pause)
            chance = self.out.rng.random()
            if chance < job.leaves:
                yield from self._leave()
            elif chance < job.leaves + job.sleeps:
                yield self.pausing(self.between(0.5, 3.0) * SESSION)
                # It has not heard that others own its partitions by now.
                yield from self._round()
        yield from self._leave()
        if job.transactional_id is not None:
            yield from self.identify()
        self.finished = True

    def _may_end(self) -> bool:
        """It has done its work."""
        return self.draining

    def _go_home(self) -> Steps[None]:
        """Its shift is over: another one may come in its place."""
        if self._who.generation >= 0 and self._who.instance_id is None:
            yield from self._leave()
        elif self._who.generation >= 0:
            self._out(Error.UNKNOWN_MEMBER_ID)
        yield self.pausing(self._job.pause)

    # --- membership -------------------------------------------------------------------------

    def _out(self, error: ErrorCode) -> None:
        """It has to join again, as a stranger if it is unknown."""
        if error in (Error.UNKNOWN_MEMBER_ID, Error.FENCED_INSTANCE_ID):
            self._who = replace(self._who, member_id="")
        if error == Error.FENCED_INSTANCE_ID:
            self.history.count("members fenced")
            self._fenced = self._job.rests > 0
        self._who = replace(self._who, generation=-1)
        self._positions = {}

    def _join(self) -> Steps[None]:
        """Become a member of a generation and learn what is owned; one try."""
        who = self._who
        request = JoinGroupRequest(
            group_id=who.group,
            session_timeout_ms=int(SESSION * 1000),
            rebalance_timeout_ms=int(REBALANCE * 1000),
            member_id=who.member_id,
            group_instance_id=who.instance_id,
            protocol_type="consumer",
            protocols=(JoinGroupRequestProtocol(name=self.PROTOCOL, metadata=self._says()),),
        )
        patience, asked_at = REQUEST_SECONDS + REBALANCE, self.out.now
        answer, _, _ = yield from self.ask_coordinator(
            GROUP, who.group, request, lambda a: a.error_code, patience, asks=self._on_asked
        )
        self._on_answered()
        error = answer.error_code
        if error == Error.MEMBER_ID_REQUIRED:
            self._who = replace(who, member_id=answer.member_id)
        elif error in OUT:
            self._out(error)
            yield self.retrying()
        elif error != Error.NONE:
            raise Violation(f"{self.name} may not join {who.group}: {Error(error).name}")
        else:
            yield from self._sync(answer, asked_at)

    def _sync(self, joined: JoinGroupResponse, asked_at: float) -> Steps[None]:
        who = self._who = replace(
            self._who, generation=joined.generation_id, member_id=joined.member_id
        )
        self._on_joined(asked_at, [m.group_instance_id for m in joined.members])
        shares = self._shares([m.member_id for m in joined.members])
        request = SyncGroupRequest(
            group_id=who.group,
            generation_id=who.generation,
            member_id=who.member_id,
            group_instance_id=who.instance_id,
            protocol_type="consumer",
            protocol_name=self.PROTOCOL,
            assignments=tuple(
                SyncGroupRequestAssignment(member_id=member, assignment=self._written(share))
                for member, share in shares.items()
            ),
        )
        began_at = self.out.now
        answer, trusted = yield from self._ask_group(request)
        if answer.error_code != Error.NONE:
            if answer.error_code not in OUT:
                raise Violation(f"{self.name}: no assignment: {Error(answer.error_code).name}")
            self._out(answer.error_code)
            yield self.retrying()
            return
        owned = self._read_ids(bytes(answer.assignment))
        self._on_owned(owned, began_at, trusted)
        self.history.count("assignments")
        self._positions = yield from self.committed([id for id in owned if id in self.targets()])

    def _on_asked(self) -> None:
        """It is about to ask to join."""

    def _on_answered(self) -> None:
        """It knows whether it has joined."""

    def _says(self) -> bytes:
        """What others are to know of it."""
        return b""

    def _written(self, share: list[PartitionId]) -> bytes:
        """A member's share, in words of the protocol."""
        return " ".join(f"{id_to_text(id.topic_id)}:{id.partition}" for id in share).encode()

    def _read_ids(self, data: bytes) -> list[PartitionId]:
        """And back."""
        pairs = [part.rpartition(":") for part in data.decode().split()]
        return [PartitionId(id_from_text(topic), int(number)) for topic, _, number in pairs]

    def _on_joined(self, asked_at: float, instances: list[str | None]) -> None:
        """It has joined, with these others if it leads."""
        self.history.groups.on_joined(self._who, asked_at, self.out.now, instances)

    def _on_owned(self, owned: list[PartitionId], began_at: float, trusted: bool) -> None:
        """It has its partitions; whether that is no old news."""
        groups = self.history.groups
        if trusted:
            groups.check_place(self._who, began_at, "the synchronisation")
        groups.on_assigned(self._who, owned, self.out.now)

    def _on_alive(self, began_at: float, trusted: bool) -> None:
        """Its heartbeat was taken; whether by a coordinator that knows."""
        if trusted:
            self.history.groups.check_place(self._who, began_at, "a heartbeat")

    def _shares(self, members: list[str]) -> dict[str, list[PartitionId]]:
        """What each member is to own, if this is the leader."""
        shares: dict[str, list[PartitionId]] = {member: [] for member in members}
        for number, id in enumerate(self.targets() if members else ()):
            shares[members[number % len(members)]].append(id)
        return shares

    def _is_alive(self) -> Steps[bool]:
        who = self._who
        request = HeartbeatRequest(
            group_id=who.group,
            generation_id=who.generation,
            member_id=who.member_id,
            group_instance_id=who.instance_id,
        )
        began_at = self.out.now
        answer, trusted = yield from self._ask_group(request)
        if answer.error_code == Error.NONE:
            self._on_alive(began_at, trusted)
            return self._who.generation >= 0
        if answer.error_code not in OUT:
            raise Violation(f"{self.name}: heartbeat: {Error(answer.error_code).name}")
        self._out(answer.error_code)
        return False

    def _leave(self) -> Steps[None]:
        who = self._who
        if who.member_id:
            member = MemberIdentity(
                member_id=who.member_id,
                group_instance_id=who.instance_id,
                reason=None,
            )
            request = LeaveGroupRequest(group_id=who.group, members=(member,))
            yield from self.ask_coordinator(GROUP, who.group, request, lambda a: a.error_code)
        self._out(Error.UNKNOWN_MEMBER_ID)
