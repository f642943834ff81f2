"""Pictures that a user attaches: recognised by their bytes, bounded, and sent as nothing else."""

from __future__ import annotations

from hashlib import sha256

from mutual_dissent.briefing.inputs.picture_formats import (
    GIF,
    READERS,
    BarePicture,
    Unreadable,
    bare_picture,
    format_of,
)
from mutual_dissent.core.brief import Attachment
from mutual_dissent.core.errors import BadInput, clip
from mutual_dissent.core.values.picture import Picture, byte_words

MOST_BYTES = 3_900_000
"""Bytes of a picture: written for the wire they are a third more, and vendors refuse above 5 MB."""

MOST_SIDE = 8_000
"""Pixels of a side that every vendor accepts."""

SUFFIXES = frozenset(
    {".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tif", ".tiff", ".heic", ".avif", ".svg"}
)
"""Endings of the names of pictures; what a file is, its bytes say."""

ANIMATION = "the first picture of an animation"
ACCEPTED = "PNG, JPEG, WebP or GIF"


def is_picture(raw: bytes) -> bool:
    """Return whether bytes are those of a picture, of any format."""
    return format_of(raw) is not None


def picture_of(name: str, raw: bytes) -> Attachment:
    """The picture that a file holds, under the file's name and without what is said about it.

    Raises:
        BadInput: if it is none, or too large, or of a kind that no vendor takes.
    """
    shown = clip(name, 200)
    format_ = format_of(raw)
    if format_ is None:
        named = name.lower().endswith(tuple(SUFFIXES))
        what = "check the file, or give its text another name" if named else "check what you send"
        raise BadInput(f"{shown} is not a picture: it does not begin as {ACCEPTED} do; {what}")
    if format_ not in READERS:
        # An SVG is a program as much as a picture: nobody is sent one, and no page shows it.
        raise BadInput(f"{shown} is {_a(format_)}, which no model is shown; save it as PNG")
    check_size(shown, len(raw))
    try:
        bare, note = _bare(raw, format_)
    except Unreadable as e:
        raise BadInput(f"{shown} cannot be shown to models: {e}") from None
    _check_sides(shown, bare)
    check_size(shown, len(bare.raw))
    picture = Picture(
        media_type=bare.media_type,
        sha256=sha256(bare.raw).hexdigest(),
        width=bare.width,
        height=bare.height,
        size=len(bare.raw),
        _raw=bare.raw,
    )
    return Attachment(name=name, text=note, picture=picture)


def _bare(raw: bytes, format_: str) -> tuple[BarePicture, str]:
    """The picture alone; of a GIF the first one, as all take it."""
    bare = bare_picture(raw, format_)
    if format_ != GIF:
        return bare, ""
    from mutual_dissent.briefing.inputs.gif_frame import first_frame

    first, more = first_frame(raw)
    return first, ANIMATION if more else ""


def check_size(name: str, size: int) -> None:
    """Refuse a picture that is larger than vendors take.

    Raises:
        BadInput: if it is.
    """
    if size > MOST_BYTES:
        raise BadInput(
            f"{clip(name, 200)} has {byte_words(size)}, and {byte_words(MOST_BYTES)} are the most "
            "that all vendors take of a picture; save it smaller, or as JPEG"
        )


def _check_sides(name: str, bare: BarePicture) -> None:
    width, height = bare.width, bare.height
    if not (width and height):
        raise BadInput(f"{name} has no size; save it anew")
    if max(width, height) > MOST_SIDE:
        raise BadInput(
            f"{name} is {width:,} × {height:,} pixels, and {MOST_SIDE:,} a side are the most that "
            "all vendors take; save it smaller"
        )


def _a(format_: str) -> str:
    return f"{'an' if format_ in ('SVG', 'AVIF') else 'a'} {format_}"
