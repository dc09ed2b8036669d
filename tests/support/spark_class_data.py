"""The archive of classes with which Spark's JVMs start: ours, those of commands, and a cluster's.

It holds what a session as commands make it loads for a few jobs. The setting is one of Spark's own
launcher, so what starts is the same command; Java finds its classes in the archive. Java takes it
only where a JVM's class path begins as that of the session does (`session.first_jars`). Its name is
none that the package gives its own archives, of which it keeps two, in the same folder.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from spindle.pipeline.session import first_jars
from tests.support import class_data
from tests.support.processes import tied
from tests.support.spark_jars import SPARKS_OWN

_VARIABLE = "SPARK_SUBMIT_OPTS"
_LIMIT_S = 300
_MODULES = ("--add-modules=jdk.incubator.vector",)
_JOBS = """
import sys
from pyspark.sql import Window, functions as f
from spindle.pipeline.session import session

spark = session("classes")
java = spark.sparkContext._gateway.proc
path = spark.sparkContext._jvm.java.lang.System.getProperty("java.class.path")
made = [(n, n % 7, float(n), str(n)) for n in range(500)]
rows = spark.createDataFrame(made, "a int, b int, c double, d string")
rows = rows.mapInPandas(lambda parts: parts, rows.schema)
rows.write.partitionBy("b").parquet(sys.argv[1])
kept = spark.read.parquet(sys.argv[1])
sums = kept.groupBy("b").agg(f.sum("c").alias("s"), f.max("d"))
last = f.row_number().over(Window.partitionBy("b").orderBy(f.desc("a")))
kept.withColumn("n", last).where("n = 1").join(sums, "b").orderBy("b").toPandas()
kept.union(rows.select(*kept.columns)).distinct().count()
spark.stop()
java.stdin.close()  # It ends by that, and has written its list then.
java.wait(60)
print(path)
"""


def archive() -> Path:
    """Where it is, once it is made."""
    return class_data.place("tests-spark", sorted(SPARKS_OWN.glob("*.jar")))


def share() -> None:
    """Have all Spark drivers that this process starts use it, where it is made."""
    if found := options():
        os.environ.setdefault(_VARIABLE, shlex.join(found))


def options() -> list[str]:
    """What a JVM of Spark takes to use it; nothing as long as it is not made."""
    return class_data.options(archive()) if _serves() else []


def class_path() -> str:
    """All of Spark's jars in the order in which the archive has them.

    For a Spark with a folder of settings of its own: that stands in its class path before the jars,
    unless they are named before it.
    """
    (early,) = SPARKS_OWN.glob("slf4j-api-*.jar")  # Spark's launcher puts it before all others.
    return os.pathsep.join([first_jars(), str(early), f"{SPARKS_OWN}/*"])


def prepare() -> None:
    """Make it if need be."""
    if _serves():
        with tempfile.TemporaryDirectory() as folder:
            class_data.prepare(archive(), lambda lists: _load(lists, Path(folder)), _MODULES)


def _serves() -> bool:
    """Not beside a JAVA_HOME: that may be another Java; the archive is for the one of the PATH."""
    return "JAVA_HOME" not in os.environ and class_data.java().is_file()


def _load(lists: Path, scratch: Path) -> str:
    """Have a session load what is to be in it; its class path."""
    environment = {**os.environ, _VARIABLE: class_data.listing(lists)}
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    done = subprocess.run(
        tied([sys.executable, "-c", _JOBS, str(scratch / "kept")]), capture_output=True, text=True,
        timeout=_LIMIT_S, env=environment, cwd=scratch, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.splitlines()[-1]
