% The table of docs/octave.md: our functions and Octave's eig in a loop, in turns, medians of five.
%     octave-cli --eval 'pkg load eigpack; source bindings/octave/tests/bench.m'
1;

function bench_row(name, count, ours, theirs)
  ours();
  times = zeros(5, 2);
  for k = 1:5
    tic; ours(); times(k, 1) = toc;
    tic; theirs(); times(k, 2) = toc;
  end
  t = median(times);
  printf('| %s | %d | %.3g ms | %.3g ms | %.1f |\n', name, count, 1e3 * t(1), 1e3 * t(2), t(2) / t(1));
end

function loop_values(X)
  E = zeros(size(X, 1), size(X, 3));
  for k = 1:size(X, 3)
    E(:, k) = eig(X(:, :, k));
  end
end

function loop_pairs(X)
  V = D = zeros(size(X));
  for k = 1:size(X, 3)
    [V(:, :, k), D(:, :, k)] = eig(X(:, :, k));
  end
end

function pairs(X)
  [V, D] = pageeig(X);
end

function tridiagonal_pairs(d, e)
  [V, w] = eig_tridiagonal(d, e);
end

function loop_affine(A, x)
  v = zeros(1, columns(x));
  for k = 1:columns(x)
    v(k) = max(real(eig(A(:, :, 1) + x(1, k) * A(:, :, 2) + x(2, k) * A(:, :, 3))));
  end
end

function repeat(f, X)
  for k = 1:1000
    f(X);
  end
end

function X = hermitian(X)
  X = X + conj(permute(X, [2, 1, 3]));
end

function full_pairs(T)
  [V, D] = eig(T);
end

randn('state', 1);
X = randn(10, 10, 20000);
bench_row('`pageeig`, 10 x 10, real', 20000, @() pageeig(X), @() loop_values(X));
X = randn(30, 30, 2000);
bench_row('`pageeig`, 30 x 30, real', 2000, @() pageeig(X), @() loop_values(X));
X = hermitian(randn(8, 8, 20000) + 1i * randn(8, 8, 20000));
bench_row('`[V, D] = pageeig`, 8 x 8, Hermitian', 20000, @() pairs(X), @() loop_pairs(X));
X = hermitian(randn(64, 64, 200));
bench_row('`[V, D] = pageeig`, 64 x 64, symmetric', 200, @() pairs(X), @() loop_pairs(X));
A = randn(15, 15, 3);
x = randn(2, 10000);
bench_row('`eig_affine`, 15 x 15, abscissa', 10000, @() eig_affine(A, x, 'abscissa'), @() loop_affine(A, x));
d = randn(1000, 1);
e = randn(999, 1);
T = diag(d) + diag(e, 1) + diag(e, -1);
bench_row('`eig_tridiagonal`, n = 1000', 1, @() eig_tridiagonal(d, e), @() eig(T));
bench_row('`[V, w] = eig_tridiagonal`, n = 1000', 1, @() tridiagonal_pairs(d, e), @() full_pairs(T));
X = randn(2, 2);
bench_row('`pageeig`, one 2 x 2, 1,000 calls', 1, @() repeat(@pageeig, X), @() repeat(@eig, X));
