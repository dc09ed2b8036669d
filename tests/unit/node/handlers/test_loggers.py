"""Levels of loggers: what holds for each, what is refused, and whose right it is to change them."""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.support.cluster_image import three_brokers
from tests.support.desk import Desk, part

import spindle
from spindle.model.errors import Error
from spindle.model.log_levels import LOGGERS, ROOT, LogLevels
from spindle.model.outbox import Outbox
from spindle.node.handlers import BROKER as HANDLERS
from spindle.node.handlers import _loggers
from spindle.node.slices import Slices
from spindle.wire.apis import Key

pytestmark = pytest.mark.spec("C-06")

LOGGER = 8
SET, DELETE, APPEND = range(3)


@pytest.fixture
def out() -> Outbox:
    return Outbox(random.Random(1))


@pytest.fixture
def desk(out: Outbox) -> Desk:
    target = SimpleNamespace(
        image=three_brokers(), settings={}, node_id=1, out=out, slices=Slices(out, "/d1")
    )
    return Desk(HANDLERS, target, out)


def alter(desk: Desk, *changes: tuple[str, int, str | None], name: str = "1", **more: Any) -> Any:
    key, version = Key.INCREMENTAL_ALTER_CONFIGS, 1
    resource = part(
        key, version, "AlterConfigsResource", resource_type=LOGGER, resource_name=name,
        configs=tuple(
            part(key, version, "AlterableConfig", name=n, config_operation=operation, value=value)
            for n, operation, value in changes
        ),
    )  # fmt: skip
    resources = (resource,) * more.pop("times", 1)
    fields = {"validate_only": False, **more}
    return [
        (r.error_code, r.error_message)
        for r in desk.ask(key, version, resources=resources, **fields).responses
    ]


def levels(desk: Desk, *names: str) -> dict[str, str]:
    resource = part(
        Key.DESCRIBE_CONFIGS, 4, "DescribeConfigsResource", resource_type=LOGGER,
        resource_name="1", configuration_keys=names or None,
    )  # fmt: skip
    (result,) = desk.ask(Key.DESCRIBE_CONFIGS, 4, resources=(resource,)).results
    assert result.error_code == Error.NONE
    return {c.name: c.value for c in result.configs}


def test_a_logger_has_the_level_of_the_one_above_it(desk: Desk) -> None:
    assert levels(desk) == dict.fromkeys(LOGGERS, "INFO")
    assert alter(desk, ("spindle", SET, "WARN"), ("spindle.runtime", SET, "TRACE")) == [(0, None)]
    assert levels(desk, ROOT, "spindle.node", "spindle.runtime.disks") == {
        ROOT: "INFO",
        "spindle.node": "WARN",
        "spindle.runtime.disks": "TRACE",
    }
    alter(desk, ("spindle.runtime", DELETE, None), ("spindle.doors", SET, "INFO"))
    assert levels(desk, "spindle.runtime.disks")["spindle.runtime.disks"] == "TRACE"
    alter(desk, ("spindle.runtime", DELETE, None))
    assert levels(desk, "spindle.runtime.disks")["spindle.runtime.disks"] == "WARN"


def test_what_is_only_validated_changes_nothing(desk: Desk) -> None:
    assert alter(desk, (ROOT, SET, "DEBUG"), validate_only=True) == [(0, None)]
    assert set(levels(desk).values()) == {"INFO"}


def test_a_resource_that_is_named_twice_is_refused(desk: Desk) -> None:
    told = (Error.INVALID_REQUEST, "Each resource must appear at most once.")
    assert alter(desk, (ROOT, SET, "DEBUG"), times=2) == [told, told]
    assert levels(desk, ROOT) == {ROOT: "INFO"}


@pytest.mark.parametrize("operation", [APPEND, 4, -1])
def test_operations_that_loggers_do_not_have(desk: Desk, operation: int) -> None:
    ((error, message),) = alter(desk, (ROOT, operation, "DEBUG"))
    assert error == Error.INVALID_REQUEST
    assert "is not allowed for the BROKER_LOGGER resource" in message


def test_far_more_changes_than_loggers_are_refused(out: Outbox) -> None:
    version, key = 1, Key.INCREMENTAL_ALTER_CONFIGS
    change = part(key, version, "AlterableConfig", name=ROOT, config_operation=SET, value="INFO")
    resource = part(key, version, "AlterConfigsResource", configs=(change,) * 10_001)
    assert _loggers.alter(out, 1, resource, False)[0] == Error.POLICY_VIOLATION


@pytest.mark.parametrize(
    ("level", "passes"),
    [
        ("FATAL", set()),
        ("ERROR", {"error"}),
        ("WARN", {"error", "warning"}),
        ("INFO", {"error", "warning", "info"}),
        ("DEBUG", {"error", "warning", "info", "debug"}),
        ("TRACE", {"error", "warning", "info", "debug"}),
    ],
)
def test_lines_pass_from_their_level_on(level: str, passes: set[str]) -> None:
    found = LogLevels(level)
    every = ("debug", "info", "warning", "error")
    assert {m for m in every if found.admits("spindle.node", m)} == passes


def calls(folder: Path, ending: str) -> Iterator[tuple[Path, ast.Call]]:
    """Where a function with such a name is called."""
    for file in folder.rglob("*.py"):
        for call in ast.walk(ast.parse(file.read_text())):
            if isinstance(call, ast.Call) and ast.unparse(call.func).endswith(ending):
                yield file, call


def test_every_logger_has_a_level() -> None:
    """A package that tells something is the logger of it; modules of the rim have their own."""
    root = Path(spindle.__file__).parent
    packages = {
        ".".join(("spindle", *file.parent.relative_to(root).parts))
        for part in ("core", "node", "storage", "model")
        for file, _ in calls(root / part, "out.say")
    }
    rim = {
        call.args[0].value
        for _, call in calls(root / "runtime", "structlog.get_logger")
        if isinstance(call.args[0], ast.Constant)
    }
    above = {ROOT, "spindle", "spindle.core", "spindle.runtime"}
    assert packages | rim | above == set(LOGGERS)


def test_a_line_is_of_the_package_that_says_it(out: Outbox) -> None:
    out.say("info", "broker state")
    ready = out.take()
    assert ready is not None
    assert ready.log_lines[0].logger == __package__
