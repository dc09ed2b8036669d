"""The server's side of PLAIN and SCRAM: our client's side gets in, forged messages do not."""

from __future__ import annotations

import base64
from collections.abc import Callable

import pytest
from scramp import ScramClient

from spindle.model.errors import Refusal
from spindle.model.metadata_records import UserScramCredential
from spindle.model.scram import ScramMechanism
from spindle.security.sasl import PlainClient, ScramConversation
from spindle.security.sasl_server import InvalidCredentials, PlainServer, ScramServer
from spindle.security.secret import Secret

pytestmark = pytest.mark.spec("S-04")
SALT = b"as many bytes as salts have"
SHA_256, SHA_512 = ScramMechanism


def credential(
    user: str, password: str, mechanism: ScramMechanism = SHA_256, iterations: int = 4096
) -> UserScramCredential:
    """What the metadata has of a user."""
    keys = mechanism.keys(mechanism.salted(password, SALT, iterations))
    return UserScramCredential(
        name=user, mechanism=mechanism, salt=SALT, stored_key=keys.stored, server_key=keys.server,
        iterations=iterations,
    )  # fmt: skip


def server(
    *known: UserScramCredential, mechanism: ScramMechanism = SHA_256, decoy: bytes = b"decoy"
) -> ScramServer:
    """One login's machine."""
    users = {one.name: one for one in known}
    return ScramServer(mechanism, users.get, "servernonce", decoy)


def log_in(found: ScramServer, user: str, password: str, title: str = "SCRAM-SHA-256") -> None:
    """A whole conversation with our client's side, which checks the server's proof."""
    client = ScramConversation(title, user, Secret(password), "clientnonce")
    answer = client.answer(found.evaluate(client.first()))
    assert answer is not None
    assert client.answer(found.evaluate(answer)) is None


@pytest.mark.parametrize("mechanism", ScramMechanism)
@pytest.mark.parametrize("user", ["ann", "a,b=c", "Ann Ü"])
def test_a_password_is_proved_and_so_is_the_server(mechanism: ScramMechanism, user: str) -> None:
    found = server(credential(user, "pä ss,=", mechanism, 8192), mechanism=mechanism)
    log_in(found, user, "pä ss,=", mechanism.title)
    assert found.user == user


def test_the_conversation_of_the_standard() -> None:
    """RFC 7677, section 3."""
    salt = base64.b64decode("W22ZaJ0SNY7soEsUEjb6gQ==")
    keys = SHA_256.keys(SHA_256.salted("pencil", salt, 4096))
    known = UserScramCredential(
        name="user", mechanism=1, salt=salt, stored_key=keys.stored, server_key=keys.server,
        iterations=4096,
    )  # fmt: skip
    found = ScramServer(SHA_256, {"user": known}.get, "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0", b"")
    challenge = found.evaluate(b"n,,n=user,r=rOprNGfwEbeRWgbNEkqO")
    nonce = b"rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0"
    assert challenge == b"r=" + nonce + b",s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096"
    proof = b"dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="
    answer = found.evaluate(b"c=biws,r=" + nonce + b",p=" + proof)
    assert answer == b"v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="
    assert found.user == "user"


@pytest.mark.parametrize("user", ["ann", "bob"])
def test_a_wrong_password_and_an_unknown_user_look_alike(user: str) -> None:
    """Both get a challenge, and learn only afterwards that it was not right."""
    found = server(credential("ann", "right"))
    with pytest.raises(InvalidCredentials):
        log_in(found, user, "wrong")
    assert found.user is None


def test_what_is_made_up_for_a_user_is_the_same_each_time() -> None:
    first = b"n,,n=%s,r=clientnonce"
    asked = [server().evaluate(first % user) for user in (b"bob", b"bob", b"eve")]
    assert asked[0] == asked[1] != asked[2]
    assert server(decoy=b"other").evaluate(first % b"bob") != asked[0]
    salt = base64.b64decode(asked[0].split(b",")[1][2:])
    assert salt.isalnum(), "as the salts of Apache Kafka's tools"


def test_no_keys_that_are_made_up_let_in() -> None:
    """Not even a client that knows how they are made."""
    drawn = SHA_256.hmac(b"decoy", b"bob")
    forged = ScramClient(["SCRAM-SHA-256"], "bob", "x", c_nonce="clientnonce")
    found = server()
    forged.set_server_first(found.evaluate(forged.get_client_first().encode()).decode())
    forged.get_client_final()
    bare = "c=biws,r=clientnonceservernonce"
    said = f"n=bob,r=clientnonce,{forged.server_first},{bare}".encode()
    signature = SHA_256.hmac(drawn, said)
    proof = base64.b64encode(bytes(a ^ b for a, b in zip(drawn, signature, strict=True))).decode()
    with pytest.raises(InvalidCredentials):
        found.evaluate(f"{bare},p={proof}".encode())


def test_too_few_iterations_let_nothing_in() -> None:
    with pytest.raises(InvalidCredentials):
        log_in(server(credential("ann", "right", iterations=4095)), "ann", "right")


@pytest.mark.parametrize(
    "message",
    [
        b"", b"\xff", b"n,,n=,r=x", b"n,,n=ann", b"p=tls-unique,,n=ann,r=x", b"y,,n=ann,r=x",
        b"n,,n=a=b,r=x", b"n,,n=ann,r=x y", b"n,,n=ann,r=x,junk", b"n,,m=,n=ann,r=x",
    ],
)  # fmt: skip
def test_first_messages_of_another_form(message: bytes) -> None:
    with pytest.raises(InvalidCredentials):
        server(credential("ann", "right")).evaluate(message)


def final(change: Callable[[str], str]) -> bytes:
    """A right final message, changed."""
    client = ScramClient(["SCRAM-SHA-256"], "ann", "right", c_nonce="clientnonce")
    client.get_client_first()
    salt = base64.b64encode(SALT).decode()
    client.set_server_first(f"r=clientnonceservernonce,s={salt},i=4096")
    return change(str(client.get_client_final())).encode()


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("c=biws", "c=eSws"),
        lambda text: text.replace("clientnonce", "othernonce"),
        lambda text: text.replace("servernonce", "servernoncf"),
        lambda text: text.replace(",p=", ",x=a,p="),
        lambda text: text[:-4] + "AAAA",
        lambda text: text + "AAAA",
        lambda text: text + "!",
        lambda text: text.partition(",p=")[0],
        lambda text: "",
    ],
)
def test_final_messages_that_prove_nothing(change: Callable[[str], str]) -> None:
    found = server(credential("ann", "right"))
    found.evaluate(b"n,,n=ann,r=clientnonce")
    with pytest.raises(InvalidCredentials):
        found.evaluate(final(change))
    assert found.user is None


def test_the_same_final_message_unchanged_does() -> None:
    found = server(credential("ann", "right"))
    found.evaluate(b"n,,n=ann,r=clientnonce")
    found.evaluate(final(str))
    assert found.user == "ann"


def test_another_authorization_id_is_reported() -> None:
    found = server(credential("ann", "right"))
    with pytest.raises(Refusal, match="different from username"):
        found.evaluate(b"n,a=eve,n=ann,r=clientnonce")
    assert server(credential("ann", "right")).evaluate(b"n,a=ann,n=ann,r=x")


def test_no_delegation_token_is_a_user() -> None:
    found = server(credential("ann", "right"))
    one = found.evaluate(b"n,,n=ann,r=x,tokenauth=true")
    assert base64.b64encode(SALT) not in one


PASSWORDS = {"ann": Secret("right"), "empty": Secret("")}


def test_plain_lets_in_by_password() -> None:
    found = PlainServer(PASSWORDS)
    assert found.evaluate(PlainClient("ann", Secret("right")).first()) == b""
    assert found.user == "ann"
    assert PlainServer(PASSWORDS).evaluate(b"ann\0ann\0right") == b""


@pytest.mark.parametrize(
    ("message", "says"),
    [
        (b"\0ann\0wrong", "Authentication failed: Invalid username or password"),
        (b"\0bob\0right", "Authentication failed: Invalid username or password"),
        (b"\0ann\0", "Authentication failed: password not specified"),
        (b"\0empty\0", "Authentication failed: password not specified"),
        (b"\0\0right", "Authentication failed: username not specified"),
        (b"eve\0ann\0right", "an authorization id that is different from username"),
        (b"ann\0right", "expected 3 tokens, got 2"),
        (b"\0ann\0right\0", "expected 3 tokens, got 4"),
        (b"\0ann\0\xff", "Authentication failed: Invalid username or password"),
    ],
)
def test_plain_refuses_in_kafkas_words(message: bytes, says: str) -> None:
    found = PlainServer(PASSWORDS)
    with pytest.raises(Refusal, match=says) as refused:
        found.evaluate(message)
    assert "right" not in str(refused.value)
    assert found.user is None
