"""Style of a debate's HTML report: the page's theme, by the reader's system preference."""

from __future__ import annotations

import base64
import hashlib

DARK = """
--ground: #0f1218; --surface: #161a22; --raised: #1d222c; --line: #2b3240; --line-strong: #3d4658;
--text: #e4e8f0; --muted: #9aa5b8; --faint: #7f8aa0; --accent: #7aa2f7;
--agree: #7fce9a; --differ: #f2a65a; --oppose: #f28b8b; --note: #c3a6f5;
--p1: #7aa2f7; --p2: #f2a65a; --p3: #7fce9a; --p4: #e58fc3;
--p5: #5fd0d6; --p6: #d3c56b; --p7: #b79cf5; --p8: #f28b8b;
"""
LIGHT = """
--ground: #f6f7f9; --surface: #ffffff; --raised: #eef1f5; --line: #d8dde6; --line-strong: #b6bfcc;
--text: #171b24; --muted: #505b6d; --faint: #616c7e; --accent: #2456c4;
--agree: #17683a; --differ: #8a4b06; --oppose: #a32632; --note: #6236b5;
--p1: #2456c4; --p2: #8a4b06; --p3: #17683a; --p4: #a02a72;
--p5: #0d6a70; --p6: #6b5d05; --p7: #6236b5; --p8: #a32632;
"""
STYLE = f"""
:root {{ color-scheme: light dark; {LIGHT} }}
@media (prefers-color-scheme: dark) {{ :root {{ {DARK} }} }}
* {{ box-sizing: border-box; }}
body {{ margin: 0; background: var(--ground); color: var(--text);
  font: 400 15px/1.6 Inter, system-ui, sans-serif; overflow-wrap: anywhere; }}
main {{ max-width: 860px; margin: 0 auto; padding: 32px 20px 60px; }}
h1 {{ font-size: 22px; line-height: 1.35; margin: 0 0 8px; }}
h2 {{ font-size: 16px; margin: 34px 0 10px; }}
h3 {{ font-size: 14px; margin: 20px 0 8px; color: var(--muted); }}
h4, h5, h6 {{ font-size: 14px; margin: 14px 0 6px; }}
p, ul, ol, table, pre, blockquote {{ margin: 0 0 10px; }}
code, pre {{ font-family: "JetBrains Mono", ui-monospace, monospace; font-size: 0.9em; }}
pre {{ background: var(--ground); border: 1px solid var(--line); border-radius: 6px;
  padding: 10px 12px; overflow-x: auto; }}
blockquote {{ border-left: 3px solid var(--line-strong); padding-left: 12px; color: var(--muted); }}
hr {{ border: none; border-top: 1px solid var(--line); }}
table {{ border-collapse: collapse; width: 100%; font-size: 13px; overflow-wrap: normal; }}
th, td {{ text-align: left; vertical-align: top; padding: 6px 10px 6px 0;
  border-bottom: 1px solid var(--line); }}
th {{ color: var(--muted); font-weight: 550; }}
.scroll {{ overflow-x: auto; }}
.wide > table {{ min-width: 600px; }}
.said table {{ display: block; overflow-x: auto; }}
.muted, .said span {{ color: var(--muted); }}
.small {{ font-size: 12.5px; }}
.answer, figure, details {{ background: var(--surface); border: 1px solid var(--line);
  border-radius: 8px; padding: 14px 18px; margin: 0 0 12px; }}
.answer {{ border-left: 3px solid var(--accent); }}
.said {{ contain: content; isolation: isolate; }}
.said > :last-child, .answer > :last-child {{ margin-bottom: 0; }}
summary {{ cursor: pointer; font-weight: 600; }}
summary span {{ font-weight: 400; }}
details[open] > summary {{ margin-bottom: 8px; }}
figcaption {{ font-weight: 600; font-size: 13px; margin-bottom: 8px; }}
.chart {{ display: block; max-width: 100%; height: auto; }}
@media (max-width: 640px) {{ main {{ padding: 20px 14px 40px; }}
  .answer, figure, details {{ padding: 12px; }}
  .chart {{ max-width: none; }} }}
.wrong {{ color: var(--oppose); }}
.note {{ border-left: 3px solid var(--note); padding-left: 12px; }}
:focus-visible {{ outline: 2px solid var(--accent); outline-offset: 2px; }}
@media print {{ body {{ background: none; }} details {{ break-inside: avoid; }} }}
"""


def policy(style: str = STYLE, script: str = "") -> str:
    """Content security policy of a page: show it, in this style, with this script or none."""
    runs = f" script-src {_digest(script)};" if script else ""
    return (
        f"default-src 'none'; style-src {_digest(style)};{runs} base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
