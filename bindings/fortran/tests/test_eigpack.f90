! The module against the library: sizes of structures, every type's function, what is left out, failures and texts.
program test_eigpack
    use eigpack
    implicit none
    integer :: failed = 0
    type(c_ptr) :: ctx, refused
    integer(c_int) :: status

    call check(eig_version() >= 300, 'version')
    call structures()
    status = eig_create(ctx, 'cpu'//c_null_char)
    call check(status == EIG_OK .and. index(eig_string(eig_describe(ctx)), 'cpu') == 1, 'a context of the CPU')
    call tridiagonal()
    call hermitian()
    call nonsymmetric()
    call erased()
    status = eig_create(refused, 'abacus'//c_null_char)
    call check(status == EIG_BAD_ARGUMENT .and. index(eig_string(eig_error_detail(refused)), 'abacus') > 0, 'a device that is none')
    call eig_destroy(refused)
    call check(eig_string(eig_status_text(EIG_NO_MEMORY)) == 'a memory allocation failed', 'the text of a status')
    call check(len(eig_string(c_null_ptr)) == 0, 'no text')
    call eig_destroy(ctx)
    if (failed > 0) error stop 'tests of Fortran failed'
    print '(a)', 'tests of Fortran passed'

contains

    subroutine check(good, what)
        logical, intent(in) :: good
        character(len=*), intent(in) :: what
        if (good) return
        print '(2a)', 'failed: ', what
        failed = failed + 1
    end subroutine check

    ! The library refuses a structure of another size than it knows only if it is too small: the sizes are compared here.
    subroutine structures()
        type(eig_pass) :: pass
        type(eig_stebz_options) :: stebz
        type(eig_stemr_options) :: stemr
        type(eig_stemr_node) :: node
        type(eig_stemr_stats) :: stats
        type(eig_heev_options) :: heev
        type(eig_geev_options) :: geev
        call check(pass%size == c_sizeof(pass), 'eig_pass')
        call check(stebz%size == c_sizeof(stebz), 'eig_stebz_options')
        call check(stemr%size == c_sizeof(stemr), 'eig_stemr_options')
        call check(node%size == c_sizeof(node), 'eig_stemr_node')
        call check(stats%size == c_sizeof(stats), 'eig_stemr_stats')
        call check(heev%size == c_sizeof(heev), 'eig_heev_options')
        call check(geev%size == c_sizeof(geev), 'eig_geev_options')
    end subroutine structures

    ! The n x n second difference has the eigenvalues 2 - 2 cos(k pi / (n + 1)).
    subroutine tridiagonal()
        integer(c_int64_t), parameter :: n = 60
        real(c_double) :: d(n), e(n - 1), w(n), z(n, n), low(n), high(n), exact(n), residual(n), orthogonality
        real(c_float) :: f(n)
        integer(c_int64_t) :: k, m, counts(2)
        integer(c_int) :: info
        type(eig_stebz_options) :: options
        type(eig_stemr_stats) :: stats
        d = 2
        e = -1
        exact = [(2 - 2*cos(k*acos(-1.0_c_double)/(n + 1)), k=1, n)]
        status = eig_dstebz(ctx, n=n, d=d, e=e, w=w, lower=low, upper=high, info=info)
        call check(status == EIG_OK .and. info == 0 .and. maxval(abs(w - exact)) < 1e-14, 'dstebz')
        call check(all(low <= w .and. w <= high), 'enclosures')
        options%range = EIG_RANGE_VALUE
        options%vl = 0
        options%vu = 1
        status = eig_dstebz(ctx, options, n, d, e, m, w)
        call check(status == EIG_OK .and. m == count(exact <= 1), 'dstebz, a range by value')
        status = eig_sstebz(ctx, n=n, d=real(d, c_float), e=real(e, c_float), w=f)
        call check(status == EIG_OK .and. maxval(abs(f - exact)) < 1e-5, 'sstebz')
        status = eig_dstebz_count(ctx, n, d, e, 2_c_int64_t, [0.0_c_double, 2.0_c_double], counts)
        call check(status == EIG_OK .and. all(counts == [0, 30]), 'dstebz_count')
        status = eig_dstemr(ctx, n=n, d=d, e=e, m=m, w=w, z=z, ldz=n, residual=residual, orthogonality=orthogonality, stats=stats)
        call check(status == EIG_OK .and. m == n .and. stats%blocks == 1 .and. maxval(residual) < 1e-13, 'dstemr')
        call check(maxval(abs(matmul(transpose(z), z)) - 1) < 1e-13 .and. orthogonality < 1e-12, 'its vectors')
    end subroutine tridiagonal

    subroutine hermitian()
        integer(c_int64_t), parameter :: n = 2, batch = 5
        complex(c_double_complex) :: a(n, n, batch), v(n, n, batch)
        real(c_double) :: w(n, batch)
        real(c_float) :: s(n, n), ws(n)
        integer(c_int) :: info(batch), sweeps
        integer(c_int64_t) :: k
        type(eig_heev_options) :: options
        do k = 1, batch
            a(:, :, k) = reshape([(2.0d0, 0.0d0), (0.0d0, 1.0d0), (9.0d0, 9.0d0), (2.0d0, 0.0d0)], [2, 2])
        end do
        status = eig_zheev_batched(ctx, n=n, a=a, lda=n, stride_a=n*n, w=w, stride_w=n, v=v, ldv=n, &
                                   stride_v=n*n, info=info, batch=batch)
        call check(status == EIG_OK .and. all(info == 0), 'zheev_batched')
        call check(maxval(abs(w(1, :) - 1)) < 1e-15 .and. maxval(abs(w(2, :) - 3)) < 1e-15, 'its values')
        call check(maxval(abs(abs(v)**2 - 0.5)) < 1e-15, 'its vectors')
        options%method = EIG_HEEV_JACOBI
        s = reshape([2.0, 1.0, 1.0, 2.0], [2, 2])
        status = eig_ssyev(ctx, options, n, s, n, w=ws, ldv=n, info=info(1), sweeps=sweeps)
        call check(status == EIG_OK .and. maxval(abs(ws - [1.0, 3.0])) < 1e-6 .and. sweeps > 0, 'ssyev, one matrix')
    end subroutine hermitian

    subroutine nonsymmetric()
        integer(c_int64_t), parameter :: n = 2, points = 3
        real(c_double) :: a(n, n, 2), x(1, points), value(points)
        complex(c_double_complex) :: w(n)
        integer(c_int) :: info(points)
        a(:, :, 1) = reshape([0.0, 1.0, -1.0, 0.0], [2, 2])
        a(:, :, 2) = reshape([1.0, 0.0, 0.0, 1.0], [2, 2])
        x(1, :) = [-1.0, 0.0, 2.0]
        status = eig_dgeev(ctx, n=n, a=a, lda=n, w=w, ldvl=n, ldvr=n, info=info(1))
        call check(status == EIG_OK .and. abs(w(1) - (0.0, 1.0)) + abs(w(2) + (0.0, 1.0)) < 1e-15, 'dgeev')
        status = eig_dgeev_affine(ctx, n=n, m=1_c_int64_t, a=a, lda=n, stride_a=n*n, x=x, stride_x=1_c_int64_t, &
                                  stride_w=n, measure=EIG_GEEV_ABSCISSA, value=value, info=info, points=points)
        call check(status == EIG_OK .and. maxval(abs(value - x(1, :))) < 1e-15 .and. all(info == 0), 'dgeev_affine')
    end subroutine nonsymmetric

    ! Addresses in place of arrays; a refused size with its sentence.
    subroutine erased()
        integer(c_int64_t), parameter :: n = 3
        real(c_double), target :: d(n) = [3, 1, 2], e(n - 1) = 0, w(n) = 0
        status = eig_stebz(ctx, EIG_D, n=n, d=c_loc(d), e=c_loc(e), w=c_loc(w), lower=c_null_ptr, upper=c_null_ptr)
        call check(status == EIG_OK .and. all(w == [1, 2, 3]), 'stebz by addresses')
        status = eig_dstebz(ctx, n=-1_c_int64_t, d=d, e=e, w=w)
        call check(status == EIG_BAD_ARGUMENT .and. index(eig_string(eig_error_detail(ctx)), '-1') > 0, 'n = -1')
    end subroutine erased
end program test_eigpack
