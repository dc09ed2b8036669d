"""What stands against starting a run: brokers that give no answer, directories that are offline,
replicas that are not in sync, moves of other parties. Pure.

An operator goes on in spite of one by its name. Called by `spindle balance apply` (spec V-05).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from spindle.model.ids import TopicPartition
from spindle.pipeline.execution_values import KnownTrouble, Place, ReplicationHealth
from spindle.planning.amounts import counted, listed

BEHIND: Final = "under-replicated"
OTHERS: Final = "reassignments"

_BARRED: Final = (
    ", so Apache Kafka refuses the plan's moves between the broker's directories (a new plan has"
    " none)"
)


class Obstacle(NamedTuple):
    """Something that stands against a run, and the name by which one goes on in spite of it."""

    name: str
    what: str


@dataclass(frozen=True, slots=True)
class ClusterHealth:
    """What is not well in a cluster now.

    `offline`: directories; `reassigning`: partitions whose brokers another party changes; `barred`:
    brokers that refuse moves between their directories, since one of these is offline; `silent`:
    brokers that gave no answer, and why.
    """

    offline: frozenset[Place] = frozenset()
    replicas: ReplicationHealth = field(default_factory=ReplicationHealth)
    reassigning: frozenset[TopicPartition] = frozenset()
    barred: frozenset[int] = frozenset()
    silent: Mapping[int, str] = field(default_factory=dict)

    @property
    def known(self) -> KnownTrouble:
        """The same, as an execution takes it."""
        replicas = self.replicas
        return KnownTrouble(
            self.offline, frozenset(replicas.behind), replicas.live, frozenset(self.silent)
        )


def obstacles(
    health: ClusterHealth, brokers: Set[int], own: Set[TopicPartition], despite: Sequence[str]
) -> list[Obstacle]:
    """What stands against a run in which these brokers take part, but for what is named.

    `own`: the partitions that the run moves between brokers, which it may have begun to move. That
    a broker which gives no answer is out of sync as well is not said twice.
    """
    found = [
        Obstacle(str(broker), f"broker {broker} takes part and gives no answer ({why})")
        for broker, why in sorted(health.silent.items())
        if broker in brokers
    ]
    found += [
        Obstacle(
            f"{broker}:{path}",
            f"broker {broker}: log directory {path} is offline"
            + (_BARRED if broker in health.barred else ""),
        )
        for broker, path in sorted(health.offline)
        if broker in brokers
    ]
    behind = [
        name
        for name, late in sorted(health.replicas.behind.items())
        if late & brokers - health.silent.keys() and name not in own and str(name) not in despite
    ]
    if behind:
        several = counted(len(behind), "partition is", "partitions are")
        what = f"{several} not in sync on these brokers: {listed(list(map(str, behind)))}"
        if lost := [str(name) for name in behind if name in health.replicas.leaderless]:
            what += f" (without a leader: {listed(lost)})"
        found.append(Obstacle(BEHIND, what))
    others = sorted(f"{n.topic}-{n.partition}" for n in health.reassigning - own)
    if others:
        under_way = counted(len(others), "reassignment")
        found.append(
            Obstacle(OTHERS, f"{under_way} of other parties in progress: {listed(others)}")
        )
    return [one for one in found if one.name not in despite]


def refusal(found: Sequence[Obstacle]) -> str:
    """Why a run does not start, and how one insists."""
    insist = " ".join(f"--despite {one.name}" for one in found)
    return (
        f"nothing was moved: {'; '.join(one.what for one in found)}. Mend it, or go on in spite of "
        f"it: {insist}"
    )
