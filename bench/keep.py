#!/usr/bin/env python3
"""Keeps the rows of a run in bench/results.

    bench/keep.py RUN FILE.csv NOTE.txt

RUN begins with the family: heev-cuda-h200.  The rows go to bench/results/FAMILY-cpu.csv or FAMILY-cuda.csv, by their device, in place
of the rows that a run of this name had.  Columns that `eigpack bench` does not have go to the column `more`, as NAME=VALUE;
NAME=VALUE.  The note goes to machines.txt: lines Machine:, Driver:, Command:, then what else is to be said or was printed."""
import csv
import os
import re
import sys

RESULTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "results")
MACHINES = os.path.join(RESULTS, "machines.txt")
COLUMNS = ("family", "type", "n", "batch", "device", "method", "threads", "time_ms", "limit_ms", "rival", "rival_ms", "ratio", "error",
           "check", "machine", "commit")
NOTE = re.compile(r"Machine: (.+)\nDriver: (.+)\nCommand: (.+)\n((?s:.*))")


def notes():
    """{run: the text of its note}"""
    if not os.path.exists(MACHINES):
        return {}
    with open(MACHINES, encoding="utf-8") as file:
        pieces = re.split(r"^== (\S+)\n", file.read(), flags=re.M)
    return dict(zip(pieces[1::2], pieces[2::2]))


def rows_in(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(line for line in file if line.strip() and not line.startswith("#")))


def packed(run, row):
    """A row as it is kept."""
    more = {key: value for key, value in row.items() if key not in COLUMNS}
    if any(";" in value or "=" in key for key, value in more.items()):
        sys.exit(f"{run}: no = in a column's name, and no ; in its values: {more}")
    return {"run": run, **{key: row.get(key, "") for key in COLUMNS}, "more": "; ".join(f"{key}={value}" for key, value in more.items())}


def keep(run, rows, note):
    if not NOTE.match(note):
        sys.exit(f"the note of {run} does not begin with lines Machine:, Driver:, Command:")
    device = "cpu" if rows[0].get("device", "").startswith("cpu") else "cuda"
    path = os.path.join(RESULTS, f"{run.split('-')[0]}-{device}.csv")
    others = [row for row in rows_in(path) if row["run"] != run] if os.path.exists(path) else []
    kept = sorted(others + [packed(run, row) for row in rows], key=lambda row: row["run"])
    with open(path, "w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, ("run", *COLUMNS, "more"), lineterminator="\n")
        table.writeheader()
        table.writerows(kept)
    sections = {**notes(), run: note}
    with open(MACHINES, "w", encoding="utf-8") as file:
        file.write("\n".join(f"== {name}\n" + sections[name].strip("\n") + "\n" for name in sorted(sections)))


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    with open(sys.argv[3], encoding="utf-8") as note_file:
        keep(sys.argv[1], rows_in(sys.argv[2]), note_file.read())
