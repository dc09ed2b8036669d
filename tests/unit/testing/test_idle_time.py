"""The clock of tests with short limits counts waiting in vain, and no time in which work stands."""

from __future__ import annotations

import asyncio
import time

import pytest
from tests.support import idle_time
from tests.support.fake_broker import FakeBroker

from spindle.client.admin import AdminClient


def test_a_process_that_stands_still_is_late_for_nothing() -> None:
    async def scenario() -> None:
        async with FakeBroker(1) as broker, AdminClient(broker.bootstrap, timeout=0.05) as admin:
            async with asyncio.timeout(0.05):
                asked = asyncio.create_task(admin.describe_cluster())
                await asyncio.sleep(0)
                time.sleep(0.1)  # noqa: ASYNC251 - the whole loop is to stand still.
                await asked

    idle_time.run(scenario())


def test_silence_lasts_as_long_as_it_is_to_last() -> None:
    async def scenario() -> float:
        began = asyncio.get_running_loop().time()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(asyncio.Event().wait(), 0.05)
        return asyncio.get_running_loop().time() - began

    began = time.monotonic()
    assert idle_time.run(scenario()) == pytest.approx(0.05, abs=0.01)
    assert time.monotonic() - began >= 0.05
