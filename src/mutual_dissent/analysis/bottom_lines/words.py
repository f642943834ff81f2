"""Words, sentences and languages of short answers, for all comparisons by value."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar, TypeVarTuple

LONGEST = 6_000  # characters of an answer that are read at all
SHORT = 1_500  # characters of texts whose reading is cached
_AGAIN = 128  # texts that are asked for again and again while one line is read
_REMEMBERED = 4_096  # readings: those of some hundred debates at once
_Texts = TypeVarTuple("_Texts")
_T = TypeVar("_T")

_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
# "References:", "**Sources websites:**": from here on an answer only lists where it looked.
_TAIL = re.compile(
    r"^[ \t>*_#-]{0,8}(?:references?|sources?|citations?|quellen|fuentes|fonti|bronnen)"
    r"(?:[ \t]+websites?)?[ \t*_]{0,6}:",
    re.IGNORECASE | re.MULTILINE,
)
# Addresses may have brackets of their own: ".../Go_(game)".
_LINK = re.compile(
    r"!?\[([^\[\]\n]{0,300})\]\([^()\n]{0,500}(?:\([^()\n]{0,200}\)[^()\n]{0,200})?\)"
)
_URL = re.compile(r"https?://\S{1,500}")
# "[1][3]", "[2-4]", as models with a search write them.
_CITED = re.compile(r"(?:\[\d{1,3}(?:[,–-] ?\d{1,3})?\]){1,12}")
_BULLET = re.compile(r"^[ \t]{0,12}(?:[-*•+]|\d{1,2}[.)])[ \t]+", re.MULTILINE)
_HEADING = re.compile(r"^[ \t]{0,3}#{1,6}[ \t]+.*$", re.MULTILINE)
_EMPHASIS = re.compile(r"(?<!\w)[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}(?!\w)|`|\*\*")
_BOLD = re.compile(r"\*\*([^*\n]{1,200})\*\*|__([^_\n]{1,200})__|`([^`\n]{1,80})`")
_QUOTED = re.compile(r"[\"“„«]([^\"“”„«»\n]{1,160})[\"”“»]")
# 'Blue Winter', but not the apostrophes of "the musicians' and the composer's".
_SINGLE = re.compile(r"(?<![\w'’])['‘]([A-Z][^'‘’\n]{1,100})['’](?![\w'’])")
_TOKEN = re.compile(r"[^\W_]+(?:['’ʼ][^\W_]+)*")
_END = re.compile(r"(?<=[.!?])[\"”’)*_]{0,4}\s+|(?<=[。！？])|\n+")
# A full stop that ends no sentence: "J. S.", "Dr.", "e.g.", "Ph.D.", "z.B."
_SHORTENED = re.compile(
    r"(?:^|[\s("
    r"\""
    r"'*“])(?:(?:[^\W\d_]\.){0,4}[^\W\d_]|dr|mr|mrs|ms|jr|sr|st|"
    r"no|vs|inc|ltd|co|ca|c|etc|prof|gen|lt|col|e\.g|i\.e|u\.s|u\.k|u\.s\.a|"
    r"b\.s|m\.s|b\.a|m\.a|ph\.d|d\.c|z\.b|d\.h|bzw|approx|fig|vol|op)\.[\"”*_]{0,3}\s*$",
    re.IGNORECASE,
)
# Of these, those that a sentence may end with: "... King Jr. He was ..."
_SUFFIX = re.compile(
    r"(?:jr|sr|inc|ltd|co|etc|u\.s|u\.k|d\.c|ph\.d|b\.s)\.[\"”*_]{0,3}\s*$", re.IGNORECASE
)
_OPENING = re.compile(r"(?:He|She|It|They|The|This|These|In|His|Her|Their|However|A|An)\b")
# "The answer is:\n\nCanberra" is one sentence; a list after a colon is not.
_COLON = re.compile(r":[ \t]*\n\s*(?![-*•+][ \t]|\d{1,2}[.)])(?=\S)")
_POWER = re.compile(r"(?<=\d)([⁻⁰¹²³⁴-⁹]{1,12})")
_MARK = re.compile(r"[̀-ͯ]")
_CJK = re.compile(r"[぀-ヿ㐀-鿿가-힯]")

ENGLISH = frozenset(
    """the a an of to in on at by for from with as and or but is are was were be been being it its
    this that these those he she they them his her their we our you your i my me has have had do
    does did will would can could should may might must not no than then there here which who whom
    whose what when where how if because so about into after before during between also only such
    both each all any more most some other up out over under through until while per own just very
    too one first""".split()
)
# Without words that English has as well, or that stand in names: "La Paz", "El Greco".
_FOREIGN = frozenset(
    """der das und ist nicht ein eine einen dem den des mit für auf im zu von sich auch kein keine
    wird sind werden soll sollte sollten man wir ich es le la les du est pas une dans pour que qui
    sur ne nous il elle ce cette sont doit faut au aux el los las una por para con del lo se como
    más pero si esta este gli della che per non sono questo nel di e è um uma não com os do da em
    mais het een niet van voor zijn dat wij moet geen jest nie się na że od dla jak są te czy to w z
    """.split()
) - {"do", "to", "on", "an", "a", "as", "no", "he", "me", "per", "man", "des", "le", "la", "el"}
DENIALS = frozenset(
    """not no never none neither nor cannot hardly barely scarcely nobody nothing nowhere false
    incorrect wrong untrue myth deny denies denied dont doesnt didnt isnt arent wasnt werent wont
    wouldnt cant couldnt shouldnt hasnt havent hadnt aint mustnt neednt unlikely unable""".split()
)
NEGATIONS = DENIALS | frozenset(
    """without fails failed fail except unless instead rather contrary unlike avoid
    against""".split()
)
FOREIGN_NEGATIONS = frozenset(
    """nicht kein keine keinen keinem keiner keines nie niemals ohne weder noch nein falsch nichts
    ne n pas jamais aucun aucune sans non ni rien faux no nunca jamas ningun ninguna ninguno sin
    tampoco nada falso falsa mai nessun nessuno nessuna senza ne nao nenhum nenhuma sem nem niet
    geen nooit zonder nee onjuist nie nigdy zaden zadna zadne bez ani nieprawda не нет никогда без
    ни неверно нельзя ikke inte ej ingen""".split()
)  # fmt: skip
# Without those that English lines have, too: "sin", "non-stop".
FOREIGN_ONLY = FOREIGN_NEGATIONS - DENIALS - {"n", "ne", "non", "mai", "sin", "ej"}
_CJK_NEGATIONS = (
    "不",
    "没",
    "無",
    "无",
    "未",
    "非",
    "ない",
    "ません",
    "否",
    "別",
    "别",
    "안",
    "못",
    "없",
)


def plain(text: str) -> str:
    """The prose of an answer: no code, headings, links, citations or list of sources."""
    text = _POWER.sub(r"^\1", text[:LONGEST])  # else ten to the sixth becomes 106
    # NFKC makes plain digits and letters of full-width and styled ones.
    text = unicodedata.normalize("NFKC", text).replace("\u200b", "")
    text = _FENCE.sub("\n", text)
    # A text that begins with its sources is kept, or nothing would be left of it.
    if tail := _TAIL.search(text):
        text = text[: tail.start()] if text[: tail.start()].strip() else text
    text = _COLON.sub(": ", _LINK.sub(r"\1", text))
    text = _CITED.sub("", _URL.sub("", text))
    return _BULLET.sub("", text).strip()


def is_structured(text: str) -> bool:
    """Return whether an answer has headings or a list, as essays have."""
    head = text[:LONGEST]
    if tail := _TAIL.search(head):
        head = head[: tail.start()]
    return bool(_HEADING.search(head)) or len(_BULLET.findall(head)) >= 3


@lru_cache(maxsize=_AGAIN)
def strip_emphasis(text: str) -> str:
    """The text without Markdown's emphasis, on one line."""
    return " ".join(_EMPHASIS.sub("", text).split())


def without_headings(text: str) -> str:
    """The text without Markdown's headings."""
    return _HEADING.sub("", text)


def emphasised_texts(text: str) -> list[str]:
    """Texts in bold or in code, in order."""
    return [next(filter(None, groups)) for groups in _BOLD.findall(text)]


def quoted_texts(text: str) -> list[str]:
    """Texts between quotation marks, in order."""
    bare = strip_emphasis(text)
    return _QUOTED.findall(bare) or _SINGLE.findall(bare)


def sentences(text: str) -> list[str]:
    """The sentences of a text, abbreviations and initials left whole."""
    found: list[str] = []
    begun = ""
    pieces = _pieces(text)
    for (piece, gap), (following, _) in zip(pieces, [*pieces[1:], ("", "")], strict=True):
        begun += piece
        # A line break ends a sentence even after "Dr."; the last letters are enough to know one.
        if "\n" not in gap and _is_shortened(begun[-24:], following):
            begun += gap
            continue
        if begun.strip():
            found.append(begun.strip())
        begun = ""
    return [*found, begun.strip()] if begun.strip() else found


def _is_shortened(end: str, following: str) -> bool:
    """Return whether a full stop belongs to an abbreviation; `Jr. He` is the end of a sentence."""
    if not _SHORTENED.search(end):
        return False
    return not (_SUFFIX.search(end) and _OPENING.match(following))


def _pieces(text: str) -> list[tuple[str, str]]:
    cuts, at = [], 0
    for end in _END.finditer(text):
        gap = end.group()
        closing = len(gap) - len(gap.lstrip('"”’)*_'))
        cuts.append((text[at : end.start() + closing], gap[closing:]))
        at = end.end()
    return [*cuts, (text[at:], "")]


def remember(read: Callable[[*_Texts], _T]) -> Callable[[*_Texts], _T]:
    """Read each short text once: every round, view and report asks for the same lines again."""
    known = lru_cache(maxsize=_REMEMBERED)(read)

    @wraps(read)
    def reading(*texts: *_Texts) -> _T:
        size = sum(len(str(text)) for text in texts)
        return known(*texts) if size <= SHORT else read(*texts)

    return reading


@lru_cache(maxsize=4096)
def fold_case(text: str) -> str:
    """The text in one case, without accents."""
    text = unicodedata.normalize("NFKD", text).casefold()
    # NFC puts Korean syllables together again. "й" loses its mark and is "и", "ß" is "ss": patterns
    # for folded text are written so.
    return unicodedata.normalize("NFC", _MARK.sub("", text))


def tokens(text: str) -> list[str]:
    """The words of a text, folded; an apostrophe parts nothing but a possessive s."""
    return list(_words(text))


@lru_cache(maxsize=_AGAIN)
def _words(text: str) -> tuple[str, ...]:
    found = []
    for word in _TOKEN.findall(text):
        bare = fold_case(word).replace("’", "'").replace("ʼ", "'")
        bare = bare.removesuffix("'s").replace("'", "")
        if bare:
            found.append(bare)
    return tuple(found)


_IRREGULAR = {
    form: verb.strip()
    for verb, forms in (
        line.split(":")
        for line in """beat:beaten|become:became|begin:began begun|break:broke broken|bring:brought|
        build:built|buy:bought|catch:caught|choose:chose chosen|come:came|draw:drew drawn|
        drive:drove driven|eat:ate eaten|fall:fell fallen|fight:fought|fly:flew flown|
        forget:forgot forgotten|give:gave given|go:went gone|grow:grew grown|hold:held|keep:kept|
        know:knew known|lead:led|leave:left|lose:lost|make:made|meet:met|pay:paid|rise:rose risen|
        run:ran|say:said|see:saw seen|sell:sold|send:sent|sing:sang sung|sink:sank sunk|
        speak:spoke spoken|spend:spent|steal:stole stolen|swim:swam swum|take:took taken|
        teach:taught|tell:told|think:thought|throw:threw thrown|wear:wore worn|win:won|
        write:wrote written""".replace("\n", "").split("|")
    )
    for form in forms.split()
}


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """A word without its commonest English endings, an irregular verb in its first form."""
    word = _IRREGULAR.get(word, word)
    if len(word) <= 3 or not word.isascii() or word.isdigit():
        return word
    # Longest first; so many letters have to be left, or "sing" would become "s".
    for ending, least in (("ations", 4), ("ation", 4), ("ements", 4), ("ement", 4), ("ments", 4),
                          ("ment", 4), ("ing", 3), ("ers", 4), ("ies", 3), ("ied", 3), ("ed", 3),
                          ("es", 3), ("er", 4), ("s", 3), ("e", 3), ("y", 3)):  # fmt: skip
        if word.endswith(ending) and len(word) - len(ending) >= least:
            if ending == "y" and word[-2] in "aeou":
                return word  # play, of which there is played
            return _undouble(word[: -len(ending)], ending)
    return word


def _undouble(root: str, ending: str) -> str:
    """Undo a doubled letter: `stepp` of stepping is `step`; `call` keeps its two."""
    doubled = ending in ("ing", "ed", "er", "ers") and len(root) > 3 and root[-1] == root[-2]
    # Not l and s, which stay double in first forms: "call", "pass".
    return root[:-1] if doubled and root[-1] in "bdgmnprt" else root


def is_english(text: str) -> bool:
    """Return whether the text is surely English; short and mixed ones are not."""
    words = tokens(text)
    if len(words) < 4 or _CJK.search(text):
        return False
    ours = sum(word in ENGLISH for word in words)
    theirs = sum(word in _FOREIGN and word not in ENGLISH for word in words)
    strange = sum(not word.isascii() for word in words)
    # Surely: the model and the rules that need English are wrong elsewhere, so doubt means no.
    return ours >= 2 and 6 * ours >= len(words) and ours > 2 * theirs and 4 * strange <= len(words)


def seems_english(text: str, asked: frozenset[str] = frozenset()) -> bool:
    """Return whether a line that answers an English question has nothing that is not English.

    The question's own words are no foreign ones: the letter e, asked how often it occurs.
    """
    words = tokens(text)
    others = [w for w in words if w not in asked]
    strange = any((w in _FOREIGN and w not in ENGLISH) or w in FOREIGN_ONLY for w in others)
    return not strange and not _CJK.search(text) and any(word in ENGLISH for word in words)


def is_negated(text: str) -> bool:
    """Return whether some word may turn the meaning round, in any language that is known here."""
    words = tokens(text)
    if any(word in NEGATIONS for word in words):
        return True
    if is_english(text):
        return False
    return any(w in FOREIGN_NEGATIONS for w in words) or any(c in text for c in _CJK_NEGATIONS)


def is_denied(text: str) -> bool:
    """Return whether a line denies what it speaks of; `without fins` beside a date does not."""
    words = tokens(text)
    return any(w in DENIALS for w in words) if is_english(text) else is_negated(text)


def is_ideographic(text: str) -> bool:
    """Return whether the text has Chinese, Japanese or Korean characters."""
    return bool(_CJK.search(text))
