"""`ave inspect`: lines of every stage name the ops that they are made from, and those the user's lines; code is the same with numbers and without;
the page shows it, holds no markup of a kernel's, and asks nobody for anything."""

from __future__ import annotations

import json
import re

import pytest

import avelang
import avelang.language as al
from avelang import arch, errors, tile
from avelang.emit.llvm.simt_device import DeviceCompiler
from avelang.inspection import build, page, subject
from avelang.inspection.listings import assembly_lines
from avelang.llvm.core import HostCompiler
from avelang.ptx import Tile, kernel, ptx, reg
from avelang.ptx.types import f32
from avelang.runtime import compile, ptxas
from avelang.runtime.spills import sections
from avelang_kernels.matmul.mfma_gemm import mfma_gemm
from inspection.browser import dump, rows


@avelang.jit
def twice(x):
    return x + x  # of the function


@avelang.jit
def levels(p: al.Pointer(al.f32), q: al.Pointer(al.f32), n: al.i32):
    X = al.make_tensor(p, al.f32, al.make_layout((n,), (1,)))
    Y = al.make_tensor(q, al.f32, al.make_layout((n,), (1,)))
    S = al.make_shared((128,), al.f32)
    al.expect_threads(128, exact=True)
    i = al.thread_id(0)
    S[i] = X[i]  # staged
    al.syncthreads()
    acc = al.convert(0.0, al.f32)
    for k in al.range(n):
        acc = acc + S[(i + k) % 128] * 3.0  # summed
    Y[i] = twice(acc)  # stored


@avelang.constant
def spread(wave):
    return tile.Distribution.blocked((16, 64), al.f32, waves=64 // wave, wave=wave)


@avelang.jit
def tiled(p: al.Pointer(al.f32), q: al.Pointer(al.f32)):
    X, Y = tile.view(p, (16, 64), 4), tile.view(q, (16, 64), 4)
    t = X.window((16, 64), (0, 0), spread(al.target().wave)).load()  # loaded
    Y.store(t, (0, 0))


@avelang.jit
def numbers(p: al.Pointer(al.f32)):
    i = tile.arange(64)
    tile.store(p, i, tile.load(p, i) * 2.0)


@kernel(in_specs=Tile("N", f32), out_specs=Tile("N", f32), grid=lambda N: N // 32, block=32, arch="sm_80")
def doubled(x, y, *, N):
    px, py = ptx.global_ptrs(x, y)
    at = (ptx.special.ctaid.x() * 32 + ptx.special.tid.x()) * 4
    value = reg.scalar(f32)
    ptx.inst.ld.global_.f32(value, ptx.addr(px + at))
    ptx.inst.add.f32(value, value, value)  # doubled
    ptx.inst.st.global_.f32(ptx.addr(py + at), value)
    ptx.ret()


def lines_with(found, key, pattern):
    """The user's lines of the rows of a listing in which there is a pattern."""
    of_op, out = found.places(), []
    for line in next(x for x in found.listings if x.key == key).lines:
        if re.search(pattern, line.text):
            out.append([row for file, row, _ in line.places or of_op.get(line.op, ()) if file == __file__])
    return out


def said(words, file=__file__):
    with open(file) as source:
        return next(n for n, line in enumerate(source, 1) if line.rstrip().endswith("# " + words))


@pytest.mark.parametrize("target", ["gfx942", "sm_90a"])
def test_each_stage_is_linked_to_the_users_lines(target):
    found = build.inspected(subject.of_kernel(levels, {}, target))
    assert "block 128 x 1 x 1" in found.subtitle  # what the kernel says that it needs
    last = "asm" if target == "gfx942" else "ptx"
    patterns = {
        "ir": (r"\bstore\(.*shared|store\(", r"= mul\("), "passes": (r"^ *st\(", r"= mul\(.*f32"),
        "optimized": (r"^ *store float", "fmul|fma"), "llvm": (r"^ *store float", "fmul|fma"),
        last: (r"ds_write|global_store|st\.(shared|global)", r"v_(fma|mul|pk_mul)\w*f32|(fma|mul)\.rn\.f32"),
    }  # fmt: skip
    for key, (stores, product) in patterns.items():
        written = {row for rows in lines_with(found, key, stores) for row in rows[:1]}
        assert {said("staged"), said("stored")} <= written, (key, written)
        if key in ("optimized", "llvm", last):
            assert [said("summed")] in lines_with(found, key, product), key
    # The function's line stands there, with the call behind it.
    assert any(chain[:2] == [said("of the function"), said("stored")] for chain in lines_with(found, last, r"add\w*[._]f32|add\.rn\.f32"))
    facts = {x.name: x.value for x in found.facts}
    assert found.sources[__file__][said("staged") - 1].endswith("# staged")
    if target == "gfx942":
        assert facts["LDS"] == "512 bytes" and facts["spills"] == "0 VGPR, 0 SGPR"
    elif ptxas.find():
        assert facts["shared memory"] == "512 bytes" and int(facts["registers"]) > 4


def test_the_cpus_code_is_linked_down_to_its_assembly():
    found = build.inspected(subject.of_kernel(levels, {}, "cpu"))
    for key in ("llvm", "optimized", "asm"):
        linked = {row for rows in lines_with(found, key, "") for row in rows}
        assert {said("staged"), said("summed"), said("stored"), said("of the function")} <= linked, (key, linked)
    assert [said("summed")] in lines_with(found, "llvm", "fmul")
    assert any(said("staged") in rows for rows in lines_with(found, "asm", r"v?mov|ld[rp]|st[rp]"))
    assembly = next(x for x in found.listings if x.key == "asm").lines
    inside, saves = False, []
    for line in assembly:
        inside = line.text.startswith("ave_") if line.text.endswith(":") and not line.text.startswith(".") else inside
        assert inside or not line.op, line  # functions that the kernel calls are no op's
        saves += [line.op] if line.text.split()[:1] in (["pushq"], ["popq"]) else []
    assert not any(saves)


@pytest.mark.parametrize("threads, waits", [(64, False), (128, True)])
def test_the_cpus_code_is_the_same_with_numbers(threads, waits):
    made, jitted, block = [], levels if waits else numbers, (threads, 1, 1)
    for lines in (None, "ops"):
        k = compile.build(jitted.source, {}, None, block)
        k.attrs.update({"lines": lines} if lines else {})
        emitted = compile.cpu_text(k, block).text
        made.append((emitted, [x.text for x in assembly_lines(HostCompiler().assembly(emitted))]))
    assert ("presplitcoroutine" in made[0][0]) == waits
    assert made[0][1] == made[1][1]
    assert "DILocation" in made[1][0] and "DI" not in made[0][0]


def test_tiles_and_instructions():
    found = build.inspected(subject.of_kernel(tiled, {}, "gfx942"))
    assert all(said("loaded") in rows for rows in lines_with(found, "asm", "global_load|buffer_load"))
    assert any(name.endswith("windows.py") for name in found.sources), list(found.sources)
    found = build.inspected(subject.of_ptx_kernel(doubled, {"N": 64}))
    assert lines_with(found, "ptx", r"add\.f32") == [[said("doubled")]]
    if any(x.key == "sass" for x in found.listings):
        assert lines_with(found, "sass", "FADD") == [[said("doubled")]]
    with pytest.raises(errors.AveError, match="L042"):
        subject.of_ptx_kernel(doubled, {})


HOSTILE = """
import numpy as np
import avelang
import avelang.language as al

@avelang.jit
def evil(p: al.Pointer(al.f32), TEXT: al.constexpr):
    X = al.make_tensor(p, al.f32, al.make_layout((64,), (1,)))
    # </script><script>document.body.dataset.evil = "1"</script><img src=x onerror=alert(1)> &lt;b&gt; \u2028
    X[al.thread_id(0)] = 1.0 if TEXT else 2.0

def both():
    x = np.zeros(64, np.float32)
    for value in ("<b>", ""):
        evil[(1, 64)](x, value)
    assert not x.any()  # nothing ran
"""


@pytest.fixture
def hostile(tmp_path):
    file = tmp_path / "evil.py"
    file.write_text(HOSTILE, encoding="utf-8")
    return file


def data_of(text):
    return json.loads(text.split('<script type="application/json" id="data">')[1].split("</script>")[0])


def test_tiles_that_take_the_block_of_the_command():
    for threads in (64, 128):
        assert build.inspected(subject.of_kernel(numbers, {}, "gfx942", (threads, 1, 1))).subtitle.count(f"block {threads} x")


def test_the_block_is_that_of_the_launches_in_the_file(ave, tmp_path):
    file = tmp_path / "launched.py"
    file.write_text("import avelang\nimport avelang.language as al\n\n\n@avelang.jit\ndef one(p: al.Pointer(al.f32)):\n"
                    "    al.make_tensor(p, al.f32, al.make_layout((192,)))[al.thread_id(0)] = 1.0\n\n\nTHREADS = 192\n\n\n"
                    "def run(p):\n    one[4, THREADS](p)\n", encoding="utf-8")  # fmt: skip
    found = json.loads(ave("inspect", f"{file}:one", "--json").stdout)
    assert "block 192 x 1 x 1" in found["subtitle"]
    assert json.loads(ave("report", f"{file}:one", "--json").stdout)["block"] == [192, 1, 1]


def test_a_kernels_text_is_never_markup(ave, hostile, tmp_path):
    out = tmp_path / "evil.html"
    result = ave("inspect", f"{hostile}:evil", "-D", "TEXT='</script><b id=evil>'", "-o", out)
    assert result.exit_code == 0 and "evil on gfx942" in result.stdout, result.stderr
    text = out.read_text()
    assert text.count("<script") == 2 and "<img" not in text and "<b id" not in text and "\u2028" not in text
    data = data_of(text)
    assert any("onerror=alert(1)> &lt;b&gt;" in line for line in data["sources"][0])
    assert not re.search(r"(src|href)=|https?://|@import|url\(", text.split('id="data">')[0])  # asks no other place
    shown = dump(out, "py0:9")
    assert "data-evil" not in shown and "<img" not in shown.split('<script type="application/json"')[0]
    assert any("onerror=alert(1)&gt; &amp;lt;b&amp;gt;" in t for _, t in rows(shown))


def test_a_line_lights_up_what_it_became(tmp_path):
    out = tmp_path / "levels.html"
    out.write_text(page.page(build.inspected(subject.of_kernel(levels, {}, "gfx942"))))
    shown = rows(dump(out, f"py0:{said('stored')}", "2200,1400"))
    strong = [t for kind, t in shown if "strong" in kind]
    assert any("Y[i] = twice(acc)" in t for t in strong) and any("global_store" in t for t in strong)
    assert any(t.strip().startswith("st(") for t in strong) and any("store float" in t for t in strong)
    assert not any("ds_write" in t for t in strong)
    # And back, as the script finds it: the row's site has the line.
    data = data_of(out.read_text())
    asm = next(x for x in data["listings"] if x["key"] == "asm")
    at = next(n for n, t in enumerate(asm["text"]) if "ds_write" in t)
    file, line = data["places"][data["sites"][asm["site"][at]][0]]
    assert data["sources"][file][line - 1].endswith("# staged") and asm["op"][at] > 0


def test_commands(ave, hostile, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = ave("inspect", f"{hostile}:both", "--json")
    assert result.exit_code == 0 and "launches: 1 evil, 2 evil" in result.stderr, result.stderr
    first = json.loads(result.stdout)
    assert (first["kernel"], first["target"]) == ("evil", "gfx942") and "grid 1 x 1 x 1" in first["subtitle"]
    stores = [line for x in first["listings"] if x["key"] == "asm" for line in x["lines"] if "global_store" in line["text"]]
    assert stores and all(line["places"] == [[str(hostile), 10]] and line["op"] for line in stores)
    result = ave("inspect", f"{hostile}:both", "--launch", "2", "--target", "sm_80")
    assert result.exit_code == 0 and (tmp_path / "evil-sm_80.html").is_file() and not result.stderr.startswith("launches")
    assert "TEXT = &#x27;&#x27;" in (tmp_path / "evil-sm_80.html").read_text()
    for what, words in (
        (f"{hostile}:none", "has no kernel or function `none`"),
        ("none.py:x", "there is no file none.py"),
        ("avelang.none:x", "no module avelang.none"),
        (f"{hostile}:evil", "L006"),
    ):
        result = ave("inspect", what)
        assert result.exit_code == (1 if words == "L006" else 2) and words in result.stderr, (what, result.stderr)
    result = ave("inspect", f"{hostile}:both", "--kernel", "other")
    assert result.exit_code == 1 and "launches: 1 evil, 2 evil" in result.stderr


def code_of(text):
    keep = (line.partition("//")[0].rstrip() for line in text.splitlines())
    return [x for x in keep if x and not re.match(r"\s*\.(loc|file|section)|(\$L__|\.L)(tmp|func_begin|func_end)\d+:", x)]


@pytest.mark.parametrize("jitted, chip", [(levels, "gfx942"), (levels, "sm_90a"), (mfma_gemm, "gfx90a"), (tiled, "sm_80")],
                         ids=lambda x: getattr(x, "__name__", x))
def test_code_is_the_same_with_numbers_and_without(jitted, chip):
    block = subject.of_kernel(jitted, {}, chip).block
    made, device = [], DeviceCompiler(arch.chip(chip))
    for lines in (None, True, "ops"):
        k = compile.build(jitted.source, {}, chip)
        k.attrs.update({"lines": lines} if lines else {})
        made.append(compile.gpu_program(k, block, arch.chip(chip)).text)
    if chip.startswith("gfx"):
        texts = [sections(device.object(text))[".text"] for text in made]
    else:
        texts = ["\n".join(code_of(device.assembly(text))) for text in made]
        if tool := ptxas.find():
            codes = [sections(ptxas.assemble(tool, device.assembly(x), chip, jitted.source.name)[0]) for x in made[1:]]
            name = f".text.{jitted.source.name}"
            assert codes[0][name] and codes[0][name] == codes[1][name]
    assert texts[0] and texts[0] == texts[1] == texts[2]
    assert "DILocation" not in made[0] and made[1] != made[2]
