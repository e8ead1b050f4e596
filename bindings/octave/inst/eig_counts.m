function c = eig_counts(d, e, x, varargin)
% EIG_COUNTS  How many eigenvalues of a symmetric tridiagonal matrix lie below each of some numbers
%
%   c = EIG_COUNTS(d, e, x): c(j) is the number of eigenvalues of the matrix with the diagonal d and the off-diagonal e
%   that are smaller than x(j), by a Sturm count, which takes n steps and computes no eigenvalue.  c has the shape
%   of x, which may hold infinities; d, e and x are of one class, double or single.
%
%   EIG_COUNTS(..., 'device', NAME, 'threads', NUMBER): see pageeig.
%
%   Example:
%     n = 1e6;
%     c = eig_counts(2 * ones(n, 1), -ones(n - 1, 1), [1, 2, 3]);
%
%   See also eig_enclosures, eig_tridiagonal.
  [rest, settings] = take_settings(varargin);
  if nargin < 3 || ~isempty(rest)
    error('eigpack:badArgument', 'eigpack: eig_counts takes d, e and x');
  end
  c = eigpack_gateway('counts', d, e, x, settings{:});
end

%!test <*against eigenvalues>
%! for type = {'double', 'single'}
%!   randn('state', 3);
%!   d = cast(randn(60, 1), type{1});
%!   e = cast(randn(59, 1), type{1});
%!   w = eig_tridiagonal(d, e);
%!   x = (w(1:59) + w(2:60)) / 2;
%!   assert(eig_counts(d, e, x), (1:59)');
%!   assert(eig_counts(d', e', x', 'threads', 1), 1:59);
%!   assert(eig_counts(d, e, cast([-Inf, Inf], type{1})), [0, 60]);
%!   assert(size(eig_counts(d, e, cast(zeros(2, 3, 4), type{1}))), [2, 3, 4]);
%! end
%! assert(eig_counts([1, 2, 3], [0, 0], [1, 2, 3, 4]), [0, 1, 2, 3]);
%! assert(size(eig_counts(1, [], zeros(0, 5))), [0, 5]);
%! assert(eig_counts(zeros(0, 1), [], [1, 2]), [0, 0]);
%!error id=eigpack:notFinite eig_counts([1, 2], 1, NaN)
%!error id=eigpack:notFinite eig_counts([1, Inf], 1, 0)
%!error id=eigpack:badClass eig_counts([1, 2], 1, single(0))
%!error id=eigpack:badSize eig_counts(ones(3, 2), ones(2, 2), 0)
%!error id=eigpack:badSize eig_counts(1:3, 1:3, 0)
%!error id=eigpack:notSupported eig_counts(1:3, 1:2, 1i)
%!error id=eigpack:badArgument eig_counts(1:3, 1:2)
%!error id=eigpack:badArgument eig_counts(1:3, 1:2, 0, 'index', [1, 2])
