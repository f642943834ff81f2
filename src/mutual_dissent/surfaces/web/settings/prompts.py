"""The prompts: shown, rewritten, and reset."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Request, Response
from pydantic import Field

from mutual_dissent.app import MutualDissent
from mutual_dissent.config.editor import replace_file
from mutual_dissent.core.errors import DissentError, UserError
from mutual_dissent.prompts.library import Library, Prompt, PromptOrigin, fill
from mutual_dissent.surfaces.http.backend import HostedBackend
from mutual_dissent.surfaces.rest.input.requests import Body
from mutual_dissent.surfaces.rest.session_state import as_json
from mutual_dissent.surfaces.terms import PAGE
from mutual_dissent.surfaces.web.research.selection import read_body

Json = dict[str, Any]
SAMPLES = {
    "query": "Should the village build a bridge or keep the ferry?",
    "own_response": "[you | 4f2a]\nA bridge: it pays for itself in nine years.\n[end | 4f2a]",
    "other_responses": "[Panelist B | 4f2a]\nThe ferry: the river moves.\n[end | 4f2a]",
    "formatted_transcript": "[Panelist A | 4f2a]\nA bridge.\n[end | 4f2a]\n\n"
    "[Panelist B | 4f2a]\nThe ferry.\n[end | 4f2a]",
    "findings": "[F-4F2A01 | 4f2a]\nwhere: src/pay.py:12\nclaim: The total is wrong.\n[end | 4f2a]",
    "critiques": "[Panelist C | 4f2a]\nNeither counts the upkeep.\n[end | 4f2a]",
    "ground_truth": "A bridge.",
    "synthesis": "Build the bridge, and keep the ferry until it stands.",
}
"""Values for the blanks of a preview."""


class Wording(Body):
    """A prompt's text."""

    text: Annotated[str, Field(max_length=100_000)]


def add(router: APIRouter, hosted: HostedBackend) -> None:
    """Add the routes."""
    md = hosted.md

    @router.get("/prompts")
    async def every() -> Response:
        """The names of all prompts, and whether each is ours or the user's."""
        return as_json(await asyncio.to_thread(_rows, md.library))

    @router.get("/prompts/{name:path}")
    async def one(name: str) -> Response:
        """Return a prompt, our own text, and a preview with its blanks filled."""
        return as_json(await asyncio.to_thread(_as_plain, md, name))

    @router.put("/prompts/{name:path}")
    async def rewrite(name: str, request: Request) -> Response:
        """Replace a prompt; an unusable text is not saved."""
        wanted = await read_body(request, Wording)
        await asyncio.to_thread(_rewrite, md, name, wanted.text)
        return as_json(await asyncio.to_thread(_as_plain, md, name))

    @router.delete("/prompts/{name:path}")
    async def take_back(name: str) -> Response:
        """Reset a prompt to the package's text."""
        await asyncio.to_thread(_take_back, md, name)
        return as_json(await asyncio.to_thread(_as_plain, md, name))


def _rows(library: Library) -> list[Json]:
    return [
        {"name": name, "own": library.origin(name) is not PromptOrigin.OURS}
        for name in library.names
    ]


def _as_plain(md: MutualDissent, name: str) -> Json:
    ours = md.library.ours(name)
    problem, prompt = "", ours
    try:
        prompt = md.library.prompt(name)
    except UserError as e:
        problem = e.in_terms(PAGE)
    return {
        "name": name,
        "text": prompt.text,
        "ours": ours.text,
        "own": prompt.origin is not PromptOrigin.OURS,
        "place": prompt.place,
        "blanks": list(ours.blanks),
        "problem": problem,
        "preview": _preview(prompt),
    }


def _preview(prompt: Prompt) -> str:
    return fill(prompt.text, {b: SAMPLES.get(b, f"‹{b}›") for b in prompt.blanks})


def _rewrite(md: MutualDissent, name: str, text: str) -> None:
    """Save a text that a debate can use; only a known name becomes a path."""
    md.library.check(name, text)
    file = md.home.prompts / f"{name}.md"
    try:
        for folder in (md.home.prompts, file.parent):
            md.home.ensure(folder)
    except OSError as e:
        raise DissentError(f"{file} could not be written: {e.strerror}") from None
    replace_file(file, (text.replace("\r\n", "\n").rstrip() + "\n").encode())
    md.reload()


def _take_back(md: MutualDissent, name: str) -> None:
    md.library.ours(name)
    file = md.home.prompts / f"{name}.md"
    try:
        file.unlink(missing_ok=True)
    except OSError as e:
        raise DissentError(f"{file} could not be removed: {e.strerror}") from None
    md.reload()
