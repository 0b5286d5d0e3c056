"""`ave explain ...`: a GEMM's size comes in; the plan that is chosen for it, the alternatives and why not they, with
counts, go out."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import click

from avelang.cli.compile import Chip
from avelang.cli.console import json_option, show_json

if TYPE_CHECKING:
    from avelang.tile import GemmPlan, PlanVerdict


@click.group()
def explain() -> None:
    """Say how a matrix product would be computed, and why."""


@explain.command("gemm")
@click.argument("m", type=click.IntRange(1))
@click.argument("n", type=click.IntRange(1))
@click.argument("k", type=click.IntRange(1))
@click.option("--dtype", default="f16", show_default=True, help="Of A and B: f16, bf16, i8, fp8, f32, ...")
@click.option("--target", type=Chip(), metavar="CHIP", default="gfx942", show_default=True, help="The chip.")
@click.option("--preshuffled", is_flag=True, help="B lies in memory as its fragments do, and can skip shared memory.")
@click.option("--all", "everything", is_flag=True, help="All candidates, not the best of each kind.")
@click.option("--compile", "compiled", is_flag=True, help="Compile the chosen block, and say what its code takes.")
def gemm_command(m: int, n: int, k: int, dtype: str, target: str, preshuffled: bool, everything: bool,
                 compiled: bool) -> None:
    """The plan for C (M x N) = A (M x K) B (K x N), in IREE's terms, beside the padded one, and the block for a kernel
    of the tile level.

    mma_kind: the matrix product. workgroup: a block's tile of C. subgroup: tiles of the matrix product in one wave.
    reduction: of those along K in a step of the loop. promote_operands: operands that pass through shared memory."""
    from avelang import tile
    from avelang.base.errors import AveError
    from avelang.cli.console import show_error

    try:
        problem = tile.gemm(m, n, k, dtype, target, preshuffled)
        best, verdicts = tile.choose(problem)
        other = tile.padded(problem)
        code = _compiled(best) if compiled else ""
    except AveError as exc:
        exc.span = None  # the line is one of Ave's
        show_error(exc)
        raise SystemExit(1) from None
    console = _console()
    console.print(f"[bold]C ({m} x {n}) = A ({m} x {k}) B ({k} x {n}), {problem.dtype}, on {target}[/bold]\n")
    plans = [("chosen", best)]
    if other is not None and (other.mma.name, other.workgroup, other.split_k) != (best.mma.name, best.workgroup,
            best.split_k) and m <= 16:
        plans.append(("padded", other))
    console.print(_plans(plans))
    said = [x for x in (best.relation, spelled(best), _launched(best)) if x]
    console.print("\n" + "\n".join(said), highlight=False, markup=False, soft_wrap=True)
    if code:
        console.print(code, highlight=False, markup=False, soft_wrap=True)
    console.print()
    console.print(_candidates(verdicts if everything else _of_each_kind(verdicts)))
    if not everything:
        console.print(f"\n{len(verdicts)} candidates in all: --all shows them", style="dim")


def _console() -> Any:
    """That of standard output, wide where it is no terminal."""
    from avelang.cli.console import out

    console = out()
    if not console.is_terminal:
        console.width = 200
    return console


def spelled(p: GemmPlan) -> str:
    """The block as one writes it; defaults are left out."""
    import dataclasses

    block = p.block()
    named = [
        f"{f.name}={getattr(block, f.name)!r}"
        for f in dataclasses.fields(block)[3:]
        if f.default is not dataclasses.MISSING and getattr(block, f.name) != f.default
    ]
    return f"tile.Block({', '.join([str(block.m), str(block.n), str(block.k), *named])})"


def _launched(p: GemmPlan) -> str:
    launch = p.launch
    parts = f", each tile of C by {launch.split_k} parts of K" if launch.split_k > 1 else ""
    cluster = f", in clusters of {launch.cluster}" if launch.cluster > 1 else ""
    return f"launch: {launch.grid} blocks of {launch.threads} threads{cluster}{parts}"


def _compiled(p: GemmPlan) -> str:
    """What the code of the block GEMM takes with the plan's block, beside what the plan says."""
    from avelang.arch import chip
    from avelang.base.errors import AveError
    from avelang_kernels.matmul.tile_gemm import build

    g, block, launch = p.gemm, p.block(), p.launch
    constants = {"EACH": 16 // g.dtype.bytes, "WIDE": 4}
    kernel = build(block, g.dtype, g.accumulator)
    if chip(g.target).vendor == "nvidia":
        found = kernel.report(g.target, (launch.threads, 1, 1),
                              cluster=(launch.cluster, 1, 1) if launch.cluster > 1 else None, **constants)
        takes = f"{found.registers} registers, {found.stored + found.loaded} bytes of spills"
        return (
            f"compiled by ptxas: {takes}, {found.shared + found.dynamic} bytes of shared memory (the plan: "
            f"{p.lds_bytes})"
        )
    from avelang.amdgcn.mca import utilization
    from avelang.amdgcn.report import report
    from avelang.runtime.compile import compile_text

    text = compile_text(kernel, constants, (launch.threads, 1, 1), g.target, "asm")
    made = report(text)
    spills = made.vgpr_spills + made.sgpr_spills
    takes = f"{made.vgpr} VGPRs, {made.agpr} AGPRs, {spills} spills, {made.lds} bytes of LDS (the plan: {p.lds_bytes})"
    planned = f" (the plan: {p.share:.1%})" if p.grid else ""
    try:
        busy = utilization(text, g.target)
        said = (
            "no loop"
            if busy is None
            else f"matrix pipe busy {busy.ratio:.1%} of the main loop, one wave, by llvm-mca{planned}"
        )
    except AveError as exc:  # llvm-mca is not there
        said = exc.message
    return f"compiled: {takes}; {said}"


def _config(p: GemmPlan) -> str:
    return "\n".join(f"{name} = {value}" for name, value in p.lowering_config().items())


def _counts(p: GemmPlan) -> dict[str, str]:
    units = p.gemm.units
    takes = p.step_cycles
    return {
        "instructions": " + ".join(
            f"{p.mma.natives.count(x)} {x.partition('.')[2]}" for x in dict.fromkeys(p.mma.natives)
        ),
        "workgroups": f"{p.workgroups} of {p.waves} waves, on {units} units: busy {p.busy:.1%} of the time",
        "steps of K": f"{p.steps} of {p.step}",
        "matrix-pipe cycles": f"{p.matrix_cycles}",
        "bytes read from LDS": f"{p.lds_read}",
        "LDS of a workgroup": f"{p.lds_bytes} bytes",
        "registers of a lane": f"{p.registers}",
        "model, cycles of a step": ", ".join(f"{name} {value:.0f}" for name, value in takes.items()),
        "model, cycles": f"{p.cycles:.0f}",
        "model, matrix pipes": f"busy {p.matrix_busy:.1%} of the time",
    }


def _plans(plans: list[tuple[str, GemmPlan]]) -> Any:
    from rich.table import Table

    table = Table("", *(name for name, _ in plans), box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_row("lowering_config", *(_config(p) for _, p in plans))
    table.add_row()
    counts = [_counts(p) for _, p in plans]
    for name in counts[0]:
        table.add_row(name, *(c[name] for c in counts))
    return table


def _of_each_kind(verdicts: list[PlanVerdict]) -> list[PlanVerdict]:
    """The first of each matrix product among those kept, and among those dropped, for each reason."""
    seen: dict[tuple[Any, ...], PlanVerdict] = {}
    for v in verdicts:
        seen.setdefault((v.plan.mma.name, v.kept, "" if v.kept else v.reason), v)
    return list(seen.values())


def _candidates(verdicts: list[PlanVerdict]) -> Any:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for name in ("", "MMA", "workgroup", "split K", "pipeline", "why"):
        table.add_column(name, no_wrap=name != "why")
    for v in verdicts:
        p = v.plan
        style = "bold green" if v.reason == "chosen" else "" if v.kept else "dim"
        shape = "x".join(map(str, p.workgroup))
        table.add_row("kept" if v.kept else "dropped", p.mma.name, shape, str(p.split_k), p.pipeline.name, v.reason,
                      style=style)
    return table


@explain.command("mmas")
@click.option("--target", type=Chip(), metavar="CHIP", default="gfx942", show_default=True, help="The chip.")
@json_option("Print a JSON list: name, instructions, and the layout of each operand.")
def mmas_command(target: str, as_json: bool) -> None:
    """List the matrix products of a chip, real and virtual, with their layouts."""
    from rich.table import Table

    from avelang import tile
    from avelang.base.errors import AveError
    from avelang.cli.console import show_error

    try:
        found = tile.mmas(target)
    except AveError as exc:
        show_error(exc)
        raise SystemExit(1) from None
    if as_json:
        show_json([{"name": m.name, "instructions": list(m.natives),
                    "operands": {n: None if x is None else dataclasses.asdict(x) for n, x in m.layouts().items()}}
                   for m in found])  # fmt: skip
        return
    table = Table("MMA", "instructions", "operand", "outer", "thread", "tstrides", "element", box=None, pad_edge=False)
    for m in found:
        names = " + ".join(f"{m.natives.count(x)} {x.partition('.')[2]}" for x in dict.fromkeys(m.natives))
        for i, (operand, layout) in enumerate(m.layouts().items()):
            held = getattr(m, operand)
            words = ["in shared memory" if held is None else "an encoding of its own", "", "", ""]
            if layout is not None:
                words = [",".join(map(str, x)) for x in (layout.outer, layout.thread, layout.tstrides, layout.element)]
            table.add_row(*((m.name, names) if i == 0 else ("", "")), operand, *words)
    _console().print(table)


@explain.command("matmul")
@click.argument("m", type=click.IntRange(1))
@click.argument("n", type=click.IntRange(1))
@click.argument("k", type=click.IntRange(1))
@click.option("--chip", "--target", type=Chip(), metavar="CHIP", default="sm_90a", show_default=True,
              help="The chip, or cpu.")  # fmt: skip
@click.option("--dtype", type=click.Choice(("bf16", "f16", "f32")), default="bf16", show_default=True,
              help="Of a and b.")  # fmt: skip
@click.option("--out", type=click.Choice(("bf16", "f16", "f32")), help="Of the result; that of a and b if not given.")
@click.option("--order", type=click.Choice(("NN", "NT", "TN", "TT")), default="NN", show_default=True,
              help="Storage of a and b: N by rows, T by columns; weights of (n, k) are b of order T.")  # fmt: skip
@click.option("--lda", type=click.IntRange(1), help="Elements from line to line of a, where lines have gaps.")
@click.option("--ldb", type=click.IntRange(1), help="The same of b.")
@click.option("--units", type=click.IntRange(1), help="Compute units of the GPU; those of the chip's usual product.")
@click.option("--device", metavar="NAME", help="The device's name in tables of tuned tiles; the chip's usual product.")
@click.option("--bias", is_flag=True, help="With a bias or an activation.")
@click.option("--invariant", is_flag=True, help="As inside of ops.invariant().")
@click.option("--batch", type=click.IntRange(1), default=1, show_default=True,
              help="Products of that size, whose matrices lie at equal distances.")  # fmt: skip
def matmul_command(m: int, n: int, k: int, chip: str, dtype: str, out: str | None, order: str, lda: int | None,
                   ldb: int | None, units: int | None, device: str | None, bias: bool, invariant: bool,
                   batch: int) -> None:
    """The kernel that ops.matmul runs for a (M x K) @ b (K x N), its tile, and what is copied before it."""
    from avelang import arch
    from avelang.base.errors import AveError
    from avelang.cli.console import show_error
    from avelang_kernels.matmul import choice

    names = {"bf16": "bfloat16", "f16": "float16", "f32": "float32"}
    for what, given, line in (("--lda", lda, k if order[0] == "N" else m), ("--ldb", ldb, n if order[1] == "N" else k)):
        if given is not None and given < line:
            raise click.BadParameter(f"a line has {line} elements, more than {given}", param_hint=what)
    try:
        on = "gfx942" if chip == "cpu" else chip
        a = choice.description(m, k, names[dtype], order[0] == "T", lda or 0)
        # The rule's b is (n, k): columns of the user's are its rows.
        b = choice.description(n, k, names[dtype], order[1] == "N", ldb or 0)
        c = choice.description(m, n, names[out or dtype])
        name = device or ("" if chip == "cpu" else choice.usual_device(on))
        known = units or arch.product(on, "the choice of a plan").count
        asked = choice.Question(on, known, name, bias, invariant, chip == "cpu")
        plan, launches = choice.batched_plan(a, b, c, batch, asked)
        us = choice.modeled(plan, a, b, c, asked) if batch == 1 else None
    except AveError as exc:
        exc.span = None  # the line is one of Ave's
        show_error(exc)
        raise SystemExit(1) from None
    why = {"rule": "by the model of the chip", "tuned": f"tuned for {name}",
           "invariant": "alike for any number of rows"}  # fmt: skip
    said = [f"a ({m} x {k}) @ b ({k} x {n}), {dtype}, {order}, on {chip} with {known} units", "",
            f"kernel: avelang_kernels.matmul.{plan.kernel}", f"choice: {plan.choice}", f"chosen: {why[plan.by]}",
            f"copies: {', '.join(plan.copies) or 'none'}"]  # fmt: skip
    if bias:
        said.append("bias, activation: " + ("in the kernel's epilogue" if plan.ends else "another pass"))
    if batch > 1:
        said.append(f"launches: {launches}, for {batch} products")
    if us is not None:
        said.append(f"model: {us:.1f} us, copies apart")
    click.echo("\n".join(said))
