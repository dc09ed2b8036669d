"""The table of coverage by room, and its floors."""

import pytest
from tests import coverage


def file(run: int, lines: int) -> dict[str, dict[str, int]]:
    return {"summary": {"covered_lines": run, "num_statements": lines}}


def test_a_room_below_its_floor_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(coverage, "FLOORS", {"core": 90, "wire": 50})
    files = {
        "src/spindle/core/raft/raft_log.py": file(8, 10),
        "src/spindle/core/lifecycle.py": file(9, 10),
        "src/spindle/wire/batch.py": file(1, 2),
        "src/spindle/__main__.py": file(0, 1),
    }
    assert coverage.below(files) == ["core has 85.0 %, its floor is 90 %"]
    shown = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in shown[1:]] == ["__main__", "core", "wire"]
