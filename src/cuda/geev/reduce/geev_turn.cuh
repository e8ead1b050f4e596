/* The transpose in the place of a balanced matrix, where that is the better problem (balance_turns): the QR iteration
 * finds the eigenvalues of a matrix best whose norm lies above the diagonal.  A matrix of less than three rows beside
 * those that balancing has isolated stays as it is, as on the CPU.  What is computed then are the vectors of the
 * transpose: geev_target tells where they go. */
#ifndef EIG_GEEV_TURN_CUH
#define EIG_GEEV_TURN_CUH

#include "geev/reduce/geev_balance.cuh"

/* Sums of the squares below and above the diagonal. */
template <typename real> struct geev_triangles {
    real lower, upper;

    __device__ __forceinline__ void add(int i, int j, real square)
    {
        lower += j < i ? square : (real)0, upper += j > i ? square : (real)0;
    }
    /* Whether the matrix of this record is to be turned. */
    __device__ __forceinline__ bool turns(const geev_record &record) const
    {
        return record.info == EIG_INFO_OK && record.hi - record.lo >= 2 && balance_turns(lower, upper);
    }
};

template <typename value> static __device__ __forceinline__ void trade(value &x, value &y)
{
    value const t = x;
    x = y, y = t;
}

/* Calls act(i, j) for all entries of rows and columns first..last, lanes side by side in a row. */
template <typename team_type, typename function>
static __device__ __forceinline__ void for_entries(team_type team, int first, int last, function act)
{
    constexpr int lanes = team_type::size < 32 ? team_type::size : 32;
#pragma unroll 1
    for (int i = first + team.rank / lanes; i <= last; i += team_type::size / lanes)
        for (int j = first + team.rank % lanes; j <= last; j += lanes) act(i, j);
}

/* Puts the transpose in the place of the matrix, for the teams where `acts`: of rows and columns lo..hi, beside which
 * all is zero but the diagonal, or, with origin, of all of it, permuted so that it is upper triangular but for a block
 * again; lo, hi, origin and scale become its.  Out of line, since few matrices need it. */
template <typename entry, typename team_type, typename real = real_of<entry>>
static __device__ __noinline__ void transpose(team_type team, geev_view<entry> h, bool acts, geev_record *record,
                                              int *origin, real *scale)
{
    int const n = h.n, lo = record->lo, hi = record->hi;
    bool const whole = !origin || (lo == 0 && hi == n - 1), mirrors = acts && !whole;
    for_entries(team, acts && whole ? lo : 0, acts && whole ? hi : -1, [&](int i, int j) {
        if (j < i) trade(h(i, j), h(j, i));
    });
    if (acts && scale)
        for (int i = team.rank; i < n; i += team_type::size) scale[i] = 1 / scale[i];
    team.sync();
    if (acts) record->turned = 1;
    if (!team.anywhere(mirrors)) return;
    /* Mirrored at the other diagonal: the transpose in reverse order, which is upper triangular where the matrix
     * was. */
    for_entries(team, 0, mirrors ? n - 1 : -1, [&](int i, int j) {
        if (i + j < n - 1) trade(h(i, j), h(n - 1 - j, n - 1 - i));
    });
    for (int i = team.rank; mirrors && i < n / 2; i += team_type::size) {
        trade(origin[i], origin[n - 1 - i]);
        if (scale) trade(scale[i], scale[n - 1 - i]);
    }
    team.sync();
    if (mirrors) record->lo = n - 1 - hi, record->hi = n - 1 - lo;
    /* Within the block the order is that of before: a grading stays. */
    for (int i = record->lo, j = record->hi; team.anywhere(mirrors && i < j); ++i, --j) {
        bool const now = mirrors && i < j;
        exchange(team, h, record->lo, record->hi, now ? i : -1, j);
        note(team, origin, now ? i : -1, j);
        if (now && scale && team.rank == 0) trade(scale[i], scale[j]);
    }
    team.sync();
}

/* The sums of a matrix in the team's memory; a team with h.n = 0 has none. */
template <typename entry, typename team_type, typename real = real_of<entry>>
static __device__ __forceinline__ geev_triangles<real> triangles_of(team_type team, geev_view<entry> h,
                                                                    const geev_record &record)
{
    bool const asks = h.n > 0 && record.info == EIG_INFO_OK;
    geev_triangles<real> sums = {0, 0};
    for_entries(team, asks ? record.lo : 0, asks ? record.hi : -1,
                [&](int i, int j) { sums.add(i, j, square_add(h(i, j), (real)0)); });
    return {team.sum(sums.lower), team.sum(sums.upper)};
}

/* All of this; origin NULL: only eigenvalues are wanted. */
template <typename entry, typename team_type, typename real = real_of<entry>>
static __device__ __forceinline__ void turn(team_type team, geev_view<entry> h, geev_record *record, int *origin = NULL,
                                            real *scale = NULL)
{
    bool const turns = triangles_of(team, h, *record).turns(*record);
    if (team.anywhere(turns)) transpose(team, h, turns, record, origin, scale);
}

/* Where the caller's vectors of one side of matrix b go, to NULL: nowhere; conjugate: they are the conjugates of the
 * other side's vectors of a transpose. */
template <typename complex> struct geev_target {
    complex *to; /* column k begins at to + k ld */
    int64_t ld;
    bool conjugate;

    __device__ __forceinline__ geev_target(const geev_problem &p, int64_t b, bool left, bool turned)
        : to((complex *)(left ? p.vl : p.vr)), ld(left ? p.ldvl : p.ldvr), conjugate(turned)
    {
        if (to) to += b * (left ? p.stride_vl : p.stride_vr);
    }
    /* Component x of column k, in row i.  Adding zero makes -0 to 0. */
    __device__ __forceinline__ void put(int64_t i, int64_t k, complex x) const
    {
        auto const im = conjugate ? -x.im : x.im;
        store_number(to + (i + k * ld), complex{x.re + 0, im + 0});
    }
};

#endif
