"""The authorizer's decisions: the rules one by one, and any ACLs beside a plain reading of them."""

from __future__ import annotations

import uuid
from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.amounts import cases

from spindle.core.authorizer import Action, Authorizer, host_address
from spindle.model.acl import (
    AclBinding,
    AclFilter,
    AclOperation,
    AclPermissionType,
    AclResourceType,
    PatternType,
)
from spindle.model.acl_table import AclTable
from spindle.model.metadata_records import AccessControlEntry

Op, T, P = AclOperation, AclResourceType, AclPermissionType
ALICE, BOB = "User:alice", "User:bob"
HERE, THERE = "10.0.0.1", "10.0.0.2"


def acl(
    operation: AclOperation,
    name: str = "foo",
    pattern: PatternType = PatternType.LITERAL,
    principal: str = ALICE,
    host: str = "*",
    permission: AclPermissionType = P.ALLOW,
    kind: AclResourceType = T.TOPIC,
) -> AclBinding:
    return AclBinding(kind, name, pattern, principal, host, operation, permission)


def table_of(acls: Iterable[AclBinding]) -> AclTable:
    table = AclTable()
    for number, one in enumerate(acls):
        table.add(AccessControlEntry.of(uuid.UUID(int=number + 1), one))
    return table


def authorizer(*acls: AclBinding, if_no_acl: bool = False, supers: str = "") -> Authorizer:
    table = table_of(acls)
    return Authorizer(lambda: table, frozenset(filter(None, supers.split(";"))), if_no_acl)


def may(
    of: Authorizer, operation: AclOperation, name: str = "foo", who: str = ALICE, at: str = HERE
) -> bool:
    return of.decide(who, at, Action(operation, T.TOPIC, name)).allowed


@pytest.mark.spec("S-05")
def test_without_rules_the_setting_decides() -> None:
    assert not may(authorizer(), Op.READ)
    assert may(authorizer(if_no_acl=True), Op.READ)
    # A rule for another operation or principal is a rule for the resource.
    assert not may(authorizer(acl(Op.WRITE, principal=BOB), if_no_acl=True), Op.READ)
    assert may(authorizer(acl(Op.WRITE, "bar"), if_no_acl=True), Op.READ)


@pytest.mark.spec("S-05")
def test_a_super_user_may_do_what_is_denied() -> None:
    of = authorizer(acl(Op.ALL, permission=P.DENY), supers="User:alice")
    assert of.decide(ALICE, HERE, Action(Op.READ, T.TOPIC, "foo")) == (True, "SuperUser")
    assert not may(of, Op.READ, who=BOB)


@pytest.mark.spec("S-05")
@pytest.mark.parametrize("wide", ["literal", "prefixed", "wildcard"])
def test_a_deny_wins_wherever_it_stands(wide: str) -> None:
    deny = {
        "literal": acl(Op.READ, permission=P.DENY),
        "prefixed": acl(Op.READ, "fo", PatternType.PREFIXED, permission=P.DENY),
        "wildcard": acl(Op.READ, "*", permission=P.DENY),
    }[wide]
    of = authorizer(acl(Op.ALL, "*"), acl(Op.READ), deny)
    assert not may(of, Op.READ)
    assert may(of, Op.WRITE)


@pytest.mark.spec("S-05")
def test_patterns() -> None:
    of = authorizer(acl(Op.READ, "foo", PatternType.PREFIXED), acl(Op.WRITE, "foo"))
    assert may(of, Op.READ, "foo")
    assert may(of, Op.READ, "foobar")
    assert not may(of, Op.READ, "fo")
    assert may(of, Op.WRITE, "foo")
    assert not may(of, Op.WRITE, "foobar")
    assert may(authorizer(acl(Op.READ, "*")), Op.READ, "anything")
    # A prefix "*" is no wildcard.
    assert not may(authorizer(acl(Op.READ, "*", PatternType.PREFIXED)), Op.READ, "anything")


@pytest.mark.spec("S-05")
def test_hosts_and_principals() -> None:
    of = authorizer(acl(Op.READ, host=HERE), acl(Op.WRITE, principal="User:*"))
    assert may(of, Op.READ)
    assert not may(of, Op.READ, at=THERE)
    assert may(of, Op.WRITE, who=BOB, at=THERE)
    assert not may(of, Op.READ, who=BOB)


@pytest.mark.parametrize(
    ("host", "java"),
    [
        ("127.0.0.1", "127.0.0.1"),
        ("::1", "0:0:0:0:0:0:0:1"),
        ("::ffff:10.0.0.1", "10.0.0.1"),
        ("fe80::1%eth0", "fe80:0:0:0:0:0:0:1"),
        ("peer", "peer"),
    ],
)
def test_addresses_are_written_as_java_does(host: str, java: str) -> None:
    assert host_address(host) == java


@pytest.mark.spec("S-05")
def test_what_is_allowed_implies_descriptions_and_what_is_denied_does_not() -> None:
    for operation in (Op.READ, Op.WRITE, Op.DELETE, Op.ALTER, Op.ALL):
        assert may(authorizer(acl(operation)), Op.DESCRIBE)
    assert not may(authorizer(acl(Op.CREATE)), Op.DESCRIBE)
    assert may(authorizer(acl(Op.ALTER_CONFIGS)), Op.DESCRIBE_CONFIGS)
    assert not may(authorizer(acl(Op.ALTER)), Op.DESCRIBE_CONFIGS)
    both = authorizer(acl(Op.READ, permission=P.DENY), acl(Op.DESCRIBE))
    assert may(both, Op.DESCRIBE)


@pytest.mark.spec("S-05")
def test_a_change_is_seen_at_once() -> None:
    table = table_of([acl(Op.READ)])
    of = Authorizer(lambda: table, frozenset(), False)
    assert may(of, Op.READ)
    deny = AccessControlEntry.of(uuid.uuid4(), acl(Op.READ, permission=P.DENY))
    table.add(deny)
    assert not may(of, Op.READ)
    table.remove(deny.id)
    assert may(of, Op.READ)
    # The same rule twice is there until both ACLs are gone.
    second = AccessControlEntry.of(uuid.uuid4(), acl(Op.READ))
    table.add(second)
    table.remove(uuid.UUID(int=1))
    assert may(of, Op.READ)
    assert acl(Op.READ) in table
    table.remove(second.id)
    assert not may(of, Op.READ)
    assert acl(Op.READ) not in table


@pytest.mark.spec("S-05")
def test_some_resource_of_a_type() -> None:
    def some(*acls: AclBinding, at: str = HERE) -> bool:
        return authorizer(*acls).allows_some(ALICE, at, Op.WRITE, T.TOPIC)

    prefix = PatternType.PREFIXED
    assert not some()
    assert some(acl(Op.WRITE))
    assert some(acl(Op.ALL, "f", prefix))
    assert some(acl(Op.WRITE, "*"))
    assert not some(acl(Op.WRITE, host=THERE))
    assert not some(acl(Op.WRITE, principal=BOB))
    assert not some(acl(Op.WRITE), acl(Op.WRITE, permission=P.DENY))
    assert not some(acl(Op.WRITE), acl(Op.WRITE, "f", prefix, permission=P.DENY))
    assert not some(acl(Op.WRITE), acl(Op.WRITE, "*", permission=P.DENY))
    assert some(acl(Op.WRITE), acl(Op.WRITE, "foobar", permission=P.DENY))
    assert some(acl(Op.WRITE, "fo", prefix), acl(Op.WRITE, "foo", prefix, permission=P.DENY))


def test_the_rule_is_in_the_decision() -> None:
    decision = authorizer(acl(Op.READ, host=HERE)).decide(
        ALICE, HERE, Action(Op.READ, T.TOPIC, "foo")
    )
    assert decision.rule == (
        "MatchingAcl(acl=StandardAcl(resourceType=TOPIC, resourceName=foo, patternType=LITERAL,"
        " principal=User:alice, host=10.0.0.1, operation=READ, permissionType=ALLOW))"
    )


NAMES = st.text("ab*", min_size=1, max_size=4)
ACLS = st.builds(
    acl,
    st.sampled_from((Op.ALL, Op.READ, Op.WRITE, Op.DESCRIBE, Op.ALTER, Op.DESCRIBE_CONFIGS)),
    NAMES,
    st.sampled_from((PatternType.LITERAL, PatternType.PREFIXED)),
    st.sampled_from((ALICE, BOB, "User:*")),
    st.sampled_from(("*", HERE, THERE)),
    st.sampled_from((P.ALLOW, P.DENY)),
    st.sampled_from((T.TOPIC, T.GROUP)),
)
IMPLIED = {
    Op.DESCRIBE: (Op.READ, Op.WRITE, Op.DELETE, Op.ALTER, Op.DESCRIBE),
    Op.DESCRIBE_CONFIGS: (Op.ALTER_CONFIGS, Op.DESCRIBE_CONFIGS),
}


def plainly(acls: list[AclBinding], operation: AclOperation, name: str, at: str) -> str:
    """What the documentation of Kafka says, read aloud."""
    about = [
        a
        for a in acls
        if a.resource_type is T.TOPIC
        and (
            name.startswith(a.resource_name)
            if a.pattern_type is PatternType.PREFIXED
            else a.resource_name in (name, "*")
        )
    ]
    mine = [a for a in about if a.principal in (ALICE, "User:*") and a.host in ("*", at)]
    if any(a.permission is P.DENY and a.operation in (operation, Op.ALL) for a in mine):
        return "no"
    allowing = (operation, Op.ALL, *IMPLIED.get(operation, ()))
    if any(a.permission is P.ALLOW and a.operation in allowing for a in mine):
        return "yes"
    return "no" if about else "unruled"


@pytest.mark.spec("S-05")
@settings(max_examples=cases(300), deadline=None)
@given(
    st.lists(ACLS, max_size=12),
    st.lists(ACLS, max_size=4),
    st.sampled_from((Op.READ, Op.WRITE, Op.DESCRIBE, Op.DESCRIBE_CONFIGS)),
    NAMES,
    st.sampled_from((HERE, THERE)),
    st.booleans(),
)
def test_any_acls_mean_what_they_say(
    kept: list[AclBinding],
    gone: list[AclBinding],
    operation: AclOperation,
    name: str,
    at: str,
    if_no_acl: bool,
) -> None:
    table = table_of([*gone, *kept])
    of = Authorizer(lambda: table, frozenset(), if_no_acl)
    may(of, operation, name, at=at)  # The index is made before some go.
    for number in range(len(gone)):
        table.remove(uuid.UUID(int=number + 1))
    expected = plainly(kept, operation, name, at)
    allowed = if_no_acl if expected == "unruled" else expected == "yes"
    assert may(of, operation, name, at=at) is allowed


@pytest.mark.parametrize(
    ("wanted", "names"),
    [
        (AclFilter(), {"foo", "f", "*", "bar"}),
        (AclFilter(resource_name="foo"), {"foo"}),
        (AclFilter(resource_name="foo", pattern_type=PatternType.MATCH), {"foo", "f", "*"}),
        (AclFilter(pattern_type=PatternType.PREFIXED), {"f"}),
        (AclFilter(resource_name="f", pattern_type=PatternType.LITERAL), set()),
        (AclFilter(operation=Op.WRITE), {"bar"}),
        (AclFilter(principal=BOB), {"bar"}),
        (AclFilter(host=HERE), {"bar"}),
        (AclFilter(permission=P.DENY), set()),
        (AclFilter(resource_type=T.GROUP), set()),
    ],
)
def test_filters(wanted: AclFilter, names: set[str]) -> None:
    table = table_of(
        [
            acl(Op.READ, "foo"),
            acl(Op.READ, "f", PatternType.PREFIXED),
            acl(Op.READ, "*"),
            acl(Op.WRITE, "bar", principal=BOB, host=HERE),
        ]
    )
    assert {found.resource_name for _, found in table.found(wanted)} == names
