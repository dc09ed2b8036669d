"""What clients have learned, for the checks: records acknowledged, records read, topics deleted.

Shared by the clients of a simulation. Finds for itself what two readings contradict; the rest is
compared with the logs in the end (`checks`). Knows no node.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from spindle.model.ids import PartitionId, TopicId
from spindle.sim.group_history import GroupHistory
from spindle.sim.transaction_history import TransactionHistory
from spindle.sim.violation import Violation


@dataclass(slots=True)
class History:
    """All that clients have learned. Values of records are unique in a simulation."""

    acknowledged: dict[PartitionId, dict[int, bytes]] = field(default_factory=dict)
    """Offset -> value of what was acknowledged with acks=all."""
    read: dict[PartitionId, dict[int, bytes]] = field(default_factory=dict)
    """Offset -> value of what was read below a high watermark."""
    sent: dict[bytes, PartitionId] = field(default_factory=dict)
    """Values that were sent, acknowledged or not, and to where."""
    turns: dict[bytes, tuple[str, int]] = field(default_factory=dict)
    """The producer of a value, and a number that is higher than those of all it had sent before."""
    sent_again: dict[bytes, bool] = field(default_factory=dict)
    """Values that were sent again under another producer epoch, by which brokers cannot know them.

    True: no answer had said that the first try failed, so they may be there twice. False: a leader
    had; they may be there twice where it led no longer, for it is the next one that has them then.
    """
    deleted: dict[TopicId, None] = field(default_factory=dict)
    """Topics whose deletion was asked for: whether they are there is not promised."""
    trimmed: dict[PartitionId, int] = field(default_factory=dict)
    """Records below these offsets were asked to be deleted: they may be there or not."""
    names: dict[TopicId, str] = field(default_factory=dict)
    packings: dict[str, dict[str, None]] = field(default_factory=dict)
    """What compression.type of a topic was ever asked for, by the topic's name."""
    transactions: TransactionHistory = field(default_factory=TransactionHistory)
    groups: GroupHistory = field(default_factory=GroupHistory)
    counts: dict[str, int] = field(default_factory=dict)
    """How often things were done, for the report."""

    def count(self, what: str, times: int = 1) -> None:
        """Something was done."""
        self.counts[what] = self.counts.get(what, 0) + times

    def is_plain(self, id: TopicId) -> bool:
        """Whether a topic is, and stays, the only one of its name."""
        name = self.names.get(id)
        return id not in self.deleted and list(self.names.values()).count(name or "") == 1

    def on_packing(self, topic: str, compression: str) -> None:
        """A topic's batches are to be compressed in this way."""
        self.packings.setdefault(topic, {})[compression] = None

    def on_sent(self, id: PartitionId, value: bytes, writer: str) -> None:
        """A record was given to the cluster for the first time."""
        assert value not in self.sent, "values are unique"
        self.sent[value] = id
        self.turns[value] = (writer, len(self.turns))

    def on_sent_again(self, values: list[bytes], unsure: bool) -> None:
        """What was not acknowledged begins again in a new producer epoch."""
        for value in values:
            self.sent_again[value] = unsure or self.sent_again.get(value, False)

    def on_trim(self, id: PartitionId, offset: int) -> None:
        """The records below an offset are to be deleted."""
        self.trimmed[id] = max(offset, self.trimmed.get(id, 0))

    def on_acknowledged(self, id: PartitionId, base: int, values: list[bytes]) -> None:
        """The cluster has said that it has these records, from this offset on."""
        known = self.acknowledged.setdefault(id, {})
        for offset, value in enumerate(values, base):
            other = known.setdefault(offset, value)
            if other != value:
                raise Violation(f"{id}: offset {offset} was given twice: {other!r}, {value!r}")
        self.count("records acknowledged", len(values))

    def on_read(self, id: PartitionId, offset: int, value: bytes) -> None:
        """A reader was given this record."""
        other = self.read.setdefault(id, {}).setdefault(offset, value)
        if other != value:
            raise Violation(f"{id}: offset {offset} was read as {other!r} and as {value!r}")
        if self.sent.get(value) != id:
            raise Violation(f"{id}: offset {offset} holds {value!r}, which was not sent there")
        self.count("records read")
