"""Commands that tests fork from a loaded process: each answers as one that was started."""

from __future__ import annotations

import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.support.commands import begin, run
from tests.support.processes import tied


@pytest.mark.parametrize(
    "words",
    [
        ("spindle", "--version"),
        ("spindle", "log-dirs", "--no-such-option"),
        ("spindle", "log-dirs", "-b", "127.0.0.1:1"),
        ("kafka-storage", "info", "-c", "no such file"),
        ("kafka-log-dirs", "--help"),
        ("kafka-metadata-quorum", "describe"),
    ],
)
def test_codes_and_what_is_printed_are_those_of_a_process_of_its_own(
    words: tuple[str, ...],
) -> None:
    told, alone = run(*words), begin(*words)
    assert (told.stdout, told.stderr) == alone.communicate(timeout=60)
    assert told.code == alone.returncode


NODE = """
process.roles=broker
node.id=1
listeners=PLAINTEXT://127.0.0.1:1
controller.listener.names=CONTROLLER
controller.quorum.voters=100@127.0.0.1:2
"""


def test_the_folder_and_the_environment_of_the_moment_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        Path("node.properties").write_text(f"{NODE}log.dirs={name}\n")
        told = run("kafka-storage", "info", "-c", "node.properties")
        assert str(tmp_path / name / name) in told.stdout + told.stderr
    pages = []
    for columns in ("60", "120", "60"):
        monkeypatch.setenv("COLUMNS", columns)
        pages.append(run("kafka-log-dirs", "--help").stdout)
    assert pages[0] == pages[2] != pages[1]


def test_one_that_does_not_end_is_killed_and_others_run_beside_it() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent, ThreadPoolExecutor(2) as pool:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        late = pool.submit(run, "spindle", "log-dirs", "-b", address, seconds=2)
        assert run("spindle", "--version").code == 0
        with pytest.raises(subprocess.TimeoutExpired):
            late.result()


def test_what_formats_a_node_loads_none() -> None:
    code = (
        "import sys, spindle.cli.kafka_names, spindle.cli.storage.command\n"
        "from spindle.cli.storage import storage_format\n"
        "print(*{'spindle.node.node', 'spindle.runtime.server'} & set(sys.modules))"
    )
    done = subprocess.run(tied([sys.executable, "-c", code]), capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "\n", "")
