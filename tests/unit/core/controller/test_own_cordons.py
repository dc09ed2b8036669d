"""What a broker lets become of its own cordons before the controller hears of it (KIP-1066)."""

from __future__ import annotations

import pytest

from spindle.core.controller.config_resources import Alteration, ConfigOperation, ConfigResource
from spindle.core.controller.own_cordons import OwnCordons
from spindle.model.cordons import SETTING
from spindle.model.errors import Error, Refusal
from spindle.model.image import BROKER_RESOURCE

MINE = OwnCordons(1, ("/d1", "/d2"), ("/d1",))
SET, DELETE = ConfigOperation.SET, ConfigOperation.DELETE
APPEND, SUBTRACT = ConfigOperation.APPEND, ConfigOperation.SUBTRACT


def check(name: str, operation: int, value: str | None, setting: str = SETTING) -> None:
    resource = ConfigResource(BROKER_RESOURCE, name)
    MINE.check(resource, [Alteration(setting, operation, value)])


@pytest.mark.parametrize(
    ("operation", "value"),
    [
        (SET, "/d1, /d2"),
        (SET, "*"),
        (SET, ""),
        (APPEND, "/d2"),
        (SUBTRACT, "/d1"),
        (SUBTRACT, "/nowhere"),
        (DELETE, "/nowhere"),
    ],
)
def test_a_broker_takes_what_it_has(operation: int, value: str) -> None:
    check("1", operation, value)


@pytest.mark.parametrize(
    ("operation", "value", "why"),
    [
        (SET, "/nowhere", "Missing entries : /nowhere"),
        (APPEND, "/nowhere", "Missing entries : /nowhere"),
        (APPEND, "*", "must not contain other values"),
    ],
)
def test_a_broker_refuses_what_it_has_not(operation: int, value: str, why: str) -> None:
    with pytest.raises(Refusal, match=f"requirement failed: .*{why.replace('*', '.')}") as refused:
        check("1", operation, value)
    assert refused.value.error is Error.INVALID_REQUEST


def test_another_brokers_directories_are_not_known_here() -> None:
    with pytest.raises(Refusal, match="Unexpected broker id, expected 1, but received 2"):
        check("2", SET, "/d1")
    check("2", DELETE, None)
    check("2", SET, "/nowhere", setting="log.cleaner.threads")


def test_what_is_for_all_brokers_is_not_looked_at() -> None:
    check("", SET, "/nowhere")
