"""Throttles are put back although a broker is frozen: its own stay noted, the others' do not."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest
from tests.support.fake_broker import FakeBroker
from tools.messages.entities import make

from spindle.cli.connecting import Bootstrap
from spindle.cli.reassign import command, limits
from spindle.cli.reassign.reassign_journal import ChangedSetting, Journal
from spindle.cli.reassign.reassignment_plan import ReassignmentPlan
from spindle.client.admin import AdminClient
from spindle.client.failures import OutOfTime
from spindle.client.results import ConfigSource, Replica, Resource, ResourceType
from spindle.model.ids import TopicPartition
from spindle.wire.apis import Key

pytestmark = pytest.mark.usefixtures("only_idle_time")
PLAN = ReassignmentPlan({TopicPartition("t", 0): (1, 2)}, {Replica("t", 0, 1): "/d1"})
RATE = "replica.alter.log.dirs.io.max.bytes.per.second"


def described(request: Any, types: Any) -> Any:
    """The broker has the throttle of the run."""
    config = make(
        types.DescribeConfigsResourceResult,
        name=RATE, value="5", config_source=int(ConfigSource.DYNAMIC_BROKER),
    )  # fmt: skip
    results = tuple(
        make(
            types.DescribeConfigsResult,
            resource_type=r.resource_type, resource_name=r.resource_name, configs=(config,),
        )
        for r in request.resources
    )  # fmt: skip
    return make(types.DescribeConfigsResponse, results=results)


def changed(request: Any, types: Any) -> Any:
    """All changes are made."""
    responses = tuple(
        make(
            types.AlterConfigsResourceResponse,
            resource_type=r.resource_type, resource_name=r.resource_name,
        )
        for r in request.resources
    )  # fmt: skip
    return make(types.IncrementalAlterConfigsResponse, responses=responses)


@pytest.mark.spec("V-05", "V-06")
@pytest.mark.parametrize("frozen_at", [Key.DESCRIBE_CONFIGS, Key.INCREMENTAL_ALTER_CONFIGS])
def test_a_frozen_broker_keeps_its_throttle_and_the_others_get_theirs_back(
    frozen_at: Key, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPINDLE_STATE_DIR", str(tmp_path))
    monkeypatch.setattr(limits, "ANSWER_SECONDS", 0.3)
    brokers = [Resource(ResourceType.BROKER, str(n)) for n in (1, 2)]
    said: list[str] = []

    async def scenario() -> None:
        async with FakeBroker(1) as well, FakeBroker(2, well.peers) as frozen:
            for broker in (well, frozen):
                broker.on(Key.DESCRIBE_CONFIGS, described)
                broker.on(Key.INCREMENTAL_ALTER_CONFIGS, changed)
            frozen.on(frozen_at, lambda request, types: None)
            async with AdminClient(well.bootstrap, timeout=2) as admin:
                Journal("fake").write(PLAN, [ChangedSetting(b, RATE, None, "5") for b in brokers])
                await limits.put_back(admin, PLAN, said.append)
            assert well.count(Key.INCREMENTAL_ALTER_CONFIGS) == 1

    asyncio.run(scenario())
    assert said == [
        f"Throttles put back: broker 1 {RATE} removed",
        "Throttles remain until it is back: broker 2",
    ]
    left = Journal("fake").of(PLAN)
    assert left is not None
    assert [s.resource.name for s in left.settings] == ["2"]


@pytest.mark.spec("K113-24", "N-06")
def test_watching_that_fails_says_that_the_moves_go_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def silent(*_: object) -> None:
        raise OutOfTime("no answer within 30 s")

    monkeypatch.setattr(command, "watch_plan", silent)
    plan = Path("plan.json")
    lost = partial(command._tell_how_to_go_on, command._LOST, Bootstrap("a:1"), plan)
    with pytest.raises(OutOfTime):
        asyncio.run(command._watch(cast("AdminClient", None), PLAN, lost))
    said = capsys.readouterr().err
    assert "What has started continues in the cluster, with its throttles." in said
    assert "spindle reassign cancel" in said
