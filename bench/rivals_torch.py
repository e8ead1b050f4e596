#!/usr/bin/env python3
"""eigpack.eigh and eigvalsh beside torch.linalg's on one GPU, tensors on the device, in one process.

    bench/rivals_torch.py FILE.csv COMMIT [--types f64,...] [--n LIST] [--batch LIST] [--budget SECONDS] [--most SECONDS] [--limit SECONDS]

matrices  random, real and imaginary parts normal; batches are (batch, n, n)
times     ms by the clock between synchronisations of the device, the median of turns in which the two take their calls one after the
          other; a turn of a short case is many calls.  At least 3 turns and --budget seconds.
part      a case whose call would take PyTorch more than --most seconds runs there on the first matrices alone; its time is scaled, and
          the row says how many were run ("run").  A single matrix is left out then.
error     the larger of ||A V - V diag(w)|| / ||A|| and ||V^H V - I|| of the last matrix, in n eps; of values |w - torch's| / max|w|
--limit   no new case is begun after these seconds; cases go from small to large
"""
import argparse
import csv
import statistics
import sys
import time

import torch

import eigpack

DTYPE = {"f64": torch.float64, "f32": torch.float32, "c128": torch.complex128, "c64": torch.complex64}
COLUMNS = ("family", "type", "n", "batch", "device", "method", "threads", "time_ms", "limit_ms", "rival", "rival_ms", "ratio",
           "error", "check", "machine", "commit")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("csv")
    parser.add_argument("commit")
    parser.add_argument("--types", default="f64,f32,c128,c64")
    parser.add_argument("--n", default="2,3,4,8,16,24,32,48,64,65,96,128,256,512,1024,2048,4096")
    parser.add_argument("--batch", default="1,10,100,1000")
    parser.add_argument("--budget", type=float, default=0.03)
    parser.add_argument("--most", type=float, default=0.15)
    parser.add_argument("--limit", type=float, default=1e9)
    return parser.parse_args()


args = arguments()


def matrices(kind, n, batch):
    a = torch.randn((batch, n, n) if batch > 1 else (n, n), dtype=DTYPE[kind], device="cuda")
    return a + a.mH


def turn(call, a, count):
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(count):
        call(a)
    torch.cuda.synchronize()
    return (time.perf_counter() - start) / count


def medians(calls):
    """Median seconds of each (call, argument), which take turns."""
    first = [min(turn(call, a, 1), turn(call, a, 1)) for call, a in calls]
    counts = [max(1, min(200, int(2e-3 / x))) for x in first]
    taken, begin = [[] for _ in calls], time.perf_counter()
    while len(taken[0]) < 3 or time.perf_counter() - begin < args.budget:
        for (call, a), count, list_of in zip(calls, counts, taken):
            list_of.append(turn(call, a, count))
        if sum(first) > args.most and len(taken[0]) >= 1:
            break
    return [statistics.median(x) for x in taken]


def check(kind, a, vectors):
    one = a if a.ndim == 2 else a[-1]
    unit = one.shape[-1] * torch.finfo(DTYPE[kind]).eps
    wide = one.to(torch.complex128 if kind.startswith("c") else torch.float64)
    if not vectors:
        w = eigpack.eigvalsh(a)
        w, theirs = (w if w.ndim == 1 else w[-1]).double(), torch.linalg.eigvalsh(wide)
        return float((w - theirs).abs().max() / theirs.abs().max()) / unit
    w, v = (x if a.ndim == 2 else x[-1] for x in eigpack.eigh(a))
    v = v.to(wide.dtype)
    d = torch.linalg.norm(wide @ v - v * w.to(wide.dtype)) / torch.linalg.norm(wide)
    q = torch.linalg.norm(v.mH @ v - torch.eye(len(w), dtype=wide.dtype, device="cuda"))
    return float(max(d, q)) / unit


def measure(kind, n, batch, vectors):
    a = matrices(kind, n, batch)
    own, rival = (eigpack.eigh, torch.linalg.eigh) if vectors else (eigpack.eigvalsh, torch.linalg.eigvalsh)
    few = batch
    if batch > 1:
        spent = turn(rival, a[:8], 1)
        spent = min(spent, turn(rival, a[:8], 1)) if spent < args.most else spent
        few = int(min(batch, max(8, 8 * args.most / spent)))
    ours, theirs = medians([(own, a), (rival, a if few == batch else a[:few].contiguous())])
    theirs *= batch / few
    error = check(kind, a, vectors)
    name = f"torch.linalg.{'eigh' if vectors else 'eigvalsh'}"
    return {"family": "heev", "type": kind, "n": n, "batch": batch, "device": "cuda", "method": "auto" if vectors else "auto values",
            "threads": 0, "time_ms": f"{1e3 * ours:.5g}", "limit_ms": "", "rival": name if few == batch else f"{name} ({few} run)",
            "rival_ms": f"{1e3 * theirs:.5g}", "ratio": f"{theirs / ours:.4g}", "error": f"{error:.3g}",
            "check": "ok" if error <= (10 if n > 3 else 40) else "FAIL",
            "machine": f"{torch.cuda.get_device_name()}; PyTorch {torch.__version__}", "commit": args.commit}


def main():
    torch.manual_seed(1)
    begin, low, slow = time.perf_counter(), 0, {}
    with open(args.csv, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for n in map(int, args.n.split(",")):
            for batch in map(int, args.batch.split(",")):
                for kind in args.types.split(","):
                    if 3 * batch * n * n * DTYPE[kind].itemsize > 2**34 or slow.get((kind, batch), 0) > 4 * args.most:
                        continue # the order before took too long
                    for vectors in (True, False):
                        if time.perf_counter() - begin > args.limit:
                            return
                        row = measure(kind, n, batch, vectors)
                        slow[kind, batch] = max(slow.get((kind, batch), 0), 1e-3 * float(row["time_ms"]))
                        if batch == 1:
                            slow[kind, batch] = max(slow[kind, batch], 0.25e-3 * float(row["rival_ms"]))
                        writer.writerow(row)
                        file.flush()
                        low += float(row["ratio"]) < 1
                        print(f"{kind:5} n = {n:4} x {batch:4} {row['method']:12} {row['time_ms']:>9} ms, PyTorch {row['rival_ms']:>9} ms, "
                              f"{row['ratio']:>6}x, error {row['error']} {row['check']}{' LOW' if float(row['ratio']) < 1 else ''}", flush=True)
                    torch.cuda.empty_cache()
    print(f"{low} ratios below 1", file=sys.stderr)


main()
