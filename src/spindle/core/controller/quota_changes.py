"""Quotas of clients are changed: AlterClientQuotas (KIP-546), with Apache Kafka's words.

Called by the handler of that API.
"""

from __future__ import annotations

import ipaddress
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from spindle.core.controller.controller_state import ControllerResult, ControllerState, Draft
from spindle.model import metadata_records as r
from spindle.model.client_quotas import (
    CLIENT_ID,
    CONNECTION_CREATION_RATE,
    CONSUMER_BYTE_RATE,
    CONTROLLER_MUTATION_RATE,
    IP,
    PRODUCER_BYTE_RATE,
    REQUEST_PERCENTAGE,
    USER,
    QuotaEntity,
)
from spindle.model.errors import Error, Refusal
from spindle.model.settings.setting import MAX_INT, MAX_LONG

CHANGES_MAX: Final = 2_000
"""Entities and quotas of one request: all are decided at once, while others wait (S-08)."""
_LEAST_FRACTION: Final = 1e-6
_FRACTIONS: Final = frozenset((REQUEST_PERCENTAGE, CONTROLLER_MUTATION_RATE))
"""The quotas that may be no whole numbers."""
_BYTE_RATES: Final = frozenset((PRODUCER_BYTE_RATE, CONSUMER_BYTE_RATE))
_OF_CLIENTS: Final = _FRACTIONS | _BYTE_RATES
_OF_ADDRESSES: Final = frozenset((CONNECTION_CREATION_RATE,))


class QuotaOp(NamedTuple):
    """One quota of an entity; None removes it."""

    key: str
    value: float | None


@dataclass(frozen=True, slots=True)
class QuotaAlteration:
    """What is to change for one entity."""

    entity: QuotaEntity
    ops: tuple[QuotaOp, ...]


@dataclass(frozen=True, slots=True)
class AlteredQuotas:
    """What became of one entity's change."""

    entity: QuotaEntity
    error: Error = Error.NONE
    message: str | None = None


def check_count(changes: int) -> None:
    """Refusal POLICY_VIOLATION where a request asks for too many changes."""
    if changes > CHANGES_MAX:
        raise Refusal(
            Error.POLICY_VIOLATION,
            f"{changes} entities and quotas in one request are too many: {CHANGES_MAX} are changed"
            " at once",
        )


def alter(
    state: ControllerState, alterations: Sequence[QuotaAlteration], validate_only: bool = False
) -> ControllerResult[list[AlteredQuotas]]:
    """Change quotas, each entity's as a whole; the others go on where one is refused."""
    draft = Draft(state)
    answers: dict[QuotaEntity, AlteredQuotas] = {}
    named = Counter(each.entity for each in alterations)
    for each in alterations:
        try:
            if named[each.entity] > 1 or len({op.key for op in each.ops}) < len(each.ops):
                raise _invalid(f"Ignoring duplicate entity {in_words(each.entity)}")
            _check_entity(each.entity)
            for record in _records(state, each):
                draft.add(record)
            answers[each.entity] = AlteredQuotas(each.entity)
        except Refusal as refusal:
            answers[each.entity] = AlteredQuotas(each.entity, refusal.error, refusal.message)
    if validate_only:
        draft.records.clear()
    return draft.decision(list(answers.values()))


def in_words(entity: QuotaEntity) -> str:
    """An entity as Apache Kafka writes it."""
    parts = ", ".join(f"{type}={'null' if name is None else name}" for type, name in entity)
    return f"ClientQuotaEntity(entries={{{parts}}})"


def _invalid(why: str) -> Refusal:
    return Refusal(Error.INVALID_REQUEST, why)


def _check_entity(entity: QuotaEntity) -> None:
    if not entity:
        raise _invalid("Invalid empty client quota entity")
    for type, name in entity:
        if type not in (USER, CLIENT_ID, IP):
            raise _invalid(f"Unhandled client quota entity type: {type}")
        if name == "":
            raise _invalid(f"Empty {type} not supported")
    parts = dict(entity)
    if IP not in parts:
        return
    if len(parts) > 1:
        raise _invalid(
            "Invalid quota entity combination, IP entity shouldnot be combined with User or"
            " ClientId"
        )
    if (address := parts[IP]) is not None and not _is_address(address):
        raise _invalid(f"{address} is not a valid IP or resolvable host.")


def _is_address(text: str) -> bool:
    """Names are not resolved: a controller does not wait for another service to decide."""
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def _records(state: ControllerState, wanted: QuotaAlteration) -> list[r.ClientQuota]:
    allowed = _OF_ADDRESSES if wanted.entity[0][0] == IP else _OF_CLIENTS
    now = state.image.quotas.entities.get(wanted.entity, {})
    records = []
    for key, value in wanted.ops:
        if value is None:
            if key in now:
                records.append(r.ClientQuota(entity=wanted.entity, key=key, remove=True))
            continue
        _check_value(allowed, key, value)
        if now.get(key) != value:
            records.append(r.ClientQuota(entity=wanted.entity, key=key, value=value))
    return records


def _check_value(allowed: frozenset[str], key: str, value: float) -> None:
    if key not in allowed:
        raise _invalid(f"Invalid configuration key {key}")
    if not value > 0.0:  # What is not a number is no quota either.
        raise _invalid(f"Quota {key} must be greater than 0")
    if key in _FRACTIONS:
        return
    most, kind = (MAX_LONG, "a LONG") if key in _BYTE_RATES else (MAX_INT, "an INT")
    if value > most:
        raise _invalid(f"Proposed value for {key} is too large for {kind}.")
    if value % 1.0 > _LEAST_FRACTION:
        raise _invalid(f"{key} cannot be a fractional value.")
