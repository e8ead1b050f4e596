/* geev on the CPU: one matrix at a time, n > 64.  Compiled once for each instruction set and type.
 *
 *     geev_large_reduce.h   A = Q H Q^H in panels
 *     geev_large_iterate.h  H to Schur form, with
 *     geev_early.h            early deflation, which exchanges blocks by geev_swap.h
 *     geev_chase.h            sweeps of many small bulges, whose turns geev_turns.h applies
 *     geev_descent.h          the plain solver's steps for small windows
 *     geev_large_back.h     eigenvectors and condition numbers
 *     product.h             the products of all of them
 *
 * Mapping   the lanes run along columns, which are padded by zeros to whole blocks of 64 bytes.  Threads may share a
 *           matrix: the first one goes through all of this, the others help it with what is large (share_out).
 * Promises  sums run over the lanes of 64 bytes, whatever the width of a vector: the same bits for every instruction
 *           set that has FMA, and for any number of threads.
 *
 * Everything here is static but the pointer at the end, so that no other file can link to this ISA's code. */
#include "geev_cpu.h"

#include "geev_descent.h"
#include "geev_large_back.h"
#include "geev_large_iterate.h"

static void solve_large(const geev_problem *p, int64_t b, void *work, cpu_watch *watch, cpu_member *who)
{
    if (who->rank > 0) {
        help(who);
        return;
    }
    arena a = {.base = work};
    geev_room room;
    geev_lay_out(&a, p, who->size, &room);
    int64_t const n = p->n, ld = room.ld;
    real *at_real = room.vectors;
    geev_schur s = {.n = n, .hi = n - 1, .room = &room, .who = who, .from = room.from};
    s.t = plane_view(room.t, ld, n);
    if (room.q) s.q = plane_view(room.q, ld, n);
    s.re = at_real, s.im = s.re + ld, s.scale = s.im + ld;
    s.x = s.scale + ld, s.y = s.x + 2 * ld, s.work = s.y + 2 * ld;
    s.more = room.q ? s.work + 2 * ld : NULL, s.marks = room.marks, s.spare = room.spare;
    for (int part = 0; part < GEEV_PARTS; ++part)
        for (int64_t j = 0; j < n; ++j)
            for (int64_t i = n; i < ld; ++i) s.t.a[i + j * ld + part * s.t.im] = 0;
    geev_form const form = {reduce, iterate_large, find_vectors};
    TYPED(eig_cpu_geev_by)(p, b, &s, &form, watch);
    if (who->size > 1) {
        who->team->shared = NULL;
        cpu_team_meet(who);
    }
}

geev_team_solver *const ISA_TYPED(eig_cpu_geev_large) = solve_large;
