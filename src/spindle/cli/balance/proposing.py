"""Makes a plan: in this process from one sample, or on Spark where more than that is asked for.

Both sample all brokers and keep the sample in the history. Called by `spindle balance plan`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from spindle.cli import render
from spindle.cli.balance.barred_brokers import BarredBrokers, barred_brokers
from spindle.cli.balance.options import home_of
from spindle.cli.balance.spark_need import has, keep, spark_need
from spindle.cli.connecting import Bootstrap, with_admin
from spindle.cli.spark import spark_session
from spindle.client.admin import AdminClient
from spindle.model.errors import Unusable
from spindle.pipeline import sampling, single_sample
from spindle.pipeline.proposal import ClusterProposal, PlanRequest
from spindle.pipeline.replica_assignment import assigned, check_hidden
from spindle.pipeline.sampling import ClusterSample
from spindle.planning.amounts import counted
from spindle.planning.assigned_replicas import AssignedReplicas
from spindle.planning.reassignment_json import Brokers


class PlanOrder(NamedTuple):
    """What is to be planned, and by what. `spark`: None where it depends on what is asked for."""

    cluster: Bootstrap
    wanted: PlanRequest
    ahead: float
    history: str
    spark_remote: str | None = None
    spark: bool | None = None


class Proposed(NamedTuple):
    """A plan, the brokers of each partition now, and the brokers that live."""

    proposal: ClusterProposal
    replicas: Brokers
    live: tuple[int, ...]


def proposed(order: PlanOrder) -> Proposed:
    """Sample and plan. Unusable where Spark is refused and needed, or cannot be had."""
    rates = order.wanted.band.rate_tolerance
    why = spark_need(order.spark_remote, order.history, order.ahead, rates)
    if why is not None and order.spark is False:
        raise Unusable(f"--no-spark: {why}; leave one of the two out")
    if why is not None or order.spark:
        # First of all: a wrong address is not worth the time that Spark takes to start.
        return _on_spark(order, with_admin(order.cluster, _metadata), why or "--spark")
    seen, sample = with_admin(order.cluster, _look)
    if order.spark is None and sample.replicas > single_sample.REPLICAS_MAX and has("pyspark"):
        many = f"there are {sample.replicas} replicas (--no-spark plans without)"
        return _on_spark(order, seen, many)
    return _checked(order, _here(order, sample, seen), seen)


class _Seen(NamedTuple):
    """What the metadata has, and the brokers that refuse moves between their directories."""

    truth: AssignedReplicas
    barred: BarredBrokers


async def _look(admin: AdminClient) -> tuple[_Seen, ClusterSample]:
    """What the metadata has, and what the disks show, by one client."""
    truth = await assigned(admin)
    with render.waiting("sampling"):
        sample = await sampling.take(admin)
    return _Seen(truth, await barred_brokers(admin, sample.census)), sample


async def _metadata(admin: AdminClient) -> _Seen:
    """The same without the replicas, which Spark asks for."""
    truth = await assigned(admin)
    told = await admin.describe_log_dirs(sorted(truth.racks), partitions=[]).settled()
    answered = {b: dirs for b, dirs in told.items() if not isinstance(dirs, Exception)}
    return _Seen(truth, await barred_brokers(admin, answered))


def _on_spark(order: PlanOrder, seen: _Seen, why: str) -> Proposed:
    render.note(f"Spark plans: {why}")
    with spark_session("spindle balance plan", order.spark_remote, warm=True) as spark:
        from spindle.pipeline.job import propose

        with render.waiting("sampling and planning"):
            home = home_of(order.history)
            proposal = propose(
                spark,
                order.cluster.servers,
                home,
                seen.barred.sparing(order.wanted),
                order.ahead,
                seen.truth,
                order.cluster.security,
            )
    return _checked(order, proposal, seen)


def _checked(order: PlanOrder, proposal: ClusterProposal, seen: _Seen) -> Proposed:
    """Refuses a plan of a cluster of which the user sees a part only."""
    if proposal.hidden:
        with_admin(order.cluster, lambda admin: check_hidden(admin, proposal.hidden))
    noted = replace(proposal, notes=(*seen.barred.notes(), *proposal.notes))
    return Proposed(noted, seen.truth.replicas or {}, tuple(sorted(seen.truth.racks)))


def _here(order: PlanOrder, sample: ClusterSample, seen: _Seen) -> ClusterProposal:
    if has("pyarrow"):
        keep(sample, order.history)
    else:
        more = "pip install 'spindle[spark]' for a history"
        render.note(f"the sample is not kept in {order.history}: {more}")
    proposal = single_sample.propose(sample, seen.barred.sparing(order.wanted), seen.truth)
    render.note(f"planned without Spark, from one sample of {counted(sample.replicas, 'replica')}")
    return proposal
