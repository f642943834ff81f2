"""Kinds of values that options take; each surface translates them into types of its own."""

from __future__ import annotations

from dataclasses import dataclass

from mutual_dissent.text.numbers import figure


@dataclass(frozen=True, slots=True)
class YesNo:
    """True or false."""


@dataclass(frozen=True, slots=True)
class WholeNumber:
    """A whole number within bounds."""

    low: int
    high: int

    @property
    def what(self) -> str:
        """The numbers that it takes, in words."""
        return f"a whole number from {self.low} to {self.high}"

    def takes(self, value: object) -> bool:
        """Tell whether a value is one of them; True and False are no numbers."""
        if isinstance(value, bool) or not isinstance(value, int):
            return False
        return self.low <= value <= self.high


@dataclass(frozen=True, slots=True)
class RealNumber:
    """A number within bounds; `above` excludes the lower one."""

    low: float
    high: float
    above: bool = False

    @property
    def what(self) -> str:
        """The numbers that it takes, in words."""
        low, high = figure(self.low), figure(self.high)
        return f"a number {f'above {low} and up' if self.above else f'from {low}'} to {high}"

    def takes(self, value: object) -> bool:
        """Tell whether a value is one of them; True and False are no numbers."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        # What is not a number is neither below nor above a bound.
        return self.low <= value <= self.high and not (self.above and value == self.low)


@dataclass(frozen=True, slots=True)
class OrWord:
    """A number, or one word that stands for something else."""

    number: WholeNumber | RealNumber
    word: str


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of a few words."""

    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NameOf:
    """The name of something; `among` are all names, where plugins and users add none."""

    what: str
    among: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelName:
    """An alias or vendor:model; `none` stands for nobody where that is allowed."""

    none: bool = False


@dataclass(frozen=True, slots=True)
class ModelNames:
    """Several models, in order."""


@dataclass(frozen=True, slots=True)
class SeatWords:
    """Words to deal out in order; SEAT=WORD gives one to a certain seat, and so does a mapping."""

    mapping: bool = False


@dataclass(frozen=True, slots=True)
class SeatParts:
    """Seat -> one of the parts; as words, SEAT=PART."""

    example: str
    among: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SeatTexts:
    """Seat -> text."""


@dataclass(frozen=True, slots=True)
class LongText:
    """A text of as many lines as the query may have."""


@dataclass(frozen=True, slots=True)
class Attachments:
    """Documents, each with its name."""


@dataclass(frozen=True, slots=True)
class Addresses:
    """Addresses of pages."""


@dataclass(frozen=True, slots=True)
class Messages:
    """Messages of an earlier exchange, each with its speaker."""


@dataclass(frozen=True, slots=True)
class StoredDebate:
    """The id of a stored debate."""


@dataclass(frozen=True, slots=True)
class FolderPath:
    """A folder on this machine, which nobody can name from elsewhere."""


@dataclass(frozen=True, slots=True)
class ForPrograms:
    """An object of Python's, which no other surface can pass."""


ValueKind = (
    YesNo | WholeNumber | RealNumber | OrWord | OneOf | NameOf | ModelName | ModelNames
    | SeatWords | SeatParts | SeatTexts | LongText | Attachments | Addresses | Messages
    | StoredDebate | FolderPath | ForPrograms
)  # fmt: skip
