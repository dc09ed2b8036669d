"""Short names of paths show what differs, and the whole paths are shown, too."""

from __future__ import annotations

import pytest

from spindle.cli.path_names import PathNames, elided, paths_in, told_by_difference


@pytest.mark.parametrize(
    ("paths", "names", "pattern"),
    [
        (["/mnt/disk1/kafka-logs", "/mnt/disk2/kafka-logs"], ["disk1", "disk2"],
         "/mnt/*/kafka-logs"),
        (["/var/lib/kafka/data/d1", "/var/lib/kafka/data/e/d2"], ["d1", "e/d2"],
         "/var/lib/kafka/data/*"),
        (["/data/kafka-logs-one", "/data/kafka-logs-one/more"], ["kafka-logs-one",
         "kafka-logs-one/more"], "/data/*"),
        (["/a/kafka", "/b/kafka"], ["/a/kafka", "/b/kafka"], ""),
        (["/mnt/only-one/with-a-long-path"], ["/mnt/only-one/with-a-long-path"], ""),
        (["/kafka-logs-of-one-disk", "/spindle-of-another"], ["/kafka-logs-of-one-disk",
         "/spindle-of-another"], ""),
    ],
)  # fmt: skip
def test_what_all_paths_share_is_said_once(
    paths: list[str], names: list[str], pattern: str
) -> None:
    found = told_by_difference(paths)
    assert [found.of(path).text for path in paths] == names
    assert [found.of(path).full for path in paths] == paths
    assert found.pattern == pattern
    assert pattern in found.legend
    assert [pattern.replace("*", name) or name for name in names] == paths


def test_a_place_keeps_its_broker_and_several_paths_their_commas() -> None:
    found = PathNames({"/mnt/disk1": "disk1", "/mnt/disk2": "disk2"}, "/mnt/*")
    assert found.of("/mnt/disk1, /mnt/disk2").text == "disk1, disk2"
    assert found.within("broker 1 /mnt/disk1") == "broker 1 disk1"
    assert found.within("1:/mnt/disk2") == "1:disk2"
    assert found.of("/elsewhere").text == "/elsewhere"


def test_a_column_of_paths_is_known_by_its_cells() -> None:
    assert paths_in(["/a", "broker 1 /b", "2:/c", "/d, /e", "-", "(all)"]) == [
        "/a", "/b", "/c", "/d", "/e",
    ]  # fmt: skip
    assert paths_in(["/a", "it lies in /b"]) == []


def test_a_name_that_is_too_long_loses_its_middle() -> None:
    assert elided("short", 5) == "short"
    shown = elided("clickstream.raw.v2-15", 12)
    assert len(shown) == 12
    assert shown.startswith("cli")
    assert shown.endswith("v2-15")
