#!/usr/bin/env python3
"""eigpack.eigh and eigvalsh, or eig and eigvals, on a CPU beside numpy.linalg's, in one process and with the same number of threads.

    OPENBLAS_NUM_THREADS=T bench/rivals_numpy.py FILE.csv COMMIT [--family heev|geev] [--threads T] [--types f64,...] [--n LIST]
                                                 [--batch LIST] [--kind LIST] [--budget SECONDS] [--most SECONDS]
                                                 [--values | --vectors] [--only FILE.csv]

matrices  random, real and imaginary parts normal, in NumPy's order; batches are (batch, n, n); geev: --kind, else random
times     ms, the least of several turns, in which the two libraries run one after the other: at least --budget seconds a case, four
          times as long where eigpack is behind, and at least 2 turns.  A turn of a short case is many calls.  Cases that are
          expected to take NumPy longer than --most seconds are left out.  With several threads a turn begins with
          a rest, and a call that is not timed wakes the threads.
error     of one matrix, in n eps: the larger of ||A V - V diag(w)|| / ||A|| and ||V^H V - I||, of values alone |w - NumPy's| / max|w|;
          geev: the largest ||A v - w v|| / ||A||, of values alone |sum w - trace A| / ||A||
--only    measures the cases of this file whose ratio is below 1 again, and writes them to FILE.csv
"""
import argparse
import csv
import os
import sys
import time

TYPES = ("f64", "f32", "c128", "c64")
FAMILIES = {"heev": ("eigh", "eigvalsh"), "geev": ("eig", "eigvals")}  # with vectors, values alone
SMALL = "1,2,3,4,5,6,7,8,10,12,16,20,24,28,32,40,48,56,64,65,80,96,128,160,200,256,384,512,768,1024,1500,2048,3000,4096"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("csv")
    parser.add_argument("commit")
    parser.add_argument("--family", choices=FAMILIES, default="heev")
    parser.add_argument("--kind", default="random", help="random, identity, jordan, triangular, half, hessenberg, companion")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--types", default=",".join(TYPES))
    parser.add_argument("--n", default=SMALL)
    parser.add_argument("--batch", default="1,10,100")
    parser.add_argument("--budget", type=float, default=0.3)
    parser.add_argument("--most", type=float, default=20)
    parser.add_argument("--values", action="store_true")
    parser.add_argument("--vectors", action="store_true")
    parser.add_argument("--only")
    return parser.parse_args()


args = arguments()
for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = str(args.threads)
import numpy  # noqa: E402
import eigpack  # noqa: E402

DTYPE = {"f32": numpy.float32, "f64": numpy.float64, "c64": numpy.complex64, "c128": numpy.complex128}
COLUMNS = ("family", "type", "n", "batch", "device", "method", "threads", "time_ms", "limit_ms", "rival", "rival_ms", "ratio",
           "error", "check", "machine", "commit")
REST = 0.04  # seconds; threads of the one before look for work that long on a core that the other needs (OpenBLAS: 2^26 clocks)
FLOPS = 4e9 * min(args.threads, 2)  # what NumPy makes a second, for the guess of what a case takes


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        name = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), "unknown processor")
    return f"{name}, {args.threads} thread{'s' if args.threads > 1 else ''}"


def structured(what, a):
    """Matrices of a kind, from random ones."""
    n = a.shape[-1]
    if what in ("identity", "jordan"):
        a = numpy.broadcast_to(numpy.eye(n) + (what == "jordan") * numpy.eye(n, k=1), a.shape).astype(a.dtype)
    elif what == "triangular":
        a = numpy.triu(a)
    elif what == "half":  # the first half of the batch
        a[: len(a) // 2] = numpy.triu(a[: len(a) // 2])
    elif what == "hessenberg":
        a = numpy.triu(a, -1)
    elif what == "companion":
        a[..., 1:, :] = numpy.eye(n - 1, n)
    return a


def matrices(kind, n, batch, what, generator):
    a = generator.standard_normal((batch, n, n), dtype=numpy.float32 if kind in ("f32", "c64") else numpy.float64)
    if kind.startswith("c"):
        a = a + 1j * generator.standard_normal(a.shape, dtype=a.dtype)
    a = structured(what, a) if args.family == "geev" else (a + a.conj().swapaxes(-1, -2)) / 2
    return numpy.ascontiguousarray(a[0] if batch == 1 else a)


def guess(kind, n, batch, vectors):
    """Seconds of NumPy."""
    flops = (9 if vectors else 4 / 3 * 2) * (3 if args.family == "geev" else 1) * n**3 * (4 if kind.startswith("c") else 1)
    return batch * (flops / FLOPS / (2 if kind in ("f32", "c64") else 1) + 5e-6)


def turn(call, a, count):
    if args.threads > 1:
        time.sleep(REST)
        call(a)
    start = time.perf_counter()
    for _ in range(count):
        call(a)
    return (time.perf_counter() - start) / count


def least(calls, a):
    """The least seconds of a call of each; where the first is behind, of four times as many turns."""
    first = [min(turn(call, a, 1), turn(call, a, 1) if a.size < 10**6 else 1e9) for call in calls]
    counts = [max(1, min(1000, int(2e-4 / x))) for x in first]
    best, turns, begin = first, 1, time.perf_counter()
    while turns < 3 or time.perf_counter() - begin < args.budget * (4 if best[0] > best[1] else 1):
        if sum(first) > args.most / 4 and turns > 1 and best[0] < best[1]:
            break
        best = [min(b, turn(call, a, count)) for b, call, count in zip(best, calls, counts)]
        turns += 1
        if turns > 6 and time.perf_counter() - begin > args.most:
            break
    return best


def check(kind, n, batch, vectors, a):
    """The error of the last matrix of the batch."""
    one = a if batch == 1 else a[-1]
    eps = n * numpy.finfo(DTYPE[kind]).eps
    wide = one.astype(numpy.complex128 if kind.startswith("c") else numpy.float64)
    if args.family == "geev":
        w, v = eigpack.eig(a) if vectors else (eigpack.eigvals(a), None)
        w, v = (w, v) if batch == 1 else (w[-1], v[-1] if vectors else None)
        off = numpy.linalg.norm(wide @ v - v * w, axis=0).max() if vectors else abs(w.sum(dtype=complex) - wide.trace())
        return float(off / numpy.linalg.norm(wide)) / eps
    if not vectors:
        w = eigpack.eigvalsh(a)
        w, theirs = w if batch == 1 else w[-1], numpy.linalg.eigvalsh(wide)
        return float(abs(w - theirs).max() / max(abs(theirs).max(), 1e-300)) / eps
    w, v = eigpack.eigh(a)
    w, v = (w, v) if batch == 1 else (w[-1], v[-1])
    v = v.astype(wide.dtype)
    d = numpy.linalg.norm(wide @ v - v * w) / numpy.linalg.norm(wide)
    q = numpy.linalg.norm(v.conj().T @ v - numpy.eye(n))
    return float(max(d, q)) / eps


def measure(kind, n, batch, what, vectors, generator):
    a = matrices(kind, n, batch, what, generator)
    name = FAMILIES[args.family][0 if vectors else 1]
    own, rival = least([getattr(eigpack, name), getattr(numpy.linalg, name)], a)
    error = check(kind, n, batch, vectors, a)
    good = error <= (10 if n > 3 else 40)
    method = "auto" + ("" if vectors else " values") + ("" if what == "random" else f" {what}")
    return {"family": args.family, "type": kind, "n": n, "batch": batch, "device": "cpu", "method": method,
            "threads": args.threads, "time_ms": f"{1e3 * own:.5g}", "limit_ms": "",
            "rival": f"numpy.linalg.{name}", "rival_ms": f"{1e3 * rival:.5g}",
            "ratio": f"{rival / own:.4g}", "error": f"{error:.3g}", "check": "ok" if good else "FAIL", "machine": machine(),
            "commit": args.commit}


def cases():
    if args.only:
        with open(args.only, encoding="utf-8") as file:
            for row in csv.DictReader(file):
                words = row["method"].split()[1:]
                what = [word for word in words if word != "values"] or ["random"]
                if float(row["ratio"]) < 1:
                    yield row["type"], int(row["n"]), int(row["batch"]), what[0], "values" not in words
        return
    for n in map(int, args.n.split(",")):
        for batch in map(int, args.batch.split(",")):
            for kind in args.types.split(","):
                for what in args.kind.split(","):
                    for vectors in (True, False):
                        if not (args.values if vectors else args.vectors):
                            yield kind, n, batch, what, vectors


def main():
    eigpack.set_threads(args.threads)
    generator, low = numpy.random.default_rng(1), 0
    with open(args.csv, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for kind, n, batch, what, vectors in cases():
            if guess(kind, n, batch, vectors) > args.most or batch * n * n * DTYPE[kind]().itemsize > 2**30:
                continue
            row = measure(kind, n, batch, what, vectors, generator)
            writer.writerow(row)
            file.flush()
            low += float(row["ratio"]) < 0.9
            print(f"{kind:5} n = {n:4} x {batch:3} {row['method']:12} {row['time_ms']:>9} ms, NumPy {row['rival_ms']:>9} ms, "
                  f"{row['ratio']:>6}x, error {row['error']} {row['check']}{' LOW' if float(row['ratio']) < 0.9 else ''}", flush=True)
    print(f"{low} ratios below 0.9", file=sys.stderr)


main()
