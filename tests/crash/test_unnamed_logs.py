"""A broker that was killed while it made a log: its start finds a directory without a topic id.

No client has written to such a log, since no answer has left before it was whole. So the start
sets the directory aside as empty and makes the log again, with its topic id.
"""

from __future__ import annotations

import pytest

from spindle.sim.exhaustive.process import Process
from spindle.sim.exhaustive.situation import FIRST, ID, Choice, ExplorationBounds, Situation
from spindle.storage import layout
from spindle.storage.checkpoints import decode_topic_id, encode_topic_id
from spindle.storage.files import read_whole, write_in_place

WHOLE = encode_topic_id(ID.topic_id)
AT = "/d1/t-0"


class Interrupted(Situation):
    """The disk is as a kill in the midst of making the log has left it: this much of the file."""

    def __init__(self, written: bytes | None) -> None:
        self._written = written
        super().__init__(ExplorationBounds(failures=0, losses=0))

    def _start(self) -> Process:
        if self.life == 1:
            self.disk.make_dir(AT)
            if self._written is not None:
                write_in_place(self.disk, f"{AT}/{layout.PARTITION_METADATA}", self._written)
            self.disk.kill()
        return super()._start()


@pytest.mark.spec("B-15", "B-17")
@pytest.mark.parametrize("written", [None, b"", WHOLE[:7], WHOLE[:-4], WHOLE], ids=repr)
def test_a_log_that_was_being_made_at_a_kill_is_made_again_with_its_topic_id(
    written: bytes | None,
) -> None:
    found = Interrupted(written)
    _check(found)
    found.take(Choice("kill"))
    found.take(Choice("start"))
    found._calm()
    _check(found)


def _check(found: Situation) -> None:
    """It serves, has all records, and its files name its topic; nothing lies about for people."""
    process = found.process
    assert process is not None
    hosted = process.replicas.partitions.hosted[ID]
    assert hosted.directory == "/d1"
    assert hosted.partition.log.end == len(FIRST)
    found._check_records()
    told = read_whole(found.disk, f"{AT}/{layout.PARTITION_METADATA}")
    assert told is not None
    assert decode_topic_id(told) == ID.topic_id
    assert not [name for name in found.disk.names("/d1") if name.endswith("-stray")]
