"""Diffusion tensors: in a million of them, which way the water moves, and how strongly it prefers that way.

    python diffusion.py [--small] [PICTURE]

The field is made: two bundles of fibres, a ring and a straight one that bends away from the plane, in tissue without a
direction, around fluid.  Each voxel has a symmetric 3 x 3 tensor with noise; one call of eigh solves all.  The fractional
anisotropy is that of P. Basser and C. Pierpaoli (J. Magn. Reson. B 111, 1996): 0 for a sphere, 1 for a needle.
"""

# %%
import pathlib
import sys
import time

import numpy as np

import eigpack

small = "--small" in sys.argv
side = 120 if small else 1000
picture = next((word for word in sys.argv[1:] if not word.startswith("-")), "diffusion.png")


# %% The directions of the fibres, and how much of a voxel they fill.
y, x = np.meshgrid(np.linspace(-1, 1, side), np.linspace(-1, 1, side), indexing="ij")
radius, angle = np.hypot(x, y), np.arctan2(y, x)
ring = np.exp(-(((radius - 0.62) / 0.12) ** 4))
bundle = np.exp(-(((y - 0.25 * np.sin(3 * x)) / 0.13) ** 4)) * (radius < 0.95)
around = np.stack([-np.sin(angle), np.cos(angle), np.zeros_like(angle)], -1)
along = np.stack([np.ones_like(x), 0.75 * np.cos(3 * x), 1.2 * np.tanh(2 * x)], -1)
along /= np.linalg.norm(along, axis=-1, keepdims=True)


# %% The tensors, in 0.001 mm^2/s: a share of fibres with 1.7 along and 0.2 across, the rest 0.8, fluid 3 outside.
def needle(direction):
    return 0.2 * np.eye(3) + 1.5 * direction[..., :, None] * direction[..., None, :]


free = np.clip(1 - ring - bundle, 0, 1)[..., None, None]
share = (ring + bundle + free[..., 0, 0])[..., None, None]
fluid = (1 / (1 + np.exp(-60 * (radius - 0.88))))[..., None, None]
tissue = (ring[..., None, None] * needle(around) + bundle[..., None, None] * needle(along) + free * 0.8 * np.eye(3)) / share
noise = 0.06 * np.random.default_rng(7).standard_normal((side, side, 3, 3))
tensor = (1 - fluid) * tissue + fluid * 3 * np.eye(3) + noise + noise.swapaxes(-1, -2)

# %% All of them at once.
begin = time.perf_counter()
w, v = eigpack.eigh(tensor)
seconds = time.perf_counter() - begin
print(f"{side * side} tensors in {seconds:.2f} s on {eigpack.describe('cpu')}")
spread = np.sqrt(((w - w.mean(-1, keepdims=True)) ** 2).sum(-1))
anisotropy = np.sqrt(1.5) * spread / np.sqrt((w**2).sum(-1))
main = v[..., :, 2]  # of the largest eigenvalue

# %% Is it right?  A needle's anisotropy is known, and the directions are known where one bundle is alone.
expected = np.sqrt(1.5 * ((np.array([0.2, 0.2, 1.7]) - 0.7) ** 2).sum() / (0.2**2 + 0.2**2 + 1.7**2))
alone = (ring > 0.98) & (bundle < 0.01) & (radius < 0.7)
turned = np.degrees(np.arccos(np.minimum(np.abs((main * around).sum(-1)), 1)))[alone]
print(f"in the ring: anisotropy {anisotropy[alone].mean():.3f} (without noise {expected:.3f}), directions off by {turned.mean():.1f} degrees")
assert np.allclose(w.sum(-1), np.trace(tensor, axis1=-2, axis2=-1), atol=1e-12)
assert abs(anisotropy[alone].mean() - expected) < 0.02 and turned.mean() < 5

# %% The maps: anisotropy, and direction as colour (red: right, green: up, blue: towards the reader).
import matplotlib  # noqa: E402

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

plt.style.use(pathlib.Path(__file__).with_name("pages.mplstyle"))

step = max(1, side // 250)
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4))
shown = left.imshow(anisotropy[::step, ::step], origin="lower", cmap="gray", vmin=0, vmax=1)
figure.colorbar(shown, ax=left, fraction=0.046, label="fractional anisotropy")
right.imshow(np.clip(np.abs(main) * anisotropy[..., None], 0, 1)[::step, ::step], origin="lower")
right.set_title("direction: red right, green up, blue towards you", fontsize=10)
for axes in (left, right):
    axes.set_axis_off()
figure.tight_layout()
figure.savefig(picture, dpi=80)
