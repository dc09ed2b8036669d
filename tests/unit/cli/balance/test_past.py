"""What a plan says of the history and of what it foretells."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from spindle.cli.balance import outlook, past
from spindle.cli.exits import End
from spindle.client.failures import Unreachable
from spindle.pipeline import growth
from spindle.pipeline.forecast import Filling
from spindle.pipeline.growth import Line

NOW = datetime(2026, 11, 21, tzinfo=UTC)
DAY = 86_400.0
GIB = 1 << 30


def filling(
    days: float | None, spread: float = 0.0, free: int = 100 * GIB, samples: int = 169
) -> Filling:
    """A disk that is full in so many days; None: it does not grow, 0: now."""
    slope = 0.0 if days is None else free / days / DAY if days else 1.0
    line = tuple((NOW - timedelta(hours=n), 9) for n in reversed(range(samples)))
    enough = samples >= 49
    course = Line(slope, slope * spread, 0.0, 7, DAY) if enough else None
    used = 50 * GIB if days == 0 else 50 * GIB - free
    return Filling(1, ("/a",), used, 50 * GIB, NOW, course, line)


@pytest.mark.spec("P-12")
@pytest.mark.parametrize(
    ("days", "spread", "when", "between"),
    [
        (15, 0.5, "6 Dec 2026, in 15 days", "2 and 12 Dec 2026"),
        (15, 0.0, "6 Dec 2026, in 15 days", "6 Dec 2026"),
        (10, 0.5, "1 Dec 2026, in 10 days", "28 Nov and 5 Dec 2026"),
        (40, 0.5, "31 Dec 2026, in 40 days", "21 Dec 2026 and 16 Jan 2027"),
        (15, 9.0, "6 Dec 2026, in 15 days", "22 Nov 2026 or later"),
        (1.5, 0.0, "22 Nov 2026 12:00 UTC, in 36 hours", "22 Nov 2026 12:00 UTC"),
        (None, 0.0, "not in ten years", "-"),
        (5000, 0.0, "not in ten years", "-"),
        (0, 0.0, "now", "-"),
    ],
)
def test_when_a_disk_is_full_is_shown_by_dates(
    days: float | None, spread: float, when: str, between: str
) -> None:
    found = filling(days, spread)
    assert (outlook.when(found), outlook.between(found)) == (when, between)


@pytest.mark.spec("P-12")
def test_with_too_little_history_nothing_is_forecast_and_the_reason_is_given() -> None:
    short = filling(1.5, samples=8)
    assert (outlook.when(short), outlook.between(short), outlook.growth(short)) == ("-", "-", "-")
    told = "too little history: 8 samples in 7 h; it takes 8 in 48 h"
    assert short.lacking == told
    assert outlook.headline([short]) == f"Nothing is forecast: {told}"
    document = outlook.document(short)
    assert document["lacking"] == told
    assert {document[n] for n in ("fullAt", "earliest", "latest", "growthPerDay")} == {None}
    both = outlook.headline([filling(15, 0.5), short])
    assert both == (
        "Broker 1 /a fills first: 6 Dec 2026, in 15 days; between 2 and 12 Dec 2026 (80%); "
        "nothing is forecast for 1 disk"
    )
    assert outlook.headline([filling(0)]) == "Broker 1 /a is full"
    assert outlook.headline([filling(None)]).startswith("No directory fills within ten years")


def test_scripts_get_moments_and_the_confidence() -> None:
    document = outlook.document(filling(15, 0.5))
    assert document["fullAt"] == "2026-12-06T00:00:00Z"
    assert str(document["earliest"]) < str(document["fullAt"]) < str(document["latest"])
    assert (document["daysLeft"], document["lacking"]) == (15.0, None)
    assert document["confidence"] == growth.CONFIDENCE
    assert f"between ({growth.CONFIDENCE:.0%})" in outlook.COLUMNS


@pytest.mark.spec("N-06", "P-12")
def test_a_forecast_without_enough_history_could_not_find_out_and_has_found_nothing_bad() -> None:
    short = filling(1.5, samples=8)
    assert past._end([]) is End.UNKNOWN
    assert past._end([short]) is End.UNKNOWN
    assert past._end([filling(2), filling(None), short]) is End.DONE
    assert past._end([filling(2), filling(0)]) is End.FAILED


@pytest.mark.spec("P-02")
def test_a_sample_that_fails_ends_no_service(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A wrong address ends it at once; an outage costs the samples in it and no more."""
    answers: list[str | Exception] = ["a", Unreachable("no broker answers"), OSError("full"), "b"]

    def take() -> str:
        if not answers:
            raise KeyboardInterrupt
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr("time.sleep", lambda seconds: None)
    with pytest.raises(KeyboardInterrupt):
        past._sampling(take, 60.0)
    assert capsys.readouterr().err.splitlines() == [
        "sampled: a",
        "warning: no sample this time: no broker answers",
        "warning: no sample this time: full",
        "sampled: b",
    ]
    answers = [Unreachable("no broker answers")]
    with pytest.raises(Unreachable):
        past._sampling(take, 60.0)
