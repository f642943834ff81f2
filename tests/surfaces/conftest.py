"""A browser, a server and tabs, for the tests of the pages."""

from __future__ import annotations

import pytest
import pytest_asyncio

from fakes.browser import Tabs, launched, serving
from fakes.pages import at_rest


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser():
    """One Chromium for all tests."""
    async with launched() as found:
        yield found


@pytest.fixture(scope="session")
def one_site(one_vendor, tmp_path_factory):
    """One server for all tests; its vendors are fake."""
    with serving(tmp_path_factory.mktemp("site") / "home", one_vendor) as site:
        yield site


@pytest.fixture
def site(one_site):
    """The server, with vendors that have heard nothing and have no script."""
    one_site.vendor.reset()
    yield one_site
    at_rest(one_site)


@pytest_asyncio.fixture(loop_scope="session")
async def tabs(browser):
    """Tabs of this test alone; whatever they did wrong fails it at its end."""
    found = Tabs(browser)
    yield found
    await found.close()


@pytest.fixture(scope="session")
def keyless(tmp_path_factory):
    """A server that has no key."""
    with serving(tmp_path_factory.mktemp("keyless") / "home", None) as site:
        yield site
