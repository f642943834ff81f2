"""Pictures that are attached: what is taken of them, and what is refused in a sentence."""

from __future__ import annotations

from contextlib import suppress
from io import BytesIO
from pathlib import Path

import pytest

from fakes.images import SCRIPT, SECRET, a_bomb, a_photo, a_png, drawn, frames
from mutual_dissent.briefing.inputs.attachments import attachment, attachment_of
from mutual_dissent.core.errors import BadInput
from mutual_dissent.core.panel import Panelist, Route
from mutual_dissent.providers.vision import sees_pictures


def shown(raw: bytes, name: str = "a.png"):
    found = attachment_of(name, raw).picture
    assert found
    return found


@pytest.mark.parametrize(
    "name", ["chart.png", "chart.jpg", "chart.txt", "chart", "../../chart.png"]
)
def test_a_picture_is_known_by_its_bytes_whatever_it_is_called(name):
    found = attachment_of(name, a_png(640, 480))
    assert found.name == Path(name).name
    assert found.picture
    assert (found.picture.media_type, found.picture.width, found.picture.height) == (
        "image/png", 640, 480,
    )  # fmt: skip
    assert found.text == ""


@pytest.mark.parametrize(
    ("name", "raw", "why"),
    [
        ("a.png", b"\x89PNG\r\n\x1a\n" + bytes(20_000_000), "has 20.0 MB, and 3.9 MB are the most"),
        ("a.png", a_bomb(), "50,000 × 50,000 pixels, and 8,000 a side"),
        ("a.png", b"just some words", "is not a picture: it does not begin as PNG"),
        ("a.png", b"%PDF-1.7 no picture", "is not a picture: it does not begin as PNG"),
        ("a.svg", SCRIPT, "is an SVG, which no model is shown; save it as PNG"),
        ("a.png", SCRIPT, "is an SVG, which no model is shown; save it as PNG"),
        ("a.txt", SCRIPT, "is an SVG, which no model is shown; save it as PNG"),
        ("a.bmp", b"BM" + bytes(60), "is a BMP, which no model is shown; save it as PNG"),
        ("a.heic", b"\0\0\0\x18ftypheic" + bytes(20), "is a HEIC, which no model is shown"),
        ("a.png", a_png()[:-20], "is damaged or ends in the middle; save it anew"),
        ("a.png", a_png(0, 3), "has no size"),
        ("a.jpg", b"\xff\xd8\xff\xe0 cut", "is damaged or ends in the middle"),
        ("a.webp", b"RIFF\xff\0\0\0WEBPVP8 ", "is damaged or ends in the middle"),
        ("a.gif", b"GIF89a\x01\0\x01\0", "is damaged or ends in the middle"),
        # Its frame claims what its canvas does not: nothing is unpacked to find that out.
        (
            "a.gif",
            b"GIF89a\x01\0\x01\0\x80\0\0" + bytes(6) + b",\0\0\0\0\xff\xff\xff\xff\0\x02\0;",
            "more than 16,000,000 pixels",
        ),
    ],
)
def test_what_no_model_can_be_shown_is_refused_in_one_sentence(tmp_path, name, raw, why):
    path = tmp_path / name
    path.write_bytes(raw)
    for read in (lambda: attachment(path), lambda: attachment_of(name, raw)):
        with pytest.raises(BadInput, match=why) as e:
            read()
        assert "\n" not in str(e.value)


def test_every_cut_of_a_picture_is_read_or_refused_and_nothing_else():
    pytest.importorskip("PIL")
    for kind in ("PNG", "JPEG", "WEBP", "GIF"):
        whole = drawn(kind)
        for at in range(12, len(whole), max(1, len(whole) // 60)):
            for raw in (whole[:at], whole[:at] + b"\xff" * 9 + whole[at + 9 :]):
                with suppress(BadInput):
                    attachment_of("a", raw)


@pytest.mark.parametrize("raw", [a_png(told=True), "JPEG", "WEBP"])
def test_a_picture_leaves_without_what_is_said_about_it(raw):
    if isinstance(raw, str):
        pytest.importorskip("PIL")
        raw = a_photo(raw)
    assert SECRET in raw
    found = shown(raw)
    assert SECRET not in found.raw
    assert b"GPS" not in found.raw
    assert found.size == len(found.raw) < len(raw)


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF"])
def test_no_pixel_changes_and_a_photograph_keeps_its_upper_side(kind):
    pytest.importorskip("PIL")
    from PIL import Image

    raw = a_photo(kind) if kind in ("JPEG", "WEBP") else drawn(kind)
    found = shown(raw)
    before, after = Image.open(BytesIO(raw)), Image.open(BytesIO(found.raw))
    assert after.size == (found.width, found.height) == (160, 100)
    assert after.convert("RGBA").tobytes() == before.convert("RGBA").tobytes()
    assert dict(after.getexif()) == ({0x0112: 6} if kind == "JPEG" else {})
    assert after.format == ("PNG" if kind == "GIF" else kind)  # one vendor takes no GIF


def test_an_animation_is_shown_by_its_first_picture_or_refused():
    pytest.importorskip("PIL")
    found = attachment_of("a.gif", frames("GIF"))
    assert found.text == "the first picture of an animation"
    assert found.picture
    assert found.picture.media_type == "image/png"
    with pytest.raises(BadInput, match="it is an animation; attach one picture of it"):
        attachment_of("a.webp", frames("WEBP"))


@pytest.mark.parametrize(
    ("model", "sees"),
    [
        ("gpt-4o-mini", True), ("gpt-4.1", True), ("gpt-6.1-sol", True), ("o3", True),
        ("gpt-4", False), ("gpt-4-0613", False), ("gpt-3.5-turbo", False), ("o3-mini", False),
        ("openai/gpt-oss-120b", False), ("claude-sonnet-5-5", True), ("claude-2.1", False),
        ("anthropic/claude-opus-4.1", True), ("gemini-4-argon", True), ("models/gemini-3", True),
        ("grok-4-fast", True), ("grok-3", False), ("sonar-pro", True),
        ("sonar-deep-research", False),
        ("meta-llama/llama-4-scout", True), ("llama-3.3-70b-versatile", False),
        ("llama3.2-vision:11b", True), ("qwen2.5vl:7b", True), ("qwen/qwen3-vl-235b", True),
        ("qwen3:8b", False), ("gemma3:4b", True), ("gemma3:1b", False), ("llava:13b", True),
        ("deepseek-v3.1", False), ("mistralai/pixtral-12b", True), ("something-new", False),
    ],
)  # fmt: skip
def test_who_sees_is_known_by_its_name_unless_the_configuration_says_otherwise(model, sees):
    seat = Panelist(seat="it", route=Route(vendor="elsewhere", model_id=model))
    assert sees_pictures(seat, {}) is sees
    for name in ("it", f"elsewhere:{model}", "elsewhere"):
        assert sees_pictures(seat, {name: not sees}) is not sees
    embedded = Panelist(seat="local", route=Route(vendor="local", model_id=model))
    assert not sees_pictures(embedded, {"local": True})
