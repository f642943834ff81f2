"""The doctor: compares the log with the files, and says what is wrong and what to do about it.

It mends only what loses nothing: files that can be written again from the log, permissions that
are too wide, leftovers of processes that died. A damaged file is moved aside, never removed. Files
that a user edited or put there are not touched at all.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from mutual_dissent.core.errors import DissentError, Held, StoreError
from mutual_dissent.core.events import Closed, Event, Opened
from mutual_dissent.core.transcript import Transcript, fold
from mutual_dissent.core.values.terms import at_terminal
from mutual_dissent.store.diagnosis import Finding
from mutual_dissent.store.files.parse import reading
from mutual_dissent.store.files.remnant import DAMAGED
from mutual_dissent.store.files.transcripts import is_plain_file, read_transcript, write_transcript
from mutual_dissent.store.import_ import is_ahead
from mutual_dissent.store.postgres.server import PostgresServer
from mutual_dissent.store.private_files import FILE_MODE, FOLDER_MODE, TEMPORARY
from mutual_dissent.store.store import Store

OPENING = 1.0
"""Seconds in which a debate is opened once its pictures are on record."""

Render = Callable[[Transcript], bytes]


def examine(store: Store, folder: Path, render: Render, *, fix: bool = False) -> list[Finding]:
    """Return everything that is wrong with a store and its transcripts' folder.

    Args:
        store: the log.
        folder: where the transcripts' files lie.
        render: writes a transcript's file.
        fix: whether to mend what can be mended without losing anything.
    """
    return list(_Examination(store, folder, render, fix=fix).findings())


class _Examination:
    """One examination."""

    def __init__(self, store: Store, folder: Path, render: Render, *, fix: bool) -> None:
        self.store = store
        self.folder = folder
        self.render = render
        self.fix = fix
        self.filed: set[str] = set()
        self.whole: dict[str, Path] = {}

    def findings(self) -> Iterator[Finding]:
        broken = False
        for finding in self.database():
            broken = broken or finding.kind == "database"
            yield finding
        if broken:
            return
        yield from self.permissions()
        yield from self.locks()
        yield from self.pictures()
        logs = dict.fromkeys(self.store.ids())
        for path in self.files():
            yield from self.file(path, logs)
        for transcript_id in logs:
            yield from self.log(transcript_id)

    def database(self) -> Iterator[Finding]:
        """Report what is wrong with the database itself, and with the processes that use it."""
        name = str(self.store.path)
        way_on = "; copy the file away, then import the transcripts into a new one"
        problems = self.store.problems()
        for problem in problems:
            text = problem.removeprefix(f"{name} ") + ("" if self.server else way_on)
            yield Finding(kind="database", subject=name, text=text)
        if self.server and not problems:
            from mutual_dissent.store.postgres.checkup import checkup

            yield from checkup(self.server, fix=self.fix)

    @property
    def server(self) -> PostgresServer | None:
        """Return the server that machines share, if the record is not a file."""
        return self.store.path if isinstance(self.store.path, PostgresServer) else None

    def files(self) -> list[Path]:
        try:
            return sorted(self.folder.iterdir())
        except OSError:
            return []

    def file(self, path: Path, logs: Collection[str]) -> Iterator[Finding]:
        """Report what is wrong with one file of the transcripts' folder."""
        if path.name.startswith(TEMPORARY):
            yield from self.leftover(path)
        elif not is_plain_file(path):
            yield Finding(
                kind="foreign", subject=str(path), text="not a plain file; it was not opened"
            )
        elif path.suffix == ".json":
            yield from self.transcript(path, logs)

    def transcript(self, path: Path, logs: Collection[str]) -> Iterator[Finding]:
        try:
            events, notes = read_transcript(path)
        except StoreError as e:
            yield self.report_damage(path, _named_by(path, logs), [str(e)], readable=False)
            return
        transcript_id = fold(events).transcript_id if _opens(events) else ""
        if notes:
            known = transcript_id if transcript_id in logs else _named_by(path, logs)
            yield self.report_damage(path, known, notes, readable=_opens(events))
        elif transcript_id not in logs:
            text = f"not in the log; bring it in with: {at_terminal('import', str(path))}"
            yield Finding(kind="unknown", subject=str(path), text=text)
        else:
            self.filed.add(transcript_id)
            yield from self.comparison(path, transcript_id, fold(events))

    def report_damage(self, path: Path, known: str, notes: list[str], *, readable: bool) -> Finding:
        """Report a file that cannot be read whole; `known` is its debate, if that is in the log."""
        what = "; ".join(notes)
        if not known:
            rest = f"bring in what is left with: {at_terminal('import', str(path))}"
            on = rest if readable else "put a copy in its place, or remove it"
            text = f"{what}; its debate is not in the log; {on}"
            return Finding(kind="damaged", subject=str(path), text=text)
        self.filed.add(known)

        def write() -> None:
            _move_aside(path, "damaged")
            self.write(known)

        text = f"{what}; it can be moved aside ({path.name}.damaged) and written again from the log"
        return self.apply_mend(Finding(kind="damaged", subject=str(path), text=text), write)

    def comparison(self, path: Path, transcript_id: str, told: Transcript) -> Iterator[Finding]:
        """Compare a file with the log as it is, and as it was whenever it was closed."""
        if all(n.code != DAMAGED for n in told.notes):
            self.whole[transcript_id] = path
        try:
            events, lost = self.store.remnant(transcript_id)
        except StoreError:
            return  # found again, and reported, when the log is looked at
        if lost:
            return  # so is this
        logged = fold(events)
        if self.tells(told, logged):
            return
        if is_ahead(told, logged):
            way = at_terminal("import", str(path))
            text = f"it tells more than the log; bring that in with: {way}"
            yield Finding(kind="ahead", subject=str(path), text=text)
            return
        earlier = (events[: e.seq] for e in events if isinstance(e, Closed))
        if any(self.tells(told, fold(prefix)) for prefix in earlier):
            yield self.report_outdated(path, transcript_id)
        else:
            text = "differs from the log; move it away to have it written again, or keep it"
            yield Finding(kind="edited", subject=str(path), text=text)

    def tells(self, told: Transcript, logged: Transcript) -> bool:
        """Return whether a file tells what a log does, in the wording of any version.

        A file does not tell everything, such as in which order answers were given up. So where
        they differ, it is compared with what would be read from the file if it was written now.
        """
        return _same(told, logged) or _same(told, fold(reading(self.render(logged)).events))

    def log(self, transcript_id: str) -> Iterator[Finding]:
        """Report what is wrong with one debate's log, or missing from its files."""
        try:
            events, lost = self.store.remnant(transcript_id)
        except DissentError as e:
            events, lost = [], [e.fact]
        last = fold(events).status if _opens(events) else None
        if lost:
            yield Finding(kind="log", subject=transcript_id, text=self.way_out(transcript_id, lost))
        elif transcript_id not in self.filed and last in _FILED and (self.fix or not self.server):
            yield self.missing(transcript_id)  # files lie with the machine that held the debate

    def way_out(self, transcript_id: str, lost: list[str]) -> str:
        """Return what of a log is lost, and where to get it back from."""
        what = "; ".join(lost[:3]) + (f"; and {len(lost) - 3} more" if len(lost) > 3 else "")
        if path := self.whole.get(transcript_id):
            way = at_terminal("import", str(path))
            return f"{what}; its file is whole: bring it back with: {way}"
        return (
            f"{what}; the rest is shown and can be resumed; put a backup of the database in its "
            f"place, or forget this debate with: {at_terminal('delete', transcript_id[:8])}"
        )

    def report_outdated(self, path: Path, transcript_id: str) -> Finding:
        def write() -> None:
            if self.write(transcript_id) != path:  # it has a newer file under another name
                _move_aside(path, "outdated")

        text = "the log goes on after this file; it can be written again"
        return self.apply_mend(Finding(kind="outdated", subject=str(path), text=text), write)

    def missing(self, transcript_id: str) -> Finding:
        text = "its transcript's file is missing; it can be written again"
        finding = Finding(kind="missing", subject=transcript_id, text=text)
        return self.apply_mend(finding, lambda: self.write(transcript_id))

    def write(self, transcript_id: str) -> Path:
        transcript = self.store.transcript(transcript_id)
        return write_transcript(self.folder, transcript, self.render(transcript))

    def leftover(self, path: Path) -> Iterator[Finding]:
        pid = path.name.removeprefix(TEMPORARY).partition("-")[0]
        if not (pid.isdecimal() and _alive(int(pid))):
            text = "left by a process that died; it can be removed"
            yield self.apply_mend(
                Finding(kind="unfinished", subject=str(path), text=text), path.unlink
            )

    def locks(self) -> Iterator[Finding]:
        for path in self.store.stale_locks():

            def release(transcript_id: str = path.stem) -> None:
                with suppress(Held), self.store.hold(transcript_id):
                    pass  # releasing a lock removes its file

            text = "left by a process that died; it can be removed"
            yield self.apply_mend(Finding(kind="lock", subject=str(path), text=text), release)

    def pictures(self) -> Iterator[Finding]:
        """Report pictures that a process kept for a debate, and died before it was opened."""
        names = self.store.orphan_pictures()
        if names and self.fix:
            # Pictures come on record just before their debate does.
            time.sleep(OPENING)
            names = sorted({*names} & {*self.store.orphan_pictures()})
        for name in names:

            def forget(name: str = name) -> None:
                with suppress(Held), self.store.hold(name):
                    self.store.forget_pictures(name)

            text = "pictures are kept for a debate that was never opened; they can be removed"
            yield self.apply_mend(Finding(kind="picture", subject=name, text=text), forget)

    def permissions(self) -> Iterator[Finding]:
        """Report files and folders that users other than their owner can use."""
        database, home = self.store.path, self.folder.parent
        beside: list[Path] = []
        if isinstance(database, Path):
            beside = [database.with_name(database.name + end) for end in ("", "-wal", "-shm")]
            home = database.parent
        for path in (home, self.folder, home / "locks", *beside, *self.files()):
            if os.name == "nt" or path.is_symlink() or not path.exists():
                continue
            mode = path.stat().st_mode
            if (stat.S_ISREG(mode) or stat.S_ISDIR(mode)) and mode & 0o077:
                right = FOLDER_MODE if stat.S_ISDIR(mode) else FILE_MODE
                text = f"others may use it ({stat.S_IMODE(mode):o}); it should be {right:o}"
                finding = Finding(kind="permissions", subject=str(path), text=text)

                def tighten(path: Path = path, right: int = right) -> None:
                    path.chmod(right)

                yield self.apply_mend(finding, tighten)

    def apply_mend(self, finding: Finding, mend: Callable[[], object]) -> Finding:
        """Return a finding that can be mended, mended if `fix` is set."""
        if not self.fix:
            return replace(finding, fixable=True)
        try:
            mend()
        except (DissentError, OSError) as e:
            return replace(finding, fixable=True, text=f"{finding.text}; that failed: {e}")
        return replace(finding, fixable=True, fixed=True)


_FILED = ("completed", "error", "stopped")
SHORTEST = 8
"""The shortest beginning of an id in a file's name."""


def _opens(events: list[Event]) -> bool:
    return bool(events) and isinstance(events[0], Opened)


def _named_by(path: Path, logs: Collection[str]) -> str:
    """Return the one debate whose id begins as a file's name says; empty if none, or several."""
    begin = path.name.partition("_")[2].partition(".")[0]
    matches = [i for i in logs if i.startswith(begin)] if len(begin) >= SHORTEST else []
    return matches[0] if len(matches) == 1 else ""


def _move_aside(path: Path, why: str) -> None:
    """Give a file a new, unused name that says why."""
    for number in ("", *(f".{n}" for n in range(2, 100))):
        target = path.with_name(f"{path.name}.{why}{number}")
        try:
            # A link fails where the name is taken; a rename would replace what has it.
            target.hardlink_to(path)
        except FileExistsError:
            continue
        except OSError:
            if os.path.lexists(target):
                continue
            path.rename(target)  # this file system has no hard links
            return
        path.unlink()
        return
    raise StoreError(f"{path.name} was moved aside too often; remove some of those files")


def _same(a: Transcript, b: Transcript) -> bool:
    """Return whether two logs tell the same debate; numbers of events may differ."""
    return _unnumbered(a) == _unnumbered(b)


def _unnumbered(t: Transcript) -> Transcript:
    return replace(t, last_seq=0, notes=tuple(replace(n, seq=0) for n in t.notes))


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
