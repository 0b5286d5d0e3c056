"""The debugger in a terminal: lines of commands come in, by hand or from a list; what they show goes out."""

from __future__ import annotations

import contextlib
import difflib
import linecache
import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from avelang.debugger.looking import Spot, TensorView, TileView, brief, full, shown_always
from avelang.debugger.session import Session, Stop, evaluate, lanes_of, names, place
from avelang.frontend.scopes import Scope
from avelang.ir.types import SHARED

SHORT = {"b": "break", "c": "continue", "n": "next", "s": "step", "p": "print", "bt": "where", "w": "where",
         "l": "list", "q": "quit", "h": "help", "i": "info", "r": "registers", "fin": "finish", "d": "delete",
         "t": "tbreak", "locals": "info locals", "regs": "registers"}  # fmt: skip

HELP = """\
break [FILE:]LINE [if COND]   stop there, where COND holds in a lane; also: break FUNCTION
tbreak ...                    the same, once
watch NAME[INDEX]             stop when an element of a tensor changes
delete N                      take a breakpoint or a watch away
continue                      run on to the next stop
step                          the next statement of this wave, in the functions that it calls too
next                          the next statement of this function, or of its caller
finish                        run to the end of this function
step lane | wave | block      the next statement of this lane (where it is active); of another wave; of another block
until LINE                    run on to a line of this file
where                         the statement, and who called it
up, down                      look at the caller, at the callee
lane N, thread X[,Y[,Z]]      look through another lane
wave N                        look at another wave of the block, where it is
print EXPR                    a value in this lane; tensors and tiles with all elements; thread, block, lane, wave
lanes EXPR                    a value in every active lane
tile NAME                     a tile, put together from the registers of the block
layout NAME                   extents, strides, memory of a tensor; distribution of a tile
registers [NAME]              the registers of a name in all lanes, or names and values of this lane
shared [NAME]                 the shared memory of the block: its tensors, or the elements of one
info locals | waves | breakpoints
list                          the lines around
own on | off                  whether Ave's own device functions are stepped into
quit                          end the program
An empty line does the last step again."""


class Quit(SystemExit):
    """The user has had enough."""


class Terminal:
    """Talks at each stop. `lines` gives commands, `say` prints; where the lines end, the program runs on to its end."""

    def __init__(self, lines: Iterator[str], say: Callable[[str], None], echo: bool = False):
        self.lines, self.say, self.echo = lines, say, echo
        self.session: Session
        self.stop: Stop
        self.frame = 0
        self.spot: Spot
        self.last = "next"

    # -- stops ------------------------------------------------------------------------------------------------------

    def __call__(self, stop: Stop) -> str:
        """Asks for commands until one of them goes on."""
        self.stop, self.frame = stop, 0
        self.spot = Spot(stop.p, stop.wave, stop.lane)
        if stop.text:
            self.say(stop.text)
        for point in self.session.breakpoints:
            if point.trouble:
                self.say(f"the condition of {point} cannot be told: {point.trouble}")
                point.trouble = ""
        self.here()
        for line in self.lines:
            if self.echo:
                self.say(f"(ave) {line.strip()}")
            how = self.command(line.strip())
            if how:
                return how
        return "detach"

    def here(self) -> None:
        """Prints where the executor stands."""
        scope, wave = self.scope, self.spot.wave
        held = names(self.spot, scope)  # the statement of an unrolled loop is met once for each trip
        trips = "".join(f", {n} = {brief(held[n])}" for n in dict.fromkeys(scope.trips()) if n in held)
        self.say(f"{place(scope.span)} in {scope.function}{trips}, block {wave.block.index}, wave {wave.shape.index}, "
                 f"lane {self.spot.lane} (active: {lanes_of(wave) or 'none'})")  # fmt: skip
        self.say(f"{scope.span.line:5} | {scope.span.text()}")

    @property
    def scope(self) -> Scope:
        """The statement that is looked at."""
        return self.session.frames(self.stop)[self.frame] if self.spot.wave is self.stop.wave else self._elsewhere()

    def _elsewhere(self) -> Scope:
        return self.session.went[self.spot.wave].scope or self.stop.scope

    # -- commands ---------------------------------------------------------------------------------------------------

    def command(self, line: str) -> str:
        """Does a command; gives how to go on, or "" to ask again."""
        line = line or self.last
        word, _, rest = line.partition(" ")
        word, _, more = SHORT.get(word, word).partition(" ")
        rest = " ".join(x for x in (more, rest.strip()) if x)
        if word in ("continue", "next", "finish", "step", "until"):
            self.last = line
            return self._going(word, rest)
        if word == "quit":
            raise Quit(0)
        act = getattr(self, f"do_{word}", None)
        if act is None:
            known = [n.removeprefix("do_") for n in dir(self) if n.startswith("do_")]
            near = difflib.get_close_matches(word, known + ["continue", "next", "finish", "step", "until", "quit"], 1)
            self.say(f"there is no command {word!r}; {f'did you mean {near[0]}?' if near else 'help lists them'}")
            return ""
        try:
            act(rest)
        except Exception as exc:  # an expression of the user's may raise anything
            self.say(f"{type(exc).__name__}: {exc}")
        return ""

    def _going(self, word: str, rest: str) -> str:
        if word == "until":
            if not rest.isdigit():
                self.say("until LINE")
                return ""
            self.session.add(self.scope.span.file, int(rest), once=True)
            return "continue"
        if word == "step" and rest:
            if rest not in ("lane", "wave", "block"):
                self.say("step, step lane, step wave or step block")
                return ""
            self.stop.lane = self.spot.lane
            return rest
        if word in ("finish", "next") and self.frame:
            self.stop.scope = self.scope
        self.stop.lane = self.spot.lane if self.spot.wave is self.stop.wave else self.stop.lane
        return word

    def known(self) -> dict[str, Any]:
        """Names for expressions."""
        return names(self.spot, self.scope)

    def do_help(self, rest: str) -> None:
        """Lists the commands."""
        self.say(HELP)

    def do_break(self, rest: str, once: bool = False) -> None:
        """Sets a breakpoint."""
        where, _, condition = rest.partition(" if ")
        where = where.strip()
        file, colon, line = where.rpartition(":")
        if not where:
            where = line = str(self.scope.span.line)
        if line.isdigit():
            self.say(str(self.session.add(file if colon else self.scope.span.file, int(line),
                                          condition=condition.strip(), once=once)))  # fmt: skip
        else:
            self.say(str(self.session.add(function=where, condition=condition.strip(), once=once)))

    def do_tbreak(self, rest: str) -> None:
        """Sets a breakpoint that goes away when it is met."""
        self.do_break(rest, True)

    def do_watch(self, rest: str) -> None:
        """Watches an element of a tensor."""
        made = self.session.watch(rest, Stop("", "", self.spot.p, self.spot.wave, self.scope, self.spot.lane))
        self.say(f"watch {made.number}: {made.text} is {brief(made.value.item())}")

    def do_delete(self, rest: str) -> None:
        """Takes a breakpoint or a watch away."""
        self.say("deleted" if rest.isdigit() and self.session.remove(int(rest)) else f"there is no {rest or 'number'}")

    def do_where(self, rest: str) -> None:
        """Prints the chain of calls."""
        for i, scope in enumerate(self.session.frames(self.stop)):
            self.say(f"{'>' if i == self.frame else ' '} #{i} {scope.function} at {place(scope.span)}: "
                     f"{scope.span.text().strip()}")  # fmt: skip

    def do_up(self, rest: str) -> None:
        """Looks at the caller."""
        self._move(1)

    def do_down(self, rest: str) -> None:
        """Looks at the callee."""
        self._move(-1)

    def _move(self, by: int) -> None:
        self.spot = Spot(self.stop.p, self.stop.wave, self.spot.lane)
        if not 0 <= self.frame + by < len(self.session.frames(self.stop)):
            self.say("there is no caller" if by > 0 else "this is the innermost function")
            return
        self.frame += by
        self.here()

    def do_lane(self, rest: str) -> None:
        """Looks through another lane of the wave."""
        if not rest.isdigit() or int(rest) >= self.spot.wave.lanes:
            self.say(f"lane N, 0 to {self.spot.wave.lanes - 1}")
            return
        self.spot = Spot(self.spot.p, self.spot.wave, int(rest))
        active = self.spot.wave.mask.active[self.spot.lane]
        self.say(f"lane {rest}{'' if active else ', which is not active here'}")

    def do_thread(self, rest: str) -> None:
        """Looks through the lane of a thread of the block."""
        if not all(t.strip().isdigit() for t in rest.split(",")):
            self.say("thread X[,Y[,Z]]")
            return
        x, y, z = (*(int(t) for t in rest.split(",")), 0, 0)[:3]
        for wave in self.spot.wave.block.waves:
            tx, ty, tz = wave.shape.threads
            at = np.nonzero((tx == x) & (ty == y) & (tz == z) & wave.shape.mask.active)[0]
            if at.size:
                self._look(wave, int(at[0]))
                return
        self.say(f"the block has no thread {(x, y, z)}")

    def do_wave(self, rest: str) -> None:
        """Looks at another wave of the block."""
        found = [w for w in self.spot.wave.block.waves if str(w.shape.index) == rest]
        if not found:
            self.say(f"wave N, 0 to {len(self.spot.wave.block.waves) - 1}")
        else:
            self._look(found[0], found[0].mask.first if found[0].mask.count else 0)

    def _look(self, wave: Any, lane: int) -> None:
        if wave is not self.stop.wave and wave not in self.session.went:
            self.say(f"wave {wave.shape.index} has not begun, or has ended")
            return
        self.spot, self.frame = Spot(self.stop.p, wave, lane), 0
        self.here()

    def do_print(self, rest: str) -> None:
        """Prints a value."""
        self.say(full(evaluate(rest, self.known())))

    def do_lanes(self, rest: str) -> None:
        """Prints a value in all active lanes, those that have the same together."""
        wave, found = self.spot.wave, {}
        for lane in np.nonzero(wave.mask.active)[0].tolist():
            value = brief(evaluate(rest, names(Spot(self.spot.p, wave, lane), self.scope)))
            found.setdefault(value, []).append(lane)
        for value, lanes in found.items():
            self.say(f"  lane {_ranges(lanes):8} {value}")

    def do_tile(self, rest: str) -> None:
        """Prints a tile."""
        value = evaluate(rest, self.known())
        if not isinstance(value, (TileView, TensorView)):
            self.say(f"`{rest}` is no tile and no tensor: {brief(value)}")
            return
        with np.printoptions(linewidth=160, edgeitems=8, threshold=1024, precision=5, suppress=True):
            self.say(full(value))
        if isinstance(value, TileView) and (late := self._elsewhere_waves()):
            some = ", ".join(map(str, late))
            self.say(f"wave {some} of the block stand elsewhere: their elements are what they hold there, 0 where they "
                     "hold none yet")  # fmt: skip

    def _elsewhere_waves(self) -> list[int]:
        """The waves of the block that do not stand at this statement."""
        at = {w: went.scope for w, went in self.session.went.items()}
        return [w.shape.index for w in self.spot.wave.block.waves
                if w is not self.spot.wave and at.get(w) is not at.get(self.spot.wave)]  # fmt: skip

    def do_layout(self, rest: str) -> None:
        """Prints how a tensor lies in memory, or how a tile is distributed."""
        value = evaluate(rest, self.known())
        if isinstance(value, TensorView):
            self.say(f"{value!r}: {value.layout}, first element at {value.address:#x}")
        elif isinstance(value, TileView):
            self.say(f"{value!r}\n{evaluate(rest, self.known()).fields()}")
        else:
            self.say(f"`{rest}` has no layout: {brief(value)}")

    def do_registers(self, rest: str) -> None:
        """Prints the registers of a name in all lanes; without a name, every name in this lane."""
        if rest:
            self.do_lanes(rest)
        else:
            self._locals()

    def do_shared(self, rest: str) -> None:
        """Prints the block's shared memory."""
        memory = self.spot.wave.block.shared
        if rest:
            value = next((v for v in self.known().values() if isinstance(v, TensorView) and v.type.space == SHARED
                          and v.name == rest), None) or evaluate(rest, self.known())  # fmt: skip
            self.say(full(value))
            return
        for alloc in memory.allocs:
            data = memory.buffers[memory.allocs.index(alloc)]
            shadow = data.shadow[1][alloc.start : alloc.end] if data.shadow is not None else None
            wrote = "" if shadow is None else f", {int((shadow != 0).sum())} of them written"
            self.say(f"  {alloc.name}: {alloc.size} bytes at {alloc.start}{wrote}")
        if not memory.allocs:
            self.say("the kernel has no shared memory")

    def do_info(self, rest: str) -> None:
        """Prints names, waves or breakpoints."""
        if rest in ("locals", "args", ""):
            self._locals()
        elif rest in ("waves", "threads"):
            for wave, went in self.session.went.items():
                if went.scope is not None:
                    mark = ">" if wave is self.spot.wave else " "
                    self.say(f"{mark} wave {wave.shape.index} of block {wave.block.index} at {place(went.scope.span)}, "
                             f"lanes {lanes_of(wave)}")  # fmt: skip
        elif rest in ("breakpoints", "break", "b"):
            for point in self.session.breakpoints:
                self.say(f"  {point}, met {point.hits} times")
            for watch in self.session.watches:
                self.say(f"  watch {watch.number} of {watch.text}")
        else:
            self.say("info locals, info waves or info breakpoints")

    def _locals(self) -> None:
        held = self.scope.names
        for name, value in self.known().items():
            if name in held and shown_always(held[name]):
                self.say(f"  {name} = {brief(value)}")

    def do_list(self, rest: str) -> None:
        """Prints the lines around."""
        span = self.scope.span
        first = max(1, span.line - 5)
        for n in range(first, first + 11):
            text = linecache.getline(span.file, n).rstrip("\n")
            if text or linecache.getline(span.file, n):
                self.say(f"{'>' if n == span.line else ' '}{n:5} | {text}")

    def do_own(self, rest: str) -> None:
        """Says whether Ave's own device functions are stepped into."""
        self.session.own = rest == "on"
        self.say(f"functions of Ave's own are {'shown' if self.session.own else 'stepped over'}")


def _ranges(lanes: list[int]) -> str:
    runs: list[list[int]] = []
    for n in lanes:
        if runs and runs[-1][1] == n - 1:
            runs[-1][1] = n
        else:
            runs.append([n, n])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)


def ask(prompt: str) -> Iterator[str]:
    """Lines from standard input, with the line editor that Python has; ends with the input."""
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401 - it changes `input`
    while True:
        try:
            yield input(prompt)
        except EOFError:
            return


def relative(path: str) -> str:
    """A path as users write it."""
    return os.path.relpath(path) if os.path.isabs(path) else path
