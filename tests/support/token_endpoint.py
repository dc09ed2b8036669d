"""An HTTPS endpoint of a test's own that gives tokens for client credentials (RFC 6749, 4.4).

with TokenEndpoint(keys, "client", "secret") as endpoint:
    endpoint.url
"""

from __future__ import annotations

import base64
import json
import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import parse_qs

from spindle.security.tokens import UnsignedToken

LIFE_S = 60


class TokenEndpoint:
    """The server; `asked` are the forms of the requests that it has granted."""

    def __init__(self, keys: Path, client_id: str, client_secret: str) -> None:
        pair = f"{client_id}:{client_secret}".encode()
        self.expected = f"Basic {base64.b64encode(pair).decode()}"
        self.asked: list[dict[str, list[str]]] = []
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                endpoint.answer(self)

            def log_message(self, format: str, *arguments: object) -> None:
                """Be silent."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(keys)
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.01,), daemon=True
        )

    @property
    def url(self) -> str:
        """Where it is."""
        return f"https://localhost:{self._server.server_address[1]}/token"

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        """Grant a token, or say 401."""
        form = request.rfile.read(int(request.headers["Content-Length"])).decode()
        if request.headers["Authorization"] != self.expected:
            request.send_error(401)
            return
        self.asked.append(parse_qs(form))
        token = UnsignedToken({"sub": "admin"}, LIFE_S).fetch()
        body = json.dumps({"access_token": token.text.reveal(), "expires_in": LIFE_S}).encode()
        request.send_response(200)
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
