"""Scanned pages: of a pdf without text the pictures that its pages are, of a docx those in it."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from io import BytesIO
from typing import Any
from zlib import compress

from mutual_dissent.briefing.inputs.picture_formats import format_of, png_chunk
from mutual_dissent.briefing.inputs.pictures import MOST_SIDE, picture_of
from mutual_dissent.core.brief import Attachment
from mutual_dissent.core.errors import BadInput

MOST_PAGES = 20
"""Pages that are shown as pictures; a debate takes no more."""

MOST_NAMED = 20
_DIRECT = ("/DCTDecode", "/DCT")
"""Filters of a picture that is a JPEG as it stands there."""
_CHANNELS = {"/DeviceGray": 1, "/CalGray": 1, "/DeviceRGB": 3, "/CalRGB": 3}
_COLOUR = {1: 0, 3: 2}
"""Values of a pixel -> PNG's number for that kind of picture."""


def pages(name: str, raw: bytes) -> tuple[Attachment, ...]:
    """The text of a pdf, and pictures of the pages that have none.

    Raises:
        BadInput: if a page cannot be shown to models, or there are too many of them.
    """
    from pypdf import PdfReader

    texts: list[str] = []
    shown: list[Attachment] = []
    lost: list[int] = []
    for number, page in enumerate(PdfReader(BytesIO(raw)).pages, start=1):
        text = page.extract_text()
        texts.append(text)
        drawn = [] if text.strip() else list(_drawn(page))
        if not drawn:
            continue
        picture = _largest(drawn)
        if picture is None:
            lost.append(number)
        elif len(shown) == MOST_PAGES:
            raise BadInput(
                f"{name} has more than {MOST_PAGES} pages without text, which would go as "
                "pictures; attach a part of it, or recognise its text (OCR)"
            )
        else:
            texts[-1] = f"[page {number} has no text; it is attached as a picture]"
            shown.append(picture_of(f"{name}, page {number}", picture))
    if lost and not shown and not any(text.strip() for text in texts):
        raise BadInput(
            f"{name} has only pictures of pages, of a kind that cannot be taken out; attach it "
            "with its text recognised (OCR), or the pages as PNG"
        )
    for number in lost[:MOST_NAMED]:
        texts[number - 1] = f"[page {number} has no text, and no picture that can be taken out]"
    # Of pages that all are pictures nothing is left to say in words.
    only_shown = all(not text.strip() or text.startswith("[page ") for text in texts) and not lost
    words = "" if shown and only_shown else "\n\n".join(texts)
    document = (Attachment(name=name, text=words),) if words.strip() else ()
    return (*document, *shown)


def _drawn(page: Any) -> Iterator[Any]:
    """The pictures that a page has, as the file holds them."""
    for held in ((page.get("/Resources") or {}).get("/XObject") or {}).values():
        found = held.get_object()
        if found.get("/Subtype") == "/Image":
            yield found


def _largest(drawn: list[Any]) -> bytes | None:
    """The bytes of the largest picture, if it can be had as a file: that is what was scanned."""
    found = max(drawn, key=lambda d: int(d.get("/Width", 0)) * int(d.get("/Height", 0)))
    filters = found.get("/Filter") or []
    names = [str(f) for f in filters] if isinstance(filters, list) else [str(filters)]
    if names and names[-1] in _DIRECT:
        raw = found._data if len(names) == 1 else None  # noqa: SLF001 - there is no other way to it
        return raw if raw and format_of(raw) else None
    return _as_png(found) if names in ([], ["/FlateDecode"]) else None


def _as_png(found: Any) -> bytes | None:
    """A picture whose values stand there one after the other, as PNG."""
    width, height = int(found.get("/Width", 0)), int(found.get("/Height", 0))
    bits, space = int(found.get("/BitsPerComponent", 8)), found.get("/ColorSpace")
    channels = _CHANNELS.get(str(space)) or _profiled(space)
    plain = found.get("/Decode") is None and not found.get("/ImageMask")
    if not (plain and channels and bits in (1, 8) and (bits == 8 or channels == 1)):
        return None
    if not 0 < max(width, height) <= MOST_SIDE:
        return None
    row = (width * channels * bits + 7) // 8
    values = found.get_data()
    if len(values) < row * height:
        return None
    lines = b"".join(b"\0" + values[n * row : (n + 1) * row] for n in range(height))
    head = struct.pack(">IIBBBBB", width, height, bits, _COLOUR[channels], 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", compress(lines)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(png_chunk(*chunk) for chunk in chunks)


def _profiled(space: Any) -> int | None:
    """Values of a pixel where a profile says how they are meant."""
    if isinstance(space, list) and len(space) > 1 and str(space[0]) == "/ICCBased":
        count = space[1].get_object().get("/N")
        return count if count in _COLOUR else None
    return None


def media_pictures(name: str, raw: bytes) -> tuple[Attachment, ...]:
    """The pictures in a docx that has no text.

    Raises:
        BadInput: if one of them cannot be shown to models.
    """
    from zipfile import ZipFile

    with ZipFile(BytesIO(raw)) as packed:
        media = sorted(n for n in packed.namelist() if n.startswith("word/media/"))
        files = [packed.read(n) for n in media[:MOST_PAGES]]
    pictures = [file for file in files if format_of(file) in ("PNG", "JPEG", "WebP", "GIF")]
    return tuple(picture_of(f"{name}, picture {n}", p) for n, p in enumerate(pictures, 1))
