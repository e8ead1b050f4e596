/* A thread's contexts, one for each device, and one call on them: GIL, signals, threads, errors. */
#ifndef EIGPACK_PYTHON_CONTEXT_H
#define EIGPACK_PYTHON_CONTEXT_H

#include <eigpack.h>

#include <cstdint>
#include <exception>
#include <string>
#include <vector>

/* Where a call computes: a device by name; for device arrays a stream and lent workspace, else 0. */
struct place {
    const char *device;
    uintptr_t stream, work;
    size_t bytes;
};

/* A call that failed.  module.cpp makes Python's exception of it, jax.cpp XLA's error. */
struct failure : std::exception {
    eig_status status;
    std::string text;
    failure(eig_status status, const char *detail) : status(status), text(*detail ? detail : eig_status_text(status)) {}
    const char *what() const noexcept override
    {
        return text.c_str();
    }
};

/* What a context has been told; told again only what changes. */
struct settings {
    int threads = 0;
    bool signals = false;
    uintptr_t stream = 0, work = 0;
    size_t bytes = 0;
};

/* A thread's context for one device. */
struct owned {
    std::string device;
    int index; /* -1: "cpu", k: "cuda:k", else -2 */
    eig_context *ctx;
    bool busy;
    settings told;
};

/* A context for one call of this thread: its own for the device, or a fresh one while that computes below on this
 * thread's stack (a signal handler that calls the library). */
class borrowed
{
  public:
    explicit borrowed(const place &at);
    explicit borrowed(int index); /* of owned */
    ~borrowed();
    borrowed(const borrowed &) = delete;
    borrowed &operator=(const borrowed &) = delete;
    operator eig_context *() const
    {
        return ctx;
    }

    /* Ready for a call of so many operations: threads, stream, workspace; signals where the call is long.  Work of 0: the
     * context has its own. */
    void prepare(const place &at, double operations);

    /* Throws a failure for a status that is not EIG_OK. */
    void check(eig_status status) const;

  private:
    void take(owned *one);
    eig_context *ctx = nullptr;
    owned *mine = nullptr; /* the thread's own context */
    settings fresh;        /* of one that is not */
};

/* Threads of all contexts from now on; 0 = the default. */
void choose_threads(int threads);

/* What info, `count` numbers, `per` a matrix, says of a batch: how many matrices failed, which first, and why.  A number of `fine`
 * is no failure. */
struct failures {
    int64_t count = 0, first = -1;
    int info = 0;
};
failures count_failures(const int *info, int64_t count, int64_t per, int fine);

#endif
