function [V, D, W] = pageeig(X, varargin)
% PAGEEIG  Eigenvalues and eigenvectors of every page of an array
%
%   E = PAGEEIG(X) computes the eigenvalues of X(:,:,k) for every k.  X is n x n x ..., real or complex, double or
%   single; E is n x 1 x ..., of the same class, and complex only where an eigenvalue is.
%
%   [V, D] = PAGEEIG(X) computes eigenvectors too: X(:,:,k) * V(:,:,k) = V(:,:,k) * D(:,:,k).  Their 2-norms are 1; of
%   a page that is not Hermitian (real: symmetric) the largest element of a vector is positive, and a page that is
%   defective has vectors that nearly agree.  [V, D, W] = PAGEEIG(X) adds left eigenvectors: W(:,:,k)' * X(:,:,k) =
%   D(:,:,k) * W(:,:,k)'; those of Hermitian pages are V.
%
%   PAGEEIG(..., FORM) gives eigenvalues as columns ('vector') or as diagonal matrices ('matrix').
%
%   PAGEEIG(..., 'device', NAME) computes on 'cpu', which is the default, on 'cuda' or 'cuda:1', a GPU, on 'cuda:all',
%   all GPUs, or on 'auto', a GPU where one answers.  PAGEEIG(..., 'threads', NUMBER) takes NUMBER threads of the CPU;
%   0, the default, is as many as there are.  Results do not depend on threads.  PAGEEIG(..., 'same_bits', true): on a
%   GPU, as always on a CPU, a matrix has the same bits alone and in a batch of any size; few matrices can then take
%   longer.
%
%   Eigenvalues of Hermitian pages ascend.  Those of others come in LAPACK's order.  A page with a NaN or an infinity is
%   the error eigpack:notFinite.
%
%   Example:
%     X = randn(10, 10, 200000);
%     E = pageeig(X);
%
%   See also eig, eig_affine, eig_tridiagonal.
  if nargin == 1 && nargout < 2
    V = eigpack_gateway('values', X);
    return;
  end
  [rest, settings] = take_settings(varargin);
  if nargin < 1 || numel(rest) > 1
    error('eigpack:badArgument', 'eigpack: pageeig takes an array, and ''vector'' or ''matrix''');
  end
  if ~isempty(rest)
    form = rest{1};
  elseif nargout > 1
    form = 'matrix';
  else
    form = 'vector';
  end
  if ~any(strcmpi(form, {'vector', 'matrix'}))
    error('eigpack:badArgument', 'eigpack: the form of eigenvalues is ''vector'' or ''matrix''');
  end
  n = size(X, 1);
  more = size(X);
  more = more(3:end);
  if nargout > 1
    hermitian = eigpack_gateway('hermitian', X, settings{:});
    if all(hermitian)
      [w, V] = eigpack_gateway('heev', X, settings{:});
      W = V;
    else
      [w, V, W] = eigpack_gateway('geev', X, settings{:});
      if any(hermitian)
        [w(:, hermitian), V(:, :, hermitian)] = eigpack_gateway('heev', X(:, :, hermitian), settings{:});
        W(:, :, hermitian) = V(:, :, hermitian);
      end
    end
    V = reshape(V, [n, n, more]);
    W = reshape(W, [n, n, more]);
  else
    w = eigpack_gateway('values', X, settings{:});
  end
  if strcmpi(form, 'vector')
    D = reshape(w, [n, 1, more]);
  else
    D = zeros([n, n, more], class(w));
    D(bsxfun(@plus, (1:n + 1:n * n)', (0:prod(more) - 1) * n * n)) = w;
  end
  if nargout < 2
    V = D;
  end
end

%!function check_pairs(X, V, D)
%!  n = size(X, 1);
%!  for k = 1:size(X(:, :, :), 3)
%!    A = X(:, :, k);
%!    assert(isdiag(D(:, :, k)));
%!    assert(norm(A * V(:, :, k) - V(:, :, k) * D(:, :, k)) <= 20 * n * eps(class(X)) * norm(A));
%!    assert(norm(V(:, :, k)' * V(:, :, k) - eye(n)) <= 20 * n * eps(class(X)));
%!  end
%!endfunction
%!function X = hermitian_pages(n, batch, kind, type)
%!  rand('state', 7); randn('state', 7);
%!  X = randn([n, n, batch]);
%!  if strcmp(kind, 'complex')
%!    X = X + 1i * randn(size(X));
%!  end
%!  X = cast(X, type);
%!  X = X + conj(permute(X, [2, 1, 3:max(3, ndims(X))]));
%!endfunction

%!test <*values against eig, nonsymmetric>
%! for type = {'double', 'single'}
%!   randn('state', 1);
%!   for n = [1, 2, 3, 10, 33, 70]
%!     X = cast(randn(n, n, 5), type{1});
%!     E = pageeig(X);
%!     assert(class(E), type{1});
%!     assert(size(E), [n, 1, 5]);
%!     for k = 1:5
%!       ours = E(:, 1, k);
%!       theirs = eig(X(:, :, k));
%!       for j = 1:n
%!         [gap, at] = min(abs(theirs - ours(j)));
%!         assert(gap <= 1e4 * n * eps(type{1}));
%!         theirs(at) = Inf;
%!       end
%!     end
%!   end
%! end
%!test <*pairs of Hermitian pages>
%! for kind = {'real', 'complex'}
%!   for type = {'double', 'single'}
%!     for n = [1, 2, 8, 40]
%!       X = hermitian_pages(n, 4, kind{1}, type{1});
%!       [V, D, W] = pageeig(X);
%!       assert(class(V), type{1});
%!       assert(isreal(D));
%!       assert(isequal(V, W));
%!       check_pairs(X, V, D);
%!       E = pageeig(X);
%!       for k = 1:4
%!         assert(E(:, 1, k), eig(X(:, :, k)), 50 * n * eps(type{1}) * norm(X(:, :, k)));
%!         assert(all(diff(E(:, 1, k)) >= 0));
%!       end
%!     end
%!   end
%! end
%!test <*pairs of other pages, real and complex>
%! for kind = {'real', 'complex'}
%!   for type = {'double', 'single'}
%!     for n = [1, 2, 8, 40, 70]
%!       randn('state', 11);
%!       X = randn(n, n, 3);
%!       if strcmp(kind, 'complex')
%!         X = X + 1i * randn(size(X));
%!       end
%!       X(:, :, 2) = X(:, :, 2) + X(:, :, 2)';
%!       X = cast(X, type{1});
%!       [V, D, W] = pageeig(X);
%!       assert(class(V), type{1});
%!       assert(class(W), type{1});
%!       for k = 1:3
%!         A = X(:, :, k);
%!         tolerance = 20 * n * eps(type{1}) * norm(A);
%!         assert(norm(A * V(:, :, k) - V(:, :, k) * D(:, :, k)) <= tolerance);
%!         assert(norm(W(:, :, k)' * A - D(:, :, k) * W(:, :, k)') <= tolerance);
%!         assert(sqrt(sum(abs(V(:, :, k)) .^ 2)), ones(1, n, type{1}), 20 * n * eps(type{1}));
%!       end
%!       assert(V(:, :, 2), W(:, :, 2));
%!       [V1, D1] = pageeig(X(:, :, 2));
%!       assert(V(:, :, 2), V1, 0);
%!       E = pageeig(X);
%!       assert(sort(abs(E(:, :, 3))), sort(abs(eig(X(:, :, 3)))), 1e4 * n * eps(type{1}));
%!     end
%!   end
%! end
%!test <*a defective page>
%! [V, D] = pageeig([2, 1; 0, 2]);
%! assert(diag(D), [2; 2]);
%! assert(abs(V(1, :)), [1, 1], 4 * eps);
%!test <*more dimensions, one page>
%! X = hermitian_pages(3, [4, 5], 'real', 'double');
%! [V, w] = pageeig(X, 'vector');
%! assert(size(V), [3, 3, 4, 5]);
%! assert(size(w), [3, 1, 4, 5]);
%! assert(w(:, :, 2, 3), pageeig(X(:, :, 2, 3)));
%! assert(size(pageeig(X, 'matrix')), [3, 3, 4, 5]);
%! assert(pageeig([2, 1; 1, 2]), [1; 3], 8 * eps);
%!test <*a mixture of pages, real and complex results>
%! X = cat(3, [2, 1; 1, 2], [0, 1; -1, 0], [1, 1; 0, 2]);
%! E = pageeig(X);
%! assert(E(:, :, 1), [1; 3], 8 * eps);
%! assert(E(:, :, 2), [1i; -1i], 8 * eps);
%! assert(sort(E(:, :, 3)), [1; 2], 8 * eps);
%! assert(pageeig(single(X)), single(E), 8 * eps('single'));
%! assert(size(pageeig(reshape(X(:, :, [1, 2, 3, 1, 2, 3]), [2, 2, 3, 1, 2]))), [2, 1, 3, 1, 2]);
%! assert(isreal(pageeig([1, 1; 0, 2])));
%! D = pageeig(X, 'matrix');
%! assert(D(:, :, 2), diag([1i, -1i]), 8 * eps);
%!test <*the same bits alone and in a batch; the input stays>
%! randn('state', 3);
%! X = randn(6, 6, 50);
%! before = X + 0;
%! E = pageeig(X);
%! for k = 1:50
%!   assert(E(:, :, k), pageeig(X(:, :, k)));
%! end
%! assert(X, before);
%!test <*empty arrays>
%! assert(size(pageeig(zeros(0, 0, 0))), [0, 1, 0]);
%! assert(size(pageeig([])), [0, 1]);
%! assert(size(pageeig(zeros(0, 0, 4))), [0, 1, 4]);
%! assert(size(pageeig(zeros(3, 3, 0))), [3, 1, 0]);
%! [V, D] = pageeig(complex(zeros(3, 3, 0)));
%! assert(size(V), [3, 3, 0]);
%! assert(size(D), [3, 3, 0]);
%! assert(class(pageeig(single(zeros(3, 3, 0)))), 'single');
%!test <*a call for many small pages and 200 more calls>
%! X = randn(4, 4, 2000);
%! for k = 1:200
%!   E = pageeig(X);
%! end
%! assert(size(E), [4, 1, 2000]);
%!test <*devices and threads>
%! randn('state', 9);
%! X = randn(5, 5, 300);
%! E = pageeig(X);
%! assert(pageeig(X, 'threads', 1), E);
%! assert(pageeig(X, 'device', 'cpu', 'vector'), E);
%! for device = {'auto', 'cpu', 'auto'}
%!   F = pageeig(X, 'device', device{1});
%!   assert(size(F), size(E));
%! end
%! assert(pageeig(X), E);
%! X = hermitian_pages(4, 3, 'complex', 'double');
%! assert(pageeig(X, 'same_bits', true), pageeig(X));
%! [V, D] = pageeig(X, 'threads', 1);
%! [V2, D2] = pageeig(X, 'threads', 2, 'matrix');
%! assert(isequal(V, V2) && isequal(D, D2));
%!test <*a GPU, where there is one>
%! randn('state', 9);
%! X = randn(5, 5, 300);
%! try
%!   E = pageeig(X, 'device', 'cuda');
%! catch failure
%!   assert(failure.identifier, 'eigpack:deviceFailure');
%!   E = pageeig(X);
%! end
%! assert(sort(abs(E(:, :, 7))), sort(abs(eig(X(:, :, 7)))), 1e-12);
%!error id=eigpack:deviceFailure pageeig(1, 'device', 'cuda:99')
%!error id=eigpack:badArgument pageeig(1, 'device', 'no such device')
%!error id=eigpack:badArgument pageeig(1, 'device', 3)
%!error id=eigpack:badArgument pageeig(1, 'threads', -1)
%!error id=eigpack:badArgument pageeig(1, 'threads', 1.5)
%!error id=eigpack:badArgument pageeig(1, 'threads', 'all')
%!error <same_bits is true or false> pageeig(1, 'same_bits', 'yes')
%!error <^eigpack: 'threads' is followed by its value$> pageeig(1, 'threads')
%!error <^eigpack: the pages of X are 2 x 3, and must be square$> pageeig(ones(2, 3))
%!error id=eigpack:badSize pageeig(ones(0, 2, 5))
%!error id=eigpack:badClass pageeig(int32([1, 2; 3, 4]))
%!error <^eigpack: X is logical, and must be> pageeig(true(2))
%!error <sparse double> pageeig(sparse(eye(2)))
%!error id=eigpack:badClass pageeig('abcd')
%!error id=eigpack:badClass pageeig({1})
%!error id=eigpack:notFinite pageeig(cat(3, eye(2), [1, NaN; 2, 3]))
%!error <^eigpack: 1 of 2 failed, the first is page 2: the input holds a NaN> pageeig(cat(3, eye(2), [1, NaN; NaN, 3]))
%!error id=eigpack:notFinite pageeig([1, 2i + NaN; 0, 1])
%!error id=eigpack:notFinite [V, D] = pageeig(single([1, Inf; Inf, 1]));
%!error id=eigpack:badArgument pageeig(1, 'columns')
%!error id=eigpack:badArgument pageeig()
