function w = eig_affine(A, x, varargin)
% EIG_AFFINE  Eigenvalues of A0 + x1*A1 + ... + xm*Am at many points x
%
%   w = EIG_AFFINE(A, x): A is n x n x (m+1), its pages are A0 to Am; x is m x p, a point a column.  Column w(:,k) holds
%   the eigenvalues at point k.  A and x are real or complex, of one class, double or single; w is complex only where
%   an eigenvalue is.
%
%   v = EIG_AFFINE(A, x, MEASURE) gives one number a point, in a row:
%     'abscissa'  max(real(w)), negative where x' = A*x is stable
%     'radius'    max(abs(w)), below 1 where x(k+1) = A*x(k) is stable
%     'damping'   min(-real(w) ./ abs(w)), the least damping ratio; w = 0 counts as -1
%
%   EIG_AFFINE(..., 'device', NAME, 'threads', NUMBER): see pageeig.
%
%   A matrix that is not finite is the error eigpack:notFinite.
%
%   Example:
%     A = cat(3, [0, 1; -1, 0], [0, 0; 0, -1]);
%     v = eig_affine(A, linspace(0, 4, 1000), 'abscissa');
%
%   See also eig, pageeig.
  [rest, settings] = take_settings(varargin);
  if nargin < 2 || numel(rest) > 1
    error('eigpack:badArgument', 'eigpack: eig_affine takes matrices, points, and perhaps a measure');
  end
  letter = char(0);
  if ~isempty(rest)
    known = strcmpi(rest{1}, {'abscissa', 'radius', 'damping'});
    if ~any(known)
      error('eigpack:badArgument', 'eigpack: a measure is ''abscissa'', ''radius'' or ''damping''');
    end
    letters = 'ARD';
    letter = letters(known);
  end
  w = eigpack_gateway('affine', A, x, letter, settings{:});
end

%!test <*values and measures against eig>
%! for type = {'double', 'single'}
%!   randn('state', 5);
%!   A = cast(randn(5, 5, 3), type{1});
%!   x = cast(randn(2, 40), type{1});
%!   w = eig_affine(A, x);
%!   abscissa = eig_affine(A, x, 'abscissa');
%!   radius = eig_affine(A, x, 'radius');
%!   damping = eig_affine(A, x, 'damping');
%!   assert(size(w), [5, 40]);
%!   assert(size(radius), [1, 40]);
%!   assert(class(w), type{1});
%!   assert(class(damping), type{1});
%!   assert(abscissa, max(real(w)));
%!   assert(radius, max(abs(w)), 8 * eps(type{1}) * max(radius));
%!   assert(damping, min(-real(w) ./ abs(w)), 8 * eps(type{1}));
%!   for k = 1:40
%!     M = A(:, :, 1) + x(1, k) * A(:, :, 2) + x(2, k) * A(:, :, 3);
%!     assert(radius(k), max(abs(eig(M))), 1e4 * eps(type{1}));
%!     assert(w(:, k), pageeig(M));
%!   end
%! end
%!test <*complex matrices, complex points, both>
%! randn('state', 6);
%! R = randn(4, 4, 3);
%! C = R + 1i * randn(4, 4, 3);
%! x = randn(2, 9);
%! z = x + 1i * randn(2, 9);
%! for type = {'double', 'single'}
%!   for inputs = {{C, x}, {R, z}, {C, z}}
%!     A = cast(inputs{1}{1}, type{1});
%!     y = cast(inputs{1}{2}, type{1});
%!     w = eig_affine(A, y);
%!     radius = eig_affine(A, y, 'radius');
%!     assert(class(w), type{1});
%!     assert(class(radius), type{1});
%!     assert(isreal(radius));
%!     for k = 1:9
%!       M = A(:, :, 1) + y(1, k) * A(:, :, 2) + y(2, k) * A(:, :, 3);
%!       assert(radius(k), max(abs(eig(M))), 1e4 * eps(type{1}));
%!       assert(sum(w(:, k)), trace(M), 1e4 * eps(type{1}));
%!     end
%!   end
%! end
%!test <*no parameters, no points, no rows>
%! A = [1, 2; 0, 3];
%! assert(sort(eig_affine(A, zeros(0, 2))), [1, 1; 3, 3], 8 * eps);
%! assert(size(eig_affine(cat(3, A, A), zeros(1, 0))), [2, 0]);
%! assert(size(eig_affine(cat(3, A, A), zeros(1, 0), 'radius')), [1, 0]);
%! assert(size(eig_affine(zeros(0, 0, 2), [1, 2, 3])), [0, 3]);
%! assert(isreal(eig_affine(A, zeros(0, 2))));
%!test <*threads change nothing>
%! A = cat(3, [0, 1; -1, 0], [0, 0; 0, -1]);
%! x = linspace(0, 4, 1000);
%! v = eig_affine(A, x, 'abscissa');
%! assert(eig_affine(A, x, 'abscissa', 'threads', 1), v);
%! assert(eig_affine(A, x, 'device', 'cpu', 'abscissa'), v);
%!error id=eigpack:badSize eig_affine(ones(2, 2, 2), ones(2, 3))
%!error id=eigpack:badSize eig_affine(ones(2, 3), zeros(0, 1))
%!error id=eigpack:badSize eig_affine(ones(2, 2, 0), 1)
%!error id=eigpack:badSize eig_affine(ones(2, 2, 2), ones(1, 3, 2))
%!error id=eigpack:badClass eig_affine(single(ones(2, 2, 2)), 1)
%!error id=eigpack:badClass eig_affine(int16(ones(2, 2, 2)), 1)
%!error <^eigpack: 1 of 3 failed, the first is point 2: the input holds a NaN> eig_affine(ones(2, 2, 2), [1, NaN, 2])
%!error id=eigpack:notFinite eig_affine(realmax * ones(2, 2, 2), 1e10)
%!error id=eigpack:badArgument eig_affine(ones(2, 2, 2), 1, 'norm')
%!error id=eigpack:badArgument eig_affine(ones(2, 2, 2))
%!error id=eigpack:badArgument eigpack_gateway('nothing')
%!error <^eigpack: eigpack_gateway is called by> eigpack_gateway('nothing')
%!error id=eigpack:badArgument eigpack_gateway('geev')
%!error id=eigpack:badArgument eigpack_gateway('no such command', 1)
