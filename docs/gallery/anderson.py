"""Anderson localisation: in a random chain every electron stays where it is; how far does it reach?

    python anderson.py [--small] [PICTURE]

A chain with hopping 1 and energies of its sites uniform in [-W/2, W/2] is a symmetric tridiagonal matrix, so
eigh_tridiagonal gives its states.  Their envelope decays as exp(-|site - centre| / xi).  Two ways to xi: the product of a
state's first and last element is 1 / prod |E_k - E_j| (D. Thouless, J. Phys. C 5, 1972), which beside its highest point
gives the mean decay over the chain; and the theory of weak disorder says xi = 24 (4 - E^2) / W^2 (D. Thouless, in
Ill-condensed matter, 1979).  The participation ratio 1 / sum psi^4 says how many sites a state covers.
"""

# %%
import pathlib
import sys
import time

import numpy as np

import eigpack

small = "--small" in sys.argv
n, chains, bins = (600, 3, 8) if small else (2000, 10, 32)
disorders = (1.0, 1.5, 2.5)
picture = next((word for word in sys.argv[1:] if not word.startswith("-")), "anderson.png")
rng = np.random.default_rng(1958)


# %% States of all chains of one disorder.
def lengths(energy, psi):
    """xi of every state of one chain, from the energies and the states' highest points."""
    apart = np.abs(energy[:, None] - energy)
    np.fill_diagonal(apart, 1)
    return (len(energy) - 1) / (np.log(apart).sum(-1) + np.log((psi**2).max(0)))


found, states, seconds = {}, {}, 0.0
for disorder in disorders:
    d, e = disorder * (rng.random((chains, n)) - 0.5), np.ones((chains, n - 1))
    begin = time.perf_counter()
    w, psi = eigpack.eigh_tridiagonal(d, e)
    seconds += time.perf_counter() - begin
    residual = d[..., None] * psi - w[:, None, :] * psi
    residual[:, :-1] += psi[:, 1:]
    residual[:, 1:] += psi[:, :-1]
    assert np.abs(residual).max() < 1e-11
    found[disorder] = w, np.stack([lengths(*one) for one in zip(w, psi)]), 1 / (psi**4).sum(1)
    states[disorder] = w[0], psi[0], found[disorder][1][0]
print(f"{len(disorders) * chains} chains of {n} sites, all states, in {seconds:.2f} s on {eigpack.describe('cpu')}")


# %% Averages in narrow ranges of energy, beside the theory.
def theory(energy, disorder):
    return 24 * (4 - energy**2) / disorder**2


edges = np.linspace(-1.8, 1.8, bins + 1)
middle = (edges[1:] + edges[:-1]) / 2
curves = {}
for disorder, (w, xi, sites) in found.items():
    place = np.digitize(w, edges) - 1
    inside = [place == k for k in range(bins)]
    curves[disorder] = 1 / np.array([(1 / xi[here]).mean() for here in inside]), np.array([sites[here].mean() for here in inside])
    ratio = (curves[disorder][0] / theory(middle, disorder)).mean()
    print(f"W = {disorder}: xi is {ratio:.2f} of the theory's, a state covers {(curves[disorder][1] / curves[disorder][0]).mean():.2f} xi")
    assert 0.8 < ratio < 1.25

# %% The picture: three states, and the lengths over energy.
import matplotlib  # noqa: E402

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

plt.style.use(pathlib.Path(__file__).with_name("pages.mplstyle"))

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 5))
site = np.arange(n)
for colour, disorder in zip(("tab:blue", "tab:orange", "tab:green"), disorders):
    w, psi, xi = states[disorder]
    centres = np.abs(psi).argmax(0)
    inner = np.flatnonzero((np.abs(w) < 1) & (np.abs(centres - n // 2) < n // 8))
    k = inner[np.argsort(xi[inner])[len(inner) // 2]]  # of middling length
    left.semilogy(site - centres[k], psi[:, k] ** 2, color=colour, linewidth=0.6, label=f"W = {disorder}")
    reach = np.array([-n / 2, 0, n / 2])
    left.semilogy(reach, (psi[:, k] ** 2).max() * np.exp(-2 * np.abs(reach) / theory(w[k], disorder)), color=colour, linestyle="--")
    right.plot(middle, curves[disorder][0], "o", color=colour, markersize=4, label=f"W = {disorder}, measured")
    right.plot(middle, theory(middle, disorder), color=colour, linestyle="--")
left.set(xlim=(-n / 4, n / 4), ylim=(1e-30, 1), xlabel="sites from the centre", ylabel="$\\psi^2$; dashed: theory's decay")
right.set(yscale="log", xlabel="energy", ylabel="localisation length $\\xi$ in sites; dashed: theory")
left.legend()
right.legend(fontsize=8)
figure.tight_layout()
figure.savefig(picture, dpi=100)
