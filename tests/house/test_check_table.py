"""No API is served without a row in the table of what it checks (S-05)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from spindle.node import handlers
from spindle.node.authorization import check_table as checks
from spindle.node.authorization.gate import Checked, NoCheck
from spindle.wire.apis import FORWARDABLE, Key


@pytest.mark.spec("S-05")
@pytest.mark.parametrize(
    ("served", "table"),
    [(handlers.BROKER, checks.BROKER), (handlers.CONTROLLER, checks.CONTROLLER)],
    ids=["broker", "controller"],
)
def test_every_api_has_a_row(served: Mapping[int, object], table: Mapping[int, object]) -> None:
    assert {Key(key).name for key in served} == {Key(key).name for key in table}


@pytest.mark.spec("S-05")
def test_what_is_not_checked_says_why_and_is_little() -> None:
    open_to_all = {
        Key(key).name
        for key, check in checks.BROKER.items()
        if isinstance(check, NoCheck) and key not in FORWARDABLE
    }
    assert open_to_all == {
        "API_VERSIONS", "SASL_HANDSHAKE", "SASL_AUTHENTICATE", "DESCRIBE_CLUSTER"
    }  # fmt: skip
    assert {Key(k).name for k, c in checks.CONTROLLER.items() if isinstance(c, NoCheck)} == {
        "API_VERSIONS", "SASL_HANDSHAKE", "SASL_AUTHENTICATE"
    }  # fmt: skip


@pytest.mark.spec("S-05")
def test_what_is_forwarded_is_checked_by_the_controller() -> None:
    for key, check in checks.BROKER.items():
        if isinstance(check, NoCheck) and key in FORWARDABLE:
            assert not isinstance(checks.CONTROLLER[key], NoCheck), Key(key).name


@pytest.mark.spec("S-05")
def test_the_rows_are_for_the_requests_of_their_apis() -> None:
    tables: list[Any] = [checks.BROKER, checks.CONTROLLER]
    for table in tables:
        for key, check in table.items():
            if isinstance(check, Checked):
                assert key == check.request.KEY


@pytest.mark.spec("S-05")
def test_what_is_refused_as_a_whole_has_an_answer() -> None:
    """Without one the connection ends, and the client never learns why."""
    for served, table in (
        (handlers.BROKER, checks.BROKER), (handlers.CONTROLLER, checks.CONTROLLER)
    ):  # fmt: skip
        for key, check in table.items():
            if not isinstance(check, NoCheck | Checked):
                assert served[key].refuses, Key(key).name
