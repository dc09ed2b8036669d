"""What Spark says of an error, in one line for people."""

from __future__ import annotations

import pytest

from spindle.pipeline.spark_messages import core

TRACEBACK = """Traceback (most recent call last):
  File "worker.py", line 7, in main
    read()
  File "source.py", line 9, in read
    raise {cause}
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
        ("", "no message"),
        ("Traceback (most recent call last):", "no message"),
    ],
)
def test_an_error_is_reported_without_its_traceback(words: str, told: str) -> None:
    assert core(words) == told
