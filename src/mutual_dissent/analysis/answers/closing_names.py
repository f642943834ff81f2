"""The names of the closing lines, as they are asked for and as models translate them."""

from __future__ import annotations

import re

BOTTOM, ESTIMATE, CONFIDENCE, OTHERS, CHANGED = (
    "BOTTOM LINE",
    "ESTIMATE",
    "CONFIDENCE",
    "ON THE OTHERS",
    "CHANGED",
)
NAMES = (BOTTOM, ESTIMATE, CONFIDENCE, OTHERS, CHANGED)

TRANSLATED = {
    BOTTOM: (
        "conclusión|conclusion|conclusão|conclusione|fazit|kernaussage|schlussfolgerung|conclusie|"
        "slotsom|wniosek|konkluzja|podsumowanie|sonuç|slutsats|вывод|итог|结论|結論|결론|الخلاصة|निष्कर्ष"
    ),
    ESTIMATE: (
        "estimación|estimation|estimativa|stima|schätzung|schätzwert|schatting|szacunek|oszacowanie|"
        "tahmin|uppskattning|оценка|估计|估計|估算|推定|推定値|見積もり|추정|التقدير|अनुमान"
    ),
    CONFIDENCE: (
        "confianza|confiance|confiança|fiducia|confidenza|sicherheit|zuversicht|konfidenz|"
        "vertrouwen|zekerheid|pewność|güven|säkerhet|уверенность|置信度|信心|把握|確信度|信頼度|自信度|"
        "확신도|확신|الثقة|विश्वास"
    ),
    OTHERS: (
        "sobre los demás|sobre los otros|sobre os outros|sobre os demais|sur les autres|"
        "à propos des autres|sugli altri|zu den anderen|über die anderen|over de anderen|o innych|"
        "o pozostałych|diğerleri hakkında|om de andra|о других|об остальных|关于其他人|对其他人|"
        "عن الآخرين|حول الآخرين|"
        "他のパネリストについて|他の人について|他者について"
    ),
    CHANGED: (
        "cambios|cambiado|cambio|changements|changement|changé|modifié|mudanças|mudança|mudou|alterações|cambiato|"
        "cambiamenti|modifiche|geändert|änderung|änderungen|gewijzigd|veranderd|wijzigingen|zmiany|"
        "zmiana|zmieniono|değişti|değişiklik|ändrat|изменено|изменения|изменилось|变化|改变|变更|変更点|"
        "変更|변경|التغيير|التغييرات|ما تغير"
    ),
}
"""Names that some models write instead, though they were asked to keep the English ones."""

BEGINNINGS = (*NAMES, *(w.upper() for words in TRANSLATED.values() for w in words.split("|")))
"""Capitalised beginnings of lines that may be closing lines."""

# "**BOTTOM LINE:**", "### Confidence", "| CHANGED"; not after ">", which quotes somebody else.
_MARKS = r"^(?!\s{0,8}>)[\s*_#`>\-•–·|]{0,12}"
# A dash counts for a colon between blanks or marks alone: "CHANGED-over" is a word.
_COLON = r"[*_`\s]{0,8}(?:[:：]|(?<=[\s*_`])[–—-](?=\s))[*_`\s]{0,8}(.*)$"
_ASKED = r"(BOTTOM[ _-]{1,2}LINE|ESTIMATE|CONFIDENCE|ON[ _]THE[ _]OTHERS|CHANGED)"
_LINE = re.compile(_MARKS + _ASKED + _COLON, re.IGNORECASE)
_FOREIGN = re.compile(
    f"{_MARKS}(?:{'|'.join(f'({words})' for words in TRANSLATED.values())}){_COLON}",
    re.IGNORECASE,
)
_BOLD = re.compile(
    r"^[\s>\-•–·]{0,12}(\*\*|__)(BOTTOM LINE|ON THE OTHERS)\1\s{1,8}(\S.*)$", re.IGNORECASE
)
"""A name in bold with its colon forgotten."""
_SPACES = re.compile(r"[ _-]+")
_AROUND = " \t\n\r\f\v\x1c\x1d\x1e\x1f\x85\xa0\u3000\u2002\u2003\u2009\u202f*_#`>-•–·|"
_BEGINNINGS = frozenset(w[:3].casefold() for w in BEGINNINGS)  # of Chinese names, all of it


def may_be_named(line: str) -> bool:
    """Tell most lines of prose from closing lines by three letters, before a pattern is tried."""
    begun = line[:40].lstrip(_AROUND)[:3].casefold()
    # Two characters are a whole name in Chinese: 结论.
    return begun in _BEGINNINGS or begun[:2] in _BEGINNINGS


def parse_closing_name(line: str) -> tuple[str, str] | None:
    """The name and the value of a closing line that is named as it was asked for."""
    if not may_be_named(line):
        return None
    if match := _LINE.match(line):
        return _SPACES.sub(" ", match[1].upper()), match[2]
    bold = _BOLD.match(line)
    return (bold[2].upper(), bold[3]) if bold else None


def parse_translated_name(line: str) -> tuple[str, str] | None:
    """The same of a line with a translated name, which may be a heading of the prose as well."""
    match = _FOREIGN.match(line) if may_be_named(line) else None
    if match is None or match.lastindex is None:
        return None
    at = next(i for i in range(1, match.lastindex) if match[i])
    return NAMES[at - 1], match[match.lastindex]
