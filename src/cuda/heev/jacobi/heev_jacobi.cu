/* heev on CUDA: two-sided Jacobi in shared memory, 4 <= n <= 32.
 *
 * Mapping  8, 32 or 128 threads a matrix (n <= 8, 16, 32): 4 matrices or 1 a warp, or a block a matrix.  Columns meet
 *          in pairs, round-robin; where n is odd, one meets a column of zeros and rests.
 * Round    first a thread a pair computes its rotation from the diagonal, which is kept as real numbers; then all
 *          rotations are applied in one pass: a thread has the 2 x 2 block in which the rows of one pair cross the
 *          columns of another, and takes it to J_P^H B J_Q in place, and the rows of Q of its pair.  Two barriers.
 *          Of A the lower triangle is kept.
 * Queue    blocks stay; a team whose matrix has converged stores it and takes the next one, while others of its warp go
 *          on with theirs.  A matrix has converged when no element is above its bound, which each sweep asks first.
 * Source   R. Huang, S. Liu and Y. Zhao, Computer Science 50 (2023), Algorithm 1; docs/families/heev.md on its
 *          misprints. */
#include "heev/heev_cuda.cuh"
#include "heev/heev_gauge.cuh"
#include "heev/heev_rotation.cuh"
#include "per_type.cuh"
#include "primitives/team.cuh"

template <typename number, int N> struct jacobi_shape {
    using real = typename number::real;
    static constexpr int threads = N <= 8 ? 8 : N <= 16 ? 32 : 128; /* a matrix */
    static constexpr int block = N <= 16 ? 64 : 128, teams = block / threads;
    static constexpr int half = N / 2, pitch = N + 1;
    static constexpr int rows = threads / half; /* of Q that the threads of all pairs hold at a time */
};

/* A matrix in shared memory. */
template <typename number, int N> struct jacobi_space {
    using real = typename number::real;
    number a[N * (N - 1) / 2]; /* element (i, j), i > j, at i*(i-1)/2 + j */
    number q[N * (N + 1)];     /* by rows */
    heev_rotation<number> j[N / 2];
    real d[N]; /* the diagonal */
    real bad[N];
    int order[N];
    int64_t next;
};

template <typename number, int N, typename team_type> struct jacobi_matrix {
    using real = typename number::real;
    using shape = jacobi_shape<number, N>;
    static constexpr int half = shape::half, pitch = shape::pitch;
    jacobi_space<number, N> &at;
    const team_type &team;
    int n, circle; /* circle: players that move; one more stands still */
    int block_p, block_q;
    real bound;
    bool relative;

    __device__ __forceinline__ jacobi_matrix(jacobi_space<number, N> &space, const team_type &threads, int order)
        : at(space), team(threads), n(order), circle(order - 1 + order % 2), block_p(0), block_q(N), bound(0),
          relative(false)
    {
        int left = team.rank; /* block (P, Q), P < Q, of this thread: those with small Q first */
        for (int q = 1; q < half; ++q) {
            if (left >= 0 && left < q) block_p = left, block_q = q;
            left -= q;
        }
    }

    /* Pair k of a round. */
    __device__ __forceinline__ void pair(int round, int k, int *p, int *q) const
    {
        int const right = round + k, left = round - k;
        *p = right < circle ? right : right - circle;
        *q = k == 0 ? circle : left >= 0 ? left : left + circle;
    }
    /* Where element (i, j) or its mirror lies. */
    static __device__ __forceinline__ int place(int i, int j)
    {
        int const row = max(i, j);
        return row * (row - 1) / 2 + min(i, j);
    }
    __device__ __forceinline__ number element(int i, int j) const
    {
        number const x = at.a[place(i, j)];
        return i > j ? x : conj(x);
    }
    __device__ __forceinline__ void put(int i, int j, number x) const
    {
        at.a[place(i, j)] = i > j ? x : conj(x);
    }
    __device__ __forceinline__ bool negligible(int i, int j) const
    {
        real const size = magnitude(element(i, j));
        return size <= (relative ? bound * sqrt(fabs(at.d[i])) * sqrt(fabs(at.d[j])) : bound);
    }

    /* Loads matrix b where `fresh`; false where it is not finite.  All threads of the warp or block call it. */
    __device__ __forceinline__ bool load(const heev_job &job, int64_t b, bool fresh, real *scale)
    {
        batch_strides const s = job.at_a;
        const number *const a = (const number *)job.p.a + b * s.b;
        bool const rows = s.j < s.i;
        real big = 0;
        bool finite = true;
        if (fresh)
            for (int f = team.rank; f < N * N; f += shape::threads) {
                int const along = f % N, across = f / N, i = rows ? across : along, j = rows ? along : across;
                number x;
                set(x, (real)0, (real)0);
                at.q[i * pitch + j] = x;
                if (i == j) set(at.q[i * pitch + j], (real)1, (real)0);
                if (i < j) continue;
                if (i < n && j < n) /* the other triangle is read where the lower one is not given */
                    x = lower_of(load_number(a + (job.p.upper ? j * s.i + i * s.j : i * s.i + j * s.j)), job.p.upper);
                if (i == j) set(x, x.re, (real)0);
                real const most = real_limits<real>::largest;
                finite = finite && fabs(x.re) <= most && fabs(imaginary(x)) <= most;
                big = fmax(big, larger_part(x));
                if (i == j)
                    at.d[i] = x.re;
                else
                    put(i, j, x);
            }
        team.sync(); /* loaded */
        finite = !team.any(!finite);
        big = team.max(big);
        real const scaling = job.p.relative ? heev_scale_relative(big) : heev_scale(big);
        real const by = finite ? scaling : (real)0; /* what is not finite becomes zero */
        real squares = 0;
        if (fresh)
            for (int f = team.rank; f < N * N; f += shape::threads) {
                int const i = f / N, j = f % N;
                if (i == j) at.d[i] = finite ? by * at.d[i] : (real)0;
                if (i == j) squares = fma(at.d[i], at.d[i], squares);
                if (i <= j) continue;
                number x;
                set(x, (real)0, (real)0);
                if (finite) x = scaled(by, element(i, j));
                put(i, j, x);
                squares = fma((real)2, square(x), squares);
            }
        squares = team.sum(squares);
        if (fresh) {
            relative = job.p.relative;
            bound = (real)job.p.tolerance * (relative ? (real)1 : sqrt(squares) / (real)n);
            *scale = finite ? by : (real)1;
        }
        team.sync(); /* scaled */
        return finite;
    }

    /* Whether any element is above its bound; marks (marks): the rows that hold one. */
    __device__ __forceinline__ bool look(bool active, bool marks)
    {
        bool some = false;
        if (marks) {
            for (int i = team.rank; i < n && active; i += shape::threads) {
                bool own = false;
                for (int j = 0; j < n; ++j) own = own || (i != j && !negligible(i, j));
                at.bad[i] = own;
            }
            return false;
        }
        if (active)
            for (int f = team.rank; f < n * N; f += shape::threads) {
                int const i = f / N, j = f % N;
                if (i > j) some = some || !negligible(i, j);
            }
        return team.any(some);
    }

    __device__ __forceinline__ void make_rotation(int round)
    {
        int const k = team.rank;
        if (k >= half) return;
        int p, q;
        pair(round, k, &p, &q);
        bool const meets = 2 * k < circle && p < n && q < n;
        if (!meets) p = 0, q = 1;
        /* Computed in any case, while the other branch asks whether it is needed. */
        real const app = at.d[p], aqq = at.d[q];
        real shift;
        heev_rotation<number> j = rotation_of<number>(app, aqq, element(p, q), &shift);
        if (meets && !negligible(p, q)) {
            at.d[p] = app - shift, at.d[q] = aqq + shift;
            number zero;
            set(zero, (real)0, (real)0);
            put(p, q, zero);
        } else {
            j.g = 0;
            set(j.s, (real)0, (real)0);
        }
        at.j[k] = j;
    }

    static __device__ __forceinline__ bool acts(const heev_rotation<number> &j)
    {
        return j.s.re != 0 || imaginary(j.s) != 0;
    }
    __device__ __forceinline__ void rotate_block(int round, const heev_rotation<number> &jp,
                                                 const heev_rotation<number> &jq)
    {
        int p, q, u, v;
        pair(round, block_p, &p, &q);
        pair(round, block_q, &u, &v);
        number pu = element(p, u), pv = element(p, v), qu = element(q, u), qv = element(q, v);
        rotate_rows(jp, pu, qu);
        rotate_rows(jp, pv, qv);
        rotate_columns(jq, pu, pv);
        rotate_columns(jq, qu, qv);
        put(p, u, pu), put(p, v, pv), put(q, u, qu), put(q, v, qv);
    }

    __device__ __forceinline__ void apply(int round, bool vectors)
    {
        if (2 * block_q < circle + 1) {
            heev_rotation<number> const jp = at.j[block_p], jq = at.j[block_q];
            if (acts(jp) || acts(jq)) rotate_block(round, jp, jq);
        }
        int const k = team.rank % half;
        if (!vectors || 2 * k >= circle + 1 || !acts(at.j[k])) return;
        heev_rotation<number> const j = at.j[k];
        int p, q;
        pair(round, k, &p, &q);
#pragma unroll
        for (int i = team.rank / half; i < N; i += shape::rows) {
            if (i >= n) break;
            number x = at.q[i * pitch + p], y = at.q[i * pitch + q];
            rotate_columns(j, x, y);
            at.q[i * pitch + p] = x, at.q[i * pitch + q] = y;
        }
    }

    __device__ __forceinline__ void sweep(bool active, bool vectors)
    {
#pragma unroll 1
        for (int round = 0; round < circle; ++round) {
            if (active) make_rotation(round);
            team.sync(); /* rotations are there */
            if (active) apply(round, vectors);
            team.sync(); /* the round is done */
        }
    }

    /* Stores the results of matrix b where `active`: info is 0, the number of values that did not converge, or that the
     * matrix is not finite. */
    __device__ __forceinline__ void store(const heev_job &job, int64_t b, bool active, bool finite, real scale,
                                          int sweeps)
    {
        look(active, true);
        team.sync(); /* marked */
        int failed = 0;
        if (active) {
            for (int k = 0; k < n; ++k) failed += at.bad[k] != 0;
            if (!finite) failed = n;
            for (int i = team.rank; i < n; i += shape::threads) {
                int place = 0;
                real const own = at.d[i], own_bad = at.bad[i];
                for (int k = 0; k < n; ++k) {
                    real const other = at.d[k], bad = at.bad[k];
                    bool const less = bad < own_bad || (bad == own_bad && (other < own || (other == own && k < i)));
                    place += less;
                }
                at.order[i] = place;
                bool const good = place < n - failed;
                ((real *)job.p.w)[b * job.p.stride_w + place] = good ? own * pow2_inverse(scale) + (real)0 : (real)NAN;
            }
            if (team.rank == 0 && job.p.info) job.p.info[b] = finite ? failed : EIG_INFO_NOT_FINITE;
            if (team.rank == 0 && job.p.sweeps) job.p.sweeps[b] = sweeps;
            for (int k = team.rank; k < n && job.p.v; k += shape::threads) {
                auto const at_row = [&](int64_t i) { return at.q[i * pitch + k]; };
                number const lead = gauge_thread_lead<number>(n, at_row), by = gauge_factor(lead);
                for (int i = 0; i < n; ++i) at.q[i * pitch + k] = gauge_turned(lead, by, at.q[i * pitch + k]);
            }
        }
        team.sync(); /* the order is there, and so are the vectors */
        if (!active || !job.p.v) return;
        batch_strides const s = job.at_v;
        number *const v = (number *)job.p.v + b * s.b;
        bool const rows = s.j < s.i;
        for (int f = team.rank; f < n * N; f += shape::threads) {
            int const along = f % N, across = f / N, i = rows ? across : along, k = rows ? along : across;
            if (along >= n) continue;
            number x = at.q[i * pitch + k];
            if (at.order[k] >= n - failed) set(x, (real)NAN, (real)NAN);
            store_number(v + i * s.i + at.order[k] * s.j, x);
        }
    }
};

/* The next matrix for each team that asks for one; -1: none is left. */
template <typename team_type>
static __device__ __forceinline__ int64_t next_matrix(const heev_job &job, bool asks, const team_type &team,
                                                      int64_t *shared)
{
    team.sync(); /* shared is free */
    if (asks && team.rank == 0) *shared = (int64_t)atomicAdd(job.queue, 1ull);
    team.sync(); /* the number is there */
    return *shared < job.count ? *shared : -1;
}

template <typename number, int N, typename team_type>
static __device__ __forceinline__ void jacobi_solve(const heev_job &job, const team_type &team,
                                                    jacobi_space<number, N> &space)
{
    using real = typename number::real;
    jacobi_matrix<number, N, team_type> x(space, team, (int)job.p.n);
    int64_t m = next_matrix(job, true, team, &space.next);
    bool fresh = m >= 0, finite = true;
    real scale = 1;
    int sweeps = 0;
    while (team.anywhere(m >= 0)) {
        if (team.anywhere(fresh)) {
            bool const loaded = x.load(job, job.first + m, fresh, &scale);
            if (fresh) finite = loaded, sweeps = 0;
            fresh = false;
        }
        bool const again = x.look(m >= 0, false), done = m >= 0 && (!again || sweeps == job.p.max_sweeps);
        if (team.anywhere(done)) {
            x.store(job, job.first + m, done, finite, scale, sweeps);
            int64_t const next = next_matrix(job, done, team, &space.next);
            if (done) m = next, fresh = m >= 0;
            continue;
        }
        x.sweep(m >= 0, job.p.v != NULL);
        ++sweeps;
    }
}

template <typename number, int N>
static __global__ void __launch_bounds__(jacobi_shape<number, N>::block) heev_jacobi_kernel(heev_job job)
{
    using shape = jacobi_shape<number, N>;
    extern __shared__ double jacobi_memory[];
    jacobi_space<number, N> *const spaces = (jacobi_space<number, N> *)jacobi_memory;
    if constexpr (N <= 16) {
        lane_team<shape::threads> const team(threadIdx.x % 32);
        jacobi_solve<number, N>(job, team, spaces[threadIdx.x / shape::threads]);
    } else {
        __shared__ double reduced[shape::block / 32];
        block_team<shape::block> const team = {(int)threadIdx.x, reduced};
        jacobi_solve<number, N>(job, team, spaces[0]);
    }
}

template <typename number, int N>
static eig_status launch_jacobi(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    using shape = jacobi_shape<number, N>;
    size_t const bytes = shape::teams * sizeof(jacobi_space<number, N>);
    const cuda_state *const state = cuda_state_of(ctx);
    int64_t const fit = state->shared_bytes / (int64_t)(bytes + 1024), each = fit < 1 ? 1 : fit < 24 ? fit : 24;
    int64_t const most = each * state->multiprocessors, blocks = (job.count + shape::teams - 1) / shape::teams;
    CUDA_TRY(cudaMemsetAsync(job.queue, 0, sizeof *job.queue, stream));
    return cuda_launch(ctx, "heev: jacobi_kernel", stream, {blocks < most ? blocks : most, shape::block, bytes},
                       heev_jacobi_kernel<number, N>, job);
}

eig_status TYPED(eig_cuda_heev_jacobi)(eig_context *ctx, const heev_job &job, cudaStream_t stream)
{
    if (job.p.n <= 8) return launch_jacobi<number, 8>(ctx, job, stream);
    if (job.p.n <= 16) return launch_jacobi<number, 16>(ctx, job, stream);
    return launch_jacobi<number, 32>(ctx, job, stream);
}
