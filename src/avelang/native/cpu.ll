; Made by `./dev native` of cpu/cpu.c, SHA-256 9a97630b8cdc88bfc1383c6281801c18895084ca1fccbfd9416b5267f48458f2

%struct.WaveBarrier = type { i32, i32 }

define hidden void @ave_turn(ptr noundef readonly captures(none) %s, i1 noundef %done) local_unnamed_addr #0 {
entry:
  %home1 = getelementptr inbounds nuw i8, ptr %s, i64 144
  %0 = load ptr, ptr %home1, align 8
  br i1 %done, label %cond.end, label %cond.false

cond.false:
  %turns = getelementptr inbounds nuw i8, ptr %0, i64 128
  %1 = load i32, ptr %turns, align 8
  %add = add i32 %1, 1
  br label %cond.end

cond.end:
  %cond = phi i32 [ %add, %cond.false ], [ 0, %entry ]
  %turns2 = getelementptr inbounds nuw i8, ptr %0, i64 128
  store i32 %cond, ptr %turns2, align 8
  ret void
}

define hidden void @ave_turn_far(ptr noundef readonly captures(none) %s) local_unnamed_addr #1 {
entry:
  %home = getelementptr inbounds nuw i8, ptr %s, i64 144
  %0 = load ptr, ptr %home, align 8
  %turns = getelementptr inbounds nuw i8, ptr %0, i64 128
  store i32 0, ptr %turns, align 8
  %call = tail call i32 @sched_yield() #13
  ret void
}

declare i32 @sched_yield() local_unnamed_addr

define hidden i32 @ave_barrier_arrive(ptr noundef captures(none) %s, i32 noundef %number, i32 noundef %threads) local_unnamed_addr #3 {
entry:
  %rem = and i32 %number, 15
  %idxprom = zext nneg i32 %rem to i64
  %arrayidx = getelementptr inbounds nuw %struct.WaveBarrier, ptr %s, i64 %idxprom
  %opened = getelementptr inbounds nuw i8, ptr %arrayidx, i64 4
  %0 = load i32, ptr %opened, align 4
  %lanes = getelementptr inbounds nuw i8, ptr %s, i64 136
  %1 = load i32, ptr %lanes, align 8
  %2 = load i32, ptr %arrayidx, align 4
  %add = add i32 %2, %1
  store i32 %add, ptr %arrayidx, align 4
  %tobool.not.i = icmp eq i32 %threads, 0
  br i1 %tobool.not.i, label %cond.false.i, label %cond.end.i

cond.false.i:
  %live.i = getelementptr inbounds nuw i8, ptr %s, i64 132
  %3 = load i32, ptr %live.i, align 4
  %mul.i = mul i32 %3, %1
  br label %cond.end.i

cond.end.i:
  %cond.i = phi i32 [ %mul.i, %cond.false.i ], [ %threads, %entry ]
  %tobool1.not.i = icmp eq i32 %add, 0
  %cmp.i = icmp ult i32 %add, %cond.i
  %or.cond.i = select i1 %tobool1.not.i, i1 true, i1 %cmp.i
  br i1 %or.cond.i, label %look.exit, label %if.end.i

if.end.i:
  store i32 0, ptr %arrayidx, align 4
  %inc.i = add i32 %0, 1
  store i32 %inc.i, ptr %opened, align 4
  %home1.i = getelementptr inbounds nuw i8, ptr %s, i64 144
  %4 = load ptr, ptr %home1.i, align 8
  %turns2.i = getelementptr inbounds nuw i8, ptr %4, i64 128
  store i32 0, ptr %turns2.i, align 8
  br label %look.exit

look.exit:
  ret i32 %0
}

define hidden noundef i1 @ave_barrier_open(ptr noundef captures(none) %s, i32 noundef %number, i32 noundef %threads, i32 noundef %before) local_unnamed_addr #0 {
entry:
  %rem = and i32 %number, 15
  %idxprom = zext nneg i32 %rem to i64
  %arrayidx = getelementptr inbounds nuw %struct.WaveBarrier, ptr %s, i64 %idxprom
  %tobool.not.i = icmp eq i32 %threads, 0
  br i1 %tobool.not.i, label %cond.false.i, label %cond.end.i

cond.false.i:
  %live.i = getelementptr inbounds nuw i8, ptr %s, i64 132
  %0 = load i32, ptr %live.i, align 4
  %lanes.i = getelementptr inbounds nuw i8, ptr %s, i64 136
  %1 = load i32, ptr %lanes.i, align 8
  %mul.i = mul i32 %1, %0
  br label %cond.end.i

cond.end.i:
  %cond.i = phi i32 [ %mul.i, %cond.false.i ], [ %threads, %entry ]
  %2 = load i32, ptr %arrayidx, align 4
  %tobool1.not.i = icmp eq i32 %2, 0
  %cmp.i = icmp ult i32 %2, %cond.i
  %or.cond.i = select i1 %tobool1.not.i, i1 true, i1 %cmp.i
  br i1 %or.cond.i, label %look.exit, label %if.end.i

if.end.i:
  store i32 0, ptr %arrayidx, align 4
  %opened.i = getelementptr inbounds nuw i8, ptr %arrayidx, i64 4
  %3 = load i32, ptr %opened.i, align 4
  %inc.i = add i32 %3, 1
  store i32 %inc.i, ptr %opened.i, align 4
  %home1.i = getelementptr inbounds nuw i8, ptr %s, i64 144
  %4 = load ptr, ptr %home1.i, align 8
  %turns2.i = getelementptr inbounds nuw i8, ptr %4, i64 128
  store i32 0, ptr %turns2.i, align 8
  br label %look.exit

look.exit:
  %opened = getelementptr inbounds nuw i8, ptr %arrayidx, i64 4
  %5 = load i32, ptr %opened, align 4
  %cmp = icmp ne i32 %5, %before
  %home1.i8 = getelementptr inbounds nuw i8, ptr %s, i64 144
  %6 = load ptr, ptr %home1.i8, align 8
  br i1 %cmp, label %ave_turn.exit, label %cond.false.i9

cond.false.i9:
  %turns.i = getelementptr inbounds nuw i8, ptr %6, i64 128
  %7 = load i32, ptr %turns.i, align 8
  %add.i = add i32 %7, 1
  br label %ave_turn.exit

ave_turn.exit:
  %cond.i11 = phi i32 [ %add.i, %cond.false.i9 ], [ 0, %look.exit ]
  %turns2.i12 = getelementptr inbounds nuw i8, ptr %6, i64 128
  store i32 %cond.i11, ptr %turns2.i12, align 8
  ret i1 %cmp
}

define hidden void @ave_wave_finished(ptr noundef captures(none) %s) local_unnamed_addr #3 {
entry:
  %live = getelementptr inbounds nuw i8, ptr %s, i64 132
  %0 = load i32, ptr %live, align 4
  %dec = add i32 %0, -1
  store i32 %dec, ptr %live, align 4
  %home1.i = getelementptr inbounds nuw i8, ptr %s, i64 144
  %1 = load ptr, ptr %home1.i, align 8
  %turns2.i = getelementptr inbounds nuw i8, ptr %1, i64 128
  store i32 0, ptr %turns2.i, align 8
  ret void
}

define hidden range(i64 0, 4) i64 @ave_run_waves(ptr noundef %args, ptr noundef %launch, i64 noundef %first, i64 noundef %last, ptr noundef %scratch, i32 noundef %waves) local_unnamed_addr #1 {
entry:
  %0 = load i32, ptr %launch, align 8
  %conv = zext i32 %0 to i64
  %arrayidx2 = getelementptr inbounds nuw i8, ptr %launch, i64 4
  %1 = load i32, ptr %arrayidx2, align 4
  %conv3 = zext i32 %1 to i64
  %look.i = getelementptr inbounds nuw i8, ptr %launch, i64 16
  %cmp.not37 = icmp ult i64 %first, %last
  br i1 %cmp.not37, label %for.body.lr.ph, label %cleanup18

for.body.lr.ph:
  %flag.i = getelementptr inbounds nuw i8, ptr %launch, i64 12
  %2 = tail call i32 @llvm.usub.sat.i32(i32 %waves, i32 1)
  br label %for.body

for.body:
  %b.038 = phi i64 [ %first, %for.body.lr.ph ], [ %inc17, %for.inc ]
  %rem = urem i64 %b.038, %conv
  %conv5 = trunc nuw i64 %rem to i32
  %div = udiv i64 %b.038, %conv
  %rem6 = urem i64 %div, %conv3
  %conv7 = trunc nuw i64 %rem6 to i32
  %div9 = udiv i64 %div, %conv3
  %conv10 = trunc i64 %div9 to i32
  br label %do.body

do.body:
  %w.0 = phi i32 [ 0, %for.body ], [ %inc, %land.rhs ]
  tail call void @ave_wave(ptr noundef %args, ptr noundef nonnull %launch, i32 noundef %conv5, i32 noundef %conv7, i32 noundef %conv10, i32 noundef %w.0, ptr noundef %scratch) #13
  %exitcond.not = icmp eq i32 %w.0, %2
  br i1 %exitcond.not, label %do.end, label %land.rhs

land.rhs:
  %inc = add nuw i32 %w.0, 1
  %3 = load atomic i32, ptr %flag.i monotonic, align 4
  %cmp.i = icmp ugt i32 %3, 1
  br i1 %cmp.i, label %do.end, label %do.body

do.end:
  %4 = load atomic i32, ptr %flag.i monotonic, align 4
  %tobool.not.i = icmp eq i32 %4, 0
  br i1 %tobool.not.i, label %for.inc, label %halted.exit

halted.exit:
  %5 = load ptr, ptr %look.i, align 8
  %call.i = tail call i32 %5(ptr noundef nonnull %launch) #13
  %tobool1.i.not = icmp eq i32 %call.i, 0
  br i1 %tobool1.i.not, label %for.inc, label %cleanup18

for.inc:
  %inc17 = add nuw i64 %b.038, 1
  %exitcond40.not = icmp eq i64 %inc17, %last
  br i1 %exitcond40.not, label %cleanup18, label %for.body

cleanup18:
  %spec.select = phi i64 [ 0, %entry ], [ 0, %for.inc ], [ 3, %halted.exit ]
  ret i64 %spec.select
}

declare void @ave_wave(ptr noundef, ptr noundef, i32 noundef, i32 noundef, i32 noundef, i32 noundef, ptr noundef) local_unnamed_addr

define hidden range(i64 0, 4) i64 @ave_run_coroutines(ptr noundef %args, ptr noundef %launch, i64 noundef %first, i64 noundef %last, ptr noundef %scratch, ptr noundef captures(none) %handles, ptr noundef readonly captures(none) %p) local_unnamed_addr #1 {
entry:
  %0 = load i32, ptr %launch, align 8
  %1 = load i32, ptr %p, align 8
  %div = udiv i32 %0, %1
  %conv = zext i32 %div to i64
  %arrayidx3 = getelementptr inbounds nuw i8, ptr %launch, i64 4
  %2 = load i32, ptr %arrayidx3, align 4
  %arrayidx5 = getelementptr inbounds nuw i8, ptr %p, i64 4
  %3 = load i32, ptr %arrayidx5, align 4
  %div6 = udiv i32 %2, %3
  %conv7 = zext i32 %div6 to i64
  %mul = mul i32 %3, %1
  %arrayidx13 = getelementptr inbounds nuw i8, ptr %p, i64 8
  %4 = load i32, ptr %arrayidx13, align 8
  %mul14 = mul i32 %mul, %4
  %waves = getelementptr inbounds nuw i8, ptr %p, i64 12
  %conv16 = zext i32 %mul14 to i64
  %add = add nsw i64 %conv16, -1
  %sub = add i64 %add, %first
  %div18 = udiv i64 %sub, %conv16
  %look.i = getelementptr inbounds nuw i8, ptr %launch, i64 16
  %sub21 = add i64 %add, %last
  %div23 = udiv i64 %sub21, %conv16
  %cmp.not126 = icmp ult i64 %div18, %div23
  br i1 %cmp.not126, label %for.body.lr.ph, label %cleanup46

for.body.lr.ph:
  %5 = load i32, ptr %waves, align 4
  %mul15 = mul i32 %mul14, %5
  %whole6.i = getelementptr inbounds nuw i8, ptr %p, i64 40
  %counted.i = getelementptr inbounds nuw i8, ptr %p, i64 20
  %lanes.i = getelementptr inbounds nuw i8, ptr %p, i64 16
  %state.i = getelementptr inbounds nuw i8, ptr %p, i64 32
  %stride.i = getelementptr inbounds nuw i8, ptr %p, i64 24
  %flag.i.i = getelementptr inbounds nuw i8, ptr %launch, i64 12
  %cmp.i91120.not = icmp eq i32 %mul15, 0
  %mul.i93 = shl i32 %mul15, 12
  %wide.trip.count139 = zext i32 %mul15 to i64
  %wide.trip.count144 = zext i32 %mul15 to i64
  br label %for.body

for.body:
  %c.0127 = phi i64 [ %div18, %for.body.lr.ph ], [ %inc45, %for.inc44 ]
  %rem = urem i64 %c.0127, %conv
  %conv25 = trunc nuw i64 %rem to i32
  %div26 = udiv i64 %c.0127, %conv
  %rem27 = urem i64 %div26, %conv7
  %conv28 = trunc nuw i64 %rem27 to i32
  %div31 = udiv i64 %div26, %conv7
  %conv32 = trunc i64 %div31 to i32
  %6 = load i32, ptr %p, align 8
  %7 = load i32, ptr %arrayidx5, align 4
  %mul.i = mul i32 %7, %6
  %8 = load i32, ptr %arrayidx13, align 8
  %mul5.i = mul i32 %mul.i, %8
  %9 = load i64, ptr %whole6.i, align 8
  %add.ptr.i = getelementptr inbounds i8, ptr %scratch, i64 %9
  %10 = load i32, ptr %counted.i, align 4
  %tobool.not.i86 = icmp eq i32 %10, 0
  br i1 %tobool.not.i86, label %if.end.i, label %if.then.i

if.then.i:
  %11 = load i32, ptr %waves, align 4
  %mul7.i = mul i32 %11, %mul5.i
  %12 = load i32, ptr %lanes.i, align 8
  tail call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(192) %add.ptr.i, i8 0, i64 192, i1 false)
  %live.i96 = getelementptr inbounds nuw i8, ptr %add.ptr.i, i64 132
  store i32 %mul7.i, ptr %live.i96, align 4
  %lanes1.i97 = getelementptr inbounds nuw i8, ptr %add.ptr.i, i64 136
  store i32 %12, ptr %lanes1.i97, align 8
  %home2.i98 = getelementptr inbounds nuw i8, ptr %add.ptr.i, i64 144
  store ptr %add.ptr.i, ptr %home2.i98, align 8
  %cmp.i112.not = icmp eq i32 %mul5.i, 0
  br i1 %cmp.i112.not, label %start.exit, label %land.rhs.i88.preheader

land.rhs.i88.preheader:
  %wide.trip.count = zext i32 %mul5.i to i64
  br label %land.rhs.i88

land.rhs.i88:
  %indvars.iv = phi i64 [ 0, %land.rhs.i88.preheader ], [ %indvars.iv.next, %for.body.i ]
  %13 = load i64, ptr %whole6.i, align 8
  %14 = load i64, ptr %state.i, align 8
  %cmp9.not.i = icmp eq i64 %13, %14
  br i1 %cmp9.not.i, label %if.end.i, label %for.body.i

for.body.i:
  %15 = load i64, ptr %stride.i, align 8
  %mul10.i = mul i64 %15, %indvars.iv
  %add.ptr11.i = getelementptr inbounds i8, ptr %scratch, i64 %mul10.i
  %add.ptr13.i = getelementptr inbounds i8, ptr %add.ptr11.i, i64 %14
  %16 = load i32, ptr %waves, align 4
  %17 = load i32, ptr %lanes.i, align 8
  %mul18.i = sub i64 0, %mul10.i
  tail call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(192) %add.ptr13.i, i8 0, i64 192, i1 false)
  %live.i = getelementptr inbounds nuw i8, ptr %add.ptr13.i, i64 132
  store i32 %16, ptr %live.i, align 4
  %lanes1.i = getelementptr inbounds nuw i8, ptr %add.ptr13.i, i64 136
  store i32 %17, ptr %lanes1.i, align 8
  %home2.i = getelementptr inbounds nuw i8, ptr %add.ptr13.i, i64 144
  store ptr %add.ptr.i, ptr %home2.i, align 8
  %first3.i = getelementptr inbounds nuw i8, ptr %add.ptr13.i, i64 152
  store i64 %mul18.i, ptr %first3.i, align 8
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count
  br i1 %exitcond.not, label %if.end.i, label %land.rhs.i88

if.end.i:
  %cmp21.i117.not = icmp eq i32 %mul5.i, 0
  br i1 %cmp21.i117.not, label %start.exit, label %for.cond25.i.preheader.lr.ph

for.cond25.i.preheader.lr.ph:
  %mul32.i = mul i32 %6, %conv25
  %mul34.i = mul i32 %7, %conv28
  %wide.trip.count135 = zext i32 %mul5.i to i64
  %.pre = load i32, ptr %waves, align 4
  br label %for.cond25.i.preheader

for.cond25.i.preheader:
  %18 = phi i32 [ %.pre, %for.cond25.i.preheader.lr.ph ], [ %20, %for.cond.cleanup29.i ]
  %indvars.iv132 = phi i64 [ 0, %for.cond25.i.preheader.lr.ph ], [ %indvars.iv.next133, %for.cond.cleanup29.i ]
  %handles.addr.0.i118 = phi ptr [ %handles, %for.cond25.i.preheader.lr.ph ], [ %handles.addr.1.i.lcssa, %for.cond.cleanup29.i ]
  %cmp27.i114.not = icmp eq i32 %18, 0
  br i1 %cmp27.i114.not, label %for.cond.cleanup29.i, label %for.body30.i.lr.ph

for.body30.i.lr.ph:
  %19 = trunc nuw i64 %indvars.iv132 to i32
  %rem.i = urem i32 %19, %6
  %add.i = add i32 %rem.i, %mul32.i
  %div.i = udiv i32 %19, %6
  %rem35.i = urem i32 %div.i, %7
  %add36.i = add i32 %rem35.i, %mul34.i
  %div42.i = udiv i32 %div.i, %7
  br label %for.body30.i

for.cond.cleanup29.i:
  %20 = phi i32 [ 0, %for.cond25.i.preheader ], [ %23, %for.body30.i ]
  %handles.addr.1.i.lcssa = phi ptr [ %handles.addr.0.i118, %for.cond25.i.preheader ], [ %incdec.ptr.i, %for.body30.i ]
  %indvars.iv.next133 = add nuw nsw i64 %indvars.iv132, 1
  %exitcond136.not = icmp eq i64 %indvars.iv.next133, %wide.trip.count135
  br i1 %exitcond136.not, label %start.exit, label %for.cond25.i.preheader

for.body30.i:
  %w.0.i116 = phi i32 [ 0, %for.body30.i.lr.ph ], [ %inc49.i, %for.body30.i ]
  %handles.addr.1.i115 = phi ptr [ %handles.addr.0.i118, %for.body30.i.lr.ph ], [ %incdec.ptr.i, %for.body30.i ]
  %21 = load i32, ptr %arrayidx13, align 8
  %mul40.i = mul i32 %21, %conv32
  %add43.i = add i32 %mul40.i, %div42.i
  %22 = load i64, ptr %stride.i, align 8
  %mul46.i = mul i64 %22, %indvars.iv132
  %add.ptr47.i = getelementptr inbounds i8, ptr %scratch, i64 %mul46.i
  %call.i87 = tail call ptr @ave_coroutine(ptr noundef %args, ptr noundef nonnull %launch, i32 noundef %add.i, i32 noundef %add36.i, i32 noundef %add43.i, i32 noundef %w.0.i116, ptr noundef %add.ptr47.i) #13
  %incdec.ptr.i = getelementptr inbounds nuw i8, ptr %handles.addr.1.i115, i64 8
  store ptr %call.i87, ptr %handles.addr.1.i115, align 8
  %inc49.i = add nuw i32 %w.0.i116, 1
  %23 = load i32, ptr %waves, align 4
  %cmp27.i = icmp ult i32 %inc49.i, %23
  br i1 %cmp27.i, label %for.body30.i, label %for.cond.cleanup29.i

start.exit:
  %24 = load i32, ptr %counted.i, align 4
  %tobool.not = icmp eq i32 %24, 0
  br i1 %tobool.not, label %cond.end, label %cond.true

cond.true:
  %25 = load i64, ptr %whole6.i, align 8
  %add.ptr = getelementptr inbounds i8, ptr %scratch, i64 %25
  br label %cond.end

cond.end:
  %cond = phi ptr [ %add.ptr, %cond.true ], [ null, %start.exit ]
  %turns.i = getelementptr inbounds nuw i8, ptr %cond, i64 128
  %tobool.not.i92 = icmp eq ptr %cond, null
  %26 = load atomic i32, ptr %flag.i.i monotonic, align 4
  %cmp.i.i156 = icmp ugt i32 %26, 1
  br i1 %cmp.i.i156, label %turns.exit, label %land.rhs.i90

land.rhs.i90:
  %27 = load atomic i32, ptr %flag.i.i monotonic, align 4
  %tobool.not.i.i = icmp eq i32 %27, 0
  br i1 %tobool.not.i.i, label %for.cond2.i.preheader, label %land.rhs.i.i

land.rhs.i.i:
  %28 = load ptr, ptr %look.i, align 8
  %call.i.i = tail call i32 %28(ptr noundef nonnull %launch) #13
  %tobool1.i.i.not = icmp eq i32 %call.i.i, 0
  br i1 %tobool1.i.i.not, label %for.cond2.i.preheader, label %turns.exit

for.cond2.i.preheader:
  br i1 %cmp.i91120.not, label %for.cond.cleanup3.i.thread, label %for.body4.i

for.cond.cleanup3.i:
  br i1 %tobool.not.i92, label %if.end10.i, label %land.lhs.true7.i

for.cond.cleanup3.i.thread:
  br i1 %tobool.not.i92, label %if.end, label %turns.exit.thread155

turns.exit.thread155:
  %29 = load i32, ptr %turns.i, align 8
  %cmp8.i153.not = icmp ugt i32 %29, %mul.i93
  br i1 %cmp8.i153.not, label %cleanup46, label %if.end

for.body4.i:
  %indvars.iv137 = phi i64 [ %indvars.iv.next138, %for.inc.i ], [ 0, %for.cond2.i.preheader ]
  %alive.1.i121 = phi i1 [ %alive.2.i, %for.inc.i ], [ false, %for.cond2.i.preheader ]
  %arrayidx.i = getelementptr inbounds nuw ptr, ptr %handles, i64 %indvars.iv137
  %30 = load ptr, ptr %arrayidx.i, align 8
  %31 = load ptr, ptr %30, align 8
  %32 = icmp eq ptr %31, null
  br i1 %32, label %for.inc.i, label %if.end.i94

if.end.i94:
  %33 = load ptr, ptr %30, align 8
  tail call fastcc void %33(ptr nonnull %30) #14
  br label %for.inc.i

for.inc.i:
  %alive.2.i = phi i1 [ %alive.1.i121, %for.body4.i ], [ true, %if.end.i94 ]
  %indvars.iv.next138 = add nuw nsw i64 %indvars.iv137, 1
  %exitcond140.not = icmp eq i64 %indvars.iv.next138, %wide.trip.count139
  br i1 %exitcond140.not, label %for.cond.cleanup3.i, label %for.body4.i

land.lhs.true7.i:
  %34 = load i32, ptr %turns.i, align 8
  %cmp8.i = icmp ule i32 %34, %mul.i93
  %brmerge.not = select i1 %cmp8.i, i1 %alive.2.i, i1 false
  br i1 %brmerge.not, label %land.lhs.true.i.backedge, label %turns.exit

if.end10.i:
  br i1 %alive.2.i, label %land.lhs.true.i.backedge, label %turns.exit

land.lhs.true.i.backedge:
  %35 = load atomic i32, ptr %flag.i.i monotonic, align 4
  %cmp.i.i = icmp ugt i32 %35, 1
  br i1 %cmp.i.i, label %turns.exit, label %land.rhs.i90

turns.exit:
  %36 = phi i1 [ true, %cond.end ], [ true, %land.lhs.true.i.backedge ], [ true, %land.rhs.i.i ], [ true, %if.end10.i ], [ %cmp8.i, %land.lhs.true7.i ]
  br i1 %cmp.i91120.not, label %for.cond.cleanup36, label %for.body37

for.cond.cleanup36:
  br i1 %36, label %if.end, label %cleanup46

for.body37:
  %indvars.iv141 = phi i64 [ %indvars.iv.next142, %for.body37 ], [ 0, %turns.exit ]
  %arrayidx38 = getelementptr inbounds nuw ptr, ptr %handles, i64 %indvars.iv141
  %37 = load ptr, ptr %arrayidx38, align 8
  %38 = getelementptr inbounds nuw i8, ptr %37, i64 8
  %39 = load ptr, ptr %38, align 8
  tail call fastcc void %39(ptr %37) #14
  %indvars.iv.next142 = add nuw nsw i64 %indvars.iv141, 1
  %exitcond145.not = icmp eq i64 %indvars.iv.next142, %wide.trip.count144
  br i1 %exitcond145.not, label %for.cond.cleanup36, label %for.body37

if.end:
  %40 = load atomic i32, ptr %flag.i.i monotonic, align 4
  %tobool.not.i = icmp eq i32 %40, 0
  br i1 %tobool.not.i, label %for.inc44, label %halted.exit

halted.exit:
  %41 = load ptr, ptr %look.i, align 8
  %call.i = tail call i32 %41(ptr noundef nonnull %launch) #13
  %call.i.fr = freeze i32 %call.i
  %tobool1.i.not = icmp eq i32 %call.i.fr, 0
  br i1 %tobool1.i.not, label %for.inc44, label %cleanup46

for.inc44:
  %inc45 = add nuw i64 %c.0127, 1
  %cmp.not = icmp ult i64 %inc45, %div23
  br i1 %cmp.not, label %for.body, label %cleanup46

cleanup46:
  %spec.select = phi i64 [ 0, %entry ], [ 2, %turns.exit.thread155 ], [ 2, %for.cond.cleanup36 ], [ 3, %halted.exit ], [ 0, %for.inc44 ]
  ret i64 %spec.select
}

define hidden void @ave_report(ptr noundef captures(none) %r, ptr noundef captures(none) %launch, i64 noundef %site, i32 noundef %x, i32 noundef %y, i32 noundef %z, i64 noundef %thread, ptr noundef readonly captures(none) %values, i64 noundef %count) local_unnamed_addr #4 {
entry:
  %0 = cmpxchg ptr %r, i64 0, i64 1 monotonic monotonic, align 8
  %1 = extractvalue { i64, i1 } %0, 1
  br i1 %1, label %if.then, label %if.end

if.then:
  %site1 = getelementptr inbounds nuw i8, ptr %r, i64 8
  store i64 %site, ptr %site1, align 8
  %conv = zext i32 %x to i64
  %block = getelementptr inbounds nuw i8, ptr %r, i64 16
  store i64 %conv, ptr %block, align 8
  %conv2 = zext i32 %y to i64
  %arrayidx4 = getelementptr inbounds nuw i8, ptr %r, i64 24
  store i64 %conv2, ptr %arrayidx4, align 8
  %conv5 = zext i32 %z to i64
  %arrayidx7 = getelementptr inbounds nuw i8, ptr %r, i64 32
  store i64 %conv5, ptr %arrayidx7, align 8
  %thread8 = getelementptr inbounds nuw i8, ptr %r, i64 40
  store i64 %thread, ptr %thread8, align 8
  %cmp23.not = icmp eq i64 %count, 0
  br i1 %cmp23.not, label %if.end, label %for.body.lr.ph

for.body.lr.ph:
  %values11 = getelementptr inbounds nuw i8, ptr %r, i64 48
  br label %for.body

for.body:
  %k.024 = phi i64 [ 0, %for.body.lr.ph ], [ %inc, %for.body ]
  %arrayidx10 = getelementptr inbounds nuw i64, ptr %values, i64 %k.024
  %2 = load i64, ptr %arrayidx10, align 8
  %arrayidx12 = getelementptr inbounds nuw i64, ptr %values11, i64 %k.024
  store i64 %2, ptr %arrayidx12, align 8
  %inc = add nuw i64 %k.024, 1
  %exitcond.not = icmp eq i64 %inc, %count
  br i1 %exitcond.not, label %if.end, label %for.body

if.end:
  %flag = getelementptr inbounds nuw i8, ptr %launch, i64 12
  %3 = atomicrmw or ptr %flag, i32 2 release, align 4
  ret void
}

define hidden void @ave_scatter_rows_1(ptr noundef readonly captures(none) %values, ptr noundef readonly captures(none) %at, i64 noundef %mask) local_unnamed_addr #5 {
entry:
  %tobool.not5 = icmp eq i64 %mask, 0
  br i1 %tobool.not5, label %for.cond.cleanup.critedge, label %land.rhs

land.rhs:
  %left.06 = phi i64 [ %and, %land.rhs ], [ %mask, %entry ]
  %0 = tail call range(i64 0, 65) i64 @llvm.cttz.i64(i64 %left.06, i1 true)
  %arrayidx = getelementptr inbounds nuw ptr, ptr %at, i64 %0
  %1 = load ptr, ptr %arrayidx, align 8
  %add.ptr = getelementptr inbounds nuw i8, ptr %values, i64 %0
  %2 = load i8, ptr %add.ptr, align 1
  store i8 %2, ptr %1, align 1
  %sub = add i64 %left.06, -1
  %and = and i64 %sub, %left.06
  %tobool.not = icmp eq i64 %and, 0
  br i1 %tobool.not, label %for.cond.cleanup.critedge, label %land.rhs

for.cond.cleanup.critedge:
  ret void
}

declare i64 @llvm.cttz.i64(i64, i1 immarg) #6

declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg) #7

define hidden void @ave_gather_rows_1(ptr noundef writeonly captures(none) %values, ptr noundef readonly captures(none) %at, i64 noundef %mask) local_unnamed_addr #8 {
entry:
  %tobool.not5 = icmp eq i64 %mask, 0
  br i1 %tobool.not5, label %for.cond.cleanup.critedge, label %land.rhs

land.rhs:
  %left.06 = phi i64 [ %and, %land.rhs ], [ %mask, %entry ]
  %0 = tail call range(i64 0, 65) i64 @llvm.cttz.i64(i64 %left.06, i1 true)
  %add.ptr = getelementptr inbounds nuw i8, ptr %values, i64 %0
  %arrayidx = getelementptr inbounds nuw ptr, ptr %at, i64 %0
  %1 = load ptr, ptr %arrayidx, align 8
  %2 = load i8, ptr %1, align 1
  store i8 %2, ptr %add.ptr, align 1
  %sub = add i64 %left.06, -1
  %and = and i64 %sub, %left.06
  %tobool.not = icmp eq i64 %and, 0
  br i1 %tobool.not, label %for.cond.cleanup.critedge, label %land.rhs

for.cond.cleanup.critedge:
  ret void
}

define hidden void @ave_scatter_rows_2(ptr noundef readonly captures(none) %values, ptr noundef readonly captures(none) %at, i64 noundef %mask) local_unnamed_addr #5 {
entry:
  %tobool.not5 = icmp eq i64 %mask, 0
  br i1 %tobool.not5, label %for.cond.cleanup.critedge, label %land.rhs

land.rhs:
  %left.06 = phi i64 [ %and, %land.rhs ], [ %mask, %entry ]
  %0 = tail call range(i64 0, 65) i64 @llvm.cttz.i64(i64 %left.06, i1 true)
  %arrayidx = getelementptr inbounds nuw ptr, ptr %at, i64 %0
  %1 = load ptr, ptr %arrayidx, align 8
  %mul = shl nuw nsw i64 %0, 1
  %add.ptr = getelementptr inbounds nuw i8, ptr %values, i64 %mul
  %2 = load i16, ptr %add.ptr, align 1
  store i16 %2, ptr %1, align 1
  %sub = add i64 %left.06, -1
  %and = and i64 %sub, %left.06
  %tobool.not = icmp eq i64 %and, 0
  br i1 %tobool.not, label %for.cond.cleanup.critedge, label %land.rhs

for.cond.cleanup.critedge:
  ret void
}

define hidden void @ave_gather_rows_2(ptr noundef writeonly captures(none) %values, ptr noundef readonly captures(none) %at, i64 noundef %mask) local_unnamed_addr #8 {
entry:
  %tobool.not5 = icmp eq i64 %mask, 0
  br i1 %tobool.not5, label %for.cond.cleanup.critedge, label %land.rhs

land.rhs:
  %left.06 = phi i64 [ %and, %land.rhs ], [ %mask, %entry ]
  %0 = tail call range(i64 0, 65) i64 @llvm.cttz.i64(i64 %left.06, i1 true)
  %mul = shl nuw nsw i64 %0, 1
  %add.ptr = getelementptr inbounds nuw i8, ptr %values, i64 %mul
  %arrayidx = getelementptr inbounds nuw ptr, ptr %at, i64 %0
  %1 = load ptr, ptr %arrayidx, align 8
  %2 = load i16, ptr %1, align 1
  store i16 %2, ptr %add.ptr, align 1
  %sub = add i64 %left.06, -1
  %and = and i64 %sub, %left.06
  %tobool.not = icmp eq i64 %and, 0
  br i1 %tobool.not, label %for.cond.cleanup.critedge, label %land.rhs

for.cond.cleanup.critedge:
  ret void
}

define hidden void @ave_scatter_rows_4(ptr noundef readonly captures(none) %values, ptr noundef readonly captures(none) %at, i64 noundef %mask) local_unnamed_addr #5 {
entry:
  %tobool.not5 = icmp eq i64 %mask, 0
  br i1 %tobool.not5, label %for.cond.cleanup.critedge, label %land.rhs

land.rhs:
  %left.06 = phi i64 [ %and, %land.rhs ], [ %mask, %entry ]
  %0 = tail call range(i64 0, 65) i64 @llvm.cttz.i64(i64 %left.06, i1 true)
  %arrayidx = getelementptr inbounds nuw ptr, ptr %at, i64 %0
  %1 = load ptr, ptr %arrayidx, align 8
  %mul = shl nuw nsw i64 %0, 2
  %add.ptr = getelementptr inbounds nuw i8, ptr %values, i64 %mul
  %2 = load i32, ptr %add.ptr, align 1
  store i32 %2, ptr %1, align 1
  %sub = add i64 %left.06, -1
  %and = and i64 %sub, %left.06
  %tobool.not = icmp eq i64 %and, 0
  br i1 %tobool.not, label %for.cond.cleanup.critedge, label %land.rhs

for.cond.cleanup.critedge:
  ret void
}

define hidden void @ave_gather_rows_4(ptr noundef writeonly captures(none) %values, ptr noundef readonly captures(none) %at, i64 noundef %mask) local_unnamed_addr #8 {
entry:
  %tobool.not5 = icmp eq i64 %mask, 0
  br i1 %tobool.not5, label %for.cond.cleanup.critedge, label %land.rhs

land.rhs:
  %left.06 = phi i64 [ %and, %land.rhs ], [ %mask, %entry ]
  %0 = tail call range(i64 0, 65) i64 @llvm.cttz.i64(i64 %left.06, i1 true)
  %mul = shl nuw nsw i64 %0, 2
  %add.ptr = getelementptr inbounds nuw i8, ptr %values, i64 %mul
  %arrayidx = getelementptr inbounds nuw ptr, ptr %at, i64 %0
  %1 = load ptr, ptr %arrayidx, align 8
  %2 = load i32, ptr %1, align 1
  store i32 %2, ptr %add.ptr, align 1
  %sub = add i64 %left.06, -1
  %and = and i64 %sub, %left.06
  %tobool.not = icmp eq i64 %and, 0
  br i1 %tobool.not, label %for.cond.cleanup.critedge, label %land.rhs

for.cond.cleanup.critedge:
  ret void
}

define hidden void @ave_scatter_rows_8(ptr noundef readonly captures(none) %values, ptr noundef readonly captures(none) %at, i64 noundef %mask) local_unnamed_addr #5 {
entry:
  %tobool.not5 = icmp eq i64 %mask, 0
  br i1 %tobool.not5, label %for.cond.cleanup.critedge, label %land.rhs

land.rhs:
  %left.06 = phi i64 [ %and, %land.rhs ], [ %mask, %entry ]
  %0 = tail call range(i64 0, 65) i64 @llvm.cttz.i64(i64 %left.06, i1 true)
  %arrayidx = getelementptr inbounds nuw ptr, ptr %at, i64 %0
  %1 = load ptr, ptr %arrayidx, align 8
  %mul = shl nuw nsw i64 %0, 3
  %add.ptr = getelementptr inbounds nuw i8, ptr %values, i64 %mul
  %2 = load i64, ptr %add.ptr, align 1
  store i64 %2, ptr %1, align 1
  %sub = add i64 %left.06, -1
  %and = and i64 %sub, %left.06
  %tobool.not = icmp eq i64 %and, 0
  br i1 %tobool.not, label %for.cond.cleanup.critedge, label %land.rhs

for.cond.cleanup.critedge:
  ret void
}

define hidden void @ave_gather_rows_8(ptr noundef writeonly captures(none) %values, ptr noundef readonly captures(none) %at, i64 noundef %mask) local_unnamed_addr #8 {
entry:
  %tobool.not5 = icmp eq i64 %mask, 0
  br i1 %tobool.not5, label %for.cond.cleanup.critedge, label %land.rhs

land.rhs:
  %left.06 = phi i64 [ %and, %land.rhs ], [ %mask, %entry ]
  %0 = tail call range(i64 0, 65) i64 @llvm.cttz.i64(i64 %left.06, i1 true)
  %mul = shl nuw nsw i64 %0, 3
  %add.ptr = getelementptr inbounds nuw i8, ptr %values, i64 %mul
  %arrayidx = getelementptr inbounds nuw ptr, ptr %at, i64 %0
  %1 = load ptr, ptr %arrayidx, align 8
  %2 = load i64, ptr %1, align 1
  store i64 %2, ptr %add.ptr, align 1
  %sub = add i64 %left.06, -1
  %and = and i64 %sub, %left.06
  %tobool.not = icmp eq i64 %and, 0
  br i1 %tobool.not, label %for.cond.cleanup.critedge, label %land.rhs

for.cond.cleanup.critedge:
  ret void
}

define hidden void @ave_scatter_rows_16(ptr noundef readonly captures(none) %values, ptr noundef readonly captures(none) %at, i64 noundef %mask) local_unnamed_addr #9 {
entry:
  %tobool.not5 = icmp eq i64 %mask, 0
  br i1 %tobool.not5, label %for.cond.cleanup.critedge, label %land.rhs

land.rhs:
  %left.06 = phi i64 [ %and, %land.rhs ], [ %mask, %entry ]
  %0 = tail call range(i64 0, 65) i64 @llvm.cttz.i64(i64 %left.06, i1 true)
  %arrayidx = getelementptr inbounds nuw ptr, ptr %at, i64 %0
  %1 = load ptr, ptr %arrayidx, align 8
  %mul = shl nuw nsw i64 %0, 4
  %add.ptr = getelementptr inbounds nuw i8, ptr %values, i64 %mul
  tail call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 1 dereferenceable(16) %1, ptr noundef nonnull align 1 dereferenceable(16) %add.ptr, i64 16, i1 false)
  %sub = add i64 %left.06, -1
  %and = and i64 %sub, %left.06
  %tobool.not = icmp eq i64 %and, 0
  br i1 %tobool.not, label %for.cond.cleanup.critedge, label %land.rhs

for.cond.cleanup.critedge:
  ret void
}

define hidden void @ave_gather_rows_16(ptr noundef writeonly captures(none) %values, ptr noundef readonly captures(none) %at, i64 noundef %mask) local_unnamed_addr #9 {
entry:
  %tobool.not5 = icmp eq i64 %mask, 0
  br i1 %tobool.not5, label %for.cond.cleanup.critedge, label %land.rhs

land.rhs:
  %left.06 = phi i64 [ %and, %land.rhs ], [ %mask, %entry ]
  %0 = tail call range(i64 0, 65) i64 @llvm.cttz.i64(i64 %left.06, i1 true)
  %mul = shl nuw nsw i64 %0, 4
  %add.ptr = getelementptr inbounds nuw i8, ptr %values, i64 %mul
  %arrayidx = getelementptr inbounds nuw ptr, ptr %at, i64 %0
  %1 = load ptr, ptr %arrayidx, align 8
  tail call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 1 dereferenceable(16) %add.ptr, ptr noundef nonnull align 1 dereferenceable(16) %1, i64 16, i1 false)
  %sub = add i64 %left.06, -1
  %and = and i64 %sub, %left.06
  %tobool.not = icmp eq i64 %and, 0
  br i1 %tobool.not, label %for.cond.cleanup.critedge, label %land.rhs

for.cond.cleanup.critedge:
  ret void
}

define hidden void @ave_scatter_rows_32(ptr noundef readonly captures(none) %values, ptr noundef readonly captures(none) %at, i64 noundef %mask) local_unnamed_addr #9 {
entry:
  %tobool.not5 = icmp eq i64 %mask, 0
  br i1 %tobool.not5, label %for.cond.cleanup.critedge, label %land.rhs

land.rhs:
  %left.06 = phi i64 [ %and, %land.rhs ], [ %mask, %entry ]
  %0 = tail call range(i64 0, 65) i64 @llvm.cttz.i64(i64 %left.06, i1 true)
  %arrayidx = getelementptr inbounds nuw ptr, ptr %at, i64 %0
  %1 = load ptr, ptr %arrayidx, align 8
  %mul = shl nuw nsw i64 %0, 5
  %add.ptr = getelementptr inbounds nuw i8, ptr %values, i64 %mul
  tail call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 1 dereferenceable(32) %1, ptr noundef nonnull align 1 dereferenceable(32) %add.ptr, i64 32, i1 false)
  %sub = add i64 %left.06, -1
  %and = and i64 %sub, %left.06
  %tobool.not = icmp eq i64 %and, 0
  br i1 %tobool.not, label %for.cond.cleanup.critedge, label %land.rhs

for.cond.cleanup.critedge:
  ret void
}

define hidden void @ave_gather_rows_32(ptr noundef writeonly captures(none) %values, ptr noundef readonly captures(none) %at, i64 noundef %mask) local_unnamed_addr #9 {
entry:
  %tobool.not5 = icmp eq i64 %mask, 0
  br i1 %tobool.not5, label %for.cond.cleanup.critedge, label %land.rhs

land.rhs:
  %left.06 = phi i64 [ %and, %land.rhs ], [ %mask, %entry ]
  %0 = tail call range(i64 0, 65) i64 @llvm.cttz.i64(i64 %left.06, i1 true)
  %mul = shl nuw nsw i64 %0, 5
  %add.ptr = getelementptr inbounds nuw i8, ptr %values, i64 %mul
  %arrayidx = getelementptr inbounds nuw ptr, ptr %at, i64 %0
  %1 = load ptr, ptr %arrayidx, align 8
  tail call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 1 dereferenceable(32) %add.ptr, ptr noundef nonnull align 1 dereferenceable(32) %1, i64 32, i1 false)
  %sub = add i64 %left.06, -1
  %and = and i64 %sub, %left.06
  %tobool.not = icmp eq i64 %and, 0
  br i1 %tobool.not, label %for.cond.cleanup.critedge, label %land.rhs

for.cond.cleanup.critedge:
  ret void
}

define hidden void @ave_scatter_rows_64(ptr noundef readonly captures(none) %values, ptr noundef readonly captures(none) %at, i64 noundef %mask) local_unnamed_addr #9 {
entry:
  %tobool.not5 = icmp eq i64 %mask, 0
  br i1 %tobool.not5, label %for.cond.cleanup.critedge, label %land.rhs

land.rhs:
  %left.06 = phi i64 [ %and, %land.rhs ], [ %mask, %entry ]
  %0 = tail call range(i64 0, 65) i64 @llvm.cttz.i64(i64 %left.06, i1 true)
  %arrayidx = getelementptr inbounds nuw ptr, ptr %at, i64 %0
  %1 = load ptr, ptr %arrayidx, align 8
  %mul = shl nuw nsw i64 %0, 6
  %add.ptr = getelementptr inbounds nuw i8, ptr %values, i64 %mul
  tail call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 1 dereferenceable(64) %1, ptr noundef nonnull align 1 dereferenceable(64) %add.ptr, i64 64, i1 false)
  %sub = add i64 %left.06, -1
  %and = and i64 %sub, %left.06
  %tobool.not = icmp eq i64 %and, 0
  br i1 %tobool.not, label %for.cond.cleanup.critedge, label %land.rhs

for.cond.cleanup.critedge:
  ret void
}

define hidden void @ave_gather_rows_64(ptr noundef writeonly captures(none) %values, ptr noundef readonly captures(none) %at, i64 noundef %mask) local_unnamed_addr #9 {
entry:
  %tobool.not5 = icmp eq i64 %mask, 0
  br i1 %tobool.not5, label %for.cond.cleanup.critedge, label %land.rhs

land.rhs:
  %left.06 = phi i64 [ %and, %land.rhs ], [ %mask, %entry ]
  %0 = tail call range(i64 0, 65) i64 @llvm.cttz.i64(i64 %left.06, i1 true)
  %mul = shl nuw nsw i64 %0, 6
  %add.ptr = getelementptr inbounds nuw i8, ptr %values, i64 %mul
  %arrayidx = getelementptr inbounds nuw ptr, ptr %at, i64 %0
  %1 = load ptr, ptr %arrayidx, align 8
  tail call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 1 dereferenceable(64) %add.ptr, ptr noundef nonnull align 1 dereferenceable(64) %1, i64 64, i1 false)
  %sub = add i64 %left.06, -1
  %and = and i64 %sub, %left.06
  %tobool.not = icmp eq i64 %and, 0
  br i1 %tobool.not, label %for.cond.cleanup.critedge, label %land.rhs

for.cond.cleanup.critedge:
  ret void
}

define hidden void @ave_scatter_elements_8(ptr noundef readonly captures(none) %values, ptr noundef readonly captures(none) %at, i64 noundef %mask, i64 noundef %count, i64 noundef %lanes) local_unnamed_addr #5 {
entry:
  %tobool.not19 = icmp eq i64 %mask, 0
  br i1 %tobool.not19, label %for.cond.cleanup.critedge, label %land.rhs.lr.ph

land.rhs.lr.ph:
  %cmp17.not = icmp eq i64 %count, 0
  br label %land.rhs

land.rhs:
  %left.020 = phi i64 [ %mask, %land.rhs.lr.ph ], [ %and, %for.cond.cleanup3 ]
  %0 = tail call range(i64 0, 65) i64 @llvm.cttz.i64(i64 %left.020, i1 true)
  %invariant.gep = getelementptr i8, ptr %values, i64 %0
  br i1 %cmp17.not, label %for.cond.cleanup3, label %for.body4.lr.ph

for.body4.lr.ph:
  %arrayidx = getelementptr inbounds nuw ptr, ptr %at, i64 %0
  br label %for.body4

for.cond.cleanup.critedge:
  ret void

for.cond.cleanup3:
  %sub = add i64 %left.020, -1
  %and = and i64 %sub, %left.020
  %tobool.not = icmp eq i64 %and, 0
  br i1 %tobool.not, label %for.cond.cleanup.critedge, label %land.rhs

for.body4:
  %k.018 = phi i64 [ 0, %for.body4.lr.ph ], [ %inc, %for.body4 ]
  %1 = load ptr, ptr %arrayidx, align 8
  %add.ptr = getelementptr inbounds nuw i8, ptr %1, i64 %k.018
  %mul5 = mul i64 %k.018, %lanes
  %gep = getelementptr i8, ptr %invariant.gep, i64 %mul5
  %2 = load i8, ptr %gep, align 1
  store i8 %2, ptr %add.ptr, align 1
  %inc = add nuw i64 %k.018, 1
  %exitcond.not = icmp eq i64 %inc, %count
  br i1 %exitcond.not, label %for.cond.cleanup3, label %for.body4
}

define hidden void @ave_scatter_elements_16(ptr noundef readonly captures(none) %values, ptr noundef readonly captures(none) %at, i64 noundef %mask, i64 noundef %count, i64 noundef %lanes) local_unnamed_addr #5 {
entry:
  %tobool.not19 = icmp eq i64 %mask, 0
  br i1 %tobool.not19, label %for.cond.cleanup.critedge, label %land.rhs.lr.ph

land.rhs.lr.ph:
  %cmp17.not = icmp eq i64 %count, 0
  br label %land.rhs

land.rhs:
  %left.020 = phi i64 [ %mask, %land.rhs.lr.ph ], [ %and, %for.cond.cleanup3 ]
  %0 = tail call range(i64 0, 65) i64 @llvm.cttz.i64(i64 %left.020, i1 true)
  %invariant.gep = getelementptr i16, ptr %values, i64 %0
  br i1 %cmp17.not, label %for.cond.cleanup3, label %for.body4.lr.ph

for.body4.lr.ph:
  %arrayidx = getelementptr inbounds nuw ptr, ptr %at, i64 %0
  br label %for.body4

for.cond.cleanup.critedge:
  ret void

for.cond.cleanup3:
  %sub = add i64 %left.020, -1
  %and = and i64 %sub, %left.020
  %tobool.not = icmp eq i64 %and, 0
  br i1 %tobool.not, label %for.cond.cleanup.critedge, label %land.rhs

for.body4:
  %k.018 = phi i64 [ 0, %for.body4.lr.ph ], [ %inc, %for.body4 ]
  %1 = load ptr, ptr %arrayidx, align 8
  %mul = shl i64 %k.018, 1
  %add.ptr = getelementptr inbounds nuw i8, ptr %1, i64 %mul
  %mul5 = mul i64 %k.018, %lanes
  %gep = getelementptr i16, ptr %invariant.gep, i64 %mul5
  %2 = load i16, ptr %gep, align 2
  store i16 %2, ptr %add.ptr, align 1
  %inc = add nuw i64 %k.018, 1
  %exitcond.not = icmp eq i64 %inc, %count
  br i1 %exitcond.not, label %for.cond.cleanup3, label %for.body4
}

define hidden void @ave_scatter_elements_32(ptr noundef readonly captures(none) %values, ptr noundef readonly captures(none) %at, i64 noundef %mask, i64 noundef %count, i64 noundef %lanes) local_unnamed_addr #5 {
entry:
  %tobool.not19 = icmp eq i64 %mask, 0
  br i1 %tobool.not19, label %for.cond.cleanup.critedge, label %land.rhs.lr.ph

land.rhs.lr.ph:
  %cmp17.not = icmp eq i64 %count, 0
  br label %land.rhs

land.rhs:
  %left.020 = phi i64 [ %mask, %land.rhs.lr.ph ], [ %and, %for.cond.cleanup3 ]
  %0 = tail call range(i64 0, 65) i64 @llvm.cttz.i64(i64 %left.020, i1 true)
  %invariant.gep = getelementptr i32, ptr %values, i64 %0
  br i1 %cmp17.not, label %for.cond.cleanup3, label %for.body4.lr.ph

for.body4.lr.ph:
  %arrayidx = getelementptr inbounds nuw ptr, ptr %at, i64 %0
  br label %for.body4

for.cond.cleanup.critedge:
  ret void

for.cond.cleanup3:
  %sub = add i64 %left.020, -1
  %and = and i64 %sub, %left.020
  %tobool.not = icmp eq i64 %and, 0
  br i1 %tobool.not, label %for.cond.cleanup.critedge, label %land.rhs

for.body4:
  %k.018 = phi i64 [ 0, %for.body4.lr.ph ], [ %inc, %for.body4 ]
  %1 = load ptr, ptr %arrayidx, align 8
  %mul = shl i64 %k.018, 2
  %add.ptr = getelementptr inbounds nuw i8, ptr %1, i64 %mul
  %mul5 = mul i64 %k.018, %lanes
  %gep = getelementptr i32, ptr %invariant.gep, i64 %mul5
  %2 = load i32, ptr %gep, align 4
  store i32 %2, ptr %add.ptr, align 1
  %inc = add nuw i64 %k.018, 1
  %exitcond.not = icmp eq i64 %inc, %count
  br i1 %exitcond.not, label %for.cond.cleanup3, label %for.body4
}

define hidden void @ave_scatter_elements_64(ptr noundef readonly captures(none) %values, ptr noundef readonly captures(none) %at, i64 noundef %mask, i64 noundef %count, i64 noundef %lanes) local_unnamed_addr #5 {
entry:
  %tobool.not19 = icmp eq i64 %mask, 0
  br i1 %tobool.not19, label %for.cond.cleanup.critedge, label %land.rhs.lr.ph

land.rhs.lr.ph:
  %cmp17.not = icmp eq i64 %count, 0
  br label %land.rhs

land.rhs:
  %left.020 = phi i64 [ %mask, %land.rhs.lr.ph ], [ %and, %for.cond.cleanup3 ]
  %0 = tail call range(i64 0, 65) i64 @llvm.cttz.i64(i64 %left.020, i1 true)
  %invariant.gep = getelementptr i64, ptr %values, i64 %0
  br i1 %cmp17.not, label %for.cond.cleanup3, label %for.body4.lr.ph

for.body4.lr.ph:
  %arrayidx = getelementptr inbounds nuw ptr, ptr %at, i64 %0
  br label %for.body4

for.cond.cleanup.critedge:
  ret void

for.cond.cleanup3:
  %sub = add i64 %left.020, -1
  %and = and i64 %sub, %left.020
  %tobool.not = icmp eq i64 %and, 0
  br i1 %tobool.not, label %for.cond.cleanup.critedge, label %land.rhs

for.body4:
  %k.018 = phi i64 [ 0, %for.body4.lr.ph ], [ %inc, %for.body4 ]
  %1 = load ptr, ptr %arrayidx, align 8
  %mul = shl i64 %k.018, 3
  %add.ptr = getelementptr inbounds nuw i8, ptr %1, i64 %mul
  %mul5 = mul i64 %k.018, %lanes
  %gep = getelementptr i64, ptr %invariant.gep, i64 %mul5
  %2 = load i64, ptr %gep, align 8
  store i64 %2, ptr %add.ptr, align 1
  %inc = add nuw i64 %k.018, 1
  %exitcond.not = icmp eq i64 %inc, %count
  br i1 %exitcond.not, label %for.cond.cleanup3, label %for.body4
}

define hidden void @ave_each_fmodf(ptr noundef readonly captures(none) %x, ptr noundef readonly captures(none) %y, ptr noundef writeonly captures(none) %out, i64 noundef %count) local_unnamed_addr #10 {
entry:
  %cmp7.not = icmp eq i64 %count, 0
  br i1 %cmp7.not, label %for.cond.cleanup, label %for.body

for.cond.cleanup:
  ret void

for.body:
  %k.08 = phi i64 [ %inc, %for.body ], [ 0, %entry ]
  %arrayidx = getelementptr inbounds nuw float, ptr %x, i64 %k.08
  %0 = load float, ptr %arrayidx, align 4
  %arrayidx1 = getelementptr inbounds nuw float, ptr %y, i64 %k.08
  %1 = load float, ptr %arrayidx1, align 4
  %call = tail call float @fmodf(float noundef %0, float noundef %1) #13
  %arrayidx2 = getelementptr inbounds nuw float, ptr %out, i64 %k.08
  store float %call, ptr %arrayidx2, align 4
  %inc = add nuw i64 %k.08, 1
  %exitcond.not = icmp eq i64 %inc, %count
  br i1 %exitcond.not, label %for.cond.cleanup, label %for.body
}

declare float @fmodf(float noundef, float noundef) local_unnamed_addr

define hidden void @ave_each_fmod(ptr noundef readonly captures(none) %x, ptr noundef readonly captures(none) %y, ptr noundef writeonly captures(none) %out, i64 noundef %count) local_unnamed_addr #10 {
entry:
  %cmp7.not = icmp eq i64 %count, 0
  br i1 %cmp7.not, label %for.cond.cleanup, label %for.body

for.cond.cleanup:
  ret void

for.body:
  %k.08 = phi i64 [ %inc, %for.body ], [ 0, %entry ]
  %arrayidx = getelementptr inbounds nuw double, ptr %x, i64 %k.08
  %0 = load double, ptr %arrayidx, align 8
  %arrayidx1 = getelementptr inbounds nuw double, ptr %y, i64 %k.08
  %1 = load double, ptr %arrayidx1, align 8
  %call = tail call double @fmod(double noundef %0, double noundef %1) #13
  %arrayidx2 = getelementptr inbounds nuw double, ptr %out, i64 %k.08
  store double %call, ptr %arrayidx2, align 8
  %inc = add nuw i64 %k.08, 1
  %exitcond.not = icmp eq i64 %inc, %count
  br i1 %exitcond.not, label %for.cond.cleanup, label %for.body
}

declare double @fmod(double noundef, double noundef) local_unnamed_addr

declare ptr @ave_coroutine(ptr noundef, ptr noundef, i32 noundef, i32 noundef, i32 noundef, i32 noundef, ptr noundef) local_unnamed_addr

declare void @llvm.memset.p0.i64(ptr writeonly captures(none), i8, i64, i1 immarg) #11

declare i32 @llvm.usub.sat.i32(i32, i32) #12

attributes #0 = { mustprogress nofree norecurse nosync nounwind willreturn memory(readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none) }
attributes #1 = { nounwind }
attributes #3 = { mustprogress nofree norecurse nosync nounwind willreturn memory(write, argmem: readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none) }
attributes #4 = { cold nofree noinline norecurse nounwind optsize memory(argmem: readwrite) }
attributes #5 = { nofree noinline norecurse nosync nounwind memory(write, argmem: readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none) }
attributes #6 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #7 = { mustprogress nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #8 = { nofree noinline norecurse nosync nounwind memory(read, argmem: readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none) }
attributes #9 = { nofree noinline norecurse nosync nounwind memory(readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none) }
attributes #10 = { noinline nounwind }
attributes #11 = { mustprogress nocallback nofree nounwind willreturn memory(argmem: write) }
attributes #12 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #13 = { nobuiltin nounwind }
attributes #14 = { nounwind }
