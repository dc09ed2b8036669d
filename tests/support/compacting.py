"""What tests of log compaction share: records with keys, a whole cleaning, what is left."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from spindle.model.batches import Record
from spindle.model.cleaning_jobs import AdoptCleaned, CleanBytes, CleanRules, CleanWork, PlanClean
from spindle.model.jobs import Append
from spindle.storage.directory import LogDirectory
from spindle.wire.batch import build, check, records
from tests.support.storage import FAR, KEY, read_batches

RULES = CleanRules(0.5, 0, 1 << 62, 1000, 1 << 20)
EAGER = replace(RULES, dirty_ratio=0.0)
NOW = 1_000_000

Entry = tuple[str, str | None]


def put(directory: LogDirectory, offset: int, *entries: Entry, **header: Any) -> int:
    """Append a batch of (key, value) records; the log's end afterwards."""
    made = [
        Record(offset + n, 1000 + offset + n, key.encode(), value.encode() if value else None)
        for n, (key, value) in enumerate(entries)
    ]
    one = build(made, base_offset=offset, leader_epoch=0, **header)
    return directory.run(Append(directory.path, KEY, [one], NOW)).end


def plan_and_clean(
    directory: LogDirectory, now: int = NOW, rules: CleanRules = RULES, step: int = 300
) -> bool:
    """Clean the log; whether anything was found worth it."""
    plan = directory.run(PlanClean(directory.path, KEY, rules, FAR, now))
    if plan is None:
        return False
    work = CleanWork(plan.dirty)
    while not work.done:
        work = directory.run(CleanBytes(directory.path, KEY, plan, work, step))
        if work.ready is not None:
            last = work.group == len(plan.groups) or plan.groups[work.group][0].base >= work.mapped
            job = AdoptCleaned(directory.path, KEY, plan, work.ready, work.mapped if last else None)
            assert directory.run(job) is not None
    return True


def found(directory: LogDirectory) -> list[tuple[int, str, str | None]]:
    """All data records of the log: (offset, key, value)."""
    whole = []
    for one in read_batches(directory, KEY):
        check(one)
        whole += [
            (r.offset, (r.key or b"").decode(), r.value.decode() if r.value is not None else None)
            for r in ([] if one.is_control else records(one))
        ]
    return whole
