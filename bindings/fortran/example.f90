! A million symmetric 3 x 3 matrices: eigenvalues and eigenvectors in one call, as diffusion tensors need them.
!     gfortran -O2 eigpack.f90 example.f90 -o example $(pkg-config --cflags --libs eigpack) && ./example
program example
    use eigpack
    implicit none
    integer(c_int64_t), parameter :: n = 3, batch = 1000000
    real(c_double), allocatable :: a(:, :, :), v(:, :, :), w(:, :)
    real(c_double) :: residual
    integer(c_int), allocatable :: info(:)
    integer(c_int64_t) :: b, k
    integer(c_int) :: status
    type(c_ptr) :: ctx

    allocate (a(n, n, batch), v(n, n, batch), w(n, batch), info(batch))
    call random_number(a) ! the lower triangle is read

    status = eig_create(ctx, 'cpu'//c_null_char)
    if (status == EIG_OK) status = eig_dsyev_batched(ctx, n=n, a=a, lda=n, stride_a=n*n, w=w, stride_w=n, &
                                                     v=v, ldv=n, stride_v=n*n, info=info, batch=batch)
    if (status /= EIG_OK) error stop eig_string(eig_error_detail(ctx))
    call eig_destroy(ctx)

    residual = 0
    do b = 1, batch, 1000
        a(1, 2, b) = a(2, 1, b); a(1, 3, b) = a(3, 1, b); a(2, 3, b) = a(3, 2, b)
        do k = 1, n
            residual = max(residual, norm2(matmul(a(:, :, b), v(:, k, b)) - w(k, b)*v(:, k, b)))
        end do
    end do
    print '(a, i0, a, 3f10.6)', 'matrices: ', batch, ', eigenvalues of the first:', w(:, 1)
    print '(a, es8.1, a, i0)', 'largest residual of every 1000th: ', residual, ', failed: ', count(info /= 0)
    if (residual > 1e-14_c_double .or. any(info /= 0)) error stop 'wrong'
end program example
