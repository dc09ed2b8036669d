"""The table and the document of `spindle disks`."""

from __future__ import annotations

import json

import pytest

from spindle.cli.disks.disk_tables import ObservedDirectories, Shown, document, show
from spindle.client.results import LogDescription, LogDirDescription
from spindle.model.errors import Error
from spindle.model.ids import TopicPartition

LOG = LogDescription(10, 0, False)
GOOD = LogDirDescription("/good", Error.NONE, 100, 50, False, {TopicPartition("t", 0): LOG}, {})
EMPTY = LogDirDescription("/empty", Error.NONE, 100, 60, False, {}, {})
DEAD = LogDirDescription("/dead", Error.KAFKA_STORAGE_ERROR, None, None, False, {}, {})
SEEN = ObservedDirectories(tuple(Shown(1, plain, None, 0) for plain in (GOOD, EMPTY, DEAD)))


@pytest.mark.spec("B-13")
def test_what_an_offline_directory_has_is_unknown_and_not_nothing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    good, empty, dead = json.loads(json.dumps(document(SEEN)))["disks"]
    names = ("replicas", "replicaBytes", "movesIn", "movesOut")
    assert [good[name] for name in names] == [1, 10, 0, 0]
    assert [empty[name] for name in names] == [0, 0, 0, 0]
    assert [dead[name] for name in names] == [None] * 4
    show(SEEN)
    lines = capsys.readouterr().out.splitlines()
    (row,) = (line for line in lines if "/dead" in line and "KAFKA" not in line)
    assert row.split() == ["1", "/dead", "-", "offline", *"-------"]
