"""The process of the Spark session that commands share: a Spark Connect server on loopback.

`python -m spindle.pipeline.spark_daemon FOLDER MINUTES`, started by `warm_session`. It ends once no
command has used it for so many minutes, or by SIGTERM (`spindle spark stop`).
"""

from __future__ import annotations

import os
import secrets
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Final

from pyspark.sql import SparkSession

from spindle.pipeline.session import served
from spindle.pipeline.warm_session import WarmPlace, WarmServer

_LOOK_SECONDS: Final = 2.0
_SERVICE: Final = "org.apache.spark.sql.connect.service.SparkConnectService"


def serve(place: WarmPlace, minutes: float) -> None:
    """Serve until nothing has used the server for so long, or a signal ends it."""
    ended = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: ended.set())
    token = secrets.token_urlsafe(32)
    # The JVM takes it from its environment: a command line is for all to see.
    os.environ["SPARK_CONNECT_AUTHENTICATE_TOKEN"] = token
    spark = served()
    server = WarmServer(os.getpid(), _port(spark), token, time.time(), minutes)
    place.tell(server)
    used = time.monotonic()
    while not ended.wait(_LOOK_SECONDS):
        with place.unused() as unused:
            if not unused:
                used = time.monotonic()
            elif time.monotonic() - used > minutes * 60:
                place.told.unlink(missing_ok=True)
                break
    place.told.unlink(missing_ok=True)
    spark.stop()


def _port(spark: SparkSession) -> int:
    loader = spark._jvm.java.lang.Thread.currentThread().getContextClassLoader()
    service = loader.loadClass(f"{_SERVICE}$").getField("MODULE$").get(None)
    return int(service.localPort())


if __name__ == "__main__":
    serve(WarmPlace(Path(sys.argv[1])), float(sys.argv[2]))
