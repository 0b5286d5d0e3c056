"""The site in a browser: search, pictures, phone width, both palettes, console."""

from __future__ import annotations

import fnmatch
import pathlib
import re
from collections.abc import Iterator
from typing import Any

import pytest
from tests.site.questions import QUESTIONS

WANTED = 38 / 40  # of the questions that can be answered
# Keeps the search's worker where a test finds it.
HEAR = "const W = Worker; window.Worker = class extends W { constructor(...a) { super(...a); window.searcher = this } }"
ASK = """question => new Promise(done => {
  const worker = window.searcher;
  const answer = e => { if (e.data.type === 3) { worker.removeEventListener("message", answer); done(e.data.data.items.map(i => i[0].location)) } };
  worker.addEventListener("message", answer);
  worker.postMessage({type: 2, data: question});
})"""
READY = "document.querySelector('.md-search-result__meta').innerText.startsWith('Type')"
# Pages at phone width: those that people write, and one of each kind that is made.
MADE = ("reference/errors.html", "reference/settings.html", "reference/chips.html", "reference/api.html", "reference/intrinsics.html",
        "reference/api/avelang.tile.html", "reference/api/avelang.language.html", "reference/intrinsics/nvvm-mma.html", "source/src/avelang/arch/amd.py.html",
        "examples/axpy.html", "architecture.html")  # fmt: skip


class Watched:
    """A page of a browser, and what it complained of."""

    def __init__(self, browser: Any, address: str, **options: Any):
        self.address, self.faults = address, []
        self.context = browser.new_context(**options)
        self.page = self.context.new_page()
        self.page.on("console", lambda m: self.faults.append(m.text) if m.type in ("error", "warning") else None)
        self.page.on("pageerror", lambda e: self.faults.append(str(e)))
        # A page that is left takes its requests back; that is no fault.
        self.page.on("requestfailed", lambda r: None if "ABORTED" in (r.failure or "") else self.faults.append(f"failed: {r.url}, {r.failure}"))
        self.page.on("request", lambda r: None if r.url.startswith((address, "data:", "blob:")) else self.faults.append(f"asks {r.url}"))

    def open(self, place: str) -> Any:
        """Goes to a page of the site."""
        self.page.goto(self.address + place)
        return self.page


@pytest.fixture
def desk(browser: Any, address: str) -> Iterator[Watched]:
    """A page on a desk: 1280 x 900."""
    watched = Watched(browser, address, viewport={"width": 1280, "height": 900})
    yield watched
    watched.context.close()
    assert not watched.faults


def test_questions_find_their_pages(desk: Watched, site: pathlib.Path):
    desk.page.add_init_script(HEAR)
    page = desk.open("index.html")
    page.click("input.md-search__input")
    page.wait_for_function(READY)
    missed = {}
    there = [(q, accepted) for q, accepted in QUESTIONS if any(True for a in accepted for _ in site.glob(f"{a}.html"))]
    for question, accepted in there:
        found = [re.sub(r"\.html.*", "", place) for place in page.evaluate(ASK, question)][:3]
        if not any(fnmatch.fnmatch(place, a) for place in found for a in accepted):
            missed[question] = found
    assert len(there) >= 40 and len(missed) <= (1 - WANTED) * len(there), missed


NAMES = ("constexpr", "make_shared", "al.shuffle_xor", "Distribution", "rms_norm", "scaled_matmul", "tile.view", "assert_close", "argument_error", "TensorMap",
         "mbarrier", "Space", "poisoned", "block_gemm", "TileScheduler", "mfma_f32_16x16x16_bf16")  # fmt: skip


def test_names_find_their_entries(desk: Watched):
    desk.page.add_init_script(HEAR)
    page = desk.open("install.html")
    page.click("input.md-search__input")
    page.wait_for_function(READY)
    found = {name: page.evaluate(ASK, name)[:3] for name in NAMES}
    assert not {n: places for n, places in found.items() if not any(p.startswith(("reference/api/", "reference/intrinsics/")) for p in places)}


def test_a_reader_types_and_follows(desk: Watched):
    page = desk.open("guide.html")
    page.click("input.md-search__input")
    page.wait_for_function(READY)
    page.wait_for_timeout(5000)  # the worker reads the index: a query before that is a fault in the console
    page.keyboard.type("T020")
    page.wait_for_function("document.querySelectorAll('.md-search-result__item').length > 0")
    page.click(".md-search-result__item a[href*='reference/errors.html'] >> nth=0")
    page.wait_for_url(re.compile(r"reference/errors\.html"))
    page.wait_for_selector("#t020")


def test_pictures_load(desk: Watched):
    page = desk.open("reference/intrinsics/nvvm-mma.html")
    page.eval_on_selector_all("details", "all => all.forEach(x => x.open = true)")
    page.eval_on_selector_all("img", "all => all.forEach(x => x.loading = 'eager')")
    page.wait_for_function("[...document.images].every(x => x.complete)")
    sizes = page.eval_on_selector_all(".md-content img", "all => all.map(x => x.naturalWidth)")
    assert len(sizes) > 20 and min(sizes) > 100


def test_both_palettes(desk: Watched):
    page = desk.open("index.html")
    grounds = []
    for _ in range(2):
        grounds.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        page.click("form[data-md-component=palette] label:not([hidden])")
    dark, light = sorted(sum(map(int, re.findall(r"\d+", g)[:3])) for g in grounds)
    assert dark < 200 and light > 700, grounds


def test_phone_width(browser: Any, address: str, site: pathlib.Path):
    written = sorted(p.relative_to(site).as_posix() for p in site.glob("*.html") if p.name != "404.html")
    more = sorted(p.relative_to(site).as_posix() for d in ("tutorials", "coming-from", "puzzles") for p in (site / d).glob("*.html"))
    watched = Watched(browser, address, viewport={"width": 390, "height": 844}, java_script_enabled=False, color_scheme="dark")
    wide = {}
    for place in [*written, *more, *(m for m in MADE if (site / m).exists())]:
        watched.page.goto(address + place)
        width = watched.page.evaluate("document.documentElement.scrollWidth")
        if width > 390:
            wide[place] = width
    watched.context.close()
    assert not wide and not watched.faults
