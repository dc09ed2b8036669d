"""In which order the scrubber's rounds go past the logs of a directory, and what that costs."""

from collections.abc import Mapping

from tests.support.storage import create, fresh

from spindle.model.log_values import LogKey
from spindle.storage.directory import LogDirectory
from spindle.storage.scrub import ScrubOrder
from spindle.storage.unified_log import UnifiedLog

LOGS = 300


class CountedLogs(dict[LogKey, UnifiedLog]):
    """Logs that know how often all of them were looked at."""

    looks = 0

    def items(self):  # type: ignore[no-untyped-def]
        self.looks += 1
        return super().items()


def many() -> LogDirectory:
    _, directory = fresh()
    for partition in range(LOGS):
        create(directory, LogKey("many", partition))
    create(directory, LogKey("many", 1, future=True))
    return directory


def walked(order: ScrubOrder, logs: Mapping[LogKey, UnifiedLog], name: str = "") -> list[LogKey]:
    """The logs from a name on, as a round goes past them."""
    seen: list[LogKey] = []
    while (log := order.at(logs, name)) is not None:
        seen.append(log.key)
        name = log.local.name + "\0"
    return seen


def test_a_round_goes_past_each_log_once_and_looks_at_all_of_them_once() -> None:
    logs, order = CountedLogs(many().logs), ScrubOrder()
    expected = sorted((LogKey("many", n) for n in range(LOGS)), key=str)
    for rounds in (1, 2):
        assert walked(order, logs) == expected
        assert logs.looks == rounds


def test_a_round_sees_what_has_come_and_gone() -> None:
    directory, order = many(), ScrubOrder()
    logs = dict(directory.logs)
    assert order.at(logs, "") is not None
    gone = LogKey("many", 7)
    del logs[gone]
    assert gone not in walked(order, logs, "many-298")
    create(directory, LogKey("new", 0))
    logs = dict(directory.logs)
    assert walked(order, logs, "many-99")[-1] == LogKey("new", 0)
    # One instead of another: what is gone is stepped over.
    logs[LogKey("newer", 0)] = logs.pop(LogKey("new", 0))
    assert walked(order, logs, "many-99") == [LogKey("many", 99)]
