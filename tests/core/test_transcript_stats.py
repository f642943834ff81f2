"""Promises of the figures: what is not known is left out, and nothing is counted twice."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

import mutual_dissent.library  # noqa: F401 - gives transcripts what only higher layers know
from fakes.logs import START, a_brief, a_log, a_response, an_id, numbered, seat
from mutual_dissent.core.events import Answered, Opened
from mutual_dissent.core.figures.stats import stats
from mutual_dissent.core.response import Attempt, ErrorKind, Finish
from mutual_dissent.core.transcript import fold
from mutual_dissent.views.documents.json import stats_to_json, transcript_to_json
from mutual_dissent.views.heading import heading


def debate(*answers, reused=()):
    """A debate in which these seats gave these answers in the first round."""
    events = [Opened(at=START, brief=a_brief())]
    for name, more in answers:
        more = {"content": "text", **more}
        response = a_response(seat(name), 0, "initial", at=START, **more)
        key = f"0/initial/{name}"
        events.append(
            Answered(
                at=START, key=key, seat=name, request_hash="", response=response,
                reused=name in reused,
            )
        )  # fmt: skip
    return fold(numbered(events))


def test_the_figures_have_the_well_known_names():
    figures = transcript_to_json(fold(a_log()))["metadata"]["stats"]
    assert figures["total_tokens"] == 700
    assert figures["total_cost_usd"] == pytest.approx(0.007)
    assert figures["per_model"]["gpt"] == {
        "tokens": 200, "input_tokens": 120, "output_tokens": 80, "calls": 2, "cost_usd": 0.002,
    }  # fmt: skip
    assert figures["per_model"]["claude"]["calls"] == 3  # two turns and the synthesis
    assert figures["convergence"] == {"0": 0.6, "1": 0.8}
    assert figures["rounds_to_convergence"] == 1
    assert figures["disagreement_count"] is None


def test_an_unknown_price_is_left_out_and_said():
    plain = stats_to_json(stats(debate(("claude", {}), ("gpt", {"cost_usd": None}))))
    assert plain["total_cost_usd"] == 0.001
    assert plain["unpriced_calls"] == 1
    assert "cost_usd" not in plain["per_model"]["gpt"]
    nothing_known = stats_to_json(stats(debate(("gpt", {"cost_usd": None}))))
    assert "total_cost_usd" not in nothing_known


def test_a_free_call_is_priced():
    plain = stats_to_json(stats(debate(("local", {"cost_usd": 0.0}))))
    assert plain["total_cost_usd"] == 0.0
    assert "unpriced_calls" not in plain


def test_what_an_earlier_debate_paid_for_is_apart():
    plain = stats_to_json(stats(debate(("claude", {}), ("gpt", {}), reused=("gpt",))))
    assert (plain["total_tokens"], plain["total_cost_usd"]) == (100, 0.001)
    assert (plain["reused_calls"], plain["reused_cost_usd"]) == (1, 0.001)
    assert plain["per_model"]["gpt"]["calls"] == 0


def test_failures_count_with_the_tokens_they_took():
    failed = {
        "error": "broke off", "error_kind": ErrorKind.CONNECTION, "finish": Finish.INCOMPLETE,
        "cost_usd": None,
    }  # fmt: skip
    attempt = Attempt(
        started_at=START, latency_ms=5, error_kind=ErrorKind.OVERLOADED, error="busy", status=503
    )
    unknown = dict.fromkeys(("token_count", "input_tokens", "output_tokens"))
    nothing = {**failed, **unknown, "content": ""}
    figures = stats(debate(("claude", {"attempts": (attempt,)}), ("gpt", failed), ("x", nothing)))
    assert figures.total.tokens == 200
    assert figures.total.retries == 1
    assert figures.total.unpriced == 1  # the one that took tokens; the other was not billed


def test_the_json_of_a_failed_synthesis_is_null_with_a_fallback():
    log = a_log(closed=False)
    answer = log[-1]
    log[-1] = replace(answer, response=replace(answer.response, error="no", finish=Finish.FAILED))
    transcript = fold(log)
    best = transcript.rounds[-1].responses[0]
    plain = transcript_to_json(transcript, fallback=best)
    assert plain["synthesis"] is None
    assert plain["fallback_answer"]["content"] == best.content
    assert len(plain["failed_syntheses"]) == 1
    assert transcript_to_json(fold(a_log()), fallback=best)["fallback_answer"] is None


def test_the_json_has_every_well_known_field_where_it_belongs():
    brief = a_brief(panel=(seat("claude", context="the advisories"), seat("gpt")))
    plain = transcript_to_json(fold(a_log(brief=brief)))
    assert {
        "transcript_id", "query", "panel", "synthesizer_id", "max_rounds", "created_at", "rounds",
        "synthesis", "metadata",
    } <= plain.keys()  # fmt: skip
    assert plain["transcript_id"] == an_id()
    assert plain["panel"] == ["maker/claude-1", "maker/gpt-1"]
    assert plain["created_at"] == "2026-02-21T15:30:00Z"
    assert [r["round_type"] for r in plain["rounds"]] == ["initial", "reflection"]
    response = plain["rounds"][0]["responses"][0]
    assert {
        "model_id", "model_alias", "round_number", "role", "content", "timestamp", "token_count",
        "input_tokens", "output_tokens", "latency_ms", "error", "provider", "routing", "analysis",
    } <= response.keys()  # fmt: skip
    assert {"vendor", "mode", "via_openrouter"} <= response["routing"].keys()
    metadata = plain["metadata"]
    assert metadata["version"] == "0.1.0"
    assert metadata["resolved_config"] == {"rounds": 1}
    assert metadata["providers_used"] == ["openrouter"]
    assert metadata["panelist_context"] == {"claude": "the advisories"}


def test_times_are_utc_whatever_the_clock_said():
    log = a_log(at=START.astimezone(None) + timedelta(hours=1))
    assert transcript_to_json(fold(log))["created_at"] == "2026-02-21T16:30:00Z"


def test_a_transcript_has_the_attributes_that_its_json_has():
    transcript = debate(("claude", {}), ("gpt", {}))
    plain = transcript_to_json(transcript)
    for name in ("transcript_id", "query", "panel", "synthesizer_id", "max_rounds"):
        assert getattr(transcript, name) == plain[name]
    assert transcript.metadata.items() <= plain["metadata"].items()
    assert (
        transcript.metadata["stats"]["total_tokens"] == plain["metadata"]["stats"]["total_tokens"]
    )


def test_what_was_read_off_a_debate_is_not_told_of_it_once_it_has_gone_on():
    begun, *rest = a_log()
    so_far, headings, calls = fold([begun]), [], []
    for event in rest:
        so_far = so_far.apply(event)
        headings.append(heading(so_far))
        calls.append(stats(so_far).total.calls)
    assert headings[-1] == heading(fold(a_log())) != headings[0]
    assert calls == sorted(calls)
    assert calls[0] == 0 < calls[-1] == stats(fold(a_log())).total.calls
