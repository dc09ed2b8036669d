"""Disks are watched while they are opened and closed, and a controller's while it runs."""

from __future__ import annotations

import errno
import random

import pytest

from spindle.model.activity import Activity
from spindle.model.config import node_config
from spindle.model.errors import DiskFailed
from spindle.model.outbox import Outbox
from spindle.node.directory_opening import DirectoryOpening

PROPERTIES = {
    "node.id": "1",
    "process.roles": "controller",
    "controller.listener.names": "CONTROLLER",
    "listeners": "CONTROLLER://127.0.0.1:1",
    "controller.quorum.voters": "1@127.0.0.1:1",
    "log.dirs": "/m",
    "log.dir.io.timeout.ms": "2000",
    "log.dir.probe.interval.ms": "1000",
}


class Watched:
    """A directory of which one call has not returned since time 0."""

    def __init__(self, verb: str) -> None:
        self._verb, self.out = verb, Outbox(random.Random(1))
        self.hung: list[DiskFailed] = []
        DirectoryOpening(node_config(PROPERTIES), self.out).watch("/m", self.hung.append)

    def look(self, now: float) -> None:
        """Time goes on; a look at the disk is answered at once."""
        self.out.now = now
        self.out.tick()
        while ready := self.out.take():
            for asked in ready.jobs:
                self.out.done(asked.ticket, Activity(busy=now, verb=self._verb))


@pytest.mark.spec("B-13", "K858-11")
@pytest.mark.parametrize(("verb", "limit"), [("write", 2), ("sync", 6)])
def test_a_call_that_does_not_return_is_a_failure_after_the_limit(verb: str, limit: int) -> None:
    watched = Watched(verb)
    for now in range(1, limit):
        watched.look(now)
    assert watched.hung == []
    watched.look(limit)
    (failure,) = watched.hung
    assert (failure.directory, failure.verb, failure.errno) == ("/m", verb, errno.ETIMEDOUT)
    assert str(failure).endswith(f"no answer for {limit}.0 s ({errno.ETIMEDOUT})")


@pytest.mark.spec("B-13", "K858-11")
def test_a_node_that_stood_still_does_not_blame_its_disk() -> None:
    watched = Watched("sync")
    watched.look(1)
    for now in range(301, 305):  # Until 301 it stood still, after 1 s of this call.
        watched.look(now)
        assert watched.hung == []
    watched.look(305)  # The time that it was awake counts: this disk does hang.
    (failure,) = watched.hung
    assert "no answer for 6.0 s" in str(failure)
