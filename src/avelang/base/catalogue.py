# long: one table, an entry for each error
"""The catalogue of errors: one coded template each, with its hint. Each code is triggered by a test in
tests/errors/."""

from __future__ import annotations

from typing import NamedTuple


class Template(NamedTuple):
    """A message with its hint; names in braces are filled in."""
    message: str
    hint: str = ""


CATALOGUE: dict[str, Template] = {
    # S: syntax that the language does not have.
    "S001": Template("{what} is not part of the language", "{instead}"),
    "S002": Template(
        "the source text of `{name}` cannot be found in {file}",
        "a kernel is built from its text: write it in a file, a cell of a notebook or after `python -c`; for text "
        "that a program makes, write a file, or put its lines into linecache.cache",
    ),
    "S003": Template("{got} is no plain Python function", "decorate a function defined with `def`"),
    "S004": Template("`{name}` is no struct: {why}", "{hint}"),
    "S005": Template(
        "`{name}` cannot be a compile-time constant: {why}",
        "put @avelang.constant above @dataclasses.dataclass(frozen=True), or on a pure function"
    ),
    "S006": Template(
        "the text of `{name}` in {file} is not what Python runs: the file was changed after it was imported",
        "start the program again, or importlib.reload the module; a kernel is never built from text that was not "
        "imported",
    ),
    # S2: text of PTX.
    "S201": Template("PTX, line {line}, column {column}: {why}"),
    "S202": Template("PTX has no instruction `{name}`"),
    "S203": Template("`{name}`: {what}"),
    "S204": Template("`{name}`: {why}"),
    "S205": Template("nothing goes to the label `{name}`"),
    "S206": Template("`{name}` is declared nowhere", "{instead}"),
    "S207": Template(
        "there is no target {name!r}",
        "a target is sm_ with two or three digits, and `a` or `f` behind them for what one generation has for itself"
    ),
    "S208": Template("`{name}`: operand {number} is {got}, and must be {want}"),
    "S209": Template("`{name}`: operand {number}, {got}, does not fit .{kind}: it becomes {cut}"),
    "S210": Template("{what} `{name}` is declared twice: there is {other} of that name in line {first}",
                     "give one of them another name"),
    "S211": Template("PTX {version} does not have the target {target}", "{instead}"),
    "S212": Template("{what} `{name}`: {why}"),
    "S213": Template("{what} has {got} bytes of {memory}, and {chip} has {most}", "{instead}"),
    "S214": Template("a call of `{name}`: {why}", "its declaration is in line {line}"),
    "S215": Template("the guard `{name}` is of .{kind}, and must be a predicate", "compare it by setp first"),
    # T00: names, calls and parameters of the language.
    "T001": Template("unknown name {name!r}", "{hint}"),
    "T002": Template("{name!r} is used before it has a value",
                     "a name that is assigned anywhere in a function belongs to that function"),
    "T003": Template("{callee} takes {want}, {got} given"),
    "T004": Template("{name} works only inside a kernel",
                     "call it in a function decorated with @avelang.jit, and launch that"),
    "T005": Template("unknown name {name!r} in the annotation of {param!r}"),
    "T006": Template("the annotation of {param!r} cannot be evaluated: {why}"),
    "T007": Template("parameter {param!r} {got}",
                     "use a dtype (al.i32), al.Tensor(shape, dtype), al.Pointer(dtype) or al.constexpr"),
    "T008": Template(
        "{name!r} is a {kind}, which a kernel cannot capture",
        "compile-time values are ints, floats, bools, strings, dtypes, layouts and tuples of them; pass anything "
        "else as a parameter",
    ),
    "T009": Template("{base} has no attribute {name!r}", "{hint}"),
    "T010": Template(
        "{base} may change at any time, so a kernel cannot read {name!r} of it",
        "use a name of the module, an item of a named tuple, or a member of an Enum",
    ),
    # T01: names where control flow meets, compile-time values.
    "T011": Template("{name!r} has a value on one path only", "give it a value before the `if`"),
    "T012": Template("{name!r} is not one thing here: {why}",
                     "use a different name on each path, or convert to one type"),
    "T013": Template("the two sides of a conditional expression do not meet: {why}", "convert both to one type"),
    "T014": Template("{name!r} changes in the loop: {why}", "convert it before the loop, or use another name inside"),
    "T015": Template("{name!r} gets its first value in a loop {why}", "give it a value before the loop"),
    "T016": Template("{what} on compile-time values: {why}"),
    "T017": Template("{what} must be known at compile time, not {got}",
                     "use a literal, an al.constexpr parameter or a global constant"),
    "T018": Template("{got:n value} cannot be unpacked into {want:n name}"),
    "T019": Template("{got} cannot be unpacked"),
    # T02: types of operands.
    "T020": Template("{what}: {have} does not become {want} by itself", "say al.convert(value, al.{want})"),
    "T021": Template("the constant {number!r} does not fit {dtype}"),
    "T022": Template("{what} must be {want}, not {got}"),
    "T023": Template("`{op}` does not work on {a} and {b}"),
    "T024": Template("the exponent of a run-time value must be a compile-time int from 1 to 64"),
    "T025": Template("`{op}` does not work on {dtype}"),
    "T026": Template("a shift by {count:n bit} is outside of {dtype}"),
    "T027": Template("`{op}` on vectors of different shapes: {a} and {b}"),
    "T028": Template("a condition must be one number, not {got}", "compare it, or use al.select element by element"),
    "T029": Template("{got} has no elements to index"),
    # T03: shapes, layouts, dtypes.
    "T030": Template("{got} cannot be {what} of a layout", "extents are integers from 1, strides integers from 0"),
    "T031": Template("strides {strides} are not nested like the shape {shape}",
                     "each mode of the shape pairs with one of the strides"),
    "T032": Template("{what} needs a dtype, not {got}", "such as al.f32 or al.i32"),
    "T033": Template("an alignment must be a power of two in bytes, not {got}"),
    "T036": Template("{got}: {why}", "boxes of arrays are copied as the CUDA driver's cuTensorMapEncodeTiled allows"),
    "T034": Template("{callee} needs al.Tensor(...), or a dtype and a layout, not {got}"),
    "T035": Template("{callee} needs a layout, not {got}", "make one with al.make_layout(shape, strides)"),
    # T04: indices, reading and writing tensors.
    "T040": Template("an index must be an integer, not {got}"),
    "T041": Template("index {index} is outside the extent {extent} of axis {axis}",
                     "indices run from 0; a negative one does not count from the end"),
    "T042": Template("{got:n index/indices} cannot index a tensor of shape {shape}"),
    "T043": Template("a tensor of shape {shape} ({n:n element}) cannot be read as one value", "index it"),
    "T044": Template("{got} cannot be stored into", "use al.make_local, al.make_shared or an argument"),
    "T045": Template("a value of shape {got} does not fit {want}"),
    "T046": Template("a tensor of shape {shape}, known only at run time, cannot be a value",
                     "index it element by element"),
    "T047": Template("a view as {shape} of {dtype} has {want:n byte}, what it views has {have}"),
    "T048": Template("al.subview of a tensor of shape {shape}: {offsets:n offset} and {sizes:n size} do not match its "
                     "modes"),
    "T049": Template(
        "this name holds a part (of shape {shape}) of a tensor whose extents are known only at run time: a store "
        "would change the tensor itself",
        "index the tensor itself, or name the sub-tensor by al.subview",
    ),
    # T05: loops and statements.
    "T050": Template("a loop cannot run over {got}", "use al.range(...), range(...) or a tuple"),
    "T051": Template("a bound of al.range must be an integer, not {got}"),
    "T052": Template("a bound or step of al.range does not fit {dtype}, the type of its run-time bounds",
                     "convert them to a signed type"),
    "T053": Template("assertion failed at compile time: {message}"),
    "T054": Template("the kernel `{name}` cannot return a value", "store it into a tensor"),
    "T055": Template("a comprehension runs over compile-time items, not over {got}",
                     "use range(...) or a tuple; write a loop with al.range"),
    "T056": Template("the statement `{text}` does nothing"),
    # T06: calls.
    "T060": Template("{callee} has no parameter {name!r}", "it is {shown}"),
    "T061": Template("{callee} gets {name!r} twice"),
    "T062": Template("`{name}` is a plain Python function", "decorate it with @avelang.jit to call it from a kernel"),
    "T063": Template("`{name}` cannot be called here: it is {got}"),
    "T064": Template("`{name}` works on compile-time values only"),
    "T065": Template("`{name}` works on compile-time values only", "say al.convert(value, {dtype})"),
    "T066": Template("`range` needs compile-time bounds", "use al.range for a loop at run time"),
    "T067": Template("the dimension of al.{name} must be 0, 1 or 2, not {dim}"),
    "T068": Template("the width of a shuffle must be a power of two up to 64, not {width}"),
    "T069": Template("the step of al.range must not be 0"),
    "T070": Template("{got} has {bits:n bit}, which is no whole number of {dtype} ({want} bits)"),
    "T071": Template("al.{name} is not defined on {dtype}", "convert to a float first: al.convert(x, al.f32)"),
    "T072": Template("`{name}` calls itself", "a device function is built in place of its call; use a loop"),
    "T073": Template("`{name}` does not return a value on every path"),
    "T075": Template("`{name}` returns different things: {why}", "return one type and shape on every path"),
    "T076": Template("a shuffle over {width:n lane}: a wave of {chip} has {wave}",
                     "leave the width out to shuffle over the whole wave"),
    "T074": Template("kernel `{kernel}` needs a compile-time value for {name!r}"),
    # T08: printf.
    "T080": Template("al.printf has no conversion {spec!r}",
                     "conversions are %d %i %u %x %X %o %c %e %f %g, %s for compile-time strings, and %%"),
    "T081": Template("al.printf: the format wants {want:n argument}, {got} given"),
    "T082": Template("al.printf: {spec} needs {want}, not {got}"),
    # T09: structs and compile-time objects.
    "T090": Template("the struct {cls} has no field {name!r} to store into", "its fields are {fields}"),
    "T091": Template("{name!r} is not known here: {why}", "store into one of them only, or use one name for both"),
    "T092": Template("a struct {cls} cannot hold itself, not even through {name!r}"),
    "T093": Template("{name!r} changes in the condition of a `while`", "change it in the body of the loop"),
    "T094": Template("`{name}` gives {got}, which is no compile-time value",
                     "return numbers, strings, dtypes, layouts, constants or tuples of them"),
    "T095": Template("the struct {cls} has no method {name}"),
    # T22, T23: the instruction level (avelang.ptx). Names, registers, operands.
    "T221": Template("{what} must be {want}, not {got}"),
    "T222": Template(
        "{name} cannot have the operand {got}",
        "operands are registers, numbers, ptx.addr(...), lists for braces, tuples for p|q, None for _"
    ),
    "T223": Template("a register cannot be called {name!r}: {why}"),
    "T224": Template("label {name!r}: {why}"),
    "T225": Template("{got} is no predicate",
                     "compare registers, or make one by reg.pred() and setp; ptx.not_(p) negates it"),
    "T226": Template("{name} under a second predicate",
                     "an instruction has one guard: combine predicates by & and |, or use ptx.if_"),
    "T227": Template(
        "{got} has no value while the kernel is traced, so Python's `if`, `while`, `and` and `not` cannot ask for it",
        "ptx.if_(p), ptx.when(p) and ptx.loop() decide when the kernel runs",
    ),
    "T110": Template("{got} has no value while the kernel is traced, so Python cannot {what}"),
    "T111": Template("ptx has no `{name}`"),
    "T228": Template("a register of {got} cannot be taken for {want}", "x.to(type) converts"),
    "T229": Template("the number {value} is none of {type}"),
    "T230": Template("`{op}` does not work on {a} and {b}: {why}"),
    "T231": Template("`{op}` does not work on {type}", "ptx.inst has all instructions"),
    "T232": Template("{name}: {why}"),
    "T233": Template("{got} is no address: {why}"),
    "T234": Template("shared memory of shape {shape}, {got}: {why}"),
    "T235": Template("there are no arrays of {got}", "a Tile has one of {known}"),
    "T236": Template("the kernel `{kernel}` is traced inside of `{inside}`", "launch kernels outside of kernels"),
    "T237": Template(
        "`{kernel}` has {want:n spec}, {inputs} of inputs and {outputs} of outputs, and these parameters: {got}",
        "a parameter for each input, then one for each output; sizes go behind a star: def kernel(A, B, D, *, M, N)",
    ),
    "T238": Template("`{kernel}`: the size {symbol!r} is that of no input", "inputs have {known}"),
    "T239": Template("`{name}` cannot read a special register", "mov and cvt can: reg.from_(ptx.special.tid.x())"),
    "T240": Template("{got} belongs to the kernel `{kernel}`, and this is another",
                     "a kernel makes its own registers, anew for each trace"),
    "T241": Template("{name}: {why}"),
    # T1: intrinsics.
    "T102": Template("`{name}` does not work on {dtype}", "it works on {have}"),
    "T101": Template("{what} must be {allowed}, not {got}"),
    # T2: operands of PTX instructions.
    "T201": Template("`{name}` takes {want} operands, not {got}", "they are: {order}"),
    "T202": Template("`{name}`: operand {number}, `{got}`, is wrong: {why}", "it takes {want}"),
    # T3: the tile level.
    "T301": Template("{what} must be {want}, not {got}"),
    "T302": Template("{what} is {got}: {why}",
                     "majors: 0 is Rs, 1 and up are the dimensions of Hs; minors count the entries of one of them"),
    "T303": Template("{what} {how}", "each entry of Rs and Hs belongs to one P or to one Y"),
    "T304": Template("{what}: {product}, but {want}"),
    "T305": Template("{what} is no tile distribution: {why}"),
    "T306": Template("{what}: {why}",
                     "outer * thread * element is the tile's extent in each dimension; threads stand tstrides lanes "
                     "apart"),
    "T307": Template("{name}: {why}"),
    "T308": Template("{got} cannot be shown: {why}", "{instead}"),
    "T310": Template(
        "vector={vector} promises what this view does not have: {why}",
        "so many neighbors along the last dimension, from multiples of it on, must lie side by side, all inside or "
        "all outside: leave vector out, or "
        "give one that divides extents and strides (math.gcd(n, 8))",
    ),
    "T340": Template(
        "al.{name} needs a kernel with a parameter of type al.Ranks",
        "add one, as in `def kernel(x: ..., team: al.Ranks)`, and pass what avelang.dist gives for the launch",
    ),
    "T341": Template(
        "this is {got}: {why}",
        "signals[i].at(rank).send(epoch) or .add(count) tells a rank, signals[i].wait(at_least, rank) waits for one, "
        "and signals[i].value() gives the epoch that is there",
    ),
    "T311": Template(
        "this kernel expects {what}{got}",
        "it says so by al.expect, or by a promise such as `vector`: keep it, or leave the promise out"
    ),
    "T312": Template(
        "a view of a tensor map cannot be {how}: the copy engine goes by the map alone",
        'give the launch the part of the array that is meant (`x[:rows]` makes a map of its own), or take a pointer '
        'and another pipeline than "tma"',
    ),
    "T313": Template(
        'B of the pipeline "preshuffled" does not lie as `preshuffle` wrote it: {why}',
        "its view is tile.view(b, (n, k), vector), without strides, of the flat array that T.on(chip, "
        "dtype).preshuffle(b) gives",
    ),
    "T203": Template("`{name}`: {why}",
                     "a call is: call (result), function, (arguments), prototype; of these only the function must "
                     "be there"),
    "T320": Template(
        "the operand `{operand}` of `{name}` differs among the lanes of a wave, and hardware takes one for all of them",
        "{instead}"
    ),
    # U0: valid code that is too much.
    "U001": Template("a loop of {trips:n trip} is too long to unroll (at most {most})", "use al.range"),
    "U002": Template("this is nested too deeply to be built",
                     "use al.range for long loops that may be left early, and shorter expressions"),
    # U1: intrinsics and chips.
    "U101": Template("there is no chip {name!r}", "Ave knows {known}"),
    "U102": Template("no one chip has all of these intrinsics: {names}",
                     "split the kernel, or give target= and use what that chip has"),
    "U110": Template("{name} does not exist on {chip}", "chips that have it: {have}"),
    "U111": Template("{name}: {why}", "leave the hint away"),
    "U103": Template("{name}: {what} is not available on this chip", "{instead}"),
    # L: arguments and launches. `kernel` is the kernel's name, `param` its parameter's.
    "L001": Template("`{kernel}` is a kernel: a launch needs a grid and a block",
                     "{kernel}[(gx, gy, gz), (bx, by, bz)](...), or short as {kernel}[4, 256](...)"),
    "L002": Template(
        "`{kernel}`: the launch geometry must be ((gx, gy, gz), (bx, by, bz)), got {got}: {why}",
        "ints; one or two may be left out at the end, blocks and threads of 1 are meant then: {kernel}[grid, threads], "
        "such as {kernel}[(8, 2), 128]",
    ),
    "L065": Template(
        "`{kernel}`: the function that gives grid and block must take no arguments; this one takes {want}",
        "sizes are known where it is written: {kernel}[lambda: ((cdiv(n, 64),), (64,))](...), or without a "
        "function: {kernel}[cdiv(n, 64), 64](...)",
    ),
    "L066": Template("`{function}`: {why}"),
    "L080": Template(
        "kernel `{kernel}`: rank {rank} has waited {seconds} for rank {peer}{why} ({where})",
        "a rank has died, has not launched the kernel, or waits for another itself; all ranks have to launch the same "
        "kernels in the same order",
    ),
    "L081": Template(
        "`{function}`: the ranks do not agree: {why}",
        "all ranks must make the same calls, with the same sizes, dtypes and options",
    ),
    "L083": Template(
        "rank {rank} has waited {seconds} s{who} at a call in which all ranks take part: one has failed, or does not "
        "call it",
        "all ranks must make the same calls in the same order; what the rank that failed says comes first",
    ),
    "L082": Template("the symmetric memory of {rank} has {left} bytes left, and {want} are asked for", "{hint}"),
    "L067": Template("`{kernel}` would have to be compiled for {chip}, which strict mode refuses: {what}", "{hint}"),
    "L068": Template(
        "the operation `{name}` cannot be made: {why}",
        "docs/op.md: `shapes(inputs, *, options)` and `host(inputs, outputs, *, options)`",
    ),
    "L069": Template("the operation `{name}` has no {what}: {why}"),
    "L003": Template(
        "`{kernel}`: a block of {block} has {threads:n thread}; {chip} takes {limit} at most",
        "use a smaller block and a larger grid",
    ),
    "L004": Template(
        "`{kernel}`: the grid {grid} is too large: {limit:n block} along {axis} at most",
        "put the long axis first, or give each block more",
    ),
    "L005": Template("`{kernel}` takes {want:n argument} by position, {got} were given", "its parameters are {params}"),
    "L006": Template(
        "`{kernel}` needs an argument for {missing}",
        "arguments follow the kernel's parameters, by position or by name: kernel[grid, block](x, n=64); a parameter "
        "with a default may be left out",
    ),
    "L007": Template("`{kernel}` has no parameter {name!r}{near}", "launch options are {options}"),
    "L008": Template("`{kernel}`: parameter {param!r} is given by position and by name"),
    "L009": Template(
        "`{kernel}`: the option {name}= takes {want}, got {got}",
        "give one of these, or leave the option out: it has a default",
    ),
    "L010": Template(
        "`{kernel}`: parameter {param!r} wants {want}, got {got}",
        "NumPy arrays, torch and JAX arrays and whatever speaks DLPack or an array interface are taken, without a copy",
    ),
    "L011": Template("`{kernel}`: parameter {param!r}: the memory of {got} cannot be had: {why}"),
    "L012": Template(
        "`{kernel}`: parameter {param!r} wants {want}, got {got}: dtype {dtype} is not {expected}",
        "convert it before the launch",
    ),
    "L013": Template("`{kernel}`: parameter {param!r} wants {want}, got {got}: the shape must be {expected}"),
    "L014": Template(
        "`{kernel}`: parameter {param!r} wants {want}, got {got} with strides {strides} (in elements), not {expected}",
        "{instead}",
    ),
    "L015": Template(
        "`{kernel}`: parameter {param!r}: {got} begins at address {address:#x}, no multiple of {align}",
        "copy it to aligned memory"
    ),
    "L016": Template(
        "`{kernel}`: parameter {param!r}: {got}: kernels do not run on {device}{why}",
        "pass arrays that are on the CPU, or on a GPU that `ave doctor` lists",
    ),
    "L017": Template("`{kernel}`: its arrays are on different devices: {devices}", "move them to one device"),
    "L018": Template("`{kernel}`: parameter {param!r} wants {want}, got {got}", "{instead}"),
    "L019": Template("`{kernel}`: parameter {param!r} wants {want}, got {got}, which is outside {low} .. {high}"),
    "L020": Template(
        "`{kernel}`: the constexpr parameter {param!r} cannot be {got}",
        "compile-time values are ints, floats, bools, strings, None, dtypes, layouts, jit functions, and tuples of "
        "these",
    ),
    "L021": Template(
        "`{kernel}`: the kernel writes into parameter {param!r}, and {got} is read-only",
        "pass an array that may be written, such as a copy",
    ),
    "L022": Template(
        "`{kernel}`: target={target!r}, but its arrays are on {device}, which is a {chip}",
        "leave target= and AVE_TARGET out: arrays on a GPU say where the kernel runs",
    ),
    "L024": Template(
        "`{kernel}` is for blocks of {want} threads{how} along x, not {block}",
        "launch it with so many; of a tile.Block they are block.on(chip, dtype).threads, other tiles take whole waves"
    ),
    "L026": Template(
        "kernel `{kernel}`: {how} executes code for {chip}, and the launch says target={target!r}",
        "leave `target=` out, or leave {leave} out to run the kernel on the CPU with the waves and intrinsics of "
        "that chip",
    ),
    "L023": Template(
        "`{kernel}`: backend={backend!r} works in the memory of the CPU, and its arrays are on {device}",
        "leave backend= out, or copy the arrays to the CPU",
    ),
    "L027": Template("`{kernel}`: parameter {param!r} wants {want}, got {got}: {why}",
                     "the GPU's copy engine works on such arrays only"),
    "L028": Template(
        "the waves of a block or of a cluster wait for one another for ever",
        "count who arrives at each barrier; backend='reference' names the waves and their lines"
    ),
    "L029": Template(
        "`{kernel}`: a grid of {grid} blocks cannot be cut into clusters of {cluster}",
        "make each extent of the grid a multiple of the cluster's"
    ),
    "L030": Template("there is no memory for a thread's scratch"),
    "L031": Template(
        "a block ended with status {status}",
        "this is a fault of Ave, not of your kernel: please report it with the kernel's text",
    ),
    # L03: what a GPU's driver says. `call` is the driver's function, `name` and `text` the driver's words for its
    # status.
    "L032": Template(
        "`{kernel}` was not launched on {device}: {call} gave {name} ({status}: {text}); grid {grid}, block "
        "{block}, stream {stream:#x}, {arguments}",
        "{instead}",
    ),
    "L033": Template(
        "`{kernel}` failed while it ran on {device}: {call} gave {name} ({status}: {text}); grid {grid}, block "
        "{block}, stream {stream:#x}, "
        "{arguments}",
        "the same launch on CPU arrays with backend='reference' says which access is out of bounds; this process "
        "can use the GPU no more",
    ),
    "L034": Template("{name}: there is no {got!r}", "it takes {want}, several with commas between"),
    # L04: calls of kernels of the instruction level.
    "L040": Template("`{kernel}`: parameter {param!r} wants {want}, got the shape {got}: {why}"),
    "L041": Template("`{kernel}`: {symbol} is {first} by {where}, and {other} by dimension {axis} of {param!r}"),
    "L042": Template("`{kernel}` has the sizes {want}; {got} given"),
    "L043": Template(
        "`{kernel}` allocates {want:n byte} of dynamic shared memory, and smem={got}",
        "leave smem out: the launch brings what is allocated"
    ),
    "L044": Template("`{kernel}` takes {want:n argument}, {got} given",
                     "inputs are {params}; outputs are made by the call, or given as out="),
    "L045": Template("`{kernel}` runs PTX, and its arrays are on {device}",
                     "pass arrays on an NVIDIA GPU, or on the CPU, where PTX is executed"),
    "L046": Template("`{kernel}` is made for {arch}, and {device} is a {chip}",
                     'arch="auto" makes it for the GPU that is there'),
    "L047": Template("`{kernel}`: {what}: {why}"),
    # L05: frameworks whose arrays are handed over.
    "L055": Template(
        "`{kernel}`: parameter {param!r}: {got} requires a gradient, which a kernel would lose without a word",
        "pass x.detach(), launch under torch.no_grad(), or launch in the forward of a torch.autograd.Function that "
        "has a backward",
    ),
    "L056": Template(
        "`{name}` cannot be pickled: it is not what the name means in the module {module}",
        "pickle keeps a name, which the other process imports: define it at the top level of a module, and give it "
        "no other name",
    ),
    # L07: tuning.
    "L070": Template("{name}: {why}", "a choice has names, and values that are numbers, strings, bools or tuples"),
    "L071": Template("`{name}` has no choice left: {why}", "look at the space, its constraints and the reference"),
    "L072": Template("{role} of {owner} cannot be called: {why}",
                     "such a function asks by name for arguments and values of a choice"),
    "L073": Template("`{name}` cannot be tuned: {why}", "docs/tune.md says what a tuner needs to know"),
    "L050": Template(
        "`{kernel}` expects {what}{got}",
        "the launch has {launch}; what breaks a kernel's promise would give wrong numbers, or leave some unwritten",
    ),
    # D01: the runtime's needs.
    "D010": Template("the CPU runtime needs POSIX threads, which this system does not have",
                     "use Linux or macOS, or WSL on Windows"),
    # D03: drivers of GPUs.
    "D030": Template("arrays on {device} need {runtime}, which cannot be loaded: {why}", "{get}"),
    "D031": Template("{path} is too old: {why}", "Ave needs {needs}"),
    "D032": Template("{runtime} ({path}) finds no GPU: {call} gave {name} ({status}: {text})", "{get}"),
    "D033": Template("there is no device {device}: {runtime} shows {count:n GPU} to this process",
                     "look at {hidden}, which hides devices"),
    "D034": Template("{device} is a {arch} ({name}), for which Ave makes no code", "Ave knows {known}"),
    "D035": Template("{doing}: {call} gave {name} ({status}: {text})", "{instead}"),
    "D036": Template(
        "this process was forked from one that had started {runtime}, which does not survive a fork",
        'start processes by multiprocessing\'s "spawn" or "forkserver"',
    ),
    # D037, D038: NVIDIA's assembler.
    "D037": Template(
        "AVE_PTXAS={path!r} will not do: {why}",
        "Ave needs {needs}; without AVE_PTXAS it looks for one, and takes the driver's compiler"
    ),
    "D038": Template("{tool} refuses the PTX of `{kernel}`: {why}",
                     "AVE_DUMP=asm shows the PTX; AVE_PTXAS=driver takes the driver's own compiler"),
    # D04: tables of tuned choices, and what makes them.
    "D040": Template("{file}, line {line}: {why}", "`ave tune merge` writes such tables; take the last good version"),
    "D041": Template("{file}: {why}", "{instead}"),
    "D052": Template("the table {file} cannot be written: {why}",
                     "name another one: table=FILE, --table FILE, -o FILE or AVE_TUNED"),
    "D042": Template("a process that compiled has ended: {why}", "it is compiled in the tuner's own process"),
    "D043": Template("many machines are tuned by Ray: {why}", "{instead}"),
    "D045": Template("the bundle {path} cannot be used: {why}", "make it again: {command}"),
    "D046": Template("the bundle {path} was made {why}", "make it again: {command}"),
    "D047": Template("the bundle {path} has code for a processor with {missing}", "make it on this machine: {command}"),
    "D048": Template("`{kernel}` is not that of the bundle {path}: {what} has changed", "make it again: {command}"),
    "D049": Template("`{kernel}` cannot be in a bundle: {why} has no key", "make it a constexpr parameter or a global"),
    # D02: the tools and files of AMD's machine code.
    "D020": Template("{purpose} needs {tool}, and none was found; looked for {looked}", "{install}"),
    "D021": Template("{tool} failed: {why}"),
    "D022": Template("{what} is no AMD GPU code object: {why}",
                     "a code object is what `ave compile --emit hsaco` and hipcc --genco make"),
    "D023": Template("{what} has no kernel {name!r}", "it has {known}"),
    "D024": Template("{what} is no relocatable object of an AMD GPU: {why}",
                     "link what `Device(chip).object(text)` returns"),
    "D025": Template("no report can be made of this assembly: {why}",
                     "assembly as `ave compile --emit asm` or another compiler writes it has both"),
    # U2: what a target cannot give.
    "U202": Template("{what} for {target}: {why}", "--target cpu and backend='reference' have all of the language"),
    "U203": Template(
        "`{kernel}` needs {have:n byte} of shared memory; {target} gives a block {limit} at most",
        "use smaller tiles, or reuse one allocation"
    ),
    "U204": Template(
        "`{kernel}` is written for waves of {wave:n lane}; {target} has {have}",
        "leave target= to a chip of that wave, or shuffle within fewer lanes"
    ),
    # U206, U207: PTX instructions that a target does not have.
    "U206": Template("{what} does not exist on {chip}", "it exists on {have}"),
    "U207": Template("{what} needs PTX {need}, and the text says .version {have}", "write .version {need}"),
    "U208": Template("`{kernel}`: no one chip has all of its instructions; {chip} lacks {names}"),
    # V: the compiler's own faults.
    "V001": Template("{op}: {why}",
                     "this is a fault of Ave, not of your kernel: please report it with the kernel's text"),
    "V003": Template("the frontend failed on this: {why}",
                     "this is a fault of Ave, not of your kernel: please report it with the kernel's text"),
    "V004": Template(
        "LLVM has no code for {target} of this kernel: {why}",
        "this is a fault of Ave or of LLVM, not of your kernel: please report it with the kernel's text",
    ),
    "V002": Template("IR text, line {line}: {why}"),
    # X: what the reference executor found while running a kernel. `where` names block, thread, lane and wave.
    "X001": Template(
        "kernel `{kernel}`: {what} of `{tensor}` at index {index} is outside its extents {extents} ({where})",
        "guard the access with a condition, or check the launch geometry and the extents of the tensor",
    ),
    "X002": Template(
        "kernel `{kernel}`: {what}{index} touches {size:n byte} at address {address}, outside of all {space} "
        "memory{nearest} ({where})",
        "guard the access with a mask or a condition, or check extents and strides against the size of the argument",
    ),
    "X003": Template(
        "kernel `{kernel}`: {what} of {space} memory that nothing wrote: `{tensor}`{index}, byte {byte} of it "
        "({where})",
        "write it first; where another wave writes it, a syncthreads() must stand between",
    ),
    "X004": Template("kernel `{kernel}`: {what} into the read-only argument `{tensor}`{index} ({where})",
                     "pass an array that may be written"),
    "X005": Template("kernel `{kernel}`: index {index} of a register vector of {size:n element} ({where})"),
    "X006": Template(
        "kernel `{kernel}`: data race on shared memory `{tensor}`{index}, byte {byte} of it: {what} ({where}) meets "
        "{other} by {whose}",
        "a barrier or an mbarrier must order accesses of different waves to the same memory, unless all of them "
        "read: syncthreads() does",
    ),
    "X007": Template("kernel `{kernel}` takes {want:n argument}, not {got}"),
    "X008": Template("printf: `{what}`: {why}", "conversions are %d %i %u %o %x %X %c %f %e %g %%, one value for each"),
    "X009": Template("kernel `{kernel}` was specialized for {want}, not {got}"),
    "X010": Template(
        "kernel `{kernel}`: {what} meets bytes of {space} memory that {who} {does}: `{tensor}`{index}, byte {byte} "
        "of it, {other} ({where})",
        "wait for it first: {wait}",
    ),
    "X011": Template(
        "kernel `{kernel}`: its waves wait for one another for ever: {waves}",
        "count who arrives at each barrier, which parity of a phase is waited for, and who writes what a loop waits "
        "for",
    ),
    "X012": Template("kernel `{kernel}`: {what}: {why} ({where})"),
    "X013": Template("kernel `{kernel}`: {what} {why} ({where})", "{hint}"),
    "X014": Template(
        "kernel `{kernel}`: {what} meets bytes of {memory} that ordinary code wrote with no proxy fence "
        "behind: `{tensor}`{index}, byte {byte} "
        "of it, {other} ({where})",
        "copies and wgmma use memory by another proxy: {instead}",
    ),
    # X04: races in global memory, among the lanes of a wave, and what only some of them come to; in all executors.
    "X040": Template(
        "kernel `{kernel}`: {what} of {place} races with {other} ({where})",
        "order the two: waves of one block by a barrier such as syncthreads(), blocks by an atomic with release "
        "that the other reads with acquire; "
        "or make both atomic",
    ),
    "X041": Template(
        "kernel `{kernel}`: {what} writes another value to {place} than {other} of its wave ({where})",
        "which of the two stays is not defined: let one lane write, or use an atomic",
    ),
    "X042": Template(
        "kernel `{kernel}`: {what}: {why} ({where})",
        "all threads of the block come to the same barrier, or have returned: move it out of the branch",
    ),
    "X043": Template(
        "kernel `{kernel}`: {what} reads from lane {why}, which does not execute it ({where})",
        "what it gets is not defined: move it out of the branch, or take the value of a lane that takes part",
    ),
    "X044": Template(
        "kernel `{kernel}`: the operand `{operand}` of {what} differs between lanes {first} and {lane} of a wave, "
        "and hardware takes one for all "
        "of them ({where})",
        "{instead}",
    ),
    "X045": Template("`{kernel}`: AVE_CHECK asks for {words}, and {engine} cannot check that", "{able}"),
    "X066": Template(
        "kernel `{kernel}`: machine code of the same PTX ({tool}) gives different results: {who}; `{array}` at "
        "index {index} is {values}",
        "a fault of ptxas, or a result that depends on who runs first or on what nothing wrote: "
        "AVE_CHECK=races,init on CPU arrays looks for "
        "the latter; AVE_PTXAS=FILE takes another ptxas",
    ),
    # X02: machine code that is executed here.
    "X020": Template("{where}: cannot read `{text}`: {why}",
                     "the syntax is LLVM's for AMD GPUs, as compilers and disassemblers write it"),
    "X021": Template(
        "kernel `{kernel}`: `{text}` at {where}: {why}",
        "the wave stopped here; nothing is guessed: this instruction, or this form, is not executed"
    ),
    "X022": Template(
        "kernel `{kernel}`: `{text}` at {where} touches {size:n byte} at address {address}, outside of all memory "
        "that was given{nearest} ({lane})",
        "pass the array, or check the kernel's arithmetic of addresses",
    ),
    "X023": Template(
        "kernel `{kernel}`: `{text}` at {where} touches {size:n byte} of LDS at {address}, the workgroup has {have} "
        "({lane})",
        "give the launch more dynamic LDS, or check the kernel's arithmetic of addresses",
    ),
    "X024": Template("kernel `{kernel}`: `{text}` at {where} {does} {what} ({lane})", "{hint}"),
    "X025": Template(
        "kernel `{kernel}`: data race in LDS: `{text}` at {where} {does} address {address}, which wave {other} "
        "{did} ({lane})",
        "each wave must wait for its own accesses (s_waitcnt) and then pass a barrier (s_barrier) before another "
        "wave uses the same memory",
    ),
    "X026": Template(
        "kernel `{kernel}`: `{text}` at {where} uses {register} {have:n wait state} after `{first}` {did} it; the "
        "hardware needs {need} ({lane})",
        "put independent instructions or s_nop between the two",
    ),
    "X027": Template("kernel `{kernel}`: {what}: {why}"),
    "X028": Template("{what} cannot be executed: {why}",
                     "pass a code object for gfx942, or assembly in LLVM's syntax with the kernel's descriptor"),
    "X029": Template("{where}: `{name}` is not an instruction of {chip}", "{hint}"),
    "X055": Template(
        "kernel `{kernel}`: `{text}` at {where} reads address {address} of LDS, which nothing in the workgroup has "
        "written ({lane})",
        "LDS holds anything when a workgroup starts: write it first, and wait for that at a barrier",
    ),
    "X056": Template(
        "kernel `{kernel}`: `{text}` at {where} goes to address {address}; {why} ({lane})",
        "check the offset, and where the memory begins that it counts from",
    ),
    # X03: PTX that is executed here. `where` is the line of the text, `lane` names thread, block, warp and lane.
    "X030": Template("{what} cannot be executed: {why}"),
    "X031": Template(
        "kernel `{kernel}`: `{text}` at {where}: {why}",
        "the warp stopped here; nothing is guessed: this instruction, or this form, is not executed"
    ),
    "X032": Template(
        "kernel `{kernel}`: `{text}` at {where} touches {size:n byte} at address {address}{why} ({lane})",
        "pass the array, or check the kernel's arithmetic of addresses",
    ),
    "X033": Template("kernel `{kernel}`: `{text}` at {where}: {what} ({lane})"),
    "X034": Template(
        "kernel `{kernel}`: its warps wait for one another for ever: {warps}",
        "count who arrives at each barrier, which parity of a phase is waited for, and which lanes a mask names",
    ),
    "X035": Template("kernel `{kernel}`: `{text}` at {where}: {why} ({lane})"),
    "X036": Template("kernel `{kernel}` cannot be launched: {what}: {why}"),
    "X050": Template(
        "kernel `{kernel}`: {what} of {place} races with {other} ({where})",
        "a barrier must stand between them, or an mbarrier, or a release that the other acquires; lanes of a warp "
        "meet at bar.warp.sync",
    ),
    "X051": Template(
        "kernel `{kernel}`: `{text}` at {where} {what} that nothing has written, or that comes of such a one ({lane})",
        "write it first; where only some lanes or some ways of the code do, the others have no value",
    ),
}
