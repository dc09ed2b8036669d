"""Consumers of the classic protocol, whose group may become one of KIP-848."""

from __future__ import annotations

from spindle.core.groups.consumer_protocol import (
    ConsumerSubscription,
    read_assignment,
    write_assignment,
    write_subscription,
)
from spindle.core.groups.group_values import (
    Committed,
    Join,
    JoinAnswer,
    MemberIdentity,
    Sync,
    SyncAnswer,
)
from spindle.model.errors import Error, Refusal
from spindle.model.ids import TopicPartition
from tests.support.consumer_world import ConsumerWorld, numbers, topic_id_of

T = topic_id_of("t")


class Classic:
    """A member of the classic protocol, which does what its group asks for."""

    def __init__(self, world: ConsumerWorld, name: str, instance_id: str | None = None) -> None:
        self.world = world
        self.name = name
        self.instance_id = instance_id
        self.member_id = ""
        self.generation = -1
        self.leads = False
        self.owned: tuple[int, ...] = ()
        self.answers: list[JoinAnswer] = []
        self.cooperative = False
        self.protocol = "range"
        self.topics: tuple[str, ...] = ("t",)
        self.later: list[Error] = []
        self.said = b""

    @property
    def metadata(self) -> bytes:
        owned = {"t": self.owned} if self.owned and self.cooperative else {}
        return write_subscription(ConsumerSubscription(self.topics, owned, self.generation))

    def join(self, **fields: object) -> JoinAnswer | None:
        """Ask to join; the answer, if there is one already."""
        self.answers, self.said = [], self.metadata
        ask: dict[str, object] = {
            "group_id": "g",
            "member_id": self.member_id,
            "instance_id": self.instance_id,
            "client_id": self.name,
            "client_host": "/h",
            "session_timeout": 10_000,
            "rebalance_timeout": 20_000,
            "protocol_type": "consumer",
            "protocols": ((self.protocol, self.said),),
        }
        self.world.shard.join(Join(**(ask | fields)), self.answers.append)  # type: ignore[arg-type]
        return self.take()

    def take(self) -> JoinAnswer | None:
        if not self.answers:
            return None
        (answer,) = self.answers
        if not answer.error:
            self.member_id, self.generation = answer.member_id, answer.generation
            self.leads = answer.leader == answer.member_id
        return answer

    def sync(self, given: tuple[tuple[str, bytes], ...] = ()) -> SyncAnswer:
        answers: list[SyncAnswer] = []
        ask = Sync(
            group_id="g",
            generation=self.generation,
            member_id=self.member_id,
            instance_id=self.instance_id,
            protocol_type="consumer",
            protocol=self.protocol,
            assignments=given,
        )
        self.world.shard.sync(ask, answers.append)
        (answer,) = answers
        if not answer.error:
            self.owned = read_assignment(answer.assignment).partitions.get("t", ())
        return answer

    def beat(self) -> Error:
        return self.world.shard.heartbeat(self.identity)

    @property
    def identity(self) -> MemberIdentity:
        return MemberIdentity(
            group_id="g",
            generation=self.generation,
            member_id=self.member_id,
            instance_id=self.instance_id,
        )

    def leave(self) -> Error:
        answers: list[list[Error]] = []
        self.world.shard.leave("g", [(self.member_id, self.instance_id)], answers.append)
        return answers[0][0]

    def commit(self, partition: int, version: int = 8) -> Error:
        self.later = []
        self.commit_later(partition, version)
        return self.later[0]

    def commit_later(self, partition: int, version: int = 8) -> None:
        """The answer, when it comes, is in `later`."""
        answers = self.later
        partitions = {TopicPartition("t", partition): Committed(offset=5, commit_ms=1, topic_id=T)}
        try:
            self.world.shard.commit(
                self.identity,
                partitions,
                lambda told: answers.extend(told.values()),
                version=version,
                refuse=lambda refusal: answers.append(refusal.error),
            )
        except Refusal as refusal:
            answers.append(refusal.error)

    def rejoin(self) -> None:
        """Join and ask for the assignment, as often as the group wants it (eager: owns nothing)."""
        for _ in range(5):
            if not self.cooperative:
                self.owned = ()
            answer = self.join()
            assert answer is not None
            assert answer.error is Error.NONE
            self.sync()
            if self.beat() is Error.NONE:
                return
        raise AssertionError(f"{self.name} does not come to rest")


def stable(world: ConsumerWorld, *members: Classic) -> None:
    """A stable classic group, with the partitions of t dealt out to its members."""
    for member in members:
        member.join()
    for _ in range(3):
        world.wait(0.1)
        for member in members:
            if member.take() is None:
                continue
            if member.beat() is Error.REBALANCE_IN_PROGRESS:
                member.join()
    (leader,) = [member for member in members if member.leads]
    shares = {
        m.member_id: tuple(n for n in range(4) if n % len(members) == at)
        for at, m in enumerate(members)
    }
    given = tuple((id, write_assignment({"t": share}, 3)) for id, share in shares.items())
    for member in (leader, *(m for m in members if m is not leader)):
        assert member.sync(given if member is leader else ()).error is Error.NONE


def pair(world: ConsumerWorld) -> tuple[Classic, Classic]:
    one, two = Classic(world, "one"), Classic(world, "two")
    stable(world, one, two)
    return one, two


def kinds(world: ConsumerWorld) -> list[str]:
    return [view.kind for view in world.shard.views()]


def held(world: ConsumerWorld) -> dict[str, list[int]]:
    view = world.shard.consumers.describe("g")
    return {m.member.said.client_id: numbers(m.member.assigned) or [] for m in view.members}
