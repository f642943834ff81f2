"""Picture files by their bytes: format, size, and the file again without what is said about it.

Photographs carry where and when they were taken and with what; nobody who asks about a picture
means to send that along. It is taken out without touching the picture itself. Nothing is decoded
here, so that no small file can become a large one.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from zlib import crc32

PNG, JPEG, WEBP, GIF = "PNG", "JPEG", "WebP", "GIF"
_BEGINNINGS = (
    (PNG, re.compile(rb"\x89PNG\r\n\x1a\n")),
    (JPEG, re.compile(rb"\xff\xd8\xff")),
    (GIF, re.compile(rb"GIF8[79]a")),
    (WEBP, re.compile(rb"RIFF.{4}WEBP", re.DOTALL)),
    ("BMP", re.compile(rb"BM.{4}\0\0\0\0", re.DOTALL)),
    ("TIFF", re.compile(rb"II\*\0|MM\0\*")),
    ("HEIC", re.compile(rb".{4}ftyp(hei[cfmsx]|mif1|msf1|hev[cmsx])", re.DOTALL)),
    ("AVIF", re.compile(rb".{4}ftypavi[fs]", re.DOTALL)),
    ("SVG", re.compile(rb"(?i)(\xef\xbb\xbf)?\s*(<(\?xml|!--|!DOCTYPE)[^>]*>\s*)*<svg[\s>]")),
)
_LOOKED_AT = 4_096
"""Bytes at the beginning of a file that tell its format."""

_PNG_KEPT = frozenset((b"tRNS", b"gAMA", b"cHRM", b"sRGB", b"iCCP", b"sBIT", b"bKGD", b"pHYs"))
_WEBP_KEPT = frozenset((b"VP8X", b"VP8 ", b"VP8L", b"ALPH", b"ICCP"))
_ANIMATED, _TOLD = 0x02, 0x08 | 0x04
"""Marks in the head of a WebP: that it is an animation, that it has EXIF or XMP."""
_ORIENTATION = 0x0112


DAMAGED = "it is damaged or ends in the middle; save it anew"


class Unreadable(ValueError):
    """A picture's bytes are not in the order of its format; the text says what is wrong."""


@dataclass(frozen=True, slots=True)
class BarePicture:
    """A picture without anything but the picture; `told` says whether something was taken out."""

    format: str
    width: int
    height: int
    raw: bytes
    told: bool = False

    @property
    def media_type(self) -> str:
        """Its type on the wire."""
        return f"image/{self.format.lower()}"


def format_of(raw: bytes) -> str | None:
    """The format of a picture, by its first bytes; None if it is none that is known."""
    head = raw[:_LOOKED_AT]
    return next((name for name, pattern in _BEGINNINGS if pattern.match(head)), None)


def bare_picture(raw: bytes, format_: str) -> BarePicture:
    """The picture alone.

    Raises:
        Unreadable: if the bytes are not those of a whole picture of that format.
    """
    try:
        return READERS[format_](raw)
    except (struct.error, IndexError):
        raise Unreadable(DAMAGED) from None


def _png(raw: bytes) -> BarePicture:
    kept, told, size = [raw[:8]], False, (0, 0)
    for kind, chunk in _png_chunks(raw):
        if kind == b"IHDR":
            size = struct.unpack(">II", chunk[8:16])
        # Those with a capital letter are the picture itself. The frames of an animation are not:
        # without them it is a plain picture.
        if kind[:1].isupper() or kind in _PNG_KEPT:
            kept.append(chunk)
        else:
            told = True
    return BarePicture(PNG, *size, b"".join(kept), told)


def _png_chunks(raw: bytes) -> Iterator[tuple[bytes, bytes]]:
    at, first = 8, True
    while True:
        length, kind = struct.unpack(">I4s", raw[at : at + 8])
        end = at + 12 + length
        if end > len(raw) or first is not (kind == b"IHDR") or (first and length != 13):
            raise Unreadable(DAMAGED)
        yield kind, raw[at:end]
        if kind == b"IEND":
            return
        at, first = end, False


def _jpeg(raw: bytes) -> BarePicture:
    kept, told, size, turned = [raw[:2]], False, None, 1
    for marker, piece in _jpeg_pieces(raw):
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", piece[5:9])
            size = size or (width, height)
        if marker == 0xE1 and piece[4:10] == b"Exif\0\0":
            turned = _orientation(piece[10:])
        if _is_picture(marker, piece):
            kept.append(piece)
        else:
            told = True
    if size is None:
        raise Unreadable(DAMAGED)
    if turned != 1:  # without it, the picture would lie on its side
        kept.insert(1 + kept[1].startswith(b"\xff\xe0"), _only_orientation(turned))
    return BarePicture(JPEG, *size, b"".join(kept), told)


def _is_picture(marker: int, piece: bytes) -> bool:
    """Return whether a piece of a JPEG is needed to show it, as its colours are."""
    if marker == 0xE0:
        return piece[4:9] == b"JFIF\0"
    if marker == 0xE2:
        return piece[4:16] == b"ICC_PROFILE\0"
    return marker == 0xEE or not (0xE0 <= marker <= 0xEF or marker == 0xFE)


def _jpeg_pieces(raw: bytes) -> Iterator[tuple[int, bytes]]:
    """Segments up to the end of the picture, those of scans with their data; all else is cut."""
    at = 2
    while True:
        if raw[at] != 0xFF:
            raise Unreadable(DAMAGED)
        while raw[at + 1] == 0xFF:  # any number of them may stand before a marker
            at += 1
        marker = raw[at + 1]
        if marker == 0xD9:
            yield marker, raw[at : at + 2]
            return
        end = at + 2
        if not (marker == 0x01 or 0xD0 <= marker <= 0xD8):
            (length,) = struct.unpack(">H", raw[end : end + 2])
            end += length
            if length < 2 or end > len(raw):
                raise Unreadable(DAMAGED)
        if marker == 0xDA:
            end = _end_of_scan(raw, end)
        yield marker, raw[at:end]
        at = end


def _end_of_scan(raw: bytes, at: int) -> int:
    """Place of the next marker: data is marked by a zero, and restarts belong to it."""
    while True:
        at = raw.find(b"\xff", at)
        if at < 0:
            raise Unreadable(DAMAGED)
        after = raw[at + 1]
        if after and after != 0xFF and not 0xD0 <= after <= 0xD7:
            return at
        at += 1 if after == 0xFF else 2


def _orientation(tiff: bytes) -> int:
    """Turn that a photograph needs, 1 to 8, by its EXIF; 1 if that is not said."""
    order = {b"II": "<", b"MM": ">"}.get(tiff[:2])
    if order is None:
        return 1
    try:
        (at,) = struct.unpack(f"{order}I", tiff[4:8])
        (count,) = struct.unpack(f"{order}H", tiff[at : at + 2])
        for n in range(min(count, 200)):
            entry = tiff[at + 2 + 12 * n : at + 14 + 12 * n]
            tag, _, _, value = struct.unpack(f"{order}HHIH", entry[:10])
            if tag == _ORIENTATION:
                return value if 1 <= value <= 8 else 1
    except struct.error:
        return 1
    return 1


def _only_orientation(turned: int) -> bytes:
    """A segment with nothing in its EXIF but how to turn the picture."""
    entry = struct.pack(">HHIHH", _ORIENTATION, 3, 1, turned, 0)
    exif = b"Exif\0\0MM\0*" + struct.pack(">IH", 8, 1) + entry + bytes(4)
    return b"\xff\xe1" + struct.pack(">H", len(exif) + 2) + exif


def _webp(raw: bytes) -> BarePicture:
    (length,) = struct.unpack("<I", raw[4:8])
    if len(raw) < length + 8:
        raise Unreadable(DAMAGED)
    kept, told, size = [], False, None
    for kind, chunk in _webp_chunks(raw[12 : 8 + length]):
        size = size or _webp_size(kind, chunk[8:])
        if kind == b"VP8X":
            if chunk[8] & _ANIMATED:
                raise Unreadable("it is an animation; attach one picture of it")
            chunk = chunk[:8] + bytes([chunk[8] & ~_TOLD]) + chunk[9:]  # noqa: PLW2901
        if kind in _WEBP_KEPT:
            kept.append(chunk)
        else:
            told = True
    if size is None:
        raise Unreadable(DAMAGED)
    body = b"WEBP" + b"".join(kept)
    return BarePicture(WEBP, *size, b"RIFF" + struct.pack("<I", len(body)) + body, told)


def _webp_chunks(body: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = 0
    while at + 8 <= len(body):
        kind, length = struct.unpack("<4sI", body[at : at + 8])
        end = at + 8 + length
        if end > len(body):
            raise Unreadable(DAMAGED)
        yield kind, body[at:end] + bytes(length % 2)
        at = end + length % 2


def _webp_size(kind: bytes, data: bytes) -> tuple[int, int] | None:
    if kind == b"VP8X":
        wide, high = (int.from_bytes(data[n : n + 3], "little") + 1 for n in (4, 7))
        return wide, high
    if kind == b"VP8 ":
        wide, high = struct.unpack("<HH", data[6:10])
        return wide & 0x3FFF, high & 0x3FFF
    if kind == b"VP8L":
        (bits,) = struct.unpack("<I", data[1:5])
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    return None


def _gif(raw: bytes) -> BarePicture:
    width, height = struct.unpack("<HH", raw[6:10])
    return BarePicture(GIF, width, height, raw)


READERS: dict[str, Callable[[bytes], BarePicture]] = {
    PNG: _png, JPEG: _jpeg, WEBP: _webp, GIF: _gif,
}  # fmt: skip
"""Formats that can be attached, each with what reads it."""


def png_chunk(kind: bytes, data: bytes) -> bytes:
    """A piece of a PNG."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", crc32(kind + data))
