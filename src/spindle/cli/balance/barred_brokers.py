"""Brokers that refuse moves between their directories, because one of the directories is offline.

Apache Kafka (3.9 and 4.3 were tried) creates no copy on a broker that has an offline directory:
it answers KAFKA_STORAGE_ERROR for the directories that work, too. Spindle's brokers make the move.
Asks the cluster. Called by `proposing`, which plans without them, and `starting`, which warns.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from spindle.client.admin import AdminClient, features_of
from spindle.client.log_dirs import LogDirs
from spindle.model.errors import Failure, Refusal
from spindle.pipeline.proposal import PlanRequest
from spindle.planning.amounts import listed
from spindle.wire.apis import Key


class BarredBrokers(NamedTuple):
    """The offline directories of each such broker, and the others: BROKER:PATH."""

    offline: Mapping[int, tuple[str, ...]]
    closed: tuple[str, ...]

    def sparing(self, wanted: PlanRequest) -> PlanRequest:
        """The same request, but nothing is to go into these directories."""
        more = tuple(name for name in self.closed if name not in wanted.exclude)
        return replace(wanted, exclude=(*wanted.exclude, *more))

    def notes(self) -> Iterator[str]:
        """Why nothing goes there, and the way out."""
        for broker, paths in self.offline.items():
            several = "is" if len(paths) == 1 else "are"
            yield (
                f"broker {broker}: {listed(paths)} {several} offline, and Apache Kafka then refuses"
                " moves between the broker's directories: none is planned. Replace the disk, or"
                " take it out of log.dirs, restart the broker, and plan again"
            )


async def barred_brokers(admin: AdminClient, census: Mapping[int, LogDirs]) -> BarredBrokers:
    """Those of these brokers; a broker that does not tell what it serves is not among them."""
    dark = {b: tuple(d.path for d in dirs if not d.online) for b, dirs in census.items()}
    found = await refusing(admin, [b for b, paths in dark.items() if paths])
    closed = [f"{b}:{d.path}" for b in sorted(found) for d in census[b] if d.online]
    return BarredBrokers({b: dark[b] for b in sorted(found)}, tuple(closed))


async def refusing(admin: AdminClient, brokers: Collection[int]) -> frozenset[int]:
    """Those of these brokers, each with an offline directory, that are Apache Kafka's."""
    found = set()
    for broker in sorted(brokers):
        try:
            served = (await features_of(admin, broker)).versions
        except (Failure, Refusal):
            continue  # What follows says so of a broker that does not answer.
        if Key.DESCRIBE_LOG_DIR_STATES not in served:
            found.add(broker)
    return frozenset(found)
