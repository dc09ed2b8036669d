"""What a node's settings must be together, as Apache Kafka asks."""

from __future__ import annotations

import pytest

from spindle.model.errors import Unusable
from spindle.model.settings import together
from spindle.model.settings.typed_settings import Settings

BUFFER = "log.cleaner.dedupe.buffer.size"
THREADS = "log.cleaner.threads"


@pytest.mark.spec("N-01")
@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({BUFFER: "2097152", THREADS: "2"}, "at least 1MB per cleaner thread"),
        ({BUFFER: "1048576"}, "at least 1MB per cleaner thread"),
        ({THREADS: "0"}, "threads should be at least 1"),
        ({"log.retention.ms": "0"}, r"log.retention.ms must be unlimited \(-1\) or"),
        ({"log.retention.hours": "0"}, r"log.retention.ms must be unlimited \(-1\) or"),
        ({"log.roll.jitter.ms": "-1"}, "log.roll.jitter.ms must be greater"),
    ],
)
def test_what_does_not_go_together_is_refused(given: dict[str, str], told: str) -> None:
    with pytest.raises(Unusable, match=told):
        together.check(Settings(given))


@pytest.mark.parametrize(
    "given",
    [
        {},
        {BUFFER: "2097154", THREADS: "2"},
        {BUFFER: "1048577"},
        {"log.retention.hours": "-1"},
        {"log.retention.ms": "1", "log.retention.hours": "0"},
    ],
)
def test_what_just_goes_together_is_taken(given: dict[str, str]) -> None:
    together.check(Settings(given))


def test_dynamic_values_count() -> None:
    settings = Settings({BUFFER: "2097152"})
    settings.set_dynamic({THREADS: "2"})
    with pytest.raises(Unusable, match="1MB"):
        together.check(settings)
    settings.set_dynamic({THREADS: "2", BUFFER: "4194304"})
    together.check(settings)
