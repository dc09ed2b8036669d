"""Quotas of clients (KIP-546): the part of the AdminClient that asks about them."""

# ruff: noqa: ASYNC109 - a time limit is an option of every call (K113-26)
from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial

from spindle.client.cluster import Cluster
from spindle.client.deadline import Deadline
from spindle.client.per_item import PerItem, Tasks
from spindle.client.topics import not_answered, refused
from spindle.model.client_quotas import QuotaEntity, quota_entity
from spindle.wire.messages.alter_client_quotas_request import (
    AlterClientQuotasRequest,
    EntityData,
    EntryData,
    OpData,
)
from spindle.wire.messages.describe_client_quotas_request import (
    ComponentData,
    DescribeClientQuotasRequest,
)

_EXACT, _DEFAULT, _ANY = 0, 1, 2


async def _describe(
    cluster: Cluster,
    named: Mapping[str, str | None],
    any_of: frozenset[str],
    strict: bool,
    deadline: Deadline,
) -> dict[QuotaEntity, dict[str, float]]:
    """The quotas of the entities that have these parts."""
    components = [
        ComponentData(entity_type=type, match_type=_DEFAULT if name is None else _EXACT, match=name)
        for type, name in named.items()
    ]
    components += [ComponentData(entity_type=type, match_type=_ANY) for type in sorted(any_of)]
    request = DescribeClientQuotasRequest(components=components, strict=strict)
    answer = await cluster.ask_any(request, deadline)
    if answer.error_code:
        words = answer.error_message or ""
        raise refused(answer.error_code, "DescribeClientQuotas", "clients", words)
    return {
        quota_entity((part.entity_type, part.entity_name) for part in entry.entity): {
            value.key: value.value for value in entry.values
        }
        for entry in answer.entries or ()
    }


async def _alter(
    cluster: Cluster,
    items: PerItem[QuotaEntity, None],
    changes: Mapping[QuotaEntity, Mapping[str, float | None]],
    validate_only: bool,
    deadline: Deadline,
) -> None:
    """Settle each entity's changes."""
    request = AlterClientQuotasRequest(
        entries=tuple(
            EntryData(
                entity=tuple(
                    EntityData(entity_type=type, entity_name=name) for type, name in entity
                ),
                ops=tuple(
                    OpData(key=key, value=0.0 if value is None else value, remove=value is None)
                    for key, value in ops.items()
                ),
            )
            for entity, ops in changes.items()
        ),
        validate_only=validate_only,
    )
    answer = await cluster.ask_controller(request, deadline)
    told = {
        quota_entity((part.entity_type, part.entity_name) for part in entry.entity): entry
        for entry in answer.entries
    }
    for entity in changes:
        entry = told.get(quota_entity(entity))
        if entry is None:
            items.fail(entity, not_answered("AlterClientQuotas", entity))
        elif entry.error_code:
            words = entry.error_message or ""
            items.fail(entity, refused(entry.error_code, "AlterClientQuotas", entity, words))
        else:
            items.answer(entity, None)


class QuotaCalls:
    """What an AdminClient can do with quotas."""

    _cluster: Cluster
    _tasks: Tasks

    async def describe_client_quotas(
        self,
        named: Mapping[str, str | None] | None = None,
        *,
        any_of: Iterable[str] = (),
        strict: bool = False,
        timeout: float | None = None,
    ) -> dict[QuotaEntity, dict[str, float]]:
        """Quotas by entity and by name (KIP-546): of entities with the parts `named` (by type; None
        is the default), and with any part of the types `any_of`; `strict`: with no others."""
        deadline = self._cluster.deadline(timeout)
        return await _describe(self._cluster, named or {}, frozenset(any_of), strict, deadline)

    def alter_client_quotas(
        self,
        changes: Mapping[QuotaEntity, Mapping[str, float | None]],
        *,
        validate_only: bool = False,
        timeout: float | None = None,
    ) -> PerItem[QuotaEntity, None]:
        """Set quotas of entities by name, or remove them (None). `quota_entity` makes an entity."""
        items: PerItem[QuotaEntity, None] = PerItem(changes)
        deadline = self._cluster.deadline(timeout)
        work = partial(_alter, self._cluster, items, changes, validate_only, deadline)
        self._tasks.answer(items, items, work)
        return items
