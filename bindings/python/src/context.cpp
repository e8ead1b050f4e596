/* A thread's contexts and the calls on them: context.h tells the whole. */
#include "context.h"

#include <nanobind/nanobind.h>

#include <atomic>
#include <memory>
#include <sys/syscall.h>
#include <unistd.h>

namespace nb = nanobind;

/* ---------------------------------------------------------------- contexts */

namespace
{

struct owned {
    std::string device;
    eig_context *ctx;
    bool busy;
};

struct contexts {
    std::vector<std::unique_ptr<owned>> all;
    ~contexts()
    {
        for (const std::unique_ptr<owned> &one : all) eig_destroy(one->ctx);
    }
};

thread_local contexts mine;
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

borrowed::borrowed(const place &at)
{
    for (const std::unique_ptr<owned> &one : mine.all) {
        if (one->device != at.device) continue;
        if (one->busy) {
            ctx = open(at.device);
            return;
        }
        ctx = one->ctx, busy = &one->busy;
        *busy = true;
        return;
    }
    ctx = open(at.device);
    mine.all.push_back(std::make_unique<owned>(owned{at.device, ctx, true}));
    busy = &mine.all.back()->busy;
}

borrowed::~borrowed()
{
    if (busy)
        *busy = false;
    else
        eig_destroy(ctx);
}

void borrowed::prepare(const place &at, double operations)
{
    check(eig_set_threads(ctx, threads_chosen.load(std::memory_order_relaxed)));
    check(eig_set_progress(ctx, operations > long_call && is_main_thread() ? on_progress : nullptr, nullptr));
    if (at.device[1] == 'p') return; /* cpu */
    check(eig_set_stream(ctx, reinterpret_cast<void *>(at.stream)));
    check(eig_set_workspace(ctx, reinterpret_cast<void *>(at.work), at.work ? at.bytes : 0));
}

void borrowed::check(eig_status status) const
{
    if (status != EIG_OK) throw failure(status, eig_error_detail(ctx));
}

void choose_threads(int threads)
{
    threads_chosen.store(threads, std::memory_order_relaxed);
}

failures count_failures(const std::vector<int> &info, int64_t per, int fine)
{
    failures found;
    int64_t last = -1;
    for (size_t k = 0; k < info.size(); ++k) {
        int64_t const matrix = (int64_t)k / per;
        if (info[k] == 0 || info[k] == fine || matrix == last) continue;
        if (found.count++ == 0) found.first = matrix, found.info = info[k];
        last = matrix;
    }
    return found;
}
