"""A Spark cluster on loopback: master, worker, and a Spark Connect server whose driver uses both.

    with SparkCluster(home) as cluster: ... cluster.master, cluster.connect

The workers' Python has every library and no `spindle`: code that runs there has been sent there.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Self

import psutil
import pyspark

from spindle.pipeline.session import first_jars
from tests.support import spark_class_data
from tests.support.ports import free_port
from tests.support.processes import tied
from tests.support.waiting import eventually

_SPARK_HOME = Path(pyspark.__file__).parent
_JVM = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
_START_SECONDS = 120
_PYSPARK_COMPILED = "import sys; sys.path[:] = [p for p in sys.path if 'pyspark.zip' not in p]"
"""Spark names its archive of PySpark first, out of which each process would compile all that it
loads, for most of a second; the same lies compiled among the libraries."""


class SparkCluster:
    """One worker with two cores, in processes of their own that end with the block."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.python = _python_without_us(home / "python")
        self.master = f"spark://127.0.0.1:{free_port()}"
        self._connect_port = free_port()
        # Drivers find the archive of classes in their environment.
        self._java = shlex.join([*_JVM, *spark_class_data.options()])
        self._processes: list[subprocess.Popen[bytes]] = []

    @property
    def connect(self) -> str:
        """The Spark Connect server's address."""
        return f"sc://127.0.0.1:{self._connect_port}"

    def __enter__(self) -> Self:
        try:
            self._start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _start(self) -> None:
        port = self.master.rpartition(":")[2]
        ui = ["--webui-port", str(free_port())]
        deploy = "org.apache.spark.deploy"
        place = ["--host", "127.0.0.1", *ui]
        self._run("master", "spark-class", f"{deploy}.master.Master", *place, "--port", port)
        worker = [f"{deploy}.worker.Worker", "--host", "127.0.0.1", "--cores", "2",
                  "--memory", "2g", "--work-dir", str(self.home / "work"),
                  "--webui-port", str(free_port()), self.master]  # fmt: skip
        self._run("worker", "spark-class", *worker)
        self._log_says("worker", "Successfully registered with master")
        server = "org.apache.spark.sql.connect.service.SparkConnectServer"
        self._run("connect", "spark-submit", "--class", server, *self.settings(),
                  "--conf", "spark.connect.grpc.binding.address=127.0.0.1",
                  "--conf", f"spark.connect.grpc.binding.port={self._connect_port}",
                  "--conf", "spark.cores.max=1", "spark-internal")  # fmt: skip
        self._log_says("connect", "Spark Connect server started at")

    def settings(self) -> list[str]:
        """Options of spark-submit for this cluster."""
        options = {
            "spark.ui.enabled": "false",
            "spark.driver.memory": "512m",
            "spark.executor.memory": "512m",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.extraClassPath": first_jars(),
            "spark.driver.extraJavaOptions": shlex.join(_JVM),
            "spark.executor.extraClassPath": first_jars(),
            "spark.executor.extraJavaOptions": self._java,
            "spark.sql.shuffle.partitions": "2",
        }
        pairs = [part for name, value in options.items() for part in ("--conf", f"{name}={value}")]
        return ["--master", self.master, *pairs]

    def submit(self, *arguments: str, seconds: float = 280) -> subprocess.CompletedProcess[str]:
        """Run `spindle` with these arguments by spark-submit, its driver in this environment."""
        import spindle

        program = str(Path(spindle.__file__).with_name("__main__.py"))
        command = [str(_SPARK_HOME / "bin" / "spark-submit"), *self.settings(),
                   "--conf", "spark.cores.max=1", program, *arguments]  # fmt: skip
        environment = {**self.environment(), "PYSPARK_DRIVER_PYTHON": sys.executable,
                       "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}  # fmt: skip
        return subprocess.run(
            tied(command), env=environment, cwd=self.home, capture_output=True, text=True,
            timeout=seconds, check=False,
        )  # fmt: skip

    def jvms(self) -> list[psutil.Process]:
        """Those of the master, the worker, the server, and of what they have started."""
        own = [psutil.Process(process.pid) for process in self._processes]
        family = [p for one in own for p in (one, *one.children(recursive=True))]
        return [process for process in family if process.name() == "java"]

    def environment(self) -> dict[str, str]:
        """That of every process of the cluster: no path leads to our code."""
        return {
            **_clean(),
            "SPARK_HOME": str(_SPARK_HOME),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_DAEMON_MEMORY": "512m",
            "SPARK_DAEMON_JAVA_OPTS": self._java,
            "SPARK_DAEMON_CLASSPATH": first_jars(),
            "PYSPARK_PYTHON": str(self.python),
        }

    def stop(self) -> None:
        """End all processes, and those that they have started."""
        for process in reversed(self._processes):
            try:
                family = psutil.Process(process.pid).children(recursive=True)
            except psutil.NoSuchProcess:
                family = []
            process.kill()
            process.wait(30)
            for one in family:
                try:
                    one.kill()
                except psutil.NoSuchProcess:
                    continue
        self._processes.clear()

    def _run(self, name: str, program: str, *arguments: str) -> None:
        with (self.home / f"{name}.log").open("wb") as log:
            self._processes.append(
                subprocess.Popen(
                    tied([str(_SPARK_HOME / "bin" / program), *arguments]),
                    env=self.environment(),
                    cwd=self.home,
                    stdout=log,
                    stderr=log,
                )
            )

    def _log_says(self, name: str, words: str) -> None:
        log, process = self.home / f"{name}.log", self._processes[-1]

        def said() -> bool:
            text = log.read_text(errors="replace")
            assert process.poll() is None, text[-3000:]
            return words in text

        eventually(said, f"{words} in {log}", _START_SECONDS, 0.2)


def _clean() -> dict[str, str]:
    dropped = ("PYTHONPATH", "SPARK_REMOTE", "PYSPARK_DRIVER_PYTHON", "VIRTUAL_ENV")
    return {name: value for name, value in os.environ.items() if name not in dropped}


def _python_without_us(home: Path) -> Path:
    """A virtual environment with all of this one's packages but our own."""
    subprocess.run(tied([sys.executable, "-m", "venv", "--without-pip", str(home)]), check=True)
    (packages,) = home.glob("lib/python*/site-packages")
    # By their own folder, where they lie compiled. Python reads no .pth there, and
    # it is one that leads to our code.
    libraries = sysconfig.get_path("purelib")
    (packages / "libraries.pth").write_text(f"{libraries}\n{_PYSPARK_COMPILED}\n")
    python = home / "bin" / "python"
    found = subprocess.run(
        tied([str(python), "-c", "import spindle"]), cwd=home, capture_output=True, env=_clean()
    )
    assert found.returncode != 0, "the workers' Python finds spindle without having been sent it"
    return python
