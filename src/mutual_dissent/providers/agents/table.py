"""The table of agent programs: how each is run without tools, read, installed and logged in.

The flags were tried with Claude Code 2.1, Codex 0.166 and Gemini CLI 0.61 against a vendor on
loopback, and the requests that they sent were read; docs/guide.md has the results.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from mutual_dissent.core.errors import BadInput, UnknownName, UserError, clip
from mutual_dissent.core.panel import AGENT, PROGRAM

OutputName = Literal["claude", "codex", "gemini", "text", "acp"]
OUTPUTS: tuple[OutputName, ...] = ("claude", "codex", "gemini", "text", "acp")
DEPTH = "MUTUAL_DISSENT_DEPTH"
"""The variable by which a debate learns that a panelist program started it."""
SETTING = '[programs.{0}] with command = [...] and output = "acp"'
SYSTEM, FOLDER = "{system}", "{folder}"
"""Placeholders in a command for the file of the system text, and for the folder it is in."""
# It follows a flag on a command line, so that it must not begin like one.
_MODEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:@\[\]/-]{0,99}")
_NO_TOOLS = '[[rule]]\ntoolName = "*"\ndecision = "deny"\npriority = 999\n'
_CODEX_OFF = (
    "shell_tool unified_exec code_mode_host multi_agent apps plugins hooks view_image "
    "image_generation sleep_tool"
).split()


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """An agent program that answers a prompt on its standard input.

    Attributes:
        name: what users write after `cli:`, or after `acp:` where it speaks that protocol.
        command: the command line; `{system}` stands for the file that holds the system text, which
            goes before the prompt where a command does not mention it.
        output: the format of its output; `acp` where it is talked to instead.
        maker: the vendor of its models.
        install: what to do where it is not installed.
        login: what to do where the user is not logged in.
        passes: the variables that its own login needs, besides the common ones.
        sets: further variables that it is given.
        files: further files that its command mentions, by name.
        model_flag: the flag that a model's name follows; empty where none can be chosen.
    """

    name: str
    command: tuple[str, ...]
    output: OutputName = "text"
    maker: str = ""
    install: str = ""
    login: str = ""
    passes: tuple[str, ...] = ()
    sets: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    model_flag: str = ""

    @property
    def vendor(self) -> str:
        """The vendor under which it is seated."""
        return AGENT if self.output == "acp" else PROGRAM

    @property
    def seat(self) -> str:
        """The name under which it is seated: `cli:claude`."""
        return f"{self.vendor}:{self.name}"

    @property
    def takes_system(self) -> bool:
        """Return whether the system text reaches it apart from the prompt."""
        return any(SYSTEM in word for word in (*self.command, *self.sets.values()))


PROGRAMS: Mapping[str, Program] = MappingProxyType(
    {
        p.name: p
        for p in (
            Program(
                name="claude",
                command=(
                    *"claude -p --output-format stream-json --verbose".split(),
                    *"--include-partial-messages --max-turns 1 --tools".split(),
                    "",  # none of them
                    *"--strict-mcp-config --disable-slash-commands --no-chrome".split(),
                    *"--no-session-persistence --setting-sources".split(),
                    "",  # neither hooks nor instructions of the user's own
                    *("--system-prompt-file", SYSTEM),
                ),
                output="claude",
                maker="anthropic",
                install="npm install -g @anthropic-ai/claude-code",
                login="run `claude` and then /login",
                passes=("CLAUDE_CONFIG_DIR", "CLAUDE_CODE_OAUTH_TOKEN"),
                # Without the first, a file that the prompt mentions as @/path would be sent along.
                sets={
                    "CLAUDE_CODE_DISABLE_ATTACHMENTS": "1",
                    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
                },
                model_flag="--model",
            ),
            Program(
                name="codex",
                command=(
                    *"codex exec --json --color never --sandbox read-only --ephemeral".split(),
                    *"--skip-git-repo-check --ignore-user-config --ignore-rules".split(),
                    *(w for name in _CODEX_OFF for w in ("-c", f"features.{name}=false")),
                    *"-c web_search=disabled -c skills.include_instructions=false".split(),
                    *"-c include_environment_context=false -c project_doc_max_bytes=0".split(),
                    # The last word has Codex read its prompt from standard input.
                    *("-c", f"model_instructions_file={SYSTEM}", "-"),
                ),
                output="codex",
                maker="openai",
                install="npm install -g @openai/codex",
                login="run `codex login`",
                passes=("CODEX_HOME", "CODEX_API_KEY"),
                model_flag="--model",
            ),
            Program(
                name="gemini",
                command=(
                    *"gemini --output-format stream-json --approval-mode plan --skip-trust".split(),
                    *"--extensions none --allowed-mcp-server-names none".split(),
                    # To an empty prompt, Gemini CLI adds what comes by standard input.
                    *("--admin-policy", f"{FOLDER}/policy.toml", "--prompt", ""),
                ),
                output="gemini",
                maker="google",
                install="npm install -g @google/gemini-cli",
                login="run `gemini` and choose how to log in",
                passes=(
                    *"GEMINI_CLI_HOME GOOGLE_CLOUD_PROJECT GOOGLE_CLOUD_LOCATION".split(),
                    *"GOOGLE_APPLICATION_CREDENTIALS GOOGLE_GENAI_USE_VERTEXAI".split(),
                    "GOOGLE_GENAI_USE_GCA",
                ),
                sets={"GEMINI_SYSTEM_MD": SYSTEM},
                files={"policy.toml": _NO_TOOLS},
                model_flag="--model",
            ),
        )
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramOptions:
    """The known programs, and which surfaces may seat them.

    Attributes:
        known: ours and those of the configuration, by name.
        remote: whether surfaces that are reached over the network may seat them.
        concurrency: the most runs at once.
        withheld: variables that no program is given, because they hold our keys.
        path: where programs are searched for.
        nested: whether a panelist program started this process.
    """

    known: Mapping[str, Program] = field(default_factory=lambda: PROGRAMS)
    remote: bool = False
    concurrency: int = 4
    withheld: frozenset[str] = frozenset()
    path: str = ""
    nested: bool = False

    def find(self, model_id: str, vendor: str = PROGRAM) -> tuple[Program, str]:
        """Return the program and its model that `NAME` or `NAME/MODEL` means at a vendor.

        Raises:
            UserError: if there is none, or it takes no such model.
        """
        name, _, model = model_id.partition("/")
        if name not in self.known:
            raise self._unknown(name, vendor)
        program = self.known[name]
        if program.vendor != vendor:
            how = "" if vendor == PROGRAM else f", or give it {SETTING.format(name)} of its own"
            raise BadInput(f"{vendor}:{clip(name)} is not known; write {program.seat}{how}")
        if model and not program.model_flag:
            raise BadInput(f"the program {name!r} takes no model; write {program.seat}")
        if model and not _MODEL.fullmatch(model):
            raise BadInput(f"{clip(model)!r} cannot be the name of a model of {name}")
        return program, model

    def _unknown(self, name: str, vendor: str) -> UserError:
        known = [p.name for p in self.known.values() if p.vendor == vendor]
        if known:
            return UnknownName("program", name, known)
        return BadInput(
            f"no program is called {clip(name)!r}; say what to run for {vendor}:{clip(name)} in "
            f"{SETTING.format('NAME')} of config.toml"
        )

    def path_of(self, program: Program) -> str | None:
        """Return the path of an installed program; None if it is not installed."""
        return shutil.which(program.command[0], path=self.path)

    def bar_reason(self, program: Program) -> str:
        """Return why no program is run here at all; empty where they are."""
        if os.name == "nt":
            return f"{program.seat} runs on Linux and macOS only; use WSL"
        return nesting_message(program.seat) if self.nested else ""

    def check(self, model_id: str, vendor: str = PROGRAM) -> None:
        """Check that a program can be seated here and now.

        Raises:
            UserError: one sentence with what to do.
        """
        program, _ = self.find(model_id, vendor)
        if why := self.bar_reason(program):
            raise UserError(why)
        if self.path_of(program) is None:
            raise UserError(missing(program))


def program_maker(model_id: str) -> str:
    """Return the vendor of a program's models; its own name, where that is not known."""
    name = model_id.partition("/")[0]
    return (PROGRAMS[name].maker if name in PROGRAMS else "") or name


def missing(program: Program) -> str:
    """Return the sentence for a program that is not installed."""
    what = f"{program.seat} cannot be asked: there is no {clip(program.command[0])!r} "
    how = f"install it ({program.install}) and log in" if program.install else "install it"
    return f"{what}on your PATH; {how}, or seat another model"


def nesting_message(seat: str) -> str:
    """Return the sentence for a debate that a panelist program started."""
    return (
        f"{seat} is not seated in a debate that a panelist program started itself "
        f"({DEPTH} is set), for that might never end; seat models of vendors instead"
    )
