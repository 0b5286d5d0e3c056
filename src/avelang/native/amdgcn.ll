; Made by `./dev native` of amdgcn/amdgcn.c, SHA-256 ec828cf444dd3fd027eb8bf1ec160ddc7157ad66fee88817d8d39f97537afbf3

%struct.WaveState = type { [160 x i32], i32, i32, i64, i32, i32, ptr, ptr, [344 x i8], [32768 x i32] }
%struct.FoundRecord = type { i32, i32, i64, i32, i32, i64, i64, [3 x i32], i32, i32, i32 }
%struct.Reached = type { [4 x i32], i32, i32 }
%struct.Other = type { i32, i32, i32, i32, i32 }
%struct.Access = type { ptr, ptr, ptr, ptr, i32, i32, i64, i32, i32 }
%struct.Granule = type { [16 x i32], i64, i32, i32 }
%struct.GlobalGranule = type { %struct.GlobalAccess, [2 x %struct.GlobalAccess], %struct.GlobalAccess }
%struct.GlobalAccess = type { i64, i64 }
%struct.GlobalRegion = type { i64, i64, ptr }

@ave_maker = local_unnamed_addr global ptr null, align 8
@ave_blocks = external local_unnamed_addr global [0 x ptr], align 8

define hidden void @ave_start(ptr noundef %g) local_unnamed_addr #0 {
entry:
  %item_registers = getelementptr inbounds nuw i8, ptr %g, i64 128
  %0 = load i32, ptr %item_registers, align 8
  %conv = zext i32 %0 to i64
  %mul1 = shl nuw nsw i64 %conv, 8
  %waves = getelementptr inbounds nuw i8, ptr %g, i64 12
  %1 = load i32, ptr %waves, align 4
  %cmp56.not = icmp eq i32 %1, 0
  br i1 %cmp56.not, label %for.cond.cleanup, label %for.body.lr.ph

for.body.lr.ph:
  %wave_states = getelementptr inbounds nuw i8, ptr %g, i64 16
  %template = getelementptr inbounds nuw i8, ptr %g, i64 112
  %items = getelementptr inbounds nuw i8, ptr %g, i64 120
  %id_cell = getelementptr inbounds nuw i8, ptr %g, i64 132
  %id_mask = getelementptr inbounds nuw i8, ptr %g, i64 136
  %id = getelementptr inbounds nuw i8, ptr %g, i64 80
  %last_exec = getelementptr inbounds nuw i8, ptr %g, i64 176
  br label %for.body

for.cond.cleanup:
  tail call void @ave_check_start(ptr noundef nonnull %g) #21
  ret void

for.body:
  %indvars.iv59 = phi i64 [ 0, %for.body.lr.ph ], [ %indvars.iv.next60, %if.end24 ]
  %2 = load ptr, ptr %wave_states, align 8
  %arrayidx = getelementptr inbounds nuw %struct.WaveState, ptr %2, i64 %indvars.iv59
  %3 = load ptr, ptr %template, align 8
  tail call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(544) %arrayidx, ptr noundef nonnull align 4 dereferenceable(544) %3, i64 544, i1 false)
  %pc = getelementptr inbounds nuw i8, ptr %arrayidx, i64 640
  store i32 0, ptr %pc, align 8
  %status = getelementptr inbounds nuw i8, ptr %arrayidx, i64 644
  store i32 0, ptr %status, align 4
  %index = getelementptr inbounds nuw i8, ptr %arrayidx, i64 656
  %4 = trunc nuw i64 %indvars.iv59 to i32
  store i32 %4, ptr %index, align 8
  %epoch = getelementptr inbounds nuw i8, ptr %arrayidx, i64 660
  store i32 0, ptr %epoch, align 4
  %vectors = getelementptr inbounds nuw i8, ptr %arrayidx, i64 1024
  %5 = load ptr, ptr %items, align 8
  %mul5 = mul i64 %mul1, %indvars.iv59
  %add.ptr = getelementptr inbounds nuw i8, ptr %5, i64 %mul5
  tail call void @llvm.memcpy.p0.p0.i64(ptr nonnull align 8 %vectors, ptr align 1 %add.ptr, i64 %mul1, i1 false)
  %6 = load i32, ptr %id_cell, align 4
  br label %for.body10

for.cond.cleanup9:
  %indvars.iv.next60 = add nuw nsw i64 %indvars.iv59, 1
  %7 = load i32, ptr %waves, align 4
  %8 = zext i32 %7 to i64
  %cmp20 = icmp eq i64 %indvars.iv.next60, %8
  br i1 %cmp20, label %if.then22, label %if.end24

for.body10:
  %indvars.iv = phi i64 [ 0, %for.body ], [ %indvars.iv.next, %for.inc ]
  %at.054 = phi i32 [ %6, %for.body ], [ %at.1, %for.inc ]
  %9 = load i32, ptr %id_mask, align 8
  %10 = trunc nuw nsw i64 %indvars.iv to i32
  %11 = shl nuw nsw i32 1, %10
  %12 = and i32 %9, %11
  %tobool.not = icmp eq i32 %12, 0
  br i1 %tobool.not, label %for.inc, label %if.then

if.then:
  %arrayidx12 = getelementptr inbounds nuw i32, ptr %id, i64 %indvars.iv
  %13 = load i32, ptr %arrayidx12, align 4
  %inc = add i32 %at.054, 1
  %idxprom14 = zext i32 %at.054 to i64
  %arrayidx15 = getelementptr inbounds nuw i32, ptr %arrayidx, i64 %idxprom14
  store i32 %13, ptr %arrayidx15, align 4
  br label %for.inc

for.inc:
  %at.1 = phi i32 [ %inc, %if.then ], [ %at.054, %for.body10 ]
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, 3
  br i1 %exitcond.not, label %for.cond.cleanup9, label %for.body10

if.then22:
  %arrayidx18 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 504
  %14 = load i64, ptr %last_exec, align 8
  %15 = load i64, ptr %arrayidx18, align 8
  %and23 = and i64 %15, %14
  store i64 %and23, ptr %arrayidx18, align 8
  %.pre = load i32, ptr %waves, align 4
  %.pre62 = zext i32 %.pre to i64
  br label %if.end24

if.end24:
  %.pre-phi = phi i64 [ %.pre62, %if.then22 ], [ %8, %for.cond.cleanup9 ]
  %cmp = icmp samesign ult i64 %indvars.iv.next60, %.pre-phi
  br i1 %cmp, label %for.body, label %for.cond.cleanup
}

declare void @llvm.lifetime.start.p0(ptr captures(none)) #1

declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg) #2

declare void @llvm.lifetime.end.p0(ptr captures(none)) #1

declare void @ave_check_start(ptr noundef) local_unnamed_addr

define hidden void @ave_order(ptr noundef captures(none) %g) local_unnamed_addr #4 {
entry:
  %waves1 = getelementptr inbounds nuw i8, ptr %g, i64 12
  %0 = load i32, ptr %waves1, align 4
  %cmp56.not = icmp eq i32 %0, 0
  %order4.phi.trans.insert = getelementptr inbounds nuw i8, ptr %g, i64 104
  %.pre = load i32, ptr %order4.phi.trans.insert, align 8
  br i1 %cmp56.not, label %for.cond.cleanup, label %for.body.lr.ph

for.body.lr.ph:
  %cmp2 = icmp eq i32 %.pre, 1
  %permutation = getelementptr inbounds nuw i8, ptr %g, i64 188
  %wide.trip.count = zext i32 %0 to i64
  br label %for.body

for.cond.cleanup:
  %cmp5.not = icmp eq i32 %.pre, 2
  br i1 %cmp5.not, label %for.cond7.preheader, label %cleanup

for.cond7.preheader:
  %k.058 = add i32 %0, -1
  %cmp8.not59 = icmp eq i32 %k.058, 0
  br i1 %cmp8.not59, label %cleanup, label %for.body10.lr.ph

for.body10.lr.ph:
  %seed = getelementptr inbounds nuw i8, ptr %g, i64 108
  %permutation15 = getelementptr inbounds nuw i8, ptr %g, i64 188
  %seed.promoted = load i32, ptr %seed, align 4
  %1 = zext i32 %k.058 to i64
  br label %for.body10

for.body:
  %indvars.iv = phi i64 [ 0, %for.body.lr.ph ], [ %indvars.iv.next, %for.body ]
  %2 = trunc nuw i64 %indvars.iv to i32
  %3 = xor i32 %2, -1
  %sub3 = add i32 %0, %3
  %cond = select i1 %cmp2, i32 %sub3, i32 %2
  %arrayidx = getelementptr inbounds nuw i32, ptr %permutation, i64 %indvars.iv
  store i32 %cond, ptr %arrayidx, align 4
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count
  br i1 %exitcond.not, label %for.cond.cleanup, label %for.body

for.body10:
  %indvars.iv63 = phi i64 [ %1, %for.body10.lr.ph ], [ %indvars.iv.next64, %for.body10 ]
  %4 = phi i32 [ %seed.promoted, %for.body10.lr.ph ], [ %xor13, %for.body10 ]
  %k.0.in60 = phi i32 [ %0, %for.body10.lr.ph ], [ %8, %for.body10 ]
  %shl = shl i32 %4, 13
  %xor = xor i32 %shl, %4
  %shr = lshr i32 %xor, 17
  %xor11 = xor i32 %shr, %xor
  %shl12 = shl i32 %xor11, 5
  %xor13 = xor i32 %shl12, %xor11
  %rem = urem i32 %xor13, %k.0.in60
  %arrayidx17 = getelementptr inbounds nuw i32, ptr %permutation15, i64 %indvars.iv63
  %5 = load i32, ptr %arrayidx17, align 4
  %idxprom19 = zext i32 %rem to i64
  %arrayidx20 = getelementptr inbounds nuw i32, ptr %permutation15, i64 %idxprom19
  %6 = load i32, ptr %arrayidx20, align 4
  store i32 %6, ptr %arrayidx17, align 4
  store i32 %5, ptr %arrayidx20, align 4
  %indvars.iv.next64 = add nsw i64 %indvars.iv63, -1
  %7 = and i64 %indvars.iv.next64, 4294967295
  %cmp8.not = icmp eq i64 %7, 0
  %8 = trunc nuw i64 %indvars.iv63 to i32
  br i1 %cmp8.not, label %for.cond7.cleanup.loopexit_crit_edge, label %for.body10

for.cond7.cleanup.loopexit_crit_edge:
  store i32 %xor13, ptr %seed, align 4
  br label %cleanup

cleanup:
  ret void
}

define range(i32 0, 2) i32 @ave_run(ptr noundef %g, i64 noundef %first, i64 noundef %last) local_unnamed_addr #5 {
entry:
  %grid.i = getelementptr inbounds nuw i8, ptr %g, i64 92
  %0 = load i32, ptr %grid.i, align 4
  %conv.i = zext i32 %0 to i64
  %arrayidx2.i = getelementptr inbounds nuw i8, ptr %g, i64 96
  %1 = load i32, ptr %arrayidx2.i, align 4
  %conv3.i = zext i32 %1 to i64
  %cmp.not.i36 = icmp ult i64 %first, %last
  br i1 %cmp.not.i36, label %for.body.i.lr.ph, label %run.exit

for.body.i.lr.ph:
  %id.i = getelementptr inbounds nuw i8, ptr %g, i64 80
  %arrayidx10.i = getelementptr inbounds nuw i8, ptr %g, i64 84
  %arrayidx15.i = getelementptr inbounds nuw i8, ptr %g, i64 88
  %linear.i = getelementptr inbounds nuw i8, ptr %g, i64 320
  %trace.i = getelementptr inbounds nuw i8, ptr %g, i64 344
  %trace_end.i = getelementptr inbounds nuw i8, ptr %g, i64 352
  %wave_states.i = getelementptr inbounds nuw i8, ptr %g, i64 16
  %waves2.i = getelementptr inbounds nuw i8, ptr %g, i64 12
  %permutation.i = getelementptr inbounds nuw i8, ptr %g, i64 188
  %current.i = getelementptr inbounds nuw i8, ptr %g, i64 264
  %stop.i = getelementptr inbounds nuw i8, ptr %g, i64 328
  br label %for.body.i

for.body.i:
  %at.0.i37 = phi i64 [ %first, %for.body.i.lr.ph ], [ %inc.i, %for.inc.i ]
  %rem.i = urem i64 %at.0.i37, %conv.i
  %conv5.i = trunc nuw i64 %rem.i to i32
  store i32 %conv5.i, ptr %id.i, align 8
  %div.i = udiv i64 %at.0.i37, %conv.i
  %rem7.i = urem i64 %div.i, %conv3.i
  %conv8.i = trunc nuw i64 %rem7.i to i32
  store i32 %conv8.i, ptr %arrayidx10.i, align 4
  %div12.i = udiv i64 %div.i, %conv3.i
  %conv13.i = trunc i64 %div12.i to i32
  store i32 %conv13.i, ptr %arrayidx15.i, align 8
  store i64 %at.0.i37, ptr %linear.i, align 8
  %2 = load ptr, ptr %trace.i, align 8
  %tobool.not.i1 = icmp eq ptr %2, null
  br i1 %tobool.not.i1, label %record.exit, label %if.end.i

if.end.i:
  %3 = load ptr, ptr %trace_end.i, align 8
  %cmp.i = icmp ult ptr %2, %3
  br i1 %cmp.i, label %if.then2.i, label %if.end9.i

if.then2.i:
  %and.i = shl i64 %at.0.i37, 24
  %shl4.i = and i64 %and.i, 72057594021150720
  %or5.i = or disjoint i64 %shl4.i, 1152921504606846976
  store i64 %or5.i, ptr %2, align 8
  %.pre = load ptr, ptr %trace.i, align 8
  br label %if.end9.i

if.end9.i:
  %4 = phi ptr [ %.pre, %if.then2.i ], [ %2, %if.end.i ]
  %incdec.ptr.i = getelementptr inbounds nuw i8, ptr %4, i64 8
  store ptr %incdec.ptr.i, ptr %trace.i, align 8
  br label %record.exit

record.exit:
  tail call void @ave_start(ptr noundef nonnull %g) #22
  %5 = load ptr, ptr %wave_states.i, align 8
  br label %for.body.i4

for.cond.i2.loopexit:
  br i1 %open.2.i, label %for.body.i4, label %for.inc.i

for.body.i4:
  tail call void @ave_order(ptr noundef nonnull %g) #22
  %6 = load i32, ptr %waves2.i, align 4
  %cmp.not.i531.not = icmp eq i32 %6, 0
  br i1 %cmp.not.i531.not, label %for.inc.i, label %for.body4.i

for.cond12.i.preheader:
  %cmp14.i33.not = icmp eq i32 %17, 0
  br i1 %cmp14.i33.not, label %for.inc.i, label %for.body16.i

for.body4.i:
  %7 = phi i32 [ %17, %if.end.i6 ], [ %6, %for.body.i4 ]
  %indvars.iv = phi i64 [ %indvars.iv.next, %if.end.i6 ], [ 0, %for.body.i4 ]
  %arrayidx.i = getelementptr inbounds nuw i32, ptr %permutation.i, i64 %indvars.iv
  %8 = load i32, ptr %arrayidx.i, align 4
  %idxprom5.i = zext i32 %8 to i64
  %arrayidx6.i = getelementptr inbounds nuw %struct.WaveState, ptr %5, i64 %idxprom5.i
  %status.i = getelementptr inbounds nuw i8, ptr %arrayidx6.i, i64 644
  %9 = load i32, ptr %status.i, align 4
  %cmp7.i = icmp eq i32 %9, 0
  br i1 %cmp7.i, label %land.lhs.true.i, label %if.end.i6

land.lhs.true.i:
  store ptr %arrayidx6.i, ptr %current.i, align 8
  %pc1.i = getelementptr inbounds nuw i8, ptr %arrayidx6.i, i64 640
  %10 = load i32, ptr %pc1.i, align 8
  %index.i = getelementptr inbounds nuw i8, ptr %arrayidx6.i, i64 656
  br label %for.cond.i10

for.cond.i10:
  %pc.0.i = phi i32 [ %10, %land.lhs.true.i ], [ %call6.i, %lor.lhs.false16.i ]
  %idxprom.i11 = sext i32 %pc.0.i to i64
  %arrayidx.i12 = getelementptr inbounds ptr, ptr @ave_blocks, i64 %idxprom.i11
  %11 = load ptr, ptr %arrayidx.i12, align 8
  %12 = load i32, ptr %index.i, align 8
  %conv.i13 = zext i32 %12 to i64
  %conv5.i14 = zext i32 %pc.0.i to i64
  %13 = load ptr, ptr %trace.i, align 8
  %tobool.not.i.i = icmp eq ptr %13, null
  br i1 %tobool.not.i.i, label %record.exit.i, label %if.end.i.i

if.end.i.i:
  %14 = load ptr, ptr %trace_end.i, align 8
  %cmp.i.i = icmp ult ptr %13, %14
  br i1 %cmp.i.i, label %if.then2.i.i, label %if.end9.i.i

if.then2.i.i:
  %shl3.i.i = shl i64 %conv.i13, 56
  %and.i.i = shl nuw nsw i64 %conv5.i14, 24
  %or.i.i = or disjoint i64 %shl3.i.i, %and.i.i
  %or5.i.i = or i64 %or.i.i, 2305843009213693952
  store i64 %or5.i.i, ptr %13, align 8
  %.pre46 = load ptr, ptr %trace.i, align 8
  br label %if.end9.i.i

if.end9.i.i:
  %15 = phi ptr [ %.pre46, %if.then2.i.i ], [ %13, %if.end.i.i ]
  %incdec.ptr.i.i = getelementptr inbounds nuw i8, ptr %15, i64 8
  store ptr %incdec.ptr.i.i, ptr %trace.i, align 8
  br label %record.exit.i

record.exit.i:
  %call6.i = tail call i32 %11(ptr noundef nonnull %arrayidx6.i, ptr noundef nonnull %g) #21
  %or.cond22.i = icmp ugt i32 %call6.i, -3
  br i1 %or.cond22.i, label %run_wave.exit.thread, label %if.end13.i

run_wave.exit.thread:
  %cmp8.i = icmp eq i32 %call6.i, -1
  %cond.i = select i1 %cmp8.i, i32 2, i32 1
  store i32 %cond.i, ptr %status.i, align 4
  %.pre47 = load i32, ptr %waves2.i, align 4
  br label %if.end.i6

if.end13.i:
  %cmp14.i15 = icmp slt i32 %call6.i, 0
  br i1 %cmp14.i15, label %run_group.exit, label %lor.lhs.false16.i

lor.lhs.false16.i:
  %16 = load atomic i32, ptr %stop.i monotonic, align 8
  %tobool17.not.i = icmp eq i32 %16, 0
  br i1 %tobool17.not.i, label %for.cond.i10, label %run_group.exit

if.end.i6:
  %17 = phi i32 [ %.pre47, %run_wave.exit.thread ], [ %7, %for.body4.i ]
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %18 = zext i32 %17 to i64
  %cmp.not.i5 = icmp samesign ult i64 %indvars.iv.next, %18
  br i1 %cmp.not.i5, label %for.body4.i, label %for.cond12.i.preheader

for.body16.i:
  %19 = phi i32 [ %21, %for.inc26.i ], [ %17, %for.cond12.i.preheader ]
  %indvars.iv44 = phi i64 [ %indvars.iv.next45, %for.inc26.i ], [ 0, %for.cond12.i.preheader ]
  %open.1.i34 = phi i1 [ %open.2.i, %for.inc26.i ], [ false, %for.cond12.i.preheader ]
  %arrayidx18.i = getelementptr inbounds nuw %struct.WaveState, ptr %5, i64 %indvars.iv44
  %status19.i = getelementptr inbounds nuw i8, ptr %arrayidx18.i, i64 644
  %20 = load i32, ptr %status19.i, align 4
  %cmp20.i = icmp eq i32 %20, 1
  br i1 %cmp20.i, label %if.then21.i, label %for.inc26.i

if.then21.i:
  store i32 0, ptr %status19.i, align 4
  %.pre48 = load i32, ptr %waves2.i, align 4
  br label %for.inc26.i

for.inc26.i:
  %21 = phi i32 [ %.pre48, %if.then21.i ], [ %19, %for.body16.i ]
  %open.2.i = phi i1 [ true, %if.then21.i ], [ %open.1.i34, %for.body16.i ]
  %indvars.iv.next45 = add nuw nsw i64 %indvars.iv44, 1
  %22 = zext i32 %21 to i64
  %cmp14.i = icmp samesign ult i64 %indvars.iv.next45, %22
  br i1 %cmp14.i, label %for.body16.i, label %for.cond.i2.loopexit

run_group.exit:
  %23 = load i32, ptr %index.i, align 8
  %fault_wave.i = getelementptr inbounds nuw i8, ptr %g, i64 60
  store i32 %23, ptr %fault_wave.i, align 4
  br label %run.exit

for.inc.i:
  %inc.i = add nuw i64 %at.0.i37, 1
  %exitcond.not = icmp eq i64 %inc.i, %last
  br i1 %exitcond.not, label %run.exit, label %for.body.i

run.exit:
  %cmp.not.i30 = phi i32 [ 1, %run_group.exit ], [ 0, %entry ], [ 0, %for.inc.i ]
  ret i32 %cmp.not.i30
}

define range(i32 0, 2) i32 @ave_run_later(ptr noundef %g, i64 noundef %first, i64 noundef %last) local_unnamed_addr #5 {
entry:
  %grid.i = getelementptr inbounds nuw i8, ptr %g, i64 92
  %0 = load i32, ptr %grid.i, align 4
  %conv.i = zext i32 %0 to i64
  %arrayidx2.i = getelementptr inbounds nuw i8, ptr %g, i64 96
  %1 = load i32, ptr %arrayidx2.i, align 4
  %conv3.i = zext i32 %1 to i64
  %cmp.not.i37 = icmp ult i64 %first, %last
  br i1 %cmp.not.i37, label %for.body.i.lr.ph, label %run.exit

for.body.i.lr.ph:
  %id.i = getelementptr inbounds nuw i8, ptr %g, i64 80
  %arrayidx10.i = getelementptr inbounds nuw i8, ptr %g, i64 84
  %arrayidx15.i = getelementptr inbounds nuw i8, ptr %g, i64 88
  %linear.i = getelementptr inbounds nuw i8, ptr %g, i64 320
  %trace.i = getelementptr inbounds nuw i8, ptr %g, i64 344
  %trace_end.i = getelementptr inbounds nuw i8, ptr %g, i64 352
  %wave_states.i = getelementptr inbounds nuw i8, ptr %g, i64 16
  %waves2.i = getelementptr inbounds nuw i8, ptr %g, i64 12
  %permutation.i = getelementptr inbounds nuw i8, ptr %g, i64 188
  %current.i = getelementptr inbounds nuw i8, ptr %g, i64 264
  %stop.i = getelementptr inbounds nuw i8, ptr %g, i64 328
  br label %for.body.i

for.body.i:
  %at.0.i38 = phi i64 [ %first, %for.body.i.lr.ph ], [ %inc.i, %for.inc.i ]
  %rem.i = urem i64 %at.0.i38, %conv.i
  %conv5.i = trunc nuw i64 %rem.i to i32
  store i32 %conv5.i, ptr %id.i, align 8
  %div.i = udiv i64 %at.0.i38, %conv.i
  %rem7.i = urem i64 %div.i, %conv3.i
  %conv8.i = trunc nuw i64 %rem7.i to i32
  store i32 %conv8.i, ptr %arrayidx10.i, align 4
  %div12.i = udiv i64 %div.i, %conv3.i
  %conv13.i = trunc i64 %div12.i to i32
  store i32 %conv13.i, ptr %arrayidx15.i, align 8
  store i64 %at.0.i38, ptr %linear.i, align 8
  %2 = load ptr, ptr %trace.i, align 8
  %tobool.not.i1 = icmp eq ptr %2, null
  br i1 %tobool.not.i1, label %record.exit, label %if.end.i

if.end.i:
  %3 = load ptr, ptr %trace_end.i, align 8
  %cmp.i = icmp ult ptr %2, %3
  br i1 %cmp.i, label %if.then2.i, label %if.end9.i

if.then2.i:
  %and.i = shl i64 %at.0.i38, 24
  %shl4.i = and i64 %and.i, 72057594021150720
  %or5.i = or disjoint i64 %shl4.i, 1152921504606846976
  store i64 %or5.i, ptr %2, align 8
  %.pre = load ptr, ptr %trace.i, align 8
  br label %if.end9.i

if.end9.i:
  %4 = phi ptr [ %.pre, %if.then2.i ], [ %2, %if.end.i ]
  %incdec.ptr.i = getelementptr inbounds nuw i8, ptr %4, i64 8
  store ptr %incdec.ptr.i, ptr %trace.i, align 8
  br label %record.exit

record.exit:
  tail call void @ave_start(ptr noundef nonnull %g) #22
  %5 = load ptr, ptr %wave_states.i, align 8
  br label %for.body.i4

for.cond.i2.loopexit:
  br i1 %open.2.i, label %for.body.i4, label %for.inc.i

for.body.i4:
  tail call void @ave_order(ptr noundef nonnull %g) #22
  %6 = load i32, ptr %waves2.i, align 4
  %cmp.not.i532.not = icmp eq i32 %6, 0
  br i1 %cmp.not.i532.not, label %for.inc.i, label %for.body4.i

for.cond12.i.preheader:
  %cmp14.i34.not = icmp eq i32 %18, 0
  br i1 %cmp14.i34.not, label %for.inc.i, label %for.body16.i

for.body4.i:
  %7 = phi i32 [ %18, %if.end.i6 ], [ %6, %for.body.i4 ]
  %indvars.iv = phi i64 [ %indvars.iv.next, %if.end.i6 ], [ 0, %for.body.i4 ]
  %arrayidx.i = getelementptr inbounds nuw i32, ptr %permutation.i, i64 %indvars.iv
  %8 = load i32, ptr %arrayidx.i, align 4
  %idxprom5.i = zext i32 %8 to i64
  %arrayidx6.i = getelementptr inbounds nuw %struct.WaveState, ptr %5, i64 %idxprom5.i
  %status.i = getelementptr inbounds nuw i8, ptr %arrayidx6.i, i64 644
  %9 = load i32, ptr %status.i, align 4
  %cmp7.i = icmp eq i32 %9, 0
  br i1 %cmp7.i, label %land.lhs.true.i, label %if.end.i6

land.lhs.true.i:
  store ptr %arrayidx6.i, ptr %current.i, align 8
  %pc1.i = getelementptr inbounds nuw i8, ptr %arrayidx6.i, i64 640
  %10 = load i32, ptr %pc1.i, align 8
  %index.i = getelementptr inbounds nuw i8, ptr %arrayidx6.i, i64 656
  br label %for.cond.i10.outer

for.cond.i10.outer:
  %pc.0.i.ph = phi i32 [ %call6.i, %lor.lhs.false16.i ], [ %10, %land.lhs.true.i ]
  %idxprom.i11 = sext i32 %pc.0.i.ph to i64
  %arrayidx.i12 = getelementptr inbounds ptr, ptr @ave_blocks, i64 %idxprom.i11
  br label %for.cond.i10

for.cond.i10:
  %11 = load ptr, ptr %arrayidx.i12, align 8
  %tobool.i = icmp eq ptr %11, null
  br i1 %tobool.i, label %if.then.i, label %if.end4.i

if.then.i:
  %12 = load ptr, ptr @ave_maker, align 8
  %call.i = tail call i32 %12(i32 noundef %pc.0.i.ph) #21
  %tobool2.not.i = icmp eq i32 %call.i, 0
  br i1 %tobool2.not.i, label %for.cond.i10, label %run_group.exit

if.end4.i:
  %13 = load i32, ptr %index.i, align 8
  %conv.i13 = zext i32 %13 to i64
  %conv5.i14 = zext i32 %pc.0.i.ph to i64
  %14 = load ptr, ptr %trace.i, align 8
  %tobool.not.i.i = icmp eq ptr %14, null
  br i1 %tobool.not.i.i, label %record.exit.i, label %if.end.i.i

if.end.i.i:
  %15 = load ptr, ptr %trace_end.i, align 8
  %cmp.i.i = icmp ult ptr %14, %15
  br i1 %cmp.i.i, label %if.then2.i.i, label %if.end9.i.i

if.then2.i.i:
  %shl3.i.i = shl i64 %conv.i13, 56
  %and.i.i = shl nuw nsw i64 %conv5.i14, 24
  %or.i.i = or disjoint i64 %shl3.i.i, %and.i.i
  %or5.i.i = or i64 %or.i.i, 2305843009213693952
  store i64 %or5.i.i, ptr %14, align 8
  %.pre46 = load ptr, ptr %trace.i, align 8
  br label %if.end9.i.i

if.end9.i.i:
  %16 = phi ptr [ %.pre46, %if.then2.i.i ], [ %14, %if.end.i.i ]
  %incdec.ptr.i.i = getelementptr inbounds nuw i8, ptr %16, i64 8
  store ptr %incdec.ptr.i.i, ptr %trace.i, align 8
  br label %record.exit.i

record.exit.i:
  %call6.i = tail call i32 %11(ptr noundef nonnull %arrayidx6.i, ptr noundef nonnull %g) #21
  %or.cond22.i = icmp ugt i32 %call6.i, -3
  br i1 %or.cond22.i, label %run_wave.exit.thread, label %if.end13.i

run_wave.exit.thread:
  %cmp8.i = icmp eq i32 %call6.i, -1
  %cond.i = select i1 %cmp8.i, i32 2, i32 1
  store i32 %cond.i, ptr %status.i, align 4
  %.pre47 = load i32, ptr %waves2.i, align 4
  br label %if.end.i6

if.end13.i:
  %cmp14.i15 = icmp slt i32 %call6.i, 0
  br i1 %cmp14.i15, label %run_group.exit, label %lor.lhs.false16.i

lor.lhs.false16.i:
  %17 = load atomic i32, ptr %stop.i monotonic, align 8
  %tobool17.not.i = icmp eq i32 %17, 0
  br i1 %tobool17.not.i, label %for.cond.i10.outer, label %run_group.exit

if.end.i6:
  %18 = phi i32 [ %.pre47, %run_wave.exit.thread ], [ %7, %for.body4.i ]
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %19 = zext i32 %18 to i64
  %cmp.not.i5 = icmp samesign ult i64 %indvars.iv.next, %19
  br i1 %cmp.not.i5, label %for.body4.i, label %for.cond12.i.preheader

for.body16.i:
  %20 = phi i32 [ %22, %for.inc26.i ], [ %18, %for.cond12.i.preheader ]
  %indvars.iv44 = phi i64 [ %indvars.iv.next45, %for.inc26.i ], [ 0, %for.cond12.i.preheader ]
  %open.1.i35 = phi i1 [ %open.2.i, %for.inc26.i ], [ false, %for.cond12.i.preheader ]
  %arrayidx18.i = getelementptr inbounds nuw %struct.WaveState, ptr %5, i64 %indvars.iv44
  %status19.i = getelementptr inbounds nuw i8, ptr %arrayidx18.i, i64 644
  %21 = load i32, ptr %status19.i, align 4
  %cmp20.i = icmp eq i32 %21, 1
  br i1 %cmp20.i, label %if.then21.i, label %for.inc26.i

if.then21.i:
  store i32 0, ptr %status19.i, align 4
  %.pre48 = load i32, ptr %waves2.i, align 4
  br label %for.inc26.i

for.inc26.i:
  %22 = phi i32 [ %.pre48, %if.then21.i ], [ %20, %for.body16.i ]
  %open.2.i = phi i1 [ true, %if.then21.i ], [ %open.1.i35, %for.body16.i ]
  %indvars.iv.next45 = add nuw nsw i64 %indvars.iv44, 1
  %23 = zext i32 %22 to i64
  %cmp14.i = icmp samesign ult i64 %indvars.iv.next45, %23
  br i1 %cmp14.i, label %for.body16.i, label %for.cond.i2.loopexit

run_group.exit:
  %24 = load i32, ptr %index.i, align 8
  %fault_wave.i = getelementptr inbounds nuw i8, ptr %g, i64 60
  store i32 %24, ptr %fault_wave.i, align 4
  br label %run.exit

for.inc.i:
  %inc.i = add nuw i64 %at.0.i38, 1
  %exitcond.not = icmp eq i64 %inc.i, %last
  br i1 %exitcond.not, label %run.exit, label %for.body.i

run.exit:
  %cmp.not.i31 = phi i32 [ 1, %run_group.exit ], [ 0, %entry ], [ 0, %for.inc.i ]
  ret i32 %cmp.not.i31
}

define hidden range(i32 0, 2) i32 @ave_check_found(ptr noundef readonly captures(none) %g, i32 noundef %index, i64 noundef %key, i1 noundef %severe) local_unnamed_addr #6 {
entry:
  %collect = getelementptr inbounds nuw i8, ptr %g, i64 280
  %0 = load i32, ptr %collect, align 8
  %tobool = icmp eq i32 %0, 0
  %or.cond = and i1 %severe, %tobool
  br i1 %or.cond, label %return, label %if.end

if.end:
  %reports = getelementptr inbounds nuw i8, ptr %g, i64 272
  %1 = load ptr, ptr %reports, align 8
  %2 = load i32, ptr %1, align 8
  %fault_code = getelementptr inbounds nuw i8, ptr %g, i64 48
  %3 = load i32, ptr %fault_code, align 8
  %cmp.not80.not = icmp eq i32 %2, 0
  br i1 %cmp.not80.not, label %if.end15, label %for.body.lr.ph

for.body.lr.ph:
  %entries = getelementptr inbounds nuw i8, ptr %1, i64 64
  %wide.trip.count = zext i32 %2 to i64
  br label %for.body

for.body:
  %indvars.iv = phi i64 [ 0, %for.body.lr.ph ], [ %indvars.iv.next, %for.inc ]
  %arrayidx = getelementptr inbounds nuw %struct.FoundRecord, ptr %entries, i64 %indvars.iv
  %4 = load i32, ptr %arrayidx, align 8
  %cmp3.not = icmp eq i32 %4, %3
  br i1 %cmp3.not, label %lor.lhs.false, label %for.inc

lor.lhs.false:
  %instruction = getelementptr inbounds nuw i8, ptr %arrayidx, i64 4
  %5 = load i32, ptr %instruction, align 4
  %cmp4.not = icmp eq i32 %5, %index
  br i1 %cmp4.not, label %lor.lhs.false5, label %for.inc

lor.lhs.false5:
  %key6 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 8
  %6 = load i64, ptr %key6, align 8
  %cmp7.not = icmp eq i64 %6, %key
  br i1 %cmp7.not, label %if.end9, label %for.inc

if.end9:
  %times = getelementptr inbounds nuw i8, ptr %arrayidx, i64 52
  %7 = load i32, ptr %times, align 4
  %inc = add i32 %7, 1
  store i32 %inc, ptr %times, align 4
  br label %return

for.inc:
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count
  br i1 %exitcond.not, label %for.end, label %for.body

for.end:
  %cmp13.old = icmp ugt i32 %2, 1023
  br i1 %cmp13.old, label %return, label %if.end15

if.end15:
  %entries17 = getelementptr inbounds nuw i8, ptr %1, i64 64
  %idxprom18 = zext nneg i32 %2 to i64
  %arrayidx19 = getelementptr inbounds nuw %struct.FoundRecord, ptr %entries17, i64 %idxprom18
  store i32 %3, ptr %arrayidx19, align 8
  %instruction21 = getelementptr inbounds nuw i8, ptr %arrayidx19, i64 4
  store i32 %index, ptr %instruction21, align 4
  %key22 = getelementptr inbounds nuw i8, ptr %arrayidx19, i64 8
  store i64 %key, ptr %key22, align 8
  %fault_lane = getelementptr inbounds nuw i8, ptr %g, i64 56
  %8 = load i32, ptr %fault_lane, align 8
  %lane = getelementptr inbounds nuw i8, ptr %arrayidx19, i64 16
  store i32 %8, ptr %lane, align 8
  %current = getelementptr inbounds nuw i8, ptr %g, i64 264
  %9 = load ptr, ptr %current, align 8
  %index23 = getelementptr inbounds nuw i8, ptr %9, i64 656
  %10 = load i32, ptr %index23, align 8
  %wave = getelementptr inbounds nuw i8, ptr %arrayidx19, i64 20
  store i32 %10, ptr %wave, align 4
  %fault_address = getelementptr inbounds nuw i8, ptr %g, i64 64
  %11 = load i64, ptr %fault_address, align 8
  %address = getelementptr inbounds nuw i8, ptr %arrayidx19, i64 24
  store i64 %11, ptr %address, align 8
  %fault_extra = getelementptr inbounds nuw i8, ptr %g, i64 72
  %12 = load i64, ptr %fault_extra, align 8
  %extra = getelementptr inbounds nuw i8, ptr %arrayidx19, i64 32
  store i64 %12, ptr %extra, align 8
  %id = getelementptr inbounds nuw i8, ptr %g, i64 80
  %13 = load i32, ptr %id, align 8
  %group = getelementptr inbounds nuw i8, ptr %arrayidx19, i64 40
  store i32 %13, ptr %group, align 8
  %arrayidx27 = getelementptr inbounds nuw i8, ptr %g, i64 84
  %14 = load i32, ptr %arrayidx27, align 4
  %arrayidx29 = getelementptr inbounds nuw i8, ptr %arrayidx19, i64 44
  store i32 %14, ptr %arrayidx29, align 4
  %arrayidx31 = getelementptr inbounds nuw i8, ptr %g, i64 88
  %15 = load i32, ptr %arrayidx31, align 8
  %arrayidx33 = getelementptr inbounds nuw i8, ptr %arrayidx19, i64 48
  store i32 %15, ptr %arrayidx33, align 8
  %times34 = getelementptr inbounds nuw i8, ptr %arrayidx19, i64 52
  store i32 1, ptr %times34, align 4
  %conv = zext i1 %severe to i32
  %severe36 = getelementptr inbounds nuw i8, ptr %arrayidx19, i64 56
  store i32 %conv, ptr %severe36, align 8
  %add = add nuw nsw i32 %2, 1
  store i32 %add, ptr %1, align 8
  br label %return

return:
  %retval.4 = phi i32 [ 1, %entry ], [ 0, %for.end ], [ 0, %if.end9 ], [ 0, %if.end15 ]
  ret i32 %retval.4
}

define hidden range(i32 0, 2) i32 @ave_check_use(ptr noundef captures(none) %c, ptr noundef captures(none) %g, ptr noundef readonly captures(none) %list, i32 noundef %n, i32 noundef %index) local_unnamed_addr #6 {
entry:
  %0 = load <4 x i32>, ptr %c, align 8
  %done = getelementptr inbounds nuw i8, ptr %c, i64 16
  %1 = load <4 x i32>, ptr %done, align 8
  %xor = xor <4 x i32> %1, %0
  %rdx.or = tail call i32 @llvm.vector.reduce.or.v4i32(<4 x i32> %xor)
  %tobool.not = icmp ne i32 %rdx.or, 0
  %cmp103 = icmp ne i32 %n, 0
  %or.cond105 = and i1 %tobool.not, %cmp103
  br i1 %or.cond105, label %for.body.lr.ph, label %return

for.body.lr.ph:
  %pending11 = getelementptr inbounds nuw i8, ptr %c, i64 128
  %touched = getelementptr inbounds nuw i8, ptr %c, i64 32
  %flat_lgkm = getelementptr inbounds nuw i8, ptr %c, i64 40
  %fault_code = getelementptr inbounds nuw i8, ptr %g, i64 48
  %fault_address = getelementptr inbounds nuw i8, ptr %g, i64 64
  %fault_extra = getelementptr inbounds nuw i8, ptr %g, i64 72
  %wide.trip.count = zext i32 %n to i64
  br label %for.body

for.body:
  %indvars.iv108 = phi i64 [ 0, %for.body.lr.ph ], [ %indvars.iv.next109, %for.inc55 ]
  %arrayidx = getelementptr inbounds nuw i32, ptr %list, i64 %indvars.iv108
  %2 = load i32, ptr %arrayidx, align 4
  %shr = lshr i32 %2, 20
  %shr.i = lshr i32 %2, 10
  %and1.i = and i32 %shr.i, 1023
  %cmp8101.not = icmp eq i32 %and1.i, 0
  br i1 %cmp8101.not, label %for.inc55, label %for.body10.preheader

for.body10.preheader:
  %and.i = and i32 %2, 1023
  %add.i = add nuw nsw i32 %and1.i, %and.i
  %3 = and i32 %2, 1023
  %4 = zext nneg i32 %3 to i64
  %5 = zext nneg i32 %add.i to i64
  br label %for.body10

for.body10:
  %indvars.iv = phi i64 [ %4, %for.body10.preheader ], [ %indvars.iv.next, %for.inc ]
  %arrayidx13 = getelementptr inbounds nuw i64, ptr %pending11, i64 %indvars.iv
  %6 = load i64, ptr %arrayidx13, align 8
  %shr14 = lshr i64 %6, 32
  %conv = trunc i64 %6 to i32
  %conv15 = trunc nuw i64 %shr14 to i32
  %and = and i32 %conv15, 3
  %tobool16.not = icmp eq i32 %conv, 0
  br i1 %tobool16.not, label %for.inc, label %lor.lhs.false

lor.lhs.false:
  %idxprom18 = and i64 %shr14, 3
  %arrayidx19 = getelementptr inbounds nuw i32, ptr %done, i64 %idxprom18
  %7 = load i32, ptr %arrayidx19, align 4
  %cmp20.not = icmp uge i32 %7, %conv
  %add = add nuw nsw i32 %and, 1
  %cmp23 = icmp eq i32 %add, %shr
  %or.cond = select i1 %cmp20.not, i1 true, i1 %cmp23
  br i1 %or.cond, label %for.inc, label %if.end26

if.end26:
  %8 = load i32, ptr %touched, align 8
  %9 = load i32, ptr %flat_lgkm, align 8
  %cmp27 = icmp ugt i32 %8, %9
  %cmp29 = icmp eq i32 %and, 1
  %10 = select i1 %cmp27, i1 %cmp29, i1 false
  br i1 %10, label %cond.end, label %cond.false

cond.false:
  %arrayidx34 = getelementptr inbounds nuw i32, ptr %c, i64 %idxprom18
  %11 = load i32, ptr %arrayidx34, align 4
  %sub = sub i32 %11, %conv
  %12 = zext i32 %sub to i64
  %13 = shl nuw i64 %12, 32
  %14 = or disjoint i64 %13, %indvars.iv
  br label %cond.end

cond.end:
  %cond = phi i64 [ %14, %cond.false ], [ %indvars.iv, %if.end26 ]
  store i32 16, ptr %fault_code, align 8
  store i64 %shr14, ptr %fault_address, align 8
  store i64 %cond, ptr %fault_extra, align 8
  store i64 0, ptr %arrayidx13, align 8
  %call40 = tail call i32 @ave_check_found(ptr noundef %g, i32 noundef %index, i64 noundef %shr14, i1 noundef true) #22
  %tobool41.not = icmp eq i32 %call40, 0
  br i1 %tobool41.not, label %for.inc, label %return

for.inc:
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %cmp8 = icmp samesign ult i64 %indvars.iv.next, %5
  br i1 %cmp8, label %for.body10, label %for.inc55

for.inc55:
  %indvars.iv.next109 = add nuw nsw i64 %indvars.iv108, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next109, %wide.trip.count
  br i1 %exitcond.not, label %return, label %for.body

return:
  %retval.6 = phi i32 [ 0, %entry ], [ 1, %cond.end ], [ 0, %for.inc55 ]
  ret i32 %retval.6
}

declare i32 @llvm.vector.reduce.or.v4i32(<4 x i32>) #7

define hidden void @ave_check_issue(ptr noundef captures(none) %c, i32 noundef %class, i32 noundef %word, ptr noundef readonly captures(none) %list, i32 noundef %n) local_unnamed_addr #4 {
entry:
  %idxprom = zext i32 %class to i64
  %arrayidx = getelementptr inbounds nuw i32, ptr %c, i64 %idxprom
  %0 = load i32, ptr %arrayidx, align 4
  %inc = add i32 %0, 1
  store i32 %inc, ptr %arrayidx, align 4
  %cmp27.not = icmp eq i32 %n, 0
  br i1 %cmp27.not, label %for.cond.cleanup, label %for.body.lr.ph

for.body.lr.ph:
  %conv = zext i32 %word to i64
  %shl = shl nuw i64 %conv, 32
  %conv10 = zext i32 %inc to i64
  %or = or disjoint i64 %shl, %conv10
  %pending = getelementptr inbounds nuw i8, ptr %c, i64 128
  %wide.trip.count = zext i32 %n to i64
  br label %for.body

for.cond.cleanup:
  ret void

for.body:
  %indvars.iv30 = phi i64 [ 0, %for.body.lr.ph ], [ %indvars.iv.next31, %for.cond.cleanup8 ]
  %arrayidx2 = getelementptr inbounds nuw i32, ptr %list, i64 %indvars.iv30
  %1 = load i32, ptr %arrayidx2, align 4
  %shr.i = lshr i32 %1, 10
  %and1.i = and i32 %shr.i, 1023
  %cmp725.not = icmp eq i32 %and1.i, 0
  br i1 %cmp725.not, label %for.cond.cleanup8, label %for.body9.preheader

for.body9.preheader:
  %and.i = and i32 %1, 1023
  %add.i = add nuw nsw i32 %and1.i, %and.i
  %2 = and i32 %1, 1023
  %3 = zext nneg i32 %2 to i64
  %4 = zext nneg i32 %add.i to i64
  br label %for.body9

for.cond.cleanup8:
  %indvars.iv.next31 = add nuw nsw i64 %indvars.iv30, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next31, %wide.trip.count
  br i1 %exitcond.not, label %for.cond.cleanup, label %for.body

for.body9:
  %indvars.iv = phi i64 [ %3, %for.body9.preheader ], [ %indvars.iv.next, %for.body9 ]
  %arrayidx12 = getelementptr inbounds nuw i64, ptr %pending, i64 %indvars.iv
  store i64 %or, ptr %arrayidx12, align 8
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %cmp7 = icmp samesign ult i64 %indvars.iv.next, %4
  br i1 %cmp7, label %for.body9, label %for.cond.cleanup8
}

define hidden void @ave_check_wait(ptr noundef captures(none) %c, i32 noundef %vm, i32 noundef %lgkm) local_unnamed_addr #8 {
entry:
  %cmp.i = icmp eq i32 %lgkm, 0
  %touched.i = getelementptr inbounds nuw i8, ptr %c, i64 32
  %0 = load i32, ptr %touched.i, align 8
  %flat_lgkm.i3 = getelementptr inbounds nuw i8, ptr %c, i64 40
  %1 = load i32, ptr %flat_lgkm.i3, align 8
  %cmp1.i = icmp ule i32 %0, %1
  %2 = load i32, ptr %c, align 8
  %done.i10 = getelementptr inbounds nuw i8, ptr %c, i64 16
  %3 = load i32, ptr %done.i10, align 8
  %4 = or i1 %cmp.i, %cmp1.i
  br i1 %4, label %land.lhs.true.i, label %entry.cond.false.i_crit_edge

entry.cond.false.i_crit_edge:
  %arrayidx9.i.phi.trans.insert = getelementptr inbounds nuw i8, ptr %c, i64 20
  %.pre = load i32, ptr %arrayidx9.i.phi.trans.insert, align 4
  br label %done_of.exit

land.lhs.true.i:
  %arrayidx.i = getelementptr inbounds nuw i8, ptr %c, i64 4
  %5 = load i32, ptr %arrayidx.i, align 4
  %arrayidx2.i = getelementptr inbounds nuw i8, ptr %c, i64 20
  %6 = load i32, ptr %arrayidx2.i, align 4
  %sub.i = sub i32 %5, %6
  %cmp.i7 = icmp ugt i32 %sub.i, %lgkm
  %sub6.i = sub i32 %5, %lgkm
  %spec.select22 = select i1 %cmp.i7, i32 %sub6.i, i32 %6
  br label %done_of.exit

done_of.exit:
  %cond.i5 = phi i32 [ %spec.select22, %land.lhs.true.i ], [ %.pre, %entry.cond.false.i_crit_edge ]
  %sub.i12 = sub i32 %2, %3
  %cmp.i13 = icmp ugt i32 %sub.i12, %vm
  %sub6.i19 = sub i32 %2, %vm
  %spec.select = select i1 %cmp.i13, i32 %sub6.i19, i32 %3
  %cond.in.i.v = select i1 %cmp.i, i64 8, i64 24
  %cond.in.i = getelementptr inbounds nuw i8, ptr %c, i64 %cond.in.i.v
  %cond.i = load i32, ptr %cond.in.i, align 8
  %cmp13.i = icmp eq i32 %vm, 0
  %arrayidx16.i = getelementptr inbounds nuw i8, ptr %c, i64 12
  %flat_vm.i4 = getelementptr inbounds nuw i8, ptr %c, i64 36
  %cond19.in.i = select i1 %cmp13.i, ptr %arrayidx16.i, ptr %flat_vm.i4
  %cond19.i = load i32, ptr %cond19.in.i, align 4
  %cond28.in.i = select i1 %cmp.i, ptr %arrayidx16.i, ptr %flat_lgkm.i3
  %cond28.i = load i32, ptr %cond28.in.i, align 4
  %cmp32.i = icmp ugt i32 %0, %cond28.i
  %7 = tail call i32 @llvm.umin.i32(i32 %cond28.i, i32 %cond19.i)
  %cond41.i = select i1 %cmp32.i, i32 %7, i32 %cond19.i
  store i32 %spec.select, ptr %done.i10, align 8
  %agg.tmp2.sroa.4.0.done.i.sroa_idx = getelementptr inbounds nuw i8, ptr %c, i64 20
  store i32 %cond.i5, ptr %agg.tmp2.sroa.4.0.done.i.sroa_idx, align 4
  %agg.tmp2.sroa.5.0.done.i.sroa_idx = getelementptr inbounds nuw i8, ptr %c, i64 24
  store i32 %cond.i, ptr %agg.tmp2.sroa.5.0.done.i.sroa_idx, align 8
  %agg.tmp2.sroa.6.0.done.i.sroa_idx = getelementptr inbounds nuw i8, ptr %c, i64 28
  store i32 %cond41.i, ptr %agg.tmp2.sroa.6.0.done.i.sroa_idx, align 4
  store i32 %cond19.i, ptr %flat_vm.i4, align 4
  store i32 %cond28.i, ptr %flat_lgkm.i3, align 8
  ret void
}

define hidden void @ave_check_reach(ptr noundef captures(none) %c, ptr noundef captures(none) %q, i32 noundef %vm, i32 noundef %lgkm, i32 noundef %index, i1 noundef %off) local_unnamed_addr #9 {
entry:
  %r = alloca %struct.Reached, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %r) #23
  %cmp.i = icmp eq i32 %lgkm, 0
  %touched.i = getelementptr inbounds nuw i8, ptr %c, i64 32
  %0 = load i32, ptr %touched.i, align 8
  %flat_lgkm.i89 = getelementptr inbounds nuw i8, ptr %c, i64 40
  %1 = load i32, ptr %flat_lgkm.i89, align 8
  %cmp1.i = icmp ule i32 %0, %1
  %2 = load i32, ptr %c, align 8
  %done.i96 = getelementptr inbounds nuw i8, ptr %c, i64 16
  %3 = load i32, ptr %done.i96, align 8
  %sub.i98 = sub i32 %2, %3
  %cmp.i99 = icmp ugt i32 %sub.i98, %vm
  %sub6.i105 = sub i32 %2, %vm
  %spec.select = select i1 %cmp.i99, i32 %sub6.i105, i32 %3
  store i32 %spec.select, ptr %r, align 8
  %4 = or i1 %cmp.i, %cmp1.i
  br i1 %4, label %land.lhs.true.i, label %entry.cond.false.i_crit_edge

entry.cond.false.i_crit_edge:
  %arrayidx9.i.phi.trans.insert = getelementptr inbounds nuw i8, ptr %c, i64 20
  %.pre = load i32, ptr %arrayidx9.i.phi.trans.insert, align 4
  br label %done_of.exit

land.lhs.true.i:
  %arrayidx.i = getelementptr inbounds nuw i8, ptr %c, i64 4
  %5 = load i32, ptr %arrayidx.i, align 4
  %arrayidx2.i = getelementptr inbounds nuw i8, ptr %c, i64 20
  %6 = load i32, ptr %arrayidx2.i, align 4
  %sub.i = sub i32 %5, %6
  %cmp.i93 = icmp ugt i32 %sub.i, %lgkm
  %sub6.i = sub i32 %5, %lgkm
  %spec.select116 = select i1 %cmp.i93, i32 %sub6.i, i32 %6
  br label %done_of.exit

done_of.exit:
  %cond.i91 = phi i32 [ %spec.select116, %land.lhs.true.i ], [ %.pre, %entry.cond.false.i_crit_edge ]
  %arrayidx6.i = getelementptr inbounds nuw i8, ptr %r, i64 4
  store i32 %cond.i91, ptr %arrayidx6.i, align 4
  %cond.in.i.v = select i1 %cmp.i, i64 8, i64 24
  %cond.in.i = getelementptr inbounds nuw i8, ptr %c, i64 %cond.in.i.v
  %cond.i = load i32, ptr %cond.in.i, align 8
  %arrayidx12.i = getelementptr inbounds nuw i8, ptr %r, i64 8
  store i32 %cond.i, ptr %arrayidx12.i, align 8
  %cmp13.i = icmp eq i32 %vm, 0
  %arrayidx16.i = getelementptr inbounds nuw i8, ptr %c, i64 12
  %flat_vm.i90 = getelementptr inbounds nuw i8, ptr %c, i64 36
  %cond19.in.i = select i1 %cmp13.i, ptr %arrayidx16.i, ptr %flat_vm.i90
  %cond19.i = load i32, ptr %cond19.in.i, align 4
  %flat_vm20.i = getelementptr inbounds nuw i8, ptr %r, i64 16
  store i32 %cond19.i, ptr %flat_vm20.i, align 8
  %cond28.in.i = select i1 %cmp.i, ptr %arrayidx16.i, ptr %flat_lgkm.i89
  %cond28.i = load i32, ptr %cond28.in.i, align 4
  %flat_lgkm29.i = getelementptr inbounds nuw i8, ptr %r, i64 20
  store i32 %cond28.i, ptr %flat_lgkm29.i, align 4
  %cmp32.i = icmp ugt i32 %0, %cond28.i
  %7 = tail call i32 @llvm.umin.i32(i32 %cond28.i, i32 %cond19.i)
  %cond41.i = select i1 %cmp32.i, i32 %7, i32 %cond19.i
  %arrayidx43.i = getelementptr inbounds nuw i8, ptr %r, i64 12
  store i32 %cond41.i, ptr %arrayidx43.i, align 4
  %skipped = getelementptr inbounds nuw i8, ptr %c, i64 48
  br label %for.body

for.cond.cleanup:
  br i1 %off, label %if.then, label %if.end55

for.body:
  %indvars.iv = phi i64 [ 0, %done_of.exit ], [ %indvars.iv.next, %for.body ]
  %paid.0109 = phi i1 [ false, %done_of.exit ], [ %or24107, %for.body ]
  %gain.0108 = phi i1 [ false, %done_of.exit ], [ %or87, %for.body ]
  %arrayidx = getelementptr inbounds nuw i32, ptr %r, i64 %indvars.iv
  %8 = load i32, ptr %arrayidx, align 4
  %arrayidx3 = getelementptr inbounds nuw i32, ptr %done.i96, i64 %indvars.iv
  %9 = load i32, ptr %arrayidx3, align 4
  %cmp4 = icmp ugt i32 %8, %9
  %or87 = or i1 %gain.0108, %cmp4
  %arrayidx8 = getelementptr inbounds nuw i32, ptr %skipped, i64 %indvars.iv
  %10 = load i32, ptr %arrayidx8, align 4
  %cmp12 = icmp ugt i32 %10, %9
  %cmp20 = icmp uge i32 %8, %10
  %narrow = select i1 %cmp12, i1 %cmp20, i1 false
  %or24107 = or i1 %paid.0109, %narrow
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, 4
  br i1 %exitcond.not, label %for.cond.cleanup, label %for.body

if.then:
  %met = getelementptr inbounds nuw i8, ptr %q, i64 512
  %11 = load i32, ptr %met, align 4
  %inc28 = add i32 %11, 1
  store i32 %inc28, ptr %met, align 4
  %conv30 = zext i1 %or87 to i32
  %mattered = getelementptr inbounds nuw i8, ptr %q, i64 516
  %12 = load i32, ptr %mattered, align 4
  %add = add i32 %12, %conv30
  store i32 %add, ptr %mattered, align 4
  br label %for.body36

for.body36:
  %indvars.iv112 = phi i64 [ 0, %if.then ], [ %indvars.iv.next113, %for.inc52 ]
  %arrayidx39 = getelementptr inbounds nuw i32, ptr %r, i64 %indvars.iv112
  %13 = load i32, ptr %arrayidx39, align 4
  %arrayidx42 = getelementptr inbounds nuw i32, ptr %done.i96, i64 %indvars.iv112
  %14 = load i32, ptr %arrayidx42, align 4
  %cmp43 = icmp ugt i32 %13, %14
  br i1 %cmp43, label %if.then45, label %for.inc52

if.then45:
  %arrayidx51 = getelementptr inbounds nuw i32, ptr %skipped, i64 %indvars.iv112
  store i32 %13, ptr %arrayidx51, align 4
  br label %for.inc52

for.inc52:
  %indvars.iv.next113 = add nuw nsw i64 %indvars.iv112, 1
  %exitcond115.not = icmp eq i64 %indvars.iv.next113, 4
  br i1 %exitcond115.not, label %cleanup, label %for.body36

if.end55:
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(16) %done.i96, ptr noundef nonnull align 8 dereferenceable(16) %r, i64 16, i1 false)
  store i32 %cond19.i, ptr %flat_vm.i90, align 4
  store i32 %cond28.i, ptr %flat_lgkm.i89, align 8
  br i1 %or24107, label %if.then57, label %cleanup

if.then57:
  %covered = getelementptr inbounds nuw i8, ptr %q, i64 576
  %idxprom58 = zext i32 %index to i64
  %arrayidx59 = getelementptr inbounds nuw i8, ptr %covered, i64 %idxprom58
  store i8 1, ptr %arrayidx59, align 1
  br label %cleanup

cleanup:
  call void @llvm.lifetime.end.p0(ptr nonnull %r) #23
  ret void
}

define hidden void @ave_check_mutable_wait(ptr noundef captures(none) %c, ptr noundef readonly captures(none) %g, i32 noundef %vm, i32 noundef %lgkm, i32 noundef %index) local_unnamed_addr #10 {
entry:
  %check = getelementptr inbounds nuw i8, ptr %g, i64 152
  %0 = load ptr, ptr %check, align 8
  %skip1 = getelementptr inbounds nuw i8, ptr %g, i64 184
  %1 = load i32, ptr %skip1, align 8
  %shr = lshr i32 %1, 2
  %cmp = icmp eq i32 %shr, %index
  br i1 %cmp, label %if.then, label %if.end

if.then:
  %and = and i32 %1, 1
  %tobool.not = icmp eq i32 %and, 0
  %and2 = and i32 %1, 2
  %tobool3.not = icmp eq i32 %and2, 0
  %cond = select i1 %tobool.not, i32 -1, i32 %vm
  %cond9 = select i1 %tobool3.not, i32 -1, i32 %lgkm
  tail call void @ave_check_reach(ptr noundef %c, ptr noundef %0, i32 noundef %cond, i32 noundef %cond9, i32 noundef %index, i1 noundef true) #22
  %cond14 = select i1 %tobool.not, i32 %vm, i32 -1
  %cond19 = select i1 %tobool3.not, i32 %lgkm, i32 -1
  br label %if.end

if.end:
  %lgkm.addr.0 = phi i32 [ %cond19, %if.then ], [ %lgkm, %entry ]
  %vm.addr.0 = phi i32 [ %cond14, %if.then ], [ %vm, %entry ]
  tail call void @ave_check_reach(ptr noundef %c, ptr noundef %0, i32 noundef %vm.addr.0, i32 noundef %lgkm.addr.0, i32 noundef %index, i1 noundef false) #22
  ret void
}

define hidden void @ave_check_publish(ptr noundef writeonly captures(none) %q, ptr noundef readonly captures(none) %c, i32 noundef %epoch, i32 noundef %wave, i1 noundef %all) local_unnamed_addr #8 {
entry:
  %and.i38 = shl i32 %epoch, 5
  %mul.i39 = and i32 %and.i38, 32
  %add3.i41 = add i32 %mul.i39, %wave
  %add.i = add i32 %wave, 16
  %add3.i = add i32 %add.i, %mul.i39
  %arrayidx = getelementptr inbounds nuw i8, ptr %c, i64 4
  %arrayidx2 = getelementptr inbounds nuw i8, ptr %c, i64 20
  %cond.in = select i1 %all, ptr %arrayidx, ptr %arrayidx2
  %cond = load i32, ptr %cond.in, align 4
  %idxprom = zext i32 %add3.i41 to i64
  %arrayidx3 = getelementptr inbounds nuw i32, ptr %q, i64 %idxprom
  store i32 %cond, ptr %arrayidx3, align 4
  %cond12.in.idx = select i1 %all, i64 0, i64 16
  %cond12.in = getelementptr inbounds nuw i8, ptr %c, i64 %cond12.in.idx
  %cond12 = load i32, ptr %cond12.in, align 8
  %idxprom14 = zext i32 %add3.i to i64
  %arrayidx15 = getelementptr inbounds nuw i32, ptr %q, i64 %idxprom14
  store i32 %cond12, ptr %arrayidx15, align 4
  %0 = load i32, ptr %arrayidx, align 4
  %seen = getelementptr inbounds nuw i8, ptr %q, i64 256
  %arrayidx19 = getelementptr inbounds nuw i32, ptr %seen, i64 %idxprom
  store i32 %0, ptr %arrayidx19, align 4
  %1 = load i32, ptr %c, align 8
  %arrayidx24 = getelementptr inbounds nuw i32, ptr %seen, i64 %idxprom14
  store i32 %1, ptr %arrayidx24, align 4
  ret void
}

define hidden void @ave_check_arrive(ptr noundef readonly captures(none) %w, ptr noundef readonly captures(none) %g, i1 noundef %end) local_unnamed_addr #6 {
entry:
  %epoch1 = getelementptr inbounds nuw i8, ptr %w, i64 660
  %0 = load i32, ptr %epoch1, align 4
  %add = add i32 %0, 1
  %check = getelementptr inbounds nuw i8, ptr %g, i64 152
  %1 = load ptr, ptr %check, align 8
  %check2 = getelementptr inbounds nuw i8, ptr %w, i64 672
  %2 = load ptr, ptr %check2, align 8
  %index = getelementptr inbounds nuw i8, ptr %w, i64 656
  %3 = load i32, ptr %index, align 8
  tail call void @ave_check_publish(ptr noundef %1, ptr noundef %2, i32 noundef %add, i32 noundef %3, i1 noundef %end) #22
  %waves = getelementptr inbounds nuw i8, ptr %g, i64 12
  %4 = load i32, ptr %waves, align 4
  %cmp16.not = icmp eq i32 %4, 0
  br i1 %cmp16.not, label %for.cond.cleanup, label %for.body.lr.ph

for.body.lr.ph:
  %wave_states = getelementptr inbounds nuw i8, ptr %g, i64 16
  br label %for.body

for.cond.cleanup:
  ret void

for.body:
  %5 = phi i32 [ %4, %for.body.lr.ph ], [ %11, %if.end ]
  %indvars.iv = phi i64 [ 0, %for.body.lr.ph ], [ %indvars.iv.next, %if.end ]
  %6 = load ptr, ptr %wave_states, align 8
  %arrayidx = getelementptr inbounds nuw %struct.WaveState, ptr %6, i64 %indvars.iv
  %status = getelementptr inbounds nuw i8, ptr %arrayidx, i64 644
  %7 = load i32, ptr %status, align 4
  %cmp3 = icmp eq i32 %7, 2
  br i1 %cmp3, label %if.then, label %if.end

if.then:
  %8 = load ptr, ptr %check, align 8
  %check5 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 672
  %9 = load ptr, ptr %check5, align 8
  %10 = trunc nuw i64 %indvars.iv to i32
  tail call void @ave_check_publish(ptr noundef %8, ptr noundef %9, i32 noundef %add, i32 noundef %10, i1 noundef true) #22
  %.pre = load i32, ptr %waves, align 4
  br label %if.end

if.end:
  %11 = phi i32 [ %.pre, %if.then ], [ %5, %for.body ]
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %12 = zext i32 %11 to i64
  %cmp = icmp samesign ult i64 %indvars.iv.next, %12
  br i1 %cmp, label %for.body, label %for.cond.cleanup
}

define hidden void @ave_check_begin(ptr noundef readonly captures(none) %g) local_unnamed_addr #6 {
entry:
  %0 = load ptr, ptr %g, align 8
  %lds_bytes = getelementptr inbounds nuw i8, ptr %g, i64 8
  %1 = load i32, ptr %lds_bytes, align 8
  %shr = lshr i32 %1, 2
  %cmp.i4248.not = icmp eq i32 %shr, 0
  br i1 %cmp.i4248.not, label %for.cond.preheader, label %for.body.i43.preheader

for.body.i43.preheader:
  %wide.trip.count = zext nneg i32 %shr to i64
  br label %for.body.i43

for.cond.preheader:
  %waves = getelementptr inbounds nuw i8, ptr %g, i64 12
  %2 = load i32, ptr %waves, align 4
  %cmp53.not = icmp eq i32 %2, 0
  br i1 %cmp53.not, label %for.cond.cleanup, label %for.body.lr.ph

for.body.lr.ph:
  %wave_states = getelementptr inbounds nuw i8, ptr %g, i64 16
  %item_registers = getelementptr inbounds nuw i8, ptr %g, i64 128
  %check10 = getelementptr inbounds nuw i8, ptr %g, i64 152
  br label %for.body

for.body.i43:
  %indvars.iv = phi i64 [ 0, %for.body.i43.preheader ], [ %indvars.iv.next, %for.body.i43 ]
  %arrayidx.i45 = getelementptr inbounds nuw i32, ptr %0, i64 %indvars.iv
  store i32 -131075, ptr %arrayidx.i45, align 4
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count
  br i1 %exitcond.not, label %for.cond.preheader, label %for.body.i43

for.cond.cleanup:
  ret void

for.body:
  %indvars.iv65 = phi i64 [ 0, %for.body.lr.ph ], [ %indvars.iv.next66, %poison.exit ]
  %3 = load ptr, ptr %wave_states, align 8
  %arrayidx = getelementptr inbounds nuw %struct.WaveState, ptr %3, i64 %indvars.iv65
  %check = getelementptr inbounds nuw i8, ptr %arrayidx, i64 672
  %4 = load ptr, ptr %check, align 8
  %5 = load <4 x i32>, ptr %4, align 8
  %done = getelementptr inbounds nuw i8, ptr %4, i64 16
  store <4 x i32> %5, ptr %done, align 8
  %skipped = getelementptr inbounds nuw i8, ptr %4, i64 48
  store <4 x i32> zeroinitializer, ptr %skipped, align 8
  %6 = extractelement <4 x i32> %5, i64 3
  %flat_lgkm = getelementptr inbounds nuw i8, ptr %4, i64 40
  store i32 %6, ptr %flat_lgkm, align 8
  %flat_vm = getelementptr inbounds nuw i8, ptr %4, i64 36
  store i32 %6, ptr %flat_vm, align 4
  %loaded = getelementptr inbounds nuw i8, ptr %4, i64 14464
  br label %for.body.i35

for.body.i35:
  %indvars.iv56 = phi i64 [ 0, %for.body ], [ %indvars.iv.next57, %for.body.i35 ]
  %arrayidx.i37 = getelementptr inbounds nuw i32, ptr %loaded, i64 %indvars.iv56
  store i32 -131075, ptr %arrayidx.i37, align 4
  %indvars.iv.next57 = add nuw nsw i64 %indvars.iv56, 1
  %exitcond59.not = icmp eq i64 %indvars.iv.next57, 1024
  br i1 %exitcond59.not, label %poison.exit39, label %for.body.i35

poison.exit39:
  %vectors = getelementptr inbounds nuw i8, ptr %arrayidx, i64 1024
  %7 = load i32, ptr %item_registers, align 8
  %mul = shl i32 %7, 6
  %idxprom6 = zext i32 %mul to i64
  %arrayidx7 = getelementptr inbounds nuw i32, ptr %vectors, i64 %idxprom6
  %cmp.i51.not = icmp eq i32 %mul, 32768
  br i1 %cmp.i51.not, label %poison.exit, label %for.body.i.preheader

for.body.i.preheader:
  %mul9 = sub i32 32768, %mul
  %wide.trip.count63 = zext i32 %mul9 to i64
  br label %for.body.i

for.body.i:
  %indvars.iv60 = phi i64 [ 0, %for.body.i.preheader ], [ %indvars.iv.next61, %for.body.i ]
  %arrayidx.i = getelementptr inbounds nuw i32, ptr %arrayidx7, i64 %indvars.iv60
  store i32 -131075, ptr %arrayidx.i, align 4
  %indvars.iv.next61 = add nuw nsw i64 %indvars.iv60, 1
  %exitcond64.not = icmp eq i64 %indvars.iv.next61, %wide.trip.count63
  br i1 %exitcond64.not, label %poison.exit, label %for.body.i

poison.exit:
  %8 = load ptr, ptr %check10, align 8
  %9 = trunc nuw i64 %indvars.iv65 to i32
  tail call void @ave_check_publish(ptr noundef %8, ptr noundef nonnull %4, i32 noundef 0, i32 noundef %9, i1 noundef true) #22
  %10 = load ptr, ptr %check10, align 8
  tail call void @ave_check_publish(ptr noundef %10, ptr noundef nonnull %4, i32 noundef 1, i32 noundef %9, i1 noundef true) #22
  %indvars.iv.next66 = add nuw nsw i64 %indvars.iv65, 1
  %11 = load i32, ptr %waves, align 4
  %12 = zext i32 %11 to i64
  %cmp = icmp samesign ult i64 %indvars.iv.next66, %12
  br i1 %cmp, label %for.body, label %for.cond.cleanup
}

define hidden range(i32 0, 2) i32 @ave_check_race(ptr noundef readonly captures(none) %a, ptr noundef readonly captures(none) %o, i32 noundef %lane, i64 noundef %place) local_unnamed_addr #6 {
entry:
  %g1 = getelementptr inbounds nuw i8, ptr %a, i64 8
  %0 = load ptr, ptr %g1, align 8
  %q = getelementptr inbounds nuw i8, ptr %a, i64 16
  %1 = load ptr, ptr %q, align 8
  %seen2 = getelementptr inbounds nuw i8, ptr %1, i64 256
  %2 = load ptr, ptr %a, align 8
  %epoch = getelementptr inbounds nuw i8, ptr %2, i64 660
  %3 = load i32, ptr %epoch, align 4
  %kind = getelementptr inbounds nuw i8, ptr %o, i64 16
  %4 = load i32, ptr %kind, align 4
  %5 = load i32, ptr %o, align 4
  %and.i = shl i32 %3, 5
  %mul.i = and i32 %and.i, 32
  %mul2.i = shl i32 %4, 4
  %add.i = add i32 %mul.i, %mul2.i
  %add3.i = add i32 %add.i, %5
  %idxprom = zext i32 %add3.i to i64
  %arrayidx = getelementptr inbounds nuw i32, ptr %seen2, i64 %idxprom
  %6 = load i32, ptr %arrayidx, align 4
  %index3 = getelementptr inbounds nuw i8, ptr %o, i64 8
  %7 = load i32, ptr %index3, align 4
  %conv = zext i32 %7 to i64
  %shl = shl nuw i64 %conv, 32
  %fault_code = getelementptr inbounds nuw i8, ptr %0, i64 48
  store i32 17, ptr %fault_code, align 8
  %fault_lane = getelementptr inbounds nuw i8, ptr %0, i64 56
  store i32 %lane, ptr %fault_lane, align 8
  %fault_address = getelementptr inbounds nuw i8, ptr %0, i64 64
  store i64 %place, ptr %fault_address, align 8
  %8 = load i32, ptr %o, align 4
  %bits = getelementptr inbounds nuw i8, ptr %o, i64 12
  %9 = load i32, ptr %bits, align 4
  %10 = or i32 %9, %8
  %11 = zext i32 %10 to i64
  %number = getelementptr inbounds nuw i8, ptr %o, i64 4
  %12 = load i32, ptr %number, align 4
  %cmp.not = icmp ugt i32 %12, %6
  %cond = select i1 %cmp.not, i64 0, i64 64
  %13 = or i64 %cond, %11
  %or10 = or disjoint i64 %13, %shl
  %fault_extra = getelementptr inbounds nuw i8, ptr %0, i64 72
  store i64 %or10, ptr %fault_extra, align 8
  %index11 = getelementptr inbounds nuw i8, ptr %a, i64 48
  %14 = load i32, ptr %index11, align 8
  %15 = load i32, ptr %bits, align 4
  %conv13 = zext i32 %15 to i64
  %or14 = or disjoint i64 %shl, %conv13
  %call15 = tail call i32 @ave_check_found(ptr noundef %0, i32 noundef %14, i64 noundef %or14, i1 noundef true) #22
  ret i32 %call15
}

define hidden range(i32 0, 2) i32 @ave_check_unwritten(ptr noundef readonly captures(none) %a, i32 noundef %lane, i64 noundef %place) local_unnamed_addr #6 {
entry:
  %g = getelementptr inbounds nuw i8, ptr %a, i64 8
  %0 = load ptr, ptr %g, align 8
  %fault_code = getelementptr inbounds nuw i8, ptr %0, i64 48
  store i32 22, ptr %fault_code, align 8
  %1 = load ptr, ptr %g, align 8
  %fault_lane = getelementptr inbounds nuw i8, ptr %1, i64 56
  store i32 %lane, ptr %fault_lane, align 8
  %2 = load ptr, ptr %g, align 8
  %fault_address = getelementptr inbounds nuw i8, ptr %2, i64 64
  store i64 %place, ptr %fault_address, align 8
  %3 = load ptr, ptr %g, align 8
  %index = getelementptr inbounds nuw i8, ptr %a, i64 48
  %4 = load i32, ptr %index, align 8
  %call = tail call i32 @ave_check_found(ptr noundef %3, i32 noundef %4, i64 noundef 0, i1 noundef true) #22
  ret i32 %call
}

define hidden range(i32 0, 2) i32 @ave_check_lds(ptr noundef %w, ptr noundef %g, ptr noundef readonly captures(none) %addresses, i32 noundef %offset, i32 noundef %nbytes, i32 noundef %how, i64 noundef %exec, i32 noundef %index, i64 noundef %granules, i64 noundef %shift, i1 noundef %init) local_unnamed_addr #6 {
entry:
  %other.i196 = alloca %struct.Other, align 4
  %other.i = alloca %struct.Other, align 4
  %read.i = alloca %struct.Access, align 8
  %limits = alloca [32 x i32], align 64
  %a = alloca %struct.Access, align 8
  %and = and i32 %how, 255
  %shr2 = lshr i32 %how, 8
  %and3 = and i32 %shr2, 15
  call void @llvm.lifetime.start.p0(ptr nonnull %limits) #23
  %check = getelementptr inbounds nuw i8, ptr %w, i64 672
  %0 = load ptr, ptr %check, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %a) #23
  store ptr %w, ptr %a, align 8
  %g5 = getelementptr inbounds nuw i8, ptr %a, i64 8
  store ptr %g, ptr %g5, align 8
  %q = getelementptr inbounds nuw i8, ptr %a, i64 16
  %check6 = getelementptr inbounds nuw i8, ptr %g, i64 152
  %1 = load ptr, ptr %check6, align 8
  store ptr %1, ptr %q, align 8
  %limits7 = getelementptr inbounds nuw i8, ptr %a, i64 24
  store ptr %limits, ptr %limits7, align 8
  %kind8 = getelementptr inbounds nuw i8, ptr %a, i64 32
  store i32 %and, ptr %kind8, align 8
  %number = getelementptr inbounds nuw i8, ptr %a, i64 36
  %mark = getelementptr inbounds nuw i8, ptr %a, i64 40
  %index9 = getelementptr inbounds nuw i8, ptr %a, i64 48
  store i32 %index, ptr %index9, align 8
  %stamp = getelementptr inbounds nuw i8, ptr %a, i64 52
  %linear = getelementptr inbounds nuw i8, ptr %g, i64 320
  %2 = load i64, ptr %linear, align 8
  %conv = trunc i64 %2 to i32
  %add = add i32 %conv, 1
  store i32 %add, ptr %stamp, align 4
  %add.ptr = getelementptr inbounds nuw i8, ptr %1, i64 %granules
  %index.i = getelementptr inbounds nuw i8, ptr %w, i64 656
  %3 = load i32, ptr %index.i, align 8
  %and.i = and i32 %how, 4
  %epoch.i = getelementptr inbounds nuw i8, ptr %w, i64 660
  %4 = load i32, ptr %epoch.i, align 4
  %and.i.i = shl i32 %4, 5
  %mul.i.i = and i32 %and.i.i, 32
  %idxprom.i = zext nneg i32 %mul.i.i to i64
  %arrayidx.i = getelementptr inbounds nuw i32, ptr %1, i64 %idxprom.i
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 64 dereferenceable(128) %limits, ptr noundef nonnull align 4 dereferenceable(128) %arrayidx.i, i64 128, i1 false)
  %tobool.not.i = icmp eq i32 %and.i, 0
  %add.i410 = add i32 %3, 16
  %idxprom14.i411 = zext i32 %add.i410 to i64
  %arrayidx15.i412 = getelementptr inbounds nuw i32, ptr %limits, i64 %idxprom14.i411
  br i1 %tobool.not.i, label %cond.false, label %cond.true

cond.true:
  %arrayidx2.i = getelementptr inbounds nuw i8, ptr %0, i64 20
  %5 = load i32, ptr %arrayidx2.i, align 4
  %idxprom4.i = zext i32 %3 to i64
  %arrayidx5.i = getelementptr inbounds nuw i32, ptr %limits, i64 %idxprom4.i
  store i32 %5, ptr %arrayidx5.i, align 4
  store i32 -1, ptr %arrayidx15.i412, align 4
  %6 = load i32, ptr %0, align 8
  br label %cond.end

cond.false:
  %idxprom4.c.i = zext i32 %3 to i64
  %arrayidx5.c.i = getelementptr inbounds nuw i32, ptr %limits, i64 %idxprom4.c.i
  store i32 -1, ptr %arrayidx5.c.i, align 4
  %done9.i = getelementptr inbounds nuw i8, ptr %0, i64 16
  %7 = load i32, ptr %done9.i, align 8
  store i32 %7, ptr %arrayidx15.i412, align 4
  %arrayidx13 = getelementptr inbounds nuw i8, ptr %0, i64 4
  %8 = load i32, ptr %arrayidx13, align 4
  %and14 = lshr i32 %how, 3
  %and14.lobit = and i32 %and14, 1
  %add16 = add i32 %8, %and14.lobit
  br label %cond.end

cond.end:
  %cond17 = phi i32 [ %6, %cond.true ], [ %add16, %cond.false ]
  store i32 %cond17, ptr %number, align 4
  %shl = shl i32 %index, 8
  %9 = shl i32 %how, 3
  %or = and i32 %9, 48
  %or23 = or disjoint i32 %or, %shl
  %or27 = or i32 %or23, %3
  %conv28 = zext i32 %or27 to i64
  %shl29 = shl nuw i64 %conv28, 32
  %conv31 = zext i32 %cond17 to i64
  %or32 = or disjoint i64 %shl29, %conv31
  store i64 %or32, ptr %mark, align 8
  br i1 %tobool.not.i, label %if.then, label %if.end

if.then:
  %conv36 = zext i32 %index to i64
  %shl37 = shl nuw i64 %conv36, 32
  %or40 = or disjoint i64 %shl37, %conv31
  %ring = getelementptr inbounds nuw i8, ptr %0, i64 6272
  %rem = and i32 %cond17, 1023
  %idxprom = zext nneg i32 %rem to i64
  %arrayidx42 = getelementptr inbounds nuw i64, ptr %ring, i64 %idxprom
  store i64 %or40, ptr %arrayidx42, align 8
  br label %if.end

if.end:
  %tobool43.not406 = icmp eq i64 %exec, 0
  br i1 %tobool43.not406, label %cleanup109, label %for.body.lr.ph

for.body.lr.ph:
  %conv48 = zext i32 %nbytes to i64
  %lds_bytes = getelementptr inbounds nuw i8, ptr %g, i64 8
  %tobool54.not = icmp eq i32 %and3, 0
  %shl57 = shl i64 %conv48, 56
  %invariant.op = or disjoint i64 %shl57, 1
  %loaded = getelementptr inbounds nuw i8, ptr %0, i64 14464
  %sub = shl nuw nsw i32 %and3, 6
  %mul = add nsw i32 %sub, -64
  %10 = and i32 %how, 16711680
  %tobool64.not398 = icmp ne i32 %10, 0
  %kind.i176 = getelementptr inbounds nuw i8, ptr %read.i, i64 32
  %shr.i = lshr i32 %how, 16
  %and.i177 = and i32 %shr.i, 255
  %tobool.not.i178402 = icmp eq i32 %and.i177, 0
  %number.i264 = getelementptr inbounds nuw i8, ptr %other.i, i64 4
  %index.i266 = getelementptr inbounds nuw i8, ptr %other.i, i64 8
  %bits.i268 = getelementptr inbounds nuw i8, ptr %other.i, i64 12
  %kind.i269 = getelementptr inbounds nuw i8, ptr %other.i, i64 16
  %limits.i278 = getelementptr inbounds nuw i8, ptr %read.i, i64 24
  %stamp1.i332 = getelementptr inbounds nuw i8, ptr %read.i, i64 52
  %number.i = getelementptr inbounds nuw i8, ptr %read.i, i64 36
  %and.i181 = and i32 %how, 16777216
  %tobool.not.i182 = icmp eq i32 %and.i181, 0
  %shl.i183 = shl i64 8, %shift
  %notmask.i = shl nsw i64 -1, %shl.i183
  %kept.i = getelementptr inbounds nuw i8, ptr %g, i64 360
  %number.i245 = getelementptr inbounds nuw i8, ptr %other.i196, i64 4
  %index.i246 = getelementptr inbounds nuw i8, ptr %other.i196, i64 8
  %bits.i = getelementptr inbounds nuw i8, ptr %other.i196, i64 12
  %kind.i247 = getelementptr inbounds nuw i8, ptr %other.i196, i64 16
  %and10.i = and i32 %how, 2
  %tobool11.not.i = icmp eq i32 %and10.i, 0
  %and.i200 = and i32 %how, 1
  %tobool.not.i201 = icmp eq i32 %and.i200, 0
  %wave_states.i = getelementptr inbounds nuw i8, ptr %g, i64 16
  %brmerge.not = and i1 %tobool64.not398, %init
  %tobool.not.i340 = icmp ne i32 %and10.i, 0
  br label %for.body

for.body:
  %met.0408 = phi i1 [ false, %for.body.lr.ph ], [ %met.1.ph, %for.inc91 ]
  %left.0407 = phi i64 [ %exec, %for.body.lr.ph ], [ %and93, %for.inc91 ]
  %11 = call range(i64 0, 65) i64 @llvm.cttz.i64(i64 %left.0407, i1 true)
  %cast = trunc nuw nsw i64 %11 to i32
  %arrayidx45 = getelementptr inbounds nuw i32, ptr %addresses, i64 %11
  %12 = load i32, ptr %arrayidx45, align 4
  %add46 = add i32 %12, %offset
  %conv47 = zext i32 %add46 to i64
  %add49 = add nuw nsw i64 %conv47, %conv48
  %13 = load i32, ptr %lds_bytes, align 8
  %conv50 = zext i32 %13 to i64
  %cmp = icmp samesign ugt i64 %add49, %conv50
  br i1 %cmp, label %for.inc91, label %if.end53

if.end53:
  br i1 %tobool54.not, label %if.end63, label %if.then55

if.then55:
  %or59.reass = add nuw nsw i64 %invariant.op, %conv47
  %add60 = or disjoint i32 %mul, %cast
  %idxprom61 = zext nneg i32 %add60 to i64
  %arrayidx62 = getelementptr inbounds nuw i64, ptr %loaded, i64 %idxprom61
  store i64 %or59.reass, ptr %arrayidx62, align 8
  br label %for.inc91

if.end63:
  br i1 %tobool64.not398, label %land.lhs.true, label %if.end67

land.lhs.true:
  %14 = load ptr, ptr %check, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %read.i) #23
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(56) %read.i, ptr noundef nonnull align 8 dereferenceable(56) %a, i64 56, i1 false)
  store i32 0, ptr %kind.i176, align 8
  br i1 %tobool.not.i178402, label %strays.exit.thread, label %for.body.i.lr.ph

for.body.i.lr.ph:
  %loaded.i = getelementptr inbounds nuw i8, ptr %14, i64 14464
  %15 = xor i64 %conv47, -1
  %16 = load ptr, ptr %limits.i278, align 8
  %17 = load i32, ptr %stamp1.i332, align 4
  %18 = load i32, ptr %number.i, align 4
  %19 = load ptr, ptr %read.i, align 8
  %index.i193 = getelementptr inbounds nuw i8, ptr %19, i64 656
  br label %for.body.i

strays.exit.thread:
  call void @llvm.lifetime.end.p0(ptr nonnull %read.i) #23
  br label %if.end67

for.body.i:
  %left.0.i403 = phi i32 [ %and.i177, %for.body.i.lr.ph ], [ %and20.i, %for.inc18.critedge.i ]
  %20 = call range(i32 0, 33) i32 @llvm.cttz.i32(i32 %left.0.i403, i1 true)
  %mul.i = shl nuw nsw i32 %20, 6
  %add.i232 = or disjoint i32 %mul.i, %cast
  %idxprom.i233 = zext nneg i32 %add.i232 to i64
  %arrayidx.i234 = getelementptr inbounds nuw i64, ptr %loaded.i, i64 %idxprom.i233
  %21 = load i64, ptr %arrayidx.i234, align 8
  %shl.i235 = and i64 %21, 72057594037927935
  %22 = add i64 %21, -1
  %or.cond.i238 = icmp ult i64 %22, 648518346341351423
  %sub3.i = add nsw i64 %shl.i235, %15
  %cmp4.not.i = icmp ult i64 %sub3.i, %conv48
  %spec.select.i239 = select i1 %cmp4.not.i, i64 0, i64 %21
  %cond.i240 = select i1 %or.cond.i238, i64 %spec.select.i239, i64 0
  %shl.i = and i64 %cond.i240, 72057594037927935
  %sub.i = add nsw i64 %shl.i, -1
  %tobool5.not.i = icmp eq i64 %cond.i240, 0
  br i1 %tobool5.not.i, label %for.inc18.critedge.i, label %land.rhs.i.lr.ph

land.rhs.i.lr.ph:
  %shr3.i = lshr i64 %sub.i, %shift
  %shr2.i = lshr i64 %cond.i240, 56
  %add.i179 = add nsw i64 %shr2.i, -1
  %sub6.i = add nsw i64 %add.i179, %sub.i
  %shr7.i = lshr i64 %sub6.i, %shift
  %cmp.not.i418 = icmp ugt i64 %shr3.i, %shr7.i
  br i1 %cmp.not.i418, label %for.inc18.critedge.i, label %for.body10.i

for.body10.i:
  %at.0.i401419 = phi i64 [ %inc.i, %for.inc.i ], [ %shr3.i, %land.rhs.i.lr.ph ]
  %arrayidx.i180 = getelementptr inbounds nuw %struct.Granule, ptr %add.ptr, i64 %at.0.i401419
  %shl11.i = shl i64 %at.0.i401419, %shift
  call void @llvm.lifetime.start.p0(ptr nonnull %other.i) #23
  %write.i257 = getelementptr inbounds nuw i8, ptr %arrayidx.i180, i64 64
  %23 = load i64, ptr %write.i257, align 8
  %shr.i258 = lshr i64 %23, 32
  %conv.i259 = trunc nuw i64 %shr.i258 to i32
  %and.i260 = and i32 %conv.i259, 32
  %and.lobit.i261 = lshr exact i32 %and.i260, 5
  %and1.i262 = and i32 %conv.i259, 15
  store i32 %and1.i262, ptr %other.i, align 4
  %conv3.i263 = trunc i64 %23 to i32
  store i32 %conv3.i263, ptr %number.i264, align 4
  %shr4.i265 = lshr i32 %conv.i259, 8
  store i32 %shr4.i265, ptr %index.i266, align 4
  %cond6.i267 = or disjoint i32 %and.i260, 16
  store i32 %cond6.i267, ptr %bits.i268, align 4
  store i32 %and.lobit.i261, ptr %kind.i269, align 4
  %mul.i279 = lshr exact i32 %and.i260, 1
  %add.i280 = or disjoint i32 %mul.i279, %and1.i262
  %idxprom.i281 = zext nneg i32 %add.i280 to i64
  %arrayidx.i282 = getelementptr inbounds nuw i32, ptr %16, i64 %idxprom.i281
  %24 = load i32, ptr %arrayidx.i282, align 4
  %cmp.i283 = icmp ult i32 %24, %conv3.i263
  br i1 %cmp.i283, label %if.then.i, label %if.end23.i

if.then.i:
  %cond.i = call i64 @llvm.umax.i64(i64 %shl11.i, i64 range(i64 -1, 72057594037927935) %sub.i)
  %call3.i = call i32 @ave_check_race(ptr noundef nonnull %read.i, ptr noundef nonnull %other.i, i32 noundef range(i32 0, 64) %cast, i64 noundef %cond.i) #22
  %tobool4.not.i = icmp eq i32 %call3.i, 0
  br i1 %tobool4.not.i, label %if.end23.i, label %strays.exit

if.end23.i:
  br i1 %init, label %unwritten.exit334, label %for.inc.i

unwritten.exit334:
  %stamp.i331 = getelementptr inbounds nuw i8, ptr %arrayidx.i180, i64 72
  %25 = load i32, ptr %stamp.i331, align 8
  %cmp.i333.not = icmp eq i32 %25, %17
  br i1 %cmp.i333.not, label %for.inc.i, label %land.lhs.true26.i

land.lhs.true26.i:
  %call27.i = call i32 @ave_check_unwritten(ptr noundef nonnull %read.i, i32 noundef range(i32 0, 64) %cast, i64 noundef %shl11.i) #22
  %tobool28.not.i = icmp eq i32 %call27.i, 0
  br i1 %tobool28.not.i, label %for.inc.i, label %strays.exit

for.inc.i:
  %26 = load i32, ptr %index.i193, align 8
  %idxprom.i194 = zext i32 %26 to i64
  %arrayidx.i195 = getelementptr inbounds nuw i32, ptr %arrayidx.i180, i64 %idxprom.i194
  store i32 %18, ptr %arrayidx.i195, align 4
  call void @llvm.lifetime.end.p0(ptr nonnull %other.i) #23
  %inc.i = add i64 %at.0.i401419, 1
  %cmp.not.i = icmp ugt i64 %inc.i, %shr7.i
  br i1 %cmp.not.i, label %for.inc18.critedge.i, label %for.body10.i

for.inc18.critedge.i:
  %sub19.i = add nsw i32 %left.0.i403, -1
  %and20.i = and i32 %sub19.i, %left.0.i403
  %tobool.not.i178 = icmp eq i32 %and20.i, 0
  br i1 %tobool.not.i178, label %strays.exit.thread, label %for.body.i

strays.exit:
  call void @llvm.lifetime.end.p0(ptr nonnull %other.i) #23
  call void @llvm.lifetime.end.p0(ptr nonnull %read.i) #23
  br label %cleanup109

if.end67:
  %shr68 = lshr i64 %conv47, %shift
  %sub70 = add nsw i64 %add49, -1
  %shr71 = lshr i64 %sub70, %shift
  %cmp72.not404 = icmp ugt i64 %shr68, %shr71
  br i1 %cmp72.not404, label %for.inc91, label %for.body75

for.body75:
  %at.0405 = phi i64 [ %inc, %for.inc ], [ %shr68, %if.end67 ]
  %shl76 = shl i64 %at.0405, %shift
  %cmp.i = icmp ult i64 %shl76, %conv47
  %or.cond.i = or i1 %tobool.not.i182, %cmp.i
  br i1 %or.cond.i, label %land.lhs.true78, label %keeps.exit

keeps.exit:
  %27 = load ptr, ptr %kept.i, align 8
  %arrayidx.i185 = getelementptr inbounds nuw i32, ptr %27, i64 %11
  %28 = load i32, ptr %arrayidx.i185, align 4
  %29 = trunc i64 %shl76 to i32
  %sub2.tr.i = sub i32 %29, %add46
  %sh_prom.i = shl i32 %sub2.tr.i, 3
  %shr.i186 = lshr i32 %28, %sh_prom.i
  %conv.i187 = zext i32 %shr.i186 to i64
  %30 = or i64 %notmask.i, %conv.i187
  %cmp4.i = icmp eq i64 %30, -1
  br i1 %cmp4.i, label %for.inc, label %land.lhs.true78

land.lhs.true78:
  %arrayidx79 = getelementptr inbounds nuw %struct.Granule, ptr %add.ptr, i64 %at.0405
  call void @llvm.lifetime.start.p0(ptr nonnull %other.i196) #23
  %write.i241 = getelementptr inbounds nuw i8, ptr %arrayidx79, i64 64
  %31 = load i64, ptr %write.i241, align 8
  %shr.i242 = lshr i64 %31, 32
  %conv.i243 = trunc nuw i64 %shr.i242 to i32
  %and.i244 = and i32 %conv.i243, 32
  %and.lobit.i = lshr exact i32 %and.i244, 5
  %and1.i = and i32 %conv.i243, 15
  store i32 %and1.i, ptr %other.i196, align 4
  %conv3.i = trunc i64 %31 to i32
  store i32 %conv3.i, ptr %number.i245, align 4
  %shr4.i = lshr i32 %conv.i243, 8
  store i32 %shr4.i, ptr %index.i246, align 4
  %cond6.i = or disjoint i32 %and.i244, 16
  store i32 %cond6.i, ptr %bits.i, align 4
  store i32 %and.lobit.i, ptr %kind.i247, align 4
  %and7.i = and i32 %conv.i243, 16
  %tobool8.not.i = icmp eq i32 %and7.i, 0
  %or.cond397 = or i1 %tobool11.not.i, %tobool8.not.i
  br i1 %or.cond397, label %after_write.exit, label %lor.lhs.false.i198

after_write.exit:
  %mul.i252 = lshr exact i32 %and.i244, 1
  %add.i253 = or disjoint i32 %mul.i252, %and1.i
  %idxprom.i254 = zext nneg i32 %add.i253 to i64
  %arrayidx.i255 = getelementptr inbounds nuw i32, ptr %limits, i64 %idxprom.i254
  %32 = load i32, ptr %arrayidx.i255, align 4
  %cmp.i256 = icmp ult i32 %32, %conv3.i
  br i1 %cmp.i256, label %if.then.i227, label %lor.lhs.false.i198

lor.lhs.false.i198:
  br i1 %tobool.not.i201, label %if.end23.i217, label %land.lhs.true.i202

land.lhs.true.i202:
  %33 = load <16 x i32>, ptr %arrayidx79, align 8
  %34 = load <16 x i32>, ptr %limits, align 64
  %cmp.i286 = icmp ugt <16 x i32> %33, %34
  %35 = bitcast <16 x i1> %cmp.i286 to i16
  %tobool2.not.i.not = icmp eq i16 %35, 0
  br i1 %tobool2.not.i.not, label %if.then10.i208, label %after_read.exit.thread

after_read.exit.thread:
  %36 = call range(i16 0, 17) i16 @llvm.cttz.i16(i16 %35, i1 true)
  %37 = zext nneg i16 %36 to i32
  store i32 %37, ptr %other.i196, align 4
  %idxprom.i288 = zext nneg i16 %36 to i64
  %arrayidx.i289 = getelementptr inbounds nuw i32, ptr %arrayidx79, i64 %idxprom.i288
  %38 = load i32, ptr %arrayidx.i289, align 4
  store i32 %38, ptr %number.i245, align 4
  %39 = load ptr, ptr %wave_states.i, align 8
  %arrayidx7.i = getelementptr inbounds nuw %struct.WaveState, ptr %39, i64 %idxprom.i288
  %check.i291 = getelementptr inbounds nuw i8, ptr %arrayidx7.i, i64 672
  %40 = load ptr, ptr %check.i291, align 8
  %ring.i = getelementptr inbounds nuw i8, ptr %40, i64 6272
  %rem.i = and i32 %38, 1023
  %idxprom9.i = zext nneg i32 %rem.i to i64
  %arrayidx10.i = getelementptr inbounds nuw i64, ptr %ring.i, i64 %idxprom9.i
  %41 = load i64, ptr %arrayidx10.i, align 8
  %conv11.i = trunc i64 %41 to i32
  %cmp13.i = icmp eq i32 %38, %conv11.i
  %shr.i292 = lshr i64 %41, 32
  %conv15.i = trunc nuw i64 %shr.i292 to i32
  %cond.i293 = select i1 %cmp13.i, i32 %conv15.i, i32 -1
  store i32 %cond.i293, ptr %index.i246, align 4
  store i32 0, ptr %kind.i247, align 4
  store i32 0, ptr %bits.i, align 4
  br label %if.then.i227

if.then.i227:
  %cond.i228 = call i64 @llvm.umax.i64(i64 %shl76, i64 range(i64 -1, 72057594037927935) %conv47)
  %call3.i229 = call i32 @ave_check_race(ptr noundef nonnull %a, ptr noundef nonnull %other.i196, i32 noundef range(i32 0, 64) %cast, i64 noundef %cond.i228) #22
  %tobool4.not.i230 = icmp eq i32 %call3.i229, 0
  br i1 %tobool4.not.i230, label %if.end6.i204, label %ordered.exit231.thread

if.end6.i204:
  br i1 %tobool.not.i201, label %if.end23.i217, label %if.then10.i208

if.then10.i208:
  br i1 %brmerge.not, label %unwritten.exit329, label %if.end18.i

unwritten.exit329:
  %stamp.i326 = getelementptr inbounds nuw i8, ptr %arrayidx79, i64 72
  %42 = load i32, ptr %stamp.i326, align 8
  %cmp.i328.not = icmp eq i32 %42, %add
  br i1 %cmp.i328.not, label %if.end18.i, label %land.lhs.true14.i

land.lhs.true14.i:
  %call15.i = call i32 @ave_check_unwritten(ptr noundef nonnull %a, i32 noundef range(i32 0, 64) %cast, i64 noundef %shl76) #22
  %tobool16.not.i = icmp eq i32 %call15.i, 0
  br i1 %tobool16.not.i, label %if.end18.i, label %ordered.exit231.thread

if.end18.i:
  %43 = load i64, ptr %write.i241, align 8
  %shr.i336 = lshr i64 %43, 32
  %conv.i337 = trunc nuw i64 %shr.i336 to i32
  %and1.i341 = and i32 %conv.i337, 16
  %tobool2.not.i342 = icmp eq i32 %and1.i341, 0
  %or.cond.i343 = select i1 %tobool.not.i340, i1 %tobool2.not.i342, i1 false
  br i1 %or.cond.i343, label %lor.lhs.false3.i, label %if.then20.i210

lor.lhs.false3.i:
  %and4.i = and i32 %conv.i337, 15
  %44 = load i32, ptr %index.i, align 8
  %cmp.not.i346 = icmp eq i32 %and4.i, %44
  br i1 %cmp.not.i346, label %hides.exit, label %if.then20.i210

hides.exit:
  %conv7.i = trunc i64 %43 to i32
  %45 = load i32, ptr %epoch.i, align 4
  %and.i.i350 = shl i32 %45, 5
  %mul.i.i351 = and i32 %and.i.i350, 32
  %46 = lshr i32 %conv.i337, 1
  %mul2.i.i = and i32 %46, 16
  %47 = or disjoint i32 %mul2.i.i, %mul.i.i351
  %add3.i.i = or disjoint i32 %47, %and4.i
  %idxprom.i352 = zext nneg i32 %add3.i.i to i64
  %arrayidx.i353 = getelementptr inbounds nuw i32, ptr %1, i64 %idxprom.i352
  %48 = load i32, ptr %arrayidx.i353, align 4
  %cmp13.i354 = icmp ult i32 %48, %conv7.i
  br i1 %cmp13.i354, label %if.end21.i213, label %if.then20.i210

if.then20.i210:
  store i64 %or32, ptr %write.i241, align 8
  br label %if.end21.i213

if.end21.i213:
  %stamp22.i215 = getelementptr inbounds nuw i8, ptr %arrayidx79, i64 72
  store i32 %add, ptr %stamp22.i215, align 8
  br label %ordered.exit231

if.end23.i217:
  br i1 %init, label %unwritten.exit, label %if.end30.i219

unwritten.exit:
  %stamp.i323 = getelementptr inbounds nuw i8, ptr %arrayidx79, i64 72
  %49 = load i32, ptr %stamp.i323, align 8
  %cmp.i324.not = icmp eq i32 %49, %add
  br i1 %cmp.i324.not, label %if.end30.i219, label %land.lhs.true26.i224

land.lhs.true26.i224:
  %call27.i225 = call i32 @ave_check_unwritten(ptr noundef nonnull %a, i32 noundef range(i32 0, 64) %cast, i64 noundef %shl76) #22
  %tobool28.not.i226 = icmp eq i32 %call27.i225, 0
  br i1 %tobool28.not.i226, label %if.end30.i219, label %ordered.exit231.thread

if.end30.i219:
  %50 = load i32, ptr %index.i, align 8
  %idxprom.i222 = zext i32 %50 to i64
  %arrayidx.i223 = getelementptr inbounds nuw i32, ptr %arrayidx79, i64 %idxprom.i222
  store i32 %cond17, ptr %arrayidx.i223, align 4
  br label %ordered.exit231

ordered.exit231.thread:
  call void @llvm.lifetime.end.p0(ptr nonnull %other.i196) #23
  br label %cleanup109

ordered.exit231:
  call void @llvm.lifetime.end.p0(ptr nonnull %other.i196) #23
  br label %for.inc

for.inc:
  %inc = add i64 %at.0405, 1
  %cmp72.not = icmp ugt i64 %inc, %shr71
  br i1 %cmp72.not, label %for.inc91, label %for.body75

for.inc91:
  %met.1.ph = phi i1 [ true, %if.then55 ], [ %met.0408, %for.body ], [ true, %if.end67 ], [ true, %for.inc ]
  %sub92 = add i64 %left.0407, -1
  %and93 = and i64 %sub92, %left.0407
  %tobool43.not = icmp eq i64 %and93, 0
  br i1 %tobool43.not, label %for.end96, label %for.body

for.end96:
  %and100 = and i32 %how, 8
  %tobool101.not = icmp ne i32 %and100, 0
  %or.cond.not = and i1 %tobool101.not, %met.1.ph
  br i1 %or.cond.not, label %if.then102, label %cleanup109

if.then102:
  %arrayidx105 = getelementptr inbounds nuw i8, ptr %0, i64 4
  store i32 %cond17, ptr %arrayidx105, align 4
  %arrayidx107 = getelementptr inbounds nuw i8, ptr %0, i64 12
  %51 = load i32, ptr %arrayidx107, align 4
  %touched = getelementptr inbounds nuw i8, ptr %0, i64 32
  store i32 %51, ptr %touched, align 8
  br label %cleanup109

cleanup109:
  %retval.4 = phi i32 [ 0, %for.end96 ], [ 0, %if.then102 ], [ 1, %strays.exit ], [ 1, %ordered.exit231.thread ], [ 0, %if.end ]
  call void @llvm.lifetime.end.p0(ptr nonnull %a) #23
  call void @llvm.lifetime.end.p0(ptr nonnull %limits) #23
  ret i32 %retval.4
}

declare i64 @llvm.cttz.i64(i64, i1 immarg) #7

define hidden void @ave_pieces(ptr noundef captures(none) %g, ptr noundef readonly captures(none) %at, i64 noundef %exec, i64 noundef %bytes) local_unnamed_addr #6 {
entry:
  %seen = alloca [48 x i64], align 16
  call void @llvm.lifetime.start.p0(ptr nonnull %seen) #23
  %add8 = add i64 %bytes, -1
  br label %for.cond1.preheader

for.cond1.preheader:
  %indvars.iv81 = phi i64 [ 16, %entry ], [ %indvars.iv.next82, %for.cond.cleanup3 ]
  %indvars.iv72 = phi i64 [ 0, %entry ], [ %indvars.iv.next73, %for.cond.cleanup3 ]
  %pieces.069 = phi i64 [ 0, %entry ], [ %add30, %for.cond.cleanup3 ]
  %indvars85 = trunc i64 %indvars.iv72 to i32
  br label %for.body4

for.cond.cleanup:
  %current = getelementptr inbounds nuw i8, ptr %g, i64 264
  %0 = load ptr, ptr %current, align 8
  %index = getelementptr inbounds nuw i8, ptr %0, i64 656
  %1 = load i32, ptr %index, align 8
  %conv34 = zext i32 %1 to i64
  %moved = getelementptr inbounds nuw i8, ptr %g, i64 256
  %2 = load ptr, ptr %moved, align 8
  %profile = getelementptr inbounds nuw i8, ptr %g, i64 144
  %3 = load ptr, ptr %profile, align 8
  %sub.ptr.lhs.cast = ptrtoint ptr %2 to i64
  %sub.ptr.rhs.cast = ptrtoint ptr %3 to i64
  %sub.ptr.sub = sub i64 %sub.ptr.lhs.cast, %sub.ptr.rhs.cast
  %trace.i = getelementptr inbounds nuw i8, ptr %g, i64 344
  %4 = load ptr, ptr %trace.i, align 8
  %tobool.not.i = icmp eq ptr %4, null
  br i1 %tobool.not.i, label %record.exit, label %if.end.i

if.end.i:
  %trace_end.i = getelementptr inbounds nuw i8, ptr %g, i64 352
  %5 = load ptr, ptr %trace_end.i, align 8
  %cmp.i = icmp ult ptr %4, %5
  br i1 %cmp.i, label %if.then2.i, label %if.end9.i

if.then2.i:
  %shl3.i = shl i64 %conv34, 56
  %and.i = shl i64 %sub.ptr.sub, 21
  %shl4.i = and i64 %and.i, 72057594021150720
  %or.i = or disjoint i64 %shl4.i, %shl3.i
  %cond.i = tail call i64 @llvm.umin.i64(i64 %add30, i64 16777215)
  %or5.i = or disjoint i64 %or.i, %cond.i
  %or7.i = or i64 %or5.i, 4611686018427387904
  store i64 %or7.i, ptr %4, align 8
  %.pre = load ptr, ptr %trace.i, align 8
  br label %if.end9.i

if.end9.i:
  %6 = phi ptr [ %.pre, %if.then2.i ], [ %4, %if.end.i ]
  %incdec.ptr.i = getelementptr inbounds nuw i8, ptr %6, i64 8
  store ptr %incdec.ptr.i, ptr %trace.i, align 8
  br label %record.exit

record.exit:
  call void @llvm.lifetime.end.p0(ptr nonnull %seen) #23
  ret void

for.cond.cleanup3:
  %indvars.iv.next73 = add nuw nsw i64 %indvars.iv72, 16
  %conv = zext i32 %count.3 to i64
  %add30 = add i64 %pieces.069, %conv
  %cmp = icmp samesign ult i32 %indvars85, 48
  %indvars.iv.next82 = add nuw nsw i64 %indvars.iv81, 16
  br i1 %cmp, label %for.cond1.preheader, label %for.cond.cleanup

for.body4:
  %indvars.iv74 = phi i64 [ %indvars.iv72, %for.cond1.preheader ], [ %indvars.iv.next75, %for.inc27 ]
  %count.067 = phi i32 [ 0, %for.cond1.preheader ], [ %count.3, %for.inc27 ]
  %7 = shl nuw i64 1, %indvars.iv74
  %8 = and i64 %7, %exec
  %tobool.not = icmp eq i64 %8, 0
  br i1 %tobool.not, label %for.inc27, label %if.end

if.end:
  %arrayidx = getelementptr inbounds nuw i64, ptr %at, i64 %indvars.iv74
  %9 = load i64, ptr %arrayidx, align 8
  %div57 = lshr i64 %9, 6
  %sub = add i64 %add8, %9
  %div958 = lshr i64 %sub, 6
  %cmp1062 = icmp samesign ule i64 %div57, %div958
  %cmp1163 = icmp ult i32 %count.067, 48
  %10 = select i1 %cmp1062, i1 %cmp1163, i1 false
  br i1 %10, label %while.cond.preheader, label %for.inc27

while.cond.preheader:
  %piece.065 = phi i64 [ %inc26, %if.end25 ], [ %div57, %if.end ]
  %count.164 = phi i32 [ %count.2, %if.end25 ], [ %count.067, %if.end ]
  %cmp1459.not = icmp eq i32 %count.164, 0
  br i1 %cmp1459.not, label %if.then21, label %land.rhs15.preheader

land.rhs15.preheader:
  %wide.trip.count = zext nneg i32 %count.164 to i64
  br label %land.rhs15

land.rhs15:
  %indvars.iv = phi i64 [ 0, %land.rhs15.preheader ], [ %indvars.iv.next, %while.body ]
  %arrayidx17 = getelementptr inbounds nuw i64, ptr %seen, i64 %indvars.iv
  %11 = load i64, ptr %arrayidx17, align 8
  %cmp18.not = icmp eq i64 %11, %piece.065
  br i1 %cmp18.not, label %while.end, label %while.body

while.body:
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count
  br i1 %exitcond.not, label %if.then21, label %land.rhs15

while.end:
  %12 = trunc nuw nsw i64 %indvars.iv to i32
  %13 = icmp eq i32 %count.164, %12
  br i1 %13, label %if.then21, label %if.end25

if.then21:
  %inc22 = add nuw nsw i32 %count.164, 1
  %idxprom23 = zext nneg i32 %count.164 to i64
  %arrayidx24 = getelementptr inbounds nuw i64, ptr %seen, i64 %idxprom23
  store i64 %piece.065, ptr %arrayidx24, align 8
  br label %if.end25

if.end25:
  %count.2 = phi i32 [ %inc22, %if.then21 ], [ %count.164, %while.end ]
  %inc26 = add nuw nsw i64 %piece.065, 1
  %cmp10 = icmp samesign ult i64 %piece.065, %div958
  %cmp11 = icmp ult i32 %count.2, 48
  %14 = select i1 %cmp10, i1 %cmp11, i1 false
  br i1 %14, label %while.cond.preheader, label %for.inc27

for.inc27:
  %count.3 = phi i32 [ %count.067, %for.body4 ], [ %count.067, %if.end ], [ %count.2, %if.end25 ]
  %indvars.iv.next75 = add nuw nsw i64 %indvars.iv74, 1
  %exitcond80.not = icmp eq i64 %indvars.iv.next75, %indvars.iv81
  br i1 %exitcond80.not, label %for.cond.cleanup3, label %for.body4
}

define hidden void @ave_moved(ptr noundef readonly captures(none) %g, i64 noundef %lanes, i64 noundef %bytes) local_unnamed_addr #11 {
entry:
  %moved.i = getelementptr inbounds nuw i8, ptr %g, i64 256
  %0 = load ptr, ptr %moved.i, align 8
  %tobool.not.i = icmp eq ptr %0, null
  br i1 %tobool.not.i, label %moved.exit, label %if.then.i

if.then.i:
  %1 = tail call range(i64 0, 65) i64 @llvm.ctpop.i64(i64 %lanes)
  %mul.i = mul i64 %1, %bytes
  %2 = atomicrmw add ptr %0, i64 %mul.i monotonic, align 8
  br label %moved.exit

moved.exit:
  ret void
}

define hidden noundef i1 @ave_within(ptr noundef readonly captures(none) %g, i64 noundef %low, i64 noundef %high, i64 noundef %bytes) local_unnamed_addr #12 {
entry:
  %region_count = getelementptr inbounds nuw i8, ptr %g, i64 40
  %0 = load i32, ptr %region_count, align 8
  %cmp.not14.not = icmp eq i32 %0, 0
  br i1 %cmp.not14.not, label %cleanup7, label %for.body.preheader

for.body.preheader:
  %regions = getelementptr inbounds nuw i8, ptr %g, i64 32
  %1 = load ptr, ptr %regions, align 8
  br label %for.body

for.body:
  %n.016 = phi i32 [ %inc, %for.inc ], [ 0, %for.body.preheader ]
  %region.015 = phi ptr [ %add.ptr, %for.inc ], [ %1, %for.body.preheader ]
  %2 = load i64, ptr %region.015, align 8
  %cmp1.not = icmp ult i64 %low, %2
  br i1 %cmp1.not, label %for.inc, label %land.lhs.true

land.lhs.true:
  %arrayidx2 = getelementptr inbounds nuw i8, ptr %region.015, i64 8
  %3 = load i64, ptr %arrayidx2, align 8
  %cmp3 = icmp uge i64 %high, %3
  %sub = sub nuw i64 %3, %high
  %cmp6.not = icmp ult i64 %sub, %bytes
  %or.cond = select i1 %cmp3, i1 true, i1 %cmp6.not
  br i1 %or.cond, label %for.inc, label %cleanup7

for.inc:
  %inc = add nuw i32 %n.016, 1
  %add.ptr = getelementptr inbounds nuw i8, ptr %region.015, i64 16
  %exitcond.not = icmp eq i32 %inc, %0
  br i1 %exitcond.not, label %cleanup7, label %for.body

cleanup7:
  %cmp.not.lcssa = phi i1 [ false, %entry ], [ false, %for.inc ], [ true, %land.lhs.true ]
  ret i1 %cmp.not.lcssa
}

define hidden range(i32 0, 2) i32 @ave_each(ptr noundef captures(none) %g, ptr noundef readonly captures(none) %at, i64 noundef %exec, i64 noundef %bytes) local_unnamed_addr #13 {
entry:
  %tobool.not21 = icmp eq i64 %exec, 0
  br i1 %tobool.not21, label %.loopexit, label %for.body

for.body:
  %left.022 = phi i64 [ %and, %for.inc ], [ %exec, %entry ]
  %0 = tail call range(i64 0, 65) i64 @llvm.cttz.i64(i64 %left.022, i1 true)
  %arrayidx = getelementptr inbounds nuw i64, ptr %at, i64 %0
  %1 = load i64, ptr %arrayidx, align 8
  %call = tail call i1 @ave_within(ptr noundef %g, i64 noundef %1, i64 noundef %1, i64 noundef %bytes) #22
  br i1 %call, label %for.inc, label %cleanup6

for.inc:
  %sub = add i64 %left.022, -1
  %and = and i64 %sub, %left.022
  %tobool.not = icmp eq i64 %and, 0
  br i1 %tobool.not, label %.loopexit, label %for.body

cleanup6:
  %fault_code.i = getelementptr inbounds nuw i8, ptr %g, i64 48
  store i32 2, ptr %fault_code.i, align 8
  %conv.i = trunc nuw nsw i64 %0 to i32
  %fault_lane.i = getelementptr inbounds nuw i8, ptr %g, i64 56
  store i32 %conv.i, ptr %fault_lane.i, align 8
  %fault_address.i = getelementptr inbounds nuw i8, ptr %g, i64 64
  store i64 %1, ptr %fault_address.i, align 8
  %fault_extra.i = getelementptr inbounds nuw i8, ptr %g, i64 72
  store i64 %bytes, ptr %fault_extra.i, align 8
  br label %.loopexit

.loopexit:
  %2 = phi i32 [ 1, %cleanup6 ], [ 0, %entry ], [ 0, %for.inc ]
  ret i32 %2
}

define hidden i32 @ave_settle(ptr noundef %g, ptr noundef readonly captures(none) %from, ptr noundef initializes((0, 512)) %out, i64 noundef %delta, i64 noundef %exec, i64 noundef %bytes) local_unnamed_addr #0 {
entry:
  %0 = load <64 x i64>, ptr %from, align 64
  %splat.splatinsert = insertelement <64 x i64> poison, i64 %delta, i64 0
  %splat.splat = shufflevector <64 x i64> %splat.splatinsert, <64 x i64> poison, <64 x i32> zeroinitializer
  %add = add <64 x i64> %0, %splat.splat
  %1 = bitcast i64 %exec to <64 x i1>
  %vector_select = select <64 x i1> %1, <64 x i64> %add, <64 x i64> splat (i64 -1)
  %rdx.min = tail call i64 @llvm.vector.reduce.umin.v64i64(<64 x i64> %vector_select)
  %vector_select7 = select <64 x i1> %1, <64 x i64> %add, <64 x i64> zeroinitializer
  %rdx.min8 = tail call i64 @llvm.vector.reduce.umax.v64i64(<64 x i64> %vector_select7)
  %splat.splatinsert14 = insertelement <64 x i64> poison, i64 %rdx.min, i64 0
  %splat.splat15 = shufflevector <64 x i64> %splat.splatinsert14, <64 x i64> poison, <64 x i32> zeroinitializer
  %vector_select17 = select <64 x i1> %1, <64 x i64> %add, <64 x i64> %splat.splat15
  store <64 x i64> %vector_select17, ptr %out, align 64
  %moved.i = getelementptr inbounds nuw i8, ptr %g, i64 256
  %2 = load ptr, ptr %moved.i, align 8
  %tobool.not.i = icmp eq ptr %2, null
  br i1 %tobool.not.i, label %moved.exit, label %if.then.i

if.then.i:
  %3 = tail call range(i64 0, 65) i64 @llvm.ctpop.i64(i64 %exec)
  %mul.i = mul i64 %3, %bytes
  %4 = atomicrmw add ptr %2, i64 %mul.i monotonic, align 8
  br label %moved.exit

moved.exit:
  %trace = getelementptr inbounds nuw i8, ptr %g, i64 344
  %5 = load ptr, ptr %trace, align 8
  %tobool.not = icmp eq ptr %5, null
  br i1 %tobool.not, label %if.end, label %land.lhs.true

land.lhs.true:
  %6 = load ptr, ptr %moved.i, align 8
  %tobool18.not = icmp eq ptr %6, null
  br i1 %tobool18.not, label %if.end, label %if.then

if.then:
  tail call void @ave_pieces(ptr noundef nonnull %g, ptr noundef nonnull %out, i64 noundef %exec, i64 noundef %bytes) #22
  br label %if.end

if.end:
  %call = tail call i1 @ave_within(ptr noundef nonnull %g, i64 noundef %rdx.min, i64 noundef %rdx.min8, i64 noundef %bytes) #22
  br i1 %call, label %if.end23, label %land.lhs.true19

land.lhs.true19:
  %call20 = tail call i32 @ave_each(ptr noundef nonnull %g, ptr noundef nonnull %out, i64 noundef %exec, i64 noundef %bytes) #22
  %tobool21.not = icmp eq i32 %call20, 0
  br i1 %tobool21.not, label %if.end23, label %cleanup

if.end23:
  %shadows.i = getelementptr inbounds nuw i8, ptr %g, i64 304
  %7 = load i32, ptr %shadows.i, align 8
  %tobool.not.i49 = icmp eq i32 %7, 0
  br i1 %tobool.not.i49, label %cleanup, label %cond.true.i

cond.true.i:
  %call.i = tail call i32 @ave_race(ptr noundef nonnull %g, ptr noundef nonnull %out, i64 noundef %exec, i64 noundef %bytes) #21
  br label %cleanup

cleanup:
  %retval.0 = phi i32 [ 1, %land.lhs.true19 ], [ %call.i, %cond.true.i ], [ 0, %if.end23 ]
  ret i32 %retval.0
}

declare i64 @llvm.vector.reduce.umin.v64i64(<64 x i64>) #7

declare i64 @llvm.vector.reduce.umax.v64i64(<64 x i64>) #7

define hidden i32 @ave_at_global(ptr noalias noundef %g, ptr noalias noundef readnone captures(none) %w, ptr noalias noundef initializes((0, 512)) %out, ptr noundef readonly captures(none) %low, ptr noundef readonly captures(none) %high, i64 noundef %base, i64 noundef %exec, i64 noundef %bytes) local_unnamed_addr #0 {
entry:
  %0 = load <64 x i32>, ptr %high, align 64
  %conv = zext <64 x i32> %0 to <64 x i64>
  %shl = shl nuw <64 x i64> %conv, splat (i64 32)
  %1 = load <64 x i32>, ptr %low, align 64
  %conv1 = zext <64 x i32> %1 to <64 x i64>
  %or = or disjoint <64 x i64> %shl, %conv1
  %splat.splatinsert = insertelement <64 x i64> poison, i64 %base, i64 0
  %splat.splat = shufflevector <64 x i64> %splat.splatinsert, <64 x i64> poison, <64 x i32> zeroinitializer
  %add = add <64 x i64> %or, %splat.splat
  store <64 x i64> %add, ptr %out, align 64
  %call = tail call i32 @ave_settle(ptr noundef %g, ptr noundef nonnull %out, ptr noundef nonnull %out, i64 noundef 0, i64 noundef %exec, i64 noundef %bytes) #22
  ret i32 %call
}

define hidden range(i32 0, 2) i32 @ave_at_lds(ptr noalias noundef captures(none) %g, ptr noalias noundef readnone captures(none) %w, ptr noalias noundef writeonly captures(none) %out, ptr noundef readonly captures(none) %low, ptr noundef readnone captures(none) %high, i64 noundef %base, i64 noundef %exec, i64 noundef %bytes) local_unnamed_addr #8 {
entry:
  %0 = load <64 x i32>, ptr %low, align 64
  %conv = trunc i64 %base to i32
  %splat.splatinsert = insertelement <64 x i32> poison, i32 %conv, i64 0
  %splat.splat = shufflevector <64 x i32> %splat.splatinsert, <64 x i32> poison, <64 x i32> zeroinitializer
  %add = add <64 x i32> %0, %splat.splat
  %1 = bitcast i64 %exec to <64 x i1>
  %vector_select = select <64 x i1> %1, <64 x i32> %add, <64 x i32> zeroinitializer
  %rdx.min = tail call i32 @llvm.vector.reduce.umax.v64i32(<64 x i32> %vector_select)
  %lds_bytes = getelementptr inbounds nuw i8, ptr %g, i64 8
  %2 = load i32, ptr %lds_bytes, align 8
  %conv2 = zext i32 %2 to i64
  %conv3 = zext i32 %rdx.min to i64
  %add4 = add i64 %bytes, %conv3
  %cmp5.not = icmp ugt i64 %add4, %conv2
  br i1 %cmp5.not, label %if.end, label %if.then

if.then:
  %splat.splatinsert12 = insertelement <64 x i32> poison, i32 %rdx.min, i64 0
  %splat.splat13 = shufflevector <64 x i32> %splat.splatinsert12, <64 x i32> poison, <64 x i32> zeroinitializer
  %vector_select15 = select <64 x i1> %1, <64 x i32> %add, <64 x i32> %splat.splat13
  %conv16 = zext <64 x i32> %vector_select15 to <64 x i64>
  %3 = load ptr, ptr %g, align 8
  %4 = ptrtoint ptr %3 to i64
  %splat.splatinsert17 = insertelement <64 x i64> poison, i64 %4, i64 0
  %splat.splat18 = shufflevector <64 x i64> %splat.splatinsert17, <64 x i64> poison, <64 x i32> zeroinitializer
  %add19 = add <64 x i64> %splat.splat18, %conv16
  store <64 x i64> %add19, ptr %out, align 64
  br label %cleanup

if.end:
  %cmp20 = icmp ugt i64 %bytes, %conv2
  br i1 %cmp20, label %cond.end, label %cond.false

cond.false:
  %5 = trunc nuw i64 %bytes to i32
  %conv23 = sub i32 %2, %5
  %splat.splatinsert24 = insertelement <64 x i32> poison, i32 %conv23, i64 0
  %splat.splat25 = shufflevector <64 x i32> %splat.splatinsert24, <64 x i32> poison, <64 x i32> zeroinitializer
  %cmp26 = icmp ugt <64 x i32> %add, %splat.splat25
  %6 = bitcast <64 x i1> %cmp26 to i64
  %and = and i64 %exec, %6
  br label %cond.end

cond.end:
  %cond = phi i64 [ %and, %cond.false ], [ %exec, %if.end ]
  %7 = tail call range(i64 0, 65) i64 @llvm.cttz.i64(i64 %cond, i1 true)
  %cast = trunc nuw nsw i64 %7 to i32
  %vecext = extractelement <64 x i32> %add, i32 %cast
  %conv29 = zext i32 %vecext to i64
  %fault_code.i = getelementptr inbounds nuw i8, ptr %g, i64 48
  store i32 3, ptr %fault_code.i, align 8
  %fault_lane.i = getelementptr inbounds nuw i8, ptr %g, i64 56
  store i32 %cast, ptr %fault_lane.i, align 8
  %fault_address.i = getelementptr inbounds nuw i8, ptr %g, i64 64
  store i64 %conv29, ptr %fault_address.i, align 8
  %fault_extra.i = getelementptr inbounds nuw i8, ptr %g, i64 72
  store i64 %bytes, ptr %fault_extra.i, align 8
  br label %cleanup

cleanup:
  %retval.0 = phi i32 [ 0, %if.then ], [ 1, %cond.end ]
  ret i32 %retval.0
}

declare i32 @llvm.vector.reduce.umax.v64i32(<64 x i32>) #7

define hidden range(i32 0, 2) i32 @ave_at_scratch(ptr noalias noundef captures(none) %g, ptr noalias noundef readonly captures(none) %w, ptr noalias noundef writeonly captures(none) initializes((0, 512)) %out, ptr noundef readonly captures(none) %low, ptr readnone captures(none) %high, i64 noundef %base, i64 noundef %exec, i64 noundef %bytes) local_unnamed_addr #8 {
entry:
  %0 = load <64 x i32>, ptr %low, align 64
  %conv = zext <64 x i32> %0 to <64 x i64>
  %splat.splatinsert = insertelement <64 x i64> poison, i64 %base, i64 0
  %splat.splat = shufflevector <64 x i64> %splat.splatinsert, <64 x i64> poison, <64 x i32> zeroinitializer
  %add = add <64 x i64> %splat.splat, %conv
  %1 = bitcast i64 %exec to <64 x i1>
  %vector_select = select <64 x i1> %1, <64 x i64> %add, <64 x i64> zeroinitializer
  %private_bytes = getelementptr inbounds nuw i8, ptr %g, i64 44
  %2 = load i32, ptr %private_bytes, align 4
  %conv2 = zext i32 %2 to i64
  %cmp3 = icmp ugt i64 %bytes, %conv2
  br i1 %cmp3, label %cond.end, label %cond.false

cond.false:
  %sub = sub nuw nsw i64 %conv2, %bytes
  %splat.splatinsert6 = insertelement <64 x i64> poison, i64 %sub, i64 0
  %splat.splat7 = shufflevector <64 x i64> %splat.splatinsert6, <64 x i64> poison, <64 x i32> zeroinitializer
  %cmp8 = icmp ugt <64 x i64> %vector_select, %splat.splat7
  %3 = bitcast <64 x i1> %cmp8 to i64
  %and = and i64 %exec, %3
  br label %cond.end

cond.end:
  %cond = phi i64 [ %and, %cond.false ], [ %exec, %entry ]
  %private = getelementptr inbounds nuw i8, ptr %w, i64 664
  %4 = load ptr, ptr %private, align 8
  %5 = ptrtoint ptr %4 to i64
  %splat.splatinsert10 = insertelement <64 x i64> poison, i64 %5, i64 0
  %splat.splat11 = shufflevector <64 x i64> %splat.splatinsert10, <64 x i64> poison, <64 x i32> zeroinitializer
  %splat.splatinsert12 = insertelement <64 x i64> poison, i64 %conv2, i64 0
  %splat.splat13 = shufflevector <64 x i64> %splat.splatinsert12, <64 x i64> poison, <64 x i32> zeroinitializer
  %mul = mul nuw nsw <64 x i64> %splat.splat13, <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15, i64 16, i64 17, i64 18, i64 19, i64 20, i64 21, i64 22, i64 23, i64 24, i64 25, i64 26, i64 27, i64 28, i64 29, i64 30, i64 31, i64 32, i64 33, i64 34, i64 35, i64 36, i64 37, i64 38, i64 39, i64 40, i64 41, i64 42, i64 43, i64 44, i64 45, i64 46, i64 47, i64 48, i64 49, i64 50, i64 51, i64 52, i64 53, i64 54, i64 55, i64 56, i64 57, i64 58, i64 59, i64 60, i64 61, i64 62, i64 63>
  %add14 = add <64 x i64> %mul, %vector_select
  %add15 = add <64 x i64> %add14, %splat.splat11
  store <64 x i64> %add15, ptr %out, align 64
  %tobool16.not = icmp eq i64 %cond, 0
  br i1 %tobool16.not, label %cleanup, label %if.end

if.end:
  %6 = tail call range(i64 0, 65) i64 @llvm.cttz.i64(i64 %cond, i1 true)
  %cast = trunc nuw nsw i64 %6 to i32
  %vecext = extractelement <64 x i64> %add, i32 %cast
  %add18 = add i64 %vecext, 562949953421312
  %fault_code.i = getelementptr inbounds nuw i8, ptr %g, i64 48
  store i32 2, ptr %fault_code.i, align 8
  %fault_lane.i = getelementptr inbounds nuw i8, ptr %g, i64 56
  store i32 %cast, ptr %fault_lane.i, align 8
  %fault_address.i = getelementptr inbounds nuw i8, ptr %g, i64 64
  store i64 %add18, ptr %fault_address.i, align 8
  %fault_extra.i = getelementptr inbounds nuw i8, ptr %g, i64 72
  store i64 %bytes, ptr %fault_extra.i, align 8
  br label %cleanup

cleanup:
  %retval.0 = phi i32 [ 1, %if.end ], [ 0, %cond.end ]
  ret i32 %retval.0
}

define hidden i32 @ave_at_flat(ptr noalias noundef %g, ptr noalias noundef readonly captures(none) %w, ptr noalias noundef initializes((0, 512)) %out, ptr noundef readonly captures(none) %low, ptr noundef readonly captures(none) %high, i64 noundef %base, i64 noundef %exec, i64 noundef %bytes) local_unnamed_addr #0 {
entry:
  %0 = load <64 x i32>, ptr %high, align 64
  %conv = zext <64 x i32> %0 to <64 x i64>
  %shl = shl nuw <64 x i64> %conv, splat (i64 32)
  %1 = load <64 x i32>, ptr %low, align 64
  %conv1 = zext <64 x i32> %1 to <64 x i64>
  %or = or disjoint <64 x i64> %shl, %conv1
  %splat.splatinsert = insertelement <64 x i64> poison, i64 %base, i64 0
  %splat.splat = shufflevector <64 x i64> %splat.splatinsert, <64 x i64> poison, <64 x i32> zeroinitializer
  %add = add <64 x i64> %or, %splat.splat
  %shr = lshr <64 x i64> %add, splat (i64 32)
  %cmp = icmp eq <64 x i64> %shr, splat (i64 65536)
  %cmp3 = icmp eq <64 x i64> %shr, splat (i64 131072)
  %or6122 = or <64 x i1> %cmp, %cmp3
  %or6 = bitcast <64 x i1> %or6122 to i64
  store <64 x i64> %add, ptr %out, align 64
  %and = and i64 %exec, %or6
  %tobool7.not = icmp eq i64 %and, 0
  br i1 %tobool7.not, label %if.then, label %for.cond.preheader

for.cond.preheader:
  %tobool8.not146 = icmp eq i64 %exec, 0
  br i1 %tobool8.not146, label %for.end, label %for.body.lr.ph

for.body.lr.ph:
  %private_bytes = getelementptr inbounds nuw i8, ptr %g, i64 44
  %private = getelementptr inbounds nuw i8, ptr %w, i64 664
  %lds_bytes = getelementptr inbounds nuw i8, ptr %g, i64 8
  %moved.i = getelementptr inbounds nuw i8, ptr %g, i64 256
  br label %for.body

if.then:
  %call = tail call i32 @ave_settle(ptr noundef %g, ptr noundef nonnull %out, ptr noundef nonnull %out, i64 noundef 0, i64 noundef %exec, i64 noundef %bytes) #22
  br label %cleanup64

for.body:
  %left.0147 = phi i64 [ %exec, %for.body.lr.ph ], [ %and53, %for.inc ]
  %2 = tail call range(i64 0, 65) i64 @llvm.cttz.i64(i64 %left.0147, i1 true)
  %arrayidx = getelementptr inbounds nuw i64, ptr %out, i64 %2
  %3 = load i64, ptr %arrayidx, align 8
  %conv10 = and i64 %3, 4294967295
  %add11 = add i64 %conv10, %bytes
  %shr12 = lshr i64 %3, 32
  %trunc = trunc nuw i64 %shr12 to i32
  switch i32 %trunc, label %if.else40 [
    i32 65536, label %if.then15
    i32 131072, label %if.then27
  ]

if.then15:
  %4 = load i32, ptr %lds_bytes, align 8
  %conv16 = zext i32 %4 to i64
  %cmp17 = icmp ugt i64 %add11, %conv16
  br i1 %cmp17, label %if.then19, label %if.end22

if.then19:
  %fault_code.i128 = getelementptr inbounds nuw i8, ptr %g, i64 48
  store i32 3, ptr %fault_code.i128, align 8
  %conv.i129 = trunc nuw nsw i64 %2 to i32
  %fault_lane.i130 = getelementptr inbounds nuw i8, ptr %g, i64 56
  store i32 %conv.i129, ptr %fault_lane.i130, align 8
  %fault_address.i131 = getelementptr inbounds nuw i8, ptr %g, i64 64
  store i64 %conv10, ptr %fault_address.i131, align 8
  %fault_extra.i132 = getelementptr inbounds nuw i8, ptr %g, i64 72
  store i64 %bytes, ptr %fault_extra.i132, align 8
  br label %cleanup64

if.end22:
  %5 = load ptr, ptr %g, align 8
  %6 = ptrtoint ptr %5 to i64
  %add23 = add i64 %conv10, %6
  br label %for.inc

if.then27:
  %7 = load i32, ptr %private_bytes, align 4
  %conv28 = zext i32 %7 to i64
  %cmp29 = icmp ugt i64 %add11, %conv28
  br i1 %cmp29, label %if.then31, label %if.end34

if.then31:
  %fault_code.i123 = getelementptr inbounds nuw i8, ptr %g, i64 48
  store i32 2, ptr %fault_code.i123, align 8
  %conv.i124 = trunc nuw nsw i64 %2 to i32
  %fault_lane.i125 = getelementptr inbounds nuw i8, ptr %g, i64 56
  store i32 %conv.i124, ptr %fault_lane.i125, align 8
  %fault_address.i126 = getelementptr inbounds nuw i8, ptr %g, i64 64
  store i64 %3, ptr %fault_address.i126, align 8
  %fault_extra.i127 = getelementptr inbounds nuw i8, ptr %g, i64 72
  store i64 %bytes, ptr %fault_extra.i127, align 8
  br label %cleanup64

if.end34:
  %8 = load ptr, ptr %private, align 8
  %9 = ptrtoint ptr %8 to i64
  %mul = mul nuw nsw i64 %2, %conv28
  %add38 = add nuw nsw i64 %mul, %conv10
  %add39 = add i64 %add38, %9
  br label %for.inc

if.else40:
  %10 = load ptr, ptr %moved.i, align 8
  %tobool.not.i = icmp eq ptr %10, null
  br i1 %tobool.not.i, label %moved.exit, label %if.then.i

if.then.i:
  %11 = atomicrmw add ptr %10, i64 %bytes monotonic, align 8
  br label %moved.exit

moved.exit:
  %call41 = tail call i1 @ave_within(ptr noundef nonnull %g, i64 noundef %3, i64 noundef %3, i64 noundef %bytes) #22
  br i1 %call41, label %for.inc, label %if.then42

if.then42:
  %fault_code.i = getelementptr inbounds nuw i8, ptr %g, i64 48
  store i32 2, ptr %fault_code.i, align 8
  %conv.i = trunc nuw nsw i64 %2 to i32
  %fault_lane.i = getelementptr inbounds nuw i8, ptr %g, i64 56
  store i32 %conv.i, ptr %fault_lane.i, align 8
  %fault_address.i = getelementptr inbounds nuw i8, ptr %g, i64 64
  store i64 %3, ptr %fault_address.i, align 8
  %fault_extra.i = getelementptr inbounds nuw i8, ptr %g, i64 72
  store i64 %bytes, ptr %fault_extra.i, align 8
  br label %cleanup64

for.inc:
  %last.1 = phi i64 [ %add23, %if.end22 ], [ %add39, %if.end34 ], [ %3, %moved.exit ]
  store i64 %last.1, ptr %arrayidx, align 8
  %sub = add i64 %left.0147, -1
  %and53 = and i64 %sub, %left.0147
  %tobool8.not = icmp eq i64 %and53, 0
  br i1 %tobool8.not, label %for.end.loopexit, label %for.body

for.end.loopexit:
  %.pre = load <64 x i64>, ptr %out, align 64
  br label %for.end

for.end:
  %12 = phi <64 x i64> [ %add, %for.cond.preheader ], [ %.pre, %for.end.loopexit ]
  %last.0.lcssa = phi i64 [ 0, %for.cond.preheader ], [ %last.1, %for.end.loopexit ]
  %13 = bitcast i64 %exec to <64 x i1>
  %splat.splatinsert60 = insertelement <64 x i64> poison, i64 %last.0.lcssa, i64 0
  %splat.splat61 = shufflevector <64 x i64> %splat.splatinsert60, <64 x i64> poison, <64 x i32> zeroinitializer
  %vector_select = select <64 x i1> %13, <64 x i64> %12, <64 x i64> %splat.splat61
  store <64 x i64> %vector_select, ptr %out, align 64
  %shadows.i = getelementptr inbounds nuw i8, ptr %g, i64 304
  %14 = load i32, ptr %shadows.i, align 8
  %tobool.not.i133 = icmp eq i32 %14, 0
  br i1 %tobool.not.i133, label %cleanup64, label %cond.true.i

cond.true.i:
  %not = xor i64 %or6, -1
  %and62 = and i64 %exec, %not
  %call.i = tail call i32 @ave_race(ptr noundef nonnull %g, ptr noundef nonnull %out, i64 noundef %and62, i64 noundef %bytes) #21
  br label %cleanup64

cleanup64:
  %retval.3 = phi i32 [ 1, %if.then42 ], [ %call, %if.then ], [ 1, %if.then19 ], [ 1, %if.then31 ], [ %call.i, %cond.true.i ], [ 0, %for.end ]
  ret i32 %retval.3
}

define hidden range(i32 0, 2) i32 @ave_aligned(ptr noalias noundef writeonly captures(none) %g, ptr noalias noundef readonly captures(none) %at, i64 noundef %exec, i64 noundef %bytes) local_unnamed_addr #8 {
entry:
  %0 = load <64 x i64>, ptr %at, align 64
  %sub = add i64 %bytes, -1
  %splat.splatinsert = insertelement <64 x i64> poison, i64 %sub, i64 0
  %splat.splat = shufflevector <64 x i64> %splat.splatinsert, <64 x i64> poison, <64 x i32> zeroinitializer
  %and = and <64 x i64> %0, %splat.splat
  %cmp = icmp ne <64 x i64> %and, zeroinitializer
  %1 = bitcast <64 x i1> %cmp to i64
  %and1 = and i64 %exec, %1
  %tobool2.not = icmp eq i64 %and1, 0
  br i1 %tobool2.not, label %cleanup, label %if.end

if.end:
  %2 = tail call range(i64 0, 65) i64 @llvm.cttz.i64(i64 %and1, i1 true)
  %arrayidx = getelementptr inbounds nuw i64, ptr %at, i64 %2
  %3 = load i64, ptr %arrayidx, align 8
  %fault_code.i = getelementptr inbounds nuw i8, ptr %g, i64 48
  store i32 6, ptr %fault_code.i, align 8
  %conv.i = trunc nuw nsw i64 %2 to i32
  %fault_lane.i = getelementptr inbounds nuw i8, ptr %g, i64 56
  store i32 %conv.i, ptr %fault_lane.i, align 8
  %fault_address.i = getelementptr inbounds nuw i8, ptr %g, i64 64
  store i64 %3, ptr %fault_address.i, align 8
  %fault_extra.i = getelementptr inbounds nuw i8, ptr %g, i64 72
  store i64 %bytes, ptr %fault_extra.i, align 8
  br label %cleanup

cleanup:
  %retval.0 = phi i32 [ 1, %if.end ], [ 0, %entry ]
  ret i32 %retval.0
}

define hidden void @ave_clear(ptr noundef captures(none) %data, i64 noundef %lanes) local_unnamed_addr #8 {
entry:
  %0 = bitcast i64 %lanes to <64 x i1>
  %1 = load <64 x i32>, ptr %data, align 64
  %vector_select = select <64 x i1> %0, <64 x i32> zeroinitializer, <64 x i32> %1
  store <64 x i32> %vector_select, ptr %data, align 64
  ret void
}

define hidden i32 @ave_scalar_inside(ptr noundef %g, i64 noundef %address, i64 noundef %bytes) local_unnamed_addr #0 {
entry:
  %address.addr = alloca i64, align 8
  store i64 %address, ptr %address.addr, align 8
  %moved.i = getelementptr inbounds nuw i8, ptr %g, i64 256
  %0 = load ptr, ptr %moved.i, align 8
  %tobool.not.i = icmp eq ptr %0, null
  br i1 %tobool.not.i, label %moved.exit, label %if.then.i

if.then.i:
  %1 = atomicrmw add ptr %0, i64 %bytes monotonic, align 8
  br label %moved.exit

moved.exit:
  %call = tail call i1 @ave_within(ptr noundef nonnull %g, i64 noundef %address, i64 noundef %address, i64 noundef %bytes) #22
  br i1 %call, label %if.end, label %if.then

if.then:
  %fault_code.i = getelementptr inbounds nuw i8, ptr %g, i64 48
  store i32 2, ptr %fault_code.i, align 8
  %fault_lane.i = getelementptr inbounds nuw i8, ptr %g, i64 56
  store i32 0, ptr %fault_lane.i, align 8
  %fault_address.i = getelementptr inbounds nuw i8, ptr %g, i64 64
  store i64 %address, ptr %fault_address.i, align 8
  %fault_extra.i = getelementptr inbounds nuw i8, ptr %g, i64 72
  store i64 %bytes, ptr %fault_extra.i, align 8
  br label %return

if.end:
  %shadows.i = getelementptr inbounds nuw i8, ptr %g, i64 304
  %2 = load i32, ptr %shadows.i, align 8
  %tobool.not.i9 = icmp eq i32 %2, 0
  br i1 %tobool.not.i9, label %return, label %cond.true.i

cond.true.i:
  %call.i = call i32 @ave_race(ptr noundef nonnull %g, ptr noundef nonnull %address.addr, i64 noundef 1, i64 noundef %bytes) #21
  br label %return

return:
  %retval.0 = phi i32 [ 1, %if.then ], [ %call.i, %cond.true.i ], [ 0, %if.end ]
  ret i32 %retval.0
}

define hidden i32 @ave_scalar_given(ptr noundef %g, i64 noundef %address, i64 noundef %bytes) local_unnamed_addr #0 {
entry:
  %add = add i64 %bytes, %address
  %cond = tail call i64 @llvm.umin.i64(i64 %bytes, i64 16)
  %sub = add nsw i64 %cond, -1
  %and = and i64 %sub, %address
  %tobool.not = icmp eq i64 %and, 0
  br i1 %tobool.not, label %if.then, label %if.end16

if.then:
  %region_count = getelementptr inbounds nuw i8, ptr %g, i64 40
  %0 = load i32, ptr %region_count, align 8
  %cmp134.not = icmp eq i32 %0, 0
  br i1 %cmp134.not, label %if.end16, label %for.body.preheader

for.body.preheader:
  %regions = getelementptr inbounds nuw i8, ptr %g, i64 32
  %1 = load ptr, ptr %regions, align 8
  br label %for.body

for.body:
  %n.037 = phi i32 [ %inc, %for.inc ], [ 0, %for.body.preheader ]
  %bytes.addr.036 = phi i64 [ %bytes.addr.1, %for.inc ], [ %bytes, %for.body.preheader ]
  %region.035 = phi ptr [ %add.ptr, %for.inc ], [ %1, %for.body.preheader ]
  %2 = load i64, ptr %region.035, align 8
  %cmp2.not = icmp ult i64 %address, %2
  br i1 %cmp2.not, label %for.inc, label %land.lhs.true

land.lhs.true:
  %arrayidx3 = getelementptr inbounds nuw i8, ptr %region.035, i64 8
  %3 = load i64, ptr %arrayidx3, align 8
  %cmp4 = icmp ult i64 %address, %3
  %cmp7 = icmp ugt i64 %add, %3
  %or.cond = and i1 %cmp4, %cmp7
  br i1 %or.cond, label %land.lhs.true8, label %for.inc

land.lhs.true8:
  %add10 = add i64 %3, 15
  %and11 = and i64 %add10, -16
  %cmp12.not = icmp ugt i64 %add, %and11
  %sub15 = sub nuw i64 %3, %address
  %spec.select = select i1 %cmp12.not, i64 %bytes.addr.036, i64 %sub15
  br label %for.inc

for.inc:
  %bytes.addr.1 = phi i64 [ %bytes.addr.036, %land.lhs.true ], [ %spec.select, %land.lhs.true8 ], [ %bytes.addr.036, %for.body ]
  %inc = add nuw i32 %n.037, 1
  %add.ptr = getelementptr inbounds nuw i8, ptr %region.035, i64 16
  %exitcond.not = icmp eq i32 %inc, %0
  br i1 %exitcond.not, label %if.end16, label %for.body

if.end16:
  %bytes.addr.2 = phi i64 [ %bytes, %entry ], [ %bytes, %if.then ], [ %bytes.addr.1, %for.inc ]
  %call = tail call i32 @ave_scalar_inside(ptr noundef %g, i64 noundef %address, i64 noundef %bytes.addr.2) #22
  ret i32 %call
}

define hidden range(i32 0, 2) i32 @ave_scalar_buffer_load(ptr noundef %g, ptr noundef writeonly captures(none) %data, i64 noundef %low, i64 noundef %num, i64 noundef %offset, i64 noundef %count) local_unnamed_addr #0 {
entry:
  %shr.i = lshr i64 %low, 48
  %and.i = and i64 %shr.i, 16383
  %conv1.i = and i64 %num, 4294967295
  %cond.i = tail call i64 @llvm.umax.i64(i64 %and.i, i64 1)
  %mul.i = mul nuw nsw i64 %cond.i, %conv1.i
  %and2.i = and i64 %low, 281474976710655
  %add.i = add i64 %offset, %and2.i
  %and3.i = and i64 %add.i, -4
  %cmp.not.i1.not = icmp eq i64 %count, 0
  br i1 %cmp.not.i1.not, label %scalar_buffer.exit, label %for.body.i

for.body.i:
  %k.0.i2 = phi i64 [ %inc.i, %for.inc.i ], [ 0, %entry ]
  %mul5.i = shl i64 %k.0.i2, 2
  %add6.i = add i64 %mul5.i, %offset
  %cmp7.not.i = icmp ult i64 %add6.i, %mul.i
  br i1 %cmp7.not.i, label %if.end10.i, label %for.inc.i

if.end10.i:
  %add12.i = add i64 %mul5.i, %and3.i
  %call.i = tail call i32 @ave_scalar_inside(ptr noundef %g, i64 noundef %add12.i, i64 noundef 4) #22
  %tobool13.not.i = icmp eq i32 %call.i, 0
  br i1 %tobool13.not.i, label %if.end15.i, label %scalar_buffer.exit

if.end15.i:
  %0 = inttoptr i64 %add12.i to ptr
  %1 = load i32, ptr %0, align 4
  br label %for.inc.i

for.inc.i:
  %.sink = phi i32 [ %1, %if.end15.i ], [ 0, %for.body.i ]
  %arrayidx19.i = getelementptr inbounds nuw i32, ptr %data, i64 %k.0.i2
  store i32 %.sink, ptr %arrayidx19.i, align 4
  %inc.i = add nuw i64 %k.0.i2, 1
  %exitcond.not = icmp eq i64 %inc.i, %count
  br i1 %exitcond.not, label %scalar_buffer.exit, label %for.body.i

scalar_buffer.exit:
  %cmp.not.i.lcssa = phi i32 [ 0, %entry ], [ 0, %for.inc.i ], [ 1, %if.end10.i ]
  ret i32 %cmp.not.i.lcssa
}

define hidden range(i32 0, 2) i32 @ave_scalar_buffer_store(ptr noundef %g, ptr noundef readonly captures(none) %data, i64 noundef %low, i64 noundef %num, i64 noundef %offset, i64 noundef %count) local_unnamed_addr #0 {
entry:
  %shr.i = lshr i64 %low, 48
  %and.i = and i64 %shr.i, 16383
  %conv1.i = and i64 %num, 4294967295
  %cond.i = tail call i64 @llvm.umax.i64(i64 %and.i, i64 1)
  %mul.i = mul nuw nsw i64 %cond.i, %conv1.i
  %and2.i = and i64 %low, 281474976710655
  %add.i = add i64 %offset, %and2.i
  %and3.i = and i64 %add.i, -4
  %cmp.not.i1.not = icmp eq i64 %count, 0
  br i1 %cmp.not.i1.not, label %scalar_buffer.exit, label %for.body.i

for.body.i:
  %k.0.i2 = phi i64 [ %inc.i, %for.inc.i ], [ 0, %entry ]
  %mul5.i = shl i64 %k.0.i2, 2
  %add6.i = add i64 %mul5.i, %offset
  %cmp7.not.i = icmp ult i64 %add6.i, %mul.i
  br i1 %cmp7.not.i, label %if.end10.i, label %for.inc.i

if.end10.i:
  %add12.i = add i64 %mul5.i, %and3.i
  %call.i = tail call i32 @ave_scalar_inside(ptr noundef %g, i64 noundef %add12.i, i64 noundef 4) #22
  %tobool13.not.i = icmp eq i32 %call.i, 0
  br i1 %tobool13.not.i, label %if.end15.i, label %scalar_buffer.exit

if.end15.i:
  %0 = inttoptr i64 %add12.i to ptr
  %arrayidx18.i = getelementptr inbounds nuw i32, ptr %data, i64 %k.0.i2
  %1 = load i32, ptr %arrayidx18.i, align 4
  store i32 %1, ptr %0, align 4
  br label %for.inc.i

for.inc.i:
  %inc.i = add nuw i64 %k.0.i2, 1
  %exitcond.not = icmp eq i64 %inc.i, %count
  br i1 %exitcond.not, label %scalar_buffer.exit, label %for.body.i

scalar_buffer.exit:
  %cmp.not.i.lcssa = phi i32 [ 0, %entry ], [ 0, %for.inc.i ], [ 1, %if.end10.i ]
  ret i32 %cmp.not.i.lcssa
}

define hidden range(i32 0, 2) i32 @ave_follow(ptr noundef captures(none) %g, ptr noundef readonly captures(none) %at, i64 noundef %exec, i64 noundef %bytes, i64 noundef %shift, i1 noundef %split, i1 noundef %events) local_unnamed_addr #0 {
entry:
  %current = getelementptr inbounds nuw i8, ptr %g, i64 264
  %0 = load ptr, ptr %current, align 8
  %check = getelementptr inbounds nuw i8, ptr %0, i64 672
  %1 = load ptr, ptr %check, align 8
  %access = getelementptr inbounds nuw i8, ptr %g, i64 288
  %2 = load i64, ptr %access, align 8
  %shr = lshr i64 %2, 32
  %conv = trunc nuw i64 %shr to i32
  %3 = and i32 %conv, 3840
  %tobool.not = icmp eq i32 %3, 0
  br i1 %tobool.not, label %if.end, label %if.then

if.then:
  %loaded1.i = getelementptr inbounds nuw i8, ptr %1, i64 14464
  %4 = lshr i64 %2, 34
  %sub.i = and i64 %4, 960
  %mul.i107 = add nuw nsw i64 %sub.i, 4294967232
  %idxprom.i = and i64 %mul.i107, 4294967232
  %arrayidx.i = getelementptr inbounds nuw i64, ptr %loaded1.i, i64 %idxprom.i
  %tobool.not.i768 = icmp eq i64 %exec, 0
  br i1 %tobool.not.i768, label %cleanup62, label %for.body.i.lr.ph

for.body.i.lr.ph:
  %shl.i = shl i64 %bytes, 56
  br label %for.body.i

for.body.i:
  %left.0.i769 = phi i64 [ %exec, %for.body.i.lr.ph ], [ %and7.i, %for.body.i ]
  %5 = tail call range(i64 0, 65) i64 @llvm.cttz.i64(i64 %left.0.i769, i1 true)
  %arrayidx3.i = getelementptr inbounds nuw i64, ptr %at, i64 %5
  %6 = load i64, ptr %arrayidx3.i, align 8
  %add.i108 = add i64 %6, 1
  %or.i = or i64 %add.i108, %shl.i
  %arrayidx5.i = getelementptr inbounds nuw i64, ptr %arrayidx.i, i64 %5
  store i64 %or.i, ptr %arrayidx5.i, align 8
  %sub6.i = add i64 %left.0.i769, -1
  %and7.i = and i64 %sub6.i, %left.0.i769
  %tobool.not.i = icmp eq i64 %and7.i, 0
  br i1 %tobool.not.i, label %cleanup62, label %for.body.i

if.end:
  %check2 = getelementptr inbounds nuw i8, ptr %g, i64 152
  %7 = load ptr, ptr %check2, align 8
  %linear.i = getelementptr inbounds nuw i8, ptr %g, i64 320
  %8 = load i64, ptr %linear.i, align 8
  %shl.i109 = shl i64 %8, 4
  %index.i = getelementptr inbounds nuw i8, ptr %0, i64 656
  %9 = load i32, ptr %index.i, align 8
  %conv.i = zext i32 %9 to i64
  %or.i110 = or i64 %shl.i109, %conv.i
  %add.i111 = add i64 %or.i110, 1
  %shl = shl i64 %add.i111, 32
  %and9 = lshr i64 %2, 33
  %cond.idx = and i64 %and9, 16
  %cond = getelementptr inbounds nuw i8, ptr %1, i64 %cond.idx
  %10 = load i32, ptr %cond, align 4
  %conv14 = zext i32 %10 to i64
  %or = or disjoint i64 %shl, %conv14
  %shl17 = shl i64 %2, 32
  %conv19 = and i64 %shr, 255
  %or20 = or disjoint i64 %conv19, %shl17
  %epoch = getelementptr inbounds nuw i8, ptr %0, i64 660
  %11 = load i32, ptr %epoch, align 4
  %and.i104 = shl i32 %11, 5
  %mul.i105 = and i32 %and.i104, 32
  %add.i106 = or disjoint i32 %mul.i105, 16
  %idxprom = zext nneg i32 %add.i106 to i64
  %arrayidx23 = getelementptr inbounds nuw i32, ptr %7, i64 %idxprom
  %seen = getelementptr inbounds nuw i8, ptr %7, i64 256
  %arrayidx28 = getelementptr inbounds nuw i32, ptr %seen, i64 %idxprom
  %shadows = getelementptr inbounds nuw i8, ptr %g, i64 304
  %12 = load i32, ptr %shadows, align 8
  %tobool30.not = icmp eq i32 %12, 0
  %tobool35.not801.not808 = icmp eq i64 %exec, 0
  %tobool35.not801.not = or i1 %tobool30.not, %tobool35.not801.not808
  br i1 %tobool35.not801.not, label %cleanup62, label %for.body.lr.ph

for.body.lr.ph:
  %shr3.i = lshr i32 %conv, 16
  %and.i112 = and i32 %shr3.i, 255
  %tobool.not.i115783 = icmp eq i32 %and.i112, 0
  %loaded.i = getelementptr inbounds nuw i8, ptr %1, i64 14464
  %shadow.i = getelementptr inbounds nuw i8, ptr %g, i64 296
  %judge.i285 = getelementptr inbounds nuw i8, ptr %g, i64 312
  %fault_code.i299 = getelementptr inbounds nuw i8, ptr %g, i64 48
  %fault_lane.i300 = getelementptr inbounds nuw i8, ptr %g, i64 56
  %fault_address.i301 = getelementptr inbounds nuw i8, ptr %g, i64 64
  %fault_extra.i304 = getelementptr inbounds nuw i8, ptr %g, i64 72
  %and.i.i = and i32 %conv, 16777216
  %tobool.not.i.i = icmp eq i32 %and.i.i, 0
  %shl.i.i = shl i64 8, %shift
  %notmask.i.i = shl nsw i64 -1, %shl.i.i
  %kept.i.i = getelementptr inbounds nuw i8, ptr %g, i64 360
  %and.i427 = and i32 %conv, 2
  %and17.i = and i32 %conv, 6
  %tobool18.not.i = icmp eq i32 %and17.i, 0
  %and.i192 = and i32 %conv, 1
  %tobool3.not.i = icmp eq i32 %and.i192, 0
  %tobool3.not.i414 = icmp eq i32 %and.i427, 0
  %tobool48.not = icmp ne i32 %and.i427, 0
  %or.cond755.not = and i1 %events, %tobool48.not
  br label %for.body

for.body:
  %left.0802 = phi i64 [ %exec, %for.body.lr.ph ], [ %and58, %for.inc ]
  %13 = tail call range(i64 0, 65) i64 @llvm.cttz.i64(i64 %left.0802, i1 true)
  %cast = trunc nuw nsw i64 %13 to i32
  %arrayidx37 = getelementptr inbounds nuw i64, ptr %at, i64 %13
  %14 = load i64, ptr %arrayidx37, align 8
  br i1 %tobool.not.i115783, label %lor.lhs.false, label %for.body.i116.lr.ph

for.body.i116.lr.ph:
  %15 = xor i64 %14, -1
  br label %for.body.i116

for.body.i116:
  %left.0.i114784 = phi i32 [ %and.i112, %for.body.i116.lr.ph ], [ %and11.i, %if.end.i ]
  %16 = tail call range(i32 0, 33) i32 @llvm.cttz.i32(i32 %left.0.i114784, i1 true)
  %mul.i181 = shl nuw nsw i32 %16, 6
  %add.i182 = or disjoint i32 %mul.i181, %cast
  %idxprom.i183 = zext nneg i32 %add.i182 to i64
  %arrayidx.i184 = getelementptr inbounds nuw i64, ptr %loaded.i, i64 %idxprom.i183
  %17 = load i64, ptr %arrayidx.i184, align 8
  %shl.i185 = and i64 %17, 72057594037927935
  %18 = add i64 %17, -648518346341351424
  %or.cond.i = icmp ult i64 %18, -648518346341351423
  %sub3.i = add i64 %shl.i185, %15
  %cmp4.not.i = icmp ult i64 %sub3.i, %bytes
  %spec.select.i188 = select i1 %cmp4.not.i, i64 0, i64 %17
  %tobool4.not.i756 = icmp eq i64 %spec.select.i188, 0
  %tobool4.not.i = select i1 %or.cond.i, i1 true, i1 %tobool4.not.i756
  br i1 %tobool4.not.i, label %if.end.i, label %land.lhs.true.i

land.lhs.true.i:
  %shl5.i = and i64 %spec.select.i188, 72057594037927935
  %sub.i117 = add nsw i64 %shl5.i, -1
  %shr7.i = lshr i64 %spec.select.i188, 56
  %add.i118 = add nsw i64 %sub.i117, %shr7.i
  %19 = load i32, ptr %shadows, align 8
  %cmp.i770.not = icmp eq i32 %19, 0
  br i1 %cmp.i770.not, label %if.end.i, label %land.rhs.i.preheader

land.rhs.i.preheader:
  %20 = load ptr, ptr %shadow.i, align 8
  br label %land.rhs.i

land.rhs.i:
  %n.0.i772 = phi i32 [ %inc.i, %while.body.i ], [ 0, %land.rhs.i.preheader ]
  %region.0.i771 = phi ptr [ %incdec.ptr.i, %while.body.i ], [ %20, %land.rhs.i.preheader ]
  %21 = load i64, ptr %region.0.i771, align 8
  %cmp2.i = icmp ult i64 %sub.i117, %21
  br i1 %cmp2.i, label %while.body.i, label %lor.rhs.i

lor.rhs.i:
  %end3.i = getelementptr inbounds nuw i8, ptr %region.0.i771, i64 8
  %22 = load i64, ptr %end3.i, align 8
  %cmp4.i = icmp ugt i64 %add.i118, %22
  br i1 %cmp4.i, label %while.body.i, label %while.end.i

while.body.i:
  %inc.i = add nuw i32 %n.0.i772, 1
  %incdec.ptr.i = getelementptr inbounds nuw i8, ptr %region.0.i771, i64 24
  %exitcond.not = icmp eq i32 %inc.i, %19
  br i1 %exitcond.not, label %if.end.i, label %land.rhs.i

while.end.i:
  %23 = icmp eq i32 %n.0.i772, %19
  br i1 %23, label %if.end.i, label %if.end.i119

if.end.i119:
  %24 = load i64, ptr %region.0.i771, align 8
  %sub.i120 = sub i64 %sub.i117, %24
  %shr.i121 = lshr i64 %sub.i120, %shift
  %25 = xor i64 %24, -1
  %sub11.i779 = add i64 %add.i118, %25
  %shr12.i780 = lshr i64 %sub11.i779, %shift
  %cmp13.not.i781 = icmp ugt i64 %shr.i121, %shr12.i780
  br i1 %cmp13.not.i781, label %if.end.i, label %land.lhs.true.i125.lr.ph

land.lhs.true.i125.lr.ph:
  %granules.i = getelementptr inbounds nuw i8, ptr %region.0.i771, i64 16
  br label %land.lhs.true.i125

land.lhs.true.i125:
  %26 = phi i64 [ %24, %land.lhs.true.i125.lr.ph ], [ %54, %if.else.i229 ]
  %k.0.i782 = phi i64 [ %shr.i121, %land.lhs.true.i125.lr.ph ], [ %inc20.i, %if.else.i229 ]
  %shl.i124 = shl i64 %k.0.i782, %shift
  %add15.i = add i64 %shl.i124, %26
  %27 = load ptr, ptr %granules.i, align 8
  %arrayidx.i126 = getelementptr inbounds nuw %struct.GlobalGranule, ptr %27, i64 %k.0.i782
  %28 = load i64, ptr %arrayidx.i126, align 8
  %29 = getelementptr inbounds nuw i8, ptr %arrayidx.i126, i64 8
  %30 = load i64, ptr %29, align 8
  %shr.i516 = lshr i64 %28, 32
  %tobool.not.i518 = icmp eq i64 %28, 0
  %cmp.i521 = icmp eq i64 %shr.i516, %add.i111
  %or.cond = select i1 %tobool.not.i518, i1 true, i1 %cmp.i521
  br i1 %or.cond, label %lor.lhs.false.i207, label %if.end.i529

if.end.i529:
  br i1 %split, label %if.end.i282, label %lor.lhs.false8.i532

lor.lhs.false8.i532:
  %sub.i533 = add nsw i64 %shr.i516, -1
  %shr9.i534 = lshr i64 %sub.i533, 4
  %31 = load i64, ptr %linear.i, align 8
  %cmp10.not.i536 = icmp eq i64 %shr9.i534, %31
  br i1 %cmp10.not.i536, label %unsettled.exit555, label %if.end.i282

unsettled.exit555:
  %and22.i545757 = and i64 %30, 64
  %tobool23.not.i546 = icmp eq i64 %and22.i545757, 0
  %cond.i550.sroa.speculated = select i1 %tobool23.not.i546, ptr %arrayidx28, ptr %arrayidx23
  %conv25.i551 = trunc i64 %28 to i32
  %and27.i552 = and i64 %sub.i533, 15
  %arrayidx.i553 = getelementptr inbounds nuw i32, ptr %cond.i550.sroa.speculated, i64 %and27.i552
  %32 = load i32, ptr %arrayidx.i553, align 4
  %cmp28.i554 = icmp ult i32 %32, %conv25.i551
  br i1 %cmp28.i554, label %if.end.i282, label %lor.lhs.false.i207.thread

if.end.i282:
  %cond.i283 = tail call i64 @llvm.umax.i64(i64 %add15.i, i64 %sub.i117)
  %or.i284 = or i64 %30, 2147483648
  %33 = load ptr, ptr %judge.i285, align 8
  %34 = load i64, ptr %access, align 8
  %sub.i288 = sub i64 %cond.i283, %sub.i117
  %conv.i289 = trunc i64 %sub.i288 to i32
  %shl.i290 = shl i32 %conv.i289, 8
  %or2.i291 = or disjoint i32 %shl.i290, %cast
  %call3.i292 = tail call i32 %33(i64 noundef %add.i111, i64 noundef %34, i64 noundef %cond.i283, i64 noundef %28, i64 noundef %or.i284, i32 noundef %or2.i291) #21
  %tobool.not.i293 = icmp eq i32 %call3.i292, 0
  br i1 %tobool.not.i293, label %lor.lhs.false.i207, label %asked.exit307

asked.exit307:
  %35 = shl i64 %30, 8
  %shl6.i295 = and i64 %35, -1099511627776
  %or8.i298 = or disjoint i64 %shl6.i295, 549755813888
  store i32 19, ptr %fault_code.i299, align 8
  store i32 %cast, ptr %fault_lane.i300, align 8
  store i64 %cond.i283, ptr %fault_address.i301, align 8
  %or11.i303 = or disjoint i64 %or8.i298, %shr.i516
  store i64 %or11.i303, ptr %fault_extra.i304, align 8
  %36 = load i64, ptr %access, align 8
  %conv13.i305 = trunc i64 %36 to i32
  %call14.i306 = tail call i32 @ave_check_found(ptr noundef nonnull %g, i32 noundef %conv13.i305, i64 noundef %or8.i298, i1 noundef true) #22
  %tobool.not.i205 = icmp eq i32 %call14.i306, 0
  br i1 %tobool.not.i205, label %lor.lhs.false.i207, label %cleanup62

lor.lhs.false.i207:
  %plain.i208 = getelementptr inbounds nuw i8, ptr %arrayidx.i126, i64 48
  %37 = load i64, ptr %plain.i208, align 8
  %shr.i556 = lshr i64 %37, 32
  %tobool.not.i558 = icmp eq i64 %37, 0
  %cmp.i561 = icmp eq i64 %shr.i556, %add.i111
  %or.cond751 = select i1 %tobool.not.i558, i1 true, i1 %cmp.i561
  br i1 %or.cond751, label %if.else.i229, label %if.end.i569

lor.lhs.false.i207.thread:
  %plain.i208834 = getelementptr inbounds nuw i8, ptr %arrayidx.i126, i64 48
  %38 = load i64, ptr %plain.i208834, align 8
  %39 = getelementptr inbounds nuw i8, ptr %arrayidx.i126, i64 56
  %40 = load i64, ptr %39, align 8
  %shr.i556835 = lshr i64 %38, 32
  %tobool.not.i558836 = icmp eq i64 %38, 0
  %cmp.i561837 = icmp eq i64 %shr.i556835, %add.i111
  %or.cond751838 = select i1 %tobool.not.i558836, i1 true, i1 %cmp.i561837
  br i1 %or.cond751838, label %if.else.i229, label %lor.lhs.false8.i572

if.end.i569:
  %41 = getelementptr inbounds nuw i8, ptr %arrayidx.i126, i64 56
  %42 = load i64, ptr %41, align 8
  br i1 %split, label %if.end.i254, label %lor.lhs.false8.i572

lor.lhs.false8.i572:
  %43 = phi i64 [ %37, %if.end.i569 ], [ %38, %lor.lhs.false.i207.thread ]
  %44 = phi i64 [ %42, %if.end.i569 ], [ %40, %lor.lhs.false.i207.thread ]
  %shr.i556839841 = phi i64 [ %shr.i556, %if.end.i569 ], [ %shr.i556835, %lor.lhs.false.i207.thread ]
  %sub.i573 = add nsw i64 %shr.i556839841, -1
  %shr9.i574 = lshr i64 %sub.i573, 4
  %45 = load i64, ptr %linear.i, align 8
  %cmp10.not.i576 = icmp eq i64 %shr9.i574, %45
  br i1 %cmp10.not.i576, label %unsettled.exit595, label %if.end.i254

unsettled.exit595:
  %and22.i585758 = and i64 %44, 64
  %tobool23.not.i586 = icmp eq i64 %and22.i585758, 0
  %cond.i590.sroa.speculated = select i1 %tobool23.not.i586, ptr %arrayidx28, ptr %arrayidx23
  %conv25.i591 = trunc i64 %43 to i32
  %and27.i592 = and i64 %sub.i573, 15
  %arrayidx.i593 = getelementptr inbounds nuw i32, ptr %cond.i590.sroa.speculated, i64 %and27.i592
  %46 = load i32, ptr %arrayidx.i593, align 4
  %cmp28.i594 = icmp ult i32 %46, %conv25.i591
  br i1 %cmp28.i594, label %if.end.i254, label %if.else.i229

if.end.i254:
  %47 = phi i64 [ %43, %lor.lhs.false8.i572 ], [ %37, %if.end.i569 ], [ %43, %unsettled.exit595 ]
  %48 = phi i64 [ %44, %lor.lhs.false8.i572 ], [ %42, %if.end.i569 ], [ %44, %unsettled.exit595 ]
  %shr.i556839842 = phi i64 [ %shr.i556839841, %lor.lhs.false8.i572 ], [ %shr.i556, %if.end.i569 ], [ %shr.i556839841, %unsettled.exit595 ]
  %cond.i255 = tail call i64 @llvm.umax.i64(i64 %add15.i, i64 %sub.i117)
  %or.i256 = or i64 %48, 2147483648
  %49 = load ptr, ptr %judge.i285, align 8
  %50 = load i64, ptr %access, align 8
  %sub.i260 = sub i64 %cond.i255, %sub.i117
  %conv.i261 = trunc i64 %sub.i260 to i32
  %shl.i262 = shl i32 %conv.i261, 8
  %or2.i263 = or disjoint i32 %shl.i262, %cast
  %call3.i264 = tail call i32 %49(i64 noundef %add.i111, i64 noundef %50, i64 noundef %cond.i255, i64 noundef %47, i64 noundef %or.i256, i32 noundef %or2.i263) #21
  %tobool.not.i265 = icmp eq i32 %call3.i264, 0
  br i1 %tobool.not.i265, label %if.else.i229, label %asked.exit279

asked.exit279:
  %51 = shl i64 %48, 8
  %shl6.i267 = and i64 %51, -1099511627776
  %or8.i270 = or disjoint i64 %shl6.i267, 549755813888
  store i32 19, ptr %fault_code.i299, align 8
  store i32 %cast, ptr %fault_lane.i300, align 8
  store i64 %cond.i255, ptr %fault_address.i301, align 8
  %or11.i275 = or disjoint i64 %or8.i270, %shr.i556839842
  store i64 %or11.i275, ptr %fault_extra.i304, align 8
  %52 = load i64, ptr %access, align 8
  %conv13.i277 = trunc i64 %52 to i32
  %call14.i278 = tail call i32 @ave_check_found(ptr noundef nonnull %g, i32 noundef %conv13.i277, i64 noundef %or8.i270, i1 noundef true) #22
  %tobool2.not.i210 = icmp eq i32 %call14.i278, 0
  br i1 %tobool2.not.i210, label %if.else.i229, label %cleanup62

if.else.i229:
  %reads9.i230 = getelementptr inbounds nuw i8, ptr %arrayidx.i126, i64 16
  %53 = load i64, ptr %reads9.i230, align 8
  %tobool12.not.i231 = icmp ne i64 %53, 0
  %shr.i233 = lshr i64 %53, 32
  %cmp13.i235 = icmp ne i64 %shr.i233, %add.i111
  %narrow = select i1 %tobool12.not.i231, i1 %cmp13.i235, i1 false
  %land.ext.i237 = zext i1 %narrow to i64
  %arrayidx15.i238 = getelementptr inbounds nuw %struct.GlobalAccess, ptr %reads9.i230, i64 %land.ext.i237
  store i64 %or, ptr %arrayidx15.i238, align 8
  %read.i.sroa.16.8.arrayidx15.i238.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx15.i238, i64 8
  store i64 %shl17, ptr %read.i.sroa.16.8.arrayidx15.i238.sroa_idx, align 8
  %inc20.i = add i64 %k.0.i782, 1
  %54 = load i64, ptr %region.0.i771, align 8
  %55 = xor i64 %54, -1
  %sub11.i = add i64 %add.i118, %55
  %shr12.i = lshr i64 %sub11.i, %shift
  %cmp13.not.i = icmp ugt i64 %inc20.i, %shr12.i
  br i1 %cmp13.not.i, label %if.end.i, label %land.lhs.true.i125

if.end.i:
  %sub10.i = add nsw i32 %left.0.i114784, -1
  %and11.i = and i32 %sub10.i, %left.0.i114784
  %tobool.not.i115 = icmp eq i32 %and11.i, 0
  br i1 %tobool.not.i115, label %lor.lhs.false, label %for.body.i116

lor.lhs.false:
  %add.i130 = add i64 %14, %bytes
  %56 = load i32, ptr %shadows, align 8
  %cmp.i135785.not = icmp eq i32 %56, 0
  br i1 %cmp.i135785.not, label %if.end43, label %land.rhs.i161.preheader

land.rhs.i161.preheader:
  %57 = load ptr, ptr %shadow.i, align 8
  br label %land.rhs.i161

land.rhs.i161:
  %n.0.i133787 = phi i32 [ %inc.i167, %while.body.i166 ], [ 0, %land.rhs.i161.preheader ]
  %region.0.i132786 = phi ptr [ %incdec.ptr.i168, %while.body.i166 ], [ %57, %land.rhs.i161.preheader ]
  %58 = load i64, ptr %region.0.i132786, align 8
  %cmp2.i162 = icmp ult i64 %14, %58
  br i1 %cmp2.i162, label %while.body.i166, label %lor.rhs.i163

lor.rhs.i163:
  %end3.i164 = getelementptr inbounds nuw i8, ptr %region.0.i132786, i64 8
  %59 = load i64, ptr %end3.i164, align 8
  %cmp4.i165 = icmp ugt i64 %add.i130, %59
  br i1 %cmp4.i165, label %while.body.i166, label %while.end.i136

while.body.i166:
  %inc.i167 = add nuw i32 %n.0.i133787, 1
  %incdec.ptr.i168 = getelementptr inbounds nuw i8, ptr %region.0.i132786, i64 24
  %exitcond815.not = icmp eq i32 %inc.i167, %56
  br i1 %exitcond815.not, label %if.end43, label %land.rhs.i161

while.end.i136:
  %60 = icmp eq i32 %n.0.i133787, %56
  br i1 %60, label %if.end43, label %if.end.i139

if.end.i139:
  %61 = load i64, ptr %region.0.i132786, align 8
  %sub.i140 = sub i64 %14, %61
  %shr.i141 = lshr i64 %sub.i140, %shift
  %62 = xor i64 %61, -1
  %sub11.i144795 = add i64 %add.i130, %62
  %shr12.i145796 = lshr i64 %sub11.i144795, %shift
  %cmp13.not.i146797 = icmp ugt i64 %shr.i141, %shr12.i145796
  br i1 %cmp13.not.i146797, label %if.end43, label %for.body.i147.lr.ph

for.body.i147.lr.ph:
  %granules.i152 = getelementptr inbounds nuw i8, ptr %region.0.i132786, i64 16
  br label %for.body.i147

for.body.i147:
  %63 = phi i64 [ %61, %for.body.i147.lr.ph ], [ %97, %if.end19.i159 ]
  %k.0.i143798 = phi i64 [ %shr.i141, %for.body.i147.lr.ph ], [ %inc20.i160, %if.end19.i159 ]
  %shl.i148 = shl i64 %k.0.i143798, %shift
  %add15.i149 = add i64 %shl.i148, %63
  %cmp.i.i150 = icmp ult i64 %add15.i149, %14
  %or.cond.i.i = or i1 %tobool.not.i.i, %cmp.i.i150
  br i1 %or.cond.i.i, label %land.lhs.true.i151, label %keeps.exit.i

keeps.exit.i:
  %64 = load ptr, ptr %kept.i.i, align 8
  %arrayidx.i.i = getelementptr inbounds nuw i32, ptr %64, i64 %13
  %65 = load i32, ptr %arrayidx.i.i, align 4
  %sub2.i.i = sub nuw i64 %add15.i149, %14
  %sub2.tr.i.i = trunc i64 %sub2.i.i to i32
  %sh_prom.i.i = shl i32 %sub2.tr.i.i, 3
  %shr.i.i = lshr i32 %65, %sh_prom.i.i
  %conv.i.i = zext i32 %shr.i.i to i64
  %66 = or i64 %notmask.i.i, %conv.i.i
  %cmp4.i.i = icmp eq i64 %66, -1
  br i1 %cmp4.i.i, label %if.end19.i159, label %land.lhs.true.i151

land.lhs.true.i151:
  %67 = load ptr, ptr %granules.i152, align 8
  %arrayidx.i153 = getelementptr inbounds nuw %struct.GlobalGranule, ptr %67, i64 %k.0.i143798
  %68 = load i64, ptr %arrayidx.i153, align 8
  %69 = getelementptr inbounds nuw i8, ptr %arrayidx.i153, i64 8
  %70 = load i64, ptr %69, align 8
  %shr.i422 = lshr i64 %68, 32
  %conv.i423 = trunc i64 %70 to i32
  %tobool.not.i424 = icmp ne i64 %68, 0
  %cmp.i426 = icmp ne i64 %shr.i422, %add.i111
  %or.cond752.not809 = select i1 %tobool.not.i424, i1 %cmp.i426, i1 false
  %and6.i = and i32 %and.i427, %conv.i423
  %tobool7.not.i = icmp eq i32 %and6.i, 0
  %or.cond805 = select i1 %or.cond752.not809, i1 %tobool7.not.i, i1 false
  br i1 %or.cond805, label %if.end.i429, label %lor.lhs.false.i

if.end.i429:
  br i1 %split, label %if.end.i366, label %lor.lhs.false8.i

lor.lhs.false8.i:
  %sub.i430 = add nsw i64 %shr.i422, -1
  %shr9.i = lshr i64 %sub.i430, 4
  %71 = load i64, ptr %linear.i, align 8
  %cmp10.not.i = icmp eq i64 %shr9.i, %71
  br i1 %cmp10.not.i, label %if.end13.i, label %if.end.i366

if.end13.i:
  %and14.i = and i32 %conv.i423, 6
  %tobool15.not.i = icmp eq i32 %and14.i, 0
  %or.cond.i432 = or i1 %tobool18.not.i, %tobool15.not.i
  br i1 %or.cond.i432, label %unsettled.exit, label %lor.lhs.false.i

unsettled.exit:
  %or.i433 = or i32 %conv.i423, %conv
  %and22.i = and i32 %or.i433, 64
  %tobool23.not.i = icmp eq i32 %and22.i, 0
  %cond.i434.sroa.speculated = select i1 %tobool23.not.i, ptr %arrayidx28, ptr %arrayidx23
  %conv25.i = trunc i64 %68 to i32
  %and27.i = and i64 %sub.i430, 15
  %arrayidx.i435 = getelementptr inbounds nuw i32, ptr %cond.i434.sroa.speculated, i64 %and27.i
  %72 = load i32, ptr %arrayidx.i435, align 4
  %cmp28.i = icmp ult i32 %72, %conv25.i
  br i1 %cmp28.i, label %if.end.i366, label %lor.lhs.false.i

if.end.i366:
  %cond.i367 = tail call i64 @llvm.umax.i64(i64 %add15.i149, i64 %14)
  %or.i368 = or i64 %70, 2147483648
  %73 = load ptr, ptr %judge.i285, align 8
  %74 = load i64, ptr %access, align 8
  %sub.i372 = sub i64 %cond.i367, %14
  %conv.i373 = trunc i64 %sub.i372 to i32
  %shl.i374 = shl i32 %conv.i373, 8
  %or2.i375 = or disjoint i32 %shl.i374, %cast
  %call3.i376 = tail call i32 %73(i64 noundef %add.i111, i64 noundef %74, i64 noundef %cond.i367, i64 noundef %68, i64 noundef %or.i368, i32 noundef %or2.i375) #21
  %tobool.not.i377 = icmp eq i32 %call3.i376, 0
  br i1 %tobool.not.i377, label %lor.lhs.false.i, label %asked.exit391

asked.exit391:
  %75 = shl i64 %70, 8
  %shl6.i379 = and i64 %75, -1099511627776
  %or8.i382 = or disjoint i64 %shl6.i379, 549755813888
  store i32 19, ptr %fault_code.i299, align 8
  store i32 %cast, ptr %fault_lane.i300, align 8
  store i64 %cond.i367, ptr %fault_address.i301, align 8
  %or11.i387 = or disjoint i64 %or8.i382, %shr.i422
  store i64 %or11.i387, ptr %fault_extra.i304, align 8
  %76 = load i64, ptr %access, align 8
  %conv13.i389 = trunc i64 %76 to i32
  %call14.i390 = tail call i32 @ave_check_found(ptr noundef nonnull %g, i32 noundef %conv13.i389, i64 noundef %or8.i382, i1 noundef true) #22
  %tobool.not.i189 = icmp eq i32 %call14.i390, 0
  br i1 %tobool.not.i189, label %lor.lhs.false.i, label %cleanup62

lor.lhs.false.i:
  %plain.i = getelementptr inbounds nuw i8, ptr %arrayidx.i153, i64 48
  %77 = load i64, ptr %plain.i, align 8
  %78 = getelementptr inbounds nuw i8, ptr %arrayidx.i153, i64 56
  %79 = load i64, ptr %78, align 8
  %shr.i436 = lshr i64 %77, 32
  %conv.i437 = trunc i64 %79 to i32
  %tobool.not.i438 = icmp ne i64 %77, 0
  %cmp.i441 = icmp ne i64 %shr.i436, %add.i111
  %or.cond753.not810 = select i1 %tobool.not.i438, i1 %cmp.i441, i1 false
  %and6.i445 = and i32 %and.i427, %conv.i437
  %tobool7.not.i446 = icmp eq i32 %and6.i445, 0
  %or.cond806 = select i1 %or.cond753.not810, i1 %tobool7.not.i446, i1 false
  br i1 %or.cond806, label %if.end.i449, label %if.end.i190

if.end.i449:
  br i1 %split, label %if.end.i338, label %lor.lhs.false8.i452

lor.lhs.false8.i452:
  %sub.i453 = add nsw i64 %shr.i436, -1
  %shr9.i454 = lshr i64 %sub.i453, 4
  %80 = load i64, ptr %linear.i, align 8
  %cmp10.not.i456 = icmp eq i64 %shr9.i454, %80
  br i1 %cmp10.not.i456, label %if.end13.i457, label %if.end.i338

if.end13.i457:
  %and14.i458 = and i32 %conv.i437, 6
  %tobool15.not.i459 = icmp eq i32 %and14.i458, 0
  %or.cond.i462 = or i1 %tobool18.not.i, %tobool15.not.i459
  br i1 %or.cond.i462, label %unsettled.exit475, label %if.end.i190

unsettled.exit475:
  %or.i464 = or i32 %conv.i437, %conv
  %and22.i465 = and i32 %or.i464, 64
  %tobool23.not.i466 = icmp eq i32 %and22.i465, 0
  %cond.i470.sroa.speculated = select i1 %tobool23.not.i466, ptr %arrayidx28, ptr %arrayidx23
  %conv25.i471 = trunc i64 %77 to i32
  %and27.i472 = and i64 %sub.i453, 15
  %arrayidx.i473 = getelementptr inbounds nuw i32, ptr %cond.i470.sroa.speculated, i64 %and27.i472
  %81 = load i32, ptr %arrayidx.i473, align 4
  %cmp28.i474 = icmp ult i32 %81, %conv25.i471
  br i1 %cmp28.i474, label %if.end.i338, label %if.end.i190

if.end.i338:
  %cond.i339 = tail call i64 @llvm.umax.i64(i64 %add15.i149, i64 %14)
  %or.i340 = or i64 %79, 2147483648
  %82 = load ptr, ptr %judge.i285, align 8
  %83 = load i64, ptr %access, align 8
  %sub.i344 = sub i64 %cond.i339, %14
  %conv.i345 = trunc i64 %sub.i344 to i32
  %shl.i346 = shl i32 %conv.i345, 8
  %or2.i347 = or disjoint i32 %shl.i346, %cast
  %call3.i348 = tail call i32 %82(i64 noundef %add.i111, i64 noundef %83, i64 noundef %cond.i339, i64 noundef %77, i64 noundef %or.i340, i32 noundef %or2.i347) #21
  %tobool.not.i349 = icmp eq i32 %call3.i348, 0
  br i1 %tobool.not.i349, label %if.end.i190, label %asked.exit363

asked.exit363:
  %84 = shl i64 %79, 8
  %shl6.i351 = and i64 %84, -1099511627776
  %or8.i354 = or disjoint i64 %shl6.i351, 549755813888
  store i32 19, ptr %fault_code.i299, align 8
  store i32 %cast, ptr %fault_lane.i300, align 8
  store i64 %cond.i339, ptr %fault_address.i301, align 8
  %or11.i359 = or disjoint i64 %or8.i354, %shr.i436
  store i64 %or11.i359, ptr %fault_extra.i304, align 8
  %85 = load i64, ptr %access, align 8
  %conv13.i361 = trunc i64 %85 to i32
  %call14.i362 = tail call i32 @ave_check_found(ptr noundef nonnull %g, i32 noundef %conv13.i361, i64 noundef %or8.i354, i1 noundef true) #22
  %tobool2.not.i = icmp eq i32 %call14.i362, 0
  br i1 %tobool2.not.i, label %if.end.i190, label %cleanup62

if.end.i190:
  %reads9.i = getelementptr inbounds nuw i8, ptr %arrayidx.i153, i64 16
  br i1 %tobool3.not.i, label %if.else.i, label %for.cond.i193.preheader

for.cond.i193.preheader:
  %cond.i311 = tail call i64 @llvm.umax.i64(i64 %add15.i149, i64 %14)
  %sub.i316 = sub i64 %cond.i311, %14
  %conv.i317 = trunc i64 %sub.i316 to i32
  %shl.i318 = shl i32 %conv.i317, 8
  %or2.i319 = or disjoint i32 %shl.i318, %cast
  br label %for.body.i197

for.body.i197:
  %cmp.i195 = phi i1 [ true, %for.cond.i193.preheader ], [ false, %for.inc.i200 ]
  %indvars.iv = phi i64 [ 0, %for.cond.i193.preheader ], [ 1, %for.inc.i200 ]
  %arrayidx.i199 = getelementptr inbounds nuw %struct.GlobalAccess, ptr %reads9.i, i64 %indvars.iv
  %86 = load i64, ptr %arrayidx.i199, align 8
  %87 = getelementptr inbounds nuw i8, ptr %arrayidx.i199, i64 8
  %88 = load i64, ptr %87, align 8
  %shr.i476 = lshr i64 %86, 32
  %conv.i477 = trunc i64 %88 to i32
  %tobool.not.i478 = icmp ne i64 %86, 0
  %cmp.i481 = icmp ne i64 %shr.i476, %add.i111
  %or.cond754.not811 = select i1 %tobool.not.i478, i1 %cmp.i481, i1 false
  %and6.i485 = and i32 %and.i427, %conv.i477
  %tobool7.not.i486 = icmp eq i32 %and6.i485, 0
  %or.cond807 = select i1 %or.cond754.not811, i1 %tobool7.not.i486, i1 false
  br i1 %or.cond807, label %if.end.i489, label %for.inc.i200

if.end.i489:
  br i1 %split, label %if.end.i310, label %lor.lhs.false8.i492

lor.lhs.false8.i492:
  %sub.i493 = add nsw i64 %shr.i476, -1
  %shr9.i494 = lshr i64 %sub.i493, 4
  %89 = load i64, ptr %linear.i, align 8
  %cmp10.not.i496 = icmp eq i64 %shr9.i494, %89
  br i1 %cmp10.not.i496, label %if.end13.i497, label %if.end.i310

if.end13.i497:
  %and14.i498 = and i32 %conv.i477, 6
  %tobool15.not.i499 = icmp eq i32 %and14.i498, 0
  %or.cond.i502 = or i1 %tobool18.not.i, %tobool15.not.i499
  br i1 %or.cond.i502, label %unsettled.exit515, label %for.inc.i200

unsettled.exit515:
  %or.i504 = or i32 %conv.i477, %conv
  %and22.i505 = and i32 %or.i504, 64
  %tobool23.not.i506 = icmp eq i32 %and22.i505, 0
  %cond.i510.sroa.speculated = select i1 %tobool23.not.i506, ptr %arrayidx28, ptr %arrayidx23
  %conv25.i511 = trunc i64 %86 to i32
  %and27.i512 = and i64 %sub.i493, 15
  %arrayidx.i513 = getelementptr inbounds nuw i32, ptr %cond.i510.sroa.speculated, i64 %and27.i512
  %90 = load i32, ptr %arrayidx.i513, align 4
  %cmp28.i514 = icmp ult i32 %90, %conv25.i511
  br i1 %cmp28.i514, label %if.end.i310, label %for.inc.i200

if.end.i310:
  %91 = load ptr, ptr %judge.i285, align 8
  %92 = load i64, ptr %access, align 8
  %call3.i320 = tail call i32 %91(i64 noundef %add.i111, i64 noundef %92, i64 noundef %cond.i311, i64 noundef %86, i64 noundef %88, i32 noundef %or2.i319) #21
  %tobool.not.i321 = icmp eq i32 %call3.i320, 0
  br i1 %tobool.not.i321, label %for.inc.i200, label %asked.exit335

asked.exit335:
  %93 = shl i64 %88, 8
  %or8.i326 = and i64 %93, -549755813888
  store i32 19, ptr %fault_code.i299, align 8
  store i32 %cast, ptr %fault_lane.i300, align 8
  store i64 %cond.i311, ptr %fault_address.i301, align 8
  %or11.i331 = or disjoint i64 %or8.i326, %shr.i476
  store i64 %or11.i331, ptr %fault_extra.i304, align 8
  %94 = load i64, ptr %access, align 8
  %conv13.i333 = trunc i64 %94 to i32
  %call14.i334 = tail call i32 @ave_check_found(ptr noundef nonnull %g, i32 noundef %conv13.i333, i64 noundef %or8.i326, i1 noundef true) #22
  %tobool6.not.i = icmp eq i32 %call14.i334, 0
  br i1 %tobool6.not.i, label %for.inc.i200, label %cleanup62

for.inc.i200:
  br i1 %cmp.i195, label %for.body.i197, label %for.end.i

for.end.i:
  %95 = load i64, ptr %69, align 8
  %and.i403 = and i64 %95, 2
  %tobool.not.i404 = icmp eq i64 %and.i403, 0
  br i1 %tobool.not.i404, label %note_write.exit421, label %cond.true.i405

cond.true.i405:
  %kept.sroa.5.0.copyload.i408 = load i64, ptr %78, align 8
  br label %note_write.exit421

note_write.exit421:
  %kept.sroa.5.0.i409 = phi i64 [ %kept.sroa.5.0.copyload.i408, %cond.true.i405 ], [ %95, %for.end.i ]
  %kept.sroa.0.0.in.i410 = phi ptr [ %plain.i, %cond.true.i405 ], [ %arrayidx.i153, %for.end.i ]
  %kept.sroa.0.0.i411 = load i64, ptr %kept.sroa.0.0.in.i410, align 8
  %cond.i415 = select i1 %tobool3.not.i414, i64 0, i64 %kept.sroa.0.0.i411
  store i64 %cond.i415, ptr %plain.i, align 8
  store i64 %kept.sroa.5.0.i409, ptr %78, align 8
  store i64 %or, ptr %arrayidx.i153, align 8
  store i64 %or20, ptr %69, align 8
  %arrayidx.i420 = getelementptr inbounds nuw i8, ptr %arrayidx.i153, i64 32
  store i64 0, ptr %arrayidx.i420, align 8
  store i64 0, ptr %reads9.i, align 8
  br label %if.end19.i159

if.else.i:
  %96 = load i64, ptr %reads9.i, align 8
  %tobool12.not.i = icmp ne i64 %96, 0
  %shr.i203 = lshr i64 %96, 32
  %cmp13.i = icmp ne i64 %shr.i203, %add.i111
  %narrow759 = select i1 %tobool12.not.i, i1 %cmp13.i, i1 false
  %land.ext.i = zext i1 %narrow759 to i64
  %arrayidx15.i = getelementptr inbounds nuw %struct.GlobalAccess, ptr %reads9.i, i64 %land.ext.i
  store i64 %or, ptr %arrayidx15.i, align 8
  %c.sroa.18.8.arrayidx15.i.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx15.i, i64 8
  store i64 %or20, ptr %c.sroa.18.8.arrayidx15.i.sroa_idx, align 8
  br label %if.end19.i159

if.end19.i159:
  %inc20.i160 = add i64 %k.0.i143798, 1
  %97 = load i64, ptr %region.0.i132786, align 8
  %98 = xor i64 %97, -1
  %sub11.i144 = add i64 %add.i130, %98
  %shr12.i145 = lshr i64 %sub11.i144, %shift
  %cmp13.not.i146 = icmp ugt i64 %inc20.i160, %shr12.i145
  br i1 %cmp13.not.i146, label %if.end43, label %for.body.i147

if.end43:
  br i1 %or.cond755.not, label %for.cond.i170.preheader, label %for.inc

for.cond.i170.preheader:
  %99 = load i32, ptr %shadows, align 8
  %cmp.i173799.not = icmp eq i32 %99, 0
  br i1 %cmp.i173799.not, label %for.inc, label %for.body.i175.lr.ph

for.body.i175.lr.ph:
  %100 = load ptr, ptr %shadow.i, align 8
  %wide.trip.count = zext i32 %99 to i64
  br label %for.body.i175

for.body.i175:
  %indvars.iv817 = phi i64 [ 0, %for.body.i175.lr.ph ], [ %indvars.iv.next818, %for.inc.i ]
  %arrayidx.i178 = getelementptr inbounds nuw %struct.GlobalRegion, ptr %100, i64 %indvars.iv817
  %101 = load i64, ptr %arrayidx.i178, align 8
  %cmp1.not.i = icmp ult i64 %14, %101
  br i1 %cmp1.not.i, label %for.inc.i, label %land.lhs.true.i179

land.lhs.true.i179:
  %end5.i = getelementptr inbounds nuw i8, ptr %arrayidx.i178, i64 8
  %102 = load i64, ptr %end5.i, align 8
  %cmp6.not.i = icmp ugt i64 %add.i130, %102
  br i1 %cmp6.not.i, label %for.inc.i, label %if.then52

for.inc.i:
  %indvars.iv.next818 = add nuw nsw i64 %indvars.iv817, 1
  %exitcond820.not = icmp eq i64 %indvars.iv.next818, %wide.trip.count
  br i1 %exitcond820.not, label %for.inc, label %for.body.i175

if.then52:
  %103 = load ptr, ptr %judge.i285, align 8
  %104 = load i64, ptr %access, align 8
  %call55 = tail call i32 %103(i64 noundef %add.i111, i64 noundef %104, i64 noundef %14, i64 noundef 0, i64 noundef 0, i32 noundef 0) #21
  br label %for.inc

for.inc:
  %sub = add i64 %left.0802, -1
  %and58 = and i64 %sub, %left.0802
  %tobool35.not.not = icmp eq i64 %and58, 0
  br i1 %tobool35.not.not, label %cleanup62, label %for.body

cleanup62:
  %retval.4 = phi i32 [ 1, %asked.exit307 ], [ 0, %if.then ], [ 1, %asked.exit363 ], [ 0, %if.end ], [ 0, %for.inc ], [ 1, %asked.exit335 ], [ 1, %asked.exit279 ], [ 1, %asked.exit391 ], [ 0, %for.body.i ]
  ret i32 %retval.4
}

declare void @llvm.memset.p0.i64(ptr writeonly captures(none), i8, i64, i1 immarg) #14

define hidden void @ave_event(ptr noundef readonly captures(none) %w, ptr noundef readonly captures(none) %g, i64 noundef %what) local_unnamed_addr #0 {
entry:
  %judge = getelementptr inbounds nuw i8, ptr %g, i64 312
  %0 = load ptr, ptr %judge, align 8
  %linear.i = getelementptr inbounds nuw i8, ptr %g, i64 320
  %1 = load i64, ptr %linear.i, align 8
  %shl.i = shl i64 %1, 4
  %index.i = getelementptr inbounds nuw i8, ptr %w, i64 656
  %2 = load i32, ptr %index.i, align 8
  %conv.i = zext i32 %2 to i64
  %or.i = or i64 %shl.i, %conv.i
  %add.i = add i64 %or.i, 1
  %call1 = tail call i32 %0(i64 noundef %add.i, i64 noundef 0, i64 noundef 0, i64 noundef 0, i64 noundef %what, i32 noundef 0) #21
  ret void
}

define hidden range(i32 0, 2) i32 @ave_lanes(ptr noundef captures(none) %g, ptr noundef readonly captures(none) %data, ptr noundef readonly captures(none) %at, i64 noundef %exec, i64 noundef %registers, i32 noundef %shift, i32 noundef %mask) local_unnamed_addr #6 {
entry:
  %twice = alloca [128 x i64], align 64
  call void @llvm.lifetime.start.p0(ptr nonnull %twice) #23
  %0 = load <64 x i64>, ptr %at, align 64
  %add.ptr = getelementptr inbounds nuw i8, ptr %twice, i64 512
  store <64 x i64> %0, ptr %add.ptr, align 64
  store <64 x i64> %0, ptr %twice, align 64
  %cmp.i52.not = icmp eq i64 %registers, 0
  br label %for.body

for.body:
  %indvars.iv = phi i64 [ 1, %entry ], [ %indvars.iv.next, %for.inc20 ]
  %add.ptr3 = getelementptr inbounds nuw i64, ptr %twice, i64 %indvars.iv
  %1 = load <64 x i64>, ptr %add.ptr3, align 8
  %cmp4 = icmp eq <64 x i64> %0, %1
  %2 = bitcast <64 x i1> %cmp4 to i64
  %shr = lshr i64 %exec, %indvars.iv
  %3 = sub nuw nsw i64 64, %indvars.iv
  %shl = shl i64 %exec, %3
  %or = or disjoint i64 %shl, %shr
  %4 = and i64 %or, %2
  %and6 = and i64 %4, %exec
  %tobool8.not55 = icmp eq i64 %and6, 0
  br i1 %tobool8.not55, label %for.inc20, label %for.body10

for.body10:
  %left.056 = phi i64 [ %and14, %for.inc ], [ %and6, %for.body ]
  %5 = tail call range(i64 0, 65) i64 @llvm.cttz.i64(i64 %left.056, i1 true)
  br i1 %cmp.i52.not, label %for.inc, label %for.body.i.lr.ph

for.body.i.lr.ph:
  %add = add nuw i64 %indvars.iv, %5
  %rem = and i64 %add, 63
  br label %for.body.i

for.body.i:
  %j.0.i54 = phi i64 [ 0, %for.body.i.lr.ph ], [ %inc.i, %for.inc.i ]
  %data.addr.0.i53 = phi ptr [ %data, %for.body.i.lr.ph ], [ %add.ptr.i, %for.inc.i ]
  %arrayidx.i = getelementptr inbounds nuw i32, ptr %data.addr.0.i53, i64 %5
  %6 = load i32, ptr %arrayidx.i, align 4
  %arrayidx2.i = getelementptr inbounds nuw i32, ptr %data.addr.0.i53, i64 %rem
  %7 = load i32, ptr %arrayidx2.i, align 4
  %xor.i = xor i32 %7, %6
  %shr.i = lshr i32 %xor.i, %shift
  %and.i = and i32 %shr.i, %mask
  %tobool.not.i = icmp eq i32 %and.i, 0
  br i1 %tobool.not.i, label %for.inc.i, label %cleanup15

for.inc.i:
  %inc.i = add nuw i64 %j.0.i54, 1
  %add.ptr.i = getelementptr inbounds nuw i8, ptr %data.addr.0.i53, i64 256
  %exitcond.not = icmp eq i64 %inc.i, %registers
  br i1 %exitcond.not, label %for.inc, label %for.body.i

for.inc:
  %sub13 = add i64 %left.056, -1
  %and14 = and i64 %sub13, %left.056
  %tobool8.not = icmp eq i64 %and14, 0
  br i1 %tobool8.not, label %for.inc20, label %for.body10

cleanup15:
  %cast.le = trunc nuw nsw i64 %5 to i32
  %arrayidx = getelementptr inbounds nuw i64, ptr %twice, i64 %5
  %8 = load i64, ptr %arrayidx, align 8
  %fault_code.i = getelementptr inbounds nuw i8, ptr %g, i64 48
  store i32 20, ptr %fault_code.i, align 8
  %fault_lane.i = getelementptr inbounds nuw i8, ptr %g, i64 56
  store i32 %cast.le, ptr %fault_lane.i, align 8
  %fault_address.i = getelementptr inbounds nuw i8, ptr %g, i64 64
  store i64 %8, ptr %fault_address.i, align 8
  %fault_extra.i = getelementptr inbounds nuw i8, ptr %g, i64 72
  store i64 %rem, ptr %fault_extra.i, align 8
  %access.i = getelementptr inbounds nuw i8, ptr %g, i64 288
  %9 = load i64, ptr %access.i, align 8
  %conv.i = trunc i64 %9 to i32
  %call.i = tail call i32 @ave_check_found(ptr noundef %g, i32 noundef %conv.i, i64 noundef 0, i1 noundef true) #22
  br label %cleanup21

for.inc20:
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond63 = icmp eq i64 %indvars.iv.next, 33
  br i1 %exitcond63, label %cleanup21, label %for.body

cleanup21:
  %spec.select = phi i32 [ %call.i, %cleanup15 ], [ 0, %for.inc20 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %twice) #23
  ret i32 %spec.select
}

define hidden range(i32 0, 2) i32 @ave_sources(ptr noundef captures(none) %g, ptr noundef readonly captures(none) %addresses, i32 noundef %offset, i64 noundef %exec) local_unnamed_addr #6 {
entry:
  %0 = add i64 %exec, 1
  %tobool1.not20 = icmp ult i64 %0, 2
  br i1 %tobool1.not20, label %.loopexit, label %for.body

for.body:
  %left.021 = phi i64 [ %and4, %for.inc ], [ %exec, %entry ]
  %1 = tail call range(i64 0, 65) i64 @llvm.cttz.i64(i64 %left.021, i1 true)
  %arrayidx = getelementptr inbounds nuw i32, ptr %addresses, i64 %1
  %2 = load i32, ptr %arrayidx, align 4
  %add = add i32 %2, %offset
  %div16 = lshr i32 %add, 2
  %rem = and i32 %div16, 63
  %sh_prom = zext nneg i32 %rem to i64
  %3 = shl nuw i64 1, %sh_prom
  %4 = and i64 %3, %exec
  %tobool2.not.not = icmp eq i64 %4, 0
  br i1 %tobool2.not.not, label %cleanup5, label %for.inc

for.inc:
  %sub = add i64 %left.021, -1
  %and4 = and i64 %sub, %left.021
  %tobool1.not = icmp eq i64 %and4, 0
  br i1 %tobool1.not, label %.loopexit, label %for.body

cleanup5:
  %cast = trunc nuw nsw i64 %1 to i32
  %fault_code.i = getelementptr inbounds nuw i8, ptr %g, i64 48
  store i32 21, ptr %fault_code.i, align 8
  %fault_lane.i = getelementptr inbounds nuw i8, ptr %g, i64 56
  store i32 %cast, ptr %fault_lane.i, align 8
  %fault_address.i = getelementptr inbounds nuw i8, ptr %g, i64 64
  store i64 0, ptr %fault_address.i, align 8
  %fault_extra.i = getelementptr inbounds nuw i8, ptr %g, i64 72
  store i64 %sh_prom, ptr %fault_extra.i, align 8
  %access.i = getelementptr inbounds nuw i8, ptr %g, i64 288
  %5 = load i64, ptr %access.i, align 8
  %conv.i = trunc i64 %5 to i32
  %call.i = tail call i32 @ave_check_found(ptr noundef %g, i32 noundef %conv.i, i64 noundef 0, i1 noundef true) #22
  br label %.loopexit

.loopexit:
  %6 = phi i32 [ %call.i, %cleanup5 ], [ 0, %entry ], [ 0, %for.inc ]
  ret i32 %6
}

define hidden void @ave_permute(ptr noundef captures(none) %to, ptr noundef readonly captures(none) %address, ptr noundef readonly captures(none) %data, i64 noundef %exec, i32 noundef %shift) local_unnamed_addr #4 {
entry:
  %masked.i = alloca <64 x i32>, align 64
  %result.i = alloca <64 x i32>, align 64
  call void @llvm.lifetime.start.p0(ptr nonnull %masked.i) #23
  %0 = bitcast i64 %exec to <64 x i1>
  %1 = load <64 x i32>, ptr %data, align 64
  %vector_select.i = select <64 x i1> %0, <64 x i32> %1, <64 x i32> zeroinitializer
  store <64 x i32> %vector_select.i, ptr %masked.i, align 64
  call void @llvm.lifetime.start.p0(ptr nonnull %result.i) #23
  store <64 x i32> zeroinitializer, ptr %result.i, align 64
  br label %for.body.i

for.body.i:
  %indvars.iv = phi i64 [ 0, %entry ], [ %indvars.iv.next, %if.end12.i ]
  %2 = shl nuw i64 1, %indvars.iv
  %3 = and i64 %2, %exec
  %tobool.not.i = icmp eq i64 %3, 0
  br i1 %tobool.not.i, label %if.end12.i, label %if.then7.i

if.then7.i:
  %arrayidx.i = getelementptr inbounds nuw i32, ptr %address, i64 %indvars.iv
  %4 = load i32, ptr %arrayidx.i, align 4
  %add.i = add i32 %4, %shift
  %div31.i = lshr i32 %add.i, 2
  %rem.i = and i32 %div31.i, 63
  %arrayidx9.i = getelementptr inbounds nuw i32, ptr %masked.i, i64 %indvars.iv
  %5 = load i32, ptr %arrayidx9.i, align 4
  %idxprom10.i = zext nneg i32 %rem.i to i64
  %arrayidx11.i = getelementptr inbounds nuw i32, ptr %result.i, i64 %idxprom10.i
  store i32 %5, ptr %arrayidx11.i, align 4
  br label %if.end12.i

if.end12.i:
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, 64
  br i1 %exitcond.not, label %permuted.exit, label %for.body.i

permuted.exit:
  %6 = load <64 x i32>, ptr %result.i, align 64
  %7 = load <64 x i32>, ptr %to, align 64
  %vector_select19.i = select <64 x i1> %0, <64 x i32> %6, <64 x i32> %7
  store <64 x i32> %vector_select19.i, ptr %to, align 64
  call void @llvm.lifetime.end.p0(ptr nonnull %result.i) #23
  call void @llvm.lifetime.end.p0(ptr nonnull %masked.i) #23
  ret void
}

define hidden void @ave_bpermute(ptr noundef captures(none) %to, ptr noundef readonly captures(none) %address, ptr noundef readonly captures(none) %data, i64 noundef %exec, i32 noundef %shift) local_unnamed_addr #4 {
entry:
  %masked.i = alloca <64 x i32>, align 64
  %result.i = alloca <64 x i32>, align 64
  call void @llvm.lifetime.start.p0(ptr nonnull %masked.i) #23
  %0 = bitcast i64 %exec to <64 x i1>
  %1 = load <64 x i32>, ptr %data, align 64
  %vector_select.i = select <64 x i1> %0, <64 x i32> %1, <64 x i32> zeroinitializer
  store <64 x i32> %vector_select.i, ptr %masked.i, align 64
  call void @llvm.lifetime.start.p0(ptr nonnull %result.i) #23
  store <64 x i32> zeroinitializer, ptr %result.i, align 64
  br label %for.body.i

for.body.i:
  %indvars.iv = phi i64 [ 0, %entry ], [ %indvars.iv.next, %for.body.i ]
  %arrayidx.i = getelementptr inbounds nuw i32, ptr %address, i64 %indvars.iv
  %2 = load i32, ptr %arrayidx.i, align 4
  %add.i = add i32 %2, %shift
  %div31.i = lshr i32 %add.i, 2
  %rem.i = and i32 %div31.i, 63
  %idxprom3.i = zext nneg i32 %rem.i to i64
  %arrayidx4.i = getelementptr inbounds nuw i32, ptr %masked.i, i64 %idxprom3.i
  %3 = load i32, ptr %arrayidx4.i, align 4
  %arrayidx6.i = getelementptr inbounds nuw i32, ptr %result.i, i64 %indvars.iv
  store i32 %3, ptr %arrayidx6.i, align 4
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, 64
  br i1 %exitcond.not, label %permuted.exit, label %for.body.i

permuted.exit:
  %4 = load <64 x i32>, ptr %result.i, align 64
  %5 = load <64 x i32>, ptr %to, align 64
  %vector_select19.i = select <64 x i1> %0, <64 x i32> %4, <64 x i32> %5
  store <64 x i32> %vector_select19.i, ptr %to, align 64
  call void @llvm.lifetime.end.p0(ptr nonnull %result.i) #23
  call void @llvm.lifetime.end.p0(ptr nonnull %masked.i) #23
  ret void
}

define hidden void @ave_turn(ptr noalias noundef writeonly captures(none) %data, ptr noalias noundef readonly captures(none) %rows, i32 noundef %bits, i32 noundef %words) local_unnamed_addr #4 {
entry:
  %out = alloca [4 x i32], align 16
  %mul = shl i32 %words, 5
  %div = udiv i32 %mul, %bits
  %div9 = udiv i32 16, %div
  %notmask = shl nsw i32 -1, %bits
  %sub26 = xor i32 %notmask, -1
  %conv27 = zext nneg i32 %sub26 to i64
  %cmp4594.not = icmp eq i32 %words, 0
  %0 = zext i32 %div to i64
  %wide.trip.count = zext i32 %words to i64
  br label %for.body

for.cond.cleanup:
  ret void

for.body:
  %n.096 = phi i32 [ 0, %entry ], [ %inc59, %for.cond.cleanup47 ]
  %rem = and i32 %n.096, 15
  %rem1 = urem i32 %rem, %div
  %mul2 = mul i32 %rem1, %bits
  %rem4 = and i32 %mul2, 31
  call void @llvm.lifetime.start.p0(ptr nonnull %out) #23
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 16 dereferenceable(16) %out, i8 0, i64 16, i1 false)
  %sub = and i32 %n.096, 48
  %div11 = udiv i32 %rem, %div
  %invariant.op = or disjoint i32 %sub, %div11
  %1 = shl i32 %mul2, 1
  %mul14 = and i32 %1, -64
  %add16 = add i32 %rem4, %bits
  %cmp17 = icmp ugt i32 %add16, 32
  %invariant.op92 = add i32 %mul14, 64
  %sh_prom = zext nneg i32 %rem4 to i64
  br label %for.body8

for.cond44.preheader:
  br i1 %cmp4594.not, label %for.cond.cleanup47, label %for.body48

for.body8:
  %indvars.iv = phi i64 [ 0, %for.body ], [ %indvars.iv.next, %if.end ]
  %2 = trunc nuw i64 %indvars.iv to i32
  %mul10 = mul i32 %div9, %2
  %add12.reass = add i32 %mul10, %invariant.op
  %mul13 = mul i32 %bits, %2
  %add15 = add i32 %add12.reass, %mul14
  %idxprom = zext i32 %add15 to i64
  %arrayidx = getelementptr inbounds nuw i32, ptr %rows, i64 %idxprom
  %3 = load i32, ptr %arrayidx, align 4
  %conv = zext i32 %3 to i64
  br i1 %cmp17, label %if.then, label %if.end

if.then:
  %add21.reass = add i32 %add12.reass, %invariant.op92
  %idxprom22 = zext i32 %add21.reass to i64
  %arrayidx23 = getelementptr inbounds nuw i32, ptr %rows, i64 %idxprom22
  %4 = load i32, ptr %arrayidx23, align 4
  %conv24 = zext i32 %4 to i64
  %shl = shl nuw i64 %conv24, 32
  %or = or disjoint i64 %shl, %conv
  br label %if.end

if.end:
  %both.0 = phi i64 [ %or, %if.then ], [ %conv, %for.body8 ]
  %shr = lshr i64 %both.0, %sh_prom
  %and = and i64 %shr, %conv27
  %rem28 = and i32 %mul13, 31
  %sh_prom29 = zext nneg i32 %rem28 to i64
  %shl30 = shl nuw nsw i64 %and, %sh_prom29
  %conv31 = trunc i64 %shl30 to i32
  %div3291 = lshr i32 %mul13, 5
  %idxprom33 = zext nneg i32 %div3291 to i64
  %arrayidx34 = getelementptr inbounds nuw i32, ptr %out, i64 %idxprom33
  %5 = load i32, ptr %arrayidx34, align 4
  %or35 = or i32 %5, %conv31
  store i32 %or35, ptr %arrayidx34, align 4
  %shr36 = lshr i64 %shl30, 32
  %conv37 = trunc nuw nsw i64 %shr36 to i32
  %arrayidx41 = getelementptr inbounds nuw i8, ptr %arrayidx34, i64 4
  %6 = load i32, ptr %arrayidx41, align 4
  %or42 = or i32 %6, %conv37
  store i32 %or42, ptr %arrayidx41, align 4
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %cmp6 = icmp samesign ult i64 %indvars.iv.next, %0
  br i1 %cmp6, label %for.body8, label %for.cond44.preheader

for.cond.cleanup47:
  call void @llvm.lifetime.end.p0(ptr nonnull %out) #23
  %inc59 = add nuw nsw i32 %n.096, 1
  %exitcond101.not = icmp eq i32 %inc59, 64
  br i1 %exitcond101.not, label %for.cond.cleanup, label %for.body

for.body48:
  %indvars.iv98 = phi i64 [ %indvars.iv.next99, %for.body48 ], [ 0, %for.cond44.preheader ]
  %arrayidx50 = getelementptr inbounds nuw i32, ptr %out, i64 %indvars.iv98
  %7 = load i32, ptr %arrayidx50, align 4
  %8 = trunc nuw i64 %indvars.iv98 to i32
  %mul51 = shl i32 %8, 6
  %add52 = add nuw nsw i32 %mul51, %n.096
  %idxprom53 = zext i32 %add52 to i64
  %arrayidx54 = getelementptr inbounds nuw i32, ptr %data, i64 %idxprom53
  store i32 %7, ptr %arrayidx54, align 4
  %indvars.iv.next99 = add nuw nsw i64 %indvars.iv98, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next99, %wide.trip.count
  br i1 %exitcond.not, label %for.cond.cleanup47, label %for.body48
}

define hidden void @ave_banks(ptr noundef captures(none) %g, i64 noundef %index, ptr noundef readonly captures(none) %order, i64 noundef %size, i32 noundef %banks, ptr noundef readonly captures(none) %addresses, i32 noundef %offset, i32 noundef %nbytes, i64 noundef %exec) local_unnamed_addr #15 {
entry:
  %seen = alloca [320 x i32], align 16
  %turns = alloca [64 x i32], align 16
  call void @llvm.lifetime.start.p0(ptr nonnull %seen) #23
  call void @llvm.lifetime.start.p0(ptr nonnull %turns) #23
  %add7 = add i32 %nbytes, -1
  br label %for.body

for.cond.cleanup:
  %current = getelementptr inbounds nuw i8, ptr %g, i64 264
  %0 = load ptr, ptr %current, align 8
  %index55 = getelementptr inbounds nuw i8, ptr %0, i64 656
  %1 = load i32, ptr %index55, align 8
  %conv56 = zext i32 %1 to i64
  %trace.i = getelementptr inbounds nuw i8, ptr %g, i64 344
  %2 = load ptr, ptr %trace.i, align 8
  %tobool.not.i = icmp eq ptr %2, null
  br i1 %tobool.not.i, label %record.exit, label %if.end.i

if.end.i:
  %trace_end.i = getelementptr inbounds nuw i8, ptr %g, i64 352
  %3 = load ptr, ptr %trace_end.i, align 8
  %cmp.i = icmp ult ptr %2, %3
  br i1 %cmp.i, label %if.then2.i, label %if.end9.i

if.then2.i:
  %shl3.i = shl i64 %conv56, 56
  %and.i = shl i64 %index, 24
  %shl4.i = and i64 %and.i, 72057594021150720
  %or.i = or disjoint i64 %shl3.i, %shl4.i
  %cond.i = tail call i64 @llvm.umin.i64(i64 %add50, i64 16777215)
  %or5.i = or disjoint i64 %or.i, %cond.i
  %or7.i = or i64 %or5.i, 3458764513820540928
  store i64 %or7.i, ptr %2, align 8
  %.pre = load ptr, ptr %trace.i, align 8
  br label %if.end9.i

if.end9.i:
  %4 = phi ptr [ %.pre, %if.then2.i ], [ %2, %if.end.i ]
  %incdec.ptr.i = getelementptr inbounds nuw i8, ptr %4, i64 8
  store ptr %incdec.ptr.i, ptr %trace.i, align 8
  br label %record.exit

record.exit:
  %profile = getelementptr inbounds nuw i8, ptr %g, i64 144
  %5 = load ptr, ptr %profile, align 8
  %arrayidx57 = getelementptr inbounds nuw i64, ptr %5, i64 %index
  %6 = atomicrmw add ptr %arrayidx57, i64 %add48 monotonic, align 8
  call void @llvm.lifetime.end.p0(ptr nonnull %turns) #23
  call void @llvm.lifetime.end.p0(ptr nonnull %seen) #23
  ret void

for.body:
  %indvars.iv106 = phi i64 [ %size, %entry ], [ %indvars.iv.next107, %for.cond.cleanup3 ]
  %lost.0103 = phi i64 [ 0, %entry ], [ %add48, %for.cond.cleanup3 ]
  %busy.0102 = phi i64 [ 0, %entry ], [ %add50, %for.cond.cleanup3 ]
  %first.0101 = phi i64 [ 0, %entry ], [ %add, %for.cond.cleanup3 ]
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 16 dereferenceable(256) %turns, i8 0, i64 256, i1 false)
  %add = add i64 %first.0101, %size
  %cmp295 = icmp ult i64 %first.0101, %add
  br i1 %cmp295, label %for.body4, label %for.cond.cleanup3

for.cond.cleanup3:
  %most.0.lcssa = phi i32 [ 0, %for.body ], [ %most.3, %cleanup34 ]
  %cond46 = tail call i32 @llvm.usub.sat.i32(i32 %most.0.lcssa, i32 1)
  %conv47 = zext i32 %cond46 to i64
  %add48 = add i64 %lost.0103, %conv47
  %conv49 = zext i32 %most.0.lcssa to i64
  %add50 = add i64 %busy.0102, %conv49
  %cmp = icmp ult i64 %add, 64
  %indvars.iv.next107 = add i64 %indvars.iv106, %size
  br i1 %cmp, label %for.body, label %for.cond.cleanup

for.body4:
  %count.098 = phi i32 [ %count.3, %cleanup34 ], [ 0, %for.body ]
  %most.097 = phi i32 [ %most.3, %cleanup34 ], [ 0, %for.body ]
  %k.096 = phi i64 [ %inc38, %cleanup34 ], [ %first.0101, %for.body ]
  %arrayidx = getelementptr inbounds nuw i8, ptr %order, i64 %k.096
  %7 = load i8, ptr %arrayidx, align 1
  %sh_prom = zext i8 %7 to i64
  %8 = shl nuw i64 1, %sh_prom
  %9 = and i64 %8, %exec
  %tobool.not = icmp eq i64 %9, 0
  br i1 %tobool.not, label %cleanup34, label %if.end

if.end:
  %arrayidx5 = getelementptr inbounds nuw i32, ptr %addresses, i64 %sh_prom
  %10 = load i32, ptr %arrayidx5, align 4
  %add6 = add i32 %10, %offset
  %sub = add i32 %add7, %add6
  %div85 = lshr i32 %sub, 2
  %div886 = lshr i32 %add6, 2
  %cmp10.not89 = icmp samesign ugt i32 %div886, %div85
  br i1 %cmp10.not89, label %cleanup34, label %while.cond.preheader

while.cond.preheader:
  %dword.092 = phi i32 [ %inc32, %cleanup ], [ %div886, %if.end ]
  %count.191 = phi i32 [ %count.2, %cleanup ], [ %count.098, %if.end ]
  %most.190 = phi i32 [ %most.2, %cleanup ], [ %most.097, %if.end ]
  %cmp1487.not = icmp eq i32 %count.191, 0
  br i1 %cmp1487.not, label %if.end23, label %land.rhs.preheader

land.rhs.preheader:
  %wide.trip.count = zext i32 %count.191 to i64
  br label %land.rhs

while.cond:
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count
  br i1 %exitcond.not, label %if.end23, label %land.rhs

land.rhs:
  %indvars.iv = phi i64 [ 0, %land.rhs.preheader ], [ %indvars.iv.next, %while.cond ]
  %arrayidx17 = getelementptr inbounds nuw i32, ptr %seen, i64 %indvars.iv
  %11 = load i32, ptr %arrayidx17, align 4
  %cmp18.not = icmp eq i32 %11, %dword.092
  br i1 %cmp18.not, label %cleanup, label %while.cond

if.end23:
  %idxprom25.pre-phi = phi i64 [ 0, %while.cond.preheader ], [ %wide.trip.count, %while.cond ]
  %inc24 = add i32 %count.191, 1
  %arrayidx26 = getelementptr inbounds nuw i32, ptr %seen, i64 %idxprom25.pre-phi
  store i32 %dword.092, ptr %arrayidx26, align 4
  %rem = urem i32 %dword.092, %banks
  %idxprom27 = zext nneg i32 %rem to i64
  %arrayidx28 = getelementptr inbounds nuw i32, ptr %turns, i64 %idxprom27
  %12 = load i32, ptr %arrayidx28, align 4
  %inc29 = add i32 %12, 1
  store i32 %inc29, ptr %arrayidx28, align 4
  %cond = tail call i32 @llvm.umax.i32(i32 %inc29, i32 %most.190)
  br label %cleanup

cleanup:
  %most.2 = phi i32 [ %cond, %if.end23 ], [ %most.190, %land.rhs ]
  %count.2 = phi i32 [ %inc24, %if.end23 ], [ %count.191, %land.rhs ]
  %inc32 = add nuw nsw i32 %dword.092, 1
  %exitcond105.not = icmp eq i32 %dword.092, %div85
  br i1 %exitcond105.not, label %cleanup34, label %while.cond.preheader

cleanup34:
  %most.3 = phi i32 [ %most.097, %for.body4 ], [ %most.097, %if.end ], [ %most.2, %cleanup ]
  %count.3 = phi i32 [ %count.098, %for.body4 ], [ %count.098, %if.end ], [ %count.2, %cleanup ]
  %inc38 = add nuw i64 %k.096, 1
  %exitcond108.not = icmp eq i64 %inc38, %indvars.iv106
  br i1 %exitcond108.not, label %for.cond.cleanup3, label %for.body4
}

define hidden i64 @ave_room(ptr noundef readonly captures(none) %room, i64 noundef %exec, i64 noundef %last) local_unnamed_addr #16 {
entry:
  %0 = load <64 x i64>, ptr %room, align 64
  %splat.splatinsert = insertelement <64 x i64> poison, i64 %last, i64 0
  %splat.splat = shufflevector <64 x i64> %splat.splatinsert, <64 x i64> poison, <64 x i32> zeroinitializer
  %cmp = icmp sgt <64 x i64> %0, %splat.splat
  %1 = bitcast <64 x i1> %cmp to i64
  %and = and i64 %exec, %1
  ret i64 %and
}

define hidden i32 @ave_at_buffer(ptr noalias noundef %g, ptr noalias noundef %out, ptr noalias noundef captures(none) %room, ptr noundef readonly captures(none) %index, ptr noundef readonly captures(none) %offset, i64 noundef %r0, i64 noundef %r1, i64 noundef %soffset, i64 noundef %inst, i64 noundef %exec, i1 noundef %indexed, i64 noundef %nbytes, i64 noundef %last) local_unnamed_addr #0 {
entry:
  %shr1.i = lshr i64 %r1, 47
  %and.i = and i64 %shr1.i, 15
  %shr2.i = lshr i64 %r0, 48
  %and3.i = and i64 %shr2.i, 16383
  %0 = and i64 %r1, 36028797018963968
  %1 = icmp ne i64 %0, 0
  %and10.i = and i64 %r0, 281474976710655
  %shl.i = shl nuw nsw i64 %and.i, 14
  %or.i = select i1 %1, i64 %shl.i, i64 0
  %cond.i = or disjoint i64 %or.i, %and3.i
  %2 = or disjoint i64 %and.i, %0
  %or.cond.i.not = icmp eq i64 %2, 0
  %3 = and i64 %r1, 4294967295
  %conv20.i = select i1 %or.cond.i.not, i64 0, i64 %3
  %shr21.i = lshr i64 %r1, 53
  %and22.i = and i64 %shr21.i, 3
  %shl23.i = shl nuw nsw i64 8, %and22.i
  %tobool27.i = icmp ne i64 %cond.i, 0
  %4 = select i1 %indexed, i1 %tobool27.i, i1 false
  %cmp.i = icmp ugt i64 %r1, 4611686018427387903
  %or.cond57.i = and i1 %1, %indexed
  %or.cond134 = or i1 %cmp.i, %or.cond57.i
  br i1 %or.cond134, label %if.then, label %land.lhs.true37.i

land.lhs.true37.i:
  %loadedv39.i = icmp sgt i64 %r0, -1
  %or.cond58.i = select i1 %loadedv39.i, i1 true, i1 %4
  %or.cond59.i = or i1 %1, %or.cond58.i
  %cmp52.i = icmp ult i64 %nbytes, 5
  %.not = or i1 %loadedv39.i, %cmp52.i
  %or.cond136 = and i1 %.not, %or.cond59.i
  br i1 %or.cond136, label %if.end, label %if.then

if.then:
  %fault_code.i = getelementptr inbounds nuw i8, ptr %g, i64 48
  store i32 5, ptr %fault_code.i, align 8
  %fault_lane.i = getelementptr inbounds nuw i8, ptr %g, i64 56
  store i32 0, ptr %fault_lane.i, align 8
  %fault_address.i = getelementptr inbounds nuw i8, ptr %g, i64 64
  store i64 %r0, ptr %fault_address.i, align 8
  %fault_extra.i = getelementptr inbounds nuw i8, ptr %g, i64 72
  store i64 %r1, ptr %fault_extra.i, align 8
  br label %cleanup

if.end:
  %loadedv3 = icmp slt i64 %r0, 0
  %or.cond = and i1 %loadedv3, %1
  br i1 %or.cond, label %land.lhs.true4, label %if.end9

land.lhs.true4:
  %shr.mask = and i64 %r0, 281470681743360
  %cmp = icmp eq i64 %shr.mask, 263882790666240
  %rem = and i64 %soffset, 255
  %cmp6 = icmp eq i64 %rem, 0
  %or.cond119 = and i1 %cmp, %cmp6
  br i1 %or.cond119, label %if.then7, label %if.end9.thread

if.end9.thread:
  %add139 = add i64 %soffset, %and10.i
  br label %for.cond.preheader

if.then7:
  store <64 x i64> splat (i64 9223372036854775807), ptr %room, align 64
  %current.i = getelementptr inbounds nuw i8, ptr %g, i64 264
  %5 = load ptr, ptr %current.i, align 8
  %div3.i = lshr exact i64 %soffset, 6
  %add.i = add i64 %div3.i, %inst
  %call.i = tail call range(i32 0, 2) i32 @ave_at_scratch(ptr noundef %g, ptr noundef %5, ptr noundef %out, ptr noundef %offset, ptr poison, i64 noundef %add.i, i64 noundef %exec, i64 noundef %nbytes) #22
  br label %cleanup

if.end9:
  %add = add i64 %soffset, %and10.i
  %or.cond81 = select i1 %1, i1 true, i1 %4
  %or.cond82 = or i1 %loadedv3, %or.cond81
  br i1 %or.cond82, label %for.cond.preheader, label %if.then19

for.cond.preheader:
  %add142 = phi i64 [ %add139, %if.end9.thread ], [ %add, %if.end9 ]
  %6 = add nuw nsw i64 %and22.i, 3
  %7 = add nsw i64 %shl23.i, -1
  br label %for.body

if.then19:
  %8 = load <64 x i32>, ptr %offset, align 64
  %conv = trunc i64 %inst to i32
  %splat.splatinsert = insertelement <64 x i32> poison, i32 %conv, i64 0
  %splat.splat = shufflevector <64 x i32> %splat.splatinsert, <64 x i32> poison, <64 x i32> zeroinitializer
  %add20 = add <64 x i32> %8, %splat.splat
  %conv21 = zext <64 x i32> %add20 to <64 x i64>
  %splat.splatinsert22 = insertelement <64 x i64> poison, i64 %add, i64 0
  %splat.splat23 = shufflevector <64 x i64> %splat.splatinsert22, <64 x i64> poison, <64 x i32> zeroinitializer
  %add24 = add <64 x i64> %splat.splat23, %conv21
  store <64 x i64> %add24, ptr %out, align 64
  %sub = sub i64 %conv20.i, %soffset
  %splat.splatinsert25 = insertelement <64 x i64> poison, i64 %sub, i64 0
  %splat.splat26 = shufflevector <64 x i64> %splat.splatinsert25, <64 x i64> poison, <64 x i32> zeroinitializer
  %sub27 = sub <64 x i64> %splat.splat26, %conv21
  store <64 x i64> %sub27, ptr %room, align 64
  br label %if.end72

for.body:
  %indvars.iv = phi i64 [ 0, %for.cond.preheader ], [ %indvars.iv.next, %cond.end58 ]
  %arrayidx = getelementptr inbounds nuw i32, ptr %index, i64 %indvars.iv
  %9 = load i32, ptr %arrayidx, align 4
  %conv30 = zext i32 %9 to i64
  %conv34 = select i1 %1, i64 %indvars.iv, i64 0
  %add35 = add nuw nsw i64 %conv34, %conv30
  %arrayidx37 = getelementptr inbounds nuw i32, ptr %offset, i64 %indvars.iv
  %10 = load i32, ptr %arrayidx37, align 4
  %conv38 = zext i32 %10 to i64
  %add39 = add i64 %inst, %conv38
  br i1 %loadedv3, label %cond.true53, label %cond.false54

cond.true53:
  %div135 = lshr i64 %add35, %6
  %mul = mul nuw nsw i64 %div135, %cond.i
  %and = and i64 %add39, -4
  %add41 = add i64 %mul, %and
  %mul43 = shl i64 %add41, %6
  %rem45 = and i64 %add35, %7
  %mul46 = shl nuw nsw i64 %rem45, 2
  %and48 = and i64 %add39, 3
  %add47 = or disjoint i64 %and48, %mul46
  %add49 = add i64 %add47, %mul43
  br label %cond.end58

cond.false54:
  %mul56 = mul nuw nsw i64 %add35, %cond.i
  %add57 = add i64 %add39, %mul56
  br label %cond.end58

cond.end58:
  %cond59 = phi i64 [ %add49, %cond.true53 ], [ %add57, %cond.false54 ]
  %add60 = add i64 %cond59, %add142
  %arrayidx62 = getelementptr inbounds nuw i64, ptr %out, i64 %indvars.iv
  store i64 %add60, ptr %arrayidx62, align 8
  %cmp67 = icmp samesign ult i64 %add35, %conv20.i
  %11 = select i1 %1, i1 true, i1 %cmp67
  %cond69 = select i1 %11, i64 9223372036854775807, i64 0
  %arrayidx71 = getelementptr inbounds nuw i64, ptr %room, i64 %indvars.iv
  store i64 %cond69, ptr %arrayidx71, align 8
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, 64
  br i1 %exitcond.not, label %if.end72, label %for.body

if.end72:
  %call73 = tail call i64 @ave_room(ptr noundef nonnull %room, i64 noundef %exec, i64 noundef %last) #22
  %cmp74 = icmp eq i64 %call73, %exec
  br i1 %cmp74, label %cond.true76, label %cleanup

cond.true76:
  %call77 = tail call i32 @ave_settle(ptr noundef %g, ptr noundef nonnull %out, ptr noundef nonnull %out, i64 noundef 0, i64 noundef %exec, i64 noundef %nbytes) #22
  br label %cleanup

cleanup:
  %retval.0 = phi i32 [ %call.i, %if.then7 ], [ 1, %if.then ], [ %call77, %cond.true76 ], [ 2, %if.end72 ]
  ret i32 %retval.0
}

define hidden range(i32 0, 2) i32 @ave_some_words(ptr noundef %g, ptr noundef readonly captures(none) %data, ptr noundef readonly captures(none) %at, ptr noundef readonly captures(none) %room, i64 noundef %exec, i64 noundef %nbytes) local_unnamed_addr #0 {
entry:
  %good = alloca <64 x i64>, align 64
  call void @llvm.lifetime.start.p0(ptr nonnull %good) #23
  %cmp.not52.not = icmp eq i64 %nbytes, 0
  br i1 %cmp.not52.not, label %for.cond6.preheader, label %for.body

for.cond6.preheader:
  %tobool7.not56 = icmp eq i64 %exec, 0
  br i1 %tobool7.not56, label %cleanup30, label %for.body9

for.body:
  %c.053 = phi i64 [ %add3, %if.end ], [ 0, %entry ]
  %add = or disjoint i64 %c.053, 3
  %call = call i64 @ave_room(ptr noundef %room, i64 noundef %exec, i64 noundef %add) #22
  %tobool.not = icmp eq i64 %call, 0
  br i1 %tobool.not, label %if.end, label %land.lhs.true

land.lhs.true:
  %call1 = call i32 @ave_settle(ptr noundef %g, ptr noundef %at, ptr noundef nonnull %good, i64 noundef %c.053, i64 noundef %call, i64 noundef 4) #22
  %tobool2.not = icmp eq i32 %call1, 0
  br i1 %tobool2.not, label %if.end, label %cleanup30

if.end:
  %add3 = add i64 %c.053, 4
  %cmp.not = icmp ult i64 %add3, %nbytes
  br i1 %cmp.not, label %for.body, label %for.cond6.preheader

for.body9:
  %left.057 = phi i64 [ %and, %for.cond.cleanup12 ], [ %exec, %for.cond6.preheader ]
  %0 = call range(i64 0, 65) i64 @llvm.cttz.i64(i64 %left.057, i1 true)
  %invariant.gep = getelementptr i32, ptr %data, i64 %0
  br i1 %cmp.not52.not, label %for.cond.cleanup12, label %for.body13.lr.ph

for.body13.lr.ph:
  %arrayidx = getelementptr inbounds nuw i64, ptr %room, i64 %0
  %arrayidx20 = getelementptr inbounds nuw i64, ptr %at, i64 %0
  br label %for.body13

for.cond.cleanup12:
  %sub = add i64 %left.057, -1
  %and = and i64 %sub, %left.057
  %tobool7.not = icmp eq i64 %and, 0
  br i1 %tobool7.not, label %cleanup30, label %for.body9

for.body13:
  %k.055 = phi i64 [ 0, %for.body13.lr.ph ], [ %add24, %for.inc23 ]
  %1 = load i64, ptr %arrayidx, align 8
  %add14 = or disjoint i64 %k.055, 3
  %cmp15 = icmp sgt i64 %1, %add14
  br i1 %cmp15, label %if.then16, label %for.inc23

if.then16:
  %.idx = shl i64 %k.055, 6
  %gep = getelementptr i8, ptr %invariant.gep, i64 %.idx
  %2 = load i32, ptr %gep, align 4
  %3 = load i64, ptr %arrayidx20, align 8
  %add21 = add i64 %3, %k.055
  %4 = inttoptr i64 %add21 to ptr
  store i32 %2, ptr %4, align 1
  br label %for.inc23

for.inc23:
  %add24 = add nuw i64 %k.055, 4
  %cmp11 = icmp ult i64 %add24, %nbytes
  br i1 %cmp11, label %for.body13, label %for.cond.cleanup12

cleanup30:
  %retval.3 = phi i32 [ 0, %for.cond6.preheader ], [ 0, %for.cond.cleanup12 ], [ 1, %land.lhs.true ]
  call void @llvm.lifetime.end.p0(ptr nonnull %good) #23
  ret i32 %retval.3
}

declare i32 @llvm.cttz.i32(i32, i1 immarg) #7

declare i64 @llvm.ctpop.i64(i64) #17

declare i32 @ave_race(ptr noundef, ptr noundef, i64 noundef, i64 noundef) local_unnamed_addr

declare i64 @llvm.umax.i64(i64, i64) #18

declare i64 @llvm.umin.i64(i64, i64) #18

declare i32 @llvm.usub.sat.i32(i32, i32) #18

declare i32 @llvm.umax.i32(i32, i32) #18

declare i16 @llvm.cttz.i16(i16, i1 immarg) #19

declare i32 @llvm.umin.i32(i32, i32) #18

attributes #0 = { noinline nounwind }
attributes #1 = { mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #2 = { mustprogress nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #4 = { nofree noinline norecurse nosync nounwind memory(argmem: readwrite) }
attributes #5 = { nounwind }
attributes #6 = { nofree noinline norecurse nosync nounwind memory(readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none) }
attributes #7 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #8 = { mustprogress nofree noinline norecurse nosync nounwind willreturn memory(argmem: readwrite) }
attributes #9 = { nofree noinline norecurse nosync nounwind memory(argmem: readwrite, inaccessiblemem: readwrite) }
attributes #10 = { nofree noinline norecurse nosync nounwind memory(readwrite, target_mem0: none, target_mem1: none) }
attributes #11 = { mustprogress nofree noinline norecurse nounwind willreturn memory(readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none) }
attributes #12 = { nofree noinline norecurse nosync nounwind memory(read, inaccessiblemem: none, target_mem0: none, target_mem1: none) }
attributes #13 = { nofree noinline norecurse nosync nounwind memory(read, argmem: readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none) }
attributes #14 = { mustprogress nocallback nofree nounwind willreturn memory(argmem: write) }
attributes #15 = { nofree noinline norecurse nounwind memory(readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none) }
attributes #16 = { mustprogress nofree noinline norecurse nosync nounwind willreturn memory(argmem: read) }
attributes #17 = { mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #18 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #19 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #20 = { nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: readwrite) }
attributes #21 = { nobuiltin nounwind }
attributes #22 = { nobuiltin }
attributes #23 = { nounwind }
