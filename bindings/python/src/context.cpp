/* A thread's contexts and the calls on them: context.h describes them. */
#include "context.h"

#include <nanobind/nanobind.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <sys/syscall.h>
#include <unistd.h>

namespace nb = nanobind;

/* ---------------------------------------------------------------- contexts */

namespace
{

struct contexts {
    std::vector<std::unique_ptr<owned>> all;
    ~contexts()
    {
        for (const std::unique_ptr<owned> &one : all) eig_destroy(one->ctx);
    }
};

thread_local contexts all_mine;
std::atomic<int> threads_chosen{0};

/* Operations above which a call may take a second on one slow core. */
constexpr double long_call = 1e8;

eig_context *open(const char *device)
{
    eig_context *ctx;
    eig_status const status = eig_create(&ctx, device);
    if (status == EIG_OK) return ctx;
    failure const reason(status, eig_error_detail(ctx));
    eig_destroy(ctx);
    throw reason;
}

/* Python's handlers run in its main thread alone; no other thread asks for the GIL. */
int on_progress(void *, double)
{
    nb::gil_scoped_acquire const gil;
    return PyErr_CheckSignals() != 0;
}

bool is_main_thread()
{
    return syscall(SYS_gettid) == getpid();
}

} // namespace

/* "cpu" and "cuda:K" by a number; -2 for other names. */
static int index_of(const char *device)
{
    if (std::strcmp(device, "cpu") == 0) return -1;
    char *end;
    if (std::strncmp(device, "cuda:", 5) != 0 || device[5] < '0' || device[5] > '9') return -2;
    long const index = std::strtol(device + 5, &end, 10);
    return *end == '\0' && index < 10000 ? (int)index : -2;
}

/* The thread's context, unless it computes. */
void borrowed::take(owned *one)
{
    if (one->busy) {
        ctx = open(one->device.c_str());
        return;
    }
    ctx = one->ctx, mine = one;
    one->busy = true;
}

static owned *add_owned(const char *device)
{
    owned const made = {device, index_of(device), open(device), false, {}};
    all_mine.all.push_back(std::make_unique<owned>(made));
    return all_mine.all.back().get();
}

static owned *find_owned(const char *device)
{
    for (const std::unique_ptr<owned> &one : all_mine.all)
        if (one->device == device) return one.get();
    return add_owned(device);
}

static owned *find_owned(int index)
{
    for (const std::unique_ptr<owned> &one : all_mine.all)
        if (one->index == index) return one.get();
    return add_owned(index < 0 ? "cpu" : ("cuda:" + std::to_string(index)).c_str());
}

borrowed::borrowed(const place &at)
{
    take(find_owned(at.device));
}

borrowed::borrowed(int index)
{
    take(find_owned(index));
}

borrowed::~borrowed()
{
    if (mine)
        mine->busy = false;
    else
        eig_destroy(ctx);
}

void borrowed::prepare(const place &at, double operations)
{
    settings *const told = mine ? &mine->told : &fresh;
    settings const now = {threads_chosen.load(std::memory_order_relaxed), operations > long_call && is_main_thread(),
                          at.stream, at.work, at.work ? at.bytes : 0};
    if (told->threads != now.threads) check(eig_set_threads(ctx, now.threads));
    if (told->signals != now.signals) check(eig_set_progress(ctx, now.signals ? on_progress : nullptr, nullptr));
    told->threads = now.threads, told->signals = now.signals;
    if (at.device[1] == 'p') return; /* cpu */
    if (told->stream != now.stream) check(eig_set_stream(ctx, reinterpret_cast<void *>(now.stream)));
    if (told->work != now.work || told->bytes != now.bytes)
        check(eig_set_workspace(ctx, reinterpret_cast<void *>(now.work), now.bytes));
    *told = now;
}

void borrowed::check(eig_status status) const
{
    if (status != EIG_OK) throw failure(status, eig_error_detail(ctx));
}

void choose_threads(int threads)
{
    threads_chosen.store(threads, std::memory_order_relaxed);
}

failures count_failures(const int *info, int64_t count, int64_t per, int fine)
{
    failures found;
    int64_t last = -1;
    for (int64_t k = 0; k < count; ++k) {
        int64_t const matrix = k / per;
        if (info[k] == 0 || info[k] == fine || matrix == last) continue;
        if (found.count++ == 0) found.first = matrix, found.info = info[k];
        last = matrix;
    }
    return found;
}
