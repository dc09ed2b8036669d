"""The stages together, on a live cluster."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from tests.pipeline.conftest import Desk
from tests.support.ports import free_port

from spindle.model.errors import Unusable
from spindle.pipeline.job import propose
from spindle.pipeline.proposal import PlanRequest
from spindle.pipeline.session import Session, session
from spindle.planning.load import Band

WANTED = PlanRequest(Band(0.05, 0.9))


@pytest.mark.spec("P-04")
def test_a_directory_is_drained_on_its_broker_alone(
    spark: Session, desk: Desk, tmp_path: Path
) -> None:
    desk.skewed("draining", partitions=3, records=10, size=1000)
    one = str(desk.cluster.broker(1).log_dirs[0])
    proposal = propose(spark, desk.bootstrap, tmp_path, PlanRequest(WANTED.band, (f"1:{one}",)))
    sources = {(m.broker, m.source) for m in proposal.moves}
    assert (1, one) in sources
    emptied = next(d for d in proposal.directories if (d.broker, d.path) == (1, one))
    assert emptied.before > 0
    assert emptied.after == 0
    assert proposal.bytes_moved >= emptied.before
    assert proposal.silent == ()
    desk.drop("draining")


def test_a_directory_that_the_cluster_does_not_have_is_named(
    spark: Session, desk: Desk, tmp_path: Path
) -> None:
    with pytest.raises(Unusable) as refused:
        propose(spark, desk.bootstrap, tmp_path, PlanRequest(WANTED.band, (), ("1:/nowhere",)))
    assert str(refused.value).startswith(
        "the cluster has no log directory 1:/nowhere; write BROKER:PATH, one of: 1:"
    )
    assert f"2:{desk.cluster.broker(2).log_dirs[1]}" in str(refused.value)


def test_what_spark_says_in_hundreds_of_lines_becomes_one(spark: Session, tmp_path: Path) -> None:
    with pytest.raises(Unusable) as failed:
        propose(spark, f"127.0.0.1:{free_port()}", tmp_path, WANTED)
    text = str(failed.value)
    assert text.startswith("Spark could not sample and plan: ")
    assert "no broker answers at 127.0.0.1:" in text
    assert len(text.splitlines()) == 1


def test_a_remote_spark_that_cannot_be_reached_says_what_it_wants(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(SparkSession, "getActiveSession", lambda: None)
    nobody = f"sc://127.0.0.1:{free_port()}"
    with pytest.raises(Unusable, match=rf"^no Spark Connect server answers at {nobody}: "):
        session(remote=nobody)
    with pytest.raises(Unusable, match="Port out of range"):
        session(remote="sc://127.0.0.1:99999999")
    monkeypatch.setitem(sys.modules, "grpc", None)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        place = f"sc://127.0.0.1:{listening.getsockname()[1]}"
        with pytest.raises(Unusable, match=r"^Spark Connect wants more: .*spindle\[connect\]"):
            session(remote=place)
