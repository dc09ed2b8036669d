"""Sizes, bars, tables."""

from __future__ import annotations

from threading import Event

import pytest

from spindle.cli import render


@pytest.mark.parametrize(
    ("count", "text"),
    [(None, "-"), (0, "0 B"), (1023, "1023 B"), (1536, "1.5 KiB"), (5 << 40, "5.0 TiB")],
)
def test_sizes(count: int | None, text: str) -> None:
    assert render.size(count) == text


@pytest.mark.parametrize(
    ("share", "text"), [(0, "0%"), (0.0008, "0.08%"), (0.0949, "9.49%"), (0.1, "10%"), (1, "100%")]
)
def test_small_shares_have_decimals(share: float, text: str) -> None:
    assert render.percent(share) == text


@pytest.mark.parametrize(
    ("done", "total", "share"), [(0, 0, "100%"), (0, 10, "0%"), (5, 10, "50%"), (20, 10, "100%")]
)
def test_bars(done: int, total: int, share: str) -> None:
    text = render.bar(done, total)
    assert text.endswith(f" {share:>4}")
    assert len(text) == 25
    filled = sum(text.count(one) for one in "#█")
    assert filled + sum(text.count(one) for one in "-░") == 20, "the bar is legible without colours"
    assert filled == round(20 * (min(done, total) / total if total else 1))


def test_a_table_shows_cells_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    render.table("Things", ("name", "count"), [("[red]x[/red]", "1"), ("/a/long/path", "22")])
    out = capsys.readouterr().out
    assert "[red]x[/red]" in out
    assert "/a/long/path" in out
    assert "Things" in out


@pytest.mark.parametrize(
    ("locale", "ascii_only"),
    [
        ({"LC_ALL": "C"}, True),
        ({"LC_ALL": "POSIX", "LANG": "en_US.UTF-8"}, True),
        ({}, True),
        ({"LANG": "C.UTF-8"}, False),
        ({"LC_ALL": "", "LC_CTYPE": "de_DE.UTF-8", "LANG": "C"}, False),
    ],
)
def test_the_locale_c_gets_ascii_though_python_writes_utf_8(
    locale: dict[str, str],
    ascii_only: bool,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("LC_ALL", "LC_CTYPE", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in locale.items():
        monkeypatch.setenv(name, value)
    render.table("Things", ("name", "done"), [("x", render.bar(5, 10))])
    out = capsys.readouterr().out
    assert out.isascii() == ascii_only
    bar = "##########----------" if ascii_only else "██████████░░░░░░░░░░"
    assert bar in out, "what is done differs from what is not, without colour"


def test_failing_ends_the_command_with_the_error_on_stderr(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as ended:
        render.fail("it broke; do this")
    assert ended.value.code == 1
    assert capsys.readouterr().err == "error: it broke; do this\n"


@pytest.mark.parametrize("terminal", [True, False])
def test_a_transfer_is_drawn_on_terminals_alone(
    terminal: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    if terminal:
        monkeypatch.setenv("FORCE_COLOR", "1")
    with render.transfer("copying", 0) as report:
        report(512, 1024)
        report(1024)
    said = capsys.readouterr().err
    assert ("100%" in said) == terminal
    assert (said == "copying: 512 B of 1.0 KiB\ncopying: 1.0 KiB of 0 B\n") == (not terminal)


def test_a_table_in_a_file_has_no_blanks_at_the_ends_of_lines(
    capsys: pytest.CaptureFixture[str],
) -> None:
    render.table("", ("a", "a wide column"), [("1", "x"), ("2", "")])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 3
    assert [line for line in lines if line != line.rstrip()] == []


def test_work_without_a_measure_tells_a_file_that_it_goes_on(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What `balance plan`, `forecast` and `audit` show while they run."""
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    told = Event()
    clock = iter([0.0, 60.0])
    monkeypatch.setattr(render, "_SECONDS_BETWEEN_LINES", 0.001)
    monkeypatch.setattr(render, "monotonic", lambda: next(clock, 60.0))
    note = render.note

    def heard(text: str) -> None:
        note(text)
        if text.endswith("min"):
            told.set()

    monkeypatch.setattr(render, "note", heard)
    with render.waiting("planning"):
        assert told.wait(10)
    lines = capsys.readouterr().err.splitlines()
    assert lines[:2] == ["planning ...", "planning ... 1 min"]


def test_a_transfer_into_a_file_is_a_line_a_minute_and_at_both_ends(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    clock = iter([0.0, 40.0, 60.0, 119.0])
    monkeypatch.setattr(render, "monotonic", lambda: next(clock))
    with render.transfer("copying", 4096) as report:
        for done in (1024, 2048, 3072, 4096):
            report(done)
    assert capsys.readouterr().err.splitlines() == [
        "copying: 1.0 KiB of 4.0 KiB",
        "copying: 3.0 KiB of 4.0 KiB",
        "copying: 4.0 KiB of 4.0 KiB",
    ]


def test_transfers_into_a_file_tell_rate_and_time_left_of_each_part(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    now = 0.0
    monkeypatch.setattr(render, "monotonic", lambda: now)
    with render.transfers("copying") as report:
        for now in (0.0, 4.0, 10.0):
            done = round(now) * 1024
            report({"broker 1 /a": (done, 20480), "broker 2 /b": (done * 2, 20480)})
    assert capsys.readouterr().err.splitlines() == [
        "copying: 0 B of 40.0 KiB",
        "  broker 1 /a: 0 B of 20.0 KiB",
        "  broker 2 /b: 0 B of 20.0 KiB",
        "copying: 30.0 KiB of 40.0 KiB, 3.0 KiB/s, 0:00:03 left",
        "  broker 1 /a: 10.0 KiB of 20.0 KiB, 1.0 KiB/s, 0:00:10 left",
        "  broker 2 /b: 20.0 KiB of 20.0 KiB, 2.0 KiB/s, 0:00:00 left",
    ]


def test_transfers_on_a_terminal_have_a_bar_for_each_part(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "120")
    with render.transfers("copying") as report:
        report({"broker 1 /d3[red]x": (512, 1024), "broker 2 /b": (0, 1024)})
    drawn = capsys.readouterr().err
    assert all(word in drawn for word in ("copying", "broker 1 /d3[red]x", "broker 2 /b"))
    assert "█" * 10 + "░" * 10 in drawn or "#" * 10 + "-" * 10 in drawn, "half of it"


def test_a_rate_is_that_of_the_last_seconds() -> None:
    rate = render.Rate()
    assert rate.add(0.0, 0) is None
    assert rate.add(1.0, 100) == 100.0
    assert rate.add(20.0, 100) == 0.0
    assert rate.add(21.0, 50) is None
