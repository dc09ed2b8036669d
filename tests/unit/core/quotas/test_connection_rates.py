"""New connections by listener, node and address."""

from __future__ import annotations

from math import inf

import pytest

from spindle.core.quotas.connection_rates import ConnectionRates
from spindle.core.quotas.sampled_rate import Windows

pytestmark = pytest.mark.spec("S-07")


def test_without_rates_all_may_come() -> None:
    rates = ConnectionRates(Windows(11, 1.0))
    assert all(rates.on_accepted("A", inf, inf, 5.0) == 0.0 for _ in range(10_000))


def test_a_listener_over_its_rate_rests_and_others_do_not() -> None:
    rates = ConnectionRates(Windows(11, 1.0))
    waits = [rates.on_accepted("A", 10.0, inf, 5.0) for _ in range(101)]
    assert waits[:100] == [0.0] * 100
    assert waits[100] == pytest.approx(0.1)
    assert rates.on_accepted("B", 10.0, inf, 5.0) == 0.0


def test_a_wait_is_a_window_at_most() -> None:
    rates = ConnectionRates(Windows(11, 1.0))
    assert [rates.on_accepted("A", inf, 1.0, 5.0) for _ in range(20)][-1] == 1.0


def test_an_address_over_its_rate_is_turned_away_and_does_not_count() -> None:
    rates = ConnectionRates(Windows(11, 1.0))
    let_in = [rates.on_host("1.2.3.4", 2.0, 5.0) == 0.0 for _ in range(50)]
    assert sum(let_in) == 20
    assert rates.on_host("1.2.3.5", 2.0, 5.0) == 0.0
    assert rates.on_host("1.2.3.4", 2.0, 16.5) == 0.0


def test_what_is_turned_away_does_not_count_for_the_node() -> None:
    rates = ConnectionRates(Windows(11, 1.0))
    for _ in range(100):
        assert rates.on_accepted("A", 5.0, 5.0, 5.0) == 0.0
        rates.take_back("A", 5.0)
