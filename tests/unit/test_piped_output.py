"""Commands of the house end quietly where the reader of their output has gone (`| head`)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.processes import tied

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    "words",
    # The figures themselves take seconds, and are printed as their help is.
    [("tests.house.figures", "--help"), ("tests.spec_table",)],
    ids=lambda words: words[0],
)
def test_without_a_reader_they_end_and_say_nothing(words: tuple[str, ...]) -> None:
    there, ours = os.pipe()
    os.close(there)
    done = subprocess.run(
        tied([sys.executable, "-m", *words]),
        cwd=ROOT, stdout=ours, stderr=subprocess.PIPE, timeout=120, check=False,
    )  # fmt: skip
    os.close(ours)
    assert done.stderr == b""
    assert done.returncode == -signal.SIGPIPE
