"""The command line: parse, call the app, render. A command's modules are loaded when it runs."""

from __future__ import annotations

import signal


class Unmoved:
    """Let Ctrl-C end the process silently while modules are loaded: no work has begun.

    An exception in the middle of an import leaves a traceback, or half-loaded modules.
    """

    def __enter__(self) -> None:
        self._changed = False
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            try:
                signal.signal(signal.SIGINT, signal.SIG_DFL)
                self._changed = True
            except ValueError:  # not in the main thread, which alone gets signals
                pass

    def __exit__(self, *_: object) -> None:
        if self._changed:
            signal.signal(signal.SIGINT, signal.default_int_handler)


with Unmoved():
    import os
    import sys
    from collections.abc import Iterator, Sequence
    from contextlib import contextmanager
    from importlib import import_module
    from typing import TYPE_CHECKING, Any

    import click

    if TYPE_CHECKING:
        from click.shell_completion import CompletionItem

        from mutual_dissent.core.errors import UserError

    from mutual_dissent import __version__

HERE = "mutual_dissent.surfaces.cli.commands"
DATABASE = "MUTUAL_DISSENT_DB"

SERVES = "Serve the panel to programs and browsers: REST, OpenAI-compatible, MCP and a web page."

GROUPS: dict[str, dict[str, tuple[str, str]]] = {
    "Ask": {
        "ask": ("ask", "Put a query to the panel and get one answer."),
        "review": ("review", "Have a change, files or a document reviewed by the panel."),
        "demo": ("demo", "Watch a sample debate; no key, no model and no network needed."),
        "continue": (
            "continue_",
            "Hold further rounds of a finished debate, and have its answer written anew.",
        ),
        "replay": ("replay", "Debate again from the recorded answers of a stored debate."),
        "resume": ("resume", "Go on with a debate where its record ends."),
    },
    "Steer a debate under way": {
        "tell": (
            "tell",
            "Say something to a panel that is under way; it is told before its next step.",
        ),
        "pause": ("pause", "Pause a debate that is under way, here or in another terminal."),
        "stop": (
            "stop",
            "Stop a debate that is under way at once, here or in another terminal.",
        ),
    },
    "Look back": {
        "list": ("list", "List the stored debates."),
        "show": ("show", "Show a stored debate."),
        "export": ("export", "Write stored debates as JSON, Markdown, CSV or HTML."),
        "publish": ("publish", "Write stored debates as pages that play them."),
        "import": ("import_", "Take transcripts from files or folders into the record."),
        "tag": ("tag", "Put tags on a stored debate, or say which it has."),
        "rate": ("rate", "Rate a stored debate from 1 to 5, or take your rating back with none."),
        "outcome": (
            "outcome",
            "Say how a finished debate turned out: right, wrong, or the true value.",
        ),
        "forecasts": (
            "forecasts",
            "List the forecasts that wait for their outcome, those that are due first.",
        ),
        "delete": (
            "delete",
            "Delete stored debates: their records, their files, and what they cost.",
        ),
    },
    "Measure": {
        "analyze": (
            "analyze",
            "Have stored debates read by an analyst, again or for the first time.",
        ),
        "decide": ("decide", "Count the ballots of a stored debate again, under any rule."),
        "score": ("score", "Have stored debates scored against a known answer."),
        "panel": (
            "panel",
            "Say from graded answers whether a panel is better than its best member for you.",
        ),
        "stats": ("stats", "Say what deliberation was worth in the stored debates."),
        "experiment": (
            "experiment",
            "Run many debates as one question, and report what they show and how sure that is.",
        ),
        "bench": (
            "bench",
            "Say whether and when deliberating is worth its cost for your own panel.",
        ),
    },
    "Set up": {
        "config": ("config", "Show, change and test the settings."),
        "models": ("models", "List the models, how each is reached, and what it costs."),
        "modes": ("modes", "Explain the procedures, topologies and presets of a debate."),
        "presets": (
            "presets",
            "List the presets: what each is for, and the mode that it is held in.",
        ),
        "prompts": ("prompts", "List, show and edit what is said to the models."),
        "local": ("local", "Fetch or inspect the embedded model."),
        "completion": ("completion", "Print the completion script for your shell."),
        "doctor": ("doctor", "Look for what is wrong with the record and the transcripts."),
    },
    "Serve": {
        "serve": (
            "serve",
            SERVES,
        ),
        "desktop": (
            "desktop",
            "Open the pages in a native window, with a tray icon and a hotkey.",
        ),
        "mcp": ("mcp", "Serve the panel over MCP on stdin and stdout, or set a client up for it."),
        "acp": ("acp", "Be an agent for editors, over the Agent Client Protocol."),
        "skill": ("skill", "Tell agent programs when and how to ask the panel."),
        "token": ("token", "Make, list and revoke the tokens that let programs use the server."),
        "worker": ("worker", "Hold the debates that wait for workers, on any number of machines."),
        "workers": (
            "workers",
            "List the workers of all machines, or pause and resume what they hold.",
        ),
        "cluster": (
            "cluster",
            "Try many machines on this one: an engine, its pages and a worker.",
        ),
        "db": ("db", "Look after the PostgreSQL database that several machines share."),
    },
}
"""Group heading -> its commands -> the module of each, and its help in one line."""

TABLE = {name: found for group in GROUPS.values() for name, found in group.items()}
"""All commands."""

ASK = "ask"
"""The command that runs where a question stands without one."""


class Commands(click.Group):
    """A group whose commands are loaded when they are called, not when they are listed."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the words; a question without a command gets `ask`."""
        # The first word behind "--db URL" or "--db=URL" decides.
        at = 2 if args[:1] == ["--db"] else int(bool(args) and args[0].startswith("--db="))
        if args[at:] and _is_asked(args[at]) and not ctx.resilient_parsing:
            args = [*args[:at], ASK, *args[at:]]
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the names, in the order of the table."""
        return list(TABLE)

    def get_command(
        self,
        ctx: click.Context,  # noqa: ARG002
        cmd_name: str,
    ) -> click.Command | None:
        """Load the command of that name."""
        if cmd_name not in TABLE:
            return None
        with Unmoved():
            command: click.Command = import_module(f"{HERE}.{TABLE[cmd_name][0]}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the called command; a misspelt one gets a suggestion."""
        if not ctx.resilient_parsing and args[0] not in TABLE and not args[0].startswith("-"):
            raise _no_command(args)
        return super().resolve_command(ctx, args)

    def format_commands(
        self,
        ctx: click.Context,  # noqa: ARG002
        formatter: click.HelpFormatter,
    ) -> None:
        """Write the commands by group, from the table alone."""
        width = max(map(len, TABLE))
        for title, group in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(f"{n:{width}}", line) for n, (_, line) in group.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return the commands that begin so, from the table alone."""
        from click.shell_completion import CompletionItem

        items = [CompletionItem(n, help=t[1]) for n, t in TABLE.items() if n.startswith(incomplete)]
        return items + click.Command.shell_complete(self, ctx, incomplete)

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,  # noqa: ARG002
        windows_expand_args: bool = True,  # noqa: ARG002
        **extra: Any,
    ) -> Any:
        """Run, and end the process with the exit code; every error is one line."""
        words, name = list(sys.argv[1:] if args is None else args), prog_name or "dissent"
        try:
            self._main_shell_completion(extra, name, complete_var)
            with self.make_context(name, words, **extra) as ctx:
                code = self.invoke(ctx) or 0
            if sys.stdout is not None:
                sys.stdout.flush()
        except click.exceptions.Exit as e:
            code = e.exit_code
        except BaseException as e:  # noqa: BLE001 - a traceback is never shown
            from mutual_dissent.surfaces.process.failure import report_failure

            code = report_failure(e)
        sys.exit(code)


MEANT = {"personas": "modes", "topologies": "modes"}
"""A word that is not a command -> the command that lists such things."""


def _no_command(words: Sequence[str]) -> UserError:
    """Return the error for an unknown command: a single word may be a question."""
    from mutual_dissent.core.errors import UnknownName, UserError, clip

    if meant := MEANT.get(words[0]):
        return UserError(f"no command is called {words[0]!r}; they are in: dissent {meant}")
    unknown = UnknownName("command", words[0], TABLE)
    if len(words) > 1:
        return unknown
    sentence = str(unknown)
    join = " To" if sentence.endswith("?") else "; to"
    return UserError(f'{sentence}{join} ask it: dissent ask "{clip(words[0])}"')


OWN = ("--db", "-h", "--help", "-V", "--version")
"""Options that stand before a command."""


def _is_asked(word: str) -> bool:
    """Return whether a first word is a question or an option of `ask`, not a command."""
    if word.startswith("-"):
        return not word.startswith(OWN)
    # One word without a question mark is rather a misspelt command.
    return word not in TABLE and (" " in word.strip() or word.endswith("?"))


EXAMPLES = """\b
Examples:
  dissent demo
  dissent "Is nuclear power needed to reach net zero?"
  cat notes.txt | dissent ask "Summarise this" -o answer
  dissent ask "Review this design" --context design.md --rounds auto
  dissent list --text "net zero"
  dissent show last --verbose"""


@click.group(
    "dissent",
    cls=Commands,
    epilog=EXAMPLES,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, "-V", "--version", message="dissent %(version)s")
@click.option(
    "--db",
    metavar="URL",
    help="Keep the record in this PostgreSQL database (postgresql://USER@HOST/NAME).",
)
def cli(db: str | None) -> None:
    """Ask a panel of language models instead of one.

    They answer, read and challenge each other, and you get one answer that says how far it can be
    trusted. Without any key, a small model on this machine plays the panel.
    """
    if db is not None:
        click.get_current_context().with_resource(_database(db))


def _check_url(url: str) -> None:
    from mutual_dissent.core.errors import BadInput
    from mutual_dissent.store.database import checked_url

    try:
        checked_url(url)
    except BadInput as e:
        raise BadInput(f"--db: {e.sentence}") from None


@contextmanager
def _database(url: str) -> Iterator[None]:
    """Set the database URL in the environment, where every part of this process reads it."""
    _check_url(url)
    before = os.environ.get(DATABASE)
    os.environ[DATABASE] = url
    try:
        yield
    finally:
        os.environ.pop(DATABASE)
        if before is not None:
            os.environ[DATABASE] = before


def main() -> None:
    """Run the program."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal that lacks a character shows a substitute
            stream.reconfigure(errors="replace")
    try:
        cli.main()
    except SystemExit as e:
        if BRIDGE in sys.modules:
            _leave(e.code)
        raise


BRIDGE = "temporalio.bridge"
"""Its threads outlive the interpreter, and crash during its shutdown (its issue 300)."""


def _leave(code: object) -> None:
    """End the process without the interpreter's shutdown; everything is closed by now."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):
            code = code or 1
    os._exit(code if isinstance(code, int) else 1)
