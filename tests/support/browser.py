"""A headless browser that shows pages: what they measure there, and pictures of them.

It is spoken to in Chrome's DevTools protocol through pipes: nothing listens, nothing is fetched.
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
import tempfile
from types import TracebackType
from typing import Any, Self

from tests.support.chromium import chromium
from tests.support.processes import tied

_OPTIONS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-software-rasterizer",
    "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--remote-debugging-pipe",
)  # fmt: skip
_PIPES = 'exec "${@:3}" 3<&"$1" 4>&"$2"'
"""A browser reads commands from descriptor 3 and writes answers to 4."""


class Browser:
    """One browser with one page; give `show` the text of a page."""

    def __enter__(self) -> Self:
        self._home = tempfile.TemporaryDirectory(prefix="spindle-browser-")
        self._log = tempfile.TemporaryFile()
        found = chromium()
        theirs_in, self._to = os.pipe()
        self._from, theirs_out = os.pipe()
        environment = {**os.environ, **found.environment, "HOME": self._home.name}
        command = [str(found.path), *_OPTIONS, f"--user-data-dir={self._home.name}"]
        pipes = ["bash", "-c", _PIPES, "bash", str(theirs_in), str(theirs_out)]
        self._process = subprocess.Popen(
            tied([*pipes, *command]), pass_fds=(theirs_in, theirs_out), env=environment,
            stderr=self._log,
        )  # fmt: skip
        os.close(theirs_in)
        os.close(theirs_out)
        self._read, self._number, self._session = b"", 0, ""
        target = self._ask("Target.createTarget", url="about:blank")["targetId"]
        told = self._ask("Target.attachToTarget", targetId=target, flatten=True)
        self._session = told["sessionId"]
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.wait()
        self._log.close()
        os.close(self._to)
        os.close(self._from)
        self._home.cleanup()

    def show(self, page: str, width: int, *, dark: bool = False, media: str = "screen") -> None:
        """Show a page in a window of so many CSS pixels; as on a phone if it is narrow."""
        self._ask(
            "Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1,
            mobile=width < 600,
        )  # fmt: skip
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._ask("Emulation.setEmulatedMedia", media=media, features=[scheme])
        frame = self._ask("Page.getFrameTree")["frameTree"]["frame"]["id"]
        self._ask("Page.setDocumentContent", frameId=frame, html=page)

    def run(self, script: str) -> Any:
        """The value of an expression of JavaScript in the page."""
        told = self._ask(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in told, told
        return told["result"].get("value")

    def picture(self) -> bytes:
        """The whole page as PNG, also what is below the window."""
        told = self._ask("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        return base64.b64decode(told["data"])

    def _ask(self, method: str, **parameters: object) -> dict[str, Any]:
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            answer = json.loads(self._answer())
            if answer.get("id") == self._number:
                assert "result" in answer, answer
                return dict(answer["result"])

    def _answer(self) -> bytes:
        while b"\0" not in self._read:
            more = os.read(self._from, 1 << 16)
            if not more:
                self._process.wait()
                self._log.seek(0)
                told = self._log.read().decode(errors="replace")
                raise AssertionError(f"the browser has ended: {told[-2000:]}")
            self._read += more
        answer, _, self._read = self._read.partition(b"\0")
        return answer
