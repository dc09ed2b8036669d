"""The report of a run's end: a command gets it on its input, a URL by a request.

And what is said of a run that is not at its end.
"""

from __future__ import annotations

import asyncio
import json
import shlex
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from spindle.cli.balance import applying, ending
from spindle.client.failures import OutOfTime
from spindle.model.errors import Unusable
from spindle.pipeline.execution_values import PlanOutcome

ENDED = {"version": 1, "ended": "done", "complete": True}


def test_a_command_gets_the_outcome_on_its_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = "import sys; open(sys.argv[1], 'w').write(sys.stdin.read())"
    ending.tell(shlex.join([sys.executable, "-c", copy, str(tmp_path / "it is")]), ENDED)
    assert json.loads((tmp_path / "it is").read_text()) == ENDED
    ending.tell(shlex.join([sys.executable, "-c", "raise SystemExit(3)"]), ENDED)
    ending.tell("/no/such/program", ENDED)
    told = capsys.readouterr().err.splitlines()
    assert told == [
        f"warning: --on-end did not succeed: {sys.executable} ended with 3",
        "warning: --on-end did not succeed: No such file or directory",
    ]


def test_a_url_gets_the_outcome_and_is_no_part_of_a_warning(
    capsys: pytest.CaptureFixture[str],
) -> None:
    got: list[bytes] = []

    class Hook(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            got.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(204 if self.path == "/good" else 500)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    with HTTPServer(("127.0.0.1", 0), Hook) as server:
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        at = f"http://127.0.0.1:{server.server_port}"
        ending.tell(f"{at}/good", ENDED)
        ending.tell(f"{at}/secret", ENDED)
        server.shutdown()
    assert [json.loads(data) for data in got] == [ENDED, ENDED]
    told = capsys.readouterr().err
    assert told == "warning: --on-end did not succeed: Internal Server Error\n"


@pytest.mark.parametrize("wrong", ["", "ftp://somewhere", "'open"])
def test_what_is_neither_is_refused_before_the_run(wrong: str) -> None:
    with pytest.raises(Unusable, match="--on-end"):
        ending.check(wrong)


@pytest.mark.spec("P-07", "N-06")
def test_a_run_that_loses_its_cluster_says_how_to_go_on() -> None:
    async def lost() -> PlanOutcome:
        raise OutOfTime("no answer within 9.99 s")

    said: list[str] = []
    with pytest.raises(OutOfTime):
        asyncio.run(applying._carried(lost(), said.append))
    (line,) = said
    assert line.startswith("The run is not over: ")
    assert "`spindle balance apply` without PLAN resumes it" in line
