"""Which other broker has more of a partition than a damaged copy, or may have (KIP-966, B-28).

Those that are down count, too: bringing one back loses nothing. Used by `rescue` and `repairs`.
"""

from __future__ import annotations

from collections.abc import Sequence

from spindle.model.ids import LOST, NO_LEADER, NodeId, TopicPartition
from spindle.model.metadata_records import PartitionRegistration


def better_copy(state: PartitionRegistration, me: NodeId, name: TopicPartition) -> str | None:
    """Who has more than `me` of a partition without another leader, in words; None: nobody."""
    others = [b for b in (*state.isr, *state.elr) if b != me]
    last = [b for b in state.last_known_elr if b != NO_LEADER]
    if others:
        return f"{_brokers(others, 'has', 'have')} more of {name}: bring it back"
    if me in (*state.isr, *state.elr, *last):
        return None
    if last:
        return f"broker {last[0]} led {name} last and has more of it: bring it back"
    # Apache Kafka's controller can lose track of the last leader (`_last_known`).
    # A replica without a directory was assigned before directories were known: it may be there.
    lost = {b for b, d in zip(state.replicas, state.directories, strict=False) if d == LOST}
    online = [b for b in state.replicas if b != me and b not in lost]
    if not online:
        return None
    return (
        f"{_brokers(online, 'may have', 'may have')} more of {name}, which nobody is known to have"
        " led last: bring one back and have it elected uncleanly"
    )


def _brokers(ids: Sequence[NodeId], has: str, have: str) -> str:
    """`broker 2 has`, `brokers 2, 3 have`."""
    named = ", ".join(map(str, ids))
    return f"broker {named} {has}" if len(ids) == 1 else f"brokers {named} {have}"
