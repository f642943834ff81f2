"""Answers that take no position: refusals, not knowing, errors in place of an answer."""

from __future__ import annotations

import re
from functools import cache

from mutual_dissent.analysis.bottom_lines.words import (
    ENGLISH,
    fold_case,
    plain,
    remember,
    sentences,
    stem,
    strip_emphasis,
    tokens,
    without_headings,
)

_MOST = 40  # sentences that are read
_MOSTLY = 0.7  # of a refusal's words, which an answer takes up again
_BACKGROUND = 3  # sentences that may stand before `I could not find it`
_NOTHING = frozenset(
    """none|no answer|no position|no opinion|n/a|na|nil|null|unknown|not applicable|not sure|unsure|
    abstain|i abstain|no comment|pass|not available|undecided|cannot say|keine|keine angabe|keine
    antwort|unbekannt|aucune|aucune reponse|inconnu|ninguno|ninguna|sin respuesta|desconocido|
    nessuno|nessuna|nessuna risposta|sconosciuto|nenhum|nenhuma|sem resposta|desconhecido|geen|geen
    antwoord|onbekend|brak|brak odpowiedzi|nie wiem|нет ответа|неизвестно|не знаю|无|無|不知道|未知|
    なし|不明|わからない|分からない|モルゲッソヨ|-|--|—|…|...""".replace("\n", " ").split("|")
)
# Stand in the patterns below for words that many of them share.
_LISTS = {
    # Up to four words in between: "I <at this point really> cannot".
    "<EVER>": (r"(?:[\w'’-]+[ ,]+){0,4}"),
    # "I cannot find any reason to migrate" is a position, "I cannot find the date" is none.
    "<KNOW>": (
        r"(?:have|(?:find|identify|locate)(?! (?:any |a |one |much )?(?:\w+ )?(?:reaso"
        r"n|benefit|fault|advantage|argument|case|justification|need|"
        r"point))|determine|verify|confirm|provide|answer|access|know|"
        r"specify|state|tell|pinpoint|retrieve|recall|assist|help (?:you|"
        r"with)|give|offer|make|establish|ascertain|definitively (?!recommend|"
        r"say no|say yes)|comment|discuss|share|fulfil|fulfill|comply|"
        r"search|browse|say (?:for|with|what|which|who|whether|when|"
        r"where|how|definitively))"
    ),
    "<MATTER>": (
        r"(?:information|informations|data|details?|knowledge|records?|"
        r"recollection|access|answer|definitive|idea|opinion|evidence|"
        r"context|familiar|results?|certain|sure|reliable|accurate|"
        r"specific|exact|verified|enough|current|personal|the ability|"
        r"any|claims?|statement|sources?|that|this|it|what|which|who|"
        r"whom|when|where|how|whether|you|the|your|an?)"
    ),
    "<SOURCE>": (
        r"(?:information|informations|sources?|search results?|results?|"
        r"texts?|articles?|context|references?|documents?|materials?|"
        r"snippets?|query|question|passages?|excerpts?|pages?|websites?|"
        r"data|databases?|content|records?|details?|links?|tools?|"
        r"wiki|wikipedia|code|entry|entries|search|searches|archives?|"
        r"biograph(?:y|ies)|obituar(?:y|ies)|knowledge base)"
    ),
    "<GIVEN>": (
        r"(?:provided|specified|mentioned|stated|detailed|included|"
        r"given|available|listed|found|contained|described|documented|"
        r"disclosed|indicated|identified|named|recorded|present|shown|"
        r"covered|addressed|noted|clear|publicly)"
    ),
}
_PATTERNS = r"""
^(?:unable|not able) to (?:answer|say|determine|help|provide|verify|
    confirm|find)\b
\bwe (?:can'?t|cannot|do not|don'?t) (?:\w+ )?(?:determine|know|
    verify|confirm|establish|say)\b
\b(?:is|are)(?: not|n'?t) available to me\b|\bnot able to form an opinion\b|
    \brather not say\b
\bi(?:'m| am)? <EVER>?(?:can'?t|cannot|can not|could not|couldn'?t|
    unable to|not able to|was unable to|won'?t|will not|would not be able to) <EVER>?<KNOW>
    \b
\bi (?:do not|don'?t|did not|didn'?t|currently do not) <EVER>?(?:have|
    know|possess)\b <EVER>?<MATTER>
\bi (?:do not|don'?t) (?:really |actually |yet )?know\b
\bi(?:'m| am) (?:really |just |currently )?(?:not (?:aware|familiar|
    sure|certain|in a position|allowed|permitted)|unable|unsure|unaware|
    unfamiliar)\b
\bi have no (?:\w+ ){0,2}(?:information|idea|knowledge|data|record|
    details?|opinion|way)
^(?:i'?m |i am )?(?:so |very |really )?sorry\b|^i apologi[sz]e\b|
    ^my apologies\b
\bas an? (?:ai|language model|llm)\b.{0,60}\b(?:can'?t|cannot|don'?t|
    do not|unable)\b
\b<SOURCE>\b[^.]{0,160}\b(?:do|does|did)(?: not|n'?t) <EVER>?(?:contain|
    include|provide|mention|specify|state|give|have|offer|cover|detail|
    indicate|list|address|show|reveal|name|identify|appear|discuss|disclose|
    explicitly|answer|return|yield|reference|allow me|let me|tell|say (?:who|what|when|where|which|
    how|anything))\b
\b<SOURCE>\b[^.]{0,80}\b(?:is|are|were|was) (?:\w+ )?(?:irrelevant|unrelated|silent|not (?:\w+ )?
    (?:relevant|related))\b
\bnothing (?:in|from|within|among) (?:the|my|these|this) (?:\w+ ){0,3}<SOURCE>\b|
    ^nothing (?:that )?i (?:found|have|know|can find)\b
^(?:the |this |that |such |these )?(?:\w+ ){0,2}(?:answer|information|details?|facts?)\b[^.]{0,80}\b
    (?:(?:is|are)(?: not|n'?t) (?:in|part of|among|within|something i)\b|
    (?:is|are) (?:missing|absent) from\b|(?:do|does)(?: not|n'?t) (?:seem|appear) to be\b)
^(?:that|this|it)(?: is|'s)(?: not|n'?t) something (?:that )?i (?:can|could|have|know)\b
\bi (?:do not|don'?t) (?:think|believe) (?:that )?i (?:can|could|have|know)\b
\bi(?:'d| would) rather not (?:say|guess|speculate)\b|
    \bi (?:do not|don'?t|won'?t|will not|cannot|can'?t) (?:wish to |like to )?(?:guess|speculate)\b
\bi(?:'m| am| was|'ve| have| had|)(?: been)?(?: having| had)? (?:trouble|difficulty|struggling|
    struggled|a hard time) (?:in |to )?(?:find|locat|identify|determin|verify|confirm|retriev)
\bthere (?:is|are|was|were)(?: not|n'?t) (?:\w+ ){0,3}(?:information|data|details|records?)\b
\bit(?:'s| is| was| remains) ?(?:(?:\w+ )?un(?:clear|known|certain)|(?:not|n'?t) (?:\w+ )?(?:clear|
    known|certain|specified|stated)) (?:to me )?(?:exactly )?(?:who|what|when|where|which|in which|
    on which|how (?:many|much|old|long))\b
^(?:\w+ ){0,3}(?:information|details?|data|records?|documentation)\b[^.]{0,120}\b(?:is|are)
     (?:\w+ ){0,2}(?:limited|scarce|sparse|lacking|incomplete|hard to (?:come by|find))\W*$
\bno (?:\w+ ){0,3}(?:records?|documentation|mention|references?) (?:of|about|on|for|to)\b[^.]{0,120}
    \b(?:exists?|(?:be |was |were )?found|available|survives?|appears?)\b
\b(?:is|are|was|were|been)(?: not|n'?t) <EVER>?<GIVEN>\b[^.]{0,80}\b(?:<SOURCE>|
    online|publicly|here|at this time)\b
\b(?:is|are|was|were)(?: not|n'?t) (?:explicitly|directly|specifically|
    clearly|readily|publicly|widely|currently|fully|definitively) <GIVEN>\b
\bnone of the <EVER>?<SOURCE>\b
\b(?:there(?:'s| is| are| was)|contains?|find|found|have|with) no (?:[\w-]+[ ,]+){0,
    4}(?:information|data|details?|mention|records?)\b
\bno (?:[\w-]+[ ,]+){0,4}(?:information|data|details?) (?:[\w-]+[ ,]+){0,3}(?:is|
    are|was|were|could be|can be|about|on|regarding)\b
\bnot possible (?:for me )?to (?:definitively |accurately )?(?:determine|
    answer|say|tell|know|identify|verify|confirm|give|provide|pinpoint|
    specify|state|find|establish)\b
\b(?:finding|pinpointing|determining|locating|identifying)\b[^.]{0,240}\b(?:is|
    are) (?:\w+ ){0,2}(?:difficult|hard|challenging|impossible)\b(?! but)
\bwithout (?:\w+ ){0,3}(?:information|access|details|context|knowledge|
    data)\b[^.]{0,120}\b(?:can'?t|cannot|unable|impossible|not possible|
    difficult)\b
\bmy (?:knowledge|information|training|current information)\b[^.]{0,120}\b(?:limited
    |does not|doesn'?t|do not)\b
\b(?:lack|lacks) (?:the |any |access to |sufficient |specific )?(?:knowledge|
    information|data|access|details|context)\b
\b(?:network|internal server|server|unexpected|rate limit|timeout) error\b|
    \berror[_ ]code\b|\b(?:request|connection) (?:timed out|failed)\b
\b(?:decline|refuse) to (?:answer|say|comment|take)\b|\bno answer (?:can|
    could) be given\b
\b(?:cannot|can'?t|could not|couldn'?t|can not) be (?:\w+ ){0,2}(?:determined|
    answered|verified|confirmed|identified|found|established)\b
\b(?:not|in)sufficient (?:information|data|context)\b|\bnot enough (?:information|
    data|context)\b
\bi(?:'d| would| still| will|'ll)? (?:still |also )?need (?:more|
    additional|further|access|a |the |some )[^.]{0,60}\b(?:information|
    context|details?|website|access|source|reference|url|link|database|
    clarification)
\bi (?:have|had|'ve|was|were)(?: not|n'?t) (?:been )?(?:able to|
    found|located|seen|come across)\b
\bi(?:'ve| have) (?:no|not|never)\b[^.]{0,40}\b(?:information|heard|
    knowledge|record)
\bi (?:do not|don'?t|can'?t|cannot) (?:\w+ )?(?:recall|remember|
    see any (?:information|mention))\b
\b(?:beyond|outside|not (?:in|within|part of)) (?:of )?my (?:knowledge|
    training|data|scope|expertise|capabilit)
\b(?:answer|exact|specific|precise|date|year|names?|number|identity|
    details?|information|author|origin)\b[^.]{0,120}\b(?:is|are|was|
    were|remains?|seems?)(?: currently| still| also)? (?:un(?:clear|
    known|specified|documented|available|certain)|not (?:clear|publicly known|
    widely known|well documented|(?:readily |publicly |widely |currently )?available))\b
    (?! day)
\b(?:answer|exact|specific|precise|date|year|names?|number|identity|details?|information|author|
    origin)\b[^.]{0,120}\b(?:is|are|was|were|has|have)(?: not|n'?t) (?:been )?(?:\w+ly |yet |
    well[- ])?(?:known|documented|disclosed|published|recorded|revealed|made public|given|
    specified|stated)\b(?! (?:until|till|before|by|as|for|to|in (?:\d|[a-z]+ \d)))
\b(?:difficult|hard|challenging|impossible) (?:for me )?to (?:definitively |
    accurately |precisely )?(?:determine|say|tell|pinpoint|verify|confirm|
    identify|find|answer|know|ascertain|locate)\b
\bthere(?:'s| is| are|'re) no (?:[\w-]+[ ,]+){0,3}(?:readily|publicly|
    widely|easily|official|definitive|reliable|specific|clear|known|
    verifiable|comprehensive|documented|direct)\b[^.]{0,60}\b(?:information|
    data|records?|sources?|documentation|answer|list|listing|database|
    details?|title|figures?|mention|account)\b
\bi (?:do not|don'?t|did not|didn'?t) find (?:any |the |a )?(?:\w+ )?(?:information|
    data|details?|records?|mention|answer|results?|name|date|source)
\bno (?:\w+ ){0,2}(?:results?|matches|answer|match) (?:was|were|
    is|are|could|can|found|for)\b
\bthere(?:'s| is| are) (?:very )?(?:limited|little|insufficient|
    scarce) (?:or no )?(?:\w+ ){0,2}(?:information|data|details?)\b
\b(?:an? )?error (?:occurred|has occurred)\b|\boverloaded\b|\bapi error\b|
    \[no response\]
\b(?:weiss|weiß) ich (?:leider )?nicht\b|\bich (?:weiss|weiß) (?:es |
    das )?(?:leider )?nicht\b|\bich (?:habe|finde|fand|besitze|verfuge)\b[^.]{0,60}\bkei
    ne\w*\b[^.]{0,40}\b(?:information\w*|angabe\w*|daten|zugriff|hinweise?|
    antwort)|\bich kann\b[^.]{0,80}\bnicht (?:\w+ ){0,2}(?:beantworten|
    sagen|finden|bestatigen|angeben|uberprufen|ermitteln|helfen)|\bes tut mir leid\b|
    \b(?:liegen|gibt es) (?:mir |dazu )?keine (?:\w+ )?(?:information|
    angabe|daten)
\bje (?:ne |n['’])(?:sais|connais|dispose|peux|trouve|ai|suis)\b[^.]{0,12}\bpas\b|
    \bje suis desole|\bdesolee?,|\bje n['’]ai (?:aucune|trouve aucune)\b|
    \bje ne suis pas en mesure\b
\bno (?:lo )?se\b(?! (?:puede|debe|trata))|\bno (?:tengo|dispongo|
    encuentro|encontre|puedo) (?:\w+ ){0,3}(?:informacion|datos|acceso|
    responder|confirmar|encontrar|proporcionar|determinar|verificar|
    decir)|\blo siento\b|\bno cuento con\b
\bnon (?:lo )?so\b|\bnon (?:ho|dispongo|trovo|posso|riesco)\b[^.]{0,40}\b(?:informaz
    ioni|dati|accesso|rispondere|trovare|confermare|fornire|determinare|
    verificare|dire)|\bmi dispiace\b
\bnao sei\b|\bnao (?:tenho|disponho|encontrei|posso|consigo|consegui)\b[^.]{0,40}\b(
    ?:informac\w+|dados|acesso|responder|encontrar|confirmar|fornecer|
    determinar|verificar|dizer)|\b(?:desculpe|lamento|sinto muito)\b
\bik weet (?:het |dat )?niet\b|\bweet ik niet\b|\bik (?:heb|vind|
    kan|beschik)\b[^.]{0,60}\b(?:geen (?:\w+ )?(?:informatie|gegevens|
    toegang)|niet (?:\w+ ){0,2}(?:beantwoorden|vinden|zeggen|bevestigen|
    geven))|\bhet spijt me\b
\bnie (?:wiem|znam odpowiedzi)\b|\bnie (?:mam|posiadam|dysponuje|
    moge|jestem w stanie|znalazlem|znalazlam)\b[^.]{0,40}\b(?:informacji|
    danych|dostepu|odpowiedziec|potwierdzic|podac|znalezc|okreslic)|
    \bprzykro mi\b|\bprzepraszam\b
\b(?:я )?не (?:знаю|располагаю|могу (?:\w+ ){0,2}(?:ответить|сказать|
    наити|найти|подтвердить|предоставить|определить))|\bу меня нет\b|
    \bк сожалению\b[^.]{0,80}\bне(?:т| )
我?不知道|我?不清楚|无法(?:回答|确定|提供|找到|确认|判断|核实)|無法(?:回答|確定|提供|找到|確認|判斷)|没有(?:相关|
    足够|找到|可靠)[^。]{0,8}(?:信息|资料|数据)|(?:很)?抱歉
(?:分|わ)かりません|知りません|お答えできません|回答できません|申し訳(?:ありません|ございません)|情報が(?:ありません|
    見つかりません)|見つかりませんでした|(?:確認|特定|提供|断定)(?:は|が)?できません
\bi(?:'m| am) not (?:[\w%]+ ){0,2}(?:confident|certain|sure)\b
\bi (?:would not|wouldn'?t|do not|don'?t) want to (?:\w+ )?(?:make|speculate|provide|guess|give|
    risk|mislead|state)\b|\bi(?:'d| would) (?:only )?be (?:speculating|guessing)\b
\b(?:this|that|the|your) (?:question|query) (?:\w+ ){0,4}(?:cannot|can'?t|can not) be\b
\bi (?:\w+ )?lack\b|\bi(?:'m| am) (?:\w+ ){0,2}(?:just )?an? (?:text-based|language model|ai)\b
\bno (?:direct |specific |explicit |clear )?mention of\b|\bwithout (?:\w+ )?mention(?:ing)?\b
\b(?:is|are|was|were)(?: not|n'?t) (?:explicitly |directly )?(?:provided|specified|mentioned|stated|
    identified|named|listed|disclosed)
    \W*$
\bnone of (?:them|these|those|the) (?:\w+ ){0,4}(?:mention|provide|contain|specify|state|
    include|give)
\b(?:could not|couldn'?t|cannot|can'?t|did not|didn'?t) (?:find|locate|obtain|retrieve)
    (?: any| the)? (?:\w+ ){0,2}(?:information|data|details?|answer|results?|records?)\b
\bthere (?:seems|appears) to be (?:some |a |no )?(?:\w+ )?(?:confusion|misunderstanding|information|
    mistake|record|data|mix-up)\b
\b(?:have|had|has) no (?:\w+ ){0,3}(?:access|recollection|memory|means|sources?)\b
\bi (?:should|must|need to|want to) (?:be (?:direct|honest|clear|upfront|transparent)|clarify|
    admit|note|acknowledge|point out)\b[^.]{0,80}\b(?:not|don'?t|cannot|can'?t|no|unable)\b
\b(?:question|query|request|prompt) (?:is|seems|appears)(?: to be)? (?:\w+ )?(?:unclear|ambiguous|
    incomplete|confusing|vague|confused)\b
\b(?:could|can|would) you (?:please )?(?:provide|clarify|specify|give me more|tell me more)\b
^please (?:provide|clarify|specify|give|share)\b[^.]{0,40}\b(?:more|context|details?|information|
    url|link|clarif|which)
"""
"""Patterns of refusals, one a line; an indented line continues the one before."""


@cache
def _refusals() -> list[re.Pattern[str]]:
    """The patterns, compiled when first needed: that takes longer than reading many answers."""
    joined = _PATTERNS.strip().replace("\n    ", "")
    for name, words in _LISTS.items():
        joined = joined.replace(name, words)
    return [re.compile(line) for line in joined.splitlines()]


# Sentences around an answer or a refusal that decide nothing: "You may want to check ...".
_FILLER = re.compile(
    r"^(?:if you|if there|let me|feel free|please|can you|could you|would you|"
    r"do you|you (?:can|may|might|could|would|should)|your best|for (?:the most|"
    r"accurate|precise|more|detailed|further|specific|up|"
    r"(?:\w+ )?(?:context|background))|to (?:find|get|obtain|determine|"
    r"confirm|verify|learn|answer|be|provide)|i(?:'d| would)? (?:recommend|"
    r"suggest|be (?:happy|glad)|encourage|advise)|i(?:'ll| will)|i(?:'m| am) happy|"
    r"it(?:'s| is) (?:possible|best|likely|advisable|recommended|important|"
    r"always)|alternatively|thank|thanks|great|good question|would|additional|"
    r"therefore, (?:i|it)|perhaps|maybe|otherwise|consider|check|here (?:are|is what)|"
    r"note|visit|navigate|browse|search|searching|contact|contacting|consult|look (?:for|up|at|in)|"
    r"refer to|reach out|reaching out|try|explore|for example,? (?:on|in|you)|\(?error)\b"
)
# Narrower: nothing but help or a question back. A text of these alone takes no position.
_OFFER = re.compile(
    r"^(?:let me know|feel free|if you (?:have|need|want|would|could|'d)|i(?:'d|"
    r" would) be (?:happy|glad)|for (?:more|further|the most)|to (?:find|confirm|"
    r"verify) (?:this|the|more|out)|you (?:may|might|can|could|would|should)(?: also)? (?:wa"
    r"nt|need|find|check|try|consult|refer|search|contact|visit)|i(?:'d| would)? (?:recommen"
    r"d|suggest) (?:check|consult|verif|contact|visit|look|search|refer|reach)|"
    r"please (?:check|consult|provide|clarify|let|refer|note|verify|visit|contact|see|share|"
    r"specify|try|feel|confirm|give|tell|ask|be)\b)"
)
# After "however", words that bring an answer after all: "records indicate that it was in 1695".
_ANSWERS_AFTER = re.compile(
    r"\b(?:based on (?:my |general |external |other |historical |available |"
    r"common |the )?(?:knowledge|records?|context|data|sources?)|external (?:knowledge|"
    r"sources?|information)|known from|(?:generally|widely|commonly|well) (?:known|accepted|"
    r"reported)|historically|records? (?:indicate|show|suggest)|best (?:guess|"
    r"estimate)|my (?:guess|estimate|answer|view|recommendation|advice)|i (?:believe|"
    r"think|estimate|guess|would (?:say|guess|estimate|choose|pick|go))|most likely|"
    r"likely|probably|approximately|roughly|around|about \d)\b"
)  # fmt: skip
_QUOTED = re.compile(r"[\"“„«][^\"“”„«»]{2,300}[\"”“»]")  # another author's words
_NONE = re.compile(r"\b(?:not|no|none|cannot|unable|without|lacks?|neither)\b|n't\b")
# Words about sources: several beside a "not" make a refusal that no pattern foresaw.
_KNOWLEDGE = re.compile(
    r"\b(information|details?|sources?|search|provided|specified|available|"
    r"publicly|readily|context|text|articles?|references?|documented|records?|"
    r"verified|confirm|verify|access|database|knowledge|definitive(?:ly)?|"
    r"reliable|accurate|exact|specific)\b"
)
_TELLING = 3  # words on what is known, which beside a `no` make a refusal
# A refusal only beside a word about sources; "Unfortunately, the bridge burned down" is none.
_UNFORTUNATELY = re.compile(
    r"^(?:but |however,? )?(?:unfortunately|regrettably),? .{0,300}(?:\b(?:not|no|none|"
    r"cannot|unable|without|lacks?|difficult|hard|limited|unclear|unknown)\b|n't\b)"
)
# "Sure, let me look this up": announces an answer and gives none.
_SEARCHES = re.compile(
    r"^(?:sure[,.!]? |okay[,.!]? )?(?:let me|i(?:'ll| will| can| am going to|"
    r"'m going to)) (?:\w+ ){0,3}(?:search|look (?:it|this|that|for|up)|check|"
    r"find)\b|^(?:one moment|hold on|please wait|searching)\b"
)
# "The results mainly discuss her later work": on what was read, not on what was asked.
_ON_SOURCES = re.compile(
    r"^(?:the|these|this) (?:\w+ ){0,3}(?:results?|sources?|information|texts?|"
    r"articles?|references?|links?)\b[^.]{0,60}\b(?:focus|discuss|includ|pertain|"
    r"appear|relat|primarily|mainly|mention|cover|provide)"
)
_AFTERTHOUGHT = re.compile(
    r"[,;–—]\s*(?:but|though|although|however),? (?:(?:this|that)(?: information| details?| fact|"
    r" answer| claim)(?: itself)? (?:is|was|does|has|could|cannot|can)(?: not|n't)?\b.{0,200}|"
    r"i(?:'m| am| have|'ve| could| can| do)?(?: not|n't|not) (?:\w+ ){0,3}(?:certain|sure|"
    r"confident|verify|verified|confirm|confirmed)(?: (?:of|about|this|that|it|these))*)\W*$"
)
"""Remarks on an answer after it, in the same sentence: `, though I could not verify this`."""
# "However, this detail is not mentioned in the results" takes nothing back that was answered.
_OF_WHAT_WAS_SAID = re.compile(
    r"^(?:however|but|though|nevertheless),? (?:this|that)(?: information| details?| fact| answer) "
    r"(?:is|was|does|could|cannot|can)(?: not|n't)?\b"
)
_FROM_ELSEWHERE = re.compile(
    r"\b(sources?|records?|knowledge|context|information|accounts?|references?) "
    r"(?:that (?:is|are) )?(?:not|outside) (?:\w+ ){0,2}(?:included|found|present|mentioned|"
    r"contained|provided|listed)(?: (?:in|by) (?:the|these|this) (?:\w+ ){0,3}\w+)?"
)
"""Phrases for other sources than those at hand; a statement with them is an answer."""
_BUT = re.compile(r"[,;:–—]\s*(but|though|although|yet|still)\s")
# Words of refusals as such; they do not tell what a refusal is about.
_ABOUT_SOURCES = frozenset(
    stem(word)
    for word in """information source provided search result text article context reference given
    specific exact detail mention include contain specify state available found not cannot unable
    verify find determine access data database record answer question query sorry""".split()
)
_OWN = re.compile(
    r"\b(?:i|we)(?:'m| am| are|'ve| have)? (?:\w+ ){0,2}(?:can'?t|cannot|could not|"
    r"couldn'?t|unable|not able|do not|don'?t|did not|didn'?t|was not|wasn'?t|"
    r"not)\b"
)
_TURN = re.compile(
    r"^(?:however|but|nevertheless|nonetheless|that said|still|yet|though|even so)\b"
)
# "However, for context, the bridge opened in 1912" does not answer who built it.
_ASIDE = re.compile(
    r"\bi (?:do|did|can|could) (?:have|find|tell|provide|suggest|offer|confirm|help|"
    r"note|share)\b|(?<!also )\bknown (?:for|as)\b|\bit does (?:mention|discuss)|"
    r"\bit is (?:mentioned|noted|stated)|\bmentions?\b|\byou can\b|\byou (?:may|might|would)\b|"
    r"\bif you\b|\bto find\b|\bappears? to be\b|\bpossib|\bhere (?:are|is)\b|\bit appears\b|"
    r"\bfor (?:\w+ )?(?:context|background|reference)\b"
)


@remember
def takes_no_position(text: str) -> bool:
    """Return whether an answer takes no position: it is empty, refuses, or does not know."""
    bare = strip_emphasis(without_headings(plain(text)))
    small = fold_case(bare).strip(" .!?*_\"'()[]")
    if not any(letter.isalnum() for letter in bare) or small in _NOTHING:
        return True
    parts = sentences(bare)[:_MOST]
    if all(_only_asks(s) for s in parts):
        return True
    read = [(k, s) for s in parts if (k := _kind(s))]
    acts = [k for k, _ in read]
    first = next((i for i, k in enumerate(acts) if k in ("refusal", "turned", "own")), None)
    # An answer after the refusal counts, unless a "however" after it takes it back.
    if first is None or ("answer" in acts[first:] and "turned" not in acts[acts.index("answer") :]):
        return False
    if any(_takes_up(s, read[first][1]) for k, s in read[first + 1 :] if k == "substance"):
        return False
    # Behind other sentences only what turns ("He was a painter. However, the year is not stated.")
    # or ends so ("They met in 1864. I am unable to verify who won.") is a refusal.
    return first == 0 or acts[first] == "turned" or (acts[-1] == "own" and first <= _BACKGROUND)


def _only_asks(sentence: str) -> bool:
    """Return whether a sentence asks back, offers help or announces a search, and nothing else."""
    small = fold_case(sentence).replace("’", "'").strip(" *_\"'")
    return small.endswith("?") or bool(_OFFER.match(small) or _SEARCHES.match(small))


def _takes_up(sentence: str, refusal: str) -> bool:
    """Return whether a sentence shares most words of a refusal before it, and so answers it."""
    open_words = {
        stem(w) for w in tokens(refusal) if w not in ENGLISH and stem(w) not in _ABOUT_SOURCES
    }
    shared = open_words & {stem(w) for w in tokens(sentence)}
    return len(open_words) >= 3 and len(shared) >= _MOSTLY * len(open_words)


def _kind(sentence: str) -> str | None:
    """Kind of a sentence.

    Returns:
        refusal, turned (a refusal after `however`), own (a refusal in the first person), answer,
        substance, or None for an offer of help and the like.
    """
    small = fold_case(_QUOTED.sub(" ", sentence)).replace("’", "'").strip(" *_\"'")[:600]
    small = _FROM_ELSEWHERE.sub(r"\1", small)
    turned = _TURN.match(small)
    if _OF_WHAT_WAS_SAID.match(small):
        return None
    # "It was Ann Holt, though I could not verify this" is an answer: what comes before it decides.
    main = _AFTERTHOUGHT.sub("", small)
    small = small if _refuses(main) else main
    if _refuses(small):
        if _answers_after_all(small):
            return "answer"
        return "turned" if turned else "own" if _OWN.search(small) else "refusal"
    if _FILLER.match(small):
        return None
    if turned:
        if _ASIDE.search(small):
            return None
        return "answer" if _ANSWERS_AFTER.search(small) else "substance"
    return None if _ON_SOURCES.match(small) else "substance"


@remember
def _refuses(small: str) -> bool:
    if any(pattern.search(small) for pattern in _refusals()):
        return True
    known = len(set(_KNOWLEDGE.findall(small)))
    if _UNFORTUNATELY.match(small) and known >= 1:
        return True
    return bool(_NONE.search(small)) and known >= _TELLING


def _answers_after_all(small: str) -> bool:
    """Return whether a sentence hedges and then answers: `I am not sure, but I would pick Go`."""
    first, but, second = _BUT.split(small, maxsplit=1) if _BUT.search(small) else (small, "", "")
    if not but or not _refuses(first) or _refuses(second):
        return False
    return not _FILLER.match(second) and not _ASIDE.search(second)


def does_not_answer(sentence: str) -> bool:
    """Return whether a sentence only says that something is not known, or offers help."""
    small = fold_case(strip_emphasis(sentence)).replace("’", "'").strip(" *_\"'")
    return _kind(strip_emphasis(sentence)) in ("refusal", "turned", "own") or bool(
        _OFFER.match(small)
    )
