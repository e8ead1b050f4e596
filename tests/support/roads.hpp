/* Tables of roads of the CUDA backend in pages of docs: a program prints one, or compares it with the page's.  Neither needs a
 * GPU. */
#ifndef EIG_TEST_ROADS_H
#define EIG_TEST_ROADS_H

#include "cuda_common.cuh"

#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

enum { MOST_N = 4000 };

/* A context on a GPU as an H100 or H200. */
static eig_context *hopper()
{
    static eig_context ctx;
    static cuda_state state;
    state.shared_bytes = 232448, state.multiprocessors = 132, state.tensor_doubles = true;
    ctx.state = &state;
    return &ctx;
}

/* The orders n for which takes(n), e.g. "9..32": one run of them, or none. */
template <typename function> static std::string orders(function takes)
{
    int64_t first = 0, last = 0;
    for (int64_t n = 1; n <= MOST_N; ++n)
        if (takes(n)) {
            if (first == 0) first = n;
            last = n;
        }
    if (first == 0) return "";
    std::ostringstream text;
    text << first;
    if (last == MOST_N)
        text << "..";
    else if (last > first)
        text << ".." << last;
    return text.str();
}

/* The program: without an argument prints the table; with the name of a page compares it with the page's, exit status 1
 * if it is another one.  maker: the program's name, which the page's table begins with. */
static int print_or_compare(const std::string &maker, const std::string &table, int argc, char **argv)
{
    std::string const whole = "<!-- made by tests/" + maker + " -->\n\n" + table + "\n";
    if (argc < 2) {
        std::cout << whole;
        return 0;
    }
    std::ifstream file(argv[1]);
    std::stringstream text;
    text << file.rdbuf();
    std::string const page = text.str();
    size_t const from = page.find(whole.substr(0, whole.find('\n'))), to = page.find("<!-- end of roads -->");
    if (from != std::string::npos && to != std::string::npos && page.substr(from, to - from) == whole) return 0;
    std::cerr << argv[1] << " has another table of roads than\n" << whole;
    return 1;
}

#endif
