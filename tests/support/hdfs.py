"""A small HDFS of its own process: a name node and a data node, on loopback."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from spindle.pipeline.session import prepare_java
from tests.support.processes import tied
from tests.support.spark_jars import SPARKS_OWN, hdfs_jars
from tests.support.waiting import eventually

_JVM = ("-Xmx300m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
_MAIN = "org.apache.hadoop.test.MiniDFSClusterManager"


@contextmanager
def hdfs(folder: Path) -> Iterator[str]:
    """Its URI, as long as it runs; what it stores and says lies in `folder`."""
    prepare_java()
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    assert java is not None
    classes = ":".join([*map(str, hdfs_jars()), f"{SPARKS_OWN}/*"])
    details, log = folder / "details.json", folder / "hdfs.log"
    arguments = ("-datanodes", "1", "-format", "-nnport", "0", "-writeDetails", str(details))
    data = f"-Dtest.build.data={folder}"
    with log.open("wb") as told:
        process = subprocess.Popen(
            tied([java, *_JVM, data, "-cp", classes, _MAIN, *arguments]),
            stdout=told, stderr=told, stdin=subprocess.DEVNULL, cwd=folder,
        )  # fmt: skip
    try:

        def port() -> int:
            assert process.poll() is None, log.read_text()[-3000:]
            text = details.read_text() if details.exists() else ""
            return int(json.loads(text)["namenode_port"]) if text.endswith("}") else 0

        eventually(lambda: port() > 0, "HDFS serves", 120, 0.3)
        yield f"hdfs://127.0.0.1:{port()}"
    finally:
        process.kill()
        process.wait()
