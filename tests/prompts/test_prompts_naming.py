"""Names that are withheld are worked out once a debate, and nothing of it stays behind."""

from __future__ import annotations

import tracemalloc

from fakes.world import a_brief
from mutual_dissent.core.brief import Attachment
from mutual_dissent.prompts.naming import WITHHELD, own_names, withheld


def test_documents_of_debates_that_are_over_are_not_kept_in_memory():
    tracemalloc.start()
    try:
        for number in range(40):
            document = Attachment(name="notes.txt", text=f"{number} " * 200_000)
            brief = a_brief("ada", "bob", context=(document,))
            assert withheld("I am ada.", brief) == f"I am {WITHHELD}."
            assert own_names("I am bob.", brief.panel[1], brief, signed=True) == ("bob",)
            size = len(document.text)
        kept = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert kept < 4 * size


def test_what_one_debate_is_about_changes_nothing_in_another():
    for query, shown in (("Is ada right?", "ada"), ("Who is right?", WITHHELD)):
        for _ in range(2):
            assert withheld("I am ada.", a_brief("ada", "bob", query=query)) == f"I am {shown}."
    document = Attachment(name="notes.txt", text="By ada.")
    assert withheld("I am ada.", a_brief("ada", "bob", context=(document,))) == "I am ada."
