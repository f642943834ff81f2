"""Pictures that are attached: what is taken of them, and what is refused in a sentence."""

from __future__ import annotations

from contextlib import suppress
from io import BytesIO
from pathlib import Path

import pytest

from fakes.images import SCRIPT, SECRET, a_bomb, a_photo, a_png, a_scan, drawn, frames, packed
from mutual_dissent.briefing.inputs.attachments import attachment, contents, contents_of
from mutual_dissent.briefing.inputs.review_text import files
from mutual_dissent.core.errors import BadInput
from mutual_dissent.core.panel import Panelist, Route
from mutual_dissent.providers.prices.cache import parse_listings
from mutual_dissent.providers.vision import sees_pictures


def attachment_in(name: str, raw: bytes):
    (found,) = contents_of(name, raw)
    return found


def shown(raw: bytes, name: str = "a.png"):
    found = attachment_in(name, raw).picture
    assert found
    return found


@pytest.mark.parametrize(
    "name", ["chart.png", "chart.jpg", "chart.txt", "chart", "../../chart.png"]
)
def test_a_picture_is_known_by_its_bytes_whatever_it_is_called(name):
    found = attachment_in(name, a_png(640, 480))
    assert found.name == Path(name).name
    assert found.picture
    assert (found.picture.media_type, found.picture.width, found.picture.height) == (
        "image/png", 640, 480,
    )  # fmt: skip
    assert found.text == ""


@pytest.mark.parametrize(
    ("name", "raw", "why"),
    [
        ("a.png", b"\x89PNG\r\n\x1a\n" + bytes(31_500_000), "has 31.5 MB, and 3.9 MB are the most"),
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
    for read in (lambda: contents(path), lambda: contents_of(name, raw)):
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
                    contents_of("a", raw)


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
    found = attachment_in("a.gif", frames("GIF"))
    assert found.text == "the first picture of an animation"
    assert found.picture
    assert found.picture.media_type == "image/png"
    with pytest.raises(BadInput, match="it is an animation; attach one picture of it"):
        attachment_in("a.webp", frames("WEBP"))


def test_pages_without_text_are_shown_as_pictures():
    pytest.importorskip("pypdf")
    both = contents_of("scan.pdf", a_scan("Total: 12", packed(60, 80), "Signed"))
    assert [a.name for a in both] == ["scan.pdf", "scan.pdf, page 2"]
    assert "Total: 12" in both[0].text
    assert "[page 2 has no text; it is attached as a picture]" in both[0].text
    assert both[1].picture
    assert (both[1].picture.width, both[1].picture.media_type) == (60, "image/png")
    (only,) = contents_of("scan.pdf", a_scan(packed(60, 80)))
    assert only.picture


def test_a_scan_is_shown_as_the_photograph_it_is_and_one_that_cannot_be_taken_out_is_told():
    pytest.importorskip("pypdf")
    pytest.importorskip("PIL")
    (page,) = contents_of("scan.pdf", drawn("PDF"))
    assert page.picture
    assert page.picture.media_type == "image/jpeg"
    fax = packed(60, 80, filter_=b"/CCITTFaxDecode")
    with pytest.raises(BadInput, match="has only pictures of pages, of a kind that cannot be"):
        contents_of("fax.pdf", a_scan(fax))
    (text,) = contents_of("fax.pdf", a_scan("Hello", fax))
    assert "[page 2 has no text, and no picture that can be taken out]" in text.text
    with pytest.raises(BadInput, match="more than 20 pages without text"):
        contents_of("long.pdf", a_scan(*[packed(6, 8)] * 21))
    with pytest.raises(BadInput, match="cannot be taken out"):
        contents_of("bomb.pdf", a_scan(packed(9_000, 1)))


def test_a_docx_of_pictures_alone_is_shown_by_them():
    docx = pytest.importorskip("docx")
    document, file = docx.Document(), BytesIO()
    document.add_picture(BytesIO(a_png(60, 40)))
    document.save(file)
    (found,) = contents_of("a.docx", file.getvalue())
    assert found.name == "a.docx, picture 1"
    assert found.picture
    document.add_paragraph("With words.")
    document.save(file := BytesIO())
    (found,) = contents_of("a.docx", file.getvalue())
    assert (found.picture, found.text) == (None, "With words.")


def test_a_picture_in_a_folder_that_is_reviewed_stays_out(tmp_path):
    (tmp_path / "chart.png").write_bytes(a_png())
    (tmp_path / "a.py").write_text("print(1)\n")
    given = files([tmp_path], tmp_path)
    assert [d.name.rpartition("/")[2] for d in given.documents] == ["a.py"]
    with pytest.raises(BadInput, match="is a picture, and only text is read here"):
        attachment(tmp_path / "chart.png")


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


def test_what_openrouters_list_says_of_a_model_goes_before_its_name():
    def row(name, *takes):
        price = {"prompt": "0.000001", "completion": "0.000002"}
        return {"id": name, "pricing": price, "architecture": {"input_modalities": [*takes]}}

    listed = parse_listings({"data": [row("a/new", "text", "image"), row("a/gpt-9", "text")]})
    for model, sees in (("a/new", True), ("a/gpt-9", False), ("a/gpt-5", True)):
        seat = Panelist(seat="it", route=Route(vendor="openrouter", model_id=model))

        def known(route):
            return listed[route.model_id].sees if route.model_id in listed else None

        assert sees_pictures(seat, {}, known) is sees
        assert sees_pictures(seat, {"openrouter": not sees}, known) is not sees
