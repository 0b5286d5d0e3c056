; `kernel[provider]` without Python code: a kernel and a provider come in; an object that launches when it is called goes out.
;
; `ave_subscript` is the subscription of a base class, `ave_bound_call` the vectorcall of what it gives. `subscript.py` makes the types. The object
; that died last is kept for the next subscription, as most live for one call.

; reference count, type, vectorcall, the builtin of the kernel, the provider
%Bound = type { i64, ptr, ptr, ptr, ptr }

; What Python fills in, the type of bound launches and the byte of a kernel where its builtin stands, and the object that died last.
%Subscript = type { ptr, i64, ptr }
@ave_subscripts = global %Subscript zeroinitializer

declare i32 @PyErr_BadArgument()
declare ptr @_PyObject_GC_New(ptr)
declare void @PyObject_GC_Track(ptr)
declare i32 @PyObject_GC_IsTracked(ptr)
declare void @PyObject_GC_UnTrack(ptr)
declare void @PyObject_GC_Del(ptr)

define ptr @ave_subscript(ptr %self, ptr %provider) {
entry:
  %offsetp = getelementptr %Subscript, ptr @ave_subscripts, i32 0, i32 1
  %offset = load i64, ptr %offsetp
  %place = getelementptr i8, ptr %self, i64 %offset
  %launch = load ptr, ptr %place
  %none = icmp eq ptr %launch, null
  br i1 %none, label %fail, label %make
fail:
  call i32 @PyErr_BadArgument()
  ret ptr null
make:
  call void @Py_IncRef(ptr %launch)
  %type = load ptr, ptr @ave_subscripts
  %freep = getelementptr %Subscript, ptr @ave_subscripts, i32 0, i32 2
  %free = load ptr, ptr %freep
  %empty = icmp eq ptr %free, null
  br i1 %empty, label %new, label %again
again:
  ; It has its type still.
  store ptr null, ptr %freep
  store i64 1, ptr %free
  br label %fill
new:
  %made = call ptr @_PyObject_GC_New(ptr %type)
  %void = icmp eq ptr %made, null
  br i1 %void, label %drop, label %fill
drop:
  call void @Py_DecRef(ptr %launch)
  ret ptr null
fill:
  %o = phi ptr [ %free, %again ], [ %made, %new ]
  %callp = getelementptr %Bound, ptr %o, i32 0, i32 2
  %launchp = getelementptr %Bound, ptr %o, i32 0, i32 3
  %providerp = getelementptr %Bound, ptr %o, i32 0, i32 4
  store ptr @ave_bound_call, ptr %callp
  store ptr %launch, ptr %launchp
  call void @Py_IncRef(ptr %provider)
  store ptr %provider, ptr %providerp
  ret ptr %o
}

; What somebody else holds too may stand in a cycle, and the collector must see it; what is called as it is made is spared that.
define internal void @track(ptr %self) {
  %count = load i32, ptr %self
  %held = icmp ne i32 %count, 1
  br i1 %held, label %ask, label %out
ask:
  %tracked = call i32 @PyObject_GC_IsTracked(ptr %self)
  %seen = icmp ne i32 %tracked, 0
  br i1 %seen, label %out, label %show
show:
  call void @PyObject_GC_Track(ptr %self)
  br label %out
out:
  ret void
}

define ptr @ave_bound_call(ptr %self, ptr %args, i64 %flags, ptr %kwnames) {
  ; The highest bit says that args[-1] may be written (PY_VECTORCALL_ARGUMENTS_OFFSET).
  %n = and i64 %flags, 9223372036854775807
  call void @track(ptr %self)
  %launchp = getelementptr %Bound, ptr %self, i32 0, i32 3
  %launch = load ptr, ptr %launchp
  %providerp = getelementptr %Bound, ptr %self, i32 0, i32 4
  %provider = load ptr, ptr %providerp
  ; A builtin's third word is its PyMethodDef, behind whose four the %State stands.
  %methodp = getelementptr ptr, ptr %launch, i64 2
  %method = load ptr, ptr %methodp
  %statep = getelementptr ptr, ptr %method, i64 4
  %state = load ptr, ptr %statep
  %r = call ptr @launch(ptr %state, ptr %provider, ptr %args, i64 %n, ptr %kwnames)
  ret ptr %r
}

define i32 @ave_bound_traverse(ptr %self, ptr %visit, ptr %arg) {
entry:
  br label %loop
loop:
  ; The type, the builtin and the provider stand in words 1, 3 and 4.
  %i = phi i64 [ 1, %entry ], [ 3, %first ], [ 4, %second ]
  %p = getelementptr ptr, ptr %self, i64 %i
  %o = load ptr, ptr %p
  %r = call i32 %visit(ptr %o, ptr %arg)
  %stop = icmp ne i32 %r, 0
  br i1 %stop, label %out, label %next
next:
  switch i64 %i, label %out [ i64 1, label %first
                              i64 3, label %second ]
first:
  br label %loop
second:
  br label %loop
out:
  ret i32 %r
}

define void @ave_bound_dealloc(ptr %self) {
entry:
  call void @PyObject_GC_UnTrack(ptr %self)
  %typep = getelementptr %Bound, ptr %self, i32 0, i32 1
  %type = load ptr, ptr %typep
  %launchp = getelementptr %Bound, ptr %self, i32 0, i32 3
  %launch = load ptr, ptr %launchp
  %providerp = getelementptr %Bound, ptr %self, i32 0, i32 4
  %provider = load ptr, ptr %providerp
  call void @Py_DecRef(ptr %provider)
  call void @Py_DecRef(ptr %launch)
  %freep = getelementptr %Subscript, ptr @ave_subscripts, i32 0, i32 2
  %free = load ptr, ptr %freep
  %empty = icmp eq ptr %free, null
  br i1 %empty, label %keep, label %delete
keep:
  store ptr %self, ptr %freep
  ret void
delete:
  call void @PyObject_GC_Del(ptr %self)
  call void @Py_DecRef(ptr %type)
  ret void
}
