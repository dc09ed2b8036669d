"""Which replicas stay where they are: on the move already, excluded, or too small.

Neither a replica's place nor the plan so far decides what is too small, so planning a result again
gives an empty plan. Called by `search_state`.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Final

import numpy as np

from spindle.planning.cluster_model import ClusterModel, Flags, ReplicaColumns
from spindle.planning.load import Band
from spindle.planning.rank_columns import grouped, sums

CRUMB, CRUMBS = 1 / 4096, 0.01
"""What is too small to be moved for the sake of the band: a replica with less than this part of a
mean directory, if all that are no larger have less than this part of all bytes together."""
_NOTHING: Final[array[int]] = array("q")


class StayingReplicas:
    """The replicas that stay, and what they mean for their directories."""

    def __init__(
        self,
        cluster: ClusterModel,
        band: Band,
        ranked: ReplicaColumns,
        targets: Sequence[bool],
        together: bool,
    ) -> None:
        """`ranked`: the columns by rank; `together`: all brokers are planned as one."""
        size, directory, pinned = ranked.size, ranked.directory, ranked.pinned
        count = len(cluster.directories)
        self.frozen = frozenset(ranked.partition[pinned].tolist())
        """Partitions of which a replica is on the move."""
        self.arriving: list[int] = np.bincount(directory[pinned], minlength=count).tolist()
        self.coming: list[int] = (
            sums(directory[pinned], size[pinned], count).astype(np.int64).tolist()
        )
        """Bytes of what is on the move to each directory."""
        kept = np.zeros(len(size), dtype=np.bool_)
        if cluster.kept is not None:
            kept = cluster.kept[ranked.partition] & ~pinned
        self.kept = [_NOTHING] * count if cluster.kept is None else grouped(directory, kept, count)
        """Ranks in each directory that stay because their partition is excluded."""
        crumbs, self.crumb = _crumbs(cluster, band, ranked, targets, together)
        self.all: Flags = pinned | kept | crumbs
        """By rank, whether it stays."""
        self.size: list[int] = (
            sums(directory[self.all], size[self.all], count).astype(np.int64).tolist()
        )
        """Bytes that cannot leave each directory."""


def _crumbs(
    cluster: ClusterModel,
    band: Band,
    ranked: ReplicaColumns,
    targets: Sequence[bool],
    together: bool,
) -> tuple[Flags, list[int]]:
    """(what is too small to be moved, the size of the largest of it on each broker).

    A replica that has to leave its directory is never too small.
    """
    directory = ranked.directory
    owner = np.array(cluster.owner, dtype=np.int64)
    count = len(cluster.brokers)
    takes = np.array(targets, dtype=np.bool_)
    size, least = ranked.size, band.least
    scope = np.zeros_like(directory) if together else owner[directory]
    number = 1 if together else count
    total = np.maximum(1, sums(scope, size, number))
    if least is not None:
        crumbs = (size > 0) & (size < least)
    else:
        disks = np.bincount(owner[takes] * (not together), minlength=number)
        mean = total / np.maximum(1, disks)
        crumbs = (size > 0) & (size < (CRUMB * mean)[scope])
        some = np.flatnonzero(crumbs)  # Ascending, like ranks.
        where = scope[some]
        some = some[np.argsort(where, kind="stable")]
        upto = np.cumsum(size[some])
        begins = np.searchsorted(scope[some], np.arange(number))
        before = np.concatenate([[0], upto])[begins]
        crumbs[some] = upto - before[scope[some]] <= (CRUMBS * total)[scope[some]]
    if band.rate_tolerance is not None:
        flow = np.maximum(1, sums(scope, ranked.rate, number))
        crumbs &= ranked.rate <= (CRUMB * flow)[scope]
    drained = [d.drain for d in cluster.directories]
    gone = (
        np.array(drained, dtype=np.bool_)
        | np.array([b.drain for b in cluster.brokers], dtype=np.bool_)[owner]
    )
    crumbs &= ~gone[directory]
    largest = np.zeros(number, dtype=np.int64)
    np.maximum.at(largest, scope[crumbs], size[crumbs])
    told: list[int] = np.broadcast_to(largest, count).tolist()
    return crumbs, told
