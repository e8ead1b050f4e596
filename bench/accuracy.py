#!/usr/bin/env python3
"""Errors of eigpack and of LAPACK over the order n, on the CPU.

    python bench/accuracy.py COMMIT        measures, with NumPy, SciPy and the package eigpack: writes accuracy.csv and accuracy.txt
                                           for bench/keep.py accuracy-cpu accuracy.csv accuracy.txt
    python bench/accuracy.py               makes the picture of docs/accuracy/index.md from that run
    python bench/accuracy.py --check       says whether the picture is as the run makes it

Random symmetric matrices (entries normal) and tridiagonal ones (uniform); the largest error of a batch, in units of n eps, its
products in long double, so that they add nothing of their own."""

import csv
import math
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

PICTURE = os.path.join(ROOT, "docs/images/accuracy.svg")
ORDERS = (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256)


def errors(np, a, w, v):
    """The residual and the orthogonality of one matrix, in n eps and Frobenius' norm."""
    n, eps = a.shape[0], np.finfo(np.float64).eps
    a, v = a.astype(np.longdouble), v.astype(np.longdouble)
    residual = np.linalg.norm((a @ v - v * w).astype(float)) / np.linalg.norm(a.astype(float))
    return residual / (n * eps), np.linalg.norm((v.T @ v - np.eye(n)).astype(float)) / (n * eps)


def measure(commit):
    import numpy as np
    import scipy
    import scipy.linalg

    import eigpack

    rng = np.random.default_rng(7)
    rows = []
    for n in ORDERS:
        batch = max(2, 512 // n)
        full = rng.standard_normal((batch, n, n))
        full = full + full.transpose(0, 2, 1)
        d, e = rng.random((batch, n)), rng.random((batch, n - 1))
        dense = np.zeros((batch, n, n))
        for k, (one, off) in enumerate(zip(d, e)):
            dense[k] = np.diag(one) + np.diag(off, 1) + np.diag(off, -1)
        pairs = {
            ("heev", "eigpack"): zip(full, *eigpack.eigh(full)),
            ("heev", "LAPACK dsyevd"): zip(full, *np.linalg.eigh(full)),
            ("stemr", "eigpack"): zip(dense, *eigpack.eigh_tridiagonal(d, e)),
            ("stemr", "LAPACK dstemr"): ((a, *scipy.linalg.eigh_tridiagonal(one, off, lapack_driver="stemr")) for a, one, off in zip(dense, d, e)),
        }
        for (family, solver), matrices in pairs.items():
            residual, orthogonality = np.max([errors(np, *matrix) for matrix in matrices], axis=0)
            rows.append((family, "f64", n, batch, "cpu", solver, "ok", eigpack.describe("cpu"), commit, f"{residual:.3g}", f"{orthogonality:.3g}"))
        print(n, flush=True)
    names = "family", "type", "n", "batch", "device", "method", "check", "machine", "commit", "residual", "orthogonality"
    with open("accuracy.csv", "w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([names, *rows])
    with open("accuracy.txt", "w", encoding="utf-8") as file:
        file.write(f"Machine: {eigpack.describe('cpu')}; NumPy {np.__version__}, SciPy {scipy.__version__} with their OpenBLAS\n"
                   "Driver: none, CPU alone\nCommand: python bench/accuracy.py COMMIT\n")  # fmt: skip


# ----------------------------------------------------------------- the picture

COLOURS = {"eigpack": "#0072b2", "LAPACK dsyevd": "#d55e00", "LAPACK dstemr": "#d55e00"}
INK, WIDTH, HEIGHT, LEFT, TOP = "#757b84", 330, 250, 60, 50
LOW, HIGH = 1e-3, 100.0


def place(panel, n, error):
    x = LEFT + panel * (WIDTH + 60) + WIDTH * math.log(n / ORDERS[0]) / math.log(ORDERS[-1] / ORDERS[0])
    return x, TOP + HEIGHT * (1 - math.log(min(max(error, LOW), HIGH) / LOW) / math.log(HIGH / LOW))


def panel(number, family, title, rows):
    left, right = place(number, ORDERS[0], 1)[0], place(number, ORDERS[-1], 1)[0]
    out = [f'<text x="{(left + right) / 2:.0f}" y="{TOP - 14}" text-anchor="middle" font-weight="bold" fill="{INK}">{title}</text>']
    for power in (-3, -2, -1, 0, 1, 2):
        y = place(number, 2, 10.0**power)[1]
        out.append(f'<path d="M{left:.1f} {y:.1f}H{right:.1f}" stroke="#808080" stroke-opacity="0.35"/>')
        out.append(f'<text x="{left - 6:.1f}" y="{y + 4:.1f}" text-anchor="end" fill="{INK}">{10.0**power:g}</text>')
    for n in ORDERS[::2]:
        out.append(f'<text x="{place(number, n, 1)[0]:.1f}" y="{TOP + HEIGHT + 18}" text-anchor="middle" fill="{INK}">{n}</text>')
    y = place(number, 2, 10)[1]
    out.append(f'<path d="M{left:.1f} {y:.1f}H{right:.1f}" stroke="#d62839" stroke-width="2"/>')
    out.append(f'<text x="{right:.1f}" y="{y - 5:.1f}" text-anchor="end" fill="#d62839">promised</text>')
    for solver in dict.fromkeys(row["method"] for row in rows if row["family"] == family):
        mine = [row for row in rows if (row["family"], row["method"]) == (family, solver)]
        for key, dash in (("residual", ""), ("orthogonality", ' stroke-dasharray="5 4"')):
            points = " ".join("{:.1f},{:.1f}".format(*place(number, int(row["n"]), float(row[key]))) for row in mine)
            out.append(f'<polyline points="{points}" fill="none" stroke="{COLOURS[solver]}" stroke-width="2"{dash}/>')
        k = list(COLOURS).index(solver) > 0
        out.append(f'<text x="{left + 6:.1f}" y="{TOP + HEIGHT - 8 - 16 * k}" fill="{COLOURS[solver]}">{solver}</text>')
    return out


def picture():
    from measured import RESULTS

    rows = RESULTS["accuracy-cpu"]
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {2 * WIDTH + 150} {HEIGHT + 110}" font-family="sans-serif" font-size="12">',
           "<title>Errors over the order n, in units of n eps: residual (whole line) and orthogonality (dashed)</title>",
           *panel(0, "heev", "heev: symmetric matrices", rows), *panel(1, "stemr", "stemr: tridiagonal matrices", rows),
           f'<text x="{WIDTH + 75}" y="{HEIGHT + 95}" text-anchor="middle" fill="{INK}">order n; errors in units of n eps: residual (whole line), '
           "orthogonality (dashed)</text>", "</svg>"]  # fmt: skip
    return "\n".join(out) + "\n"


if len(sys.argv) == 2 and sys.argv[1] != "--check":
    measure(sys.argv[1])
elif len(sys.argv) == 1:
    with open(PICTURE, "w", encoding="utf-8") as svg:
        svg.write(picture())
else:
    with open(PICTURE, encoding="utf-8") as svg:
        sys.exit(0 if svg.read() == picture() else f"{PICTURE} is not as bench/accuracy.py makes it")
