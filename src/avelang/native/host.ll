; Made by `./dev native` of host/host.c, SHA-256 43c31b9b393c1e7b793b7988bd07975e36237bf66333c815c51815f12719f92f

%struct.Subscript = type { ptr, i64, ptr }
%struct.Recent = type { ptr, i64, [3 x i32], ptr, [16 x i64] }
%struct.Job = type { ptr, ptr, ptr, i64, i64, [24 x i8], i64, [56 x i8], i64, [56 x i8] }
%struct.LaunchState = type { [3 x i32], i32, ptr, ptr, ptr, ptr, ptr, ptr, i64 }
%struct.TensorMapRecord = type { [12 x i64], [4 x i64], [128 x i8] }
%struct.Config = type { [3 x i32], [3 x i32], i32, ptr, ptr, i32 }
%struct.DLTensor = type { i64, i64, i32, i32, ptr, ptr, i64, i64 }
%struct.Room = type { [64 x i64], [16 x %struct.Wide] }
%struct.Wide = type { [128 x i8], i64, [7 x i64] }
%struct.Geometry = type { [3 x i64], [3 x i64], [3 x i32] }
%struct.Call = type { ptr, i64, i64, ptr }
%struct.ParamCheck = type { i64, i64, i64, i64, i64, i64, [4 x i32], ptr, ptr, i64, [4 x ptr], i64, %struct.Likeness, [3 x i64] }
%struct.Likeness = type { ptr, ptr, i64, i64, ptr }
%struct.Exchange = type { ptr, ptr }

@interrupted_pool = internal unnamed_addr global ptr null, align 8
@ave_subscripts = local_unnamed_addr global %struct.Subscript zeroinitializer, align 8
@ave_recent = local_unnamed_addr global [8 x %struct.Recent] zeroinitializer, align 16
@ave_launched = local_unnamed_addr global i64 0, align 8
@PyExc_TypeError = external local_unnamed_addr global ptr, align 8

define void @ave_pool_init(ptr noundef %pool) local_unnamed_addr #0 {
entry:
  %call = tail call i32 @pthread_mutex_init(ptr noundef %pool, ptr noundef null) #11
  %wake = getelementptr inbounds nuw i8, ptr %pool, i64 128
  %call2 = tail call i32 @pthread_cond_init(ptr noundef nonnull %wake, ptr noundef null) #11
  %finished = getelementptr inbounds nuw i8, ptr %pool, i64 256
  %call4 = tail call i32 @pthread_cond_init(ptr noundef nonnull %finished, ptr noundef null) #11
  %scratch = getelementptr inbounds nuw i8, ptr %pool, i64 408
  store ptr null, ptr %scratch, align 8
  %scratch_bytes = getelementptr inbounds nuw i8, ptr %pool, i64 416
  store i64 0, ptr %scratch_bytes, align 8
  %active = getelementptr inbounds nuw i8, ptr %pool, i64 388
  store i32 0, ptr %active, align 4
  %generation = getelementptr inbounds nuw i8, ptr %pool, i64 392
  store i64 0, ptr %generation, align 8
  %job = getelementptr inbounds nuw i8, ptr %pool, i64 400
  store ptr null, ptr %job, align 8
  %started = getelementptr inbounds nuw i8, ptr %pool, i64 428
  store i32 0, ptr %started, align 4
  %launches = getelementptr inbounds nuw i8, ptr %pool, i64 456
  store ptr null, ptr %launches, align 8
  %listed = getelementptr inbounds nuw i8, ptr %pool, i64 464
  store i32 0, ptr %listed, align 8
  %ticker = getelementptr inbounds nuw i8, ptr %pool, i64 468
  store i32 0, ptr %ticker, align 4
  %taken = getelementptr inbounds nuw i8, ptr %pool, i64 384
  store atomic i32 0, ptr %taken release, align 8
  ret void
}

declare i32 @pthread_mutex_init(ptr noundef, ptr noundef) local_unnamed_addr

declare i32 @pthread_cond_init(ptr noundef, ptr noundef) local_unnamed_addr

define range(i32 0, 2) i32 @ave_look(ptr noundef captures(none) %launch) #0 {
entry:
  %flag = getelementptr inbounds nuw i8, ptr %launch, i64 12
  %0 = load atomic i32, ptr %flag monotonic, align 4
  %cmp = icmp sgt i32 %0, 1
  br i1 %cmp, label %return, label %if.end

if.end:
  %call = tail call ptr @pthread_self() #11
  %owner = getelementptr inbounds nuw i8, ptr %launch, i64 32
  %1 = load ptr, ptr %owner, align 8
  %cmp1.not = icmp eq ptr %call, %1
  br i1 %cmp1.not, label %lor.lhs.false, label %return

lor.lhs.false:
  %thread = getelementptr inbounds nuw i8, ptr %launch, i64 40
  %2 = load ptr, ptr %thread, align 8
  %tobool.not = icmp eq ptr %2, null
  br i1 %tobool.not, label %return, label %if.end3

if.end3:
  %3 = atomicrmw and ptr %flag, i32 -2 monotonic, align 4
  %pool6 = getelementptr inbounds nuw i8, ptr %launch, i64 24
  %4 = load ptr, ptr %pool6, align 8
  tail call void @PyEval_RestoreThread(ptr noundef nonnull %2) #11
  %call8 = tail call i32 @PyErr_CheckSignals() #11
  %cmp9.not = icmp eq i32 %call8, 0
  br i1 %cmp9.not, label %if.then11, label %if.then27

if.then11:
  %interrupts = getelementptr inbounds nuw i8, ptr %4, i64 472
  %5 = load atomic i64, ptr %interrupts monotonic, align 8
  %interrupts13 = getelementptr inbounds nuw i8, ptr %launch, i64 64
  %6 = load i64, ptr %interrupts13, align 8
  store i64 %5, ptr %interrupts13, align 8
  %cmp15.not = icmp eq i64 %5, %6
  br i1 %cmp15.not, label %if.end24.thread, label %if.then17

if.end24.thread:
  %call2547 = tail call ptr @PyEval_SaveThread() #11
  br label %return

if.then17:
  %hook = getelementptr inbounds nuw i8, ptr %4, i64 480
  %7 = load ptr, ptr %hook, align 8
  %call18 = tail call ptr @PyObject_CallNoArgs(ptr noundef %7) #11
  %tobool19.not = icmp eq ptr %call18, null
  br i1 %tobool19.not, label %if.then27, label %if.end24.thread54

if.end24.thread54:
  tail call void @Py_DecRef(ptr noundef nonnull %call18) #11
  %call2556 = tail call ptr @PyEval_SaveThread() #11
  br label %return

if.then27:
  %call25 = tail call ptr @PyEval_SaveThread() #11
  %8 = atomicrmw or ptr %flag, i32 2 monotonic, align 4
  br label %return

return:
  %retval.0 = phi i32 [ 0, %if.end ], [ 1, %entry ], [ 0, %lor.lhs.false ], [ 1, %if.then27 ], [ 0, %if.end24.thread54 ], [ 0, %if.end24.thread ]
  ret i32 %retval.0
}

declare ptr @pthread_self() local_unnamed_addr

declare void @llvm.lifetime.start.p0(ptr captures(none)) #2

declare void @PyEval_RestoreThread(ptr noundef) local_unnamed_addr

declare i32 @PyErr_CheckSignals() local_unnamed_addr

declare ptr @PyObject_CallNoArgs(ptr noundef) local_unnamed_addr

declare void @Py_DecRef(ptr noundef) local_unnamed_addr

declare void @llvm.lifetime.end.p0(ptr captures(none)) #2

declare ptr @PyEval_SaveThread() local_unnamed_addr

define void @ave_watch_interrupts(ptr noundef %pool, i32 noundef %signal) local_unnamed_addr #0 {
entry:
  %action = alloca [256 x i8], align 16
  call void @llvm.lifetime.start.p0(ptr nonnull %action) #12
  store ptr %pool, ptr @interrupted_pool, align 8
  %call = call i32 @sigaction(i32 noundef %signal, ptr noundef null, ptr noundef nonnull %action) #11
  %tobool.not = icmp eq i32 %call, 0
  br i1 %tobool.not, label %lor.lhs.false, label %cleanup

lor.lhs.false:
  %0 = load ptr, ptr %action, align 16
  %cmp = icmp ult ptr %0, inttoptr (i64 2 to ptr)
  %cmp3 = icmp eq ptr %0, @interrupted
  %or.cond = or i1 %cmp, %cmp3
  br i1 %or.cond, label %cleanup, label %if.end

if.end:
  %handler4 = getelementptr inbounds nuw i8, ptr %pool, i64 488
  store ptr %0, ptr %handler4, align 8
  store ptr @interrupted, ptr %action, align 16
  %call6 = call i32 @sigaction(i32 noundef %signal, ptr noundef nonnull %action, ptr noundef null) #11
  br label %cleanup

cleanup:
  call void @llvm.lifetime.end.p0(ptr nonnull %action) #12
  ret void
}

declare i32 @sigaction(i32 noundef, ptr noundef, ptr noundef) local_unnamed_addr

define internal void @interrupted(i32 noundef %signal, ptr noundef %info, ptr noundef %context) #0 {
entry:
  %0 = load ptr, ptr @interrupted_pool, align 8
  %interrupts = getelementptr inbounds nuw i8, ptr %0, i64 472
  %1 = atomicrmw add ptr %interrupts, i64 1 monotonic, align 8
  %handler = getelementptr inbounds nuw i8, ptr %0, i64 488
  %2 = load ptr, ptr %handler, align 8
  tail call void %2(i32 noundef %signal, ptr noundef %info, ptr noundef %context) #11
  ret void
}

define i64 @ave_run_grid(ptr noundef %pool, ptr noundef %kernel, ptr noundef %args, ptr noundef readonly captures(none) %extents, ptr noundef %thread) local_unnamed_addr #0 {
entry:
  %t.i67.i = alloca [2 x i64], align 16
  %attributes.i.i.i.i.i = alloca [128 x i8], align 16
  %all.i.i.i.i.i = alloca [128 x i8], align 16
  %old.i.i.i.i.i = alloca [128 x i8], align 16
  %thread.i.i.i.i.i = alloca ptr, align 8
  %t.i.i72.i.i = alloca [2 x i64], align 16
  %t.i.i.i = alloca [2 x i64], align 16
  %scratch.i.i = alloca ptr, align 8
  %t.i.i = alloca [2 x i64], align 16
  %job.i = alloca %struct.Job, align 64
  %attributes.i.i.i = alloca [128 x i8], align 16
  %all.i.i.i = alloca [128 x i8], align 16
  %old.i.i.i = alloca [128 x i8], align 16
  %thread.i.i.i = alloca ptr, align 8
  %launch = alloca %struct.LaunchState, align 64
  call void @llvm.lifetime.start.p0(ptr nonnull %launch) #12
  %0 = load i32, ptr %extents, align 4
  store i32 %0, ptr %launch, align 64
  %arrayidx2 = getelementptr inbounds nuw i8, ptr %extents, i64 4
  %1 = load i32, ptr %arrayidx2, align 4
  %arrayidx4 = getelementptr inbounds nuw i8, ptr %launch, i64 4
  store i32 %1, ptr %arrayidx4, align 4
  %arrayidx5 = getelementptr inbounds nuw i8, ptr %extents, i64 8
  %2 = load i32, ptr %arrayidx5, align 4
  %arrayidx7 = getelementptr inbounds nuw i8, ptr %launch, i64 8
  store i32 %2, ptr %arrayidx7, align 8
  %flag = getelementptr inbounds nuw i8, ptr %launch, i64 12
  store i32 0, ptr %flag, align 4
  %look = getelementptr inbounds nuw i8, ptr %launch, i64 16
  store ptr @ave_look, ptr %look, align 16
  %pool8 = getelementptr inbounds nuw i8, ptr %launch, i64 24
  store ptr %pool, ptr %pool8, align 8
  %call = tail call ptr @pthread_self() #11
  %owner = getelementptr inbounds nuw i8, ptr %launch, i64 32
  store ptr %call, ptr %owner, align 32
  %thread9 = getelementptr inbounds nuw i8, ptr %launch, i64 40
  store ptr %thread, ptr %thread9, align 8
  %interrupts = getelementptr inbounds nuw i8, ptr %pool, i64 472
  %3 = load atomic i64, ptr %interrupts monotonic, align 8
  %interrupts10 = getelementptr inbounds nuw i8, ptr %launch, i64 64
  store i64 %3, ptr %interrupts10, align 64
  %listed.i.i = getelementptr inbounds nuw i8, ptr %pool, i64 464
  %4 = atomicrmw xchg ptr %listed.i.i, i32 1 acquire, align 8
  %tobool.not1.i.i = icmp eq i32 %4, 0
  br i1 %tobool.not1.i.i, label %list.exit.i, label %while.body.i.i

while.body.i.i:
  %call.i.i = tail call i32 @sched_yield() #11
  %5 = atomicrmw xchg ptr %listed.i.i, i32 1 acquire, align 8
  %tobool.not.i.i = icmp eq i32 %5, 0
  br i1 %tobool.not.i.i, label %list.exit.i, label %while.body.i.i

list.exit.i:
  %launches.i = getelementptr inbounds nuw i8, ptr %pool, i64 456
  %6 = load ptr, ptr %launches.i, align 8
  %before.i = getelementptr inbounds nuw i8, ptr %launch, i64 48
  store ptr null, ptr %before.i, align 16
  %next.i = getelementptr inbounds nuw i8, ptr %launch, i64 56
  store ptr %6, ptr %next.i, align 8
  %tobool.not.i = icmp eq ptr %6, null
  br i1 %tobool.not.i, label %if.end.i, label %if.then.i

if.then.i:
  %before1.i = getelementptr inbounds nuw i8, ptr %6, i64 48
  store ptr %launch, ptr %before1.i, align 8
  br label %if.end.i

if.end.i:
  %7 = ptrtoint ptr %launch to i64
  store atomic i64 %7, ptr %launches.i monotonic, align 8
  store atomic i32 0, ptr %listed.i.i release, align 8
  fence seq_cst
  %ticker.i = getelementptr inbounds nuw i8, ptr %pool, i64 468
  %8 = load atomic i32, ptr %ticker.i monotonic, align 4
  %cmp.not.i = icmp eq i32 %8, 1
  br i1 %cmp.not.i, label %begin.exit, label %if.then3.i

if.then3.i:
  %call.i16.i = call i32 @pthread_mutex_lock(ptr noundef nonnull %pool) #11
  %9 = load i32, ptr %ticker.i, align 4
  %cmp.i.i = icmp eq i32 %9, 0
  store atomic i32 1, ptr %ticker.i monotonic, align 4
  br i1 %cmp.i.i, label %if.else.i.i, label %if.then.i.i

if.then.i.i:
  %wake.i.i = getelementptr inbounds nuw i8, ptr %pool, i64 128
  %call3.i.i = call i32 @pthread_cond_broadcast(ptr noundef nonnull %wake.i.i) #11
  br label %wake_ticker.exit.i

if.else.i.i:
  call void @llvm.lifetime.start.p0(ptr nonnull %attributes.i.i.i) #12
  call void @llvm.lifetime.start.p0(ptr nonnull %all.i.i.i) #12
  call void @llvm.lifetime.start.p0(ptr nonnull %old.i.i.i) #12
  call void @llvm.lifetime.start.p0(ptr nonnull %thread.i.i.i) #12
  %call.i.i.i = call i32 @sigfillset(ptr noundef nonnull %all.i.i.i) #11
  %set_mask.i.i.i = getelementptr inbounds nuw i8, ptr %pool, i64 440
  %10 = load i32, ptr %set_mask.i.i.i, align 8
  %call3.i.i.i = call i32 @pthread_sigmask(i32 noundef %10, ptr noundef nonnull %all.i.i.i, ptr noundef nonnull %old.i.i.i) #11
  %call5.i.i.i = call i32 @pthread_attr_init(ptr noundef nonnull %attributes.i.i.i) #11
  %detached.i.i.i = getelementptr inbounds nuw i8, ptr %pool, i64 444
  %11 = load i32, ptr %detached.i.i.i, align 4
  %call7.i.i.i = call i32 @pthread_attr_setdetachstate(ptr noundef nonnull %attributes.i.i.i, i32 noundef %11) #11
  %stack.i.i.i = getelementptr inbounds nuw i8, ptr %pool, i64 448
  %12 = load i64, ptr %stack.i.i.i, align 8
  %call9.i.i.i = call i32 @pthread_attr_setstacksize(ptr noundef nonnull %attributes.i.i.i, i64 noundef %12) #11
  %call11.i.i.i = call i32 @pthread_create(ptr noundef nonnull %thread.i.i.i, ptr noundef nonnull %attributes.i.i.i, ptr noundef nonnull @tick, ptr noundef nonnull %pool) #11
  %call13.i.i.i = call i32 @pthread_attr_destroy(ptr noundef nonnull %attributes.i.i.i) #11
  %13 = load i32, ptr %set_mask.i.i.i, align 8
  %call16.i.i.i = call i32 @pthread_sigmask(i32 noundef %13, ptr noundef nonnull %old.i.i.i, ptr noundef null) #11
  %cmp.i.i.i = icmp eq i32 %call11.i.i.i, 0
  call void @llvm.lifetime.end.p0(ptr nonnull %thread.i.i.i) #12
  call void @llvm.lifetime.end.p0(ptr nonnull %old.i.i.i) #12
  call void @llvm.lifetime.end.p0(ptr nonnull %all.i.i.i) #12
  call void @llvm.lifetime.end.p0(ptr nonnull %attributes.i.i.i) #12
  br i1 %cmp.i.i.i, label %wake_ticker.exit.i, label %if.then5.i.i

if.then5.i.i:
  store atomic i32 0, ptr %ticker.i monotonic, align 4
  br label %wake_ticker.exit.i

wake_ticker.exit.i:
  %call11.i.i = call i32 @pthread_mutex_unlock(ptr noundef nonnull %pool) #11
  br label %begin.exit

begin.exit:
  %14 = load i32, ptr %launch, align 64
  %conv.i = zext i32 %14 to i64
  %15 = load i32, ptr %arrayidx4, align 4
  %conv4.i = zext i32 %15 to i64
  %mul.i = mul nuw i64 %conv4.i, %conv.i
  %16 = load i32, ptr %arrayidx7, align 8
  %conv7.i = zext i32 %16 to i64
  %mul8.i = mul i64 %mul.i, %conv7.i
  %tobool.not.i18 = icmp eq i64 %mul8.i, 0
  br i1 %tobool.not.i18, label %run.exit, label %if.end.i19

if.end.i19:
  call void @llvm.lifetime.start.p0(ptr nonnull %t.i.i) #12
  %clock.i.i = getelementptr inbounds nuw i8, ptr %pool, i64 436
  %17 = load i32, ptr %clock.i.i, align 4
  %call.i.i20 = call i32 @clock_gettime(i32 noundef %17, ptr noundef nonnull %t.i.i) #11
  %18 = load i64, ptr %t.i.i, align 16
  %mul.i.neg.i = mul i64 %18, -1000000000
  %arrayidx1.i.i = getelementptr inbounds nuw i8, ptr %t.i.i, i64 8
  %19 = load i64, ptr %arrayidx1.i.i, align 8
  %add.i.neg81.i = sub i64 %mul.i.neg.i, %19
  call void @llvm.lifetime.end.p0(ptr nonnull %t.i.i) #12
  %taken.i = getelementptr inbounds nuw i8, ptr %pool, i64 384
  %20 = cmpxchg ptr %taken.i, i32 0, i32 1 acquire monotonic, align 8
  %21 = extractvalue { i32, i1 } %20, 1
  %scratch_bytes12.i = getelementptr inbounds nuw i8, ptr %kernel, i64 8
  br i1 %21, label %if.end11.i, label %if.then9.i

if.then9.i:
  call void @llvm.lifetime.start.p0(ptr nonnull %scratch.i.i) #12
  store ptr null, ptr %scratch.i.i, align 8
  %22 = load i64, ptr %scratch_bytes12.i, align 8
  %cmp.not.i.not.i.i = icmp eq i64 %22, 0
  br i1 %cmp.not.i.not.i.i, label %if.end.i.i, label %if.end.i.i.i

if.end.i.i.i:
  call void @free(ptr noundef null) #11
  store ptr null, ptr %scratch.i.i, align 8
  %call.i.i.i21 = call i32 @posix_memalign(ptr noundef nonnull %scratch.i.i, i64 noundef 64, i64 noundef %22) #11
  %tobool.not.i.i.i = icmp eq i32 %call.i.i.i21, 0
  br i1 %tobool.not.i.i.i, label %if.end.i.if.end_crit_edge.i.i, label %run_alone.exit.i

if.end.i.if.end_crit_edge.i.i:
  %.pre.i.i = load ptr, ptr %scratch.i.i, align 8
  br label %if.end.i.i

if.end.i.i:
  %23 = phi ptr [ %.pre.i.i, %if.end.i.if.end_crit_edge.i.i ], [ null, %if.then9.i ]
  %24 = load ptr, ptr %kernel, align 8
  %call1.i.i = call i64 %24(ptr noundef %args, ptr noundef nonnull %launch, i64 noundef 0, i64 noundef range(i64 1, 0) %mul8.i, ptr noundef %23) #11
  %25 = load ptr, ptr %scratch.i.i, align 8
  call void @free(ptr noundef %25) #11
  call void @llvm.lifetime.start.p0(ptr nonnull %t.i.i.i) #12
  %26 = load i32, ptr %clock.i.i, align 4
  %call.i6.i.i = call i32 @clock_gettime(i32 noundef %26, ptr noundef nonnull %t.i.i.i) #11
  %27 = load i64, ptr %t.i.i.i, align 16
  %mul.i.i.i = mul i64 %27, 1000000000
  %arrayidx1.i.i.i = getelementptr inbounds nuw i8, ptr %t.i.i.i, i64 8
  %28 = load i64, ptr %arrayidx1.i.i.i, align 8
  call void @llvm.lifetime.end.p0(ptr nonnull %t.i.i.i) #12
  %add.i.i.i = add i64 %28, %add.i.neg81.i
  %sub.i.i = add i64 %add.i.i.i, %mul.i.i.i
  %last_ns.i.i = getelementptr inbounds nuw i8, ptr %kernel, i64 32
  store i64 %sub.i.i, ptr %last_ns.i.i, align 8
  br label %run_alone.exit.i

run_alone.exit.i:
  %retval.0.i.i = phi i64 [ %call1.i.i, %if.end.i.i ], [ -1, %if.end.i.i.i ]
  call void @llvm.lifetime.end.p0(ptr nonnull %scratch.i.i) #12
  br label %run.exit

if.end11.i:
  %scratch.i = getelementptr inbounds nuw i8, ptr %pool, i64 408
  %scratch_bytes.i = getelementptr inbounds nuw i8, ptr %pool, i64 416
  %29 = load i64, ptr %scratch_bytes12.i, align 8
  %30 = load i64, ptr %scratch_bytes.i, align 8
  %cmp.not.i.i = icmp ult i64 %30, %29
  br i1 %cmp.not.i.i, label %if.end.i58.i, label %if.end17.i

if.end.i58.i:
  %31 = load ptr, ptr %scratch.i, align 8
  call void @free(ptr noundef %31) #11
  store ptr null, ptr %scratch.i, align 8
  store i64 0, ptr %scratch_bytes.i, align 8
  %call.i59.i = call i32 @posix_memalign(ptr noundef nonnull %scratch.i, i64 noundef 64, i64 noundef %29) #11
  %tobool.not.i.i27 = icmp eq i32 %call.i59.i, 0
  br i1 %tobool.not.i.i27, label %if.end2.i.i, label %if.then14.i

if.end2.i.i:
  store i64 %29, ptr %scratch_bytes.i, align 8
  br label %if.end17.i

if.then14.i:
  store ptr null, ptr %scratch.i, align 8
  store atomic i32 0, ptr %taken.i release, align 8
  br label %run.exit

if.end17.i:
  call void @llvm.lifetime.start.p0(ptr nonnull %job.i) #12
  store ptr %kernel, ptr %job.i, align 64
  %args19.i = getelementptr inbounds nuw i8, ptr %job.i, i64 8
  store ptr %args, ptr %args19.i, align 8
  %launch.i = getelementptr inbounds nuw i8, ptr %job.i, i64 16
  store ptr %launch, ptr %launch.i, align 16
  %blocks20.i = getelementptr inbounds nuw i8, ptr %job.i, i64 24
  store i64 %mul8.i, ptr %blocks20.i, align 8
  %next.i22 = getelementptr inbounds nuw i8, ptr %job.i, i64 64
  store i64 0, ptr %next.i22, align 64
  %failed.i = getelementptr inbounds nuw i8, ptr %job.i, i64 128
  store i64 0, ptr %failed.i, align 64
  %32 = load ptr, ptr %scratch.i, align 8
  %workers3.i.i = getelementptr inbounds nuw i8, ptr %pool, i64 424
  %33 = load i32, ptr %workers3.i.i, align 8
  %conv.i.i = zext i32 %33 to i64
  %ns_per_block.i.i = getelementptr inbounds nuw i8, ptr %kernel, i64 16
  %34 = load double, ptr %ns_per_block.i.i, align 8
  %cmp.i.i23 = fcmp ogt double %34, 0.000000e+00
  %div.i.i = fdiv double 1.000000e+03, %34
  %add.i60.i = shl nuw nsw i64 %conv.i.i, 3
  %mul.i61.i = add nuw nsw i64 %add.i60.i, 8
  %div5.i.i = udiv i64 %mul8.i, %mul.i61.i
  %cmp6.i.i = fcmp olt double %div.i.i, 1.000000e+06
  %or.cond.i.i = and i1 %cmp.i.i23, %cmp6.i.i
  %conv8.i.i = fptoui double %div.i.i to i64
  %cond.i.i = select i1 %or.cond.i.i, i64 %conv8.i.i, i64 1
  %cond.i.i.i = call noundef i64 @llvm.umax.i64(i64 %div5.i.i, i64 %cond.i.i)
  %cond.i70.i.i = call noundef i64 @llvm.umax.i64(i64 %cond.i.i.i, i64 1)
  %cmp10.i.i = icmp ne i64 %mul8.i, 1
  %tobool12.i.i = icmp ne i32 %33, 0
  %or.cond41.i.i = and i1 %cmp10.i.i, %tobool12.i.i
  br i1 %or.cond41.i.i, label %if.end.i65.i, label %if.then.i.i24

if.then.i.i24:
  %chunk13.i.i = getelementptr inbounds nuw i8, ptr %job.i, i64 32
  store i64 %mul8.i, ptr %chunk13.i.i, align 32
  %35 = load ptr, ptr %kernel, align 8
  %36 = atomicrmw add ptr %next.i22, i64 %mul8.i monotonic, align 64
  %cmp.not48.i.i.i = icmp ult i64 %36, %mul8.i
  br i1 %cmp.not48.i.i.i, label %if.end.i.i62.i, label %run_owned.exit.i

if.end.i.i62.i:
  %37 = phi i64 [ %38, %if.end10.i.i.i ], [ %36, %if.then.i.i24 ]
  %ran.049.i.i.i = phi i64 [ %add5.i.i.i, %if.end10.i.i.i ], [ 0, %if.then.i.i24 ]
  %add.i.i63.i = add i64 %37, %mul8.i
  %cond.i.i.i.i = call noundef i64 @llvm.umin.i64(i64 %add.i.i63.i, i64 %mul8.i)
  %call4.i.i.i = call i64 %35(ptr noundef %args, ptr noundef nonnull %launch, i64 noundef %37, i64 noundef %cond.i.i.i.i, ptr noundef %32) #11
  %sub.i.i.i = sub i64 %cond.i.i.i.i, %37
  %add5.i.i.i = add i64 %sub.i.i.i, %ran.049.i.i.i
  %tobool.not.i.i64.i = icmp eq i64 %call4.i.i.i, 0
  br i1 %tobool.not.i.i64.i, label %if.end10.i.i.i, label %if.then6.i.i.i

if.then6.i.i.i:
  store atomic i64 %call4.i.i.i, ptr %failed.i monotonic, align 64
  store atomic i64 %mul8.i, ptr %next.i22 monotonic, align 64
  br label %run_owned.exit.i

if.end10.i.i.i:
  %38 = atomicrmw add ptr %next.i22, i64 %mul8.i monotonic, align 64
  %cmp.not.i.i.i = icmp ult i64 %38, %mul8.i
  br i1 %cmp.not.i.i.i, label %if.end.i.i62.i, label %run_owned.exit.i

if.end.i65.i:
  br i1 %cmp.i.i23, label %land.lhs.true16.i.i, label %if.end30.i.i

land.lhs.true16.i.i:
  %conv17.i.i = uitofp i64 %mul8.i to double
  %mul18.i.i = fmul double %34, %conv17.i.i
  %cmp19.i.i = fcmp olt double %mul18.i.i, 1.500000e+04
  br i1 %cmp19.i.i, label %if.then21.i.i, label %if.end30.i.i

if.then21.i.i:
  %div2269.i.i = lshr i64 %mul8.i, 2
  %cond.i71.i.i = call noundef i64 @llvm.umax.i64(i64 %div2269.i.i, i64 1)
  %chunk24.i.i = getelementptr inbounds nuw i8, ptr %job.i, i64 32
  store i64 %cond.i71.i.i, ptr %chunk24.i.i, align 32
  %39 = load ptr, ptr %kernel, align 8
  %40 = atomicrmw add ptr %next.i22, i64 %cond.i71.i.i monotonic, align 64
  %cmp.not48.i76.i.i = icmp ult i64 %40, %mul8.i
  br i1 %cmp.not48.i76.i.i, label %if.end.lr.ph.i78.i.i, label %work.exit95.i.i

if.end.lr.ph.i78.i.i:
  %arrayidx1.i.i82.i.i = getelementptr inbounds nuw i8, ptr %t.i.i72.i.i, i64 8
  br label %if.end.i83.i.i

if.end.i83.i.i:
  %41 = phi i64 [ %40, %if.end.lr.ph.i78.i.i ], [ %45, %cleanup18.i.i.i ]
  %ran.049.i84.i.i = phi i64 [ 0, %if.end.lr.ph.i78.i.i ], [ %add5.i89.i.i, %cleanup18.i.i.i ]
  %add.i85.i.i = add i64 %41, %cond.i71.i.i
  %cond.i.i86.i.i = call noundef i64 @llvm.umin.i64(i64 %add.i85.i.i, i64 %mul8.i)
  %call4.i87.i.i = call i64 %39(ptr noundef %args, ptr noundef nonnull %launch, i64 noundef %41, i64 noundef %cond.i.i86.i.i, ptr noundef %32) #11
  %sub.i88.i.i = sub i64 %cond.i.i86.i.i, %41
  %add5.i89.i.i = add i64 %sub.i88.i.i, %ran.049.i84.i.i
  %tobool.not.i90.i.i = icmp eq i64 %call4.i87.i.i, 0
  br i1 %tobool.not.i90.i.i, label %if.end10.i93.i.i, label %if.then6.i91.i.i

if.then6.i91.i.i:
  store atomic i64 %call4.i87.i.i, ptr %failed.i monotonic, align 64
  store atomic i64 %mul8.i, ptr %next.i22 monotonic, align 64
  br label %work.exit95.i.i

if.end10.i93.i.i:
  call void @llvm.lifetime.start.p0(ptr nonnull %t.i.i72.i.i) #12
  %42 = load i32, ptr %clock.i.i, align 4
  %call.i.i.i.i = call i32 @clock_gettime(i32 noundef %42, ptr noundef nonnull %t.i.i72.i.i) #11
  %43 = load i64, ptr %t.i.i72.i.i, align 16
  %mul.i.i.i.i = mul i64 %43, 1000000000
  %44 = load i64, ptr %arrayidx1.i.i82.i.i, align 8
  call void @llvm.lifetime.end.p0(ptr nonnull %t.i.i72.i.i) #12
  %add.i.i.i.i = add i64 %44, %add.i.neg81.i
  %sub13.i.i.i = add i64 %add.i.i.i.i, %mul.i.i.i.i
  %cmp14.i.i.i = icmp ugt i64 %sub13.i.i.i, 25000
  br i1 %cmp14.i.i.i, label %work.exit95.i.i, label %cleanup18.i.i.i

cleanup18.i.i.i:
  %45 = atomicrmw add ptr %next.i22, i64 %cond.i71.i.i monotonic, align 64
  %cmp.not.i94.i.i = icmp ult i64 %45, %mul8.i
  br i1 %cmp.not.i94.i.i, label %if.end.i83.i.i, label %work.exit95.i.i

work.exit95.i.i:
  %retval.2.ph.i77.i.i = phi i64 [ %add5.i89.i.i, %if.then6.i91.i.i ], [ 0, %if.then21.i.i ], [ %add5.i89.i.i, %if.end10.i93.i.i ], [ %add5.i89.i.i, %cleanup18.i.i.i ]
  %46 = load i64, ptr %next.i22, align 64
  %cmp26.not.i.i = icmp ult i64 %46, %mul8.i
  br i1 %cmp26.not.i.i, label %work.exit95.i.if.end30.i_crit_edge.i, label %run_owned.exit.i

work.exit95.i.if.end30.i_crit_edge.i:
  %.pre.i = load i32, ptr %workers3.i.i, align 8
  br label %if.end30.i.i

if.end30.i.i:
  %47 = phi i32 [ %.pre.i, %work.exit95.i.if.end30.i_crit_edge.i ], [ %33, %land.lhs.true16.i.i ], [ %33, %if.end.i65.i ]
  %before.0.i.i = phi i64 [ %retval.2.ph.i77.i.i, %work.exit95.i.if.end30.i_crit_edge.i ], [ 0, %land.lhs.true16.i.i ], [ 0, %if.end.i65.i ]
  %chunk31.i.i = getelementptr inbounds nuw i8, ptr %job.i, i64 32
  store i64 %cond.i70.i.i, ptr %chunk31.i.i, align 32
  %started.i.i.i.i = getelementptr inbounds nuw i8, ptr %pool, i64 428
  %48 = load i32, ptr %started.i.i.i.i, align 4
  %cmp11.i.i.i.i = icmp ult i32 %48, %47
  br i1 %cmp11.i.i.i.i, label %for.body.lr.ph.i.i.i.i, label %start.exit.i.i.i

for.body.lr.ph.i.i.i.i:
  %set_mask.i.i.i.i.i = getelementptr inbounds nuw i8, ptr %pool, i64 440
  %detached.i.i.i.i.i = getelementptr inbounds nuw i8, ptr %pool, i64 444
  %stack.i.i.i.i.i = getelementptr inbounds nuw i8, ptr %pool, i64 448
  br label %for.body.i.i.i.i

for.body.i.i.i.i:
  call void @llvm.lifetime.start.p0(ptr nonnull %attributes.i.i.i.i.i) #12
  call void @llvm.lifetime.start.p0(ptr nonnull %all.i.i.i.i.i) #12
  call void @llvm.lifetime.start.p0(ptr nonnull %old.i.i.i.i.i) #12
  call void @llvm.lifetime.start.p0(ptr nonnull %thread.i.i.i.i.i) #12
  %call.i.i.i.i.i = call i32 @sigfillset(ptr noundef nonnull %all.i.i.i.i.i) #11
  %49 = load i32, ptr %set_mask.i.i.i.i.i, align 8
  %call3.i.i.i.i.i = call i32 @pthread_sigmask(i32 noundef %49, ptr noundef nonnull %all.i.i.i.i.i, ptr noundef nonnull %old.i.i.i.i.i) #11
  %call5.i.i.i.i.i = call i32 @pthread_attr_init(ptr noundef nonnull %attributes.i.i.i.i.i) #11
  %50 = load i32, ptr %detached.i.i.i.i.i, align 4
  %call7.i.i.i.i.i = call i32 @pthread_attr_setdetachstate(ptr noundef nonnull %attributes.i.i.i.i.i, i32 noundef %50) #11
  %51 = load i64, ptr %stack.i.i.i.i.i, align 8
  %call9.i.i.i.i.i = call i32 @pthread_attr_setstacksize(ptr noundef nonnull %attributes.i.i.i.i.i, i64 noundef %51) #11
  %call11.i.i.i.i.i = call i32 @pthread_create(ptr noundef nonnull %thread.i.i.i.i.i, ptr noundef nonnull %attributes.i.i.i.i.i, ptr noundef nonnull @worker, ptr noundef nonnull %pool) #11
  %call13.i.i.i.i.i = call i32 @pthread_attr_destroy(ptr noundef nonnull %attributes.i.i.i.i.i) #11
  %52 = load i32, ptr %set_mask.i.i.i.i.i, align 8
  %call16.i.i.i.i.i = call i32 @pthread_sigmask(i32 noundef %52, ptr noundef nonnull %old.i.i.i.i.i, ptr noundef null) #11
  %cmp.i.i.i.i.i = icmp eq i32 %call11.i.i.i.i.i, 0
  call void @llvm.lifetime.end.p0(ptr nonnull %thread.i.i.i.i.i) #12
  call void @llvm.lifetime.end.p0(ptr nonnull %old.i.i.i.i.i) #12
  call void @llvm.lifetime.end.p0(ptr nonnull %all.i.i.i.i.i) #12
  call void @llvm.lifetime.end.p0(ptr nonnull %attributes.i.i.i.i.i) #12
  %53 = load i32, ptr %started.i.i.i.i, align 4
  br i1 %cmp.i.i.i.i.i, label %for.inc.i.i.i.i, label %if.end.i.i.i.i

if.end.i.i.i.i:
  store i32 %53, ptr %workers3.i.i, align 8
  br label %start.exit.i.i.i

for.inc.i.i.i.i:
  %inc.i.i.i.i = add i32 %53, 1
  store i32 %inc.i.i.i.i, ptr %started.i.i.i.i, align 4
  %54 = load i32, ptr %workers3.i.i, align 8
  %cmp.i.i.i.i = icmp ult i32 %inc.i.i.i.i, %54
  br i1 %cmp.i.i.i.i, label %for.body.i.i.i.i, label %start.exit.i.i.i

start.exit.i.i.i:
  %call.i.i66.i = call i32 @pthread_mutex_lock(ptr noundef nonnull %pool) #11
  %job2.i.i.i = getelementptr inbounds nuw i8, ptr %pool, i64 400
  store ptr %job.i, ptr %job2.i.i.i, align 8
  %generation.i.i.i = getelementptr inbounds nuw i8, ptr %pool, i64 392
  %55 = load atomic i64, ptr %generation.i.i.i monotonic, align 8
  %add.i96.i.i = add i64 %55, 1
  store atomic i64 %add.i96.i.i, ptr %generation.i.i.i monotonic, align 8
  %call6.i.i.i = call i32 @pthread_mutex_unlock(ptr noundef nonnull %pool) #11
  %wake.i.i.i = getelementptr inbounds nuw i8, ptr %pool, i64 128
  %call8.i.i.i = call i32 @pthread_cond_broadcast(ptr noundef nonnull %wake.i.i.i) #11
  %56 = load ptr, ptr %job.i, align 64
  %57 = load ptr, ptr %56, align 8
  %58 = load i64, ptr %blocks20.i, align 8
  %59 = load i64, ptr %chunk31.i.i, align 32
  %60 = atomicrmw add ptr %next.i22, i64 %59 monotonic, align 64
  %cmp.not48.i.i.i.i = icmp ult i64 %60, %58
  br i1 %cmp.not48.i.i.i.i, label %if.end.i68.i.i.i, label %work.exit.i.i.i

if.end.i68.i.i.i:
  %61 = phi i64 [ %64, %if.end10.i.i.i.i ], [ %60, %start.exit.i.i.i ]
  %ran.049.i.i.i.i = phi i64 [ %add5.i.i.i.i, %if.end10.i.i.i.i ], [ 0, %start.exit.i.i.i ]
  %add.i.i99.i.i = add i64 %61, %59
  %cond.i.i.i.i.i = call noundef i64 @llvm.umin.i64(i64 %add.i.i99.i.i, i64 %58)
  %62 = load ptr, ptr %args19.i, align 8
  %63 = load ptr, ptr %launch.i, align 16
  %call4.i.i.i.i = call i64 %57(ptr noundef %62, ptr noundef %63, i64 noundef %61, i64 noundef %cond.i.i.i.i.i, ptr noundef %32) #11
  %sub.i.i.i.i = sub i64 %cond.i.i.i.i.i, %61
  %add5.i.i.i.i = add i64 %sub.i.i.i.i, %ran.049.i.i.i.i
  %tobool.not.i.i.i.i = icmp eq i64 %call4.i.i.i.i, 0
  br i1 %tobool.not.i.i.i.i, label %if.end10.i.i.i.i, label %if.then6.i.i.i.i

if.then6.i.i.i.i:
  store atomic i64 %call4.i.i.i.i, ptr %failed.i monotonic, align 64
  store atomic i64 %58, ptr %next.i22 monotonic, align 64
  br label %work.exit.i.i.i

if.end10.i.i.i.i:
  %64 = atomicrmw add ptr %next.i22, i64 %59 monotonic, align 64
  %cmp.not.i.i.i.i = icmp ult i64 %64, %58
  br i1 %cmp.not.i.i.i.i, label %if.end.i68.i.i.i, label %work.exit.i.i.i

work.exit.i.i.i:
  %retval.2.ph.i.i.i.i = phi i64 [ %add5.i.i.i.i, %if.then6.i.i.i.i ], [ 0, %start.exit.i.i.i ], [ %add5.i.i.i.i, %if.end10.i.i.i.i ]
  %call12.i.i.i = call i32 @pthread_mutex_lock(ptr noundef nonnull %pool) #11
  store ptr null, ptr %job2.i.i.i, align 8
  %call16.i.i.i26 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %pool) #11
  %active.i.i.i = getelementptr inbounds nuw i8, ptr %pool, i64 388
  br label %for.body.i.i.i

for.body.i.i.i:
  %i.073.i.i.i = phi i32 [ 0, %work.exit.i.i.i ], [ %inc.i.i.i, %if.end.i98.i.i ]
  %65 = load atomic i32, ptr %active.i.i.i acquire, align 4
  %tobool.not.i97.i.i = icmp eq i32 %65, 0
  br i1 %tobool.not.i97.i.i, label %share.exit.i.i, label %if.end.i98.i.i

if.end.i98.i.i:
  %call18.i.i.i = call i32 @sched_yield() #11
  %inc.i.i.i = add nuw nsw i32 %i.073.i.i.i, 1
  %exitcond.i.i.i = icmp eq i32 %inc.i.i.i, 64
  br i1 %exitcond.i.i.i, label %for.end.i.i.i, label %for.body.i.i.i

for.end.i.i.i:
  %call21.i.i.i = call i32 @pthread_mutex_lock(ptr noundef nonnull %pool) #11
  %66 = load atomic i32, ptr %active.i.i.i acquire, align 4
  %tobool24.not74.i.i.i = icmp eq i32 %66, 0
  br i1 %tobool24.not74.i.i.i, label %while.end.i.i.i, label %while.body.lr.ph.i.i.i

while.body.lr.ph.i.i.i:
  %finished.i.i.i = getelementptr inbounds nuw i8, ptr %pool, i64 256
  br label %while.body.i.i.i

while.body.i.i.i:
  %call28.i.i.i = call i32 @pthread_cond_wait(ptr noundef nonnull %finished.i.i.i, ptr noundef nonnull %pool) #11
  %67 = load atomic i32, ptr %flag monotonic, align 4
  %cmp30.not.i.i.i = icmp eq i32 %67, 1
  br i1 %cmp30.not.i.i.i, label %if.end32.i.i.i, label %while.cond.backedge.i.i.i

if.end32.i.i.i:
  %call35.i.i.i = call i32 @pthread_mutex_unlock(ptr noundef nonnull %pool) #11
  %call36.i.i.i = call i32 @ave_look(ptr noundef nonnull %launch) #13
  %call39.i.i.i = call i32 @pthread_mutex_lock(ptr noundef nonnull %pool) #11
  br label %while.cond.backedge.i.i.i

while.cond.backedge.i.i.i:
  %68 = load atomic i32, ptr %active.i.i.i acquire, align 4
  %tobool24.not.i.i.i = icmp eq i32 %68, 0
  br i1 %tobool24.not.i.i.i, label %while.end.i.i.i, label %while.body.i.i.i

while.end.i.i.i:
  %call42.i.i.i = call i32 @pthread_mutex_unlock(ptr noundef nonnull %pool) #11
  br label %share.exit.i.i

share.exit.i.i:
  %add33.i.i = add i64 %retval.2.ph.i.i.i.i, %before.0.i.i
  br label %run_owned.exit.i

run_owned.exit.i:
  %retval.1.i.i = phi i64 [ %retval.2.ph.i77.i.i, %work.exit95.i.i ], [ %add33.i.i, %share.exit.i.i ], [ %add5.i.i.i, %if.then6.i.i.i ], [ 0, %if.then.i.i24 ], [ %add5.i.i.i, %if.end10.i.i.i ]
  store atomic i32 0, ptr %taken.i release, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %t.i67.i) #12
  %69 = load i32, ptr %clock.i.i, align 4
  %call.i69.i = call i32 @clock_gettime(i32 noundef %69, ptr noundef nonnull %t.i67.i) #11
  %70 = load i64, ptr %t.i67.i, align 16
  %mul.i70.i = mul i64 %70, 1000000000
  %arrayidx1.i71.i = getelementptr inbounds nuw i8, ptr %t.i67.i, i64 8
  %71 = load i64, ptr %arrayidx1.i71.i, align 8
  call void @llvm.lifetime.end.p0(ptr nonnull %t.i67.i) #12
  %add.i72.i = add i64 %71, %add.i.neg81.i
  %sub.i = add i64 %add.i72.i, %mul.i70.i
  %last_ns.i = getelementptr inbounds nuw i8, ptr %kernel, i64 32
  store i64 %sub.i, ptr %last_ns.i, align 8
  %launches.i25 = getelementptr inbounds nuw i8, ptr %kernel, i64 24
  %72 = load i64, ptr %launches.i25, align 8
  %inc.i = add i64 %72, 1
  store i64 %inc.i, ptr %launches.i25, align 8
  %tobool25.not.i = icmp eq i64 %retval.1.i.i, 0
  br i1 %tobool25.not.i, label %if.end29.i, label %if.then26.i

if.then26.i:
  %conv27.i = uitofp i64 %sub.i to double
  %conv28.i = uitofp i64 %retval.1.i.i to double
  %div.i = fdiv double %conv27.i, %conv28.i
  store double %div.i, ptr %ns_per_block.i.i, align 8
  br label %if.end29.i

if.end29.i:
  %73 = load i64, ptr %failed.i, align 64
  call void @llvm.lifetime.end.p0(ptr nonnull %job.i) #12
  br label %run.exit

run.exit:
  %retval.1.i = phi i64 [ 0, %begin.exit ], [ %73, %if.end29.i ], [ -1, %if.then14.i ], [ %retval.0.i.i, %run_alone.exit.i ]
  %74 = atomicrmw xchg ptr %listed.i.i, i32 1 acquire, align 8
  %tobool.not1.i.i29 = icmp eq i32 %74, 0
  br i1 %tobool.not1.i.i29, label %list.exit.i33, label %while.body.i.i30

while.body.i.i30:
  %call.i.i31 = call i32 @sched_yield() #11
  %75 = atomicrmw xchg ptr %listed.i.i, i32 1 acquire, align 8
  %tobool.not.i.i32 = icmp eq i32 %75, 0
  br i1 %tobool.not.i.i32, label %list.exit.i33, label %while.body.i.i30

list.exit.i33:
  %76 = load ptr, ptr %before.i, align 16
  %77 = load ptr, ptr %next.i, align 8
  %tobool.not.i35 = icmp eq ptr %76, null
  %next3.i = getelementptr inbounds nuw i8, ptr %76, i64 56
  %cond.i = select i1 %tobool.not.i35, ptr %launches.i, ptr %next3.i
  store ptr %77, ptr %cond.i, align 8
  %tobool4.not.i = icmp eq ptr %77, null
  br i1 %tobool4.not.i, label %end.exit, label %if.then.i37

if.then.i37:
  %before5.i = getelementptr inbounds nuw i8, ptr %77, i64 48
  store ptr %76, ptr %before5.i, align 8
  br label %end.exit

end.exit:
  store atomic i32 0, ptr %listed.i.i release, align 8
  call void @llvm.lifetime.end.p0(ptr nonnull %launch) #12
  ret i64 %retval.1.i
}

define i64 @ave_run_held(ptr noundef %pool, ptr noundef %kernel, ptr noundef %args, ptr noundef readonly captures(none) %extents) local_unnamed_addr #0 {
entry:
  %call = tail call ptr @PyEval_SaveThread() #11
  %call1 = tail call i64 @ave_run_grid(ptr noundef %pool, ptr noundef %kernel, ptr noundef %args, ptr noundef %extents, ptr noundef %call) #13
  tail call void @PyEval_RestoreThread(ptr noundef %call) #11
  ret i64 %call1
}

define range(i32 0, 2) i32 @ave_map_find(ptr noundef readonly captures(none) %maps, ptr noundef readonly captures(none) %key, i64 noundef %rank, ptr noundef writeonly captures(none) %out) local_unnamed_addr #3 {
entry:
  %0 = load i64, ptr %key, align 8
  %cmp13.not.i = icmp eq i64 %rank, 0
  br i1 %cmp13.not.i, label %hash_of.exit, label %for.body.i

for.body.i:
  %k.015.i = phi i64 [ %add.i, %for.body.i ], [ 0, %entry ]
  %hash.014.i = phi i64 [ %xor.i.i, %for.body.i ], [ %0, %entry ]
  %add.i = add nuw i64 %k.015.i, 1
  %arrayidx1.i = getelementptr inbounds nuw i64, ptr %key, i64 %add.i
  %1 = load i64, ptr %arrayidx1.i, align 8
  %or.i11.i = tail call i64 @llvm.fshl.i64(i64 %hash.014.i, i64 %hash.014.i, i64 11)
  %xor.i12.i = xor i64 %1, %or.i11.i
  %2 = getelementptr i64, ptr %key, i64 %k.015.i
  %arrayidx3.i = getelementptr i8, ptr %2, i64 48
  %3 = load i64, ptr %arrayidx3.i, align 8
  %or.i.i = tail call i64 @llvm.fshl.i64(i64 %xor.i12.i, i64 %xor.i12.i, i64 11)
  %xor.i.i = xor i64 %or.i.i, %3
  %exitcond.not.i = icmp eq i64 %add.i, %rank
  br i1 %exitcond.not.i, label %hash_of.exit, label %for.body.i

hash_of.exit:
  %hash.0.lcssa.i = phi i64 [ %0, %entry ], [ %xor.i.i, %for.body.i ]
  %conv.i.i = zext i64 %hash.0.lcssa.i to i128
  %mul.i.i = mul nuw i128 %conv.i.i, 11400714819323198485
  %shr.i.i = lshr i128 %mul.i.i, 64
  %xor4.i.i = xor i128 %shr.i.i, %mul.i.i
  %xor.i.i4 = trunc i128 %xor4.i.i to i64
  %mask.i = getelementptr inbounds nuw i8, ptr %maps, i64 8
  %add.ptr1.i.i = getelementptr inbounds nuw i8, ptr %key, i64 64
  %4 = load ptr, ptr %maps, align 8
  %5 = load i64, ptr %mask.i, align 8
  %6 = load <8 x i64>, ptr %key, align 8
  %7 = load <4 x i64>, ptr %add.ptr1.i.i, align 8
  br label %for.body.i5

for.body.i5:
  %i.030.i = phi i64 [ 0, %hash_of.exit ], [ %inc.i, %cleanup.i ]
  %add.i6 = add i64 %i.030.i, %xor.i.i4
  %and.i = and i64 %5, %add.i6
  %arrayidx.i = getelementptr inbounds nuw %struct.TensorMapRecord, ptr %4, i64 %and.i
  %8 = load <8 x i64>, ptr %arrayidx.i, align 8
  %xor.i26.i = xor <8 x i64> %6, %8
  %add.ptr.i.i = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 64
  %9 = load <4 x i64>, ptr %add.ptr.i.i, align 8
  %xor2.i.i = xor <4 x i64> %7, %9
  %rdx.or.i.i = tail call i64 @llvm.vector.reduce.or.v8i64(<8 x i64> %xor.i26.i)
  %rdx.or3.i.i = tail call i64 @llvm.vector.reduce.or.v4i64(<4 x i64> %xor2.i.i)
  %or.i.i7 = or i64 %rdx.or3.i.i, %rdx.or.i.i
  %cmp.i.i = icmp eq i64 %or.i.i7, 0
  br i1 %cmp.i.i, label %if.then, label %cleanup.i

cleanup.i:
  %10 = extractelement <4 x i64> %9, i64 3
  %tobool.not.not.i = icmp eq i64 %10, 0
  %inc.i = add nuw nsw i64 %i.030.i, 1
  %exitcond.i = icmp eq i64 %inc.i, 8
  %or.cond = select i1 %tobool.not.not.i, i1 true, i1 %exitcond.i
  br i1 %or.cond, label %if.end, label %for.body.i5

if.then:
  %value = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 128
  tail call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 1 dereferenceable(128) %out, ptr noundef nonnull align 8 dereferenceable(128) %value, i64 128, i1 false)
  br label %if.end

if.end:
  %loadedv2 = zext i1 %cmp.i.i to i32
  ret i32 %loadedv2
}

declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg) #4

define range(i32 0, 2) i32 @ave_map_keep(ptr noundef readonly captures(none) %maps, ptr noundef readonly captures(none) %key, i64 noundef %rank, ptr noundef readonly captures(none) %value) local_unnamed_addr #3 {
entry:
  %0 = load i64, ptr %key, align 8
  %cmp13.not.i = icmp eq i64 %rank, 0
  br i1 %cmp13.not.i, label %hash_of.exit, label %for.body.i

for.body.i:
  %k.015.i = phi i64 [ %add.i, %for.body.i ], [ 0, %entry ]
  %hash.014.i = phi i64 [ %xor.i.i, %for.body.i ], [ %0, %entry ]
  %add.i = add nuw i64 %k.015.i, 1
  %arrayidx1.i = getelementptr inbounds nuw i64, ptr %key, i64 %add.i
  %1 = load i64, ptr %arrayidx1.i, align 8
  %or.i11.i = tail call i64 @llvm.fshl.i64(i64 %hash.014.i, i64 %hash.014.i, i64 11)
  %xor.i12.i = xor i64 %1, %or.i11.i
  %2 = getelementptr i64, ptr %key, i64 %k.015.i
  %arrayidx3.i = getelementptr i8, ptr %2, i64 48
  %3 = load i64, ptr %arrayidx3.i, align 8
  %or.i.i = tail call i64 @llvm.fshl.i64(i64 %xor.i12.i, i64 %xor.i12.i, i64 11)
  %xor.i.i = xor i64 %or.i.i, %3
  %exitcond.not.i = icmp eq i64 %add.i, %rank
  br i1 %exitcond.not.i, label %hash_of.exit, label %for.body.i

hash_of.exit:
  %hash.0.lcssa.i = phi i64 [ %0, %entry ], [ %xor.i.i, %for.body.i ]
  %conv.i.i = zext i64 %hash.0.lcssa.i to i128
  %mul.i.i = mul nuw i128 %conv.i.i, 11400714819323198485
  %shr.i.i = lshr i128 %mul.i.i, 64
  %xor4.i.i = xor i128 %shr.i.i, %mul.i.i
  %xor.i.i10 = trunc i128 %xor4.i.i to i64
  %mask.i = getelementptr inbounds nuw i8, ptr %maps, i64 8
  %add.ptr1.i.i = getelementptr inbounds nuw i8, ptr %key, i64 64
  %4 = load ptr, ptr %maps, align 8
  %5 = load i64, ptr %mask.i, align 8
  %6 = load <8 x i64>, ptr %key, align 8
  %7 = load <4 x i64>, ptr %add.ptr1.i.i, align 8
  br label %for.body.i11

for.cond.i:
  %inc.i = add nuw nsw i64 %i.030.i, 1
  %exitcond.i = icmp eq i64 %inc.i, 8
  br i1 %exitcond.i, label %for.end.i, label %for.body.i11

for.body.i11:
  %i.030.i = phi i64 [ 0, %hash_of.exit ], [ %inc.i, %for.cond.i ]
  %add.i12 = add i64 %i.030.i, %xor.i.i10
  %and.i = and i64 %5, %add.i12
  %arrayidx.i = getelementptr inbounds nuw %struct.TensorMapRecord, ptr %4, i64 %and.i
  %8 = load <8 x i64>, ptr %arrayidx.i, align 8
  %xor.i26.i = xor <8 x i64> %6, %8
  %add.ptr.i.i = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 64
  %9 = load <4 x i64>, ptr %add.ptr.i.i, align 8
  %xor2.i.i = xor <4 x i64> %7, %9
  %rdx.or.i.i = tail call i64 @llvm.vector.reduce.or.v8i64(<8 x i64> %xor.i26.i)
  %rdx.or3.i.i = tail call i64 @llvm.vector.reduce.or.v4i64(<4 x i64> %xor2.i.i)
  %or.i.i13 = or i64 %rdx.or3.i.i, %rdx.or.i.i
  %cmp.i.i = icmp eq i64 %or.i.i13, 0
  %10 = extractelement <4 x i64> %9, i64 3
  %tobool.not.not.i = icmp eq i64 %10, 0
  %or.cond = select i1 %cmp.i.i, i1 true, i1 %tobool.not.not.i
  br i1 %or.cond, label %record_of.exit, label %for.cond.i

for.end.i:
  %rem.i = and i64 %hash.0.lcssa.i, 7
  %add8.i = add i64 %rem.i, %xor.i.i10
  %and10.i = and i64 %5, %add8.i
  %arrayidx11.i = getelementptr inbounds nuw %struct.TensorMapRecord, ptr %4, i64 %and10.i
  br label %record_of.exit

record_of.exit:
  %retval.3.i = phi ptr [ %arrayidx11.i, %for.end.i ], [ %arrayidx.i, %for.body.i11 ]
  %arrayidx = getelementptr inbounds nuw i8, ptr %retval.3.i, i64 88
  %11 = load i64, ptr %arrayidx, align 8
  %tobool.not = icmp eq i64 %11, 0
  tail call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(96) %retval.3.i, ptr noundef nonnull align 8 dereferenceable(96) %key, i64 96, i1 false)
  %value4 = getelementptr inbounds nuw i8, ptr %retval.3.i, i64 128
  tail call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(128) %value4, ptr noundef nonnull align 1 dereferenceable(128) %value, i64 128, i1 false)
  %conv = zext i1 %tobool.not to i32
  ret i32 %conv
}

define range(i64 0, 12884901888) i64 @ave_launch_gpu(ptr noundef %gpu, ptr noundef %slots, ptr noundef readonly captures(none) %grid) local_unnamed_addr #0 {
entry:
  %config.i = alloca %struct.Config, align 8
  %had = alloca i64, align 8
  %0 = load i32, ptr %grid, align 4
  %tobool.not = icmp eq i32 %0, 0
  br i1 %tobool.not, label %return, label %lor.lhs.false

lor.lhs.false:
  %arrayidx1 = getelementptr inbounds nuw i8, ptr %grid, i64 4
  %1 = load i32, ptr %arrayidx1, align 4
  %tobool2.not = icmp eq i32 %1, 0
  br i1 %tobool2.not, label %return, label %lor.lhs.false3

lor.lhs.false3:
  %arrayidx4 = getelementptr inbounds nuw i8, ptr %grid, i64 8
  %2 = load i32, ptr %arrayidx4, align 4
  %tobool5.not = icmp eq i32 %2, 0
  br i1 %tobool5.not, label %return, label %if.end

if.end:
  %params = getelementptr inbounds nuw i8, ptr %gpu, i64 48
  %3 = load i64, ptr %params, align 8
  %mul = shl i64 %3, 3
  %4 = alloca i8, i64 %mul, align 16
  %arrayidx6 = getelementptr inbounds i64, ptr %slots, i64 %3
  %5 = load i64, ptr %arrayidx6, align 8
  %6 = inttoptr i64 %5 to ptr
  call void @llvm.lifetime.start.p0(ptr nonnull %had) #12
  store i64 0, ptr %had, align 8
  %only = getelementptr inbounds nuw i8, ptr %gpu, i64 88
  %7 = load i64, ptr %only, align 8
  %cmp = icmp ne i64 %7, 0
  %get = getelementptr inbounds nuw i8, ptr %gpu, i64 16
  %word = getelementptr inbounds nuw i8, ptr %gpu, i64 32
  %set = getelementptr inbounds nuw i8, ptr %gpu, i64 24
  %cmp26106 = icmp sgt i64 %3, 0
  %wide = getelementptr inbounds nuw i8, ptr %gpu, i64 96
  %block1.i = getelementptr inbounds nuw i8, ptr %gpu, i64 56
  %many.i = getelementptr inbounds nuw i8, ptr %gpu, i64 80
  %arrayinit.element.i = getelementptr inbounds nuw i8, ptr %config.i, i64 4
  %arrayinit.element10.i = getelementptr inbounds nuw i8, ptr %config.i, i64 8
  %block12.i = getelementptr inbounds nuw i8, ptr %config.i, i64 12
  %arrayinit.element14.i = getelementptr inbounds nuw i8, ptr %config.i, i64 16
  %arrayidx15.i = getelementptr inbounds nuw i8, ptr %gpu, i64 60
  %arrayinit.element16.i = getelementptr inbounds nuw i8, ptr %config.i, i64 20
  %arrayidx17.i = getelementptr inbounds nuw i8, ptr %gpu, i64 64
  %shared18.i = getelementptr inbounds nuw i8, ptr %config.i, i64 24
  %shared19.i = getelementptr inbounds nuw i8, ptr %gpu, i64 68
  %8 = getelementptr inbounds nuw i8, ptr %config.i, i64 28
  %stream20.i = getelementptr inbounds nuw i8, ptr %config.i, i64 32
  %attributes.i = getelementptr inbounds nuw i8, ptr %config.i, i64 40
  %attributes21.i = getelementptr inbounds nuw i8, ptr %gpu, i64 72
  %many22.i = getelementptr inbounds nuw i8, ptr %config.i, i64 48
  %9 = getelementptr inbounds nuw i8, ptr %config.i, i64 52
  %function25.i = getelementptr inbounds nuw i8, ptr %gpu, i64 8
  br label %for.cond

for.cond:
  %away.0 = phi i1 [ false, %if.end ], [ %away.2, %for.cond.backedge ]
  %trusted.0 = phi i1 [ %cmp, %if.end ], [ false, %for.cond.backedge ]
  br i1 %trusted.0, label %if.end24, label %if.then7

if.then7:
  %10 = load ptr, ptr %get, align 8
  %call = call i32 %10(ptr noundef nonnull %had) #11
  %tobool8.not = icmp eq i32 %call, 0
  br i1 %tobool8.not, label %if.end10, label %cleanup23.thread

cleanup23.thread:
  %conv = zext i32 %call to i64
  %or = or disjoint i64 %conv, 4294967296
  br label %cleanup56

if.end10:
  %11 = load i64, ptr %had, align 8
  %12 = load i64, ptr %word, align 8
  %cmp11.not = icmp eq i64 %11, %12
  br i1 %cmp11.not, label %if.end24, label %cleanup23

cleanup23:
  %13 = load ptr, ptr %set, align 8
  %call17 = call i32 %13(i64 noundef %12) #11
  %tobool18.not = icmp eq i32 %call17, 0
  br i1 %tobool18.not, label %if.end24, label %cleanup56.loopexit

if.end24:
  %away.2 = phi i1 [ %away.0, %for.cond ], [ true, %cleanup23 ], [ false, %if.end10 ]
  br i1 %cmp26106, label %for.body.lr.ph, label %for.cond.cleanup

for.body.lr.ph:
  %14 = load i64, ptr %wide, align 8
  br label %for.body

for.cond.cleanup:
  %15 = load i64, ptr @ave_launched, align 8
  %inc.i = add i64 %15, 1
  store i64 %inc.i, ptr @ave_launched, align 8
  %rem.i = and i64 %15, 7
  %arrayidx.i = getelementptr inbounds nuw %struct.Recent, ptr @ave_recent, i64 %rem.i
  store ptr %gpu, ptr %arrayidx.i, align 8
  %number2.i = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 8
  store i64 %15, ptr %number2.i, align 8
  %grid3.i = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 16
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(12) %grid3.i, ptr noundef nonnull align 4 dereferenceable(12) %grid, i64 12, i1 false)
  %stream4.i = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 32
  store ptr %6, ptr %stream4.i, align 8
  %slots5.i = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 40
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(128) %slots5.i, ptr noundef nonnull align 8 dereferenceable(128) %slots, i64 128, i1 false)
  %16 = load i64, ptr %wide, align 8
  %and.i = and i64 %16, 65535
  %tobool.not.i108 = icmp eq i64 %and.i, 0
  br i1 %tobool.not.i108, label %note.exit, label %for.body.i

for.body.i:
  %wide.0.i109 = phi i64 [ %and11.i, %for.body.i ], [ %and.i, %for.cond.cleanup ]
  %17 = call range(i64 0, 65) i64 @llvm.cttz.i64(i64 %wide.0.i109, i1 true)
  %arrayidx8.i = getelementptr inbounds nuw i64, ptr %slots, i64 %17
  %18 = load i64, ptr %arrayidx8.i, align 8
  %19 = inttoptr i64 %18 to ptr
  %word.i = getelementptr inbounds nuw i8, ptr %19, i64 128
  %20 = load i64, ptr %word.i, align 8
  %arrayidx10.i = getelementptr inbounds nuw i64, ptr %slots5.i, i64 %17
  store i64 %20, ptr %arrayidx10.i, align 8
  %sub.i = add nsw i64 %wide.0.i109, -1
  %and11.i = and i64 %sub.i, %wide.0.i109
  %tobool.not.i = icmp eq i64 %and11.i, 0
  br i1 %tobool.not.i, label %note.exit, label %for.body.i

note.exit:
  %21 = load i64, ptr %many.i, align 8
  %cmp.i = icmp eq i64 %21, -1
  br i1 %cmp.i, label %if.then.i, label %if.end.i

if.then.i:
  %22 = load ptr, ptr %gpu, align 8
  %23 = load ptr, ptr %function25.i, align 8
  %24 = load i32, ptr %grid, align 4
  %25 = load i32, ptr %arrayidx1, align 4
  %26 = load i32, ptr %arrayidx4, align 4
  %27 = load i32, ptr %block1.i, align 8
  %28 = load i32, ptr %arrayidx15.i, align 4
  %29 = load i32, ptr %arrayidx17.i, align 8
  %30 = load i32, ptr %shared19.i, align 4
  %call.i = call i32 %22(ptr noundef %23, i32 noundef %24, i32 noundef %25, i32 noundef %26, i32 noundef %27, i32 noundef %28, i32 noundef %29, i32 noundef %30, ptr noundef %6, ptr noundef nonnull %4, ptr noundef null) #11
  br label %handed_over.exit

if.end.i:
  call void @llvm.lifetime.start.p0(ptr nonnull %config.i) #12
  %31 = load i32, ptr %grid, align 4
  store i32 %31, ptr %config.i, align 8
  %32 = load i32, ptr %arrayidx1, align 4
  store i32 %32, ptr %arrayinit.element.i, align 4
  %33 = load i32, ptr %arrayidx4, align 4
  store i32 %33, ptr %arrayinit.element10.i, align 8
  %34 = load i32, ptr %block1.i, align 4
  store i32 %34, ptr %block12.i, align 4
  %35 = load i32, ptr %arrayidx15.i, align 4
  store i32 %35, ptr %arrayinit.element14.i, align 8
  %36 = load i32, ptr %arrayidx17.i, align 4
  store i32 %36, ptr %arrayinit.element16.i, align 4
  %37 = load i32, ptr %shared19.i, align 4
  store i32 %37, ptr %shared18.i, align 8
  store i32 0, ptr %8, align 4
  store ptr %6, ptr %stream20.i, align 8
  %38 = load ptr, ptr %attributes21.i, align 8
  store ptr %38, ptr %attributes.i, align 8
  %conv.i = trunc i64 %21 to i32
  store i32 %conv.i, ptr %many22.i, align 8
  store i32 0, ptr %9, align 4
  %39 = load ptr, ptr %gpu, align 8
  %40 = load ptr, ptr %function25.i, align 8
  %call26.i = call i32 %39(ptr noundef nonnull %config.i, ptr noundef %40, ptr noundef nonnull %4, ptr noundef null) #11
  call void @llvm.lifetime.end.p0(ptr nonnull %config.i) #12
  br label %handed_over.exit

handed_over.exit:
  %retval.0.i = phi i32 [ %call.i, %if.then.i ], [ %call26.i, %if.end.i ]
  br i1 %trusted.0, label %lor.lhs.false40, label %for.end45

for.body:
  %i.0107 = phi i64 [ 0, %for.body.lr.ph ], [ %inc, %cond.end33 ]
  %41 = shl nuw i64 1, %i.0107
  %42 = and i64 %14, %41
  %tobool28.not = icmp eq i64 %42, 0
  %arrayidx32 = getelementptr inbounds nuw i64, ptr %slots, i64 %i.0107
  br i1 %tobool28.not, label %cond.end33, label %cond.true29

cond.true29:
  %43 = load i64, ptr %arrayidx32, align 8
  %44 = inttoptr i64 %43 to ptr
  br label %cond.end33

cond.end33:
  %cond34 = phi ptr [ %44, %cond.true29 ], [ %arrayidx32, %for.body ]
  %arrayidx35 = getelementptr inbounds nuw ptr, ptr %4, i64 %i.0107
  store ptr %cond34, ptr %arrayidx35, align 8
  %inc = add nuw nsw i64 %i.0107, 1
  %exitcond.not = icmp eq i64 %inc, %3
  br i1 %exitcond.not, label %for.cond.cleanup, label %for.body

lor.lhs.false40:
  switch i32 %retval.0.i, label %for.end45 [
    i32 400, label %for.cond.backedge
    i32 201, label %for.cond.backedge
    i32 709, label %for.cond.backedge
  ]

for.cond.backedge:
  br label %for.cond

for.end45:
  br i1 %away.2, label %if.then47, label %if.end50

if.then47:
  %45 = load ptr, ptr %set, align 8
  %46 = load i64, ptr %had, align 8
  %call49 = call i32 %45(i64 noundef %46) #11
  br label %if.end50

if.end50:
  %tobool51.not = icmp eq i32 %retval.0.i, 0
  br i1 %tobool51.not, label %if.end54, label %if.then52

if.then52:
  store ptr null, ptr %arrayidx.i, align 8
  br label %if.end54

if.end54:
  %conv55 = zext i32 %retval.0.i to i64
  br label %cleanup56

cleanup56.loopexit:
  %conv20.le = zext i32 %call17 to i64
  %or21.le = or disjoint i64 %conv20.le, 8589934592
  br label %cleanup56

cleanup56:
  %retval.4 = phi i64 [ %conv55, %if.end54 ], [ %or, %cleanup23.thread ], [ %or21.le, %cleanup56.loopexit ]
  call void @llvm.lifetime.end.p0(ptr nonnull %had) #12
  br label %return

return:
  %retval.5 = phi i64 [ %retval.4, %cleanup56 ], [ 0, %lor.lhs.false3 ], [ 0, %lor.lhs.false ], [ 0, %entry ]
  ret i64 %retval.5
}

define range(i32 0, 2) i32 @ave_kept(ptr noundef readonly captures(none) %table, ptr noundef readonly captures(none) %slots, ptr noundef readonly captures(none) %grid) local_unnamed_addr #5 {
entry:
  %call = tail call fastcc i1 @kept(ptr noundef %table, ptr noundef %slots, ptr noundef %grid) #13
  %conv = zext i1 %call to i32
  ret i32 %conv
}

define internal fastcc noundef i1 @kept(ptr noundef readonly captures(none) %table, ptr noundef readonly captures(none) %slots, ptr noundef readonly captures(none) %grid) unnamed_addr #5 {
entry:
  %values = alloca [256 x i64], align 16
  call void @llvm.lifetime.start.p0(ptr nonnull %values) #12
  %0 = load i64, ptr %table, align 8
  %arrayidx1 = getelementptr inbounds nuw i8, ptr %table, i64 8
  %1 = load i64, ptr %arrayidx1, align 8
  %add.ptr = getelementptr inbounds nuw i8, ptr %table, i64 16
  %cmp.not131 = icmp sgt i64 %0, 0
  br i1 %cmp.not131, label %for.body, label %for.cond20.preheader

for.cond20.preheader:
  %row.0.lcssa = phi ptr [ %add.ptr, %entry ], [ %incdec.ptr, %if.end ]
  %cmp21.not.not134 = icmp sgt i64 %1, 0
  br i1 %cmp21.not.not134, label %for.body24, label %cleanup36

for.body:
  %row.0133 = phi ptr [ %incdec.ptr, %if.end ], [ %add.ptr, %entry ]
  %i.0132 = phi i64 [ %inc, %if.end ], [ 0, %entry ]
  %2 = load i64, ptr %row.0133, align 8
  %a8 = getelementptr inbounds nuw i8, ptr %row.0133, i64 8
  %3 = load i64, ptr %a8, align 8
  switch i64 %2, label %sw.default [
    i64 0, label %if.end
    i64 1, label %sw.bb2
    i64 2, label %sw.bb5
  ]

sw.bb2:
  %arrayidx4 = getelementptr inbounds i64, ptr %slots, i64 %3
  %4 = load i64, ptr %arrayidx4, align 8
  br label %if.end

sw.bb5:
  %arrayidx7 = getelementptr inbounds i32, ptr %grid, i64 %3
  %5 = load i32, ptr %arrayidx7, align 4
  %conv = zext i32 %5 to i64
  br label %if.end

sw.default:
  %arrayidx9 = getelementptr inbounds i64, ptr %values, i64 %3
  %6 = load i64, ptr %arrayidx9, align 8
  %b = getelementptr inbounds nuw i8, ptr %row.0133, i64 16
  %7 = load i64, ptr %b, align 8
  %arrayidx10 = getelementptr inbounds i64, ptr %values, i64 %7
  %8 = load i64, ptr %arrayidx10, align 8
  %conv1.i = and i64 %8, 4294967295
  %cond.i66 = tail call noundef i64 @llvm.umin.i64(i64 %conv1.i, i64 63)
  switch i64 %2, label %cleanup36 [
    i64 3, label %sw.bb.i
    i64 4, label %sw.bb2.i
    i64 5, label %sw.bb3.i
    i64 6, label %sw.bb4.i
    i64 7, label %sw.bb6.i
    i64 8, label %sw.bb8.i
    i64 9, label %sw.bb10.i
    i64 10, label %sw.bb12.i
    i64 11, label %sw.bb13.i
    i64 12, label %sw.bb14.i
    i64 13, label %sw.bb15.i
    i64 14, label %sw.bb16.i
    i64 15, label %sw.bb17.i
    i64 16, label %sw.bb19.i
    i64 17, label %sw.bb26.i
    i64 18, label %sw.bb30.i
    i64 19, label %sw.bb34.i
    i64 20, label %sw.bb38.i
    i64 21, label %sw.bb42.i
    i64 22, label %sw.bb46.i
    i64 23, label %sw.bb50.i
    i64 24, label %if.end
    i64 25, label %sw.bb56.i
    i64 26, label %sw.bb57.i
    i64 27, label %sw.bb59.i
  ]

sw.bb.i:
  %add.i = add i64 %8, %6
  br label %if.end

sw.bb2.i:
  %sub.i = sub i64 %6, %8
  br label %if.end

sw.bb3.i:
  %mul.i = mul i64 %8, %6
  br label %if.end

sw.bb4.i:
  switch i64 %8, label %cond.false3.i [
    i64 0, label %if.end
    i64 -1, label %cond.true2.i
  ]

cond.true2.i:
  %sub.i67 = sub i64 0, %6
  br label %if.end

cond.false3.i:
  %div.i = sdiv i64 %6, %8
  br label %if.end

sw.bb6.i:
  switch i64 %8, label %cond.false3.i86 [
    i64 0, label %if.end
    i64 -1, label %cond.true2.i73
  ]

cond.true2.i73:
  %sub.i74 = sub i64 0, %6
  br label %cond.end4.i75

cond.false3.i86:
  %div.i87 = sdiv i64 %6, %8
  br label %cond.end4.i75

cond.end4.i75:
  %cond5.i76 = phi i64 [ %sub.i74, %cond.true2.i73 ], [ %div.i87, %cond.false3.i86 ]
  %mul.i77 = mul i64 %cond5.i76, %8
  %sub6.i78 = sub i64 %6, %mul.i77
  br label %if.end

sw.bb8.i:
  switch i64 %8, label %cond.false3.i102 [
    i64 0, label %if.end
    i64 -1, label %cond.true2.i89
  ]

cond.true2.i89:
  %sub.i90 = sub i64 0, %6
  br label %cond.end4.i91

cond.false3.i102:
  %div.i103 = sdiv i64 %6, %8
  br label %cond.end4.i91

cond.end4.i91:
  %cond5.i92 = phi i64 [ %sub.i90, %cond.true2.i89 ], [ %div.i103, %cond.false3.i102 ]
  %mul.i93 = mul i64 %cond5.i92, %8
  %sub6.i94 = sub i64 %6, %mul.i93
  %tobool8.i95 = icmp ne i64 %6, %mul.i93
  %xor.i96 = xor i64 %sub6.i94, %8
  %cmp10.i97 = icmp slt i64 %xor.i96, 0
  %or.cond33.i = and i1 %tobool8.i95, %cmp10.i97
  %sub12.i = sext i1 %or.cond33.i to i64
  %q.0.i = add i64 %cond5.i92, %sub12.i
  br label %if.end

sw.bb10.i:
  switch i64 %8, label %cond.false3.i122 [
    i64 0, label %if.end
    i64 -1, label %cond.true2.i105
  ]

cond.true2.i105:
  %sub.i106 = sub i64 0, %6
  br label %cond.end4.i107

cond.false3.i122:
  %div.i123 = sdiv i64 %6, %8
  br label %cond.end4.i107

cond.end4.i107:
  %cond5.i108 = phi i64 [ %sub.i106, %cond.true2.i105 ], [ %div.i123, %cond.false3.i122 ]
  %mul.i109 = mul i64 %cond5.i108, %8
  %sub6.i110 = sub i64 %6, %mul.i109
  %tobool8.i111 = icmp ne i64 %6, %mul.i109
  %xor.i112 = xor i64 %sub6.i110, %8
  %cmp10.i113 = icmp slt i64 %xor.i112, 0
  %or.cond33.i114 = and i1 %tobool8.i111, %cmp10.i113
  %add.i117 = select i1 %or.cond33.i114, i64 %8, i64 0
  %r.0.i118 = add i64 %add.i117, %sub6.i110
  br label %if.end

sw.bb12.i:
  %and.i = and i64 %8, %6
  br label %if.end

sw.bb13.i:
  %or.i = or i64 %8, %6
  br label %if.end

sw.bb14.i:
  %xor.i = xor i64 %8, %6
  br label %if.end

sw.bb15.i:
  %shl.i = shl i64 %6, %cond.i66
  br label %if.end

sw.bb16.i:
  %shr.i = ashr i64 %6, %cond.i66
  br label %if.end

sw.bb17.i:
  %cond.i = tail call i64 @llvm.smin.i64(i64 %6, i64 %8)
  br label %if.end

sw.bb19.i:
  %cond25.i = tail call i64 @llvm.smax.i64(i64 %6, i64 %8)
  br label %if.end

sw.bb26.i:
  %cmp27.i = icmp eq i64 %6, %8
  %conv29.i = zext i1 %cmp27.i to i64
  br label %if.end

sw.bb30.i:
  %cmp31.i = icmp ne i64 %6, %8
  %conv33.i = zext i1 %cmp31.i to i64
  br label %if.end

sw.bb34.i:
  %cmp35.i = icmp slt i64 %6, %8
  %conv37.i = zext i1 %cmp35.i to i64
  br label %if.end

sw.bb38.i:
  %cmp39.i = icmp sle i64 %6, %8
  %conv41.i = zext i1 %cmp39.i to i64
  br label %if.end

sw.bb42.i:
  %cmp43.i = icmp sgt i64 %6, %8
  %conv45.i = zext i1 %cmp43.i to i64
  br label %if.end

sw.bb46.i:
  %cmp47.i = icmp sge i64 %6, %8
  %conv49.i = zext i1 %cmp47.i to i64
  br label %if.end

sw.bb50.i:
  %c = getelementptr inbounds nuw i8, ptr %row.0133, i64 24
  %9 = load i64, ptr %c, align 8
  %arrayidx11 = getelementptr inbounds i64, ptr %values, i64 %9
  %10 = load i64, ptr %arrayidx11, align 8
  %tobool.not.i = icmp eq i64 %6, 0
  %cond54.i = select i1 %tobool.not.i, i64 %10, i64 %8
  br label %if.end

sw.bb56.i:
  %not.i = xor i64 %6, -1
  br label %if.end

sw.bb57.i:
  %sub58.i = sub i64 0, %6
  br label %if.end

sw.bb59.i:
  %xor60.i = xor i64 %6, 1
  br label %if.end

if.end:
  %value.0.ph = phi i64 [ %6, %sw.bb10.i ], [ %r.0.i118, %cond.end4.i107 ], [ %q.0.i, %cond.end4.i91 ], [ %sub6.i78, %cond.end4.i75 ], [ %conv, %sw.bb5 ], [ %sub58.i, %sw.bb57.i ], [ %not.i, %sw.bb56.i ], [ %xor60.i, %sw.bb59.i ], [ %cond54.i, %sw.bb50.i ], [ %conv49.i, %sw.bb46.i ], [ %conv45.i, %sw.bb42.i ], [ %conv41.i, %sw.bb38.i ], [ %conv37.i, %sw.bb34.i ], [ %conv33.i, %sw.bb30.i ], [ %conv29.i, %sw.bb26.i ], [ %cond25.i, %sw.bb19.i ], [ %cond.i, %sw.bb17.i ], [ %shr.i, %sw.bb16.i ], [ %shl.i, %sw.bb15.i ], [ %xor.i, %sw.bb14.i ], [ %or.i, %sw.bb13.i ], [ %and.i, %sw.bb12.i ], [ -1, %sw.bb8.i ], [ %6, %sw.bb6.i ], [ -1, %sw.bb4.i ], [ %6, %sw.default ], [ %mul.i, %sw.bb3.i ], [ %sub.i, %sw.bb2.i ], [ %add.i, %sw.bb.i ], [ %4, %sw.bb2 ], [ %div.i, %cond.false3.i ], [ %sub.i67, %cond.true2.i ], [ %3, %for.body ]
  %shift = getelementptr inbounds nuw i8, ptr %row.0133, i64 32
  %11 = load i64, ptr %shift, align 8
  %shl = shl i64 %value.0.ph, %11
  %is_signed = getelementptr inbounds nuw i8, ptr %row.0133, i64 40
  %12 = load i64, ptr %is_signed, align 8
  %tobool.not = icmp eq i64 %12, 0
  %shr = ashr exact i64 %shl, %11
  %shr14 = lshr exact i64 %shl, %11
  %cond = select i1 %tobool.not, i64 %shr14, i64 %shr
  %arrayidx15 = getelementptr inbounds nuw i64, ptr %values, i64 %i.0132
  store i64 %cond, ptr %arrayidx15, align 8
  %inc = add nuw nsw i64 %i.0132, 1
  %incdec.ptr = getelementptr inbounds nuw i8, ptr %row.0133, i64 48
  %exitcond.not = icmp eq i64 %inc, %0
  br i1 %exitcond.not, label %for.cond20.preheader, label %for.body

for.body24:
  %i19.0135 = phi i64 [ %inc31, %for.body24 ], [ 0, %for.cond20.preheader ]
  %arrayidx25 = getelementptr inbounds nuw i64, ptr %row.0.lcssa, i64 %i19.0135
  %13 = load i64, ptr %arrayidx25, align 8
  %arrayidx26 = getelementptr inbounds i64, ptr %values, i64 %13
  %14 = load i64, ptr %arrayidx26, align 8
  %tobool27.not.not = icmp ne i64 %14, 0
  %inc31 = add nuw nsw i64 %i19.0135, 1
  %exitcond139.not = icmp ne i64 %inc31, %1
  %or.cond.not = select i1 %tobool27.not.not, i1 %exitcond139.not, i1 false
  br i1 %or.cond.not, label %for.body24, label %cleanup36

cleanup36:
  %retval.5 = phi i1 [ %tobool27.not.not, %for.body24 ], [ true, %for.cond20.preheader ], [ false, %sw.default ]
  call void @llvm.lifetime.end.p0(ptr nonnull %values) #12
  ret i1 %retval.5
}

define ptr @ave_launch(ptr noundef %self, ptr noundef %args, i64 noundef %count, ptr noundef %names) local_unnamed_addr #0 {
entry:
  %call = tail call ptr @PyTuple_GetItem(ptr noundef %self, i64 noundef 0) #11
  %call1 = tail call ptr @PyLong_AsVoidPtr(ptr noundef %call) #11
  %0 = load ptr, ptr %args, align 8
  %add.ptr = getelementptr inbounds nuw i8, ptr %args, i64 8
  %sub = add i64 %count, -1
  %call2 = tail call fastcc ptr @launch(ptr noundef %call1, ptr noundef %0, ptr noundef nonnull %add.ptr, i64 noundef %sub, ptr noundef %names) #13
  ret ptr %call2
}

define internal fastcc ptr @launch(ptr noundef captures(none) %state, ptr noundef %provider, ptr noundef %args, i64 noundef %positional, ptr noundef %names) unnamed_addr #0 {
entry:
  %t.i.i.i.i = alloca %struct.DLTensor, align 8
  %key.i.i.i.i.i.i = alloca [12 x i64], align 64
  %room = alloca %struct.Room, align 64
  %g = alloca %struct.Geometry, align 8
  %call = alloca %struct.Call, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %room) #12
  call void @llvm.lifetime.start.p0(ptr nonnull %g) #12
  %0 = load ptr, ptr %state, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %call) #12
  store ptr %args, ptr %call, align 8
  %positional2 = getelementptr inbounds nuw i8, ptr %call, i64 8
  store i64 %positional, ptr %positional2, align 8
  %keyword = getelementptr inbounds nuw i8, ptr %call, i64 16
  %tobool.not = icmp eq ptr %names, null
  br i1 %tobool.not, label %cond.end, label %cond.true

cond.true:
  %size = getelementptr inbounds nuw i8, ptr %names, i64 16
  %1 = load i64, ptr %size, align 8
  br label %cond.end

cond.end:
  %cond = phi i64 [ %1, %cond.true ], [ 0, %entry ]
  store i64 %cond, ptr %keyword, align 8
  %names3 = getelementptr inbounds nuw i8, ptr %call, i64 24
  store ptr %names, ptr %names3, align 8
  %call.i = tail call i32 @PyCallable_Check(ptr noundef %provider) #11
  %tobool.not.i = icmp eq i32 %call.i, 0
  br i1 %tobool.not.i, label %asked.exit, label %if.then.i

if.then.i:
  %call1.i = tail call ptr @PyObject_CallNoArgs(ptr noundef %provider) #11
  %tobool2.not.i = icmp eq ptr %call1.i, null
  br i1 %tobool2.not.i, label %if.end.i, label %if.end

if.end.i:
  %2 = load ptr, ptr @PyExc_TypeError, align 8
  %call4.i = tail call i32 @PyErr_ExceptionMatches(ptr noundef %2) #11
  %tobool5.not.i = icmp eq i32 %call4.i, 0
  br i1 %tobool5.not.i, label %cleanup40, label %cleanup.i

cleanup.i:
  tail call void @PyErr_Clear() #11
  br label %asked.exit

asked.exit:
  tail call void @Py_IncRef(ptr noundef %provider) #11
  %tobool5.not = icmp eq ptr %provider, null
  br i1 %tobool5.not, label %cleanup40, label %if.end

if.end:
  %retval.1.i164 = phi ptr [ %provider, %asked.exit ], [ %call1.i, %if.then.i ]
  %type.i = getelementptr inbounds nuw i8, ptr %retval.1.i164, i64 8
  %3 = load ptr, ptr %type.i, align 8
  %tuple_.i = getelementptr inbounds nuw i8, ptr %0, i64 32
  %4 = load ptr, ptr %tuple_.i, align 8
  %cmp.not.i = icmp eq ptr %3, %4
  br i1 %cmp.not.i, label %lor.lhs.false.i, label %if.end36

lor.lhs.false.i:
  %size.i = getelementptr inbounds nuw i8, ptr %retval.1.i164, i64 16
  %5 = load i64, ptr %size.i, align 8
  %cmp1.not.i = icmp eq i64 %5, 2
  br i1 %cmp1.not.i, label %if.end.i73, label %if.end36

if.end.i73:
  %items.i109 = getelementptr inbounds nuw i8, ptr %0, i64 248
  %6 = load i64, ptr %items.i109, align 8
  %add.ptr.i110 = getelementptr inbounds i8, ptr %retval.1.i164, i64 %6
  %7 = load ptr, ptr %add.ptr.i110, align 8
  %call2.i = call fastcc i1 @extents(ptr noundef %7, ptr noundef nonnull %0, ptr noundef nonnull %g) #13
  br i1 %call2.i, label %lor.lhs.false3.i, label %if.end36

lor.lhs.false3.i:
  %8 = load i64, ptr %items.i109, align 8
  %add.ptr.i = getelementptr inbounds i8, ptr %retval.1.i164, i64 %8
  %arrayidx.i108 = getelementptr inbounds nuw i8, ptr %add.ptr.i, i64 8
  %9 = load ptr, ptr %arrayidx.i108, align 8
  %block.i = getelementptr inbounds nuw i8, ptr %g, i64 24
  %call6.i = call fastcc i1 @extents(ptr noundef %9, ptr noundef nonnull %0, ptr noundef %block.i) #13
  br i1 %call6.i, label %if.end8.i76, label %if.end36

if.end8.i76:
  %arrayidx.i = getelementptr inbounds nuw i8, ptr %g, i64 8
  %10 = load i64, ptr %arrayidx.i, align 8
  %arrayidx11.i = getelementptr inbounds nuw i8, ptr %g, i64 16
  %11 = load i64, ptr %arrayidx11.i, align 8
  %or.i = or i64 %11, %10
  %cmp12.i = icmp ugt i64 %or.i, 65535
  br i1 %cmp12.i, label %if.end36, label %cond.true8

cond.true8:
  %12 = load i64, ptr %g, align 8
  %conv.i = trunc i64 %12 to i32
  %blocks.i = getelementptr inbounds nuw i8, ptr %g, i64 48
  store i32 %conv.i, ptr %blocks.i, align 8
  %conv20.i = trunc nuw nsw i64 %10 to i32
  %arrayidx22.i = getelementptr inbounds nuw i8, ptr %g, i64 52
  store i32 %conv20.i, ptr %arrayidx22.i, align 4
  %conv25.i = trunc nuw nsw i64 %11 to i32
  %arrayidx27.i = getelementptr inbounds nuw i8, ptr %g, i64 56
  store i32 %conv25.i, ptr %arrayidx27.i, align 8
  %count.i = getelementptr inbounds nuw i8, ptr %state, i64 16
  %13 = load i64, ptr %count.i, align 8
  %cmp.i178 = icmp sgt i64 %13, 0
  br i1 %cmp.i178, label %for.body.i.lr.ph, label %if.end36

for.body.i.lr.ph:
  %entries.i = getelementptr inbounds nuw i8, ptr %state, i64 24
  %14 = load i64, ptr %block.i, align 8
  %arrayidx8.i = getelementptr inbounds nuw i8, ptr %g, i64 32
  %15 = load i64, ptr %arrayidx8.i, align 8
  %arrayidx11.i116 = getelementptr inbounds nuw i8, ptr %g, i64 40
  %16 = load i64, ptr %arrayidx11.i116, align 8
  %tagged1.i.i = getelementptr inbounds nuw i8, ptr %0, i64 240
  %ndarray.i.i.i = getelementptr inbounds nuw i8, ptr %0, i64 64
  %fields.i.i.i = getelementptr inbounds nuw i8, ptr %0, i64 256
  %keys2.i.i.i.i = getelementptr inbounds nuw i8, ptr %0, i64 272
  %meta6.i.i.i.i = getelementptr inbounds nuw i8, ptr %0, i64 280
  %storage12.i.i.i.i = getelementptr inbounds nuw i8, ptr %0, i64 264
  %numel.i.i.i.i = getelementptr inbounds nuw i8, ptr %0, i64 288
  %rank.i.i.i.i = getelementptr inbounds nuw i8, ptr %0, i64 304
  %deleter.i.i.i.i = getelementptr inbounds nuw i8, ptr %0, i64 328
  %requires.i.i.i.i = getelementptr inbounds nuw i8, ptr %0, i64 360
  %enabled.i.i.i.i = getelementptr inbounds nuw i8, ptr %0, i64 368
  %sizes.i.i.i.i.i = getelementptr inbounds nuw i8, ptr %0, i64 312
  %offset.i.i.i.i.i = getelementptr inbounds nuw i8, ptr %0, i64 296
  %bytes.i.i.i.i.i = getelementptr inbounds nuw i8, ptr %0, i64 376
  %data.i64.i.i.i = getelementptr inbounds nuw i8, ptr %0, i64 320
  %lazy.i.i.i = getelementptr inbounds nuw i8, ptr %0, i64 336
  %count.i.i.i.i = getelementptr inbounds nuw i8, ptr %0, i64 96
  %exchanges.i.i.i.i = getelementptr inbounds nuw i8, ptr %0, i64 104
  %device.i.i.i.i = getelementptr inbounds nuw i8, ptr %t.i.i.i.i, i64 8
  %dtype.i.i.i.i = getelementptr inbounds nuw i8, ptr %t.i.i.i.i, i64 20
  %offset.i.i.i.i = getelementptr inbounds nuw i8, ptr %t.i.i.i.i, i64 40
  %rank8.i.i.i.i = getelementptr inbounds nuw i8, ptr %t.i.i.i.i, i64 16
  %strides.i108.i.i.i = getelementptr inbounds nuw i8, ptr %t.i.i.i.i, i64 32
  %shape.i109.i.i.i = getelementptr inbounds nuw i8, ptr %t.i.i.i.i, i64 24
  %17 = getelementptr inbounds nuw i8, ptr %key.i.i.i.i.i.i, i64 88
  %add.ptr1.i.i.i.i.i.i.i.i = getelementptr inbounds nuw i8, ptr %key.i.i.i.i.i.i, i64 64
  %true_.i.i = getelementptr inbounds nuw i8, ptr %0, i64 48
  %false_.i.i = getelementptr inbounds nuw i8, ptr %0, i64 56
  %float_.i63.i.i = getelementptr inbounds nuw i8, ptr %0, i64 16
  %int_.i48.i.i = getelementptr inbounds nuw i8, ptr %0, i64 8
  %digit.i.i54.i.i = getelementptr inbounds nuw i8, ptr %0, i64 232
  %smax = tail call i64 @llvm.smax.i64(i64 %cond, i64 1)
  %cmp20.not107.i = icmp sgt i64 %cond, 0
  %add.i = add i64 %cond, %positional
  %cmp38.not.not109.i = icmp sgt i64 %add.i, 0
  br label %for.body.i

for.body.i:
  %i.0.i179 = phi i64 [ 0, %for.body.i.lr.ph ], [ %inc.i, %for.inc.i ]
  %arrayidx.i78 = getelementptr inbounds nuw ptr, ptr %entries.i, i64 %i.0.i179
  %18 = load ptr, ptr %arrayidx.i78, align 8
  %positional.i = getelementptr inbounds nuw i8, ptr %18, i64 24
  %19 = load i64, ptr %positional.i, align 8
  %cmp.not.i113 = icmp eq i64 %19, %positional
  br i1 %cmp.not.i113, label %lor.lhs.false.i114, label %for.inc.i

lor.lhs.false.i114:
  %keyword.i = getelementptr inbounds nuw i8, ptr %18, i64 32
  %20 = load i64, ptr %keyword.i, align 8
  %cmp4.not.i = icmp eq i64 %20, %cond
  br i1 %cmp4.not.i, label %if.end.i115, label %for.inc.i

if.end.i115:
  %block5.i = getelementptr inbounds nuw i8, ptr %18, i64 48
  %21 = load i64, ptr %block5.i, align 8
  %arrayidx7.i = getelementptr inbounds nuw i8, ptr %18, i64 56
  %22 = load i64, ptr %arrayidx7.i, align 8
  %arrayidx10.i = getelementptr inbounds nuw i8, ptr %18, i64 64
  %23 = load i64, ptr %arrayidx10.i, align 8
  %24 = icmp eq i64 %21, %14
  %25 = icmp eq i64 %22, %15
  %26 = and i1 %24, %25
  %27 = icmp eq i64 %23, %16
  %tobool.not.i117 = and i1 %26, %27
  br i1 %tobool.not.i117, label %if.end15.i, label %for.inc.i

if.end15.i:
  %watches.i = getelementptr inbounds nuw i8, ptr %18, i64 16
  %28 = load ptr, ptr %watches.i, align 8
  %watched.i = getelementptr inbounds nuw i8, ptr %18, i64 8
  %29 = load i64, ptr %watched.i, align 8
  %30 = load i64, ptr %tagged1.i.i, align 8
  %cmp.i.i = icmp ne i64 %30, 0
  %add.ptr.idx.i.i = shl nsw i64 %29, 5
  %add.ptr.i86.i = getelementptr inbounds i8, ptr %28, i64 %add.ptr.idx.i.i
  %cmp2.not49.i.i = icmp slt i64 %29, 1
  br i1 %cmp2.not49.i.i, label %unchanged.exit.i, label %for.body.i.i

for.body.i.i:
  %w.050.i.i = phi ptr [ %incdec.ptr.i.i, %for.inc.i.i ], [ %28, %if.end15.i ]
  %name.i.i = getelementptr inbounds nuw i8, ptr %w.050.i.i, i64 8
  %31 = load ptr, ptr %name.i.i, align 8
  %cmp3.i.i = icmp ugt ptr %31, inttoptr (i64 1 to ptr)
  br i1 %cmp3.i.i, label %if.then.i.i, label %if.end13.i.i

if.then.i.i:
  %32 = load ptr, ptr %w.050.i.i, align 8
  %33 = getelementptr inbounds nuw i8, ptr %32, i64 24
  %34 = load i64, ptr %33, align 8
  %tag.i.i = getelementptr inbounds nuw i8, ptr %w.050.i.i, i64 24
  %35 = load i64, ptr %tag.i.i, align 8
  %cmp5.i.i = icmp eq i64 %34, %35
  %or.cond.i.i = select i1 %cmp5.i.i, i1 %cmp.i.i, i1 false
  br i1 %or.cond.i.i, label %for.inc.i.i, label %if.end.i.i

if.end.i.i:
  %call.i.i = call ptr @PyDict_GetItemWithError(ptr noundef nonnull %32, ptr noundef nonnull %31) #11
  %value.i.i = getelementptr inbounds nuw i8, ptr %w.050.i.i, i64 16
  %36 = load ptr, ptr %value.i.i, align 8
  %cmp8.not.i.i = icmp eq ptr %call.i.i, %36
  br i1 %cmp8.not.i.i, label %if.end10.i.i, label %for.inc.i

if.end10.i.i:
  store i64 %34, ptr %tag.i.i, align 8
  br label %for.inc.i.i

if.end13.i.i:
  %tobool.not.i.i = icmp eq ptr %31, null
  %37 = load ptr, ptr %w.050.i.i, align 8
  br i1 %tobool.not.i.i, label %if.else.i.i, label %if.then15.i.i

if.then15.i.i:
  %38 = load ptr, ptr %37, align 8
  br label %if.end22.i.i

if.else.i.i:
  %call18.i.i = call ptr @PyCell_Get(ptr noundef %37) #11
  %tobool19.not.i.i = icmp eq ptr %call18.i.i, null
  br i1 %tobool19.not.i.i, label %if.end22.i.i, label %if.then20.i.i

if.then20.i.i:
  call void @Py_DecRef(ptr noundef nonnull %call18.i.i) #11
  br label %if.end22.i.i

if.end22.i.i:
  %have.0.i.i = phi ptr [ %38, %if.then15.i.i ], [ %call18.i.i, %if.then20.i.i ], [ null, %if.else.i.i ]
  %value23.i.i = getelementptr inbounds nuw i8, ptr %w.050.i.i, i64 16
  %39 = load ptr, ptr %value23.i.i, align 8
  %cmp24.not.i.i = icmp eq ptr %have.0.i.i, %39
  br i1 %cmp24.not.i.i, label %for.inc.i.i, label %for.inc.i

for.inc.i.i:
  %incdec.ptr.i.i = getelementptr inbounds nuw i8, ptr %w.050.i.i, i64 32
  %cmp2.not.not.i.i = icmp ult ptr %incdec.ptr.i.i, %add.ptr.i86.i
  br i1 %cmp2.not.not.i.i, label %for.body.i.i, label %unchanged.exit.i

unchanged.exit.i:
  br i1 %cmp20.not107.i, label %for.body.lr.ph.i, label %for.end.i

for.body.lr.ph.i:
  %names22.i = getelementptr inbounds nuw i8, ptr %18, i64 40
  br label %for.body.i118

for.cond.i119:
  %inc.i120 = add nuw nsw i64 %i.0108.i, 1
  %exitcond.not = icmp eq i64 %inc.i120, %smax
  br i1 %exitcond.not, label %for.end.i, label %for.body.i118

for.body.i118:
  %i.0108.i = phi i64 [ 0, %for.body.lr.ph.i ], [ %inc.i120, %for.cond.i119 ]
  %40 = load i64, ptr %items.i109, align 8
  %add.ptr.i.i = getelementptr inbounds i8, ptr %names, i64 %40
  %arrayidx.i.i = getelementptr inbounds nuw ptr, ptr %add.ptr.i.i, i64 %i.0108.i
  %41 = load ptr, ptr %arrayidx.i.i, align 8
  %42 = load ptr, ptr %names22.i, align 8
  %arrayidx23.i = getelementptr inbounds nuw ptr, ptr %42, i64 %i.0108.i
  %43 = load ptr, ptr %arrayidx23.i, align 8
  %call24.i = call fastcc i1 @same(ptr noundef %41, ptr noundef %43, ptr noundef readonly %0) #13
  br i1 %call24.i, label %for.cond.i119, label %for.inc.i

for.end.i:
  %template.i = getelementptr inbounds nuw i8, ptr %18, i64 88
  %44 = load ptr, ptr %template.i, align 8
  %tobool27.not.i = icmp eq ptr %44, null
  br i1 %tobool27.not.i, label %if.end31.i, label %if.then28.i

if.then28.i:
  %slots30.i = getelementptr inbounds nuw i8, ptr %18, i64 80
  %45 = load i64, ptr %slots30.i, align 8
  %mul.i = shl i64 %45, 3
  call void @llvm.memcpy.p0.p0.i64(ptr nonnull align 64 %room, ptr nonnull align 8 %44, i64 %mul.i, i1 false)
  br label %if.end31.i

if.end31.i:
  %params34.i = getelementptr inbounds nuw i8, ptr %18, i64 72
  %46 = load ptr, ptr %params34.i, align 8
  br i1 %cmp38.not.not109.i, label %for.body40.i, label %if.end.i84

for.body40.i:
  %i36.0110.i = phi i64 [ %inc47.i, %for.inc46.i ], [ 0, %if.end31.i ]
  %arrayidx41.i = getelementptr inbounds nuw ptr, ptr %args, i64 %i36.0110.i
  %47 = load ptr, ptr %arrayidx41.i, align 8
  %arrayidx42.i = getelementptr inbounds nuw %struct.ParamCheck, ptr %46, i64 %i36.0110.i
  %slot.i.i = getelementptr inbounds nuw i8, ptr %arrayidx42.i, i64 8
  %48 = load i64, ptr %slot.i.i, align 8
  %arrayidx.i87.i = getelementptr inbounds i64, ptr %room, i64 %48
  %49 = load i64, ptr %arrayidx42.i, align 8
  switch i64 %49, label %for.inc.i [
    i64 0, label %argument.exit.i
    i64 1, label %sw.bb1.i.i
    i64 2, label %sw.bb4.i.i
    i64 3, label %sw.bb7.i.i
    i64 4, label %sw.bb9.i.i
    i64 5, label %sw.bb11.i.i
    i64 6, label %sw.bb18.i.i
    i64 7, label %sw.bb18.i.i
    i64 8, label %sw.bb18.i.i
  ]

sw.bb1.i.i:
  %low2.i.i = getelementptr inbounds nuw i8, ptr %arrayidx42.i, i64 16
  %50 = load i64, ptr %low2.i.i, align 8
  %high.i.i = getelementptr inbounds nuw i8, ptr %arrayidx42.i, i64 24
  %51 = load i64, ptr %high.i.i, align 8
  %type.i.i.i = getelementptr inbounds nuw i8, ptr %47, i64 8
  %52 = load ptr, ptr %type.i.i.i, align 8
  %53 = load ptr, ptr %int_.i48.i.i, align 8
  %cmp.not.i.i.i = icmp eq ptr %52, %53
  br i1 %cmp.not.i.i.i, label %if.end.i.i.i, label %for.inc.i

if.end.i.i.i:
  %54 = getelementptr inbounds nuw i8, ptr %47, i64 24
  %55 = load i32, ptr %54, align 8
  %conv.i.i.i.i = zext i32 %55 to i64
  store i64 %conv.i.i.i.i, ptr %arrayidx.i87.i, align 8
  %size.i.i.i.i = getelementptr inbounds nuw i8, ptr %47, i64 16
  %56 = load i64, ptr %size.i.i.i.i, align 8
  %57 = load i64, ptr %digit.i.i54.i.i, align 8
  %cmp.i.i.i.i = icmp eq i64 %56, %57
  br i1 %cmp.i.i.i.i, label %if.then1.i.i.i, label %if.end4.i.i.i

if.then1.i.i.i:
  %cmp2.not.i.i.i = icmp sle i64 %50, %conv.i.i.i.i
  %cmp3.i.i.i = icmp sge i64 %51, %conv.i.i.i.i
  %spec.select.i.i.i = and i1 %cmp2.not.i.i.i, %cmp3.i.i.i
  br i1 %spec.select.i.i.i, label %for.inc46.i, label %for.inc.i

if.end4.i.i.i:
  %call5.i.i.i = call i64 @PyLong_AsLongLong(ptr noundef nonnull %47) #11
  %cmp6.i.i.i = icmp eq i64 %call5.i.i.i, -1
  br i1 %cmp6.i.i.i, label %land.lhs.true.i.i.i, label %if.end9.i.i.i

land.lhs.true.i.i.i:
  %call7.i.i.i = call ptr @PyErr_Occurred() #11
  %tobool.not.i.i.i = icmp eq ptr %call7.i.i.i, null
  br i1 %tobool.not.i.i.i, label %if.end9.i.i.i, label %if.then8.i.i.i

if.then8.i.i.i:
  call void @PyErr_Clear() #11
  br label %for.inc.i

if.end9.i.i.i:
  %cmp10.i.i.i = icmp slt i64 %call5.i.i.i, %50
  %cmp11.i.i.i = icmp sgt i64 %call5.i.i.i, %51
  %or.cond.i.i.i = or i1 %cmp10.i.i.i, %cmp11.i.i.i
  br i1 %or.cond.i.i.i, label %for.inc.i, label %if.end13.i.i.i

if.end13.i.i.i:
  store i64 %call5.i.i.i, ptr %arrayidx.i87.i, align 8
  br label %for.inc46.i

sw.bb4.i.i:
  %high5.i.i = getelementptr inbounds nuw i8, ptr %arrayidx42.i, i64 24
  %58 = load i64, ptr %high5.i.i, align 8
  %type.i47.i.i = getelementptr inbounds nuw i8, ptr %47, i64 8
  %59 = load ptr, ptr %type.i47.i.i, align 8
  %60 = load ptr, ptr %int_.i48.i.i, align 8
  %cmp.not.i49.i.i = icmp eq ptr %59, %60
  br i1 %cmp.not.i49.i.i, label %if.end.i51.i.i, label %for.inc.i

if.end.i51.i.i:
  %61 = getelementptr inbounds nuw i8, ptr %47, i64 24
  %62 = load i32, ptr %61, align 8
  %conv.i.i52.i.i = zext i32 %62 to i64
  store i64 %conv.i.i52.i.i, ptr %arrayidx.i87.i, align 8
  %size.i.i53.i.i = getelementptr inbounds nuw i8, ptr %47, i64 16
  %63 = load i64, ptr %size.i.i53.i.i, align 8
  %64 = load i64, ptr %digit.i.i54.i.i, align 8
  %cmp.i.i55.i.i = icmp eq i64 %63, %64
  br i1 %cmp.i.i55.i.i, label %if.then1.i58.i.i, label %if.end3.i.i.i

if.then1.i58.i.i:
  %cmp2.i.i.not.i = icmp ult i64 %58, %conv.i.i52.i.i
  br i1 %cmp2.i.i.not.i, label %for.inc.i, label %for.inc46.i

if.end3.i.i.i:
  %call4.i.i.i = call i64 @PyLong_AsUnsignedLongLong(ptr noundef nonnull %47) #11
  %cmp5.i.i.i = icmp eq i64 %call4.i.i.i, -1
  br i1 %cmp5.i.i.i, label %land.lhs.true.i56.i.i, label %if.end8.i.i.i

land.lhs.true.i56.i.i:
  %call6.i.i.i = call ptr @PyErr_Occurred() #11
  %tobool.not.i57.i.i = icmp eq ptr %call6.i.i.i, null
  br i1 %tobool.not.i57.i.i, label %if.end8.i.i.i, label %if.then7.i.i.i

if.then7.i.i.i:
  call void @PyErr_Clear() #11
  br label %for.inc.i

if.end8.i.i.i:
  %cmp9.i.i.i = icmp ugt i64 %call4.i.i.i, %58
  br i1 %cmp9.i.i.i, label %for.inc.i, label %if.end11.i.i.i

if.end11.i.i.i:
  store i64 %call4.i.i.i, ptr %arrayidx.i87.i, align 8
  br label %for.inc46.i

sw.bb7.i.i:
  %type.i59.i.i = getelementptr inbounds nuw i8, ptr %47, i64 8
  %65 = load ptr, ptr %type.i59.i.i, align 8
  %66 = load ptr, ptr %float_.i63.i.i, align 8
  %cmp.not.i60.i.i = icmp eq ptr %65, %66
  br i1 %cmp.not.i60.i.i, label %if.end.i61.i.i, label %for.inc.i

if.end.i61.i.i:
  %call.i.i.i = call double @PyFloat_AsDouble(ptr noundef nonnull %47) #11
  store double %call.i.i.i, ptr %arrayidx.i87.i, align 8
  br label %for.inc46.i

sw.bb9.i.i:
  %type.i62.i.i = getelementptr inbounds nuw i8, ptr %47, i64 8
  %67 = load ptr, ptr %type.i62.i.i, align 8
  %68 = load ptr, ptr %float_.i63.i.i, align 8
  %cmp.not.i64.i.i = icmp eq ptr %67, %68
  br i1 %cmp.not.i64.i.i, label %if.end.i66.i.i, label %for.inc.i

if.end.i66.i.i:
  %call.i67.i.i = call double @PyFloat_AsDouble(ptr noundef nonnull %47) #11
  %conv.i.i.i = fptrunc double %call.i67.i.i to float
  %69 = call float @llvm.fabs.f32(float %conv.i.i.i)
  %cmp1.i.i.i = fcmp une float %69, 0x7FF0000000000000
  %70 = call double @llvm.fabs.f64(double %call.i67.i.i)
  %cmp3.i68.i.i = fcmp ueq double %70, 0x7FF0000000000000
  %or.cond.i69.i.i = select i1 %cmp1.i.i.i, i1 true, i1 %cmp3.i68.i.i
  br i1 %or.cond.i69.i.i, label %if.end6.i.i.i, label %for.inc.i

if.end6.i.i.i:
  %71 = bitcast float %conv.i.i.i to i32
  %conv7.i.i.i = zext i32 %71 to i64
  store i64 %conv7.i.i.i, ptr %arrayidx.i87.i, align 8
  br label %for.inc46.i

sw.bb11.i.i:
  %72 = load ptr, ptr %true_.i.i, align 8
  %cmp.i88.i = icmp eq ptr %47, %72
  %conv12.i.i = zext i1 %cmp.i88.i to i64
  store i64 %conv12.i.i, ptr %arrayidx.i87.i, align 8
  br i1 %cmp.i88.i, label %for.inc46.i, label %lor.rhs.i.i

lor.rhs.i.i:
  %73 = load ptr, ptr %false_.i.i, align 8
  %cmp16.i.i = icmp eq ptr %47, %73
  br i1 %cmp16.i.i, label %for.inc46.i, label %for.inc.i

sw.bb18.i.i:
  %type.i70.i.i = getelementptr inbounds nuw i8, ptr %47, i64 8
  %74 = load ptr, ptr %type.i70.i.i, align 8
  %75 = load ptr, ptr %ndarray.i.i.i, align 8
  %cmp.i.i.i = icmp eq ptr %74, %75
  br i1 %cmp.i.i.i, label %if.then.i.i.i, label %if.end.i71.i.i

if.then.i.i.i:
  %descriptors.i.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx42.i, i64 88
  %descriptor.i.i.i.i = getelementptr inbounds nuw i8, ptr %47, i64 56
  %76 = load ptr, ptr %descriptor.i.i.i.i, align 8
  br label %while.cond.i.i.i.i

while.cond.i.i.i.i:
  %i.0.i55.i.i.i = phi i64 [ 0, %if.then.i.i.i ], [ %inc.i57.i.i.i, %while.body.i.i.i.i ]
  %arrayidx.i56.i.i.i = getelementptr inbounds nuw ptr, ptr %descriptors.i.i.i.i, i64 %i.0.i55.i.i.i
  %77 = load ptr, ptr %arrayidx.i56.i.i.i, align 8
  %cmp.not.i.i.i.i = icmp eq ptr %77, %76
  br i1 %cmp.not.i.i.i.i, label %while.end.i.i.i.i, label %while.body.i.i.i.i

while.body.i.i.i.i:
  %inc.i57.i.i.i = add nuw nsw i64 %i.0.i55.i.i.i, 1
  %cmp1.i.i.i.i = icmp eq i64 %inc.i57.i.i.i, 4
  br i1 %cmp1.i.i.i.i, label %for.inc.i, label %while.cond.i.i.i.i

while.end.i.i.i.i:
  %low.i.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx42.i, i64 16
  %78 = load i64, ptr %low.i.i.i.i, align 8
  %conv.i.i78.i.i = trunc i64 %78 to i32
  %flags2.i.i.i.i = getelementptr inbounds nuw i8, ptr %47, i64 64
  %79 = load i32, ptr %flags2.i.i.i.i, align 8
  %and.i58.i.i.i = and i32 %79, %conv.i.i78.i.i
  %cmp3.not.i.i.i.i = icmp eq i32 %and.i58.i.i.i, %conv.i.i78.i.i
  br i1 %cmp3.not.i.i.i.i, label %if.end6.i.i.i.i, label %for.inc.i

if.end6.i.i.i.i:
  %rank7.i.i.i.i = getelementptr inbounds nuw i8, ptr %47, i64 24
  %80 = load i32, ptr %rank7.i.i.i.i, align 8
  %conv8.i.i.i.i = zext i32 %80 to i64
  %cmp9.i.i.i.i = icmp eq i64 %49, 8
  %rank1.i.i.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx42.i, i64 32
  %81 = load i64, ptr %rank1.i.i.i.i.i, align 8
  br i1 %cmp9.i.i.i.i, label %if.then11.i.i.i.i, label %if.end12.i.i.i.i

if.then11.i.i.i.i:
  %data.i.i.i.i = getelementptr inbounds nuw i8, ptr %47, i64 16
  %82 = load i64, ptr %data.i.i.i.i, align 8
  %shape.i.i.i.i = getelementptr inbounds nuw i8, ptr %47, i64 32
  %83 = load ptr, ptr %shape.i.i.i.i, align 8
  %strides.i.i.i.i = getelementptr inbounds nuw i8, ptr %47, i64 40
  %84 = load ptr, ptr %strides.i.i.i.i, align 8
  %cmp.not.i.i.i.i.i = icmp eq i64 %81, %conv8.i.i.i.i
  br i1 %cmp.not.i.i.i.i.i, label %if.end.i.i.i.i.i, label %for.inc.i

if.end.i.i.i.i.i:
  %strides2.i.i.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx42.i, i64 72
  %85 = load ptr, ptr %strides2.i.i.i.i.i, align 8
  %86 = ptrtoint ptr %85 to i64
  %add.ptr.i.i.i.i.i = getelementptr inbounds i8, ptr %arrayidx.i87.i, i64 %86
  %shape3.i.i.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx42.i, i64 64
  %87 = load ptr, ptr %shape3.i.i.i.i.i, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %key.i.i.i.i.i.i) #12
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 64 dereferenceable(96) %key.i.i.i.i.i.i, i8 0, i64 96, i1 false)
  store i64 1, ptr %17, align 8
  store i64 %82, ptr %key.i.i.i.i.i.i, align 64
  %cmp35.not.i.i.i.i.i.i = icmp eq i32 %80, 0
  br i1 %cmp35.not.i.i.i.i.i.i, label %for.cond.cleanup.i.i.i.i.i.i, label %for.body.i.i.i.i.i.i

for.cond.cleanup.i.i.i.i.i.i:
  %hash.0.lcssa.i.i.i.i.i.i = phi i64 [ %82, %if.end.i.i.i.i.i ], [ %xor.i.i.i.i.i.i.i, %for.body.i.i.i.i.i.i ]
  %conv.i.i.i.i.i.i.i.i = zext i64 %hash.0.lcssa.i.i.i.i.i.i to i128
  %mul.i.i.i.i.i.i.i.i = mul nuw i128 %conv.i.i.i.i.i.i.i.i, 11400714819323198485
  %shr.i.i.i.i.i.i.i.i = lshr i128 %mul.i.i.i.i.i.i.i.i, 64
  %xor4.i.i.i.i.i.i.i.i = xor i128 %shr.i.i.i.i.i.i.i.i, %mul.i.i.i.i.i.i.i.i
  %xor.i.i.i.i.i.i.i.i = trunc i128 %xor4.i.i.i.i.i.i.i.i to i64
  %mask.i.i.i.i.i.i.i = getelementptr inbounds nuw i8, ptr %87, i64 8
  %88 = load ptr, ptr %87, align 8
  %89 = load i64, ptr %mask.i.i.i.i.i.i.i, align 8
  %90 = load <8 x i64>, ptr %key.i.i.i.i.i.i, align 64
  %91 = load <4 x i64>, ptr %add.ptr1.i.i.i.i.i.i.i.i, align 64
  br label %for.body.i.i.i.i.i.i.i

for.body.i.i.i.i.i.i.i:
  %i.030.i.i.i.i.i.i.i = phi i64 [ 0, %for.cond.cleanup.i.i.i.i.i.i ], [ %inc.i.i.i.i.i.i.i, %cleanup.i.i.i.i.i.i.i ]
  %add.i.i.i.i.i.i.i = add i64 %i.030.i.i.i.i.i.i.i, %xor.i.i.i.i.i.i.i.i
  %and.i.i.i.i.i.i.i = and i64 %add.i.i.i.i.i.i.i, %89
  %arrayidx.i.i.i.i.i.i.i = getelementptr inbounds nuw %struct.TensorMapRecord, ptr %88, i64 %and.i.i.i.i.i.i.i
  %92 = load <8 x i64>, ptr %arrayidx.i.i.i.i.i.i.i, align 8
  %xor.i26.i.i.i.i.i.i.i = xor <8 x i64> %92, %90
  %add.ptr.i.i.i.i.i.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx.i.i.i.i.i.i.i, i64 64
  %93 = load <4 x i64>, ptr %add.ptr.i.i.i.i.i.i.i.i, align 8
  %xor2.i.i.i.i.i.i.i.i = xor <4 x i64> %93, %91
  %rdx.or.i.i.i.i.i.i.i.i = call i64 @llvm.vector.reduce.or.v8i64(<8 x i64> %xor.i26.i.i.i.i.i.i.i)
  %rdx.or3.i.i.i.i.i.i.i.i = call i64 @llvm.vector.reduce.or.v4i64(<4 x i64> %xor2.i.i.i.i.i.i.i.i)
  %or.i.i.i.i.i.i.i.i = or i64 %rdx.or3.i.i.i.i.i.i.i.i, %rdx.or.i.i.i.i.i.i.i.i
  %cmp.i.i.i.i.i.i.i.i = icmp eq i64 %or.i.i.i.i.i.i.i.i, 0
  br i1 %cmp.i.i.i.i.i.i.i.i, label %if.end5.i.i.i.i.i, label %cleanup.i.i.i.i.i.i.i

cleanup.i.i.i.i.i.i.i:
  %94 = extractelement <4 x i64> %93, i64 3
  %tobool.not.not.i.i.i.i.i.i.i = icmp eq i64 %94, 0
  %inc.i.i.i.i.i.i.i = add nuw nsw i64 %i.030.i.i.i.i.i.i.i, 1
  %exitcond.i.i.i.i.i.i.i = icmp eq i64 %inc.i.i.i.i.i.i.i, 8
  %or.cond.i.i.i.i.i.i = select i1 %tobool.not.not.i.i.i.i.i.i.i, i1 true, i1 %exitcond.i.i.i.i.i.i.i
  br i1 %or.cond.i.i.i.i.i.i, label %described.exit.i.i.i.i.i, label %for.body.i.i.i.i.i.i.i

for.body.i.i.i.i.i.i:
  %k.037.i.i.i.i.i.i = phi i64 [ %add.i.i.i.i.i.i, %for.body.i.i.i.i.i.i ], [ 0, %if.end.i.i.i.i.i ]
  %hash.036.i.i.i.i.i.i = phi i64 [ %xor.i.i.i.i.i.i.i, %for.body.i.i.i.i.i.i ], [ %82, %if.end.i.i.i.i.i ]
  %arrayidx1.i.i.i.i.i.i = getelementptr inbounds nuw i64, ptr %83, i64 %k.037.i.i.i.i.i.i
  %95 = load i64, ptr %arrayidx1.i.i.i.i.i.i, align 8
  %add.i.i.i.i.i.i = add nuw nsw i64 %k.037.i.i.i.i.i.i, 1
  %arrayidx2.i.i.i.i.i.i = getelementptr inbounds nuw i64, ptr %key.i.i.i.i.i.i, i64 %add.i.i.i.i.i.i
  store i64 %95, ptr %arrayidx2.i.i.i.i.i.i, align 8
  %arrayidx3.i.i.i.i.i.i = getelementptr inbounds nuw i64, ptr %84, i64 %k.037.i.i.i.i.i.i
  %96 = load i64, ptr %arrayidx3.i.i.i.i.i.i, align 8
  %97 = getelementptr i64, ptr %key.i.i.i.i.i.i, i64 %k.037.i.i.i.i.i.i
  %arrayidx5.i.i.i.i.i.i = getelementptr i8, ptr %97, i64 48
  store i64 %96, ptr %arrayidx5.i.i.i.i.i.i, align 8
  %or.i29.i.i.i.i.i.i = call i64 @llvm.fshl.i64(i64 %hash.036.i.i.i.i.i.i, i64 %hash.036.i.i.i.i.i.i, i64 11)
  %xor.i30.i.i.i.i.i.i = xor i64 %95, %or.i29.i.i.i.i.i.i
  %or.i.i.i.i.i.i.i = call i64 @llvm.fshl.i64(i64 %xor.i30.i.i.i.i.i.i, i64 %xor.i30.i.i.i.i.i.i, i64 11)
  %xor.i.i.i.i.i.i.i = xor i64 %96, %or.i.i.i.i.i.i.i
  %exitcond.not.i.i.i.i.i.i = icmp eq i64 %add.i.i.i.i.i.i, %conv8.i.i.i.i
  br i1 %exitcond.not.i.i.i.i.i.i, label %for.cond.cleanup.i.i.i.i.i.i, label %for.body.i.i.i.i.i.i

described.exit.i.i.i.i.i:
  call void @llvm.lifetime.end.p0(ptr nonnull %key.i.i.i.i.i.i) #12
  br label %for.inc.i

if.end5.i.i.i.i.i:
  %value13.i.i.i.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx.i.i.i.i.i.i.i, i64 128
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(128) %add.ptr.i.i.i.i.i, ptr noundef nonnull align 8 dereferenceable(128) %value13.i.i.i.i.i.i, i64 128, i1 false)
  %word.i.i.i.i.i.i = getelementptr inbounds nuw i8, ptr %add.ptr.i.i.i.i.i, i64 128
  store i64 %82, ptr %word.i.i.i.i.i.i, align 8
  call void @llvm.lifetime.end.p0(ptr nonnull %key.i.i.i.i.i.i) #12
  %98 = ptrtoint ptr %add.ptr.i.i.i.i.i to i64
  store i64 %98, ptr %arrayidx.i87.i, align 8
  br label %for.inc46.i

if.end12.i.i.i.i:
  %shape13.i.i.i.i = getelementptr inbounds nuw i8, ptr %47, i64 32
  %99 = load ptr, ptr %shape13.i.i.i.i, align 8
  %strides14.i.i.i.i = getelementptr inbounds nuw i8, ptr %47, i64 40
  %100 = load ptr, ptr %strides14.i.i.i.i, align 8
  %item.i.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx42.i, i64 80
  %101 = load i64, ptr %item.i.i.i.i, align 8
  %cmp.i.i.i.i.i = icmp eq i64 %81, -1
  br i1 %cmp.i.i.i.i.i, label %for.cond.i.preheader.i.i.i.i.i, label %if.end.i39.i.i.i.i

for.cond.i.preheader.i.i.i.i.i:
  %cmp.not.i30.i.i.i.i.i = icmp eq i32 %80, 0
  br i1 %cmp.not.i30.i.i.i.i.i, label %if.end17.i.i.i.i, label %for.body.i.i44.i.i.i.i

for.body.i.i44.i.i.i.i:
  %dec.i32.in.i.i.i.i.i = phi i64 [ %dec.i32.i.i.i.i.i, %if.end.i.i.i.i.i.i ], [ %conv8.i.i.i.i, %for.cond.i.preheader.i.i.i.i.i ]
  %unit.addr.0.i31.i.i.i.i.i = phi i64 [ %mul.i.i.i.i.i.i, %if.end.i.i.i.i.i.i ], [ %101, %for.cond.i.preheader.i.i.i.i.i ]
  %dec.i32.i.i.i.i.i = add nsw i64 %dec.i32.in.i.i.i.i.i, -1
  %arrayidx.i.i.i.i.i.i = getelementptr inbounds nuw i64, ptr %100, i64 %dec.i32.i.i.i.i.i
  %102 = load i64, ptr %arrayidx.i.i.i.i.i.i, align 8
  %cmp1.not.i.i.i.i.i.i = icmp eq i64 %102, %unit.addr.0.i31.i.i.i.i.i
  %arrayidx4.i.phi.trans.insert.i.i.i.i.i = getelementptr inbounds nuw i64, ptr %99, i64 %dec.i32.i.i.i.i.i
  %.pre.i.i.i.i.i = load i64, ptr %arrayidx4.i.phi.trans.insert.i.i.i.i.i, align 8
  br i1 %cmp1.not.i.i.i.i.i.i, label %for.body.i.if.end.i_crit_edge.i.i.i.i.i, label %land.lhs.true.i.i.i.i.i.i

for.body.i.if.end.i_crit_edge.i.i.i.i.i:
  %103 = mul i64 %.pre.i.i.i.i.i, %unit.addr.0.i31.i.i.i.i.i
  br label %if.end.i.i.i.i.i.i

land.lhs.true.i.i.i.i.i.i:
  %cmp3.not.i.i.i.i.i.i = icmp eq i64 %.pre.i.i.i.i.i, 1
  br i1 %cmp3.not.i.i.i.i.i.i, label %if.end.i.i.i.i.i.i, label %for.inc.i

if.end.i.i.i.i.i.i:
  %mul.i.i.i.i.i.i = phi i64 [ %103, %for.body.i.if.end.i_crit_edge.i.i.i.i.i ], [ %unit.addr.0.i31.i.i.i.i.i, %land.lhs.true.i.i.i.i.i.i ]
  %cmp.not.i.i.i.i.i.i = icmp eq i64 %dec.i32.i.i.i.i.i, 0
  br i1 %cmp.not.i.i.i.i.i.i, label %if.end17.i.i.i.i, label %for.body.i.i44.i.i.i.i

if.end.i39.i.i.i.i:
  %cmp3.not.i.i.i.i.i = icmp eq i64 %81, %conv8.i.i.i.i
  br i1 %cmp3.not.i.i.i.i.i, label %if.end5.i40.i.i.i.i, label %for.inc.i

if.end5.i40.i.i.i.i:
  %shape6.i.i.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx42.i, i64 64
  %104 = load ptr, ptr %shape6.i.i.i.i.i, align 8
  %strides7.i.i.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx42.i, i64 72
  %105 = load ptr, ptr %strides7.i.i.i.i.i, align 8
  br label %for.cond.i17.i.i.i.i.i

for.cond.i17.i.i.i.i.i:
  %i.0.i18.i.i.i.i.i = phi i64 [ %conv8.i.i.i.i, %if.end5.i40.i.i.i.i ], [ %dec.i19.i.i.i.i.i, %if.end.i24.i.i.i.i.i ]
  %dec.i19.i.i.i.i.i = add nsw i64 %i.0.i18.i.i.i.i.i, -1
  %cmp.not.i20.i.i.i.i.i = icmp eq i64 %i.0.i18.i.i.i.i.i, 0
  br i1 %cmp.not.i20.i.i.i.i.i, label %if.end17.i.i.i.i, label %for.body.i21.i.i.i.i.i

for.body.i21.i.i.i.i.i:
  %arrayidx.i22.i.i.i.i.i = getelementptr inbounds nuw i64, ptr %99, i64 %dec.i19.i.i.i.i.i
  %106 = load i64, ptr %arrayidx.i22.i.i.i.i.i, align 8
  %arrayidx1.i.i41.i.i.i.i = getelementptr inbounds nuw i64, ptr %104, i64 %dec.i19.i.i.i.i.i
  %107 = load i64, ptr %arrayidx1.i.i41.i.i.i.i, align 8
  %cmp2.not.i.i.i.i.i.i = icmp eq i64 %106, %107
  br i1 %cmp2.not.i.i.i.i.i.i, label %if.end.i24.i.i.i.i.i, label %for.inc.i

if.end.i24.i.i.i.i.i:
  %arrayidx3.i.i42.i.i.i.i = getelementptr inbounds nuw i64, ptr %100, i64 %dec.i19.i.i.i.i.i
  %108 = load i64, ptr %arrayidx3.i.i42.i.i.i.i, align 8
  %arrayidx4.i25.i.i.i.i.i = getelementptr inbounds nuw i64, ptr %105, i64 %dec.i19.i.i.i.i.i
  %109 = load i64, ptr %arrayidx4.i25.i.i.i.i.i, align 8
  %mul.i26.i.i.i.i.i = mul i64 %109, %101
  %cmp5.not.i.i.i.i.i.i = icmp eq i64 %108, %mul.i26.i.i.i.i.i
  %cmp7.not.i.i.i.i.i.i = icmp eq i64 %106, 1
  %or.cond.i.i43.i.i.i.i = or i1 %cmp7.not.i.i.i.i.i.i, %cmp5.not.i.i.i.i.i.i
  br i1 %or.cond.i.i43.i.i.i.i, label %for.cond.i17.i.i.i.i.i, label %for.inc.i

if.end17.i.i.i.i:
  %data18.i.i.i.i = getelementptr inbounds nuw i8, ptr %47, i64 16
  %110 = load i64, ptr %data18.i.i.i.i, align 8
  store i64 %110, ptr %arrayidx.i87.i, align 8
  br label %for.inc46.i

if.end.i71.i.i:
  %like.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx42.i, i64 128
  %111 = load ptr, ptr %like.i.i.i, align 8
  %cmp3.i72.i.i = icmp eq ptr %74, %111
  br i1 %cmp3.i72.i.i, label %if.then4.i.i.i, label %if.end19.i.i.i

if.then4.i.i.i:
  %112 = load i64, ptr %fields.i.i.i, align 8
  %add.ptr.i.i.i = getelementptr inbounds i8, ptr %47, i64 %112
  %113 = load ptr, ptr %add.ptr.i.i.i, align 8
  %114 = load i64, ptr %113, align 8
  %table1.i.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx42.i, i64 136
  %115 = load ptr, ptr %table1.i.i.i.i, align 8
  %116 = ptrtoint ptr %115 to i64
  %117 = load i64, ptr %keys2.i.i.i.i, align 8
  %add.ptr.i.i.i.i = getelementptr inbounds i8, ptr %113, i64 %117
  %118 = load i64, ptr %add.ptr.i.i.i.i, align 8
  %keys3.i.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx42.i, i64 144
  %119 = load i64, ptr %keys3.i.i.i.i, align 8
  %120 = load i64, ptr %meta6.i.i.i.i, align 8
  %add.ptr7.i.i.i.i = getelementptr inbounds i8, ptr %113, i64 %120
  %121 = load i64, ptr %add.ptr7.i.i.i.i, align 8
  %and.i.i.i.i = and i64 %121, 1099511627775
  %meta8.i.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx42.i, i64 152
  %122 = load i64, ptr %meta8.i.i.i.i, align 8
  %123 = icmp eq i64 %114, %116
  %124 = icmp eq i64 %118, %119
  %125 = and i1 %123, %124
  %126 = icmp eq i64 %and.i.i.i.i, %122
  %tobool.not.i.i.i.i = and i1 %125, %126
  br i1 %tobool.not.i.i.i.i, label %if.end.i.i.i.i, label %if.end11.i75.i.i

if.end.i.i.i.i:
  %127 = load i64, ptr %storage12.i.i.i.i, align 8
  %add.ptr13.i.i.i.i = getelementptr inbounds i8, ptr %113, i64 %127
  %128 = load ptr, ptr %add.ptr13.i.i.i.i, align 8
  %129 = load i64, ptr %numel.i.i.i.i, align 8
  %add.ptr15.i.i.i.i = getelementptr inbounds i8, ptr %113, i64 %129
  %130 = load i64, ptr %add.ptr15.i.i.i.i, align 8
  %tobool16.not.i.i.i.i = icmp eq i64 %130, 0
  %131 = load i64, ptr %rank.i.i.i.i, align 8
  %add.ptr18.i.i.i.i = getelementptr inbounds i8, ptr %113, i64 %131
  %132 = load i64, ptr %add.ptr18.i.i.i.i, align 8
  %cmp.i.i76.i.i = icmp ugt i64 %132, 5
  %or1950.i.i.i.i = or i1 %tobool16.not.i.i.i.i, %cmp.i.i76.i.i
  %tobool20.not.i.i.i.i = icmp eq ptr %128, null
  %or2351.i.i.i.i = or i1 %tobool20.not.i.i.i.i, %or1950.i.i.i.i
  br i1 %or2351.i.i.i.i, label %if.end11.i75.i.i, label %if.end26.i.i.i.i

if.end26.i.i.i.i:
  %133 = load i64, ptr %deleter.i.i.i.i, align 8
  %add.ptr28.i.i.i.i = getelementptr inbounds i8, ptr %128, i64 %133
  %134 = load ptr, ptr %add.ptr28.i.i.i.i, align 8
  %deleter29.i.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx42.i, i64 160
  %135 = load ptr, ptr %deleter29.i.i.i.i, align 8
  %cmp30.i.i.i.i = icmp eq ptr %134, %135
  br i1 %cmp30.i.i.i.i, label %if.then8.i77.i.i, label %if.end11.i75.i.i

if.then8.i77.i.i:
  %136 = load ptr, ptr %requires.i.i.i.i, align 8
  %call.i.i.i.i = call i32 %136(ptr noundef nonnull %113) #11
  %and.i59.i.i.i = and i32 %call.i.i.i.i, 1
  %tobool.not.i60.i.i.i = icmp eq i32 %and.i59.i.i.i, 0
  br i1 %tobool.not.i60.i.i.i, label %land.rhs.i.i.i, label %graded.exit.i.i.i

graded.exit.i.i.i:
  %137 = load ptr, ptr %enabled.i.i.i.i, align 8
  %call2.i.i.i.i = call i32 %137() #11
  %and3.i.i.i.i = and i32 %call2.i.i.i.i, 1
  %tobool4.i.not.i.i.i = icmp eq i32 %and3.i.i.i.i, 0
  br i1 %tobool4.i.not.i.i.i, label %land.rhs.i.i.i, label %for.inc.i

land.rhs.i.i.i:
  %item.i61.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx42.i, i64 80
  %138 = load i64, ptr %item.i61.i.i.i, align 8
  %139 = load i64, ptr %sizes.i.i.i.i.i, align 8
  %add.ptr.i.i62.i.i.i = getelementptr inbounds i8, ptr %113, i64 %139
  %add.ptr1.i.i.i.i.i = getelementptr inbounds nuw i8, ptr %add.ptr.i.i62.i.i.i, i64 40
  %140 = load i64, ptr %rank.i.i.i.i, align 8
  %add.ptr4.i.i.i.i.i = getelementptr inbounds i8, ptr %113, i64 %140
  %141 = load i64, ptr %add.ptr4.i.i.i.i.i, align 8
  %142 = load i64, ptr %offset.i.i.i.i.i, align 8
  %add.ptr6.i.i.i.i.i = getelementptr inbounds i8, ptr %113, i64 %142
  %143 = load i64, ptr %add.ptr6.i.i.i.i.i, align 8
  %add.i.i.i.i.i = add i64 %143, 1
  %cmp23.i.i.i.i.i = icmp sgt i64 %141, 0
  br i1 %cmp23.i.i.i.i.i, label %for.body.i.i.i.i.i, label %held.exit.i.i.i.i

for.body.i.i.i.i.i:
  %i.025.i.i.i.i.i = phi i64 [ %inc.i.i.i.i.i, %for.body.i.i.i.i.i ], [ 0, %land.rhs.i.i.i ]
  %elements.024.i.i.i.i.i = phi i64 [ %add8.i.i.i.i.i, %for.body.i.i.i.i.i ], [ %add.i.i.i.i.i, %land.rhs.i.i.i ]
  %arrayidx.i.i.i.i.i = getelementptr inbounds nuw i64, ptr %add.ptr.i.i62.i.i.i, i64 %i.025.i.i.i.i.i
  %144 = load i64, ptr %arrayidx.i.i.i.i.i, align 8
  %sub.i.i.i.i.i = add i64 %144, -1
  %arrayidx7.i.i.i.i.i = getelementptr inbounds nuw i64, ptr %add.ptr1.i.i.i.i.i, i64 %i.025.i.i.i.i.i
  %145 = load i64, ptr %arrayidx7.i.i.i.i.i, align 8
  %mul.i.i.i.i.i = mul i64 %sub.i.i.i.i.i, %145
  %add8.i.i.i.i.i = add i64 %mul.i.i.i.i.i, %elements.024.i.i.i.i.i
  %inc.i.i.i.i.i = add nuw nsw i64 %i.025.i.i.i.i.i, 1
  %exitcond.not.i.i.i.i.i = icmp eq i64 %inc.i.i.i.i.i, %141
  br i1 %exitcond.not.i.i.i.i.i, label %held.exit.i.i.i.i, label %for.body.i.i.i.i.i

held.exit.i.i.i.i:
  %elements.0.lcssa.i.i.i.i.i = phi i64 [ %add.i.i.i.i.i, %land.rhs.i.i.i ], [ %add8.i.i.i.i.i, %for.body.i.i.i.i.i ]
  %mul9.i.i.i.i.i = mul i64 %elements.0.lcssa.i.i.i.i.i, %138
  %146 = load i64, ptr %bytes.i.i.i.i.i, align 8
  %add.ptr11.i.i.i.i.i = getelementptr inbounds i8, ptr %128, i64 %146
  %147 = load i64, ptr %add.ptr11.i.i.i.i.i, align 8
  %cmp12.i.not.i.i.i.i = icmp ugt i64 %mul9.i.i.i.i.i, %147
  br i1 %cmp12.i.not.i.i.i.i, label %for.inc.i, label %if.end.i63.i.i.i

if.end.i63.i.i.i:
  %148 = load i64, ptr %data.i64.i.i.i, align 8
  %add.ptr2.i.i.i.i = getelementptr inbounds i8, ptr %128, i64 %148
  %149 = load i64, ptr %add.ptr2.i.i.i.i, align 8
  %mul.i.i.i.i = mul i64 %143, %138
  %add.i.i.i.i = add i64 %149, %mul.i.i.i.i
  %call9.i.i.i.i = call fastcc i1 @strided(i1 noundef true, ptr noundef nonnull readonly %arrayidx42.i, i64 noundef %add.i.i.i.i, i64 noundef %141, ptr noundef nonnull readonly %add.ptr.i.i62.i.i.i, ptr noundef nonnull readonly %add.ptr1.i.i.i.i.i, ptr noundef nonnull %arrayidx.i87.i) #13
  br i1 %call9.i.i.i.i, label %for.inc46.i, label %for.inc.i

if.end11.i75.i.i:
  %150 = load i64, ptr %lazy.i.i.i, align 8
  %and.i.i.i = and i64 %150, %118
  %tobool15.not.i.i.i = icmp eq i64 %and.i.i.i, 0
  br i1 %tobool15.not.i.i.i, label %if.end19.i.i.i, label %for.inc.i

if.end19.i.i.i:
  %151 = load i64, ptr %count.i.i.i.i, align 8
  %cmp.i54134.not.i.i.i = icmp eq i64 %151, 0
  br i1 %cmp.i54134.not.i.i.i, label %for.inc.i, label %for.body.i.i.i.i

for.cond.i.i.i.i:
  %inc.i.i.i.i = add nuw i64 %i.0.i135.i.i.i, 1
  %exitcond.not.i.i.i = icmp eq i64 %inc.i.i.i.i, %151
  br i1 %exitcond.not.i.i.i, label %for.inc.i, label %for.body.i.i.i.i

for.body.i.i.i.i:
  %i.0.i135.i.i.i = phi i64 [ %inc.i.i.i.i, %for.cond.i.i.i.i ], [ 0, %if.end19.i.i.i ]
  %arrayidx.i.i.i.i = getelementptr inbounds nuw %struct.Exchange, ptr %exchanges.i.i.i.i, i64 %i.0.i135.i.i.i
  %152 = load ptr, ptr %arrayidx.i.i.i.i, align 8
  %cmp2.i.i.i.i = icmp eq ptr %152, %74
  br i1 %cmp2.i.i.i.i, label %land.lhs.true.i74.i.i, label %for.cond.i.i.i.i

land.lhs.true.i74.i.i:
  %153 = load i64, ptr %fields.i.i.i, align 8
  %add.ptr.i66.i.i.i = getelementptr inbounds i8, ptr %47, i64 %153
  %154 = load ptr, ptr %add.ptr.i66.i.i.i, align 8
  %155 = load ptr, ptr %requires.i.i.i.i, align 8
  %call.i.i.i.i.i = call i32 %155(ptr noundef %154) #11
  %and.i.i.i.i.i = and i32 %call.i.i.i.i.i, 1
  %tobool.not.i.i.i.i.i = icmp eq i32 %and.i.i.i.i.i, 0
  br i1 %tobool.not.i.i.i.i.i, label %if.end.i68.i.i.i, label %graded.exit.i.i.i.i

graded.exit.i.i.i.i:
  %156 = load ptr, ptr %enabled.i.i.i.i, align 8
  %call2.i.i.i.i.i = call i32 %156() #11
  %and3.i.i.i.i.i = and i32 %call2.i.i.i.i.i, 1
  %tobool4.i.not.i.i.i.i = icmp eq i32 %and3.i.i.i.i.i, 0
  br i1 %tobool4.i.not.i.i.i.i, label %if.end.i68.i.i.i, label %for.inc.i

if.end.i68.i.i.i:
  %157 = load i64, ptr %storage12.i.i.i.i, align 8
  %add.ptr4.i.i.i.i = getelementptr inbounds i8, ptr %154, i64 %157
  %158 = load ptr, ptr %add.ptr4.i.i.i.i, align 8
  %tobool.not.i69.i.i.i = icmp eq ptr %158, null
  br i1 %tobool.not.i69.i.i.i, label %land.rhs23.i.i.i, label %lor.lhs.false.i.i.i.i

lor.lhs.false.i.i.i.i:
  %159 = load i64, ptr %numel.i.i.i.i, align 8
  %add.ptr6.i.i.i.i = getelementptr inbounds i8, ptr %154, i64 %159
  %160 = load i64, ptr %add.ptr6.i.i.i.i, align 8
  %tobool7.not.i.i.i.i = icmp eq i64 %160, 0
  br i1 %tobool7.not.i.i.i.i, label %land.rhs23.i.i.i, label %lor.lhs.false8.i.i.i.i

lor.lhs.false8.i.i.i.i:
  %161 = load i64, ptr %rank.i.i.i.i, align 8
  %add.ptr10.i.i.i.i = getelementptr inbounds i8, ptr %154, i64 %161
  %162 = load i64, ptr %add.ptr10.i.i.i.i, align 8
  %cmp.i72.i.i.i = icmp ugt i64 %162, 5
  br i1 %cmp.i72.i.i.i, label %land.rhs23.i.i.i, label %lor.rhs.i.i.i.i

lor.rhs.i.i.i.i:
  %item.i73.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx42.i, i64 80
  %163 = load i64, ptr %item.i73.i.i.i, align 8
  %164 = load i64, ptr %sizes.i.i.i.i.i, align 8
  %add.ptr.i.i75.i.i.i = getelementptr inbounds i8, ptr %154, i64 %164
  %add.ptr1.i.i76.i.i.i = getelementptr inbounds nuw i8, ptr %add.ptr.i.i75.i.i.i, i64 40
  %165 = load i64, ptr %offset.i.i.i.i.i, align 8
  %add.ptr6.i.i78.i.i.i = getelementptr inbounds i8, ptr %154, i64 %165
  %166 = load i64, ptr %add.ptr6.i.i78.i.i.i, align 8
  %add.i.i79.i.i.i = add i64 %166, 1
  %cmp23.i.not.i.i.i.i = icmp eq i64 %162, 0
  br i1 %cmp23.i.not.i.i.i.i, label %askable.exit.i.i.i, label %for.body.i.i80.i.i.i

for.body.i.i80.i.i.i:
  %i.025.i.i81.i.i.i = phi i64 [ %inc.i.i88.i.i.i, %for.body.i.i80.i.i.i ], [ 0, %lor.rhs.i.i.i.i ]
  %elements.024.i.i82.i.i.i = phi i64 [ %add8.i.i87.i.i.i, %for.body.i.i80.i.i.i ], [ %add.i.i79.i.i.i, %lor.rhs.i.i.i.i ]
  %arrayidx.i.i83.i.i.i = getelementptr inbounds nuw i64, ptr %add.ptr.i.i75.i.i.i, i64 %i.025.i.i81.i.i.i
  %167 = load i64, ptr %arrayidx.i.i83.i.i.i, align 8
  %sub.i.i84.i.i.i = add i64 %167, -1
  %arrayidx7.i.i85.i.i.i = getelementptr inbounds nuw i64, ptr %add.ptr1.i.i76.i.i.i, i64 %i.025.i.i81.i.i.i
  %168 = load i64, ptr %arrayidx7.i.i85.i.i.i, align 8
  %mul.i.i86.i.i.i = mul i64 %sub.i.i84.i.i.i, %168
  %add8.i.i87.i.i.i = add i64 %mul.i.i86.i.i.i, %elements.024.i.i82.i.i.i
  %inc.i.i88.i.i.i = add nuw nsw i64 %i.025.i.i81.i.i.i, 1
  %exitcond.not.i.i89.i.i.i = icmp eq i64 %inc.i.i88.i.i.i, %162
  br i1 %exitcond.not.i.i89.i.i.i, label %askable.exit.i.i.i, label %for.body.i.i80.i.i.i

askable.exit.i.i.i:
  %elements.0.lcssa.i.i91.i.i.i = phi i64 [ %add.i.i79.i.i.i, %lor.rhs.i.i.i.i ], [ %add8.i.i87.i.i.i, %for.body.i.i80.i.i.i ]
  %mul9.i.i92.i.i.i = mul i64 %elements.0.lcssa.i.i91.i.i.i, %163
  %169 = load i64, ptr %bytes.i.i.i.i.i, align 8
  %add.ptr11.i.i94.i.i.i = getelementptr inbounds i8, ptr %158, i64 %169
  %170 = load i64, ptr %add.ptr11.i.i94.i.i.i, align 8
  %cmp12.i.i.not.i.i.i = icmp ugt i64 %mul9.i.i92.i.i.i, %170
  br i1 %cmp12.i.i.not.i.i.i, label %for.inc.i, label %land.rhs23.i.i.i

land.rhs23.i.i.i:
  %function.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx.i.i.i.i, i64 8
  %171 = load ptr, ptr %function.i.i.i, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %t.i.i.i.i) #12
  %call.i95.i.i.i = call i32 %171(ptr noundef nonnull %47, ptr noundef nonnull %t.i.i.i.i) #11
  %tobool.not.i96.i.i.i = icmp eq i32 %call.i95.i.i.i, 0
  br i1 %tobool.not.i96.i.i.i, label %if.end.i98.i.i.i, label %if.then.i.i.i.i

if.then.i.i.i.i:
  call void @PyErr_Clear() #11
  br label %is_dlpack.exit.i.i.thread.i

if.end.i98.i.i.i:
  %172 = load i64, ptr %device.i.i.i.i, align 8
  %device1.i.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx42.i, i64 40
  %173 = load i64, ptr %device1.i.i.i.i, align 8
  %cmp.not.i99.i.i.i = icmp eq i64 %172, %173
  br i1 %cmp.not.i99.i.i.i, label %while.cond.preheader.i.i.i.i, label %is_dlpack.exit.i.i.thread.i

while.cond.preheader.i.i.i.i:
  %dtypes.i.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx42.i, i64 48
  %174 = load i32, ptr %dtype.i.i.i.i, align 4
  br label %while.cond.i100.i.i.i

while.cond.i100.i.i.i:
  %i.0.i101.i.i.i = phi i64 [ %inc.i104.i.i.i, %while.body.i103.i.i.i ], [ 0, %while.cond.preheader.i.i.i.i ]
  %arrayidx.i102.i.i.i = getelementptr inbounds nuw i32, ptr %dtypes.i.i.i.i, i64 %i.0.i101.i.i.i
  %175 = load i32, ptr %arrayidx.i102.i.i.i, align 4
  %cmp4.not.i.i.i.i = icmp eq i32 %175, %174
  br i1 %cmp4.not.i.i.i.i, label %while.end.i105.i.i.i, label %while.body.i103.i.i.i

while.body.i103.i.i.i:
  %inc.i104.i.i.i = add nuw nsw i64 %i.0.i101.i.i.i, 1
  %cmp5.i.i.i.i = icmp eq i64 %inc.i104.i.i.i, 4
  br i1 %cmp5.i.i.i.i, label %is_dlpack.exit.i.i.thread.i, label %while.cond.i100.i.i.i

while.end.i105.i.i.i:
  %176 = load i64, ptr %t.i.i.i.i, align 8
  %177 = load i64, ptr %offset.i.i.i.i, align 8
  %add.i106.i.i.i = add i64 %177, %176
  %178 = load i32, ptr %rank8.i.i.i.i, align 8
  %conv.i107.i.i.i = zext i32 %178 to i64
  %179 = load ptr, ptr %strides.i108.i.i.i, align 8
  %tobool9.not.i.i.i.i = icmp eq ptr %179, null
  br i1 %tobool9.not.i.i.i.i, label %is_dlpack.exit.i.i.thread.i, label %land.lhs.true.i.i.i.i

land.lhs.true.i.i.i.i:
  %180 = load ptr, ptr %shape.i109.i.i.i, align 8
  %cmp.not16.not.i.i.i.i.i = icmp eq i32 %178, 0
  br i1 %cmp.not16.not.i.i.i.i.i, label %sound.exit.i.i.i.i, label %for.body.i.i110.i.i.i

for.body.i.i110.i.i.i:
  %i.018.i.i.i.i.i = phi i64 [ %inc.i.i113.i.i.i, %if.end.i.i112.i.i.i ], [ 0, %land.lhs.true.i.i.i.i ]
  %empty.017.i.i.i.i.i = phi i1 [ %or14.i.i.i.i.i, %if.end.i.i112.i.i.i ], [ false, %land.lhs.true.i.i.i.i ]
  %arrayidx.i.i111.i.i.i = getelementptr inbounds nuw i64, ptr %180, i64 %i.018.i.i.i.i.i
  %181 = load i64, ptr %arrayidx.i.i111.i.i.i, align 8
  %cmp1.i.i.i.i.i = icmp slt i64 %181, 0
  br i1 %cmp1.i.i.i.i.i, label %is_dlpack.exit.i.i.thread.i, label %if.end.i.i112.i.i.i

if.end.i.i112.i.i.i:
  %cmp3.i.i.i.i.i = icmp eq i64 %181, 0
  %or14.i.i.i.i.i = or i1 %empty.017.i.i.i.i.i, %cmp3.i.i.i.i.i
  %inc.i.i113.i.i.i = add nuw nsw i64 %i.018.i.i.i.i.i, 1
  %exitcond.not.i.i114.i.i.i = icmp eq i64 %inc.i.i113.i.i.i, %conv.i107.i.i.i
  br i1 %exitcond.not.i.i114.i.i.i, label %sound.exit.i.i.i.i, label %for.body.i.i110.i.i.i

sound.exit.i.i.i.i:
  %empty.0.lcssa.i.i.i.i.i = phi i1 [ false, %land.lhs.true.i.i.i.i ], [ %or14.i.i.i.i.i, %if.end.i.i112.i.i.i ]
  %tobool5.i.i.i.i.i = icmp ne i64 %add.i106.i.i.i, 0
  %182 = select i1 %tobool5.i.i.i.i.i, i1 true, i1 %empty.0.lcssa.i.i.i.i.i
  br i1 %182, label %is_dlpack.exit.i.i.i, label %is_dlpack.exit.i.i.thread.i

is_dlpack.exit.i.i.thread.i:
  call void @llvm.lifetime.end.p0(ptr nonnull %t.i.i.i.i) #12
  br label %for.inc.i

is_dlpack.exit.i.i.i:
  %call14.i.i.i.i = call fastcc i1 @strided(i1 noundef false, ptr noundef nonnull readonly %arrayidx42.i, i64 noundef %add.i106.i.i.i, i64 noundef %conv.i107.i.i.i, ptr noundef %180, ptr noundef nonnull %179, ptr noundef nonnull %arrayidx.i87.i) #13
  call void @llvm.lifetime.end.p0(ptr nonnull %t.i.i.i.i) #12
  br i1 %call14.i.i.i.i, label %for.inc46.i, label %for.inc.i

argument.exit.i:
  %low.i.i = getelementptr inbounds nuw i8, ptr %arrayidx42.i, i64 16
  %183 = load i64, ptr %low.i.i, align 8
  %184 = inttoptr i64 %183 to ptr
  %call.i89.i = call fastcc i1 @same(ptr noundef %47, ptr noundef %184, ptr noundef readonly %0) #13
  br i1 %call.i89.i, label %for.inc46.i, label %for.inc.i

for.inc46.i:
  %inc47.i = add nuw nsw i64 %i36.0110.i, 1
  %exitcond.not.i = icmp eq i64 %inc47.i, %add.i
  br i1 %exitcond.not.i, label %if.end.i84, label %for.body40.i

if.end.i84:
  %params34.i.le232 = getelementptr inbounds nuw i8, ptr %18, i64 72
  %expects.i = getelementptr inbounds nuw i8, ptr %18, i64 128
  %185 = load ptr, ptr %expects.i, align 8
  %tobool.not.i85 = icmp eq ptr %185, null
  br i1 %tobool.not.i85, label %if.then14, label %lor.lhs.false.i86

lor.lhs.false.i86:
  %call5.i = call fastcc i1 @kept(ptr noundef nonnull %185, ptr noundef nonnull %room, ptr noundef nonnull %blocks.i) #13
  br i1 %call5.i, label %if.then14, label %if.end36

for.inc.i:
  %inc.i = add nuw nsw i64 %i.0.i179, 1
  %186 = load i64, ptr %count.i, align 8
  %cmp.i = icmp slt i64 %inc.i, %186
  br i1 %cmp.i, label %for.body.i, label %if.end36

if.then14:
  br i1 %cmp38.not.not109.i, label %for.body.lr.ph.i121, label %changed.exit

for.body.lr.ph.i121:
  %counter8.i = getelementptr inbounds nuw i8, ptr %0, i64 344
  %version.i = getelementptr inbounds nuw i8, ptr %0, i64 352
  br label %for.body.i122

for.body.i122:
  %i.033.i = phi i64 [ 0, %for.body.lr.ph.i121 ], [ %inc.i131, %cleanup.i130 ]
  %187 = load ptr, ptr %params34.i.le232, align 8
  %arrayidx.i123 = getelementptr inbounds nuw %struct.ParamCheck, ptr %187, i64 %i.033.i
  %188 = load i64, ptr %arrayidx.i123, align 8
  %cmp2.i = icmp ult i64 %188, 6
  br i1 %cmp2.i, label %cleanup.i130, label %lor.lhs.false.i124

lor.lhs.false.i124:
  %low.i = getelementptr inbounds nuw i8, ptr %arrayidx.i123, i64 16
  %189 = load i64, ptr %low.i, align 8
  %and.i = and i64 %189, 1024
  %tobool.not.i125 = icmp eq i64 %and.i, 0
  br i1 %tobool.not.i125, label %cleanup.i130, label %lor.lhs.false3.i126

lor.lhs.false3.i126:
  %arrayidx4.i = getelementptr inbounds nuw ptr, ptr %args, i64 %i.033.i
  %190 = load ptr, ptr %arrayidx4.i, align 8
  %191 = load i64, ptr %count.i.i.i.i, align 8
  %cmp.i30.not.i = icmp eq i64 %191, 0
  br i1 %cmp.i30.not.i, label %cleanup.i130, label %for.body.i.lr.ph.i

for.body.i.lr.ph.i:
  %type1.i.i = getelementptr inbounds nuw i8, ptr %190, i64 8
  %192 = load ptr, ptr %type1.i.i, align 8
  br label %for.body.i.i127

for.cond.i.i:
  %inc.i.i = add nuw i64 %i.0.i31.i, 1
  %exitcond.not.i129 = icmp eq i64 %inc.i.i, %191
  br i1 %exitcond.not.i129, label %cleanup.i130, label %for.body.i.i127

for.body.i.i127:
  %i.0.i31.i = phi i64 [ 0, %for.body.i.lr.ph.i ], [ %inc.i.i, %for.cond.i.i ]
  %arrayidx.i.i128 = getelementptr inbounds nuw %struct.Exchange, ptr %exchanges.i.i.i.i, i64 %i.0.i31.i
  %193 = load ptr, ptr %arrayidx.i.i128, align 8
  %cmp2.i.i = icmp eq ptr %193, %192
  br i1 %cmp2.i.i, label %if.end.i132, label %for.cond.i.i

if.end.i132:
  %194 = load i64, ptr %fields.i.i.i, align 8
  %add.ptr.i133 = getelementptr inbounds i8, ptr %190, i64 %194
  %195 = load ptr, ptr %add.ptr.i133, align 8
  %196 = load i64, ptr %counter8.i, align 8
  %add.ptr9.i = getelementptr inbounds i8, ptr %195, i64 %196
  %197 = load ptr, ptr %add.ptr9.i, align 8
  %tobool10.not.i = icmp eq ptr %197, null
  br i1 %tobool10.not.i, label %cleanup.i130, label %if.then11.i

if.then11.i:
  %198 = load i64, ptr %version.i, align 8
  %add.ptr13.i = getelementptr inbounds i8, ptr %197, i64 %198
  %199 = atomicrmw add ptr %add.ptr13.i, i32 1 monotonic, align 4
  br label %cleanup.i130

cleanup.i130:
  %inc.i131 = add nuw nsw i64 %i.033.i, 1
  %exitcond34.not.i = icmp eq i64 %inc.i131, %add.i
  br i1 %exitcond34.not.i, label %changed.exit, label %for.body.i122

changed.exit:
  %gpu17 = getelementptr inbounds nuw i8, ptr %18, i64 96
  %200 = load ptr, ptr %gpu17, align 8
  %tobool18.not = icmp eq ptr %200, null
  br i1 %tobool18.not, label %if.then19, label %if.end24

if.then19:
  call void @Py_DecRef(ptr noundef nonnull %retval.1.i164) #11
  %last = getelementptr inbounds nuw i8, ptr %state, i64 152
  store ptr %18, ptr %last, align 8
  %call.i88 = call ptr @PyEval_SaveThread() #11
  %201 = load ptr, ptr %0, align 8
  %202 = load ptr, ptr %18, align 8
  %call2.i89 = call i64 @ave_run_grid(ptr noundef %201, ptr noundef %202, ptr noundef nonnull %room, ptr noundef nonnull %blocks.i, ptr noundef %call.i88) #13
  call void @PyEval_RestoreThread(ptr noundef %call.i88) #11
  %tobool.not.i90 = icmp eq i64 %call2.i89, 0
  br i1 %tobool.not.i90, label %if.then.i97, label %if.end.i91

if.then.i97:
  %none.i112 = getelementptr inbounds nuw i8, ptr %0, i64 40
  %203 = load ptr, ptr %none.i112, align 8
  call void @Py_IncRef(ptr noundef %203) #11
  %204 = load ptr, ptr %none.i112, align 8
  br label %cleanup40

if.end.i91:
  %call4.i92 = call ptr @PyErr_Occurred() #11
  %tobool5.not.i93 = icmp eq ptr %call4.i92, null
  br i1 %tobool5.not.i93, label %if.end7.i96, label %cleanup40

if.end7.i96:
  %call8.i = call ptr @PyLong_FromLongLong(i64 noundef %call2.i89) #11
  %fail.i = getelementptr inbounds nuw i8, ptr %0, i64 80
  %205 = load ptr, ptr %fail.i, align 8
  %call9.i = call ptr (ptr, ...) @PyObject_CallFunctionObjArgs(ptr noundef %205, ptr noundef %call8.i, ptr noundef null) #11
  call void @Py_DecRef(ptr noundef %call8.i) #11
  call fastcc void @strip(ptr noundef nonnull %0) #13
  br label %cleanup40

if.end24:
  %most_x.i = getelementptr inbounds nuw i8, ptr %200, i64 40
  %206 = load i64, ptr %most_x.i, align 8
  %cmp.i134 = icmp sgt i64 %12, %206
  br i1 %cmp.i134, label %if.end36, label %if.end.i135

if.end.i135:
  %stream.i = getelementptr inbounds nuw i8, ptr %18, i64 104
  %207 = load ptr, ptr %stream.i, align 8
  %tobool.not.i136 = icmp eq ptr %207, null
  br i1 %tobool.not.i136, label %if.then28, label %if.end3.i

if.end3.i:
  %device.i = getelementptr inbounds nuw i8, ptr %18, i64 112
  %208 = load i64, ptr %device.i, align 8
  %conv.i137 = trunc i64 %208 to i32
  %shr.i = lshr i64 %208, 32
  %conv6.i = trunc nuw i64 %shr.i to i32
  %params.i138 = getelementptr inbounds nuw i8, ptr %200, i64 48
  %209 = load i64, ptr %params.i138, align 8
  %arrayidx.i139 = getelementptr inbounds i64, ptr %room, i64 %209
  %call.i140 = call i32 %207(i32 noundef %conv.i137, i32 noundef %conv6.i, ptr noundef nonnull %arrayidx.i139) #11
  %tobool7.not.i = icmp eq i32 %call.i140, 0
  br i1 %tobool7.not.i, label %if.then28, label %if.end9.i

if.end9.i:
  call void @PyErr_Clear() #11
  br label %if.end36

if.then28:
  %last29 = getelementptr inbounds nuw i8, ptr %state, i64 152
  store ptr %18, ptr %last29, align 8
  %call2.i98 = call ptr @PyEval_SaveThread() #11
  %call3.i99 = call i64 @ave_launch_gpu(ptr noundef nonnull %200, ptr noundef nonnull %room, ptr noundef nonnull %blocks.i) #13
  call void @PyEval_RestoreThread(ptr noundef %call2.i98) #11
  %tobool.not.i100 = icmp eq i64 %call3.i99, 0
  br i1 %tobool.not.i100, label %if.then.i106, label %if.end.i101

if.then.i106:
  call void @Py_DecRef(ptr noundef nonnull %retval.1.i164) #11
  %none.i = getelementptr inbounds nuw i8, ptr %0, i64 40
  %210 = load ptr, ptr %none.i, align 8
  call void @Py_IncRef(ptr noundef %210) #11
  %211 = load ptr, ptr %none.i, align 8
  br label %cleanup40

if.end.i101:
  %failed.i = getelementptr inbounds nuw i8, ptr %18, i64 120
  %212 = load ptr, ptr %failed.i, align 8
  call void @Py_IncRef(ptr noundef %212) #11
  %call5.i102 = call ptr @PyLong_FromLongLong(i64 noundef %call3.i99) #11
  %call6.i103 = call fastcc ptr @python(ptr noundef %212, ptr noundef %0, ptr noundef %call5.i102, ptr noundef nonnull %retval.1.i164, ptr noundef nonnull %call) #13
  call void @Py_DecRef(ptr noundef %call5.i102) #11
  call void @Py_DecRef(ptr noundef %212) #11
  call void @Py_DecRef(ptr noundef nonnull %retval.1.i164) #11
  br label %cleanup40

if.end36:
  %slow = getelementptr inbounds nuw i8, ptr %state, i64 8
  %213 = load ptr, ptr %slow, align 8
  %call37 = call fastcc ptr @python(ptr noundef %213, ptr noundef %0, ptr noundef null, ptr noundef %retval.1.i164, ptr noundef %call) #13
  call void @Py_DecRef(ptr noundef nonnull %retval.1.i164) #11
  br label %cleanup40

cleanup40:
  %retval.2 = phi ptr [ null, %asked.exit ], [ %call37, %if.end36 ], [ null, %if.end.i91 ], [ %211, %if.then.i106 ], [ %call6.i103, %if.end.i101 ], [ null, %if.end7.i96 ], [ %204, %if.then.i97 ], [ null, %if.end.i ]
  call void @llvm.lifetime.end.p0(ptr nonnull %call) #12
  call void @llvm.lifetime.end.p0(ptr nonnull %g) #12
  call void @llvm.lifetime.end.p0(ptr nonnull %room) #12
  ret ptr %retval.2
}

declare ptr @PyLong_AsVoidPtr(ptr noundef) local_unnamed_addr

declare ptr @PyTuple_GetItem(ptr noundef, i64 noundef) local_unnamed_addr

define ptr @ave_bound_call(ptr noundef %self, ptr noundef %args, i64 noundef %flags, ptr noundef %names) #0 {
entry:
  %0 = load i64, ptr %self, align 8
  %1 = and i64 %0, 4294967295
  %cmp.not.i = icmp eq i64 %1, 1
  br i1 %cmp.not.i, label %track.exit, label %land.lhs.true.i

land.lhs.true.i:
  %call.i = tail call i32 @PyObject_GC_IsTracked(ptr noundef nonnull %self) #11
  %tobool.not.i = icmp eq i32 %call.i, 0
  br i1 %tobool.not.i, label %if.then.i, label %track.exit

if.then.i:
  tail call void @PyObject_GC_Track(ptr noundef nonnull %self) #11
  br label %track.exit

track.exit:
  %builtin = getelementptr inbounds nuw i8, ptr %self, i64 24
  %2 = load ptr, ptr %builtin, align 8
  %method = getelementptr inbounds nuw i8, ptr %2, i64 16
  %3 = load ptr, ptr %method, align 8
  %state1 = getelementptr inbounds nuw i8, ptr %3, i64 32
  %4 = load ptr, ptr %state1, align 8
  %provider = getelementptr inbounds nuw i8, ptr %self, i64 32
  %5 = load ptr, ptr %provider, align 8
  %and = and i64 %flags, 9223372036854775807
  %call = tail call fastcc ptr @launch(ptr noundef %4, ptr noundef %5, ptr noundef %args, i64 noundef %and, ptr noundef %names) #13
  ret ptr %call
}

define ptr @ave_subscript(ptr noundef readonly captures(none) %self, ptr noundef %provider) local_unnamed_addr #0 {
entry:
  %0 = load i64, ptr getelementptr inbounds nuw (i8, ptr @ave_subscripts, i64 8), align 8
  %add.ptr = getelementptr inbounds i8, ptr %self, i64 %0
  %1 = load ptr, ptr %add.ptr, align 8
  %tobool.not = icmp eq ptr %1, null
  br i1 %tobool.not, label %if.then, label %if.end

if.then:
  %call = tail call i32 @PyErr_BadArgument() #11
  br label %cleanup11

if.end:
  tail call void @Py_IncRef(ptr noundef nonnull %1) #11
  %2 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @ave_subscripts, i64 16), align 8
  %tobool1.not = icmp eq ptr %2, null
  br i1 %tobool1.not, label %if.else, label %if.then2

if.then2:
  store ptr null, ptr getelementptr inbounds nuw (i8, ptr @ave_subscripts, i64 16), align 8
  store i64 1, ptr %2, align 8
  br label %if.end7

if.else:
  %3 = load ptr, ptr @ave_subscripts, align 8
  %call3 = tail call ptr @_PyObject_GC_New(ptr noundef %3) #11
  %tobool4.not = icmp eq ptr %call3, null
  br i1 %tobool4.not, label %if.then5, label %if.end7

if.then5:
  tail call void @Py_DecRef(ptr noundef nonnull %1) #11
  br label %cleanup11

if.end7:
  %bound.0 = phi ptr [ %2, %if.then2 ], [ %call3, %if.else ]
  %call8 = getelementptr inbounds nuw i8, ptr %bound.0, i64 16
  store ptr @ave_bound_call, ptr %call8, align 8
  %builtin9 = getelementptr inbounds nuw i8, ptr %bound.0, i64 24
  store ptr %1, ptr %builtin9, align 8
  tail call void @Py_IncRef(ptr noundef %provider) #11
  %provider10 = getelementptr inbounds nuw i8, ptr %bound.0, i64 32
  store ptr %provider, ptr %provider10, align 8
  br label %cleanup11

cleanup11:
  %retval.1 = phi ptr [ null, %if.then ], [ %bound.0, %if.end7 ], [ null, %if.then5 ]
  ret ptr %retval.1
}

declare i32 @PyErr_BadArgument() local_unnamed_addr

declare void @Py_IncRef(ptr noundef) local_unnamed_addr

declare ptr @_PyObject_GC_New(ptr noundef) local_unnamed_addr

define i32 @ave_bound_traverse(ptr noundef readonly captures(none) %self, ptr noundef readonly captures(none) %visit, ptr noundef %arg) local_unnamed_addr #0 {
entry:
  %type = getelementptr inbounds nuw i8, ptr %self, i64 8
  %0 = load ptr, ptr %type, align 8
  %call = tail call i32 %visit(ptr noundef %0, ptr noundef %arg) #11
  %tobool.not = icmp eq i32 %call, 0
  br i1 %tobool.not, label %if.end, label %if.end5

if.end:
  %builtin = getelementptr inbounds nuw i8, ptr %self, i64 24
  %1 = load ptr, ptr %builtin, align 8
  %call1 = tail call i32 %visit(ptr noundef %1, ptr noundef %arg) #11
  %tobool2.not = icmp eq i32 %call1, 0
  br i1 %tobool2.not, label %if.then3, label %if.end5

if.then3:
  %provider = getelementptr inbounds nuw i8, ptr %self, i64 32
  %2 = load ptr, ptr %provider, align 8
  %call4 = tail call i32 %visit(ptr noundef %2, ptr noundef %arg) #11
  br label %if.end5

if.end5:
  %stop.1 = phi i32 [ %call1, %if.end ], [ %call4, %if.then3 ], [ %call, %entry ]
  ret i32 %stop.1
}

define void @ave_bound_dealloc(ptr noundef %self) local_unnamed_addr #0 {
entry:
  tail call void @PyObject_GC_UnTrack(ptr noundef %self) #11
  %type1 = getelementptr inbounds nuw i8, ptr %self, i64 8
  %0 = load ptr, ptr %type1, align 8
  %builtin2 = getelementptr inbounds nuw i8, ptr %self, i64 24
  %1 = load ptr, ptr %builtin2, align 8
  %provider3 = getelementptr inbounds nuw i8, ptr %self, i64 32
  %2 = load ptr, ptr %provider3, align 8
  tail call void @Py_DecRef(ptr noundef %2) #11
  tail call void @Py_DecRef(ptr noundef %1) #11
  %3 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @ave_subscripts, i64 16), align 8
  %tobool.not = icmp eq ptr %3, null
  br i1 %tobool.not, label %if.then, label %if.end

if.then:
  store ptr %self, ptr getelementptr inbounds nuw (i8, ptr @ave_subscripts, i64 16), align 8
  br label %cleanup

if.end:
  tail call void @PyObject_GC_Del(ptr noundef nonnull %self) #11
  tail call void @Py_DecRef(ptr noundef %0) #11
  br label %cleanup

cleanup:
  ret void
}

declare void @PyObject_GC_UnTrack(ptr noundef) local_unnamed_addr

declare void @PyObject_GC_Del(ptr noundef) local_unnamed_addr

declare i32 @sched_yield() local_unnamed_addr

declare i32 @pthread_mutex_lock(ptr noundef) local_unnamed_addr

declare i32 @pthread_cond_broadcast(ptr noundef) local_unnamed_addr

define internal noalias noundef nonnull ptr @tick(ptr noundef %pool) #6 {
entry:
  %listed.i = getelementptr inbounds nuw i8, ptr %pool, i64 464
  %launches = getelementptr inbounds nuw i8, ptr %pool, i64 456
  %finished = getelementptr inbounds nuw i8, ptr %pool, i64 256
  %ticker = getelementptr inbounds nuw i8, ptr %pool, i64 468
  %wake = getelementptr inbounds nuw i8, ptr %pool, i64 128
  br label %for.cond

for.cond:
  %quiet.0 = phi i32 [ 0, %entry ], [ %quiet.0.be, %for.cond.backedge ]
  %call = tail call i32 @usleep(i32 noundef 100000) #11
  %0 = atomicrmw xchg ptr %listed.i, i32 1 acquire, align 8
  %tobool.not1.i = icmp eq i32 %0, 0
  br i1 %tobool.not1.i, label %list.exit, label %while.body.i

while.body.i:
  %call.i = tail call i32 @sched_yield() #11
  %1 = atomicrmw xchg ptr %listed.i, i32 1 acquire, align 8
  %tobool.not.i = icmp eq i32 %1, 0
  br i1 %tobool.not.i, label %list.exit, label %while.body.i

list.exit:
  %2 = load ptr, ptr %launches, align 8
  %tobool.not40 = icmp eq ptr %2, null
  br i1 %tobool.not40, label %for.cond.cleanup, label %for.body

for.cond.cleanup:
  store atomic i32 0, ptr %listed.i release, align 8
  %call2 = tail call i32 @pthread_cond_broadcast(ptr noundef nonnull %finished) #11
  %add = add nuw nsw i32 %quiet.0, 1
  %cond = select i1 %tobool.not40, i32 %add, i32 0
  %cmp = icmp samesign ult i32 %cond, 10
  br i1 %cmp, label %for.cond.backedge, label %if.end

for.cond.backedge:
  %quiet.0.be = phi i32 [ 0, %while.end ], [ %cond, %for.cond.cleanup ]
  br label %for.cond

for.body:
  %l.041 = phi ptr [ %4, %for.body ], [ %2, %list.exit ]
  %flag = getelementptr inbounds nuw i8, ptr %l.041, i64 12
  %3 = atomicrmw or ptr %flag, i32 1 monotonic, align 4
  %next = getelementptr inbounds nuw i8, ptr %l.041, i64 56
  %4 = load ptr, ptr %next, align 8
  %tobool.not = icmp eq ptr %4, null
  br i1 %tobool.not, label %for.cond.cleanup, label %for.body

if.end:
  %call5 = tail call i32 @pthread_mutex_lock(ptr noundef nonnull %pool) #11
  store atomic i32 2, ptr %ticker monotonic, align 4
  fence seq_cst
  %5 = load atomic i64, ptr %launches monotonic, align 8
  %tobool9.not = icmp eq i64 %5, 0
  br i1 %tobool9.not, label %if.end13, label %if.then10

if.then10:
  store atomic i32 1, ptr %ticker monotonic, align 4
  br label %if.end13

if.end13:
  %6 = load atomic i32, ptr %ticker monotonic, align 4
  %cmp16.not42 = icmp eq i32 %6, 1
  br i1 %cmp16.not42, label %while.end, label %while.body

while.body:
  %call20 = tail call i32 @pthread_cond_wait(ptr noundef nonnull %wake, ptr noundef nonnull %pool) #11
  %7 = load atomic i32, ptr %ticker monotonic, align 4
  %cmp16.not = icmp eq i32 %7, 1
  br i1 %cmp16.not, label %while.end, label %while.body

while.end:
  %call23 = tail call i32 @pthread_mutex_unlock(ptr noundef nonnull %pool) #11
  br label %for.cond.backedge
}

declare i32 @pthread_mutex_unlock(ptr noundef) local_unnamed_addr

declare i32 @sigfillset(ptr noundef) local_unnamed_addr

declare i32 @pthread_sigmask(i32 noundef, ptr noundef, ptr noundef) local_unnamed_addr

declare i32 @pthread_attr_init(ptr noundef) local_unnamed_addr

declare i32 @pthread_attr_setdetachstate(ptr noundef, i32 noundef) local_unnamed_addr

declare i32 @pthread_attr_setstacksize(ptr noundef, i64 noundef) local_unnamed_addr

declare i32 @pthread_create(ptr noundef, ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr

declare i32 @pthread_attr_destroy(ptr noundef) local_unnamed_addr

declare i32 @usleep(i32 noundef) local_unnamed_addr

declare i32 @pthread_cond_wait(ptr noundef, ptr noundef) local_unnamed_addr

declare i32 @clock_gettime(i32 noundef, ptr noundef) local_unnamed_addr

declare void @free(ptr noundef) local_unnamed_addr

declare i32 @posix_memalign(ptr noundef, i64 noundef, i64 noundef) local_unnamed_addr

define internal noalias noundef nonnull ptr @worker(ptr noundef %pool) #6 {
entry:
  %scratch = alloca ptr, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %scratch) #12
  store ptr null, ptr %scratch, align 8
  %spins1 = getelementptr inbounds nuw i8, ptr %pool, i64 432
  %generation = getelementptr inbounds nuw i8, ptr %pool, i64 392
  %job5 = getelementptr inbounds nuw i8, ptr %pool, i64 400
  %wake = getelementptr inbounds nuw i8, ptr %pool, i64 128
  %active = getelementptr inbounds nuw i8, ptr %pool, i64 388
  %finished = getelementptr inbounds nuw i8, ptr %pool, i64 256
  br label %for.cond

for.cond:
  %bytes.0 = phi i64 [ 0, %entry ], [ %bytes.162, %if.end33 ]
  %seen.0 = phi i64 [ 0, %entry ], [ %4, %if.end33 ]
  %0 = load i32, ptr %spins1, align 8
  %cmp65.not = icmp eq i32 %0, 0
  br i1 %cmp65.not, label %for.cond.cleanup, label %land.rhs

land.rhs:
  %i.066 = phi i32 [ %inc, %for.body ], [ 0, %for.cond ]
  %1 = load atomic i64, ptr %generation monotonic, align 8
  %cmp3 = icmp eq i64 %1, %seen.0
  br i1 %cmp3, label %for.body, label %for.cond.cleanup

for.cond.cleanup:
  %call4 = call i32 @pthread_mutex_lock(ptr noundef nonnull %pool) #11
  br label %while.cond

for.body:
  %call = call i32 @sched_yield() #11
  %inc = add nuw i32 %i.066, 1
  %exitcond.not = icmp eq i32 %inc, %0
  br i1 %exitcond.not, label %for.cond.cleanup, label %land.rhs

while.cond:
  %2 = load ptr, ptr %job5, align 8
  %tobool.not = icmp eq ptr %2, null
  br i1 %tobool.not, label %while.body, label %lor.rhs

lor.rhs:
  %3 = load atomic i64, ptr %generation monotonic, align 8
  %cmp8 = icmp eq i64 %3, %seen.0
  br i1 %cmp8, label %while.body, label %while.end

while.body:
  %call12 = call i32 @pthread_cond_wait(ptr noundef nonnull %wake, ptr noundef nonnull %pool) #11
  br label %while.cond

while.end:
  %4 = load atomic i64, ptr %generation monotonic, align 8
  %5 = load atomic i32, ptr %active monotonic, align 4
  %add = add i32 %5, 1
  store atomic i32 %add, ptr %active release, align 4
  %call19 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %pool) #11
  %6 = load ptr, ptr %2, align 64
  %scratch_bytes = getelementptr inbounds nuw i8, ptr %6, i64 8
  %7 = load i64, ptr %scratch_bytes, align 8
  %cmp.not.i = icmp ult i64 %bytes.0, %7
  br i1 %cmp.not.i, label %if.end.i, label %if.then

if.end.i:
  %8 = load ptr, ptr %scratch, align 8
  call void @free(ptr noundef %8) #11
  store ptr null, ptr %scratch, align 8
  %call.i = call i32 @posix_memalign(ptr noundef nonnull %scratch, i64 noundef 64, i64 noundef %7) #11
  %tobool.not.i = icmp eq i32 %call.i, 0
  br i1 %tobool.not.i, label %if.end.i.if.then_crit_edge, label %reserve.exit

if.end.i.if.then_crit_edge:
  %.pre = load ptr, ptr %2, align 64
  br label %if.then

reserve.exit:
  store ptr null, ptr %scratch, align 8
  br label %if.end

if.then:
  %9 = phi ptr [ %.pre, %if.end.i.if.then_crit_edge ], [ %6, %while.end ]
  %bytes.1.ph = phi i64 [ %7, %if.end.i.if.then_crit_edge ], [ %bytes.0, %while.end ]
  %10 = load ptr, ptr %scratch, align 8
  %11 = load ptr, ptr %9, align 8
  %blocks2.i = getelementptr inbounds nuw i8, ptr %2, i64 24
  %12 = load i64, ptr %blocks2.i, align 8
  %chunk3.i = getelementptr inbounds nuw i8, ptr %2, i64 32
  %13 = load i64, ptr %chunk3.i, align 32
  %next.i = getelementptr inbounds nuw i8, ptr %2, i64 64
  %14 = atomicrmw add ptr %next.i, i64 %13 monotonic, align 64
  %cmp.not48.i = icmp ult i64 %14, %12
  br i1 %cmp.not48.i, label %if.end.lr.ph.i, label %if.end

if.end.lr.ph.i:
  %args.i = getelementptr inbounds nuw i8, ptr %2, i64 8
  %launch.i = getelementptr inbounds nuw i8, ptr %2, i64 16
  br label %if.end.i57

if.end.i57:
  %15 = phi i64 [ %14, %if.end.lr.ph.i ], [ %18, %if.end10.i ]
  %add.i = add i64 %15, %13
  %cond.i.i = call noundef i64 @llvm.umin.i64(i64 %add.i, i64 %12)
  %16 = load ptr, ptr %args.i, align 8
  %17 = load ptr, ptr %launch.i, align 16
  %call4.i = call i64 %11(ptr noundef %16, ptr noundef %17, i64 noundef %15, i64 noundef %cond.i.i, ptr noundef %10) #11
  %tobool.not.i58 = icmp eq i64 %call4.i, 0
  br i1 %tobool.not.i58, label %if.end10.i, label %if.then6.i

if.then6.i:
  %failed.i = getelementptr inbounds nuw i8, ptr %2, i64 128
  store atomic i64 %call4.i, ptr %failed.i monotonic, align 64
  store atomic i64 %12, ptr %next.i monotonic, align 64
  br label %if.end

if.end10.i:
  %18 = atomicrmw add ptr %next.i, i64 %13 monotonic, align 64
  %cmp.not.i59 = icmp ult i64 %18, %12
  br i1 %cmp.not.i59, label %if.end.i57, label %if.end

if.end:
  %bytes.162 = phi i64 [ 0, %reserve.exit ], [ %bytes.1.ph, %if.then ], [ %bytes.1.ph, %if.then6.i ], [ %bytes.1.ph, %if.end10.i ]
  %call24 = call i32 @pthread_mutex_lock(ptr noundef nonnull %pool) #11
  %19 = load atomic i32, ptr %active monotonic, align 4
  %sub = add i32 %19, -1
  store atomic i32 %sub, ptr %active release, align 4
  %tobool29.not = icmp eq i32 %sub, 0
  br i1 %tobool29.not, label %if.then30, label %if.end33

if.then30:
  %call32 = call i32 @pthread_cond_signal(ptr noundef nonnull %finished) #11
  br label %if.end33

if.end33:
  %call36 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %pool) #11
  br label %for.cond
}

declare i32 @pthread_cond_signal(ptr noundef) local_unnamed_addr

declare i64 @llvm.vector.reduce.or.v8i64(<8 x i64>) #7

declare i64 @llvm.vector.reduce.or.v4i64(<4 x i64>) #7

declare i64 @llvm.cttz.i64(i64, i1 immarg) #7

declare void @llvm.memset.p0.i64(ptr writeonly captures(none), i8, i64, i1 immarg) #8

define internal fastcc ptr @python(ptr noundef %function, ptr noundef readonly captures(none) %ctx, ptr noundef %status, ptr noundef nonnull %geometry, ptr noundef nonnull readonly captures(none) %call) unnamed_addr #0 {
entry:
  %positional = getelementptr inbounds nuw i8, ptr %call, i64 8
  %0 = load i64, ptr %positional, align 8
  %keyword = getelementptr inbounds nuw i8, ptr %call, i64 16
  %1 = load i64, ptr %keyword, align 8
  %add = add i64 %1, %0
  %tobool.not = icmp eq ptr %status, null
  %conv = select i1 %tobool.not, i64 1, i64 2
  %add1 = add i64 %add, %conv
  %mul = shl i64 %add1, 3
  %2 = alloca i8, i64 %mul, align 16
  store ptr %status, ptr %2, align 16
  %3 = getelementptr ptr, ptr %2, i64 %conv
  %arrayidx2 = getelementptr i8, ptr %3, i64 -8
  store ptr %geometry, ptr %arrayidx2, align 8
  %cmp27 = icmp sgt i64 %add, 0
  br i1 %cmp27, label %for.body.lr.ph, label %for.cond.cleanup

for.body.lr.ph:
  %4 = load ptr, ptr %call, align 8
  br label %for.body

for.cond.cleanup:
  %add8 = add i64 %0, %conv
  %names = getelementptr inbounds nuw i8, ptr %call, i64 24
  %5 = load ptr, ptr %names, align 8
  %call9 = call ptr @PyObject_Vectorcall(ptr noundef %function, ptr noundef nonnull %2, i64 noundef %add8, ptr noundef %5) #11
  %tobool10.not = icmp eq ptr %call9, null
  br i1 %tobool10.not, label %if.then, label %if.end

for.body:
  %i.028 = phi i64 [ 0, %for.body.lr.ph ], [ %inc, %for.body ]
  %arrayidx4 = getelementptr inbounds nuw ptr, ptr %4, i64 %i.028
  %6 = load ptr, ptr %arrayidx4, align 8
  %arrayidx6 = getelementptr ptr, ptr %3, i64 %i.028
  store ptr %6, ptr %arrayidx6, align 8
  %inc = add nuw nsw i64 %i.028, 1
  %exitcond.not = icmp eq i64 %inc, %add
  br i1 %exitcond.not, label %for.cond.cleanup, label %for.body

if.then:
  call fastcc void @strip(ptr noundef %ctx) #13
  br label %if.end

if.end:
  ret ptr %call9
}

declare i32 @PyCallable_Check(ptr noundef) local_unnamed_addr

declare i32 @PyErr_ExceptionMatches(ptr noundef) local_unnamed_addr

declare void @PyErr_Clear() local_unnamed_addr

define internal fastcc i1 @extents(ptr noundef %t, ptr noundef readonly captures(none) %ctx, ptr noundef nonnull writeonly captures(none) initializes((8, 24)) %out) unnamed_addr #0 {
entry:
  %size1 = getelementptr inbounds nuw i8, ptr %t, i64 16
  %0 = load i64, ptr %size1, align 8
  %arrayidx = getelementptr inbounds nuw i8, ptr %out, i64 16
  store i64 1, ptr %arrayidx, align 8
  %arrayidx2 = getelementptr inbounds nuw i8, ptr %out, i64 8
  store i64 1, ptr %arrayidx2, align 8
  %type = getelementptr inbounds nuw i8, ptr %t, i64 8
  %1 = load ptr, ptr %type, align 8
  %tuple_ = getelementptr inbounds nuw i8, ptr %ctx, i64 32
  %2 = load ptr, ptr %tuple_, align 8
  %cmp.not = icmp eq ptr %1, %2
  br i1 %cmp.not, label %if.end, label %if.then

if.then:
  %int_.i = getelementptr inbounds nuw i8, ptr %ctx, i64 8
  %3 = load ptr, ptr %int_.i, align 8
  %cmp.not.i = icmp eq ptr %1, %3
  br i1 %cmp.not.i, label %if.end.i, label %cleanup13

if.end.i:
  %4 = getelementptr inbounds nuw i8, ptr %t, i64 24
  %5 = load i32, ptr %4, align 8
  %conv.i.i = zext i32 %5 to i64
  store i64 %conv.i.i, ptr %out, align 8
  %6 = load i64, ptr %size1, align 8
  %digit.i.i = getelementptr inbounds nuw i8, ptr %ctx, i64 232
  %7 = load i64, ptr %digit.i.i, align 8
  %cmp.i.i = icmp eq i64 %6, %7
  br i1 %cmp.i.i, label %if.then1.i, label %if.end4.i

if.then1.i:
  %cmp3.i = icmp sgt i32 %5, -1
  br label %cleanup13

if.end4.i:
  %call5.i = tail call i64 @PyLong_AsLongLong(ptr noundef nonnull %t) #11
  %cmp6.i = icmp eq i64 %call5.i, -1
  br i1 %cmp6.i, label %land.lhs.true.i, label %if.end9.i

land.lhs.true.i:
  %call7.i = tail call ptr @PyErr_Occurred() #11
  %tobool.not.i = icmp eq ptr %call7.i, null
  br i1 %tobool.not.i, label %cleanup13, label %if.then8.i

if.then8.i:
  tail call void @PyErr_Clear() #11
  br label %cleanup13

if.end9.i:
  %or.cond.i = icmp ugt i64 %call5.i, 2147483647
  br i1 %or.cond.i, label %cleanup13, label %if.end13.i

if.end13.i:
  store i64 %call5.i, ptr %out, align 8
  br label %cleanup13

if.end:
  %8 = add i64 %0, -4
  %or.cond = icmp ult i64 %8, -3
  br i1 %or.cond, label %cleanup13, label %for.body.lr.ph

for.body.lr.ph:
  %items.i = getelementptr inbounds nuw i8, ptr %ctx, i64 248
  %int_.i29 = getelementptr inbounds nuw i8, ptr %ctx, i64 8
  %digit.i.i35 = getelementptr inbounds nuw i8, ptr %ctx, i64 232
  br label %for.body

for.body:
  %i.062 = phi i64 [ 0, %for.body.lr.ph ], [ %inc, %for.inc ]
  %9 = load i64, ptr %items.i, align 8
  %add.ptr.i = getelementptr inbounds i8, ptr %t, i64 %9
  %arrayidx.i = getelementptr inbounds nuw ptr, ptr %add.ptr.i, i64 %i.062
  %10 = load ptr, ptr %arrayidx.i, align 8
  %arrayidx9 = getelementptr inbounds nuw i64, ptr %out, i64 %i.062
  %type.i28 = getelementptr inbounds nuw i8, ptr %10, i64 8
  %11 = load ptr, ptr %type.i28, align 8
  %12 = load ptr, ptr %int_.i29, align 8
  %cmp.not.i30 = icmp eq ptr %11, %12
  br i1 %cmp.not.i30, label %if.end.i32, label %cleanup13

if.end.i32:
  %13 = getelementptr inbounds nuw i8, ptr %10, i64 24
  %14 = load i32, ptr %13, align 8
  %conv.i.i33 = zext i32 %14 to i64
  store i64 %conv.i.i33, ptr %arrayidx9, align 8
  %size.i.i34 = getelementptr inbounds nuw i8, ptr %10, i64 16
  %15 = load i64, ptr %size.i.i34, align 8
  %16 = load i64, ptr %digit.i.i35, align 8
  %cmp.i.i36 = icmp eq i64 %15, %16
  br i1 %cmp.i.i36, label %is_signed.exit51, label %if.end4.i37

if.end4.i37:
  %call5.i38 = tail call i64 @PyLong_AsLongLong(ptr noundef nonnull %10) #11
  %cmp6.i39 = icmp eq i64 %call5.i38, -1
  br i1 %cmp6.i39, label %land.lhs.true.i45, label %if.end9.i40

land.lhs.true.i45:
  %call7.i46 = tail call ptr @PyErr_Occurred() #11
  %tobool.not.i47 = icmp eq ptr %call7.i46, null
  br i1 %tobool.not.i47, label %cleanup13, label %if.then8.i48

if.then8.i48:
  tail call void @PyErr_Clear() #11
  br label %cleanup13

if.end9.i40:
  %or.cond.i43 = icmp ugt i64 %call5.i38, 2147483647
  br i1 %or.cond.i43, label %cleanup13, label %is_signed.exit51.thread59

is_signed.exit51.thread59:
  store i64 %call5.i38, ptr %arrayidx9, align 8
  br label %for.inc

is_signed.exit51:
  %cmp3.i50 = icmp sgt i32 %14, -1
  br i1 %cmp3.i50, label %for.inc, label %cleanup13

for.inc:
  %inc = add nuw nsw i64 %i.062, 1
  %exitcond.not = icmp eq i64 %inc, %0
  br i1 %exitcond.not, label %cleanup13, label %for.body

cleanup13:
  %retval.1 = phi i1 [ false, %if.end ], [ false, %land.lhs.true.i ], [ false, %if.then ], [ %cmp3.i, %if.then1.i ], [ false, %if.then8.i ], [ true, %if.end13.i ], [ false, %if.end9.i ], [ false, %land.lhs.true.i45 ], [ false, %if.then8.i48 ], [ false, %is_signed.exit51 ], [ false, %for.body ], [ false, %if.end9.i40 ], [ true, %for.inc ]
  ret i1 %retval.1
}

declare i64 @PyLong_AsLongLong(ptr noundef) local_unnamed_addr

declare ptr @PyErr_Occurred() local_unnamed_addr

define internal fastcc i1 @same(ptr noundef %a, ptr noundef %b, ptr noundef readonly captures(none) %ctx) unnamed_addr #0 {
entry:
  %cmp = icmp eq ptr %a, %b
  br i1 %cmp, label %return, label %if.end

if.end:
  %type = getelementptr inbounds nuw i8, ptr %a, i64 8
  %0 = load ptr, ptr %type, align 8
  %type1 = getelementptr inbounds nuw i8, ptr %b, i64 8
  %1 = load ptr, ptr %type1, align 8
  %cmp2.not = icmp eq ptr %0, %1
  br i1 %cmp2.not, label %if.end4, label %return

if.end4:
  %int_ = getelementptr inbounds nuw i8, ptr %ctx, i64 8
  %2 = load ptr, ptr %int_, align 8
  %cmp6 = icmp eq ptr %0, %2
  br i1 %cmp6, label %if.then9, label %lor.lhs.false

lor.lhs.false:
  %str_ = getelementptr inbounds nuw i8, ptr %ctx, i64 24
  %3 = load ptr, ptr %str_, align 8
  %cmp8 = icmp eq ptr %0, %3
  br i1 %cmp8, label %if.then9, label %if.end11

if.then9:
  %call = tail call i32 @PyObject_RichCompareBool(ptr noundef nonnull %a, ptr noundef nonnull %b, i32 noundef 2) #11
  %cmp10 = icmp eq i32 %call, 1
  br label %return

if.end11:
  %float_ = getelementptr inbounds nuw i8, ptr %ctx, i64 16
  %4 = load ptr, ptr %float_, align 8
  %cmp13 = icmp eq ptr %0, %4
  br i1 %cmp13, label %if.then14, label %if.end18

if.then14:
  %call.i = tail call double @PyFloat_AsDouble(ptr noundef nonnull %a) #11
  %5 = bitcast double %call.i to i64
  %call.i60 = tail call double @PyFloat_AsDouble(ptr noundef nonnull %b) #11
  %6 = bitcast double %call.i60 to i64
  %cmp17 = icmp eq i64 %5, %6
  br label %return

if.end18:
  %tuple_ = getelementptr inbounds nuw i8, ptr %ctx, i64 32
  %7 = load ptr, ptr %tuple_, align 8
  %cmp20.not = icmp eq ptr %0, %7
  br i1 %cmp20.not, label %lor.lhs.false21, label %return

lor.lhs.false21:
  %size = getelementptr inbounds nuw i8, ptr %a, i64 16
  %8 = load i64, ptr %size, align 8
  %size22 = getelementptr inbounds nuw i8, ptr %b, i64 16
  %9 = load i64, ptr %size22, align 8
  %cmp23.not = icmp eq i64 %8, %9
  br i1 %cmp23.not, label %for.cond.preheader, label %return

for.cond.preheader:
  %cmp2761 = icmp slt i64 %8, 1
  br i1 %cmp2761, label %return, label %for.body.lr.ph

for.body.lr.ph:
  %items.i57 = getelementptr inbounds nuw i8, ptr %ctx, i64 248
  br label %for.body

for.cond:
  %inc = add nuw nsw i64 %i.062, 1
  %10 = load i64, ptr %size, align 8
  %cmp27.not = icmp slt i64 %inc, %10
  br i1 %cmp27.not, label %for.body, label %return

for.body:
  %i.062 = phi i64 [ 0, %for.body.lr.ph ], [ %inc, %for.cond ]
  %11 = load i64, ptr %items.i57, align 8
  %add.ptr.i58 = getelementptr inbounds i8, ptr %a, i64 %11
  %arrayidx.i59 = getelementptr inbounds nuw ptr, ptr %add.ptr.i58, i64 %i.062
  %12 = load ptr, ptr %arrayidx.i59, align 8
  %add.ptr.i = getelementptr inbounds i8, ptr %b, i64 %11
  %arrayidx.i = getelementptr inbounds nuw ptr, ptr %add.ptr.i, i64 %i.062
  %13 = load ptr, ptr %arrayidx.i, align 8
  %call30 = tail call fastcc i1 @same(ptr noundef %12, ptr noundef %13, ptr noundef nonnull %ctx) #13
  br i1 %call30, label %for.cond, label %return

return:
  %retval.1 = phi i1 [ false, %lor.lhs.false21 ], [ true, %entry ], [ %cmp10, %if.then9 ], [ %cmp17, %if.then14 ], [ false, %if.end ], [ false, %if.end18 ], [ true, %for.cond.preheader ], [ %call30, %for.cond ], [ %call30, %for.body ]
  ret i1 %retval.1
}

declare ptr @PyDict_GetItemWithError(ptr noundef, ptr noundef) local_unnamed_addr

declare ptr @PyCell_Get(ptr noundef) local_unnamed_addr

declare i32 @PyObject_RichCompareBool(ptr noundef, ptr noundef, i32 noundef) local_unnamed_addr

declare double @PyFloat_AsDouble(ptr noundef) local_unnamed_addr

declare i64 @PyLong_AsUnsignedLongLong(ptr noundef) local_unnamed_addr

declare float @llvm.fabs.f32(float) #9

declare double @llvm.fabs.f64(double) #9

define internal fastcc noundef i1 @strided(i1 noundef %plain, ptr noundef readonly captures(none) %param, i64 noundef %address, i64 noundef %rank, ptr noundef readonly captures(none) %shape, ptr noundef readonly captures(none) %strides, ptr noundef nonnull %out) unnamed_addr #3 {
entry:
  %key.i.i = alloca [12 x i64], align 64
  %tobool.not = icmp eq i64 %rank, 0
  br i1 %tobool.not, label %return, label %lor.lhs.false

lor.lhs.false:
  %high = getelementptr inbounds nuw i8, ptr %param, i64 24
  %0 = load i64, ptr %high, align 8
  %sub = add i64 %0, -1
  %and = and i64 %sub, %address
  %tobool1.not = icmp eq i64 %and, 0
  br i1 %tobool1.not, label %if.end, label %return

if.end:
  %1 = load i64, ptr %param, align 8
  %cmp = icmp eq i64 %1, 8
  br i1 %cmp, label %if.then2, label %if.end3

if.then2:
  %item = getelementptr inbounds nuw i8, ptr %param, i64 80
  %2 = load i64, ptr %item, align 8
  %rank1.i = getelementptr inbounds nuw i8, ptr %param, i64 32
  %3 = load i64, ptr %rank1.i, align 8
  %cmp.not.i31 = icmp eq i64 %3, %rank
  br i1 %cmp.not.i31, label %if.end.i32, label %return

if.end.i32:
  %strides2.i = getelementptr inbounds nuw i8, ptr %param, i64 72
  %4 = load ptr, ptr %strides2.i, align 8
  %shape3.i = getelementptr inbounds nuw i8, ptr %param, i64 64
  %5 = load ptr, ptr %shape3.i, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %key.i.i) #12
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 64 dereferenceable(96) %key.i.i, i8 0, i64 96, i1 false)
  %6 = getelementptr inbounds nuw i8, ptr %key.i.i, i64 88
  store i64 1, ptr %6, align 8
  store i64 %address, ptr %key.i.i, align 64
  br label %for.body.i.i

for.cond.cleanup.i.i:
  %7 = ptrtoint ptr %4 to i64
  %add.ptr.i = getelementptr inbounds i8, ptr %out, i64 %7
  %conv.i.i.i.i = zext i64 %xor.i.i.i to i128
  %mul.i.i.i.i = mul nuw i128 %conv.i.i.i.i, 11400714819323198485
  %shr.i.i.i.i = lshr i128 %mul.i.i.i.i, 64
  %xor4.i.i.i.i = xor i128 %shr.i.i.i.i, %mul.i.i.i.i
  %xor.i.i.i.i = trunc i128 %xor4.i.i.i.i to i64
  %mask.i.i.i = getelementptr inbounds nuw i8, ptr %5, i64 8
  %add.ptr1.i.i.i.i = getelementptr inbounds nuw i8, ptr %key.i.i, i64 64
  %8 = load ptr, ptr %5, align 8
  %9 = load i64, ptr %mask.i.i.i, align 8
  %10 = load <8 x i64>, ptr %key.i.i, align 64
  %11 = load <4 x i64>, ptr %add.ptr1.i.i.i.i, align 64
  br label %for.body.i.i.i

for.body.i.i.i:
  %i.030.i.i.i = phi i64 [ 0, %for.cond.cleanup.i.i ], [ %inc.i.i.i, %cleanup.i.i.i ]
  %add.i.i.i = add i64 %i.030.i.i.i, %xor.i.i.i.i
  %and.i.i.i = and i64 %add.i.i.i, %9
  %arrayidx.i.i.i = getelementptr inbounds nuw %struct.TensorMapRecord, ptr %8, i64 %and.i.i.i
  %12 = load <8 x i64>, ptr %arrayidx.i.i.i, align 8
  %xor.i26.i.i.i = xor <8 x i64> %12, %10
  %add.ptr.i.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx.i.i.i, i64 64
  %13 = load <4 x i64>, ptr %add.ptr.i.i.i.i, align 8
  %xor2.i.i.i.i = xor <4 x i64> %13, %11
  %rdx.or.i.i.i.i = tail call i64 @llvm.vector.reduce.or.v8i64(<8 x i64> %xor.i26.i.i.i)
  %rdx.or3.i.i.i.i = tail call i64 @llvm.vector.reduce.or.v4i64(<4 x i64> %xor2.i.i.i.i)
  %or.i.i.i.i = or i64 %rdx.or3.i.i.i.i, %rdx.or.i.i.i.i
  %cmp.i.i.i.i = icmp eq i64 %or.i.i.i.i, 0
  br i1 %cmp.i.i.i.i, label %if.end5.i, label %cleanup.i.i.i

cleanup.i.i.i:
  %14 = extractelement <4 x i64> %13, i64 3
  %tobool.not.not.i.i.i = icmp eq i64 %14, 0
  %inc.i.i.i = add nuw nsw i64 %i.030.i.i.i, 1
  %exitcond.i.i.i = icmp eq i64 %inc.i.i.i, 8
  %or.cond.i.i = select i1 %tobool.not.not.i.i.i, i1 true, i1 %exitcond.i.i.i
  br i1 %or.cond.i.i, label %described.exit.i, label %for.body.i.i.i

for.body.i.i:
  %k.037.i.i = phi i64 [ %add.i.i, %for.body.i.i ], [ 0, %if.end.i32 ]
  %hash.036.i.i = phi i64 [ %xor.i.i.i, %for.body.i.i ], [ %address, %if.end.i32 ]
  %arrayidx1.i.i = getelementptr inbounds nuw i64, ptr %shape, i64 %k.037.i.i
  %15 = load i64, ptr %arrayidx1.i.i, align 8
  %add.i.i = add nuw i64 %k.037.i.i, 1
  %arrayidx2.i.i = getelementptr inbounds nuw i64, ptr %key.i.i, i64 %add.i.i
  store i64 %15, ptr %arrayidx2.i.i, align 8
  %arrayidx3.i.i = getelementptr inbounds nuw i64, ptr %strides, i64 %k.037.i.i
  %16 = load i64, ptr %arrayidx3.i.i, align 8
  %mul.i.i = mul i64 %16, %2
  %17 = getelementptr i64, ptr %key.i.i, i64 %k.037.i.i
  %arrayidx5.i.i = getelementptr i8, ptr %17, i64 48
  store i64 %mul.i.i, ptr %arrayidx5.i.i, align 8
  %or.i29.i.i = tail call i64 @llvm.fshl.i64(i64 %hash.036.i.i, i64 %hash.036.i.i, i64 11)
  %xor.i30.i.i = xor i64 %15, %or.i29.i.i
  %or.i.i.i = tail call i64 @llvm.fshl.i64(i64 %xor.i30.i.i, i64 %xor.i30.i.i, i64 11)
  %xor.i.i.i = xor i64 %mul.i.i, %or.i.i.i
  %exitcond.not.i.i = icmp eq i64 %add.i.i, %rank
  br i1 %exitcond.not.i.i, label %for.cond.cleanup.i.i, label %for.body.i.i

described.exit.i:
  call void @llvm.lifetime.end.p0(ptr nonnull %key.i.i) #12
  br label %return

if.end5.i:
  %value13.i.i = getelementptr inbounds nuw i8, ptr %arrayidx.i.i.i, i64 128
  tail call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(128) %add.ptr.i, ptr noundef nonnull align 8 dereferenceable(128) %value13.i.i, i64 128, i1 false)
  %word.i.i = getelementptr inbounds nuw i8, ptr %add.ptr.i, i64 128
  store i64 %address, ptr %word.i.i, align 8
  call void @llvm.lifetime.end.p0(ptr nonnull %key.i.i) #12
  %18 = ptrtoint ptr %add.ptr.i to i64
  store i64 %18, ptr %out, align 8
  br label %return

if.end3:
  br i1 %plain, label %land.lhs.true11, label %for.body.i

for.body.i:
  %dec.i49.in = phi i64 [ %dec.i49, %if.end.i ], [ %rank, %if.end3 ]
  %unit.addr.0.i48 = phi i64 [ %mul.i, %if.end.i ], [ 1, %if.end3 ]
  %dec.i49 = add i64 %dec.i49.in, -1
  %arrayidx.i = getelementptr inbounds nuw i64, ptr %strides, i64 %dec.i49
  %19 = load i64, ptr %arrayidx.i, align 8
  %cmp1.not.i = icmp eq i64 %19, %unit.addr.0.i48
  br i1 %cmp1.not.i, label %if.end.i, label %return

if.end.i:
  %arrayidx4.i = getelementptr inbounds nuw i64, ptr %shape, i64 %dec.i49
  %20 = load i64, ptr %arrayidx4.i, align 8
  %mul.i = mul i64 %20, %unit.addr.0.i48
  %cmp.not.i = icmp eq i64 %dec.i49, 0
  br i1 %cmp.not.i, label %lor.lhs.false8, label %for.body.i

lor.lhs.false8:
  %rank9 = getelementptr inbounds nuw i8, ptr %param, i64 32
  %21 = load i64, ptr %rank9, align 8
  %cmp10.not = icmp eq i64 %21, -1
  br i1 %cmp10.not, label %if.end14, label %if.end.i34

land.lhs.true11:
  %rank1.i33.phi.trans.insert = getelementptr inbounds nuw i8, ptr %param, i64 32
  %.pre = load i64, ptr %rank1.i33.phi.trans.insert, align 8
  %cmp.i = icmp eq i64 %.pre, -1
  br i1 %cmp.i, label %for.body.i.i39, label %if.end.i34

for.body.i.i39:
  %dec.i32.in.i = phi i64 [ %dec.i32.i, %if.end.i.i ], [ %rank, %land.lhs.true11 ]
  %unit.addr.0.i31.i = phi i64 [ %mul.i.i40, %if.end.i.i ], [ 1, %land.lhs.true11 ]
  %dec.i32.i = add i64 %dec.i32.in.i, -1
  %arrayidx.i.i = getelementptr inbounds nuw i64, ptr %strides, i64 %dec.i32.i
  %22 = load i64, ptr %arrayidx.i.i, align 8
  %cmp1.not.i.i = icmp eq i64 %22, %unit.addr.0.i31.i
  %arrayidx4.i.phi.trans.insert.i = getelementptr inbounds nuw i64, ptr %shape, i64 %dec.i32.i
  %.pre.i = load i64, ptr %arrayidx4.i.phi.trans.insert.i, align 8
  br i1 %cmp1.not.i.i, label %for.body.i.if.end.i_crit_edge.i, label %land.lhs.true.i.i

for.body.i.if.end.i_crit_edge.i:
  %23 = mul i64 %.pre.i, %unit.addr.0.i31.i
  br label %if.end.i.i

land.lhs.true.i.i:
  %cmp3.not.i.i = icmp eq i64 %.pre.i, 1
  br i1 %cmp3.not.i.i, label %if.end.i.i, label %return

if.end.i.i:
  %mul.i.i40 = phi i64 [ %23, %for.body.i.if.end.i_crit_edge.i ], [ %unit.addr.0.i31.i, %land.lhs.true.i.i ]
  %cmp.not.i.i = icmp eq i64 %dec.i32.i, 0
  br i1 %cmp.not.i.i, label %if.end14, label %for.body.i.i39

if.end.i34:
  %24 = phi i64 [ %.pre, %land.lhs.true11 ], [ %21, %lor.lhs.false8 ]
  %cmp3.not.i = icmp eq i64 %24, %rank
  br i1 %cmp3.not.i, label %if.end5.i35, label %return

if.end5.i35:
  %shape6.i = getelementptr inbounds nuw i8, ptr %param, i64 64
  %25 = load ptr, ptr %shape6.i, align 8
  %strides7.i = getelementptr inbounds nuw i8, ptr %param, i64 72
  %26 = load ptr, ptr %strides7.i, align 8
  br label %for.cond.i17.i

for.cond.i17.i:
  %i.0.i18.i = phi i64 [ %rank, %if.end5.i35 ], [ %dec.i19.i, %if.end.i24.i ]
  %dec.i19.i = add i64 %i.0.i18.i, -1
  %cmp.not.i20.i = icmp eq i64 %i.0.i18.i, 0
  br i1 %cmp.not.i20.i, label %if.end14, label %for.body.i21.i

for.body.i21.i:
  %arrayidx.i22.i = getelementptr inbounds nuw i64, ptr %shape, i64 %dec.i19.i
  %27 = load i64, ptr %arrayidx.i22.i, align 8
  %arrayidx1.i.i36 = getelementptr inbounds nuw i64, ptr %25, i64 %dec.i19.i
  %28 = load i64, ptr %arrayidx1.i.i36, align 8
  %cmp2.not.i.i = icmp eq i64 %27, %28
  br i1 %cmp2.not.i.i, label %if.end.i24.i, label %return

if.end.i24.i:
  %arrayidx3.i.i37 = getelementptr inbounds nuw i64, ptr %strides, i64 %dec.i19.i
  %29 = load i64, ptr %arrayidx3.i.i37, align 8
  %arrayidx4.i25.i = getelementptr inbounds nuw i64, ptr %26, i64 %dec.i19.i
  %30 = load i64, ptr %arrayidx4.i25.i, align 8
  %cmp5.not.i.i = icmp eq i64 %29, %30
  %cmp7.not.i.i = icmp eq i64 %27, 1
  %or.cond.i.i38 = or i1 %cmp7.not.i.i, %cmp5.not.i.i
  br i1 %or.cond.i.i38, label %for.cond.i17.i, label %return

if.end14:
  store i64 %address, ptr %out, align 8
  br label %return

return:
  %retval.0 = phi i1 [ false, %entry ], [ false, %land.lhs.true.i.i ], [ true, %if.end14 ], [ true, %if.end5.i ], [ false, %lor.lhs.false ], [ false, %if.then2 ], [ false, %described.exit.i ], [ false, %if.end.i34 ], [ false, %if.end.i24.i ], [ false, %for.body.i21.i ], [ false, %for.body.i ]
  ret i1 %retval.0
}

declare ptr @PyLong_FromLongLong(i64 noundef) local_unnamed_addr

declare ptr @PyObject_CallFunctionObjArgs(ptr noundef, ...) local_unnamed_addr

define internal fastcc void @strip(ptr noundef readonly captures(none) %ctx) unnamed_addr #0 {
entry:
  %type = alloca ptr, align 8
  %value = alloca ptr, align 8
  %traceback = alloca ptr, align 8
  %keep_traceback = getelementptr inbounds nuw i8, ptr %ctx, i64 88
  %0 = load i64, ptr %keep_traceback, align 8
  %tobool.not = icmp eq i64 %0, 0
  br i1 %tobool.not, label %if.end, label %return

if.end:
  call void @llvm.lifetime.start.p0(ptr nonnull %type) #12
  call void @llvm.lifetime.start.p0(ptr nonnull %value) #12
  call void @llvm.lifetime.start.p0(ptr nonnull %traceback) #12
  call void @PyErr_Fetch(ptr noundef nonnull %type, ptr noundef nonnull %value, ptr noundef nonnull %traceback) #11
  call void @PyErr_NormalizeException(ptr noundef nonnull %type, ptr noundef nonnull %value, ptr noundef nonnull %traceback) #11
  %1 = load ptr, ptr %type, align 8
  %ave_error = getelementptr inbounds nuw i8, ptr %ctx, i64 72
  %2 = load ptr, ptr %ave_error, align 8
  %call = call i32 @PyErr_GivenExceptionMatches(ptr noundef %1, ptr noundef %2) #11
  %tobool1.not = icmp eq i32 %call, 0
  br i1 %tobool1.not, label %if.end7, label %if.then2

if.then2:
  %3 = load ptr, ptr %traceback, align 8
  %tobool3.not = icmp eq ptr %3, null
  br i1 %tobool3.not, label %if.end5, label %if.then4

if.then4:
  call void @Py_DecRef(ptr noundef nonnull %3) #11
  br label %if.end5

if.end5:
  store ptr null, ptr %traceback, align 8
  %4 = load ptr, ptr %value, align 8
  %none = getelementptr inbounds nuw i8, ptr %ctx, i64 40
  %5 = load ptr, ptr %none, align 8
  %call6 = call i32 @PyException_SetTraceback(ptr noundef %4, ptr noundef %5) #11
  br label %if.end7

if.end7:
  %6 = load ptr, ptr %type, align 8
  %7 = load ptr, ptr %value, align 8
  %8 = load ptr, ptr %traceback, align 8
  call void @PyErr_Restore(ptr noundef %6, ptr noundef %7, ptr noundef %8) #11
  call void @llvm.lifetime.end.p0(ptr nonnull %traceback) #12
  call void @llvm.lifetime.end.p0(ptr nonnull %value) #12
  call void @llvm.lifetime.end.p0(ptr nonnull %type) #12
  br label %return

return:
  ret void
}

declare void @PyErr_Fetch(ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr

declare void @PyErr_NormalizeException(ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr

declare i32 @PyErr_GivenExceptionMatches(ptr noundef, ptr noundef) local_unnamed_addr

declare i32 @PyException_SetTraceback(ptr noundef, ptr noundef) local_unnamed_addr

declare void @PyErr_Restore(ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr

declare ptr @PyObject_Vectorcall(ptr noundef, ptr noundef, i64 noundef, ptr noundef) local_unnamed_addr

declare i32 @PyObject_GC_IsTracked(ptr noundef) local_unnamed_addr

declare void @PyObject_GC_Track(ptr noundef) local_unnamed_addr

declare i64 @llvm.umax.i64(i64, i64) #10

declare i64 @llvm.umin.i64(i64, i64) #10

declare i64 @llvm.fshl.i64(i64, i64, i64) #10

declare i64 @llvm.smax.i64(i64, i64) #10

declare i64 @llvm.smin.i64(i64, i64) #10

attributes #0 = { nounwind }
attributes #2 = { mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #3 = { nofree norecurse nosync nounwind memory(readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none) }
attributes #4 = { mustprogress nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #5 = { nofree norecurse nosync nounwind memory(argmem: read) }
attributes #6 = { noreturn nounwind }
attributes #7 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #8 = { mustprogress nocallback nofree nounwind willreturn memory(argmem: write) }
attributes #9 = { mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #10 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #11 = { nobuiltin nounwind }
attributes #12 = { nounwind }
attributes #13 = { nobuiltin }
