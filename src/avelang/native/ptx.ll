; Made by `./dev native` of ptx/ptx.c, SHA-256 bbb13cccbb7ea5fa550e195c414ac4a46b41a4be40d1f4717e30d760e38fdf0f

%struct.LogRecord = type { i32, i32, i32, i32, i32, [44 x i8], [32 x i64] }

@ave_blocks = external local_unnamed_addr global [0 x ptr], align 8

define range(i32 -2147483648, 1) i32 @ave_warp(ptr noundef %w, ptr noundef %g) local_unnamed_addr #0 {
entry:
  %live1 = getelementptr inbounds nuw i8, ptr %w, i64 136
  %blocked = getelementptr inbounds nuw i8, ptr %w, i64 140
  %0 = load i32, ptr %live1, align 8
  %tobool.not101 = icmp eq i32 %0, 0
  br i1 %tobool.not101, label %cleanup57, label %if.end.lr.ph

if.end.lr.ph:
  %1 = load i32, ptr %blocked, align 4
  %not99 = xor i32 %1, -1
  %and100 = and i32 %0, %not99
  %turn1.i = getelementptr inbounds nuw i8, ptr %w, i64 168
  %active = getelementptr inbounds nuw i8, ptr %w, i64 128
  %steps = getelementptr inbounds nuw i8, ptr %w, i64 144
  br label %if.end

if.end:
  %and102 = phi i32 [ %and100, %if.end.lr.ph ], [ %and, %cleanup55 ]
  %2 = phi i32 [ %0, %if.end.lr.ph ], [ %19, %cleanup55 ]
  %tobool2.not = icmp eq i32 %and102, 0
  br i1 %tobool2.not, label %cleanup57, label %if.end4

if.end4:
  %3 = load i32, ptr %turn1.i, align 8
  %inc.i = add i32 %3, 1
  store i32 %inc.i, ptr %turn1.i, align 8
  %rem.i = and i32 %inc.i, 255
  %tobool.not.i = icmp eq i32 %rem.i, 0
  br i1 %tobool.not.i, label %if.end.i, label %if.then.i

if.then.i:
  %4 = bitcast i32 %and102 to <32 x i1>
  %5 = load <32 x i32>, ptr %w, align 64
  %vector_select.i = select <32 x i1> %4, <32 x i32> %5, <32 x i32> splat (i32 2147483647)
  %rdx.min.i = tail call i32 @llvm.vector.reduce.smin.v32i32(<32 x i32> %vector_select.i)
  br label %chosen.exit

if.end.i:
  %div12.i = lshr exact i32 %inc.i, 8
  %rem2.i = and i32 %div12.i, 31
  %shl.i = shl nsw i32 -1, %rem2.i
  %and.i = and i32 %shl.i, %and102
  %tobool4.not.i = icmp eq i32 %and.i, 0
  %cond.i = select i1 %tobool4.not.i, i32 %and102, i32 %and.i
  %6 = tail call range(i32 0, 33) i32 @llvm.cttz.i32(i32 %cond.i, i1 true)
  %idxprom.i = zext nneg i32 %6 to i64
  %arrayidx.i = getelementptr inbounds nuw i32, ptr %w, i64 %idxprom.i
  %7 = load i32, ptr %arrayidx.i, align 4
  %.pre = load <32 x i32>, ptr %w, align 64
  br label %chosen.exit

chosen.exit:
  %8 = phi <32 x i32> [ %5, %if.then.i ], [ %.pre, %if.end.i ]
  %retval.0.i = phi i32 [ %rdx.min.i, %if.then.i ], [ %7, %if.end.i ]
  %splat.splatinsert = insertelement <32 x i32> poison, i32 %retval.0.i, i64 0
  %splat.splat = shufflevector <32 x i32> %splat.splatinsert, <32 x i32> poison, <32 x i32> zeroinitializer
  %cmp = icmp eq <32 x i32> %8, %splat.splat
  %9 = bitcast <32 x i1> %cmp to i32
  %and7 = and i32 %2, %9
  br label %for.cond8

for.cond8:
  %now.0 = phi i32 [ %and7, %chosen.exit ], [ %2, %if.end17 ]
  %pc5.0 = phi i32 [ %retval.0.i, %chosen.exit ], [ %call9, %if.end17 ]
  store i32 %now.0, ptr %active, align 8
  %idxprom = sext i32 %pc5.0 to i64
  %arrayidx = getelementptr inbounds ptr, ptr @ave_blocks, i64 %idxprom
  %10 = load ptr, ptr %arrayidx, align 8
  %call9 = tail call i32 %10(ptr noundef nonnull %w, ptr noundef %g, i32 noundef %now.0) #6
  %11 = load i32, ptr %active, align 8
  %12 = load i32, ptr %steps, align 8
  %dec = add i32 %12, -1
  store i32 %dec, ptr %steps, align 8
  %cmp11 = icmp slt i32 %call9, 0
  %cmp12.not = icmp ne i32 %11, %2
  %or.cond93.not98 = select i1 %cmp11, i1 true, i1 %cmp12.not
  %cmp15 = icmp slt i32 %dec, 1
  %or.cond94 = select i1 %or.cond93.not98, i1 true, i1 %cmp15
  br i1 %or.cond94, label %for.end, label %if.end17

if.end17:
  store i32 0, ptr %blocked, align 4
  br label %for.cond8

for.end:
  %cmp19 = icmp eq i32 %call9, -4
  br i1 %cmp19, label %if.then20, label %if.end27

if.then20:
  %13 = bitcast i32 %11 to <32 x i1>
  %splat.splatinsert24 = insertelement <32 x i32> poison, i32 %pc5.0, i64 0
  %splat.splat25 = shufflevector <32 x i32> %splat.splatinsert24, <32 x i32> poison, <32 x i32> zeroinitializer
  %14 = load <32 x i32>, ptr %w, align 64
  %vector_select = select <32 x i1> %13, <32 x i32> %splat.splat25, <32 x i32> %14
  store <32 x i32> %vector_select, ptr %w, align 64
  %15 = load i32, ptr %blocked, align 4
  %or = or i32 %15, %11
  store i32 %or, ptr %blocked, align 4
  %16 = xor i32 %or, -1
  br label %cleanup55

if.end27:
  store i32 0, ptr %blocked, align 4
  %or.cond = icmp slt i32 %call9, -1
  br i1 %or.cond, label %cleanup57, label %if.end34

if.end34:
  %cmp35 = icmp sgt i32 %call9, -1
  br i1 %cmp35, label %if.then37, label %if.end47

if.then37:
  %17 = bitcast i32 %11 to <32 x i1>
  %splat.splatinsert43 = insertelement <32 x i32> poison, i32 %call9, i64 0
  %splat.splat44 = shufflevector <32 x i32> %splat.splatinsert43, <32 x i32> poison, <32 x i32> zeroinitializer
  %18 = load <32 x i32>, ptr %w, align 64
  %vector_select46 = select <32 x i1> %17, <32 x i32> %splat.splat44, <32 x i32> %18
  store <32 x i32> %vector_select46, ptr %w, align 64
  br label %if.end47

if.end47:
  br i1 %cmp15, label %cleanup57, label %cleanup55

cleanup55:
  %not = phi i32 [ -1, %if.end47 ], [ %16, %if.then20 ]
  %19 = load i32, ptr %live1, align 8
  %and = and i32 %19, %not
  %tobool.not = icmp eq i32 %19, 0
  br i1 %tobool.not, label %cleanup57, label %if.end

cleanup57:
  %retval.2.ph = phi i32 [ 0, %entry ], [ -5, %if.end47 ], [ 0, %cleanup55 ], [ -6, %if.end ], [ %call9, %if.end27 ]
  ret i32 %retval.2.ph
}

define i64 @ave_grid(ptr noundef %g, i64 noundef %first, i64 noundef %last) local_unnamed_addr #1 {
entry:
  %cmp42 = icmp ult i64 %first, %last
  br i1 %cmp42, label %for.body.lr.ph, label %cleanup

for.body.lr.ph:
  %nctaid.i = getelementptr inbounds nuw i8, ptr %g, i64 140
  %arrayidx2.i = getelementptr inbounds nuw i8, ptr %g, i64 144
  %ctaid.i = getelementptr inbounds nuw i8, ptr %g, i64 128
  %clusterid.i = getelementptr inbounds nuw i8, ptr %g, i64 164
  %arrayidx10.i = getelementptr inbounds nuw i8, ptr %g, i64 132
  %arrayidx12.i = getelementptr inbounds nuw i8, ptr %g, i64 168
  %arrayidx17.i = getelementptr inbounds nuw i8, ptr %g, i64 136
  %arrayidx19.i = getelementptr inbounds nuw i8, ptr %g, i64 172
  %shared.i = getelementptr inbounds nuw i8, ptr %g, i64 40
  %shared_bytes.i = getelementptr inbounds nuw i8, ptr %g, i64 56
  %count.i = getelementptr inbounds nuw i8, ptr %g, i64 240
  %warps.i = getelementptr inbounds nuw i8, ptr %g, i64 224
  %masks.i = getelementptr inbounds nuw i8, ptr %g, i64 232
  %entry28.i = getelementptr inbounds nuw i8, ptr %g, i64 244
  %stopped.i = getelementptr inbounds nuw i8, ptr %g, i64 248
  %fault_warp.i = getelementptr inbounds nuw i8, ptr %g, i64 220
  br label %for.body

for.body:
  %n.043 = phi i64 [ %first, %for.body.lr.ph ], [ %inc, %for.inc ]
  %0 = load i32, ptr %nctaid.i, align 4
  %conv.i = zext i32 %0 to i64
  %1 = load i32, ptr %arrayidx2.i, align 4
  %conv3.i = zext i32 %1 to i64
  %rem.i = urem i64 %n.043, %conv.i
  %conv4.i = trunc nuw i64 %rem.i to i32
  store i32 %conv4.i, ptr %ctaid.i, align 8
  store i32 %conv4.i, ptr %clusterid.i, align 4
  %div.i = udiv i64 %n.043, %conv.i
  %rem7.i = urem i64 %div.i, %conv3.i
  %conv8.i = trunc nuw i64 %rem7.i to i32
  store i32 %conv8.i, ptr %arrayidx10.i, align 4
  store i32 %conv8.i, ptr %arrayidx12.i, align 8
  %div14.i = udiv i64 %div.i, %conv3.i
  %conv15.i = trunc i64 %div14.i to i32
  store i32 %conv15.i, ptr %arrayidx17.i, align 8
  store i32 %conv15.i, ptr %arrayidx19.i, align 4
  %2 = load ptr, ptr %shared.i, align 8
  %3 = load ptr, ptr %2, align 8
  %4 = load i32, ptr %shared_bytes.i, align 8
  %conv21.i = zext i32 %4 to i64
  tail call void @llvm.memset.p0.i64(ptr align 1 %3, i8 -91, i64 %conv21.i, i1 false)
  %5 = load i32, ptr %count.i, align 8
  %cmp.i33.not = icmp eq i32 %5, 0
  br i1 %cmp.i33.not, label %for.cond1.i.preheader.preheader, label %for.body.i

for.body.i:
  %indvars.iv = phi i64 [ %indvars.iv.next, %for.body.i ], [ 0, %for.body ]
  %6 = load ptr, ptr %warps.i, align 8
  %arrayidx23.i = getelementptr inbounds nuw ptr, ptr %6, i64 %indvars.iv
  %7 = load ptr, ptr %arrayidx23.i, align 8
  %8 = load ptr, ptr %masks.i, align 8
  %arrayidx25.i = getelementptr inbounds nuw i32, ptr %8, i64 %indvars.iv
  %9 = load <32 x i1>, ptr %arrayidx25.i, align 4
  %10 = load i32, ptr %entry28.i, align 4
  %splat.splatinsert.i = insertelement <32 x i32> poison, i32 %10, i64 0
  %splat.splat.i = shufflevector <32 x i32> %splat.splatinsert.i, <32 x i32> poison, <32 x i32> zeroinitializer
  %vector_select.i = select <32 x i1> %9, <32 x i32> %splat.splat.i, <32 x i32> splat (i32 2147483647)
  store <32 x i32> %vector_select.i, ptr %7, align 8
  %11 = load ptr, ptr %masks.i, align 8
  %arrayidx31.i = getelementptr inbounds nuw i32, ptr %11, i64 %indvars.iv
  %12 = load i32, ptr %arrayidx31.i, align 4
  %live.i = getelementptr inbounds nuw i8, ptr %7, i64 136
  store i32 %12, ptr %live.i, align 8
  %blocked.i = getelementptr inbounds nuw i8, ptr %7, i64 140
  store i32 0, ptr %blocked.i, align 4
  %turn.i = getelementptr inbounds nuw i8, ptr %7, i64 168
  store i32 0, ptr %turn.i, align 8
  %barrier.i = getelementptr inbounds nuw i8, ptr %7, i64 172
  store i32 0, ptr %barrier.i, align 4
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %13 = load i32, ptr %count.i, align 8
  %14 = zext i32 %13 to i64
  %cmp.i = icmp samesign ult i64 %indvars.iv.next, %14
  br i1 %cmp.i, label %for.body.i, label %for.cond1.i.preheader.preheader

for.cond1.i.preheader.preheader:
  br label %for.cond1.i.preheader

for.cond.i6:
  %inc21.i = add nuw nsw i32 %round.0.i40, 1
  %exitcond.not = icmp eq i32 %inc21.i, 16384
  br i1 %exitcond.not, label %run_block.exit.thread, label %for.cond1.i.preheader

for.cond1.i.preheader:
  %round.0.i40 = phi i32 [ %inc21.i, %for.cond.i6 ], [ 0, %for.cond1.i.preheader.preheader ]
  %15 = load i32, ptr %count.i, align 8
  %cmp2.i.not35 = icmp eq i32 %15, 0
  br i1 %cmp2.i.not35, label %for.inc, label %for.body4.i

for.body4.i:
  %indvars.iv51 = phi i64 [ %indvars.iv.next52, %for.inc.i ], [ 0, %for.cond1.i.preheader ]
  %open.0.i36 = phi i1 [ %open.3.i.ph, %for.inc.i ], [ false, %for.cond1.i.preheader ]
  %16 = load ptr, ptr %warps.i, align 8
  %arrayidx.i = getelementptr inbounds nuw ptr, ptr %16, i64 %indvars.iv51
  %17 = load ptr, ptr %arrayidx.i, align 8
  %live.i12 = getelementptr inbounds nuw i8, ptr %17, i64 136
  %18 = load i32, ptr %live.i12, align 8
  %tobool.not.i = icmp eq i32 %18, 0
  br i1 %tobool.not.i, label %for.inc.i, label %if.end.i

if.end.i:
  %steps.i = getelementptr inbounds nuw i8, ptr %17, i64 144
  store i32 32768, ptr %steps.i, align 8
  %barrier.i13 = getelementptr inbounds nuw i8, ptr %17, i64 172
  store i32 0, ptr %barrier.i13, align 4
  %call.i = tail call i32 @ave_warp(ptr noundef nonnull %17, ptr noundef nonnull %g) #7
  switch i32 %call.i, label %cleanup12.i [
    i32 -7, label %if.then6.i
    i32 0, label %for.inc.i
  ]

if.then6.i:
  store i32 1, ptr %barrier.i13, align 4
  br label %for.inc.i

cleanup12.i:
  %19 = trunc nuw i64 %indvars.iv51 to i32
  store i32 %call.i, ptr %stopped.i, align 8
  store i32 %19, ptr %fault_warp.i, align 4
  br label %cleanup

for.inc.i:
  %open.3.i.ph = phi i1 [ %open.0.i36, %if.end.i ], [ true, %if.then6.i ], [ %open.0.i36, %for.body4.i ]
  %indvars.iv.next52 = add nuw nsw i64 %indvars.iv51, 1
  %20 = load i32, ptr %count.i, align 8
  %21 = zext i32 %20 to i64
  %cmp2.i.not.not = icmp samesign ult i64 %indvars.iv.next52, %21
  br i1 %cmp2.i.not.not, label %for.body4.i, label %cleanup13.i

cleanup13.i:
  br i1 %open.3.i.ph, label %for.cond.i6, label %for.inc

run_block.exit.thread:
  store i32 -7, ptr %stopped.i, align 8
  store i32 0, ptr %fault_warp.i, align 4
  br label %cleanup

for.inc:
  %inc = add nuw i64 %n.043, 1
  %exitcond53.not = icmp eq i64 %inc, %last
  br i1 %exitcond53.not, label %cleanup, label %for.body

cleanup:
  %22 = phi i64 [ %n.043, %run_block.exit.thread ], [ %last, %entry ], [ %last, %for.inc ], [ %n.043, %cleanup12.i ]
  ret i64 %22
}

define hidden void @ave_note(ptr noundef captures(none) initializes((176, 180)) %w, ptr noundef readonly captures(none) %g, i32 noundef %mask, i32 noundef %instr, i32 noundef %kind, i32 noundef %size) local_unnamed_addr #2 {
entry:
  %at = getelementptr inbounds nuw i8, ptr %w, i64 176
  store i32 %instr, ptr %at, align 8
  %tobool.not = icmp eq i32 %mask, 0
  br i1 %tobool.not, label %cleanup, label %cond.true

cond.true:
  %log1.i = getelementptr inbounds nuw i8, ptr %g, i64 256
  %0 = load ptr, ptr %log1.i, align 8
  %1 = load i64, ptr %0, align 8
  %cmp.i = icmp ult i64 %1, 32768
  br i1 %cmp.i, label %if.end, label %cleanup

if.end:
  %records.i = getelementptr inbounds nuw i8, ptr %0, i64 512
  %inc.i = add nuw nsw i64 %1, 1
  store i64 %inc.i, ptr %0, align 8
  %arrayidx.i = getelementptr inbounds nuw %struct.LogRecord, ptr %records.i, i64 %1
  store i32 %instr, ptr %arrayidx.i, align 8
  %kind3 = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 4
  store i32 %kind, ptr %kind3, align 4
  %mask4 = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 8
  store i32 %mask, ptr %mask4, align 8
  %size5 = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 12
  store i32 %size, ptr %size5, align 4
  %address = getelementptr inbounds nuw i8, ptr %w, i64 640
  %2 = load <32 x i64>, ptr %address, align 8
  %address6 = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 64
  store <32 x i64> %2, ptr %address6, align 8
  br label %cleanup

cleanup:
  ret void
}

define hidden void @ave_enter(ptr noundef captures(none) %w, ptr noundef readonly captures(none) %g, i32 noundef %active) local_unnamed_addr #2 {
entry:
  %seen = getelementptr inbounds nuw i8, ptr %w, i64 180
  %0 = load i32, ptr %seen, align 4
  %cmp = icmp eq i32 %0, %active
  br i1 %cmp, label %return, label %if.end

if.end:
  store i32 %active, ptr %seen, align 4
  tail call void @ave_note(ptr noundef nonnull %w, ptr noundef %g, i32 noundef %active, i32 noundef -1, i32 noundef 1, i32 noundef 0) #7
  br label %return

return:
  ret void
}

define hidden noundef nonnull ptr @ave_blame(ptr noundef readonly captures(none) %w, ptr noundef readonly captures(none) %g, i64 noundef %lane, i64 noundef %address, i64 noundef %size, i32 noundef %code) local_unnamed_addr #2 {
entry:
  %log1.i = getelementptr inbounds nuw i8, ptr %g, i64 256
  %0 = load ptr, ptr %log1.i, align 8
  %1 = load i64, ptr %0, align 8
  %cmp.i = icmp ult i64 %1, 36864
  br i1 %cmp.i, label %if.then, label %if.end

if.then:
  %records.i = getelementptr inbounds nuw i8, ptr %0, i64 512
  %inc.i = add nuw nsw i64 %1, 1
  store i64 %inc.i, ptr %0, align 8
  %arrayidx.i = getelementptr inbounds nuw %struct.LogRecord, ptr %records.i, i64 %1
  %at = getelementptr inbounds nuw i8, ptr %w, i64 176
  %2 = load i32, ptr %at, align 8
  store i32 %2, ptr %arrayidx.i, align 8
  %kind = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 4
  store i32 6, ptr %kind, align 4
  %sh_prom = trunc i64 %lane to i32
  %shl = shl nuw i32 1, %sh_prom
  %mask = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 8
  store i32 %shl, ptr %mask, align 8
  %conv = trunc i64 %size to i32
  %size1 = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 12
  store i32 %conv, ptr %size1, align 4
  %code2 = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 16
  store i32 %code, ptr %code2, align 8
  %address3 = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 64
  store i64 %address, ptr %address3, align 8
  %.pre = load ptr, ptr %log1.i, align 8
  br label %if.end

if.end:
  %3 = phi ptr [ %0, %entry ], [ %.pre, %if.then ]
  %sink = getelementptr inbounds nuw i8, ptr %3, i64 256
  tail call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(128) %sink, i8 0, i64 128, i1 false)
  ret ptr %sink
}

declare void @llvm.memset.p0.i64(ptr writeonly captures(none), i8, i64, i1 immarg) #3

define hidden noundef ptr @ave_place_global(ptr noundef readonly captures(none) %w, ptr noundef captures(none) %g, i64 noundef %lane, i64 noundef %address, i64 noundef %size, i32 noundef %write) local_unnamed_addr #4 {
entry:
  %add = add i64 %size, %address
  %near_start = getelementptr inbounds nuw i8, ptr %g, i64 16
  %0 = load i64, ptr %near_start, align 8
  %cmp.not = icmp ult i64 %address, %0
  br i1 %cmp.not, label %if.end, label %land.lhs.true

land.lhs.true:
  %near_end = getelementptr inbounds nuw i8, ptr %g, i64 24
  %1 = load i64, ptr %near_end, align 8
  %cmp1.not = icmp ugt i64 %add, %1
  %cmp3.not = icmp ugt i64 %address, %add
  %or.cond = or i1 %cmp3.not, %cmp1.not
  br i1 %or.cond, label %if.end, label %land.lhs.true4

land.lhs.true4:
  %tobool.not = icmp eq i32 %write, 0
  br i1 %tobool.not, label %if.then, label %lor.lhs.false

lor.lhs.false:
  %near_writable = getelementptr inbounds nuw i8, ptr %g, i64 32
  %2 = load i64, ptr %near_writable, align 8
  %tobool5.not = icmp eq i64 %2, 0
  br i1 %tobool5.not, label %if.end, label %if.then

if.then:
  %3 = inttoptr i64 %address to ptr
  br label %cleanup32

if.end:
  %region_count = getelementptr inbounds nuw i8, ptr %g, i64 8
  %4 = load i64, ptr %region_count, align 8
  %cmp6.not88.not = icmp eq i64 %4, 0
  br i1 %cmp6.not88.not, label %for.end, label %for.body.lr.ph

for.body.lr.ph:
  %5 = load ptr, ptr %g, align 8
  %cmp12 = icmp ugt i64 %address, %add
  br label %for.body

for.body:
  %k.090 = phi i64 [ 0, %for.body.lr.ph ], [ %inc, %for.inc ]
  %region.089 = phi ptr [ %5, %for.body.lr.ph ], [ %add.ptr, %for.inc ]
  %6 = load i64, ptr %region.089, align 8
  %cmp7 = icmp ult i64 %address, %6
  br i1 %cmp7, label %for.inc, label %lor.lhs.false8

lor.lhs.false8:
  %arrayidx9 = getelementptr inbounds nuw i8, ptr %region.089, i64 8
  %7 = load i64, ptr %arrayidx9, align 8
  %cmp10 = icmp ugt i64 %add, %7
  %or.cond71 = or i1 %cmp12, %cmp10
  br i1 %or.cond71, label %for.inc, label %if.end14

if.end14:
  %arrayidx9.le = getelementptr inbounds nuw i8, ptr %region.089, i64 8
  store i64 %6, ptr %near_start, align 8
  %8 = load i64, ptr %arrayidx9.le, align 8
  %near_end18 = getelementptr inbounds nuw i8, ptr %g, i64 24
  store i64 %8, ptr %near_end18, align 8
  %arrayidx19 = getelementptr inbounds nuw i8, ptr %region.089, i64 16
  %9 = load i64, ptr %arrayidx19, align 8
  %near_writable20 = getelementptr inbounds nuw i8, ptr %g, i64 32
  store i64 %9, ptr %near_writable20, align 8
  %tobool21.not = icmp ne i32 %write, 0
  %tobool24.not = icmp eq i64 %9, 0
  %or.cond101 = select i1 %tobool21.not, i1 %tobool24.not, i1 false
  br i1 %or.cond101, label %cond.false, label %cond.true

cond.true:
  %10 = inttoptr i64 %address to ptr
  br label %cleanup32

cond.false:
  %watched.i72 = getelementptr inbounds nuw i8, ptr %g, i64 272
  %11 = load i32, ptr %watched.i72, align 8
  %tobool.not.i73 = icmp eq i32 %11, 0
  br i1 %tobool.not.i73, label %if.end.i77, label %if.then.i74

if.then.i74:
  %call.i75 = tail call ptr @ave_blame(ptr noundef %w, ptr noundef nonnull %g, i64 noundef %lane, i64 noundef %address, i64 noundef %size, i32 noundef 3) #7
  br label %cleanup32

if.end.i77:
  %fault_code.i78 = getelementptr inbounds nuw i8, ptr %g, i64 88
  store i32 3, ptr %fault_code.i78, align 8
  %fault_address.i79 = getelementptr inbounds nuw i8, ptr %g, i64 104
  store i64 %address, ptr %fault_address.i79, align 8
  %conv.i80 = trunc i64 %size to i32
  %fault_size.i81 = getelementptr inbounds nuw i8, ptr %g, i64 100
  store i32 %conv.i80, ptr %fault_size.i81, align 4
  br label %cleanup32

for.inc:
  %inc = add nuw i64 %k.090, 1
  %add.ptr = getelementptr inbounds nuw i8, ptr %region.089, i64 24
  %exitcond.not = icmp eq i64 %inc, %4
  br i1 %exitcond.not, label %for.end, label %for.body

for.end:
  %tobool25.not = icmp eq i32 %write, 0
  br i1 %tobool25.not, label %land.lhs.true26, label %if.end29

land.lhs.true26:
  %12 = or i64 %size, %address
  %13 = and i64 %12, 3
  %14 = icmp eq i64 %13, 0
  %cmp.i91 = icmp ne i64 %4, 0
  %or.cond22.i92 = and i1 %14, %cmp.i91
  br i1 %or.cond22.i92, label %for.body.i.lr.ph, label %if.end29

for.body.i.lr.ph:
  %15 = load ptr, ptr %g, align 8
  %sub.i = add i64 %add, -4
  %cmp10.not.i = icmp ugt i64 %address, %add
  br label %for.body.i

for.body.i:
  %k.0.i94 = phi i64 [ 0, %for.body.i.lr.ph ], [ %inc.i, %for.inc.i ]
  %region.0.i93 = phi ptr [ %15, %for.body.i.lr.ph ], [ %add.ptr.i, %for.inc.i ]
  %16 = load i64, ptr %region.0.i93, align 8
  %cmp4.not.i = icmp ult i64 %address, %16
  br i1 %cmp4.not.i, label %for.inc.i, label %land.lhs.true5.i

land.lhs.true5.i:
  %arrayidx6.i = getelementptr inbounds nuw i8, ptr %region.0.i93, i64 8
  %17 = load i64, ptr %arrayidx6.i, align 8
  %cmp7.i = icmp uge i64 %sub.i, %17
  %or.cond23.i = or i1 %cmp10.not.i, %cmp7.i
  br i1 %or.cond23.i, label %for.inc.i, label %if.then28

for.inc.i:
  %inc.i = add nuw i64 %k.0.i94, 1
  %add.ptr.i = getelementptr inbounds nuw i8, ptr %region.0.i93, i64 24
  %cmp.i = icmp ult i64 %inc.i, %4
  br i1 %cmp.i, label %for.body.i, label %if.end29

if.then28:
  %18 = inttoptr i64 %address to ptr
  br label %cleanup32

if.end29:
  %watched.i = getelementptr inbounds nuw i8, ptr %g, i64 272
  %19 = load i32, ptr %watched.i, align 8
  %tobool.not.i = icmp eq i32 %19, 0
  br i1 %tobool.not.i, label %if.end.i, label %if.then.i

if.then.i:
  %call.i = tail call ptr @ave_blame(ptr noundef %w, ptr noundef nonnull %g, i64 noundef %lane, i64 noundef %address, i64 noundef %size, i32 noundef 2) #7
  br label %cleanup32

if.end.i:
  %fault_code.i = getelementptr inbounds nuw i8, ptr %g, i64 88
  store i32 2, ptr %fault_code.i, align 8
  %fault_address.i = getelementptr inbounds nuw i8, ptr %g, i64 104
  store i64 %address, ptr %fault_address.i, align 8
  %conv.i = trunc i64 %size to i32
  %fault_size.i = getelementptr inbounds nuw i8, ptr %g, i64 100
  store i32 %conv.i, ptr %fault_size.i, align 4
  br label %cleanup32

cleanup32:
  %retval.2 = phi ptr [ %3, %if.then ], [ null, %if.end.i ], [ %18, %if.then28 ], [ %call.i, %if.then.i ], [ null, %if.end.i77 ], [ %call.i75, %if.then.i74 ], [ %10, %cond.true ]
  ret ptr %retval.2
}

define hidden ptr @ave_place_shared(ptr noundef readonly captures(none) %w, ptr noundef captures(none) %g, i64 noundef %lane, i64 noundef %whole, i64 noundef %size, i32 noundef %write, i1 noundef %peers) local_unnamed_addr #4 {
entry:
  %conv1 = and i64 %whole, 4294967295
  %shr = lshr i64 %conv1, 24
  %and = and i64 %whole, 16777215
  %rank2 = getelementptr inbounds nuw i8, ptr %g, i64 64
  %0 = load i32, ptr %rank2, align 8
  %conv3 = zext i32 %0 to i64
  %cmp = icmp eq i64 %shr, %conv3
  br i1 %cmp, label %lor.lhs.false, label %lor.rhs

lor.rhs:
  %ranks = getelementptr inbounds nuw i8, ptr %g, i64 60
  %1 = load i32, ptr %ranks, align 4
  %conv5 = zext i32 %1 to i64
  %cmp6 = icmp samesign ult i64 %shr, %conv5
  %2 = and i1 %peers, %cmp6
  br i1 %2, label %lor.lhs.false, label %if.then

lor.lhs.false:
  %add = add i64 %and, %size
  %shared_bytes = getelementptr inbounds nuw i8, ptr %g, i64 56
  %3 = load i32, ptr %shared_bytes, align 8
  %conv11 = zext i32 %3 to i64
  %cmp12 = icmp ugt i64 %add, %conv11
  br i1 %cmp12, label %if.then, label %if.end

if.then:
  %watched.i53 = getelementptr inbounds nuw i8, ptr %g, i64 272
  %4 = load i32, ptr %watched.i53, align 8
  %tobool.not.i54 = icmp eq i32 %4, 0
  br i1 %tobool.not.i54, label %if.end.i58, label %if.then.i55

if.then.i55:
  %call.i56 = tail call ptr @ave_blame(ptr noundef %w, ptr noundef nonnull %g, i64 noundef %lane, i64 noundef %conv1, i64 noundef %size, i32 noundef 2) #7
  br label %cleanup27

if.end.i58:
  %fault_code.i59 = getelementptr inbounds nuw i8, ptr %g, i64 88
  store i32 2, ptr %fault_code.i59, align 8
  %fault_address.i60 = getelementptr inbounds nuw i8, ptr %g, i64 104
  store i64 %conv1, ptr %fault_address.i60, align 8
  %conv.i61 = trunc i64 %size to i32
  %fault_size.i62 = getelementptr inbounds nuw i8, ptr %g, i64 100
  store i32 %conv.i61, ptr %fault_size.i62, align 4
  br label %cleanup27

if.end:
  %shared = getelementptr inbounds nuw i8, ptr %g, i64 40
  %5 = load ptr, ptr %shared, align 8
  %arrayidx = getelementptr inbounds nuw ptr, ptr %5, i64 %shr
  %6 = load ptr, ptr %arrayidx, align 8
  %add.ptr = getelementptr inbounds nuw i8, ptr %6, i64 %and
  %checked = getelementptr inbounds nuw i8, ptr %g, i64 252
  %7 = load i32, ptr %checked, align 4
  %tobool.not = icmp eq i32 %7, 0
  br i1 %tobool.not, label %cleanup27, label %cond.true

cond.true:
  %shadow = getelementptr inbounds nuw i8, ptr %g, i64 48
  %8 = load ptr, ptr %shadow, align 8
  %arrayidx14 = getelementptr inbounds nuw ptr, ptr %8, i64 %shr
  %9 = load ptr, ptr %arrayidx14, align 8
  %add.ptr15 = getelementptr inbounds nuw i8, ptr %9, i64 %and
  %cmp.not.i72.not = icmp eq i64 %size, 0
  br i1 %cmp.not.i72.not, label %cleanup27, label %for.body.i.lr.ph

for.body.i.lr.ph:
  %tobool.not.i64 = icmp eq i32 %write, 0
  %conv6.i = select i1 %tobool.not.i64, i32 1, i32 3
  %conv13.i = select i1 %tobool.not.i64, i8 0, i8 4
  br label %for.body.i

for.body.i:
  %k.0.i73 = phi i64 [ 0, %for.body.i.lr.ph ], [ %inc.i, %if.end.i67 ]
  %arrayidx.i = getelementptr inbounds nuw i8, ptr %add.ptr15, i64 %k.0.i73
  %10 = load i8, ptr %arrayidx.i, align 1
  %conv5.i = zext i8 %10 to i32
  %and.i = and i32 %conv6.i, %conv5.i
  %tobool7.not.i = icmp eq i32 %and.i, 0
  br i1 %tobool7.not.i, label %if.end.i67, label %if.end19

if.end.i67:
  %or.i = or i8 %10, %conv13.i
  store i8 %or.i, ptr %arrayidx.i, align 1
  %inc.i = add nuw i64 %k.0.i73, 1
  %exitcond.not = icmp eq i64 %inc.i, %size
  br i1 %exitcond.not, label %cleanup27, label %for.body.i

if.end19:
  %and10.i = and i32 %conv5.i, 1
  %cond12.i = sub nuw nsw i32 6, %and10.i
  %watched.i = getelementptr inbounds nuw i8, ptr %g, i64 272
  %11 = load i32, ptr %watched.i, align 8
  %tobool.not.i = icmp eq i32 %11, 0
  br i1 %tobool.not.i, label %if.end.i, label %if.then.i

if.then.i:
  %call.i = tail call ptr @ave_blame(ptr noundef %w, ptr noundef nonnull %g, i64 noundef %lane, i64 noundef %conv1, i64 noundef %size, i32 noundef range(i32 1, 7) %cond12.i) #7
  br label %cleanup27

if.end.i:
  %fault_code.i = getelementptr inbounds nuw i8, ptr %g, i64 88
  store i32 %cond12.i, ptr %fault_code.i, align 8
  %fault_address.i = getelementptr inbounds nuw i8, ptr %g, i64 104
  store i64 %conv1, ptr %fault_address.i, align 8
  %conv.i = trunc i64 %size to i32
  %fault_size.i = getelementptr inbounds nuw i8, ptr %g, i64 100
  store i32 %conv.i, ptr %fault_size.i, align 4
  br label %cleanup27

cleanup27:
  %retval.1 = phi ptr [ null, %if.end.i58 ], [ null, %if.end.i ], [ %call.i56, %if.then.i55 ], [ %add.ptr, %if.end ], [ %add.ptr, %if.then.i ], [ %add.ptr, %cond.true ], [ %add.ptr, %if.end.i67 ]
  ret ptr %retval.1
}

define hidden ptr @ave_place_local(ptr noundef readonly captures(none) %w, ptr noundef captures(none) %g, i64 noundef %lane, i64 noundef %whole, i64 noundef %size, i32 %write) local_unnamed_addr #2 {
entry:
  %conv1 = and i64 %whole, 4294967295
  %local_bytes = getelementptr inbounds nuw i8, ptr %g, i64 68
  %0 = load i32, ptr %local_bytes, align 4
  %conv2 = zext i32 %0 to i64
  %add = add i64 %conv1, %size
  %cmp.not = icmp ugt i64 %add, %conv2
  br i1 %cmp.not, label %cond.false, label %cond.true

cond.true:
  %local = getelementptr inbounds nuw i8, ptr %w, i64 160
  %1 = load ptr, ptr %local, align 8
  %mul = mul i64 %lane, %conv2
  %add.ptr = getelementptr inbounds nuw i8, ptr %1, i64 %mul
  %add.ptr4 = getelementptr inbounds nuw i8, ptr %add.ptr, i64 %conv1
  br label %cond.end

cond.false:
  %watched.i = getelementptr inbounds nuw i8, ptr %g, i64 272
  %2 = load i32, ptr %watched.i, align 8
  %tobool.not.i = icmp eq i32 %2, 0
  br i1 %tobool.not.i, label %if.end.i, label %if.then.i

if.then.i:
  %call.i = tail call ptr @ave_blame(ptr noundef %w, ptr noundef nonnull %g, i64 noundef %lane, i64 noundef %conv1, i64 noundef %size, i32 noundef 2) #7
  br label %cond.end

if.end.i:
  %fault_code.i = getelementptr inbounds nuw i8, ptr %g, i64 88
  store i32 2, ptr %fault_code.i, align 8
  %fault_address.i = getelementptr inbounds nuw i8, ptr %g, i64 104
  store i64 %conv1, ptr %fault_address.i, align 8
  %conv.i = trunc i64 %size to i32
  %fault_size.i = getelementptr inbounds nuw i8, ptr %g, i64 100
  store i32 %conv.i, ptr %fault_size.i, align 4
  br label %cond.end

cond.end:
  %cond = phi ptr [ %add.ptr4, %cond.true ], [ %call.i, %if.then.i ], [ null, %if.end.i ]
  ret ptr %cond
}

define hidden ptr @ave_place_generic(ptr noundef readonly captures(none) %w, ptr noundef captures(none) %g, i64 noundef %lane, i64 noundef %address, i64 noundef %size, i32 noundef %write) local_unnamed_addr #4 {
entry:
  %shr = lshr i64 %address, 60
  switch i64 %shr, label %sw.default [
    i64 1, label %sw.bb
    i64 2, label %sw.bb1
  ]

sw.bb:
  %call = tail call ptr @ave_place_shared(ptr noundef %w, ptr noundef %g, i64 noundef %lane, i64 noundef %address, i64 noundef %size, i32 noundef %write, i1 noundef true) #7
  br label %return

sw.bb1:
  %call2 = tail call ptr @ave_place_local(ptr noundef %w, ptr noundef %g, i64 noundef %lane, i64 noundef %address, i64 noundef %size, i32 poison) #7
  br label %return

sw.default:
  %call3 = tail call ptr @ave_place_global(ptr noundef %w, ptr noundef %g, i64 noundef %lane, i64 noundef %address, i64 noundef %size, i32 noundef %write) #7
  br label %return

return:
  %retval.0 = phi ptr [ %call3, %sw.default ], [ %call, %sw.bb ], [ %call2, %sw.bb1 ]
  ret ptr %retval.0
}

declare i32 @llvm.vector.reduce.smin.v32i32(<32 x i32>) #5

declare i32 @llvm.cttz.i32(i32, i1 immarg) #5

attributes #0 = { noinline nounwind }
attributes #1 = { nounwind }
attributes #2 = { mustprogress nofree noinline norecurse nosync nounwind willreturn memory(readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none) }
attributes #3 = { mustprogress nocallback nofree nounwind willreturn memory(argmem: write) }
attributes #4 = { nofree noinline norecurse nosync nounwind memory(readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none) }
attributes #5 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #6 = { nobuiltin nounwind }
attributes #7 = { nobuiltin }
