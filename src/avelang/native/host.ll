; Made by `./dev native` of host/host.c, SHA-256 7195835b511b6ea36a11e0e8eea55e47410b8e24e1268be9eed40591d2969a62

%struct.Subscript = type { ptr, i64, ptr }
%struct.Dry = type { ptr, ptr }
%struct.XlaCalls = type { ptr, i64, i64, i64, ptr, ptr, ptr, ptr }
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
%struct.Walk = type { ptr, ptr, i64, i64, i8, i64, [384 x i64], [32 x i64] }
%struct.Check = type { ptr, i64, i64, i64 }
%struct.RepeatLaunch = type { ptr, ptr, i64, ptr, i64, ptr, [3 x i32] }
%struct.Made = type { ptr, i64, i64, [5 x ptr], ptr, i64, i64 }
%struct.XlaKey = type { i64, i64, i64, i64, [512 x i64], [64 x i64] }
%struct.XlaFailure = type { i64, ptr, ptr, ptr }
%struct.XlaAsk = type { i64, ptr, ptr, i64 }
%struct.Moving = type { i64, i64, i64, ptr, i64, i64, ptr, ptr, i64 }
%struct.XlaTake = type { i64, ptr, ptr, i64, i64, ptr }
%struct.XlaGive = type { i64, ptr, ptr, i64, ptr }
%struct.XlaStep = type { ptr, ptr }

@interrupted_pool = internal unnamed_addr global ptr null, align 8
@ave_subscripts = local_unnamed_addr global %struct.Subscript zeroinitializer, align 8
@ave_dry = local_unnamed_addr global %struct.Dry zeroinitializer, align 8
@ave_xla_cuda = global %struct.XlaCalls zeroinitializer, align 8
@ave_xla_rocm = global %struct.XlaCalls zeroinitializer, align 8
@ave_recent = local_unnamed_addr global [8 x %struct.Recent] zeroinitializer, align 16
@ave_launched = local_unnamed_addr global i64 0, align 8
@PyExc_TypeError = external local_unnamed_addr global ptr, align 8
@.str = private unnamed_addr constant [10 x i8] c"AVE_CHECK\00", align 1

define void @ave_pool_init(ptr noundef %pool) local_unnamed_addr #0 {
entry:
  %call = tail call i32 @pthread_mutex_init(ptr noundef %pool, ptr noundef null) #15
  %wake = getelementptr inbounds nuw i8, ptr %pool, i64 128
  %call2 = tail call i32 @pthread_cond_init(ptr noundef nonnull %wake, ptr noundef null) #15
  %finished = getelementptr inbounds nuw i8, ptr %pool, i64 256
  %call4 = tail call i32 @pthread_cond_init(ptr noundef nonnull %finished, ptr noundef null) #15
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
  %call = tail call ptr @pthread_self() #15
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
  tail call void @PyEval_RestoreThread(ptr noundef nonnull %2) #15
  %call8 = tail call i32 @PyErr_CheckSignals() #15
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
  %call2547 = tail call ptr @PyEval_SaveThread() #15
  br label %return

if.then17:
  %hook = getelementptr inbounds nuw i8, ptr %4, i64 480
  %7 = load ptr, ptr %hook, align 8
  %call18 = tail call ptr @PyObject_CallNoArgs(ptr noundef %7) #15
  %tobool19.not = icmp eq ptr %call18, null
  br i1 %tobool19.not, label %if.then27, label %if.end24.thread54

if.end24.thread54:
  tail call void @Py_DecRef(ptr noundef nonnull %call18) #15
  %call2556 = tail call ptr @PyEval_SaveThread() #15
  br label %return

if.then27:
  %call25 = tail call ptr @PyEval_SaveThread() #15
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
  call void @llvm.lifetime.start.p0(ptr nonnull %action) #16
  store ptr %pool, ptr @interrupted_pool, align 8
  %call = call i32 @sigaction(i32 noundef %signal, ptr noundef null, ptr noundef nonnull %action) #15
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
  %call6 = call i32 @sigaction(i32 noundef %signal, ptr noundef nonnull %action, ptr noundef null) #15
  br label %cleanup

cleanup:
  call void @llvm.lifetime.end.p0(ptr nonnull %action) #16
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
  tail call void %2(i32 noundef %signal, ptr noundef %info, ptr noundef %context) #15
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
  call void @llvm.lifetime.start.p0(ptr nonnull %launch) #16
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
  %call = tail call ptr @pthread_self() #15
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
  %call.i.i = tail call i32 @sched_yield() #15
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
  %call.i16.i = call i32 @pthread_mutex_lock(ptr noundef nonnull %pool) #15
  %9 = load i32, ptr %ticker.i, align 4
  %cmp.i.i = icmp eq i32 %9, 0
  store atomic i32 1, ptr %ticker.i monotonic, align 4
  br i1 %cmp.i.i, label %if.else.i.i, label %if.then.i.i

if.then.i.i:
  %wake.i.i = getelementptr inbounds nuw i8, ptr %pool, i64 128
  %call3.i.i = call i32 @pthread_cond_broadcast(ptr noundef nonnull %wake.i.i) #15
  br label %wake_ticker.exit.i

if.else.i.i:
  call void @llvm.lifetime.start.p0(ptr nonnull %attributes.i.i.i) #16
  call void @llvm.lifetime.start.p0(ptr nonnull %all.i.i.i) #16
  call void @llvm.lifetime.start.p0(ptr nonnull %old.i.i.i) #16
  call void @llvm.lifetime.start.p0(ptr nonnull %thread.i.i.i) #16
  %call.i.i.i = call i32 @sigfillset(ptr noundef nonnull %all.i.i.i) #15
  %set_mask.i.i.i = getelementptr inbounds nuw i8, ptr %pool, i64 440
  %10 = load i32, ptr %set_mask.i.i.i, align 8
  %call3.i.i.i = call i32 @pthread_sigmask(i32 noundef %10, ptr noundef nonnull %all.i.i.i, ptr noundef nonnull %old.i.i.i) #15
  %call5.i.i.i = call i32 @pthread_attr_init(ptr noundef nonnull %attributes.i.i.i) #15
  %detached.i.i.i = getelementptr inbounds nuw i8, ptr %pool, i64 444
  %11 = load i32, ptr %detached.i.i.i, align 4
  %call7.i.i.i = call i32 @pthread_attr_setdetachstate(ptr noundef nonnull %attributes.i.i.i, i32 noundef %11) #15
  %stack.i.i.i = getelementptr inbounds nuw i8, ptr %pool, i64 448
  %12 = load i64, ptr %stack.i.i.i, align 8
  %call9.i.i.i = call i32 @pthread_attr_setstacksize(ptr noundef nonnull %attributes.i.i.i, i64 noundef %12) #15
  %call11.i.i.i = call i32 @pthread_create(ptr noundef nonnull %thread.i.i.i, ptr noundef nonnull %attributes.i.i.i, ptr noundef nonnull @tick, ptr noundef nonnull %pool) #15
  %call13.i.i.i = call i32 @pthread_attr_destroy(ptr noundef nonnull %attributes.i.i.i) #15
  %13 = load i32, ptr %set_mask.i.i.i, align 8
  %call16.i.i.i = call i32 @pthread_sigmask(i32 noundef %13, ptr noundef nonnull %old.i.i.i, ptr noundef null) #15
  %cmp.i.i.i = icmp eq i32 %call11.i.i.i, 0
  call void @llvm.lifetime.end.p0(ptr nonnull %thread.i.i.i) #16
  call void @llvm.lifetime.end.p0(ptr nonnull %old.i.i.i) #16
  call void @llvm.lifetime.end.p0(ptr nonnull %all.i.i.i) #16
  call void @llvm.lifetime.end.p0(ptr nonnull %attributes.i.i.i) #16
  br i1 %cmp.i.i.i, label %wake_ticker.exit.i, label %if.then5.i.i

if.then5.i.i:
  store atomic i32 0, ptr %ticker.i monotonic, align 4
  br label %wake_ticker.exit.i

wake_ticker.exit.i:
  %call11.i.i = call i32 @pthread_mutex_unlock(ptr noundef nonnull %pool) #15
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
  call void @llvm.lifetime.start.p0(ptr nonnull %t.i.i) #16
  %clock.i.i = getelementptr inbounds nuw i8, ptr %pool, i64 436
  %17 = load i32, ptr %clock.i.i, align 4
  %call.i.i20 = call i32 @clock_gettime(i32 noundef %17, ptr noundef nonnull %t.i.i) #15
  %18 = load i64, ptr %t.i.i, align 16
  %mul.i.neg.i = mul i64 %18, -1000000000
  %arrayidx1.i.i = getelementptr inbounds nuw i8, ptr %t.i.i, i64 8
  %19 = load i64, ptr %arrayidx1.i.i, align 8
  %add.i.neg81.i = sub i64 %mul.i.neg.i, %19
  call void @llvm.lifetime.end.p0(ptr nonnull %t.i.i) #16
  %taken.i = getelementptr inbounds nuw i8, ptr %pool, i64 384
  %20 = cmpxchg ptr %taken.i, i32 0, i32 1 acquire monotonic, align 8
  %21 = extractvalue { i32, i1 } %20, 1
  %scratch_bytes12.i = getelementptr inbounds nuw i8, ptr %kernel, i64 8
  br i1 %21, label %if.end11.i, label %if.then9.i

if.then9.i:
  call void @llvm.lifetime.start.p0(ptr nonnull %scratch.i.i) #16
  store ptr null, ptr %scratch.i.i, align 8
  %22 = load i64, ptr %scratch_bytes12.i, align 8
  %cmp.not.i.not.i.i = icmp eq i64 %22, 0
  br i1 %cmp.not.i.not.i.i, label %if.end.i.i, label %if.end.i.i.i

if.end.i.i.i:
  call void @free(ptr noundef null) #15
  store ptr null, ptr %scratch.i.i, align 8
  %call.i.i.i21 = call i32 @posix_memalign(ptr noundef nonnull %scratch.i.i, i64 noundef 64, i64 noundef %22) #15
  %tobool.not.i.i.i = icmp eq i32 %call.i.i.i21, 0
  br i1 %tobool.not.i.i.i, label %if.end.i.if.end_crit_edge.i.i, label %run_alone.exit.i

if.end.i.if.end_crit_edge.i.i:
  %.pre.i.i = load ptr, ptr %scratch.i.i, align 8
  br label %if.end.i.i

if.end.i.i:
  %23 = phi ptr [ %.pre.i.i, %if.end.i.if.end_crit_edge.i.i ], [ null, %if.then9.i ]
  %24 = load ptr, ptr %kernel, align 8
  %call1.i.i = call i64 %24(ptr noundef %args, ptr noundef nonnull %launch, i64 noundef 0, i64 noundef range(i64 1, 0) %mul8.i, ptr noundef %23) #15
  %25 = load ptr, ptr %scratch.i.i, align 8
  call void @free(ptr noundef %25) #15
  call void @llvm.lifetime.start.p0(ptr nonnull %t.i.i.i) #16
  %26 = load i32, ptr %clock.i.i, align 4
  %call.i6.i.i = call i32 @clock_gettime(i32 noundef %26, ptr noundef nonnull %t.i.i.i) #15
  %27 = load i64, ptr %t.i.i.i, align 16
  %mul.i.i.i = mul i64 %27, 1000000000
  %arrayidx1.i.i.i = getelementptr inbounds nuw i8, ptr %t.i.i.i, i64 8
  %28 = load i64, ptr %arrayidx1.i.i.i, align 8
  call void @llvm.lifetime.end.p0(ptr nonnull %t.i.i.i) #16
  %add.i.i.i = add i64 %28, %add.i.neg81.i
  %sub.i.i = add i64 %add.i.i.i, %mul.i.i.i
  %last_ns.i.i = getelementptr inbounds nuw i8, ptr %kernel, i64 32
  store i64 %sub.i.i, ptr %last_ns.i.i, align 8
  br label %run_alone.exit.i

run_alone.exit.i:
  %retval.0.i.i = phi i64 [ %call1.i.i, %if.end.i.i ], [ -1, %if.end.i.i.i ]
  call void @llvm.lifetime.end.p0(ptr nonnull %scratch.i.i) #16
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
  call void @free(ptr noundef %31) #15
  store ptr null, ptr %scratch.i, align 8
  store i64 0, ptr %scratch_bytes.i, align 8
  %call.i59.i = call i32 @posix_memalign(ptr noundef nonnull %scratch.i, i64 noundef 64, i64 noundef %29) #15
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
  call void @llvm.lifetime.start.p0(ptr nonnull %job.i) #16
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
  %call4.i.i.i = call i64 %35(ptr noundef %args, ptr noundef nonnull %launch, i64 noundef %37, i64 noundef %cond.i.i.i.i, ptr noundef %32) #15
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
  %call4.i87.i.i = call i64 %39(ptr noundef %args, ptr noundef nonnull %launch, i64 noundef %41, i64 noundef %cond.i.i86.i.i, ptr noundef %32) #15
  %sub.i88.i.i = sub i64 %cond.i.i86.i.i, %41
  %add5.i89.i.i = add i64 %sub.i88.i.i, %ran.049.i84.i.i
  %tobool.not.i90.i.i = icmp eq i64 %call4.i87.i.i, 0
  br i1 %tobool.not.i90.i.i, label %if.end10.i93.i.i, label %if.then6.i91.i.i

if.then6.i91.i.i:
  store atomic i64 %call4.i87.i.i, ptr %failed.i monotonic, align 64
  store atomic i64 %mul8.i, ptr %next.i22 monotonic, align 64
  br label %work.exit95.i.i

if.end10.i93.i.i:
  call void @llvm.lifetime.start.p0(ptr nonnull %t.i.i72.i.i) #16
  %42 = load i32, ptr %clock.i.i, align 4
  %call.i.i.i.i = call i32 @clock_gettime(i32 noundef %42, ptr noundef nonnull %t.i.i72.i.i) #15
  %43 = load i64, ptr %t.i.i72.i.i, align 16
  %mul.i.i.i.i = mul i64 %43, 1000000000
  %44 = load i64, ptr %arrayidx1.i.i82.i.i, align 8
  call void @llvm.lifetime.end.p0(ptr nonnull %t.i.i72.i.i) #16
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
  call void @llvm.lifetime.start.p0(ptr nonnull %attributes.i.i.i.i.i) #16
  call void @llvm.lifetime.start.p0(ptr nonnull %all.i.i.i.i.i) #16
  call void @llvm.lifetime.start.p0(ptr nonnull %old.i.i.i.i.i) #16
  call void @llvm.lifetime.start.p0(ptr nonnull %thread.i.i.i.i.i) #16
  %call.i.i.i.i.i = call i32 @sigfillset(ptr noundef nonnull %all.i.i.i.i.i) #15
  %49 = load i32, ptr %set_mask.i.i.i.i.i, align 8
  %call3.i.i.i.i.i = call i32 @pthread_sigmask(i32 noundef %49, ptr noundef nonnull %all.i.i.i.i.i, ptr noundef nonnull %old.i.i.i.i.i) #15
  %call5.i.i.i.i.i = call i32 @pthread_attr_init(ptr noundef nonnull %attributes.i.i.i.i.i) #15
  %50 = load i32, ptr %detached.i.i.i.i.i, align 4
  %call7.i.i.i.i.i = call i32 @pthread_attr_setdetachstate(ptr noundef nonnull %attributes.i.i.i.i.i, i32 noundef %50) #15
  %51 = load i64, ptr %stack.i.i.i.i.i, align 8
  %call9.i.i.i.i.i = call i32 @pthread_attr_setstacksize(ptr noundef nonnull %attributes.i.i.i.i.i, i64 noundef %51) #15
  %call11.i.i.i.i.i = call i32 @pthread_create(ptr noundef nonnull %thread.i.i.i.i.i, ptr noundef nonnull %attributes.i.i.i.i.i, ptr noundef nonnull @worker, ptr noundef nonnull %pool) #15
  %call13.i.i.i.i.i = call i32 @pthread_attr_destroy(ptr noundef nonnull %attributes.i.i.i.i.i) #15
  %52 = load i32, ptr %set_mask.i.i.i.i.i, align 8
  %call16.i.i.i.i.i = call i32 @pthread_sigmask(i32 noundef %52, ptr noundef nonnull %old.i.i.i.i.i, ptr noundef null) #15
  %cmp.i.i.i.i.i = icmp eq i32 %call11.i.i.i.i.i, 0
  call void @llvm.lifetime.end.p0(ptr nonnull %thread.i.i.i.i.i) #16
  call void @llvm.lifetime.end.p0(ptr nonnull %old.i.i.i.i.i) #16
  call void @llvm.lifetime.end.p0(ptr nonnull %all.i.i.i.i.i) #16
  call void @llvm.lifetime.end.p0(ptr nonnull %attributes.i.i.i.i.i) #16
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
  %call.i.i66.i = call i32 @pthread_mutex_lock(ptr noundef nonnull %pool) #15
  %job2.i.i.i = getelementptr inbounds nuw i8, ptr %pool, i64 400
  store ptr %job.i, ptr %job2.i.i.i, align 8
  %generation.i.i.i = getelementptr inbounds nuw i8, ptr %pool, i64 392
  %55 = load atomic i64, ptr %generation.i.i.i monotonic, align 8
  %add.i96.i.i = add i64 %55, 1
  store atomic i64 %add.i96.i.i, ptr %generation.i.i.i monotonic, align 8
  %call6.i.i.i = call i32 @pthread_mutex_unlock(ptr noundef nonnull %pool) #15
  %wake.i.i.i = getelementptr inbounds nuw i8, ptr %pool, i64 128
  %call8.i.i.i = call i32 @pthread_cond_broadcast(ptr noundef nonnull %wake.i.i.i) #15
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
  %call4.i.i.i.i = call i64 %57(ptr noundef %62, ptr noundef %63, i64 noundef %61, i64 noundef %cond.i.i.i.i.i, ptr noundef %32) #15
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
  %call12.i.i.i = call i32 @pthread_mutex_lock(ptr noundef nonnull %pool) #15
  store ptr null, ptr %job2.i.i.i, align 8
  %call16.i.i.i26 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %pool) #15
  %active.i.i.i = getelementptr inbounds nuw i8, ptr %pool, i64 388
  br label %for.body.i.i.i

for.body.i.i.i:
  %i.073.i.i.i = phi i32 [ 0, %work.exit.i.i.i ], [ %inc.i.i.i, %if.end.i98.i.i ]
  %65 = load atomic i32, ptr %active.i.i.i acquire, align 4
  %tobool.not.i97.i.i = icmp eq i32 %65, 0
  br i1 %tobool.not.i97.i.i, label %share.exit.i.i, label %if.end.i98.i.i

if.end.i98.i.i:
  %call18.i.i.i = call i32 @sched_yield() #15
  %inc.i.i.i = add nuw nsw i32 %i.073.i.i.i, 1
  %exitcond.i.i.i = icmp eq i32 %inc.i.i.i, 64
  br i1 %exitcond.i.i.i, label %for.end.i.i.i, label %for.body.i.i.i

for.end.i.i.i:
  %call21.i.i.i = call i32 @pthread_mutex_lock(ptr noundef nonnull %pool) #15
  %66 = load atomic i32, ptr %active.i.i.i acquire, align 4
  %tobool24.not74.i.i.i = icmp eq i32 %66, 0
  br i1 %tobool24.not74.i.i.i, label %while.end.i.i.i, label %while.body.lr.ph.i.i.i

while.body.lr.ph.i.i.i:
  %finished.i.i.i = getelementptr inbounds nuw i8, ptr %pool, i64 256
  br label %while.body.i.i.i

while.body.i.i.i:
  %call28.i.i.i = call i32 @pthread_cond_wait(ptr noundef nonnull %finished.i.i.i, ptr noundef nonnull %pool) #15
  %67 = load atomic i32, ptr %flag monotonic, align 4
  %cmp30.not.i.i.i = icmp eq i32 %67, 1
  br i1 %cmp30.not.i.i.i, label %if.end32.i.i.i, label %while.cond.backedge.i.i.i

if.end32.i.i.i:
  %call35.i.i.i = call i32 @pthread_mutex_unlock(ptr noundef nonnull %pool) #15
  %call36.i.i.i = call i32 @ave_look(ptr noundef nonnull %launch) #17
  %call39.i.i.i = call i32 @pthread_mutex_lock(ptr noundef nonnull %pool) #15
  br label %while.cond.backedge.i.i.i

while.cond.backedge.i.i.i:
  %68 = load atomic i32, ptr %active.i.i.i acquire, align 4
  %tobool24.not.i.i.i = icmp eq i32 %68, 0
  br i1 %tobool24.not.i.i.i, label %while.end.i.i.i, label %while.body.i.i.i

while.end.i.i.i:
  %call42.i.i.i = call i32 @pthread_mutex_unlock(ptr noundef nonnull %pool) #15
  br label %share.exit.i.i

share.exit.i.i:
  %add33.i.i = add i64 %retval.2.ph.i.i.i.i, %before.0.i.i
  br label %run_owned.exit.i

run_owned.exit.i:
  %retval.1.i.i = phi i64 [ %retval.2.ph.i77.i.i, %work.exit95.i.i ], [ %add33.i.i, %share.exit.i.i ], [ %add5.i.i.i, %if.then6.i.i.i ], [ 0, %if.then.i.i24 ], [ %add5.i.i.i, %if.end10.i.i.i ]
  store atomic i32 0, ptr %taken.i release, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %t.i67.i) #16
  %69 = load i32, ptr %clock.i.i, align 4
  %call.i69.i = call i32 @clock_gettime(i32 noundef %69, ptr noundef nonnull %t.i67.i) #15
  %70 = load i64, ptr %t.i67.i, align 16
  %mul.i70.i = mul i64 %70, 1000000000
  %arrayidx1.i71.i = getelementptr inbounds nuw i8, ptr %t.i67.i, i64 8
  %71 = load i64, ptr %arrayidx1.i71.i, align 8
  call void @llvm.lifetime.end.p0(ptr nonnull %t.i67.i) #16
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
  call void @llvm.lifetime.end.p0(ptr nonnull %job.i) #16
  br label %run.exit

run.exit:
  %retval.1.i = phi i64 [ 0, %begin.exit ], [ %73, %if.end29.i ], [ -1, %if.then14.i ], [ %retval.0.i.i, %run_alone.exit.i ]
  %74 = atomicrmw xchg ptr %listed.i.i, i32 1 acquire, align 8
  %tobool.not1.i.i29 = icmp eq i32 %74, 0
  br i1 %tobool.not1.i.i29, label %list.exit.i33, label %while.body.i.i30

while.body.i.i30:
  %call.i.i31 = call i32 @sched_yield() #15
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
  call void @llvm.lifetime.end.p0(ptr nonnull %launch) #16
  ret i64 %retval.1.i
}

define i64 @ave_run_held(ptr noundef %pool, ptr noundef %kernel, ptr noundef %args, ptr noundef readonly captures(none) %extents) local_unnamed_addr #0 {
entry:
  %call = tail call ptr @PyEval_SaveThread() #15
  %call1 = tail call i64 @ave_run_grid(ptr noundef %pool, ptr noundef %kernel, ptr noundef %args, ptr noundef %extents, ptr noundef %call) #17
  tail call void @PyEval_RestoreThread(ptr noundef %call) #15
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
  call void @llvm.lifetime.start.p0(ptr nonnull %had) #16
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
  %call = call i32 %10(ptr noundef nonnull %had) #15
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
  %call17 = call i32 %13(i64 noundef %12) #15
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
  %call.i = call i32 %22(ptr noundef %23, i32 noundef %24, i32 noundef %25, i32 noundef %26, i32 noundef %27, i32 noundef %28, i32 noundef %29, i32 noundef %30, ptr noundef %6, ptr noundef nonnull %4, ptr noundef null) #15
  br label %handed_over.exit

if.end.i:
  call void @llvm.lifetime.start.p0(ptr nonnull %config.i) #16
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
  %call26.i = call i32 %39(ptr noundef nonnull %config.i, ptr noundef %40, ptr noundef nonnull %4, ptr noundef null) #15
  call void @llvm.lifetime.end.p0(ptr nonnull %config.i) #16
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
  %call49 = call i32 %45(i64 noundef %46) #15
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
  call void @llvm.lifetime.end.p0(ptr nonnull %had) #16
  br label %return

return:
  %retval.5 = phi i64 [ %retval.4, %cleanup56 ], [ 0, %lor.lhs.false3 ], [ 0, %lor.lhs.false ], [ 0, %entry ]
  ret i64 %retval.5
}

define range(i32 0, 2) i32 @ave_kept(ptr noundef readonly captures(none) %table, ptr noundef readonly captures(none) %slots, ptr noundef readonly captures(none) %grid) local_unnamed_addr #5 {
entry:
  %call = tail call fastcc i1 @kept(ptr noundef %table, ptr noundef %slots, ptr noundef %grid) #17
  %conv = zext i1 %call to i32
  ret i32 %conv
}

define internal fastcc noundef i1 @kept(ptr noundef readonly captures(none) %table, ptr noundef readonly captures(none) %slots, ptr noundef readonly captures(none) %grid) unnamed_addr #5 {
entry:
  %values = alloca [256 x i64], align 16
  call void @llvm.lifetime.start.p0(ptr nonnull %values) #16
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
  call void @llvm.lifetime.end.p0(ptr nonnull %values) #16
  ret i1 %retval.5
}

define ptr @ave_launch(ptr noundef %self, ptr noundef %args, i64 noundef %count, ptr noundef %names) local_unnamed_addr #0 {
entry:
  %call = tail call ptr @PyTuple_GetItem(ptr noundef %self, i64 noundef 0) #15
  %call1 = tail call ptr @PyLong_AsVoidPtr(ptr noundef %call) #15
  %0 = load ptr, ptr %args, align 8
  %add.ptr = getelementptr inbounds nuw i8, ptr %args, i64 8
  %sub = add i64 %count, -1
  %call2 = tail call fastcc ptr @launch(ptr noundef %call1, ptr noundef %0, ptr noundef nonnull %add.ptr, i64 noundef %sub, ptr noundef %names) #17
  ret ptr %call2
}

define internal fastcc ptr @launch(ptr noundef captures(none) %state, ptr noundef %provider, ptr noundef %args, i64 noundef %positional, ptr noundef %names) unnamed_addr #0 {
entry:
  %t.i.i.i.i = alloca %struct.DLTensor, align 8
  %room = alloca %struct.Room, align 64
  %g = alloca %struct.Geometry, align 8
  %call = alloca %struct.Call, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %room) #16
  call void @llvm.lifetime.start.p0(ptr nonnull %g) #16
  %0 = load ptr, ptr %state, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %call) #16
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
  %call.i = tail call i32 @PyCallable_Check(ptr noundef %provider) #15
  %tobool.not.i = icmp eq i32 %call.i, 0
  br i1 %tobool.not.i, label %asked.exit, label %if.then.i

if.then.i:
  %call1.i = tail call ptr @PyObject_CallNoArgs(ptr noundef %provider) #15
  %tobool2.not.i = icmp eq ptr %call1.i, null
  br i1 %tobool2.not.i, label %if.end.i, label %if.end

if.end.i:
  %2 = load ptr, ptr @PyExc_TypeError, align 8
  %call4.i = tail call i32 @PyErr_ExceptionMatches(ptr noundef %2) #15
  %tobool5.not.i = icmp eq i32 %call4.i, 0
  br i1 %tobool5.not.i, label %cleanup61, label %cleanup.i

cleanup.i:
  tail call void @PyErr_Clear() #15
  br label %asked.exit

asked.exit:
  tail call void @Py_IncRef(ptr noundef %provider) #15
  %tobool5.not = icmp eq ptr %provider, null
  br i1 %tobool5.not, label %cleanup61, label %if.end

if.end:
  %retval.1.i203 = phi ptr [ %provider, %asked.exit ], [ %call1.i, %if.then.i ]
  %type.i = getelementptr inbounds nuw i8, ptr %retval.1.i203, i64 8
  %3 = load ptr, ptr %type.i, align 8
  %tuple_.i = getelementptr inbounds nuw i8, ptr %0, i64 32
  %4 = load ptr, ptr %tuple_.i, align 8
  %cmp.not.i = icmp eq ptr %3, %4
  br i1 %cmp.not.i, label %lor.lhs.false.i, label %cond.end11

lor.lhs.false.i:
  %size.i = getelementptr inbounds nuw i8, ptr %retval.1.i203, i64 16
  %5 = load i64, ptr %size.i, align 8
  %cmp1.not.i = icmp eq i64 %5, 2
  br i1 %cmp1.not.i, label %if.end.i102, label %cond.end11

if.end.i102:
  %items.i44.i = getelementptr inbounds nuw i8, ptr %0, i64 248
  %6 = load i64, ptr %items.i44.i, align 8
  %add.ptr.i45.i = getelementptr inbounds i8, ptr %retval.1.i203, i64 %6
  %7 = load ptr, ptr %add.ptr.i45.i, align 8
  %call2.i = call fastcc i1 @extents(ptr noundef %7, ptr noundef nonnull %0, ptr noundef nonnull %g) #17
  br i1 %call2.i, label %lor.lhs.false3.i, label %cond.end11

lor.lhs.false3.i:
  %8 = load i64, ptr %items.i44.i, align 8
  %add.ptr.i.i = getelementptr inbounds i8, ptr %retval.1.i203, i64 %8
  %arrayidx.i.i = getelementptr inbounds nuw i8, ptr %add.ptr.i.i, i64 8
  %9 = load ptr, ptr %arrayidx.i.i, align 8
  %block.i = getelementptr inbounds nuw i8, ptr %g, i64 24
  %call6.i = call fastcc i1 @extents(ptr noundef %9, ptr noundef nonnull %0, ptr noundef %block.i) #17
  br i1 %call6.i, label %if.end8.i103, label %cond.end11

if.end8.i103:
  %arrayidx.i = getelementptr inbounds nuw i8, ptr %g, i64 8
  %10 = load i64, ptr %arrayidx.i, align 8
  %arrayidx11.i = getelementptr inbounds nuw i8, ptr %g, i64 16
  %11 = load i64, ptr %arrayidx11.i, align 8
  %or.i = or i64 %11, %10
  %cmp12.i = icmp ugt i64 %or.i, 65535
  br i1 %cmp12.i, label %cond.end11, label %cond.true8

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
  %cmp.i221 = icmp sgt i64 %13, 0
  br i1 %cmp.i221, label %for.body.i.lr.ph, label %cond.end11

for.body.i.lr.ph:
  %entries.i = getelementptr inbounds nuw i8, ptr %state, i64 24
  %arrayidx8.i = getelementptr inbounds nuw i8, ptr %g, i64 32
  %arrayidx11.i139 = getelementptr inbounds nuw i8, ptr %g, i64 40
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
  %data.i65.i.i.i = getelementptr inbounds nuw i8, ptr %0, i64 320
  %lazy.i.i.i = getelementptr inbounds nuw i8, ptr %0, i64 336
  %count.i.i.i.i = getelementptr inbounds nuw i8, ptr %0, i64 96
  %exchanges.i.i.i.i = getelementptr inbounds nuw i8, ptr %0, i64 104
  %device.i.i.i.i = getelementptr inbounds nuw i8, ptr %t.i.i.i.i, i64 8
  %dtype.i.i.i.i = getelementptr inbounds nuw i8, ptr %t.i.i.i.i, i64 20
  %offset.i.i.i.i = getelementptr inbounds nuw i8, ptr %t.i.i.i.i, i64 40
  %rank8.i.i.i.i = getelementptr inbounds nuw i8, ptr %t.i.i.i.i, i64 16
  %strides.i119.i.i.i = getelementptr inbounds nuw i8, ptr %t.i.i.i.i, i64 32
  %shape.i120.i.i.i = getelementptr inbounds nuw i8, ptr %t.i.i.i.i, i64 24
  %true_.i.i = getelementptr inbounds nuw i8, ptr %0, i64 48
  %false_.i.i = getelementptr inbounds nuw i8, ptr %0, i64 56
  %float_.i63.i.i = getelementptr inbounds nuw i8, ptr %0, i64 16
  %int_.i48.i.i = getelementptr inbounds nuw i8, ptr %0, i64 8
  %digit.i.i54.i.i = getelementptr inbounds nuw i8, ptr %0, i64 232
  %smax = tail call i64 @llvm.smax.i64(i64 %cond, i64 1)
  %cmp20.not113.i = icmp sgt i64 %cond, 0
  %add.i = add i64 %cond, %positional
  %cmp38.not.not115.i = icmp sgt i64 %add.i, 0
  br label %for.body.i

for.body.i:
  %i.0.i222 = phi i64 [ 0, %for.body.i.lr.ph ], [ %inc.i, %for.inc.i ]
  %arrayidx.i105 = getelementptr inbounds nuw ptr, ptr %entries.i, i64 %i.0.i222
  %14 = load ptr, ptr %arrayidx.i105, align 8
  %positional.i = getelementptr inbounds nuw i8, ptr %14, i64 24
  %15 = load i64, ptr %positional.i, align 8
  %cmp.not.i136 = icmp eq i64 %15, %positional
  br i1 %cmp.not.i136, label %lor.lhs.false.i137, label %for.inc.i

lor.lhs.false.i137:
  %keyword.i = getelementptr inbounds nuw i8, ptr %14, i64 32
  %16 = load i64, ptr %keyword.i, align 8
  %cmp4.not.i = icmp eq i64 %16, %cond
  br i1 %cmp4.not.i, label %if.end.i138, label %for.inc.i

if.end.i138:
  %block5.i = getelementptr inbounds nuw i8, ptr %14, i64 48
  %17 = load i64, ptr %block5.i, align 8
  %18 = load i64, ptr %block.i, align 8
  %arrayidx7.i = getelementptr inbounds nuw i8, ptr %14, i64 56
  %19 = load i64, ptr %arrayidx7.i, align 8
  %20 = load i64, ptr %arrayidx8.i, align 8
  %arrayidx10.i = getelementptr inbounds nuw i8, ptr %14, i64 64
  %21 = load i64, ptr %arrayidx10.i, align 8
  %22 = load i64, ptr %arrayidx11.i139, align 8
  %23 = icmp eq i64 %17, %18
  %24 = icmp eq i64 %19, %20
  %25 = and i1 %23, %24
  %26 = icmp eq i64 %21, %22
  %tobool.not.i140 = and i1 %25, %26
  br i1 %tobool.not.i140, label %if.end15.i, label %for.inc.i

if.end15.i:
  %watches.i = getelementptr inbounds nuw i8, ptr %14, i64 16
  %27 = load ptr, ptr %watches.i, align 8
  %watched.i = getelementptr inbounds nuw i8, ptr %14, i64 8
  %28 = load i64, ptr %watched.i, align 8
  %29 = load i64, ptr %tagged1.i.i, align 8
  %cmp.i.i = icmp ne i64 %29, 0
  %add.ptr.idx.i.i = shl nsw i64 %28, 5
  %add.ptr.i86.i = getelementptr inbounds i8, ptr %27, i64 %add.ptr.idx.i.i
  %cmp2.not49.i.i = icmp slt i64 %28, 1
  br i1 %cmp2.not49.i.i, label %unchanged.exit.i, label %for.body.i.i

for.body.i.i:
  %w.050.i.i = phi ptr [ %incdec.ptr.i.i, %for.inc.i.i ], [ %27, %if.end15.i ]
  %name.i.i = getelementptr inbounds nuw i8, ptr %w.050.i.i, i64 8
  %30 = load ptr, ptr %name.i.i, align 8
  %cmp3.i.i = icmp ugt ptr %30, inttoptr (i64 1 to ptr)
  br i1 %cmp3.i.i, label %if.then.i.i, label %if.end13.i.i

if.then.i.i:
  %31 = load ptr, ptr %w.050.i.i, align 8
  %32 = getelementptr inbounds nuw i8, ptr %31, i64 24
  %33 = load i64, ptr %32, align 8
  %tag.i.i = getelementptr inbounds nuw i8, ptr %w.050.i.i, i64 24
  %34 = load i64, ptr %tag.i.i, align 8
  %cmp5.i.i = icmp eq i64 %33, %34
  %or.cond.i.i = select i1 %cmp5.i.i, i1 %cmp.i.i, i1 false
  br i1 %or.cond.i.i, label %for.inc.i.i, label %if.end.i.i

if.end.i.i:
  %call.i.i = call ptr @PyDict_GetItemWithError(ptr noundef nonnull %31, ptr noundef nonnull %30) #15
  %value.i.i = getelementptr inbounds nuw i8, ptr %w.050.i.i, i64 16
  %35 = load ptr, ptr %value.i.i, align 8
  %cmp8.not.i.i = icmp eq ptr %call.i.i, %35
  br i1 %cmp8.not.i.i, label %if.end10.i.i, label %for.inc.i

if.end10.i.i:
  store i64 %33, ptr %tag.i.i, align 8
  br label %for.inc.i.i

if.end13.i.i:
  %tobool.not.i.i = icmp eq ptr %30, null
  %36 = load ptr, ptr %w.050.i.i, align 8
  br i1 %tobool.not.i.i, label %if.else.i.i, label %if.then15.i.i

if.then15.i.i:
  %37 = load ptr, ptr %36, align 8
  br label %if.end22.i.i

if.else.i.i:
  %call18.i.i = call ptr @PyCell_Get(ptr noundef %36) #15
  %tobool19.not.i.i = icmp eq ptr %call18.i.i, null
  br i1 %tobool19.not.i.i, label %if.end22.i.i, label %if.then20.i.i

if.then20.i.i:
  call void @Py_DecRef(ptr noundef nonnull %call18.i.i) #15
  br label %if.end22.i.i

if.end22.i.i:
  %have.0.i.i = phi ptr [ %37, %if.then15.i.i ], [ %call18.i.i, %if.then20.i.i ], [ null, %if.else.i.i ]
  %value23.i.i = getelementptr inbounds nuw i8, ptr %w.050.i.i, i64 16
  %38 = load ptr, ptr %value23.i.i, align 8
  %cmp24.not.i.i = icmp eq ptr %have.0.i.i, %38
  br i1 %cmp24.not.i.i, label %for.inc.i.i, label %for.inc.i

for.inc.i.i:
  %incdec.ptr.i.i = getelementptr inbounds nuw i8, ptr %w.050.i.i, i64 32
  %cmp2.not.not.i.i = icmp ult ptr %incdec.ptr.i.i, %add.ptr.i86.i
  br i1 %cmp2.not.not.i.i, label %for.body.i.i, label %unchanged.exit.i

unchanged.exit.i:
  br i1 %cmp20.not113.i, label %for.body.lr.ph.i, label %for.end.i

for.body.lr.ph.i:
  %names22.i = getelementptr inbounds nuw i8, ptr %14, i64 40
  br label %for.body.i142

for.cond.i145:
  %inc.i146 = add nuw nsw i64 %i.0114.i, 1
  %exitcond.not = icmp eq i64 %inc.i146, %smax
  br i1 %exitcond.not, label %for.end.i, label %for.body.i142

for.body.i142:
  %i.0114.i = phi i64 [ 0, %for.body.lr.ph.i ], [ %inc.i146, %for.cond.i145 ]
  %39 = load i64, ptr %items.i44.i, align 8
  %add.ptr.i.i143 = getelementptr inbounds i8, ptr %names, i64 %39
  %arrayidx.i.i144 = getelementptr inbounds nuw ptr, ptr %add.ptr.i.i143, i64 %i.0114.i
  %40 = load ptr, ptr %arrayidx.i.i144, align 8
  %41 = load ptr, ptr %names22.i, align 8
  %arrayidx23.i = getelementptr inbounds nuw ptr, ptr %41, i64 %i.0114.i
  %42 = load ptr, ptr %arrayidx23.i, align 8
  %call24.i = call fastcc i1 @same(ptr noundef %40, ptr noundef %42, ptr noundef readonly %0) #17
  br i1 %call24.i, label %for.cond.i145, label %for.inc.i

for.end.i:
  %template.i = getelementptr inbounds nuw i8, ptr %14, i64 88
  %43 = load ptr, ptr %template.i, align 8
  %tobool27.not.i = icmp eq ptr %43, null
  br i1 %tobool27.not.i, label %if.end31.i, label %if.then28.i

if.then28.i:
  %slots30.i = getelementptr inbounds nuw i8, ptr %14, i64 80
  %44 = load i64, ptr %slots30.i, align 8
  %mul.i = shl i64 %44, 3
  call void @llvm.memcpy.p0.p0.i64(ptr nonnull align 64 %room, ptr nonnull align 8 %43, i64 %mul.i, i1 false)
  br label %if.end31.i

if.end31.i:
  %params34.i = getelementptr inbounds nuw i8, ptr %14, i64 72
  %45 = load ptr, ptr %params34.i, align 8
  br i1 %cmp38.not.not115.i, label %for.body40.i, label %if.end.i111

for.body40.i:
  %i36.0116.i = phi i64 [ %inc47.i, %for.inc46.i ], [ 0, %if.end31.i ]
  %arrayidx41.i = getelementptr inbounds nuw ptr, ptr %args, i64 %i36.0116.i
  %46 = load ptr, ptr %arrayidx41.i, align 8
  %arrayidx42.i = getelementptr inbounds nuw %struct.ParamCheck, ptr %45, i64 %i36.0116.i
  %slot.i.i = getelementptr inbounds nuw i8, ptr %arrayidx42.i, i64 8
  %47 = load i64, ptr %slot.i.i, align 8
  %arrayidx.i87.i = getelementptr inbounds i64, ptr %room, i64 %47
  %48 = load i64, ptr %arrayidx42.i, align 8
  switch i64 %48, label %for.inc.i [
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
  %49 = load i64, ptr %low2.i.i, align 8
  %high.i.i = getelementptr inbounds nuw i8, ptr %arrayidx42.i, i64 24
  %50 = load i64, ptr %high.i.i, align 8
  %type.i.i.i = getelementptr inbounds nuw i8, ptr %46, i64 8
  %51 = load ptr, ptr %type.i.i.i, align 8
  %52 = load ptr, ptr %int_.i48.i.i, align 8
  %cmp.not.i.i.i = icmp eq ptr %51, %52
  br i1 %cmp.not.i.i.i, label %if.end.i.i.i, label %for.inc.i

if.end.i.i.i:
  %53 = getelementptr inbounds nuw i8, ptr %46, i64 24
  %54 = load i32, ptr %53, align 8
  %conv.i.i.i.i = zext i32 %54 to i64
  store i64 %conv.i.i.i.i, ptr %arrayidx.i87.i, align 8
  %size.i.i.i.i = getelementptr inbounds nuw i8, ptr %46, i64 16
  %55 = load i64, ptr %size.i.i.i.i, align 8
  %56 = load i64, ptr %digit.i.i54.i.i, align 8
  %cmp.i.i.i.i = icmp eq i64 %55, %56
  br i1 %cmp.i.i.i.i, label %if.then1.i.i.i, label %if.end4.i.i.i

if.then1.i.i.i:
  %cmp2.not.i.i.i = icmp sle i64 %49, %conv.i.i.i.i
  %cmp3.i.i.i = icmp sge i64 %50, %conv.i.i.i.i
  %spec.select.i.i.i = and i1 %cmp2.not.i.i.i, %cmp3.i.i.i
  br i1 %spec.select.i.i.i, label %for.inc46.i, label %for.inc.i

if.end4.i.i.i:
  %call5.i.i.i = call i64 @PyLong_AsLongLong(ptr noundef nonnull %46) #15
  %cmp6.i.i.i = icmp eq i64 %call5.i.i.i, -1
  br i1 %cmp6.i.i.i, label %land.lhs.true.i.i.i, label %if.end9.i.i.i

land.lhs.true.i.i.i:
  %call7.i.i.i = call ptr @PyErr_Occurred() #15
  %tobool.not.i.i.i = icmp eq ptr %call7.i.i.i, null
  br i1 %tobool.not.i.i.i, label %if.end9.i.i.i, label %if.then8.i.i.i

if.then8.i.i.i:
  call void @PyErr_Clear() #15
  br label %for.inc.i

if.end9.i.i.i:
  %cmp10.i.i.i = icmp slt i64 %call5.i.i.i, %49
  %cmp11.i.i.i = icmp sgt i64 %call5.i.i.i, %50
  %or.cond.i.i.i = or i1 %cmp10.i.i.i, %cmp11.i.i.i
  br i1 %or.cond.i.i.i, label %for.inc.i, label %if.end13.i.i.i

if.end13.i.i.i:
  store i64 %call5.i.i.i, ptr %arrayidx.i87.i, align 8
  br label %for.inc46.i

sw.bb4.i.i:
  %high5.i.i = getelementptr inbounds nuw i8, ptr %arrayidx42.i, i64 24
  %57 = load i64, ptr %high5.i.i, align 8
  %type.i47.i.i = getelementptr inbounds nuw i8, ptr %46, i64 8
  %58 = load ptr, ptr %type.i47.i.i, align 8
  %59 = load ptr, ptr %int_.i48.i.i, align 8
  %cmp.not.i49.i.i = icmp eq ptr %58, %59
  br i1 %cmp.not.i49.i.i, label %if.end.i51.i.i, label %for.inc.i

if.end.i51.i.i:
  %60 = getelementptr inbounds nuw i8, ptr %46, i64 24
  %61 = load i32, ptr %60, align 8
  %conv.i.i52.i.i = zext i32 %61 to i64
  store i64 %conv.i.i52.i.i, ptr %arrayidx.i87.i, align 8
  %size.i.i53.i.i = getelementptr inbounds nuw i8, ptr %46, i64 16
  %62 = load i64, ptr %size.i.i53.i.i, align 8
  %63 = load i64, ptr %digit.i.i54.i.i, align 8
  %cmp.i.i55.i.i = icmp eq i64 %62, %63
  br i1 %cmp.i.i55.i.i, label %if.then1.i58.i.i, label %if.end3.i.i.i

if.then1.i58.i.i:
  %cmp2.i.i.not.i = icmp ult i64 %57, %conv.i.i52.i.i
  br i1 %cmp2.i.i.not.i, label %for.inc.i, label %for.inc46.i

if.end3.i.i.i:
  %call4.i.i.i = call i64 @PyLong_AsUnsignedLongLong(ptr noundef nonnull %46) #15
  %cmp5.i.i.i = icmp eq i64 %call4.i.i.i, -1
  br i1 %cmp5.i.i.i, label %land.lhs.true.i56.i.i, label %if.end8.i.i.i

land.lhs.true.i56.i.i:
  %call6.i.i.i = call ptr @PyErr_Occurred() #15
  %tobool.not.i57.i.i = icmp eq ptr %call6.i.i.i, null
  br i1 %tobool.not.i57.i.i, label %if.end8.i.i.i, label %if.then7.i.i.i

if.then7.i.i.i:
  call void @PyErr_Clear() #15
  br label %for.inc.i

if.end8.i.i.i:
  %cmp9.i.i.i = icmp ugt i64 %call4.i.i.i, %57
  br i1 %cmp9.i.i.i, label %for.inc.i, label %if.end11.i.i.i

if.end11.i.i.i:
  store i64 %call4.i.i.i, ptr %arrayidx.i87.i, align 8
  br label %for.inc46.i

sw.bb7.i.i:
  %type.i59.i.i = getelementptr inbounds nuw i8, ptr %46, i64 8
  %64 = load ptr, ptr %type.i59.i.i, align 8
  %65 = load ptr, ptr %float_.i63.i.i, align 8
  %cmp.not.i60.i.i = icmp eq ptr %64, %65
  br i1 %cmp.not.i60.i.i, label %if.end.i61.i.i, label %for.inc.i

if.end.i61.i.i:
  %call.i.i.i = call double @PyFloat_AsDouble(ptr noundef nonnull %46) #15
  store double %call.i.i.i, ptr %arrayidx.i87.i, align 8
  br label %for.inc46.i

sw.bb9.i.i:
  %type.i62.i.i = getelementptr inbounds nuw i8, ptr %46, i64 8
  %66 = load ptr, ptr %type.i62.i.i, align 8
  %67 = load ptr, ptr %float_.i63.i.i, align 8
  %cmp.not.i64.i.i = icmp eq ptr %66, %67
  br i1 %cmp.not.i64.i.i, label %if.end.i66.i.i, label %for.inc.i

if.end.i66.i.i:
  %call.i67.i.i = call double @PyFloat_AsDouble(ptr noundef nonnull %46) #15
  %conv.i.i.i = fptrunc double %call.i67.i.i to float
  %68 = call float @llvm.fabs.f32(float %conv.i.i.i)
  %cmp1.i.i.i = fcmp une float %68, 0x7FF0000000000000
  %69 = call double @llvm.fabs.f64(double %call.i67.i.i)
  %cmp3.i68.i.i = fcmp ueq double %69, 0x7FF0000000000000
  %or.cond.i69.i.i = select i1 %cmp1.i.i.i, i1 true, i1 %cmp3.i68.i.i
  br i1 %or.cond.i69.i.i, label %if.end6.i.i.i, label %for.inc.i

if.end6.i.i.i:
  %70 = bitcast float %conv.i.i.i to i32
  %conv7.i.i.i = zext i32 %70 to i64
  store i64 %conv7.i.i.i, ptr %arrayidx.i87.i, align 8
  br label %for.inc46.i

sw.bb11.i.i:
  %71 = load ptr, ptr %true_.i.i, align 8
  %cmp.i88.i = icmp eq ptr %46, %71
  %conv12.i.i = zext i1 %cmp.i88.i to i64
  store i64 %conv12.i.i, ptr %arrayidx.i87.i, align 8
  br i1 %cmp.i88.i, label %for.inc46.i, label %lor.rhs.i.i

lor.rhs.i.i:
  %72 = load ptr, ptr %false_.i.i, align 8
  %cmp16.i.i = icmp eq ptr %46, %72
  br i1 %cmp16.i.i, label %for.inc46.i, label %for.inc.i

sw.bb18.i.i:
  %type.i70.i.i = getelementptr inbounds nuw i8, ptr %46, i64 8
  %73 = load ptr, ptr %type.i70.i.i, align 8
  %74 = load ptr, ptr %ndarray.i.i.i, align 8
  %cmp.i.i.i = icmp eq ptr %73, %74
  br i1 %cmp.i.i.i, label %if.then.i.i.i, label %if.end.i71.i.i

if.then.i.i.i:
  %descriptors.i.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx42.i, i64 88
  %descriptor.i.i.i.i = getelementptr inbounds nuw i8, ptr %46, i64 56
  %75 = load ptr, ptr %descriptor.i.i.i.i, align 8
  br label %while.cond.i.i.i.i

while.cond.i.i.i.i:
  %i.0.i55.i.i.i = phi i64 [ 0, %if.then.i.i.i ], [ %inc.i57.i.i.i, %while.body.i.i.i.i ]
  %arrayidx.i56.i.i.i = getelementptr inbounds nuw ptr, ptr %descriptors.i.i.i.i, i64 %i.0.i55.i.i.i
  %76 = load ptr, ptr %arrayidx.i56.i.i.i, align 8
  %cmp.not.i.i.i.i = icmp eq ptr %76, %75
  br i1 %cmp.not.i.i.i.i, label %while.end.i.i.i.i, label %while.body.i.i.i.i

while.body.i.i.i.i:
  %inc.i57.i.i.i = add nuw nsw i64 %i.0.i55.i.i.i, 1
  %cmp1.i.i.i.i = icmp eq i64 %inc.i57.i.i.i, 4
  br i1 %cmp1.i.i.i.i, label %for.inc.i, label %while.cond.i.i.i.i

while.end.i.i.i.i:
  %low.i.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx42.i, i64 16
  %77 = load i64, ptr %low.i.i.i.i, align 8
  %conv.i.i78.i.i = trunc i64 %77 to i32
  %flags2.i.i.i.i = getelementptr inbounds nuw i8, ptr %46, i64 64
  %78 = load i32, ptr %flags2.i.i.i.i, align 8
  %and.i58.i.i.i = and i32 %78, %conv.i.i78.i.i
  %cmp3.not.i.i.i.i = icmp eq i32 %and.i58.i.i.i, %conv.i.i78.i.i
  br i1 %cmp3.not.i.i.i.i, label %if.end6.i.i.i.i, label %for.inc.i

if.end6.i.i.i.i:
  %rank7.i.i.i.i = getelementptr inbounds nuw i8, ptr %46, i64 24
  %79 = load i32, ptr %rank7.i.i.i.i, align 8
  %conv8.i.i.i.i = zext i32 %79 to i64
  %cmp9.i.i.i.i = icmp eq i64 %48, 8
  br i1 %cmp9.i.i.i.i, label %if.then11.i.i.i.i, label %if.end12.i.i.i.i

if.then11.i.i.i.i:
  %data.i.i.i.i = getelementptr inbounds nuw i8, ptr %46, i64 16
  %80 = load i64, ptr %data.i.i.i.i, align 8
  %shape.i.i.i.i = getelementptr inbounds nuw i8, ptr %46, i64 32
  %81 = load ptr, ptr %shape.i.i.i.i, align 8
  %strides.i.i.i.i = getelementptr inbounds nuw i8, ptr %46, i64 40
  %82 = load ptr, ptr %strides.i.i.i.i, align 8
  %call.i.i.i.i = call fastcc i1 @mapped(ptr noundef nonnull readonly %arrayidx42.i, i64 noundef %80, i64 noundef %conv8.i.i.i.i, ptr noundef %81, ptr noundef %82, i64 noundef 1, ptr noundef nonnull %arrayidx.i87.i) #17
  br i1 %call.i.i.i.i, label %for.inc46.i, label %for.inc.i

if.end12.i.i.i.i:
  %shape13.i.i.i.i = getelementptr inbounds nuw i8, ptr %46, i64 32
  %83 = load ptr, ptr %shape13.i.i.i.i, align 8
  %strides14.i.i.i.i = getelementptr inbounds nuw i8, ptr %46, i64 40
  %84 = load ptr, ptr %strides14.i.i.i.i, align 8
  %item.i.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx42.i, i64 80
  %85 = load i64, ptr %item.i.i.i.i, align 8
  %rank1.i.i.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx42.i, i64 32
  %86 = load i64, ptr %rank1.i.i.i.i.i, align 8
  %cmp.i.i59.i.i.i = icmp eq i64 %86, -1
  br i1 %cmp.i.i59.i.i.i, label %for.cond.i.preheader.i.i.i.i.i, label %if.end.i.i.i.i.i

for.cond.i.preheader.i.i.i.i.i:
  %cmp.not.i30.i.i.i.i.i = icmp eq i32 %79, 0
  br i1 %cmp.not.i30.i.i.i.i.i, label %if.end17.i.i.i.i, label %for.body.i.i.i.i.i.i

for.body.i.i.i.i.i.i:
  %dec.i32.in.i.i.i.i.i = phi i64 [ %dec.i32.i.i.i.i.i, %if.end.i.i.i.i.i.i ], [ %conv8.i.i.i.i, %for.cond.i.preheader.i.i.i.i.i ]
  %unit.addr.0.i31.i.i.i.i.i = phi i64 [ %mul.i.i.i.i.i.i, %if.end.i.i.i.i.i.i ], [ %85, %for.cond.i.preheader.i.i.i.i.i ]
  %dec.i32.i.i.i.i.i = add nsw i64 %dec.i32.in.i.i.i.i.i, -1
  %arrayidx.i.i.i.i.i.i = getelementptr inbounds nuw i64, ptr %84, i64 %dec.i32.i.i.i.i.i
  %87 = load i64, ptr %arrayidx.i.i.i.i.i.i, align 8
  %cmp1.not.i.i.i.i.i.i = icmp eq i64 %87, %unit.addr.0.i31.i.i.i.i.i
  %arrayidx4.i.phi.trans.insert.i.i.i.i.i = getelementptr inbounds nuw i64, ptr %83, i64 %dec.i32.i.i.i.i.i
  %.pre.i.i.i.i.i = load i64, ptr %arrayidx4.i.phi.trans.insert.i.i.i.i.i, align 8
  br i1 %cmp1.not.i.i.i.i.i.i, label %for.body.i.if.end.i_crit_edge.i.i.i.i.i, label %land.lhs.true.i.i.i.i.i.i

for.body.i.if.end.i_crit_edge.i.i.i.i.i:
  %88 = mul i64 %.pre.i.i.i.i.i, %unit.addr.0.i31.i.i.i.i.i
  br label %if.end.i.i.i.i.i.i

land.lhs.true.i.i.i.i.i.i:
  %cmp3.not.i.i.i.i.i.i = icmp eq i64 %.pre.i.i.i.i.i, 1
  br i1 %cmp3.not.i.i.i.i.i.i, label %if.end.i.i.i.i.i.i, label %for.inc.i

if.end.i.i.i.i.i.i:
  %mul.i.i.i.i.i.i = phi i64 [ %88, %for.body.i.if.end.i_crit_edge.i.i.i.i.i ], [ %unit.addr.0.i31.i.i.i.i.i, %land.lhs.true.i.i.i.i.i.i ]
  %cmp.not.i.i.i.i.i.i = icmp eq i64 %dec.i32.i.i.i.i.i, 0
  br i1 %cmp.not.i.i.i.i.i.i, label %if.end17.i.i.i.i, label %for.body.i.i.i.i.i.i

if.end.i.i.i.i.i:
  %cmp3.not.i.i.i.i.i = icmp eq i64 %86, %conv8.i.i.i.i
  br i1 %cmp3.not.i.i.i.i.i, label %if.end5.i.i.i.i.i, label %for.inc.i

if.end5.i.i.i.i.i:
  %shape6.i.i.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx42.i, i64 64
  %89 = load ptr, ptr %shape6.i.i.i.i.i, align 8
  %strides7.i.i.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx42.i, i64 72
  %90 = load ptr, ptr %strides7.i.i.i.i.i, align 8
  br label %for.cond.i17.i.i.i.i.i

for.cond.i17.i.i.i.i.i:
  %i.0.i18.i.i.i.i.i = phi i64 [ %conv8.i.i.i.i, %if.end5.i.i.i.i.i ], [ %dec.i19.i.i.i.i.i, %if.end.i24.i.i.i.i.i ]
  %dec.i19.i.i.i.i.i = add nsw i64 %i.0.i18.i.i.i.i.i, -1
  %cmp.not.i20.i.i.i.i.i = icmp eq i64 %i.0.i18.i.i.i.i.i, 0
  br i1 %cmp.not.i20.i.i.i.i.i, label %if.end17.i.i.i.i, label %for.body.i21.i.i.i.i.i

for.body.i21.i.i.i.i.i:
  %arrayidx.i22.i.i.i.i.i = getelementptr inbounds nuw i64, ptr %83, i64 %dec.i19.i.i.i.i.i
  %91 = load i64, ptr %arrayidx.i22.i.i.i.i.i, align 8
  %arrayidx1.i.i.i.i.i.i = getelementptr inbounds nuw i64, ptr %89, i64 %dec.i19.i.i.i.i.i
  %92 = load i64, ptr %arrayidx1.i.i.i.i.i.i, align 8
  %cmp2.not.i.i.i.i.i.i = icmp eq i64 %91, %92
  br i1 %cmp2.not.i.i.i.i.i.i, label %if.end.i24.i.i.i.i.i, label %for.inc.i

if.end.i24.i.i.i.i.i:
  %arrayidx3.i.i.i.i.i.i = getelementptr inbounds nuw i64, ptr %84, i64 %dec.i19.i.i.i.i.i
  %93 = load i64, ptr %arrayidx3.i.i.i.i.i.i, align 8
  %arrayidx4.i25.i.i.i.i.i = getelementptr inbounds nuw i64, ptr %90, i64 %dec.i19.i.i.i.i.i
  %94 = load i64, ptr %arrayidx4.i25.i.i.i.i.i, align 8
  %mul.i26.i.i.i.i.i = mul i64 %94, %85
  %cmp5.not.i.i.i.i.i.i = icmp eq i64 %93, %mul.i26.i.i.i.i.i
  %cmp7.not.i.i.i.i.i.i = icmp eq i64 %91, 1
  %or.cond.i.i.i.i.i.i = or i1 %cmp7.not.i.i.i.i.i.i, %cmp5.not.i.i.i.i.i.i
  br i1 %or.cond.i.i.i.i.i.i, label %for.cond.i17.i.i.i.i.i, label %for.inc.i

if.end17.i.i.i.i:
  %data18.i.i.i.i = getelementptr inbounds nuw i8, ptr %46, i64 16
  %95 = load i64, ptr %data18.i.i.i.i, align 8
  store i64 %95, ptr %arrayidx.i87.i, align 8
  br label %for.inc46.i

if.end.i71.i.i:
  %like.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx42.i, i64 128
  %96 = load ptr, ptr %like.i.i.i, align 8
  %cmp3.i72.i.i = icmp eq ptr %73, %96
  br i1 %cmp3.i72.i.i, label %if.then4.i.i.i, label %if.end19.i.i.i

if.then4.i.i.i:
  %97 = load i64, ptr %fields.i.i.i, align 8
  %add.ptr.i.i.i = getelementptr inbounds i8, ptr %46, i64 %97
  %98 = load ptr, ptr %add.ptr.i.i.i, align 8
  %99 = load i64, ptr %98, align 8
  %table1.i.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx42.i, i64 136
  %100 = load ptr, ptr %table1.i.i.i.i, align 8
  %101 = ptrtoint ptr %100 to i64
  %102 = load i64, ptr %keys2.i.i.i.i, align 8
  %add.ptr.i.i.i.i = getelementptr inbounds i8, ptr %98, i64 %102
  %103 = load i64, ptr %add.ptr.i.i.i.i, align 8
  %keys3.i.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx42.i, i64 144
  %104 = load i64, ptr %keys3.i.i.i.i, align 8
  %105 = load i64, ptr %meta6.i.i.i.i, align 8
  %add.ptr7.i.i.i.i = getelementptr inbounds i8, ptr %98, i64 %105
  %106 = load i64, ptr %add.ptr7.i.i.i.i, align 8
  %and.i.i.i.i = and i64 %106, 1099511627775
  %meta8.i.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx42.i, i64 152
  %107 = load i64, ptr %meta8.i.i.i.i, align 8
  %108 = icmp eq i64 %99, %101
  %109 = icmp eq i64 %103, %104
  %110 = and i1 %108, %109
  %111 = icmp eq i64 %and.i.i.i.i, %107
  %tobool.not.i.i.i.i = and i1 %110, %111
  br i1 %tobool.not.i.i.i.i, label %if.end.i.i.i.i, label %if.end11.i75.i.i

if.end.i.i.i.i:
  %112 = load i64, ptr %storage12.i.i.i.i, align 8
  %add.ptr13.i.i.i.i = getelementptr inbounds i8, ptr %98, i64 %112
  %113 = load ptr, ptr %add.ptr13.i.i.i.i, align 8
  %114 = load i64, ptr %numel.i.i.i.i, align 8
  %add.ptr15.i.i.i.i = getelementptr inbounds i8, ptr %98, i64 %114
  %115 = load i64, ptr %add.ptr15.i.i.i.i, align 8
  %tobool16.not.i.i.i.i = icmp eq i64 %115, 0
  %116 = load i64, ptr %rank.i.i.i.i, align 8
  %add.ptr18.i.i.i.i = getelementptr inbounds i8, ptr %98, i64 %116
  %117 = load i64, ptr %add.ptr18.i.i.i.i, align 8
  %cmp.i.i76.i.i = icmp ugt i64 %117, 5
  %or1951.i.i.i.i = or i1 %tobool16.not.i.i.i.i, %cmp.i.i76.i.i
  %tobool20.not.i.i.i.i = icmp eq ptr %113, null
  %or2352.i.i.i.i = or i1 %tobool20.not.i.i.i.i, %or1951.i.i.i.i
  br i1 %or2352.i.i.i.i, label %if.end11.i75.i.i, label %if.end26.i.i.i.i

if.end26.i.i.i.i:
  %118 = load i64, ptr %deleter.i.i.i.i, align 8
  %add.ptr28.i.i.i.i = getelementptr inbounds i8, ptr %113, i64 %118
  %119 = load ptr, ptr %add.ptr28.i.i.i.i, align 8
  %deleter29.i.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx42.i, i64 160
  %120 = load ptr, ptr %deleter29.i.i.i.i, align 8
  %cmp30.i.i.i.i = icmp eq ptr %119, %120
  br i1 %cmp30.i.i.i.i, label %if.then8.i77.i.i, label %lor.lhs.false.i.i.i.i

lor.lhs.false.i.i.i.i:
  %121 = load ptr, ptr @ave_dry, align 8
  %tobool.not.i.i.i.i.i = icmp eq ptr %121, null
  br i1 %tobool.not.i.i.i.i.i, label %if.end11.i75.i.i, label %dry.exit.i.i.i.i

dry.exit.i.i.i.i:
  %122 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @ave_dry, i64 8), align 8
  %call.i.i.i.i.i = call ptr @pthread_self() #15
  %cmp.i.i.i.i.i = icmp eq ptr %122, %call.i.i.i.i.i
  br i1 %cmp.i.i.i.i.i, label %if.then8.i77.i.i, label %dry.exit.i.if.end11_crit_edge.i.i.i

dry.exit.i.if.end11_crit_edge.i.i.i:
  %.pre.i.i.i = load i64, ptr %keys2.i.i.i.i, align 8
  %add.ptr13.phi.trans.insert.i.i.i = getelementptr inbounds i8, ptr %98, i64 %.pre.i.i.i
  %.pre194.i.i.i = load i64, ptr %add.ptr13.phi.trans.insert.i.i.i, align 8
  br label %if.end11.i75.i.i

if.then8.i77.i.i:
  %123 = load ptr, ptr %requires.i.i.i.i, align 8
  %call.i60.i.i.i = call i32 %123(ptr noundef nonnull %98) #15
  %and.i61.i.i.i = and i32 %call.i60.i.i.i, 1
  %tobool.not.i62.i.i.i = icmp eq i32 %and.i61.i.i.i, 0
  br i1 %tobool.not.i62.i.i.i, label %land.rhs.i.i.i, label %graded.exit.i.i.i

graded.exit.i.i.i:
  %124 = load ptr, ptr %enabled.i.i.i.i, align 8
  %call2.i.i.i.i = call i32 %124() #15
  %and3.i.i.i.i = and i32 %call2.i.i.i.i, 1
  %tobool4.i.not.i.i.i = icmp eq i32 %and3.i.i.i.i, 0
  br i1 %tobool4.i.not.i.i.i, label %land.rhs.i.i.i, label %for.inc.i

land.rhs.i.i.i:
  %item.i63.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx42.i, i64 80
  %125 = load i64, ptr %item.i63.i.i.i, align 8
  %126 = load i64, ptr %sizes.i.i.i.i.i, align 8
  %add.ptr.i.i.i.i.i = getelementptr inbounds i8, ptr %98, i64 %126
  %add.ptr1.i.i.i.i.i = getelementptr inbounds nuw i8, ptr %add.ptr.i.i.i.i.i, i64 40
  %127 = load i64, ptr %rank.i.i.i.i, align 8
  %add.ptr4.i.i.i.i.i = getelementptr inbounds i8, ptr %98, i64 %127
  %128 = load i64, ptr %add.ptr4.i.i.i.i.i, align 8
  %129 = load i64, ptr %offset.i.i.i.i.i, align 8
  %add.ptr6.i.i.i.i.i = getelementptr inbounds i8, ptr %98, i64 %129
  %130 = load i64, ptr %add.ptr6.i.i.i.i.i, align 8
  %add.i.i.i.i.i = add i64 %130, 1
  %cmp23.i.i.i.i.i = icmp sgt i64 %128, 0
  br i1 %cmp23.i.i.i.i.i, label %for.body.i.i.i.i.i, label %held.exit.i.i.i.i

for.body.i.i.i.i.i:
  %i.025.i.i.i.i.i = phi i64 [ %inc.i.i.i.i.i, %for.body.i.i.i.i.i ], [ 0, %land.rhs.i.i.i ]
  %elements.024.i.i.i.i.i = phi i64 [ %add8.i.i.i.i.i, %for.body.i.i.i.i.i ], [ %add.i.i.i.i.i, %land.rhs.i.i.i ]
  %arrayidx.i.i.i.i.i = getelementptr inbounds nuw i64, ptr %add.ptr.i.i.i.i.i, i64 %i.025.i.i.i.i.i
  %131 = load i64, ptr %arrayidx.i.i.i.i.i, align 8
  %sub.i.i.i.i.i = add i64 %131, -1
  %arrayidx7.i.i.i.i.i = getelementptr inbounds nuw i64, ptr %add.ptr1.i.i.i.i.i, i64 %i.025.i.i.i.i.i
  %132 = load i64, ptr %arrayidx7.i.i.i.i.i, align 8
  %mul.i.i.i.i.i = mul i64 %sub.i.i.i.i.i, %132
  %add8.i.i.i.i.i = add i64 %mul.i.i.i.i.i, %elements.024.i.i.i.i.i
  %inc.i.i.i.i.i = add nuw nsw i64 %i.025.i.i.i.i.i, 1
  %exitcond.not.i.i.i.i.i = icmp eq i64 %inc.i.i.i.i.i, %128
  br i1 %exitcond.not.i.i.i.i.i, label %held.exit.i.i.i.i, label %for.body.i.i.i.i.i

held.exit.i.i.i.i:
  %elements.0.lcssa.i.i.i.i.i = phi i64 [ %add.i.i.i.i.i, %land.rhs.i.i.i ], [ %add8.i.i.i.i.i, %for.body.i.i.i.i.i ]
  %mul9.i.i.i.i.i = mul i64 %elements.0.lcssa.i.i.i.i.i, %125
  %133 = load i64, ptr %bytes.i.i.i.i.i, align 8
  %add.ptr11.i.i.i.i.i = getelementptr inbounds i8, ptr %113, i64 %133
  %134 = load i64, ptr %add.ptr11.i.i.i.i.i, align 8
  %cmp12.i.not.i.i.i.i = icmp ugt i64 %mul9.i.i.i.i.i, %134
  br i1 %cmp12.i.not.i.i.i.i, label %for.inc.i, label %if.end.i64.i.i.i

if.end.i64.i.i.i:
  %135 = load i64, ptr %data.i65.i.i.i, align 8
  %add.ptr2.i.i.i.i = getelementptr inbounds i8, ptr %113, i64 %135
  %136 = load i64, ptr %add.ptr2.i.i.i.i, align 8
  %mul.i.i.i.i = mul i64 %130, %125
  %add.i.i.i.i = add i64 %136, %mul.i.i.i.i
  %tobool.not.i.i66.i.i.i = icmp eq i64 %128, 0
  br i1 %tobool.not.i.i66.i.i.i, label %for.inc.i, label %lor.lhs.false.i.i.i.i.i

lor.lhs.false.i.i.i.i.i:
  %high.i.i.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx42.i, i64 24
  %137 = load i64, ptr %high.i.i.i.i.i, align 8
  %sub.i21.i.i.i.i = add i64 %137, -1
  %and.i.i.i.i.i = and i64 %sub.i21.i.i.i.i, %add.i.i.i.i
  %tobool1.not.i.i.i.i.i = icmp eq i64 %and.i.i.i.i.i, 0
  br i1 %tobool1.not.i.i.i.i.i, label %if.end.i.i68.i.i.i, label %for.inc.i

if.end.i.i68.i.i.i:
  %138 = load i64, ptr %arrayidx42.i, align 8
  %cmp.i.i69.i.i.i = icmp eq i64 %138, 8
  br i1 %cmp.i.i69.i.i.i, label %if.then2.i.i.i.i.i, label %if.end3.i.i.i.i.i

if.then2.i.i.i.i.i:
  %call.i.i72.i.i.i = call fastcc i1 @mapped(ptr noundef nonnull readonly %arrayidx42.i, i64 noundef %add.i.i.i.i, i64 noundef %128, ptr noundef nonnull readonly %add.ptr.i.i.i.i.i, ptr noundef nonnull readonly %add.ptr1.i.i.i.i.i, i64 noundef %125, ptr noundef nonnull %arrayidx.i87.i) #17
  br i1 %call.i.i72.i.i.i, label %for.inc46.i, label %for.inc.i

if.end3.i.i.i.i.i:
  %rank1.i.phi.trans.insert.i.i.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx42.i, i64 32
  %.pre.i.i70.i.i.i = load i64, ptr %rank1.i.phi.trans.insert.i.i.i.i.i, align 8
  %cmp.i.i.i.i.i.i = icmp eq i64 %.pre.i.i70.i.i.i, -1
  br i1 %cmp.i.i.i.i.i.i, label %for.body.i.i.i.i.i.i.i, label %if.end.i31.i.i.i.i.i

for.body.i.i.i.i.i.i.i:
  %dec.i32.in.i.i.i.i.i.i = phi i64 [ %dec.i32.i.i.i.i.i.i, %if.end.i.i.i.i.i.i.i ], [ %128, %if.end3.i.i.i.i.i ]
  %unit.addr.0.i31.i.i.i.i.i.i = phi i64 [ %mul.i.i.i.i.i.i.i, %if.end.i.i.i.i.i.i.i ], [ 1, %if.end3.i.i.i.i.i ]
  %dec.i32.i.i.i.i.i.i = add i64 %dec.i32.in.i.i.i.i.i.i, -1
  %arrayidx.i.i.i.i.i.i.i = getelementptr inbounds nuw i64, ptr %add.ptr1.i.i.i.i.i, i64 %dec.i32.i.i.i.i.i.i
  %139 = load i64, ptr %arrayidx.i.i.i.i.i.i.i, align 8
  %cmp1.not.i.i.i.i.i.i.i = icmp eq i64 %139, %unit.addr.0.i31.i.i.i.i.i.i
  %arrayidx4.i.phi.trans.insert.i.i.i.i.i.i = getelementptr inbounds nuw i64, ptr %add.ptr.i.i.i.i.i, i64 %dec.i32.i.i.i.i.i.i
  %.pre.i.i.i.i.i.i = load i64, ptr %arrayidx4.i.phi.trans.insert.i.i.i.i.i.i, align 8
  br i1 %cmp1.not.i.i.i.i.i.i.i, label %for.body.i.if.end.i_crit_edge.i.i.i.i.i.i, label %land.lhs.true.i.i.i.i.i.i.i

for.body.i.if.end.i_crit_edge.i.i.i.i.i.i:
  %140 = mul i64 %.pre.i.i.i.i.i.i, %unit.addr.0.i31.i.i.i.i.i.i
  br label %if.end.i.i.i.i.i.i.i

land.lhs.true.i.i.i.i.i.i.i:
  %cmp3.not.i.i.i.i.i.i.i = icmp eq i64 %.pre.i.i.i.i.i.i, 1
  br i1 %cmp3.not.i.i.i.i.i.i.i, label %if.end.i.i.i.i.i.i.i, label %for.inc.i

if.end.i.i.i.i.i.i.i:
  %mul.i.i.i.i.i.i.i = phi i64 [ %140, %for.body.i.if.end.i_crit_edge.i.i.i.i.i.i ], [ %unit.addr.0.i31.i.i.i.i.i.i, %land.lhs.true.i.i.i.i.i.i.i ]
  %cmp.not.i.i.i.i.i.i.i = icmp eq i64 %dec.i32.i.i.i.i.i.i, 0
  br i1 %cmp.not.i.i.i.i.i.i.i, label %if.end14.i.i.i.i.i, label %for.body.i.i.i.i.i.i.i

if.end.i31.i.i.i.i.i:
  %cmp3.not.i.i.i71.i.i.i = icmp eq i64 %.pre.i.i70.i.i.i, %128
  br i1 %cmp3.not.i.i.i71.i.i.i, label %if.end5.i.i.i.i.i.i, label %for.inc.i

if.end5.i.i.i.i.i.i:
  %shape6.i.i.i.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx42.i, i64 64
  %141 = load ptr, ptr %shape6.i.i.i.i.i.i, align 8
  %strides7.i.i.i.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx42.i, i64 72
  %142 = load ptr, ptr %strides7.i.i.i.i.i.i, align 8
  br label %for.cond.i17.i.i.i.i.i.i

for.cond.i17.i.i.i.i.i.i:
  %i.0.i18.i.i.i.i.i.i = phi i64 [ %128, %if.end5.i.i.i.i.i.i ], [ %dec.i19.i.i.i.i.i.i, %if.end.i24.i.i.i.i.i.i ]
  %dec.i19.i.i.i.i.i.i = add i64 %i.0.i18.i.i.i.i.i.i, -1
  %cmp.not.i20.i.i.i.i.i.i = icmp eq i64 %i.0.i18.i.i.i.i.i.i, 0
  br i1 %cmp.not.i20.i.i.i.i.i.i, label %if.end14.i.i.i.i.i, label %for.body.i21.i.i.i.i.i.i

for.body.i21.i.i.i.i.i.i:
  %arrayidx.i22.i.i.i.i.i.i = getelementptr inbounds nuw i64, ptr %add.ptr.i.i.i.i.i, i64 %dec.i19.i.i.i.i.i.i
  %143 = load i64, ptr %arrayidx.i22.i.i.i.i.i.i, align 8
  %arrayidx1.i.i.i.i.i.i.i = getelementptr inbounds nuw i64, ptr %141, i64 %dec.i19.i.i.i.i.i.i
  %144 = load i64, ptr %arrayidx1.i.i.i.i.i.i.i, align 8
  %cmp2.not.i.i.i.i.i.i.i = icmp eq i64 %143, %144
  br i1 %cmp2.not.i.i.i.i.i.i.i, label %if.end.i24.i.i.i.i.i.i, label %for.inc.i

if.end.i24.i.i.i.i.i.i:
  %arrayidx3.i.i.i.i.i.i.i = getelementptr inbounds nuw i64, ptr %add.ptr1.i.i.i.i.i, i64 %dec.i19.i.i.i.i.i.i
  %145 = load i64, ptr %arrayidx3.i.i.i.i.i.i.i, align 8
  %arrayidx4.i25.i.i.i.i.i.i = getelementptr inbounds nuw i64, ptr %142, i64 %dec.i19.i.i.i.i.i.i
  %146 = load i64, ptr %arrayidx4.i25.i.i.i.i.i.i, align 8
  %cmp5.not.i.i.i.i.i.i.i = icmp eq i64 %145, %146
  %cmp7.not.i.i.i.i.i.i.i = icmp eq i64 %143, 1
  %or.cond.i.i.i.i.i.i.i = or i1 %cmp7.not.i.i.i.i.i.i.i, %cmp5.not.i.i.i.i.i.i.i
  br i1 %or.cond.i.i.i.i.i.i.i, label %for.cond.i17.i.i.i.i.i.i, label %for.inc.i

if.end14.i.i.i.i.i:
  store i64 %add.i.i.i.i, ptr %arrayidx.i87.i, align 8
  br label %for.inc46.i

if.end11.i75.i.i:
  %147 = phi i64 [ %.pre194.i.i.i, %dry.exit.i.if.end11_crit_edge.i.i.i ], [ %103, %lor.lhs.false.i.i.i.i ], [ %103, %if.then4.i.i.i ], [ %103, %if.end.i.i.i.i ]
  %148 = load i64, ptr %lazy.i.i.i, align 8
  %and.i.i.i = and i64 %148, %147
  %tobool15.not.i.i.i = icmp eq i64 %and.i.i.i, 0
  br i1 %tobool15.not.i.i.i, label %if.end19.i.i.i, label %for.inc.i

if.end19.i.i.i:
  %149 = load i64, ptr %count.i.i.i.i, align 8
  %cmp.i54181.not.i.i.i = icmp eq i64 %149, 0
  br i1 %cmp.i54181.not.i.i.i, label %for.inc.i, label %for.body.i.lr.ph.i.i.i

for.body.i.lr.ph.i.i.i:
  %150 = load ptr, ptr %type.i70.i.i, align 8
  br label %for.body.i.i.i.i

for.cond.i.i.i.i:
  %inc.i.i.i.i = add nuw i64 %i.0.i182.i.i.i, 1
  %exitcond.not.i.i.i = icmp eq i64 %inc.i.i.i.i, %149
  br i1 %exitcond.not.i.i.i, label %for.inc.i, label %for.body.i.i.i.i

for.body.i.i.i.i:
  %i.0.i182.i.i.i = phi i64 [ 0, %for.body.i.lr.ph.i.i.i ], [ %inc.i.i.i.i, %for.cond.i.i.i.i ]
  %arrayidx.i.i.i.i = getelementptr inbounds nuw %struct.Exchange, ptr %exchanges.i.i.i.i, i64 %i.0.i182.i.i.i
  %151 = load ptr, ptr %arrayidx.i.i.i.i, align 8
  %cmp2.i.i.i.i = icmp eq ptr %151, %150
  br i1 %cmp2.i.i.i.i, label %land.lhs.true.i74.i.i, label %for.cond.i.i.i.i

land.lhs.true.i74.i.i:
  %152 = load i64, ptr %fields.i.i.i, align 8
  %add.ptr.i73.i.i.i = getelementptr inbounds i8, ptr %46, i64 %152
  %153 = load ptr, ptr %add.ptr.i73.i.i.i, align 8
  %154 = load ptr, ptr %requires.i.i.i.i, align 8
  %call.i.i74.i.i.i = call i32 %154(ptr noundef %153) #15
  %and.i.i75.i.i.i = and i32 %call.i.i74.i.i.i, 1
  %tobool.not.i.i76.i.i.i = icmp eq i32 %and.i.i75.i.i.i, 0
  br i1 %tobool.not.i.i76.i.i.i, label %if.end.i78.i.i.i, label %graded.exit.i.i.i.i

graded.exit.i.i.i.i:
  %155 = load ptr, ptr %enabled.i.i.i.i, align 8
  %call2.i.i.i.i.i = call i32 %155() #15
  %and3.i.i.i.i.i = and i32 %call2.i.i.i.i.i, 1
  %tobool4.i.not.i.i.i.i = icmp eq i32 %and3.i.i.i.i.i, 0
  br i1 %tobool4.i.not.i.i.i.i, label %if.end.i78.i.i.i, label %for.inc.i

if.end.i78.i.i.i:
  %156 = load i64, ptr %storage12.i.i.i.i, align 8
  %add.ptr4.i.i.i.i = getelementptr inbounds i8, ptr %153, i64 %156
  %157 = load ptr, ptr %add.ptr4.i.i.i.i, align 8
  %tobool.not.i79.i.i.i = icmp eq ptr %157, null
  br i1 %tobool.not.i79.i.i.i, label %land.rhs23.i.i.i, label %lor.lhs.false.i80.i.i.i

lor.lhs.false.i80.i.i.i:
  %158 = load i64, ptr %numel.i.i.i.i, align 8
  %add.ptr6.i.i.i.i = getelementptr inbounds i8, ptr %153, i64 %158
  %159 = load i64, ptr %add.ptr6.i.i.i.i, align 8
  %tobool7.not.i.i.i.i = icmp eq i64 %159, 0
  br i1 %tobool7.not.i.i.i.i, label %land.rhs23.i.i.i, label %lor.lhs.false8.i.i.i.i

lor.lhs.false8.i.i.i.i:
  %160 = load i64, ptr %rank.i.i.i.i, align 8
  %add.ptr10.i.i.i.i = getelementptr inbounds i8, ptr %153, i64 %160
  %161 = load i64, ptr %add.ptr10.i.i.i.i, align 8
  %cmp.i83.i.i.i = icmp ugt i64 %161, 5
  br i1 %cmp.i83.i.i.i, label %land.rhs23.i.i.i, label %lor.rhs.i.i.i.i

lor.rhs.i.i.i.i:
  %item.i84.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx42.i, i64 80
  %162 = load i64, ptr %item.i84.i.i.i, align 8
  %163 = load i64, ptr %sizes.i.i.i.i.i, align 8
  %add.ptr.i.i86.i.i.i = getelementptr inbounds i8, ptr %153, i64 %163
  %add.ptr1.i.i87.i.i.i = getelementptr inbounds nuw i8, ptr %add.ptr.i.i86.i.i.i, i64 40
  %164 = load i64, ptr %offset.i.i.i.i.i, align 8
  %add.ptr6.i.i89.i.i.i = getelementptr inbounds i8, ptr %153, i64 %164
  %165 = load i64, ptr %add.ptr6.i.i89.i.i.i, align 8
  %add.i.i90.i.i.i = add i64 %165, 1
  %cmp23.i.not.i.i.i.i = icmp eq i64 %161, 0
  br i1 %cmp23.i.not.i.i.i.i, label %askable.exit.i.i.i, label %for.body.i.i91.i.i.i

for.body.i.i91.i.i.i:
  %i.025.i.i92.i.i.i = phi i64 [ %inc.i.i99.i.i.i, %for.body.i.i91.i.i.i ], [ 0, %lor.rhs.i.i.i.i ]
  %elements.024.i.i93.i.i.i = phi i64 [ %add8.i.i98.i.i.i, %for.body.i.i91.i.i.i ], [ %add.i.i90.i.i.i, %lor.rhs.i.i.i.i ]
  %arrayidx.i.i94.i.i.i = getelementptr inbounds nuw i64, ptr %add.ptr.i.i86.i.i.i, i64 %i.025.i.i92.i.i.i
  %166 = load i64, ptr %arrayidx.i.i94.i.i.i, align 8
  %sub.i.i95.i.i.i = add i64 %166, -1
  %arrayidx7.i.i96.i.i.i = getelementptr inbounds nuw i64, ptr %add.ptr1.i.i87.i.i.i, i64 %i.025.i.i92.i.i.i
  %167 = load i64, ptr %arrayidx7.i.i96.i.i.i, align 8
  %mul.i.i97.i.i.i = mul i64 %sub.i.i95.i.i.i, %167
  %add8.i.i98.i.i.i = add i64 %mul.i.i97.i.i.i, %elements.024.i.i93.i.i.i
  %inc.i.i99.i.i.i = add nuw nsw i64 %i.025.i.i92.i.i.i, 1
  %exitcond.not.i.i100.i.i.i = icmp eq i64 %inc.i.i99.i.i.i, %161
  br i1 %exitcond.not.i.i100.i.i.i, label %askable.exit.i.i.i, label %for.body.i.i91.i.i.i

askable.exit.i.i.i:
  %elements.0.lcssa.i.i102.i.i.i = phi i64 [ %add.i.i90.i.i.i, %lor.rhs.i.i.i.i ], [ %add8.i.i98.i.i.i, %for.body.i.i91.i.i.i ]
  %mul9.i.i103.i.i.i = mul i64 %elements.0.lcssa.i.i102.i.i.i, %162
  %168 = load i64, ptr %bytes.i.i.i.i.i, align 8
  %add.ptr11.i.i105.i.i.i = getelementptr inbounds i8, ptr %157, i64 %168
  %169 = load i64, ptr %add.ptr11.i.i105.i.i.i, align 8
  %cmp12.i.i.not.i.i.i = icmp ugt i64 %mul9.i.i103.i.i.i, %169
  br i1 %cmp12.i.i.not.i.i.i, label %for.inc.i, label %land.rhs23.i.i.i

land.rhs23.i.i.i:
  %function.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx.i.i.i.i, i64 8
  %170 = load ptr, ptr %function.i.i.i, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %t.i.i.i.i) #16
  %call.i106.i.i.i = call i32 %170(ptr noundef nonnull %46, ptr noundef nonnull %t.i.i.i.i) #15
  %tobool.not.i107.i.i.i = icmp eq i32 %call.i106.i.i.i, 0
  br i1 %tobool.not.i107.i.i.i, label %if.end.i109.i.i.i, label %if.then.i.i.i.i

if.then.i.i.i.i:
  call void @PyErr_Clear() #15
  br label %is_dlpack.exit.i.i.thread.i

if.end.i109.i.i.i:
  %171 = load i64, ptr %device.i.i.i.i, align 8
  %device1.i.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx42.i, i64 40
  %172 = load i64, ptr %device1.i.i.i.i, align 8
  %cmp.not.i110.i.i.i = icmp eq i64 %171, %172
  br i1 %cmp.not.i110.i.i.i, label %while.cond.preheader.i.i.i.i, label %is_dlpack.exit.i.i.thread.i

while.cond.preheader.i.i.i.i:
  %dtypes.i.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx42.i, i64 48
  %173 = load i32, ptr %dtype.i.i.i.i, align 4
  br label %while.cond.i111.i.i.i

while.cond.i111.i.i.i:
  %i.0.i112.i.i.i = phi i64 [ %inc.i115.i.i.i, %while.body.i114.i.i.i ], [ 0, %while.cond.preheader.i.i.i.i ]
  %arrayidx.i113.i.i.i = getelementptr inbounds nuw i32, ptr %dtypes.i.i.i.i, i64 %i.0.i112.i.i.i
  %174 = load i32, ptr %arrayidx.i113.i.i.i, align 4
  %cmp4.not.i.i.i.i = icmp eq i32 %174, %173
  br i1 %cmp4.not.i.i.i.i, label %while.end.i116.i.i.i, label %while.body.i114.i.i.i

while.body.i114.i.i.i:
  %inc.i115.i.i.i = add nuw nsw i64 %i.0.i112.i.i.i, 1
  %cmp5.i.i.i.i = icmp eq i64 %inc.i115.i.i.i, 4
  br i1 %cmp5.i.i.i.i, label %is_dlpack.exit.i.i.thread.i, label %while.cond.i111.i.i.i

while.end.i116.i.i.i:
  %175 = load i64, ptr %t.i.i.i.i, align 8
  %176 = load i64, ptr %offset.i.i.i.i, align 8
  %add.i117.i.i.i = add i64 %176, %175
  %177 = load i32, ptr %rank8.i.i.i.i, align 8
  %conv.i118.i.i.i = zext i32 %177 to i64
  %178 = load ptr, ptr %strides.i119.i.i.i, align 8
  %tobool9.not.i.i.i.i = icmp eq ptr %178, null
  br i1 %tobool9.not.i.i.i.i, label %is_dlpack.exit.i.i.thread.i, label %land.lhs.true.i.i.i.i

land.lhs.true.i.i.i.i:
  %179 = load ptr, ptr %shape.i120.i.i.i, align 8
  %cmp.not16.not.i.i.i.i.i = icmp eq i32 %177, 0
  br i1 %cmp.not16.not.i.i.i.i.i, label %is_dlpack.exit.i.i.thread.i, label %for.body.i.i121.i.i.i

for.body.i.i121.i.i.i:
  %i.018.i.i.i.i.i = phi i64 [ %inc.i.i124.i.i.i, %if.end.i.i123.i.i.i ], [ 0, %land.lhs.true.i.i.i.i ]
  %empty.017.i.i.i.i.i = phi i1 [ %or14.i.i.i.i.i, %if.end.i.i123.i.i.i ], [ false, %land.lhs.true.i.i.i.i ]
  %arrayidx.i.i122.i.i.i = getelementptr inbounds nuw i64, ptr %179, i64 %i.018.i.i.i.i.i
  %180 = load i64, ptr %arrayidx.i.i122.i.i.i, align 8
  %cmp1.i.i.i.i.i = icmp slt i64 %180, 0
  br i1 %cmp1.i.i.i.i.i, label %is_dlpack.exit.i.i.thread.i, label %if.end.i.i123.i.i.i

if.end.i.i123.i.i.i:
  %cmp3.i.i.i.i.i = icmp eq i64 %180, 0
  %or14.i.i.i.i.i = or i1 %empty.017.i.i.i.i.i, %cmp3.i.i.i.i.i
  %inc.i.i124.i.i.i = add nuw nsw i64 %i.018.i.i.i.i.i, 1
  %exitcond.not.i.i125.i.i.i = icmp eq i64 %inc.i.i124.i.i.i, %conv.i118.i.i.i
  br i1 %exitcond.not.i.i125.i.i.i, label %sound.exit.i.i.i.i, label %for.body.i.i121.i.i.i

sound.exit.i.i.i.i:
  %tobool5.i.i.i.i.i = icmp ne i64 %add.i117.i.i.i, 0
  %181 = select i1 %tobool5.i.i.i.i.i, i1 true, i1 %or14.i.i.i.i.i
  br i1 %181, label %lor.lhs.false.i.i126.i.i.i, label %is_dlpack.exit.i.i.thread.i

lor.lhs.false.i.i126.i.i.i:
  %high.i.i127.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx42.i, i64 24
  %182 = load i64, ptr %high.i.i127.i.i.i, align 8
  %sub.i.i128.i.i.i = add i64 %182, -1
  %and.i.i129.i.i.i = and i64 %sub.i.i128.i.i.i, %add.i117.i.i.i
  %tobool1.not.i.i130.i.i.i = icmp eq i64 %and.i.i129.i.i.i, 0
  br i1 %tobool1.not.i.i130.i.i.i, label %if.end.i22.i.i.i.i, label %is_dlpack.exit.i.i.thread.i

if.end.i22.i.i.i.i:
  %183 = load i64, ptr %arrayidx42.i, align 8
  %cmp.i.i131.i.i.i = icmp eq i64 %183, 8
  br i1 %cmp.i.i131.i.i.i, label %is_dlpack.exit.i.i.i, label %for.body.i.i.i132.i.i.i

for.body.i.i.i132.i.i.i:
  %dec.i39.in.i.i.i.i.i = phi i64 [ %dec.i39.i.i.i.i.i, %if.end.i.i.i135.i.i.i ], [ %conv.i118.i.i.i, %if.end.i22.i.i.i.i ]
  %unit.addr.0.i38.i.i.i.i.i = phi i64 [ %mul.i.i.i136.i.i.i, %if.end.i.i.i135.i.i.i ], [ 1, %if.end.i22.i.i.i.i ]
  %dec.i39.i.i.i.i.i = add nsw i64 %dec.i39.in.i.i.i.i.i, -1
  %arrayidx.i.i.i133.i.i.i = getelementptr inbounds nuw i64, ptr %178, i64 %dec.i39.i.i.i.i.i
  %184 = load i64, ptr %arrayidx.i.i.i133.i.i.i, align 8
  %cmp1.not.i.i.i134.i.i.i = icmp eq i64 %184, %unit.addr.0.i38.i.i.i.i.i
  br i1 %cmp1.not.i.i.i134.i.i.i, label %if.end.i.i.i135.i.i.i, label %is_dlpack.exit.i.i.thread.i

if.end.i.i.i135.i.i.i:
  %arrayidx4.i.i.i.i.i.i = getelementptr inbounds nuw i64, ptr %179, i64 %dec.i39.i.i.i.i.i
  %185 = load i64, ptr %arrayidx4.i.i.i.i.i.i, align 8
  %mul.i.i.i136.i.i.i = mul i64 %185, %unit.addr.0.i38.i.i.i.i.i
  %cmp.not.i.i.i137.i.i.i = icmp eq i64 %dec.i39.i.i.i.i.i, 0
  br i1 %cmp.not.i.i.i137.i.i.i, label %lor.lhs.false8.i.i.i.i.i, label %for.body.i.i.i132.i.i.i

lor.lhs.false8.i.i.i.i.i:
  %rank9.i.i.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx42.i, i64 32
  %186 = load i64, ptr %rank9.i.i.i.i.i, align 8
  %cmp10.not.i.i.i.i.i = icmp eq i64 %186, -1
  br i1 %cmp10.not.i.i.i.i.i, label %is_dlpack.exit.i.i.thread96.i, label %if.end.i31.i.i138.i.i.i

if.end.i31.i.i138.i.i.i:
  %cmp3.not.i.i.i139.i.i.i = icmp eq i64 %186, %conv.i118.i.i.i
  br i1 %cmp3.not.i.i.i139.i.i.i, label %if.end5.i.i.i140.i.i.i, label %is_dlpack.exit.i.i.thread.i

if.end5.i.i.i140.i.i.i:
  %shape6.i.i.i141.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx42.i, i64 64
  %187 = load ptr, ptr %shape6.i.i.i141.i.i.i, align 8
  %strides7.i.i.i142.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx42.i, i64 72
  %188 = load ptr, ptr %strides7.i.i.i142.i.i.i, align 8
  br label %for.cond.i17.i.i.i143.i.i.i

for.cond.i17.i.i.i143.i.i.i:
  %i.0.i18.i.i.i144.i.i.i = phi i64 [ %conv.i118.i.i.i, %if.end5.i.i.i140.i.i.i ], [ %dec.i19.i.i.i145.i.i.i, %if.end.i24.i.i.i151.i.i.i ]
  %dec.i19.i.i.i145.i.i.i = add nsw i64 %i.0.i18.i.i.i144.i.i.i, -1
  %cmp.not.i20.i.i.i146.i.i.i = icmp eq i64 %i.0.i18.i.i.i144.i.i.i, 0
  br i1 %cmp.not.i20.i.i.i146.i.i.i, label %is_dlpack.exit.i.i.thread96.i, label %for.body.i21.i.i.i147.i.i.i

for.body.i21.i.i.i147.i.i.i:
  %arrayidx.i22.i.i.i148.i.i.i = getelementptr inbounds nuw i64, ptr %179, i64 %dec.i19.i.i.i145.i.i.i
  %189 = load i64, ptr %arrayidx.i22.i.i.i148.i.i.i, align 8
  %arrayidx1.i.i.i.i149.i.i.i = getelementptr inbounds nuw i64, ptr %187, i64 %dec.i19.i.i.i145.i.i.i
  %190 = load i64, ptr %arrayidx1.i.i.i.i149.i.i.i, align 8
  %cmp2.not.i.i.i.i150.i.i.i = icmp eq i64 %189, %190
  br i1 %cmp2.not.i.i.i.i150.i.i.i, label %if.end.i24.i.i.i151.i.i.i, label %is_dlpack.exit.i.i.thread.i

if.end.i24.i.i.i151.i.i.i:
  %arrayidx3.i.i.i.i152.i.i.i = getelementptr inbounds nuw i64, ptr %178, i64 %dec.i19.i.i.i145.i.i.i
  %191 = load i64, ptr %arrayidx3.i.i.i.i152.i.i.i, align 8
  %arrayidx4.i25.i.i.i153.i.i.i = getelementptr inbounds nuw i64, ptr %188, i64 %dec.i19.i.i.i145.i.i.i
  %192 = load i64, ptr %arrayidx4.i25.i.i.i153.i.i.i, align 8
  %cmp5.not.i.i.i.i154.i.i.i = icmp eq i64 %191, %192
  %cmp7.not.i.i.i.i155.i.i.i = icmp eq i64 %189, 1
  %or.cond.i.i.i.i156.i.i.i = or i1 %cmp7.not.i.i.i.i155.i.i.i, %cmp5.not.i.i.i.i154.i.i.i
  br i1 %or.cond.i.i.i.i156.i.i.i, label %for.cond.i17.i.i.i143.i.i.i, label %is_dlpack.exit.i.i.thread.i

is_dlpack.exit.i.i.thread96.i:
  store i64 %add.i117.i.i.i, ptr %arrayidx.i87.i, align 8
  call void @llvm.lifetime.end.p0(ptr nonnull %t.i.i.i.i) #16
  br label %for.inc46.i

is_dlpack.exit.i.i.thread.i:
  call void @llvm.lifetime.end.p0(ptr nonnull %t.i.i.i.i) #16
  br label %for.inc.i

is_dlpack.exit.i.i.i:
  %item.i.i.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx42.i, i64 80
  %193 = load i64, ptr %item.i.i.i.i.i, align 8
  %call.i.i159.i.i.i = call fastcc i1 @mapped(ptr noundef nonnull readonly %arrayidx42.i, i64 noundef %add.i117.i.i.i, i64 noundef %conv.i118.i.i.i, ptr noundef nonnull readonly %179, ptr noundef nonnull readonly %178, i64 noundef %193, ptr noundef nonnull %arrayidx.i87.i) #17
  call void @llvm.lifetime.end.p0(ptr nonnull %t.i.i.i.i) #16
  br i1 %call.i.i159.i.i.i, label %for.inc46.i, label %for.inc.i

argument.exit.i:
  %low.i.i = getelementptr inbounds nuw i8, ptr %arrayidx42.i, i64 16
  %194 = load i64, ptr %low.i.i, align 8
  %195 = inttoptr i64 %194 to ptr
  %call.i89.i = call fastcc i1 @same(ptr noundef %46, ptr noundef %195, ptr noundef readonly %0) #17
  br i1 %call.i89.i, label %for.inc46.i, label %for.inc.i

for.inc46.i:
  %inc47.i = add nuw nsw i64 %i36.0116.i, 1
  %exitcond.not.i = icmp eq i64 %inc47.i, %add.i
  br i1 %exitcond.not.i, label %if.end.i111, label %for.body40.i

if.end.i111:
  %expects.i = getelementptr inbounds nuw i8, ptr %14, i64 128
  %196 = load ptr, ptr %expects.i, align 8
  %tobool.not.i112 = icmp eq ptr %196, null
  br i1 %tobool.not.i112, label %cond.true.i, label %lor.lhs.false.i113

lor.lhs.false.i113:
  %call5.i = call fastcc i1 @kept(ptr noundef nonnull %196, ptr noundef nonnull %room, ptr noundef nonnull %blocks.i) #17
  br i1 %call5.i, label %cond.true.i, label %cond.end11

cond.true.i:
  br label %cond.end11

for.inc.i:
  %inc.i = add nuw nsw i64 %i.0.i222, 1
  %197 = load i64, ptr %count.i, align 8
  %cmp.i = icmp slt i64 %inc.i, %197
  br i1 %cmp.i, label %for.body.i, label %cond.end11

cond.end11:
  %cond12 = phi ptr [ null, %if.end8.i103 ], [ %14, %cond.true.i ], [ null, %lor.lhs.false.i113 ], [ null, %if.end ], [ null, %if.end.i102 ], [ null, %lor.lhs.false.i ], [ null, %lor.lhs.false3.i ], [ null, %cond.true8 ], [ null, %for.inc.i ]
  %198 = load ptr, ptr @ave_dry, align 8
  %tobool.not.i115 = icmp eq ptr %198, null
  br i1 %tobool.not.i115, label %if.end29, label %dry.exit

dry.exit:
  %199 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @ave_dry, i64 8), align 8
  %call.i116 = call ptr @pthread_self() #15
  %cmp.i117 = icmp eq ptr %199, %call.i116
  br i1 %cmp.i117, label %if.then14, label %if.end29

if.then14:
  call void @Py_DecRef(ptr noundef nonnull %retval.1.i203) #15
  %tobool15.not = icmp eq ptr %cond12, null
  br i1 %tobool15.not, label %land.end, label %land.rhs

land.rhs:
  %gpu = getelementptr inbounds nuw i8, ptr %cond12, i64 96
  %200 = load ptr, ptr %gpu, align 8
  %tobool16.not = icmp eq ptr %200, null
  br i1 %tobool16.not, label %land.end, label %lor.rhs

lor.rhs:
  %201 = load i64, ptr %g, align 8
  %most_x.i = getelementptr inbounds nuw i8, ptr %200, i64 40
  %202 = load i64, ptr %most_x.i, align 8
  %cmp.i147 = icmp sgt i64 %201, %202
  br i1 %cmp.i147, label %land.end, label %if.end.i148

if.end.i148:
  %stream.i = getelementptr inbounds nuw i8, ptr %cond12, i64 104
  %203 = load ptr, ptr %stream.i, align 8
  %tobool.not.i149 = icmp eq ptr %203, null
  br i1 %tobool.not.i149, label %land.end, label %if.end3.i

if.end3.i:
  %device.i = getelementptr inbounds nuw i8, ptr %cond12, i64 112
  %204 = load i64, ptr %device.i, align 8
  %conv.i150 = trunc i64 %204 to i32
  %shr.i = lshr i64 %204, 32
  %conv6.i = trunc nuw i64 %shr.i to i32
  %params.i = getelementptr inbounds nuw i8, ptr %200, i64 48
  %205 = load i64, ptr %params.i, align 8
  %arrayidx.i151 = getelementptr inbounds i64, ptr %room, i64 %205
  %call.i152 = call i32 %203(i32 noundef %conv.i150, i32 noundef %conv6.i, ptr noundef nonnull %arrayidx.i151) #15
  %tobool7.not.i = icmp eq i32 %call.i152, 0
  br i1 %tobool7.not.i, label %land.end, label %if.end9.i

if.end9.i:
  call void @PyErr_Clear() #15
  br label %land.end

land.end:
  %cond24 = phi ptr [ null, %if.then14 ], [ %cond12, %land.rhs ], [ null, %if.end9.i ], [ null, %lor.rhs ], [ %cond12, %if.end.i148 ], [ %cond12, %if.end3.i ]
  %blocks = getelementptr inbounds nuw i8, ptr %g, i64 48
  %call28 = call fastcc ptr @told(ptr noundef nonnull %state, ptr noundef %cond24, ptr noundef %room, ptr noundef %blocks, ptr noundef %call) #17
  br label %cleanup61

if.end29:
  %tobool30.not = icmp eq ptr %cond12, null
  br i1 %tobool30.not, label %if.end57, label %if.then31

if.then31:
  %add = add i64 %cond, %positional
  %cmp32.i = icmp sgt i64 %add, 0
  br i1 %cmp32.i, label %for.body.lr.ph.i154, label %changed.exit

for.body.lr.ph.i154:
  %params.i155 = getelementptr inbounds nuw i8, ptr %cond12, i64 72
  %count.i.i = getelementptr inbounds nuw i8, ptr %0, i64 96
  %exchanges.i.i = getelementptr inbounds nuw i8, ptr %0, i64 104
  %fields.i = getelementptr inbounds nuw i8, ptr %0, i64 256
  %counter8.i = getelementptr inbounds nuw i8, ptr %0, i64 344
  %version.i = getelementptr inbounds nuw i8, ptr %0, i64 352
  br label %for.body.i156

for.body.i156:
  %i.033.i = phi i64 [ 0, %for.body.lr.ph.i154 ], [ %inc.i165, %cleanup.i164 ]
  %206 = load ptr, ptr %params.i155, align 8
  %arrayidx.i157 = getelementptr inbounds nuw %struct.ParamCheck, ptr %206, i64 %i.033.i
  %207 = load i64, ptr %arrayidx.i157, align 8
  %cmp2.i = icmp ult i64 %207, 6
  br i1 %cmp2.i, label %cleanup.i164, label %lor.lhs.false.i158

lor.lhs.false.i158:
  %low.i = getelementptr inbounds nuw i8, ptr %arrayidx.i157, i64 16
  %208 = load i64, ptr %low.i, align 8
  %and.i = and i64 %208, 1024
  %tobool.not.i159 = icmp eq i64 %and.i, 0
  br i1 %tobool.not.i159, label %cleanup.i164, label %lor.lhs.false3.i160

lor.lhs.false3.i160:
  %arrayidx4.i = getelementptr inbounds nuw ptr, ptr %args, i64 %i.033.i
  %209 = load ptr, ptr %arrayidx4.i, align 8
  %210 = load i64, ptr %count.i.i, align 8
  %cmp.i30.not.i = icmp eq i64 %210, 0
  br i1 %cmp.i30.not.i, label %cleanup.i164, label %for.body.i.lr.ph.i

for.body.i.lr.ph.i:
  %type1.i.i = getelementptr inbounds nuw i8, ptr %209, i64 8
  %211 = load ptr, ptr %type1.i.i, align 8
  br label %for.body.i.i161

for.cond.i.i:
  %inc.i.i = add nuw i64 %i.0.i31.i, 1
  %exitcond.not.i163 = icmp eq i64 %inc.i.i, %210
  br i1 %exitcond.not.i163, label %cleanup.i164, label %for.body.i.i161

for.body.i.i161:
  %i.0.i31.i = phi i64 [ 0, %for.body.i.lr.ph.i ], [ %inc.i.i, %for.cond.i.i ]
  %arrayidx.i.i162 = getelementptr inbounds nuw %struct.Exchange, ptr %exchanges.i.i, i64 %i.0.i31.i
  %212 = load ptr, ptr %arrayidx.i.i162, align 8
  %cmp2.i.i = icmp eq ptr %212, %211
  br i1 %cmp2.i.i, label %if.end.i166, label %for.cond.i.i

if.end.i166:
  %213 = load i64, ptr %fields.i, align 8
  %add.ptr.i = getelementptr inbounds i8, ptr %209, i64 %213
  %214 = load ptr, ptr %add.ptr.i, align 8
  %215 = load i64, ptr %counter8.i, align 8
  %add.ptr9.i = getelementptr inbounds i8, ptr %214, i64 %215
  %216 = load ptr, ptr %add.ptr9.i, align 8
  %tobool10.not.i = icmp eq ptr %216, null
  br i1 %tobool10.not.i, label %cleanup.i164, label %if.then11.i

if.then11.i:
  %217 = load i64, ptr %version.i, align 8
  %add.ptr13.i = getelementptr inbounds i8, ptr %216, i64 %217
  %218 = atomicrmw add ptr %add.ptr13.i, i32 1 monotonic, align 4
  br label %cleanup.i164

cleanup.i164:
  %inc.i165 = add nuw nsw i64 %i.033.i, 1
  %exitcond34.not.i = icmp eq i64 %inc.i165, %add
  br i1 %exitcond34.not.i, label %changed.exit, label %for.body.i156

changed.exit:
  %gpu35 = getelementptr inbounds nuw i8, ptr %cond12, i64 96
  %219 = load ptr, ptr %gpu35, align 8
  %tobool36.not = icmp eq ptr %219, null
  br i1 %tobool36.not, label %if.then37, label %if.end43

if.then37:
  call void @Py_DecRef(ptr noundef nonnull %retval.1.i203) #15
  %last = getelementptr inbounds nuw i8, ptr %state, i64 152
  store ptr %cond12, ptr %last, align 8
  %blocks40 = getelementptr inbounds nuw i8, ptr %g, i64 48
  %220 = load ptr, ptr %cond12, align 8
  %call.i118 = call ptr @PyEval_SaveThread() #15
  %221 = load ptr, ptr %0, align 8
  %call3.i = call i64 @ave_run_grid(ptr noundef %221, ptr noundef %220, ptr noundef nonnull %room, ptr noundef nonnull %blocks40, ptr noundef %call.i118) #17
  call void @PyEval_RestoreThread(ptr noundef %call.i118) #15
  %tobool.not.i119 = icmp eq i64 %call3.i, 0
  br i1 %tobool.not.i119, label %if.then.i125, label %if.end.i120

if.then.i125:
  %none.i.i = getelementptr inbounds nuw i8, ptr %0, i64 40
  %222 = load ptr, ptr %none.i.i, align 8
  call void @Py_IncRef(ptr noundef %222) #15
  %223 = load ptr, ptr %none.i.i, align 8
  br label %cleanup61

if.end.i120:
  %call5.i121 = call ptr @PyErr_Occurred() #15
  %tobool6.not.i = icmp eq ptr %call5.i121, null
  br i1 %tobool6.not.i, label %if.end8.i124, label %cleanup61

if.end8.i124:
  %call9.i = call ptr @PyLong_FromLongLong(i64 noundef %call3.i) #15
  %fail.i = getelementptr inbounds nuw i8, ptr %0, i64 80
  %224 = load ptr, ptr %fail.i, align 8
  %call10.i = call ptr (ptr, ...) @PyObject_CallFunctionObjArgs(ptr noundef %224, ptr noundef %call9.i, ptr noundef null) #15
  call void @Py_DecRef(ptr noundef %call9.i) #15
  call fastcc void @strip(ptr noundef nonnull %0) #17
  br label %cleanup61

if.end43:
  %225 = load i64, ptr %g, align 8
  %most_x.i167 = getelementptr inbounds nuw i8, ptr %219, i64 40
  %226 = load i64, ptr %most_x.i167, align 8
  %cmp.i168 = icmp sgt i64 %225, %226
  br i1 %cmp.i168, label %if.end57, label %if.end.i169

if.end.i169:
  %stream.i170 = getelementptr inbounds nuw i8, ptr %cond12, i64 104
  %227 = load ptr, ptr %stream.i170, align 8
  %tobool.not.i171 = icmp eq ptr %227, null
  br i1 %tobool.not.i171, label %if.then49, label %if.end3.i172

if.end3.i172:
  %device.i173 = getelementptr inbounds nuw i8, ptr %cond12, i64 112
  %228 = load i64, ptr %device.i173, align 8
  %conv.i174 = trunc i64 %228 to i32
  %shr.i175 = lshr i64 %228, 32
  %conv6.i176 = trunc nuw i64 %shr.i175 to i32
  %params.i177 = getelementptr inbounds nuw i8, ptr %219, i64 48
  %229 = load i64, ptr %params.i177, align 8
  %arrayidx.i178 = getelementptr inbounds i64, ptr %room, i64 %229
  %call.i179 = call i32 %227(i32 noundef %conv.i174, i32 noundef %conv6.i176, ptr noundef nonnull %arrayidx.i178) #15
  %tobool7.not.i180 = icmp eq i32 %call.i179, 0
  br i1 %tobool7.not.i180, label %if.then49, label %if.end9.i181

if.end9.i181:
  call void @PyErr_Clear() #15
  br label %if.end57

if.then49:
  %last50 = getelementptr inbounds nuw i8, ptr %state, i64 152
  store ptr %cond12, ptr %last50, align 8
  %blocks53 = getelementptr inbounds nuw i8, ptr %g, i64 48
  %failed.i = getelementptr inbounds nuw i8, ptr %cond12, i64 120
  %230 = load ptr, ptr %failed.i, align 8
  call void @Py_IncRef(ptr noundef %230) #15
  %call2.i126 = call ptr @PyEval_SaveThread() #15
  %call3.i127 = call i64 @ave_launch_gpu(ptr noundef nonnull %219, ptr noundef nonnull %room, ptr noundef nonnull %blocks53) #17
  call void @PyEval_RestoreThread(ptr noundef %call2.i126) #15
  %tobool.not.i128 = icmp eq i64 %call3.i127, 0
  br i1 %tobool.not.i128, label %if.then.i134, label %if.end.i129

if.then.i134:
  call void @Py_DecRef(ptr noundef %230) #15
  call void @Py_DecRef(ptr noundef nonnull %retval.1.i203) #15
  %none.i.i135 = getelementptr inbounds nuw i8, ptr %0, i64 40
  %231 = load ptr, ptr %none.i.i135, align 8
  call void @Py_IncRef(ptr noundef %231) #15
  %232 = load ptr, ptr %none.i.i135, align 8
  br label %cleanup61

if.end.i129:
  %call5.i130 = call ptr @PyLong_FromLongLong(i64 noundef %call3.i127) #15
  %call6.i131 = call fastcc ptr @python(ptr noundef %230, ptr noundef %0, ptr noundef %call5.i130, ptr noundef nonnull %retval.1.i203, ptr noundef nonnull %call) #17
  call void @Py_DecRef(ptr noundef %call5.i130) #15
  call void @Py_DecRef(ptr noundef %230) #15
  call void @Py_DecRef(ptr noundef nonnull %retval.1.i203) #15
  br label %cleanup61

if.end57:
  %slow = getelementptr inbounds nuw i8, ptr %state, i64 8
  %233 = load ptr, ptr %slow, align 8
  %call58 = call fastcc ptr @python(ptr noundef %233, ptr noundef %0, ptr noundef null, ptr noundef %retval.1.i203, ptr noundef %call) #17
  call void @Py_DecRef(ptr noundef nonnull %retval.1.i203) #15
  br label %cleanup61

cleanup61:
  %retval.2 = phi ptr [ null, %asked.exit ], [ %call28, %land.end ], [ %call58, %if.end57 ], [ null, %if.end.i120 ], [ %232, %if.then.i134 ], [ %call6.i131, %if.end.i129 ], [ null, %if.end8.i124 ], [ %223, %if.then.i125 ], [ null, %if.end.i ]
  call void @llvm.lifetime.end.p0(ptr nonnull %call) #16
  call void @llvm.lifetime.end.p0(ptr nonnull %g) #16
  call void @llvm.lifetime.end.p0(ptr nonnull %room) #16
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
  %call.i = tail call i32 @PyObject_GC_IsTracked(ptr noundef nonnull %self) #15
  %tobool.not.i = icmp eq i32 %call.i, 0
  br i1 %tobool.not.i, label %if.then.i, label %track.exit

if.then.i:
  tail call void @PyObject_GC_Track(ptr noundef nonnull %self) #15
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
  %call = tail call fastcc ptr @launch(ptr noundef %4, ptr noundef %5, ptr noundef %args, i64 noundef %and, ptr noundef %names) #17
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
  %call = tail call i32 @PyErr_BadArgument() #15
  br label %cleanup11

if.end:
  tail call void @Py_IncRef(ptr noundef nonnull %1) #15
  %2 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @ave_subscripts, i64 16), align 8
  %tobool1.not = icmp eq ptr %2, null
  br i1 %tobool1.not, label %if.else, label %if.then2

if.then2:
  store ptr null, ptr getelementptr inbounds nuw (i8, ptr @ave_subscripts, i64 16), align 8
  store i64 1, ptr %2, align 8
  br label %if.end7

if.else:
  %3 = load ptr, ptr @ave_subscripts, align 8
  %call3 = tail call ptr @_PyObject_GC_New(ptr noundef %3) #15
  %tobool4.not = icmp eq ptr %call3, null
  br i1 %tobool4.not, label %if.then5, label %if.end7

if.then5:
  tail call void @Py_DecRef(ptr noundef nonnull %1) #15
  br label %cleanup11

if.end7:
  %bound.0 = phi ptr [ %2, %if.then2 ], [ %call3, %if.else ]
  %call8 = getelementptr inbounds nuw i8, ptr %bound.0, i64 16
  store ptr @ave_bound_call, ptr %call8, align 8
  %builtin9 = getelementptr inbounds nuw i8, ptr %bound.0, i64 24
  store ptr %1, ptr %builtin9, align 8
  tail call void @Py_IncRef(ptr noundef %provider) #15
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
  %call = tail call i32 %visit(ptr noundef %0, ptr noundef %arg) #15
  %tobool.not = icmp eq i32 %call, 0
  br i1 %tobool.not, label %if.end, label %if.end5

if.end:
  %builtin = getelementptr inbounds nuw i8, ptr %self, i64 24
  %1 = load ptr, ptr %builtin, align 8
  %call1 = tail call i32 %visit(ptr noundef %1, ptr noundef %arg) #15
  %tobool2.not = icmp eq i32 %call1, 0
  br i1 %tobool2.not, label %if.then3, label %if.end5

if.then3:
  %provider = getelementptr inbounds nuw i8, ptr %self, i64 32
  %2 = load ptr, ptr %provider, align 8
  %call4 = tail call i32 %visit(ptr noundef %2, ptr noundef %arg) #15
  br label %if.end5

if.end5:
  %stop.1 = phi i32 [ %call1, %if.end ], [ %call4, %if.then3 ], [ %call, %entry ]
  ret i32 %stop.1
}

define void @ave_bound_dealloc(ptr noundef %self) local_unnamed_addr #0 {
entry:
  tail call void @PyObject_GC_UnTrack(ptr noundef %self) #15
  %type1 = getelementptr inbounds nuw i8, ptr %self, i64 8
  %0 = load ptr, ptr %type1, align 8
  %builtin2 = getelementptr inbounds nuw i8, ptr %self, i64 24
  %1 = load ptr, ptr %builtin2, align 8
  %provider3 = getelementptr inbounds nuw i8, ptr %self, i64 32
  %2 = load ptr, ptr %provider3, align 8
  tail call void @Py_DecRef(ptr noundef %2) #15
  tail call void @Py_DecRef(ptr noundef %1) #15
  %3 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @ave_subscripts, i64 16), align 8
  %tobool.not = icmp eq ptr %3, null
  br i1 %tobool.not, label %if.then, label %if.end

if.then:
  store ptr %self, ptr getelementptr inbounds nuw (i8, ptr @ave_subscripts, i64 16), align 8
  br label %cleanup

if.end:
  tail call void @PyObject_GC_Del(ptr noundef nonnull %self) #15
  tail call void @Py_DecRef(ptr noundef %0) #15
  br label %cleanup

cleanup:
  ret void
}

declare void @PyObject_GC_UnTrack(ptr noundef) local_unnamed_addr

declare void @PyObject_GC_Del(ptr noundef) local_unnamed_addr

define i64 @ave_word_at(i64 noundef %function) local_unnamed_addr #0 {
entry:
  %0 = inttoptr i64 %function to ptr
  %call = tail call i64 %0(i64 noundef 0) #15
  %1 = inttoptr i64 %call to ptr
  %2 = load i64, ptr %1, align 8
  ret i64 %2
}

define ptr @ave_repeat(ptr noundef %self, ptr noundef readonly captures(none) %args, i64 noundef %count, ptr noundef readonly captures(address_is_null) %names) local_unnamed_addr #0 {
entry:
  %stream.i.i = alloca i64, align 8
  %w = alloca %struct.Walk, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %w) #16
  %call = tail call ptr @PyTuple_GetItem(ptr noundef %self, i64 noundef 0) #15
  %call1 = tail call ptr @PyLong_AsVoidPtr(ptr noundef %call) #15
  %0 = load ptr, ptr %call1, align 8
  %1 = load ptr, ptr @ave_dry, align 8
  %tobool.not = icmp eq ptr %1, null
  br i1 %tobool.not, label %lor.lhs.false, label %if.then

lor.lhs.false:
  %checking.i = getelementptr inbounds nuw i8, ptr %call1, i64 48
  %2 = load i64, ptr %checking.i, align 8
  %cmp15.i = icmp sgt i64 %2, 0
  br i1 %cmp15.i, label %for.body.lr.ph.i, label %for.end.i

for.body.lr.ph.i:
  %checks.i = getelementptr inbounds nuw i8, ptr %call1, i64 56
  br label %for.body.i

for.cond.i:
  %inc.i = add nuw nsw i64 %i.016.i, 1
  %3 = load i64, ptr %checking.i, align 8
  %cmp.i = icmp slt i64 %inc.i, %3
  br i1 %cmp.i, label %for.body.i, label %for.end.i

for.body.i:
  %i.016.i = phi i64 [ 0, %for.body.lr.ph.i ], [ %inc.i, %for.cond.i ]
  %4 = load ptr, ptr %checks.i, align 8
  %arrayidx.i123 = getelementptr inbounds nuw %struct.Check, ptr %4, i64 %i.016.i
  %5 = load ptr, ptr %arrayidx.i123, align 8
  %argument.i = getelementptr inbounds nuw i8, ptr %arrayidx.i123, i64 8
  %6 = load i64, ptr %argument.i, align 8
  %call.i = tail call i64 %5(i64 noundef %6) #15
  %mask.i = getelementptr inbounds nuw i8, ptr %arrayidx.i123, i64 16
  %7 = load i64, ptr %mask.i, align 8
  %and.i = and i64 %7, %call.i
  %wanted.i = getelementptr inbounds nuw i8, ptr %arrayidx.i123, i64 24
  %8 = load i64, ptr %wanted.i, align 8
  %cmp1.not.i = icmp eq i64 %and.i, %8
  br i1 %cmp1.not.i, label %for.cond.i, label %if.then

for.end.i:
  %w.050.i.ptr.i = getelementptr inbounds nuw i8, ptr %call1, i64 80
  %name.i.i = getelementptr inbounds nuw i8, ptr %call1, i64 88
  %9 = load ptr, ptr %name.i.i, align 8
  %cmp3.i.i = icmp ugt ptr %9, inttoptr (i64 1 to ptr)
  br i1 %cmp3.i.i, label %if.then.i.i, label %if.end13.i.i

if.then.i.i:
  %tagged1.i.i = getelementptr inbounds nuw i8, ptr %0, i64 240
  %10 = load i64, ptr %tagged1.i.i, align 8
  %cmp.i.i = icmp ne i64 %10, 0
  %11 = load ptr, ptr %w.050.i.ptr.i, align 8
  %12 = getelementptr inbounds nuw i8, ptr %11, i64 24
  %13 = load i64, ptr %12, align 8
  %tag.i.i = getelementptr inbounds nuw i8, ptr %call1, i64 104
  %14 = load i64, ptr %tag.i.i, align 8
  %cmp5.i.i = icmp eq i64 %13, %14
  %or.cond.i.i = select i1 %cmp5.i.i, i1 %cmp.i.i, i1 false
  br i1 %or.cond.i.i, label %if.end, label %if.end.i.i

if.end.i.i:
  %call.i.i = tail call ptr @PyDict_GetItemWithError(ptr noundef nonnull %11, ptr noundef nonnull %9) #15
  %value.i.i = getelementptr inbounds nuw i8, ptr %call1, i64 96
  %15 = load ptr, ptr %value.i.i, align 8
  %cmp8.not.i.i = icmp eq ptr %call.i.i, %15
  br i1 %cmp8.not.i.i, label %if.end10.i.i, label %if.then

if.end10.i.i:
  store i64 %13, ptr %tag.i.i, align 8
  br label %if.end

if.end13.i.i:
  %tobool.not.i.i = icmp eq ptr %9, null
  %16 = load ptr, ptr %w.050.i.ptr.i, align 8
  br i1 %tobool.not.i.i, label %if.else.i.i, label %if.then15.i.i

if.then15.i.i:
  %17 = load ptr, ptr %16, align 8
  br label %if.end22.i.i

if.else.i.i:
  %call18.i.i = tail call ptr @PyCell_Get(ptr noundef %16) #15
  %tobool19.not.i.i = icmp eq ptr %call18.i.i, null
  br i1 %tobool19.not.i.i, label %if.end22.i.i, label %if.then20.i.i

if.then20.i.i:
  tail call void @Py_DecRef(ptr noundef nonnull %call18.i.i) #15
  br label %if.end22.i.i

if.end22.i.i:
  %have.0.i.i = phi ptr [ %17, %if.then15.i.i ], [ %call18.i.i, %if.then20.i.i ], [ null, %if.else.i.i ]
  %value23.i.i = getelementptr inbounds nuw i8, ptr %call1, i64 96
  %18 = load ptr, ptr %value23.i.i, align 8
  %cmp24.not.i.i = icmp eq ptr %have.0.i.i, %18
  br i1 %cmp24.not.i.i, label %if.end, label %if.then

if.then:
  %none.i122 = getelementptr inbounds nuw i8, ptr %0, i64 40
  %19 = load ptr, ptr %none.i122, align 8
  tail call void @Py_IncRef(ptr noundef %19) #15
  %20 = load ptr, ptr %none.i122, align 8
  br label %cleanup76

if.end:
  store ptr %call1, ptr %w, align 8
  %ctx4 = getelementptr inbounds nuw i8, ptr %w, i64 8
  store ptr %0, ptr %ctx4, align 8
  %tensors = getelementptr inbounds nuw i8, ptr %w, i64 24
  store i64 0, ptr %tensors, align 8
  %words = getelementptr inbounds nuw i8, ptr %w, i64 16
  %hash = getelementptr inbounds nuw i8, ptr %w, i64 40
  %enabled = getelementptr inbounds nuw i8, ptr %0, i64 368
  %21 = load ptr, ptr %enabled, align 8
  %call5 = tail call i32 %21() #15
  %recording = getelementptr inbounds nuw i8, ptr %w, i64 32
  %22 = trunc i32 %call5 to i8
  %storedv = and i8 %22, 1
  store i8 %storedv, ptr %recording, align 8
  %tobool7.not = icmp eq ptr %names, null
  br i1 %tobool7.not, label %put.exit, label %cond.true

cond.true:
  %size = getelementptr inbounds nuw i8, ptr %names, i64 16
  %23 = load i64, ptr %size, align 8
  br label %put.exit

put.exit:
  %cond = phi i64 [ %23, %cond.true ], [ 0, %if.end ]
  %shl = shl i64 %cond, 32
  %or = or i64 %shl, %count
  %key.i = getelementptr inbounds nuw i8, ptr %w, i64 48
  store i64 1, ptr %words, align 8
  store i64 %or, ptr %key.i, align 8
  store i64 %or, ptr %hash, align 8
  %watching = getelementptr inbounds nuw i8, ptr %call1, i64 64
  %24 = load i64, ptr %watching, align 8
  %cmp212 = icmp sgt i64 %24, 0
  br i1 %cmp212, label %for.body.lr.ph, label %for.cond11.preheader

for.body.lr.ph:
  %watched = getelementptr inbounds nuw i8, ptr %call1, i64 72
  %key.i130 = getelementptr inbounds nuw i8, ptr %w, i64 48
  br label %for.body

for.cond11.preheader:
  %add = add i64 %cond, %count
  %cmp12.not214 = icmp sgt i64 %add, 0
  br i1 %cmp12.not214, label %for.body14.lr.ph, label %for.end30

for.body14.lr.ph:
  %key.i140 = getelementptr inbounds nuw i8, ptr %w, i64 48
  %items.i = getelementptr inbounds nuw i8, ptr %0, i64 248
  br label %for.body14

for.body:
  %i.0213 = phi i64 [ 0, %for.body.lr.ph ], [ %inc, %put.exit136 ]
  %25 = load i64, ptr %words, align 8
  %cmp.i128.not = icmp eq i64 %25, 384
  br i1 %cmp.i128.not, label %put.exit136, label %if.end.i129

if.end.i129:
  %26 = load ptr, ptr %watched, align 8
  %arrayidx = getelementptr inbounds nuw ptr, ptr %26, i64 %i.0213
  %27 = load ptr, ptr %arrayidx, align 8
  %28 = load i64, ptr %27, align 8
  %inc.i131 = add i64 %25, 1
  store i64 %inc.i131, ptr %words, align 8
  %arrayidx.i132 = getelementptr inbounds i64, ptr %key.i130, i64 %25
  store i64 %28, ptr %arrayidx.i132, align 8
  %29 = load i64, ptr %hash, align 8
  %or.i.i134 = tail call i64 @llvm.fshl.i64(i64 %29, i64 %29, i64 11)
  %xor.i.i135 = xor i64 %or.i.i134, %28
  store i64 %xor.i.i135, ptr %hash, align 8
  br label %put.exit136

put.exit136:
  %inc = add nuw nsw i64 %i.0213, 1
  %cmp = icmp slt i64 %inc, %24
  br i1 %cmp, label %for.body, label %for.cond11.preheader

for.cond11:
  %inc29 = add nuw nsw i64 %i10.0215, 1
  %exitcond.not = icmp eq i64 %inc29, %add
  br i1 %exitcond.not, label %for.end30, label %for.body14

for.body14:
  %i10.0215 = phi i64 [ 0, %for.body14.lr.ph ], [ %inc29, %for.cond11 ]
  %cmp15.not = icmp slt i64 %i10.0215, %count
  br i1 %cmp15.not, label %if.end22, label %land.lhs.true

land.lhs.true:
  %30 = load i64, ptr %words, align 8
  %cmp.i138.not = icmp eq i64 %30, 384
  br i1 %cmp.i138.not, label %if.then20, label %land.lhs.true17

land.lhs.true17:
  %inc.i141 = add i64 %30, 1
  store i64 %inc.i141, ptr %words, align 8
  %arrayidx.i142 = getelementptr inbounds i64, ptr %key.i140, i64 %30
  store i64 6, ptr %arrayidx.i142, align 8
  %31 = load i64, ptr %hash, align 8
  %or.i.i144 = call i64 @llvm.fshl.i64(i64 %31, i64 %31, i64 11)
  %xor.i.i145 = xor i64 %or.i.i144, 6
  store i64 %xor.i.i145, ptr %hash, align 8
  %32 = load i64, ptr %words, align 8
  %cmp.i148.not = icmp eq i64 %32, 384
  br i1 %cmp.i148.not, label %if.then20, label %put.exit156.thread

put.exit156.thread:
  %33 = load i64, ptr %items.i, align 8
  %add.ptr.i = getelementptr inbounds i8, ptr %names, i64 %33
  %sub = sub i64 %i10.0215, %count
  %arrayidx.i = getelementptr inbounds ptr, ptr %add.ptr.i, i64 %sub
  %34 = load ptr, ptr %arrayidx.i, align 8
  %35 = ptrtoint ptr %34 to i64
  %inc.i151 = add i64 %32, 1
  store i64 %inc.i151, ptr %words, align 8
  %arrayidx.i152 = getelementptr inbounds i64, ptr %key.i140, i64 %32
  store i64 %35, ptr %arrayidx.i152, align 8
  %36 = load i64, ptr %hash, align 8
  %or.i.i154 = call i64 @llvm.fshl.i64(i64 %36, i64 %36, i64 11)
  %xor.i.i155 = xor i64 %or.i.i154, %35
  store i64 %xor.i.i155, ptr %hash, align 8
  br label %if.end22

if.then20:
  %none.i121 = getelementptr inbounds nuw i8, ptr %0, i64 40
  %37 = load ptr, ptr %none.i121, align 8
  call void @Py_IncRef(ptr noundef %37) #15
  %38 = load ptr, ptr %none.i121, align 8
  br label %cleanup76

if.end22:
  %arrayidx23 = getelementptr inbounds nuw ptr, ptr %args, i64 %i10.0215
  %39 = load ptr, ptr %arrayidx23, align 8
  %call24 = call fastcc i1 @put_value(ptr noundef %w, ptr noundef %39, i64 noundef 0) #17
  br i1 %call24, label %for.cond11, label %if.then25

if.then25:
  %none.i120 = getelementptr inbounds nuw i8, ptr %0, i64 40
  %40 = load ptr, ptr %none.i120, align 8
  call void @Py_IncRef(ptr noundef %40) #15
  %41 = load ptr, ptr %none.i120, align 8
  br label %cleanup76

for.end30:
  %42 = load i64, ptr %tensors, align 8
  %tobool32.not = icmp eq i64 %42, 0
  br i1 %tobool32.not, label %if.then33, label %if.end35

if.then33:
  %none.i119 = getelementptr inbounds nuw i8, ptr %0, i64 40
  %43 = load ptr, ptr %none.i119, align 8
  call void @Py_IncRef(ptr noundef %43) #15
  %44 = load ptr, ptr %none.i119, align 8
  br label %cleanup76

if.end35:
  %table.i = getelementptr inbounds nuw i8, ptr %call1, i64 8
  %45 = load ptr, ptr %table.i, align 8
  %tobool.not.i = icmp eq ptr %45, null
  br i1 %tobool.not.i, label %if.then38, label %if.end.i157

if.end.i157:
  %46 = load i64, ptr %hash, align 8
  %conv.i.i = zext i64 %46 to i128
  %mul.i.i = mul nuw i128 %conv.i.i, 11400714819323198485
  %shr.i.i = lshr i128 %mul.i.i, 64
  %xor4.i.i = xor i128 %shr.i.i, %mul.i.i
  %xor.i.i159 = trunc i128 %xor4.i.i to i64
  %mask.i160 = getelementptr inbounds nuw i8, ptr %call1, i64 16
  %47 = load i64, ptr %mask.i160, align 8
  %and62.i = and i64 %47, %xor.i.i159
  %arrayidx63.i = getelementptr inbounds nuw ptr, ptr %45, i64 %and62.i
  %48 = load ptr, ptr %arrayidx63.i, align 8
  %tobool2.not64.i = icmp eq ptr %48, null
  br i1 %tobool2.not64.i, label %if.then38, label %if.end4.lr.ph.i

if.end4.lr.ph.i:
  %key14.i = getelementptr inbounds nuw i8, ptr %w, i64 48
  br label %if.end4.i

if.end4.i:
  %49 = phi i64 [ %47, %if.end4.lr.ph.i ], [ %67, %for.inc.i ]
  %50 = phi ptr [ %45, %if.end4.lr.ph.i ], [ %68, %for.inc.i ]
  %51 = phi ptr [ %48, %if.end4.lr.ph.i ], [ %69, %for.inc.i ]
  %i.065.i = phi i64 [ %xor.i.i159, %if.end4.lr.ph.i ], [ %inc27.i, %for.inc.i ]
  %52 = load i64, ptr %51, align 8
  %53 = load i64, ptr %hash, align 8
  %cmp.not.i = icmp eq i64 %52, %53
  br i1 %cmp.not.i, label %lor.lhs.false.i, label %for.inc.i

lor.lhs.false.i:
  %words.i163 = getelementptr inbounds nuw i8, ptr %51, i64 8
  %54 = load i64, ptr %words.i163, align 8
  %55 = load i64, ptr %words, align 8
  %cmp8.not.i = icmp eq i64 %54, %55
  br i1 %cmp8.not.i, label %while.cond.preheader.i, label %for.inc.i

while.cond.preheader.i:
  %cmp1259.i = icmp sgt i64 %54, 0
  br i1 %cmp1259.i, label %land.rhs.lr.ph.i, label %while.end.i

land.rhs.lr.ph.i:
  %key.i168 = getelementptr inbounds nuw i8, ptr %51, i64 16
  %56 = load ptr, ptr %key.i168, align 8
  br label %land.rhs.i

land.rhs.i:
  %k.060.i = phi i64 [ 0, %land.rhs.lr.ph.i ], [ %inc.i169, %while.body.i ]
  %arrayidx13.i = getelementptr inbounds nuw i64, ptr %56, i64 %k.060.i
  %57 = load i64, ptr %arrayidx13.i, align 8
  %arrayidx15.i = getelementptr inbounds nuw i64, ptr %key14.i, i64 %k.060.i
  %58 = load i64, ptr %arrayidx15.i, align 8
  %cmp16.i = icmp eq i64 %57, %58
  br i1 %cmp16.i, label %while.body.i, label %while.end.i

while.body.i:
  %inc.i169 = add nuw nsw i64 %k.060.i, 1
  %exitcond.not.i = icmp eq i64 %inc.i169, %54
  br i1 %exitcond.not.i, label %if.end20.i, label %land.rhs.i

while.end.i:
  %k.0.lcssa.i = phi i64 [ 0, %while.cond.preheader.i ], [ %k.060.i, %land.rhs.i ]
  %cmp18.not.i = icmp eq i64 %k.0.lcssa.i, %54
  br i1 %cmp18.not.i, label %if.end20.i, label %for.inc.i

if.end20.i:
  %owner21.i = getelementptr inbounds nuw i8, ptr %51, i64 72
  %59 = load ptr, ptr %owner21.i, align 8
  call void @Py_IncRef(ptr noundef %59) #15
  %thread.i.i = getelementptr inbounds nuw i8, ptr %51, i64 80
  %60 = load ptr, ptr %thread.i.i, align 8
  %tobool.not.i.i164 = icmp eq ptr %60, null
  br i1 %tobool.not.i.i164, label %if.end41, label %if.end.i.i165

if.end.i.i165:
  %call.i.i166 = call ptr @pthread_self() #15
  %cmp.not.i.i = icmp eq ptr %60, %call.i.i166
  br i1 %cmp.not.i.i, label %if.end3.i.i, label %if.end24.i

if.end3.i.i:
  %stream_function.i.i = getelementptr inbounds nuw i8, ptr %51, i64 88
  %61 = load ptr, ptr %stream_function.i.i, align 8
  %tobool4.not.i.i = icmp eq ptr %61, null
  br i1 %tobool4.not.i.i, label %if.end41, label %if.end6.i.i

if.end6.i.i:
  call void @llvm.lifetime.start.p0(ptr nonnull %stream.i.i) #16
  %device.i.i = getelementptr inbounds nuw i8, ptr %51, i64 96
  %62 = load i64, ptr %device.i.i, align 8
  %conv.i48.i = trunc i64 %62 to i32
  %shr.i49.i = lshr i64 %62, 32
  %conv9.i.i = trunc nuw i64 %shr.i49.i to i32
  %call10.i.i = call i32 %61(i32 noundef %conv.i48.i, i32 noundef %conv9.i.i, ptr noundef nonnull %stream.i.i) #15
  %tobool11.not.i.i = icmp eq i32 %call10.i.i, 0
  br i1 %tobool11.not.i.i, label %if.end13.i.i167, label %own_place.exit.thread54.sink.split.i

if.end13.i.i167:
  %63 = load i64, ptr %stream.i.i, align 8
  %stream14.i.i = getelementptr inbounds nuw i8, ptr %51, i64 104
  %64 = load i64, ptr %stream14.i.i, align 8
  %cmp15.not.i.i = icmp eq i64 %63, %64
  br i1 %cmp15.not.i.i, label %if.end18.i.i, label %own_place.exit.thread54.i

if.end18.i.i:
  %capturing19.i.i = getelementptr inbounds nuw i8, ptr %51, i64 112
  %65 = load ptr, ptr %capturing19.i.i, align 8
  %call20.i.i = call ptr @PyObject_CallNoArgs(ptr noundef %65) #15
  %tobool21.not.i.i = icmp eq ptr %call20.i.i, null
  br i1 %tobool21.not.i.i, label %own_place.exit.thread54.sink.split.i, label %own_place.exit.i

own_place.exit.thread54.sink.split.i:
  call void @PyErr_Clear() #15
  br label %own_place.exit.thread54.i

own_place.exit.thread54.i:
  call void @llvm.lifetime.end.p0(ptr nonnull %stream.i.i) #16
  br label %if.end24.i

own_place.exit.i:
  call void @Py_DecRef(ptr noundef nonnull %call20.i.i) #15
  %calm.i.i = getelementptr inbounds nuw i8, ptr %51, i64 120
  %66 = load ptr, ptr %calm.i.i, align 8
  %cmp24.i.i = icmp eq ptr %call20.i.i, %66
  call void @llvm.lifetime.end.p0(ptr nonnull %stream.i.i) #16
  br i1 %cmp24.i.i, label %if.end41, label %if.end24.i

if.end24.i:
  call void @Py_DecRef(ptr noundef %59) #15
  %.pre.i = load ptr, ptr %table.i, align 8
  %.pre70.i = load i64, ptr %mask.i160, align 8
  br label %for.inc.i

for.inc.i:
  %67 = phi i64 [ %49, %if.end4.i ], [ %49, %lor.lhs.false.i ], [ %49, %while.end.i ], [ %.pre70.i, %if.end24.i ]
  %68 = phi ptr [ %50, %if.end4.i ], [ %50, %lor.lhs.false.i ], [ %50, %while.end.i ], [ %.pre.i, %if.end24.i ]
  %inc27.i = add i64 %i.065.i, 1
  %and.i161 = and i64 %67, %inc27.i
  %arrayidx.i162 = getelementptr inbounds nuw ptr, ptr %68, i64 %and.i161
  %69 = load ptr, ptr %arrayidx.i162, align 8
  %tobool2.not.i = icmp eq ptr %69, null
  br i1 %tobool2.not.i, label %if.then38, label %if.end4.i

if.then38:
  %key = getelementptr inbounds nuw i8, ptr %w, i64 48
  %70 = load i64, ptr %words, align 8
  %mul = shl i64 %70, 3
  %call40 = call ptr @PyBytes_FromStringAndSize(ptr noundef nonnull %key, i64 noundef %mul) #15
  br label %cleanup76

if.end41:
  %owner21.i.le = getelementptr inbounds nuw i8, ptr %51, i64 72
  %71 = load ptr, ptr %owner21.i.le, align 8
  %launches = getelementptr inbounds nuw i8, ptr %51, i64 24
  %72 = load i64, ptr %launches, align 8
  %tobool43.not = icmp eq i64 %72, 0
  br i1 %tobool43.not, label %if.then51, label %land.rhs

land.rhs:
  %cmp14.i = icmp slt i64 %72, 1
  br i1 %cmp14.i, label %land.lhs.true49, label %for.body.lr.ph.i170

for.body.lr.ph.i170:
  %launch.i = getelementptr inbounds nuw i8, ptr %51, i64 32
  %tagged1.i.i171 = getelementptr inbounds nuw i8, ptr %0, i64 240
  br label %for.body.i172

for.body.i172:
  %73 = phi i64 [ %72, %for.body.lr.ph.i170 ], [ %88, %for.inc.i186 ]
  %i.015.i = phi i64 [ 0, %for.body.lr.ph.i170 ], [ %inc.i187, %for.inc.i186 ]
  %74 = load ptr, ptr %launch.i, align 8
  %arrayidx.i173 = getelementptr inbounds nuw %struct.RepeatLaunch, ptr %74, i64 %i.015.i
  %75 = load ptr, ptr %arrayidx.i173, align 8
  %watches.i = getelementptr inbounds nuw i8, ptr %75, i64 16
  %76 = load ptr, ptr %watches.i, align 8
  %watched.i = getelementptr inbounds nuw i8, ptr %75, i64 8
  %77 = load i64, ptr %watched.i, align 8
  %78 = load i64, ptr %tagged1.i.i171, align 8
  %cmp.i.i174 = icmp ne i64 %78, 0
  %add.ptr.idx.i.i = shl nsw i64 %77, 5
  %add.ptr.i.i = getelementptr inbounds i8, ptr %76, i64 %add.ptr.idx.i.i
  %cmp2.not49.i.i = icmp slt i64 %77, 1
  br i1 %cmp2.not49.i.i, label %for.inc.i186, label %for.body.i.i

for.body.i.i:
  %w.050.i.i = phi ptr [ %incdec.ptr.i.i, %for.inc.i.i184 ], [ %76, %for.body.i172 ]
  %name.i.i175 = getelementptr inbounds nuw i8, ptr %w.050.i.i, i64 8
  %79 = load ptr, ptr %name.i.i175, align 8
  %cmp3.i.i176 = icmp ugt ptr %79, inttoptr (i64 1 to ptr)
  br i1 %cmp3.i.i176, label %if.then.i.i193, label %if.end13.i.i177

if.then.i.i193:
  %80 = load ptr, ptr %w.050.i.i, align 8
  %81 = getelementptr inbounds nuw i8, ptr %80, i64 24
  %82 = load i64, ptr %81, align 8
  %tag.i.i194 = getelementptr inbounds nuw i8, ptr %w.050.i.i, i64 24
  %83 = load i64, ptr %tag.i.i194, align 8
  %cmp5.i.i195 = icmp eq i64 %82, %83
  %or.cond.i.i196 = select i1 %cmp5.i.i195, i1 %cmp.i.i174, i1 false
  br i1 %or.cond.i.i196, label %for.inc.i.i184, label %if.end.i.i197

if.end.i.i197:
  %call.i.i198 = call ptr @PyDict_GetItemWithError(ptr noundef nonnull %80, ptr noundef nonnull %79) #15
  %value.i.i199 = getelementptr inbounds nuw i8, ptr %w.050.i.i, i64 16
  %84 = load ptr, ptr %value.i.i199, align 8
  %cmp8.not.i.i200 = icmp eq ptr %call.i.i198, %84
  br i1 %cmp8.not.i.i200, label %if.end10.i.i201, label %land.end.thread

if.end10.i.i201:
  store i64 %82, ptr %tag.i.i194, align 8
  br label %for.inc.i.i184

if.end13.i.i177:
  %tobool.not.i.i178 = icmp eq ptr %79, null
  %85 = load ptr, ptr %w.050.i.i, align 8
  br i1 %tobool.not.i.i178, label %if.else.i.i189, label %if.then15.i.i179

if.then15.i.i179:
  %86 = load ptr, ptr %85, align 8
  br label %if.end22.i.i180

if.else.i.i189:
  %call18.i.i190 = call ptr @PyCell_Get(ptr noundef %85) #15
  %tobool19.not.i.i191 = icmp eq ptr %call18.i.i190, null
  br i1 %tobool19.not.i.i191, label %if.end22.i.i180, label %if.then20.i.i192

if.then20.i.i192:
  call void @Py_DecRef(ptr noundef nonnull %call18.i.i190) #15
  br label %if.end22.i.i180

if.end22.i.i180:
  %have.0.i.i181 = phi ptr [ %86, %if.then15.i.i179 ], [ %call18.i.i190, %if.then20.i.i192 ], [ null, %if.else.i.i189 ]
  %value23.i.i182 = getelementptr inbounds nuw i8, ptr %w.050.i.i, i64 16
  %87 = load ptr, ptr %value23.i.i182, align 8
  %cmp24.not.i.i183 = icmp eq ptr %have.0.i.i181, %87
  br i1 %cmp24.not.i.i183, label %for.inc.i.i184, label %land.end.thread

for.inc.i.i184:
  %incdec.ptr.i.i = getelementptr inbounds nuw i8, ptr %w.050.i.i, i64 32
  %cmp2.not.not.i.i = icmp ult ptr %incdec.ptr.i.i, %add.ptr.i.i
  br i1 %cmp2.not.not.i.i, label %for.body.i.i, label %for.inc.loopexit.i

for.inc.loopexit.i:
  %.pre.i185 = load i64, ptr %launches, align 8
  br label %for.inc.i186

for.inc.i186:
  %88 = phi i64 [ %.pre.i185, %for.inc.loopexit.i ], [ %73, %for.body.i172 ]
  %inc.i187 = add nuw nsw i64 %i.015.i, 1
  %cmp.not.i188 = icmp slt i64 %inc.i187, %88
  br i1 %cmp.not.i188, label %for.body.i172, label %land.end

land.end:
  %tobool47.not = icmp eq i64 %88, 0
  br i1 %tobool47.not, label %if.then51, label %land.lhs.true49

land.end.thread:
  %.pr.pre = load i64, ptr %launches, align 8
  %tobool47.not237 = icmp eq i64 %.pr.pre, 0
  br i1 %tobool47.not237, label %if.then51, label %if.else63

land.lhs.true49:
  %call50 = call fastcc i1 @at_home(ptr noundef %51) #17
  br i1 %call50, label %if.then54, label %if.then51

if.then51:
  %none.i = getelementptr inbounds nuw i8, ptr %0, i64 40
  %89 = load ptr, ptr %none.i, align 8
  call void @Py_IncRef(ptr noundef %89) #15
  %90 = load ptr, ptr %none.i, align 8
  br label %if.end70

if.then54:
  %bases = getelementptr inbounds nuw i8, ptr %w, i64 3120
  %91 = load i64, ptr %tensors, align 8
  %call57 = call fastcc ptr @repeated(ptr noundef %0, ptr noundef %51, ptr noundef %bases, i64 noundef %91) #17
  %tobool58.not = icmp eq ptr %call57, null
  br i1 %tobool58.not, label %land.end61, label %land.rhs59

land.rhs59:
  %none = getelementptr inbounds nuw i8, ptr %0, i64 40
  %92 = load ptr, ptr %none, align 8
  %cmp60 = icmp ne ptr %call57, %92
  %93 = zext i1 %cmp60 to i64
  br label %land.end61

land.end61:
  %land.ext = phi i64 [ 0, %if.then54 ], [ %93, %land.rhs59 ]
  %served = getelementptr inbounds nuw i8, ptr %call1, i64 112
  %94 = load i64, ptr %served, align 8
  %add62 = add i64 %94, %land.ext
  store i64 %add62, ptr %served, align 8
  br label %if.end70

if.else63:
  %stale = getelementptr inbounds nuw i8, ptr %51, i64 128
  store i64 1, ptr %stale, align 8
  %95 = load i64, ptr %words, align 8
  %mul67 = shl i64 %95, 3
  %call68 = call ptr @PyBytes_FromStringAndSize(ptr noundef nonnull %key14.i, i64 noundef %mul67) #15
  br label %if.end70

if.end70:
  %out.0 = phi ptr [ %call57, %land.end61 ], [ %call68, %if.else63 ], [ %90, %if.then51 ]
  call void @Py_DecRef(ptr noundef %71) #15
  br label %cleanup76

cleanup76:
  %retval.3 = phi ptr [ %20, %if.then ], [ %call40, %if.then38 ], [ %44, %if.then33 ], [ %out.0, %if.end70 ], [ %38, %if.then20 ], [ %41, %if.then25 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %w) #16
  ret ptr %retval.3
}

define internal fastcc noundef i1 @put_value(ptr noundef nonnull %w, ptr noundef %o, i64 noundef range(i64 0, 4) %depth) unnamed_addr #0 {
entry:
  %value = alloca i64, align 8
  %ctx1 = getelementptr inbounds nuw i8, ptr %w, i64 8
  %0 = load ptr, ptr %ctx1, align 8
  %1 = load ptr, ptr %w, align 8
  %type2 = getelementptr inbounds nuw i8, ptr %o, i64 8
  %2 = load ptr, ptr %type2, align 8
  %tensor = getelementptr inbounds nuw i8, ptr %1, i64 24
  %3 = load ptr, ptr %tensor, align 8
  %cmp = icmp eq ptr %2, %3
  br i1 %cmp, label %if.then, label %lor.lhs.false

lor.lhs.false:
  %parameter = getelementptr inbounds nuw i8, ptr %1, i64 32
  %4 = load ptr, ptr %parameter, align 8
  %cmp3 = icmp eq ptr %2, %4
  br i1 %cmp3, label %if.then, label %if.end

if.then:
  %tobool.not = icmp eq i64 %depth, 0
  br i1 %tobool.not, label %land.rhs, label %cleanup51

land.rhs:
  %fields.i = getelementptr inbounds nuw i8, ptr %0, i64 256
  %5 = load i64, ptr %fields.i, align 8
  %add.ptr.i95 = getelementptr inbounds i8, ptr %o, i64 %5
  %6 = load ptr, ptr %add.ptr.i95, align 8
  %storage4.i = getelementptr inbounds nuw i8, ptr %0, i64 264
  %7 = load i64, ptr %storage4.i, align 8
  %add.ptr5.i = getelementptr inbounds i8, ptr %6, i64 %7
  %8 = load ptr, ptr %add.ptr5.i, align 8
  %meta7.i = getelementptr inbounds nuw i8, ptr %0, i64 280
  %9 = load i64, ptr %meta7.i, align 8
  %add.ptr8.i = getelementptr inbounds i8, ptr %6, i64 %9
  %10 = load i64, ptr %add.ptr8.i, align 8
  %and.i = and i64 %10, 1099511627775
  %rank10.i = getelementptr inbounds nuw i8, ptr %0, i64 304
  %11 = load i64, ptr %rank10.i, align 8
  %add.ptr11.i = getelementptr inbounds i8, ptr %6, i64 %11
  %12 = load i64, ptr %add.ptr11.i, align 8
  %and12.i = and i64 %10, 65535
  %cmp.i = icmp samesign ult i64 %and12.i, 64
  br i1 %cmp.i, label %cond.end.i, label %cleanup51

cond.end.i:
  %items.i96 = getelementptr inbounds nuw i8, ptr %1, i64 120
  %arrayidx.i97 = getelementptr inbounds nuw i64, ptr %items.i96, i64 %and12.i
  %13 = load i64, ptr %arrayidx.i97, align 8
  %tobool.i = icmp eq ptr %8, null
  %tobool14.i = icmp eq i64 %13, 0
  %or.cond.not123.i = select i1 %tobool.i, i1 true, i1 %tobool14.i
  %cmp16.i = icmp ugt i64 %12, 5
  %or.cond72.i = select i1 %or.cond.not123.i, i1 true, i1 %cmp16.i
  br i1 %or.cond72.i, label %cleanup51, label %lor.lhs.false17.i

lor.lhs.false17.i:
  %numel.i = getelementptr inbounds nuw i8, ptr %0, i64 288
  %14 = load i64, ptr %numel.i, align 8
  %add.ptr19.i = getelementptr inbounds i8, ptr %6, i64 %14
  %15 = load i64, ptr %add.ptr19.i, align 8
  %tobool20.not.i = icmp eq i64 %15, 0
  br i1 %tobool20.not.i, label %cleanup51, label %lor.lhs.false21.i

lor.lhs.false21.i:
  %tensors.i = getelementptr inbounds nuw i8, ptr %w, i64 24
  %16 = load i64, ptr %tensors.i, align 8
  %cmp22.i = icmp eq i64 %16, 32
  br i1 %cmp22.i, label %cleanup51, label %if.end.i

if.end.i:
  %sizes.i.i = getelementptr inbounds nuw i8, ptr %0, i64 312
  %17 = load i64, ptr %sizes.i.i, align 8
  %add.ptr.i.i = getelementptr inbounds i8, ptr %6, i64 %17
  %add.ptr1.i.i = getelementptr inbounds nuw i8, ptr %add.ptr.i.i, i64 40
  %offset.i.i = getelementptr inbounds nuw i8, ptr %0, i64 296
  %18 = load i64, ptr %offset.i.i, align 8
  %add.ptr6.i.i = getelementptr inbounds i8, ptr %6, i64 %18
  %19 = load i64, ptr %add.ptr6.i.i, align 8
  %add.i.i = add i64 %19, 1
  %cmp23.i.not.i = icmp eq i64 %12, 0
  br i1 %cmp23.i.not.i, label %held.exit.i, label %for.body.i.i

for.body.i.i:
  %i.025.i.i = phi i64 [ %inc.i.i, %for.body.i.i ], [ 0, %if.end.i ]
  %elements.024.i.i = phi i64 [ %add8.i.i, %for.body.i.i ], [ %add.i.i, %if.end.i ]
  %arrayidx.i.i = getelementptr inbounds nuw i64, ptr %add.ptr.i.i, i64 %i.025.i.i
  %20 = load i64, ptr %arrayidx.i.i, align 8
  %sub.i.i = add i64 %20, -1
  %arrayidx7.i.i = getelementptr inbounds nuw i64, ptr %add.ptr1.i.i, i64 %i.025.i.i
  %21 = load i64, ptr %arrayidx7.i.i, align 8
  %mul.i.i = mul i64 %sub.i.i, %21
  %add8.i.i = add i64 %mul.i.i, %elements.024.i.i
  %inc.i.i = add nuw nsw i64 %i.025.i.i, 1
  %exitcond.not.i.i = icmp eq i64 %inc.i.i, %12
  br i1 %exitcond.not.i.i, label %held.exit.i, label %for.body.i.i

held.exit.i:
  %elements.0.lcssa.i.i = phi i64 [ %add.i.i, %if.end.i ], [ %add8.i.i, %for.body.i.i ]
  %mul9.i.i = mul i64 %elements.0.lcssa.i.i, %13
  %bytes.i.i = getelementptr inbounds nuw i8, ptr %0, i64 376
  %22 = load i64, ptr %bytes.i.i, align 8
  %add.ptr11.i.i = getelementptr inbounds i8, ptr %8, i64 %22
  %23 = load i64, ptr %add.ptr11.i.i, align 8
  %cmp12.i.not.i = icmp ugt i64 %mul9.i.i, %23
  br i1 %cmp12.i.not.i, label %cleanup51, label %if.end24.i

if.end24.i:
  %recording.i = getelementptr inbounds nuw i8, ptr %w, i64 32
  %24 = load i8, ptr %recording.i, align 8
  %loadedv.i = trunc nuw i8 %24 to i1
  br i1 %loadedv.i, label %land.lhs.true.i, label %if.end30.i

land.lhs.true.i:
  %requires.i = getelementptr inbounds nuw i8, ptr %0, i64 360
  %25 = load ptr, ptr %requires.i, align 8
  %call26.i = tail call i32 %25(ptr noundef nonnull %6) #15
  %and27.i = and i32 %call26.i, 1
  %tobool28.not.i = icmp eq i32 %and27.i, 0
  br i1 %tobool28.not.i, label %land.lhs.true.if.end30_crit_edge.i, label %cleanup51

land.lhs.true.if.end30_crit_edge.i:
  %.pre.i = load i64, ptr %offset.i.i, align 8
  %add.ptr34.phi.trans.insert.i = getelementptr inbounds i8, ptr %6, i64 %.pre.i
  %.pre218.i = load i64, ptr %add.ptr34.phi.trans.insert.i, align 8
  br label %if.end30.i

if.end30.i:
  %26 = phi i64 [ %.pre218.i, %land.lhs.true.if.end30_crit_edge.i ], [ %19, %if.end24.i ]
  %data.i = getelementptr inbounds nuw i8, ptr %0, i64 320
  %27 = load i64, ptr %data.i, align 8
  %add.ptr32.i = getelementptr inbounds i8, ptr %8, i64 %27
  %28 = load i64, ptr %add.ptr32.i, align 8
  %mul.i = mul i64 %26, %13
  %add.i = add i64 %28, %mul.i
  %words.i = getelementptr inbounds nuw i8, ptr %w, i64 16
  %29 = load i64, ptr %words.i, align 8
  %mul36.i = shl nuw nsw i64 %12, 1
  %add35.i = add nuw nsw i64 %mul36.i, 6
  %add37.i = add i64 %add35.i, %29
  %cmp38.i = icmp ult i64 %add37.i, 385
  br i1 %cmp38.i, label %if.end40.i, label %cleanup51

if.end40.i:
  %cmp.i.not.i = icmp eq i64 %29, 384
  br i1 %cmp.i.not.i, label %put.exit175.i, label %put.exit.i

put.exit.i:
  %shl.i = shl nuw nsw i64 %12, 8
  %and41.i = shl i64 %add.i, 16
  %shl42.i = and i64 %and41.i, 8323072
  %or.i = or disjoint i64 %shl42.i, %shl.i
  %or43.i = or disjoint i64 %or.i, 1
  %key.i.i = getelementptr inbounds nuw i8, ptr %w, i64 48
  %inc.i124.i = add i64 %29, 1
  store i64 %inc.i124.i, ptr %words.i, align 8
  %arrayidx.i125.i = getelementptr inbounds i64, ptr %key.i.i, i64 %29
  store i64 %or43.i, ptr %arrayidx.i125.i, align 8
  %hash.i.i = getelementptr inbounds nuw i8, ptr %w, i64 40
  %30 = load i64, ptr %hash.i.i, align 8
  %or.i.i.i = tail call i64 @llvm.fshl.i64(i64 %30, i64 %30, i64 11)
  %xor.i.i.i = xor i64 %or.i.i.i, %or43.i
  store i64 %xor.i.i.i, ptr %hash.i.i, align 8
  %.pre219.i = load i64, ptr %words.i, align 8
  %cmp.i127.not.i = icmp eq i64 %.pre219.i, 384
  br i1 %cmp.i127.not.i, label %put.exit175.i, label %put.exit135.i

put.exit135.i:
  %31 = load ptr, ptr %type2, align 8
  %32 = ptrtoint ptr %31 to i64
  %inc.i130.i = add i64 %.pre219.i, 1
  store i64 %inc.i130.i, ptr %words.i, align 8
  %arrayidx.i131.i = getelementptr inbounds i64, ptr %key.i.i, i64 %.pre219.i
  store i64 %32, ptr %arrayidx.i131.i, align 8
  %33 = load i64, ptr %hash.i.i, align 8
  %or.i.i133.i = tail call i64 @llvm.fshl.i64(i64 %33, i64 %33, i64 11)
  %xor.i.i134.i = xor i64 %or.i.i133.i, %32
  store i64 %xor.i.i134.i, ptr %hash.i.i, align 8
  %.pr.i = load i64, ptr %words.i, align 8
  %cmp.i137.not.i = icmp eq i64 %.pr.i, 384
  br i1 %cmp.i137.not.i, label %put.exit175.i, label %put.exit145.i

put.exit145.i:
  %34 = load i64, ptr %6, align 8
  %inc.i140.i = add i64 %.pr.i, 1
  store i64 %inc.i140.i, ptr %words.i, align 8
  %arrayidx.i141.i = getelementptr inbounds i64, ptr %key.i.i, i64 %.pr.i
  store i64 %34, ptr %arrayidx.i141.i, align 8
  %35 = load i64, ptr %hash.i.i, align 8
  %or.i.i143.i = tail call i64 @llvm.fshl.i64(i64 %35, i64 %35, i64 11)
  %xor.i.i144.i = xor i64 %or.i.i143.i, %34
  store i64 %xor.i.i144.i, ptr %hash.i.i, align 8
  %.pr203.i = load i64, ptr %words.i, align 8
  %cmp.i147.not.i = icmp eq i64 %.pr203.i, 384
  br i1 %cmp.i147.not.i, label %put.exit175.i, label %put.exit155.i

put.exit155.i:
  %keys.i = getelementptr inbounds nuw i8, ptr %0, i64 272
  %36 = load i64, ptr %keys.i, align 8
  %add.ptr48.i = getelementptr inbounds i8, ptr %6, i64 %36
  %37 = load i64, ptr %add.ptr48.i, align 8
  %inc.i150.i = add i64 %.pr203.i, 1
  store i64 %inc.i150.i, ptr %words.i, align 8
  %arrayidx.i151.i = getelementptr inbounds i64, ptr %key.i.i, i64 %.pr203.i
  store i64 %37, ptr %arrayidx.i151.i, align 8
  %38 = load i64, ptr %hash.i.i, align 8
  %or.i.i153.i = tail call i64 @llvm.fshl.i64(i64 %38, i64 %38, i64 11)
  %xor.i.i154.i = xor i64 %or.i.i153.i, %37
  store i64 %xor.i.i154.i, ptr %hash.i.i, align 8
  %.pr214.pre.i = load i64, ptr %words.i, align 8
  %cmp.i157.not.i = icmp eq i64 %.pr214.pre.i, 384
  br i1 %cmp.i157.not.i, label %put.exit175.i, label %put.exit165.i

put.exit165.i:
  %inc.i160.i = add i64 %.pr214.pre.i, 1
  store i64 %inc.i160.i, ptr %words.i, align 8
  %arrayidx.i161.i = getelementptr inbounds i64, ptr %key.i.i, i64 %.pr214.pre.i
  store i64 %and.i, ptr %arrayidx.i161.i, align 8
  %39 = load i64, ptr %hash.i.i, align 8
  %or.i.i163.i = tail call i64 @llvm.fshl.i64(i64 %39, i64 %39, i64 11)
  %xor.i.i164.i = xor i64 %or.i.i163.i, %and.i
  store i64 %xor.i.i164.i, ptr %hash.i.i, align 8
  %.pr207.i = load i64, ptr %words.i, align 8
  %cmp.i167.not.i = icmp eq i64 %.pr207.i, 384
  br i1 %cmp.i167.not.i, label %put.exit175.i, label %if.end.i168.i

if.end.i168.i:
  %deleter.i = getelementptr inbounds nuw i8, ptr %0, i64 328
  %40 = load i64, ptr %deleter.i, align 8
  %add.ptr52.i = getelementptr inbounds i8, ptr %8, i64 %40
  %41 = load i64, ptr %add.ptr52.i, align 8
  %inc.i170.i = add i64 %.pr207.i, 1
  store i64 %inc.i170.i, ptr %words.i, align 8
  %arrayidx.i171.i = getelementptr inbounds i64, ptr %key.i.i, i64 %.pr207.i
  store i64 %41, ptr %arrayidx.i171.i, align 8
  %42 = load i64, ptr %hash.i.i, align 8
  %or.i.i173.i = tail call i64 @llvm.fshl.i64(i64 %42, i64 %42, i64 11)
  %xor.i.i174.i = xor i64 %or.i.i173.i, %41
  store i64 %xor.i.i174.i, ptr %hash.i.i, align 8
  br label %put.exit175.i

put.exit175.i:
  %43 = load i64, ptr %sizes.i.i, align 8
  %add.ptr56.i = getelementptr inbounds i8, ptr %6, i64 %43
  br i1 %cmp23.i.not.i, label %for.cond.cleanup.i, label %for.body.lr.ph.i

for.body.lr.ph.i:
  %key.i179.i = getelementptr inbounds nuw i8, ptr %w, i64 48
  %hash.i182.i = getelementptr inbounds nuw i8, ptr %w, i64 40
  br label %for.body.i

for.cond.cleanup.i:
  %bases.i = getelementptr inbounds nuw i8, ptr %w, i64 3120
  %44 = load i64, ptr %tensors.i, align 8
  %inc64.i = add i64 %44, 1
  store i64 %inc64.i, ptr %tensors.i, align 8
  %arrayidx65.i = getelementptr inbounds i64, ptr %bases.i, i64 %44
  store i64 %add.i, ptr %arrayidx65.i, align 8
  br label %cleanup51

for.body.i:
  %i.0217.i = phi i64 [ 0, %for.body.lr.ph.i ], [ %inc.i, %put.exit195.i ]
  %45 = load i64, ptr %words.i, align 8
  %cmp.i177.not.i = icmp eq i64 %45, 384
  br i1 %cmp.i177.not.i, label %put.exit195.i, label %put.exit185.i

put.exit185.i:
  %arrayidx58.i = getelementptr inbounds nuw i64, ptr %add.ptr56.i, i64 %i.0217.i
  %46 = load i64, ptr %arrayidx58.i, align 8
  %inc.i180.i = add i64 %45, 1
  store i64 %inc.i180.i, ptr %words.i, align 8
  %arrayidx.i181.i = getelementptr inbounds i64, ptr %key.i179.i, i64 %45
  store i64 %46, ptr %arrayidx.i181.i, align 8
  %47 = load i64, ptr %hash.i182.i, align 8
  %or.i.i183.i = tail call i64 @llvm.fshl.i64(i64 %47, i64 %47, i64 11)
  %xor.i.i184.i = xor i64 %or.i.i183.i, %46
  store i64 %xor.i.i184.i, ptr %hash.i182.i, align 8
  %.pr211.i = load i64, ptr %words.i, align 8
  %cmp.i187.not.i = icmp eq i64 %.pr211.i, 384
  br i1 %cmp.i187.not.i, label %put.exit195.i, label %if.end.i188.i

if.end.i188.i:
  %arrayidx61.i = getelementptr inbounds nuw i8, ptr %arrayidx58.i, i64 40
  %48 = load i64, ptr %arrayidx61.i, align 8
  %inc.i190.i = add i64 %.pr211.i, 1
  store i64 %inc.i190.i, ptr %words.i, align 8
  %arrayidx.i191.i = getelementptr inbounds i64, ptr %key.i179.i, i64 %.pr211.i
  store i64 %48, ptr %arrayidx.i191.i, align 8
  %49 = load i64, ptr %hash.i182.i, align 8
  %or.i.i193.i = tail call i64 @llvm.fshl.i64(i64 %49, i64 %49, i64 11)
  %xor.i.i194.i = xor i64 %or.i.i193.i, %48
  store i64 %xor.i.i194.i, ptr %hash.i182.i, align 8
  br label %put.exit195.i

put.exit195.i:
  %inc.i = add nuw nsw i64 %i.0217.i, 1
  %exitcond.not.i = icmp eq i64 %inc.i, %12
  br i1 %exitcond.not.i, label %for.cond.cleanup.i, label %for.body.i

if.end:
  %none = getelementptr inbounds nuw i8, ptr %0, i64 40
  %50 = load ptr, ptr %none, align 8
  %cmp4 = icmp eq ptr %o, %50
  br i1 %cmp4, label %if.then13, label %lor.lhs.false5

lor.lhs.false5:
  %true_ = getelementptr inbounds nuw i8, ptr %0, i64 48
  %51 = load ptr, ptr %true_, align 8
  %cmp6 = icmp eq ptr %o, %51
  br i1 %cmp6, label %if.then13, label %lor.lhs.false7

lor.lhs.false7:
  %false_ = getelementptr inbounds nuw i8, ptr %0, i64 56
  %52 = load ptr, ptr %false_, align 8
  %cmp8 = icmp eq ptr %o, %52
  br i1 %cmp8, label %if.then13, label %lor.lhs.false9

lor.lhs.false9:
  %str_ = getelementptr inbounds nuw i8, ptr %0, i64 24
  %53 = load ptr, ptr %str_, align 8
  %cmp10 = icmp eq ptr %2, %53
  br i1 %cmp10, label %if.then13, label %lor.lhs.false11

lor.lhs.false11:
  %dtype = getelementptr inbounds nuw i8, ptr %1, i64 40
  %54 = load ptr, ptr %dtype, align 8
  %cmp12 = icmp eq ptr %2, %54
  br i1 %cmp12, label %if.then13, label %if.end18

if.then13:
  %words.i98 = getelementptr inbounds nuw i8, ptr %w, i64 16
  %55 = load i64, ptr %words.i98, align 8
  %cmp.i99.not = icmp eq i64 %55, 384
  br i1 %cmp.i99.not, label %cleanup51, label %land.rhs15

land.rhs15:
  %key.i = getelementptr inbounds nuw i8, ptr %w, i64 48
  %inc.i101 = add i64 %55, 1
  store i64 %inc.i101, ptr %words.i98, align 8
  %arrayidx.i102 = getelementptr inbounds i64, ptr %key.i, i64 %55
  store i64 2, ptr %arrayidx.i102, align 8
  %hash.i = getelementptr inbounds nuw i8, ptr %w, i64 40
  %56 = load i64, ptr %hash.i, align 8
  %or.i.i = tail call i64 @llvm.fshl.i64(i64 %56, i64 %56, i64 11)
  %xor.i.i = xor i64 %or.i.i, 2
  store i64 %xor.i.i, ptr %hash.i, align 8
  %57 = load i64, ptr %words.i98, align 8
  %cmp.i104.not = icmp eq i64 %57, 384
  br i1 %cmp.i104.not, label %cleanup51, label %if.end.i105

if.end.i105:
  %58 = ptrtoint ptr %o to i64
  %inc.i107 = add i64 %57, 1
  store i64 %inc.i107, ptr %words.i98, align 8
  %arrayidx.i108 = getelementptr inbounds i64, ptr %key.i, i64 %57
  store i64 %58, ptr %arrayidx.i108, align 8
  %59 = load i64, ptr %hash.i, align 8
  %or.i.i110 = tail call i64 @llvm.fshl.i64(i64 %59, i64 %59, i64 11)
  %xor.i.i111 = xor i64 %or.i.i110, %58
  store i64 %xor.i.i111, ptr %hash.i, align 8
  br label %cleanup51

if.end18:
  %float_ = getelementptr inbounds nuw i8, ptr %0, i64 16
  %60 = load ptr, ptr %float_, align 8
  %cmp19 = icmp eq ptr %2, %60
  br i1 %cmp19, label %if.then20, label %if.end26

if.then20:
  %words.i113 = getelementptr inbounds nuw i8, ptr %w, i64 16
  %61 = load i64, ptr %words.i113, align 8
  %cmp.i114.not = icmp eq i64 %61, 384
  br i1 %cmp.i114.not, label %cleanup51, label %land.rhs22

land.rhs22:
  %key.i116 = getelementptr inbounds nuw i8, ptr %w, i64 48
  %inc.i117 = add i64 %61, 1
  store i64 %inc.i117, ptr %words.i113, align 8
  %arrayidx.i118 = getelementptr inbounds i64, ptr %key.i116, i64 %61
  store i64 4, ptr %arrayidx.i118, align 8
  %hash.i119 = getelementptr inbounds nuw i8, ptr %w, i64 40
  %62 = load i64, ptr %hash.i119, align 8
  %or.i.i120 = tail call i64 @llvm.fshl.i64(i64 %62, i64 %62, i64 11)
  %xor.i.i121 = xor i64 %or.i.i120, 4
  store i64 %xor.i.i121, ptr %hash.i119, align 8
  %call.i = tail call double @PyFloat_AsDouble(ptr noundef nonnull %o) #15
  %63 = load i64, ptr %words.i113, align 8
  %cmp.i124.not = icmp eq i64 %63, 384
  br i1 %cmp.i124.not, label %cleanup51, label %if.end.i125

if.end.i125:
  %64 = bitcast double %call.i to i64
  %inc.i127 = add i64 %63, 1
  store i64 %inc.i127, ptr %words.i113, align 8
  %arrayidx.i128 = getelementptr inbounds i64, ptr %key.i116, i64 %63
  store double %call.i, ptr %arrayidx.i128, align 8
  %65 = load i64, ptr %hash.i119, align 8
  %or.i.i130 = tail call i64 @llvm.fshl.i64(i64 %65, i64 %65, i64 11)
  %xor.i.i131 = xor i64 %or.i.i130, %64
  store i64 %xor.i.i131, ptr %hash.i119, align 8
  br label %cleanup51

if.end26:
  %int_ = getelementptr inbounds nuw i8, ptr %0, i64 8
  %66 = load ptr, ptr %int_, align 8
  %cmp27 = icmp eq ptr %2, %66
  br i1 %cmp27, label %if.then28, label %if.end34

if.then28:
  call void @llvm.lifetime.start.p0(ptr nonnull %value) #16
  %call29 = call fastcc i1 @is_signed(ptr noundef nonnull %o, ptr noundef nonnull %0, i64 noundef -4611686018427387904, i64 noundef 4611686018427387904, ptr noundef %value) #17
  br i1 %call29, label %land.lhs.true, label %land.end33

land.lhs.true:
  %words.i133 = getelementptr inbounds nuw i8, ptr %w, i64 16
  %67 = load i64, ptr %words.i133, align 8
  %cmp.i134.not = icmp eq i64 %67, 384
  br i1 %cmp.i134.not, label %land.end33, label %land.rhs31

land.rhs31:
  %key.i136 = getelementptr inbounds nuw i8, ptr %w, i64 48
  %inc.i137 = add i64 %67, 1
  store i64 %inc.i137, ptr %words.i133, align 8
  %arrayidx.i138 = getelementptr inbounds i64, ptr %key.i136, i64 %67
  store i64 3, ptr %arrayidx.i138, align 8
  %hash.i139 = getelementptr inbounds nuw i8, ptr %w, i64 40
  %68 = load i64, ptr %hash.i139, align 8
  %or.i.i140 = tail call i64 @llvm.fshl.i64(i64 %68, i64 %68, i64 11)
  %xor.i.i141 = xor i64 %or.i.i140, 3
  store i64 %xor.i.i141, ptr %hash.i139, align 8
  %69 = load i64, ptr %words.i133, align 8
  %cmp.i144.not = icmp eq i64 %69, 384
  br i1 %cmp.i144.not, label %land.end33, label %if.end.i145

if.end.i145:
  %70 = load i64, ptr %value, align 8
  %inc.i147 = add i64 %69, 1
  store i64 %inc.i147, ptr %words.i133, align 8
  %arrayidx.i148 = getelementptr inbounds i64, ptr %key.i136, i64 %69
  store i64 %70, ptr %arrayidx.i148, align 8
  %71 = load i64, ptr %hash.i139, align 8
  %or.i.i150 = tail call i64 @llvm.fshl.i64(i64 %71, i64 %71, i64 11)
  %xor.i.i151 = xor i64 %or.i.i150, %70
  store i64 %xor.i.i151, ptr %hash.i139, align 8
  br label %land.end33

land.end33:
  %72 = phi i1 [ false, %land.lhs.true ], [ false, %if.then28 ], [ false, %land.rhs31 ], [ true, %if.end.i145 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %value) #16
  br label %cleanup51

if.end34:
  %tuple_ = getelementptr inbounds nuw i8, ptr %0, i64 32
  %73 = load ptr, ptr %tuple_, align 8
  %cmp35 = icmp ne ptr %2, %73
  %cmp37 = icmp eq i64 %depth, 3
  %or.cond = or i1 %cmp37, %cmp35
  br i1 %or.cond, label %cleanup51, label %if.end39

if.end39:
  %words.i153 = getelementptr inbounds nuw i8, ptr %w, i64 16
  %74 = load i64, ptr %words.i153, align 8
  %cmp.i154.not = icmp eq i64 %74, 384
  br i1 %cmp.i154.not, label %cleanup51, label %lor.lhs.false41

lor.lhs.false41:
  %key.i156 = getelementptr inbounds nuw i8, ptr %w, i64 48
  %inc.i157 = add i64 %74, 1
  store i64 %inc.i157, ptr %words.i153, align 8
  %arrayidx.i158 = getelementptr inbounds i64, ptr %key.i156, i64 %74
  store i64 5, ptr %arrayidx.i158, align 8
  %hash.i159 = getelementptr inbounds nuw i8, ptr %w, i64 40
  %75 = load i64, ptr %hash.i159, align 8
  %or.i.i160 = tail call i64 @llvm.fshl.i64(i64 %75, i64 %75, i64 11)
  %xor.i.i161 = xor i64 %or.i.i160, 5
  store i64 %xor.i.i161, ptr %hash.i159, align 8
  %size = getelementptr inbounds nuw i8, ptr %o, i64 16
  %76 = load i64, ptr %words.i153, align 8
  %cmp.i164.not = icmp eq i64 %76, 384
  br i1 %cmp.i164.not, label %cleanup51, label %put.exit172

put.exit172:
  %77 = load i64, ptr %size, align 8
  %inc.i167 = add i64 %76, 1
  store i64 %inc.i167, ptr %words.i153, align 8
  %arrayidx.i168 = getelementptr inbounds i64, ptr %key.i156, i64 %76
  store i64 %77, ptr %arrayidx.i168, align 8
  %78 = load i64, ptr %hash.i159, align 8
  %or.i.i170 = tail call i64 @llvm.fshl.i64(i64 %78, i64 %78, i64 11)
  %xor.i.i171 = xor i64 %or.i.i170, %77
  store i64 %xor.i.i171, ptr %hash.i159, align 8
  %79 = load i64, ptr %size, align 8
  %cmp46.not173 = icmp slt i64 %79, 1
  br i1 %cmp46.not173, label %cleanup51, label %for.body.lr.ph

for.body.lr.ph:
  %items.i = getelementptr inbounds nuw i8, ptr %0, i64 248
  %add = add nuw nsw i64 %depth, 1
  br label %for.body

for.cond:
  %inc = add nuw nsw i64 %i.0174, 1
  %80 = load i64, ptr %size, align 8
  %cmp46.not.not = icmp slt i64 %inc, %80
  br i1 %cmp46.not.not, label %for.body, label %cleanup51

for.body:
  %i.0174 = phi i64 [ 0, %for.body.lr.ph ], [ %inc, %for.cond ]
  %81 = load i64, ptr %items.i, align 8
  %add.ptr.i = getelementptr inbounds i8, ptr %o, i64 %81
  %arrayidx.i = getelementptr inbounds nuw ptr, ptr %add.ptr.i, i64 %i.0174
  %82 = load ptr, ptr %arrayidx.i, align 8
  %call48 = tail call fastcc i1 @put_value(ptr noundef %w, ptr noundef %82, i64 noundef %add) #17
  br i1 %call48, label %for.cond, label %cleanup51

cleanup51:
  %retval.1 = phi i1 [ false, %if.end34 ], [ false, %if.end39 ], [ false, %if.then13 ], [ %72, %land.end33 ], [ false, %if.then20 ], [ true, %if.end.i125 ], [ false, %lor.lhs.false41 ], [ false, %if.then ], [ false, %land.rhs ], [ true, %if.end.i105 ], [ false, %cond.end.i ], [ false, %held.exit.i ], [ false, %land.lhs.true.i ], [ false, %lor.lhs.false21.i ], [ false, %lor.lhs.false17.i ], [ false, %if.end30.i ], [ true, %for.cond.cleanup.i ], [ false, %land.rhs15 ], [ false, %land.rhs22 ], [ true, %put.exit172 ], [ %call48, %for.cond ], [ %call48, %for.body ]
  ret i1 %retval.1
}

declare ptr @PyBytes_FromStringAndSize(ptr noundef, i64 noundef) local_unnamed_addr

define internal fastcc noundef i1 @at_home(ptr noundef nonnull readonly captures(none) %e) unnamed_addr #0 {
entry:
  %had = alloca i64, align 8
  %launches = getelementptr inbounds nuw i8, ptr %e, i64 24
  %0 = load i64, ptr %launches, align 8
  %cmp26 = icmp slt i64 %0, 1
  br i1 %cmp26, label %cleanup10, label %for.body.lr.ph

for.body.lr.ph:
  %launch = getelementptr inbounds nuw i8, ptr %e, i64 32
  br label %for.body

for.body:
  %1 = phi i64 [ %0, %for.body.lr.ph ], [ %9, %for.inc ]
  %i.027 = phi i64 [ 0, %for.body.lr.ph ], [ %inc, %for.inc ]
  %2 = load ptr, ptr %launch, align 8
  %arrayidx = getelementptr inbounds nuw %struct.RepeatLaunch, ptr %2, i64 %i.027
  %3 = load ptr, ptr %arrayidx, align 8
  %gpu2 = getelementptr inbounds nuw i8, ptr %3, i64 96
  %4 = load ptr, ptr %gpu2, align 8
  %tobool.not = icmp eq ptr %4, null
  br i1 %tobool.not, label %for.inc, label %lor.lhs.false

lor.lhs.false:
  %only = getelementptr inbounds nuw i8, ptr %4, i64 88
  %5 = load i64, ptr %only, align 8
  %tobool3.not = icmp eq i64 %5, 0
  br i1 %tobool3.not, label %if.end, label %for.inc

if.end:
  call void @llvm.lifetime.start.p0(ptr nonnull %had) #16
  store i64 0, ptr %had, align 8
  %get = getelementptr inbounds nuw i8, ptr %4, i64 16
  %6 = load ptr, ptr %get, align 8
  %call = call i32 %6(ptr noundef nonnull %had) #15
  %tobool4.not = icmp eq i32 %call, 0
  br i1 %tobool4.not, label %lor.lhs.false5, label %cleanup9.thread22

lor.lhs.false5:
  %7 = load i64, ptr %had, align 8
  %word = getelementptr inbounds nuw i8, ptr %4, i64 32
  %8 = load i64, ptr %word, align 8
  %cmp6.not = icmp eq i64 %7, %8
  br i1 %cmp6.not, label %cleanup9, label %cleanup9.thread22

cleanup9.thread22:
  call void @llvm.lifetime.end.p0(ptr nonnull %had) #16
  br label %cleanup10

cleanup9:
  call void @llvm.lifetime.end.p0(ptr nonnull %had) #16
  %.pre = load i64, ptr %launches, align 8
  br label %for.inc

for.inc:
  %9 = phi i64 [ %1, %for.body ], [ %1, %lor.lhs.false ], [ %.pre, %cleanup9 ]
  %inc = add nuw nsw i64 %i.027, 1
  %cmp.not = icmp slt i64 %inc, %9
  br i1 %cmp.not, label %for.body, label %cleanup10

cleanup10:
  %cmp25 = phi i1 [ false, %cleanup9.thread22 ], [ true, %entry ], [ true, %for.inc ]
  ret i1 %cmp25
}

define internal fastcc ptr @repeated(ptr noundef readonly captures(none) %ctx, ptr noundef nonnull readonly captures(none) %e, ptr noundef nonnull captures(none) %bases, i64 noundef %tensors) unnamed_addr #0 {
entry:
  %room.i = alloca %struct.Room, align 64
  %space.i = alloca [7 x ptr], align 16
  %made = alloca [12 x ptr], align 16
  call void @llvm.lifetime.start.p0(ptr nonnull %made) #16
  %making = getelementptr inbounds nuw i8, ptr %e, i64 40
  %0 = load i64, ptr %making, align 8
  %cmp94 = icmp sgt i64 %0, 0
  br i1 %cmp94, label %for.body.lr.ph, label %for.end

for.body.lr.ph:
  %make = getelementptr inbounds nuw i8, ptr %e, i64 48
  %1 = getelementptr i64, ptr %bases, i64 %tensors
  %add.ptr.i = getelementptr inbounds nuw i8, ptr %space.i, i64 8
  %fields.i = getelementptr inbounds nuw i8, ptr %ctx, i64 256
  %storage6.i = getelementptr inbounds nuw i8, ptr %ctx, i64 264
  %data.i = getelementptr inbounds nuw i8, ptr %ctx, i64 320
  %.pre = load ptr, ptr %make, align 8
  br label %for.body

for.body:
  %2 = phi ptr [ %.pre, %for.body.lr.ph ], [ %14, %if.end ]
  %count.095 = phi i64 [ 0, %for.body.lr.ph ], [ %inc, %if.end ]
  %arrayidx = getelementptr inbounds nuw %struct.Made, ptr %2, i64 %count.095
  %arrayidx2 = getelementptr i64, ptr %1, i64 %count.095
  call void @llvm.lifetime.start.p0(ptr nonnull %space.i) #16
  %positional.i = getelementptr inbounds nuw i8, ptr %arrayidx, i64 8
  %3 = load i64, ptr %positional.i, align 8
  %keyword.i = getelementptr inbounds nuw i8, ptr %arrayidx, i64 16
  %4 = load i64, ptr %keyword.i, align 8
  %add.i = add i64 %4, %3
  %cmp23.i = icmp sgt i64 %add.i, 0
  br i1 %cmp23.i, label %for.body.lr.ph.i, label %for.cond.cleanup.i

for.body.lr.ph.i:
  %args.i = getelementptr inbounds nuw i8, ptr %arrayidx, i64 24
  br label %for.body.i

for.cond.cleanup.i:
  %5 = load ptr, ptr %arrayidx, align 8
  %or.i = or i64 %3, -9223372036854775808
  %names.i = getelementptr inbounds nuw i8, ptr %arrayidx, i64 64
  %6 = load ptr, ptr %names.i, align 8
  %call.i = call ptr @PyObject_Vectorcall(ptr noundef %5, ptr noundef nonnull %add.ptr.i, i64 noundef %or.i, ptr noundef %6) #15
  %tobool.not.i = icmp eq ptr %call.i, null
  br i1 %tobool.not.i, label %cond.false.thread, label %if.end

cond.false.thread:
  call void @llvm.lifetime.end.p0(ptr nonnull %space.i) #16
  %arrayidx387 = getelementptr inbounds nuw ptr, ptr %made, i64 %count.095
  store ptr null, ptr %arrayidx387, align 8
  br label %land.end38

for.body.i:
  %i.024.i = phi i64 [ 0, %for.body.lr.ph.i ], [ %add1.i, %for.body.i ]
  %arrayidx.i = getelementptr inbounds nuw ptr, ptr %args.i, i64 %i.024.i
  %7 = load ptr, ptr %arrayidx.i, align 8
  %add1.i = add nuw nsw i64 %i.024.i, 1
  %arrayidx2.i = getelementptr inbounds nuw ptr, ptr %space.i, i64 %add1.i
  store ptr %7, ptr %arrayidx2.i, align 8
  %exitcond.not.i = icmp eq i64 %add1.i, %add.i
  br i1 %exitcond.not.i, label %for.cond.cleanup.i, label %for.body.i

if.end:
  %8 = load i64, ptr %fields.i, align 8
  %add.ptr4.i = getelementptr inbounds i8, ptr %call.i, i64 %8
  %9 = load ptr, ptr %add.ptr4.i, align 8
  %10 = load i64, ptr %storage6.i, align 8
  %add.ptr7.i = getelementptr inbounds i8, ptr %9, i64 %10
  %11 = load ptr, ptr %add.ptr7.i, align 8
  %12 = load i64, ptr %data.i, align 8
  %add.ptr9.i = getelementptr inbounds i8, ptr %11, i64 %12
  %13 = load i64, ptr %add.ptr9.i, align 8
  store i64 %13, ptr %arrayidx2, align 8
  call void @llvm.lifetime.end.p0(ptr nonnull %space.i) #16
  %arrayidx3 = getelementptr inbounds nuw ptr, ptr %made, i64 %count.095
  store ptr %call.i, ptr %arrayidx3, align 8
  %14 = load ptr, ptr %make, align 8
  %arrayidx8 = getelementptr inbounds nuw %struct.Made, ptr %14, i64 %count.095
  %low = getelementptr inbounds nuw i8, ptr %arrayidx8, i64 72
  %15 = load i64, ptr %low, align 8
  %xor = xor i64 %15, %13
  %mask = getelementptr inbounds nuw i8, ptr %arrayidx8, i64 80
  %16 = load i64, ptr %mask, align 8
  %and = and i64 %xor, %16
  %tobool11.not = icmp eq i64 %and, 0
  %inc = add nuw nsw i64 %count.095, 1
  %17 = load i64, ptr %making, align 8
  %cmp = icmp slt i64 %inc, %17
  %18 = and i1 %tobool11.not, %cmp
  br i1 %18, label %for.body, label %for.end.loopexit

for.end.loopexit:
  %spec.select = zext i1 %tobool11.not to i32
  br label %for.end

for.end:
  %count.092 = phi i64 [ %inc, %for.end.loopexit ], [ 0, %entry ]
  %went.2 = phi i32 [ %spec.select, %for.end.loopexit ], [ 1, %entry ]
  %launches = getelementptr inbounds nuw i8, ptr %e, i64 24
  %19 = load i64, ptr %launches, align 8
  %cmp1597 = icmp sgt i64 %19, 0
  %cmp1798 = icmp ne i32 %went.2, 0
  %20 = and i1 %cmp1597, %cmp1798
  br i1 %20, label %for.body19.lr.ph, label %for.cond.cleanup

for.body19.lr.ph:
  %launch = getelementptr inbounds nuw i8, ptr %e, i64 32
  %fail.i.i = getelementptr inbounds nuw i8, ptr %ctx, i64 80
  %none.i.i.i = getelementptr inbounds nuw i8, ptr %ctx, i64 40
  br label %for.body19

for.cond.cleanup:
  %went.3.lcssa = phi i32 [ %went.2, %for.end ], [ %retval.2.i, %relaunched.exit ]
  %cmp17.lcssa = phi i1 [ %cmp1798, %for.end ], [ %cmp17, %relaunched.exit ]
  br i1 %cmp17.lcssa, label %cond.true, label %cond.false

for.body19:
  %i.099 = phi i64 [ 0, %for.body19.lr.ph ], [ %inc23, %relaunched.exit ]
  %21 = load ptr, ptr %launch, align 8
  %arrayidx20 = getelementptr inbounds nuw %struct.RepeatLaunch, ptr %21, i64 %i.099
  call void @llvm.lifetime.start.p0(ptr nonnull %room.i) #16
  %22 = load ptr, ptr %arrayidx20, align 8
  %call.i79 = call fastcc i1 @placed(ptr noundef nonnull readonly %arrayidx20, ptr noundef nonnull readonly %bases, ptr noundef nonnull %room.i) #17
  br i1 %call.i79, label %if.end.i80, label %for.cond.cleanup.thread132

if.end.i80:
  %expects.i = getelementptr inbounds nuw i8, ptr %22, i64 128
  %23 = load ptr, ptr %expects.i, align 8
  %tobool.not.i81 = icmp eq ptr %23, null
  br i1 %tobool.not.i81, label %if.end9.i, label %land.lhs.true.i

land.lhs.true.i:
  %blocks.i = getelementptr inbounds nuw i8, ptr %arrayidx20, i64 48
  %call7.i = call fastcc i1 @kept(ptr noundef nonnull %23, ptr noundef nonnull %room.i, ptr noundef nonnull readonly %blocks.i) #17
  br i1 %call7.i, label %if.end9.i, label %for.cond.cleanup.thread132

if.end9.i:
  %gpu10.i = getelementptr inbounds nuw i8, ptr %22, i64 96
  %24 = load ptr, ptr %gpu10.i, align 8
  %state.i = getelementptr inbounds nuw i8, ptr %arrayidx20, i64 8
  %25 = load ptr, ptr %state.i, align 8
  %last.i = getelementptr inbounds nuw i8, ptr %25, i64 152
  store ptr %22, ptr %last.i, align 8
  %tobool11.not.i = icmp eq ptr %24, null
  %blocks15.i = getelementptr inbounds nuw i8, ptr %arrayidx20, i64 48
  br i1 %tobool11.not.i, label %if.then12.i, label %if.end21.i

if.then12.i:
  %26 = load ptr, ptr %22, align 8
  %call.i.i = call ptr @PyEval_SaveThread() #15
  %27 = load ptr, ptr %ctx, align 8
  %call3.i.i = call i64 @ave_run_grid(ptr noundef %27, ptr noundef %26, ptr noundef nonnull %room.i, ptr noundef nonnull readonly %blocks15.i, ptr noundef %call.i.i) #17
  call void @PyEval_RestoreThread(ptr noundef %call.i.i) #15
  %tobool.not.i.i = icmp eq i64 %call3.i.i, 0
  br i1 %tobool.not.i.i, label %run_on_cpu.exit.i, label %if.end.i.i

if.end.i.i:
  %call5.i.i = call ptr @PyErr_Occurred() #15
  %tobool6.not.i.i = icmp eq ptr %call5.i.i, null
  br i1 %tobool6.not.i.i, label %if.end8.i.i, label %for.cond.cleanup.thread132

if.end8.i.i:
  %call9.i.i = call ptr @PyLong_FromLongLong(i64 noundef %call3.i.i) #15
  %28 = load ptr, ptr %fail.i.i, align 8
  %call10.i.i = call ptr (ptr, ...) @PyObject_CallFunctionObjArgs(ptr noundef %28, ptr noundef %call9.i.i, ptr noundef null) #15
  call void @Py_DecRef(ptr noundef %call9.i.i) #15
  call fastcc void @strip(ptr noundef nonnull readonly %ctx) #17
  br label %for.cond.cleanup.thread132

run_on_cpu.exit.i:
  %29 = load ptr, ptr %none.i.i.i, align 8
  call void @Py_IncRef(ptr noundef %29) #15
  %30 = load ptr, ptr %none.i.i.i, align 8
  %tobool18.not.i = icmp eq ptr %30, null
  br i1 %tobool18.not.i, label %for.cond.cleanup.thread132, label %if.end20.i

if.end20.i:
  call void @Py_DecRef(ptr noundef nonnull %30) #15
  br label %relaunched.exit

if.end21.i:
  %31 = load i32, ptr %blocks15.i, align 8
  %conv.i = zext i32 %31 to i64
  %most_x.i.i = getelementptr inbounds nuw i8, ptr %24, i64 40
  %32 = load i64, ptr %most_x.i.i, align 8
  %cmp.i.i = icmp slt i64 %32, %conv.i
  br i1 %cmp.i.i, label %for.cond.cleanup.thread132, label %if.end.i55.i

if.end.i55.i:
  %stream.i.i = getelementptr inbounds nuw i8, ptr %22, i64 104
  %33 = load ptr, ptr %stream.i.i, align 8
  %tobool.not.i56.i = icmp eq ptr %33, null
  br i1 %tobool.not.i56.i, label %if.end27.i, label %if.end3.i.i

if.end3.i.i:
  %device.i.i = getelementptr inbounds nuw i8, ptr %22, i64 112
  %34 = load i64, ptr %device.i.i, align 8
  %conv.i.i = trunc i64 %34 to i32
  %shr.i.i = lshr i64 %34, 32
  %conv6.i.i = trunc nuw i64 %shr.i.i to i32
  %params.i.i = getelementptr inbounds nuw i8, ptr %24, i64 48
  %35 = load i64, ptr %params.i.i, align 8
  %arrayidx.i.i = getelementptr inbounds i64, ptr %room.i, i64 %35
  %call.i57.i = call i32 %33(i32 noundef %conv.i.i, i32 noundef %conv6.i.i, ptr noundef nonnull %arrayidx.i.i) #15
  %tobool7.not.i.i = icmp eq i32 %call.i57.i, 0
  br i1 %tobool7.not.i.i, label %if.end27.i, label %if.end9.i.i

if.end9.i.i:
  call void @PyErr_Clear() #15
  br label %for.cond.cleanup.thread132

if.end27.i:
  %call28.i = call ptr @PyEval_SaveThread() #15
  %call33.i = call i64 @ave_launch_gpu(ptr noundef nonnull %24, ptr noundef nonnull %room.i, ptr noundef nonnull readonly %blocks15.i) #17
  call void @PyEval_RestoreThread(ptr noundef %call28.i) #15
  %tobool34.not.i = icmp eq i64 %call33.i, 0
  %lnot.ext.i = zext i1 %tobool34.not.i to i32
  br label %relaunched.exit

for.cond.cleanup.thread132:
  %retval.2.i.ph = phi i32 [ -1, %if.end.i.i ], [ -1, %if.end8.i.i ], [ 0, %if.end9.i.i ], [ 0, %land.lhs.true.i ], [ 0, %for.body19 ], [ -1, %run_on_cpu.exit.i ], [ 0, %if.end21.i ]
  call void @llvm.lifetime.end.p0(ptr nonnull %room.i) #16
  br label %cond.false

relaunched.exit:
  %retval.2.i = phi i32 [ %lnot.ext.i, %if.end27.i ], [ 1, %if.end20.i ]
  call void @llvm.lifetime.end.p0(ptr nonnull %room.i) #16
  %inc23 = add nuw nsw i64 %i.099, 1
  %36 = load i64, ptr %launches, align 8
  %cmp15 = icmp slt i64 %inc23, %36
  %cmp17 = icmp ne i32 %retval.2.i, 0
  %37 = select i1 %cmp15, i1 %cmp17, i1 false
  br i1 %37, label %for.body19, label %for.cond.cleanup

cond.true:
  %single.i = getelementptr inbounds nuw i8, ptr %e, i64 64
  %38 = load i64, ptr %single.i, align 8
  %tobool.not.i82 = icmp eq i64 %38, 0
  br i1 %tobool.not.i82, label %if.end.i83, label %land.lhs.true.thread

land.lhs.true.thread:
  %39 = load ptr, ptr %made, align 16
  br label %land.rhs36

if.end.i83:
  %returned.i = getelementptr inbounds nuw i8, ptr %e, i64 56
  %40 = load i64, ptr %returned.i, align 8
  %call.i84 = call ptr @PyTuple_New(i64 noundef %40) #15
  %tobool1.not.i = icmp eq ptr %call.i84, null
  br i1 %tobool1.not.i, label %land.lhs.true, label %for.cond.preheader.i

for.cond.preheader.i:
  %41 = load i64, ptr %returned.i, align 8
  %cmp18.i = icmp sgt i64 %41, 0
  br i1 %cmp18.i, label %for.body.i85, label %land.lhs.true

for.body.i85:
  %i.019.i = phi i64 [ %inc.i, %for.body.i85 ], [ 0, %for.cond.preheader.i ]
  %arrayidx5.i = getelementptr inbounds nuw ptr, ptr %made, i64 %i.019.i
  %42 = load ptr, ptr %arrayidx5.i, align 8
  call void @Py_IncRef(ptr noundef %42) #15
  %call7.i86 = call i32 @PyTuple_SetItem(ptr noundef nonnull %call.i84, i64 noundef %i.019.i, ptr noundef %42) #15
  %inc.i = add nuw nsw i64 %i.019.i, 1
  %43 = load i64, ptr %returned.i, align 8
  %cmp.i = icmp slt i64 %inc.i, %43
  br i1 %cmp.i, label %for.body.i85, label %land.lhs.true

cond.false:
  %went.3.lcssa121 = phi i32 [ %went.3.lcssa, %for.cond.cleanup ], [ %retval.2.i.ph, %for.cond.cleanup.thread132 ]
  %tobool27.not = icmp eq i32 %went.3.lcssa121, 0
  br i1 %tobool27.not, label %cond.false29, label %land.end38

cond.false29:
  %none.i = getelementptr inbounds nuw i8, ptr %ctx, i64 40
  %44 = load ptr, ptr %none.i, align 8
  call void @Py_IncRef(ptr noundef %44) #15
  %45 = load ptr, ptr %none.i, align 8
  br label %land.end38

land.lhs.true:
  %.pr = load i64, ptr %single.i, align 8
  %tobool35.not = icmp eq i64 %.pr, 0
  br i1 %tobool35.not, label %land.end38, label %land.rhs36

land.rhs36:
  %cond32.ph131 = phi ptr [ %39, %land.lhs.true.thread ], [ %call.i84, %land.lhs.true ]
  %tobool37 = icmp ne ptr %cond32.ph131, null
  %46 = zext i1 %tobool37 to i64
  br label %land.end38

land.end38:
  %count.092115119 = phi i64 [ %count.092, %land.lhs.true ], [ %count.092, %land.rhs36 ], [ %count.092, %cond.false ], [ %count.092, %cond.false29 ], [ %count.095, %cond.false.thread ]
  %cond3289 = phi ptr [ %call.i84, %land.lhs.true ], [ %cond32.ph131, %land.rhs36 ], [ null, %cond.false ], [ %45, %cond.false29 ], [ null, %cond.false.thread ]
  %cond39 = phi i64 [ 0, %land.lhs.true ], [ %46, %land.rhs36 ], [ 0, %cond.false ], [ 0, %cond.false29 ], [ 0, %cond.false.thread ]
  %cmp41102 = icmp samesign ult i64 %cond39, %count.092115119
  br i1 %cmp41102, label %for.body44, label %for.cond.cleanup43

for.cond.cleanup43:
  call void @llvm.lifetime.end.p0(ptr nonnull %made) #16
  ret ptr %cond3289

for.body44:
  %i33.0103 = phi i64 [ %inc47, %for.body44 ], [ %cond39, %land.end38 ]
  %arrayidx45 = getelementptr inbounds nuw ptr, ptr %made, i64 %i33.0103
  %47 = load ptr, ptr %arrayidx45, align 8
  call void @Py_DecRef(ptr noundef %47) #15
  %inc47 = add nuw i64 %i33.0103, 1
  %exitcond.not = icmp eq i64 %inc47, %count.092115119
  br i1 %exitcond.not, label %for.cond.cleanup43, label %for.body44
}

define i64 @ave_xla_key(ptr noundef readonly captures(none) %x, ptr noundef readonly captures(none) %f, ptr noundef writeonly captures(none) %found, ptr noundef writeonly captures(none) %site) local_unnamed_addr #0 {
entry:
  %k = alloca %struct.XlaKey, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %k) #16
  %call = call fastcc i1 @key_of(ptr noundef %x, ptr noundef %f, ptr noundef %k) #17
  br i1 %call, label %if.end, label %cleanup

if.end:
  %key = getelementptr inbounds nuw i8, ptr %k, i64 32
  %0 = load i64, ptr %k, align 8
  %mul = shl i64 %0, 3
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %found, ptr nonnull align 8 %key, i64 %mul, i1 false)
  %site1 = getelementptr inbounds nuw i8, ptr %k, i64 16
  %1 = load i64, ptr %site1, align 8
  store i64 %1, ptr %site, align 8
  br label %cleanup

cleanup:
  %retval.0 = phi i64 [ %0, %if.end ], [ 0, %entry ]
  call void @llvm.lifetime.end.p0(ptr nonnull %k) #16
  ret i64 %retval.0
}

define internal fastcc noundef i1 @key_of(ptr noundef readonly captures(none) %x, ptr noundef readonly captures(none) %f, ptr noundef nonnull captures(none) initializes((0, 16), (24, 32)) %k) unnamed_addr #6 {
entry:
  %gone.i = alloca %struct.XlaFailure, align 8
  %ask = alloca %struct.XlaAsk, align 8
  %word = alloca i64, align 8
  %bases = getelementptr inbounds nuw i8, ptr %k, i64 24
  store i64 0, ptr %bases, align 8
  store i64 0, ptr %k, align 8
  %hash = getelementptr inbounds nuw i8, ptr %k, i64 8
  store i64 0, ptr %hash, align 8
  %count = getelementptr inbounds nuw i8, ptr %f, i64 136
  %0 = load i64, ptr %count, align 8
  %tobool.not = icmp eq i64 %0, 0
  br i1 %tobool.not, label %return, label %lor.lhs.false

lor.lhs.false:
  %types = getelementptr inbounds nuw i8, ptr %f, i64 144
  %1 = load ptr, ptr %types, align 8
  %2 = load i32, ptr %1, align 4
  %cmp = icmp eq i32 %2, 3
  br i1 %cmp, label %return, label %if.end

if.end:
  call void @llvm.lifetime.start.p0(ptr nonnull %ask) #16
  store i64 32, ptr %ask, align 8
  %extension = getelementptr inbounds nuw i8, ptr %ask, i64 8
  store ptr null, ptr %extension, align 8
  %context = getelementptr inbounds nuw i8, ptr %ask, i64 16
  %context2 = getelementptr inbounds nuw i8, ptr %f, i64 24
  %3 = load ptr, ptr %context2, align 8
  store ptr %3, ptr %context, align 8
  %answer = getelementptr inbounds nuw i8, ptr %ask, i64 24
  store i64 0, ptr %answer, align 8
  %api1.i = getelementptr inbounds nuw i8, ptr %f, i64 16
  %4 = load ptr, ptr %api1.i, align 8
  %arrayidx3.i = getelementptr inbounds nuw i8, ptr %4, i64 80
  %5 = load ptr, ptr %arrayidx3.i, align 8
  %call3 = call ptr %5(ptr noundef nonnull %ask) #15
  call void @llvm.lifetime.start.p0(ptr nonnull %gone.i) #16
  store i64 24, ptr %gone.i, align 8
  %extension.i = getelementptr inbounds nuw i8, ptr %gone.i, i64 8
  store ptr null, ptr %extension.i, align 8
  %error1.i = getelementptr inbounds nuw i8, ptr %gone.i, i64 16
  store ptr %call3, ptr %error1.i, align 8
  %message.i = getelementptr inbounds nuw i8, ptr %gone.i, i64 24
  store ptr null, ptr %message.i, align 8
  %tobool.i.not = icmp eq ptr %call3, null
  br i1 %tobool.i.not, label %if.end6, label %erred.exit.thread

erred.exit.thread:
  %6 = load ptr, ptr %api1.i, align 8
  %arrayidx.i102 = getelementptr inbounds nuw i8, ptr %6, i64 64
  %7 = load ptr, ptr %arrayidx.i102, align 8
  %call.i = call ptr %7(ptr noundef nonnull %gone.i) #15
  call void @llvm.lifetime.end.p0(ptr nonnull %gone.i) #16
  br label %cleanup34

if.end6:
  call void @llvm.lifetime.end.p0(ptr nonnull %gone.i) #16
  %items = getelementptr inbounds nuw i8, ptr %f, i64 160
  %8 = load ptr, ptr %items, align 8
  %9 = load ptr, ptr %8, align 8
  %10 = load ptr, ptr %9, align 8
  %11 = ptrtoint ptr %10 to i64
  %site = getelementptr inbounds nuw i8, ptr %k, i64 16
  store i64 %11, ptr %site, align 8
  %12 = load i64, ptr %k, align 8
  %cmp.i92.not = icmp eq i64 %12, 512
  br i1 %cmp.i92.not, label %cleanup34, label %lor.lhs.false11

lor.lhs.false11:
  %13 = load i64, ptr %answer, align 8
  %key.i94 = getelementptr inbounds nuw i8, ptr %k, i64 32
  %inc.i95 = add i64 %12, 1
  store i64 %inc.i95, ptr %k, align 8
  %arrayidx.i96 = getelementptr inbounds i64, ptr %key.i94, i64 %12
  store i64 %13, ptr %arrayidx.i96, align 8
  %14 = load i64, ptr %hash, align 8
  %or.i.i98 = call i64 @llvm.fshl.i64(i64 %14, i64 %14, i64 11)
  %xor.i.i99 = xor i64 %or.i.i98, %13
  store i64 %xor.i.i99, ptr %hash, align 8
  %choices = getelementptr inbounds nuw i8, ptr %x, i64 32
  %15 = load ptr, ptr %choices, align 8
  %16 = load atomic i64, ptr %15 monotonic, align 8
  %17 = load i64, ptr %k, align 8
  %cmp.i83.not = icmp eq i64 %17, 512
  br i1 %cmp.i83.not, label %cleanup34, label %lor.lhs.false13

lor.lhs.false13:
  %inc.i86 = add i64 %17, 1
  store i64 %inc.i86, ptr %k, align 8
  %arrayidx.i87 = getelementptr inbounds i64, ptr %key.i94, i64 %17
  store i64 %16, ptr %arrayidx.i87, align 8
  %18 = load i64, ptr %hash, align 8
  %or.i.i89 = call i64 @llvm.fshl.i64(i64 %18, i64 %18, i64 11)
  %xor.i.i90 = xor i64 %or.i.i89, %16
  store i64 %xor.i.i90, ptr %hash, align 8
  %length = getelementptr inbounds nuw i8, ptr %9, i64 8
  %19 = load i64, ptr %k, align 8
  %cmp.i74.not = icmp eq i64 %19, 512
  br i1 %cmp.i74.not, label %cleanup34, label %key_word.exit82

key_word.exit82:
  %20 = load i64, ptr %length, align 8
  %inc.i77 = add i64 %19, 1
  store i64 %inc.i77, ptr %k, align 8
  %arrayidx.i78 = getelementptr inbounds i64, ptr %key.i94, i64 %19
  store i64 %20, ptr %arrayidx.i78, align 8
  %21 = load i64, ptr %hash, align 8
  %or.i.i80 = call i64 @llvm.fshl.i64(i64 %21, i64 %21, i64 11)
  %xor.i.i81 = xor i64 %or.i.i80, %20
  store i64 %xor.i.i81, ptr %hash, align 8
  %22 = load i64, ptr %length, align 8
  %cmp18.not103.not = icmp eq i64 %22, 0
  br i1 %cmp18.not103.not, label %for.end, label %for.body

for.body:
  %23 = phi i64 [ %27, %for.inc ], [ %22, %key_word.exit82 ]
  %at.0104 = phi i64 [ %add, %for.inc ], [ 0, %key_word.exit82 ]
  call void @llvm.lifetime.start.p0(ptr nonnull %word)
  store i64 0, ptr %word, align 8
  %sub = sub nuw i64 %23, %at.0104
  %24 = load ptr, ptr %9, align 8
  %add.ptr = getelementptr inbounds nuw i8, ptr %24, i64 %at.0104
  %cond = call i64 @llvm.umin.i64(i64 %sub, i64 8)
  call void @llvm.memcpy.p0.p0.i64(ptr nonnull align 8 %word, ptr align 1 %add.ptr, i64 %cond, i1 false)
  %25 = load i64, ptr %k, align 8
  %cmp.i65.not = icmp eq i64 %25, 512
  br i1 %cmp.i65.not, label %cleanup26, label %for.inc

for.inc:
  %word.0.word.0.word.0.word.0. = load i64, ptr %word, align 8
  %inc.i68 = add i64 %25, 1
  store i64 %inc.i68, ptr %k, align 8
  %arrayidx.i69 = getelementptr inbounds i64, ptr %key.i94, i64 %25
  store i64 %word.0.word.0.word.0.word.0., ptr %arrayidx.i69, align 8
  %26 = load i64, ptr %hash, align 8
  %or.i.i71 = call i64 @llvm.fshl.i64(i64 %26, i64 %26, i64 11)
  %xor.i.i72 = xor i64 %or.i.i71, %word.0.word.0.word.0.word.0.
  store i64 %xor.i.i72, ptr %hash, align 8
  call void @llvm.lifetime.end.p0(ptr nonnull %word)
  %add = add i64 %at.0104, 8
  %27 = load i64, ptr %length, align 8
  %cmp18.not = icmp ult i64 %add, %27
  br i1 %cmp18.not, label %for.body, label %for.end

cleanup26:
  call void @llvm.lifetime.end.p0(ptr nonnull %word)
  br label %cleanup34

for.end:
  %28 = load i64, ptr %k, align 8
  %cmp.i64.not = icmp eq i64 %28, 512
  br i1 %cmp.i64.not, label %cleanup34, label %land.lhs.true

land.lhs.true:
  %count28 = getelementptr inbounds nuw i8, ptr %f, i64 56
  %29 = load i64, ptr %count28, align 8
  %inc.i = add i64 %28, 1
  store i64 %inc.i, ptr %k, align 8
  %arrayidx.i = getelementptr inbounds i64, ptr %key.i94, i64 %28
  store i64 %29, ptr %arrayidx.i, align 8
  %30 = load i64, ptr %hash, align 8
  %or.i.i = call i64 @llvm.fshl.i64(i64 %30, i64 %30, i64 11)
  %xor.i.i = xor i64 %or.i.i, %29
  store i64 %xor.i.i, ptr %hash, align 8
  %arguments = getelementptr inbounds nuw i8, ptr %f, i64 40
  %call31 = call fastcc i1 @key_buffers(ptr noundef %k, ptr noundef nonnull %arguments) #17
  br i1 %call31, label %land.rhs, label %cleanup34

land.rhs:
  %results = getelementptr inbounds nuw i8, ptr %f, i64 80
  %call32 = call fastcc i1 @key_buffers(ptr noundef %k, ptr noundef nonnull %results) #17
  br label %cleanup34

cleanup34:
  %retval.4 = phi i1 [ false, %erred.exit.thread ], [ %call32, %land.rhs ], [ false, %cleanup26 ], [ false, %for.end ], [ false, %if.end6 ], [ false, %land.lhs.true ], [ false, %lor.lhs.false11 ], [ false, %lor.lhs.false13 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %ask) #16
  br label %return

return:
  %retval.5 = phi i1 [ %retval.4, %cleanup34 ], [ false, %lor.lhs.false ], [ false, %entry ]
  ret i1 %retval.5
}

define void @ave_xla_put(ptr noundef readonly captures(none) %table, ptr noundef initializes((0, 8)) %c) local_unnamed_addr #7 {
entry:
  store i64 0, ptr %c, align 8
  %words = getelementptr inbounds nuw i8, ptr %c, i64 8
  %0 = load i64, ptr %words, align 8
  %cmp25 = icmp sgt i64 %0, 0
  br i1 %cmp25, label %for.body.lr.ph, label %for.cond.cleanup

for.body.lr.ph:
  %key = getelementptr inbounds nuw i8, ptr %c, i64 16
  %1 = load ptr, ptr %key, align 8
  br label %for.body

for.cond.cleanup:
  %2 = phi i64 [ 0, %entry ], [ %xor.i, %for.body ]
  %conv.i = zext i64 %2 to i128
  %mul.i = mul nuw i128 %conv.i, 11400714819323198485
  %shr.i = lshr i128 %mul.i, 64
  %xor4.i = xor i128 %shr.i, %mul.i
  %xor.i24 = trunc i128 %xor4.i to i64
  %calls = getelementptr inbounds nuw i8, ptr %table, i64 8
  %3 = load ptr, ptr %calls, align 8
  %4 = load i64, ptr %table, align 8
  br label %while.cond

for.body:
  %xor.i27 = phi i64 [ 0, %for.body.lr.ph ], [ %xor.i, %for.body ]
  %w.026 = phi i64 [ 0, %for.body.lr.ph ], [ %inc, %for.body ]
  %arrayidx = getelementptr inbounds nuw i64, ptr %1, i64 %w.026
  %5 = load i64, ptr %arrayidx, align 8
  %or.i = tail call i64 @llvm.fshl.i64(i64 %xor.i27, i64 %xor.i27, i64 11)
  %xor.i = xor i64 %5, %or.i
  store i64 %xor.i, ptr %c, align 8
  %inc = add nuw nsw i64 %w.026, 1
  %exitcond.not = icmp eq i64 %inc, %0
  br i1 %exitcond.not, label %for.cond.cleanup, label %for.body

while.cond:
  %i.0 = phi i64 [ %xor.i24, %for.cond.cleanup ], [ %inc6, %while.cond ]
  %and = and i64 %4, %i.0
  %arrayidx5 = getelementptr inbounds nuw ptr, ptr %3, i64 %and
  %6 = load ptr, ptr %arrayidx5, align 8
  %tobool.not = icmp eq ptr %6, null
  %inc6 = add i64 %i.0, 1
  br i1 %tobool.not, label %while.end, label %while.cond

while.end:
  %arrayidx5.le = getelementptr inbounds nuw ptr, ptr %3, i64 %and
  %7 = ptrtoint ptr %c to i64
  store atomic i64 %7, ptr %arrayidx5.le release, align 8
  ret void
}

define range(i64 0, 2) i64 @ave_xla_turn(ptr noundef captures(none) %x, ptr noundef %table) local_unnamed_addr #8 {
entry:
  %tobool.not = icmp eq ptr %table, null
  br i1 %tobool.not, label %if.end, label %if.then

if.then:
  %0 = ptrtoint ptr %table to i64
  store atomic i64 %0, ptr %x seq_cst, align 8
  br label %if.end

if.end:
  %inside = getelementptr inbounds nuw i8, ptr %x, i64 8
  %1 = load atomic i64, ptr %inside seq_cst, align 8
  %tobool2.not = icmp eq i64 %1, 0
  %conv = zext i1 %tobool2.not to i64
  ret i64 %conv
}

define void @ave_xla_keep(ptr noundef captures(none) %x, ptr noundef readonly captures(none) %maps, ptr noundef readonly captures(none) %key, i64 noundef %rank, ptr noundef readonly captures(none) %value) local_unnamed_addr #0 {
entry:
  %lock.i = getelementptr inbounds nuw i8, ptr %x, i64 16
  %0 = atomicrmw xchg ptr %lock.i, i64 1 acquire, align 8
  %tobool.not1.i = icmp eq i64 %0, 0
  br i1 %tobool.not1.i, label %lock_maps.exit, label %while.body.i

while.body.i:
  %call.i = tail call i32 @sched_yield() #15
  %1 = atomicrmw xchg ptr %lock.i, i64 1 acquire, align 8
  %tobool.not.i = icmp eq i64 %1, 0
  br i1 %tobool.not.i, label %lock_maps.exit, label %while.body.i

lock_maps.exit:
  %2 = load i64, ptr %key, align 8
  %cmp13.not.i.i = icmp eq i64 %rank, 0
  br i1 %cmp13.not.i.i, label %hash_of.exit.i, label %for.body.i.i

for.body.i.i:
  %k.015.i.i = phi i64 [ %add.i.i, %for.body.i.i ], [ 0, %lock_maps.exit ]
  %hash.014.i.i = phi i64 [ %xor.i.i.i, %for.body.i.i ], [ %2, %lock_maps.exit ]
  %add.i.i = add nuw i64 %k.015.i.i, 1
  %arrayidx1.i.i = getelementptr inbounds nuw i64, ptr %key, i64 %add.i.i
  %3 = load i64, ptr %arrayidx1.i.i, align 8
  %or.i11.i.i = tail call i64 @llvm.fshl.i64(i64 %hash.014.i.i, i64 %hash.014.i.i, i64 11)
  %xor.i12.i.i = xor i64 %3, %or.i11.i.i
  %4 = getelementptr i64, ptr %key, i64 %k.015.i.i
  %arrayidx3.i.i = getelementptr i8, ptr %4, i64 48
  %5 = load i64, ptr %arrayidx3.i.i, align 8
  %or.i.i.i = tail call i64 @llvm.fshl.i64(i64 %xor.i12.i.i, i64 %xor.i12.i.i, i64 11)
  %xor.i.i.i = xor i64 %or.i.i.i, %5
  %exitcond.not.i.i = icmp eq i64 %add.i.i, %rank
  br i1 %exitcond.not.i.i, label %hash_of.exit.i, label %for.body.i.i

hash_of.exit.i:
  %hash.0.lcssa.i.i = phi i64 [ %2, %lock_maps.exit ], [ %xor.i.i.i, %for.body.i.i ]
  %conv.i.i.i = zext i64 %hash.0.lcssa.i.i to i128
  %mul.i.i.i = mul nuw i128 %conv.i.i.i, 11400714819323198485
  %shr.i.i.i = lshr i128 %mul.i.i.i, 64
  %xor4.i.i.i = xor i128 %shr.i.i.i, %mul.i.i.i
  %xor.i.i10.i = trunc i128 %xor4.i.i.i to i64
  %mask.i.i = getelementptr inbounds nuw i8, ptr %maps, i64 8
  %add.ptr1.i.i.i = getelementptr inbounds nuw i8, ptr %key, i64 64
  %6 = load ptr, ptr %maps, align 8
  %7 = load i64, ptr %mask.i.i, align 8
  %8 = load <8 x i64>, ptr %key, align 8
  %9 = load <4 x i64>, ptr %add.ptr1.i.i.i, align 8
  br label %for.body.i11.i

for.cond.i.i:
  %inc.i.i = add nuw nsw i64 %i.030.i.i, 1
  %exitcond.i.i = icmp eq i64 %inc.i.i, 8
  br i1 %exitcond.i.i, label %for.end.i.i, label %for.body.i11.i

for.body.i11.i:
  %i.030.i.i = phi i64 [ 0, %hash_of.exit.i ], [ %inc.i.i, %for.cond.i.i ]
  %add.i12.i = add i64 %i.030.i.i, %xor.i.i10.i
  %and.i.i = and i64 %add.i12.i, %7
  %arrayidx.i.i = getelementptr inbounds nuw %struct.TensorMapRecord, ptr %6, i64 %and.i.i
  %10 = load <8 x i64>, ptr %arrayidx.i.i, align 8
  %xor.i26.i.i = xor <8 x i64> %10, %8
  %add.ptr.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx.i.i, i64 64
  %11 = load <4 x i64>, ptr %add.ptr.i.i.i, align 8
  %xor2.i.i.i = xor <4 x i64> %11, %9
  %rdx.or.i.i.i = tail call i64 @llvm.vector.reduce.or.v8i64(<8 x i64> %xor.i26.i.i)
  %rdx.or3.i.i.i = tail call i64 @llvm.vector.reduce.or.v4i64(<4 x i64> %xor2.i.i.i)
  %or.i.i13.i = or i64 %rdx.or3.i.i.i, %rdx.or.i.i.i
  %cmp.i.i.i = icmp eq i64 %or.i.i13.i, 0
  %12 = extractelement <4 x i64> %11, i64 3
  %tobool.not.not.i.i = icmp eq i64 %12, 0
  %or.cond.i = select i1 %cmp.i.i.i, i1 true, i1 %tobool.not.not.i.i
  br i1 %or.cond.i, label %ave_map_keep.exit, label %for.cond.i.i

for.end.i.i:
  %rem.i.i = and i64 %hash.0.lcssa.i.i, 7
  %add8.i.i = add i64 %rem.i.i, %xor.i.i10.i
  %and10.i.i = and i64 %add8.i.i, %7
  %arrayidx11.i.i = getelementptr inbounds nuw %struct.TensorMapRecord, ptr %6, i64 %and10.i.i
  br label %ave_map_keep.exit

ave_map_keep.exit:
  %retval.3.i.i = phi ptr [ %arrayidx11.i.i, %for.end.i.i ], [ %arrayidx.i.i, %for.body.i11.i ]
  tail call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(96) %retval.3.i.i, ptr noundef nonnull readonly align 8 dereferenceable(96) %key, i64 96, i1 false)
  %value4.i = getelementptr inbounds nuw i8, ptr %retval.3.i.i, i64 128
  tail call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(128) %value4.i, ptr noundef nonnull readonly align 1 dereferenceable(128) %value, i64 128, i1 false)
  store atomic i64 0, ptr %lock.i release, align 8
  ret void
}

define i64 @ave_xla_look(ptr noundef captures(none) %m, i64 noundef %looking) local_unnamed_addr #8 {
entry:
  %looking1 = getelementptr inbounds nuw i8, ptr %m, i64 24
  store atomic i64 %looking, ptr %looking1 seq_cst, align 8
  %touched = getelementptr inbounds nuw i8, ptr %m, i64 16
  %0 = load atomic i64, ptr %touched seq_cst, align 8
  ret i64 %0
}

define ptr @ave_xla_on_cuda(ptr noundef %f) local_unnamed_addr #0 {
entry:
  %call = tail call fastcc ptr @served(ptr noundef nonnull @ave_xla_cuda, ptr noundef %f) #17
  ret ptr %call
}

define internal fastcc ptr @served(ptr noundef captures(none) %x, ptr noundef %f) unnamed_addr #6 {
entry:
  %k = alloca %struct.XlaKey, align 8
  %error = alloca ptr, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %k) #16
  call void @llvm.lifetime.start.p0(ptr nonnull %error) #16
  store ptr null, ptr %error, align 8
  %extension = getelementptr inbounds nuw i8, ptr %f, i64 8
  %0 = load ptr, ptr %extension, align 8
  %tobool.not = icmp eq ptr %0, null
  br i1 %tobool.not, label %land.lhs.true, label %cond.false

land.lhs.true:
  %waiting = getelementptr inbounds nuw i8, ptr %x, i64 40
  %1 = load ptr, ptr %waiting, align 8
  %2 = load atomic i64, ptr %1 monotonic, align 8
  %tobool1.not = icmp eq i64 %2, 0
  br i1 %tobool1.not, label %land.lhs.true2, label %cond.false

land.lhs.true2:
  %call.i = tail call ptr @getenv(ptr noundef nonnull @.str) #15
  %tobool.not.i = icmp eq ptr %call.i, null
  br i1 %tobool.not.i, label %land.lhs.true3, label %asked_for_checks.exit

asked_for_checks.exit:
  %3 = load i8, ptr %call.i, align 1
  %tobool1.i.not = icmp eq i8 %3, 0
  br i1 %tobool1.i.not, label %land.lhs.true3, label %cond.false

land.lhs.true3:
  %call4 = call fastcc i1 @key_of(ptr noundef nonnull %x, ptr noundef nonnull %f, ptr noundef %k) #17
  br i1 %call4, label %if.then, label %cond.false

if.then:
  %inside = getelementptr inbounds nuw i8, ptr %x, i64 8
  %4 = atomicrmw add ptr %inside, i64 1 seq_cst, align 8
  %5 = load atomic i64, ptr %x seq_cst, align 8
  %6 = inttoptr i64 %5 to ptr
  %tobool.not.i23 = icmp eq i64 %5, 0
  br i1 %tobool.not.i23, label %cond.false.critedge, label %if.end.i

if.end.i:
  %hash.i = getelementptr inbounds nuw i8, ptr %k, i64 8
  %7 = load i64, ptr %hash.i, align 8
  %conv.i.i = zext i64 %7 to i128
  %mul.i.i = mul nuw i128 %conv.i.i, 11400714819323198485
  %shr.i.i = lshr i128 %mul.i.i, 64
  %xor4.i.i = xor i128 %shr.i.i, %mul.i.i
  %xor.i.i = trunc i128 %xor4.i.i to i64
  %calls.i = getelementptr inbounds nuw i8, ptr %6, i64 8
  %8 = load ptr, ptr %calls.i, align 8
  %9 = load i64, ptr %6, align 8
  %and58.i = and i64 %9, %xor.i.i
  %arrayidx59.i = getelementptr inbounds nuw ptr, ptr %8, i64 %and58.i
  %10 = load atomic i64, ptr %arrayidx59.i acquire, align 8
  %tobool3.not60.i = icmp eq i64 %10, 0
  br i1 %tobool3.not60.i, label %cond.false.critedge, label %if.end5.lr.ph.i

if.end5.lr.ph.i:
  %site13.i = getelementptr inbounds nuw i8, ptr %k, i64 16
  %key20.i = getelementptr inbounds nuw i8, ptr %k, i64 32
  br label %if.end5.i

if.end5.i:
  %.in.i = phi i64 [ %10, %if.end5.lr.ph.i ], [ %23, %for.inc.i ]
  %i.061.i = phi i64 [ %xor.i.i, %if.end5.lr.ph.i ], [ %inc28.i, %for.inc.i ]
  %11 = inttoptr i64 %.in.i to ptr
  %12 = load i64, ptr %11, align 8
  %13 = load i64, ptr %hash.i, align 8
  %cmp.not.i = icmp eq i64 %12, %13
  br i1 %cmp.not.i, label %lor.lhs.false.i, label %for.inc.i

lor.lhs.false.i:
  %words.i = getelementptr inbounds nuw i8, ptr %11, i64 8
  %14 = load i64, ptr %words.i, align 8
  %15 = load i64, ptr %k, align 8
  %cmp9.not.i = icmp eq i64 %14, %15
  br i1 %cmp9.not.i, label %lor.lhs.false10.i, label %for.inc.i

lor.lhs.false10.i:
  %site.i = getelementptr inbounds nuw i8, ptr %11, i64 24
  %16 = load i64, ptr %site.i, align 8
  %tobool11.not.i = icmp eq i64 %16, 0
  %17 = load i64, ptr %site13.i, align 8
  %cmp14.not.i = icmp eq i64 %16, %17
  %or.cond = select i1 %tobool11.not.i, i1 true, i1 %cmp14.not.i
  br i1 %or.cond, label %if.end16.i, label %for.inc.i

if.end16.i:
  %cmp1855.i = icmp sgt i64 %14, 0
  br i1 %cmp1855.i, label %land.rhs.lr.ph.i, label %while.end.i

land.rhs.lr.ph.i:
  %key.i = getelementptr inbounds nuw i8, ptr %11, i64 16
  %18 = load ptr, ptr %key.i, align 8
  br label %land.rhs.i24

land.rhs.i24:
  %w.056.i = phi i64 [ 0, %land.rhs.lr.ph.i ], [ %inc.i, %while.body.i ]
  %arrayidx19.i = getelementptr inbounds nuw i64, ptr %18, i64 %w.056.i
  %19 = load i64, ptr %arrayidx19.i, align 8
  %arrayidx21.i = getelementptr inbounds nuw i64, ptr %key20.i, i64 %w.056.i
  %20 = load i64, ptr %arrayidx21.i, align 8
  %cmp22.i = icmp eq i64 %19, %20
  br i1 %cmp22.i, label %while.body.i, label %while.end.i

while.body.i:
  %inc.i = add nuw nsw i64 %w.056.i, 1
  %exitcond.not.i = icmp eq i64 %inc.i, %14
  br i1 %exitcond.not.i, label %land.rhs, label %land.rhs.i24

while.end.i:
  %w.0.lcssa.i = phi i64 [ 0, %if.end16.i ], [ %w.056.i, %land.rhs.i24 ]
  %cmp24.i = icmp eq i64 %w.0.lcssa.i, %14
  br i1 %cmp24.i, label %land.rhs, label %for.inc.i

for.inc.i:
  %inc28.i = add i64 %i.061.i, 1
  %21 = load ptr, ptr %calls.i, align 8
  %22 = load i64, ptr %6, align 8
  %and.i = and i64 %22, %inc28.i
  %arrayidx.i = getelementptr inbounds nuw ptr, ptr %21, i64 %and.i
  %23 = load atomic i64, ptr %arrayidx.i acquire, align 8
  %tobool3.not.i = icmp eq i64 %23, 0
  br i1 %tobool3.not.i, label %cond.false.critedge, label %if.end5.i

land.rhs:
  %call8 = call fastcc i1 @made_again(ptr noundef nonnull %x, ptr noundef nonnull %f, ptr noundef %11, ptr noundef %k, ptr noundef %error) #17
  %24 = atomicrmw sub ptr %inside, i64 1 seq_cst, align 8
  br i1 %call8, label %cond.true, label %cond.false

cond.true:
  %25 = load ptr, ptr %error, align 8
  br label %cond.end

cond.false.critedge:
  %26 = atomicrmw sub ptr %inside, i64 1 seq_cst, align 8
  br label %cond.false

cond.false:
  %slow = getelementptr inbounds nuw i8, ptr %x, i64 48
  %27 = load ptr, ptr %slow, align 8
  %call12 = call ptr %27(ptr noundef %f) #15
  br label %cond.end

cond.end:
  %cond = phi ptr [ %25, %cond.true ], [ %call12, %cond.false ]
  call void @llvm.lifetime.end.p0(ptr nonnull %error) #16
  call void @llvm.lifetime.end.p0(ptr nonnull %k) #16
  ret ptr %cond
}

define ptr @ave_xla_on_rocm(ptr noundef %f) local_unnamed_addr #0 {
entry:
  %call = tail call fastcc ptr @served(ptr noundef nonnull @ave_xla_rocm, ptr noundef %f) #17
  ret ptr %call
}

declare i32 @sched_yield() local_unnamed_addr

declare i32 @pthread_mutex_lock(ptr noundef) local_unnamed_addr

declare i32 @pthread_cond_broadcast(ptr noundef) local_unnamed_addr

define internal noalias noundef nonnull ptr @tick(ptr noundef %pool) #9 {
entry:
  %listed.i = getelementptr inbounds nuw i8, ptr %pool, i64 464
  %launches = getelementptr inbounds nuw i8, ptr %pool, i64 456
  %finished = getelementptr inbounds nuw i8, ptr %pool, i64 256
  %ticker = getelementptr inbounds nuw i8, ptr %pool, i64 468
  %wake = getelementptr inbounds nuw i8, ptr %pool, i64 128
  br label %for.cond

for.cond:
  %quiet.0 = phi i32 [ 0, %entry ], [ %quiet.0.be, %for.cond.backedge ]
  %call = tail call i32 @usleep(i32 noundef 100000) #15
  %0 = atomicrmw xchg ptr %listed.i, i32 1 acquire, align 8
  %tobool.not1.i = icmp eq i32 %0, 0
  br i1 %tobool.not1.i, label %list.exit, label %while.body.i

while.body.i:
  %call.i = tail call i32 @sched_yield() #15
  %1 = atomicrmw xchg ptr %listed.i, i32 1 acquire, align 8
  %tobool.not.i = icmp eq i32 %1, 0
  br i1 %tobool.not.i, label %list.exit, label %while.body.i

list.exit:
  %2 = load ptr, ptr %launches, align 8
  %tobool.not40 = icmp eq ptr %2, null
  br i1 %tobool.not40, label %for.cond.cleanup, label %for.body

for.cond.cleanup:
  store atomic i32 0, ptr %listed.i release, align 8
  %call2 = tail call i32 @pthread_cond_broadcast(ptr noundef nonnull %finished) #15
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
  %call5 = tail call i32 @pthread_mutex_lock(ptr noundef nonnull %pool) #15
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
  %call20 = tail call i32 @pthread_cond_wait(ptr noundef nonnull %wake, ptr noundef nonnull %pool) #15
  %7 = load atomic i32, ptr %ticker monotonic, align 4
  %cmp16.not = icmp eq i32 %7, 1
  br i1 %cmp16.not, label %while.end, label %while.body

while.end:
  %call23 = tail call i32 @pthread_mutex_unlock(ptr noundef nonnull %pool) #15
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

define internal noalias noundef nonnull ptr @worker(ptr noundef %pool) #9 {
entry:
  %scratch = alloca ptr, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %scratch) #16
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
  %call4 = call i32 @pthread_mutex_lock(ptr noundef nonnull %pool) #15
  br label %while.cond

for.body:
  %call = call i32 @sched_yield() #15
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
  %call12 = call i32 @pthread_cond_wait(ptr noundef nonnull %wake, ptr noundef nonnull %pool) #15
  br label %while.cond

while.end:
  %4 = load atomic i64, ptr %generation monotonic, align 8
  %5 = load atomic i32, ptr %active monotonic, align 4
  %add = add i32 %5, 1
  store atomic i32 %add, ptr %active release, align 4
  %call19 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %pool) #15
  %6 = load ptr, ptr %2, align 64
  %scratch_bytes = getelementptr inbounds nuw i8, ptr %6, i64 8
  %7 = load i64, ptr %scratch_bytes, align 8
  %cmp.not.i = icmp ult i64 %bytes.0, %7
  br i1 %cmp.not.i, label %if.end.i, label %if.then

if.end.i:
  %8 = load ptr, ptr %scratch, align 8
  call void @free(ptr noundef %8) #15
  store ptr null, ptr %scratch, align 8
  %call.i = call i32 @posix_memalign(ptr noundef nonnull %scratch, i64 noundef 64, i64 noundef %7) #15
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
  %call4.i = call i64 %11(ptr noundef %16, ptr noundef %17, i64 noundef %15, i64 noundef %cond.i.i, ptr noundef %10) #15
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
  %call24 = call i32 @pthread_mutex_lock(ptr noundef nonnull %pool) #15
  %19 = load atomic i32, ptr %active monotonic, align 4
  %sub = add i32 %19, -1
  store atomic i32 %sub, ptr %active release, align 4
  %tobool29.not = icmp eq i32 %sub, 0
  br i1 %tobool29.not, label %if.then30, label %if.end33

if.then30:
  %call32 = call i32 @pthread_cond_signal(ptr noundef nonnull %finished) #15
  br label %if.end33

if.end33:
  %call36 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %pool) #15
  br label %for.cond
}

declare i32 @pthread_cond_signal(ptr noundef) local_unnamed_addr

declare i64 @llvm.vector.reduce.or.v8i64(<8 x i64>) #10

declare i64 @llvm.vector.reduce.or.v4i64(<4 x i64>) #10

declare i64 @llvm.cttz.i64(i64, i1 immarg) #10

declare void @llvm.memset.p0.i64(ptr writeonly captures(none), i8, i64, i1 immarg) #11

define internal fastcc ptr @told(ptr noundef readonly captures(none) %state, ptr noundef %entry1, ptr noundef nonnull %slots, ptr noundef nonnull %blocks, ptr noundef nonnull readonly captures(none) %call) unnamed_addr #0 {
entry:
  %positional = getelementptr inbounds nuw i8, ptr %call, i64 8
  %0 = load i64, ptr %positional, align 8
  %keyword = getelementptr inbounds nuw i8, ptr %call, i64 16
  %1 = load i64, ptr %keyword, align 8
  %add = add i64 %1, %0
  %add2 = shl i64 %add, 3
  %mul = add i64 %add2, 32
  %2 = alloca i8, i64 %mul, align 16
  %slow = getelementptr inbounds nuw i8, ptr %state, i64 8
  %3 = load ptr, ptr %slow, align 8
  store ptr %3, ptr %2, align 16
  %4 = ptrtoint ptr %entry1 to i64
  %call3 = tail call ptr @PyLong_FromLongLong(i64 noundef %4) #15
  %arrayidx4 = getelementptr inbounds nuw i8, ptr %2, i64 8
  store ptr %call3, ptr %arrayidx4, align 8
  %5 = ptrtoint ptr %slots to i64
  %call5 = tail call ptr @PyLong_FromLongLong(i64 noundef %5) #15
  %arrayidx6 = getelementptr inbounds nuw i8, ptr %2, i64 16
  store ptr %call5, ptr %arrayidx6, align 16
  %6 = ptrtoint ptr %blocks to i64
  %call7 = tail call ptr @PyLong_FromLongLong(i64 noundef %6) #15
  %arrayidx8 = getelementptr inbounds nuw i8, ptr %2, i64 24
  store ptr %call7, ptr %arrayidx8, align 8
  %cmp40 = icmp sgt i64 %add, 0
  br i1 %cmp40, label %for.body.lr.ph, label %for.cond.cleanup

for.body.lr.ph:
  %7 = load ptr, ptr %call, align 8
  br label %for.body

for.cond.cleanup:
  %8 = load ptr, ptr @ave_dry, align 8
  %9 = load i64, ptr %positional, align 8
  %add13 = add i64 %9, 4
  %names = getelementptr inbounds nuw i8, ptr %call, i64 24
  %10 = load ptr, ptr %names, align 8
  %call14 = call ptr @PyObject_Vectorcall(ptr noundef %8, ptr noundef nonnull %2, i64 noundef %add13, ptr noundef %10) #15
  br label %for.body19

for.body:
  %i.041 = phi i64 [ 0, %for.body.lr.ph ], [ %inc, %for.body ]
  %arrayidx9 = getelementptr inbounds nuw ptr, ptr %7, i64 %i.041
  %11 = load ptr, ptr %arrayidx9, align 8
  %12 = getelementptr ptr, ptr %2, i64 %i.041
  %arrayidx11 = getelementptr i8, ptr %12, i64 32
  store ptr %11, ptr %arrayidx11, align 8
  %inc = add nuw nsw i64 %i.041, 1
  %exitcond.not = icmp eq i64 %inc, %add
  br i1 %exitcond.not, label %for.cond.cleanup, label %for.body

for.cond.cleanup18:
  ret ptr %call14

for.body19:
  %i15.042 = phi i64 [ 1, %for.cond.cleanup ], [ %inc22, %for.body19 ]
  %arrayidx20 = getelementptr inbounds nuw ptr, ptr %2, i64 %i15.042
  %13 = load ptr, ptr %arrayidx20, align 8
  call void @Py_DecRef(ptr noundef %13) #15
  %inc22 = add nuw nsw i64 %i15.042, 1
  %exitcond43.not = icmp eq i64 %inc22, 4
  br i1 %exitcond43.not, label %for.cond.cleanup18, label %for.body19
}

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
  %call9 = call ptr @PyObject_Vectorcall(ptr noundef %function, ptr noundef nonnull %2, i64 noundef %add8, ptr noundef %5) #15
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
  call fastcc void @strip(ptr noundef %ctx) #17
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
  %call5.i = tail call i64 @PyLong_AsLongLong(ptr noundef nonnull %t) #15
  %cmp6.i = icmp eq i64 %call5.i, -1
  br i1 %cmp6.i, label %land.lhs.true.i, label %if.end9.i

land.lhs.true.i:
  %call7.i = tail call ptr @PyErr_Occurred() #15
  %tobool.not.i = icmp eq ptr %call7.i, null
  br i1 %tobool.not.i, label %cleanup13, label %if.then8.i

if.then8.i:
  tail call void @PyErr_Clear() #15
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
  %call5.i38 = tail call i64 @PyLong_AsLongLong(ptr noundef nonnull %10) #15
  %cmp6.i39 = icmp eq i64 %call5.i38, -1
  br i1 %cmp6.i39, label %land.lhs.true.i45, label %if.end9.i40

land.lhs.true.i45:
  %call7.i46 = tail call ptr @PyErr_Occurred() #15
  %tobool.not.i47 = icmp eq ptr %call7.i46, null
  br i1 %tobool.not.i47, label %cleanup13, label %if.then8.i48

if.then8.i48:
  tail call void @PyErr_Clear() #15
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

define internal fastcc i1 @is_signed(ptr noundef %o, ptr noundef readonly captures(none) %ctx, i64 noundef %low, i64 noundef %high, ptr noundef nonnull writeonly captures(none) %out) unnamed_addr #0 {
entry:
  %type = getelementptr inbounds nuw i8, ptr %o, i64 8
  %0 = load ptr, ptr %type, align 8
  %int_ = getelementptr inbounds nuw i8, ptr %ctx, i64 8
  %1 = load ptr, ptr %int_, align 8
  %cmp.not = icmp eq ptr %0, %1
  br i1 %cmp.not, label %if.end, label %return

if.end:
  %2 = getelementptr inbounds nuw i8, ptr %o, i64 24
  %3 = load i32, ptr %2, align 8
  %conv.i = zext i32 %3 to i64
  store i64 %conv.i, ptr %out, align 8
  %size.i = getelementptr inbounds nuw i8, ptr %o, i64 16
  %4 = load i64, ptr %size.i, align 8
  %digit.i = getelementptr inbounds nuw i8, ptr %ctx, i64 232
  %5 = load i64, ptr %digit.i, align 8
  %cmp.i = icmp eq i64 %4, %5
  br i1 %cmp.i, label %if.then1, label %if.end4

if.then1:
  %cmp2.not = icmp sle i64 %low, %conv.i
  %cmp3 = icmp sge i64 %high, %conv.i
  %spec.select = and i1 %cmp2.not, %cmp3
  br label %return

if.end4:
  %call5 = tail call i64 @PyLong_AsLongLong(ptr noundef nonnull %o) #15
  %cmp6 = icmp eq i64 %call5, -1
  br i1 %cmp6, label %land.lhs.true, label %if.end9

land.lhs.true:
  %call7 = tail call ptr @PyErr_Occurred() #15
  %tobool.not = icmp eq ptr %call7, null
  br i1 %tobool.not, label %if.end9, label %if.then8

if.then8:
  tail call void @PyErr_Clear() #15
  br label %return

if.end9:
  %cmp10 = icmp slt i64 %call5, %low
  %cmp11 = icmp sgt i64 %call5, %high
  %or.cond = or i1 %cmp10, %cmp11
  br i1 %or.cond, label %return, label %if.end13

if.end13:
  store i64 %call5, ptr %out, align 8
  br label %return

return:
  %retval.1 = phi i1 [ false, %entry ], [ %spec.select, %if.then1 ], [ false, %if.then8 ], [ true, %if.end13 ], [ false, %if.end9 ]
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
  %call = tail call i32 @PyObject_RichCompareBool(ptr noundef nonnull %a, ptr noundef nonnull %b, i32 noundef 2) #15
  %cmp10 = icmp eq i32 %call, 1
  br label %return

if.end11:
  %float_ = getelementptr inbounds nuw i8, ptr %ctx, i64 16
  %4 = load ptr, ptr %float_, align 8
  %cmp13 = icmp eq ptr %0, %4
  br i1 %cmp13, label %if.then14, label %if.end18

if.then14:
  %call.i = tail call double @PyFloat_AsDouble(ptr noundef nonnull %a) #15
  %5 = bitcast double %call.i to i64
  %call.i60 = tail call double @PyFloat_AsDouble(ptr noundef nonnull %b) #15
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
  %call30 = tail call fastcc i1 @same(ptr noundef %12, ptr noundef %13, ptr noundef nonnull %ctx) #17
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

declare float @llvm.fabs.f32(float) #12

declare double @llvm.fabs.f64(double) #12

define internal fastcc noundef i1 @mapped(ptr noundef readonly captures(none) %param, i64 noundef %address, i64 noundef %rank, ptr noundef readonly captures(none) %shape, ptr noundef readonly captures(none) %strides, i64 noundef %unit, ptr noundef nonnull %out) unnamed_addr #0 {
entry:
  %key.i = alloca [12 x i64], align 64
  %rank1 = getelementptr inbounds nuw i8, ptr %param, i64 32
  %0 = load i64, ptr %rank1, align 8
  %cmp.not = icmp eq i64 %0, %rank
  br i1 %cmp.not, label %if.end, label %return

if.end:
  %strides2 = getelementptr inbounds nuw i8, ptr %param, i64 72
  %1 = load ptr, ptr %strides2, align 8
  %2 = ptrtoint ptr %1 to i64
  %add.ptr = getelementptr inbounds i8, ptr %out, i64 %2
  %shape3 = getelementptr inbounds nuw i8, ptr %param, i64 64
  %3 = load ptr, ptr %shape3, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %key.i) #16
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 64 dereferenceable(96) %key.i, i8 0, i64 96, i1 false)
  %4 = getelementptr inbounds nuw i8, ptr %key.i, i64 88
  store i64 1, ptr %4, align 8
  store i64 %address, ptr %key.i, align 64
  %cmp35.not.i = icmp eq i64 %rank, 0
  br i1 %cmp35.not.i, label %for.cond.cleanup.i, label %for.body.i

for.cond.cleanup.i:
  %hash.0.lcssa.i = phi i64 [ %address, %if.end ], [ %xor.i.i, %for.body.i ]
  %conv.i.i.i = zext i64 %hash.0.lcssa.i to i128
  %mul.i.i.i = mul nuw i128 %conv.i.i.i, 11400714819323198485
  %shr.i.i.i = lshr i128 %mul.i.i.i, 64
  %xor4.i.i.i = xor i128 %shr.i.i.i, %mul.i.i.i
  %xor.i.i.i = trunc i128 %xor4.i.i.i to i64
  %mask.i.i = getelementptr inbounds nuw i8, ptr %3, i64 8
  %add.ptr1.i.i.i = getelementptr inbounds nuw i8, ptr %key.i, i64 64
  %5 = load ptr, ptr %3, align 8
  %6 = load i64, ptr %mask.i.i, align 8
  %7 = load <8 x i64>, ptr %key.i, align 64
  %8 = load <4 x i64>, ptr %add.ptr1.i.i.i, align 64
  br label %for.body.i.i

for.body.i.i:
  %i.030.i.i = phi i64 [ 0, %for.cond.cleanup.i ], [ %inc.i.i, %cleanup.i.i ]
  %add.i.i = add i64 %i.030.i.i, %xor.i.i.i
  %and.i.i = and i64 %add.i.i, %6
  %arrayidx.i.i = getelementptr inbounds nuw %struct.TensorMapRecord, ptr %5, i64 %and.i.i
  %9 = load <8 x i64>, ptr %arrayidx.i.i, align 8
  %xor.i26.i.i = xor <8 x i64> %9, %7
  %add.ptr.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx.i.i, i64 64
  %10 = load <4 x i64>, ptr %add.ptr.i.i.i, align 8
  %xor2.i.i.i = xor <4 x i64> %10, %8
  %rdx.or.i.i.i = tail call i64 @llvm.vector.reduce.or.v8i64(<8 x i64> %xor.i26.i.i)
  %rdx.or3.i.i.i = tail call i64 @llvm.vector.reduce.or.v4i64(<4 x i64> %xor2.i.i.i)
  %or.i.i.i = or i64 %rdx.or3.i.i.i, %rdx.or.i.i.i
  %cmp.i.i.i = icmp eq i64 %or.i.i.i, 0
  br i1 %cmp.i.i.i, label %described.exit.thread, label %cleanup.i.i

cleanup.i.i:
  %11 = extractelement <4 x i64> %10, i64 3
  %tobool.not.not.i.i = icmp eq i64 %11, 0
  %inc.i.i = add nuw nsw i64 %i.030.i.i, 1
  %exitcond.i.i = icmp eq i64 %inc.i.i, 8
  %or.cond.i = select i1 %tobool.not.not.i.i, i1 true, i1 %exitcond.i.i
  br i1 %or.cond.i, label %land.lhs.true, label %for.body.i.i

for.body.i:
  %k.037.i = phi i64 [ %add.i, %for.body.i ], [ 0, %if.end ]
  %hash.036.i = phi i64 [ %xor.i.i, %for.body.i ], [ %address, %if.end ]
  %arrayidx1.i = getelementptr inbounds nuw i64, ptr %shape, i64 %k.037.i
  %12 = load i64, ptr %arrayidx1.i, align 8
  %add.i = add nuw i64 %k.037.i, 1
  %arrayidx2.i = getelementptr inbounds nuw i64, ptr %key.i, i64 %add.i
  store i64 %12, ptr %arrayidx2.i, align 8
  %arrayidx3.i = getelementptr inbounds nuw i64, ptr %strides, i64 %k.037.i
  %13 = load i64, ptr %arrayidx3.i, align 8
  %mul.i = mul i64 %13, %unit
  %14 = getelementptr i64, ptr %key.i, i64 %k.037.i
  %arrayidx5.i = getelementptr i8, ptr %14, i64 48
  store i64 %mul.i, ptr %arrayidx5.i, align 8
  %or.i29.i = tail call i64 @llvm.fshl.i64(i64 %hash.036.i, i64 %hash.036.i, i64 11)
  %xor.i30.i = xor i64 %12, %or.i29.i
  %or.i.i = tail call i64 @llvm.fshl.i64(i64 %xor.i30.i, i64 %xor.i30.i, i64 11)
  %xor.i.i = xor i64 %mul.i, %or.i.i
  %exitcond.not.i = icmp eq i64 %add.i, %rank
  br i1 %exitcond.not.i, label %for.cond.cleanup.i, label %for.body.i

described.exit.thread:
  %value13.i = getelementptr inbounds nuw i8, ptr %arrayidx.i.i, i64 128
  tail call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(128) %add.ptr, ptr noundef nonnull align 8 dereferenceable(128) %value13.i, i64 128, i1 false)
  %word.i = getelementptr inbounds nuw i8, ptr %add.ptr, i64 128
  store i64 %address, ptr %word.i, align 8
  call void @llvm.lifetime.end.p0(ptr nonnull %key.i) #16
  br label %if.end6

land.lhs.true:
  call void @llvm.lifetime.end.p0(ptr nonnull %key.i) #16
  %15 = load ptr, ptr @ave_dry, align 8
  %tobool.not.i = icmp eq ptr %15, null
  br i1 %tobool.not.i, label %return, label %dry.exit

dry.exit:
  %16 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @ave_dry, i64 8), align 8
  %call.i = tail call ptr @pthread_self() #15
  %cmp.i = icmp eq ptr %16, %call.i
  br i1 %cmp.i, label %if.end6, label %return

if.end6:
  %17 = ptrtoint ptr %add.ptr to i64
  store i64 %17, ptr %out, align 8
  br label %return

return:
  %retval.1 = phi i1 [ false, %entry ], [ true, %if.end6 ], [ false, %dry.exit ], [ false, %land.lhs.true ]
  ret i1 %retval.1
}

declare ptr @PyLong_FromLongLong(i64 noundef) local_unnamed_addr

declare ptr @PyObject_Vectorcall(ptr noundef, ptr noundef, i64 noundef, ptr noundef) local_unnamed_addr

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
  call void @llvm.lifetime.start.p0(ptr nonnull %type) #16
  call void @llvm.lifetime.start.p0(ptr nonnull %value) #16
  call void @llvm.lifetime.start.p0(ptr nonnull %traceback) #16
  call void @PyErr_Fetch(ptr noundef nonnull %type, ptr noundef nonnull %value, ptr noundef nonnull %traceback) #15
  call void @PyErr_NormalizeException(ptr noundef nonnull %type, ptr noundef nonnull %value, ptr noundef nonnull %traceback) #15
  %1 = load ptr, ptr %type, align 8
  %ave_error = getelementptr inbounds nuw i8, ptr %ctx, i64 72
  %2 = load ptr, ptr %ave_error, align 8
  %call = call i32 @PyErr_GivenExceptionMatches(ptr noundef %1, ptr noundef %2) #15
  %tobool1.not = icmp eq i32 %call, 0
  br i1 %tobool1.not, label %if.end7, label %if.then2

if.then2:
  %3 = load ptr, ptr %traceback, align 8
  %tobool3.not = icmp eq ptr %3, null
  br i1 %tobool3.not, label %if.end5, label %if.then4

if.then4:
  call void @Py_DecRef(ptr noundef nonnull %3) #15
  br label %if.end5

if.end5:
  store ptr null, ptr %traceback, align 8
  %4 = load ptr, ptr %value, align 8
  %none = getelementptr inbounds nuw i8, ptr %ctx, i64 40
  %5 = load ptr, ptr %none, align 8
  %call6 = call i32 @PyException_SetTraceback(ptr noundef %4, ptr noundef %5) #15
  br label %if.end7

if.end7:
  %6 = load ptr, ptr %type, align 8
  %7 = load ptr, ptr %value, align 8
  %8 = load ptr, ptr %traceback, align 8
  call void @PyErr_Restore(ptr noundef %6, ptr noundef %7, ptr noundef %8) #15
  call void @llvm.lifetime.end.p0(ptr nonnull %traceback) #16
  call void @llvm.lifetime.end.p0(ptr nonnull %value) #16
  call void @llvm.lifetime.end.p0(ptr nonnull %type) #16
  br label %return

return:
  ret void
}

declare void @PyErr_Fetch(ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr

declare void @PyErr_NormalizeException(ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr

declare i32 @PyErr_GivenExceptionMatches(ptr noundef, ptr noundef) local_unnamed_addr

declare i32 @PyException_SetTraceback(ptr noundef, ptr noundef) local_unnamed_addr

declare void @PyErr_Restore(ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr

declare i32 @PyObject_GC_IsTracked(ptr noundef) local_unnamed_addr

declare void @PyObject_GC_Track(ptr noundef) local_unnamed_addr

define internal fastcc noundef i1 @placed(ptr noundef readonly captures(none) %l, ptr noundef nonnull readonly captures(none) %bases, ptr noundef %slots) unnamed_addr #3 {
entry:
  %key.i = alloca [12 x i64], align 64
  %slots1 = getelementptr inbounds nuw i8, ptr %l, i64 24
  %0 = load ptr, ptr %slots1, align 8
  %count = getelementptr inbounds nuw i8, ptr %l, i64 16
  %1 = load i64, ptr %count, align 8
  %mul = shl i64 %1, 3
  tail call void @llvm.memcpy.p0.p0.i64(ptr align 8 %slots, ptr align 8 %0, i64 %mul, i1 false)
  %moving = getelementptr inbounds nuw i8, ptr %l, i64 32
  %2 = load i64, ptr %moving, align 8
  %cmp47 = icmp slt i64 %2, 1
  br i1 %cmp47, label %cleanup16, label %for.body.lr.ph

for.body.lr.ph:
  %moves = getelementptr inbounds nuw i8, ptr %l, i64 40
  %3 = getelementptr inbounds nuw i8, ptr %key.i, i64 88
  %add.ptr1.i.i.i = getelementptr inbounds nuw i8, ptr %key.i, i64 64
  br label %for.body

for.body:
  %i.048 = phi i64 [ 0, %for.body.lr.ph ], [ %inc, %if.end9 ]
  %4 = load ptr, ptr %moves, align 8
  %arrayidx = getelementptr inbounds nuw %struct.Moving, ptr %4, i64 %i.048
  %base = getelementptr inbounds nuw i8, ptr %arrayidx, i64 8
  %5 = load i64, ptr %base, align 8
  %cmp2 = icmp slt i64 %5, 0
  br i1 %cmp2, label %cond.end, label %cond.false

cond.false:
  %arrayidx4 = getelementptr inbounds nuw i64, ptr %bases, i64 %5
  %6 = load i64, ptr %arrayidx4, align 8
  br label %cond.end

cond.end:
  %cond = phi i64 [ %6, %cond.false ], [ 0, %for.body ]
  %delta = getelementptr inbounds nuw i8, ptr %arrayidx, i64 16
  %7 = load i64, ptr %delta, align 8
  %add = add i64 %7, %cond
  %maps = getelementptr inbounds nuw i8, ptr %arrayidx, i64 24
  %8 = load ptr, ptr %maps, align 8
  %tobool.not = icmp eq ptr %8, null
  br i1 %tobool.not, label %if.end9, label %if.then

if.then:
  %9 = load i64, ptr %arrayidx, align 8
  %arrayidx5 = getelementptr inbounds i64, ptr %slots, i64 %9
  %wide6 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 32
  %10 = load i64, ptr %wide6, align 8
  %add.ptr = getelementptr inbounds i8, ptr %arrayidx5, i64 %10
  %rank = getelementptr inbounds nuw i8, ptr %arrayidx, i64 40
  %11 = load i64, ptr %rank, align 8
  %shape = getelementptr inbounds nuw i8, ptr %arrayidx, i64 48
  %12 = load ptr, ptr %shape, align 8
  %strides = getelementptr inbounds nuw i8, ptr %arrayidx, i64 56
  %13 = load ptr, ptr %strides, align 8
  %unit = getelementptr inbounds nuw i8, ptr %arrayidx, i64 64
  %14 = load i64, ptr %unit, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %key.i) #16
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 64 dereferenceable(96) %key.i, i8 0, i64 96, i1 false)
  store i64 1, ptr %3, align 8
  store i64 %add, ptr %key.i, align 64
  %cmp35.not.i = icmp eq i64 %11, 0
  br i1 %cmp35.not.i, label %for.cond.cleanup.i, label %for.body.i

for.cond.cleanup.i:
  %hash.0.lcssa.i = phi i64 [ %add, %if.then ], [ %xor.i.i, %for.body.i ]
  %conv.i.i.i = zext i64 %hash.0.lcssa.i to i128
  %mul.i.i.i = mul nuw i128 %conv.i.i.i, 11400714819323198485
  %shr.i.i.i = lshr i128 %mul.i.i.i, 64
  %xor4.i.i.i = xor i128 %shr.i.i.i, %mul.i.i.i
  %xor.i.i.i = trunc i128 %xor4.i.i.i to i64
  %mask.i.i = getelementptr inbounds nuw i8, ptr %8, i64 8
  %15 = load ptr, ptr %8, align 8
  %16 = load i64, ptr %mask.i.i, align 8
  %17 = load <8 x i64>, ptr %key.i, align 64
  %18 = load <4 x i64>, ptr %add.ptr1.i.i.i, align 64
  br label %for.body.i.i

for.body.i.i:
  %i.030.i.i = phi i64 [ 0, %for.cond.cleanup.i ], [ %inc.i.i, %cleanup.i.i ]
  %add.i.i = add i64 %i.030.i.i, %xor.i.i.i
  %and.i.i = and i64 %add.i.i, %16
  %arrayidx.i.i = getelementptr inbounds nuw %struct.TensorMapRecord, ptr %15, i64 %and.i.i
  %19 = load <8 x i64>, ptr %arrayidx.i.i, align 8
  %xor.i26.i.i = xor <8 x i64> %19, %17
  %add.ptr.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx.i.i, i64 64
  %20 = load <4 x i64>, ptr %add.ptr.i.i.i, align 8
  %xor2.i.i.i = xor <4 x i64> %20, %18
  %rdx.or.i.i.i = tail call i64 @llvm.vector.reduce.or.v8i64(<8 x i64> %xor.i26.i.i)
  %rdx.or3.i.i.i = tail call i64 @llvm.vector.reduce.or.v4i64(<4 x i64> %xor2.i.i.i)
  %or.i.i.i = or i64 %rdx.or3.i.i.i, %rdx.or.i.i.i
  %cmp.i.i.i = icmp eq i64 %or.i.i.i, 0
  br i1 %cmp.i.i.i, label %described.exit.thread, label %cleanup.i.i

cleanup.i.i:
  %21 = extractelement <4 x i64> %20, i64 3
  %tobool.not.not.i.i = icmp eq i64 %21, 0
  %inc.i.i = add nuw nsw i64 %i.030.i.i, 1
  %exitcond.i.i = icmp eq i64 %inc.i.i, 8
  %or.cond.i = select i1 %tobool.not.not.i.i, i1 true, i1 %exitcond.i.i
  br i1 %or.cond.i, label %described.exit, label %for.body.i.i

for.body.i:
  %k.037.i = phi i64 [ %add.i, %for.body.i ], [ 0, %if.then ]
  %hash.036.i = phi i64 [ %xor.i.i, %for.body.i ], [ %add, %if.then ]
  %arrayidx1.i = getelementptr inbounds nuw i64, ptr %12, i64 %k.037.i
  %22 = load i64, ptr %arrayidx1.i, align 8
  %add.i = add nuw i64 %k.037.i, 1
  %arrayidx2.i = getelementptr inbounds nuw i64, ptr %key.i, i64 %add.i
  store i64 %22, ptr %arrayidx2.i, align 8
  %arrayidx3.i = getelementptr inbounds nuw i64, ptr %13, i64 %k.037.i
  %23 = load i64, ptr %arrayidx3.i, align 8
  %mul.i = mul i64 %23, %14
  %24 = getelementptr i64, ptr %key.i, i64 %k.037.i
  %arrayidx5.i = getelementptr i8, ptr %24, i64 48
  store i64 %mul.i, ptr %arrayidx5.i, align 8
  %or.i29.i = tail call i64 @llvm.fshl.i64(i64 %hash.036.i, i64 %hash.036.i, i64 11)
  %xor.i30.i = xor i64 %22, %or.i29.i
  %or.i.i = tail call i64 @llvm.fshl.i64(i64 %xor.i30.i, i64 %xor.i30.i, i64 11)
  %xor.i.i = xor i64 %mul.i, %or.i.i
  %exitcond.not.i = icmp eq i64 %add.i, %11
  br i1 %exitcond.not.i, label %for.cond.cleanup.i, label %for.body.i

described.exit.thread:
  %value13.i = getelementptr inbounds nuw i8, ptr %arrayidx.i.i, i64 128
  tail call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(128) %add.ptr, ptr noundef nonnull align 8 dereferenceable(128) %value13.i, i64 128, i1 false)
  %word.i = getelementptr inbounds nuw i8, ptr %add.ptr, i64 128
  store i64 %add, ptr %word.i, align 8
  call void @llvm.lifetime.end.p0(ptr nonnull %key.i) #16
  %25 = ptrtoint ptr %add.ptr to i64
  br label %if.end9

described.exit:
  call void @llvm.lifetime.end.p0(ptr nonnull %key.i) #16
  br label %cleanup16

if.end9:
  %address.1 = phi i64 [ %25, %described.exit.thread ], [ %add, %cond.end ]
  %26 = load i64, ptr %arrayidx, align 8
  %arrayidx11 = getelementptr inbounds i64, ptr %slots, i64 %26
  store i64 %address.1, ptr %arrayidx11, align 8
  %inc = add nuw nsw i64 %i.048, 1
  %27 = load i64, ptr %moving, align 8
  %cmp.not = icmp slt i64 %inc, %27
  br i1 %cmp.not, label %for.body, label %cleanup16

cleanup16:
  %cmp46 = phi i1 [ false, %described.exit ], [ true, %entry ], [ true, %if.end9 ]
  ret i1 %cmp46
}

declare ptr @PyTuple_New(i64 noundef) local_unnamed_addr

declare i32 @PyTuple_SetItem(ptr noundef, i64 noundef, ptr noundef) local_unnamed_addr

define internal fastcc noundef i1 @key_buffers(ptr noundef nonnull captures(none) %k, ptr noundef readonly captures(none) %list) unnamed_addr #13 {
entry:
  %count = getelementptr inbounds nuw i8, ptr %list, i64 16
  %0 = load i64, ptr %count, align 8
  %cmp82 = icmp slt i64 %0, 1
  br i1 %cmp82, label %cleanup35, label %for.body.lr.ph

for.body.lr.ph:
  %items = getelementptr inbounds nuw i8, ptr %list, i64 32
  %bases = getelementptr inbounds nuw i8, ptr %k, i64 24
  %base = getelementptr inbounds nuw i8, ptr %k, i64 4128
  %key.i64 = getelementptr inbounds nuw i8, ptr %k, i64 32
  %hash.i67 = getelementptr inbounds nuw i8, ptr %k, i64 8
  br label %for.body

for.body:
  %i.083 = phi i64 [ 0, %for.body.lr.ph ], [ %inc34, %for.inc33 ]
  %1 = load ptr, ptr %items, align 8
  %arrayidx = getelementptr inbounds nuw ptr, ptr %1, i64 %i.083
  %2 = load ptr, ptr %arrayidx, align 8
  %data = getelementptr inbounds nuw i8, ptr %2, i64 24
  %3 = load ptr, ptr %data, align 8
  %4 = ptrtoint ptr %3 to i64
  %5 = load i64, ptr %bases, align 8
  %cmp1 = icmp eq i64 %5, 64
  br i1 %cmp1, label %cleanup35, label %lor.lhs.false

lor.lhs.false:
  %rank = getelementptr inbounds nuw i8, ptr %2, i64 32
  %6 = load i64, ptr %rank, align 8
  %cmp2 = icmp sgt i64 %6, 255
  br i1 %cmp2, label %cleanup35, label %while.cond.preheader

while.cond.preheader:
  %cmp477 = icmp sgt i64 %5, 0
  br i1 %cmp477, label %land.rhs, label %while.end

land.rhs:
  %first.078 = phi i64 [ %inc, %while.body ], [ 0, %while.cond.preheader ]
  %arrayidx5 = getelementptr inbounds nuw i64, ptr %base, i64 %first.078
  %7 = load i64, ptr %arrayidx5, align 8
  %cmp6.not = icmp eq i64 %7, %4
  br i1 %cmp6.not, label %while.end.loopexit, label %while.body

while.body:
  %inc = add nuw nsw i64 %first.078, 1
  %exitcond.not = icmp eq i64 %inc, %5
  br i1 %exitcond.not, label %while.end.loopexit, label %land.rhs

while.end.loopexit:
  %first.0.lcssa.ph = phi i64 [ %first.078, %land.rhs ], [ %5, %while.body ]
  %8 = shl i64 %first.0.lcssa.ph, 48
  br label %while.end

while.end:
  %first.0.lcssa = phi i64 [ 0, %while.cond.preheader ], [ %8, %while.end.loopexit ]
  %9 = load i64, ptr %k, align 8
  %cmp.i62.not = icmp eq i64 %9, 512
  br i1 %cmp.i62.not, label %cleanup35, label %key_word.exit70

key_word.exit70:
  %shl = shl i64 %6, 32
  %dtype = getelementptr inbounds nuw i8, ptr %2, i64 16
  %10 = load i32, ptr %dtype, align 8
  %conv = zext i32 %10 to i64
  %and = shl i64 %4, 40
  %shl8 = and i64 %and, 139637976727552
  %or = or i64 %shl, %shl8
  %or9 = or i64 %or, %first.0.lcssa
  %or11 = or disjoint i64 %or9, %conv
  %inc.i65 = add i64 %9, 1
  store i64 %inc.i65, ptr %k, align 8
  %arrayidx.i66 = getelementptr inbounds i64, ptr %key.i64, i64 %9
  store i64 %or11, ptr %arrayidx.i66, align 8
  %11 = load i64, ptr %hash.i67, align 8
  %or.i.i68 = tail call i64 @llvm.fshl.i64(i64 %11, i64 %11, i64 11)
  %xor.i.i69 = xor i64 %or.i.i68, %or11
  store i64 %xor.i.i69, ptr %hash.i67, align 8
  %12 = load i64, ptr %rank, align 8
  %cmp16.not80 = icmp sgt i64 %12, 0
  br i1 %cmp16.not80, label %for.body19.lr.ph, label %for.inc33

for.body19.lr.ph:
  %dims = getelementptr inbounds nuw i8, ptr %2, i64 40
  br label %for.body19

for.body19:
  %d.081 = phi i64 [ 0, %for.body19.lr.ph ], [ %inc24, %for.inc ]
  %13 = load i64, ptr %k, align 8
  %cmp.i.not = icmp eq i64 %13, 512
  br i1 %cmp.i.not, label %cleanup35, label %for.inc

for.inc:
  %14 = load ptr, ptr %dims, align 8
  %arrayidx20 = getelementptr inbounds nuw i64, ptr %14, i64 %d.081
  %15 = load i64, ptr %arrayidx20, align 8
  %inc.i = add i64 %13, 1
  store i64 %inc.i, ptr %k, align 8
  %arrayidx.i = getelementptr inbounds i64, ptr %key.i64, i64 %13
  store i64 %15, ptr %arrayidx.i, align 8
  %16 = load i64, ptr %hash.i67, align 8
  %or.i.i = tail call i64 @llvm.fshl.i64(i64 %16, i64 %16, i64 11)
  %xor.i.i = xor i64 %or.i.i, %15
  store i64 %xor.i.i, ptr %hash.i67, align 8
  %inc24 = add nuw nsw i64 %d.081, 1
  %17 = load i64, ptr %rank, align 8
  %cmp16.not = icmp slt i64 %inc24, %17
  br i1 %cmp16.not, label %for.body19, label %for.inc33

for.inc33:
  %18 = load i64, ptr %bases, align 8
  %inc27 = add i64 %18, 1
  store i64 %inc27, ptr %bases, align 8
  %arrayidx28 = getelementptr inbounds i64, ptr %base, i64 %18
  store i64 %4, ptr %arrayidx28, align 8
  %inc34 = add nuw nsw i64 %i.083, 1
  %19 = load i64, ptr %count, align 8
  %cmp.not = icmp slt i64 %inc34, %19
  br i1 %cmp.not, label %for.body, label %cleanup35

cleanup35:
  %cmp76 = phi i1 [ false, %for.body19 ], [ true, %entry ], [ true, %for.inc33 ], [ false, %for.body ], [ false, %lor.lhs.false ], [ false, %while.end ]
  ret i1 %cmp76
}

define internal fastcc noundef i1 @made_again(ptr noundef captures(none) %x, ptr noundef %f, ptr noundef nonnull readonly captures(none) %c, ptr noundef nonnull %k, ptr noundef nonnull writeonly captures(none) initializes((0, 8)) %error) unnamed_addr #0 {
entry:
  %gone.i126 = alloca %struct.XlaFailure, align 8
  %had.i = alloca i64, align 8
  %gone.i = alloca %struct.XlaFailure, align 8
  %take = alloca %struct.XlaTake, align 8
  %give = alloca %struct.XlaGive, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %take) #16
  store i64 48, ptr %take, align 8
  %extension = getelementptr inbounds nuw i8, ptr %take, i64 8
  store ptr null, ptr %extension, align 8
  %context = getelementptr inbounds nuw i8, ptr %take, i64 16
  %context1 = getelementptr inbounds nuw i8, ptr %f, i64 24
  %0 = load ptr, ptr %context1, align 8
  store ptr %0, ptr %context, align 8
  %bytes = getelementptr inbounds nuw i8, ptr %take, i64 24
  %room = getelementptr inbounds nuw i8, ptr %c, i64 56
  %1 = load i64, ptr %room, align 8
  %sub = add i64 %1, 112
  store i64 %sub, ptr %bytes, align 8
  %alignment = getelementptr inbounds nuw i8, ptr %take, i64 32
  store i64 16, ptr %alignment, align 8
  %data = getelementptr inbounds nuw i8, ptr %take, i64 40
  store ptr null, ptr %data, align 8
  store ptr null, ptr %error, align 8
  %bases = getelementptr inbounds nuw i8, ptr %k, i64 24
  %2 = load i64, ptr %bases, align 8
  %making = getelementptr inbounds nuw i8, ptr %c, i64 64
  %3 = load i64, ptr %making, align 8
  %add3 = add i64 %3, %2
  %cmp = icmp sgt i64 %add3, 64
  br i1 %cmp, label %cleanup, label %lor.lhs.false

lor.lhs.false:
  %watched.i = getelementptr inbounds nuw i8, ptr %c, i64 104
  %4 = load i64, ptr %watched.i, align 8
  %tobool.not.i = icmp eq i64 %4, 0
  br i1 %tobool.not.i, label %lor.lhs.false4, label %if.end.i

if.end.i:
  %call.i = tail call i32 @PyGILState_Ensure() #15
  %context.i = getelementptr inbounds nuw i8, ptr %c, i64 96
  %5 = load ptr, ptr %context.i, align 8
  %watches.i = getelementptr inbounds nuw i8, ptr %c, i64 112
  %6 = load ptr, ptr %watches.i, align 8
  %7 = load i64, ptr %watched.i, align 8
  %tagged1.i.i = getelementptr inbounds nuw i8, ptr %5, i64 240
  %8 = load i64, ptr %tagged1.i.i, align 8
  %cmp.i.i = icmp ne i64 %8, 0
  %add.ptr.idx.i.i = shl nsw i64 %7, 5
  %add.ptr.i.i = getelementptr inbounds i8, ptr %6, i64 %add.ptr.idx.i.i
  %cmp2.not49.i.i = icmp slt i64 %7, 1
  br i1 %cmp2.not49.i.i, label %lor.lhs.false4.critedge, label %for.body.i.i

for.body.i.i:
  %w.050.i.i = phi ptr [ %incdec.ptr.i.i, %for.inc.i.i ], [ %6, %if.end.i ]
  %name.i.i = getelementptr inbounds nuw i8, ptr %w.050.i.i, i64 8
  %9 = load ptr, ptr %name.i.i, align 8
  %cmp3.i.i = icmp ugt ptr %9, inttoptr (i64 1 to ptr)
  br i1 %cmp3.i.i, label %if.then.i.i, label %if.end13.i.i

if.then.i.i:
  %10 = load ptr, ptr %w.050.i.i, align 8
  %11 = getelementptr inbounds nuw i8, ptr %10, i64 24
  %12 = load i64, ptr %11, align 8
  %tag.i.i = getelementptr inbounds nuw i8, ptr %w.050.i.i, i64 24
  %13 = load i64, ptr %tag.i.i, align 8
  %cmp5.i.i = icmp eq i64 %12, %13
  %or.cond.i.i = select i1 %cmp5.i.i, i1 %cmp.i.i, i1 false
  br i1 %or.cond.i.i, label %for.inc.i.i, label %if.end.i.i

if.end.i.i:
  %call.i.i = tail call ptr @PyDict_GetItemWithError(ptr noundef nonnull %10, ptr noundef nonnull %9) #15
  %value.i.i = getelementptr inbounds nuw i8, ptr %w.050.i.i, i64 16
  %14 = load ptr, ptr %value.i.i, align 8
  %cmp8.not.i.i = icmp eq ptr %call.i.i, %14
  br i1 %cmp8.not.i.i, label %if.end10.i.i, label %as_it_was.exit

if.end10.i.i:
  store i64 %12, ptr %tag.i.i, align 8
  br label %for.inc.i.i

if.end13.i.i:
  %tobool.not.i.i = icmp eq ptr %9, null
  %15 = load ptr, ptr %w.050.i.i, align 8
  br i1 %tobool.not.i.i, label %if.else.i.i, label %if.then15.i.i

if.then15.i.i:
  %16 = load ptr, ptr %15, align 8
  br label %if.end22.i.i

if.else.i.i:
  %call18.i.i = tail call ptr @PyCell_Get(ptr noundef %15) #15
  %tobool19.not.i.i = icmp eq ptr %call18.i.i, null
  br i1 %tobool19.not.i.i, label %if.end22.i.i, label %if.then20.i.i

if.then20.i.i:
  tail call void @Py_DecRef(ptr noundef nonnull %call18.i.i) #15
  br label %if.end22.i.i

if.end22.i.i:
  %have.0.i.i = phi ptr [ %16, %if.then15.i.i ], [ %call18.i.i, %if.then20.i.i ], [ null, %if.else.i.i ]
  %value23.i.i = getelementptr inbounds nuw i8, ptr %w.050.i.i, i64 16
  %17 = load ptr, ptr %value23.i.i, align 8
  %cmp24.not.i.i = icmp eq ptr %have.0.i.i, %17
  br i1 %cmp24.not.i.i, label %for.inc.i.i, label %as_it_was.exit

for.inc.i.i:
  %incdec.ptr.i.i = getelementptr inbounds nuw i8, ptr %w.050.i.i, i64 32
  %cmp2.not.not.i.i = icmp ult ptr %incdec.ptr.i.i, %add.ptr.i.i
  br i1 %cmp2.not.not.i.i, label %for.body.i.i, label %lor.lhs.false4.critedge

as_it_was.exit:
  tail call void @PyErr_Clear() #15
  tail call void @PyGILState_Release(i32 noundef %call.i) #15
  br label %cleanup

lor.lhs.false4.critedge:
  tail call void @PyErr_Clear() #15
  tail call void @PyGILState_Release(i32 noundef %call.i) #15
  br label %lor.lhs.false4

lor.lhs.false4:
  %member = getelementptr inbounds nuw i8, ptr %c, i64 88
  %18 = load ptr, ptr %member, align 8
  %tobool.not.i100 = icmp eq ptr %18, null
  br i1 %tobool.not.i100, label %if.end, label %if.end.i101

if.end.i101:
  %19 = load ptr, ptr %18, align 8
  %20 = load atomic i64, ptr %19 monotonic, align 8
  %tobool1.not.i = icmp eq i64 %20, 0
  br i1 %tobool1.not.i, label %lor.lhs.false.i, label %cleanup

lor.lhs.false.i:
  %failed.i = getelementptr inbounds nuw i8, ptr %18, i64 8
  %21 = load atomic i64, ptr %failed.i monotonic, align 8
  %tobool3.not.i = icmp eq i64 %21, 0
  br i1 %tobool3.not.i, label %joined.exit, label %cleanup

joined.exit:
  %touched.i = getelementptr inbounds nuw i8, ptr %18, i64 16
  %22 = atomicrmw add ptr %touched.i, i64 1 seq_cst, align 8
  %looking.i = getelementptr inbounds nuw i8, ptr %18, i64 24
  %23 = load atomic i64, ptr %looking.i seq_cst, align 8
  %cmp.i103.not = icmp eq i64 %23, 0
  br i1 %cmp.i103.not, label %cleanup, label %if.end

if.end:
  %24 = load i64, ptr %room, align 8
  %tobool.not = icmp eq i64 %24, 0
  br i1 %tobool.not, label %if.end24, label %if.then7

if.then7:
  %api1.i93 = getelementptr inbounds nuw i8, ptr %f, i64 16
  %25 = load ptr, ptr %api1.i93, align 8
  %26 = load i64, ptr %25, align 8
  %cmp.i94 = icmp ult i64 %26, 128
  br i1 %cmp.i94, label %cleanup, label %asks.exit99

asks.exit99:
  %arrayidx3.i97 = getelementptr inbounds nuw i8, ptr %25, i64 120
  %27 = load ptr, ptr %arrayidx3.i97, align 8
  %tobool9.not = icmp eq ptr %27, null
  br i1 %tobool9.not, label %cleanup, label %asks.exit92

asks.exit92:
  %call12 = call ptr %27(ptr noundef nonnull %take) #15
  call void @llvm.lifetime.start.p0(ptr nonnull %gone.i) #16
  store i64 24, ptr %gone.i, align 8
  %extension.i = getelementptr inbounds nuw i8, ptr %gone.i, i64 8
  store ptr null, ptr %extension.i, align 8
  %error1.i = getelementptr inbounds nuw i8, ptr %gone.i, i64 16
  store ptr %call12, ptr %error1.i, align 8
  %message.i = getelementptr inbounds nuw i8, ptr %gone.i, i64 24
  store ptr null, ptr %message.i, align 8
  %tobool.i.not = icmp eq ptr %call12, null
  br i1 %tobool.i.not, label %if.end15, label %erred.exit.thread

erred.exit.thread:
  %28 = load ptr, ptr %api1.i93, align 8
  %arrayidx.i = getelementptr inbounds nuw i8, ptr %28, i64 64
  %29 = load ptr, ptr %arrayidx.i, align 8
  %call.i105 = call ptr %29(ptr noundef nonnull %gone.i) #15
  call void @llvm.lifetime.end.p0(ptr nonnull %gone.i) #16
  br label %cleanup

if.end15:
  call void @llvm.lifetime.end.p0(ptr nonnull %gone.i) #16
  %30 = load ptr, ptr %data, align 8
  %31 = ptrtoint ptr %30 to i64
  %add17 = add i64 %31, 127
  %and = and i64 %add17, -128
  %32 = load i64, ptr %making, align 8
  %cmp19151 = icmp sgt i64 %32, 0
  br i1 %cmp19151, label %for.body.lr.ph, label %if.end24

for.body.lr.ph:
  %starts = getelementptr inbounds nuw i8, ptr %c, i64 72
  %base = getelementptr inbounds nuw i8, ptr %k, i64 4128
  br label %for.body

for.body:
  %i.0152 = phi i64 [ 0, %for.body.lr.ph ], [ %inc, %for.body ]
  %33 = load ptr, ptr %starts, align 8
  %arrayidx = getelementptr inbounds nuw i64, ptr %33, i64 %i.0152
  %34 = load i64, ptr %arrayidx, align 8
  %add20 = add i64 %34, %and
  %35 = load i64, ptr %bases, align 8
  %36 = getelementptr i64, ptr %base, i64 %35
  %arrayidx23 = getelementptr i64, ptr %36, i64 %i.0152
  store i64 %add20, ptr %arrayidx23, align 8
  %inc = add nuw nsw i64 %i.0152, 1
  %37 = load i64, ptr %making, align 8
  %cmp19 = icmp slt i64 %inc, %37
  br i1 %cmp19, label %for.body, label %if.end24

if.end24:
  %steps = getelementptr inbounds nuw i8, ptr %c, i64 32
  %38 = load i64, ptr %steps, align 8
  %39 = mul i64 %38, 3584
  %mul = add i64 %39, 3584
  %40 = alloca i8, i64 %mul, align 16
  %41 = ptrtoint ptr %40 to i64
  %add26 = add i64 %41, 63
  %and27 = and i64 %add26, -64
  %42 = inttoptr i64 %and27 to ptr
  %base28 = getelementptr inbounds nuw i8, ptr %k, i64 4128
  %lock.i.i = getelementptr inbounds nuw i8, ptr %x, i64 16
  %43 = atomicrmw xchg ptr %lock.i.i, i64 1 acquire, align 8
  %tobool.not1.i.i = icmp eq i64 %43, 0
  br i1 %tobool.not1.i.i, label %lock_maps.exit.i, label %while.body.i.i

while.body.i.i:
  %call.i.i106 = call i32 @sched_yield() #15
  %44 = atomicrmw xchg ptr %lock.i.i, i64 1 acquire, align 8
  %tobool.not.i.i107 = icmp eq i64 %44, 0
  br i1 %tobool.not.i.i107, label %lock_maps.exit.i, label %while.body.i.i

lock_maps.exit.i:
  %45 = load i64, ptr %steps, align 8
  %cmp9.i = icmp sgt i64 %45, 0
  br i1 %cmp9.i, label %for.body.lr.ph.i, label %placed_all.exit.thread

placed_all.exit.thread:
  store atomic i64 0, ptr %lock.i.i release, align 8
  br label %if.then30

for.body.lr.ph.i:
  %launch.i = getelementptr inbounds nuw i8, ptr %c, i64 48
  br label %for.body.i

for.body.i:
  %i.010.i = phi i64 [ 0, %for.body.lr.ph.i ], [ %inc.i, %for.body.i ]
  %46 = load ptr, ptr %launch.i, align 8
  %arrayidx.i108 = getelementptr inbounds nuw %struct.RepeatLaunch, ptr %46, i64 %i.010.i
  %arrayidx1.i = getelementptr inbounds nuw %struct.Room, ptr %42, i64 %i.010.i
  %call.i109 = call fastcc i1 @placed(ptr noundef %arrayidx.i108, ptr noundef nonnull readonly %base28, ptr noundef %arrayidx1.i) #17
  %inc.i = add nuw nsw i64 %i.010.i, 1
  %47 = load i64, ptr %steps, align 8
  %cmp.i110 = icmp slt i64 %inc.i, %47
  %48 = and i1 %call.i109, %cmp.i110
  br i1 %48, label %for.body.i, label %placed_all.exit

placed_all.exit:
  store atomic i64 0, ptr %lock.i.i release, align 8
  br i1 %call.i109, label %if.then30, label %if.end38

if.then30:
  call void @llvm.lifetime.start.p0(ptr nonnull %had.i) #16
  store i64 0, ptr %had.i, align 8
  %home.i = getelementptr inbounds nuw i8, ptr %c, i64 80
  %49 = load ptr, ptr %home.i, align 8
  %tobool.not.i111 = icmp eq ptr %49, null
  br i1 %tobool.not.i111, label %if.end16.i, label %if.then.i112

if.then.i112:
  %get.i = getelementptr inbounds nuw i8, ptr %49, i64 16
  %50 = load ptr, ptr %get.i, align 8
  %call.i113 = call i32 %50(ptr noundef nonnull %had.i) #15
  %tobool2.not.i = icmp eq i32 %call.i113, 0
  br i1 %tobool2.not.i, label %if.end.i115, label %taken.exit.thread

if.end.i115:
  %51 = load i64, ptr %had.i, align 8
  %52 = load ptr, ptr %home.i, align 8
  %word.i = getelementptr inbounds nuw i8, ptr %52, i64 32
  %53 = load i64, ptr %word.i, align 8
  %cmp.not.i = icmp eq i64 %51, %53
  br i1 %cmp.not.i, label %if.end16.i, label %land.lhs.true.i

land.lhs.true.i:
  %set.i = getelementptr inbounds nuw i8, ptr %52, i64 24
  %54 = load ptr, ptr %set.i, align 8
  %call10.i = call i32 %54(i64 noundef %53) #15
  %tobool12.not.i = icmp eq i32 %call10.i, 0
  br i1 %tobool12.not.i, label %if.end16.i, label %taken.exit.thread

if.end16.i:
  %away.0.shrunk.i = phi i1 [ true, %land.lhs.true.i ], [ false, %if.end.i115 ], [ false, %if.then30 ]
  %55 = load i64, ptr %steps, align 8
  %cmp1751.i = icmp sgt i64 %55, 0
  br i1 %cmp1751.i, label %for.body.lr.ph.i117, label %for.cond.cleanup.i

for.body.lr.ph.i117:
  %step20.i = getelementptr inbounds nuw i8, ptr %c, i64 40
  %launch.i118 = getelementptr inbounds nuw i8, ptr %c, i64 48
  br label %for.body.i119

for.cond.cleanup.i:
  %step.0 = phi i64 [ 0, %if.end16.i ], [ %i.052.i, %step_taken.exit.i ]
  %status.1.lcssa.i = phi i64 [ 0, %if.end16.i ], [ %retval.0.i.i, %step_taken.exit.i ]
  br i1 %away.0.shrunk.i, label %if.then26.i, label %taken.exit

for.body.i119:
  %i.052.i = phi i64 [ 0, %for.body.lr.ph.i117 ], [ %inc.i124, %step_taken.exit.i ]
  %56 = load ptr, ptr %step20.i, align 8
  %arrayidx.i120 = getelementptr inbounds nuw %struct.XlaStep, ptr %56, i64 %i.052.i
  %arrayidx21.i = getelementptr inbounds nuw %struct.Room, ptr %42, i64 %i.052.i
  %57 = load ptr, ptr %arrayidx.i120, align 8
  %tobool.not.i.i121 = icmp eq ptr %57, null
  br i1 %tobool.not.i.i121, label %if.end.i.i125, label %if.then.i.i122

if.then.i.i122:
  %58 = load ptr, ptr %launch.i118, align 8
  %arrayidx22.i = getelementptr inbounds nuw %struct.RepeatLaunch, ptr %58, i64 %i.052.i
  %blocks.i = getelementptr inbounds nuw i8, ptr %arrayidx22.i, i64 48
  %call.i.i123 = call i64 @ave_launch_gpu(ptr noundef nonnull %57, ptr noundef %arrayidx21.i, ptr noundef nonnull readonly %blocks.i) #17
  br label %step_taken.exit.i

if.end.i.i125:
  %function.i.i = getelementptr inbounds nuw i8, ptr %arrayidx.i120, i64 8
  %59 = load ptr, ptr %function.i.i, align 8
  %60 = load i64, ptr %arrayidx21.i, align 64
  %arrayidx2.i.i = getelementptr inbounds nuw i8, ptr %arrayidx21.i, i64 8
  %61 = load i64, ptr %arrayidx2.i.i, align 8
  %arrayidx3.i.i = getelementptr inbounds nuw i8, ptr %arrayidx21.i, i64 16
  %62 = load i64, ptr %arrayidx3.i.i, align 16
  %arrayidx4.i.i = getelementptr inbounds nuw i8, ptr %arrayidx21.i, i64 24
  %63 = load i64, ptr %arrayidx4.i.i, align 8
  %arrayidx5.i.i = getelementptr inbounds nuw i8, ptr %arrayidx21.i, i64 32
  %64 = load i64, ptr %arrayidx5.i.i, align 32
  %arrayidx6.i.i = getelementptr inbounds nuw i8, ptr %arrayidx21.i, i64 40
  %65 = load i64, ptr %arrayidx6.i.i, align 8
  %call7.i.i = call i32 %59(i64 noundef %60, i64 noundef %61, i64 noundef %62, i64 noundef %63, i64 noundef %64, i64 noundef %65) #15
  %conv.i.i = zext i32 %call7.i.i to i64
  br label %step_taken.exit.i

step_taken.exit.i:
  %retval.0.i.i = phi i64 [ %call.i.i123, %if.then.i.i122 ], [ %conv.i.i, %if.end.i.i125 ]
  %inc.i124 = add nuw nsw i64 %i.052.i, 1
  %66 = load i64, ptr %steps, align 8
  %cmp17.i = icmp slt i64 %inc.i124, %66
  %tobool19.not.i = icmp eq i64 %retval.0.i.i, 0
  %67 = select i1 %cmp17.i, i1 %tobool19.not.i, i1 false
  br i1 %67, label %for.body.i119, label %for.cond.cleanup.i

if.then26.i:
  %68 = load ptr, ptr %home.i, align 8
  %set28.i = getelementptr inbounds nuw i8, ptr %68, i64 24
  %69 = load ptr, ptr %set28.i, align 8
  %70 = load i64, ptr %had.i, align 8
  %call29.i = call i32 %69(i64 noundef %70) #15
  br label %taken.exit

taken.exit.thread:
  %call.i113.sink = phi i32 [ %call.i113, %if.then.i112 ], [ %call10.i, %land.lhs.true.i ]
  %.sink = phi i64 [ 4294967296, %if.then.i112 ], [ 8589934592, %land.lhs.true.i ]
  %conv.i = zext i32 %call.i113.sink to i64
  %or.i = or disjoint i64 %.sink, %conv.i
  call void @llvm.lifetime.end.p0(ptr nonnull %had.i) #16
  br label %if.then33

taken.exit:
  call void @llvm.lifetime.end.p0(ptr nonnull %had.i) #16
  %tobool32.not = icmp eq i64 %status.1.lcssa.i, 0
  br i1 %tobool32.not, label %if.end37, label %if.then33

if.then33:
  %retval.0.i114150 = phi i64 [ %or.i, %taken.exit.thread ], [ %status.1.lcssa.i, %taken.exit ]
  %step.1149 = phi i64 [ 0, %taken.exit.thread ], [ %step.0, %taken.exit ]
  %failed = getelementptr inbounds nuw i8, ptr %x, i64 56
  %71 = load ptr, ptr %failed, align 8
  %number = getelementptr inbounds nuw i8, ptr %c, i64 120
  %72 = load i64, ptr %number, align 8
  %call36 = call ptr %71(ptr noundef %f, i64 noundef %72, i64 noundef %step.1149, i64 noundef %retval.0.i114150, ptr noundef nonnull %base28) #15
  store ptr %call36, ptr %error, align 8
  br label %if.end37

if.end37:
  %served = getelementptr inbounds nuw i8, ptr %x, i64 24
  %73 = atomicrmw add ptr %served, i64 1 monotonic, align 8
  br label %if.end38

if.end38:
  %all.0.lcssa.i144 = phi i1 [ true, %if.end37 ], [ false, %placed_all.exit ]
  %74 = load i64, ptr %room, align 8
  %tobool40.not = icmp eq i64 %74, 0
  br i1 %tobool40.not, label %cleanup, label %if.then41

if.then41:
  call void @llvm.lifetime.start.p0(ptr nonnull %give) #16
  store i64 40, ptr %give, align 8
  %extension43 = getelementptr inbounds nuw i8, ptr %give, i64 8
  store ptr null, ptr %extension43, align 8
  %context44 = getelementptr inbounds nuw i8, ptr %give, i64 16
  %75 = load ptr, ptr %context1, align 8
  store ptr %75, ptr %context44, align 8
  %bytes46 = getelementptr inbounds nuw i8, ptr %give, i64 24
  %76 = load i64, ptr %bytes, align 8
  store i64 %76, ptr %bytes46, align 8
  %data48 = getelementptr inbounds nuw i8, ptr %give, i64 32
  %77 = load ptr, ptr %data, align 8
  store ptr %77, ptr %data48, align 8
  %api1.i = getelementptr inbounds nuw i8, ptr %f, i64 16
  %78 = load ptr, ptr %api1.i, align 8
  %arrayidx3.i = getelementptr inbounds nuw i8, ptr %78, i64 128
  %79 = load ptr, ptr %arrayidx3.i, align 8
  %call51 = call ptr %79(ptr noundef nonnull %give) #15
  call void @llvm.lifetime.start.p0(ptr nonnull %gone.i126) #16
  store i64 24, ptr %gone.i126, align 8
  %extension.i127 = getelementptr inbounds nuw i8, ptr %gone.i126, i64 8
  store ptr null, ptr %extension.i127, align 8
  %error1.i128 = getelementptr inbounds nuw i8, ptr %gone.i126, i64 16
  store ptr %call51, ptr %error1.i128, align 8
  %message.i129 = getelementptr inbounds nuw i8, ptr %gone.i126, i64 24
  store ptr null, ptr %message.i129, align 8
  %tobool.i130.not = icmp eq ptr %call51, null
  br i1 %tobool.i130.not, label %erred.exit136, label %if.then.i132

if.then.i132:
  %80 = load ptr, ptr %api1.i, align 8
  %arrayidx.i134 = getelementptr inbounds nuw i8, ptr %80, i64 64
  %81 = load ptr, ptr %arrayidx.i134, align 8
  %call.i135 = call ptr %81(ptr noundef nonnull %gone.i126) #15
  br label %erred.exit136

erred.exit136:
  call void @llvm.lifetime.end.p0(ptr nonnull %gone.i126) #16
  call void @llvm.lifetime.end.p0(ptr nonnull %give) #16
  br label %cleanup

cleanup:
  %retval.0 = phi i1 [ false, %asks.exit99 ], [ false, %entry ], [ false, %joined.exit ], [ false, %as_it_was.exit ], [ false, %erred.exit.thread ], [ %all.0.lcssa.i144, %erred.exit136 ], [ %all.0.lcssa.i144, %if.end38 ], [ false, %if.end.i101 ], [ false, %lor.lhs.false.i ], [ false, %if.then7 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %take) #16
  ret i1 %retval.0
}

declare ptr @getenv(ptr noundef) local_unnamed_addr

declare i32 @PyGILState_Ensure() local_unnamed_addr

declare void @PyGILState_Release(i32 noundef) local_unnamed_addr

declare i64 @llvm.umin.i64(i64, i64) #14

declare i64 @llvm.fshl.i64(i64, i64, i64) #14

declare i64 @llvm.umax.i64(i64, i64) #14

declare i64 @llvm.smax.i64(i64, i64) #14

declare i64 @llvm.smin.i64(i64, i64) #14

attributes #0 = { nounwind }
attributes #2 = { mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #3 = { nofree norecurse nosync nounwind memory(readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none) }
attributes #4 = { mustprogress nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #5 = { nofree norecurse nosync nounwind memory(argmem: read) }
attributes #6 = { noinline nounwind }
attributes #7 = { nofree norecurse nounwind memory(readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none) }
attributes #8 = { mustprogress nofree norecurse nounwind willreturn memory(argmem: readwrite) }
attributes #9 = { noreturn nounwind }
attributes #10 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #11 = { mustprogress nocallback nofree nounwind willreturn memory(argmem: write) }
attributes #12 = { mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #13 = { nofree norecurse nosync nounwind memory(read, argmem: readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none) }
attributes #14 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #15 = { nobuiltin nounwind }
attributes #16 = { nounwind }
attributes #17 = { nobuiltin }
