"""Samples of a real cluster that grows: its forecast, and what would be; no replica is moved."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.pipeline.conftest import Desk
from tests.support.clients import produce

from spindle.client.results import NewTopic
from spindle.pipeline import forecast, history, job, write_rates
from spindle.pipeline.past_samples import course
from spindle.pipeline.proposal import PlanRequest
from spindle.pipeline.session import Session
from spindle.pipeline.what_if import Changes, what_if
from spindle.planning.load import Band

TOPIC = "swelling"


@pytest.mark.spec("P-03")
def test_written_bytes_and_sizes_are_those_of_the_brokers(
    spark: Session, desk: Desk, tmp_path: Path
) -> None:
    """A topic that grows, and one that is deleted and made again: its new bytes count alone."""

    def sampled() -> None:
        assert job.sample(spark, desk.bootstrap, tmp_path) is not None

    def size_of(topic: str) -> int:
        told = desk.ask("describe_log_dirs", [1])[1]
        return sum(log.size for d in told for name, log in d.current.items() if name.topic == topic)

    for topic in ("grows", "remade"):
        desk.ask("create_topics", [NewTopic(topic, assignment={0: (1,)})])
        produce(desk.bootstrap, topic, [b"." * 20_000] * 50)
    sampled()
    first = size_of("grows")
    produce(desk.bootstrap, "grows", [b"." * 20_000] * 30)
    desk.drop("remade")
    desk.ask("create_topics", [NewTopic("remade", assignment={0: (1,)})])
    produce(desk.bootstrap, "remade", [b"." * 100])
    sampled()
    last = size_of("grows")
    assert last - first > 30 * 20_000
    rows = {r.topic: r for r in write_rates.replicas(history.read(spark, tmp_path)).collect()}
    grows, remade = rows["grows"], rows["remade"]
    assert (grows.size, grows.written) == (last, last - first)
    assert grows.write_rate == pytest.approx((last - first) / grows.observed)
    assert remade.written == remade.size == size_of("remade")
    for topic in ("grows", "remade"):
        desk.drop(topic)


@pytest.mark.spec("P-05", "P-12")
def test_from_samples_of_a_cluster_to_what_will_be_and_what_would_be(
    spark: Session, desk: Desk, tmp_path: Path
) -> None:
    desk.ask("create_topics", [NewTopic(TOPIC, assignment={0: (1,)})])
    for _ in range(4):
        produce(desk.bootstrap, TOPIC, [b"." * 20_000] * 100, 0)
        assert job.sample(spark, desk.bootstrap, tmp_path) is not None
    told = desk.ask("describe_log_dirs", [1])[1]
    (home,) = [d.path for d in told if any(name.topic == TOPIC for name in d.current)]
    (other,) = [d.path for d in told if d.path != home]

    first, *others = forecast.forecast(course(spark, tmp_path))
    assert (first.broker, set(first.paths)) == (1, {home, other}), "they are on one device"
    assert "too little history: 4 samples in " in first.lacking, "seconds say nothing of days"
    assert first.line[-1][1] - first.line[0][1] >= 3 * 100 * 20_000
    assert all(f.line[-1][1] - f.line[0][1] < 100 * 20_000 for f in others if f.line)
    assert [size for _, size in first.line] == sorted(size for _, size in first.line)

    wanted = PlanRequest(Band(0.05, 0.95))
    drained = what_if(spark, tmp_path, PlanRequest(wanted.band, (f"1:{home}",)), Changes())
    assert drained.possible
    assert (TOPIC, other) in {(m.topic, m.target) for m in drained.proposal.moves}
    both = Changes(lose=(f"1:{home}", f"1:{other}"))
    nowhere = what_if(spark, tmp_path, wanted, both)
    assert not nowhere.possible
    assert any("no other directory takes replicas" in why for why in nowhere.against)
    assert any("no other copy" in note for note in nowhere.proposal.notes)
    after = desk.ask("describe_log_dirs", [1])[1]
    assert [set(d.current) for d in after] == [set(d.current) for d in told], "no replica was moved"
    desk.drop(TOPIC)
