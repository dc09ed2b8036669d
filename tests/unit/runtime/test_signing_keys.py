"""Keys of tokens are read at the start, and again when their file changes or a key is missed."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest
from tests.support.waiting import eventually_async
from tests.support.web_tokens import TokenProvider
from tests.unit.node.test_token_logins import SETTINGS, URL

from spindle.model.errors import Unusable
from spindle.model.image import ClusterImage
from spindle.model.outbox import Outbox
from spindle.model.settings.typed_settings import Settings
from spindle.node.sasl_listener import SaslListener
from spindle.node.scram_logins import ScramLogins
from spindle.runtime import signing_keys
from spindle.runtime.signing_keys import read_keys
from spindle.security.json_web_tokens import SigningKeys, UnknownKey, parse_keys

pytestmark = pytest.mark.spec("S-04")
RSA = {"alg": "RS256", "kid": "new-rsa"}


def listener_of(url: str) -> tuple[SaslListener, Settings]:
    settings = Settings({**SETTINGS, URL: url})
    out = Outbox(random.Random(1))
    return SaslListener("SASL", settings, out, ScramLogins(ClusterImage, None, out.rng)), settings


@pytest.mark.parametrize("text", [None, "no keys"])
def test_a_node_without_keys_does_not_start(text: str | None, tmp_path: Path) -> None:
    path = tmp_path / "keys.json"
    if text is not None:
        path.write_text(text)
    listener, settings = listener_of(path.as_uri())
    with pytest.raises(Unusable, match=r"keys\.json"):
        signing_keys.SigningKeyWatch([listener], settings)


def test_a_changed_file_is_read_again_and_a_broken_one_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(signing_keys, "LOOK_SECONDS", 0.01)
    path = tmp_path / "keys.json"
    listener, settings = listener_of(TokenProvider().publish(path))
    failures: list[Unusable] = []

    def read(url: str) -> SigningKeys:
        try:
            return read_keys(url)
        except Unusable as failure:
            failures.append(failure)
            raise

    async def run() -> None:
        watching = asyncio.create_task(signing_keys.SigningKeyWatch([listener], settings).watch())
        keys = listener.keys
        assert keys is not None
        assert keys.find({"alg": "RS256", "kid": "rsa"})
        TokenProvider("new-").publish(path)

        async def known() -> bool:
            try:
                return bool(keys.find(RSA))
            except UnknownKey:
                return False

        await eventually_async(known, "the new keys count", 20, 0.02)
        monkeypatch.setattr(signing_keys, "read_keys", read)
        path.write_text("no keys")

        async def refused_again() -> bool:
            return len(failures) >= 2

        await eventually_async(refused_again, "the broken file is read", 20, 0.02)
        assert await known()
        watching.cancel()

    asyncio.run(run())


def test_keys_are_fetched_again_soon_after_one_was_missed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(signing_keys, "LOOK_SECONDS", 0.01)
    published = [TokenProvider(), TokenProvider("new-")]
    asked: list[str] = []

    def read(url: str) -> SigningKeys:
        asked.append(url)
        number = min(len(asked), len(published)) - 1
        return parse_keys(published[number].keys(), url)

    monkeypatch.setattr(signing_keys, "read_keys", read)
    listener, settings = listener_of("https://provider.test/keys")

    async def run() -> None:
        watching = asyncio.create_task(signing_keys.SigningKeyWatch([listener], settings).watch())
        keys = listener.keys
        assert keys is not None

        async def known() -> bool:
            try:
                return bool(keys.find(RSA))
            except UnknownKey:
                return False

        await eventually_async(known, "the new keys are fetched", 20, 0.02)
        assert asked[0] == "https://provider.test/keys"
        watching.cancel()

    asyncio.run(run())
