"""Makes a plan: in this process from one sample, or on Spark where more than that is asked for.

Both sample all brokers and keep the sample in the history. Called by `spindle balance plan`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from spindle.cli import render
from spindle.cli.balance.barred_brokers import BarredBrokers, barred_brokers
from spindle.cli.balance.options import home_of, is_sparks
from spindle.cli.balance.spark_need import has, keep, spark_need, takes_sample
from spindle.cli.connecting import Bootstrap, with_admin
from spindle.cli.spark import spark_begins, spark_session
from spindle.client.admin import AdminClient
from spindle.model.errors import Unusable
from spindle.pipeline import sampling, single_sample
from spindle.pipeline.proposal import ClusterProposal, PlanRequest
from spindle.pipeline.replica_assignment import assigned, check_hidden
from spindle.pipeline.sampling import ClusterSample
from spindle.planning.amounts import counted
from spindle.planning.assigned_replicas import AssignedReplicas
from spindle.planning.reassignment_json import Brokers

_WITHOUT = "(--no-spark plans without)"


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
    asked = why is not None or bool(order.spark)
    # First of all: a wrong address is not worth the time that Spark takes to start.
    seen, sample = with_admin(order.cluster, lambda admin: _look(admin, order, asked))
    count = seen.truth.copies if sample is None else sample.replicas
    many = count > single_sample.REPLICAS_MAX and order.spark is None and has("pyspark")
    if sample is None or asked or many:
        told = why or ("--spark" if order.spark else f"there are {count} replicas {_WITHOUT}")
        return _on_spark(order, seen, sample, told)
    return _checked(order, _here(order, sample, seen), seen)


class _Seen(NamedTuple):
    """What the metadata has, and the brokers that refuse moves between their directories."""

    truth: AssignedReplicas
    barred: BarredBrokers


async def _look(
    admin: AdminClient, order: PlanOrder, on_spark: bool
) -> tuple[_Seen, ClusterSample | None]:
    """What the metadata has, and what the disks show, by one client.

    None in place of a sample that is Spark's to take: of a large cluster, or from elsewhere.
    """
    truth = await assigned(admin)
    if on_spark:
        spark_begins(order.spark_remote)
    if takes_sample(order.spark_remote, order.spark, truth.copies):
        with render.waiting("sampling"):
            sample = await sampling.take(admin)
        return _Seen(truth, await barred_brokers(admin, sample.census)), sample
    told = await admin.describe_log_dirs(sorted(truth.racks), partitions=[]).settled()
    answered = {b: dirs for b, dirs in told.items() if not isinstance(dirs, Exception)}
    return _Seen(truth, await barred_brokers(admin, answered)), None


def _on_spark(order: PlanOrder, seen: _Seen, sample: ClusterSample | None, why: str) -> Proposed:
    render.note(f"Spark plans: {why}")
    beyond = is_sparks(order.history)
    file = None if sample is None or beyond else keep(sample, order.history)
    with spark_session("spindle balance plan", order.spark_remote, warm=True) as spark:
        from spindle.pipeline import job

        wanted, home = seen.barred.sparing(order.wanted), home_of(order.history)
        with render.waiting("planning" if sample else "sampling and planning"):
            if sample is None:
                own = order.cluster.servers, order.cluster.security
                file = job.sample(spark, own[0], home, own[1])
            elif beyond:
                file = job.keep(spark, sample, home)
            proposal = job.planned(spark, file, home, wanted, order.ahead, seen.truth)
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
