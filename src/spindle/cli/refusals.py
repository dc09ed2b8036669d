"""What a command declines to do unless the operator insists (it ends with `End.REFUSED`)."""

from __future__ import annotations

from spindle.model.errors import Unusable


class Declined(Unusable):
    """Refused to keep data or availability; the text says what to do, or how to insist."""
