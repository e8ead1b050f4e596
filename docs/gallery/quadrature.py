"""Gauss's quadrature: how many points integrate what, and how the weights come out of eigenvectors.

    python quadrature.py [--small] [PICTURE]

The nodes of n-point Gauss-Legendre quadrature are the eigenvalues of the symmetric tridiagonal matrix of the three-term
recurrence, and the weights twice the squares of the eigenvectors' first elements (G. Golub and J. Welsch, Math. Comp. 23,
1969).  The rules of all orders up to a few hundred are made, and integrate a smooth function, one with a pole close to the
interval, and one with a corner.
"""

# %%
import pathlib
import sys
import time

import numpy as np

import eigpack

small = "--small" in sys.argv
most = 60 if small else 300
picture = next((word for word in sys.argv[1:] if not word.startswith("-")), "quadrature.png")


# %% The rule of n points.
def rule(n):
    k = np.arange(1, n)
    w, z = eigpack.eigh_tridiagonal(np.zeros(n), k / np.sqrt(4.0 * k**2 - 1))
    return w, 2 * z[0] ** 2


begin = time.perf_counter()
rules = {n: rule(n) for n in range(1, most + 1)}
seconds = time.perf_counter() - begin
nodes, weights = rules[most]
known = np.polynomial.legendre.leggauss(most)
apart = np.abs(nodes - known[0]).max(), np.abs(weights - known[1]).max()
print(f"{most} rules in {seconds:.2f} s on {eigpack.describe('cpu')}; from NumPy's {apart[0]:.1e}, {apart[1]:.1e}")
assert max(apart) < 1e-14

# %% Three integrals over [-1, 1], and what each rule makes of them.
pole = 1.05
integrands = {
    "exp(-x) cos 5x: entire": (lambda x: np.exp(-x) * np.cos(5 * x), ((np.exp(-(1 - 5j)) - np.exp(1 - 5j)) / -(1 - 5j)).real),
    f"1 / (x - {pole}): a pole": (lambda x: 1 / (x - pole), np.log((pole - 1) / (pole + 1))),
    "|x - 0.3|: a corner": (lambda x: np.abs(x - 0.3), (1.3**2 + 0.7**2) / 2),
}
orders = np.arange(1, most + 1)
errors = {name: np.array([abs(np.dot(rules[n][1], f(rules[n][0])) - exact) for n in orders]) for name, (f, exact) in integrands.items()}
smooth, near, corner = errors.values()
assert smooth[20:].max() < 1e-13 and near[-1] < near[10] / 1000 and corner[-1] > 1e-9

# %% The picture: geometric convergence, the rate that the pole gives, and n^-2 for the corner.
import matplotlib  # noqa: E402

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

plt.style.use(pathlib.Path(__file__).with_name("pages.mplstyle"))

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 5))
for name, error in errors.items():
    left.loglog(orders, np.maximum(error, 1e-17), ".-", linewidth=0.6, markersize=3, label=name)
rho = pole + np.sqrt(pole**2 - 1)
left.loglog(orders, rho ** (-2.0 * orders), "--", color="gray", linewidth=0.8, label="the pole's ellipse, $\\rho^{-2n}$")
left.set(ylim=(1e-17, 10), xlabel="points n", ylabel="error of the integral")
left.legend(fontsize=8)
for n in (10, 20, 40):
    right.plot(rules[n][0], n * rules[n][1], "o", markersize=3, label=f"n = {n}")
x = np.linspace(-1, 1, 400)
right.plot(x, np.pi * np.sqrt(1 - x**2), "--", color="gray", linewidth=0.8, label="$\\pi \\sqrt{1 - x^2}$")
right.set(xlabel="node", ylabel="n times its weight")
right.legend(fontsize=8)
figure.tight_layout()
figure.savefig(picture, dpi=100)
