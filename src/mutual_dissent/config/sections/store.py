"""Settings of [store]: the place of the record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mutual_dissent.config.file import ConfigFile
from mutual_dissent.config.urls import DATABASE_URL
from mutual_dissent.core.errors import BadConfig, BadInput
from mutual_dissent.core.values.secret import Key
from mutual_dissent.store.postgres.server import LEASE, checked_url

DATABASE_VARIABLE = "MUTUAL_DISSENT_DB"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreOptions:
    """The database of the record.

    Attributes:
        url: of a PostgreSQL database, which may hold a password; None for the file in the home.
        lease: seconds until what a silent process held may be taken over.
    """

    url: Key | None = None
    lease: float = LEASE


def read_store(document: ConfigFile, env: Mapping[str, str]) -> StoreOptions:
    """Return where the record is, by the environment or else by the file.

    Raises:
        BadConfig: if the variable holds no URL; nothing of it is repeated.
    """
    lease = document.get("store.lease", LEASE)
    if given := env.get(DATABASE_VARIABLE, "").strip():
        try:
            return StoreOptions(url=Key(checked_url(given), DATABASE_VARIABLE), lease=lease)
        except BadInput:
            raise BadConfig("environment", DATABASE_VARIABLE, f"must be {DATABASE_URL}") from None
    text = document.get("store.url")
    return StoreOptions(url=Key(text, "store.url") if text else None, lease=lease)
