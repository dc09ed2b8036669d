"""AlterClientQuotas: each rule, and what becomes of the quotas."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.core.controller.kit import Cluster

from spindle.core.controller import quota_changes
from spindle.core.controller.quota_changes import QuotaAlteration, QuotaOp
from spindle.core.quotas.quota_filter import QuotaComponent, QuotaFilter
from spindle.model import metadata_records as r
from spindle.model.client_quotas import QuotaEntity, quota_entity
from spindle.model.errors import Error, Refusal
from spindle.model.offsets import OffsetAndEpoch
from spindle.node.metadata import Metadata, copy_image
from spindle.node.quorum.metadata_snapshots import image_records

pytestmark = pytest.mark.spec("S-07")
ANN = quota_entity([("user", "ann")])
BOTH = quota_entity([("user", "ann"), ("client-id", None)])
HOST = quota_entity([("ip", "10.0.0.1")])


def change(entity: QuotaEntity, **ops: float | None) -> QuotaAlteration:
    """What a client asks for."""
    return QuotaAlteration(entity, tuple(QuotaOp(key, value) for key, value in ops.items()))


REFUSED: list[tuple[QuotaAlteration, str]] = [
    (change((), producer_byte_rate=1), "Invalid empty client quota entity"),
    (change((("group", "g"),), producer_byte_rate=1), "Unhandled client quota entity type: group"),
    (change((("user", ""),), producer_byte_rate=1), "Empty user not supported"),
    (change((("ip", "a"), ("user", "b"))), "Invalid quota entity combination"),
    (change((("ip", "no address"),)), "no address is not a valid IP or resolvable host."),
    (change(ANN, rate=1), "Invalid configuration key rate"),
    (change(ANN, connection_creation_rate=1), "Invalid configuration key connection_creation_rate"),
    (change(HOST, request_percentage=1), "Invalid configuration key request_percentage"),
    (change(ANN, producer_byte_rate=0), "Quota producer_byte_rate must be greater than 0"),
    (change(ANN, request_percentage=float("nan")), "Quota request_percentage must be greater"),
    (change(ANN, consumer_byte_rate=1.25), "consumer_byte_rate cannot be a fractional value."),
    (change(ANN, consumer_byte_rate=1e19), "is too large for a LONG."),
    (change(HOST, connection_creation_rate=2.0**31), "is too large for an INT."),
]  # fmt: skip


@pytest.mark.parametrize(("wanted", "why"), REFUSED)
def test_what_no_quota_can_be_is_refused(wanted: QuotaAlteration, why: str) -> None:
    cluster = Cluster()
    other = change(HOST, connection_creation_rate=5)
    if wanted.entity == HOST:
        other = change(ANN, producer_byte_rate=5)
    refused, done = cluster.take(quota_changes.alter(cluster.state, [wanted, other]))
    assert (refused.error, done.error) == (Error.INVALID_REQUEST, Error.NONE)
    assert why in str(refused.message)
    assert list(cluster.image.quotas.entities) == [other.entity]


def test_what_is_named_twice_is_not_changed() -> None:
    cluster = Cluster()
    one = change(ANN, producer_byte_rate=1)
    twice = QuotaAlteration(BOTH, one.ops * 2)
    answers = cluster.take(quota_changes.alter(cluster.state, [one, one, twice]))
    assert [(each.entity, each.error) for each in answers] == [
        (ANN, Error.INVALID_REQUEST), (BOTH, Error.INVALID_REQUEST)
    ]  # fmt: skip
    assert answers[1].message == (
        "Ignoring duplicate entity ClientQuotaEntity(entries={client-id=null, user=ann})"
    )
    assert not cluster.last


def test_quotas_are_set_replaced_and_removed() -> None:
    cluster = Cluster()

    def alter(wanted: QuotaAlteration, dry: bool = False) -> int:
        (answer,) = cluster.take(quota_changes.alter(cluster.state, [wanted], dry))
        assert answer.error is Error.NONE
        return len(cluster.last)

    assert alter(change(ANN, producer_byte_rate=10, request_percentage=0.5)) == 2
    assert alter(change(ANN, producer_byte_rate=10)) == 0, "nothing changes"
    assert alter(change(ANN, producer_byte_rate=11), dry=True) == 0
    assert alter(change(ANN, producer_byte_rate=12, consumer_byte_rate=None)) == 1
    assert cluster.image.quotas.entities == {
        ANN: {"producer_byte_rate": 12, "request_percentage": 0.5}
    }
    assert alter(change(ANN, producer_byte_rate=None, request_percentage=None)) == 2
    assert cluster.image.quotas.entities == {}


def test_snapshots_and_copies_keep_them() -> None:
    cluster = Cluster()
    cluster.take(
        quota_changes.alter(
            cluster.state,
            [change(ANN, producer_byte_rate=1), change(BOTH, request_percentage=2.5)],
        )
    )
    again = Metadata()
    again.on_snapshot(OffsetAndEpoch(9, 1), image_records(cluster.image))
    kept = cluster.image.quotas.entities
    assert again.image.quotas.entities == copy_image(cluster.image).quotas.entities == kept
    copy = copy_image(cluster.image)
    copy.apply(r.ClientQuota(entity=ANN, key="producer_byte_rate", remove=True))
    assert ANN in cluster.image.quotas.entities
    assert ANN not in copy.quotas.entities


def test_more_changes_than_may_be_made_at_once_are_refused() -> None:
    quota_changes.check_count(quota_changes.CHANGES_MAX)
    with pytest.raises(Refusal, match="2001 entities and quotas") as refused:
        quota_changes.check_count(quota_changes.CHANGES_MAX + 1)
    assert refused.value.error is Error.POLICY_VIOLATION


names = st.sampled_from([None, "a", "b"])
entities = st.builds(
    lambda parts: quota_entity(parts.items()),
    st.dictionaries(st.sampled_from(["user", "client-id"]), names, min_size=1),
) | st.builds(lambda name: quota_entity([("ip", name)]), st.sampled_from([None, "1.2.3.4"]))


@settings(deadline=None, max_examples=100)
@given(st.lists(entities, max_size=8), entities, st.booleans())
def test_a_filter_of_an_entitys_own_parts_finds_it(
    there: list[QuotaEntity], wanted: QuotaEntity, strict: bool
) -> None:
    cluster = Cluster()
    for entity in there:
        cluster.image.quotas.set(entity, "producer_byte_rate", 1)
    components = [QuotaComponent(type, 0 if name is not None else 1, name) for type, name in wanted]
    found = {entity for entity, _ in QuotaFilter(components, strict).found(cluster.image.quotas)}
    assert (wanted in found) == (wanted in there)
    for entity in found:
        assert set(wanted) <= set(entity)
        assert not strict or entity == wanted
