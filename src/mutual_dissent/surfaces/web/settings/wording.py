"""The prompts: what is said to the models, looked at, rewritten, and taken back."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Request, Response
from pydantic import Field

from mutual_dissent.app import MutualDissent
from mutual_dissent.core.errors import DissentError, UserError
from mutual_dissent.prompts.library import Library, Origin, Prompt, fill
from mutual_dissent.surfaces.api.answering import as_json
from mutual_dissent.surfaces.api.wanted import Body
from mutual_dissent.surfaces.server.hosted import Hosted
from mutual_dissent.surfaces.web.research.chosen import sent

Json = dict[str, Any]
SAMPLES = {
    "query": "Should the village build a bridge or keep the ferry?",
    "own_response": "[you | 4f2a]\nA bridge: it pays for itself in nine years.\n[end | 4f2a]",
    "other_responses": "[Panelist B | 4f2a]\nThe ferry: the river moves.\n[end | 4f2a]",
    "formatted_transcript": "[Panelist A | 4f2a]\nA bridge.\n[end | 4f2a]\n\n"
    "[Panelist B | 4f2a]\nThe ferry.\n[end | 4f2a]",
    "critiques": "[Panelist C | 4f2a]\nNeither counts the upkeep.\n[end | 4f2a]",
    "ground_truth": "A bridge.",
    "synthesis": "Build the bridge, and keep the ferry until it stands.",
}
"""What stands in the blanks of a preview."""


class Wording(Body):
    """A prompt's text."""

    text: Annotated[str, Field(max_length=100_000)]


def add(router: APIRouter, hosted: Hosted) -> None:
    """Add the routes."""
    md = hosted.md

    @router.get("/prompts")
    async def every() -> Response:
        """The names of all prompts, and whose each one is."""
        return as_json(await asyncio.to_thread(_listed, md.library))

    @router.get("/prompts/{name:path}")
    async def one(name: str) -> Response:
        """A prompt, ours beside it, and how it reads with its blanks filled."""
        return as_json(await asyncio.to_thread(_shown, md, name))

    @router.put("/prompts/{name:path}")
    async def rewrite(name: str, request: Request) -> Response:
        """Say it otherwise; what cannot be used is not kept."""
        wanted = await sent(request, Wording)
        await asyncio.to_thread(_rewrite, md, name, wanted.text)
        return as_json(await asyncio.to_thread(_shown, md, name))

    @router.delete("/prompts/{name:path}")
    async def take_back(name: str) -> Response:
        """Say it as the package does."""
        await asyncio.to_thread(_take_back, md, name)
        return as_json(await asyncio.to_thread(_shown, md, name))


def _listed(library: Library) -> list[Json]:
    return [
        {"name": name, "own": library.origin(name) is not Origin.OURS} for name in library.names
    ]


def _shown(md: MutualDissent, name: str) -> Json:
    ours = md.library.ours(name)
    problem, prompt = "", ours
    try:
        prompt = md.library.prompt(name)
    except UserError as e:
        problem = str(e)
    return {
        "name": name,
        "text": prompt.text,
        "ours": ours.text,
        "own": prompt.origin is not Origin.OURS,
        "place": prompt.place,
        "blanks": list(ours.blanks),
        "problem": problem,
        "preview": _preview(prompt),
    }


def _preview(prompt: Prompt) -> str:
    return fill(prompt.text, {b: SAMPLES.get(b, f"‹{b}›") for b in prompt.blanks})


def _rewrite(md: MutualDissent, name: str, text: str) -> None:
    """Write beside, check as a debate would, then keep it or leave everything as it was."""
    md.library.ours(name)  # an unknown name must not become a path
    trial = md.home.prompts.parent / ".prompt-trial"
    _write(md, trial / f"{name}.md", text)
    try:
        Library(trial, None).prompt(name)
    finally:
        _remove(trial, trial / f"{name}.md")
    _write(md, md.home.prompts / f"{name}.md", text)
    md.reload()


def _take_back(md: MutualDissent, name: str) -> None:
    md.library.ours(name)
    (md.home.prompts / f"{name}.md").unlink(missing_ok=True)
    md.reload()


def _write(md: MutualDissent, file: Path, text: str) -> None:
    try:
        for folder in (file.parent.parent, file.parent):
            md.home.made(folder)
        new = file.with_suffix(".new")
        handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            out.write(text.replace("\r\n", "\n").rstrip() + "\n")
        new.replace(file)
    except OSError as e:
        raise DissentError(f"{file} could not be written: {e.strerror}") from None


def _remove(trial: Path, file: Path) -> None:
    file.unlink(missing_ok=True)
    for folder in (file.parent, trial):
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
