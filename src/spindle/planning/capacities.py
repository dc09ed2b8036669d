"""How much each directory can hold: what brokers report, what the operator gives, or nothing. Pure.

Apache Kafka before 3.3 reports no space. Where none is known of a whole broker (of a whole cluster,
if replicas may change broker) all its directories count as equally large and endless, so a plan
evens out bytes and keeps no high mark. Called where plans are made, with and without Spark.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

ENDLESS: Final = 1 << 60
"""The capacity of each directory where only bytes are evened out."""


class ReportedSpace(NamedTuple):
    """A directory; `capacity`: bytes that replicas may take in it, None where not reported."""

    broker: int
    path: str
    online: bool
    capacity: int | None


@dataclass(frozen=True, slots=True)
class Capacities:
    """What holds for a plan.

    `known`: bytes by (broker, path); `bytes_only`: brokers of which no space is known, so that
    bytes alone are evened out; `missing`: of others, the directories whose space is not known.
    """

    known: Mapping[tuple[int, str], int]
    bytes_only: tuple[int, ...]
    missing: Mapping[int, tuple[str, ...]]

    def planned(self, broker: int, path: str) -> int | None:
        """The capacity that the planner takes for a directory; None: its broker is left out."""
        if broker in self.missing:
            return None
        return ENDLESS if broker in self.bytes_only else self.known.get((broker, path))

    def notes(self) -> Iterator[str]:
        """What is not known, and what follows from it."""
        if self.bytes_only:
            those = "broker" if len(self.bytes_only) == 1 else "brokers"
            names = ", ".join(map(str, self.bytes_only))
            yield (
                f"{those} {names}: the space of the disks is not reported (Apache Kafka does from "
                "3.3 on), so the plan evens out bytes, not shares, and keeps to no high mark; "
                "give the space with --capacity BROKER:PATH=SIZE"
            )
        for broker, paths in sorted(self.missing.items()):
            yield (
                f"broker {broker}: nothing is planned: the space of {', '.join(paths)} is not "
                "reported (Apache Kafka does from 3.3 on), while that of other disks is known; "
                f"give it with --capacity {broker}:{paths[0]}=SIZE"
            )


def settle(
    reported: Iterable[ReportedSpace], given: Mapping[str, int], together: bool
) -> Capacities:
    """The capacities of a cluster's directories; `given` by BROKER:PATH go before what is reported.

    `together`: brokers are planned as one.
    """
    known: dict[tuple[int, str], int] = {}
    unknown: dict[int, list[str]] = defaultdict(list)
    telling: set[int] = set()
    for space in reported:
        capacity = given.get(f"{space.broker}:{space.path}", space.capacity)
        if capacity is not None:
            known[space.broker, space.path] = capacity
        if space.online and capacity is None:
            unknown[space.broker].append(space.path)
        elif space.online:
            telling.add(space.broker)
    blank = [b for b in unknown if b not in telling and not (together and telling)]
    missing = {b: tuple(sorted(paths)) for b, paths in unknown.items() if b not in blank}
    return Capacities(known, tuple(sorted(blank)), missing)
