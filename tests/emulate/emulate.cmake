# -DEIG_EMULATE=ON: the CUDA sources as C++ for this machine (README.md here), for tests alone: nothing of it is installed.
# Defines what eigpack_cuda.cmake takes from nvcc otherwise: eig_cuda_objects, eig_cuda_program, CUDA::cudart_static.
enable_language(CXX)
find_package(Threads REQUIRED)
set(EIG_EMULATE_DIR ${PROJECT_SOURCE_DIR}/tests/emulate)
set(CUDAToolkit_INCLUDE_DIRS ${EIG_EMULATE_DIR})
set(BUILD_SHARED_LIBS OFF)
message(STATUS "CUDA is emulated on this machine's processors: for tests, not for installing")

# The names of dynamic shared memory, all of which are one array.
set(names "")
file(GLOB_RECURSE files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/cuda/*.cu ${PROJECT_SOURCE_DIR}/src/cuda/*.cuh)
foreach(file IN LISTS files)
    file(STRINGS ${file} lines REGEX "extern __shared__")
    foreach(line IN LISTS lines)
        string(REGEX REPLACE ".* ([a-z_0-9]+)\\[.*" "\\1" name "${line}")
        list(APPEND names ${name})
    endforeach()
endforeach()
list(REMOVE_DUPLICATES names)
list(TRANSFORM names REPLACE "(.+)" "DYNAMIC_NAME(\\1)\n")
list(JOIN names "" names)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/emulate/dynamic_names.inc CONTENT "${names}" @ONLY)

function(eig_emulate_settings target)
    target_include_directories(${target} BEFORE PRIVATE ${EIG_EMULATE_DIR} ${PROJECT_BINARY_DIR}/emulate)
    target_compile_features(${target} PRIVATE cxx_std_20)
    target_compile_options(${target} PRIVATE -O1 -g1 -mavx2 -mfma -ffp-contract=off -fno-strict-aliasing -fwrapv
        -Wno-deprecated-enum-enum-conversion -Wno-deprecated-enum-float-conversion
        $<$<CXX_COMPILER_ID:GNU>:-fno-extern-tls-init>)
endfunction()

# As nvcc compiles: C++ with its words from the first line on.
function(eig_emulated target)
    eig_emulate_settings(${target})
    target_compile_definitions(${target} PRIVATE __CUDACC__ __CUDA_ARCH__=900)
    target_compile_options(${target} PRIVATE "SHELL:-include cuda_runtime.h")
    get_target_property(sources ${target} SOURCES)
    list(FILTER sources INCLUDE REGEX "\\.cu$")
    set_source_files_properties(${sources} PROPERTIES LANGUAGE CXX)
endfunction()

# Races: what another block writes is read by volatile accesses, which the emulation then knows (fibers.cpp).
if(EIG_SANITIZE MATCHES "thread")
    add_compile_options($<$<CXX_COMPILER_ID:GNU>:--param=tsan-distinguish-volatile=1> $<$<CXX_COMPILER_ID:GNU>:-Wno-tsan>)
endif()

function(eig_cuda_objects name)
    add_library(${name} OBJECT ${ARGN})
    target_include_directories(${name} PRIVATE src src/numerics src/cuda include)
    target_compile_definitions(${name} PRIVATE EIG_BUILDING EIG_WITH_CUDA)
    eig_emulated(${name})
endfunction()

add_library(eigpack_emulate STATIC ${EIG_EMULATE_DIR}/fibers.cpp ${EIG_EMULATE_DIR}/runtime.cpp)
eig_emulate_settings(eigpack_emulate)
if(EIG_SANITIZE MATCHES "thread") # what fibers share is the emulation's own
    target_compile_options(eigpack_emulate PRIVATE -fno-sanitize=thread)
    target_compile_definitions(eigpack_emulate PRIVATE EIG_EMULATE_RACES)
endif()
add_library(CUDA::cudart_static INTERFACE IMPORTED GLOBAL)
target_link_libraries(CUDA::cudart_static INTERFACE eigpack_emulate stdc++ Threads::Threads)

# A test program of CUDA code.
function(eig_cuda_program name)
    add_executable(${name} ${ARGN})
    eig_emulated(${name})
    target_link_libraries(${name} PRIVATE CUDA::cudart_static)
endfunction()
