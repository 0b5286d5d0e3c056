"""What each wave of a cluster knows of the others: arrivals at barriers and waits come in; whether one access comes
before another goes out.

Vector clocks. An agent is a wave, or what runs beside the waves: an mbarrier (whose clock is its phase), the wgmma of a
warpgroup, the bulk stores of a thread. A wave counts its releases, and knows of every agent up to which count it comes
after. Lanes of a wave go in step: a wave is one agent. Proxy fences are a matter of threads: `fenced` says up to which
count the ordinary writes of a thread are known to copies and matrix instructions that are begun from here on (PTX ISA
9.0, 9.7.9.25.2, "Async proxy"; the fence may stand anywhere on the way from the write to the reader). """

from __future__ import annotations

import numpy as np

from avelang.ir.core import Op

Views = dict[int, np.ndarray]  # by cluster: up to which count each of its agents is known


def _longer(x: np.ndarray, n: int) -> np.ndarray:
    return x if len(x) >= n else np.concatenate([x, np.zeros(n - len(x), x.dtype)])


def learned(views: Views, more: Views) -> None:
    """Joins `more` into `views`."""
    for cluster, theirs in more.items():
        mine = views.get(cluster)
        if mine is None:
            views[cluster] = theirs
        elif mine is not theirs:
            # Arrays of views are shared, and never changed.
            n = max(len(mine), len(theirs))
            views[cluster] = np.maximum(_longer(mine, n), _longer(theirs, n))


class VectorClock:
    """`knows` int64 (agents,), `fenced` int64 (threads,), and `ran` int64 (waves,): up to which count a wave has gone,
    whether or not its accesses are ordered. Agents, threads and waves that are not there count 0.

    What is known of other clusters, which share global memory only: `past`. `told`: what a fence stands behind, so that
    a relaxed atomic hands it on; `heard`: what relaxed atomics have found, which is known behind the next fence.
    Barriers hand on both: the fence may stand on either side. `told_far` and `heard_far`: the same between GPUs, where
    the fence must be one of the system. `proxied`: what a proxy fence, or the beginning of the launch, stands
    behind."""

    __slots__ = ("fenced", "heard", "heard_far", "knows", "past", "proxied", "ran", "told", "told_far")

    def __init__(self, waves: int = 0, threads: int = 0):
        self.knows, self.fenced, self.ran = (np.zeros(n, np.int64) for n in (waves, threads, waves))
        self.past: Views = {}
        self.told: Views = {}
        self.heard: Views = {}
        self.told_far: Views = {}
        self.heard_far: Views = {}
        self.proxied: Views = {}

    def join(self, other: VectorClock) -> None:
        """Takes the maximum with `other`, count by count."""
        for name in ("past", "told", "heard", "told_far", "heard_far", "proxied"):
            learned(getattr(self, name), getattr(other, name))
        for name in ("knows", "fenced", "ran"):
            theirs = getattr(other, name)
            mine = _longer(getattr(self, name), len(theirs))
            np.maximum(mine[: len(theirs)], theirs, out=mine[: len(theirs)])
            setattr(self, name, mine)

    def copy(self) -> VectorClock:
        """A clock of its own with the same counts."""
        out = VectorClock()
        out.knows, out.fenced, out.ran = self.knows.copy(), self.fenced.copy(), self.ran.copy()
        out.past, out.told, out.heard = self.past.copy(), self.told.copy(), self.heard.copy()
        out.told_far, out.heard_far = self.told_far.copy(), self.heard_far.copy()
        out.proxied = self.proxied.copy()
        return out

    def learn(self, agent: int, count: int) -> None:
        """One more thing is known."""
        self.knows = _longer(self.knows, agent + 1)
        self.knows[agent] = max(self.knows[agent], count)


class Clocks:
    """The clocks of `waves` waves of `lanes` lanes, the other agents, and the accesses that shadows of memory name by
    number. `cluster`: which one of the launch's these waves are."""

    def __init__(self, waves: int, lanes: int, cluster: int = 0):
        self.waves, self.lanes, self.agents, self.cluster = waves, lanes, waves, cluster
        self.of = [VectorClock(waves, waves * lanes) for _ in range(waves)]
        self.together = np.zeros(waves, np.int64)  # the wave's count when last all its lanes met others at a barrier
        # mbarriers that it has made since its last fence_mbarrier_init
        self.unfenced: list[set[int]] = [set() for _ in range(waves)]
        for i, clock in enumerate(self.of):
            clock.knows[i] = 1
        # Of each access: agent, count and op. Number 0 is no access.
        self.agent, self.count, self.op = (np.zeros(1024, np.int64) for _ in range(3))
        self.ops: list[Op] = []
        self._known: dict[Op, int] = {}
        self._numbers: dict[tuple[int, int, int], int] = {}
        self._next = 1

    def new_agent(self) -> int:
        """The number of one more agent."""
        self.agents += 1
        for clock in self.of:
            clock.knows = _longer(clock.knows, self.agents)
        return self.agents - 1

    def release(self, wave: int, into: VectorClock, together: bool = False, relaxed: bool = False) -> None:
        """Joins the wave's clock into `into`: who joins that comes after all that the wave has done. `together`: all
        its lanes have come. `relaxed`: none of waves' accesses, only what runs beside the waves and mbarriers that a
        fence has told of."""
        own = self.of[wave]
        own.ran[wave] = own.knows[wave]
        if relaxed:
            told = own.copy()
            told.knows[[*range(self.waves), *set().union(*self.unfenced)]], told.fenced = 0, np.zeros(0, np.int64)
            told.past, told.proxied = {}, {}
            into.join(told)
        else:
            into.join(own)
        if together:
            self.together[wave] = own.knows[wave]
        own.knows[wave] += 1

    # -- global memory: what clusters hear of one another ---

    def view(self, wave: int) -> Views:
        """The clock of a wave, by cluster."""
        own = self.of[wave]
        return {**own.past, self.cluster: own.knows.copy()}

    def hear(self, wave: int, views: Views) -> None:
        """A wave comes after all this."""
        own, here = self.of[wave], views.get(self.cluster)
        learned(own.past, {c: v for c, v in views.items() if c != self.cluster})
        if here is not None:
            n = max(len(here), len(own.knows))
            own.knows = np.maximum(_longer(own.knows, n), _longer(here, n))

    def fence_memory(self, wave: int, far: bool = False) -> None:
        """Accesses of the wave before a fence come before those behind it, as relaxed atomics on either side tell other
        waves. `far`: of other GPUs too."""
        own = self.of[wave]
        self.hear(wave, own.heard)
        if far:
            self.hear(wave, own.heard_far)
            learned(own.told_far, self.view(wave))
        learned(own.told, self.view(wave))
        own.knows[wave] += 1

    def passed(self, wave: int) -> None:
        """Begins a new count of the wave: who has joined its clock up to now is not ordered behind what comes."""
        own = self.of[wave]
        own.ran[wave] = own.knows[wave]
        own.knows[wave] += 1

    def after(self, wave: int, cluster: int, agent: int, count: int) -> bool:
        """True where the wave comes after what an agent of a cluster did at this count."""
        own = self.of[wave]
        known = own.knows if cluster == self.cluster else own.past.get(cluster)
        return known is not None and agent < len(known) and count <= int(known[agent])

    def fenced_off(self, wave: int, cluster: int, agent: int, count: int) -> bool:
        """True where a proxy fence stands between what an ordinary access did at this count and the wave's copies."""
        known = self.of[wave].proxied.get(cluster)
        return known is not None and agent < len(known) and count <= int(known[agent])

    # -- accesses ---

    def made(self, wave: int, op: Op) -> tuple[int, int]:
        """An mbarrier: the agent that it is, and the number of the access that makes it. Its count is 1 then, and one
        more with each phase."""
        agent = self.new_agent()
        self.of[wave].learn(agent, 1)
        self.unfenced[wave].add(agent)
        return agent, self.access(agent, 1, op)

    def fence(self, wave: int, active: np.ndarray) -> None:
        """A proxy fence by the active lanes (lanes,): they have ordered their own writes, and those of other threads
        that they come after."""
        own = self.of[wave]
        known = np.repeat(own.knows[: self.waves], self.lanes)
        mine = known[wave * self.lanes : (wave + 1) * self.lanes]
        mine[~active] = self.together[wave]
        np.maximum(own.fenced, known, out=own.fenced)
        learned(own.proxied, self.view(wave))
        own.knows[wave] += 1

    def access(self, agent: int, count: int, op: Op) -> int:
        """The number of an access."""
        if op not in self._known:
            self._known[op] = len(self.ops)
            self.ops.append(op)
        key = agent, count, self._known[op]
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = self._next
            self._next += 1
            if number == len(self.agent):
                self.agent, self.count, self.op = (_longer(x, 2 * number) for x in (self.agent, self.count, self.op))
            self.agent[number], self.count[number], self.op[number] = key
        return number

    def mine(self, wave: int, op: Op) -> int:
        """The number of an access that a wave makes now."""
        return self.access(wave, int(self.of[wave].knows[wave]), op)

    def which(self, number: int) -> Op:
        """The op of an access."""
        return self.ops[int(self.op[number])]
