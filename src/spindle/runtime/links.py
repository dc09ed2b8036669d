"""How a node's links to other nodes are secured, by the name of the listener that is there.

Called by `driver`; `outgoing` puts it to work.
"""

from __future__ import annotations

import ssl
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from spindle.model.config import NodeConfig
from spindle.model.errors import Unusable
from spindle.model.settings.typed_settings import Settings

if TYPE_CHECKING:
    from spindle.runtime.certificates import ListenerCertificates
    from spindle.security.mechanisms import Login


@dataclass(frozen=True, slots=True)
class LinkSecurity:
    """What the next connection to a listener needs."""

    tls: ssl.SSLContext | None = None
    login: Login | None = None


Links = Callable[[str], LinkSecurity]
PLAIN_LINK: Final = LinkSecurity()


def UNSECURED(listener: str) -> LinkSecurity:
    """Links in the clear, wherever they lead."""
    return PLAIN_LINK


def links_of(config: NodeConfig, certificates: ListenerCertificates | None) -> Links:
    """The links of a node. Unusable where a setting that they need is missing or wrong."""
    controllers = config.quorum.listeners[0]
    mechanisms = {
        config.inter_broker_listener: "sasl.mechanism.inter.broker.protocol",
        controllers: "sasl.mechanism.controller.protocol",
    }
    logins: dict[str, Login] = {
        listener: _login(config.settings, listener, setting)
        for listener, setting in mechanisms.items()
        if config.protocol_of(listener).has_sasl
        if config.is_broker or listener == controllers
    }
    if certificates is None and not logins:
        return UNSECURED

    def link(listener: str) -> LinkSecurity:
        tls = None if certificates is None else certificates.link(listener)
        return LinkSecurity(tls, logins.get(listener))

    return link


def _login(settings: Settings, listener: str, setting: str) -> Login:
    from spindle.security.mechanisms import node_login

    mechanism = settings.text(setting) or ""
    own = settings.of_listener(listener).given
    name = f"{mechanism.lower()}.sasl.jaas.config"
    where = f"listener.name.{listener.lower()}.{name}"
    if not own.get(name, "").strip():
        raise Unusable(
            f"{where} is missing: this node logs in with it at other nodes ({setting}={mechanism})"
        )
    try:
        return node_login(mechanism, own[name], own)
    except Unusable as error:
        raise Unusable(f"{where}: {error}") from None
