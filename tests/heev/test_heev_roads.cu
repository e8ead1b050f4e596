/* The table of roads of heev on CUDA, as docs/maintainers/cuda/heev.md has it: which road takes which orders.
 *
 *     test_heev_roads [FILE]     prints the table, or compares it with the file's */
#include "heev/heev_cuda.cuh"
#include "support/roads.hpp"

#include <algorithm>
#include <vector>

static const struct {
    eig_type type;
    const char *name;
} types[] = {{EIG_S, "f32"}, {EIG_D, "f64"}, {EIG_C, "c64"}, {EIG_Z, "c128"}};
enum { TYPES = 4, ALL = (1 << TYPES) - 1 };

static std::string names(int set)
{
    if (set == ALL) return "all types";
    std::string text;
    for (int t = 0; t < TYPES; ++t)
        if (set >> t & 1) text += (text.empty() ? "" : ", ") + std::string(types[t].name);
    return text;
}

/* Who has the orders: the types with and without vectors, e.g. " (f32, f64 with vectors)"; "" where all have. */
static std::string who(int values, int vectors)
{
    if (values == vectors) return values == ALL ? "" : " (" + names(values) + ")";
    std::string text = " (";
    if (values) text += names(values) + " without vectors";
    if (values && vectors) text += ", ";
    if (vectors) text += names(vectors) + " with vectors";
    return text + ")";
}

static heev_problem problem_of(int k, eig_heev_method method, int64_t batch)
{
    heev_problem p = {};
    p.type = types[k % TYPES].type, p.method = method, p.vectors = k >= TYPES, p.batch = p.all = batch;
    return p;
}

/* The names that eig_get_road has for a road. */
static std::vector<std::string> told_of(const eig_context *ctx, const heev_road &road)
{
    std::vector<std::string> found;
    for (eig_heev_method method : {EIG_HEEV_AUTO, EIG_HEEV_JACOBI, EIG_HEEV_REFERENCE})
        for (int64_t batch : {1000, 10, 1})
            for (int k = 0; k < 2 * TYPES; ++k) {
                heev_problem p = problem_of(k, method, batch);
                for (p.n = 1; p.n <= MOST_N; ++p.n) {
                    if (eig_cuda_heev_road(ctx, &p)->name != std::string(road.name)) continue;
                    std::string const told = cuda_told(eig_cuda_heev_road(ctx, &p), ctx, &p);
                    if (std::find(found.begin(), found.end(), told) == found.end()) found.push_back(told);
                }
            }
    return found;
}

/* All orders that take the road by a method: where types or vectors make a difference, it is told. */
static std::string cell(const eig_context *ctx, eig_heev_method method, int64_t batch, const std::string &road)
{
    std::vector<std::string> runs;
    std::vector<int> values, vectors; /* the sets of types with such a run of orders */
    for (int k = 0; k < 2 * TYPES; ++k) {
        heev_problem p = problem_of(k, method, batch);
        std::string const n = orders([&](int64_t order) {
            p.n = order;
            return cuda_told(eig_cuda_heev_road(ctx, &p), ctx, &p) == road;
        });
        size_t at = 0;
        while (at < runs.size() && runs[at] != n) ++at;
        if (at == runs.size()) runs.push_back(n), values.push_back(0), vectors.push_back(0);
        (p.vectors ? vectors : values)[at] |= 1 << k % TYPES;
    }
    std::string text;
    for (size_t at = 0; at < runs.size(); ++at) {
        if (runs[at].empty()) continue;
        text += (text.empty() ? "" : "; ") + runs[at] + who(values[at], vectors[at]);
    }
    return text;
}

int main(int argc, char **argv)
{
    const eig_context *const ctx = hopper();
    std::string table =
        "| road | auto, 1,000 matrices | auto, 10 | auto, one | jacobi | reference |\n|---|---|---|---|---|---|\n";
    int roads;
    const heev_road *const road = eig_cuda_heev_roads(&roads);
    for (int i = 0; i < roads; ++i)
        for (const std::string &told : told_of(ctx, road[i])) {
            table += "| " + told;
            for (int64_t batch : {1000, 10, 1}) table += " | " + cell(ctx, EIG_HEEV_AUTO, batch, told);
            for (eig_heev_method method : {EIG_HEEV_JACOBI, EIG_HEEV_REFERENCE})
                table += " | " + cell(ctx, method, 1000, told);
            table += " |\n";
        }
    return print_or_compare("test_heev_roads", table, argc, argv);
}
