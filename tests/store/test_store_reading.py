"""Promises of reading: every version opens for ever, and damage costs only what it lies in."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fakes.logs import START, a_brief, a_log, a_response, an_id, numbered, seat
from fakes.patience import in_proportion
from mutual_dissent.core.brief import Attachment, ExperimentMetadata
from mutual_dissent.core.codec.plain import to_bytes
from mutual_dissent.core.errors import StoreError
from mutual_dissent.core.events import Answered, Asked, Closed, Noted, Reopened, Scored, Status
from mutual_dissent.core.panel import Route
from mutual_dissent.core.response import Attempt, Citation, ErrorKind, Finish
from mutual_dissent.core.transcript import fold
from mutual_dissent.store.files.parse import reading
from mutual_dissent.store.files.transcripts import read_transcript
from mutual_dissent.views.documents import formats
from mutual_dissent.views.documents.json import transcript_to_bytes, transcript_to_json

CORPUS = Path(__file__).parents[1] / "fixtures" / "transcripts"


def told(transcript):
    """What a transcript tells, apart from the numbers of its events."""
    return replace(transcript, last_seq=0, notes=tuple(replace(n, seq=0) for n in transcript.notes))


def assert_survives(transcript):
    read = reading(transcript_to_bytes(transcript))
    assert read.notes == []
    assert told(fold(read.events)) == told(transcript)


# -- what we write, we read --------------------------------------------------------------------


def test_a_finished_debate_reads_back_equal():
    assert_survives(fold(a_log()))


@pytest.mark.parametrize("length", range(1, len(a_log()) + 1))
def test_a_debate_reads_back_equal_from_wherever_it_stood(length):
    assert_survives(fold(a_log()[:length]))


def test_everything_that_a_debate_can_hold_reads_back_equal():
    brief = a_brief(
        panel=(seat("claude", context="private", role="PRIMARY"), seat("gpt", persona="sceptic")),
        context=(Attachment(name="a.txt", text="attached\u2028text"),),
        fallbacks=(seat("gpt"),),
        judge=seat("grok"),
        rounds="auto",
        max_cost=0.5,
        ground_truth="Canberra",
        experiment=ExperimentMetadata(experiment_id="e1", variables={"n": [1, {"x": None}]}),
    )
    log = a_log(brief=brief)
    at = START + timedelta(hours=1)
    claude, gpt, grok = brief.panel[0], brief.panel[1], seat("grok")

    def answered(panelist, number, role, content, *, about="", reused=False, **more):
        key = "/".join(filter(None, (str(number), role, panelist.seat, about)))
        response = a_response(panelist, number, role, content, at, **more)
        return Answered(
            at=at, key=key, seat=panelist.seat, request_hash="h", response=response, reused=reused
        )

    attempt = Attempt(started_at=at, latency_ms=7, error_kind=ErrorKind.TIMEOUT, error="slow")
    more = [
        Reopened(at=at, reason="resumed"),
        answered(claude, 2, "reflection", "first word", about="a"),
        answered(claude, 2, "reflection", "second word", about="b"),  # takes the first one's place
        answered(gpt, 2, "reflection", "borrowed", reused=True),
        answered(gpt, 1, "digest", "a digest", citations=(Citation(url="https://x", title="t"),)),
        answered(
            claude, -1, "synthesis", "", error="down", error_kind=ErrorKind.OVERLOADED,
            finish=Finish.FAILED, attempts=(attempt,), cost_usd=None, token_count=None,
        ),
        answered(gpt, -1, "synthesis", "newer", served_model="gpt-x", analysis={"k": 1}),
        answered(grok, -1, "judge", "ACCURACY: 5", about="-1/synthesis/gpt"),
        Scored(at=at, about="-1/synthesis/gpt", name="ground_truth_score", score={"accuracy": 5}),
        Noted(at=at, code="late", text="said late"),
        Asked(at=at, key="3/reflection/gpt", seat="gpt", round_number=3, role="reflection",
              prompt="p", request_hash="h3", labels={"A": "claude"}),
        Asked(at=at, key="3/reflection/gpt", seat="gpt", round_number=3, role="reflection",
              prompt="p", request_hash="h3", labels={"A": "claude"}),
    ]  # fmt: skip
    transcript = fold([*log, *numbered(more, len(log) + 1)])
    assert transcript.bought_twice == 1
    assert transcript.scores
    assert_survives(transcript)
    stopped = Closed(at=at, status=Status.STOPPED, reason="budget", text="over")
    assert_survives(transcript.apply(stopped.with_seq(transcript.last_seq + 1)))


@settings(max_examples=60, deadline=None)
@given(st.text(st.characters(codec="utf-8"), max_size=60), st.text(max_size=5))
def test_any_text_reads_back_equal(text, name):
    name = name.encode("utf-8", "replace").decode() or "x"
    brief = a_brief(query=text, panel=(seat("claude"), seat(f"s{name}", context=text)))
    assert_survives(fold(a_log(brief=brief)))


# -- what others wrote -------------------------------------------------------------------------


@pytest.mark.parametrize("path", sorted(CORPUS.glob("*.json")), ids=lambda p: p.name)
def test_every_transcript_of_every_release_opens_and_loses_nothing(path):
    plain = json.loads(path.read_text())
    events, notes = read_transcript(path)
    transcript = fold(events)
    assert notes == []
    assert [e.seq for e in events] == list(range(1, len(events) + 1))
    assert (transcript.transcript_id, transcript.query) == (plain["transcript_id"], plain["query"])
    contents = [[r["content"] for r in round_["responses"]] for round_ in plain["rounds"]]
    assert [[r.content for r in round_.responses] for round_ in transcript.rounds] == contents
    assert (transcript.synthesis is None) == (plain["synthesis"] is None)
    assert len(transcript.panelists) == len(plain["panel"])
    assert_survives(transcript)


def test_a_file_of_questionable_ai_gets_seats_and_roles():
    transcript = fold(read_transcript(CORPUS / "000-questionable-ai-0.1.0.json").events)
    assert [p.seat for p in transcript.panelists] == ["claude", "gpt", "gemini-2.5-pro"]
    assert {p.route.vendor for p in transcript.panelists} == {"openrouter"}
    assert [r.role for r in transcript.turns()] == ["initial"] * 2 + ["reflection"] * 2
    assert transcript.synthesis.role == "synthesis"
    assert transcript.status is Status.COMPLETED
    assert transcript.version == "0.1.0"


def test_a_file_of_004_keeps_its_experiment_its_context_its_score_and_its_routes():
    transcript = fold(read_transcript(CORPUS / "004-mutual-dissent-0.2.0.json").events)
    assert [p.seat for p in transcript.panelists] == ["claude", "gpt"]
    assert transcript.brief.experiment.campaign_id == "camp-42"
    assert transcript.panelists[0].context.startswith("RAG context")
    assert transcript.panelists[0].route == Route(
        vendor="anthropic", model_id="claude-sonnet-4-5-20250929"
    )
    assert transcript.scores["-1/synthesis/claude"]["accuracy"] == 5
    assert any("$0.0286" in n.text for n in transcript.notes)


def test_times_without_a_zone_are_utc_however_a_foreign_file_writes_them():
    plain = json.loads(transcript_to_bytes(fold(a_log())))
    first, second = plain["rounds"][0]["responses"][:2]
    first["timestamp"], second["timestamp"] = "2026-01-01T10:00:05", "2026-01-01 10:00"
    times = [r.timestamp for r in fold(reading(to_bytes(plain)).events).rounds[0].responses[:2]]
    assert [t.isoformat() for t in times] == [
        "2026-01-01T10:00:05+00:00",
        "2026-01-01T10:00:00+00:00",
    ]


def test_a_failed_answer_of_an_old_file_is_still_a_failure():
    transcript = fold(read_transcript(CORPUS / "004-mutual-dissent-0.1.0.json").events)
    assert [p.seat for p in transcript.standing] == ["claude"]
    (failed,) = transcript.absent
    assert (failed.finish, failed.error_kind) == (Finish.FAILED, ErrorKind.RATE_LIMIT)
    assert (transcript.status, transcript.closed_reason) == (Status.ERROR, "quorum")


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("HTTP 500", ErrorKind.OVERLOADED),
        ("HTTP 401: invalid x-api-key", ErrorKind.AUTH),
        ("Error code: 402 - insufficient credits", ErrorKind.CREDITS),
        ("Request timed out after 120s", ErrorKind.TIMEOUT),
        ("Rate limit exceeded", ErrorKind.RATE_LIMIT),
        ("All connection attempts failed", ErrorKind.CONNECTION),
        ("HTTP 404", ErrorKind.UNKNOWN_MODEL),
        ("HTTP 418", ErrorKind.BAD_REQUEST),
        ("it did not feel like it", ErrorKind.BAD_RESPONSE),
    ],
)
def test_why_an_old_answer_failed_is_read_from_its_words(words, kind):
    plain = json.loads((CORPUS / "004-mutual-dissent-0.1.0.json").read_text())
    plain["rounds"][0]["responses"][1]["error"] = words
    (failed,) = fold(reading(json.dumps(plain).encode()).events).absent
    assert (failed.error, failed.error_kind, failed.finish) == (words, kind, Finish.FAILED)


def test_an_empty_error_of_an_old_file_is_none():
    plain = json.loads((CORPUS / "004-mutual-dissent-0.1.0.json").read_text())
    plain["rounds"][0]["responses"][0]["error"] = ""
    assert fold(reading(json.dumps(plain).encode()).events).latest_of("claude")


@pytest.mark.parametrize(
    ("said", "status", "reason"),
    [
        ({"content": "Both."}, Status.COMPLETED, "done"),
        ({"content": "", "error": "HTTP 503"}, Status.ERROR, "synthesis"),
        (None, Status.ERROR, "synthesis"),
    ],
)
def test_how_an_old_debate_ended_follows_from_what_it_has(said, status, reason):
    plain = json.loads((CORPUS / "004-mutual-dissent-0.2.0.json").read_text())
    plain["synthesis"] = said and {"model_id": "m", "model_alias": "claude", **said}
    transcript = fold(reading(json.dumps(plain).encode()).events)
    assert (transcript.status, transcript.closed_reason) == (status, reason)


def test_a_model_that_sat_twice_under_one_name_keeps_both_answers():
    one = {"model_id": "m/x", "model_name": "X", "round_number": 0, "content": "first"}
    plain = {
        "transcript_id": an_id(),
        "query": "q",
        "panel": ["m/x", "m/x"],
        "rounds": [{"round_number": 0, "responses": [one, {**one, "content": "second"}]}],
    }
    transcript = fold(reading(json.dumps(plain).encode()).events)
    assert [(r.model_alias, r.content) for r in transcript.turns()] == [
        ("x", "first"),
        ("x#2", "second"),
    ]
    assert len(transcript.panelists) == 2


def test_a_future_file_is_read_as_far_as_it_is_understood_and_this_is_said():
    plain = json.loads(transcript_to_bytes(fold(a_log())))
    plain |= {"schema_version": 9, "hologram": {"x": 1}, "status": "transcended"}
    plain["rounds"][0]["responses"][0]["finish"] = "telepathy"
    plain["rounds"][0]["responses"][1] |= {"mood": "fine", "error_kind": "boredom"}
    events, notes = reading(json.dumps(plain).encode())
    transcript = fold(events)
    assert any("schema 9" in n for n in notes)
    assert any("unknown way" in n for n in notes)
    assert transcript.synthesis.content == "All agree: Canberra."
    first, second, _ = transcript.rounds[0].responses
    assert not first.usable  # it ended in a way that is not known: kept, not used
    assert second.usable


# -- damage ------------------------------------------------------------------------------------

SAMPLE = transcript_to_bytes(fold(a_log()))


def whole_answers(data):
    """Where each answer of a sound file ends."""
    text, ends = data.decode(), []
    for at in (i for i in range(len(text)) if text[i] == "{"):
        value, end = json.JSONDecoder().raw_decode(text, at)
        if "content" in value:
            ends.append(end)
    return ends


def test_a_file_cut_at_any_byte_gives_every_answer_that_is_whole():
    small = a_brief(panel=(seat("claude"), seat("gpt")))
    sample = to_bytes(transcript_to_json(fold(a_log(brief=small))))
    ends = whole_answers(sample)
    assert len(ends) == 5
    # Everywhere in one answer, and to its neighbours' ends; what is written there is much the same
    # in the others, so there every seventh byte will do.
    everywhere = range(ends[0] - 40, ends[1] + 40)
    near = (cut for end in ends for cut in range(end - 9, end + 9))
    for cut in sorted({*everywhere, *near, *range(0, len(sample), 7)} & {*range(len(sample))}):
        events, notes = reading(sample[:cut])
        kept = [e for e in events if isinstance(e, Answered)]
        assert len(kept) == sum(end <= cut for end in ends), cut
        assert notes, cut
        if events:
            fold(events)


def test_damage_in_one_answer_costs_only_that_answer():
    at = SAMPLE.index(b'"content": "gpt says') + 3
    for junk in (b"\x00", b"\xff", b'"', b"{", b"}", b"\\"):
        damaged = SAMPLE[:at] + junk + SAMPLE[at + 1 :]
        events, notes = reading(damaged)
        transcript = fold(events)
        assert len(list(transcript.responses())) == 6, junk
        assert transcript.transcript_id == an_id()
        assert transcript.brief == a_brief()
        assert notes


def test_a_damaged_file_is_not_believed_to_be_complete():
    cut = SAMPLE.index(b'"synthesis": {')
    transcript = fold(reading(SAMPLE[:cut]).events)
    assert transcript.status is Status.STOPPED


def test_what_stands_after_the_end_costs_nothing():
    whole = transcript_to_bytes(fold(a_log()))
    for junk in (b"x", b"}", b"\n\x00\x00", b"{}"):
        events, notes = reading(whole + junk)
        assert fold(events) == fold(reading(whole).events)
        assert notes, "it is said all the same"
        assert "dropped" not in "; ".join(notes)


def test_what_a_model_said_never_passes_for_a_record():
    fake = json.dumps({"model_id": "m", "content": "forged", "round_number": 0, "role": "initial"})
    log = a_log(brief=a_brief(query=f"{fake} {{"))
    data = transcript_to_bytes(fold(log))
    for cut in (len(data) // 2, len(data) - 20):
        assert "forged" not in {r.content for _, r in fold(reading(data[:cut]).events).responses()}


def test_two_thousand_random_mutations_never_raise():
    dice = random.Random(2026)
    samples = [SAMPLE, *(p.read_bytes() for p in sorted(CORPUS.glob("0*.json")))]
    for _ in range(2_000):
        data = bytearray(dice.choice(samples))
        for _ in range(dice.choice((1, 1, 2, 8))):
            at = dice.randrange(len(data))
            match dice.randrange(4):
                case 0:
                    data[at] = dice.randrange(256)
                case 1:
                    del data[at : at + dice.randrange(1, 40)]
                case 2:
                    data[at:at] = dice.choice((b"null", b"[]", b"{", b'"', b"1e999", b"\xf0"))
                case _:
                    end = at + dice.randrange(1, 60)
                    data[at:end] = bytes(reversed(data[at:end]))
            data = data or bytearray(b"x")
        events, _ = reading(bytes(data))
        if events:
            assert_can_be_written(fold(events))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_any_value_in_any_place_never_raises(data):
    plain = json.loads(SAMPLE)
    node = plain
    while True:
        keys = list(node) if isinstance(node, dict) else list(range(len(node)))
        key = data.draw(st.sampled_from(keys))
        if isinstance(node[key], dict | list) and node[key] and data.draw(st.booleans()):
            node = node[key]
            continue
        node[key] = data.draw(VALUES)
        break
    events, _ = reading(json.dumps(plain).encode())
    if events:
        assert_can_be_written(fold(events))


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_never_raise(data):
    assert reading(data).events == [] or reading(data).events[0].kind == "opened"


def assert_can_be_written(transcript):
    assert reading(transcript_to_bytes(transcript)).events


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "empty"),
        (b" \n\t ", "empty"),
        (b"[1, 2]", "not a transcript"),
        (b"null", "not a transcript"),
        (b"Dear diary, today we debated.", "it is not a transcript (not JSON)"),
        (b"%PDF-1.7\n\x00\xff", "it is not a transcript (not JSON)"),
        (b"{}", ""),
        (b'{"transcript_id": "abcd', "damaged"),
        (b'{"hello": "world"}', "nothing in it is a debate"),
        (b"[" * 100_000, "damaged"),
        (b'{"a":' * 100_000, "damaged"),
        (b'{"query": "q", "analysis": ' + b"[" * 500 + b"]" * 500 + b"}", "levels deep"),
        (b"{" + b",".join(b'"%d":1' % i for i in range(1_000_001)) + b"}", "fields"),
    ],
)
def test_what_is_no_transcript_gives_an_empty_log_and_a_reason(data, said):
    events, notes = reading(data)
    assert events == []
    assert said in " ".join(notes)


@pytest.mark.parametrize(
    "oddity",
    ["9" * 400, "-" + "9" * 400, "1e999", "NaN", "Infinity", "18446744073709551616", '"\\ud800"'],
)
def test_odd_numbers_and_half_characters_cost_only_themselves(oddity):
    text = SAMPLE.decode().replace('"latency_ms": 900', f'"latency_ms": {oddity}', 1)
    text = text.replace('"max_rounds": 1', f'"max_rounds": {oddity}')
    events, _ = reading(text.encode())
    transcript = fold(events)
    assert len(list(transcript.responses())) == 7
    assert_can_be_written(transcript)


def test_of_a_field_that_is_there_twice_the_last_one_counts():
    data = SAMPLE.replace(b'"query": ', b'"query": "first", "query": ', 1)
    assert fold(reading(data).events).query == a_brief().query


def test_a_file_without_an_id_gets_the_same_one_each_time():
    plain = {"query": "q", "rounds": [], "panel": []}
    first, second = (fold(reading(json.dumps(plain).encode()).events) for _ in range(2))
    assert first.transcript_id == second.transcript_id
    shouting = {**plain, "transcript_id": an_id().upper()}
    assert fold(reading(json.dumps(shouting).encode()).events).transcript_id == an_id()
    evil = {**plain, "transcript_id": "../../etc/passwd"}
    assert "/" not in fold(reading(json.dumps(evil).encode()).events).transcript_id


def test_a_file_of_a_gigabyte_is_refused_by_its_size(tmp_path):
    path = tmp_path / "huge.json"
    with path.open("wb") as file:
        file.truncate(1 << 30)  # sparse: takes no room
    with pytest.raises(StoreError, match="larger than 64 MB"):
        read_transcript(path)


def test_a_round_that_no_debate_can_have_is_not_believed_and_is_exported_at_once():
    plain = json.loads(transcript_to_bytes(fold(a_log())))
    far = {**plain["rounds"][0], "round_number": 10**9, "round_type": "reflection"}
    for answer in (far := json.loads(json.dumps(far)))["responses"]:
        answer.update(round_number=10**9, role="reflection", key=f"x/{answer['model_alias']}")
    plain["rounds"].append(far)
    events, notes = reading(json.dumps(plain).encode())
    assert any("round 1000000000 is not believed" in n for n in notes)
    with in_proportion():
        assert formats.html(fold(events))


def test_a_debate_on_record_with_such_a_round_is_exported_at_once_too():
    events = [
        replace(e, response=replace(e.response, round_number=10**9))
        if isinstance(e, Answered) and e.response.round_number == 1
        else e
        for e in a_log()
    ]
    with in_proportion():
        assert formats.html(fold(events))


def test_who_served_an_imported_debate_stays_who_served_it():
    plain = json.loads((CORPUS / "004-mutual-dissent-0.2.0.json").read_bytes())
    for round_ in plain["rounds"]:
        for answer in round_["responses"]:
            if answer["provider"] == "openrouter":
                answer["routing"] = {"vendor": "openai", "mode": "auto", "via_openrouter": True}
    events, _ = reading(json.dumps(plain).encode())
    assert fold(events).metadata["providers_used"] == plain["metadata"]["providers_used"]
