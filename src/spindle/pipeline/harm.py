"""Which brokers come to harm while a plan is carried out, and by what. Pure.

A directory that was online goes offline; a broker leaves the cluster, or gives no answer;
partitions of a broker fall out of sync, or lose their leader, that were well at the start. Trouble
that is known is no reason to stop. Called by `execution`, which stops what the broker takes part in
(spec V-05).
"""

from __future__ import annotations

from collections.abc import Iterable, Set
from typing import Final

from spindle.model.ids import TopicPartition
from spindle.pipeline.execution_values import ClusterLook, KnownTrouble, ReplicationHealth
from spindle.planning.amounts import counted, listed

BEHIND_SECONDS: Final = 30.0
"""How long a replica may be out of sync, or a broker away: for a moment that is without harm."""

SILENT_SECONDS: Final = 30.0
"""How long a broker may give no answer, beyond what a look waits: as long as it may be away."""
SILENT_BEFORE: Final = "it gave no answer before the run began"


class HarmWatch:
    """Tells of each broker once that it is harmed, and why."""

    def __init__(self, known: KnownTrouble) -> None:
        self._known = known
        self._behind: dict[tuple[int, TopicPartition], float] = {}
        """Since when a replica is out of sync that was in sync at the start."""
        self._away: dict[int, float] = {}
        """Since when a broker is not live that was live at the start."""
        self._silent: dict[int, float] = {}
        """Since when a broker gives no answer."""
        self.stopped: dict[int, str] = dict.fromkeys(sorted(known.silent), SILENT_BEFORE)
        """The brokers that were harmed, and why."""

    def on_look(self, now: float, look: ClusterLook, own: Set[TopicPartition]) -> dict[int, str]:
        """The brokers that this look shows to be harmed; `own`: partitions that change brokers."""
        found: dict[int, str] = {}
        for broker, path in sorted(look.offline - self._known.offline):
            found.setdefault(
                broker, f"its log directory {path} is offline; it was online when the run began"
            )
        if look.health is not None:
            self._note(now, look.health, own)
            found = {**self._late(now, look.health.leaderless), **self._left(now), **found}
        self._silent = {b: self._silent.get(b, now) for b in look.silent}
        for broker, since in self._silent.items():
            if now - since >= SILENT_SECONDS:
                found.setdefault(broker, f"it has given no answer for {SILENT_SECONDS:g} s")
        return {b: why for b, why in found.items() if self.stop(b, why)}

    def stop(self, broker: int, why: str) -> bool:
        """Note that a broker is harmed; False where that was known."""
        if broker in self.stopped:
            return False
        self.stopped[broker] = why
        return True

    def _note(self, now: float, health: ReplicationHealth, own: Set[TopicPartition]) -> None:
        there = {
            (broker, name)
            for name, brokers in health.behind.items()
            if name not in self._known.under_replicated and name not in own
            for broker in brokers
        }
        self._behind = {key: self._behind.get(key, now) for key in there}
        self._away = {b: self._away.get(b, now) for b in self._known.live - health.live}

    def _left(self, now: float) -> dict[int, str]:
        return {
            broker: "it left the cluster; it was live when the run began"
            for broker, since in self._away.items()
            if now - since >= BEHIND_SECONDS
        }

    def _late(self, now: float, leaderless: Set[TopicPartition]) -> dict[int, str]:
        late: dict[int, list[TopicPartition]] = {}
        for (broker, name), since in self._behind.items():
            if now - since >= BEHIND_SECONDS:
                late.setdefault(broker, []).append(name)
        return {broker: _what(sorted(names), leaderless) for broker, names in late.items()}


def _what(names: Iterable[TopicPartition], leaderless: Set[TopicPartition]) -> str:
    """What has become of a broker's replicas: the worst first."""
    lost = [str(name) for name in names if name in leaderless]
    late = [str(name) for name in names if name not in leaderless]
    words = []
    if lost:
        those = counted(len(lost), "partition")
        words.append(f"{those} of it lost the leader since the run began: {listed(lost)}")
    if late:
        those = counted(len(late), "replica")
        words.append(f"{those} of it fell out of sync since the run began: {listed(late)}")
    return "; ".join(words)
