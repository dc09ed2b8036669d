"""Looks up every record once all trouble has ended. Each finding is a line for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from confluent_kafka import Message

from spindle.testing import ClusterInstance
from tests.soak.producing import Produced
from tests.soak.topics import COPY, INPUT, PARTITIONS, Place, origin
from tests.support.clients import read_all

READ_S: Final = 120
SHOWN: Final = 3
"""Of records that miss the same promise."""
UNFINISHED: Final = "-future"
"""The end of the name of a move's copy: none is there when nothing is under way. What a broker has
set aside as stray stays (B-17)."""

Records = dict[int, list[Message]]


def records(bootstrap: str, produced: Produced) -> Iterator[str]:
    """Read all: none is lost, twice, out of order or copied other than once."""
    source, copies = read_all(bootstrap, INPUT, READ_S), read_all(bootstrap, COPY, READ_S)
    for number in range(PARTITIONS):
        there = {m.offset(): m.value() for m in source[number]}
        wanted = produced.acknowledged[Place(INPUT, number)]
        lost = [offset for offset, value in wanted.items() if there.get(offset) != value]
        yield from _some(f"{INPUT}-{number}: acknowledged and lost, or changed", lost)
        missing = produced.somewhere[Place(INPUT, number)].difference(there.values())
        yield from _some(f"{INPUT}-{number}: acknowledged and nowhere", sorted(missing))
        yield from _some(f"{INPUT}-{number}: gaps before", _gaps(sorted(there)))
        yield from _some(f"{INPUT}-{number}: not in order", _disorder(source[number]))
        times = Counter(m.key() for m in copies[number])
        expected = [origin(number, offset) for offset in there]
        yield from _some(f"{COPY}-{number}: not copied", [k for k in expected if not times[k]])
        yield from _some(f"{COPY}-{number}: copied again", [k for k, n in times.items() if n > 1])


def files(cluster: ClusterInstance, replicas: dict[Place, list[int]]) -> Iterator[str]:
    """With all brokers stopped: replicas are alike, byte by byte, and nothing else is there."""
    for place, brokers in replicas.items():
        name = f"{place.topic}-{place.partition}"
        contents: dict[int, bytes] = {}
        for broker in brokers:
            homes = [
                d.path / name for d in cluster.broker(broker).disks if (d.path / name).is_dir()
            ]
            if len(homes) != 1:
                yield f"{name}: broker {broker} has it in {len(homes)} directories"
            else:
                contents[broker] = _contents(homes[0])
        if len(set(contents.values())) > 1:
            sizes = {broker: len(bytes_) for broker, bytes_ in contents.items()}
            yield f"{name}: replicas differ; bytes by broker: {sizes}"
    for broker_ in cluster.brokers:
        for disk in broker_.disks:
            left = [path for path in disk.path.iterdir() if path.name.endswith(UNFINISHED)]
            yield from (f"left behind: {path}" for path in left)


def bugs(cluster: ClusterInstance) -> Iterator[str]:
    """What nodes have logged of themselves."""
    for node in cluster.nodes:
        if node.has_bug() or "Traceback" in node.log_file.read_text(errors="replace"):
            yield f"{node.name}: a bug\n{node.last_lines()}"


def _some(what: str, found: list[int] | list[bytes]) -> Iterator[str]:
    if found:
        yield f"{what}: {len(found)} records, {found[:SHOWN]} and so on"


def _gaps(offsets: list[int]) -> list[int]:
    """Offsets before which one is missing: the input has no markers and is never cut."""
    return [offset for at, offset in enumerate(offsets) if offset != at][:SHOWN]


def _disorder(found: list[Message]) -> list[int]:
    """Offsets at which a key's number is not higher than before."""
    last: dict[bytes, int] = {}
    wrong: list[int] = []
    for message in found:
        key, number, _ = message.value().split(b":", 2)
        if last.get(key, 0) >= int(number):
            wrong.append(message.offset())
        last[key] = int(number)
    return wrong


def _contents(home: Path) -> bytes:
    """A log's bytes; where its segments begin is each replica's own affair."""
    return b"".join(segment.read_bytes() for segment in sorted(home.glob("*.log")))
