"""The examples of docs/admin.md run as they stand, on both kinds of cluster."""

from __future__ import annotations

import ast
import asyncio
import inspect
import re
from pathlib import Path
from typing import Any

import pytest
from tests.support.apache_kafka import ApacheKafka
from tests.support.waiting import eventually_async

from spindle.client.admin import AdminClient
from spindle.client.results import NewTopic, Replica

PAGE = Path(__file__).parents[2] / "docs" / "admin.md"
pytestmark = pytest.mark.kafka


@pytest.mark.spec("K113-26")
def test_the_examples_run(cluster: ApacheKafka, capsys: pytest.CaptureFixture[str]) -> None:
    examples = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.M | re.S)
    assert len(examples) == 7

    async def run() -> None:
        async with AdminClient(cluster.bootstrap) as admin:
            await admin.create_topics([NewTopic("orders", assignment={0: (1,)})]).all()
            replica = Replica("orders", 0, 1)

            async def there() -> bool:
                return (
                    await admin.describe_replica_log_dirs([replica])[replica]
                ).current is not None

            await eventually_async(there, "the topic is there")
        names: dict[str, Any] = {"bootstrap": cluster.bootstrap, "asyncio": asyncio}
        for example in examples:
            code = compile(example, str(PAGE), "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
            done = eval(code, names)
            if inspect.isawaitable(done):
                await asyncio.wait_for(done, 120)
        async with AdminClient(cluster.bootstrap) as admin:
            await admin.delete_topics(["orders"]).all()

    asyncio.run(run())
    told = capsys.readouterr().out
    assert "NONE" in told
    apache = type(cluster) is ApacheKafka
    assert ("only the broker knows it" if apache else "the controller knows the directory") in told
