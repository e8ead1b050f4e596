#!/usr/bin/env python3
"""heev and geev on all cores beside LAPACK with one thread in a process a core: the setting in which LAPACK uses a machine best, since
OpenBLAS's calls from the threads of one process wait for each other.

    bench/rivals_processes.py EIGPACK CORES FILE.csv [--family heev] [--lapack F] [--type T] [--n N:BATCH,...]

EIGPACK is the program `eigpack`.  One process of eigpack takes the batch of each case, with a thread a core; then a process a core, bound
to it, times LAPACK on its share, all at the same time, and the slowest median counts.
"""
import argparse
import csv
import os
import subprocess
import sys
import tempfile

CASES = {"heev": "3:444452,8:62508,16:15633,32:3914,64:984,128:252,256:69",
         "geev": "5:400001,10:100001,15:44445,20:25001,25:16001,30:11112"}
TYPES = {"heev": "c128,f64", "geev": "f64,f32"}


def bench(program, folder, name, cores, *words):
    """One process of eigpack bench, bound to these cores."""
    path = os.path.join(folder, f"{name}.csv")
    command = ["taskset", "-c", cores, program, "bench", *words, "--device", "cpu", "--csv", path]
    return path, subprocess.Popen(command, stdout=subprocess.DEVNULL, env=dict(os.environ, OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1"))


def row_of(path, process):
    if process.wait():
        sys.exit("eigpack bench failed")
    with open(path, encoding="utf-8") as file:
        row, = csv.DictReader(file)
    if row["check"] != "ok":
        sys.exit(f"a check failed: {row}")
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("eigpack")
    parser.add_argument("cores", type=int)
    parser.add_argument("csv")
    parser.add_argument("--family", choices=sorted(CASES), default="heev")
    parser.add_argument("--lapack")
    parser.add_argument("--type")
    parser.add_argument("--n")
    args = parser.parse_args()
    lapack = ["--lapack", args.lapack] if args.lapack else []
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for kind in (args.type or TYPES[args.family]).split(","):
            for case in (args.n or CASES[args.family]).split(","):
                n, batch = map(int, case.split(":"))
                words = [args.family, "--type", kind, "--n", str(n)]
                row = row_of(*bench(args.eigpack, folder, "own", f"0-{args.cores - 1}", *words, "--batch", str(batch),
                                    "--threads", str(args.cores)))
                share = str(-(-batch // args.cores))
                parts = [bench(args.eigpack, folder, f"part{core}", str(core), *words, "--batch", share, "--threads", "1", "--rivals",
                               *lapack) for core in range(args.cores)]
                rivals = [row_of(*part) for part in parts]
                row["rival"] = f"{rivals[0]['rival']} ({args.cores} processes)"
                row["rival_ms"] = max(float(r["rival_ms"]) for r in rivals)
                row["ratio"] = f"{row['rival_ms'] / float(row['time_ms']):.4g}"
                row["limit_ms"] = ""
                rows.append(row)
                print(f"{args.family} {kind} n = {n} x {batch}: {float(row['time_ms']):.4g} ms, {row['rival']} {row['rival_ms']:.4g} ms, "
                      f"{row['ratio']}x", flush=True)
    with open(args.csv, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


main()
