"""Answers of models that were asked for no form: which say that they have no answer."""

from __future__ import annotations

import pytest

from mutual_dissent.analysis.bottom_lines import takes_no_position

NO_ANSWER = [
    "Unfortunately, the name of the architect isn't documented anywhere I can check.",
    "There isn't enough information to say who designed it.",
    "No record of such an award exists in my sources.",
    "Her date of birth is not known.",
    "The exact date of the opening has not been published.",
    "It is not clear who designed the bridge.",
    "It's unclear which year this happened.",
    "It isn't known when the bridge opened.",
    "Information about the architect is limited.",
    "Specific information on the match is hard to come by.",
    "My sources don't say who designed it.",
    "This information does not seem to be available.",
    "The search results don't answer this question.",
    "The search results are unrelated to the question.",
    "Nothing in the search results mentions the architect.",
    "The answer to this question is not in the text.",
    "That detail is missing from the article.",
    "That is not something that I can look up.",
    "I don't think I can answer this reliably.",
    "I'd rather not guess.",
    "I am having trouble finding this information.",
    "I'm not 100% sure about this.",
    "My sources do not name its architect. You can\n\n1. search the archive\n2. contact the city.",
    "The sources do not name the architect. However, for context, the bridge opened in 1912.",
]
ANSWERED = [
    "The bridge was designed by Anna Holt, though I could not verify this.",
    "I think it was 1912, but I am not certain.",
    "Anna Holt designed it. However, this detail is not mentioned in the search results.",
    "It is known from other accounts that Anna Holt did, but this detail is not in the results.",
    "According to records not included in the search results, it was Anna Holt.",
    "It is clear who designed the bridge: Anna Holt.",
    "It is not personal data.",
    "The bug is not in the code.",
    "The name was not published until 1920.",
    "Unfortunately, the bridge burned down in 1912.",
    "Please sign the contract.",
    "Finding a new supplier is difficult but worth it.",
    "Search engines should be regulated.",
    "The number is unknown to most people, but it is 42.",
]


@pytest.mark.parametrize("text", NO_ANSWER)
def test_who_says_in_whatever_words_that_it_found_nothing_takes_no_position(text):
    assert takes_no_position(text)


@pytest.mark.parametrize("text", ANSWERED)
def test_who_answers_and_speaks_of_doubts_or_sources_has_answered(text):
    assert not takes_no_position(text)
