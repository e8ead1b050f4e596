"""PyTorch: each function is an operator (torch.ops.eigpack), so that vmap, compile and autograd know it.

Every operator takes matrices in leading dimensions; a dimension of vmap becomes the first of them.  Derivatives: eigvals, eig,
eigvalsh and eigh (_torch_derivatives); the others raise when one is asked for.
"""

import sys

import numpy as np
import torch

from torch.autograd import forward_ad

from . import _core, _direct, _families, _numpy, _torch_arrays
from ._arguments import shown
from ._families import ALL, PLAIN, Bounds, EighResult, EigResult, mapped
from ._numpy import COMPLEX, DOUBLE
from ._torch_arrays import HALVES, TYPES, convert, letter_of
from ._torch_derivatives import General, Opaque, Pairs, Values, is_differentiated

Tensor = torch.Tensor


def compute(name, tensors, *arguments, device=None, check=None):
    """A function of _families on tensors of one device: CUDA's in place, the CPU's as NumPy's arrays over the same memory."""
    kinds = {x.device for x in tensors}
    if len(kinds) != 1:
        raise ValueError(f"the tensors lie on several devices: {', '.join(sorted(map(str, kinds)))}")
    family = getattr(_families, name)
    if tensors[0].is_cuda:
        with torch.cuda.device(tensors[0].device):
            return family(_torch_arrays, *tensors, *arguments, device, check)
    if tensors[0].device.type != "cpu":
        raise TypeError(f"tensors on {tensors[0].device} are not served: the CPU's and CUDA's are")
    for x in tensors:
        letter_of(x, "a tensor", "sdcz")  # names types that NumPy does not know
    arrays = [x.detach().resolve_conj().resolve_neg().numpy() for x in tensors]
    result = family(_numpy, *arrays, *arguments, device, check)
    return mapped(lambda x: torch.from_numpy(np.asarray(x)), result)


def checked(check, *tensors):
    """Operators take a plain bool: the default is to raise for the CPU's tensors."""
    return not any(x.is_cuda for x in tensors) if check is None else check


# ---------------------------------------------------------------- operators
# device: where to compute the CPU's tensors, "" for where they lie.


@torch.library.custom_op("eigpack::eigvals", mutates_args=())
def op_eigvals(a: Tensor, device: str, check: bool) -> Tensor:
    return compute("eigvals", [a], PLAIN, device=device or None, check=check)


@op_eigvals.register_fake
def _(a, device, check):
    return a.new_empty(a.shape[:-1], dtype=TYPES[_numpy.COMPLEX[letter_of(a, "a", "sdcz")]])


@torch.library.custom_op("eigpack::eig", mutates_args=())
def op_eig(a: Tensor, left: bool, right: bool, device: str, check: bool) -> tuple[Tensor, Tensor, Tensor]:
    found = compute("eig", [a], left, right, PLAIN, device=device or None, check=check)
    w, *vectors = found if left or right else (found,)
    vl, vr = (vectors.pop(0).contiguous() if wanted else w.new_empty((*w.shape[:-1], 0, 0)) for wanted in (left, right))
    return w, vl, vr


@op_eig.register_fake
def _(a, left, right, device, check):
    w = a.new_empty(a.shape[:-1], dtype=TYPES[_numpy.COMPLEX[letter_of(a, "a", "sdcz")]])
    none = (*a.shape[:-2], 0, 0)
    return w, w.new_empty(a.shape if left else none), w.new_empty(a.shape if right else none)


@torch.library.custom_op("eigpack::eigvals_affine", mutates_args=())
def op_affine(a: Tensor, x: Tensor, measure: str, device: str, check: bool) -> Tensor:
    return compute("eigvals_affine", [a, x], measure or None, PLAIN, device=device or None, check=check)


@op_affine.register_fake
def _(a, x, measure, device, check):
    letter = _families.common(letter_of(a, "a", "sdcz"), letter_of(x, "x", "sdcz"))
    if measure:
        return a.new_empty(x.shape[:-1], dtype=TYPES[_numpy.REAL[letter]])
    return a.new_empty((*x.shape[:-1], a.shape[-1]), dtype=TYPES[_numpy.COMPLEX[letter]])


@torch.library.custom_op("eigpack::eigvalsh", mutates_args=())
def op_eigvalsh(a: Tensor, uplo: str, device: str, check: bool) -> Tensor:
    return compute("eigvalsh", [a], uplo, ALL, PLAIN, device=device or None, check=check)


@op_eigvalsh.register_fake
def _(a, uplo, device, check):
    return a.new_empty(a.shape[:-1], dtype=TYPES[_numpy.REAL[letter_of(a, "a", "sdcz")]])


@torch.library.custom_op("eigpack::eigh", mutates_args=())
def op_eigh(a: Tensor, uplo: str, device: str, check: bool) -> tuple[Tensor, Tensor]:
    w, v = compute("eigh", [a], uplo, ALL, PLAIN, device=device or None, check=check)
    return w, v.contiguous()


@op_eigh.register_fake
def _(a, uplo, device, check):
    letter = letter_of(a, "a", "sdcz")
    return a.new_empty(a.shape[:-1], dtype=TYPES[_numpy.REAL[letter]]), a.new_empty(a.shape, dtype=TYPES[letter])


def indices(low, high):
    """The range of these indices, from 0; all where high is below 0."""
    return ("I", (low, high), "select_range") if high >= 0 else ALL


@torch.library.custom_op("eigpack::eigvalsh_tridiagonal", mutates_args=())
def op_tridiagonal(
    d: Tensor, e: Tensor, low: int, high: int, check_finite: bool, tol: float, device: str, check: bool
) -> tuple[Tensor, Tensor, Tensor]:
    arguments = indices(low, high), check_finite, tol, True, PLAIN
    return tuple(compute("eigvalsh_tridiagonal", [d, e], *arguments, device=device or None, check=check))


@op_tridiagonal.register_fake
def _(d, e, low, high, check_finite, tol, device, check):
    letter = letter_of(d, "d", "sd")
    letter = letter if letter == letter_of(e, "e", "sd") else "d"
    shape = (*d.shape[:-1], high - low + 1 if high >= 0 else d.shape[-1])
    return tuple(d.new_empty(shape, dtype=TYPES[letter]) for _ in range(3))


@torch.library.custom_op("eigpack::eigh_tridiagonal", mutates_args=())
def op_tridiagonal_pairs(
    d: Tensor, e: Tensor, low: int, high: int, check_finite: bool, device: str, check: bool
) -> tuple[Tensor, Tensor]:
    arguments = indices(low, high), check_finite, PLAIN
    w, v = compute("eigh_tridiagonal", [d, e], *arguments, device=device or None, check=check)
    return w, v.contiguous()


@op_tridiagonal_pairs.register_fake
def _(d, e, low, high, check_finite, device, check):
    w = op_tridiagonal(d, e, low, high, check_finite, 0.0, device, check)[0]
    return w, w.new_empty((*d.shape, w.shape[-1]))


@torch.library.custom_op("eigpack::sturm_count", mutates_args=())
def op_count(d: Tensor, e: Tensor, x: Tensor, device: str, check: bool) -> Tensor:
    return compute("sturm_count", [d, e, x], PLAIN, device=device or None, check=check)


@op_count.register_fake
def _(d, e, x, device, check):
    return x.new_empty(x.shape, dtype=torch.int64)


# --------------------------------------------------------------------- vmap


def batch_all(op, tensors, outputs):
    """A vmap rule: every tensor among the first ``tensors`` arguments gets the new dimension in front."""

    def rule(info, in_dims, *arguments):
        moved = list(arguments)
        for i in range(tensors):
            x, dim = arguments[i], in_dims[i]
            moved[i] = x.movedim(dim, 0) if dim is not None else x.expand(info.batch_size, *x.shape)
        return op(*moved), 0 if outputs == 1 else (0,) * outputs

    op.register_vmap(rule)


batch_all(op_eigvals, 1, 1)
batch_all(op_eig, 1, 3)
batch_all(op_eigvalsh, 1, 1)
batch_all(op_eigh, 1, 2)
batch_all(op_tridiagonal, 2, 3)
batch_all(op_tridiagonal_pairs, 2, 2)
batch_all(op_count, 3, 1)


@op_affine.register_vmap
def _(info, in_dims, a, x, measure, device, check):
    if in_dims[0] is None:
        return op_affine(a, x.movedim(in_dims[1], 0), measure, device, check), 0
    a = a.movedim(in_dims[0], 0)
    x = x.movedim(in_dims[1], 0) if in_dims[1] is not None else x.expand(info.batch_size, *x.shape)
    return torch.stack([op_affine(b, y, measure, device, check) for b, y in zip(a, x)]), 0


op_eigvalsh.register_autograd(Values.backward, setup_context=Values.setup_context)
op_eigh.register_autograd(Pairs.backward, setup_context=Pairs.setup_context)
op_eig.register_autograd(General.backward, setup_context=General.setup_context)


def apply(function, operator, *arguments):
    """The function on arguments; under torch.compile the operator, which it knows better."""
    if torch.compiler.is_compiling():
        return operator(*arguments)
    return function.apply(*arguments) if function is not Opaque else Opaque.apply(operator._name, operator, *arguments)


# ---------------------------------------------------------------- functions


def as_tensors(*arrays):
    """Tensors beside the first tensor among them."""
    device = next(x.device for x in arrays if isinstance(x, Tensor))
    return [x if isinstance(x, Tensor) else as_tensor(x, device) for x in arrays]


def as_tensor(x, device):
    if isinstance(x, np.ndarray):  # PyTorch knows neither negative strides nor the other byte order
        x = np.array(x, x.dtype.newbyteorder("="), order="C")
    try:
        return torch.as_tensor(x, device=device)
    except (RuntimeError, TypeError, ValueError) as error:
        raise TypeError(f"one of the arrays is {shown(x)}: PyTorch makes no tensor of it") from error


def square(a):
    if a.dim() < 2 or a.shape[-1] != a.shape[-2]:
        _families.square(_torch_arrays, a, "a", "sdcz")


def direct(name, tensors, *arguments):
    """A function of _families without an operator, for what operators do not know; the last arguments are device and check."""
    *arguments, device, check = arguments
    made, work = [], compute
    if "torch._dynamo" in sys.modules:  # it would trace into frames that it resumes
        work = torch._dynamo.disable(compute)

    def call(*tensors):
        if any(map(torch._C._functorch.is_functorch_wrapped_tensor, tensors)):
            raise TypeError(f"eigpack.{name} with these arguments does not serve PyTorch's transforms (vmap, grad)")
        parts = []
        made.append(mapped(lambda x: parts.append(x) or len(parts) - 1, work(name, tensors, *arguments, device=device, check=check)))
        return tuple(parts)

    parts = Opaque.apply(name, call, *tensors)
    return mapped(lambda k: parts[k], made[-1])


def eigvals(a, more, device, check):
    square(a)
    if more != PLAIN:
        return direct("eigvals", [a], more, device, check)
    if is_differentiated(a):  # eigenvalues in the order of their vectors
        return apply(General, op_eig, a, False, True, device or "", checked(check, a))[0]
    return apply(Opaque, op_eigvals, a, device or "", checked(check, a))


def eig(a, left, right, more, device, check):
    square(a)
    if more != PLAIN or not is_watched(a, _letters.get(a.dtype)):
        return direct("eig", [a], left, right, more, device, check)
    if not left and not right:
        return eigvals(a, more, device, check)
    w, vl, vr = apply(General, op_eig, a, left, right, device or "", checked(check, a))
    if left:
        return (w, vl, vr) if right else (w, vl)
    return EigResult(w, vr)


def schur(a, output, more, device, check):
    square(a)
    return direct("schur", [a], output, more, device, check)


def roots(p, more, device, check):
    if more != PLAIN or p.dim() < 1 or p.shape[-1] < 1 or p.numel() == 0 or p.shape[-1] == 1:
        return direct("roots", [p], more, device, check)
    letter = letter_of(p, "p", "sdcz")
    p = p.to(TYPES[DOUBLE[letter]])  # as _families.roots does
    n, lead = p.shape[-1] - 1, p.shape[:-1]
    ones = torch.eye(n, dtype=p.dtype, device=p.device)[:, :-1].expand(*lead, n, n - 1)
    w = eigvals(torch.cat([(-p[..., 1:] / p[..., :1]).unsqueeze(-1), ones], -1), more, device, check)
    return w.to(TYPES[COMPLEX[letter]])


def eigvals_affine(a, x, measure, more, device, check):
    a, x = as_tensors(a, x)
    if more != PLAIN:
        return direct("eigvals_affine", [a, x], measure, more, device, check)
    return apply(Opaque, op_affine, a, x, measure or "", device or "", checked(check, a, x))


def eigvalsh(a, uplo, which, more, device, check):
    square(a)
    if more != PLAIN or which[0] == "V":
        return direct("eigvalsh", [a], uplo, which, more, device, check)
    w = apply(Values, op_eigvalsh, a, uplo, device or "", checked(check, a))
    return w[..., part(which, a)] if which[0] == "I" else w


def eigh(a, uplo, which, more, device, check):
    square(a)
    if more != PLAIN or which[0] == "V":
        return direct("eigh", [a], uplo, which, more, device, check)
    w, v = apply(Pairs, op_eigh, a, uplo, device or "", checked(check, a))
    return EighResult(w[..., part(which, a)], v[..., part(which, a)]) if which[0] == "I" else EighResult(w, v)


def part(which, a):
    """The places of a range by index among all eigenvalues."""
    _, il, iu, _, _ = _families.chosen(which, a.shape[-1])
    return slice(il - 1, iu)


def eigvalsh_tridiagonal(d, e, which, check_finite, tol, bounds, more, device, check):
    d, e, n = tridiagonal(*as_tensors(d, e))
    kind, il, iu, _, _ = _families.chosen(which, n)
    if kind == "V" or more != PLAIN:  # no fixed size, no operator
        return direct("eigvalsh_tridiagonal", [d, e], which, check_finite, tol, bounds, more, device, check)
    check = checked(check, d, e)
    result = apply(Opaque, op_tridiagonal, d, e, il - 1, iu - 1, check_finite, tol, device or "", check)
    return Bounds(*result) if bounds else result[0]


def eigh_tridiagonal(d, e, which, check_finite, more, device, check):
    d, e, n = tridiagonal(*as_tensors(d, e))
    kind, il, iu, _, _ = _families.chosen(which, n)
    if kind == "V" or more != PLAIN:
        return direct("eigh_tridiagonal", [d, e], which, check_finite, more, device, check)
    check = checked(check, d, e)
    return EighResult(*apply(Opaque, op_tridiagonal_pairs, d, e, il - 1, iu - 1, check_finite, device or "", check))


def tridiagonal(d, e):
    """The diagonals with their leading dimensions broadcast, and the order."""
    lead, n = _families.diagonals(tuple(d.shape), tuple(e.shape))
    return d.expand(*lead, n), e.expand(*lead, e.shape[-1]), n


def sturm_count(d, e, x, more, device, check):
    d, e, x = as_tensors(d, e, x)
    d, e, _ = tridiagonal(d, e)
    x = x.expand(_families.points_shape(tuple(d.shape[:-1]), tuple(x.shape)))
    if more != PLAIN:
        return direct("sturm_count", [d, e, x], more, device, check)
    return op_count(d, e, x, device or "", checked(check, d, e, x))


# --------------------------------------------------------------- short path
# What an operator costs: some 100 us of dispatch, autograd and inspect.signature.  An eager call that no transform watches has
# no need of it: no derivative, no transform, no compiler, no mode, no capture.

_empty_like, _letters = torch.empty_like, _torch_arrays.LETTERS
_raw_stream, _is_capturing = getattr(torch._C, "_cuda_getCurrentRawStream", None), torch.cuda.is_current_stream_capturing
_watchers = (
    torch._C._functorch.peek_interpreter_stack, torch._C._len_torch_dispatch_stack, torch._C._get_tracing_state,
    torch._C._is_torch_function_mode_enabled,
)  # fmt: skip


def is_watched(a, letter):
    """Whether a transform has to see the operator, or a, of this letter's type, is not a packed tensor of its own memory."""
    transforms, modes, tracer, functions = _watchers
    return (
        torch.compiler.is_compiling()
        or transforms() is not None
        or modes() != 0
        or tracer() is not None
        or functions()
        or forward_ad._current_level >= 0
        or (a.requires_grad and torch.is_grad_enabled())
        or a.layout is not torch.strided
        or not a.is_contiguous()
        or (letter not in _direct.REALS and a.is_conj())
        or a.is_neg()
    )


def at_once(what, a, upper):
    """The short path of a tensor, for _direct."""
    letter = _letters.get(a.dtype)
    if letter is None or is_watched(a, letter):
        return None
    shape, numbers = tuple(a.shape), a.numel()
    if len(shape) < 2 or shape[-1] != shape[-2] or numbers == 0:
        return None
    n, on_gpu = shape[-1], a.is_cuda
    batch = numbers // (n * n)
    if on_gpu:
        if _is_capturing():
            return None
    elif not a.is_cpu:
        return None
    # Extents as arguments of their own, and the type and the place of a: a torch.Size and a device take a microsecond longer.
    if what != "g" and letter in _direct.REALS:
        w = a.new_empty(*shape[:-1])
    else:
        w = a.new_empty(*shape[:-1], dtype=TYPES[(_numpy.COMPLEX if what == "g" else _numpy.REAL)[letter]])
    v = _empty_like(a) if what == "v" else None
    outputs = w.data_ptr(), 0 if v is None else v.data_ptr()
    if on_gpu:
        index = a.device.index
        if not _core.plain_device(what, letter, upper, index, _raw_stream(index), n, batch, a.data_ptr(), *outputs):
            return None
    else:
        failed = _core.plain_host(what, letter, upper, n, batch, a.data_ptr(), 0, *outputs)
        if failed is not None:
            raise _families.error_of(failed, batch)
    return w if v is None else _direct.pair(w, v)


_direct.SERVED[Tensor] = at_once
