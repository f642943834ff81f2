"""Documents as small as they can be, to be attached."""

from __future__ import annotations

import io


def a_pdf(text: bytes) -> bytes:
    """The smallest document that shows one line."""
    stream = b"BT /F1 24 Tf 72 700 Td (" + text + b") Tj ET"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        (
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
            b"/Resources << /Font << /F1 5 0 R >> >> >>"
        ),
        b"<< /Length " + str(len(stream)).encode() + b" >>\nstream\n" + stream + b"\nendstream",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    body, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, start=1):
        places.append(len(body))
        body += str(number).encode() + b" 0 obj\n" + content + b"\nendobj\n"
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    start = str(len(body)).encode()
    return (
        body + b"xref\n0 6\n0000000000 65535 f \n" + table
        + b"trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n" + start + b"\n%%EOF\n"
    )  # fmt: skip


def a_docx(text: str) -> bytes:
    """A document of one paragraph."""
    from docx import Document

    document, out = Document(), io.BytesIO()
    document.add_paragraph(text)
    document.save(out)
    return out.getvalue()
