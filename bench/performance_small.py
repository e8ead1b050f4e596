"""Tables of small problems, for performance.py: few wanted, T that splits, what a call costs the host."""
from measured import digits, rows_of, source, times, wrapped

SPLIT, LATENCY = "split-cpu-xeon-1thread", "latency-python-xeon"


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


def table_latency():
    """docs/python.md: what a call takes of the caller's thread."""
    names = ("eigh", "eigvalsh", "eigvals")
    lines = ["| arrays | matrices | " + " | ".join(f"`{name}`, us | its own" for name in names) + " |", "|---|---|" + "---|---|" * len(names)]
    for method, batch, n in dict.fromkeys((row["method"], row["batch"], row["n"]) for row in rows_of(LATENCY)):
        cells = [method, f"{batch} of {n} x {n}" if batch > 1 else f"{n} x {n}"]
        for name in names:
            rows = rows_of(LATENCY, method=method, batch=batch, n=n, family=name)
            cells += [microseconds(rows[0]["time_ms"]), f"{microseconds(rows[0]['rival_ms'])} ({times(rows[0]['ratio'])})"] if rows else ["", ""]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + f"\n\n{wrapped(source(LATENCY))}"


TABLES = {"split stebz": lambda: table_split("stebz"), "split stemr": lambda: table_split("stemr"), "latency python": table_latency}
