"""Pictures that clients send: over REST, to the OpenAI-compatible address, and over MCP."""

from __future__ import annotations

from base64 import b64encode

import openai
import pytest

from fakes.documents import a_pdf
from fakes.images import SCRIPT, a_bomb, a_png
from fakes.rest import rest
from fakes.roundtable import ERAS, roundtable
from fakes.served import served
from fakes.world import Tariff
from mutual_dissent.app import MutualDissent
from mutual_dissent.hosting.sessions import Sessions
from mutual_dissent.providers.scripted import Scripted
from mutual_dissent.surfaces.http.backend import HostedBackend
from mutual_dissent.surfaces.openai import openai as v1

CHART = a_png(64, 48, told=True)
IN_64 = b64encode(CHART).decode()
URL = f"data:image/png;base64,{IN_64}"
REFUSED = [
    (b64encode(SCRIPT).decode(), "is an SVG, which no model is shown; save it as PNG"),
    ("data:image/svg+xml;base64," + b64encode(SCRIPT).decode(), "is an SVG"),
    (b64encode(a_bomb()).decode(), "50,000 × 50,000 pixels"),
    (b64encode(b"\x89PNG\r\n\x1a\n" + bytes(4_000_000)).decode(), "3.9 MB are the most"),
    ("data:image/png,%89PNG", "a data: URL is read if it is in base 64"),
    ("data:image/png;base64,@@@", "is not in base 64"),
    ("https://example.org/chart.png", "nothing is fetched from there"),
    ("file:///etc/passwd", "is not in base 64"),
]


@pytest.fixture
async def api(tmp_path):
    async with rest(tmp_path) as found:
        yield found


async def test_a_picture_over_rest_is_quoted_shown_and_can_be_seen_again(api):
    body = {"message": "What grew?", "panel": ["ada", "bob"], "mode": "reflection"}
    sent = {**body, "context": [{"name": "chart.png", "data": IN_64}, "Mind the axis."]}
    quote = (await api.client.post("/api/quote", json=sent)).json()
    picture = quote["attached"][0]["picture"]
    assert (picture["width"], picture["height"], picture["mediaType"]) == (64, 48, "image/png")
    assert set(picture["shownTo"]) == {"ada", "bob"}
    assert not api.cast.asks
    name = (await api.chat(**sent))["sessionId"]
    shown = [a for a in api.cast.asks if a.pictures]
    assert {p.sha256 for a in shown for p in a.pictures} == {picture["sha256"]}
    assert b"Jane" not in shown[0].pictures[0].raw
    place = f"/api/sessions/{name}/pictures/"
    seen = await api.client.get(place + picture["sha256"])
    assert seen.content == shown[0].pictures[0].raw
    assert seen.headers["content-type"] == "image/png"
    assert seen.headers["x-content-type-options"] == "nosniff"
    assert seen.headers["content-security-policy"].startswith("default-src 'none'")
    for other in ("0" * 64, "..%2f..%2fetc%2fpasswd", picture["sha256"].upper()):
        assert (await api.client.get(place + other)).status_code in (404, 422)
    another = (await api.chat())["sessionId"]
    where = f"/api/sessions/{another}/pictures/{picture['sha256']}"
    assert (await api.client.get(where)).status_code == 404


async def test_as_many_megabytes_of_files_as_a_debate_takes_can_be_sent_and_no_more(panel):
    client, cast = panel
    large = f"data:image/png;base64,{b64encode(a_png(2_000, 1_450, level=0)).decode()}"
    parts = [{"type": "image_url", "image_url": {"url": large}}] * 4
    talk = [{"role": "user", "content": [{"type": "text", "text": "What grew?"}, *parts]}]
    assert (await client.chat.completions.create(model="dissent/default", messages=talk)).choices
    assert {len(a.pictures) for a in cast.asks if a.pictures} == {4}
    talk[0]["content"] += parts * 2
    with pytest.raises(openai.APIStatusError, match="may have 28,000,000 bytes; send less") as e:
        await client.chat.completions.create(model="dissent/default", messages=talk)
    assert e.value.status_code == 413
    many = [{"name": "x", "content": "x" * 11_000_000}]
    with pytest.raises(openai.APIStatusError, match="may have 10,000,000 bytes; send less"):
        await client.post("/models", body={"many": many}, cast_to=object)


async def test_a_pdf_can_be_sent_as_it_is(api):
    pytest.importorskip("pypdf")
    pdf = b64encode(a_pdf(b"Revenue fell")).decode()
    quote = await api.client.post(
        "/api/quote",
        json={
            "message": "?",
            "mode": "reflection",
            "panel": ["ada", "bob"],
            "context": [{"name": "a.pdf", "data": pdf}],
        },
    )
    assert quote.status_code == 200, quote.text
    assert quote.json()["attached"][0]["characters"] == len("Revenue fell")


@pytest.mark.parametrize(("data", "why"), REFUSED)
async def test_what_cannot_be_shown_is_refused_before_any_call(api, data, why):
    body = {"message": "?", "panel": ["ada", "bob"], "context": [{"name": "a.png", "data": data}]}
    for path in ("/api/quote", "/api/chat"):
        answer = await api.client.post(path, json=body)
        assert answer.status_code == 422
        assert why in answer.json()["error"]["message"]
    assert not api.cast.asks


# --- /v1 ----------------------------------------------------------------------------------------


@pytest.fixture
async def panel(tmp_path):
    (tmp_path / "config.toml").write_text('[defaults]\npanel = ["ada", "bob"]\nrounds = 1\n')
    (tmp_path / "config.toml").chmod(0o600)
    cast = Scripted(dict.fromkeys(("ada", "bob"), lambda _: "Up."), blind=["bob"])
    async with (
        MutualDissent(home=tmp_path, env={}, provider=cast, prices=Tariff()) as md,
        served(HostedBackend(md=md, sessions=Sessions(md)), [v1]) as url,
        openai.AsyncOpenAI(api_key="-", base_url=f"{url}/v1", max_retries=0) as client,
    ):
        yield client, cast


def chat(url):
    return [{"role": "user", "content": [
        {"type": "text", "text": "What grew on"},
        {"type": "image_url", "image_url": {"url": url, "detail": "high"}},
    ]}]  # fmt: skip


def item(url):
    return [{"role": "user", "content": [
        {"type": "input_text", "text": "What grew on"},
        {"type": "input_image", "image_url": url, "detail": "auto"},
    ]}]  # fmt: skip


async def test_openai_clients_send_pictures_as_parts(panel):
    client, cast = panel
    await client.chat.completions.create(model="dissent/default", messages=chat(URL))
    await client.responses.create(model="dissent/default", input=item(URL))
    assert {a.role for a in cast.asks if not a.pictures and a.panelist.seat == "ada"} <= {
        "analysis"
    }
    assert [a.role for a in cast.asks].count("description") == 2
    first = cast.asks[0]
    assert "What grew on\n[picture 1]" in first.head
    assert "1. picture 1" in first.head


async def test_a_response_that_goes_on_is_shown_the_pictures_of_before_once(panel):
    client, cast = panel
    first = await client.responses.create(model="dissent/default", input=item(URL))
    sent = cast.asks[0].pictures[0].sha256
    cast.asks.clear()
    other = f"data:image/png;base64,{b64encode(a_png(32, 32)).decode()}"
    how = {"model": "dissent/default", "previous_response_id": first.id}
    second = await client.responses.create(input=item(other), **how)
    shown = [a for a in cast.asks if a.pictures]
    assert {len(a.pictures) for a in shown} == {2}
    assert "1. picture 1 (of an earlier question)\n2. picture 1" in shown[0].head
    assert any("What grew on" in a.head and a.role == "description" for a in cast.asks)
    cast.asks.clear()
    third = await client.responses.create(
        input=item(URL), **{**how, "previous_response_id": second.id}
    )
    assert {len(a.pictures) for a in cast.asks if a.pictures} == {2}
    assert sent in {p.sha256 for a in cast.asks for p in a.pictures}
    listed = [i async for i in client.responses.input_items.list(third.id)]
    assert [len(i.content) for i in listed] == [2]  # its own text and picture


async def test_what_a_response_was_asked_with_can_be_listed(panel):
    client, _ = panel
    talk = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi."}]
    made = await client.responses.create(
        model="dissent/default", input=[*talk, *item(URL)], instructions="In German."
    )
    listing = client.responses.input_items.list
    found = [i async for i in listing(made.id, order="asc", limit=2)]  # page after page
    told = [(i.role, i.content[0].text) for i in found]
    assert told[:3] == [("system", "In German."), ("user", "Hello"), ("assistant", "Hi.")]
    assert found[-1].content[1].image_url is None
    newest = (await listing(made.id, include=["message.input_image.image_url"])).data[0]
    assert newest.id == found[-1].id
    assert newest.content[1].image_url.startswith("data:image/png;base64,")
    for wrong in ({"limit": 0}, {"order": "up"}, {"after": "msg_none"}):
        with pytest.raises(openai.BadRequestError) as refused:
            await listing(made.id, **wrong)
        assert refused.value.param == next(iter(wrong))
    with pytest.raises(openai.NotFoundError):
        await listing("resp_none")


@pytest.mark.parametrize(
    ("data", "why"), [*((u, w) for u, w in REFUSED if ":" in u), ("", "is sent as a data: URL")]
)
async def test_openai_clients_are_told_what_is_wrong_with_a_picture(panel, data, why):
    client, cast = panel
    with pytest.raises(openai.BadRequestError, match=why) as completion:
        await client.chat.completions.create(model="dissent/default", messages=chat(data))
    with pytest.raises(openai.BadRequestError, match=why) as response:
        await client.responses.create(model="dissent/default", input=item(data))
    assert (completion.value.param, response.value.param) == ("messages[0]", "input[0]")
    assert "another name" not in completion.value.message
    assert not cast.asks


# --- MCP ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("era", ERAS)
async def test_an_mcp_client_sends_pictures_as_text_and_never_by_a_path(tmp_path, era):
    async with roundtable(tmp_path) as table, table.client(era) as ask:
        await ask.start(topic="What grew?", pictures=[IN_64, URL])
        assert {len(a.pictures) for a in table.panel.asks if a.role == "initial"} == {2}
        before = len(table.panel.asks)
        paths = (("/etc/passwd", "is not a picture"), ("chart.png", "is not in base 64"))
        for bad, why in (*paths, *REFUSED):
            assert why in await ask.refused("start_roundtable", topic="What?", pictures=[bad])
        assert len(table.panel.asks) == before
