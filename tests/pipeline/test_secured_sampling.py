"""The sampler at a secured cluster: Spark's workers authenticate, and no plan shows a secret."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from pyspark.sql import DataFrame
from tests.support.client_files import STORE_SECRET, ClientFiles
from tests.support.kafka_jars import kafka_jars
from tests.support.secured_kafka import SecuredKafka, password

from spindle.pipeline import job
from spindle.pipeline.session import Session
from spindle.pipeline.sources import FORMAT, LogDirs, secured
from spindle.security.client_properties import ClientSecurity, read_client_settings

pytestmark = [pytest.mark.kafka, pytest.mark.spec("S-01", "S-03")]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecuredKafka]:
    with SecuredKafka(tmp_path_factory.mktemp("secured"), kafka_jars()) as found:
        found.start()
        yield found


@pytest.fixture(scope="module")
def properties(cluster: SecuredKafka) -> Path:
    """SASL_SSL, and a certificate of our own beside it: a password, a key and two stores."""
    files = ClientFiles(cluster)
    tls, sasl = files.mutual("JKS"), files.sasl("SCRAM-SHA-512", tls=True)
    return files.write("client", {**sasl, **tls, "security.protocol": "SASL_SSL"})


@pytest.fixture(scope="module")
def security(properties: Path) -> ClientSecurity:
    return read_client_settings(properties).security


def test_a_sample_is_taken_and_no_file_of_the_history_has_a_secret(
    spark: Session, cluster: SecuredKafka, security: ClientSecurity, tmp_path: Path
) -> None:
    file = job.sample(spark, cluster.at("BOTH"), tmp_path, security)
    assert file is not None
    rows = spark.read.parquet(file).select("broker", "directory", "broker_error").collect()
    assert [tuple(row) for row in sorted(rows)] == [
        (1, directory, None) for directory in sorted(cluster.kafka.log_dirs(1))
    ]
    for path in tmp_path.rglob("*"):
        if path.is_file():
            assert_clean(path.read_bytes().decode(errors="replace"), security)


@pytest.mark.parametrize("by_file", [False, True], ids=["registered", "option"])
def test_spark_shows_no_secret(
    by_file: bool,
    spark: Session,
    cluster: SecuredKafka,
    properties: Path,
    security: ClientSecurity,
    capsys: pytest.CaptureFixture[str],
) -> None:
    spark.dataSource.register(LogDirs if by_file else secured(security))
    reader = spark.read.format(FORMAT).option("bootstrap", cluster.at("BOTH"))
    live = reader.option("command-config", str(properties)).load() if by_file else reader.load()
    assert live.where("broker_error is null").count() == 2
    for mode in ("simple", "extended", "codegen", "cost", "formatted"):
        live.explain(mode=mode)
    said = capsys.readouterr()
    assert FORMAT in said.out.lower() or "logdirs" in said.out.lower()
    assert_clean(said.out + said.err, security)
    assert_clean(str(spark.conf.getAll), security)
    assert_clean(plans(live), security)
    assert_clean(processes(), security)


def test_a_wrong_password_is_the_brokers_row(
    spark: Session, cluster: SecuredKafka, properties: Path, tmp_path: Path
) -> None:
    """A sample without any broker fails in the broker's words, in one line."""
    text = properties.read_text().replace(password("admin"), "hush")
    wrong = tmp_path / "wrong.properties"
    wrong.write_text(text)
    security = read_client_settings(wrong).security
    with pytest.raises(Exception, match=r"refuses the user \(SCRAM-SHA-512\)") as refused:
        job.sample(spark, cluster.at("BOTH"), tmp_path, security)
    assert "hush" not in str(refused.value)


def processes() -> str:
    """What `ps` shows of this process, of Spark's JVM and of its Python workers."""
    own = psutil.Process()
    shown = []
    for process in (own, *own.children(recursive=True)):
        with suppress(psutil.Error):  # It has ended meanwhile.
            shown.append(f"{process.cmdline()} {process.environ()}")
    assert any("java" in text for text in shown)
    assert any("pyspark" in text for text in shown[1:])
    return "\n".join(shown)


def plans(frame: DataFrame) -> str:
    """What a listener of Spark's or its event log could print of a query."""
    execution = frame._jdf.queryExecution()
    parts = (execution.logical(), execution.analyzed(), execution.executedPlan())
    texts = [part for plan in parts for part in (plan.treeString(), plan.prettyJson())]
    return "\n".join(map(str, texts))


def assert_clean(text: str, security: ClientSecurity) -> None:
    """No password, and no piece of the key, is in a text."""
    assert security.tls is not None
    assert security.tls.identity is not None
    key = security.tls.identity.key.reveal().splitlines()[1]
    for secret in (password("admin"), STORE_SECRET, key):
        assert secret not in text
