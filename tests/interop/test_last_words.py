"""A broker that stops by itself tells the controller first: others lead at once (B-30, N-05).

The controller is ours or Apache Kafka's; the sessions are long, so that nothing but the last words
can be what made the others lead. Apache Kafka's lets a broker come back once its session is over:
the last test waits for all of them. The tests of a cluster run in order.
"""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress

import pytest
from confluent_kafka.admin import NewTopic
from tests.support.apache_kafka import CONTROLLER_ID
from tests.support.deadlines import within
from tests.support.local import Local
from tests.support.mixed import Mixed
from tests.support.processes import tied
from tools.messages.entities import make, request_class
from tools.messages.frames import encode_request

from spindle.wire.apis import Key

SESSION = 15.0
LED_WITHIN = 9.0
"""s. Only the last words make a broker lead before the session is over."""
SETTINGS = {
    "broker.session.timeout.ms": str(int(SESSION * 1000)),
    "default.replication.factor": "2",
}
OTHERS = (4, 5)
"""They have a replica of each topic, and none of them stops."""
TOLD = re.compile(r"the controller at \S+ took note")
HALTED, BUG = 3, 70
WITH_A_BUG = """
import sys
from pathlib import Path

from spindle.node.handlers import BROKER
from spindle.runtime import server
from spindle.wire.apis import Key

def on_broker(broker, request, context):
    assert False, "the promoted log ends at 7"

BROKER[Key.LIST_GROUPS].handle = on_broker
sys.exit(server.run(Path(sys.argv[1]), "info"))
"""


@pytest.fixture(
    scope="module",
    params=["our-controller", pytest.param("their-controller", marks=pytest.mark.kafka)],
)
def cluster(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Local]:
    """Five Spindle brokers, three of which will stop."""
    folder = tmp_path_factory.mktemp(request.param)
    if request.param == "their-controller":
        jars = request.getfixturevalue("kafka_jars")
        made: Local = Mixed(folder, jars, theirs={CONTROLLER_ID}, brokers=5, settings=SETTINGS)
    else:
        made = Local(folder, brokers=5, settings=SETTINGS)
    with made as cluster:
        cluster.start()
        yield cluster


def leader(cluster: Local, topic: str) -> int:
    """The leader, as the other brokers say."""
    return cluster.state(topic)[0][0]


@pytest.mark.spec("B-30", "K858-11")
@pytest.mark.parametrize(("victim", "what"), [(3, "metadata"), (2, "every log directory")])
def test_a_broker_that_loses(cluster: Local, victim: int, what: str) -> None:
    topic = what.replace(" ", "-")
    cluster.create(topic, [[victim, *OTHERS]])
    folder = cluster.nodes[victim].folder
    names = ["metadata"] if what == "metadata" else [d.name for d in cluster.nodes[victim].log_dirs]
    markers = [folder / f"{name}.broken" for name in names]
    begun = time.monotonic()
    for marker in markers:
        marker.write_text("EIO")
    if what == "metadata":
        # Something to be written there; the broker that was asked may be the one that stops.
        cluster.admin.create_topics(
            [NewTopic(f"{topic}-news", 1, replica_assignment=[list(OTHERS)])]
        )
    assert cluster.exit_code(victim) == HALTED
    cluster.until(lambda: leader(cluster, topic) in OTHERS, "others lead", LED_WITHIN)
    within(time.monotonic() - begun, SESSION, "others lead before the session is over")
    said = cluster.tail(victim, 20_000)  # A busy machine has it say more than a quiet one.
    assert TOLD.search(said), said
    for marker in markers:
        marker.unlink()
    cluster.start_node(victim, wait=False)


@pytest.mark.spec("N-05", "B-30")
def test_a_bug_stops_the_broker_and_others_lead(cluster: Local) -> None:
    victim = cluster.nodes[1]
    cluster.create("bug", [[1, *OTHERS]])
    cluster.stop_node(1)
    script = cluster.folder / "with_a_bug.py"
    script.write_text(WITH_A_BUG)
    log = cluster.folder / "with_a_bug.log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            tied([sys.executable, str(script), str(victim.config)]), stdout=out, stderr=out
        )
    try:
        cluster.until(lambda: cluster.state("bug")[0][1] == {1, *OTHERS}, "it is in sync", 60)
        cluster.lead(1, "bug")
        begun = time.monotonic()
        ask_for_groups(victim.port)
        assert process.wait(20) == BUG
    finally:
        process.kill()
        process.wait()
    cluster.until(lambda: leader(cluster, "bug") in OTHERS, "others lead", LED_WITHIN)
    within(time.monotonic() - begun, SESSION, "others lead before the session is over")
    lines = log.read_text().splitlines()
    assert "node halts" in lines[-1]
    assert "a bug of Spindle: AssertionError: the promoted log ends at 7" in lines[-1]
    assert any("Traceback" in line for line in lines)
    cluster.start_node(1, wait=False)


@pytest.mark.spec("B-30")
def test_each_that_has_stopped_comes_back(cluster: Local) -> None:
    cluster.wait_until_serving()
    for victim, topic in ((3, "metadata"), (2, "every-log-directory"), (1, "bug")):
        back = {victim, *OTHERS}
        cluster.until(lambda t=topic, b=back: cluster.state(t)[0][1] == b, "all are in sync", 60)


def ask_for_groups(port: int) -> None:
    """Send the request that the broker of the test does not survive."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as link:
        link.sendall(encode_request(make(request_class(Key.LIST_GROUPS, 4)), 1, "test"))
        with suppress(ConnectionResetError):
            assert link.recv(1) == b""
