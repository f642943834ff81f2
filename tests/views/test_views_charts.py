"""Charts show what they are given, and nothing in them can run."""

from __future__ import annotations

import re
from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest

from mutual_dissent.views.charts import (
    Bar,
    Mark,
    Series,
    Span,
    bars,
    heatmap,
    lines,
    scatter,
    timeline,
)

EVIL = '<script>alert(1)</script>"><img src=x onerror=alert(1)>\x1b]0;x\x07'
NAN = float("nan")


def drawn(text):
    """The chart as elements; a chart that is no XML raises."""
    return ET.fromstring(text)


def words(root):
    return " ".join(root.itertext())


CHARTS = {
    "lines": lambda name: lines(
        [Series(name=name, points=[(0, 0.2), (1, 0.7)]), Series(name="b", points=[(0, 1), (1, 0)])],
        title=name,
        x_name=name,
        y_name=name,
        x_words=[name, "one"],
    ),
    "bars": lambda name: bars(
        [Bar(name=name, value=0.4, low=0.2, high=0.6), Bar(name="b", value=-1)],
        title=name,
        x_name=name,
    ),
    "heatmap": lambda name: heatmap(
        [name, "b"], [name, "b"], [[None, 0.5], [-0.2, None]], title=name, row_name=name,
        column_name=name,
    ),
    "scatter": lambda name: scatter(
        [Mark(name=name, x=1, y=2, low=1, high=3), Mark(name="b", x=0, y=0)],
        title=name, x_name=name, y_name=name, diagonal=True, joined=[name, "b"],
    ),
}  # fmt: skip
EMPTY = {
    "lines": lambda: lines([Series(name="a", points=[(0, NAN)])], title="t"),
    "bars": lambda: bars([Bar(name="a", value=NAN)], title="t"),
    "heatmap": lambda: heatmap([], [], [], title="t"),
    "scatter": lambda: scatter([], title="t"),
}


@pytest.mark.parametrize("kind", CHARTS)
def test_a_strangers_name_is_only_ever_text(kind):
    root = drawn(CHARTS[kind](EVIL))
    tags = {e.tag.rpartition("}")[2] for e in root.iter()}
    assert tags <= {
        "svg",
        "g",
        "title",
        "desc",
        "line",
        "text",
        "rect",
        "path",
        "circle",
        "polyline",
    }
    assert "<script>alert(1)" in words(root)
    assert "\x1b" not in words(root)


@pytest.mark.parametrize("kind", CHARTS)
def test_a_chart_has_a_name_and_a_sentence_for_who_does_not_see_it(kind):
    root = drawn(CHARTS[kind]("ada"))
    assert root.get("role") == "img"
    assert [e.tag.rpartition("}")[2] for e in root][:2] == ["title", "desc"]
    assert root[1].text


@pytest.mark.parametrize("kind", EMPTY)
def test_a_chart_without_data_says_so(kind):
    assert "nothing to show yet" in words(drawn(EMPTY[kind]()))


def test_every_figure_stays_on_the_canvas():
    points = [(float(i), (-1.0) ** i * 10.0**i) for i in range(12)]
    root = drawn(lines([Series(name="wild", points=points)], title="t"))
    _, _, width, height = map(float, root.get("viewBox").split())
    for dot in root.iter("{http://www.w3.org/2000/svg}circle"):
        assert 0 <= float(dot.get("cx")) <= width
        assert 0 <= float(dot.get("cy")) <= height


def test_one_point_alone_can_be_drawn():
    drawn(lines([Series(name="a", points=[(0, 0.5)])], title="t"))
    drawn(scatter([Mark(name="a", x=0, y=0)], title="t"))
    drawn(bars([Bar(name="a", value=0)], title="t"))
    drawn(heatmap(["a"], ["a"], [[0.0]], title="t"))


def test_points_on_one_spot_are_named_together_and_not_over_each_other():
    spot = [Mark(name=n, x=1, y=2) for n in ("a", "b", "c")]
    texts = re.findall(
        r"<text[^>]*>([^<]*)</text>", scatter([*spot, Mark(name="d", x=3, y=4)], title="t")
    )
    assert [t for t in texts if t and t[0] in "abcd"] == ["a, b, c", "d"]


def test_sixteen_panelists_fit_into_a_heatmap():
    names = [f"panelist-{i}" for i in range(16)]
    root = drawn(heatmap(names, names, [[0.5] * 16] * 16, title="t"))
    assert float(root.get("viewBox").split()[2]) < 800


def test_greater_values_stand_higher():
    root = drawn(lines([Series(name="a", points=[(0, 0.1), (1, 0.9)])], title="t", y_range=(0, 1)))
    low, high = (float(c.get("cy")) for c in root.iter("{http://www.w3.org/2000/svg}circle"))
    assert high < low


@pytest.mark.parametrize("value", [1e308, -1e308, 1.7e308, 5e-324, 1e-320, float("inf")])
def test_the_greatest_and_the_smallest_figures_can_be_drawn(value):
    for drawn in (
        bars([Bar(name="a", value=value, low=-value, high=value)], title="t"),
        scatter([Mark(name="a", x=value, y=-value), Mark(name="b", x=0, y=value)], title="t"),
        lines([Series(name="a", points=[(0, value), (1, -value)])], title="t"),
        heatmap(["a"], ["b"], [[value]], title="t"),
        timeline([Span(row="a", start=0, end=value, told="x")], title="t"),
    ):
        ET.fromstring(drawn)


def test_a_name_that_xml_cannot_hold_is_left_out():
    drawn = bars([Bar(name="a\ufffe\uffff\x00b", value=1)], title="\uffff")
    ET.fromstring(drawn)
    assert "ab" in drawn


ALIKE = [f"self-consistency openrouter:lab/model-of-the-year-{n}-instruct" for n in range(4)]


@pytest.mark.parametrize(
    "draw",
    [
        lambda names: bars([Bar(name=n, value=1) for n in names], title="t"),
        lambda names: heatmap(names, ["a"], [[1.0]] * len(names), title="t"),
        lambda names: heatmap(["a"], names, [[1.0] * len(names)], title="t"),
        lambda names: scatter([Mark(name=n, x=i, y=1) for i, n in enumerate(names)], title="t"),
        lambda names: timeline([Span(row=n, start=0, end=1, told="x") for n in names], title="t"),
    ],
    ids=["bars", "rows", "columns", "scatter", "timeline"],
)
@pytest.mark.parametrize("names", [ALIKE, [f"{'x' * n}{'same' * 30}" for n in range(20, 24)]])
def test_names_that_differ_read_differently_however_they_are_cut(draw, names):
    root = drawn(draw(names))
    shown = [e.text for e in root.iter("{http://www.w3.org/2000/svg}text") if "…" in (e.text or "")]
    assert len(shown) == len(set(shown)) == len(names)


def test_labels_of_points_that_are_close_do_not_lie_over_each_other():
    marks = [Mark(name=f"way {i}", x=1 + i / 1000, y=0.5 + i / 1000) for i in range(6)]
    root = drawn(scatter([*marks, Mark(name="far", x=5, y=0.1)], title="t"))
    texts = [e for e in root.iter("{http://www.w3.org/2000/svg}text") if "way" in (e.text or "")]
    heights = sorted(float(e.get("y")) for e in texts)
    assert len(heights) == 6
    assert all(b - a >= 10 for a, b in pairwise(heights))
