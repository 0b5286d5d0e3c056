"""Pages of the intrinsics, by family, with the lane map of each matrix operand drawn."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator

from avelang.cli.pages import row_text
from avelang.isa import ROWS
from avelang.isa.row import Row
from avelang.tile import Distribution, show
from avelang.tile.distribution import fragment_of
from avelang.tile.picture import svg

# Families by the beginning of a name; the first that fits.
FAMILIES: dict[str, tuple[tuple[str, str, str], ...]] = {
    "system": (("signals", "Between GPUs", r""),),
    "al": (("atomics", "Atomic operations on every chip", r"atomic|fence"),),
    "amdgpu": (
        ("mfma", "MFMA: matrix products", r"mfma_"),
        ("smfmac", "Sparse matrix products", r"smfmac_"),
        ("buffer", "Buffers and copies to LDS", r"raw_|make_rsrc|global_load_lds|buffer|make_"),
        ("atomics", "Atomics", r".*atomic"),
        ("lanes", "Across lanes", r"ds_|dpp|mov_dpp|update_dpp|read|ballot|mbcnt|perm|writelane|swizzle"),
        ("convert", "Conversions", r"cvt_"),
        ("schedule", "Waits, priorities, scheduling", r"s_|sched_|iglp"),
    ),
    "nvvm": (
        ("mma", "mma.sync: matrix products of a warp", r"mma_"),
        ("wgmma", "wgmma: matrix products of a warpgroup", r"wgmma|setmaxnreg"),
        ("tcgen05", "tcgen05: Blackwell's tensor memory and products", r"tcgen05"),
        ("tma", "TMA: copies of boxes", r"tma_|prefetch|cp_async_bulk"),
        ("cp-async", "cp.async: copies to shared memory", r"cp_async"),
        ("ldmatrix", "ldmatrix and stmatrix", r"ldmatrix|stmatrix"),
        ("mbarrier", "mbarriers", r"mbarrier|fence_mbarrier"),
        ("cluster", "Clusters and distributed shared memory", r"cluster|mapa|ld_cluster|st_cluster|st_async"),
        ("atomics", "Atomics, ordered loads and stores", r"atomic|ld_|st_|red"),
        ("sync", "Barriers and fences", r"barrier|fence|bar_|griddep|elect"),
    ),
}
OTHER = ("other", "Further intrinsics", "")
SPACE = re.compile(r">\s+<")


def family(row: Row) -> tuple[str, str]:
    """Name and title of the family of an intrinsic."""
    short = row.name.partition(".")[2]
    name, title, _ = next((f for f in FAMILIES.get(row.namespace, ()) if re.match(f[2], short)), OTHER)
    where = "al" if row.namespace == "al" else f"al.{row.namespace}"
    return f"{row.namespace}-{name}", f"{where}: {title}"


def small(text: str) -> str:
    """An SVG of a grid in fewer bytes: what most cells say is said once, for the group."""
    text = SPACE.sub("><", text)
    text = text.replace(' stroke="#888888" stroke-width="0.5"', "").replace(' text-anchor="middle"', "")
    style = "rect{stroke:#888;stroke-width:.5}text{text-anchor:middle}text[font-weight],.n{text-anchor:start}"
    text = re.sub(r'<text (x="12"[^>]*)>', r'<text class="n" \1>', text)
    text = text.replace(' text-anchor="end"', ' style="text-anchor:end"')
    return re.sub(r"(<svg[^>]*>)", rf"\1<style>{style}</style>", text, count=1)


def maps(row: Row) -> Iterator[tuple[str, Distribution, bytes]]:
    """(operand, its distribution, a key of the map) of a matrix instruction; of `wgmma` the accumulator, 8 columns of it."""
    for letter in "abc":
        try:
            fragment = fragment_of(row, letter, 8)
            found = Distribution.from_fragment(fragment)
        except Exception as e:
            if getattr(e, "code", "") not in ("T301", "T305"):
                raise
            continue
        key = repr((fragment.lanes, fragment.slots, fragment.shape)).encode()
        yield letter, found, key + b"".join(bytes(x) for x in fragment.index)


def pages() -> dict[str, str | bytes]:
    """All pages of intrinsics and the pictures in them."""
    made: dict[str, str | bytes] = {}
    titles: dict[str, str] = {}
    members: dict[str, list[Row]] = {}
    for row in sorted(ROWS.values(), key=lambda r: r.name):
        name, title = family(row)
        titles[name] = title
        members.setdefault(name, []).append(row)
    for name, found in members.items():
        made[f"reference/intrinsics/{name}.md"] = (
            f"# {titles[name]}\n\n{LEGEND if any(r.mma for r in found) else ''}"
            + "\n".join(_entry(row, made) for row in found)
        )
    made["reference/intrinsics.md"] = _index(titles, members)
    return made


LEGEND = (
    "In the maps, `lane` is the lane and `slot` counts the elements that it holds. In the pictures T is the lane and v its element: "
    "T3 v1 is element 1 of lane 3. `ave show row NAME` draws them in the terminal.\n\n"
)


def _entry(row: Row, made: dict[str, str | bytes]) -> str:
    short = row.name.partition(".")[2]
    pictures = []
    for letter, found, key in maps(row):
        place = f"reference/intrinsics/lanes-{hashlib.sha256(key).hexdigest()[:12]}.svg"
        rows_, columns = found.shape[-2:]
        if place not in made:
            made[place] = small(svg(show.of_distribution(found, f"{rows_} x {columns}"))).encode()
        operand = "C and D" if letter == "c" else letter.upper()
        picture = f'<img loading="lazy" alt="Lanes that hold {operand} of {short}" src="{place.rpartition("/")[2]}">'
        pictures.append(
            f'??? note "Lanes of {operand}, {rows_} x {columns}"\n\n    <div class="lanes">{picture}</div>\n'
        )
    return row_text(row) + "\n" + "\n".join(pictures)


def _index(titles: dict[str, str], members: dict[str, list[Row]]) -> str:
    text = (
        "# Intrinsics\n\nInstructions of the chips, as functions of `al.amdgpu` and `al.nvvm`. Each is one row of a table in the source, from which "
        "this page, the checks of its arguments, the reference executor and the code come. `ave intrinsics NAME` shows one in the terminal.\n"
    )
    for name in sorted(members, key=lambda n: (n.partition("-")[0], n.endswith("-other"), n)):
        links = ", ".join(
            f"[`{s}`](intrinsics/{name}.md#{s})" for s in (r.name.partition(".")[2] for r in members[name])
        )
        text += f"\n## [{titles[name]}](intrinsics/{name}.md)\n\n{links}\n"
    return text
