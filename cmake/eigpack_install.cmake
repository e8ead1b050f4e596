# What an installation holds: headers, both libraries, the program, the example matrix, and the two ways to find them:
#     find_package(eigpack)   targets eigpack::eigpack (shared where it was built) and eigpack::static
#     ... COMPONENTS mpi      targets eigpack::mpi and eigpack::mpi_static (src/mpi/CMakeLists.txt)
#     pkg-config eigpack      with --static also what the static library is linked with
# Everything is relocatable: `cmake --install build --prefix anywhere` needs no second configuration.

set(EIG_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/eigpack)
set(EIG_PKGCONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
set(EIG_DATA_DIR ${CMAKE_INSTALL_DATADIR}/eigpack/data)

# Each library is an export set of its own: the shared one needs nothing of its user, the static one OpenMP and CUDA.
install(TARGETS eigpack_static EXPORT eigpack-static ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT eigpack-static NAMESPACE eigpack:: DESTINATION ${EIG_CMAKE_DIR})
if(TARGET eigpack)
    install(TARGETS eigpack EXPORT eigpack-shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
    install(EXPORT eigpack-shared NAMESPACE eigpack:: DESTINATION ${EIG_CMAKE_DIR})
endif()
if(TARGET eigpack_cli)
    install(TARGETS eigpack_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(FILES include/eigpack.h include/eigpack.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY data/ DESTINATION ${EIG_DATA_DIR})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

configure_package_config_file(cmake/eigpack-config.cmake.in ${PROJECT_BINARY_DIR}/eigpack-config.cmake
    INSTALL_DESTINATION ${EIG_CMAKE_DIR} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/eigpack-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/eigpack-config.cmake ${PROJECT_BINARY_DIR}/eigpack-config-version.cmake
    DESTINATION ${EIG_CMAKE_DIR})

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
install(FILES ${PROJECT_BINARY_DIR}/eigpack.pc DESTINATION ${EIG_PKGCONFIG_DIR})
