! eigpack for Fortran 2018: the constants, structures and functions of eigpack.h; docs/guide/fortran.md tells how to call them.
! Made by scripts/interface from the header, whose comments are the reference.
!
! Every pointer is an optional argument: one that is left out is NULL.  A structure begins with all defaults.  A context is a
! type(c_ptr).  The forms without a letter (eig_stebz, ...) take addresses: of arrays on a GPU, or of one type at run time.
module eigpack
    use, intrinsic :: iso_c_binding
    implicit none
    public

    integer(c_int), parameter :: EIG_OK = 0
    integer(c_int), parameter :: EIG_BAD_ARGUMENT = 1
    integer(c_int), parameter :: EIG_BAD_WORKSPACE = 2
    integer(c_int), parameter :: EIG_NO_BACKEND = 3
    integer(c_int), parameter :: EIG_NO_MEMORY = 4
    integer(c_int), parameter :: EIG_CUDA_FAILURE = 5
    integer(c_int), parameter :: EIG_CANCELLED = 7
    integer(c_int), parameter :: EIG_BUSY = 8
    integer(c_int), parameter :: EIG_MPI_FAILURE = 9
    integer(c_int), parameter :: EIG_INFO_OK = 0
    integer(c_int), parameter :: EIG_INFO_NOT_FINITE = -1
    integer(c_int), parameter :: EIG_S = 115
    integer(c_int), parameter :: EIG_D = 100
    integer(c_int), parameter :: EIG_C = 99
    integer(c_int), parameter :: EIG_Z = 122
    integer(c_int), parameter :: EIG_LAYOUT_MATRIX_WISE = 0
    integer(c_int), parameter :: EIG_LAYOUT_ELEMENT_WISE = 69
    integer(c_int), parameter :: EIG_LAYOUT_ROW_WISE = 82
    integer(c_int), parameter :: EIG_RANGE_ALL = 0
    integer(c_int), parameter :: EIG_RANGE_INDEX = 73
    integer(c_int), parameter :: EIG_RANGE_VALUE = 86
    integer(c_int), parameter :: EIG_STEBZ_MULTISECTION = 0
    integer(c_int), parameter :: EIG_STEBZ_INTERVAL_TREE = 1
    integer(c_int), parameter :: EIG_STEBZ_REFERENCE = 2
    integer(c_int), parameter :: EIG_STEMR_AUTO = 0
    integer(c_int), parameter :: EIG_STEMR_REFERENCE = 1
    integer(c_int), parameter :: EIG_STEMR_MRRR = 2
    integer(c_int), parameter :: EIG_STEMR_RESIDUAL = 1
    integer(c_int), parameter :: EIG_STEMR_ORTHOGONALITY = 2
    integer(c_int), parameter :: EIG_HEEV_AUTO = 0
    integer(c_int), parameter :: EIG_HEEV_JACOBI = 1
    integer(c_int), parameter :: EIG_HEEV_TRIDIAGONAL = 2
    integer(c_int), parameter :: EIG_HEEV_REFERENCE = 3
    integer(c_int), parameter :: EIG_UPLO_LOWER = 0
    integer(c_int), parameter :: EIG_UPLO_UPPER = 85
    integer(c_int), parameter :: EIG_GEEV_AUTO = 0
    integer(c_int), parameter :: EIG_GEEV_SWB = 1
    integer(c_int), parameter :: EIG_GEEV_MWB = 2
    integer(c_int), parameter :: EIG_GEEV_REFERENCE = 3
    integer(c_int), parameter :: EIG_GEEV_ABSCISSA = 0
    integer(c_int), parameter :: EIG_GEEV_RADIUS = 82
    integer(c_int), parameter :: EIG_GEEV_DAMPING = 68

    type, bind(C) :: eig_pass
        integer(c_size_t) :: size = 24_c_size_t
        type(c_ptr) :: name = c_null_ptr
        real(c_double) :: ms = 0.0_c_double
    end type eig_pass

    type, bind(C) :: eig_stebz_options
        integer(c_size_t) :: size = 72_c_size_t
        integer(c_int) :: range = 0_c_int
        integer(c_int) :: method = 0_c_int
        integer(c_int64_t) :: il = 0_c_int64_t
        integer(c_int64_t) :: iu = 0_c_int64_t
        real(c_double) :: vl = 0.0_c_double
        real(c_double) :: vu = 0.0_c_double
        real(c_double) :: abstol = 0.0_c_double
        real(c_double) :: reltol = 0.0_c_double
        integer(c_int) :: same_bits_in_batches = 0_c_int
        integer(c_int) :: reserved = 0_c_int
    end type eig_stebz_options

    type, bind(C) :: eig_stemr_node
        integer(c_size_t) :: size = 64_c_size_t
        integer(c_int64_t) :: parent = 0_c_int64_t
        integer(c_int64_t) :: members = 0_c_int64_t
        integer(c_int) :: level = 0_c_int
        integer(c_int) :: good = 0_c_int
        real(c_double) :: low = 0.0_c_double
        real(c_double) :: high = 0.0_c_double
        real(c_double) :: shift = 0.0_c_double
        real(c_double) :: growth = 0.0_c_double
    end type eig_stemr_node

    type, bind(C) :: eig_stemr_options
        integer(c_size_t) :: size = 80_c_size_t
        integer(c_int) :: range = 0_c_int
        integer(c_int) :: method = 0_c_int
        integer(c_int64_t) :: il = 0_c_int64_t
        integer(c_int64_t) :: iu = 0_c_int64_t
        real(c_double) :: vl = 0.0_c_double
        real(c_double) :: vu = 0.0_c_double
        type(c_ptr) :: tree = c_null_ptr
        integer(c_int64_t) :: tree_room = 0_c_int64_t
        integer(c_int) :: most_depth = 0_c_int
        integer(c_int) :: no_certificate = 0_c_int
        integer(c_int) :: same_bits_in_batches = 0_c_int
        integer(c_int) :: reserved = 0_c_int
    end type eig_stemr_options

    type, bind(C) :: eig_stemr_stats
        integer(c_size_t) :: size = 88_c_size_t
        integer(c_int64_t) :: blocks = 0_c_int64_t
        integer(c_int64_t) :: representations = 0_c_int64_t
        integer(c_int64_t) :: depth = 0_c_int64_t
        integer(c_int64_t) :: clusters = 0_c_int64_t
        integer(c_int64_t) :: largest_cluster = 0_c_int64_t
        integer(c_int64_t) :: shifts = 0_c_int64_t
        integer(c_int64_t) :: bad_representations = 0_c_int64_t
        integer(c_int64_t) :: skew = 0_c_int64_t
        integer(c_int64_t) :: inverse_iterations = 0_c_int64_t
        integer(c_int64_t) :: nodes = 0_c_int64_t
    end type eig_stemr_stats

    type, bind(C) :: eig_heev_options
        integer(c_size_t) :: size = 96_c_size_t
        integer(c_int) :: uplo = 0_c_int
        integer(c_int) :: layout = 0_c_int
        integer(c_int) :: method = 0_c_int
        integer(c_int) :: row_major = 0_c_int
        integer(c_int) :: relative = 0_c_int
        integer(c_int) :: range = 0_c_int
        integer(c_int64_t) :: il = 0_c_int64_t
        integer(c_int64_t) :: iu = 0_c_int64_t
        real(c_double) :: vl = 0.0_c_double
        real(c_double) :: vu = 0.0_c_double
        integer(c_int64_t) :: chunk = 0_c_int64_t
        real(c_double) :: tolerance = 0.0_c_double
        integer(c_int) :: max_sweeps = 0_c_int
        integer(c_int) :: no_certificate = 0_c_int
        integer(c_int) :: same_bits_in_batches = 0_c_int
        integer(c_int) :: reserved = 0_c_int
    end type eig_heev_options

    type, bind(C) :: eig_geev_options
        integer(c_size_t) :: size = 56_c_size_t
        integer(c_int) :: layout = 0_c_int
        integer(c_int) :: method = 0_c_int
        integer(c_int) :: no_balance = 0_c_int
        integer(c_int) :: threads_per_matrix = 0_c_int
        integer(c_int64_t) :: chunk = 0_c_int64_t
        integer(c_int64_t) :: max_steps = 0_c_int64_t
        integer(c_int) :: no_certificate = 0_c_int
        integer(c_int) :: row_major = 0_c_int
        integer(c_int) :: same_bits_in_batches = 0_c_int
        integer(c_int) :: reserved = 0_c_int
    end type eig_geev_options

    interface
        function eig_status_text(status) bind(C, name='eig_status_text') result(answer)
            import
            integer(c_int), value :: status
            type(c_ptr) :: answer
        end function eig_status_text

        function eig_info_text(info) bind(C, name='eig_info_text') result(answer)
            import
            integer(c_int), value :: info
            type(c_ptr) :: answer
        end function eig_info_text

        function eig_geev_info_text(n, info) bind(C, name='eig_geev_info_text') result(answer)
            import
            integer(c_int64_t), value :: n
            integer(c_int), value :: info
            type(c_ptr) :: answer
        end function eig_geev_info_text

        function eig_version() bind(C, name='eig_version') result(answer)
            import
            integer(c_int) :: answer
        end function eig_version

        function eig_type_size(type) bind(C, name='eig_type_size') result(answer)
            import
            integer(c_int), value :: type
            integer(c_size_t) :: answer
        end function eig_type_size

        function eig_create(ctx, device) bind(C, name='eig_create') result(answer)
            import
            type(c_ptr), intent(out) :: ctx
            character(kind=c_char), intent(in) :: device(*)
            integer(c_int) :: answer
        end function eig_create

        subroutine eig_destroy(ctx) bind(C, name='eig_destroy')
            import
            type(c_ptr), value :: ctx
        end subroutine eig_destroy

        function eig_error_detail(ctx) bind(C, name='eig_error_detail') result(answer)
            import
            type(c_ptr), value :: ctx
            type(c_ptr) :: answer
        end function eig_error_detail

        function eig_describe(ctx) bind(C, name='eig_describe') result(answer)
            import
            type(c_ptr), value :: ctx
            type(c_ptr) :: answer
        end function eig_describe

        function eig_set_threads(ctx, threads) bind(C, name='eig_set_threads') result(answer)
            import
            type(c_ptr), value :: ctx
            integer(c_int), value :: threads
            integer(c_int) :: answer
        end function eig_set_threads

        function eig_set_progress(ctx, callback, user) bind(C, name='eig_set_progress') result(answer)
            import
            type(c_ptr), value :: ctx
            type(c_funptr), value :: callback
            type(c_ptr), value :: user
            integer(c_int) :: answer
        end function eig_set_progress

        function eig_set_workspace(ctx, work, bytes) bind(C, name='eig_set_workspace') result(answer)
            import
            type(c_ptr), value :: ctx
            type(c_ptr), value :: work
            integer(c_size_t), value :: bytes
            integer(c_int) :: answer
        end function eig_set_workspace

        function eig_set_stream(ctx, stream) bind(C, name='eig_set_stream') result(answer)
            import
            type(c_ptr), value :: ctx
            type(c_ptr), value :: stream
            integer(c_int) :: answer
        end function eig_set_stream

        function eig_synchronize(ctx) bind(C, name='eig_synchronize') result(answer)
            import
            type(c_ptr), value :: ctx
            integer(c_int) :: answer
        end function eig_synchronize

        function eig_set_timing(ctx, on) bind(C, name='eig_set_timing') result(answer)
            import
            type(c_ptr), value :: ctx
            integer(c_int), value :: on
            integer(c_int) :: answer
        end function eig_set_timing

        function eig_get_road(ctx) bind(C, name='eig_get_road') result(answer)
            import
            type(c_ptr), value :: ctx
            type(c_ptr) :: answer
        end function eig_get_road

        function eig_get_passes(ctx) bind(C, name='eig_get_passes') result(answer)
            import
            type(c_ptr), value :: ctx
            integer(c_int) :: answer
        end function eig_get_passes

        function eig_get_pass(ctx, k, pass) bind(C, name='eig_get_pass') result(answer)
            import
            type(c_ptr), value :: ctx
            integer(c_int), value :: k
            type(eig_pass), intent(inout), optional :: pass
            integer(c_int) :: answer
        end function eig_get_pass

        function eig_get_repairs(ctx, matrices, vectors) bind(C, name='eig_get_repairs') result(answer)
            import
            type(c_ptr), value :: ctx
            integer(c_int64_t), intent(inout), optional :: matrices
            integer(c_int64_t), intent(inout), optional :: vectors
            integer(c_int) :: answer
        end function eig_get_repairs

        subroutine eig_stebz_options_init(options, size) bind(C, name='eig_stebz_options_init')
            import
            type(eig_stebz_options), intent(inout), optional :: options
            integer(c_size_t), value :: size
        end subroutine eig_stebz_options_init

        function eig_dstebz(ctx, options, n, d, e, m, w, lower, upper, info) bind(C, &
            name='eig_dstebz') result(answer)
            import
            type(c_ptr), value :: ctx
            type(eig_stebz_options), intent(in), optional :: options
            integer(c_int64_t), value :: n
            real(c_double), intent(in), optional :: d(*)
            real(c_double), intent(in), optional :: e(*)
            integer(c_int64_t), intent(inout), optional :: m
            real(c_double), intent(inout), optional :: w(*)
            real(c_double), intent(inout), optional :: lower(*)
            real(c_double), intent(inout), optional :: upper(*)
            integer(c_int), intent(inout), optional :: info
            integer(c_int) :: answer
        end function eig_dstebz

        function eig_sstebz(ctx, options, n, d, e, m, w, lower, upper, info) bind(C, &
            name='eig_sstebz') result(answer)
            import
            type(c_ptr), value :: ctx
            type(eig_stebz_options), intent(in), optional :: options
            integer(c_int64_t), value :: n
            real(c_float), intent(in), optional :: d(*)
            real(c_float), intent(in), optional :: e(*)
            integer(c_int64_t), intent(inout), optional :: m
            real(c_float), intent(inout), optional :: w(*)
            real(c_float), intent(inout), optional :: lower(*)
            real(c_float), intent(inout), optional :: upper(*)
            integer(c_int), intent(inout), optional :: info
            integer(c_int) :: answer
        end function eig_sstebz

        function eig_stebz(ctx, type, options, n, d, e, m, w, lower, upper, info) bind(C, &
            name='eig_stebz') result(answer)
            import
            type(c_ptr), value :: ctx
            integer(c_int), value :: type
            type(eig_stebz_options), intent(in), optional :: options
            integer(c_int64_t), value :: n
            type(c_ptr), value :: d
            type(c_ptr), value :: e
            integer(c_int64_t), intent(inout), optional :: m
            type(c_ptr), value :: w
            type(c_ptr), value :: lower
            type(c_ptr), value :: upper
            integer(c_int), intent(inout), optional :: info
            integer(c_int) :: answer
        end function eig_stebz

        function eig_dstebz_batched(ctx, options, n, d, stride_d, e, stride_e, w, lower, upper, stride_w, info, &
            batch) bind(C, name='eig_dstebz_batched') result(answer)
            import
            type(c_ptr), value :: ctx
            type(eig_stebz_options), intent(in), optional :: options
            integer(c_int64_t), value :: n
            real(c_double), intent(in), optional :: d(*)
            integer(c_int64_t), value :: stride_d
            real(c_double), intent(in), optional :: e(*)
            integer(c_int64_t), value :: stride_e
            real(c_double), intent(inout), optional :: w(*)
            real(c_double), intent(inout), optional :: lower(*)
            real(c_double), intent(inout), optional :: upper(*)
            integer(c_int64_t), value :: stride_w
            integer(c_int), intent(inout), optional :: info(*)
            integer(c_int64_t), value :: batch
            integer(c_int) :: answer
        end function eig_dstebz_batched

        function eig_sstebz_batched(ctx, options, n, d, stride_d, e, stride_e, w, lower, upper, stride_w, info, &
            batch) bind(C, name='eig_sstebz_batched') result(answer)
            import
            type(c_ptr), value :: ctx
            type(eig_stebz_options), intent(in), optional :: options
            integer(c_int64_t), value :: n
            real(c_float), intent(in), optional :: d(*)
            integer(c_int64_t), value :: stride_d
            real(c_float), intent(in), optional :: e(*)
            integer(c_int64_t), value :: stride_e
            real(c_float), intent(inout), optional :: w(*)
            real(c_float), intent(inout), optional :: lower(*)
            real(c_float), intent(inout), optional :: upper(*)
            integer(c_int64_t), value :: stride_w
            integer(c_int), intent(inout), optional :: info(*)
            integer(c_int64_t), value :: batch
            integer(c_int) :: answer
        end function eig_sstebz_batched

        function eig_stebz_batched(ctx, type, options, n, d, stride_d, e, stride_e, w, lower, upper, stride_w, info, &
            batch) bind(C, name='eig_stebz_batched') result(answer)
            import
            type(c_ptr), value :: ctx
            integer(c_int), value :: type
            type(eig_stebz_options), intent(in), optional :: options
            integer(c_int64_t), value :: n
            type(c_ptr), value :: d
            integer(c_int64_t), value :: stride_d
            type(c_ptr), value :: e
            integer(c_int64_t), value :: stride_e
            type(c_ptr), value :: w
            type(c_ptr), value :: lower
            type(c_ptr), value :: upper
            integer(c_int64_t), value :: stride_w
            integer(c_int), intent(inout), optional :: info(*)
            integer(c_int64_t), value :: batch
            integer(c_int) :: answer
        end function eig_stebz_batched

        function eig_dstebz_count(ctx, n, d, e, m, x, count, info) bind(C, name='eig_dstebz_count') result(answer)
            import
            type(c_ptr), value :: ctx
            integer(c_int64_t), value :: n
            real(c_double), intent(in), optional :: d(*)
            real(c_double), intent(in), optional :: e(*)
            integer(c_int64_t), value :: m
            real(c_double), intent(in), optional :: x(*)
            integer(c_int64_t), intent(inout), optional :: count(*)
            integer(c_int), intent(inout), optional :: info
            integer(c_int) :: answer
        end function eig_dstebz_count

        function eig_sstebz_count(ctx, n, d, e, m, x, count, info) bind(C, name='eig_sstebz_count') result(answer)
            import
            type(c_ptr), value :: ctx
            integer(c_int64_t), value :: n
            real(c_float), intent(in), optional :: d(*)
            real(c_float), intent(in), optional :: e(*)
            integer(c_int64_t), value :: m
            real(c_float), intent(in), optional :: x(*)
            integer(c_int64_t), intent(inout), optional :: count(*)
            integer(c_int), intent(inout), optional :: info
            integer(c_int) :: answer
        end function eig_sstebz_count

        function eig_stebz_count(ctx, type, n, d, e, m, x, count, info) bind(C, &
            name='eig_stebz_count') result(answer)
            import
            type(c_ptr), value :: ctx
            integer(c_int), value :: type
            integer(c_int64_t), value :: n
            type(c_ptr), value :: d
            type(c_ptr), value :: e
            integer(c_int64_t), value :: m
            type(c_ptr), value :: x
            integer(c_int64_t), intent(inout), optional :: count(*)
            integer(c_int), intent(inout), optional :: info
            integer(c_int) :: answer
        end function eig_stebz_count

        function eig_stebz_work_size(ctx, type, options, n, batch, bytes) bind(C, &
            name='eig_stebz_work_size') result(answer)
            import
            type(c_ptr), value :: ctx
            integer(c_int), value :: type
            type(eig_stebz_options), intent(in), optional :: options
            integer(c_int64_t), value :: n
            integer(c_int64_t), value :: batch
            integer(c_size_t), intent(inout), optional :: bytes
            integer(c_int) :: answer
        end function eig_stebz_work_size

        function eig_stebz_count_work_size(ctx, type, n, m, bytes) bind(C, &
            name='eig_stebz_count_work_size') result(answer)
            import
            type(c_ptr), value :: ctx
            integer(c_int), value :: type
            integer(c_int64_t), value :: n
            integer(c_int64_t), value :: m
            integer(c_size_t), intent(inout), optional :: bytes
            integer(c_int) :: answer
        end function eig_stebz_count_work_size

        subroutine eig_stemr_options_init(options, size) bind(C, name='eig_stemr_options_init')
            import
            type(eig_stemr_options), intent(inout), optional :: options
            integer(c_size_t), value :: size
        end subroutine eig_stemr_options_init

        function eig_dstemr(ctx, options, n, d, e, m, w, z, ldz, isuppz, info, residual, orthogonality, &
            stats) bind(C, name='eig_dstemr') result(answer)
            import
            type(c_ptr), value :: ctx
            type(eig_stemr_options), intent(in), optional :: options
            integer(c_int64_t), value :: n
            real(c_double), intent(in), optional :: d(*)
            real(c_double), intent(in), optional :: e(*)
            integer(c_int64_t), intent(inout), optional :: m
            real(c_double), intent(inout), optional :: w(*)
            real(c_double), intent(inout), optional :: z(*)
            integer(c_int64_t), value :: ldz
            integer(c_int64_t), intent(inout), optional :: isuppz(*)
            integer(c_int), intent(inout), optional :: info(*)
            real(c_double), intent(inout), optional :: residual(*)
            real(c_double), intent(inout), optional :: orthogonality
            type(eig_stemr_stats), intent(inout), optional :: stats
            integer(c_int) :: answer
        end function eig_dstemr

        function eig_sstemr(ctx, options, n, d, e, m, w, z, ldz, isuppz, info, residual, orthogonality, &
            stats) bind(C, name='eig_sstemr') result(answer)
            import
            type(c_ptr), value :: ctx
            type(eig_stemr_options), intent(in), optional :: options
            integer(c_int64_t), value :: n
            real(c_float), intent(in), optional :: d(*)
            real(c_float), intent(in), optional :: e(*)
            integer(c_int64_t), intent(inout), optional :: m
            real(c_float), intent(inout), optional :: w(*)
            real(c_float), intent(inout), optional :: z(*)
            integer(c_int64_t), value :: ldz
            integer(c_int64_t), intent(inout), optional :: isuppz(*)
            integer(c_int), intent(inout), optional :: info(*)
            real(c_float), intent(inout), optional :: residual(*)
            real(c_float), intent(inout), optional :: orthogonality
            type(eig_stemr_stats), intent(inout), optional :: stats
            integer(c_int) :: answer
        end function eig_sstemr

        function eig_stemr(ctx, type, options, n, d, e, m, w, z, ldz, isuppz, info, residual, orthogonality, &
            stats) bind(C, name='eig_stemr') result(answer)
            import
            type(c_ptr), value :: ctx
            integer(c_int), value :: type
            type(eig_stemr_options), intent(in), optional :: options
            integer(c_int64_t), value :: n
            type(c_ptr), value :: d
            type(c_ptr), value :: e
            integer(c_int64_t), intent(inout), optional :: m
            type(c_ptr), value :: w
            type(c_ptr), value :: z
            integer(c_int64_t), value :: ldz
            integer(c_int64_t), intent(inout), optional :: isuppz(*)
            integer(c_int), intent(inout), optional :: info(*)
            type(c_ptr), value :: residual
            type(c_ptr), value :: orthogonality
            type(eig_stemr_stats), intent(inout), optional :: stats
            integer(c_int) :: answer
        end function eig_stemr

        function eig_dstemr_batched(ctx, options, n, d, stride_d, e, stride_e, m, w, stride_w, z, ldz, stride_z, &
            isuppz, info, residual, orthogonality, stats, batch) bind(C, name='eig_dstemr_batched') result(answer)
            import
            type(c_ptr), value :: ctx
            type(eig_stemr_options), intent(in), optional :: options
            integer(c_int64_t), value :: n
            real(c_double), intent(in), optional :: d(*)
            integer(c_int64_t), value :: stride_d
            real(c_double), intent(in), optional :: e(*)
            integer(c_int64_t), value :: stride_e
            integer(c_int64_t), intent(inout), optional :: m(*)
            real(c_double), intent(inout), optional :: w(*)
            integer(c_int64_t), value :: stride_w
            real(c_double), intent(inout), optional :: z(*)
            integer(c_int64_t), value :: ldz
            integer(c_int64_t), value :: stride_z
            integer(c_int64_t), intent(inout), optional :: isuppz(*)
            integer(c_int), intent(inout), optional :: info(*)
            real(c_double), intent(inout), optional :: residual(*)
            real(c_double), intent(inout), optional :: orthogonality(*)
            type(eig_stemr_stats), intent(inout), optional :: stats
            integer(c_int64_t), value :: batch
            integer(c_int) :: answer
        end function eig_dstemr_batched

        function eig_sstemr_batched(ctx, options, n, d, stride_d, e, stride_e, m, w, stride_w, z, ldz, stride_z, &
            isuppz, info, residual, orthogonality, stats, batch) bind(C, name='eig_sstemr_batched') result(answer)
            import
            type(c_ptr), value :: ctx
            type(eig_stemr_options), intent(in), optional :: options
            integer(c_int64_t), value :: n
            real(c_float), intent(in), optional :: d(*)
            integer(c_int64_t), value :: stride_d
            real(c_float), intent(in), optional :: e(*)
            integer(c_int64_t), value :: stride_e
            integer(c_int64_t), intent(inout), optional :: m(*)
            real(c_float), intent(inout), optional :: w(*)
            integer(c_int64_t), value :: stride_w
            real(c_float), intent(inout), optional :: z(*)
            integer(c_int64_t), value :: ldz
            integer(c_int64_t), value :: stride_z
            integer(c_int64_t), intent(inout), optional :: isuppz(*)
            integer(c_int), intent(inout), optional :: info(*)
            real(c_float), intent(inout), optional :: residual(*)
            real(c_float), intent(inout), optional :: orthogonality(*)
            type(eig_stemr_stats), intent(inout), optional :: stats
            integer(c_int64_t), value :: batch
            integer(c_int) :: answer
        end function eig_sstemr_batched

        function eig_stemr_batched(ctx, type, options, n, d, stride_d, e, stride_e, m, w, stride_w, z, ldz, &
            stride_z, isuppz, info, residual, orthogonality, stats, batch) bind(C, &
            name='eig_stemr_batched') result(answer)
            import
            type(c_ptr), value :: ctx
            integer(c_int), value :: type
            type(eig_stemr_options), intent(in), optional :: options
            integer(c_int64_t), value :: n
            type(c_ptr), value :: d
            integer(c_int64_t), value :: stride_d
            type(c_ptr), value :: e
            integer(c_int64_t), value :: stride_e
            integer(c_int64_t), intent(inout), optional :: m(*)
            type(c_ptr), value :: w
            integer(c_int64_t), value :: stride_w
            type(c_ptr), value :: z
            integer(c_int64_t), value :: ldz
            integer(c_int64_t), value :: stride_z
            integer(c_int64_t), intent(inout), optional :: isuppz(*)
            integer(c_int), intent(inout), optional :: info(*)
            type(c_ptr), value :: residual
            type(c_ptr), value :: orthogonality
            type(eig_stemr_stats), intent(inout), optional :: stats
            integer(c_int64_t), value :: batch
            integer(c_int) :: answer
        end function eig_stemr_batched

        function eig_stemr_work_size(ctx, type, options, n, vectors, bytes) bind(C, &
            name='eig_stemr_work_size') result(answer)
            import
            type(c_ptr), value :: ctx
            integer(c_int), value :: type
            type(eig_stemr_options), intent(in), optional :: options
            integer(c_int64_t), value :: n
            integer(c_int), value :: vectors
            integer(c_size_t), intent(inout), optional :: bytes
            integer(c_int) :: answer
        end function eig_stemr_work_size

        subroutine eig_heev_options_init(options, size) bind(C, name='eig_heev_options_init')
            import
            type(eig_heev_options), intent(inout), optional :: options
            integer(c_size_t), value :: size
        end subroutine eig_heev_options_init

        function eig_dsyev_batched(ctx, options, n, a, lda, stride_a, m, w, stride_w, v, ldv, stride_v, info, &
            sweeps, batch) bind(C, name='eig_dsyev_batched') result(answer)
            import
            type(c_ptr), value :: ctx
            type(eig_heev_options), intent(in), optional :: options
            integer(c_int64_t), value :: n
            real(c_double), intent(in), optional :: a(*)
            integer(c_int64_t), value :: lda
            integer(c_int64_t), value :: stride_a
            integer(c_int64_t), intent(inout), optional :: m(*)
            real(c_double), intent(inout), optional :: w(*)
            integer(c_int64_t), value :: stride_w
            real(c_double), intent(inout), optional :: v(*)
            integer(c_int64_t), value :: ldv
            integer(c_int64_t), value :: stride_v
            integer(c_int), intent(inout), optional :: info(*)
            integer(c_int), intent(inout), optional :: sweeps(*)
            integer(c_int64_t), value :: batch
            integer(c_int) :: answer
        end function eig_dsyev_batched

        function eig_ssyev_batched(ctx, options, n, a, lda, stride_a, m, w, stride_w, v, ldv, stride_v, info, &
            sweeps, batch) bind(C, name='eig_ssyev_batched') result(answer)
            import
            type(c_ptr), value :: ctx
            type(eig_heev_options), intent(in), optional :: options
            integer(c_int64_t), value :: n
            real(c_float), intent(in), optional :: a(*)
            integer(c_int64_t), value :: lda
            integer(c_int64_t), value :: stride_a
            integer(c_int64_t), intent(inout), optional :: m(*)
            real(c_float), intent(inout), optional :: w(*)
            integer(c_int64_t), value :: stride_w
            real(c_float), intent(inout), optional :: v(*)
            integer(c_int64_t), value :: ldv
            integer(c_int64_t), value :: stride_v
            integer(c_int), intent(inout), optional :: info(*)
            integer(c_int), intent(inout), optional :: sweeps(*)
            integer(c_int64_t), value :: batch
            integer(c_int) :: answer
        end function eig_ssyev_batched

        function eig_zheev_batched(ctx, options, n, a, lda, stride_a, m, w, stride_w, v, ldv, stride_v, info, &
            sweeps, batch) bind(C, name='eig_zheev_batched') result(answer)
            import
            type(c_ptr), value :: ctx
            type(eig_heev_options), intent(in), optional :: options
            integer(c_int64_t), value :: n
            complex(c_double_complex), intent(in), optional :: a(*)
            integer(c_int64_t), value :: lda
            integer(c_int64_t), value :: stride_a
            integer(c_int64_t), intent(inout), optional :: m(*)
            real(c_double), intent(inout), optional :: w(*)
            integer(c_int64_t), value :: stride_w
            complex(c_double_complex), intent(inout), optional :: v(*)
            integer(c_int64_t), value :: ldv
            integer(c_int64_t), value :: stride_v
            integer(c_int), intent(inout), optional :: info(*)
            integer(c_int), intent(inout), optional :: sweeps(*)
            integer(c_int64_t), value :: batch
            integer(c_int) :: answer
        end function eig_zheev_batched

        function eig_cheev_batched(ctx, options, n, a, lda, stride_a, m, w, stride_w, v, ldv, stride_v, info, &
            sweeps, batch) bind(C, name='eig_cheev_batched') result(answer)
            import
            type(c_ptr), value :: ctx
            type(eig_heev_options), intent(in), optional :: options
            integer(c_int64_t), value :: n
            complex(c_float_complex), intent(in), optional :: a(*)
            integer(c_int64_t), value :: lda
            integer(c_int64_t), value :: stride_a
            integer(c_int64_t), intent(inout), optional :: m(*)
            real(c_float), intent(inout), optional :: w(*)
            integer(c_int64_t), value :: stride_w
            complex(c_float_complex), intent(inout), optional :: v(*)
            integer(c_int64_t), value :: ldv
            integer(c_int64_t), value :: stride_v
            integer(c_int), intent(inout), optional :: info(*)
            integer(c_int), intent(inout), optional :: sweeps(*)
            integer(c_int64_t), value :: batch
            integer(c_int) :: answer
        end function eig_cheev_batched

        function eig_heev_batched(ctx, type, options, n, a, lda, stride_a, m, w, stride_w, v, ldv, stride_v, info, &
            sweeps, batch) bind(C, name='eig_heev_batched') result(answer)
            import
            type(c_ptr), value :: ctx
            integer(c_int), value :: type
            type(eig_heev_options), intent(in), optional :: options
            integer(c_int64_t), value :: n
            type(c_ptr), value :: a
            integer(c_int64_t), value :: lda
            integer(c_int64_t), value :: stride_a
            integer(c_int64_t), intent(inout), optional :: m(*)
            type(c_ptr), value :: w
            integer(c_int64_t), value :: stride_w
            type(c_ptr), value :: v
            integer(c_int64_t), value :: ldv
            integer(c_int64_t), value :: stride_v
            integer(c_int), intent(inout), optional :: info(*)
            integer(c_int), intent(inout), optional :: sweeps(*)
            integer(c_int64_t), value :: batch
            integer(c_int) :: answer
        end function eig_heev_batched

        function eig_dsyev(ctx, options, n, a, lda, m, w, v, ldv, info, sweeps) bind(C, &
            name='eig_dsyev') result(answer)
            import
            type(c_ptr), value :: ctx
            type(eig_heev_options), intent(in), optional :: options
            integer(c_int64_t), value :: n
            real(c_double), intent(in), optional :: a(*)
            integer(c_int64_t), value :: lda
            integer(c_int64_t), intent(inout), optional :: m
            real(c_double), intent(inout), optional :: w(*)
            real(c_double), intent(inout), optional :: v(*)
            integer(c_int64_t), value :: ldv
            integer(c_int), intent(inout), optional :: info
            integer(c_int), intent(inout), optional :: sweeps
            integer(c_int) :: answer
        end function eig_dsyev

        function eig_ssyev(ctx, options, n, a, lda, m, w, v, ldv, info, sweeps) bind(C, &
            name='eig_ssyev') result(answer)
            import
            type(c_ptr), value :: ctx
            type(eig_heev_options), intent(in), optional :: options
            integer(c_int64_t), value :: n
            real(c_float), intent(in), optional :: a(*)
            integer(c_int64_t), value :: lda
            integer(c_int64_t), intent(inout), optional :: m
            real(c_float), intent(inout), optional :: w(*)
            real(c_float), intent(inout), optional :: v(*)
            integer(c_int64_t), value :: ldv
            integer(c_int), intent(inout), optional :: info
            integer(c_int), intent(inout), optional :: sweeps
            integer(c_int) :: answer
        end function eig_ssyev

        function eig_zheev(ctx, options, n, a, lda, m, w, v, ldv, info, sweeps) bind(C, &
            name='eig_zheev') result(answer)
            import
            type(c_ptr), value :: ctx
            type(eig_heev_options), intent(in), optional :: options
            integer(c_int64_t), value :: n
            complex(c_double_complex), intent(in), optional :: a(*)
            integer(c_int64_t), value :: lda
            integer(c_int64_t), intent(inout), optional :: m
            real(c_double), intent(inout), optional :: w(*)
            complex(c_double_complex), intent(inout), optional :: v(*)
            integer(c_int64_t), value :: ldv
            integer(c_int), intent(inout), optional :: info
            integer(c_int), intent(inout), optional :: sweeps
            integer(c_int) :: answer
        end function eig_zheev

        function eig_cheev(ctx, options, n, a, lda, m, w, v, ldv, info, sweeps) bind(C, &
            name='eig_cheev') result(answer)
            import
            type(c_ptr), value :: ctx
            type(eig_heev_options), intent(in), optional :: options
            integer(c_int64_t), value :: n
            complex(c_float_complex), intent(in), optional :: a(*)
            integer(c_int64_t), value :: lda
            integer(c_int64_t), intent(inout), optional :: m
            real(c_float), intent(inout), optional :: w(*)
            complex(c_float_complex), intent(inout), optional :: v(*)
            integer(c_int64_t), value :: ldv
            integer(c_int), intent(inout), optional :: info
            integer(c_int), intent(inout), optional :: sweeps
            integer(c_int) :: answer
        end function eig_cheev

        function eig_heev(ctx, type, options, n, a, lda, m, w, v, ldv, info, sweeps) bind(C, &
            name='eig_heev') result(answer)
            import
            type(c_ptr), value :: ctx
            integer(c_int), value :: type
            type(eig_heev_options), intent(in), optional :: options
            integer(c_int64_t), value :: n
            type(c_ptr), value :: a
            integer(c_int64_t), value :: lda
            integer(c_int64_t), intent(inout), optional :: m
            type(c_ptr), value :: w
            type(c_ptr), value :: v
            integer(c_int64_t), value :: ldv
            integer(c_int), intent(inout), optional :: info
            integer(c_int), intent(inout), optional :: sweeps
            integer(c_int) :: answer
        end function eig_heev

        function eig_heev_work_size(ctx, type, options, n, vectors, batch, bytes) bind(C, &
            name='eig_heev_work_size') result(answer)
            import
            type(c_ptr), value :: ctx
            integer(c_int), value :: type
            type(eig_heev_options), intent(in), optional :: options
            integer(c_int64_t), value :: n
            integer(c_int), value :: vectors
            integer(c_int64_t), value :: batch
            integer(c_size_t), intent(inout), optional :: bytes
            integer(c_int) :: answer
        end function eig_heev_work_size

        subroutine eig_geev_options_init(options, size) bind(C, name='eig_geev_options_init')
            import
            type(eig_geev_options), intent(inout), optional :: options
            integer(c_size_t), value :: size
        end subroutine eig_geev_options_init

        function eig_dgeev_batched(ctx, options, n, a, lda, stride_a, w, stride_w, vl, ldvl, stride_vl, vr, ldvr, &
            stride_vr, condition, info, batch) bind(C, name='eig_dgeev_batched') result(answer)
            import
            type(c_ptr), value :: ctx
            type(eig_geev_options), intent(in), optional :: options
            integer(c_int64_t), value :: n
            real(c_double), intent(in), optional :: a(*)
            integer(c_int64_t), value :: lda
            integer(c_int64_t), value :: stride_a
            complex(c_double_complex), intent(inout), optional :: w(*)
            integer(c_int64_t), value :: stride_w
            complex(c_double_complex), intent(inout), optional :: vl(*)
            integer(c_int64_t), value :: ldvl
            integer(c_int64_t), value :: stride_vl
            complex(c_double_complex), intent(inout), optional :: vr(*)
            integer(c_int64_t), value :: ldvr
            integer(c_int64_t), value :: stride_vr
            real(c_double), intent(inout), optional :: condition(*)
            integer(c_int), intent(inout), optional :: info(*)
            integer(c_int64_t), value :: batch
            integer(c_int) :: answer
        end function eig_dgeev_batched

        function eig_sgeev_batched(ctx, options, n, a, lda, stride_a, w, stride_w, vl, ldvl, stride_vl, vr, ldvr, &
            stride_vr, condition, info, batch) bind(C, name='eig_sgeev_batched') result(answer)
            import
            type(c_ptr), value :: ctx
            type(eig_geev_options), intent(in), optional :: options
            integer(c_int64_t), value :: n
            real(c_float), intent(in), optional :: a(*)
            integer(c_int64_t), value :: lda
            integer(c_int64_t), value :: stride_a
            complex(c_float_complex), intent(inout), optional :: w(*)
            integer(c_int64_t), value :: stride_w
            complex(c_float_complex), intent(inout), optional :: vl(*)
            integer(c_int64_t), value :: ldvl
            integer(c_int64_t), value :: stride_vl
            complex(c_float_complex), intent(inout), optional :: vr(*)
            integer(c_int64_t), value :: ldvr
            integer(c_int64_t), value :: stride_vr
            real(c_float), intent(inout), optional :: condition(*)
            integer(c_int), intent(inout), optional :: info(*)
            integer(c_int64_t), value :: batch
            integer(c_int) :: answer
        end function eig_sgeev_batched

        function eig_zgeev_batched(ctx, options, n, a, lda, stride_a, w, stride_w, vl, ldvl, stride_vl, vr, ldvr, &
            stride_vr, condition, info, batch) bind(C, name='eig_zgeev_batched') result(answer)
            import
            type(c_ptr), value :: ctx
            type(eig_geev_options), intent(in), optional :: options
            integer(c_int64_t), value :: n
            complex(c_double_complex), intent(in), optional :: a(*)
            integer(c_int64_t), value :: lda
            integer(c_int64_t), value :: stride_a
            complex(c_double_complex), intent(inout), optional :: w(*)
            integer(c_int64_t), value :: stride_w
            complex(c_double_complex), intent(inout), optional :: vl(*)
            integer(c_int64_t), value :: ldvl
            integer(c_int64_t), value :: stride_vl
            complex(c_double_complex), intent(inout), optional :: vr(*)
            integer(c_int64_t), value :: ldvr
            integer(c_int64_t), value :: stride_vr
            real(c_double), intent(inout), optional :: condition(*)
            integer(c_int), intent(inout), optional :: info(*)
            integer(c_int64_t), value :: batch
            integer(c_int) :: answer
        end function eig_zgeev_batched

        function eig_cgeev_batched(ctx, options, n, a, lda, stride_a, w, stride_w, vl, ldvl, stride_vl, vr, ldvr, &
            stride_vr, condition, info, batch) bind(C, name='eig_cgeev_batched') result(answer)
            import
            type(c_ptr), value :: ctx
            type(eig_geev_options), intent(in), optional :: options
            integer(c_int64_t), value :: n
            complex(c_float_complex), intent(in), optional :: a(*)
            integer(c_int64_t), value :: lda
            integer(c_int64_t), value :: stride_a
            complex(c_float_complex), intent(inout), optional :: w(*)
            integer(c_int64_t), value :: stride_w
            complex(c_float_complex), intent(inout), optional :: vl(*)
            integer(c_int64_t), value :: ldvl
            integer(c_int64_t), value :: stride_vl
            complex(c_float_complex), intent(inout), optional :: vr(*)
            integer(c_int64_t), value :: ldvr
            integer(c_int64_t), value :: stride_vr
            real(c_float), intent(inout), optional :: condition(*)
            integer(c_int), intent(inout), optional :: info(*)
            integer(c_int64_t), value :: batch
            integer(c_int) :: answer
        end function eig_cgeev_batched

        function eig_geev_batched(ctx, type, options, n, a, lda, stride_a, w, stride_w, vl, ldvl, stride_vl, vr, &
            ldvr, stride_vr, condition, info, batch) bind(C, name='eig_geev_batched') result(answer)
            import
            type(c_ptr), value :: ctx
            integer(c_int), value :: type
            type(eig_geev_options), intent(in), optional :: options
            integer(c_int64_t), value :: n
            type(c_ptr), value :: a
            integer(c_int64_t), value :: lda
            integer(c_int64_t), value :: stride_a
            type(c_ptr), value :: w
            integer(c_int64_t), value :: stride_w
            type(c_ptr), value :: vl
            integer(c_int64_t), value :: ldvl
            integer(c_int64_t), value :: stride_vl
            type(c_ptr), value :: vr
            integer(c_int64_t), value :: ldvr
            integer(c_int64_t), value :: stride_vr
            type(c_ptr), value :: condition
            integer(c_int), intent(inout), optional :: info(*)
            integer(c_int64_t), value :: batch
            integer(c_int) :: answer
        end function eig_geev_batched

        function eig_dgeev(ctx, options, n, a, lda, w, vl, ldvl, vr, ldvr, condition, info) bind(C, &
            name='eig_dgeev') result(answer)
            import
            type(c_ptr), value :: ctx
            type(eig_geev_options), intent(in), optional :: options
            integer(c_int64_t), value :: n
            real(c_double), intent(in), optional :: a(*)
            integer(c_int64_t), value :: lda
            complex(c_double_complex), intent(inout), optional :: w(*)
            complex(c_double_complex), intent(inout), optional :: vl(*)
            integer(c_int64_t), value :: ldvl
            complex(c_double_complex), intent(inout), optional :: vr(*)
            integer(c_int64_t), value :: ldvr
            real(c_double), intent(inout), optional :: condition(*)
            integer(c_int), intent(inout), optional :: info
            integer(c_int) :: answer
        end function eig_dgeev

        function eig_sgeev(ctx, options, n, a, lda, w, vl, ldvl, vr, ldvr, condition, info) bind(C, &
            name='eig_sgeev') result(answer)
            import
            type(c_ptr), value :: ctx
            type(eig_geev_options), intent(in), optional :: options
            integer(c_int64_t), value :: n
            real(c_float), intent(in), optional :: a(*)
            integer(c_int64_t), value :: lda
            complex(c_float_complex), intent(inout), optional :: w(*)
            complex(c_float_complex), intent(inout), optional :: vl(*)
            integer(c_int64_t), value :: ldvl
            complex(c_float_complex), intent(inout), optional :: vr(*)
            integer(c_int64_t), value :: ldvr
            real(c_float), intent(inout), optional :: condition(*)
            integer(c_int), intent(inout), optional :: info
            integer(c_int) :: answer
        end function eig_sgeev

        function eig_zgeev(ctx, options, n, a, lda, w, vl, ldvl, vr, ldvr, condition, info) bind(C, &
            name='eig_zgeev') result(answer)
            import
            type(c_ptr), value :: ctx
            type(eig_geev_options), intent(in), optional :: options
            integer(c_int64_t), value :: n
            complex(c_double_complex), intent(in), optional :: a(*)
            integer(c_int64_t), value :: lda
            complex(c_double_complex), intent(inout), optional :: w(*)
            complex(c_double_complex), intent(inout), optional :: vl(*)
            integer(c_int64_t), value :: ldvl
            complex(c_double_complex), intent(inout), optional :: vr(*)
            integer(c_int64_t), value :: ldvr
            real(c_double), intent(inout), optional :: condition(*)
            integer(c_int), intent(inout), optional :: info
            integer(c_int) :: answer
        end function eig_zgeev

        function eig_cgeev(ctx, options, n, a, lda, w, vl, ldvl, vr, ldvr, condition, info) bind(C, &
            name='eig_cgeev') result(answer)
            import
            type(c_ptr), value :: ctx
            type(eig_geev_options), intent(in), optional :: options
            integer(c_int64_t), value :: n
            complex(c_float_complex), intent(in), optional :: a(*)
            integer(c_int64_t), value :: lda
            complex(c_float_complex), intent(inout), optional :: w(*)
            complex(c_float_complex), intent(inout), optional :: vl(*)
            integer(c_int64_t), value :: ldvl
            complex(c_float_complex), intent(inout), optional :: vr(*)
            integer(c_int64_t), value :: ldvr
            real(c_float), intent(inout), optional :: condition(*)
            integer(c_int), intent(inout), optional :: info
            integer(c_int) :: answer
        end function eig_cgeev

        function eig_geev(ctx, type, options, n, a, lda, w, vl, ldvl, vr, ldvr, condition, info) bind(C, &
            name='eig_geev') result(answer)
            import
            type(c_ptr), value :: ctx
            integer(c_int), value :: type
            type(eig_geev_options), intent(in), optional :: options
            integer(c_int64_t), value :: n
            type(c_ptr), value :: a
            integer(c_int64_t), value :: lda
            type(c_ptr), value :: w
            type(c_ptr), value :: vl
            integer(c_int64_t), value :: ldvl
            type(c_ptr), value :: vr
            integer(c_int64_t), value :: ldvr
            type(c_ptr), value :: condition
            integer(c_int), intent(inout), optional :: info
            integer(c_int) :: answer
        end function eig_geev

        function eig_dgeev_affine(ctx, options, n, m, a, lda, stride_a, x, stride_x, w, stride_w, measure, value, &
            info, points) bind(C, name='eig_dgeev_affine') result(answer)
            import
            type(c_ptr), value :: ctx
            type(eig_geev_options), intent(in), optional :: options
            integer(c_int64_t), value :: n
            integer(c_int64_t), value :: m
            real(c_double), intent(in), optional :: a(*)
            integer(c_int64_t), value :: lda
            integer(c_int64_t), value :: stride_a
            real(c_double), intent(in), optional :: x(*)
            integer(c_int64_t), value :: stride_x
            complex(c_double_complex), intent(inout), optional :: w(*)
            integer(c_int64_t), value :: stride_w
            integer(c_int), value :: measure
            real(c_double), intent(inout), optional :: value(*)
            integer(c_int), intent(inout), optional :: info(*)
            integer(c_int64_t), value :: points
            integer(c_int) :: answer
        end function eig_dgeev_affine

        function eig_sgeev_affine(ctx, options, n, m, a, lda, stride_a, x, stride_x, w, stride_w, measure, value, &
            info, points) bind(C, name='eig_sgeev_affine') result(answer)
            import
            type(c_ptr), value :: ctx
            type(eig_geev_options), intent(in), optional :: options
            integer(c_int64_t), value :: n
            integer(c_int64_t), value :: m
            real(c_float), intent(in), optional :: a(*)
            integer(c_int64_t), value :: lda
            integer(c_int64_t), value :: stride_a
            real(c_float), intent(in), optional :: x(*)
            integer(c_int64_t), value :: stride_x
            complex(c_float_complex), intent(inout), optional :: w(*)
            integer(c_int64_t), value :: stride_w
            integer(c_int), value :: measure
            real(c_float), intent(inout), optional :: value(*)
            integer(c_int), intent(inout), optional :: info(*)
            integer(c_int64_t), value :: points
            integer(c_int) :: answer
        end function eig_sgeev_affine

        function eig_zgeev_affine(ctx, options, n, m, a, lda, stride_a, x, stride_x, w, stride_w, measure, value, &
            info, points) bind(C, name='eig_zgeev_affine') result(answer)
            import
            type(c_ptr), value :: ctx
            type(eig_geev_options), intent(in), optional :: options
            integer(c_int64_t), value :: n
            integer(c_int64_t), value :: m
            complex(c_double_complex), intent(in), optional :: a(*)
            integer(c_int64_t), value :: lda
            integer(c_int64_t), value :: stride_a
            complex(c_double_complex), intent(in), optional :: x(*)
            integer(c_int64_t), value :: stride_x
            complex(c_double_complex), intent(inout), optional :: w(*)
            integer(c_int64_t), value :: stride_w
            integer(c_int), value :: measure
            real(c_double), intent(inout), optional :: value(*)
            integer(c_int), intent(inout), optional :: info(*)
            integer(c_int64_t), value :: points
            integer(c_int) :: answer
        end function eig_zgeev_affine

        function eig_cgeev_affine(ctx, options, n, m, a, lda, stride_a, x, stride_x, w, stride_w, measure, value, &
            info, points) bind(C, name='eig_cgeev_affine') result(answer)
            import
            type(c_ptr), value :: ctx
            type(eig_geev_options), intent(in), optional :: options
            integer(c_int64_t), value :: n
            integer(c_int64_t), value :: m
            complex(c_float_complex), intent(in), optional :: a(*)
            integer(c_int64_t), value :: lda
            integer(c_int64_t), value :: stride_a
            complex(c_float_complex), intent(in), optional :: x(*)
            integer(c_int64_t), value :: stride_x
            complex(c_float_complex), intent(inout), optional :: w(*)
            integer(c_int64_t), value :: stride_w
            integer(c_int), value :: measure
            real(c_float), intent(inout), optional :: value(*)
            integer(c_int), intent(inout), optional :: info(*)
            integer(c_int64_t), value :: points
            integer(c_int) :: answer
        end function eig_cgeev_affine

        function eig_geev_affine(ctx, type, options, n, m, a, lda, stride_a, x, stride_x, w, stride_w, measure, &
            value, info, points) bind(C, name='eig_geev_affine') result(answer)
            import
            type(c_ptr), value :: ctx
            integer(c_int), value :: type
            type(eig_geev_options), intent(in), optional :: options
            integer(c_int64_t), value :: n
            integer(c_int64_t), value :: m
            type(c_ptr), value :: a
            integer(c_int64_t), value :: lda
            integer(c_int64_t), value :: stride_a
            type(c_ptr), value :: x
            integer(c_int64_t), value :: stride_x
            type(c_ptr), value :: w
            integer(c_int64_t), value :: stride_w
            integer(c_int), value :: measure
            type(c_ptr), value :: value
            integer(c_int), intent(inout), optional :: info(*)
            integer(c_int64_t), value :: points
            integer(c_int) :: answer
        end function eig_geev_affine

        function eig_dgeev_schur(ctx, options, n, a, lda, stride_a, w, stride_w, t, ldt, stride_t, q, ldq, stride_q, &
            info, batch) bind(C, name='eig_dgeev_schur') result(answer)
            import
            type(c_ptr), value :: ctx
            type(eig_geev_options), intent(in), optional :: options
            integer(c_int64_t), value :: n
            real(c_double), intent(in), optional :: a(*)
            integer(c_int64_t), value :: lda
            integer(c_int64_t), value :: stride_a
            complex(c_double_complex), intent(inout), optional :: w(*)
            integer(c_int64_t), value :: stride_w
            real(c_double), intent(inout), optional :: t(*)
            integer(c_int64_t), value :: ldt
            integer(c_int64_t), value :: stride_t
            real(c_double), intent(inout), optional :: q(*)
            integer(c_int64_t), value :: ldq
            integer(c_int64_t), value :: stride_q
            integer(c_int), intent(inout), optional :: info(*)
            integer(c_int64_t), value :: batch
            integer(c_int) :: answer
        end function eig_dgeev_schur

        function eig_sgeev_schur(ctx, options, n, a, lda, stride_a, w, stride_w, t, ldt, stride_t, q, ldq, stride_q, &
            info, batch) bind(C, name='eig_sgeev_schur') result(answer)
            import
            type(c_ptr), value :: ctx
            type(eig_geev_options), intent(in), optional :: options
            integer(c_int64_t), value :: n
            real(c_float), intent(in), optional :: a(*)
            integer(c_int64_t), value :: lda
            integer(c_int64_t), value :: stride_a
            complex(c_float_complex), intent(inout), optional :: w(*)
            integer(c_int64_t), value :: stride_w
            real(c_float), intent(inout), optional :: t(*)
            integer(c_int64_t), value :: ldt
            integer(c_int64_t), value :: stride_t
            real(c_float), intent(inout), optional :: q(*)
            integer(c_int64_t), value :: ldq
            integer(c_int64_t), value :: stride_q
            integer(c_int), intent(inout), optional :: info(*)
            integer(c_int64_t), value :: batch
            integer(c_int) :: answer
        end function eig_sgeev_schur

        function eig_zgeev_schur(ctx, options, n, a, lda, stride_a, w, stride_w, t, ldt, stride_t, q, ldq, stride_q, &
            info, batch) bind(C, name='eig_zgeev_schur') result(answer)
            import
            type(c_ptr), value :: ctx
            type(eig_geev_options), intent(in), optional :: options
            integer(c_int64_t), value :: n
            complex(c_double_complex), intent(in), optional :: a(*)
            integer(c_int64_t), value :: lda
            integer(c_int64_t), value :: stride_a
            complex(c_double_complex), intent(inout), optional :: w(*)
            integer(c_int64_t), value :: stride_w
            complex(c_double_complex), intent(inout), optional :: t(*)
            integer(c_int64_t), value :: ldt
            integer(c_int64_t), value :: stride_t
            complex(c_double_complex), intent(inout), optional :: q(*)
            integer(c_int64_t), value :: ldq
            integer(c_int64_t), value :: stride_q
            integer(c_int), intent(inout), optional :: info(*)
            integer(c_int64_t), value :: batch
            integer(c_int) :: answer
        end function eig_zgeev_schur

        function eig_cgeev_schur(ctx, options, n, a, lda, stride_a, w, stride_w, t, ldt, stride_t, q, ldq, stride_q, &
            info, batch) bind(C, name='eig_cgeev_schur') result(answer)
            import
            type(c_ptr), value :: ctx
            type(eig_geev_options), intent(in), optional :: options
            integer(c_int64_t), value :: n
            complex(c_float_complex), intent(in), optional :: a(*)
            integer(c_int64_t), value :: lda
            integer(c_int64_t), value :: stride_a
            complex(c_float_complex), intent(inout), optional :: w(*)
            integer(c_int64_t), value :: stride_w
            complex(c_float_complex), intent(inout), optional :: t(*)
            integer(c_int64_t), value :: ldt
            integer(c_int64_t), value :: stride_t
            complex(c_float_complex), intent(inout), optional :: q(*)
            integer(c_int64_t), value :: ldq
            integer(c_int64_t), value :: stride_q
            integer(c_int), intent(inout), optional :: info(*)
            integer(c_int64_t), value :: batch
            integer(c_int) :: answer
        end function eig_cgeev_schur

        function eig_geev_schur(ctx, type, options, n, a, lda, stride_a, w, stride_w, t, ldt, stride_t, q, ldq, &
            stride_q, info, batch) bind(C, name='eig_geev_schur') result(answer)
            import
            type(c_ptr), value :: ctx
            integer(c_int), value :: type
            type(eig_geev_options), intent(in), optional :: options
            integer(c_int64_t), value :: n
            type(c_ptr), value :: a
            integer(c_int64_t), value :: lda
            integer(c_int64_t), value :: stride_a
            type(c_ptr), value :: w
            integer(c_int64_t), value :: stride_w
            type(c_ptr), value :: t
            integer(c_int64_t), value :: ldt
            integer(c_int64_t), value :: stride_t
            type(c_ptr), value :: q
            integer(c_int64_t), value :: ldq
            integer(c_int64_t), value :: stride_q
            integer(c_int), intent(inout), optional :: info(*)
            integer(c_int64_t), value :: batch
            integer(c_int) :: answer
        end function eig_geev_schur

        function eig_geev_work_size(ctx, type, options, n, vectors, batch, bytes) bind(C, &
            name='eig_geev_work_size') result(answer)
            import
            type(c_ptr), value :: ctx
            integer(c_int), value :: type
            type(eig_geev_options), intent(in), optional :: options
            integer(c_int64_t), value :: n
            integer(c_int), value :: vectors
            integer(c_int64_t), value :: batch
            integer(c_size_t), intent(inout), optional :: bytes
            integer(c_int) :: answer
        end function eig_geev_work_size
    end interface

contains

    ! The text behind an address that eig_error_detail, eig_describe, eig_status_text and others give.
    function eig_string(address) result(text)
        type(c_ptr), intent(in) :: address
        character(len=:), allocatable :: text
        character(kind=c_char), pointer :: letters(:)
        integer(c_size_t) :: length, k

        interface
            pure function strlen(s) bind(C, name='strlen') result(length)
                import :: c_ptr, c_size_t
                type(c_ptr), intent(in), value :: s
                integer(c_size_t) :: length
            end function strlen
        end interface

        text = ''
        if (.not. c_associated(address)) return
        length = strlen(address)
        call c_f_pointer(address, letters, [length])
        text = repeat(' ', int(length))
        do k = 1, length
            text(k:k) = letters(k)
        end do
    end function eig_string
end module eigpack
