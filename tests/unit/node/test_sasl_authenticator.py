"""The login of a connection: its states, its refusals, and the renewal of sessions."""

from __future__ import annotations

import pytest
from tests.support.login_desk import KAFKA, SETTINGS, LoginDesk

from spindle.model.errors import Error, Unusable
from spindle.model.metadata_records import DelegationToken, RemoveDelegationToken
from spindle.model.outbox import Outbox
from spindle.model.settings.typed_settings import Settings
from spindle.model.token_key import TokenKey, password_of
from spindle.node.sasl_authenticator import LoginState
from spindle.node.sasl_listener import login_rules
from spindle.security.sasl import PlainClient
from spindle.security.secret import Secret
from spindle.wire.messages.api_versions_request import ApiVersionsRequest
from spindle.wire.messages.metadata_request import MetadataRequest
from spindle.wire.messages.sasl_authenticate_request import SaslAuthenticateRequest
from spindle.wire.messages.sasl_handshake_request import SaslHandshakeRequest

pytestmark = pytest.mark.spec("S-04")
SESSION = {"connections.max.reauth.ms": "10000"}
METADATA = MetadataRequest()


@pytest.mark.parametrize("version", [0, 1, 2])
def test_plain_and_scram_let_in(version: int) -> None:
    for mechanism in ("PLAIN", "SCRAM-SHA-256"):
        desk = LoginDesk()
        desk.add_user("ann", "right")
        assert desk.ask(ApiVersionsRequest(), 0)
        assert desk.principal == "User:ANONYMOUS"
        answer = desk.log_in(mechanism, "ann", "right", version)
        assert (answer.error_code, answer.session_lifetime_ms) == (Error.NONE, 0)
        assert desk.principal == "User:ann"
        assert desk.trusted
        assert desk.ask(METADATA, 1)
        desk.pass_time(1e9)
        assert desk.ask(METADATA, 1), "a session without an end"
        assert desk.listener.succeeded == 1


@pytest.mark.spec("C-06")
def test_a_token_lets_in_its_owner_until_it_ends() -> None:
    desk = LoginDesk({"delegation.token.secret.key": "hush"})
    key, now = TokenKey("hush"), desk.out.wall_ms
    for number, period in enumerate((10_000, -1)):
        token = DelegationToken(
            owner="User:ann", requester="User:bob", issue_timestamp=now, max_timestamp=now + period,
            expiration_timestamp=now + period, token_id=f"token-{number}",
        )  # fmt: skip
        desk.image.apply(token)
    password = password_of(key.proof("token-0"))
    for wrong in (("token-0", "hush"), ("token-1", password), ("ann", password)):
        assert desk.again().log_in_by_token(*wrong).error_code
    for _ in range(2):  # Its credential is made once.
        one = desk.again()
        answer = one.log_in_by_token("token-0", password)
        assert (answer.error_code, answer.session_lifetime_ms) == (Error.NONE, 10_000)
        assert (one.principal, one.connection.principal.by_token) == ("User:ann", True)
        assert one.ask(METADATA, 1)
        one.pass_time(10.1)
        assert not one.ask(METADATA, 1)
    late = desk.again()
    assert not late.log_in_by_token("token-1", password_of(key.proof("token-1"))).error_code
    late.pass_time(0.1)
    assert not late.ask(METADATA, 1), "its token has run out"
    desk.image.apply(RemoveDelegationToken(token_id="token-0"))
    assert desk.again().log_in_by_token("token-0", password).error_code


def test_the_handshake_tells_what_is_offered() -> None:
    desk = LoginDesk()
    assert list(desk.shake_hands("PLAIN").mechanisms) == ["PLAIN", "SCRAM-SHA-256"]
    desk = LoginDesk()
    request = SaslHandshakeRequest(mechanism="SCRAM-SHA-512")
    assert not desk.ask(request, 1)
    assert not desk.answers, "a refusal is held back"
    assert not desk.hung_up
    desk.pass_time(0.1)
    answer = desk.answers.pop()
    assert answer[4:6] == Error.UNSUPPORTED_SASL_MECHANISM.to_bytes(2, "big")
    assert b"SCRAM-SHA-256" in answer
    assert desk.hung_up


def test_messages_without_headers_follow_the_oldest_handshake() -> None:
    desk = LoginDesk(SESSION)
    assert not desk.shake_hands("PLAIN", 0).error_code
    assert not desk.send(PlainClient("ann", Secret("right")).first())
    assert desk.answers == [b""]
    assert desk.principal == "User:ann"
    desk = LoginDesk()
    desk.shake_hands("PLAIN", 0)
    assert not desk.send(PlainClient("ann", Secret("wrong")).first())
    desk.pass_time(1)
    assert desk.answers == []
    assert desk.hung_up


@pytest.mark.parametrize(("user", "password"), [("ann", "wrong"), ("eve", "right")])
def test_a_wrong_password_and_an_unknown_user_get_the_same_words(user: str, password: str) -> None:
    words = {
        "PLAIN": "Authentication failed: Invalid username or password",
        "SCRAM-SHA-256": "Authentication failed during authentication due to invalid credentials "
        "with SASL mechanism SCRAM-SHA-256",
    }
    for mechanism, expected in words.items():
        desk = LoginDesk()
        desk.add_user("ann", "right")
        answer = desk.log_in(mechanism, user, password)
        assert answer.error_code == Error.SASL_AUTHENTICATION_FAILED
        assert answer.error_message == expected
        assert desk.hung_up
        assert desk.principal == "User:ANONYMOUS"
        assert not desk.trusted
        assert not desk.ask(METADATA, 1)
        assert "right" not in str(desk.said)
        assert "wrong" not in str(desk.said)
        assert desk.listener.failed == 1


@pytest.mark.parametrize("late", [False, True])
def test_no_request_gets_through_before_the_login(late: bool) -> None:
    desk = LoginDesk()
    assert desk.ask(ApiVersionsRequest(), 3)
    if late:
        desk.shake_hands("PLAIN")
    assert not desk.ask(METADATA, 1)
    desk.pass_time(1)
    assert desk.answers == []
    assert desk.hung_up
    assert "Unexpected Kafka request of type METADATA" in desk.said[0]
    assert not desk.ask(SaslHandshakeRequest(mechanism="PLAIN"), 1), "nothing is read any more"
    assert not desk.answers


def test_a_second_handshake_is_an_illegal_state() -> None:
    desk = LoginDesk()
    desk.shake_hands("PLAIN")
    assert not desk.ask(SaslHandshakeRequest(mechanism="PLAIN"), 1)
    desk.pass_time(1)
    assert desk.answers.pop()[4:6] == Error.ILLEGAL_SASL_STATE.to_bytes(2, "big")
    assert desk.hung_up


@pytest.mark.parametrize("frame", [b"", b"\0", b"\0\x11\0\x01\0\0\0\1\xff\xff\0\x09PLAIN"])
def test_what_cannot_be_read_ends_the_connection(frame: bytes) -> None:
    desk = LoginDesk()
    assert not desk.send(frame)
    desk.pass_time(1)
    assert desk.hung_up
    assert desk.login.state is LoginState.REFUSED


def test_messages_have_a_limit() -> None:
    desk = LoginDesk({"sasl.server.max.receive.size": "200"})
    desk.shake_hands("PLAIN")
    assert not desk.ask(SaslAuthenticateRequest(auth_bytes=bytes(200)), 2)
    desk.pass_time(1)
    assert desk.hung_up
    assert "invalid receive size" in desk.said[0]


def test_a_refusal_waits_and_a_client_that_leaves_meanwhile_is_forgotten() -> None:
    desk = LoginDesk({"connection.failed.authentication.delay.ms": "500"})
    desk.shake_hands("PLAIN")
    wrong = SaslAuthenticateRequest(auth_bytes=b"\0ann\0wrong")
    desk.ask(wrong, 2)
    desk.pass_time(0.4)
    assert not desk.hung_up
    desk.connection.close()
    desk.pass_time(0.2)
    assert desk.answers == []
    quick = LoginDesk({"connection.failed.authentication.delay.ms": "0"})
    quick.shake_hands("PLAIN")
    quick.ask(wrong, 2)
    assert quick.answers
    assert quick.hung_up


def test_failures_are_said_now_and_then() -> None:
    desk = LoginDesk()
    for _ in range(50):
        desk.listener.on_failed("h", "PLAIN", "why")
    desk.pass_time(0)
    assert len(desk.said) == 1
    desk.pass_time(10)
    desk.listener.on_failed("h", "PLAIN", "why")
    desk.pass_time(0)
    assert "'so_far': 51" in desk.said[1]


# --- sessions -----------------------------------------------------------------------------------


def test_a_session_that_is_over_ends_the_connection_at_the_next_request() -> None:
    desk = LoginDesk(SESSION)
    assert desk.log_in("PLAIN", "ann", "right").session_lifetime_ms == 10_000
    desk.pass_time(10)
    assert desk.ask(METADATA, 1)
    desk.pass_time(0.01)
    assert not desk.hung_up
    assert not desk.ask(METADATA, 1)
    assert desk.hung_up
    assert desk.listener.expired == 1


def test_a_session_is_renewed_even_late() -> None:
    desk = LoginDesk(SESSION)
    desk.log_in("PLAIN", "ann", "right")
    for pause in (9, 11):
        desk.pass_time(pause)
        assert desk.log_in("PLAIN", "ann", "right").session_lifetime_ms == 10_000
        assert desk.ask(METADATA, 1)
    assert desk.listener.renewed == 2
    assert desk.listener.succeeded == 1
    assert not desk.hung_up


def test_a_renewal_keeps_the_name_and_the_mechanism() -> None:
    desk = LoginDesk(SESSION)
    desk.add_user("ann", "right")
    desk.log_in("PLAIN", "ann", "right")
    answer = desk.log_in("PLAIN", "bob", "right too")
    assert answer.error_code == Error.SASL_AUTHENTICATION_FAILED
    assert answer.error_message == (
        "Cannot change principals during re-authentication from User.ann: User.bob"
    )
    assert desk.hung_up
    desk = LoginDesk(SESSION)
    desk.add_user("ann", "right")
    desk.log_in("PLAIN", "ann", "right")
    answer = desk.log_in("SCRAM-SHA-256", "ann", "right")
    assert "is not supported for re-authentication of mechanism 'PLAIN'" in str(
        answer.error_message
    )
    assert desk.hung_up


def test_a_renewal_that_fails_ends_the_connection() -> None:
    desk = LoginDesk(SESSION)
    desk.add_user("ann", "right")
    desk.log_in("SCRAM-SHA-256", "ann", "right")
    desk.add_user("ann", "another one by now")
    answer = desk.log_in("SCRAM-SHA-256", "ann", "right")
    assert "during re-authentication due to invalid credentials" in str(answer.error_message)
    assert desk.hung_up


def test_nothing_else_is_served_while_a_session_is_renewed() -> None:
    desk = LoginDesk(SESSION)
    desk.log_in("PLAIN", "ann", "right")
    desk.shake_hands("PLAIN")
    assert not desk.ask(ApiVersionsRequest(), 0)
    desk.pass_time(1)
    assert desk.hung_up


def test_handshakes_that_renew_nothing_go_to_the_handler() -> None:
    """It answers ILLEGAL_SASL_STATE: where sessions have no end, and within a second."""
    desk = LoginDesk()
    desk.log_in("PLAIN", "ann", "right")
    assert desk.ask(SaslHandshakeRequest(mechanism="PLAIN"), 1)
    desk = LoginDesk(SESSION)
    desk.log_in("PLAIN", "ann", "right")
    desk.log_in("PLAIN", "ann", "right")
    desk.pass_time(0.9)
    assert desk.ask(SaslHandshakeRequest(mechanism="PLAIN"), 1)


def test_a_mechanism_may_have_sessions_of_its_own() -> None:
    desk = LoginDesk({**SESSION, "listener.name.sasl.plain.connections.max.reauth.ms": "500"})
    desk.add_user("ann", "right")
    assert desk.log_in("PLAIN", "ann", "right").session_lifetime_ms == 500
    other = LoginDesk({**SESSION, "listener.name.sasl.plain.connections.max.reauth.ms": "500"})
    other.add_user("ann", "right")
    assert other.log_in("SCRAM-SHA-256", "ann", "right").session_lifetime_ms == 10_000


# --- settings -----------------------------------------------------------------------------------

MODULE = f"{KAFKA}.plain.PlainLoginModule required"


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"sasl.enabled.mechanisms": "GSSAPI"}, "offer PLAIN, SCRAM-SHA-256, SCRAM-SHA-512"),
        ({"sasl.enabled.mechanisms": "PLAIN,GSSAPI"}, "is PLAIN,GSSAPI: Spindle's"),
        ({"sasl.enabled.mechanisms": ""}, "empty"),
        ({"plain.sasl.jaas.config": None}, "plain.sasl.jaas.config is missing"),
        ({"plain.sasl.jaas.config": MODULE}, "is no login module"),
        (
            {"plain.sasl.jaas.config": f"{KAFKA}.scram.ScramLoginModule required;"},
            "names ScramLoginModule, and PLAIN needs PlainLoginModule",
        ),
        (
            {"scram-sha-256.sasl.jaas.config": f"{MODULE};"},
            "names PlainLoginModule, and SCRAM-SHA-256 needs ScramLoginModule",
        ),
        ({"plain.connections.max.reauth.ms": "soon"}, "soon"),
    ],
)
def test_settings_that_are_wrong_are_named(changed: dict[str, str | None], says: str) -> None:
    given = {**SETTINGS, **{f"listener.name.sasl.{n}": v for n, v in changed.items()}}
    with pytest.raises(Unusable, match=says) as unusable:
        login_rules(Settings({n: v for n, v in given.items() if v is not None}), "SASL")
    assert "right" not in str(unusable.value)


def test_no_text_shows_the_passwords() -> None:
    assert "right" not in repr(login_rules(Settings(SETTINGS), "SASL"))


def test_users_come_and_go_while_the_node_runs() -> None:
    desk = LoginDesk()
    assert isinstance(desk.out, Outbox)
    name = "listener.name.sasl.plain.sasl.jaas.config"
    desk.settings.set_dynamic({name: f'{MODULE} user_eve="right";'})
    desk.settings.dynamic[name] = f'{MODULE} user_eve="right";'
    assert desk.log_in("PLAIN", "eve", "right").error_code == Error.NONE
    desk.settings.dynamic[name] = "nonsense"
    desk.settings.version += 1
    assert set(desk.listener.rules.passwords) == {"eve"}
    desk.pass_time(0)
    assert "the settings before count" in desk.said[-1]
