"""Things of one kind by name, each in a module that is imported when it is first asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TypeVar

T = TypeVar("T")


class ByName(Mapping[str, T]):
    """A table whose modules are left alone until they are needed.

    One debate has one mode, one rule and one or two wire formats: neither the machine nor a reader
    who follows it has to go through the others.
    """

    def __init__(self, package: str, places: Mapping[str, str | T]) -> None:
        """Take, for each name, `MODULE.ATTRIBUTE` below the package, or the thing itself."""
        self._package, self._places = package, places

    def __getitem__(self, name: str) -> T:
        place = self._places[name]
        if not isinstance(place, str):
            return place
        module, _, attribute = place.partition(".")
        found: T = getattr(import_module(f"{self._package}.{module}"), attribute)
        return found

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)
