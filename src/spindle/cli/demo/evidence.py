"""What the demo tells of records that an audit found wrong: where they are, and in which batches.

Reads the files of the demo's cluster, beside brokers that may still write them. A batch's producer
epoch tells whose doing a doubled record is: the same epoch and sequence twice is the broker's, a
younger epoch the client's. Called by `story`; prints nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from spindle.cli.demo.demo_load import Events
from spindle.model.errors import Corrupt, Refusal
from spindle.wire.batch import split

SHOWN = 5
"""Records, and lines of each node's log about a partition."""

Record = tuple[int, int]
"""(producer, sequence) of the load."""


def evidence(acknowledged: Events, consumed: Events, cluster: Path) -> list[str]:
    """A line for each wrong record, the batches that hold it, and what nodes say of its log."""
    promised, found = _places(acknowledged), _places(consumed)
    lines: list[str] = []
    wrong = [(key, at) for key, at in promised.items() if not _is_well(at, found.get(key, []))]
    for (producer, sequence), at in wrong[:SHOWN]:
        there = found.get((producer, sequence), [])
        lines.append(
            f"record {sequence} of producer {producer}: acknowledged at {_text(at)}, read at "
            f"{_text(there) or 'no place'}"
        )
        for topic, partition, offset in sorted({*at, *there}):
            lines += _batches(cluster, f"{topic}-{partition}", offset)
        for topic, partition in sorted({place[:2] for place in (*at, *there)}):
            lines += _said(cluster, f"{topic}-{partition}")
    return lines


Place = tuple[str, int, int | None]
"""Topic, partition and offset; None: the client does not know where."""


def _places(events: Events) -> dict[Record, list[Place]]:
    places: dict[Record, list[Place]] = {}
    rows = zip(events.topic, events.partition, [*events.offset], strict=True)
    for key, place in zip(zip(events.producer, events.sequence, strict=True), rows, strict=True):
        places.setdefault(key, []).append(place)
    return places


def _is_well(promised: list[Place], found: list[Place]) -> bool:
    nowhere = [place[2] for place in promised] == [None]
    return promised == found or (nowhere and [place[:2] for place in found] == [promised[0][:2]])


def _text(places: list[Place]) -> str:
    return ", ".join(f"{topic}-{partition} {offset}" for topic, partition, offset in places)


def _batches(cluster: Path, log: str, offset: int | None) -> Iterator[str]:
    """The headers of the batches that hold an offset, in each copy of a log."""
    for path in sorted(cluster.glob(f"**/{log}*/*.log")):
        is_copy = path.parent.name.split(".")[0] == log and path.stem.isdecimal()
        if offset is None or not is_copy or int(path.stem) > offset:
            continue
        try:
            batches = split(path.read_bytes(), partial=True)
        except (OSError, Corrupt, Refusal) as error:
            yield f"  {path}: {error}"
            continue
        for b in batches:
            if b.base_offset <= offset < b.next_offset:
                yield (
                    f"  {path}: offsets {b.base_offset} to {b.last_offset}, leader epoch "
                    f"{b.leader_epoch}, producer {b.producer_id}, epoch {b.producer_epoch}, "
                    f"sequence {b.base_sequence}"
                )


def _said(cluster: Path, log: str) -> Iterator[str]:
    """The last lines of each node about a partition."""
    named = re.compile(rf"\b{re.escape(log)}(?!\d)")
    for path in sorted(cluster.glob("**/node.log")):
        lines = path.read_text(errors="replace").splitlines()
        for line in [line for line in lines if named.search(line)][-SHOWN:]:
            yield f"  {path.parent.name}: {line}"
