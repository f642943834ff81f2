"""`dissent prompts`: the prompts, and how to change them."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path
from typing import Any

import click

from mutual_dissent.app import MutualDissent
from mutual_dissent.core.errors import BadInput, DissentError, UserError
from mutual_dissent.prompts.library import Library, Prompt, PromptOrigin
from mutual_dissent.surfaces.cli import completion
from mutual_dissent.surfaces.cli.options import as_list, examples
from mutual_dissent.surfaces.cli.tables import echo_json, table
from mutual_dissent.surfaces.process.failure import say
from mutual_dissent.surfaces.terms import COMMAND_LINE
from mutual_dissent.text.sanitize import plain


@click.group(
    "prompts",
    epilog=examples(
        "dissent prompts list",
        "dissent prompts show consensus/critique",
        "dissent prompts edit reflection/reflect",
    ),
)
def command() -> None:
    """List, show and edit what is said to the models."""


@command.command("list", epilog=examples("dissent prompts list", "dissent prompts list -o json"))
@as_list
def list_(output: str) -> int:
    """List the prompts: where each comes from, its blanks and its hash.

    The exit code is 1 if one of your own cannot be used.
    """
    library = MutualDissent().library
    found = [_known(library, name) for name in library.names]
    if output == "json":
        echo_json(found)
    else:
        rows = [(f["name"], f["hash"] or "-", f["origin"], _about(f)) for f in found]
        click.echo(table(("PROMPT", "HASH", "FROM", "BLANKS"), rows))
    problems = [f["problem"] for f in found if f["problem"]]
    for problem in problems:
        say(problem)
    return 1 if problems else 0


@command.command(
    "show",
    epilog=examples(
        "dissent prompts show ranking/rank",
        "dissent prompts show ranking/rank --ours > prompt.md",
    ),
)
@click.argument("name", shell_complete=completion.prompt)
@click.option("--ours", is_flag=True, help="The one that ships, even if you have your own.")
@as_list
def show(name: str, ours: bool, output: str) -> None:
    """Show a prompt as it is asked with."""
    library = MutualDissent().library
    prompt = library.ours(name) if ours else library.prompt(name)
    if output == "json":
        echo_json({**_plain(prompt), "text": prompt.text})
    else:
        click.echo(plain(prompt.text))


@command.command(
    "edit",
    epilog=examples(
        "dissent prompts edit reflection/reflect",
        'code "$(dissent prompts edit reflection/reflect)"   # where EDITOR is not set',
    ),
)
@click.argument("name", shell_complete=completion.prompt)
def edit(name: str) -> None:
    """Edit a prompt in your folder, with the editor that EDITOR names.

    If your folder has none of that name, it gets a copy of the one in force; without changes it is
    taken away again. Without EDITOR, the file's path is printed. What you wrote is checked.
    """
    md = MutualDissent()
    file = md.home.prompts / f"{name}.md"
    copied = _copy(md, name, file)
    if editor := os.environ.get("VISUAL") or os.environ.get("EDITOR"):
        _open(editor, file)
        _judge(md, name, file, copied)
    else:
        click.echo(str(file))


def _copy(md: MutualDissent, name: str, file: Path) -> str | None:
    """Copy the prompt in force into the user's folder; None if a copy exists."""
    md.library.ours(name)  # an unknown name must not become a path
    if md.library.origin(name) is PromptOrigin.FOLDER:
        return None
    prompt = md.library.prompt(name)
    if prompt.origin is PromptOrigin.FILE:
        say(f"note: your folder goes before {prompt.place}")
    text = f"{prompt.text}\n"
    try:
        for folder in (md.home.prompts, file.parent):
            md.home.ensure(folder)
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as new:
            new.write(text)
    except OSError as e:
        raise DissentError(f"{file} could not be written: {e.strerror}") from None
    return text


def _open(editor: str, file: Path) -> None:
    try:
        words = shlex.split(editor, posix=os.name != "nt")
        done = subprocess.run([*words, str(file)], check=False)  # noqa: S603 - the user's own choice
    except (OSError, ValueError) as e:
        raise BadInput(f"the editor {editor!r} could not be run ({e}); set EDITOR") from None
    if done.returncode:
        raise BadInput(f"the editor {editor!r} ended with {done.returncode}; see {file}")


def _judge(md: MutualDissent, name: str, file: Path, copied: str | None) -> None:
    """Remove an unchanged copy, and report whether the edited prompt can be used."""
    if copied is not None and file.is_file() and file.read_bytes() == copied.encode():
        file.unlink()
        say(f"{name} is as it was")
        return
    prompt = Library(md.home.prompts, md.home.system_prompts).prompt(name)
    say(f"{name} is asked as in {prompt.place or 'the package'}, hash {prompt.hash}")


def _known(library: Library, name: str) -> dict[str, Any]:
    try:
        return {**_plain(library.prompt(name)), "problem": None}
    except UserError as e:
        bare = {**_plain(library.ours(name)), "origin": library.origin(name).value, "hash": None}
        return {**bare, "problem": e.in_terms(COMMAND_LINE)}


def _plain(prompt: Prompt) -> dict[str, Any]:
    return {
        "name": prompt.name,
        "origin": prompt.origin.value,
        "place": prompt.place or None,
        "blanks": list(prompt.blanks),
        "hash": prompt.hash,
    }


def _about(row: dict[str, Any]) -> str:
    if row["problem"]:
        return "CANNOT BE USED"
    return " ".join(f"{{{b}}}" for b in row["blanks"]) or "-"
