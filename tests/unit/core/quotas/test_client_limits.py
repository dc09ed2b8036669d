"""Which quota counts, by Kafka's order, and what is counted together."""

from __future__ import annotations

import pytest

from spindle.core.quotas.client_limits import REMEMBERED, ClientLimits
from spindle.core.quotas.client_meters import MutationQuota, RateQuota
from spindle.core.quotas.sampled_rate import Windows
from spindle.model.client_quotas import QuotaTable, quota_entity

pytestmark = pytest.mark.spec("S-07")
USER, CLIENT = "user", "client-id"
ORDER: list[dict[str, str | None]] = [
    {USER: "ann", CLIENT: "app"},
    {USER: "ann", CLIENT: None},
    {USER: "ann"},
    {USER: None, CLIENT: "app"},
    {USER: None, CLIENT: None},
    {USER: None},
    {CLIENT: "app"},
    {CLIENT: None},
]
TOGETHER = [
    ("ann", "app"), ("ann", "app"), ("ann", ""), ("ann", "app"),
    ("ann", "app"), ("ann", ""), ("", "app"), ("", "app"),
]  # fmt: skip
TEN = Windows(11, 1.0)


def limits(*entities: dict[str, str | None]) -> ClientLimits:
    table = QuotaTable()
    for number, entity in enumerate(entities, 1):
        table.set(quota_entity(entity.items()), "request_percentage", number)
    table.set(quota_entity([("ip", "1.2.3.4")]), "connection_creation_rate", 1)
    return ClientLimits.of(table, "request_percentage")


@pytest.mark.parametrize("first", range(8))
def test_the_most_specific_quota_counts(first: int) -> None:
    found = limits(*ORDER[first:]).find("ann", "app")
    assert found.rate == 1
    assert found.sharers == TOGETHER[first]


@pytest.mark.parametrize("only", range(8))
def test_a_quota_of_others_does_not_count(only: int) -> None:
    entity = {k: v if v is None else f"other {v}" for k, v in ORDER[only].items()}
    found = limits(entity).find("ann", "app")
    assert (found.rate is None) == (None not in entity.values() or len(set(entity.values())) > 1)


def test_clients_without_a_name_have_their_users_quota() -> None:
    assert limits({USER: "ann", CLIENT: None}).find("ann", "").rate is None
    assert limits({USER: "ann"}).find("ann", "").rate == 1
    assert limits({CLIENT: None}).find("ann", "").rate is None


def test_no_more_clients_are_remembered_than_fit() -> None:
    some = limits({CLIENT: None})
    for number in range(REMEMBERED + 5):
        assert some.find("ann", f"app-{number}").rate == 1
    assert len(some._found) == 5


def test_all_clients_of_a_user_share_its_quota() -> None:
    quota = RateQuota(TEN)
    quota.limits = ClientLimits({quota_entity([(USER, "ann")]): 10.0})
    assert quota.most("ann", "one") == 100
    assert quota.most("bob", "one") is None
    assert quota.record("ann", "one", 100, 5.0) == 0.0
    assert quota.record("bob", "one", 10_000, 5.0) == 0.0
    assert quota.record("ann", "two", 100, 5.0) == pytest.approx(10.0)
    quota.take_back("ann", "two", 100, 5.0)
    assert quota.record("ann", "two", 1, 5.0) == pytest.approx(0.1)


def test_a_wait_has_a_bound_where_one_is_set() -> None:
    quota = RateQuota(TEN, throttle_most=1.0)
    quota.limits = ClientLimits({quota_entity([(USER, None)]): 10.0})
    assert quota.record("ann", "one", 1e6, 5.0) == 1.0


def test_meters_that_are_not_used_are_let_go() -> None:
    quota = RateQuota(TEN)
    quota.limits = ClientLimits({quota_entity([(CLIENT, None)]): 10.0})
    for number in range(1000):
        quota.record("ann", f"app-{number}", 1, 5.0 + number)
    assert len(quota) <= 23


def test_strict_changes_are_refused_until_the_debt_is_paid() -> None:
    quota = MutationQuota(TEN)
    quota.limits = ClientLimits({quota_entity([(USER, "ann")]): 1.0})
    assert quota.take("ann", "", 20, True, 5.0) == 0.0, "a burst is let through, then it waits"
    assert quota.take("ann", "", 1, True, 5.0) == pytest.approx(9.0)
    assert quota.take("ann", "", 1, True, 14.0) == 0.0
    assert quota.take("ann", "", 4, False, 14.0) == pytest.approx(5.0), "made, and the client waits"
    assert quota.take("bob", "", 1000, True, 14.0) == 0.0
