# The CUDA backend: EIG_CUDA=ON requires nvcc, AUTO takes it where found.  Appends to EIG_OBJECTS and EIG_CUDA_LIBRARIES.

set(EIG_CUDA_LIBRARIES "")
set(EIG_HAVE_CUDA OFF)
if(EIG_CUDA STREQUAL "AUTO")
    # A failed search is not remembered: nvcc may have been installed since.
    if(NOT CMAKE_CUDA_COMPILER)
        unset(CMAKE_CUDA_COMPILER CACHE)
    endif()
    include(CheckLanguage)
    check_language(CUDA)
    if(CMAKE_CUDA_COMPILER)
        set(EIG_HAVE_CUDA ON)
    endif()
elseif(EIG_CUDA)
    set(EIG_HAVE_CUDA ON)
endif()
set(EIG_CUDA_SOURCES
    src/cuda/backend_cuda.cu
    src/cuda/host_arrays.cu
    src/cuda/stebz/stebz_cuda.cu
    src/cuda/stebz/stebz_prepare.cu
    src/cuda/stebz/stebz_multisection.cu
    src/cuda/stebz/stebz_batched.cu
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
    src/cuda/stemr/stemr_certify.cu
    src/cuda/stemr/stemr_reference.cu
    src/cuda/stemr/mrrr/stemr_mrrr.cu
    src/cuda/stemr/mrrr/stemr_shifts.cu
    src/cuda/stemr/mrrr/stemr_node_sections.cu
    src/cuda/stemr/mrrr/stemr_options_tree.cu
    src/cuda/heev/heev_cuda.cu
    src/cuda/heev/heev_roads.cu
    src/cuda/heev/heev_parts.cu
    src/cuda/heev/warp/heev_ql.cu
    src/cuda/heev/divide/heev_divide.cu
    src/cuda/geev/geev_cuda.cu
    src/cuda/geev/geev_mapping.cu
    src/cuda/geev/geev_prepare_s.cu
    src/cuda/geev/geev_prepare_s33.cu
    src/cuda/geev/geev_prepare_d.cu
    src/cuda/geev/geev_prepare_d33.cu
    src/cuda/geev/geev_plain.cu
    src/cuda/geev/geev_small_s.cu
    src/cuda/geev/geev_small_s11.cu
    src/cuda/geev/geev_small_s14.cu
    src/cuda/geev/geev_small_s16.cu
    src/cuda/geev/geev_small_d.cu
    src/cuda/geev/geev_small_d9.cu
    src/cuda/geev/geev_small_d12.cu
    src/cuda/geev/geev_qr_swb_s.cu
    src/cuda/geev/geev_qr_swb_d.cu
    src/cuda/geev/geev_qr_mwb_s.cu
    src/cuda/geev/geev_qr_mwb_d.cu
)
# Kernels that are compiled once for each type, with EIG_TYPE: s, d, c and z, or the real ones alone.
set(EIG_CUDA_TYPED_SOURCES
    src/cuda/heev/heev_reference.cu
    src/cuda/heev/thread/heev_small.cu
    src/cuda/heev/thread/heev_tiny.cu
    src/cuda/heev/thread/heev_tiny8.cu
    src/cuda/heev/warp/heev_reduce.cu
    src/cuda/heev/warp/heev_vectors.cu
    src/cuda/heev/grid/heev_grid_reduce.cu
    src/cuda/heev/grid/heev_grid_back.cu
    src/cuda/heev/block/heev_panel.cu
    src/cuda/heev/block/heev_back.cu
    src/cuda/heev/jacobi/heev_jacobi.cu
    src/cuda/heev/jacobi/heev_blocks.cu
)
set(EIG_CUDA_REAL_SOURCES
    src/cuda/heev/divide/heev_divide_leaf.cu
    src/cuda/heev/divide/heev_divide_merge.cu
    src/cuda/heev/divide/heev_divide_update.cu
)
# Files whose names differ in type and order alone, e.g. geev_small_s.cu and geev_small_d9.cu, as one: nvcc then reads its own
# headers half as often, which take it a second, but fewer files are compiled side by side.
option(EIG_CUDA_JOINED "Compile CUDA files of one kind, for all types, as one" OFF)
if(EIG_CUDA_JOINED)
    set(joined "")
    set(kinds "")
    foreach(source IN LISTS EIG_CUDA_SOURCES)
        if(source MATCHES "([^/]*)_[sdcz][0-9]*\\.cu$")
            set(kind ${CMAKE_MATCH_1})
            list(APPEND kinds ${kind})
            string(APPEND text_${kind} "#include \"${PROJECT_SOURCE_DIR}/${source}\"\n")
        else()
            list(APPEND joined ${source})
        endif()
    endforeach()
    list(REMOVE_DUPLICATES kinds)
    foreach(kind IN LISTS kinds) # each is written once: one that stays the same is not compiled again
        set(file ${PROJECT_BINARY_DIR}/joined/${kind}.cu)
        file(CONFIGURE OUTPUT ${file} CONTENT "${text_${kind}}" @ONLY)
        list(APPEND joined ${file})
    endforeach()
    set(EIG_CUDA_SOURCES ${joined})
endif()
if(EIG_HAVE_CUDA)
    # CMake 3.23 and newer set an architecture when the language is enabled: whether the user chose one is asked before.
    set(EIG_OWN_ARCHITECTURES ON)
    if(DEFINED CMAKE_CUDA_ARCHITECTURES OR DEFINED ENV{CUDAARCHS})
        set(EIG_OWN_ARCHITECTURES OFF)
    endif()
    enable_language(CUDA)
    if(EIG_OWN_ARCHITECTURES)
        # Machine code for Turing to Hopper, and to Blackwell where nvcc knows it; PTX for the chips that come later.
        # The check "cuda" of .ci/run compiles for each of them: a name more here is one more there.
        set(CMAKE_CUDA_ARCHITECTURES 75-real 80-real 86-real 89-real 90)
        if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 12.8)
            list(APPEND CMAKE_CUDA_ARCHITECTURES 100-real 120)
        endif()
    endif()
    set(CMAKE_CUDA_STANDARD 17)
    find_package(CUDAToolkit REQUIRED)
    # eig_cuda_objects(NAME SOURCES...): a library of objects, with the flags of all CUDA code.
    function(eig_cuda_objects name)
        add_library(${name} OBJECT ${ARGN})
        target_include_directories(${name} PRIVATE src src/numerics src/cuda include)
        target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-fmad=false -Xcompiler=-Wall,-Wextra>
            $<$<BOOL:${EIG_WERROR}>:--Werror=all-warnings>)
        # Packs the machine code, to a third of its size.  nvcc has the option from 12.8 on, but what it packs needs the driver
        # of CUDA 12.4 (550.54) or later, while CUDA 12 itself runs with 525.60; CUDA 13 needs 580 in any case.
        if(CMAKE_CUDA_COMPILER_ID STREQUAL "NVIDIA" AND CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 13.0)
            target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:--compress-mode=size>)
        endif()
        target_compile_definitions(${name} PRIVATE EIG_BUILDING EIG_WITH_CUDA)
        set_target_properties(${name} PROPERTIES CUDA_VISIBILITY_PRESET hidden POSITION_INDEPENDENT_CODE ON)
    endfunction()
    eig_cuda_objects(eigpack_cuda ${EIG_CUDA_SOURCES})
    list(APPEND EIG_OBJECTS $<TARGET_OBJECTS:eigpack_cuda>)
    foreach(type s d c z)
        set(sources ${EIG_CUDA_TYPED_SOURCES})
        if(type MATCHES "s|d")
            list(APPEND sources ${EIG_CUDA_REAL_SOURCES})
        endif()
        eig_cuda_objects(eigpack_cuda_${type} ${sources})
        target_compile_definitions(eigpack_cuda_${type} PRIVATE EIG_TYPE=${type})
        list(APPEND EIG_OBJECTS $<TARGET_OBJECTS:eigpack_cuda_${type}>)
    endforeach()
    target_compile_definitions(eigpack_objects PRIVATE EIG_WITH_CUDA)
    target_sources(eigpack_objects PRIVATE src/cuda/copy_nest.c)
    # nvcc's launch stubs are C++: a C program linked with the static library needs its run-time library.
    set(EIG_CUDA_LIBRARIES CUDA::cudart_static stdc++)
endif()
