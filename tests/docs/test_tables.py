"""The tables of docs/tile*.md are those of the results, and the scripts that write them say what the results say."""

from __future__ import annotations

import json
import re

import pytest
from benchmarks import pages

RECORD = {
    "device": {"gpu": "NVIDIA H200", "cuda": "13.0"},
    "figures": [{"shape": [1, 2, 3], "us": {"tile": 2.0, "cuBLAS": 1.0}, "GB/s": {"tile": 40.4, "cuBLAS": 80.0}, "tflops": {"tma 128x256x64": 450.4, "cuBLAS": 500.0}}],
}


@pytest.mark.parametrize("page", pages.PAGES)
def test_a_page_shows_the_results(page):
    text = pages.path_of(page).read_text()
    assert pages.renewed(page, text) == text, f"docs/{page}.md is not what benchmarks/results say: run a benchmark of it with --page"
    marked = [m[2] for m in pages.MARKED.finditer(text)]
    assert sorted(marked) == sorted(pages.PAGES[page]) and len(re.findall("<!-- table", text)) == len(marked)
    for file, make in pages.PAGES[page].values():
        made = make(json.loads((pages.RESULTS / f"{file}.json").read_text()))
        table = [x for x in made.splitlines() if x.startswith("|")]
        assert len(table) > 2 and len({x.count("|") for x in table}) == 1 and made.strip() in text


def test_a_table_that_differs_is_noticed():
    text = pages.path_of("tile").read_text()
    wrong = re.sub(r"(\| double-buffer, 256 x 256 x 64 \| )\d+", r"\g<1>7", text)
    assert wrong != text and pages.renewed("tile", wrong) == text
    with pytest.raises(KeyError, match="nothing"):
        pages.renewed("tile", "<!-- table: nothing -->\n<!-- end of the table -->")


def test_tables_by_hand():
    assert pages.gemm_timed(RECORD).splitlines()[2:] == [
        "| pipeline, tile | 1 x 2 x 3 |", "| --- | --- |", "| tma, 128 x 256 x 64 | 450 (0.90) |", "| cuBLAS | 500 (1.00) |"]  # fmt: skip
    assert pages.skinny_timed(RECORD).splitlines()[-1] == "| 1 x 2 x 3 | 2.0 us, 40 GB/s | 1.0 us, 80 GB/s |"
    code = {"figures": [{"block": "ping-pong 256x256x32", "vgpr": 200, "agpr": 8, "spills": 0, "mca": {"ratio": 0.91432}}]}
    assert pages.gemm_static(code).splitlines()[-1] == "| ping-pong, 256 x 256 x 32 | 208 | 0 | 91.4 % |"
    assert pages.block("cp-async 128x128x32, 3 stages") == "cp-async, 128 x 128 x 32, 3 stages" and pages.block("tma 64x256x64 2x1") == "tma, 64 x 256 x 64 2x1"
