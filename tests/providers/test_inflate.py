"""Compressed bodies are read whole."""

from __future__ import annotations

import gzip

import pytest

from mutual_dissent.providers.http.body import Undecodable, decoding

PARTS = [b"one ", b"", b"two " * 30_000, b"three"]
BODY = b"".join(map(gzip.compress, PARTS))


@pytest.mark.parametrize("size", [1, 7, 1000, len(BODY)])
def test_a_body_of_several_members_is_read_to_its_end(size):
    decode = decoding("gzip")
    chunks = [BODY[i : i + size] for i in range(0, len(BODY), size)]
    assert b"".join(piece for c in chunks for piece in decode.pieces(c)) == b"".join(PARTS)


def test_what_follows_a_body_and_is_none_is_left_alone():
    decode = decoding("gzip")
    assert b"".join(decode.pieces(BODY + b"\0\0\0 and so on")) == b"".join(PARTS)


def test_what_is_not_compressed_is_said():
    with pytest.raises(Undecodable):
        list(decoding("gzip").pieces(b"plain"))
