"""What a check leaves of a request, and how it adds what it has refused to the answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from spindle.node.request_context import Q, R, RequestContext
from spindle.wire.codec import Message, Packed, Response, put_all

P = TypeVar("P", bound=Message)
X = TypeVar("X")
Y = TypeVar("Y", bound=Message)


def merging(context: RequestContext[R], kind: type[R], merge: Callable[[R], R]) -> None:
    """Have the answer changed on its way out."""

    def apply(response: Response) -> Response:
        assert isinstance(response, kind)
        return merge(response)

    context.admission.merge = apply


def seeing(context: RequestContext[R], kind: type[P], see: Callable[[P], P | None]) -> None:
    """Have each thing in a list looked at: changed, or left out where that says None."""

    def apply(part: Message) -> Message | None:
        assert isinstance(part, kind)
        return see(part)

    context.admission.part = apply


class Sifted(Generic[X]):
    """The things of a request, those that may be served and those that may not."""

    def __init__(self, asked: Sequence[X], is_allowed: Callable[[X], bool]) -> None:
        self._allows = [is_allowed(each) for each in asked]
        self._asked = asked
        self.kept = tuple(x for x, allows in zip(asked, self._allows, strict=True) if allows)

    @property
    def is_whole(self) -> bool:
        """Whether nothing is refused."""
        return len(self.kept) == len(self._asked)

    @property
    def is_empty(self) -> bool:
        """Whether all is refused, so that nothing is left to be served."""
        return not self.kept and not self.is_whole

    def woven(self, answers: Sequence[Y], refused: Callable[[X], Y], version: int) -> Sequence[Y]:
        """The answers and the refusals in the order of the request, where each has its answer."""
        if isinstance(answers, Packed):
            more = [refused(x) for x, may in zip(self._asked, self._allows, strict=True) if not may]
            if more:
                answers.add(len(more), put_all(more, version))
            return answers
        left = list(answers)
        told: list[Y] = []
        in_order = len(left) == len(self.kept)
        for asked, allows in zip(self._asked, self._allows, strict=True):
            if not allows:
                told.append(refused(asked))
            elif in_order:
                told.append(left.pop(0))
        return tuple(told + left if in_order else left + told)


def left(
    asked: Q,
    served: Q,
    context: RequestContext[R],
    sifted: Sifted[X],
    kind: type[R],
    merge: Callable[[R], R],
) -> Q | R:
    """What is left of a request: all, what may be `served`, or nothing but the answer.

    `merge` adds the refusals to an answer.
    """
    if sifted.is_whole:
        return asked
    merging(context, kind, merge)
    return kind() if sifted.is_empty else served
