"""`spindle disks drain`: what it says when it is interrupted."""

from __future__ import annotations

from collections.abc import Coroutine

import pytest

from spindle.cli.app import main
from spindle.cli.disks import command
from spindle.cli.exits import End


@pytest.mark.spec("B-19", "N-06")
def test_an_interrupted_drain_says_what_goes_on_and_how_to_stop_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(work: Coroutine[object, object, object]) -> object:
        work.close()
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "run_to_end", interrupted)
    with pytest.raises(SystemExit) as ended:
        main(["disks", "drain", "-b", "127.0.0.1:1", "2", "/mnt/a b/d1"])
    assert ended.value.code == End.INTERRUPTED
    said = capsys.readouterr().err
    assert "Moves in progress continue, and the cordon stays" in said
    assert "spindle disks drain --cancel -b 127.0.0.1:1 2 '/mnt/a b/d1'" in said
