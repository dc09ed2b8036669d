"""What a search over transactions begins with, how far it goes, and what it holds to.

Belongs to `transacting`.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Final

from spindle.model import metadata_records as r
from spindle.model.feature_rules import FINALIZED, METADATA_VERSION, TRANSACTION_VERSION
from spindle.model.ids import Endpoint, PartitionId, VersionRange
from spindle.node.topic_creation import OFFSETS_TOPIC, TRANSACTIONS_TOPIC
from spindle.sim.exhaustive.asker import BUMPING, TOPIC, Asker
from spindle.sim.exhaustive.side import PORT

DATA: Final = PartitionId(uuid.UUID(int=500), 0)
STATE: Final = PartitionId(uuid.UUID(int=501), 0)
OFFSETS: Final = PartitionId(uuid.UUID(int=502), 0)
NAMES: Final = {DATA: TOPIC, STATE: TRANSACTIONS_TOPIC, OFFSETS: OFFSETS_TOPIC}
LEADERS: Final = {DATA: 1, STATE: 2, OFFSETS: 1}

PROMISES: Final = (
    "a reader of committed records sees no record of a transaction that no producer committed, and "
    "a group has no offset of one, nor of any before its marker",
    "a producer that was fenced commits nothing",
    "no producer is fenced, or refused, but by a younger producer of the same transactional id",
    "left alone, every transaction ends, and the last stable offset reaches the high watermark",
    "in the end what was said to be committed is there to be read, and nothing that was aborted",
    "in the end a transaction's offset counts if its records do, and the group has the one that "
    "was committed last, in a transaction or not",
)
"""What is checked: the first three after each choice, the others wherever all has settled."""


@dataclass(frozen=True, slots=True)
class TransactionBounds:
    """How much of what may happen. `level`: the cluster's transaction.version."""

    level: int = BUMPING
    serves: int = FINALIZED[METADATA_VERSION]
    """The brokers' highest metadata.version: below 30 markers do not say that epochs grow."""
    zombies: int = 0
    """A second producer of the first one's transactional id: the first is a zombie then."""
    others: int = 0
    """A producer with a transactional id of its own."""
    offsets: int = 0
    """Whether a group's offset is committed in each transaction, and once plainly after them."""
    coordinators: int = 0
    """How often another broker coordinates."""
    leaders: int = 0
    """How often another broker leads the data and the offsets."""
    losses: int = 0
    """Messages and answers between brokers that are lost or late; answers that clients miss."""
    waits: int = 2
    """How often a timer runs out while other things could still happen."""
    aborts: int = 1
    """Whether the first producer aborts a transaction before the one that it commits."""
    commits: int = 1
    """How many transactions the first producer commits."""
    strays: int = 0
    """How often a producer asks a broker that coordinates no longer, and has not learned of it."""


def askers(bounds: TransactionBounds) -> list[Asker]:
    """The producers, before they have done anything."""
    adds = () if bounds.level >= BUMPING else ("add",)
    work = (*adds, "write", *(("offsets",) if bounds.offsets else ()))
    plainly = ("plainly",) if bounds.offsets else ()
    aborted = (*work, "abort") if bounds.aborts else ()
    first = ("init", *aborted, *(*work, "commit") * bounds.commits, *plainly)
    found = [Asker("first", "x", first, bounds.level)]
    once = ("init", *work, "commit")
    found += [Asker(f"again-{n}", "x", once, bounds.level) for n in range(bounds.zombies)]
    found += [Asker(f"other-{n}", f"y-{n}", once, bounds.level) for n in range(bounds.others)]
    return found


def first_records(bounds: TransactionBounds) -> list[r.MetadataRecord]:
    """The metadata of two brokers and three topics."""
    levels = {
        **FINALIZED,
        METADATA_VERSION: bounds.serves,
        TRANSACTION_VERSION: bounds.level,
    }
    found: list[r.MetadataRecord] = [
        r.FeatureLevel(name=name, level=level) for name, level in levels.items() if level
    ]
    for n in (1, 2):
        found.append(
            r.RegisterBroker(
                broker_id=n,
                incarnation_id=uuid.UUID(int=n),
                broker_epoch=n,
                endpoints=(Endpoint("PLAINTEXT", "127.0.0.1", PORT + n),),
                features=((METADATA_VERSION, VersionRange(bounds.serves, bounds.serves)),),
                fenced=False,
                log_dirs=(uuid.UUID(int=10_000 + n),),
            )
        )
    dirs = (uuid.UUID(int=10_001), uuid.UUID(int=10_002))
    for id, name in NAMES.items():
        found.append(r.Topic(name=name, topic_id=id.topic_id))
        found.append(
            r.PartitionRegistration(
                partition_id=0, topic_id=id.topic_id, replicas=(1, 2), isr=(1, 2),
                leader=LEADERS[id], leader_epoch=0, partition_epoch=0, directories=dirs,
            )
        )  # fmt: skip
    return found
