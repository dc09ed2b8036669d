"""Delegation tokens at the controller: each rule, and what becomes of the tokens."""

from __future__ import annotations

import hmac
import uuid
from collections.abc import Callable

import pytest
from tests.unit.core.controller.kit import Cluster

from spindle.core.controller import delegation_tokens as tokens
from spindle.core.controller.delegation_tokens import NewToken, TokenAsked
from spindle.model import metadata_records as r
from spindle.model.errors import Error, Refusal
from spindle.model.feature_rules import METADATA_VERSION
from spindle.model.offsets import OffsetAndEpoch
from spindle.node.metadata import Metadata, copy_image
from spindle.node.quorum.metadata_snapshots import image_records

pytestmark = pytest.mark.spec("C-06")
KEY = "a key that no client sees"
MOST, RENEWAL = 1_000, 100
SETTINGS = {
    "delegation.token.secret.key": KEY,
    "delegation.token.max.lifetime.ms": str(MOST),
    "delegation.token.expiry.time.ms": str(RENEWAL),
}
NOW = 5_000
FOREVER = 2**63 - 1


def made(
    cluster: Cluster, owner: str = "User:ann", lifetime: int = 0, renewers: tuple[str, ...] = ()
) -> NewToken:
    """A token made now."""
    asked = TokenAsked(owner, "User:ann", renewers, lifetime)
    return cluster.take(tokens.create(cluster.state, asked, uuid.uuid4, NOW))


def refused(act: Callable[[], object]) -> Error:
    with pytest.raises(Refusal) as refusal:
        act()
    return refusal.value.error


@pytest.mark.parametrize(
    ("lifetime", "ends", "expires"),
    [
        (0, MOST, RENEWAL),
        (-1, MOST, RENEWAL),
        (FOREVER, MOST, RENEWAL),
        (500, 500, RENEWAL),
        (40, 40, 40),
    ],
)
def test_a_token_lasts_as_long_as_asked_and_allowed(lifetime: int, ends: int, expires: int) -> None:
    cluster = Cluster(SETTINGS)
    new = made(cluster, lifetime=lifetime, renewers=("User:bob",))
    assert new.token == r.DelegationToken(
        owner="User:ann", requester="User:ann", renewers=("User:bob",), issue_timestamp=NOW,
        max_timestamp=NOW + ends, expiration_timestamp=NOW + expires, token_id=new.token.token_id,
    )  # fmt: skip
    assert new.proof == hmac.digest(KEY.encode(), new.token.token_id.encode(), "sha512")
    assert cluster.image.access.tokens == {new.token.token_id: new.token}
    assert cluster.last == (new.token,)
    shown = f"{new} {cluster.state.token_rules}"
    assert KEY not in shown
    assert str(new.proof) not in shown


def test_times_have_an_end() -> None:
    longest = {name: str(FOREVER) for name in SETTINGS if name.endswith(".ms")}
    cluster = Cluster({**SETTINGS, **longest})
    token = made(cluster).token
    assert (token.max_timestamp, token.expiration_timestamp) == (FOREVER, FOREVER)


def test_only_users_own_and_renew_tokens() -> None:
    cluster = Cluster(SETTINGS)
    assert refused(lambda: made(cluster, owner="Group:ann")) is Error.INVALID_PRINCIPAL_TYPE
    group = ("User:bob", "Group:bob")
    assert refused(lambda: made(cluster, renewers=group)) is Error.INVALID_PRINCIPAL_TYPE
    many = ("User:" + "x" * 1_000,) * 70
    assert refused(lambda: made(cluster, renewers=many)) is Error.POLICY_VIOLATION
    assert refused(lambda: tokens.check_count(1_001)) is Error.POLICY_VIOLATION
    assert not cluster.image.access.tokens


@pytest.mark.parametrize(
    ("settings", "levels", "error"),
    [
        ({}, None, Error.DELEGATION_TOKEN_AUTH_DISABLED),
        ({"delegation.token.secret.key": ""}, None, Error.DELEGATION_TOKEN_AUTH_DISABLED),
        (SETTINGS, {METADATA_VERSION: 13}, Error.UNSUPPORTED_VERSION),
    ],
)
def test_without_a_key_or_at_an_older_level_there_are_none(
    settings: dict[str, str], levels: dict[str, int] | None, error: Error
) -> None:
    cluster = Cluster(settings, levels=levels)
    state = cluster.state
    assert refused(lambda: made(cluster)) is error
    assert refused(lambda: tokens.renew(state, "User:ann", b"x", 0, NOW)) is error
    assert refused(lambda: tokens.expire(state, "User:ann", b"x", 0, NOW)) is error


def test_owners_and_renewers_renew_until_the_end() -> None:
    cluster = Cluster(SETTINGS)
    new = made(cluster, renewers=("User:bob",))

    def renew(user: str, period: int, now: int) -> int:
        return cluster.take(tokens.renew(cluster.state, user, new.proof, period, now))

    assert renew("User:ann", 50, NOW + 10) == NOW + 60
    assert renew("User:bob", 0, NOW + 60) == NOW + 60 + RENEWAL
    assert renew("User:bob", FOREVER, NOW + 100) == NOW + 100 + RENEWAL
    mismatch = Error.DELEGATION_TOKEN_OWNER_MISMATCH
    assert refused(lambda: renew("User:eve", 0, NOW + 100)) is mismatch
    assert refused(lambda: renew("User:ann", 0, NOW + 201)) is Error.DELEGATION_TOKEN_EXPIRED
    kept = cluster.image.access.tokens[new.token.token_id]
    assert (kept.expiration_timestamp, kept.max_timestamp) == (NOW + 200, NOW + MOST)
    for late in range(NOW + 200, NOW + MOST, 50):
        assert renew("User:ann", 0, late) == min(late + RENEWAL, NOW + MOST)


def test_a_token_ends_when_its_owner_says_so() -> None:
    cluster = Cluster(SETTINGS)
    new, other = made(cluster, renewers=("User:bob",)), made(cluster)

    def expire(user: str, period: int, now: int = NOW, proof: bytes = new.proof) -> int:
        return cluster.take(tokens.expire(cluster.state, user, proof, period, now))

    assert expire("User:bob", FOREVER) == NOW + MOST, "longer than a renewal"
    assert refused(lambda: expire("User:eve", -1)) is Error.DELEGATION_TOKEN_OWNER_MISMATCH
    assert refused(lambda: expire("User:ann", -1, proof=b"")) is Error.DELEGATION_TOKEN_NOT_FOUND
    assert expire("User:ann", 0) == NOW
    assert refused(lambda: expire("User:ann", 0, NOW + 1)) is Error.DELEGATION_TOKEN_EXPIRED
    assert expire("User:ann", -1, NOW + 1) == NOW + 1
    assert refused(lambda: expire("User:ann", -1)) is Error.DELEGATION_TOKEN_NOT_FOUND
    assert list(cluster.image.access.tokens) == [other.token.token_id]


def test_tokens_that_have_run_out_are_swept() -> None:
    cluster = Cluster(SETTINGS)
    short, long = made(cluster, lifetime=40), made(cluster)
    assert not cluster.take(tokens.sweep(cluster.state, NOW + 40))
    assert not cluster.last
    assert cluster.take(tokens.sweep(cluster.state, NOW + 41)) == [short.token]
    assert cluster.last == (r.RemoveDelegationToken(token_id=short.token.token_id),)
    assert list(cluster.image.access.tokens) == [long.token.token_id]
    assert cluster.take(tokens.sweep(cluster.state, NOW + RENEWAL + 1)) == [long.token]


def test_snapshots_and_copies_keep_them() -> None:
    cluster = Cluster(SETTINGS)
    made(cluster), made(cluster, renewers=("User:bob", "User:eve"))
    again = Metadata()
    again.on_snapshot(OffsetAndEpoch(9, 1), image_records(cluster.image))
    copied = copy_image(cluster.image)
    assert again.image.access.tokens == cluster.image.access.tokens == copied.access.tokens
    cluster.take(tokens.sweep(cluster.state, FOREVER))
    assert len(copied.access.tokens) == 2
