"""Consumers that note what they get of the input: each acknowledged record comes to each group."""

from __future__ import annotations

import threading
from collections import defaultdict
from typing import Final

from confluent_kafka import Consumer, KafkaException

from tests.soak.topics import INPUT

PROTOCOLS: Final = ("classic", "consumer")
"""Each is a group of its own, of members of this protocol (KIP-848)."""
POLL_S: Final = 0.5


class Seen:
    """What members of one group have got: offsets by partition."""

    def __init__(self) -> None:
        self.offsets: defaultdict[int, set[int]] = defaultdict(set)


class Member(threading.Thread):
    """A member that polls until it is ended."""

    def __init__(self, bootstrap: str, protocol: str, seen: Seen) -> None:
        super().__init__(name=f"member of {protocol}", daemon=True)
        self._seen, self._ending = seen, threading.Event()
        self.fatal = ""
        """Why librdkafka has given up, if it has."""
        self._consumer = Consumer(
            {
                "bootstrap.servers": bootstrap,
                "group.id": f"readers-{protocol}",
                "group.protocol": protocol,
                "auto.offset.reset": "earliest",
                "log_level": 0,
            }
        )
        self._consumer.subscribe([INPUT])

    def run(self) -> None:
        """Note what comes."""
        while not self._ending.is_set():
            try:
                message = self._consumer.poll(POLL_S)
            except KafkaException:
                continue  # A commit in the background has failed: the next one says more.
            if message is None:
                continue
            error = message.error()
            if error is None:
                self._seen.offsets[message.partition()].add(message.offset())
            elif error.fatal():
                self.fatal = str(error)
                return
        self._consumer.close()

    def end(self) -> None:
        """Leave the group."""
        self._ending.set()
        self.join()
