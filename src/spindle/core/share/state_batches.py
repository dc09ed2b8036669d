"""Puts batches of states together: what was kept, and what has been written since. Pure.

Where two batches speak of the same record, the one that was delivered more often counts, then the
one in the later state: a write that comes late undoes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from spindle.core.share.share_values import StateBatch


def combined(
    kept: Iterable[StateBatch], written: Iterable[StateBatch], start: int
) -> tuple[StateBatch, ...]:
    """Both, in order, without overlaps and without what lies before `start` (-1: with all)."""
    batches = [cut for batch in (*kept, *written) if (cut := _from(batch, start)) is not None]
    edges = sorted({b.first for b in batches} | {b.last + 1 for b in batches})
    batches.sort(key=lambda b: b.first)
    found: list[StateBatch] = []
    open_: list[StateBatch] = []
    at = 0
    for edge, until in pairwise(edges):
        while at < len(batches) and batches[at].first <= edge:
            open_.append(batches[at])
            at += 1
        open_ = [batch for batch in open_ if batch.last >= edge]
        if open_:
            best = max(open_, key=lambda b: (b.deliveries, b.state))
            _add(found, StateBatch(edge, until - 1, best.state, best.deliveries))
    return tuple(found)


def _from(batch: StateBatch, start: int) -> StateBatch | None:
    if batch.last < start:
        return None
    return batch._replace(first=start) if batch.first < start else batch


def _add(found: list[StateBatch], batch: StateBatch) -> None:
    if found:
        before = found[-1]
        if before.last + 1 == batch.first and before[2:] == batch[2:]:
            found[-1] = before._replace(last=batch.last)
            return
    found.append(batch)
