"""Bringing transcripts in from files: earlier programs', other machines', or one's own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from mutual_dissent.core.errors import DissentError, NotFound, NotSaved
from mutual_dissent.core.events import Event, Opened
from mutual_dissent.core.transcript import Transcript, fold
from mutual_dissent.store.files.remnant import DAMAGED
from mutual_dissent.store.files.transcripts import read_transcript
from mutual_dissent.store.private_files import reason
from mutual_dissent.store.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportResult:
    """The result for one file. `notes` say what in it could not be read."""

    path: Path
    verdict: Literal["imported", "skipped", "refused"]
    transcript_id: str | None = None
    text: str = ""
    notes: tuple[str, ...] = ()


def import_paths(store: Store, paths: Iterable[Path | str]) -> list[ImportResult]:
    """Store the debates in these files and folders, which are only read.

    Raises:
        NotSaved: if the store cannot be written.
    """
    return [result for path in paths for result in _all_in(store, Path(path).expanduser())]


def _all_in(store: Store, path: Path) -> list[ImportResult]:
    results = [_import(store, file) for file in _files(path)]
    text = "there is nothing to import there: no file that ends in .json"
    return results or [ImportResult(path=path, verdict="refused", text=text)]


def _files(path: Path) -> Iterator[Path]:
    """Yield the file itself, or the transcripts in a folder and in its `transcripts` folder."""
    if not path.is_dir():
        yield path
        return
    for folder in (path, path / "transcripts"):
        files = sorted(folder.iterdir()) if folder.is_dir() else []
        yield from (p for p in files if p.suffix == ".json" and not p.name.startswith("."))


def _import(store: Store, path: Path) -> ImportResult:
    try:
        events, notes = read_transcript(path)
        if not events or not isinstance(events[0], Opened):
            return ImportResult(path=path, verdict="refused", text="; ".join(notes))
        transcript_id, text = events[0].brief.transcript_id, ""
        if not _is_stored(store, transcript_id):
            store.save(events)
        elif text := _better(store, events, notes):
            store.replace(events)
        else:
            return ImportResult(
                path=path, verdict="skipped", transcript_id=transcript_id, text="it is stored"
            )
    except NotSaved:
        raise  # no other file could be stored either
    except (DissentError, OSError) as e:
        text = reason(e) if isinstance(e, OSError) else str(e)
        return ImportResult(path=path, verdict="refused", text=text)
    return ImportResult(
        path=path, verdict="imported", transcript_id=transcript_id, text=text, notes=tuple(notes)
    )


def _better(store: Store, events: list[Event], notes: list[str]) -> str:
    """Return why a file takes the place of the stored log; empty if it does not."""
    transcript = fold(events)
    if notes or any(n.code == DAMAGED for n in transcript.notes):
        return ""
    stored = store.remnant(transcript.transcript_id)
    if stored.lost:
        return "in the place of a log that is damaged"
    ahead = is_ahead(transcript, fold(stored.events))
    return "in the place of a log that ends earlier" if ahead else ""


def is_ahead(told: Transcript, logged: Transcript) -> bool:
    """Return whether a file has all answers of the log, and some that were never written there."""
    ours = {key: r.content for key, r in logged.responses()}
    theirs = {key: r.content for key, r in told.responses()}
    return len(theirs) > len(ours) and ours.items() <= theirs.items()


def _is_stored(store: Store, transcript_id: str) -> bool:
    try:
        return store.find(transcript_id) == transcript_id
    except NotFound:
        return False
