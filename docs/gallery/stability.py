"""Where is a control loop stable?  The spectral abscissa over 250,000 points of two gains.

    python stability.py [--small] [PICTURE]

The plant: four masses in a row, springs between them and to a wall; an actuator with a lag pushes the last mass, a sensor
sees the first one.  The controller: u = -Kp y - Kd y', so that the closed loop is affine in its gains:
    A(Kp, Kd) = A0 + Kp A1 + Kd A2
It is stable where all eigenvalues lie to the left of the imaginary axis.  eigvals_affine makes the matrices where they are
used: the input is three matrices and a list of points.
"""

# %%
import pathlib
import sys
import time

import numpy as np

import eigpack

small = "--small" in sys.argv
points = 60 if small else 500
picture = next((word for word in sys.argv[1:] if not word.startswith("-")), "stability.png")

# %% The model: positions, speeds, force.
masses, spring, damping, lag = 4, 1.0, 0.08, 0.3
n = 2 * masses + 1
a = np.zeros((3, n, n))
position, speed, force = np.arange(masses), masses + np.arange(masses), n - 1
stiff = spring * (2 * np.eye(masses) - np.eye(masses, k=1) - np.eye(masses, k=-1))
stiff[-1, -1] = spring  # the last mass is free
a[0, position, speed] = 1
a[0, masses : 2 * masses, :masses] = -stiff
a[0, masses : 2 * masses, masses : 2 * masses] = -damping * stiff
a[0, speed[-1], force] = 1
a[0, force, force] = -1 / lag
a[1, force, position[0]] = -1 / lag
a[2, force, speed[0]] = -1 / lag

# %% The abscissa at every pair of gains.
kp, kd = np.linspace(-1.1, 1.2, points), np.linspace(-0.55, 0.6, points)
x = np.stack(np.meshgrid(kp, kd), axis=-1)
begin = time.perf_counter()
abscissa = eigpack.eigvals_affine(a, x, "abscissa")
seconds = time.perf_counter() - begin
i, j = points // 3, points // 2
one = np.linalg.eigvals(a[0] + x[i, j, 0] * a[1] + x[i, j, 1] * a[2]).real.max()
assert abs(one - abscissa[i, j]) < 1e-10
stable = (abscissa < 0).mean()
print(f"{abscissa.size} loops in {seconds:.2f} s on {eigpack.describe('cpu')}; {100 * stable:.1f} % are stable")
assert 0 < stable < 1

# %% The picture: blue is stable, the line its border.
import matplotlib  # noqa: E402

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

plt.style.use(pathlib.Path(__file__).with_name("pages.mplstyle"))

bound = np.abs(abscissa[abscissa < 0]).max()
plt.figure(figsize=(8, 6))
plt.imshow(abscissa, origin="lower", extent=[kp[0], kp[-1], kd[0], kd[-1]], aspect="auto", cmap="RdBu_r", vmin=-bound, vmax=bound)
plt.colorbar(label="spectral abscissa: negative is stable")
plt.contour(kp, kd, abscissa, levels=[0], colors="black", linewidths=1)
plt.xlabel("Kp")
plt.ylabel("Kd")
plt.tight_layout()
plt.savefig(picture, dpi=100)
