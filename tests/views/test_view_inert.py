"""A model's Markdown cannot change the document that it is quoted in."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from fakes.hostile import PAYLOADS
from fakes.patience import in_proportion
from mutual_dissent.text.markdown_inert import inert, inert_line

READER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def tokens(document: str):
    for token in READER.parse(document):
        yield token
        yield from token.children or ()


def problems(text: str, below: int = 2) -> list[str]:
    """What a renderer would do with a quoted text besides showing it."""
    document = f"## Before\n\n{inert(text, below)}\n\n## After\n"
    found = [t.type for t in tokens(document) if t.type in ACTIVE]
    headings = [t for t in READER.parse(document) if t.type == "heading_open"]
    inner = [t for t in headings if int(t.tag[1]) <= below]
    if [t.level for t in inner] != [0, 0]:
        found.append("structure")
    return found


ACTIVE = {"html_block", "html_inline", "image", "link_open"}

ATTACKS = [
    "# Title\n## Sub",
    "Title\n===\n\nSub\n---",
    "a\nb\n===",
    "> Title\n> ===",
    "> # Title",
    "- # Title",
    "1. > # Title",
    "- Title\n  ===",
    "- Title\n  ---",
    "```\nnever closed",
    "~~~ a`b\nnever closed",
    "> ```\n> never closed",
    "- ~~~\n  never closed",
    "    ```\n    indented\n    ```",
    "````\n```\n````\n<b>",
    "<div>\n\n# x\n\n</div>",
    "<!-- never closed",
    "<script>\nnever closed",
    "<?php",
    "<![CDATA[",
    "\\<img src=x>",
    "\\\\<img src=x>",
    "`\n<img src=x>\n`",
    "lone ` here\n` <img src=x> ` y",
    "`` ` <img src=x> ``",
    "| ` | ` <img src=x> |\n|---|---|",
    "| `a | b` `<img src=x>` `c | d` |\n|---|---|---|",
    "\\` <img src=x> `",
    "![x](https://evil.example/a.png)",
    "![x][1]\n\n[1]: https://evil.example/a.png",
    "![1]\n\n[1]:\nhttps://evil.example/a.png",
    "> [1]: https://evil.example\n\n[1]",
    "[a\nb]: https://evil.example\n\n[a b]",
    "[x](javascript:alert(1))",
    "[x](<https://evil.example> 'title')",
    "[x](https://evil.example\n'title')",
    "[![x](https://evil.example/a.png)](https://evil.example)",
    "[a [b](https://evil.example)](https://evil.example)",
    "![a\\](https://evil.example/a.png)",
    "\\![a](https://evil.example/a.png)",
    "<https://evil.example>",
    "[^1]\n\n[^1]: note",
    "&#60;img src=x&#62;",
    "&lt;img src=x>",
    "[x]\\(https://evil.example)",
    "\\[x](https://evil.example)",
    "\\\\[x](https://evil.example)",
    "!`a`[x](https://evil.example)",
    "[`a`](https://evil.example)",
    *PAYLOADS.values(),
]


@pytest.mark.parametrize("text", ATTACKS)
def test_a_quoted_text_is_shown_and_does_nothing(text):
    assert problems(text) == []


MARKS = "`~#=->*+1. \n\t|\\<![](:)&'\"a_"
LONGER = ("```", "~~~", "\n\n", "](", "]:", "<b>", "    ", "---", "://x")
PIECES = st.sampled_from([*MARKS, *LONGER])


@settings(max_examples=400, deadline=None)
@given(st.lists(PIECES, max_size=40).map("".join))
def test_no_combination_of_marks_gets_through(text):
    assert problems(text) == []
    assert problems(text, 4) == []


def test_addresses_stay_readable():
    assert inert("see [the docs](https://a.example/b)") == "see the docs (https://a.example/b)"
    assert inert("![chart](https://a.example/c.png)") == "(image: chart, https://a.example/c.png)"


def test_no_renderers_own_way_of_embedding_is_left():
    assert "![" not in inert("![[secret note]] and ![x][y] and ![z]")


def test_headings_move_below_their_section():
    assert inert("# One\n## Two\n###### Six", 2) == "### One\n#### Two\n###### Six"


def test_code_is_kept_as_it_is():
    code = "```python\nif a < b and c[0](1):\n    print('<b>')\n```"
    assert inert(code) == code
    assert inert("use `Vec<T>` here") == "use `Vec<T>` here"
    assert inert("- do:\n  ```sh\n  cat <x\n  ```") == "- do:\n```sh\ncat <x\n```"


def test_drawing_languages_are_shown_and_not_drawn():
    assert inert("```mermaid\nclick a href\n```").startswith("```text\n")


def test_ordinary_marks_keep_their_meaning():
    text = (
        "**bold**, *italic*, [1] and\n\n- one\n- two\n\n> quoted\n\n| a | b |\n|---|---|\n| 1 | 2 |"
    )
    assert inert(text) == text


@pytest.mark.parametrize(
    "text", ["a|b", "*x*", "# t", "[x](y)", "`c`", "<b>", "a\nb", "_x_", "&#60;"]
)
def test_a_line_in_a_cell_stays_in_its_cell(text):
    document = f"| a | b |\n|---|---|\n| {inert_line(text)} | last |\n"
    rendered = READER.render(document)
    assert rendered.count("<td>") == 2
    assert not re.search(r"<(em|a|code|b|h1)\b", rendered)


def test_a_long_answer_takes_time_in_proportion():
    runs = " ".join("`" * n for n in range(1, 1200))
    for text in (runs, "[" * 200_000, "![x](" * 100_000, "> " * 100_000, "- " * 100_000 + "#"):
        with in_proportion():
            inert(text)


def test_an_address_is_not_changed_by_what_keeps_it_inert():
    line = inert_line("see https://law.example/bgb/__573.html and *this*")
    assert "https://law.example/bgb/%5F%5F573.html" in line.replace("%5F_573", "%5F%5F573")
    assert "\\*this\\*" in line
    assert "bgb/\\" not in line
