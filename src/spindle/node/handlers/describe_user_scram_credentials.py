"""DescribeUserScramCredentials (50), version 0.

Behaviour: tells which mechanisms of SCRAM users may log in by, and with how many iterations; of no
key and no salt (KIP-554). Without users all of them. A user that has none is RESOURCE_NOT_FOUND,
one that the request names twice DUPLICATE_RESOURCE.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from spindle.model.errors import Error
from spindle.model.image import ClusterImage
from spindle.model.scram import ScramMechanism
from spindle.node.request_context import Later, RequestContext
from spindle.wire.messages.describe_user_scram_credentials_request import (
    DescribeUserScramCredentialsRequest,
)
from spindle.wire.messages.describe_user_scram_credentials_response import (
    CredentialInfo,
    DescribeUserScramCredentialsResponse,
    DescribeUserScramCredentialsResult,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker


def on_broker(
    broker: Broker,
    request: DescribeUserScramCredentialsRequest,
    context: RequestContext[DescribeUserScramCredentialsResponse],
) -> Later:
    """Tell of users."""
    image = broker.image
    named = Counter(user.name for user in request.users or ())
    if not named:
        named = Counter({user: 1 for user, _ in image.scram})
    return broker.slices.answer(
        request,
        context,
        _told(image, named),
        lambda found: DescribeUserScramCredentialsResponse(error_message="", results=found),
    )


def refuse(
    request: DescribeUserScramCredentialsRequest,
    context: RequestContext[DescribeUserScramCredentialsResponse],
    error: Error,
    message: str,
) -> DescribeUserScramCredentialsResponse:
    """The error for the whole, and for each user; Apache Kafka names none of them."""
    return DescribeUserScramCredentialsResponse(
        error_code=error,
        error_message=message,
        results=tuple(
            DescribeUserScramCredentialsResult(error_code=error, error_message=message)
            for _ in request.users or ()
        ),
    )


def _told(image: ClusterImage, named: Counter[str]) -> Iterator[DescribeUserScramCredentialsResult]:
    for user, times in named.items():
        if times > 1:
            yield DescribeUserScramCredentialsResult(
                user=user,
                error_code=Error.DUPLICATE_RESOURCE,
                error_message="Cannot describe SCRAM credentials for the same user twice in a "
                f"single request: {user}",
            )
            continue
        found = tuple(
            CredentialInfo(mechanism=mechanism, iterations=credential.iterations)
            for mechanism in ScramMechanism
            if (credential := image.scram.get((user, mechanism))) is not None
        )
        if found:
            yield DescribeUserScramCredentialsResult(user=user, credential_infos=found)
        else:
            yield DescribeUserScramCredentialsResult(
                user=user,
                error_code=Error.RESOURCE_NOT_FOUND,
                error_message="Attempt to describe a user credential that does not exist: " + user,
            )
