"""A directory's thread and the lane beside it may look at the same moment whether writing works."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from spindle.model.jobs import Probe
from spindle.model.log_values import Usage
from spindle.runtime.os_disk import OsDisk
from spindle.storage import beside
from spindle.storage.blame import PROBE, PROBE_BESIDE, measure, probe
from spindle.storage.formatting import format_blank

pytestmark = pytest.mark.spec("B-13")
CLUSTER = "AV9P4iMkRQymBdGIGwlqQA"
CALLS = ("open", "rename", "sync_dir", "remove", "list", "usage")


class Meddled(OsDisk):
    """Before one of its calls (the n-th of a kind) something else is done."""

    def __init__(self, call: str, number: int, meanwhile: Callable[[], object]) -> None:
        super().__init__()
        self._call, self._number, self._meanwhile = call, number, meanwhile
        self.told: list[object] = []

    def __getattribute__(self, name: str) -> object:
        found = super().__getattribute__(name)
        if name not in CALLS or name != super().__getattribute__("_call"):
            return found
        self._number -= 1
        if self._number == 0:
            self.told.append(self._meanwhile())
        return found


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("call", CALLS)
def test_neither_finds_its_file_gone(call: str, number: int, tmp_path: Path) -> None:
    path = str(tmp_path)
    format_blank(OsDisk(), [path], CLUSTER, 1, 0)

    def by_the_thread() -> Usage:
        return measure(OsDisk(), path, write=True)

    def by_the_lane() -> object:
        return beside.run(OsDisk(), Probe(path, write=True))

    meddled = Meddled(call, number, by_the_thread)
    told = [beside.run(meddled, Probe(path, write=True)), *meddled.told]
    meddled = Meddled(call, number, by_the_lane)
    assert probe(meddled, path)
    told += meddled.told
    assert all(isinstance(each, Usage) for each in told), told
    assert not {PROBE, PROBE_BESIDE}.intersection(os.listdir(path))
