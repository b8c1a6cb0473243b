"""The chart script in Chromium, under the product's own content security policy."""

import os
from collections.abc import Generator
from datetime import date
from mimetypes import guess_type
from pathlib import Path
from typing import Any
from uuid import uuid4

import plotly.graph_objects as go
import pytest
from csp.constants import NONE, SELF
from django.conf import settings
from django.template.loader import render_to_string
from playwright.sync_api import Browser, Page, Route, sync_playwright

from dpgov.dashboards.history.figures import tree_map
from dpgov.explain.comparison import Figure as Method
from dpgov.explain.figures.guarantee import by_method
from dpgov.privacy.accounting.decimals import NANO
from dpgov.queries.pictures.cells import Map
from dpgov.queries.pictures.figures import Leads
from dpgov.queries.wording.figures import release_charts
from dpgov.queries.wording.over_days import bar, over_days
from dpgov.queries.wording.plotting import as_figure, labelled_axis
from tests.integration.dashboards.corpus import SCRIPTS
from tests.journeys.browser import ARGUMENTS
from tests.servers.missing import find_browser

LEADS = {"Answered": "/answered", "Waiting": "/waiting", "Failed": "/failed"}
_STATIC = Path(settings.BASE_DIR) / "static"
_HEAD = """<!doctype html><html lang="en"><head><title>Charts</title>
<script src="/static/js/theme.js"></script>
<link rel="stylesheet" href="/static/css/app.css">
<link rel="stylesheet" href="/static/css/dashboards.css">
<style id="plotly.js-style-global" nonce="abc"></style>
<script src="/static/js/charts.js" defer
 data-plotly="/static/vendor/plotly/plotly-basic.min.js"></script></head><body>
<button data-theme-choice="dark">Dark</button>"""
_DIRECTIVES: dict[str, Any] = settings.CONTENT_SECURITY_POLICY["DIRECTIVES"]
_POLICY = {
    directive: [
        f"'{source.strip(chr(39))}'" if source in (SELF, NONE) else source for source in sources
    ]
    for directive, sources in _DIRECTIVES.items()
    if directive != "style-src"
} | {"style-src": ["'self'", "'nonce-abc'"]}


@pytest.fixture(scope="module")
def browser() -> Generator[Browser]:
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        program = find_browser()
        started = playwright.chromium.launch(executable_path=program, args=ARGUMENTS + sandbox)
        yield started
        started.close()


@pytest.fixture
def complaints() -> list[str]:
    """What the browser's console said."""
    return []


@pytest.fixture
def window(browser: Browser, complaints: list[str]) -> Generator[Page]:
    context = browser.new_context(viewport={"width": 1000, "height": 800}, color_scheme="light")
    page = context.new_page()
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    yield page
    context.close()


def _show(page: Page, figures: list[dict[str, Any]], language: str = "en-gb") -> None:
    """Serve a page with these charts and wait until they are drawn."""
    charts = [
        render_to_string("_chart.html", {"figure": each, "id": f"c{place}", "caption": "A chart."})
        for place, each in enumerate(figures)
    ]
    head = _HEAD.replace('lang="en"', f'lang="{language}"')
    html = head + "".join(charts) + "</body></html>"
    policy = "; ".join(f"{name} {' '.join(sources)}" for name, sources in _POLICY.items())

    def serve(route: Route) -> None:
        path = route.request.url.removeprefix("http://charts.test/")
        if path.startswith("static/"):
            file = _STATIC / path.removeprefix("static/")
            kind = guess_type(file.name)[0] or "text/plain"
            route.fulfill(body=file.read_bytes(), content_type=kind)
        elif path == "":
            headers = {"Content-Security-Policy": policy}
            route.fulfill(body=html, content_type="text/html; charset=utf-8", headers=headers)
        else:
            route.fulfill(status=204)

    page.route("http://charts.test/**", serve)
    page.goto("http://charts.test/")
    page.wait_for_function(
        "() => [...document.querySelectorAll('.chart')].every((chart) => chart.dataset.drawn)"
    )


def test_what_somebody_typed_is_drawn_as_text(window: Page, complaints: list[str]) -> None:
    """J6: in bins, columns and legends; nothing runs, nothing becomes a link or a style."""
    cells = [{"value": 1, "accuracy": []} for _ in range(len(SCRIPTS) * 8)]
    figures = []
    for place in range(0, len(SCRIPTS), 4):
        names = [*SCRIPTS[place : place + 4]] * 2
        groups = [{"column": names[0], "bins": [*SCRIPTS]}, {"column": names[1], "bins": names}]
        statistic = {"statistic": "mean", "column": names[2], "cells": cells}
        figures += [
            chart.figure for chart in release_charts({"groups": groups, "statistics": [statistic]})
        ]
    _show(window, figures)
    for place in range(len(figures)):
        window.locator(f"#c{place} .point").nth(3).hover(force=True)
    assert window.evaluate("() => window.hit") is None
    made = window.evaluate(
        "() => document.querySelectorAll('.chart a, .chart img, .chart script, .chart b, "
        '.chart tspan[style*="90px"], .chart [onload], .chart [onmouseover]\').length'
    )
    assert made == 0
    drawn = window.locator("#c0").text_content() or ""
    assert "<script>window.hit=1" in drawn
    assert "%{customdata[0]}" in drawn
    assert complaints == []


def test_a_change_of_theme_recolours_the_chart(window: Page, complaints: list[str]) -> None:
    bars = go.Bar(x=[0, 1], y=[2, 3], meta={"role": "spent"})
    _show(window, [as_figure([bars])])
    fill = "() => getComputedStyle(document.querySelector('.chart .bars path')).fill"
    light = window.evaluate(fill)
    window.get_by_role("button", name="Dark").click()
    window.wait_for_function("() => document.querySelector('.chart').dataset.drawn === 'dark'")
    assert window.evaluate(fill) != light
    assert complaints == []


def test_on_a_phone_the_whole_legend_is_seen(window: Page, complaints: list[str]) -> None:
    """Eight long names beside each other, without a bar to scroll them, and room for the chart."""
    window.set_viewport_size({"width": 360, "height": 800})
    days = [date(2026, 11, day) for day in (1, 2)]
    names = [f"Analyst of the ward number {place}" for place in range(8)]
    bars = [bar(name, str(place + 1), days, [1, 2], ["", ""]) for place, name in enumerate(names)]
    _show(window, [over_days(bars, "Questions")])
    box = "document.querySelector('.chart {}').getBoundingClientRect()"
    legend, drawn = (window.evaluate(box.format(part)) for part in (".legend", ".barlayer"))
    assert legend["left"] >= 0
    assert legend["right"] <= 360
    assert legend["bottom"] <= drawn["top"]
    assert window.evaluate(box.format(".scrollbar"))["height"] == 0
    first = window.locator(".legendtext").first
    assert first.locator("tspan").all_text_contents() == ["Analyst of", "the ward num…"]
    assert complaints == []


def test_on_a_phone_the_last_bar_has_its_name(window: Page, complaints: list[str]) -> None:
    """Names that lean would be left out where they pass the end of the axis."""
    window.set_viewport_size({"width": 300, "height": 800})
    names = ["20–29", "30–39", "40–49", "50–59", "60–69", "70–80", "other"]
    bars = go.Bar(x=[*range(7)], y=[1_000 * place for place in range(7)])
    _show(window, [as_figure([bars], xaxis=labelled_axis(names, "age"))])
    shown = window.locator(".chart .xaxislayer-above text:visible")
    assert shown.all_text_contents() == names
    assert complaints == []


# A part that is clipped ends with the plot, whatever its boxes say.
_CUT = """() => [...document.querySelectorAll(".chart")].flatMap((chart) => {
  const cut = (text) => {
    const clips = text.closest("[clip-path]") ? chart.querySelector(".nsewdrag") : chart;
    const [box, room] = [text.getBoundingClientRect(), clips.getBoundingClientRect()];
    return box.left < room.left - 1 || box.right > room.right + 1;
  };
  return [...chart.querySelectorAll("svg text")].filter(cut).map((text) => text.textContent);
})"""


def test_on_a_phone_no_text_of_a_chart_is_cut(window: Page, complaints: list[str]) -> None:
    """A value without its last digits reads like another value."""
    window.set_viewport_size({"width": 360, "height": 800})
    titles = {"Einfache Komposition": 6.5, "Fortgeschrittene Komposition": 6.3866, "zCDP": 5.8121}
    methods = [Method("", name, size, "", admits=size == 6.5) for name, size in titles.items()]
    title = {"title": {"text": "Anzahl, abzüglich des wahren Werts ohne sie"}}
    name = "nach jeder Antwort, die das Budget erlaubt"
    noises = as_figure([go.Scatter(x=[0, 1], y=[0, 1], name=name)] * 2, xaxis=title)
    _show(window, [by_method(methods, "1e-6"), noises])
    bars = window.locator(".chart .bartext")
    assert bars.all_text_contents() == ["6.5", "5.8121", "6.3866"]
    assert window.evaluate(_CUT) == []
    assert complaints == []


def test_a_stretch_too_narrow_to_be_read_in_bears_no_name(
    window: Page, complaints: list[str]
) -> None:
    large, small, tiny = uuid4(), uuid4(), uuid4()
    named = [(large, "Adult census income"), (small, "Visits national"), (tiny, "Infections")]
    nano = {large: 85 * NANO, small: 14 * NANO, tiny: NANO}
    found = Map(datasets=named, days=[], number={}, nano=nano)
    _show(window, [tree_map(found, Leads())])
    texts = window.locator(".chart .bartext")
    shown = [one for one in texts.all() if one.is_visible()]
    assert [one.text_content() for one in shown] == ["Adult census inco… 85%", "14%"]
    sizes = {one.evaluate("(text) => getComputedStyle(text).fontSize") for one in shown}
    assert {size for size in sizes if float(size.removesuffix("px")) < 11} == set()
    assert complaints == []


def test_a_chart_that_is_swapped_in_later_is_drawn(window: Page, complaints: list[str]) -> None:
    bars = go.Bar(x=[0, 1], y=[2, 3])
    _show(window, [as_figure([bars])])
    window.evaluate(
        "() => { const old = document.querySelector('figure'); const copy = old.cloneNode(true);"
        " copy.querySelector('.chart').replaceChildren();"
        " delete copy.querySelector('.chart').dataset.drawn; old.replaceWith(copy);"
        " copy.dispatchEvent(new CustomEvent('htmx:after:process', {bubbles: true})); }"
    )
    window.wait_for_function("() => document.querySelector('.chart').dataset.drawn")
    assert window.locator(".chart .bars path").count() == 2
    assert complaints == []


@pytest.mark.parametrize(
    ("language", "month", "number"), [("en-gb", "Oct", "1,000"), ("de", "Okt", "1\u202f000")]
)
def test_months_and_thousands_are_those_of_the_page(
    language: str, month: str, number: str, window: Page, complaints: list[str]
) -> None:
    line = go.Scatter(x=["2025-10-01", "2025-12-01"], y=[0, 1000])
    figure = as_figure([line], xaxis={"type": "date"}, yaxis={"tickformat": ",", "dtick": 500})
    _show(window, [figure], language)
    assert month in (window.locator(".chart .xaxislayer-above").text_content() or "")
    assert number in (window.locator(".chart .yaxislayer-above").text_content() or "")
    assert complaints == []


@pytest.mark.parametrize(("bars", "zooms"), [(40, True), (3, False)])
def test_what_has_many_marks_can_be_looked_at_closer(
    bars: int, zooms: bool, window: Page, complaints: list[str]
) -> None:
    """Dragging shows a stretch, and a double click all again; a few bars stay as they are."""
    _show(window, [as_figure([go.Bar(x=[*range(bars)], y=[*range(bars)])])])
    along = "() => document.querySelector('.chart').layout.xaxis.range"
    whole = window.evaluate(along)
    box = window.locator(".chart .nsewdrag").bounding_box()
    assert box is not None
    middle = box["y"] + box["height"] / 2
    window.mouse.move(box["x"] + 0.25 * box["width"], middle)
    window.mouse.down()
    window.mouse.move(box["x"] + 0.5 * box["width"], middle, steps=5)
    window.mouse.up()
    if zooms:
        window.wait_for_function(f"(whole) => ({along})()[0] > whole[0] + 5", arg=whole)
        window.mouse.dblclick(box["x"] + 0.6 * box["width"], middle)
        window.wait_for_function(f"(whole) => ({along})()[0] === whole[0]", arg=whole)
    assert window.evaluate(along) == whole
    assert complaints == []


def test_of_bars_on_top_of_each_other_the_one_below_the_pointer_is_followed(
    window: Page, complaints: list[str]
) -> None:
    """E13: one box tells of a whole day; a click in it leads to the list of one colour."""
    day = date(2026, 11, 25)
    traces = [bar(name, "1", [day], [4], [link]) for name, link in LEADS.items()]
    for place, link in enumerate(LEADS.values()):
        # Drawn anew: two clicks shortly after each other are a double click, wherever they are.
        _show(window, [over_days(traces, "Questions")])
        assert window.locator(".chart .bars .point").count() == len(LEADS)
        bounds = window.locator(".chart .bars .point").nth(place).bounding_box()
        assert bounds is not None
        across, down = bounds["x"] + bounds["width"] / 2, bounds["y"] + bounds["height"] / 2
        window.mouse.move(across, down, steps=3)
        window.locator(".chart.leads").wait_for()
        with window.expect_request(f"**{link}"):
            window.mouse.click(across, down)
    assert complaints == []
