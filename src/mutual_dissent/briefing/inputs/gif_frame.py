"""The first picture of a GIF, as a PNG: no vendor reads animations, and one reads no GIF at all."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from zlib import compress

from mutual_dissent.briefing.inputs.picture_formats import (
    DAMAGED,
    PNG,
    BarePicture,
    Unreadable,
    png_chunk,
)

MOST_CODES = 4096
MOST_PIXELS = 16_000_000
"""Pixels of a picture that is unpacked here: a few bytes can become gigabytes."""


def first_frame(raw: bytes) -> tuple[BarePicture, bool]:
    """The first picture, and whether others follow it.

    Raises:
        Unreadable: if the bytes are not those of a GIF.
    """
    try:
        return _first_frame(raw)
    except (struct.error, IndexError):
        raise Unreadable(DAMAGED) from None


def _first_frame(raw: bytes) -> tuple[BarePicture, bool]:
    canvas = struct.unpack("<HH", raw[6:10])
    palette, at = _palette(raw, raw[10], 13)
    clear: int | None = None
    while raw[at] == 0x21:  # extensions; one says which colour is none
        if raw[at + 1] == 0xF9 and raw[at + 3] & 1:
            clear = raw[at + 6]
        at = _after_blocks(raw, at + 2)
    if raw[at] != 0x2C:
        raise Unreadable(DAMAGED)
    left, top, width, height = struct.unpack("<HHHH", raw[at + 1 : at + 9])
    flags = raw[at + 9]
    own, at = _palette(raw, flags, at + 10)
    palette = own or palette
    if not palette or not width or not height:
        raise Unreadable(DAMAGED)
    if width * height > MOST_PIXELS:
        raise Unreadable(f"it has more than {MOST_PIXELS:,} pixels; save it smaller")
    pixels = _pixels(raw, at, width * height)
    rows = [pixels[n * width : (n + 1) * width] for n in range(height)]
    if flags & 0x40:
        rows = _in_order(rows)
    size = canvas if (left, top) == (0, 0) and canvas == (width, height) else (width, height)
    png = _png(size, rows, palette, clear)
    more = 0x2C in _kinds(raw, _after_blocks(raw, at + 1))
    return BarePicture(PNG, *size, png), more


def _palette(raw: bytes, flags: int, at: int) -> tuple[bytes, int]:
    """A table of colours, if there is one, and where it ends."""
    end = at + 3 * (2 << (flags & 7)) if flags & 0x80 else at
    return raw[at:end], end


def _blocks(raw: bytes, at: int) -> Iterator[bytes]:
    while size := raw[at]:
        yield raw[at + 1 : at + 1 + size]
        at += 1 + size


def _after_blocks(raw: bytes, at: int) -> int:
    while size := raw[at]:
        at += 1 + size
    return at + 1


def _kinds(raw: bytes, at: int) -> Iterator[int]:
    """Kinds of the blocks after the first picture, one by one, as far as it can be read."""
    while at < len(raw) and raw[at] in (0x21, 0x2C):
        yield raw[at]
        try:
            if raw[at] == 0x2C:
                at = _palette(raw, raw[at + 9], at + 10)[1] - 1
            at = _after_blocks(raw, at + 2)
        except IndexError:
            return


def _pixels(raw: bytes, at: int, wanted: int) -> bytes:
    """The colours of a picture, unpacked (LZW); never more than it has room for."""
    least = raw[at]
    if not 1 <= least <= 8:
        raise Unreadable(DAMAGED)
    data = b"".join(_blocks(raw, at + 1))
    clear, end = 1 << least, (1 << least) + 1
    plain = [bytes((n,)) for n in range(clear)] + [b"", b""]
    table, width, before = plain.copy(), least + 1, b""
    out, size, bits, held, place = [], 0, 0, 0, 0
    while size < wanted:
        while held < width and place < len(data):
            bits |= data[place] << held
            held, place = held + 8, place + 1
        if held < width:
            break
        code = bits & (1 << width) - 1
        bits, held = bits >> width, held - width
        if code == end:
            break
        if code == clear:
            table, width, before = plain.copy(), least + 1, b""
            continue
        if code > len(table) or (code == len(table) and not before):
            raise Unreadable(DAMAGED)
        piece = table[code] if code < len(table) else before + before[:1]
        out.append(piece)
        size += len(piece)
        if before and len(table) < MOST_CODES:
            table.append(before + piece[:1])
            if len(table) == 1 << width and width < 12:
                width += 1
        before = piece
    if not out:
        raise Unreadable(DAMAGED)
    return b"".join(out)[:wanted].ljust(wanted, b"\0")


def _in_order(rows: list[bytes]) -> list[bytes]:
    """Rows of an interlaced picture, from the top down."""
    n = len(rows)
    places = [*range(0, n, 8), *range(4, n, 8), *range(2, n, 4), *range(1, n, 2)]
    return [row for _, row in sorted(zip(places, rows, strict=True))]


def _png(size: tuple[int, int], rows: list[bytes], palette: bytes, clear: int | None) -> bytes:
    seen = b"" if clear is None else b"\xff" * clear + b"\0"
    head = struct.pack(">IIBBBBB", *size, 8, 3, 0, 0, 0)
    # A colour that the table does not have would make the whole file unreadable.
    colours = palette.ljust(768, b"\0")[:768]
    parts = [
        b"\x89PNG\r\n\x1a\n",
        png_chunk(b"IHDR", head),
        png_chunk(b"PLTE", colours),
        png_chunk(b"tRNS", seen) if seen else b"",
        png_chunk(b"IDAT", compress(b"".join(b"\0" + row for row in rows))),
        png_chunk(b"IEND", b""),
    ]
    return b"".join(parts)
