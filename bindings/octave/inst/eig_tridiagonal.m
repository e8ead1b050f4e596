function [V, w] = eig_tridiagonal(d, e, varargin)
% EIG_TRIDIAGONAL  Eigenvalues and eigenvectors of symmetric tridiagonal matrices, all or some
%
%   w = EIG_TRIDIAGONAL(d, e) computes the eigenvalues, ascending, of the matrix with the diagonal d and the
%   off-diagonal e: diag(d) + diag(e, 1) + diag(e, -1).  Both are vectors, of n and n-1 numbers, real, double or single.
%   With d of n x m and e of n-1 x m numbers, n > 1, each column is a matrix, and w is n x m.
%
%   [V, w] = EIG_TRIDIAGONAL(d, e) computes eigenvectors too: column V(:,k) belongs to w(k).  For m matrices V is
%   n x n x m.
%
%   EIG_TRIDIAGONAL(d, e, 'index', [first, last]) computes the eigenvalues of these indices, from 1, inclusive;
%   EIG_TRIDIAGONAL(d, e, 'value', [low, high]) those in (low, high], of one matrix.
%
%   EIG_TRIDIAGONAL(..., 'device', NAME, 'threads', NUMBER): see pageeig.
%
%   Values alone come from bisection, with vectors from relatively robust representations (MRRR).  A NaN or an infinity
%   in d or e is the error eigpack:notFinite.
%
%   Example:
%     n = 100000;
%     w = eig_tridiagonal(2 * ones(n, 1), -ones(n - 1, 1), 'index', [1, 10]);
%
%   See also eig, eig_counts, eig_enclosures, pageeig.
  if nargin < 2
    error('eigpack:badArgument', 'eigpack: eig_tridiagonal takes d and e, and ''index'' or ''value'' with two ends');
  end
  [rest, settings] = take_settings(varargin);
  [range, ends] = read_range('eig_tridiagonal', rest);
  if nargout < 2
    V = eigpack_gateway('stebz', d, e, range, ends, settings{:});
  else
    [w, V] = eigpack_gateway('stemr', d, e, range, ends, settings{:});
  end
end

%!function check_pairs(d, e, V, w)
%!  n = numel(d);
%!  T = diag(d) + diag(e, 1) + diag(e, -1);
%!  assert(norm(T * V - V * diag(w), Inf) <= 20 * n * eps(class(d)) * max(norm(T, Inf), 1));
%!  assert(norm(V' * V - eye(columns(V)), Inf) <= 20 * n * eps(class(d)) * n);
%!endfunction

%!test <*a known spectrum>
%! for type = {'double', 'single'}
%!   for n = [1, 2, 3, 50, 500]
%!     d = 2 * ones(n, 1, type{1});
%!     e = -ones(n - 1, 1, type{1});
%!     truth = 2 - 2 * cos((1:n)' * pi / (n + 1));
%!     w = eig_tridiagonal(d, e);
%!     assert(class(w), type{1});
%!     assert(double(w), truth, 16 * eps(type{1}));
%!     assert(eig_tridiagonal(d', e'), w);
%!     [V, w] = eig_tridiagonal(d, e);
%!     assert(double(w), truth, 32 * eps(type{1}));
%!     check_pairs(d, e, V, w);
%!   end
%! end
%!test <*ranges>
%! randn('state', 2);
%! d = randn(80, 1);
%! e = randn(79, 1);
%! w = eig_tridiagonal(d, e);
%! assert(eig_tridiagonal(d, e, 'index', [5, 9]), w(5:9), 1e-14);
%! low = (w(10) + w(11)) / 2;
%! high = (w(20) + w(21)) / 2;
%! assert(eig_tridiagonal(d, e, 'value', [low, high]), w(11:20), 1e-14);
%! assert(size(eig_tridiagonal(d, e, 'value', [1e3, 1e4])), [0, 1]);
%! assert(eig_tridiagonal(d, e, 'value', [-Inf, Inf]), w, 1e-14);
%! [V, some] = eig_tridiagonal(d, e, 'index', [5, 9]);
%! assert(size(V), [80, 5]);
%! assert(some, w(5:9), 1e-14);
%! check_pairs(d, e, V, some);
%! [V, some] = eig_tridiagonal(d, e, 'value', [low, high]);
%! assert(some, w(11:20), 1e-14);
%! check_pairs(d, e, V, some);
%! [V, some] = eig_tridiagonal(d, e, 'value', [1e3, 1e4]);
%! assert(size(V), [80, 0]);
%! assert(size(some), [0, 1]);
%!test <*many matrices>
%! randn('state', 4);
%! d = randn(20, 7);
%! e = randn(19, 7);
%! w = eig_tridiagonal(d, e);
%! part = eig_tridiagonal(d, e, 'index', [2, 4]);
%! [V, all] = eig_tridiagonal(d, e);
%! assert(size(w), [20, 7]);
%! assert(size(part), [3, 7]);
%! assert(size(V), [20, 20, 7]);
%! for k = 1:7
%!   assert(w(:, k), eig(diag(d(:, k)) + diag(e(:, k), 1) + diag(e(:, k), -1)), 1e-13);
%!   assert(part(:, k), w(2:4, k), 1e-14);
%!   check_pairs(d(:, k), e(:, k), V(:, :, k), all(:, k));
%! end
%!test <*empty>
%! assert(size(eig_tridiagonal(zeros(0, 1), [])), [0, 1]);
%! assert(isempty(eig_tridiagonal([], [])));
%! assert(size(eig_tridiagonal(zeros(3, 0), zeros(2, 0))), [3, 0]);
%! [V, w] = eig_tridiagonal(zeros(0, 1), []);
%! assert(size(V), [0, 0]);
%! assert(size(w), [0, 1]);
%! [V, w] = eig_tridiagonal(zeros(3, 0), zeros(2, 0));
%! assert(size(V), [3, 3, 0]);
%! assert(size(w), [3, 0]);
%!test <*a batch of pairs has the bits of one matrix>
%! randn('state', 6);
%! d = randn(30, 5);
%! e = randn(29, 5);
%! [V, w] = eig_tridiagonal(d, e, 'index', [3, 7]);
%! for k = 1:5
%!   [Vk, wk] = eig_tridiagonal(d(:, k), e(:, k), 'index', [3, 7], 'threads', 1);
%!   assert(V(:, :, k), Vk);
%!   assert(w(:, k), wk);
%! end
%!test <*threads change nothing>
%! randn('state', 7);
%! d = randn(3000, 1);
%! e = randn(2999, 1);
%! w = eig_tridiagonal(d, e);
%! assert(eig_tridiagonal(d, e, 'threads', 1), w);
%! assert(eig_tridiagonal(d, e, 'Threads', 3, 'index', [5, 9], 'device', 'cpu'), w(5:9));
%!error <first is matrix 2: the input holds> [V, w] = eig_tridiagonal([1, 1; 1, NaN], [1, 1]);
%!error id=eigpack:badSize eig_tridiagonal(1:3, 1:3)
%!error <^eigpack: e is 1 x 1, and must be 2 x 1> eig_tridiagonal(1:3, 1)
%!error id=eigpack:badSize eig_tridiagonal(ones(3, 2), ones(2, 1))
%!error id=eigpack:badSize [V, w] = eig_tridiagonal(ones(3, 2), ones(2, 1));
%!error id=eigpack:badSize eig_tridiagonal(ones(3, 2, 2), ones(2, 2, 2))
%!error id=eigpack:badClass eig_tridiagonal(int8(1:3), 1:2)
%!error id=eigpack:badClass eig_tridiagonal(single(1:3), 1:2)
%!error id=eigpack:badClass eig_tridiagonal(1:3, sparse(1:2))
%!error <^eigpack: d is complex> eig_tridiagonal([1i, 2], 1)
%!error id=eigpack:notFinite eig_tridiagonal([1, NaN], 1)
%!error id=eigpack:notFinite [V, w] = eig_tridiagonal([1, 2], Inf);
%!error id=eigpack:notFinite eig_tridiagonal([1, NaN], 1, 'value', [0, 1])
%!error id=eigpack:badArgument eig_tridiagonal(1:3, 1:2, 'index', [0, 2])
%!error id=eigpack:badArgument eig_tridiagonal(1:3, 1:2, 'index', [1, 4])
%!error <^eigpack: stebz: > eig_tridiagonal(1:3, 1:2, 'index', [1, 4])
%!error id=eigpack:badArgument [V, w] = eig_tridiagonal(1:3, 1:2, 'index', [3, 2]);
%!error <^eigpack: the ends of a range by index must be whole numbers$> eig_tridiagonal(1:3, 1:2, 'index', [1, NaN])
%!error <^eigpack: a range has two ends> eig_tridiagonal(1:3, 1:2, 'index', 1)
%!error id=eigpack:badArgument eig_tridiagonal(1:3, 1:2, 'value', [2, 1])
%!error id=eigpack:badArgument eig_tridiagonal(1:3, 1:2, 'value', [NaN, 1])
%!error id=eigpack:badArgument eig_tridiagonal(ones(3, 2), ones(2, 2), 'value', [0, 1])
%!error id=eigpack:badArgument eig_tridiagonal(1:3, 1:2, 'all', [0, 1])
%!error id=eigpack:badArgument eig_tridiagonal(1:3)
