"""Which brokers come to harm while a plan is carried out, and by what. Pure.

A directory that was online goes offline; partitions of a broker fall out of sync that were in sync
at the start. Trouble that is known is no reason to stop. Called by `execution`, which stops what
the broker takes part in (spec V-05).
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Final

from spindle.model.ids import TopicPartition
from spindle.pipeline.execution_values import ClusterLook, KnownTrouble
from spindle.planning.amounts import counted, listed

BEHIND_SECONDS: Final = 30.0
"""How long a replica may be out of sync: for a moment it falls behind without any harm."""


class HarmWatch:
    """Tells of each broker once that it is harmed, and why."""

    def __init__(self, known: KnownTrouble) -> None:
        self._known = known
        self._behind: dict[tuple[int, TopicPartition], float] = {}
        """Since when a replica is out of sync that was in sync at the start."""
        self.stopped: dict[int, str] = {}
        """The brokers that were harmed, and why."""

    def on_look(self, now: float, look: ClusterLook, own: Set[TopicPartition]) -> dict[int, str]:
        """The brokers that this look shows to be harmed; `own`: partitions that change brokers."""
        found: dict[int, str] = {}
        for broker, path in sorted(look.offline - self._known.offline):
            found.setdefault(
                broker, f"its log directory {path} is offline; it was online when the run began"
            )
        if look.behind is not None:
            self._note(now, look.behind, own)
            found = {**self._late(now), **found}
        return {b: why for b, why in found.items() if self.stop(b, why)}

    def stop(self, broker: int, why: str) -> bool:
        """Note that a broker is harmed; False where that was known."""
        return self.stopped.setdefault(broker, why) is why

    def _note(
        self,
        now: float,
        behind: Mapping[TopicPartition, frozenset[int]],
        own: Set[TopicPartition],
    ) -> None:
        there = {
            (broker, name)
            for name, brokers in behind.items()
            if name not in self._known.under_replicated and name not in own
            for broker in brokers
        }
        self._behind = {key: self._behind.get(key, now) for key in there}

    def _late(self, now: float) -> dict[int, str]:
        late: dict[int, list[str]] = {}
        for (broker, name), since in self._behind.items():
            if now - since >= BEHIND_SECONDS:
                late.setdefault(broker, []).append(f"{name.topic}-{name.partition}")
        return {
            broker: f"{counted(len(names), 'replica')} of it fell out of sync since the run began: "
            f"{listed(sorted(names))}"
            for broker, names in late.items()
        }
