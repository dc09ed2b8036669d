"""The SASL machines, each against the other side of its mechanism."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from types import ModuleType, SimpleNamespace

import pytest
from scramp import ScramMechanism

from spindle.model.errors import Error, Refusal, Unusable
from spindle.security import kerberos
from spindle.security.kerberos import GssapiClient
from spindle.security.sasl import OAuthBearerClient, PlainClient, ScramConversation
from spindle.security.secret import Secret
from spindle.security.tokens import UnsignedToken

PASSWORD = Secret("pencil")


@pytest.mark.spec("S-01")
def test_plain_sends_name_and_password_once() -> None:
    client = PlainClient("user", PASSWORD)
    assert client.first() == b"\0user\0pencil"
    assert client.answer(b"") is None


@pytest.mark.spec("S-01")
@pytest.mark.parametrize("mechanism", ["SCRAM-SHA-256", "SCRAM-SHA-512"])
def test_scram_proves_the_password_and_wants_the_servers_proof(mechanism: str) -> None:
    known = ScramMechanism(mechanism).make_auth_info("pencil", iteration_count=4096)
    server = ScramMechanism(mechanism).make_server(lambda name: known)
    client = ScramConversation(mechanism, "user", PASSWORD, "abc")
    server.set_client_first(client.first().decode())
    final = client.answer(server.get_server_first().encode())
    assert final is not None
    server.set_client_final(final.decode())
    assert client.answer(server.get_server_final().encode()) is None


@pytest.mark.spec("S-01")
def test_scram_to_rfc_7677_by_the_byte() -> None:
    client = ScramConversation("SCRAM-SHA-256", "user", PASSWORD, "rOprNGfwEbeRWgbNEkqO")
    assert client.first() == b"n,,n=user,r=rOprNGfwEbeRWgbNEkqO"
    nonce = "rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0"
    final = client.answer(f"r={nonce},s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096".encode())
    proof = "dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="
    assert final == f"c=biws,r={nonce},p={proof}".encode()
    assert client.answer(b"v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=") is None


@pytest.mark.spec("S-02")
@pytest.mark.parametrize("told", [b"v=" + base64.b64encode(b"x" * 32), b"nonsense", b"\xff"])
def test_a_server_that_does_not_know_the_password_is_refused(told: bytes) -> None:
    client = ScramConversation("SCRAM-SHA-256", "user", PASSWORD, "abc")
    client.first()
    client.answer(b"r=abcdef,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096")
    with pytest.raises(Refusal) as refused:
        client.answer(told)
    assert refused.value.error is Error.SASL_AUTHENTICATION_FAILED
    assert "pencil" not in str(refused.value)


@pytest.mark.spec("S-01")
def test_a_bearer_token_goes_with_its_extensions_and_a_no_is_acknowledged() -> None:
    client = OAuthBearerClient(Secret("abc"), {"pool": "p1"})
    assert client.first() == b"n,,\x01auth=Bearer abc\x01pool=p1\x01\x01"
    assert client.answer(b'{"status":"invalid_token"}') == b"\x01"
    assert client.answer(b"") is None


@pytest.mark.spec("S-01", "S-03")
def test_an_unsigned_token_has_its_claims_and_an_end() -> None:
    token = UnsignedToken({"sub": "admin", "scope": ["a", "b"]}, 60).fetch()
    head, claims, signature = token.text.reveal().split(".")
    assert signature == ""
    assert json.loads(base64.urlsafe_b64decode(head + "==")) == {"alg": "none"}
    found = json.loads(base64.urlsafe_b64decode(claims + "=="))
    assert (found["sub"], found["scope"]) == ("admin", ["a", "b"])
    assert found["exp"] == pytest.approx(token.ends)
    assert claims not in repr(token)


class FakeContext:
    """Two tokens, then a wrapped offer; it wraps by a mark in front."""

    def __init__(self, offer: bytes) -> None:
        self.complete = False
        self.offer = offer
        self.heard: list[bytes | None] = []

    def step(self, token: bytes | None) -> bytes | None:
        self.heard.append(token)
        self.complete = token is not None
        return None if self.complete else b"ticket"

    def unwrap(self, data: bytes) -> SimpleNamespace:
        return SimpleNamespace(message=self.offer)

    def wrap(self, data: bytes, encrypt: bool) -> SimpleNamespace:
        assert not encrypt
        return SimpleNamespace(message=b"wrapped:" + data)


def _library(
    context: FakeContext, stores: list[dict[str, object]] | None = None
) -> Callable[[str], object]:
    def credentials(**given: object) -> object:
        if stores is not None:
            stores.append(given)
        return given

    library = SimpleNamespace(
        exceptions=SimpleNamespace(GSSError=OSError),
        NameType=SimpleNamespace(user="user", hostbased_service="service"),
        MechType=SimpleNamespace(kerberos="kerberos"),
        Name=lambda text, kind: (text, kind),
        Credentials=credentials,
        SecurityContext=lambda **given: context,
    )
    return lambda name: library


@pytest.mark.spec("S-01")
def test_gssapi_ends_with_the_choice_of_no_security_layer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    context = FakeContext(b"\x05\x00\x10\x00")
    monkeypatch.setattr(kerberos, "import_module", _library(context))
    client = GssapiClient("kafka", "broker-1", None, None)
    assert client.first() == b"ticket"
    assert client.answer(b"reply") == b""
    assert client.answer(b"offer") == b"wrapped:\x01\x00\x00\x00"
    assert client.answer(b"") is None
    assert context.heard == [None, b"reply"]


@pytest.mark.spec("S-01")
def test_each_keytab_has_tickets_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    stores: list[dict[str, object]] = []
    monkeypatch.setattr(kerberos, "import_module", _library(FakeContext(b""), stores))
    for keytab, principal in (("/a", "joe"), ("/a", "ann"), ("/b", None), (None, None)):
        GssapiClient("kafka", "broker-1", principal, keytab)
    caches = {str(one["store"]) for one in stores}
    assert len(caches) == 4
    assert stores[-1]["store"] is None, "the user's own cache"


@pytest.mark.spec("S-02")
def test_a_broker_that_insists_on_a_layer_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kerberos, "import_module", _library(FakeContext(b"\x04\x00\x10\x00")))
    client = GssapiClient("kafka", "broker-1", None, None)
    client.first()
    client.answer(b"reply")
    with pytest.raises(Refusal, match="insists on a security layer"):
        client.answer(b"offer")


@pytest.mark.spec("S-01")
def test_without_its_library_gssapi_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> ModuleType:
        raise ImportError(name)

    monkeypatch.setattr(kerberos, "import_module", missing)
    with pytest.raises(Unusable, match=r"pip install 'spindle\[kerberos\]'"):
        kerberos.check_library()
