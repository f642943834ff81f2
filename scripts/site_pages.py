"""The hooks of the documentation site: pages are where the repository has them, links lead there.

The README is the start page, and what a page links to beyond docs/ comes along, so that one text
serves both the repository and the site. `make site` has MkDocs call these.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
BESIDE = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")
DECISIONS = "docs/decisions"
LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#)([^)\s#]+)")
REPLAY = """
<figure class="replay">
<iframe src="replay.html" title="A sample debate, replayed" loading="lazy"></iframe>
<figcaption>A sample debate, replayed from its events; its texts were written by hand.
<code>dissent publish</code> makes such pages of yours.</figcaption>
</figure>
"""
"""What the start page opens with, under its title."""
CODE = re.compile(r"^```.*?^```|`[^`\n]+`", re.DOTALL | re.MULTILINE)


def sources() -> list[str]:
    """Every Markdown file that becomes a page, as the repository names it."""
    docs = (p.relative_to(ROOT).as_posix() for p in (ROOT / "docs").rglob("*.md"))
    return [*BESIDE, *sorted(docs)]


def address(path: str) -> str:
    """The path in the site of a file of the repository."""
    if path in {"README.md", DECISIONS}:
        return posixpath.join(path.removeprefix("README.md"), "index.md").removeprefix("docs/")
    return path.removeprefix("docs/")


def targets(path: str, text: str) -> set[str]:
    """The files of the repository that a page links to."""
    return {resolved(path, link) for link in LINK.findall(CODE.sub("", text))}


def resolved(path: str, link: str) -> str:
    """The file of the repository to which a link in one of its pages leads."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), link))


def linked(path: str, text: str) -> str:
    """The text of a page with its links as the site has them."""
    here = posixpath.dirname(address(path)) or "."

    def there(link: re.Match[str]) -> str:
        return posixpath.relpath(address(resolved(path, link[1])), here)

    parts = re.split(f"({CODE.pattern})", text, flags=CODE.flags)
    return "".join(p if p.startswith("`") else LINK.sub(there, p) for p in parts)


def extra() -> dict[str, str]:
    """Address -> text of what the site has beyond docs/: pages, and the files they link to."""
    texts = {path: (ROOT / path).read_text("utf-8") for path in sources()}
    wanted = set().union(*(targets(path, text) for path, text in texts.items()))
    wanted |= set(BESIDE)
    files = {p for p in wanted if not p.startswith("docs/")}
    titles = {p: t.splitlines()[0].lstrip("# ") for p, t in texts.items() if DECISIONS in p}
    listed = (f"* [{title}]({posixpath.basename(path)})\n" for path, title in titles.items())
    index = "# Decisions\n\nWhat was decided, why, and what was given up for it.\n\n"
    pages = {address(path): (ROOT / path).read_text("utf-8") for path in sorted(files)}
    return {**pages, address(DECISIONS): index + "".join(listed)}


def slug(title: str, _: str = "-") -> str:
    """The anchor of a heading, as repositories show it."""
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Give headings the anchors that links in the repository use."""
    config.mdx_configs["toc"]["slugify"] = slug
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add what lies beyond docs/."""
    from mkdocs.structure.files import File

    for path, text in extra().items():
        files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Turn the links of a page into those of the site."""
    path = page.file.src_uri
    if path == address(DECISIONS):
        return markdown
    ours = {address(source): source for source in sources()}
    text = linked(ours[path], markdown)
    return opened(text) if path == address("README.md") else text


def opened(text: str) -> str:
    """The start page with the replay of a debate under its title."""
    title, _, rest = text.partition("\n")
    return f"{title}\n{REPLAY}\n{rest}"


def on_post_page(output: str, **_: object) -> str:
    """Give the theme's search dialog the name that screen readers need; hide what they must not."""
    named = output.replace('role="dialog">', 'role="dialog" aria-label="Search">')
    return named.replace('<input class="md-option"', '<input class="md-option" tabindex="-1"')
