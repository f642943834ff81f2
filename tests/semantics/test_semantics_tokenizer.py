"""Our WordPiece gives the pieces of the reference library."""

from importlib.resources import files

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mutual_dissent.semantics.tokenizer import Tokenizer

tokenizers = pytest.importorskip("tokenizers")
VOCABULARY = files("mutual_dissent.semantics") / "weights" / "vocab.txt"
PIECES = VOCABULARY.read_text("utf-8").splitlines()
OURS = Tokenizer(PIECES)


@pytest.fixture(scope="module")
def reference():
    theirs = tokenizers.BertWordPieceTokenizer(
        {piece: number for number, piece in enumerate(PIECES)}, lowercase=True
    )
    return lambda text: theirs.encode(text, add_special_tokens=False).ids


@pytest.mark.parametrize(
    "text",
    [
        "Developers and software engineers are the same people.",
        "It's 3.5 % — or 1,500 €/month; isn't it? (Yes!)",
        "Café naïve façade, Ångström ŁÓDŹ ﬁne straße",
        "日本語のテキスト and 한국어 текст עברית العربية",
        "emoji 😀👍🏽 and symbols ™ © → ∑ x² 10⁻³",
        "tabs\tand\nnewlines\r\n\u00a0non-breaking\u200bzero-width\x00null",
        "unbelievably " * 3 + "x" * 150,
        "",
        "   ",
        "#hash_tag @name foo.bar(baz)[0] == 'qux' && !done",
    ],
)
def test_pieces_are_those_of_the_library(reference, text):
    assert OURS.ids(text) == reference(text)


@settings(max_examples=300, deadline=None)
@given(
    st.text(
        st.characters(min_codepoint=9, max_codepoint=0x2FFF, exclude_categories=["Cn", "Cs"]),
        max_size=40,
    )
)
def test_any_text_gives_the_pieces_of_the_library(text):
    theirs = tokenizers.BertWordPieceTokenizer(
        {piece: number for number, piece in enumerate(PIECES)}, lowercase=True
    )
    assert OURS.ids(text) == theirs.encode(text, add_special_tokens=False).ids
