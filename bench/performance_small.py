"""Tables of small problems, for performance.py: few wanted, T that splits, what a call costs the host."""
from measured import digits, rows_of, source, times, wrapped

SPLIT = "split-cpu-zen5-1thread"
CALLS, FILES = "latency-cpu-xeon-1thread", "files-cpu-xeon-2threads"
GPU_CALLS = "latency-cuda-h200"


def microseconds(ms):
    return digits(1e3 * ms)


def table_split(family):
    """docs/families/stebz.md, docs/families/stemr.md: one core beside LAPACK."""
    lines = ["| T | n | wanted | eigpack, us | LAPACK, us |", "|---|---:|---|---|---|"]
    for row in rows_of(SPLIT, family=family):
        kind, wanted = row["method"].rsplit(" ", 1)
        wanted = "all" if wanted == f"1:{row['n']}" else wanted
        lines.append(f"| {kind} | {row['n']} | {wanted} | {microseconds(row['time_ms'])} | {row['rival']} "
                     f"{microseconds(row['rival_ms'])} ({times(row['ratio'])}) |")
    return "\n".join(lines) + f"\n\n{wrapped(source(SPLIT))}"


def table_latency(run):
    """docs/guide/python.md: what a call takes of the caller's thread."""
    names = ("eigh", "eigvalsh", "eigvals")
    lines = ["| arrays | matrices | " + " | ".join(f"`{name}`, us | its own" for name in names) + " |", "|---|---|" + "---|---|" * len(names)]
    for method, batch, n in dict.fromkeys((row["method"], row["batch"], row["n"]) for row in rows_of(run)):
        cells = [method, f"{batch} of {n} x {n}" if batch > 1 else f"{n} x {n}"]
        for name in names:
            rows = rows_of(run, method=method, batch=batch, n=n, family=name)
            cells += [microseconds(rows[0]["time_ms"]), f"{microseconds(rows[0]['rival_ms'])} ({times(rows[0]['ratio'])})"] if rows else ["", ""]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + f"\n\n{wrapped(source(run))}"


def table_calls():
    """What one call takes, by order and number of matrices."""
    batches = (1, 10, 100, 1000)
    lines = ["| call | n | " + " | ".join(f"{b} matri{'x' if b == 1 else 'ces'}, us" for b in batches) + " |", "|---|---:|" + "---|" * len(batches)]
    for method, n in dict.fromkeys((row["method"], row["n"]) for row in rows_of(CALLS)):
        found = {row["batch"]: row for row in rows_of(CALLS, method=method, n=n)}
        lines.append(f"| {method.replace(' host arrays', '')} | {n} | " + " | ".join(microseconds(found[b]["time_ms"]) for b in batches) + " |")
    return "\n".join(lines)


def table_gpu_calls():
    """What one call takes of the caller's thread and of a GPU, by order and number of matrices."""
    batches = (1, 10, 100, 1000)
    lines = ["| call | n | host, 1 matrix, us | " + " | ".join(f"device, {b}, us" for b in batches) + " | host arrays, 1 matrix, us |", "|---|---:|" + "---|" * (len(batches) + 2)]
    found = {(row["method"], row["n"], row["batch"]): microseconds(row["time_ms"]) for row in rows_of(GPU_CALLS)}
    for call, n in dict.fromkeys((method.removesuffix(" host"), n) for method, n, _ in found if method.endswith(" host")):
        cells = [found[f"{call} host", n, 1], *(found[f"{call} device", n, b] for b in batches), found[f"{call} host arrays", n, 1]]
        lines.append(f"| {call} | {n} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def section_small():
    """docs/performance.md: small calls on a CPU and a GPU, and files."""
    rows = {row["rival"]: row for row in rows_of(FILES)}
    ours = next(iter(rows.values()))
    text = (
        f"{ours['batch']:,} symmetric {ours['n']} x {ours['n']} matrices, f64, from a .npy file to two with eigenvalues and eigenvectors take "
        f"{digits(ours['time_ms'])} ms on {ours['threads']:.0f} cores. The outputs are synced to the disk. For comparison, `cp` of the outputs takes "
        f"{digits(rows['cp']['rival_ms'])} ms, `cp` and `sync` {digits(rows['cp, sync']['rival_ms'])} ms. The bar was 1.2 times `cp` and `sync`, plus "
        f"the solve by itself: {digits(rows['1.2 cp, sync, solve']['rival_ms'])} ms; without `sync` {digits(rows['1.2 cp, solve']['rival_ms'])} ms. {source(FILES)}")
    calls = (
        "The time of one call of the C interface: one thread, matrices in the host's memory, f64, a workspace that the context has already. "
        "[Where the time goes](maintainers/notes-small.md), before and after.")
    gpu = (
        "One call on a GPU, f64. Host: the time of the caller's thread for a call on device arrays with a lent workspace. Device: the same call between two "
        "events, the mean of 50. Host arrays: from the call to its results in the host's memory.")
    return (f"\n## Small problems on a CPU\n\n{wrapped(text)}\n\n{wrapped(calls)}\n\n{table_calls()}\n\n{wrapped(source(CALLS))}\n"
            f"\n## Small problems on a GPU\n\n{wrapped(gpu)}\n\n{table_gpu_calls()}\n\n{wrapped(source(GPU_CALLS))}\n")


TABLES = {"split stebz": lambda: table_split("stebz"), "split stemr": lambda: table_split("stemr"), "latency python": lambda: table_latency("latency-python-xeon"),
          "latency python gpu": lambda: table_latency("latency-python-h200")}
