; The thread pool, in LLVM IR so that no C compiler is needed. `native.py` describes the structs to Python.
;
; A launch comes in (a kernel, its arguments, a grid); all blocks have run when `ave_run_grid` returns. Rules that keep it simple:
;   * One launch at a time uses the workers (`taken`); a launch that finds them taken runs all its blocks on its own thread.
;   * The caller works too, and never waits for a worker that has not checked in (`active`), so a slow or dead worker costs nothing.
;     That also makes a child process right, in which the workers do not exist.
;   * Workers never touch Python, and start with all signals blocked: Ctrl-C reaches Python's own threads.
;   * What is under way is in a list (%Launch). A thread of ours, the ticker, marks all of it ten times a second; code in a long loop sees the mark and
;     calls @ave_look, and the thread that launched lets Python run its handlers of signals. Where one raises, all threads leave the launch.

; mutex, "there is work", "the last worker is done": room for any libc's pthread objects (glibc: 40 and 48 bytes, macOS: 64 and 48).
%Pool = type { [128 x i8], [128 x i8], [128 x i8],
  i32,  ;  3 taken: 1 while a launch owns the workers and the caller's scratch
  i32,  ;  4 active: workers inside the job; written under the mutex
  i64,  ;  5 generation: one more with each job; written under the mutex
  ptr,  ;  6 job: null when there is none to join
  ptr,  ;  7 scratch of the launch that owns the pool
  i64,  ;  8 its bytes
  i32,  ;  9 workers wanted besides the caller
  i32,  ; 10 workers started
  i32,  ; 11 how often a worker looks for the next job before it sleeps
  i32,  ; 12 CLOCK_MONOTONIC
  i32,  ; 13 SIG_SETMASK
  i32,  ; 14 PTHREAD_CREATE_DETACHED
  i64,  ; 15 stack bytes of a worker
  ptr,  ; 16 launches: the first %Launch under way
  i32,  ; 17 listed: 1 while somebody changes or walks that list
  i32,  ; 18 ticker: 0 where it has not been started, 1 while it ticks, 2 while it sleeps, because there was no launch for a while
  i64,  ; 19 interrupts: how often Ctrl-C was pressed
  ptr,  ; 20 hook: called in a thread that launched and sees another number there; what it raises ends the launch
  ptr } ; 21 the handler of SIGINT that was there before ours

; run, scratch bytes, nanoseconds a block (measured), launches, nanoseconds of the last launch
%Kernel = type { ptr, i64, double, i64, i64 }

; What a kernel has of its launch behind the extents of the grid (`emit.llvm.cpu_check` reads the first five): a word with bit 0 where somebody wants
; the threads to look up and bit 1 where all must stop, the function that looks; then the pool, the thread that launched, its Python thread state
; (null: none), the neighbors in the list, how often Ctrl-C had been pressed.
%Launch = type { i32, i32, i32, i32, ptr, ptr, ptr, ptr, ptr, ptr, i64 }

; kernel, args, grid, blocks, chunk, then on a cache line of its own: the next block to hand out; on another: what a block returned
%Job = type { ptr, ptr, ptr, i64, i64, [24 x i8], i64, [56 x i8], i64 }

declare i32 @pthread_mutex_init(ptr, ptr)
declare i32 @pthread_mutex_lock(ptr)
declare i32 @pthread_mutex_unlock(ptr)
declare i32 @pthread_cond_init(ptr, ptr)
declare i32 @pthread_cond_wait(ptr, ptr)
declare i32 @pthread_cond_signal(ptr)
declare i32 @pthread_cond_broadcast(ptr)
declare i32 @pthread_attr_init(ptr)
declare i32 @pthread_attr_destroy(ptr)
declare i32 @pthread_attr_setdetachstate(ptr, i32)
declare i32 @pthread_attr_setstacksize(ptr, i64)
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_sigmask(i32, ptr, ptr)
declare i32 @sigfillset(ptr)
declare i32 @sched_yield()
declare i32 @clock_gettime(i32, ptr)
declare i32 @posix_memalign(ptr, i64, i64)
declare void @free(ptr)
declare ptr @pthread_self()
declare i32 @usleep(i32)
declare i32 @sigaction(i32, ptr, ptr)
declare i32 @PyErr_CheckSignals()
declare i64 @llvm.umax.i64(i64, i64)
declare i64 @llvm.umin.i64(i64, i64)

; Makes the locks anew, and forgets workers and jobs: at start, and in the child after a fork.
define void @ave_pool_init(ptr %pool) {
  %work = getelementptr %Pool, ptr %pool, i32 0, i32 1
  %done = getelementptr %Pool, ptr %pool, i32 0, i32 2
  call i32 @pthread_mutex_init(ptr %pool, ptr null)
  call i32 @pthread_cond_init(ptr %work, ptr null)
  call i32 @pthread_cond_init(ptr %done, ptr null)
  %taken = getelementptr %Pool, ptr %pool, i32 0, i32 3
  %active = getelementptr %Pool, ptr %pool, i32 0, i32 4
  %generation = getelementptr %Pool, ptr %pool, i32 0, i32 5
  %jobp = getelementptr %Pool, ptr %pool, i32 0, i32 6
  %started = getelementptr %Pool, ptr %pool, i32 0, i32 10
  ; After a fork the scratch may be half way through being replaced by a thread that is gone: it is left alone.
  %scratch = getelementptr %Pool, ptr %pool, i32 0, i32 7
  %bytes = getelementptr %Pool, ptr %pool, i32 0, i32 8
  store ptr null, ptr %scratch
  store i64 0, ptr %bytes
  store i32 0, ptr %active
  store i64 0, ptr %generation
  store ptr null, ptr %jobp
  store i32 0, ptr %started
  %launches = getelementptr %Pool, ptr %pool, i32 0, i32 16
  %listed = getelementptr %Pool, ptr %pool, i32 0, i32 17
  %ticker = getelementptr %Pool, ptr %pool, i32 0, i32 18
  store ptr null, ptr %launches
  store i32 0, ptr %listed
  store i32 0, ptr %ticker
  store atomic i32 0, ptr %taken release, align 4
  ret void
}

; -- launches under way ---------------------------------------------------------------------------------------------------------------------

@ave_pool = internal global ptr null

; Takes and gives back the list.
define internal void @list(ptr %pool) {
entry:
  %listed = getelementptr %Pool, ptr %pool, i32 0, i32 17
  br label %try
try:
  %was = atomicrmw xchg ptr %listed, i32 1 acquire
  %mine = icmp eq i32 %was, 0
  br i1 %mine, label %got, label %again
again:
  call i32 @sched_yield()
  br label %try
got:
  ret void
}

define internal void @unlist(ptr %pool) {
  %listed = getelementptr %Pool, ptr %pool, i32 0, i32 17
  store atomic i32 0, ptr %listed release, align 4
  ret void
}

; Puts a launch into the list, and sees to it that the ticker is awake.
define internal void @begin(ptr %pool, ptr %launch) {
entry:
  %headp = getelementptr %Pool, ptr %pool, i32 0, i32 16
  %prevp = getelementptr %Launch, ptr %launch, i32 0, i32 8
  %nextp = getelementptr %Launch, ptr %launch, i32 0, i32 9
  call void @list(ptr %pool)
  %head = load ptr, ptr %headp
  store ptr null, ptr %prevp
  store ptr %head, ptr %nextp
  %any = icmp ne ptr %head, null
  br i1 %any, label %behind, label %first
behind:
  %back = getelementptr %Launch, ptr %head, i32 0, i32 8
  store ptr %launch, ptr %back
  br label %first
first:
  store atomic ptr %launch, ptr %headp monotonic, align 8
  call void @unlist(ptr %pool)
  fence seq_cst
  %tickerp = getelementptr %Pool, ptr %pool, i32 0, i32 18
  %state = load atomic i32, ptr %tickerp monotonic, align 4
  %awake = icmp eq i32 %state, 1
  br i1 %awake, label %out, label %wake
wake:
  call i32 @pthread_mutex_lock(ptr %pool)
  %now = load i32, ptr %tickerp
  store atomic i32 1, ptr %tickerp monotonic, align 4
  %none = icmp eq i32 %now, 0
  br i1 %none, label %make, label %tell
make:
  %made = call i1 @spawn(ptr %pool, ptr @tick)
  br i1 %made, label %unlock, label %retry
retry:
  store atomic i32 0, ptr %tickerp monotonic, align 4
  br label %unlock
tell:
  %wakep = getelementptr %Pool, ptr %pool, i32 0, i32 1
  call i32 @pthread_cond_broadcast(ptr %wakep)
  br label %unlock
unlock:
  call i32 @pthread_mutex_unlock(ptr %pool)
  br label %out
out:
  ret void
}

; Takes it out.
define internal void @end(ptr %pool, ptr %launch) {
entry:
  %headp = getelementptr %Pool, ptr %pool, i32 0, i32 16
  %prevp = getelementptr %Launch, ptr %launch, i32 0, i32 8
  %nextp = getelementptr %Launch, ptr %launch, i32 0, i32 9
  call void @list(ptr %pool)
  %prev = load ptr, ptr %prevp
  %next = load ptr, ptr %nextp
  %inner = icmp ne ptr %prev, null
  %link = getelementptr %Launch, ptr %prev, i32 0, i32 9
  %place = select i1 %inner, ptr %link, ptr %headp
  store ptr %next, ptr %place
  %last = icmp eq ptr %next, null
  br i1 %last, label %out, label %behind
behind:
  %back = getelementptr %Launch, ptr %next, i32 0, i32 8
  store ptr %prev, ptr %back
  br label %out
out:
  call void @unlist(ptr %pool)
  ret void
}

; The ticker: marks what is under way. After a second without launches it sleeps.
define internal ptr @tick(ptr %pool) {
entry:
  %headp = getelementptr %Pool, ptr %pool, i32 0, i32 16
  %tickerp = getelementptr %Pool, ptr %pool, i32 0, i32 18
  %wakep = getelementptr %Pool, ptr %pool, i32 0, i32 1
  %finished = getelementptr %Pool, ptr %pool, i32 0, i32 2
  br label %idle
idle:
  %quiet = phi i32 [ 0, %entry ], [ %calm, %marked ], [ 0, %woken ]
  call i32 @usleep(i32 100000)
  call void @list(ptr %pool)
  %head = load ptr, ptr %headp
  %any = icmp ne ptr %head, null
  br i1 %any, label %mark, label %marked
mark:
  %launch = phi ptr [ %head, %idle ], [ %next, %mark ]
  %flagp = getelementptr %Launch, ptr %launch, i32 0, i32 3
  %old = atomicrmw or ptr %flagp, i32 1 monotonic
  %nextp = getelementptr %Launch, ptr %launch, i32 0, i32 9
  %next = load ptr, ptr %nextp
  %more = icmp ne ptr %next, null
  br i1 %more, label %mark, label %marked
marked:
  call void @unlist(ptr %pool)
  ; Launching threads that wait for workers look up too.
  call i32 @pthread_cond_broadcast(ptr %finished)
  %q1 = add i32 %quiet, 1
  %calm = select i1 %any, i32 0, i32 %q1
  %tired = icmp uge i32 %calm, 10
  br i1 %tired, label %sleep, label %idle
sleep:
  call i32 @pthread_mutex_lock(ptr %pool)
  store atomic i32 2, ptr %tickerp monotonic, align 4
  fence seq_cst
  %seen = load atomic ptr, ptr %headp monotonic, align 8
  %news = icmp ne ptr %seen, null
  br i1 %news, label %up, label %asleep
up:
  store atomic i32 1, ptr %tickerp monotonic, align 4
  br label %woken
asleep:
  %state = load atomic i32, ptr %tickerp monotonic, align 4
  %called = icmp eq i32 %state, 1
  br i1 %called, label %woken, label %wait
wait:
  call i32 @pthread_cond_wait(ptr %wakep, ptr %pool)
  br label %asleep
woken:
  call i32 @pthread_mutex_unlock(ptr %pool)
  br label %idle
}

; Says whether a launch must stop. In the thread that launched, Python's handlers of signals run first, and the hook where Ctrl-C was pressed since.
define i32 @ave_look(ptr %launch) {
entry:
  %flagp = getelementptr %Launch, ptr %launch, i32 0, i32 3
  %flag = load atomic i32, ptr %flagp monotonic, align 4
  %told = icmp uge i32 %flag, 2
  br i1 %told, label %stop, label %who
who:
  %ownerp = getelementptr %Launch, ptr %launch, i32 0, i32 6
  %threadp = getelementptr %Launch, ptr %launch, i32 0, i32 7
  %owner = load ptr, ptr %ownerp
  %thread = load ptr, ptr %threadp
  %self = call ptr @pthread_self()
  %mine = icmp eq ptr %self, %owner
  %python = icmp ne ptr %thread, null
  %looks = and i1 %mine, %python
  br i1 %looks, label %look, label %go
look:
  %old = atomicrmw and ptr %flagp, i32 -2 monotonic
  %poolp = getelementptr %Launch, ptr %launch, i32 0, i32 5
  %pool = load ptr, ptr %poolp
  %countp = getelementptr %Pool, ptr %pool, i32 0, i32 19
  %knownp = getelementptr %Launch, ptr %launch, i32 0, i32 10
  call void @PyEval_RestoreThread(ptr %thread)
  %rc = call i32 @PyErr_CheckSignals()
  %raised = icmp ne i32 %rc, 0
  br i1 %raised, label %over, label %count
count:
  %now = load atomic i64, ptr %countp monotonic, align 8
  %known = load i64, ptr %knownp
  store i64 %now, ptr %knownp
  %same = icmp eq i64 %now, %known
  br i1 %same, label %on, label %ask
ask:
  %hookp = getelementptr %Pool, ptr %pool, i32 0, i32 20
  %hook = load ptr, ptr %hookp
  %got = call ptr @PyObject_CallNoArgs(ptr %hook)
  %fails = icmp eq ptr %got, null
  br i1 %fails, label %over, label %fine
fine:
  call void @Py_DecRef(ptr %got)
  br label %on
on:
  call ptr @PyEval_SaveThread()
  br label %go
over:
  call ptr @PyEval_SaveThread()
  %before = atomicrmw or ptr %flagp, i32 2 monotonic
  br label %stop
go:
  ret i32 0
stop:
  ret i32 1
}

; Counts Ctrl-C, and does what was done before.
define internal void @interrupted(i32 %signal, ptr %info, ptr %context) {
  %pool = load ptr, ptr @ave_pool
  %countp = getelementptr %Pool, ptr %pool, i32 0, i32 19
  %n = atomicrmw add ptr %countp, i64 1 monotonic
  %oldp = getelementptr %Pool, ptr %pool, i32 0, i32 21
  %old = load ptr, ptr %oldp
  call void %old(i32 %signal, ptr %info, ptr %context)
  ret void
}

; Puts ours before the handler of SIGINT, where Python has one. struct sigaction begins with the handler; all else stays as it is.
define void @ave_watch_interrupts(ptr %pool, i32 %signal) {
entry:
  %action = alloca [256 x i8], align 16
  store ptr %pool, ptr @ave_pool
  %rc = call i32 @sigaction(i32 %signal, ptr null, ptr %action)
  %failed = icmp ne i32 %rc, 0
  %handler = load ptr, ptr %action
  %number = ptrtoint ptr %handler to i64
  %plain = icmp ule i64 %number, 1
  %ours = icmp eq ptr %handler, @interrupted
  %no = or i1 %failed, %plain
  %leave = or i1 %no, %ours
  br i1 %leave, label %out, label %put
put:
  %oldp = getelementptr %Pool, ptr %pool, i32 0, i32 21
  store ptr %handler, ptr %oldp
  store ptr @interrupted, ptr %action
  %rc2 = call i32 @sigaction(i32 %signal, ptr %action, ptr null)
  br label %out
out:
  ret void
}

define internal i64 @now(ptr %pool) {
  %t = alloca [2 x i64]
  %clockp = getelementptr %Pool, ptr %pool, i32 0, i32 12
  %clock = load i32, ptr %clockp
  call i32 @clock_gettime(i32 %clock, ptr %t)
  %s = load i64, ptr %t
  %nsp = getelementptr i64, ptr %t, i64 1
  %ns = load i64, ptr %nsp
  %sns = mul i64 %s, 1000000000
  %r = add i64 %sns, %ns
  ret i64 %r
}

; Makes the buffer at %where hold at least %need bytes, aligned to 64; 0 when memory is out.
define internal i1 @reserve(ptr %where, ptr %havep, i64 %need) {
  %have = load i64, ptr %havep
  %enough = icmp uge i64 %have, %need
  br i1 %enough, label %yes, label %grow
grow:
  %old = load ptr, ptr %where
  call void @free(ptr %old)
  store ptr null, ptr %where
  store i64 0, ptr %havep
  %rc = call i32 @posix_memalign(ptr %where, i64 64, i64 %need)
  %ok = icmp eq i32 %rc, 0
  br i1 %ok, label %got, label %no
got:
  store i64 %need, ptr %havep
  br label %yes
yes:
  ret i1 true
no:
  store ptr null, ptr %where
  ret i1 false
}

; Runs blocks of the job until none is left or %budget nanoseconds are over (0: no budget). Returns how many it ran.
define internal i64 @work(ptr %pool, ptr %job, ptr %scratch, i64 %start_ns, i64 %budget) {
entry:
  %kernel = load ptr, ptr %job
  %argsp = getelementptr %Job, ptr %job, i32 0, i32 1
  %gridp = getelementptr %Job, ptr %job, i32 0, i32 2
  %totalp = getelementptr %Job, ptr %job, i32 0, i32 3
  %chunkp = getelementptr %Job, ptr %job, i32 0, i32 4
  %nextp = getelementptr %Job, ptr %job, i32 0, i32 6
  %failp = getelementptr %Job, ptr %job, i32 0, i32 8
  %run = load ptr, ptr %kernel
  %args = load ptr, ptr %argsp
  %grid = load ptr, ptr %gridp
  %total = load i64, ptr %totalp
  %chunk = load i64, ptr %chunkp
  %timed = icmp ne i64 %budget, 0
  br label %take
take:
  %done = phi i64 [ 0, %entry ], [ %more, %ran ], [ %more, %clock ]
  %first = atomicrmw add ptr %nextp, i64 %chunk monotonic
  %left = icmp ult i64 %first, %total
  br i1 %left, label %blocks, label %out
blocks:
  %past = add i64 %first, %chunk
  %end = call i64 @llvm.umin.i64(i64 %past, i64 %total)
  %rc = call i64 %run(ptr %args, ptr %grid, i64 %first, i64 %end, ptr %scratch)
  %n = sub i64 %end, %first
  %more = add i64 %done, %n
  %bad = icmp ne i64 %rc, 0
  br i1 %bad, label %fail, label %ran
fail:
  store atomic i64 %rc, ptr %failp monotonic, align 8
  store atomic i64 %total, ptr %nextp monotonic, align 8
  br label %out
ran:
  br i1 %timed, label %clock, label %take
clock:
  %t = call i64 @now(ptr %pool)
  %spent = sub i64 %t, %start_ns
  %over = icmp ugt i64 %spent, %budget
  br i1 %over, label %out, label %take
out:
  %r = phi i64 [ %done, %take ], [ %more, %fail ], [ %more, %clock ]
  ret i64 %r
}

define internal ptr @worker(ptr %pool) {
entry:
  %scratch = alloca ptr
  %bytes = alloca i64
  store ptr null, ptr %scratch
  store i64 0, ptr %bytes
  %wake = getelementptr %Pool, ptr %pool, i32 0, i32 1
  %finished = getelementptr %Pool, ptr %pool, i32 0, i32 2
  %activep = getelementptr %Pool, ptr %pool, i32 0, i32 4
  %generationp = getelementptr %Pool, ptr %pool, i32 0, i32 5
  %jobp = getelementptr %Pool, ptr %pool, i32 0, i32 6
  %spinsp = getelementptr %Pool, ptr %pool, i32 0, i32 11
  br label %idle
idle:
  %seen = phi i64 [ 0, %entry ], [ %gen, %left ]
  %spins = load i32, ptr %spinsp
  br label %spin
spin:
  %i = phi i32 [ 0, %idle ], [ %i1, %yield ]
  %peek = load atomic i64, ptr %generationp monotonic, align 8
  %news = icmp ne i64 %peek, %seen
  %tired = icmp uge i32 %i, %spins
  %stop = or i1 %news, %tired
  br i1 %stop, label %lock, label %yield
yield:
  %i1 = add i32 %i, 1
  call i32 @sched_yield()
  br label %spin
lock:
  call i32 @pthread_mutex_lock(ptr %pool)
  br label %look
look:
  %job = load ptr, ptr %jobp
  %gen = load atomic i64, ptr %generationp monotonic, align 8
  %some = icmp ne ptr %job, null
  %new = icmp ne i64 %gen, %seen
  %mine = and i1 %some, %new
  br i1 %mine, label %join, label %sleep
sleep:
  call i32 @pthread_cond_wait(ptr %wake, ptr %pool)
  br label %look
join:
  %a0 = load atomic i32, ptr %activep monotonic, align 4
  %a1 = add i32 %a0, 1
  store atomic i32 %a1, ptr %activep release, align 4
  call i32 @pthread_mutex_unlock(ptr %pool)
  %kernel = load ptr, ptr %job
  %needp = getelementptr %Kernel, ptr %kernel, i32 0, i32 1
  %need = load i64, ptr %needp
  %ok = call i1 @reserve(ptr %scratch, ptr %bytes, i64 %need)
  br i1 %ok, label %do, label %leave
do:
  %mem = load ptr, ptr %scratch
  call i64 @work(ptr %pool, ptr %job, ptr %mem, i64 0, i64 0)
  br label %leave
leave:
  call i32 @pthread_mutex_lock(ptr %pool)
  %b0 = load atomic i32, ptr %activep monotonic, align 4
  %b1 = sub i32 %b0, 1
  store atomic i32 %b1, ptr %activep release, align 4
  %last = icmp eq i32 %b1, 0
  br i1 %last, label %tell, label %unlock
tell:
  call i32 @pthread_cond_signal(ptr %finished)
  br label %unlock
unlock:
  call i32 @pthread_mutex_unlock(ptr %pool)
  br label %left
left:
  br label %idle
}

; Starts a thread of ours with all signals blocked; says whether the system gave one.
define internal i1 @spawn(ptr %pool, ptr %function) {
  %attr = alloca [128 x i8], align 16
  %all = alloca [128 x i8], align 16
  %old = alloca [128 x i8], align 16
  %thread = alloca i64
  %howp = getelementptr %Pool, ptr %pool, i32 0, i32 13
  %how = load i32, ptr %howp
  %detachp = getelementptr %Pool, ptr %pool, i32 0, i32 14
  %detach = load i32, ptr %detachp
  %stackp = getelementptr %Pool, ptr %pool, i32 0, i32 15
  %stack = load i64, ptr %stackp
  call i32 @sigfillset(ptr %all)
  call i32 @pthread_sigmask(i32 %how, ptr %all, ptr %old)
  call i32 @pthread_attr_init(ptr %attr)
  call i32 @pthread_attr_setdetachstate(ptr %attr, i32 %detach)
  call i32 @pthread_attr_setstacksize(ptr %attr, i64 %stack)
  %rc = call i32 @pthread_create(ptr %thread, ptr %attr, ptr %function, ptr %pool)
  call i32 @pthread_attr_destroy(ptr %attr)
  call i32 @pthread_sigmask(i32 %how, ptr %old, ptr null)
  %ok = icmp eq i32 %rc, 0
  ret i1 %ok
}

; Starts the workers that are wanted, as many as the system gives. Called by the launch that owns the pool.
define internal void @start(ptr %pool) {
entry:
  %startedp = getelementptr %Pool, ptr %pool, i32 0, i32 10
  %wantedp = getelementptr %Pool, ptr %pool, i32 0, i32 9
  %started = load i32, ptr %startedp
  %wanted = load i32, ptr %wantedp
  %enough = icmp uge i32 %started, %wanted
  br i1 %enough, label %out, label %prepare
prepare:
  br label %make
make:
  %n = phi i32 [ %started, %prepare ], [ %n1, %made ]
  %ok = call i1 @spawn(ptr %pool, ptr @worker)
  br i1 %ok, label %made, label %short
made:
  %n1 = add i32 %n, 1
  %full = icmp uge i32 %n1, %wanted
  br i1 %full, label %end, label %make
short:
  ; No more threads to be had: what there is will do, and is not asked for again.
  store i32 %n, ptr %wantedp
  br label %end
end:
  %count = phi i32 [ %n1, %made ], [ %n, %short ]
  store i32 %count, ptr %startedp
  br label %out
out:
  ret void
}

; Opens the job to the workers, works along, closes it, and waits for those that joined. Returns how many blocks the caller ran.
define internal i64 @share(ptr %pool, ptr %job, ptr %scratch) {
entry:
  call void @start(ptr %pool)
  %wake = getelementptr %Pool, ptr %pool, i32 0, i32 1
  %finished = getelementptr %Pool, ptr %pool, i32 0, i32 2
  %activep = getelementptr %Pool, ptr %pool, i32 0, i32 4
  %generationp = getelementptr %Pool, ptr %pool, i32 0, i32 5
  %jobp = getelementptr %Pool, ptr %pool, i32 0, i32 6
  %launchp = getelementptr %Job, ptr %job, i32 0, i32 2
  %launch = load ptr, ptr %launchp
  %flagp = getelementptr %Launch, ptr %launch, i32 0, i32 3
  call i32 @pthread_mutex_lock(ptr %pool)
  store ptr %job, ptr %jobp
  %g0 = load atomic i64, ptr %generationp monotonic, align 8
  %g1 = add i64 %g0, 1
  store atomic i64 %g1, ptr %generationp monotonic, align 8
  call i32 @pthread_mutex_unlock(ptr %pool)
  call i32 @pthread_cond_broadcast(ptr %wake)
  %n = call i64 @work(ptr %pool, ptr %job, ptr %scratch, i64 0, i64 0)
  call i32 @pthread_mutex_lock(ptr %pool)
  store ptr null, ptr %jobp
  call i32 @pthread_mutex_unlock(ptr %pool)
  br label %spin
spin:
  %i = phi i32 [ 0, %entry ], [ %i1, %yield ]
  %a = load atomic i32, ptr %activep acquire, align 4
  %none = icmp eq i32 %a, 0
  br i1 %none, label %out, label %patience
patience:
  %tired = icmp uge i32 %i, 64
  br i1 %tired, label %lock, label %yield
yield:
  %i1 = add i32 %i, 1
  call i32 @sched_yield()
  br label %spin
lock:
  call i32 @pthread_mutex_lock(ptr %pool)
  br label %look
look:
  %b = load atomic i32, ptr %activep acquire, align 4
  %idle = icmp eq i32 %b, 0
  br i1 %idle, label %unlock, label %sleep
sleep:
  call i32 @pthread_cond_wait(ptr %finished, ptr %pool)
  %flag = load atomic i32, ptr %flagp monotonic, align 4
  %asked = icmp eq i32 %flag, 1
  br i1 %asked, label %up, label %look
up:
  call i32 @pthread_mutex_unlock(ptr %pool)
  %told = call i32 @ave_look(ptr %launch)
  call i32 @pthread_mutex_lock(ptr %pool)
  br label %look
unlock:
  call i32 @pthread_mutex_unlock(ptr %pool)
  br label %out
out:
  ret i64 %n
}

; Runs a grid as below, called with the interpreter's lock, which is released meanwhile.
define i64 @ave_run_held(ptr %pool, ptr %kernel, ptr %args, ptr %grid) {
  %thread = call ptr @PyEval_SaveThread()
  %rc = call i64 @ave_run_grid(ptr %pool, ptr %kernel, ptr %args, ptr %grid, ptr %thread)
  call void @PyEval_RestoreThread(ptr %thread)
  ret i64 %rc
}

; Runs every block of the grid (three u32). `thread`: the caller's Python thread state, whose lock it has released. Returns 0, what a block returned
; (3 where it stopped early: then a Python error is set, or the kernel has left a report), or -1 when there is no memory for scratch.
define i64 @ave_run_grid(ptr %pool, ptr %kernel, ptr %args, ptr %extents, ptr %thread) {
entry:
  %grid = alloca %Launch, align 64
  %l1 = getelementptr i32, ptr %extents, i64 1
  %l2 = getelementptr i32, ptr %extents, i64 2
  %ex = load i32, ptr %extents
  %ey = load i32, ptr %l1
  %ez = load i32, ptr %l2
  %g1 = getelementptr %Launch, ptr %grid, i32 0, i32 1
  %g2 = getelementptr %Launch, ptr %grid, i32 0, i32 2
  %g3 = getelementptr %Launch, ptr %grid, i32 0, i32 3
  %g4 = getelementptr %Launch, ptr %grid, i32 0, i32 4
  %g5 = getelementptr %Launch, ptr %grid, i32 0, i32 5
  %g6 = getelementptr %Launch, ptr %grid, i32 0, i32 6
  %g7 = getelementptr %Launch, ptr %grid, i32 0, i32 7
  %g10 = getelementptr %Launch, ptr %grid, i32 0, i32 10
  store i32 %ex, ptr %grid
  store i32 %ey, ptr %g1
  store i32 %ez, ptr %g2
  store i32 0, ptr %g3
  store ptr @ave_look, ptr %g4
  store ptr %pool, ptr %g5
  %self = call ptr @pthread_self()
  store ptr %self, ptr %g6
  store ptr %thread, ptr %g7
  %interruptsp = getelementptr %Pool, ptr %pool, i32 0, i32 19
  %interrupts = load atomic i64, ptr %interruptsp monotonic, align 8
  store i64 %interrupts, ptr %g10
  call void @begin(ptr %pool, ptr %grid)
  %rc = call i64 @run(ptr %pool, ptr %kernel, ptr %args, ptr %grid)
  call void @end(ptr %pool, ptr %grid)
  ret i64 %rc
}

define internal i64 @run(ptr %pool, ptr %kernel, ptr %args, ptr %grid) {
entry:
  %job = alloca %Job, align 64
  %solo = alloca ptr
  %solobytes = alloca i64
  %gyp = getelementptr i32, ptr %grid, i64 1
  %gzp = getelementptr i32, ptr %grid, i64 2
  %gx32 = load i32, ptr %grid
  %gy32 = load i32, ptr %gyp
  %gz32 = load i32, ptr %gzp
  %gx = zext i32 %gx32 to i64
  %gy = zext i32 %gy32 to i64
  %gz = zext i32 %gz32 to i64
  %gxy = mul i64 %gx, %gy
  %total = mul i64 %gxy, %gz
  %nothing = icmp eq i64 %total, 0
  br i1 %nothing, label %empty, label %begin
empty:
  ret i64 0
begin:
  %t0 = call i64 @now(ptr %pool)
  %runp = getelementptr %Kernel, ptr %kernel, i32 0, i32 0
  %needp = getelementptr %Kernel, ptr %kernel, i32 0, i32 1
  %estp = getelementptr %Kernel, ptr %kernel, i32 0, i32 2
  %countp = getelementptr %Kernel, ptr %kernel, i32 0, i32 3
  %lastp = getelementptr %Kernel, ptr %kernel, i32 0, i32 4
  %need = load i64, ptr %needp
  %takenp = getelementptr %Pool, ptr %pool, i32 0, i32 3
  %swap = cmpxchg ptr %takenp, i32 0, i32 1 acquire monotonic
  %owner = extractvalue { i32, i1 } %swap, 1
  br i1 %owner, label %own, label %alone

alone:
  store ptr null, ptr %solo
  store i64 0, ptr %solobytes
  %oka = call i1 @reserve(ptr %solo, ptr %solobytes, i64 %need)
  br i1 %oka, label %alone.run, label %memory
alone.run:
  %run = load ptr, ptr %runp
  %amem = load ptr, ptr %solo
  %rca = call i64 %run(ptr %args, ptr %grid, i64 0, i64 %total, ptr %amem)
  call void @free(ptr %amem)
  %ta = call i64 @now(ptr %pool)
  %dta = sub i64 %ta, %t0
  store i64 %dta, ptr %lastp
  ret i64 %rca
memory:
  ret i64 -1

own:
  %scratchp = getelementptr %Pool, ptr %pool, i32 0, i32 7
  %havep = getelementptr %Pool, ptr %pool, i32 0, i32 8
  %oko = call i1 @reserve(ptr %scratchp, ptr %havep, i64 %need)
  br i1 %oko, label %plan, label %release.memory
release.memory:
  store atomic i32 0, ptr %takenp release, align 4
  ret i64 -1
plan:
  %scratch = load ptr, ptr %scratchp
  %j1 = getelementptr %Job, ptr %job, i32 0, i32 1
  %j2 = getelementptr %Job, ptr %job, i32 0, i32 2
  %j3 = getelementptr %Job, ptr %job, i32 0, i32 3
  %j4 = getelementptr %Job, ptr %job, i32 0, i32 4
  %j6 = getelementptr %Job, ptr %job, i32 0, i32 6
  %j8 = getelementptr %Job, ptr %job, i32 0, i32 8
  store ptr %kernel, ptr %job
  store ptr %args, ptr %j1
  store ptr %grid, ptr %j2
  store i64 %total, ptr %j3
  store i64 0, ptr %j6
  store i64 0, ptr %j8
  %workersp = getelementptr %Pool, ptr %pool, i32 0, i32 9
  %workers = load i32, ptr %workersp
  %est = load double, ptr %estp
  ; Chunks of an eighth of a thread's share, but of a microsecond of work at least where the work of a block is known.
  %w64 = zext i32 %workers to i64
  %threads = add i64 %w64, 1
  %parts = mul i64 %threads, 8
  %share = udiv i64 %total, %parts
  %known = fcmp ogt double %est, 0.0
  %permicro = fdiv double 1.0e+03, %est
  %small = fcmp olt double %permicro, 1.0e+06
  %use = and i1 %known, %small
  %safe = select i1 %use, double %permicro, double 1.0
  %atleast = fptoui double %safe to i64
  %c0 = call i64 @llvm.umax.i64(i64 %share, i64 %atleast)
  %chunk = call i64 @llvm.umax.i64(i64 %c0, i64 1)
  store i64 %chunk, ptr %j4
  %one = icmp eq i64 %total, 1
  %nobody = icmp eq i32 %workers, 0
  %serial = or i1 %one, %nobody
  br i1 %serial, label %whole, label %guess
whole:
  store i64 %total, ptr %j4
  %nw = call i64 @work(ptr %pool, ptr %job, ptr %scratch, i64 0, i64 0)
  br label %done
guess:
  ; Less than 15 us by the last measure: waking others would cost more. Where the measure was wrong, the rest is shared after all.
  %totald = uitofp i64 %total to double
  %work = fmul double %totald, %est
  %short = fcmp olt double %work, 1.5e+04
  %inline = and i1 %known, %short
  br i1 %inline, label %try, label %parallel
try:
  %quarter = udiv i64 %total, 4
  %tchunk = call i64 @llvm.umax.i64(i64 %quarter, i64 1)
  store i64 %tchunk, ptr %j4
  %nt = call i64 @work(ptr %pool, ptr %job, ptr %scratch, i64 %t0, i64 25000)
  %next = load i64, ptr %j6
  %rest = icmp ult i64 %next, %total
  br i1 %rest, label %late, label %done
late:
  store i64 %chunk, ptr %j4
  br label %parallel
parallel:
  %before = phi i64 [ 0, %guess ], [ %nt, %late ]
  %np = call i64 @share(ptr %pool, ptr %job, ptr %scratch)
  %npb = add i64 %before, %np
  br label %done
done:
  %ran = phi i64 [ %nw, %whole ], [ %nt, %try ], [ %npb, %parallel ]
  store atomic i32 0, ptr %takenp release, align 4
  %t1 = call i64 @now(ptr %pool)
  %dt = sub i64 %t1, %t0
  store i64 %dt, ptr %lastp
  %count = load i64, ptr %countp
  %count1 = add i64 %count, 1
  store i64 %count1, ptr %countp
  %some = icmp ne i64 %ran, 0
  br i1 %some, label %measure, label %end
measure:
  %dtd = uitofp i64 %dt to double
  %rand = uitofp i64 %ran to double
  %perblock = fdiv double %dtd, %rand
  store double %perblock, ptr %estp
  br label %end
end:
  %rc = load i64, ptr %j8
  ret i64 %rc
}
