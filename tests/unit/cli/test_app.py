"""The `spindle` command itself: fast, and friendly to typing errors."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.commands import call, run
from tests.support.processes import tied

from spindle.cli.app import COMMANDS, FRONT, Command, main
from spindle.cli.examples import EXAMPLES
from spindle.cli.exits import End
from spindle.cli.lazy_group import Later, group
from spindle.cli.usage import COMPLETING


def modules() -> set[str]:
    """Where commands are written, but for the one that every command line needs."""
    return {row.target.partition(":")[0] for row in COMMANDS} - {"spindle.cli.completion"}


@pytest.mark.parametrize("word", ["", "-h", "--help", "help"])
def test_help_is_there_at_once_and_loads_nothing_that_parses_or_works(word: str) -> None:
    code = (
        "import sys; from spindle.cli.app import main\n"
        f"try: main({[word] if word else []})\n"
        "except SystemExit as end: assert end.code == 0, end\n"
        "heavy = {'typer', 'rich', 'click', 'inspect', 'pyspark', 'numpy', 'pyarrow', 'kio', "
        "'pydantic', 'jinja2', 'asyncio'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
        "loaded = set(sys.modules) & set(sys.argv[1:])\n"
        "assert not loaded, loaded"
    )
    done = subprocess.run(
        tied([sys.executable, "-c", code, *modules()]), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    for row in COMMANDS:
        assert re.search(rf"^  {row.name} +{re.escape(row.summary)}$", done.stdout, re.MULTILINE)


def test_a_node_is_run_without_what_parses_and_with_the_same_answer(tmp_path: Path) -> None:
    code = (
        "import sys; from spindle.cli.app import main\n"
        "try: main(sys.argv[1:])\n"
        "finally: print(*{'typer', 'pydantic', 'spindle.runtime.server'} & set(sys.modules))"
    )

    def ran(*options: str) -> tuple[int, str, set[str]]:
        done = subprocess.run(
            tied([sys.executable, "-c", code, "broker", *options]),
            capture_output=True, text=True, timeout=60,
        )  # fmt: skip
        return done.returncode, done.stderr, set(done.stdout.split())

    missing = str(tmp_path / "missing")
    plain, parsed = ran("-c", missing), ran("--log-level", "info", f"--config={missing}")
    assert plain[:2] == parsed[:2] == ran("--config", missing)[:2]
    assert plain[0] == End.FAILED
    assert missing in plain[1]
    assert plain[2] == {"spindle.runtime.server"}
    assert "typer" in parsed[2]
    assert ran("-c", "--help")[:2] == ran("--log-level=info", "-c", "--help")[:2]


@pytest.mark.parametrize("row", COMMANDS, ids=lambda row: row.name)
def test_every_command_exists_and_explains_itself(row: Command) -> None:
    assert Later(*row).load().help
    assert call(row.name, "--help").code == End.DONE


def test_the_first_page_has_the_options_that_the_parser_takes() -> None:
    whole = group(COMMANDS, FRONT)
    with whole.make_context("spindle", []) as context:
        taken = [", ".join(p.opts) for p in whole.get_params(context)]
        assert [", ".join(sorted(names.split(", "), key=len)) for names in taken] == [
            names for names, _ in FRONT.options
        ]
        assert whole.get_help(context) == call("--help").stdout.rstrip("\n")
    assert call("--help", "up").stdout == call("--").stdout == call("--help").stdout


def test_an_unknown_command_is_refused_with_the_nearest_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["log-dir"])
    assert ended.value.code == 2
    assert "Did you mean 'log-dirs'? See: spindle --help" in capsys.readouterr().err


def test_a_command_without_arguments_and_help_by_any_name_list_the_commands() -> None:
    told = {call(*words).stdout for words in ([], ["--help"], ["-h"], ["help"])}
    (page,) = told
    assert page.startswith("Usage: spindle [OPTIONS] [COMMAND]\n")
    assert "  help" not in page


def test_an_unreachable_cluster_is_one_clear_line_within_seconds(port: int) -> None:
    done = run("spindle", "log-dirs", "-b", f"127.0.0.1:{port}", seconds=10)
    assert done.code == End.UNKNOWN
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"error: no broker answers at 127.0.0.1:{port}")
    assert "Connection refused" in line


def test_a_wrong_address_says_how_to_write_one() -> None:
    done = run("spindle", "log-dirs", "-b", "localhost")
    assert done.code == 1
    assert "write host:port, e.g. localhost:9092" in done.stderr


# -- every command, in one form ---------------------------------------------------------------


def _walk(path: tuple[str, ...], command: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    yield path, command
    for name, inner in getattr(command, "commands", {}).items():
        yield from _walk((*path, name), inner)


def every_command() -> list[tuple[tuple[str, ...], Any]]:
    """All commands with their sub-commands, by their words."""
    return [found for row in COMMANDS for found in _walk((row.name,), Later(*row).load())]


def test_every_page_of_help_is_for_operators(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    widest = 0
    for path, command in every_command():
        short, long = call(*path, "-h"), call(*path, "--help")
        assert (short.code, short.stdout) == (0, long.stdout)
        lines = long.stdout.splitlines()
        assert lines[0].startswith(f"Usage: spindle {' '.join(path)}")
        assert not re.search(r"[<{]|<=|\[\[", lines[0]), lines[0]
        assert not [line for line in lines if re.search(r"[a-z]\.\.\.$", line)], "cut short"
        options = [line for line in lines if line.startswith("  -")]
        assert not [line for line in options if re.search(r"<\w+|<=| TEXT | X ", line)], options
        for inner in getattr(command, "commands", {}):
            assert any(line.split()[:1] == [inner] for line in lines)
        widest = max(widest, *(len(ln) for ln in lines if not ln.startswith("  spindle")))
    assert 80 < widest <= 100, "COLUMNS is honoured"


def test_every_command_has_examples_and_each_is_understood() -> None:
    commands = {" ".join(path): command for path, command in every_command()}
    runnable = {name for name, c in commands.items() if not getattr(c, "commands", {})}
    assert runnable <= set(EXAMPLES)
    rows = {row.name: row for row in COMMANDS}
    for name, lines in EXAMPLES.items():
        for line in lines:
            words = shlex.split(re.sub(r"\$\([^)]*\)", "ID", line), comments=True)
            words = words[: words.index(">>")] if ">>" in words else words
            assert words[:1] == ["spindle"]
            _understand(Later(*rows[words[1]]).load(), words[2:])
            assert name.split() == words[1 : 1 + len(name.split())] or name == words[1]


def _understand(command: Any, words: list[str]) -> None:
    with command.make_context("spindle", words, resilient_parsing=False) as context:
        rest = [*getattr(context, "_protected_args", ()), *context.args]
        if rest:
            _understand(command.commands[rest[0]], rest[1:])


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["up", "--brokers", "x"], "--brokers: 'x' is not a whole number from 1 to 50."),
        (["up", "--brokers", "99"], "--brokers: '99' is not a whole number from 1 to 50."),
        (["disks", "offline"], "Missing argument 'BROKER'."),
        (
            ["balance"],
            "say what to do: history, forecast, what-if, runs, undo, pause, resume, pace, plan, "
            "apply, watch, cancel.",
        ),
        (["up", "--frob"], "No such option: --frob."),
        (["frobnicate"], "No such command 'frobnicate'."),
        (["--frob"], "No such option: --frob."),
        (["disks", "drian"], "No such command 'drian'. Did you mean 'drain'?"),
        (["completion", "tcsh"], "SHELL: 'tcsh' is not one of bash, zsh, fish."),
        (["completion"], "Missing argument 'SHELL'. Choose from: bash, zsh, fish."),
    ],
)
def test_a_wrong_command_line_is_one_error_line(arguments: list[str], told: str) -> None:
    done = call(*arguments)
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"error: {told} See: spindle")
    assert line.endswith(" --help")
    assert (done.code, done.stdout) == (End.USAGE, "")


def test_versions_by_any_name() -> None:
    assert len({call(word).stdout for word in ("--version", "-V", "version")}) == 1


def test_a_node_that_does_not_answer_is_not_a_failure_but_unknown(port: int) -> None:
    assert call("disks", "-b", f"127.0.0.1:{port}").code == End.UNKNOWN


@pytest.mark.parametrize(
    "words",
    [
        "spindle --help",
        "spindle up --help",
        "spindle storage random-uuid",
        "kafka-log-dirs --help",
        "kafka-storage format --help",
        "kafka-storage random-uuid",
    ],
)
@pytest.mark.parametrize("buffered", [True, False], ids=["buffered", "unbuffered"])
def test_a_reader_that_leaves_is_no_error(words: str, buffered: bool) -> None:
    command, *arguments = words.split()
    reading, writing = os.pipe()
    os.close(reading)
    with contextlib.closing(os.fdopen(writing, "wb")) as closed:
        done = subprocess.run(
            tied([str(Path(sys.executable).parent / command), *arguments]),
            stdout=closed,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            env={**os.environ, "PYTHONUNBUFFERED": "" if buffered else "1"},
        )
    assert done.stderr == ""
    swallowed = "--help" in arguments  # libraries do, where they write
    assert done.returncode in ((0, 1, End.PIPE_CLOSED) if swallowed else (End.PIPE_CLOSED,))


def asked(shell: str, line: str) -> dict[str, str]:
    """The environment by which a shell asks, when the tab key is pressed at the end of a line."""
    words = [*shlex.split(line), *([""] if line.endswith(" ") else [])]
    return {
        COMPLETING: f"complete_{shell}",
        "COMP_WORDS": "\n".join(words),
        "COMP_CWORD": str(len(words) - 1),
        "_TYPER_COMPLETE_ARGS": line,
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
        "COLUMNS": "80",
    }


Tab = Callable[[str, str], str]


@pytest.fixture
def tab(monkeypatch: pytest.MonkeyPatch) -> Tab:
    """What a shell gets to complete a line."""

    def press(shell: str, line: str) -> str:
        for name, value in asked(shell, line).items():
            monkeypatch.setenv(name, value)
        done = call()
        assert (done.code, done.stderr) == (0, "")
        return done.stdout

    return press


COMPLETED = [
    ("spindle dis", {"disks"}),
    ("spindle reass", {"reassign"}),
    ("spindle disks dr", {"drain"}),
    ("spindle disks drain --of", {"--offline"}),
    ("spindle balance plan --th", {"--throttle"}),
    ("spindle completion ", {"bash", "zsh", "fish"}),
    ("spindle disks drain ", set()),
]


@pytest.mark.parametrize(("line", "words"), COMPLETED)
def test_bash_completes_commands_and_options(line: str, words: set[str], tab: Tab) -> None:
    assert set(tab("bash", line).split()) == words


@pytest.mark.parametrize(("line", "words"), COMPLETED)
def test_zsh_completes_commands_and_options_or_files(line: str, words: set[str], tab: Tab) -> None:
    told = tab("zsh", line)
    assert set(re.findall(r'^(?:.*\(\()?"(.*?)"', told, re.MULTILINE)) == words
    assert (told.strip() == "_files") is not bool(words)


@pytest.mark.parametrize(("line", "words"), COMPLETED)
def test_fish_completes_commands_and_options(line: str, words: set[str], tab: Tab) -> None:
    offers = [offer.split("\t") for offer in tab("fish", line).splitlines() if offer]
    assert {name for name, *_ in offers} == words
    assert all(meaning for _, *meanings in offers for meaning in meanings)


def test_the_names_of_all_commands_are_offered_and_none_of_them_is_loaded() -> None:
    code = (
        "import sys; from spindle.cli.app import main\n"
        "try: main()\n"
        "finally: print(*sys.modules, file=sys.stderr)"
    )
    for line, needed in (
        ("spindle ", set()),
        ("spindle balance plan --th", {"spindle.cli.balance.command"}),
    ):
        done = subprocess.run(
            tied([sys.executable, "-c", code]),
            env={**os.environ, **asked("bash", line)}, capture_output=True, text=True, timeout=60,
        )  # fmt: skip
        loaded = set(done.stderr.split())
        assert not loaded & ({"pyspark", *modules()} - needed), done.stderr
        if not needed:
            assert done.stdout.split() == [row.name for row in COMMANDS]
            assert not loaded & {"kio", "asyncio"}


def test_a_shell_completes_by_the_script_for_it() -> None:
    script = (
        f"export PATH={Path(sys.executable).parent}:$PATH; source <(spindle completion bash);"
        "COMP_WORDS=(spindle disks dr); COMP_CWORD=2; _spindle_completion spindle;"
        "printf '%s\\n' \"${COMPREPLY[@]}\"; complete -p spindle"
    )
    done = subprocess.run(tied(["bash", "-c", script]), capture_output=True, text=True, timeout=60)
    words, registered = done.stdout.splitlines()
    assert words == "drain", done.stderr
    assert registered == "complete -o default -F _spindle_completion spindle"
    for shell in ("zsh", "fish"):
        assert f"{COMPLETING}=complete_{shell}" in call("completion", shell).stdout


def test_exit_codes_stand_in_the_help_and_in_the_docs() -> None:
    told = call("--help").stdout
    page = (Path(__file__).parents[3] / "docs" / "start.md").read_text()
    for end in End:
        assert f"{end.value} " in told
        assert f"| {end.value} |" in page
