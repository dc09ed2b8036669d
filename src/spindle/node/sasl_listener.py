"""How clients log in at one listener: what its settings say, and how often they did (S-04).

The passwords of PLAIN are in the listener's JAAS line, the credentials of SCRAM and the delegation
tokens in the committed metadata; OAUTHBEARER's keys are what the rim has read last. Called by
`sasl_authenticator` for each login; made by the node.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final

from spindle.model.errors import Unusable
from spindle.model.metric_tables import node_figures
from spindle.model.outbox import Outbox
from spindle.model.scram import SCRAM_BY_NAME
from spindle.model.settings.typed_settings import Settings
from spindle.model.statistics import Sample
from spindle.node.scram_logins import ScramLogins
from spindle.security.jaas import LoginModule, parse_jaas
from spindle.security.sasl_server import PlainServer, SaslServer, ScramServer
from spindle.security.secret import Secret

if TYPE_CHECKING:
    from spindle.security.json_web_tokens import SigningKeys, TokenRules

PLAIN: Final = "PLAIN"
OAUTH: Final = "OAUTHBEARER"
OFFERED: Final = (PLAIN, *SCRAM_BY_NAME, OAUTH)
"""What Spindle's listeners can offer."""
_MODULES: Final = {
    PLAIN: "PlainLoginModule",
    OAUTH: "OAuthBearerLoginModule",
    **dict.fromkeys(SCRAM_BY_NAME, "ScramLoginModule"),
}
VALIDATOR: Final = "OAuthBearerValidatorCallbackHandler"
_HANDLER: Final = "sasl.server.callback.handler.class"
_KEYS: Final = "sasl.oauthbearer.jwks.endpoint.url"
_USER: Final = "user_"
NONCE_BITS: Final = 192
SAY_SECONDS: Final = 10.0
"""The least time between two lines about logins that failed: there may be very many."""


@dataclass(frozen=True, slots=True)
class LoginRules:
    """What a listener's settings say of logins."""

    mechanisms: tuple[str, ...]
    receive_most: int
    """Bytes of a client's message before it has logged in."""
    refusal_delay: float
    """s that a client waits for a refusal."""
    sessions: Mapping[str, int]
    """ms for which a login counts, by mechanism; 0: for ever."""
    passwords: Mapping[str, Secret] = field(repr=False)
    """PLAIN's, by user."""
    tokens: TokenRules | None = None
    """OAUTHBEARER's."""


def login_rules(node: Settings, listener: str) -> LoginRules:
    """What the settings say of a listener; Unusable names what is wrong with them."""
    settings = node.of_listener(listener)
    mechanisms = settings.names("sasl.enabled.mechanisms")
    if not mechanisms or not set(mechanisms) <= set(OFFERED):
        raise Unusable(
            f"sasl.enabled.mechanisms of listener {listener} is {','.join(mechanisms) or 'empty'}:"
            f" Spindle's listeners offer {', '.join(OFFERED)}; name some of these in"
            f" listener.name.{listener.lower()}.sasl.enabled.mechanisms"
        )
    modules = {name: _module(node, listener, name) for name in mechanisms}
    plain = modules.get(PLAIN)
    return LoginRules(
        mechanisms=mechanisms,
        receive_most=settings.whole("sasl.server.max.receive.size"),
        refusal_delay=node.seconds("connection.failed.authentication.delay.ms"),
        sessions={name: _session(node, settings, listener, name) for name in mechanisms},
        passwords={} if plain is None else _passwords(plain),
        tokens=_token_rules(node, settings, listener) if OAUTH in mechanisms else None,
    )


def _token_rules(node: Settings, settings: Settings, listener: str) -> TokenRules:
    from spindle.security.json_web_tokens import TokenRules  # Slow to load, and seldom needed.

    name, handler = _own(node, listener, OAUTH, _HANDLER)
    if handler is None or handler.rpartition(".")[2] != VALIDATOR:
        raise Unusable(
            f"{name} is {handler or 'missing'}: Spindle's listeners take signed tokens alone, which"
            f" org.apache.kafka.common.security.oauthbearer.{VALIDATOR} stands for; name it there"
        )
    url = settings.text(_KEYS) or ""
    if not url.startswith(("https://", "file:/")):
        raise Unusable(
            f"{_KEYS} of listener {listener} is {url or 'missing'}: give the https:// or file:///"
            " address of the keys that the OAuth provider publishes"
        )
    return TokenRules(
        keys_url=url,
        audiences=settings.names("sasl.oauthbearer.expected.audience"),
        issuer=settings.text("sasl.oauthbearer.expected.issuer"),
        scope_claim=settings.word("sasl.oauthbearer.scope.claim.name"),
        subject_claim=settings.word("sasl.oauthbearer.sub.claim.name"),
        skew=settings.whole("sasl.oauthbearer.clock.skew.seconds"),
    )


def _own(node: Settings, listener: str, mechanism: str, name: str) -> tuple[str, str | None]:
    """A setting of one listener's mechanism: its name, and its text where it is set."""
    full = f"listener.name.{listener.lower()}.{mechanism.lower()}.{name}"
    return full, node.dynamic.get(full, node.given.get(full))


def _module(node: Settings, listener: str, mechanism: str) -> LoginModule | None:
    name, text = _own(node, listener, mechanism, "sasl.jaas.config")
    if text is None:
        if mechanism != PLAIN:
            return None  # Its users are in the metadata, or in tokens.
        raise Unusable(
            f"{name} is missing: it names the users of PLAIN, as in"
            ' org.apache.kafka.common.security.plain.PlainLoginModule required user_NAME="...";'
        )
    module = parse_jaas(text, name)
    if module.name != _MODULES[mechanism]:
        raise Unusable(f"{name} names {module.name}, and {mechanism} needs {_MODULES[mechanism]}")
    return module


def _passwords(module: LoginModule) -> dict[str, Secret]:
    return {
        name.removeprefix(_USER): Secret(text)
        for name, text in module.options.items()
        if name.startswith(_USER)
    }


def _session(node: Settings, settings: Settings, listener: str, mechanism: str) -> int:
    name, text = _own(node, listener, mechanism, "connections.max.reauth.ms")
    if text is None:
        return settings.whole("connections.max.reauth.ms")
    value = settings.setting("connections.max.reauth.ms").read(text)
    assert isinstance(value, int), name
    return value


class SaslListener:
    """The logins at one listener."""

    def __init__(self, name: str, settings: Settings, out: Outbox, scram: ScramLogins) -> None:
        """Unusable where the settings are wrong."""
        self.name = name
        self._settings = settings
        self._out = out
        self._scram = scram
        self._decoy = out.rng.getrandbits(256).to_bytes(32, "big")
        self._known = settings.version, login_rules(settings, name)
        self.keys: SigningKeys | None = None
        """Of the tokens of OAUTHBEARER; the rim reads them before the node serves."""
        self._silent_until = 0.0
        self.succeeded = 0
        self.failed = 0
        self.renewed = 0
        """Logins of connections that had logged in before (KIP-368)."""
        self.expired = 0
        """Connections that were closed because their session was over."""

    @property
    def rules(self) -> LoginRules:
        """What the settings say now."""
        version, rules = self._known
        if version != self._settings.version:
            try:
                rules = login_rules(self._settings, self.name)
            except Unusable as unusable:
                reason = f"{unusable}; the settings before count"
                self._out.say("error", "sasl settings", listener=self.name, reason=reason)
            self._known = self._settings.version, rules
        return rules

    def server(self, mechanism: str) -> SaslServer:
        """The machine of one login by a mechanism that is offered."""
        if mechanism == PLAIN:
            return PlainServer(self.rules.passwords)
        if mechanism == OAUTH:
            return self._oauth_server()
        scram = SCRAM_BY_NAME[mechanism]
        nonce = f"{self._out.rng.getrandbits(NONCE_BITS):x}"
        credential_of = partial(self._scram.of_user, scram)
        token_of = partial(self._scram.of_token, scram)
        return ScramServer(scram, credential_of, nonce, self._decoy, token_of)

    def _oauth_server(self) -> SaslServer:
        from spindle.security.json_web_tokens import SigningKeys
        from spindle.security.oauth_bearer_server import OAuthBearerServer

        assert self.rules.tokens is not None
        keys = SigningKeys() if self.keys is None else self.keys
        return OAuthBearerServer(keys, self.rules.tokens, self._out.wall_ms / 1000)

    def on_failed(self, host: str, mechanism: str, why: str) -> None:
        """A login has failed: say so, but not too often."""
        self.failed += 1
        if self._out.now >= self._silent_until:
            self._silent_until = self._out.now + SAY_SECONDS
            self._out.say(
                "warning",
                "login failed",
                listener=self.name,
                host=host,
                mechanism=mechanism,
                reason=why,
                so_far=self.failed,
            )

    def statistics(self) -> Iterator[Sample]:
        """How often clients logged in."""
        yield node_figures.LOGINS.of(self.succeeded, self.name)
        yield node_figures.FAILED_LOGINS.of(self.failed, self.name)
        yield node_figures.RENEWED.of(self.renewed, self.name)
        yield node_figures.EXPIRED.of(self.expired, self.name)
