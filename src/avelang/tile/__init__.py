"""The tile level: tile distributions, MMA layouts, real and virtual matrix products, the choice among them, and
pictures of all of these; and what kernels say with them: views, windows, tiles, products of a block and pipelines.

    from avelang import tile
    d = tile.Distribution.blocked((256, 64), al.bf16, waves=4)
    v = tile.mma("VDMFMA_F32_8x16x64x2_F16", "gfx942")
"""

from typing import TYPE_CHECKING, Any

from avelang.base.garbage import rarer_collections
from avelang.frontend.names import missing

# It makes many objects that all stay.
with rarer_collections():
    from avelang.tile.banks import Accesses, Banks, Swizzle, TileAccesses, banks, tile_accesses
    from avelang.tile.devices import device_of, on_cpu
    from avelang.tile.distribution import Distribution
    from avelang.tile.dot import accumulator, dot
    from avelang.tile.encoding import Digit, Encoding, Steps
    from avelang.tile.functions import (
        abs,
        all,
        any,
        arange,
        argmax,
        argmin,
        cast,
        cdiv,
        ceil,
        clamp,
        clz,
        cos,
        erf,
        exp,
        exp2,
        floor,
        fma,
        isfinite,
        isinf,
        isnan,
        log,
        log1p,
        log2,
        max,
        maximum,
        min,
        minimum,
        popc,
        rand,
        randint,
        randn,
        reduce,
        round,
        rsqrt,
        sigmoid,
        sign,
        sin,
        sqrt,
        sum,
        tanh,
        trunc,
        where,
        zeros,
    )
    from avelang.tile.joins import concatenate, stack
    from avelang.tile.memory import (
        atomic_add,
        atomic_and,
        atomic_max,
        atomic_min,
        atomic_or,
        atomic_xor,
        load,
        load_scalar,
        store,
    )
    from avelang.tile.mma_layout import SubgroupLayout, same_places
    from avelang.tile.pipelines import PIPELINES, Pipeline, pipeline, register_pipeline
    from avelang.tile.plans import Gemm, GemmPlan, Launch, LaunchConfig, Plan
    from avelang.tile.products import Mma, MmaAtom
    from avelang.tile.scan import argsort, cumprod, cumsum, scan, sort, topk
    from avelang.tile.schedules import Block, BlockConfig
    from avelang.tile.schedules import run as multiply
    from avelang.tile.select import PlanVerdict, Verdict, block_for, choose, gemm, padded, plan_for, split_for
    from avelang.tile.tensors import DistributedTile, Tile, full
    from avelang.tile.verify import check
    from avelang.tile.views import TensorView, View, view
    from avelang.tile.virtual import mma, mmas
    from avelang.tile.windows import Window

# fmt: off
__all__ = ["PIPELINES", "Accesses", "Banks", "Block", "BlockConfig", "Digit", "DistributedTile", "Distribution",
           "Encoding", "Gemm", "GemmPlan", "Launch", "LaunchConfig", "Mma", "MmaAtom", "Pipeline", "Plan",
           "PlanVerdict", "Steps", "SubgroupLayout", "Swizzle", "TensorView", "Tile", "TileAccesses", "Verdict", "View",
           "Window", "abs", "accumulator", "all", "any", "arange", "argmax", "argmin", "argsort", "atomic_add",
           "atomic_and", "atomic_max", "atomic_min", "atomic_or", "atomic_xor", "banks", "block_for", "cast", "cdiv",
           "ceil", "check", "choose", "clamp", "clz", "concatenate", "cos", "cumprod", "cumsum", "device_of", "dot",
           "erf", "exp", "exp2", "floor", "fma", "full", "gemm", "isfinite", "isinf", "isnan", "load", "load_scalar",
           "log", "log1p", "log2", "max", "maximum", "min", "minimum", "mma", "mmas", "multiply", "on_cpu", "padded",
           "pipeline", "plan_for", "popc", "rand", "randint", "randn", "reduce", "register_pipeline", "round", "rsqrt",
           "same_places", "scan", "sigmoid", "sign", "sin", "sort", "split_for", "sqrt", "stack", "store", "sum",
           "tanh", "tile_accesses", "topk", "trunc", "view", "where", "zeros"]
# fmt: on


if not TYPE_CHECKING:  # a checker knows all names

    def __getattr__(name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"module 'avelang.tile' has no attribute {name!r}", name=name)
        raise missing("avelang.tile", name, __all__)
