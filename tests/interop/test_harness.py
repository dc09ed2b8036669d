"""The harness itself: Apache Kafka starts, serves, restarts and keeps its data."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.support.apache_kafka import LOG_DIRS, ApacheKafka

pytestmark = pytest.mark.kafka


def test_separate_controller_and_three_directories_serve_again_after_a_kill(
    kafka_jars: Path, tmp_path: Path
) -> None:
    with ApacheKafka(
        tmp_path, kafka_jars, brokers=1, directories=3, separate_controller=True
    ) as kafka:
        kafka.start()
        kafka.create_topic("t", "1,1,1")
        kafka.stop_node(1, kill=True)
        kafka.start_node(1)
        done = kafka.run_tool(LOG_DIRS, "--bootstrap-server", kafka.bootstrap, "--describe")
        assert done.code == 0, done
        (broker,) = json.loads(done.lines()[2])["brokers"]
        found = {d["logDir"]: d["partitions"] for d in broker["logDirs"]}
        assert sorted(found) == kafka.log_dirs(1)
        assert all(len(partitions) == 1 for partitions in found.values())
