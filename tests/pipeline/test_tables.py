"""Histories in tables of catalogs that a session has by its settings: here Hive's, with Derby."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support import spark_class_data
from tests.support.processes import tied

from spindle.pipeline.schemas import SAMPLE

COLUMNS = ", ".join(f"{f.name} {f.dataType.simpleString()}" for f in SAMPLE)


@pytest.mark.spec("P-02", "V-07")
def test_a_table_in_hives_format_has_each_sample_once_and_a_forecast_comes_of_it(
    tmp_path: Path,
) -> None:
    """It was made by hand, not in Spark's own format, and with a column that is not ours."""
    conf = tmp_path / "conf"
    conf.mkdir()
    (conf / "spark-defaults.conf").write_text(
        f"spark.driver.extraClassPath {spark_class_data.class_path()}\n"
        "spark.sql.catalogImplementation hive\n"
        f"spark.sql.warehouse.dir {(tmp_path / 'warehouse').as_uri()}\n"
        "spark.hadoop.javax.jdo.option.ConnectionURL "
        f"jdbc:derby:;databaseName={tmp_path}/metastore;create=true\n"
    )
    made = f"CREATE TABLE kafka_disks (site string, {COLUMNS}) STORED AS PARQUET"
    done = subprocess.run(
        tied([sys.executable, "-m", "tests.support.table_history", "kafka_disks", made]),
        env={**os.environ, "SPARK_CONF_DIR": str(conf),
             "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        cwd=tmp_path, timeout=600,
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-4000:]
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["provider"] == "hive"
    assert told["sizes"] == [100 + 10 * n for n in range(9)]
    assert (told["samples"], told["growth_per_hour"]) == (9, 2)
    assert told["moves"] == ["fixed-0 /a -> /b"]
