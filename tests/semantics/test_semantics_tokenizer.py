"""Our WordPiece gives the pieces of the reference library."""

from importlib.resources import files

import pytest
from hypothesis import assume, given, settings
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
        "ΟΔΟΣ ΣΑΣ aΣ",
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


MARKS = ["[CLS]", "[SEP]", "[UNK]", "[PAD]", "[MASK]"]


@pytest.mark.parametrize("mark", MARKS)
def test_a_mark_of_the_model_in_an_answer_is_only_text(mark):
    assert PIECES.index(mark) not in OURS.ids(f"say {mark} now")


# The library's Unicode tables are old, so newer characters are classed differently: scripts that
# have not changed since then are compared.
SCRIPTS = [(9, 0x24F), (0x370, 0x51F), (0x2000, 0x2060), (0x2190, 0x21FF), (0x3041, 0x30FF)]
SCRIPTS += [(0x4E00, 0x4F00), (0xAC00, 0xAD00)]
LETTERS = st.one_of(
    *(
        st.characters(min_codepoint=low, max_codepoint=high, exclude_categories=["Cn"])
        for low, high in SCRIPTS
    )
)


@settings(max_examples=300, deadline=None)
@given(text=st.text(LETTERS, max_size=40))
def test_any_text_gives_the_pieces_of_the_library(reference, text):
    assume(not any(mark in text for mark in MARKS))
    assert OURS.ids(text) == reference(text)
