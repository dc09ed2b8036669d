"""The last broker of a cluster stops: no client may hear that there are no brokers at all.

librdkafka forgets those that it knew on such an answer, and turns to its bootstrap addresses again
after minutes only.
"""

from __future__ import annotations

import threading
from pathlib import Path

from tests.support.local import Local
from tests.support.quorum import ask
from tools.messages.entities import make, request_types

from spindle.wire.apis import Key

PARTITIONS = 50
"""Each log is closed in its turn, with several syncs: time enough to ask meanwhile."""


class Asking(threading.Thread):
    """Asks a broker for all metadata, each time on a new connection, until `over` is set."""

    def __init__(self, port: int) -> None:
        super().__init__(name="asking", daemon=True)
        self.brokers: list[int] = []
        """How many each answer named."""
        self.over = threading.Event()
        self._port = port
        self._request = make(request_types(Key.METADATA, 9).MetadataRequest, topics=None)

    def run(self) -> None:
        """Ask until it is over."""
        while not self.over.is_set():
            try:
                self.brokers.append(len(ask(self._port, self._request, 20).brokers))
            except OSError:
                continue


def test_clients_never_hear_that_there_are_no_brokers(tmp_path: Path) -> None:
    with Local(tmp_path, brokers=1, settings={"default.replication.factor": "1"}) as cluster:
        cluster.start()
        cluster.create("many", [[1]] * PARTITIONS)
        asking = Asking(cluster.nodes[1].port)
        asking.start()
        cluster.until(lambda: asking.brokers, "it answers")
        cluster.stop_node(1)
        asking.over.set()
        asking.join(30)
    assert set(asking.brokers) == {1}
