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


def a_png(width: int = 4, height: int = 3, *, told: bool = False, rows: int | None = None) -> bytes:
    """A grey picture; with `told` it names its author. `rows` may be fewer than it claims."""
    pixels = b"".join(b"\0" + bytes(width) for _ in range(height if rows is None else rows))
    return b"".join(
        (
            b"\x89PNG\r\n\x1a\n",
            chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)),
            chunk(b"tEXt", b"Author\0" + SECRET) if told else b"",
            chunk(b"IDAT", zlib.compress(pixels)),
            chunk(b"IEND", b""),
        )
    )


def a_bomb() -> bytes:
    """Some hundred bytes that claim to be 2.5 gigapixels."""
    return a_png(50_000, 50_000, rows=0)


SCRIPT = b'<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'


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
