"""The tables of docs/ that show results: the JSON of `results/` comes in; Markdown between the markers of a page goes
out.

A marker is `<!-- table: NAME -->`, and the table ends at `<!-- end of the table -->`. Each benchmark's `--page` writes
its page again; the test (`tests/docs/test_tables.py`) says which pages are not what the results say. Nothing here needs
a GPU, or a kernel."""

from __future__ import annotations

import json
import pathlib
import re
from collections.abc import Callable, Iterable
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
MARKED = re.compile(r"(<!-- table: (\w+) -->\n).*?(<!-- end of the table -->)", re.DOTALL)


def rows(head: Iterable[str], body: Iterable[Iterable[str]]) -> str:
    """A table in Markdown."""
    head = tuple(head)
    return "".join(f"| {' | '.join(x)} |\n".replace("|  |", "| |") for x in (head, ("---",) * len(head), *body))


def sizes(shape: Iterable[int]) -> str:
    """Extents, as pages write them."""
    return " x ".join(map(str, shape))


def percent(x: float) -> str:
    """A share in percent."""
    return f"{100 * x:.1f} %"


def block(name: str) -> str:
    """A block as the pages write it: "double-buffer, 256 x 256 x 64"."""
    pipeline, _, tile = name.partition(" ")
    tile, comma, more = tile.partition(",")
    return f"{pipeline}, {tile.replace('x', ' x ', 2)}{comma}{more}"


def on(record: dict[str, Any]) -> str:
    """What was measured on, as a line above a table."""
    return f"{record['device']['gpu']}, CUDA {record['device']['cuda']}:\n\n"


# -- docs/tile.md ---


def gemm_static(record: dict[str, Any]) -> str:
    """What the gfx942 code of the block GEMM takes."""
    body = [
        (block(f["block"]), str(f["vgpr"] + f["agpr"]), str(f["spills"]), percent(f["mca"]["ratio"]))
        for f in record["figures"]
    ]
    return rows(("pipeline, tile", "registers", "spills", "utilization"), body)


def gemm_timed(record: dict[str, Any]) -> str:
    """TFLOP/s of blocks and of the others, and what part of cuBLAS that is."""
    figures = record["figures"]
    by = {"cuBLAS": "cuBLAS", "thread level": "[thread level](hopper_gemm.md), `wgmma`",
          "mma.sync by hand": "instruction level, `mma.sync`"}
    names = sorted(figures[0]["tflops"], key=lambda name: (name in by, -figures[0]["tflops"][name]))
    body = [
        (
            by.get(x) or block(x),
            *(f"{f['tflops'][x]:.0f} ({f['tflops'][x] / f['tflops']['cuBLAS']:.2f})" for f in figures),
        )
        for x in names
    ]
    return on(record) + rows(("pipeline, tile", *(sizes(f["shape"]) for f in figures)), body)


def sass(record: dict[str, Any]) -> str:
    """What ptxas makes of "cp-async" and of the kernel by hand, sm_90a."""
    body = []
    for f in record["figures"]:
        if f["chip"] == "sm_90a" and f["kernel"].startswith(("cp-async", "by hand")):
            name = (
                block(f["kernel"])
                if f["kernel"].startswith("cp")
                else "by hand, " + f["kernel"].split()[2].replace("x", " x ")
            )
            body.append((name, str(f["said"]["registers"]), str(sum(f["said"]["spills"])), f"{f['each']:.2f}"))
    return rows(("kernel, tile", "registers", "spills", "instructions of the main loop for each `HMMA`"), body)


def blocks_static(record: dict[str, Any]) -> str:
    """The share of gfx942's matrix pipe of all blocks among which is chosen."""
    found: dict[tuple[str, ...], dict[str, str]] = {}
    for f in record["figures"]:
        name = f["pipeline"], sizes(f["tile"][:2]), f"{f['waves'][0]} x {f['waves'][1]}"
        found.setdefault(name, {})[f["chip"], f["dtype"]] = percent(f["share"])  # type: ignore[index]
    chips = [(chip, dtype) for chip in ("gfx90a", "gfx942", "gfx950") for dtype in ("bf16", "i8")]
    body = [(f"{name[0]}, {name[1]}", name[2], *(shares[x] for x in chips))
            for name, shares in found.items()]  # type: ignore[index]
    return rows(("pipeline, tile", "waves", *(f"{chip}, {dtype}" for chip, dtype in chips)), body)


def blocks_timed(record: dict[str, Any]) -> str:
    """TFLOP/s of the blocks among which is chosen on a Hopper GPU."""
    body = []
    for f in record["figures"]:
        *name, waves = f["block"].split() if f["block"] != "chosen" else ("`block_for`'s choice", "")
        shown = block(" ".join(name)) if waves else name[0]
        body.append(
            (
                shown,
                "" if f["block"].startswith("tma") else waves.replace("x", " x "),
                f"{f['tflops']:.0f}",
                f"{f['share']:.2f}",
            )
        )
    return on(record) + rows(("pipeline, tile", "warps", "TFLOP/s, 4096 x 4096 x 4096", "of the fastest"), body)


# -- docs/tile_skinny.md ---


def skinny_static(record: dict[str, Any]) -> str:
    """Matrix cycles and LDS bytes, by shape."""
    body = []
    for f in record["figures"]:
        one, two = f["VDMFMA"], f["padded"]
        body.append(
            (
                sizes(f["shape"]),
                str(f["parts"]),
                str(one["blocks"]),
                percent(f["busy"]),
                str(one["cycles"]),
                str(two["cycles"]),
                str(one["read"] + one["written"]),
                str(two["read"] + two["written"]),
            )
        )
    return rows(("shape, f16", "parts", "blocks", "units busy", "matrix cycles", "padded", "LDS bytes", "padded"), body)


def skinny_code(record: dict[str, Any]) -> str:
    """The main loop."""
    body = [(f["block"], str(f["vgpr"]), str(f["spills"]), percent(f["mca"]["ratio"])) for f in record["code"]]
    return rows(("code", "registers", "spills", "utilization"), body)


def skinny_timed(record: dict[str, Any]) -> str:
    """Microseconds and GB/s, by shape."""
    names = [x for x in ("tile", "cuBLAS", "thread level") if x in record["figures"][0]["us"]]
    said = {"tile": "tile level", "thread level": "[thread level](hopper_gemm.md)"}
    body = [
        (sizes(f["shape"]), *(f"{f['us'][x]:.1f} us, {f['GB/s'][x]:.0f} GB/s" for x in names))
        for f in record["figures"]
    ]
    return on(record) + rows(("shape, f16", *(said.get(x, x) for x in names)), body)


# -- docs/tile_inference.md ---


def inference_traffic(record: dict[str, Any]) -> str:
    """Bytes of one tile of C, by pipeline."""
    body = []
    for f in record["traffic"]:
        pipeline, tile = f["block"].split()
        first = sizes(tile.split("x")[:2]) if pipeline == "double-buffer" else ""
        body.append((first, pipeline, str(f["written"]), str(f["read"]), str(f["loaded"])))
    return rows(("tile", "pipeline", "LDS, written", "LDS, read", "global memory, asked for"), body)


def inference_static(record: dict[str, Any]) -> str:
    """What the code takes, with bias and SiLU."""
    body = [
        (
            block(f["block"]).partition(", ")[2],
            f["chip"],
            str(f["vgpr"]),
            str(f["spills"]),
            str(f["lds"]),
            percent(f["mca"]["ratio"]),
        )
        for f in sorted(record["figures"], key=lambda f: -int(f["block"].split()[1].split("x")[0]))
    ]
    return rows(("block", "chip", "registers", "spills", "LDS, bytes", "utilization"), body)


def inference_timed(record: dict[str, Any]) -> str:
    """Microseconds, by m."""
    names = list(record["figures"][0]["us"])
    said = {"inference": "B arranged", "cp-async": "`tile_gemm`, cp-async"}
    body = [
        (sizes(f["shape"]), block(f["block"]).partition(", ")[2], *(f"{f['us'][x]:.1f}" for x in names))
        for f in record["figures"]
    ]
    return on(record) + rows(("us of m x n x k", "block", *(said.get(x, x) for x in names)), body)


# -- docs/tile_grouped_gemm.md ---


def grouped_static(record: dict[str, Any]) -> str:
    """What the gfx942 code takes, plain and with all options."""
    found: dict[str, list[str]] = {}
    for f in record["figures"]:
        found.setdefault(f["block"], []).extend((str(f["vgpr"]), str(f["spills"]), percent(f["mca"]["ratio"])))
    return rows(("pipeline, tile", "VGPRs", "spills", "utilization", "with all, VGPRs", "spills", "utilization"),
                ((block(name), *cells) for name, cells in found.items()))  # fmt: skip


def grouped_timed(record: dict[str, Any]) -> str:
    """TFLOP/s of the fastest block, of torch and of the loop."""
    others = [x for x in ("torch grouped_mm", "loop of matmul") if x in record["figures"][0]["tflops"]]
    body = []
    for f in record["figures"]:
        best = max((x for x in f["tflops"] if x not in others), key=lambda x: f["tflops"][x])
        body.append(
            (
                f["model"],
                str(f["tokens"]),
                f"{f['n']} x {f['k']}",
                block(best),
                *(f"{f['tflops'][x]:.0f}" for x in (best, *others)),
            )
        )
    return on(record) + rows(("model", "tokens", "n x k", "fastest block", "TFLOP/s", *others), body)


# -- docs/tile_attention.md ---


def attention_static(record: dict[str, Any]) -> str:
    """What code takes."""
    busy = [f"{100 * f['utilization']:.1f} %" if "utilization" in f else "" for f in record["figures"]]
    body = [(f["code"], str(f["registers"]), str(f["spills"]), str(f["shared"]), b)
            for f, b in zip(record["figures"], busy, strict=True)]
    return rows(("code", "registers", "spills", "shared memory", "utilization of one wave"), body)


def attention_shape(shape: dict[str, Any]) -> str:
    """A shape, as the page has it."""
    few = f", {shape['kv_heads']} heads of K and V" if shape["kv_heads"] else ""
    return (
        f"{shape['batch']}, {shape['heads']}, {shape['seq']}, {shape['d']}{few}{', causal' if shape['causal'] else ''}"
    )


def attention_timed(record: dict[str, Any]) -> str:
    """TFLOP/s of every contender, and what the best of ours is of the best library."""
    found = record["figures"]
    libraries, names = ("cuDNN", "flash"), list(dict.fromkeys(x for f in found for x in f["tflops"]))
    body = []
    for f in found:
        got = f["tflops"]
        shown = [f"{got[x]:.0f}" if x in got else "" for x in names]
        ours, theirs = ([got[x] for x in got if (x in libraries) == y] for y in (False, True))
        body.append((attention_shape(f["shape"]), *shown, f"{max(ours) / max(theirs):.2f}" if theirs else ""))
    return f"{record['device']['gpu']}, TFLOP/s:\n\n" + rows(("batch, heads, seq, d", *names, "of the best library"),
                                                             body)


# -- docs/tutorial.md ---


def number(x: float, digits: int) -> str:
    """Without zeros behind the point."""
    shown = f"{x:.{digits}f}"
    return shown.rstrip("0").rstrip(".") if "." in shown else shown


def tutorial_static(record: dict[str, Any]) -> str:
    """Loads, LDS and the matrix core, by step."""
    loads = f"loads an output, K = {record['shape'][2]}"
    head = ("step", "tile, pipeline", loads, "LDS bytes read a product", "LDS cycles lost, 1000 products", "VGPRs",
            "LDS bytes", "matrix core busy")
    body = []
    for f in record["figures"]:
        tile = " x ".join(map(str, f["tile"])) or "one thread, one output"
        busy = f"{100 * f['utilization']:.1f} %" if "matrix" in f["loop"] else "not used"
        body.append(
            (
                f["step"],
                f"{tile} {f['pipeline']}".strip(),
                number(f["loads_per_output"], 3),
                number(f["lds_read_per_product"], 3),
                number(f["lost_per_1000_products"], 2),
                str(f["vgpr"]),
                str(f["lds"]),
                busy,
            )
        )
    return rows(head, body)


def tutorial_timed(record: dict[str, Any]) -> str:
    """TFLOP/s, by step."""
    best = record["tflops"]["cuBLAS"]
    body = []
    for name, x in record["tflops"].items():
        *tile, pipeline = record["blocks"].get(name, ("",))
        shown = f"{' x '.join(map(str, tile))} {pipeline}".strip()
        body.append((name, shown, number(record["us"][name], 0), number(x, 1 if x < 100 else 0), f"{x / best:.3f}"))
    m, n, k = record["shape"]
    return rows(("step", "tile, pipeline", f"us, {m} x {n} x {k}", "TFLOP/s", "of cuBLAS"), body)


# Of each page: by the name of a marker, the file of results and what makes the table.
PAGES: dict[str, dict[str, tuple[str, Callable[[dict[str, Any]], str]]]] = {
    "tile": {"gemm_static": ("tile_gemm_static", gemm_static), "gemm_timed": ("tile_gemm", gemm_timed),
             "sass": ("tile_sass", sass),
             "blocks_static": ("tile_blocks", blocks_static), "blocks_timed": ("tile_blocks_gpu", blocks_timed)},
    "tile_skinny": {"static": ("tile_skinny_static", skinny_static), "code": ("tile_skinny_static", skinny_code),
                    "timed": ("tile_skinny", skinny_timed)},
    "tile_inference": {"traffic": ("tile_inference_static", inference_traffic),
                       "static": ("tile_inference_static", inference_static),
                       "timed": ("tile_inference", inference_timed)},
    "tile_grouped_gemm": {"static": ("tile_grouped_gemm_static", grouped_static),
                          "timed": ("tile_grouped_gemm", grouped_timed)},
    "tile_attention": {"static": ("tile_attention_static", attention_static),
                       "timed": ("tile_attention", attention_timed)},
    "tutorial": {"static": ("tutorial_static", tutorial_static), "timed": ("tutorial", tutorial_timed)},
}  # fmt: skip


def path_of(page: str) -> pathlib.Path:
    """The file of a page."""
    return ROOT / "docs" / f"{page}.md"


def renewed(page: str, text: str) -> str:
    """The text of a page with its tables made from the results; one whose result is not there stays empty. Raises
    KeyError for a marker that is not known."""

    def table(found: re.Match[str]) -> str:
        file, make = PAGES[page][found[2]]
        path = RESULTS / f"{file}.json"
        return found[1] + ("\n" + make(json.loads(path.read_text())) + "\n" if path.exists() else "") + found[3]

    return MARKED.sub(table, text)


def write(page: str) -> pathlib.Path:
    """Writes a page again."""
    path = path_of(page)
    path.write_text(renewed(page, path.read_text()))
    return path


if __name__ == "__main__":
    for name in PAGES:
        print(write(name))
