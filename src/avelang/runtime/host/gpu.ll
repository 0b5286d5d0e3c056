; A launch on a GPU: a loaded kernel, its arguments, a grid and a stream come in; a vendor's driver is asked to run it, and its status goes out.
; No memory is allocated and nothing is waited for, so a stream may be under capture. `native.py` describes the structs to Python.

%Gpu = type {
  ptr,                ;  0 the driver's launch function: hipModuleLaunchKernel and cuLaunchKernel take the same eleven arguments
  ptr,                ;  1 the kernel's function, as the driver calls it
  ptr, ptr,           ;  2 gives the thread's current device (a word by its address), 3 sets it
  i64,                ;  4 the device of the kernel, in that word
  i64,                ;  5 the most blocks along x
  i64,                ;  6 parameters; slot [parameters] is the stream
  i32, i32, i32, i32, ;  7 block, 10 bytes of dynamic shared memory
  ptr, i64,           ; 11 attributes of the launch and 12 how many; -1: the launch function is the one of eleven arguments, else cuLaunchKernelEx
  i64,                ; 13 1: there is one device, and the thread's is asked for only where the launch says that it is another one or none
  i64 }               ; 14 a bit for each parameter whose slot has the address of its value, a %Wide, for values that no slot holds

; CUlaunchConfig of cuda.h: grid, block, bytes of dynamic shared memory, stream, attributes, how many
%Config = type { i32, i32, i32, i32, i32, i32, i32, ptr, ptr, i32 }

; One of the last launches: %Gpu, how many there were before it, grid, stream, the first 16 slots (a caller has as many; of a value that no slot holds,
; the word that stands for it). A kernel that faults is reported by whatever comes after it: these are the ones that it may be.
%Recent = type { ptr, i64, [3 x i32], ptr, [16 x i64] }
@ave_recent = global [8 x %Recent] zeroinitializer
@ave_launched = global i64 0

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare i64 @llvm.cttz.i64(i64, i1)

; Returns where it is noted. Without atomics, which would wait for what the processor still writes to the GPU: threads at the same moment may spoil one
; another's note.
define internal ptr @note(ptr %gpu, i64 %wide, ptr %slots, ptr %grid, ptr %stream) alwaysinline {
entry:
  %n = load i64, ptr @ave_launched
  %n1 = add i64 %n, 1
  store i64 %n1, ptr @ave_launched
  %i = and i64 %n, 7
  %at = getelementptr [8 x %Recent], ptr @ave_recent, i64 0, i64 %i
  %np = getelementptr %Recent, ptr %at, i32 0, i32 1
  %gridp = getelementptr %Recent, ptr %at, i32 0, i32 2
  %streamp = getelementptr %Recent, ptr %at, i32 0, i32 3
  %slotsp = getelementptr %Recent, ptr %at, i32 0, i32 4
  store ptr %gpu, ptr %at
  store i64 %n, ptr %np
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %gridp, ptr align 4 %grid, i64 12, i1 false)
  store ptr %stream, ptr %streamp
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %slotsp, ptr align 8 %slots, i64 128, i1 false)
  br label %loop
loop:
  %w = phi i64 [ %wide, %entry ], [ %w.rest, %word ]
  %which = call i64 @llvm.cttz.i64(i64 %w, i1 false)
  %kept = icmp ult i64 %which, 16
  br i1 %kept, label %word, label %out
word:
  %from = getelementptr i64, ptr %slots, i64 %which
  %value = load ptr, ptr %from
  %standsp = getelementptr %Wide, ptr %value, i32 0, i32 1
  %stands = load i64, ptr %standsp
  %to = getelementptr i64, ptr %slotsp, i64 %which
  store i64 %stands, ptr %to
  %w.less = sub i64 %w, 1
  %w.rest = and i64 %w, %w.less
  br label %loop
out:
  ret ptr %at
}

; Whether a launch failed because the thread's device is not the kernel's: of CUDA, an invalid context, an invalid handle, a destroyed context.
define internal i1 @astray(i32 %rc) alwaysinline {
  %context = icmp eq i32 %rc, 201
  %handle = icmp eq i32 %rc, 400
  %destroyed = icmp eq i32 %rc, 709
  %one = or i1 %context, %handle
  %any = or i1 %one, %destroyed
  ret i1 %any
}

; Returns 0 or the status of the call that failed; `1 << 32` on top: it was the getter, `2 << 32`: the setter. A grid without blocks is not
; launched, since drivers refuse it. The thread's current device is afterwards what it was before.
define i64 @ave_launch_gpu(ptr %gpu, ptr %slots, ptr %grid) {
entry:
  %current = alloca i64
  %config = alloca %Config
  %countp = getelementptr %Gpu, ptr %gpu, i32 0, i32 6
  %count = load i64, ptr %countp
  %places = alloca ptr, i64 %count, align 16
  %gyp = getelementptr i32, ptr %grid, i64 1
  %gzp = getelementptr i32, ptr %grid, i64 2
  %gx = load i32, ptr %grid
  %gy = load i32, ptr %gyp
  %gz = load i32, ptr %gzp
  %x0 = icmp eq i32 %gx, 0
  %y0 = icmp eq i32 %gy, 0
  %z0 = icmp eq i32 %gz, 0
  %xy0 = or i1 %x0, %y0
  %nothing = or i1 %xy0, %z0
  br i1 %nothing, label %empty, label %device
empty:
  ret i64 0

device:
  %getp = getelementptr %Gpu, ptr %gpu, i32 0, i32 2
  %get = load ptr, ptr %getp
  %setp = getelementptr %Gpu, ptr %gpu, i32 0, i32 3
  %set = load ptr, ptr %setp
  %wordp = getelementptr %Gpu, ptr %gpu, i32 0, i32 4
  %word = load i64, ptr %wordp
  ; The getter may write four bytes only.
  store i64 0, ptr %current
  %onep = getelementptr %Gpu, ptr %gpu, i32 0, i32 13
  %one = load i64, ptr %onep
  %only = icmp ne i64 %one, 0
  br i1 %only, label %pack, label %ask
ask:
  %got = call i32 %get(ptr %current)
  %known = icmp eq i32 %got, 0
  br i1 %known, label %compare, label %lost
lost:
  %got64 = zext i32 %got to i64
  %lostrc = or i64 %got64, 4294967296
  ret i64 %lostrc
compare:
  %had = load i64, ptr %current
  %here = icmp eq i64 %had, %word
  br i1 %here, label %pack, label %switch
switch:
  %switched = call i32 %set(i64 %word)
  %moved = icmp eq i32 %switched, 0
  br i1 %moved, label %pack, label %stuck
stuck:
  %stuck64 = zext i32 %switched to i64
  %stuckrc = or i64 %stuck64, 8589934592
  ret i64 %stuckrc

pack:
  %away = phi i1 [ false, %device ], [ false, %compare ], [ true, %switch ]
  %had.back = phi i64 [ 0, %device ], [ %had, %compare ], [ %had, %switch ]
  %trusted = phi i1 [ true, %device ], [ false, %compare ], [ false, %switch ]
  %widep = getelementptr %Gpu, ptr %gpu, i32 0, i32 14
  %wide = load i64, ptr %widep
  br label %param
param:
  %i = phi i64 [ 0, %pack ], [ %i1, %place ]
  %more = icmp slt i64 %i, %count
  br i1 %more, label %place, label %launch
place:
  ; Little-endian: a narrow value begins where its slot begins.
  %slot = getelementptr i64, ptr %slots, i64 %i
  %to = getelementptr ptr, ptr %places, i64 %i
  %shifted = lshr i64 %wide, %i
  %bit = trunc i64 %shifted to i1
  %elsewhere = load ptr, ptr %slot
  %value = select i1 %bit, ptr %elsewhere, ptr %slot
  store ptr %value, ptr %to
  %i1 = add i64 %i, 1
  br label %param

launch:
  %streamp = getelementptr i64, ptr %slots, i64 %count
  %stream = load ptr, ptr %streamp
  %callp = getelementptr %Gpu, ptr %gpu, i32 0, i32 0
  %call = load ptr, ptr %callp
  %fnp = getelementptr %Gpu, ptr %gpu, i32 0, i32 1
  %fn = load ptr, ptr %fnp
  %bxp = getelementptr %Gpu, ptr %gpu, i32 0, i32 7
  %byp = getelementptr %Gpu, ptr %gpu, i32 0, i32 8
  %bzp = getelementptr %Gpu, ptr %gpu, i32 0, i32 9
  %sharedp = getelementptr %Gpu, ptr %gpu, i32 0, i32 10
  %bx = load i32, ptr %bxp
  %by = load i32, ptr %byp
  %bz = load i32, ptr %bzp
  %shared = load i32, ptr %sharedp
  %attributesp = getelementptr %Gpu, ptr %gpu, i32 0, i32 11
  %attributes = load ptr, ptr %attributesp
  %manyp = getelementptr %Gpu, ptr %gpu, i32 0, i32 12
  %many = load i64, ptr %manyp
  %noted = call ptr @note(ptr %gpu, i64 %wide, ptr %slots, ptr %grid, ptr %stream)
  %plain = icmp eq i64 %many, -1
  br i1 %plain, label %eleven, label %extended
eleven:
  %rc11 = call i32 %call(ptr %fn, i32 %gx, i32 %gy, i32 %gz, i32 %bx, i32 %by, i32 %bz, i32 %shared, ptr %stream, ptr %places, ptr null)
  br label %launched
extended:
  %many32 = trunc i64 %many to i32
  %c1 = getelementptr %Config, ptr %config, i32 0, i32 1
  %c2 = getelementptr %Config, ptr %config, i32 0, i32 2
  %c3 = getelementptr %Config, ptr %config, i32 0, i32 3
  %c4 = getelementptr %Config, ptr %config, i32 0, i32 4
  %c5 = getelementptr %Config, ptr %config, i32 0, i32 5
  %c6 = getelementptr %Config, ptr %config, i32 0, i32 6
  %c7 = getelementptr %Config, ptr %config, i32 0, i32 7
  %c8 = getelementptr %Config, ptr %config, i32 0, i32 8
  %c9 = getelementptr %Config, ptr %config, i32 0, i32 9
  store i32 %gx, ptr %config
  store i32 %gy, ptr %c1
  store i32 %gz, ptr %c2
  store i32 %bx, ptr %c3
  store i32 %by, ptr %c4
  store i32 %bz, ptr %c5
  store i32 %shared, ptr %c6
  store ptr %stream, ptr %c7
  store ptr %attributes, ptr %c8
  store i32 %many32, ptr %c9
  %rcx = call i32 %call(ptr %config, ptr %fn, ptr %places, ptr null)
  br label %launched
launched:
  %rc = phi i32 [ %rc11, %eleven ], [ %rcx, %extended ]
  %astray = call i1 @astray(i32 %rc)
  %again = and i1 %astray, %trusted
  br i1 %again, label %ask, label %home
home:
  br i1 %away, label %back, label %taken
back:
  call i32 %set(i64 %had.back)
  br label %taken
taken:
  %failed = icmp ne i32 %rc, 0
  br i1 %failed, label %forget, label %out
forget:
  store ptr null, ptr %noted
  br label %out
out:
  %status = zext i32 %rc to i64
  ret i64 %status
}

