/* Balancing and reduction to Hessenberg form in registers, by a team of 4 x C lanes, C = 2, 4 or 8: lane (r, c) holds
 * the entries (i, j) with i % 4 = r, j % C = c, in a TR x TC array; n <= 4*TR and n <= C*TC.
 *
 * For each column k a reflector I - t v v' is applied from both sides in a single update: with W = A'v and Z = A v,
 *
 *     (I - t v v') A (I - t v v') = A - v (t W - t^2 (v'A v) v)' - Z (t v)',
 *
 * so an entry is read once for the two products and once for the update, and never leaves its register.
 *
 * Formula  the reflector is that of `householder` (francis.inc) in another form: v = (head + norm, tail) in place of
 *          u = v / (head + norm), and t = 2 / v'v in place of tau.  The division of v by its first entry would add a
 *          chain of operations to each step.  The GPU's fast reciprocals (geev_reflector.cuh) give all but the last
 *          bits of t.
 * Vectors  go through shared memory, laid out so that a lane finds its entries side by side.
 * Sums     over lanes exchange halves: of the 2m values that two lanes hold, each lane adds up m.
 * Order    of all arithmetic depends on n alone.  All lanes of a warp take part in every step; a team with nothing to
 *          do has a zero reflector.
 * Entries below the subdiagonal are undefined afterwards.  Entries beside lo..hi are updated too, where that changes no
 * eigenvalue. */
#ifndef EIG_GEEV_GRID_CUH
#define EIG_GEEV_GRID_CUH

#include "geev/geev_reflector.cuh"
#include "geev/reduce/geev_turn.cuh"

template <typename real, int C, int TR, int TC> struct geev_grid {
    static constexpr int R = 4, lanes = R * C, load_width = 16 / (int)sizeof(real);
    /* Distances in shared memory of the entries of lanes r and r + 1, c and c + 1; 16-byte reads do not conflict. */
    static constexpr int rows = TR > 8 ? 16 : TR > 4 ? 8 : 4, columns = TC > 4 ? 8 : 4; /* powers of two */
    static constexpr int row_step = rows + load_width, column_step = columns + (sizeof(real) == 8 ? 2
                                                                                : columns == 8    ? 4
                                                                                                  : 0);
    /* Entries of a vector of length n that a lane takes care of. */
    static constexpr int each = (R * TR + lanes - 1) / lanes;
    /* Places in shared memory of v, Z, W, and of the entry that v's first entry comes from. */
    static constexpr int z_at = R * row_step, w_at = 2 * z_at, head_at = w_at + C * column_step, space = head_at + 4;
    static constexpr unsigned all = 0xffffffffu;

    real x[TR][TC];
    int lane, r, c; /* in the team */
    real *shared;   /* [space] of the team */

    /* A load of 16 bytes. */
    struct alignas(16) load_type {
        real x[load_width];
    };

    __device__ __forceinline__ geev_grid(int thread, real *shared)
        : lane(thread % lanes), r(lane / C), c(lane % C), shared(shared)
    {
        for (int e = lane; e < space; e += lanes) shared[e] = 0;
        __syncwarp();
    }

    /* Places of entry i of a vector as rows and as columns see it. */
    static __device__ __forceinline__ int row_place(int i)
    {
        return i % R * row_step + i / R;
    }
    static __device__ __forceinline__ int column_place(int j)
    {
        return w_at + j % C * column_step + j / C;
    }

    /* ------------------------------------------------------- in and out */

    /* From global memory. */
    __device__ __forceinline__ void load(const geev_apart<real> &a, int n)
    {
#pragma unroll
        for (int b = 0; b < TC; ++b) {
            int const j = b * C + c;
            const real *const column = a.from + j * a.sj + r * a.si;
#pragma unroll
            for (int s = 0; s < TR; ++s) x[s][b] = j < n && s * R + r < n ? column[s * R * a.si] : (real)0;
        }
    }
    __device__ __forceinline__ void load(geev_view<real> h)
    {
#pragma unroll
        for (int a = 0; a < TR; ++a)
#pragma unroll
            for (int b = 0; b < TC; ++b) {
                int const i = a * R + r, j = b * C + c;
                x[a][b] = i < h.n && j < h.n ? h(i, j) : (real)0;
            }
    }
    /* across: the transpose. */
    __device__ __forceinline__ void store(geev_view<real> h, bool across = false) const
    {
#pragma unroll
        for (int a = 0; a < TR; ++a)
#pragma unroll
            for (int b = 0; b < TC; ++b) {
                int const i = a * R + r, j = b * C + c;
                if (i < h.n && j < h.n) h(across ? j : i, across ? i : j) = x[a][b];
            }
    }
    /* The upper Hessenberg part. */
    __device__ __forceinline__ void store_hessenberg(geev_view<real> h) const
    {
#pragma unroll
        for (int a = 0; a < TR; ++a)
#pragma unroll
            for (int b = 0; b < TC; ++b) {
                int const i = a * R + r, j = b * C + c;
                if (i <= j + 1 && i < h.n && j < h.n) h(i, j) = x[a][b];
            }
    }
    /* The same, packed row by row. */
    __device__ __forceinline__ void pack(real *packed, int n) const
    {
#pragma unroll
        for (int a = 0; a < TR; ++a) {
            int const i = a * R + r;
            real *const row = packed + i * n - i * (i - 1) / 2;
#pragma unroll
            for (int b = a * R / C; b < TC; ++b) { /* at or right of the diagonal, perhaps */
                int const j = b * C + c;
                if (j >= i - 1 && i < n && j < n) row[j] = x[a][b];
            }
            /* the subdiagonal entry of the first row of a block of columns */
            if (a * R % C == 0 && a > 0)
                if (r == 0 && c == C - 1 && i < n) row[i - 1] = x[a][a * R / C - 1];
        }
    }

    /* ------------------------------------------------- sums over lanes */

    /* Adds up value[0..K-1] over L lanes whose numbers differ in the bits `bit`, bit/2, ...; L <= K.  The lane whose
     * bits make the number m gets the sums of value[m*K/L], ... */
    template <int K, int L>
    static __device__ __forceinline__ void exchange_sum(const real (&value)[K], int bit, int mine, real (&sum)[K / L])
    {
        if constexpr (L == 1) {
#pragma unroll
            for (int e = 0; e < K; ++e) sum[e] = value[e];
        } else {
            real half[K / 2];
            bool const upper = mine & bit;
#pragma unroll
            for (int e = 0; e < K / 2; ++e) {
                real const keep = upper ? value[e + K / 2] : value[e], give = upper ? value[e] : value[e + K / 2];
                half[e] = keep + __shfl_xor_sync(all, give, bit);
            }
            exchange_sum<K / 2, L / 2>(half, bit / 2, mine, sum);
        }
    }
    /* Rows' sums over c, of partial[a] in row a*R + r, to the place of Z. */
    __device__ __forceinline__ void sum_rows(const real (&partial)[TR]) const
    {
        real value[rows], sum[rows / (C < rows ? C : rows)];
#pragma unroll
        for (int a = 0; a < rows; ++a) value[a] = a < TR ? partial[a < TR ? a : 0] : (real)0;
        static_assert(C <= rows, "");
        exchange_sum<rows, C>(value, C / 2, lane, sum);
        constexpr int count = rows / C;
#pragma unroll
        for (int e = 0; e < count; ++e) shared[z_at + r * row_step + c * count + e] = sum[e];
    }
    /* Columns' sums over r, of partial[b] in column b*C + c, to the place of W. */
    __device__ __forceinline__ void sum_columns(const real (&partial)[TC]) const
    {
        constexpr int count = columns / R;
        real value[columns], sum[count];
#pragma unroll
        for (int b = 0; b < columns; ++b) value[b] = b < TC ? partial[b < TC ? b : 0] : (real)0;
        exchange_sum<columns, R>(value, 2 * C, lane, sum);
#pragma unroll
        for (int e = 0; e < count; ++e) shared[w_at + c * column_step + r * count + e] = sum[e];
    }
    /* A lane's entries of a vector. */
    template <int count> __device__ __forceinline__ void read(real (&to)[count], int at) const
    {
#pragma unroll
        for (int e = 0; e < count; e += load_width) {
            load_type const p = *(const load_type *)(shared + at + e);
#pragma unroll
            for (int m = 0; m < load_width && e + m < count; ++m) to[e + m] = p.x[m];
        }
    }

    /* ------------------------------------------------------- balancing */

    /* Squared norms of rows and columns lane, lane + lanes, ..., with the diagonal.  plain: all of them have entries
     * beside the diagonal, and squares of all entries are safe.  A matrix whose rows are all plain is finite, needs no
     * scaling, and isolates no eigenvalue. */
    struct norms {
        real row[each], column[each];
        bool plain;
    };
    __device__ __forceinline__ norms find_norms(int n) const
    {
        real row[TR], column[TC];
#pragma unroll
        for (int b = 0; b < TC; ++b) column[b] = 0;
#pragma unroll
        for (int a = 0; a < TR; ++a) {
            row[a] = 0;
#pragma unroll
            for (int b = 0; b < TC; ++b) {
                bool const diagonal = a * R + R > b * C && b * C + C > a * R && a * R + r == b * C + c;
                real const y = diagonal ? (real)0 : x[a][b];
                row[a] = fma(y, y, row[a]), column[b] = fma(y, y, column[b]);
                if (diagonal) shared[r * row_step + a] = x[a][b] * x[a][b];
            }
        }
        sum_rows(row);
        sum_columns(column);
        __syncwarp();
        constexpr real least = real_limits<real>::square_safe, most = 1 / least;
        norms found;
        found.plain = true;
#pragma unroll
        for (int e = 0; e < each; ++e) {
            int const i = lane + e * lanes;
            found.row[e] = found.column[e] = 1;
            if (i >= n) continue;
            real const square = shared[row_place(i)], in_row = shared[z_at + row_place(i)],
                       in_column = shared[column_place(i)];
            found.plain = found.plain && in_row > least && in_column > least && in_row < most && in_column < most &&
                          square < most;
            found.row[e] = in_row + square, found.column[e] = in_column + square;
        }
        __syncwarp();
        return found;
    }

    /* The lanes of this team where x is true, from bit 0 on. */
    __device__ __forceinline__ unsigned ballot(bool x) const
    {
        unsigned const votes = __ballot_sync(all, x);
        return lanes == 32 ? votes : votes >> (threadIdx.x % 32 / lanes * lanes) & ((1u << (lanes % 32)) - 1);
    }

    /* Entry i of a vector of which a lane holds entries lane, lane + lanes, ... */
    __device__ __forceinline__ real entry_of(const real (&x)[each], int i) const
    {
        real value = 0;
#pragma unroll
        for (int e = 0; e < each; ++e) {
            real const here = __shfl_sync(all, x[e], i % lanes, lanes);
            value = i / lanes == e ? here : value;
        }
        return value;
    }

    /* Scales rows and columns by powers of two as balance() of geev_balance.cuh does, in the same order.  It looks only
     * at indices whose norms differ by a factor of two; the others need nothing.  factors: NULL, or those of the rows
     * go there. */
    __device__ void balance(int n, bool wanted, norms now, real *factors = NULL)
    {
        int next = 0, sweep = 0;
        bool changed = false;
        real scale[each]; /* of the rows, so far */
#pragma unroll
        for (int e = 0; e < each; ++e) scale[e] = 1;
        for (;;) {
            unsigned long long votes = 0;
#pragma unroll
            for (int e = 0; e < each; ++e)
                votes |= (unsigned long long)ballot(
                             !(now.column[e] >= (real)0.25 * now.row[e] && (real)0.25 * now.column[e] < now.row[e]))
                         << e * lanes;
            unsigned long long ahead = next < 64 ? votes >> next << next : 0;
            if (ahead == 0 && changed && sweep + 1 < GEEV_BALANCE_SWEEPS) ahead = votes, changed = false, ++sweep;
            if (ahead == 0) wanted = false;
            if (!__any_sync(all, wanted)) break;
            int const i = wanted ? __ffsll((long long)ahead) - 1 : 0;
            real const column = sqrt(entry_of(now.column, i)), row = sqrt(entry_of(now.row, i));
            real const before = entry_of(scale, i);
            real const f = wanted ? balance_factor(column, row, column, row, before) : (real)1;
            next = i + 1;
            if (!__any_sync(all, f != 1)) continue;
            changed = changed || f != 1;
#pragma unroll
            for (int e = 0; e < each; ++e)
                if (lane + e * lanes == i) scale[e] *= f;
            real const g = 1 / f;
#pragma unroll
            for (int a = 0; a < TR; ++a)
#pragma unroll
                for (int b = 0; b < TC; ++b) {
                    if (a * R + r == i) x[a][b] *= g;
                    if (b * C + c == i) x[a][b] *= f;
                }
            now = find_norms(n);
        }
#pragma unroll
        for (int e = 0; e < each; ++e)
            if (factors && lane + e * lanes < n) factors[lane + e * lanes] = scale[e];
    }

    __device__ __forceinline__ geev_triangles<real> triangles() const
    {
        geev_triangles<real> s = {0, 0};
#pragma unroll
        for (int a = 0; a < TR; ++a)
#pragma unroll
            for (int b = 0; b < TC; ++b) {
                real const y = x[a][b];
                if (a * R >= b * C + C)
                    s.lower = fma(y, y, s.lower);
                else if (a * R + R <= b * C)
                    s.upper = fma(y, y, s.upper);
                else
                    s.add(a * R + r, b * C + c, y * y);
            }
#pragma unroll
        for (int d = 1; d < lanes; d *= 2)
            s.lower += __shfl_xor_sync(all, s.lower, d), s.upper += __shfl_xor_sync(all, s.upper, d);
        return s;
    }

    /* ------------------------------------------------------- reduction */

    /* The sum of squares of a vector's entries in rows first*R and on.  All lanes get the same bits; a scaled vector
     * gives the scaled sum, to the bit. */
    template <int first> __device__ __forceinline__ real sum_squares(const real (&v)[TR]) const
    {
        real even = 0, odd = 0;
#pragma unroll
        for (int a = first; a < TR; a += 2) {
            even = fma(v[a], v[a], even);
            if (a + 1 < TR) odd = fma(v[a + 1 < TR ? a + 1 : a], v[a + 1 < TR ? a + 1 : a], odd);
        }
        real sum = even + odd;
        sum += __shfl_xor_sync(all, sum, C);
        sum += __shfl_xor_sync(all, sum, 2 * C);
        return sum;
    }

    /* The reflector of column k, whose entries below the diagonal lie in vr and vc, as rows and columns see them, and
     * in shared memory.  vr and vc become v except for its first entry, which is returned; *t as above. */
    template <int kb> __device__ __forceinline__ real reflector(real (&vr)[TR], real (&vc)[TC], real *t) const
    {
        constexpr int first = kb * C / R;
        real const least = real_limits<real>::square_safe * real_limits<real>::square_safe;
        real head = shared[head_at], tail = sum_squares<first>(vr);
        real square = fma(head, head, tail);
        if (__any_sync(all, square < least)) { /* squares lost digits, or all are zero: again, scaled */
            real most = fabs(head);
#pragma unroll
            for (int a = first; a < TR; ++a) most = fmax(most, fabs(vr[a]));
            most = fmax(most, __shfl_xor_sync(all, most, C));
            most = fmax(most, __shfl_xor_sync(all, most, 2 * C));
            real const unit = square < least ? unit_of(most) : (real)1;
            head *= unit;
#pragma unroll
            for (int a = first; a < TR; ++a) vr[a] *= unit;
#pragma unroll
            for (int b = kb; b < TC; ++b) vc[b] *= unit;
            tail = sum_squares<first>(vr);
            square = fma(head, head, tail);
        }
        bool const acts = tail > 0;
        square = acts ? square : (real)1;
        real const norm = square * fast_rsqrt(square);
        *t = acts ? fast_reciprocal(fma(norm, fabs(head), square)) : (real)0;
        return head + copysign(norm, head);
    }

    /* Where the reflectors I - t v v' go, if anywhere: v below the subdiagonal of a matrix, but for its first entry. */
    struct reflectors {
        real *matrix; /* NULL: nowhere */
        int ld;
        real *t, *head; /* [n - 2] */
    };

    /* Step k = kb*C + kc.  A team with acts = false changes nothing. */
    template <int kb> __device__ __forceinline__ void step(int kc, int hi, bool acts, const reflectors &keep)
    {
        constexpr int first = kb * C / R; /* rows above a = first are finished */
        int const k = kb * C + kc, end = acts ? hi : -1;
        if (c == kc) {
#pragma unroll
            for (int a = first; a < TR; ++a) {
                int const i = a * R + r;
                shared[r * row_step + a] = i > k + 1 && i <= end ? x[a][kb] : (real)0;
                if (a <= (kb + 1) * C / R && i == k + 1) shared[head_at] = acts ? x[a][kb] : (real)0;
            }
        }
        __syncwarp();
        real vr[TR], vc[TC], z[TR], w[TC], t;
        read(vr, r * row_step);
#pragma unroll
        for (int b = kb; b < TC; ++b) vc[b] = shared[(b * C % R + c % R) * row_step + (b * C + c) / R];
        real const pivot = reflector<kb>(vr, vc, &t);
#pragma unroll
        for (int a = first; a < TR && a <= (kb + 1) * C / R; ++a) vr[a] = a * R + r == k + 1 ? pivot : vr[a];
#pragma unroll
        for (int b = kb; b < TC && b <= kb + 1; ++b) vc[b] = b * C + c == k + 1 ? pivot : vc[b];
        if (keep.matrix && c == kc) {
#pragma unroll
            for (int a = first; a < TR; ++a)
                if (a * R + r > k + 1 && a * R + r <= end) keep.matrix[(a * R + r) * keep.ld + k] = vr[a];
            if (r == 0) keep.t[k] = t, keep.head[k] = pivot;
        }

        /* W and Z */
#pragma unroll
        for (int b = 0; b < TC; ++b) {
            w[b] = 0;
#pragma unroll
            for (int a = TR - 1; a >= first && b >= kb; --a) w[b] = fma(vr[a], x[a][b], w[b]);
        }
#pragma unroll
        for (int a = 0; a < TR; ++a) {
            z[a] = 0;
#pragma unroll
            for (int b = TC - 1; b >= kb; --b) z[a] = fma(vc[b], x[a][b], z[a]);
        }
        sum_columns(w);
        sum_rows(z);
        __syncwarp();
        read(w, w_at + c * column_step);
        read(z, z_at + r * row_step);

        /* the update */
        real inner = 0;
#pragma unroll
        for (int b = kb; b < TC; ++b) {
            vc[b] *= t;
            inner = fma(w[b], vc[b], inner);
        }
#pragma unroll
        for (int d = 1; d < C; d *= 2) inner += __shfl_xor_sync(all, inner, d);
#pragma unroll
        for (int b = kb; b < TC; ++b) {
            w[b] = fma(inner, vc[b], -t * w[b]);
#pragma unroll
            for (int a = 0; a < TR; ++a) {
                x[a][b] = fma(-z[a], vc[b], x[a][b]);
                if (a >= first) x[a][b] = fma(vr[a], w[b], x[a][b]);
            }
        }
    }

    /* Columns kb*C and on. */
    template <int kb> __device__ __forceinline__ void reduce_from(int n, int lo, int hi, const reflectors &keep)
    {
#pragma unroll 1
        for (int kc = 0; kc < C && kb * C + kc < n - 2; ++kc) {
            int const k = kb * C + kc;
            step<kb>(kc, hi, k >= lo && k < hi - 1, keep);
        }
        if constexpr (kb + 1 < TC) reduce_from<kb + 1>(n, lo, hi, keep);
    }
    __device__ __forceinline__ void reduce(int n, int lo, int hi, const reflectors &keep = {NULL, 0, NULL, NULL})
    {
        reduce_from<0>(n, lo, hi, keep);
    }
};

#endif
