"""geev's tables on the pages that performance.py makes."""
from measured import certificates, digits, row_of, rows_of, source, time

CUDA, RIVALS, AUTHORS = "geev-cuda-h200", "geev-rivals-h200", "geev-tokura-h200"
VECTORS = "geev-vectors-h100"
FEW = "geev-few-h100"
CERTIFICATE = "geev-certificate-h200"
# What was set before the code was written, in ms: the aim; the time that the FP64 units need for 10 n^3/3 flops of the reduction and
# for the sweeps that such matrices take, 1.8 an eigenvalue at n = 30, if nothing were done twice and nothing waited for.
AIM = {5: 0.2, 10: 1.25, 15: 3.2, 20: 7, 25: 12, 30: 19}
FP64_LIMIT = {5: 0.06, 10: 0.32, 15: 0.88, 20: 1.9, 25: 3.4, 30: 5.5}
# H. Tokura and others (2017): Table 4 (double, with copies) and step 1 of Table 1 (with its conversions between arrangements), in ms.
TITAN_X = {5: 20.0, 10: 125.6, 15: 338.8, 20: 751, 25: 1337, 30: 2191}
TITAN_X_REDUCTION = {5: 1.85, 10: 13.4, 15: 55.0, 20: 131, 25: 238, 30: 383}
MKL = (("MKL, one thread", (1671, 5766, 13610, 22867, 38026, 53681)), ("MKL, eight threads", (354, 1215, 2854, 4876, 7916, 11442)))


def table(head, rows):
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *rows])


def resident(n, kind):
    return row_of(CUDA, family="geev-resident", n=n, type=kind)


def table_resident():
    """Device arrays."""
    orders = [row["n"] for row in rows_of(CUDA, family="geev-resident", type="f64") if row["batch"] == 500000]

    def line(name, values):
        return [name] + [f"{values[n]:g}" if values.get(n) else "" for n in orders]

    def measured(name, values):
        return [name] + [digits(values[n]) for n in orders]

    double, single = ({n: resident(n, kind)["time_ms"] for n in orders} for kind in ("f64", "f32"))
    first = table(["n", *map(str, orders)], [
        measured("double, ms", double), measured("float, ms", single),
        line("bar in double, ms", {n: resident(n, "f64")["limit_ms"] for n in orders}), line("aim in double, ms", AIM),
        line("FP64 limit, ms", FP64_LIMIT),
        ["part of the limit"] + [f"{100 * FP64_LIMIT[n] / double[n]:.0f} %" if n in FP64_LIMIT else "" for n in orders],
        line("the paper's TITAN X (Table 4; double, with copies), ms", TITAN_X)])
    large = [row["n"] for row in rows_of(CUDA, family="geev-resident", type="f64") if row["batch"] != 500000]
    second = table(["n", *map(str, large)], [
        ["matrices"] + [f"{resident(n, 'f64')['batch']:,}" for n in large],
        *([name] + [digits(resident(n, kind)["time_ms"]) for n in large]
          for name, kind in (("double, ms", "f64"), ("float, ms", "f32")))])
    return f"{first}\n\n{second}\n\n{source(CUDA)}"


def table_large():
    """n > 64: a batch that fills the GPU."""
    lines = [[str(row["n"]), f"{row['batch']:,}", digits(1e3 * row["time_ms"] / row["batch"]),
              digits(1e3 * row["limit_ms"] / row["batch"]) if row["limit_ms"] else ""]
             for row in rows_of(FEW, family="geev-large", type="f64")]
    return table(["n", "matrices", "us a matrix", "bar, us"], lines) + f"\n\n{source(FEW)}"


def table_few():
    """Few matrices, by Aberth's iteration and by QR; one matrix beside its bar."""
    taken = rows_of(FEW, family="geev-few-large")
    orders, batches = (sorted({row[key] for row in taken}) for key in ("n", "batch"))
    cell = {(row["n"], row["batch"], row["method"]): row["time_ms"] for row in taken}
    both = table(["n", *(f"{b} of them: Aberth, ms | QR, ms" for b in batches)], [
        [str(n)] + [digits(cell[n, b, method]) if (n, b, method) in cell else "" for b in batches for method in ("auto", "swb")]
        for n in orders]).replace("| " + " | ".join(["---"] * (len(batches) + 1)) + " |",
                                  "| " + " | ".join(["---"] * (2 * len(batches) + 1)) + " |")
    ones = sorted(rows_of(FEW, family="geev-one", type="f64"), key=lambda row: row["n"])
    one = table(["n", *(str(row["n"]) for row in ones)], [
        ["one matrix, ms"] + [digits(row["time_ms"]) for row in ones],
        ["bar, ms"] + [f"{row['limit_ms']:g}" if row["limit_ms"] else "" for row in ones]])
    return f"{one}\n\n{both}\n\n{source(FEW)}"


def table_vectors():
    """With right eigenvectors, in microseconds a matrix; one matrix alone in ms."""
    def each(kind, n, column="time_ms"):
        rows = rows_of(VECTORS, family="geev-vectors", type=kind, n=n)
        return digits(1e3 * rows[0][column] / rows[0]["batch"]) if rows and rows[0][column] else ""

    def one(kind, n):
        rows = rows_of(VECTORS, family="geev-one-vectors", type=kind, n=n)
        return digits(rows[0]["time_ms"]) if rows else ""

    taken = sorted(rows_of(VECTORS, family="geev-vectors", type="f64"), key=lambda row: row["n"])
    return table(["n", "matrices", "double, us", "bar, us", "float, us", "complex double, us", "one matrix, ms", "one complex, ms"], [
        [str(row["n"]), f"{row['batch']:,}", each("f64", row["n"]), each("f64", row["n"], "limit_ms"), each("f32", row["n"]),
         each("c128", row["n"]), one("f64", row["n"]), one("c128", row["n"])] for row in taken]) + f"\n\n{source(VECTORS)}"


def parts():
    """(least, most) of the FP64 limit that is reached, and of the aim over which a call is, for the words of performance.md."""
    taken = {n: resident(n, "f64")["time_ms"] for n in AIM}
    limits, aims = [FP64_LIMIT[n] / taken[n] for n in AIM], [taken[n] / AIM[n] for n in AIM]
    return min(limits), max(limits), min(aims), max(aims)


def table_forms(family):
    """Threads a matrix, the fastest in bold."""
    forms = [("swb", p) for p in (1, 2, 4, 8, 16, 32)] + [("mwb", p) for p in (2, 4, 8, 16, 32)]
    rows = []
    for n in sorted({row["n"] for row in rows_of(CUDA, family=family)}):
        times = {(row["method"], row["threads"]): row["time_ms"] for row in rows_of(CUDA, family=family, type="f64", n=n)}
        best = min(times.values())
        rows.append([str(n)] + [("**{}**" if times[form] == best else "{}").format(digits(times[form])) if form in times else ""
                                for form in forms])
    return table(["n"] + [f"{method} {p}" for method, p in forms], rows)


def table_reduction():
    orders = sorted(TITAN_X_REDUCTION)
    times = [sorted(row["time_ms"] for row in rows_of(CUDA, family="geev-reduction", type="f64", n=n)) for n in orders]
    return table(["n", *map(str, orders)], [
        ["reduction, ms"] + [digits(some[len(some) // 2], 2) for some in times],
        ["the paper's TITAN X (Table 1, with its conversions between arrangements), ms"] + [f"{TITAN_X_REDUCTION[n]:g}"
                                                                                           for n in orders]])


def table_host():
    """Pinned host arrays beside the copy alone, by matrices a chunk."""
    def row(n, kind, chunk):
        found = rows_of(CUDA, family="geev-host", type=kind, n=n, method=f"chunk{chunk}")
        return found[0] if found else None

    chunks, lines = (1024, 4096, 16384, 65536), []
    for n in sorted({r["n"] for r in rows_of(CUDA, family="geev-host")}):
        double, single = row(n, "f64", 0), row(n, "f32", 0)
        cells = [str(n)]
        for one in (double, single):
            cells += [digits(one["rival_ms"]), digits(one["time_ms"]), f"{one['time_ms'] / one['rival_ms']:.2f}"]
            if one is double:
                cells += [digits(row(n, "f64", c)["time_ms"]) if row(n, "f64", c) else "" for c in chunks]
        lines.append(cells)
    head = ["n", "double: copy, ms", "chosen, ms", "ratio", *(f"{c:,}" for c in chunks), "float: copy, ms", "chosen, ms", "ratio"]
    slow = {kind: row_of(CUDA, family="geev-host-pageable", n=10, type=kind)["time_ms"] for kind in ("f64", "f32")}
    return (f"{table(head, lines)}\n\nFrom and to pageable arrays n = 10 takes {time(slow['f64'])} in double, {time(slow['f32'])} in "
            f"float.\n\n{source(CUDA)}")


def table_affine():
    some = {name: time(row_of(CUDA, family=f"geev-affine-{name}", n=15)["time_ms"]) for name in ("all", "abscissa", "host")}
    return (f"15 x 15, three parameters, 50^3 points, double: {some['all']} for all eigenvalues, {some['abscissa']} for the spectral "
            f"abscissa alone on\ndevice arrays, {some['host']} from host arrays with the abscissae back on the host.")


def table_rivals():
    """Others on the same GPU, scaled to 500,000 matrices."""
    names = (("PyTorch 2.11", "torch"), ("JAX 0.11", "jax"), ("cuSOLVER of CUDA 13.0", "cusolver"), ("NumPy 2.5, one core", "numpy"))
    lines = []
    for kind in ("f64", "f32"):
        for n in sorted({row["n"] for row in rows_of(RIVALS, type=kind)}):
            rows = [row_of(RIVALS, type=kind, n=n, rival=name) for _, name in names]
            lines.append([kind, str(n), time(rows[0]["time_ms"])]
                         + [f"{time(r['rival_ms'])} ({r['rival'].split('(')[1].split()[0]})" for r in rows])
    return table(["type", "n", "eigpack", *(name for name, _ in names)], lines) + f"\n\n{source(RIVALS)}"


def table_certificate():
    return certificates(CERTIFICATE, "geev", "with right vectors")


def table_paper():
    """The paper's Table 4, for docs/families/geev.md."""
    host = {n: row_of(CUDA, family="geev-host", type="f64", n=n, method="chunk0") for n in TITAN_X}
    return table(["n", *map(str, TITAN_X)], [
        *([name, *map(str, times)] for name, times in MKL), ["the paper's GPU", *(f"{ms:g}" for ms in TITAN_X.values())],
        ["eigpack, H200", *(digits(row["time_ms"]) for row in host.values())],
        ["of which the copy alone would take", *(digits(row["rival_ms"]) for row in host.values())],
        ["the authors' program, H200", *(digits(row_of(AUTHORS, n=n)["rival_ms"]) for n in host)]]) + f"\n\n{source(CUDA, AUTHORS)}"



TABLES = {
    "geev large": table_large, "geev few": table_few, "geev vectors": table_vectors, "geev certificate": table_certificate,
    "geev resident": table_resident, "geev forms": lambda: table_forms("geev-forms"),
    "geev iteration": lambda: table_forms("geev-iteration"), "geev reduction": table_reduction, "geev host": table_host,
    "geev affine": table_affine, "geev rivals": table_rivals, "geev paper": table_paper,
}
