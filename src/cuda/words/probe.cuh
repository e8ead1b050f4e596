/* The probe: a vector x that looks random, by which certificates test many things at once.  x_k = probe_size(k) i^probe_turn(k), of real
 * matrices probe_size(k) times 1 or -1.
 *
 * Sizes    from 1 to 2, without order: with one size, errors of opposite sign on two rows would hide each other half of the time, and two
 *          eigenpairs of a diagonal matrix that change places always; sizes that grow by equal steps (times an irrational number,
 *          modulo 1) and signs + - - + hide a constant.  They have 17 bits, so that they are the same in all types. */
#ifndef EIG_PROBE_CUH
#define EIG_PROBE_CUH

#include "words/number.cuh"

/* 0 to 3, or of real matrices 0 or 2: + - - + - + - - for the first signs.  The bits of 32 entries are drawn by hand; the next 32 have
 * them turned by what is mixed from their number. */
template <bool complex> static __device__ __forceinline__ constexpr unsigned probe_turn(unsigned k)
{
    unsigned const high = 0xa5c366d6u, low = 0x3b8d2c5eu, block = k / 32, at = (k + 5 * block) % 32,
                   mixed = (block * 0x9e3779b1u) >> 30;
    unsigned const turn = (high >> at & 1) * 2 + (low >> at & 1) + mixed;
    return complex ? turn & 3 : turn & 2;
}

/* 1 + 16 bits mixed from k. */
template <typename real> static __device__ __forceinline__ constexpr real probe_size(unsigned k)
{
    unsigned const first = k * 0x9e3779b1u, mixed = (first ^ first >> 16) * 0x85ebca6bu;
    return (real)1 + (real)(int)(mixed >> 16) * (real)(1.0 / 65536);
}

/* x times i^turn, the turn being even for real numbers. */
template <typename real> static __device__ __forceinline__ real turned(real x, unsigned turn)
{
    return turn & 2 ? -x : x;
}
NUMBER_WORD NUMBER_R turned(NUMBER_R x, unsigned turn)
{
    return {turn & 2 ? -x.re : x.re};
}
NUMBER_WORD NUMBER_Z turned(NUMBER_Z x, unsigned turn)
{
    NUMBER_Z const y = {turn & 1 ? -x.im : x.re, turn & 1 ? x.re : x.im};
    return turn & 2 ? negative(y) : y;
}

#endif
