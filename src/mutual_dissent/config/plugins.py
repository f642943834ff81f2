"""Plugins: what other packages add by entry point, loaded only when it is named."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from mutual_dissent.core.errors import UserError

MODES = "mutual_dissent.modes"
TOPOLOGIES = "mutual_dissent.topologies"
PROVIDERS = "mutual_dissent.providers"
FORMATS = "mutual_dissent.formats"
SOURCES = "mutual_dissent.sources"


class Plugins(Mapping[str, Any]):
    """The entry points of one group by name. Ours come first: a plugin cannot replace them."""

    def __init__(self, group: str, ours: Mapping[str, Any]) -> None:
        """Look up `ours`, then the installed packages."""
        self._group, self._ours = group, ours
        self._found: dict[str, EntryPoint] | None = None

    def __getitem__(self, name: str) -> Any:
        if name in self._ours:
            return self._ours[name]
        entry = self._theirs[name]
        try:
            return entry.load()
        except Exception as e:  # noqa: BLE001 - a plugin may fail in any way; say which one did
            where = entry.dist.name if entry.dist else entry.value
            raise UserError(
                f"the plugin {name!r} of {where} cannot be loaded ({type(e).__name__}: {e}); "
                "update or uninstall that package"
            ) from None

    def __iter__(self) -> Iterator[str]:
        yield from self._ours
        yield from (n for n in self._theirs if n not in self._ours)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, name: object) -> bool:
        return name in self._ours or name in self._theirs

    @property
    def _theirs(self) -> dict[str, EntryPoint]:
        if self._found is None:
            self._found = {e.name: e for e in entry_points(group=self._group)}
        return self._found
