"""Where the page of metrics is served, and that it is not served otherwise than asked for."""

from __future__ import annotations

import json
import ssl
import urllib.request
from pathlib import Path

import pytest
from tests.support.certificates import Authority
from tests.support.commands import run

from spindle.cli.storage.storage_format import format_node, random_id
from spindle.model.statistics import Sample
from spindle.runtime.metrics import MetricsAddress, serve_metrics


def samples() -> list[Sample]:
    return [Sample("kafka_things_total", 7.0, "things")]


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_the_page_is_served_where_it_is_asked_for(host: str) -> None:
    with serve_metrics(MetricsAddress(0, host), samples) as url:
        assert url.startswith(f"http://{host}:")
        page = urllib.request.urlopen(url.replace("0.0.0.0", "127.0.0.1"), timeout=10).read()
    assert b"kafka_things_total 7.0" in page


def test_the_page_is_served_by_https_where_it_has_a_certificate(tmp_path: Path) -> None:
    authority = Authority("metrics")
    node = str(authority.issue("node", ["127.0.0.1"]).write_pem(tmp_path / "node.pem"))
    trust = ssl.create_default_context(cafile=authority.write_pem(tmp_path / "ca.pem"))
    address = MetricsAddress(0, "127.0.0.1", node, node)
    with serve_metrics(address, samples) as url:
        assert url.startswith("https://127.0.0.1:")
        page = urllib.request.urlopen(url, timeout=10, context=trust).read()
    assert b"kafka_things_total 7.0" in page


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("metrics.host=203.0.113.9", "metrics.port: cannot serve http://203.0.113.9:0/metrics: "),
        ("metrics.ssl.key.location=k.pem", "belong together: give both files"),
        (
            "metrics.ssl.key.location=/none\nmetrics.ssl.certificate.location=/none",
            "metrics.port: cannot serve https://127.0.0.1:0/metrics: Cannot load server",
        ),
    ],
)
def test_a_node_whose_page_cannot_be_served_does_not_start_and_says_why(
    tmp_path: Path, lines: str, said: str
) -> None:
    properties = tmp_path / "node.properties"
    properties.write_text(
        "node.id=1\nprocess.roles=broker,controller\ncontroller.listener.names=CONTROLLER\n"
        "listeners=PLAINTEXT://127.0.0.1:0,CONTROLLER://127.0.0.1:0\n"
        "controller.quorum.voters=1@127.0.0.1:9\nmetrics.port=0\n"
        f"log.dirs={tmp_path}/d1\nmetadata.log.dir={tmp_path}/metadata\n{lines}\n"
    )
    format_node(properties, random_id(), lambda _: None)
    done = run("spindle", "broker", "--config", str(properties), "--log-format", "json")
    assert done.code == 1
    *events, error = done.stderr.splitlines()
    assert error.startswith("error: ")
    assert said in error
    (started,) = [e for e in map(json.loads, events) if e["event"] == "node starts"]
    assert (started["level"], started["node"]) == ("info", 1)
    assert started["logger"] == "spindle.runtime.server"
