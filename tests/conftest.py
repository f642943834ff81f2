"""What every test stands on: no keys, a home of its own, no network beyond loopback."""

from __future__ import annotations

import ipaddress
import os
import socket
from pathlib import Path

import pytest

from mutual_dissent.providers.endpoints import SERVERS, TABLE

# Before numpy is loaded, here and in every process that a test starts: its threads would spin for
# cores that servers, browsers and other tests need.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

SHARED = Path(__file__).resolve().parents[2] / "shared"

KEY_NAMES = {"GEMINI", "TAVILY", "BRAVE", *(vendor.upper() for vendor in TABLE)}


@pytest.fixture(autouse=True)
def own_home(tmp_path, monkeypatch):
    """Each test has an empty home and no key."""
    home = tmp_path / "home"
    monkeypatch.setenv("MUTUAL_DISSENT_HOME", str(home))
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    (tmp_path / "user").mkdir()
    for name in KEY_NAMES:
        monkeypatch.delenv(f"{name}_API_KEY", raising=False)
        monkeypatch.delenv(f"{name}_BASE_URL", raising=False)
    for server in SERVERS:
        monkeypatch.setenv(TABLE[server].base_url_env, "http://127.0.0.1:9")
    return home


@pytest.fixture(autouse=True, scope="session")
def loopback_only():
    """A test that reaches beyond this machine fails."""
    real = socket.socket.connect

    def connect(self, address):
        if self.family in (socket.AF_INET, socket.AF_INET6):
            host = address[0]
            try:
                local = ipaddress.ip_address(host).is_loopback
            except ValueError:
                local = host == "localhost"
            assert local, f"a test tried to reach {host}"
        return real(self, address)

    socket.socket.connect = connect
    yield
    socket.socket.connect = real


@pytest.fixture(scope="session")
def shared():
    """The folder beside the project; tests that need it are skipped loudly without it."""
    if not SHARED.is_dir():
        pytest.skip("SKIPPED: ../shared is not here (recordings and data sets)")
    return SHARED


@pytest.fixture(scope="session")
def one_vendor():
    """A fake vendor that answers while a command runs."""
    from fakes.command_line import Vendor

    with Vendor() as vendor:
        yield vendor


@pytest.fixture
def vendor(one_vendor, monkeypatch):
    """A vendor that has heard nothing yet, and the environment that leads to it."""
    one_vendor.reset()
    for name, value in one_vendor.env.items():
        monkeypatch.setenv(name, value)
    return one_vendor
