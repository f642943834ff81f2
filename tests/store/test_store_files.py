"""Promises of transcripts as files: private, whole, under a name of their own, and mendable."""

from __future__ import annotations

import json
import os
import shutil
import stat
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from fakes.logs import START, a_brief, a_log, a_turn, an_id, numbered
from mutual_dissent.core.errors import BadInput, NotSaved, StoreError
from mutual_dissent.core.events import Answered, Closed, Noted, Opened, Reopened, Scored, Status
from mutual_dissent.core.response import Finish
from mutual_dissent.core.transcript import fold
from mutual_dissent.store import private_files
from mutual_dissent.store.doctor import examine
from mutual_dissent.store.files.export import check_output, write_output
from mutual_dissent.store.files.transcripts import read_transcript, write_transcript
from mutual_dissent.store.import_ import import_paths
from mutual_dissent.store.private_files import TEMPORARY
from mutual_dissent.store.store import Store
from mutual_dissent.views.documents.json import transcript_to_bytes

CORPUS = Path(__file__).parents[1] / "fixtures" / "transcripts"


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "home" / "dissent.db") as store:
        yield store


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "home" / "transcripts"


def write(folder, transcript):
    return write_transcript(folder, transcript, transcript_to_bytes(transcript))


def saved(store, folder, n=0):
    store.save(a_log(n))
    return write(folder, store.transcript(an_id(n)))


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


# -- writing -----------------------------------------------------------------------------------


def test_a_file_is_named_by_its_day_and_its_short_id_and_is_private(folder):
    old = os.umask(0)
    try:
        path = write(folder, fold(a_log()))
    finally:
        os.umask(old)
    assert path.name == f"2026-02-21_{an_id()[:8]}.json"
    assert mode(path) == 0o600
    assert mode(folder) == mode(folder.parent) == 0o700
    assert [p.name for p in folder.iterdir()] == [path.name]


def test_the_owner_can_use_the_folder_whatever_the_umask(folder):
    old = os.umask(0o777)
    try:
        path = write(folder, fold(a_log()))
    finally:
        os.umask(old)
    assert mode(path) == 0o600
    assert mode(folder) == 0o700


def test_a_debate_that_goes_on_replaces_its_own_file(folder):
    first = write(folder, fold(a_log(closed=False)))
    second = write(folder, fold(a_log()))
    assert first == second
    assert json.loads(second.read_bytes())["status"] == "completed"
    assert len(list(folder.iterdir())) == 1


def twin(n):
    """Debates whose ids begin alike."""
    log = a_log()
    brief = replace(log[0].brief, transcript_id=f"deadbeef-0000-4000-8000-00000000000{n}")
    return fold([replace(log[0], brief=brief), *log[1:]])


def test_the_short_id_grows_where_another_debate_has_the_name(folder):
    paths = [write(folder, twin(n)) for n in range(3)]
    assert len(set(paths)) == 3
    assert [json.loads(p.read_bytes())["transcript_id"][-1] for p in paths] == ["0", "1", "2"]
    assert [write(folder, twin(n)) for n in range(3)] == paths


def changed_at(path):
    """Which file it is, how long, and when it was last changed; it may have been read since."""
    found = path.lstat()
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


@pytest.mark.parametrize("kind", ["damaged", "symlink", "dangling", "fifo", "folder"])
def test_what_else_stands_under_its_name_is_never_touched(folder, tmp_path, kind):
    folder.mkdir(parents=True)
    taken = folder / f"2026-02-21_{an_id()[:8]}.json"
    outside = tmp_path / "outside"
    outside.write_bytes(transcript_to_bytes(fold(a_log())))
    if kind == "damaged":
        taken.write_bytes(outside.read_bytes()[:-30])
    elif kind == "symlink":
        taken.symlink_to(outside)
    elif kind == "dangling":
        taken.symlink_to(tmp_path / "nowhere")
    elif kind == "fifo":
        os.mkfifo(taken)  # opening it would wait for ever
    else:
        taken.mkdir()
    before = outside.read_bytes(), changed_at(taken)
    path = write(folder, fold(a_log()))
    assert path != taken
    assert (outside.read_bytes(), changed_at(taken)) == before
    assert not (tmp_path / "nowhere").exists()


def test_a_linked_folder_is_refused(folder, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    folder.parent.mkdir()
    folder.symlink_to(elsewhere)
    with pytest.raises(StoreError, match="not a folder"):
        write(folder, fold(a_log()))
    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize("step", ["fsync", "link", "replace"])
def test_a_write_that_fails_midway_leaves_the_old_file_and_nothing_else(folder, monkeypatch, step):
    write(folder, fold(a_log(closed=False)))
    before = {p.name: p.read_bytes() for p in folder.iterdir()}

    def refuse(*_, **__):
        raise OSError(28, "No space left on device")

    for name in {"link": ("link", "replace")}.get(step, (step,)):
        monkeypatch.setattr(os, name, refuse)
    transcript = twin(1) if step == "link" else fold(a_log())
    with pytest.raises(NotSaved, match="No space left on device"):
        write(folder, transcript)
    assert {p.name: p.read_bytes() for p in folder.iterdir()} == before


def test_a_file_is_on_disk_before_it_has_its_name_and_its_name_before_we_go_on(folder, monkeypatch):
    order = []
    write(folder, fold(a_log(1)))
    for name in ("fsync", "link", "unlink"):
        real = getattr(os, name)

        def noted(*args, name=name, real=real, **more):
            order.append(name)
            return real(*args, **more)

        monkeypatch.setattr(os, name, noted)
    write(folder, fold(a_log()))
    assert order == ["fsync", "link", "unlink", "fsync"]


def test_names_that_are_given_at_once_are_made_to_last_together(tmp_path, monkeypatch):
    begun, go_on, syncs = threading.Event(), threading.Event(), []

    def slow(folder):
        syncs.append(folder)
        begun.set()
        assert go_on.wait(30)

    monkeypatch.setattr(private_files, "sync_folder", slow)
    shared = private_files.SharedSync(tmp_path)
    with ThreadPoolExecutor(6) as pool:
        first = pool.submit(shared.sync)
        assert begun.wait(30)
        others = [pool.submit(shared.sync) for _ in range(5)]
        while shared._last < 6:
            threading.Event().wait(0.001)
        assert not first.done()
        go_on.set()
        for work in (first, *others):
            work.result(30)
    assert len(syncs) == 2, "one for whoever came first, one for all who waited"


# -- reading -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["symlink", "fifo", "folder", "device", "missing"])
def test_only_plain_files_are_read(tmp_path, kind):
    path = tmp_path / "x.json"
    target = tmp_path / "target.json"
    target.write_bytes(transcript_to_bytes(fold(a_log())))
    if kind == "symlink":
        path.symlink_to(target)
    elif kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "device":
        path = Path("/dev/zero")
    with pytest.raises(StoreError):
        read_transcript(path)


def test_a_score_stays_with_the_answer_that_it_was_given_to(tmp_path):
    log = a_log()
    (old,) = [e for e in log if isinstance(e, Answered) and e.response.role == "synthesis"]
    new = replace(old, response=replace(old.response, content="Sydney."))
    score = {"accuracy": 5, "completeness": 4}
    log += [
        Scored(at=START, about=old.key, name="ground_truth_score", score=score),
        Reopened(at=START, reason="continued"),
        new,
        Closed(at=START, status=Status.COMPLETED, reason="done"),
    ]
    t = fold(numbered(log))
    path = tmp_path / "x.json"
    path.write_bytes(transcript_to_bytes(t))
    for told in (t, fold(read_transcript(path).events)):
        assert told.synthesis == new.response
        assert told.scores == {}
        assert [r.analysis for r in told.superseded] == [{"ground_truth_score": score}]


# -- importing ---------------------------------------------------------------------------------


def test_a_folder_of_an_earlier_program_is_imported_once_and_left_as_it_was(store, tmp_path):
    old = tmp_path / ".questionable-ai"
    shutil.copytree(CORPUS, old / "transcripts")
    (old / "transcripts" / "damaged.json").write_bytes(b'{"transcript_id": "x')
    (old / "transcripts" / "notes.txt").write_text("not a transcript")
    (old / "transcripts" / "link.json").symlink_to(CORPUS / "004-mutual-dissent-0.1.0.json")
    before = {p.name: p.lstat().st_mtime_ns for p in (old / "transcripts").iterdir()}
    brought = {b.path.name: b for b in import_paths(store, [old])}
    verdicts = [b.verdict for b in brought.values()]
    assert verdicts.count("imported") == 4
    assert brought["damaged.json"].verdict == "refused"
    assert "damaged" in brought["damaged.json"].text
    assert "symbolic link" in brought["link.json"].text
    assert store.count() == 4
    again = [b.verdict for b in import_paths(store, [old])]
    assert again.count("skipped") == 4
    assert {p.name: p.lstat().st_mtime_ns for p in (old / "transcripts").iterdir()} == before


def test_an_imported_debate_is_listed_at_its_own_time_and_found_by_its_words(store):
    store.save(a_log())
    import_paths(store, [CORPUS / "004-mutual-dissent-0.2.0.json"])
    import_paths(store, [CORPUS / "000-questionable-ai-0.1.0.json"])
    assert [r.created_at.month for r in store.list()] == [3, 2, 2]
    assert len(store.list(text="audit log")) == 1
    assert len(store.list(model="claude-sonnet-4-5")) == 1


def test_a_file_that_is_not_there_is_said(store, tmp_path):
    (brought,) = import_paths(store, [tmp_path / "nothing.json"])
    assert brought.verdict == "refused"
    assert "No such file" in brought.text


# -- the doctor --------------------------------------------------------------------------------


def findings(store, folder, **more):
    return [(f.kind, f.fixed) for f in examine(store, folder, transcript_to_bytes, **more)]


def test_a_sound_store_has_no_findings(store, folder):
    for n in range(3):
        saved(store, folder, n)
    store.save(a_log(3, closed=False))  # unfinished debates need no file
    assert findings(store, folder) == []


def test_a_crash_between_the_log_and_the_file_is_found_and_mended(store, folder):
    store.save(a_log())
    assert findings(store, folder) == [("missing", False)]
    assert findings(store, folder, fix=True) == [("missing", True)]
    assert findings(store, folder) == []
    (path,) = folder.iterdir()
    assert path.read_bytes() == transcript_to_bytes(store.transcript(an_id()))


async def test_a_crash_before_a_continued_debate_was_written_again_is_mended(store, folder):
    saved(store, folder)
    end = len(a_log())
    more = [
        Reopened(at=START, reason="continued"),
        Noted(at=START, code="x", text="something new"),
        Closed(at=START, status=Status.COMPLETED, reason="done"),
    ]
    await store.journal(an_id()).append(numbered(more, end + 1))
    assert findings(store, folder) == [("outdated", False)]
    assert findings(store, folder, fix=True) == [("outdated", True)]
    assert findings(store, folder) == []


def test_an_edited_file_is_found_and_never_touched(store, folder):
    path = saved(store, folder)
    edited = path.read_bytes().replace(b"says Canberra", b"says Sydney")
    path.write_bytes(edited)
    assert findings(store, folder, fix=True) == [("edited", False)]
    assert path.read_bytes() == edited


def test_answers_that_came_in_another_order_the_second_time_are_no_edit(store, folder):
    brief = a_brief()
    first, second = brief.panel[:2]
    failed = {"error": "HTTP 500", "finish": Finish.FAILED}
    turns = [a_turn(p, 0, "initial", "", START, **failed) for p in (first, second)]
    again = [a_turn(p, 0, "initial", "Canberra.", START) for p in (second, first)]
    ended = Closed(at=START, status=Status.STOPPED, reason="credits")
    log = [Opened(at=START, brief=brief), *turns[0], *turns[1], ended]
    log += [Reopened(at=START, reason="resumed"), *again[0], *again[1], ended]
    store.save(numbered(log))
    path = write(folder, store.transcript(an_id()))
    assert findings(store, folder) == []
    path.write_bytes(path.read_bytes().replace(b"Canberra.", b"Sydney."))
    assert findings(store, folder) == [("edited", False)]


def test_a_file_that_was_only_formatted_otherwise_is_not_edited(store, folder):
    path = saved(store, folder)
    path.write_text(json.dumps(json.loads(path.read_bytes()), indent=7, sort_keys=True))
    path.chmod(0o600)
    assert findings(store, folder) == []


def test_unknown_and_damaged_and_foreign_files_are_named_and_left_alone(store, folder, tmp_path):
    saved(store, folder)
    write(folder, fold(a_log(5)))
    damaged = folder / "2026-01-01_damaged.json"
    damaged.write_bytes(b'{"transcript_id": "')
    damaged.chmod(0o600)
    (folder / "link.json").symlink_to(tmp_path)
    before = {p.name: p.lstat() for p in folder.iterdir()}
    kinds = sorted(k for k, fixed in findings(store, folder, fix=True) if not fixed)
    assert kinds == ["damaged", "foreign", "unknown"]
    assert {p.name: p.lstat().st_mtime for p in folder.iterdir()} == {
        n: s.st_mtime for n, s in before.items()
    }


@pytest.mark.parametrize("harm", ["a byte too many", "the end is missing", "nothing is left"])
def test_a_damaged_file_of_a_known_debate_is_moved_aside_and_written_again(store, folder, harm):
    path = saved(store, folder)
    whole = path.read_bytes()
    bad = {"a": whole + b"x", "t": whole[: len(whole) // 2], "n": b""}[harm[0]]
    path.write_bytes(bad)
    (found,) = examine(store, folder, transcript_to_bytes)
    assert (found.kind, found.fixable, found.fixed) == ("damaged", True, False)
    assert findings(store, folder, fix=True) == [("damaged", True)]
    assert findings(store, folder) == []
    assert path.read_bytes() == whole
    assert path.with_name(f"{path.name}.damaged").read_bytes() == bad


def test_damaged_files_never_take_each_others_place(store, folder):
    path = saved(store, folder)
    for bad in (b"first", b"second"):
        path.write_bytes(bad)
        assert findings(store, folder, fix=True) == [("damaged", True)]
    aside = sorted(p.read_bytes() for p in folder.iterdir() if p != path)
    assert aside == [b"first", b"second"]


def test_a_damaged_file_of_an_unknown_debate_comes_with_a_next_step(store, folder):
    path = write(folder, fold(a_log(5)))
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    (found,) = examine(store, folder, transcript_to_bytes, fix=True)
    assert (found.kind, found.fixed) == ("damaged", False)
    assert found.text.endswith(f"bring in what is left with: dissent import {path}")


async def test_what_the_doctor_calls_mended_is_mended(store, folder):
    short = saved(store, folder)
    older = short.with_name(f"{short.stem}{an_id()[8:13]}.json")  # as a collision would have it
    older.write_bytes(short.read_bytes())
    older.chmod(0o600)
    more = [
        Reopened(at=START, reason="continued"),
        Closed(at=START, status=Status.ERROR, reason="x"),
    ]
    await store.journal(an_id()).append(numbered(more, len(a_log()) + 1))
    write(folder, store.transcript(an_id()))
    assert findings(store, folder, fix=True) == [("outdated", True)]
    assert findings(store, folder) == []


def test_leftovers_of_dead_processes_are_removed_and_those_of_live_ones_kept(store, folder):
    saved(store, folder)
    dead, alive = folder / f"{TEMPORARY}999999999-ab", folder / f"{TEMPORARY}{os.getpid()}-ab"
    for path in (dead, alive):
        path.touch(mode=0o600)
    lock = store.path.parent / "locks" / f"{an_id()}.lock"
    lock.parent.mkdir(mode=0o700)
    lock.write_text("999999999\n")
    assert sorted(findings(store, folder, fix=True)) == [("lock", True), ("unfinished", True)]
    assert not dead.exists()
    assert alive.exists()
    assert not lock.exists()


def test_permissions_that_are_too_wide_are_tightened(store, folder):
    path = saved(store, folder)
    wide = [path, folder, store.path]
    for p in wide:
        p.chmod(0o755)
    assert findings(store, folder) == [("permissions", False)] * 3
    assert findings(store, folder, fix=True) == [("permissions", True)] * 3
    assert [mode(p) for p in wide] == [0o600, 0o700, 0o600]


def test_a_damaged_database_is_said(store, folder):
    for n in range(20):
        store.save(a_log(n))
    store.close()
    data = bytearray(store.path.read_bytes())
    data[4096 * 3 : 4096 * 9] = os.urandom(4096 * 6)
    store.path.write_bytes(data)
    with Store(store.path) as broken:
        assert {k for k, _ in findings(broken, folder)} == {"database"}


# -- output ------------------------------------------------------------------------------------


def test_an_output_is_written_whole_and_private(tmp_path):
    path = tmp_path / "out.md"
    check_output(path)
    assert not path.exists()
    write_output(path, b"text")
    assert path.read_bytes() == b"text"
    assert mode(path) == 0o600
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []


def test_an_existing_output_is_replaced_only_by_force_and_keeps_its_permissions(tmp_path):
    path = tmp_path / "out.md"
    path.write_bytes(b"mine")
    path.chmod(0o644)
    for refuse in (lambda: write_output(path, b"x"), lambda: check_output(path)):
        with pytest.raises(BadInput, match="replace it with force"):
            refuse()
    assert path.read_bytes() == b"mine"
    write_output(path, b"x", force=True)
    assert path.read_bytes() == b"x"
    assert mode(path) == 0o644


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("folder", "is a folder"),
        ("link", "symbolic link"),
        ("/dev/full", "not a plain file"),
        ("fifo", "not a plain file"),
        ("nowhere/out.md", "does not exist"),
        ("x" * 300, "too long"),
        ("a\0b", "null"),
    ],
)
def test_a_target_that_cannot_be_a_file_is_refused_with_a_sentence(tmp_path, name, said, force):
    (tmp_path / "folder").mkdir()
    (tmp_path / "mine").write_bytes(b"mine")
    (tmp_path / "link").symlink_to(tmp_path / "mine")
    os.mkfifo(tmp_path / "fifo")
    for use in (check_output, lambda p, force: write_output(p, b"x", force=force)):
        with pytest.raises(BadInput, match=said):
            use(tmp_path / name, force=force)
    assert (tmp_path / "mine").read_bytes() == b"mine"


def test_an_output_that_fails_midway_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "out.md"
    path.write_bytes(b"mine")

    def refuse(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(NotSaved, match="No space left"):
        write_output(path, b"x", force=True)
    assert path.read_bytes() == b"mine"
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []
