#!/usr/bin/env python3
"""Makes the table and the plot of docs/performance/scale.md's section on several GPUs from the run scale-cuda-4xh200 of bench/results, which
bench_scale wrote: no number of a measurement is typed by hand.  --check compares instead.  Needs Python 3.8 alone."""
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import plot  # noqa: E402
from measured import RESULTS, ROOT  # noqa: E402

PAGE, PICTURE = "docs/performance/scale.md", "docs/images/scale-efficiency.svg"
CASES = (("geev", "geev affine"), ("stebz", "stebz"), ("heev", "heev c128"), ("stemr", "stemr"))
MUST = 0.9


class Shares(plot.Figure):
    """Shares from 0 to 1.05, over the number of GPUs."""

    low, high = 0, 1.05

    def scale(self):
        self.x0, self.x1 = 0.5, max(self.xticks) + 0.5

    def at(self, x, y):
        right = (x - self.x0) / (self.x1 - self.x0)
        up = (y - self.low) / (self.high - self.low)
        return plot.LEFT + right * (plot.RIGHT - plot.LEFT), plot.BOTTOM - up * (plot.BOTTOM - plot.TOP)

    def levels(self):
        out = []
        for tenth in range(0, 11, 2):
            _, y = self.at(1, tenth / 10)
            out.append(f'<path d="M{plot.LEFT} {y:.1f}H{plot.RIGHT}" stroke="{plot.GRID}"/>')
            out.append(f'<text x="{plot.LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{tenth / 10:.1f}</text>')
        _, y = self.at(1, MUST)
        out.append(f'<path d="M{plot.LEFT} {y:.1f}H{plot.RIGHT}" stroke="{plot.LIMIT}" stroke-dasharray="3 3"/>')
        out.append(f'<text x="{plot.LEFT + 240}" y="{y + 16:.1f}">the aim, {MUST}</text>')
        return out


def size_of(row):
    if row["family"] == "geev":
        return f"{row['batch']:,} points, {row['n']} x {row['n']}, abscissa"
    if row["family"] == "heev":
        return f"{row['batch']:,} matrices {row['n']} x {row['n']}, vectors"
    return f"n = {row['n']:,}" + (", vectors" if row["family"] == "stemr" else "")


def groups_of(rows):
    """Rows of one case and kind of memory, in the order of CASES."""
    groups = []
    for family, name in CASES:
        for memory in ("pinned", "pageable"):
            group = [r for r in rows if r["family"] == family and r["memory"] == memory]
            if group:
                groups.append((name, memory, group))
    return groups


def picture(rows):
    gpus = sorted({row["gpus"] for row in rows})
    figure = Shares("Several GPUs in one context", "GPUs", gpus, "t(1) / (k t(k))")
    for style, (name, memory, group) in enumerate(groups_of(rows)):
        points = {r["gpus"]: r["efficiency"] for r in group if single_use(r["device"])}
        size = size_of(group[0]).replace(", ", "\n", 1)
        figure.line(f"{name}, {memory}\n{size}", list(points.items()), style % 6, dashed=memory != "pinned")
    return figure.svg()


def single_use(device):
    """Whether no GPU is named twice."""
    numbers = device[5:].split(",")
    return len(set(numbers)) == len(numbers)


def table(rows):
    lines = ["| call, f64 | host memory | GPUs | ms | GB/s | t(1) / (k t(k)) |", "|---|---|---|---:|---:|---:|"]
    for name, memory, group in groups_of(rows):
        for number, r in enumerate(group):
            what = f"{name}, {size_of(r)}" if number == 0 else ""
            lines.append(f"| {what} | {memory if number == 0 else ''} | {r['device']} | {r['time_ms']:.4g} | "
                         f"{r['gb_s']:.3g} | {r['efficiency']:.2f} |")
    ways = {"copy to": "copy to the GPU{}, 256 MiB each", "copy from": "copy from the GPU{}, 256 MiB each",
            "copy both": "copies to and from the GPU{} at once, 128 MiB each"}
    for way, words in ways.items():
        for memory in ("pinned", "pageable"):
            for number, r in enumerate(r for r in rows if r["family"] == way and r["memory"] == memory):
                what = words.format("" if r["gpus"] == 1 else "s")
                lines.append(f"| {what} | {memory} | {r['gpus']} | {r['time_ms']:.4g} | {r['gb_s']:.3g} | "
                             f"{r['efficiency']:.2f} |")
    places = sorted({f"{row['machine']}; commit {row['commit']}" for row in rows})
    return "\n".join(lines) + "\n\nMachine: " + "; ".join(places) + "."


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    rows = RESULTS["scale-cuda-4xh200"]
    if not rows:
        return
    with open(os.path.join(ROOT, PAGE), encoding="utf-8") as file:
        text = file.read()
    marks = r"(<!-- made by bench/scale.py -->\n\n).*?(\n\n<!-- end of bench/scale.py -->)"
    if not re.search(marks, text, re.S):
        sys.exit(f"{PAGE} has no marks <!-- made by bench/scale.py --> and <!-- end of bench/scale.py -->")
    made = {PAGE: re.sub(marks, lambda match: match[1] + table(rows) + match[2], text, flags=re.S),
            PICTURE: picture(rows)}
    stale = []
    for path, new in made.items():
        place = os.path.join(ROOT, path)
        if sys.argv[1:] == ["--check"]:
            old = open(place, encoding="utf-8").read() if os.path.exists(place) else None
            stale += [path] if old != new else []
        else:
            with open(place, "w", encoding="utf-8") as file:
                file.write(new)
    if stale:
        sys.exit(f"not as the CSV files make them: {', '.join(stale)}; run bench/scale.py")


main()
