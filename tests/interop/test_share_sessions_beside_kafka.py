"""One share session more than a broker may have, beside Apache Kafka 4.3 (KIP-932)."""

from __future__ import annotations

import asyncio
import time
import uuid
from pathlib import Path

import pytest
from tests.support.apache_kafka import ApacheKafka
from tests.support.deadlines import within
from tests.support.spindle_cluster import SpindleCluster

from spindle.client.link import Link
from spindle.model.errors import Error
from spindle.wire.messages.share_fetch_request import ShareFetchRequest

pytestmark = pytest.mark.kafka

PATIENCE_S = 1.2
SETTINGS = {"group.share.max.share.sessions": "1", "group.share.max.size": "1"}


@pytest.mark.spec("C-04")
@pytest.mark.parametrize("kind", [ApacheKafka, SpindleCluster])
def test_the_refusal_comes_when_the_members_patience_is_over(
    kind: type[ApacheKafka], kafka_jars: Path, tmp_path: Path
) -> None:
    with kind(tmp_path, kafka_jars, settings=SETTINGS) as cluster:
        cluster.start()
        told = asyncio.run(_begun(cluster, [0.0, PATIENCE_S, 0.0]))
    assert [error for error, _ in told] == [
        Error.NONE,
        Error.SHARE_SESSION_LIMIT_REACHED,
        Error.SHARE_SESSION_LIMIT_REACHED,
    ]
    assert told[1][1] >= PATIENCE_S
    within(told[2][1], PATIENCE_S, "one without patience is refused")


async def _begun(cluster: ApacheKafka, patience: list[float]) -> list[tuple[int, float]]:
    """Members begin sessions one after the other: what each hears, and after how many seconds."""
    host, _, port = cluster.bootstrap.rpartition(":")
    links, found = [], []
    for wait in patience:
        link = await Link.connect(host, int(port), name="asked", client_id="test", seconds=10)
        links.append(link)  # A session ends with its connection.
        request = ShareFetchRequest(
            group_id="g",
            member_id=str(uuid.uuid4()),
            share_session_epoch=0,
            max_wait_ms=int(wait * 1000),
            min_bytes=1,
            max_bytes=1 << 20,
            max_records=10,
            batch_size=10,
            topics=(),
        )
        began = time.monotonic()
        answer = await link.ask(request, 1, 10)
        found.append((answer.error_code, time.monotonic() - began))
    for link in links:
        link.close()
    return found
