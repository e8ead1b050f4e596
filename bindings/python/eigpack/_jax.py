"""JAX: every function is a target of jax.ffi, under jit, vmap and, for eigvals, eig, eigvalsh and eigh, differentiation;
select="v", whose results have no fixed size, serves concrete arrays alone, by DLPack.

The targets are registered at the first use.  A build without XLA's headers has none, and a runtime older than they are takes
none: then all goes by DLPack, as does what the targets do not know (method, return_info and the like).
"""

from functools import cache, partial
from pathlib import Path

import jax
import jax.numpy as jnp
import jaxlib
import numpy as np

from . import _core, _families, _libraries
from ._arguments import shown
from ._families import PLAIN, Bounds, EighResult, EigResult
from ._numpy import COMPLEX, DOUBLE, LETTERS, REAL, TYPES, refuse

HALVES = {np.dtype(jnp.float16), np.dtype(jnp.bfloat16)}


@cache
def lacks():
    """Why there are no targets, or ""."""
    if not _core.jax_targets():
        return "was built without JAX (-DEIG_JAX=ON)"
    header = Path(jaxlib.__file__).parent / "include/xla/ffi/api/c_api.h"  # a runtime refuses handlers with newer headers
    words = header.read_text().split() if header.exists() else []
    here = tuple(int(words[words.index(f"XLA_FFI_API_{part}") + 1]) for part in ("MAJOR", "MINOR") if words)
    if here and here < _core.jax_interface():
        return f"was built with the headers of a newer jaxlib than {jaxlib.__version__}"
    return ""


@cache
def targets():
    """Whether there are targets; registers them."""
    if lacks():
        return False
    for (name, platform), handler in _core.jax_targets().items():
        jax.ffi.register_ffi_target("eigpack_" + name, handler, platform=platform)
    return True


def take(x, name, letters):
    """The array and its letter; integers and bool become JAX's default floating-point type."""
    if x.dtype.kind in "biu":
        x = x.astype(jnp.result_type(float))
    letter = LETTERS.get(x.dtype.char)
    if letter is None or letter not in letters:
        raise refuse(name, x.dtype, letters)
    return x, letter


def call(name, shapes, *arrays, vmap_method="broadcast_all", **attributes):
    """The target on arrays; shapes: (shape, letter) of each output."""
    results = [jax.ShapeDtypeStruct(shape, TYPES[letter]) for shape, letter in shapes]
    return jax.ffi.ffi_call("eigpack_" + name, results, vmap_method=vmap_method)(*arrays, **attributes)


def convert(x, letter):
    return x.astype(TYPES[letter])


def is_traced(*arrays):
    return any(isinstance(x, jax.core.Tracer) for x in arrays)


def examine(info, check, what="matrix", fine=0, order=None):
    """Raises for what info tells, except for what is fine.  Traced: never; an array on a GPU: only if asked to."""
    if is_traced(info):
        if check:
            raise ValueError("check=True is not possible while JAX traces: look for NaN in the result")
        return
    if check is None:
        check = all(device.platform == "cpu" for device in info.devices())
    per = info.shape[-1] if what == "pair" else 1
    failed = _families.failures(jax.device_get(info), per, fine) if check else None
    if failed:
        raise _families.error_of(failed, info.size // per, what, order)


def square(a, letters):
    a, letter = take(a, "a", letters)
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise _families.linalg_error(0, -1, f"a must hold square matrices in its last two dimensions, has shape {a.shape}", 1)
    return a, letter


def by_dlpack(name, arrays, *arguments):
    """For concrete arrays and functions without a target."""
    if is_traced(*arrays):
        reason = f"eigpack {lacks()}: {name}" if lacks() else f"eigpack.{name} with these arguments"
        raise TypeError(f"{reason} does not serve JAX's traced arrays (jit, vmap, grad)")
    lib, taken, home = _libraries.by_dlpack(next(x for x in arrays if isinstance(x, jax.Array)), arrays)
    return _libraries.bring_home(getattr(_families, name)(lib, *taken, *arguments), home)


def elsewhere(device):
    if device is not None:
        raise ValueError("JAX's arrays are computed where they lie: put them elsewhere with jax.device_put")


# Derivatives of general matrices: P = V^-1 dA V, dw = diag(P), dV = U + V diag(c), U = V (F o P), as in _torch_derivatives.

times = partial(jnp.matmul, precision="highest")  # a GPU would multiply float32 with 10 bits


def adjoint(x):
    return jnp.conj(jnp.swapaxes(x, -1, -2))


def divided(x, w):
    """x[i, j] / (w[j] - w[i]), 0 on the diagonal."""
    gaps = w[..., None, :] - w[..., :, None]
    apart = ~jnp.eye(w.shape[-1], dtype=bool)
    return jnp.where(apart, x / jnp.where(apart, gaps, 1), 0)


def no_tangent(x):
    """The tangent of integers."""
    return np.zeros(x.shape, jax.dtypes.float0)


def pushed(w, v, tangent):
    """dw and dV for dA."""
    with jax.default_matmul_precision("highest"):
        inner = jnp.linalg.solve(v, times(tangent.astype(v.dtype), v))
    size = v.real**2 + v.imag**2
    share = (1 - 2.0**-10) ** 2 * (1 - 64 * jnp.finfo(size.dtype).eps)
    large = (v.imag == 0) & (v.real > 0) & (size >= share * size.max(-2, keepdims=True))
    row = jnp.arange(v.shape[-1])[:, None]  # the first large one that is real and positive
    at = row == jnp.argmax(jnp.where(large, (v.shape[-1] + 1 - row).astype(size.dtype), size), -2, keepdims=True)
    u = times(v, divided(inner, w))
    along = (jnp.conj(v) * u).sum(-2).real
    turn = jnp.where(at, u, 0).sum(-2).imag / jnp.where(at, v, 0).sum(-2).real
    return jnp.diagonal(inner, axis1=-2, axis2=-1), u - v * jax.lax.complex(along, turn)[..., None, :]


@jax.custom_jvp
def spectrum(a):
    letter = LETTERS[a.dtype.char]
    return tuple(call("eigvals", [(a.shape[:-1], COMPLEX[letter]), (a.shape[:-2], "i")], a))


@spectrum.defjvp
def _(primals, tangents):
    w, v, info = general(primals[0], False, True)
    return (w, info), (pushed(w, v, tangents[0])[0], no_tangent(info))


@partial(jax.custom_jvp, nondiff_argnums=(1, 2))
def general(a, left, right):
    """Eigenvalues, the vectors that are wanted, and info."""
    letter = LETTERS[a.dtype.char]
    vectors = [(a.shape, COMPLEX[letter])] * (left + right)
    shapes = [(a.shape[:-1], COMPLEX[letter]), *vectors, (a.shape[:-2], "i")]
    w, *rows, info = call("eig_both", shapes, a) if left and right else call("eig", shapes, a, left=left)
    return w, *(jnp.swapaxes(x, -1, -2) for x in rows), info


@general.defjvp
def _(left, right, primals, tangents):
    results = general(primals[0], left, right)
    w, *vectors, info = results
    turns = []
    if left:
        dw, turn = pushed(jnp.conj(w), vectors[0], adjoint(tangents[0]))
        dw = jnp.conj(dw)
        turns.append(turn)
    if right:
        dw, turn = pushed(w, vectors[-1], tangents[0])
        turns.append(turn)
    return results, (dw, *turns, no_tangent(info))


def eigvals(a, more, device, check):
    elsewhere(device)
    if more != PLAIN or not targets():
        return by_dlpack("eigvals", [a], more, None, check)
    a, letter = square(a, "sdcz")
    if a.size == 0:
        return jnp.zeros(a.shape[:-1], TYPES[COMPLEX[letter]])
    w, info = spectrum(a)
    examine(info, check)
    return w


def eig(a, left, right, more, device, check):
    elsewhere(device)
    if more != PLAIN or not targets():
        return by_dlpack("eig", [a], left, right, more, None, check)
    if not left and not right:
        return eigvals(a, more, device, check)
    a, letter = square(a, "sdcz")
    if a.size == 0:
        w, *vectors = jnp.zeros(a.shape[:-1], TYPES[COMPLEX[letter]]), *[jnp.zeros(a.shape, TYPES[COMPLEX[letter]])] * (left + right)
    else:
        w, *vectors, info = general(a, left, right)
        examine(info, check, order=a.shape[-1])
    return (w, *vectors) if left else EigResult(w, *vectors)


def schur(a, output, more, device, check):
    elsewhere(device)
    return by_dlpack("schur", [a], output, more, None, check)


def roots(p, more, device, check):
    elsewhere(device)
    if more != PLAIN or not targets() or p.ndim < 1 or p.shape[-1] < 2:
        return by_dlpack("roots", [p], more, None, check)
    p, letter = take(p, "p", "sdcz")
    if letter != DOUBLE[letter]:
        if jax.config.jax_enable_x64:  # as _families.roots does
            p = p.astype(TYPES[DOUBLE[letter]])
        elif not is_traced(p):
            return by_dlpack("roots", [p], more, None, check)
    n, lead = p.shape[-1] - 1, p.shape[:-1]
    ones = jnp.broadcast_to(jnp.eye(n, dtype=p.dtype)[:, :-1], (*lead, n, n - 1))
    w = eigvals(jnp.concatenate([(-p[..., 1:] / p[..., :1])[..., None], ones], -1), more, device, check)
    return w.astype(TYPES[COMPLEX[letter]])


# Derivatives of Hermitian matrices: dw = diag(V^H dA V), dV = V (F o (V^H dA V)).


def seen_from(v, x):
    """V^H X V for the Hermitian part of X, as jax.numpy.linalg.eigh's with symmetrize_input."""
    return times(adjoint(v), times((x + adjoint(x)) / 2, v))


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
    dw = jnp.diagonal(inner, axis1=-2, axis2=-1).real.astype(w.dtype)
    return (w, v, info), (dw, times(v, divided(inner, w)), no_tangent(info))


def places(which, a):
    """The places of a range by index among all eigenvalues."""
    _, il, iu, _, _ = _families.chosen(which, a.shape[-1])
    return slice(il - 1, iu) if il else slice(None)


def eigvalsh(a, uplo, which, more, device, check):
    elsewhere(device)
    if more != PLAIN or which[0] == "V" or not targets():
        return by_dlpack("eigvalsh", [a], uplo, which, more, None, check)
    upper = uplo in "Uu"
    a, letter = square(a, "sdcz")
    part = places(which, a)
    if a.size == 0:
        return jnp.zeros(a.shape[:-1], TYPES[REAL[letter]])[..., part]
    w, info = values(a, upper)
    examine(info, check)
    return w[..., part]


def eigh(a, uplo, which, more, device, check):
    elsewhere(device)
    if more != PLAIN or which[0] == "V" or not targets():
        return by_dlpack("eigh", [a], uplo, which, more, None, check)
    upper = uplo in "Uu"
    a, letter = square(a, "sdcz")
    part = places(which, a)
    if a.size == 0:
        return EighResult(jnp.zeros(a.shape[:-1], TYPES[REAL[letter]])[..., part], jnp.zeros(a.shape, a.dtype)[..., part])
    w, v, info = pairs(a, upper)
    examine(info, check)
    return EighResult(w[..., part], v[..., part])


def as_array(x, name):
    try:
        return jnp.asarray(x)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} is {shown(x)}: JAX makes no array of it") from error


def together(*arrays, letters="sd"):
    """Arrays, given with their names, in one type, and its letter."""
    taken = [take(as_array(x, name), name, letters)[0] for x, name in arrays]
    dtype = jnp.result_type(*taken)
    return [x.astype(dtype) for x in taken], LETTERS[dtype.char]


def tridiagonal(d, e, *more):
    """Diagonals, and other arrays given with their names, of one type; letter, order, leading dimensions."""
    (d, e, *more), letter = together((d, "d"), (e, "e"), *more)
    lead, n = _families.diagonals(d.shape, e.shape)
    return (jnp.broadcast_to(d, (*lead, n)), jnp.broadcast_to(e, (*lead, e.shape[-1])), *more), letter, n, lead


def eigvalsh_tridiagonal(d, e, which, check_finite, tol, bounds, more, device, check):
    elsewhere(device)
    if more != PLAIN or which[0] == "V" or not targets():
        arguments = which, check_finite, tol, bounds, more
        return by_dlpack("eigvalsh_tridiagonal", [d, e], *arguments, None, check)
    (d, e), letter, n, lead = tridiagonal(d, e)
    _, il, iu, _, _ = _families.chosen(which, n)
    shape = (*lead, iu - il + 1 if il else n)
    if d.size == 0:
        outputs = [jnp.zeros(shape, d.dtype)] * 3
    else:
        shapes = [(shape, letter)] * 3 + [(lead, "i")]
        limits = {"il": np.int64(il), "iu": np.int64(iu), "abstol": np.float64(tol)}
        *outputs, info = call("eigvalsh_tridiagonal", shapes, d, e, **limits)
        examine(info, check, fine=0 if check_finite else -1)
    return Bounds(*outputs) if bounds else outputs[0]


def eigh_tridiagonal(d, e, which, check_finite, more, device, check):
    elsewhere(device)
    if more != PLAIN or which[0] == "V" or not targets():
        return by_dlpack("eigh_tridiagonal", [d, e], which, check_finite, more, None, check)
    (d, e), letter, n, lead = tridiagonal(d, e)
    _, il, iu, _, _ = _families.chosen(which, n)
    shape = (*lead, iu - il + 1 if il else n)
    if d.size == 0:
        return EighResult(jnp.zeros(shape, d.dtype), jnp.zeros((*lead, n, shape[-1]), d.dtype))
    shapes = [(shape, letter), ((*shape, n), letter), (shape, "i")]
    w, z, info = call("eigh_tridiagonal", shapes, d, e, il=np.int64(il), iu=np.int64(iu))
    examine(info, check, "pair", 0 if check_finite else -1)
    return EighResult(w, jnp.swapaxes(z, -1, -2))


def sturm_count(d, e, x, more, device, check):
    elsewhere(device)
    if more != PLAIN or not targets():
        return by_dlpack("sturm_count", [d, e, x], more, None, check)
    (d, e, x), letter, n, lead = tridiagonal(d, e, (x, "x"))
    x = jnp.broadcast_to(x, _families.points_shape(lead, x.shape))
    if n == 0 or x.size == 0:
        return jnp.zeros(x.shape, jnp.int64)
    if not jax.config.jax_enable_x64:
        raise TypeError("counts are int64: set jax_enable_x64")
    count, info = call("sturm_count", [(x.shape, "l"), (lead, "i")], d, e, x)
    examine(info, check)
    return count


def eigvals_affine(a, x, measure, more, device, check):
    elsewhere(device)
    if more != PLAIN or not targets():
        return by_dlpack("eigvals_affine", [a, x], measure, more, None, check)
    (a, x), letter = together((a, "a"), (x, "x"), letters="sdcz")
    if a.ndim != 3 or a.shape[1] != a.shape[2] or x.ndim < 1 or x.shape[-1] != a.shape[0] - 1:
        raise ValueError(f"a must have shape (m+1, n, n) and x shape (..., m), have {a.shape} and {x.shape}")
    points, n = x.shape[:-1], a.shape[-1]
    count = _families.product(points)
    if n == 0 and measure is not None:
        raise ValueError(f"measure {measure!r} of matrices of order 0")
    shape, kind = ((), REAL[letter]) if measure else ((n,), COMPLEX[letter])
    if count == 0 or n == 0:
        return jnp.zeros((*points, *shape), TYPES[kind])
    result, info = call(
        "eigvals_affine", [((count, *shape), kind), ((count,), "i")], a, x.reshape(count, -1),
        vmap_method="expand_dims", measure=np.int64(_families.MEASURES[measure]),
    )  # fmt: skip
    examine(info, check)
    return result.reshape(*points, *shape)
