"""Write docs/reference.md from the code: commands, settings, events, modes, prompts, JSON, codes.

`make docs` runs it; a test fails if the stored file is not what it makes.
"""

from __future__ import annotations

import asyncio
import dataclasses
import inspect
import re
import signal
import sys
import tempfile
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click

sys.path.insert(0, str(Path(__file__).parent))

import reference_words as words

import mutual_dissent
from mutual_dissent.app import MutualDissent
from mutual_dissent.briefing.options import OPTIONS, Options
from mutual_dissent.briefing.presets import DEFAULT_PERSONAS, DEFAULT_PRESETS
from mutual_dissent.config.aliases import DEFAULT_ALIASES
from mutual_dissent.config.editor import set_value
from mutual_dissent.config.paths import HOME_VARIABLE
from mutual_dissent.config.schema import SCHEMA, Setting
from mutual_dissent.config.settings import SECOND_NAMES
from mutual_dissent.core.brief import STANDARD_RUBRIC, ExperimentMetadata
from mutual_dissent.core.errors import DissentError, UserError
from mutual_dissent.core.events import KINDS, Event, Status, Token
from mutual_dissent.core.panel import PROGRAM
from mutual_dissent.core.ports import OnText
from mutual_dissent.core.response import Ask, ErrorKind, Finish, Response
from mutual_dissent.core.step import Mode
from mutual_dissent.core.transcript import Transcript, fold
from mutual_dissent.modes import modes
from mutual_dissent.modes.topologies import TOPOLOGIES
from mutual_dissent.prompts.library import Library, blanks_of
from mutual_dissent.providers.agents.table import DEPTH, PROGRAMS
from mutual_dissent.providers.endpoints import TABLE as VENDORS
from mutual_dissent.providers.scripted import Scripted
from mutual_dissent.surfaces.cli import TABLE as COMMANDS
from mutual_dissent.surfaces.cli import cli, output
from mutual_dissent.surfaces.process import failure
from mutual_dissent.views.documents.csv import COLUMNS
from mutual_dissent.views.documents.formats import FORMATS
from mutual_dissent.views.documents.json import transcript_to_json

TARGET = Path(__file__).parents[1] / "docs" / "reference.md"
WIDTH = 110

INTRO = """# Reference

Made by `make docs` from the code of version {version}; edits here are overwritten.
The [guide](guide.md) says how things are done, [extending](extending.md) how to add to them.
"""


def reference() -> str:
    """The whole page."""
    parts = [
        INTRO.format(version=mutual_dissent.__version__),
        _contents(),
        *(f"## {title}\n\n{''.join(make()).strip()}\n" for title, make in SECTIONS.items()),
    ]
    return "\n".join(parts)


def _contents() -> str:
    return "\n".join(f"* [{t}](#{t.lower().replace(' ', '-')})" for t in SECTIONS) + "\n"


# -- the command line


def _commands() -> Iterator[str]:
    yield _wrapped(
        "`dissent`, `mutual-dissent` and `questionable-ai` are the same program. Every command "
        "knows `-h` and `--help`; `dissent --version` (`-V`) prints the version."
    )
    root = click.Context(cli, info_name="dissent")
    for name in COMMANDS:
        command = cli.get_command(root, name)
        assert command is not None
        yield from _command(command, click.Context(command, info_name=name, parent=root))


def _command(command: click.Command, ctx: click.Context) -> Iterator[str]:
    usage = " ".join([ctx.command_path, *command.collect_usage_pieces(ctx)])
    yield f"\n### {ctx.command_path}\n\n{_paragraphs(command.help)}\n```\n{usage}\n```\n\n"
    options = [p for p in command.params if isinstance(p, click.Option) and not p.hidden]
    if options:
        yield _table(("option", "what it does"), [_option(o, ctx) for o in options]) + "\n"
    if command.epilog:
        lines = command.epilog.replace("\b", "").strip().splitlines()[1:]
        yield "```sh\n" + textwrap.dedent("\n".join(lines)) + "\n```\n"
    if isinstance(command, click.Group):
        for name, below in command.commands.items():
            yield from _command(below, click.Context(below, info_name=name, parent=ctx))


def _option(option: click.Option, ctx: click.Context) -> tuple[str, str]:
    value = "" if option.is_flag else f" {_value(option, ctx)}"
    names = ", ".join(option.opts)
    help_ = option.help or FALLBACK_HELP[option.name or ""]
    default = f" Default: `{option.default}`." if option.show_default else ""
    again = " Repeatable." if option.multiple and "repeatable" not in help_ else ""
    return f"`{names}{value}`", help_ + default + again


def _value(option: click.Option, ctx: click.Context) -> str:
    numeric = option.metavar is None and isinstance(option.type, click.types.IntParamType)
    return "N" if numeric else option.make_metavar(ctx)


FALLBACK_HELP = {
    "output": "How it is shown.",
    "limit": "The most lines that are shown.",
    "seed": "What orders and labels are shuffled by.",
}


def _exit_codes() -> Iterator[str]:
    hang_up = getattr(signal, "SIGHUP", 1)
    yield _table(
        ("code", "meaning"),
        [
            (str(output.FINE), "There is an answer, or the command did what it was asked."),
            (str(DissentError.exit_code), "An error; stderr says which, in one line."),
            (
                str(UserError.exit_code),
                "The command or the configuration is wrong; nobody was asked.",
            ),
            (
                str(output.NO_ANSWER),
                "Below quorum, not synthesized, or stopped without an answer.",
            ),
            (str(output.BUDGET), "The budget does not suffice. `dissent resume` goes on."),
            (str(output.NOT_SAVED), "Answered, but not saved."),
            (
                str(output.FINDINGS),
                "`review --fail-on`: a finding is at least so severe and was not refuted.",
            ),
            (str(128 + hang_up), "The terminal was closed (SIGHUP). `dissent resume` goes on."),
            (str(failure.INTERRUPTED), "Interrupted (Ctrl-C). `dissent resume` goes on."),
            (str(failure.BROKEN_PIPE), "Whoever read the output is gone."),
            (str(128 + signal.SIGTERM), "Terminated (SIGTERM). `dissent resume` goes on."),
        ],
    )
    yield "\n" + _wrapped(
        "`config test`, `doctor`, `local status`, `import` and `score` exit with 1 where they find "
        "something wrong."
    )


def _formats() -> Iterator[str]:
    rows = [("`terminal`", "For people; colours and panes on a terminal, plain text elsewhere.")]
    rows += [(f"`{name}`", _sentence(render)) for name, render in FORMATS.items()]
    yield _table(("format", "what it is"), rows)
    yield "\nThe columns of `csv`:\n\n" + _wrapped(", ".join(f"`{c}`" for c in COLUMNS) + ".")


# -- the configuration


def _settings() -> Iterator[str]:
    yield _wrapped(
        "In `config.toml`, by `dissent config set NAME VALUE`, or by the variables of the next "
        "section, which go first. A `*` stands for a name of your choice."
    )
    tables = dict.fromkeys(s.path[0] if len(s.path) > 1 else "" for s in SCHEMA)
    for table in tables:
        rows = [_setting(s) for s in SCHEMA if (s.path[0] if len(s.path) > 1 else "") == table]
        title = f"[{table}]" if table else "At the top of the file"
        head = ("setting", "accepts", "default", "what it does")
        yield f"\n### {title}\n\n{_table(head, rows)}"


def _setting(setting: Setting) -> tuple[str, ...]:
    default = setting.default
    shown = "" if default is None else str(default).lower() if default in (True, False) else default
    accepts, does = setting.accepts.what.rstrip(","), setting.description
    return f"`{setting.name}`", accepts, f"`{shown}`" if shown != "" else "", does


def _environment() -> Iterator[str]:
    home = "The folder for everything that is kept, instead of `~/.mutual-dissent`."
    rows = [(f"`{HOME_VARIABLE}`", home)]
    for vendor, row in VENDORS.items():
        if row.key_env:
            rows.append((f"`{row.key_env}`", f"The key for {vendor}."))
        if second := SECOND_NAMES.get(row.key_env):
            rows.append((f"`{second}`", f"The same, where {row.key_env} is not set."))
        rows.append((f"`{row.base_url_env}`", f"Where {vendor} is reached."))
    rows += [
        (f"`{DEPTH}`", "Set for agent programs: a debate within one seats no programs."),
        ("`TAVILY_API_KEY`", "The key for Tavily's search."),
        ("`BRAVE_API_KEY`", "The key for Brave's search."),
        ("`HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`", "A proxy for calls to vendors."),
        ("`NO_COLOR`", "No colours on the terminal."),
    ]
    yield _table(("variable", "what it does"), rows)


def _vendors() -> Iterator[str]:
    rows = [
        (f"`{v}`", row.dialect, f"`{row.base_url}`", f"`{row.key_env}`" if row.key_env else "none")
        for v, row in VENDORS.items()
    ]
    yield _table(("vendor", "dialect", "base URL", "key"), rows)
    yield "\n" + _wrapped(
        "`local:smollm2` is the embedded model; `local:NAME` is one that you took in. "
        f"{', '.join(f'`{PROGRAM}:{name}`' for name in PROGRAMS)} are agent programs; "
        "`[programs.NAME]` adds yours as `cli:NAME`. `[endpoints.NAME]` adds vendors of your own, "
        "and plugins may add more."
    )


def _aliases() -> Iterator[str]:
    rows = [
        (f"`{a.name}`", f"`{a.openrouter}`", f"`{a.vendor}:{a.direct}`")
        for a in DEFAULT_ALIASES.values()
    ]
    yield _table(("alias", "at OpenRouter", "direct"), rows)


def _personas() -> Iterator[str]:
    rows = [(f"`{name}`", text) for name, text in DEFAULT_PERSONAS.items()]
    yield _table(("persona", "what the panelist is told"), rows)


def _presets() -> Iterator[str]:
    rows = [(f"`{p.name}`", _set_by(p.values), p.summary) for p in DEFAULT_PRESETS.values()]
    yield _wrapped("`[presets.NAME]` adds yours, or replaces one of these:\n")
    yield "\n" + _table(("preset", "sets", "what it is for"), rows)


def _set_by(values: Mapping[str, Any]) -> str:
    shown = {k: ", ".join(v) if isinstance(v, tuple) else v for k, v in values.items()}
    return ", ".join(f"`{k} = {v}`" for k, v in shown.items()) or "nothing"


def _rubrics() -> Iterator[str]:
    rows = [(f"`{name}`", text) for name, text in STANDARD_RUBRIC.dimensions.items()]
    yield _wrapped(f"Without `--rubric`, the judge uses `{STANDARD_RUBRIC.name}`:\n")
    yield "\n" + _table(("dimension", "what is marked from 1 to 5"), rows)


def _files() -> Iterator[str]:
    yield _wrapped(
        "Under `~/.mutual-dissent` or `MUTUAL_DISSENT_HOME`, readable by their owner alone:\n"
    )
    yield "\n" + _table(("name", "what it is"), [(f"`{n}`", t) for n, t in words.FILES.items()])


# -- debates


def _modes() -> Iterator[str]:
    rows = [(f"`{m.name}`", _rounds(m), str(m.min_panel), m.summary) for m in _all_modes()]
    yield _table(("mode", "rounds", "least panel", "what it does"), rows)


def _rounds(mode: Mode) -> str:
    if mode.rounds is None:
        return "fixed"
    return f"1 to {mode.max_rounds}" + ("" if mode.first_counts else " or auto")


def _all_modes() -> Iterable[Mode]:
    return modes(TOPOLOGIES).values()


def _topologies() -> Iterator[str]:
    rows = [(f"`{t.name}`", t.summary) for t in TOPOLOGIES.values()]
    yield _table(("topology", "who reads whom"), rows)


def _prompts() -> Iterator[str]:
    yield _wrapped(
        "A file `prompts/NAME.md` in your folder replaces one, or a text of that name in "
        "`system-prompts.yaml`. It must have the same blanks.\n"
    )
    library = Library()
    rows = [(f"`{n}`", _blanks(library.text(n))) for n in library.names]
    yield "\n" + _table(("prompt", "blanks"), rows)


def _blanks(text: str) -> str:
    return ", ".join(f"`{{{b}}}`" for b in sorted(blanks_of(text))) or "none"


def _events() -> Iterator[str]:
    yield _wrapped(
        "What `MutualDissent.stream` yields, in order. Every one but `token` is numbered and "
        "stored, and has the fields `seq` and `at`. (What cannot be stored is told all the same.)\n"
    )
    yield "\n" + _table(("field", "type", "what it is"), _fields(Event))
    kinds: tuple[type[Event | Token], ...] = (*KINDS.values(), Token)
    for kind in kinds:
        shared = {f.name for f in dataclasses.fields(Event)} if issubclass(kind, Event) else set()
        yield f"\n### {kind.kind}\n\n`{kind.__name__}`. {_wrapped(_sentence(kind))}\n"
        yield _table(("field", "type", "what it is"), _fields(kind, leave_out=shared))


def _codes() -> Iterator[str]:
    for title, known, told in (
        ("Status of a debate", Status, words.STATUSES),
        ("Reasons for its end", words.REASONS, words.REASONS),
        ("Codes of notes", words.CODES, words.CODES),
        ("How an answer ended", Finish, words.FINISHES),
        ("Why a call failed", ErrorKind, words.ERROR_KINDS),
    ):
        _same(title, {str(k) for k in known}, told)
        rows = [(f"`{w}`", t) for w, t in told.items()]
        yield f"\n### {title}\n\n{_table(('word', 'meaning'), rows)}"


# -- the transcript


def _transcript() -> Iterator[str]:
    yield _wrapped(
        "What `--output json`, `dissent show` and `dissent export` write, and the files in "
        "`transcripts/`.\n"
    )
    samples = [transcript_to_json(t) for t in asyncio.run(_samples())]
    stats = [s["metadata"]["stats"] for s in samples]
    parts: tuple[tuple[str, list[Any], Mapping[str, str]], ...] = (
        ("Top level", samples, words.TRANSCRIPT),
        ("Each of `rounds`", [r for s in samples for r in s["rounds"]], words.ROUND),
        ("`metadata`", [s["metadata"] for s in samples], words.METADATA),
        ("`metadata.stats`", stats, words.STATS),
    )
    for title, found, told in parts:
        _same(title, {key for one in found for key in one}, told)
        yield f"\n### {title}\n\n"
        yield _table(("field", "what it is"), [(f"`{n}`", t) for n, t in told.items()])
    yield "\n### A response\n\n" + _table(("field", "type", "what it is"), _fields(Response))


async def _samples() -> list[Transcript]:
    """Debates that between them have every field: one scored and replayed, one that failed."""
    full: dict[str, Any] = {
        "panel": ["ada", "bob"],
        "synthesizer": "ada",
        "judge": "bob",
        "ground_truth": "yes",
        "panelist_context": {"ada": "You are in a hurry."},
        "experiment": ExperimentMetadata(experiment_id="sample"),
    }
    with tempfile.TemporaryDirectory() as home:
        set_value(Path(home, "config.toml"), "prices.refresh", "false")
        cast = _HalfPaid({"ada": lambda a: _said(a.role), "bob": lambda a: _said(a.role)})
        async with MutualDissent(home=home, env={}, provider=cast) as md:
            first = await md.debate("Is it so?", **full)
            failed = await md.debate("Is it so?", panel=["cyd", "dan"], save=False)
            again = [e async for e in md.replay(first.transcript_id, save=False)]
    return [first, failed, fold(e for e in again if isinstance(e, Event))]


def _said(role: str) -> str:
    return "ACCURACY: 5\nCOMPLETENESS: 4\nEXPLANATION: Right." if role == "judge" else "Yes."


class _HalfPaid(Scripted):
    """A cast in which one member has a price and the others have none."""

    async def ask(self, ask: Ask, on_text: OnText) -> Response:
        """The seat's next line, billed if it is ada's."""
        said = await super().ask(ask, on_text)
        return dataclasses.replace(said, cost_usd=0.001) if said.model_alias == "ada" else said


# -- the library


def _library() -> Iterator[str]:
    yield _wrapped("`from mutual_dissent import ...`:\n")
    names = [n for n in mutual_dissent.__all__ if not n.startswith("_")]
    rows = [(f"`{n}`", _sentence(getattr(mutual_dissent, n))) for n in names]
    yield "\n" + _table(("name", "what it is"), rows)
    yield "\n### MutualDissent\n\n"
    yield _table(("member", "what it does"), [_member(n, m) for n, m in _members(MutualDissent)])
    yield "\n### Options of brief, debate, stream and run_debate\n\n"
    types = {f.name: f.type for f in dataclasses.fields(Options)}
    rows = [(f"`{name}`", f"`{types[name]}`", o.help) for name, o in OPTIONS.items()]
    yield _table(("option", "type", "what it is"), rows)
    yield "\n### ExperimentMetadata\n\n"
    yield _table(("field", "type", "what it is"), _fields(ExperimentMetadata))


def _members(cls: type) -> Iterator[tuple[str, Any]]:
    for name, member in vars(cls).items():
        if not name.startswith("_"):
            yield name, member


def _member(name: str, member: Any) -> tuple[str, str]:
    if not inspect.isfunction(member):
        return f"`{name}`", _sentence(member)
    taken = inspect.signature(member).parameters.values()
    shown = ", ".join(_parameter(p) for p in taken if p.name != "self")
    return f"`{name}({shown})`", _sentence(member)


def _parameter(p: inspect.Parameter) -> str:
    if p.kind is p.VAR_KEYWORD:
        return f"**{p.name}"
    return p.name if p.default is p.empty else f"{p.name}={p.default!r}"


# -- small parts


def _fields(cls: type, leave_out: Iterable[str] = ()) -> list[tuple[str, str, str]]:
    """A row for each field of a dataclass.

    Raises:
        SystemExit: if a field is described nowhere, or what is described is no field.
    """
    own = words.FIELDS.get(cls.__name__, {})
    told = {**_attributes(cls), **own}
    fields = {f.name: f for f in dataclasses.fields(cls) if f.name not in set(leave_out)}
    _same(cls.__name__, set(fields), told)
    return [(f"`{n}`", f"`{f.type}`", told[n]) for n, f in fields.items()]


def _attributes(cls: type) -> dict[str, str]:
    """What a class's docstring says of its attributes."""
    _, _, section = inspect.cleandoc(cls.__doc__ or "").partition("\nAttributes:\n")
    found = re.findall(r"^ {4}(\w+): (.*(?:\n {6,}.*)*)", section, re.MULTILINE)
    return {name: _capital(" ".join(text.split())) for name, text in found}


def _same(what: str, found: set[str], told: Mapping[str, str]) -> None:
    if missing := sorted(found - set(told)):
        sys.exit(f"{what}: not described in scripts/reference_words.py: {', '.join(missing)}")
    if idle := sorted(set(told) - found):
        sys.exit(
            f"{what}: scripts/reference_words.py describes what is not there: {', '.join(idle)}"
        )


def _sentence(thing: Any) -> str:
    """The first paragraph of a docstring, in one line."""
    doc = inspect.getdoc(getattr(thing, "func", None) or thing) or ""
    return " ".join(doc.partition("\n\n")[0].split())


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _paragraphs(help_: str | None) -> str:
    return "\n".join(
        _wrapped(" ".join(p.split())) for p in inspect.cleandoc(help_ or "").split("\n\n")
    )


def _wrapped(text: str) -> str:
    """Prose at the width of our Markdown; what is broken already stays so at its start and end."""
    return textwrap.fill(text.strip(), WIDTH, break_on_hyphens=False, break_long_words=False) + "\n"


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *(tuple(_cell(c) for c in row) for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


SECTIONS = {
    "Commands": _commands,
    "Exit codes": _exit_codes,
    "Output formats": _formats,
    "Settings": _settings,
    "Environment": _environment,
    "Vendors": _vendors,
    "Aliases": _aliases,
    "Personas": _personas,
    "Presets": _presets,
    "Rubrics": _rubrics,
    "Files": _files,
    "Modes": _modes,
    "Topologies": _topologies,
    "Prompts": _prompts,
    "Events": _events,
    "Words": _codes,
    "Transcript": _transcript,
    "Library": _library,
}


def main() -> None:
    """Write the page."""
    TARGET.write_text(reference(), "utf-8")
    print(f"{TARGET.name} is written")


if __name__ == "__main__":
    main()
