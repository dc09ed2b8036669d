"""A controller that does not lead makes itself known to the one that does (KIP-919).

Looks once a second whether the metadata has our registration, and sends it where it has not. While
we lead, the controller writes it itself. Made by `node` for its controller.
"""

from __future__ import annotations

from typing import Final

from spindle.model.errors import Error, PeerFailed, error_name
from spindle.model.feature_rules import CONTROLLER_REGISTRATION, METADATA_VERSION
from spindle.node.controller import Controller
from spindle.node.peers import Peers
from spindle.wire.messages.controller_registration_request import (
    ControllerRegistrationRequest,
    Feature,
    Listener,
)
from spindle.wire.messages.controller_registration_response import ControllerRegistrationResponse

INTERVAL: Final = 1.0
"""s between looks."""
CHANNEL: Final = "registration"
VERSION: Final = 0
TIMEOUT: Final = 5.0


class ControllerRegistrationManager:
    """Sends our registration until it shows."""

    def __init__(self, controller: Controller) -> None:
        self._controller = controller
        config = controller.config
        listener = config.quorum.listeners[0]
        self._peers = Peers(controller.out, f"controller-{config.node_id}", listener)
        controller.out.after(INTERVAL, self._look)

    def _look(self) -> None:
        controller = self._controller
        endpoint = controller.quorum.leader_endpoint()
        if controller.active or self._is_known() or endpoint is None:
            self._look_again()
            return
        self._peers.ask(*endpoint, CHANNEL, self._request(), VERSION, self._on_reply, TIMEOUT)

    def _is_known(self) -> bool:
        controller = self._controller
        image = controller.image
        if image.features.get(METADATA_VERSION, 0) < CONTROLLER_REGISTRATION:
            return True  # such a cluster keeps no such records
        return image.controllers.get(controller.config.node_id) == controller.registration()

    def _look_again(self) -> None:
        self._controller.out.after(INTERVAL, self._look)

    def _on_reply(self, reply: ControllerRegistrationResponse | PeerFailed) -> None:
        if isinstance(reply, PeerFailed):
            self._controller.out.say("debug", "controller not registered", reason=str(reply))
        elif reply.error_code not in (Error.NONE, Error.NOT_CONTROLLER):
            self._controller.out.say(
                "warning",
                "controller not registered",
                error=error_name(reply.error_code),
                reason=reply.error_message,
            )
        self._look_again()

    def _request(self) -> ControllerRegistrationRequest:
        own = self._controller.registration()
        return ControllerRegistrationRequest(
            controller_id=own.controller_id,
            incarnation_id=own.incarnation_id,
            zk_migration_ready=False,
            listeners=tuple(
                Listener(
                    name=e.name, host=e.host, port=e.port, security_protocol=e.security_protocol
                )
                for e in own.endpoints
            ),
            features=tuple(
                Feature(
                    name=name, min_supported_version=levels.min, max_supported_version=levels.max
                )
                for name, levels in own.features
            ),
        )
