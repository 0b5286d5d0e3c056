/* The thread pool.

   A launch comes in (a kernel, its arguments, a grid); all blocks have run when `ave_run_grid` returns. Rules that keep it simple:
     * One launch at a time uses the workers (`taken`); a launch that finds them taken runs all its blocks on its own thread.
     * The caller works too, and never waits for a worker that has not checked in (`active`), so a slow or dead worker costs nothing.
       That also makes a child process right, in which the workers do not exist.
     * Workers never touch Python, and start with all signals blocked: Ctrl-C reaches Python's own threads.
     * What is under way is in a list (`LaunchState`). A thread of ours, the ticker, marks all of it ten times a second; code in a long loop sees the mark
       and calls `ave_look`, and the thread that launched lets Python run its handlers of signals. Where one raises, all threads leave the launch. */

typedef i64 Run(const u64 *args, LaunchState *grid, u64 first, u64 end, void *scratch);
typedef void Handler(int signal, void *info, void *context);

/* Nanoseconds. Waking others costs more than work that was shorter by the last measure; where the measure was wrong, the rest is shared after all. */
#define SHORT 15e3
#define WRONG 25000
#define TICK 100000 /* microseconds */
#define QUIET 10 /* ticks without a launch until the ticker sleeps */
#define PATIENCE 64 /* looks for the workers' end before the caller sleeps */

/* What threads share of a launch; each on a cache line of its own, the next block to hand out, and what a block returned. */
typedef struct Job {
  CpuKernel *kernel;
  const u64 *args;
  LaunchState *launch;
  u64 blocks;
  u64 chunk;
  _Alignas(64) u64 next;
  _Alignas(64) i64 failed;
} Job;

static Pool *interrupted_pool;

/* Makes the locks anew, and forgets workers and jobs: at start, and in the child after a fork. */
void ave_pool_init(Pool *pool) {
  pthread_mutex_init(pool->mutex, 0);
  pthread_cond_init(pool->wake, 0);
  pthread_cond_init(pool->finished, 0);
  /* After a fork the scratch may be half way through being replaced by a thread that is gone: it is left alone. */
  pool->scratch = 0;
  pool->scratch_bytes = 0;
  pool->active = 0;
  pool->generation = 0;
  pool->job = 0;
  pool->started = 0;
  pool->launches = 0;
  pool->listed = 0;
  pool->ticker = 0;
  STORE(&pool->taken, 0, RELEASE);
}

/* Starts a thread of ours with all signals blocked; says whether the system gave one. */
static bool spawn(Pool *pool, void *(*function)(Pool *)) {
  _Alignas(16) i8 attributes[128], all[128], old[128];
  void *thread;
  sigfillset(all);
  pthread_sigmask(pool->set_mask, all, old);
  pthread_attr_init(attributes);
  pthread_attr_setdetachstate(attributes, pool->detached);
  pthread_attr_setstacksize(attributes, pool->stack);
  int rc = pthread_create(&thread, attributes, function, pool);
  pthread_attr_destroy(attributes);
  pthread_sigmask(pool->set_mask, old, 0);
  return rc == 0;
}

/* -- launches under way --------------------------------------------------------------------------------------------------------------------- */

static void list(Pool *pool) {
  while (__atomic_exchange_n(&pool->listed, 1, __ATOMIC_ACQUIRE)) sched_yield();
}

static void unlist(Pool *pool) { STORE(&pool->listed, 0, RELEASE); }

/* The ticker: marks what is under way. After a second without launches it sleeps. */
static void *tick(Pool *pool) {
  for (u32 quiet = 0;;) {
    usleep(TICK);
    list(pool);
    LaunchState *first = pool->launches;
    for (LaunchState *l = first; l; l = l->next) __atomic_fetch_or(&l->flag, LOOK_UP, __ATOMIC_RELAXED);
    unlist(pool);
    /* Launching threads that wait for workers look up too. */
    pthread_cond_broadcast(pool->finished);
    quiet = first ? 0 : quiet + 1;
    if (quiet < QUIET) continue;
    pthread_mutex_lock(pool->mutex);
    STORE(&pool->ticker, 2, RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (LOAD(&pool->launches, RELAXED)) STORE(&pool->ticker, 1, RELAXED);
    while (LOAD(&pool->ticker, RELAXED) != 1) pthread_cond_wait(pool->wake, pool->mutex);
    pthread_mutex_unlock(pool->mutex);
    quiet = 0;
  }
}

static void wake_ticker(Pool *pool) {
  pthread_mutex_lock(pool->mutex);
  int none = pool->ticker == 0;
  STORE(&pool->ticker, 1, RELAXED);
  if (!none)
    pthread_cond_broadcast(pool->wake);
  else if (!spawn(pool, tick))
    STORE(&pool->ticker, 0, RELAXED);
  pthread_mutex_unlock(pool->mutex);
}

/* Puts a launch into the list, and sees to it that the ticker is awake. */
static void begin(Pool *pool, LaunchState *launch) {
  list(pool);
  LaunchState *first = pool->launches;
  launch->before = 0;
  launch->next = first;
  if (first) first->before = launch;
  STORE(&pool->launches, launch, RELAXED);
  unlist(pool);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (LOAD(&pool->ticker, RELAXED) != 1) wake_ticker(pool);
}

/* Takes it out. */
static void end(Pool *pool, LaunchState *launch) {
  list(pool);
  LaunchState *before = launch->before, *next = launch->next;
  *(before ? &before->next : &pool->launches) = next;
  if (next) next->before = before;
  unlist(pool);
}

/* Says whether a launch must stop. In the thread that launched, Python's handlers of signals run first, and the hook where Ctrl-C was pressed since. */
int ave_look(LaunchState *launch) {
  if (LOAD(&launch->flag, RELAXED) >= STOP) return 1;
  if (pthread_self() != launch->owner || !launch->thread) return 0;
  __atomic_fetch_and(&launch->flag, ~LOOK_UP, __ATOMIC_RELAXED);
  Pool *pool = launch->pool;
  PyEval_RestoreThread(launch->thread);
  int raised = PyErr_CheckSignals() != 0;
  if (!raised) {
    i64 now = LOAD(&pool->interrupts, RELAXED), known = launch->interrupts;
    launch->interrupts = now;
    if (now != known) {
      Object *got = PyObject_CallNoArgs(pool->hook);
      if (got) Py_DecRef(got);
      raised = !got;
    }
  }
  PyEval_SaveThread();
  if (raised) __atomic_fetch_or(&launch->flag, STOP, __ATOMIC_RELAXED);
  return raised;
}

/* Counts Ctrl-C, and does what was done before. */
static void interrupted(int signal, void *info, void *context) {
  __atomic_fetch_add(&interrupted_pool->interrupts, 1, __ATOMIC_RELAXED);
  ((Handler *)interrupted_pool->handler)(signal, info, context);
}

/* Puts ours before the handler of SIGINT, where Python has one. struct sigaction begins with the handler (0 and 1 are none); all else stays as it is. */
void ave_watch_interrupts(Pool *pool, int signal) {
  _Alignas(16) i8 action[256];
  void **handler = (void **)action;
  interrupted_pool = pool;
  if (sigaction(signal, 0, action) || (u64)*handler <= 1 || *handler == interrupted) return;
  pool->handler = *handler;
  *handler = interrupted;
  sigaction(signal, action, 0);
}

/* -- work ----------------------------------------------------------------------------------------------------------------------------------- */

static i64 now(Pool *pool) {
  i64 t[2];
  clock_gettime(pool->clock, t);
  return t[0] * 1000000000 + t[1];
}

/* Makes a buffer hold at least so many bytes, aligned to 64; 0 when memory is out. */
static bool reserve(void **buffer, i64 *have, i64 need) {
  if ((u64)*have >= (u64)need) return 1;
  free(*buffer);
  *buffer = 0;
  *have = 0;
  if (posix_memalign(buffer, 64, need)) {
    *buffer = 0;
    return 0;
  }
  *have = need;
  return 1;
}

/* Runs blocks of the job until none is left or `budget` nanoseconds are over (0: no budget). Returns how many it ran. */
static u64 work(Pool *pool, Job *job, void *scratch, i64 start, u64 budget) {
  Run *run = job->kernel->run;
  u64 blocks = job->blocks, chunk = job->chunk, ran = 0;
  for (;;) {
    u64 first = __atomic_fetch_add(&job->next, chunk, __ATOMIC_RELAXED);
    if (first >= blocks) return ran;
    u64 end = least(first + chunk, blocks);
    i64 rc = run(job->args, job->launch, first, end, scratch);
    ran += end - first;
    if (rc) {
      STORE(&job->failed, rc, RELAXED);
      STORE(&job->next, blocks, RELAXED);
      return ran;
    }
    if (budget && (u64)(now(pool) - start) > budget) return ran;
  }
}

/* A worker: looks for jobs, a while awake, then asleep. */
static void *worker(Pool *pool) {
  void *scratch = 0;
  i64 bytes = 0, seen = 0;
  for (;;) {
    u32 spins = pool->spins;
    for (u32 i = 0; i < spins && LOAD(&pool->generation, RELAXED) == seen; i++) sched_yield();
    pthread_mutex_lock(pool->mutex);
    Job *job;
    while (!(job = pool->job) || LOAD(&pool->generation, RELAXED) == seen) pthread_cond_wait(pool->wake, pool->mutex);
    seen = LOAD(&pool->generation, RELAXED);
    STORE(&pool->active, LOAD(&pool->active, RELAXED) + 1, RELEASE);
    pthread_mutex_unlock(pool->mutex);
    if (reserve(&scratch, &bytes, job->kernel->scratch_bytes)) work(pool, job, scratch, 0, 0);
    pthread_mutex_lock(pool->mutex);
    i32 left = LOAD(&pool->active, RELAXED) - 1;
    STORE(&pool->active, left, RELEASE);
    if (!left) pthread_cond_signal(pool->finished);
    pthread_mutex_unlock(pool->mutex);
  }
}

/* Starts the workers that are wanted, as many as the system gives. Called by the launch that owns the pool. */
static void start(Pool *pool) {
  for (; (u32)pool->started < (u32)pool->workers; pool->started++) {
    if (spawn(pool, worker)) continue;
    /* No more threads to be had: what there is will do, and is not asked for again. */
    pool->workers = pool->started;
    return;
  }
}

/* Opens the job to the workers, works along, closes it, and waits for those that joined. Returns how many blocks the caller ran. */
static u64 share(Pool *pool, Job *job, void *scratch) {
  start(pool);
  LaunchState *launch = job->launch;
  pthread_mutex_lock(pool->mutex);
  pool->job = job;
  STORE(&pool->generation, LOAD(&pool->generation, RELAXED) + 1, RELAXED);
  pthread_mutex_unlock(pool->mutex);
  pthread_cond_broadcast(pool->wake);
  u64 ran = work(pool, job, scratch, 0, 0);
  pthread_mutex_lock(pool->mutex);
  pool->job = 0;
  pthread_mutex_unlock(pool->mutex);
  for (u32 i = 0; i < PATIENCE; i++) {
    if (!LOAD(&pool->active, ACQUIRE)) return ran;
    sched_yield();
  }
  pthread_mutex_lock(pool->mutex);
  while (LOAD(&pool->active, ACQUIRE)) {
    pthread_cond_wait(pool->finished, pool->mutex);
    if (LOAD(&launch->flag, RELAXED) != LOOK_UP) continue;
    pthread_mutex_unlock(pool->mutex);
    ave_look(launch);
    pthread_mutex_lock(pool->mutex);
  }
  pthread_mutex_unlock(pool->mutex);
  return ran;
}

/* All blocks on the calling thread, whose scratch is its own. */
static i64 run_alone(Pool *pool, CpuKernel *kernel, const u64 *args, LaunchState *grid, u64 blocks, i64 t0) {
  void *scratch = 0;
  i64 bytes = 0;
  if (!reserve(&scratch, &bytes, kernel->scratch_bytes)) return -1;
  i64 rc = ((Run *)kernel->run)(args, grid, 0, blocks, scratch);
  free(scratch);
  kernel->last_ns = now(pool) - t0;
  return rc;
}

/* Runs the job of a launch that owns the pool. Returns how many blocks the caller ran. */
static u64 run_owned(Pool *pool, Job *job, i64 t0) {
  void *scratch = pool->scratch;
  u64 blocks = job->blocks, workers = (u32)pool->workers;
  f64 each = job->kernel->ns_per_block;
  /* Chunks of an eighth of a thread's share, but of a microsecond of work at least where the work of a block is known. */
  int known = each > 0;
  f64 in_a_microsecond = 1e3 / each;
  u64 chunk = greatest(blocks / ((workers + 1) * 8), known && in_a_microsecond < 1e6 ? (u64)in_a_microsecond : 1);
  chunk = greatest(chunk, 1);
  if (blocks == 1 || !workers) {
    job->chunk = blocks;
    return work(pool, job, scratch, 0, 0);
  }
  u64 before = 0;
  if (known && (f64)blocks * each < SHORT) {
    job->chunk = greatest(blocks / 4, 1);
    before = work(pool, job, scratch, t0, WRONG);
    if (job->next >= blocks) return before;
  }
  job->chunk = chunk;
  return before + share(pool, job, scratch);
}

static i64 run(Pool *pool, CpuKernel *kernel, const u64 *args, LaunchState *grid) {
  u64 blocks = (u64)grid->grid[0] * grid->grid[1] * grid->grid[2];
  if (!blocks) return 0;
  i64 t0 = now(pool);
  i32 nobody = 0;
  if (!__atomic_compare_exchange_n(&pool->taken, &nobody, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
    return run_alone(pool, kernel, args, grid, blocks, t0);
  if (!reserve(&pool->scratch, &pool->scratch_bytes, kernel->scratch_bytes)) {
    STORE(&pool->taken, 0, RELEASE);
    return -1;
  }
  Job job; /* most of it is padding, which nobody clears */
  job.kernel = kernel;
  job.args = args;
  job.launch = grid;
  job.blocks = blocks;
  job.next = 0;
  job.failed = 0;
  u64 ran = run_owned(pool, &job, t0);
  STORE(&pool->taken, 0, RELEASE);
  i64 ns = now(pool) - t0;
  kernel->last_ns = ns;
  kernel->launches++;
  if (ran) kernel->ns_per_block = (f64)(u64)ns / (f64)ran;
  return job.failed;
}

/* Runs every block of the grid. `thread`: the caller's Python thread state, whose lock it has released. Returns 0, what a block returned (3 where it
   stopped early: then a Python error is set, or the kernel has left a report), or -1 when there is no memory for scratch. */
i64 ave_run_grid(Pool *pool, CpuKernel *kernel, const u64 *args, const u32 *extents, void *thread) {
  _Alignas(64) LaunchState launch;
  launch.grid[0] = extents[0];
  launch.grid[1] = extents[1];
  launch.grid[2] = extents[2];
  launch.flag = 0;
  launch.look = ave_look;
  launch.pool = pool;
  launch.owner = pthread_self();
  launch.thread = thread;
  launch.interrupts = LOAD(&pool->interrupts, RELAXED);
  begin(pool, &launch);
  i64 rc = run(pool, kernel, args, &launch);
  end(pool, &launch);
  return rc;
}

/* The same, called with the interpreter's lock, which is released meanwhile. */
i64 ave_run_held(Pool *pool, CpuKernel *kernel, const u64 *args, const u32 *extents) {
  void *thread = PyEval_SaveThread();
  i64 rc = ave_run_grid(pool, kernel, args, extents, thread);
  PyEval_RestoreThread(thread);
  return rc;
}
