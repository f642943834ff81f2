"""Pictures as users have them: written here byte by byte, or by Pillow where that is installed."""

from __future__ import annotations

import struct
import zlib
from io import BytesIO
from typing import Any

SECRET = b"Jane Doe, 52.5200 N"
"""What a picture says about who took it, and where."""


def chunk(kind: bytes, data: bytes) -> bytes:
    crc = zlib.crc32(kind + data)
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", crc)


def a_png(
    width: int = 4, height: int = 3, *, told: bool = False, rows: int | None = None, level: int = -1
) -> bytes:
    """A grey picture; with `told` it names its author. `rows` may be fewer than it claims.

    With level 0 it is not packed, and has a byte a pixel.
    """
    pixels = b"".join(b"\0" + bytes(width) for _ in range(height if rows is None else rows))
    return b"".join(
        (
            b"\x89PNG\r\n\x1a\n",
            chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)),
            chunk(b"tEXt", b"Author\0" + SECRET) if told else b"",
            chunk(b"IDAT", zlib.compress(pixels, level)),
            chunk(b"IEND", b""),
        )
    )


def a_bomb() -> bytes:
    """Some hundred bytes that claim to be 2.5 gigapixels."""
    return a_png(50_000, 50_000, rows=0)


SCRIPT = b'<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'


def a_scan(*pages: bytes | str) -> bytes:
    """A pdf: pages with a line of text, or with a picture whose values stand there packed."""
    objects, kids = [b"<< /Type /Catalog /Pages 2 0 R >>", b""], []
    for page in pages:
        n = len(objects) + 1
        kids.append(b"%d 0 R" % n)
        if isinstance(page, str):
            line = b"BT /F1 24 Tf 72 700 Td (" + page.encode() + b") Tj ET"
            held = b"/Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>"
            more = []
        else:
            line = b"q 600 0 0 800 0 0 cm /Im0 Do Q"
            held = b"/XObject << /Im0 %d 0 R >>" % (n + 2)
            more = [page]
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R "
            b"/Resources << %s >> >>" % (n + 1, held)
        )
        objects += [b"<< /Length %d >>\nstream\n%s\nendstream" % (len(line), line), *more]
    listed = b" ".join(kids)
    objects[1] = b"<< /Type /Pages /Kids [%s] /Count %d >>" % (listed, len(kids))
    body, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, start=1):
        places.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size, start = len(objects) + 1, len(body)
    head = b"xref\n0 %d\n0000000000 65535 f \n" % size
    end = b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (size, start)
    return body + head + table + end


def packed(
    width: int, height: int, *, filter_: bytes = b"/FlateDecode", space: bytes = b""
) -> bytes:
    """A picture as a pdf holds it: grey values, packed."""
    data = zlib.compress(bytes(width * height))
    return (
        b"<< /Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace %s "
        b"/BitsPerComponent 8 /Filter %s /Length %d >>\nstream\n%s\nendstream"
        % (width, height, space or b"/DeviceGray", filter_, len(data), data)
    )


def drawn(kind: str, **more: Any) -> bytes:
    """A chart with axes and bars, in a format that Pillow writes."""
    from PIL import Image, ImageDraw

    image = Image.new("RGB", (160, 100), "white")
    draw = ImageDraw.Draw(image)
    for n, high in enumerate((20, 55, 35)):
        draw.rectangle((20 + 45 * n, 95 - high, 50 + 45 * n, 95), fill=("navy", "teal", "red")[n])
    file = BytesIO()
    image.save(file, kind, **more)
    return file.getvalue()


def a_photo(kind: str = "JPEG", turned: int = 6) -> bytes:
    """A photograph that knows who took it, where, and which side is up."""
    from PIL import Image

    exif = Image.Exif()
    exif[0x0112] = turned
    exif[0x010F] = SECRET.decode()
    exif[0x8825] = {1: "N", 2: (52.0, 31.0, 12.0)}
    more = {"comment": SECRET} if kind == "JPEG" else {}
    return drawn(kind, exif=exif.tobytes(), **more)


def frames(kind: str) -> bytes:
    """An animation."""
    from PIL import Image

    first, second = (Image.new("RGB", (30, 20), colour) for colour in ("navy", "red"))
    file = BytesIO()
    first.save(file, kind, save_all=True, append_images=[second], duration=100)
    return file.getvalue()
