"""Adding and removing ACLs. Called by the handlers of CreateAcls and DeleteAcls."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from typing import NamedTuple

from spindle.core.controller.controller_state import (
    BATCH_RECORDS_MAX,
    ControllerResult,
    ControllerState,
    Draft,
)
from spindle.model import metadata_records as r
from spindle.model.acl import (
    CLUSTER_NAME,
    AclBinding,
    AclFilter,
    AclOperation,
    AclPermissionType,
    AclResourceType,
    PatternType,
)
from spindle.model.errors import Error


class AclOutcome(NamedTuple):
    """What became of one ACL, or of one filter and the ACLs that it removed."""

    error: Error = Error.NONE
    message: str | None = None
    removed: tuple[AclBinding, ...] = ()


def create_acls(
    state: ControllerState, acls: Sequence[AclBinding], new_id: Callable[[], uuid.UUID]
) -> ControllerResult[list[AclOutcome]]:
    """Each ACL that can be; one that is there already needs no record and is no error."""
    draft, outcomes = Draft(state), []
    new: set[AclBinding] = set()
    for acl in acls:
        why = _invalid(acl)
        if why is not None:
            outcomes.append(AclOutcome(Error.INVALID_REQUEST, why))
            continue
        if acl not in state.image.acls and acl not in new:
            new.add(acl)
            draft.add(r.AccessControlEntry.of(new_id(), acl))
        outcomes.append(AclOutcome())
    return draft.decision(outcomes)


def delete_acls(
    state: ControllerState, filters: Sequence[AclFilter]
) -> ControllerResult[list[AclOutcome]]:
    """All ACLs that some filter means; a filter that means too many is refused."""
    gone: dict[uuid.UUID, None] = {}
    outcomes = []
    for wanted in filters:
        if (why := _unknown(wanted)) is not None:
            outcomes.append(AclOutcome(Error.INVALID_REQUEST, why))
            continue
        found = dict(state.image.acls.found(wanted))
        if len(gone.keys() | found.keys()) > BATCH_RECORDS_MAX:
            why = f"Cannot remove more than {BATCH_RECORDS_MAX} acls in a single delete operation."
            outcomes.append(AclOutcome(Error.INVALID_REQUEST, why))
            continue
        gone.update(dict.fromkeys(found))
        outcomes.append(AclOutcome(removed=tuple(found.values())))
    draft = Draft(state)
    for id in gone:
        draft.add(r.RemoveAccessControlEntry(id=id))
    return draft.decision(outcomes)


def _unknown(wanted: AclFilter) -> str | None:
    if not wanted.resource_type or not wanted.pattern_type:
        return "Unknown patternFilter."
    if not wanted.operation or not wanted.permission:
        return "Unknown entryFilter."
    return None


def _invalid(acl: AclBinding) -> str | None:
    """Why no ACL can be like this, in the words of Apache Kafka."""
    if acl.resource_type is AclResourceType.CLUSTER and acl.resource_name != CLUSTER_NAME:
        return f"The only valid name for the CLUSTER resource is {CLUSTER_NAME}"
    if not acl.resource_name:
        return "Invalid empty resource name"
    if acl.resource_type in (AclResourceType.UNKNOWN, AclResourceType.ANY):
        return f"Invalid resourceType {acl.resource_type.name}"
    if acl.pattern_type not in (PatternType.LITERAL, PatternType.PREFIXED):
        return f"Invalid patternType {acl.pattern_type.name}"
    if acl.operation in (AclOperation.UNKNOWN, AclOperation.ANY):
        return f"Invalid operation {acl.operation.name}"
    if acl.permission not in (AclPermissionType.DENY, AclPermissionType.ALLOW):
        return f"Invalid permissionType {acl.permission.name}"
    if ":" not in acl.principal:
        return (
            f"Could not parse principal from `{acl.principal}` (no colon is present separating the"
            " principal type from the principal name)"
        )
    return None
