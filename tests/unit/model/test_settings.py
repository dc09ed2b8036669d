"""Settings: typed values, Kafka's precedence, and no name that is ignored in silence."""

from __future__ import annotations

import pytest

from spindle.core.authorizer import AUTHORIZER
from spindle.model.errors import Unusable
from spindle.model.settings.scrutiny import check_topic, examine, look_at_topic
from spindle.model.settings.setting import Kind, Setting, Status
from spindle.model.settings.table import NODE_SETTINGS, TOPIC_SETTINGS
from spindle.model.settings.typed_settings import Settings, TopicSettings

WEEK_MS = 7 * 24 * 3600 * 1000
ALL = {**{f"topic {n}": s for n, s in TOPIC_SETTINGS.items()}, **NODE_SETTINGS}


# --- the table -----------------------------------------------------------------------------------


@pytest.mark.spec("N-01")
@pytest.mark.parametrize("setting", ALL.values(), ids=ALL)
def test_every_row_is_whole(setting: Setting) -> None:
    if setting.default is not None:
        setting.read(setting.default)
    assert setting.documentation.endswith(".")
    assert len(setting.doc.split()) >= 4
    assert (setting.status is Status.HONOURED) == (setting.why == "")
    assert not setting.why or setting.why.endswith(".")
    assert setting.broker is None or setting.broker in NODE_SETTINGS
    assert all(name in NODE_SETTINGS for name, _ in setting.unset)


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (Kind.BOOLEAN, " TRUE ", True),
        (Kind.INT, " 7", 7),
        (Kind.DOUBLE, "0.5", 0.5),
        (Kind.LIST, " a, b ,", ("a", "b")),
        (Kind.STRING, " x ", "x"),
    ],
)
def test_texts_become_values_of_their_kind(kind: Kind, text: str, value: object) -> None:
    assert Setting("s", kind, None, "").read(text) == value


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (Kind.INT, str(1 << 31)),
        (Kind.SHORT, "32768"),
        (Kind.LONG, str(1 << 63)),
        (Kind.DOUBLE, "much"),
        (Kind.BOOLEAN, "1"),
    ],
)
def test_a_wrong_text_is_refused_with_its_name_and_value(kind: Kind, text: str) -> None:
    with pytest.raises(Unusable, match=f"Invalid value {text} for configuration s: "):
        Setting("s", kind, None, "").read(text)


def test_a_password_is_never_shown() -> None:
    with pytest.raises(Unusable) as raised:
        examine({"sasl.jaas.config": "hush"})
    assert "hush" not in str(raised.value)
    assert NODE_SETTINGS["ssl.keystore.password"].show("hush") is None


# --- precedence ----------------------------------------------------------------------------------


@pytest.mark.spec("N-02")
@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, WEEK_MS),
        ({"log.retention.hours": "8760"}, 8760 * 3_600_000),
        ({"log.retention.hours": "8760", "log.retention.minutes": "5"}, 300_000),
        ({"log.retention.minutes": "5", "log.retention.ms": "7"}, 7),
        ({"log.retention.hours": "-1"}, -1),
    ],
)
def test_retention_is_what_kafkas_precedence_says(given: dict[str, str], expected: int) -> None:
    node = Settings(given)
    assert node.whole("log.retention.ms") == expected
    assert TopicSettings({}, node).whole("retention.ms") == expected
    assert TopicSettings({"retention.ms": "9"}, node).whole("retention.ms") == 9


@pytest.mark.spec("N-02")
def test_rolls_and_flushes_have_their_synonyms() -> None:
    node = Settings(
        {
            "log.roll.hours": "2",
            "log.roll.jitter.hours": "1",
            "log.flush.scheduler.interval.ms": "500",
        }
    )
    topic = TopicSettings({}, node)
    assert topic.whole("segment.ms") == 7_200_000
    assert topic.whole("segment.jitter.ms") == 3_600_000
    assert topic.seconds("flush.ms") == 0.5
    assert TopicSettings({}, Settings({})).whole("segment.ms") == WEEK_MS


def test_dynamic_values_lie_over_the_files_until_they_are_taken_back() -> None:
    settings = Settings({"log.retention.hours": "5"})
    assert settings.set_dynamic({"log.retention.ms": "7"}) == []
    assert settings.whole("log.retention.ms") == 7
    settings.set_dynamic({})
    assert settings.whole("log.retention.ms") == 5 * 3_600_000


@pytest.mark.spec("N-01")
def test_dynamic_values_that_cannot_be_obeyed_are_reported() -> None:
    settings = Settings({})
    left_out = settings.set_dynamic(
        {
            "min.insync.replicas": "none",
            "not.ours": "1",
            "log.retention.ms": "7",
            "num.io.threads": "9",
            "num.network.threads": "3",
        }
    )
    assert len(left_out) == 3
    assert any(text.startswith("num.io.threads: Spindle serves") for text in left_out)
    assert settings.whole("min.insync.replicas") == 1
    assert settings.whole("log.retention.ms") == 7
    assert any("min.insync.replicas" in text for text in left_out)
    assert any("not.ours" in text for text in left_out)


@pytest.mark.spec("N-02")
def test_a_listener_may_have_values_of_its_own() -> None:
    settings = Settings({"max.connections": "9", "listener.name.client.max.connections": "3"})
    assert settings.of_listener("CLIENT").whole("max.connections") == 3
    assert settings.of_listener("OTHER").whole("max.connections") == 9


def test_an_unknown_name_or_another_type_is_a_bug() -> None:
    with pytest.raises(KeyError):
        Settings({}).whole("num.partitons")
    with pytest.raises(AssertionError):
        Settings({}).flag("num.partitions")


# --- nothing silent ------------------------------------------------------------------------------


@pytest.mark.spec("N-01")
def test_what_has_no_effect_is_reported_by_name() -> None:
    (told,) = examine({"num.io.threads": "16", "num.network.threads": "3", "node.id": "1"})
    assert told.startswith("num.io.threads, num.network.threads: no effect here.")


@pytest.mark.spec("N-01")
def test_the_times_of_logins_that_no_node_makes_are_no_reason_to_refuse() -> None:
    kerberos, providers = examine(
        {
            "sasl.kerberos.min.time.before.relogin": "58000",
            "sasl.kerberos.ticket.renew.jitter": "0.1",
            "sasl.login.refresh.window.factor": "0.9",
        }
    )
    names = "sasl.kerberos.min.time.before.relogin, sasl.kerberos.ticket.renew.jitter"
    assert kerberos.startswith(f"{names}: no effect here.")
    assert providers.startswith("sasl.login.refresh.window.factor: no effect here.")


@pytest.mark.spec("N-01")
def test_unknown_names_are_reported_with_the_nearest() -> None:
    (told,) = examine({"num.partitons": "3", "confluent.balancer.enable": "true"})
    assert "num.partitons (did you mean num.partitions?)" in told
    assert "confluent.balancer.enable" in told


@pytest.mark.spec("N-01")
@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("log.retension.hours", "log.retention.hours"),
        ("log.cleanup.polcy", "log.cleanup.policy"),
        ("min.insync.replica", "min.insync.replicas"),
        ("process.role", "process.roles"),
    ],
)
def test_a_slip_in_what_decides_about_records_does_not_start(name: str, meant: str) -> None:
    with pytest.raises(Unusable, match=f"no setting {name}: did you mean {meant}"):
        examine({name: "1"})


@pytest.mark.spec("N-01")
@pytest.mark.parametrize(
    "given",
    [
        {"authorizer.class.name": "com.example.Authorizer"},
        {"super.users": "admin"},
        {"sasl.jaas.config": "PlainLoginModule required;"},
        {"plain.sasl.jaas.config": "PlainLoginModule required;"},
        {"sasl.kerberos.service.name": "kafka"},
        {"sasl.oauthbearer.token.endpoint.url": "https://localhost/keys"},
        {"listener.name.a.plain.sasl.server.callback.handler.class": "com.example.Passwords"},
        {"quota.producer.default": "1024"},
        {"remote.log.storage.system.enable": "true"},
        {"principal.builder.class": "com.example.Builder"},
    ],
    ids=lambda given: next(iter(given)),
)
def test_what_decides_which_client_may_connect_is_refused_until_it_works(
    given: dict[str, str],
) -> None:
    (name,) = given
    with pytest.raises(Unusable, match=name.replace(".", r"\.")):
        examine(given)


@pytest.mark.spec("N-01")
def test_refused_settings_may_say_what_is_so_anyway() -> None:
    assert (
        examine({"authorizer.class.name": AUTHORIZER, "super.users": "User:a; User:CN=b,O=c"}) == []
    )
    assert (
        examine({"authorizer.class.name": "", "security.inter.broker.protocol": "PLAINTEXT"}) == []
    )


@pytest.mark.spec("N-01")
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("log.retention.hours", "abc"),
        ("num.io.threads", "minus"),
        ("num.io.threads", "0"),
        ("listener.name.x.max.connections", "many"),
    ],
)
def test_wrong_values_are_refused_with_name_value_and_reason(name: str, text: str) -> None:
    with pytest.raises(Unusable, match=f"Invalid value {text} for configuration "):
        examine({name: text})


@pytest.mark.spec("N-01")
@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("remote.storage.enable", "true", "Tiered Storage functionality is disabled"),
        ("preallocate", "true", "preallocate=true"),
        ("compression.gzip.level", "0", "Value must be between 1 and 9 or equal to -1"),
        ("no.such.name", "1", "Unknown topic config name: no.such.name"),
        ("retention.ms", "-2", "Invalid value -2 for configuration retention.ms"),
    ],
)
def test_a_topic_is_not_made_with_what_is_not_honoured(name: str, text: str, told: str) -> None:
    with pytest.raises(Unusable, match=told):
        check_topic(name, text)


@pytest.mark.spec("N-01")
def test_what_a_topic_of_another_controller_has_is_described() -> None:
    own = {
        "retention.ms": "5",
        "preallocate": "true",
        "local.retention.ms": "5",
        "no.such.name": "1",
        "file.delete.delay.ms": "60000",
    }
    told = list(look_at_topic(own))
    assert [text.split()[0] for text in told] == [
        "preallocate=true:",
        "local.retention.ms:",
        "Unknown",
    ]


@pytest.mark.spec("N-01")
def test_topics_that_were_tuned_on_kafka_can_be_made() -> None:
    for name, setting in TOPIC_SETTINGS.items():
        if setting.default is not None:
            check_topic(name, setting.default)
