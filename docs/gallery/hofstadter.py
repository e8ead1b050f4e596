"""Hofstadter's butterfly: the energies of an electron on a square lattice in a magnetic field.

    python hofstadter.py [--small] [PICTURE]

At flux p/q the magnetic cell has q sites, and at each point (x, y) of the Brillouin zone the energies are the eigenvalues
of a Hermitian q x q matrix (D. Hofstadter, Phys. Rev. B 14, 1976).  One call of eigvalsh solves all fluxes and points of
one q, 45,000 matrices in all.
"""

# %%
import pathlib
import sys
import time
from math import gcd

import numpy as np

import eigpack

small = "--small" in sys.argv
most_q = 12 if small else 64
picture = next((word for word in sys.argv[1:] if not word.startswith("-")), "hofstadter.png")


# %% The matrices of one q: axes flux, x, y, row, column.
def matrices(q, grid=6):
    p = np.array([p for p in range(1, q) if gcd(p, q) == 1])[:, None, None, None]
    angle = 2 * np.pi / q * np.arange(grid) / grid
    x, y = angle[:, None, None], angle[:, None]
    site = np.arange(q)
    h = np.zeros((len(p), grid, grid, q, q), complex)
    h[..., site, site] = 2 * np.cos(2 * np.pi * p / q * site + y)
    h[..., site[1:], site[:-1]] = 1
    h[..., 0, q - 1] += np.exp(-1j * q * x[..., 0])
    h[..., q - 1, 0] += np.exp(1j * q * x[..., 0])  # UPLO="L" reads this one
    return p[:, 0, 0, 0] / q, h


# %% The energies.
flux, energy, solved, seconds = [], [], 0, 0.0
for q in range(2, most_q + 1):
    f, h = matrices(q)
    begin = time.perf_counter()
    w = eigpack.eigvalsh(h)
    seconds += time.perf_counter() - begin
    assert np.allclose(w.sum(-1), np.trace(h, axis1=-2, axis2=-1).real, atol=1e-9)
    solved += w[..., 0].size
    flux.append(np.repeat(f, w[0].size))
    energy.append(w.ravel())
print(f"{solved} matrices in {seconds:.2f} s on {eigpack.describe('cpu')}")

# %% Rows are fluxes, columns energies; bright where there are states.
import matplotlib  # noqa: E402

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

plt.style.use(pathlib.Path(__file__).with_name("pages.mplstyle"))

size = (240, 320) if small else (720, 960)
states, _, _ = np.histogram2d(np.concatenate(flux), np.concatenate(energy), bins=size, range=[[0, 1], [-4, 4]])
plt.figure(figsize=(8, 6))
plt.imshow(np.minimum(states, 3), origin="lower", extent=[-4, 4, 0, 1], aspect="auto", cmap="magma", interpolation="nearest")
plt.xlabel("energy")
plt.ylabel("flux through a cell")
plt.tight_layout()
plt.savefig(picture, dpi=100)
