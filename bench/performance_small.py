"""Tables of small problems, for performance.py: few wanted, T that splits, what a call costs the host."""
from measured import digits, rows_of, source, times, wrapped

SPLIT = "split-cpu-xeon-1thread"


def microseconds(ms):
    return digits(1e3 * ms)


def table_split(family):
    """docs/stebz.md, docs/stemr.md: one core beside LAPACK."""
    lines = ["| T | n | wanted | eigpack, us | LAPACK, us |", "|---|---:|---|---|---|"]
    for row in rows_of(SPLIT, family=family):
        kind, wanted = row["method"].rsplit(" ", 1)
        wanted = "all" if wanted == f"1:{row['n']}" else wanted
        lines.append(f"| {kind} | {row['n']} | {wanted} | {microseconds(row['time_ms'])} | {row['rival']} "
                     f"{microseconds(row['rival_ms'])} ({times(row['ratio'])}) |")
    return "\n".join(lines) + f"\n\n{wrapped(source(SPLIT))}"


def table_latency(file, device):
    """docs/python.md: what a call takes of the caller's thread."""
    kinds = list(dict.fromkeys((row["method"], row["batch"], row["n"]) for row in rows_of(file, device=device)))
    lines = ["| arrays | matrices | `eigh`, us | beside | `eigvalsh`, us | beside | `eigvals`, us | beside |", "|---|---|---|---|---|---|---|---|"]
    for method, batch, n in kinds:
        cells = [method, f"{batch} of {n} x {n}"]
        for family in ("eigh", "eigvalsh", "eigvals"):
            rows = rows_of(file, device=device, method=method, batch=batch, n=n, family=family)
            row = rows[0] if rows else None
            cells += [microseconds(row["time_ms"]) if row else "",
                      f"{microseconds(row['rival_ms'])} ({times(row['ratio'])})" if row and row["rival"] else ""]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + f"\n\n{wrapped(source(file))}"


TABLES = {"split stebz": lambda: table_split("stebz"), "split stemr": lambda: table_split("stemr")}
