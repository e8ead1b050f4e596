/* The table of roads of stemr on CUDA, as docs/maintainers/cuda/stemr.md has it: which calls take which road.  Needs no GPU.
 *
 *     test_stemr_roads [FILE]    without a file prints the table; with one compares it with the file's, exit status 1 if it
 *                                is another one */
#include "stemr/stemr_cuda.cuh"

#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

enum { DEPTH = 6 };

static const char *const beginning = "<!-- made by tests/test_stemr_roads -->\n", *const end = "<!-- end of roads -->";

/* Which depths take the road by a method: all, none at all, or those that the caller has asked for by most_depth. */
static std::string cell(eig_stemr_method method, const char *road)
{
    bool none = false, some = false;
    for (int depth = 0; depth <= DEPTH; ++depth) { /* 0: most_depth = -1 */
        stemr_problem p = {};
        p.type = EIG_D, p.n = 1000, p.range = EIG_RANGE_ALL, p.method = method, p.most_depth = depth;
        bool const takes = eig_cuda_stemr_road(&p)->name == std::string(road);
        none = none || (depth == 0 && takes), some = some || (depth > 0 && takes);
    }
    return none && some ? "always" : none ? "`most_depth` = -1" : some ? "else" : "";
}

int main(int argc, char **argv)
{
    std::string table = std::string(beginning) +
                        "\n| road | auto | mrrr | reference | members of clusters go by |\n|---|---|---|---|---|\n";
    int roads;
    const stemr_road *const road = eig_cuda_stemr_roads(&roads);
    for (int i = 0; i < roads; ++i) {
        table += std::string("| ") + road[i].name;
        for (eig_stemr_method method : {EIG_STEMR_AUTO, EIG_STEMR_MRRR, EIG_STEMR_REFERENCE})
            table += " | " + cell(method, road[i].name);
        table += std::string(" | ") + road[i].way + " |\n";
    }
    table += "\n";
    if (argc < 2) {
        std::cout << table;
        return 0;
    }
    std::ifstream file(argv[1]);
    std::stringstream text;
    text << file.rdbuf();
    std::string const page = text.str();
    size_t const from = page.find(beginning), to = page.find(end);
    if (from == std::string::npos || to == std::string::npos || page.substr(from, to - from) != table) {
        std::cerr << argv[1] << " has another table of roads than\n" << table;
        return 1;
    }
    return 0;
}
