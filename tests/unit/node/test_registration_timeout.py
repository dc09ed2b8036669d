"""How long a broker tries to be registered, how soon again, and what it says if it gives up."""

from __future__ import annotations

from tests.unit.node.test_lifecycle import ME, A, Bench

from spindle.model.errors import Error, PeerFailed


def test_a_broker_whose_old_session_outlives_its_patience_says_what_to_do() -> None:
    """As Apache Kafka's it gives up; unlike that it tells of the session and of the setting."""
    bench = Bench(initial_broker_registration_timeout_ms="10000", broker_session_timeout_ms="90000")
    bench.lifecycle.start([A], -1)
    for number in range(20):
        if bench.controller.busy and number < 18:
            bench.registered(-1, Error.DUPLICATE_BROKER_REGISTRATION)
        elif bench.controller.busy:
            bench.controller.answer(PeerFailed("no answer"))  # Which is not what it waits for.
        bench.pass_time(0.6)
    told = str(bench.halted)
    assert f"another process runs as broker {ME}" in told
    assert "broker.session.timeout.ms, 90 s: start it again after that" in told
    assert "raise initial.broker.registration.timeout.ms above it" in told


def test_another_controller_hears_at_once_what_the_one_before_did_not_take() -> None:
    bench = Bench()
    bench.lifecycle.start([A], -1)
    for _ in range(6):
        bench.controller.answer(PeerFailed("no active controller is known"))
        bench.pass_time(2.5)
    bench.controller.answer(PeerFailed("no active controller is known"))
    bench.controller.on_other_controller()
    bench.pass_time(0.001)
    bench.registered()
    assert bench.lifecycle.epoch == 5
    bench.controller.on_other_controller()
    bench.pass_time(0.001)
    assert len(bench.controller.asked) == 9, "the heartbeat that is under way goes on"
