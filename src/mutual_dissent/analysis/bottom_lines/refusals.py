"""Answers that take no position: refusals, not knowing, errors in place of an answer."""

from __future__ import annotations

import re

from mutual_dissent.analysis.bottom_lines.words import (
    folded,
    plain,
    sentences,
    unmarked,
    without_headings,
)

_MOST = 40  # sentences that are read
_BACKGROUND = 3  # sentences that may stand before `I could not find it`
_NOTHING = frozenset(
    """none|no answer|no position|no opinion|n/a|na|nil|null|unknown|not applicable|not sure|unsure|
    abstain|i abstain|no comment|pass|not available|undecided|cannot say|keine|keine angabe|keine
    antwort|unbekannt|aucune|aucune reponse|inconnu|ninguno|ninguna|sin respuesta|desconocido|
    nessuno|nessuna|nessuna risposta|sconosciuto|nenhum|nenhuma|sem resposta|desconhecido|geen|geen
    antwoord|onbekend|brak|brak odpowiedzi|nie wiem|нет ответа|неизвестно|не знаю|无|無|不知道|未知|
    なし|不明|わからない|分からない|モルゲッソヨ|-|--|—|…|...""".replace("\n", " ").split("|")
)
_EVER = r"(?:[\w'’-]+[ ,]+){0,4}"  # adverbs and the like between two words
_KNOW = (
    r"(?:have|(?:find|identify|locate)(?! (?:any |a |one |much )?(?:\w+ )?(?:reason|benefit|fault|"
    r"advantage|argument|case|justification|need|point))|determine|verify|confirm|provide|answer|access|"
    r"know|specify|state|tell|pinpoint|retrieve|recall|assist|help (?:you|with)|give|offer|make|establish|"
    r"ascertain|definitively (?!recommend|say no|say yes)|comment|discuss|share|fulfil|fulfill|comply|search|browse|say (?:for|with|what|"
    r"which|who|whether|when|where|how|definitively))"
)
_MATTER = (
    r"(?:information|informations|data|details?|knowledge|records?|recollection|access|answer|"
    r"definitive|idea|opinion|evidence|context|familiar|results?|certain|sure|reliable|accurate|"
    r"specific|exact|verified|enough|current|personal|the ability|any|claims?|statement|sources?|"
    r"that|this|it|what|which|who|whom|when|where|how|whether|you|the|your|an?)"
)
_SOURCE = (
    r"(?:information|informations|sources?|search results?|results?|texts?|articles?|context|"
    r"references?|documents?|materials?|snippets?|query|question|passages?|excerpts?|pages?|"
    r"websites?|data|databases?|content|records?|details?|links?|tools?|wiki|wikipedia|code|entry|"
    r"entries|search|searches|archives?|biograph(?:y|ies)|obituar(?:y|ies)|knowledge base)"
)
_GIVEN = (
    r"(?:provided|specified|mentioned|stated|detailed|included|given|available|listed|found|"
    r"contained|described|documented|disclosed|indicated|identified|named|recorded|present|shown|"
    r"covered|addressed|noted|clear|publicly)"
)
_REFUSALS = [
    re.compile(pattern)
    for pattern in (
        r"^(?:unable|not able) to (?:answer|say|determine|help|provide|verify|confirm|find)\b",
        r"\bwe (?:can'?t|cannot|do not|don'?t) (?:\w+ )?(?:determine|know|verify|confirm|establish|say)\b",
        r"\b(?:is|are)(?: not|n'?t) available to me\b|\bnot able to form an opinion\b|\brather not say\b",
        rf"\bi(?:'m| am)? {_EVER}?(?:can'?t|cannot|can not|could not|couldn'?t|unable to|not able"
        rf" to|was unable to|won'?t|will not|would not be able to) {_EVER}?{_KNOW}\b",
        rf"\bi (?:do not|don'?t|did not|didn'?t|currently do not) {_EVER}?(?:have|know|possess)"
        rf"\b {_EVER}?{_MATTER}",
        r"\bi (?:do not|don'?t) (?:really |actually |yet )?know\b",
        r"\bi(?:'m| am) (?:really |just |currently )?(?:not (?:aware|familiar|sure|certain|in a "
        r"position|allowed|permitted)|unable|unsure|unaware|unfamiliar)\b",
        r"\bi have no (?:\w+ ){0,2}(?:information|idea|knowledge|data|record|details?|opinion|way)",
        r"^(?:i'?m |i am )?(?:so |very |really )?sorry\b|^i apologi[sz]e\b|^my apologies\b",
        r"\bas an? (?:ai|language model|llm)\b.{0,60}\b(?:can'?t|cannot|don'?t|do not|unable)\b",
        rf"\b{_SOURCE}\b[^.]{{0,160}}\b(?:do|does|did)(?: not|n'?t) {_EVER}?(?:contain|include|"
        r"provide|mention|specify|state|give|have|offer|cover|detail|indicate|list|address|show|"
        r"reveal|name|identify|appear|discuss|disclose|explicitly)\b",
        rf"\b(?:is|are|was|were|been)(?: not|n'?t) {_EVER}?{_GIVEN}\b[^.]{{0,80}}\b(?:{_SOURCE}|"
        r"online|publicly|here|at this time)\b",
        r"\b(?:is|are|was|were)(?: not|n'?t) (?:explicitly|directly|specifically|clearly|readily|"
        r"publicly|widely|currently|fully|definitively) "
        rf"{_GIVEN}\b",
        rf"\bnone of the {_EVER}?{_SOURCE}\b",
        rf"\b(?:there(?:'s| is| are| was)|contains?|find|found|have|with) no "
        rf"(?:[\w-]+[ ,]+){{0,4}}(?:information|data|details?|mention|records?)\b",
        rf"\bno (?:[\w-]+[ ,]+){{0,4}}(?:information|data|details?) (?:[\w-]+[ ,]+){{0,3}}"
        r"(?:is|are|was|were|could be|can be|about|on|regarding)\b",
        r"\bnot possible (?:for me )?to (?:definitively |accurately )?(?:determine|answer|say|tell|"
        r"know|identify|verify|confirm|give|provide|pinpoint|specify|state|find|establish)\b",
        r"\b(?:finding|pinpointing|determining|locating|identifying)\b[^.]{0,240}\b(?:is|are) "
        r"(?:\w+ ){0,2}(?:difficult|hard|challenging|impossible)\b",
        r"\bwithout (?:\w+ ){0,3}(?:information|access|details|context|knowledge|data)\b[^.]{0,120}"
        r"\b(?:can'?t|cannot|unable|impossible|not possible|difficult)\b",
        r"\bmy (?:knowledge|information|training|current information)\b[^.]{0,120}\b(?:limited|does "
        r"not|doesn'?t|do not)\b",
        r"\b(?:lack|lacks) (?:the |any |access to |sufficient |specific )?(?:knowledge|information|"
        r"data|access|details|context)\b",
        r"\b(?:network|internal server|server|unexpected|rate limit|timeout) error\b|\berror[_ ]code"
        r"\b|\b(?:request|connection) (?:timed out|failed)\b",
        r"\b(?:decline|refuse) to (?:answer|say|comment|take)\b|\bno answer (?:can|could) be given\b",
        r"\b(?:cannot|can'?t|could not|couldn'?t|can not) be (?:\w+ ){0,2}(?:determined|answered|"
        r"verified|confirmed|identified|found|established)\b",
        r"\b(?:not|in)sufficient (?:information|data|context)\b|\bnot enough (?:information"
        r"|data|context)\b",
        r"\bi(?:'d| would| still| will|'ll)? (?:still |also )?need (?:more|additional|further|access|a |the "
        r"|some )[^.]{0,60}\b(?:information|context|details?|website|access|source|reference|url|link|"
        r"database|clarification)",
        r"\bi (?:have|had|'ve|was|were)(?: not|n'?t) (?:been )?(?:able to|found|located|seen|come across)\b",
        r"\bi(?:'ve| have) (?:no|not|never)\b[^.]{0,40}\b(?:information|heard|knowledge|record)",
        r"\bi (?:do not|don'?t|can'?t|cannot) (?:\w+ )?(?:recall|remember|see any (?:information|mention))\b",
        r"\b(?:beyond|outside|not (?:in|within|part of)) (?:of )?my (?:knowledge|training|data|scope|"
        r"expertise|capabilit)",
        r"\b(?:answer|exact|specific|precise|date|year|names?|number|identity|details?|information|"
        r"author|origin)\b[^.]{0,120}\b(?:is|are|was|were|remains?|seems?)(?: currently| still| also)? (?:un(?:clear|known|specified|"
        r"documented|available|certain)|not (?:clear|publicly known|widely known|well documented|"
        r"(?:readily |publicly |widely |currently )?available))\b(?! day)",
        r"\b(?:difficult|hard|challenging|impossible) (?:for me )?to (?:definitively |accurately |precisely )?"
        r"(?:determine|say|tell|pinpoint|verify|confirm|identify|find|answer|know|ascertain|locate)\b",
        r"\bthere(?:'s| is| are|'re) no (?:[\w-]+[ ,]+){0,3}(?:readily|publicly|widely|easily|official|"
        r"definitive|reliable|specific|clear|known|verifiable|comprehensive|documented|direct)\b[^.]{0,60}\b"
        r"(?:information|data|records?|sources?|documentation|answer|list|listing|database|details?|title|"
        r"figures?|mention|account)\b",
        r"\bi (?:do not|don'?t|did not|didn'?t) find (?:any |the |a )?(?:\w+ )?(?:information|data|details?|"
        r"records?|mention|answer|results?|name|date|source)",
        r"\bno (?:\w+ ){0,2}(?:results?|matches|answer|match) (?:was|were|is|are|could|can|found|for)\b",
        r"\bthere(?:'s| is| are) (?:very )?(?:limited|little|insufficient|scarce) (?:or no )?(?:\w+ ){0,2}"
        r"(?:information|data|details?)\b",
        r"\b(?:an? )?error (?:occurred|has occurred)\b|\boverloaded\b|\bapi error\b|\[no response\]",
        # German, French, Spanish, Italian, Portuguese, Dutch, Polish, Russian, Chinese, Japanese
        r"\b(?:weiss|weiß) ich (?:leider )?nicht\b|\bich (?:weiss|weiß) (?:es |das )?(?:leider )?"
        r"nicht\b|\bich (?:habe|finde|fand|besitze|verfuge)\b[^.]{0,60}\bkeine\w*\b[^.]{0,40}\b"
        r"(?:information\w*|angabe\w*|daten|zugriff|hinweise?|antwort)|\bich kann\b[^.]{0,80}\bnicht "
        r"(?:\w+ ){0,2}(?:beantworten|sagen|finden|bestatigen|angeben|uberprufen|ermitteln|helfen)|"
        r"\bes tut mir leid\b|\b(?:liegen|gibt es) (?:mir |dazu )?keine (?:\w+ )?(?:information|angabe"
        r"|daten)",
        r"\bje (?:ne |n['’])(?:sais|connais|dispose|peux|trouve|ai|suis)\b[^.]{0,12}\bpas\b|\bje suis "
        r"desole|\bdesolee?,|\bje n['’]ai (?:aucune|trouve aucune)\b|\bje ne suis pas en mesure\b",
        r"\bno (?:lo )?se\b(?! (?:puede|debe|trata))|\bno (?:tengo|dispongo|encuentro|encontre|puedo) "
        r"(?:\w+ ){0,3}(?:informacion|datos|acceso|responder|confirmar|encontrar|proporcionar|"
        r"determinar|verificar|decir)|\blo siento\b|\bno cuento con\b",
        r"\bnon (?:lo )?so\b|\bnon (?:ho|dispongo|trovo|posso|riesco)\b[^.]{0,40}\b(?:informazioni|"
        r"dati|accesso|rispondere|trovare|confermare|fornire|determinare|verificare|dire)|\bmi "
        r"dispiace\b",
        r"\bnao sei\b|\bnao (?:tenho|disponho|encontrei|posso|consigo|consegui)\b[^.]{0,40}\b"
        r"(?:informac\w+|dados|acesso|responder|encontrar|confirmar|fornecer|determinar|verificar|"
        r"dizer)|\b(?:desculpe|lamento|sinto muito)\b",
        r"\bik weet (?:het |dat )?niet\b|\bweet ik niet\b|\bik (?:heb|vind|kan|beschik)\b[^.]{0,60}\b"
        r"(?:geen (?:\w+ )?(?:informatie|gegevens|toegang)|niet (?:\w+ ){0,2}(?:beantwoorden|vinden|"
        r"zeggen|bevestigen|geven))|\bhet spijt me\b",
        r"\bnie (?:wiem|znam odpowiedzi)\b|\bnie (?:mam|posiadam|dysponuje|moge|jestem w stanie|"
        r"znalazlem|znalazlam)\b[^.]{0,40}\b(?:informacji|danych|dostepu|odpowiedziec|potwierdzic|"
        r"podac|znalezc|okreslic)|\bprzykro mi\b|\bprzepraszam\b",
        r"\b(?:я )?не (?:знаю|располагаю|могу (?:\w+ ){0,2}(?:ответить|сказать|наити|найти|подтвердить|"
        r"предоставить|определить))|\bу меня нет\b|\bк сожалению\b[^.]{0,80}\bне(?:т| )",
        r"我?不知道|我?不清楚|无法(?:回答|确定|提供|找到|确认|判断|核实)|無法(?:回答|確定|提供|找到|確認|判斷)|"
        r"没有(?:相关|足够|找到|可靠)[^。]{0,8}(?:信息|资料|数据)|(?:很)?抱歉",
        r"(?:分|わ)かりません|知りません|お答えできません|回答できません|申し訳(?:ありません|ございません)|"
        r"情報が(?:ありません|見つかりません)|見つかりませんでした|(?:確認|特定|提供|断定)(?:は|が)?できません",
    )
]
_FILLER = re.compile(
    r"^(?:if you|if there|let me|feel free|please|can you|could you|would you|do you|you (?:can|may|"
    r"might|could|would|should)|your best|for (?:the most|accurate|precise|more|detailed|further|"
    r"specific|up)|to (?:find|get|obtain|determine|confirm|verify|learn|answer|be|provide)|i(?:'d| "
    r"would)? (?:recommend|suggest|be (?:happy|glad)|encourage|advise)|i(?:'ll| will)|i(?:'m| am) "
    r"happy|it(?:'s| is) (?:possible|best|likely|advisable|recommended|important|always)|alternatively|"
    r"thank|thanks|great|good question|would|additional|therefore, (?:i|it)|perhaps|maybe|otherwise|"
    r"consider|check|here are|note|\(?error)\b"
)
_OFFER = re.compile(
    r"^(?:let me know|feel free|if you (?:have|need|want|would|could|'d)|i(?:'d| would) be (?:happy|glad)|for "
    r"(?:more|further|the most)|to (?:find|confirm|verify) (?:this|the|more|out)|you (?:may|might|can|could|"
    r"would|should)(?: also)? (?:want|need|find|check|try|consult|refer|search|contact|visit)|i(?:'d| would)? "
    r"(?:recommend|suggest) (?:check|consult|verif|contact|visit|look|search|refer|reach)|please)"
)
_ANSWERS_AFTER = re.compile(
    r"\b(?:based on (?:my |general |external |other |historical |available |common |the )?(?:knowledge|"
    r"records?|context|data|sources?)|external (?:knowledge|sources?|information)|(?:generally|"
    r"widely|commonly|well) (?:known|accepted|reported)|historical(?:ly)?|records? (?:indicate|show|"
    r"suggest)|best (?:guess|estimate)|my (?:guess|estimate|answer|view|recommendation|advice)|i "
    r"(?:believe|think|estimate|guess|would (?:say|guess|estimate|choose|pick|go))|most likely|"
    r"likely|probably|approximately|roughly|around|about \d|is|was|were|are)\b"
)  # fmt: skip
_BUT = re.compile(r"[,;:–—]\s*(but|though|although|yet|still)\s")
_OWN = re.compile(
    r"\b(?:i|we)(?:'m| am| are|'ve| have)? (?:\w+ ){0,2}(?:can'?t|cannot|could not|couldn'?t|unable|not able|"
    r"do not|don'?t|did not|didn'?t|was not|wasn'?t|not)\b"
)
_TURN = re.compile(
    r"^(?:however|but|nevertheless|nonetheless|that said|still|yet|though|even so)\b"
)
_ASIDE = re.compile(
    r"\bi (?:do|did|can|could) (?:have|find|tell|provide|suggest|offer|confirm|note|share)\b|\bknown "
    r"(?:for|as)\b|\bit does mention|\bit is mentioned|\bmentions?\b|\byou can\b|\byou (?:may|might|"
    r"would)\b|\bif you\b|\bto find\b|\bappears? to be\b|\bpossib"
)


def takes_no_position(text: str) -> bool:
    """Whether an answer says that it has none: it is empty, refuses, or does not know."""
    bare = unmarked(without_headings(plain(text)))
    small = folded(bare).strip(" .!?*_\"'()[]")
    if not any(letter.isalnum() for letter in bare) or small in _NOTHING:
        return True
    said = [s for s in map(_kind, sentences(bare)[:_MOST]) if s]
    first = next((i for i, s in enumerate(said) if s in ("refusal", "turned", "own")), None)
    if first is None or "answer" in said[first:]:
        return False
    return first == 0 or said[first] == "turned" or (said[-1] == "own" and first <= _BACKGROUND)


def _kind(sentence: str) -> str | None:
    """What a sentence does.

    Returns:
        refusal, turned (a refusal after `however`), own (a refusal in the first person), answer,
        substance, or None for an offer of help and the like.
    """
    small = folded(sentence).replace("’", "'").strip(" *_\"'")[:600]
    turned = _TURN.match(small)
    if _refuses(small):
        if _answers_after_all(small):
            return "answer"
        return "turned" if turned else "own" if _OWN.search(small) else "refusal"
    if _FILLER.match(small):
        return None
    if turned and _ANSWERS_AFTER.search(small) and not _ASIDE.search(small):
        return "answer"
    return "substance"


def _refuses(small: str) -> bool:
    return any(pattern.search(small) for pattern in _REFUSALS)


def _answers_after_all(small: str) -> bool:
    """Whether a sentence hedges and then answers: `I am not sure, but I would pick Go`."""
    first, but, second = _BUT.split(small, maxsplit=1) if _BUT.search(small) else (small, "", "")
    if not but or not _refuses(first) or _refuses(second):
        return False
    return not _FILLER.match(second) and not _ASIDE.search(second)


def does_not_answer(sentence: str) -> bool:
    """Whether one sentence says nothing but that something is not known, or offers help."""
    small = folded(unmarked(sentence)).replace("’", "'").strip(" *_\"'")
    return _kind(unmarked(sentence)) in ("refusal", "turned", "own") or bool(_OFFER.match(small))
