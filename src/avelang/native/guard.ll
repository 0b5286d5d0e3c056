; Made by `./dev native` of guard.c, SHA-256 d7cd837f30240eb3b2fceae230b074dbb2e31540836445d2823ee9d528dd73ef

@ave_length = local_unnamed_addr global i64 0, align 8
@place = internal global [64 x i64] zeroinitializer, align 64
@inside = internal global ptr null, align 8
@ave_real_exit = local_unnamed_addr global ptr null, align 8
@ave_real_abort = local_unnamed_addr global ptr null, align 8
@ave_real_write = local_unnamed_addr global ptr null, align 8
@ave_said = local_unnamed_addr global [8192 x i8] zeroinitializer, align 16

define i64 @ave_guarded(ptr noundef readonly captures(none) %function, i64 noundef %a, i64 noundef %b, i64 noundef %c, i64 noundef %d, ptr noundef writeonly captures(none) initializes((0, 8)) %ended) local_unnamed_addr #0 {
entry:
  store i64 0, ptr @ave_length, align 8
  store i64 1, ptr %ended, align 8
  %call = call i32 @_setjmp(ptr noundef nonnull @place) #4
  %tobool.not = icmp eq i32 %call, 0
  br i1 %tobool.not, label %if.end, label %if.then

if.then:
  store volatile ptr null, ptr @inside, align 8
  br label %return

if.end:
  %call1 = call ptr @pthread_self() #5
  store volatile ptr %call1, ptr @inside, align 8
  %call2 = call i64 %function(i64 noundef %a, i64 noundef %b, i64 noundef %c, i64 noundef %d) #5
  store volatile ptr null, ptr @inside, align 8
  store i64 0, ptr %ended, align 8
  br label %return

return:
  %retval.0 = phi i64 [ 0, %if.then ], [ %call2, %if.end ]
  ret i64 %retval.0
}

declare i32 @_setjmp(ptr noundef) local_unnamed_addr #1

declare ptr @pthread_self() local_unnamed_addr

define void @ave_exit(i32 noundef %status) local_unnamed_addr #0 {
entry:
  %0 = load volatile ptr, ptr @inside, align 8
  %call = tail call ptr @pthread_self() #5
  %cmp = icmp eq ptr %0, %call
  br i1 %cmp, label %if.then, label %if.end

if.then:
  tail call void @longjmp(ptr noundef nonnull @place, i32 noundef 1) #6
  unreachable

if.end:
  %1 = load ptr, ptr @ave_real_exit, align 8
  tail call void %1(i32 noundef %status) #5
  ret void
}

declare void @longjmp(ptr noundef, i32 noundef) local_unnamed_addr #3

define void @ave_abort() local_unnamed_addr #0 {
entry:
  %0 = load volatile ptr, ptr @inside, align 8
  %call = tail call ptr @pthread_self() #5
  %cmp = icmp eq ptr %0, %call
  br i1 %cmp, label %if.then, label %if.end

if.then:
  tail call void @longjmp(ptr noundef nonnull @place, i32 noundef 1) #6
  unreachable

if.end:
  %1 = load ptr, ptr @ave_real_abort, align 8
  tail call void %1() #5
  ret void
}

define i64 @ave_write(i32 noundef %file, ptr noundef %bytes, i64 noundef %count) local_unnamed_addr #0 {
entry:
  %cmp.not = icmp eq i32 %file, 2
  br i1 %cmp.not, label %lor.lhs.false, label %if.then

lor.lhs.false:
  %0 = load volatile ptr, ptr @inside, align 8
  %call = tail call ptr @pthread_self() #5
  %cmp1.not = icmp eq ptr %0, %call
  br i1 %cmp1.not, label %for.cond.preheader, label %if.then

for.cond.preheader:
  %ave_length.promoted = load i64, ptr @ave_length, align 8
  %cmp314 = icmp ne i64 %count, 0
  %cmp415 = icmp ult i64 %ave_length.promoted, 8192
  %1 = select i1 %cmp314, i1 %cmp415, i1 false
  br i1 %1, label %for.body, label %return

if.then:
  %2 = load ptr, ptr @ave_real_write, align 8
  %call2 = tail call i64 %2(i32 noundef %file, ptr noundef %bytes, i64 noundef %count) #5
  br label %return

for.body:
  %i.017 = phi i64 [ %inc6, %for.body ], [ 0, %for.cond.preheader ]
  %inc1316 = phi i64 [ %inc, %for.body ], [ %ave_length.promoted, %for.cond.preheader ]
  %arrayidx = getelementptr inbounds nuw i8, ptr %bytes, i64 %i.017
  %3 = load i8, ptr %arrayidx, align 1
  %inc = add nuw nsw i64 %inc1316, 1
  store i64 %inc, ptr @ave_length, align 8
  %arrayidx5 = getelementptr inbounds nuw i8, ptr @ave_said, i64 %inc1316
  store i8 %3, ptr %arrayidx5, align 1
  %inc6 = add nuw nsw i64 %i.017, 1
  %cmp3 = icmp ult i64 %inc6, %count
  %cmp4 = icmp samesign ult i64 %inc1316, 8191
  %4 = and i1 %cmp3, %cmp4
  br i1 %4, label %for.body, label %return

return:
  %retval.0 = phi i64 [ %call2, %if.then ], [ %count, %for.cond.preheader ], [ %count, %for.body ]
  ret i64 %retval.0
}

attributes #0 = { nounwind }
attributes #1 = { returns_twice }
attributes #3 = { noreturn }
attributes #4 = { nobuiltin nounwind returns_twice }
attributes #5 = { nobuiltin nounwind }
attributes #6 = { nobuiltin noreturn nounwind }
