"""Tokens from an endpoint: what it grants, and what is wrong with each other answer."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import parse_qs

import pytest

from spindle.model.errors import PeerFailed, Refusal, Unusable
from spindle.security.secret import Secret
from spindle.security.tokens import ClientCredentials, TokenFile

pytestmark = pytest.mark.spec("S-01", "S-02")


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


@contextmanager
def endpoint(status: int, body: bytes, **headers: str) -> Iterator[tuple[str, list[object]]]:
    """An endpoint with one answer to all: its address, and what it is asked."""
    asked: list[object] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            form = self.rfile.read(int(self.headers["Content-Length"])).decode()
            asked.append((self.headers["Authorization"], parse_qs(form)))
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *arguments: object) -> None:
            """Be silent."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/token", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def jwt(**claims: object) -> str:
    packed = base64.urlsafe_b64encode(json.dumps(claims).encode()).rstrip(b"=").decode()
    return f"e30.{packed}.sig"


def test_a_grant_is_a_token_with_its_end() -> None:
    with endpoint(200, json.dumps({"access_token": jwt(exp=4e9)}).encode()) as (url, asked):
        token = ClientCredentials(url, "a:b", Secret("c/d"), "kafka", encoded=True).fetch()
    assert token.ends == 4e9
    basic = base64.b64encode(b"a%3Ab:c%2Fd").decode()
    assert asked == [(f"Basic {basic}", {"grant_type": ["client_credentials"], "scope": ["kafka"]})]


def test_an_opaque_token_ends_as_the_answer_says() -> None:
    body = json.dumps({"access_token": "opaque", "expires_in": 100}).encode()
    with endpoint(200, body) as (url, _):
        token = ClientCredentials(url, "a", Secret("b")).fetch()
    assert 0 < token.ends - time.time() <= 100


@pytest.mark.parametrize(
    ("status", "body", "error", "says"),
    [
        (401, b"", Refusal, "401 Unauthorized: check the client's id, its secret and the scope"),
        (404, b"", Refusal, "404 Not Found: check the address"),
        (503, b"", PeerFailed, "has a fault; try again later"),
        (200, b"<html>", PeerFailed, "no access_token in JSON"),
        (200, b"[]", PeerFailed, "no access_token in JSON"),
        (200, b'{"access_token": 1}', PeerFailed, "an access_token that is no text"),
    ],
)
def test_each_other_answer_is_named(
    status: int, body: bytes, error: type[Exception], says: str
) -> None:
    with endpoint(status, body) as (url, _), pytest.raises(error, match=says) as raised:
        ClientCredentials(url, "a", Secret("hush")).fetch()
    assert "hush" not in str(raised.value)


@pytest.mark.spec("S-03")
def test_the_secret_follows_no_redirection() -> None:
    with endpoint(200, b"{}") as (other, asked), endpoint(302, b"", Location=other) as (url, _):
        with pytest.raises(Refusal, match="302 Found: check the address"):
            ClientCredentials(url, "a", Secret("b")).fetch()
        assert asked == []


def test_an_absent_server_is_reported(port: int) -> None:
    with pytest.raises(PeerFailed, match=r"token\.endpoint\.url: .*Connection refused"):
        ClientCredentials(f"http://127.0.0.1:{port}/", "a", Secret("b")).fetch()


def test_a_file_without_a_token_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "token"
    with pytest.raises(Unusable, match="No such file"):
        TokenFile(str(file)).fetch()
    file.write_text("\n")
    with pytest.raises(Unusable, match="is empty"):
        TokenFile(str(file)).fetch()
    file.write_text(jwt(exp=12.0))
    assert TokenFile(str(file)).fetch().ends == 12.0
