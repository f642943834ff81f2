"""The answer in a text: a number, a letter, yes or no, a few words; and whether it is right."""

from __future__ import annotations

import re

from mutual_dissent.analysis.answers.short_answers import normalise_answer

LAST_LINE = {
    "number": "Answer: the number alone",
    "choice": "Answer: the letter of your choice alone",
    "yes-no": "Answer: yes, or Answer: no",
    "text": "Answer: the answer in as few words as possible",
}
"""The last line that a model is asked for, so that its answer can be told from its reasons."""

LONGEST = 20_000

# "**Answer:** 42", "- The final answer is B", "> answer = yes".
_LINE = re.compile(
    r"^[\s>*_#-]*(?:the\s+)?(?:final\s+|correct\s+)?answer\s*(?:is|:|=)[\s*_]*(.+?)[\s*_]*$",
    re.IGNORECASE | re.MULTILINE,
)
# "so the correct answer would be 17 apples".
_WITHIN = re.compile(
    r"(?:final|correct)?\s*answer\s+(?:is|would be)[\s:*_]*([^\n]{1,200})", re.IGNORECASE
)
# "#### 42" as in GSM8K, "\boxed{42}" as in MATH: models have learnt both.
_MARKED = re.compile(r"####[ \t]*(.{1,200})|\\boxed\{([^{}]{1,200})\}")
# "-1,234.50", "$18", "−3" with a true minus sign.
_NUMBER = re.compile(r"(?<![\w.])[-−]?\$?\d{1,40}(?:,\d{3})*(?:\.\d{1,40})?")
# "(b)", "C."; not the letter of "I'm".
_LETTER = re.compile(r"(?<![A-Za-z])\(?([A-Ja-j])\)?(?![A-Za-z'’])")
_CAPITALS = re.compile(r"(?<![A-Za-z])([A-Z]{1,2})(?![A-Za-z'’])")
# "is", "looks", "best fits": what a choice does; few nouns after "A" and verbs after "I" end so.
_DOES = r"(?:(?:[a-z]+ly|also|best|only) )?(?:is|has|[a-z]+[b-hj-rtv-z]s)\b"
# "A because", "A it is": words that never follow an article.
_LINKS = (
    r"(?:also|and|are|as|at|because|but|by|can|cannot|could|for|from|if|in|it|may|might|must|not|on"
    r"|or|over|rather|should|since|than|that|this|to|too|was|when|which|while|will|with|would)\b"
)
# "A close second", at the beginning of a sentence; elsewhere a capital A is no article.
_ARTICLE = re.compile(rf"(?:^|[.!?:;])\W{{0,8}}A(?= [*_]*(?!{_DOES}|{_LINKS})[a-z])", re.MULTILINE)
# "I think", "I, for one"; but "I is right" and "Option I would do".
_PRONOUN = re.compile(
    r"(?<![A-Za-z])(?<!Option )I"
    rf"(?=,? [*_]*(?:always|perhaps|sometimes|(?!{_DOES}|because\b|since\b)[A-Za-z]))"
)
_YES_NO = re.compile(r"\b(yes|no|true|false)\b", re.IGNORECASE)
_AS_YES_NO = {"yes": "yes", "true": "yes", "no": "no", "false": "no"}


def add_instruction(query: str, kind: str) -> str:
    """Return the query with a request to end with the answer alone, where its kind allows that."""
    return f"{query}\n\nEnd with one line: {LAST_LINE[kind]}." if kind in LAST_LINE else query


def extract_answer(text: str, kind: str, bottom_line: str = "") -> str | None:
    """Return the answer in a text, normalised; None if none can be told.

    An answer on a line of its own goes first, then one that is stated as the answer, then the
    author's bottom line, then the last value of that kind in the text.
    """
    # The end, where answers stand: patterns are not tried on a megabyte.
    text = text[-LONGEST:]
    if kind == "free":
        return text.strip() or None
    read = {"number": _number, "choice": _choice, "yes-no": _yes_no}.get(kind, _words)
    for candidate in _stated(text):
        if (answer := read(candidate, stated=True)) is not None:
            return answer
    return (read(bottom_line, stated=False) if bottom_line else None) or read(text, stated=False)


def is_right(answer: str | None, truth: str, kind: str) -> bool:
    """Return whether an extracted answer is the known one."""
    if answer is None:
        return False
    known = extract_answer(f"Answer: {truth}", kind) or normalise_answer(truth)
    if answer == known:
        return True
    # Some models say a little more than was asked for: "in Canberra" is Canberra.
    return kind == "text" and bool(re.search(rf"(?<!\w){re.escape(known)}(?!\w)", answer))


def capital_letters(text: str) -> list[str]:
    """Return the letters (A, B, ... AA) that stand as choices in a text, not as words of it."""
    return _CAPITALS.findall(_ARTICLE.sub(" ", _PRONOUN.sub(" ", text)))


def _stated(text: str) -> list[str]:
    """Return what is stated as the answer, the last statement first."""
    lines = [m[1] for m in _LINE.finditer(text)]
    marked = [a or b for a, b in _MARKED.findall(text)]
    within = [m[1] for m in _WITHIN.finditer(text)]
    return [*reversed(lines), *reversed(marked), *reversed(within)]


def _number(text: str, *, stated: bool) -> str | None:
    numbers = _NUMBER.findall(text)
    if not numbers:
        return None
    # A statement begins with its answer; reasoning without one ends with it.
    chosen = numbers[0] if stated else numbers[-1]
    return normalise_answer(chosen.replace("−", "-").replace("$", ""))


def _choice(text: str, *, stated: bool) -> str | None:
    if stated:
        letter = _LETTER.search(_PRONOUN.sub(" ", text))
        return letter[1].upper() if letter else None
    return next((x for x in reversed(capital_letters(text)) if _LETTER.fullmatch(x)), None)


def _yes_no(text: str, *, stated: bool) -> str | None:
    words = _YES_NO.findall(text)
    if not words:
        return None
    # Unasked, people say yes or no first and give their reasons afterwards.
    return _AS_YES_NO[words[0].lower()] if words else None


def _words(text: str, *, stated: bool) -> str | None:
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        return None
    return normalise_answer(lines[0] if stated else lines[-1]).strip("*_`\"' ") or None
