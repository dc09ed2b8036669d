"""Values that a properties file takes from the environment and from files."""

from __future__ import annotations

from pathlib import Path

import pytest

from spindle.model.errors import Unusable
from spindle.runtime.properties import read_config
from spindle.security.providers import resolve

PACKAGE = "org.apache.kafka.common.config.provider."
ENV = {
    "config.providers": "env",
    "config.providers.env.class": PACKAGE + "EnvVarConfigProvider",
}


@pytest.mark.spec("N-02")
def test_the_environment_gives_values() -> None:
    given = {**ENV, "log.dirs": "${env:BASE}/a,${env:BASE}/b"}
    assert resolve(given, {"BASE": "/d"})["log.dirs"] == "/d/a,/d/b"
    allowed = {**given, "config.providers.env.param.allowlist.pattern": "BA.*"}
    assert resolve(allowed, {"BASE": "/d"})["log.dirs"] == "/d/a,/d/b"


@pytest.mark.spec("N-02")
def test_files_and_directories_give_values(tmp_path: Path) -> None:
    (tmp_path / "node.properties").write_text("rack=r1\n")
    (tmp_path / "id").write_text("7\n")
    given = {
        "config.providers": "file, directory",
        "config.providers.file.class": PACKAGE + "FileConfigProvider",
        "config.providers.file.param.allowed.paths": str(tmp_path),
        "config.providers.directory.class": PACKAGE + "DirectoryConfigProvider",
        "broker.rack": f"${{file:{tmp_path}/node.properties:rack}}",
        "node.id": f"${{directory:{tmp_path}:id}}",
    }
    found = resolve(given, {})
    assert (found["broker.rack"], found["node.id"].strip()) == ("r1", "7")


@pytest.mark.spec("N-01")
@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"node.id": "${vault:x}"}, "there is no provider vault"),
        ({"node.id": "${env:NOTHING}"}, "the environment has no NOTHING"),
        ({"node.id": "${env:/path:X}"}, "Path is not supported"),
        (
            {"config.providers.env.param.allowlist.pattern": "A", "node.id": "${env:BASE}"},
            "does not allow BASE",
        ),
        ({"config.providers.env.class": "com.example.Vault"}, "com.example.Vault"),
        ({"config.providers.env.param.other": "x"}, "has no such parameter"),
    ],
)
def test_what_cannot_be_resolved_is_refused_by_name(change: dict[str, str], text: str) -> None:
    with pytest.raises(Unusable, match=text):
        resolve({**ENV, **change}, {"BASE": "/d"})


@pytest.mark.spec("N-01")
def test_paths_beyond_the_allowed_ones_are_refused(tmp_path: Path) -> None:
    given = {
        "config.providers": "file",
        "config.providers.file.class": PACKAGE + "FileConfigProvider",
        "config.providers.file.param.allowed.paths": str(tmp_path / "in"),
        "broker.rack": f"${{file:{tmp_path}/in/../out:rack}}",
    }
    with pytest.raises(Unusable, match=r"allowed\.paths does not allow"):
        resolve(given, {})


@pytest.mark.spec("N-02")
def test_a_nodes_file_may_use_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPINDLE_TEST_HOURS", "8760")
    lines = {
        **ENV,
        "process.roles": "broker",
        "node.id": "1",
        "controller.listener.names": "CONTROLLER",
        "controller.quorum.voters": "100@127.0.0.1:9093",
        "log.dirs": str(tmp_path),
        "log.retention.hours": "${env:SPINDLE_TEST_HOURS}",
    }
    path = tmp_path / "server.properties"
    path.write_text("".join(f"{name}={text}\n" for name, text in lines.items()))
    config = read_config(path)
    assert config.settings.whole("log.retention.ms") == 8760 * 3_600_000
    assert config.warnings == ()
