"""Where the Spark session of commands is known: a hold keeps it, a stale file names none."""

from __future__ import annotations

import os
import socket
import stat
import time
from pathlib import Path

import pytest

from spindle.model.errors import Unusable
from spindle.pipeline.warm_session import MINUTES, VARIABLE, WarmPlace, WarmServer, idle_minutes


def test_a_server_is_there_as_long_as_its_process_and_its_port_are(tmp_path: Path) -> None:
    place = WarmPlace(tmp_path / "run")
    assert stat.S_IMODE(place.folder.stat().st_mode) == 0o700
    assert place.running() is None
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        server = WarmServer(os.getpid(), port, "a token", time.time(), 5.0)
        place.tell(server)
        assert place.running() == server
        assert stat.S_IMODE(place.told.stat().st_mode) == 0o600
        place.tell(server._replace(began=1.0))
        assert place.running() is None, "another process has its number now"
        place.tell(server)
    assert place.running() is None, "nothing listens there"
    place.told.write_text("{}")
    assert place.running() is None


def test_it_is_unused_once_no_command_holds_it(tmp_path: Path) -> None:
    place = WarmPlace(tmp_path)
    with place.use(), place.use(), WarmPlace(tmp_path).unused() as unused:
        assert not unused
    with place.unused() as unused:
        assert unused


def test_minutes_are_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE)
    assert idle_minutes() == MINUTES
    monkeypatch.setenv(VARIABLE, "0")
    assert idle_minutes() == 0
    monkeypatch.setenv(VARIABLE, "long")
    with pytest.raises(Unusable, match="is not a number of minutes"):
        idle_minutes()
