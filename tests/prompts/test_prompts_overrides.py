"""A user's own prompts: the folder goes before system-prompts.yaml, and both are checked."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from mutual_dissent.core.errors import BadConfig, UserError
from mutual_dissent.prompts.library import MAX_BYTES, Library, PromptOrigin, parse_overrides

CRITIQUE = "Criticise {other_responses}. {structure} {verification} Asked: {query}"
REPORT = "Report on {formatted_transcript} and {critiques}. {dissent} Asked: {query}"


@pytest.fixture
def place(tmp_path):
    """A folder and a file for prompts, both still empty."""
    (tmp_path / "prompts").mkdir()
    return tmp_path


def library(place) -> Library:
    return Library(place / "prompts", place / "system-prompts.yaml")


def written(place, text: str) -> Library:
    (place / "system-prompts.yaml").write_text(text)
    return library(place)


def own(place, name: str, text: str) -> None:
    file = place / "prompts" / f"{name}.md"
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)


def read(text: str) -> dict[str, str]:
    found = parse_overrides(text.encode(), "system-prompts.yaml")
    return {key: override.text.strip() for key, override in found.items()}


def test_without_anything_ours_are_asked(place):
    prompt = library(place).prompt("consensus/critique")
    assert (prompt.origin, prompt.place) == (PromptOrigin.OURS, "")
    assert prompt == Library().prompt("consensus/critique")


def test_the_keys_of_the_councils_file_are_known(place):
    shelf = written(
        place, f"critique_prompt: |\n  {CRITIQUE}\nconsensus_chairman_prompt: '{REPORT}'\n"
    )
    assert shelf.text("consensus/critique") == CRITIQUE
    assert shelf.text("consensus/report") == REPORT
    prompt = shelf.prompt("consensus/report")
    assert prompt.origin is PromptOrigin.FILE
    assert prompt.place.endswith("system-prompts.yaml, line 3")


def test_any_prompt_may_stand_there_by_its_name(place):
    shelf = written(place, 'perspectives/technical: "Ask whether it \\"works\\"."\n')
    assert shelf.text("perspectives/technical") == 'Ask whether it "works".'


def test_the_folder_goes_before_the_file(place):
    own(place, "perspectives/technical", "From the folder.")
    shelf = written(place, "perspectives/technical: From the file.\nperspectives/social: Also.\n")
    assert shelf.text("perspectives/technical") == "From the folder."
    assert shelf.origin("perspectives/technical") is PromptOrigin.FOLDER
    assert shelf.origin("perspectives/social") is PromptOrigin.FILE
    assert shelf.origin("perspectives/ethical") is PromptOrigin.OURS


def test_a_transcript_can_tell_which_words_were_used(place):
    ours = Library().hashes()
    theirs = written(place, "perspectives/technical: Does it work at all?\n").hashes()
    changed = {name for name in ours if ours[name] != theirs[name]}
    assert changed == {"perspectives/technical"}


def test_a_missing_blank_is_named_with_its_file_and_line(place):
    shelf = written(place, "# mine\ncritique_prompt: Criticise {other_responses} {query}.\n")
    with pytest.raises(UserError) as caught:
        shelf.text("consensus/critique")
    said = str(caught.value)
    assert "system-prompts.yaml, line 2" in said
    assert "consensus/critique lacks the blank {structure}, {verification}" in said


def test_a_missing_blank_is_named_in_the_folder_too(place):
    own(place, "consensus/critique", "Criticise {other_responses} {structure} {verification}")
    with pytest.raises(
        UserError, match=r"critique\.md: consensus/critique lacks the blank {query}"
    ):
        library(place).text("consensus/critique")


@pytest.mark.parametrize(
    ("word", "says"),
    [
        ("{nonsense}", "consensus/critique has {other_responses}, {own_response}, {query}, "),
        ("{qurey}", "did you mean {query}?"),
        ("{Query}", "did you mean {query}?"),
    ],
)
def test_a_blank_that_nobody_fills_is_named_with_those_that_exist(place, word, says):
    shelf = written(place, f"# mine\ncritique_prompt: '{CRITIQUE} {word}'\n")
    with pytest.raises(UserError) as caught:
        shelf.text("consensus/critique")
    assert f"system-prompts.yaml, line 2: there is no blank {word}; " in str(caught.value)
    assert says in str(caught.value)
    own(place, "perspectives/technical", f"Look {word}.")
    with pytest.raises(UserError, match=r"technical\.md: there is no blank .*; (?:did|there are)"):
        library(place).text("perspectives/technical")


def test_braces_that_are_no_blank_stay_as_they_are(place):
    text = 'Say {"position": 1}, {} or { nonsense }, f(x) = {x: 1}.'
    own(place, "perspectives/technical", text)
    assert library(place).text("perspectives/technical") == text


@pytest.mark.parametrize("text", ["", " \n", "x" * 100_001, "a\0b"])
def test_a_prompt_is_neither_empty_nor_endless(place, text):
    own(place, "perspectives/technical", text)
    with pytest.raises(UserError, match="1 to 100,000 characters"):
        library(place).text("perspectives/technical")


# -- what of YAML is read


LITERAL = """\
--- # of ours
# Prompts of our council
perspectives/technical: |-   # lines are kept
    First line: it has a colon, # no comment, and 'quotes'.

      Indented further.
    Last line.

# and another
"perspectives/social": >
  One paragraph
  in two lines.

  Another one:
    - a list
    - that stays

'perspectives/ethical': It's plain # with a comment
"""


def test_blocks_quotes_and_comments_are_read_as_yaml_reads_them():
    assert read(LITERAL.replace("--- # of ours", "---")) == {
        "perspectives/technical": "First line: it has a colon, # no comment, and 'quotes'.\n\n"
        "  Indented further.\nLast line.",
        "perspectives/social": "One paragraph in two lines.\nAnother one:\n"
        "  - a list\n  - that stays",
        "perspectives/ethical": "It's plain",
    }


def test_a_text_may_go_on_in_the_next_line():
    assert read('a: one\n  two\nb: "three\n  four"\n') == {"a": "one two", "b": "three four"}


def test_windows_lines_and_a_byte_order_mark_change_nothing():
    raw = b"\xef\xbb\xbfa: |\r\n  One\r\n  two\r\nb: 'it''s'\r\n"
    found = parse_overrides(raw, "f")
    assert (found["a"].text.strip(), found["b"].text) == ("One\ntwo", "it's")


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("a: [1, 2]", 1, "must be a text, not a list"),
        ("a: {query}", 1, "must be a text, not a table; put the text in quotes, or after |"),
        ("a: &x text", 1, "not an anchor"),
        ("b: ok\na: *x", 2, "not a reference"),
        ("a: !!python/object/apply:os.system ['true']", 1, "not a tag"),
        ("!x\na: b", 1, "not a tag"),
        ("- a\n- b", 1, "must be NAME: followed by a text"),
        ("just words", 1, "must be NAME:"),
        ("[" * 20_000, 1, "put the text in quotes"),
        ("a:\n  b: c", 2, "not a table"),
        ("a:", 1, "has no text"),
        ("a: |\nb: c", 1, "has no text"),
        ("a: >\n\tx", 2, "cannot be read"),
        ("a: 'one' two", 1, "cannot be read"),
        ('a: "\\q"', 1, "unknown escape character"),
        ('a: "\\ud800"', 1, "no character"),
        ("a: b: c", 1, "mapping values are not allowed here); put the text in quotes, or after |"),
        ("a: true", 1, "must be a text"),
        ("a: 3.5", 1, "must be a text"),
        ("a: | words", 1, "cannot be read"),
        ("a: |\n    deep\n  shallow", 3, "cannot be read"),
        ("a: b\n---\nc: d", 2, "another document"),
        ("a: b\nc: d\na: e", 3, "stands in line 1 too"),
        ("a: x\x07y", 1, "no character"),
    ],
)
def test_whatever_else_yaml_has_is_refused_with_its_line(text, line, says):
    with pytest.raises(BadConfig) as caught:
        read(text)
    assert f"system-prompts.yaml, line {line}: " in str(caught.value)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("critic_prompt: x", "did you mean 'critique_prompt'?"),
        ("consensus/critik: x", "did you mean 'consensus/critique'?"),
        ("critique_prompt: a\nconsensus/critique: b", "the same prompt as in line 1"),
    ],
)
def test_names_must_be_those_of_prompts_and_each_only_once(place, text, says):
    with pytest.raises(BadConfig, match=r"system-prompts\.yaml, line \d") as caught:
        written(place, text).text("common/system")
    assert says in str(caught.value)


def test_the_file_is_bounded_and_must_be_text(place):
    (place / "system-prompts.yaml").write_bytes(b"a" * (MAX_BYTES + 1))
    with pytest.raises(BadConfig, match="1,000,000 bytes"):
        library(place).text("common/system")
    (place / "system-prompts.yaml").write_bytes(b"a: b\nc: \xff")
    with pytest.raises(BadConfig, match="line 2: file: must be UTF-8"):
        library(place).text("common/system")
    (place / "system-prompts.yaml").unlink()
    (place / "system-prompts.yaml").mkdir()
    with pytest.raises(BadConfig, match="must be a regular file"):
        library(place).text("common/system")


PIECES = st.sampled_from(
    ["a", "key", ": ", ":", "|", ">", "-", "+", "2", "\n", "\n  ", "\n    ", "\n\n", " ", "#", "'",
     '"', "\\n", "\\", "{query}", "[", "word", "- ", "---", "%", "~", "true", "é"]
)  # fmt: skip
SNIPPETS = st.lists(PIECES, max_size=14).map("".join)


@settings(max_examples=200, deadline=None)
@given(SNIPPETS)
def test_what_we_read_is_what_yaml_means(snippet):
    try:
        ours = read(f"key: {snippet}")
    except BadConfig:
        return  # refusing is always safe
    theirs = yaml.safe_load(f"key: {snippet}")
    assert {k: str(v).strip() for k, v in theirs.items()} == ours
