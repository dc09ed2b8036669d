"""Our clients at the secured listeners of Apache Kafka 4.3: each way in, and each way to fail.

One node has all listeners. What is right is judged by Kafka's broker, and by its own tool with the
same file; one line must say what is wrong, and name the setting to change.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.apache_kafka import LOG_DIRS, run_tool
from tests.support.client_files import KINDS, STORE_SECRET, ClientFiles
from tests.support.commands import call
from tests.support.deadlines import Deadline
from tests.support.kafka_jars import kafka_jars
from tests.support.secured_kafka import SecuredKafka, password
from tests.support.token_endpoint import TokenEndpoint

from spindle.cli import kafka_names
from spindle.cli.exits import End
from spindle.client.admin import admin_from_properties
from spindle.client.connector import Connector, OpenLink
from spindle.client.failures import AuthenticationFailed, Refused
from spindle.model.errors import Error
from spindle.security.client_names import HONOURED, REFUSED, WITHOUT_EFFECT

pytestmark = [pytest.mark.kafka, pytest.mark.spec("S-01")]

UNSECURED_TOKEN = 'unsecuredLoginStringClaim_sub="admin"'
HANDLER = "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler"
SCRAM = "SCRAM-SHA-512"
RE_AUTHENTICATIONS = 2


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecuredKafka]:
    with SecuredKafka(tmp_path_factory.mktemp("secured"), kafka_jars()) as found:
        found.start()
        yield found


@pytest.fixture(scope="module")
def files(secured: SecuredKafka) -> ClientFiles:
    return ClientFiles(secured)


async def directories(path: Path, bootstrap: str) -> int:
    """How many log directories a client with these properties sees."""
    async with admin_from_properties(path, bootstrap) as admin:
        return len(await admin.describe_log_dirs([1])[1])


@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"])
@pytest.mark.parametrize("tls", [False, True], ids=["SASL_PLAINTEXT", "SASL_SSL"])
def test_a_password_gets_in(
    mechanism: str, tls: bool, secured: SecuredKafka, files: ClientFiles
) -> None:
    path = files.write("right", files.sasl(mechanism, tls=tls))
    assert asyncio.run(directories(path, secured.at("BOTH" if tls else "SASL"))) == 2


@pytest.mark.parametrize("kind", KINDS)
def test_stores_of_every_kind_get_in(kind: str, secured: SecuredKafka, files: ClientFiles) -> None:
    """The broker's name and ours are checked, by stores of Java's or of PEM."""
    tls = files.write("tls", files.tls(kind))
    assert asyncio.run(directories(tls, secured.at("TLS"))) == 2
    mutual = files.write("mutual", files.mutual(kind))
    assert asyncio.run(directories(mutual, secured.at("MUTUAL"))) == 2
    assert asyncio.run(directories(mutual, secured.at("OLD"))) == 2


def test_tokens_of_each_source_get_in(
    secured: SecuredKafka, files: ClientFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    url = "sasl.oauthbearer.token.endpoint.url"
    handler = {"sasl.login.callback.handler.class": HANDLER}
    own = secured.folder / "broker.pem"
    trust = f'ssl.truststore.type="PEM" ssl.truststore.location="{secured.trusted}"'
    with TokenEndpoint(own, "tools", "client-secret") as endpoint:
        made = files.oauth(UNSECURED_TOKEN)
        asked = files.oauth(
            f'clientId="tools" clientSecret="client-secret" scope="kafka" {trust}',
            **{url: endpoint.url, **handler},
        )
        for properties in (made, asked):
            path = files.write("token", properties)
            assert asyncio.run(directories(path, secured.at("OAUTH"))) == 2
        form = {"grant_type": ["client_credentials"], "scope": ["kafka"]}
        assert endpoint.asked == [form], "one token serves all connections of a client"
        wrong = {n: v.replace("client-secret", "hush") for n, v in asked.items()}
        with pytest.raises(AuthenticationFailed, match="401 Unauthorized: check the client's id"):
            asyncio.run(directories(files.write("no", wrong), secured.at("OAUTH")))
        untrusted = {n: v.replace(trust, "") for n, v in asked.items()}
        with pytest.raises(Exception, match="CERTIFICATE_VERIFY_FAILED"):
            asyncio.run(directories(files.write("no", untrusted), secured.at("OAUTH")))


@pytest.mark.spec("V-08")
def test_a_user_without_rights_learns_which_one_is_missing(
    secured: SecuredKafka, files: ClientFiles
) -> None:
    token = files.oauth('unsecuredLoginStringClaim_sub="stranger"')
    path = files.write("stranger", token)
    at = ("-b", secured.at("OAUTH"), "--command-config", str(path))
    refused = call("log-dirs", *at)
    assert refused.code == End.UNKNOWN, refused
    assert "CLUSTER_AUTHORIZATION_FAILED" in refused.stderr
    assert "the user needs Describe on Cluster" in refused.stderr
    listed = call("reassign", "list", *at)
    assert listed.code != End.DONE, listed
    assert "the user needs Describe on Cluster" in listed.stderr
    assert "\tat " not in listed.stderr, "no lines of Java"
    examined = call("doctor", *at, "--json")
    assert examined.code == End.UNKNOWN, examined
    told = [one["text"] for one in json.loads(examined.stdout)["findings"]]
    assert any("the user lacks Describe on Cluster" in text for text in told)
    assert any("the user lacks Alter on Cluster" in text for text in told)
    assert not any("the user has the rights" in text for text in told)


SASL_OVER_TLS = r"wants SASL \(.*SCRAM-SHA-512.*\): set security\.protocol=SASL_SSL"
SPEAKS_TLS = r"this port speaks TLS: set security\.protocol=SSL or SASL_SSL"
NO_CERTIFICATE = r"wants one and got none \(mutual TLS\): set ssl\.keystore\.location"
EXPECTED = {
    "password, PLAIN": ("SASL", r"refuses the user \(PLAIN\): .*Invalid username or password"),
    "password, SCRAM": ("SASL", r"refuses the user \(SCRAM-SHA-512\): .*invalid credentials"),
    "password over TLS": ("BOTH", r"refuses the user \(SCRAM-SHA-512\)"),
    "user": ("SASL", r"refuses the user \(PLAIN\)"),
    "mechanism": ("OAUTH", r"does not offer sasl\.mechanism=PLAIN; it offers OAUTHBEARER"),
    "token": ("OAUTH", r"refuses the user \(OAUTHBEARER\): .*invalid_token"),
    "authority": ("TLS", r"authority of the broker's certificate is unknown: add .*truststore"),
    "authority, with SASL": ("BOTH", r"authority of the broker's certificate is unknown"),
    "host name": ("127.0.0.1:TLS", r"certificate is for other IP addresses .*connect by a name"),
    "expired": ("EXPIRED", r"the broker's certificate has expired: renew it on the broker"),
    "no certificate": ("MUTUAL", NO_CERTIFICATE),
    "no certificate, TLS 1.2": ("OLD", NO_CERTIFICATE),
    "unknown certificate": ("MUTUAL", r"does not take our certificate.*certificate unknown"),
    "old certificate": ("MUTUAL", r"does not take our certificate"),
    "versions of TLS": ("OLD", r"none of our versions of TLS: see ssl\.enabled\.protocols"),
    "plaintext to TLS": ("TLS", SPEAKS_TLS),
    "plaintext to mutual TLS": ("MUTUAL", SPEAKS_TLS),
    "plaintext to SASL": ("SASL", r"wants SASL \(.*\): set security\.protocol=SASL_PLAINTEXT"),
    "plaintext to both": ("BOTH", SPEAKS_TLS),
    "TLS to both": ("BOTH", SASL_OVER_TLS),
    "SASL to both": ("BOTH", SPEAKS_TLS),
    "TLS to plaintext": ("PLAINTEXT", r"speaks no TLS: set security\.protocol=PLAINTEXT"),
    "TLS to SASL": ("SASL", r"speaks no TLS: set security\.protocol=SASL_PLAINTEXT"),
    "SASL to plaintext": ("PLAINTEXT", r"asks for no SASL: set security\.protocol=PLAINTEXT"),
    "both to TLS": ("TLS", r"asks for no SASL: set security\.protocol=SSL"),
}
"""What is wrong, the listener (and host), and the words."""


def wrong(files: ClientFiles, what: str) -> dict[str, str]:
    """Properties with this fault."""
    plain, right = files.sasl("PLAIN"), files.tls()
    return {
        "password, PLAIN": files.sasl("PLAIN", secret="hush"),
        "password, SCRAM": files.sasl(SCRAM, secret="hush"),
        "password over TLS": files.sasl(SCRAM, secret="hush", tls=True),
        "user": files.sasl("PLAIN", "nobody"),
        "mechanism": plain,
        "token": files.oauth(f'{UNSECURED_TOKEN} unsecuredLoginLifetimeSeconds="-60"'),
        "authority": files.tls(trust="other"),
        "authority, with SASL": {
            **files.sasl(SCRAM, tls=True),
            "ssl.truststore.location": files.tls(trust="other")["ssl.truststore.location"],
        },
        "unknown certificate": files.mutual(own="stranger"),
        "old certificate": files.mutual(own="old"),
        "versions of TLS": {**files.mutual(), "ssl.enabled.protocols": "TLSv1.3"},
        "TLS to both": right,
        "TLS to plaintext": right,
        "TLS to SASL": right,
        "SASL to both": plain,
        "SASL to plaintext": plain,
        "both to TLS": files.sasl(SCRAM, tls=True),
    }.get(what, {} if what.startswith("plaintext") else right)


@pytest.mark.spec("S-02")
@pytest.mark.parametrize("what", EXPECTED)
def test_what_is_wrong_is_reported_as_what_it_is(
    what: str, secured: SecuredKafka, files: ClientFiles
) -> None:
    place, words = EXPECTED[what]
    host, _, listener = place.rpartition(":")
    path = files.write("wrong", wrong(files, what))
    told = call(
        "log-dirs", "-b", secured.at(listener, host or "localhost"), "--command-config", str(path)
    )
    assert told.code == End.UNKNOWN
    assert re.search(words, told.stderr)
    assert told.stderr.count("\n") == 1
    assert "hush" not in told.stderr


@pytest.mark.spec("S-02")
def test_a_wrong_password_is_tried_once(
    secured: SecuredKafka, files: ClientFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second try would bring the account nearer to being locked."""
    tries = counted(monkeypatch)
    path = files.write("once", files.sasl(SCRAM, secret="hush"))
    twice = f"{secured.at('SASL')},{secured.at('SASL', '127.0.0.1')}"
    with pytest.raises(AuthenticationFailed):
        asyncio.run(directories(path, twice))
    assert len(tries) == 1


def counted(monkeypatch: pytest.MonkeyPatch) -> list[OpenLink]:
    """A list to which each authentication is added."""
    tries: list[OpenLink] = []
    real = Connector.authenticate

    async def authenticate(self: Connector, opened: OpenLink, seconds: float) -> None:
        tries.append(opened)
        await real(self, opened, seconds)

    monkeypatch.setattr(Connector, "authenticate", authenticate)
    return tries


def test_a_session_that_ends_is_renewed_on_its_connection(
    secured: SecuredKafka, files: ClientFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    """KIP-368: the broker would hang up at the first request after a session's end."""
    tries = counted(monkeypatch)

    async def scenario() -> None:
        path = files.write("short", files.sasl("PLAIN"))
        deadline = Deadline(60)
        async with admin_from_properties(path, secured.at("SHORT")) as admin:
            while len(tries) <= RE_AUTHENTICATIONS:
                assert len(await admin.describe_log_dirs([1])[1]) == 2
                deadline.hold(f"{len(tries)} logins")
                await asyncio.sleep(0.05)

    asyncio.run(scenario())
    assert len({id(opened.link) for opened in tries}) == 1


def test_rights_are_the_users(secured: SecuredKafka, files: ClientFiles) -> None:
    path = files.write("guest", files.sasl(SCRAM, "guest"))
    with pytest.raises(Refused) as refused:
        asyncio.run(directories(path, secured.at("SASL")))
    assert refused.value.error is Error.CLUSTER_AUTHORIZATION_FAILED


COMMANDS = (
    ("log-dirs", "--json"),
    ("disks", "--json"),
    ("reassign", "list", "--json"),
    ("balance", "watch", "--json"),
    ("doctor", "--json"),
    ("balance", "plan", "--no-spark", "-o", "plan.json", "--report", "page.html", "--history", "h"),
)


@pytest.mark.spec("S-03")
def test_commands_take_a_file_a_profile_or_the_environment(
    secured: SecuredKafka, files: ClientFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("SPINDLE_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
    path = files.write("admin", files.sasl(SCRAM, tls=True))
    at, config = secured.at("BOTH"), ("--command-config", str(path))
    assert call("profile", "add", "prod", "-b", at, *config).code == 0
    said = [call("profile", "show", "prod"), call("profile", "list", "--json")]
    for command in COMMANDS:
        by_file = call(*command, "-b", at, *config)
        by_name = call(*command, "-p", "prod")
        assert by_file.code in (End.DONE, End.NOTHING), by_file
        assert by_name.code == by_file.code
        said += [by_file, by_name]
    monkeypatch.setenv("SPINDLE_COMMAND_CONFIG", str(path))
    assert call("log-dirs", "-b", at).code == End.DONE
    kafka_names.reassign_partitions(["--bootstrap-server", at, "--list", *config])
    written = [p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()]
    assert len(written) > 3, "profiles, plan, page and a sample"
    kept = b"".join(written).decode(errors="replace")
    for text in (kept, *(one.stdout + one.stderr for one in said)):
        assert password("admin") not in text
        assert STORE_SECRET not in text
    assert (tmp_path / "spindle" / "profiles.json").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(("listener", "kind"), [("BOTH", "JKS"), ("MUTUAL", "PKCS12")])
def test_kafkas_own_tool_says_the_same_with_the_same_file(
    listener: str,
    kind: str,
    secured: SecuredKafka,
    files: ClientFiles,
    capsys: pytest.CaptureFixture[str],
) -> None:
    properties = files.mutual(kind)
    if listener == "BOTH":
        properties |= files.sasl(SCRAM, tls=True) | files.tls(kind)
        properties["security.protocol"] = "SASL_SSL"
    config = ("--command-config", str(files.write("kafka", properties)))
    line = ["--bootstrap-server", secured.at(listener), "--describe", *config]
    kafkas = run_tool(kafka_jars(), LOG_DIRS, *line)
    kafka_names.log_dirs(line)
    assert kafkas.code == 0, kafkas
    assert logs(capsys.readouterr().out) == logs(kafkas.stdout)


def logs(told: str) -> list[str]:
    """The directories in the document that the tool ends with, in one order."""
    (broker,) = json.loads(told.splitlines()[-1])["brokers"]
    return sorted(str(d) for d in broker["logDirs"])


@pytest.mark.spec("N-01")
def test_every_name_of_kafkas_admin_client_is_known() -> None:
    told = run_tool(kafka_jars(), "org.apache.kafka.clients.admin.AdminClientConfig").stdout
    names = set(re.findall(r'<a id="adminclientconfigs_([^"]+)"', told))
    assert len(names) > 80
    assert names <= HONOURED | WITHOUT_EFFECT.keys() | REFUSED.keys()
