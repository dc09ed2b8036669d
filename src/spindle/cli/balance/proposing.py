"""Makes a plan: in this process from one sample, or on Spark where more than that is asked for.

Both sample all brokers and keep the sample in the history. Called by `spindle balance plan`.
"""

from __future__ import annotations

from typing import NamedTuple

from spindle.cli import render
from spindle.cli.balance.options import home_of
from spindle.cli.balance.spark_need import has, keep, spark_need
from spindle.cli.connecting import Bootstrap, with_admin
from spindle.cli.spark import spark_session
from spindle.client.admin import AdminClient
from spindle.model.errors import Unusable
from spindle.pipeline import sampling, single_sample
from spindle.pipeline.proposal import ClusterProposal, PlanRequest
from spindle.pipeline.sampling import ClusterSample
from spindle.pipeline.single_sample import Racks
from spindle.planning.amounts import counted
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
    # First of all: a wrong address is not worth the time that Spark takes to start.
    told = with_admin(order.cluster, lambda admin: admin.describe_cluster())
    racks = {number: node.rack for number, node in told.brokers.items()}
    if why is not None or order.spark:
        return _on_spark(order, racks, why or "--spark")
    with render.waiting("sampling"):
        sample, replicas = with_admin(order.cluster, _look)
    if order.spark is None and sample.replicas > single_sample.REPLICAS_MAX and has("pyspark"):
        many = f"there are {sample.replicas} replicas (--no-spark plans without)"
        return _on_spark(order, racks, many)
    return Proposed(_here(order, sample, racks), replicas, tuple(sorted(racks)))


def _on_spark(order: PlanOrder, racks: Racks, why: str) -> Proposed:
    render.note(f"Spark plans: {why}")
    with spark_session("spindle balance plan", order.spark_remote, warm=True) as spark:
        from spindle.pipeline.job import propose

        with render.waiting("sampling and planning"):
            home = home_of(order.history)
            proposal = propose(
                spark,
                order.cluster.servers,
                home,
                order.wanted,
                order.ahead,
                racks,
                order.cluster.security,
            )
    return Proposed(proposal, with_admin(order.cluster, replicas_of), tuple(sorted(racks)))


def _here(order: PlanOrder, sample: ClusterSample, racks: Racks) -> ClusterProposal:
    if has("pyarrow"):
        keep(sample, order.history)
    else:
        more = "pip install 'spindle[spark]' for a history"
        render.note(f"the sample is not kept in {order.history}: {more}")
    proposal = single_sample.propose(sample, order.wanted, racks)
    render.note(f"planned without Spark, from one sample of {counted(sample.replicas, 'replica')}")
    return proposal


async def _look(admin: AdminClient) -> tuple[ClusterSample, Brokers]:
    return await sampling.take(admin), await replicas_of(admin)


async def replicas_of(admin: AdminClient) -> Brokers:
    """The brokers of every partition now."""
    topics = await admin.list_topics(internal=True)
    return {
        (name, partition.partition): partition.replicas
        for name, topic in topics.items()
        for partition in topic.partitions
    }
