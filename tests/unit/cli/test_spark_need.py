"""Which process samples a cluster that is planned."""

from __future__ import annotations

import pytest

from spindle.cli.balance.spark_need import takes_sample
from spindle.pipeline.single_sample import REPLICAS_MAX


@pytest.mark.spec("V-07", "P-01")
def test_sparks_workers_sample_large_clusters_and_where_spark_is_elsewhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("SPARK_REMOTE", "PYSPARK_GATEWAY_PORT"):
        monkeypatch.delenv(name, raising=False)
    for asked in (None, True):
        assert takes_sample(None, asked, REPLICAS_MAX)
        assert not takes_sample(None, asked, REPLICAS_MAX + 1)
        assert not takes_sample("sc://spark", asked, 1)
    assert takes_sample(None, False, REPLICAS_MAX + 1), "Spark is refused"
    monkeypatch.setenv("PYSPARK_GATEWAY_PORT", "1")
    assert not takes_sample(None, True, 1), "spark-submit has started it"
