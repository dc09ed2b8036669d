"""Tables fit the terminal, and nothing in them breaks within a number, a name or a path."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.cli import render
from spindle.cli.table_layout import blocks, is_number, layout

COLUMNS = ("broker", "directory", "state", "replicas", "bytes", "free", "why")
ROWS = [
    (
        str(broker), f"/var/lib/kafka/data/disk-{disk}/kafka-logs", "online", "1204", "441.6 GiB",
        "558.4 GiB", "stays above the band: no replica brings it closer",
    )
    for broker in (1, 2) for disk in (1, 2)
]  # fmt: skip
WORDS = re.compile(r"441\.6 GiB|558\.4 GiB|1204|disk-[12]")


def test_where_there_is_room_paths_are_whole() -> None:
    for width in (None, 200):
        found = layout(COLUMNS, ROWS, width)
        assert (found.rows, found.legend) == (ROWS, "")
        assert found.widths is not None
        assert found.widths[1] == len(ROWS[0][1])


def test_where_there_is_less_paths_are_shortened_and_then_sentences_wrap() -> None:
    found = layout(COLUMNS, ROWS, 120)
    assert found.legend == "Paths: /var/lib/kafka/data/*/kafka-logs; shown is what stands for *"
    assert [row[1] for row in found.rows] == ["disk-1", "disk-2"] * 2
    assert found.widths is not None
    narrow = layout(COLUMNS, ROWS, 90)
    assert narrow.widths is not None
    assert narrow.widths[6] < found.widths[6]
    assert narrow.widths[:6] == found.widths[:6]


@pytest.mark.parametrize("width", [40, 60])
def test_in_narrow_terminals_a_row_is_a_block(
    width: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", str(width))
    render.table("Disks", COLUMNS, ROWS)
    lines = capsys.readouterr().out.splitlines()
    table = lines[
        : lines.index("Paths: /var/lib/kafka/data/*/kafka-logs; shown is what stands for *")
    ]
    assert max(map(len, table)) <= width
    assert lines[:4] == ["Disks", "", "  broker     1", "  directory  disk-1"]
    assert "  bytes      441.6 GiB" in lines


@given(st.integers(30, 240))
def test_no_number_and_no_name_is_broken_at_any_width(width: int) -> None:
    found = layout(COLUMNS, ROWS, width)
    if found.widths is None:
        text = blocks(COLUMNS, found.rows, width)
        assert max(map(len, text)) <= width
    else:
        text = render._drawn("", COLUMNS, found.rows, found.widths)
        assert max(len(line.rstrip()) for line in text) <= width
    assert len(WORDS.findall("\n".join(text))) == 4 * len(ROWS)


def test_a_long_name_loses_its_middle_where_nothing_else_helps() -> None:
    name = "a-topic-with-a-name-that-no-terminal-has-room-for-17"
    (line,) = blocks(("partition",), [(name,)], 40)
    assert len(line) == 40
    assert line.endswith("room-for-17")
    assert "…" in line


@pytest.mark.parametrize(
    ("cell", "number"),
    [
        ("-", True), ("12", True), ("1.5 GiB", True), ("0.02% -> 0.04%", True), ("0-4243655", True),
        ("2026-11-24 03:48:30", True), ("1 d 23 h", True), ("12.3 MiB/s", True),
        ("disk-1", False), ("", False), ("1 Dec 2026, in 7 days", False),
        ("90 records; 1 damaged range of at most 10", False),
    ],
)  # fmt: skip
def test_numbers_are_distinguished_from_words(cell: str, number: bool) -> None:
    assert is_number(cell) == number
