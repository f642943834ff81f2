"""Proxies and attached documents that are not what they seem (P8, P5)."""

from __future__ import annotations

import io
import zipfile

import pytest

from fakes.calls import a_router, an_ask, an_endpoint
from fakes.patience import in_proportion
from mutual_dissent.briefing.inputs.attachments import attachment
from mutual_dissent.core.errors import BadInput
from mutual_dissent.core.response import ErrorKind
from mutual_dissent.providers.http.pool import proxy_for
from mutual_dissent.providers.prices.cache import fetch

SECRET = "pass-canary-word"


def use_proxy(monkeypatch, value: str) -> None:
    for name in ("http_proxy", "HTTP_PROXY"):
        monkeypatch.setenv(name, value)


@pytest.mark.parametrize(
    "value",
    [f"socks5://u:{SECRET}@127.0.0.1:9", f"::::{SECRET}", f"http://u:{SECRET}@", f"{SECRET}:port",
     f"ftp://{SECRET}", f"http://u:{SECRET}@[::1", f"http://{SECRET}\x1b[2J:9"],
)  # fmt: skip
async def test_an_odd_proxy_is_refused_and_its_password_is_not_repeated(
    monkeypatch, value, tmp_path
):
    use_proxy(monkeypatch, value)
    async with a_router(an_endpoint("http://api.example/v1")) as router:
        response = await router.ask(an_ask(), lambda _: None)
    assert response.error_kind is ErrorKind.BAD_REQUEST
    assert "HTTP_PROXY" in response.error
    assert SECRET not in repr(response)
    assert not await fetch("http://api.example/v1", tmp_path / "prices.json"), "quietly"


async def test_a_proxy_that_is_down_is_named_without_its_password(monkeypatch):
    use_proxy(monkeypatch, f"user:{SECRET}@127.0.0.1:9")
    assert proxy_for("http://api.example/v1") == f"http://user:{SECRET}@127.0.0.1:9"
    async with a_router(an_endpoint("http://api.example/v1")) as router:
        response = await router.ask(an_ask(), lambda _: None)
    assert response.error_kind is ErrorKind.CONNECTION
    assert SECRET not in repr(response)


@pytest.mark.parametrize("piece", ["<!--", "<a ", "<a b='", "<a/", "<", "<![CDATA[", "<script>"])
def test_a_page_that_never_ends_is_read_in_time(tmp_path, piece):
    page = tmp_path / "page.html"
    page.write_text("<p>Hello</p>" + piece * 50_000 + "and goodbye")
    with in_proportion():
        text = attachment(page).text
    assert text.startswith("Hello")


def test_a_small_document_that_would_become_huge_is_refused(tmp_path):
    pytest.importorskip("docx")
    packed = io.BytesIO()
    with (
        zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("word/document.xml", "w") as entry,
    ):
        for _ in range(21):
            entry.write(b"<w:p/>" * 1_700_000)
    (tmp_path / "bomb.docx").write_bytes(packed.getvalue())
    with pytest.raises(BadInput, match="214 MB unpacked"):
        attachment(tmp_path / "bomb.docx")
