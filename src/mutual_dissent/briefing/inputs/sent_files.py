"""Files that somebody sends: read a few at a time, not for ever, beside all else that goes on."""

from __future__ import annotations

import asyncio
from base64 import b64decode
from binascii import Error as NotBase64
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from threading import BoundedSemaphore, Thread

from mutual_dissent.core.brief import Attachment, FileBytes
from mutual_dissent.core.errors import BadFile, BadInput, clip

AT_ONCE, SECONDS = 2, 60.0
"""Files read at a time, and seconds for each: a file can be made to parse for ever."""

LOOK = 0.02
"""Seconds between two looks for room."""

_ROOM = BoundedSemaphore(AT_ONCE)
_URLS = ("http://", "https://")


def sent_file(name: str, data: str, *, shown: bool = False) -> FileBytes:
    """The file that a text in base 64 is, or a `data:` address with such a text.

    Args:
        name: what it is called here.
        data: the text.
        shown: whether it has to be a picture.

    Raises:
        BadInput: if it is neither.
    """
    called = clip(name, 200)
    if data[:8].lower().startswith(_URLS):
        raise BadInput(
            f"{called} is an address, and nothing is fetched from there; send the file itself, in "
            "base 64 or as a data: URL"
        )
    head, comma, body = data.partition(",")
    if head[:5].lower() == "data:":
        if not comma or not head.lower().endswith(";base64"):
            raise BadInput(f"{called}: a data: URL is read if it is in base 64; send it so")
        data = body
    try:
        # Clients break long lines, and leave out what fills the last group.
        packed = "".join(data.split())
        raw = b64decode(packed + "=" * (-len(packed) % 4), validate=True)
    except (NotBase64, ValueError):
        raise BadInput(f"{called} is not in base 64; send the file's bytes so") from None
    if not raw:
        raise BadInput(f"{called} is empty; send something else")
    return FileBytes(name=name, raw=raw, shown=shown)


async def with_files_read(
    given: Sequence[Attachment | FileBytes | Path],
) -> list[Attachment | Path]:
    """All that was given, with what the files hold in their place.

    Raises:
        BadInput: if one of them cannot be read.
    """
    found: list[Attachment | Path] = []
    for one in given:
        if isinstance(one, FileBytes):
            found += await read_file(one)
        else:
            found.append(one)
    return found


async def read_file(sent: FileBytes) -> tuple[Attachment, ...]:
    """The text of a file, the picture that it is, or the pictures that its pages are.

    Raises:
        BadFile: if there is nothing in it that models can be shown, or reading takes too long.
    """
    try:
        async with asyncio.timeout(SECONDS):
            while not _ROOM.acquire(blocking=False):  # noqa: ASYNC110 - a thread makes room
                await asyncio.sleep(LOOK)
            return await _begun(sent)
    except TimeoutError:
        name = clip(sent.name, 200)
        raise BadFile(f"it takes too long to read {name}; attach its text", sent.place) from None
    except BadInput as e:
        raise BadFile(str(e), sent.place) from None


def _begun(sent: FileBytes) -> asyncio.Future[tuple[Attachment, ...]]:
    """Read a file in a thread that blocks neither the loop nor its end."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[tuple[Attachment, ...]] = loop.create_future()

    def tell(read: tuple[Attachment, ...] | BadInput) -> None:
        if done.done():
            return
        if isinstance(read, BadInput):
            done.set_exception(read)
        else:
            done.set_result(read)

    def work() -> None:
        from mutual_dissent.briefing.inputs.attachments import contents_of
        from mutual_dissent.briefing.inputs.pictures import picture_of

        try:
            read: tuple[Attachment, ...] | BadInput = (
                (picture_of(sent.name, sent.raw),)
                if sent.shown
                else contents_of(sent.name, sent.raw)
            )
        except BadInput as e:
            read = e
        finally:
            # Not where the wait is given up: after that, this thread still reads.
            _ROOM.release()
        with suppress(RuntimeError):  # the loop has ended meanwhile
            loop.call_soon_threadsafe(tell, read)

    Thread(target=work, name="document", daemon=True).start()
    return done
