"""Pages of reports as tests look at them: hostile ones, and ones of a size as in life."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random

from spindle.cli import audit, forensics
from spindle.cli.balance import page as balance
from spindle.cli.charts import DiskBar, Span
from spindle.cli.demo import demo_report as demo
from spindle.cli.path_names import ShortName
from spindle.pipeline.auditing import AuditResult
from spindle.pipeline.forecast import Filling
from spindle.pipeline.forensics import DamageFound, Forensics, LogDamage, LogFound, WellBatches
from spindle.pipeline.growth import Line, fit
from spindle.pipeline.proposal import ClusterProposal, DirectoryNow
from spindle.planning.load import PlannedMove

HOSTILE = """/d"'&<script>alert(1)</script></svg>"""
"""A path that would be markup, if it were not escaped in texts and in attributes."""
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
GIB = 1 << 30
PROMISES = (demo.Promise("one", HOSTILE, True), demo.Promise("two", "seen", False))


def hostile_plan() -> str:
    directories = (
        DirectoryNow(1, HOSTILE, True, 10_000, 6144, 3072, False, 4096, 2048),
        DirectoryNow(1, "/b", True, 10_000, 0, 3072, True, 0, 2048),
    )
    moves = (
        PlannedMove(1, "t", 0, HOSTILE, "/b", 2048),
        PlannedMove(1, "t", 1, "/b", HOSTILE, 1024),
    )
    proposal = ClusterProposal(directories, (moves,), 1, (HOSTILE,), ((3, HOSTILE),))
    return balance.plan_page(HOSTILE, proposal)


def hostile_refusal() -> str:
    directories = (DirectoryNow(1, HOSTILE, False, 0, 0, 0),)
    return balance.plan_page("What if", ClusterProposal(directories, (), 1, (), ()), [HOSTILE])


def hostile_forecast() -> str:
    line = tuple((NOW - timedelta(days=7 - n), 100 + 10 * n) for n in range(8))
    course = Line(10 / 86_400, 0.0001, 0.0, 7, 86_400.0)
    filling = Filling(1, (HOSTILE,), 170, 400, NOW, course, line)
    more = replace(filling, paths=("/b", HOSTILE), course=course._replace(slope=0.0, spread=0.0))
    full, short = replace(filling, used=400), replace(filling, course=None)
    return balance.forecast_page([full, filling, more, short], 0.9)


def hostile_audit() -> str:
    counts = {"acknowledged": 100, "lost": 3, "doubled": 0}
    found = AuditResult(HOSTILE, False, counts, ((HOSTILE, counts),), 1, "", (HOSTILE,))
    return audit.page(found)


def hostile_forensics() -> str:
    well = WellBatches(9, 90, 10, 100, 0, None, None, 0, 0, 0, (HOSTILE,))
    damage = LogDamage(1, 70, 0, False)
    log = LogFound(HOSTILE, "t-0", HOSTILE, "t", 0, 2, 4096, well, damage)
    damages = (
        DamageFound(HOSTILE, "t-0", "t", 0, 0, 77, 70, 20, 29, HOSTILE),
        DamageFound("/b", "t-0", "t", 0, 0, 77, 70, 50, None, "CRC", f"{HOSTILE}/t-0", 3),
    )
    return forensics.page([HOSTILE, "/b"], Forensics((log,), damages, 1, 2, 90, 4096))


def hostile_demo() -> str:
    disks = [
        DiskBar(HOSTILE, ShortName(HOSTILE, HOSTILE), 1000, 400, 100, HOSTILE),
        DiskBar("broker 2", ShortName("/dead", "/dead"), 0, 0, 0),
    ]
    facts = [(HOSTILE, HOSTILE)]
    story = demo.Story(HOSTILE, disks, [5, 10], [Span(0, 1, HOSTILE)], PROMISES, facts)
    return demo.page(story)


HOSTILES: dict[str, Callable[[], str]] = {
    "plan": hostile_plan,
    "no plan": hostile_refusal,
    "forecast": hostile_forecast,
    "audit": hostile_audit,
    "forensics": hostile_forensics,
    "demo": hostile_demo,
}


def path(disk: int) -> str:
    return f"/var/lib/kafka/data/disk-{disk}/kafka-logs"


def plan(scale: float = 1.0) -> str:
    """Three brokers of three disks, one of them offline, one cordoned; all but empty at 0.01."""
    chance = Random(4)

    def directory(broker: int, disk: int) -> DirectoryNow:
        before, after = (
            round(chance.uniform(*ends) * GIB * scale) for ends in ((300, 900), (580, 640))
        )
        was, will = (round(chance.uniform(*ends) * 2**20) for ends in ((1, 40), (15, 25)))
        online, cordoned = (broker, disk) != (3, 2), (broker, disk) == (2, 3)
        return DirectoryNow(
            broker, path(disk), online, 1000 * GIB, before, after, cordoned, was, will
        )

    directories = tuple(directory(broker, disk) for broker in (1, 2, 3) for disk in (1, 2, 3))
    topics = ("orders", "payments-eu", "clickstream.raw.v2", "a-topic-with-a-very-long-name" * 6)
    moves = [
        PlannedMove(broker, topics[n % 4], n, path(source), path(target),
                    round(chance.uniform(1, 60) * GIB * scale))
        for n in range(24)
        for broker in (chance.choice((1, 2)),)
        for source, target in (chance.sample((1, 2, 3), 2),)
    ]  # fmt: skip
    note = f"broker 2: {path(1)} stays 1.4 GiB above the band: no replica brings it closer"
    return balance.plan_page(
        "Plan of a cluster",
        ClusterProposal(
            directories, tuple(tuple(moves[n : n + 5]) for n in range(0, 24, 5)), 300 * GIB,
            (note,), ((4, "did not answer DescribeLogDirs within 5 s"),),
            sampled_at="2026-03-01T12:00:00Z",
        ),
    )  # fmt: skip


def filling(broker: int, disk: int, begin: float, rate: float, days: float = 14) -> Filling:
    """A disk of 1000 GiB that grows by so many GiB an hour, by day more than by night."""
    chance, hours = Random(disk), round(days * 24)
    steps = [rate * (0.5 + (n % 24 > 9)) + abs(rate) * chance.gauss(0, 1) for n in range(hours)]
    moments = [NOW.timestamp() - 3600 * (hours - n) for n in range(hours + 1)]
    sizes = [begin + sum(steps[:n]) for n in range(hours + 1)]
    line = tuple(
        (datetime.fromtimestamp(at, UTC), round(size * GIB))
        for at, size in zip(moments, sizes, strict=True)
    )
    course = fit(moments, [step * GIB for step in steps]) if days >= 2 else None
    return Filling(broker, (path(disk),), line[-1][1], 1000 * GIB, NOW, course, line)


def forecast() -> str:
    """One disk is soon full, one in a month or so, one in months, one never; one is too new."""
    fillings = [filling(1, 1, 400, 1.0), filling(1, 2, 300, 0.5), filling(2, 1, 200, 0.1, 3)]
    return balance.forecast_page(
        [*fillings, filling(2, 2, 500, 0.0), filling(3, 1, 10, 1, days=0.4)], 0.9
    )


def audited(bad: int = 2) -> str:
    """44 partitions, of which so many have faults."""
    names = ("acknowledged", "lost", "doubled", "changed", "reordered", "damaged")
    rows = tuple(
        (f"payments-eu-{n}", dict(zip(names, (20_000 + n, *fates, 0, 0, 0), strict=True)))
        for n in range(44)
        for fates in ((3, 900) if n < bad else (0, 0),)
    )
    counts = {name: sum(of[name] for _, of in rows) for name in names}
    basis = "producers' acknowledgements and the records on disk, by offset"
    limits = ("the order was not compared: a manifest has no producers and sequences",)
    return audit.page(AuditResult(basis, not bad, counts, rows, bad, "each is there", limits))


def examined() -> str:
    """44 logs on three disks, three of them damaged in two places."""
    logs, damages, why = [], [], "a batch has a length of 1203200112, more than the file has"
    for n in range(44):
        disk, name = path(n % 3 + 1), f"clickstream.raw.v2-{n}"
        damage = LogDamage(2, 70_123, 120, False) if n < 3 else LogDamage(0, 0, 0, False)
        well = WellBatches(90_210, 4_243_536, 0, 4_243_656, 0, NOW, NOW, 3, 2, 1, ("lz4", "zstd"))
        kind = "current" if n % 9 else "stray"
        logs.append(LogFound(disk, name, kind, "clickstream.raw.v2", n, 12, GIB, well, damage))
        if damage.damages:
            at = (disk, name, "clickstream.raw.v2", n, 1_048_576)
            damages += [
                DamageFound(*at, 77_123_456, 70_000, 1_000_000, 1_000_100, "the CRC"),
                DamageFound(
                    *at, 99_123_456, 123, 3_000_000, 3_000_019, why, f"{path(2)}/{name}", 20
                ),
            ]
    found = Forensics(tuple(logs), tuple(damages), 44, len(damages), 44 * 4_243_536, 44 * GIB)
    return forensics.page([path(n) for n in (1, 2, 3)], found)


def demo_page() -> str:
    """The demo's."""
    disks = [
        DiskBar(f"broker {broker}", ShortName(f"disk-{disk}", path(disk)), 79 * GIB,
                (60 + broker) * 2**20, (62 + disk) * 2**20, "broken later" if broker == 2 else "")
        for broker in (1, 2, 3) for disk in (1, 2)
    ]  # fmt: skip
    spans = [Span(12, 30, "Spark plans"), Span(31, 38.5, "12 replicas move"), Span(50, 59, "c")]
    promises = (
        demo.Promise("every acknowledged record is there, once", "405,000 of 405,000", True),
    )
    facts = [("longest gap between two acknowledgements", "0.56 s")]
    load = [3000 + 37 * n % 2000 for n in range(120)]
    lead = "A cluster of 3 brokers with 2 disks each: replicas moved, a disk broke."
    return demo.page(demo.Story(lead, disks, load, spans, promises, facts))


LARGE: dict[str, Callable[[], str]] = {
    "plan": plan,
    "plan of empty disks": lambda: plan(0.002),
    "forecast": forecast,
    "audit": audited,
    "audit without faults": lambda: audited(0),
    "forensics": examined,
    "demo": demo_page,
}
