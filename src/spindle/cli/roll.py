"""Which brokers a cluster has, the dead ones too: what is down is shown, not left out (spec N-06).

Called by the commands that show something of every broker.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from spindle.client.admin import AdminClient
from spindle.client.cluster import NoSuchBroker
from spindle.client.failures import Refused, Unreachable
from spindle.model.errors import Error, Unusable
from spindle.model.ids import NodeId

DOWN: Final = "down"
"""The state of a broker that is not live, in tables."""
SILENT: Final = "no answer"
"""The state of a live broker that could not be asked."""
REFUSED: Final = "refused"
"""The state of a broker that has answered, and does not tell the user."""
FOREIGN: Final = "not Spindle's"
"""The state of a broker that has no such request."""


class UnknownBrokers(Unusable):
    """Broker ids were asked for which the cluster does not have."""


class BrokerDown(Unreachable):
    """A broker that the cluster knows and that is not live."""


class ForeignBroker(Unusable):
    """A broker of another program was asked for what only Spindle's have."""


@dataclass(frozen=True)
class Roll:
    """Brokers to ask, and those that are down, by id."""

    live: list[NodeId]
    down: dict[NodeId, Exception] = field(default_factory=dict)


async def call(admin: AdminClient, brokers: Sequence[NodeId]) -> Roll:
    """These brokers, or all where none is named; UnknownBrokers where one does not exist.

    The controller reports brokers that are down (KIP-1073), or, where the cluster is Apache
    Kafka before 4.0, by the replicas that the metadata gives them.
    """
    live = {*(await admin.describe_cluster()).brokers}
    registered = await admin.registered_brokers()
    if registered is None:
        topics = await admin.list_topics(internal=True)
        registered = [b for t in topics.values() for p in t.partitions for b in p.replicas]
        why = "it is down: partitions have replicas there, and it is not in the cluster now"
    else:
        why = "it is down: registered, but without a heartbeat that the controller accepts (fenced)"
    known = live | set(registered)
    check(brokers, known)
    wanted = sorted(brokers) or sorted(known)
    down = {b: BrokerDown(why) for b in wanted if b not in live}
    return Roll([b for b in wanted if b in live], dict(down))


async def existing(admin: AdminClient, brokers: Sequence[NodeId]) -> list[NodeId]:
    """These brokers, or all, as Kafka's tools see them: live ones only."""
    known = sorted((await admin.describe_cluster()).brokers)
    check(brokers, known)
    return sorted(brokers) or known


def check(brokers: Sequence[NodeId], known: Sequence[NodeId] | set[NodeId]) -> None:
    """UnknownBrokers where one is not known."""
    if unknown := sorted(set(brokers) - set(known)):
        raise UnknownBrokers(
            f"The given brokers do not exist from --broker-list: {','.join(map(str, unknown))}."
            f" Current existent brokers: {','.join(map(str, sorted(known)))}"
        )


def is_unserved(failure: Exception) -> bool:
    """Whether a broker is not Spindle's, and so has no such request."""
    return isinstance(failure, Refused) and failure.error == Error.UNSUPPORTED_VERSION


def of_known(failure: Exception) -> Exception:
    """What a broker that the cluster had a moment ago said: that there is none is wrong of it."""
    if isinstance(failure, NoSuchBroker):
        return BrokerDown("it is down: it left the cluster while it was asked")
    return failure


def state_of(failure: Exception) -> str:
    """What a table says of a broker that did not describe itself."""
    if isinstance(failure, Refused):
        return REFUSED
    if isinstance(failure, ForeignBroker):
        return FOREIGN
    return DOWN if isinstance(failure, BrokerDown) else SILENT


def silent_rows(silent: Mapping[NodeId, Exception], columns: int) -> list[list[str]]:
    """Rows for brokers that did not answer, in a table of broker, directory, state and figures."""
    rest = ["-"] * (columns - 3)
    return [[str(b), "(all)", state_of(failure), *rest] for b, failure in silent.items()]
