"""Which SASL mechanism a client uses, and with what: from `sasl.*` to a value, and its machine.

Called by `client_properties`, and by `client/connector` for each conversation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from spindle.model.errors import Unusable
from spindle.security import jaas, kerberos
from spindle.security.jaas import LoginModule
from spindle.security.kerberos import GssapiClient
from spindle.security.sasl import OAuthBearerClient, PlainClient, SaslClient, ScramConversation
from spindle.security.secret import Secret
from spindle.security.tls import TlsSettings, tls_settings
from spindle.security.tokens import ClientCredentials, TokenFile, TokenSource, UnsignedToken

SETTING: Final = "sasl.mechanism"
SCRAM: Final = ("SCRAM-SHA-256", "SCRAM-SHA-512")
_MODULES: Final = {
    "PLAIN": "PlainLoginModule",
    **dict.fromkeys(SCRAM, "ScramLoginModule"),
    "OAUTHBEARER": "OAuthBearerLoginModule",
    "GSSAPI": "Krb5LoginModule",
}
_OAUTH: Final = "sasl.oauthbearer."
_HANDLER: Final = "sasl.login.callback.handler.class"
_RETRIEVERS: Final = ("DefaultJwtRetriever", "ClientCredentialsJwtRetriever", "FileJwtRetriever")
_SECONDS: Final = 10.0


@dataclass(frozen=True, slots=True)
class PasswordLogin:
    """PLAIN and SCRAM."""

    mechanism: str
    username: str
    password: Secret
    by_token: bool = False
    """These are a delegation token's id and HMAC."""

    def client(self, nonce: str) -> SaslClient:
        """The machine of one conversation; `nonce` by chance, for SCRAM."""
        if self.mechanism == "PLAIN":
            return PlainClient(self.username, self.password)
        name, password = self.username, self.password
        return ScramConversation(self.mechanism, name, password, nonce, self.by_token)


@dataclass(frozen=True, slots=True)
class OAuthLogin:
    """OAUTHBEARER. `extensions` go to the broker beside the token (KIP-342)."""

    source: TokenSource
    extensions: Mapping[str, str]
    mechanism: str = "OAUTHBEARER"

    def client(self, token: Secret) -> SaslClient:
        """The machine of one conversation."""
        return OAuthBearerClient(token, self.extensions)


@dataclass(frozen=True, slots=True)
class KerberosLogin:
    """GSSAPI. Without `keytab` the ticket is taken from the user's cache."""

    service: str
    principal: str | None
    keytab: str | None
    mechanism: str = "GSSAPI"

    def client(self, host: str) -> SaslClient:
        """The machine of one conversation with the broker on a host."""
        return GssapiClient(self.service, host, self.principal, self.keytab)


Login = PasswordLogin | OAuthLogin | KerberosLogin


def login(given: Mapping[str, str]) -> Login:
    """What `sasl.*` says. Unusable names the setting that is wrong or missing."""
    mechanism = given.get(SETTING, "GSSAPI").strip()
    if mechanism not in _MODULES:
        raise Unusable(f"{SETTING}={mechanism} is not supported: {', '.join(_MODULES)} are")
    text = given.get(jaas.SETTING, "").strip()
    if not text:
        raise Unusable(
            f"{jaas.SETTING} is missing: {SETTING}={mechanism} needs it (a file of "
            "java.security.auth.login.config is not read)"
        )
    module = jaas.parse_jaas(text)
    if module.name != _MODULES[mechanism]:
        raise Unusable(
            f"{jaas.SETTING} names {module.name}, and {SETTING}={mechanism} goes with "
            f"{_MODULES[mechanism]}"
        )
    match mechanism:
        case "OAUTHBEARER":
            return _oauth(given, module)
        case "GSSAPI":
            return _kerberos(given, module)
        case _:
            return _password(mechanism, module)


def node_login(mechanism: str, text: str, given: Mapping[str, str]) -> Login:
    """What a node logs in with at another one: the JAAS line of its own listener there.

    That line may have users besides, whom the listener lets in. `given`: the listener's other
    settings.
    """
    module = jaas.parse_jaas(text)
    users = ("user_",) if module.name == _MODULES["PLAIN"] else ()
    own = {n: v for n, v in module.options.items() if not n.startswith(users)} if users else None
    if own is not None:
        return _password(mechanism, LoginModule(module.name, own))
    return login({**given, SETTING: mechanism, jaas.SETTING: text})


def _password(mechanism: str, module: LoginModule) -> PasswordLogin:
    _only(module, ("username", "password", "tokenauth"))
    by_token = module.options.get("tokenauth", "false").lower() == "true"
    if by_token and mechanism not in SCRAM:
        raise Unusable(
            f"{jaas.SETTING}: tokenauth goes with {SETTING}={' or '.join(SCRAM)}, not {mechanism}"
        )
    username, password = module.options.get("username"), module.options.get("password")
    if username is None or password is None:
        missing = "username" if username is None else "password"
        raise Unusable(f'{jaas.SETTING} has no {missing}: write {missing}="..."')
    return PasswordLogin(mechanism, username, Secret(password), by_token)


def _only(module: LoginModule, known: tuple[str, ...]) -> None:
    if unknown := sorted(name for name in module.options if name not in known):
        raise Unusable(
            f"{jaas.SETTING}: {module.name} has no option {', '.join(unknown)}; it has "
            + ", ".join(known)
        )


def _kerberos(given: Mapping[str, str], module: LoginModule) -> KerberosLogin:
    kerberos.check_library()
    options = module.options
    service = given.get("sasl.kerberos.service.name") or options.get("serviceName")
    if not service:
        raise Unusable("sasl.kerberos.service.name is missing: the brokers' principal, e.g. kafka")
    wants_keytab = options.get("useKeyTab", "false").lower() == "true"
    keytab = options.get("keyTab") if wants_keytab else None
    if wants_keytab and not keytab:
        raise Unusable(f"{jaas.SETTING}: useKeyTab=true needs keyTab, the path of the file")
    return KerberosLogin(service, options.get("principal"), keytab)


def _oauth(given: Mapping[str, str], module: LoginModule) -> OAuthLogin:
    handler = given.get(_HANDLER, "").rpartition(".")[2]
    if handler not in ("", "OAuthBearerLoginCallbackHandler", _UNSECURED):
        raise Unusable(
            f"{_HANDLER}={given[_HANDLER]}: Spindle runs no class of Java's; it has "
            "OAuthBearerLoginCallbackHandler of its own"
        )
    retriever = given.get(f"{_OAUTH}jwt.retriever.class", _RETRIEVERS[0]).rpartition(".")[2]
    if retriever not in _RETRIEVERS:
        raise Unusable(
            f"{_OAUTH}jwt.retriever.class={retriever} is not supported: " + ", ".join(_RETRIEVERS)
        )
    options, prefix = module.options, "extension_"
    url = given.get(f"{_OAUTH}token.endpoint.url", "").strip()
    if handler == _UNSECURED or not (url or handler):
        prefix = "unsecuredLoginExtension_"
        source: TokenSource = _unsigned(options)
    elif url.startswith("file:"):
        source = TokenFile("/" + url.removeprefix("file:").lstrip("/"))
    else:
        source = _credentials(given, options, url)
    found = {n.removeprefix(prefix): v for n, v in options.items() if n.startswith(prefix)}
    return OAuthLogin(source, found)


_UNSECURED: Final = "OAuthBearerUnsecuredLoginCallbackHandler"


def _unsigned(options: Mapping[str, str]) -> UnsignedToken:
    """The claims that Kafka's options for tests name (KIP-255)."""
    claims: dict[str, object] = {}
    for name, value in options.items():
        kind, _, claim = name.partition("Claim_")
        match kind:
            case "unsecuredLoginString":
                claims[claim] = value
            case "unsecuredLoginNumber":
                claims[claim] = float(value)
            case "unsecuredLoginList":
                claims[claim] = value[1:].split(value[:1]) if value else []
    principal = options.get("unsecuredLoginPrincipalClaimName", "sub")
    if principal not in claims:
        raise Unusable(
            f"sasl.mechanism=OAUTHBEARER: set {_OAUTH}token.endpoint.url (or, for tests, "
            f'unsecuredLoginStringClaim_{principal}="NAME" in {jaas.SETTING})'
        )
    return UnsignedToken(claims, int(options.get("unsecuredLoginLifetimeSeconds", "3600")))


def _credentials(
    given: Mapping[str, str], options: Mapping[str, str], url: str
) -> ClientCredentials:
    if not url.startswith(("https://", "http://")):
        raise Unusable(f"{_OAUTH}token.endpoint.url={url}: give an address of https:// or file:///")
    own = f"{_OAUTH}client.credentials.client."
    name = given.get(f"{own}id") or options.get("clientId")
    secret = given.get(f"{own}secret") or options.get("clientSecret")
    if not name or not secret:
        raise Unusable(f"{own}{'secret' if name else 'id'} is missing: what the provider gave you")
    # As in Kafka, the endpoint's certificates are those of the JAAS options, else the system's.
    own_tls = {n: v for n, v in options.items() if n.startswith("ssl.")}
    limits = [
        int(given[f"sasl.login.{kind}.timeout.ms"]) / 1000
        for kind in ("connect", "read")
        if given.get(f"sasl.login.{kind}.timeout.ms", "").isdigit()
    ]
    return ClientCredentials(
        url,
        name,
        Secret(secret),
        given.get(f"{_OAUTH}scope") or options.get("scope"),
        given.get(f"{_OAUTH}header.urlencode", "false").strip().lower() == "true",
        tls_settings(own_tls) if own_tls else TlsSettings(),
        max(limits, default=_SECONDS),
    )
