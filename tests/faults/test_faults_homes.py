"""A home that somebody else owns is no place for a record."""

from __future__ import annotations

import os

import pytest

from fakes.command_line import dissent

pytestmark = pytest.mark.skipif(
    os.name == "nt" or os.geteuid() != 0, reason="only root can give files away"
)
STRANGER = 12345


@pytest.mark.parametrize("theirs", ["", "dissent.db", "locks", "transcripts"])
def test_what_another_user_owns_is_refused_before_anybody_is_paid(vendor, own_home, theirs):
    assert dissent("ask", "What is it?").exit_code == 0
    vendor.arrivals.clear()
    (own_home / theirs).chmod(0o777)
    os.chown(own_home / theirs, STRANGER, -1)
    result = dissent("ask", "What is it?")
    if theirs == "transcripts":  # written from the log when all is over, and again by the doctor
        assert result.exit_code == 5
    else:
        assert result.exit_code == 1
        assert vendor.arrivals == []
    assert "another user" in result.stderr
    assert result.stderr.splitlines()[-1].startswith("dissent: ")
    assert dissent("ask", "What is it?", "--no-save").exit_code == 0
