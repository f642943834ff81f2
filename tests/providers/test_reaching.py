"""Whether models answer, and how fast they do, without what the first call of all has to load."""

from __future__ import annotations

from mutual_dissent import MutualDissent
from mutual_dissent.providers.scripted import Scripted


class Told(Scripted):
    """A provider that notes what it is asked to do."""

    def __init__(self, order):
        super().__init__({"m0": ["OK"], "m1": ["OK"]})
        self.order = order

    async def warm_up(self, routes):
        self.order.append("warm up")

    async def ask(self, ask, on_text):
        self.order.append("ask")
        return await super().ask(ask, on_text)


class Slow:
    """Prices that take long to load."""

    def __init__(self, order):
        self.order = order

    async def prepare(self, routes):
        assert len(routes) == 2
        self.order.append("prices")

    def cost(self, *_):
        return None

    def context_window(self, _):
        return None

    def known_models(self):
        return []


async def test_no_models_time_is_spent_on_loading_what_all_need(own_home):
    order = []
    async with MutualDissent(provider=Told(order), prices=Slow(order)) as md:
        found = await md.reach(["m0", "m1"])
    assert all(reach.ok for reach in found)
    assert order == ["prices", "warm up", "ask", "ask"]
