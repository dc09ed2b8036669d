"""What Spark says of an error, in one line for people."""

from __future__ import annotations

import pytest
from py4j.protocol import Py4JJavaError

from spindle.model.errors import Unusable
from spindle.pipeline.spark_messages import core, in_few_words

TRACEBACK = """Traceback (most recent call last):
  File "worker.py", line 7, in main
    read()
  File "source.py", line 9, in read
    raise {cause}
"""
JAVA = """An error occurred while calling o451.collectToPython.
: org.apache.spark.SparkException: [FAILED_READ_FILE.NO_HINT] Encountered error while reading file
\tat org.apache.spark.scheduler.Task.run(Task.scala:147)
Caused by: org.apache.spark.SparkException: [MALFORMED_RECORD_IN_PARSING] Malformed records
Caused by: com.fasterxml.jackson.core.io.JsonEOFException: Unexpected end-of-input
\t... 26 more
"""
PLANNING = "[PYTHON_DATA_SOURCE_ERROR] Failed to plan Python data source in Python"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            f"{PLANNING}: {TRACEBACK}spindle.model.errors.Unusable: there is no directory /d",
            "there is no directory /d",
        ),
        (f"{PLANNING}: {TRACEBACK}ValueError: too large", f"{PLANNING}; ValueError: too large"),
        (f"{TRACEBACK}OSError: no room\n\nJVM stacktrace:\nx.Y: z", "OSError: no room"),
        ("[JOB_CANCELLED] It was cancelled.\nmore", "[JOB_CANCELLED] It was cancelled."),
        (
            JAVA,
            "[FAILED_READ_FILE.NO_HINT] Encountered error while reading file; "
            "JsonEOFException: Unexpected end-of-input",
        ),
        (
            "\n".join(JAVA.splitlines()[:3]),
            "[FAILED_READ_FILE.NO_HINT] Encountered error while reading file",
        ),
        ("", "no message"),
        ("Traceback (most recent call last):", "no message"),
    ],
)
def test_an_error_is_reported_without_its_traceback(words: str, told: str) -> None:
    assert core(words) == told


def test_what_java_throws_is_no_traceback_either() -> None:
    class Thrown(Py4JJavaError):  # type: ignore[misc]
        """Without a JVM to ask."""

        def __init__(self) -> None:
            Exception.__init__(self)

        def __str__(self) -> str:
            return JAVA

    says = r"^Spark could not audit: \[FAILED_READ_FILE"
    with pytest.raises(Unusable, match=says), in_few_words("audit"):
        raise Thrown
