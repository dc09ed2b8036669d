"""Quotas of clients as the metadata has them (KIP-546): how much an entity may use of what.

An entity is a user, a client id, both, or an address; None in the place of a name means the default
for all that have no quota of their own. Part of the cluster's image, which alone changes it. What a
quota means for a request is decided elsewhere (`core.quotas`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

USER: Final = "user"
CLIENT_ID: Final = "client-id"
IP: Final = "ip"

PRODUCER_BYTE_RATE: Final = "producer_byte_rate"
CONSUMER_BYTE_RATE: Final = "consumer_byte_rate"
REQUEST_PERCENTAGE: Final = "request_percentage"
CONTROLLER_MUTATION_RATE: Final = "controller_mutation_rate"
CONNECTION_CREATION_RATE: Final = "connection_creation_rate"

QuotaEntity: TypeAlias = tuple[tuple[str, str | None], ...]
"""(type, name or None for the default), each type once, sorted by type."""


def quota_entity(parts: Iterable[tuple[str, str | None]]) -> QuotaEntity:
    """The entity of such parts; of a type that comes twice the last name counts, as in Kafka."""
    return tuple(sorted(dict(parts).items()))


class QuotaTable:
    """All quotas, by entity and by name."""

    def __init__(self, entities: Mapping[QuotaEntity, Mapping[str, float]] | None = None) -> None:
        self.entities: dict[QuotaEntity, dict[str, float]] = {
            entity: dict(quotas) for entity, quotas in (entities or {}).items()
        }
        self.changes = 0
        """Rises with each change."""

    def set(self, entity: QuotaEntity, key: str, value: float) -> None:
        """An entity has a quota, or another one."""
        self.entities.setdefault(entity, {})[key] = value
        self.changes += 1

    def remove(self, entity: QuotaEntity, key: str) -> None:
        """An entity has a quota no longer; one that it never had is no error, as in Kafka."""
        quotas = self.entities.get(entity)
        if quotas is None:
            return
        quotas.pop(key, None)
        if not quotas:
            del self.entities[entity]
        self.changes += 1

    def copy(self) -> QuotaTable:
        """A table that can be changed without changing this one."""
        return QuotaTable(self.entities)


def connection_rate(table: QuotaTable, host: str) -> float | None:
    """The quota of an address, else the default's; None where neither has one."""
    for name in (host, None):
        rate = table.entities.get(((IP, name),), {}).get(CONNECTION_CREATION_RATE)
        if rate is not None:
            return rate
    return None
