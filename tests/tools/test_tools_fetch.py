"""Pages come from the public web alone, whatever the address says, resolves to or redirects to."""

from __future__ import annotations

import asyncio
import gzip
import os
import socket
from pathlib import Path

import pytest

from fakes.patience import in_proportion, not_for_ever
from fakes.web import FakeWeb, bomb, deflated
from mutual_dissent.tools.addresses import AddressRules, NotFetched, is_public
from mutual_dissent.tools.fetch import MAX_REDIRECTS, Pages
from mutual_dissent.tools.plain_text import decode_page, text_of, title_of

PRIVATE = """
0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.100.100.200 127.0.0.1 127.255.255.254
169.254.0.1 169.254.169.254 169.254.170.2 172.16.0.1 172.31.255.255 192.0.0.1 192.0.0.192 192.0.2.1
192.88.99.1 192.168.0.1 192.168.255.255 198.18.0.1 198.19.255.255 198.51.100.7 203.0.113.9 224.0.0.1
239.255.255.250 240.0.0.1 255.255.255.255 168.63.129.16
:: ::1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:8.8.8.8 ::ffff:a9fe:a9fe ::127.0.0.1 ::8.8.8.8
64:ff9b::7f00:1 64:ff9b::808:808 64:ff9b:1::1 100::1 2001::1 2001:0:4136:e378:8000:63bf:3fff:fdd2
2001:db8::1 2001:10::1 2002:7f00:1:: 2002:a00:1::1 2002:808:808::1 3fff::1 5f00::1 fc00::1
fd00:ec2::254 fe80::1 fec0::1 ff02::1 ff0e::1 fe80::1%eth0 ::ffff:0:7f00:1
""".split()
PUBLIC = "1.1.1.1 8.8.8.8 93.184.216.34 2606:2800:220:1:248:1893:25c8:1946 2a00:1450::1".split()

REFUSED = [
    # schemes
    "file:///etc/passwd", "ftp://site.example/", "gopher://site.example/", "data:text/html,x",
    "javascript:alert(1)", "//site.example/", "site.example", "", "http:", "http://", "http:///x",
    "unix:///var/run/docker.sock", "ws://site.example/",
    # credentials
    "http://user@site.example/", "http://user:pass@site.example/", "http://:pass@site.example/",
    "http://@site.example/", "http://site.example@127.0.0.1/", "http://127.0.0.1#@site.example/",
    "http://site.example\\@127.0.0.1/",
    # ports
    "http://site.example:22/", "https://site.example:8443/", "http://site.example:0/",
    "http://site.example:65536/", "http://site.example:6379/", "http://site.example:x/",
    # this machine and its network, in every way to write it
    "http://localhost/", "http://LOCALHOST/", "http://localhost./", "http://a.localhost/",
    "http://127.0.0.1/", "http://127.0.0.1./", "http://127.1/", "http://127.0.1/", "http://0/",
    "http://2130706433/", "http://0x7f000001/", "http://0x7f.0.0.1/", "http://0177.0.0.1/",
    "http://017700000001/", "http://127.0.0.0x1/", "http://127。0。0。1/", "http://①②⑦.0.0.1/",
    "http://[::1]/", "http://[::]/", "http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/",
    "http://[0:0:0:0:0:ffff:127.0.0.1]/", "http://[::127.0.0.1]/", "http://[64:ff9b::7f00:1]/",
    "http://[2002:7f00:1::]/", "http://[fe80::1%25eth0]/", "http://[fd00:ec2::254]/",
    "http://10.0.0.1/", "http://192.168.1.1/", "http://172.16.0.1/", "http://100.64.0.1/",
    "http://169.254.169.254/latest/meta-data/", "http://[::ffff:a9fe:a9fe]/", "http://1.1.1.1.1/",
    "http://metadata.google.internal/", "http://metadata/", "http://router.lan/", "http://db.local/",
    "http://kubernetes.default.svc.cluster.local/", "http://intranet/", "http://x.home.arpa/",
    "http://abc.onion/",
    # nonsense
    "http://a b/", "http://site.example/\r\nHost: x", "http://site..example/", "http://-/",
    "http://site.example/" + "x" * 3000, "http://[::1", "http://[zz]/", "http://*.example/",
]  # fmt: skip


@pytest.mark.parametrize("address", PRIVATE)
def test_no_private_address_counts_as_public(address):
    assert not is_public(address)


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_do(address):
    assert is_public(address)


@pytest.mark.parametrize("url", REFUSED)
async def test_what_is_not_on_the_public_web_is_refused_before_any_look_up(url):
    asked = []

    async def resolve(host):
        asked.append(host)
        return ["93.184.216.34"]

    with pytest.raises(NotFetched):
        await Pages(resolve=resolve).page(url)
    assert asked == []


@pytest.mark.parametrize("url", ["http://site.example/", "https://xn--mnchen-3ya.example/a?b#c"])
def test_ordinary_addresses_are_accepted(url):
    assert str(AddressRules().url(url)) == url.partition("#")[0]


@pytest.mark.parametrize("address", PRIVATE)
async def test_a_name_that_leads_to_a_private_address_is_refused(address, no_connections):
    async def resolve(host):
        return [address]

    with pytest.raises(NotFetched, match="not on the public web"):
        await Pages(resolve=resolve).page("http://rebind.example/")


async def test_one_private_address_among_public_ones_is_enough(no_connections):
    async def resolve(host):
        return ["93.184.216.34", "127.0.0.1"]

    with pytest.raises(NotFetched, match="not on the public web"):
        await Pages(resolve=resolve).page("http://rebind.example/")


@pytest.fixture
def no_connections(monkeypatch):
    """Nothing is connected to at all."""

    def connect(self, address):
        raise AssertionError(f"connected to {address}")

    monkeypatch.setattr(socket.socket, "connect", connect)


@pytest.fixture
async def site():
    async with FakeWeb() as server:
        yield server


def pages(site, **more):
    return Pages(reach=site.reach, resolve=site.resolve, **{"timeout": 60.0, **more})


async def test_the_address_that_was_checked_is_the_one_connected_to(site):
    """A name server that changes its mind after the check is not asked again."""
    answers = iter([["127.0.0.1"], ["10.0.0.1"], ["10.0.0.1"]])
    asked = []

    async def resolve(host):
        asked.append(host)
        return next(answers)

    site.put("/", "<p>fine</p>")
    page = await Pages(reach=site.reach, resolve=resolve).page(site.at("/"))
    assert page.text == "fine"
    assert asked == ["site.example"]


async def test_a_name_is_checked_again_for_every_redirect(site):
    answers = iter([["127.0.0.1"], ["10.0.0.1"]])

    async def resolve(host):
        return next(answers)

    site.redirect("/", "/again")
    site.put("/again", "secret")
    with pytest.raises(NotFetched, match="not on the public web"):
        await Pages(reach=site.reach, resolve=resolve).page(site.at("/"))
    assert len(site.seen) == 1


async def test_the_last_gate_holds_even_if_every_check_before_it_fails(site, monkeypatch):
    site.put("/", "secret")
    monkeypatch.setattr(AddressRules, "check", lambda *_: None)
    reach = AddressRules(ports=frozenset({site.port}))
    with pytest.raises(NotFetched, match=r"^it must not be connected to from here$"):
        await Pages(reach=reach, resolve=site.resolve).page(site.at("/"))
    assert site.seen == []


TARGETS = [
    "http://10.0.0.1/", "http://169.254.169.254/latest/meta-data/", "http://[::1]/", "//127.1/",
    "http://localhost/", "file:///etc/passwd", "ftp://site.example/", "http://u:p@site.example/",
    "http://site.example:22/", "http://2130706433/", "gopher://x.example/", "http://[::ffff:a00:1]/",
    "javascript:alert(1)", "http://[broken", "",
]  # fmt: skip


@pytest.mark.parametrize("target", TARGETS)
async def test_a_redirect_to_where_one_must_not_go_is_not_followed(site, target):
    site.redirect("/", target)
    with pytest.raises(NotFetched):
        await pages(site).page(site.at("/"))
    assert len(site.seen) == 1


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_redirects_are_followed_a_few_times(site, status):
    for i in range(MAX_REDIRECTS):
        site.redirect(f"/{i}", f"/{i + 1}", status)
    site.put(f"/{MAX_REDIRECTS}", "<title>T</title><p>there</p>")
    page = await pages(site).page(site.at("/0#part"))
    assert (page.url, page.title) == (site.at(f"/{MAX_REDIRECTS}"), "T")
    assert page.text == "there"


async def test_endless_redirects_end(site):
    site.redirect("/", "/")
    with pytest.raises(NotFetched, match="more than 3 times"):
        await pages(site).page(site.at("/"))
    assert len(site.seen) == MAX_REDIRECTS + 1


async def test_nothing_about_the_user_is_sent(site, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://proxy.example:1")
    monkeypatch.setenv("ALL_PROXY", "http://proxy.example:1")
    netrc = Path("~/.netrc").expanduser()
    netrc.write_text("machine site.example login me password secret\n")
    site.put("/", "one", "text/html", Set_Cookie="a=b")
    site.redirect("/first", "/")
    await pages(site).page(site.at("/first"))
    allowed = {"host", "user-agent", "accept", "accept-encoding", "connection"}
    for _, _, headers, body in site.seen:
        assert set(headers) <= allowed
        assert headers["user-agent"].startswith("mutual-dissent/")
        assert body == b""


@pytest.mark.parametrize(
    "kind",
    ["application/json", "application/pdf", "image/svg+xml", "text/javascript", "", "text/html5",
     "application/octet-stream", "text/xml"],
)  # fmt: skip
async def test_only_html_and_plain_text_are_read(site, kind):
    site.put("/", "x", kind)
    with pytest.raises(NotFetched, match="only html and text"):
        await pages(site).page(site.at("/"))


@pytest.mark.parametrize("status", [204, 304, 400, 404, 500])
async def test_only_a_page_that_is_there_is_read(site, status):
    site.put("/", "x")
    site.pages["/"].set_status(status)
    with pytest.raises(NotFetched, match=f"status {status}"):
        await pages(site).page(site.at("/"))


@pytest.mark.parametrize(
    ("body", "encoding"),
    [
        (gzip.compress(b"<p>small</p>"), "gzip"),
        (gzip.compress(b"<p>sm") + gzip.compress(b"all</p>") + b"trailing", "gzip"),
        (deflated("<p>small</p>"), "deflate"),
    ],
    ids=["gzip", "two members", "deflate"],
)
async def test_compressed_pages_are_read(site, body, encoding):
    site.put("/", body, Content_Encoding=encoding)
    assert (await pages(site).page(site.at("/"))).text == "small"


@pytest.mark.parametrize(
    ("body", "encoding", "why"),
    [
        (bomb(9_000_000), "gzip", "100 times its size"),
        (bomb(4_500_000) * 2, "gzip", "100 times its size"),
        (gzip.compress(b"") * 1_001, "gzip", "more than 1,000 compressed parts"),
        (gzip.compress(b"x") + b"y" * 10_000_000, "gzip", "larger than 10 MB"),
        (bomb(200_000_000), "gzip", "larger than 10 MB"),
        (gzip.compress(os.urandom(11_000_000), 1), "gzip", "larger than 10 MB"),
        (b"x" * 10_000_001, "", "larger than 10 MB"),
        (b"plain", "gzip", "not compressed"),
        (b"plain", "br", "not asked for"),
        (b"plain", "gzip, gzip", "not asked for"),
    ],
    ids=[
        "ratio",
        "ratio of two",
        "members",
        "trailing",
        "large ratio",
        "large",
        "declared",
        "lie",
        "brotli",
        "twice",
    ],
)
async def test_bombs_and_lies_are_refused(site, body, encoding, why):
    site.put("/", body, **({"Content_Encoding": encoding} if encoding else {}))
    with pytest.raises(NotFetched, match=why):
        await pages(site).page(site.at("/"))


async def test_a_body_without_a_length_is_cut_off_when_it_gets_too_large(site):
    with pytest.raises(NotFetched, match="larger than 10 MB"):
        await pages(site).page(site.at("/endless"))


async def test_a_page_that_never_ends_is_given_up_in_time(site):
    with pytest.raises(NotFetched, match=r"within 0.3 s"):
        async with not_for_ever():
            await pages(site, timeout=0.3).page(site.at("/drip"))


async def test_a_name_server_that_never_answers_is_given_up_in_time():
    async def resolve(host):
        await asyncio.Event().wait()

    with pytest.raises(NotFetched, match=r"within 0.1 s"):
        await Pages(timeout=0.1, resolve=resolve).page("http://site.example/")


async def test_a_name_that_nobody_knows_is_a_sentence():
    async def resolve(host):
        raise socket.gaierror(socket.EAI_NONAME, "unknown")

    with pytest.raises(NotFetched, match=r"^its host name is not known here$"):
        await Pages(resolve=resolve).page("http://site.example/")


# --- html to text -------------------------------------------------------------------------------

HTML = """<!doctype html><html><head><title> A &amp; B </title><style>p{color:red}</style>
<script>if (a<b) document.write("<p>no</p>")</script></head><body class="[&>p]:mt-4">
<h1>Head</h1><p>One <b>bold</b> word&nbsp;and 3 < 4.</p><!-- hidden <p>no</p> -->
<ul><li>x<li>y</ul><SCRIPT src=a>no()</SCRIPT ><template>no</template>&lt;tag&gt; &#233;&#xe9;"""


def test_a_page_is_what_its_reader_sees():
    assert title_of(HTML) == "A & B"
    assert text_of(HTML) == "Head\nOne bold word and 3 < 4.\nx\ny\n<tag> éé"


@pytest.mark.parametrize(
    "page",
    ["<" * 400_000, "<a " * 300_000, '<a "' * 300_000, "<!--" * 300_000, "<script>" * 200_000,
     "<a '\">" * 200_000, "&#" + "9" * 900_000 + ";", "&" * 900_000, "<p" + " x=1" * 300_000,
     "</" * 400_000, "<svg>" + "</sv" * 300_000, "\n " * 400_000, "<title" * 200_000,
     '<a x=">" ' * 150_000],
    ids=range(14),
)  # fmt: skip
def test_no_page_takes_long_to_read(page):
    with in_proportion():
        text_of(page)
        title_of(page)


@pytest.mark.parametrize(
    ("body", "charset", "text"),
    [
        ("é".encode(), None, "é"),
        ("é".encode("latin-1"), "ISO-8859-1", "é"),
        (b'<meta charset="windows-1252">\x80', None, '<meta charset="windows-1252">€'),
        ("é".encode(), "punycode", "é"),
        ("é".encode(), "zip", "é"),
        ("é".encode(), "iso-8859-99", "é"),
        (b"\xff", "utf-8", "�"),
        ("\ufeffx".encode(), None, "x"),
    ],
)
def test_a_page_is_read_in_its_encoding_where_that_can_be_trusted(body, charset, text):
    assert decode_page(body, charset) == text
