"""Numbers and dates in a line: with units, ranges, separators, and whether they are estimates."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation

from mutual_dissent.analysis.bottom_lines.words import fold_case

# Word -> what it measures, and the factor to its base unit. A month has no fixed length in days:
# months and years are a measure of their own. Plurals lose their s, hence "inche".
_UNITS = {
    "mm": "length 0.001", "millimeter": "length 0.001", "millimetre": "length 0.001",
    "cm": "length 0.01", "centimeter": "length 0.01", "centimetre": "length 0.01",
    "m": "length 1", "meter": "length 1", "metre": "length 1", "metro": "length 1",
    "km": "length 1000", "kilometer": "length 1000", "kilometre": "length 1000",
    "mile": "length 1609.344", "mi": "length 1609.344", "ft": "length 0.3048",
    "foot": "length 0.3048", "feet": "length 0.3048", "inch": "length 0.0254",
    "inche": "length 0.0254", "yard": "length 0.9144",
    "g": "mass 0.001", "gram": "mass 0.001", "kg": "mass 1", "kilogram": "mass 1", "kilo": "mass 1",
    "t": "mass 1000", "ton": "mass 1000", "tonne": "mass 1000", "tonnen": "mass 1000",
    "tonelada": "mass 1000", "tonnellate": "mass 1000", "tonnellata": "mass 1000",
    "lb": "mass 0.45359237", "pound": "mass 0.45359237",
    "second": "time 1", "sec": "time 1", "s": "time 1", "ms": "time 0.001",
    "minute": "time 60", "min": "time 60", "hour": "time 3600", "h": "time 3600", "hr": "time 3600",
    "day": "time 86400", "week": "time 604800", "month": "month 1", "year": "month 12",
    "%": "percent 1", "percent": "percent 1", "prozent": "percent 1", "pct": "percent 1",
    "$": "usd 1", "dollar": "usd 1", "usd": "usd 1", "€": "eur 1", "euro": "eur 1", "eur": "eur 1",
    "£": "gbp 1", "gbp": "gbp 1", "¥": "yen 1", "yen": "yen 1", "us$": "usd 1", "chf": "chf 1",
    "a$": "aud 1", "au$": "aud 1", "aud": "aud 1", "c$": "cad 1", "ca$": "cad 1", "cad": "cad 1",
    "nz$": "nzd 1", "hk$": "hkd 1", "s$": "sgd 1", "r$": "brl 1",
    "°c": "celsius 1", "°f": "fahrenheit 1", "byte": "data 1", "kb": "data 1e3", "mb": "data 1e6",
    "gb": "data 1e9", "tb": "data 1e12",
}  # fmt: skip
_SCALES = {
    "thousand": 1_000, "k": 1_000, "million": 1_000_000, "mn": 1_000_000, "mio": 1_000_000,
    "millionen": 1_000_000, "millones": 1_000_000, "billion": 1_000_000_000, "bn": 1_000_000_000,
    "trillion": 1_000_000_000_000,
}  # fmt: skip
_WORDS = dict(
    zip(
        "zero one two three four five six seven eight nine ten eleven twelve".split(),
        range(13),
        strict=True,
    )
)
LARGER = re.compile(
    r"\b(?:thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|"
    r"sixty|seventy|eighty|ninety|(?:a|one|two|three|four|five) (?:hundred|thousand|dozen)|dozens?|"
    r"hundreds|thousands)\b",
    re.IGNORECASE,
)
"""Numbers in words that are not read; beside them another number may not be the one meant."""
# "1,234,567.8", "1'234", "1 234" with any blank; else "1.234.567", "3,14", "1691"
_DIGITS = r"\d{1,3}(?:[,\u00a0\u202f' ]\d{3}){1,9}(?:\.\d{1,20})?|\d{1,30}(?:[.,]\d{1,20}){0,3}"
# With sign, currency, scale and unit: "-$1,200", "USD 480", "12 million", "40 %", "5-km", "21 °C".
_NUMBER = re.compile(
    rf"(?<![\w.,])(?P<sign>[-−]\s?)?(?P<money>(?:(?:us|au?|ca?|nz|hk|s|r)?\$|[€£¥])\s?|"
    rf"(?:usd|eur|gbp|chf|aud|cad)\s)?(?P<digits>{_DIGITS})(?![\d])"
    r"(?P<ordinal>st|nd|rd|th)?(?:\s?(?P<scale>thousand|million|billion|trillion|millionen|millones|"
    r"bn|mn|mio|k)\b)?"
    r"(?:[\s-]?(?P<percent>%|per ?cent\b|prozent\b|pour cent\b|por ciento\b|percento\b|por cento\b)"
    r"|[\s-]?(?:u\.?s\.?\s(?=dollars?\b))?(?P<unit>°\s?[cf]\b|[^\W\d_]{1,14}\b|[€$£]))?",
    re.IGNORECASE,
)
# All that stands between the two ends of a range.
_BETWEEN = re.compile(
    r"^\s{0,3}(?:-|–|—|to|bis|a|à|up to|until|through|and|tot|do|до)\s{0,3}$", re.IGNORECASE
)
# "per month", "/month", "a month" and "monthly", after a number and its unit.
_PER = re.compile(
    r"\s?(?:/\s?|(?:per|an?|each|every)\s)(?P<of>second|minute|hour|day|night|week|month|quarter|year|"
    r"annum|head|capita|person|user|unit|mo|yr|h|s|sec)\b|"
    r"\s(?P<adverb>hourly|daily|nightly|weekly|monthly|quarterly|yearly|annually)\b"
)
_PERIODS = {
    "daily": "day", "annum": "year", "annually": "year", "mo": "month", "yr": "year",
    "h": "hour", "s": "second", "sec": "second", "capita": "person", "head": "person",
}  # fmt: skip
_EQUALS = re.compile(r"\s{0,3}=")
# Before the first end: with it, "and" joins one range and not two numbers.
_FROM = re.compile(r"\b(?:between|from|od|da|de|des?|entre|tra|fra)\s+[$€£]?$")
ESTIMATES = (
    "about around approximately approx roughly circa ca estimated estimate environ ungefahr etwa "
    "rund aproximadamente ongeveer okolo около примерно"
)
"""Words that only say that a number is an estimate."""
_ABOUT = re.compile(
    r"\b(?:about|around|approximately|approx|roughly|nearly|almost|some|circa|"
    r"ca|estimated?|an estimate|close to|in the region of|on the order of|"
    r"or so|ungefahr|etwa|rund|environ|presque|aproximadamente|alrededor de|"
    r"cerca de|unos|circa|quasi|ongeveer|okolo|около|примерно)\b|[~≈±]|约|大约|"
    r"約|およそ"
)
# What stands before a number and makes it a limit, or no value at all: "at least", "not".
_BOUND = re.compile(
    r"\b(anything but|nothing like|far from|nowhere near|other than|not|at least|"
    r"at most|more than|less than|fewer than|over|under|above|below|up to|"
    r"no more than|no less than|minimum|maximum|before|after|since|until|prior to|"
    r"by|early|late|mid|mindestens|hochstens|mehr als|weniger als|uber|unter|"
    r"vor|nach|bis zu|au moins|au plus|plus de|moins de|avant|apres|al menos|"
    r"mas de|menos de|antes|despues|hasta|almeno|piu di|meno di|prima|dopo|"
    r"pelo menos|mais de|depois|ate|minstens|meer dan|minder dan|voor|na|co najmniej|"
    r"wiecej niz|mniej niz|przed|po|не менее|не более|более|менее|больше|меньше|"
    r"до|после)\s+(?:the |year |a |an |[$€£]|~)*$"
)
MONTHS = {
    name: month
    for month, names in enumerate(
        """january jan januar janvier enero gennaio janeiro januari stycznia января
        february feb februar fevrier febrero febbraio fevereiro februari lutego февраля
        march mar marz maerz mars marzo marco maart marca марта
        april apr avril abril aprile kwietnia апреля
        may mai mayo maggio maio mei maja мая
        june jun juni juin junio giugno junho czerwca июня
        july jul juli juillet julio luglio julho lipca июля
        august aug aout agosto augustus sierpnia августа
        september sep sept septembre septiembre settembre setembro wrzesnia сентября
        october oct oktober octobre octubre ottobre outubro pazdziernika октября
        november nov novembre noviembre novembro listopada ноября
        december dec dezember decembre diciembre dicembre dezembro grudnia декабря""".splitlines(),
        1,
    )
    for name in names.split()
}
_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
# "2017-06-21"; "June 21st, 2017"; "21. Juni 2017", "21 de junio de 2017"; "June 2017"
_DATES = re.compile(
    rf"(?P<iso>\b(?P<y0>\d{{4}})-(?P<m0>\d{{2}})-(?P<d0>\d{{2}})\b)|"
    rf"\b(?P<m1>{_MONTH})\b\.?\s{{0,2}}(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?\b(?!\d)(?:,?\s{{1,2}}(?P<y1>\d{{4}})\b)?|"
    rf"\b(?P<d2>\d{{1,2}})(?:st|nd|rd|th|\.|er|º)?\s{{0,2}}(?:of |de |di )?(?P<m2>{_MONTH})\b\.?,?"
    rf"(?:\s{{1,2}}(?:de |del |of )?(?P<y2>\d{{4}})\b)?|"
    rf"\b(?P<m3>{_MONTH})\b\.?,?\s{{1,2}}(?:of |de |del )?(?P<y3>\d{{4}})\b"
)
# Not in "$1999", "1990-1995", "1999/2000", "1999.5" or "2000 - 3".
_YEARS = re.compile(r"(?<![\w.,$€£–—/-])(?:1[0-9]\d\d|20\d\d)(?![\w%]|[.,]\d|\s?[-–—/]\s?\d)")


@dataclass(frozen=True, slots=True)
class Number:
    """A number or a range as it was written; `factor` turns it into the base unit of `unit`."""

    low: Decimal
    high: Decimal
    unit: str = ""
    about: bool = False
    bound: str = ""
    step: Decimal = Decimal(1)  # the least that could have been said more or less
    factor: Decimal = Decimal(1)
    start: int = 0
    end: int = 0
    after: str = ""  # the word after it; a short one as it was written, since MB is not Mb
    until: int = 0  # where its unit ends, with the period that it is for
    per: str = ""  # the period or the unit that it is for: "month" of "$5 a month"

    def in_base(self) -> Number:
        """The same in the base unit of what it measures."""
        by = self.factor
        return replace(
            self, low=self.low * by, high=self.high * by, step=self.step * by, factor=Decimal(1)
        )

    @property
    def shown(self) -> str:
        """The number in plain digits."""
        low = _format(self.low)
        return low if self.low == self.high else f"{low} to {_format(self.high)}"


@dataclass(frozen=True, slots=True)
class Date:
    """A date, as precise as it was given."""

    year: int | None
    month: int | None = None
    day: int | None = None
    bound: str = ""
    start: int = 0
    end: int = 0

    @property
    def shown(self) -> str:
        """The date as year-month-day, as far as known."""
        parts = [f"{self.year:04d}" if self.year is not None else "?"]
        parts += [f"{part:02d}" for part in (self.month, self.day) if part is not None]
        return "-".join(parts)


def numbers(text: str, in_words: bool = False) -> list[Number]:
    """The numbers of a text, ranges as one; on request also words up to twelve."""
    small = _small(text)
    # The 21 of "21 June" is no quantity.
    dated = [(d.start, d.end) for d in dates(text) if d.month is not None]
    values = []
    for match in _NUMBER.finditer(small):
        inside = any(a <= match.start("digits") < b for a, b in dated)
        number = None if match["ordinal"] or inside else _number(match, small, text)
        if number is not None:
            values.append(number)
    if in_words:
        values += _spelt(small)
    return _with_ranges(sorted(values, key=lambda n: n.start), small)


def years(text: str) -> list[Date]:
    """The years of a text, those of whole dates among them."""
    small = _small(text)
    return [
        Date(int(m.group()), bound=_bound(small, m.start()), start=m.start(), end=m.end())
        for m in _YEARS.finditer(small)
    ]


def dates(text: str) -> list[Date]:
    """The dates of a text that name a month."""
    small = _small(text)
    return [date for match in _DATES.finditer(small) if (date := _date(match, small))]


def _small(text: str) -> str:
    """Lower case, and as long as the text, so that places in one are places in the other."""
    small = "".join(f if len(f := fold_case(c)) == 1 else c for c in text[:2000])
    return small.replace("’", "'")


def _date(match: re.Match[str], small: str) -> Date | None:
    got = match.groupdict()
    month = MONTHS.get(got["m1"] or got["m2"] or got["m3"] or "") or int(got["m0"] or 0)
    day = int(got["d0"] or got["d1"] or got["d2"] or 0)
    year = int(got["y0"] or got["y1"] or got["y2"] or got["y3"] or 0)
    if not 1 <= month <= 12 or day > 31:
        return None
    bound = _bound(small, match.start())
    return Date(year or None, month, day or None, bound, match.start(), match.end())


def _number(match: re.Match[str], small: str, text: str) -> Number | None:
    read = _decimal(match["digits"])
    if read is None:
        return None
    value, places = read
    # After a digit a dash is no sign of a negative number.
    if match["sign"] and not small[: match.start()].rstrip().endswith(tuple("0123456789")):
        value = -value
    scale = Decimal(_SCALES.get(match["scale"] or "", 1))
    word = "%" if match["percent"] else (match["money"] or match["unit"] or "").strip()
    kind, factor = _unit(word.replace(" ", ""))
    after = match["unit"] or ""
    until = _until(match, bool(kind) and not match["money"])
    per, until = _period(small, until, match.end())
    return Number(
        low=value * scale,
        high=value * scale,
        unit=kind,
        about=_is_about(small, match.start()),
        bound=_bound(small, match.start()),
        step=Decimal(1).scaleb(-places) * scale,
        factor=factor,
        start=match.start(),
        end=match.end("digits"),
        after=text[match.start("unit") : match.end("unit")] if len(after) <= 3 else after,
        until=until,
        per=per,
    )


def _period(small: str, until: int, after: int) -> tuple[str, int]:
    """The period that a number is for, and where its words end; `3 times a week` has it later."""
    match = _PER.match(small, until) or _PER.match(small, after)
    if match is None:
        return "", until
    word = match["of"] or match["adverb"]
    return _PERIODS.get(word, word.removesuffix("ly")), match.end()


def _until(match: re.Match[str], has_unit: bool) -> int:
    """End of a number with its scale, and with its unit if that is known."""
    return match.end() if has_unit else max(match.end("digits"), match.end("scale"))


def _unit(word: str) -> tuple[str, Decimal]:
    """Dimension of a unit, and its factor to the base unit."""
    kind, _, factor = (_UNITS.get(word) or _UNITS.get(word.removesuffix("s")) or "").partition(" ")
    return kind, Decimal(factor or 1)


def _decimal(digits: str) -> tuple[Decimal, int] | None:
    """The number and its decimal places; None if it can be read two ways."""
    bare = re.sub(r"[\u00a0\u202f' ]", "", digits)
    # "1,234.5", then "1.234.567", then "3,14": three digits after one comma are thousands.
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", bare):
        bare = bare.replace(",", "")
    elif re.fullmatch(r"\d{1,3}(?:\.\d{3}){2,}", bare):
        bare = bare.replace(".", "")
    elif re.fullmatch(r"\d+,\d{1,2}|\d+,\d{4,}", bare):
        bare = bare.replace(",", ".")
    if re.fullmatch(r"\d{1,3}\.\d{3}", bare) and not bare.startswith("0"):
        return None  # a thousand in one language, one point something in the other
    if not re.fullmatch(r"\d+(?:\.\d+)?", bare):
        return None
    try:
        return Decimal(bare), len(bare.partition(".")[2])
    except InvalidOperation:
        return None


def _spelt(small: str) -> list[Number]:
    values = []
    for m in re.finditer(rf"\b(?:{'|'.join(_WORDS)})\b", small):
        # "One of the causes" counts nothing.
        if m.group() == "one" and re.match(r"\s+of\b", small[m.end() :]):
            continue
        value = Decimal(_WORDS[m.group()])
        after = re.match(r"[\s-]{1,2}([^\W\d_]{1,14})\b", small[m.end() :])
        kind, factor = _unit(after[1] if after else "")
        noun = m.end() + (after.end() if after else 0)
        per, until = _period(small, noun if kind else m.end(), noun)
        values.append(
            Number(
                low=value,
                high=value,
                unit=kind,
                about=_is_about(small, m.start()),
                bound=_bound(small, m.start()),
                factor=factor,
                start=m.start(),
                end=m.end(),
                after=after[1] if after else "",
                until=until,
                per=per,
            )
        )
    return values


def _with_ranges(values: list[Number], small: str) -> list[Number]:
    merged: list[Number] = []
    for number in values:
        last = merged[-1] if merged else None
        if last and number.start < last.end:
            continue
        if last and _is_range(small, last, number):
            merged[-1] = replace(
                number,
                low=last.low,
                about=last.about,
                bound=last.bound,
                step=max(last.step, number.step),
                start=last.start,
            )
        else:
            merged.append(number)
    return merged


def _is_range(small: str, first: Number, second: Number) -> bool:
    gap, start = small[first.end : second.start], first.start
    # After a digit the dash of "40 - 60" is no sign; in "3 - 5 = -2" it subtracts.
    if small.startswith("- ", second.start) and not _EQUALS.match(small, second.until):
        gap += "-"
    fits = first.low == first.high < second.high and first.unit in ("", second.unit)
    if not fits or not _BETWEEN.match(gap):
        return False
    # "40 and 60" are two numbers; "between 40 and 60" is a range. So with Spanish "a", Polish "do".
    return gap.strip() not in ("and", "a", "do") or bool(
        _FROM.search(small[max(0, start - 16) : start])
    )


def _is_about(small: str, start: int) -> bool:
    return bool(_ABOUT.search(small[max(0, start - 28) : start]))


def _bound(small: str, start: int) -> str:
    match = _BOUND.search(small[max(0, start - 30) : start])
    return match[1] if match else ""


def _format(value: Decimal) -> str:
    try:
        # Plus zero makes 0 of -0.
        return f"{value.normalize() + 0:f}"
    except InvalidOperation:
        return str(value)
