"""The measured rows of bench/results/*.csv, and how pages write them: what performance.py and its parts share."""
import csv
import glob
import os
import sys
import textwrap

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
NUMBERS = ("n", "batch", "threads", "time_ms", "limit_ms", "rival_ms", "ratio", "error")


def read_results():
    """{name of a file: its rows}, numbers as numbers; an uncommitted tree measures nothing that could be repeated."""
    results = {}
    for path in sorted(glob.glob(os.path.join(ROOT, "bench/results/*.csv"))):
        with open(path, encoding="utf-8") as file:
            rows = list(csv.DictReader(line for line in file if line.strip() and not line.startswith("#")))
        for row in rows:
            if row["commit"].endswith("-dirty"):
                sys.exit(f"{path}: measured at {row['commit']}: commit, measure again")
            if row["check"] != "ok":
                sys.exit(f"{path}: a row failed its check: {row}")
            for key in NUMBERS:
                row[key] = float(row[key] or 0) if key not in ("n", "batch") else int(row[key])
        results[os.path.basename(path)[:-4]] = rows
    return results


SCALE = os.path.join(ROOT, "bench/results/scale")
SCALE_FILES = sorted(os.path.relpath(path, os.path.dirname(SCALE))[:-4]
                     for path in glob.glob(os.path.join(SCALE, "**/*.csv"), recursive=True))


def scale_file(file):
    """The rows of one of SCALE_FILES, which bench_scale or bench_scale_mpi wrote: columns of their own."""
    with open(os.path.join(os.path.dirname(SCALE), file + ".csv"), encoding="utf-8") as lines:
        rows = list(csv.DictReader(line for line in lines if line.strip() and not line.startswith("#")))
    for row in rows:
        if row["commit"].endswith("-dirty") or row["check"] != "ok":
            sys.exit(f"bench/results/{file}.csv: a row that cannot stand: {row}")
        for key in ("n", "batch", "gpus"):
            row[key] = int(row[key])
        for key in ("time_ms", "gb_s", "efficiency"):
            row[key] = float(row[key])
    return rows


def scale_rows(folder="scale"):
    """The rows of a folder: scale, scale/two or scale/mpi."""
    return [row for file in SCALE_FILES if os.path.dirname(file) == folder for row in scale_file(file)]


RESULTS = read_results()


def rows_of(file, **wanted):
    """The rows of a file with these entries; a rival is known by how its name begins."""
    rival = wanted.pop("rival", None)
    return [row for row in RESULTS[file] if all(row[key] == value for key, value in wanted.items())
            and (rival is None or row["rival"].startswith(rival))]


def row_of(file, **wanted):
    rows = rows_of(file, **wanted)
    if not rows:
        sys.exit(f"bench/results/{file}.csv has no row with {wanted}, which the page shows")
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


def source(*files):
    """Machine and commit of these files' rows, or of (file, rows), and the files: the end of a caption."""
    places = {}
    for file in files:
        file, rows = file if isinstance(file, tuple) else (file, RESULTS[file])
        for row in rows:
            place = f"{row['machine'].replace('cuda:0 ', '')}, commit {row['commit']}"
            places.setdefault(place, {})[f"[{file}.csv](../bench/results/{file}.csv)"] = True
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
