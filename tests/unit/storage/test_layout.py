"""Names on disk, as Apache Kafka forms and reads them."""

from __future__ import annotations

import pytest

from spindle.model.log_values import LogKey
from spindle.storage import layout
from spindle.storage.layout import EntryKind

HEX = "0123456789abcdef0123456789abcdef"


@pytest.mark.parametrize(
    ("name", "kind", "key"),
    [
        ("orders-3", EntryKind.CURRENT, LogKey("orders", 3)),
        ("a-b-c-12", EntryKind.CURRENT, LogKey("a-b-c", 12)),
        ("with.dots-0", EntryKind.CURRENT, LogKey("with.dots", 0)),
        ("__cluster_metadata-0", EntryKind.CURRENT, LogKey("__cluster_metadata", 0)),
        (f"orders-3.{HEX}-future", EntryKind.FUTURE, LogKey("orders", 3, True)),
        (f"a.b-3.{HEX}-future", EntryKind.FUTURE, LogKey("a.b", 3, True)),
        (f"orders-3.{HEX}-delete", EntryKind.DELETE, None),
        (f"orders-3.{HEX}-stray", EntryKind.STRAY, None),
        ("lost+found", EntryKind.FOREIGN, None),
        (".snapshot", EntryKind.FOREIGN, None),
        ("orders-x", EntryKind.FOREIGN, None),
        ("-3", EntryKind.FOREIGN, None),
        ("orders-", EntryKind.FOREIGN, None),
        ("orders-03", EntryKind.FOREIGN, None),
        ("remote-log-index-cache", EntryKind.FOREIGN, None),
    ],
)
@pytest.mark.spec("K113-02")
def test_directory_names(name: str, kind: EntryKind, key: LogKey | None) -> None:
    assert layout.parse_directory(name) == (kind, key)
    if key is not None:
        assert layout.directory_name(key, HEX) == name


def test_a_discarded_name_is_cut_to_what_a_file_system_takes() -> None:
    key = LogKey("t" * 249, 1234)
    name = layout.discarded_name(key, HEX, "delete")
    assert len(name) == layout.NAME_MAX
    assert name.endswith(f"-1234.{HEX}-delete")
    assert layout.is_discarded(name)
    assert layout.discarded_name(LogKey("orders", 3), HEX, "stray") == f"orders-3.{HEX}-stray"


def test_a_future_name_is_never_cut() -> None:
    assert layout.fits(LogKey("t" * 213, 1, True))
    assert not layout.fits(LogKey("t" * 214, 1, True))
    assert layout.fits(LogKey("t" * 249, 1))


@pytest.mark.parametrize("name", ["orders-3", f"orders-3.{HEX}-future", f"x/../o-3.{HEX}-delete"])
def test_only_discarded_names_may_be_purged(name: str) -> None:
    assert not layout.is_discarded(name)


def test_segment_files() -> None:
    name = layout.segment_file(42, layout.TIME_INDEX)
    assert name == "00000000000000000042.timeindex"
    assert layout.parse_segment_file(name) == (42, ".timeindex")
    assert layout.parse_segment_file("42.log") is None
    assert layout.parse_segment_file("00000000000000000042.log.deleted") is None
    assert layout.parse_snapshot("00000000000000000042.snapshot") == 42
    assert layout.parse_snapshot("00000000000000000042-0000000001.checkpoint") is None
