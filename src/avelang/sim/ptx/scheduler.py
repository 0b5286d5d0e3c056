"""LLVM IR of the function that runs one warp until it needs the host, ends, or has had its turn.

Lanes that stand at different places run in groups: always those whose block of code has the lowest number, so that lanes that went apart meet again
behind the branch; lanes that wait for others of their warp are left out until another group has moved. Now and then another group has a turn, so that lanes that
spin do not keep out the one that they wait for.
"""

from __future__ import annotations

from avelang.sim.ptx.memory_text import field
from avelang.sim.ptx.state import APART, ASKS, ENDED, EXITED, FAULT, LANES, STUCK, TURN, WAITS

OTHER = 255  # of so many choices among groups, one is for another group than the first

TEXT = f"""
declare i32 @llvm.cttz.i32(i32, i1)
declare i32 @llvm.vector.reduce.smin.v{LANES}i32(<{LANES} x i32>)

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
# What a host operation finds: ASKS, or FAULT for a wave that stopped.
STOPS = (ASKS, FAULT)
