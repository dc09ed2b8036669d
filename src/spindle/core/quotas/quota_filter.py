"""Which entities' quotas a DescribeClientQuotas means (KIP-546), with Apache Kafka's words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import IntEnum
from typing import NamedTuple

from spindle.model.client_quotas import CLIENT_ID, IP, USER, QuotaEntity, QuotaTable
from spindle.model.errors import Error, Refusal


class MatchType(IntEnum):
    """How a component of a filter names entities."""

    EXACT = 0
    DEFAULT = 1
    SPECIFIED = 2
    """Every name, and the default."""


class QuotaComponent(NamedTuple):
    """What a filter says of one type of entities."""

    type: str
    match_type: int
    match: str | None


class QuotaFilter:
    """The entities that are meant. `strict`: those alone that have no other parts."""

    def __init__(self, components: Iterable[QuotaComponent], strict: bool) -> None:
        """Refusal INVALID_REQUEST or UNSUPPORTED_VERSION where no entity can be meant."""
        self._strict = strict
        self._named: dict[str, str | None] = {}
        self._any: dict[str, None] = {}
        for component in components:
            self._add(component)
        types = self._named.keys() | self._any.keys()
        if IP in types and len(types) > 1:
            raise _invalid(
                "Invalid entity filter component combination. IP filter component should not be"
                " used with user or clientId filter component."
            )

    def _add(self, component: QuotaComponent) -> None:
        type, match_type, match = component
        if not type:
            raise _invalid("Invalid empty entity type.")
        if type in self._named or type in self._any:
            raise _invalid(f"Entity type {type} cannot appear more than once in the filter.")
        if type not in (IP, USER, CLIENT_ID):
            raise Refusal(Error.UNSUPPORTED_VERSION, f"Unsupported entity type {type}")
        if match_type not in tuple(MatchType):
            raise _invalid(f"Unknown match type {match_type}")
        if match_type == MatchType.EXACT:
            if match is None:
                raise _invalid("Request specified MATCH_TYPE_EXACT, but set match string to null.")
        elif match is not None:
            raise _invalid(
                f"Request specified MATCH_TYPE_{MatchType(match_type).name}, but also specified a"
                " match string."
            )
        if match_type == MatchType.SPECIFIED:
            self._any[type] = None
        else:
            self._named[type] = match

    def found(self, table: QuotaTable) -> Iterator[tuple[QuotaEntity, Mapping[str, float]]]:
        """The entities that are meant, with their quotas."""
        for entity, quotas in table.entities.items():
            if self._means(entity):
                yield entity, quotas

    def _means(self, entity: QuotaEntity) -> bool:
        parts = dict(entity)
        if self._strict and len(parts) != len(self._named) + len(self._any):
            return False
        return all(type in parts for type in self._any) and all(
            type in parts and parts[type] == name for type, name in self._named.items()
        )


def _invalid(why: str) -> Refusal:
    return Refusal(Error.INVALID_REQUEST, why)
