"""The Spark session that commands share: started once, for its user alone, and ended by itself."""

from __future__ import annotations

import fcntl
import json
import stat
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
from tests.support.apache_kafka import ToolResult
from tests.support.commands import run
from tests.support.made_samples import uneven
from tests.support.processes import words_of
from tests.support.waiting import eventually

from spindle.pipeline import small_history
from spindle.pipeline.warm_session import VARIABLE

pytestmark = pytest.mark.timeout(400)


def spindle(*arguments: str) -> ToolResult:
    return run("spindle", *arguments, seconds=200)


def addresses_of(process: psutil.Process) -> set[str]:
    """Where it listens; nowhere for a child that has just ended."""
    with suppress(psutil.NoSuchProcess):
        return {
            connection.laddr.ip.removeprefix("::ffff:")
            for connection in process.net_connections("inet")
            if connection.status == psutil.CONN_LISTEN
        }
    return set()


@pytest.mark.spec("V-07", "S-03")
def test_commands_share_a_session_that_ends_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, place = tmp_path / "history", tmp_path / "run"
    place.mkdir()
    small_history.append(uneven(1, partitions=20), home)
    monkeypatch.setenv(VARIABLE, "0.2")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(place))

    def forecast() -> dict[str, Any]:
        done = spindle("balance", "forecast", "--history", str(home), "--json")
        assert done.code == 6, done  # One sample is too little for a forecast.
        told: dict[str, Any] = json.loads(done.stdout)
        return told

    def server() -> dict[str, Any] | None:
        told = json.loads(spindle("spark", "status", "--json").stdout)["server"]
        return dict(told) if told else None

    assert server() is None
    first = forecast()
    assert first["directories"]
    (use,) = (place / "spindle").glob("*.use")
    held = use.open("ab")
    fcntl.flock(held, fcntl.LOCK_SH)  # As a command does: a busy machine is slow.
    begun = server()
    assert begun is not None
    assert forecast() == first
    again = server()
    assert again is not None
    assert again["pid"] == begun["pid"], "the same serves both"
    (file,) = (place / "spindle").glob("*.json")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    token = json.loads(file.read_text())["token"]
    process = psutil.Process(begun["pid"])
    family = [process, *process.children(recursive=True)]
    assert not any(token in word for p in family for word in words_of(p))
    assert {address for p in family for address in addresses_of(p)} == {"127.0.0.1"}
    file.write_text(file.read_text().replace(token, "another"))
    refused = spindle("balance", "forecast", "--history", str(home))
    assert refused.code == 1, refused
    assert "Traceback" not in refused.stderr
    file.write_text(file.read_text().replace("another", token))
    held.close()
    eventually(lambda: not file.exists(), "it ends by itself", 90, 0.2)
    assert server() is None
    assert spindle("spark", "stop").code == 4
