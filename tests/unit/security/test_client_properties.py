"""A client's properties: each name is honoured, refused or reported, and no secret is shown."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from spindle.model.errors import Unusable
from spindle.model.security_protocol import SecurityProtocol
from spindle.security.client_names import HONOURED, REFUSED, WITHOUT_EFFECT
from spindle.security.client_properties import (
    client_settings,
    read_client_settings,
)
from spindle.security.mechanisms import KerberosLogin, OAuthLogin, PasswordLogin
from spindle.security.tokens import ClientCredentials, TokenFile, UnsignedToken

KAFKA = "org.apache.kafka.common.security"
SCRAM = f'{KAFKA}.scram.ScramLoginModule required username="joe" password="hush";'
PLAIN = f'{KAFKA}.plain.PlainLoginModule required username="joe" password="hush";'
OAUTH = f"{KAFKA}.oauthbearer.OAuthBearerLoginModule required"
URL = "sasl.oauthbearer.token.endpoint.url"
HANDLER = "sasl.login.callback.handler.class"


def sasl(mechanism: str, jaas: str, **more: str) -> dict[str, str]:
    return {
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": mechanism,
        "sasl.jaas.config": jaas,
        **more,
    }


@pytest.mark.spec("S-01")
@pytest.mark.parametrize(
    ("mechanism", "jaas"),
    [("PLAIN", PLAIN), ("SCRAM-SHA-256", SCRAM), ("SCRAM-SHA-512", SCRAM)],
)
def test_a_password_goes_with_its_mechanism(mechanism: str, jaas: str) -> None:
    security = client_settings(sasl(mechanism, jaas)).security
    assert security.protocol is SecurityProtocol.SASL_PLAINTEXT
    assert isinstance(security.login, PasswordLogin)
    assert (security.login.mechanism, security.login.username) == (mechanism, "joe")
    assert security.login.password.reveal() == "hush"
    assert security.tls is None


@pytest.mark.spec("S-01")
def test_the_sources_of_tokens(tmp_path: Path) -> None:
    def source(options: str, **more: str) -> object:
        login = client_settings(sasl("OAUTHBEARER", f"{OAUTH} {options};", **more)).security.login
        assert isinstance(login, OAuthLogin)
        return login.source

    unsigned = source('unsecuredLoginStringClaim_sub="joe" unsecuredLoginNumberClaim_n="1"')
    assert unsigned == UnsignedToken({"sub": "joe", "n": 1.0})
    handler = {HANDLER: f"{KAFKA}.oauthbearer.OAuthBearerLoginCallbackHandler"}
    (tmp_path / "token").write_text("abc\n")
    file = source("", **{URL: f"file://{tmp_path}/token", **handler})
    assert isinstance(file, TokenFile)
    assert file.fetch().text.reveal() == "abc"
    older = source('clientId="c" clientSecret="hush" scope="s"', **{URL: "https://idp/t"})
    newer = source(
        "",
        **{
            URL: "https://idp/t",
            "sasl.oauthbearer.client.credentials.client.id": "c",
            "sasl.oauthbearer.client.credentials.client.secret": "hush",
            "sasl.oauthbearer.scope": "s",
        },
    )
    assert isinstance(newer, ClientCredentials)
    assert older == newer
    assert newer.scope == "s"


@pytest.mark.spec("S-01")
def test_kerberos_needs_its_service(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spindle.security.kerberos.check_library", lambda: None)
    jaas = (
        'com.sun.security.auth.module.Krb5LoginModule required useKeyTab=true keyTab="/k" '
        'principal="joe@X";'
    )
    with pytest.raises(Unusable, match=r"sasl\.kerberos\.service\.name is missing"):
        client_settings(sasl("GSSAPI", jaas))
    found = client_settings(sasl("GSSAPI", jaas, **{"sasl.kerberos.service.name": "kafka"}))
    assert found.security.login == KerberosLogin("kafka", "joe@X", "/k")


@pytest.mark.spec("S-01", "N-01")
@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"security.protocol": "TLS"}, "TLS is unknown: PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL"),
        (sasl("DIGEST-MD5", PLAIN), "DIGEST-MD5 is not supported"),
        (sasl("PLAIN", ""), r"sasl\.jaas\.config is missing"),
        (sasl("PLAIN", SCRAM), "names ScramLoginModule, and .* goes with PlainLoginModule"),
        (sasl("PLAIN", PLAIN.replace("password", "pasword")), "has no option pasword"),
        (sasl("PLAIN", f'{KAFKA}.plain.PlainLoginModule required username="u";'), "no password"),
        (sasl("PLAIN", PLAIN[:-1] + ' tokenauth="true";'), "tokenauth goes with .*SCRAM-SHA-256"),
        (sasl("OAUTHBEARER", f"{OAUTH};"), f"set {URL}"),
        (sasl("OAUTHBEARER", f"{OAUTH};", **{URL: "ftp://x"}), "give an address of https"),
        (sasl("OAUTHBEARER", f"{OAUTH};", **{URL: "https://x"}), "client.id is missing"),
        (sasl("OAUTHBEARER", f"{OAUTH};", **{HANDLER: "com.x.Own"}), "runs no class of Java's"),
        ({"ssl.engine.factory.class": "com.x.Own"}, "runs no class of Java's"),
        ({"sasl.oauthbearer.assertion.file": "/x"}, r"tokens by an assertion \(RFC 7523\)"),
        ({"ssl.trustore.location": "/x"}, r"did you mean ssl\.truststore\.location\?"),
        ({"default.api.timeout.ms": "soon"}, "is not a number of milliseconds"),
    ],
)
def test_what_cannot_be_followed_is_refused_by_name(given: dict[str, str], says: str) -> None:
    if "ssl.trustore.location" in given:
        given = {"security.protocol": "SSL", **given}
    if any(name.startswith(("sasl.oauthbearer.assertion", "ssl.engine")) for name in given):
        given = {"security.protocol": "SASL_SSL", **given}
    with pytest.raises(Unusable, match=says) as refused:
        client_settings(given)
    assert "hush" not in str(refused.value)


@pytest.mark.spec("N-01")
def test_what_has_no_effect_is_reported_once_for_each_reason() -> None:
    told = client_settings(
        {
            "retries": "3", "reconnect.backoff.ms": "1", "log.dirs": "/d", "acks": "all",
            "ssl.truststore.location": "/nowhere", "sasl.jaas.config": PLAIN,
        }
    ).warnings  # fmt: skip
    assert told == (
        "retries, reconnect.backoff.ms: no effect here. The client decides itself when it connects"
        " and tries again.",
        "log.dirs: no effect here. They are settings of brokers.",
        "acks: no effect here. This client does not know them.",
        "ssl.truststore.location: no effect here. security.protocol=PLAINTEXT has no TLS.",
        "sasl.jaas.config: no effect here. security.protocol=PLAINTEXT has no SASL.",
    )


@pytest.mark.spec("S-01", "S-03")
@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("http://idp.example:8080/token", "idp.example"),
        ("http://user:pass@idp/token", "idp"),
        ("http://127.example/token", "127.example"),
        ("http://localhost:8080/token", None),
        ("http://127.0.0.1:8080/token", None),
        ("http://[::1]:8080/token", None),
        ("https://idp.example/token", None),
        ("file:///token", None),
    ],
)
def test_a_secret_that_goes_unencrypted_to_another_machine_costs_a_warning(
    url: str, host: str | None
) -> None:
    given = sasl("OAUTHBEARER", f'{OAUTH} clientId="c" clientSecret="hush";', **{URL: url})
    told = client_settings(given).warnings
    line = f"{URL} is no https:// address: the client's secret and the token cross the network to"
    assert told == (() if host is None else (f"{line} {host} unencrypted",))


@pytest.mark.spec("N-01")
def test_no_name_is_in_two_tables() -> None:
    assert not HONOURED & WITHOUT_EFFECT.keys()
    assert not REFUSED.keys() & (HONOURED | WITHOUT_EFFECT.keys())


@pytest.mark.spec("S-01")
def test_a_file_says_the_rest_and_takes_secrets_from_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_OF_JOE", "hush")
    path = tmp_path / "client.properties"
    jaas = SCRAM.replace("hush", "${env:SECRET_OF_JOE}")
    path.write_text(
        f"bootstrap.servers=a:1,b:2\nclient.id=me\ndefault.api.timeout.ms=1500\n"
        f"security.protocol=SASL_PLAINTEXT\nsasl.mechanism=SCRAM-SHA-256\nsasl.jaas.config={jaas}\n"
        "config.providers=env\n"
        "config.providers.env.class=org.apache.kafka.common.config.provider.EnvVarConfigProvider\n"
    )
    found = read_client_settings(path)
    assert (found.bootstrap, found.client_id, found.timeout) == ("a:1,b:2", "me", 1.5)
    assert found.warnings == ()
    assert isinstance(found.security.login, PasswordLogin)
    assert found.security.login.password.reveal() == "hush"
    path.write_text("security.protocol=TLS\n")
    with pytest.raises(Unusable, match=f"^{path}: security.protocol=TLS"):
        read_client_settings(path)


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_a_file_may_have_either_encoding(tmp_path: Path, encoding: str) -> None:
    """Java reads ISO 8859-1, and editors write UTF-8: a comment hinders neither."""
    path = tmp_path / "client.properties"
    path.write_bytes("# für Übungen\nclient.id=für-mich\n".encode(encoding))
    assert read_client_settings(path).client_id == "für-mich"


@pytest.mark.spec("S-03")
def test_no_repr_shows_a_secret_and_a_copy_still_has_it() -> None:
    oauth = f'{OAUTH} clientId="c" clientSecret="hush";'
    for given in (sasl("PLAIN", PLAIN), sasl("OAUTHBEARER", oauth, **{URL: "https://idp/t"})):
        settings = client_settings(given)
        assert "hush" not in repr(settings)
        assert "[hidden]" in repr(settings)
        assert pickle.loads(pickle.dumps(settings)) == settings
