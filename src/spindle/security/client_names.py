"""Every name that a client's properties may have (N-01): honoured, without effect, or refused.

Those of Apache Kafka 4.3's admin client, and of older ones. Pure tables; read by
`client_properties`.
"""

from __future__ import annotations

from typing import Final

_JVM: Final = "it belongs to the JVM."
HONOURED: Final = frozenset(
    (
        "bootstrap.servers",
        "bootstrap.controllers",
        "client.id",
        "default.api.timeout.ms",
        "security.protocol",
        "sasl.mechanism",
        "sasl.jaas.config",
        "sasl.kerberos.service.name",
        "sasl.login.callback.handler.class",
        "sasl.login.connect.timeout.ms",
        "sasl.login.read.timeout.ms",
        "sasl.oauthbearer.token.endpoint.url",
        "sasl.oauthbearer.scope",
        "sasl.oauthbearer.client.credentials.client.id",
        "sasl.oauthbearer.client.credentials.client.secret",
        "sasl.oauthbearer.header.urlencode",
        "sasl.oauthbearer.jwt.retriever.class",
        "ssl.cipher.suites",
        "ssl.enabled.protocols",
        "ssl.endpoint.identification.algorithm",
        "ssl.key.password",
        "ssl.keystore.certificate.chain",
        "ssl.keystore.key",
        "ssl.keystore.location",
        "ssl.keystore.password",
        "ssl.keystore.type",
        "ssl.protocol",
        "ssl.truststore.certificates",
        "ssl.truststore.location",
        "ssl.truststore.password",
        "ssl.truststore.type",
        "config.providers",
    )
)

_WITHOUT_EFFECT: Final = {
    "The client decides itself when it connects and tries again.": (
        "client.dns.lookup",
        "connections.max.idle.ms",
        "metadata.max.age.ms",
        "metadata.recovery.rebootstrap.trigger.ms",
        "metadata.recovery.strategy",
        "receive.buffer.bytes",
        "reconnect.backoff.max.ms",
        "reconnect.backoff.ms",
        "retries",
        "retry.backoff.max.ms",
        "retry.backoff.ms",
        "send.buffer.bytes",
        "socket.connection.setup.timeout.max.ms",
        "socket.connection.setup.timeout.ms",
    ),
    "A call has one time limit: default.api.timeout.ms, or --request-timeout.": (
        "request.timeout.ms",
    ),
    "The client keeps no metrics.": (
        "auto.include.jmx.reporter",
        "enable.metrics.push",
        "metric.reporters",
        "metrics.num.samples",
        "metrics.recording.level",
        "metrics.sample.window.ms",
    ),
    f"Python has no such thing: {_JVM}": (
        "security.providers",
        "ssl.keymanager.algorithm",
        "ssl.provider",
        "ssl.secure.random.implementation",
        "ssl.trustmanager.algorithm",
    ),
    "A Kerberos ticket is used for each connection as it is found.": (
        "sasl.kerberos.kinit.cmd",
        "sasl.kerberos.min.time.before.relogin",
        "sasl.kerberos.ticket.renew.jitter",
        "sasl.kerberos.ticket.renew.window.factor",
    ),
    "A token is fetched for a new login once 80 % of its life are over.": (
        "sasl.login.refresh.buffer.seconds",
        "sasl.login.refresh.min.period.seconds",
        "sasl.login.refresh.window.factor",
        "sasl.login.refresh.window.jitter",
        "sasl.login.retry.backoff.max.ms",
        "sasl.login.retry.backoff.ms",
    ),
    "Brokers check tokens, this client does not.": (
        "sasl.oauthbearer.clock.skew.seconds",
        "sasl.oauthbearer.expected.audience",
        "sasl.oauthbearer.expected.issuer",
        "sasl.oauthbearer.jwks.endpoint.refresh.ms",
        "sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms",
        "sasl.oauthbearer.jwks.endpoint.retry.backoff.ms",
        "sasl.oauthbearer.jwks.endpoint.url",
        "sasl.oauthbearer.jwt.validator.class",
        "sasl.oauthbearer.scope.claim.name",
        "sasl.oauthbearer.sub.claim.name",
    ),
}
WITHOUT_EFFECT: Final = {name: why for why, names in _WITHOUT_EFFECT.items() for name in names}
"""Why a name decides nothing here."""

_REFUSED: Final = {
    "Spindle runs no class of Java's": (
        "sasl.client.callback.handler.class",
        "sasl.login.class",
        "ssl.engine.factory.class",
    ),
    "tokens by an assertion (RFC 7523) are not supported, those by client credentials are": (
        "sasl.oauthbearer.assertion.algorithm",
        "sasl.oauthbearer.assertion.claim.aud",
        "sasl.oauthbearer.assertion.claim.exp.seconds",
        "sasl.oauthbearer.assertion.claim.iss",
        "sasl.oauthbearer.assertion.claim.jti.include",
        "sasl.oauthbearer.assertion.claim.nbf.seconds",
        "sasl.oauthbearer.assertion.claim.sub",
        "sasl.oauthbearer.assertion.file",
        "sasl.oauthbearer.assertion.private.key.file",
        "sasl.oauthbearer.assertion.private.key.passphrase",
        "sasl.oauthbearer.assertion.template.file",
    ),
}
REFUSED: Final = {name: why for why, names in _REFUSED.items() for name in names}
"""Why a client does not start with a name."""
