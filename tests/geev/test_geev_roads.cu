/* The table of roads of geev on CUDA, as docs/maintainers/cuda/geev.md has it: which road takes which orders.
 *
 *     test_geev_roads [FILE]     prints the table, or compares it with the file's */
#include "geev/geev_cuda.cuh"
#include "support/roads.hpp"

/* The orders that take the road by a method: eigenvalues alone of float and double, or vectors of all types (complex matrices
 * take the same roads without vectors). */
static std::string cell(eig_geev_method method, bool vectors, const char *road)
{
    static const struct {
        eig_type type;
        const char *name;
    } types[] = {{EIG_S, "f32"}, {EIG_D, "f64"}, {EIG_C, "c64"}, {EIG_Z, "c128"}};
    int const count = vectors ? 4 : 2;
    std::string found[4], text;
    bool same = true;
    for (int t = 0; t < count; ++t) {
        geev_problem p = {};
        p.type = types[t].type, p.method = method, p.vectors = vectors, p.batch = p.all = 1000;
        found[t] = orders([&](int64_t n) {
            p.n = n;
            return eig_cuda_geev_road(hopper(), &p)->name == std::string(road);
        });
        same = same && found[t] == found[0];
        if (!found[t].empty()) text += (text.empty() ? "" : "; ") + found[t] + " (" + types[t].name + ")";
    }
    return same ? found[0] : text;
}

int main(int argc, char **argv)
{
    std::string table = "| road | auto | swb | mwb | reference | vectors or complex | the same, reference |\n"
                        "|---|---|---|---|---|---|---|\n";
    int roads;
    const geev_road *const road = eig_cuda_geev_roads(&roads);
    for (int i = 0; i < roads; ++i) {
        table += std::string("| ") + road[i].name;
        for (eig_geev_method method : {EIG_GEEV_AUTO, EIG_GEEV_SWB, EIG_GEEV_MWB, EIG_GEEV_REFERENCE})
            table += " | " + cell(method, false, road[i].name);
        for (eig_geev_method method : {EIG_GEEV_AUTO, EIG_GEEV_REFERENCE})
            table += " | " + cell(method, true, road[i].name);
        table += " |\n";
    }
    return print_or_compare("test_geev_roads", table, argc, argv);
}
