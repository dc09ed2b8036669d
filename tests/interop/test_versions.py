"""Releases of Apache Kafka, old and new, with a small broker each: the quick form of the matrix."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.kafka_jars import JarsMissing
from tests.support.kafka_release import KRAFT, ZK, Release, cluster_of
from tests.support.version_walk import QUICK, VersionWalk

pytestmark = [pytest.mark.kafka, pytest.mark.timeout(400)]
RELEASES = (Release("2.8.2", ZK), Release("3.9.1", KRAFT), Release("4.3.0", KRAFT))


@pytest.mark.spec("V-01", "V-02", "V-03")
@pytest.mark.parametrize("release", RELEASES, ids=str)
def test_everything_works_on_a_release(release: Release, tmp_path: Path) -> None:
    try:
        kafka = cluster_of(release, tmp_path / "kafka")
    except JarsMissing as missing:
        pytest.fail(str(missing))
    with kafka:
        kafka.start()
        walk = VersionWalk(kafka, tmp_path)
        walk.fill()
        for step in QUICK.values():
            step(walk)
