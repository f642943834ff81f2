"""The health of keys: which have answered, and which were refused a moment ago."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from mutual_dissent.core.response import ErrorKind
from mutual_dissent.core.values.secret import Key
from mutual_dissent.providers.dialects.base import VendorError
from mutual_dissent.providers.redaction import redact

MINUTE = 60.0
ANY = ""
"""In the place of a model: the key is refused for all of them."""


@dataclass(slots=True)
class KeyHealth:
    """The answers and refusals that keys met in this process. A refusal counts for a minute.

    A key that has answered is good: if it is refused later, that is one model's doing.
    """

    clock: Callable[[], float] = time.monotonic
    good: set[Key] = field(default_factory=set)
    refusals: dict[tuple[Key, str], tuple[float, VendorError]] = field(default_factory=dict)

    def note_answer(self, key: Key | None, model: str) -> None:
        """Note that a model has answered to a key."""
        if key is not None:
            self.good.add(key)
            self.refusals.pop((key, ANY), None)
            self.refusals.pop((key, model), None)

    def note_refusal(self, key: Key | None, model: str, error: VendorError) -> VendorError:
        """Note that a key was refused; return whose refusal it is: the key's or the model's."""
        if key is None:
            return error
        about_model = key in self.good
        if about_model:
            error = replace(error, kind=ErrorKind.FORBIDDEN)
        # It is stored for a while: without the key that it may echo.
        safe = replace(error, message=redact(error.message, key))
        self.refusals[key, model if about_model else ANY] = (self.clock(), safe)
        return error

    def refusal(self, key: Key | None, model: str) -> VendorError | None:
        """Return why a call with this key would be refused; None if no recent refusal is known."""
        if key is None:
            return None
        for place in ((key, ANY), (key, model)):
            at, error = self.refusals.get(place, (0.0, None))
            if error is None:
                continue
            if self.clock() - at < MINUTE:
                return error
            del self.refusals[place]
        return None
