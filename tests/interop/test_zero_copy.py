"""What a move copies goes from file to file in large parts: by the kernel's own count of calls."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import NamedTuple

import psutil
import pytest
from tests.support.clients import values
from tests.support.local import Local
from tests.support.real_moves import MB, fill, rests

from spindle.model.errors import Error

SETTINGS = {"default.replication.factor": "1", "log.segment.delete.delay.ms": "200"}
SIZE = 64 * MB
SEGMENT = 16 * MB
BATCH = 20_000
"""Bytes of a batch, about: a broker that copies batch by batch makes over 3,000 calls."""
CALLS_MAX = 600
"""Reads from the page cache come in pieces of 256 KiB, each write has a megabyte or more; the rest
is for files beside the logs, and for what a broker does besides."""


class Calls(NamedTuple):
    """What the kernel has counted of a node: calls that read and write, and their bytes."""

    reads: int
    writes: int
    read: int
    written: int


def calls(cluster: Local) -> Calls:
    process = cluster.nodes[1].process
    assert process is not None
    told: Counter[str] = Counter()
    for pid in (process.pid, *(child.pid for child in psutil.Process(process.pid).children())):
        for line in Path(f"/proc/{pid}/io").read_text().splitlines():
            name, count = line.split(": ")
            told[name] += int(count)
    return Calls(told["syscr"], told["syscw"], told["rchar"], told["wchar"])


@pytest.mark.spec("K113-06", "B-10")
def test_a_move_copies_in_parts_of_megabytes(tmp_path: Path) -> None:
    with Local(tmp_path, brokers=1, settings=SETTINGS) as cluster:
        cluster.start()
        cluster.create_on("heavy", 0, [1], segment_bytes=str(SEGMENT))
        given = fill(cluster, "heavy", SIZE)
        appended = calls(cluster)
        assert appended.writes > SIZE // BATCH // 2, "batches are appended one by one"
        assert cluster.alter({("heavy", 0, 1): 1}) == {"heavy-0-1": Error.NONE}
        cluster.until(lambda: rests(cluster, 1, "heavy", 1), "it has moved", 60)
        moved = Calls(*(now - then for now, then in zip(calls(cluster), appended, strict=True)))
        print(moved)
        assert SIZE < moved.written < 1.2 * SIZE, "it was written once"
        assert moved.writes < CALLS_MAX
        assert moved.reads < CALLS_MAX
        assert values(cluster.bootstrap, "heavy") == given
