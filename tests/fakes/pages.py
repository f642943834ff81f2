"""Debates to be looked at on the page: begun, or finished and read."""

from __future__ import annotations

import httpx

from fakes.patience import LONG

DONE = "[data-status=completed]"


async def asked(site, **more) -> str:
    """The id of a debate that was begun."""
    body = {"message": "Monolith or services?", "mode": "reflection", "analyst": "none", **more}
    async with httpx.AsyncClient(base_url=site.url, timeout=LONG) as client:
        reply = await client.post("/api/chat", json=body)
        assert reply.status_code == 202, reply.text
        return reply.json()["sessionId"]


async def answered(site, tabs, text: str, **how):
    """A tab that shows a finished debate in which everybody said this."""
    site.vendor.fake.always(text=text)
    tab = await tabs.open(site, f"/debates/{await asked(site)}", **how)
    await tab.locator(DONE).wait_for()
    await tab.locator(".answer .said[data-read]").wait_for()
    return tab


def at_rest(site) -> None:
    """End the debates that a test has left under way: the next one counts what vendors hear."""
    with httpx.Client(base_url=site.url, timeout=LONG) as client:
        left = client.get("/api/sessions", params={"status": "active"}).json()["items"]
        for debate in left:
            here = f"/api/sessions/{debate['sessionId']}"
            client.post(f"{here}/stop", json={})
            client.get(f"{here}/events")  # it ends with the debate
