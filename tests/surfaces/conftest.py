"""A fake vendor for the tests of surfaces, silent about everything that no test asked for."""

from __future__ import annotations

import pytest

from fakes.command_line import Vendor


@pytest.fixture(scope="session")
def one_vendor():
    with Vendor() as vendor:
        yield vendor


@pytest.fixture
def vendor(one_vendor, monkeypatch):
    """A vendor that has heard nothing yet, and the environment that leads to it."""
    one_vendor.reset()
    for name, value in one_vendor.env.items():
        monkeypatch.setenv(name, value)
    return one_vendor
