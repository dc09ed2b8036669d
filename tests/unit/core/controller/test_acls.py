"""The controller's decisions about ACLs."""

from __future__ import annotations

import uuid
from itertools import count

import pytest
from tests.unit.core.controller.kit import Cluster

from spindle.core.controller import acls
from spindle.model import metadata_records as r
from spindle.model.acl import (
    AclBinding,
    AclFilter,
    AclOperation,
    AclPermissionType,
    AclResourceType,
    PatternType,
)
from spindle.model.errors import Error, Refusal

GOOD = AclBinding(
    AclResourceType.TOPIC, "foo", PatternType.LITERAL, "User:alice", "*", AclOperation.READ,
    AclPermissionType.ALLOW,
)  # fmt: skip
numbers = count(1)


def new_id() -> uuid.UUID:
    return uuid.UUID(int=next(numbers))


@pytest.mark.spec("S-05")
def test_acls_are_made_once_and_removed_by_filters() -> None:
    cluster = Cluster()
    other = GOOD._replace(resource_name="bar")
    outcomes = cluster.take(acls.create_acls(cluster.state, [GOOD, GOOD, other], new_id))
    assert [each.error for each in outcomes] == [Error.NONE] * 3
    assert [type(record) for record in cluster.last] == [r.AccessControlEntry] * 2
    cluster.take(acls.create_acls(cluster.state, [GOOD], new_id))
    assert not cluster.last

    wanted = [AclFilter(resource_name="foo"), AclFilter(), AclFilter(resource_name="none")]
    outcomes = cluster.take(acls.delete_acls(cluster.state, wanted))
    assert [set(each.removed) for each in outcomes] == [{GOOD}, {GOOD, other}, set()]
    assert len(cluster.last) == 2
    assert len(cluster.state.image.acls) == 0


@pytest.mark.spec("S-05")
@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (GOOD._replace(resource_type=AclResourceType.ANY), "Invalid resourceType ANY"),
        (
            GOOD._replace(resource_type=AclResourceType.CLUSTER),
            "The only valid name",
        ),
        (GOOD._replace(resource_name=""), "Invalid empty resource name"),
        (GOOD._replace(pattern_type=PatternType.MATCH), "Invalid patternType MATCH"),
        (GOOD._replace(operation=AclOperation.ANY), "Invalid operation ANY"),
        (GOOD._replace(permission=AclPermissionType.ANY), "Invalid permissionType ANY"),
        (GOOD._replace(principal="alice"), "Could not parse principal from `alice`"),
    ],
)
def test_what_no_acl_can_be_is_refused_alone(wrong: AclBinding, why: str) -> None:
    cluster = Cluster()
    outcomes = cluster.take(acls.create_acls(cluster.state, [wrong, GOOD], new_id))
    assert [each.error for each in outcomes] == [Error.INVALID_REQUEST, Error.NONE]
    assert (outcomes[0].message or "").startswith(why)


def test_a_filter_of_what_is_unknown_is_refused() -> None:
    cluster = Cluster()
    wanted = [
        AclFilter(operation=AclOperation.UNKNOWN),
        AclFilter(pattern_type=PatternType.UNKNOWN),
    ]
    outcomes = cluster.take(acls.delete_acls(cluster.state, wanted))
    assert [each.message for each in outcomes] == ["Unknown entryFilter.", "Unknown patternFilter."]


@pytest.mark.spec("S-05")
def test_too_many_at_once_are_refused() -> None:
    cluster = Cluster()
    many = [GOOD._replace(resource_name=str(n)) for n in range(10_001)]
    with pytest.raises(Refusal, match="excessively large"):
        acls.create_acls(cluster.state, many, new_id)
    cluster.take(acls.create_acls(cluster.state, many[1:], new_id))
    cluster.take(acls.create_acls(cluster.state, many[:1], new_id))
    (outcome,) = cluster.take(acls.delete_acls(cluster.state, [AclFilter()]))
    assert outcome.error == Error.INVALID_REQUEST
    assert not cluster.last
