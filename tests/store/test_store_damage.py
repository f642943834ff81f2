"""A damaged record: what can be read is shown, what is lost is said, and a whole file mends it."""

from __future__ import annotations

import random

import pytest

from fakes.databases import BOTH, a_place
from fakes.logs import a_log, an_id
from fakes.outages import LOCKED, impatient, outage
from mutual_dissent.core.errors import NotSaved
from mutual_dissent.core.events import Answered, Noted, Opened, Status
from mutual_dissent.core.transcript import fold
from mutual_dissent.store.doctor import examine
from mutual_dissent.store.files.transcripts import write_transcript
from mutual_dissent.store.import_ import import_paths
from mutual_dissent.store.store import Store
from mutual_dissent.views.documents.json import transcript_to_bytes
from mutual_dissent.views.heading import heading


@pytest.fixture(params=BOTH)
def store(request, tmp_path):
    with Store(a_place(request.param, tmp_path)) as store:
        store.save(a_log())
        yield store


def harm(store, sql, **values):
    db = store._access.writable()
    with db.transaction():
        db.execute(sql, **values)


def cut(store, seq):
    harm(store, "UPDATE events SET body = substr(body, 1, 40) WHERE seq = :seq", seq=seq)


def drop(store, seq):
    harm(store, "DELETE FROM events WHERE seq = :seq", seq=seq)


def filed(store, folder):
    t = store.transcript(an_id())
    return write_transcript(folder, t, transcript_to_bytes(t))


def found(store, folder):
    return [(f.kind, f.text) for f in examine(store, folder, transcript_to_bytes)]


@pytest.mark.parametrize("way", [cut, drop])
def test_all_but_the_lost_event_is_shown_and_the_loss_is_said(store, way):
    log = a_log()
    (lost,) = [e for e in log if isinstance(e, Answered) and e.key == "0/initial/gpt"]
    way(store, lost.seq)
    events = store.events(an_id())
    assert [e.seq for e in events] == [e.seq for e in log]
    assert [e for e in events if e.seq != lost.seq] == [e for e in log if e.seq != lost.seq]
    t = store.transcript(an_id())
    assert t.synthesis.content == "All agree: Canberra."
    assert "0/initial/gpt" not in t.answered
    said = f"event {lost.seq} of {len(log)} could not be read and was left out"
    assert said in heading(t)
    assert store.remnant(an_id()).lost == [said]


def test_a_run_of_lost_events_is_said_once_also_at_the_end(store):
    last = len(a_log())
    for seq in (4, 5, 6, last - 1, last):
        drop(store, seq)
    lost = store.remnant(an_id()).lost
    said = [text.partition(" of ")[0] for text in lost]
    assert said == ["events 4 to 6", f"events {last - 1} to {last}"]
    assert store.events(an_id())[-1].seq == last
    assert store.transcript(an_id()).status is Status.INTERRUPTED


def test_without_its_brief_the_answers_are_shown_nevertheless(store):
    cut(store, 1)
    t = store.transcript(an_id())
    assert t.query == "Which city is the capital of Australia?"
    assert [p.seat for p in t.panelists] == ["claude", "gpt", "claude#2"]
    assert t.synthesis.content == "All agree: Canberra."
    assert store.remnant(an_id()).lost == ["its brief could not be read"]


async def test_a_damaged_debate_can_go_on(store):
    log = a_log()
    cut(store, 4)
    drop(store, len(log))
    new = Noted(seq=len(log) + 1, at=log[-1].at, code="cut", text="more")
    await store.journal(an_id()).append([new])
    assert store.events(an_id())[-1] == new


def test_doctor_names_the_damage_and_the_whole_file(store, tmp_path):
    path = filed(store, tmp_path / "files")
    assert found(store, tmp_path / "files") == []
    cut(store, 4)
    [(kind, text)] = found(store, tmp_path / "files")
    assert kind == "log"
    assert "event 4 of" in text
    assert f"dissent import {path}" in text
    path.unlink()
    [(kind, text)] = found(store, tmp_path / "files")
    assert "dissent delete" in text


@pytest.mark.parametrize("way", [cut, drop])
def test_an_imported_file_mends_a_damaged_log_and_marks_and_spending_stay(store, tmp_path, way):
    path = filed(store, tmp_path / "files")
    store.tag(an_id(), "mine")
    store.rate(an_id(), 4)
    spent, whole = store.totals("all"), store.transcript(an_id())
    way(store, 4)
    [brought] = import_paths(store, [path])
    assert (brought.verdict, brought.text) == ("imported", "in the place of a log that is damaged")
    assert store.remnant(an_id()).lost == []
    assert dict(store.transcript(an_id()).responses()) == dict(whole.responses())
    assert (store.list()[0].tags, store.list()[0].rating) == (("mine",), 4)
    assert store.totals("all") == spent
    assert found(store, tmp_path / "files") == []
    [again] = import_paths(store, [path])
    assert again.verdict == "skipped"


async def test_a_file_that_has_what_was_never_written_is_taken_in(tmp_path, monkeypatch):
    impatient(monkeypatch)
    log, home = a_log(), tmp_path / "home"
    with Store(home / "dissent.db") as store:
        await store.journal(an_id()).append(log[:9])
        with outage(store, LOCKED):
            with pytest.raises(NotSaved):
                await store.journal(an_id()).append(log[9:])
            path = filed(store, home / "transcripts")
            store.close()
    with Store(home / "dissent.db") as store:
        assert len(store.events(an_id())) == 9
        [(kind, text)] = found(store, home / "transcripts")
        assert (kind, f"dissent import {path}" in text) == ("ahead", True)
        [brought] = import_paths(store, [path])
        assert brought.verdict == "imported"
        assert store.transcript(an_id()).synthesis is not None
        assert store.totals("all")[0].calls == 7


def test_whatever_is_done_to_its_rows_a_log_is_read_and_examined(tmp_path):
    dice, log = random.Random(11), a_log()
    texts = ["", "{}", "[]", "null", "1e999", '{"at": 5}', '{"at": "2026-01-01T00:00:00"}', "\x00"]
    with Store(tmp_path / "home" / "dissent.db") as store:
        store.save(log)
        for _ in range(150):
            seq = dice.randrange(1, len(log) + 1)
            change = dice.choice(["body", "kind", "blob"])
            value = (
                dice.choice(texts) if change == "body" else dice.choice(["opened", "x", "noted"])
            )
            if change == "blob":
                harm(
                    store,
                    "UPDATE events SET body = CAST(x'ff00fe' AS TEXT) WHERE seq = :seq",
                    seq=seq,
                )
            else:
                harm(
                    store,
                    f"UPDATE events SET {change} = :value WHERE seq = :seq",
                    value=value,
                    seq=seq,
                )
            events = store.events(an_id())
            assert isinstance(events[0], Opened)
            assert events[-1].seq == len(log)
            heading(fold(events))
            examine(store, tmp_path / "files", transcript_to_bytes)
        assert store.remnant(an_id()).lost


def test_a_file_without_a_debate_is_refused_with_a_reason(store, tmp_path):
    path = tmp_path / "x.json"
    path.write_text("{}")
    [brought] = import_paths(store, [path])
    assert (brought.verdict, brought.text) == ("refused", "nothing in it is a debate")
