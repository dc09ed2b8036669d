"""Sizes, bars, tables."""

from __future__ import annotations

import pytest

from spindle.cli import render


@pytest.mark.parametrize(
    ("count", "text"),
    [(None, "-"), (0, "0 B"), (1023, "1023 B"), (1536, "1.5 KiB"), (5 << 40, "5.0 TiB")],
)
def test_sizes(count: int | None, text: str) -> None:
    assert render.size(count) == text


@pytest.mark.parametrize(
    ("done", "total", "share"), [(0, 0, "100%"), (0, 10, "0%"), (5, 10, "50%"), (20, 10, "100%")]
)
def test_bars(done: int, total: int, share: str) -> None:
    text = render.bar(done, total)
    assert text.endswith(f" {share:>4}")
    assert len(text) == 25


def test_a_table_shows_cells_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    render.table("Things", ("name", "count"), [("[red]x[/red]", "1"), ("/a/long/path", "22")])
    out = capsys.readouterr().out
    assert "[red]x[/red]" in out
    assert "/a/long/path" in out
    assert "Things" in out


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
    assert ("copying" in capsys.readouterr().err) == terminal


def test_a_transfer_into_a_file_is_a_line_every_ten_seconds(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    clock = iter([0.0, 4.0, 10.0, 19.0, 20.0])
    monkeypatch.setattr(render, "monotonic", lambda: next(clock))
    with render.transfer("copying", 4096) as report:
        for done in (1024, 2048, 3072, 4096):
            report(done)
    assert capsys.readouterr().err.splitlines() == [
        "copying: 2.0 KiB of 4.0 KiB",
        "copying: 4.0 KiB of 4.0 KiB",
    ]
