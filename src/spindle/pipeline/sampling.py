"""One sample of a cluster: what each broker says of its log directories, or why it says nothing.

Called by the source of Spark, which asks in tasks, and by plans that need no Spark. Knows the
AdminClient and no plan.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from spindle.client.admin import AdminClient
    from spindle.client.log_dirs import LogDirs

TIMEOUT_SECONDS: Final = 10.0
"""The time that each broker has to answer."""
ASKED_AT_ONCE: Final = 16
"""Brokers that are waited for at the same time."""
Answers = Mapping[int, "LogDirs | Exception"]


@dataclass(frozen=True, slots=True)
class ClusterSample:
    """What the brokers said at a moment; an exception in place of an answer that did not come."""

    at: datetime
    answers: Answers

    @property
    def census(self) -> dict[int, LogDirs]:
        """The brokers that answered, by number."""
        return {b: a for b, a in sorted(self.answers.items()) if not isinstance(a, Exception)}

    @property
    def silent(self) -> tuple[tuple[int, str], ...]:
        """The brokers that did not, and why."""
        return tuple((b, reason(a)) for b, a in self.answers.items() if isinstance(a, Exception))

    @property
    def replicas(self) -> int:
        """Replicas, and copies that moves are making."""
        return sum(len(d.current) + len(d.future) for dirs in self.census.values() for d in dirs)


async def take(admin: AdminClient) -> ClusterSample:
    """Ask all brokers, some at a time."""
    at = datetime.now(UTC)
    brokers = await known_brokers(admin)
    answers: dict[int, LogDirs | Exception] = {}
    for first in range(0, len(brokers), ASKED_AT_ONCE):
        answers |= await ask(admin, brokers[first : first + ASKED_AT_ONCE])
    return ClusterSample(at, answers)


async def known_brokers(admin: AdminClient) -> list[int]:
    """The brokers that are registered; before KIP-1073 those that live or hold replicas."""
    registered = await admin.registered_brokers()
    if registered is not None:
        return registered
    live = (await admin.describe_cluster()).brokers
    topics = await admin.list_topics(internal=True)
    holders = {b for topic in topics.values() for p in topic.partitions for b in p.replicas}
    return sorted(holders | set(live))


async def ask(
    admin: AdminClient, brokers: Sequence[int], limit: float = TIMEOUT_SECONDS
) -> Answers:
    """What each of these brokers says within so many seconds, or why it does not."""
    return await admin.describe_log_dirs(brokers, timeout=limit).settled()


def rows(broker: int, answer: LogDirs | Exception, at: datetime) -> list[dict[str, object]]:
    """A broker's answer as rows of a sample (`schemas.SAMPLE`); a column that is not there is null.

    A row for each replica in each directory; an empty directory and a silent broker have one, too.
    """
    common: dict[str, object] = {"sampled_at": at, "broker": broker}
    if isinstance(answer, Exception):
        return [{**common, "broker_error": reason(answer)}]
    found = []
    for directory in answer:
        place = {
            **common,
            "directory": directory.path,
            "directory_error": None if directory.online else directory.error.name,
            "total_bytes": -1 if directory.total is None else directory.total,
            "usable_bytes": -1 if directory.usable is None else directory.usable,
            "cordoned": directory.cordoned,
        }
        logs = [*directory.current.items(), *directory.future.items()]
        found += [
            {
                **place,
                "topic": name.topic,
                "partition": name.partition,
                "size": log.size,
                "offset_lag": log.lag,
                "is_future": log.is_future,
            }
            for name, log in logs
        ] or [place]
    return found


def reason(error: Exception) -> str:
    """Why a broker gave no answer."""
    return str(error) or type(error).__name__
