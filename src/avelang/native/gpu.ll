; Made by `./dev native` of gpu/gpu.c, SHA-256 a4d62ec44ecfbac24659c2e2a2e9a873207a1c2cad00955e0b32b3f9539c14f4

define hidden i32 @ave_fmodf(i32 noundef %x, i32 noundef %y) local_unnamed_addr #0 {
entry:
  %and = and i32 %x, 2147483647
  %and1 = and i32 %y, 2147483647
  %and2 = and i32 %x, -2147483648
  %0 = add nsw i32 %and1, -2139095041
  %or.cond = icmp ult i32 %0, -2139095040
  %cmp4 = icmp samesign ugt i32 %and, 2139095039
  %or.cond32 = select i1 %or.cond, i1 true, i1 %cmp4
  br i1 %or.cond32, label %cleanup26, label %if.end

if.end:
  %cmp5 = icmp samesign ult i32 %and, %and1
  br i1 %cmp5, label %cleanup26, label %if.end7

if.end7:
  %shr.i45 = lshr i32 %and, 23
  %tobool.not.i46 = icmp eq i32 %shr.i45, 0
  br i1 %tobool.not.i46, label %if.end.i51, label %if.then.i47

if.then.i47:
  %and.i48 = and i32 %x, 8388607
  %or.i49 = or disjoint i32 %and.i48, 8388608
  br label %ave_fmodf_normalize.exit55

if.end.i51:
  %1 = tail call range(i32 9, 33) i32 @llvm.ctlz.i32(i32 %and, i1 false)
  %sub.i52 = add nsw i32 %1, -8
  %shl.i53 = shl i32 %and, %sub.i52
  %sub1.i54 = sub nsw i32 9, %1
  br label %ave_fmodf_normalize.exit55

ave_fmodf_normalize.exit55:
  %a.2 = phi i32 [ %shl.i53, %if.end.i51 ], [ %or.i49, %if.then.i47 ]
  %retval.0.i50 = phi i32 [ %sub1.i54, %if.end.i51 ], [ %shr.i45, %if.then.i47 ]
  %shr.i = lshr i32 %and1, 23
  %tobool.not.i = icmp eq i32 %shr.i, 0
  br i1 %tobool.not.i, label %if.end.i, label %if.then.i

if.then.i:
  %and.i = and i32 %y, 8388607
  %or.i = or disjoint i32 %and.i, 8388608
  br label %ave_fmodf_normalize.exit

if.end.i:
  %2 = tail call range(i32 9, 33) i32 @llvm.ctlz.i32(i32 %and1, i1 false)
  %sub.i = add nsw i32 %2, -8
  %shl.i = shl i32 %and1, %sub.i
  %sub1.i = sub nsw i32 9, %2
  br label %ave_fmodf_normalize.exit

ave_fmodf_normalize.exit:
  %b.0 = phi i32 [ %shl.i, %if.end.i ], [ %or.i, %if.then.i ]
  %retval.0.i = phi i32 [ %sub1.i, %if.end.i ], [ %shr.i, %if.then.i ]
  %cmp9.not61 = icmp ult i32 %a.2, %b.0
  %sub62 = select i1 %cmp9.not61, i32 0, i32 %b.0
  %spec.select63 = sub nuw i32 %a.2, %sub62
  %cmp12.not64 = icmp sgt i32 %retval.0.i50, %retval.0.i
  br i1 %cmp12.not64, label %for.inc, label %for.end

for.inc:
  %spec.select66 = phi i32 [ %spec.select, %for.inc ], [ %spec.select63, %ave_fmodf_normalize.exit ]
  %k.065 = phi i32 [ %dec, %for.inc ], [ %retval.0.i50, %ave_fmodf_normalize.exit ]
  %dec = add nsw i32 %k.065, -1
  %shl = shl i32 %spec.select66, 1
  %cmp9.not = icmp ult i32 %shl, %b.0
  %sub = select i1 %cmp9.not, i32 0, i32 %b.0
  %spec.select = sub nuw i32 %shl, %sub
  %cmp12.not = icmp sgt i32 %dec, %retval.0.i
  br i1 %cmp12.not, label %for.inc, label %for.end

for.end:
  %a.0.lcssa = phi i32 [ %a.2, %ave_fmodf_normalize.exit ], [ %shl, %for.inc ]
  %sub.lcssa = phi i32 [ %sub62, %ave_fmodf_normalize.exit ], [ %sub, %for.inc ]
  %spec.select.lcssa = phi i32 [ %spec.select63, %ave_fmodf_normalize.exit ], [ %spec.select, %for.inc ]
  %tobool15.not = icmp eq i32 %a.0.lcssa, %sub.lcssa
  br i1 %tobool15.not, label %cleanup26, label %if.end17

if.end17:
  %3 = tail call range(i32 0, 33) i32 @llvm.ctlz.i32(i32 %spec.select.lcssa, i1 true)
  %sub18 = add nsw i32 %3, -8
  %shl19 = shl i32 %spec.select.lcssa, %sub18
  %sub20 = sub nsw i32 %retval.0.i, %sub18
  %cmp21 = icmp sgt i32 %sub20, 0
  br i1 %cmp21, label %cond.true, label %cond.false

cond.true:
  %xor = xor i32 %shl19, 8388608
  %shl22 = shl nuw i32 %sub20, 23
  %or = or i32 %xor, %shl22
  br label %cond.end

cond.false:
  %sub23 = sub nsw i32 1, %sub20
  %shr = lshr i32 %shl19, %sub23
  br label %cond.end

cond.end:
  %cond = phi i32 [ %or, %cond.true ], [ %shr, %cond.false ]
  %or24 = or i32 %cond, %and2
  br label %cleanup26

cleanup26:
  %retval.1 = phi i32 [ %x, %if.end ], [ 2143289344, %entry ], [ %or24, %cond.end ], [ %and2, %for.end ]
  ret i32 %retval.1
}

declare i32 @llvm.ctlz.i32(i32, i1 immarg) #1

define hidden i64 @ave_fmod(i64 noundef %x, i64 noundef %y) local_unnamed_addr #0 {
entry:
  %and = and i64 %x, 9223372036854775807
  %and1 = and i64 %y, 9223372036854775807
  %and2 = and i64 %x, -9223372036854775808
  %0 = add nsw i64 %and1, -9218868437227405313
  %or.cond = icmp ult i64 %0, -9218868437227405312
  %cmp4 = icmp samesign ugt i64 %and, 9218868437227405311
  %or.cond33 = select i1 %or.cond, i1 true, i1 %cmp4
  br i1 %or.cond33, label %cleanup27, label %if.end

if.end:
  %cmp5 = icmp samesign ult i64 %and, %and1
  br i1 %cmp5, label %cleanup27, label %if.end7

if.end7:
  %shr.i46 = lshr i64 %and, 52
  %tobool.not.i47 = icmp eq i64 %shr.i46, 0
  br i1 %tobool.not.i47, label %if.end.i52, label %if.then.i48

if.then.i48:
  %and.i49 = and i64 %x, 4503599627370495
  %or.i50 = or disjoint i64 %and.i49, 4503599627370496
  br label %ave_fmod_normalize.exit56

if.end.i52:
  %1 = tail call range(i64 12, 65) i64 @llvm.ctlz.i64(i64 %and, i1 false)
  %sub.i53 = add nsw i64 %1, -11
  %shl.i54 = shl i64 %and, %sub.i53
  %sub1.i55 = sub nsw i64 12, %1
  br label %ave_fmod_normalize.exit56

ave_fmod_normalize.exit56:
  %a.2 = phi i64 [ %shl.i54, %if.end.i52 ], [ %or.i50, %if.then.i48 ]
  %retval.0.i51 = phi i64 [ %sub1.i55, %if.end.i52 ], [ %shr.i46, %if.then.i48 ]
  %shr.i = lshr i64 %and1, 52
  %tobool.not.i = icmp eq i64 %shr.i, 0
  br i1 %tobool.not.i, label %if.end.i, label %if.then.i

if.then.i:
  %and.i = and i64 %y, 4503599627370495
  %or.i = or disjoint i64 %and.i, 4503599627370496
  br label %ave_fmod_normalize.exit

if.end.i:
  %2 = tail call range(i64 12, 65) i64 @llvm.ctlz.i64(i64 %and1, i1 false)
  %sub.i = add nsw i64 %2, -11
  %shl.i = shl i64 %and1, %sub.i
  %sub1.i = sub nsw i64 12, %2
  br label %ave_fmod_normalize.exit

ave_fmod_normalize.exit:
  %b.0 = phi i64 [ %shl.i, %if.end.i ], [ %or.i, %if.then.i ]
  %retval.0.i = phi i64 [ %sub1.i, %if.end.i ], [ %shr.i, %if.then.i ]
  %cmp9.not62 = icmp ult i64 %a.2, %b.0
  %sub63 = select i1 %cmp9.not62, i64 0, i64 %b.0
  %spec.select64 = sub nuw i64 %a.2, %sub63
  %cmp12.not65 = icmp sgt i64 %retval.0.i51, %retval.0.i
  br i1 %cmp12.not65, label %for.inc, label %for.end

for.inc:
  %spec.select67 = phi i64 [ %spec.select, %for.inc ], [ %spec.select64, %ave_fmod_normalize.exit ]
  %k.066 = phi i64 [ %dec, %for.inc ], [ %retval.0.i51, %ave_fmod_normalize.exit ]
  %dec = add nsw i64 %k.066, -1
  %shl = shl i64 %spec.select67, 1
  %cmp9.not = icmp ult i64 %shl, %b.0
  %sub = select i1 %cmp9.not, i64 0, i64 %b.0
  %spec.select = sub nuw i64 %shl, %sub
  %cmp12.not = icmp sgt i64 %dec, %retval.0.i
  br i1 %cmp12.not, label %for.inc, label %for.end

for.end:
  %a.0.lcssa = phi i64 [ %a.2, %ave_fmod_normalize.exit ], [ %shl, %for.inc ]
  %sub.lcssa = phi i64 [ %sub63, %ave_fmod_normalize.exit ], [ %sub, %for.inc ]
  %spec.select.lcssa = phi i64 [ %spec.select64, %ave_fmod_normalize.exit ], [ %spec.select, %for.inc ]
  %tobool15.not = icmp eq i64 %a.0.lcssa, %sub.lcssa
  br i1 %tobool15.not, label %cleanup27, label %if.end17

if.end17:
  %3 = tail call range(i64 0, 65) i64 @llvm.ctlz.i64(i64 %spec.select.lcssa, i1 true)
  %sub18 = add nsw i64 %3, -11
  %shl19 = shl i64 %spec.select.lcssa, %sub18
  %sub20 = sub nsw i64 %retval.0.i, %sub18
  %cmp21 = icmp sgt i64 %sub20, 0
  br i1 %cmp21, label %cond.true, label %cond.false

cond.true:
  %xor = xor i64 %shl19, 4503599627370496
  %shl23 = shl nuw i64 %sub20, 52
  %or = or i64 %xor, %shl23
  br label %cond.end

cond.false:
  %sub24 = sub nsw i64 1, %sub20
  %shr = lshr i64 %shl19, %sub24
  br label %cond.end

cond.end:
  %cond = phi i64 [ %or, %cond.true ], [ %shr, %cond.false ]
  %or25 = or i64 %cond, %and2
  br label %cleanup27

cleanup27:
  %retval.1 = phi i64 [ %x, %if.end ], [ 9221120237041090560, %entry ], [ %or25, %cond.end ], [ %and2, %for.end ]
  ret i64 %retval.1
}

declare i64 @llvm.ctlz.i64(i64, i1 immarg) #1

attributes #0 = { nofree norecurse nosync nounwind memory(none) }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
