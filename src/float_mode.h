/* The floating-point mode of a thread: rounding to nearest, subnormal numbers kept, no traps.  The library computes in
 * it, whatever the caller's thread, or a thread of OpenMP's that the caller has made, was set to: else answers would
 * depend on the mode, and on which thread computes what.  Flags of past exceptions are not changed.
 *
 * The compiler knows nothing of modes.  Every change is a barrier for what is read from memory and written to it, so
 * that a function must not compute with its arguments' values before the change. */
#ifndef EIG_FLOAT_MODE_H
#define EIG_FLOAT_MODE_H

#include <stdbool.h>
#include <stdint.h>

#if !defined(__x86_64__) && !defined(__aarch64__)
#include <fenv.h>
#endif

/* What a thread had; zeros: the library's mode. */
typedef struct float_mode {
    bool changed;
#if defined(__x86_64__) || defined(__aarch64__)
    uint64_t control;
#else
    fenv_t environment;
#endif
} float_mode;

#ifndef __CUDACC__

#if defined(__x86_64__)
/* MXCSR: subnormal inputs are zeros (bit 6), masks of traps (7-12), rounding (13-14), subnormal results become zero
 * (15). */
enum { FLOAT_MODE_FLAGS = 0x3f, FLOAT_MODE_CONTROL = 0xffc0, FLOAT_MODE_USUAL = 0x1f80 };

static inline uint32_t float_mode_read(void)
{
    uint32_t now;
    __asm__ volatile("stmxcsr %0" : "=m"(now) : : "memory");
    return now;
}

static inline void float_mode_write(uint32_t control)
{
    uint32_t const next = control | (float_mode_read() & FLOAT_MODE_FLAGS);
    __asm__ volatile("ldmxcsr %0" : : "m"(next) : "memory");
}

/* Sets the library's mode; returns what it was. */
static inline float_mode float_mode_enter(void)
{
    uint32_t const control = float_mode_read() & FLOAT_MODE_CONTROL;
    float_mode const before = {control != FLOAT_MODE_USUAL, control};
    if (before.changed) float_mode_write(FLOAT_MODE_USUAL);
    return before;
}

/* Sets what it was. */
static inline void float_mode_leave(const float_mode *before)
{
    if (before->changed) float_mode_write((uint32_t)before->control);
}

#elif defined(__aarch64__)
/* FPCR: all zeros except for rounding (bits 22-23), subnormal numbers are zeros (24), traps (8-15), ...  Flags are
 * elsewhere. */
static inline float_mode float_mode_enter(void)
{
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control) : : "memory");
    float_mode const before = {control != 0, control};
    if (before.changed) __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)0) : "memory");
    return before;
}

static inline void float_mode_leave(const float_mode *before)
{
    if (before->changed) __asm__ volatile("msr fpcr, %0" : : "r"(before->control) : "memory");
}

#else
static inline float_mode float_mode_enter(void)
{
    float_mode before = {.changed = true};
    fegetenv(&before.environment);
    fesetenv(FE_DFL_ENV);
    return before;
}

static inline void float_mode_leave(const float_mode *before)
{
    if (before->changed) fesetenv(&before->environment);
}
#endif

/* The first line of what a thread does: the library's mode up to the end of the block. */
#define USUAL_FLOAT_MODE \
    __attribute__((cleanup(float_mode_leave), unused)) float_mode const mode_before = float_mode_enter()

#endif
#endif
