"""Each extra of the package, and none, in an environment of its own: every command answers.

The wheel is built and installed as users do it. What it needs is linked from the environment that
the tests run in, at the locked versions: only what the extra asks for is there, and `pip check`
says whether that is complete.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import venv
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from tests.support.processes import tied

from spindle.cli.app import COMMANDS
from spindle.cli.lazy_group import Later

ROOT = Path(__file__).parents[2]
EXTRAS = ("", "spark", "connect", "demo")
TOOLS = (
    "kafka-features", "kafka-log-dirs", "kafka-metadata-quorum", "kafka-reassign-partitions",
    "kafka-share-groups", "kafka-storage",
)  # fmt: skip
NEEDS_MORE = {
    "": {
        "balance forecast": "'spindle[spark]'",
        "forensics .": "'spindle[spark]'",
        "audit --log-dir .": "'spindle[spark]'",
        "demo": "'spindle[spark,demo]'",
    },
    "demo": {"forensics .": "'spindle[spark]'", "demo": "'spindle[spark,demo]'"},
    "spark": {"demo": "'spindle[spark,demo]'"},
    "connect": {"demo": "'spindle[spark,demo]'"},
}
"""Commands that need what is not there, and what they say to install."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this source."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"  # A build leaves files beside what it builds.
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
    shutil.copytree(ROOT / "src", source / "src", ignore=ignored)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    pip("wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", str(folder), str(source))
    (built,) = folder.glob("spindle-*.whl")
    return built


def pip(*arguments: str, python: Path | None = None) -> str:
    at = () if python is None else ("--python", str(python))
    done = subprocess.run(
        tied([sys.executable, "-m", "pip", *at, *arguments]),
        capture_output=True,
        text=True,
        timeout=300,
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def needed(requirements: list[str], extra: str) -> dict[str, Distribution]:
    """What these requirements bring, by name, as far as it is installed here."""
    found: dict[str, Distribution] = {}
    pending = [(Requirement(text), extra) for text in requirements]
    while pending:
        requirement, of = pending.pop()
        if requirement.marker and not requirement.marker.evaluate({"extra": of}):
            continue
        if requirement.name == "spindle":
            pending += [(Requirement(t), e) for e in requirement.extras for t in requirements]
            continue
        try:
            dist = distribution(requirement.name)
        except PackageNotFoundError:
            raise AssertionError(f"{requirement} is not installed: make setup") from None
        if requirement.name not in found:
            found[requirement.name] = dist
            pending += [
                (Requirement(text), e)
                for e in ("", *requirement.extras)
                for text in dist.requires or ()
            ]
    return found


@pytest.fixture(scope="module", params=EXTRAS, ids=lambda extra: extra or "base")
def installed(
    request: pytest.FixtureRequest, wheel: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, Path]:
    """An environment with the package and one extra; its folder of programs."""
    extra: str = request.param
    home = tmp_path_factory.mktemp(f"env-{extra or 'base'}")
    venv.create(home, symlinks=True)
    programs = home / "bin"
    pip("install", "--quiet", "--no-deps", str(wheel), python=programs / "python")
    (packages,) = home.glob("lib/python*/site-packages")
    (own,) = packages.glob("spindle-*.dist-info")
    for dist in needed(Distribution.at(own).requires or [], extra).values():
        for file in dist.files or ():
            source, link = Path(str(dist.locate_file(file))), packages / file
            if ".." in file.parts or "__pycache__" in file.parts or not source.is_file():
                continue
            link.parent.mkdir(parents=True, exist_ok=True)
            if not link.exists():
                link.symlink_to(source)
    return extra, programs


def call(programs: Path, command: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": f"{programs}:/usr/bin:/bin", "HOME": str(programs.parent)}
    return subprocess.run(
        tied([str(programs / command), *arguments]),
        capture_output=True,
        text=True,
        timeout=120,
        env=environment,
        cwd=programs.parent,
    )


def every_command() -> list[list[str]]:
    """The words of all commands and sub-commands."""
    found: list[list[str]] = []
    for row in COMMANDS:
        inner = getattr(Later(*row).load(), "commands", {})
        found += [[row.name], *([row.name, name] for name in inner)]
    return found


@pytest.mark.spec("N-07")
def test_every_command_answers_and_says_what_is_missing(installed: tuple[str, Path]) -> None:
    extra, programs = installed
    assert "No broken requirements" in pip("check", python=programs / "python")
    script = (
        "import sys, io, contextlib, json\n"
        "from spindle.cli.app import main\n"
        "for words in json.loads(sys.argv[1]):\n"
        "    try:\n"
        "        with contextlib.redirect_stdout(io.StringIO()) as out: main([*words, '--help'])\n"
        "    except SystemExit as end: assert not end.code, words\n"
        "    assert out.getvalue().startswith('Usage: spindle'), words\n"
    )
    asked = call(programs, "python", "-c", script, json.dumps(every_command()))
    assert asked.returncode == 0, asked.stderr
    for tool in TOOLS:
        assert call(programs, tool, "--help").returncode == 0
    for line, advice in NEEDS_MORE[extra].items():
        told = call(programs, "spindle", *line.split())
        assert told.returncode == 1, told
        assert "Traceback" not in told.stderr
        assert re.search(rf"error: .* is missing.*{re.escape(advice)}", told.stderr), told


def test_the_base_install_makes_pages(installed: tuple[str, Path]) -> None:
    extra, programs = installed
    if extra:
        return  # The base has all that this needs.
    script = (
        "from spindle.cli.balance.page import plan_page\n"
        "from spindle.cli.pages import templates\n"
        "from spindle.pipeline.proposal import ClusterProposal, DirectoryNow\n"
        "disk = DirectoryNow(1, '/disk1', True, 100, 50, 20)\n"
        "print(plan_page('A plan', ClusterProposal((disk,), (), 1, (), ())))\n"
        "print(*templates().list_templates())\n"
    )
    made = call(programs, "python", "-c", script)
    assert made.returncode == 0, made.stderr
    page, _, names = made.stdout.rstrip().rpartition("\n")
    assert page.startswith("<!DOCTYPE html>")
    assert {"50 B → 20 B", "50% → 20%"} <= set(re.split("[<>]", page))
    sources = ROOT / "src" / "spindle" / "cli" / "templates"
    assert set(names.split()) == {path.name for path in sources.iterdir()}


@pytest.mark.spec("N-07", "V-07")
def test_the_base_install_serves_shows_its_disks_and_plans(installed: tuple[str, Path]) -> None:
    extra, programs = installed
    if extra:
        return  # The base has all that this needs.
    home = programs.parent / "data"
    command = ["up", "--brokers", "1", "--port", "0", "--data", str(home), "--json"]
    up = subprocess.Popen(
        tied([str(programs / "spindle"), *command]), stdout=subprocess.PIPE, text=True
    )
    try:
        assert up.stdout is not None
        bootstrap = json.loads(up.stdout.readline())["bootstrap"]
        for words in (["log-dirs"], ["disks"], ["replicas"], ["reassign", "list"]):
            done = call(programs, "spindle", *words, "-b", bootstrap)
            assert done.returncode == 0, done
        drained = call(
            programs, "spindle", "disks", "drain", "-b", bootstrap, "1",
            str(home / "broker-1" / "disk-1"),
        )  # fmt: skip
        assert drained.returncode == 0, drained
        plan = ("balance", "plan", "-b", bootstrap)
        planned = call(programs, "spindle", *plan)
        assert planned.returncode == 4, planned
        assert "planned without Spark, from one sample of 0 replicas" in planned.stderr
        assert "is not kept in spindle-history: pip install 'spindle[spark]'" in planned.stderr
        needs = call(programs, "spindle", *plan, "--rate-tolerance", "0.05")
        assert needs.returncode == 1, needs
        assert "install the pipeline with pip install 'spindle[spark]'" in needs.stderr
        kafkas = call(programs, "kafka-log-dirs", "--describe", "--bootstrap-server", bootstrap)
        assert '"version":1' in kafkas.stdout
    finally:
        up.terminate()
        up.communicate(timeout=60)


@pytest.mark.spec("T-01", "N-07")
def test_the_base_install_has_clusters_for_tests(installed: tuple[str, Path]) -> None:
    """Without pytest, which finds the fixtures by the entry point once it is installed."""
    extra, programs = installed
    if extra:
        return  # The base has all that this needs.
    script = (
        "from importlib.metadata import entry_points\n"
        "from importlib.util import find_spec\n"
        "import spindle.testing\n"
        "assert find_spec('pytest') is None\n"
        "with spindle.testing.cluster(brokers=1) as cluster:\n"
        "    cluster.broker(1).restart()\n"
        "    print(cluster.bootstrap_servers)\n"
        "print(*(entry.value for entry in entry_points(group='pytest11')))\n"
    )
    made = call(programs, "python", "-c", script)
    assert made.returncode == 0, made.stderr
    servers, plugin = made.stdout.split()
    assert re.fullmatch(r"127\.0\.0\.1:\d+", servers)
    assert plugin == "spindle.pytest_plugin"
