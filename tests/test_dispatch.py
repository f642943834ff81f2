"""Whoever is to be told of a debate that ended is told, and no debate suffers where that fails."""

from __future__ import annotations

import base64
import hashlib
import hmac

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from fakes.command_line import dissent
from fakes.receiver import Receiver
from mutual_dissent import MutualDissent, dispatch
from mutual_dissent.core.events import Status
from mutual_dissent.providers.scripted import Scripted

SECRET = "whsec_" + base64.b64encode(b"a canary of a secret").decode()
QUERY = "Is a canary a bird?"
PANEL = ["ada", "bob"]
CAST = dict.fromkeys(PANEL, lambda _: "It sings.\n\nBOTTOM LINE: yes")


@pytest.fixture(autouse=True)
def no_pause(monkeypatch):
    monkeypatch.setattr(dispatch, "PAUSES", (0.0, 0.0))


@pytest.fixture
def configured(own_home):
    """A configuration that tells receivers."""

    def write(collector: str | None = None, webhook: str | None = None, more: str = "") -> None:
        own_home.mkdir(exist_ok=True)
        text = ""
        if collector:
            text += f'[telemetry]\nendpoint = "{collector}"\n'
            text += 'headers = "Authorization=Basic%20canary-of-a-header"\n'
        text += more
        if webhook:
            text += f'[webhook]\nurl = "{webhook}/token-in-path?x=1"\nsecret = "{SECRET}"\n'
        (own_home / "config.toml").write_text(text)
        (own_home / "config.toml").chmod(0o600)

    return write


async def held(**options):
    """A debate that has been told of."""
    async with MutualDissent(provider=Scripted(CAST)) as md:
        return await md.debate(QUERY, panel=PANEL, synthesizer="ada", **options)


def calls(post) -> set[str]:
    spans = post.json["resourceSpans"][0]["scopeSpans"][0]["spans"]
    told = ({a["key"]: a["value"] for a in s["attributes"]} for s in spans)
    return {t["mutual_dissent.key"]["stringValue"] for t in told if "mutual_dissent.key" in t}


async def test_the_collector_gets_the_spans_and_the_webhook_a_signed_answer(configured):
    with Receiver() as collector, Receiver(204) as hook:
        configured(collector.url, hook.url)
        t = await held()
    (spans,), (message,) = collector.posts, hook.posts
    assert spans.path == "/v1/traces"
    assert spans.headers["authorization"] == "Basic canary-of-a-header"
    assert calls(spans) == {key for key, r in t.responses()}
    assert QUERY.encode() not in spans.body
    assert message.path == "/token-in-path?x=1"
    assert message.json["type"] == "debate.closed"
    told = message.json["data"]
    assert (told["sessionId"], told["status"], told["query"]) == (
        t.transcript_id,
        "completed",
        QUERY,
    )
    assert told["answer"] == t.synthesis.content
    assert told["heading"]
    name, at = message.headers["webhook-id"], message.headers["webhook-timestamp"]
    right = hmac.new(
        b"a canary of a secret", f"{name}.{at}.".encode() + message.body, hashlib.sha256
    )
    assert message.headers["webhook-signature"] == f"v1,{base64.b64encode(right.digest()).decode()}"
    for post in (spans, message):
        assert b"canary of a secret" not in post.body
        assert b"canary-of-a-header" not in post.body


async def test_a_collector_that_does_not_take_json_gets_protobuf(configured):
    with Receiver(415, 200) as collector:
        configured(collector.url)
        t = await held()
    first, second = collector.posts
    assert first.headers["content-type"] == "application/json"
    assert second.headers["content-type"] == "application/x-protobuf"
    assert second.headers["authorization"] == first.headers["authorization"]
    sent = ExportTraceServiceRequest.FromString(second.body).resource_spans[0].scope_spans[0]
    assert len(sent.spans) == len(first.json["resourceSpans"][0]["scopeSpans"][0]["spans"])
    assert sent.spans[0].trace_id.hex() == t.transcript_id.replace("-", "")
    with Receiver(415) as neither:
        configured(neither.url)
        await held()
    assert len(neither.posts) == 2


async def test_words_are_in_the_spans_where_the_setting_says_so(configured):
    with Receiver() as collector:
        configured(collector.url, more="content = true\n")
        await held()
    assert QUERY.encode() in collector.posts[0].body


@pytest.mark.parametrize(
    ("statuses", "tries", "problem"),
    [
        ((503, 429, 200), 3, None),
        ((500,), 3, "status 500"),
        ((400, 200), 1, "status 400"),
        ((307, 200), 1, "redirects"),
        ((None,), 3, "did not answer within 0.05 s"),
    ],
)
async def test_a_webhook_that_fails_is_tried_a_few_times_and_no_debate_notices(
    configured, own_home, caplog, statuses, tries, problem
):
    with Receiver(*statuses) as hook:
        configured(webhook=hook.url)
        with (own_home / "config.toml").open("a") as file:
            file.write("timeout = 0.05\n" if None in statuses else "")
        t = await held()
    assert t.status is Status.COMPLETED
    assert len(hook.posts) == tries
    assert len({p.headers["webhook-id"] for p in hook.posts}) == 1
    assert not any(p.path == "/elsewhere" for p in hook.posts)
    logged = caplog.text
    assert (problem in logged) if problem else not logged
    assert not any(word in logged for word in ("token-in-path", "canary", hook.url))


async def test_nobody_there_is_no_failure(configured, caplog):
    configured("http://127.0.0.1:9", "http://127.0.0.1:9")
    assert (await held()).status is Status.COMPLETED
    assert caplog.text.count("cannot be reached") == 2


async def test_a_debate_that_goes_on_tells_what_is_new(configured):
    with Receiver() as collector:
        configured(collector.url)
        async with MutualDissent(provider=Scripted(CAST)) as md:
            t = await md.debate(QUERY, panel=PANEL, synthesizer="ada", rounds=1)
            async for _ in md.go_on(t.transcript_id):
                pass
            await md.resolve(t.transcript_id, "right")
    first, second = map(calls, collector.posts)
    assert {"2/reflection/ada", "2/reflection/bob"} <= second
    assert not {k for k in first & second if not k.startswith("-1")}


async def test_a_debate_that_is_not_kept_is_not_told(configured):
    with Receiver() as collector:
        configured(collector.url)
        await held(save=False)
    assert not collector.posts


def test_config_ping_says_who_takes_messages(configured):
    with Receiver() as collector, Receiver(401) as hook:
        configured(collector.url, hook.url)
        result = dissent("config", "ping")
    told = result.stdout
    assert result.exit_code == 1
    assert "ok    telemetry" in told
    assert "FAIL  webhook: it answered with status 401" in told
    assert collector.posts[0].json == {"resourceSpans": []}
    assert hook.posts[0].json["type"] == "ping"
    configured()
    assert "nothing was sent" in dissent("config", "ping").stderr
