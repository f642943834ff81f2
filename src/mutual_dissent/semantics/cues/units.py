"""Words for numbers, parts and units."""

from __future__ import annotations

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
WORDS = {word: float(n) for n, word in enumerate(_ONES)} | {
    word: 10.0 * n for n, word in enumerate(_TENS, 2)
}
SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12,
    "k": 1e3, "m": 1e6, "bn": 1e9, "mn": 1e6, "tn": 1e12,
}  # fmt: skip
GROUPS = {"dozen": 12.0, "score": 20.0, "couple": 2.0, "pair": 2.0, "decade": 10.0}
PARTS = {
    "half": 0.5, "third": 1 / 3, "thirds": 1 / 3, "quarter": 0.25, "quarters": 0.25, "fifth": 0.2,
    "fifths": 0.2, "tenth": 0.1, "tenths": 0.1, "halves": 0.5, "eighth": 0.125,
}  # fmt: skip
UNITS: dict[str, tuple[str, float]] = {}
for _dimension, _table in {
    "time": "ms millisecond=.001 s sec second=1 min minute=60 h hr hour=3600 day=86400 "
    "week=604800 fortnight=1209600 month=2629800 year=31557600 decade=315576000 "
    "century=3155760000",
    "length": "mm millimetre millimeter=.001 cm centimetre centimeter=.01 m metre meter=1 "
    "km kilometre kilometer=1000 mile=1609.34 inch=.0254 ft foot feet=.3048 yard=.9144",
    "mass": "mg milligram=.001 g gram=1 kg kilo kilogram=1000 tonne ton=1000000 pound lb=453.6 "
    "ounce oz=28.35",
    "money": "dollar usd $=1 cent=.01",
    "euro": "euro eur €=1",
    "sterling": "sterling gbp £=1",
    "volume": "ml millilitre milliliter=.001 litre liter l=1 gallon=3.785",
    "bytes": "kb kilobyte=1e3 mb megabyte=1e6 gb gigabyte=1e9 tb terabyte=1e12 byte=1",
    "share": "% percent=.01",
    "points": "point=1",
    "length a time": "mph=.44704 kmh kph=.277778",
}.items():
    _names: list[str] = []
    for _item in _table.split():
        _name, _, _factor = _item.partition("=")
        _names.append(_name)
        if _factor:
            UNITS.update(dict.fromkeys(_names, (_dimension, float(_factor))))
            _names = []
