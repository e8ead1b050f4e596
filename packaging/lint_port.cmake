# Runs a vcpkg port with vcpkg's own commands left out: its syntax, its variables and its order of arguments are CMake's.
#     cmake -P packaging/lint_port.cmake portfile.cmake
cmake_minimum_required(VERSION 3.20)
set(CURRENT_PACKAGES_DIR ${CMAKE_BINARY_DIR}/nowhere)
set(FEATURES tools)
foreach(command check_linkage download_distfile extract_source_archive check_features cmake_configure cmake_install
        cmake_config_fixup fixup_pkgconfig copy_tools install_copyright)
    cmake_language(EVAL CODE "macro(vcpkg_${command})\n    list(APPEND called ${command})\nendmacro()")
endforeach()
include(${CMAKE_ARGV3})
list(LENGTH called count)
if(NOT count EQUAL 10)
    message(FATAL_ERROR "${CMAKE_ARGV3} calls ${count} commands of vcpkg: ${called}")
endif()
