"""No text, however it is made, holds the program up: reading it takes time in proportion."""

from __future__ import annotations

import pytest

from fakes.calls import a_router, an_ask, an_endpoint
from fakes.patience import in_proportion
from fakes.vendor import FakeVendor
from fakes.world import a_brief
from fakes.world import run as debate
from mutual_dissent.config.file import parse_document
from mutual_dissent.core.errors import BadConfig
from mutual_dissent.core.values.secret import Key
from mutual_dissent.providers.redaction import excerpt
from mutual_dissent.providers.scripted import Scripted
from mutual_dissent.views.documents.formats import FORMATS
from mutual_dissent.views.terminal import terminal

MANY = 60_000


@pytest.fixture(autouse=True)
def in_time():
    with in_proportion():
        yield


ODD = {
    "a link of blanks": "[a](" + " " * MANY,
    "a link of blanks and a quote": "[a](x" + " " * MANY + '"',
    "brackets": "[" * MANY + "](",
    "half links": "[a](" * (MANY // 4),
    "marks": "> - 1. " * (MANY // 7) + "#",
    "backticks": "".join("`" * n + " " for n in range(1, 300)),
    "half sequences": "\x1b]" * (MANY // 2),
    "a sequence without end": "\x1b[" + "0;" * (MANY // 2),
    "a name of blanks": "accuracy" + " " * MANY + "x",
    "a value of blanks": "accuracy: 5" + " " * MANY + "x",
    "an explanation in many lines": "explanation: x\n" + "y\n" * (MANY // 2),
    "fences": "```\n" * (MANY // 4),
    "tables": "|" * MANY,
    "one word": "a" * MANY,
}


@pytest.mark.parametrize("name", ODD)
async def test_no_answer_takes_long_to_show_to_quote_or_to_grade(name):
    cast = Scripted(dict.fromkeys(("ada", "bob", "cyd"), lambda _: ODD[name]))
    brief = a_brief()
    brief = a_brief(judge=brief.panel[1], ground_truth="x")
    transcript, _, _ = await debate(brief, cast)
    assert transcript.synthesis is not None
    every = [form for name, form in FORMATS.items() if name != "sarif"]  # of reviews alone
    for render in (*every, terminal):
        assert render(transcript)


@pytest.mark.parametrize(
    "said", ["a-" * 30_000 + " ://", "a://" * 15_000, "a." * 30_000 + "://u@h"]
)
async def test_no_vendors_error_takes_long_to_quote(said):
    async with FakeVendor() as vendor, a_router(an_endpoint(vendor.base_url())) as router:
        vendor.always("400", message=said)
        response = await router.ask(an_ask(), lambda _: None)
    assert len(response.error) < 400
    assert excerpt(said * 10, Key("k" * 900, "K"))


def test_no_configuration_takes_long_to_refuse():
    words = "a" * 60 + "!"
    text = f'[personas.p]\ninstructions = """ \\"""\n{words}\n"""\n[defaults]\nrounds = "x"\n'
    with pytest.raises(BadConfig, match=r"defaults\.rounds"):
        parse_document("config.toml", text.encode())
