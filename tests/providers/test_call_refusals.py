"""A refusal is whose it is: a key's, a model's or a moment's. It is not believed for ever."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from fakes.calls import CANARY, a_router, an_ask, an_endpoint
from fakes.canned_vendor import CannedVendor
from fakes.images import a_png
from fakes.ledgers import unread
from fakes.vendor import FakeVendor
from mutual_dissent import MutualDissent
from mutual_dissent.core.figures.stats import tally
from mutual_dissent.core.panel import Route
from mutual_dissent.core.response import ErrorKind, Finish
from mutual_dissent.core.values.picture import Picture
from mutual_dissent.core.values.secret import Key
from mutual_dissent.engine.probe import probe
from mutual_dissent.providers.dialects.base import VendorError
from mutual_dissent.providers.health import MINUTE, KeyHealth
from mutual_dissent.stream import collect_transcript
from mutual_dissent.views.phrases import effort, reason

KEY = Key(CANARY, "ACME_API_KEY")
REFUSED = VendorError(kind=ErrorKind.AUTH, message=f"bad key {CANARY}", status=401)


@pytest.fixture
async def vendor():
    async with FakeVendor() as running:
        yield running


@pytest.fixture
async def router(vendor):
    async with a_router(an_endpoint(vendor.base_url())) as made:
        yield made


@pytest.mark.parametrize("status", ["401", "403"])
async def test_one_models_refusal_leaves_the_others_of_a_good_key_alone(vendor, router, status):
    vendor.then(model="m1").then(status, model="m2", times=9)
    assert (await router.ask(an_ask(model="m1"), print)).usable
    refused = await router.ask(an_ask(model="m2"), print)
    assert refused.error_kind is ErrorKind.FORBIDDEN
    assert f"(HTTP {status})" in refused.error
    assert "ACME_API_KEY" in refused.error
    for model in ("m1", "m3"):
        assert (await router.ask(an_ask(model=model), print)).usable


async def test_a_403_about_a_model_says_nothing_about_the_key(vendor, router):
    vendor.then("403", model="m1")
    assert (await router.ask(an_ask(model="m1"), print)).error_kind is ErrorKind.FORBIDDEN
    assert (await router.ask(an_ask(model="m2"), print)).usable


async def test_what_was_not_sent_is_recorded_as_unsent_and_never_as_an_http_failure(vendor, router):
    vendor.always("401")
    await router.ask(an_ask(), print)
    unsent = await router.ask(an_ask(model="m2"), print)
    assert len(vendor.arrivals) == 1
    assert (unsent.finish, unsent.error_kind) == (Finish.UNSENT, ErrorKind.AUTH)
    assert "was not asked" in unsent.error
    assert "HTTP" not in unsent.error
    assert (reason(unsent), effort(unsent), unsent.tries) == ("not asked", "", 0)
    assert tally([unsent]).calls == 0


async def test_a_question_whether_a_model_can_be_reached_is_always_asked(vendor, router):
    vendor.then("401")
    await router.ask(an_ask(), print)
    found = await router.ask(probe("m1", Route(vendor="acme", model_id="m1")), print)
    assert found.usable
    assert (await router.ask(an_ask(model="m2"), print)).usable, "the key has answered since"


def test_a_refused_key_is_tried_again_after_a_minute():
    now = [100.0]
    standing = KeyHealth(clock=lambda: now[0])
    assert standing.note_refusal(KEY, "m1", REFUSED).kind is ErrorKind.AUTH
    now[0] += MINUTE - 1
    kept = standing.refusal(KEY, "m2")
    assert kept is not None
    assert CANARY not in kept.message
    now[0] += 1
    assert standing.refusal(KEY, "m2") is None


def test_a_good_keys_refused_model_is_tried_again_after_a_minute():
    now = [100.0]
    standing = KeyHealth(clock=lambda: now[0])
    standing.note_answer(KEY, "m1")
    assert standing.note_refusal(KEY, "m2", REFUSED).kind is ErrorKind.FORBIDDEN
    assert standing.refusal(KEY, "m2") is not None
    assert standing.refusal(KEY, "m1") is None
    now[0] += MINUTE
    assert standing.refusal(KEY, "m2") is None


async def test_a_debate_that_is_resumed_asks_again_at_once(own_home):
    unread(own_home)
    async with FakeVendor() as vendor:
        vendor.then("401", times=2)
        async with (
            a_router(an_endpoint(vendor.base_url(), vendor="given")) as router,
            MutualDissent(provider=router) as md,
        ):
            stopped = await md.debate("q", panel=["m0", "m1"], synthesizer="m0")
            assert stopped.closed_reason == "quorum"
            resumed = await collect_transcript(md.resume(stopped.transcript_id))
    assert resumed.synthesis is not None


async def test_a_model_that_takes_no_pictures_says_what_to_set():
    raw = a_png()
    shown = Picture(
        media_type="image/png", sha256="0" * 64, width=4, height=3, size=len(raw), _raw=raw
    )
    said = {"error": {"message": "image_url is only supported by certain models."}}
    async with CannedVendor() as canned, a_router(an_endpoint(f"{canned.url}/v1")) as router:
        canned.will_answer(json.dumps(said).encode(), "application/json", 400)
        refused = await router.ask(replace(an_ask(model="m1"), pictures=(shown,)), print)
        plain = await router.ask(an_ask(model="m1"), print)  # there it is about something else
    assert refused.error_kind is ErrorKind.BAD_REQUEST
    assert "did not take the pictures (HTTP 400)" in refused.error
    assert "m1 in the setting pictures.unseen_by" in refused.error
    assert "the pictures" not in plain.error
