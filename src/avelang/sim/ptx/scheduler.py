"""LLVM IR of the function that runs one warp until it needs the host, ends, or has had its turn.

Lanes that stand at different places run in groups: always those whose block of code has the lowest number, so that lanes that went apart meet
again behind the branch; lanes that wait for others of their warp are left out until another group has moved. Now and then another group has a turn,
so that lanes that spin do not keep out the one that they wait for.
"""

from __future__ import annotations

from avelang.sim.ptx.memory_text import field
from avelang.sim.ptx.state import APART, BARRIER, ENDED, EXITED, LANES, STUCK, TURN, WAITS

OTHER = 255  # of so many choices among groups, one is for another group than the first

TEXT = f"""
define i32 @ave_warp(ptr %w, ptr %g) #0 {{
entry:
{field("pc", "%pcp", "w")}
{field("active", "%actp", "w")}
{field("live", "%livep", "w")}
{field("blocked", "%blkp", "w")}
{field("steps", "%stepp", "w")}
{field("turn", "%turnp", "w")}
  br label %choose
choose:
  %live = load i32, ptr %livep, align 4
  %dead = icmp eq i32 %live, 0
  br i1 %dead, label %over, label %pick
over:
  ret i32 {ENDED}
pick:
  %pcs = load <{LANES} x i32>, ptr %pcp, align 64
  %blk = load i32, ptr %blkp, align 4
  %free = xor i32 %blk, -1
  %may = and i32 %live, %free
  %none = icmp eq i32 %may, 0
  br i1 %none, label %stuck, label %lowest
stuck:
  ret i32 {STUCK}
lowest:
  %turn = load i32, ptr %turnp, align 4
  %turn1 = add i32 %turn, 1
  store i32 %turn1, ptr %turnp, align 4
  %phase = and i32 %turn1, {OTHER}
  %other = icmp eq i32 %phase, 0
  %maybits = bitcast i32 %may to <{LANES} x i1>
  %cand = select <{LANES} x i1> %maybits, <{LANES} x i32> %pcs, <{LANES} x i32> splat (i32 {EXITED})
  %least = call i32 @llvm.vector.reduce.smin.v{LANES}i32(<{LANES} x i32> %cand)
  br i1 %other, label %another, label %chosen
another:
  %by = lshr i32 %turn1, 8
  %start = and i32 %by, {LANES - 1}
  %from = shl i32 -1, %start
  %above = and i32 %may, %from
  %noabove = icmp eq i32 %above, 0
  %set = select i1 %noabove, i32 %may, i32 %above
  %which = call i32 @llvm.cttz.i32(i32 %set, i1 true)
  %theirs = extractelement <{LANES} x i32> %pcs, i32 %which
  br label %chosen
chosen:
  %pc0 = phi i32 [ %least, %lowest ], [ %theirs, %another ]
  %one = insertelement <{LANES} x i32> poison, i32 %pc0, i64 0
  %splat = shufflevector <{LANES} x i32> %one, <{LANES} x i32> poison, <{LANES} x i32> zeroinitializer
  %at = icmp eq <{LANES} x i32> %pcs, %splat
  %atbits = bitcast <{LANES} x i1> %at to i32
  %act0 = and i32 %atbits, %live
  br label %run
run:
  %pc = phi i32 [ %pc0, %chosen ], [ %next, %same ]
  %act = phi i32 [ %act0, %chosen ], [ %now, %same ]
  store i32 %act, ptr %actp, align 4
  %slot = getelementptr ptr, ptr @ave_blocks, i32 %pc
  %code = load ptr, ptr %slot, align 8
  %next = call i32 %code(ptr %w, ptr %g, i32 %act)
  %now = load i32, ptr %actp, align 4
  %steps = load i32, ptr %stepp, align 4
  %steps1 = sub i32 %steps, 1
  store i32 %steps1, ptr %stepp, align 4
  %on = icmp sge i32 %next, 0
  br i1 %on, label %went, label %stop
went:
  ; All of them go to one place. Where they are all there is, nothing has to be chosen.
  %whole = icmp eq i32 %now, %live
  %left = icmp sgt i32 %steps1, 0
  %go = and i1 %whole, %left
  br i1 %go, label %same, label %put
same:
  store i32 0, ptr %blkp, align 4
  br label %run
put:
  %nowbits = bitcast i32 %now to <{LANES} x i1>
  %none1 = insertelement <{LANES} x i32> poison, i32 %next, i64 0
  %nsplat = shufflevector <{LANES} x i32> %none1, <{LANES} x i32> poison, <{LANES} x i32> zeroinitializer
  %old = load <{LANES} x i32>, ptr %pcp, align 64
  %new = select <{LANES} x i1> %nowbits, <{LANES} x i32> %nsplat, <{LANES} x i32> %old
  store <{LANES} x i32> %new, ptr %pcp, align 64
  store i32 0, ptr %blkp, align 4
  br i1 %left, label %choose, label %turnover
turnover:
  ret i32 {TURN}
stop:
  switch i32 %next, label %host [ i32 {APART}, label %apart
                                  i32 {WAITS}, label %waits ]
apart:
  store i32 0, ptr %blkp, align 4
  %left2 = icmp sgt i32 %steps1, 0
  br i1 %left2, label %choose, label %turnover
waits:
  ; Those that came stand where they are; the pc of a group that ran on may not be written yet.
  %wbits = bitcast i32 %now to <{LANES} x i1>
  %wone = insertelement <{LANES} x i32> poison, i32 %pc, i64 0
  %wsplat = shufflevector <{LANES} x i32> %wone, <{LANES} x i32> poison, <{LANES} x i32> zeroinitializer
  %wold = load <{LANES} x i32>, ptr %pcp, align 64
  %wnew = select <{LANES} x i1> %wbits, <{LANES} x i32> %wsplat, <{LANES} x i32> %wold
  store <{LANES} x i32> %wnew, ptr %pcp, align 64
  %b6 = load i32, ptr %blkp, align 4
  %b7 = or i32 %b6, %now
  store i32 %b7, ptr %blkp, align 4
  br label %choose
host:
  store i32 0, ptr %blkp, align 4
  ret i32 %next
}}
"""

STEPS = 1 << 15  # blocks of code that a warp runs before others have a turn
# Barriers of a block that translated code opens by itself: behind those the host does, so that Python sees to signals now and then.
ROUNDS = 1 << 14

# Blocks first .. last - 1 of a grid, x fastest, one after another: as long as they need nothing of the host but bar.sync 0. Returns the number
# of the one that the host must go on with, or `last`.
GRID = f"""
define internal void @ave_begin(ptr %g, i64 %n) #0 {{
entry:
{field("nctaid", "%ncp")}
{field("ctaid", "%idp")}
{field("clusterid", "%cip")}
  %gyp = getelementptr i32, ptr %ncp, i64 1
  %gx = load i32, ptr %ncp, align 4
  %gy = load i32, ptr %gyp, align 4
  %gx64 = zext i32 %gx to i64
  %gy64 = zext i32 %gy to i64
  %x = urem i64 %n, %gx64
  %rest = udiv i64 %n, %gx64
  %y = urem i64 %rest, %gy64
  %z = udiv i64 %rest, %gy64
  %x32 = trunc i64 %x to i32
  %y32 = trunc i64 %y to i32
  %z32 = trunc i64 %z to i32
  %iy = getelementptr i32, ptr %idp, i64 1
  %iz = getelementptr i32, ptr %idp, i64 2
  %cy = getelementptr i32, ptr %cip, i64 1
  %cz = getelementptr i32, ptr %cip, i64 2
  store i32 %x32, ptr %idp, align 4
  store i32 %y32, ptr %iy, align 4
  store i32 %z32, ptr %iz, align 4
  store i32 %x32, ptr %cip, align 4
  store i32 %y32, ptr %cy, align 4
  store i32 %z32, ptr %cz, align 4
{field("shared", "%shp")}
{field("shared_bytes", "%sbp")}
  %bases = load ptr, ptr %shp, align 8
  %base = load ptr, ptr %bases, align 8
  %size = load i32, ptr %sbp, align 4
  %size64 = zext i32 %size to i64
  call void @llvm.memset.p0.i64(ptr %base, i8 {0xA5 - 256}, i64 %size64, i1 false)
{field("warps", "%wsp")}
{field("masks", "%msp")}
{field("count", "%cnp")}
{field("entry", "%enp")}
  %ws = load ptr, ptr %wsp, align 8
  %ms = load ptr, ptr %msp, align 8
  %count = load i32, ptr %cnp, align 4
  %count64 = zext i32 %count to i64
  %first = load i32, ptr %enp, align 4
  %one = insertelement <{LANES} x i32> poison, i32 %first, i64 0
  %all = shufflevector <{LANES} x i32> %one, <{LANES} x i32> poison, <{LANES} x i32> zeroinitializer
  br label %warp
warp:
  %k = phi i64 [ 0, %entry ], [ %k1, %warp ]
  %wp = getelementptr ptr, ptr %ws, i64 %k
  %w = load ptr, ptr %wp, align 8
  %mp = getelementptr i32, ptr %ms, i64 %k
  %m = load i32, ptr %mp, align 4
  %mb = bitcast i32 %m to <{LANES} x i1>
  %pcs = select <{LANES} x i1> %mb, <{LANES} x i32> %all, <{LANES} x i32> splat (i32 {EXITED})
{field("pc", "%pcp", "w")}
{field("live", "%lp", "w")}
{field("blocked", "%bp", "w")}
{field("turn", "%tp", "w")}
{field("barrier", "%rp", "w")}
  store <{LANES} x i32> %pcs, ptr %pcp, align 64
  store i32 %m, ptr %lp, align 4
  store i32 0, ptr %bp, align 4
  store i32 0, ptr %tp, align 4
  store i32 0, ptr %rp, align 4
  %k1 = add i64 %k, 1
  %more = icmp ult i64 %k1, %count64
  br i1 %more, label %warp, label %done
done:
  ret void
}}

define i64 @ave_grid(ptr %g, i64 %first, i64 %last) #0 {{
entry:
{field("warps", "%wsp")}
{field("count", "%cnp")}
  %ws = load ptr, ptr %wsp, align 8
  %count = load i32, ptr %cnp, align 4
  %count64 = zext i32 %count to i64
  br label %block
block:
  %n = phi i64 [ %first, %entry ], [ %n1, %ended ]
  call void @ave_begin(ptr %g, i64 %n)
  br label %round
round:
  %r = phi i32 [ 0, %block ], [ %r1, %opens ]
  br label %visit
visit:
  %k = phi i64 [ 0, %round ], [ %k1, %visited ]
  %open = phi i32 [ 0, %round ], [ %open1, %visited ]
  %wp = getelementptr ptr, ptr %ws, i64 %k
  %w = load ptr, ptr %wp, align 8
{field("live", "%lp", "w")}
{field("steps", "%sp", "w")}
{field("barrier", "%rp", "w")}
  %live = load i32, ptr %lp, align 4
  %on = icmp ne i32 %live, 0
  br i1 %on, label %go, label %visited
go:
  store i32 {STEPS}, ptr %sp, align 4
  store i32 0, ptr %rp, align 4
  %code = call i32 @ave_warp(ptr %w, ptr %g)
  switch i32 %code, label %stop [ i32 {ENDED}, label %visited
                                  i32 {BARRIER}, label %waits ]
waits:
  store i32 1, ptr %rp, align 4
  br label %visited
visited:
  %add = phi i32 [ 0, %visit ], [ 0, %go ], [ 1, %waits ]
  %open1 = or i32 %open, %add
  %k1 = add i64 %k, 1
  %more = icmp ult i64 %k1, %count64
  br i1 %more, label %visit, label %after
after:
  ; All that live are at the barrier: it opens.
  %again = icmp ne i32 %open1, 0
  br i1 %again, label %opens, label %ended
opens:
  %r1 = add i32 %r, 1
  %long = icmp uge i32 %r1, {ROUNDS}
  br i1 %long, label %leave, label %round
leave:
{field("stopped", "%lstp")}
{field("fault_warp", "%lfwp")}
  store i32 {BARRIER}, ptr %lstp, align 4
  store i32 0, ptr %lfwp, align 4
  ret i64 %n
ended:
  %n1 = add i64 %n, 1
  %rest = icmp ult i64 %n1, %last
  br i1 %rest, label %block, label %over
over:
  ret i64 %last
stop:
{field("stopped", "%stp")}
{field("fault_warp", "%fwp")}
  store i32 %code, ptr %stp, align 4
  %k32 = trunc i64 %k to i32
  store i32 %k32, ptr %fwp, align 4
  ret i64 %n
}}
"""

DECLARED = (
    ("llvm.cttz.i32", "i32", ("i32", "i1")), (f"llvm.vector.reduce.smin.v{LANES}i32", "i32", (f"<{LANES} x i32>",)),
    ("llvm.memset.p0.i64", "void", ("ptr", "i8", "i64", "i1")),
)  # fmt: skip
