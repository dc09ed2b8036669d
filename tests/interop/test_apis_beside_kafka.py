"""The columns of docs/apis.md are what real nodes answer: Apache Kafka 4.3's and ours (C-07).

`python -m tests.interop.test_apis_beside_kafka JARS FOLDER` notes Apache Kafka's again.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.apis_page import Theirs, note, ours, theirs
from tests.support.apache_kafka import CONTROLLER_ID, ApacheKafka
from tests.support.local import Local
from tests.support.quorum import ask
from tools.messages.entities import make, request_types

from spindle.model.feature_rules import SERVED
from spindle.wire.apis import SOFTWARE, Key, Role, is_private

pytestmark = [pytest.mark.kafka, pytest.mark.spec("C-07", "C-06", "N-04")]


def answer_of(cluster: ApacheKafka, role: Role, software: str) -> Any:
    """What a listener of that role answers to ApiVersions."""
    if role is Role.BROKER:
        port = cluster.nodes[1].port
    else:
        controller = cluster.nodes[CONTROLLER_ID].controller_port
        assert controller is not None
        port = controller
    types = request_types(Key.API_VERSIONS, 4)
    request = make(
        types.ApiVersionsRequest, client_software_name=software, client_software_version="1"
    )
    return ask(port, request, 20)


def said_by(cluster: ApacheKafka, software: str = "test") -> Theirs:
    """The ranges that a broker and a controller advertise."""
    answers = {role: answer_of(cluster, role, software) for role in Role}
    for answer in answers.values():
        assert answer.error_code == 0
    return Theirs(
        {
            role: {
                int(api.api_key): (int(api.min_version), int(api.max_version))
                for api in sorted(answer.api_keys, key=lambda api: int(api.api_key))
            }
            for role, answer in answers.items()
        },
        {
            str(f.name): (int(f.min_version), int(f.max_version))
            for f in sorted(answers[Role.BROKER].supported_features, key=lambda f: str(f.name))
        },
    )


@pytest.fixture(scope="module")
def apache(kafka_jars: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApacheKafka]:
    folder = tmp_path_factory.mktemp("apache")
    with ApacheKafka(folder / "kafka", kafka_jars, separate_controller=True) as kafka:
        kafka.start()
        yield kafka


@pytest.fixture(scope="module")
def local(kafka_jars: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Local]:
    with Local(tmp_path_factory.mktemp("ours") / "spindle", kafka_jars, brokers=1) as cluster:
        cluster.start()
        yield cluster


def test_the_columns_of_apache_kafka_are_what_its_nodes_answer(apache: ApacheKafka) -> None:
    assert said_by(apache) == theirs()


def test_our_columns_are_what_our_nodes_answer(local: Local) -> None:
    said = said_by(local)
    for role in Role:
        assert said.apis[role] == {k: r for k, r in ours(role).items() if not is_private(k)}
    assert said.features == {name: (levels.min, levels.max) for name, levels in SERVED.items()}


def test_our_own_apis_are_advertised_to_our_tools_alone(local: Local) -> None:
    said = said_by(local, SOFTWARE)
    for role in Role:
        assert said.apis[role] == ours(role)


if __name__ == "__main__":
    with ApacheKafka(Path(sys.argv[2]), Path(sys.argv[1]), separate_controller=True) as new:
        new.start()
        note(said_by(new))
