; The launch path, in LLVM IR: `kernel[provider](*args)` without per-argument Python. `stub.py` fills the tables that it reads.
;
; `ave_launch` is a builtin function (METH_FASTCALL | METH_KEYWORDS). It evaluates the provider, compares the captured globals and the
; arguments with each specialization that ran before (an %Entry), and runs the kernel with the interpreter's lock released. Whatever is
; unusual (another dtype, a subclass, a number out of range, an unknown keyword) goes to the slow path in Python, which knows every case
; and every error. So this file decides nothing: it only recognizes what the slow path has accepted before.
; A builtin has no Python frame: the traceback of an AveError shows the user's frames alone.

; type, function of DLPack's C exchange API: int dltensor_from_py_object_no_sync(PyObject *, DLTensor *)
%Exchange = type { ptr, ptr }

; Where the fields of a torch tensor stand, in bytes: the tensor's implementation in the Python object; in that the storage, dispatch keys, the word that
; begins with the dtype, the number of elements, the offset into the storage in elements, the rank, the extents (5, then 5 strides in elements); in the
; storage the memory and the function that frees it. Then, no place: the dispatch keys of lazy views, whose memory holds other values than they. In the
; implementation the counter of changes, and in that the count. Then functions: whether a tensor (its implementation) requires a gradient, and whether
; this thread records for gradients. Last, in the storage how many bytes it has.
%Fields = type { i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr, i64 }

; A tensor that the slow path has accepted: type (null: none), virtual table, dispatch keys, dtype and device, function that frees.
%Likeness = type { ptr, ptr, i64, i64, ptr }

%Context = type {
  ptr,              ;  0 pool
  ptr, ptr, ptr, ptr, ; 1 int, 2 float, 3 str, 4 tuple (types)
  ptr, ptr, ptr,    ;  5 None, 6 True, 7 False
  ptr,              ;  8 numpy.ndarray
  ptr,              ;  9 AveError
  ptr,              ; 10 called with the status of a launch that failed; raises
  i64,              ; 11 1: leave tracebacks as they are
  i64,              ; 12 number of exchanges
  [8 x %Exchange],  ; 13
  i64,              ; 14 what stands behind the type of an int from 1 to 2^30 - 1, whose value comes behind that; -1 if this is not known
  i64,              ; 15 1: a dict's fourth word is another one after each change to it
  i64,              ; 16 the byte of a tuple where its items begin
  %Fields }         ; 17

; One for each jit function: context, slow path, number of entries, entries (newest first), the entry that ran last
%State = type { ptr, ptr, i64, [16 x ptr], i64 }

; What a kernel depends on beside its arguments, a global or a knob of the environment: the dict that holds it, the name, the object
; found when the kernel was compiled (null: there was none), and the dict's tag when it was last looked up. A closure's cell has no name (null).
; The name 1: a word in memory, its address and what it was (the version of a class, the code of a function).
%Watch = type { ptr, ptr, ptr, i64 }

%Entry = type {
  ptr,           ;  0 %Kernel
  i64, ptr,      ;  1 number of %Watch, 2 the first
  i64, i64, ptr, ;  3 positional arguments, 4 keyword arguments, 5 their names
  i64, i64, i64, ;  6 block
  ptr,           ;  9 %Param of each argument, keywords last
  i64, ptr,      ; 10 slots, 11 their values before arguments are filled in (defaults), null where arguments or the stream fill all of them
  ptr,           ; 12 %Gpu, null for a kernel on the CPU (%Kernel is null then); the last slot is the stream
  ptr, i64,      ; 13 asked for the current stream, null where the slot has it; 14 of which device: DLPack's type, index << 32
  ptr,           ; 15 called with the status, the geometry and the arguments of a launch that the driver refused; raises
  ptr }          ; 16 what the kernel expects of a launch (expects.py), null for nothing

; What is read of an argument that is a number, or an array through DLPack, are the first 64 bytes, one line of the processor's cache; of a torch tensor
; also the last 64.
%Param = type {
  i64,        ; 0 kind: 0 constant, 1 signed, 2 unsigned, 3 f64, 4 f32, 5 u1, 6 pointer, 7 tensor, 8 tensor map
  i64,        ; 1 slot
  i64, i64,   ; 2 least and 3 greatest integer; kind 0: 2 is the object expected; arrays: 3 is what an address read through DLPack is a multiple of
  i64,        ; 4 rank
  i64,        ; 5 DLPack's device: type, index << 32
  [4 x i32],  ; 6 DLPack dtypes accepted: code, bits << 8, lanes << 16
  ptr, ptr,   ; 7 extents, 8 strides in elements; kind 8: 7 is the %Maps, 8 (a number) the bytes from the slot to the %Wide
  i64,        ; 9 element bytes
  [4 x ptr],  ; 10 NumPy descriptors accepted
  i64,        ; 11 nothing: two lines
  %Likeness,  ; 12
  [3 x i64] } ; 13 nothing: three lines in all

; What a launch fills in: a slot for each argument and the stream, values of tensor maps, whose slots have their addresses.
%Room = type { [64 x i64], [16 x %Wide] }

declare i32 @PyCallable_Check(ptr)
declare ptr @PyObject_CallNoArgs(ptr)
declare ptr @PyObject_Vectorcall(ptr, ptr, i64, ptr)
declare ptr @PyObject_CallFunctionObjArgs(ptr, ...)
declare i32 @PyObject_RichCompareBool(ptr, ptr, i32)
declare ptr @PyDict_GetItemWithError(ptr, ptr)
declare ptr @PyTuple_GetItem(ptr, i64)
declare ptr @PyCell_Get(ptr)
declare i64 @PyLong_AsLongLong(ptr)
declare i64 @PyLong_AsUnsignedLongLong(ptr)
declare ptr @PyLong_AsVoidPtr(ptr)
declare ptr @PyLong_FromLongLong(i64)
declare double @PyFloat_AsDouble(ptr)
declare ptr @PyErr_Occurred()
declare void @PyErr_Clear()
declare i32 @PyErr_ExceptionMatches(ptr)
@PyExc_TypeError = external global ptr
declare void @PyErr_Fetch(ptr, ptr, ptr)
declare void @PyErr_NormalizeException(ptr, ptr, ptr)
declare void @PyErr_Restore(ptr, ptr, ptr)
declare i32 @PyErr_GivenExceptionMatches(ptr, ptr)
declare i32 @PyException_SetTraceback(ptr, ptr)
declare void @Py_IncRef(ptr)
declare void @Py_DecRef(ptr)
declare ptr @PyEval_SaveThread()
declare void @PyEval_RestoreThread(ptr)
declare double @llvm.fabs.f64(double)
declare float @llvm.fabs.f32(float)

define internal ptr @type_of(ptr %o) alwaysinline {
  %p = getelementptr ptr, ptr %o, i64 1
  %t = load ptr, ptr %p
  ret ptr %t
}

; An exact tuple's size and items.
define internal i64 @size_of(ptr %t) alwaysinline {
  %p = getelementptr i64, ptr %t, i64 2
  %n = load i64, ptr %p
  ret i64 %n
}

define internal ptr @item_of(ptr %t, ptr %ctx, i64 %i) alwaysinline {
  %startp = getelementptr %Context, ptr %ctx, i32 0, i32 16
  %start = load i64, ptr %startp
  %first = getelementptr i8, ptr %t, i64 %start
  %p = getelementptr ptr, ptr %first, i64 %i
  %o = load ptr, ptr %p
  ret ptr %o
}

define internal i1 @is_type(ptr %o, ptr %ctx, i64 %which) alwaysinline {
  %t = call ptr @type_of(ptr %o)
  %p = getelementptr ptr, ptr %ctx, i64 %which
  %want = load ptr, ptr %p
  %r = icmp eq ptr %t, %want
  ret i1 %r
}

; Whether an exact int is from 1 to 2^30 - 1, as read from the object itself; %out has the value.
define internal i1 @small(ptr %o, ptr %ctx, ptr %out) alwaysinline {
  %digitp = getelementptr %Context, ptr %ctx, i32 0, i32 14
  %digit = load i64, ptr %digitp
  %sizep = getelementptr i64, ptr %o, i64 2
  %size = load i64, ptr %sizep
  %valuep = getelementptr i64, ptr %o, i64 3
  %value = load i32, ptr %valuep
  %wide = zext i32 %value to i64
  store i64 %wide, ptr %out
  %one = icmp eq i64 %size, %digit
  ret i1 %one
}

; The value of an exact Python int between %lo and %hi; false (and no error set) for anything else.
define internal i1 @signed(ptr %o, ptr %ctx, i64 %lo, i64 %hi, ptr %out) {
  %int = call i1 @is_type(ptr %o, ptr %ctx, i64 1)
  br i1 %int, label %quick, label %no
quick:
  %small = call i1 @small(ptr %o, ptr %ctx, ptr %out)
  br i1 %small, label %have, label %read
have:
  %q = load i64, ptr %out
  %qa = icmp sge i64 %q, %lo
  %qb = icmp sle i64 %q, %hi
  %qok = and i1 %qa, %qb
  ret i1 %qok
read:
  %v = call i64 @PyLong_AsLongLong(ptr %o)
  %odd = icmp eq i64 %v, -1
  br i1 %odd, label %check, label %range
check:
  %err = call ptr @PyErr_Occurred()
  %fine = icmp eq ptr %err, null
  br i1 %fine, label %range, label %clear
clear:
  call void @PyErr_Clear()
  br label %no
range:
  %a = icmp sge i64 %v, %lo
  %b = icmp sle i64 %v, %hi
  %ok = and i1 %a, %b
  br i1 %ok, label %yes, label %no
yes:
  store i64 %v, ptr %out
  ret i1 true
no:
  ret i1 false
}

; As @signed, for values up to 2^64 - 1.
define internal i1 @unsigned(ptr %o, ptr %ctx, i64 %hi, ptr %out) {
  %int = call i1 @is_type(ptr %o, ptr %ctx, i64 1)
  br i1 %int, label %quick, label %no
quick:
  %small = call i1 @small(ptr %o, ptr %ctx, ptr %out)
  br i1 %small, label %have, label %read
have:
  %q = load i64, ptr %out
  %qok = icmp ule i64 %q, %hi
  ret i1 %qok
read:
  %v = call i64 @PyLong_AsUnsignedLongLong(ptr %o)
  %odd = icmp eq i64 %v, -1
  br i1 %odd, label %check, label %range
check:
  %err = call ptr @PyErr_Occurred()
  %fine = icmp eq ptr %err, null
  br i1 %fine, label %range, label %clear
clear:
  call void @PyErr_Clear()
  br label %no
range:
  %ok = icmp ule i64 %v, %hi
  br i1 %ok, label %yes, label %no
yes:
  store i64 %v, ptr %out
  ret i1 true
no:
  ret i1 false
}

; An exact float as f64 bits (%narrow: f32 bits, not for a finite number that f32 cannot hold).
define internal i1 @floating(ptr %o, ptr %ctx, i1 %narrow, ptr %out) {
  %float = call i1 @is_type(ptr %o, ptr %ctx, i64 2)
  br i1 %float, label %read, label %no
read:
  %v = call double @PyFloat_AsDouble(ptr %o)
  br i1 %narrow, label %cut, label %wide
wide:
  store double %v, ptr %out
  ret i1 true
cut:
  %f = fptrunc double %v to float
  %af = call float @llvm.fabs.f32(float %f)
  %av = call double @llvm.fabs.f64(double %v)
  %inf = fcmp oeq float %af, 0x7FF0000000000000
  %finite = fcmp olt double %av, 0x7FF0000000000000
  %over = and i1 %inf, %finite
  br i1 %over, label %no, label %store
store:
  %bits = bitcast float %f to i32
  %wide32 = zext i32 %bits to i64
  store i64 %wide32, ptr %out
  ret i1 true
no:
  ret i1 false
}

; The same object, or of the same type and equal, bit by bit: int, str, float, and tuples of these.
; (Equal is not the same across types: 1 == True == 1.0; nor for 0.0 and -0.0.)
define internal i1 @same(ptr %a, ptr %b, ptr %ctx) {
  %is = icmp eq ptr %a, %b
  br i1 %is, label %yes, label %types
types:
  %ta = call ptr @type_of(ptr %a)
  %tb = call ptr @type_of(ptr %b)
  %eq = icmp eq ptr %ta, %tb
  br i1 %eq, label %kind, label %no
kind:
  %int = call i1 @is_type(ptr %a, ptr %ctx, i64 1)
  %str = call i1 @is_type(ptr %a, ptr %ctx, i64 3)
  %plain = or i1 %int, %str
  br i1 %plain, label %compare, label %float
compare:
  %c = call i32 @PyObject_RichCompareBool(ptr %a, ptr %b, i32 2)
  %r = icmp eq i32 %c, 1
  ret i1 %r
float:
  %flt = call i1 @is_type(ptr %a, ptr %ctx, i64 2)
  br i1 %flt, label %bits, label %tuple
bits:
  %x = call double @PyFloat_AsDouble(ptr %a)
  %y = call double @PyFloat_AsDouble(ptr %b)
  %xi = bitcast double %x to i64
  %yi = bitcast double %y to i64
  %s = icmp eq i64 %xi, %yi
  ret i1 %s
tuple:
  %tup = call i1 @is_type(ptr %a, ptr %ctx, i64 4)
  br i1 %tup, label %sizes, label %no
sizes:
  %n = call i64 @size_of(ptr %a)
  %m = call i64 @size_of(ptr %b)
  %long = icmp eq i64 %n, %m
  br i1 %long, label %loop, label %no
loop:
  %i = phi i64 [ 0, %sizes ], [ %i1, %next ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %item, label %yes
item:
  %p = call ptr @item_of(ptr %a, ptr %ctx, i64 %i)
  %q = call ptr @item_of(ptr %b, ptr %ctx, i64 %i)
  %t = call i1 @same(ptr %p, ptr %q, ptr %ctx)
  br i1 %t, label %next, label %no
next:
  %i1 = add i64 %i, 1
  br label %loop
yes:
  ret i1 true
no:
  ret i1 false
}

; Whether all that is watched is still the object that the kernel was compiled for.
define internal i1 @unchanged(ptr %ctx, ptr %watches, i64 %count) {
entry:
  %taggedp = getelementptr %Context, ptr %ctx, i32 0, i32 15
  %tagged64 = load i64, ptr %taggedp
  %tagged = icmp ne i64 %tagged64, 0
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i1, %next ]
  %more = icmp slt i64 %i, %count
  br i1 %more, label %look, label %yes
look:
  %w = getelementptr %Watch, ptr %watches, i64 %i
  %keyp = getelementptr %Watch, ptr %w, i32 0, i32 1
  %wantp = getelementptr %Watch, ptr %w, i32 0, i32 2
  %home = load ptr, ptr %w
  %key = load ptr, ptr %keyp
  %want = load ptr, ptr %wantp
  %keyi = ptrtoint ptr %key to i64
  %named = icmp ugt i64 %keyi, 1
  br i1 %named, label %global, label %nameless
nameless:
  %cell = icmp eq ptr %key, null
  br i1 %cell, label %closure, label %word
word:
  %held = load ptr, ptr %home
  br label %compare
closure:
  %c = call ptr @PyCell_Get(ptr %home)
  %void = icmp eq ptr %c, null
  br i1 %void, label %compare, label %release
release:
  ; The cell holds it too.
  call void @Py_DecRef(ptr %c)
  br label %compare
global:
  %nowp = getelementptr i64, ptr %home, i64 3
  %now = load i64, ptr %nowp
  %tagp = getelementptr %Watch, ptr %w, i32 0, i32 3
  %tag = load i64, ptr %tagp
  %untouched = icmp eq i64 %now, %tag
  %sure = and i1 %untouched, %tagged
  br i1 %sure, label %next, label %lookup
lookup:
  %g = call ptr @PyDict_GetItemWithError(ptr %home, ptr %key)
  %still = icmp eq ptr %g, %want
  br i1 %still, label %remember, label %no
remember:
  store i64 %now, ptr %tagp
  br label %next
compare:
  %have = phi ptr [ %c, %closure ], [ %c, %release ], [ %held, %word ]
  %same = icmp eq ptr %have, %want
  br i1 %same, label %next, label %no
next:
  %i1 = add i64 %i, 1
  br label %loop
yes:
  ret i1 true
no:
  ret i1 false
}

; One to three exact ints of a tuple, or one by itself, the rest 1, each within 0 and 2^31 - 1.
define internal i1 @extents(ptr %t, ptr %ctx, ptr %out) {
entry:
  %tup = call i1 @is_type(ptr %t, ptr %ctx, i64 4)
  br i1 %tup, label %size, label %alone
alone:
  %int = call i1 @signed(ptr %t, ptr %ctx, i64 0, i64 2147483647, ptr %out)
  br i1 %int, label %line, label %no
line:
  %yp = getelementptr i64, ptr %out, i64 1
  %zp = getelementptr i64, ptr %out, i64 2
  store i64 1, ptr %yp
  store i64 1, ptr %zp
  br label %yes
size:
  %n = call i64 @size_of(ptr %t)
  %few = icmp sge i64 %n, 1
  %fit = icmp sle i64 %n, 3
  %good = and i1 %few, %fit
  br i1 %good, label %loop, label %no
loop:
  %i = phi i64 [ 0, %size ], [ %i1, %next ]
  %p = getelementptr i64, ptr %out, i64 %i
  %given = icmp slt i64 %i, %n
  br i1 %given, label %read, label %pad
read:
  %o = call ptr @item_of(ptr %t, ptr %ctx, i64 %i)
  %ok = call i1 @signed(ptr %o, ptr %ctx, i64 0, i64 2147483647, ptr %p)
  br i1 %ok, label %next, label %no
pad:
  store i64 1, ptr %p
  br label %next
next:
  %i1 = add i64 %i, 1
  %done = icmp eq i64 %i1, 3
  br i1 %done, label %yes, label %loop
yes:
  ret i1 true
no:
  ret i1 false
}

; Rank, extents and strides (in units of %unit) as expected; unless %strict, a stride counts only where the extent is over 1.
; Rank -1: any extents in row-major order without gaps.
define internal i1 @layout(i1 %strict, i64 %want, ptr %wshape, ptr %wstrides, i64 %rank, ptr %shape, ptr %strides, i64 %unit) {
entry:
  %any = icmp eq i64 %want, -1
  %equal = icmp eq i64 %want, %rank
  %ok = or i1 %any, %equal
  br i1 %ok, label %loop, label %no
loop:
  %k = phi i64 [ %rank, %entry ], [ %i, %next ]
  %dense = phi i64 [ %unit, %entry ], [ %dense1, %next ]
  %end = icmp eq i64 %k, 0
  br i1 %end, label %yes, label %dim
dim:
  %i = sub i64 %k, 1
  %np = getelementptr i64, ptr %shape, i64 %i
  %n = load i64, ptr %np
  %sp = getelementptr i64, ptr %strides, i64 %i
  %s = load i64, ptr %sp
  br i1 %any, label %contiguous, label %exact
contiguous:
  %dense.next = mul i64 %dense, %n
  br label %stride
exact:
  %wnp = getelementptr i64, ptr %wshape, i64 %i
  %wn = load i64, ptr %wnp
  %wsp = getelementptr i64, ptr %wstrides, i64 %i
  %ws = load i64, ptr %wsp
  %wsu = mul i64 %ws, %unit
  %same = icmp eq i64 %wn, %n
  br i1 %same, label %stride, label %no
stride:
  %expect = phi i64 [ %dense, %contiguous ], [ %wsu, %exact ]
  %dense1 = phi i64 [ %dense.next, %contiguous ], [ 0, %exact ]
  %fits = icmp eq i64 %expect, %s
  %one = icmp eq i64 %n, 1
  %lax = xor i1 %strict, true
  %free = and i1 %one, %lax
  %good = or i1 %fits, %free
  br i1 %good, label %next, label %no
next:
  br label %loop
yes:
  ret i1 true
no:
  ret i1 false
}

; A tensor map's array: the slot gets the address of the value that the table has for it.
define internal i1 @mapped(ptr %param, i64 %address, i64 %rank, ptr %shape, ptr %strides, i64 %unit, ptr %out) {
  %wantp = getelementptr %Param, ptr %param, i32 0, i32 4
  %want = load i64, ptr %wantp
  %ranked = icmp eq i64 %want, %rank
  br i1 %ranked, label %look, label %no
look:
  %mapsp = getelementptr %Param, ptr %param, i32 0, i32 7
  %maps = load ptr, ptr %mapsp
  %farp = getelementptr %Param, ptr %param, i32 0, i32 8
  %far = load i64, ptr %farp
  %wide = getelementptr i8, ptr %out, i64 %far
  %known = call i1 @described(ptr %maps, i64 %address, i64 %rank, ptr %shape, ptr %strides, i64 %unit, ptr %wide)
  br i1 %known, label %take, label %no
take:
  store ptr %wide, ptr %out
  ret i1 true
no:
  ret i1 false
}

; PyArrayObject: data at 16, rank (int) 24, extents 32, strides in bytes 40, descriptor 56, flags (int) 64.
define internal i1 @numpy(ptr %o, ptr %param, ptr %out) {
entry:
  %descrp = getelementptr i8, ptr %o, i64 56
  %descr = load ptr, ptr %descrp
  br label %search
search:
  %i = phi i64 [ 0, %entry ], [ %i1, %step ]
  %dp = getelementptr %Param, ptr %param, i32 0, i32 10, i64 %i
  %d = load ptr, ptr %dp
  %hit = icmp eq ptr %d, %descr
  br i1 %hit, label %found, label %step
step:
  %i1 = add i64 %i, 1
  %last = icmp eq i64 %i1, 4
  br i1 %last, label %no, label %search
found:
  ; The flags that `low` asks for: aligned, and writeable where the kernel writes.
  %flagsp = getelementptr i8, ptr %o, i64 64
  %flags = load i32, ptr %flagsp
  %wflagsp = getelementptr %Param, ptr %param, i32 0, i32 2
  %wflags64 = load i64, ptr %wflagsp
  %wflags = trunc i64 %wflags64 to i32
  %has = and i32 %flags, %wflags
  %flagged = icmp eq i32 %has, %wflags
  br i1 %flagged, label %form, label %no
form:
  %ndp = getelementptr i8, ptr %o, i64 24
  %nd = load i32, ptr %ndp
  %rank = zext i32 %nd to i64
  %shapep = getelementptr i8, ptr %o, i64 32
  %shape = load ptr, ptr %shapep
  %stridesp = getelementptr i8, ptr %o, i64 40
  %strides = load ptr, ptr %stridesp
  %datap = getelementptr i8, ptr %o, i64 16
  %data = load i64, ptr %datap
  %kind = load i64, ptr %param
  %map = icmp eq i64 %kind, 8
  br i1 %map, label %maps, label %plain
maps:
  %described = call i1 @mapped(ptr %param, i64 %data, i64 %rank, ptr %shape, ptr %strides, i64 1, ptr %out)
  ret i1 %described
plain:
  %wrank = getelementptr %Param, ptr %param, i32 0, i32 4
  %want = load i64, ptr %wrank
  %wshapep = getelementptr %Param, ptr %param, i32 0, i32 7
  %wshape = load ptr, ptr %wshapep
  %wstridesp = getelementptr %Param, ptr %param, i32 0, i32 8
  %wstrides = load ptr, ptr %wstridesp
  %unitp = getelementptr %Param, ptr %param, i32 0, i32 9
  %unit = load i64, ptr %unitp
  %ok = call i1 @layout(i1 false, i64 %want, ptr %wshape, ptr %wstrides, i64 %rank, ptr %shape, ptr %strides, i64 %unit)
  br i1 %ok, label %take, label %no
take:
  store i64 %data, ptr %out
  ret i1 true
no:
  ret i1 false
}

; An array of the right type and device, strides in elements, against its %Param. Unless it is known to be %plain, only those with all the strides of a
; row-major one are taken here, and for maps those whose last stride is 1: a lazily negated view of torch (x.conj().imag) has a rank of 0 or a stride of 2
; even where its extent is 1, and Python must see it.
define internal i1 @strided(i1 %plain, ptr %param, i64 %address, i64 %rank, ptr %shape, ptr %strides, ptr %out) {
entry:
  %ranked = icmp ne i64 %rank, 0
  br i1 %ranked, label %begin, label %no
begin:
  %alignp = getelementptr %Param, ptr %param, i32 0, i32 3
  %align = load i64, ptr %alignp
  %mask = sub i64 %align, 1
  %odd = and i64 %address, %mask
  %aligned = icmp eq i64 %odd, 0
  br i1 %aligned, label %kinds, label %no
kinds:
  %kind = load i64, ptr %param
  %map = icmp eq i64 %kind, 8
  br i1 %map, label %maps, label %dense
maps:
  %unitp = getelementptr %Param, ptr %param, i32 0, i32 9
  %unit = load i64, ptr %unitp
  %described = call i1 @mapped(ptr %param, i64 %address, i64 %rank, ptr %shape, ptr %strides, i64 %unit, ptr %out)
  ret i1 %described
dense:
  %wrank = getelementptr %Param, ptr %param, i32 0, i32 4
  %want = load i64, ptr %wrank
  %pointer = icmp eq i64 %want, -1
  %strict = xor i1 %plain, true
  %rows = or i1 %pointer, %strict
  br i1 %rows, label %row, label %tensor
row:
  %dense.r = call i1 @layout(i1 %strict, i64 -1, ptr null, ptr null, i64 %rank, ptr %shape, ptr %strides, i64 1)
  br i1 %dense.r, label %exact, label %no
exact:
  br i1 %pointer, label %yes, label %tensor
tensor:
  %wshapep = getelementptr %Param, ptr %param, i32 0, i32 7
  %wshape = load ptr, ptr %wshapep
  %wstridesp = getelementptr %Param, ptr %param, i32 0, i32 8
  %wstrides = load ptr, ptr %wstridesp
  %ok = call i1 @layout(i1 false, i64 %want, ptr %wshape, ptr %wstrides, i64 %rank, ptr %shape, ptr %strides, i64 1)
  br i1 %ok, label %yes, label %no
yes:
  store i64 %address, ptr %out
  ret i1 true
no:
  ret i1 false
}

; A field of the kind that %Fields has at %which, of an object that begins at %start.
define internal ptr @field(ptr %start, ptr %ctx, i64 %which) alwaysinline {
  %fields = getelementptr %Context, ptr %ctx, i32 0, i32 17
  %p = getelementptr i64, ptr %fields, i64 %which
  %at = load i64, ptr %p
  %r = getelementptr i8, ptr %start, i64 %at
  ret ptr %r
}

; A torch tensor of the type that the %Likeness has: the storage of one that is like it, else null. Dispatch keys tell a plain dense tensor from every
; lazy or wrapped one; the function that frees, memory of its own from what copies when it is written.
define internal ptr @alike(ptr %impl, ptr %ctx, ptr %like) alwaysinline {
entry:
  %wtablep = getelementptr %Likeness, ptr %like, i32 0, i32 1
  %wkeysp = getelementptr %Likeness, ptr %like, i32 0, i32 2
  %wmetap = getelementptr %Likeness, ptr %like, i32 0, i32 3
  %wdeleterp = getelementptr %Likeness, ptr %like, i32 0, i32 4
  %wtable = load i64, ptr %wtablep
  %wkeys = load i64, ptr %wkeysp
  %wmeta = load i64, ptr %wmetap
  %wdeleter = load i64, ptr %wdeleterp
  %keysp = call ptr @field(ptr %impl, ptr %ctx, i64 2)
  %metap = call ptr @field(ptr %impl, ptr %ctx, i64 3)
  %table = load i64, ptr %impl
  %keys = load i64, ptr %keysp
  %meta = load i64, ptr %metap
  %low = and i64 %meta, 1099511627775
  %d0 = xor i64 %table, %wtable
  %d1 = xor i64 %keys, %wkeys
  %d2 = xor i64 %low, %wmeta
  %d01 = or i64 %d0, %d1
  %d012 = or i64 %d01, %d2
  %same = icmp eq i64 %d012, 0
  br i1 %same, label %sized, label %no
sized:
  ; torch gives none without elements an address.
  %numelp = call ptr @field(ptr %impl, ptr %ctx, i64 4)
  %numel = load i64, ptr %numelp
  %rankp = call ptr @field(ptr %impl, ptr %ctx, i64 6)
  %rank = load i64, ptr %rankp
  %storagep = call ptr @field(ptr %impl, ptr %ctx, i64 1)
  %storage = load ptr, ptr %storagep
  %elements = icmp ne i64 %numel, 0
  %inline = icmp ule i64 %rank, 5
  %there = icmp ne ptr %storage, null
  %e1 = and i1 %elements, %inline
  %e2 = and i1 %e1, %there
  br i1 %e2, label %held, label %no
held:
  %deleterp = call ptr @field(ptr %storage, ptr %ctx, i64 9)
  %deleter = load i64, ptr %deleterp
  %frees = icmp eq i64 %deleter, %wdeleter
  br i1 %frees, label %yes, label %no
yes:
  ret ptr %storage
no:
  ret ptr null
}

; Whether elements lie within so many bytes: a storage may have been made smaller under its tensors. All extents are 1 at least.
define internal i1 @held(i64 %offset, i64 %rank, ptr %shape, ptr %strides, i64 %item, i64 %bytes) {
entry:
  %first = add i64 %offset, 1
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i1, %dim ]
  %total = phi i64 [ %first, %entry ], [ %sum, %dim ]
  %more = icmp slt i64 %i, %rank
  br i1 %more, label %dim, label %out
dim:
  %np = getelementptr i64, ptr %shape, i64 %i
  %sp = getelementptr i64, ptr %strides, i64 %i
  %n = load i64, ptr %np
  %s = load i64, ptr %sp
  %n1 = sub i64 %n, 1
  %part = mul i64 %n1, %s
  %sum = add i64 %total, %part
  %i1 = add i64 %i, 1
  br label %loop
out:
  %need = mul i64 %total, %item
  %fits = icmp ule i64 %need, %bytes
  ret i1 %fits
}

; Whether memory is there for such extents: none is below zero, and where none is zero, there is an address.
define internal i1 @sound(i64 %address, i64 %rank, ptr %shape) {
entry:
  %null = icmp eq i64 %address, 0
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i1, %fine ]
  %empty = phi i1 [ false, %entry ], [ %or, %fine ]
  %more = icmp slt i64 %i, %rank
  br i1 %more, label %dim, label %out
dim:
  %np = getelementptr i64, ptr %shape, i64 %i
  %n = load i64, ptr %np
  %zero = icmp eq i64 %n, 0
  %or = or i1 %empty, %zero
  %i1 = add i64 %i, 1
  %negative = icmp slt i64 %n, 0
  br i1 %negative, label %no, label %fine
fine:
  br label %loop
out:
  %some = xor i1 %null, true
  %ok = or i1 %some, %empty
  ret i1 %ok
no:
  ret i1 false
}

; The fields of a tensor that is like the one accepted.
define internal i1 @tensor(ptr %impl, ptr %storage, ptr %ctx, ptr %param, ptr %out) {
  %datap = call ptr @field(ptr %storage, ptr %ctx, i64 8)
  %data = load i64, ptr %datap
  %offsetp = call ptr @field(ptr %impl, ptr %ctx, i64 5)
  %offset = load i64, ptr %offsetp
  %itemp = getelementptr %Param, ptr %param, i32 0, i32 9
  %item = load i64, ptr %itemp
  %bytes = mul i64 %offset, %item
  %address = add i64 %data, %bytes
  %rankp = call ptr @field(ptr %impl, ptr %ctx, i64 6)
  %rank = load i64, ptr %rankp
  %shape = call ptr @field(ptr %impl, ptr %ctx, i64 7)
  %strides = getelementptr i64, ptr %shape, i64 5
  %heldp = call ptr @field(ptr %storage, ptr %ctx, i64 15)
  %held = load i64, ptr %heldp
  %whole = call i1 @held(i64 %offset, i64 %rank, ptr %shape, ptr %strides, i64 %item, i64 %held)
  br i1 %whole, label %look, label %no
look:
  %r = call i1 @strided(i1 true, ptr %param, i64 %address, i64 %rank, ptr %shape, ptr %strides, ptr %out)
  ret i1 %r
no:
  ret i1 false
}

; DLTensor: data at 0, device type (int) 8, device index (int) 12, rank (int) 16, dtype 20, extents 24, strides in elements 32, byte offset 40.
define internal i1 @dlpack(ptr %fn, ptr %o, ptr %param, ptr %out) {
entry:
  %t = alloca [64 x i8], align 16
  %rc = call i32 %fn(ptr %o, ptr %t)
  %good = icmp eq i32 %rc, 0
  br i1 %good, label %device, label %clear
clear:
  call void @PyErr_Clear()
  br label %no
device:
  %devp = getelementptr i8, ptr %t, i64 8
  %dev = load i64, ptr %devp
  %wdevp = getelementptr %Param, ptr %param, i32 0, i32 5
  %wdev = load i64, ptr %wdevp
  %there = icmp eq i64 %dev, %wdev
  br i1 %there, label %dtype, label %no
dtype:
  %codep = getelementptr i8, ptr %t, i64 20
  %code = load i32, ptr %codep
  br label %search
search:
  %i = phi i64 [ 0, %dtype ], [ %i1, %step ]
  %cp = getelementptr %Param, ptr %param, i32 0, i32 6, i64 %i
  %c = load i32, ptr %cp
  %hit = icmp eq i32 %c, %code
  br i1 %hit, label %form, label %step
step:
  %i1 = add i64 %i, 1
  %last = icmp eq i64 %i1, 4
  br i1 %last, label %no, label %search
form:
  %ndp = getelementptr i8, ptr %t, i64 16
  %nd = load i32, ptr %ndp
  %rank = zext i32 %nd to i64
  %shapep = getelementptr i8, ptr %t, i64 24
  %shape = load ptr, ptr %shapep
  %stridesp = getelementptr i8, ptr %t, i64 32
  %strides = load ptr, ptr %stridesp
  %some = icmp ne ptr %strides, null
  br i1 %some, label %take, label %no
take:
  %data = load i64, ptr %t
  %offp = getelementptr i8, ptr %t, i64 40
  %off = load i64, ptr %offp
  %address = add i64 %data, %off
  %there.is = call i1 @sound(i64 %address, i64 %rank, ptr %shape)
  br i1 %there.is, label %described, label %no
described:
  %fits = call i1 @strided(i1 false, ptr %param, i64 %address, i64 %rank, ptr %shape, ptr %strides, ptr %out)
  ret i1 %fits
no:
  ret i1 false
}

; Whether a gradient would be lost by a torch tensor's going to a kernel: the slow path refuses it then.
define internal i1 @graded(ptr %impl, ptr %ctx) {
  %requiresp = getelementptr %Context, ptr %ctx, i32 0, i32 17, i32 13
  %requires = load ptr, ptr %requiresp
  %r = call i8 %requires(ptr %impl)
  %low = and i8 %r, 1
  %wanted = icmp ne i8 %low, 0
  br i1 %wanted, label %mode, label %no
mode:
  %enabledp = getelementptr %Context, ptr %ctx, i32 0, i32 17, i32 14
  %enabled = load ptr, ptr %enabledp
  %e = call i8 %enabled()
  %elow = and i8 %e, 1
  %on = icmp ne i8 %elow, 0
  ret i1 %on
no:
  ret i1 false
}

; Tells torch that the tensors which a kernel writes have changed: autograd finds by it what it had saved of them.
define internal void @changed(ptr %ctx, ptr %entry, ptr %args, i64 %nargs) {
start:
  %paramsp = getelementptr %Entry, ptr %entry, i32 0, i32 9
  %params = load ptr, ptr %paramsp
  br label %arg
arg:
  %j = phi i64 [ 0, %start ], [ %j1, %next ]
  %more = icmp slt i64 %j, %nargs
  br i1 %more, label %look, label %out
look:
  %j1 = add i64 %j, 1
  %param = getelementptr %Param, ptr %params, i64 %j
  %kind = load i64, ptr %param
  %flagsp = getelementptr %Param, ptr %param, i32 0, i32 2
  %flags = load i64, ptr %flagsp
  %array = icmp uge i64 %kind, 6
  %writes = and i64 %flags, 1024
  %written = icmp ne i64 %writes, 0
  %both = and i1 %array, %written
  br i1 %both, label %object, label %next
object:
  %ap = getelementptr ptr, ptr %args, i64 %j
  %o = load ptr, ptr %ap
  %t = call ptr @type_of(ptr %o)
  %countp = getelementptr %Context, ptr %ctx, i32 0, i32 12
  %count = load i64, ptr %countp
  br label %loop
loop:
  %i = phi i64 [ 0, %object ], [ %i1, %other ]
  %left = icmp ult i64 %i, %count
  br i1 %left, label %type, label %next
type:
  %tp = getelementptr %Context, ptr %ctx, i32 0, i32 13, i64 %i, i32 0
  %known = load ptr, ptr %tp
  %hit = icmp eq ptr %known, %t
  br i1 %hit, label %tensor, label %other
other:
  %i1 = add i64 %i, 1
  br label %loop
tensor:
  %implp = call ptr @field(ptr %o, ptr %ctx, i64 0)
  %impl = load ptr, ptr %implp
  %counterp = call ptr @field(ptr %impl, ptr %ctx, i64 11)
  %counter = load ptr, ptr %counterp
  ; Inference tensors have none.
  %has = icmp ne ptr %counter, null
  br i1 %has, label %count.up, label %next
count.up:
  %versionp = call ptr @field(ptr %counter, ptr %ctx, i64 12)
  %before = atomicrmw add ptr %versionp, i32 1 monotonic
  br label %next
next:
  br label %arg
out:
  ret void
}

define internal i1 @array(ptr %o, ptr %ctx, ptr %param, ptr %out) {
entry:
  %np = call i1 @is_type(ptr %o, ptr %ctx, i64 8)
  br i1 %np, label %numpy, label %others
numpy:
  %r = call i1 @numpy(ptr %o, ptr %param, ptr %out)
  ret i1 %r
others:
  %t = call ptr @type_of(ptr %o)
  %like = getelementptr %Param, ptr %param, i32 0, i32 12
  %torchs = load ptr, ptr %like
  %typed = icmp eq ptr %t, %torchs
  br i1 %typed, label %torch, label %ask
torch:
  %implp = call ptr @field(ptr %o, ptr %ctx, i64 0)
  %impl = load ptr, ptr %implp
  %storage = call ptr @alike(ptr %impl, ptr %ctx, ptr %like)
  %unlike = icmp eq ptr %storage, null
  br i1 %unlike, label %odd, label %read
odd:
  ; torch's function says nothing of laziness.
  %keysp = call ptr @field(ptr %impl, ptr %ctx, i64 2)
  %keys = load i64, ptr %keysp
  %lazyp = getelementptr %Context, ptr %ctx, i32 0, i32 17, i32 10
  %lazy = load i64, ptr %lazyp
  %bits = and i64 %keys, %lazy
  %eager = icmp eq i64 %bits, 0
  br i1 %eager, label %ask, label %no
read:
  %lost = call i1 @graded(ptr %impl, ptr %ctx)
  br i1 %lost, label %no, label %keep
keep:
  %fits = call i1 @tensor(ptr %impl, ptr %storage, ptr %ctx, ptr %param, ptr %out)
  ret i1 %fits
ask:
  %countp = getelementptr %Context, ptr %ctx, i32 0, i32 12
  %count = load i64, ptr %countp
  br label %loop
loop:
  %i = phi i64 [ 0, %ask ], [ %i1, %next ]
  %more = icmp ult i64 %i, %count
  br i1 %more, label %look, label %no
look:
  %tp = getelementptr %Context, ptr %ctx, i32 0, i32 13, i64 %i, i32 0
  %known = load ptr, ptr %tp
  %hit = icmp eq ptr %known, %t
  br i1 %hit, label %call, label %next
call:
  %thisp = call ptr @field(ptr %o, ptr %ctx, i64 0)
  %this = load ptr, ptr %thisp
  %loses = call i1 @graded(ptr %this, ptr %ctx)
  br i1 %loses, label %no, label %exchange
exchange:
  ; It does not say either whether the storage still has all elements.
  %ownp = call ptr @field(ptr %this, ptr %ctx, i64 1)
  %own = load ptr, ptr %ownp
  %none = icmp eq ptr %own, null
  %numelp = call ptr @field(ptr %this, ptr %ctx, i64 4)
  %numel = load i64, ptr %numelp
  %empty = icmp eq i64 %numel, 0
  %rankp = call ptr @field(ptr %this, ptr %ctx, i64 6)
  %rank = load i64, ptr %rankp
  ; Numbers of more dimensions stand elsewhere.
  %many = icmp ugt i64 %rank, 5
  %u0 = or i1 %none, %empty
  %unasked = or i1 %u0, %many
  br i1 %unasked, label %tell, label %size
size:
  %offsetp = call ptr @field(ptr %this, ptr %ctx, i64 5)
  %offset = load i64, ptr %offsetp
  %shape = call ptr @field(ptr %this, ptr %ctx, i64 7)
  %strides = getelementptr i64, ptr %shape, i64 5
  %itemp = getelementptr %Param, ptr %param, i32 0, i32 9
  %item = load i64, ptr %itemp
  %bytesp = call ptr @field(ptr %own, ptr %ctx, i64 15)
  %bytes = load i64, ptr %bytesp
  %whole = call i1 @held(i64 %offset, i64 %rank, ptr %shape, ptr %strides, i64 %item, i64 %bytes)
  br i1 %whole, label %tell, label %no
tell:
  %fp = getelementptr %Context, ptr %ctx, i32 0, i32 13, i64 %i, i32 1
  %f = load ptr, ptr %fp
  %s = call i1 @dlpack(ptr %f, ptr %o, ptr %param, ptr %out)
  ret i1 %s
next:
  %i1 = add i64 %i, 1
  br label %loop
no:
  ret i1 false
}

; One argument against its %Param; its slot is filled.
define internal i1 @argument(ptr %o, ptr %ctx, ptr %param, ptr %slots) {
entry:
  %kind = load i64, ptr %param
  %slotp = getelementptr %Param, ptr %param, i32 0, i32 1
  %slot = load i64, ptr %slotp
  %out = getelementptr i64, ptr %slots, i64 %slot
  %lop = getelementptr %Param, ptr %param, i32 0, i32 2
  %lo = load i64, ptr %lop
  %hip = getelementptr %Param, ptr %param, i32 0, i32 3
  %hi = load i64, ptr %hip
  switch i64 %kind, label %no [
    i64 0, label %constant
    i64 1, label %int
    i64 2, label %uint
    i64 3, label %double
    i64 4, label %single
    i64 5, label %flag
    i64 6, label %memory
    i64 7, label %memory
    i64 8, label %memory
  ]
constant:
  %want = inttoptr i64 %lo to ptr
  %r0 = call i1 @same(ptr %o, ptr %want, ptr %ctx)
  ret i1 %r0
int:
  %r1 = call i1 @signed(ptr %o, ptr %ctx, i64 %lo, i64 %hi, ptr %out)
  ret i1 %r1
uint:
  %r2 = call i1 @unsigned(ptr %o, ptr %ctx, i64 %hi, ptr %out)
  ret i1 %r2
double:
  %r3 = call i1 @floating(ptr %o, ptr %ctx, i1 false, ptr %out)
  ret i1 %r3
single:
  %r4 = call i1 @floating(ptr %o, ptr %ctx, i1 true, ptr %out)
  ret i1 %r4
flag:
  %tp = getelementptr ptr, ptr %ctx, i64 6
  %true = load ptr, ptr %tp
  %fp = getelementptr ptr, ptr %ctx, i64 7
  %false = load ptr, ptr %fp
  %is1 = icmp eq ptr %o, %true
  %is0 = icmp eq ptr %o, %false
  %v = zext i1 %is1 to i64
  store i64 %v, ptr %out
  %r5 = or i1 %is1, %is0
  ret i1 %r5
memory:
  %r6 = call i1 @array(ptr %o, ptr %ctx, ptr %param, ptr %out)
  ret i1 %r6
no:
  ret i1 false
}

; Whether the entry is for this call: shape of the call, block, environment, globals, every argument. Fills the slots.
define internal i1 @match(ptr %entry, ptr %ctx, ptr %args, i64 %npos, i64 %nkw, ptr %kwnames, ptr %block, ptr %slots) {
start:
  %pp = getelementptr %Entry, ptr %entry, i32 0, i32 3
  %p = load i64, ptr %pp
  %samepos = icmp eq i64 %p, %npos
  %kp = getelementptr %Entry, ptr %entry, i32 0, i32 4
  %k = load i64, ptr %kp
  %samekw = icmp eq i64 %k, %nkw
  %ok = and i1 %samepos, %samekw
  br i1 %ok, label %blocks, label %no
blocks:
  %bp = getelementptr %Entry, ptr %entry, i32 0, i32 6
  %want = load <3 x i64>, ptr %bp, align 8
  %have = load <3 x i64>, ptr %block, align 8
  %diff = xor <3 x i64> %want, %have
  %or = call i64 @llvm.vector.reduce.or.v3i64(<3 x i64> %diff)
  %sameblock = icmp eq i64 %or, 0
  br i1 %sameblock, label %globals, label %no
globals:
  %wp = getelementptr %Entry, ptr %entry, i32 0, i32 2
  %watches = load ptr, ptr %wp
  %wcp = getelementptr %Entry, ptr %entry, i32 0, i32 1
  %wcount = load i64, ptr %wcp
  %sameglobals = call i1 @unchanged(ptr %ctx, ptr %watches, i64 %wcount)
  br i1 %sameglobals, label %names, label %no
names:
  %namesp = getelementptr %Entry, ptr %entry, i32 0, i32 5
  %wnames = load ptr, ptr %namesp
  br label %name
name:
  %i = phi i64 [ 0, %names ], [ %i1, %named ]
  %morenames = icmp slt i64 %i, %nkw
  br i1 %morenames, label %compare, label %fill
compare:
  %wnp = getelementptr ptr, ptr %wnames, i64 %i
  %wn = load ptr, ptr %wnp
  %hn = call ptr @item_of(ptr %kwnames, ptr %ctx, i64 %i)
  %samename = call i1 @same(ptr %hn, ptr %wn, ptr %ctx)
  br i1 %samename, label %named, label %no
named:
  %i1 = add i64 %i, 1
  br label %name
fill:
  %nslotsp = getelementptr %Entry, ptr %entry, i32 0, i32 10
  %nslots = load i64, ptr %nslotsp
  %templatep = getelementptr %Entry, ptr %entry, i32 0, i32 11
  %template = load ptr, ptr %templatep
  %bytes = shl i64 %nslots, 3
  %all = icmp eq ptr %template, null
  br i1 %all, label %ready, label %defaults
defaults:
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %slots, ptr align 8 %template, i64 %bytes, i1 false)
  br label %ready
ready:
  %paramsp = getelementptr %Entry, ptr %entry, i32 0, i32 9
  %params = load ptr, ptr %paramsp
  %nargs = add i64 %npos, %nkw
  br label %arg
arg:
  %j = phi i64 [ 0, %ready ], [ %j1, %took ]
  %moreargs = icmp slt i64 %j, %nargs
  br i1 %moreargs, label %one, label %yes
one:
  %ap = getelementptr ptr, ptr %args, i64 %j
  %a = load ptr, ptr %ap
  %param = getelementptr %Param, ptr %params, i64 %j
  %good = call i1 @argument(ptr %a, ptr %ctx, ptr %param, ptr %slots)
  br i1 %good, label %took, label %no
took:
  %j1 = add i64 %j, 1
  br label %arg
yes:
  ret i1 true
no:
  ret i1 false
}
declare i64 @llvm.vector.reduce.or.v3i64(<3 x i64>)

; Takes Ave's own frames off the traceback of an AveError that is being raised.
define internal void @strip(ptr %ctx) {
  %keepp = getelementptr %Context, ptr %ctx, i32 0, i32 11
  %keep = load i64, ptr %keepp
  %full = icmp ne i64 %keep, 0
  br i1 %full, label %out, label %look
look:
  %t = alloca ptr
  %v = alloca ptr
  %tb = alloca ptr
  call void @PyErr_Fetch(ptr %t, ptr %v, ptr %tb)
  call void @PyErr_NormalizeException(ptr %t, ptr %v, ptr %tb)
  %type = load ptr, ptr %t
  %avep = getelementptr %Context, ptr %ctx, i32 0, i32 9
  %ave = load ptr, ptr %avep
  %hit = call i32 @PyErr_GivenExceptionMatches(ptr %type, ptr %ave)
  %ours = icmp ne i32 %hit, 0
  br i1 %ours, label %cut, label %restore
cut:
  %old = load ptr, ptr %tb
  %some = icmp ne ptr %old, null
  br i1 %some, label %drop, label %clear
drop:
  call void @Py_DecRef(ptr %old)
  store ptr null, ptr %tb
  br label %clear
clear:
  %nonep = getelementptr %Context, ptr %ctx, i32 0, i32 5
  %none = load ptr, ptr %nonep
  %value = load ptr, ptr %v
  call i32 @PyException_SetTraceback(ptr %value, ptr %none)
  br label %restore
restore:
  %t1 = load ptr, ptr %t
  %v1 = load ptr, ptr %v
  %tb1 = load ptr, ptr %tb
  call void @PyErr_Restore(ptr %t1, ptr %v1, ptr %tb1)
  br label %out
out:
  ret void
}

; Python: a function is called with the geometry in place of its provider, which must not run twice, and with a status before it (null: none).
define internal ptr @python(ptr %f, ptr %ctx, ptr %status, ptr %geometry, ptr %args, i64 %n, i64 %nkw, ptr %kwnames) {
entry:
  %some = icmp ne ptr %status, null
  %before = zext i1 %some to i64
  %all = add i64 %n, %nkw
  %first = add i64 %before, 1
  %count = add i64 %all, %first
  %space = alloca ptr, i64 %count
  store ptr %status, ptr %space
  %place = getelementptr ptr, ptr %space, i64 %before
  store ptr %geometry, ptr %place
  %copy = getelementptr ptr, ptr %space, i64 %first
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i1, %one ]
  %more = icmp slt i64 %i, %all
  br i1 %more, label %one, label %call
one:
  %from = getelementptr ptr, ptr %args, i64 %i
  %to = getelementptr ptr, ptr %copy, i64 %i
  %a = load ptr, ptr %from
  store ptr %a, ptr %to
  %i1 = add i64 %i, 1
  br label %loop
call:
  %positional = add i64 %n, %first
  %r = call ptr @PyObject_Vectorcall(ptr %f, ptr %space, i64 %positional, ptr %kwnames)
  %failed = icmp eq ptr %r, null
  br i1 %failed, label %strip, label %out
strip:
  call void @strip(ptr %ctx)
  br label %out
out:
  ret ptr %r
}

; Whether the driver may be asked to launch: not too many blocks along x, and a stream is known, which goes to the last slot.
define internal i1 @launchable(ptr %entry, ptr %gpu, i64 %gx, ptr %slots) {
start:
  %mostp = getelementptr %Gpu, ptr %gpu, i32 0, i32 5
  %most = load i64, ptr %mostp
  %fits = icmp sle i64 %gx, %most
  br i1 %fits, label %stream, label %no
stream:
  %fp = getelementptr %Entry, ptr %entry, i32 0, i32 13
  %f = load ptr, ptr %fp
  %given = icmp eq ptr %f, null
  br i1 %given, label %yes, label %ask
ask:
  %devicep = getelementptr %Entry, ptr %entry, i32 0, i32 14
  %device = load i64, ptr %devicep
  %high = lshr i64 %device, 32
  %type = trunc i64 %device to i32
  %index = trunc i64 %high to i32
  %lastp = getelementptr %Gpu, ptr %gpu, i32 0, i32 6
  %last = load i64, ptr %lastp
  %slot = getelementptr i64, ptr %slots, i64 %last
  %rc = call i32 %f(i32 %type, i32 %index, ptr %slot)
  %ok = icmp eq i32 %rc, 0
  br i1 %ok, label %yes, label %clear
clear:
  call void @PyErr_Clear()
  br label %no
yes:
  ret i1 true
no:
  ret i1 false
}

; Whether a launch keeps what a kernel expects: rows of arithmetic (expects.py) on slots and grid, of which some must not be 0.
define internal i1 @kept(ptr %table, ptr %slots, ptr %grid) {
entry:
  %values = alloca [256 x i64], align 16
  %rows = load i64, ptr %table
  %askedp = getelementptr i64, ptr %table, i64 1
  %asked = load i64, ptr %askedp
  %first = getelementptr i64, ptr %table, i64 2
  br label %row
row:
  %i = phi i64 [ 0, %entry ], [ %i1, %made ]
  %more = icmp slt i64 %i, %rows
  br i1 %more, label %compute, label %conditions
compute:
  %at = mul i64 %i, 6
  %rp = getelementptr i64, ptr %first, i64 %at
  %code = load i64, ptr %rp
  %ap = getelementptr i64, ptr %rp, i64 1
  %a = load i64, ptr %ap
  %bp = getelementptr i64, ptr %rp, i64 2
  %b = load i64, ptr %bp
  %cp = getelementptr i64, ptr %rp, i64 3
  %c = load i64, ptr %cp
  %sp = getelementptr i64, ptr %rp, i64 4
  %shift = load i64, ptr %sp
  %gp = getelementptr i64, ptr %rp, i64 5
  %signed = load i64, ptr %gp
  %leaf = icmp ult i64 %code, 3
  br i1 %leaf, label %leaves, label %inner
leaves:
  switch i64 %code, label %isconst [ i64 1, label %isarg  i64 2, label %isgrid ]
isconst:
  br label %have
isarg:
  %argp = getelementptr i64, ptr %slots, i64 %a
  %arg = load i64, ptr %argp
  br label %have
isgrid:
  %gridp = getelementptr i32, ptr %grid, i64 %a
  %grid32 = load i32, ptr %gridp
  %blocks = zext i32 %grid32 to i64
  br label %have
inner:
  %xp = getelementptr i64, ptr %values, i64 %a
  %x = load i64, ptr %xp
  %yp = getelementptr i64, ptr %values, i64 %b
  %y = load i64, ptr %yp
  %zp = getelementptr i64, ptr %values, i64 %c
  %z = load i64, ptr %zp
  switch i64 %code, label %no [
    i64 3, label %add  i64 4, label %sub  i64 5, label %mul  i64 6, label %quotient  i64 7, label %rest  i64 8, label %floor  i64 9, label %modulo
    i64 10, label %and  i64 11, label %or  i64 12, label %xor  i64 13, label %shl  i64 14, label %shr  i64 15, label %min  i64 16, label %max
    i64 17, label %eq  i64 18, label %ne  i64 19, label %lt  i64 20, label %le  i64 21, label %gt  i64 22, label %ge
    i64 23, label %select  i64 24, label %convert  i64 25, label %not  i64 26, label %neg  i64 27, label %not1
  ]
add:
  %vadd = add i64 %x, %y
  br label %have
sub:
  %vsub = sub i64 %x, %y
  br label %have
mul:
  %vmul = mul i64 %x, %y
  br label %have
quotient:
  %q0 = call i64 @divided(i64 %x, i64 %y, i64 0)
  br label %have
rest:
  %q1 = call i64 @divided(i64 %x, i64 %y, i64 1)
  br label %have
floor:
  %q2 = call i64 @divided(i64 %x, i64 %y, i64 2)
  br label %have
modulo:
  %q3 = call i64 @divided(i64 %x, i64 %y, i64 3)
  br label %have
and:
  %vand = and i64 %x, %y
  br label %have
or:
  %vor = or i64 %x, %y
  br label %have
xor:
  %vxor = xor i64 %x, %y
  br label %have
shl:
  %far = and i64 %y, 4294967295
  %near = call i64 @llvm.umin.i64(i64 %far, i64 63)
  %vshl = shl i64 %x, %near
  br label %have
shr:
  %farr = and i64 %y, 4294967295
  %nearr = call i64 @llvm.umin.i64(i64 %farr, i64 63)
  %vshr = ashr i64 %x, %nearr
  br label %have
min:
  %vmin = call i64 @llvm.smin.i64(i64 %x, i64 %y)
  br label %have
max:
  %vmax = call i64 @llvm.smax.i64(i64 %x, i64 %y)
  br label %have
eq:
  %ieq = icmp eq i64 %x, %y
  br label %truth
ne:
  %ine = icmp ne i64 %x, %y
  br label %truth
lt:
  %ilt = icmp slt i64 %x, %y
  br label %truth
le:
  %ile = icmp sle i64 %x, %y
  br label %truth
gt:
  %igt = icmp sgt i64 %x, %y
  br label %truth
ge:
  %ige = icmp sge i64 %x, %y
  br label %truth
truth:
  %holds = phi i1 [ %ieq, %eq ], [ %ine, %ne ], [ %ilt, %lt ], [ %ile, %le ], [ %igt, %gt ], [ %ige, %ge ]
  %vtruth = zext i1 %holds to i64
  br label %have
select:
  %some = icmp ne i64 %x, 0
  %vselect = select i1 %some, i64 %y, i64 %z
  br label %have
convert:
  br label %have
not:
  %vnot = xor i64 %x, -1
  br label %have
neg:
  %vneg = sub i64 0, %x
  br label %have
not1:
  %vnot1 = xor i64 %x, 1
  br label %have
have:
  %v = phi i64 [ %a, %isconst ], [ %arg, %isarg ], [ %blocks, %isgrid ], [ %vadd, %add ], [ %vsub, %sub ], [ %vmul, %mul ], [ %q0, %quotient ],
               [ %q1, %rest ], [ %q2, %floor ], [ %q3, %modulo ], [ %vand, %and ], [ %vor, %or ], [ %vxor, %xor ], [ %vshl, %shl ], [ %vshr, %shr ],
               [ %vmin, %min ], [ %vmax, %max ], [ %vtruth, %truth ], [ %vselect, %select ], [ %x, %convert ], [ %vnot, %not ], [ %vneg, %neg ],
               [ %vnot1, %not1 ]
  %up = shl i64 %v, %shift
  %low = lshr i64 %up, %shift
  %sign = ashr i64 %up, %shift
  %is = icmp ne i64 %signed, 0
  %wrapped = select i1 %is, i64 %sign, i64 %low
  br label %made
made:
  %outp = getelementptr i64, ptr %values, i64 %i
  store i64 %wrapped, ptr %outp
  %i1 = add i64 %i, 1
  br label %row
conditions:
  %words = mul i64 %rows, 6
  %mustp = getelementptr i64, ptr %first, i64 %words
  br label %condition
condition:
  %j = phi i64 [ 0, %conditions ], [ %j1, %next ]
  %left = icmp slt i64 %j, %asked
  br i1 %left, label %look, label %yes
look:
  %jp = getelementptr i64, ptr %mustp, i64 %j
  %must = load i64, ptr %jp
  %valuep = getelementptr i64, ptr %values, i64 %must
  %value = load i64, ptr %valuep
  %good = icmp ne i64 %value, 0
  br i1 %good, label %next, label %no
next:
  %j1 = add i64 %j, 1
  br label %condition
yes:
  ret i1 true
no:
  ret i1 false
}
declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)

; x / y by the language's rules: %which 0 the quotient truncated, 1 what it leaves over, 2 rounded down, 3 what that leaves over. By zero -1, and x.
define internal i64 @divided(i64 %x, i64 %y, i64 %which) {
  %zero = icmp eq i64 %y, 0
  %minus = icmp eq i64 %y, -1
  %odd = or i1 %zero, %minus
  %safe = select i1 %odd, i64 1, i64 %y
  %q = sdiv i64 %x, %safe
  %negated = sub i64 0, %x
  %q1 = select i1 %minus, i64 %negated, i64 %q
  %back = mul i64 %q1, %y
  %r = sub i64 %x, %back
  %inexact = icmp ne i64 %r, 0
  %signs = xor i64 %r, %y
  %opposite = icmp slt i64 %signs, 0
  %down = and i1 %inexact, %opposite
  %less = sub i64 %q1, 1
  %floor = select i1 %down, i64 %less, i64 %q1
  %more = add i64 %r, %y
  %mod = select i1 %down, i64 %more, i64 %r
  %rounds = icmp uge i64 %which, 2
  %wq = select i1 %rounds, i64 %floor, i64 %q1
  %wr = select i1 %rounds, i64 %mod, i64 %r
  %bit = and i64 %which, 1
  %rest = icmp ne i64 %bit, 0
  %v = select i1 %rest, i64 %wr, i64 %wq
  %nothing = select i1 %rest, i64 %x, i64 -1
  %out = select i1 %zero, i64 %nothing, i64 %v
  ret i64 %out
}

; The same for Python.
define i32 @ave_kept(ptr %table, ptr %slots, ptr %grid) {
  %kept = call i1 @kept(ptr %table, ptr %slots, ptr %grid)
  %r = zext i1 %kept to i32
  ret i32 %r
}

; The builtin: `self` is a tuple, the address of %State and what must live as long; args[0] is the provider.
define ptr @ave_launch(ptr %self, ptr %args, i64 %n, ptr %kwnames) {
  %addr = call ptr @PyTuple_GetItem(ptr %self, i64 0)
  %state = call ptr @PyLong_AsVoidPtr(ptr %addr)
  %provider = load ptr, ptr %args
  %user = getelementptr ptr, ptr %args, i64 1
  %npos = sub i64 %n, 1
  %r = call ptr @launch(ptr %state, ptr %provider, ptr %user, i64 %npos, ptr %kwnames)
  ret ptr %r
}

; A launch: what the builtin does, and what `kernel[provider]` does when it is called (subscript.ll).
define internal ptr @launch(ptr %state, ptr %provider, ptr %user, i64 %npos, ptr %kwnames) {
entry:
  %space = alloca %Room, align 64
  %block = alloca [4 x i64], align 16
  %grid = alloca [3 x i64], align 16
  %grid32 = alloca [4 x i32], align 16
  %ctx = load ptr, ptr %state
  %nokw = icmp eq ptr %kwnames, null
  br i1 %nokw, label %provide, label %countkw
countkw:
  %kw = call i64 @size_of(ptr %kwnames)
  br label %provide
provide:
  %nkw = phi i64 [ 0, %entry ], [ %kw, %countkw ]
  %callable = call i32 @PyCallable_Check(ptr %provider)
  %calls = icmp ne i32 %callable, 0
  br i1 %calls, label %asked, label %plain
asked:
  %answer = call ptr @PyObject_CallNoArgs(ptr %provider)
  %raised = icmp eq ptr %answer, null
  br i1 %raised, label %null, label %given
null:
  ; A provider that wants arguments is one that Python names: it gets the provider itself.
  %type_error = load ptr, ptr @PyExc_TypeError
  %match = call i32 @PyErr_ExceptionMatches(ptr %type_error)
  %unfit = icmp ne i32 %match, 0
  br i1 %unfit, label %again, label %gone
gone:
  ret ptr null
again:
  call void @PyErr_Clear()
  br label %plain
plain:
  call void @Py_IncRef(ptr %provider)
  br label %given
given:
  %geometry = phi ptr [ %answer, %asked ], [ %provider, %plain ]
  %tup = call i1 @is_type(ptr %geometry, ptr %ctx, i64 4)
  br i1 %tup, label %pair, label %fallback
pair:
  %size = call i64 @size_of(ptr %geometry)
  %two = icmp eq i64 %size, 2
  br i1 %two, label %parse, label %fallback
parse:
  %g = call ptr @item_of(ptr %geometry, ptr %ctx, i64 0)
  %okg = call i1 @extents(ptr %g, ptr %ctx, ptr %grid)
  br i1 %okg, label %parseb, label %fallback
parseb:
  %b = call ptr @item_of(ptr %geometry, ptr %ctx, i64 1)
  %okb = call i1 @extents(ptr %b, ptr %ctx, ptr %block)
  br i1 %okb, label %limits, label %fallback
limits:
  ; 65535 blocks along y and z (geometry.py); more is an error, which Python words.
  %gx = load i64, ptr %grid
  %gyp = getelementptr i64, ptr %grid, i64 1
  %gy = load i64, ptr %gyp
  %gzp = getelementptr i64, ptr %grid, i64 2
  %gz = load i64, ptr %gzp
  %yz = or i64 %gy, %gz
  %fits = icmp ule i64 %yz, 65535
  br i1 %fits, label %narrow, label %fallback
narrow:
  %gx32 = trunc i64 %gx to i32
  %gy32 = trunc i64 %gy to i32
  %gz32 = trunc i64 %gz to i32
  %g1p = getelementptr i32, ptr %grid32, i64 1
  %g2p = getelementptr i32, ptr %grid32, i64 2
  store i32 %gx32, ptr %grid32
  store i32 %gy32, ptr %g1p
  store i32 %gz32, ptr %g2p
  br label %entries
entries:
  %countp = getelementptr %State, ptr %state, i32 0, i32 2
  %count = load i64, ptr %countp
  br label %each
each:
  %i = phi i64 [ 0, %entries ], [ %i1, %other ]
  %more = icmp slt i64 %i, %count
  br i1 %more, label %test, label %fallback
test:
  %entryp = getelementptr %State, ptr %state, i32 0, i32 3, i64 %i
  %e = load ptr, ptr %entryp
  %hit = call i1 @match(ptr %e, ptr %ctx, ptr %user, i64 %npos, i64 %nkw, ptr %kwnames, ptr %block, ptr %space)
  br i1 %hit, label %promises, label %other
promises:
  %expectsp = getelementptr %Entry, ptr %e, i32 0, i32 16
  %expects = load ptr, ptr %expectsp
  %nothing = icmp eq ptr %expects, null
  br i1 %nothing, label %run, label %ask
ask:
  %kept = call i1 @kept(ptr %expects, ptr %space, ptr %grid32)
  br i1 %kept, label %run, label %fallback
other:
  %i1 = add i64 %i, 1
  br label %each
fallback:
  %slowp = getelementptr %State, ptr %state, i32 0, i32 1
  %slow = load ptr, ptr %slowp
  %r = call ptr @python(ptr %slow, ptr %ctx, ptr null, ptr %geometry, ptr %user, i64 %npos, i64 %nkw, ptr %kwnames)
  call void @Py_DecRef(ptr %geometry)
  ret ptr %r
run:
  %nargs = add i64 %npos, %nkw
  call void @changed(ptr %ctx, ptr %e, ptr %user, i64 %nargs)
  %lastp = getelementptr %State, ptr %state, i32 0, i32 4
  %ei = ptrtoint ptr %e to i64
  %gpup = getelementptr %Entry, ptr %e, i32 0, i32 12
  %gpu = load ptr, ptr %gpup
  %cpu = icmp eq ptr %gpu, null
  br i1 %cpu, label %blocks, label %device
device:
  %can = call i1 @launchable(ptr %e, ptr %gpu, i64 %gx, ptr %space)
  br i1 %can, label %hand, label %fallback
hand:
  store i64 %ei, ptr %lastp
  %lock = call ptr @PyEval_SaveThread()
  %status = call i64 @ave_launch_gpu(ptr %gpu, ptr %space, ptr %grid32)
  call void @PyEval_RestoreThread(ptr %lock)
  %taken = icmp eq i64 %status, 0
  br i1 %taken, label %launched, label %refused
launched:
  call void @Py_DecRef(ptr %geometry)
  br label %done
refused:
  %refusedp = getelementptr %Entry, ptr %e, i32 0, i32 15
  %tell = load ptr, ptr %refusedp
  call void @Py_IncRef(ptr %tell)
  %why = call ptr @PyLong_FromLongLong(i64 %status)
  %told = call ptr @python(ptr %tell, ptr %ctx, ptr %why, ptr %geometry, ptr %user, i64 %npos, i64 %nkw, ptr %kwnames)
  call void @Py_DecRef(ptr %why)
  call void @Py_DecRef(ptr %tell)
  call void @Py_DecRef(ptr %geometry)
  ret ptr %told
blocks:
  call void @Py_DecRef(ptr %geometry)
  store i64 %ei, ptr %lastp
  %pool = load ptr, ptr %ctx
  %kernel = load ptr, ptr %e
  %thread = call ptr @PyEval_SaveThread()
  %rc = call i64 @ave_run_grid(ptr %pool, ptr %kernel, ptr %space, ptr %grid32, ptr %thread)
  call void @PyEval_RestoreThread(ptr %thread)
  %ok = icmp eq i64 %rc, 0
  br i1 %ok, label %done, label %failed
done:
  %nonep = getelementptr %Context, ptr %ctx, i32 0, i32 5
  %none = load ptr, ptr %nonep
  call void @Py_IncRef(ptr %none)
  ret ptr %none
failed:
  ; A handler of a signal has raised while the blocks ran.
  %interrupt = call ptr @PyErr_Occurred()
  %set = icmp ne ptr %interrupt, null
  br i1 %set, label %early, label %status.told
early:
  ret ptr null
status.told:
  %failp = getelementptr %Context, ptr %ctx, i32 0, i32 10
  %fail = load ptr, ptr %failp
  %code = call ptr @PyLong_FromLongLong(i64 %rc)
  %never = call ptr (ptr, ...) @PyObject_CallFunctionObjArgs(ptr %fail, ptr %code, ptr null)
  call void @Py_DecRef(ptr %code)
  call void @strip(ptr %ctx)
  ret ptr null
}
