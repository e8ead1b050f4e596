#!/usr/bin/env python3
"""Makes docs/performance.md, its plots and the tables of measured times on all pages from bench/results: no number of a measurement is typed by hand.  A page says where a table belongs by two marks, see TABLES.
Needs nothing but Python 3.8.  measured.py reads the rows, performance_geev.py, performance_heev.py and performance_small.py are parts.

    bench/performance.py            writes them
    bench/performance.py --check    says which are not as the CSV files would make them; exit status 1 then

Both fail where a page has a table of times that nothing made, or a picture has no title.
"""
import glob
import os
import re
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources
import performance_geev as geev  # noqa: E402
import performance_heev as heev  # noqa: E402
import performance_small as small  # noqa: E402
import plot  # noqa: E402
from measured import (RESULTS, ROOT, a_matrix, beside, digits, link_to, note_of, of_500000, points, row_of, rows_of, runs_of,  # noqa: E402
                      source, time, times, wrapped)


SHARE, TWO, RANKS = "scale-share-h200", "scale-cuda-2xh200", ("scale-mpi-2xh200", "scale-mpi-4xh200")


def million():
    """stebz, n = 1,000,000, one GPU, device arrays: scale_share's share 1 of 1."""
    return row_of(SHARE, family="stebz", n=1000000, method="share 1/1 first")


# ------------------------------------------------------------------- plots

def plot_stebz_cpu():
    two, many = "stebz-cpu-xeon-2threads", "stebz-cpu-xeon-16threads"
    plain = {"type": "f64", "method": "multisection", "batch": 1}
    f = plot.Figure("stebz on a CPU: all eigenvalues of one matrix, f64", "order n of the matrix",
                    [512, 1024, 2048, 4096, 8192, 16384, 32768])
    f.line("LAPACK dstebz\nbisection, one core", points(rows_of(two, rival="dstebz", **plain), "rival_ms"), 3)
    f.line("LAPACK dsterf\nQL, one core", points(rows_of(two, rival="dsterf", **plain), "rival_ms"), 2)
    f.line("eigpack\ntwo cores", points(rows_of(two, **plain)), 1)
    f.line("eigpack\n16 cores", points(rows_of(many, **plain)), 0, heavy=True)
    return f, ("All eigenvalues of one random symmetric tridiagonal matrix, to full accuracy. A rival is left out "
               "where one run would take longer than 6 s. " + source(two, many))


def plot_stebz_cuda():
    file = "stebz-cuda-h200"
    f64 = rows_of(file, type="f64", method="multisection uniform", batch=1)
    f32 = rows_of(file, type="f32", method="multisection uniform", batch=1)
    f = plot.Figure("stebz on a GPU: all eigenvalues of one matrix", "order n of the matrix",
                    [512, 2048, 8192, 32768, 131072, 1000000])
    tree, host = ([r for r in f64 if r["rival"].startswith(name)] for name in ("interval-tree", "eigpack cpu"))
    f.line("Lessig's interval tree\nsame GPU, f64", points(tree, "rival_ms"), 2)
    f.line("eigpack\n16 cores of the host, f64", points(host, "rival_ms"), 3)
    f.line("eigpack\nH200, f64", points(f64 + [million()]), 0, heavy=True)
    f.line("eigpack\nH200, f32, to 1e\N{MINUS SIGN}5", points(f32), 1, dashed=True)
    f.bars("limit set beforehand", points(f64 + f32, "limit_ms"))
    return f, ("All eigenvalues of one random symmetric tridiagonal matrix in the GPU's memory, f64 to full accuracy, "
               "by CUDA events; n = 1,000,000 by the clock. " + source(file, (SHARE, [million()])))


def plot_stebz_batched():
    file = "stebz-cuda-h200"
    f = plot.Figure("stebz on a GPU: all eigenvalues of each matrix of a batch", "order n of the matrices",
                    sorted({r["n"] for r in RESULTS[file] if r["batch"] > 1}), "time a matrix")
    limits = []
    for kind, host, device in (("f64", 2, 0), ("f32", 3, 1)):
        rows = [r for r in rows_of(file, type=kind, method="multisection uniform") if r["batch"] > 1]
        limits += rows
        beside = points([r for r in rows if r["rival"].startswith("eigpack cpu")], "rival_ms", a_matrix)
        f.line(f"eigpack\n16 cores of the host, {kind}", beside, host, dashed=kind == "f32")
        f.line(f"eigpack\nH200, {kind}", points(rows, scale=a_matrix), device, dashed=kind == "f32",
               heavy=kind == "f64")
    f.bars("limit set beforehand", points(limits, "limit_ms", a_matrix))
    batches = ", ".join(f"{r['batch']:,} of n = {r['n']} ({r['type']})"
                        for r in sorted(limits, key=lambda r: (r["n"], r["type"])) if "cpu" in r["rival"])
    return f, f"Random symmetric tridiagonal matrices in the GPU's memory: {batches}. " + source(file)


def plot_geev_cpu():
    file = "geev-cpu-xeon-16threads"
    f = plot.Figure("geev on a CPU: eigenvalues of many small matrices, 16 cores", "order n of the matrices",
                    [5, 10, 15, 20, 25, 30, 64], "time a matrix")
    for kind, host, own in (("f64", 2, 0), ("f32", 3, 1)):
        rows = rows_of(file, family="geev", type=kind)
        letter = "d" if kind == "f64" else "s"
        f.line(f"LAPACK {letter}gehrd + {letter}hseqr\nsame cores, {kind}", points(rows, "rival_ms", a_matrix), host,
               dashed=kind == "f32")
        f.line(f"eigpack, {kind}", points(rows, scale=a_matrix), own, dashed=kind == "f32", heavy=kind == "f64")
    return f, ("All eigenvalues of random nonsymmetric matrices, about 10^7 entries in all; both use all cores, LAPACK "
               "one matrix a thread. " + source(file))


def plot_geev_cuda():
    own, others = "geev-cuda-h200", "geev-rivals-h200"
    f = plot.Figure("geev on a GPU: eigenvalues of 500,000 small matrices, f64", "order n of the matrices",
                    [2, 3, 5, 10, 15, 20, 30, 64])
    on_gpu = {}
    for row in rows_of(others, type="f64"):
        if not row["rival"].startswith("numpy"):
            on_gpu[row["n"]] = min(row, on_gpu.get(row["n"], row), key=lambda r: r["rival_ms"])
    f.line("PyTorch, JAX, cuSOLVER\nsame GPU, fastest of the three", points(on_gpu.values(), "rival_ms"), 4)
    f.line("NumPy\none core of the host", points(rows_of(others, rival="numpy", type="f64"), "rival_ms"), 2)
    host = rows_of(own, family="geev-host", type="f64", method="chunk0")
    resident = rows_of(own, family="geev-resident", type="f64")
    f.line("eigpack, H200\nfrom and to pinned host memory", points(host), 3)
    f.line("that copy alone", points(host, "rival_ms"), 5, dashed=True)
    f.line("eigpack, H200\narrays in the GPU's memory", points(resident, scale=of_500000), 0, heavy=True)
    f.bars("limit set beforehand\narrays in the GPU's memory", points(resident, "limit_ms", of_500000))
    return f, ("All eigenvalues of 500,000 random nonsymmetric matrices; above n = 32 the batch was smaller, and its "
               "time is scaled. The rivals take one matrix after the other: they ran on a part, and their time is "
               "scaled, too. " + source(own, others))


PLOTS = (
    ("stebz-cpu", "stebz on a CPU", plot_stebz_cpu), ("stebz-cuda", "stebz on a GPU", plot_stebz_cuda),
    ("stebz-batched-cuda", "stebz on a GPU, batches", plot_stebz_batched), ("geev-cpu", "geev on a CPU", plot_geev_cpu),
    ("geev-cuda", "geev on a GPU", plot_geev_cuda), *heev.PLOTS,
)


# ------------------------------------------------------------------- texts

def two_gpus(family, n, gpus):
    """The row of a call of bench_scale on pinned memory, of a host with two GPUs."""
    row, = rows_of(TWO, family=family, n=n, memory="pinned", gpus=gpus)
    return row


def core_for_core(row):
    """A sequential rival beside eigpack's threads: its time, and the ratio for equal numbers of cores."""
    return f"{time(row['rival_ms'])} ({times(row['ratio'])}; core for core {times(row['ratio'] / row['threads'])})"


def geev_rivals(n):
    """The fastest first; each ran on a part of the batch, which its row says."""
    cores = row_of("geev-cpu-xeon-16threads", n=n, type="f64")
    one = row_of("geev-rivals-h200", n=n, type="f64", rival="numpy")
    words = [("PyTorch 2.11", "torch"), ("JAX 0.11", "jax"), ("Xgeev of CUDA 13.0's cuSOLVER", "cusolver")]
    found = [(word, row_of("geev-rivals-h200", n=n, type="f64", rival=name)) for word, name in words]
    runs = sorted(runs_of(row) for _, row in found)
    return (f"scaled from the number that ran: LAPACK on 16 cores of a host {time(cores['rival_ms'] * of_500000(cores))} "
            f"({cores['batch']:,} ran), NumPy on one core {time(one['rival_ms'])} ({runs_of(one):,}); on the same GPU, one matrix "
            "after the other, " + ", ".join(f"{word} {time(row['rival_ms'])}" for word, row in found)
            + f" ({runs[0]:,} to {runs[-1]:,})")


# The rows of README.md's table, by their problems.
HEADLINES = (
    "eigenpairs of 62,508 Hermitian matrices 8 x 8, c128, one AMD core",
    "eigenpairs of 20,000 matrices 16 x 16, c128, H200",
    "500,000 nonsymmetric 10 x 10 matrices, f64, H200",
    "all eigenvalues of a tridiagonal matrix, n = 2048, f64, two cores",
    "all eigenpairs of a tridiagonal matrix, n = 4096, f64, one core",
)


def claims():
    """The rows of docs/performance.md's first table: what, eigpack's time in ms, what others take, the CSV files that hold it."""
    cpu, gpu = "stebz-cpu-xeon-2threads", "stebz-cuda-h200"
    one = {"type": "f64", "batch": 1}
    found = []

    def line(problem, row, other, *files):
        found.append((problem, row["time_ms"], other, files))

    sterf, stebz = (row_of(cpu, n=2048, method="multisection", rival=name, **one) for name in ("dsterf", "dstebz"))
    line("all eigenvalues of a tridiagonal matrix, n = 2048, f64, two cores", sterf,
         f"LAPACK, sequential: dsterf {core_for_core(sterf)}, dstebz {core_for_core(stebz)}", cpu)
    for n, words in ((2048, "the same on an H200"), (32768, "n = 32,768, f64, H200")):
        host = row_of(gpu, n=n, method="multisection uniform", rival="eigpack cpu", **one)
        line(words, host, f"no other was measured; eigpack on the host's 16 cores takes {time(host['rival_ms'])}", gpu)
    alone, two = (two_gpus("stebz", 1000000, k) for k in (1, 2))
    line("n = 1,000,000, f64, from the host's memory, two H200", two, f"eigpack on one H200 takes {time(alone['time_ms'])}",
         TWO)
    batch = row_of(gpu, n=128, batch=10000, type="f64", rival="eigpack cpu")
    line("10,000 matrices of n = 128, f64, H200", batch,
         f"no other was measured; eigpack on the host's 16 cores takes {time(batch['rival_ms'])}", gpu)
    host = row_of("geev-cpu-xeon-16threads", n=30, type="f64")
    processes = row_of("geev-processes-xeon-16", n=30, type="f64")
    line(f"{host['batch']:,} nonsymmetric 30 x 30 matrices, f64, 16 cores", host,
         f"LAPACK (OpenBLAS) dgehrd + dhseqr, one matrix a thread, {beside(host)}; in a process a core {time(processes['rival_ms'])}",
         "geev-cpu-xeon-16threads", "geev-processes-xeon-16")
    others = (geev.CUDA, geev.RIVALS, "geev-cpu-xeon-16threads")
    device = {n: geev.resident(n, "f64") for n in (10, 30)}
    line("500,000 nonsymmetric 10 x 10 matrices, f64, H200", device[10], geev_rivals(10), *others)
    copied = row_of(geev.CUDA, family="geev-host", method="chunk0", n=10, type="f64")
    authors = row_of(geev.AUTHORS, n=10)
    line("the same from and to pinned host memory", copied, f"the copy alone {time(copied['rival_ms'])}; the program of the paper's "
         f"authors {beside(authors)}", geev.CUDA, geev.AUTHORS)
    line("500,000 nonsymmetric 30 x 30 matrices, f64, H200", device[30], geev_rivals(30), *others)
    line("a 15 x 15 control loop at 50^3 gains, all eigenvalues, f64, H200",
         row_of(geev.CUDA, family="geev-affine-all", n=15, type="f64"), "no other was measured", geev.CUDA)
    for row in heev.short_rows():
        line(*row)
    case = {"n": 4096, "type": "f64", "method": "auto"}
    rrr, divide = (row_of("stemr-cpu-xeon-1thread", rival=name, **case) for name in ("dstemr", "dstedc"))
    line("all eigenpairs of a tridiagonal matrix, n = 4096, f64, one core", rrr,
         f"LAPACK (OpenBLAS), same core: dstedc {beside(divide)}, dstemr {beside(rrr)}", "stemr-cpu-xeon-1thread")
    many = row_of("stemr-cpu-xeon-16threads", rival="dstedc", **case)
    line("the same on 16 cores", many, f"dstedc, which uses little more than one of them, {time(many['rival_ms'])}; "
         "dstemr is sequential", "stemr-cpu-xeon-16threads")
    dense = row_of("stemr-rivals-h200", n=4096, type="f64", method="auto uniform01", rival="cusolverDnXsyevd")
    line("the same on an H200", dense, "cuSOLVER there has no solver for a tridiagonal matrix; Xsyevd of the dense one "
         f"{beside(dense)}", "stemr-rivals-h200")
    return found


def table_short():
    """The first table of the page."""
    return table_of_claims(claims())


def table_headlines():
    """The table of README.md: some of its rows, in the order of HEADLINES."""
    rows = {claim[0]: claim for claim in claims()}
    return table_of_claims(rows[problem] for problem in HEADLINES)


def table_of_claims(rows):
    return "\n".join(["| problem | eigpack | others |", "|---|---|---|"]
                     + [f"| {problem} | {time(ms)} | {other} |" for problem, ms, other, _ in rows])


def table_stebz_cuda():
    """The table of docs/maintainers/cuda/stebz.md."""
    file = "stebz-cuda-h200"
    lines = ["| problem | time | in a graph | target | interval tree, same GPU | CPU context, 16 cores of the host |",
             "|---|---|---|---|---|---|"]
    seen = set()
    for row in RESULTS[file]:
        case = {key: row[key] for key in ("type", "n", "batch")}
        kind = row["method"].split()[-1]
        if "graph" in row["method"] or (kind, *case.values()) in seen:
            continue
        seen.add((kind, *case.values()))
        name = {"uniform": "", "glued": ", glued Wilkinson", "121": ", 1-2-1", "blocks2": ", blocks of 2 rows",
                "blocks100": ", blocks of 100 rows"}[kind]
        problem = f"{row['n']:,}{name}" if row["batch"] == 1 else f"{row['n']:,}, {row['batch']:,} matrices"
        rivals = [rows_of(file, method=row["method"], rival=name, **case) for name in ("interval-tree", "eigpack cpu")]
        graph = rows_of(file, method=f"multisection graph {kind}", **case)
        cells = [f"{row['type']} n = {problem}", digits(row["time_ms"]), digits(graph[0]["time_ms"]) if graph else "",
                 f"{row['limit_ms']:g}" if row["limit_ms"] else ""]
        cells += [f"{digits(r[0]['rival_ms'])} ({times(r[0]['ratio'])})" if r else "" for r in rivals]
        lines.append("| " + " | ".join(cells) + " |")
    lines.append(f"| f64 n = 1,000,000 | {digits(million()['time_ms'])} | | | | |")
    return "\n".join(lines) + f"\n\n{wrapped(source(file, (SHARE, [million()])))}"


def table_geev_cpu():
    """The table of docs/families/geev.md: microseconds a matrix."""
    lines = ["| n | batch | f64, us a matrix | LAPACK | ratio | f32, us a matrix | LAPACK | ratio |",
             "|---|---|---|---|---|---|---|---|"]
    for row in rows_of("geev-cpu-zen5-2threads", type="f64"):
        cells = [str(row["n"]), f"{row['batch']:,}"]
        for one in (row, row_of("geev-cpu-zen5-2threads", type="f32", n=row["n"], batch=row["batch"])):
            cells += [digits(1000 * one[key] / one["batch"]) for key in ("time_ms", "rival_ms")]
            cells.append(digits(one["ratio"]))
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def page():
    two, many, gpu = "stebz-cpu-xeon-2threads", "stebz-cpu-xeon-16threads", "stebz-cuda-h200"
    cores = {n: [row_of(file, n=n, type="f64", method="multisection", batch=1)["time_ms"] for file in (two, many)]
             for n in (512, 32768)}
    big = {n: row_of(gpu, n=n, type="f64", method="multisection uniform", batch=1)["time_ms"]
           for n in (512, 2048, 131072)}
    big[1000000] = million()["time_ms"]
    glued = {t: row_of(two, n=4200, type=t, rival=r) for t, r in (("f32", "ssterf"), ("f64", "dsterf"))}
    device = {n: geev.resident(n, "f64") for n in (10, 15, 30)}
    pinned = row_of(geev.CUDA, family="geev-host", method="chunk0", n=10, type="f64")
    pageable = row_of(geev.CUDA, family="geev-host-pageable", n=10, type="f64")
    lapack = {n: row_of("geev-cpu-xeon-16threads", n=n, type="f64")["ratio"] for n in (20, 64)}
    least, most, near, far = geev.parts()
    text = f"""# Performance

Made by `bench/performance.py` from the CSV files in [bench/results](../bench/results/README.md), which has all rows,
machines and commands. A time is the median of many repeats, and every answer that was timed was checked. A ratio
compares two times of one machine, taken in turns in one run; where a row has several files, the rivals had runs of
their own, and no ratio stands there. The rivals are the fastest of those measured, and some that are in wide use.
Where a limit is drawn, it was set before the code was written. CPU machines are shared and noisy: there only ratios
count.

{table_short()}

Both axes of each plot are logarithmic. Work in proportion to n^2, as in stebz, rises two decades for one decade of n to
the right; geev and heev have n^3.
"""
    for name, heading, make in PLOTS:
        figure, caption = make()
        text += f"\n## {heading}\n\n![{figure.title}](images/performance-{name}.svg)\n\n{wrapped(caption)}\n"
    text += heev.section_maps() + heev.section_dx()
    text += small.section_small()
    glued, plain = (row_of("stemr-cuda-h200", n=4096, type="f64", method=f"auto {kind}") for kind in ("glued", "uniform"))
    step = [row_of("heev-cuda-h200", family="heev-resident", n=n, type="f64", batch=20000) for n in (32, 33)]
    ratio = step[1]["time_ms"] / step[0]["time_ms"]
    slow = f"""
- **stebz does n^2 work.** n = 131,072 takes {time(big[131072])} on an H200, n = 1,000,000 {time(big[1000000])}.
- **Small matrices on many cores.** At n = 512 sixteen cores are {cores[512][0] / cores[512][1]:.1f} times as fast as
  two, at n = 32,768 {cores[32768][0] / cores[32768][1]:.1f} times.
- **Small matrices on a GPU.** One of n = 512 takes {time(big[512])}, one of n = 2048, 16 times the work,
  {time(big[2048])}: three kernels have to be launched, and each waits for its chain of counts. Batches fill the GPU.
- **stebz with a tolerance below eps ||T||** counts with a division a row, some 15 times as slow
  ([stebz](families/stebz.md)).
- **geev on a GPU** reaches {100 * least:.0f} to {100 * most:.0f} % of the rate of its FP64 units ([geev on CUDA](maintainers/cuda/geev.md)):
  it keeps the limits but misses the aims, {near:.1f} to {far:.1f} times as fast. Up to n = 13 a matrix fits a thread's registers; above, it
  goes through shared memory: 500,000 take {time(device[10]['time_ms'])} for n = 10, {time(device[15]['time_ms'])} for n = 15,
  {time(device[30]['time_ms'])} for n = 30. A kernel for n = 14 to 32 was removed since: these orders take 8 to 15 % longer
  ([measured](maintainers/notes-geev.md)).
- **geev from host memory** waits for the link: n = 10 takes {time(pinned['time_ms'])}, where the GPU computes for
  {time(device[10]['time_ms'])}, and {time(pageable['time_ms'])} from memory that is not pinned. Keep the matrices on
  the GPU, or make them there (`eig_dgeev_affine`).
- **geev on a CPU, larger n**: {lapack[20]:.1f} times LAPACK's speed at n = 20, {lapack[64]:.1f} at n = 64. Above 64 the
  lanes or the threads share one matrix at a time; there is no row for that here.
- **stemr with many close eigenvalues**: W21+ glued by 1e-7 takes {time(glued['time_ms'])} on an H200 at n = 4096, a random
  matrix {time(plain['time_ms'])}; at n = 512 one core is slower than LAPACK's divide and conquer ([stemr](families/stemr.md)).
  Below n = 8192, and for one per cent of n = 32,768, a GPU waits for one chain of rows ([stemr on CUDA](maintainers/cuda/stemr.md)).
- **heev on a GPU, n = 33**: {ratio:.1f} times the time of n = 32; a few large matrices leave most multiprocessors idle
  ([heev on CUDA](maintainers/cuda/heev.md)).
"""
    text += "\n## Which run holds which claim\n\n" + wrapped(
        "The rows of the first table, with the run in [bench/results](../bench/results/README.md) that measured each, and the command "
        "of the run. Machine, driver, versions and commit stand there.") + "\n\n" + table_claims() + "\n"
    items = ["- " + " ".join(item.split()) for item in slow.split("\n- ")[1:]]
    return text + "\n## What is still slow\n\n" + "\n".join(wrapped(item, "  ") for item in items) + "\n"


def date_of(file):
    """The day of a run, where its note says it."""
    found = re.search(r"2\d{3}-\d\d-\d\d", note_of(file)[0])
    return found[0] if found else ""


def table_claims():
    """Which file holds each row of README.md's table, and what made it."""
    lines = ["| claim | run | when | command |", "|---|---|---|---|"]
    for problem, ms, _, files in claims():
        for number, file in enumerate(files):
            claim = f"{problem}: {time(ms)}" if number == 0 else "its rivals"
            lines.append(f"| {claim} | {link_to(file)} | {date_of(file)} | `{note_of(file)[2]}` |")
    return "\n".join(lines)


def table_stemr_cpu():
    """The table of docs/families/stemr.md: how many times as long LAPACK's ?stemr and ?stedc take."""
    files = ("stemr-cpu-xeon-1thread", "stemr-cpu-xeon-2threads", "stemr-cpu-xeon-16threads")
    lines = ["| matrix | n | one thread, f64 | f32 | two threads, f64 | f32 | 16 threads, f64 | f32 |",
             "|---|---:|---|---|---|---|---|---|"]
    for method, name in (("auto", "U(-1,1)"), ("auto 121", "1-2-1"), ("auto glued", "W21+ glued by 1e-7")):
        for n in sorted({row["n"] for row in rows_of(files[0], method=method)}):
            cells = [name, str(n)]
            for file in files:
                for letter, kind in (("d", "f64"), ("s", "f32")):
                    case = {"method": method, "n": n, "type": kind}
                    rrr = rows_of(file, rival=letter + "stemr", **case)
                    cells.append(f"{times(rrr[0]['ratio']) if rrr else 'gives up'}, "
                                 f"{times(row_of(file, rival=letter + 'stedc', **case)['ratio'])}")
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def table_stemr_cuda():
    """The table of docs/maintainers/cuda/stemr.md: f64, all pairs, with limits and the dense solver beside it."""
    own, others = "stemr-cuda-h200", "stemr-rivals-h200"
    kinds = (("uniform", "uniform01", "U(0,1)"), ("121", "121", "1-2-1"), ("glued", "glued", "glued"))
    lines = ["| n | " + " | ".join(f"{name} | Xsyevd" for _, _, name in kinds) + " | limit |",
             "|---:|" + "---|---|" * len(kinds) + "---|"]
    for n in sorted({row["n"] for row in rows_of(own, type="f64", method="auto glued")}):
        cells = [str(n)]
        for kind, theirs, _ in kinds:
            row = row_of(own, type="f64", method=f"auto {kind}", n=n)
            dense = rows_of(others, type="f64", method=f"auto {theirs}", n=n, rival="cusolverDnXsyevd")
            cells += [digits(row["time_ms"]), f"{digits(dense[0]['rival_ms'])} ({times(dense[0]['ratio'])})" if dense else ""]
        lines.append("| " + " | ".join(cells + [digits(row["limit_ms"])]) + " |")
    single = ", ".join(f"n = {row['n']} {digits(row['time_ms'])} (limit {digits(row['limit_ms'])})"
                       for row in rows_of(own, type="f32"))
    part = row_of(own, method="auto uniform 1 %")
    lines += ["", *wrapped(f"f32, U(0,1): {single}. One per cent of n = {part['n']} by index, f64: {digits(part['time_ms'])} "
                           f"(limit {digits(part['limit_ms'])}).").split("\n")]
    return "\n".join(lines)


def lines_of_note(file, pattern):
    """What a run printed beside its rows: the groups of each line of its note that has the pattern."""
    return [match.groups() for match in re.finditer(pattern, note_of(file)[3], re.M)]


def table_stemr_certificate():
    """docs/maintainers/cuda/stemr.md: what the certificate adds to a call."""
    pattern = (r"^(\w+) f64 n = (\d+), \2 pairs: .*; ([0-9.]+) ms, with the certificate ([0-9.]+)$")
    times = {(kind, int(n)): (float(call), float(whole))
             for kind, n, call, whole in lines_of_note("stemr-cuda-h200", pattern)}
    kinds = (("uniform", "U(0,1)"), ("121", "1-2-1"), ("glued", "glued"))
    lines = ["| n | " + " | ".join(f"{name}, ms | of the call" for _, name in kinds) + " |", "|---:|" + "---|---|" * len(kinds)]
    for n in (512, 4096, 8192, 16384, 32768):
        cells = [str(n)]
        for kind, _ in kinds:
            call, whole = times[kind, n]
            cells += [digits(whole - call), f"{100 * (whole - call) / call:.0f} %"]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n\n" + printed("stemr-cuda-h200")


def table_stemr_passes():
    """docs/maintainers/cuda/stemr.md: where the time of a call goes."""
    names = ("root", "tree", "refinement", "vectors", "fallbacks")
    pattern = r"^(\w+) f64 n = (\d+), \2 pairs: " + " ".join(name + r" ([0-9.]+)" for name in names)
    found = {(kind, int(n)): times for kind, n, *times in lines_of_note("stemr-cuda-h200", pattern)}
    lines = ["| matrix | n | brackets | clusters, and singles beside them | refinement | vectors | what was left over |",
             "|---|---:|---|---|---|---|---|"]
    for kind, name in (("uniform", "U(0,1)"), ("121", "1-2-1"), ("glued", "glued")):
        lines += [f"| {name} | {n} | " + " | ".join(digits(float(ms)) for ms in found[kind, n]) + " |" for n in (512, 4096, 32768)]
    return "\n".join(lines) + "\n\n" + printed("stemr-cuda-h200")


def table_stebz_passes():
    """docs/maintainers/cuda/stebz.md: where the time of a call of three kernels goes, n > 2048; f64 is printed after f32."""
    pattern = r"^# uniform n = (\d+): preparation ([0-9.]+) ms table ([0-9.]+) ms brackets ([0-9.]+) ms$"
    times = {int(n): some for n, *some in lines_of_note("stebz-cuda-h200", pattern) if int(n) > 2048}
    lines = ["| n, f64 | preparation, ms | table | brackets |", "|---:|---|---|---|"]
    lines += [f"| {n} | " + " | ".join(digits(float(ms)) for ms in times[n]) + " |" for n in sorted(times)]
    return "\n".join(lines) + "\n\n" + printed("stebz-cuda-h200")


def printed(file):
    return f"Printed by the run {link_to(file)}: [machines.txt](../bench/results/machines.txt)."


def table_stebz_cpu():
    """docs/families/stebz.md: two cores beside LAPACK, which uses one."""
    file = "stebz-cpu-xeon-2threads"
    lines = ["| matrix | n | f64, ms | dstebz | dsterf | f32, ms | sstebz | ssterf |", "|---|---:|---|---|---|---|---|---|"]
    for method, name in (("", "uniform"), (" glued", "glued Wilkinson"), (" ten", "uniform, ten eigenvalues")):
        for n in sorted({row["n"] for row in rows_of(file, method="multisection" + method)}):
            cells = [name, str(n)]
            for kind, letter in (("f64", "d"), ("f32", "s")):
                case = {"method": "multisection" + method, "n": n, "type": kind}
                cells.append(digits(rows_of(file, **case)[0]["time_ms"]))
                for rival in ("stebz", "sterf"):
                    rows = rows_of(file, rival=letter + rival, **case)
                    cells.append(f"{digits(rows[0]['rival_ms'])} ({times(rows[0]['ratio'])})" if rows else "")
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + f"\n\n{wrapped(source(file))}"


def table_scale_two():
    """docs/performance/scale.md: what two GPUs give since stebz's launches end by the clock."""
    lines = ["| call, f64 | host memory | one GPU, ms | two, ms | t(1) / (2 t(2)) |", "|---|---|---:|---:|---:|"]
    rows = [row for row in RESULTS[TWO] if not row["family"].startswith("copy")]
    for one in (row for row in rows if row["gpus"] == 1):
        two, = (r for r in rows if r["gpus"] == 2 and (r["family"], r["memory"]) == (one["family"], one["memory"]))
        lines.append(f"| {one['family']}, n = {one['n']:,}" + (f", {one['batch']:,} of them" if one["batch"] > 1 else "")
                     + f" | {one['memory']} | {one['time_ms']:.4g} | {two['time_ms']:.4g} | {two['efficiency']:.2f} |")
    return "\n".join(lines) + f"\n\n{link_to(TWO)}."


def table_scale_mpi():
    """docs/performance/scale.md: ranks of MPI on the GPUs of one host."""
    lines = ["| f64 | commit | 1 rank, ms | 2 ranks | 4 ranks | t(1) / (k t(k)) |", "|---|---|---|---|---|---|"]
    rows = [row for run in RANKS for row in RESULTS[run]]
    for family, words in (("mpi stebz", "`eig_mpi_dstebz`, n = {:,}"), ("mpi stemr", "`eig_mpi_dstemr`, n = {:,}, vectors")):
        for commit in dict.fromkeys(row["commit"] for row in rows):
            some = {row["gpus"]: row for row in rows if (row["family"], row["commit"]) == (family, commit)}
            lines.append(f"| {words.format(some[1]['n'])} | {commit} | "
                         + " | ".join(f"{some[k]['time_ms']:.4g}" if k in some else "" for k in (1, 2, 4)) + " | "
                         + ", ".join(f"{some[k]['efficiency']:.2f}" for k in sorted(some) if k > 1) + " |")
    return "\n".join(lines) + "\n\n" + ", ".join(map(link_to, RANKS)) + "."


def table_scalapack():
    """docs/performance/scale.md: beside ScaLAPACK on the same ranks."""
    file = "scale-scalapack-xeon-8ranks"
    lines = ["| all of them, n = 4096 | eigpack_mpi | ScaLAPACK | ratio |", "|---|---|---|---|"]
    for row in RESULTS[file]:
        what = "eigenvalues" if row["family"] == "stebz" else "eigenvectors too"
        lines.append(f"| {what} | {time(row['time_ms'])} | {row['rival'].replace('+', ' and ')} {time(row['rival_ms'])} | "
                     f"{digits(row['ratio'])} |")
    return "\n".join(lines) + f"\n\n{source(file)}"


# What stands between <!-- made by bench/performance.py: NAME --> and <!-- end --> on any page.
TABLES = {
    "headlines": table_headlines, "stebz cpu": table_stebz_cpu, "stebz cuda": table_stebz_cuda, "stebz passes": table_stebz_passes,
    "stemr cpu": table_stemr_cpu, "stemr cuda": table_stemr_cuda, "stemr certificate": table_stemr_certificate,
    "stemr passes": table_stemr_passes, "geev cpu": table_geev_cpu, "scale two": table_scale_two, "scale mpi": table_scale_mpi,
    "scale scalapack": table_scalapack, **geev.TABLES, **heev.TABLES, **small.TABLES,
}
LINK = re.compile(r"\]\((?![a-z]+:|#)([^)\s#]+)")  # in a table: from docs
MARK = re.compile(r"(<!-- made by bench/performance\.py: ([^>]+) -->\n\n)(?s:(?!<!-- made).)*?(<!-- end -->)")


def with_tables(path, used):
    """The page with what lies between its marks replaced; None where it has no mark."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        text = file.read()
    if text.count("<!-- made by bench/performance.py") != len(MARK.findall(text)):
        sys.exit(f"{path}: a mark <!-- made by bench/performance.py: NAME --> without its <!-- end -->")

    def made(match):
        if match[2] not in TABLES:
            sys.exit(f"{path}: no table is called {match[2]!r}")
        used.add(match[2])
        table = LINK.sub(lambda link: "](" + os.path.relpath(os.path.join("docs", link[1]), os.path.dirname(path) or "."), TABLES[match[2]]())
        return f"{match[1]}{table}\n\n{match[3]}"
    return MARK.sub(made, text)


# Tables of times that no file of bench/results holds: page, how the table's first line begins, and why it may stand there.
ALLOWED = (
    ("docs/guide/python.md", "", "times of the bindings, which are measured with the packages that a user installs"),
    ("docs/guide/octave.md", "", "the same"),
)
NOTES = "docs/maintainers/notes-"
TIMES = re.compile(r"(?<![\w.])\d[\d.,]*\s?(ms|us|µs|ns|s|min)\b|\b(ms|us|µs|ns|seconds)\b|\b\d[\d.]*x\b")


def stray_tables(path):
    """The first lines of tables with times that nothing made: outside marks and code, and not in laboratory notes."""
    if path.startswith(NOTES):
        return []
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        text = file.read()
    above = re.sub(r"^```(?s:.*?)^```", "", text, flags=re.M)
    above = re.sub(r"<!-- made by (?s:.*?)<!-- end", "", above)
    tables = re.findall(r"(?:^\|.*\n)+", above + "\n", re.M)
    return [f"{path}: {table.splitlines()[0]}" for table in tables if TIMES.search(table)
            and not any(path == page and table.startswith(begin) for page, begin, _ in ALLOWED)]


def pictures_amiss():
    """Pictures without a title, or with a background, which is a white box on a dark page."""
    found = []
    for path in sorted(glob.glob(os.path.join(ROOT, "docs/images/*.svg"))):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if "<title>" not in text or re.search(r'<rect width="100%"|<path d="M0 0h\d+v\d+H0z"', text):
            found.append(os.path.relpath(path, ROOT))
    return found


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    made = {f"docs/images/performance-{name}.svg": make()[0].svg() for name, _, make in PLOTS}
    made.update(heev.maps())
    made["docs/performance.md"] = page()

    used = set()
    pages = ["README.md"] + sorted(os.path.relpath(path, ROOT) for path in glob.glob(os.path.join(ROOT, "docs/**/*.md"), recursive=True))
    made.update({path: with_tables(path, used) for path in pages if path not in made})
    if used != set(TABLES):
        sys.exit(f"tables that no page shows: {', '.join(sorted(set(TABLES) - used))}")
    stale = []
    for path, text in made.items():
        place = os.path.join(ROOT, path)
        if sys.argv[1:] == ["--check"]:
            old = open(place, encoding="utf-8").read() if os.path.exists(place) else None
            stale += [path] if old != text else []
        else:
            with open(place, "w", encoding="utf-8") as file:
                file.write(text)
    strays = [line for path in pages if path != "docs/performance.md" for line in stray_tables(path)]
    if strays:
        sys.exit("tables of times that no script makes; make them from a file of bench/results (TABLES in bench/performance.py), or put "
                 f"them into {NOTES}<family>.md:\n" + "\n".join(strays))
    if pictures_amiss():
        sys.exit(f"pictures without a title, or with a background: {', '.join(pictures_amiss())}")
    if stale:
        sys.exit(f"not as the CSV files make them: {', '.join(stale)}; run bench/performance.py")


main()
