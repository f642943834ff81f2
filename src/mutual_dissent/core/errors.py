"""The errors a user may meet, each one sentence that says what to change.

DissentError                 exit code 1
├── UserError                exit code 2: the command or the configuration is wrong
│   ├── UnknownName          nothing of that kind goes by that name
│   ├── Unreachable          a model's key is not set on this machine
│   ├── BadInput             a value given by the user cannot be used
│   │   ├── HeldAlready      a debate of that id was begun before
│   │   └── NobodyToRead     who took part in a debate cannot read it as an analyst
│   └── BadConfig            the configuration file, with its line and key
├── NotFound                 no stored debate goes by that id
├── NotYours                 it is there, and not for this token to change
├── StoreError               the record could not be read or written
│   ├── Held                 another process works on this debate
│   ├── NotAsked             nothing is asked of the user
│   ├── NotRunning           nobody works on it
│   │   └── Finished         it has come to its end
│   ├── NotWritable          nothing can be saved, so nobody was asked
│   └── NotSaved             exit code 5: answered, but not saved
└── OverBudget               exit code 4: refused before the first call
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from mutual_dissent.core.values.terms import LIBRARY, Terms, command, option


class DissentError(Exception):
    """Anything that ends a command with one clear sentence.

    The sentence may speak of options and commands by markers (`core/values/terms.py`): a surface
    says it `in_terms` of its own, and what quotes it in another takes the `sentence` as it is.
    """

    exit_code = 1

    @property
    def sentence(self) -> str:
        """The sentence with its markers: what is wrong and, if that is said apart, what to do."""
        return "; ".join(map(str, self.args))

    @property
    def fact(self) -> str:
        """The first part of the sentence: the fault, without what to do about it."""
        return LIBRARY.resolve(str(self.args[0])) if self.args else ""

    def in_terms(self, terms: Terms) -> str:
        """The sentence as a surface says it."""
        return terms.resolve(self.sentence)

    def __str__(self) -> str:
        return self.in_terms(LIBRARY)


class UserError(DissentError):
    """The command or the configuration asks for something that cannot be."""

    exit_code = 2


class UnknownName(UserError):
    """Nothing of that kind goes by that name."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        shown = clip(name)
        # difflib takes time with the square of the length, and the name may be anything.
        near = get_close_matches(name[:80], known := sorted(set(known)), n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"choose from {', '.join(known)}"
        super().__init__(f"no {kind} is called {shown!r}; {hint}")


class Unreachable(UserError):
    """A model cannot be called from here: its key is not set on this machine."""


class BadInput(UserError):
    """A value given by the user cannot be used."""


class BadFile(BadInput):
    """A file that was sent cannot be used; `place` is where in the request it stands, if known."""

    def __init__(self, message: str, place: str = "") -> None:
        super().__init__(message)
        self.place = place


class HeldAlready(BadInput):
    """A debate of that id was begun before, perhaps a moment ago by somebody else."""

    def __init__(self, transcript_id: str) -> None:
        short = transcript_id[:8]
        super().__init__(f"debate {short} was held already; resume it, or make a new brief")


class NobodyToRead(BadInput):
    """Nobody who took part in a debate can read it as an analyst."""

    def __init__(self) -> None:
        super().__init__(
            f"nobody who took part can read the debate; name somebody with {option('analyst')}"
        )


class NobodyHere(BadInput):
    """The user sits on the panel where no surface can ask it."""

    def __init__(self) -> None:
        super().__init__(
            "you cannot be asked here; a panel with 'me' needs a terminal, the page, or an MCP "
            "client that asks its user: go there, or leave 'me' out"
        )


class BadConfig(UserError):
    """A line of the configuration cannot be used."""

    def __init__(self, file: str, key: str, accepted: str, line: int | None = None) -> None:
        place = f"{file}, line {line}" if line else file
        super().__init__(f"{place}: {clip(key, 200)}: {accepted}")
        nameless = accepted.replace(file, "the file")
        self.elsewhere = f"the server's configuration cannot be used: {clip(key, 200)}: {nameless}"
        """The sentence for somebody on another machine, who need not know where the file is."""


class NotFound(DissentError):
    """No stored debate goes by that id."""


class NotYours(DissentError):
    """A debate is another's: this token may look at it and no more."""


class StoreError(DissentError):
    """The record could not be read or written."""


class Held(StoreError):
    """Another process works on this debate."""

    def __init__(self, transcript_id: str, holder: str) -> None:
        short = transcript_id[:8]
        super().__init__(
            f"debate {short} is being worked on by {holder}; "
            f"wait for it to end, or stop it first: {command('stop', short)}"
        )


class NotRunning(StoreError):
    """Nobody works on the debate that an order was for."""

    def __init__(self, transcript_id: str) -> None:
        short = transcript_id[:8]
        super().__init__(
            f"debate {short} is not under way; go on with it by: {command('resume', short)}"
        )


class NotAsked(StoreError):
    """The user answers where nothing is asked of it."""

    def __init__(self, transcript_id: str) -> None:
        super().__init__(
            f"nothing is asked of you under that key in debate {transcript_id[:8]}: it was "
            "answered, its time is up, or it is another's to answer"
        )


class Finished(NotRunning):
    """The debate that an order was for has come to its end."""

    def __init__(self, transcript_id: str) -> None:
        short = transcript_id[:8]
        # Past `NotRunning`, whose sentence would tell to resume what is finished.
        StoreError.__init__(
            self,
            f"debate {short} is finished; see it with: {command('show', short)}, or go on with: "
            f"{command('continue', short)}",
        )


class NotWritable(StoreError):
    """The record cannot be written, so nobody was asked anything."""


class NotSaved(StoreError):
    """The debate was answered, but its record could not be written."""

    exit_code = 5


class OverBudget(DissentError):
    """The debate was refused because its cost cannot be kept within the limit."""

    exit_code = 4


def clip(text: str, limit: int = 60) -> str:
    """The beginning of a text that may be long or hostile, safe to repeat in a sentence."""
    # Cut before it is looked at: an error must not cost time because somebody sent a megabyte.
    plain = text[: limit + 1]
    if not plain.isprintable():
        plain = "".join(c if c.isprintable() else "�" for c in plain)
    return plain if len(plain) <= limit else plain[: limit - 1] + "…"
