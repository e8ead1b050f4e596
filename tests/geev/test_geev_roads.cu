/* The table of roads of geev on CUDA, as docs/geev-cuda.md has it: which road takes which orders.
 *
 *     test_geev_roads [FILE]     prints the table, or compares it with the file's */
#include "geev/geev_cuda.cuh"
#include "support/roads.hpp"

/* The orders that take the road by a method, in float and in double. */
static std::string cell(eig_geev_method method, const char *road)
{
    auto const of_type = [=](eig_type type) {
        geev_problem p = {};
        p.type = type, p.method = method, p.batch = 1000;
        return orders([&](int64_t n) {
            p.n = n;
            return eig_cuda_geev_road(hopper(), &p)->name == std::string(road);
        });
    };
    std::string const s = of_type(EIG_S), d = of_type(EIG_D);
    if (s == d) return s;
    std::string const single = s.empty() ? "" : s + " (f32)", both = s.empty() || d.empty() ? "" : "; ";
    return single + both + (d.empty() ? "" : d + " (f64)");
}

int main(int argc, char **argv)
{
    std::string table = "| road | auto | swb | mwb | reference |\n|---|---|---|---|---|\n";
    int roads;
    const geev_road *const road = eig_cuda_geev_roads(&roads);
    for (int i = 0; i < roads; ++i) {
        table += std::string("| ") + road[i].name;
        for (eig_geev_method method : {EIG_GEEV_AUTO, EIG_GEEV_SWB, EIG_GEEV_MWB, EIG_GEEV_REFERENCE})
            table += " | " + cell(method, road[i].name);
        table += " |\n";
    }
    return print_or_compare("test_geev_roads", table, argc, argv);
}
