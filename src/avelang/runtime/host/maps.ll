; Tensor maps by the arrays that they describe: an array's address, extents and strides come in; 128 bytes go out, encoded by `tensor_maps.py` when
; an array like this came by for the first time: for a GPU the driver's descriptor, for the CPU the words that its code reads.
;
; A table is for one type of map. It is read and written only by who holds the interpreter's lock, and a launch gets a copy: so a record may be replaced
; at any time, also while another thread waits in the driver. `native.py` describes the structs to Python.

; The key (address, five extents, five strides in bytes, zeros beyond the rank; 1, or 0 in a record that is free), four words of nothing, the value.
%Record = type { [12 x i64], [4 x i64], [128 x i8] }

; The first record, and how many there are less one: a power of two.
%Maps = type { ptr, i64 }

; What a launch hands to the driver for a map: 128 bytes, the array's address, which stands for them in reports, up to three lines of the cache.
%Wide = type { [128 x i8], i64, [7 x i64] }

declare i64 @llvm.fshl.i64(i64, i64, i64)
declare i64 @llvm.vector.reduce.or.v8i64(<8 x i64>)
declare i64 @llvm.vector.reduce.or.v4i64(<4 x i64>)

define internal i64 @mixed(i64 %hash, i64 %word) alwaysinline {
  %turned = call i64 @llvm.fshl.i64(i64 %hash, i64 %hash, i64 11)
  %r = xor i64 %turned, %word
  ret i64 %r
}

; Where a search begins: both halves of the product with 2^64 over the golden ratio, of which each bit of the hash changes many.
define internal i64 @start_of(i64 %hash) alwaysinline {
  %h = zext i64 %hash to i128
  %product = mul i128 %h, 11400714819323198485
  %shifted = lshr i128 %product, 64
  %upper = trunc i128 %shifted to i64
  %lower = trunc i128 %product to i64
  %r = xor i64 %upper, %lower
  ret i64 %r
}

define internal i1 @same_key(ptr %record, ptr %key) alwaysinline {
  %a8 = load <8 x i64>, ptr %record, align 8
  %b8 = load <8 x i64>, ptr %key, align 8
  %d8 = xor <8 x i64> %a8, %b8
  %recordp = getelementptr i64, ptr %record, i64 8
  %keyp = getelementptr i64, ptr %key, i64 8
  %a4 = load <4 x i64>, ptr %recordp, align 8
  %b4 = load <4 x i64>, ptr %keyp, align 8
  %d4 = xor <4 x i64> %a4, %b4
  %r8 = call i64 @llvm.vector.reduce.or.v8i64(<8 x i64> %d8)
  %r4 = call i64 @llvm.vector.reduce.or.v4i64(<4 x i64> %d4)
  %any = or i64 %r8, %r4
  %same = icmp eq i64 %any, 0
  ret i1 %same
}

; The record with this key, or the one to put it into, which is free or to be replaced: (record, whether it has the key).
define internal { ptr, i1 } @record_of(ptr %maps, ptr %key, i64 %hash) {
entry:
  %records = load ptr, ptr %maps
  %maskp = getelementptr %Maps, ptr %maps, i32 0, i32 1
  %mask = load i64, ptr %maskp
  %start = call i64 @start_of(i64 %hash)
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i1, %next ]
  %sum = add i64 %start, %i
  %at = and i64 %sum, %mask
  %record = getelementptr %Record, ptr %records, i64 %at
  %same = call i1 @same_key(ptr %record, ptr %key)
  br i1 %same, label %found, label %other
found:
  %f = insertvalue { ptr, i1 } poison, ptr %record, 0
  %found.r = insertvalue { ptr, i1 } %f, i1 true, 1
  ret { ptr, i1 } %found.r
other:
  %usedp = getelementptr %Record, ptr %record, i32 0, i32 0, i64 11
  %used = load i64, ptr %usedp
  %free = icmp eq i64 %used, 0
  br i1 %free, label %absent, label %next
next:
  %i1 = add i64 %i, 1
  %more = icmp ult i64 %i1, 8
  br i1 %more, label %loop, label %full
full:
  ; Some record of the eight: which one, the key says.
  %pick = and i64 %hash, 7
  %picked = add i64 %start, %pick
  %victim.at = and i64 %picked, %mask
  %victim = getelementptr %Record, ptr %records, i64 %victim.at
  br label %absent
absent:
  %place = phi ptr [ %record, %other ], [ %victim, %full ]
  %p = insertvalue { ptr, i1 } poison, ptr %place, 0
  %absent.r = insertvalue { ptr, i1 } %p, i1 false, 1
  ret { ptr, i1 } %absent.r
}

; The hash of a whole key, as @describe makes it word by word. `rank` extents and strides.
define internal i64 @hash_of(ptr %key, i64 %rank) {
entry:
  %address = load i64, ptr %key
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k1, %dim ]
  %h = phi i64 [ %address, %entry ], [ %h2, %dim ]
  %more = icmp ult i64 %k, %rank
  br i1 %more, label %dim, label %out
dim:
  %n.at = add i64 %k, 1
  %s.at = add i64 %k, 6
  %np = getelementptr i64, ptr %key, i64 %n.at
  %sp = getelementptr i64, ptr %key, i64 %s.at
  %n = load i64, ptr %np
  %s = load i64, ptr %sp
  %h1 = call i64 @mixed(i64 %h, i64 %n)
  %h2 = call i64 @mixed(i64 %h1, i64 %s)
  %k1 = add i64 %k, 1
  br label %loop
out:
  ret i64 %h
}

; For Python, which holds the interpreter's lock: 1 where the table has the key, whose value is copied out.
define i32 @ave_map_find(ptr %maps, ptr %key, i64 %rank, ptr %out) {
  %hash = call i64 @hash_of(ptr %key, i64 %rank)
  %found = call { ptr, i1 } @record_of(ptr %maps, ptr %key, i64 %hash)
  %record = extractvalue { ptr, i1 } %found, 0
  %has = extractvalue { ptr, i1 } %found, 1
  br i1 %has, label %copy, label %no
copy:
  %value = getelementptr %Record, ptr %record, i32 0, i32 2
  call void @llvm.memcpy.p0.p0.i64(ptr %out, ptr %value, i64 128, i1 false)
  ret i32 1
no:
  ret i32 0
}

; For Python, likewise: keeps a value, which may replace another one; 1 where a record that was free is used now.
define i32 @ave_map_keep(ptr %maps, ptr %key, i64 %rank, ptr %value) {
  %hash = call i64 @hash_of(ptr %key, i64 %rank)
  %found = call { ptr, i1 } @record_of(ptr %maps, ptr %key, i64 %hash)
  %record = extractvalue { ptr, i1 } %found, 0
  %usedp = getelementptr %Record, ptr %record, i32 0, i32 0, i64 11
  %used = load i64, ptr %usedp
  %to = getelementptr %Record, ptr %record, i32 0, i32 2
  call void @llvm.memcpy.p0.p0.i64(ptr %record, ptr %key, i64 96, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %value, i64 128, i1 false)
  %new = icmp eq i64 %used, 0
  %r = zext i1 %new to i32
  ret i32 %r
}

; An array of `rank` dimensions, strides in units of `unit` bytes: where the table knows it, its value is copied to the %Wide.
define internal i1 @described(ptr %maps, i64 %address, i64 %rank, ptr %shape, ptr %strides, i64 %unit, ptr %wide) {
entry:
  %key = alloca [12 x i64], align 64
  store <8 x i64> zeroinitializer, ptr %key, align 64
  %lastp = getelementptr i64, ptr %key, i64 8
  store <4 x i64> <i64 0, i64 0, i64 0, i64 1>, ptr %lastp, align 32
  store i64 %address, ptr %key
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k1, %dim ]
  %h = phi i64 [ %address, %entry ], [ %h2, %dim ]
  %more = icmp ult i64 %k, %rank
  br i1 %more, label %dim, label %search
dim:
  %np = getelementptr i64, ptr %shape, i64 %k
  %n = load i64, ptr %np
  %sp = getelementptr i64, ptr %strides, i64 %k
  %units = load i64, ptr %sp
  %s = mul i64 %units, %unit
  %k1 = add i64 %k, 1
  %s.at = add i64 %k, 6
  %nto = getelementptr i64, ptr %key, i64 %k1
  %sto = getelementptr i64, ptr %key, i64 %s.at
  store i64 %n, ptr %nto
  store i64 %s, ptr %sto
  %h1 = call i64 @mixed(i64 %h, i64 %n)
  %h2 = call i64 @mixed(i64 %h1, i64 %s)
  br label %loop
search:
  %found = call { ptr, i1 } @record_of(ptr %maps, ptr %key, i64 %h)
  %record = extractvalue { ptr, i1 } %found, 0
  %has = extractvalue { ptr, i1 } %found, 1
  br i1 %has, label %copy, label %no
copy:
  %value = getelementptr %Record, ptr %record, i32 0, i32 2
  call void @llvm.memcpy.p0.p0.i64(ptr align 64 %wide, ptr align 64 %value, i64 128, i1 false)
  %wordp = getelementptr %Wide, ptr %wide, i32 0, i32 1
  store i64 %address, ptr %wordp
  ret i1 true
no:
  ret i1 false
}
