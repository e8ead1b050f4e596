# The library: host sources, one copy of the CPU kernels for each instruction set and type, and the CUDA backend where
# wanted.

set(EIG_SOURCES
    src/context.c
    src/threads.c
    src/options.c
    src/gaps.c
    src/stebz.c
    src/stemr.c
    src/heev.c
    src/geev.c
    src/multi/backend_multi.c
    src/multi/multi_workers.c
    src/multi/multi_batches.c
    src/multi/multi_tridiagonal.c
    src/cpu/backend_cpu.c
    src/cpu/sort.c
    src/cpu/pool.c
    src/cpu/team.c
    src/cpu/watch.c
    src/cpu/stebz/stebz_cpu.c
    src/cpu/stebz/stebz_counts.c
    src/cpu/stebz/stebz_engine.c
    src/cpu/stebz/stebz_table.c
    src/cpu/stebz/stebz_load.c
    src/cpu/stebz/stebz_small.c
    src/cpu/stebz/stebz_split.c
    src/cpu/stebz/stebz_reference.c
    src/cpu/stemr/stemr_cpu.c
    src/cpu/stemr/stemr_root.c
    src/cpu/stemr/stemr_short.c
    src/cpu/stemr/stemr_few.c
    src/cpu/stemr/stemr_tree.c
    src/cpu/stemr/stemr_refine.c
    src/cpu/stemr/stemr_inverse.c
    src/cpu/stemr/stemr_batch.c
    src/cpu/stemr/stemr_certify.c
    src/cpu/stemr/stemr_reference.c
    src/cpu/heev/heev_cpu.c
    src/cpu/heev/heev_select.c
    src/cpu/geev/geev_cpu.c
)

# Plain code, compiled once for each type (EIG_TYPE, see src/cpu/per_type.h).
set(EIG_TYPES s d c z)
set(EIG_ALL_SOURCES
    src/cpu/heev/heev_reference.c
    src/cpu/geev/geev_reference.c
    src/cpu/geev/geev_balance.c
    src/cpu/geev/geev_vectors.c
    src/cpu/geev/geev_certify.c
    src/cpu/geev/geev_repair.c
    src/cpu/geev/geev_store.c
)
set(EIG_REAL_SOURCES
    src/cpu/stebz/stebz_setup.c
    src/cpu/stebz/stebz_tree.c
)
set(EIG_SOURCES_s ${EIG_REAL_SOURCES} ${EIG_ALL_SOURCES})
set(EIG_SOURCES_d ${EIG_REAL_SOURCES} ${EIG_ALL_SOURCES})
set(EIG_SOURCES_c ${EIG_ALL_SOURCES})
set(EIG_SOURCES_z ${EIG_ALL_SOURCES})

# Kernels, compiled once for each instruction set and type (EIG_ISA, EIG_TYPE).  Everything in such a file is static
# except one table that carries both names, so that the linker can never take an AVX-512 copy of a helper for the baseline
# code.  stebz_pivot.c, stebz_short.c and stemr_kernels.c compute in double for either type.
set(EIG_ALL_KERNELS src/cpu/heev/heev_kernels.c src/cpu/heev/heev_large.c src/cpu/geev/geev_kernels.c
    src/cpu/geev/geev_narrow.c src/cpu/geev/geev_alone.c src/cpu/geev/geev_large.c)
set(EIG_REAL_KERNELS src/cpu/stebz/stebz_product.c ${EIG_ALL_KERNELS})
set(EIG_KERNELS_c ${EIG_ALL_KERNELS})
set(EIG_KERNELS_z ${EIG_ALL_KERNELS})
set(EIG_KERNELS_s ${EIG_REAL_KERNELS})
set(EIG_KERNELS_d ${EIG_REAL_KERNELS} src/cpu/stebz/stebz_pivot.c src/cpu/stebz/stebz_short.c
    src/cpu/stemr/stemr_kernels.c)
# gcc 12 fuses sums and differences of scalars side by side, whatever -ffp-contract says, where it makes vectors of them.
set_source_files_properties(src/cpu/geev/geev_large.c PROPERTIES COMPILE_OPTIONS -fno-tree-slp-vectorize)
set(EIG_ISA_VARIANTS baseline)
if(EIG_DISPATCH AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    list(APPEND EIG_ISA_VARIANTS avx2 avx512)
    if(EIG_DISPATCH STREQUAL "NATIVE" AND NOT CMAKE_CROSSCOMPILING)
        unset(EIG_NATIVE_ISA CACHE) # the folder may have come from another machine
        try_run(EIG_NATIVE_ISA EIG_NATIVE_ISA_COMPILED ${PROJECT_BINARY_DIR}/native_isa
            ${PROJECT_SOURCE_DIR}/cmake/native_isa.c)
        list(GET EIG_ISA_VARIANTS ${EIG_NATIVE_ISA} EIG_ISA_VARIANTS)
        message(STATUS "Kernels for this processor alone: ${EIG_ISA_VARIANTS}")
    endif()
endif()
foreach(isa baseline avx2 avx512)
    string(TOUPPER EIG_HAVE_${isa} have)
    set_property(SOURCE src/cpu/backend_cpu.c APPEND PROPERTY COMPILE_DEFINITIONS ${have}=$<IN_LIST:${isa},${EIG_ISA_VARIANTS}>)
endforeach()
set(EIG_KERNEL_FLAGS -O3 CACHE STRING "How the CPU's kernels are optimized; -O1 takes a third of the compiler's time")
mark_as_advanced(EIG_KERNEL_FLAGS)
if(EIG_SANITIZE)
    # gcc takes four times as long to compile a kernel with its checks and -O3, and twenty times as long for
    # stemr_kernels.c where every copy of a walk is inlined whole.
    set(EIG_KERNEL_FLAGS -O1 "-DSIMD_FN=static inline")
    if(CMAKE_C_COMPILER_ID STREQUAL "GNU") # most of the rest is registers, worse than linear in a function's size
        list(APPEND EIG_KERNEL_FLAGS -fira-region=one -fno-inline-functions-called-once)
    elseif(CMAKE_C_COMPILER_ID MATCHES "Clang") # unrolled loops with their checks took a third of the time of all kernels
        list(APPEND EIG_KERNEL_FLAGS "SHELL:-mllvm -pragma-unroll-threshold=64")
    endif()
endif()
# Kernels hold no threads, only `omp simd`: with this flag alone their objects are the same with and without OpenMP.
include(CheckCCompilerFlag)
check_c_compiler_flag(-fopenmp-simd EIG_HAVE_OPENMP_SIMD)
if(EIG_HAVE_OPENMP_SIMD)
    list(APPEND EIG_KERNEL_FLAGS -fopenmp-simd)
endif()
set(EIG_UNCHECKED "" CACHE STRING "Instruction sets whose kernels go without the sanitizers, because nothing runs them here")
set(EIG_ISA_FLAGS_baseline "")
set(EIG_ISA_FLAGS_avx2 -mavx2 -mfma)
set(EIG_ISA_FLAGS_avx512 -mavx2 -mfma -mavx512f -mavx512dq -mavx512vl -mavx512bw -mavx512vbmi2 -mavx512vpopcntdq -mprefer-vector-width=512)

function(eig_target_settings target)
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/src/numerics
        ${PROJECT_SOURCE_DIR}/src/cpu
        PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:C>:${EIG_C_FLAGS}>)
    target_compile_definitions(${target} PRIVATE EIG_BUILDING)
    set_target_properties(${target} PROPERTIES C_VISIBILITY_PRESET hidden POSITION_INDEPENDENT_CODE ON)
endfunction()

function(eig_use_openmp target)
    if(OpenMP_C_FOUND)
        target_link_libraries(${target} PRIVATE OpenMP::OpenMP_C)
    endif()
endfunction()

# gcc clears structures by `rep stos`, which takes longer to start than two rows to be solved.
check_c_compiler_flag("-mmemset-strategy=vector_loop:1024:noalign,libcall:-1:noalign" EIG_HAVE_MEMSET_STRATEGY)
if(EIG_HAVE_MEMSET_STRATEGY)
    set(EIG_CALL_FLAGS "-mmemset-strategy=vector_loop:1024:noalign,libcall:-1:noalign")
endif()

add_library(eigpack_objects OBJECT ${EIG_SOURCES})
eig_target_settings(eigpack_objects)
target_compile_options(eigpack_objects PRIVATE ${EIG_CALL_FLAGS})
eig_use_openmp(eigpack_objects)
set(EIG_OBJECTS $<TARGET_OBJECTS:eigpack_objects>)
foreach(type IN LISTS EIG_TYPES)
    add_library(eigpack_${type} OBJECT ${EIG_SOURCES_${type}})
    eig_target_settings(eigpack_${type})
    target_compile_options(eigpack_${type} PRIVATE ${EIG_CALL_FLAGS})
    eig_use_openmp(eigpack_${type})
    target_compile_definitions(eigpack_${type} PRIVATE EIG_TYPE=${type})
    list(APPEND EIG_OBJECTS $<TARGET_OBJECTS:eigpack_${type}>)
endforeach()
foreach(isa IN LISTS EIG_ISA_VARIANTS)
    foreach(type IN LISTS EIG_TYPES)
        add_library(eigpack_${isa}_${type} OBJECT ${EIG_KERNELS_${type}})
        eig_target_settings(eigpack_${isa}_${type})
        target_compile_options(eigpack_${isa}_${type} PRIVATE ${EIG_KERNEL_FLAGS} ${EIG_ISA_FLAGS_${isa}}
            $<$<IN_LIST:${isa},${EIG_UNCHECKED}>:-fno-sanitize=all>)
        target_compile_definitions(eigpack_${isa}_${type} PRIVATE EIG_ISA=${isa} EIG_TYPE=${type})
        list(APPEND EIG_OBJECTS $<TARGET_OBJECTS:eigpack_${isa}_${type}>)
    endforeach()
endforeach()

include(eigpack_cuda)

# The static library serves the program, the tests and static linking; the shared one is for bindings and packages.
set(EIG_LIBRARIES eigpack_static)
add_library(eigpack_static STATIC ${EIG_OBJECTS})
set_target_properties(eigpack_static PROPERTIES OUTPUT_NAME eigpack EXPORT_NAME static)
if(BUILD_SHARED_LIBS)
    add_library(eigpack SHARED ${EIG_OBJECTS})
    # While the version is 0.x, a new minor number may break the binary interface.
    set_target_properties(eigpack PROPERTIES VERSION ${PROJECT_VERSION}
        SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} EXPORT_NAME eigpack)
    if(UNIX AND NOT APPLE)
        eig_symbols(EIG_SYMBOLS)
        target_link_options(eigpack PRIVATE LINKER:--version-script=${EIG_SYMBOLS} LINKER:--no-undefined)
        set_target_properties(eigpack PROPERTIES LINK_DEPENDS ${EIG_SYMBOLS})
    endif()
    list(APPEND EIG_LIBRARIES eigpack)
endif()
foreach(target IN LISTS EIG_LIBRARIES)
    target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
        $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_link_libraries(${target} PRIVATE m ${EIG_CUDA_LIBRARIES})
    eig_use_openmp(${target})
endforeach()
