# What an installation holds: headers, both libraries, the program, the example matrix, and the two ways to find them:
#     find_package(eigpack)   targets eigpack::eigpack (shared where it was built) and eigpack::static
#     ... COMPONENTS mpi      targets eigpack::mpi and eigpack::mpi_static (src/mpi/CMakeLists.txt)
#     pkg-config eigpack      with --static also what the static library is linked with
# Everything is relocatable: `cmake --install build --prefix anywhere` needs no second configuration.  The components library,
# development and tools are Debian's packages (eigpack_package.cmake).

set(EIG_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/eigpack)
set(EIG_PKGCONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
set(EIG_DATA_DIR ${CMAKE_INSTALL_DATADIR}/eigpack/data)

# Each library is an export set of its own: the shared one needs nothing of its user, the static one OpenMP and CUDA.
install(TARGETS eigpack_static EXPORT eigpack-static ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(EXPORT eigpack-static NAMESPACE eigpack:: DESTINATION ${EIG_CMAKE_DIR} COMPONENT development)
if(TARGET eigpack)
    install(TARGETS eigpack EXPORT eigpack-shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library
        NAMELINK_COMPONENT development)
    install(EXPORT eigpack-shared NAMESPACE eigpack:: DESTINATION ${EIG_CMAKE_DIR} COMPONENT development)
endif()
if(TARGET eigpack_cli)
    install(TARGETS eigpack_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
endif()
install(FILES include/eigpack.h include/eigpack.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(DIRECTORY data/ DESTINATION ${EIG_DATA_DIR} COMPONENT tools)
install(FILES bindings/fortran/eigpack.f90 DESTINATION ${CMAKE_INSTALL_DATADIR}/eigpack/fortran COMPONENT development)

configure_package_config_file(cmake/eigpack-config.cmake.in ${PROJECT_BINARY_DIR}/eigpack-config.cmake
    INSTALL_DESTINATION ${EIG_CMAKE_DIR} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/eigpack-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/eigpack-config.cmake ${PROJECT_BINARY_DIR}/eigpack-config-version.cmake
    DESTINATION ${EIG_CMAKE_DIR} COMPONENT development)

# pkg-config: paths relative to the .pc file itself.
file(RELATIVE_PATH EIG_PC_PREFIX /${EIG_PKGCONFIG_DIR} /)
string(REGEX REPLACE "/$" "" EIG_PC_PREFIX "${EIG_PC_PREFIX}")
set(EIG_PC_PRIVATE -lm)
if(OpenMP_C_FOUND)
    string(PREPEND EIG_PC_PRIVATE "${OpenMP_C_FLAGS} ")
endif()
if(EIG_HAVE_CUDA)
    string(APPEND EIG_PC_PRIVATE " -L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -lstdc++ -ldl -lpthread -lrt")
endif()
# The loader finds the library in any prefix without ldconfig.  Packages, configured for /usr, carry no rpath.
set(EIG_PC_RPATH "-Wl,-rpath,\${libdir} ")
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
    set(EIG_PC_RPATH "")
endif()
configure_file(cmake/eigpack.pc.in ${PROJECT_BINARY_DIR}/eigpack.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/eigpack.pc DESTINATION ${EIG_PKGCONFIG_DIR} COMPONENT development)

# Manual pages and completion, which the program itself makes of its tables.  A sanitizer or a foreign processor makes none.
if(TARGET eigpack_cli AND NOT EIG_SANITIZE AND (NOT CMAKE_CROSSCOMPILING OR CMAKE_CROSSCOMPILING_EMULATOR))
    set(EIG_PAGES ${PROJECT_BINARY_DIR}/pages)
    file(GLOB EIG_PROGRAM_COMMANDS ${PROJECT_SOURCE_DIR}/cli/commands/cmd_*.c)
    list(TRANSFORM EIG_PROGRAM_COMMANDS REPLACE "^.*/cmd_(.*)[.]c$" "\\1")
    file(MAKE_DIRECTORY ${EIG_PAGES})
    set(EIG_PAGE_COMMANDS COMMAND eigpack_cli manual > ${EIG_PAGES}/eigpack.1)
    set(EIG_PAGE_FILES ${EIG_PAGES}/eigpack.1)
    foreach(name IN LISTS EIG_PROGRAM_COMMANDS)
        list(APPEND EIG_PAGE_COMMANDS COMMAND eigpack_cli manual ${name} > ${EIG_PAGES}/eigpack-${name}.1)
        list(APPEND EIG_PAGE_FILES ${EIG_PAGES}/eigpack-${name}.1)
    endforeach()
    set(EIG_SHELLS bash zsh fish)
    set(EIG_COMPLETIONS eigpack _eigpack eigpack.fish)
    foreach(shell file IN ZIP_LISTS EIG_SHELLS EIG_COMPLETIONS)
        list(APPEND EIG_PAGE_COMMANDS COMMAND eigpack_cli completion ${shell} > ${EIG_PAGES}/${file})
    endforeach()
    add_custom_command(OUTPUT ${EIG_PAGES}/eigpack.1 ${EIG_PAGE_COMMANDS} DEPENDS eigpack_cli
        COMMENT "Making manual pages and completions" VERBATIM)
    add_custom_target(eigpack_pages ALL DEPENDS ${EIG_PAGES}/eigpack.1)
    install(FILES ${EIG_PAGE_FILES} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tools)
    install(FILES ${EIG_PAGES}/eigpack DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT tools)
    set(EIG_ZSH_FOLDER site-functions)
    if(CMAKE_INSTALL_PREFIX STREQUAL "/usr" AND EXISTS /etc/debian_version)
        set(EIG_ZSH_FOLDER vendor-completions)
    endif()
    install(FILES ${EIG_PAGES}/_eigpack DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/${EIG_ZSH_FOLDER} COMPONENT tools)
    install(FILES ${EIG_PAGES}/eigpack.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT tools)
endif()

if(CMAKE_SOURCE_DIR STREQUAL PROJECT_SOURCE_DIR)
    add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -DMANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt
        -P ${PROJECT_SOURCE_DIR}/cmake/uninstall.cmake VERBATIM)
endif()
