"""What gives an author away is withheld from its peers, and nothing else: debates are about names.

It is worked out once a debate, and nothing of it stays behind.
"""

from __future__ import annotations

import time
import tracemalloc
from dataclasses import replace

import pytest

from fakes.world import a_brief
from mutual_dissent.core.brief import Attachment
from mutual_dissent.core.panel import Route
from mutual_dissent.prompts.anonymity import WITHHELD, own_names, strip_introductions

ROUTES = {
    "claude": Route(vendor="anthropic", model_id="claude-sonnet-5-5"),
    "fast": Route(vendor="openai", model_id="o1"),
    "gem": Route(vendor="google", model_id="gemini-4-pro"),
    "llama": Route(vendor="openrouter", model_id="meta-llama/llama-6:free"),
    "sonar": Route(vendor="perplexity", model_id="sonar"),
}


def a_panel(**more):
    brief = a_brief(*ROUTES, **more)
    return replace(brief, panel=tuple(replace(p, route=ROUTES[p.seat]) for p in brief.panel))


def seen_by_peers(text, **more):
    brief = a_panel(**more)
    return strip_introductions(text, brief.panel, brief)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("I am claude.", f"I am {WITHHELD}."),
        ("I'm Claude, made by Anthropic.", f"I'm {WITHHELD}, made by {WITHHELD}."),
        ("I am Gemini, a model by Google.", f"I am {WITHHELD}, a model by {WITHHELD}."),
        ("**I am Claude**: tabs", f"**I am {WITHHELD}**: tabs"),
        ("As Claude, I would say tabs", f"As {WITHHELD}, I would say tabs"),
        ("I was trained by OpenAI. Tabs.", f"I was trained by {WITHHELD}. Tabs."),
        (
            "As a large language model trained by OpenAI, I",
            f"As a large language model trained by {WITHHELD}, I",
        ),
        ("I am o1.", f"I am {WITHHELD}."),
        ("(claude-sonnet-5-5)", f"({WITHHELD})"),
        ("meta-llama/llama-6:free says so", f"{WITHHELD} says so"),
        ("LLAMA-6's view", f"{WITHHELD}'s view"),
        ("Ich bin Claude, von Anthropic.", f"Ich bin {WITHHELD}, von {WITHHELD}."),
        ("私はClaudeです。", f"私は{WITHHELD}です。"),
    ],
)
def test_authors_cannot_sign_what_is_unsigned(text, shown):
    assert seen_by_peers(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "Google Cloud costs less than that, and Anthropic has a paper on it.",
        "Sorting takes O(n log n), and an O1 visa takes months.",
        "A meta-analysis of 14 studies (Meta-analysis, from memory).",
        "The Gemini programme flew ten crews.",
        "It is as fast as can be; this is fast, and I am fast at it.",
        "As Google says, I may be wrong; as a phone made by Google, it is fine.",
        "A sonar finds the wreck, and llamas graze; Claudette knows.",
        "I am from a maker of chips.",
    ],
)
def test_what_a_debate_is_about_is_never_withheld(text):
    assert seen_by_peers(text) == text


def test_names_that_the_query_is_about_stay():
    assert seen_by_peers("I am Claude.", query="Who is Claude?") == "I am Claude."


def test_what_one_debate_is_about_changes_nothing_in_another():
    for query, shown in (("Is Claude right?", "Claude"), ("Who is right?", WITHHELD)):
        for _ in range(2):
            assert seen_by_peers("I am Claude.", query=query) == f"I am {shown}."
    document = Attachment(name="notes.txt", text="By Claude.")
    assert seen_by_peers("I am Claude.", context=(document,)) == "I am Claude."


def test_documents_of_debates_that_are_over_are_not_kept_in_memory():
    tracemalloc.start()
    try:
        for number in range(40):
            document = Attachment(name="notes.txt", text=f"{number} " * 200_000)
            brief = a_brief("ada", "bob", context=(document,))
            assert strip_introductions("I am ada.", brief.panel, brief) == f"I am {WITHHELD}."
            assert own_names("I am bob.", brief.panel[1], brief) == ("bob",)
            size = len(document.text)
        kept = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert kept < 4 * size


@pytest.mark.parametrize("text", ["I am a ", "as an AI ", "I am a a a a model made by ", "as "])
def test_a_long_text_of_half_introductions_takes_no_time_worth_mentioning(text):
    began = time.perf_counter()
    seen_by_peers(text * 20_000)
    assert time.perf_counter() - began < 5
