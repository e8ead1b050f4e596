/* The table of roads of stebz on CUDA, as docs/maintainers/cuda/stebz.md has it: which road takes which orders.  Needs no GPU.
 *
 *     test_stebz_roads [FILE]     without a file prints the table; with one compares it with the file's, exit status 1 if
 *                                 they differ */
#include "stebz/stebz_cuda.cuh"

#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

enum { MOST_N = 5000 };

static const char *const beginning = "<!-- made by tests/test_stebz_roads -->\n", *const end = "<!-- end of roads -->";

/* A GPU as an H100 or H200. */
static eig_context *hopper(cuda_state *state)
{
    static eig_context ctx;
    state->shared_bytes = 232448, state->multiprocessors = 132;
    ctx.state = state;
    return &ctx;
}

/* The orders of a call that take the road, e.g. "1..2048": one run of them, or none. */
static std::string orders(const eig_context *ctx, stebz_problem p, const char *road)
{
    int64_t first = 0, last = 0;
    for (p.n = 1; p.n <= MOST_N; ++p.n)
        if (eig_cuda_stebz_road(ctx, &p)->name == std::string(road)) {
            if (first == 0) first = p.n;
            last = p.n;
        }
    if (first == 0) return "";
    std::ostringstream text;
    text << first << "..";
    if (last < MOST_N) text << last;
    return text.str();
}

/* The orders in each of the types and with a tight tolerance: they have to be the same, or the table would need a column
 * more. */
static std::string cell(const eig_context *ctx, const std::string &types, int64_t batch, eig_stebz_method method,
                        const char *road)
{
    std::string text;
    for (size_t k = 0; k < 2 * types.size(); ++k) {
        stebz_problem p = {};
        p.type = (eig_type)types[k / 2], p.abstol = k % 2 ? 1e-30 : 0;
        p.method = method, p.batched = batch > 1, p.batch = batch;
        std::string const n = orders(ctx, p, road);
        if (k > 0 && n != text) return "differs";
        text = n;
    }
    return text;
}

static std::string make_table()
{
    cuda_state state = {};
    const eig_context *const ctx = hopper(&state);
    std::string table =
        std::string(beginning) +
        "\n| road | one matrix, f64 | f32 | batch of 100 | batch of 100,000 | interval tree | reference | passes |\n"
        "|---|---|---|---|---|---|---|---|\n";
    int roads;
    const stebz_road *const road = eig_cuda_stebz_roads(&roads);
    for (int i = 0; i < roads; ++i) {
        const char *const name = road[i].name;
        table += std::string("| ") + name;
        for (const char *type : {"d", "s"}) table += " | " + cell(ctx, type, 1, EIG_STEBZ_MULTISECTION, name);
        for (int64_t batch : {100, 100000}) table += " | " + cell(ctx, "ds", batch, EIG_STEBZ_MULTISECTION, name);
        table += " | " + cell(ctx, "ds", 100, EIG_STEBZ_INTERVAL_TREE, name);
        table += " | " + cell(ctx, "ds", 100, EIG_STEBZ_REFERENCE, name) + " | ";
        for (int k = 0; k < road[i].passes.count; ++k) table += std::string(k ? ", " : "") + road[i].passes.name[k];
        table += " |\n";
    }
    return table + "\n";
}

int main(int argc, char **argv)
{
    std::string const table = make_table();
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
