"""The throttles of one run of `spindle balance apply`: set, changed on the way, put back.

Which settings these are, and what stood there before, `cli.reassign.limits` knows. Called by
`applying`.
"""

from __future__ import annotations

from collections.abc import Collection, Set

from spindle.cli.balance.cluster_look import assigned_brokers
from spindle.cli.balance.move_rim import Say
from spindle.cli.reassign import limits
from spindle.cli.reassign.reassign_journal import Journal
from spindle.cli.reassign.reassignment_plan import ReassignmentPlan
from spindle.client.admin import AdminClient
from spindle.model.ids import TopicPartition
from spindle.pipeline.proposal import ClusterProposal

CopyLimits = tuple[int | None, int | None]
"""Bytes/s between brokers, bytes/s between directories; None: no limit."""


class RunThrottles:
    """The throttles of one run: set, changed while it is under way, put back at its end."""

    def __init__(
        self,
        admin: AdminClient,
        plan: ReassignmentPlan,
        between: bool,
        say: Say,
        without: Set[int] = frozenset(),
    ) -> None:
        """`between`: whether replicas go to other brokers, too; `without`: brokers that give no
        answer, whose replicas stay."""
        self._admin, self._plan, self._between, self._say = admin, plan, between, say
        self._without = without
        self._held: Journal | None = None
        """As long as it is, no other run takes these throttles for left behind."""

    async def hold(self, rate: int | None) -> None:
        """Hold each broker's copies to a rate, between its directories and from and to others.

        While others have reassignments under way, limits that they have set and that are lower
        count, also when the pace changes.
        """
        if rate is None:
            return
        active = await self._admin.list_partition_reassignments()
        current = await assigned_brokers(self._admin, self._plan.replicas)
        rates = await self._rates(rate, active)
        self._held = await limits.limit(
            self._admin, self._plan, rates, active, current, self._say, self._held, self._without
        )

    async def rates(self, rate: int | None) -> CopyLimits:
        """What `hold` would hold copies to now; changes nothing."""
        if rate is None:
            return None, None
        return await self._rates(rate, await self._admin.list_partition_reassignments())

    async def _rates(self, rate: int, active: Collection[TopicPartition]) -> CopyLimits:
        rates = (rate if self._between else None, rate)
        if any(name not in self._plan.replicas for name in active):
            return await limits.no_higher(self._admin, self._plan, rates, self._say, self._without)
        return rates

    async def put_back(self) -> None:
        """As it was before."""
        await limits.put_back(self._admin, self._plan, self._say)
        self._held = None


def crosses(proposal: ClusterProposal) -> bool:
    """Whether replicas may change brokers in a run, as planned or planned again on the way."""
    return proposal.wanted.between or any(move.between for move in proposal.moves)
