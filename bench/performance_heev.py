"""heev's part of the pages that performance.py makes: plots, tables, lines of the short table."""
import plot
from measured import RESULTS, a_matrix, beside, certificates, digits, points, row_of, rows_of, source, time, times, wrapped

# CPU: ratios alone, from a busy machine.
CPU, MKL, PROCESSES = "heev-cpu-zen5-2threads", "heev-cpu-mkl-1thread", "heev-processes-xeon-16"
FEW, DX = "heev-few-h200", "cusolverdx-h200"
CUDA, RIVALS, COUNTS = "heev-cuda-h200", "heev-rivals-h200", "heev-counts-h200"
TYPES = (("c128", "zheevd"), ("f64", "dsyevd"), ("c64", "cheevd"), ("f32", "ssyevd"))


# ------------------------------------------------------------------- plots

def plot_cpu():
    rows = rows_of(MKL, method="auto")
    f = plot.Figure("heev on a CPU: eigenvalues and eigenvectors of many matrices, one core", "order n of the matrices",
                    sorted({row["n"] for row in rows}), "time a matrix")
    for kind, lapack, host, own in (("c128", "zheevd", 2, 0), ("f64", "dsyevd", 3, 1)):
        some = [row for row in rows if row["type"] == kind]
        f.line(f"MKL {lapack}\nsame core, {kind}", points(some, "rival_ms", a_matrix), host, dashed=kind == "f64")
        f.line(f"eigpack, {kind}", points(some, scale=a_matrix), own, dashed=kind == "f64", heavy=kind == "c128")
    many = row_of("heev-cpu-xeon-16threads", n=8, type="c128", method="auto")
    one = row_of(MKL, n=8, type="c128", method="auto")
    return f, ("Random Hermitian and symmetric matrices, about 4 * 10^6 entries in all, on one AMD core, where MKL may choose other "
               "code than on an Intel one. One core, since OpenBLAS called by the threads of one process does not use them well: "
               f"16 threads take {time(many['rival_ms'])} for what MKL does in {time(one['rival_ms'])} on one (n = 8, c128; "
               f"eigpack on those 16 cores {time(many['time_ms'])}). " + source(MKL))


def plot_cuda(title, batch, name, words):
    own = rows_of(CUDA, family="heev-resident", batch=batch)
    orders = sorted({row["n"] for row in own if row["type"] == "c128"})
    f = plot.Figure(title, "order n of the matrices", orders)
    for kind, host, style in (("c128", 2, 0), ("f64", 3, 1)):
        rows = [row for row in own if row["type"] == kind]
        # The paper's batch in c128 stands beside those of the benchmark: the same orders, the same number of matrices.
        rivals = {}
        for row in rows_of(RIVALS, type=kind, batch=batch, method="auto", rival="cusolver"):
            if row["n"] in orders:
                rivals[row["n"]] = min(row, rivals.get(row["n"], row), key=lambda r: r["rival_ms"])
        if rivals:
            f.line(f"cuSOLVER XsyevBatched or\n{'Zheevj' if kind == 'c128' else 'Dsyevj'}Batched, the faster, {kind}",
                   points(rivals.values(), "rival_ms"), host, dashed=kind == "f64")
        f.line(f"eigpack, {kind}", points(rows), style, dashed=kind == "f64", heavy=kind == "c128")
    f.bars("limit set beforehand", points([row for row in own if row["type"] in ("c128", "f64")], "limit_ms"))
    return f, f"{words} " + source(CUDA, RIVALS)


def plot_cuda_small():
    return plot_cuda("heev on a GPU: eigenpairs of 20,000 small matrices", 20000, "heev-cuda",
                     "Eigenvalues and eigenvectors of 20,000 random matrices in the GPU's memory.")


def plot_cuda_large():
    return plot_cuda("heev on a GPU: eigenpairs of 200 matrices", 200, "heev-large-cuda",
                     "Eigenvalues and eigenvectors of 200 random matrices in the GPU's memory.")


PLOTS = (("heev-cpu", "heev on a CPU", plot_cpu), ("heev-cuda", "heev on a GPU, small matrices", plot_cuda_small),
         ("heev-large-cuda", "heev on a GPU, larger matrices", plot_cuda_large))


# ------------------------------------------------------------------- texts

def short_rows():
    """(problem, row, what others take, file) for the table of README.md: beside the fastest that cuSOLVER has."""
    lines = []
    for kind, n in (("c128", 8), ("f64", 128)):
        row = row_of(MKL, type=kind, n=n, method="auto")
        what = "Hermitian" if kind == "c128" else "symmetric"
        lines.append((f"eigenpairs of {row['batch']:,} {what} matrices {n} x {n}, {kind}, one AMD core", row,
                      f"MKL's {row['rival']}, same core, {beside(row)}; MKL may choose other code on an Intel core", MKL))
    row = row_of(PROCESSES, type="c128", n=8)
    lines.append((f"eigenpairs of {row['batch']:,} Hermitian matrices 8 x 8, c128, 16 Intel cores", row,
                  f"LAPACK (OpenBLAS) zheevd in a process a core {beside(row)}", PROCESSES))
    for kind, n, batch in (("c128", 16, 20000), ("f64", 16, 20000), ("c128", 128, 200)):
        rivals = sorted(rows_of(RIVALS, type=kind, n=n, batch=batch, method="auto", rival="cusolver"),
                        key=lambda row: row["rival_ms"])
        names = [row["rival"].replace("cusolverDn", "") for row in rivals]
        other, files = "in runs of their own, cuSOLVER of CUDA 13.0: " + ", ".join(f"{name} {time(row['rival_ms'])}" for name, row in zip(names, rivals)), [CUDA, RIVALS]
        for row in rows_of(DX, type=kind, n=n, batch=batch, method="auto"):
            other, files = f"{other}; cuSolverDx, in a kernel of the caller, {time(row['rival_ms'])}", files + [DX]
        newest = row_of(CUDA, family="heev-resident", type=kind, n=n, batch=batch)
        lines.append((f"eigenpairs of {batch:,} matrices {n} x {n}, {kind}, H200", newest, other, *files))
    row = row_of(FEW, type="f64", n=2048, batch=1)
    lines.append(("eigenpairs of one symmetric matrix 2048 x 2048, f64, H200", row,
                  f"PyTorch 2.15 with cuSOLVER 12.4.1 {beside(row)}", FEW))
    return lines


def table_cpu():
    """The table of docs/families/heev.md: how many times as long LAPACK takes."""
    kinds = [kind for kind, _ in TYPES]
    lines = ["| n | batch | vectors: " + ", ".join(kinds) + " | values: " + ", ".join(kinds) + " |", "|---|---|---|---|"]
    for row in rows_of(CPU, type="c128", method="auto"):
        cells = [str(row["n"]), f"{row['batch']:,}"]
        for method in ("auto", "auto values"):
            cells.append(", ".join(digits(row_of(CPU, type=kind, n=row["n"], method=method)["ratio"], 2) for kind in kinds))
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def cell(row):
    """Its time, with the limit behind it."""
    return digits(row["time_ms"]) + (f" ({row['limit_ms']:g})" if row["limit_ms"] else "")


def table_resident():
    """Times on the GPU, in ms."""
    kinds = [kind for kind, _ in TYPES]
    lines = ["| batch | n | vectors: " + ", ".join(kinds) + " | values: " + ", ".join(kinds) + " |", "|---|---|---|---|"]
    for batch, n in sorted({(row["batch"], row["n"]) for row in rows_of(CUDA, family="heev-resident")},
                           key=lambda case: (-case[0], case[1])):
        cells = [f"{batch:,}", str(n)]
        for family in ("heev-resident", "heev-values"):
            found = [rows_of(CUDA, family=family, type=kind, n=n, batch=batch) for kind in kinds]
            cells.append(", ".join(cell(rows[0]) if rows else "" for rows in found))
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def table_passes():
    """Where the time goes."""
    passes = ("reduction", "tridiagonal", "vectors")
    lines = ["| batch | n | " + " | ".join(kind for kind, _ in TYPES) + " |", "|---|---|---|---|---|---|"]
    for batch, n in sorted({(row["batch"], row["n"]) for row in rows_of(CUDA, family="heev-vectors")},
                           key=lambda case: (-case[0], case[1])):
        cells = [f"{batch:,}", str(n)]
        for kind, _ in TYPES:
            found = [rows_of(CUDA, family=f"heev-{one}", type=kind, n=n, batch=batch) for one in passes]
            cells.append(", ".join(digits(rows[0]["time_ms"], 2) for rows in found) if all(found) else "")
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def table_jacobi():
    """Method jacobi."""
    lines = ["| batch | n | " + " | ".join(kind for kind, _ in TYPES) + " |", "|---|---|---|---|---|---|"]
    for batch, n in sorted({(row["batch"], row["n"]) for row in rows_of(CUDA, family="heev-jacobi")},
                           key=lambda case: (-case[0], case[1])):
        found = [rows_of(CUDA, family="heev-jacobi", type=kind, n=n, batch=batch) for kind, _ in TYPES]
        lines.append(f"| {batch:,} | {n} | " + " | ".join(cell(rows[0]) if rows else "" for rows in found) + " |")
    return "\n".join(lines)


def rival_of(rows, name):
    return next((row for row in rows if row["rival"].startswith(name)), None)


def table_figures_times():
    """Figures 5 and 6: ms."""
    names = (("cusolverDnX", "XsyevBatched"), ("cusolverDnZ", "ZheevjBatched"), ("torch", "PyTorch"), ("jax", "JAX"),
             ("cupy", "CuPy"))
    lines = ["| batch | n | auto | jacobi | " + " | ".join(word for _, word in names) + " | workspace, MB: auto, jacobi, Xsyev, "
             "Zheevj |", "|---|---|---|---|" + "---|" * (len(names) + 1)]
    for n in sorted({row["n"] for row in rows_of(RIVALS, type="c128") if row["batch"] <= 1000}):
        rows = {method: [row for row in rows_of(RIVALS, type="c128", n=n, method=method) if row["batch"] <= 1000]
                for method in ("auto", "jacobi")}
        if not all(rows.values()):
            continue
        cells = [f"{rows['auto'][0]['batch']:,}", str(n)] + [digits(rows[method][0]["time_ms"]) for method in rows]
        found = [rival_of(rows["auto"], name) for name, _ in names]
        cells += [digits(row["rival_ms"]) if row else "" for row in found]
        rooms = [rows[method][0]["own_work_mb"] for method in rows] + [row["rival_work_mb"] if row else "" for row in found[:2]]
        cells.append(", ".join(digits(float(room)) if room else "" for room in rooms))
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def table_figures_errors():
    """Figures 7 to 9: units of n eps."""
    names = (("cusolverDnX", "XsyevBatched"), ("cusolverDnZ", "ZheevjBatched"), ("torch", "PyTorch"))
    lines = ["| n | auto: lambda, D, Q | jacobi | " + " | ".join(word for _, word in names) + " |",
             "|---|---|---|" + "---|" * len(names)]

    def three(row, whose):
        return ", ".join(digits(float(row[f"{whose}_{what}"]), 2) for what in ("lambda", "D", "Q"))

    for n in sorted({row["n"] for row in rows_of(RIVALS, type="c128") if row["batch"] <= 1000}):
        rows = {method: [row for row in rows_of(RIVALS, type="c128", n=n, method=method) if row["batch"] <= 1000]
                for method in ("auto", "jacobi")}
        if not all(rows.values()):
            continue
        found = [rival_of(rows["auto"], name) for name, _ in names]
        cells = [str(n)] + [three(rows[method][0], "own") for method in rows]
        cells += [three(row, "rival") if row else "" for row in found]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def table_figures_counts():
    """Figures 10 and 11."""
    lines = ["| figure | n | batch | method, kernel | time, ms | Gflop | GFLOP/s | flops a byte | on tensor cores | occupancy, % |",
             "|---|---|---|---|---|---|---|---|---|---|"]
    for row in RESULTS[COUNTS]:
        lines.append("| " + " | ".join([row["family"][5:], str(row["n"]), f"{row['batch']:,}", f"{row['method']}, {row['kernel']}",
                                        digits(row["time_ms"]), digits(float(row["gflop"])), digits(float(row["gflops"])),
                                        digits(float(row["flops_per_byte"])), f"{100 * float(row['on_tensor_cores']):.0f} %",
                                        digits(float(row["occupancy_percent"]), 2)]) + " |")
    return "\n".join(lines)


def tables_cuda():
    """The tables of docs/performance/heev.md."""
    parts = (
        ("Times in ms, in brackets the limits set beforehand: device arrays, lent workspace, medians of CUDA-event times "
         "(`bench_heev_cuda`).", CUDA, table_resident),
        ("Stages of such calls with vectors, n > 8, ms: reduction, tridiagonal, vectors.", CUDA, table_passes),
        ("Method jacobi, with vectors, ms.", CUDA, table_jacobi),
        ("Figures 5 and 6, times in ms: c128, parts of entries uniform in [0, 1). PyTorch, JAX and CuPy as their users call them, "
         "with synchronisation and allocation.", RIVALS, table_figures_times),
        ("Figures 7 to 9, the largest errors of the same runs in units of n eps: lambda (of samples), (9), (10).", RIVALS,
         table_figures_errors),
        ("Figures 10 and 11, of each kernel by Nsight Compute: the roofline's two numbers at n = 128, occupancy at n = 8, 16 "
         "and 32.", COUNTS, table_figures_counts),
    )
    return "\n\n".join(f"{words}\n\n{make()}\n\n{source(file)}" for words, file, make in parts)


def table_accuracy():
    """docs/families/heev.md: the largest error of a sample, of either measure, over the types; of cuSOLVER as its rows of RIVALS say."""
    lines = ["| n | CPU, auto | GPU, auto | GPU, jacobi | cuSOLVER XsyevBatched | cuSOLVER ?evjBatched |", "|---|---|---|---|---|---|"]
    for n in (3, 8, 16, 32, 64, 128, 256, 512):
        found = [rows_of(CPU, n=n, method="auto")] + [rows_of(CUDA, family=family, n=n) for family in ("heev-resident", "heev-jacobi")]
        cells = [digits(max(row["error"] for row in rows), 2) if rows else "" for rows in found]
        for jacobi in (False, True):
            theirs = [max(float(row["rival_D"]), float(row["rival_Q"])) for row in rows_of(RIVALS, n=n, method="auto", rival="cusolver")
                      if row["rival"].endswith("evjBatched") == jacobi]
            cells.append(digits(max(theirs), 2) if theirs else "")
        lines.append(f"| {n} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + f"\n\n{wrapped(source(CPU, CUDA, RIVALS))}"


def table_mkl():
    """docs/families/heev.md: one core beside MKL, sequential."""
    lines = ["| n | c128, us a matrix | MKL zheevd | f64 | MKL dsyevd |", "|---|---|---|---|---|"]
    for n in sorted({row["n"] for row in rows_of(MKL)}):
        cells = [str(n)]
        for kind, _ in TYPES[:2]:
            row = row_of(MKL, n=n, type=kind)
            cells += [digits(1000 * row["time_ms"] / row["batch"]),
                      f"{digits(1000 * row['rival_ms'] / row['batch'])} ({times(row['ratio'])})"]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + f"\n\n{source(MKL)}"


def table_few():
    """docs/maintainers/cuda/heev-large.md: one matrix and ten beside PyTorch."""
    kinds = ("f64", "f32", "c128")
    lines = ["| n | matrices | " + " | ".join(f"{kind}, PyTorch" for kind in kinds) + " |", "|---:|---:|" + "---|" * len(kinds)]
    for n in sorted({row["n"] for row in rows_of(FEW)}):
        for batch in (1, 10):
            found = [rows_of(FEW, n=n, batch=batch, type=kind) for kind in kinds]
            lines.append(f"| {n:,} | {batch} | " + " | ".join(f"{time(rows[0]['time_ms'])}, {beside(rows[0])}" if rows else "" for rows in found) + " |")
    return "\n".join(lines) + f"\n\n{wrapped(source(FEW))}"


def table_dx():
    """docs/performance/heev.md: small matrices beside the device functions of cuSolverDx."""
    kinds = [kind for kind, _ in TYPES]
    lines = ["| wanted | matrices | n | " + " | ".join(f"{kind}, cuSolverDx" for kind in kinds) + " |", "|---|---:|---:|" + "---|" * len(kinds)]
    heev = rows_of(DX, family="heev-dx")
    for method, batch, n in sorted({(row["method"], row["batch"], row["n"]) for row in heev}):
        found = [rows_of(DX, family="heev-dx", method=method, batch=batch, n=n, type=kind) for kind in kinds]
        lines.append(f"| {'pairs' if method == 'auto' else 'values'} | {batch:,} | {n} | "
                     + " | ".join(f"{digits(rows[0]['time_ms'])}, {digits(rows[0]['rival_ms'])} ({times(rows[0]['ratio'])})" if rows else ""
                                  for rows in found) + " |")
    worst = {whose: max(float(row[whose]) for row in heev) for whose in ("error", "rival_error")}
    return "\n".join(lines) + "\n\n" + wrapped(f"The largest errors are {digits(worst['error'], 2)} n eps, and cuSolverDx's "
                                             f"{digits(worst['rival_error'], 2)}. {source((DX, heev))}")


def table_dx_stebz():
    """docs/maintainers/cuda/stebz.md: the same of tridiagonal matrices."""
    lines = ["| n | f64, htev | f32, htev |", "|---:|---|---|"]
    rows = rows_of(DX, family="stebz-dx")
    for n in sorted({row["n"] for row in rows}):
        found = [row_of(DX, family="stebz-dx", n=n, type=kind) for kind in ("f64", "f32")]
        lines.append(f"| {n} | " + " | ".join(f"{digits(row['time_ms'])}, {digits(row['rival_ms'])} ({times(row['ratio'])})" for row in found) + " |")
    return "\n".join(lines) + f"\n\n{wrapped(source((DX, rows)))}"


def section_dx():
    """docs/performance.md: where cuSolverDx stands."""
    def said(rows):
        slow = [row for row in rows if row["ratio"] < 1]
        least = min(rows, key=lambda row: row["ratio"])
        return (f"of {len(rows)} cases cuSolverDx is faster in {len(slow) or 'none'}; the lowest ratio is {digits(least['ratio'], 2)} "
                f"({least['type']}, n = {least['n']}, {least['batch']:,} matrices, {what_of(least) if 'heev' in least['family'] else 'values'}), "
                f"the highest {digits(max(row['ratio'] for row in rows), 2)}")

    heev, stebz = (rows_of(DX, family=family) for family in ("heev-dx", "stebz-dx"))
    words = ("NVIDIA's cuSolverDx has functions that a kernel calls on matrices in shared memory. The kernel measured here loads the matrices, "
             "calls the function and stores the results; the times are those of the fastest of several launch shapes. Both times contain the memory "
             "traffic and the launch. A kernel of yours that already has its matrices in shared memory saves these. Eigenpairs and eigenvalues of Hermitian matrices, n = "
             f"{heev[0]['n']} to {max(row['n'] for row in heev)} ([table](performance/heev.md#beside-cusolverdx)): {said(heev)}. Eigenvalues of "
             f"tridiagonal matrices, n = {stebz[0]['n']} to {max(row['n'] for row in stebz)} ([table](maintainers/cuda/stebz.md#beside-cusolverdx)): "
             f"{said(stebz)}. ")
    return f"\n## Small matrices on a GPU beside cuSolverDx\n\n{wrapped(words + source(DX))}\n"


# File, picture, heading, what it is called beside, routines.
MAPS = (("heev-numpy-xeon-1thread", "heev-numpy-1", "heev on a CPU beside NumPy, one thread", "NumPy, one thread", "eigh", "eigvalsh"),
        ("heev-numpy-zen5-2threads", "heev-numpy-2", "heev on a CPU beside NumPy, two threads", "NumPy, two threads", "eigh", "eigvalsh"),
        ("heev-torch-h200", "heev-torch", "heev on a GPU beside PyTorch", "PyTorch on an H200", "eigh", "eigvalsh"),
        ("geev-numpy-xeon-1thread", "geev-numpy-1", "geev on a CPU beside NumPy, one thread", "NumPy, one thread", "eig", "eigvals"))


def what_of(row):
    """A column of a map: auto -> vectors, auto values triangular -> triangular, values."""
    words = row["method"].split()[1:]
    return ", ".join([word for word in words if word != "values"] + ["values" if "values" in words else "vectors"])


def map_of(file, title):
    """The least ratio of the types for each order, batch, and vectors or values; as SVG."""
    rows, least = RESULTS[file], {}
    batches = sorted({row["batch"] for row in rows})
    column = (lambda row: f"{what_of(row)}, {row['batch']:,}") if len(batches) > 1 else what_of
    for row in rows:
        place = row["n"], column(row)
        least[place] = min(row["ratio"], least.get(place, row["ratio"]))
    columns = sorted({(what_of(row) not in ("vectors", "values"), what_of(row), row["batch"], column(row)) for row in rows},
                     key=lambda place: (place[0], place[1] if place[0] else place[1] != "vectors", place[2]))
    return plot.cells(f"{title}: its time over eigpack's, the least of the types", "n", sorted({row["n"] for row in rows}),
                      [place[-1] for place in columns], least, "Columns: " + ("kind of matrix where it is not random, " if any(place[0] for place in columns) else "")
                      + "what is computed" + (", number of matrices" if len(batches) > 1 else "") + ".")


def maps():
    return {f"docs/images/performance-{name}.svg": map_of(file, title) for file, name, _, title, *_ in MAPS if file in RESULTS}


def section_maps():
    """docs/performance.md: the maps of orders and batches beside what users have."""
    text = ""
    for file, name, heading, title, vectors, values in MAPS:
        if file not in RESULTS:
            continue
        rows = RESULTS[file]
        low = sum(row["ratio"] < 1 for row in rows)
        worst = min(rows, key=lambda row: row["ratio"])
        on_gpu = rows[0]["device"] == "cuda"
        words = (f"How many times as long `{'torch' if on_gpu else 'numpy'}.linalg.{vectors}` and `{values}` take as `eigpack.{vectors}` and "
                 f"`{values}`, called from Python on the same {'tensors' if on_gpu else 'matrices'} in one process: the least of the types "
                 f"measured, for batches of these sizes. Of {len(rows)} cases {low} {'has' if low == 1 else 'have'} a ratio below 1, the lowest is "
                 f"{digits(worst['ratio'], 2)} ({worst['type']}, n = {worst['n']}, batch {worst['batch']}, {what_of(worst)}, "
                 f"{time(worst['time_ms'])}). A cell is empty where the other would take too long. ")
        if on_gpu:
            words += ("PyTorch 2.11 solves matrices of n > 32 one after the other, so that ratios of large batches there tell little of newer "
                      "versions, which were not measured in this way. ")
        text += f"\n## {heading}\n\n![{title}: its time over eigpack's](images/performance-{name}.svg)\n\n{wrapped(words + source(file))}\n"
    return text


def table_certificate():
    return certificates("heev-certificate-h200", "heev", "with vectors")


TABLES = {"heev certificate": table_certificate, "heev cpu": table_cpu, "heev cuda": tables_cuda, "heev accuracy": table_accuracy, "heev mkl": table_mkl, "heev few": table_few,
          "heev dx": table_dx, "stebz dx": table_dx_stebz}
