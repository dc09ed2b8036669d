"""A cluster whose controllers begin together (KIP-853), each formatted by the program that runs it.

All are given the same `--initial-controllers`. Which of them leads next, and where one listens, is
the test's to say.
"""

from __future__ import annotations

import signal
from collections.abc import Collection
from pathlib import Path

from spindle.model.ids import id_to_text
from spindle.storage import meta
from tests.support.apache_kafka import ApacheNode
from tests.support.commands import run
from tests.support.dynamic import Dynamic
from tests.support.freezing import freeze
from tests.support.ports import free_port
from tests.support.quorum import in_step, led

VOTERS = (100, 101, 102)


class Together(Dynamic):
    """Three controllers and two brokers, of both kinds."""

    def __init__(self, folder: Path, jars: Path, *, theirs: Collection[int]) -> None:
        super().__init__(
            folder,
            jars,
            theirs=theirs,
            brokers=2,
            controllers=len(VOTERS),
            settings={
                "offsets.topic.replication.factor": "2",
                "default.replication.factor": "2",
            },
        )
        self.directories = {id: id_to_text(meta.random_directory_id()) for id in VOTERS}
        """The ids of the metadata directories that the controllers are to have."""

    @property
    def initial_controllers(self) -> str:
        """The voters, as both tools take them."""
        return ",".join(
            f"{id}@127.0.0.1:{self.nodes[id].controller_port}:{directory}"
            for id, directory in self.directories.items()
        )

    def format_node(self, node: ApacheNode) -> None:
        """Format a node's directories by the tool of the program that runs it."""
        how = ["--no-initial-controllers"]
        if not node.is_broker:
            how = ["--initial-controllers", self.initial_controllers]
        if node.node_id in self.theirs:
            self.format_with_kafka(node, *how)
        else:
            words = ("format", "-g", "-t", self.cluster_id, "-c", str(node.config), *how)
            done = run("kafka-storage", *words)
            assert done.code == 0, done

    def have_lead(self, voter: int) -> None:
        """Kill the leader and have this voter take over: the third one lacks a topic's records."""
        before = led(self)
        if before.leader == voter:
            return
        (third,) = set(VOTERS) - {before.leader, voter}
        process = self.nodes[third].process
        assert process is not None
        freeze(process.pid)
        self.create_topic(f"led-by-{before.leader}-{before.epoch}", "1:2")
        in_step(self, voter)
        self.stop_node(before.leader, kill=True)
        process.send_signal(signal.SIGCONT)
        led(self, by=voter, after=before.epoch)
        self.start_node(before.leader, wait=False)
        in_step(self, *VOTERS)

    def move(self, voter: int) -> int:
        """Restart a controller at another port, of which no other node hears from us; that port."""
        node = self.nodes[voter]
        self.stop_node(voter)
        node.controller_port = free_port()
        self.write_config(node)
        self.start_node(voter, wait=False)
        return node.controller_port
