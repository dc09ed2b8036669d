"""Faults of Apache Kafka that a run may meet, as a table, and which release a cluster is. Pure.

Brokers do not tell their release. One of KRaft serves a highest `metadata.version`; of the others
the versions of a few APIs bound it. So a release is a range, and a fault is reported where it may
be there. Called by `spindle balance apply` before it starts (spec V-05).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from spindle.model.feature_rules import RELEASES

Release = tuple[int, int]
"""Major and minor."""
OLDEST: Final[Release] = (2, 4)
NEWEST: Final[Release] = (9, 9)
_FETCH, _FIND_COORDINATOR = 1, 10


class KnownFault(NamedTuple):
    """A fault of the releases from `first` to `last`; `way_out`: what helps."""

    name: str
    first: Release
    last: Release
    between: bool | None
    """Whether moves between brokers meet it, or those within one; None: both."""
    what: str
    way_out: str


FAULTS: Final = (
    KnownFault(
        "KAFKA-9654", (1, 1), (2, 5), False,
        "a move between disks stands still once its partition has another leader epoch",
        "no reassignment or election at the same time; a restart of the broker frees the move",
    ),
    KnownFault(
        "KAFKA-15391, KAFKA-15572", (3, 0), (3, 5), False,
        "at the end of a move a flush can meet the renamed log, and the directory goes offline",
        "few moves at once (--moves-per-broker 1), large segments, or 3.6 and later",
    ),
    KnownFault(
        "KAFKA-19571", (2, 4), (4, 1), None,
        "a flush can meet a segment that was deleted after a move, and the directory goes offline",
        "few moves at once (--moves-per-broker 1), or 4.2 and later",
    ),
    KnownFault(
        "KAFKA-16297", (3, 7), (3, 7), False,
        "several log directories under KRaft are early access: a copy may never be put in place",
        "3.8 and later",
    ),
)  # fmt: skip
_APIS: Final = (
    # (API key, least highest version) -> the release from which brokers serve it.
    (_FETCH, 12, (2, 7)),
    (_FIND_COORDINATOR, 4, (3, 0)),
    (_FETCH, 13, (3, 1)),
    (_FETCH, 15, (3, 5)),
    (_FETCH, 16, (3, 7)),
    (_FETCH, 17, (3, 9)),
    (_FETCH, 18, (4, 1)),
)  # fmt: skip


def release_range(
    metadata_version: int | None, served: Mapping[int, tuple[int, int]]
) -> tuple[Release, Release]:
    """The oldest and the newest release that a broker may be.

    `metadata_version`: the highest level that it serves, None without KRaft; `served`: the versions
    of each API. A broker that is newer than this table knows is of the newest release.
    """
    named = [name for name, level in RELEASES.items() if level == metadata_version]
    if named:
        major, minor = named[0].partition("-")[0].split(".")[:2]
        return (int(major), int(minor)), (int(major), int(minor))
    if metadata_version is not None:
        newest = max(RELEASES.values())
        return ((4, 3), NEWEST) if metadata_version > newest else (OLDEST, NEWEST)
    since = [release for key, least, release in _APIS if served.get(key, (0, -1))[1] >= least]
    first = max(since, default=OLDEST)
    later = [release for *_, release in _APIS if release > first]
    last = _before(min(later)) if later else NEWEST
    return first, last


def _before(release: Release) -> Release:
    major, minor = release
    return (major, minor - 1) if minor else (major - 1, 9)


def faults(
    releases: Iterable[tuple[Release, Release]], *, within: bool, between: bool
) -> list[KnownFault]:
    """The faults that brokers of these releases may have, for moves of these kinds."""
    ranges = list(releases)
    concerned = {None, *([False] if within else []), *([True] if between else [])}
    return [
        fault
        for fault in FAULTS
        if fault.between in concerned
        and any(first <= fault.last and fault.first <= last for first, last in ranges)
    ]
