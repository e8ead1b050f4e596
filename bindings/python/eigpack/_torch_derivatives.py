"""PyTorch: the derivatives of eigenvalues and eigenvectors, by autograd, forward mode and torch.func.

Operators (torch.ops.eigpack, made by _torch) are not differentiated by torch.func: the functions here are.
"""

import torch
from torch.autograd import forward_ad

ops = torch.ops.eigpack
_functorch = torch._C._functorch


def is_differentiated(a):
    """Whether the caller takes a derivative through a."""
    if torch.compiler.is_compiling():
        return a.requires_grad and torch.is_grad_enabled()
    while _functorch.is_functorch_wrapped_tensor(a):
        if _functorch.is_gradtrackingtensor(a):
            return True
        a = _functorch.get_unwrapped(a)
    if a.requires_grad and torch.is_grad_enabled():
        return True
    return forward_ad._current_level >= 0 and forward_ad.unpack_dual(a).tangent is not None


def divided(x, w):
    """x[i, j] / (w[j] - w[i]), 0 on the diagonal."""
    gaps = w.unsqueeze(-2) - w.unsqueeze(-1)
    diagonal = torch.eye(w.shape[-1], dtype=torch.bool, device=w.device)
    return torch.where(diagonal, 0, x / gaps.masked_fill(diagonal, 1))


# ---------------------------------------------------------------- Hermitian
# Of a Hermitian A = V diag(w) V^H: dw = diag(V^H dA V), dV = V (F o (V^H dA V)), F[i, j] = 1/(w[j] - w[i]), 0 on the
# diagonal (M. Giles, Collected matrix derivative results for algorithmic differentiation, 2008).  The gradient is that in
# the space of Hermitian matrices, as torch.linalg.eigh's; of a tangent the Hermitian part counts.


def seen_from(v, x):
    """V^H X V for the Hermitian part of X."""
    return v.mH @ ((x + x.mH) / 2) @ v


class Values(torch.autograd.Function):
    """The eigenvalues of Hermitian matrices."""

    generate_vmap_rule = True

    @staticmethod
    def forward(a, uplo, device, check):
        return ops.eigvalsh(a, uplo, device, check)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0])
        ctx.save_for_forward(inputs[0])
        ctx.uplo, ctx.device = inputs[1], inputs[2]

    @staticmethod
    def backward(ctx, grad_w):
        (a,) = ctx.saved_tensors
        _, v = Pairs.apply(a, ctx.uplo, ctx.device, False)
        return (v * grad_w.unsqueeze(-2)) @ v.mH, None, None, None

    @staticmethod
    def jvp(ctx, tangent, *_):
        (a,) = ctx.saved_tensors
        _, v = Pairs.apply(a, ctx.uplo, ctx.device, False)
        return seen_from(v, tangent).diagonal(dim1=-2, dim2=-1).real


class Pairs(torch.autograd.Function):
    """The eigenpairs of the same."""

    generate_vmap_rule = True

    @staticmethod
    def forward(a, uplo, device, check):
        return ops.eigh(a, uplo, device, check)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*output)
        ctx.save_for_forward(*output)

    @staticmethod
    def backward(ctx, grad_w, grad_v):
        w, v = ctx.saved_tensors
        inner = torch.zeros_like(v) if grad_w is None else torch.diag_embed(grad_w).to(v.dtype)
        if grad_v is not None:
            inner = inner + divided(v.mH @ grad_v, w)
        return v @ inner @ v.mH, None, None, None

    @staticmethod
    def jvp(ctx, tangent, *_):
        w, v = ctx.saved_tensors
        inner = seen_from(v, tangent)
        return inner.diagonal(dim1=-2, dim2=-1).real, v @ divided(inner, w)


# ------------------------------------------------------------------ general
# Of A = V diag(w) V^-1, with P = V^-1 dA V: dw = diag(P), dV = U + V diag(c), U = V (F o P) with F as above.  A column v of
# V has the 2-norm 1 and one entry v_m that is real and positive: the first of those within 2^-10 of the largest.  Both stay so:
#     c = -re(v^H u) - i im(u_m) / v_m
# The left vectors Y of A are the right ones of A^H, with eigenvalues conj(w).
# V^-1 is formed: second derivatives through torch.linalg.solve are wrong in some releases (2.11 on a CPU, under torch.vmap;
# pytorch/pytorch issue 192540).


def pivots(v):
    """Where the entries v_m are: the first large one that is real and positive."""
    size = v.real.square() + v.imag.square()
    share = (1 - 2.0**-10) ** 2 * (1 - 64 * torch.finfo(size.dtype).eps)
    large = (v.imag == 0) & (v.real > 0) & (size >= share * size.amax(-2, keepdim=True))
    row = torch.arange(v.shape[-1], device=v.device).unsqueeze(-1)
    return row == torch.where(large, (v.shape[-1] + 1 - row).to(size.dtype), size).argmax(-2, keepdim=True)


def pushed(w, v, tangent):
    """dw and dV for dA."""
    inner = torch.linalg.inv_ex(v)[0] @ (tangent.to(v.dtype) @ v)
    at = pivots(v)
    u = v @ divided(inner, w)
    along = (v.conj() * u).sum(-2).real
    turn = torch.where(at, u, 0).sum(-2).imag / torch.where(at, v, 0).sum(-2).real
    return inner.diagonal(dim1=-2, dim2=-1), u - v * torch.complex(along, turn).unsqueeze(-2)


def pulled(w, v, grad_w, grad_v):
    """The gradient of A from those of w and V, either of which may be None."""
    inner = torch.zeros_like(v) if grad_w is None else torch.diag_embed(grad_w)
    if grad_v is not None:
        at = pivots(v)
        along = (v.conj() * grad_v).sum(-2)
        turn = along.imag / torch.where(at, v, 0).sum(-2).real
        free = grad_v - v * along.real.unsqueeze(-2) - torch.where(at, 1j * turn.unsqueeze(-2), 0)
        inner = inner + divided(v.mH @ free, w.conj())
    return torch.linalg.inv_ex(v)[0].mH @ (inner @ v.mH)


class General(torch.autograd.Function):
    """Eigenvalues, left and right eigenvectors of square matrices; what is not wanted is of order 0."""

    generate_vmap_rule = True

    @staticmethod
    def forward(a, left, right, device, check):
        return ops.eig(a, left, right, device, check)

    @staticmethod
    def setup_context(ctx, inputs, output):
        a, ctx.left, ctx.right = inputs[:3]
        ctx.is_complex, ctx.n = a.is_complex(), a.shape[-1]
        ctx.set_materialize_grads(False)  # where eigenvalues are equal, 0 / 0 of vectors that no caller uses
        ctx.save_for_backward(*output)
        ctx.save_for_forward(*output)

    @staticmethod
    def backward(ctx, grad_w, grad_vl, grad_vr):
        w, vl, vr = ctx.saved_tensors
        gradient = torch.zeros((*w.shape, ctx.n), dtype=w.dtype, device=w.device)
        if ctx.n and ctx.right:
            gradient = gradient + pulled(w, vr, grad_w, grad_vr)
        if ctx.n and ctx.left:
            of_w = None if ctx.right or grad_w is None else grad_w.conj()
            gradient = gradient + pulled(w.conj(), vl, of_w, grad_vl).mH
        return gradient if ctx.is_complex else gradient.real, None, None, None, None

    @staticmethod
    def jvp(ctx, tangent, *_):
        w, vl, vr = ctx.saved_tensors
        dw, dvl, dvr = torch.zeros_like(w), torch.zeros_like(vl), torch.zeros_like(vr)
        if ctx.n and ctx.left:
            dw, dvl = pushed(w.conj(), vl, tangent.mH)
            dw = dw.conj()
        if ctx.n and ctx.right:
            dw, dvr = pushed(w, vr, tangent)
        return dw, dvl, dvr


class Opaque(torch.autograd.Function):
    """call(*arguments), which has no derivative: raises where one is asked for, where an operator's tangent would be 0."""

    generate_vmap_rule = True

    @staticmethod
    def forward(name, call, *arguments):
        return call(*arguments)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.name = inputs[0]

    @staticmethod
    def backward(ctx, *gradients):
        raise RuntimeError(f"eigpack.{ctx.name} has no derivative, autograd cannot go through it: detach its input")

    jvp = backward
