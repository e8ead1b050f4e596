/* Blocks, warps and threads of a launch on a CPU.
 *
 * Block    on an OS thread, so that its __shared__ variables, which are thread_local, are its own.  Blocks that wait for each other
 *          (a cooperative launch, a cluster) have an OS thread each; others run on the caller's, one after another.
 * Thread   a fiber with a stack of its own.  It runs until it waits: at a barrier, for the lanes of a warp, or in a loop that polls.
 *          EIG_EMULATE_ORDER says who goes on then: up (the default: lowest lane and warp first), down, or a seed of a random order.
 * Memory   that nobody has written is all ones (NaN, -1): dynamic shared memory for each block, static on threads of our own. */
#include "emulate.h"

#include <link.h>
#include <pthread.h>
#include <sys/mman.h>

#include <atomic>
#include <barrier>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <semaphore>
#include <vector>

#if __has_include(<sanitizer/asan_interface.h>)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(at, bytes) ((void)(at), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(at, bytes) ((void)(at), (void)(bytes))
#endif
#ifdef EIG_EMULATE_RACES
#include <sanitizer/tsan_interface.h>
#define TSAN(call) call
#else
#define TSAN(call) ((void)0)
#endif
#define UNCHECKED __attribute__((no_sanitize("address", "undefined")))

enum { WARP = 32, MOST_THREADS = 1024, MOST_WARPS = MOST_THREADS / WARP, STACK = 256 << 10, PAGE = 4096 };
enum { POLLS = 256, DYNAMIC = 227 << 10, GUARD = 1024, PLACE_BITS = 28 };

extern "C" {
__thread emulate_index threadIdx, blockIdx, gridDim, blockDim;
alignas(128) __thread char emulate_dynamic[DYNAMIC + GUARD];
/* What kernels call their dynamic shared memory; the list is made from the sources. */
#define DYNAMIC_NAME(name) extern __thread char name[DYNAMIC + GUARD] __attribute__((alias("emulate_dynamic")));
#include "dynamic_names.inc"

void emulate_switch(void **from, void *to);
}

#ifndef __x86_64__
#error "fibers.cpp switches stacks on x86-64 only"
#endif
asm(".text\n"
    ".type emulate_switch, @function\n"
    "emulate_switch:\n"
    "push %rbp\n push %rbx\n push %r12\n push %r13\n push %r14\n push %r15\n"
    "mov %rsp, (%rdi)\n"
    "mov %rsi, %rsp\n"
    "pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbx\n pop %rbp\n"
    "ret\n");

#ifdef EIG_EMULATE_RACES
/* A volatile access is how a kernel waits for another block: no race, and it brings what was written before. */
#define VOLATILE(size)                                    \
    extern "C" void __tsan_volatile_read##size(void *at)  \
    {                                                     \
        __tsan_acquire(at);                               \
    }                                                     \
    extern "C" void __tsan_volatile_write##size(void *at) \
    {                                                     \
        __tsan_release(at);                               \
    }                                                     \
    static_assert(true, "takes the semicolon")
VOLATILE(1);
VOLATILE(2);
VOLATILE(4);
VOLATILE(8);
VOLATILE(16);
#endif

/* ----------------------------------------------------------------------- state */

struct staged_copy {
    void *to;
    const void *from;
    size_t bytes;
    int group;
};

struct fiber {
    void *place; /* of the stack, where it does not run */
    char *stack;
    unsigned mask; /* in emulate_meet */
    void *own;
    emulate_combine combine;
    std::vector<staged_copy> copies;
    int groups;  /* of copies, ended */
    void *known; /* to ThreadSanitizer */
};

struct warp_state {
    unsigned alive, ready, meeting; /* lanes; the alive others are at the block's barrier */
};

enum order { UP, DOWN, RANDOM };

/* Blocks that run together. */
struct team {
    std::barrier<> cluster;
    std::vector<char *> dynamic; /* of its blocks */
    explicit team(unsigned blocks) : cluster(blocks), dynamic(blocks) {}
};

struct launch_state {
    const emulate_launch *launch;
    const std::function<void()> *thread;
    unsigned together;                        /* blocks of a team */
    std::vector<std::unique_ptr<team>> teams; /* where there is more than one block in it */
    std::barrier<> start, end;                /* of a team's run */
    launch_state(const emulate_launch &l, const std::function<void()> &f, unsigned size)
        : launch(&l), thread(&f), together(size), start(size), end(size)
    {
    }
};

/* An OS thread and the block that it runs. */
struct worker {
    unsigned rank;
    std::binary_semaphore go{0};
    fiber fibers[MOST_THREADS];
    warp_state warps[MOST_WARPS];
    int warp_count, alive, arrived, yes;
    unsigned polls;
    emulate_votes votes;
    unsigned current;
    void *home, *home_known;
    uint64_t random;
    const std::function<void()> *thread;
    team *own_team;
    unsigned rank_in_team;
};
static __thread worker *self;

static struct settings {
    enum order order = UP;
    uint64_t seed = 0;
    settings()
    {
        const char *const text = getenv("EIG_EMULATE_ORDER");
        if (!text || !strcmp(text, "up")) return;
        order = strcmp(text, "down") ? RANDOM : DOWN;
        seed = strtoull(text, NULL, 10);
    }
} settings;

[[noreturn]] static void stop(const char *what)
{
    const worker &w = *self;
    fprintf(stderr, "emulation: block %u of %u, thread %u: %s\n", blockIdx.x, gridDim.x, w.current, what);
    for (int k = 0; k < w.warp_count; ++k) {
        unsigned const at_barrier = w.warps[k].alive & ~(w.warps[k].ready | w.warps[k].meeting);
        fprintf(stderr, "  warp %d: lanes %08x, of which wait for lanes %08x, at the block's barrier %08x", k,
                w.warps[k].alive, w.warps[k].meeting, at_barrier);
        for (int lane = 0; lane < WARP; ++lane)
            if (w.warps[k].meeting >> lane & 1) {
                fprintf(stderr, "; lane %d waits for %08x", lane, w.fibers[WARP * k + lane].mask);
                break;
            }
        fprintf(stderr, "\n");
    }
    abort();
}

/* -------------------------------------------------------------------- who is next */

static uint64_t draw(worker &w)
{
    w.random ^= w.random << 13, w.random ^= w.random >> 7, w.random ^= w.random << 17;
    return w.random >> 11;
}

static int lane_of(worker &w, unsigned lanes)
{
    if (settings.order == UP) return __builtin_ctz(lanes);
    if (settings.order == DOWN) return 31 - __builtin_clz(lanes);
    for (uint64_t skip = draw(w) % (unsigned)__builtin_popcount(lanes); skip > 0; --skip) lanes &= lanes - 1;
    return __builtin_ctz(lanes);
}

/* The first warp with a thread that can run, from `from` on in the order, round. */
static int warp_from(worker &w, int from)
{
    for (int k = 0; k < w.warp_count; ++k) {
        int const at = settings.order == DOWN ? from - k : from + k, warp = (at + w.warp_count) % w.warp_count;
        if (w.warps[warp].ready) return warp;
    }
    stop("no thread can run");
}

static void enter(worker &w, unsigned next)
{
    unsigned const last = w.current;
    if (next == last) return;
    w.current = threadIdx.x = next;
    TSAN(__tsan_switch_to_fiber(w.fibers[next].known, __tsan_switch_to_fiber_no_sync));
    emulate_switch(&w.fibers[last].place, w.fibers[next].place);
}

/* Another thread runs, of this warp if there is one; this one goes on when it is its turn again. */
static void go_on(worker &w)
{
    int warp = (int)w.current / WARP;
    if (settings.order == RANDOM)
        warp = warp_from(w, (int)(draw(w) % (unsigned)w.warp_count));
    else if (!w.warps[warp].ready)
        warp = warp_from(w, settings.order == UP ? 0 : w.warp_count - 1);
    enter(w, (unsigned)(WARP * warp + lane_of(w, w.warps[warp].ready)));
}

void emulate_yield()
{
    worker &w = *self;
    int const warp = (int)w.current / WARP, lane = (int)w.current % WARP;
    unsigned const beyond = settings.order == UP ? ~0u << lane & ~(1u << lane) : (1u << lane) - 1;
    if (++w.polls % POLLS == 0) { /* another block is awaited, perhaps for long */
        timespec const nap = {0, 20000};
        nanosleep(&nap, NULL);
    }
    if (settings.order == RANDOM) return go_on(w);
    if (w.warps[warp].ready & beyond)
        return enter(w, (unsigned)(WARP * warp + lane_of(w, w.warps[warp].ready & beyond)));
    int const next = warp_from(w, settings.order == UP ? warp + 1 : warp - 1);
    enter(w, (unsigned)(WARP * next + lane_of(w, w.warps[next].ready)));
}

/* ---------------------------------------------------------------------- meetings */

static void try_meeting(worker &w, int warp, unsigned mask, emulate_combine combine)
{
    warp_state &s = w.warps[warp];
    unsigned const present = mask & s.alive;
    void *own[WARP] = {};
    if (present & ~s.meeting) return;
    for (unsigned left = present; left; left &= left - 1) {
        int const lane = __builtin_ctz(left);
        const fiber &f = w.fibers[WARP * warp + lane];
        if (f.mask != mask || f.combine != combine) return;
        own[lane] = f.own;
    }
    TSAN(__tsan_acquire(&s));
    combine(own, present);
    TSAN(__tsan_release(&s));
    s.meeting &= ~present, s.ready |= present;
}

void emulate_meet(unsigned mask, void *own, emulate_combine combine)
{
    worker &w = *self;
    fiber &f = w.fibers[w.current];
    unsigned const warp = w.current / WARP, bit = 1u << w.current % WARP;
    if (!(mask & bit)) stop("the mask lacks the lane itself");
    f.mask = mask, f.own = own, f.combine = combine;
    w.warps[warp].ready &= ~bit, w.warps[warp].meeting |= bit;
    TSAN(__tsan_release(&w.warps[warp]));
    try_meeting(w, (int)warp, mask, combine);
    go_on(w);
    TSAN(__tsan_acquire(&w.warps[warp]));
}

static void open_barrier(worker &w)
{
    w.votes = {w.yes, w.arrived};
    w.yes = w.arrived = 0;
    for (int k = 0; k < w.warp_count; ++k) w.warps[k].ready = w.warps[k].alive;
}

static emulate_votes arrive(bool x, bool cluster)
{
    worker &w = *self;
    w.warps[w.current / WARP].ready &= ~(1u << w.current % WARP);
    w.yes += x;
    TSAN(__tsan_release(&w.votes));
    if (++w.arrived == w.alive) {
        if (cluster && w.own_team) {
            TSAN(__tsan_acquire(&w.votes));
            TSAN(__tsan_release(w.own_team));
            w.own_team->cluster.arrive_and_wait();
            TSAN(__tsan_acquire(w.own_team));
            TSAN(__tsan_release(&w.votes));
        }
        open_barrier(w);
    }
    go_on(w);
    TSAN(__tsan_acquire(&w.votes));
    return w.votes;
}

emulate_votes emulate_block_barrier(bool x)
{
    return arrive(x, false);
}

void emulate_cluster_barrier()
{
    arrive(false, true);
}

/* ------------------------------------------------------------------------ copies */

static void copy(const staged_copy &c)
{
    if (c.from)
        memcpy(c.to, c.from, c.bytes);
    else
        memset(c.to, 0, c.bytes);
}

/* A copy may come at any time until its thread has waited: at once where threads run downwards, else at the last moment. */
void emulate_send_copy(void *to, const void *from, size_t bytes)
{
    fiber &f = self->fibers[self->current];
    staged_copy const c = {to, from, bytes, f.groups};
    if (settings.order == DOWN || (settings.order == RANDOM && draw(*self) % 2))
        copy(c);
    else
        f.copies.push_back(c);
}

void emulate_end_copies()
{
    ++self->fibers[self->current].groups;
}

void emulate_wait_copies(int left)
{
    fiber &f = self->fibers[self->current];
    size_t done = 0;
    while (done < f.copies.size() && f.copies[done].group < f.groups - left) copy(f.copies[done++]);
    f.copies.erase(f.copies.begin(), f.copies.begin() + (ptrdiff_t)done);
}

/* -------------------------------------------------------------- shared addresses */

unsigned emulate_shared_address(const void *at)
{
    unsigned const places = (1u << PLACE_BITS) - 1;
    return ((unsigned)((const char *)at - emulate_dynamic) & places) | self->rank_in_team << PLACE_BITS;
}

unsigned emulate_address_of_peer(unsigned address, int rank)
{
    return (address & ((1u << PLACE_BITS) - 1)) | (unsigned)rank << PLACE_BITS;
}

void *emulate_shared_pointer(unsigned address)
{
    unsigned const rank = address >> PLACE_BITS;
    int const place = (int)(address << (32 - PLACE_BITS)) >> (32 - PLACE_BITS); /* with its sign */
    if (rank == self->rank_in_team) return emulate_dynamic + place;
    if (!self->own_team || rank >= self->own_team->dynamic.size())
        stop("an address of a block that is not of the cluster");
    return self->own_team->dynamic[rank] + place;
}

/* ------------------------------------------------------------------------ blocks */

static void finish(worker &w)
{
    unsigned const warp = w.current / WARP, bit = 1u << w.current % WARP;
    warp_state &s = w.warps[warp];
    fiber &f = w.fibers[w.current];
    for (const staged_copy &c : f.copies) copy(c);
    f.copies.clear();
    s.alive &= ~bit, s.ready &= ~bit;
    for (unsigned left = s.meeting; left;
         left = left & (left - 1) & s.meeting) { /* lanes that waited for this one alone */
        const fiber &other = w.fibers[WARP * warp + (unsigned)__builtin_ctz(left)];
        try_meeting(w, (int)warp, other.mask, other.combine);
    }
    TSAN(__tsan_release(&w.alive));
    if (--w.alive == 0) {
        TSAN(__tsan_switch_to_fiber(w.home_known, __tsan_switch_to_fiber_no_sync));
        emulate_switch(&f.place, w.home);
    } else if (w.arrived == w.alive) {
        open_barrier(w);
    }
    go_on(w);
}

/* A fiber begins here; nothing of it lies on the stack, which the next one finds as it is. */
UNCHECKED static void begin()
{
    TSAN(__tsan_acquire(&self->home));
    (*self->thread)();
    finish(*self);
}

static void prepare(fiber &f)
{
    if (!f.stack) { /* with a page below that nobody may touch */
        void *const all =
            mmap(NULL, STACK + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (all == MAP_FAILED || mprotect(all, PAGE, PROT_NONE) != 0) stop("no memory for the threads' stacks");
        f.stack = (char *)all + PAGE;
        TSAN(f.known = __tsan_create_fiber(0));
    }
    ASAN_UNPOISON_MEMORY_REGION(f.stack + STACK - PAGE, PAGE); /* finish() does not return */
    void **top = (void **)(f.stack + STACK) - 1;
    *--top = (void *)begin;
    f.place = top - 6; /* the registers that emulate_switch takes back */
    f.groups = 0;
}

static void run_block(worker &w, const launch_state &l, unsigned block)
{
    size_t const bytes = l.launch->shared_bytes;
    int const threads = (int)l.launch->threads;
    blockIdx.x = block, gridDim.x = l.launch->blocks, blockDim.x = l.launch->threads;
    ASAN_UNPOISON_MEMORY_REGION(emulate_dynamic, sizeof emulate_dynamic);
    memset(emulate_dynamic, 0xff, bytes + GUARD);
    ASAN_POISON_MEMORY_REGION(emulate_dynamic + bytes, sizeof emulate_dynamic - bytes);
    w.thread = l.thread, w.warp_count = (threads + WARP - 1) / WARP, w.alive = threads, w.arrived = w.yes = 0;
    w.random = (settings.seed + 1) * 0x9e3779b97f4a7c15u + block;
    for (int k = 0; k < w.warp_count; ++k) {
        int const lanes = threads - WARP * k;
        unsigned const all = lanes >= WARP ? ~0u : (1u << lanes) - 1;
        w.warps[k] = {all, all, 0};
    }
    for (int t = 0; t < threads; ++t) prepare(w.fibers[t]);
    int const first = warp_from(w, settings.order == DOWN ? w.warp_count - 1 : 0);
    w.current = threadIdx.x = (unsigned)(WARP * first + lane_of(w, w.warps[first].ready));
    TSAN(w.home_known = __tsan_get_current_fiber());
    TSAN(__tsan_release(&w.home));
    TSAN(__tsan_switch_to_fiber(w.fibers[w.current].known, __tsan_switch_to_fiber_no_sync));
    emulate_switch(&w.home, w.fibers[w.current].place);
    TSAN(__tsan_acquire(&w.alive));
    ASAN_UNPOISON_MEMORY_REGION(emulate_dynamic, sizeof emulate_dynamic);
    for (size_t i = bytes; i < bytes + GUARD; ++i)
        if (emulate_dynamic[i] != (char)0xff) stop("writes behind its dynamic shared memory");
}

/* The program's own thread-local memory, which holds the static shared variables, becomes all ones. */
static int poison_program(dl_phdr_info *info, size_t, void *)
{
    for (int k = 0; k < info->dlpi_phnum; ++k) {
        const ElfW(Phdr) &p = info->dlpi_phdr[k];
        if (p.p_type != PT_TLS) continue;
        char *const end = (char *)__builtin_thread_pointer();
        memset(end - (p.p_memsz + p.p_align - 1) / p.p_align * p.p_align, 0xff, p.p_memsz);
    }
    return 1; /* the program comes first; no library has kernels */
}

static void poison_statics()
{
#if !defined __clang__ /* whose sanitizers keep their own variables there */
    dl_iterate_phdr(poison_program, NULL);
#endif
}

static void run_part(worker &w, launch_state &l)
{
    self = &w;
    w.own_team = NULL, w.rank_in_team = 0;
    if (l.together == 1) {
        for (unsigned block = 0; block < l.launch->blocks; ++block) run_block(w, l, block);
        return;
    }
    for (unsigned k = 0; k * l.together < l.launch->blocks; ++k) {
        team *const own = l.teams[k].get();
        own->dynamic[w.rank] = emulate_dynamic;
        if (!l.launch->cooperative) w.own_team = own, w.rank_in_team = w.rank;
        l.start.arrive_and_wait();
        run_block(w, l, k * l.together + w.rank);
        (void)own->cluster.arrive_and_drop();
        l.end.arrive_and_wait();
    }
}

/* ------------------------------------------------------------------------ workers */

static std::vector<worker *> workers; /* the first is whoever launches */
static launch_state *under_way;
static std::atomic<unsigned> at_work;

static void *work(void *at)
{
    worker *const w = (worker *)at;
    for (;;) {
        w->go.acquire();
        TSAN(__tsan_acquire(&under_way));
        poison_statics();
        run_part(*w, *under_way);
        TSAN(__tsan_release(&at_work));
        if (--at_work == 0) workers[0]->go.release();
    }
    return NULL;
}

static void hire(unsigned count)
{
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, (size_t)64 << 20); /* holds the thread-local memory too */
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    while (workers.size() < count) {
        worker *const w = new worker{};
        pthread_t thread;
        w->rank = (unsigned)workers.size();
        workers.push_back(w);
        if (w->rank > 0 && pthread_create(&thread, &attributes, work, w) != 0) abort();
    }
    pthread_attr_destroy(&attributes);
}

void emulate_run(const emulate_launch &launch, const std::function<void()> &thread)
{
    static std::mutex one; /* launch at a time */
    std::lock_guard<std::mutex> alone(one);
    unsigned const together = launch.cooperative ? launch.blocks : launch.cluster;
    launch_state l(launch, thread, together);
    if (together > 1)
        for (unsigned k = 0; k < launch.blocks / together; ++k) l.teams.push_back(std::make_unique<team>(together));
    hire(together);
    under_way = &l, at_work = together;
    TSAN(__tsan_release(&under_way));
    for (unsigned k = 1; k < together; ++k) workers[k]->go.release();
    run_part(*workers[0], l);
    if (--at_work > 0) workers[0]->go.acquire();
    TSAN(__tsan_acquire(&at_work));
}
