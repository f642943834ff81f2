"""The text of attached files."""

from __future__ import annotations

import builtins
import os

import pytest

from fakes.documents import a_pdf
from mutual_dissent.briefing.inputs.attachments import attachment
from mutual_dissent.core.errors import BadInput


def written(folder, name: str, data: bytes):
    path = folder / name
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    ("name", "data", "text"),
    [
        ("a.txt", b"one\r\ntwo\rthree", "one\ntwo\nthree"),
        ("a.md", "# Größe".encode(), "# Größe"),
        ("a.md", b"\xef\xbb\xbf# marked", "# marked"),
        ("a.py", b"print(1)\n", "print(1)\n"),
        ("a.csv", b"a,b\n1,2\n", "a,b\n1,2\n"),
        ("a.json", b'{"a": 1}', '{"a": 1}'),
        ("Makefile", b"all:\n", "all:\n"),
        ("a.txt", "wide".encode("utf-16"), "wide"),
        (
            "a.html",
            (
                b"<html><head><title>T</title></head><body><script>evil()</script>"
                b"<h1>Head</h1><p>One <b>two</b>&amp;three</p><style>p{}</style></body></html>"
            ),
            "Head\nOne two&three",
        ),
        ("a.HTM", b"<p>unclosed <div>next", "unclosed\nnext"),
    ],
)
def test_text_is_taken_as_a_reader_would_see_it(tmp_path, name, data, text):
    found = attachment(written(tmp_path, name, data))
    assert (found.name, found.text) == (name, text)


def test_a_docx_is_read_with_its_tables(tmp_path):
    docx = pytest.importorskip("docx")
    document = docx.Document()
    document.add_paragraph("A paragraph.")
    table = document.add_table(rows=1, cols=2)
    table.cell(0, 0).text, table.cell(0, 1).text = "left", "right"
    document.save(str(tmp_path / "a.docx"))
    text = attachment(tmp_path / "a.docx").text
    assert "A paragraph." in text
    assert "left | right" in text


def test_a_pdf_is_read(tmp_path):
    pytest.importorskip("pypdf")
    assert attachment(written(tmp_path, "a.pdf", a_pdf(b"Hello from a page"))).text.strip() == (
        "Hello from a page"
    )


def test_an_empty_pdf_is_told_from_one_with_text(tmp_path):
    pytest.importorskip("pypdf")
    with pytest.raises(BadInput, match="has no text in it, nor a picture"):
        attachment(written(tmp_path, "a.pdf", a_pdf(b"")))


@pytest.mark.parametrize("kind", ["pdf", "docx"])
def test_a_missing_reader_is_named_with_what_to_install(tmp_path, monkeypatch, kind):
    real = builtins.__import__

    def without(name, *more):
        if name in ("pypdf", "docx"):
            raise ImportError(name)
        return real(name, *more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(BadInput, match=r"pip install 'mutual-dissent\[documents\]'"):
        attachment(written(tmp_path, f"a.{kind}", b"x"))


@pytest.mark.parametrize(
    ("name", "data", "why"),
    [
        ("a.txt", b"", "no text in it"),
        ("a.txt", b" \n ", "no text in it"),
        ("a.bin", b"\x00\xff\xfe\x80", "not UTF-8 text"),
        ("a.xlsx", b"PK", "no text can be taken from .xlsx"),
        ("a.pdf", b"this is no pdf", "is not a readable PDF"),
        ("a.docx", b"this is no docx", "is not a readable DOCX"),
        ("a.txt", b"x" * 20_000_001, "larger than 20 MB"),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_what_has_no_text_is_refused(tmp_path, name, data, why):
    with pytest.raises(BadInput, match=why):
        attachment(written(tmp_path, name, data))


def test_folders_and_pipes_are_refused_without_waiting(tmp_path):
    os.mkfifo(tmp_path / "pipe.txt")
    for path in (tmp_path, tmp_path / "pipe.txt", tmp_path / "nowhere.txt"):
        with pytest.raises(BadInput):
            attachment(path)
