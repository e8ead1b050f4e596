function [Q, T] = pageschur(X, varargin)
% PAGESCHUR  Schur forms of every page of an array
%
%   [Q, T] = PAGESCHUR(X): X(:,:,k) = Q(:,:,k) * T(:,:,k) * Q(:,:,k)' for every k.  X is n x n x ..., real or complex, double or
%   single; Q and T are of the same size and class.  Q(:,:,k) is orthogonal or unitary.  T(:,:,k) is upper triangular; of real X
%   it is real, with 2 x 2 blocks of complex pairs on the diagonal: equal diagonal entries, the others of opposite signs.
%   T = PAGESCHUR(X) gives T alone.
%
%   PAGESCHUR(X, 'complex') makes complex forms of real pages: T is triangular.
%
%   PAGESCHUR(..., 'device', NAME, 'threads', NUMBER): see pageeig.  The device is a CPU.
%
%   A page with a NaN or an infinity is the error eigpack:notFinite.
%
%   Example:
%     [Q, T] = pageschur(randn(10, 10, 1000));
%
%   See also schur, pageeig.
  [rest, settings] = take_settings(varargin);
  if nargin < 1 || numel(rest) > 1
    error('eigpack:badArgument', 'eigpack: pageschur takes an array, and ''complex''');
  end
  if ~isempty(rest)
    if ~any(strcmpi(rest{1}, {'real', 'complex'}))
      error('eigpack:badArgument', 'eigpack: Schur forms are ''real'' or ''complex''');
    end
    if strcmpi(rest{1}, 'complex') && isfloat(X)
      X = complex(X);
    end
  end
  if nargout > 1
    [Q, T] = eigpack_gateway('schur', X, settings{:});
    T = reshape(T, size(X));
  else
    Q = eigpack_gateway('form', X, settings{:});
  end
  Q = reshape(Q, size(X));
end

%!function check_forms(X, Q, T)
%!  n = size(X, 1);
%!  for k = 1:size(X(:, :, :), 3)
%!    A = X(:, :, k);
%!    q = Q(:, :, k);
%!    t = T(:, :, k);
%!    assert(norm(A - q * t * q', 'fro') <= 10 * n * eps(class(X)) * norm(A, 'fro'));
%!    assert(norm(q' * q - eye(n), 'fro') <= 10 * n * eps(class(X)));
%!    assert(tril(t, -2) == 0);
%!    below = find(t(2:n + 1:end));
%!    assert(all(diff(below) > 1));
%!    for l = below
%!      assert(t(l, l) == t(l + 1, l + 1) && t(l, l + 1) * t(l + 1, l) < 0);
%!    end
%!  end
%!endfunction
%!test <*products, orthogonality, form>
%! for kind = {'real', 'complex'}
%!   for type = {'double', 'single'}
%!     for n = [1, 2, 3, 9, 40, 70]
%!       randn('state', 5);
%!       X = randn(n, n, 3);
%!       if strcmp(kind, 'complex')
%!         X = X + 1i * randn(size(X));
%!       end
%!       X = cast(X, type{1});
%!       [Q, T] = pageschur(X);
%!       assert(class(Q), type{1});
%!       assert(class(T), type{1});
%!       assert(isreal(T), strcmp(kind{1}, 'real'));
%!       assert(isreal(Q) || strcmp(kind{1}, 'complex'));
%!       check_forms(X, Q, T);
%!       assert(pageschur(X), T);
%!       assert(pageschur(X, 'threads', 1), T);
%!     end
%!   end
%! end
%!test <*complex forms of real pages>
%! randn('state', 6);
%! X = randn(8, 8, 4);
%! [Q, T] = pageschur(X, 'complex');
%! check_forms(X, Q, T);
%! for k = 1:4
%!   assert(istriu(T(:, :, k)));
%!   assert(sort(abs(diag(T(:, :, k)))), sort(abs(eig(X(:, :, k)))), 1e-12);
%! end
%! [Q2, T2] = pageschur(complex(X));
%! assert(isequal(Q, Q2) && isequal(T, T2));
%! [Q, T] = pageschur(X, 'real', 'device', 'cpu');
%! assert(isreal(T));
%!test <*a rotation and a defective page stay as they are>
%! X = cat(3, [0, 1; -1, 0], [2, 1; 0, 2]);
%! [Q, T] = pageschur(X);
%! assert(T, X);
%! assert(Q, cat(3, eye(2), eye(2)));
%!test <*shapes>
%! [Q, T] = pageschur(zeros(3, 3, 2, 5));
%! assert(size(Q), [3, 3, 2, 5]);
%! assert(size(T), [3, 3, 2, 5]);
%! [Q, T] = pageschur(zeros(0, 0, 4));
%! assert(size(Q), [0, 0, 4]);
%! assert(size(pageschur(zeros(3, 3, 0))), [3, 3, 0]);
%!error id=eigpack:notFinite pageschur(cat(3, eye(2), [1, NaN; 2, 3]))
%!error id=eigpack:badClass pageschur(int32([1, 2; 3, 4]))
%!error id=eigpack:badClass pageschur(int32([1, 2; 3, 4]), 'complex')
%!error id=eigpack:badSize pageschur(ones(2, 3))
%!error id=eigpack:badArgument pageschur(1, 'triangular')
%!error id=eigpack:badArgument pageschur(1, 'real', 'complex')
%!error id=eigpack:badArgument pageschur()
