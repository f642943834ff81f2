"""Short answers of models that were asked for no form: what is the same, other, or not told."""

from __future__ import annotations

import pytest

from mutual_dissent.analysis.bottom_lines import compare_lines, kind_of, line_of

WHO = "Who won the Bexley Prize in 1977?"
SCHOOL = "From which school did Clara Voss graduate in 1966?"
NAMED = "Who is the village of Holtby named after?"
BORN = "On what day, month and year was Clara Voss born?"
REIGN = "Which day, month and year marked the beginning of Harald's reign?"
AGE = "At what age did Clara Voss play for Queen Anne?"
ROCKET = "What is the name of the rocket that carried Bexley-4?"
DEBUT = "In what Broadway musical did Clara Voss make her debut?"
KILLED = "Who kills Harald in the series Bexley?"
SHOW = "On what date did Clara Voss appear on Bexley Live?"
AWARD = "What year did Clara Voss receive the Royal Chemical Society Award?"
MEMBERS = "Which countries founded the Bexley Union?"
DATABASE = "Which database should we use for Bexley?"
INSTRUMENT = "What instrument did Clara Voss play?"
CITY = "In which city was Clara Voss born?"


def relation(a: str, b: str, query: str) -> str | None:
    verdict = compare_lines({"p1": a, "p2": b}, query).get(("p1", "p2"))
    return verdict.relation if verdict else None


SAME = [
    # a clause or an apposition between commas describes what is named
    ("Ann Holt won the Bexley Prize in 1977.", "Ann Holt, who lived in Kent.", WHO),
    ("Holtby is named after Jon Holt, a local farmer.", "Jon Holt.", NAMED),
    ("It began on 3 May 1902, marking the end of the war.", "3 May 1902", REIGN),
    # the preposition is the question's own
    ("Clara Voss graduated from Hill School.", "Hill School", SCHOOL),
    ("The village of Holtby is named after Jon Holt.", "Jon Holt", NAMED),
    # a place and a day that are added
    ("Clara Voss was born in Exeter on 3 May 1902.", "Clara Voss was born in Exeter.", CITY),
    # the question's words abbreviated, and verbs that say nothing by themselves
    ("Clara Voss received the RCS Award in 1941.", "1941", AWARD),
    ("It was the year 1941 that the award was made.", "1941", AWARD),
    ("In the TV series Bexley, Harald is killed by Ann Holt.", "Ann Holt kills Harald.", KILLED),
    # where somebody is from and whose mother she is, and where it was read
    ("Ann Holt from Exeter won the Bexley Prize in 1977.", "Ann Holt", WHO),
    ("In Bexley, Harald is killed by his mother, Ann Holt.", "Ann Holt kills Harald.", KILLED),
    ("According to the Exeter Times, Ann Holt won the Bexley Prize.", "Ann Holt", WHO),
    # a common noun is what the line adds to the question
    ("Clara Voss played the cello.", "The cello.", INSTRUMENT),
    # ages are in years
    ("At the age of 12.", "Clara Voss was 12 years old.", AGE),
    # a title of everyday words, and one in single quotation marks
    ('Her debut was in the musical "The First".', 'Clara Voss, in "The First".', DEBUT),
    ("The musical 'Blue Winter' was her debut.", '"Blue Winter"', DEBUT),
    # the last sentence says what the answer is
    ("It flew in 1977. It was heavy. The answer is Bexley A20.", "Bexley A20", ROCKET),
    # what is in bold has more than the name
    ("Clara Voss was **born in Exeter**.", "Exeter", CITY),
]
OTHER = [
    ("The Hill School of Art.", "The Marsh School of Art.", SCHOOL),
    ("Carrier A20", "Carrier A23", ROCKET),
    ("She was 12 years old.", "At the age of 14.", AGE),
    ("Harald is not killed in the series Bexley.", "Ann Holt kills Harald.", KILLED),
    ("Clara Voss never appeared on Bexley Live.", "On 3 May 1990.", SHOW),
    ("Harald's reign began on 3 May 1902. He was tall.", "4 May 1902", REIGN),
]
NOT_TOLD = [
    ("Ann Holt, who did not win it in 1977.", "Ann Holt", WHO),
    ("Ann Holt, but only the second one.", "Ann Holt", WHO),
    ("Belgium, the Netherlands and Spain.", "Belgium, the Netherlands and Italy.", MEMBERS),
    ("Postgres, which needs a second server.", "Postgres", DATABASE),
    ("Ann Holt, the former president.", "Ann Holt", "Who is the president of Bexley?"),
    ("Ann Holt, as well as Bo Ray.", "Ann Holt", WHO),
    ("Ann Holt, a painter and Bo Ray.", "Ann Holt, a painter and Jo Lee.", WHO),
    ("Aspirin, which cures it.", "Aspirin, which worsens it.", "Which drug treats the disease?"),
    ("40 pounds, which was paid yearly.", "40 pounds.", "What was Ann Holt's salary in 1902?"),
    ("Bo sold it to Ann.", "Ann sold it to Bo.", "Who sold the painting to Ann?"),
    ("12", "She was 12 months old.", AGE),
    ("Harald is killed by his mother's friend Ann Holt.", "Ann Holt kills Harald.", KILLED),
    ("Clara Voss played the cello.", "Clara Voss played the cello and the flute.", INSTRUMENT),
    ("Clara Voss played the cello.", "Clara Voss played the flute.", INSTRUMENT),
    ("Ann Holt won it in 1980.", "Ann Holt won the Bexley Prize.", WHO),
    ("The Hill School of Art.", "The Hill School of Music.", SCHOOL),
    ("Harald's reign ended on 3 May 1902.", "Harald's reign began on 3 May 1902.", REIGN),
    ("She was 12 weeks old.", "At the age of 12.", AGE),
    ("Clara Voss did not appear on Bexley Live until 3 May 1990.", "On 3 May 1990.", SHOW),
    ("Harald is not killed by Jon Holt in the series Bexley.", "Ann Holt kills Harald.", KILLED),
    ("Harald is not killed but lost at sea.", "Ann Holt kills Harald.", KILLED),
    ("Holtby is named after Jon Holt.", "Jon Holt is named after the village of Holtby.", NAMED),
]


@pytest.mark.parametrize(("a", "b", "query"), SAME)
def test_the_same_answer_with_more_words_around_it_agrees(a, b, query):
    assert relation(a, b, query) == "agree"
    assert relation(b, a, query) == "agree"


@pytest.mark.parametrize(("a", "b", "query"), OTHER)
def test_another_answer_disagrees_and_so_does_who_denies_what_was_asked(a, b, query):
    assert relation(a, b, query) == "disagree"
    assert relation(b, a, query) == "disagree"


@pytest.mark.parametrize(("a", "b", "query"), NOT_TOLD)
def test_words_that_may_change_the_answer_are_not_passed_over(a, b, query):
    assert relation(a, b, query) is None
    assert relation(b, a, query) is None


@pytest.mark.parametrize(
    ("query", "line", "kind"),
    [
        ("What was composer Clara Voss's mother's name?", "Anna Voss", "name"),
        ("What river flows through Exeter?", "The Exe", "name"),
        ("What actress played Ann in the film Bexley?", "Clara Voss", "name"),
        ("What is the elevation of Bexley?", "40 m", "number"),
        ("What was the maximum speed of the Bexley train?", "40 km", "number"),
        ("What did the king say?", "He asked for a horse.", None),
        ("What made the company fail?", "They had no money left.", None),
        ("What company should we buy?", "It depends on the price.", None),
        ("What is the biggest risk of the plan?", "That nobody will come.", None),
    ],
)
def test_a_question_for_a_name_or_a_quantity_is_known_as_one(query, line, kind):
    assert kind_of(line, query) == kind


def test_a_sentence_with_a_value_is_the_line_if_it_speaks_of_whom_was_asked_about():
    text = "Clara Voss went missing on 3 May 1990. She had left her house at noon. A search began."
    query = "What day, month and year did the Exeter estate agent Clara Voss go missing?"
    assert line_of(text, query) == "Clara Voss went missing on 3 May 1990."
    other = "Jon Holt went missing on 3 May 1990. He had left his house at noon. A search began."
    assert line_of(other, query) is None
