"""What the pages show is true: commands parse, code runs, settings load, links lead somewhere."""

from __future__ import annotations

import ast
import asyncio
import importlib.util
import inspect
import re
import shlex
import tomllib
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

import click
import pytest

from fakes.command_line import dissent
from fakes.debates import debate
from fakes.images import a_png
from fakes.program import install
from mutual_dissent.briefing.inputs.sources import is_address
from mutual_dissent.config.schema import SCHEMA
from mutual_dissent.config.settings import load_settings
from mutual_dissent.experiments.design import foreign
from mutual_dissent.prompts.library import Library
from mutual_dissent.providers.agents.table import PROGRAMS
from mutual_dissent.providers.endpoints import TABLE
from mutual_dissent.store.store import Store
from mutual_dissent.surfaces.cli import cli
from mutual_dissent.tools.fetch import FetchedPage, Pages

ROOT = Path(__file__).resolve().parents[2]
OURS = [
    "README.md",
    "CHANGELOG.md",
    "docs/api.md",
    "docs/capacity.md",
    "docs/cluster.md",
    "docs/guide.md",
    "docs/install.md",
    "docs/mcp.md",
    "docs/modes.md",
    "docs/observability.md",
    "docs/reference.md",
    "docs/research.md",
    "docs/runbook.md",
    *sorted(p.relative_to(ROOT).as_posix() for p in (ROOT / "docs/tutorials").glob("*.md")),
]
PAGES = [
    *OURS,
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "docs/agreement.md",
    "docs/evidence.md",
    "docs/extending.md",
    "docs/openai.md",
    "docs/performance.md",
    "examples/plugin/README.md",
]
PAGES += sorted(p.relative_to(ROOT).as_posix() for p in (ROOT / "docs/decisions").glob("*.md"))
FOR_ENGINEERS = [p for p in PAGES if p not in OURS and not p.startswith("examples/")]
IMAGES = sorted((ROOT / "docs" / "images").iterdir())

FENCED = re.compile(r"(?:<!-- not run: (.*?) -->\n)?```(\w*)\n(.*?)\n```", re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A piece of code in a page; `skipped` says why it is not run, if it is not."""

    page: str
    language: str
    code: str
    skipped: str


def text_of(page: str) -> str:
    return (ROOT / page).read_text("utf-8")


def blocks(page: str, language: str) -> list[Block]:
    found = FENCED.findall(text_of(page))
    return [Block(page, lang, code, why) for why, lang, code in found if lang == language]


# -- commands


def command_lines(page: str) -> list[list[str]]:
    """The words of every `dissent` command in the shell blocks of a page."""
    found = []
    for block in blocks(page, "sh"):
        for line in block.code.splitlines():
            found += [shlex.split(inner) for inner in re.findall(r"\$\(([^)]*)\)", line)]
            found += simple_commands(line)
    ours = [words for words in found if words[:1] == ["dissent"]]
    return [["1f0c9a2e" if word == "last" else word for word in words] for words in ours]


def simple_commands(line: str) -> list[list[str]]:
    """The commands of a line, without pipes and redirections."""
    bare = re.sub(r"(^|\s+)# .*", "", line)
    lexer = shlex.shlex(bare, posix=True, punctuation_chars="|&;<>")
    lexer.whitespace_split, lexer.commenters = True, ""
    commands, target = [[]], False
    for word in lexer:
        if word and set(word) <= set("|&;"):
            commands.append([])
        elif word and set(word) <= set("<>"):
            target = True
        elif target:
            target = False
        else:
            commands[-1].append(word)
    return commands


def parsed(words: list[str]) -> click.Context:
    """The context of the command that these words call; nothing is run."""
    context = cli.make_context("dissent", list(words))
    while isinstance(context.command, click.Group):
        rest = [*context._protected_args, *context.args]
        if not rest and context.command.invoke_without_command:
            return context
        name, command, rest = context.command.resolve_command(context, rest)
        context = command.make_context(name, rest, parent=context)
    return context


LINES = sorted({(page, shlex.join(words)) for page in PAGES for words in command_lines(page)})


def test_there_are_commands_to_be_tested():
    assert len(LINES) > 60
    assert {parsed(shlex.split(line)[1:]).command.name for _, line in LINES} >= {
        "ask", "replay", "resume", "list", "show", "export", "import", "score", "set", "test",
        "models", "modes", "pull", "status", "doctor", "completion",
    }  # fmt: skip


@pytest.mark.parametrize(("page", "line"), LINES)
def test_every_command_in_the_pages_is_one_that_the_program_takes(page, line):
    context = parsed(shlex.split(line)[1:])
    assert context.command.name


def test_a_wrong_option_in_a_page_would_be_found():
    with pytest.raises(click.NoSuchOption):
        parsed(["ask", "Why?", "--colour", "blue"])


ASKED = sorted({line for _, line in LINES if line.startswith("dissent ask")})


@pytest.mark.parametrize("line", ASKED)
def test_every_question_in_the_pages_could_be_asked(line, own_home, tmp_path, monkeypatch):
    """With keys for all, programs, an endpoint and what they attach, each gets its quote."""
    own_home.mkdir()
    endpoint = '[endpoints.studio]\nbase_url = "http://127.0.0.1:1234/v1"\n'
    (own_home / "config.toml").write_text(endpoint)
    for row in TABLE.values():
        if row.key_env:
            monkeypatch.setenv(row.key_env, "canary-key-of-nobody")
    for name in PROGRAMS:
        monkeypatch.setenv("PATH", install(tmp_path / "bin", name, ""))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Pages, "page", a_page)
    words = shlex.split(line)[1:]
    Path("notes.md").write_text("Something to read.")
    for path in named_files(words):
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(a_png() if path.suffix == ".png" else b"Something to read.")
    if earlier := parsed(words).params["conversation"]:
        with Store(own_home / "dissent.db") as store:
            store.save(debate(transcript_id=f"{earlier}-0000-4000-8000-000000000000"))
    done = dissent(*words, "--dry-run", stdin="What is in the pipe?")
    assert done.exit_code == 0, done.output


def named_files(words: list[str]) -> list[Path]:
    given = parsed(words).params
    found = (Path(p) for p in (*given["context"], given["ground_truth_file"]) if p)
    return [
        p for p in found if not p.is_dir() and not is_address(p.as_posix().replace(":/", "://"))
    ]


async def a_page(_: Pages, url: str) -> FetchedPage:
    return FetchedPage(url=url, title="", text="Something to read.")


INLINE = re.compile(r"`(dissent(?: [^`]+)?)`")


@pytest.mark.parametrize("page", PAGES)
def test_commands_within_sentences_exist_with_their_options(page):
    prose = FENCED.sub("", text_of(page))
    for words in map(str.split, INLINE.findall(prose)):
        command, rest = cli, words[1:]
        while isinstance(command, click.Group) and rest and not rest[0].startswith("-"):
            name, *rest = rest
            command = command.get_command(click.Context(command), name)
            assert command is not None, f"{page}: there is no {' '.join(words)}"
        known = {o for p in command.get_params(click.Context(command)) for o in p.opts}
        asked = {word for word in rest if word.startswith("--")}
        assert asked <= known, f"{page}: {' '.join(words)}"


# -- code and settings


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p, "python")])
async def test_the_python_code_of_a_page_runs(page, capsys):
    """One page is one session, as a reader would have it in a notebook."""
    session: dict[str, object] = {"__name__": "page"}
    for block in blocks(page, "python"):
        if block.skipped:
            continue
        code = compile(block.code, page, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        if "asyncio.run(" in block.code:  # a whole program, which has a loop of its own
            await asyncio.to_thread(eval, code, session)
            continue
        result = eval(code, session)
        if inspect.iscoroutine(result):
            await result


def test_code_that_is_not_run_is_still_python_and_says_why():
    skipped = [b for p in PAGES for b in blocks(p, "python") if b.skipped]
    for block in skipped:
        compile(block.code, block.page, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    assert all(len(b.skipped) > 10 for b in skipped)


def test_the_example_configuration_loads_and_shows_every_table(own_home):
    [example] = [b.code for b in blocks("docs/guide.md", "toml")]
    own_home.mkdir()
    (own_home / "config.toml").write_text(example)
    settings = load_settings()
    assert not settings.notices
    assert settings.defaults.rounds == "auto"
    assert settings.aliases["llama"].vendor == "groq"
    assert settings.rubrics["review"].keys() == {"correctness", "tone"}
    tables = {s.path[0] for s in SCHEMA if len(s.path) > 1}
    assert tables == set(tomllib.loads(example))


def test_the_prompts_that_the_guide_names_can_be_replaced():
    named = re.findall(r"\.mutual-dissent/prompts/(\S+)\.md", text_of("docs/guide.md"))
    assert named
    assert set(named) <= set(Library().names)


def test_guide_and_reference_know_the_same_exit_codes():
    guide, reference = text_of("docs/guide.md"), text_of("docs/reference.md")
    table = guide.partition("| exit code |")[2].partition("\n\n")[0]
    told = re.findall(r"\d+", ",".join(re.findall(r"\n\| ([\d, ]+) \|", table)))
    listed = reference.partition("| code | meaning |")[2].partition("\n\n")[0]
    assert sorted(told, key=int) == re.findall(r"\n\| (\d+) \|", listed)


# -- experiments


@pytest.mark.parametrize("name", ["campaign", "scan"])
def test_the_drills_among_the_examples_can_be_run(name, monkeypatch):
    for row in TABLE.values():
        if row.key_env:
            monkeypatch.setenv(row.key_env, "canary-key-of-nobody")
    checked = dissent("experiment", "check", str(ROOT / f"examples/drill/{name}.toml"))
    assert checked.exit_code == 0, checked.output


def test_every_name_that_payloads_of_other_tools_may_have_is_in_the_table():
    table = text_of("docs/research.md").partition("| what | accepted names |")[2]
    rows = [re.findall(r"`(\w+)`", row.split("|")[2]) for row in table.splitlines() if "|" in row]
    told = [row for row in rows if row]
    words = [*foreign.WORDS, "context"]
    known = [
        foreign.LISTS, words, foreign.CONTEXTS, foreign.SEATS, foreign.QUERY, foreign.QUERIES,
        foreign.ANSWER, foreign.WANTED, foreign.NAMES, foreign.CAMPAIGN, foreign.REFERENCE,
        foreign.NOTED,
    ]  # fmt: skip
    assert told == [list(names) for names in known]


# -- files and modules

FILE = re.compile(r"(?<![\w/.~*-])((?:[\w-]+/)*[\w-]+\.(?:py|js))\b")
MODULE = re.compile(r"\bmutual_dissent\.[\w.]*\w")
ENTRY_POINTS = {f"mutual_dissent.{g}" for g in "topologies modes providers formats sources".split()}
FOLDERS = ("src", "tests", "bench", "scripts", "examples", "training")


@pytest.fixture(scope="module")
def files() -> str:
    """Every file of ours on a line, so that a name without its folders is found by its end."""
    paths = (p for folder in FOLDERS for p in (ROOT / folder).rglob("*.*"))
    return "".join(f"/{p.relative_to(ROOT).as_posix()}\n" for p in paths)


@pytest.mark.parametrize("page", FOR_ENGINEERS)
def test_every_file_and_module_that_a_page_for_engineers_names_exists(page, files):
    text = text_of(page)
    named = (name for name in FILE.findall(text) if "NAME" not in name)
    assert not [name for name in named if f"/{name}\n" not in files]
    modules = set(MODULE.findall(text)) - ENTRY_POINTS
    assert not [name for name in modules if importlib.util.find_spec(name) is None]


# -- links and pictures


def links(page: str) -> list[str]:
    prose = FENCED.sub("", text_of(page))
    return [t for t in re.findall(r"\]\(([^)\s]+)\)", prose) if "://" not in t]


def anchors(file: Path) -> set[str]:
    """The anchors that headings get where Markdown is shown."""
    titles = re.findall(r"^#+ (.+)$", FENCED.sub("", file.read_text("utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", t.lower()).replace(" ", "-") for t in titles}


@pytest.mark.parametrize("page", PAGES)
def test_every_link_within_the_project_leads_somewhere(page):
    here = ROOT / page
    for link in links(page):
        path, _, anchor = link.partition("#")
        target = (here.parent / path).resolve() if path else here
        assert target.exists(), f"{page}: {link}"
        assert not anchor or anchor in anchors(target), f"{page}: {link}"


@pytest.mark.parametrize("image", IMAGES, ids=lambda p: p.name)
def test_pictures_are_small_and_shown_somewhere(image):
    assert image.stat().st_size < 1_000_000
    shown = [t for page in PAGES for t in links(page)]
    assert any(t.endswith(image.name) for t in shown)


def loads_nothing(svg: str) -> bool:
    """Whether a picture holds no address, no script, and no reference beyond itself."""
    bare = svg.replace('xmlns="http://www.w3.org/2000/svg"', "")
    tags = {e.tag.rpartition("}")[2] for e in ET.fromstring(svg).iter()}
    foreign = re.search(r"https?:|//\w|@import|@font-face|url\((?!#)|href=\"(?!#)", bare)
    return not foreign and not tags & {"script", "image", "foreignObject"}


@pytest.mark.parametrize("image", [i for i in IMAGES if i.suffix == ".svg"], ids=lambda p: p.name)
def test_pictures_load_nothing(image):
    svg = image.read_text("utf-8")
    assert loads_nothing(svg)
    assert len(svg) < 200_000


def test_pictures_taken_anew_load_nothing_either():
    spec = importlib.util.spec_from_file_location("capture", ROOT / "scripts" / "capture.py")
    capture = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(capture)
    screen = capture.Screen()
    screen.write("first\r\n\x1b[32mgreen\x1b[0m\r\x1b[1A\x1b[2Ksecond")
    assert screen.text == "second\ngreen"
    assert loads_nothing(capture.svg(screen.drawn, "test", "a title"))
    assert not loads_nothing(capture.svg("https://example.org", "test", "a title"))


# -- form


@pytest.mark.parametrize("page", OURS)
def test_pages_are_wrapped_and_name_no_machine(page):
    text = text_of(page)
    prose = FENCED.sub("", text)
    assert not [x for x in prose.splitlines() if len(x) > 112 and not x.startswith(("|", "!"))]
    assert not re.search(r"/(?:work|root|home|tmp)/", text)
