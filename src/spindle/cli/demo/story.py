"""The demo's steps: start, load, skew, sample, plan, move, verify, break a disk, audit.

Orchestrates; what happens is done by the cluster, the pipeline and librdkafka. Tells how far it is
through `say`, so that the command decides how that looks.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from spindle.cli.balance.applying import carry_out
from spindle.cli.balance.cluster_look import verify
from spindle.cli.charts import DiskBar, Span
from spindle.cli.demo.demo_load import DemoLoad, Drain, Events, longest_gap
from spindle.cli.demo.demo_report import BIN_SECONDS, Promise, Story
from spindle.cli.demo.evidence import evidence
from spindle.cli.path_names import ShortName
from spindle.client.admin import AdminClient
from spindle.client.results import NewTopic
from spindle.model.errors import Unusable
from spindle.model.ids import TopicPartition
from spindle.pipeline.audit_job import Audit, audit, events
from spindle.pipeline.execution_values import PlanOutcome
from spindle.pipeline.job import propose
from spindle.pipeline.proposal import ClusterProposal, PlanRequest
from spindle.pipeline.session import Session, session
from spindle.planning.amounts import amount, counted
from spindle.planning.load import Band
from spindle.runtime.drill import break_directory
from spindle.runtime.local import LocalCluster

TOPIC = "orders"
PARTITIONS, RATE, RECORD_BYTES = 12, 1500.0, 4096
SKEW_BYTES = 48 << 20
"""Bytes of load before the disks are looked at."""
GAP_SECONDS_MAX = 1.0
SERVE_SECONDS_MAX = 10.0
LOAD_SECONDS_MAX = 120.0
SETTLE_SECONDS = 4.0
"""Load after the disk has failed, so that what follows is seen too."""


@dataclass(slots=True)
class StoryResults:
    """What the steps leave for the report."""

    began: float = 0.0
    spans: list[Span] = field(default_factory=list)
    facts: list[tuple[str, str]] = field(default_factory=list)
    broken: tuple[int, str] = (0, "")

    def span(self, begin: float, end: float, text: str) -> None:
        """Note what went on between two moments (monotonic)."""
        self.spans.append(Span(begin - self.began, end - self.began, text))


async def tell(home: Path, say: Callable[[str], None]) -> Story:
    """Run the whole demo below `home`; the story of it, promises kept or not."""
    say("Spark starts beside the cluster")
    spark_ready = asyncio.create_task(asyncio.to_thread(session, "spindle demo"))
    seen = StoryResults()
    began = time.monotonic()
    settings = {"replica.lag.time.max.ms": "10000", "log.segment.bytes": "16777216"}
    async with LocalCluster(home / "cluster", 3, 2, settings=settings) as cluster:
        seen.facts.append(("cluster of 3 brokers x 2 disks serves after",
                           f"{time.monotonic() - began:.1f} s"))  # fmt: skip
        say(f"3 brokers x 2 disks serve on {cluster.bootstrap}")
        async with AdminClient(cluster.bootstrap) as admin:
            await admin.create_topics([NewTopic(TOPIC, PARTITIONS, 3)]).all()
            seen.began = time.monotonic()
            weights = [1.0 / (1 + index) for index in range(PARTITIONS)]
            load = DemoLoad(cluster.bootstrap, TOPIC, weights, RATE, RECORD_BYTES)
            drain = Drain(cluster.bootstrap, TOPIC, "audit")
            load.start()
            drain.start()
            try:
                return await _story(cluster, admin, load, drain, await spark_ready, seen, home, say)
            finally:
                if _succeeded(spark_ready):
                    spark_ready.result().stop()  # Else an interruption waits for its jobs.
                load.finish()
                drain.finish()


def _succeeded(task: asyncio.Task[Session]) -> bool:
    return task.done() and not task.cancelled() and task.exception() is None


async def _story(
    cluster: LocalCluster,
    admin: AdminClient,
    load: DemoLoad,
    drain: Drain,
    spark: Session,
    seen: StoryResults,
    home: Path,
    say: Callable[[str], None],
) -> Story:
    say(f"a producer (acks=all, idempotent, {RATE:g} records/s) and a consumer are at work")
    await _until_loaded(load)
    say("sampling the disks and planning on Spark")
    proposal = await asyncio.to_thread(
        propose, spark, cluster.bootstrap, home / "history", PlanRequest(Band(0.05, 0.9))
    )
    say(f"the plan: {counted(len(proposal.moves), 'move')}, {amount(proposal.bytes_moved)} "
        f"(lower bound for a plan as even: {amount(proposal.bound)})")  # fmt: skip
    started = time.monotonic()
    outcome = await carry_out(admin, proposal.waves)
    wrong = await verify(admin, proposal.moves)
    ended = time.monotonic()
    moved = f"{counted(len(outcome.done), 'replica')} moved between disks under load"
    seen.span(started, ended, f"{moved}, {ended - started:.1f} s")
    say(f"{moved} in {outcome.seconds:.1f} s")
    gap_moving = longest_gap(load.acknowledged.at, started, ended)[0]
    serve = await _break_a_disk(cluster, admin, load, seen, say)
    load.finish()
    say("auditing every record on Spark")
    await asyncio.to_thread(drain.wait_for, len(load.acknowledged), 60.0)
    drain.finish()
    result = await asyncio.to_thread(
        audit,
        events(spark, load.acknowledged.columns()),
        events(spark, drain.consumed.columns()),
    )
    if not result.sound:
        for line in evidence(load.acknowledged, drain.consumed, home / "cluster"):
            say(line)
    gap = longest_gap(load.acknowledged.at, serve[0], load.acknowledged.at[-1])[0]
    seen.facts += [
        ("records acknowledged", f"{result.acknowledged:,}"),
        ("records consumed", f"{result.consumed:,}"),
        ("longest time without an acknowledgement during the moves", f"{gap_moving * 1e3:.0f} ms"),
        ("bytes moved / least possible",
         f"{amount(proposal.bytes_moved)} / {amount(proposal.bound)}"),
    ]  # fmt: skip
    return Story(
        lead=(
            f"3 brokers with 2 disks each under {RATE:,.0f} records a second (acks=all): planned "
            "on Spark, moved, a disk broken, every record audited."
        ),
        disks=_disks(proposal, seen),
        acknowledged=_per_bin(load.acknowledged, seen.began),
        spans=seen.spans,
        promises=_promises(proposal, outcome, len(wrong), result, gap, serve[1], load),
        facts=seen.facts,
    )


async def _until_loaded(load: DemoLoad) -> None:
    """Wait until there is enough on the disks to be out of balance."""
    deadline = time.monotonic() + LOAD_SECONDS_MAX
    while len(load.acknowledged) * RECORD_BYTES < SKEW_BYTES:
        if time.monotonic() > deadline:
            why = load.failed[-1] if load.failed else "this machine has too much else to do"
            raise Unusable(
                f"only {len(load.acknowledged):,} records were acknowledged within "
                f"{LOAD_SECONDS_MAX:g} s: {why}"
            )
        await asyncio.sleep(0.2)


async def _break_a_disk(
    cluster: LocalCluster,
    admin: AdminClient,
    load: DemoLoad,
    seen: StoryResults,
    say: Callable[[str], None],
) -> tuple[float, float]:
    """Break the disk that leads most; (when, seconds until every partition serves again)."""
    topic = (await admin.describe_topics([TOPIC]).all())[TOPIC]
    leaders = {p.partition: p.leader for p in topic.partitions}
    places = await admin.describe_log_dirs([b.node_id for b in cluster.brokers]).all()
    led: dict[tuple[int, str], int] = {}
    for broker, directories in places.items():
        for directory in directories:
            led[broker, directory.path] = sum(
                1 for index, leader in leaders.items()
                if leader == broker and TopicPartition(TOPIC, index) in directory.current
            )  # fmt: skip
    broker, path = max(led, key=lambda place: (led[place], place))
    say(f"breaking {path} of broker {broker}, which leads {led[broker, path]} partitions")
    seen.broken = (broker, path)
    broken_at = time.monotonic()
    await asyncio.to_thread(break_directory, path)
    waiting = set(leaders)
    while waiting and time.monotonic() < broken_at + SERVE_SECONDS_MAX:
        told = load.acknowledged
        late = range(max(0, len(told) - 20_000), len(told))
        waiting -= {told.partition[i] for i in late if told.at[i] > broken_at + 0.05}
        await asyncio.sleep(0.01)
    seconds = time.monotonic() - broken_at if not waiting else float("inf")
    seen.span(broken_at, time.monotonic(),
              f"a disk breaks; every partition serves again after {seconds:.2f} s")  # fmt: skip
    say(f"every partition acknowledges again after {seconds:.2f} s")
    await asyncio.sleep(SETTLE_SECONDS)
    return broken_at, seconds


def _disks(proposal: ClusterProposal, seen: StoryResults) -> list[DiskBar]:
    return [
        DiskBar(
            f"broker {d.broker}",
            ShortName(Path(d.path).name, d.path),
            d.capacity,
            d.before,
            d.after,
            "broken later" if (d.broker, d.path) == seen.broken else "",
        )
        for d in proposal.directories
    ]


def _per_bin(events: Events, began: float) -> list[int]:
    bins = [int((at - began) / BIN_SECONDS) for at in events.at]
    counts = [0] * (max(bins, default=-1) + 1)
    for number in bins:
        counts[number] += 1
    return counts


def _promises(
    proposal: ClusterProposal,
    outcome: PlanOutcome,
    wrong: int,
    result: Audit,
    gap: float,
    serve: float,
    load: DemoLoad,
) -> list[Promise]:
    return [
        Promise("no acknowledged record is lost", f"{result.lost:,} lost", result.lost == 0),
        Promise("no record is doubled", f"{result.doubled:,} doubled", result.doubled == 0),
        Promise(
            "no record is changed or out of order",
            f"{result.changed:,} changed, {result.reordered:,} out of order",
            result.changed == 0 and result.reordered == 0,
        ),
        Promise(
            "the producer gave nothing up", counted(len(load.failed), "record"), not load.failed
        ),
        Promise(
            "every planned move is done and verified",
            f"{len(outcome.done):,} of {len(proposal.moves):,}",
            outcome.complete and not wrong and bool(proposal.moves),
        ),
        Promise(
            f"a dead disk stops acknowledgements for less than {GAP_SECONDS_MAX:g} s",
            f"longest gap {gap:.2f} s",
            gap < GAP_SECONDS_MAX,
        ),
        Promise(
            f"every partition serves again within {SERVE_SECONDS_MAX:g} s of that",
            f"{serve:.2f} s",
            serve <= SERVE_SECONDS_MAX,
        ),
    ]
