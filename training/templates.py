"""Pairs made from templates, one function a kind of difference: numbers, units, comparisons, scope.

Each function takes a random generator and returns one (label, a, b): A agree, D disagree, P neither.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

Row = tuple[str, str, str]

ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
).split()
TENS = "zero ten twenty thirty forty fifty sixty seventy eighty ninety".split()


def in_words(n: int) -> str:
    """A whole number below a million in English words."""
    if n < 20:
        return ONES[n]
    if n < 100:
        return TENS[n // 10] + (f"-{ONES[n % 10]}" if n % 10 else "")
    if n < 1000:
        rest = f" and {in_words(n % 100)}" if n % 100 else ""
        return f"{ONES[n // 100]} hundred{rest}"
    rest = f" {in_words(n % 1000)}" if n % 1000 else ""
    return f"{in_words(n // 1000)} thousand{rest}"


# One quantity in several wordings: (dimension, [equal wordings]).
EQUALS: dict[str, list[list[str]]] = {
    "duration": [
        ["an hour and a half", "90 minutes", "1.5 hours", "ninety minutes", "one and a half hours"],
        ["half an hour", "30 minutes", "thirty minutes", "0.5 hours"],
        ["a quarter of an hour", "15 minutes", "fifteen minutes"],
        ["two hours", "120 minutes", "2 hours", "2 h"],
        ["a day", "24 hours", "twenty-four hours", "one day"],
        ["two days", "48 hours", "forty-eight hours"],
        ["three days", "72 hours", "3 days"],
        ["a week", "seven days", "7 days", "one week"],
        ["two weeks", "a fortnight", "14 days", "fourteen days"],
        ["half a year", "six months", "6 months"],
        ["a year", "twelve months", "12 months", "one year"],
        ["a year and a half", "18 months", "eighteen months", "1.5 years"],
        ["two years", "24 months", "2 years"],
        ["ten years", "a decade", "10 years"],
        ["three quarters of an hour", "45 minutes", "forty-five minutes"],
        ["a minute", "60 seconds", "sixty seconds"],
        ["a quarter of a year", "three months", "3 months"],
        ["two minutes", "120 seconds"],
        ["half a second", "500 milliseconds", "500 ms"],
        ["two seconds", "2,000 milliseconds", "2 s"],
    ],
    "length": [
        ["one kilometre", "1,000 metres", "1 km", "a kilometre"],
        ["2.5 km", "2,500 metres", "two and a half kilometres"],
        ["half a metre", "50 centimetres", "50 cm", "0.5 m"],
        ["1.8 metres", "180 cm", "180 centimetres"],
        ["three metres", "3 m", "300 cm"],
        ["a mile", "1.6 kilometres", "about 1,600 metres"],
        ["ten centimetres", "100 millimetres", "10 cm"],
        ["42 kilometres", "42,000 metres", "forty-two kilometres"],
        ["five kilometres", "5 km", "5,000 m"],
        ["100 metres", "0.1 km", "a hundred metres"],
    ],
    "mass": [
        ["half a kilo", "500 grams", "500 g", "0.5 kg"],
        ["a kilogram", "1,000 grams", "1 kg", "one kilo"],
        ["a quarter of a kilo", "250 grams", "250 g"],
        ["a tonne", "1,000 kilograms", "1,000 kg"],
        ["1.5 kg", "1,500 grams", "one and a half kilos"],
        ["two tonnes", "2,000 kilograms", "2,000 kg"],
        ["2.2 pounds", "1 kilogram", "about a kilo"],
    ],
    "money": [
        ["$1.5 million", "1,500,000 dollars", "one and a half million dollars"],
        ["2 million euros", "€2,000,000", "two million euros"],
        ["half a million dollars", "$500,000", "500,000 dollars"],
        ["$2,000", "two thousand dollars", "2,000 dollars"],
        ["a billion dollars", "$1 billion", "1,000 million dollars"],
        ["50 cents", "half a dollar", "$0.50"],
        ["a hundred euros", "100 euros", "€100"],
        ["ten thousand dollars", "$10,000", "10k dollars"],
    ],
    "share": [
        ["half", "50 percent", "50 %", "fifty percent"],
        ["a quarter", "25 percent", "25 %", "one in four"],
        ["three quarters", "75 percent", "75 %", "three out of four"],
        ["a third", "one in three", "about 33 percent"],
        ["two thirds", "two out of three", "about 67 percent"],
        ["a fifth", "20 percent", "20 %", "one in five"],
        ["a tenth", "10 percent", "10 %", "one in ten"],
        ["two fifths", "40 percent", "40 %", "four out of ten"],
        ["four fifths", "80 percent", "80 %", "eight in ten"],
        ["one percent", "1 %", "one in a hundred"],
        ["nine out of ten", "90 percent", "90 %"],
        ["all", "100 percent", "100 %"],
    ],
    "count": [
        ["a dozen", "twelve", "12"],
        ["half a dozen", "six", "6"],
        ["two dozen", "twenty-four", "24"],
        ["a hundred", "100", "one hundred"],
        ["a thousand", "1,000", "one thousand"],
        ["a million", "1,000,000", "one million"],
        ["two and a half million", "2.5 million", "2,500,000"],
        ["a couple", "two", "2"],
        ["fifteen hundred", "1,500", "one thousand five hundred"],
        ["ten thousand", "10,000", "10k"],
        ["a score", "twenty", "20"],
        ["three", "3"],
        ["eighteen", "18"],
    ],
    "size": [
        ["1 GB", "1,000 megabytes", "one gigabyte"],
        ["half a gigabyte", "500 MB", "500 megabytes"],
        ["2 TB", "2,000 GB", "two terabytes"],
        ["64 KB", "64 kilobytes", "sixty-four kilobytes"],
    ],
    "volume": [
        ["half a litre", "500 ml", "500 millilitres"],
        ["a litre", "1,000 ml", "one litre"],
        ["two litres", "2,000 millilitres", "2 l"],
        ["a quarter of a litre", "250 ml"],
    ],
    "clock": [
        ["noon", "12 p.m.", "midday", "twelve o'clock"],
        ["5 p.m.", "five in the afternoon", "17:00"],
        ["9 a.m.", "nine in the morning", "9:00"],
        ["midnight", "0:00", "twelve at night"],
        ["half past seven", "7:30"],
        ["8 p.m.", "20:00", "eight in the evening"],
    ],
}

FRAMES: dict[str, list[list[str]]] = {
    "duration": [
        ["The flight takes {}.", "You will be in the air for {}.", "Flying time is {}."],
        ["Let the dough rest for {}.", "The dough needs {} of rest."],
        ["The warranty lasts {}.", "You are covered by the guarantee for {}."],
        ["The build takes {}.", "Building the project needs {}.", "A build runs for {}."],
        ["Recovery takes {}.", "Patients need {} to recover."],
        ["The training programme runs for {}.", "The course lasts {}."],
        ["The token expires after {}.", "A token stays valid for {}."],
        ["He waited for {}.", "His wait lasted {}."],
        ["Set the timeout to {}.", "The timeout should be {}.", "Use a timeout of {}."],
        ["The project was finished in {}.", "It took {} to finish the project."],
        ["Keep the data for {}.", "The data should be retained for {}."],
    ],
    "length": [
        ["The wall is {} long.", "The wall has a length of {}."],
        ["The hotel is {} from the beach.", "It is {} from the hotel to the beach."],
        ["She ran {}.", "The distance that she ran was {}."],
        ["The plant grows to a height of {}.", "The plant becomes {} tall."],
        ["Keep a distance of {}.", "Stay {} away."],
    ],
    "mass": [
        ["The recipe needs {} of flour.", "Use {} of flour."],
        ["The machine weighs {}.", "The weight of the machine is {}."],
        ["He lost {} in a month.", "Within a month his weight fell by {}."],
        ["Luggage may weigh up to {}.", "The limit for luggage is {}."],
    ],
    "money": [
        ["The project cost {}.", "They spent {} on the project.", "The bill came to {}."],
        ["The company raised {}.", "Investors gave the company {}."],
        ["The fine is {}.", "You have to pay a fine of {}."],
        ["The grant is worth {}.", "They receive a grant of {}."],
        ["She earns {} a year.", "Her yearly pay is {}."],
    ],
    "share": [
        ["{} of the students passed.", "The pass rate was {}."],
        ["{} of the patients recovered.", "Of the patients, {} got well."],
        ["{} of our traffic comes from phones.", "Phones account for {} of our traffic."],
        ["{} of the members voted for the plan.", "The plan was backed by {} of the members."],
        ["{} of the land is forest.", "Forest covers {} of the land."],
        ["{} of the energy is lost as heat.", "As heat, {} of the energy gets lost."],
    ],
    "count": [
        ["The team has {} members.", "There are {} people in the team."],
        ["{} people attended the talk.", "The talk had {} listeners."],
        ["They found {} errors.", "The number of errors found was {}."],
        ["The library holds {} books.", "There are {} books in the library."],
        ["The city has {} schools.", "You can find {} schools in the city."],
        ["Use {} replicas.", "Run the service with {} replicas."],
        ["{} countries signed the treaty.", "The treaty was signed by {} countries."],
    ],
    "size": [
        ["The file is {} large.", "The file takes up {}."],
        ["The process uses {} of memory.", "Memory use of the process is {}."],
        ["Each user gets {} of storage.", "Every user may store {}."],
    ],
    "volume": [
        ["Drink {} of water after training.", "After training you need {} of water."],
        ["The bottle holds {}.", "{} fit into the bottle."],
        ["Add {} of milk.", "The dough needs {} of milk."],
    ],
    "clock": [
        ["The meeting starts at {}.", "We begin the meeting at {}."],
        ["The office closes at {}.", "The office is open until {}."],
        ["The train leaves at {}.", "Departure of the train is at {}."],
    ],
}

WRAPS = [
    "{}",
    "{}",
    "{}",
    "I think that {}",
    "In my view, {}",
    "As far as I can tell, {}",
    "The evidence suggests that {}",
    "In short, {}",
    "To sum up, {}",
    "The answer: {}",
    "From what I have read, {}",
]


def low(text: str) -> str:
    """The sentence as it continues another one."""
    first = text.split(" ", 1)[0]
    if first in ("I", "AI", "GM", "REST", "JWTs") or first[1:].lower() != first[1:]:
        return text
    if first.strip(".,") in NAMES:
        return text
    return text[:1].lower() + text[1:]


NAMES = {
    "Postgres", "Rust", "Go", "Python", "Kotlin", "Java", "Kubernetes", "Canberra", "Sydney",
    "Australia", "Australia's", "Bitcoin", "Google", "Oracle", "Finland", "France", "Japan",
}  # fmt: skip


def wrapped(rng: Random, text: str) -> str:
    """The sentence, sometimes behind an opening that changes nothing."""
    pattern = rng.choice(WRAPS)
    return pattern.format(text if pattern == "{}" else low(text))


def capital(text: str) -> str:
    """The text with a capital first letter."""
    return text[:1].upper() + text[1:]


def quantities(rng: Random) -> Row:
    """The same or another quantity, in the same or other words."""
    kind = rng.choice(list(FRAMES))
    frame = rng.choice(FRAMES[kind])
    first, second = rng.choice(frame), rng.choice(frame)
    group = rng.choice(EQUALS[kind])
    if rng.random() < 0.5:
        one, two = rng.sample(group, 2) if rng.random() < 0.85 else (group[0], group[0])
        return "A", capital(first.format(one)), capital(second.format(two))
    other = rng.choice([g for g in EQUALS[kind] if g is not group])
    a, b = first.format(rng.choice(group)), second.format(rng.choice(other))
    return "D", capital(a), capital(b)


NOUNS = (
    "students|patients|members|houses|trees|orders|accidents|visitors|soldiers|species|requests|"
    "servers|farms|voters|tickets|islands|cases|employees|shops|bugs"
).split("|")
COUNTED = [
    ["The report lists {} {}.", "According to the report there were {} {}."],
    ["There are {} {} in total.", "The total number of {1} is {0}."],
    ["We counted {} {}.", "Our count came to {} {}."],
    ["About {} {} were affected.", "Roughly {} {} suffered from it."],
    ["The region has {} {}.", "In the region you find {} {}."],
]


def numbers(rng: Random) -> Row:
    """A bare number as digits or words, equal, near or different."""
    n = rng.choice([rng.randint(2, 99), rng.randint(1, 90) * 10, rng.randint(1, 300) * 1000])
    noun, frame = rng.choice(NOUNS), rng.choice(COUNTED)
    kind = rng.random()
    if kind < 0.4:
        m, label = n, "A"
    elif kind < 0.8:
        m, label = n * rng.choice([2, 3, 5, 10]) + rng.randint(0, 9), "D"
    else:
        return bounds(rng, n, noun)
    shown = [rng.choice([f"{k:,}", in_words(k) if k < 1_000_000 else f"{k:,}"]) for k in (n, m)]
    first, second = rng.choice(frame), rng.choice(frame)
    return label, capital(first.format(shown[0], noun)), capital(second.format(shown[1], noun))


def bounds(rng: Random, n: int, noun: str) -> Row:
    """A number against a bound: inside it neither, outside it a conflict."""
    low_side = rng.random() < 0.5
    bound = rng.choice(["at least", "more than"] if low_side else ["at most", "fewer than"])
    inside = rng.random() < 0.5
    factor = rng.choice([2, 3, 4])
    limit = max(1, n // factor) if low_side == inside else n * factor
    a = f"There are {n:,} {noun}."
    b = f"There are {bound} {limit:,} {noun}."
    pair = (a, b) if rng.random() < 0.5 else (b, a)
    return ("P" if inside else "D", *pair)


THINGS = [
    ("the train", "the bus"), ("plan A", "plan B"), ("Python", "Ruby"), ("wood", "brick"),
    ("the old model", "the new model"), ("Redis", "Memcached"), ("tea", "coffee"),
    ("renting", "buying"), ("the north route", "the south route"), ("Vue", "React"),
    ("solar power", "wind power"), ("the first draft", "the second draft"), ("Linux", "Windows"),
    ("a tablet", "a laptop"), ("Anna's design", "Ben's design"), ("cotton", "wool"),
    ("the larger team", "the smaller team"), ("Kafka", "RabbitMQ"), ("steel", "aluminium"),
    ("surgery", "physiotherapy"), ("method X", "method Y"), ("Spain", "Portugal"),
    ("the private school", "the public school"), ("bonds", "shares"), ("Angular", "Svelte"),
    ("ibuprofen", "paracetamol"), ("a fixed rate", "a variable rate"), ("Postgres", "MySQL"),
    ("the morning shift", "the night shift"), ("oat milk", "cow's milk"), ("glass", "plastic"),
]  # fmt: skip
GRADES = [
    ("faster", "slower", "speed"), ("cheaper", "more expensive", "price"),
    ("safer", "more dangerous", "safety"), ("easier", "harder", "ease of use"),
    ("better", "worse", "quality"), ("healthier", "less healthy", "health"),
    ("more reliable", "less reliable", "reliability"), ("quieter", "louder", "noise"),
    ("more accurate", "less accurate", "accuracy"), ("more popular", "less popular", "popularity"),
    ("simpler", "more complicated", "simplicity"), ("more efficient", "less efficient", "efficiency"),
    ("more durable", "less durable", "durability"), ("cleaner", "dirtier", "cleanliness"),
]  # fmt: skip


def _ranked(rng: Random, up: str, down: str, topic: str, x: str, y: str) -> str:
    """One way to say that x is more than y."""
    return rng.choice(
        [
            f"{x} is {up} than {y}.",
            f"{y} is {down} than {x}.",
            f"Compared with {y}, {x} is {up}.",
            f"Of the two, {x} is the {up} one, not {y}.",
            f"{x} beats {y} on {topic}.",
            f"When it comes to {topic}, {x} wins over {y}.",
            f"On {topic}, {y} loses to {x}.",
            f"{y} is not as good as {x} in terms of {topic}.",
            f"{x} is {up}, {y} is {down}.",
        ]
    )


def comparisons(rng: Random) -> Row:
    """Who is ahead of whom, in either order and with either adjective."""
    x, y = rng.sample(rng.choice(THINGS), 2)
    up, down, topic = rng.choice(GRADES)
    a = _ranked(rng, up, down, topic, x, y)
    kind = rng.random()
    if kind < 0.4:
        b, label = _ranked(rng, up, down, topic, x, y), "A"
    elif kind < 0.7:
        b, label = _ranked(rng, up, down, topic, y, x), "D"
    elif kind < 0.8:
        b = rng.choice([f"{x} and {y} are equal on {topic}.", f"{x} is not {up} than {y}."])
        label = "D"
    else:
        other = rng.choice([g for g in GRADES if g[2] != topic and g[0] not in ("better",)])
        b, label = _ranked(rng, *other, x, y), "P"
    return label, capital(wrapped(rng, a)), capital(wrapped(rng, b))


TOOLS = [
    ("for the database", ["Postgres", "MongoDB", "SQLite", "Cassandra", "DynamoDB"]),
    ("for the frontend", ["React", "Vue", "Svelte", "plain HTML with htmx", "Angular"]),
    ("for the service", ["Rust", "Go", "Java", "Python", "Elixir", "C#"]),
    ("to deploy it", ["Kubernetes", "a single virtual machine", "serverless functions", "Heroku"]),
    ("for the message queue", ["Kafka", "RabbitMQ", "Redis streams", "SQS"]),
    ("for the cache", ["Redis", "Memcached", "an in-process cache", "a CDN"]),
    ("for the model", ["a random forest", "a neural network", "logistic regression", "XGBoost"]),
    ("to manage state", ["Redux", "Zustand", "plain component state", "a server-side store"]),
    ("for testing", ["unit tests", "end-to-end tests", "property-based tests", "manual testing"]),
    ("to treat the pain", ["ibuprofen", "physiotherapy", "surgery", "rest", "heat"]),
    ("for the floor", ["oak", "tiles", "laminate", "linoleum"]),
    ("to get there", ["the train", "a rental car", "a flight", "the ferry"]),
    ("for retirement", ["index funds", "real estate", "government bonds", "gold"]),
    ("for heating", ["a heat pump", "a gas boiler", "wood pellets", "district heating"]),
    ("to authenticate users", ["passkeys", "passwords", "magic links", "OAuth"]),
    ("for logging", ["structured JSON logs", "plain text logs", "a tracing system"]),
    ("for the bread", ["rye flour", "wheat flour", "spelt flour"]),
    ("for learning to read", ["phonics", "whole-word teaching", "a mixed method"]),
]
PICKS = [
    "Use {x} {p}.", "I would use {x} {p}.", "{x} is the right choice {p}.", "Go with {x} {p}.",
    "I recommend {x} {p}.", "{x} is what I'd pick {p}.", "My advice is to take {x} {p}.",
    "You should choose {x} {p}.", "The best option {p} is {x}.", "{x} wins {p}.",
    "Nothing beats {x} {p}.", "I'd reach for {x} {p}.",
]  # fmt: skip
AGAINST = [
    "Do not use {x} {p}.", "Avoid {x} {p}.", "{x} is the wrong choice {p}.",
    "I would stay away from {x} {p}.", "I advise against {x} {p}.", "{x} is a poor fit {p}.",
]  # fmt: skip
OVER = [
    "Prefer {x} to {y} {p}.", "Choose {x} over {y} {p}.", "Use {x} instead of {y} {p}.",
    "{x} is better than {y} {p}.", "Use {x}, not {y}, {p}.", "I'd take {x} rather than {y} {p}.",
    "Skip {y} and use {x} {p}.", "{y} is the wrong tool {p}; take {x}.",
]  # fmt: skip
EITHER = [
    "Both {x} and {y} work {p}.", "{x} or {y} {p}: it depends on your team.",
    "Start with {x} and move to {y} later {p}.", "{x} is fine {p} unless you need what {y} offers.",
]  # fmt: skip


def advice(rng: Random) -> Row:
    """Recommendations of one tool, of another, against one, or of either."""
    purpose, tools = rng.choice(TOOLS)
    x, y = rng.sample(tools, 2)

    def say(forms: list[str], x: str, y: str) -> str:
        return capital(wrapped(rng, capital(rng.choice(forms).format(x=x, y=y, p=purpose))))

    pro = say(PICKS + OVER, x, y)
    kind = rng.random()
    if kind < 0.33:
        return "A", pro, say(PICKS + OVER, x, y)
    if kind < 0.55:
        return "D", pro, say(PICKS + OVER, y, x)
    if kind < 0.67:
        return "D", pro, say(AGAINST, x, y)
    if kind < 0.85:
        return "P", pro, say(EITHER, *rng.sample([x, y], 2))
    other = rng.choice([t for t in TOOLS if t[0] != purpose])
    text = rng.choice(PICKS).format(x=rng.choice(other[1]), p=other[0])
    return "P", pro, capital(text)


PEOPLE = (
    "Anna|Boris|Chen|Dario|the mayor|the bank|Intel|the union|France|the editor|Nokia|Peru|the lion|"
    "the client|the server|the cat|the doctor|Spain|the captain|the judge|the north|the left team|"
    "Maria|the buyer|the farmer|the committee|Samsung|the youngest child|the controller|the worker"
)
ACTIONS = [
    ("sued", "was sued by"), ("bought", "was bought by"), ("defeated", "was beaten by"),
    ("hired", "was hired by"), ("criticised", "was criticised by"), ("paid", "was paid by"),
    ("invited", "was invited by"), ("overtook", "was overtaken by"), ("taught", "was taught by"),
    ("lent money to", "borrowed money from"), ("sold the house to", "bought the house from"),
    ("calls", "is called by"), ("feeds", "is fed by"), ("replaced", "was replaced by"), ("controls", "is controlled by"),
    ("sends messages to", "receives messages from"), ("depends on", "is needed by"), ("supports", "is supported by"),
    ("drove from Rome to", "was reached from Rome by"), ("wrote to", "got a letter from"), ("protects", "is protected by"),
    ("followed", "was followed by"), ("trusts", "is trusted by"), ("owes money to", "is owed money by"),
]  # fmt: skip


def swaps(rng: Random) -> Row:
    """Who did what to whom."""
    x, y = rng.sample(PEOPLE.split("|"), 2)
    active, passive = rng.choice(ACTIONS)
    forms = [f"{x} {active} {y}.", f"{y} {passive} {x}.", f"It was {x} who {active} {y}."]
    back = [
        f"{y} {active} {x}.",
        f"{x} {passive} {y}.",
        f"{y} {active} {x}, not the other way round.",
    ]
    a = capital(rng.choice(forms))
    if rng.random() < 0.45:
        return "A", a, capital(rng.choice(forms))
    if rng.random() < 0.8:
        return "D", a, capital(rng.choice(back))
    verb = rng.choice([v for v, _ in ACTIONS if v != active])
    return "P", a, capital(f"{x} {verb} {y}.")


PLACES = [
    ("the sea", "the lake"), ("the attic", "the cellar"), ("Berlin", "Prague"), ("the old server", "the new server"),
    ("the queue", "the database"), ("the left bank", "the right bank"), ("the savings account", "the current account"),
    ("the kitchen", "the hall"), ("Asia", "Europe"), ("the phone", "the laptop"),
]  # fmt: skip
MOVES = ["Goods move from {} to {}.", "Water flows from {} into {}.", "We moved the data from {} to {}.",
         "The road leads from {} to {}.", "Transfer the money from {} to {}.", "Heat passes from {} to {}."]  # fmt: skip
USERS = [("adults", "children"), ("guests", "staff"), ("beginners", "experts"), ("cars", "bicycles"), ("day", "night"),
         ("summer", "winter"), ("reading", "writing"), ("men", "women"), ("cats", "dogs")]  # fmt: skip
OBJECTS = [("the tablets", "the syrup"), ("the front door", "the back door"), ("the red cable", "the blue cable"),
           ("plan one", "plan two"), ("the upper floor", "the lower floor"), ("port 80", "port 443")]  # fmt: skip


def directions(rng: Random) -> Row:
    """From where to where, and which thing is for whom."""
    if rng.random() < 0.5:
        x, y = rng.sample(rng.choice(PLACES), 2)
        move = rng.choice(MOVES)
        a = move.format(x, y)
        same = wrapped(rng, a)
        back = move.format(y, x)
    else:
        (x, y), (u, v) = rng.sample(rng.choice(OBJECTS), 2), rng.sample(rng.choice(USERS), 2)
        word = rng.choice(["is for", "is meant for", "should be used for"])
        a = capital(f"{x} {word} {u} and {y} {word} {v}.")
        same = capital(f"{y} {word} {v}, {x} {word} {u}.")
        back = capital(
            rng.choice([f"{y} {word} {u} and {x} {word} {v}.", f"{x} {word} {v}, {y} {word} {u}."])
        )
    return ("A", a, same) if rng.random() < 0.45 else ("D", a, back)


EVENTS = [
    ("the contract was signed", "the work began"), ("the alarm rang", "the doors closed"),
    ("the fire broke out", "the roof collapsed"), ("the paper was published", "the data leaked"),
    ("the cache was cleared", "the error appeared"), ("she left the company", "it went public"),
    ("the king died", "the war started"), ("the tests were run", "the release was made"),
    ("the price rose", "the shortage was announced"), ("he moved to Rome", "he married"),
    ("the bridge opened", "the ferry stopped running"), ("the server restarted", "logs went missing"),
]  # fmt: skip


def order(rng: Random) -> Row:
    """Which of two events came first."""
    x, y = rng.sample(rng.choice(EVENTS), 2)

    def said(x: str, y: str) -> str:
        return capital(
            rng.choice(
                [
                    f"{x} before {y}.", f"{y} after {x}.", f"First {x}, then {y}.",
                    f"Before {y}, {x}.", f"After {x}, {y}.", f"Only once {x} did it happen that {y}.",
                    f"{y} later than {x}.", f"By the time {y}, it was already true that {x}.",
                ]
            )
        )  # fmt: skip

    if rng.random() < 0.5:
        return "A", said(x, y), said(x, y)
    return "D", said(x, y), said(y, x)


YEARS = ["The company was founded in {}.", "The treaty was signed in {}.", "He was born in {}.",
         "The law has been in force since {}.", "The bridge was finished in {}.",
         "The first version came out in {}."]  # fmt: skip


def years(rng: Random) -> Row:
    """Dates: equal, different, or bounded."""
    frame, year = rng.choice(YEARS), rng.randint(1850, 2024)
    a = frame.format(year)
    kind = rng.random()
    if kind < 0.35:
        return "A", a, wrapped(rng, frame.format(year))
    if kind < 0.75:
        return (
            "D",
            a,
            wrapped(rng, frame.format(year + rng.choice([-30, -12, -5, -1, 1, 2, 4, 15]))),
        )
    bound = year + rng.choice([-20, -5, 5, 20])
    word = rng.choice(["before", "after"])
    inside = (year < bound) == (word == "before")
    b = frame.replace(" in {}", f" {word} {bound}").replace("since {}", f"since {word} {bound}")
    return "A" if inside and rng.random() < 0.5 else ("P" if inside else "D"), a, b


SETS = [
    ("students", "passed the exam", "failed the exam"), ("birds", "can fly", "are unable to fly"),
    ("employees", "support the plan", "oppose the plan"), ("tests", "passed", "failed"),
    ("houses", "have a garden", "have no garden"), ("users", "use a phone", "do without a phone"),
    ("requests", "succeed", "fail"), ("guests", "enjoyed the meal", "disliked the meal"),
    ("patients", "recover fully", "never recover fully"), ("flights", "leave on time", "leave late"),
    ("countries", "signed the treaty", "refused to sign the treaty"), ("studies", "confirm it", "contradict it"),
    ("shops", "open on Sundays", "stay closed on Sundays"), ("rivers", "are clean", "are polluted"),
    ("teachers", "use tablets", "avoid tablets"), ("servers", "run Linux", "do not run Linux"),
]  # fmt: skip
AMOUNTS: dict[str, list[str]] = {
    "all": ["All {n} {v}.", "Every one of the {n} is such that they {v}.", "Without exception, the {n} {v}.",
            "There are no {n} that {w}.", "None of the {n} {w}."],
    "none": ["None of the {n} {v}.", "No {n} {v}.", "All {n} {w}.", "There are no {n} that {v}.", "Not a single one of the {n} falls in the group that {v}."],
    "most": ["Most {n} {v}.", "The majority of {n} {v}.", "More than half of the {n} {v}.", "Only a minority of {n} {w}.",
             "The greater part of the {n} {v}."],
    "few": ["Few {n} {v}.", "Hardly any {n} {v}.", "Only a small minority of {n} {v}.", "Most {n} {w}.",
            "The majority of {n} {w}."],
    "notall": ["Not all {n} {v}.", "Some {n} {w}.", "There are {n} that {w}.", "It is not true that all {n} {v}."],
    "some": ["Some {n} {v}.", "There are {n} that {v}.", "At least a few {n} {v}."],
}  # fmt: skip
CLASH = {("all", "none"), ("all", "few"), ("most", "few"), ("most", "none"), ("all", "notall"),
         ("some", "none")}  # fmt: skip


def quantifiers(rng: Random) -> Row:
    """How many of a set: all, most, some, few, none."""
    n, v, w = rng.choice(SETS)
    x, y = rng.choice(list(AMOUNTS)), rng.choice(list(AMOUNTS))
    if rng.random() < 0.35:
        y = x
    a, b = (rng.choice(AMOUNTS[k]).format(n=n, v=v, w=w) for k in (x, y))
    label = "A" if x == y else "D" if (x, y) in CLASH or (y, x) in CLASH else "P"
    return label, a, b


DEEDS = [
    ("wear a mask", "visitors"), ("sign the form", "patients"), ("show a passport", "travellers"),
    ("encrypt the backup", "administrators"), ("pay the fee", "members"), ("use two-factor login", "users"),
    ("attend the briefing", "drivers"), ("publish the results", "researchers"), ("turn off the phone", "guests"),
    ("register in advance", "participants"), ("review each change", "developers"), ("fast before surgery", "patients"),
]  # fmt: skip
MODALS: dict[str, list[str]] = {
    "must": ["{s} must {d}.", "{s} have to {d}.", "It is mandatory for {s} to {d}.", "{s} are required to {d}.",
             "There is no way around it: {s} have to {d}."],
    "free": ["{s} need not {d}.", "It is optional for {s} to {d}.", "{s} don't have to {d}.", "{s} are under no obligation to {d}.",
             "Nobody forces {s} to {d}."],
    "mustnot": ["{s} must not {d}.", "{s} are forbidden to {d}.", "{s} are not allowed to {d}.", "It is prohibited for {s} to {d}."],
    "may": ["{s} may {d}.", "{s} are allowed to {d}.", "It is permitted for {s} to {d}.", "{s} can {d} if they like."],
    "should": ["{s} should {d}.", "It is advisable for {s} to {d}.", "{s} would do well to {d}.", "{s} ought to {d}."],
    "shouldnot": ["{s} should not {d}.", "It is inadvisable for {s} to {d}.", "{s} had better not {d}.", "{s} ought not to {d}."],
}  # fmt: skip
MODAL_CLASH = {("must", "free"), ("must", "mustnot"), ("may", "mustnot"), ("should", "shouldnot"),
               ("must", "shouldnot"), ("should", "mustnot")}  # fmt: skip


def modality(rng: Random) -> Row:
    """Must, may, should, need not and must not."""
    d, s = rng.choice(DEEDS)
    x, y = rng.choice(list(MODALS)), rng.choice(list(MODALS))
    if rng.random() < 0.35:
        y = x
    if {x, y} == {"mustnot", "shouldnot"}:
        y = x
    a, b = (capital(rng.choice(MODALS[k]).format(s=s, d=d)) for k in (x, y))
    clash = (x, y) in MODAL_CLASH or (y, x) in MODAL_CLASH
    return "A" if x == y else "D" if clash else "P", a, b


# A fact, its negation, and a condition that could decide it.
FACTS = [
    ("the treatment works", "the treatment does not work", "the patient is young"),
    ("the bridge is safe", "the bridge is unsafe", "the load is light"),
    ("prices will rise", "prices will fall", "the drought goes on"),
    ("the server can handle the load", "the server cannot handle the load", "caching is on"),
    ("the plan is legal", "the plan is illegal", "the council agrees"),
    ("we should accept the offer", "we should refuse the offer", "they pay in advance"),
    ("the match takes place", "the match is cancelled", "the weather stays dry"),
    ("the software is ready", "the software is not ready", "the last bug is fixed"),
    ("the diet helps", "the diet does not help", "people keep to it"),
    ("the witness is telling the truth", "the witness is lying", "the camera confirms it"),
    ("you should refinance the loan", "you should keep the loan as it is", "rates drop further"),
    ("the team will win", "the team will lose", "the captain plays"),
    ("the index makes the query faster", "the index does not make the query faster", "the table is large"),
    ("the mushroom is edible", "the mushroom is poisonous", "it is cooked"),
    ("the dog may travel on the train", "the dog is not allowed on the train", "it wears a muzzle"),
    ("the investment is worth it", "the investment is a waste of money", "you stay for ten years"),
]  # fmt: skip
CONDITIONS = ["If {c}, {f}.", "{f} if {c}.", "{f} provided that {c}.", "{f} when {c}.", "{f} as long as {c}.", "In the case that {c}, {f}."]  # fmt: skip
NECESSARY = ["{f} only if {c}.", "Only if {c} is it true that {f}.", "Unless {c}, {n}."]
REGARDLESS = ["{f} whether or not {c}.", "{f}, no matter whether {c}.", "{f} in any case, even if it is not true that {c}."]  # fmt: skip


def conditionals(rng: Random) -> Row:
    """Conditions against unconditional statements, other conditions and denials."""
    f, n, c = rng.choice(FACTS)
    if rng.random() < 0.3:
        f, n = n, f

    def say(forms: list[str], f: str, n: str) -> str:
        return capital(rng.choice(forms).format(f=f, n=n, c=c))

    kind = rng.random()
    if kind < 0.2:
        return "A", say(CONDITIONS, f, n), say(CONDITIONS, f, n)
    if kind < 0.4:
        return "D", say(CONDITIONS, f, n), say(CONDITIONS, n, f)
    if kind < 0.5:
        return "D", say(NECESSARY, f, n), say(REGARDLESS, f, n)
    if kind < 0.6:
        return "D", say(CONDITIONS + NECESSARY, f, n), say(REGARDLESS, n, f)
    if kind < 0.66:
        return "A", say(NECESSARY, f, n), say(NECESSARY, f, n)
    other = capital(wrapped(rng, capital(rng.choice([f, f, n]) + ".")))
    pair = [say(CONDITIONS + NECESSARY, f, n), other]
    rng.shuffle(pair)
    return "P", pair[0], pair[1]


HEDGES: dict[str, list[str]] = {
    "sure": ["{f}.", "It is certain that {f}.", "Without doubt, {f}.", "{f}, and there is no question about it.", "Clearly, {f}."],
    "likely": ["Probably {f}.", "It is likely that {f}.", "I tend to think that {f}.", "Most evidence suggests that {f}.",
               "In all likelihood {f}.", "I would say that {f}, though I am not entirely sure."],
    "open": ["It is possible that {f}.", "Perhaps {f}, perhaps not.", "I am not sure whether {f}.", "Nobody knows whether {f}.",
             "It is unclear whether {f}.", "It depends; sometimes {f} and sometimes not.", "The evidence on whether {f} is mixed."],
    "unlikely": ["It is unlikely that {f}.", "I doubt that {f}.", "There is little reason to believe that {f}.", "Probably {n}."],
    "no": ["{n}.", "It is not true that {f}.", "I disagree: {n}.", "The claim that {f} is wrong.", "Clearly, {n}.", "It is a myth that {f}."],
}  # fmt: skip
HEDGE_LABEL = {
    "sure": dict(sure="A", likely="A", open="P", unlikely="D", no="D"),
    "likely": dict(likely="A", open="P", unlikely="D", no="D"),
    "open": dict(open="A", unlikely="P", no="P"),
    "unlikely": dict(unlikely="A", no="A"),
    "no": dict(no="A"),
}


def hedges(rng: Random) -> Row:
    """From certain over possible to denied."""
    f, n, _ = rng.choice(FACTS)
    x, y = sorted((rng.choice(list(HEDGES)) for _ in range(2)), key=list(HEDGES).index)
    texts = [capital(rng.choice(HEDGES[k]).format(f=f, n=n)) for k in (x, y)]
    label = HEDGE_LABEL[x][y]
    rng.shuffle(texts)
    return label, texts[0], texts[1]


def negations(rng: Random) -> Row:
    """Denials, double denials and denials of the opposite."""
    f, n, _ = rng.choice(FACTS)
    yes = ["{f}.", "It is not the case that {n}.", "Nobody can deny that {f}.", "There is no doubt that {f}.",
           "It would be wrong to say that {n}.", "It is true that {f}.", "The idea that {n} is false.",
           "I do not believe that {n}.", "It is not as if {n}.", "I fully agree that {f}."]  # fmt: skip
    a = rng.choice(yes).format(f=f, n=n)
    if rng.random() < 0.5:
        return "A", capital(a), capital(rng.choice(yes).format(f=f, n=n))
    return "D", capital(a), capital(rng.choice(yes).format(f=n, n=f))


ASPECTS = [
    ("fast", "slow"), ("cheap", "expensive"), ("reliable", "unreliable"), ("easy to use", "hard to use"),
    ("quiet", "noisy"), ("well designed", "badly designed"), ("safe", "unsafe"), ("popular", "unpopular"),
    ("light", "heavy"), ("modern", "outdated"), ("useful", "useless"), ("well documented", "poorly documented"),
]  # fmt: skip
SUBJECTS = (
    "The new phone|This library|The city's metro|The proposal|The online course|The hotel|Our app|"
    "The method|The framework|The restaurant|The software|The camera|The policy|The vaccine"
).split("|")


def overlaps(rng: Random) -> Row:
    """Two aspects at once: both shared, one shared, none shared."""
    subject = rng.choice(SUBJECTS)
    (a1, a0), (b1, b0), (c1, _) = rng.sample(ASPECTS, 3)
    one = rng.choice(
        [
            f"{subject} is {a1} and {b1}.",
            f"{subject} is both {a1} and {b1}.",
            f"{subject} is {a1}; it is also {b1}.",
        ]
    )
    kind = rng.random()
    if kind < 0.25:
        return (
            "A",
            one,
            rng.choice([f"{subject} is {b1} and {a1}.", f"{subject} is neither {a0} nor {b0}."]),
        )
    if kind < 0.45:
        return (
            "D",
            one,
            rng.choice([f"{subject} is {a0} and {b0}.", f"{subject} is neither {a1} nor {b1}."]),
        )
    if kind < 0.8:
        two = [
            f"{subject} is {a1} but {b0}.",
            f"{subject} is {a1}, yet it is {b0}.",
            f"While {low(subject)} is {b0}, it is {a1}.",
        ]
        return "P", one, rng.choice(two)
    return "P", one, rng.choice([f"{subject} is {a1} and {c1}.", f"{subject} is {c1}."])


SYNONYMS = [
    ("developers", "software engineers", "programmers"), ("doctors", "physicians", "medical professionals"),
    ("cars", "automobiles", "motor vehicles"), ("children", "kids", "young people"), ("lawyers", "attorneys", "solicitors"),
    ("teachers", "educators", "school staff"), ("companies", "firms", "businesses"), ("films", "movies", "motion pictures"),
    ("big cities", "large towns", "metropolitan areas"), ("employees", "workers", "staff members"),
    ("old people", "the elderly", "senior citizens"), ("shops", "stores", "retailers"), ("police officers", "cops", "law enforcement"),
    ("bugs", "software defects", "programming errors"), ("customers", "clients", "buyers"),
]  # fmt: skip
SAYINGS = [
    ("{} should be paid more", "{} deserve higher pay", "{} should not be paid more"),
    ("{} are important for society", "society depends on {}", "{} are of no importance for society"),
    ("there are too many {}", "the number of {} is too high", "there are too few {}"),
    ("{} cause more problems than they solve", "{} do more harm than good", "{} do more good than harm"),
    ("{} will be replaced by AI", "AI is going to take the place of {}", "AI will never replace {}"),
    ("{} deserve our trust", "we can trust {}", "{} cannot be trusted"),
    ("{} have become more expensive", "the price of {} has gone up", "{} have become cheaper"),
    ("the government should support {}", "{} ought to get help from the state", "the state should give {} no support"),
    ("{} are often misunderstood", "people frequently get {} wrong", "hardly anyone misunderstands {}"),
]  # fmt: skip


def synonyms(rng: Random) -> Row:
    """Other words for the same people and things."""
    group = rng.choice(SYNONYMS)
    x, y = rng.choice(group), rng.choice(group)
    said, again, denied = rng.choice(SAYINGS)
    kind = rng.random()
    a = rng.choice([said, again]).format(x)
    if kind < 0.45:
        b, label = rng.choice([said, again]).format(y), "A"
    elif kind < 0.75:
        b, label = denied.format(y), "D"
    elif kind < 0.88:
        b, label = rng.choice([s for s in SAYINGS if s[0] != said])[0].format(y), "P"
    else:
        b, label = said.format(rng.choice([g for g in SYNONYMS if g is not group])[0]), "P"
    return label, capital(wrapped(rng, capital(a) + ".")), capital(b + ".")


KINDS: dict[str, tuple[Callable[[Random], Row], int]] = {
    "quantities": (quantities, 3500),
    "numbers": (numbers, 2000),
    "comparisons": (comparisons, 3000),
    "advice": (advice, 2500),
    "swaps": (swaps, 3000),
    "directions": (directions, 1500),
    "order": (order, 1500),
    "years": (years, 1500),
    "quantifiers": (quantifiers, 3000),
    "modality": (modality, 3000),
    "conditionals": (conditionals, 3500),
    "hedges": (hedges, 3500),
    "negations": (negations, 2500),
    "overlaps": (overlaps, 3000),
    "synonyms": (synonyms, 2500),
}
