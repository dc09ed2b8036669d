"""Profiles, and the options by which every command that connects finds its cluster."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.support.commands import call
from typer.core import TyperGroup

from spindle.cli.app import COMMANDS
from spindle.cli.connecting import Bootstrap, named_cluster
from spindle.cli.exits import End
from spindle.cli.lazy_group import Later
from spindle.model.errors import Unusable
from spindle.model.security_protocol import SecurityProtocol

if TYPE_CHECKING:
    from typer._click.core import Command

SECRET = "hush"
SCRAM = (
    "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=SCRAM-SHA-256\n"
    "sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required "
    f'username="joe" password="{SECRET}";\n'
)


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("SPINDLE_COMMAND_CONFIG", raising=False)


@pytest.fixture
def properties(tmp_path: Path) -> Path:
    path = tmp_path / "client.properties"
    path.write_text(SCRAM)
    return path


def leaves(command: Command, name: str) -> Iterator[tuple[str, set[str]]]:
    """Each command below this one, and itself: its name and its options."""
    yield name, {word for p in command.params for word in p.opts}
    if isinstance(command, TyperGroup):
        for inner in command.commands.values():
            yield from leaves(inner, f"{name} {inner.name}")


@pytest.mark.spec("S-01")
def test_every_command_that_takes_an_address_takes_a_file_and_a_profile() -> None:
    found = {
        name: options
        for row in COMMANDS
        for name, options in leaves(Later(*row).load(), row.name)
        if "--bootstrap-server" in options and row.name != "profile"
    }
    assert len(found) > 20
    for name, options in found.items():
        assert {"-b", "--command-config", "-p", "--profile"} <= options, name


@pytest.mark.spec("S-01", "S-03")
def test_a_profile_is_added_shown_and_removed_and_holds_no_secret(
    properties: Path, tmp_path: Path
) -> None:
    added = call("profile", "add", "prod", "-b", "a:1,b:2", "--command-config", str(properties))
    assert added.code == End.DONE
    again = call("profile", "add", "prod", "-b", "c:3")
    assert (again.code, "--replace" in again.stderr) == (End.FAILED, True)
    shown = json.loads(call("profile", "show", "prod", "--json").stdout)
    assert shown == {
        "version": 1,
        "name": "prod",
        "bootstrap": "a:1,b:2",
        "commandConfig": str(properties),
        "protocol": "SASL_PLAINTEXT",
        "mechanism": "SCRAM-SHA-256",
        "user": "joe",
    }
    listed = json.loads(call("profile", "list", "--json").stdout)
    assert listed["profiles"].keys() == {"prod"}
    file = tmp_path / "config" / "spindle" / "profiles.json"
    assert SECRET not in file.read_text() + call("profile", "show", "prod").stdout
    assert file.stat().st_mode & 0o777 == 0o600
    cluster = named_cluster("", None, "prod")
    assert cluster is not None
    assert (str(cluster), cluster.options) == ("a:1,b:2", "-p prod")
    assert cluster.security.protocol is SecurityProtocol.SASL_PLAINTEXT
    assert call("profile", "remove", "prod").code == End.DONE
    assert call("profile", "remove", "prod").code == End.NOTHING
    with pytest.raises(Unusable, match="there is no profile prod; there are: none"):
        named_cluster("", None, "prod")


@pytest.mark.spec("S-01")
def test_a_profile_that_could_not_connect_is_not_added(tmp_path: Path) -> None:
    (tmp_path / "wrong").write_text("security.protocol=TLS\n")
    for arguments in (("prod", "-b", "a"), ("prod",), ("a b", "-b", "a:1")):
        assert call("profile", "add", *arguments).code == End.FAILED
    wrong = ("--command-config", str(tmp_path / "wrong"))
    told = call("profile", "add", "prod", "-b", "a:1", *wrong)
    assert (told.code, "security.protocol=TLS" in told.stderr) == (End.FAILED, True)
    assert json.loads(call("profile", "list", "--json").stdout)["profiles"] == {}


@pytest.mark.spec("S-01")
def test_a_damaged_file_of_profiles_is_reported(tmp_path: Path) -> None:
    file = tmp_path / "config" / "spindle" / "profiles.json"
    file.parent.mkdir(parents=True)
    file.write_text("{")
    told = call("log-dirs", "-p", "prod")
    assert (told.code, "profiles.json is damaged" in told.stderr) == (End.FAILED, True)


@pytest.mark.spec("S-01")
def test_the_option_goes_before_the_profile_and_that_before_the_environment(
    properties: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def written(name: str) -> Path:
        path = tmp_path / name
        path.write_text(f"client.id={name}\nbootstrap.servers={name}:1\n")
        return path

    def client_id(found: Bootstrap | None) -> str | None:
        assert found is not None
        return found.settings.client_id

    call("profile", "add", "prod", "--command-config", str(written("profiled")))
    monkeypatch.setenv("SPINDLE_COMMAND_CONFIG", str(written("environment")))
    assert client_id(named_cluster("x:1", written("option"), "prod")) == "option"
    assert client_id(named_cluster("x:1", None, "prod")) == "profiled"
    assert client_id(named_cluster("x:1", None)) == "environment"
    assert str(named_cluster("", None)) == "environment:1"
    assert str(named_cluster("x:1", None)) == "x:1"
    monkeypatch.delenv("SPINDLE_COMMAND_CONFIG")
    assert named_cluster("", None) is None
    told = call("log-dirs")
    assert (told.code, told.stderr.startswith("error: name the cluster")) == (End.USAGE, True)


@pytest.mark.spec("N-01")
def test_what_has_no_effect_is_reported_on_stderr(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "c.properties"
    path.write_text("retries=3\n")
    named_cluster("x:1", path)
    told = capsys.readouterr()
    assert (told.out, told.err) == (
        "",
        f"warning: {path}: retries: no effect here. The client decides itself when it connects and"
        " tries again.\n",
    )
