# The CUDA backend: EIG_CUDA=ON requires nvcc and serves every GPU, AUTO takes nvcc where it is found, for the GPUs that answer;
# CMAKE_CUDA_ARCHITECTURES names others.  Appends to EIG_OBJECTS and EIG_CUDA_LIBRARIES.

set(EIG_CUDA_LIBRARIES "")
set(EIG_HAVE_CUDA OFF)

# eig_answering(OUT KNOWN): the architectures of the GPUs that answer, e.g. 80;90, of those that eigpack serves and nvcc knows.
function(eig_answering out known)
    execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader OUTPUT_VARIABLE told ERROR_QUIET
        RESULT_VARIABLE failed)
    set(served "")
    if(failed STREQUAL "0")
        string(REPLACE "." "" told "${told}")
        string(REGEX MATCHALL "[0-9]+" told "${told}")
        list(REMOVE_DUPLICATES told)
        foreach(architecture IN LISTS told)
            if(architecture GREATER_EQUAL 75 AND known MATCHES "sm_${architecture}[ \n]")
                list(APPEND served ${architecture})
            endif()
        endforeach()
    endif()
    set(${out} "${served}" PARENT_SCOPE)
endfunction()

# eig_architectures(OUT): those that are built where the user names none, chosen before the language is enabled, because CMake 3.23
# and newer set and keep one then.
function(eig_architectures out)
    set(more "-DEIG_CUDA=ON builds for every GPU from Turing on (hours of processor time), -DCMAKE_CUDA_ARCHITECTURES=90 for one kind")
    execute_process(COMMAND ${CMAKE_CUDA_COMPILER} --list-gpu-code OUTPUT_VARIABLE known ERROR_QUIET)
    if(EIG_CUDA STREQUAL "AUTO")
        eig_answering(chosen "${known}")
        if(chosen)
            message(STATUS "CUDA for the GPUs that answer (${chosen}); ${more}")
        else()
            message(STATUS "No CUDA: nvcc is here, but no GPU that it serves answers; ${more}")
        endif()
    else()
        # Machine code for Turing to Hopper, and to Blackwell where nvcc knows it; PTX for the chips that come later.
        # The check "cuda" of .ci/run compiles for each of them: a name more here is one more there.
        set(chosen 75-real 80-real 86-real 89-real 90)
        if(known MATCHES "sm_120[ \n]")
            list(APPEND chosen 100-real 120)
        endif()
        message(STATUS "CUDA for every GPU from Turing on: hours of processor time; -DCMAKE_CUDA_ARCHITECTURES=90 is for one kind")
    endif()
    set(${out} "${chosen}" PARENT_SCOPE)
endfunction()

if(EIG_EMULATE)
    set(EIG_HAVE_CUDA ON)
elseif(EIG_CUDA)
    # A failed search is not remembered: nvcc may have been installed since.
    if(NOT CMAKE_CUDA_COMPILER)
        unset(CMAKE_CUDA_COMPILER CACHE)
    endif()
    include(CheckLanguage)
    check_language(CUDA)
    if(CMAKE_CUDA_COMPILER OR NOT EIG_CUDA STREQUAL "AUTO")
        set(EIG_HAVE_CUDA ON)
    endif()
    if(EIG_HAVE_CUDA AND NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
        eig_architectures(CMAKE_CUDA_ARCHITECTURES)
        if(NOT CMAKE_CUDA_ARCHITECTURES)
            unset(CMAKE_CUDA_ARCHITECTURES)
            set(EIG_HAVE_CUDA OFF)
        endif()
    endif()
endif()
set(EIG_CUDA_SOURCES
    src/cuda/backend_cuda.cu
    src/cuda/driver.cu
    src/cuda/host_arrays.cu
    src/cuda/stebz/stebz_cuda.cu
    src/cuda/stebz/stebz_roads.cu
    src/cuda/stebz/stebz_prepare.cu
    src/cuda/stebz/stebz_multisection.cu
    src/cuda/stebz/stebz_batched.cu
    src/cuda/stebz/stebz_small.cu
    src/cuda/stebz/stebz_whole.cu
    src/cuda/stebz/stebz_tree.cu
    src/cuda/stebz/stebz_reference.cu
    src/cuda/stebz/stebz_split.cu
    src/cuda/stemr/stemr_cuda.cu
    src/cuda/stemr/stemr_roads.cu
    src/cuda/stemr/stemr_root.cu
    src/cuda/stemr/stemr_locate.cu
    src/cuda/stemr/stemr_twist.cu
    src/cuda/stemr/stemr_vectors.cu
    src/cuda/stemr/stemr_clusters.cu
    src/cuda/stemr/stemr_pencil.cu
    src/cuda/stemr/stemr_pencil_vectors.cu
    src/cuda/stemr/stemr_sections.cu
    src/cuda/stemr/stemr_inverse.cu
    src/cuda/stemr/stemr_batch.cu
    src/cuda/stemr/stemr_batch_cuda.cu
    src/cuda/stemr/stemr_batch_twist.cu
    src/cuda/stemr/stemr_certify.cu
    src/cuda/stemr/stemr_reference.cu
    src/cuda/stemr/mrrr/stemr_mrrr.cu
    src/cuda/stemr/mrrr/stemr_shifts.cu
    src/cuda/stemr/mrrr/stemr_node_sections.cu
    src/cuda/stemr/mrrr/stemr_options_tree.cu
    src/cuda/heev/heev_cuda.cu
    src/cuda/heev/heev_roads.cu
    src/cuda/heev/heev_parts.cu
    src/cuda/heev/heev_select.cu
    src/cuda/heev/whole/heev_whole_pairs.cu
    src/cuda/heev/warp/heev_ql.cu
    src/cuda/heev/divide/heev_divide.cu
    src/cuda/geev/geev_cuda.cu
    src/cuda/geev/geev_roads.cu
)
# Kernels that are compiled once for each type, with EIG_TYPE: s, d, c and z, or the real or complex ones alone.
set(EIG_CUDA_TYPED_SOURCES
    src/cuda/heev/heev_reference.cu
    src/cuda/heev/heev_certify.cu
    src/cuda/heev/thread/heev_small.cu
    src/cuda/heev/thread/heev_tiny.cu
    src/cuda/heev/thread/heev_tiny8.cu
    src/cuda/heev/few/heev_few.cu
    src/cuda/heev/warp/heev_reduce.cu
    src/cuda/heev/warp/heev_vectors.cu
    src/cuda/heev/warp/heev_twist.cu
    src/cuda/heev/grid/heev_grid_reduce.cu
    src/cuda/heev/grid/heev_grid_back.cu
    src/cuda/heev/block/heev_panel.cu
    src/cuda/heev/block/heev_back.cu
    src/cuda/heev/block/heev_store.cu
    src/cuda/heev/whole/heev_whole_back.cu
    src/cuda/heev/whole/heev_whole_reduce.cu
    src/cuda/heev/two/heev_two.cu
    src/cuda/heev/two/heev_two_back.cu
    src/cuda/heev/jacobi/heev_jacobi.cu
    src/cuda/heev/jacobi/heev_blocks.cu
    src/cuda/geev/block/geev_blocks.cu
    src/cuda/geev/geev_certify.cu
    src/cuda/geev/geev_second.cu
    src/cuda/geev/schur/geev_schur.cu
    src/cuda/geev/vectors/geev_inverse.cu
    src/cuda/geev/vectors/geev_large_vectors.cu
)
set(EIG_CUDA_REAL_SOURCES
    src/cuda/heev/divide/heev_divide_leaf.cu
    src/cuda/heev/divide/heev_divide_merge.cu
    src/cuda/heev/divide/heev_divide_update.cu
    src/cuda/geev/thread/geev_small.cu
    src/cuda/geev/reduce/geev_prepare.cu
    src/cuda/geev/team/geev_qr.cu
    src/cuda/geev/reduce/geev_block_prepare.cu
    src/cuda/geev/block/geev_block.cu
    src/cuda/geev/geev_plain.cu
)
set(EIG_CUDA_COMPLEX_SOURCES src/cuda/geev/complex/geev_single.cu)
if(EIG_EMULATE)
    include(${PROJECT_SOURCE_DIR}/tests/emulate/emulate.cmake)
elseif(EIG_HAVE_CUDA)
    enable_language(CUDA)
    set(CMAKE_CUDA_STANDARD 17)
    find_package(CUDAToolkit REQUIRED)
    # eig_cuda_objects(NAME SOURCES...): a library of objects, with the flags of all CUDA code.
    function(eig_cuda_objects name)
        add_library(${name} OBJECT ${ARGN})
        target_include_directories(${name} PRIVATE src src/numerics src/cuda include)
        target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-fmad=false -Xcompiler=-Wall,-Wextra>
            $<$<BOOL:${EIG_WERROR}>:--Werror=all-warnings>)
        # Packs the machine code, to a third of its size.  nvcc has the option from 12.8 on, but what it packs needs the driver
        # of CUDA 12.4 (550.54) or later, while CUDA 12 itself runs with 525.60; CUDA 13 needs 580 in any case.  It is a third of
        # nvcc's time without optimizations: flags of the user's that name it win.
        if(NOT CMAKE_CUDA_FLAGS MATCHES "--compress-mode" AND CMAKE_CUDA_COMPILER_ID STREQUAL "NVIDIA" AND CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 13.0)
            target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:--compress-mode=size>)
        endif()
        target_compile_definitions(${name} PRIVATE EIG_BUILDING EIG_WITH_CUDA)
        set_target_properties(${name} PROPERTIES CUDA_VISIBILITY_PRESET hidden POSITION_INDEPENDENT_CODE ON)
    endfunction()
    function(eig_cuda_program name)
        add_executable(${name} ${ARGN})
    endfunction()
endif()
if(EIG_HAVE_CUDA)
    eig_cuda_objects(eigpack_cuda ${EIG_CUDA_SOURCES})
    list(APPEND EIG_OBJECTS $<TARGET_OBJECTS:eigpack_cuda>)
    foreach(type s d c z)
        set(sources ${EIG_CUDA_TYPED_SOURCES})
        if(type MATCHES "s|d")
            list(APPEND sources ${EIG_CUDA_REAL_SOURCES})
        else()
            list(APPEND sources ${EIG_CUDA_COMPLEX_SOURCES})
        endif()
        eig_cuda_objects(eigpack_cuda_${type} ${sources})
        target_compile_definitions(eigpack_cuda_${type} PRIVATE EIG_TYPE=${type})
        list(APPEND EIG_OBJECTS $<TARGET_OBJECTS:eigpack_cuda_${type}>)
    endforeach()
    target_compile_definitions(eigpack_objects PRIVATE EIG_WITH_CUDA)
    target_sources(eigpack_objects PRIVATE src/cuda/copy_nest.c)
    # nvcc's launch stubs are C++: a C program linked with the static library needs its run-time library.  A C++ compiler adds it by itself,
    # and -static-libstdc++ of a wheel would have no effect.
    set(EIG_CUDA_LIBRARIES CUDA::cudart_static $<$<NOT:$<LINK_LANGUAGE:CXX>>:stdc++>)
endif()
