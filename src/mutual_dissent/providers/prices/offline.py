"""The offline table of prices (genai-prices), and what a home remembers of it.

Importing it takes a tenth of a second and 15 MB, and a debate asks for a few models' prices alone.
What they came to is kept in a file, so that most processes never import it.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from mutual_dissent.providers.prices.cache import read_bounded, replace_file

if TYPE_CHECKING:
    from genai_prices.types import ModelInfo
    from genai_prices.types import Provider as Maker

MOST_ENTRIES = 10_000
FORMAT = 1
"""Changes with what is kept, so that files of earlier versions are not read."""
_STRIDE = 1_000
"""Tokens between two calls whose prices are compared; steps are much further apart."""


@dataclass(frozen=True, slots=True)
class PriceStep:
    """Dollars a token, and a call, of calls with more than so many tokens of input."""

    above: int
    prompt: float
    completion: float
    cached: float
    request: float


@dataclass(frozen=True, slots=True)
class PlainPrice:
    """A model's price, if it depends on tokens alone, and its context size.

    Attributes:
        steps: the lowest first; with a longer input, the next one holds for all of its tokens.
    """

    steps: tuple[PriceStep, ...]
    window: int | None = None

    def cost(self, input_tokens: int, output_tokens: int, cached_tokens: int) -> float:
        """Return the dollars for a call."""
        step = next((s for s in reversed(self.steps) if input_tokens > s.above), self.steps[0])
        dollars = (
            (input_tokens - cached_tokens) * step.prompt
            + cached_tokens * step.cached
            + output_tokens * step.completion
            + step.request
        )
        # Sums of floats: 0.1 + 0.2 is a little more than 0.3, and no bill has so many digits.
        return round(dollars, 12)


Known = dict[str, PlainPrice | None]
"""Name of a model -> its price; None if the table has no such model."""


class OfflinePrices:
    """The offline table, imported when a price is asked that is not kept."""

    def __init__(self, kept: Path | None = None) -> None:
        """Read what is kept in that file, if it is of the table that is installed."""
        self._file = kept
        self._known: Known = _read_kept(kept) if kept else {}
        self._new = False
        self._by_day: set[str] = set()  # looked up, and nothing that can be kept

    def knows(self, names: Iterable[tuple[str, str]]) -> bool:
        """Return whether the prices of these models, by provider and id, need no import."""
        return all(self._is_looked_up(_name(*n)) for n in names)

    def _is_looked_up(self, name: str) -> bool:
        return name in self._known or name in self._by_day

    def learn(self, names: Iterable[tuple[str, str]]) -> None:
        """Look these models up, and remember what the table says, as far as it can be kept."""
        wanted = {_name(*n): n for n in names if not self._is_looked_up(_name(*n))}
        new = {name: self._table.plain(*n) for name, n in wanted.items()}
        found: Known = {n: plain for n, plain in new.items() if not isinstance(plain, NotPlain)}
        self._by_day |= new.keys() - found.keys()
        if found and len(self._known) < MOST_ENTRIES:
            self._known = {**self._known, **found}
            self._new = True

    def keep(self) -> None:
        """Write what was learned; not by itself, since it tells which models somebody asked."""
        if self._file and self._new:
            self._new = False
            with suppress(OSError):  # the next process looks it up again
                _keep(self._file, self._known)

    def cost(
        self, provider: str, model_id: str, tokens_in: int, tokens_out: int, cached: int
    ) -> float | None:
        """Return the dollars for a call, or None for a model that is not in the table."""
        name = _name(provider, model_id)
        if name in self._known:
            plain = self._known[name]
            return plain.cost(tokens_in, tokens_out, cached) if plain else None
        price = self._table.price(provider, model_id, tokens_in, tokens_out, cached)
        return None if price is None else float(price)

    def window(self, provider: str, model_id: str) -> int | None:
        """Return the tokens that a model takes, if the table says so."""
        name = _name(provider, model_id)
        if name in self._known:
            plain = self._known[name]
            return plain.window if plain else None
        entry = self._table.entry(provider, model_id)
        return entry[1].context_window if entry else None

    def ids(self, provider: str) -> Iterator[str]:
        """Yield the ids of a provider's models that are not being retired."""
        yield from self._table.ids(provider)

    @cached_property
    def _table(self) -> _Table:
        return _Table()


class NotPlain:
    """A price that depends on the day or the hour, so that it is asked of the table each time."""


class _Table:
    """The table itself."""

    def __init__(self) -> None:
        from genai_prices import Usage
        from genai_prices.data_snapshot import get_snapshot

        self._usage = Usage
        self._snapshot = get_snapshot()
        self._entries: dict[tuple[str, str], tuple[Maker, ModelInfo] | None] = {}

    def price(
        self, provider: str, model_id: str, tokens_in: int, tokens_out: int = 0, cached: int = 0
    ) -> Decimal | None:
        """Return the price of a call today; None if there is none."""
        entry = self.entry(provider, model_id)
        if entry is None:
            return None
        maker, model = entry
        usage = self._usage(
            input_tokens=tokens_in, output_tokens=tokens_out, cache_read_tokens=cached
        )
        try:
            price = model.calc_price(usage, maker, genai_request_timestamp=datetime.now(UTC))
        except (LookupError, ValueError):
            return None
        return price.total_price

    def plain(self, provider: str, model_id: str) -> PlainPrice | NotPlain | None:
        """Return the price of a model in a form that can be kept; None if it is not listed."""
        from genai_prices.types import TieredPrices

        entry = self.entry(provider, model_id)
        if entry is None:
            return None
        model = entry[1]
        if isinstance(model.prices, list):
            return NotPlain()
        tiers = [p for p in vars(model.prices).values() if isinstance(p, TieredPrices)]
        starts = sorted({0, *(tier.start for p in tiers for tier in p.tiers)})
        steps = [self._step(provider, model_id, start) for start in starts]
        known = tuple(s for s in steps if s)
        return PlainPrice(known, model.context_window) if len(known) == len(steps) else NotPlain()

    def _step(self, provider: str, model_id: str, above: int) -> PriceStep | None:
        """Return the price of calls above a length, told from the prices of four of them."""
        least = above + 1
        calls = ((least,), (least + _STRIDE,), (least, _STRIDE), (least, 0, least))
        prices = [self.price(provider, model_id, *call) for call in calls]
        if None in prices:
            return None
        one, more, with_answer, from_cache = (p or Decimal(0) for p in prices)
        prompt = (more - one) / _STRIDE
        fee = one - prompt * least
        return PriceStep(
            above=above,
            prompt=float(prompt),
            completion=float((with_answer - one) / _STRIDE),
            cached=float((from_cache - fee) / least),
            request=float(fee),
        )

    def entry(self, provider: str, model_id: str) -> tuple[Maker, ModelInfo] | None:
        """Return provider and model in the table; searched for once, since that takes a while."""
        name = (provider, model_id)
        if name not in self._entries:
            if len(self._entries) > MOST_ENTRIES:
                self._entries.clear()
            try:
                self._entries[name] = self._snapshot.find_provider_model(
                    model_id, None, provider, None
                )
            except LookupError:
                self._entries[name] = None
        return self._entries[name]

    def ids(self, provider: str) -> Iterator[str]:
        """Yield the ids of a provider's models that are not being retired."""
        try:
            maker = self._snapshot.find_provider(None, provider, None)
        except LookupError:
            return
        yield from (m.id for m in maker.models if not m.deprecated)


def _name(provider: str, model_id: str) -> str:
    return f"{provider}:{model_id}"


def _installed() -> str:
    """Return which table is installed, without importing it."""
    spec = importlib.util.find_spec("genai_prices")
    if spec is None or spec.origin is None:
        return ""
    status = Path(spec.origin).with_name("data.py").stat()
    return f"{FORMAT}-{status.st_size}-{status.st_mtime_ns}"


def _keep(path: Path, known: Known) -> None:
    models = {name: plain and asdict(plain) for name, plain in known.items()}
    replace_file(path, orjson.dumps({"table": _installed(), "models": models}))


def _read_kept(path: Path) -> Known:
    """Return what is kept in a file; nothing if it is of another table, or damaged."""
    try:
        body = orjson.loads(read_bounded(path))
        if body["table"] != _installed():
            return {}
        return {str(name): plain and _plain(plain) for name, plain in body["models"].items()}
    except (OSError, ValueError, TypeError, LookupError, AttributeError):
        return {}


def _plain(kept: dict[str, Any]) -> PlainPrice:
    steps = tuple(PriceStep(**step) for step in kept["steps"])
    if not steps or not all(isinstance(v, int | float) for s in steps for v in asdict(s).values()):
        raise ValueError("not a price")
    window = kept["window"]
    return PlainPrice(steps, window if isinstance(window, int) else None)
