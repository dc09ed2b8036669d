"""Delegation tokens, at our nodes as at Apache Kafka's: made, seen, renewed, ended, logged in with.

One cluster of each with the same key. Every case asks both for the same, and what they answer is
compared: codes, owners, times from now on; a token's HMAC follows from its id.
"""

from __future__ import annotations

import base64
import hmac
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import pytest
from tests.support.apache_kafka import CONTROLLER_ID, ApacheKafka
from tests.support.commands import run
from tests.support.local import Local
from tests.support.mixed import Mixed
from tests.support.secured_kafka import password
from tests.support.token_sides import HOUR, KEY, SCRAM, SETTINGS, USERS, Link, Side, Token, plain
from tests.support.waiting import eventually

from spindle.model.acl import AclOperation, AclResourceType, PatternType
from spindle.model.token_key import password_of
from spindle.security.sasl import ScramConversation
from spindle.security.secret import Secret
from spindle.wire.messages.api_versions_request import ApiVersionsRequest
from spindle.wire.messages.create_acls_request import AclCreation, CreateAclsRequest
from spindle.wire.messages.create_delegation_token_request import (
    CreatableRenewers,
    CreateDelegationTokenRequest,
)
from spindle.wire.messages.describe_delegation_token_request import (
    DescribeDelegationTokenOwner,
    DescribeDelegationTokenRequest,
)
from spindle.wire.messages.expire_delegation_token_request import ExpireDelegationTokenRequest
from spindle.wire.messages.renew_delegation_token_request import RenewDelegationTokenRequest

pytestmark = [pytest.mark.kafka, pytest.mark.spec("C-06")]


@pytest.fixture(scope="module")
def sides(tmp_path_factory: pytest.TempPathFactory, kafka_jars: Path) -> Iterator[list[Side]]:
    folder = tmp_path_factory.mktemp("delegation-tokens")
    theirs = ApacheKafka(folder / "kafka", kafka_jars, directories=1, settings=SETTINGS)
    ours = Local(folder / "ours", kafka_jars, brokers=1, directories=1, settings=SETTINGS)
    with theirs, ours:
        both = [Side(theirs), Side(ours)]
        for side in both:
            side.cluster.start()
            rules = [
                ("sue", AclOperation.CREATE_TOKENS, AclResourceType.USER, "User:ann"),
                ("sue", AclOperation.DESCRIBE_TOKENS, AclResourceType.USER, "User:bob"),
            ]
            creations = tuple(
                AclCreation(
                    resource_type=kind, resource_name=name, operation=operation,
                    resource_pattern_type=PatternType.LITERAL, principal=f"User:{user}", host="*",
                    permission_type=3,
                )
                for user, operation, kind, name in rules
            )  # fmt: skip
            made = side.ask(None, CreateAclsRequest(creations=creations), 3)
            assert [each.error_code for each in made.results] == [0] * len(rules)
        yield both


def span(began: int, time_ms: int) -> int | str:
    """A time in minutes from `began` on; as it is where it is none."""
    return f"+{round((time_ms - began) / 60_000)} min" if time_ms > HOUR else time_ms


def shape(message: Any, began: int) -> Any:
    """A message without what differs from token to token."""
    if isinstance(message, list | tuple):
        return [shape(each, began) for each in message]
    if not hasattr(message, "__slots__"):
        return message
    fields = {name: getattr(message, name) for name in type(message).__slots__}
    for name, value in fields.items():
        if "timestamp" in name:
            fields[name] = span(began, value)
        elif name == "hmac":
            proof = hmac.digest(KEY.encode(), fields["token_id"].encode(), "sha512")
            fields[name] = "right" if bytes(value) == proof else bytes(value)
        else:
            fields[name] = shape(value, began)
    if "token_id" in fields:
        fields["token_id"] = len(fields["token_id"])
    return fields


def renewers(*names: str, kind: str = "User") -> tuple[CreatableRenewers, ...]:
    return tuple(CreatableRenewers(principal_type=kind, principal_name=name) for name in names)


def owners(*names: str, kind: str = "User") -> tuple[DescribeDelegationTokenOwner, ...]:
    return tuple(
        DescribeDelegationTokenOwner(principal_type=kind, principal_name=name) for name in names
    )


CREATED: Final[Mapping[str, tuple[str | None, int, dict[str, Any]]]] = {
    "plain": ("ann", 3, {}),
    "version 1": ("ann", 1, {}),
    "version 2": ("ann", 2, {"renewers": renewers("bob")}),
    "short": ("ann", 3, {"max_lifetime_ms": 600_000}),
    "far too long": ("ann", 3, {"max_lifetime_ms": 2**63 - 1}),
    "as long as may be": ("ann", 3, {"max_lifetime_ms": -1}),
    "for itself": ("ann", 3, {"owner_principal_type": "User", "owner_principal_name": "ann"}),
    "without a name": ("ann", 3, {"owner_principal_type": "User", "owner_principal_name": ""}),
    "for another": ("ann", 3, {"owner_principal_type": "User", "owner_principal_name": "bob"}),
    "as one may": ("sue", 3, {"owner_principal_type": "User", "owner_principal_name": "ann"}),
    "as one may not": ("sue", 3, {"owner_principal_type": "User", "owner_principal_name": "bob"}),
    "by the super user": (
        "admin", 3, {"owner_principal_type": "User", "owner_principal_name": "bob"},
    ),
    "renewers of another type": ("ann", 3, {"renewers": renewers("crowd", kind="Group")}),
    "some of another type": (
        "ann", 3, {"renewers": renewers("bob") + renewers("crowd", kind="Group")},
    ),
    "without a login": (None, 3, {}),
    "without a login, for another": (
        None, 3, {"owner_principal_type": "User", "owner_principal_name": "bob"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CREATED)
def test_a_token_is_made_as_by_apache_kafka(case: str, sides: list[Side]) -> None:
    user, version, fields = CREATED[case]
    told = []
    for side in sides:
        login = None if user is None else plain(user)
        began = round(time.time() * 1000)
        answer = side.ask(login, CreateDelegationTokenRequest(**fields), version)
        told.append(shape(answer, began))
    assert told[1] == told[0]


def test_each_may_see_what_apache_kafka_shows(sides: list[Side]) -> None:
    asked: dict[str, tuple[str, int, Any]] = {
        f"{user} {version}": (user, version, None) for user in USERS for version in (1, 2, 3)
    }
    asked |= {f"{user} of ann": (user, 3, owners("ann")) for user in USERS}
    asked |= {f"{user} of bob": (user, 3, owners("bob")) for user in USERS}
    asked |= {f"{user} of none": (user, 3, ()) for user in USERS}
    asked["of both"] = "admin", 3, owners("ann", "bob")
    asked["of another type"] = "admin", 3, owners("ann", kind="Group")
    told = []
    for side in sides:
        began = round(time.time() * 1000)
        before = side.seen("admin")
        made = [
            side.make("ann", renewers=renewers("bob")),
            side.make("bob"),
            side.make("sue", owner_principal_type="User", owner_principal_name="ann"),
        ]
        names = {token.id: f"token {number}" for number, token in enumerate(made)}
        assert not before & names.keys()
        answers = {}
        for case, (user, version, of) in asked.items():
            answer = side.ask(plain(user), DescribeDelegationTokenRequest(owners=of), version)
            answers[case] = (
                answer.error_code,
                {
                    names[each.token_id]: shape(each, began)
                    for each in answer.tokens
                    if each.token_id in names
                },
            )
        told.append(answers)
    assert told[1] == told[0]
    assert told[0]["eve 3"] == (0, {})
    assert set(told[0]["sue 3"][1]) == {"token 1", "token 2"}


Change = Callable[[Side, Token], Any]


def renewed(user: str, period: int, version: int = 2) -> Change:
    return lambda side, token: side.ask(
        plain(user), RenewDelegationTokenRequest(hmac=token.proof, renew_period_ms=period), version
    )


def expired(user: str, period: int, version: int = 2) -> Change:
    return lambda side, token: side.ask(
        plain(user),
        ExpireDelegationTokenRequest(hmac=token.proof, expiry_time_period_ms=period),
        version,
    )


CHANGED: Final[Mapping[str, tuple[Change, ...]]] = {
    "renewed": (renewed("ann", 60_000), renewed("ann", -1, version=1), renewed("ann", 2**63 - 1)),
    "renewed by another": (renewed("bob", 600_000), renewed("eve", 600_000)),
    "renewed by the super user": (renewed("admin", 600_000),),
    "ends later": (expired("ann", 600_000), expired("bob", 9 * HOUR), expired("eve", 0)),
    "ends now": (expired("ann", -1, version=1), renewed("ann", 0), expired("ann", -1)),
    "has ended": (expired("ann", 0), renewed("ann", 0), expired("ann", 5), expired("bob", -1)),
    "unknown": (
        lambda side, _: renewed("ann", 0)(side, Token("", b"no proof")),
        lambda side, _: expired("ann", -1)(side, Token("", b"")),
    ),
}


@pytest.mark.parametrize("case", CHANGED)
def test_a_token_is_renewed_and_ended_as_by_apache_kafka(case: str, sides: list[Side]) -> None:
    told = []
    for side in sides:
        token, answers = side.make("ann", renewers=renewers("bob")), []
        for change in CHANGED[case]:
            began = round(time.time() * 1000)
            answer = change(side, token)
            answers.append(shape(answer, began))
            if not answer.error_code:
                side.until_known(token, answer.expiry_timestamp_ms)
        told.append(answers)
    assert told[1] == told[0]


@pytest.mark.parametrize("mechanism", SCRAM)
def test_a_client_logs_in_with_a_token_and_asks_for_none(mechanism: str, sides: list[Side]) -> None:
    told = []
    for side in sides:
        token = side.make("ann", max_lifetime_ms=600_000)
        link = Link(side.port)
        error, text, session = link.log_in(*token.login(mechanism))
        asked = (
            CreateDelegationTokenRequest(),
            DescribeDelegationTokenRequest(),
            RenewDelegationTokenRequest(hmac=token.proof),
            ExpireDelegationTokenRequest(hmac=token.proof, expiry_time_period_ms=-1),
        )
        began = round(time.time() * 1000)
        answers = [shape(link.ask(each, 2), began) for each in asked]
        told.append((error, text, round(session / 60_000), answers))
        link.close()
    assert told[1] == told[0]
    assert told[1][:3] == (0, "", 10)


def test_a_client_without_a_token_is_refused_as_by_apache_kafka(sides: list[Side]) -> None:
    told = []
    for side in sides:
        token, gone = side.make(), side.make()
        assert not expired("ann", -1)(side, gone).error_code
        eventually(lambda side=side, gone=gone: gone.id not in side.seen("admin"), "it is gone", 20)
        proved, ann = Secret(password_of(token.proof)), Secret(password("ann"))
        logins = [
            Token(token.id, b"another").login(),
            Token("no-such-token", token.proof).login(),
            gone.login(),
            # Without `tokenauth` it is no user, and no user is a token.
            (SCRAM[0], ScramConversation(SCRAM[0], token.id, proved, "n")),
            (SCRAM[0], ScramConversation(SCRAM[0], "ann", ann, "n", by_token=True)),
        ]
        heard = []
        for login in logins:
            link = Link(side.port)
            heard.append(link.log_in(*login))
            link.close()
        told.append(heard)
    assert told[1] == told[0]
    assert {error for error, _, _ in told[1]} == {58}


def test_a_session_ends_with_its_token(sides: list[Side]) -> None:
    for side in sides:
        token = side.make("ann", max_lifetime_ms=2_000)
        link = Link(side.port)
        error, _, session = link.log_in(*token.login())
        assert (error, 0 < session <= 2_000) == (0, True)
        eventually(lambda link=link: hung_up(link), "its end", 20)
        link.close()


def hung_up(link: Link) -> bool:
    try:
        link.ask(ApiVersionsRequest(), 0)
    except ConnectionError:
        return True
    return False


def test_tokens_outlast_their_nodes(sides: list[Side]) -> None:
    side = sides[1]
    token = side.make("ann")
    assert isinstance(side.cluster, Local)
    side.cluster.restart(kill=True)
    eventually(lambda: token.id in side.seen("ann"), "the token is there", 30)
    with side.link(token.login()) as link:
        assert not link.ask(ApiVersionsRequest(), 0).error_code


def test_apache_kafkas_own_tool_and_clients_use_ours(sides: list[Side], tmp_path: Path) -> None:
    side = sides[1]
    config = tmp_path / "ann.properties"
    config.write_text(
        "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=PLAIN\n"
        "sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required "
        f'username="ann" password="{password("ann")}";\n'
    )
    at = ("--bootstrap-server", f"127.0.0.1:{side.port}", "--command-config", str(config))
    tool = "org.apache.kafka.tools.DelegationTokenCommand"

    def run(*words: str) -> str:
        done = side.cluster.run_tool(tool, *at, *words)
        assert done.code == 0, done
        return done.stdout

    made = run("--create", "--max-life-time-period", "600000", "--renewer-principal", "User:bob")
    (line,) = [line for line in made.splitlines() if "User:ann" in line]
    token_id, proof = line.split()[:2]
    assert base64.b64decode(proof) == hmac.digest(KEY.encode(), token_id.encode(), "sha512")
    assert token_id in run("--describe", "--owner-principal", "User:ann")
    run("--renew", "--renew-time-period", "300000", "--hmac", proof)
    run("--expire", "--expiry-time-period", "300000", "--hmac", proof)
    by_token = tmp_path / "token.properties"
    by_token.write_text(
        f"security.protocol=SASL_PLAINTEXT\nsasl.mechanism={SCRAM[1]}\n"
        "sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required "
        f'username="{token_id}" password="{proof}" tokenauth="true";\n'
    )
    where = ("--bootstrap-server", f"127.0.0.1:{side.port}", "--command-config", str(by_token))
    done = side.cluster.run_tool("org.apache.kafka.tools.GroupsCommand", *where, "--list")
    assert done.code == 0, done


def test_our_tools_log_in_with_tokens(sides: list[Side], tmp_path: Path) -> None:
    for number, side in enumerate(sides):
        token, config = side.make("admin"), tmp_path / f"{number}.properties"
        config.write_text(
            f"security.protocol=SASL_PLAINTEXT\nsasl.mechanism={SCRAM[0]}\n"
            "sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required "
            f'username="{token.id}" password="{password_of(token.proof)}" tokenauth="true";\n'
        )
        at = ("--bootstrap-server", f"127.0.0.1:{side.port}", "--command-config", str(config))
        done = run("spindle", "log-dirs", *at, "--json")
        assert (done.code, "error" in done.stderr.lower()) == (0, False), done


@pytest.mark.parametrize("theirs", [{CONTROLLER_ID, 2}, {2}], ids=["their-quorum", "our-quorum"])
def test_tokens_count_at_nodes_of_either_kind(
    theirs: set[int], kafka_jars: Path, tmp_path: Path
) -> None:
    """Our broker is 1, theirs 2: each takes the tokens that are made through the other."""
    with Mixed(
        tmp_path, kafka_jars, theirs=theirs, brokers=2, directories=1, settings=SETTINGS
    ) as cluster:
        ours, other = Side(cluster, 1), Side(cluster, 2)
        cluster.start()
        tokens = [ours.make("ann"), other.make("bob", renewers=renewers("ann"))]
        wanted, gone = {token.id for token in tokens}, tokens[1].id
        for side in (ours, other):
            eventually(lambda side=side: wanted <= side.seen("admin"), "both tokens are known", 30)
            for token in tokens:
                with side.link(token.login()) as link:
                    assert not link.ask(ApiVersionsRequest(), 0).error_code
        assert not renewed("ann", 600_000)(other, tokens[1]).error_code
        assert not expired("bob", -1)(ours, tokens[1]).error_code
        for side in (ours, other):
            eventually(lambda side=side: gone not in side.seen("admin"), "it is gone", 30)
