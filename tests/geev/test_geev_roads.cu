/* The table of roads of geev on CUDA, as docs/maintainers/cuda/geev.md has it: which road takes which orders.
 *
 *     test_geev_roads [FILE]     prints the table, or compares it with the file's */
#include "geev/geev_cuda.cuh"
#include "support/roads.hpp"

#include <set>

static const struct {
    eig_type type;
    const char *name;
} types[] = {{EIG_S, "f32"}, {EIG_D, "f64"}, {EIG_C, "c64"}, {EIG_Z, "c128"}};

static geev_problem problem_of(int type, eig_geev_method method, bool vectors, int64_t batch, int64_t n)
{
    geev_problem p = {};
    p.type = types[type].type, p.method = method, p.vectors = vectors, p.batch = p.all = batch;
    p.n = n, p.max_steps = 30 * (int)(n > 10 ? n : 10);
    return p;
}

/* The names that eig_get_road has for a road. */
static std::set<std::string> told_of(const geev_road &road)
{
    if (!road.algorithm) return {road.name};
    std::set<std::string> found;
    for (int t = 0; t < 4; ++t)
        for (int64_t n = 1; n <= MOST_N; ++n) {
            geev_problem const p = problem_of(t, EIG_GEEV_AUTO, false, 1000, n);
            if (eig_cuda_geev_road(hopper(), &p)->name == std::string(road.name))
                found.insert(cuda_told(eig_cuda_geev_road(hopper(), &p), hopper(), &p));
        }
    return found;
}

/* The orders that take the road by a method: eigenvalues alone of float and double, or vectors of all types (complex matrices
 * take the same roads without vectors). */
static std::string cell(eig_geev_method method, bool vectors, int64_t batch, const std::string &road)
{
    int const count = vectors ? 4 : 2;
    std::string found[4], text;
    bool same = true;
    for (int t = 0; t < count; ++t) {
        found[t] = orders([&](int64_t n) {
            geev_problem const p = problem_of(t, method, vectors, batch, n);
            return cuda_told(eig_cuda_geev_road(hopper(), &p), hopper(), &p) == road;
        });
        same = same && found[t] == found[0];
        if (!found[t].empty()) text += (text.empty() ? "" : "; ") + found[t] + " (" + types[t].name + ")";
    }
    return same ? found[0] : text;
}

int main(int argc, char **argv)
{
    std::string table =
        "| road | auto, 1,000 matrices | auto, one | swb | mwb | reference | vectors or complex, 1,000 | one | "
        "reference |\n|---|---|---|---|---|---|---|---|---|\n";
    int roads;
    const geev_road *const road = eig_cuda_geev_roads(&roads);
    for (int i = 0; i < roads; ++i)
        for (const std::string &told : told_of(road[i])) {
            table += "| " + told;
            table += " | " + cell(EIG_GEEV_AUTO, false, 1000, told) + " | " + cell(EIG_GEEV_AUTO, false, 1, told);
            for (eig_geev_method method : {EIG_GEEV_SWB, EIG_GEEV_MWB, EIG_GEEV_REFERENCE})
                table += " | " + cell(method, false, 1000, told);
            table += " | " + cell(EIG_GEEV_AUTO, true, 1000, told) + " | " + cell(EIG_GEEV_AUTO, true, 1, told);
            table += " | " + cell(EIG_GEEV_REFERENCE, true, 1000, told) + " |\n";
        }
    return print_or_compare("test_geev_roads", table, argc, argv);
}
