"""Requests that cost a broker no disk and no replica: Metadata on one connection, ApiVersions on 8.

What is left is the way in and out: the socket, the frame, the codec, the event loop. Asked of one
broker by `bench.raw_clients`; the processor time is that broker's.
"""

from __future__ import annotations

import sys

from bench.measures import Figures, create, delete, printed_by
from bench.peers import Peer, cpu_seconds
from spindle.client.results import NewTopic

BROKER, PARTITIONS = 1, 12
ASKED = {"Metadata": ("metadata", 1), "ApiVersions": ("api-versions", 8)}
"""Each figure's request and number of connections."""


def named(api: str) -> str:
    """What a figure of an API's requests begins with."""
    connections = ASKED[api][1]
    return f"{api}, {connections} connection{'s' if connections > 1 else ''}"


LEADING = f"{named('Metadata')}: requests/s"


async def raw(peer: Peer, round_: int, seconds: int) -> Figures:
    """Requests a second of each, one under way on each connection, and what one costs."""
    topic = f"raw-{round_}"
    await create(peer, NewTopic(topic, PARTITIONS, 3))
    node = peer.cluster.nodes[BROKER]
    assert node.process is not None
    figures: Figures = {}
    for api, (what, connections) in ASKED.items():
        before = cpu_seconds([node.process.pid])
        words = (what, str(node.port), topic, str(connections), str(seconds))
        told = await printed_by(
            [sys.executable, "-m", "bench.raw_clients", *words], f"{api} requests"
        )
        used = cpu_seconds([node.process.pid]) - before
        figures[f"{named(api)}: requests/s"] = told["requests_per_s"]
        figures[f"{named(api)}: server CPU us each"] = used / told["requests"] * 1e6
    await delete(peer, topic)
    return figures
