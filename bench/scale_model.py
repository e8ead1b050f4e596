#!/usr/bin/env python3
"""A model of up to a thousand GPUs: what communication, uneven shares, PCIe and files cost, and where scaling stops.

    bench/scale_model.py              prints the tables of docs/performance/scale.md
    bench/scale_model.py --write      puts them there
    bench/scale_model.py --check      whether they stand there
    bench/scale_model.py --compare    the model beside bench_scale's rows of several GPUs in one machine

Times of one GPU are rows of bench/results; what one of k GPUs does with its share of a tridiagonal matrix was measured on
one GPU (bench/scale_share.c).  The rest are the figures below.
"""
import math
import os
import sys

from measured import RESULTS, ROOT, row_of, rows_of

LATENCY = 5e-6  # s, one message of MPI between two hosts; a guess on the safe side: a tenth of it changes no row by 5 %
LINK = 50e9  # bytes/s of a GPU's network card: 400 Gb/s, one card a GPU [1]
GPUS_A_HOST = 8  # [1]
FILES = 40e9  # bytes/s that one host reads or writes files [2]
HBM = 120e9  # bytes of a GPU that results may fill
# [1] NVIDIA DGX SuperPOD, Key Components (DGX H100: ConnectX-7, 400 Gbps InfiniBand, eight GPUs a system).
# [2] NVIDIA DGX SuperPOD Reference Architecture RA-11333-001 (2023): over 40 GB/s a system by GPUDirect Storage.
# [3] R. Thakur, R. Rabenseifner, W. Gropp, Optimization of Collective Communication Operations in MPICH, IJHPCA 19 (2005).
SHARE = "scale-share-h200"
COPY = row_of("geev-cuda-h200", family="geev-host", type="f64", n=10, rival="copy")
PCIE = 800 * COPY["batch"] / (COPY["rival_ms"] / 1000)  # bytes/s, measured: the copy of 10 x 10 doubles from pinned memory


def hosts(gpus):
    return -(-gpus // GPUS_A_HOST)


def broadcast(size, gpus):
    """The better of a binomial tree and of scatter and allgather [3]."""
    steps = math.ceil(math.log2(gpus)) if gpus > 1 else 0
    tree = steps * (LATENCY + size / LINK)
    pieces = (steps + gpus - 1) * LATENCY + 2 * (gpus - 1) / gpus * size / LINK
    return min(tree, pieces)


def gather(size, gpus):
    """A binomial tree [3]; the last rank's link takes all."""
    return math.ceil(math.log2(gpus)) * LATENCY + size * (gpus - 1) / gpus / LINK if gpus > 1 else 0.0


def files(size, gpus):
    return size / (hosts(gpus) * FILES)


def share(family, n, gpus):
    """The slower of the measured shares of one of so many GPUs, in seconds; None where its vectors fit no GPU."""
    rows = [row for row in rows_of(SHARE, family=family, n=n) if row["method"].startswith(f"share 1/{gpus} ")]
    return max(row["time_ms"] for row in rows) / 1000 if rows else None


def time_text(seconds):
    if seconds == 0:
        return "0"
    for scale, unit in ((1, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= 0.9995 * scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def table(head, rows):
    return "\n".join(["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
                     + ["| " + " | ".join(row) + " |" for row in rows])


def stops(efficiencies):
    """The most GPUs that are used by half."""
    used = [gpus for gpus, efficiency in efficiencies if efficiency >= 0.5]
    return max(used) if used else 0


COUNTS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)


def values_of_one(n=1_000_000):
    rows, used, one = [], [], share("stebz", n, 1)
    for gpus in COUNTS:
        send, solve, collect = broadcast(16 * n, gpus), share("stebz", n, gpus), gather(8 * n, gpus)
        total = send + solve + collect
        used.append((gpus, one / gpus / total))
        rows.append([str(gpus), *map(time_text, (send, solve, collect, total)), f"{used[-1][1]:.2f}"])
    return (f"Eigenvalues of one T, n = {n:,}, f64. Half of each GPU is used up to {stops(used)} of them.\n\n"
            + table(["GPUs", "broadcast of T", "largest share", "gather of values", "all", "t_1 / (k t_k)"], rows))


def vectors_of_one(n=1_000_000):
    """t_1 is the line through the smallest and the largest number of GPUs that was measured: a chain and so much a pair."""
    known = [gpus for gpus in COUNTS if share("stemr", n, gpus)]
    few, many = known[0], known[-1]
    pair = (share("stemr", n, few) - share("stemr", n, many)) / (n / few - n / many)
    chain = share("stemr", n, many) - pair * n / many
    rows, used = [], []
    for gpus in known:
        size = 8 * n * n
        send, solve, copy = broadcast(16 * n, gpus), share("stemr", n, gpus), size / gpus / PCIE
        total = send + solve + copy
        used.append((gpus, (chain + pair * n + size / PCIE) / gpus / total))
        rows.append([str(gpus), *map(time_text, (send, solve, copy, total)), f"{used[-1][1]:.2f}",
                     time_text(files(size, gpus))])
    fewest = math.ceil(8 * n * n / HBM)
    return (f"Eigenpairs of one T, n = {n:,}, f64: {8 * n * n / 1e12:g} TB of vectors, which {fewest} GPUs can hold. A share takes "
            f"{time_text(chain)} however small it is,\nand {time_text(pair)} a pair. Half of each GPU is used up to "
            f"{stops(used)} of them; t_1 is that line's, with the copy.\n\n"
            + table(["GPUs", "broadcast of T", "largest share", "vectors to hosts", "all", "t_1 / (k t_k)",
                     "vectors to files"], rows))


def batch_table(title, count, solve_one, size_in, size_out):
    """File to file, in chunks: reading, PCIe, kernels and writing go at once, so the slowest counts."""
    rows = []
    for gpus in COUNTS:
        solve = count * solve_one / gpus
        copy = count * max(size_in, size_out) / gpus / PCIE
        disk = files(count * (size_in + size_out), gpus)
        stages = {"kernels": solve, "PCIe": copy, "files": disk}
        slowest = max(stages, key=stages.get)
        rows.append([str(gpus), *map(time_text, (solve, copy, disk)), slowest,
                     f"{count * (size_in + size_out) / stages[slowest] / 1e9:,.0f} GB/s"])
    return title + "\n\n" + table(["GPUs", "kernels", "PCIe", "files", "slowest", "demand on the file system"], rows[::2])


def a_matrix(row):
    return row["time_ms"] / 1000 / row["batch"]


HEEV = row_of("heev-cuda-h200", family="heev-resident", type="c128", n=32, batch=20000)
GEEV = row_of("geev-cuda-h200", family="geev-affine-abscissa", n=15)


def batches():
    n = HEEV["n"]
    return [
        batch_table(f"Eigenpairs of 10^7 Hermitian matrices {n} x {n}, c128, from a file to files:", 10**7,
                    a_matrix(HEEV), 16 * n * n, 16 * n * n + 8 * n),
        batch_table("The abscissa of a 15 x 15 control loop at 400^3 points, f64, made on the GPU, to a file:", 400**3,
                    a_matrix(GEEV), 0, 8)]


def predicted(row):
    """A call on host arrays in one machine; None for a case that the model does not know."""
    n, batch, gpus = row["n"], row["batch"], row["gpus"]
    if row["family"] in ("stebz", "stemr"):
        rows = rows_of(SHARE, family=row["family"], n=n)
        solve = share(row["family"], n, gpus) if rows else None
        return solve and solve + (8 * n * n / gpus / PCIE if row["family"] == "stemr" else 0)
    known = {"heev": (HEEV, 16 * n * n + 8 * n), "geev": (GEEV, 8)}.get(row["family"])
    if not known or known[0]["n"] != n:
        return None
    return batch / gpus * max(a_matrix(known[0]), known[1] / PCIE)


def comparison():
    rows = []
    for row in RESULTS["scale-cuda-4xh200"]:
        model = predicted(row)
        if model:
            measured = row["time_ms"] / 1000
            rows.append([row["family"], str(row["n"]), row["memory"], str(row["gpus"]), time_text(model),
                         time_text(measured), f"{model / measured:.2f}"])
    return table(["case", "n", "memory", "GPUs", "model", "measured", "ratio"], rows)


def tables():
    return "\n\n".join([values_of_one(), vectors_of_one(), *batches()])


def main():
    page = os.path.join(ROOT, "docs/performance/scale.md")
    begin, end = "<!-- made by bench/scale_model.py -->\n\n", "\n\n<!-- end of the model -->"
    made = comparison() if sys.argv[1:] == ["--compare"] else tables()
    if sys.argv[1:] in ([], ["--compare"]):
        print(made)
        return
    with open(page, encoding="utf-8") as file:
        text = file.read()
    before, rest = text.split(begin)
    old, after = rest.split(end)
    if sys.argv[1] == "--check":
        sys.exit(0 if old == made else f"{page} does not hold the tables of bench/scale_model.py --write")
    with open(page, "w", encoding="utf-8") as file:
        file.write(before + begin + made + end + after)


if __name__ == "__main__":
    main()
