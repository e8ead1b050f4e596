function [w, lower, upper] = eig_enclosures(d, e, varargin)
% EIG_ENCLOSURES  Eigenvalues of symmetric tridiagonal matrices, each between two proven bounds
%
%   [w, lower, upper] = EIG_ENCLOSURES(d, e) computes the eigenvalues, ascending, of the matrix with the diagonal d and the
%   off-diagonal e, as EIG_TRIDIAGONAL does, and for each w(k) numbers lower(k) <= exact eigenvalue <= upper(k) that
%   Sturm counts prove.
%
%   Matrices in columns, 'index', 'value', 'device' and 'threads' are as for EIG_TRIDIAGONAL.
%
%   Example:
%     n = 1000;
%     [w, lower, upper] = eig_enclosures(2 * ones(n, 1), -ones(n - 1, 1), 'index', [1, 10]);
%
%   See also eig_counts, eig_tridiagonal.
  if nargin < 2
    error('eigpack:badArgument', 'eigpack: eig_enclosures takes d and e, and ''index'' or ''value'' with two ends');
  end
  [rest, settings] = take_settings(varargin);
  [range, ends] = read_range('eig_enclosures', rest);
  [w, lower, upper] = eigpack_gateway('enclosures', d, e, range, ends, settings{:});
end

%!test <*a known spectrum lies inside>
%! for type = {'double', 'single'}
%!   n = 50;
%!   d = 2 * ones(n, 1, type{1});
%!   e = -ones(n - 1, 1, type{1});
%!   truth = 2 - 2 * cos((1:n)' * pi / (n + 1));
%!   [w, lower, upper] = eig_enclosures(d, e);
%!   assert(class(upper), type{1});
%!   assert(all(double(lower) <= truth + 4 * eps & truth - 4 * eps <= double(upper)));
%!   assert(all(lower <= w & w <= upper));
%!   assert(all(upper - lower <= 64 * eps(type{1})));
%!   assert(w, eig_tridiagonal(d, e));
%! end
%!test <*ranges and many matrices>
%! randn('state', 2);
%! d = randn(40, 3);
%! e = randn(39, 3);
%! [w, lower, upper] = eig_enclosures(d, e, 'index', [5, 9], 'threads', 1);
%! assert(size(lower), [5, 3]);
%! for k = 1:3
%!   [all_w, all_lower, all_upper] = eig_enclosures(d(:, k), e(:, k));
%!   assert(w(:, k), all_w(5:9));
%!   assert(lower(:, k), all_lower(5:9));
%!   assert(upper(:, k), all_upper(5:9));
%!   middle = (all_w(1:39) + all_w(2:40)) / 2;
%!   [some, low, high] = eig_enclosures(d(:, k), e(:, k), 'value', middle([4, 9]));
%!   assert(some, w(:, k));
%!   assert(low, lower(:, k));
%!   assert(high, upper(:, k));
%! end
%!error id=eigpack:badArgument eig_enclosures(1:3)
%!error id=eigpack:badArgument eig_enclosures(1:3, 1:2, 'index')
%!error id=eigpack:notFinite eig_enclosures([1, NaN], 1)
