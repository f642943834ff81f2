"""The user's folder: where settings, transcripts, prompts, the database and weights are kept."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from mutual_dissent.core.errors import BadInput

HOME_VARIABLE = "MUTUAL_DISSENT_HOME"
FOLDER = ".mutual-dissent"


@dataclass(frozen=True, slots=True)
class Home:
    """Everything's place under one root. Nothing is made before something is written."""

    root: Path

    @classmethod
    def from_env(cls, env: Mapping[str, str] | None = None) -> Home:
        """The folder that MUTUAL_DISSENT_HOME names, else `.mutual-dissent` in the user's home.

        Raises:
            BadInput: if neither variable says where that is.
        """
        env = os.environ if env is None else env
        user = env.get("HOME") or env.get("USERPROFILE")
        if chosen := env.get(HOME_VARIABLE):
            return cls(_absolute(chosen, user))
        if not user:
            raise BadInput(f"there is no home folder: set HOME or {HOME_VARIABLE} to a folder")
        return cls(_absolute(user, user) / FOLDER)

    @property
    def config(self) -> Path:
        """The settings."""
        return self.root / "config.toml"

    @property
    def transcripts(self) -> Path:
        """One JSON file for each finished debate."""
        return self.root / "transcripts"

    @property
    def prompts(self) -> Path:
        """Prompts that replace ours, by name."""
        return self.root / "prompts"

    @property
    def system_prompts(self) -> Path:
        """System prompts in one YAML file."""
        return self.root / "system-prompts.yaml"

    @property
    def database(self) -> Path:
        """The event log."""
        return self.root / "dissent.db"

    @property
    def models(self) -> Path:
        """The embedded model's weights."""
        return self.root / "models"

    @property
    def prices(self) -> Path:
        """Prices and context sizes last fetched from OpenRouter."""
        return self.root / "openrouter-models.json"

    def ensure(self, folder: Path | None = None) -> Path:
        """The folder (by default the root), made if need be and open to its owner only."""
        wanted = self.root if folder is None else folder
        self.root.parent.mkdir(parents=True, exist_ok=True)
        for step in (self.root, wanted):
            step.mkdir(mode=0o700, exist_ok=True)
        return wanted


def _absolute(text: str, user: str | None) -> Path:
    if "\0" in text:
        raise BadInput(f"{HOME_VARIABLE} cannot hold a NUL character")
    if user and (text == "~" or text.startswith(("~/", "~\\"))):
        text = user + text[1:]
    return Path(os.path.abspath(text))  # noqa: PTH100 - resolve() would follow links
