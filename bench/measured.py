"""The measured rows of bench/results/*.csv, and how pages write them: what performance.py and its parts share."""
import glob
import os
import sys
import textwrap

import keep

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
NUMBERS = ("n", "batch", "threads", "time_ms", "limit_ms", "rival_ms", "ratio", "error")


def read_results():
    """{run: its rows}, {run: its file}; numbers as numbers; an uncommitted tree measures nothing that could be repeated."""
    results, files = {}, {}
    for path in sorted(glob.glob(os.path.join(keep.RESULTS, "*.csv"))):
        for row in keep.rows_in(path):
            if row["commit"].endswith("-dirty"):
                sys.exit(f"{path}: measured at {row['commit']}: commit, measure again")
            if row["check"] != "ok":
                sys.exit(f"{path}: a row failed its check: {row}")
            row.update(pair.split("=", 1) for pair in row.pop("more").split("; ") if pair)
            for key in NUMBERS:
                row[key] = float(row[key] or 0) if key not in ("n", "batch") else int(row[key])
            for key in ("gpus", "gb_s", "efficiency"):  # of bench_scale and bench_scale_mpi
                if key in row:
                    row[key] = float(row[key]) if key != "gpus" else int(row[key])
            results.setdefault(row["run"], []).append(row)
            files[row["run"]] = os.path.basename(path)
    return results, files


RESULTS, FILES = read_results()
NOTES = keep.notes()


def link_to(run):
    """A link to the file of a run, from docs."""
    return f"[{run}](../bench/results/{FILES[run]})"


def note_of(run):
    """The words beside a run: (machine, driver, command, the rest)."""
    if run not in NOTES:
        sys.exit(f"bench/results/machines.txt has no note of {run}: bench/keep.py writes it")
    return keep.NOTE.match(NOTES[run]).groups()


def rows_of(run, **wanted):
    """The rows of a run with these entries; a rival is known by how its name begins."""
    rival = wanted.pop("rival", None)
    return [row for row in RESULTS[run] if all(row[key] == value for key, value in wanted.items())
            and (rival is None or row["rival"].startswith(rival))]


def row_of(run, **wanted):
    rows = rows_of(run, **wanted)
    if not rows:
        sys.exit(f"bench/results: the run {run} has no row with {wanted}, which the page shows")
    return rows[0]


def points(rows, key="time_ms", scale=None):
    """[(n, ms)], once each, where there is a value; scale(row) multiplies it."""
    return sorted({(row["n"], row[key] * (scale(row) if scale else 1)) for row in rows if row[key] > 0})


def wrapped(text, indent=""):
    return textwrap.fill(text, 118, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def a_matrix(row):
    return 1 / row["batch"]


def of_500000(row):
    return 500000 / row["batch"]


def runs_of(row):
    """On how many matrices a rival ran whose time was scaled to the batch."""
    return int(row["rival"].split("(")[1].split()[0])


def digits(x, count=3):
    return f"{float(f'{x:.{count}g}'):g}"


def time(ms):
    """0.154 ms, 3.69 s"""
    return f"{digits(ms / 1000)} s" if ms >= 1000 else f"{digits(ms)} ms"


def times(ratio):
    return f"{digits(ratio, 2)}x"


def beside(row):
    """A rival's time, and by how much it is longer."""
    return f"{time(row['rival_ms'])} ({times(row['ratio'])})"


def source(*runs):
    """Machine and commit of these runs' rows, or of (run, rows), and their files: the end of a caption."""
    places = {}
    for run in runs:
        run, rows = run if isinstance(run, tuple) else (run, RESULTS[run])
        for row in rows:
            place = f"{row['machine'].replace('cuda:0 ', '')}, commit {row['commit']}"
            places.setdefault(place, {})[link_to(run)] = True
    return "; ".join(f"{place}: {', '.join(links)}" for place, links in places.items()) + "."


def certificates(file, what, vectors):
    """What the look at all results costs, with vectors and without: method "off" does without it."""
    lines = []
    for row in rows_of(file, family=f"{what}-certificate", method="auto"):
        key = {"type": row["type"], "n": row["n"], "batch": row["batch"]}
        cells = []
        for family in (f"{what}-certificate", f"{what}-certificate-vectors"):
            on, off = (row_of(file, family=family, method=method, **key)["time_ms"] for method in ("auto", "off"))
            cells += [time(on), f"{100 * (on / off - 1):.1f} %"]
        lines.append([row["type"], str(row["n"]), f"{row['batch']:,}", *cells])
    head = ["type", "n", "matrices", "values", "of which certificate", vectors, "of which certificate"]
    rows = [head, ["---"] * len(head), *lines]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows) + f"\n\n{source(file)}"
