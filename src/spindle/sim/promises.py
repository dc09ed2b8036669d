"""Which faults may strike without breaking a promise: the atlas of what must hold.

Kafka does not fsync records before it acknowledges them: what `acks=all` promises is that every
in-sync replica has them, in its page cache at least. So:

- Killing processes, in any number, loses nothing: the page cache outlives them. So do disks that
  fail and come back with their data, however many there are at once.
- A power cut loses what was not synced, a blank disk all: a *loss*. It may strike a broker only
  while another member of each of its ISRs is sound, and stays so until the controller knows.
- Without KIP-966, or with min.insync.replicas=1, which makes no eligible leaders, the controller
  cannot know that the last member of an ISR has lost records. Then a loss strikes only a cluster
  that is otherwise well, and nothing else strikes until the controller has taken the broker out of
  its ISRs. New clusters have KIP-966; few seeds go without.
- With KIP-966 (and min.insync.replicas >= 2) a loss may strike at any time while one member of the
  ISR or the ELR is sound. But a process that ends without a clean shutdown gives its place up, even
  if it has lost nothing: once a loss has struck a partition, ends count like losses until the
  replica is in the ISR again.
- With flush.messages=1 a power cut loses nothing that was acknowledged.
- A flipped bit is a loss in one replica that is unknown until it is found: it may strike only
  where all is well and others have the records, and nothing else strikes until it is healed.
- The metadata log is always synced: controllers may lose power in any number, but not their disks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from spindle.core.replica.partition import PartitionLeader
from spindle.model.ids import DirectoryId, LogDir, NodeId, PartitionId
from spindle.model.log_values import LogKey
from spindle.model.metadata_records import PartitionRegistration
from spindle.sim.log_judge import is_whole, logs_in
from spindle.sim.sim_cluster import SimCluster, SimNode


@dataclass(frozen=True, slots=True)
class Terms:
    """What the topics of a simulation were promised; all have the same settings."""

    elr: bool = False
    """Losses are known to the controller, and the high watermark waits for enough replicas."""
    synced: bool = False
    """Appends are synced before they are acknowledged."""


class Promises:
    """Judges faults before they strike; remembers the nodes that lost something."""

    def __init__(self, cluster: SimCluster, terms: Terms) -> None:
        self._cluster = cluster
        self._terms = terms
        self._unknown: dict[NodeId, DirectoryId | None] = {}
        """Brokers that may have lost something unknown to the controller: their incarnations."""
        self._lost: dict[PartitionId, dict[NodeId, None]] = {}
        """Brokers that may lack committed records of a partition, until in its ISR again."""
        self._damaged: list[Callable[[], bool]] = []
        """Bits were flipped: each tells whether the bad bytes are still in use."""
        self.troubled: dict[NodeId, int] = {}
        """Nodes with faults that are open, and how many."""

    # --- judging ----------------------------------------------------------------------------

    def may_end(self, member: SimNode) -> bool:
        """Whether a process may end uncleanly, or a disk of its fail for a while."""
        self._update()
        if self._damaged:
            return False
        if not self._terms.elr:
            return not self._unknown
        return all(
            self._sound(state, member) or not self._lost.get(id)
            for id, state in self._hosted(member)
        )

    def may_disturb(self) -> bool:
        """Whether something may strike that can only delay: the network, say."""
        self._update()
        return not self._damaged and (self._terms.elr or not self._unknown)

    def may_lose(self, member: SimNode, path: LogDir | None = None) -> bool:
        """Whether a broker may lose what is not synced; or all of one directory."""
        self._update()
        if self._terms.synced and path is None:
            return self.may_end(member)
        if self._unknown or not self.may_end(member):
            return False
        if not self._terms.elr and not self._is_well():
            return False
        return self.survives(member, path)

    def may_damage(self, member: SimNode, id: PartitionId) -> bool:
        """Whether a replica may lose some of its bytes for good: only where all others are well."""
        self._update()
        state = self._cluster.newest.partition(id)
        if state is None or self._unknown or self._damaged or id in self._lost:
            return False
        changing = bool(state.adding_replicas or state.removing_replicas)
        whole = len(state.isr) > 1 and set(state.isr) == set(state.replicas) and not changing
        member_of_it = member.node_id in state.isr
        return whole and member_of_it and self._is_committed() and self._is_well()

    def survives(self, member: SimNode, path: LogDir | None = None) -> bool:
        """Whether a loss that was allowed would still do no harm in this very moment."""
        if self._terms.synced and path is None:
            return True
        if not self._is_committed() or (not self._terms.elr and self._has_plans(member)):
            return False
        held = self._held(member, path)
        return all(self._sound(s, member) for id, s in self._hosted(member) if id in held)

    def _is_committed(self) -> bool:
        """Whether the controller has nothing in mind that the newest image does not show."""
        active = self._cluster.active()
        if active is None:
            return False
        return active.quorum.next_offset == self._cluster.newest.offset + 1

    def _is_well(self) -> bool:
        """Whether nothing else is wrong, or about to go wrong, anywhere."""
        if self.troubled:
            return False
        if any(m.node is None for m in self._cluster.members.values()):
            return False
        newest = self._cluster.newest
        return all(newest.is_active(m.node_id) and self._serves(m) for m in self._cluster.brokers)

    def _serves(self, member: SimNode) -> bool:
        """Whether a broker's process is the one that is registered, and not one after it."""
        own = self._cluster.newest.brokers.get(member.node_id)
        broker = member.broker
        return own is not None and broker is not None and broker.lifecycle.epoch == own.broker_epoch

    def _has_plans(self, member: SimNode) -> bool:
        """Whether a broker has proposed an ISR, which may be committed after its loss."""
        if member.broker is None:
            return False
        roles = [
            hosted.partition.role for hosted in member.broker.replicas.partitions.hosted.values()
        ]
        return any(
            isinstance(role, PartitionLeader) and role.proposal is not None for role in roles
        )

    def _sound(self, state: PartitionRegistration, struck: SimNode) -> bool:
        """Whether another broker surely has everything, and the controller will believe it."""
        lost = self._lost.get(PartitionId(state.topic_id, state.partition_id), {})
        members = (*state.isr, *state.elr) if self._terms.elr else state.isr
        return any(
            id != struck.node_id
            and id not in self._unknown
            and id not in lost
            and id not in self.troubled
            and self._serves(self._cluster.members[id])
            for id in members
        )

    def _hosted(self, member: SimNode) -> Iterator[tuple[PartitionId, PartitionRegistration]]:
        for topic, state in self._cluster.newest.partitions():
            if member.node_id in state.replicas:
                yield PartitionId(topic.topic_id, state.partition_id), state

    def _held(self, member: SimNode, path: LogDir | None) -> set[PartitionId]:
        if path is None:
            return {id for id, _ in self._hosted(member)}
        return {
            PartitionId(log.topic_id, log.key.partition)
            for log in logs_in(member.disk, path)
            if log.topic_id is not None
        }

    # --- what happens -----------------------------------------------------------------------

    def on_lost(self, member: SimNode, path: LogDir | None = None) -> None:
        """A broker loses something now, or is about to."""
        if self._terms.synced and path is None:
            return
        own = self._cluster.newest.brokers.get(member.node_id)
        if own is None:
            return
        self._unknown[member.node_id] = own.incarnation_id
        for id in self._held(member, path):
            self._lost.setdefault(id, {})[member.node_id] = None

    def on_damaged(self, member: SimNode, key: LogKey) -> None:
        """A broker's log has bad bytes now, until it is made again."""

        def is_bad() -> bool:
            disk = member.disk
            found = (log for path in member.log_dirs for log in logs_in(disk, path))
            mine = [log for log in found if log.key.topic_partition == key.topic_partition]
            return not all(is_whole(disk, log) for log in mine)

        self._damaged.append(is_bad)

    def on_trouble(self, member: SimNode) -> None:
        """A fault is open at a node."""
        self.troubled[member.node_id] = self.troubled.get(member.node_id, 0) + 1

    def on_relief(self, member: SimNode) -> None:
        """A fault is closed."""
        self.troubled[member.node_id] -= 1
        if not self.troubled[member.node_id]:
            del self.troubled[member.node_id]

    def _update(self) -> None:
        """The controller may know by now, and replicas may have everything again."""
        self._damaged = [is_bad for is_bad in self._damaged if is_bad()]
        image = self._cluster.newest
        for node, incarnation in list(self._unknown.items()):
            own = image.brokers.get(node)
            fenced = own is not None and own.fenced and not self._terms.elr
            if own is None or own.incarnation_id != incarnation or fenced:
                del self._unknown[node]
        for id, nodes in list(self._lost.items()):
            state = image.partition(id)
            for node in list(nodes):
                back = state is None or node not in state.replicas or node in state.isr
                if back and node not in self._unknown:
                    del nodes[node]
            if not nodes:
                del self._lost[id]
