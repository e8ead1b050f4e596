"""JAX: eigvals, eigvalsh, eigh and all eigenvalues of tridiagonal matrices as targets of jax.ffi, under jit, vmap and, for
eigvalsh and eigh, differentiation; the other functions on concrete arrays, by DLPack.

The targets are registered at the first use.  A build without XLA's headers has none: then all goes by DLPack.
"""

from functools import cache, partial

import jax
import jax.numpy as jnp
import numpy as np

from . import _core, _families, _libraries
from ._families import EighResult
from ._numpy import COMPLEX, LETTERS, REAL, TYPES, refuse


@cache
def targets():
    """Whether there are targets; registers them."""
    found = _core.jax_targets()
    for (name, platform), handler in found.items():
        jax.ffi.register_ffi_target("eigpack_" + name, handler, platform=platform)
    return bool(found)


def take(x, name, letters):
    """The array and its letter; integers and bool become JAX's default floating-point type."""
    if x.dtype.kind in "biu":
        x = x.astype(jnp.result_type(float))
    letter = LETTERS.get(x.dtype.char)
    if letter is None or letter not in letters:
        raise refuse(name, x.dtype, letters)
    return x, letter


def call(name, shapes, *arrays, **attributes):
    """The target on arrays; shapes: (shape, letter) of each output."""
    results = [jax.ShapeDtypeStruct(shape, TYPES[letter]) for shape, letter in shapes]
    return jax.ffi.ffi_call("eigpack_" + name, results, vmap_method="broadcast_all")(*arrays, **attributes)


def is_traced(*arrays):
    return any(isinstance(x, jax.core.Tracer) for x in arrays)


def examine(info, check):
    """Raises for what info tells.  Traced: never; an array on a GPU: only if asked to."""
    if is_traced(info):
        if check:
            raise ValueError("check=True is not possible while JAX traces: look for NaN in the result")
        return
    if check is None:
        check = all(device.platform == "cpu" for device in info.devices())
    failed = _families.failures(jax.device_get(info).ravel()) if check else None
    if failed:
        raise _families.linalg_error(failed[0], failed[1], _core.info_text(failed[2]), info.size)


def square(a, letters):
    a, letter = take(a, "a", letters)
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise _families.linalg_error(0, -1, f"a must hold square matrices in its last two dimensions, has shape {a.shape}", 1)
    return a, letter


def by_dlpack(name, arrays, *arguments):
    """For concrete arrays and functions without a target."""
    if is_traced(*arrays):
        raise TypeError(f"eigpack.{name} with these arguments does not serve JAX's traced arrays (jit, vmap, grad)")
    lib, taken, home = _libraries.by_dlpack(next(x for x in arrays if isinstance(x, jax.Array)), arrays)
    return _libraries.bring_home(getattr(_families, name)(lib, *taken, *arguments), home)


def elsewhere(device):
    if device is not None:
        raise ValueError("JAX's arrays are computed where they lie: put them elsewhere with jax.device_put")


def eigvals(a, device, check):
    elsewhere(device)
    if not targets():
        return by_dlpack("eigvals", [a], None, check)
    a, letter = square(a, "sd")
    if a.size == 0:
        return jnp.zeros(a.shape[:-1], TYPES[COMPLEX[letter]])
    w, info = call("eigvals", [(a.shape[:-1], COMPLEX[letter]), (a.shape[:-2], "i")], a)
    examine(info, check)
    return w


# Derivatives: dw = diag(V^H dA V), dV = V (F o (V^H dA V)), as in _torch.

times = partial(jnp.matmul, precision="highest")  # a GPU would multiply float32 with 10 bits


def seen_from(v, x):
    """V^H X V for the Hermitian part of X, as jax.numpy.linalg.eigh's with symmetrize_input."""
    x = (x + jnp.conj(jnp.swapaxes(x, -1, -2))) / 2
    return times(jnp.conj(jnp.swapaxes(v, -1, -2)), times(x, v))


@partial(jax.custom_jvp, nondiff_argnums=(1,))
def values(a, upper):
    letter = LETTERS[a.dtype.char]
    return tuple(call("eigvalsh", [(a.shape[:-1], REAL[letter]), (a.shape[:-2], "i")], a, upper=upper))


@values.defjvp
def _(upper, primals, tangents):
    w, v, info = pairs(primals[0], upper)
    inner = seen_from(v, tangents[0])
    return (w, info), (jnp.diagonal(inner, axis1=-2, axis2=-1).real.astype(w.dtype), no_tangent(info))


@partial(jax.custom_jvp, nondiff_argnums=(1,))
def pairs(a, upper):
    letter = LETTERS[a.dtype.char]
    shapes = [(a.shape[:-1], REAL[letter]), (a.shape, letter), (a.shape[:-2], "i")]
    return tuple(call("eigh", shapes, a, upper=upper))


@pairs.defjvp
def _(upper, primals, tangents):
    w, v, info = pairs(primals[0], upper)
    inner = seen_from(v, tangents[0])
    gaps = w[..., None, :] - w[..., :, None]
    apart = ~jnp.eye(w.shape[-1], dtype=bool)
    turn = jnp.where(apart, inner / jnp.where(apart, gaps, 1), 0)
    return (w, v, info), (jnp.diagonal(inner, axis1=-2, axis2=-1).real.astype(w.dtype), times(v, turn), no_tangent(info))


def no_tangent(x):
    """The tangent of integers."""
    return np.zeros(x.shape, jax.dtypes.float0)


def is_upper(uplo):
    if uplo not in ("L", "U", "l", "u"):
        raise ValueError(f"UPLO is {uplo!r}: use 'L' or 'U'")
    return uplo in "Uu"


def eigvalsh(a, uplo, device, check):
    elsewhere(device)
    if not targets():
        return by_dlpack("eigvalsh", [a], uplo, None, check)
    upper = is_upper(uplo)
    a, letter = square(a, "sdcz")
    if a.size == 0:
        return jnp.zeros(a.shape[:-1], TYPES[REAL[letter]])
    w, info = values(a, upper)
    examine(info, check)
    return w


def eigh(a, uplo, device, check):
    elsewhere(device)
    if not targets():
        return by_dlpack("eigh", [a], uplo, None, check)
    upper = is_upper(uplo)
    a, letter = square(a, "sdcz")
    if a.size == 0:
        return EighResult(jnp.zeros(a.shape[:-1], TYPES[REAL[letter]]), jnp.zeros(a.shape, a.dtype))
    w, v, info = pairs(a, upper)
    examine(info, check)
    return EighResult(w, v)


def eigvalsh_tridiagonal(d, e, select, select_range, check_finite, tol, bounds, device, check):
    elsewhere(device)
    plain = select in ("a", "all") and tol == 0 and not bounds and check_finite
    if not plain or not targets():
        arguments = select, select_range, check_finite, tol, bounds
        return by_dlpack("eigvalsh_tridiagonal", [d, e], *arguments, None, check)
    (d, letter), (e, other) = take(jnp.asarray(d), "d", "sd"), take(jnp.asarray(e), "e", "sd")
    if letter != other:
        d, e, letter = d.astype(jnp.float64), e.astype(jnp.float64), "d"
    if d.ndim < 1 or e.shape != (*d.shape[:-1], max(d.shape[-1] - 1, 0)):
        raise ValueError(f"e must have the shape of d but for one element less in the last dimension, have {d.shape} and {e.shape}")
    if d.shape[-1] == 1 or d.size == 0:
        return d
    w, info = call("eigvalsh_tridiagonal", [(d.shape, letter), (d.shape[:-1], "i")], d, e)
    examine(info, check)
    return w


def eigvals_affine(a, x, measure, device, check):
    elsewhere(device)
    return by_dlpack("eigvals_affine", [a, x], measure, None, check)


def eigh_tridiagonal(d, e, *arguments):
    elsewhere(arguments[-2])
    return by_dlpack("eigh_tridiagonal", [d, e], *arguments[:-2], None, arguments[-1])


def sturm_count(d, e, x, device, check):
    elsewhere(device)
    return by_dlpack("sturm_count", [d, e, x], None, check)
