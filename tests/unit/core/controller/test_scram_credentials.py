"""AlterUserScramCredentials: each rule, and what becomes of the credentials."""

from __future__ import annotations

import base64

import pytest
from tests.unit.core.controller.kit import Cluster

from spindle.core.controller import scram_credentials
from spindle.core.controller.scram_credentials import ScramDeletion, ScramUpsertion
from spindle.model import metadata_records as r
from spindle.model.errors import Error, Refusal
from spindle.model.feature_rules import METADATA_VERSION
from spindle.model.offsets import OffsetAndEpoch
from spindle.model.scram import ScramMechanism
from spindle.node.metadata import Metadata, copy_image
from spindle.node.quorum.metadata_snapshots import image_records

pytestmark = pytest.mark.spec("S-04")
SALT = b"some salt of a client"
SECRET = "a secret of 1 user"


def made(user: str, mechanism: int = 1, iterations: int = 4096) -> ScramUpsertion:
    """A credential that a client asks for."""
    return ScramUpsertion(user, mechanism, iterations, SALT, b"salted " + SECRET.encode())


CASES: list[tuple[list[ScramDeletion], list[ScramUpsertion], dict[str, Error]]] = [
    ([], [made("ann"), made("bob", 2, 16384)], {"ann": Error.NONE, "bob": Error.NONE}),
    ([], [made("ann", iterations=4095)], {"ann": Error.UNACCEPTABLE_CREDENTIAL}),
    ([], [made("ann", iterations=16385)], {"ann": Error.UNACCEPTABLE_CREDENTIAL}),
    ([], [made("ann", 0)], {"ann": Error.UNSUPPORTED_SASL_MECHANISM}),
    ([], [made("ann", 3)], {"ann": Error.UNSUPPORTED_SASL_MECHANISM}),
    ([], [made("")], {"": Error.UNACCEPTABLE_CREDENTIAL}),
    ([ScramDeletion("", 1)], [], {"": Error.UNACCEPTABLE_CREDENTIAL}),
    ([ScramDeletion("old", 9)], [], {"old": Error.UNSUPPORTED_SASL_MECHANISM}),
    ([ScramDeletion("old", 1)], [], {"old": Error.NONE}),
    ([ScramDeletion("old", 2)], [], {"old": Error.RESOURCE_NOT_FOUND}),
    ([ScramDeletion("old", 1)], [made("old")], {"old": Error.DUPLICATE_RESOURCE}),
    (
        [],
        [made("ann"), made("ann", 2), made("bob")],
        {"ann": Error.DUPLICATE_RESOURCE, "bob": Error.NONE},
    ),
    ([ScramDeletion("old", 1)] * 3, [made("old")], {"old": Error.DUPLICATE_RESOURCE}),
]  # fmt: skip


@pytest.mark.parametrize(("deletions", "upsertions", "expected"), CASES)
def test_each_user_gets_what_the_rules_say(
    deletions: list[ScramDeletion], upsertions: list[ScramUpsertion], expected: dict[str, Error]
) -> None:
    cluster = Cluster()
    cluster.take(scram_credentials.alter(cluster.state, [], [made("old")]))
    outcomes = cluster.take(scram_credentials.alter(cluster.state, deletions, upsertions))
    assert {one.user: one.error for one in outcomes} == expected
    assert all((one.message is None) == (one.error is Error.NONE) for one in outcomes)
    assert len(cluster.last) == sum(error is Error.NONE for error in expected.values())


def test_a_cluster_of_an_older_level_has_none() -> None:
    cluster = Cluster(levels={METADATA_VERSION: 10})
    (outcome,) = cluster.take(scram_credentials.alter(cluster.state, [], [made("ann")]))
    assert outcome.error is Error.UNSUPPORTED_VERSION
    assert not cluster.last


def test_records_hold_keys_and_no_text_shows_them() -> None:
    cluster = Cluster()
    cluster.take(scram_credentials.alter(cluster.state, [], [made("ann", 2, 8192)]))
    (record,) = cluster.last
    keys = ScramMechanism.SHA_512.keys(b"salted " + SECRET.encode())
    assert record == r.UserScramCredential(
        name="ann", mechanism=2, salt=SALT, stored_key=keys.stored, server_key=keys.server,
        iterations=8192,
    )  # fmt: skip
    shown = f"{record} {keys} {made('ann')}"
    assert "salt" not in shown
    assert SECRET not in shown
    assert repr(keys.stored)[2:-1] not in shown


def test_snapshots_and_copies_keep_them() -> None:
    cluster = Cluster()
    cluster.take(scram_credentials.alter(cluster.state, [], [made("ann"), made("bob")]))
    cluster.take(scram_credentials.alter(cluster.state, [ScramDeletion("bob", 1)], []))
    again = Metadata()
    again.on_snapshot(OffsetAndEpoch(9, 1), image_records(cluster.image))
    assert again.image.scram == cluster.image.scram == copy_image(cluster.image).scram
    assert list(again.image.scram) == [("ann", 1)]


def test_the_keys_are_those_of_the_standard() -> None:
    """RFC 7677, section 3: user `user`, password `pencil`."""
    salt = b"[m\x99h\x9d\x125\x8e\xec\xa0K\x14\x126\xfa\x81"
    mechanism = ScramMechanism.SHA_256
    keys = mechanism.keys(mechanism.salted("pencil", salt, 4096))
    said = (
        b"n=user,r=rOprNGfwEbeRWgbNEkqO,"
        b"r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096,"
        b"c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0"
    )
    signature = base64.b64encode(mechanism.hmac(keys.server, said))
    assert signature == b"6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="


def test_more_changes_than_may_be_made_at_once_are_refused() -> None:
    scram_credentials.check_count(scram_credentials.CHANGES_MAX)
    with pytest.raises(Refusal, match="1001 credentials in one request are too many") as refused:
        scram_credentials.check_count(scram_credentials.CHANGES_MAX + 1)
    assert refused.value.error is Error.POLICY_VIOLATION
