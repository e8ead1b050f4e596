# What is said in one place: EIG_VERSION by include/eigpack.h, EIG_HOME, EIG_REPOSITORY and EIG_CONTACT by packaging/address.
get_filename_component(EIG_SOURCE_ROOT ${CMAKE_CURRENT_LIST_DIR} DIRECTORY)
file(STRINGS ${EIG_SOURCE_ROOT}/include/eigpack.h EIG_VERSION REGEX "^#define EIG_VERSION_(MAJOR|MINOR|PATCH) [0-9]+$")
list(TRANSFORM EIG_VERSION REPLACE "^.* " "")
list(JOIN EIG_VERSION . EIG_VERSION)
foreach(word HOME REPOSITORY CONTACT)
    string(TOLOWER ${word} EIG_${word})
    file(STRINGS ${EIG_SOURCE_ROOT}/packaging/address EIG_${word} REGEX "^${EIG_${word}} ")
    string(REGEX REPLACE "^[a-z]+ +" "" EIG_${word} "${EIG_${word}}")
    if(NOT word STREQUAL CONTACT AND EIG_${word} MATCHES "example\\.org") # not set yet
        set(EIG_${word} "")
    endif()
endforeach()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${EIG_SOURCE_ROOT}/include/eigpack.h ${EIG_SOURCE_ROOT}/packaging/address)

# eig_symbols(OUT): the file that gives the shared libraries' symbols their node, EIGPACK_major.minor.
function(eig_symbols out)
    string(REGEX REPLACE "\\.[0-9]+$" "" EIG_NODE ${EIG_VERSION})
    configure_file(${EIG_SOURCE_ROOT}/cmake/eigpack.map.in ${CMAKE_CURRENT_BINARY_DIR}/eigpack.map @ONLY)
    set(${out} ${CMAKE_CURRENT_BINARY_DIR}/eigpack.map PARENT_SCOPE)
endfunction()
